"""What a function says of a word, remembered: a corpus repeats its words."""

from collections.abc import Callable
from typing import Generic, TypeVar

Value = TypeVar("Value")

# Words remembered; chosen: more than the vocabulary of most corpora, some 30 MB.
LIMIT = 65_536


class WordCache(dict[str, Value], Generic[Value]):
    """Word -> the value of a function of it, worked out on first use.

    A dictionary rather than `functools.lru_cache`, because it can be pickled with the
    metric that holds it (it then travels empty). It forgets all words at a limit.

    Args:
        function: Function of a word.
    Example:
        >>> lengths = WordCache(len)
        >>> lengths["word"]
        4
    """

    def __init__(self, function: Callable[[str], Value]):
        super().__init__()
        self.function = function

    def __missing__(self, word):
        if len(self) >= LIMIT:
            self.clear()
        value = self[word] = self.function(word)
        return value

    def __reduce__(self):
        return WordCache, (self.function,)
