"""Vectors of words: neighbours, analogies, similarity, and an embedding for Keras."""

import difflib
import os
from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

import numpy as np

from ..checks import check_boolean, check_integer, shorten
from . import analogies, similarity
from .analogies import AnalogyScore
from .similarity import SimilarityScore
from .text import Path
from .vector_files import read_vectors, write_vectors

if TYPE_CHECKING:
    import keras

Words = str | Iterable[str]


class WordVectors:
    """Words and their vectors.

    Args:
        words: The words, the most frequent first, V of them.
        values: Their vectors, `(V, D)`.
    Attributes:
        words: The words.
        values: float32 `(V, D)`.
    Raises:
        ValueError: If the numbers of words and of vectors differ, a word occurs twice,
            or a value is not finite.
    Example:
        >>> vectors = WordVectors(["up", "down", "high"], [[0, 1], [0, -1], [0.1, 2]])
        >>> vectors.most_similar("up", n=1)
        [('high', 0.9987523555755615)]
    """

    def __init__(self, words: Iterable[str], values: Any) -> None:
        self.words = list(words)
        self.values = np.array(values, np.float32)
        if self.values.ndim != 2 or len(self.values) != len(self.words):
            raise ValueError(
                f"`values` must have the shape (words, size), here ({len(self.words)}, "
                f"size). Received: shape {self.values.shape}"
            )
        if not np.isfinite(self.values).all():
            raise ValueError("`values` must be finite numbers.")
        self._numbers = {word: number for number, word in enumerate(self.words)}
        if len(self._numbers) < len(self.words):
            raise ValueError("`words` must be different words.")

    @classmethod
    def load(cls, path: Path, limit: int | None = None) -> "WordVectors":
        """Reads a file of vectors: text as of GloVe, word2vec and fastText, or
        word2vec's binary form.

        The first vector of a word that is there twice is kept, with a warning.

        Args:
            path: The file, also gzipped, or `-`, standard input. Text is in UTF-8: a
                word and its numbers in each line, with blanks between them, with or
                without word2vec's first line.
            limit: Read so many vectors, those of the most frequent words; all if None.
        Raises:
            ValueError: If it cannot be read, or a row has another number of numbers or
                a value that is no finite number; the message names the line.
        """
        return cls(*read_vectors(path, limit))

    def save(
        self, path: Path, *, header: bool = False, overwrite: bool = False
    ) -> None:
        """Writes a text file that `load`, GloVe's own programs and gensim read. All
        values are read back exactly.

        Args:
            path: The file; gzipped if its name ends in .gz.
            header: Whether to begin with the number of words and the size, as word2vec
                does.
            overwrite: Whether to replace word vectors that are there; another file is
                never replaced.
        Raises:
            ValueError: If a word could not be read back: it is empty, or has a line end
                or a blank at its begin or end, or one where the format allows none; or
                if `path` is a file of another kind.
            OSError: If it cannot be written; an old file stays as it is.
        """
        if os.path.lexists(path):
            self._check_replaceable(path, overwrite)
        write_vectors(path, self.words, self.values, header=header)

    @staticmethod
    def _check_replaceable(path: Path, overwrite: bool) -> None:
        """Raises ValueError if a file must not be replaced."""
        rule = "`path` must be a new file, or with `overwrite` one of word vectors. "
        check_boolean("overwrite", overwrite)
        if not overwrite or not os.path.isfile(path):
            raise ValueError(f"{rule}Received: path={shorten(str(path))}")
        try:
            read_vectors(path, 1)
        except ValueError as error:
            raise ValueError(f"{rule}Received another file: {error}") from None

    def __len__(self) -> int:
        """Number of words, V."""
        return len(self.words)

    def __contains__(self, word: object) -> bool:
        return word in self._numbers

    def __getitem__(self, word: str) -> np.ndarray:
        """The vector of a word, `(D,)`."""
        return self.values[self.number(word)]

    @property
    def size(self) -> int:
        """Numbers of a vector, D."""
        return self.values.shape[1]

    def number(self, word: str) -> int:
        """The row of a word.

        Raises:
            ValueError: If it has no vector.
        """
        if word not in self._numbers:
            others = (word.lower(), word.capitalize(), word.upper())
            known = [other for other in others if other in self._numbers]
            known = known or self._like(word)
            hint = f" There is one of {shorten(known[0])}." if known else ""
            raise ValueError(
                f"There is no vector of the word {shorten(word)}.{hint} Words of few "
                "occurrences are left out of a training, see `min_count`."
            )
        return self._numbers[word]

    def _like(self, word: str) -> list[str]:
        """The most similar spelling, among those that begin alike: all words would take
        seconds."""
        alike = (other for other in self.words if other[:1] == word[:1])
        near = [other for other in alike if abs(len(other) - len(word)) <= 2]
        return difflib.get_close_matches(word, near, n=1)

    def find(self, word: str) -> int | None:
        """The row of a word, or of it in lower case, as lists of questions have
        capitals; None if neither has a vector."""
        return self._numbers.get(word, self._numbers.get(word.lower()))

    def units(self) -> np.ndarray:
        """The vectors, each divided by its length, `(V, D)`; a zero vector stays."""
        lengths = np.linalg.norm(self.values, axis=1, keepdims=True)
        return self.values / np.where(lengths > 0, lengths, 1)

    def most_similar(
        self, positive: Words, negative: Words = (), n: int = 10
    ) -> list[tuple[str, float]]:
        """The words whose vectors have the largest cosine with a sum of vectors.

        Args:
            positive: A word, or words to add, each with a vector of length 1.
            negative: A word, or words to subtract.
            n: Number of results; the words given are none.
        Returns:
            Words and cosines, the largest first.
        Raises:
            ValueError: If no word is given, one has no vector, or n is not positive.
        """
        check_integer("n", n)
        given = [
            ([words] if isinstance(words, str) else list(words))
            for words in (positive, negative)
        ]
        if not any(given):
            raise ValueError("`positive` must be at least one word. Received: none")
        added, subtracted = ([self.number(word) for word in words] for words in given)
        units = self.units()
        target = units[added].sum(axis=0) - units[subtracted].sum(axis=0)
        length = np.linalg.norm(target)
        cosines = units @ (target / (length if length > 0 else 1))
        cosines[[*added, *subtracted]] = -np.inf
        order = np.argsort(-cosines, kind="stable")[:n]
        return [(self.words[i], float(cosines[i])) for i in order if cosines[i] > -2]

    def analogies(
        self,
        path: Path,
        *,
        vocabulary: int | None = 30_000,
        method: str = "3cosadd",
        confidence: float | None = 0.95,
    ) -> AnalogyScore:
        """Answers questions "a is to b as c is to ?".

        The answer is the word, none of a, b and c, with the largest cos(x, b) -
        cos(x, a) + cos(x, c) (3CosAdd), or cos(x, b) cos(x, c) / (cos(x, a) + 0.001)
        with cosines moved to 0 to 1 (3CosMul). A word that has no vector is looked up
        in lower case.

        Args:
            path: Questions as those of questions-words.txt: a line `: name` begins a
                section, other lines have four words.
            vocabulary: Use so many of the most frequent words only; all if None.
            method: "3cosadd" or "3cosmul".
            confidence: Of the interval; None for none.
        Raises:
            ValueError: If the file cannot be read or a line is not a question, or an
                argument is out of range.
        Reference:
            Mikolov, Chen, Corrado, Dean (2013), arXiv:1301.3781; Levy, Goldberg (2014),
            Linguistic Regularities in Sparse and Explicit Word Representations.
        """
        return analogies.score(
            self.units(),
            self.find,
            path,
            vocabulary=vocabulary,
            method=method,
            confidence=confidence,
        )

    def similarity(
        self, path: Path, *, confidence: float | None = 0.95
    ) -> SimilarityScore:
        """Correlates cosines with what people say how similar two words are.

        Each number of the vectors is first normalised over the vocabulary, as in
        section 4.3 of the paper. Chosen: to mean 0 and deviation 1, the paper leaves
        that open. A word that has no vector is looked up in lower case.

        Args:
            path: Two words and a number in each line, with tabs, commas or blanks
                between them, as WordSim-353 has it; or SimLex-999 with its first line.
                Lines that begin with # are left out.
            confidence: Of the interval; None for none.
        Raises:
            ValueError: If the file cannot be read or a line is not a pair.
        Reference:
            Pennington, Socher, Manning (2014), GloVe, section 4.3.
        """
        return similarity.score(self.values, self.find, path, confidence=confidence)

    def embedding(
        self, vocabulary: Iterable[str], *, trainable: bool = True, seed: int = 1
    ) -> "keras.layers.Embedding":
        """A Keras layer that begins with the vectors of a vocabulary.

        Args:
            vocabulary: The word of each token, in the order of the tokens. A word
                without a vector gets a random one, normal, with the mean and the
                deviation of each number over all vectors.
            trainable: Whether training changes the vectors.
            seed: Seed of the random vectors.
        Returns:
            A built layer, `(B, T)` tokens to `(B, T, D)`.
        Raises:
            ValueError: If the vocabulary is empty, or no word of it has a vector.
        """
        import keras

        words = list(vocabulary)
        numbers = [self._numbers.get(word, -1) for word in words]
        if max(numbers, default=-1) < 0:
            raise ValueError(
                "`vocabulary` must have words with a vector. "
                f"Received: {len(words)} words, none of which has one"
            )
        rng = np.random.default_rng(seed)
        rows = rng.normal(
            self.values.mean(axis=0), self.values.std(axis=0), (len(words), self.size)
        ).astype(np.float32)
        known = np.array(numbers) >= 0
        rows[known] = self.values[[number for number in numbers if number >= 0]]
        layer = keras.layers.Embedding(len(words), self.size, trainable=trainable)
        layer.build((None, None))
        layer.set_weights([rows])
        return layer
