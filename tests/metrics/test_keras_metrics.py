"""BLEU of token ids against a plain-loop oracle, and the scoring callback in `fit`."""

import collections
import json
import math
import re
import subprocess
import sys

import keras
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from keras import ops

import metrics.bleu
from metrics.exact_match import ExactMatch
from metrics.keras.keras_metrics import BASE, GenerationMetrics, TokenBLEU

PAD, START, END = 0, 1, 2


# --- Oracle -------------------------------------------------------------------------


def words(ids, ignored=(PAD,), end=None):
    """The text of a row of ids."""
    kept = []
    for token in ids:
        if token == end:
            break
        if token not in ignored:
            kept.append(str(token))
    return kept


def present(references):
    """References with text, or an empty one if there are none."""
    return [reference for reference in references if reference] or [[]]


def ngrams(text, n):
    return collections.Counter(tuple(text[i : i + n]) for i in range(len(text) - n + 1))


def bleu_oracle(references, hypotheses, max_order=4):
    """Papineni et al. (2002), with the exponential smoothing of NIST's mteval."""
    matches, totals = [0] * max_order, [0] * max_order
    length = reference_length = 0
    for own, hypothesis in zip(references, hypotheses, strict=True):
        length += len(hypothesis)
        reference_length += min(
            (abs(len(reference) - len(hypothesis)), len(reference)) for reference in own
        )[1]
        for n in range(1, max_order + 1):
            for ngram, count in ngrams(hypothesis, n).items():
                most = max(ngrams(reference, n)[ngram] for reference in own)
                matches[n - 1] += min(count, most)
                totals[n - 1] += count
    statistics = [length, reference_length, *matches, *totals]
    if not any(matches) or not all(totals):
        return statistics, 0.0
    half, logarithms = 1.0, []
    for match, total in zip(matches, totals, strict=True):
        if not match:
            half /= 2
        logarithms.append(math.log((match or half) / total))
    penalty = min(1.0, math.exp(1 - reference_length / length))
    return statistics, penalty * math.exp(sum(logarithms) / max_order)


def updated(y_true, y_pred, sample_weight=None, **options):
    """A metric that has seen a batch."""
    metric = TokenBLEU(**options)
    batch = np.array(y_true), np.array(y_pred), sample_weight
    if keras.backend.backend() == "jax":
        # By hand JAX compiles every operation anew for every shape: seconds a test.
        import jax

        values = [variable.value for variable in metric.variables]
        values = jax.jit(metric.stateless_update_state)(values, *batch)
        for variable, value in zip(metric.variables, values, strict=True):
            variable.assign(value)
    else:
        metric.update_state(*batch)
    return metric


def counts(metric):
    """Lengths, matches and totals, without what all metrics share."""
    return metric.statistics()[3:].tolist()


# --- Numbers ------------------------------------------------------------------------


def random_ids(shape, seed=0):
    return np.random.default_rng(seed).integers(0, 6, shape).astype("int32")


@settings(max_examples=40, deadline=None)
@given(
    arrays("int32", (3, 2, 7), elements=st.integers(0, 4)),
    arrays("int32", (3, 6), elements=st.integers(0, 4)),
)
def test_counts_and_score_are_those_of_the_definition(y_true, y_pred):
    references = [present([words(row) for row in own]) for own in y_true]
    statistics, score = bleu_oracle(references, [words(row) for row in y_pred], 3)
    metric = TokenBLEU(max_order=3)
    metric.update_state(y_true, y_pred)
    assert counts(metric) == statistics
    assert float(metric.result()) == pytest.approx(score, abs=1e-6)  # float32
    assert metric.score().value == pytest.approx(score, abs=1e-12)


