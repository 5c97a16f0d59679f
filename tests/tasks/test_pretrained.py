"""The networks that come with the package do what they were trained for."""

import json

import numpy as np
import pytest

import tasks
from tasks import pretrained

NAMES = sorted(pretrained.manifest())


@pytest.mark.parametrize("name", NAMES)
def test_files_are_small_and_say_how_they_were_made(name):
    entry = pretrained.manifest()[name]
    assert (pretrained.FOLDER / entry["file"]).stat().st_size <= 2**20
    assert entry["command"].startswith(f"memnets train {name} --model ntm-")
    assert f"--seed {entry['seed']}" in entry["command"]
    assert {"memnets", "keras", "numpy", "backend"} <= set(entry["versions"])


# By task: sequences beyond training, and the bound of their wrong bits. Bits of n-grams
# are random: the best predictor has 69 of 300 wrong.
BEYOND = {
    "copy": (tasks.Copy().at_length(60), 0.1),
    # Twice the vectors, 1,600 bits; chance is 800 wrong.
    "repeat-copy": (tasks.RepeatCopy().at_length(20), 1.0),
    # Five times the items of the longest list of training.
    "associative-recall": (tasks.AssociativeRecall().at_length(30), 0.5),
    "dynamic-ngrams": (tasks.DynamicNGrams().at_length(300), 75.0),
    "priority-sort": (tasks.PrioritySort().at_length(40), 8.0),
}


@pytest.mark.parametrize("name", NAMES)
def test_network_works_beyond_the_sizes_of_training(name):
    task, wrong = BEYOND[name]
    batch = task.sample(20, rng=12)
    logits = np.asarray(tasks.load_pretrained(name).predict_on_batch(batch.inputs))
    errors = ((logits > 0) != (batch.targets > 0.5)).sum(axis=-1) * batch.mask
    assert errors.sum(axis=1).mean() <= wrong


def test_vectors_are_repeated_twice_as_often_as_in_training():
    """The network cannot count that far: the end marker comes too early, and after it
    the vectors continue."""
    task = tasks.RepeatCopy().at_repeats(20)
    batch = task.sample(20, rng=12)
    logits = np.asarray(
        tasks.load_pretrained("repeat-copy").predict_on_batch(batch.inputs)
    )
    outputs = logits > 0
    wrong = (outputs != (batch.targets > 0.5)) & (batch.mask[..., None] > 0)
    parts = task.error_parts(wrong, outputs)
    # Of 1,600 bits.
    assert parts["vector_errors"].sum(axis=(1, 2)).mean() <= 1.0
    assert parts["marker_errors"].sum(axis=(1, 2)).mean() > 10


def test_file_that_is_not_the_one_of_the_manifest_is_refused(tmp_path, monkeypatch):
    entry = {"file": "copy.keras", "sha256": "0" * 64}
    (tmp_path / "manifest.json").write_text(json.dumps({"copy": entry}))
    (tmp_path / "copy.keras").write_bytes(b"something else")
    monkeypatch.setattr(pretrained, "FOLDER", tmp_path)
    with pytest.raises(ValueError, match="must have the SHA-256 000"):
        tasks.load_pretrained("copy")


def test_task_without_a_trained_network_is_named():
    with pytest.raises(ValueError, match="`task` must be one of"):
        tasks.load_pretrained("juggling")
