"""Metrics while a Keras model trains: BLEU of token ids, and scores of decoded text.

The only file of `metrics` that imports keras; `import metrics` does not load it.
"""

from collections.abc import Callable, Sequence

import keras
import numpy as np
from keras import ops

from ..base import Metric, Score, Text
from ..bleu import BLEU, BLEUScore
from ..checks import check_choice, check_integer, shorten
from ..smoothing import DEFAULT_VALUES
from ..text_checks import check_corpus

# Chosen: counts are two integers, `high * BASE + low`, because JAX has 32 bits only.
# Both are exact as float32 while below 2^24, and sums over replicas do not overflow.
BASE = 2**24

_ABSENT = 2**30  # above any length and distance


@keras.saving.register_keras_serializable("memnets")
class TokenBLEU(keras.metrics.Metric):
    """Corpus BLEU of token ids, computed in the graph.

    It equals `metrics.BLEU` on the same ids as words, in float32; `score` gives all
    digits. On the predictions of a model that was fed the reference (teacher forcing)
    it tells how training goes, not how well the model writes: `GenerationMetrics` does.

    Ignored ids are taken out before n-grams are counted, wherever they stand, and text
    ends before the end token. Only ids decide what is text, not the masks of layers.
    A reference without text is absent if the segment has another one, else empty.

    Counts are integers and exact up to 2^53 words. On JAX ids must fit 32 bits. The
    memory of a batch grows as `B (Th + R Tr) (Th + Tr)`, Th and Tr being the padded
    lengths: sentences are fine, documents of thousands of words are not.

    Args:
        max_order: Largest n, at most 100.
        smoothing: `"none"`, `"floor"`, `"add-k"` or `"exp"`, as in `metrics.BLEU`.
        smoothing_value: As in `metrics.BLEU`.
        pad_token: The id to ignore, or a list of ids; `None` if there is none.
        end_token: The id that ends a text, or a list of ids; `None` if there is none.
        name: Name in the logs.
        dtype: Type of the result.
    Call arguments:
        y_true: Ids `(B, Tr)`, or integers `(B, R, Tr)` for several references.
        y_pred: Integer ids `(B, Th)`, or logits or probabilities `(B, Th, V)`.
        sample_weight: `(B,)` or `(B, 1)`; segments of weight 0 are left out, the others
            count once.
    Raises:
        ValueError: If an argument is out of its range; or, when the graph is traced, if
            ids or weights have a type or a shape that has no meaning.
    Reference:
        Papineni et al. (2002), BLEU: a Method for Automatic Evaluation of Machine
        Translation, section 2.
    Example:
        >>> bleu = TokenBLEU(max_order=2)
        >>> bleu.update_state([[7, 8, 9, 0]], [[7, 8, 5, 9]])  # p = 3/4, 1/3
        >>> float(bleu.result())
        0.5
        >>> bleu.score().totals
        (4, 3)
    """

    def __init__(
        self,
        max_order=4,
        smoothing="exp",
        smoothing_value=None,
        pad_token=0,
        end_token=None,
        name="token_bleu",
        dtype=None,
    ):
        super().__init__(name=name, dtype=dtype)
        check_choice("smoothing", smoothing, ("none", "floor", "add-k", "exp"))
        self.bleu = BLEU(
            max_order,
            tokenizer="none",
            smoothing=smoothing,
            smoothing_value=smoothing_value,
        )
        self.max_order = max_order = int(max_order)
        self.smoothing = smoothing
        self.smoothing_value = (
            None if smoothing_value is None else float(smoothing_value)
        )
        self.pad_tokens = _ids("pad_token", pad_token)
        self.end_tokens = _ids("end_token", end_token)
        self._direction = "up"  # tells callbacks of Keras that more is better
        # "int" as in Keras' own counters: int64 on TensorFlow, int32 elsewhere.
        size = 2 * max_order + 5
        self.low = self.add_variable((size,), "zeros", dtype="int", name="low")
        self.high = self.add_variable((size,), "zeros", dtype="int", name="high")

    def update_state(self, y_true, y_pred, sample_weight=None):
        """Adds the counts of a batch."""
        references, hypothesis = _checked_ids(y_true, y_pred)
        if sample_weight is not None:
            sample_weight = _checked_weights(sample_weight, hypothesis.shape[0])
        counts = segment_counts(
            self._text(references), self._text(hypothesis), self.max_order
        )
        if sample_weight is not None:
            counted = ops.cast(sample_weight, "bool")[:, None]
            counts = ops.where(counted, counts, 0)
        low = self.low + ops.cast(ops.sum(counts, axis=0), self.low.dtype)
        carry = low // BASE
        self.high.assign(self.high + carry)
        self.low.assign(low - carry * BASE)

    def _text(self, ids):
        """Moves the text to the front: ids `(..., T)` and lengths `(...)`."""
        is_text = ops.ones_like(ids, dtype="bool")
        for token in self.pad_tokens:
            is_text = ops.logical_and(is_text, ids != token)
        for token in self.end_tokens:
            ends = ops.cast(ids == token, "int32")
            is_text = ops.logical_and(is_text, ops.cumsum(ends, axis=-1) == 0)
        steps = ops.arange(ops.shape(ids)[-1])
        rank = ops.cumsum(ops.cast(is_text, "int32"), axis=-1) - 1
        moves = ops.where(is_text, rank, -1)[..., None, :] == steps[:, None]
        return ops.sum(ops.where(moves, ids[..., None, :], 0), axis=-1), _count(is_text)

    def result(self):
        # float16 could not hold the counts.
        dtype = keras.backend.result_type(self.dtype, "float32")
        counts = ops.cast(self.high, dtype) * BASE + ops.cast(self.low, dtype)
        value = self.smoothing_value or DEFAULT_VALUES.get(self.smoothing)
        return ops.cast(bleu(counts[3:], self.smoothing, value), self.dtype)

    def statistics(self) -> np.ndarray:
        """The counts so far as `metrics.BLEU` has them, to merge; not in a graph."""
        high, low = (np.array(ops.convert_to_numpy(v)) for v in (self.high, self.low))
        return high.astype(float) * BASE + low

    def score(self) -> BLEUScore:
        """Score and signature of the segments so far, in float64; not in a graph.

        Raises:
            ValueError: If there are none.
        """
        return self.bleu.score_from(self.statistics())

    def get_config(self):
        return {
            **super().get_config(),
            "max_order": self.max_order,
            "smoothing": self.smoothing,
            "smoothing_value": self.smoothing_value,
            "pad_token": list(self.pad_tokens),
            "end_token": list(self.end_tokens),
        }


