"""Document frequencies of a corpus that is too long for a `Counter`, in files.

A part is counted on its own (`part_counts`), and the counts of all parts are added
range by range, so that memory stays small (`write_table`). An n-gram is known by a hash
of 64 bits: of 10^8 different n-grams, two have the same one with a probability of
0.0003.
"""

import abc
import dataclasses
import hashlib
import itertools
import os
import pathlib
from collections.abc import Iterable, Iterator, Sequence
from typing import Any, NamedTuple, Self

import numpy as np

from ..ngrams import Tokens
from .document_frequency import Ngram

# Any odd number with about as many ones as zeros; chosen: 2^64 / the golden ratio.
_FACTOR = np.uint64(0x9E3779B97F4A7C15)

# N-grams that are added at a time.
_RANGE = 1_000_000


class Counts(NamedTuple):
    """Document frequencies of a part of a corpus.

    Attributes:
        hashes: Hashes of n-grams, in order, uint64.
        counts: Number of documents with each, uint32.
        documents: Number of documents that were counted.
    """

    hashes: np.ndarray
    counts: np.ndarray
    documents: int


class CountsDocuments(abc.ABC):
    """A metric that may depend on the document frequencies of the whole corpus."""

    @property
    @abc.abstractmethod
    def is_fitted(self) -> bool:
        """Whether it knows them already."""

    @abc.abstractmethod
    def document_counts(self, references: Sequence[Sequence[Any]]) -> Counts:
        """The counts of a part of the corpus, of checked references."""

    @abc.abstractmethod
    def fitted_by(
        self,
        table: "DocumentTable",
        references: Sequence[Sequence[Any]],
        hypotheses: Sequence[Any],
    ) -> Self:
        """The metric with the frequencies of the n-grams of some segments."""


class _Ngrams:
    """The n-grams of some texts, as hashes."""

    def __init__(self, texts: Sequence[Tokens], max_order: int) -> None:
        self._tokens = [token for text in texts for token in text]
        self._max_order = max_order
        self._text = np.repeat(np.arange(len(texts)), list(map(len, texts)))
        words = {word: _hash(word) for word in set(self._tokens)}
        self._words = np.array([words[t] for t in self._tokens], dtype=np.uint64)

    def orders(self) -> Iterator[tuple[int, np.ndarray, np.ndarray, np.ndarray]]:
        """For each order: itself; hash, start and number of the text of all n-grams."""
        hashes = self._words
        for order in range(1, self._max_order + 1):
            if order > 1:  # arrays of uint64 wrap around
                hashes = hashes[:-1] * _FACTOR + self._words[order - 1 :]
            size = len(hashes)
            if not size:
                return
            is_one = self._text[:size] == self._text[order - 1 :]
            yield (
                order,
                hashes[is_one],
                np.flatnonzero(is_one),
                self._text[:size][is_one],
            )

    def ngram(self, start: int, order: int) -> Ngram:
        """The tokens of one of them."""
        return tuple(self._tokens[start : start + order])


def _hash(word: str) -> int:
    # The same in every process, which `hash` is not.
    data = word.encode("utf-8", "surrogatepass")
    return int.from_bytes(hashlib.blake2b(data, digest_size=8).digest(), "little")


def part_counts(references: Sequence[Sequence[Tokens]], max_order: int) -> Counts:
    """Counts the documents of a part with each n-gram, see `count_documents`.

    Args:
        references: The tokens of all references of each segment.
        max_order: Largest n.
    """
    document = np.repeat(np.arange(len(references)), list(map(len, references)))
    ngrams = _Ngrams([text for own in references for text in own], max_order)
    found = [np.zeros(0, np.uint64)]
    for _, hashes, _, texts in ngrams.orders():
        documents = document[texts]
        order = np.lexsort((hashes, documents))
        hashes, documents = hashes[order], documents[order]
        is_new = np.ones(len(hashes), dtype=bool)
        is_new[1:] = (np.diff(hashes) != 0) | (np.diff(documents) != 0)
        found.append(hashes[is_new])
    hashes, counts = np.unique(np.concatenate(found), return_counts=True)
    return Counts(hashes, counts.astype(np.uint32), len(references))


