"""The callback that scores generated text, in `fit`."""

import re

import keras
import numpy as np
import pytest

from metrics import BLEU, GenerationMetrics, TokenBLEU
from metrics.edits.exact_match import ExactMatch


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

REFERENCES = [[" ".join(map(str, row))] for row in SOURCES]


def decode_greedily(model, inputs):
    """Texts with the most probable id at each position."""
    predicted = model.predict(inputs, verbose=0).argmax(-1)
    return [" ".join(map(str, row)) for row in predicted]


def scripted(*numbers_right):
    """A `decode` with the given number of right segments in each epoch."""
    script = iter(numbers_right)

    def decode(model, inputs):
        right = next(script)
        texts = [references[0] for references in REFERENCES]
        return texts[:right] + ["nothing"] * (len(texts) - right)

    return decode


def fitted(*callbacks, epochs, model=None):
    model = model or copier()
    return model.fit(
        SOURCES, SOURCES, epochs=epochs, verbose=0, callbacks=list(callbacks)
    ).history


def exact_match_callback(decode, **options):
    options = {"inputs": SOURCES, "references": REFERENCES, **options}
    return GenerationMetrics(decode, metrics=[ExactMatch()], **options)


@pytest.mark.once
def test_text_of_the_trained_model_is_scored():
    model = copier()
    scoring = GenerationMetrics(
        decode_greedily, SOURCES, REFERENCES, {"bleu": BLEU(tokenizer="none")}
    )
    history = fitted(scoring, epochs=8, model=model)["val_bleu"]
    assert history[0] < history[-1] == 1.0
    assert scoring.hypotheses == decode_greedily(model, SOURCES)
    assert scoring.scores["bleu"].signature.startswith("bleu|refs:1|")


