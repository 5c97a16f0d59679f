"""The networks that come with the package do what they were trained for."""

import json

import numpy as np
import pytest

import tasks
from memnets import native
from tasks import pretrained

NAMES = sorted(pretrained.manifest())


@pytest.mark.parametrize("name", NAMES)
def test_files_are_small_and_say_how_they_were_made(name):
    entry = pretrained.manifest()[name]
    assert (pretrained.FOLDER / entry["file"]).stat().st_size <= 2**20
    assert entry["command"].startswith(f"memnets train {name} --model ntm-")
    assert f"--seed {entry['seed']}" in entry["command"]
    assert {"memnets", "keras", "numpy", "backend"} <= set(entry["versions"])


@pytest.mark.parametrize("path", ["kernel", "portable"])
@pytest.mark.parametrize("name", NAMES)
def test_network_keeps_the_promises_of_the_manifest(name, path, monkeypatch):
    """Beyond the sizes of training, on both paths."""
    monkeypatch.setattr(native, "_enabled", path == "kernel")
    promises = pretrained.manifest()[name]["promises"]
    assert promises["length"] > tasks.get_task(name).size[0]
    model = tasks.load_pretrained(name)
    (result,) = tasks.evaluate(model, name, [promises["length"]], num_sequences=20)
    for value, bound in promises["at_most"].items():
        assert result.values[value] <= bound


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