def bleu(counts, smoothing, value=None):
    """BLEU in the graph, a scalar: BP exp(mean of log p_n).

    Args:
        counts: Length of the hypotheses, length of the references, matches of each
            order, n-grams of each order, `(2 + 2 * max_order,)`.
        smoothing: As in `TokenBLEU`.
        value: The floor, or k.
    """
    max_order = counts.shape[0] // 2 - 1
    length, reference_length = counts[0], counts[1]
    matches, totals = counts[2 : 2 + max_order], counts[2 + max_order :]
    missing = ops.cast(matches == 0, counts.dtype)
    smoothed = matches
    if smoothing == "exp":
        smoothed = matches + missing * 0.5 ** ops.cumsum(missing)
    elif smoothing == "floor":
        smoothed = matches + missing * value
    elif smoothing == "add-k":
        added = ops.convert_to_tensor([0.0] + [value] * (max_order - 1), counts.dtype)
        smoothed, totals = matches + added, totals + added
    # Without a match at all the score is 0, whatever the smoothing.
    above_zero = ops.logical_and(
        ops.any(matches > 0), ops.all(ops.logical_and(smoothed > 0, totals > 0))
    )
    precisions = ops.where(above_zero, ops.divide_no_nan(smoothed, totals), 1.0)
    brevity = ops.minimum(1 - reference_length / ops.maximum(length, 1), 0)
    score = ops.exp(brevity + ops.mean(ops.log(precisions)))
    return ops.where(above_zero, score, 0.0)


