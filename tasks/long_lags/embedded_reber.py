"""The embedded Reber grammar: the second symbol tells the one before the last."""

import dataclasses
import functools
from collections.abc import Collection
from typing import TYPE_CHECKING, Any

import numpy as np

from ..checks import check_choice, check_integer
from ..contract.batch_checks import check_sequence
from ..contract.finite import FiniteEvaluation, FiniteTask
from ..contract.neighbours import Beside
from ..contract.recipe import Recipe
from ..contract.splits import SPLITS
from ..contract.success import Success
from ..contract.task import Batch, Column
from ..models.recurrent import LSTM1997, LongMemoryLSTM
from .presentation import AnswerPresentation
from .training import NAMES, NETWORKS, online

if TYPE_CHECKING:
    import keras

SYMBOLS = "BTPSXVE"
# From each node of Reber's grammar: symbols and the nodes that they lead to.
EDGES: dict[int, dict[str, int]] = {
    0: {"B": 1},
    1: {"T": 2, "P": 3},
    2: {"S": 2, "X": 4},
    3: {"T": 3, "V": 5},
    4: {"X": 3, "S": 6},
    5: {"P": 4, "V": 6},
    6: {"E": 7},
}
LAST = 7
# A node of the grammar, or a name for one of those around it.
Node = int | str


class EmbeddedReberRecipe(Recipe):
    """Tuned, see docs/recipes.md. With more sequences a network learns the strings by
    heart, and is wrong on a few others."""

    solved_by = ("long-memory-lstm", "simple-rnn")
    compared_models = NAMES
    models = {
        LongMemoryLSTM: {"memory_steps": 1.0},
        LSTM1997: {
            "units": 6,
            "blocks": 3,
            "biased": "gates",
            "input_gate_bias": None,
            "output_gate_bias": (-1.0, -2.0, -3.0),
            "weight_range": 0.2,
        },
    }
    training = {
        **dict.fromkeys(
            NETWORKS, {"batch_size": 8, "learning_rate": 3e-3, "sequences": 20_000}
        ),
        LSTM1997: online(0.5, 100_000, epoch_steps=512),
    }


class ReberPresentation(AnswerPresentation):
    """Strings, and which symbols may follow at each step."""

    def render(self, batch: Batch, outputs: np.ndarray | None = None) -> str:
        lines = []
        for index, (inputs, targets, mask) in enumerate(zip(*batch, strict=True)):
            steps = int(mask.sum())
            text = "".join(SYMBOLS[i] for i in inputs[:steps].argmax(axis=1))
            lines.append(f"sequence {index}: {text}E")
            rows = {"may follow": targets[:steps, len(SYMBOLS) :]}
            if outputs is not None:
                # As many of the highest outputs as symbols may follow.
                order = outputs[index, :steps].argsort(axis=1).argsort(axis=1)
                least = len(SYMBOLS) - rows["may follow"].sum(axis=1, keepdims=True)
                rows["output"] = order >= least
            for label, row in rows.items():
                sets = (
                    "/".join(s for s, on in zip(SYMBOLS, at, strict=True) if on)
                    for at in row
                )
                lines.append(f"  {label:>10}  {' '.join(sets)}")
            lines.append("")
        return "\n".join(lines[:-1])


class ReberEvaluation(FiniteEvaluation):
    """An evaluation in which no string may be wrong."""

    def is_right(self, values: dict[str, float]) -> bool | None:
        return values["wrong"] == 0


