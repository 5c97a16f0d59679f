"""One gradient of an NTM in a loop of one's own, beside NTMs written in PyTorch.

    python benchmarks/speed/one_layer.py [--batch-size 16] [--pytorch-ntm FOLDER]

The sizes of `throughput.py`: 41 steps of 9 inputs, memory 128 x 20, one read and one
write head, a controller of 100. Outputs, and the gradients of all weights; no optimizer
and no `fit`. On TensorFlow and JAX the function is compiled by XLA, on PyTorch it is
run as it is and by `torch.compile`. Each row is a process of its own; the rows take
turns, and the median is over all turns. FOLDER is a clone of
github.com/loudinthecloud/pytorch-ntm, whose NTM has an LSTM only.
"""

import json
import os
import pathlib
import subprocess
import sys
import time

import click
import numpy as np
import rich.console
import rich.progress
import rich.table

CONTROLLERS = ("lstm", "feedforward")
STEPS, FEATURES, UNITS, ROWS, WIDTH, SIZE = 41, 9, 8, 128, 20, 100
# A row: what computes, and the backend of Keras or None.
LAYERS = {
    "memnets, JAX": "jax",
    "memnets, TensorFlow": "tensorflow",
    "memnets, PyTorch": "torch",
    "memnets, torch.compile": "torch",
    "plain PyTorch": None,
    "pytorch-ntm": None,
}
SECONDS = 4  # how long a process measures


def sequences(batch_size):
    """Inputs, and the weights of the outputs in the loss."""
    rng = np.random.default_rng(0)
    shapes = ((batch_size, STEPS, FEATURES), (batch_size, STEPS, UNITS))
    return [rng.normal(size=shape).astype("float32") for shape in shapes]


def memnets_layer(controller):
    import memnets

    layer = memnets.NTM(
        UNITS,
        memory_size=ROWS,
        word_size=WIDTH,
        controller=controller,
        controller_size=SIZE,
        return_sequences=True,
    )
    layer.build((None, None, FEATURES))
    return layer


def peer(folder):
    """The network of pytorch-ntm, as a function of whole sequences."""
    import torch

    sys.path.insert(0, str(folder))
    from ntm.aio import EncapsulatedNTM

    network = EncapsulatedNTM(FEATURES, UNITS, SIZE, 1, 1, ROWS, WIDTH)

    def outputs(inputs):
        network.init_sequence(len(inputs))
        return torch.stack([network(step)[0] for step in inputs.unbind(1)], 1)

    return outputs, list(network.parameters())


def torch_gradient(outputs, weights, inputs, factors):
    """A function that computes a gradient in PyTorch."""
    import torch

    inputs, factors = map(torch.from_numpy, (inputs, factors))

    def gradient():
        return torch.autograd.grad((outputs(inputs) * factors).sum(), weights)

    return gradient


def gradient_of(name, controller, folder, inputs, factors):
    """A function that computes one gradient, of a row of the table."""
    if name == "pytorch-ntm":
        return torch_gradient(*peer(folder), inputs, factors)
    if name == "plain PyTorch":
        from plain_ntm import PlainNTM

        network = PlainNTM(FEATURES, UNITS, ROWS, WIDTH, controller, SIZE)
        return torch_gradient(network, list(network.parameters()), inputs, factors)
    layer = memnets_layer(controller)
    weights = [variable.value for variable in layer.trainable_variables]
    if name == "memnets, JAX":
        import jax

        fixed = [variable.value for variable in layer.non_trainable_variables]

        def loss(weights, inputs, factors):
            outputs, _ = layer.stateless_call(weights, fixed, inputs)
            return (outputs * factors).sum()

        compiled = jax.jit(jax.grad(loss))
        return lambda: jax.block_until_ready(compiled(weights, inputs, factors))
    if name == "memnets, TensorFlow":
        import tensorflow as tf

        @tf.function(jit_compile=True)
        def gradient():
            with tf.GradientTape() as tape:
                loss = tf.reduce_sum(layer(inputs) * factors)
            return tape.gradient(loss, weights)

        return lambda: [tensor.numpy() for tensor in gradient()]
    if name == "memnets, torch.compile":
        import torch

        return torch_gradient(torch.compile(layer), weights, inputs, factors)
    return torch_gradient(layer, weights, inputs, factors)


def measure(name, controller, batch_size, folder):
    """The median milliseconds of a gradient in this process."""
    gradient = gradient_of(name, controller, folder, *sequences(batch_size))
    gradient(), gradient()
    seconds, end = [], time.perf_counter() + SECONDS
    while time.perf_counter() < end:
        began = time.perf_counter()
        gradient()
        seconds.append(time.perf_counter() - began)
    return 1e3 * float(np.median(seconds[len(seconds) // 10 :]))


def measure_apart(name, controller, batch_size, folder):
    """The same in a new process."""
    command = [sys.executable, __file__, "--only", name, "--controller", controller]
    command += ["--batch-size", str(batch_size)]
    if folder:
        command += ["--pytorch-ntm", str(folder)]
    environment = {**os.environ, "TF_CPP_MIN_LOG_LEVEL": "3"}
    if LAYERS[name]:
        environment["KERAS_BACKEND"] = LAYERS[name]
    done = subprocess.run(command, env=environment, capture_output=True, text=True)
    if done.returncode:
        raise click.ClickException(done.stderr[-2000:])
    return json.loads(done.stdout)


def run(controllers, batch_sizes, folder, turns):
    """The medians of all turns, by controller, batch size and row."""
    cases = [
        (name, controller, batch_size)
        for controller in controllers
        for batch_size in batch_sizes
        for name in LAYERS
        if name != "pytorch-ntm" or (folder and controller == "lstm")
    ]
    console, results = rich.console.Console(stderr=True), {case: [] for case in cases}
    for _ in rich.progress.track(range(turns), "turns", console=console):
        for case in cases:
            results[case].append(measure_apart(*case, folder))
    return {case: float(np.median(values)) for case, values in results.items()}


def print_table(medians):
    table = rich.table.Table("controller", "batch", "layer", "ms", "times JAX's speed")
    for (name, controller, batch_size), median in medians.items():
        fastest = medians["memnets, JAX", controller, batch_size]
        numbers = (f"{median:.2f}", f"{fastest / median:.3f}")
        table.add_row(controller, str(batch_size), name, *numbers)
    rich.console.Console(width=100).print(table)


@click.command()
@click.option("--batch-size", "batch_sizes", multiple=True, type=int, default=(16, 64))
@click.option(
    "--controller",
    "controllers",
    multiple=True,
    type=click.Choice(CONTROLLERS),
    default=CONTROLLERS,
)
@click.option("--pytorch-ntm", "folder", type=click.Path(path_type=pathlib.Path))
@click.option("--turns", default=3, show_default=True, help="Processes a row.")
@click.option("--only", type=click.Choice(tuple(LAYERS)), hidden=True)
def main(batch_sizes, controllers, folder, turns, only):
    """Time one gradient of an NTM in each library."""
    if only:
        row = measure(only, controllers[0], batch_sizes[0], folder)
        click.echo(json.dumps(row))
        return
    print_table(run(controllers, batch_sizes, folder, turns))


if __name__ == "__main__":
    main()
