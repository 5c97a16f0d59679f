"""The tokenizer of METEOR 1.5 (its option `-norm`): a Moses tokenizer with changes.

It has no name in the registry: `METEOR` must normalise a text before it changes the
case, and split it after that.

Reference:
    Denkowski and Lavie (2014), Meteor Universal, section 2.1; the tokenizer of Moses,
    revision 3612. The effect of the steps on each character was determined by
    experiment with the program.
"""

import functools
import pathlib
import re
from collections.abc import Callable

from .rules import Rules

_DATA = pathlib.Path(__file__).parent.parent / "data"
# The languages of METEOR that this tokenizer knows. In Czech it has no abbreviations.
LANGUAGES = ("english", "czech", "french", "german", "russian", "spanish")

# The characters that METEOR takes for letters: Latin with accents, Cyrillic, phonetic.
_ALPHA = "A-Za-zÀ-ÖØ-öø-žЀ-ԧꙀ-ꙮ꙾-ꚗᴀ-ᵿ"
_ALNUM = f"0-9{_ALPHA}"
# ASCII white space, as Java's \s. The last step also joins other kinds of blanks.
_SPACE = " \t\n\x0b\f\r"
_SPACES = re.compile(f"[{_SPACE}]+")
_BLANKS = re.compile("[ \u00a0\u2000-\u200a\u202f\u205f\u3000\t\n\f\r]+")

# Steps in order: characters, and substitutions to do if the text has one of them. Most
# sentences have few of these characters.
_STEPS: list[tuple[str, list[tuple]]] = [
    # Runs of full stops become a word that the later steps do not change.
    (".", [(r"\.\.+", lambda dots: f" DOT{'MULTI' * len(dots[0])} ")]),
    (
        ",",
        [
            (r"([^0-9]),([^0-9])", r"\1 , \2"),
            (r"([0-9]),([^0-9])", r"\1 , \2"),
            (r"([^0-9]),([0-9])", r"\1 , \2"),
        ],
    ),
    ("'`‘’“”", [("[`‘’]", "'"), ("[“”]|''", ' " ')]),
    ("–\\-", [("–|--", "-"), (f"([{_ALNUM}.])-([{_ALNUM}])", r"\1 \2")]),
]
# The last step, by language; other languages separate every apostrophe.
_APOSTROPHES = {
    "english": [
        (f"([^{_ALPHA}])'([^{_ALPHA}])", r"\1 ' \2"),
        (f"([^{_ALNUM}])'([{_ALPHA}])", r"\1 ' \2"),
        (f"([{_ALPHA}])'([^{_ALPHA}])", r"\1 ' \2"),
        (f"([{_ALPHA}])'([{_ALPHA}])", r"\1 '\2"),
        (r"([0-9])'(s)", r"\1 '\2"),
    ],
    "french": [
        (f"([^{_ALPHA}])'([^{_ALPHA}])", r"\1 ' \2"),
        (f"([^{_ALPHA}])'([{_ALPHA}])", r"\1 ' \2"),
        (f"([{_ALPHA}])'([^{_ALPHA}])", r"\1 ' \2"),
        (f"([{_ALPHA}])'([{_ALPHA}])", r"\1' \2"),
    ],
}
# Texts with a quick path: words that no step changes, commas after words, and one full
# stop at the end. Nine of ten captions are of this form.
_PLAIN = re.compile(r"(?:[A-Za-z]+,? |[0-9]+ )*[A-Za-z]+\.?")
_SIGN = re.compile(f"([^{_ALNUM}{_SPACE}.'`,\\-‘’])")
_DOTS = re.compile("DOT((?:MULTI)+)")
_LETTER = re.compile(f"[{_ALPHA}]")
_NOT_ALNUM = re.compile(f"[^{_ALNUM}]")


def normalize(text: str, *, language: str = "english", punctuation: bool = True) -> str:
    """Splits text into tokens, separated by single blanks.

    Args:
        text: The text.
        language: One of `LANGUAGES`.
        punctuation: Whether to keep punctuation (the program's `-noPunct` drops it).
    Returns:
        The tokens as one string.
    Example:
        >>> normalize("Dr. No's U.S. well-known, \\"big\\" friend left...")
        'Dr. No \\'s US well known , " big " friend left ...'
    """
    if punctuation and _PLAIN.fullmatch(text) and "DOTMULTI" not in text:
        return _normalize_plain(text, language)
    text = _SIGN.sub(r" \1 ", f" {text} ")
    for is_needed, steps in _compiled_steps(language):
        if is_needed(text):
            for pattern, replacement in steps:
                text = pattern.sub(replacement, text)
    if "." in text:
        words = _SPACES.split(text.strip(_SPACE))
        for index, word in enumerate(words):
            if word.endswith("."):
                following = words[index + 1] if index + 1 < len(words) else ""
                words[index] = _split_full_stop(word, following, language)
        text = " ".join(words)
    if "DOTMULTI" in text:
        text = _DOTS.sub(lambda dots: "." * (len(dots[1]) // 5), text)
    if not punctuation:
        text = _NOT_ALNUM.sub(" ", text)
    return _BLANKS.sub(" ", text).strip(" ")


def _normalize_plain(text: str, language: str) -> str:
    """The result of the steps for a text that matches `_PLAIN`."""
    before, blank, last = text.replace(",", " ,").rpartition(" ")
    if last.endswith("."):
        last = _split_full_stop(last, "", language)
    return f"{before}{blank}{last}"


@functools.cache
def _compiled_steps(
    language: str,
) -> list[tuple[Callable[[str], re.Match[str] | None], Rules]]:
    apostrophes = _APOSTROPHES.get(language, [("'", " ' ")])
    return [
        (
            re.compile(f"[{characters}]").search,
            [(re.compile(pattern), replacement) for pattern, replacement in steps],
        )
        for characters, steps in [*_STEPS, ("'", apostrophes)]
    ]


def _split_full_stop(word: str, following: str, language: str) -> str:
    """Separates the full stop from a word, unless the word is an abbreviation."""
    if len(word) == 1:
        return word
    rest = word[:-1]
    if "." in rest and _LETTER.search(rest):
        return word.replace(".", "")  # U.S. -> US
    kind = nonbreaking_prefixes(language).get(rest)
    if kind == "always" or "a" <= following[:1] <= "z":
        return word
    if kind == "before a digit" and "0" <= following[:1] <= "9":
        return word
    return f"{rest} ."


@functools.cache
def nonbreaking_prefixes(language: str = "english") -> dict[str, str]:
    """Words with a full stop that does not end a sentence.

    Args:
        language: One of `LANGUAGES`.
    Returns:
        A dictionary from the word to "always", or to "before a digit".
    """
    if language == "czech":
        return {}
    path = _DATA / f"nonbreaking_prefixes_{language}.txt"
    prefixes = {}
    for line in path.read_text(encoding="utf-8").splitlines():
        word, numeric, _ = line.partition(" #NUMERIC_ONLY#")
        prefixes[word] = "before a digit" if numeric else "always"
    return prefixes
