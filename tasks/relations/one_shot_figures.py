"""Pictures of a sequence of one-shot classification."""

import numpy as np

from ..figures.figure import Figure
from ..figures.memory_figures import BLUE, RED

COLUMNS = 10


def draw_episode(
    images: np.ndarray, labels: np.ndarray, given: np.ndarray, instances: np.ndarray
) -> Figure:
    """The images of a sequence in their order, each with the label that a model gave.

    Args:
        images: `(T, side, side)`, from 0 to 1.
        labels: The right labels, `(T,)`.
        given: Those of the model, `(T,)`.
        instances: For each image, how often its class has come up to there, `(T,)`.
    """
    rows = -(-len(images) // COLUMNS)
    figure = Figure(figsize=(COLUMNS, 1.35 * rows), layout="constrained")
    all_axes = figure.subplots(rows, COLUMNS, squeeze=False).ravel()
    for axes in all_axes:
        axes.axis("off")
    shown = zip(all_axes, images, labels, given, instances, strict=False)
    for axes, image, label, answer, instance in shown:
        axes.imshow(image, cmap="Greys", vmin=0, vmax=1)
        text = f"{answer}" if answer == label else f"{answer}, not {label}"
        color = BLUE if answer == label else RED
        axes.set_title(f"{text} ({instance})", color=color, fontsize=9)
    return figure