def segment_counts(references, hypothesis, max_order):
    """Statistics of each segment in the order of `metrics.BLEU.statistics`.

    Args:
        references: Ids `(B, R, Tr)` and lengths `(B, R)`.
        hypothesis: Ids `(B, Th)` and lengths `(B,)`.
        max_order: Largest n.
    Returns:
        Integers `(B, 5 + 2 * max_order)`.
    """
    references, reference_lengths = references
    hypothesis, length = hypothesis
    steps = ops.arange(ops.shape(hypothesis)[-1])
    reference_steps = ops.arange(ops.shape(references)[-1])
    # Which words of the hypothesis are in each reference, `(B, R, Th, Tr)`.
    found = hypothesis[:, None, :, None] == references[:, :, None, :]
    is_text = (steps < length[:, None])[:, None, :, None]
    found = ops.logical_and(found, is_text)
    is_text = (reference_steps < reference_lengths[..., None])[:, :, None, :]
    found = ops.logical_and(found, is_text)
    # Which words were in the hypothesis before, `(B, Th, Th)`.
    seen = hypothesis[:, :, None] == hypothesis[:, None, :]
    seen = ops.logical_and(seen, steps[:, None] > steps)
    # Clipping: the k-th occurrence of an n-gram counts if a reference has k of them.
    matches = [
        _count(_count(before) < ops.max(_count(own), axis=1, initial=0))
        for before, own in zip(
            _equal_ngrams(seen, max_order), _equal_ngrams(found, max_order), strict=True
        )
    ]
    totals = [ops.maximum(length - n, 0) for n in range(max_order)]
    closest = _closest_length(reference_lengths, length)
    present = ops.maximum(_count(reference_lengths > 0), 1)
    shared = [ops.ones_like(length), present, present * present]
    return ops.stack([*shared, length, closest, *matches, *totals], axis=-1)


def _equal_ngrams(words, max_order):
    """Which pairs of n-grams are equal, for n = 1, 2, ...

    Two n-grams are equal if their first words are, and the (n-1)-grams that follow.
    """
    ngrams = words
    yield ngrams
    for n in range(1, max_order):
        ngrams = ops.logical_and(words[..., :-n, :-n], ngrams[..., 1:, 1:])
        yield ngrams


def _count(values):
    return ops.sum(ops.cast(values, "int32"), axis=-1)


def _closest_length(lengths, length):
    """The reference length closest to the hypothesis'; of two, the shorter."""
    distance = ops.where(lengths > 0, ops.abs(lengths - length[:, None]), _ABSENT)
    closest = ops.min(distance, axis=1, keepdims=True)
    return ops.min(ops.where(distance == closest, lengths, _ABSENT), axis=1)


def _ids(name, value):
    """The ids of an argument: an id, several, or `None` for none."""
    if value is None:
        return ()
    ids = value if isinstance(value, list | tuple) else (value,)
    for token in ids:
        check_integer(name, token, -(2**31), 2**31 - 1)
    return tuple(int(token) for token in ids)


def _tensor(name, value, *other_dtypes):
    """A tensor of numbers, or of another type, from an argument."""
    try:
        tensor = ops.convert_to_tensor(value)
        dtype = keras.backend.standardize_dtype(tensor.dtype)
    except (TypeError, ValueError, OverflowError):
        dtype = None
    is_number = dtype is not None and (
        keras.backend.is_int_dtype(dtype) or keras.backend.is_float_dtype(dtype)
    )
    if not is_number and dtype not in other_dtypes:
        raise TypeError(f"`{name}` must be numbers. Received: {shorten(value)}")
    return tensor


