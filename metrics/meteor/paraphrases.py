"""The paraphrase table of METEOR 1.5, which its users bring."""

import gzip
import os
import pathlib
import zlib
from collections.abc import Iterator

from ..checks import shorten


class Paraphrases:
    """Phrases and what they may be replaced by.

    Of a table of millions only the text is kept, in a dictionary from phrase to its
    paraphrases, a line each: the 5.3 million pairs for English take about 200 MB.

    Args:
        path: Table in METEOR's format, gzip or not: three lines for each pair, its
            probability, the phrase, and the paraphrase.
    Raises:
        TypeError: If `path` is no path.
        ValueError: If the table cannot be read, or is no such table.
    """

    def __init__(self, path):
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

    def _read(self, lines: Iterator[str]):
        table = self._table
        number = 1
        previous: str | None = None
        own: list[str] = []
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
                self._add(table, previous, own)
                previous, own = phrase, []
            own.append(paraphrase)
            number += 3
        self._add(table, previous, own)
        if not table:
            raise ValueError(f"`paraphrases` must not be empty. Received: {self.path}")

    def _add(self, table, phrase, paraphrases):
        if phrase is None:
            return
        text = "\n".join(paraphrases)
        table[phrase] = f"{table[phrase]}\n{text}" if phrase in table else text
        self._longest = max(self._longest, phrase.count(" ") + 1)

    def __call__(self, words: list[str], start: int) -> Iterator[tuple[int, list[str]]]:
        """Paraphrases of the phrases that start at a word, the shortest phrases first.

        Returns:
            Pairs of the phrase's length and the words of a paraphrase.
        """
        for length in range(1, min(self._longest, len(words) - start) + 1):
            found = self._table.get(" ".join(words[start : start + length]))
            if found:
                for paraphrase in found.split("\n"):
                    yield length, paraphrase.split(" ")


def check_path(name, path) -> None:
    """Checks that an argument is the path of a file.

    Raises:
        TypeError: If it is no path.
        ValueError: If no file can have it.
    """
    if not isinstance(path, str | os.PathLike):
        raise TypeError(f"`{name}` must be a path. Received: {name}={shorten(path)}")
    if "\0" in str(path):
        raise ValueError(
            f"`{name}` must be a path without a NUL. Received: {name}={shorten(path)}"
        )
