"""Stories in the text format of bAbI."""

import os
import pathlib
import re
from typing import NoReturn

from ...checks import shorten
from ...plain_text import lines_of, read_text
from .story import Story

EXAMPLE = "1 Mary went to the garden."
ASKED = "2 Where is Mary?<tab>garden<tab>1"
_LINE = re.compile(r"(\d+) (.*)")
_WORD = re.compile(r"\w[\w'-]*")
# What files of one kind are called after its name.
_SPLIT = re.compile(r"[-_](train|test|valid)$")


def stories_from(path: str | os.PathLike[str]) -> list[Story]:
    """Reads stories in the text format of bAbI.

    A line is a number and a sentence; number 1 begins a new story. A line with tabs
    asks a question about the sentences before it: number and question, answer, and the
    numbers of the sentences from which it follows, if they are known.

        1 Mary went to the garden.
        2 John took the milk.
        3 Where is Mary?<tab>garden<tab>1

    Args:
        path: A file, or a folder whose files `*.txt` and `*.txt.gz` are read in the
            order of their names. Of a file that is there in both forms, the text is
            read that is not gzipped.
    Returns:
        A story for each question, with all sentences told before it. Texts are in lower
        case and without punctuation. The kind is the name of the file, without `_train`
        or `_test`.
    Raises:
        ValueError: If nothing is there, or a line is not of this format: the message
            names the file, the line, and what must stand there.
    Reference:
        Weston et al. (2015), Towards AI-Complete Question Answering, arXiv:1502.05698.
    """
    path = pathlib.Path(path)
    files = _files_of(path) if path.is_dir() else [path]
    if not files:
        raise ValueError(
            f"{path} must have files *.txt or *.txt.gz with stories. Received: none"
        )
    return [story for file in files for story in _stories_of(file)]


def _files_of(folder: pathlib.Path) -> list[pathlib.Path]:
    found = {file.stem: file for file in folder.glob("*.txt.gz")}
    found |= {file.name: file for file in folder.glob("*.txt")}
    return [found[name] for name in sorted(found)]


def _stories_of(path: pathlib.Path) -> list[Story]:
    reader = _Reader(path)
    stories = [
        story
        for number, line in enumerate(lines_of(read_text(path, f"{path}")), 1)
        if (story := reader.read(number, line)) is not None
    ]
    if not stories:
        raise ValueError(
            f"{path} must have a question, a line such as {ASKED!r}. Received: none"
        )
    return stories


class _Reader:
    """What was told so far in the story at which a file is."""

    def __init__(self, path: pathlib.Path) -> None:
        self._path = path
        stem = path.name.removesuffix(".gz").removesuffix(".txt")
        self._kind = _SPLIT.sub("", stem)
        self._line = 0
        self._last = 0
        self._sentences: list[str] = []
        self._places: dict[int, int] = {}  # of sentences, by their numbers

    def read(self, number: int, line: str) -> Story | None:
        """Reads line `number` of the file: a story if it asks a question."""
        self._line = number
        found = _LINE.fullmatch(line)
        if found is None:
            self._refuse(f"be a number and a sentence, such as {EXAMPLE!r}", line)
        place, rest = int(found[1]), found[2]
        if place == 1:
            self._sentences, self._places = [], {}
        elif place != self._last + 1:
            self._refuse(f"have the number 1 or {self._last + 1}", line)
        self._last = place
        if "\t" in rest:
            return self._asked(line, rest.split("\t"))
        self._places[place] = len(self._sentences)
        self._sentences.append(self._words(rest, line))
        return None

    def _asked(self, line: str, fields: list[str]) -> Story:
        if len(fields) > 3:
            self._refuse(f"have a question, an answer and facts: {ASKED!r}", line)
        question, answer, numbers = [*fields, ""][:3]
        answers = [word for word in re.split(r"[,\s]+", answer.lower()) if word]
        if not answers:
            self._refuse(f"have an answer after the first tab: {ASKED!r}", line)
        facts = []
        for number in numbers.split():
            if not number.isdecimal() or int(number) not in self._places:
                self._refuse(
                    "have numbers of sentences before it after the second tab", line
                )
            facts.append(self._places[int(number)])
        if not self._sentences:
            self._refuse("come after a sentence of its story", line)
        return Story(
            self._kind,
            tuple(self._sentences),
            self._words(question, line),
            ",".join(answers),
            tuple(sorted(facts)),
        )

    def _words(self, text: str, line: str) -> str:
        words = _WORD.findall(text.lower())
        if not words:
            self._refuse(f"have words after its number, such as {EXAMPLE!r}", line)
        return " ".join(words)

    def _refuse(self, must, line) -> NoReturn:
        raise ValueError(
            f"{self._path}, line {self._line} must {must}. Received: {shorten(line)}"
        )