@pytest.mark.once
@pytest.mark.parametrize(
    ("smoothing", "value"),
    [("none", None), ("exp", None), ("floor", None), ("floor", 0.3), ("add-k", None)]
    + [("add-k", 0.25)],
)
def test_every_smoothing_is_that_of_the_bleu_of_texts(smoothing, value):
    for seed in range(5):
        y_true, y_pred = random_ids((2, 1, 5), seed), random_ids((2, 4), seed + 100)
        y_pred[:, :2] = y_true[:, 0, :2]
        metric = updated(y_true, y_pred, smoothing=smoothing, smoothing_value=value)
        expected = metrics.bleu.corpus_bleu(
            [[words(row) for row in own] for own in y_true],
            [words(row) for row in y_pred],
            tokenizer="none",
            smoothing=smoothing,
            smoothing_value=value,
        )
        assert metric.score() == expected
        assert float(metric.result()) == pytest.approx(expected.value, abs=1e-6)


@pytest.mark.once
def test_it_equals_sacrebleu():
    sacrebleu = pytest.importorskip("sacrebleu")
    y_true, y_pred = random_ids((9, 3, 12)), random_ids((9, 12), 1)
    y_pred[:, 2:9] = y_true[:, 1, 2:9]
    texts = [[" ".join(words(row)) for row in y_true[:, i]] for i in range(3)]
    hypotheses = [" ".join(words(row)) for row in y_pred]
    expected = sacrebleu.corpus_bleu(hypotheses, texts, tokenize="none", force=True)
    metric = updated(y_true, y_pred)
    assert expected.score > 10
    assert float(metric.result()) == pytest.approx(expected.score / 100, abs=1e-6)
    assert metric.score().counts == tuple(expected.counts)
    assert metric.score().totals == tuple(expected.totals)


@pytest.mark.once
def test_words_count_as_often_as_in_the_reference_that_has_most():
    # Papineni et al., section 2.1: "the" seven times; two of them in a reference.
    references = [[[3, 4, 5, 6, 3, 7, 0], [8, 5, 9, 4, 6, 3, 7]]]
    metric = updated(references, [[3] * 7], max_order=1)
    assert counts(metric) == [7, 7, 2, 7]
    assert float(metric.result()) == pytest.approx(2 / 7)


@pytest.mark.once
@pytest.mark.parametrize(
    ("y_true", "y_pred", "expected"),
    [
        ([[3, 4, 5, 6, 7]], [[3, 4, 5, 6, 7]], 1.0),
        ([[3, 4, 5, 6, 7]], [[8, 9, 8, 9, 8]], 0.0),
        ([[3, 4, 5, 6, 7]], [[0, 0, 0, 0, 0]], 0.0),
        ([[0, 0, 0, 0, 0]], [[3, 4, 5, 6, 7]], 0.0),
        ([[3, 4, 5, 6, 7]], [[3, 4, 0, 0, 0]], 0.0),  # no 3-gram and no 4-gram
        ([[3, 4, 5, 6, 7]], [[3, 4, 5, 6, 0]], math.exp(-1 / 4)),
    ],
)
def test_extremes(y_true, y_pred, expected):
    assert float(updated(y_true, y_pred).result()) == pytest.approx(expected, abs=1e-6)


@pytest.mark.once
def test_a_text_shorter_than_every_ngram_has_none():
    assert counts(updated([[3, 4]], [[3]], max_order=3)) == [1, 2, 1, 0, 0, 1, 0, 0]


@pytest.mark.once
def test_no_segments_give_zero_and_no_score():
    metric = TokenBLEU()
    assert float(metric.result()) == 0.0
    with pytest.raises(ValueError, match="at least one segment"):
        metric.score()


# --- What is text -------------------------------------------------------------------


@pytest.mark.once
def test_ignored_ids_are_taken_out_wherever_they_stand():
    metric = updated([[3, 4, 5, 6]], [[START, 3, 0, 4, 5, 6, 0]], pad_token=[0, START])
    assert float(metric.result()) == pytest.approx(1.0)


@pytest.mark.once
def test_text_ends_before_the_end_token():
    metric = updated([[3, 4, 5, 6, END, 9]], [[3, 4, 5, 6, END, 3]], end_token=END)
    assert counts(metric) == [4, 4, 4, 3, 2, 1, 4, 3, 2, 1]


