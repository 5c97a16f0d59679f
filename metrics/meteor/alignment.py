"""Word alignments between a reference and a hypothesis, as METEOR makes them."""

import dataclasses
from collections.abc import Sequence
from typing import NamedTuple


class Match(NamedTuple):
    """A phrase of the reference matched with one of the hypothesis, mostly a word each.

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
        matches: Ordered by their place in the reference.
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
    """Which words of a hypothesis were matched with which of a reference.

    Attributes:
        reference: Tokens of the reference.
        hypothesis: Tokens of the hypothesis.
        matches: Ordered by their place in the reference.
        stages: Names of the stages, which the matches refer to by number.
        minimal: Whether the alignment is proven to have the fewest chunks of all that
            match as much.
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
        """The alignment as text: a line for each chunk, then what was left over."""
        lines = []
        for number, chunk in enumerate(self._chunked(), 1):
            first, last = chunk[0], chunk[-1]
            ours = self.hypothesis[
                first.hypothesis_start : last.hypothesis_start + last.hypothesis_length
            ]
            theirs = self.reference[
                first.reference_start : last.reference_start + last.reference_length
            ]
            stages = [self.stages[match.stage] for match in chunk]
            how = ", ".join(
                name if (count := stages.count(name)) == 1 else f"{count} {name}"
                for name in dict.fromkeys(stages)
            )
            lines.append((f"chunk {number}", " ".join(ours), " ".join(theirs), how))
        lines.append(("unmatched", *self._unmatched(), ""))
        head = ("", "hypothesis", "reference", "found by")
        widths = [max(map(len, column)) for column in zip(head, *lines, strict=True)]
        return "\n".join(
            "  ".join(
                cell.ljust(width) for cell, width in zip(line, widths, strict=True)
            ).rstrip()
            for line in (head, *lines)
        )

    def _chunked(self):
        chunks: list[list[Match]] = []
        for match in self.matches:
            if chunks and count_chunks([chunks[-1][-1], match]) == 1:
                chunks[-1].append(match)
            else:
                chunks.append([match])
        return chunks

    def _unmatched(self):
        ours, theirs = list(self.hypothesis), list(self.reference)
        for match in self.matches:
            for k in range(match.hypothesis_length):
                ours[match.hypothesis_start + k] = ""
            for k in range(match.reference_length):
                theirs[match.reference_start + k] = ""
        return tuple(" ".join(word for word in side if word) for side in (ours, theirs))
