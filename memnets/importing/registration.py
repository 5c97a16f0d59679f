"""Loads the layers as soon as Keras is there, so that its own `load_model` knows them.

`import memnets` loads neither Keras nor a layer. A class is known to Keras once its
module is imported, and a user who calls `keras.saving.load_model` may have imported
nothing else of this package: whatever brings Keras brings all layers, and the losses
and measures of tasks.
"""

import contextlib
import importlib
import importlib.machinery
import importlib.util
import os
import sys
import threading
import types
from collections.abc import Collection, Iterator, Sequence
from typing import Any

from . import companions

# Importing TensorFlow may import Keras, which works when both are there.
BRINGS_KERAS = ("keras", "tensorflow")
# What works without Keras.
LIGHT = ("checks", "cores", "saving", "saving.atomic", "version")
# What the losses and measures of tasks have in common.
SHARED = "tasks.losses."


def install(package: str, modules: Collection[str]) -> None:
    """Loads `modules` now if Keras is there, and otherwise together with it."""
    if "keras" in sys.modules:
        load(package, modules)
    else:
        sys.meta_path.insert(0, KerasFinder(package, modules))


def load(package: str, modules: Collection[str]) -> None:
    """Imports each of `modules`, named relative to `package`."""
    for module in modules:
        importlib.import_module(module, package)


class KerasFinder:
    """Waits for the first module that brings Keras, or needs it in this package. What
    that one imports is not waited for: the layers are loaded when it is complete.

    It stays in the import system, where other threads may be, and rests in the end.
    """

    def __init__(self, package: str, modules: Collection[str]) -> None:
        self.package = package
        self.modules = modules
        self.is_done = False
        self._thread = threading.local()

    @contextlib.contextmanager
    def resting(self) -> Iterator[None]:
        """Lets this thread import without it."""
        before = getattr(self._thread, "rests", False)
        self._thread.rests = True
        try:
            yield
        finally:
            self._thread.rests = before

    def find_spec(
        self,
        fullname: str,
        path: Sequence[str] | None,
        target: types.ModuleType | None = None,
    ) -> importlib.machinery.ModuleSpec | None:
        if self.is_done or getattr(self._thread, "rests", False):
            return None
        if fullname not in BRINGS_KERAS and not self._needs_keras(fullname):
            return None
        with self.resting():
            spec = importlib.util.find_spec(fullname)
        if spec is not None and spec.loader is not None:
            loader: Any = ThenLayers(spec.loader, self)
            spec.loader = loader
        return spec

    def _needs_keras(self, fullname: str) -> bool:
        name = fullname.removeprefix(f"{self.package}.")
        if name.partition(".")[0] in companions.NAMES:  # by either of their names
            return name.startswith(SHARED) or f".{name}" in self.modules
        return name != fullname and name not in LIGHT


class ThenLayers:
    """Executes a module with its own loader, and loads the layers after it."""

    def __init__(self, loader: Any, waiting: KerasFinder) -> None:
        self.loader = loader
        self.waiting = waiting

    def __getattr__(self, name: str) -> Any:
        return getattr(self.loader, name)  # what else a loader can, as get_code

    def create_module(
        self, spec: importlib.machinery.ModuleSpec
    ) -> types.ModuleType | None:
        return self.loader.create_module(spec)

    def exec_module(self, module: types.ModuleType) -> None:
        if module.__spec__ is not None:
            module.__spec__.loader = module.__loader__ = self.loader
        with self.waiting.resting(), without_jax():
            self.loader.exec_module(module)
            if "keras" in sys.modules:  # TensorFlow may come without it
                load(self.waiting.package, self.waiting.modules)
                self.waiting.is_done = True


@contextlib.contextmanager
def without_jax() -> Iterator[None]:
    """Keras without JAX, where PyTorch computes. Keras imports JAX on every backend if
    it is installed, for one of its callbacks: that takes longer than all the rest."""
    if os.environ.get("KERAS_BACKEND") != "torch" or "jax" in sys.modules:
        yield
        return
    sys.modules["jax"] = None  # type: ignore[assignment]
    try:
        yield
    finally:
        if sys.modules.get("jax", sys) is None:
            del sys.modules["jax"]