@pytest.mark.once
def test_without_ids_to_ignore_all_are_words():
    metric = updated([[0, 0, 0, 0]], [[0, 0, 0, 0]], pad_token=None)
    assert float(metric.result()) == pytest.approx(1.0)


@pytest.mark.once
def test_negative_ids_may_be_ignored():
    metric = updated([[3, 4, -100]], [[3, 4, -100]], pad_token=-100, max_order=2)
    assert counts(metric) == [2, 2, 2, 1, 2, 1]


@pytest.mark.once
def test_zero_is_a_word_if_it_is_not_ignored():
    metric = updated([[0, 3, -1, -1]], [[0, 0, 4, -1]], pad_token=-1, max_order=1)
    assert counts(metric) == [3, 2, 1, 3]


@pytest.mark.once
def test_a_reference_of_padding_is_absent():
    alone = updated([[[3, 4, 5, 6, 7]]], [[3, 4, 5, 6]])
    beside = updated([[[0] * 5, [3, 4, 5, 6, 7]]], [[3, 4, 5, 6]])
    assert beside.score() == alone.score()


@pytest.mark.once
def test_the_closest_reference_length_counts_and_of_two_the_shorter():
    lengths = [(2, 9), (2, 6), (6, 2)]  # against four words: 2, 2, 2
    for own in lengths:
        row = [[8] * length + [0] * (9 - length) for length in own]
        assert updated([row], [[3, 4, 5, 6]], max_order=1).score().reference_length == 2


@pytest.mark.once
def test_the_order_of_references_does_not_matter():
    y_true, y_pred = random_ids((4, 3, 6)), random_ids((4, 6), 1)
    forward, backward = updated(y_true, y_pred), updated(y_true[:, ::-1], y_pred)
    assert forward.score() == backward.score()


@pytest.mark.once
def test_logits_are_read_as_their_largest():
    y_true, y_pred = random_ids((4, 6)), random_ids((4, 6), 1)
    logits = np.eye(6, dtype="float32")[y_pred] - 2
    assert updated(y_true, logits).score() == updated(y_true, y_pred).score()


@pytest.mark.once
def test_targets_may_be_real_as_those_of_other_metrics():
    y_true, y_pred = random_ids((4, 6)), random_ids((4, 6), 1)
    real = updated(y_true.astype("float32"), y_pred)
    assert real.score() == updated(y_true, y_pred).score()


@pytest.mark.once
@pytest.mark.parametrize(
    "weights", [[1, 0, 2], [[1.0], [0.0], [0.5]], [True, False, True]]
)
def test_segments_of_weight_zero_are_left_out(weights):
    y_true, y_pred = random_ids((3, 6)), random_ids((3, 6), 1)
    expected = updated(y_true[::2], y_pred[::2]).score()
    assert updated(y_true, y_pred, np.array(weights)).score() == expected


# --- State --------------------------------------------------------------------------


def test_batches_of_all_shapes_add_up_and_are_forgotten():
    metric = TokenBLEU(max_order=3)
    references, hypotheses = [], []
    for seed, (size, count, length) in enumerate([(3, 2, 7), (2, 1, 2)]):
        y_true, y_pred = random_ids((size, count, length)), random_ids((size, 6), seed)
        metric.update_state(y_true, y_pred)
        references += [present([words(row) for row in own]) for own in y_true]
        hypotheses += [words(row) for row in y_pred]
    statistics, score = bleu_oracle(references, hypotheses, 3)
    assert counts(metric) == statistics
    assert float(metric.result()) == pytest.approx(score, abs=1e-6)
    metric.reset_state()
    assert not metric.statistics().any()


