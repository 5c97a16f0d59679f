"""Commands and trainings without standard streams, or with full ones."""

import json
import os
import subprocess
import sys

import pytest

import tasks
from tasks.scoring.progress import progress_of

START = "import sys; from tasks.cli.main import main; main(sys.argv[1:])"
CLOSED = {"output": ">&-", "error": "2>&-", "input": "<&-", "all": ">&- 2>&- <&-"}

pytestmark = pytest.mark.once


def shell(redirection, *words, **kwargs):
    """A command of `memnets`, started by a shell."""
    command = [sys.executable, "-c", START, *map(str, words)]
    return subprocess.run(
        ["sh", "-c", f'exec "$@" {redirection}', "sh", *command],
        capture_output=True,
        text=True,
        **kwargs,
    )


@pytest.fixture
def texts(tmp_path):
    for name in ("hypotheses", "references"):
        (tmp_path / name).write_text("a cat sat on the mat\n" * 3)
    (tmp_path / "vectors").write_text("up 0 1\ndown 0 -1\nhigh 0.1 2\n")
    return tmp_path


@pytest.mark.parametrize("closed", CLOSED)
@pytest.mark.parametrize(
    "words",
    [
        "list",
        "show copy --seed 1",
        "score hypotheses references --confidence",
        "vectors vectors --near up",
    ],
)
def test_light_commands_need_no_streams(closed, words, texts):
    result = shell(CLOSED[closed], *words.split(), cwd=texts)
    assert result.returncode == 0, result.stderr
    assert "Traceback" not in result.stderr
    if closed in ("error", "input"):
        whole = shell("", *words.split(), cwd=texts)
        assert result.stdout == whole.stdout != ""


@pytest.mark.parametrize("closed", ["error", "all"])
def test_a_wrong_command_fails_without_streams(closed, texts):
    assert shell(CLOSED[closed], "score", "gone", "references").returncode == 2


@pytest.mark.slow
def test_a_training_needs_no_streams(tmp_path):
    out = tmp_path / "run"
    words = "train copy --model lstm --num-layers 1 --layer-size 4 --max-length 2"
    words += f" --sequences 32 --out {out}"
    result = shell(CLOSED["all"], *words.split())
    assert result.returncode == 0, result.stderr
    assert (out / "report.html").is_file()


@pytest.mark.parametrize("number", [0, 1, 2])
def test_no_file_gets_the_number_of_a_closed_stream(number, tmp_path):
    """What a library prints there would be written into the file."""
    code = (
        f"import os; os.close({number}); from tasks.cli.streams import *\n"
        "open_standard_streams()\n"
        f"assert open({str(tmp_path / 'file')!r}, 'w').fileno() > 2\n"
        f"os.fstat({number})\n"
    )
    subprocess.run([sys.executable, "-c", code], check=True)


@pytest.mark.skipif(not os.path.exists("/dev/full"), reason="needs /dev/full")
@pytest.mark.parametrize("words", ["list", "--help", "score hypotheses references"])
def test_results_that_cannot_be_written_are_an_error_of_one_line(words, texts):
    result = shell(">/dev/full", *words.split(), cwd=texts)
    assert result.returncode == 1
    assert result.stderr == (
        "Error: Standard output cannot be written: No space left on device.\n"
    )


@pytest.mark.skipif(not os.path.exists("/dev/full"), reason="needs /dev/full")
def test_messages_that_cannot_be_written_end_no_command():
    code = (
        "import sys; from tasks.cli.streams import open_standard_streams as begin\n"
        "begin()\n"
        "for _ in range(9): print('progress', file=sys.stderr, flush=True)\n"
        "print('done')\n"
    )
    command = ["sh", "-c", 'exec "$@" 2>/dev/full', "sh", sys.executable, "-c", code]
    result = subprocess.run(command, capture_output=True, text=True)
    assert (result.returncode, result.stdout) == (0, "done\n")


def test_a_reader_that_closes_the_output_is_no_error():
    command = [sys.executable, "-c", START, "list"]
    with subprocess.Popen(
        command, stdout=subprocess.PIPE, stderr=subprocess.PIPE
    ) as process:
        process.stdout.close()
        assert process.stderr.read() == b""
    assert process.returncode == 1


def test_functions_show_progress_without_standard_error(monkeypatch, tmp_path, tiny):
    monkeypatch.setattr(sys, "stderr", None)
    monkeypatch.setattr(sys, "stdout", None)
    result = tasks.train(
        tasks.Copy(2, 1, 2), tiny, sequences=32, batch_size=4, out=tmp_path / "run"
    )
    assert json.loads((tmp_path / "run" / "summary.json").read_text())["evaluation"]
    assert len(result.history) == 1
    text = tmp_path / "text"
    text.write_text("one two three four five " * 20)
    assert len(tasks.train_word_vectors(text, 4, iterations=1)) == 5
    with progress_of(2, "segments", is_long=True) as start:
        start("bleu")(2)
