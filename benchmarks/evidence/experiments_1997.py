"""The experiments of Hochreiter and Schmidhuber (1997), Long Short-Term Memory, and one
of Elman (1990): what the papers report, and the tasks and models that stand beside."""

import dataclasses
from typing import Any

import tasks

# From so many steps on a run takes minutes, and the modern recipe stops at its goal.
LONG = 1_000
# Classes and numbers 0 or 1 are the outputs of logistic units in the paper.
LOGISTIC = {"outputs": "sigmoid"}


@dataclasses.dataclass(frozen=True)
class Experiment:
    """A row of the tables of 1997.

    Attributes:
        key: Its name here.
        number: Its number in the paper.
        text: What is particular about it.
        task: Name of the task.
        parameters: Parameters of the task.
        sequences: Training sequences until the paper's network had learned it, if the
            paper has it.
        wrong: Share of wrong test sequences, if the paper has it.
        modern: Name of the model of today; None if the row is about the classic recipe
            alone.
        classic: Parameters of the task that the paper's network needs besides; None if
            it is not trained here.
        stops: Whether the modern recipe stops when the task is solved, as the paper
            does.
    """

    key: str
    number: str
    text: str
    task: str
    parameters: dict[str, Any]
    sequences: int | None = None
    wrong: float | None = None
    modern: str | None = "long-memory-lstm"
    classic: dict[str, Any] | None = None
    stops: bool = False

    def parts(self, recipe: str) -> tuple[Any, Any, dict[str, Any]] | None:
        """The task, the model and the training parameters of a recipe: `modern`,
        `classic`, or the name of a network in place of the modern one; None if the
        experiment has no such recipe."""
        if recipe == "classic":
            if self.classic is None:
                return None
            task = tasks.get_task(self.task, **self.parameters, **self.classic)
            model = tasks.get_model("lstm-1997", task)
            return task, model, {"stop_when_solved": True}
        if self.modern is None:
            return None
        task = tasks.get_task(self.task, **self.parameters)
        name = self.modern if recipe == "modern" else recipe
        training = {"stop_when_solved": True} if self.stops else {}
        return task, tasks.get_model(name, task), training

    def recipe_of(self, network: str) -> str:
        """The recipe by which a network of the gallery is trained."""
        if network == "lstm-1997":
            return "classic"
        return "modern" if network == self.modern else network


def _long_lag(lag, symbols, sequences):
    """A row of table 3."""
    return Experiment(
        key=f"2c-{lag}-{symbols}",
        number="2c",
        text=f"q = {lag:,}, p = {symbols:,}",
        task="long-lag",
        parameters={"lag": lag, "symbols": symbols},
        sequences=sequences,
        classic=LOGISTIC if lag <= 100 else None,
        stops=lag > 100,
    )


def _two_sequence(variant, steps, informative, sequences, wrong):
    """A row of the tables 4 to 6."""
    return Experiment(
        key=f"3{variant}-{informative}" + ("" if steps == 100 else f"-{steps}"),
        number=f"3{variant}",
        text=f"T = {steps:,}, N = {informative}",
        task="two-sequence",
        parameters={
            "variant": variant,
            "informative": informative,
            "min_steps": steps,
        },
        sequences=sequences,
        wrong=wrong,
        classic=LOGISTIC if steps == 100 else None,
        stops=steps >= LONG,
    )


def _adding(steps, sequences, wrong):
    """A row of table 7."""
    return Experiment(
        key=f"4-{steps}",
        number="4",
        text=f"T = {steps:,}",
        task="adding",
        parameters={"min_steps": steps},
        sequences=sequences,
        wrong=wrong / 2_560,
        classic={} if steps == 100 else None,
        stops=steps >= LONG,
    )


def _multiplication(most_wrong, sequences, wrong):
    """A row of table 8."""
    return Experiment(
        key=f"5-{most_wrong}",
        number="5",
        text=f"T = 100, n = {most_wrong}: less than {most_wrong} of 2,000 wrong",
        task="multiplication",
        parameters={"wrong_of_2000": most_wrong},
        sequences=sequences,
        wrong=wrong / 2_560,
        stops=True,
    )


def _temporal_order(letter, marks, sequences, wrong):
    """A row of table 9."""
    return Experiment(
        key=f"6{letter}",
        number=f"6{letter}",
        text=f"{marks} marks",
        task="temporal-order",
        parameters={"marks": marks},
        sequences=sequences,
        wrong=wrong / 2_560,
        classic=LOGISTIC,
    )


def _limit(text, task):
    """What section 6 names as a limit of the paper's network, without numbers."""
    return Experiment(
        key=task, number="limit", text=text, task=task, parameters={}, classic=LOGISTIC
    )


EXPERIMENTS = (
    Experiment("1", "1", "embedded Reber grammar", "embedded-reber", {}, 8_440, 0.0),
    Experiment("2a", "2a", "p = 100", "long-lag", {"variant": "a"}, 5_040),
    Experiment("2b", "2b", "p = 100", "long-lag", {"variant": "b"}, 5_680),
    _long_lag(50, 50, 30_000),
    _long_lag(100, 100, 31_000),
    _long_lag(200, 200, 33_000),
    _long_lag(500, 500, 38_000),
    _long_lag(1_000, 1_000, 49_000),
    _long_lag(1_000, 500, 49_000),
    _long_lag(1_000, 200, 75_000),
    _long_lag(1_000, 100, 135_000),
    _long_lag(1_000, 50, 203_000),
    _two_sequence("a", 100, 3, 39_850, 0.000195),
    _two_sequence("a", 100, 1, 64_330, 0.000117),
    _two_sequence("a", 1_000, 3, 452_460, 0.000078),
    _two_sequence("b", 100, 3, 43_250, 0.00828),
    _two_sequence("b", 100, 1, 78_430, 0.01500),
    Experiment(
        *("3b-1-bold", "3b", "T = 100, N = 1, exponent 1.5", "two-sequence"),
        {"variant": "b", "informative": 1, "exponent": 1.5},
        *(78_430, 0.01500),
    ),
    _two_sequence("b", 1_000, 1, 485_080, 0.01207),
    Experiment(
        *("3b-1-1000-bold", "3b", "T = 1,000, N = 1, exponent 1.5", "two-sequence"),
        {"variant": "b", "informative": 1, "exponent": 1.5, "min_steps": 1_000},
        *(485_080, 0.01207),
        stops=True,
    ),
    _two_sequence("c", 100, 3, 269_650, 0.00558),
    _two_sequence("c", 100, 1, 565_640, 0.00441),
    _adding(100, 74_000, wrong=1),
    _adding(500, 209_000, wrong=0),
    _adding(1_000, 853_000, wrong=1),
    _multiplication(140, 482_000, wrong=139),
    _multiplication(13, 1_273_000, wrong=14),
    Experiment("5-1", "5", "T = 100, none of 2,000 wrong", "multiplication", {}),
    _temporal_order("a", 2, 31_390, wrong=1),
    _temporal_order("b", 3, 571_100, wrong=2),
    _limit("delayed XOR", "delayed-xor"),
    _limit("99 or 100 steps ago", "step-count"),
    Experiment("xor", "Elman", "temporal XOR", "temporal-xor", {}, modern="simple-rnn"),
)
# Networks side by side, and the experiments on which they are.
GALLERY = ("lstm-1997", "long-memory-lstm", "gru", "simple-rnn", "ntm-lstm")
IN_GALLERY = ("2c-50-50", "3a-3", "4-100", "5-1", "6a", "6b", "xor")
BY_KEY = {experiment.key: experiment for experiment in EXPERIMENTS}
