"""Trainings on files: interrupted, resumed, refused; and the two commands."""

import errno
import io
import json
import os
import random
import shutil
import sys
import types
import warnings

import pytest
import rich.console
from click.testing import CliRunner
from foreign_files import contents_of, names_in

import tasks
from tasks.cli.main import main
from tasks.runs import locked
from tasks.runs.output_folder import OutputFolder
from tasks.training import vector_output, word_vectors
from tasks.training.progress import Bar, Lines, VectorProgress, display
from tasks.vectors import memory, native
from tasks.vectors.glove import GloVe

OPTIONS = {"min_count": 1, "iterations": 6, "threads": 1, "progress": False}
SMALL = {**OPTIONS, "size": 4}


@pytest.fixture
def corpus(write):
    rng = random.Random(0)
    lines = (" ".join(rng.choices("abcdefghij", k=8)) for _ in range(60))
    return write("\n".join(lines), "corpus")


def stop_after(monkeypatch, iterations, error=KeyboardInterrupt):
    """Stops a training in an iteration, when some have ended."""
    run = GloVe.run_iteration

    def stopping(self, advance=lambda cells: None):
        if len(self.costs) == iterations:
            self.state[:] = 7  # half-trained weights must not survive
            raise error
        run(self, advance)

    monkeypatch.setattr(GloVe, "run_iteration", stopping)


def test_a_training_gives_vectors_and_writes_them(corpus, tmp_path):
    out = tmp_path / "v.txt"
    vectors = tasks.train_word_vectors(corpus, **SMALL, out=out)
    assert sorted(vectors.words) == list("abcdefghij")
    assert out.exists() and not (tmp_path / "v.txt.training").exists()
    loaded = tasks.WordVectors.load(out)
    assert loaded.words == vectors.words
    assert loaded.values.tobytes() == vectors.values.tobytes()
    assert vectors.values.tobytes() == (
        tasks.train_word_vectors(corpus, **SMALL).values.tobytes()
    )


@pytest.mark.parametrize("stopped", [0, 1, 5])
def test_a_resumed_training_ends_with_the_same_bytes(
    way, corpus, tmp_path, monkeypatch, stopped
):
    whole, out = tmp_path / "whole.txt", tmp_path / "v.txt"
    tasks.train_word_vectors(corpus, **SMALL, out=whole)
    with monkeypatch.context() as patch:
        stop_after(patch, stopped)
        with pytest.raises(KeyboardInterrupt):
            tasks.train_word_vectors(corpus, **SMALL, out=out, save_seconds=0)
    assert not out.exists() and (tmp_path / "v.txt.training").exists()
    tasks.train_word_vectors(corpus, **SMALL, out=out, resume=True)
    assert out.read_bytes() == whole.read_bytes()
    assert not (tmp_path / "v.txt.training").exists()


def test_a_damaged_checkpoint_is_replaced_by_the_one_before(
    corpus, tmp_path, monkeypatch
):
    whole, out = tmp_path / "whole.txt", tmp_path / "v.txt"
    tasks.train_word_vectors(corpus, **SMALL, out=whole)
    with monkeypatch.context() as patch:
        stop_after(patch, 4)
        with pytest.raises(KeyboardInterrupt):
            tasks.train_word_vectors(corpus, **SMALL, out=out, save_seconds=0)
    last = tmp_path / "v.txt.training" / "checkpoints" / "000004.checkpoint"
    last.write_bytes(last.read_bytes()[:-9])
    with pytest.warns(UserWarning, match="is damaged.*The one before is used"):
        tasks.train_word_vectors(corpus, **SMALL, out=out, resume=True)
    assert out.read_bytes() == whole.read_bytes()


def test_a_kill_before_the_folder_is_removed_changes_nothing(
    corpus, tmp_path, monkeypatch
):
    out = tmp_path / "v.txt"
    with monkeypatch.context() as patch:
        patch.setattr(OutputFolder, "remove", lambda self, name: None)
        tasks.train_word_vectors(corpus, **SMALL, out=out)
    written = out.read_bytes()
    tasks.train_word_vectors(corpus, **SMALL, out=out, resume=True)
    assert out.read_bytes() == written
    assert not (tmp_path / "v.txt.training").exists()


