"""Training steps on PyTorch, recorded once and then run without Keras' Python."""

import collections
import contextlib
import time
import types
from collections.abc import Callable, Hashable, Iterator
from typing import Any

import keras
import torch
from keras import tree
from torch._subclasses import FakeTensor
from torch.fx.experimental.proxy_tensor import make_fx
from torch.utils._python_dispatch import TorchDispatchMode

from ..numerics.tensor_checks import Structure, Tensor

# Heuristic: a step is recorded when batches of its shapes come for this time, since
# recording takes as long as 20 to 50 steps.
RECORDED_AT = 20
# Heuristic: a longer step, in seconds, would take minutes to record, and much memory.
LONGEST = 1.0
# Recorded steps that are kept, as of batches of different lengths.
MOST_PROGRAMS = 32


def record_steps(model: keras.Model, context: Callable[[], Hashable]) -> None:
    """Lets `fit` record the training step of a model, see `RecordedSteps`.

    Args:
        model: A model. One with a training step of its own stays as it is.
        context: What a step depends on beside the model and the batch.
    """
    is_that_of_keras = type(model).train_step is keras.Model.train_step
    if is_that_of_keras and "train_step" not in vars(model):
        steps = RecordedSteps(type(model).train_step, context)
        # In the model, not a subclass: saved files name classes.
        model.train_step = types.MethodType(steps, model)


class RecordedSteps:
    """A training step of Keras that is recorded for each kind of batch, and from then
    on run operation by operation without Keras. The optimizer stays as it is.

    The results are the same, to the last bit. What cannot be recorded, because Python
    looks at a value, as where a seed is drawn, runs as before, and so does a model with
    hooks. Python code that changes no tensor runs only while a step is recorded: record
    models only whose layers, loss and metrics are known to have none that matters.

    Args:
        step: The step of Keras, of a model and a batch.
        context: What it depends on beside these.
    """

    def __init__(
        self,
        step: Callable[[keras.Model, Structure], dict[str, Any]],
        context: Callable[[], Hashable],
    ) -> None:
        self.step = step
        self.context = context
        self._counts: collections.Counter[Hashable] = collections.Counter()
        self._programs: dict[Hashable, _Program | None] = {}
        self._parts: list[Any] = []
        self._hooked: list[torch.nn.Module | torch.nn.Parameter] = []
        self._seconds = 0.0

    def __call__(self, model: keras.Model, data: Structure) -> dict[str, Any]:
        program = self._program(model, data)
        if program is not None:
            return program(model, data)
        began = time.perf_counter()
        logs = self.step(model, data)
        self._seconds = time.perf_counter() - began
        return logs

    def _program(self, model: keras.Model, data: Structure) -> "_Program | None":
        """The recorded step for a batch, if there is one."""
        autocast = any(map(torch.is_autocast_enabled, ("cpu", "cuda")))
        watched = autocast or torch.is_anomaly_enabled()
        if watched or model.run_eagerly or model.jit_compile or not _is_known(data):
            return None
        self._forget_if_changed(model)
        if any(map(_has_hooks, self._hooked)):
            return None
        key = (_kind(data), torch.get_num_threads(), self.context())
        if key not in self._programs:
            self._counts[key] += 1
            if (
                self._counts[key] < RECORDED_AT
                or len(self._programs) >= MOST_PROGRAMS
                or self._seconds > LONGEST
            ):
                return None
            self._programs[key] = _recorded(self.step, model, data)
        return self._programs[key]

    def _forget_if_changed(self, model: keras.Model) -> None:
        """Begins anew where the model was compiled again, or other weights of it are
        trained."""
        parts = [model.optimizer, model._compile_loss, model._compile_metrics]
        parts += [*model._layers, *model.trainable_variables]
        if list(map(id, parts)) != list(map(id, self._parts)):
            self._parts = parts
            # The layers of Keras are modules, but not all are those of the model.
            layers = model._flatten_layers()
            modules = {module for layer in layers for module in layer.modules()}
            self._hooked = [*modules, *model.parameters()]
            self._counts.clear()
            self._programs.clear()


class _Program:
    """A recorded step.

    Args:
        operations: A function of the variables and the tensors of a batch, which
            changes variables, and returns the logs and the gradients.
        variables: The variables.
        weights: Those that have gradients.
    """

    def __init__(
        self,
        operations: Callable[..., tuple[dict, list[Tensor | None]]],
        variables: list[keras.Variable],
        weights: list[keras.Variable],
    ) -> None:
        self.operations = operations
        self.variables = variables
        self.weights = weights

    def __call__(self, model: keras.Model, data: Structure) -> dict[str, Any]:
        values = [variable.value for variable in self.variables]
        with torch.no_grad():
            logs, gradients = self.operations(values, tree.flatten(data))
            for weight, gradient in zip(self.weights, gradients, strict=True):
                weight.value.grad = gradient  # Others may look at it.
            model.optimizer.apply(gradients, self.weights)
        return logs


