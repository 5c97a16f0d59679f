"""The stemmers by name. The package of a stemmer is imported on first use."""

import functools
import gzip
import importlib
import importlib.metadata
import os
from collections.abc import Callable, Sequence
from typing import Any

from ..checks import check_choice, shorten
from ..signatures import file_digest
from ..text_checks import check_choice_or_function
from .word_cache import WordCache

Stemmer = Callable[[str], str]

STEMMERS = ("snowball", "porter")

SNOWBALL_LANGUAGES = (
    "arabic armenian basque catalan danish dutch english finnish french german greek "
    "hindi hungarian indonesian irish italian lithuanian nepali norwegian portuguese "
    "romanian russian serbian spanish swedish tamil turkish yiddish"
).split()


def get_stemmer(stemmer: str | Stemmer, language: str = "english") -> Stemmer:
    """Returns a stemmer with a cache of the words it has seen.

    "snowball" is Snowball (for English also known as Porter2), in the pure Python of
    `snowballstemmer` 2.2. Version 3, NLTK and PyStemmer have other rules. The stems
    equal those of METEOR 1.5, with a few exceptions where its older rules differ:
    German -nisse, French ë and ï, Russian ё, and rare words in Danish, Finnish and
    Hungarian.

    "porter" is NLTK's variant of Porter's stemmer, which NLTK's METEOR uses. The first
    use imports NLTK, which takes one or two seconds.

    Args:
        stemmer: "snowball", "porter", or a function from a word to its stem.
        language: Language of "snowball": its English name, in lower case.
    Returns:
        A function from a word to its stem.
    Raises:
        ValueError: If there is no stemmer of this name, or none for the language.
        TypeError: If `stemmer` is neither a name nor a function. When stemming: if the
            function does not return a string.
        ImportError: If the package of the stemmer is missing, or has another version.
    Reference:
        Porter (1980), An algorithm for suffix stripping; Porter (2001), Snowball.
    Example:
        >>> stem = get_stemmer("snowball")
        >>> stem("realization"), stem("realize")
        ('realiz', 'realiz')
    """
    check_stemmer(stemmer)
    if callable(stemmer):
        return WordCache(functools.partial(_checked_stem, stemmer)).__getitem__
    if stemmer == "snowball":
        return WordCache(Snowball(language)).__getitem__
    if language != "english":
        raise ValueError(
            "`language` must be 'english' with the stemmer 'porter'. Received: "
            f"language={shorten(language)}"
        )
    from nltk.stem.porter import PorterStemmer

    return WordCache(PorterStemmer().stem).__getitem__


def check_stemmer(stemmer: str | Stemmer) -> None:
    """Checks that `get_stemmer` accepts a stemmer.

    Raises:
        ValueError: If there is no stemmer of this name.
        TypeError: If it is neither a name nor a function.
    """
    check_choice_or_function(
        "stemmer", stemmer, STEMMERS, "a function from a word to its stem"
    )


def _checked_stem(stemmer: Stemmer, word: str) -> str:
    stem = stemmer(word)
    if not isinstance(stem, str):
        raise TypeError(
            f"`stemmer` must return a string for a word. Received for {shorten(word)}: "
            f"{shorten(stem)}"
        )
    return stem


class Snowball:
    """The Snowball stemmer of a language. `get_stemmer` returns it with a cache.

    Args:
        language: English name of the language in lower case, such as "french".
    Raises:
        ValueError: If there is no stemmer for the language.
        ImportError: If `snowballstemmer` is missing, or does not have version 2.
    """

    def __init__(self, language: str) -> None:
        check_choice("language", language, SNOWBALL_LANGUAGES)
        _check_snowball()
        self.language = language
        module = importlib.import_module(f"snowballstemmer.{language}_stemmer")
        program = getattr(module, f"{language.title()}Stemmer")
        self._program = type(program.__name__, (QuickSearch, program), {"tables": {}})

    def __call__(self, word: str) -> str:
        # A program stores the word it works on. A new program for each word makes this
        # object safe to share between threads.
        return self._program().stemWord(word)

    def __reduce__(self) -> tuple[Any, ...]:
        return Snowball, (self.language,)


class StemTable:
    """A stemmer that looks words up, such as that of METEOR 1.5 for Arabic.

    Each line of the table is a word, a number, and its stem; what follows is ignored. A
    word that is not in the table is its own stem. The signature of a metric has the
    first digits of the SHA-256 sum of the file.

    Args:
        path: The table, compressed with gzip if its name ends in .gz. That of Arabic,
            in the reduced transliteration of Buckwalter, is
            `stem/arabic-buckwalter-reduced.gz` in meteor-1.5.jar, a zip archive. (The
            program gives another stem to 2,209 of its 590,042 words, whose hash codes
            collide.)
    Raises:
        OSError: If the file cannot be read.
        ValueError: If a line has fewer than three columns.
    """

    def __init__(self, path: str | os.PathLike[str]) -> None:
        self.path = os.fspath(path)
        self._stems: dict[str, str] = {}
        opener: Any = gzip.open if self.path.endswith(".gz") else open
        with opener(self.path, "rt", encoding="utf-8") as lines:
            for number, line in enumerate(lines, start=1):
                columns = line.split()
                if len(columns) < 3:
                    raise ValueError(
                        f"Line {number} of {self.path!r} must be a word, a number and "
                        f"a stem. Received: {shorten(line)}"
                    )
                self._stems[columns[0]] = columns[2]
        self.signature = f"StemTable-{file_digest(self.path)}"

    def __call__(self, word: str) -> str:
        return self._stems.get(word, word)


class QuickSearch:
    """A mixin for a program of `snowballstemmer` that finds endings in half the time.

    The program compares letter by letter. The mixin looks up endings in a dictionary,
    the longest first. Lists with a condition on an ending are left to the program.
    """

    tables: dict[int, tuple]
    current: str
    cursor: int
    limit: int
    limit_backward: int

    def find_among(self, entries: Sequence[Any]) -> int:
        """Finds the longest entry after the cursor and returns its number, or 0."""
        results, lengths = self._table(entries)
        if results is None:
            program: Any = super()
            return program.find_among(entries)
        start = self.cursor
        for length in lengths:
            end = start + length
            if end <= self.limit and (found := results.get(self.current[start:end])):
                self.cursor = end
                return found
        return 0

    def find_among_b(self, entries: Sequence[Any]) -> int:
        """Finds the longest entry before the cursor and returns its number, or 0."""
        results, lengths = self._table(entries)
        if results is None:
            program: Any = super()
            return program.find_among_b(entries)
        end = self.cursor
        for length in lengths:
            start = end - length
            if start >= self.limit_backward and (
                found := results.get(self.current[start:end])
            ):
                self.cursor = start
                return found
        return 0

    def _table(self, entries: Sequence[Any]) -> tuple[dict[str, int] | None, list[int]]:
        # The key is the identity of the list: the lists are attributes of the program's
        # class and are never freed.
        table = self.tables.get(id(entries))
        if table is None:
            results: dict[str, int] | None
            results = {entry.s: entry.result for entry in entries}
            lengths = sorted({len(text) for text in results}, reverse=True)
            if any(entry.method for entry in entries):
                results = None
            table = self.tables[id(entries)] = results, lengths
        return table


def _check_snowball() -> None:
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
