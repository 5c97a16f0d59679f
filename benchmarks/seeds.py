"""Trains models over many seeds with default settings and prints what became of each.

    python benchmarks/seeds.py copy --seeds 10 --out runs/seeds [--jobs 2]

Each run is `memnets train TASK --model MODEL --seed S` in a process of its own, on one
core if there are several jobs. Runs that are there already are not repeated, so a
benchmark that was interrupted goes on where it was. The tables are Markdown.
"""

import concurrent.futures
import json
import math
import os
import pathlib
import queue
import statistics
import subprocess
import sys

import click

from tasks.runs import open_run
from tasks.training_config import solved_at

MODELS = ("ntm-feedforward", "ntm-lstm")


def train(task, model, seed, folder, core, until_solved):
    """One run; its printed summary is kept beside its other files."""
    path = folder / f"{task}-{model}-{seed}"
    summary = path / "summary.json"
    if not summary.exists():
        code = "from tasks.cli import main; main()"
        command = [sys.executable, "-c", code, "train", task, "--model", model]
        command += ["--seed", str(seed), "--out", str(path), "--force", "--json"]
        command += ["--stop-when-solved"] * until_solved
        done = subprocess.run(
            command,
            check=True,
            text=True,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            preexec_fn=None
            if core is None
            else lambda: os.sched_setaffinity(0, {core}),
        )
        summary.write_text(done.stdout)
        click.echo(f"{path} done", err=True)
    return row(path, model, seed, json.loads(summary.read_text()))


def row(path, model, seed, summary):
    """What the tables show of a run."""
    run = open_run(path)
    history, success = run.read_history(), run.task.success
    unsolved = [r["sequences"] for r in history if r[success.measure] >= success.below]
    solved = solved_at(history, success)
    return {
        "model": model,
        "seed": seed,
        "solved_at": solved,
        "seconds_to_solve": next(
            (r["seconds"] for r in history if r["sequences"] == solved), None
        ),
        "startup_seconds": summary["startup_seconds"],
        # Every epoch from here to the end of the run was a success.
        "settled_at": int(max(unsolved, default=0)),
        "sequences": int(history[-1]["sequences"]),
        "final": history[-1][success.measure],
        "seconds": history[-1]["seconds"],
        "lengths": {
            r["length"]: (r["bit_errors"], r["perfect"]) for r in summary["lengths"]
        },
    }


def table(rows):
    """A Markdown table with a line a run, and one of medians."""
    lengths = list(rows[0]["lengths"])
    head = ["seed", "solved after", "in seconds", "start-up", "settled after", "of"]
    head += ["last epoch", "seconds"]
    head += [f"errors at {length} (perfect)" for length in lengths]
    lines = [f"| {' | '.join(head)} |", "|" + " ---: |" * len(head)]
    for r in rows:
        cells = [str(r["seed"])]
        cells += [f"{r['solved_at']:,}" if r["solved_at"] else "never"]
        cells += [f"{r['seconds_to_solve']:.1f}" if r["solved_at"] else "never"]
        cells += [f"{r['startup_seconds']:.1f}"]
        cells += [f"{r['settled_at']:,}", f"{r['sequences']:,}"]
        cells += [f"{r['final']:.4f}", f"{r['seconds']:.0f}"]
        cells += [f"{e:.2f} ({100 * p:.0f}%)" for e, p in r["lengths"].values()]
        lines.append(f"| {' | '.join(cells)} |")

    def middle(name, form):
        # A seed that never came so far is beyond all others.
        values = [math.inf if r[name] is None else r[name] for r in rows]
        value = statistics.median(values)
        return "never" if value == math.inf else format(value, form)

    median = ["median", middle("solved_at", ",.0f"), middle("seconds_to_solve", ".1f")]
    median += [middle("startup_seconds", ".1f"), middle("settled_at", ",.0f"), ""]
    median += [middle("final", ".4f"), middle("seconds", ".0f")]
    for length in lengths:
        errors, perfect = zip(*(r["lengths"][length] for r in rows), strict=True)
        share = 100 * statistics.median(perfect)
        median.append(f"{statistics.median(errors):.2f} ({share:.0f}%)")
    lines.append(f"| {' | '.join(median)} |")
    return "\n".join(lines)


@click.command()
@click.argument("task")
@click.option("--seeds", default=10, show_default=True, help="Seeds 1 to this one.")
@click.option("--model", "models", multiple=True, default=MODELS, show_default=True)
@click.option("--out", type=click.Path(path_type=pathlib.Path), default="runs/seeds")
@click.option("--jobs", default=1, show_default=True, help="Runs at a time.")
@click.option("--until-solved", is_flag=True, help="End each run when it is solved.")
@click.option("--json", "as_json", is_flag=True)
def main(task, seeds, models, out, jobs, until_solved, as_json):
    """Train both Neural Turing Machines, or the MODELS given, over seeds 1 to SEEDS."""
    cores = queue.SimpleQueue()
    for core in sorted(os.sched_getaffinity(0))[:jobs]:
        cores.put(core if jobs > 1 else None)

    def work(job):
        core = cores.get()
        try:
            return train(task, *job, out, core, until_solved)
        finally:
            cores.put(core)

    planned = [(model, seed) for seed in range(1, seeds + 1) for model in models]
    with concurrent.futures.ThreadPoolExecutor(jobs) as pool:
        rows = list(pool.map(work, planned))
    if as_json:
        click.echo(json.dumps(rows, indent=2))
        return
    for model in models:
        click.echo(f"\n{model}\n\n{table([r for r in rows if r['model'] == model])}")


if __name__ == "__main__":
    main()
