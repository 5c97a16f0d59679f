"""The paraphrase table of METEOR 1.5, a file that users provide."""

import gzip
import os
import pathlib
import zlib
from collections.abc import Iterator
from typing import Any

from ..checks import shorten


class Paraphrases:
    """Phrases and their paraphrases.

    The paraphrases of a phrase are kept as one string with a line for each. The
    5.3 million pairs for English take about 200 MB.

    Args:
        path: Table in METEOR's format, with or without gzip. Each pair has three lines:
            its probability, the phrase, and the paraphrase.
    Raises:
        TypeError: If `path` is not a path.
        ValueError: If the table cannot be read, or has another format.
    """

    def __init__(self, path: str | os.PathLike[str]) -> None:
        check_path("paraphrases", path)
        self.path = pathlib.Path(path)
        self._table: dict[str, str] = {}
        self._longest = 0
        opened = gzip.open if self.path.suffix == ".gz" else open
        try:
            with opened(self.path, "rt", encoding="utf-8", newline="\n") as lines:
                self._read(lines)
        except UnicodeDecodeError as error:
            raise ValueError(
                f"`paraphrases` must be UTF-8. Received: {self.path}, with byte "
                f"0x{error.object[error.start]:02x}"
            ) from error
        except (OSError, EOFError, zlib.error) as error:
            reason = getattr(error, "strerror", None) or error
            raise ValueError(
                f"`paraphrases` cannot be read: {reason}. Received: {self.path}"
            ) from error

    def __reduce__(self) -> tuple[Any, ...]:
        # A process reads the file: its name is sent for each shard that it scores.
        return Paraphrases, (self.path.resolve(),)

    def _read(self, lines: Iterator[str]) -> None:
        table = self._table
        number = 1
        previous: str | None = None
        paraphrases: list[str] = []
        for probability in lines:
            phrase = next(lines, "").strip()
            paraphrase = next(lines, "").strip()
            try:
                float(probability)
            except ValueError:
                phrase = ""
            if not phrase or not paraphrase:
                raise ValueError(
                    f"`paraphrases` must be a table with three lines a pair: "
                    f"probability, phrase, paraphrase. Received at line {number} of "
                    f"{self.path}: {shorten(probability.rstrip())}"
                )
            if phrase != previous:
                self._add(table, previous, paraphrases)
                previous, paraphrases = phrase, []
            paraphrases.append(paraphrase)
            number += 3
        self._add(table, previous, paraphrases)
        if not table:
            raise ValueError(f"`paraphrases` must not be empty. Received: {self.path}")

    def _add(
        self, table: dict[str, str], phrase: str | None, paraphrases: list[str]
    ) -> None:
        if phrase is None:
            return
        text = "\n".join(paraphrases)
        table[phrase] = f"{table[phrase]}\n{text}" if phrase in table else text
        self._longest = max(self._longest, phrase.count(" ") + 1)

    def __call__(self, words: list[str], start: int) -> Iterator[tuple[int, list[str]]]:
        """Paraphrases of the phrases that start at a word, the shortest phrases first.

        Yields:
            Pairs of the length of the phrase and the words of a paraphrase.
        """
        for length in range(1, min(self._longest, len(words) - start) + 1):
            found = self._table.get(" ".join(words[start : start + length]))
            if found:
                for paraphrase in found.split("\n"):
                    yield length, paraphrase.split(" ")


def check_path(name: str, path: str | os.PathLike[str]) -> None:
    """Checks that an argument is the path of a file.

    Raises:
        TypeError: If it is not a path.
        ValueError: If no file can have this path.
    """
    if not isinstance(path, str | os.PathLike):
        raise TypeError(f"`{name}` must be a path. Received: {name}={shorten(path)}")
    if "\0" in str(path):
        raise ValueError(
            f"`{name}` must be a path without a NUL. Received: {name}={shorten(path)}"
        )
