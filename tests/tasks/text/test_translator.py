"""Translations that are searched for, drawn, chosen and scored."""

import html
import itertools
import json
import math

import keras
import numpy as np
import pytest

import metrics
import tasks
from memnets.seq2seq import Sampler, SequenceToSequence
from tasks.cli.main import main
from tasks.text.attention import AttentionMap
from tasks.text.tokens import END, START
from tasks.text.toy_translation import ToyTranslation


@pytest.fixture(scope="module")
def toy():
    keras.utils.set_random_seed(3)
    task = ToyTranslation()
    model = tasks.get_model("gru-attention", units=7, embedding_size=5).build(task)
    # Random, but not so that all tokens are equally probable.
    for variable in model.trainable_variables:
        variable.assign(variable * 3.0)
    bias = model.layers[-1].readout.bias
    bias.assign(np.where(np.arange(bias.shape[0]) == END, 3.0, 0.0))
    lines, _ = task.eval_pairs(40, np.random.default_rng(1))
    return task, model, [*lines[:20], "", *lines[20:]]


def test_samples_do_not_depend_on_other_lines(toy):
    task, model, lines = toy
    translator = tasks.Translator(model, task, max_length=8)
    drawn = translator.sample(lines, 3, seed=4)
    assert [len(samples) for samples in drawn] == [3] * 41
    assert [s.text for s in drawn[20]] == ["", "", ""]
    assert len({s.text for samples in drawn for s in samples}) > 60
    again = translator.sample(lines, 3, seed=4)
    assert [s.text for s in again[33]] == [s.text for s in drawn[33]]
    other = translator.sample(lines, 3, seed=5)
    assert [s.text for s in other[33]] != [s.text for s in drawn[33]]
    few = translator.sample(lines[:2], 3, seed=4)
    assert [[s.text for s in samples] for samples in few] == [
        [s.text for s in samples] for samples in drawn[:2]
    ]


def test_a_sample_at_temperature_0_is_greedy(toy):
    task, model, lines = toy
    greedy = tasks.Translator(
        model, task, beam_size=1, length_penalty=0, max_length=8
    ).translate(lines[:5])
    drawn = tasks.Translator(model, task, max_length=8).sample(lines[:5], temperature=0)
    for best, samples in zip(greedy, drawn, strict=True):
        assert best[0].tokens == samples[0].tokens
        assert best[0].log_prob == pytest.approx(samples[0].log_prob, abs=1e-4)


def test_tokens_are_drawn_as_often_as_they_are_probable(toy):
    task, model, lines = toy
    network = model.layers[-1]
    tokens = [*task.source_vocabulary.encode(lines[0]), END]
    count = 3000
    rows = np.tile(np.array(tokens, np.int32), (count, 1))
    random = np.random.default_rng(2).random((count, 1)).astype("float32")
    sampler = Sampler(network, START, END, 1)
    drawn = sampler.write(rows, random).tokens[:, 0, 0]
    step, states = network.start(rows[:1])
    log_probs, _ = step(np.array([START], np.int32), states)
    expected = count * np.exp(np.array(log_probs)[0])
    found = np.bincount(drawn, minlength=len(expected))
    often = expected > 5
    statistic = ((found - expected)[often] ** 2 / expected[often]).sum()
    # Chi-square: its mean is the number of cells, its variance twice that.
    assert statistic < often.sum() + 5 * math.sqrt(2 * often.sum())


def test_the_score_of_a_translation_is_that_of_the_search(toy):
    task, model, lines = toy
    translator = tasks.Translator(model, task, beam_size=3, n_best=3, max_length=9)
    best = translator.translate(lines[:12])
    ended = [
        (line, h)
        for line, hypotheses in zip(lines, best, strict=False)
        for h in hypotheses
        # The text has the same tokens only if none of them is unknown.
        if h.ended and task.target_vocabulary.encode(h.text) == h.tokens
    ]
    assert len(ended) > 5
    scores = translator.score([line for line, _ in ended], [h.text for _, h in ended])
    for (_, hypothesis), score in zip(ended, scores, strict=True):
        assert score == pytest.approx(hypothesis.log_prob, abs=2e-4)


