"""Sources of synonyms: WordNet 3.0, or a source that the user provides."""

import contextlib
import itertools
from collections.abc import Callable, Collection, Hashable, Iterable, Mapping
from typing import Any, Protocol

from ..checks import shorten
from ..signatures import words_digest
from ..text_checks import is_iterable
from ..tokenizers import tokenizer_name
from ..tokenizers.word_cache import WordCache
from .wordnet import WordNetTable, default_table


class Synonyms(Protocol):
    """A source of synonyms. Two words are synonyms if they share an identifier."""

    @property
    def name(self) -> str:
        """Its name in the signature of a metric."""

    def synsets(self, word: str) -> frozenset[Hashable]:
        """The identifiers of a word."""


class Reader(Protocol):
    """What is needed of a WordNet reader of NLTK."""

    def synsets(self, word: str) -> Iterable[Any]:
        """The synsets of a word."""


Source = str | Reader | Mapping[str, Any] | Callable[[str], Any] | None


def as_synonyms(
    source: Source = None,
    *,
    merge_parts_of_speech: bool = False,
    lowercase: bool = False,
) -> Synonyms:
    """Makes a source of synonyms from the argument `synonyms` of `METEOR`.

    Args:
        source: `None` or "wordnet" for the table of this package; NLTK's WordNet reader
            or another object with its `synsets(word)`; a mapping from words to lists of
            identifiers; or a function from a word to such a list. Two words are
            synonyms if they share an identifier. The words are tokens of the metric,
            and are looked up as they stand: inflected forms have entries of their own.
        merge_parts_of_speech: As of `WordNetTable`. It is for "wordnet" only.
        lowercase: Whether the tokens are in lower case. The words of a mapping are then
            too; a function gets them so.
    Raises:
        ValueError: If the source is another string, or a mapping gives each word a
            list of words, none of which two share.
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
        _check_identifiers(source)
        source = _in_lower_case(source) if lowercase else source
    if isinstance(source, Mapping) or callable(source):
        return CustomSynonyms(source)
    error = ValueError if isinstance(source, str) else TypeError
    raise error(
        "`synonyms` must be 'wordnet', a WordNet reader of NLTK, or a mapping or "
        "function from a word to a list of identifiers. Received: "
        f"synonyms={shorten(source)}"
    )


def _check_identifiers(source: Mapping[str, Any]) -> None:
    """Raises an error if each word has its synonyms in place of identifiers: strings
    that no two words share."""
    words = CustomSynonyms(source)
    seen: set[Hashable] = set()
    for word in source:
        identifiers = words.synsets(word)
        if seen & identifiers or not all(isinstance(one, str) for one in identifiers):
            return
        seen |= identifiers
    if seen:
        raise ValueError(
            "`synonyms` must give synonyms the same identifier, such as "
            '{"car": [1], "automobile": [1]}. Received a mapping whose words share '
            f"none: {shorten(source)}"
        )


def _in_lower_case(source: Mapping[str, Any]) -> Mapping[str, Any]:
    """A mapping from words in lower case. Two that are then the same have the
    identifiers of both."""
    if all(word == word.lower() for word in source):
        return source
    words = CustomSynonyms(source)
    lowered: dict[str, frozenset[Hashable]] = {}
    for word in source:
        own = words.synsets(word)
        lowered[word.lower()] = lowered.get(word.lower(), frozenset()) | own
    return lowered


def as_lemmas(source: Source = None) -> Callable[[str], frozenset[str]]:
    """Returns the function from a word to the words of its synsets, for preset "nltk".

    Args:
        source: As of `as_synonyms`, but only WordNet can list the words of a synset.
    Raises:
        ValueError: If the source cannot list the words of a synset.
        TypeError: If `as_synonyms` does not accept the source.
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
        reader: Object with `synsets(word)`, such as `nltk.corpus.wordnet`.
    """

    name = "nltk"

    def __init__(self, reader: Any) -> None:
        self._reader = reader
        self._synsets = WordCache(self._find_synsets)
        self._lemmas = WordCache(self._find_lemmas)

    def synsets(self, word: str) -> frozenset[Hashable]:
        """Part of speech and offset of each synset of a word."""
        return self._synsets[word]

    def lemmas(self, word: str) -> frozenset[str]:
        """The single words in the synsets of a word."""
        return self._lemmas[word]

    def _find_synsets(self, word: str) -> frozenset[Hashable]:
        synsets = self._reader.synsets(word)
        return frozenset((synset.pos(), synset.offset()) for synset in synsets)

    def _find_lemmas(self, word: str) -> frozenset[str]:
        synsets = self._reader.synsets(word)
        names = itertools.chain.from_iterable(
            synset.lemma_names() for synset in synsets
        )
        return frozenset(name for name in names if "_" not in name)


def _line(word: str, identifiers: object) -> str:
    """An entry of a mapping as text; the order of identifiers does not matter."""
    if isinstance(identifiers, Collection):
        identifiers = sorted(map(repr, identifiers))
    return f"{word}\t{identifiers}"


class CustomSynonyms:
    """Synonyms from a mapping or a function.

    Args:
        source: Mapping or function from a word to its identifiers.
    """

    def __init__(
        self,
        source: Mapping[str, Iterable[Hashable]] | Callable[[str], Iterable[Hashable]],
    ) -> None:
        self._source = source
        self._synsets = WordCache(self._find_synsets)

    @property
    def name(self) -> str:
        """The name of a function, or the first digits of the SHA-256 sum of the words
        and identifiers of a mapping."""
        if not isinstance(self._source, Mapping):
            return tokenizer_name(self._source)
        return f"custom-{words_digest(itertools.starmap(_line, self._source.items()))}"

    def synsets(self, word: str) -> frozenset[Hashable]:
        """The identifiers of a word.

        Raises:
            TypeError: If the source does not return a list of identifiers.
        """
        return self._synsets[word]

    def _find_synsets(self, word: str) -> frozenset[Hashable]:
        if isinstance(self._source, Mapping):
            identifiers = self._source.get(word, ())
        else:
            identifiers = self._source(word)
        if is_iterable(identifiers) and not isinstance(identifiers, str):
            with contextlib.suppress(TypeError):  # an identifier that is not hashable
                return frozenset(identifiers)
        raise TypeError(
            "`synonyms` must give a list of identifiers for a word. Received for "
            f"{shorten(word)}: {shorten(identifiers)}"
        )
