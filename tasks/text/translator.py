"""Lines of text translated by a trained network."""

import dataclasses
import functools
from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np

from ..checks import check_integer, check_number, shorten
from .tokens import END, NEVER_WRITTEN, START

# Heuristic: so many sources are written at once; more are not faster on a processor.
ROWS = 32


@dataclasses.dataclass(frozen=True)
class Hypothesis:
    """A translation.

    Attributes:
        text: The line.
        tokens: Its tokens, without the end token.
        score: What hypotheses are sorted by, see `memnets.decoders.beam_search`.
        log_prob: Its log-probability in nats.
        ended: Whether it ended by itself; if not, it was cut.
    """

    text: str
    tokens: list[int]
    score: float
    log_prob: float
    ended: bool


class Translator:
    """Writes translations with a trained network.

    Sources are written in groups of a few lengths, each compiled once. A translation
    does not depend on the others of its group.

    Args:
        model: The Keras model of a task of pairs.
        task: The task.
        beam_size: Hypotheses that are kept; 1 is greedy decoding.
        length_penalty: See `memnets.decoders.beam_search`.
        n_best: Translations of each line.
        max_length: Most tokens of a translation; twice those of the longest source
            of its group and 10 if None.
        min_length: Fewest tokens of a translation.
        no_repeat_ngram: No translation has the same n tokens twice; 0 for no such ban.
    Raises:
        ValueError: If an argument is out of its range, or the model is no network that
            reads one text and writes another.
    """

    def __init__(
        self,
        model: Any,
        task: Any,
        *,
        beam_size: int = 5,
        length_penalty: float = 1.0,
        n_best: int = 1,
        max_length: int | None = None,
        min_length: int = 0,
        no_repeat_ngram: int = 0,
    ) -> None:
        from memnets.seq2seq import SequenceToSequence, Writer

        check_integer("beam_size", beam_size, 1, task.output_size)
        check_integer("n_best", n_best, 1)
        if n_best > beam_size:
            raise ValueError(
                "`n_best` must be at most `beam_size`. "
                f"Received: n_best={n_best}, beam_size={beam_size}"
            )
        check_number("length_penalty", length_penalty, minimum=0)
        networks = [
            layer for layer in model.layers if isinstance(layer, SequenceToSequence)
        ]
        if len(networks) != 1:
            raise ValueError(
                "`model` must have one layer SequenceToSequence. "
                f"Received: {shorten(model)}"
            )
        self._task = task
        self._writers: dict[int, Writer] = {}
        self._max_length = max_length
        self._make_writer = functools.partial(
            Writer,
            networks[0],
            START,
            END,
            beam_size=beam_size,
            n_best=n_best,
            length_penalty=length_penalty,
            min_length=min_length,
            no_repeat_ngram=no_repeat_ngram,
            banned=NEVER_WRITTEN,
        )
        # How many lines were longer than the task's sources, and therefore cut.
        self.num_cut = 0

    def translate(self, lines: Iterable[str]) -> list[list[Hypothesis]]:
        """The best translations of each line, best first; of a blank line an empty one.

        Args:
            lines: The lines.
        """
        widths, vocabulary = self._task.widths, self._task.source_vocabulary
        groups: dict[int, list[tuple[int, list[int]]]] = {width: [] for width in widths}
        written: list[list[Hypothesis]] = []
        for number, line in enumerate(lines):
            tokens = vocabulary.encode(line)
            written.append([Hypothesis("", [], 0.0, 0.0, True)])
            if len(tokens) >= widths[-1]:
                self.num_cut += 1
                tokens = tokens[: widths[-1] - 1]
            if tokens:
                width = next(width for width in widths if width > len(tokens))
                groups[width].append((number, tokens))
        for width, sources in groups.items():
            for start in range(0, len(sources), ROWS):
                some = sources[start : start + ROWS]
                found = self._write([tokens for _, tokens in some], width)
                for (number, _), best in zip(some, found, strict=True):
                    written[number] = best
        return written

    def _write(
        self, sources: Sequence[list[int]], width: int
    ) -> list[list[Hypothesis]]:
        # Always as many rows, so that each width is compiled once.
        rows = np.zeros((ROWS, width), np.int32)
        rows[:, 0] = END
        for row, source in zip(rows, sources, strict=False):
            row[: len(source) + 1] = [*source, END]
        if width not in self._writers:
            most = self._max_length or 2 * width + 10
            self._writers[width] = self._make_writer(max_length=most)
        found = self._writers[width].write(rows)
        return [self._best(found, row) for row in range(len(sources))]

    def _best(self, found, row):
        best = []
        for rank, length in enumerate(found.lengths[row]):
            if not length:
                continue
            ended = bool(found.ended[row, rank])
            tokens = found.tokens[row, rank, : length - ended].tolist()
            text = self._task.target_vocabulary.decode(tokens)
            values = (float(a[row, rank]) for a in (found.scores, found.log_probs))
            best.append(Hypothesis(text, tokens, *values, ended))
        return best
