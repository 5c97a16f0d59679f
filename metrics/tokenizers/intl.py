"""The tokenizer `"intl"`: mteval-v14 with `--international-tokenization`."""

import functools
import re
import sys
import unicodedata

from .rules import Rules, apply_rules


def tokenize_intl(text: str) -> list[str]:
    """Splits a text as mteval-v14 `--international-tokenization`.

    Each symbol is a token. Punctuation is a token too, except between digits and, as in
    mteval, after a digit at the end of the text. Python's `unicodedata` decides which
    characters these are; another version of Unicode may know more of them.

    Example:
        >>> tokenize_intl("It isn't 5€… 3,000.5 in 2026.")
        ['It', 'isn', "'", 't', '5', '€', '…', '3,000.5', 'in', '2026.']
    """
    return apply_rules(_rules(), text.rstrip()).split()


@functools.cache
def _rules() -> Rules:
    """The rules, made on first use: they need the category of every character."""
    members: dict[str, list[str]] = {"N": [], "P": [], "S": []}
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
