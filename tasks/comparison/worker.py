"""The process that trains one run of a comparison.

It reads one job as JSON from standard input::

    {"task": {"name": TASK, ...}, "model": {...}, "training": {...},
     "out": "runs/compare-TASK/MODEL-1", "imports": [], "folders": [], "cores": [0],
     "parent": 4711, "evaluate": true, "versions": {...}, "wait": 0}

and writes an object a line to standard output: the progress, and at the end
`{"done": true}`, `{"error": "why"}`, or `{"unfit": "why"}` if it can train no run.
"""

import json
import os
import socket
import sys
import time
import traceback
from collections.abc import Iterable
from typing import IO

from ..metrics_package import metrics_module
from ..own_code import import_code
from ..runs.directory import current_versions
from ..runs.lock import in_use
from ..runs.saved_config import saved_model, saved_task
from ..training.summary import results_of
from ..training_options.training_config import TrainingConfig


def main() -> int:
    """Trains the job of standard input. Returns the exit status."""
    job = json.load(sys.stdin)
    # Else a training would go on after its command was killed.
    metrics_module("parallel").end_with(job["parent"])
    if job["cores"]:
        stay_on(job["cores"])  # before Keras counts them
    output = _own_standard_output()
    try:
        if why := unfit(job["versions"]):
            print(json.dumps({"unfit": why}), file=output, flush=True)
            return 1
        train_job(job, output)
    except Exception as error:
        traceback.print_exc()
        reason = " ".join(str(error).split()) or type(error).__name__
        print(json.dumps({"error": reason}), file=output, flush=True)
        return 1
    print(json.dumps({"done": True}), file=output, flush=True)
    return 0


def stay_on(cores: Iterable[int]) -> None:
    """Keeps this process on the given cores, where the system can do that."""
    if hasattr(os, "sched_setaffinity"):
        os.sched_setaffinity(0, cores)


def _own_standard_output() -> IO[str]:
    """Standard output for the lines of this module alone; whatever else is printed goes
    to standard error."""
    output = os.fdopen(os.dup(1), "w", encoding="utf-8")
    os.dup2(2, 1)
    return output


def unfit(versions: dict[str, str]) -> str | None:
    """Why the runs of a command cannot be trained here, None if they can.

    Args:
        versions: Those of the command, of libraries that change what comes out.
    """
    here = current_versions()
    for name, version in versions.items():
        if here.get(name) != version:
            return (
                f"Workers must have {name} {version}, as this command has. Received: "
                f"{name} {here.get(name)} on {socket.gethostname()}"
            )
    return None


def train_job(job: dict, output: IO[str]) -> None:
    """Trains a job; evaluates it and writes its report if it asks for that.

    Args:
        job: The job, see above.
        output: The stream for the progress.
    Raises:
        ValueError: If the job names an unknown task, model or file.
        RunError: If the directory cannot be used.
        RuntimeError: If the training was stopped or has diverged.
    """
    # At the end of the path: they must not hide what is installed.
    sys.path += [folder for folder in job["folders"] if folder not in sys.path]
    for name in job["imports"]:
        import_code(name)
    task, model = saved_task(job["task"]), saved_model(job["model"])
    training = TrainingConfig(**job["training"])
    wait_until_free(job["out"], job["wait"])
    # Imported here: Keras must count the cores of this process after `stay_on`.
    from ..report.report import write_report
    from ..training.training import train
    from .json_progress import JsonLines

    result = train(
        task,
        model,
        out=job["out"],
        resume=True,  # it is new, or was stopped
        progress=False,
        evaluate=job["evaluate"],
        callbacks=[JsonLines(task, training, output)],
        **job["training"],
    )
    if result.interrupted or result.run is None:
        raise RuntimeError("it was stopped by hand; the same command continues it.")
    if result.summary is not None:
        write_report(result.run, results=results_of(result.summary))


def wait_until_free(path: str, seconds: float) -> None:
    """Waits while another process trains in a directory, but not for ever: a process
    that was killed may take a moment to end, and a machine to lose its lock."""
    end = time.monotonic() + seconds
    while time.monotonic() < end and in_use(path):
        time.sleep(0.2)
