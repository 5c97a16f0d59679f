"""The associative recall task: given an item, recall the item that followed it."""

import dataclasses
from typing import TYPE_CHECKING, ClassVar

import numpy as np

from ..contract.batch_checks import (
    LONGEST,
    check_draw,
    check_inputs,
    check_integers,
    check_length,
    check_range,
    check_sequence,
    check_shares,
)
from ..contract.neighbours import Beside
from ..contract.sized_task import RangedEvaluation, RangedStream, RangedTask, Rng
from ..contract.task import Batch
from ..models.dnc import DNCLSTM, DNCFeedforward
from ..models.ntm import NTMLSTM, NTMFeedforward
from .base import BitRecipe, BitTask
from .presentation import BitsPresentation

if TYPE_CHECKING:
    from ..contract.task import Task


class AssociativeRecallRecipe(BitRecipe):
    """Settings of networks with a memory, which finds a row by content."""

    solved_by = ("ntm-feedforward", "ntm-lstm", "dnc-feedforward", "dnc-lstm")

    # Tuned, see docs/recipes.md. A randomized initial memory: heads that depended on a
    # fixed row failed when a longer list overwrote it. A clipped cell state of the
    # LSTM: the controller stores less itself, and uses the memory. The second head of
    # each kind stays: to search is one job, to read on row after row another.
    _ntm: ClassVar[dict] = {
        "memory_size": 256,
        "num_read_heads": 2,
        "num_write_heads": 2,
        "initial_memory": "randomized",
        "shift_bias": (2.0, -2.0),
    }
    # A DNC that reads softly, or writes by content while it reads the list, is right on
    # short lists and not on long ones: see docs/recipes.md.
    _dnc: ClassVar[dict] = {
        "memory_size": 128,
        "word_size": 32,
        "masks": True,
        "sharpen_links": True,
        "allocation_bias": 4.0,
        "initial_memory": "randomized",
    }
    models = {
        NTMFeedforward: _ntm,
        NTMLSTM: {**_ntm, "cell_clip": 1.0},
        DNCFeedforward: {"memory_size": 128, "initial_memory": "randomized"},
        DNCLSTM: _dnc,
    }
    _training: ClassVar[dict] = {
        "learning_rate": 4e-3,
        "sequences": 100_000,
        "batch_size": 8,
    }
    # Draws that learn have done so after 16,000 sequences.
    _starts: ClassVar[dict] = {**_training, "starts": 3, "start_sequences": 16_000}
    training = {
        NTMFeedforward: _training,
        NTMLSTM: _training,
        DNCFeedforward: _starts,
        DNCLSTM: _starts,
    }


class AssociativeRecallStream(RangedStream):
    """Items in training are similar to the query more often."""

    def sample(self, batch_size: int, rng: Rng = None) -> Batch:
        task = self.task
        # An item of one vector with a vector in common would be the query itself.
        share = task.similar_items if task.item_length > 1 else 0
        return task._sample(batch_size, rng, share)


class RecallEvaluation(RangedEvaluation):
    """An evaluation by the number of items."""

    def at_length(self, length: int) -> "Task":
        return super().at_length(check_length(length, minimum=2))


