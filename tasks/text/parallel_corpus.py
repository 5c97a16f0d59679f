"""Texts and their translations, line by line, in files."""

import dataclasses
import hashlib
import os
import pathlib
import re

from ..checks import shorten
from ..plain_text import lines_of, read_text

# The files of a folder by stem, language and number.
Files = dict[tuple[str, str, str], list[pathlib.Path]]
# How the files of a split begin.
STEMS = {"train": "train", "validation": "val", "test": "test"}


@dataclasses.dataclass(frozen=True)
class ParallelCorpus:
    """The lines of a split and their translations.

    Attributes:
        sources: The lines.
        references: For each line its translations, at least one.
        sha256: Of the lines of both languages.
    """

    sources: list[str]
    references: list[list[str]]
    sha256: str

    @classmethod
    def read(
        cls, folder: str, split: str, source: str, target: str, test_set: str = ""
    ) -> "ParallelCorpus":
        """Reads the files of a split: `train.en` and `train.de`, also gzipped, of a
        line for each pair; `val.en`; `test.en`, or any other that begins with `test`.
        Several references lie in `test.1.de`, `test.2.de`.

        Args:
            folder: Where they lie.
            split: train, validation or test.
            source: Language of the sources, the ending of their file.
            target: Language of the references.
            test_set: How the file names of the test begin, if there are several tests.
        Raises:
            ValueError: If a file is missing, cannot be read, is not UTF-8, or has
                another number of lines.
        """
        files = _files(folder)
        stem = STEMS[split]
        if split == "test":
            stem = test_set or _test_stem(files, source, target, folder)
        sources, *rest = _lines(files, stem, source, folder)
        if rest:
            raise ValueError(
                f"`source` must have one file {stem}.{source}. "
                f"Received: {len(rest) + 1}"
            )
        references = _lines(files, stem, target, folder)
        for lines in references:
            if len(lines) != len(sources):
                raise ValueError(
                    f"`data` must have as many lines in {stem}.{source} as in "
                    f"{stem}.{target}. Received: {len(sources)} and {len(lines)}"
                )
        for language, lines in ((source, sources), (target, references[0])):
            if not any(line.strip() for line in lines):
                raise ValueError(f"`data` must have text in {stem}.{language}.")
        text = "\n".join(["\n".join(lines) for lines in (sources, *references)])
        digest = hashlib.sha256(text.encode()).hexdigest()
        return cls(sources, [list(r) for r in zip(*references, strict=True)], digest)

    def count_in(self, other: "ParallelCorpus") -> int:
        """How many of its lines another corpus has too, with one of the translations;
        blank ones do not count."""
        known = {
            (source, reference)
            for source, references in zip(other.sources, other.references, strict=True)
            for reference in references
        }
        return sum(
            bool(source) and any((source, reference) in known for reference in own)
            for source, own in zip(self.sources, self.references, strict=True)
        )


def test_sets(folder: str, source: str, target: str) -> list[str]:
    """How the files of each test begin that has both languages."""
    return _test_stems(_files(folder), source, target)


def _test_stems(files: Files, *languages: str) -> list[str]:
    """How those files of tests begin that are there in each of some languages."""
    known = {(stem, language) for stem, language, _ in files}
    return sorted(
        stem
        for stem in {stem for stem, _ in known if stem.startswith(STEMS["test"])}
        if all((stem, language) in known for language in languages)
    )


def _files(folder: str | os.PathLike[str]) -> Files:
    """The files of a folder by stem, language and number, mostly one: train.en.gz is
    one of ("train", "en", "")."""
    try:
        paths = sorted(pathlib.Path(folder).iterdir())
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or error
        raise ValueError(
            f"`data` must be a folder of text files: {reason}. "
            f"Received: data={shorten(str(folder))}"
        ) from error
    files: Files = {}
    for path in paths:
        found = re.fullmatch(r"([\w-]+)(?:\.(\d+))?\.([\w-]+?)(\.gz)?", path.name)
        if not found or not path.is_file() or found[3] == "gz":
            continue
        key = found[1], found[3], found[2] or ""
        files.setdefault(key, []).append(path)
    return files


def _test_stem(
    files: Files, source: str, target: str, folder: str | os.PathLike[str]
) -> str:
    # What a test set without one language lacks is said later.
    stems = _test_stems(files, source, target) or _test_stems(files, source)
    if len(stems) > 1:
        raise ValueError(
            f"`test_set` must be one of {', '.join(stems)}, as there are several in "
            f"`{folder}`."
        )
    return stems[0] if stems else STEMS["test"]


def _lines(
    files: Files, stem: str, language: str, folder: str | os.PathLike[str]
) -> list[list[str]]:
    """The lines of all files of a stem and a language, a list for each file."""
    found = [files[key] for key in sorted(files) if key[:2] == (stem, language)]
    if not found:
        known = sorted({f"{stem}.{language}" for stem, language, _ in files})
        raise ValueError(
            f"`data` must have the file {stem}.{language} or {stem}.{language}.gz in "
            f"`{folder}`. Found: {shorten(', '.join(known)) if known else 'none'}"
        )
    texts = []
    for path, *others in found:
        if others:
            raise ValueError(
                "`data` must have each file once, gzipped or not. Received: "
                f"{path.name} and {others[0].name} in {folder}"
            )
        texts.append(lines_of(read_text(path, f"`data` {path}")))
    return texts
