"""Source distribution, wheel and installation, with and without a C++ compiler."""

import json
import os
import pathlib
import platform
import shutil
import subprocess
import sys
import tarfile
import zipfile

import numpy
import pytest

ROOT = pathlib.Path(__file__).parent.parent
PATTERNS = shutil.ignore_patterns(
    ".*", "*.so", "*.egg-info", "__pycache__", "build", "dist"
)
KERNEL = {path.relative_to(ROOT) for path in (ROOT / "memnets/native/src").rglob("*.*")}
LIBRARIES = {
    "memnets/native/_kernel_generic",
    "metrics/meteor/native/_alignment",
    "tasks/vectors/native/_vectors",
}
if platform.machine().lower() in ("x86_64", "amd64"):
    LIBRARIES |= {f"memnets/native/_kernel_x86_64_v{level}" for level in (3, 4)}

# What a user does first, from an installation. Prints what the tests compare.
USE = """
import sys
# An editable installation of this checkout would lend its libraries.
sys.meta_path = [finder for finder in sys.meta_path if "editable" not in str(finder)]
import json, keras, numpy as np
import memnets, metrics, metrics.meteor.native
keras.utils.set_random_seed(0)
outputs = memnets.NTM(3, memory_size=16)(np.ones((2, 4, 5), "float32"))
meteor = metrics.METEOR(preset="1.5", synonyms=None)
score = meteor.corpus_score([["the cat sat on a mat"]], ["a cat sat on the mats"])
print(json.dumps({
    "files": [memnets.__file__, metrics.__file__],
    "status": memnets.native.status(),
    "alignment": metrics.meteor.native.load() is not None,
    "outputs": np.asarray(outputs).tolist(),
    "meteor": score.value,
}))
"""

pytestmark = pytest.mark.slow


def not_sources(folder, names):
    """Names that are no part of a checkout; `tasks/runs` is, `runs` at the root not."""
    made_here = {"runs"} & set(names) if pathlib.Path(folder) == ROOT else set()
    return PATTERNS(folder, names) | made_here


def run_python(*arguments, folder, **environment):
    result = subprocess.run(
        [sys.executable, *arguments],
        cwd=folder,
        env={**os.environ, "PIP_NO_INDEX": "1", "PYTHONPATH": "", **environment},
        capture_output=True,
        text=True,
    )
    assert result.returncode == 0, result.stdout + result.stderr
    return result.stdout


@pytest.fixture(scope="module")
def no_compiler(tmp_path_factory):
    """An environment in which no compiler is found."""
    folder = tmp_path_factory.mktemp("no_programs")
    missing = str(folder / "c++")
    return {"PATH": str(folder), "CC": missing, "CXX": missing}


@pytest.fixture(scope="module")
def compiler(tmp_path_factory):
    """An environment whose compiler does not optimize, which takes most of its time."""
    name = os.environ.get("CXX", "g++")
    if shutil.which(name) is None:
        pytest.skip(f"no compiler {name}")
    program = tmp_path_factory.mktemp("compiler") / "c++"
    program.write_text(f'#!/bin/sh\nexec {name} "$@" -O0\n')
    program.chmod(0o755)
    return {"CC": str(program), "CXX": str(program)}


@pytest.fixture(scope="module")
def source_archive(tmp_path_factory):
    folder = tmp_path_factory.mktemp("sdist")
    checkout = shutil.copytree(ROOT, folder / "checkout", ignore=not_sources)
    build = "import setuptools.build_meta as b, sys; b.build_sdist(sys.argv[1])"
    run_python("-c", build, folder, folder=checkout)
    (archive,) = folder.glob("*.tar.gz")
    return archive


@pytest.fixture(scope="module")
def sources(source_archive):
    """What is in the source distribution: all else is built from that."""
    with tarfile.open(source_archive) as archive:
        archive.extractall(source_archive.parent, filter="data")
    return source_archive.parent / source_archive.name.removesuffix(".tar.gz")


@pytest.fixture(scope="module")
def wheel(sources, compiler, tmp_path_factory):
    folder = tmp_path_factory.mktemp("wheel")
    copy = shutil.copytree(sources, folder / "sources")  # building writes there
    pip = ["-m", "pip", "wheel", "--no-deps", "--no-build-isolation"]
    run_python(*pip, "--wheel-dir", folder, copy, folder=folder, **compiler)
    (wheel,) = folder.glob("*.whl")
    return wheel