def test_resume_of_a_finished_training_reads_its_vectors(corpus, tmp_path, monkeypatch):
    out = tmp_path / "v.txt"
    vectors = tasks.train_word_vectors(corpus, **SMALL, out=out)
    stop_after(monkeypatch, 0, AssertionError)
    again = tasks.train_word_vectors(corpus, **SMALL, out=out, resume=True)
    assert again.values.tobytes() == vectors.values.tobytes()


def test_vectors_of_another_size_are_not_those_of_a_finished_training(corpus, tmp_path):
    out = tmp_path / "v.txt"
    tasks.train_word_vectors(corpus, **SMALL, out=out)
    with pytest.raises(tasks.RunError, match="size must be 4. Received: size=16"):
        tasks.train_word_vectors(corpus, **{**SMALL, "size": 16}, out=out, resume=True)
    assert names_in(tmp_path) == ["corpus", "v.txt", "v.txt.memnets"]


def test_no_other_training_ends_while_one_counts(corpus, tmp_path, monkeypatch):
    out, count = tmp_path / "v.txt", word_vectors.count_cooccurrences

    def counting(*args, **kwargs):
        with monkeypatch.context() as patch:
            patch.setattr(word_vectors, "count_cooccurrences", count)
            with pytest.raises(tasks.RunError, match="is in use"):
                tasks.train_word_vectors(corpus, **SMALL, out=out)
        return count(*args, **kwargs)

    monkeypatch.setattr(word_vectors, "count_cooccurrences", counting)
    tasks.train_word_vectors(corpus, **SMALL, out=out)
    assert names_in(tmp_path) == ["corpus", "v.txt", "v.txt.memnets"]


def test_a_training_that_ends_before_the_lock_is_not_overwritten(
    corpus, tmp_path, monkeypatch
):
    out, lock = tmp_path / "v.txt", vector_output.locked

    def locked_late(path):
        out.write_text("theirs")
        return lock(path)

    monkeypatch.setattr(vector_output, "locked", locked_late)
    with pytest.raises(tasks.RunError, match="must be a new file"):
        tasks.train_word_vectors(corpus, **SMALL, out=out)
    assert out.read_text() == "theirs"
    assert names_in(tmp_path) == ["corpus", "v.txt"]


def test_resume_needs_the_same_settings_and_text(corpus, tmp_path, monkeypatch, write):
    out = tmp_path / "v.txt"
    with monkeypatch.context() as patch:
        stop_after(patch, 2)
        with pytest.raises(KeyboardInterrupt):
            tasks.train_word_vectors(corpus, **SMALL, out=out, save_seconds=0)
    resume = {"out": out, "resume": True}
    with pytest.raises(tasks.RunError, match="another seed.*must be 1.*seed=2"):
        tasks.train_word_vectors(corpus, **SMALL, **resume, seed=2)
    with pytest.raises(tasks.RunError, match="another window: .* must be 10"):
        tasks.train_word_vectors(corpus, **SMALL, **resume, window=3)
    with pytest.raises(tasks.RunError, match="a training of another text"):
        tasks.train_word_vectors(write("a b c"), **SMALL, **resume)
    # The number of threads may be another one.
    tasks.train_word_vectors(corpus, **{**SMALL, "threads": 2}, **resume)


def test_earlier_vectors_are_overwritten_by_force_only(corpus, tmp_path, monkeypatch):
    out = tmp_path / "v.txt"
    tasks.train_word_vectors(corpus, **{**SMALL, "size": 2}, out=out)
    mine = out.read_text()
    with pytest.raises(tasks.RunError, match="must be a new file.*--force"):
        tasks.train_word_vectors(corpus, **SMALL, out=out)
    assert out.read_text() == mine
    with monkeypatch.context() as patch:
        stop_after(patch, 1)
        with pytest.raises(KeyboardInterrupt):
            tasks.train_word_vectors(corpus, **SMALL, out=out, force=True)
    with pytest.raises(tasks.RunError, match="interrupted training.*--resume"):
        tasks.train_word_vectors(corpus, **SMALL, out=out)
    assert out.read_text() == mine
    tasks.train_word_vectors(corpus, **SMALL, out=out, force=True)
    assert tasks.WordVectors.load(out).size == 4


