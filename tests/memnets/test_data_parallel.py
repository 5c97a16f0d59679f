"""The compiled kernel under `DataParallel` of Keras, on two virtual devices of JAX."""

import json
import os
import pathlib
import re
import subprocess
import sys

import pytest

from memnets import native

ROOT = pathlib.Path(__file__).parent.parent.parent

pytestmark = [
    pytest.mark.once,
    pytest.mark.skipif(
        not native.is_available(), reason=f"no kernel: {native.status()}"
    ),
]


@pytest.fixture(scope="module")
def steps(tmp_path_factory):
    """Differences between one device and two by case, and the compiled steps."""
    folder = tmp_path_factory.mktemp("compiled")
    flags = [
        "--xla_force_host_platform_device_count=2",
        f"--xla_dump_to={folder}",
        "--xla_dump_hlo_as_text",
        "--xla_dump_hlo_module_re=train_step",
    ]
    result = subprocess.run(
        [sys.executable, ROOT / "tests" / "data_parallel.py"],
        env={
            **os.environ,
            **{"KERAS_BACKEND": "jax", "PYTHONPATH": str(ROOT)},
            **{"XLA_FLAGS": " ".join(flags), "TF_CPP_MIN_LOG_LEVEL": "3"},
            # A step that is loaded would not be dumped.
            "JAX_ENABLE_COMPILATION_CACHE": "0",
        },
        capture_output=True,
        text=True,
    )
    assert result.returncode == 0, result.stderr[-2000:]
    compiled = sorted(folder.glob("*cpu_after_optimizations.txt"))
    return json.loads(result.stdout), [path.read_text() for path in compiled]


@pytest.mark.parametrize(
    "case", ["lstm, learned states, gradients bounded", "dnc, learned memory"]
)
def test_two_devices_give_the_gradients_of_one(steps, case):
    differences, _ = steps
    assert differences[case] < 1e-5


def test_a_randomized_memory_is_drawn_for_the_batch(steps):
    """If each device drew for its part alone, the second half would get the memories of
    the first."""
    differences, _ = steps
    assert differences["feedforward, randomized memory"] < 1e-5


def test_each_device_computes_its_part_of_the_batch(steps):
    differences, compiled = steps
    assert len(compiled) == 2 * len(differences)
    for alone, together in zip(compiled[::2], compiled[1::2], strict=True):
        assert batches_of(alone) == {"forward": 6, "backward": 6}
        assert batches_of(together) == {"forward": 3, "backward": 3}
        assert "all-gather" not in together
        assert "all-reduce" in together and "all-reduce" not in alone


def batches_of(compiled):
    """The batch of the first result of each call of the kernel in a compiled step."""
    calls = re.findall(
        r"= \(f32\[(\d+),.*custom_call_target=\"memnets_[a-z]+_(\w+)\"", compiled
    )
    return {name: int(batch) for batch, name in calls}
