"""Sections of a report on a network that describes pictures."""

import itertools
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from ..contract.parts import Section
from ..figures.figure import Figure
from ..figures.fonts import wrapped
from ..metrics_package import metrics_package
from ..text.hypotheses import network_of
from ..text.pair_report import attention_sections
from .describer import Describer

if TYPE_CHECKING:
    import keras

    from memnets.seq2seq import Captioner

# Heuristic: pictures of each split that are shown, and pictures that floors are of.
SHOWN = 4
FLOOR_PICTURES = 500
# Heuristic: captions among which the most usual one is looked for.
CANDIDATES = 100
# Heuristic: pictures whose attention is drawn, and most words of their captions.
ATTENDED = 2
MOST_WORDS = 14
# Heuristic: characters in a line under a picture.
LINE = 26
# The marks of captions that are true, that are not, and that are unknown.
COLORS = {True: "#2a7d2a", False: "#b22222", None: "#222222"}


def sections(task: Any, model: "keras.Model") -> Iterator[Section]:
    """What a report says of a network besides its scores.

    Args:
        task: A `CaptioningTask`.
        model: The Keras model.
    """
    describer = Describer(model, task, **task.decoding)
    has_pictures = len(task.picture_shape) == 3
    for at in task.evaluation.eval_tasks:
        drawn = at.eval_pictures(SHOWN, np.random.default_rng(0))
        texts = [one.text for one in describer.best_of(drawn)]
        true = [at.is_true(one, text) for one, text in zip(drawn, texts, strict=True)]
        # Where nobody knows what is true, a reference stands below.
        unknown = None in true
        references = [one.captions[0] for one in drawn] if unknown else []
        beside = ", and a reference below" if unknown else ", green where true"
        yield Section(
            f"pictures-{at.split}",
            f"Pictures of {at.split}",
            f"With the captions that the network has written{beside}.",
            draw_pictures([one.picture for one in drawn], texts, true, references)
            if has_pictures
            else None,
            () if has_pictures else _written(drawn, texts),
        )
    at = task.evaluation.eval_tasks[0]
    yield Section(
        "floors",
        "Beside the scores",
        f"What captions get that no network has written, on pictures of {at.split}.",
        None,
        at.presentation.floors(),
    )
    if has_pictures:
        yield from _attention(at, model, describer)


def _written(drawn: Sequence[Any], texts: Sequence[str]) -> list[list[str]]:
    pairs = zip(texts, drawn, strict=True)
    rows = [[text, one.captions[0]] for text, one in pairs]
    return [["written", "a reference"], *rows]


def floors(task: Any) -> dict[str, dict[str, float]]:
    """Scores of captions that no network has written, by what they are.

    Args:
        task: A `CaptioningTask`, on the split whose pictures they are of.
    """
    drawn = task.eval_pictures(FLOOR_PICTURES, np.random.default_rng(0))
    first = [one.captions[0] for one in drawn]
    everything = [caption for one in drawn for caption in one.captions]
    kinds = {
        "another caption of the picture": task.other_captions(
            drawn, np.random.default_rng(1)
        ),
        "a caption of another picture": (drawn, [*first[1:], first[0]]),
        "one caption for all": (drawn, [_most_usual(everything)] * len(drawn)),
    }
    return {
        kind: task.score_captions(pictures, captions).values
        for kind, (pictures, captions) in kinds.items()
        if len(pictures) > 1
    }


