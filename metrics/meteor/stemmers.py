"""Stemmers by name; their packages are imported when one is asked for."""

import functools
import importlib
import importlib.metadata
from collections.abc import Callable

from ..checks import check_choice, shorten
from ..word_cache import WordCache

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
        TypeError: When stemming, if the function does not return a string.
        ImportError: If the package of the stemmer is missing, or of another version.
    Reference:
        Porter (1980), An algorithm for suffix stripping; Porter (2001), Snowball.
    Example:
        >>> stem = get_stemmer("snowball")
        >>> stem("realization"), stem("realize")
        ('realiz', 'realiz')
    """
    check_stemmer(stemmer)
    if callable(stemmer):
        return WordCache(functools.partial(_stem_of, stemmer)).__getitem__
    if stemmer == "snowball":
        return WordCache(Snowball(language)).__getitem__
    if language != "english":
        raise ValueError(
            "`language` must be 'english' with the stemmer 'porter'. Received: "
            f"language={shorten(language)}"
        )
    from nltk.stem.porter import PorterStemmer

    return WordCache(PorterStemmer().stem).__getitem__


def check_stemmer(stemmer) -> None:
    """Checks that `get_stemmer` knows a stemmer.

    Raises:
        ValueError: If it does not.
    """
    if callable(stemmer) or (isinstance(stemmer, str) and stemmer in STEMMERS):
        return
    raise ValueError(
        "`stemmer` must be 'snowball', 'porter' or a function from a word to its "
        f"stem. Received: stemmer={shorten(stemmer)}"
    )


def _stem_of(stemmer, word):
    stem = stemmer(word)
    if not isinstance(stem, str):
        raise TypeError(
            f"`stemmer` must return a string for a word. Received for {shorten(word)}: "
            f"{shorten(stem)}"
        )
    return stem


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
        self.language = language
        module = importlib.import_module(f"snowballstemmer.{language}_stemmer")
        program = getattr(module, f"{language.title()}Stemmer")
        self._program = type(program.__name__, (QuickSearch, program), {"tables": {}})

    def __call__(self, word: str) -> str:
        # A program holds the word it works on: one for each word lets threads share.
        return self._program().stemWord(word)

    def __reduce__(self):
        return Snowball, (self.language,)


class QuickSearch:
    """Mixed into a program of `snowballstemmer`: finds endings in half the time.

    The program compares letters one by one; here endings are looked up in a dictionary,
    the longest first. Lists with conditions on an ending are left to the program.
    """

    tables: dict[int, tuple]
    current: str
    cursor: int
    limit: int
    limit_backward: int

    def find_among(self, entries):
        """What the program has for the longest entry after the cursor."""
        results, lengths = self._table(entries)
        if results is None:
            return super().find_among(entries)
        start = self.cursor
        for length in lengths:
            end = start + length
            if end <= self.limit and (found := results.get(self.current[start:end])):
                self.cursor = end
                return found
        return 0

    def find_among_b(self, entries):
        """What the program has for the longest entry before the cursor."""
        results, lengths = self._table(entries)
        if results is None:
            return super().find_among_b(entries)
        end = self.cursor
        for length in lengths:
            start = end - length
            if start >= self.limit_backward and (
                found := results.get(self.current[start:end])
            ):
                self.cursor = start
                return found
        return 0

    def _table(self, entries):
        # By identity: the lists are those of the program's class, and stay.
        table = self.tables.get(id(entries))
        if table is None:
            results = {entry.s: entry.result for entry in entries}
            lengths = sorted({len(text) for text in results}, reverse=True)
            if any(entry.method for entry in entries):
                results = None
            table = self.tables[id(entries)] = results, lengths
        return table


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
