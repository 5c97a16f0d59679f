"""What a tape does in one step, as pure functions.

A tape is a ring of cells. Row 0 is the cell under the head, so that a move of the head
turns the ring: where the head moves right, all cells move left by one row. What the
head leaves at one end comes back at the other.

A network draws no move. It weighs all of them by their probabilities, and the tape is
the mean over what each of them would leave behind.

Letters: `B` batch, `N` cells, `W` components of a word, `A` moves.

Reference:
    Delétang, Ruoss et al. (2023), Neural Networks and the Chomsky Hierarchy,
    arXiv:2207.02098, appendix, and its public code.
"""

from keras import ops

from ..numerics.tensor_checks import Tensor
from ..numerics.top_k import first_largest, take_places

# The moves of the head, in the order of their probabilities. By the input's length:
# the last two, which are optional.
MOVES = ("stay", "left", "right", "jump left", "jump right")
# Of each move the one that goes back.
BACK = (0, 2, 1, 4, 3)


def write(tape: Tensor, word: Tensor) -> Tensor:
    """Replaces the cell under the head.

    Args:
        tape: `(B, N, W)`.
        word: `(B, 1, W)`.
    """
    return ops.concatenate([word, tape[:, 1:]], axis=1)


def move(tape: Tensor, moves: Tensor, length: Tensor | None = None) -> Tensor:
    """Moves the head.

    Args:
        tape: `(B, N, W)`.
        moves: `(B, A)`, the probabilities of `MOVES`: three, or five with jumps.
        length: `(B, 1)`, how far a jump goes. None where there are three moves.
    Returns:
        The tape after the move, `(B, N, W)`.
    Example:
        >>> tape = np.array([[[1.0], [2.0], [3.0]]])
        >>> right = np.array([[0.0, 0.0, 1.0]])
        >>> [float(word) for word in move(tape, right)[0, :, 0]]
        [2.0, 3.0, 1.0]
    """
    left = ops.concatenate([tape[:, -1:], tape[:, :-1]], axis=1)
    right = ops.concatenate([tape[:, 1:], tape[:, :1]], axis=1)
    results = [tape, left, right]
    if length is not None:
        size = tape.shape[1]
        ahead = ops.mod(ops.cast(length, "int32"), size)
        # Not negative: onnxruntime has other remainders of such numbers.
        results += [_jumped(tape, size - ahead), _jumped(tape, ahead)]
    shares = ops.unstack(moves[..., None, None], num=len(results), axis=1)
    return sum(share * moved for share, moved in zip(shares, results, strict=True))


def move_head(head: Tensor, moves: Tensor, length: Tensor | None = None) -> Tensor:
    """Where the head is after a move.

    Args:
        head: `(B, N)`, the probability of each place of the tape before it.
        moves: As for `move`.
        length: As for `move`.
    Returns:
        `(B, N)`. Place and move are taken as independent.
    """
    back = ops.stack([moves[:, index] for index in BACK[: moves.shape[1]]], axis=1)
    # Beside a head that moves right, the places move left.
    return move(head[..., None], back, length)[..., 0]


def rounded(moves: Tensor) -> Tensor:
    """The most probable move gets 1 and the others 0; it has no gradient.

    Args:
        moves: `(..., A)`.
    """
    _, best = first_largest(moves)
    return ops.one_hot(best, moves.shape[-1], dtype=moves.dtype)


def _jumped(tape: Tensor, length: Tensor) -> Tensor:
    """The tape after the head has moved right by `length` `(B, 1)` cells."""
    size = tape.shape[1]
    places = ops.arange(size, dtype="int32") + length
    return take_places(tape, ops.mod(places, size))
