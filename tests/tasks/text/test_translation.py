"""Translation: the toy language, texts in files, what is written and how it scores."""

import dataclasses
import gzip
import itertools
import json
import random
import re
import shutil
import subprocess
import sys

import keras
import numpy as np
import pytest

import tasks
from tasks.cli.main import main
from tasks.contract.altered import altered
from tasks.models.keras_model import with_named_inputs
from tasks.models.seq2seq import Seq2SeqConfig
from tasks.text import toy_language, toy_translation
from tasks.text.buckets import batches_of_pass, bucket_widths
from tasks.text.parallel_corpus import ParallelCorpus
from tasks.text.subwords import Subwords
from tasks.text.tokens import END, PAD, START, UNKNOWN, SavedVocabularies
from tasks.text.translation import Translation
from tasks.text.translator import Translator
from tasks.text.words import Words
from tasks.training.data import TaskSequence

SMALL = {"units": 8, "embedding_size": 8}
SEQ2SEQ_MODELS = [
    name
    for name, model in tasks.MODELS.items()
    if isinstance(model, type) and issubclass(model, Seq2SeqConfig)
]


# --- the language whose translation is known ---


def test_the_toy_translation_is_the_one_made_by_hand():
    words = toy_language.lexicon()
    (n0, n1), (a0, a1) = words["noun"][:2], words["adjective"][:2]
    verb, adverb = words["verb"][0], words["adverb"][0]
    sentence = (
        f"{adverb.word} these {a0.word} {a1.word} {n0.word} {verb.word} a {n1.word}"
    )
    plural, single = "iu"[n0.gender], "oe"[n1.gender]
    expected = (
        f"l{plural} {n0.stem}s {a1.stem}n{plural} {a0.stem}n{plural} "
        f"un{single} {n1.stem} {adverb.stem} {verb.stem}nt"
    )
    assert toy_language.translate(sentence) == expected


@pytest.mark.parametrize("wrong", ["", "the", "the the", "gold", "a a a a"])
def test_other_sentences_have_no_toy_translation(wrong):
    with pytest.raises(ValueError, match="`sentence`"):
        toy_language.translate(wrong)


def test_words_of_the_toy_language_are_different():
    for side in ("source", "target"):
        words = toy_language.words_of(side)
        assert len(words) == len(set(words)) > 190


def test_the_targets_of_the_toy_task_are_its_solutions():
    task = tasks.get_task("toy-translation")
    batch = task.sample(50, 1)
    assert np.array_equal(task.solve(batch.inputs), batch.targets)
    assert np.array_equal(batch.mask, batch.targets != PAD)
    # What the decoder reads is the target, a step later.
    read = batch.inputs["target"]
    assert (read[:, 0] == START).all()
    shifted = np.where(batch.targets == END, PAD, batch.targets)[:, :-1]
    assert np.array_equal(read[:, 1:], shifted)
    assert ((batch.inputs["source"] == END).sum(axis=1) == 1).all()
    drawn = task.presentation.render(
        batch, np.eye(task.output_size)[batch.targets]
    ).splitlines()
    assert len(drawn) == 50 * 5 - 1 and drawn[0] == "sequence 0"
    source, target, output = (line.split("  ")[2] for line in drawn[1:4])
    assert toy_language.translate(source) == target == output


def test_a_model_of_an_earlier_version_is_called_with_named_inputs():
    """It has both texts in one input."""
    task = tasks.get_task("toy-translation")
    model = tasks.get_model("gru-seq2seq", units=4, embedding_size=4).build(task)
    packed = keras.Input((2, None), dtype="int32", name="inputs")
    earlier = keras.Model(packed, model.layers[-1](packed), name=model.name)
    again = with_named_inputs(earlier, task)
    assert with_named_inputs(again, task) is again and again.name == model.name
    batch = task.sample(2, 1)
    expected = earlier(np.stack([batch.inputs["source"], batch.inputs["target"]], 1))
    np.testing.assert_allclose(again(batch.inputs), expected, atol=1e-6)


# --- buckets ---


def padded_steps(lengths, widths):
    return sum(next(w for w in widths if w >= length) for length in lengths)


