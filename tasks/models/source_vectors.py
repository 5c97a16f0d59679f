"""The embedding of a network begins with word vectors."""

import os
from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from ..checks import shorten
from ..vectors.word_vectors import WordVectors

if TYPE_CHECKING:
    import keras


def begin_with_vectors(
    embedding: "keras.layers.Embedding",
    words: Sequence[str | None],
    path: str | os.PathLike[str],
) -> int:
    """Gives the tokens that are whole words their word vectors.

    One factor for all vectors makes them as large as the random rows that they replace.
    A word that has no vector is looked up in lower case.

    Args:
        embedding: A built `keras.layers.Embedding`, with a row for each token.
        words: The word of each token, None for a token that is no whole word.
        path: A file that `WordVectors.load` reads.
    Returns:
        Number of tokens with a vector. All others keep their random rows.
    Raises:
        ValueError: If the file cannot be read, its vectors have another size than the
            embedding, or no word has one.
    """
    vectors = WordVectors.load(path)
    if vectors.size != embedding.output_dim:
        raise ValueError(
            f"`source_vectors` must have vectors of `embedding_size` numbers, here "
            f"{embedding.output_dim}. Received: {shorten(path)}, whose vectors have "
            f"{vectors.size}"
        )
    found = {
        token: number
        for token, word in enumerate(words)
        if word is not None and (number := vectors.find(word)) is not None
    }
    if not found:
        raise ValueError(
            "`source_vectors` must have vectors of words of the source. "
            f"Received: {shorten(path)}, with none"
        )
    tokens = list(found)
    table = np.array(embedding.get_weights()[0])
    rows = vectors.values[list(found.values())]
    table[tokens] = rows * (_length(table[tokens]) / max(_length(rows), 1e-30))
    embedding.set_weights([table])
    return len(tokens)


def _length(rows: np.ndarray) -> float:
    return float(np.linalg.norm(rows))
