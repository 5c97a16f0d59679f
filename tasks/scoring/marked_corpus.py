"""A corpus of which some files are test sets of WMT, aligned by their segments."""

from collections.abc import Mapping, Sequence

from ..plain_text import lines_of, name_of
from .corpus_of_texts import Corpus, lacking
from .wmt_files import Segment, Texts, WMTFile, is_marked, named, wmt_file_of


def read_marked(
    systems: Sequence[str],
    references: Sequence[str],
    texts: Mapping[str, str],
    translators: Sequence[str],
) -> Corpus:
    """Reads texts and references, of which some are test sets of WMT.

    Segments are aligned by their ids. Files with a text a line have the segments in the
    order of the first test set.

    Args:
        systems: The files of systems. One with several systems is as many.
        references: The files of references. One with several is as many.
        texts: The text of each file.
        translators: Names of references, if not all of them are used.
    Raises:
        ValueError: If a file is damaged or does not fit the others; by name.
    """
    sets = {
        path: wmt_file_of(text, path) for path, text in texts.items() if is_marked(text)
    }
    first = sets[next(path for path in (*references, *systems) if path in sets)]
    segments = _segments(first, first.path in references, translators)
    columns = [
        column
        for path in references
        for column in (
            sets[path].texts("reference", translators).values()
            if path in sets
            else [_of_lines(texts[path], path, segments, first)]
        )
    ]
    own: dict[str, Texts] = {}
    for path in systems:
        if path not in sets:
            own[path] = _of_lines(texts[path], path, segments, first)
            continue
        found = sets[path].texts("system")
        for name, column in found.items():
            own[f"{path}: {name}" if len(found) > 1 else path] = column
    for name, column in own.items():
        _check_all(f"`{name}`", column, segments, first)
    for path, one in sets.items():
        if path in references and not one.is_xml:
            for column in one.texts("reference", translators).values():
                _check_all(name_of(path), column, segments, first)
    return Corpus(
        [named(segment) for segment in segments],
        [[column.get(segment, "") for column in columns] for segment in segments],
        [[column[segment] for segment in segments] for column in own.values()],
        files=tuple(own),
        notes=(_note(first, segments, len(columns)),),
    )


def _segments(
    first: WMTFile, has_references: bool, translators: Sequence[str]
) -> list[Segment]:
    """The segments to score: those of a test set that have a reference in it."""
    if not has_references:
        return list(first.segments)
    columns = first.texts("reference", translators).values()
    if not first.is_xml:
        return [s for s in first.segments if any(s in column for column in columns)]
    found = [s for s in first.segments if any(column.get(s) for column in columns)]
    if not found:
        raise ValueError(f"{name_of(first.path)} must have a reference. Received none")
    return found


def _of_lines(text: str, path: str, segments: list[Segment], first: WMTFile) -> Texts:
    """The lines of a file, of the segments to score or of all in the test set."""
    lines = lines_of(text)
    for some in (segments, list(first.segments)):
        if len(lines) == len(some):
            return dict(zip(some, lines, strict=True))
    raise ValueError(
        f"{name_of(path)} must have a line for each segment of {name_of(first.path)}. "
        f"Received: {len(lines)} lines and {len(segments)} segments"
    )


def _check_all(
    name: str, column: Texts, segments: list[Segment], first: WMTFile
) -> None:
    if missing := lacking(segments, column, named):
        raise ValueError(
            f"{name} lacks segment {missing}, which {name_of(first.path)} has."
        )


def _note(first: WMTFile, segments: list[Segment], count: int) -> str:
    form = "XML" if first.is_xml else "SGML"
    left_out = len(first.segments) - len(segments)
    without = f"; left out without a reference: {left_out}" if left_out else ""
    return (
        f"{name_of(first.path)} is WMT's {form}. References: {count}; segments: "
        f"{len(segments)}{without}."
    )