@pytest.fixture(scope="module")
def install_and_use(no_compiler, tmp_path_factory):
    """Installs without a compiler, and calls the packages from another folder."""

    def call(package):
        target = tmp_path_factory.mktemp("target")
        pip = ["-m", "pip", "install", "--no-deps", "--no-build-isolation"]
        elsewhere = tmp_path_factory.mktemp("elsewhere")
        run_python(*pip, "--target", target, package, folder=elsewhere, **no_compiler)
        environment = {**no_compiler, "PYTHONPATH": str(target)}
        printed = run_python("-c", USE, folder=elsewhere, **environment)
        results = json.loads(printed.splitlines()[-1])
        for file in results["files"]:
            assert pathlib.Path(file).is_relative_to(target)
        return results

    return call


@pytest.fixture(scope="module")
def from_sources(sources, install_and_use, tmp_path_factory):
    copy = tmp_path_factory.mktemp("copy") / "sources"
    return install_and_use(shutil.copytree(sources, copy))


@pytest.fixture(scope="module")
def from_wheel(wheel, install_and_use):
    return install_and_use(wheel)


def test_source_distribution_holds_what_is_compiled(sources):
    missing = {path for path in KERNEL if not (sources / path).is_file()}
    assert not missing
    headers = "candidates.h", "minimal_bound.h", "minimal_search.h"
    for name in ("alignment.cpp", *headers):
        assert (sources / "metrics/meteor/native" / name).is_file()
    assert (sources / "tasks/vectors/native/vectors.cpp").is_file()


def test_wheel_holds_the_libraries(wheel):
    names = zipfile.ZipFile(wheel).namelist()
    libraries = {name.split(".")[0] for name in names if name.endswith((".so", ".pyd"))}
    assert libraries == LIBRARIES


def test_wheel_holds_every_module(wheel):
    packed = set(zipfile.ZipFile(wheel).namelist())
    modules = {
        str(path.relative_to(ROOT))
        for package in ("memnets", "metrics", "tasks")
        for path in (ROOT / package).rglob("*.py")
        if (path.parent / "__init__.py").exists()
    }
    assert len(modules) > 100
    assert modules <= packed


def test_wheel_runs_the_kernel_where_there_is_no_compiler(from_wheel):
    assert from_wheel["status"].startswith("compiled kernel (")
    assert from_wheel["alignment"]


def test_installation_without_a_compiler_takes_the_portable_path(from_sources):
    assert from_sources["status"] == (
        "portable path, without the compiled kernel: "
        "it was not built: there was no C++ compiler, or compiling failed"
    )
    assert not from_sources["alignment"]


def test_both_installations_give_the_same(from_wheel, from_sources):
    assert from_wheel["meteor"] == from_sources["meteor"]
    # 1e-5: float32, in another order.
    difference = abs(
        numpy.subtract(from_wheel["outputs"], from_sources["outputs"])
    ).max()
    assert difference < 1e-5


# Prints where `memnets` is from, seen from the folder that holds the clone.
BESIDE = """
import pathlib, site, sys
root, installed = sys.argv[1:]
# An installation of this checkout would be found too.
sys.meta_path = [finder for finder in sys.meta_path if "editable" not in str(finder)]
root = pathlib.Path(root)
sys.path = [path for path in sys.path if not path or pathlib.Path(path) != root]
site.addsitedir(installed)
import memnets.checks
print(memnets.__version__ and memnets.__file__)
"""


def test_an_editable_installation_is_found_beside_the_clone(
    sources, no_compiler, tmp_path
):
    """There the folder `memnets` is no package, but would be taken for one."""
    clone = shutil.copytree(sources, tmp_path / "memnets")
    build = "import setuptools.build_meta as b, sys; b.build_editable(sys.argv[1])"
    run_python("-c", build, tmp_path, folder=clone, **no_compiler)
    (wheel,) = tmp_path.glob("*.whl")
    with zipfile.ZipFile(wheel) as archive:
        archive.extractall(tmp_path / "installed")
    where = run_python("-c", BESIDE, ROOT, tmp_path / "installed", folder=tmp_path)
    assert pathlib.Path(where.strip().splitlines()[-1]).is_relative_to(clone)