@pytest.mark.once
def test_later_callbacks_in_the_list_see_the_scores(tmp_path):
    path = str(tmp_path / "epoch-{epoch}-{val_exact_match}.keras")
    history = fitted(
        exact_match_callback(scripted(2, 5, 4, 3, 9, 9)),
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
def test_epochs_in_between_repeat_the_score_and_the_last_is_scored():
    scoring = exact_match_callback(scripted(1, 2, 3, 4), every=2)
    history = fitted(scoring, epochs=5)
    assert history["val_exact_match"] == [0.1, 0.2, 0.2, 0.3, 0.4]


@pytest.mark.once
def test_every_fit_scores_its_first_epoch():
    scoring, model = exact_match_callback(scripted(1, 2, 3, 4), every=9), copier()
    assert fitted(scoring, epochs=2, model=model)["val_exact_match"] == [0.1, 0.2]
    assert fitted(scoring, epochs=2, model=model)["val_exact_match"] == [0.3, 0.4]


@pytest.mark.once
@pytest.mark.parametrize(
    ("inputs", "shapes"),
    [
        (SOURCES, [(4, 5), (4, 5), (2, 5)]),
        ([references[0] for references in REFERENCES], [4, 4, 2]),
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
    scoring = exact_match_callback(
        decode, inputs=inputs, references=tokens, batch_size=4
    )
    assert fitted(scoring, epochs=1)["val_exact_match"] == [1.0]
    assert seen == shapes


@pytest.mark.once
def test_nothing_is_printed_and_names_can_be_chosen(capsys):
    scoring = GenerationMetrics(
        decode_greedily,
        SOURCES,
        REFERENCES,
        {"exact": ExactMatch(), "words": BLEU(1)},
        prefix="dev_",
    )
    assert {"dev_exact", "dev_words"} < set(fitted(scoring, epochs=1))
    assert capsys.readouterr().out == ""


@pytest.mark.once
def test_metrics_may_be_names():
    names = ["BLEU-2", "bleu", "exact-match"]
    scoring = GenerationMetrics(decode_greedily, SOURCES, REFERENCES, names)
    assert list(scoring.metrics) == ["bleu_2", "bleu", "exact_match"]
    assert repr(scoring.metrics["bleu_2"]) == repr(BLEU(2))
    named = GenerationMetrics(decode_greedily, SOURCES, REFERENCES, {"b": "bleu-2"})
    assert repr(named.metrics["b"]) == repr(BLEU(2))


@pytest.mark.once
@pytest.mark.parametrize(
    ("decoded", "received"), [(["one"], r"\['one'\]"), ("0123456789", "'0123456789'")]
)
def test_decode_must_return_a_text_for_each_input(decoded, received):
    message = (
        "`decode` must return a list with a text for each input, here of 10. "
        f"Received: {received}"
    )
    with pytest.raises(ValueError, match=message):
        fitted(exact_match_callback(lambda model, inputs: decoded), epochs=1)


@pytest.mark.once
@pytest.mark.parametrize(
    ("options", "error", "message"),
    [
        ({"every": 0}, ValueError, "`every` must be a positive integer."),
        ({"batch_size": 0}, ValueError, "`batch_size` must be a positive integer"),
        (
            {"metrics": [len]},
            TypeError,
            "`metrics` must hold metrics such as `metrics.BLEU()`, or names such as ",
        ),
        ({"metrics": [len, len]}, TypeError, "`metrics` must hold metrics such as "),
        ({"metrics": ["bleu", "metero"]}, ValueError, "Did you mean 'meteor'?"),
        (
            {"metrics": ["bleu", BLEU(2)]},
            ValueError,
            "`metrics` must be a dict if several have the same name.",
        ),
        ({"metrics": 5}, TypeError, "`metrics` must be a list of metrics, or a dict"),
        ({"inputs": None}, TypeError, "`inputs` must be an array, a list, or a dict"),
        ({"prefix": None}, TypeError, "`prefix` must be a string. Received: prefix="),
        ({"references": [[5]] * 10}, TypeError, "`references[0][0]` must be a string"),
        ({"references": [["a", ["b"]]]}, TypeError, "`references[0][1]` must be text"),
        ({"references": 5}, TypeError, "`references` must be a list, with an entry"),
        (
            {"metrics": [BLEU(1), BLEU(2)]},
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
def test_wrong_arguments_are_errors(options, error, message):
    arguments = {
        "inputs": SOURCES,
        "references": REFERENCES,
        "metrics": [BLEU()],
        **options,
    }
    with pytest.raises(error, match=re.escape(message)):
        GenerationMetrics(decode_greedily, **arguments)


@pytest.mark.once
def test_decode_must_be_a_function():
    with pytest.raises(TypeError, match="^`decode` must be a function. Received: dec"):
        GenerationMetrics("model", SOURCES, REFERENCES, [BLEU()])


@pytest.mark.once
@pytest.mark.parametrize(
    ("decode", "message"),
    [
        (
            lambda inputs: inputs,
            "`decode` must be a function that is called as `decode(model, inputs)`. "
            "Received one that takes (inputs)",
        ),
        (
            lambda model, inputs, *, width: inputs,
            "Received one that takes (model, inputs, *, width)",
        ),
    ],
)
def test_decode_must_take_a_model_and_inputs(decode, message):
    with pytest.raises(TypeError, match=re.escape(message)):
        GenerationMetrics(decode, SOURCES, REFERENCES, [BLEU()])


def test_what_decode_returns_is_named():
    message = "`decode(model, inputs)[0]` must be a string or a list of tokens. Recei"
    with pytest.raises(TypeError, match="^" + re.escape(message)):
        fitted(exact_match_callback(lambda model, inputs: [1] * len(inputs)), epochs=1)


@pytest.mark.once
def test_unknown_arguments_of_keras_metrics_are_answered_with_the_known():
    message = "GenerationMetrics has no argument `evry`. Its arguments: decode, inputs,"
    with pytest.raises(TypeError, match=f"^{message}.* Did you mean `every`[?]$"):
        GenerationMetrics(decode_greedily, SOURCES, REFERENCES, [BLEU()], evry=2)
    with pytest.raises(TypeError, match="^TokenBLEU has no argument `pad`. Its arg"):
        TokenBLEU(pad=0)
