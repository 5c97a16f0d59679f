"""How gradients flow back through three networks, before and after training.

    python benchmarks/learning/gradient_flow.py --plot docs/images

The task is temporal order, whose answer depends on symbols some 50 and 90 steps before
the end. Writes `gradient-flow-start.png` and `gradient-flow-trained.png`.
"""

import pathlib

import click
import keras

from memnets import flow, tasks

MODELS = {
    "lstm-1997": "LSTM of 1997",
    "simple-rnn": "simple RNN",
    "ntm-lstm": "NTM",
}
BATCH_SIZE = 32


def untrained(task, name):
    model = tasks.get_model(name).build(task)
    model.compile(loss=task.loss())
    return model


def measure(task, models, seed):
    """The gradient flow of each model by its label, on one batch."""
    batch = task.sample(BATCH_SIZE, rng=seed)
    flows = {}
    for name, model in models.items():
        [layer] = [x for x in model.layers if isinstance(x, keras.layers.RNN)]
        flows[MODELS[name]] = flow.gradient_flow(
            model, layer, batch.inputs, batch.targets
        )
    return flows


@click.command()
@click.option("--sequences", default=6_400, show_default=True)
@click.option("--seed", default=1, show_default=True)
@click.option("--plot", "folder", type=click.Path(path_type=pathlib.Path))
def main(sequences, seed, folder):
    """Measure gradient flow on temporal order."""
    task = tasks.get_task("temporal-order")
    keras.utils.set_random_seed(seed)
    models = {"start": {name: untrained(task, name) for name in MODELS}}
    models["trained"] = {
        name: tasks.train(task, name, sequences=sequences, seed=seed).model
        for name in MODELS
    }
    for when, networks in models.items():
        flows = measure(task, networks, seed)
        for label, found in flows.items():
            norms = found.norms / found.norms[-1]
            back = {lag: f"{norms[-1 - lag]:.1e}" for lag in (1, 10, 50, 90)}
            click.echo(f"{when}, {label}: norm by steps back {back}")
        if folder:
            figure = tasks.draw_gradient_flow(flows)
            figure.savefig(folder / f"gradient-flow-{when}.png", dpi=100)


if __name__ == "__main__":
    main()
