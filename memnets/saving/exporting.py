"""Whether a model is being exported, to run without this library."""

import sys
import types


def is_exporting() -> bool:
    """Whether Keras is tracing a model for export: an exported model must run on other
    machines, and in formats that have fewer operations. Keras has no public way to ask,
    so this looks for its module among the callers."""
    frame: types.FrameType | None = sys._getframe()
    while frame is not None:
        if frame.f_globals.get("__name__", "").startswith("keras.src.export"):
            return True
        frame = frame.f_back
    return False
