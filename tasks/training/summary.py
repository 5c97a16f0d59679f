"""The summary of a run that has ended."""

import contextlib
import dataclasses

from ..evaluation import EvaluationResult, evaluate
from ..length_generalization import length_test
from ..runs.devices import alone
from ..runs.files import RunError
from ..runs.history import History
from ..runs.run import Run


@alone()
def summarize(run: Run, history: History, startup_seconds: float) -> dict:
    """Evaluates the saved model of a run and writes `summary.json`.

    Args:
        run: The run, with its model saved.
        history: Its epochs.
        startup_seconds: Time until the first step; 0 if nothing was left to train.
    Returns:
        The summary: signature, number of weights, when the task was solved, time and
        cores, the final measures, the evaluation, and the test of lengths if the run
        has one.
    """
    from memnets.cores import available_cores

    # The saved model is not compiled, so that no length is compiled for XLA.
    model = run.load_model()
    results = evaluate(model, run.task)
    summary = {
        "signature": run.signature,
        "weights": model.count_params(),
        "solved_at": history.solved_at(run.task),
        "startup_seconds": startup_seconds,
        "cores": len(available_cores()),
        **history.final,
        "evaluation": [dataclasses.asdict(result) for result in results],
    }
    if (lengths := run.training.test_lengths) is not None:
        count = run.training.test_sequences
        summary["by_length"] = length_test(model, run.task, lengths, count).summary
    if not startup_seconds:
        # Nothing was trained: keep the values of the summary that is there.
        with contextlib.suppress(RunError):
            before = run.read_summary()
            known = before.keys() & {"startup_seconds", "cores"}
            summary |= {key: before[key] for key in known}
    run.write_summary(summary)
    return summary


def results_of(summary: dict) -> list[EvaluationResult]:
    """The evaluation of a summary."""
    return [EvaluationResult(**entry) for entry in summary["evaluation"]]
