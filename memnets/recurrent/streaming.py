"""A recurrent model that is called piece by piece and carries its state."""

from collections.abc import Callable, Collection, Sequence
from typing import Any

import keras
import numpy as np
from keras import tree

from ..cells.states import packed_states
from ..checks import check_integer, shorten
from ..numerics.tensor_checks import Structure, Tensor, check_states, check_tensor
from .step_layers import mixing_layer

# The arguments of a call of a recurrent layer, in their order.
ARGUMENTS = ("sequences", "initial_state", "mask", "training")


class StreamingModel:
    """A recurrent Keras model that carries its state from call to call.

    Pieces of a sequence, one after another, have the outputs that the whole sequence
    would have in one call: to read a text that is too long for one call, or to feed a
    model with what it has put out. States are arrays, so that they can be kept, copied
    and chosen from.

    Masked steps leave the states as they are, and have the output of the step before.
    At the beginning of a piece there is none: there TensorFlow gives zeros, as for
    layers of Keras. Take the outputs of a sequence from the piece in which it ends.

    Args:
        model: A functional or sequential Keras model with one input and one output. Its
            recurrent layers are Keras', `MemoryRNN`, `StackedLSTM`, or one with a
            memory: `NTM`, `DNC`, `LRUA`, `SAM`, `StackRNN`, `TapeRNN`, `FastWeights`.
            All others must treat each step by itself, as `Dense` does. Layers of your
            own are trusted to do so. The weights are copied: after further training,
            make another.
    Raises:
        TypeError: If it is no such model.
        ValueError: If it has no recurrent layer, or one whose state cannot be carried:
            that reads backwards or in both directions, is stateful, is called twice or
            with an initial state, or lies inside another layer; or if it has a layer of
            Keras that does not treat each step by itself, such as a convolution over
            steps.
    Example:
        >>> inputs = keras.Input((None, 2))
        >>> outputs = keras.layers.GRU(3, return_sequences=True)(inputs)
        >>> stream = StreamingModel(keras.Model(inputs, outputs))
        >>> states = stream.initial_states(1)
        >>> outputs, states = stream.advance(np.zeros((1, 4, 2)), states)
        >>> outputs.shape, [state.shape for state in states]
        ((1, 4, 3), [(1, 3)])
    """

    def __init__(self, model: Any) -> None:
        layers = recurrent_layers(model)
        # A sequential model has a graph too.
        (inputs,), (outputs,) = model.inputs, model.outputs
        self._model = _with_states(inputs, outputs, layers)
        self._layers = [self._model.get_layer(layer.name) for layer in layers]

    def initial_states(self, batch_size: int) -> list[np.ndarray]:
        """The states before the first piece, each `(B, size)`.

        Raises:
            ValueError: If `batch_size` is not a positive integer.
        """
        check_integer("batch_size", batch_size)
        return [
            keras.ops.convert_to_numpy(state)
            for layer in self._layers
            for state in tree.flatten(layer.get_initial_state(batch_size))
        ]

    def advance(
        self, inputs: np.ndarray, states: list[np.ndarray]
    ) -> tuple[np.ndarray, list[np.ndarray]]:
        """Reads the next piece. Each new shape is compiled.

        Args:
            inputs: The piece, `(B, T, ...)`.
            states: Those of `initial_states`, or after the piece before.
        Returns:
            The outputs of the model and the states after the piece.
        Raises:
            TypeError: If one of them is not an array of numbers.
            ValueError: If one has another shape, or there is no step.
        """
        self._check(inputs, states)
        outputs, *after = self._model.predict_on_batch([inputs, *states])
        return outputs, after

    def _check(self, inputs: np.ndarray, states: list[np.ndarray]) -> None:
        own, *_ = self._model.inputs
        axes = ["B", "T", *(f"axis {n}" for n in range(2, len(own.shape)))]
        shape = [size or axis for size, axis in zip(own.shape, axes, strict=True)]
        check_tensor("inputs", inputs, tuple(shape))
        if 0 in inputs.shape:
            raise ValueError(
                "`inputs` must have at least one sequence and one step. Received: "
                f"inputs of shape {tuple(inputs.shape)}"
            )
        if states is None:
            raise TypeError(
                "`states` must be those of `initial_states(batch_size)`, or after the "
                "piece before. Received: states=None"
            )
        sizes = [layer.state_size for layer in self._layers]
        check_states("states", states, len(inputs), sizes)


def recurrent_layers(model: keras.Model) -> list[keras.layers.RNN]:
    """The recurrent layers of a model whose states can be carried from call to call.

    Raises:
        TypeError, ValueError: As `StreamingModel`.
    """
    _check_model(model)
    for layer in model.layers:
        _check_layer(layer)
    layers = list(filter(_has_state, model.layers))
    if not layers:
        raise ValueError("`model` must have a recurrent layer. Received none.")
    return layers


