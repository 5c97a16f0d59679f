"""Sections of a report on a network that translates."""

import itertools
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from ..contract.parts import Section
from ..figures.figure import Figure
from ..metrics_package import metrics_package
from .attention import LAST, attention_weights
from .by_length import scores_by_length
from .figures import draw_by_length, draw_weights
from .hypotheses import Hypothesis
from .tokens import END, START
from .translator import Translator

if TYPE_CHECKING:
    import keras

    from memnets.seq2seq import SequenceToSequence


# Weights of a target on its source, `(T, S)`, from the tokens of source and target.
Weights = Callable[[list[int], list[int]], Any]

# Heuristic: lines that a report translates.
LINES = 1000
# Heuristic: lines in the table, and sequences whose attention is drawn.
SHOWN = 3
# Heuristic: of a line whose attention is drawn, so that its words can be read.
MOST_TOKENS = 30


class Translated(NamedTuple):
    """Lines with what a network made of them."""

    sources: list[str]
    references: list[list[str]]
    best: list[Hypothesis]


def sections(task: Any, model: "keras.Model") -> Iterator[Section]:
    """What a report says of a network besides its scores.

    Args:
        task: A `PairTask`.
        model: The Keras model.
    """
    sources, references = task.eval_pairs(
        min(LINES, task.evaluation.num_eval_sequences), np.random.default_rng(0)
    )
    written = Translator(model, task, **task.decoding).translate(sources)
    done = Translated(sources, references, [best[0] for best in written])
    texts = [h.text for h in done.best]
    groups = scores_by_length(sources, references, texts)
    intervals = any(group.interval for group in groups)
    yield Section(
        "lengths",
        "By length of the source",
        f"BLEU of {len(sources)} lines{', with intervals of 95%' * intervals}. "
        f"{_faults(done)}",
        draw_by_length({task.name: groups}),
    )
    yield Section(
        "lines",
        "The best, middle and worst lines",
        "By chrF of the line.",
        None,
        _table(done),
    )
    yield from _attention(task, model, done)


def _faults(done: Translated) -> str:
    texts = [h.text for h in done.best]
    unended = np.mean([not h.ended for h in done.best])
    repeats = np.mean([_repeats(text) for text in texts])
    words = sum(len(text.split()) for text in texts)
    expected = sum(len(group[0].split()) for group in done.references)
    return (
        f"{unended:.1%} never ended, {repeats:.1%} have three words twice; they have "
        f"{words / max(1, expected):.2f} times the words of the references."
    )


def _repeats(text: str) -> bool:
    words = text.split()
    grams = [tuple(words[k : k + 3]) for k in range(len(words) - 2)]
    return len(set(grams)) < len(grams)


def _table(done: Translated) -> Sequence[Sequence[str]]:
    chrf = metrics_package().get("chrf")
    texts = [h.text for h in done.best]
    scores = [float(s) for s in chrf.sentence_scores(done.references, texts)]
    order = np.argsort(scores, kind="stable")[::-1]
    middle = max(0, (len(order) - SHOWN) // 2)
    chosen = [*order[:SHOWN], *order[middle : middle + SHOWN], *order[-SHOWN:]]
    rows = [["chrF", "source", "written", "reference"]]
    for row in dict.fromkeys(chosen):
        line = done.sources[row], texts[row], done.references[row][0]
        rows.append([f"{scores[row]:.3f}", *line])
    return rows


def _attention(task: Any, model: "keras.Model", done: Translated) -> Iterator[Section]:
    from memnets.seq2seq import SequenceToSequence

    network = next(la for la in model.layers if isinstance(la, SequenceToSequence))
    alignment = _alignment(task, network)
    if alignment is not None:
        how, weights_of = alignment
        figures = _drawn(task, done, weights_of)
        yield from attention_sections(how, itertools.islice(figures, SHOWN))


def _alignment(task: Any, network: "SequenceToSequence") -> tuple[str, Weights] | None:
    """What aligns a target with its source, in words, and the weights, from the tokens
    of both; None if nothing does."""
    from memnets.seq2seq import memory_alignment

    def attended(source: list[int], written: list[int]) -> np.ndarray:
        return attention_weights(task, network, source, written)

    def remembered(source: list[int], written: list[int]) -> np.ndarray:
        return memory_alignment(network, [[*source, END]], [[START, *written]])[0]

    if network.attention_kind != "none":
        how = "How much each token that is written (rows) attends to the source."
        return how, attended
    if hasattr(getattr(network.encoder[-1], "cell", None), "unpack"):
        how = (
            "How much of what is read from the memory when a token is written (rows) "
            "lies where a token of the source was written: the sum of the products of "
            "both weightings."
        )
        return how, remembered
    return None


def _drawn(task: Any, done: Translated, weights_of: Weights) -> Iterator[Figure]:
    for source, best in zip(done.sources, done.best, strict=True):
        tokens = task.source_vocabulary.encode(source)
        if not best.ended or not 4 < max(len(tokens), len(best.tokens)) < MOST_TOKENS:
            continue
        yield draw_weights(
            weights_of(tokens, best.tokens),
            [*task.target_vocabulary.shown(best.tokens), LAST],
            [*task.source_vocabulary.shown(tokens), LAST],
        )


def attention_sections(how: str, figures: Iterable[Figure]) -> Iterator[Section]:
    """Sections with pictures of attention, the first of which says how they are read.

    Args:
        how: How they are read.
        figures: The pictures.
    """
    for number, figure in enumerate(figures, 1):
        heading, text = ("Attention", how) if number == 1 else ("", "")
        yield Section(f"attention-{number}", heading, text, figure)
