"""What several tests of `tasks` share: a tiny model, and a short run of it."""

import re

import keras
import matplotlib.figure
import pytest

import tasks
from tasks.figures.figure import Figure
from tasks.models.ntm import NTMFeedforward
from tasks.training import compiled_model, training

# A line of a picture in a docstring: what it shows, the channel, the glyphs.
LINE = re.compile(r" *(input|target|) +(\d) (.*)")
TINY = NTMFeedforward(memory_size=8, word_size=4, controller_size=8)


@pytest.fixture(autouse=True, scope="session")
def _xla_only_where_it_is_asked_for():
    """Of a training of a few steps, compiling for XLA takes most of the time. On
    TensorFlow it is left to the tests that ask for it with `jit_compile`."""
    if keras.backend.backend() != "tensorflow":
        yield
        return
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(compiled_model, "_compiles", lambda model: False)
        yield


@pytest.fixture(autouse=True, scope="module")
def _few_steps_without_graphs(request):
    """Except in modules with `IN_GRAPHS`: they test what is compiled, or call a network
    so often that a graph pays."""
    if not getattr(request.module, "IN_GRAPHS", False):
        request.getfixturevalue("module_without_graphs")


@pytest.fixture
def untrained(monkeypatch):
    """`tasks.train` does no step: for what is settled before the first one."""
    monkeypatch.setattr(training, "_fit", lambda *parts: False)


@pytest.fixture
def undrawn(monkeypatch):
    """Pictures are blank: those of a report take longer than a tiny training."""

    def savefig(figure, *args, **kwargs):
        matplotlib.figure.Figure((1, 1)).savefig(*args, **kwargs)

    monkeypatch.setattr(Figure, "savefig", savefig)


@pytest.fixture(scope="session")
def trained(tmp_path_factory):
    """A finished `TrainingResult` with its run directory, two epochs long."""
    return tasks.train(
        tasks.Copy(2, 1, 3),
        TINY,
        out=tmp_path_factory.mktemp("runs") / "tiny",
        sequences=800,
        batch_size=4,
        seed=3,
    )


@pytest.fixture
def tiny():
    """The parameters of a model that trains quickly."""
    return TINY


@pytest.fixture
def registries():
    """Removes the tasks and models that a test registers."""
    tables = tasks.TASKS, tasks.MODELS
    before = [dict(table) for table in tables]
    yield
    for table, entries in zip(tables, before, strict=True):
        table.clear()
        table.update(entries)


@pytest.fixture
def assert_drawn_in_docstring():
    """A function that checks that the docstring of a task shows a batch, as `render`
    draws it; text to the right of the glyphs is free."""

    def check(task, batch):
        indented = (
            line for line in type(task).__doc__.splitlines() if line.startswith(" " * 8)
        )
        picture = [found.groups() for found in map(LINE.fullmatch, indented) if found]
        rendered = task.presentation.render(batch).splitlines()[1:]
        for (label, channel, glyphs), line in zip(picture, rendered, strict=True):
            expected = LINE.fullmatch(line).groups()
            assert (label, channel) == expected[:2]
            assert glyphs.startswith(expected[2].rstrip())

    return check
