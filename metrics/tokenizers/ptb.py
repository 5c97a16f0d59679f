"""The tokenizer `"ptb"`: Penn Treebank tokens as for COCO's captions.

Stanford's PTBTokenizer 3.4.1 is a list of rules; the rule that finds the longest token
applies. This file works in the same way. Its rules were derived from the output of
PTBTokenizer by experiment.
"""

import re

from .word_cache import WordCache

# Characters that Python's `\w` matches but PTBTokenizer does not take for letters or
# digits: superscripts, subscripts, fractions, Roman and some Chinese numerals, and
# everything above U+FFFF.
_OTHERS = "_²³¹⁰-₟⅐-↏½¼¾〇〡-〩〸-〺㆐-㆟㈀-㏿\U00010000-\U0010ffff"
_LETTER = rf"[^\W\d{_OTHERS}]"
_ALNUM = rf"(?:[^\W{_OTHERS}]|[\u0300-\u036f])"
_CLITIC = r"['’](?i:s|d|m|re|ve|ll)(?![A-Za-z])"

# Abbreviations keep their full stop. Those in `_CAPITALISED` keep it only with a
# capital.
_ABBREVIATIONS = r"""
    ph\.d adj adm adv al ala alex apr ariz assn assoc asst atty attys aug ave bancorp
    bhd bldg blvd brig bros calif capt cf cie cmdr co col colo comdr conn corp cos cpl
    ct dak dec dept det dr drs ens esq est etc ext feb fla fri ft ga gen gov hon inc ind
    insp intl jan jos jr jul jun kan kans ky lt ltd maj mar md messrs mfg mich minn mlle
    mme mo mon mont mr mrs ms msgr mt mtg natl neb nev nov oct okla penn pfc ph plc pres
    prof pte pty pvt rd rep reps rev rt sen sens sep sept seq sfc sgt spc sq sr st ste
    supt sys tel tenn thu thurs treas tue tues univ va vs vt wed wis wisc wm wyo
    """
_CAPITALISED = "Ark Az Del Ill La Mass Miss Ore Pa Tex Wash"
_BEFORE_NUMBERS = "art ca fig figs no nos op pp prop"

# If one of these words follows an initial such as "B.", its full stop ends a sentence.
_STARTERS = """
    A About According Additionally After An As At But Earlier He Her Here However If In
    It Last Many More Now Once One Other Our She Since So Some Such That The Their Then
    There These They This We What When While Yet You
    """


def _any(words: str) -> str:
    return "|".join(words.split())


