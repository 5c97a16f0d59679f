"""Reading from and writing to the memory of a Neural Turing Machine.

Pure functions of tensors; shape letters as in `memnets.addressing`.

Reference:
    Graves, Wayne, Danihelka (2014), Neural Turing Machines, arXiv:1410.5401, sections
    3.1 and 3.2.
"""

from keras import ops

from ..numerics.tensor_checks import Tensor, check_rank
from .addressing import check_row_axis


def read(memory: Tensor, weighting: Tensor, *, row_axis: int = 1) -> Tensor:
    """Average of the memory rows under each weighting.

    Args:
        memory: Tensor `(B, N, W)`, or `(B, W, N)` with `row_axis=2`.
        weighting: Weighting `(B, R, N)` of the read heads.
        row_axis: Axis of `memory` that counts its rows, see
            `addressing.cosine_similarity`.
    Returns:
        Read vectors `(B, R, W)`.
    Raises:
        ValueError: If a tensor does not have three axes, or `row_axis` is not 1 or 2.
    """
    check_rank(3, memory=memory, weighting=weighting)
    check_row_axis(row_axis)
    return ops.einsum(
        "brn,bnw->brw" if row_axis == 1 else "brn,bwn->brw", weighting, memory
    )  # eq. 2


def write(
    memory: Tensor, weighting: Tensor, erase: Tensor, add: Tensor, *, row_axis: int = 1
) -> Tensor:
    """Erases, then adds, under the weightings. All heads erase before any head adds.

    Args:
        memory: Tensor `(B, N, W)`, or `(B, W, N)` with `row_axis=2`.
        weighting: Weighting `(B, H, N)` of the write heads.
        erase: Tensor `(B, H, W)` in [0, 1]; 1 clears the component in the rows that
            have all the attention.
        add: Tensor `(B, H, W)`.
        row_axis: Axis of `memory` that counts its rows, see
            `addressing.cosine_similarity`.
    Returns:
        The new memory, of the same shape.
    Raises:
        ValueError: If a tensor does not have three axes, or `row_axis` is not 1 or 2.
    Example:
        >>> second_row = np.array([[[0.0, 1.0]]])
        >>> erase, add = np.ones((1, 1, 3)), np.array([[[7.0, 8.0, 9.0]]])
        >>> memory = write(np.ones((1, 2, 3)), second_row, erase, add)
        >>> [float(component) for component in memory[0, 1]]
        [7.0, 8.0, 9.0]
    """
    check_rank(3, memory=memory, weighting=weighting, erase=erase, add=add)
    check_row_axis(row_axis)
    memory, weighting, erase = map(ops.convert_to_tensor, (memory, weighting, erase))
    # Head by head: the gradient of a product along an axis divides by its factors,
    # which may be 0.
    for head in range(erase.shape[1]):
        rows = ops.expand_dims(weighting[:, head], 3 - row_axis)
        components = ops.expand_dims(erase[:, head], row_axis)
        memory = memory * (1.0 - rows * components)  # eq. 3
    return accumulate(memory, weighting, add, row_axis=row_axis)


def accumulate(
    memory: Tensor, weighting: Tensor, add: Tensor, *, row_axis: int = 1
) -> Tensor:
    """Adds a vector of each head under its weighting; nothing is erased.

    Args:
        memory: Tensor `(B, N, W)`, or `(B, W, N)` with `row_axis=2`.
        weighting: Weighting `(B, H, N)` of the write heads.
        add: Tensor `(B, H, W)`.
        row_axis: Axis of `memory` that counts its rows, see
            `addressing.cosine_similarity`.
    Returns:
        The new memory, of the same shape.
    Raises:
        ValueError: If a tensor does not have three axes, or `row_axis` is not 1 or 2.
    """
    check_rank(3, memory=memory, weighting=weighting, add=add)
    check_row_axis(row_axis)
    return memory + ops.einsum(
        "bhn,bhw->bnw" if row_axis == 1 else "bhn,bhw->bwn", weighting, add
    )  # eq. 4
