"""The end-to-end memory network."""

from typing import Any

import keras

from ..checks import check_boolean, check_choice
from ..numerics.tensor_checks import Tensor
from .base import HopLayer


@keras.saving.register_keras_serializable("memnets")
class MemoryNetwork(HopLayer):
    """A network that answers a question about a list of texts.

    The question has a vector u. Each hop compares it with a vector m_i of each entry,
    reads o = sum_i p_i c_i with the attention p = softmax(u^T m), and goes on with
    u + o. The answer is a word, softmax(W u) after the last hop.

    Args:
        vocabulary_size: Number of tokens, V; token 0 is padding.
        embedding_size: Size of the vectors, d.
        hops: Number of hops, K.
        tied: Which tables of vectors are one. `"adjacent"`: what a hop reads from is
            what the next hop compares with, the first one compares with the vectors of
            the question, and W is what the last one reads from: K + 1 tables. `"layer"`
            (layer-wise): all hops share both tables, and question and W have their own.
        mapping: Whether a hop goes on with H u + o, H being a matrix that all hops
            share; if None, with `tied="layer"` only, as in the paper.
        position_encoding: Whether the order of the words of a text counts.
        rectified: Whether half of the numbers of u are rectified after each hop, as in
            the language models of the paper.
        max_entries: Ages of entries that have a vector of their own, older ones share
            the last; None if the age of an entry does not count.
        empty_memories: Share of empty memories among the entries in training. Their
            places are drawn anew for each batch. Deviation: they get no attention, they
            make the entries before them older. So the length of a story stays.
        linear_start: Batches of training at the start that are without the softmax of
            the attention. Deviation: a number; the paper waits until the loss on
            validation data stops falling.
        seed: Seed of the empty memories.
        **kwargs: Arguments of `keras.layers.Layer`.
    Call arguments:
        inputs: `(entries, question)`: integers `(B, entries, words)`, the oldest entry
            first, and `(B, words)`. Zeros are padding, at any place. An entry of zeros
            gets no attention.
    Returns:
        Logits `(B, vocabulary_size)`.
    Raises:
        ValueError: If an argument is out of its range, an input has another shape, or
            an array has a token that is not in the vocabulary.
        TypeError: If a flag is not a boolean, or an input does not hold integers.
    Reference:
        Sukhbaatar, Szlam, Weston, Fergus (2015), End-To-End Memory Networks,
        arXiv:1503.08895; `memnets.memory_networks.hops` has its equations.
    Example:
        >>> entries = np.array([[[1, 2, 0], [3, 4, 5], [0, 0, 0]]])
        >>> question = np.array([[6, 1]])
        >>> layer = MemoryNetwork(8, embedding_size=5)
        >>> tuple(layer((entries, question)).shape)
        (1, 8)
        >>> tuple(layer.trace((entries, question)).attention.shape)  # hops, entries
        (1, 3, 3)
    """

    parts = ("entries", "question")

    def __init__(
        self,
        vocabulary_size: int,
        embedding_size: int = 50,
        *,
        tied: str = "adjacent",
        mapping: bool | None = None,
        **kwargs: Any,
    ) -> None:
        super().__init__(vocabulary_size, embedding_size, **kwargs)
        self.tied = check_choice("tied", tied, ("adjacent", "layer"))
        self.has_mapping = (
            tied == "layer" if mapping is None else check_boolean("mapping", mapping)
        )

    def build_weights(self) -> None:
        count = self.hops + 1 if self.tied == "adjacent" else 2
        # Adjacent: A_1, C_1 = A_2, ..., C_K. Layer-wise: A, C.
        self.words = [self.table(f"words_{k}") for k in range(count)]
        self.by_age = [None] * count
        if self.max_entries is not None:
            self.by_age = [
                self.table(f"ages_{k}", self.max_entries) for k in range(count)
            ]
        if self.tied == "layer":
            self.questions, self.answers = (
                self.table("questions"),
                self.table("answers"),
            )
        if self.has_mapping:
            self.hop_kernel = self.table("hop_kernel", self.embedding_size)

    def key_tables(self, hop: int) -> tuple[Tensor, Tensor | None]:
        hop = hop if self.tied == "adjacent" else 0
        return self.words[hop], self.by_age[hop]

    def value_tables(self, hop: int) -> tuple[Tensor, Tensor | None]:
        hop = hop + 1 if self.tied == "adjacent" else 1
        return self.words[hop], self.by_age[hop]

    @property
    def question_table(self) -> Tensor:
        return self.words[0] if self.tied == "adjacent" else self.questions

    @property
    def answer_table(self) -> Tensor:
        return self.words[-1] if self.tied == "adjacent" else self.answers

    def mapping(self, hop: int) -> tuple[Tensor | None, bool]:
        return (self.hop_kernel if self.has_mapping else None), False

    def get_config(self) -> dict[str, Any]:
        own = {"tied": self.tied, "mapping": self.has_mapping}
        return {**super().get_config(), **own}
