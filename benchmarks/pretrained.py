"""Puts the model of a run into the package as the trained network of its task.

    python benchmarks/pretrained.py runs/compare-copy/ntm-lstm-1

Copies `model.keras` to tasks/pretrained/TASK.keras and writes what made it into
tasks/pretrained/manifest.json, with its SHA-256.
"""

import dataclasses
import hashlib
import json
import pathlib
import shlex
import shutil

import click

from tasks.pretrained import FOLDER, manifest
from tasks.runs import open_run

LARGEST = 2**20


def arguments_of(run):
    """The arguments of `memnets` that make a run, every parameter named."""
    arguments = ["train", run.task.name, "--model", run.model.name]
    for parameters in (run.task, run.model, run.training):
        for name, value in dataclasses.asdict(parameters).items():
            flag = name.replace("_", "-")
            if isinstance(value, bool):
                arguments.append(f"--{flag}" if value else f"--no-{flag}")
            elif value is not None:
                arguments += [f"--{flag}", str(value)]
    return arguments


@click.command()
@click.argument("path", metavar="RUN", type=click.Path(path_type=pathlib.Path))
def main(path):
    """Ship the model of RUN as the trained network of its task."""
    run = open_run(path)
    source = run.file("model.keras")
    if source.stat().st_size > LARGEST:
        raise click.ClickException(f"`{source}` has more than {LARGEST} bytes.")
    target = FOLDER / f"{run.task.name}.keras"
    shutil.copyfile(source, target)
    arguments = arguments_of(run)
    entry = {
        "file": target.name,
        "sha256": hashlib.sha256(target.read_bytes()).hexdigest(),
        "command": shlex.join(["memnets", *arguments]),
        "seed": run.training.seed,
        "versions": run.versions,
    }
    entries = {**manifest(), run.task.name: entry}
    text = json.dumps(dict(sorted(entries.items())), indent=2)
    (FOLDER / "manifest.json").write_text(text + "\n", encoding="utf-8")
    click.echo(f"{target}: {target.stat().st_size:,} bytes")


if __name__ == "__main__":
    main()