def test_progress_counts_every_line_once(toy):
    task, model, lines = toy
    translator = tasks.Translator(model, task, beam_size=1, max_length=4)
    counted = []
    translator.translate(lines, counted.append)
    assert sum(counted) == len(lines)
    counted.clear()
    translator.sample(lines, 2, advance=counted.append)
    assert sum(counted) == 2 * len(lines)


def test_translations_and_sources_go_together(toy):
    task, model, lines = toy
    translator = tasks.Translator(model, task)
    with pytest.raises(ValueError, match="`targets` must have 2 lines"):
        translator.score(lines[:2], [""])
    with pytest.raises(ValueError, match="`count` must be a positive integer"):
        translator.sample(lines[:2], 0)


@pytest.mark.parametrize("name", ["chrf", "bleu", "ter"])
def test_the_chosen_sample_has_the_best_mean_score(name):
    texts = ["a red house", "the red house", "a red house", "a house is red", "no"]
    metric = metrics.get(name, **({"effective_order": True} if name == "bleu" else {}))
    sign = 1 if metric.higher_is_better else -1

    def mean(index):
        others = [text for place, text in enumerate(texts) if place != index]
        scores = [float(metric.sentence_score([o], texts[index])) for o in others]
        return sign * np.mean(scores)

    best = max(range(len(texts)), key=mean)
    assert tasks.mbr(texts, name) == texts[best]
    assert tasks.mbr(texts, metric) == texts[best]


def test_the_choice_does_not_depend_on_the_order():
    texts = ["a b c d", "a b c e", "a b c d", "x"]
    for order in itertools.permutations(texts):
        assert tasks.mbr(order) == "a b c d"
    assert tasks.mbr(["only"]) == "only"
    with pytest.raises(ValueError, match="`samples` must be a list of one text"):
        tasks.mbr([])
    with pytest.raises(ValueError, match="chrf"):
        tasks.mbr(["a"], "crhf")
    with pytest.raises(TypeError, match="`samples` must be texts. Received: 1 among"):
        tasks.mbr(["a", 1])


def test_short_samples_are_compared_by_bleu_too():
    assert tasks.mbr(["no", "yes sir", "yes sir"], "bleu") == "yes sir"


@pytest.fixture(scope="module")
def run(tmp_path_factory):
    out = tmp_path_factory.mktemp("runs") / "toy"
    task = ToyTranslation()
    model = tasks.get_model("gru-attention", units=7, embedding_size=5)
    options = {"sequences": 64, "batch_size": 32, "progress": False, "evaluate": False}
    tasks.train(task, model, out=out, **options)
    return out


@pytest.fixture
def translate(run, tmp_path, capsys):
    file = tmp_path / "in.txt"
    task = ToyTranslation()
    lines, _ = task.eval_pairs(3, np.random.default_rng(1))
    file.write_text("".join(f"{line}\n" for line in lines))

    def call(*arguments):
        with pytest.raises(SystemExit) as error:
            main(["translate", str(run), "--input", str(file), *arguments])
        out = capsys.readouterr()
        return error.value.code, out.out.splitlines(), out.err

    return call


