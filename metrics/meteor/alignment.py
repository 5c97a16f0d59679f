"""METEOR's word alignments between a reference and a hypothesis."""

import dataclasses
import html
from collections.abc import Sequence
from typing import NamedTuple


class Match(NamedTuple):
    """A match of a phrase of the reference and one of the hypothesis, mostly one word.

    Attributes:
        reference_start: Index of its first word in the reference.
        reference_length: Number of words there.
        hypothesis_start: Index of its first word in the hypothesis.
        hypothesis_length: Number of words there.
        stage: Number of the stage that found it.
    """

    reference_start: int
    reference_length: int
    hypothesis_start: int
    hypothesis_length: int
    stage: int


def count_chunks(matches: Sequence[tuple]) -> int:
    """Number of runs of matches that are adjacent and in order on both sides.

    Args:
        matches: Ordered by their position in the reference.
    """
    chunks = 0
    reference_end = hypothesis_end = -1
    for reference_start, reference_length, start, length, _ in matches:
        if reference_start != reference_end or start != hypothesis_end:
            chunks += 1
        reference_end = reference_start + reference_length
        hypothesis_end = start + length
    return chunks


@dataclasses.dataclass(frozen=True)
class Alignment:
    """The matches between the words of a hypothesis and of a reference.

    Attributes:
        reference: Tokens of the reference.
        hypothesis: Tokens of the hypothesis.
        matches: Ordered by their position in the reference.
        stages: Names of the stages. A match refers to its stage by number.
        minimal: Whether the alignment is proven to have the fewest chunks of all
            alignments with as many matches.
    """

    reference: tuple[str, ...]
    hypothesis: tuple[str, ...]
    matches: tuple[Match, ...]
    stages: tuple[str, ...]
    minimal: bool = False

    @property
    def chunks(self) -> int:
        """Number of runs of matches that are adjacent and in order on both sides."""
        return count_chunks(self.matches)

    def render(self) -> str:
        """The alignment as text: a line for each chunk, then the unmatched words."""
        lines: list[tuple[str, ...]] = [
            (f"chunk {number}", *self._describe(chunk))
            for number, chunk in enumerate(self._chunked(), 1)
        ]
        lines.append(("unmatched", *self._unmatched(), ""))
        head = ("", "hypothesis", "reference", "found by")
        widths = [max(map(len, column)) for column in zip(head, *lines, strict=True)]
        return "\n".join(
            "  ".join(
                cell.ljust(width) for cell, width in zip(line, widths, strict=True)
            ).rstrip()
            for line in (head, *lines)
        )

    def _repr_html_(self) -> str:
        """The text of `render`, which notebooks show."""
        return f"<pre>{html.escape(self.render())}</pre>"

    def _describe(self, chunk: Sequence[Match]) -> tuple[str, str, str]:
        """Hypothesis, reference and stages of a chunk, as text."""
        first, last = chunk[0], chunk[-1]
        hypothesis_end = last.hypothesis_start + last.hypothesis_length
        reference_end = last.reference_start + last.reference_length
        stages = [self.stages[match.stage] for match in chunk]
        counts = {name: stages.count(name) for name in stages}
        return (
            " ".join(self.hypothesis[first.hypothesis_start : hypothesis_end]),
            " ".join(self.reference[first.reference_start : reference_end]),
            ", ".join(
                name if count == 1 else f"{count} {name}"
                for name, count in counts.items()
            ),
        )

    def _chunked(self) -> list[list[Match]]:
        chunks: list[list[Match]] = []
        for match in self.matches:
            if chunks and count_chunks([chunks[-1][-1], match]) == 1:
                chunks[-1].append(match)
            else:
                chunks.append([match])
        return chunks

    def _unmatched(self) -> tuple[str, ...]:
        hypothesis, reference = list(self.hypothesis), list(self.reference)
        for match in self.matches:
            for k in range(match.hypothesis_length):
                hypothesis[match.hypothesis_start + k] = ""
            for k in range(match.reference_length):
                reference[match.reference_start + k] = ""
        return tuple(
            " ".join(word for word in words if word)
            for words in (hypothesis, reference)
        )
