"""Checkpoints that somebody made by hand, with a right checksum."""

import hashlib
import io
import json
import os
import random
import tracemalloc
import zipfile

import keras
import numpy as np
import pytest

from tasks.runs import checkpoint
from tasks.runs.checkpoint import HEADER, Checkpoint, CheckpointError

CASES = int(os.environ.get("MEMNETS_FUZZ_CASES", 500))
ROW = {"epoch": 1, "sequences": 2, "seconds": 0.5, "loss": 0.25, "cost": float("nan")}
VALUES = [np.arange(6.0, dtype="float32").reshape(2, 3), np.array(7)]

pytestmark = pytest.mark.once


def sealed(data):
    """An archive as a file of a checkpoint, with a right checksum."""
    return HEADER + hashlib.sha256(data).hexdigest().encode() + b"\n" + data


def archive_of(history=None, **members):
    """An archive of a history in JSON and members: arrays, or the bytes of files."""
    stream = io.BytesIO()
    history = json.dumps([ROW]) if history is None else history
    members = {"value-0": np.zeros(3), "history": history.encode(), **members}
    with zipfile.ZipFile(stream, "w") as archive:
        for name, member in members.items():
            if name == "history":
                member = np.frombuffer(member, np.uint8)
            if isinstance(member, np.ndarray):
                packed = io.BytesIO()
                np.save(packed, member, allow_pickle=True)
                member = packed.getvalue()
            archive.writestr(f"{name}.npy", member)
    return stream.getvalue()


def npy(header, data=b""):
    """A file of NumPy, version 1, with a header of its own."""
    text = header.encode()
    return b"\x93NUMPY\x01\x00" + len(text).to_bytes(2, "little") + text + data


def claim(shape, dtype="'<f8'"):
    return f"{{'descr': {dtype}, 'fortran_order': False, 'shape': {shape}}}\n"


FOREIGN = {
    "rows that are a number": archive_of("7"),
    "a row that is a list": archive_of("[[1]]"),
    "a row of text": archive_of('[{"epoch": "one"}]'),
    "an integer beyond floats": archive_of('[{"epoch": 1' + "0" * 400 + "}]"),
    "rows of several kinds": archive_of('[{"epoch": 1}, {"loss": 1}]'),
    "deep JSON": archive_of("[" * 100_000),
    "no JSON": archive_of("["),
    "no history": b"PK\x05\x06" + bytes(18),
    "no archive": b"text",
    "a member that is no array": archive_of(**{"value-0": b"text"}),
    "a bad header": archive_of(**{"value-0": npy("{'descr': ")}),
    "a deep header": archive_of(**{"value-0": npy("(" * 9000)}),
    "a header of too few words": archive_of(**{"value-0": npy("{'shape': (1,)}\n")}),
    "8 GiB": archive_of(**{"value-0": npy(claim((2**30,)), bytes(2**21))}),
    "more than any memory": archive_of(**{"value-0": npy(claim((2**62, 2**62)))}),
    "a negative size": archive_of(**{"value-0": npy(claim((-1, -8)), bytes(64))}),
    "objects": archive_of(**{"value-0": np.array([{}], object)}),
    "letters": archive_of(**{"value-0": np.array(["a"])}),
}


@pytest.mark.parametrize("data", FOREIGN.values(), ids=FOREIGN)
def test_what_is_no_checkpoint_is_refused_in_one_line(data):
    tracemalloc.start()
    with pytest.raises(CheckpointError, match="^`x` is not a checkpoint: ") as error:
        checkpoint.unpacked(sealed(data), "x")
    _, most = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert "\n" not in str(error.value)
    assert most < 10 * 2**20  # the largest file here has 2 MB


def test_an_archive_that_is_compressed_is_refused():
    stream = io.BytesIO()
    np.savez_compressed(stream, history=np.zeros(10**6))
    with pytest.raises(CheckpointError, match="larger than the file"):
        checkpoint.unpacked(sealed(stream.getvalue()), "x")


def test_arrays_come_back_as_they_were():
    values = [*VALUES, np.asfortranarray(VALUES[0]), np.zeros((0, 2)), np.array(True)]
    packed = checkpoint.packed(Checkpoint([ROW], values, values, recent=(VALUES,)))
    found = checkpoint.unpacked(packed, "x")
    for one, other in zip(found.values, values, strict=True):
        np.testing.assert_array_equal(one, other)
        assert one.dtype == other.dtype and one.flags.writeable
    assert len(found.recent) == 1


def test_whatever_is_changed_there_is_no_other_error():
    rng = random.Random(1)
    data = checkpoint.packed(Checkpoint([ROW], VALUES, VALUES)).partition(b"\n")[2]
    refused = 0
    for _ in range(CASES):
        changed = bytearray(data)
        for _ in range(rng.choice([1, 2, 5, 20])):
            place = rng.randrange(len(changed))
            piece = rng.randbytes(rng.randrange(9))
            changed[place : place + rng.choice([0, len(piece), 8])] = piece
        try:
            checkpoint.unpacked(sealed(bytes(changed)), "x")
        except CheckpointError as error:
            refused += 1
            assert "\n" not in str(error)
    assert refused > CASES / 2


def test_values_of_another_type_are_refused():
    variables = [
        keras.Variable(np.zeros(2, "float32")),
        keras.Variable(1, dtype="int32"),
    ]
    checkpoint.check_fit([np.zeros(2), np.array(3)], variables)
    for values in ([np.zeros(2, int), np.array(3)], [np.zeros(2), np.array(0.5)]):
        with pytest.raises(CheckpointError, match="other types"):
            checkpoint.check_fit(values, variables)
    with pytest.raises(CheckpointError, match="other shapes"):
        checkpoint.check_fit([np.zeros(2)], variables)
