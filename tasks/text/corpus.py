"""A file of text in three parts: to train on, to choose settings by, to test."""

import dataclasses
import hashlib
import pathlib

from ..checks import shorten
from ..contract.splits import SPLITS, WHOLE
from ..plain_text import check_stays, read_bytes, text_of

# The text that comes with the package, by its name in place of a path.
SAMPLE = "sample"
SAMPLE_FILE = pathlib.Path(__file__).with_name("shakespeare.txt.gz")
# Where the validation part and the test part begin, in twentieths of the text.
# Heuristic: of a book, a twentieth is some 50,000 characters.
STARTS = {"train": 0, "validation": 18, "test": 19}
PARTS = 20


@dataclasses.dataclass(frozen=True)
class Corpus:
    """A text in three parts, by position: the first 90% of its characters are to train
    on, the next 5% to choose settings by, the last 5% to test.

    Attributes:
        text: The whole text.
        sha256: SHA-256 of its file, as it is on the disk.
    """

    text: str
    sha256: str

    @classmethod
    def read(cls, path: str) -> "Corpus":
        """Reads a file.

        Args:
            path: A UTF-8 file, also gzipped, or `"sample"`.
        Raises:
            ValueError: If it cannot be read, is not UTF-8, or is too short to have
                three parts.
        """
        file, name = pathlib.Path(path), f"`data` {shorten(path)}"
        if path == SAMPLE:
            file = SAMPLE_FILE
        check_stays(file, name)
        data = read_bytes(file, name)
        text = text_of(data, file, name)
        if len(text) < 2 * PARTS:
            raise ValueError(
                f"`data` must have at least {2 * PARTS} characters. "
                f"Received: {len(text)} in {shorten(path)}"
            )
        return cls(text, hashlib.sha256(data).hexdigest())

    def part(self, split: str) -> str:
        """The text of a split, one of "train", "validation", "test", or "all"."""
        if split == WHOLE:
            return self.text
        ends = [*(STARTS[name] for name in SPLITS[1:]), PARTS]
        end = dict(zip(SPLITS, ends, strict=True))[split]
        size = len(self.text)
        return self.text[STARTS[split] * size // PARTS : end * size // PARTS]
