"""Which words mean the same: WordNet 3.0, or a source that the user brings."""

import contextlib
import functools
import itertools
from collections.abc import Callable, Hashable, Iterable, Mapping
from typing import Any, Protocol

from ..checks import shorten
from ..text_checks import is_iterable
from ..word_cache import WordCache
from .wordnet import WordNetTable, default_table


class Synonyms(Protocol):
    """A source of synonyms: two words mean the same if they share an identifier.

    Attributes:
        name: What the signature of a metric calls it.
    """

    name: str

    def synsets(self, word: str) -> frozenset[Hashable]:
        """The identifiers of a word."""


def as_synonyms(source: Any = None, *, merge_parts_of_speech: bool = False) -> Synonyms:
    """A source of synonyms from what a user gives as `synonyms`.

    Args:
        source: `None` or "wordnet" for the table of this package; NLTK's WordNet reader
            or another object with its `synsets(word)`; a mapping from words to lists of
            identifiers; or a function from a word to such a list. Words come as the
            metric has them, mostly in lower case.
        merge_parts_of_speech: As of `WordNetTable`; for "wordnet" only.
    Raises:
        ValueError: If the source is another string.
        TypeError: If the source is none of these.
    Example:
        >>> synonyms = as_synonyms({"car": [1], "automobile": [1, 2]})
        >>> synonyms.synsets("car") & synonyms.synsets("automobile")
        frozenset({1})
    """
    if source is None or (isinstance(source, str) and source == "wordnet"):
        return default_table(merge_parts_of_speech)
    if isinstance(source, WordNetTable | ReaderSynonyms | CustomSynonyms):
        return source
    if callable(getattr(source, "synsets", None)):
        return ReaderSynonyms(source)
    if isinstance(source, Mapping):
        return CustomSynonyms(functools.partial(_look_up, source))
    if callable(source):
        return CustomSynonyms(source)
    error = ValueError if isinstance(source, str) else TypeError
    raise error(
        "`synonyms` must be 'wordnet', a WordNet reader of NLTK, or a mapping or "
        "function from a word to a list of identifiers. Received: "
        f"synonyms={shorten(source)}"
    )


def as_lemmas(source: Any = None) -> Callable[[str], frozenset[str]]:
    """The function word -> words of its synsets, which the METEOR of NLTK takes.

    Args:
        source: As of `as_synonyms`, but only WordNet lists the words of a synset.
    Raises:
        ValueError: If the source does not list them.
        TypeError: If the source is none of those of `as_synonyms`.
    Example:
        >>> sorted(as_lemmas("wordnet")("motorcars"))
        ['auto', 'automobile', 'car', 'machine', 'motorcar']
    """
    synonyms = as_synonyms(source)
    if isinstance(synonyms, WordNetTable | ReaderSynonyms):
        return synonyms.lemmas
    raise ValueError(
        "`synonyms` must be 'wordnet' or a WordNet reader of NLTK: the METEOR of NLTK "
        f"needs the words of each synset. Received: synonyms={shorten(source)}"
    )


class ReaderSynonyms:
    """Synonyms from NLTK's WordNet reader, or an object with its methods.

    Args:
        reader: Object with `synsets(word)`, as `nltk.corpus.wordnet`.
    """

    name = "nltk"

    def __init__(self, reader: Any):
        self._reader = reader
        self._synsets = WordCache(self._find_synsets)
        self._lemmas = WordCache(self._find_lemmas)

    def synsets(self, word: str) -> frozenset[Hashable]:
        """Part of speech and offset of each synset of a word."""
        return self._synsets[word]

    def lemmas(self, word: str) -> frozenset[str]:
        """The single words in the synsets of a word."""
        return self._lemmas[word]

    def _find_synsets(self, word):
        synsets = self._reader.synsets(word)
        return frozenset((synset.pos(), synset.offset()) for synset in synsets)

    def _find_lemmas(self, word):
        synsets = self._reader.synsets(word)
        names = itertools.chain.from_iterable(own.lemma_names() for own in synsets)
        return frozenset(name for name in names if "_" not in name)


def _look_up(mapping, word):
    return mapping.get(word, ())


class CustomSynonyms:
    """Synonyms from a function.

    Args:
        find: Function from a word to its identifiers.
    """

    name = "custom"

    def __init__(self, find: Callable[[str], Iterable[Hashable]]):
        self._find = find
        self._synsets = WordCache(self._find_synsets)

    def synsets(self, word: str) -> frozenset[Hashable]:
        """The identifiers of a word.

        Raises:
            TypeError: If the source has something else for the word.
        """
        return self._synsets[word]

    def _find_synsets(self, word):
        identifiers = self._find(word)
        if is_iterable(identifiers) and not isinstance(identifiers, str):
            with contextlib.suppress(TypeError):  # of what cannot be hashed
                return frozenset(identifiers)
        raise TypeError(
            "`synonyms` must give a list of identifiers for a word. Received for "
            f"{shorten(word)}: {shorten(identifiers)}"
        )
