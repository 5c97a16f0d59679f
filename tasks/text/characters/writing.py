"""A model writes its answers: it reads its own characters, not the right ones."""

from typing import TYPE_CHECKING

import numpy as np

from ...contract.task import Batch
from .alphabet import BLANK

if TYPE_CHECKING:
    import keras


def write_answers(
    model: "keras.Model", batch: Batch, stop: int, limit: int
) -> np.ndarray:
    """What a model writes after each source, always its most probable character.

    For each character the model runs over the whole batch once more: answers are short,
    and one shape is compiled once.

    Args:
        model: Keras model from tokens `(B, T)` to logits `(B, T, tokens)`.
        batch: The sources, whose answers the model does not see.
        stop: The token that ends an answer.
        limit: Most characters of an answer, `stop` included.
    Returns:
        Tokens `(B, T)` where the targets of the batch are, blank after `stop`.
    """
    first = batch.mask.argmax(axis=1)
    steps = np.arange(batch.inputs.shape[1])
    inputs = np.where(steps > first[:, None], BLANK, batch.inputs).astype(np.int32)
    written = np.full_like(inputs, BLANK)
    rows, writes = np.arange(len(inputs)), np.ones(len(inputs), bool)
    for step in range(min(limit, len(steps) - int(first.max()))):
        if step:
            inputs[rows, first + step] = written[rows, first + step - 1]
        logits = np.asarray(model.predict_on_batch(inputs))[rows, first + step]
        written[rows, first + step] = np.where(writes, logits.argmax(axis=-1), BLANK)
        writes &= written[rows, first + step] != stop
        if not writes.any():
            break
    return written
