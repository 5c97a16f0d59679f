"""Pictures with texts of users: no formulas, other fonts, one note."""

import ast
import functools
import pathlib

import matplotlib.figure
import numpy as np
import pytest
from fontTools.fontBuilder import FontBuilder
from fontTools.pens.ttGlyphPen import TTGlyphPen
from matplotlib import font_manager
from matplotlib.backends.backend_agg import FigureCanvasAgg

import tasks
from memnets.flow import GradientFlow
from tasks.captions.report import draw_cells, draw_pictures
from tasks.comparison.figures import BySize, Curves, draw_panels
from tasks.contract.parts import Column, Section
from tasks.figures.figure import Figure, missing_note
from tasks.figures.fonts import fallbacks, wrapped
from tasks.relations.stories.figures import draw_hops
from tasks.report.page import write_page
from tasks.runs.output_folder import OutputFolder
from tasks.text.by_length import ScoredLines
from tasks.text.figures import (
    draw_bits,
    draw_by_length,
    draw_closings,
    draw_token_bits,
    draw_weights,
)
from tasks.vectors.figures import draw_words

ROOT = pathlib.Path(tasks.__file__).parent
# The last one is a character that no font has.
NONE_HAS = "\U0010fffd"
HOSTILE = ("$x_$", "$\\foo$", "from $5 to $10", "\\frac{", "a_b^c", "狗\r\n", NONE_HAS)


def pixels(figure):
    canvas = FigureCanvasAgg(figure)
    canvas.draw()
    return np.asarray(canvas.buffer_rgba())


def titled(kind, title):
    figure = kind(figsize=(4, 1))
    figure.suptitle(title)
    return pixels(figure)


def test_dollars_are_drawn_as_dollars():
    # Matplotlib takes a dollar after a backslash for a dollar.
    expected = titled(matplotlib.figure.Figure, r"from \$5 to \$10")
    assert np.array_equal(titled(Figure, "from $5 to $10"), expected)
    formula = titled(matplotlib.figure.Figure, "from $5 to $10")
    assert not np.array_equal(formula, expected)


def test_a_backslash_before_a_dollar_is_drawn():
    drawn = titled(Figure, r"\$")
    assert not np.array_equal(drawn, titled(Figure, "$"))


@pytest.mark.parametrize("scale", ["linear", "log", "symlog"])
def test_powers_of_ten_stay_formulas(scale):
    def drawn(kind):
        figure = kind(layout="constrained")
        axes = figure.subplots()
        axes.plot([0.001, 1000.0], [0.001, 1000.0])
        axes.set_xscale(scale)
        axes.set_yscale(scale)
        return pixels(figure)

    assert np.array_equal(drawn(Figure), drawn(matplotlib.figure.Figure))


def lines_by_length(words):
    return {word: [ScoredLines(word, 0.4, (0.3, 0.5))] for word in words}


class Vectors(dict):
    """Word vectors, as far as a picture asks for them."""


FLOW = GradientFlow(np.ones(3), np.ones((3, 1)), np.ones(2), None, None)
COLUMN = Column("$bits_$")
DRAWN = {
    "pictures": lambda texts: draw_pictures(
        [np.zeros((4, 4, 3), np.uint8)] * len(texts), texts, [None] * len(texts)
    ),
    "cells": lambda texts: draw_cells(
        np.zeros((4, 4, 3), np.uint8), texts, np.ones((len(texts), 4))
    ),
    "weights": lambda texts: draw_weights(np.eye(len(texts)), texts, texts),
    "bits": lambda texts: draw_bits("".join(texts), np.ones(len("".join(texts)))),
    "token bits": lambda texts: draw_token_bits(texts, np.ones(len(texts))),
    "closings": lambda texts: draw_closings(
        {text: (np.ones(3), np.ones(3)) for text in texts}, "$", "\\$_{"
    ),
    "by length": lambda texts: draw_by_length(lines_by_length(texts)),
    "words": lambda texts: draw_words(
        Vectors({t: np.eye(len(texts))[n] for n, t in enumerate(texts)}), texts
    ),
    "hops": lambda texts: draw_hops(
        texts, texts[0], texts[:2], [True] * len(texts), np.ones((2, len(texts)))
    ),
    "flow": lambda texts: tasks.draw_gradient_flow(dict.fromkeys(texts, FLOW)),
    "curves": lambda texts: draw_panels(
        [Curves({text: ([1.0, 2.0], np.ones((2, 2))) for text in texts}, COLUMN)]
    ),
    "values": lambda texts: draw_panels(
        [BySize(list(texts), {t: np.ones((1, len(texts))) for t in texts}, COLUMN)]
    ),
}