@pytest.mark.once
def test_counts_stay_exact_where_float32_and_int32_do_not():
    metric = TokenBLEU(max_order=3)
    start = 2**40 - 1  # high = 2^16 - 1, low = 2^24 - 1
    metric.high.assign(np.full(metric.high.shape, start // BASE))
    metric.low.assign(np.full(metric.low.shape, start % BASE))
    y_true, y_pred = random_ids((3, 2, 7)), random_ids((3, 6), 1)
    metric.update_state(y_true, y_pred)
    added = counts(updated(y_true, y_pred, max_order=3))
    assert min(added[:4]) > 0
    assert counts(metric) == [start + count for count in added]
    assert float(metric.result()) == pytest.approx(1.0)


@pytest.mark.once
def test_statistics_of_machines_merge_as_those_of_the_bleu_of_texts():
    y_true, y_pred = random_ids((4, 6)), random_ids((4, 6), 1)
    halves = [updated(y_true[own], y_pred[own]) for own in (slice(2), slice(2, 4))]
    merged = metrics.bleu.BLEU(tokenizer="none").merge(
        [half.statistics() for half in halves]
    )
    assert merged == updated(y_true, y_pred).score()
    assert merged.signature.startswith("bleu|refs:1|case:mixed|eff:no|tok:none|")


@pytest.mark.once
def test_configuration_survives_serialisation():
    metric = TokenBLEU(
        2, "floor", 0.2, pad_token=[0, 5], end_token=4, name="b", dtype="float32"
    )
    copy = keras.saving.deserialize_keras_object(
        keras.saving.serialize_keras_object(metric)
    )
    assert type(copy) is TokenBLEU
    assert copy.get_config() == metric.get_config()
    assert copy.bleu.signature() == metric.bleu.signature()


@pytest.mark.once
def test_the_result_has_the_dtype_of_the_metric():
    metric = updated([[3] * 300] * 300, [[3] * 300] * 300, max_order=1, dtype="float16")
    assert keras.backend.standardize_dtype(metric.result().dtype) == "float16"
    assert float(metric.result()) == 1.0  # of 90,000 words; float16 ends at 65,504


@pytest.mark.once
def test_stateless_updates_leave_the_metric_alone():
    metric = TokenBLEU(max_order=3)
    y_true, y_pred = random_ids((3, 2, 7)), random_ids((3, 6), 1)
    state = [ops.convert_to_tensor(variable) for variable in metric.variables]
    state = metric.stateless_update_state(state, y_true, y_pred)
    assert not metric.statistics().any()
    expected = updated(y_true, y_pred, max_order=3).result()
    assert float(metric.stateless_result(state)) == float(expected) > 0


# --- Errors -------------------------------------------------------------------------


@pytest.mark.once
@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"max_order": 0}, "`max_order` must be an integer of at least 1."),
        ({"smoothing": "method1"}, "`smoothing` must be one of 'none', 'floor',"),
        ({"smoothing_value": 1.0}, "`smoothing_value` must be None unless"),
        ({"pad_token": "<pad>"}, "`pad_token` must be an integer"),
        ({"end_token": 2.0}, "`end_token` must be an integer"),
        ({"pad_token": 2**31}, "`pad_token` must be an integer of at most 2147483647."),
        ({"max_order": 10**9}, "`max_order` must be an integer of at most 100."),
    ],
)
def test_bad_arguments_are_refused(options, message):
    with pytest.raises(ValueError, match=re.escape(message)):
        TokenBLEU(**options)


IDS = np.ones((2, 3), "int32")
BAD_CALLS = [
    (
        (np.ones((2, 3, 4), "float32"), IDS),  # one-hot
        "`y_true` must hold token ids, (B, T), or integers (B, R, T) for several "
        "references. Received: float32 (2, 3, 4)",
    ),
    (
        (np.ones((2, 0, 3), "int32"), IDS),
        "`y_true` must hold token ids, (B, T), or integers (B, R, T) for several "
        "references. Received: int32 (2, 0, 3)",
    ),
    (
        (IDS, IDS.astype("float32")),
        "`y_pred` must hold integer token ids, (B, T), or real logits or "
        "probabilities, (B, T, V). Received: float32 (2, 3)",
    ),
    (
        (IDS, np.ones(2, "float32")),
        "`y_pred` must hold integer token ids, (B, T), or real logits or "
        "probabilities, (B, T, V). Received: float32 (2,)",
    ),
    (
        (IDS, IDS[:, None]),
        "`y_pred` must hold integer token ids, (B, T), or real logits or "
        "probabilities, (B, T, V). Received: int32 (2, 1, 3)",
    ),
    (
        (IDS, IDS[:1]),
        "`y_true` and `y_pred` must have the same number of segments. Received: "
        "int32 (2, 3) and int32 (1, 3)",
    ),
    (
        (IDS, IDS, IDS),
        "`sample_weight` must be a weight for each segment, (B,) or (B, 1). If the "
        "weights are of tokens, TokenBLEU belongs in `metrics`, not in "
        "`weighted_metrics`. Received: int32 (2, 3)",
    ),
]