# If a rule has a group, the group is the token and the rest is only looked at.
_RULES = tuple(
    re.compile(pattern)
    for pattern in (
        r"\S",
        # Contractions, of "do not" and of "going to".
        _CLITIC,
        rf"(?i:({_LETTER}+?)n['’]t|n['’]t(?!{_LETTER}))",
        rf"(?i:(can)not|(gon|wan)na|(got)ta|(gim|lem)me)(?!{_CLITIC})",
        r"(?i:('t)(?:is|was)|(y['’])all)",
        # Words: "road.An" is one, and "well-known", "3.5-inch", "U.S.-led", "and/or".
        rf"{_LETTER}{_ALNUM}*(?:[.!?]{_LETTER}{_ALNUM}*)*",
        rf"{_ALNUM}+(?:[_‐‑-]{_ALNUM}+)*",
        r"[A-Za-z0-9][A-Za-z0-9.,]*(?:-(?:(?:[A-Za-z]\.){2,}|[A-Za-z0-9]+))+",
        r"[A-Za-z0-9]+(?:-[A-Za-z]+){0,2}(?:/[A-Za-z0-9]+(?:-[A-Za-z]+){0,2}){1,2}",
        # Apostrophes within words: "o'clock", "G'day", "Hawai'i".
        rf"(?!.{_CLITIC})[DdOoLl]['’]{_LETTER}{_ALNUM}+(?:-{_ALNUM}+)*",
        rf"(?!.{_CLITIC})[A-HJ-XZn]['’]{_LETTER}{{2,}}",
        rf"{_LETTER}+[AEIOUYaeiouy](?!{_CLITIC})['’][aeiouA-Z]{_LETTER}*",
        r"(?i:ma['’]am|cap['’]n|nor['’]easter|c['’](?:mon|est)|e['’]er|ev['’]ry|li['’]l"
        r"|s['’]mores|nat['’]l|(?:ol|dunkin|somethin)['’](?![A-Za-z])|[ldj]['’](?!ll))",
        r"['’](?i:em|cause|till?|n['’]|n(?=\s|$))",
        r"['’](?:[2-9]0[Ss]|\d\d(?=\s|$))",
        # Abbreviations, acronyms, initials.
        rf"(?i:{_any(_ABBREVIATIONS)})\.",
        rf"(?:{_any(_CAPITALISED)}|{_any(_CAPITALISED.upper())})\.",
        rf"(?i:{_any(_BEFORE_NUMBERS)})\.(?=\s?\d)",
        r"(?:[A-Za-z]\.){2,}",
        rf"[A-Za-z]\.(?!\s+(?:{_any(_STARTERS)}|{_any(_STARTERS.upper())})(?:\s|$))",
        # Numbers: ".5", "3:30", "1 1/2", "(555) 555-1234", "US$".
        r"[+-]?(?:\d+(?:[.,:]\d+)*|(?:[.,:]\d+)+)",
        r"\d{1,4}[- \u00a0]\d{1,4}/\d{1,4}",
        r"\(\d{2,3}\)[ \u00a0]?\d{3,4}[- \u00a0]?\d{3,5}",
        r"[A-Z]+\$",
        # "AT&T", "C++", and what the web writes.
        r"[A-Z]+(?:(?:[+&]|&(?i:amp);)[A-Z]+)+",
        r"[Cc]\+\+|[CFcf]#|@[A-Za-z_][A-Za-z_0-9]*|#[A-Za-z]+",
        r"<?[A-Za-z0-9][^\s\"<>|(){}]{0,64}@(?:[^\s\"<>|(){}.]+\.)*[^\s\"<>|(){}.]+>?",
        r"https?://[^\s\"<>|()]+[^\s\"<>|.!?(){},-]",
        r"(?:[^\s\"'`<>|.!?(){},/_$-]{1,64}\.){1,9}(?:com|net|org|edu)/[^\s\"<>|()]+"
        r"[^\s\"<>|.!?(){},-]",
        r"(?:[A-Za-z0-9]+\.)+(?:c|gz|h|html|jpg|mp3|pdf|png|txt|x|xml|zip)(?=[\s.,?!]|$)",
        r"www\.(?:[^\s\"`<>|.!?(){},]+\.)+[A-Za-z]{2,4}(?:/[^\s\"<>|()]+"
        r"[^\s\"<>|.!?(){},-])?",
        r"&(?:(?i:amp|lt|gt|quot|mdash|ndash)|#\d+);",
        r"</?[A-Za-z][\w.:-]*(?:\s+[A-Za-z][\w.:-]*(?:\s*=\s*(?:\"[^\"]*\"|'[^']*'))?)*"
        r"\s*/?>",
        r"<[!?][A-Za-z-][^>]*>",
        # Smileys; punctuation that is repeated.
        r"[<>]?[:;=][-o*']?[()DPdpO\\{@|\[\]](?![A-Za-z0-9])|\^_\^|-_-|>_<",
        r"''|’’|``|[!?]{2,}|\*{2,}|#{2,}|@{2,}|_{2,}|-{2,}|\.{3,5}|<<|>>|\\\*",
    )
)

_INPUT_REPLACEMENTS = (("&nbsp;", " "), ("&apos;", "'"), ("\u00ad", ""))

# What is written for a token. Other punctuation is dropped.
_OUTPUT_REPLACEMENTS = {
    "[": "-lsb-",
    "]": "-rsb-",
    "{": "-lcb-",
    "}": "-rcb-",
    "£": "#",
    "€": "$",
    "¤": "$",
    "¢": "cents",
    "½": "1/2",
    "¼": "1/4",
    "¾": "3/4",
    "⅓": "1/3",
    "⅔": "2/3",
    "&amp;": "&",
    "&lt;": "<",
    "&gt;": ">",
}
# Punctuation, and the characters that PTBTokenizer cannot read.
_DROPPED = re.compile(
    "[\"'`«».?!,:;\u0081-\u00a0\u2000-\u2015\u2018\u2019\u201b-\u201d\u2024-\u202f\u2039"
    "\u203a\u203c\u203d\u2043\u2045-\u206f\u20a1-\u20a3\u20a5-\u20ab\u20ad-\u20ff"
    "\u2150-\u2152\u215f-\u2182\u2185-\u218b\u2e00-\u2e2e\u2e30-\u3000\u3003\u3004"
    "\u3007-\u3011\u3013-\u3030\u3036-\u303a\u303d-\u303f\u3099-\u309c\u30a0"
    "\u3190-\u319f\u31c0-\u31e3\u3200-\u33ff"
    "\ue000-\uf8ff\ufe00-\ufe6f\uffe2-\uffff\U00010000-\U0010ffff-]"
    r"|''|’’|``|-{2,4}|\.{3,5}|&(?:quot|mdash|ndash);"
)