@pytest.mark.parametrize("force", [False, True])
def test_no_other_file_is_overwritten(corpus, tmp_path, force):
    """Nor one that we wrote and somebody changed, nor what lies where the record of a
    training or its checkpoints would lie."""
    ours = tmp_path / "ours.txt"
    tasks.train_word_vectors(corpus, **SMALL, out=ours)
    with ours.open("a") as changed:
        changed.write("mine 1 2 3 4\n")
    (tmp_path / "theirs.txt").write_text("mine 1 2 3 4\n")
    (tmp_path / "record.txt.memnets").write_text("mine")
    (tmp_path / "notes.txt.training").mkdir()
    (tmp_path / "notes.txt.training" / "todo").write_text("mine")
    (tmp_path / "link.txt").symlink_to(tmp_path / "theirs.txt")
    before = contents_of(tmp_path)
    for name in ("ours", "theirs", "record", "notes", "link"):
        with pytest.raises(
            tasks.RunError,
            match="^`out[.a-z]*` must be a (new )?(or empty )?(file|directory)",
        ):
            tasks.train_word_vectors(
                corpus, **SMALL, out=tmp_path / f"{name}.txt", force=force
            )
    assert contents_of(tmp_path) == before


def test_the_text_is_never_overwritten(corpus, tmp_path):
    """Whatever leads there: its name, another spelling, a link, a hard link."""
    before = corpus.read_bytes()
    (tmp_path / "link").symlink_to(corpus)
    (tmp_path / "hard").hardlink_to(corpus)
    (tmp_path / "folder").mkdir()
    for out in (corpus.name, f"folder/../{corpus.name}", "link", "hard"):
        with pytest.raises(tasks.RunError, match="`out` must "):
            tasks.train_word_vectors(corpus, **SMALL, out=tmp_path / out, force=True)
    assert corpus.read_bytes() == before


def test_vectors_go_where_a_link_leads(corpus, tmp_path):
    (tmp_path / "disk").mkdir()
    (tmp_path / "v.txt").symlink_to(tmp_path / "disk" / "v.txt")
    tasks.train_word_vectors(corpus, **SMALL, out=tmp_path / "v.txt")
    assert (tmp_path / "v.txt").is_symlink()
    assert names_in(tmp_path / "disk") == ["v.txt", "v.txt.memnets"]
    tasks.train_word_vectors(corpus, **SMALL, out=tmp_path / "v.txt", force=True)
    assert (tmp_path / "v.txt").is_symlink()


def test_only_files_of_a_training_are_removed_at_its_end(corpus, tmp_path, monkeypatch):
    out, folder = tmp_path / "v.txt", tmp_path / "v.txt.training"
    with monkeypatch.context() as patch:
        stop_after(patch, 2)
        with pytest.raises(KeyboardInterrupt):
            tasks.train_word_vectors(corpus, **SMALL, out=out, save_seconds=0)
    (folder / "checkpoints" / "notes").write_text("mine")
    tasks.train_word_vectors(corpus, **SMALL, out=out, resume=True)
    assert [path.name for path in folder.rglob("*")] == ["checkpoints", "notes"]


def test_a_checkpoint_of_another_training_is_refused(corpus, tmp_path, monkeypatch):
    for seed in (1, 2):
        with monkeypatch.context() as patch:
            stop_after(patch, 2)
            with pytest.raises(KeyboardInterrupt):
                out = tmp_path / f"{seed}.txt"
                tasks.train_word_vectors(
                    corpus, **SMALL, seed=seed, out=out, save_seconds=0
                )
    shutil.copytree(
        tmp_path / "1.txt.training" / "checkpoints",
        tmp_path / "2.txt.training" / "checkpoints",
        dirs_exist_ok=True,
    )
    with pytest.raises(ValueError, match="of another run, with seed=1. This .*seed=2"):
        tasks.train_word_vectors(
            corpus, **SMALL, seed=2, out=tmp_path / "2.txt", resume=True
        )