@pytest.mark.once
@pytest.mark.parametrize("bad", [None, "ids", [["b c"]], [[1], [1, 2]], {}, [[10**30]]])
def test_what_is_no_array_of_numbers_is_named(bad):
    for name in ("y_true", "y_pred", "sample_weight"):
        arguments = {"y_true": IDS, "y_pred": IDS, name: bad}
        if name == "sample_weight" and bad is None:
            continue
        with pytest.raises(TypeError, match=f"^`{name}` must be numbers. Received:"):
            TokenBLEU().update_state(**arguments)


@pytest.mark.once
def test_integers_of_numpy_are_written_as_those_of_python():
    config = TokenBLEU(np.int64(2), "floor", np.float32(0.5)).get_config()
    assert json.loads(json.dumps(config))["max_order"] == 2


@pytest.mark.once
@pytest.mark.parametrize(("arguments", "message"), BAD_CALLS)
def test_ids_without_meaning_are_refused(arguments, message):
    with pytest.raises(ValueError, match=f"^{re.escape(message)}$"):
        TokenBLEU().update_state(*arguments)


# --- In a model ---------------------------------------------------------------------


def copier(learning_rate=0.1, **options):
    """A model that can learn to write the ids that it reads."""
    keras.utils.set_random_seed(1)
    model = keras.Sequential(
        [
            keras.Input((5,), dtype="int32"),
            # Far from what it has to learn, so that it takes more than one step.
            keras.layers.Embedding(6, 6, keras.initializers.RandomNormal(stddev=1)),
            keras.layers.Dense(6),
        ]
    )
    model.compile(
        keras.optimizers.Adam(learning_rate),
        keras.losses.SparseCategoricalCrossentropy(from_logits=True),
        **options,
    )
    return model


SOURCES = np.random.default_rng(3).integers(1, 6, (10, 5)).astype("int32")


# The other tests run without XLA on TensorFlow, where "auto" means so without a GPU.
@pytest.mark.slow
def test_fit_evaluate_and_a_loaded_model_compute_it(tmp_path):
    model = copier(0.01, metrics=[TokenBLEU(max_order=2)], jit_compile=True)
    history = model.fit(
        SOURCES,
        SOURCES,
        epochs=1,
        verbose=0,
        validation_data=(SOURCES, SOURCES),
        callbacks=[keras.callbacks.EarlyStopping("val_token_bleu")],  # knows the mode
    ).history
    predicted = ops.argmax(model.predict(SOURCES, verbose=0), axis=-1)
    expected = float(updated(SOURCES, predicted, max_order=2).result())
    assert 0 < expected < 1
    assert history["val_token_bleu"][-1] == pytest.approx(expected, abs=1e-6)
    model.save(tmp_path / "model.keras")
    loaded = keras.saving.load_model(tmp_path / "model.keras")
    # Ten segments are a batch of eight and one of two.
    _, score = loaded.evaluate(SOURCES, SOURCES, batch_size=8, verbose=0)
    assert score == pytest.approx(expected, abs=1e-6)


@pytest.mark.once
def test_weighted_metrics_leave_segments_of_weight_zero_out():
    # (B, 1): Keras does not multiply weights (B,) with the losses (B, T) of tokens.
    weights = np.array([[1.0]] * 4 + [[0.0]] * 6, "float32")
    targets = SOURCES.copy()
    targets[4:] = 0
    model = copier(weighted_metrics=[TokenBLEU(max_order=1, name="bleu")])
    logs = model.evaluate(
        SOURCES, targets, sample_weight=weights, verbose=0, return_dict=True
    )
    predicted = ops.argmax(model.predict(SOURCES, verbose=0), axis=-1)
    expected = updated(targets[:4], predicted[:4], max_order=1).result()
    assert logs["bleu"] == pytest.approx(float(expected), abs=1e-6)


