"""Recurrent networks as models of text."""

import os
from typing import TYPE_CHECKING, Any

import numpy as np

from ..checks import check_integer, shorten
from ..losses.tensors import log_softmax
from ..models.keras_model import check_vocabulary
from .base import PIECE, LanguageModel, States
from .vocabulary import Vocabulary

if TYPE_CHECKING:
    import keras

    from ..contract.task import Task


class NetworkModel(LanguageModel):
    """A recurrent Keras model that puts out logits of the next token.

    A text begins with a network that has read nothing: its first character has the
    same probability as every other token. Of a run:
    `NetworkModel(run.load_model(), run.task.vocabulary)`. For the perplexity of a text,
    give what `log_probabilities` returns to `metrics.perplexity`.

    Args:
        model: A Keras model from tokens `(B, T)` to logits `(B, T, tokens)`, see
            `memnets.StreamingModel`.
        vocabulary: The characters of the tokens.
    Raises:
        TypeError, ValueError: If the model cannot be read step by step, or has another
            number of tokens.
    """

    def __init__(self, model: "keras.Model", vocabulary: Vocabulary) -> None:
        from memnets import StreamingModel

        super().__init__(vocabulary)
        if isinstance(shape := getattr(model, "output_shape", None), tuple):
            check_vocabulary(shape[-1], vocabulary.size, "`vocabulary`")
        self._stream = StreamingModel(model)

    def initial_states(self, batch_size: int) -> States:
        """The log-probabilities of the next token, and the states of the network."""
        check_integer("batch_size", batch_size)
        even = np.full(
            (batch_size, self.vocabulary.size), -np.log(self.vocabulary.size)
        )
        return [even, *self._stream.initial_states(batch_size)]

    def read(self, tokens: np.ndarray, states: States) -> tuple[np.ndarray, States]:
        tokens = np.asarray(tokens, np.int32)
        count, length = tokens.shape
        # Few batch sizes, so that few are compiled.
        padding = [(0, 2 ** (count - 1).bit_length() - count)]
        tokens, *states = (
            np.pad(array, padding + [(0, 0)] * (array.ndim - 1), mode="edge")
            for array in (tokens, *states)
        )
        values, start = np.zeros(tokens.shape), 0
        while start < length:
            # What a whole piece leaves is read character by character: only two lengths
            # are compiled.
            end = start + (PIECE if length - start >= PIECE else 1)
            values[:, start:end], states = self._advance(tokens[:, start:end], states)
            start = end
        return values[:count], [state[:count] for state in states]

    def following(self, states: States) -> np.ndarray:
        return states[0]

    def _advance(self, tokens: np.ndarray, states: States) -> tuple[np.ndarray, States]:
        before, *inner = states
        outputs, inner = self._stream.advance(tokens, inner)
        after = log_softmax(outputs)
        predicted = np.concatenate([before[:, None], after[:, :-1]], axis=1)
        values = np.take_along_axis(predicted, tokens[..., None], axis=2)[..., 0]
        return values, [after[:, -1], *inner]


def as_language_model(model: Any, task: "Task | None" = None) -> LanguageModel:
    """A model of text from itself, from what a training has left, or from a Keras model
    with its task.

    Args:
        model: A `LanguageModel`; a `tasks.Run`, whose saved model is read; a
            `tasks.TrainingResult`; or a Keras model.
        task: The task of a Keras model.
    Raises:
        TypeError: If it is none of them, or its task is not on text.
        RunError: If the model of a run cannot be read.
    """
    if isinstance(model, LanguageModel):
        return model
    task = getattr(model, "task", task)
    vocabulary = getattr(task, "vocabulary", None)
    if not isinstance(vocabulary, Vocabulary):
        is_path = isinstance(model, (str, os.PathLike))
        hint = ". Open a run with `tasks.open_run(path)`" if is_path else ""
        raise TypeError(
            "`model` must be a LanguageModel, a run or a result of the task "
            "language-model, or a Keras model with its `task`. "
            f"Received: model={shorten(model)}, task={shorten(task)}{hint}"
        )
    if hasattr(model, "load_model"):
        network = model.load_model()
    else:
        network = getattr(model, "model", model)
    return NetworkModel(network, vocabulary)