def test_the_command_draws_chooses_and_scores(translate, tmp_path):
    code, drawn, _ = translate("--samples", "4", "--seed", "2")
    assert (code, len(drawn)) == (0, 12)
    code, chosen, _ = translate("--samples", "4", "--seed", "2", "--mbr", "bleu")
    assert chosen == [tasks.mbr(drawn[k : k + 4], "bleu") for k in (0, 4, 8)]
    texts = tmp_path / "out.txt"
    texts.write_text("".join(f"{' '.join(line.split()[:5])}\n" for line in chosen))
    code, values, _ = translate("--targets", str(texts))
    assert code == 0
    assert len(values) == 3
    assert all(float(value) < 0 for value in values)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--top-k", "3"], "`--top-k` needs `--samples`"),
        (["--samples", "2", "--n-best", "2"], "`--n-best` is of a search"),
        (["--samples", "2", "--mbr", "crhf"], "crhf"),
        (["--interactive", "--json"], "`--interactive` goes with none"),
        (["--interactive", "--input", __file__], "`--interactive` goes with none"),
        (["--targets", __file__, "--scores"], "`--targets` goes with none"),
        (["--targets", __file__, "--samples", "2"], "`--targets` goes with none"),
        (["--targets", __file__, "--n-best", "2"], "`--targets` goes with none"),
        (["--samples", "2", "--top-p", "0"], "`--top-p` must be a finite number at m"),
        (["--samples", "2", "--top-p", "1.5"], "Received: --top-p=1.5"),
        (["--samples", "2", "--temperature", "-1"], "`--temperature` must be a finite"),
        (["--samples", "2", "--temperature", "inf"], "Received: --temperature=inf"),
        (["--samples", "2", "--top-k", "0"], "`--top-k` must be a positive integer"),
        (["--samples", "0"], "`--samples` must be a positive integer"),
        (["--length-penalty", "-1"], "`--length-penalty` must be a finite number at l"),
        (["--beam", "0"], "`--beam` must be a positive integer"),
        (["--samples", "2", "--mbr", "chrff"], "`--mbr` must be one of 'bleu', "),
        (["--beam", "9999"], "`--beam` must be an integer of at most"),
        (["--n-best", "0"], "`--n-best` must be a positive integer"),
        (
            ["--beam", "2", "--n-best", "3"],
            "`--n-best` must be at most 2, the number of hypotheses that are kept "
            "(`--beam`). Received: --n-best=3",
        ),
        (["--input", "bad.txt"], "`bad.txt` must be UTF-8. Received in line 2"),
    ],
)
def test_bad_options_are_refused_in_one_line(
    translate, tmp_path, monkeypatch, arguments, message
):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "bad.txt").write_bytes(b"a\n\xff\n")
    code, out, err = translate(*arguments)
    assert (code, out) == (2, [])
    [line] = err.splitlines()
    assert message in line


@pytest.mark.once
def test_a_run_of_another_task_is_refused(trained, capsys):
    with pytest.raises(SystemExit) as error:
        main(["translate", str(trained.run.path)])
    out = capsys.readouterr()
    assert (error.value.code, out.out) == (2, "")
    assert out.err == (
        "Error: `RUN` must be a run of a task that reads one text and writes another. "
        "Received: a run of copy\n"
    )


@pytest.mark.once
def test_bad_arguments_of_a_translator_are_named(toy):
    task, model, lines = toy
    for name in ("min_length", "no_repeat_ngram", "length_penalty"):
        with pytest.raises(ValueError, match=f"`{name}` must be"):
            tasks.Translator(model, task, **{name: -1})
    with pytest.raises(
        ValueError, match="`min_length` must be an integer of at most 3"
    ):
        tasks.Translator(model, task, min_length=4, max_length=3)
    with pytest.raises(ValueError, match="^`top_p` must be a finite number"):
        tasks.Translator(model, task).sample(lines, top_p=2)


@pytest.mark.once
def test_lines_that_are_no_texts_are_named(toy):
    task, model, lines = toy
    translator = tasks.Translator(model, task)
    message = "` must be a list of lines, each a string, not a list of tokens. Received"
    message += r": \['a', 'man'\] among them"
    for call in (translator.translate, translator.sample):
        with pytest.raises(TypeError, match=f"^`lines{message}"):
            call([["a", "man"]])
    with pytest.raises(TypeError, match=f"^`targets{message}"):
        translator.score(lines[:1], [["a", "man"]])
    with pytest.raises(TypeError, match="^`targets` must be a list of lines. Rec"):
        translator.score(lines[:1], lines[0])


@pytest.mark.once
def test_a_network_of_other_words_is_named(toy):
    _, _, lines = toy
    task = ToyTranslation()
    for own, message in (((9, 50), "of 9 tokens"), ((None, 7), "of 7 tokens")):
        source, target = (own[0] or task.input_size), own[1]
        layers = [keras.layers.GRU(3)], [keras.layers.GRU(3)]
        network = SequenceToSequence(source, target, *layers, embedding_size=3)
        inputs = task.inputs()
        model = keras.Model(inputs, network(inputs))
        with pytest.raises(ValueError, match=f"^`task` must have the .*{message}"):
            tasks.Translator(model, task)


