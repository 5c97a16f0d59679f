"""Saving and loading of models, with a checksum and without executing a file."""

import importlib
from typing import Any

# Their modules load Keras, which the rest of this folder does not need.
_MODULES = {
    "LoadError": ".loader",
    "SaveError": ".saver",
    "load": ".loader",
    "save": ".saver",
}


def __getattr__(name: str) -> Any:
    if name not in _MODULES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(importlib.import_module(_MODULES[name], __name__), name)
