"""What only PyTorch's users do: modules, `torch.compile`, `torch.func`, autocast; and
the kernel as operations of PyTorch."""

import contextlib
import copy
import ctypes
import functools
import sys

import keras
import numpy as np
import pytest
from conformance.descriptors import DESCRIPTORS, FEATURES
from keras import ops

import memnets
from memnets import native
from memnets.native import kernel_layout, library

torch = pytest.importorskip("torch")
torch_op = pytest.importorskip("memnets.native.torch_op")
pytestmark = pytest.mark.only("torch", reason="PyTorch's own")
needs_kernel = pytest.mark.skipif(
    not native.is_available(), reason=f"no kernel: {native.status()}"
)
SIZES = {"memory_size": 8, "word_size": 4, "controller_size": 5}
MEMORIES = [memnets.NTM, memnets.DNC, memnets.LRUA]


@pytest.fixture(autouse=True)
def switch_on_again():
    yield
    native.set_enabled(True)


def inputs(batch=2, steps=3):
    rng = np.random.default_rng(0)
    return torch.tensor(
        rng.standard_normal((batch, steps, FEATURES)), dtype=torch.float
    )


class Tagger(torch.nn.Module):
    """A memory layer in a module of PyTorch."""

    def __init__(self, layer_class=memnets.NTM, **changes):
        super().__init__()
        self.memory = layer_class(6, **SIZES, return_sequences=True, **changes)
        self.memory.build((None, None, FEATURES))
        self.readout = torch.nn.Linear(6, 2)

    def forward(self, sequences):
        return self.readout(self.memory(sequences))


# The kernel


@needs_kernel
@pytest.mark.parametrize("layer_class", MEMORIES)
def test_the_kernel_is_a_sound_operation(layer_class):
    layer = layer_class(3, **SIZES)
    layer.build((None, None, FEATURES))
    layout = kernel_layout.layout_of(layer.cell)
    weights = kernel_layout.weights_of(layer.cell).detach().requires_grad_()
    state = torch.zeros(2, layout.state_size, requires_grad=True)
    mask = torch.ones(2, 3, dtype=torch.bool)
    arguments = (inputs().requires_grad_(), mask, state, weights)
    sizes = (layout.kind, layout.numbers, layout.features_size, True)
    checked = torch.library.opcheck(
        torch.ops.memnets.forward.default,
        (*arguments, *sizes),
        test_utils=("test_schema", "test_autograd_registration", "test_faketensor"),
    )
    assert set(checked.values()) == {"SUCCESS"}


@needs_kernel
def test_tensors_reach_the_kernel_without_a_copy(monkeypatch):
    layer, sequences = memnets.NTM(3, **SIZES), inputs()
    layer(sequences)
    call, addresses = library.call, []

    def watched(name, sizes, arguments, results):
        addresses.append([array.ctypes.data for array in arguments])
        call(name, sizes, arguments, results)

    monkeypatch.setattr(library, "call", watched)
    layer(sequences)
    assert addresses[0][0] == sequences.data_ptr()


@needs_kernel
def test_the_kernel_has_the_threads_of_pytorch():
    before = torch.get_num_threads()
    try:
        for count in (1, 2):
            torch.set_num_threads(count)
            assert f", {count} threads)" in native.status()
    finally:
        torch.set_num_threads(before)


@needs_kernel
def test_threads_that_pytorch_lends_change_no_result():
    """The kernel gives its work to them, and all of it is done."""
    layer, before, lent = memnets.NTM(3, **SIZES), torch.get_num_threads(), []
    kernel, _ = library.load()
    function = ctypes.CFUNCTYPE(None, ctypes.c_void_p)
    gomp = ctypes.CFUNCTYPE(
        None, ctypes.c_void_p, ctypes.c_void_p, ctypes.c_uint, ctypes.c_uint
    )

    @gomp
    def team(work, data, threads, flags):
        lent.append(threads)
        for _ in range(threads):
            function(work)(data)

    def results():
        sequences = inputs(batch=8).requires_grad_()
        outputs = layer(sequences)
        outputs.sum().backward()
        return outputs, sequences.grad

    try:
        torch.set_num_threads(2)
        of_pytorch = results()
        kernel.memnets_lend_threads(ctypes.cast(team, ctypes.c_void_p))
        of_the_test = results()
        assert lent == [2, 2]
        kernel.memnets_lend_threads(None)
        own = results()
    finally:
        torch_op._lend_threads.cache_clear()
        torch.set_num_threads(before)
    for values in (of_pytorch, of_the_test):
        for value, like in zip(values, own, strict=True):
            np.testing.assert_array_equal(value.detach(), like.detach())