@pytest.mark.once
def test_weights_of_tokens_are_refused_when_the_model_is_traced():
    model = copier(weighted_metrics=[TokenBLEU()])
    with pytest.raises(ValueError, match="must be a weight for each segment"):
        model.fit(SOURCES, SOURCES, sample_weight=np.ones((10, 5)), verbose=0)


@pytest.mark.once
def test_importing_the_metrics_does_not_import_keras():
    code = "import metrics, metrics.bleu, sys; sys.exit('keras' in sys.modules)"
    subprocess.run([sys.executable, "-c", code], check=True)


# --- The callback -------------------------------------------------------------------

REFERENCES = [[" ".join(map(str, row))] for row in SOURCES]


def read_off(model, inputs):
    """Texts of the most probable ids."""
    predicted = model.predict(inputs, verbose=0).argmax(-1)
    return [" ".join(map(str, row)) for row in predicted]


def scripted(*qualities):
    """A `decode` that gets so many segments right, a number for each epoch."""
    script = iter(qualities)

    def decode(model, inputs):
        right = next(script)
        texts = [own[0] for own in REFERENCES]
        return texts[:right] + ["nothing"] * (len(texts) - right)

    return decode


def fitted(*callbacks, epochs, model=None):
    model = model or copier()
    return model.fit(
        SOURCES, SOURCES, epochs=epochs, verbose=0, callbacks=list(callbacks)
    ).history


def matches_of(decode, **options):
    options = {"inputs": SOURCES, "references": REFERENCES, **options}
    return GenerationMetrics(decode, metrics=[ExactMatch()], **options)


@pytest.mark.once
def test_the_trained_model_writes_and_is_scored():
    model = copier()
    scoring = GenerationMetrics(
        read_off, SOURCES, REFERENCES, {"bleu": metrics.bleu.BLEU(tokenizer="none")}
    )
    history = fitted(scoring, epochs=8, model=model)["val_bleu"]
    assert history[0] < history[-1] == 1.0
    assert scoring.hypotheses == read_off(model, SOURCES)
    assert scoring.scores["bleu"].signature.startswith("bleu|refs:1|")


@pytest.mark.once
def test_early_stopping_and_checkpoints_after_it_see_its_scores(tmp_path):
    path = str(tmp_path / "epoch-{epoch}-{val_exact_match}.keras")
    history = fitted(
        matches_of(scripted(2, 5, 4, 3, 9, 9)),
        keras.callbacks.EarlyStopping("val_exact_match", mode="max", patience=2),
        keras.callbacks.ModelCheckpoint(
            path, monitor="val_exact_match", mode="max", save_best_only=True
        ),
        epochs=6,
    )
    assert history["val_exact_match"] == [0.2, 0.5, 0.4, 0.3]
    assert {file.name for file in tmp_path.iterdir()} == {
        "epoch-1-0.2.keras",
        "epoch-2-0.5.keras",
    }


@pytest.mark.once
def test_epochs_between_repeat_the_last_score_and_the_last_is_scored():
    scoring = matches_of(scripted(1, 2, 3, 4), every=2)
    history = fitted(scoring, epochs=5)
    assert history["val_exact_match"] == [0.1, 0.2, 0.2, 0.3, 0.4]


@pytest.mark.once
def test_every_fit_starts_anew():
    scoring, model = matches_of(scripted(1, 2, 3, 4), every=9), copier()
    assert fitted(scoring, epochs=2, model=model)["val_exact_match"] == [0.1, 0.2]
    assert fitted(scoring, epochs=2, model=model)["val_exact_match"] == [0.3, 0.4]


