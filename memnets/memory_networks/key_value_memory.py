"""The key-value memory network."""

from typing import Any

import keras

from ..numerics.tensor_checks import Tensor
from .base import HopLayer


@keras.saving.register_keras_serializable("memnets")
class KeyValueMemory(HopLayer):
    """A network that answers a question with a memory whose keys and values are made of
    different features of an entry.

    Each hop compares the query q with the keys, reads the values, o = sum_i p_i v_i
    with p = softmax(q^T k), and goes on with R_j (q + o), where each hop j has a matrix
    of its own. The answer is a word, softmax(B q) after the last hop. Keys, values and
    questions share one table of vectors.

    Args:
        vocabulary_size: Number of tokens, V; token 0 is padding.
        embedding_size: Size of the vectors, d.
        hops: Number of hops.
        position_encoding: Whether the order of the words of a text counts. The paper
            has sums of words.
        rectified: As in `MemoryNetwork`.
        max_entries: Ages of entries that have a vector of their own, one for keys and
            one for values; older ones share the last. None, as in the paper, if the age
            of an entry does not count.
        empty_memories: As in `MemoryNetwork`; with `max_entries` only.
        linear_start: As in `MemoryNetwork`.
        seed: Seed of the empty memories.
        **kwargs: Arguments of `keras.layers.Layer`.
    Call arguments:
        inputs: `(keys, values, question)`: integers `(B, entries, words)`, twice, whose
            numbers of words may differ, and `(B, words)`. Zeros are padding, at any
            place. An entry whose key is zeros gets no attention.
    Returns:
        Logits `(B, vocabulary_size)`.
    Raises:
        ValueError, TypeError: As `MemoryNetwork`.
    Reference:
        Miller, Fisch, Dodge, Karimi, Bordes, Weston (2016), Key-Value Memory Networks
        for Directly Reading Documents, arXiv:1606.03126, section 3.1.
    Example:
        >>> keys = np.array([[[1, 2], [3, 4]]])
        >>> values = np.array([[[5], [6]]])
        >>> layer = KeyValueMemory(8, embedding_size=5)
        >>> tuple(layer((keys, values, np.array([[1, 2]]))).shape)
        (1, 8)
    """

    parts = ("keys", "values", "question")

    def __init__(
        self,
        vocabulary_size: int,
        embedding_size: int = 50,
        *,
        hops: int = 2,
        position_encoding: bool = False,
        max_entries: int | None = None,
        **kwargs: Any,
    ) -> None:
        super().__init__(
            vocabulary_size,
            embedding_size,
            hops=hops,
            position_encoding=position_encoding,
            max_entries=max_entries,
            **kwargs,
        )

    def build_weights(self) -> None:
        self.words, self.answers = self.table("words"), self.table("answers")
        self.by_age = [None, None]
        if self.max_entries is not None:
            names = "key_ages", "value_ages"
            self.by_age = [self.table(name, self.max_entries) for name in names]
        size = self.embedding_size
        # Heuristic: a hop begins as that of `MemoryNetwork`, with q + o.
        self.hop_kernels = [
            self.add_weight(
                name=f"hop_kernel_{hop}", shape=(size, size), initializer="identity"
            )
            for hop in range(self.hops)
        ]

    def key_tables(self, hop: int) -> tuple[Tensor, Tensor | None]:
        return self.words, self.by_age[0]

    def value_tables(self, hop: int) -> tuple[Tensor, Tensor | None]:
        return self.words, self.by_age[1]

    @property
    def question_table(self) -> Tensor:
        return self.words

    @property
    def answer_table(self) -> Tensor:
        return self.answers

    def mapping(self, hop: int) -> tuple[Tensor | None, bool]:
        return self.hop_kernels[hop], True
