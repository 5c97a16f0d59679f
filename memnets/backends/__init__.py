"""What a layer does in another way on each backend."""

import importlib

import keras

from ..numerics.tensor_checks import Structure, Tensor

__all__ = ["of_one_batch"]


def of_one_batch(sequences: Tensor, states: Structure) -> tuple[Tensor, Structure]:
    """The sequences and the states. It is an error if they have other batch sizes, also
    where a graph is made that does not know these sizes yet.

    Args:
        sequences: Tensor `(B, T, features)`.
        states: A structure of tensors `(B, size)`, checked where B is known.
    """
    if keras.backend.backend() != "tensorflow":
        return sequences, states  # Elsewhere all sizes are known.
    backend = importlib.import_module(f"{__name__}.tensorflow_batches")
    return backend.of_one_batch(sequences, states)
