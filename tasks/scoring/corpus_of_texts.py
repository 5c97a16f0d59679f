"""Texts to score, beside their references."""

import dataclasses
from collections.abc import Callable, Collection, Iterable, Sequence
from typing import Any


@dataclasses.dataclass(frozen=True)
class Corpus:
    """The texts to score, aligned: entry n of every list is of the same segment.

    Attributes:
        names: Numbers of the lines, from 1, or the ids of the images or segments.
        references: The references of each segment.
        systems: The texts to score, of each system.
        left_out: Number of images of the annotations that no result is about.
        files: What each system is called: its file, and its name if that has several.
        notes: Sentences about how the files were read.
    """

    names: list[int | str]
    references: list[list[str]]
    systems: list[list[str]]
    left_out: int = 0
    files: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()


def lacking(
    needed: Iterable[Any], found: Collection[Any], write: Callable[[Any], str] = repr
) -> str:
    """The first of what is needed and not found, and how many more; "" if none.

    Example:
        >>> lacking([1, 2, 3], {1})
        '2 and 1 more'
    """
    missing = [name for name in needed if name not in found]
    if not missing:
        return ""
    others = f" and {len(missing) - 1} more" if len(missing) > 1 else ""
    return f"{write(missing[0])}{others}"


def without_empty_references(
    corpus: Corpus, kind: str, references: Sequence[str]
) -> Corpus:
    """The corpus without empty references: as in E2E's and WebNLG's files, they stand
    for references that a segment does not have (sacreBLEU's `None`).

    Args:
        corpus: The texts.
        kind: What a segment is, such as a line.
        references: The files of references, for messages.
    Raises:
        ValueError: If a segment has no other reference; by its name.
    """
    empty = [
        (name, sum(not text.strip() for text in texts))
        for name, texts in zip(corpus.names, corpus.references, strict=True)
        if not all(map(str.strip, texts))
    ]
    if not empty:
        return corpus
    kept = [[text for text in texts if text.strip()] for texts in corpus.references]
    *first, last = (f"`{path}`" for path in dict.fromkeys(references))
    files = f"{', '.join(first)} and {last}" if first else last
    for name, texts in zip(corpus.names, kept, strict=True):
        if not texts:
            raise ValueError(
                f"Each {kind} must have a reference that is not empty. Received none "
                f"for {kind} {name} in {files}"
            )
    count, total = sum(n for _, n in empty), sum(map(len, corpus.references))
    counted = "1 reference" if count == 1 else f"{count:,} references"
    note = (
        f"{counted} of {total:,} in {files} {'is' if count == 1 else 'are'} empty, and "
        f"{'counts' if count == 1 else 'count'} as none; the first is of {kind} "
        f"{empty[0][0]}."
    )
    return dataclasses.replace(corpus, references=kept, notes=(*corpus.notes, note))
