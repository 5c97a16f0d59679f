"""Tries out what memnets survives: kills, damaged and hostile files, random arguments.

    python benchmarks/reliability/reliability.py [--count 20] [--check kills] [--write]

Each check runs on both backends where that can matter, and says how many cases it tried
and how many went wrong; the exit code is 1 if any did. `--write` puts the table into
docs/reliability.md.
"""

import json
import os
import pathlib
import subprocess
import sys
import tempfile

import click
import jinja2
import rich.console
import rich.table
from file_checks import damaged_files, hostile_files
from foreign_outputs import check as foreign_outputs
from kill_jobs import OTHER_OPTIMIZERS
from kills import COMMANDS, COMPARISONS, kills_of
from large_steps import check as large_steps
from process_kills import check as process_kills
from suite_checks import property_tests, tests_of
from worker_kills import check as worker_kills

HERE = pathlib.Path(__file__).parent
ROOT = HERE.parents[1]
PAGE = ROOT / "docs" / "reliability.md"
FIGURES = HERE / "reliability.json"
TEMPLATE = HERE / "reliability.md.jinja"
BACKENDS = ("tensorflow", "jax")


def greedy_texts(count, folder):
    """Translates sentences greedily on each backend, with the weights of one run."""
    import numpy as np

    import tasks

    # Few sequences: a network that still makes mistakes is often undecided.
    options = {"sequences": 6400, "progress": False, "evaluate": False}
    task, run = tasks.get_task("toy-translation"), folder / "run"
    tasks.train(task, "gru-attention", out=run, **options)
    sources, _ = task.eval_pairs(count, np.random.default_rng(1))
    command = [sys.executable, "-c", "from tasks.cli.main import main; main()"]
    texts = [
        subprocess.run(
            [*command, "translate", str(run), "--beam", "1"],
            env=os.environ | {"KERAS_BACKEND": backend},
            input="".join(f"{source}\n" for source in sources),
            capture_output=True,
            text=True,
            check=True,
        ).stdout.splitlines()
        for backend in BACKENDS
    ]
    different = sum(a != b for a, b in zip(*texts, strict=True))
    return {
        "tried": f"{count} sentences",
        "wrong": max(0, different - count // 200),
        "found": f"{different} differ; {len(set(texts[0]))} texts are different",
    }


CHECKS = {
    "kills": (
        kills_of("copy", "repeat-copy", "recall", "n-grams", "sort"),
        (*BACKENDS, "torch"),
    ),
    "translation": (kills_of("translation"), BACKENDS),
    "captioning": (kills_of("captioning"), BACKENDS),
    "optimizers": (kills_of(*OTHER_OPTIMIZERS), BACKENDS),
    "vectors": (kills_of("vectors"), BACKENDS[:1]),
    "commands": (kills_of(*COMMANDS), BACKENDS[1:]),
    "comparisons": (kills_of(*COMPARISONS), BACKENDS[1:]),
    "workers": (worker_kills, BACKENDS[1:]),
    "processes": (process_kills, BACKENDS[1:]),
    "outputs": (foreign_outputs, BACKENDS[1:]),
    "files": (damaged_files, BACKENDS[:1]),
    "hostile": (hostile_files, BACKENDS[:1]),
    "metrics": (property_tests("tests/metrics/test_fuzz.py"), BACKENDS[:1]),
    "layers": (
        property_tests(
            *("-m", "hypothesis"),
            "tests/memnets/test_finite.py",
            "tests/memnets/test_refusals.py",
            "tests/tasks/algorithmic/test_fuzz_tasks.py",
        ),
        BACKENDS,
    ),
    "gradients": (
        tests_of("networks and options", "tests/memnets/test_gradients.py"),
        BACKENDS[:1],
    ),
    "steps": (large_steps, BACKENDS),
    "matrix": (
        tests_of("features of layers", "tests/conformance/test_matrix.py"),
        BACKENDS,
    ),
    "exhaustive": (
        tests_of(
            "sizes and penalties", "tests/memnets/test_decoders.py", "-k", "exhaustive"
        ),
        BACKENDS,
    ),
    "lines": (
        property_tests("tests/tasks/text/test_hostile_lines.py", "-k", "come_out"),
        BACKENDS[:1],
    ),
    "greedy": (greedy_texts, BACKENDS[:1]),
    "across": (
        tests_of(
            "test of models", "tests/memnets/test_saving.py", "-k", "other_backend"
        ),
        BACKENDS,
    ),
}
PROMISES = {
    "kills": "A run that is killed at any moment is resumed, and ends with the same "
    "weights, optimizer, random states and history, to the byte.",
    "translation": "The same of a translation that warms up, reads its own tokens, is "
    "validated after each epoch, and keeps the mean weights of the best epochs.",
    "captioning": "The same of a network that describes pictures.",
    "optimizers": "The same of every other optimizer, with a rate that halves and "
    "gradients that are cut by elements.",
    "vectors": "Word vectors whose training is killed are resumed, and end as the same "
    "file, to the byte.",
    "commands": "The same of every command that writes, which is run again until it "
    "ends by itself. Files of others beside it, also behind links, are as they were, "
    "and no temporary file is left.",
    "comparisons": "The same of the two that train many runs, each in a process of its "
    "own, which ends with the command.",
    "workers": "Runs of a comparison whose Dask workers are killed go on elsewhere, "
    "end with the bytes of runs on this machine, and leave no process and no lock.",
    "processes": "Of several processes that train together any can be killed: the "
    "others end by themselves, and all are started again and end with the same bytes.",
    "outputs": "Every command, with its output placed on files and folders of others "
    "(also through links, on an input, and on our own work of another kind), forced or "
    "not, changes and removes nothing that a listing of ours does not name.",
    "files": "A file of a run with a few flipped bits, or that was cut short, is never "
    "loaded: a one-line error names it.",
    "hostile": "A hostile file executes nothing and does not fill the memory.",
    "metrics": "Whatever its arguments, a metric returns a score in its range or "
    "raises an error that names the argument. The score is finite, but for the "
    "perplexity and the bits per character of a text that the model calls impossible.",
    "layers": "Values and gradients of layers are finite for finite inputs of up to "
    "1e4, in float32, bfloat16 and float16 (but for gradients that `keras.layers.RNN` "
    "casts to float16 around a cell); tasks draw what is documented or name the wrong "
    "argument.",
    "gradients": "Gradients of every weight of every controller, number of heads, "
    "range of shifts and initial memory equal central differences in float64, to a "
    "relative error of 1e-6; those of the compiled kernel in float32, to 1e-4.",
    "steps": "Trainings at ten times the learning rate have finite losses and "
    "gradients only.",
    "matrix": "The features of `keras.layers.RNN` work with layers and cells as the "
    "last table says.",
    "exhaustive": "A beam search as wide as there are texts finds the best ones, with "
    "their scores, in 340 random problems with each of three length penalties.",
    "lines": "As many lines come out of a translation as go in, whatever characters "
    "they have.",
    "greedy": "Greedy translations with the same weights are equal on both backends, "
    "but for 1 in 200.",
    "across": "Models saved on this backend give the same outputs on the other one, to "
    "1e-6.",
}


@click.command()
@click.option("--count", type=click.IntRange(1), default=20, help="Cases a check.")
@click.option("--check", "names", multiple=True, type=click.Choice(list(CHECKS)))
@click.option("--backend", "backends", multiple=True, type=click.Choice(BACKENDS))
@click.option("--json", "as_json", is_flag=True, help="One check, in this process.")
@click.option("--write", is_flag=True, help="Keep the figures and write the page.")
def main(count, names, backends, as_json, write):
    """Tries out what memnets promises to survive."""
    if as_json:
        # In this order: there are folders of the same names in `tests`.
        sys.path[:0] = [str(ROOT), str(ROOT / "tests")]
        with tempfile.TemporaryDirectory() as folder:
            check, _ = CHECKS[names[0]]
            print(json.dumps(check(count, pathlib.Path(folder))))
        return
    rows = [
        run_apart(name, backend, count)
        for name in names or CHECKS
        for backend in CHECKS[name][1]
        if not backends or backend in backends
    ]
    table = rich.table.Table(box=None, pad_edge=False)
    for heading in ("check", "backend", "tried", "wrong", "found"):
        table.add_column(heading)
    for row in rows:
        table.add_row(*(str(row[column.header]) for column in table.columns))
    rich.console.Console().print(table)
    if write:
        write_page(rows)
    sys.exit(any(row["wrong"] for row in rows))


def run_apart(name, backend, count):
    """Runs a check in its own process, with its own backend."""
    click.echo(f"{name} on {backend} ...", err=True)
    row = {"check": name, "backend": backend, "count": count, "wrong": 1}
    result = subprocess.run(
        [sys.executable, __file__, "--check", name, "--count", str(count), "--json"],
        env={**os.environ, "KERAS_BACKEND": backend, "TF_CPP_MIN_LOG_LEVEL": "3"},
        stdout=subprocess.PIPE,
        text=True,
    )
    if result.returncode:
        return row | {"tried": "-", "found": "the check itself failed"}
    return row | json.loads(result.stdout.splitlines()[-1])


def write_page(rows):
    """Adds the figures to those of other checks and writes the page of all."""
    from tasks.runs.directory import current_versions

    figures = merged(rows)
    FIGURES.write_text(json.dumps(figures, indent=2) + "\n")
    versions = ", ".join(f"{k} {v}" for k, v in current_versions().items())
    PAGE.write_text(page_of(figures, versions))


def merged(rows):
    """The kept figures and newer ones, in the order of the checks."""
    kept = json.loads(FIGURES.read_text()) if FIGURES.exists() else []
    new = {(row["check"], row["backend"]): row for row in kept + rows}
    return [
        new[name, backend]
        for name, (_, backends) in CHECKS.items()
        for backend in backends
        if (name, backend) in new
    ]


def page_of(figures, versions):
    """The page, in Markdown."""
    template = jinja2.Template(TEMPLATE.read_text(), trim_blocks=True)
    return template.render(promises=PROMISES, figures=figures, versions=versions) + "\n"


if __name__ == "__main__":
    main()
