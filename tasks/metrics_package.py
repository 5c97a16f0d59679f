"""The package `metrics` that lies beside ours, under whatever name it can be had.

A user may have a `metrics.py`, which then takes the name; `memnets.metrics` is ours in
any case, but importing it brings Keras.
"""

import importlib
import importlib.util
import pathlib
import types

FOLDER = pathlib.Path(__file__).resolve().parents[1] / "metrics"


def metrics_package() -> types.ModuleType:
    """Our package `metrics`."""
    return importlib.import_module("metrics" if _is_ours() else "memnets.metrics")


def metrics_module(name: str) -> types.ModuleType:
    """A module of our package `metrics`, such as `registry`."""
    return importlib.import_module(f"{metrics_package().__name__}.{name}")


def _is_ours() -> bool:
    """Whether `import metrics` gives our package."""
    try:
        spec = importlib.util.find_spec("metrics")
    except ValueError:  # a module that was made by hand
        return False
    folders = (spec and spec.submodule_search_locations) or ()
    return any(pathlib.Path(folder).resolve() == FOLDER for folder in folders)
