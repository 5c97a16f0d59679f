"""What the tests of the algorithmic tasks share."""

import re

import pytest

# A line of a picture in a docstring: what it shows, the channel, the glyphs.
LINE = re.compile(r" *(input|target|) +(\d) (.*)")


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
