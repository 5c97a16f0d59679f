"""Pictures of how gradients flow back through recurrent layers."""

from collections.abc import Mapping
from itertools import cycle
from typing import TYPE_CHECKING

import numpy as np

from ..checks import shorten
from .figure import COLORS, Figure

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from memnets.flow import GradientFlow

# Heuristic: below this share of the error at the end, float32 is mostly rounding.
LEAST = 1e-12


def draw_gradient_flow(flows: Mapping[str, "GradientFlow"]) -> Figure:
    """The gradient at each step, and by how much each step back changes it.

    Above, norms relative to the last one above 0; Hochreiter's bound is dashed where
    it is below 1. Below, gains: a layer keeps a gradient where its gain is 1.

    Args:
        flows: By label, the `memnets.flow.GradientFlow` of each layer.
    Raises:
        ValueError: If there is none.
    Example:
        >>> from memnets import flow
        >>> model = keras.Sequential([keras.layers.SimpleRNN(4), keras.layers.Dense(1)])
        >>> model.compile(loss="mse")
        >>> x, y = np.ones((2, 5, 3)), np.ones((2, 1))
        >>> measured = flow.gradient_flow(model, model.layers[0], x, y)
        >>> figure = tasks.draw_gradient_flow({"simple RNN": measured})
    """
    if not isinstance(flows, Mapping) or not flows:
        raise ValueError(
            "`flows` must be a dictionary of at least one GradientFlow. "
            f"Received: flows={shorten(flows)}"
        )
    figure = Figure(figsize=(8, 5.2), layout="constrained")
    above, below = figure.subplots(2, sharex=True, height_ratios=(3, 2))
    for (label, flow), color in zip(flows.items(), cycle(COLORS), strict=False):
        # Steps are counted from the end: sequences may have different lengths.
        lags = np.arange(len(flow.norms))[::-1]
        above.plot(lags, _relative(flow.norms), color=color, label=label)
        if flow.bound is not None and flow.bound.min() < 1:  # or it says nothing
            above.plot(lags, flow.bound, "--", color=color, lw=1, label="its bound")
        below.plot(lags[:-1], flow.gains, color=color)
    above.set_yscale("log")
    _limit(above, flows)
    above.set_ylabel("norm of the gradient,\nrelative to the last step")
    above.legend(frameon=False)
    below.axhline(1, color="black", lw=0.8, ls=":")
    below.set_ylim(bottom=0)
    below.set_ylabel("gain of a step back")
    below.set_xlabel("steps back from the end")
    below.invert_xaxis()
    for axes in (above, below):
        axes.grid(alpha=0.3)
    return figure


def _relative(norms: np.ndarray) -> np.ndarray:
    """Norms divided by the last; what is too small to draw is left out."""
    positive = norms[norms > 0]
    norms = norms / (positive[-1] if len(positive) else 1.0)
    return np.where(norms > LEAST, norms, np.nan)


def _limit(axes: "Axes", flows: Mapping[str, "GradientFlow"]) -> None:
    """The bound may be many orders of magnitude away from every gradient."""
    norms = np.concatenate([_relative(flow.norms) for flow in flows.values()])
    norms = norms[np.isfinite(norms)]
    if len(norms):
        axes.set_ylim(norms.min() / 3, norms.max() * 10)
