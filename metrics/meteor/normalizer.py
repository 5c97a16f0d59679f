"""The text normalisation of METEOR 1.5 (`-norm`): a Moses tokenizer with changes.

Reference:
    Denkowski and Lavie (2014), Meteor Universal, section 2.1; the tokenizer of Moses,
    revision 3612. What the steps do to each character was read off the program.
"""

import functools
import pathlib
import re

DATA = pathlib.Path(__file__).parent.parent / "data"

# Letters as METEOR knows them: Latin with accents, Cyrillic, phonetic signs.
_ALPHA = "A-Za-zÀ-ÖØ-öø-žЀ-ԧᴀ-ᵿ"
_ALNUM = f"0-9{_ALPHA}"
# ASCII whitespace, as Java's \s; the blanks that are squeezed at the end are more.
_SPACE = " \t\n\x0b\f\r"
_SPACES = re.compile(f"[{_SPACE}]+")
_BLANKS = re.compile("[ \u00a0\u2000-\u200a\u202f\u205f\u3000\t\n\f\r]+")

# Steps in order, each a pattern and what to put in its place. They are done only if one
# of the characters is there: most sentences have few of them.
_STEPS: list[tuple[str, list[tuple]]] = [
    # Runs of dots become a word that the later steps leave alone.
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
    (
        "'",
        [
            (f"([^{_ALPHA}])'([^{_ALPHA}])", r"\1 ' \2"),
            (f"([^{_ALNUM}])'([{_ALPHA}])", r"\1 ' \2"),
            (f"([{_ALPHA}])'([^{_ALPHA}])", r"\1 ' \2"),
            (f"([{_ALPHA}])'([{_ALPHA}])", r"\1 '\2"),
            (r"([0-9])'(s)", r"\1 '\2"),
        ],
    ),
]
# Words that no step changes, commas after words, and a full stop: nine of ten captions.
_PLAIN = re.compile(r"(?:[A-Za-z]+,? |[0-9]+ )*[A-Za-z]+\.?")
_SIGN = re.compile(f"([^{_ALNUM}{_SPACE}.'`,\\-‘’])")
_DOTS = re.compile("DOT((?:MULTI)+)")
_LETTER = re.compile(f"[{_ALPHA}]")
_NOT_ALNUM = re.compile(f"[^{_ALNUM}]")


def normalize(text: str, *, punctuation: bool = True) -> str:
    """Splits English text into tokens with single blanks between them.

    Args:
        text: Text as written.
        punctuation: Whether to keep punctuation (`-noPunct` drops it).
    Example:
        >>> normalize("Dr. No's U.S. well-known, \\"big\\" friend left...")
        'Dr. No \\'s US well known , " big " friend left ...'
    """
    if punctuation and _PLAIN.fullmatch(text) and "DOTMULTI" not in text:
        return _normalize_plain(text)
    text = _SIGN.sub(r" \1 ", f" {text} ")
    for is_needed, steps in _compiled_steps():
        if is_needed(text):
            for pattern, replacement in steps:
                text = pattern.sub(replacement, text)
    if "." in text:
        words = _SPACES.split(text.strip(_SPACE))
        for place, word in enumerate(words):
            if word.endswith("."):
                following = words[place + 1] if place + 1 < len(words) else ""
                words[place] = _split_full_stop(word, following)
        text = " ".join(words)
    if "DOTMULTI" in text:
        text = _DOTS.sub(lambda dots: "." * (len(dots[1]) // 5), text)
    if not punctuation:
        text = _NOT_ALNUM.sub(" ", text)
    return _BLANKS.sub(" ", text).strip(" ")


def _normalize_plain(text):
    """What the steps do to a text like `_PLAIN`."""
    before, blank, last = text.replace(",", " ,").rpartition(" ")
    if last.endswith("."):
        last = _split_full_stop(last, "")
    return f"{before}{blank}{last}"


@functools.cache
def _compiled_steps():
    return [
        (
            re.compile(f"[{characters}]").search,
            [(re.compile(pattern), replacement) for pattern, replacement in steps],
        )
        for characters, steps in _STEPS
    ]


def _split_full_stop(word, following):
    """Parts its full stop from a word, unless the word is an abbreviation."""
    if len(word) == 1:
        return word
    rest = word[:-1]
    if "." in rest and _LETTER.search(rest):
        return word.replace(".", "")  # U.S. -> US
    kind = nonbreaking_prefixes().get(rest)
    if kind == "always" or "a" <= following[:1] <= "z":
        return word
    if kind == "before a digit" and "0" <= following[:1] <= "9":
        return word
    return f"{rest} ."


@functools.cache
def nonbreaking_prefixes() -> dict[str, str]:
    """English words whose full stop does not end a sentence, and when it does not."""
    text = (DATA / "nonbreaking_prefixes_english.txt").read_text(encoding="utf-8")
    prefixes = {}
    for line in text.splitlines():
        word, numeric, _ = line.partition(" #NUMERIC_ONLY#")
        prefixes[word] = "before a digit" if numeric else "always"
    return prefixes