def test_no_other_widths_pad_less():
    rng = np.random.default_rng(1)
    for _ in range(200):
        lengths = rng.integers(1, 12, rng.integers(1, 20)).tolist()
        count = int(rng.integers(1, 5))
        widths = bucket_widths(lengths, count)
        assert len(widths) <= count and widths[-1] == max(lengths)
        sizes = sorted(set(lengths))
        others = itertools.chain.from_iterable(
            itertools.combinations(sizes[:-1], k) for k in range(count)
        )
        best = min(padded_steps(lengths, (*other, sizes[-1])) for other in others)
        assert padded_steps(lengths, widths) == best


def test_a_pass_has_every_sequence_and_batches_of_one_bucket():
    buckets = [np.arange(10), np.arange(10, 13), np.arange(13, 40)]
    batches = batches_of_pass(buckets, 4, np.random.default_rng(1))
    assert len(batches) == 3 + 1 + 7
    assert {len(batch) for batch in batches} == {4}
    assert set(np.concatenate(batches)) == set(range(40))
    for batch in batches:
        assert sum(np.isin(batch, bucket).all() for bucket in buckets) == 1
    assert batches[0][0] >= 13 and batches[1][0] < 10


# --- vocabularies ---


@pytest.mark.parametrize("kind", [Words, Subwords])
def test_a_vocabulary_gives_back_its_text_also_when_saved(kind):
    lines = ["a man rides a horse", "two men walk", "a horse walks"] * 5
    vocabulary = kind.learn(lines, 300 if kind is Subwords else 40)
    loaded = kind.of(vocabulary.saved)
    for line in lines:
        tokens = vocabulary.encode(line)
        assert min(tokens) > END
        assert loaded.encode(line) == tokens
        assert loaded.decode([START, *tokens, END, PAD]) == line
    assert loaded.size == vocabulary.size


def test_saved_vocabularies_are_shown_by_their_length():
    shown = repr(SavedVocabularies(["x" * 1200, "y"]))
    assert shown == "(<vocabulary of 1,200 characters>, <vocabulary of 1 character>)"
    task = tasks.get_task("translation", data="none", vocabularies=["abc"])
    assert repr(task.vocabularies) == "(<vocabulary of 3 characters>)"
    assert json.loads(json.dumps(task.vocabularies)) == ["abc"]
    task = tasks.get_task(
        "photo-captioning", data="none", images="none", vocabulary="abc"
    )
    assert (repr(task.vocabulary), task.vocabulary) == (
        "<vocabulary of 3 characters>",
        "abc",
    )


def test_no_text_is_unknown_to_pieces():
    vocabulary = Subwords.learn(["a man rides a horse"] * 5, 290)
    assert vocabulary.decode(vocabulary.encode("Ein Löwe 🦁")) == "Ein Löwe 🦁"


# --- texts in files ---


def write_corpus(folder, lines=60):
    folder.mkdir(exist_ok=True)
    choices = random.Random(1)
    for name, count in (("train", lines), ("val", 8), ("test_one", 9)):
        sources = [toy_language.draw_sentence(choices) for _ in range(count)]
        targets = [toy_language.translate(source) for source in sources]
        (folder / f"{name}.en").write_text("\n".join(sources) + "\n")
        data = ("\n".join(targets) + "\n").encode()
        (folder / f"{name}.de.gz").write_bytes(gzip.compress(data))
    return folder


@pytest.fixture
def corpus(tmp_path):
    return write_corpus(tmp_path / "corpus")


def translation(corpus, **parameters):
    values = {"unit": "word", "vocabulary_size": 500, "buckets": 2, **parameters}
    return tasks.get_task("translation", data=str(corpus), **values)