@dataclasses.dataclass(frozen=True)
class EmbeddedReber(FiniteTask):
    """Symbols of a string in; which symbols may follow out.

    A string is B, then T or P, then a string of Reber's grammar, then the same of T and
    P again, then E. Splits hold different strings. A string is right if at every step
    the outputs of all symbols that may follow are above those of all others.

    The lags are short: a network learns most of it without a long memory, but not the
    symbol before the last.

    Args:
        strings: Number of strings in each split.
        data_seed: Seed of the strings.
        outputs: What the loss makes of the outputs of a model: softmax, with the
            cross-entropy; or sigmoid, with the squared error, as in the paper.
    Raises:
        ValueError: If a parameter is out of its range.
    Reference:
        Smith, Zipser (1989), Learning Sequential Structures with the Real-Time
        Recurrent Learning Algorithm. Hochreiter, Schmidhuber (1997), Long Short-Term
        Memory, experiment 1.
    """

    strings: int = 256
    data_seed: int = 0
    outputs: str = dataclasses.field(default="softmax", kw_only=True)

    name = "embedded-reber"
    presentation = Beside(ReberPresentation)
    evaluation = Beside(ReberEvaluation)
    recipe = Beside(EmbeddedReberRecipe)

    def __post_init__(self) -> None:
        strings = check_integer("strings", self.strings, maximum=10_000)
        object.__setattr__(self, "strings", strings)
        check_integer("data_seed", self.data_seed, minimum=0)
        check_choice("outputs", self.outputs, ("softmax", "sigmoid"))

    @property
    def input_size(self) -> int:
        return len(SYMBOLS)

    @property
    def output_size(self) -> int:
        return len(SYMBOLS)

    def examples(self, split: str) -> Batch:
        """The strings of a split; of each step the target holds the next symbol, one
        of seven, and then which of the seven may follow."""
        every_text = _strings(len(SPLITS) * self.strings, self.data_seed)
        steps = max(map(len, every_text)) - 1
        first = SPLITS.index(split) * self.strings
        texts = every_text[first : first + self.strings]
        inputs = np.zeros((len(texts), steps, len(SYMBOLS)), np.float32)
        targets = np.zeros((len(texts), steps, 2 * len(SYMBOLS)), np.float32)
        mask = np.zeros((len(texts), steps), np.float32)
        for row, text in enumerate(texts):
            numbers = [SYMBOLS.index(symbol) for symbol in text]
            every = np.arange(len(text) - 1)
            inputs[row, every, numbers[:-1]] = 1
            targets[row, every, numbers[1:]] = 1
            targets[row, : len(text) - 1, len(SYMBOLS) :] = legal_symbols(text)
            mask[row, : len(text) - 1] = 1
        return Batch(inputs, targets, mask)

    def solve(self, inputs: np.ndarray) -> np.ndarray:
        """Which symbols may follow at each step, by the grammar.

        Args:
            inputs: `(B, T, 7)`; steps of zeros follow a string.
        Returns:
            `(B, T, 7)` of 0 and 1.
        Raises:
            ValueError: If one is not the beginning of a string.
        """
        solved = np.zeros(np.shape(inputs), np.float32)
        for row, sequence in enumerate(np.asarray(inputs)):
            steps = int(sequence.any(axis=1).sum())
            text = "".join(SYMBOLS[i] for i in sequence[:steps].argmax(axis=1))
            solved[row, :steps] = legal_symbols(text, whole=False)
        return solved

    def loss(self) -> "keras.Loss":
        from .grammar_measures import NextSymbolLoss

        return NextSymbolLoss(len(SYMBOLS), self.outputs)

    def measures(self) -> "list[keras.Metric]":
        from .grammar_measures import WrongStrings

        return [WrongStrings(len(SYMBOLS))]

    @property
    def columns(self) -> dict[str, Column]:
        return {"wrong": Column("wrong strings", ".2%")}

    @property
    def success(self) -> Success | None:
        return Success("wrong", below=1e-6)

    def errors(self, batch: Batch, outputs: np.ndarray) -> dict[str, np.ndarray]:
        """For each string, `wrong`: whether an illegal symbol is as high as a legal one
        at some step, or an output is not a number."""
        legal = batch.targets[..., len(SYMBOLS) :] > 0.5
        lowest = np.where(legal, outputs, np.inf).min(axis=-1)
        highest = np.where(legal, -np.inf, outputs).max(axis=-1)
        wrong = ~(lowest > highest) & (batch.mask > 0)
        return {"wrong": wrong.any(axis=1).astype(float)}


def legal_symbols(text: str, whole: bool = True) -> np.ndarray:
    """Which symbols may follow each symbol of a string of the embedded grammar.

    Args:
        text: A string, or with `whole=False` the beginning of one.
        whole: Whether nothing is wanted after the last symbol.
    Returns:
        `(len(text), 7)`, without the last row if `whole`, of 0 and 1.
    Raises:
        ValueError: If no string begins so.
    """
    found = []
    node: Any = "begin"
    for place, symbol in enumerate(text):
        node = _next_node(node, symbol, text[1:2])
        check_sequence(EmbeddedReber, node is not None, f"has {symbol} at step {place}")
        found.append([float(s in _following(node, text[1:2])) for s in SYMBOLS])
    return np.array(found, np.float32)[: len(text) - 1 if whole else None]


def _following(node: Node, told: str) -> Collection[str]:
    if isinstance(node, int):
        return told if node == LAST else EDGES[node]
    if node == "begin":
        return "B"
    if node == "tell":
        return "TP"
    return "E" if node == "end" else ""


def _next_node(node: Node, symbol: str, told: str) -> Node | None:
    """The node after a symbol: of the grammar, or a name for those around it."""
    if symbol not in _following(node, told):
        return None
    around: dict[Node, Node] = {"begin": "tell", "tell": 0, LAST: "end", "end": "done"}
    return (
        EDGES[node][symbol] if isinstance(node, int) and node != LAST else around[node]
    )


@functools.lru_cache(maxsize=4)
def _strings(count: int, seed: int) -> tuple[str, ...]:
    """Different strings of the embedded grammar, in the order in which they were first
    drawn: later ones are rarer, and longer."""
    rng = np.random.default_rng(seed)
    found: dict[str, None] = {}
    while len(found) < count:
        told = "TP"[rng.integers(2)]
        inner, node = "", 0
        while node != LAST:
            symbols = list(EDGES[node])
            symbol = symbols[rng.integers(len(symbols))]
            inner += symbol
            node = EDGES[node][symbol]
        found[f"B{told}{inner}{told}E"] = None
    return tuple(found)
