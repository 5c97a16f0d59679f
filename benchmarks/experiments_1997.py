"""The experiments of Hochreiter and Schmidhuber (1997), Long Short-Term Memory, and one
of Elman (1990): their tables, and the tasks, models and bounds beside them."""

import dataclasses
from typing import Any

import tasks


@dataclasses.dataclass(frozen=True)
class Recipe:
    """How a network is trained on an experiment.

    Attributes:
        task: Parameters of the task.
        model: Name of the model.
        training: Training parameters that are not the task's own.
    """

    task: dict[str, Any]
    model: str = "long-memory-lstm"
    training: dict[str, Any] = dataclasses.field(default_factory=dict)


@dataclasses.dataclass(frozen=True)
class Experiment:
    """A row of the tables of 1997.

    Attributes:
        key: Its name here.
        number: Its number in the paper.
        text: What is particular about it.
        task: Name of the task.
        sequences: Training sequences until the paper's network had learned it, if the
            paper has it.
        wrong: Share of wrong test sequences, if the paper has it.
        modern: The recipe of today.
        classic: That of the paper, if there is one here.
        bar: Sequences within which the modern recipe must solve it.
        most_wrong: Share of wrong test sequences that the modern recipe may have.
    """

    key: str
    number: str
    text: str
    task: str
    sequences: int | None
    wrong: float | None
    modern: Recipe | None
    classic: Recipe | None
    bar: int
    most_wrong: float

    def recipe(self, name: str) -> Recipe | None:
        """The recipe `modern` or `classic`."""
        return {"modern": self.modern, "classic": self.classic}[name]


def _classic(**task: Any) -> Recipe:
    """The network of 1997, which stops when it has solved the task."""
    return Recipe(task, "lstm-1997", {"stop_when_solved": True})


def _experiment(
    key: str,
    number: str,
    text: str,
    task: str,
    published: tuple[int, float | None],
    bar: tuple[int, float],
    parameters: dict[str, Any],
    classic: dict[str, Any] | None = None,
) -> Experiment:
    """An experiment whose recipes have the same parameters of the task; `classic` has
    those that the paper's network needs besides, or is None if there is no recipe."""
    return Experiment(
        key,
        number,
        text,
        task,
        *published,
        Recipe(parameters),
        None if classic is None else _classic(**parameters, **classic),
        *bar,
    )


SIGMOID = {"outputs": "sigmoid"}
# Of 2,560 sequences.
THREE, FOURTEEN = 3 / 2_560, 14 / 2_560

EXPERIMENTS = (
    _experiment(
        *("1", "1", "embedded Reber grammar", "embedded-reber"),
        *((8_440, 0.0), (14_060, 0.0), {}),
    ),
    _experiment(
        *("2a", "2a", "p = 100", "long-lag", (5_040, None), (32_400, THREE)),
        {"variant": "a", "symbols": 100},
    ),
    _experiment(
        *("2b", "2b", "p = 100", "long-lag", (5_680, None), (32_400, THREE)),
        {"variant": "b", "symbols": 100},
    ),
    *(
        _experiment(
            *(f"2c-{lag}-{symbols}", "2c", f"q = {lag:,}, p = {symbols:,}"),
            *("long-lag", (published, None), (bar, THREE)),
            {"lag": lag, "symbols": symbols},
            SIGMOID if lag <= 100 else None,
        )
        for lag, symbols, published, bar in (
            (50, 50, 30_000, 12_000),
            (100, 100, 31_000, 12_000),
            (1_000, 1_000, 49_000, 12_000),
        )
    ),
    *(
        _experiment(
            *(f"3{variant}-{informative}", f"3{variant}"),
            *(f"T = 100, N = {informative}", "two-sequence"),
            *((published, wrong), (published, wrong)),
            {"variant": variant, "informative": informative},
            SIGMOID,
        )
        for variant, informative, published, wrong in (
            ("a", 3, 39_850, 0.000195),
            ("a", 1, 64_330, 0.000117),
            ("b", 3, 43_250, 0.00828),
            ("b", 1, 78_430, 0.01500),
            ("c", 3, 269_650, 0.00558),
            ("c", 1, 565_640, 0.00441),
        )
    ),
    *(
        _experiment(
            *(f"3{variant}-{informative}-1000", f"3{variant}"),
            *(f"T = 1,000, N = {informative}", "two-sequence"),
            *((published, wrong), (published, wrong)),
            {"variant": variant, "informative": informative, "min_steps": 1_000},
        )
        for variant, informative, published, wrong in (
            ("a", 3, 452_460, 0.000078),
            ("b", 1, 485_080, 0.01207),
        )
    ),
    *(
        _experiment(
            *(f"4-{steps}", "4", f"T = {steps:,}", "adding"),
            *((published, wrong / 2_560), (40_000, THREE), {"min_steps": steps}),
            {} if steps == 100 else None,
        )
        for steps, published, wrong in (
            (100, 74_000, 1),
            (500, 209_000, 0),
            (1_000, 853_000, 1),
        )
    ),
    Experiment(
        *("5", "5", "T = 100; less than 13 wrong of the last 2,000"),
        *("multiplication", 1_273_000, FOURTEEN),
        Recipe({}),
        _classic(wrong_of_2000=13),
        *(300_000, FOURTEEN),
    ),
    Experiment(
        *("5-140", "5", "T = 100; less than 140 wrong of the last 2,000"),
        *("multiplication", 482_000, 139 / 2_560),
        None,
        _classic(wrong_of_2000=140),
        *(300_000, 139 / 2_560),
    ),
    _experiment(
        *("6a", "6a", "two marks", "temporal-order"),
        *((31_390, 1 / 2_560), (15_000, THREE), {"marks": 2}, SIGMOID),
    ),
    _experiment(
        *("6b", "6b", "three marks", "temporal-order"),
        *((571_100, 2 / 2_560), (40_000, THREE), {"marks": 3}, SIGMOID),
    ),
    Experiment(
        *("xor", "Elman", "temporal XOR", "temporal-xor", None, None),
        Recipe({}, "simple-rnn"),
        *(None, 320_000, 0.0),
    ),
)
BY_KEY = {experiment.key: experiment for experiment in EXPERIMENTS}


def parts_of(experiment: Experiment, recipe: Recipe) -> tuple[Any, Any]:
    """The task and the model of a recipe."""
    task = tasks.get_task(experiment.task, **recipe.task)
    return task, tasks.get_model(recipe.model, task)