@needs_kernel
def test_the_status_says_why_the_portable_path_runs(monkeypatch):
    layer, seen = memnets.NTM(3, **SIZES), []
    layer(inputs())

    def loss(sequences):
        seen.append(native.status())
        return layer(sequences).sum()

    gradient = torch.func.grad(loss)(inputs())
    assert "portable path" in seen[0] and "torch.func" in seen[0]
    own = inputs().requires_grad_()
    layer(own).sum().backward()  # in the kernel
    np.testing.assert_allclose(gradient, own.grad, atol=1e-6)
    monkeypatch.setattr("keras.src.backend.torch.core.get_device", lambda: "cuda:0")
    assert native.status().endswith("PyTorch computes on cuda")


@needs_kernel
def test_tensors_of_other_devices_and_types_take_the_portable_path():
    class Elsewhere(torch.Tensor):
        device = torch.device("cuda")

    cell = memnets.NTM(3, **SIZES).cell
    assert native.covers(cell, inputs())
    assert not native.covers(cell, inputs().as_subclass(Elsewhere))
    assert not native.covers(memnets.NTM(3, **SIZES, dtype="float64").cell, inputs())


@needs_kernel
def test_a_gradient_of_a_gradient_is_an_error_and_never_0():
    layer = memnets.NTM(3, **SIZES)
    sequences = inputs().requires_grad_()

    def penalty():
        (first,) = torch.autograd.grad(
            layer(sequences).sum(), sequences, create_graph=True
        )
        return torch.autograd.grad((first**2).sum(), sequences)[0]

    with pytest.raises(NotImplementedError, match="no gradients of gradients. Call"):
        penalty()
    native.set_enabled(False)
    assert (penalty() != 0).any()


# Of PyTorch's own formulas for the forward mode.
@pytest.mark.filterwarnings("ignore:.torch.jit.script. is deprecated")
def test_gradients_in_forward_mode_are_those_in_reverse_mode():
    layer = memnets.NTM(3, **SIZES)
    sequences, direction = inputs(), torch.ones(2, 3, FEATURES)
    layer(sequences)
    _, forward = torch.func.jvp(lambda x: layer(x).sum(), (sequences,), (direction,))
    reverse = torch.func.grad(lambda x: layer(x).sum())(sequences).sum()
    np.testing.assert_allclose(forward, reverse, rtol=1e-4)


@needs_kernel
def test_a_backward_pass_can_be_repeated():
    layer, sequences = memnets.NTM(3, **SIZES), inputs().requires_grad_()
    loss = (layer(sequences) ** 2).sum()
    first, second = (
        torch.autograd.grad(loss, sequences, retain_graph=True)[0] for _ in range(2)
    )
    np.testing.assert_array_equal(first, second)


@needs_kernel
def test_an_exported_program_has_the_operation():
    network = Tagger().eval()
    program = torch.export.export(network, (inputs(),), strict=False)
    names = [str(node.target) for node in program.graph.nodes]
    assert "memnets.forward.default" in names
    others = inputs() + 1
    np.testing.assert_allclose(program.module()(others), network(others), atol=1e-6)


# Not "inductor": it would compile in C++.
compiled_by_torch = functools.partial(torch.compile, backend="aot_eager")


