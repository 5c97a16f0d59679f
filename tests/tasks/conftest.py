"""One short training run that several tests look at."""

import pytest

import tasks
from tasks.models import NTMFeedforward

TINY = NTMFeedforward(memory_size=8, word_size=4, controller_size=8)


@pytest.fixture(scope="session")
def trained(tmp_path_factory):
    """A finished `Training` with its run directory, two epochs long."""
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
    """The parameters of a model that trains in no time."""
    return TINY
