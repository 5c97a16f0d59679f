"""`memnets score` as a process of its own: what it imports, pipes and terminals."""

import os
import pty
import re
import subprocess
import sys

import pytest

from metrics.registry import METRICS
from tasks.scoring.corpus import CHUNK

PROGRAM = "import sys; sys.argv[0] = 'memnets'; from tasks.cli.main import main; "


def start(*args, code="main()", **kwargs):
    """The command as a process of its own."""
    command = [sys.executable, "-c", PROGRAM + code, "score", *map(str, args)]
    kwargs = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE, **kwargs}
    return subprocess.Popen(command, env=os.environ | {"COLUMNS": "60"}, **kwargs)


@pytest.fixture
def long_file(tmp_path):
    """A file of more lines than are counted at a time."""
    path = tmp_path / "long.txt"
    path.write_text("a b c d\n" * (CHUNK + 1))
    return path


@pytest.mark.parametrize(
    "args",
    [
        ["--metrics", *METRICS, "--rouge-separator", " "],
        ["--paired", "OTHER", "--confidence"],
        ["--help"],
    ],
    ids=["metrics", "tests", "help"],
)
def test_neither_keras_nor_tensorflow_is_imported(args, tmp_path):
    path = tmp_path / "text"
    path.write_text("a cat\na dog\n" * 15)
    code = (
        "main(standalone_mode=False); "
        "heavy = {'keras', 'tensorflow', 'jax', 'matplotlib'} & set(sys.modules); "
        "assert not heavy, heavy"
    )
    other = tmp_path / "other"
    other.write_text("a cat\na dog ran\n" * 15)
    args = [other if arg == "OTHER" else arg for arg in args]
    with start(path, path, *args, code=code) as process:
        output, errors = process.communicate()
    assert process.returncode == 0, errors
    assert output and not errors


def test_scores_for_a_pipe_need_neither_nltk_nor_rich(long_file):
    code = (
        "main(standalone_mode=False); "
        "slow = {'keras', 'nltk', 'rich'} & set(sys.modules); "
        "assert not slow, slow"
    )
    with start(long_file, long_file, code=code) as process:
        _, errors = process.communicate()
    assert process.returncode == 0, errors


def test_texts_come_through_a_pipe_and_scores_go_into_one(long_file):
    with open(long_file) as stream, start("-", long_file, stdin=stream) as process:
        output, errors = process.communicate()
    assert output.startswith(b"metric\tscore\tsignature\nbleu\t1.0000\tbleu|refs:1|")
    assert not errors


def test_a_reader_that_had_enough_ends_the_command_quietly(tmp_path):
    (tmp_path / "longer.txt").write_text("a\n" * 50_000)
    args = [tmp_path / "longer.txt"] * 2 + ["--metrics", "exact-match", "--segments"]
    with start(*args) as process:
        assert process.stdout.readline() == b"segment\texact-match\n"
        process.stdout.close()
        assert process.stderr.read() == b""
    assert process.returncode == 1


def shown_on_a_terminal(stream, *args):
    """What `stdout` or `stderr` shows if it is a terminal, and the two as pipes."""
    terminal, other_end = pty.openpty()
    with start(*args, **{stream: other_end}) as process:
        os.close(other_end)
        shown = b""
        while part := _read(terminal):
            shown += part
        piped = process.communicate()
    os.close(terminal)
    assert process.returncode == 0
    without_colours = re.sub(r"\x1b\[[0-9;?]*[A-Za-z]", "", shown.decode())
    return without_colours.replace("\r\n", "\n"), piped


def _read(terminal):
    try:
        return os.read(terminal, 4096)
    except OSError:  # nobody is left at the other end
        return b""


def test_terminals_see_a_table_and_an_unbroken_signature(long_file):
    shown, (_, errors) = shown_on_a_terminal("stdout", long_file, long_file)
    table, signature = shown.split("bleu|")
    assert table.split() == ["metric", "score", "bleu", "1.0000"]
    assert signature.startswith("refs:1|") and signature.count("\n") == 1
    assert not errors


def test_terminals_see_a_bar_while_scores_go_elsewhere(long_file):
    shown, (output, _) = shown_on_a_terminal("stderr", long_file, long_file)
    assert f"{CHUNK + 1}/{CHUNK + 1} segments" in shown
    assert output.startswith(b"metric\tscore\tsignature\nbleu\t1.0000\t")


def test_short_texts_need_no_bar(tmp_path):
    (tmp_path / "short.txt").write_text("a\n")
    args = [tmp_path / "short.txt"] * 2
    shown, _ = shown_on_a_terminal("stderr", *args)
    assert shown == ""


def test_scores_need_no_module_of_the_name_metrics(tmp_path):
    """A user's own `metrics.py` and `tasks.py` keep their names."""
    (tmp_path / "metrics.py").write_text("NAME = 'mine'\n")
    (tmp_path / "tasks.py").write_text("NAME = 'mine'\n")
    (tmp_path / "texts").write_text("the cat sat on the mat\n")
    code = (
        "import metrics, tasks\n"
        "from memnets.tasks.cli.main import main\n"
        "assert metrics.NAME == tasks.NAME == 'mine'\n"
        "main(['score', 'texts', 'texts', '--metrics', 'bleu', 'ter'])\n"
    )
    result = subprocess.run(
        [sys.executable, "-c", code], cwd=tmp_path, capture_output=True, text=True
    )
    assert result.returncode == 0, result.stderr
    assert [line.split("\t")[:2] for line in result.stdout.splitlines()[1:]] == [
        ["bleu", "1.0000"],
        ["ter", "0.0000"],
    ]
