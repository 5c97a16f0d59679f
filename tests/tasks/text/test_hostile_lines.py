"""Whatever lines are translated, as many come out, and their scores agree.

MEMNETS_FUZZ_CASES=10000 in the environment translates so many hostile lines.
"""

import gzip
import io
import json
import os
import random
import sys

import click
import pytest
from fuzz.texts import ODD_WORDS

import tasks
from tasks.cli.main import main
from tasks.contract.altered import altered
from tasks.text import toy_language
from tasks.text.subwords import Subwords
from tasks.text.tokens import UNKNOWN

CASES = int(os.environ.get("MEMNETS_FUZZ_CASES", 200))
MORE = ("\u2029", "\x0b", "\x1c", "\r", "▁", "</s>", "<0x0A>", "🦁")
# A file has no half of a surrogate pair.
ODD = [
    word.encode(errors="ignore").decode()
    for word in (*ODD_WORDS, *MORE)
    if "\n" not in word
]


@pytest.fixture(scope="module")
def run(tmp_path_factory):
    """A run of pieces that has learned nothing, so that it may write any byte."""
    folder = tmp_path_factory.mktemp("texts")
    rng = random.Random(1)
    for name, count in (("train", 60), ("val", 4), ("test", 9)):
        sources = [toy_language.draw_sentence(rng) for _ in range(count)]
        targets = map(toy_language.translate, sources)
        (folder / f"{name}.en").write_text("\n".join(sources) + "\n")
        (folder / f"{name}.xx").write_text("\n".join(targets) + "\n")
    with (folder / "test.en").open("a") as file:
        file.write("the " * 70 + "\n")
    with (folder / "test.xx").open("a") as file:
        file.write("lo\n")
    parameters = {"vocabulary_size": 300, "beam_size": 2, "buckets": 1}
    parameters |= {"data": str(folder), "target": "xx"}
    task = tasks.get_task("translation", **parameters)
    model = tasks.get_model("gru-attention", task, units=8, embedding_size=8)
    options = {"sequences": 16, "batch_size": 8, "progress": False, "evaluate": False}
    return tasks.train(task, model, out=folder / "run", **options).run


@pytest.fixture
def command(capsys, monkeypatch):
    """Runs a command on the bytes of standard input. Returns what it writes."""

    def call(*arguments, data=b""):
        lines = io.TextIOWrapper(io.BytesIO(data), encoding="utf-8")
        monkeypatch.setattr(sys, "stdin", lines)
        main([str(word) for word in arguments], standalone_mode=False)
        captured = capsys.readouterr()
        return captured.out, captured.err

    return call


def hostile_line(rng):
    """Words and odd characters; one line in ten is blank, one in 100 is very long."""
    kind = rng.random()
    if kind < 0.1:
        return rng.choice(["", " ", "   ", "\t", " \t ", "\u3000", "\u2028", "\x85"])
    parts = toy_language.draw_sentence(rng).split() if kind < 0.5 else []
    parts += rng.choices(ODD, k=rng.randrange(6))
    parts += [chr(rng.randrange(11, 0xD800)) for _ in range(rng.randrange(4))]
    rng.shuffle(parts)
    line = rng.choice(["", " ", "  "]).join(parts)
    return line * 300 if kind > 0.99 else line


@pytest.mark.once
@pytest.mark.parametrize(
    ("where", "options", "each"),
    [("stdin", ["--samples", "1"], 1), ("file", ["--n-best", "2"], 2)],
    ids=["drawn", "searched"],
)
def test_as_many_lines_come_out_as_go_in(run, command, tmp_path, where, options, each):
    rng = random.Random(len(options[0]))
    lines = [hostile_line(rng) for _ in range(CASES)]
    data = b"".join(
        line.encode() + rng.choice([b"\n", b"\n", b"\r\n"]) for line in lines
    )
    if where == "file":
        path = tmp_path / "lines.en"
        path.write_bytes(data)
        options = [*options, "--input", path]
    out, _ = command("translate", run.path, *options, data=data)
    written = out.splitlines()  # at every character that may end a line
    assert written == out.split("\n")[:-1]
    assert len(written) == each * len(lines)
    for number, line in enumerate(lines):
        of_line = written[each * number : each * (number + 1)]
        assert line.strip() or not any(of_line)
    assert sum(map(bool, written)) > CASES / 2
    assert "\0" not in out


