"""Scores of shards: what a corpus in memory has, whoever counts it."""

import concurrent.futures
import functools
import gzip
import json
import os
import pathlib
import random
import signal
import sys

import pytest
from click.testing import CliRunner
from processes import local_scheduler

import metrics
from metrics.parallel import ordered_map
from tasks.cli.main import main
from tasks.scoring import shard_files
from tasks.scoring.shards import score_shards

pytestmark = pytest.mark.once

WORDS = "the a cat dog man horse sat ran is on mat red".split()
COUNTED = ("bleu", "meteor", "ter", "wer", "chrf")
AVERAGED = ("cider-d", "rouge-l")


def text(rng):
    return " ".join(rng.choices(WORDS, k=rng.randint(3, 9)))


@pytest.fixture(scope="module")
def corpus():
    """Lines of two systems and two references."""
    rng = random.Random(1)
    return [[text(rng) for _ in range(4)] for _ in range(210)]


@pytest.fixture
def shards(corpus, tmp_path, monkeypatch):
    """The corpus in seven files, of which every second is gzipped."""
    monkeypatch.chdir(tmp_path)
    paths = []
    for number in range(7):
        lines = corpus[30 * number : 30 * number + 30]
        data = "".join("\t".join(line) + "\n" for line in lines).encode()
        paths.append(f"{number}.tsv" + ".gz" * (number % 2))
        own = gzip.compress(data) if number % 2 else data
        pathlib.Path(paths[-1]).write_bytes(own)
    return paths


def run(*args, jobs=1):
    words = ["score", *map(str, args), "--jobs", str(jobs)]
    return CliRunner().invoke(main, words)


def in_memory(name, corpus, systems=1, **options):
    return metrics.get(name).corpus_score(
        [line[systems:] for line in corpus], [line[0] for line in corpus], **options
    )


def chosen(*names):
    return {name: metrics.get(name) for name in names}


def kill_once(flag, path):
    """Kills its process the first time that it sees a certain path."""
    if path == "3" and not os.path.exists(flag):
        pathlib.Path(flag).touch()
        os.kill(os.getpid(), signal.SIGKILL)
    return path


def kill_always(path):
    os.kill(os.getpid(), signal.SIGKILL)


def test_shards_score_as_the_corpus(shards, corpus, monkeypatch):
    monkeypatch.setattr(shard_files, "BLOCK", 8)
    random.Random(2).shuffle(shards)
    # Two references: TER takes their mean length, and halves are exact.
    options = {"systems": 2, "resamples": 1}
    for result in score_shards(chosen(*COUNTED, *AVERAGED), shards, **options):
        whole = in_memory(result.name, corpus, 2)
        score = result.tests[0].baseline
        assert score.value == pytest.approx(whole.value, rel=1e-12)
        assert result.segments == len(corpus)
        if result.name in COUNTED:
            assert score == whole


@pytest.mark.parametrize("test", ["bootstrap", "randomization"])
def test_who_counts_changes_no_digit(shards, test):
    results = []
    with concurrent.futures.ThreadPoolExecutor(7) as seven:
        runs = [{}, {"executor": seven}]
        # Processes take a second to start.
        runs += [{"jobs": 2}] if test == "bootstrap" else []
        for options in runs:
            found = score_shards(
                chosen("bleu", *AVERAGED),
                shards,
                systems=2,
                test=test,
                confidence=0.95,
                resamples=40,
                **options,
            )
            results.append([(result.scores, result.tests) for result in found])
    assert all(other == results[0] for other in results)
    for scores, [own] in results[0]:
        assert all("|bs:poisson|" in score.signature for score in scores)
        assert 0.02 < own.p_value <= 1


def test_workers_of_a_scheduler_score_as_this_process(shards):
    with local_scheduler(2) as address:
        args = [*shards, "--metrics", "bleu", "cider-d", "--json"]
        found = run(*args, "--scheduler", address)
    assert found.exit_code == 0, found.output
    assert found.stdout == run(*args).stdout
    folders = [path for path in pathlib.Path().iterdir() if path.is_dir()]
    assert not folders


def test_intervals_are_near_those_of_the_multinomial_bootstrap(shards, corpus):
    options = {"confidence": 0.95, "resamples": 4000}
    for result in score_shards(chosen("bleu", "wer"), shards, **options):
        whole = in_memory(result.name, corpus, **options).interval
        own = result.scores[0].interval
        # Each end is drawn, with a standard error of a per cent of the width.
        tolerance = 0.05 * (whole.high - whole.low)
        assert own.low == pytest.approx(whole.low, abs=tolerance)
        assert own.high == pytest.approx(whole.high, abs=tolerance)