@pytest.mark.parametrize("draw", DRAWN.values(), ids=DRAWN)
def test_every_picture_takes_every_text(draw):
    figure = draw(HOSTILE)  # a warning would be an error
    assert isinstance(figure, Figure)
    pixels(figure)
    assert NONE_HAS in figure.missing


def test_everything_is_drawn_on_this_figure():
    own = ROOT / "figures" / "figure.py"
    for path in set(ROOT.rglob("*.py")) - {own}:
        for node in ast.walk(ast.parse(path.read_text())):
            if isinstance(node, ast.ImportFrom | ast.Import):
                names = [
                    getattr(node, "module", "") or "",
                    *(n.name for n in node.names),
                ]
                assert "matplotlib.figure" not in names, path
                assert not any("pyplot" in name for name in names), path


# --- fonts ---


@pytest.fixture
def font(tmp_path):
    """A function that installs a font with some characters, for the test."""
    before = list(font_manager.fontManager.ttflist)

    def install(name, characters):
        builder = FontBuilder(1000, isTTF=True)
        glyphs = [".notdef", *(f"u{ord(c):04X}" for c in characters)]
        pen = TTGlyphPen(None)
        for number, point in enumerate([(0, 0), (0, 700), (700, 700), (700, 0)]):
            (pen.lineTo if number else pen.moveTo)(point)
        pen.closePath()
        shape = pen.glyph()
        builder.setupGlyphOrder(glyphs)
        builder.setupCharacterMap({ord(c): f"u{ord(c):04X}" for c in characters})
        builder.setupGlyf(dict.fromkeys(glyphs, shape))
        builder.setupHorizontalMetrics(dict.fromkeys(glyphs, (800, 0)))
        builder.setupHorizontalHeader(ascent=800, descent=-200)
        builder.setupNameTable({"familyName": name, "styleName": "Regular"})
        builder.setupOS2(usWeightClass=400)
        builder.setupPost()
        path = tmp_path / f"{name}.ttf"
        builder.save(path)
        font_manager.fontManager.addfont(path)
        fallbacks.cache_clear()

    yield install
    font_manager.fontManager.ttflist[:] = before
    fallbacks.cache_clear()


# Of a private area, which fonts of the machine hardly have.
RARE = "\U0010f123\U0010f124\U0010f125"


def test_an_installed_font_draws_what_the_usual_one_lacks(font):
    font("Memnets Test Two", RARE[:2])
    font("Memnets Test One", RARE[:1])
    found = fallbacks(frozenset("a" + RARE), ("DejaVu Sans",))
    # The fewest fonts, and what none of them has.
    assert found == (("Memnets Test Two",), frozenset(RARE[2]))
    square, other = titled(Figure, RARE[0]), titled(Figure, RARE[2])
    assert not np.array_equal(square, other)
    assert np.array_equal(square, titled(Figure, RARE[1]))


def test_no_other_font_is_asked_for_what_the_usual_one_has():
    assert fallbacks(frozenset("aé→"), ("DejaVu Sans",)) == ((), frozenset())


def test_drawing_again_changes_nothing():
    figure = Figure()
    text = figure.suptitle("狗 $x_$")
    first = pixels(figure).copy()
    families = text.get_fontfamily()
    assert np.array_equal(pixels(figure), first)
    assert text.get_fontfamily() == families


def test_a_page_has_one_note_on_all_characters_that_no_font_has(tmp_path):
    def drawn(text):
        figure = Figure(figsize=(2, 1))
        figure.suptitle(text)
        return Section(f"picture-{len(text)}", "", "", figure)

    page = functools.partial(write_page, title="A", summary="B")
    sections = [drawn(NONE_HAS), drawn(f"{NONE_HAS}{NONE_HAS}a")]
    path = page(OutputFolder(tmp_path, "run"), "page.html", sections=sections)
    assert path.read_text().count("no installed font has: U+10FFFD. Install") == 1
    path = page(OutputFolder(tmp_path, "run"), "page.html", sections=[drawn("plain")])
    assert "no installed font" not in path.read_text()
    assert missing_note([None]) == ""


def test_wide_characters_count_twice_in_a_line():
    assert wrapped("a dog on a lawn", 8) == "a dog on\na lawn"
    assert wrapped("狗" * 10, 8) == "\n".join(["狗" * 4, "狗" * 4, "狗" * 2])
    assert wrapped("", 8) == ""
