"""A cache of a function of words. A corpus repeats its words."""

from collections.abc import Callable
from typing import Any, Generic, TypeVar

Value = TypeVar("Value")

# Maximum number of words. Heuristic: more than the vocabulary of most corpora; 30 MB.
LIMIT = 65_536


class WordCache(dict[str, Value], Generic[Value]):
    """A dictionary from words to the values of a function, filled on first use.

    Unlike `functools.lru_cache` it can be pickled with the metric that holds it; the
    copy is empty. It is cleared when it reaches the largest number of words.

    Args:
        function: Function of a word.
        limit: The largest number of words. `None` means `LIMIT`.
    Example:
        >>> lengths = WordCache(len)
        >>> lengths["word"]
        4
    """

    def __init__(
        self, function: Callable[[str], Value], limit: int | None = None
    ) -> None:
        super().__init__()
        self.function = function
        self.limit = limit

    def __missing__(self, word: str) -> Value:
        if len(self) >= (self.limit or LIMIT):
            self.clear()
        value = self[word] = self.function(word)
        return value

    def __reduce__(self) -> tuple[Any, ...]:
        return WordCache, (self.function, self.limit)
