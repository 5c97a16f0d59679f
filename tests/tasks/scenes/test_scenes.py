"""Scenes, their pictures and captions."""

import itertools
import math

import numpy as np
import pytest

from tasks.captions.scenes.drawing import BACKGROUND, draw_picture
from tasks.captions.scenes.grammar import draw_caption, vocabulary
from tasks.captions.scenes.parser import holds, parse
from tasks.captions.scenes.world import (
    COLORS,
    HELD_BACK,
    SHAPES,
    SIZE,
    Thing,
    draw_scene,
)

RED_STAR = Thing("star", "red", "large", 20.0, 20.0)
BLUE_BOX = Thing("square", "blue", "small", 45.0, 25.0)
SCENE = RED_STAR, BLUE_BOX


def scenes(count, **options):
    rng = np.random.default_rng(3)
    return [draw_scene(rng, int(rng.integers(1, 5)), **options) for _ in range(count)]


def test_no_objects_overlap_or_leave_the_picture():
    for scene in scenes(300):
        for thing in scene:
            for middle in (thing.x, thing.y):
                assert thing.radius < middle < SIZE - thing.radius
        for one, other in itertools.combinations(scene, 2):
            apart = math.dist((one.x, one.y), (other.x, other.y))
            assert apart > one.radius + other.radius


def test_held_back_pairs_occur_only_where_they_are_asked_for():
    assert len(set(HELD_BACK)) == len(COLORS)
    assert {shape for _, shape in HELD_BACK} == set(SHAPES)
    seen = {(t.color, t.shape) for scene in scenes(2000) for t in scene}
    assert seen == set(itertools.product(COLORS, SHAPES)) - set(HELD_BACK)
    for scene in scenes(300, held_back=True):
        assert sum((t.color, t.shape) in HELD_BACK for t in scene) == 1


@pytest.mark.parametrize(
    ("shape", "area"),
    [
        ("circle", math.pi),
        ("square", 2.0),
        ("triangle", 3 * math.sqrt(3) / 4),
        # Two bars of 1.9 by 0.6 that cross.
        ("cross", 2 * 1.9 * 0.6 - 0.6**2),
        # Ten triangles of the sides 1 and 0.381966 and an angle of 36 degrees.
        ("star", 10 * 0.5 * 0.381966 * math.sin(math.pi / 5)),
    ],
)
def test_a_shape_covers_its_area(shape, area):
    rng = np.random.default_rng(0)
    covered = []
    # Straight edges cover a row of pixels more or less; over many places as often.
    for x, y in rng.uniform(20, 40, (60, 2)).tolist():
        picture = draw_picture((Thing(shape, "black", "large", x, y),), rng)
        covered.append((picture.mean(axis=2) < (BACKGROUND + 25) / 2).sum())
    radius = Thing(shape, "black", "large", 0.0, 0.0).radius
    assert np.mean(covered) == pytest.approx(area * radius**2, rel=0.02)


def test_a_picture_has_the_colors_where_the_objects_are():
    picture = draw_picture(SCENE, np.random.default_rng(0)).astype(float)
    assert picture.shape == (SIZE, SIZE, 3)
    for thing in SCENE:
        y, x = int(thing.y), int(thing.x)
        found = picture[y - 1 : y + 2, x - 1 : x + 2].mean(axis=(0, 1))
        np.testing.assert_allclose(found, COLORS[thing.color], atol=12)
    np.testing.assert_allclose(picture[55:, :, :].mean(), BACKGROUND, atol=1)


def test_every_caption_that_is_drawn_is_true():
    rng = np.random.default_rng(4)
    for scene in scenes(1000):
        caption = draw_caption(scene, rng)
        verdict = holds(caption, scene)
        assert verdict.parsed and verdict.true, caption
        assert set(caption.split()) <= set(vocabulary())


@pytest.mark.parametrize(
    ("caption", "parsed", "true", "complete"),
    [
        ("a red star", True, True, False),
        ("there is a big red star left of a tiny blue box", True, True, True),
        ("a blue square to the right of a red star", True, True, True),
        # One thing is wrong in each.
        ("a blue star", True, False, False),
        ("a small red star", True, False, False),
        ("a red star right of a blue square", True, False, False),
        ("a red star above a blue square", True, False, False),
        ("a red star left of a blue square and a red star", True, False, False),
        # Not of the grammar.
        ("red star", False, False, False),
        ("a red star and a blue square", False, False, False),
        ("a red star left of", False, False, False),
        ("", False, False, False),
    ],
)
def test_what_a_caption_says_is_checked(caption, parsed, true, complete):
    assert holds(caption, SCENE) == (parsed, true, complete)


def test_two_objects_that_are_named_are_two():
    below = Thing("star", "red", "small", 22.0, 50.0)
    caption = "a red star above a red star"
    assert not holds(caption, (RED_STAR,)).true
    assert holds(caption, (RED_STAR, below)).true
    assert holds(caption, (below, RED_STAR)).true
    # Which of the two is meant is said by its size.
    assert not holds("a small red star above a red star", (RED_STAR, below)).true


def test_parsing_finds_synonyms():
    said = parse("we see a tiny red plus sign beneath an orange round shape")
    assert said.relation == "below"
    assert [tuple(thing) for thing in said.things] == [
        ("small", "red", "cross"),
        (None, "orange", "circle"),
    ]
