"""The compiled kernel under sanitizers: reads and writes within its arrays, defined
arithmetic, no two threads at the same place; see `native/sanitized.cpp`."""

import concurrent.futures
import os
import pathlib
import shutil
import subprocess

import pytest

ROOT = pathlib.Path(__file__).parent.parent
SOURCES = ROOT / "memnets" / "native" / "src"
DRIVER = ROOT / "tests" / "native" / "sanitized.cpp"
COMPILER = os.environ.get("CXX", "g++")
# As in setup.py, but for -O3, which takes minutes under sanitizers: -Og is the fastest
# to compile and run.
FLAGS = "-std=c++17 -Og -g1 -fno-math-errno -fno-trapping-math -Wno-psabi -pthread"
SANITIZERS = {
    "memory": ["-fsanitize=address,undefined", "-fno-sanitize-recover=all"],
    "threads": ["-fsanitize=thread"],
}
ENVIRONMENT = {
    # Fresh memory is all NaN: what is read before it is written shows in the results.
    "ASAN_OPTIONS": f"max_malloc_fill_size={2**30}:malloc_fill_byte=255",
    "UBSAN_OPTIONS": "print_stacktrace=1",
}

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(
        shutil.which(COMPILER) is None, reason=f"no compiler {COMPILER}"
    ),
]


def run(*command):
    return subprocess.run(
        command, env={**os.environ, **ENVIRONMENT}, capture_output=True, text=True
    )


@pytest.fixture(scope="module")
def programs(tmp_path_factory):
    """The driver under each sanitizer, or why a program under it does not run here."""
    folder = tmp_path_factory.mktemp("sanitizers")
    (folder / "empty.cpp").write_text("int main() {}")

    def build(name):
        flags, program = SANITIZERS[name], folder / name
        for command in (
            [COMPILER, *flags, folder / "empty.cpp", "-o", program],
            [program],
        ):
            if (result := run(*command)).returncode:
                return f"{flags[0]}: {result.stderr}"
        sources = ["-I", SOURCES, SOURCES / "entry_points.cpp", DRIVER]
        result = run(COMPILER, *FLAGS.split(), *flags, *sources, "-o", program)
        assert result.returncode == 0, result.stderr
        return program

    with concurrent.futures.ThreadPoolExecutor() as pool:
        return dict(zip(SANITIZERS, pool.map(build, SANITIZERS), strict=True))


@pytest.fixture
def run_driver(programs):
    """Calls the driver under a sanitizer, with arguments."""

    def call(name, *arguments):
        if isinstance(programs[name], str):
            pytest.skip(programs[name])
        return run(programs[name], *arguments)

    return call


def assert_clean(result):
    assert (result.returncode, result.stderr) == (0, ""), result.stderr
    assert result.stdout == "done\n"


def test_no_threads_meet_at_the_same_place(run_driver):
    assert_clean(run_driver("threads", "threads"))


def test_memory_and_arithmetic_stay_within_bounds(run_driver):
    assert_clean(run_driver("memory"))


def test_array_that_is_one_float_short_is_seen(run_driver):
    result = run_driver("memory", "short")
    assert result.returncode != 0
    assert "heap-buffer-overflow" in result.stderr