@pytest.mark.once
@pytest.mark.parametrize(
    ("data", "count"), [(b"", 0), (b"\xef\xbb\xbf", 0), (b"\xef\xbb\xbf\n \n", 2)]
)
def test_blank_texts_give_as_many_empty_lines(run, command, data, count):
    assert command("translate", run.path, data=data) == ("\n" * count, "")


@pytest.mark.once
def test_lines_with_words_that_the_network_never_saw_are_named(
    run, command, monkeypatch
):
    encode = Subwords.encode

    def without_w(self, text):  # as a vocabulary of words has it
        return [UNKNOWN if "w" in text else token for token in encode(self, text)]

    monkeypatch.setattr(Subwords, "encode", without_w)
    _, err = command("translate", run.path, data=b"a\nw\nb w\n")
    assert err == "2 lines have unknown words: 2, 3\n"


@pytest.mark.once
def test_an_interactive_session_answers_each_line(run, command):
    out, _ = command("translate", run.path, "--interactive", data=b"the\0\r\n\na\rb")
    assert len(out.split("\n")) == 4


@pytest.mark.once
def test_scores_of_an_evaluation_are_those_of_the_files(run, command, tmp_path):
    """Also of text that a network would not learn: bytes that are no characters."""
    folder, hypotheses = run.path.parent, tmp_path / "out.xx"
    sources, references = folder / "test.en", folder / "test.xx"
    out, err = command("translate", run.path, "--input", sources)
    assert err == "1 line was too long and cut: 10\n"
    hypotheses.write_text(out)
    # So that they have words in common.
    lines = zip(out.splitlines(), references.read_text().splitlines(), strict=True)
    mixed = [new if len(new) % 2 else f"{old} {new}" for new, old in lines]
    references.write_text("".join(f"{line}\n" for line in mixed))
    out, err = command("evaluate", run.path, "--split", "test", "--json")
    assert err == "1 of 10 sources have more than 60 tokens: cut.\n"
    [found] = json.loads(out)["evaluation"]
    names = ["bleu", "chrf", "ter"]
    out, _ = command("score", hypotheses, references, "--metrics", *names, "--json")
    scores = json.loads(out)["metrics"]
    for name in names:
        assert scores[name]["signature"] == found["signatures"][name]
        assert scores[name]["value"] == pytest.approx(found["values"][name], abs=1e-9)
    assert found["values"]["bleu"] > 0.2


@pytest.mark.once
def test_a_gzipped_text_is_translated_as_it_is(run, command, tmp_path):
    path = tmp_path / "lines.gz"
    path.write_bytes(gzip.compress(b"the cat\nsees a dog\n"))
    expected = command("translate", run.path, data=b"the cat\nsees a dog\n")
    assert command("translate", run.path, "--input", path) == expected
    assert command("translate", run.path, data=path.read_bytes()) == expected
    scores, _ = command("translate", run.path, "--input", path, "--targets", path)
    assert len(scores.splitlines()) == 2


@pytest.mark.once
@pytest.mark.parametrize("option", ["--beam", "--length-penalty", "--n-best"])
@pytest.mark.parametrize("other", ["--samples", "--targets"])
def test_options_of_a_search_are_not_dropped(run, command, option, other, tmp_path):
    (tmp_path / "2").write_text("a\n")
    value = "2" if other == "--samples" else tmp_path / "2"
    with pytest.raises(click.ClickException, match=f"`{option}`|`--n-best`"):
        command("translate", run.path, other, value, option, "2", data=b"a\n")


@pytest.mark.once
def test_closed_standard_input_is_named(run, monkeypatch):
    monkeypatch.setattr(sys, "stdin", None)
    words = ["translate", str(run.path)]
    with pytest.raises(click.ClickException, match="Standard input is closed"):
        main(words, standalone_mode=False)


@pytest.mark.once
def test_pairs_that_were_trained_on_are_counted(run, tmp_path):
    folder = run.path.parent
    for path in [*folder.glob("*.en"), *folder.glob("*.xx")]:
        text = path.read_text()
        if path.stem == "test":  # two pairs of the training, and half of one
            train = (folder / f"train{path.suffix}").read_text().splitlines()
            text = "\n".join([*train[:2], f"new {path.suffix}", ""]) + "\n"
        (tmp_path / path.name).write_text(text)
    task = altered(run.task, data=str(tmp_path))
    assert any(
        "2 of 4 pairs of the test are in the training" in n
        for n in task.presentation.notes
    )
    (note,) = task.on("test").presentation.notes
    assert note.startswith("2 of 4 pairs of the test are in the training too")
