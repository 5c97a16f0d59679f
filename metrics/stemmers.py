"""Stemmers by name; their packages are imported when one is asked for."""

import importlib
import importlib.metadata
from collections.abc import Callable

from metrics.checks import check_choice, shorten
from metrics.word_cache import WordCache

STEMMERS = ("snowball", "porter")

SNOWBALL_LANGUAGES = (
    "arabic armenian basque catalan danish dutch english finnish french german greek "
    "hindi hungarian indonesian irish italian lithuanian nepali norwegian portuguese "
    "romanian russian serbian spanish swedish tamil turkish yiddish"
).split()


def get_stemmer(
    stemmer: str | Callable[[str], str], language: str = "english"
) -> Callable[[str], str]:
    """A stemmer that remembers the words it has seen.

    "snowball" is Snowball (for English also known as Porter2) in the pure Python of
    `snowballstemmer` 2.2: version 3 and NLTK's have other rules, and PyStemmer those of
    its own version. The stems are those of METEOR 1.5, but for a few words that its
    older programs treat in another way: German -nisse, French ë and ï, Russian ё, and
    rare ones in Danish, Finnish and Hungarian.

    "porter" is NLTK's variant of Porter's stemmer, which NLTK's METEOR uses. The first
    use imports NLTK, which takes a second or two.

    Args:
        stemmer: "snowball", "porter", or a function of a word.
        language: Language of "snowball", by its English name.
    Returns:
        A function from a word to its stem.
    Raises:
        ValueError: If there is no such stemmer, or not for the language.
        ImportError: If the package of the stemmer is missing, or of another version.
    Reference:
        Porter (1980), An algorithm for suffix stripping; Porter (2001), Snowball.
    Example:
        >>> stem = get_stemmer("snowball")
        >>> stem("realization"), stem("realize")
        ('realiz', 'realiz')
    """
    if callable(stemmer):
        return WordCache(stemmer).__getitem__
    if stemmer not in STEMMERS:
        raise ValueError(
            "`stemmer` must be 'snowball', 'porter' or a function from a word to its "
            f"stem. Received: stemmer={shorten(stemmer)}"
        )
    if stemmer == "snowball":
        return WordCache(Snowball(language)).__getitem__
    if language != "english":
        raise ValueError(
            "`language` must be 'english' with the stemmer 'porter'. Received: "
            f"language={shorten(language)}"
        )
    from nltk.stem.porter import PorterStemmer

    return WordCache(PorterStemmer().stem).__getitem__


class Snowball:
    """The Snowball stemmer of a language; prefer `get_stemmer`, which remembers.

    Args:
        language: Language by its English name, as "french".
    Raises:
        ValueError: If there is no such language.
        ImportError: If `snowballstemmer` is missing, or not of version 2.2.
    """

    def __init__(self, language: str):
        check_choice("language", language, SNOWBALL_LANGUAGES)
        _check_snowball()
        module = importlib.import_module(f"snowballstemmer.{language}_stemmer")
        self._program = getattr(module, f"{language.title()}Stemmer")

    def __call__(self, word: str) -> str:
        # A program holds the word it works on: one for each word lets threads share.
        return self._program().stemWord(word)


def _check_snowball():
    try:
        version = importlib.metadata.version("snowballstemmer")
    except importlib.metadata.PackageNotFoundError:
        version = "none"
    if not version.startswith("2."):
        raise ImportError(
            "The stemmer 'snowball' needs the package snowballstemmer 2.2, because "
            "version 3 changed the stems: pip install 'snowballstemmer>=2.2,<3'. "
            f"Installed: {version}"
        )
