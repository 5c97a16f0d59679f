"""BLEU of token ids, compared with an oracle in plain loops."""

import collections
import json
import math
import re

import keras
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from keras import ops
from xla import HAS_XLA

import metrics
from metrics.keras.token_bleu import BASE, TokenBLEU

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
    for texts, hypothesis in zip(references, hypotheses, strict=True):
        length += len(hypothesis)
        reference_length += min(
            (abs(len(reference) - len(hypothesis)), len(reference))
            for reference in texts
        )[1]
        for n in range(1, max_order + 1):
            for ngram, count in ngrams(hypothesis, n).items():
                most = max(ngrams(reference, n)[ngram] for reference in texts)
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
    """A metric that was updated with a batch."""
    metric = TokenBLEU(**options)
    batch = np.array(y_true), np.array(y_pred), sample_weight
    if keras.backend.backend() == "jax":
        # Without jit, JAX compiles every operation for each shape: seconds a test.
        import jax

        values = [variable.value for variable in metric.variables]
        values = jax.jit(metric.stateless_update_state)(values, *batch)
        for variable, value in zip(metric.variables, values, strict=True):
            variable.assign(value)
    else:
        metric.update_state(*batch)
    return metric


def counts(metric):
    """Lengths, matches and totals, without the statistics of all metrics."""
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
    references = [present([words(row) for row in rows]) for rows in y_true]
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
def test_every_smoothing_equals_that_of_bleu_of_texts(smoothing, value):
    for seed in range(5):
        y_true, y_pred = random_ids((2, 1, 5), seed), random_ids((2, 4), seed + 100)
        y_pred[:, :2] = y_true[:, 0, :2]
        metric = updated(y_true, y_pred, smoothing=smoothing, smoothing_value=value)
        expected = metrics.corpus_bleu(
            [[words(row) for row in rows] for rows in y_true],
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
def test_matches_are_clipped_to_the_reference_with_the_most():
    # Papineni et al., section 2.1: seven times "the"; a reference has it twice.
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
def test_ignored_ids_are_removed_at_every_position():
    metric = updated([[3, 4, 5, 6]], [[START, 3, 0, 4, 5, 6, 0]], pad_token=[0, START])
    assert float(metric.result()) == pytest.approx(1.0)


@pytest.mark.once
def test_text_ends_before_the_end_token():
    metric = updated([[3, 4, 5, 6, END, 9]], [[3, 4, 5, 6, END, 3]], end_token=END)
    assert counts(metric) == [4, 4, 4, 3, 2, 1, 4, 3, 2, 1]


@pytest.mark.once
def test_without_ids_to_ignore_all_ids_are_words():
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
def test_closest_reference_length_counts_and_of_two_the_shorter():
    # The hypothesis has four words. The expected length is 2 each time.
    for lengths in [(2, 9), (2, 6), (6, 2)]:
        row = [[8] * length + [0] * (9 - length) for length in lengths]
        assert updated([row], [[3, 4, 5, 6]], max_order=1).score().reference_length == 2


@pytest.mark.once
def test_the_order_of_references_does_not_matter():
    y_true, y_pred = random_ids((4, 3, 6)), random_ids((4, 6), 1)
    forward, backward = updated(y_true, y_pred), updated(y_true[:, ::-1], y_pred)
    assert forward.score() == backward.score()


@pytest.mark.once
def test_the_largest_logit_is_the_predicted_id():
    y_true, y_pred = random_ids((4, 6)), random_ids((4, 6), 1)
    logits = np.eye(6, dtype="float32")[y_pred] - 2
    assert updated(y_true, logits).score() == updated(y_true, y_pred).score()


@pytest.mark.once
def test_targets_may_be_real_as_in_other_metrics():
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


def test_batches_of_different_shapes_add_up_until_reset():
    metric = TokenBLEU(max_order=3)
    references, hypotheses = [], []
    for seed, (size, count, length) in enumerate([(3, 2, 7), (2, 1, 2)]):
        y_true, y_pred = random_ids((size, count, length)), random_ids((size, 6), seed)
        metric.update_state(y_true, y_pred)
        references += [present([words(row) for row in rows]) for rows in y_true]
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
def test_statistics_of_machines_can_be_merged_by_bleu_of_texts():
    y_true, y_pred = random_ids((4, 6)), random_ids((4, 6), 1)
    halves = [updated(y_true[rows], y_pred[rows]) for rows in (slice(2), slice(2, 4))]
    merged = metrics.BLEU(tokenizer="none").merge(
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
        ({"max_order": 0}, "`max_order` must be a positive integer."),
        ({"smoothing": "method1"}, "`smoothing` must be one of 'none', 'floor',"),
        ({"smoothing_value": 1.0}, "`smoothing_value` must be None unless"),
        ({"pad_token": "<pad>"}, "`pad_token` must be an integer"),
        ({"end_token": 2.0}, "`end_token` must be an integer"),
        ({"pad_token": 2**31}, "`pad_token` must be an integer of at most 2147483647."),
        ({"max_order": 10**9}, "`max_order` must be an integer of at most 100."),
    ],
)
def test_arguments_out_of_range_are_errors(options, message):
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
def test_an_argument_without_numbers_is_named(bad):
    for name in ("y_true", "y_pred", "sample_weight"):
        arguments = {"y_true": IDS, "y_pred": IDS, name: bad}
        if name == "sample_weight" and bad is None:
            continue
        with pytest.raises(TypeError, match=f"^`{name}` must be numbers. Received:"):
            TokenBLEU().update_state(**arguments)


@pytest.mark.once
def test_config_holds_python_integers():
    config = TokenBLEU(np.int64(2), "floor", np.float32(0.5)).get_config()
    assert json.loads(json.dumps(config))["max_order"] == 2


@pytest.mark.once
@pytest.mark.parametrize(("arguments", "message"), BAD_CALLS)
def test_ids_of_wrong_type_or_shape_are_errors(arguments, message):
    with pytest.raises(ValueError, match=f"^{re.escape(message)}$"):
        TokenBLEU().update_state(*arguments)


# --- In a model ---------------------------------------------------------------------


def copier(learning_rate=0.1, **options):
    """A model that can learn to copy its input ids."""
    keras.utils.set_random_seed(1)
    model = keras.Sequential(
        [
            keras.Input((5,), dtype="int32"),
            # A large initial embedding, so that learning takes more than one step.
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


# The only test with XLA: on TensorFlow without a GPU, "auto" means no XLA.
@pytest.mark.slow
def test_fit_evaluate_and_a_loaded_model_compute_the_score(tmp_path):
    model = copier(0.01, metrics=[TokenBLEU(max_order=2)], jit_compile=HAS_XLA)
    history = model.fit(
        SOURCES,
        SOURCES,
        epochs=1,
        verbose=0,
        validation_data=(SOURCES, SOURCES),
        callbacks=[
            keras.callbacks.EarlyStopping("val_token_bleu")
        ],  # finds the mode itself
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
def test_weights_of_tokens_are_an_error_when_the_model_is_traced():
    model = copier(weighted_metrics=[TokenBLEU()])
    with pytest.raises(ValueError, match="must be a weight for each segment"):
        model.fit(SOURCES, SOURCES, sample_weight=np.ones((10, 5)), verbose=0)
