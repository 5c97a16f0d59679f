"""Tokenizers, by name: functions from a text to the list of its tokens.

All but `ptb` are sacreBLEU's of the same names. None changes the case but `ptb`, which
also leaves out punctuation.
"""

import functools
import re
import sys
import unicodedata
from collections.abc import Callable

from ..checks import check_choice, shorten
from ..word_cache import WordCache
from .ptb import tokenize_ptb

Tokenizer = Callable[[str], list[str]]


def tokenize_none(text: str) -> list[str]:
    """The words between white space.

    Example:
        >>> tokenize_none("It isn't.")
        ['It', "isn't."]
    """
    return text.split()


def tokenize_13a(text: str) -> list[str]:
    """The tokens of NIST's mteval-v13a, as for WMT: ASCII punctuation stands alone.

    Words are tokenised one by one: no other rule looks beyond the white space around a
    word. The tokens of at most `metrics.word_cache.LIMIT` words are remembered.

    Example:
        >>> tokenize_13a("It isn't 3,000.5 &quot;m.&quot;")
        ['It', "isn't", '3,000.5', '"', 'm', '.', '"']
    """
    # The one rule across white space: a hyphen at the end of a line joins words.
    text = text.rstrip().replace("<skipped>", "").replace("-\n", "")
    tokens: list[str] = []
    for word in text.split():
        tokens += _WORDS_13A[word]
    return tokens


_ENTITIES = (("&quot;", '"'), ("&amp;", "&"), ("&lt;", "<"), ("&gt;", ">"))

_RULES_13A = (
    (re.compile(r"([{-~\[-`!-&(-+:-@/])"), r" \1 "),  # not the four ' , - .
    (re.compile(r"([^0-9])([.,])"), r"\1 \2 "),
    (re.compile(r"([.,])([^0-9])"), r" \1 \2"),
    (re.compile(r"([0-9])(-)"), r"\1 \2 "),
)


def _split_13a(word):
    # Most words, and what the rules come to for them; the rest is slower.
    if word.isalnum():
        return (word,)
    if word[:-1].isalnum() and word[-1] in ".,":
        return (word[:-1], word[-1])
    for entity, character in _ENTITIES:
        word = word.replace(entity, character)
    return tuple(_apply(_RULES_13A, f" {word} ").split())


_WORDS_13A = WordCache(_split_13a)


def _apply(rules, text):
    for pattern, replacement in rules:
        text = pattern.sub(replacement, text)
    return text


def tokenize_intl(text: str) -> list[str]:
    """The tokens of mteval-v14 `--international-tokenization`.

    Symbols stand alone, and so does punctuation, but between digits and, as in mteval,
    after a digit that ends the text. Which characters these are is left to Python's
    `unicodedata`; another version of Unicode may know more of them.

    Example:
        >>> tokenize_intl("It isn't 5€… 3,000.5 in 2026.")
        ['It', 'isn', "'", 't', '5', '€', '…', '3,000.5', 'in', '2026.']
    """
    return _apply(_rules_intl(), text.rstrip()).split()


@functools.cache
def _rules_intl():
    members = {"N": [], "P": [], "S": []}
    for character in map(chr, range(sys.maxunicode + 1)):
        category = unicodedata.category(character)[0]
        if category in members:
            members[category].append(re.escape(character))
    numbers, punctuation, symbols = map("".join, members.values())
    return (
        (re.compile(f"([^{numbers}])([{punctuation}])"), r"\1 \2 "),
        (re.compile(f"([{punctuation}])([^{numbers}])"), r" \1 \2"),
        (re.compile(f"([{symbols}])"), r" \1 "),
    )


def tokenize_char(text: str) -> list[str]:
    """The characters, without white space.

    Example:
        >>> tokenize_char("to be")
        ['t', 'o', 'b', 'e']
    """
    return list("".join(text.split()))


def tokenize_zh(text: str) -> list[str]:
    """The Chinese characters one by one, and what is between them as by `13a`.

    Unlike there, a period or comma after a digit that ends the text stays with it.

    Example:
        >>> tokenize_zh("我有2.5块, ok.")
        ['我', '有', '2.5', '块', ',', 'ok', '.']
    """
    return _apply(_RULES_13A, _CHINESE.sub(r" \g<0> ", text.strip())).split()


# Blocks of Unicode, as sacreBLEU lists them. The first is no Chinese, but signs and
# arrows: sacreBLEU writes U+20000 to U+2A6D6 with four digits, and so gets this.
_CHINESE = re.compile(
    "[\u2001-\u2a6d\u2e80-\u2fdf\u2ff0-\u303f\u3100-\u312f\u31a0-\u31bf\u31c0-\u31ef"
    "\u3200-\u4db5\u4e00-\u9fbb\uf900-\ufa2d\ufa30-\ufa6a\ufa70-\ufad9\ufe10-\ufe1f"
    "\ufe30-\ufe4f\uff00-\uffef]"
)

TOKENIZERS: dict[str, Tokenizer] = {
    "none": tokenize_none,
    "13a": tokenize_13a,
    "intl": tokenize_intl,
    "char": tokenize_char,
    "zh": tokenize_zh,
    "ptb": tokenize_ptb,
}


def get_tokenizer(tokenizer: str | Tokenizer) -> Tokenizer:
    """The tokenizer of a name, or the given function with a check of what it returns.

    Args:
        tokenizer: A name in `TOKENIZERS`, or a function from a text to a list of
            tokens.
    Raises:
        ValueError: If no tokenizer has this name.
        TypeError: If it is neither a name nor a function; and when called, if the
            function returns anything but a list of strings.
    Example:
        >>> get_tokenizer("char")("to be")
        ['t', 'o', 'b', 'e']
    """
    if callable(tokenizer):
        return functools.partial(_tokens_of, tokenizer)
    if not isinstance(tokenizer, str):
        raise TypeError(
            "`tokenizer` must be a name or a function from a text to a list of tokens. "
            f"Received: tokenizer={shorten(tokenizer)}"
        )
    check_choice("tokenizer", tokenizer, TOKENIZERS)
    return TOKENIZERS[tokenizer]


def tokenizer_name(tokenizer: str | Tokenizer) -> str:
    """The name of a tokenizer in a signature: its own, or that of the function.

    Example:
        >>> tokenizer_name("13a"), tokenizer_name(str.split)
        ('13a', 'str.split')
    """
    if isinstance(tokenizer, str):
        return tokenizer
    return getattr(tokenizer, "__qualname__", type(tokenizer).__name__)


def _tokens_of(tokenizer, text):
    tokens = tokenizer(text)
    if not isinstance(tokens, list | tuple) or not set(map(type, tokens)) <= {str}:
        raise TypeError(
            "`tokenizer` must return a list of tokens, which are strings. Received: "
            f"{shorten(tokens)}"
        )
    return tokens
