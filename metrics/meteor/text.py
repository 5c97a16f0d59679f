"""How METEOR turns text into tokens."""

import dataclasses
import re
from collections.abc import Callable

from ..base import Text
from ..tokenizers import Tokenizer, get_tokenizer, tokenizer_name
from ..tokenizers.meteor import normalize
from ..tokenizers.ptb import tokenize_ptb

NORMALIZING = ("meteor", "ptb+meteor")
_JAVA_BLANKS = re.compile("[ \t\n\r\f]+")


@dataclasses.dataclass(frozen=True, kw_only=True)
class TextReader:
    """Turns text into tokens.

    Attributes:
        tokenizer: "meteor", "ptb+meteor" (PTB first, as for COCO's captions), or what
            `metrics.tokenizers.get_tokenizer` takes.
        lowercase: Whether to ignore case.
        punctuation: Whether to keep punctuation. `False` needs the tokenizer "meteor".
        java_blanks: Whether the tokenizer "none" splits at the blanks that Java's
            StringTokenizer knows, instead of at all white space.
        language: English name of the language, for the tokenizer "meteor".
    Raises:
        ValueError: If there is no such tokenizer, or `punctuation` is false with
            another tokenizer than "meteor".
        TypeError: If `tokenizer` is neither a name nor a function.
    Example:
        >>> TextReader(tokenizer="meteor", lowercase=True).tokens("Dr. No's cat.")
        ['dr.', 'no', "'s", 'cat', '.']
    """

    tokenizer: str | Tokenizer
    lowercase: bool
    punctuation: bool = True
    java_blanks: bool = False
    language: str = "english"
    _split: Callable[[str], list[str]] = dataclasses.field(init=False, repr=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "_split", self._find_split())

    @property
    def name(self) -> str:
        """The name of the tokenizer in a signature."""
        return tokenizer_name(self.tokenizer)

    @property
    def normalizes(self) -> bool:
        """Whether the tokenizer is METEOR's, perhaps after another one."""
        return isinstance(self.tokenizer, str) and self.tokenizer in NORMALIZING

    def _find_split(self) -> Callable[[str], list[str]]:
        if self.normalizes:
            return _split_normalized
        split = get_tokenizer(self.tokenizer)
        if not self.punctuation:
            raise ValueError(
                "`punctuation` must be True unless `tokenizer` is 'meteor'. "
                f"Received: tokenizer={self.name!r}"
            )
        if self.tokenizer == "none" and self.java_blanks:
            return _split_at_java_blanks
        return split

    def tokens(self, text: Text) -> list[str]:
        """The tokens of a text. A list of tokens only changes its case."""
        if not isinstance(text, str):
            return [token.lower() for token in text] if self.lowercase else list(text)
        if self.normalizes:
            if self.tokenizer == "ptb+meteor":
                text = " ".join(tokenize_ptb(text))
            # Before the change of case, which tells abbreviations from words.
            text = normalize(text, language=self.language, punctuation=self.punctuation)
        return self._split(text.lower() if self.lowercase else text)


def _split_normalized(text: str) -> list[str]:
    return text.split(" ") if text else []


def _split_at_java_blanks(text: str) -> list[str]:
    return [word for word in _JAVA_BLANKS.split(text) if word]
