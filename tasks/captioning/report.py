"""Sections of a report on a network that describes pictures."""

import textwrap
from collections.abc import Iterator
from typing import Any

import numpy as np
from matplotlib.figure import Figure

from ..metrics_package import metrics_package
from ..parts import Section
from ..scenes.grammar import draw_caption
from ..scenes.parser import holds
from ..text.hypotheses import network_of
from .describer import Describer

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


def sections(task: Any, model: Any) -> Iterator[Section]:
    """What a report says of a network besides its scores.

    Args:
        task: A `SceneCaptioning`.
        model: The Keras model.
    """
    describer = Describer(model, task, **task.decoding)
    for at in task.eval_tasks:
        drawn = at.eval_pictures(SHOWN, np.random.default_rng(0))
        written = describer.describe(np.stack([one.picture for one in drawn]))
        texts = [best[0].text for best in written]
        yield Section(
            f"pictures-{at.split}",
            f"Pictures of {at.split}",
            "With the captions that the network has written, green where true.",
            draw_pictures(
                [one.picture for one in drawn],
                texts,
                [holds(t, o.scene).true for t, o in zip(texts, drawn, strict=True)],
            ),
        )
    yield Section(
        "floors",
        "Beside the scores",
        "What captions get that no network has written, on the same pictures of test.",
        None,
        _table(floors(task)),
    )
    yield from _attention(task, model, describer)


def floors(task: Any) -> dict[str, dict[str, float]]:
    """Scores of captions that no network has written, by what they are.

    Args:
        task: A `SceneCaptioning`.
    """
    test = task.on("test")
    drawn = test.eval_pictures(FLOOR_PICTURES, np.random.default_rng(0))
    rng = np.random.default_rng(1)
    own = [draw_caption(one.scene, rng) for one in drawn]
    everything = [caption for one in drawn for caption in one.captions]
    constant = _most_usual(everything)
    kinds = {
        "another caption of the picture": own,
        "a caption of another picture": [*own[1:], own[0]],
        "one caption for all": [constant] * len(drawn),
    }
    return {
        kind: test.score_captions(drawn, captions).values
        for kind, captions in kinds.items()
    }


def _most_usual(captions):
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


def _table(scores):
    names = ("true", "bleu", "meteor", "cider-d")
    rows = [["captions", "true", "BLEU", "METEOR", "CIDEr-D"]]
    for kind, values in scores.items():
        rows.append([kind, *(f"{values[name]:.3f}" for name in names)])
    return rows


def draw_pictures(
    pictures: list[np.ndarray], captions: list[str], true: list[bool]
) -> Figure:
    """Pictures in a row with their captions below, green if they are true, else red.

    Args:
        pictures: The pictures, `(H, W, 3)` each.
        captions: A caption of each.
        true: Whether it is true.
    """
    figure = Figure(figsize=(2.4 * len(pictures), 3.1), layout="constrained")
    rows = figure.subplots(1, len(pictures), squeeze=False)[0]
    for axes, picture, caption, right in zip(
        rows, pictures, captions, true, strict=True
    ):
        axes.imshow(picture)
        axes.set_xticks([])
        axes.set_yticks([])
        color = "#2a7d2a" if right else "#b22222"
        axes.set_xlabel(textwrap.fill(caption, LINE), color=color, fontsize=8)
    return figure


def _attention(task, model, describer):
    from memnets.seq2seq import Captioner

    network = network_of(model, Captioner)
    if network.attention_kind == "none":
        return
    test = task.on("test")
    shown = 0
    for one in test.eval_pictures(20, np.random.default_rng(2)):
        best = describer.describe(one.picture[None])[0][0]
        words = best.text.split()
        if not best.ended or not 4 < len(words) <= MOST_WORDS:
            continue
        batch = task.batch_of(one.picture[None], [best.text])
        weights = np.asarray(network.attention_weights(batch.inputs))[0, : len(words)]
        yield Section(
            f"attention-{shown + 1}",
            "Attention" if not shown else "",
            "The cells of the picture that each word attends to, brighter for more."
            if not shown
            else "",
            draw_cells(one.picture, words, weights),
        )
        shown += 1
        if shown == ATTENDED:
            return


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
    # Of all cells the darkest still shows what is there.
    for axes, word, of_word in zip(grid, words, weights, strict=False):
        scale = picture.shape[0] // side
        light = np.kron(of_word.reshape(side, side), np.ones((scale, scale)))
        light = 0.25 + 0.75 * light / max(light.max(), 1e-9)
        axes.imshow((picture * light[..., None]).astype(np.uint8))
        axes.set_title(word, fontsize=8)
    return figure
