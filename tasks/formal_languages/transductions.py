"""Strings of symbols in, and the same symbols in another order out."""

import dataclasses
import string

import numpy as np

from ..checks import check_integer
from ..contract.batch_checks import check_sequence, check_share
from ..contract.neighbours import Beside
from ..contract.sized_task import RangedStream, between
from .stack_training import BigramFlipRecipe, LetterCopyRecipe, ReversalRecipe
from .strings import ASK, TransductionTask

LETTERS = string.ascii_lowercase


@dataclasses.dataclass(frozen=True)
class LetterTask(TransductionTask):
    """A source of letters, whose answer has the same letters."""

    min_length: int = 8
    max_length: int = 64
    num_symbols: int = 8

    eval_factors = (1, 2)

    def __post_init__(self) -> None:
        super().__post_init__()
        check_integer("num_symbols", self.num_symbols, 2, len(LETTERS))

    @property
    def input_names(self) -> tuple[str, ...]:
        return (*LETTERS[: self.num_symbols], ASK)

    @property
    def outputs(self) -> tuple[str, ...]:
        return tuple(LETTERS[: self.num_symbols])

    def steps(self, length: int) -> int:
        return 2 * length + 1

    def draw_string(self, length: int, rng: np.random.Generator) -> str:
        drawn = rng.integers(self.num_symbols, size=length)
        return "".join(LETTERS[index] for index in drawn) + ASK

    def transduce(self, source: str) -> str:
        is_source = bool(source) and set(source) <= set(self.outputs)
        check_sequence(self, is_source, f"has no letters before {ASK!r}")
        return self.reordered(source)

    def reordered(self, source: str) -> str:
        """The letters of the answer."""
        raise NotImplementedError


@dataclasses.dataclass(frozen=True)
class LetterCopy(LetterTask):
    """Letters in; the same letters in the same order out, as abcd and abcd.

    Args:
        min_length: Fewest letters.
        max_length: Most letters.
        num_symbols: Size of the alphabet, up to 26.
    Raises:
        ValueError: If a parameter is out of its range, or `min_length > max_length`.
    Reference:
        Grefenstette, Hermann, Suleyman, Blunsom (2015), Learning to Transduce with
        Unbounded Memory, arXiv:1506.02516, section 4.1.
    """

    name = "letter-copy"
    recipe = Beside(LetterCopyRecipe)

    def reordered(self, source: str) -> str:
        return source


@dataclasses.dataclass(frozen=True)
class Reversal(LetterTask):
    """Letters in; the same letters in reverse order out, as abcd and dcba.

    Args:
        min_length: Fewest letters.
        max_length: Most letters.
        num_symbols: Size of the alphabet, up to 26.
    Raises:
        ValueError: If a parameter is out of its range, or `min_length > max_length`.
    Reference:
        Grefenstette, Hermann, Suleyman, Blunsom (2015), Learning to Transduce with
        Unbounded Memory, arXiv:1506.02516, section 4.1.
    """

    name = "reversal"
    recipe = Beside(ReversalRecipe)

    def reordered(self, source: str) -> str:
        return source[::-1]


class BigramFlipStream(RangedStream):
    """Longer sources in a curriculum, of an even number of letters."""

    def easier(self, share: float) -> "BigramFlip":
        least, most = self.task.min_length // 2, self.task.max_length // 2
        pairs = between(least, most, check_share(share))
        return dataclasses.replace(self.task, max_length=2 * pairs)


@dataclasses.dataclass(frozen=True)
class BigramFlip(LetterTask):
    """Letters in; the same letters with each pair swapped out, as abcd and badc.

    Args:
        min_length: Fewest letters, an even number.
        max_length: Most letters, an even number.
        num_symbols: Size of the alphabet, up to 26.
    Raises:
        ValueError: If a parameter is out of its range, or `min_length > max_length`.
    Reference:
        Grefenstette, Hermann, Suleyman, Blunsom (2015), Learning to Transduce with
        Unbounded Memory, arXiv:1506.02516, section 4.1.
    """

    name = "bigram-flip"
    recipe = Beside(BigramFlipRecipe)
    stream = Beside(BigramFlipStream)

    def __post_init__(self) -> None:
        super().__post_init__()
        for name in ("min_length", "max_length"):
            if getattr(self, name) % 2:
                raise ValueError(
                    f"`{name}` must be even: letters are swapped in pairs. "
                    f"Received: {name}={getattr(self, name)}"
                )

    def draw_lengths(self, count: int, rng: np.random.Generator) -> np.ndarray:
        return 2 * rng.integers(self.min_length // 2, self.max_length // 2 + 1, count)

    def reordered(self, source: str) -> str:
        check_sequence(self, len(source) % 2 == 0, "has an odd number of letters")
        return "".join(
            second + first
            for first, second in zip(source[::2], source[1::2], strict=True)
        )