def test_what_is_refused_with_force_loses_nothing(corpus, tmp_path):
    out = tmp_path / "v.txt"
    tasks.train_word_vectors(corpus, **SMALL, out=out)
    mine = out.read_text()
    for wrong in ({"window": 0}, {"size": 0}, {"resume": True}):
        arguments = {**SMALL, "out": out, "force": True, **wrong}
        with pytest.raises(ValueError, match=f"`{[*wrong][0]}`"):
            tasks.train_word_vectors(corpus, **arguments)
    with pytest.raises(ValueError, match="gone"):
        tasks.train_word_vectors(tmp_path / "gone", **SMALL, out=out, force=True)
    assert out.read_text() == mine


def test_places_that_cannot_be_written_are_named_before_the_training(corpus, tmp_path):
    for out in (tmp_path, tmp_path / "gone" / "v.txt"):
        with pytest.raises(tasks.RunError, match="`out` must be a file in a folder"):
            tasks.train_word_vectors(corpus, **SMALL, out=out)
    with pytest.raises(ValueError, match="`force` and `resume` need `out`"):
        tasks.train_word_vectors(corpus, **SMALL, resume=True)


def test_a_bad_text_leaves_nothing(write, tmp_path):
    path = write("a\nb")
    with pytest.raises(ValueError, match="no two of them in a line"):
        tasks.train_word_vectors(path, **SMALL, out=tmp_path / "v.txt")
    assert [file.name for file in tmp_path.iterdir()] == ["text"]


def test_the_first_line_says_what_runs(corpus, capsys, monkeypatch):
    shown = {**SMALL, "progress": True}
    tasks.train_word_vectors(corpus, **shown)
    first, second, *_, last = capsys.readouterr().err.splitlines()
    assert first == f"Runs on: {native.status()}; threads: 1"
    assert second == "10 words, 100 pairs of words"
    assert last.startswith("cost 0.") and last.endswith(" after 6 iterations")
    monkeypatch.setattr(native, "load", lambda: None)
    tasks.train_word_vectors(corpus, **shown)
    assert capsys.readouterr().err.startswith("Runs on: NumPy, many times slower")


def console(terminal):
    return rich.console.Console(file=io.StringIO(), force_terminal=terminal, width=90)


def test_lines_tell_the_iteration_its_cost_and_the_time(monkeypatch):
    screen = display(console=console(False))
    assert isinstance(screen, Lines)
    monkeypatch.setattr("tasks.training.progress.LINE_INTERVAL", 0.0)
    shown = VectorProgress(screen)
    with screen:
        shown.read(2_500_000)
        shown.begin(1, 3, 1000)
        shown.end_iteration(0.25)
        shown.trained(500)
    written = screen.console.file.getvalue()
    assert "read 2.5 MB" in written
    assert "iteration 2/3  cost 0.250000" in written and "s left" in written


def test_a_terminal_has_a_bar_that_ends_with_the_training():
    screen = display(console=console(True))
    assert isinstance(screen, Bar)
    with screen:
        shown = VectorProgress(screen)
        shown.begin(0, 2, 1000)
        shown.trained(1500)
        assert screen.bar.tasks[0].percentage == 75
        assert screen.bar.live.is_started
    assert screen.bar.finished is False and not screen.bar.live.is_started


@pytest.fixture
def cell(monkeypatch):
    """What a notebook shows: the contents of its one output, in order."""
    contents = []

    class Output:
        def update(self, content, raw):
            contents.append(content)

    def show(content, raw, display_id):
        assert not contents, "a second output"
        contents.append(content)
        return Output()

    package, module = types.ModuleType("IPython"), types.ModuleType("IPython.display")
    package.display, module.display = module, show
    monkeypatch.setitem(sys.modules, "IPython", package)
    monkeypatch.setitem(sys.modules, "IPython.display", module)
    return contents