def _recorded(step: Callable, model: keras.Model, data: Structure) -> _Program | None:
    """All of a step but its optimizer, for batches of this kind; None if it cannot be
    recorded."""
    weights = model.trainable_weights
    groups = (model.variables, model.metrics_variables)
    variables = list({id(v): v for group in groups for v in group}.values())

    def operations(
        values: list[Tensor], tensors: list[Tensor]
    ) -> tuple[dict[str, Any], list[Tensor | None]]:
        with (
            torch.enable_grad(),
            _in_place_of(variables, values),
            _without_update(model.optimizer) as gradients,
            _NoValues(),
        ):
            logs = step(model, tree.pack_sequence_as(data, tensors))
        return logs, gradients

    values = [variable.value.detach() for variable in variables]
    try:
        with torch.no_grad():
            # Fake tensors have no values: who asks for one ends the recording.
            recorded = make_fx(operations, tracing_mode="fake")(
                values, tree.flatten(data)
            )
    except Exception:  # of any layer, loss or metric: the step itself will tell
        return None
    return _Program(recorded.forward, variables, weights)


@contextlib.contextmanager
def _in_place_of(
    variables: list[keras.Variable], values: list[Tensor]
) -> Iterator[None]:
    """Within it, variables have these values, which have gradients where they are
    trained. At its end, the values are what the variables were changed to."""
    leaves = [
        value.detach().requires_grad_(variable.trainable)
        for variable, value in zip(variables, values, strict=True)
    ]
    state = list(zip(variables, leaves, strict=True))
    with keras.StatelessScope(state, collect_losses=True) as scope:
        before = dict(scope.state_mapping)
        yield
    if set(scope.state_mapping) != set(before):
        raise RuntimeError("the step changes a variable that the model lacks")
    after = [scope.state_mapping[id(variable)] for variable in variables]
    changed = [
        (value, new.clone())  # A copy: it may be the old value of another variable.
        for variable, value, new in zip(variables, values, after, strict=True)
        if new is not before[id(variable)]
    ]
    with torch.no_grad():
        for value, new in changed:
            value.copy_(new)


@contextlib.contextmanager
def _without_update(
    optimizer: keras.optimizers.Optimizer,
) -> Iterator[list[Tensor | None]]:
    """Within it, the optimizer changes nothing; yields a list that then gets the
    gradients which it is given."""
    kept: list[Tensor | None] = []

    def apply(gradients: list[Tensor | None], *_: Any) -> None:
        kept.extend(gradients)

    # In the object itself: it would track what is set.
    before = {name: own for name, own in vars(optimizer).items() if name == "apply"}
    vars(optimizer)["apply"] = apply
    try:
        yield kept
    finally:
        del vars(optimizer)["apply"]
        vars(optimizer).update(before)


class _NoValues(TorchDispatchMode):
    """Within it, to ask for the value of a tensor is an error, unless the step itself
    has made it of numbers in Python: others may have another value at the next step."""

    def __torch_dispatch__(
        self, func: Any, types: Any, args: tuple = (), kwargs: dict | None = None
    ) -> Any:
        asks = func is torch.ops.aten._local_scalar_dense.default
        if asks and not isinstance(args[0], FakeTensor):
            raise RuntimeError("Python looks at the value of a tensor")
        return func(*args, **(kwargs or {}))


# Where modules and tensors of PyTorch keep functions of their users.
HOOKS = (
    *("_forward_pre_hooks", "_forward_hooks", "_backward_pre_hooks", "_backward_hooks"),
    "_post_accumulate_grad_hooks",
)


def _has_hooks(part: torch.nn.Module | torch.nn.Parameter) -> bool:
    """Whether a user's function runs when a module is called, or a gradient is made."""
    return any(getattr(part, name, None) for name in HOOKS)


def _is_known(data: Structure) -> bool:
    """Whether a batch is of tensors, as `fit` makes them, and None."""
    return all(isinstance(leaf, torch.Tensor | None) for leaf in tree.flatten(data))


def _kind(data: Structure) -> Hashable:
    """What batches must have in common for the same operations."""
    if isinstance(data, torch.Tensor):
        return data.shape, data.stride(), data.dtype, data.device
    if isinstance(data, dict):
        return tuple((name, _kind(part)) for name, part in data.items())
    return None if data is None else tuple(map(_kind, data))