def _checked_ids(y_true, y_pred):
    """References `(B, R, Tr)` and hypothesis `(B, Th)`."""
    y_true, y_pred = _tensor("y_true", y_true), _tensor("y_pred", y_pred)
    # Real ids (B, T) pass, as in Keras' own metrics; MirroredStrategy builds a model on
    # averages of ids, too. Real (B, T, V) would be one-hot vectors.
    ranks = (2, 3) if _is_integer(y_true) else (2,)
    if len(y_true.shape) not in ranks or 0 in y_true.shape[1:]:
        raise ValueError(
            "`y_true` must hold token ids, (B, T), or integers (B, R, T) for several "
            f"references. Received: {_described(y_true)}"
        )
    if len(y_pred.shape) != (2 if _is_integer(y_pred) else 3):
        raise ValueError(
            "`y_pred` must hold integer token ids, (B, T), or real logits or "
            f"probabilities, (B, T, V). Received: {_described(y_pred)}"
        )
    if len({y_true.shape[0], y_pred.shape[0]} - {None}) > 1:
        raise ValueError(
            "`y_true` and `y_pred` must have the same number of segments. Received: "
            f"{_described(y_true)} and {_described(y_pred)}"
        )
    references = y_true if len(y_true.shape) == 3 else y_true[:, None]
    hypothesis = y_pred if _is_integer(y_pred) else ops.argmax(y_pred, axis=-1)
    return ops.cast(references, "int"), ops.cast(hypothesis, "int")


def _checked_weights(weights, size):
    """Weights of segments, `(B,)`."""
    weights = _tensor("sample_weight", weights, "bool")
    if len(weights.shape) == 2 and weights.shape[1] == 1:
        weights = weights[:, 0]
    if len(weights.shape) != 1 or len({weights.shape[0], size} - {None}) > 1:
        raise ValueError(
            "`sample_weight` must be a weight for each segment, (B,) or (B, 1). If the "
            "weights are of tokens, TokenBLEU belongs in `metrics`, not in "
            f"`weighted_metrics`. Received: {_described(weights)}"
        )
    return weights


def _is_integer(tensor):
    return keras.backend.is_int_dtype(tensor.dtype)


def _described(tensor):
    return f"{keras.backend.standardize_dtype(tensor.dtype)} {tuple(tensor.shape)}"


class GenerationMetrics(keras.callbacks.Callback):
    """Scores what the model writes, at the end of epochs, and logs `val_bleu` etc.

    It comes before the callbacks that read its scores, such as `EarlyStopping` and
    `ModelCheckpoint`, which need `mode="max"` (or `"min"`) for them. Scored are the
    first epoch, every `every`-th and the last. Other epochs repeat the last scores, so
    that a `patience`, which counts epochs, should be a multiple of `every`.

    Args:
        decode: `decode(model, inputs)` returns a list with the text (or the list of
            tokens) that the model writes for each of a batch of inputs.
        inputs: What `decode` gets, cut into batches: an array or a list with an entry
            for each segment, or a dict or a tuple of such.
        references: One list of references for each segment.
        metrics: A list of metrics, or a dict from the names in the logs to metrics.
        every: Epochs from one scoring to the next.
        batch_size: Segments that `decode` gets at a time.
        prefix: What stands before the names in the logs.
    Attributes:
        hypotheses: The texts scored last.
        scores: Their scores, a dict from names to `metrics.Score`.
    Raises:
        TypeError: If something is of the wrong type.
        ValueError: If lengths differ, or two metrics have one name. While training: if
            `decode` does not return a text for each input.
    Example:
        >>> scoring = GenerationMetrics(
        ...     lambda model, inputs: ["a cat"] * len(inputs),
        ...     inputs=np.zeros((3, 8)),
        ...     references=[["a cat"]] * 3,
        ...     metrics=[BLEU(max_order=2)],
        ... )
        >>> stop = keras.callbacks.EarlyStopping("val_bleu", mode="max")
        >>> model = keras.Sequential([keras.layers.Dense(1)])
        >>> model.compile(loss="mse")
        >>> x, y = np.zeros((3, 8)), np.zeros((3, 1))
        >>> model.fit(x, y, verbose=0, callbacks=[scoring, stop]).history["val_bleu"]
        [1.0]
    """

    def __init__(
        self,
        decode: Callable[..., Sequence[Text]],
        inputs,
        references: Sequence[Sequence[Text]],
        metrics: Sequence[Metric] | dict[str, Metric],
        *,
        every=1,
        batch_size=32,
        prefix="val_",
    ):
        super().__init__()
        if not callable(decode):
            raise TypeError(
                f"`decode` must be a function. Received: decode={shorten(decode)}"
            )
        _check_references(references)
        _check_sizes(inputs, len(references))
        if not isinstance(prefix, str):
            raise TypeError(
                f"`prefix` must be a string. Received: prefix={shorten(prefix)}"
            )
        self.decode = decode
        self.inputs = inputs
        self.references = references
        self.metrics = _named(metrics)
        self.every = check_integer("every", every)
        self.batch_size = check_integer("batch_size", batch_size)
        self.prefix = prefix
        self.hypotheses: list[Text] = []
        self.scores: dict[str, Score] = {}

    def on_train_begin(self, logs=None):
        self.scores = {}

    def on_epoch_end(self, epoch, logs=None):
        due = (epoch + 1) % self.every == 0 or epoch + 1 == self.params["epochs"]
        if due or not self.scores:
            self.hypotheses = self._decoded()
            self.scores = {
                name: metric.corpus_score(self.references, self.hypotheses)
                for name, metric in self.metrics.items()
            }
        for name, score in self.scores.items():
            logs[self.prefix + name] = score.value

    def _decoded(self):
        texts = []
        for start in range(0, len(self.references), self.batch_size):
            size = min(self.batch_size, len(self.references) - start)
            batch = _cut(self.inputs, slice(start, start + size))
            decoded = self.decode(self.model, batch)
            if not isinstance(decoded, list | tuple) or len(decoded) != size:
                raise ValueError(
                    "`decode` must return a list with a text for each input, here of "
                    f"{size}. Received: {shorten(decoded)}"
                )
            texts += decoded
        return texts


