"""A model that sees few shapes, where sequences of many lengths come."""

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    import keras

# Heuristic: so many shapes up to twice a number of steps. Each is compiled, in seconds;
# with more, less is computed for nothing.
SHAPES_AN_OCTAVE = 8


class FewShapes:
    """A Keras model whose inputs are padded to one of few shapes, and its outputs cut.

    It is for models that take steps of zeros after a sequence for padding.

    Args:
        model: The model, with an output at every step.
    """

    def __init__(self, model: "keras.Model") -> None:
        self._model = model
        self._rows: dict[int, int] = {}

    def predict_on_batch(self, inputs: np.ndarray) -> np.ndarray:
        """The outputs of the model for inputs `(B, T, features)`."""
        rows, steps = inputs.shape[:2]
        width = max(1, 2 ** (steps.bit_length() - 1) // SHAPES_AN_OCTAVE)
        most = -(-steps // width) * width
        # Shorter sequences come in larger batches, so the first one is the largest.
        count = self._rows.setdefault(most, rows)
        pieces = []
        for start in range(0, rows, count):
            piece = inputs[start : start + count]
            wider = [(0, count - len(piece)), (0, most - steps), (0, 0)]
            outputs = self._model.predict_on_batch(np.pad(piece, wider))
            pieces.append(np.asarray(outputs)[: len(piece), :steps])
        return np.concatenate(pieces)
