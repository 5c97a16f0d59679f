"""The simulator of stories, which also knows the answers."""

import functools
import itertools
import random
from collections.abc import Callable

from .people import DROPPED, MOVED, PEOPLE, PLACES, THINGS, TOOK
from .puzzles import ANIMALS, DIRECTIONS, NAMES, OPPOSITE, tell_deduction, tell_path
from .questions import KINDS, NUMBERS, tell_people
from .story import ASK, Story, Words

# How a story of each kind is told: of at most so many sentences, by a generator.
TELLERS: dict[str, Callable[[int, random.Random], Story]] = {
    **{kind: functools.partial(tell_people, kind) for kind in KINDS},
    "deduction": tell_deduction,
    "path": tell_path,
}
# Words of the longest text, "where was the apple before the garden ?".
WIDTH = 8
_FRAME = (
    "to the gave where is was before in who what did give how many objects carrying "
    "are a afraid of which way from yes no"
)
WORDS = Words(
    (
        *(ASK, *_FRAME.split(" "), *PEOPLE, *PLACES, *THINGS, *MOVED, *TOOK, *DROPPED),
        *(*NUMBERS, *NAMES, *dict.fromkeys((*ANIMALS, *ANIMALS.values())), *DIRECTIONS),
        *(
            f"{first},{second}"
            for first, second in itertools.product(DIRECTIONS, DIRECTIONS)
            if second != OPPOSITE[first]
        ),
    )
)
