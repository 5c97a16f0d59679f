"""What a backend can do in a way of its own."""

import contextlib
from collections.abc import Callable, Hashable, Sequence
from typing import Any

import keras
import numpy as np
from keras import ops

from ..numerics.tensor_checks import Structure, Tensor


class Backend:
    """A backend on which all that has a portable form has that form. A subclass is made
    known in `CLASSES` of `memnets.backends`.

    Attributes:
        zero_before_first_step: Whether the output of Keras' recurrent layers is zero at
            masked steps before the first one that is not masked. If not, it is the
            output in the initial state.
        has_xla: Whether training steps can be compiled by XLA, and several of them run
            in one call.
        runs_eagerly: Whether every operation runs when it is called, also in training.
        compiles_decoding: Whether a model that writes is compiled by XLA.
        lists_devices: Whether `keras.distribution.list_devices` works.
    """

    zero_before_first_step = False
    has_xla = True
    runs_eagerly = False
    compiles_decoding = False
    lists_devices = False

    def device_kind(self) -> str:
        """The kind of device that is computed on, as "CPU" or "GPU"; "CPU" also where
        it is not known."""
        if not self.lists_devices:
            return "CPU"
        return keras.distribution.list_devices()[0].partition(":")[0].upper()

    def trains_faster_with_xla(self) -> bool:
        """Whether XLA makes the training of any network faster on this machine."""
        return True

    def of_one_batch(
        self, sequences: Tensor, states: Structure, mask: Tensor | None
    ) -> tuple[Tensor, Structure, Tensor | None]:
        """The sequences, the states and the mask. It is an error if they have other
        batch sizes, also where a graph is made that does not know these sizes yet.

        Args:
            sequences: Tensor `(B, T, features)`.
            states: A structure of tensors `(B, size)`, checked where B is known.
            mask: Boolean tensor `(B, T)`, or None.
        """
        return sequences, states, mask  # All sizes are known.

    def name_weights(self, layer: keras.layers.Layer) -> None:
        """Gives the weights of a layer names that do not depend on other layers, where
        another library than Keras looks at them."""

    def record_steps(self, model: keras.Model, context: Callable[[], Hashable]) -> None:
        """Lets `fit` record the training step of a model, where Keras would run it in
        Python each time.

        Args:
            model: A model; it is changed.
            context: What a step depends on beside the model and the batch.
        """

    def own_precision(self) -> contextlib.AbstractContextManager:
        """Within it, layers compute in their own data types, whatever the backend has
        been told of all operations."""
        return contextlib.nullcontext()

    def fit_data(
        self, data: keras.utils.PyDataset, others: Sequence[tuple] = ()
    ) -> Any:
        """What `fit` reads batches from, so that no epoch waits for another thing.

        Args:
            data: Batches.
            others: Further batches. An axis whose length varies has another one in one
                of them, or in the second batch of the data, than in the first.
        """
        return data

    def random_state(self) -> list[np.ndarray]:
        """The state of the random generators of the whole process from which layers
        draw; nothing if each layer has one of its own."""
        return []

    def set_random_state(self, state: list[np.ndarray]) -> None:
        """Sets what `random_state` returned."""

    def compiled(self, function: Callable) -> Callable:
        """`function` as one compiled call, where single operations cost more.

        Args:
            function: Takes tensors of known shapes, and returns a structure of tensors
                in which None may stand; makes no variables and assigns none.
        """
        return function

    def without_warning_of_many(self, function: Callable) -> None:
        """Marks a compiled function of a Keras model as one of several on purpose,
        where the backend would warn of so many."""

    def recomputed(self, function: Callable) -> Callable:
        """`function`, whose intermediate results are recomputed in the backward pass.
        It may be differentiated again.

        Args:
            function: Takes tensors, and returns a list of tensors; has no variables.
        """
        return keras.remat(function)

    def fori_loop(
        self,
        count: int | Tensor,
        step: Callable[[Tensor, Structure], Structure],
        value: Structure,
    ) -> Structure:
        """What `value` becomes in a number of steps, in a loop whose body is compiled
        once and that has a gradient.

        Args:
            count: Number of steps; on TensorFlow also a scalar tensor.
            step: Takes the number of the step, from 0, and the value; returns the next
                value, of the same shapes and types.
            value: A tensor, or a tuple of tensors.
        Returns:
            The value after the last step.
        """
        if isinstance(count, int) and count == 0:
            return value  # A loop without steps would still be traced, on nothing.
        # A `scan` has no bound on TensorFlow, without which XLA finds no gradient; nor
        # does it with a bound of 0.
        _, value = ops.while_loop(
            lambda index, _: index < count,
            lambda index, value: (index + 1, step(index, value)),
            (0, value),
            maximum_iterations=ops.maximum(count, 1),
        )
        return value

    def repeat_row(self, tensor: Tensor, count: int | Tensor) -> Tensor:
        """`(1, ...)`, repeated to `(count, ...)`."""
        return ops.repeat(tensor, count, axis=0)

    def top_k(self, values: Tensor, count: int) -> tuple[Tensor, Tensor]:
        """As `ops.top_k`; of equal numbers the first comes first.

        Args:
            values: `(..., N)`.
            count: How many.
        Returns:
            The largest values and their places, `(..., count)`.
        """
        return ops.top_k(values, count)

    def split(self, tensor: Tensor, ends: Sequence[int], axis: int) -> list[Tensor]:
        """The parts of a tensor along an axis.

        Args:
            tensor: The tensor.
            ends: Where each part but the last ends.
            axis: The axis.
        """
        return ops.split(tensor, list(ends), axis=axis)

    def scatter(
        self, indices: Tensor, values: Tensor, shape: tuple[int | Tensor, ...]
    ) -> Tensor:
        """Values at places of a tensor that is zero elsewhere; those of one place are
        added. As `ops.scatter`.

        Args:
            indices: `(..., K)`, places along the first K axes.
            values: `(..., *shape[K:])`.
            shape: Of the result.
        """
        return ops.scatter(indices, values, shape)

    def scatter_max(self, values: Tensor, places: Tensor, others: Tensor) -> Tensor:
        """A vector, where at each place that is named the largest number stands of what
        is there and of the others of that place. Has no gradient.

        Args:
            values: `(N,)`.
            places: `(M,)`, from 0 to N - 1.
            others: `(M,)`.
        """
        return ops.scatter_update(values, places[:, None], others, reduction="max")

    def custom_gradient(self, function: Callable) -> Callable:
        """As `ops.custom_gradient`: a function with a gradient of its own.

        Args:
            function: Takes tensors, and returns its result and a function from the
                gradient of the result to those of the tensors.
        """
        return ops.custom_gradient(function)

    def all_finite(self, tensors: Sequence[Tensor]) -> Tensor:
        """Whether all numbers of each tensor are finite, a boolean for each `(n,)`."""
        return ops.stack([ops.all(ops.isfinite(tensor)) for tensor in tensors])

    def gradient(self, function: Callable[[Tensor], Tensor], at: Tensor) -> Tensor:
        """The gradient of a scalar function of a tensor, which may be differentiated
        again.

        Args:
            function: Takes the tensor; uses `keras.ops`.
            at: The tensor.
        """
        raise NotImplementedError(_NO_GRADIENTS + keras.backend.backend())

    def gradient_at_zero(
        self,
        function: Callable[[Tensor | None], tuple[Tensor, Any]],
        example: Callable[[Any], Tensor],
    ) -> tuple[Tensor, Any]:
        """The gradient of a function at zero, whose shape follows from what else the
        function returns.

        Args:
            function: Takes a tensor, or None for zero; returns a scalar and other
                tensors.
            example: Which of the other tensors has the shape of the argument.
        Returns:
            The gradient and the other tensors.
        """
        raise NotImplementedError(_NO_GRADIENTS + keras.backend.backend())


_NO_GRADIENTS = (
    "Gradients of single tensors need the backend tensorflow, jax or torch. "
    "Received: backend "
)
