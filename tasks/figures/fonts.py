"""Fonts for characters that the usual font lacks."""

import functools
import re
import textwrap
import unicodedata

from matplotlib import font_manager

NORMAL = 400  # neither bold nor light
# Fonts for formulas, whose characters have other places. The last draws only boxes.
NOT_FOR_TEXT = re.compile(r"cm\w+10|STIX(NonUnicode|Size).*|Last Resort.*")


@functools.lru_cache(maxsize=64)
def fallbacks(
    characters: frozenset[str], families: tuple[str, ...]
) -> tuple[tuple[str, ...], frozenset[str]]:
    """Installed fonts for characters.

    Args:
        characters: The characters.
        families: The families of fonts that a text has.
    Returns:
        More families, few that have most of the characters that those lack, and the
        characters that none has.
    """
    missing = set(characters)
    for family in families:
        missing -= _drawn(family, missing)
    names = {
        entry.name
        for entry in font_manager.fontManager.ttflist
        if (entry.style, entry.weight) == ("normal", NORMAL)
        and not NOT_FOR_TEXT.fullmatch(entry.name)
    }
    # Where two have as many, one without serifs, as the usual font is.
    order = sorted(names, key=lambda name: ("Sans" not in name, name))
    drawn = {name: _drawn(name, missing) for name in order} if missing else {}
    chosen = []
    while missing and (best := max(order, key=lambda name: len(drawn[name] & missing))):
        if not drawn[best] & missing:
            break
        chosen.append(best)
        missing -= drawn[best]
    return tuple(chosen), frozenset(missing)


def _drawn(family: str, characters: set[str]) -> set[str]:
    """Those of some characters that a family has."""
    properties = font_manager.FontProperties(family=[family])
    try:
        path = font_manager.findfont(properties, fallback_to_default=False)
    except ValueError:  # it is not installed
        return set()
    font = font_manager.get_font(path)
    return {one for one in characters if font.get_char_index(ord(one))}


def wrapped(text: str, width: int) -> str:
    """A text in lines, none wider than so many letters. Chinese characters and the like
    are as wide as two."""
    wide = sum(unicodedata.east_asian_width(one) in "WF" for one in text)
    return textwrap.fill(text, max(1, width * len(text) // (len(text) + wide or 1)))
