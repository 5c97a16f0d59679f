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

_PREFIXES = (
    pathlib.Path(__file__).parent.parent / "data" / "nonbreaking_prefixes_english.txt"
)

# The characters that METEOR takes for letters: Latin with accents, Cyrillic, phonetic.
_ALPHA = "A-Za-zÀ-ÖØ-öø-žЀ-ԧᴀ-ᵿ"
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
# Texts with a quick path: words that no step changes, commas after words, and one full
# stop at the end. Nine of ten captions are of this form.
_PLAIN = re.compile(r"(?:[A-Za-z]+,? |[0-9]+ )*[A-Za-z]+\.?")
_SIGN = re.compile(f"([^{_ALNUM}{_SPACE}.'`,\\-‘’])")
_DOTS = re.compile("DOT((?:MULTI)+)")
_LETTER = re.compile(f"[{_ALPHA}]")
_NOT_ALNUM = re.compile(f"[^{_ALNUM}]")


def normalize(text: str, *, punctuation: bool = True) -> str:
    """Splits English text into tokens, separated by single blanks.

    Args:
        text: The text.
        punctuation: Whether to keep punctuation (the program's `-noPunct` drops it).
    Returns:
        The tokens as one string.
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
    """The result of the steps for a text that matches `_PLAIN`."""
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
    """Separates the full stop from a word, unless the word is an abbreviation."""
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
    """English words with a full stop that does not end a sentence.

    Returns:
        A dictionary from the word to "always", or to "before a digit".
    """
    prefixes = {}
    for line in _PREFIXES.read_text(encoding="utf-8").splitlines():
        word, numeric, _ = line.partition(" #NUMERIC_ONLY#")
        prefixes[word] = "before a digit" if numeric else "always"
    return prefixes