def test_a_process_that_dies_is_replaced(tmp_path):
    work = functools.partial(kill_once, str(tmp_path / "killed"))
    items = [str(number) for number in range(9)]
    assert list(ordered_map(work, items, jobs=2)) == items
    assert (tmp_path / "killed").exists()


def test_processes_that_die_again_and_again_end_in_one_line(monkeypatch):
    monkeypatch.setattr("metrics.parallel.ATTEMPTS", 2)
    message = (
        "^A process died, or its executor failed, at `a` or one of the next. It was "
        "tried 2 times. The usual reason is that memory ran out. Received: "
    )
    with pytest.raises(ChildProcessError, match=message):
        list(ordered_map(kill_always, ["a", "b"], jobs=2))


def test_the_command_prints_the_scores_of_shards(shards, corpus):
    args = [*shards, "--systems", "2", "--confidence", "--resamples", "20"]
    headings, *rows = [line.split("\t") for line in run(*args).stdout.splitlines()]
    assert headings[1:3] == ["hypotheses", "score"]
    assert [row[1] for row in rows] == ["column 1", "column 2"]
    report = json.loads(run(*shards, "--json").stdout)
    assert report["shards"] == shards and report["num_segments"] == len(corpus)
    assert report["metrics"]["bleu"]["value"] == in_memory("bleu", corpus).value


def test_files_with_a_text_a_line_are_no_shards_whatever_their_names(
    tmp_path, monkeypatch
):
    monkeypatch.chdir(tmp_path)
    pathlib.Path("hyp.tsv").write_text("a b\nc d\n")
    pathlib.Path("ref.tsv").write_text("a b\nc d\n")
    result = run("hyp.tsv", "ref.tsv", "--score-only", "--metrics", "bleu-1")
    assert result.stdout == "1.0000\n"


class Centred(metrics.ExactMatch):
    """A metric that depends on the whole corpus."""

    def _fit(self, references):
        return Centred()


def test_a_metric_with_a_fit_of_its_own_is_refused(shards):
    message = "`metrics` must not depend on the whole corpus in a way of their own"
    with pytest.raises(ValueError, match=f"^{message}.*Received: centred$"):
        score_shards({"centred": Centred()}, shards)


def test_a_metric_that_no_other_process_can_have_is_refused(shards):
    local = metrics.ExactMatch(lambda text: text)
    with pytest.raises(
        ValueError, match="^`metrics` must be such that other processes"
    ):
        score_shards({"local": local}, shards)


@pytest.mark.filterwarnings("always:The references look like German")
def test_texts_in_another_language_are_noticed(shards):
    line = "der Hund und die Katze sind nicht in dem Haus"
    pathlib.Path("german.tsv").write_text(f"{line}\t{line}\n" * 60)
    result = run("german.tsv", "--metrics", "meteor")
    assert result.stderr.startswith("Warning: The references look like German, and")