@needs_kernel
@pytest.mark.parametrize("layer_class", [*MEMORIES, keras.layers.LSTM])
def test_torch_compile_makes_one_program(layer_class):
    layer = layer_class(3, **(SIZES if layer_class in MEMORIES else {}))
    memnets.accelerate(layer).build((None, None, FEATURES))
    compiled = compiled_by_torch(layer, fullgraph=True)
    weights = [variable.value for variable in layer.trainable_variables]
    for sequences in (inputs(), inputs()[:1, :2], inputs() + 1):
        ours, expected = compiled(sequences), layer(sequences)
        np.testing.assert_array_equal(ours.detach(), expected.detach())
        gradients = (
            torch.autograd.grad(outputs.square().sum(), weights)
            for outputs in (ours, expected)
        )
        for ours, expected in zip(*gradients, strict=True):
            np.testing.assert_array_equal(ours, expected)


@needs_kernel
@pytest.mark.filterwarnings("ignore")  # PyTorch warns of its own code
def test_what_torch_compile_reads_may_be_transformed_or_masked():
    layer, sequences = memnets.NTM(3, **SIZES), inputs()
    layer(sequences)

    def tangent(sequences):
        ones = torch.ones_like(sequences)
        return torch.func.jvp(layer, (sequences,), (ones,))[1]

    gradient = torch.func.grad(lambda sequences: layer(sequences).square().sum())
    for function in (tangent, gradient):
        ours = compiled_by_torch(function)(sequences)
        assert ours.abs().min() > 0
        np.testing.assert_allclose(ours, function(sequences), atol=1e-6)
    mask = torch.tensor([[True, True, False], [True, False, False]])
    ours = compiled_by_torch(layer)(sequences, mask=mask)
    expected = layer(sequences, mask=mask)
    np.testing.assert_array_equal(ours.detach(), expected.detach())


@needs_kernel
def test_threads_may_change_between_forward_and_backward():
    layer = memnets.NTM(3, **SIZES)
    sequences = torch.rand(8, 3, FEATURES, requires_grad=True)
    before, gradients = torch.get_num_threads(), []
    try:
        for threads in (1, 2, 1):
            torch.set_num_threads(2)
            loss = layer(sequences).square().sum()
            torch.set_num_threads(threads)
            gradients.append(torch.autograd.grad(loss, sequences)[0])
    finally:
        torch.set_num_threads(before)
    for gradient in gradients[1:]:
        np.testing.assert_array_equal(gradient, gradients[0])


# The portable path


@contextlib.contextmanager
def no_waiting(monkeypatch):
    """An error where a number leaves the device. The loop of Keras counts its steps in
    a tensor of the processor."""

    def refuse(name, method):
        def refused(tensor, *args, **kwargs):
            caller = sys._getframe(1).f_code.co_filename
            if caller.endswith("keras/src/backend/torch/rnn.py"):
                return method(tensor, *args, **kwargs)
            raise AssertionError(f"{name} of a tensor of shape {tuple(tensor.shape)}")

        return refused

    with monkeypatch.context() as patch:
        for name in ("item", "tolist", "numpy", "__array__", "__bool__", "__float__"):
            method = getattr(torch.Tensor, name)
            patch.setattr(torch.Tensor, name, refuse(name, method))
        yield


@pytest.mark.parametrize("descriptor", DESCRIPTORS, ids=lambda row: row.name)
def test_no_number_leaves_the_device(descriptor, monkeypatch):
    native.set_enabled(False)
    layer = descriptor.make_layer()
    layer(inputs())  # builds it
    with no_waiting(monkeypatch):
        layer(inputs(), training=True).sum().backward()
    assert all(
        variable.value.grad is not None
        for variable in layer.trainable_variables
        if variable.value.requires_grad
    )


# Modules


