"""A trained network with a decoder around it, as a Keras model.

As a Keras model it is compiled, on every backend, once for each shape of sources.
"""

from typing import Any

import keras

from .. import backends, decoders
from ..checks import check_integer, shorten
from ..decoders.base import check_decoding
from ..decoders.beam_search import check_search
from ..decoders.constraints import Constraints
from ..decoders.sampling import check_sampling
from ..numerics.tensor_checks import Structure, Tensor
from .encoder_decoder import EncoderDecoder


class _Decoder(keras.Model):
    """What the decoders share.

    Args:
        network: An `EncoderDecoder`.
        start: The token that every text is begun with.
        end: The token that ends a text.
        max_length: Most tokens of a text.
        options: Arguments of the function in `memnets.decoders`, checked.
        constraints: Those that all these functions have.
    """

    def __init__(
        self,
        network: Any,
        start: int,
        end: int,
        max_length: int,
        options: dict[str, Any],
        constraints: dict[str, Any],
    ) -> None:
        if not isinstance(network, EncoderDecoder):
            raise TypeError(
                "`network` must be a network that writes, such as a "
                f"SequenceToSequence or a Captioner. Received: {shorten(network)}"
            )
        # Half precision would round sources and random numbers.
        super().__init__(autocast=False)
        self.network = network
        self.compile(jit_compile=backends.current().compiles_decoding)
        checked = Constraints(end, **constraints)
        check_decoding(max_length, start, end, checked.min_length)
        check_integer("start", start, 0, network.target_tokens - 1)
        checked.fixed(network.target_tokens)
        self._tokens = start, end
        self.max_length = int(max_length)
        # Not the arguments themselves: a generator has been read.
        read = {name: getattr(checked, name) for name in constraints}
        self._options = options | read

    def make_predict_function(self, force: bool = False) -> Any:
        """As Keras does; a decoder for each width of sources is no mistake."""
        super().make_predict_function(force)
        backends.current().without_warning_of_many(self.predict_function)
        return self.predict_function

    def _written(self, inputs: Structure) -> decoders.Decoded:
        self.network.check_built()
        return decoders.Decoded(*self.predict_on_batch(inputs))


class Writer(_Decoder):
    """Sources in, the most probable texts out, as far as beam search finds them.

    Args:
        network: An `EncoderDecoder`, such as a `SequenceToSequence` or a `Captioner`.
        start: The token that every text is begun with.
        end: The token that ends a text.
        max_length: Most tokens of a text.
        beam_size: Hypotheses of each text that are kept.
        n_best: Texts that are written for each source.
        length_penalty: See `memnets.decoders.beam_search`.
        **constraints: Other arguments of `memnets.decoders.beam_search`: `min_length`,
            `banned`, `no_repeat_ngram`.
    Raises:
        ValueError: If a number is out of its range, or the network has no such token.
        TypeError: If there is no such argument, or `network` is something else.
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
        check_search(beam_size, n_best, length_penalty)
        options = {
            "beam_size": beam_size,
            "n_best": n_best,
            "length_penalty": length_penalty,
        }
        super().__init__(network, start, end, max_length, options, constraints)

    def call(self, sources: Tensor) -> decoders.Decoded:
        """What is written, see `memnets.decoders.Decoded`.

        Args:
            sources: What the network reads, batch first.
        """
        step, states = self.network.start(sources)
        return decoders.beam_search(
            step, states, self.max_length, *self._tokens, **self._options
        )

    def write(self, sources: Structure) -> decoders.Decoded:
        """The same as NumPy arrays, from a compiled function.

        On JAX it is compiled by XLA, on TensorFlow as a graph.
        """
        return self._written(sources)


class Sampler(_Decoder):
    """Sources in, texts drawn from the probabilities of a network out.

    Args:
        network: An `EncoderDecoder`, such as a `SequenceToSequence` or a `Captioner`.
        start: The token that every text is begun with.
        end: The token that ends a text.
        max_length: Most tokens of a text.
        temperature, top_k, top_p: See `memnets.decoders.sample`.
        **constraints: Other arguments of `memnets.decoders.sample`: `min_length`,
            `banned`, `no_repeat_ngram`.
    Raises:
        ValueError: If a number is out of its range, or the network has no such token.
        TypeError: If there is no such argument, or `network` is something else.
    """

    def __init__(
        self,
        network: Any,
        start: int,
        end: int,
        max_length: int,
        *,
        temperature: float = 1.0,
        top_k: int | None = None,
        top_p: float | None = None,
        **constraints: Any,
    ) -> None:
        check_sampling(temperature, top_k, top_p)
        options = {"temperature": temperature, "top_k": top_k, "top_p": top_p}
        super().__init__(network, start, end, max_length, options, constraints)

    def call(self, inputs: Structure) -> decoders.Decoded:
        """What is drawn, see `memnets.decoders.Decoded`.

        Args:
            inputs: What the network reads, batch first, and random numbers from 0 to 1,
                `(B, max_length)`, see `memnets.decoders.uniforms`.
        """
        sources, random = inputs
        step, states = self.network.start(sources)
        return decoders.sample(
            step, states, self.max_length, *self._tokens, random=random, **self._options
        )

    def write(self, sources: Structure, random: Tensor) -> decoders.Decoded:
        """The same as NumPy arrays, from a compiled function."""
        return self._written([sources, random])
