"""One-shot classification of glyphs."""

import numpy as np
import pytest

from tasks import Batch, OneShot
from tasks.relations.glyphs import (
    CLASSES,
    MAX_STROKES,
    SIDE,
    Strokes,
    all_glyphs,
    images,
    varied,
)

pytestmark = pytest.mark.once
PIXELS = SIDE * SIDE
TASK = OneShot(num_classes=3, instances=5)
BATCH = TASK.sample(20, rng=1)
LABELS = BATCH.targets.argmax(axis=-1)


def sequence(labels, num_classes=2):
    """A batch of one sequence of blank images with these labels."""
    targets = np.eye(num_classes, dtype=np.float32)[labels][None]
    inputs = np.zeros((1, len(labels), PIXELS + num_classes), np.float32)
    inputs[:, 1:, PIXELS:] = targets[:, :-1]
    return Batch(inputs, targets, np.ones((1, len(labels)), np.float32))


def test_the_label_of_an_image_comes_with_the_next_image():
    told = BATCH.inputs[:, :, PIXELS:]
    assert not told[:, 0].any()
    np.testing.assert_array_equal(told[:, 1:], BATCH.targets[:, :-1])


def test_each_class_has_as_many_images_in_random_order():
    counts = BATCH.targets.sum(axis=1)
    np.testing.assert_array_equal(counts, np.full((20, 3), 5))
    assert len({tuple(row) for row in LABELS}) > 10


def test_labels_are_drawn_for_each_sequence():
    """Of one class alone, every label is as likely: it cannot be known."""
    firsts = OneShot(instances=1).sample(1000, rng=0).targets[:, 0].mean(axis=0)
    np.testing.assert_allclose(firsts, 0.2, atol=4 * np.sqrt(0.2 * 0.8 / 1000))


def test_the_solution_is_right_but_for_first_images():
    chances = TASK.solve(BATCH.inputs)
    for labels, rows in zip(LABELS, chances, strict=True):
        seen = []
        for label, row in zip(labels, rows, strict=True):
            if label in seen:
                np.testing.assert_array_equal(row, np.eye(3)[label])
            else:
                new = np.isin(np.arange(3), seen, invert=True)
                np.testing.assert_allclose(row, new / new.sum())
            seen.append(label)


def test_classes_of_training_and_evaluation_are_disjoint():
    glyphs = {
        kind: {tuple(points.ravel()) for points in all_glyphs(kind).points}
        for kind in CLASSES
    }
    assert {kind: len(found) for kind, found in glyphs.items()} == CLASSES
    assert not glyphs["training"] & glyphs["evaluation"]
    trained = TASK.stream.sample(2, rng=1)
    assert (trained.inputs != TASK.sample(2, rng=1).inputs).any()
    strokes = all_glyphs("training").drawn.sum(axis=1)
    assert set(strokes) == {3, 4, 5}


def test_images_of_a_class_differ_and_are_more_alike_than_those_of_others():
    glyphs = all_glyphs("evaluation")
    some = Strokes(glyphs.points[:100], glyphs.drawn[:100])
    rng = np.random.default_rng(0)
    one, two = images(varied(some, rng)), images(varied(some, rng))
    assert (one != two).any(axis=1).all()
    likeness = (one / np.linalg.norm(one, axis=1, keepdims=True)) @ two.T
    assert (likeness.argmax(axis=0) == np.arange(100)).mean() > 0.5


def test_a_stroke_is_drawn_where_it_is():
    points = np.zeros((1, MAX_STROKES, 3, 2))
    points[0, 0, :, 0] = [-5.5, -0.5, 5.5]  # down the middle, between two columns
    drawn = np.array([[True] + [False] * (MAX_STROKES - 1)])
    image = images(Strokes(points, drawn)).reshape(SIDE, SIDE)
    rows, columns = np.nonzero(image)
    assert set(columns) == {9, 10} and set(rows) == set(range(4, 16))
    # What lies outside of the image leaves nothing on it.
    assert not images(Strokes(points + 100, drawn)).any()


def test_scores_are_by_instance():
    task, batch = OneShot(2, 3), sequence([0, 1, 1, 0, 0, 1])
    # Right at the steps 1, 2 and 4: the first and second image of 1, the third of 0.
    given = np.array([1, 1, 1, 1, 0, 0])
    errors = task.errors(batch, np.eye(2)[given][None])
    assert {name: float(values[0]) for name, values in errors.items()} == {
        "instance_1": 0.5,
        "instance_2": 0.5,
        "instance_3": 0.5,
        "symbol_errors": 3.0,
        "bits": pytest.approx(errors["bits"][0]),
    }


