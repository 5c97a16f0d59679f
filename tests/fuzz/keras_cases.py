"""Cases of the metrics that run while a Keras model trains."""

import math

import numpy as np
from fuzz.judge import Case
from fuzz.texts import (
    corpora,
    huge,
    no_choices,
    no_integers,
    no_lists,
    no_texts,
    numbers,
    outside,
    strings,
)
from hypothesis import strategies as st

import metrics
from metrics import GenerationMetrics, TokenBLEU

NO_IDS = (0.5, np.nan, True, "0", [None], ["a"], 2**31, -(10**400), [1.0], {}, {1})
NO_TENSORS = (
    *(None, 5, "ids", [], [1], [[["a"]]], {}, {1}, [[1], [1, 2]], [[None]], [[10**30]]),
    *(
        np.zeros((2, 0), int),
        np.zeros((1, 1, 1, 1)),
        np.array([["a"]]),
        np.zeros((2, 3), complex),
    ),
)
_GOOD_BLEU = {
    "max_order": st.sampled_from((1, 2, 4, np.int64(3))),
    "smoothing": st.sampled_from(("none", "exp", "floor", "add-k")),
    "pad_token": st.sampled_from((0, None, [0, 1], np.int32(2), -(2**31))),
    "end_token": st.sampled_from((None, 3, (3, 4))),
}
_BAD_BLEU = {
    "max_order": st.one_of(no_integers(1), huge),
    "smoothing": st.one_of(no_choices, st.just("method1")),
    "smoothing_value": outside(0, np.inf, open_ends=True).filter(
        lambda value: value is not None
    ),
    "pad_token": st.sampled_from(NO_IDS),
    "end_token": st.sampled_from(NO_IDS),
}


def ids(size, *shape):
    """Token ids from a small range, so that some match."""
    count = size * int(np.prod(shape))
    drawn = st.lists(st.integers(0, 5), min_size=count, max_size=count)
    return drawn.map(lambda own: np.array(own).reshape(size, *shape))


@st.composite
def token_bleu_cases(draw):
    """Cases of `TokenBLEU`."""
    options = draw(st.fixed_dictionaries({}, optional=_GOOD_BLEU))
    size = draw(st.integers(1, 2))
    arguments = {
        "y_true": draw(ids(size, *draw(st.sampled_from(((4,), (2, 3)))))),
        "y_pred": draw(st.one_of(ids(size, 4), ids(size, 2, 6).map(np.float32))),
        "sample_weight": draw(st.sampled_from((None, np.ones(size), [True] * size))),
    }
    spoilt = draw(st.sampled_from((None, *_BAD_BLEU, *arguments)))
    if spoilt in _BAD_BLEU:
        options[spoilt] = draw(_BAD_BLEU[spoilt])
    elif spoilt:
        bad = draw(st.one_of(st.sampled_from(NO_TENSORS), numbers, strings))
        # Weights are optional, and one for each segment.
        arguments[spoilt] = 5 if spoilt == "sample_weight" and _is_weight(bad) else bad

    def do():
        metric = TokenBLEU(**options)
        metric.update_state(**arguments)
        assert 0 <= float(metric.result()) <= 1 + 1e-6
        return [metric.score()]

    return _case(do, spoilt, (options, arguments))


def _is_weight(value):
    try:
        return value is None or np.shape(value) in ((1,), (1, 1))
    except ValueError:  # lists of several lengths
        return False


def _case(do, spoilt, shown):
    names = (spoilt,) if spoilt else ()
    kind = f"bad {spoilt}" if spoilt else "good"
    return Case(kind, do, names, bool(spoilt), shown)


NO_METRICS = (
    *(
        None,
        5,
        "bleu",
        metrics.BLEU(),
        [metrics.BLEU],
        [None],
        {"a": 1},
        {metrics.BLEU()},
    ),
    [metrics.BLEU(), metrics.BLEU(2)],
)


@st.composite
def callback_cases(draw):
    """Cases of `GenerationMetrics`, without a model."""
    references, hypotheses = draw(corpora())
    size = len(references)
    arguments = {
        "decode": lambda model, inputs: [hypotheses[int(row[0])] for row in inputs],
        "inputs": np.arange(size)[:, None],
        "references": references,
        "metrics": draw(st.sampled_from(([metrics.BLEU(2)], {"cer": metrics.CER()}))),
        "every": draw(st.integers(1, 3)),
        "batch_size": draw(st.sampled_from((1, 2, np.int64(5)))),
        "prefix": draw(st.sampled_from(("val_", ""))),
    }
    bad = {
        "decode": st.one_of(numbers, strings),
        "inputs": st.sampled_from((None, 5, range(9), {"a": [1] * 9}, {1}, [], (5,))),
        "metrics": st.sampled_from(NO_METRICS),
        "every": no_integers(1),
        "batch_size": no_integers(1),
        "prefix": st.one_of(numbers, st.sampled_from((None, b"val_", ["val_"]))),
    }
    spoilt = draw(st.sampled_from((None, "references", *bad)))
    if spoilt == "references":
        index = draw(st.integers(0, size - 1))
        own = draw(st.one_of(no_lists, no_texts.map(lambda text: [text]), st.just([])))
        arguments["references"] = [*references[:index], own, *references[index + 1 :]]
    elif spoilt:
        arguments[spoilt] = draw(bad[spoilt])

    def do():
        callback = GenerationMetrics(**arguments)
        callback.set_params({"epochs": 1})
        callback.set_model(None)
        logs = {}
        callback.on_epoch_end(0, logs)
        assert len(logs) == len(arguments["metrics"])
        return list(callback.scores.values())

    return _case(do, spoilt, arguments)._replace(high=math.inf)
