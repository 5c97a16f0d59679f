"""A memory at work as a moving picture."""

import io

import numpy as np
from matplotlib.backends.backend_agg import FigureCanvasAgg

from .figure import Figure
from .memory_figures import draw_memory

# Milliseconds of a step of a moving picture, and of its end.
FRAME, LAST_FRAME = 120, 2500


def animate(figure: Figure, memory: np.ndarray, rows: slice) -> bytes:
    """A figure that appears step by step, with the memory of each step beside it.

    Args:
        figure: What happens over time, in each panel from left to right.
        memory: `(T, N, W)`, after each step.
        rows: The rows to draw, see `rows_in_use`.
    Returns:
        A GIF that begins again at its end.
    """
    from PIL import Image

    steps = len(memory)
    beside = draw_memory(memory[int(np.abs(memory).max(axis=(1, 2)).argmax())], rows)
    image = beside.axes[0].images[0]  # in the colours of the largest number
    height = figure.get_figheight()
    beside.set_size_inches(3.2, min(height, 5))
    hidden = [axes.axvspan(0, 1, color="white", zorder=9) for axes in figure.axes]
    frames = []
    for step in range(steps):
        for cover in hidden:
            cover.set_x(step + 0.5)
            cover.set_width(steps - step)
        image.set_data(memory[step][rows])
        over_time, now = (np.asarray(_pixels(each)) for each in (figure, beside))
        frame = np.full((len(over_time), over_time.shape[1] + now.shape[1], 3), 255)
        frame[:, : over_time.shape[1]] = over_time
        top = (len(over_time) - len(now)) // 2
        frame[top : top + len(now), over_time.shape[1] :] = now
        frames.append(Image.fromarray(frame.astype(np.uint8)).quantize(48))
    data = io.BytesIO()
    waits = [FRAME] * (steps - 1) + [LAST_FRAME]
    frames[0].save(
        data, "GIF", save_all=True, append_images=frames[1:], duration=waits, loop=0
    )
    return data.getvalue()


def _pixels(figure: Figure) -> np.ndarray:
    """A figure as `(height, width, 3)`; after the first time its layout stays."""
    canvas = FigureCanvasAgg(figure)
    figure.set_dpi(70)
    canvas.draw()
    figure.set_layout_engine("none")
    return np.asarray(canvas.buffer_rgba())[..., :3]
