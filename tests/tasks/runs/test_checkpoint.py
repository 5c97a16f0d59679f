"""Checkpoints: which are kept, which are refused, and those of earlier versions."""

import hashlib
import io
import json

import keras
import numpy as np
import pytest

import tasks
from tasks.runs import checkpoint

TASK = tasks.Copy(2, 1, 3)


@pytest.fixture(scope="module")
def finished(tmp_path_factory):
    """The checkpoints of a run of 3 epochs."""
    path = tmp_path_factory.mktemp("finished")
    model = tasks.get_model("lstm", num_layers=1, layer_size=4)
    options = {"sequences": 60, "batch_size": 2, "epoch_steps": 10, "save_seconds": 0}
    tasks.train(TASK, model, out=path, progress=False, evaluate=False, **options)
    return path / "checkpoints"


@pytest.fixture
def folder(finished, tmp_path):
    """Copies of the checkpoints."""
    for path in checkpoint.files_of(finished):
        (tmp_path / path.name).write_bytes(path.read_bytes())
    return tmp_path


def test_the_last_two_checkpoints_are_kept(folder):
    assert [path.stem for path in checkpoint.files_of(folder)] == ["000002", "000003"]


def test_instead_of_a_damaged_checkpoint_the_one_before_is_used(folder):
    before, last = checkpoint.files_of(folder)
    last.write_bytes(last.read_bytes()[:-1])
    with pytest.warns(UserWarning, match="000003.checkpoint` is damaged"):
        loaded = checkpoint.load_last(folder)
    assert loaded.rows == checkpoint.load(before).rows
    assert len(loaded.rows) == 2


def test_without_an_intact_checkpoint_a_run_is_not_resumed(folder):
    for path in checkpoint.files_of(folder):
        path.write_bytes(b"")
    with (
        pytest.warns(UserWarning),
        pytest.raises(checkpoint.CheckpointError, match="no intact one before it"),
    ):
        checkpoint.load_last(folder)


def test_a_checkpoint_of_another_model_is_refused(finished):
    last = checkpoint.load_last(finished)
    model = keras.Sequential([keras.Input((3,)), keras.layers.Dense(1)])
    model.compile("sgd")
    with pytest.raises(checkpoint.CheckpointError, match="of another model"):
        checkpoint.restore(last.values, model)


def test_a_folder_without_checkpoints_has_none(tmp_path):
    assert checkpoint.load_last(tmp_path) is None


def test_a_checkpoint_of_the_earlier_version_is_read(tmp_path):
    """Written here as that version wrote it."""
    clock = {"epoch": 1, "sequences": 200, "seconds": 0.5, "loss": 0.25}
    row = {**clock, "bits_per_sequence": 3.0, "bit_errors": 1.0, "skipped": 0}
    values = [np.arange(6.0, dtype="float32").reshape(2, 3), np.array(7)]
    rollback_values = [value + 1 for value in values]
    archive = io.BytesIO()
    np.savez(
        archive,
        history=np.frombuffer(json.dumps([row | {"taken_back": 1}]).encode(), np.uint8),
        **{f"value-{n}": value for n, value in enumerate(values)},
        **{f"safe-{n}": value for n, value in enumerate(rollback_values)},
    )
    data = archive.getvalue()
    header = b"memnets-checkpoint 2 " + hashlib.sha256(data).hexdigest().encode()
    (tmp_path / "000001.checkpoint").write_bytes(header + b"\n" + data)
    loaded = checkpoint.load_last(tmp_path)
    assert loaded.rows == [row | {"rolled_back": 1}]
    for found, expected in (
        (loaded.values, values),
        (loaded.rollback_values, rollback_values),
    ):
        for one, other in zip(found, expected, strict=True):
            np.testing.assert_array_equal(one, other)
            assert one.dtype == other.dtype