def _check_model(model: keras.Model) -> None:
    parts: list[Any] = [getattr(model, "inputs", None), getattr(model, "outputs", None)]
    if not isinstance(model, keras.Model) or not all(parts):
        raise TypeError(
            "`model` must be a functional or sequential Keras model. "
            f"Received: model={shorten(model)}"
        )
    if any(len(part) != 1 for part in parts):
        raise TypeError(
            "`model` must have one input and one output. "
            f"Received: {len(parts[0])} and {len(parts[1])}"
        )


def _has_state(layer: keras.layers.Layer) -> bool:
    """Whether a layer returns a state and begins with one."""
    return hasattr(layer, "return_state") and hasattr(layer, "get_initial_state")


def _check_layer(layer: keras.layers.Layer) -> None:
    if _has_state(layer):
        backwards = getattr(layer, "go_backwards", False)
        stateful = getattr(layer, "stateful", False)
        has_vectors = all(size > 0 for size in tree.flatten(layer.state_size))
        fits = not backwards and not stateful and has_vectors and _is_called_once(layer)
    else:
        inside: list[Any] = getattr(layer, "_flatten_layers", lambda: [])()
        fits = not any(isinstance(each, keras.layers.RNN) for each in inside)
    if not fits:
        raise ValueError(
            "`model` must have recurrent layers whose state can be carried: called "
            "once, without an initial state, forwards, not stateful, with vectors as "
            "states, and not inside another layer. "
            f"Received: {type(layer).__name__} {layer.name!r}"
        )
    if not _has_state(layer) and (mixing := mixing_layer(layer)):
        raise ValueError(
            "`model` must treat each step by itself but for its recurrent layers. "
            f"Received: {type(mixing).__name__} {mixing.name!r}, which would see the "
            "steps of one piece only"
        )


def _is_called_once(layer: keras.layers.Layer) -> bool:
    """Whether a layer is called once, and then begins with its own state."""
    if len(layer._inbound_nodes) != 1:
        return False
    call = layer._inbound_nodes[0].arguments
    return _named_arguments(call.args, call.kwargs).get("initial_state") is None


def _named_arguments(args: Sequence[Any], kwargs: dict[str, Any]) -> dict[str, Any]:
    """The arguments of a call of a recurrent layer by their names."""
    return {**dict(zip(ARGUMENTS, args, strict=False)), **kwargs}


def _with_states(
    inputs: Tensor, outputs: Tensor, layers: list[keras.layers.RNN]
) -> keras.Model:
    """The model between two tensors with further inputs and outputs: the states before
    and after."""
    before = {layer.name: _state_inputs(layer) for layer in layers}
    returning = {layer.name for layer in layers if layer.return_state}
    after = {}

    def call(layer: keras.layers.RNN, **arguments: Any) -> Structure:
        arguments["initial_state"] = before[layer.name]
        outputs = layer(arguments.pop("sequences"), **arguments)
        after[layer.name] = outputs[1:]
        return outputs if layer.name in returning else outputs[0]

    tensors = [inputs, *tree.flatten(list(before.values()))]
    # The states before must be inputs of the graph that is copied.
    graph = keras.Model(tensors, outputs)
    model = copy_model(graph, tensors, before.keys(), {"return_state": True}, call)
    results = [*model.outputs, *tree.flatten([after[layer.name] for layer in layers])]
    return keras.Model(model.inputs, results)


def copy_model(
    graph: keras.Model,
    tensors: list[Any],
    names: Collection[str],
    options: dict[str, Any],
    call: Callable[..., Any],
) -> keras.Model:
    """A copy of a model, with its weights, whose recurrent layers have other options.

    Args:
        graph: A functional Keras model.
        tensors: The inputs of the copy, in the order of those of `graph`.
        names: Names of the recurrent layers.
        options: What changes in the configuration of these.
        call: Calls the copy of one of these: `call(layer, sequences=..., ...)`.
    """
    copies = []

    def copy(layer: keras.Operation) -> keras.Operation:
        if not isinstance(layer, keras.layers.Layer):
            return layer  # an operation has no weights
        changed = options if layer.name in names else {}
        copies.append((layer, type(layer).from_config(layer.get_config() | changed)))
        return copies[-1][1]

    def call_copy(layer: keras.Operation, *args: Any, **kwargs: Any) -> Structure:
        if layer.name not in names:
            return layer(*args, **kwargs)
        arguments = _named_arguments(args, kwargs)
        if arguments.get("mask") is None:
            # Keras looks for a mask only of a layer that is called with one tensor, and
            # a graph keeps it only where nothing was cast. States are further tensors.
            arguments["mask"] = getattr(arguments["sequences"], "_keras_mask", None)
        return call(layer, **arguments)

    model = keras.models.clone_model(
        graph, input_tensors=tensors, clone_function=copy, call_function=call_copy
    )
    for layer, own in copies:
        own.set_weights(layer.get_weights())
    return model


def _state_inputs(layer: keras.layers.RNN) -> list[Structure]:
    """An input for each state of a layer, in their structure. They have names of their
    own: the automatic ones of a model that was loaded may be given a second time."""
    tensors = [
        keras.Input((size,), dtype=layer.compute_dtype, name=f"{layer.name}_state_{i}")
        for i, size in enumerate(tree.flatten(layer.state_size))
    ]
    return packed_states(layer, tensors)
