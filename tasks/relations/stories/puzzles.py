"""Stories in which nothing happens: deductions, and ways from place to place."""

import random
from collections.abc import Iterable

from .people import PLACES
from .story import Story

NAMES = ("gertrude", "winona", "emily", "jessica")
# Animals, one and several.
ANIMALS = {"mouse": "mice", "cat": "cats", "wolf": "wolves", "sheep": "sheep"}
# Directions, as steps to the east and to the north.
DIRECTIONS = {"north": (0, 1), "south": (0, -1), "east": (1, 0), "west": (-1, 0)}
OPPOSITE = {"north": "south", "south": "north", "east": "west", "west": "east"}


def tell_deduction(longest: int, choose: random.Random) -> Story:
    """Who is an animal of which kind, and of which animals each kind is afraid.

    Args:
        longest: Sentences of the longest story, at least 4.
        choose: A random generator.
    """
    count = choose.randint(2, min(4, longest // 2))
    kinds = choose.sample(list(ANIMALS), count)
    fears = {kind: choose.choice([k for k in ANIMALS if k != kind]) for kind in kinds}
    names = {name: choose.choice(kinds) for name in choose.sample(NAMES, count)}
    told = [f"{ANIMALS[kind]} are afraid of {ANIMALS[fears[kind]]}" for kind in kinds]
    told += [f"{name} is a {kind}" for name, kind in names.items()]
    name = choose.choice(list(names))
    needed = kinds.index(names[name]), count + list(names).index(name)
    return _shuffled(
        "deduction",
        told,
        f"what is {name} afraid of",
        fears[names[name]],
        needed,
        choose,
    )


def tell_path(longest: int, choose: random.Random) -> Story:
    """Places on a plane, and the way from one of them to the one after the next.

    Args:
        longest: Sentences of the longest story, at least 2.
        choose: A random generator.
    """
    rooms = choose.sample(PLACES, len(PLACES))
    start, between, end = rooms[:3]
    first = choose.choice(list(DIRECTIONS))
    second = choose.choice([d for d in DIRECTIONS if d != OPPOSITE[first]])
    spots = {start: (0, 0)}
    told = []
    for room, neighbour, way in ((between, start, first), (end, between, second)):
        spots[room] = _beyond(spots[neighbour], way)
        told.append(_told(room, neighbour, way, choose))
    for room in rooms[3 : 3 + choose.randint(0, min(3, longest - 2))]:
        neighbour, way = _free_side(spots, choose)
        spots[room] = _beyond(spots[neighbour], way)
        told.append(_told(room, neighbour, way, choose))
    question = f"which way from {start} to {end}"
    return _shuffled("path", told, question, f"{first},{second}", (0, 1), choose)


def _told(room: str, neighbour: str, way: str, choose: random.Random) -> str:
    """That a room is on one side of its neighbour, seen from either of the two."""
    if choose.random() < 0.5:
        return f"the {room} is {way} of the {neighbour}"
    return f"the {neighbour} is {OPPOSITE[way]} of the {room}"


def _beyond(spot: tuple[int, int], way: str) -> tuple[int, int]:
    east, north = DIRECTIONS[way]
    return spot[0] + east, spot[1] + north


def _free_side(
    spots: dict[str, tuple[int, int]], choose: random.Random
) -> tuple[str, str]:
    """A room and a direction in which no room is next to it yet."""
    taken = set(spots.values())
    return choose.choice(
        [
            (room, way)
            for room, spot in spots.items()
            for way in DIRECTIONS
            if _beyond(spot, way) not in taken
        ]
    )


def _shuffled(
    kind: str,
    told: list[str],
    question: str,
    answer: str,
    needed: Iterable[int],
    choose: random.Random,
) -> Story:
    order = list(range(len(told)))
    choose.shuffle(order)
    facts = tuple(sorted(order.index(fact) for fact in needed))
    return Story(kind, tuple(told[i] for i in order), question, answer, facts)
