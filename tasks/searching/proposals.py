"""What a search tries next, and which trials it stops: Optuna's part."""

import types
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from ..training_options.training_config import MAX_SEED
from .axes import Axis
from .trial import COMPLETE, FAILED, PRUNED, RUNNING, Trial

if TYPE_CHECKING:
    import optuna


# So many trials end before any is stopped early.
FIRST_TRIALS = 5
# No trial is stopped in the first parts of its budget, where losses say little.
FIRST_PARTS = 2

NEEDED = (
    "A search needs the package optuna, which is not installed: "
    "pip install 'memnets[search]'."
)


def check_is_installed() -> None:
    """Raises ImportError if Optuna is not there."""
    _optuna()


def propose(
    axes: dict[str, Axis],
    trials: Sequence[Trial],
    start: dict[str, Any],
    seed: int,
) -> dict[str, Any]:
    """The settings of the next trial.

    They follow from the arguments alone: a search that was stopped goes on as if it had
    not been.

    Args:
        axes: What varies.
        trials: The trials so far, also those that run.
        start: Settings of the first trial, as far as they are known.
        seed: Seed of the search.
    Returns:
        A value for each axis.
    Reference:
        Bergstra, Bardenet, Bengio, Kegl (2011), Algorithms for Hyper-Parameter
        Optimization: the tree-structured Parzen estimator.
    """
    study = _study(axes, trials)
    # A sampler of its own for each trial: its random numbers do not depend on how many
    # an earlier process had drawn.
    study.sampler = _optuna().samplers.TPESampler(
        seed=(1000 * seed + len(trials)) % (MAX_SEED + 1),
        multivariate=True,
        constant_liar=True,
    )
    if not trials:
        study.enqueue_trial({n: axes[n].to_optuna(v) for n, v in start.items()})
    found = study.ask(_distributions(axes)).params
    settings = {name: axes[name].from_optuna(value) for name, value in found.items()}
    return settings if trials else {**settings, **start}


def parts_until_hopeless(
    axes: dict[str, Axis],
    trials: Sequence[Trial],
    trial: Trial,
    losses: Sequence[float],
) -> int:
    """After how many parts of its budget a trial with these losses is stopped; 0 if it
    is not: where its best loss so far is above the median of those of complete trials.

    Args:
        axes: What varies.
        trials: The trials to compare it with.
        trial: The trial.
        losses: Its losses, see `losses_of`.
    Reference:
        Golovin et al. (2017), Google Vizier: the median stopping rule.
    """
    pruner = _optuna().pruners.MedianPruner(
        n_startup_trials=FIRST_TRIALS,
        # Its steps are our parts, which begin at 1: the first that counts is the next.
        n_warmup_steps=FIRST_PARTS + 1,
    )
    study = _study(axes, trials)
    # Part by part: the answer must not depend on when somebody looked.
    for part in range(1, len(losses) + 1):
        so_far = Trial(trial.number, trial.settings, losses=tuple(losses[:part]))
        if pruner.prune(study, _frozen(axes, so_far)):
            return part
    return 0


def importances(axes: dict[str, Axis], trials: Sequence[Trial]) -> dict[str, float]:
    """How much each setting decided whether a trial was among the best tenth, as shares
    of 1. Empty if there are too few trials.

    Reference:
        Watanabe, Bansal, Hutter (2023), PED-ANOVA, arXiv:2304.10255.
    """
    if sum(trial.state == COMPLETE for trial in trials) <= FIRST_TRIALS:
        return {}
    importance = _optuna().importance
    found = importance.get_param_importances(
        _study(axes, trials), evaluator=importance.PedAnovaImportanceEvaluator()
    )
    return {name: float(found.get(name, 0.0)) for name in axes}


def _optuna() -> types.ModuleType:
    try:
        import optuna
    except ImportError:
        raise ImportError(NEEDED) from None
    optuna.logging.set_verbosity(optuna.logging.WARNING)
    return optuna


def _study(axes: dict[str, Axis], trials: Sequence[Trial]) -> "optuna.Study":
    study = _optuna().create_study()
    for trial in trials:
        study.add_trial(_frozen(axes, trial))
    return study


def _frozen(axes: dict[str, Axis], trial: Trial) -> "optuna.trial.FrozenTrial":
    """A trial as Optuna has it. One that failed counts as one that was stopped at once,
    which is worse than all others."""
    optuna = _optuna()
    states = optuna.trial.TrialState
    return optuna.trial.create_trial(
        state={
            RUNNING: states.RUNNING,
            COMPLETE: states.COMPLETE,
            PRUNED: states.PRUNED,
            FAILED: states.PRUNED,
        }[trial.state],
        value=trial.score,
        params={
            name: axes[name].to_optuna(value) for name, value in trial.settings.items()
        },
        distributions=_distributions(axes),
        intermediate_values=dict(enumerate(trial.losses, start=1)),
    )


def _distributions(
    axes: dict[str, Axis],
) -> "dict[str, optuna.distributions.BaseDistribution]":
    return {name: axis.distribution() for name, axis in axes.items()}
