"""A trained network with a decoder around it, as a Keras model."""

from typing import Any

import keras

from .. import decoders
from ..checks import check_integer
from ..tensor_checks import Tensor


class Writer(keras.Model):
    """Sources in, the texts that a network writes out.

    As a Keras model it is compiled, on every backend, once for each shape of sources.

    Args:
        network: A `SequenceToSequence`.
        start: The token that every text is begun with.
        end: The token that ends a text.
        max_length: Most tokens of a text.
        beam_size: Hypotheses of each text that are kept.
        n_best: Texts that are written for each source.
        length_penalty: See `memnets.decoders.beam_search`.
        **constraints: Other arguments of `memnets.decoders.beam_search`: `min_length`,
            `banned`, `no_repeat_ngram`.
    Raises:
        ValueError: If a number is out of its range.
    """

    def __init__(
        self,
        network: Any,
        start: int,
        end: int,
        max_length: int,
        *,
        beam_size: int = 5,
        n_best: int = 1,
        length_penalty: float = 0.6,
        **constraints: Any,
    ) -> None:
        super().__init__()
        self.network = network
        # By default Keras on JAX would run it operation by operation.
        self.compile(jit_compile=keras.backend.backend() == "jax")
        self._tokens = start, end
        self._max_length = check_integer("max_length", max_length)
        self._options = {
            "beam_size": beam_size,
            "n_best": n_best,
            "length_penalty": length_penalty,
            **constraints,
        }

    def call(self, sources: Tensor) -> Any:
        """What is written, see `memnets.decoders.Decoded`.

        Args:
            sources: Tokens `(B, S)`, filled up with 0.
        """
        step, states = self.network.start(sources)
        return decoders.beam_search(
            step, states, self._max_length, *self._tokens, **self._options
        )

    def write(self, sources: Any) -> Any:
        """The same as NumPy arrays, from a compiled function.

        On JAX it is compiled by XLA, on TensorFlow as a graph.
        """
        return decoders.Decoded(*self.predict_on_batch(sources))
