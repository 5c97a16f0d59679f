"""The key-value task: either half of a word asks for the other."""

import dataclasses

from ..contract.neighbours import Beside
from ..contract.recipe import Settings
from ..models.dnc import DNCFeedforward
from .pairs import PairTask, VectorPairRecipe


class KeyValueRecipe(VectorPairRecipe):
    """Tuned, see docs/recipes.md."""

    training = {DNCFeedforward: {"sequences": 64_000}}

    @property
    def models(self) -> Settings:
        # Four rows for each word, with room for a word.
        return {
            DNCFeedforward: {
                "memory_size": 4 * self.task.max_pairs,
                "word_size": 32,
                "num_read_heads": 2,
                "masks": True,
            }
        }


@dataclasses.dataclass(frozen=True)
class KeyValue(PairTask):
    """Words of two halves in; then all first halves ask for the second ones, and all
    second halves for the first ones, each time in random order.

    Two words with halves of 2 bits (`memnets show key-value`):

        input   0 ███·█·····      the first halves
                1 ·██·······
                2 ·█····█···      the second halves
                3 █·······█·
                4 ··█·█·····      a first half asks
                5 ······█·█·      a second half asks
        target  0    █ · █ █      the other half, a step later
                1    · █ █ ·

    The network must find a word by one half of it, and does not know by which half
    until it is asked. A key that is compared with the whole word is disturbed by the
    other half. The masks of a DNC leave that half out.

    Args:
        num_bits: Width of a half.
        min_pairs: Fewest words.
        max_pairs: Most words.
    Raises:
        ValueError: If a parameter is not a positive integer, or `min_pairs` exceeds
            `max_pairs`.
    Reference:
        After Csordas, Schmidhuber (2019), Improving Differentiable Neural Computers
        Through Memory Masking, De-allocation, and Link Distribution Sharpness Control,
        arXiv:1904.10278.
    """

    name = "key-value"
    rounds = (0, 1)
    recipe = Beside(KeyValueRecipe)