def test_a_notebook_has_one_bar_that_moves(cell, monkeypatch):
    monkeypatch.setattr("tasks.training.progress.BAR_INTERVAL", 0.0)
    with display(console=rich.console.Console(force_jupyter=True)) as screen:
        screen.show("a < b", 0, None)
        for done in (1, 5, 8):
            screen.show(f"{done} of 8", done, 8)
    bars = [content["text/html"] for content in cell]
    assert bars[0] == "<progress></progress> a &lt; b"
    assert bars[1:] == [
        f'<progress value="{done}" max="8"></progress> {done} of 8'
        for done in (1, 5, 8)
    ]
    assert [content["text/plain"] for content in cell][:2] == ["a < b", "1 of 8"]


def test_a_bar_in_a_notebook_does_not_flood_it_and_ends_full(cell):
    with display(console=rich.console.Console(force_jupyter=True)) as screen:
        for done in range(1001):
            screen.show(str(done), done, 1000)
    assert 1 < len(cell) < 100
    assert cell[-1]["text/plain"] == "1000"


def run(*args):
    return CliRunner().invoke(main, [str(arg) for arg in args])


def train(corpus, out, *more):
    return run(
        *("train-vectors", corpus, "--out", out, "--size", 4, "--min-count", 1),
        *("--iterations", 6, "--threads", 1, *more),
    )


def test_the_command_trains_and_prints_json(corpus, tmp_path):
    out = tmp_path / "v.txt.gz"
    result = train(corpus, out, "--json")
    assert result.exit_code == 0, result.output
    assert json.loads(result.stdout) == {"out": str(out), "words": 10, "size": 4}
    assert tasks.WordVectors.load(out).values.tobytes() == (
        tasks.train_word_vectors(corpus, **SMALL).values.tobytes()
    )


def test_the_command_says_how_to_continue(corpus, tmp_path, monkeypatch):
    with monkeypatch.context() as patch:
        stop_after(patch, 2)
        result = train(corpus, tmp_path / "v.txt", "--save-seconds", 0)
    assert result.exit_code == 130
    assert "Stopped by hand" in result.stderr and "--resume" in result.stderr
    result = train(corpus, tmp_path / "v.txt", "--resume")
    assert result.exit_code == 0
    assert result.stdout == f"10 vectors of 4 numbers: {tmp_path / 'v.txt'}\n"


def test_a_divergence_exits_with_1(corpus, tmp_path, monkeypatch):
    stop_after(monkeypatch, 2, FloatingPointError("has diverged"))
    result = train(corpus, tmp_path / "v.txt")
    assert result.exit_code == 1 and "has diverged" in result.stderr


def test_bad_input_of_the_commands_exits_with_2_and_one_line(corpus, tmp_path, write):
    bad = write("a 1\nb 1 2\n", "bad")
    for result in (
        train(corpus, tmp_path / "v.txt", "--window", 0),
        train(corpus, tmp_path / "v.txt", "--memory", "lots"),
        train(write(b"\xff", "other"), tmp_path / "v.txt"),
        run("vectors", bad),
        run("vectors", corpus, "--minus", "a"),
        run("vectors", corpus, "--picture", tmp_path / "p.png"),
    ):
        assert result.exit_code == 2
        assert result.stderr.count("\n") <= 2 and "Traceback" not in result.stderr
    assert not (tmp_path / "v.txt").exists()


@pytest.fixture
def royal(write):
    return write("man 1 0\nwoman -1 0\nking 1 1\nqueen -1 1\n", "royal")


def test_vectors_shows_what_is_asked_for(royal, write, tmp_path):
    questions = write("man woman king queen\n", "q")
    pairs = write("king king 9\nman woman 5\nman queen 1\n", "s")
    picture = tmp_path / "p.png"
    args = ["vectors", royal, "--near", "king", "woman", "--minus", "man"]
    args += ["--count", 1, "--analogies", questions, "--similarity", pairs]
    args += ["--picture", picture, "--words", "man, king,queen"]
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        result = run(*args)
    assert result.exit_code == 0, result.output
    assert result.stdout.startswith("4 vectors of 2 numbers\n")
    assert "queen  0.9597" in result.stdout
    # Of one question and of three pairs there is no interval.
    assert "accuracy 1.0000, 100.0% of the questions" in result.stdout
    assert "similarity: Spearman 1.0000, 3 of 3 pairs" in result.stdout
    assert picture.read_bytes().startswith(b"\x89PNG")
    found = json.loads(run(*args, "--json").stdout)
    assert [word for word, _ in found["near"]] == ["queen"]
    assert found["analogies"]["accuracy"] == 1
    assert found["analogies"]["sections"][0]["asked"] == 1
    assert found["similarity"]["correlation"] == pytest.approx(1)