@dataclasses.dataclass(frozen=True)
class AssociativeRecall(RangedTask, BitTask):
    """A list of items in, then one of them as the query; the item that followed it out.

    Two items of 2 vectors of 2 bits; the query is the first (`memnets show
    associative-recall`):

        input   0 ··█·█···█···     the items, then the query
                1 ·██··█·██···
                2 █··█········     a delimiter before each item
                3 ······█··█··     and around the query
        target  0           █·     the second item
                1           ·█

    The length of a sequence is its number of items. The network must find a row of its
    memory by content, and advance from there.

    In training sequences some items are similar to the query: they have a vector in
    common with it. Among uniformly drawn items such pairs are rare. A network that
    compares only one vector of an item is then right most of the time, and does not
    learn to compare the whole item. `sample` draws all items uniformly.

    Deviation: the paper draws the items of training uniformly too.

    Args:
        num_bits: Width of the vectors.
        item_length: Vectors in an item.
        min_items: Fewest items, at least 2.
        max_items: Most items.
        similar_items: In training, the share of the items that get a vector of the
            query; 0 for items of one vector.
    Raises:
        ValueError: If a number is not a positive integer, `min_items` is 1 or exceeds
            `max_items`, or `similar_items` is not from 0 to 1.
    Reference:
        Graves, Wayne, Danihelka (2014), Neural Turing Machines, arXiv:1410.5401,
        section 4.3.
    """

    num_bits: int = 6
    item_length: int = 3
    min_items: int = 2
    max_items: int = 6
    similar_items: float = 0.1  # tuned: with 0.3 networks stalled more often

    name = "associative-recall"
    size_names = ("items",)
    presentation = Beside(BitsPresentation)  # as in the paper's Figure 11
    evaluation = Beside(RecallEvaluation)
    recipe = Beside(AssociativeRecallRecipe)
    stream = Beside(AssociativeRecallStream)

    def __post_init__(self) -> None:
        check_integers(self, "num_bits", "item_length")
        # At least 2: an item follows the query.
        check_integers(self, "min_items", "max_items", minimum=2)
        check_range(self, "min_items", "max_items")
        check_shares(self, "similar_items")

    @property
    def input_size(self) -> int:
        return self.num_bits + 2

    @property
    def output_size(self) -> int:
        return self.num_bits

    @property
    def eval_lengths(self) -> tuple[int, ...]:
        # With the default of 6: the paper's 6, 10, 12, 15, 20.
        lengths = (round(share * self.max_items / 6) for share in (6, 10, 12, 15, 20))
        return tuple(length for length in lengths if length <= LONGEST)

    @property
    def signature(self) -> str:
        return (
            f"{self.name}|bits:{self.num_bits}|item:{self.item_length}"
            f"|items:{self.min_items}-{self.max_items}|similar:{self.similar_items}"
        )

    def sample(self, batch_size: int, rng: Rng = None) -> Batch:
        return self._sample(batch_size, rng, similar=0.0)

    def _sample(self, batch_size: int, rng: Rng, similar: float) -> Batch:
        batch_size, rng = check_draw(batch_size, rng)
        counts = rng.integers(self.min_items, self.max_items + 1, batch_size)
        shape = (batch_size, self.max_items, self.item_length, self.num_bits)
        items = rng.integers(0, 2, shape).astype(np.float32)
        asked = rng.integers(0, counts - 1)
        if similar:
            self._make_similar(items, counts, asked, similar, rng)
        width, answer = self.item_length + 1, self.item_length
        steps = (self.max_items + 1) * width + 1 + answer
        inputs = np.zeros((batch_size, steps, self.input_size), np.float32)
        mask = np.zeros((batch_size, steps), np.float32)
        for sequence, shown, own, count, index in zip(
            inputs, mask, items, counts, asked, strict=True
        ):
            listed = sequence[: (count + 1) * width].reshape(count + 1, width, -1)
            listed[:count, 0, self.num_bits] = 1.0
            listed[:count, 1:, : self.num_bits] = own[:count]
            listed[count, 0, self.num_bits + 1] = 1.0
            listed[count, 1:, : self.num_bits] = own[index]
            end = (count + 1) * width
            sequence[end, self.num_bits + 1] = 1.0
            shown[end + 1 : end + 1 + answer] = 1.0
        return Batch(inputs, self.solve(inputs), mask)

    def _make_similar(
        self,
        items: np.ndarray,
        counts: np.ndarray,
        asked: np.ndarray,
        share: float,
        rng: np.random.Generator,
    ) -> None:
        for own, count, index in zip(items, counts, asked, strict=True):
            for other in range(count):
                if other != index and rng.random() < share:
                    vector = rng.integers(self.item_length)
                    own[other, vector] = own[index, vector]

    def solve(self, inputs: np.ndarray) -> np.ndarray:
        """If the query is in the list twice, the first of them counts."""
        inputs = check_inputs(self, inputs)
        targets = np.zeros((*inputs.shape[:2], self.output_size), np.float32)
        for sequence, target in zip(inputs, targets, strict=True):
            around = np.flatnonzero(sequence[:, self.num_bits + 1])
            check_sequence(self, len(around) == 2, "has no query")
            begin, end = around
            query = sequence[begin + 1 : end, : self.num_bits]
            starts = np.flatnonzero(sequence[:begin, self.num_bits])
            check_sequence(
                self,
                len(starts) and np.all(np.diff([*starts, begin]) == len(query) + 1),
                "has items of another length than its query",
            )
            items = [
                sequence[s + 1 : s + 1 + len(query), : self.num_bits] for s in starts
            ]
            found = [p for p, item in enumerate(items) if (item == query).all()]
            check_sequence(self, found, "has a query that is not in its list")
            answer = target[end + 1 : end + 1 + len(query)]
            check_sequence(self, len(answer) == len(query), "ends before its answer")
            # After the last item there is none: the targets stay 0.
            if found[0] + 1 < len(items):
                answer[:] = items[found[0] + 1]
        return targets
