"""The penalty of Pascanu et al. on gradients that fade or grow in a step."""

import keras
from keras import ops

from ..numerics.tensor_checks import Structure, Tensor
from .jacobian import step_gains
from .steps import recurrent_layer, state_gradients


def information_flow(
    model: keras.Model,
    layer: keras.layers.Layer | str,
    x: Structure,
    y: Structure,
    sample_weight: Structure = None,
) -> Tensor:
    """Sum over the steps of (|d_t J_t| / |d_t| - 1)^2, averaged over the sequences.

    d_t is the gradient of the model's loss with respect to the state s_t of the layer,
    J_t the derivative of s_t by s_(t-1). The penalty is zero if a gradient keeps its
    norm on its way back. For its own gradient, d_t, s_(t-1) and the inputs of the layer
    are constants: only the weights of the layer's cell get one.

    Deviation: s_t is computed from them once more, so that the slopes at s_t depend on
    the weights, where the paper's immediate derivative takes all states as constants.
    In this form the penalty is defined for every cell.

    Add it to the loss of training, together with `global_clipnorm`: it keeps a network
    at the edge of exploding gradients. It costs two more runs of the model forward and
    one back. Steps without a gradient do not count.

    Args:
        model: A compiled model; its loss is `keras.Model.compute_loss`.
        layer: A recurrent layer of it, or the layer's name.
        x, y, sample_weight: A batch, as for `keras.Model.fit`.
    Returns:
        A scalar tensor.
    Raises:
        ValueError: If the model is not compiled, the layer is unknown or not recurrent,
            or the arrays do not fit together.
    Reference:
        Pascanu, Mikolov, Bengio (2013), On the Difficulty of Training Recurrent Neural
        Networks, arXiv:1211.5063, section 3.3; Goodfellow, Bengio, Courville, Deep
        Learning, eq. 10.16 of the draft.
    Example:
        >>> model = keras.Sequential([keras.layers.SimpleRNN(4), keras.layers.Dense(1)])
        >>> model.compile(loss="mse")
        >>> x, y = np.ones((2, 5, 3)), np.ones((2, 1))
        >>> float(information_flow(model, model.layers[0], x, y)) > 0
        True
    """
    layer = recurrent_layer(model, layer)
    steps, gradients = state_gradients(model, layer, x, y, sample_weight)
    gains, counts = step_gains(layer.cell, steps, gradients)
    terms = ops.where(counts, (gains - 1) ** 2, ops.zeros_like(gains))  # eq. 10.16
    return ops.mean(ops.sum(terms, axis=1))
