"""Pictures described by a trained network."""

import warnings
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from ..checks import check_integer, check_number
from ..models.keras_model import check_vocabulary
from ..text.hypotheses import (
    Hypothesis,
    check_n_best,
    check_task,
    hypotheses_of,
    model_and_task,
    network_of,
)
from ..text.tokens import END, NEVER_WRITTEN, START

# Heuristic: so many pictures are described at once; more are not faster on a processor.
ROWS = 50


class Describer:
    """Writes captions with a trained network.

    Args:
        model: The Keras model of a task of captions; or a run (`tasks.open_run`), or
            what `tasks.train` returned, without a task.
        task: The task of a Keras model, with the vocabulary that it was trained with.
        beam_size: Hypotheses that are kept; 1 is greedy decoding.
        length_penalty: See `memnets.decoders.beam_search`.
        n_best: Captions of each picture.
    Raises:
        ValueError: If an argument is out of its range, the task has no pictures, or the
            model is no network that looks at pictures and writes.
    """

    def __init__(
        self,
        model: Any,
        task: Any = None,
        *,
        beam_size: int = 3,
        length_penalty: float = 1.0,
        n_best: int = 1,
    ) -> None:
        from memnets.seq2seq import Captioner, Writer

        model, task = model_and_task(model, task)
        check_task(task, "eval_pictures", "has pictures and captions")
        check_integer("beam_size", beam_size, 1, task.output_size)
        check_n_best(n_best, beam_size)
        check_number("length_penalty", length_penalty, minimum=0)
        self._network = network_of(model, Captioner)
        check_vocabulary(self._network.target_tokens, task.output_size)
        self._vocabulary = task.target_vocabulary
        self._writer = Writer(
            self._network,
            START,
            END,
            task.width,
            beam_size=beam_size,
            n_best=n_best,
            length_penalty=length_penalty,
            banned=NEVER_WRITTEN,
        )

    def describe(
        self,
        pictures: np.ndarray,
        advance: Callable[[int], None] = lambda pictures: None,
    ) -> list[list[Hypothesis]]:
        """The best captions of each picture, best first.

        Args:
            pictures: `(n, *picture_shape)`, numbers from 0 to 255, or features.
            advance: Is told how many pictures more are done.
        Raises:
            ValueError: If they have another shape.
        """
        pictures, shape = np.asarray(pictures), self._network.picture_shape
        if pictures.shape[1:] != shape:
            raise ValueError(
                f"`pictures` must have the shape (n, {', '.join(map(str, shape))}). "
                f"Received: {pictures.shape}"
            )
        largest = np.max(pictures, initial=0)
        if len(shape) == 3 and pictures.dtype.kind == "f" and 0 < largest <= 1:
            warnings.warn(
                "`pictures` should be numbers from 0 to 255. Received numbers up to "
                f"{largest:.3g}, which are almost black: multiply them by 255.",
                stacklevel=2,
            )
        written = []
        for start in range(0, len(pictures), ROWS):
            some = pictures[start : start + ROWS]
            # Always as many rows, so that the decoder is compiled once.
            found = self._writer.write(np.resize(some, (ROWS, *shape)))
            written += [
                hypotheses_of(found, row, self._vocabulary) for row in range(len(some))
            ]
            advance(len(some))
        return written

    def best_of(self, drawn: Sequence[Any]) -> list[Hypothesis]:
        """The best caption of each of some pictures, which are read as they are needed.

        Args:
            drawn: The pictures, each a `tasks.captions.base.Described`.
        """
        best = []
        for start in range(0, len(drawn), ROWS):
            pictures = [one.picture for one in drawn[start : start + ROWS]]
            best += [written[0] for written in self.describe(np.stack(pictures))]
        return best
