"""What tests of models of text share: a small text, and a network for it."""

import pytest
from text_networks import random_network

from tasks import LanguageModeling

# Words whose order is always the same.
RHYME = "one two three four five. " * 40


@pytest.fixture
def book(tmp_path):
    """A task on a small text, with windows of 12."""
    path = tmp_path / "book.txt"
    path.write_text(RHYME, encoding="utf-8")
    return LanguageModeling(path, window=12, context=4)


@pytest.fixture(scope="session")
def network(tmp_path_factory):
    """An untrained network for the task `book`."""
    path = tmp_path_factory.mktemp("text") / "book.txt"
    path.write_text(RHYME, encoding="utf-8")
    return random_network(LanguageModeling(path))
