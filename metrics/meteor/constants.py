"""METEOR's constants by task and by language, as tuned by its authors.

`function_words` lists the words that count less, by language.
"""

import functools
import pathlib
from typing import NamedTuple

_DATA = pathlib.Path(__file__).parent.parent / "data"

STAGES = ("exact", "stem", "synonym", "paraphrase")


class Constants(NamedTuple):
    """Constants of METEOR.

    Attributes:
        alpha: Weight of recall in the harmonic mean of precision and recall.
        beta: Exponent of the fragmentation.
        gamma: Largest penalty.
        delta: Weight of content words. Function words have 1 - delta.
        weights: Weight of the matches of each stage.
    """

    alpha: float
    beta: float
    gamma: float
    delta: float
    weights: dict[str, float]


def _constants(
    alpha: float, beta: float, gamma: float, delta: float, **weights: float
) -> Constants:
    return Constants(alpha, beta, gamma, delta, weights)


# Denkowski and Lavie (2014), Meteor Universal, and the tables of the program.
_UNTUNED = _constants(
    0.75, 1.4, 0.7, 0.5, exact=1.0, stem=0.5, synonym=0.5, paraphrase=0.5
)
ENGLISH_TASKS = {
    # Correlation with human rankings (WMT 2009 to 2012): the default of METEOR 1.5.
    "rank": _constants(
        0.85, 0.2, 0.6, 0.75, exact=1.0, stem=0.6, synonym=0.8, paraphrase=0.6
    ),
    # Adequacy judged by people (NIST Open MT 2009).
    "adq": _constants(
        0.75, 1.4, 0.45, 0.7, exact=1.0, stem=1.0, synonym=0.6, paraphrase=0.8
    ),
    # Human-targeted translation edit rate (GALE P2).
    "hter": _constants(
        0.4, 1.5, 0.35, 0.55, exact=1.0, stem=0.2, synonym=0.6, paraphrase=0.8
    ),
    # Utility. The program uses it with characters: `METEOR(characters=True)`.
    "util": _constants(
        0.65, 0.1, 0.55, 0.65, exact=1.0, stem=0.0, synonym=0.0, paraphrase=0.8
    ),
    # Language independent.
    "li": _UNTUNED,
    # The start values of tuning.
    "tune": _constants(
        0.5, 1.0, 0.5, 0.5, exact=1.0, stem=0.5, synonym=0.5, paraphrase=0.5
    ),
    # Meteor Universal, for languages that have only a paraphrase table.
    "universal": _constants(0.7, 1.4, 0.3, 0.7, exact=1.0, paraphrase=0.6),
}
# Banerjee and Lavie (2005): P and R weighted 1 to 9, penalty 0.5 (chunks / matches)^3.
ORIGINAL = _constants(0.9, 3.0, 0.5, 0.5, exact=1.0, stem=1.0, synonym=1.0)


class Language(NamedTuple):
    """The parts of METEOR 1.5 for a language.

    Attributes:
        name: Its English name, in lower case.
        constants: The constants that were tuned for it, or those of no language.
        stems: Whether "snowball" has stems of it.
    """

    name: str
    constants: Constants
    stems: bool = True


# By the names of the program.
LANGUAGES = {
    "en": Language("english", ENGLISH_TASKS["rank"]),
    "cz": Language(
        "czech",
        _constants(0.95, 0.2, 0.6, 0.8, exact=1.0, paraphrase=0.4),
        stems=False,
    ),
    "de": Language(
        "german", _constants(0.95, 1.0, 0.55, 0.55, exact=1.0, stem=0.8, paraphrase=0.2)
    ),
    "es": Language(
        "spanish", _constants(0.65, 1.3, 0.5, 0.8, exact=1.0, stem=0.8, paraphrase=0.6)
    ),
    "fr": Language(
        "french", _constants(0.9, 1.4, 0.6, 0.65, exact=1.0, stem=0.2, paraphrase=0.4)
    ),
    "ru": Language(
        "russian", _constants(0.75, 1.4, 0.7, 0.5, exact=1.0, stem=0.5, paraphrase=0.5)
    ),
    # In the reduced transliteration of Buckwalter; its stems are a table.
    "ar": Language("arabic", _UNTUNED, stems=False),
    "da": Language("danish", _UNTUNED),
    "fi": Language("finnish", _UNTUNED),
    "hu": Language("hungarian", _UNTUNED),
    "it": Language("italian", _UNTUNED),
    "nl": Language("dutch", _UNTUNED),
    "no": Language("norwegian", _UNTUNED),
    "pt": Language("portuguese", _UNTUNED),
    "ro": Language("romanian", _UNTUNED),
    "se": Language("swedish", _UNTUNED),
    "tr": Language("turkish", _UNTUNED),
    "other": Language("other", _UNTUNED, stems=False),
}
# Other names for them: those of ISO 639, and the program's for Arabic.
ALIASES = {"cs": "cz", "sv": "se", "nb": "no", "ar-bw-red": "ar"}


@functools.cache
def function_words(language: str) -> frozenset[str]:
    """The most frequent words of a language, which count less than content words.

    Args:
        language: Its English name, in lower case.
    Returns:
        The 62 to 93 words of the program; none if it has no list.
    """
    path = _DATA / f"function_words_{language}.txt"
    if not path.exists():
        return frozenset()
    return frozenset(path.read_text(encoding="utf-8").split())
