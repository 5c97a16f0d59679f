"""Which layers treat each step of a sequence by itself."""

import math
from typing import Any

import keras
from keras import layers, tree

from ..numerics.tensor_checks import Shape

# Layers of Keras whose output at a step depends on that step alone, unless an axis of
# theirs is that of the steps.
BY_STEP = (
    *(layers.Activation, layers.ELU, layers.LeakyReLU, layers.PReLU, layers.ReLU),
    *(layers.Softmax, layers.Dense, layers.EinsumDense, layers.Embedding),
    *(layers.Identity, layers.InputLayer, layers.Lambda, layers.Masking),
    *(layers.Add, layers.Average, layers.Maximum, layers.Minimum, layers.Multiply),
    *(layers.Subtract, layers.Concatenate, layers.ActivityRegularization),
    *(layers.Dropout, layers.AlphaDropout, layers.GaussianDropout),
    *(layers.GaussianNoise, layers.SpatialDropout1D, layers.BatchNormalization),
    *(layers.LayerNormalization, layers.RMSNormalization, layers.UnitNormalization),
    *(layers.Normalization, layers.Rescaling, layers.Discretization),
    *(layers.Hashing, layers.CategoryEncoding, layers.IntegerLookup),
    *(layers.StringLookup, layers.TimeDistributed),
)
CONVOLUTIONS = (
    *(layers.Conv1D, layers.Conv1DTranspose),
    *(layers.DepthwiseConv1D, layers.SeparableConv1D),
)


def mixing_layer(layer: keras.layers.Layer) -> keras.layers.Layer | None:
    """The layer, or the one inside it, whose output at a step depends on other steps.

    A layer that is not of Keras is trusted, unless its `mixes_steps` is true.

    Args:
        layer: A layer of a functional or sequential model that is not recurrent.
    Returns:
        The layer; None if there is none.
    """
    if isinstance(layer, keras.Model):
        inner = (mixing_layer(each) for each in getattr(layer, "layers", []))
        return next(filter(None, inner), None)
    if isinstance(layer, layers.SpectralNormalization):
        return mixing_layer(layer.layer)
    if getattr(layer, "mixes_steps", False):
        return layer
    if not type(layer).__module__.startswith("keras."):
        return None
    return None if _is_by_step(layer) else layer


def _is_by_step(layer: keras.layers.Layer) -> bool:
    inputs, outputs = (
        [tuple(each.shape) for each in tree.flatten(tensors)]
        for tensors in (layer.input, layer.output)
    )
    if all(len(shape) < 3 for shape in inputs):
        return True  # numbers of one step, or one number a step
    if isinstance(layer, CONVOLUTIONS):
        return {1} == {*layer.kernel_size, *tree.flatten(layer.strides)}
    if isinstance(layer, layers.Reshape):
        return math.prod(inputs[0][2:]) == math.prod(outputs[0][2:])
    if isinstance(layer, layers.Permute):
        return layer.dims[0] == 1
    return isinstance(layer, BY_STEP) and not _is_along_steps(layer, inputs[0])


def _is_along_steps(layer: Any, shape: Shape) -> bool:
    """Whether the axis of a layer is that of the steps."""
    axes = tree.flatten(getattr(layer, "axis", None) or [])
    return any(axis % len(shape) == 1 for axis in axes if axis is not None)
