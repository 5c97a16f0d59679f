"""The tokenizers by name.

All but `ptb` and those of ROUGE are sacreBLEU's of the same names. Only `ptb` and
`google_words` change the case and leave out punctuation.
"""

import functools
from collections.abc import Callable
from typing import Any

from ..base import Text
from ..checks import shorten
from ..ngrams import Tokens
from ..text_checks import check_choice_or_function
from . import mecab, sentencepiece
from .intl import tokenize_intl
from .mteval_13a import tokenize_13a
from .plain import tokenize_char, tokenize_none
from .ptb import tokenize_ptb
from .rouge import blank_separated, google_words
from .zh import tokenize_zh

Tokenizer = Callable[[str], list[str]]

TOKENIZERS: dict[str, Tokenizer] = {
    "none": tokenize_none,
    "13a": tokenize_13a,
    "intl": tokenize_intl,
    "char": tokenize_char,
    "zh": tokenize_zh,
    "ptb": tokenize_ptb,
    "google_words": google_words,
    "blank_separated": blank_separated,
}

# Those that need another library, or a file: what makes them.
OPTIONAL_TOKENIZERS: dict[str, Callable[[], Any]] = {
    **{
        name: functools.partial(mecab.MeCabTokenizer, name)
        for name in mecab.DICTIONARIES
    },
    **{
        name: functools.partial(sentencepiece.SentencePieceTokenizer, name)
        for name in sentencepiece.NAMES
    },
}

_SIGNED = (mecab.MeCabTokenizer, sentencepiece.SentencePieceTokenizer)

# The tokenizer of BLEU by the language of the texts, in codes of ISO 639; of others it
# is "13a". sacreBLEU knows zh, ja and ko. Cantonese, Wu, Gan, Xiang and literary
# Chinese are written in the same characters as Mandarin.
BY_LANGUAGE = {
    **dict.fromkeys(("zh", "zho", "chi", "cmn"), "zh"),
    **dict.fromkeys(("yue", "wuu", "gan", "hsn", "lzh"), "zh"),
    **dict.fromkeys(("ja", "jpn"), "ja-mecab"),
    **dict.fromkeys(("ko", "kor"), "ko-mecab"),
}


def get_tokenizer(tokenizer: str | Tokenizer) -> Tokenizer:
    """Returns the tokenizer of a name, or a given function with checked results.

    Args:
        tokenizer: A name in `TOKENIZERS` or `OPTIONAL_TOKENIZERS`, the path of a
            SentencePiece model, which ends in .model, or a function from a text to a
            list of tokens.
    Raises:
        ValueError: If no tokenizer has this name, or the file of its model is missing.
        ImportError: If the library of the tokenizer is missing.
        TypeError: If it is neither a name nor a function. When called: if the function
            returns anything but a list of strings.
    Example:
        >>> get_tokenizer("char")("to be")
        ['t', 'o', 'b', 'e']
    """
    if callable(tokenizer):
        return functools.partial(_checked_tokens, tokenizer)
    if isinstance(tokenizer, str) and tokenizer.endswith(sentencepiece.SUFFIX):
        return sentencepiece.SentencePieceTokenizer(tokenizer)
    check_choice_or_function(
        "tokenizer",
        tokenizer,
        (*TOKENIZERS, *OPTIONAL_TOKENIZERS),
        "the path of a SentencePiece model (.model), or a function from a text to a "
        "list of tokens",
    )
    if tokenizer in OPTIONAL_TOKENIZERS:
        return OPTIONAL_TOKENIZERS[tokenizer]()
    return TOKENIZERS[tokenizer]


def tokens_of(text: Text, tokenize: Tokenizer, *, lowercase: bool = False) -> Tokens:
    """The tokens of a text, or a list of tokens as it is; lower-cased if asked for.

    Example:
        >>> tokens_of("A cat", str.split), tokens_of(["A", "cat"], str.split)
        (['A', 'cat'], ['A', 'cat'])
    """
    if isinstance(text, str):
        return tokenize(text.lower() if lowercase else text)
    return [token.lower() for token in text] if lowercase else text


def tokenizer_name(tokenizer: str | Callable[..., Any]) -> str:
    """Returns how a signature calls a tokenizer or a function: by its name.

    Example:
        >>> tokenizer_name("13a"), tokenizer_name(str.split)
        ('13a', 'str.split')
    """
    if isinstance(tokenizer, str):
        if tokenizer in TOKENIZERS or not _has_signature(tokenizer):
            return tokenizer
        tokenizer = get_tokenizer(tokenizer)
    if isinstance(tokenizer, _SIGNED):
        return tokenizer.signature
    return getattr(tokenizer, "__qualname__", type(tokenizer).__name__)


def _has_signature(name: str) -> bool:
    return name in OPTIONAL_TOKENIZERS or name.endswith(sentencepiece.SUFFIX)


def _checked_tokens(tokenizer: Tokenizer, text: str) -> list[str]:
    tokens = tokenizer(text)
    are_tokens = isinstance(tokens, list | tuple) and all(
        issubclass(kind, str) for kind in set(map(type, tokens))
    )
    if not are_tokens:
        raise TypeError(
            "`tokenizer` must return a list of tokens, which are strings. Received: "
            f"{shorten(tokens)}"
        )
    return tokens
