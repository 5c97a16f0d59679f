"""What tests of word vectors share: both ways of computing, small texts."""

import pytest

from tasks.vectors import native


@pytest.fixture(params=["compiled", "numpy"])
def way(request, monkeypatch):
    """Compiled and with NumPy, one after the other."""
    if request.param == "numpy":
        monkeypatch.setattr(native, "load", lambda: None)
    elif native.load() is None:
        pytest.skip("the library was not built")
    return request.param


@pytest.fixture
def write(tmp_path):
    """A function that writes a file of text or bytes and returns its path."""

    def write(content, name="text"):
        path = tmp_path / name
        if isinstance(content, str):
            content = content.encode()
        path.write_bytes(content)
        return path

    return write
