"""Counts and score of BLEU of token ids, in `keras.ops`."""

from collections.abc import Iterator, Sequence
from typing import Any

from keras import ops

Tensor = Any  # Keras has no type for the tensors of all backends

_ABSENT = 2**30  # larger than any length or distance


def text_first(
    ids: Tensor, pad_tokens: Sequence[int], end_tokens: Sequence[int]
) -> tuple[Tensor, Tensor]:
    """Removes ids that are not text, and moves the text to the front.

    Args:
        ids: Ids `(..., T)`.
        pad_tokens: Ids to ignore.
        end_tokens: Ids that end a text.
    Returns:
        Ids `(..., T)` with 0 after the text, and lengths `(...)`.
    """
    is_text = ops.ones_like(ids, dtype="bool")
    for token in pad_tokens:
        is_text = ops.logical_and(is_text, ids != token)
    for token in end_tokens:
        ends = ops.cast(ids == token, "int32")
        is_text = ops.logical_and(is_text, ops.cumsum(ends, axis=-1) == 0)
    steps = ops.arange(ops.shape(ids)[-1])
    rank = ops.cumsum(ops.cast(is_text, "int32"), axis=-1) - 1
    moves = ops.where(is_text, rank, -1)[..., None, :] == steps[:, None]
    return ops.sum(ops.where(moves, ids[..., None, :], 0), axis=-1), _count(is_text)


def bleu(counts: Tensor, smoothing: str, value: float | None = None) -> Tensor:
    """BLEU, a scalar: BP exp(mean of log p_n).

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
    # Without any match the score is 0 with every smoothing.
    above_zero = ops.logical_and(
        ops.any(matches > 0), ops.all(ops.logical_and(smoothed > 0, totals > 0))
    )
    precisions = ops.where(above_zero, ops.divide_no_nan(smoothed, totals), 1.0)
    brevity = ops.minimum(1 - reference_length / ops.maximum(length, 1), 0)
    score = ops.exp(brevity + ops.mean(ops.log(precisions)))
    return ops.where(above_zero, score, 0.0)


def segment_counts(
    references: tuple[Tensor, Tensor], hypothesis: tuple[Tensor, Tensor], max_order: int
) -> Tensor:
    """Statistics of each segment, in the order of `metrics.BLEU.statistics`.

    Args:
        references: Ids `(B, R, Tr)` and lengths `(B, R)`.
        hypothesis: Ids `(B, Th)` and lengths `(B,)`.
        max_order: Largest n.
    Returns:
        Integers `(B, 5 + 2 * max_order)`.
    """
    reference_ids, reference_lengths = references
    ids, length = hypothesis
    steps = ops.arange(ops.shape(ids)[-1])
    reference_steps = ops.arange(ops.shape(reference_ids)[-1])
    # Which words of the hypothesis equal which words of a reference, `(B, R, Th, Tr)`.
    found = ids[:, None, :, None] == reference_ids[:, :, None, :]
    is_text = (steps < length[:, None])[:, None, :, None]
    found = ops.logical_and(found, is_text)
    is_text = (reference_steps < reference_lengths[..., None])[:, :, None, :]
    found = ops.logical_and(found, is_text)
    # Which words equal an earlier word of the hypothesis, `(B, Th, Th)`.
    seen = ids[:, :, None] == ids[:, None, :]
    seen = ops.logical_and(seen, steps[:, None] > steps)
    # Clipping: the k-th occurrence of an n-gram counts if a reference has k of them.
    matches = [
        _count(_count(earlier) < ops.max(_count(in_references), axis=1, initial=0))
        for earlier, in_references in zip(
            _equal_ngrams(seen, max_order), _equal_ngrams(found, max_order), strict=True
        )
    ]
    totals = [ops.maximum(length - n, 0) for n in range(max_order)]
    closest = _closest_length(reference_lengths, length)
    present = ops.maximum(_count(reference_lengths > 0), 1)
    shared = [ops.ones_like(length), present, present * present]
    return ops.stack([*shared, length, closest, *matches, *totals], axis=-1)


def _equal_ngrams(words: Tensor, max_order: int) -> Iterator[Tensor]:
    """Which pairs of n-grams are equal, for n = 1, 2, ...

    Two n-grams are equal if their first words are equal, and the (n-1)-grams after
    them.
    """
    ngrams = words
    yield ngrams
    for n in range(1, max_order):
        ngrams = ops.logical_and(words[..., :-n, :-n], ngrams[..., 1:, 1:])
        yield ngrams


def _count(values: Tensor) -> Tensor:
    return ops.sum(ops.cast(values, "int32"), axis=-1)


def _closest_length(lengths: Tensor, length: Tensor) -> Tensor:
    """The reference length that is closest to the hypothesis; of two, the shorter."""
    distance = ops.where(lengths > 0, ops.abs(lengths - length[:, None]), _ABSENT)
    closest = ops.min(distance, axis=1, keepdims=True)
    return ops.min(ops.where(distance == closest, lengths, _ABSENT), axis=1)
