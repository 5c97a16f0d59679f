"""TokenBLEU: BLEU of token ids, computed in the graph while a Keras model trains."""

from collections.abc import Sequence
from typing import Any

import keras
import numpy as np
from keras import ops

from ..base import naming_arguments
from ..bleu.bleu import BLEU, BLEUScore
from ..bleu.smoothing import DEFAULT_VALUES
from ..checks import check_choice, check_integer, shorten
from .token_counts import bleu, segment_counts, text_first

Tensor = Any  # Keras has no type for the tensors of all backends

# A count is stored as two integers, `high * BASE + low`, because JAX has 32 bits only.
# Both are below 2^24, so they are exact in float32 and their sums do not overflow.
BASE = 2**24


@keras.saving.register_keras_serializable("memnets")
class TokenBLEU(keras.metrics.Metric):
    """Corpus BLEU of token ids, computed in the graph.

    It equals `metrics.BLEU` of the same ids as words, in float32. `score` returns all
    digits. With teacher forcing (the model reads the reference) it tells how training
    goes, not how well the model generates text. `GenerationMetrics` tells that.

    Ignored ids are removed at every position before n-grams are counted. Text ends
    before the end token. Only ids decide what is text, not the masks of layers.
    A reference without text is ignored if the segment has another one.

    Counts are integers and exact up to 2^53 words. On JAX ids must fit 32 bits. The
    memory of a batch grows as `B (Th + R Tr) (Th + Tr)`, where Th and Tr are the padded
    lengths of hypothesis and references, and R is the number of references. This is
    meant for sentences, not for documents of thousands of words.

    Args:
        max_order: Largest n, at most 100.
        smoothing: `"none"`, `"floor"`, `"add-k"` or `"exp"`, as in `metrics.BLEU`.
        smoothing_value: As in `metrics.BLEU`.
        pad_token: The id to ignore, or a list of ids. `None` means none.
        end_token: The id that ends a text, or a list of ids. `None` means none.
        name: Name in the logs.
        dtype: Type of the result.
    Call arguments:
        y_true: Ids `(B, Tr)`, or integers `(B, R, Tr)` for several references.
        y_pred: Integer ids `(B, Th)`, or logits or probabilities `(B, Th, V)`.
        sample_weight: `(B,)` or `(B, 1)`. Segments of weight 0 are left out, the others
            count once.
    Raises:
        ValueError: If an argument is out of its range. When the graph is traced: if ids
            or weights have a wrong type or shape.
        TypeError: When the graph is traced: if ids or weights are not numbers.
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

    @naming_arguments
    def __init__(
        self,
        max_order: int = 4,
        smoothing: str = "exp",
        smoothing_value: float | None = None,
        pad_token: int | Sequence[int] | None = 0,
        end_token: int | Sequence[int] | None = None,
        name: str = "token_bleu",
        dtype: Any = None,
    ) -> None:
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
        self._direction = "up"  # tells Keras' callbacks that a higher value is better
        # "int" as in Keras' own counters: int64 on TensorFlow, int32 elsewhere.
        size = 2 * max_order + 5
        self.low = self.add_variable((size,), "zeros", dtype="int", name="low")
        self.high = self.add_variable((size,), "zeros", dtype="int", name="high")

    def update_state(
        self, y_true: Tensor, y_pred: Tensor, sample_weight: Tensor | None = None
    ) -> None:
        """Adds the counts of a batch."""
        references, hypothesis = _checked_ids(y_true, y_pred)
        if sample_weight is not None:
            sample_weight = _checked_weights(sample_weight, hypothesis.shape[0])
        counts = segment_counts(
            text_first(references, self.pad_tokens, self.end_tokens),
            text_first(hypothesis, self.pad_tokens, self.end_tokens),
            self.max_order,
        )
        if sample_weight is not None:
            counted = ops.cast(sample_weight, "bool")[:, None]
            counts = ops.where(counted, counts, 0)
        low = self.low + ops.cast(ops.sum(counts, axis=0), self.low.dtype)
        carry = low // BASE
        self.high.assign(self.high + carry)
        self.low.assign(low - carry * BASE)

    def result(self) -> Tensor:
        """BLEU of the segments so far, a scalar."""
        # Counts do not fit in float16.
        dtype = keras.backend.result_type(self.dtype, "float32")
        counts = ops.cast(self.high, dtype) * BASE + ops.cast(self.low, dtype)
        value = self.smoothing_value or DEFAULT_VALUES.get(self.smoothing)
        return ops.cast(bleu(counts[3:], self.smoothing, value), self.dtype)

    def statistics(self) -> np.ndarray:
        """The counts so far, as of `BLEU.statistics`. Not for use in a graph."""
        high, low = (np.array(ops.convert_to_numpy(v)) for v in (self.high, self.low))
        return high.astype(float) * BASE + low

    def score(self) -> BLEUScore:
        """Score and signature of the segments so far, in float64. Not for use in a
        graph.

        Raises:
            ValueError: If there are no segments.
        """
        return self.bleu.score_from(self.statistics())

    def get_config(self) -> dict[str, Any]:
        """The arguments of the constructor."""
        return {
            **super().get_config(),
            "max_order": self.max_order,
            "smoothing": self.smoothing,
            "smoothing_value": self.smoothing_value,
            "pad_token": list(self.pad_tokens),
            "end_token": list(self.end_tokens),
        }


def _ids(name: str, value: Any) -> tuple[int, ...]:
    """The ids of an argument that is an id, a list of ids, or `None` for none."""
    if value is None:
        return ()
    ids = value if isinstance(value, list | tuple) else (value,)
    return tuple(check_integer(name, token, -(2**31), 2**31 - 1) for token in ids)


def _tensor(name: str, value: Any, *other_dtypes: str) -> Tensor:
    """Converts an argument to a tensor of numbers, or of another given type."""
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


def _checked_ids(y_true: Any, y_pred: Any) -> tuple[Tensor, Tensor]:
    """References `(B, R, Tr)` and hypothesis `(B, Th)`."""
    y_true, y_pred = _tensor("y_true", y_true), _tensor("y_pred", y_pred)
    # Real ids (B, T) are accepted, as in Keras' own metrics, and because
    # MirroredStrategy builds a model with averages of ids. Real (B, T, V) would be
    # one-hot vectors.
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


def _checked_weights(weights: Any, size: int | None) -> Tensor:
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


def _is_integer(tensor: Tensor) -> bool:
    return keras.backend.is_int_dtype(tensor.dtype)


def _described(tensor: Tensor) -> str:
    return f"{keras.backend.standardize_dtype(tensor.dtype)} {tuple(tensor.shape)}"
