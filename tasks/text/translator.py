"""Lines of text translated by a trained network."""

import functools
import itertools
from collections.abc import Callable, Hashable, Iterable
from typing import TYPE_CHECKING, Any

import numpy as np

from ..checks import check_integer, check_number, shorten
from ..models.keras_model import check_vocabulary
from .attention import AttentionMap, attention_map, check_attends
from .hypotheses import (
    Hypothesis,
    check_n_best,
    check_sampling,
    check_task,
    checked_lines,
    hypotheses_of,
    model_and_task,
    network_of,
)
from .tokens import END, NEVER_WRITTEN, START, UNKNOWN

if TYPE_CHECKING:
    from memnets.decoders import Decoded

# Heuristic: so many sources are written at once; more are not faster on a processor.
ROWS = 32


class Translator:
    """Writes translations with a trained network.

    Sources are written in groups of a few lengths, each compiled once. A translation
    does not depend on the others of its group.

    Args:
        model: The Keras model of a task of pairs; or a run (`tasks.open_run`), or what
            `tasks.train` returned, without a task.
        task: The task of a Keras model, with the vocabulary that it was trained with.
        beam_size: Hypotheses that are kept; 1 is greedy decoding. The task's own if
            None, as in evaluations, or 5.
        length_penalty: See `memnets.decoders.beam_search`. The task's own if None,
            or 1.
        n_best: Translations of each line.
        max_length: Most tokens of a translation; twice those of the longest source
            of its group and 10 if None.
        min_length: Fewest tokens of a translation.
        no_repeat_ngram: No translation has the same n tokens twice; 0 for no such ban.
    Raises:
        ValueError: If an argument is out of its range, or the task or the model does
            not read one text and write another.
    """

    def __init__(
        self,
        model: Any,
        task: Any = None,
        *,
        beam_size: int | None = None,
        length_penalty: float | None = None,
        n_best: int = 1,
        max_length: int | None = None,
        min_length: int = 0,
        no_repeat_ngram: int = 0,
    ) -> None:
        from memnets.seq2seq import SequenceToSequence, Writer

        model, task = model_and_task(model, task)
        check_task(task, "source_vocabulary", "reads one text and writes another")
        own = {"beam_size": 5, "length_penalty": 1.0, **task.decoding}
        beam_size = own["beam_size"] if beam_size is None else beam_size
        if length_penalty is None:
            length_penalty = own["length_penalty"]
        check_integer("beam_size", beam_size, 1, task.output_size)
        check_n_best(n_best, beam_size)
        check_number("length_penalty", length_penalty, minimum=0)
        if max_length is not None:
            check_integer("max_length", max_length)
        check_integer("min_length", min_length, 0, max_length)
        check_integer("no_repeat_ngram", no_repeat_ngram, 0)
        network = network_of(model, SequenceToSequence)
        check_vocabulary(network.source_tokens, task.input_size)
        check_vocabulary(network.target_tokens, task.output_size)
        self._model, self._task = model, task
        self._max_length = max_length
        self._constraints: dict[str, Any] = {
            "min_length": min_length,
            "no_repeat_ngram": no_repeat_ngram,
            "banned": NEVER_WRITTEN,
        }
        # Decoders are kept by what they are and by the width of their sources.
        self._decoders: dict[Any, Any] = {}
        self._network = network
        self._search = functools.partial(
            Writer,
            beam_size=beam_size,
            n_best=n_best,
            length_penalty=length_penalty,
        )
        # The numbers, from 1, of those of the last lines that were longer than the
        # task's sources, and cut; and of those with words that the network never saw.
        self.cut: list[int] = []
        self.unknown: list[int] = []

    def translate(
        self,
        lines: Iterable[str],
        advance: Callable[[int], None] = lambda lines: None,
    ) -> list[list[Hypothesis]]:
        """The best translations of each line, best first; of a blank line an empty one.

        Args:
            lines: The lines.
            advance: Is told how many lines more are done.
        """

        def write(rows: np.ndarray, numbers: list[int]) -> "Decoded":
            return self._decoder("search", self._search, rows.shape[1]).write(rows)

        return self._written(lines, write, advance)

    def sample(
        self,
        lines: Iterable[str],
        count: int = 1,
        *,
        seed: int = 1,
        temperature: float = 1.0,
        top_k: int | None = None,
        top_p: float | None = None,
        advance: Callable[[int], None] = lambda lines: None,
    ) -> list[list[Hypothesis]]:
        """Translations of each line, drawn from the probabilities of the network.

        Those of a line do not depend on the other lines, only on the number of the
        line, on `count` and on the seed.

        Args:
            lines: The lines.
            count: Translations of each line.
            seed: The same seed gives the same translations.
            temperature: Below 1, probable tokens more often; 0 is greedy.
            top_k: Only the k most probable tokens are drawn.
            top_p: Only the fewest tokens with at least this probability together.
            advance: Is told how many translations more are done.
        Raises:
            ValueError: If an argument is out of its range.
        """
        from memnets.decoders import uniforms
        from memnets.seq2seq import Sampler

        check_integer("count", count)
        options: dict[str, Any] = {
            "temperature": temperature,
            "top_k": top_k,
            "top_p": top_p,
        }
        check_sampling(seed=seed, **options)
        sampler = functools.partial(Sampler, **options)
        lines = checked_lines("lines", lines)
        drawn: list[list[Hypothesis]] = [[] for _ in lines]
        for number in range(count):

            def write(
                rows: np.ndarray, numbers: list[int], number: int = number
            ) -> "Decoded":
                decoder = self._decoder(tuple(options.items()), sampler, rows.shape[1])
                places = [count * line + number for line in numbers]
                places += [0] * (len(rows) - len(places))
                return decoder.write(rows, uniforms(places, decoder.max_length, seed))

            for of_line, more in zip(
                drawn, self._written(lines, write, advance), strict=True
            ):
                of_line += more
        return drawn

    def align(self, line: str) -> AttentionMap:
        """The best translation of a line, with how much each of its tokens attends to
        each token of the line.

        Args:
            line: The line; what is too long for the network is cut.
        Raises:
            TypeError: If it is no string.
            ValueError: If the network has no attention.
        """
        if not isinstance(line, str):
            raise TypeError(f"`line` must be a string. Received: line={shorten(line)}")
        check_attends(self._network)
        [[best, *_]] = self.translate([line])
        [source] = self._cut([line])
        return attention_map(self._task, self._network, source, best)

    def score(self, lines: Iterable[str], targets: Iterable[str]) -> list[float]:
        """The log-probability of a given translation of each line, in nats.

        Args:
            lines: The lines.
            targets: A translation of each.
        Raises:
            ValueError: If there are not as many, or one has too many tokens.
        """
        task, longest = self._task, self._task.source_widths[-1]
        lines = checked_lines("lines", lines)
        targets = checked_lines("targets", targets)
        if len(lines) != len(targets):
            raise ValueError(
                f"`targets` must have {len(lines)} lines, as many as the sources. "
                f"Received: {len(targets)}"
            )
        sources = self._cut(lines)
        written = [task.target_vocabulary.encode(target) for target in targets]
        for number, tokens in enumerate(written, 1):
            if len(tokens) >= longest:
                raise ValueError(
                    f"`targets` must have less than {longest} tokens in each line. "
                    f"Received in line {number}: {len(tokens)}"
                )
        pairs = list(zip(sources, written, strict=True))
        log_probs = np.zeros(len(pairs))
        for start in range(0, len(pairs), ROWS):
            some = pairs[start : start + ROWS]
            batch = task.batch_of([*some, *[([], [])] * (ROWS - len(some))], longest)
            logits = np.asarray(self._model.predict_on_batch(batch.inputs))
            bits = task.errors(batch, logits)["bits_per_token"]
            nats = -bits * np.log(2) * batch.mask.sum(axis=1)
            log_probs[start : start + ROWS] = nats[: len(some)]
        return log_probs.tolist()

    def _written(
        self,
        lines: Iterable[str],
        write: "Callable[[np.ndarray, list[int]], Decoded]",
        advance: Callable[[int], None],
    ) -> list[list[Hypothesis]]:
        """For each line what `write` makes of rows of sources and their numbers."""
        widths, vocabulary = self._task.source_widths, self._task.target_vocabulary
        groups: dict[int, list[tuple[int, list[int]]]] = {width: [] for width in widths}
        written: list[list[Hypothesis]] = []
        for number, tokens in enumerate(self._cut(lines)):
            written.append([Hypothesis("", [], 0.0, 0.0, True)])
            if tokens:
                width = next(width for width in widths if width > len(tokens))
                groups[width].append((number, tokens))
            else:
                advance(1)
        for width, sources in groups.items():
            # Those of about one length end at about the same step.
            sources.sort(key=lambda source: len(source[1]))
            for start in range(0, len(sources), ROWS):
                some = sources[start : start + ROWS]
                # Always as many rows, so that each width is compiled once: the sources
                # again and again, which are written as long as the sources are.
                rows = np.zeros((ROWS, width), np.int32)
                for row, (_, source) in zip(rows, itertools.cycle(some), strict=False):
                    row[: len(source) + 1] = [*source, END]
                numbers = [number for number, _ in some]
                found = write(rows, numbers)
                for place, number in enumerate(numbers):
                    written[number] = hypotheses_of(found, place, vocabulary)
                advance(len(some))
        return written

    def _cut(self, lines: Iterable[str]) -> list[list[int]]:
        """The tokens of each line, as many as there is room for."""
        lines = checked_lines("lines", lines)
        most = self._task.source_widths[-1] - 1
        sources = [self._task.source_vocabulary.encode(line) for line in lines]
        self.cut = [n for n, tokens in enumerate(sources, 1) if len(tokens) > most]
        self.unknown = [n for n, tokens in enumerate(sources, 1) if UNKNOWN in tokens]
        return [tokens[:most] for tokens in sources]

    def _decoder(self, kind: Hashable, make: Callable[..., Any], width: int) -> Any:
        if (kind, width) not in self._decoders:
            fewest = self._constraints["min_length"]
            most = self._max_length or max(2 * width + 10, fewest)
            self._decoders[kind, width] = make(
                self._network, START, END, most, **self._constraints
            )
        return self._decoders[kind, width]