@pytest.mark.parametrize("layer_class", [*MEMORIES, memnets.SAM, memnets.StackRNN])
def test_a_state_dict_goes_into_another_network(layer_class):
    # A stack has no rows.
    sizes = SIZES if layer_class is not memnets.StackRNN else {"controller_size": 5}

    def network():
        layer = layer_class(6, **sizes, return_sequences=True)
        layer.build((None, None, FEATURES))
        return layer

    one, other = network(), network()
    state = one.state_dict()
    assert len(state) == len(one.variables)
    assert "cell.heads.kernel" in state and not any("_1" in name for name in state)
    assert (one(inputs()) != other(inputs())).any()
    other.load_state_dict(state)
    np.testing.assert_array_equal(one(inputs()), other(inputs()))
    del state["cell.heads.kernel"]
    with pytest.raises(RuntimeError, match="heads/kernel"):
        other.load_state_dict(state)


def test_equal_names_in_a_state_dict_are_numbered():
    layer = memnets.NTM(3, **{**SIZES, "controller_size": (4, 5)})
    layer.build((None, None, FEATURES))
    names = layer.state_dict()
    assert len(names) == len(layer.variables)
    shapes = [tuple(v.shape) for name, v in names.items() if "bias" in name]
    assert (16,) in shapes and (20,) in shapes  # one of each cell of the controller


def test_a_module_learns_in_a_loop_of_its_user():
    keras.utils.set_random_seed(0)
    torch.manual_seed(0)
    network, sequences = Tagger(), inputs(16, 4)
    targets = (sequences[..., 0] > 0).long()
    optimizer = torch.optim.Adam(network.parameters(), 0.02)
    losses = []
    for _ in range(60):
        logits = network(sequences)
        loss = torch.nn.functional.cross_entropy(
            logits.flatten(0, 1), targets.flatten()
        )
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        losses.append(loss.item())
    assert losses[-1] < 0.5 * losses[0]
    with torch.no_grad():
        assert not network(sequences).requires_grad
    with torch.inference_mode():
        np.testing.assert_allclose(network(sequences), logits, atol=0.5)


def test_a_copy_of_a_module_learns_by_itself():
    network = Tagger()
    other = copy.deepcopy(network)
    with torch.no_grad():
        for parameter in other.parameters():
            parameter.zero_()
    assert (network(inputs()) != other(inputs())).any()


@pytest.mark.parametrize("enabled", [True, False])
def test_autocast_does_not_round_the_memory(enabled):
    native.set_enabled(enabled)
    layer = memnets.NTM(3, **SIZES, return_sequences=True)
    expected = layer(inputs())
    with torch.autocast("cpu", dtype=torch.bfloat16):
        found = layer(inputs())
        assert (torch.ones(2, 2) @ torch.ones(2, 2)).dtype == torch.bfloat16
    np.testing.assert_array_equal(found, expected)


def test_the_gradients_of_a_function_of_its_own_can_be_differentiated():
    """That of `custom_gradient`: the inverse of I + L in closed form."""
    from memnets.fast_weights.rules import inverse_of_unit_lower

    matrix = 0.3 * torch.randn(
        2, 4, 4, dtype=torch.float64, generator=torch.manual_seed(0)
    )

    def norm(matrix, inverse):
        matrix = matrix.clone().requires_grad_()
        (first,) = torch.autograd.grad(
            (inverse(matrix) ** 2).sum(), matrix, create_graph=True
        )
        return torch.autograd.grad((first**2).sum(), matrix)[0]

    expected = norm(
        matrix, lambda x: torch.linalg.inv(torch.tril(x, -1) + torch.eye(4).double())
    )
    found = norm(matrix, inverse_of_unit_lower)
    np.testing.assert_allclose(found, expected, rtol=1e-4, atol=1e-4)


def test_scattered_values_of_one_place_are_added():
    from memnets import backends

    places = ops.convert_to_tensor([[0, 1], [2, 0], [0, 1]])
    values = ops.convert_to_tensor([1.0, 2.0, 4.0])
    found = backends.current().scatter(places, values, (3, 2))
    np.testing.assert_array_equal(found, [[0, 5], [0, 0], [2, 0]])
    largest = backends.current().scatter_max(
        ops.convert_to_tensor([1.0, 5.0, 0.0]), places[:, 0], values
    )
    np.testing.assert_array_equal(largest, [4, 5, 2])
