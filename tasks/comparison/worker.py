"""The process that trains one run of a comparison.

It reads one job as JSON from standard input::

    {"task": {"name": TASK, ...}, "model": {...}, "training": {...},
     "out": "runs/compare-TASK/MODEL-1", "resume": false, "imports": [], "cores": [0]}

and writes an object a line to standard output: the progress, and at the end
`{"done": true}` or `{"error": "why"}`.
"""

import json
import os
import sys
import traceback
from typing import IO

from ..own_code import import_code
from ..registry import saved_model, saved_task
from ..runs.training_config import TrainingConfig
from ..training.summary import results_of
from .cores import stay_on


def main() -> int:
    """Trains the job of standard input. Returns the exit status."""
    job = json.load(sys.stdin)
    stay_on(job["cores"])  # before Keras counts them
    output = _own_standard_output()
    try:
        train_job(job, output)
    except Exception as error:
        traceback.print_exc()
        reason = " ".join(str(error).split()) or type(error).__name__
        print(json.dumps({"error": reason}), file=output, flush=True)
        return 1
    print(json.dumps({"done": True}), file=output, flush=True)
    return 0


def _own_standard_output() -> IO[str]:
    """Standard output for the lines of this module alone; whatever else is printed goes
    to standard error."""
    output = os.fdopen(os.dup(1), "w", encoding="utf-8")
    os.dup2(2, 1)
    return output


def train_job(job: dict, output: IO[str]) -> None:
    """Trains a job, evaluates it, and writes its report.

    Args:
        job: The job, see above.
        output: The stream for the progress.
    Raises:
        ValueError: If the job names an unknown task, model or file.
        RunError: If the directory cannot be used.
        RuntimeError: If the training was stopped or has diverged.
    """
    for name in job["imports"]:
        import_code(name)
    task, model = saved_task(job["task"]), saved_model(job["model"])
    # Imported here: Keras must count the cores of this process after `stay_on`.
    from ..report.report import write_report
    from ..training.training import train
    from .json_progress import JsonLines

    result = train(
        task,
        model,
        out=job["out"],
        resume=job["resume"],
        force=not job["resume"],
        progress=False,
        callbacks=[JsonLines(task, TrainingConfig(**job["training"]), output)],
        **job["training"],
    )
    if result.interrupted or result.run is None or result.summary is None:
        raise RuntimeError("it was stopped by hand; the same comparison continues it.")
    write_report(result.run, results=results_of(result.summary))