def _most_usual(captions: Sequence[str]) -> str:
    """The caption that is most like the others, of some of them."""
    meteor = metrics_package().get("meteor")
    some = sorted(set(captions))[:: max(1, len(set(captions)) // CANDIDATES)]
    others = captions[:: max(1, len(captions) // CANDIDATES)]
    references = [[other] for other in others]
    scores = [
        np.mean(
            [float(s) for s in meteor.sentence_scores(references, [c] * len(others))]
        )
        for c in some
    ]
    return some[int(np.argmax(scores))]


def table_of_floors(task: Any, scores: dict[str, dict[str, float]]) -> list[list[str]]:
    """Scores by what they are of, as rows of a table, the headings first."""
    shown = task.presentation
    names = dict.fromkeys((shown.headline, *task.metrics))
    rows = [["captions", *(shown.column(name).label for name in names)]]
    for kind, values in scores.items():
        cells = (f"{values[name]:.3f}" if name in values else "" for name in names)
        rows.append([kind, *cells])
    return rows


def draw_pictures(
    pictures: list[np.ndarray],
    captions: list[str],
    true: Sequence[bool | None],
    references: Sequence[str] = (),
) -> Figure:
    """Pictures in a row with their captions below, green if they are true, red if they
    are not.

    Args:
        pictures: The pictures, `(H, W, 3)` each.
        captions: A caption of each.
        true: Whether it is true; None if that is not known.
        references: What people have written of each, if it is to be seen too.
    """
    texts = [wrapped(caption, LINE) for caption in captions]
    for row, reference in enumerate(references):
        texts[row] += f"\n\nreference:\n{wrapped(reference, LINE)}"
    lines = max(text.count("\n") for text in texts)
    figure = Figure(
        figsize=(2.4 * len(pictures), 2.7 + 0.14 * lines), layout="constrained"
    )
    all_axes = figure.subplots(1, len(pictures), squeeze=False)[0]
    for axes, picture, text, right in zip(all_axes, pictures, texts, true, strict=True):
        axes.imshow(picture)
        axes.set_xticks([])
        axes.set_yticks([])
        axes.set_xlabel(text, color=COLORS[right], fontsize=8)
    return figure


def _attention(
    task: Any, model: "keras.Model", describer: Describer
) -> Iterator[Section]:
    from memnets.seq2seq import Captioner

    network = network_of(model, Captioner)
    if network.attention_kind != "none":
        how = "The cells of the picture that each word attends to, brighter for more."
        figures = _attended(task, network, describer)
        yield from attention_sections(how, itertools.islice(figures, ATTENDED))


def _attended(
    task: Any, network: "Captioner", describer: Describer
) -> Iterator[Figure]:
    for one in task.eval_pictures(20, np.random.default_rng(2)):
        [best] = describer.best_of([one])
        words = task.target_vocabulary.shown(best.tokens)
        if not best.ended or not 4 < len(words) <= MOST_WORDS:
            continue
        batch = task.written_batch(one.picture[None], [best.tokens])
        weights = np.asarray(network.attention_weights(batch.inputs))[0, : len(words)]
        yield draw_cells(one.picture, words, weights)


def draw_cells(picture: np.ndarray, words: list[str], weights: np.ndarray) -> Figure:
    """A picture for each word, as bright as the word attends to its cells.

    Args:
        picture: `(H, W, 3)`, uint8.
        words: The words.
        weights: `(words, cells)`, the cells row by row.
    """
    side = int(np.sqrt(weights.shape[1]))
    columns = min(7, len(words))
    rows = -(-len(words) // columns)
    figure = Figure(figsize=(1.3 * columns, 1.5 * rows), layout="constrained")
    grid = figure.subplots(rows, columns, squeeze=False).ravel()
    for axes in grid:
        axes.set_axis_off()
    # The darkest cell still shows what is there.
    for axes, word, of_word in zip(grid, words, weights, strict=False):
        light = _magnified(of_word.reshape(side, side), picture.shape[:2])
        light = 0.25 + 0.75 * light / max(light.max(), 1e-9)
        axes.imshow((picture * light[..., None]).astype(np.uint8))
        axes.set_title(word, fontsize=8)
    return figure


def _magnified(cells: np.ndarray, shape: Sequence[int]) -> np.ndarray:
    """Cells as a picture of a shape: each pixel has the number of its cell."""
    rows, columns = (
        np.arange(size) * count // size
        for size, count in zip(shape, cells.shape, strict=True)
    )
    return cells[np.ix_(rows, columns)]