def _check_references(references):
    is_list = isinstance(references, list | tuple)
    empty = [_empty_like(own) for own in references] if is_list else []
    check_corpus(references, empty, "references")


def _empty_like(references):
    """In place of a hypothesis: no text, or no tokens if a reference is tokens."""
    first = references[0] if isinstance(references, list | tuple) and references else ""
    return [] if isinstance(first, list | tuple) else ""


def _named(metrics):
    if not isinstance(metrics, list | tuple | dict):
        raise TypeError(
            "`metrics` must be a list of metrics, or a dict from names to metrics. "
            f"Received: {shorten(metrics)}"
        )
    named = metrics
    if not isinstance(metrics, dict):
        names = [getattr(metric, "name", "").replace("-", "_") for metric in metrics]
        named = dict(zip(names, metrics, strict=True))
        if len(named) < len(metrics):
            raise ValueError(
                "`metrics` must be a dict if several have the same name. Received: "
                f"{shorten(metrics)}"
            )
    for metric in named.values():
        if not isinstance(metric, Metric):
            raise TypeError(
                f"`metrics` must be of `metrics.Metric`. Received: {shorten(metric)}"
            )
    return named


def _check_sizes(inputs, size):
    if isinstance(inputs, dict | tuple):
        for part in inputs.values() if isinstance(inputs, dict) else inputs:
            _check_sizes(part, size)
    elif not (hasattr(inputs, "__len__") and hasattr(inputs, "__getitem__")):
        raise TypeError(
            "`inputs` must be an array, a list, or a dict or tuple of such. Received: "
            f"{shorten(inputs)}"
        )
    elif len(inputs) != size:
        raise ValueError(
            "`inputs` must have an entry for each of the references. Received: "
            f"{len(inputs)} inputs and {size} lists of references"
        )


def _cut(inputs, rows):
    if isinstance(inputs, dict):
        return {name: _cut(part, rows) for name, part in inputs.items()}
    if isinstance(inputs, tuple):
        return tuple(_cut(part, rows) for part in inputs)
    return inputs[rows]