@pytest.mark.parametrize("instances", [1, 2, 3])
def test_the_headline_is_a_value_of_every_evaluation(instances):
    task = OneShot(num_classes=2, instances=instances)
    assert task.presentation.headline == f"instance_{min(2, instances)}"
    for at in task.evaluation.eval_tasks:
        batch = at.sample(1, 0)
        assert task.presentation.headline in at.errors(batch, at.solve(batch.inputs))


def test_guessing_first_images_costs_what_it_costs():
    task = OneShot(num_classes=3, instances=2)
    batch = task.sample(4000, rng=0)
    chances = task.solve(batch.inputs)
    noise = np.random.default_rng(0).uniform(0, 0.1, chances.shape)
    errors = task.errors(batch, np.log(chances + 1e-9) + noise)
    assert errors["symbol_errors"].mean() == pytest.approx(task.guessed, abs=0.05)
    assert errors["instance_2"].all()
    assert task.guessed == pytest.approx(2 / 3 + 1 / 2)


def test_longer_sequences_have_more_images_of_each_class():
    longer = TASK.evaluation.at_length(7).sample(2, rng=0)
    assert longer.inputs.shape == (2, 21, PIXELS + 3)
    assert longer.targets.sum(axis=1).tolist() == [[7.0] * 3] * 2


@pytest.mark.parametrize(("share", "classes"), [(0.0, 2), (0.3, 7), (0.99, 20)])
def test_a_curriculum_begins_with_few_classes_and_as_many_images(share, classes):
    task = OneShot(num_classes=20, instances=3)
    easier = task.stream.easier(share)
    assert (easier.classes, easier.instances) == (classes, 60 // classes)
    batch = easier.sample(5, rng=0)
    assert batch.inputs.shape[1] <= 60 and batch.inputs.shape[2] == task.input_size
    assert (batch.targets[..., classes:] == -1).all()
    assert not batch.inputs[..., PIXELS + classes :].any()
    counts = (batch.targets[..., :classes] == 1).sum(axis=1)
    np.testing.assert_array_equal(counts, np.full((5, classes), 60 // classes))
    # Labels that are no choice have no chance, and cost nothing.
    chances = easier.solve(batch.inputs)
    assert not chances[..., classes:].any()
    np.testing.assert_allclose(chances[:, 0, :classes], 1 / classes, rtol=1e-6)
    logits = np.log(chances + 1e-9)
    errors = easier.errors(batch, logits)
    assert errors["instance_2"].all()
    logits[..., classes:] = 100.0
    for name, values in easier.errors(batch, logits).items():
        np.testing.assert_allclose(values, errors[name], rtol=1e-5)


@pytest.mark.parametrize("present", [1, 6, -1])
def test_present_classes_have_labels(present):
    with pytest.raises(ValueError, match="`present` must be"):
        OneShot(num_classes=5, present=present)


def test_print_has_the_labels():
    batch = sequence([0, 1, 1, 0])
    task = OneShot(num_classes=2, instances=2)
    assert task.presentation.render(batch, batch.targets).splitlines() == [
        "sequence 0",
        "   input ·011",
        "  target 0110",
        "  output 0110",
        "   wrong",
    ]


@pytest.mark.parametrize(
    ("labels", "message"),
    [([0, 0, 0, 1], "has not as many images of each class"), ([], "an image without")],
)
def test_other_inputs_are_refused(labels, message):
    batch = sequence(labels or [0, 1, 1, 0])
    if not labels:
        batch.inputs[0, 2, PIXELS:] = 0
    with pytest.raises(ValueError, match=f"one-shot. Received one that .*{message}"):
        OneShot(2, 2).solve(batch.inputs)


def test_more_classes_than_there_are_is_an_error():
    with pytest.raises(
        ValueError, match="`num_classes` must be at most 1000. Received"
    ):
        OneShot(num_classes=1001)


def test_picture_has_the_images_and_the_answers():
    batch = TASK.sample(1, rng=0)
    outputs = batch.targets.copy()
    outputs[0, 3] = np.roll(outputs[0, 3], 1)
    axes = TASK.presentation.draw(batch, outputs, []).axes
    titles = [axis.get_title() for axis in axes if axis.images]
    assert len(titles) == 15
    assert ["not" in title for title in titles].index(True) == 3
    assert sum("not" in title for title in titles) == 1