def test_a_translator_of_a_run_is_that_of_its_model_and_task(run, toy):
    lines = toy[-1][:3]
    opened = tasks.open_run(run)
    found, same = (
        translator.translate(lines)
        for translator in (
            tasks.Translator(opened),
            tasks.Translator(opened.load_model(), opened.task),
        )
    )
    assert found == same
    with pytest.raises(ValueError, match=r"task=None. Of a run: `run.load_model\(\), "):
        tasks.Translator(opened.load_model())


def test_signatures_have_the_search_that_was_used(run, tmp_path, capsys):
    def printed(*words):
        with pytest.raises(SystemExit):
            main([words[0], str(run), *words[1:], "--json"])
        return json.loads(capsys.readouterr().out)

    own = printed("evaluate", "--sequences", "3")
    search = "|beam_size:1|length_penalty:0.0|"
    assert search in own["signature"] and "evaluated" not in own
    options = ["--beam-size", "4", "--length-penalty", "0.5"]
    other = printed("evaluate", "--sequences", "3", *options)
    used = "|beam_size:4|length_penalty:0.5|"
    assert other["signature"] == own["signature"].replace(search, used)
    assert other["evaluated"].endswith(used[:-1])
    (tmp_path / "in.txt").write_text("the dog\n")
    words = ["translate", "--input", str(tmp_path / "in.txt")]
    found = printed(*words, "--beam", "4", "--length-penalty", "0.5")
    assert found["signature"] == other["signature"]
    drawn = printed(*words, "--samples", "2", "--seed", "3")
    assert drawn["signature"] == own["signature"]
    assert drawn["decoding"] == {"samples": 2, "seed": 3}


@pytest.mark.skipif(keras.backend.backend() != "tensorflow", reason="its warning")
def test_many_decoders_are_no_reason_to_warn(toy, caplog):
    task, model, lines = toy
    for length in range(8, 15):
        tasks.Translator(model, task, max_length=length).translate(lines[:1])
    assert "retracing" not in caplog.text


def test_texts_in_place_of_options_are_answered_with_where_they_belong(run, capsys):
    for command, words in (
        ("translate", f"from a file: memnets translate {run} --input FILE"),
        ("generate", f"an option: memnets generate {run} --prompt TEXT"),
    ):
        with pytest.raises(SystemExit) as error:
            main([command, str(run), "The dog"])
        assert error.value.code == 2
        [line] = capsys.readouterr().err.splitlines()
        assert line.startswith("Error: ")
        assert line.endswith(f"{words}. Received: 'The dog'")


def test_the_n_best_of_an_empty_line_are_empty_lines(run, tmp_path, capsys):
    (tmp_path / "in.txt").write_text("\n")
    words = ["translate", str(run), "--input", str(tmp_path / "in.txt"), "--scores"]
    for more in ([], ["--beam", "3", "--n-best", "3"]):
        with pytest.raises(SystemExit):
            main([*words, *more])
        lines = capsys.readouterr().out.split("\n")[:-1]
        assert lines == ["0.0000\t0.0000\t"] * (3 if more else 1)


@pytest.mark.parametrize(
    ("name", "task", "message"),
    [
        (
            "copy",
            None,
            "`task` must be a task that reads one text and writes another. Received: "
            "task=copy",
        ),
        ("toy-translation", None, "must be a Keras model with one layer SequenceToSeq"),
        ("toy-translation", "run", r"Received: <tests.*\. Its `load_model\(\)` gives"),
        ("", None, "writes another. Received: task='toy-translation'"),
    ],
)
def test_a_translator_names_tasks_and_models_of_another_kind(name, task, message):
    class HasRun:
        load_model = None

        def __repr__(self):
            return "<tests HasRun>"

    chosen = tasks.get_task(name) if name else "toy-translation"
    with pytest.raises(ValueError, match=message):
        tasks.Translator(HasRun() if task else None, chosen)


# --- where a network has looked ---


