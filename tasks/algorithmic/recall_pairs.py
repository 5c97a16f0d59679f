"""The recall pairs task: keys ask for their values."""

import dataclasses

from .pairs import PairTask


@dataclasses.dataclass(frozen=True)
class RecallPairs(PairTask):
    """Random pairs of a key and a value in; then all keys in random order, and their
    values out.

    Two pairs of 2 bits (`memnets show recall-pairs`):

        input   0 █···█·      the keys
                1 ·██···
                2 ·█····      the values
                3 ██····
                4 ··█·█·      a key asks
        target  0    █ ·      its value, a step later
                1    █ █

    How many pairs are recalled without an error is the capacity of a memory.

    Args:
        num_bits: Width of a key, and of a value.
        min_pairs: Fewest pairs.
        max_pairs: Most pairs.
    Raises:
        ValueError: If a parameter is not a positive integer, or `min_pairs` exceeds
            `max_pairs`.
    """

    name = "recall-pairs"
    rounds = (0,)