def test_words_have_blanks_or_commas_between_them(write, tmp_path):
    """But for a word that has a comma in it."""
    vectors = write("man 1 0\nwoman -1 0\nking 1 1\nqueen -1 1\n1,000 0 1\n", "royal")
    for near in (["king,woman"], ["king", "woman"], ["king, woman"]):
        asked = run("vectors", vectors, "--near", *near, "--minus", "1,000", "--json")
        assert [word for word, _ in json.loads(asked.stdout)["near"]] == [
            "queen",
            "man",
        ]
    picture = "--picture", tmp_path / "p.png", "--words"
    assert not run("vectors", vectors, *picture, "man", "1,000").exit_code


def test_vectors_shows_intervals_of_ten_answers(royal, write):
    questions = write("man woman king queen\n" * 10, "q")
    pairs = write("king king 9\nman woman 5\nman queen 1\n" * 4, "s")
    args = ["vectors", royal, "--analogies", questions, "--similarity", pairs]
    shown = run(*args).stdout
    assert "accuracy 1.0000 [1.0000, 1.0000], 100.0% of the questions" in shown
    assert "similarity: Spearman 1.0000 [1.0000, 1.0000], 12 of 12 pairs" in shown


def test_vectors_alone_counts_them(royal):
    assert run("vectors", royal).stdout == "4 vectors of 2 numbers\n"
    assert run("vectors", royal, "--limit", 2).stdout == "2 vectors of 2 numbers\n"


def test_a_correlation_that_is_not_defined_is_null_in_json(royal, write):
    pairs = write("x y 1\n", "s")
    found = json.loads(run("vectors", royal, "--similarity", pairs, "--json").stdout)
    assert found["similarity"]["correlation"] is None


def test_a_training_in_use_is_refused_before_the_text_is_read(tmp_path):
    out = tmp_path / "v.txt"
    (tmp_path / "no text").write_bytes(b"\xff")
    with locked(tmp_path / "v.txt.training"):
        with pytest.raises(tasks.RunError, match="is in use: another process trains"):
            tasks.train_word_vectors(tmp_path / "no text", **SMALL, out=out, force=True)


@pytest.mark.filterwarnings("default")
def test_the_command_says_what_it_chose_and_what_is_empty(corpus, write, tmp_path):
    empty = write("", "empty")
    words = ["train-vectors", corpus, empty, "--out", tmp_path / "v.txt", "--size", 4]
    words += ["--min-count", 1, "--iterations", 1]
    result = CliRunner().invoke(main, list(map(str, words)))
    assert result.exit_code == 0, result.output
    assert "x_max: 10, by the size of the text\n" in result.stderr
    assert f"Warning: `{empty}` has no words.\n" in result.stderr
    result = CliRunner().invoke(main, [*map(str, words), "--force", "--x-max", "50"])
    assert "x_max" not in result.stderr


def test_errors_name_options_as_they_are_written(corpus, tmp_path):
    words = ["train-vectors", corpus, "--out", tmp_path / "v.txt", "--min-count", 5000]
    result = CliRunner().invoke(main, list(map(str, words)))
    assert result.exit_code == 2
    assert "`--min-count` must be at most" in result.stderr
    assert "min_count" not in result.stderr


def test_without_room_for_temporary_files_their_folder_is_named(corpus, monkeypatch):
    def full(file, offset, count):
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    monkeypatch.setattr(os, "posix_fallocate", full)
    with pytest.raises(OSError, match="cannot be written in /.*No space left"):
        memory.empty("float32", 10, 39)
