"""Trained networks on graphs and paths that are larger than those of their training.

    python benchmarks/learning/graph_lessons.py RUN ... [--sequences 1000]

Each run is one of `memnets train traversal`. Lesson 7 and lesson 14 of the paper are
graphs of 10 to 20 nodes with paths of up to 5 edges, and of 10 to 40 nodes with paths
of up to 20 edges. A network with a memory gets more rows for more nodes: no weight
depends on their number.

Reference:
    Graves et al. (2016), Hybrid Computing Using a Neural Network with Dynamic External
    Memory, Nature 538, Methods, Traversal.
"""

import pathlib

import click
import numpy as np

import tasks

SEED = 7
# One for each edge, and one for each node more, as in training.
ROWS_A_NODE = 4
# Name; fewest and most nodes; shortest and longest path.
LESSONS = (
    ("lesson 7", (10, 20), (1, 5)),
    ("20 nodes, 5 edges", (20, 20), (5, 5)),
    ("10 to 20 nodes, 7 edges", (10, 20), (7, 7)),
    ("lesson 14", (10, 40), (1, 20)),
    ("40 nodes, 20 edges", (40, 40), (20, 20)),
)


def perfect(run, nodes, path, sequences):
    """The share of fresh sequences without an error."""
    sizes = {"min_nodes": nodes[0], "max_nodes": nodes[1]}
    task = tasks.Traversal(**sizes, min_path=path[0], max_path=path[1])
    parameters = run.model.parameters
    if "memory_size" in parameters:
        rows = max(parameters["memory_size"], ROWS_A_NODE * nodes[1])
        parameters = {**parameters, "memory_size": rows}
    model = tasks.get_model(run.model.name, task, **parameters).build(task)
    model.set_weights(run.load_model().get_weights())
    batch = task.sample(sequences, rng=SEED)
    outputs = model.predict(batch.inputs, batch_size=50, verbose=0)
    return np.mean(task.errors(batch, np.asarray(outputs, float))["perfect"])


@click.command()
@click.argument(
    "runs", nargs=-1, required=True, type=click.Path(path_type=pathlib.Path)
)
@click.option("--sequences", default=1000, show_default=True)
def main(runs, sequences):
    """Prints the share of sequences without an error, a line for each run and size."""
    for path in runs:
        run = tasks.open_run(path)
        for name, nodes, length in LESSONS:
            share = perfect(run, nodes, length, sequences)
            click.echo(f"{path.name} ({run.model.name}), {name}: {share:.1%}")


if __name__ == "__main__":
    main()