def added_counts(parts: Iterable[Counts]) -> Counts:
    """The sum of the counts of parts."""
    all_hashes, all_counts, documents = zip(*parts, strict=True)
    hashes, places = np.unique(np.concatenate(all_hashes), return_inverse=True)
    counts = np.bincount(places, np.concatenate(all_counts), len(hashes))
    return Counts(hashes, counts.astype(np.uint32), sum(documents))


def streamed_counts(parts: Iterable[Counts]) -> Counts:
    """The sum of the counts of parts, of which few are in memory at a time."""
    sums: list[Counts] = []
    for part in parts:
        sums.append(part)
        while len(sums) > 1 and 2 * len(sums[-1].hashes) > len(sums[-2].hashes):
            sums[-2:] = [added_counts(sums[-2:])]
    return added_counts(sums)


@dataclasses.dataclass(frozen=True)
class DocumentTable:
    """Document frequencies in files, which several processes read.

    Attributes:
        folder: Where the files are.
        size: Number of n-grams in it, those that more than one document has.
        documents: Number of documents that were counted.
    """

    folder: str
    size: int
    documents: int

    def frequencies(
        self, texts: Sequence[Tokens], max_order: int
    ) -> dict[Ngram, float]:
        """The frequencies of those n-grams of some texts that several documents have.

        Args:
            texts: Tokens of the texts.
            max_order: Largest n.
        Raises:
            OSError: If the files are not there.
        """
        if not self.size:
            return {}
        hashes, counts = (
            np.memmap(path, kind, "r") for path, kind in _files(self.folder)
        )
        ngrams = _Ngrams(texts, max_order)
        found: dict[Ngram, float] = {}
        for order, own, starts, _ in ngrams.orders():
            own, first = np.unique(own, return_index=True)
            places = np.minimum(np.searchsorted(hashes, own), self.size - 1)
            known = hashes[places] == own
            for start, count in zip(
                starts[first[known]].tolist(),
                counts[places[known]].tolist(),
                strict=True,
            ):
                found[ngrams.ngram(start, order)] = count
        return found


def write_table(
    folder: str | os.PathLike[str], parts: Iterable[Counts]
) -> DocumentTable:
    """Adds the counts of the parts of a corpus and writes them into an empty folder.

    Args:
        folder: The folder, with room for 12 bytes an n-gram of each part.
        parts: The counts of the parts, read once.
    """
    where = pathlib.Path(folder)
    files, size, documents, written = [], 0, 0, 0
    for number, part in enumerate(parts):
        files.append((where / f"{number}.hashes.npy", where / f"{number}.counts.npy"))
        for path, array in zip(files[-1], part[:2], strict=True):
            np.save(path, array)
        size += len(part.hashes)
        documents += part.documents
    ranges = size // _RANGE + 1
    bounds = [2**64 * index // ranges for index in range(ranges + 1)]
    (hashes_file, _), (counts_file, _) = _files(folder)
    with open(hashes_file, "wb") as hashes_out, open(counts_file, "wb") as counts_out:
        for low, high in itertools.pairwise(bounds):
            found = added_counts(_slice(own, low, high) for own in files)
            several = found.counts > 1
            found.hashes[several].tofile(hashes_out)
            found.counts[several].tofile(counts_out)
            written += int(several.sum())
    for path in itertools.chain(*files):
        path.unlink()
    return DocumentTable(str(where.resolve()), written, documents)


def _files(
    folder: str | os.PathLike[str],
) -> tuple[tuple[pathlib.Path, type], tuple[pathlib.Path, type]]:
    where = pathlib.Path(folder)
    return (where / "hashes", np.uint64), (where / "counts", np.uint32)


def _slice(files: Sequence[pathlib.Path], low: int, high: int) -> Counts:
    """The counts of a part whose hashes are from `low` up to `high`."""
    hashes, counts = (np.load(path, mmap_mode="r") for path in files)
    start = np.searchsorted(hashes, np.uint64(low))
    last = np.searchsorted(hashes, np.uint64(high - 1), side="right")
    return Counts(np.array(hashes[start:last]), np.array(counts[start:last]), 0)
