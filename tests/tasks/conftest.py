"""What several tests of `tasks` share: a tiny model, and a short run of it."""

import pytest

import tasks
from tasks.models.ntm import NTMFeedforward

TINY = NTMFeedforward(memory_size=8, word_size=4, controller_size=8)


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
