"""Fixtures of the tests that run code of pages and examples."""

import pathlib
import sys

import keras
import pytest

from tasks import registry

EXAMPLES = pathlib.Path(__file__).parent.parent / "examples"


@pytest.fixture
def registries():
    """Tasks and models that a page or an example registers are forgotten afterwards."""
    kept = [(known, dict(known)) for known in (registry.TASKS, registry.MODELS)]
    yield
    for known, before in kept:
        known.clear()
        known.update(before)
    for name, module in list(sys.modules.items()):
        # A file that `--import` has imported would not be run again.
        if str(getattr(module, "__file__", "")).startswith(str(EXAMPLES)):
            del sys.modules[name]


@pytest.fixture
def without_xla(monkeypatch):
    """Compiling for XLA would take most of the time of these small trainings."""
    compile_model = keras.Model.compile

    def compile_without(self, *args, **kwargs):
        compile_model(self, *args, **{**kwargs, "jit_compile": False})

    monkeypatch.setattr(keras.Model, "compile", compile_without)
