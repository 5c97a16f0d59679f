"""The tokenizers of the two ROUGE programs that people quote."""

import re

_WORD = re.compile("[a-z0-9]+")


def google_words(text: str) -> list[str]:
    """Splits a text as rouge-score: runs of a-z and 0-9 in the lower-cased text.

    Example:
        >>> google_words("The cat's 2nd café.")
        ['the', 'cat', 's', '2nd', 'caf']
    """
    return _WORD.findall(text.lower())


def blank_separated(text: str) -> list[str]:
    """Splits a text as pycocoevalcap's ROUGE-L: at every single blank.

    Example:
        >>> blank_separated("the  cat"), blank_separated("")
        (['the', '', 'cat'], [''])
    """
    return text.split(" ")
