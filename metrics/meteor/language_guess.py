"""Notices text that is scored in the wrong language."""

import collections
import itertools
import pathlib
import re
from collections.abc import Iterable

from ..base import Text
from .constants import ALIASES, LANGUAGES, function_words

_WORD = re.compile(r"[^\W\d_]+")
# Heuristic: fewer words say little, and more say no more.
_FEWEST, _MOST = 40, 2_000
# Heuristic: in text of a language a third of the words and more are in its list. Half
# of that, and twice as many as in the list of the assumed one, is another language.
_SHARE, _TIMES = 0.15, 2.0


def language_of_table(path: object) -> str | None:
    """The language that the name of a table of paraphrases says, if it is one of those
    of METEOR.

    Example:
        >>> language_of_table("data/paraphrase-en.gz"), language_of_table("own.gz")
        ('en', None)
    """
    named = re.fullmatch(r"paraphrase-([a-z]{2})(\.gz)?", pathlib.Path(str(path)).name)
    code = ALIASES.get(named[1], named[1]) if named else None
    return code if code in LANGUAGES else None


def other_language(texts: Iterable[Text], assumed: str) -> str | None:
    """The language that texts look like, if it is clearly not the assumed one.

    Only languages with a list of function words are told apart.

    Args:
        texts: Texts, or lists of tokens.
        assumed: Two letters, a key of `LANGUAGES`.
    Returns:
        Two letters, or None if the texts may be of the assumed language.
    """
    plain = (text if isinstance(text, str) else " ".join(text) for text in texts)
    words = (word for text in plain for word in _WORD.findall(text.lower()))
    counts = collections.Counter(itertools.islice(words, _MOST))
    total = counts.total()
    if total < _FEWEST:
        return None
    shares = {
        code: sum(counts[word] for word in listed) / total
        for code, language in LANGUAGES.items()
        if (listed := function_words(language.name))
    }
    if assumed not in shares:
        return None
    best = max(shares, key=shares.__getitem__)
    is_other = shares[best] > max(_SHARE, _TIMES * shares[assumed])
    return best if is_other and best != assumed else None