@pytest.mark.once
@pytest.mark.parametrize(
    ("inputs", "shapes"),
    [
        (SOURCES, [(4, 5), (4, 5), (2, 5)]),
        ([own[0] for own in REFERENCES], [4, 4, 2]),
        ({"a": SOURCES, "b": (SOURCES, SOURCES)}, [{(4, 5)}, {(4, 5)}, {(2, 5)}]),
    ],
    ids=["array", "list", "dict"],
)
def test_inputs_are_cut_into_batches(inputs, shapes):
    seen = []

    def decode(model, batch):
        if isinstance(batch, dict):
            parts = [batch["a"], *batch["b"]]
            seen.append({part.shape for part in parts})
            batch = parts[0]
        else:
            seen.append(len(batch) if isinstance(batch, list) else batch.shape)
        return [["tokens"]] * len(batch)

    tokens = [[["tokens"]]] * 10
    scoring = matches_of(decode, inputs=inputs, references=tokens, batch_size=4)
    assert fitted(scoring, epochs=1)["val_exact_match"] == [1.0]
    assert seen == shapes


@pytest.mark.once
def test_it_is_silent_and_names_are_free(capsys):
    scoring = GenerationMetrics(
        read_off,
        SOURCES,
        REFERENCES,
        {"exact": ExactMatch(), "words": metrics.bleu.BLEU(1)},
        prefix="dev_",
    )
    assert {"dev_exact", "dev_words"} < set(fitted(scoring, epochs=1))
    assert capsys.readouterr().out == ""


@pytest.mark.once
@pytest.mark.parametrize(
    ("decoded", "received"), [(["one"], r"\['one'\]"), ("0123456789", "'0123456789'")]
)
def test_decoding_must_return_a_text_for_each_input(decoded, received):
    message = (
        "`decode` must return a list with a text for each input, here of 10. "
        f"Received: {received}"
    )
    with pytest.raises(ValueError, match=message):
        fitted(matches_of(lambda model, inputs: decoded), epochs=1)


@pytest.mark.once
@pytest.mark.parametrize(
    ("options", "error", "message"),
    [
        ({"every": 0}, ValueError, "`every` must be an integer of at least 1."),
        ({"batch_size": 0}, ValueError, "`batch_size` must be an integer"),
        ({"metrics": [len]}, TypeError, "`metrics` must be of `metrics.Metric`."),
        ({"metrics": 5}, TypeError, "`metrics` must be a list of metrics, or a dict"),
        ({"inputs": None}, TypeError, "`inputs` must be an array, a list, or a dict"),
        ({"prefix": None}, TypeError, "`prefix` must be a string. Received: prefix="),
        ({"references": [[5]] * 10}, TypeError, "`references[0][0]` must be a string"),
        ({"references": [["a", ["b"]]]}, TypeError, "`references[0][1]` must be text"),
        ({"references": 5}, TypeError, "`references` must be a list, with an entry"),
        (
            {"metrics": [metrics.bleu.BLEU(1), metrics.bleu.BLEU(2)]},
            ValueError,
            "`metrics` must be a dict if several have the same name.",
        ),
        (
            {"inputs": {"a": SOURCES[1:]}},
            ValueError,
            "`inputs` must have an entry for each of the references. Received: 9 "
            "inputs and 10 lists of references",
        ),
        (
            {"references": ["text"] * 10},
            TypeError,
            "`references[0]` must be a list of references.",
        ),
        ({"references": [[]] * 10}, ValueError, "`references[0]` must hold"),
    ],
)
def test_bad_arguments_of_the_callback_are_refused(options, error, message):
    arguments = {
        "inputs": SOURCES,
        "references": REFERENCES,
        "metrics": [metrics.bleu.BLEU()],
        **options,
    }
    with pytest.raises(error, match=re.escape(message)):
        GenerationMetrics(read_off, **arguments)


@pytest.mark.once
def test_what_decodes_must_be_a_function():
    with pytest.raises(TypeError, match="^`decode` must be a function. Received: dec"):
        GenerationMetrics("model", SOURCES, REFERENCES, [metrics.bleu.BLEU()])