@pytest.fixture
def bad_files(shards):
    """Files that cannot be scored, beside shards that can."""
    good = pathlib.Path("1.tsv.gz").read_bytes()
    pathlib.Path("cut.tsv.gz").write_bytes(good[:-20])
    flipped = bytearray(good)
    flipped[len(good) // 2] ^= 255
    pathlib.Path("flipped.tsv.gz").write_bytes(flipped)
    pathlib.Path("plain.tsv.gz").write_text("a\tb\n")
    pathlib.Path("empty.tsv").write_text("")
    pathlib.Path("short.tsv").write_text("a\tb\tc\td\na\tb\n")
    pathlib.Path("latin.tsv").write_bytes(b"a\tb\tc\td\n\xe4\tb\tc\td\n")
    pathlib.Path("other").mkdir()
    pathlib.Path("other/0.tsv").write_text("a\tb\tc\td\n")
    return shards


@pytest.mark.parametrize(
    ("args", "message"),
    [
        (["cut.tsv.gz"], "`cut.tsv.gz` is truncated or not gzip: "),
        (["flipped.tsv.gz"], "`flipped.tsv.gz` is truncated or not gzip: "),
        (["plain.tsv.gz"], "`plain.tsv.gz` is truncated or not gzip: "),
        (["gone.tsv"], "`gone.tsv` cannot be read: No such file or directory."),
        (["empty.tsv"], "`empty.tsv` is empty."),
        (
            ["short.tsv"],
            "`short.tsv` must have 4 columns between tabs, as the first line of all "
            "shards has. Received: 2 in line 2",
        ),
        (["latin.tsv"], "`latin.tsv` must be UTF-8. Received in line 2: byte 0xe4"),
        (
            ["other/0.tsv"],
            "Shards must have different names, by which corpora are drawn. Received: "
            "`0.tsv` and `other/0.tsv`",
        ),
        (["--systems", "4"], "`0.tsv` must have columns between tabs: the texts of 4"),
        (["--scheduler", "nowhere:1", "--segments"], "`--segments` is not an option"),
        (["--segments"], "`--segments` is not an option of shards."),
        (["--paired", "0.tsv"], "`--paired` is not an option of shards."),
        (["--test", "bootstrap"], "`--test` needs another system: `--systems`."),
    ],
)
def test_bad_input_is_one_line_that_names_the_file(bad_files, args, message):
    # What processes of their own find reaches the command alike.
    jobs = 2 if args == ["cut.tsv.gz"] else 1
    result = run(*bad_files, *args, "--metrics", "bleu", "cider", jobs=jobs)
    assert result.exit_code == 2, result.output
    assert result.stderr.startswith(f"Error: {message}")
    assert result.stderr.count("\n") == 1 and not result.stdout
    assert not list(pathlib.Path().glob("memnets-*"))


def test_a_scheduler_that_is_not_there_and_a_missing_extra_are_one_line(
    shards, monkeypatch
):
    with monkeypatch.context() as patch:
        patch.setitem(sys.modules, "distributed", None)
        missing = run(*shards, "--scheduler", "tcp://127.0.0.1:1")
    assert missing.exit_code == 2
    assert missing.stderr.startswith("Error: `--scheduler` needs the package distribu")
    assert "pip install 'memnets[cluster]'" in missing.stderr
    pytest.importorskip("distributed")
    from tasks.comparison import cluster

    monkeypatch.setattr(cluster, "CONNECT_SECONDS", 0.2)
    absent = run(*shards, "--scheduler", "tcp://127.0.0.1:1")
    assert absent.exit_code == 2
    assert "Error: `--scheduler` must be the address of a Dask" in absent.stderr
    assert absent.stderr.count("\n") == 1


def test_one_path_and_no_resamples_are_refused(shards):
    with pytest.raises(TypeError, match="`shards` must be a list of files. Received"):
        score_shards(chosen("bleu"), shards[0])
    with pytest.raises(ValueError, match="`resamples` must be a positive integer"):
        score_shards(chosen("bleu"), shards, confidence=0.95, resamples=0)


def test_an_empty_reference_is_none_in_shards_too(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    lines = ["the cat sat\tthe black cat sat on the mat\ta cat sat down there"]
    lines += ["hello world\thello big world out there now\t "]
    lines += ["a pub by the river\ta nice pub by the river\tby the river is a pub"]
    pathlib.Path("part.tsv").write_text("\n".join(lines) + "\n")
    result = run("part.tsv", "--json", "--metrics", "bleu-2", "ter")
    rows = [line.split("\t") for line in lines]
    references = [[text for text in row[1:] if text.strip()] for row in rows]
    for name in ("bleu-2", "ter"):
        found = json.loads(result.stdout)["metrics"][name]
        score = metrics.get(name).corpus_score(references, [row[0] for row in rows])
        assert found["value"] == pytest.approx(score.value, abs=1e-12)
        assert "|refs:var|" in found["signature"]
    pathlib.Path("part.tsv").write_text("a\tb\nc\t\n")
    result = run("part.tsv")
    assert result.stderr == (
        "Error: `part.tsv` must have a reference that is not empty in each line. "
        "Received none in line 2\n"
    )


def test_files_are_not_taken_for_shards_in_silence(shards):
    note = "Note: 7 files are shards: each line holds a hypothesis and 3 references, "
    assert run(*shards).stderr == f"{note}between tabs.\n"
    assert run(*shards, "--systems", "1").stderr == ""


def test_a_column_of_ids_is_refused(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    lines = "s1\tthe cat sat on the mat\ns2\ta dog ran away fast\n"
    for name in ("hyp.tsv", "ref.tsv"):
        pathlib.Path(name).write_text(lines)
    result = run("hyp.tsv", "ref.tsv")
    assert result.exit_code == 2 and result.stderr.startswith(
        "Error: `hyp.tsv` and `ref.tsv` begin with the same column, which looks like "
        "ids."
    )
    assert run("hyp.tsv", "ref.tsv", "--systems", "1").exit_code == 0


@pytest.mark.filterwarnings("default")
@pytest.mark.parametrize("name", ["bleu", "cider-d", "ter"])
def test_text_without_blanks_is_noted_in_shards(name, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    pathlib.Path("a.tsv").write_text(
        "我们今天去北京看长城。\t我们今天去北京游览长城。\n" * 2
    )
    result = run("a.tsv", "--systems", "1", "--metrics", name)
    [warning] = result.stderr.splitlines()
    assert " takes phrases for words in most references: " in warning