def test_batches_of_training_go_over_all_pairs(corpus):
    task = translation(corpus)
    count = sum(-(-len(bucket) // 8) for bucket in task._buckets())
    seen = set()
    for index in range(count):
        batch = task.stream.batch(index, 8, 1)
        shapes = {name: array.shape for name, array in batch.inputs.items()}
        assert shapes == dict.fromkeys(("source", "target"), batch.targets.shape)
        assert len(batch.targets) == 8
        assert batch.targets.shape[1] in task.widths
        seen |= {task.target_vocabulary.decode(row) for row in batch.targets}
    assert seen == {references[0] for references in task.corpus.references}
    first, second = (task.stream.batch(i, 8, 1) for i in (0, 1))
    assert first.targets.shape != second.targets.shape
    again = translation(corpus).stream.batch(0, 8, 1)
    np.testing.assert_equal(again.inputs, first.inputs)


def test_all_models_see_the_same_pairs_and_another_seed_others(corpus):
    task = translation(corpus)
    first, *others = (
        TaskSequence(task, tasks.TrainingConfig(seed=5).resolved(task, model))[2]
        for model in map(tasks.get_model, SEQ2SEQ_MODELS)
    )
    for batch in others:
        np.testing.assert_equal(batch, first)
    order = [task.stream.batch(3, 8, seed).targets.tolist() for seed in (5, 6)]
    assert order[0] != order[1]


def test_a_task_from_a_run_needs_no_files(corpus):
    task = translation(corpus)
    again = tasks.get_task("translation", **{**task.parameters, "data": "gone"})
    line = task.on("test").corpus.sources[0]
    assert again.source_vocabulary.encode(line) == task.source_vocabulary.encode(line)
    assert again.widths == task.widths


def test_files_are_read_once_and_not_when_the_task_is_made(corpus, monkeypatch):
    reads, learned = [], []
    read, learn = ParallelCorpus.read, Words.learn
    monkeypatch.setattr(
        ParallelCorpus, "read", lambda *place: reads.append(place[1]) or read(*place)
    )
    monkeypatch.setattr(
        Words, "learn", lambda *texts: learned.append(1) or learn(*texts)
    )
    made = {"unit": "word", "vocabulary_size": 500, "shared": False}
    task = Translation(str(corpus), **made)
    view = task.on("validation")
    assert reads == learned == []
    assert task.load() is task
    others = [view, altered(task, beam_size=2), dataclasses.replace(task, buckets=3)]
    for each in [task, *others]:
        assert each.widths == task.widths and each.pairs
        assert each.on("test").corpus.sources and each.parameters
    assert sorted(reads) == ["test", "train", "validation"]
    assert len(learned) == 2  # one for each language


@pytest.mark.parametrize("name", ["translation", "language-model"])
def test_a_missing_file_is_named_at_once(name, tmp_path):
    """Before anything else happens."""
    with pytest.raises(ValueError, match="^`data` .*No such file"):
        tasks.get_task(name, data=str(tmp_path / "gone"))
    with pytest.raises(ValueError, match="^`data` .*No such file"):
        tasks.train(tasks.registry.TASKS[name](data=str(tmp_path / "gone")))


def test_a_task_keeps_the_split_that_it_was_put_on(corpus):
    task = translation(corpus).on("test")
    assert [at.split for at in task.evaluation.eval_tasks] == ["test"]
    assert altered(task, beam_size=3).split == "test"
    assert [at.split for at in translation(corpus).evaluation.eval_tasks] == [
        "validation"
    ]


def test_a_vocabulary_that_was_learned_stays(corpus):
    task = translation(corpus)
    assert altered(task, unit="word", beam_size=2).beam_size == 2
    for other in ({"unit": "piece"}, {"vocabulary_size": 9}, {"source": "de"}):
        [name] = other
        with pytest.raises(ValueError, match=f"`{name}` must be .*, with which the"):
            altered(task, **other)


def test_a_language_is_not_translated_into_itself(corpus, tmp_path):
    with pytest.raises(ValueError, match="`target` must be another language"):
        tasks.train(Translation(str(corpus), target="en"), out=tmp_path / "run")
    assert not (tmp_path / "run").exists()


def test_each_split_has_batches_of_its_own_pairs(corpus):
    task = translation(corpus)
    task.stream.batch(0, 8, 1)
    batch = task.on("validation").stream.batch(0, 8, 1)
    seen = {task.target_vocabulary.decode(row) for row in batch.targets}
    lines = {references[0] for references in task.on("validation").corpus.references}
    encode, decode = task.target_vocabulary.encode, task.target_vocabulary.decode
    assert seen <= {decode(encode(line)) for line in lines}


def test_languages_may_have_a_region(tmp_path):
    for stem, count in (("train", 60), ("val", 8)):
        lines = "".join(f"{stem} {number}\n" for number in range(count))
        for language in ("zh-CN", "pt-BR"):
            (tmp_path / f"{stem}.{language}").write_text(lines)
    task = translation(tmp_path, source="zh-CN", target="pt-BR")
    assert task.corpus.sources[0] == "train 0"


def test_a_split_whose_lines_are_all_longer_than_the_training_is_drawn_cut(tmp_path):
    """A report draws such a line after the training."""
    for stem, line in (("train", "{0} {0}"), ("val", "{0} {0} {0} {0} {0}")):
        lines = "\n".join(line.format("ab"[number % 2]) for number in range(8))
        for language in ("en", "de"):
            (tmp_path / f"{stem}.{language}").write_text(lines)
    task = translation(tmp_path)
    (view,) = task.evaluation.eval_tasks
    batch = view.sample(3, 0)
    assert batch.targets.shape == (3, 2 + 1)
    assert (batch.targets[:, -1] == END).all()
    assert view.presentation.render(batch).splitlines()[1:3] in (
        [f"  source  {word} {word}", f"  target  {word} {word}"] for word in "ab"
    )
    assert view.stream.batch(0, 4, 1).targets.shape == (4, 2 + 1)


@pytest.mark.parametrize(
    ("target", "name"),
    [("de", "de"), ("it", "it"), ("cs", "cz"), ("zh", "other"), ("ar", "other")],
)
def test_meteor_is_that_of_the_target_language(corpus, target, name):
    for path in corpus.glob("*.de.gz"):
        path.rename(str(path).replace(".de.", f".{target}."))
    scores = translation(corpus, target=target).score_texts([["a b"]], ["a b"])
    assert f"|lang:{name}|" in scores.signatures["meteor"]


def test_words_that_are_written_like_special_tokens_are_unknown():
    words = Words.learn(["x y"], 10)
    assert words.encode("x <pad> y <end>") == [4, UNKNOWN, 5, UNKNOWN]


def test_files_that_are_not_read_are_in_no_ones_way(corpus):
    task = translation(corpus)
    for name in ("notes.txt", "notes.txt.gz", "train.fr", "train.fr.gz", "test.txt"):
        (corpus / name).write_bytes(b"\xff not read")
    (corpus / "test_more.en").write_text("a test without a translation\n")
    again = translation(corpus)
    assert again.signature == task.signature
    assert (
        again.on("test").evaluation.num_eval_sequences
        == task.on("test").evaluation.num_eval_sequences
    )


def as_training(folder, stem="test_one"):
    """Makes the test the same as what is trained on."""
    for name in ("en", "de.gz"):
        shutil.copy(folder / f"train.{name}", folder / f"{stem}.{name}")


BAD_TEXTS = {
    "no target": (
        lambda d: (d / "train.de.gz").unlink(),
        "train.de.gz in `.*`. Found: .*rain.en",
    ),
    "no validation": (lambda d: (d / "val.en").unlink(), "file val.en"),
    "unequal": (
        lambda d: (d / "train.en").write_text("a\n"),
        "as many lines in train.en as in train.de. Received: 1 and 60",
    ),
    "unequal validation": (lambda d: (d / "val.en").write_text("a\n"), "1 and 8"),
    "unequal test": (lambda d: (d / "test_one.en").write_text("a\n"), "1 and 9"),
    "not UTF-8": (
        lambda d: (d / "train.en").write_bytes(b"a\n\xff\n"),
        "train.en must be UTF-8. Received in line 2",
    ),
    "test not UTF-8": (
        lambda d: (d / "test_one.en").write_bytes(b"a\n\n\xff\n"),
        "test_one.en must be UTF-8. Received in line 3",
    ),
    "empty": (lambda d: (d / "train.en").write_bytes(b""), "train.en is empty"),
    "blank": (
        lambda d: (d / "train.en").write_text("\n" * 60),
        "have text in train.en",
    ),
    "blank target": (
        lambda d: (d / "train.de.gz").write_bytes(gzip.compress(b"\n" * 60)),
        "have text in train.de",
    ),
    "test is training": (as_training, "Received: test_one is the same as train"),
    "validation is training": (
        lambda d: as_training(d, "val"),
        "Received: validation is the same as train",
    ),
    "a file twice": (
        lambda d: (d / "train.de").write_text("a\n"),
        "each file once, gzipped or not. Received: train.de and train.de.gz",
    ),
}
BAD_PARAMETERS = {
    "--beam-size 0": "`--beam-size` must be a positive integer. Received: --beam-",
    "--beam-size 50 --vocabulary-size 40": "`--beam-size` must be .* at most 40",
    "--length-penalty -1": "`--length-penalty` must be a finite number at least 0",
    "--label-smoothing 2": "`--label-smoothing` must be",
    "--unit letter": "`--unit` must be one of",
    "--target fr": "file train.fr .* Found: .*train.de",
    "--max-length 1": "`--max-length` must be such that pairs are left",
    "--unit piece --vocabulary-size 20": "`--vocabulary-size` must be at least [0-9]+ ",
}


@pytest.fixture
def refused(corpus, tmp_path, capsys):
    """What a training with other options says that ends before anything is written."""

    def call(options=""):
        out = tmp_path / "run"
        words = f"train translation --data {corpus} --out {out} --model gru-attention"
        words += " --unit word --vocabulary-size 500 --sequences 8 --batch-size 8"
        with pytest.raises(SystemExit) as error:
            main([*words.split(), *options.split()])
        captured = capsys.readouterr()
        assert (error.value.code, captured.out, out.exists()) == (2, "", False)
        [line] = captured.err.splitlines()
        return line

    return call


@pytest.mark.once
@pytest.mark.parametrize(("change", "message"), BAD_TEXTS.values(), ids=BAD_TEXTS)
def test_bad_texts_are_refused_in_one_line(corpus, refused, change, message):
    change(corpus)
    assert re.search(message, refused())


@pytest.mark.once
@pytest.mark.parametrize(("options", "message"), BAD_PARAMETERS.items())
def test_bad_parameters_are_refused_in_one_line(refused, options, message):
    assert re.search(message, refused(options))


@pytest.mark.once
def test_the_size_that_a_refusal_names_is_possible():
    lines = ["a man rides a horse", "two men walk", "a horse walks"]
    with pytest.raises(ValueError, match="for this text") as error:
        Subwords.learn(lines, 20)
    size = int(re.search("[0-9]+", str(error.value))[0])
    assert Subwords.learn(lines, size).size == size


@pytest.mark.once
def test_without_sentencepiece_the_option_is_named(tmp_path, monkeypatch, capsys):
    monkeypatch.setitem(sys.modules, "sentencepiece", None)
    for name in ("train", "val"):
        for language in ("en", "de"):
            (tmp_path / f"{name}.{language}").write_text(f"a {name}\n")
    words = ["train", "translation", "--data", str(tmp_path), "--out"]
    with pytest.raises(SystemExit):
        main([*words, str(tmp_path / "run")])
    assert capsys.readouterr().err.splitlines()[-1] == (
        "Error: `--unit` must be 'word', unless SentencePiece is installed: "
        "pip install 'memnets[text]'. Received: --unit='piece'"
    )


@pytest.mark.once
@pytest.mark.parametrize("lines", [["x"], ["aa ab"], ["a man rides a horse"] * 3])
def test_a_text_that_is_too_short_for_so_many_pieces_has_all_that_it_can(lines):
    vocabulary = Subwords.learn(iter(lines), 4_000)
    most = vocabulary.size
    assert Subwords.learn(lines, most).saved == vocabulary.saved
    assert Subwords.learn(lines, most + 1).size == most
    # Whatever is asked for within the bound is what is learned.
    assert Subwords.learn(lines, most - 1).size == most - 1
    assert vocabulary.decode(vocabulary.encode(lines[0])) == lines[0]
    [note] = vocabulary.note_on_size(4_000)
    assert note.startswith(f"The text allows {most:,} tokens, not 4,000")
    assert vocabulary.note_on_size(most) == []


@pytest.mark.once
@pytest.mark.parametrize("shared", [True, False])
def test_a_vocabulary_that_is_smaller_than_was_asked_for_is_noted(corpus, shared):
    task = translation(corpus, unit="piece", vocabulary_size=4_000, shared=shared)
    used = [task.source_vocabulary, task.target_vocabulary]
    sizes = dict.fromkeys(f"{vocabulary.size:,}" for vocabulary in used)
    assert len(sizes) == (1 if shared else 2)
    for note, size in zip(task.presentation.notes, sizes, strict=True):
        assert note.startswith(f"The text allows {size} tokens, not 4,000")
    fitting = translation(corpus, unit="piece", vocabulary_size=280, shared=shared)
    assert not any("tokens, not" in note for note in fitting.presentation.notes)
    assert (
        translation(corpus, unit="word", vocabulary_size=4_000).presentation.notes == ()
    )


@pytest.mark.once
def test_what_is_left_out_or_cut_is_counted_on_standard_error(corpus, tmp_path, capsys):
    lines = (corpus / "train.en").read_text().split("\n")
    lines[3] = lines[5] = "  "
    (corpus / "train.en").write_text("\n".join(lines))
    task = translation(corpus, max_length=8)
    long = [len(line.split()) > 8 for line in lines if line.strip()]
    [note] = task.presentation.notes
    assert note.startswith(f"{2 + sum(long)} of 60 pairs are left out: 2 are blank, ")
    assert note.endswith(f"{sum(long)} have more than 8 tokens.")
    assert len(task.pairs) == 60 - 2 - sum(long)
    long = [len(line.split()) > 8 for line in task.on("test").corpus.sources]
    message = f"{sum(long)} of 9 sources have more than 8 tokens: cut."
    assert task.on("test").presentation.notes == (message,)
    with pytest.raises(SystemExit):  # the directory has other files
        main(
            f"train translation --data {corpus} --out {corpus} --unit word "
            "--vocabulary-size 500 --max-length 8 --model gru-attention".split()
        )
    assert capsys.readouterr().err.startswith(f"{note}\nError: `--out` must be a new")


@pytest.mark.once
def test_another_process_translates_with_a_run(tmp_path):
    """There Keras finds only those layers that `import memnets` registers."""
    task, run = tasks.get_task("toy-translation"), tmp_path / "run"
    model = tasks.get_model("gru-attention", task, **SMALL)
    options = {"sequences": 8, "batch_size": 8, "progress": False}
    tasks.train(task, model, out=run, evaluate=False, **options)
    program = "from tasks.cli.main import main; main()"
    process = subprocess.run(
        [sys.executable, "-c", program, "translate", str(run)],
        input="one line\r\n\n",
        capture_output=True,
        text=True,
        check=False,
    )
    assert process.returncode == 0, process.stderr
    assert len(process.stdout.split("\n")) == 3


def test_an_evaluation_says_how_many_lines_there_were(corpus):
    task = translation(corpus, beam_size=1)
    network = tasks.get_model("gru-attention", task, **SMALL).build(task)
    result = tasks.evaluate(network, task, split="test", num_sequences=999)[0]
    assert result.sequences == 9


def test_a_signature_says_the_size_of_a_memory():
    small, large = (
        tasks.get_model("ntm-memory", memory_size=size).signature for size in (8, 16)
    )
    assert small != large


def test_a_translation_does_not_depend_on_the_others():
    task = tasks.get_task("toy-translation")
    network = tasks.get_model("gru-attention", task, **SMALL).build(task)
    sources, _ = task.eval_pairs(40, np.random.default_rng(1))
    translator = Translator(network, task, beam_size=3, n_best=2)
    together = translator.translate(sources)
    for number in (0, 35):
        alone = translator.translate([sources[number]])[0]
        assert [h.tokens for h in alone] == [h.tokens for h in together[number]]
    assert all(len(best) == 2 for best in together)
    assert all(best[0].score >= best[1].score for best in together)


def test_more_translations_than_hypotheses_are_refused():
    task = tasks.get_task("toy-translation")
    network = tasks.get_model("gru-attention", task, **SMALL).build(task)
    with pytest.raises(ValueError, match="`n_best` must be at most"):
        Translator(network, task, beam_size=2, n_best=3)


@pytest.fixture
def few_words(monkeypatch):
    """The toy language with few words, which a small network learns soon."""
    numbers = {"NOUNS": 8, "ADJECTIVES": 5, "VERBS": 4, "ADVERBS": 3}
    for kind, number in numbers.items():
        monkeypatch.setattr(toy_language, kind, number)
    kept = toy_language.lexicon, toy_language._by_word, toy_translation._vocabulary
    for function in kept:
        function.cache_clear()
    yield
    for function in kept:
        function.cache_clear()


def test_a_network_learns_the_toy_language(few_words):
    task = tasks.get_task("toy-translation")
    model = tasks.get_model("gru-attention", task, units=48, embedding_size=64)
    options = {"sequences": 6400, "batch_size": 32, "learning_rate": 1e-2}
    result = tasks.train(task, model, progress=False, **options)
    values = tasks.evaluate(result.model, task, num_sequences=200)[0].values
    assert values["bleu"] > 0.7


def test_the_length_ratio_counts_the_closest_of_several_references(corpus):
    references = [["a b c", "a b c d e f g h"], ["a b", "a"]]
    scores = translation(corpus).score_texts(references, ["a b c d e f g h", "a b"])
    # The first reference of each would give 10 / 5; BLEU has no penalty either.
    assert scores.values["length_ratio"] == 1
