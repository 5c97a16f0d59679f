"""The kept runs are intact, can be added to, and are what the pages say."""

import importlib
import pathlib
import shutil

import pytest

import tasks

ROOT = pathlib.Path(__file__).parent.parent
EVIDENCE = ROOT / "benchmarks" / "evidence"
TASKS = (
    *("associative-recall", "copy", "dynamic-ngrams", "priority-sort"),
    "repeat-copy",
)

pytestmark = pytest.mark.once


@pytest.fixture(scope="module")
def module():
    """What imports a module of the folder by its name."""
    with pytest.MonkeyPatch.context() as patch:
        patch.syspath_prepend(EVIDENCE)
        yield importlib.import_module


@pytest.fixture(scope="module")
def kept(module):
    """The kept runs of the results page, by task."""
    return module("results").kept_groups()


@pytest.mark.parametrize("task", TASKS)
def test_kept_runs_are_intact(module, task):
    with module("packs").unpacked(task) as folder:
        paths = [path.parent for path in folder.glob("*/*/config.json")]
        assert paths
        for path in paths:
            run = tasks.open_run(path)
            assert run.task.name == task
            assert path.name.endswith(f"-{run.training.seed}")
            history = run.read_history()
            if (path / "summary.json").exists():
                assert len(history) == run.training.epochs
                solved = history.solved_at(run.task.success)
                assert run.read_summary()["solved_at"] == solved


def test_evidence_is_small():
    paths = [
        path
        for path in EVIDENCE.rglob("*")
        if path.is_file() and "__pycache__" not in path.parts
    ]
    assert len(paths) <= 80
    assert sum(path.stat().st_size for path in paths) < 10e6


def test_pages_are_what_the_kept_runs_give(module, kept):
    memories = module("which_memory")
    with module("packs").unpacked("hs97") as runs_of_1997:
        made = {
            "results": module("results").results_page(kept),
            "which_memory": memories.page(memories.kept_cells()),
            "long_lags": module("long_lags").page(runs_of_1997),
        }
    for name, text in made.items():
        page = ROOT / "docs" / f"{name}.md"
        assert text == page.read_text(encoding="utf-8"), name


def test_the_page_of_all_runs_has_every_run(module, kept):
    page = module("results").runs_page(kept)
    groups = [group for of_task in kept.values() for group in of_task]
    rows = [line for line in page.splitlines() if line.startswith("| ")]
    assert len(rows) == 2 * len(kept) + sum(len(group.finished) for group in groups)
    for failed in (text for group in groups for text in group.failed):
        assert failed in page


def test_unpacked_runs_are_packed_as_they_were(module, tmp_path):
    packs = module("packs")
    with packs.unpacked("dynamic-ngrams") as folder:
        names = packs.add(folder, packs=tmp_path)
    assert names == [
        "dynamic-ngrams/jax-any-processor.jsonl.gz",
        "dynamic-ngrams/jax-avx-512.jsonl.gz",
    ]
    for name in names:
        assert packs.read_pack(tmp_path / name) == packs.read_pack(packs.PACKS / name)


def test_a_pack_depends_on_its_runs_only(module, tmp_path):
    packs = module("packs")
    runs = {"b": {"config.json": "{}\n"}, "a": {"history.csv": "x\r\nä\u2028\n"}}
    packs.write_pack(tmp_path / "one", runs)
    packs.write_pack(tmp_path / "two", dict(sorted(runs.items())))
    assert (tmp_path / "one").read_bytes() == (tmp_path / "two").read_bytes()
    assert packs.read_pack(tmp_path / "one") == runs


def test_a_run_that_is_added_replaces_only_the_one_of_its_name(module, tmp_path):
    packs = module("packs")
    old = tmp_path / "packs"
    shutil.copytree(packs.PACKS / "copy", old / "copy")
    packs.unpack("copy", tmp_path / "runs", old)
    rounding = "jax-avx-512"
    source = tmp_path / "runs" / rounding / "ntm-feedforward-2101"
    before = packs.read_pack(old / "copy" / f"{rounding}{packs.ENDING}")
    (source / "summary.json").unlink()  # as of a run that failed
    assert packs.add(source, packs=old) == [f"copy/{rounding}{packs.ENDING}"]
    after = packs.read_pack(old / "copy" / f"{rounding}{packs.ENDING}")
    assert before[source.name].pop("summary.json")
    assert after == before