@pytest.mark.parametrize("place", [0, 20])
def test_an_alignment_has_the_model_s_own_weights(toy, place):
    """Without padding, and with one token after the other that was written."""
    task, model, lines = toy
    translator = tasks.Translator(model, task, max_length=8)
    found = translator.align(lines[place])
    [[best]] = translator.translate([lines[place]])
    source = [*task.source_vocabulary.encode(lines[place]), END]
    inputs = {"source": [source], "target": [[START, *best.tokens]]}
    inputs = {name: np.array(tokens, np.int32) for name, tokens in inputs.items()}
    own = np.asarray(model.layers[-1].attention_weights(inputs))[0]
    written = len(best.tokens) + best.ended
    assert found.weights.shape == (written, len(source))
    np.testing.assert_allclose(found.weights, own[:written], atol=1e-5)
    np.testing.assert_allclose(found.weights.sum(axis=1), 1, atol=1e-5)
    assert found.source == (*lines[place].split(), "end")
    assert found.text == best.text
    assert " ".join(found.written).removesuffix("end").strip() == best.text


def test_an_alignment_is_shown_as_a_table_in_text_and_in_notebooks():
    found = AttentionMap(
        ("a", "<cat>", "end"),
        ("chat", "end"),
        np.array([[0.25, 0.7, 0.05], [0, 0, 1]]),
        "",
    )
    assert found.render().splitlines() == [
        "         a  <cat>   end",
        "chat  0.25   0.70  0.05",
        "end   0.00   0.00  1.00",
    ]
    shown = found._repr_html_()
    assert shown == f"<pre>{html.escape(found.render())}</pre>"
    assert "&lt;cat&gt;" in shown


def test_without_attention_there_is_no_alignment(toy):
    task, _, lines = toy
    model = tasks.get_model("gru-seq2seq", units=3, embedding_size=2).build(task)
    translator = tasks.Translator(model, task)
    with pytest.raises(ValueError, match="`model` must have attention, as gru-att"):
        translator.align(lines[0])
    with pytest.raises(TypeError, match="`line` must be a string. Received: line="):
        translator.align(lines[:1])


def test_a_translator_searches_as_its_task_says(toy):
    """The task's beam and penalty are left out, given, or given otherwise."""
    _, model, lines = toy
    task = ToyTranslation(beam_size=4, length_penalty=3.0)
    same = {"beam_size": 4, "length_penalty": 3.0}
    own, given, other = (
        tasks.Translator(model, task, max_length=9, **options).translate(lines[:8])
        for options in ({}, same, {"beam_size": 4, "length_penalty": 0})
    )
    scores = [[best.score for (best,) in found] for found in (own, given, other)]
    assert scores[0] == scores[1]
    assert scores[0] != scores[2]


def test_a_least_length_may_exceed_what_the_sources_suggest(toy):
    task, model, lines = toy
    fewest = 3 * max(len(line.split()) for line in lines) + 20
    writer = tasks.Translator(model, task, min_length=fewest)
    for (best,) in writer.translate(lines[:2]):
        assert len(best.text.split()) >= fewest


@pytest.mark.parametrize(
    ("name", "pictures"), [("gru-attention", 3), ("ntm-memory", 3), ("gru-seq2seq", 0)]
)
def test_a_report_shows_lengths_lines_and_attention(name, pictures):
    task = ToyTranslation()
    keras.utils.set_random_seed(1)
    model = tasks.get_model(name, units=5, embedding_size=4).build(task)
    bias = model.layers[-1].readout.bias
    bias.assign(np.where(np.arange(bias.shape[0]) == END, 2.0, 0.0))
    sections = {s.name: s for s in task.presentation.model_sections(model)}
    assert [n for n in sections if n.startswith("attention")] == [
        f"attention-{k + 1}" for k in range(pictures)
    ]
    headings, *lines = sections["lines"].table
    assert headings == ["chrF", "source", "written", "reference"]
    scores = [float(line[0]) for line in lines]
    assert scores == sorted(scores, reverse=True)
    assert len(lines) == 9
    for score, _, text, reference in lines:
        expected = float(metrics.get("chrf").sentence_score([reference], text))
        assert float(score) == pytest.approx(expected, abs=6e-4)
    assert "words of the references" in sections["lengths"].text
    (axes,) = sections["lengths"].figure.axes
    assert len(axes.containers[0].lines[0].get_xdata()) >= 2


def test_the_page_of_a_report_has_the_lines(run):
    from tasks.report.report import write_report

    path, _ = write_report(tasks.open_run(run))
    page = path.read_text()
    assert 'class="lines"' in page
    assert "By length of the source" in page
