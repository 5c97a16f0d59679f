"""How the arguments of the compiled kernel lie: sizes, states and weights as vectors.

The other side is `src/sizes.h`.
"""

import keras
import numpy as np
from keras import ops

from memnets.cells.feedforward import FeedforwardCell


def controller_cells(controller):
    """The cells of a controller if the kernel computes them; otherwise None.

    It computes LSTM cells as Keras makes them by default, and feedforward cells with
    tanh, and stacks of one of the two.
    """
    stacked = type(controller) is keras.layers.StackedRNNCells
    cells = list(controller.cells) if stacked else [controller]
    if all(_is_lstm(cell) for cell in cells) or all(_is_tanh(cell) for cell in cells):
        return cells
    return None


def _is_lstm(cell):
    return (
        type(cell) is keras.layers.LSTMCell
        and cell.activation is keras.activations.tanh
        and cell.recurrent_activation is keras.activations.sigmoid
        and cell.use_bias
    )


def _is_tanh(cell):
    return (
        type(cell) is FeedforwardCell
        and cell.dense.activation is keras.activations.tanh
    )


def sizes(cell, batch, steps, threads, saves):
    """The vector of sizes, int32.

    Args:
        cell: An `NTMCell`.
        batch: Number of sequences.
        steps: Number of steps.
        threads: Number of threads to use at most.
        saves: Whether the forward pass is to leave what gradients need.
    """
    cells = controller_cells(cell.controller)
    return np.array(
        [
            batch,
            steps,
            cell.memory_size,
            cell.word_size,
            cell.num_read_heads,
            cell.num_write_heads,
            cell.shift_range,
            _is_lstm(cells[0]),
            threads,
            saves,
            len(cells),
            *(inner.units for inner in cells),
        ],
        "int32",
    )


def inputs_and_weights(cell, sequences):
    """What the first cell makes of the inputs, `(B, T, gates)`, and all other weights.

    The inputs do not depend on the state: one matrix product serves all steps.
    """
    cells = controller_cells(cell.controller)
    kernels, biases = zip(*map(_kernels, cells), strict=True)
    features = sequences.shape[-1]
    inputs = ops.matmul(sequences, kernels[0][:features]) + biases[0]
    parts = [kernels[0][features:]]
    for kernel, bias in zip(kernels[1:], biases[1:], strict=True):
        parts += [kernel, bias]
    parts += [cell.heads.kernel, cell.heads.bias]
    return inputs, ops.concatenate([ops.reshape(part, (-1,)) for part in parts])


def _kernels(cell):
    """The matrix for inputs and state of a cell, one above the other, and its bias."""
    if isinstance(cell, FeedforwardCell):
        return ops.convert_to_tensor(cell.dense.kernel), cell.dense.bias
    return ops.concatenate([cell.kernel, cell.recurrent_kernel]), cell.bias
