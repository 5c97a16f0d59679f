"""Texts to score, read from files: segments by line, by image, or by id."""

from collections.abc import Sequence

from ..plain_text import (
    STANDARD_INPUT,
    check_standard_input_once,
    has_suffix,
    lines_of,
    name_of,
    read_text,
)
from .caption_files import read_captions, references_by_image
from .corpus_of_texts import Corpus, without_empty_references
from .marked_corpus import read_marked
from .wmt_files import check_names, is_marked, wmt_file_of

__all__ = ["Corpus", "read_corpus", "read_references", "read_segments"]


def read_corpus(
    systems: list[str],
    references: list[str],
    *,
    split: str | None = None,
    num_refs: int | None = None,
    translators: Sequence[str] = (),
) -> Corpus:
    """Reads files of lines, WMT's SGML or XML, or COCO captions if the references are a
    JSON file.

    An empty reference is none. Only captions in JSON, which nobody has to fill up with
    empty ones, are taken as they are: so pycocoevalcap does.

    Args:
        systems: A file of each system, all with a text a line, or all of COCO results.
            A file may be gzipped, or `"-"` for standard input. One of WMT's test sets
            may have several systems.
        references: Files aligned with them, or one file of annotations: COCO's, or that
            of Karpathy's splits (`dataset_coco.json`).
        split: The images to score, of those that Karpathy's file tells apart.
        num_refs: Number of references in a line of the one file of references, which
            tabs separate.
        translators: Whose references to use, of those that a test set of WMT tells
            apart; by default all.
    Returns:
        A `Corpus`.
    Raises:
        ValueError: If a file cannot be read, or does not fit the others; by name.
    """
    for path in systems:
        if path != STANDARD_INPUT and systems.count(path) > 1:
            raise ValueError(f"Systems must be different files. Received {path} twice.")
    check_standard_input_once([*systems, *references])
    _check_options(systems, references, split, num_refs)
    if any(map(_is_json, references)):
        return read_captions(systems, references, split)
    texts = {
        path: read_text(path, name_of(path))
        for path in dict.fromkeys(systems + references)
    }
    check_names(texts)
    if any(map(is_marked, texts.values())):
        if num_refs is not None:
            raise ValueError(
                "`num_refs` must be left out for WMT's SGML and XML. Received: "
                f"num_refs={num_refs}"
            )
        corpus = read_marked(systems, references, texts, translators)
        return without_empty_references(corpus, "segment", references)
    if translators:
        raise ValueError(
            "`translators` needs a test set of WMT as references, which tells them "
            f"apart. Received: {', '.join(references)}"
        )
    corpus = _read_lines(systems, references, texts, num_refs)
    return without_empty_references(corpus, "line", references)


def read_references(path: str) -> list[list[str]]:
    """The references of each segment of a file: COCO's annotations or Karpathy's, a
    test set of WMT, or lines.

    Raises:
        ValueError: If it cannot be read, or has none.
    """
    if _is_json(path):
        return list(references_by_image(path).values())
    text = read_text(path, name_of(path))
    check_names({path: text})
    if not is_marked(text):
        return [[line] for line in lines_of(text)]
    columns = wmt_file_of(text, path).texts("reference").values()
    segments = dict.fromkeys(segment for column in columns for segment in column)
    return [[c[segment] for c in columns if segment in c] for segment in segments]


def _check_options(
    systems: list[str], references: list[str], split: str | None, num_refs: int | None
) -> None:
    if any(map(_is_json, references)):
        if num_refs is not None:
            raise ValueError(
                "`num_refs` must be left out for captions, which say it themselves. "
                f"Received: num_refs={num_refs}"
            )
        return
    if split is not None:
        raise ValueError(
            "`split` needs Karpathy's file (.json) as references. Received: "
            f"{', '.join(references)}"
        )
    for path in filter(_is_json, systems):
        raise ValueError(
            f"`{path}` needs references by image: one COCO annotations file (.json). "
            f"Received: {', '.join(references)}"
        )
    if num_refs is not None and len(references) > 1:
        raise ValueError(
            "`num_refs` needs one file of references, with several in a line. "
            f"Received: {', '.join(references)}"
        )


def _is_json(path: str) -> bool:
    return has_suffix(path, ".json")


def read_segments(path: str) -> list[str]:
    """The lines of a file, see `lines_of`.

    Raises:
        ValueError: If the file cannot be read or is empty.
    """
    return lines_of(read_text(path, name_of(path)))


def _fields_of(text: str, path: str, num_refs: int) -> list[list[str]]:
    """The references of each line, which tabs separate."""
    lines = text.removesuffix("\n").split("\n")
    rows = [line.removesuffix("\r").split("\t") for line in lines]
    for number, row in enumerate(rows, start=1):
        if len(row) != num_refs:
            raise ValueError(
                f"`num_refs` must be the number of references in each line of "
                f"{name_of(path)}, between tabs. Received: num_refs={num_refs}, and "
                f"{len(row)} in line {number}"
            )
    return [[field.rstrip() for field in row] for row in rows]


def _read_lines(
    systems: list[str],
    references: list[str],
    texts: dict[str, str],
    num_refs: int | None,
) -> Corpus:
    paths = systems if num_refs is not None else systems + references
    lines = {path: lines_of(texts[path]) for path in dict.fromkeys(paths)}
    lengths = {path: len(own) for path, own in lines.items()}
    if num_refs is None:
        columns = [lines[path] for path in references]
    else:
        rows = _fields_of(texts[references[0]], references[0], num_refs)
        lengths[references[0]] = len(rows)
        columns = [list(own) for own in zip(*rows, strict=True)]
    _check_lengths(systems[0], lengths)
    return Corpus(
        list(range(1, lengths[systems[0]] + 1)),
        [list(own) for own in zip(*columns, strict=True)],
        [lines[path] for path in systems],
        files=tuple(systems),
    )


def _check_lengths(first: str, lengths: dict[str, int]) -> None:
    for path, length in lengths.items():
        if length != lengths[first]:
            longer = path if length > lengths[first] else first
            raise ValueError(
                "Files must have the same number of lines. Received: "
                f"{name_of(first)} has {lengths[first]} and {name_of(path)} has "
                f"{length}; {name_of(longer)} is longer."
            )