def tokenize_ptb(text: str) -> list[str]:
    """Splits a text into the tokens with which pycocoevalcap scores captions.

    The tokens are those of PTBTokenizer with `-lowerCase`, without the punctuation that
    pycocoevalcap removes. Brackets stay, as `-lrb-` and `-rrb-`, because pycocoevalcap
    looks for them in capitals only. The tokens of up to
    `metrics.tokenizers.word_cache.LIMIT` words are cached.

    Not covered: telephone numbers with blanks, except `(555) 555-1234`; `Ph.D.s`; `n't`
    after a hyphen; HTML entities of letters; most endings of file names; two
    consecutive opening typographic quotes; separate vowel signs, as in Indic scripts;
    letters newer than Unicode 6, and punctuation of scripts other than those of Europe
    and East Asia, which PTBTokenizer drops.
    Deviation: a letter with a full stop at the end of a text is the token `p.`. In
    pycocoevalcap the full stop is removed if the next line of the file happens to begin
    with "A" or "The".

    PTBTokenizer makes one token of "1 1/2" and of "(555) 555-1234", with a no-break
    space inside. It separates words for whoever splits at any white space, which all
    programs of pycocoevalcap do but ROUGE-L: see `stanford_tokens`.

    Example:
        >>> " ".join(tokenize_ptb('Mr. X can\\'t (or won\\'t) go to "the" U.S. ...'))
        "mr. x ca n't -lrb- or wo n't -rrb- go to the u.s."
    """
    text = _prepared(text)
    if _ACROSS_WORDS.search(text):
        return [word for token in _scan(text) for word in token.split()]
    return _word_by_word(text)


def stanford_tokens(text: str) -> list[str]:
    """The tokens of `tokenize_ptb`, some of which may have a no-break space inside.

    Example:
        >>> stanford_tokens("1 1/2 cups.")
        ['1\\xa01/2', 'cups']
    """
    text = _prepared(text)
    return _scan(text) if _ACROSS_WORDS.search(text) else _word_by_word(text)


def _prepared(text: str) -> str:
    for old, new in _INPUT_REPLACEMENTS:
        text = text.replace(old, new)
    return text


def _word_by_word(text: str) -> list[str]:
    tokens: list[str] = []
    for word in text.split():
        tokens += _TOKENS_OF_WORDS[word]
    return tokens


# Rules that need the next word: an initial, "No. 5", "1 1/2", a telephone number, a
# tag.
_ACROSS_WORDS = re.compile(r"(?<![^\W_])[A-Za-z]\.\s|\.\s\d|\d\s\d|\)\s\d|<")


def _scan(text: str) -> list[str]:
    tokens = []
    position = 0
    while start := _VISIBLE.search(text, position):
        found = (rule.match(text, start.start()) for rule in _RULES)
        longest = max(filter(None, found), key=re.Match.end)
        group = longest.lastindex or 0
        position = longest.end(group)
        tokens += _output(longest[group])
    return tokens


_VISIBLE = re.compile(r"\S")
_TOKENS_OF_WORDS = WordCache(_scan)
_SHORTENED = re.compile(rf"{_CLITIC}|n['’]t")


def _output(token: str) -> list[str]:
    """The token that is written for a token, in a list; none for punctuation."""
    token = token.lower()
    if _DROPPED.fullmatch(token):
        return []
    if _SHORTENED.fullmatch(token):
        return [token.replace("’", "'")]
    token = _OUTPUT_REPLACEMENTS.get(token, token).replace("&amp;", "&")
    # A bracket is a token, or part of a smiley, or around an area code.
    # PTBTokenizer writes a blank inside a token as a no-break space.
    token = token.replace("(", "-lrb-").replace(")", "-rrb-")
    return [token.replace(" ", "\u00a0")]
