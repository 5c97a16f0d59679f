"""Questions about people, by kind: what is asked, the answer, and its facts."""

import random
from typing import NamedTuple

from .people import PLACES, People
from .story import Story

# How many things someone can carry, in words.
NUMBERS = ("none", "one", "two", "three")


class Asked(NamedTuple):
    """A question, its answer, and the sentences from which it follows."""

    question: str
    answer: str
    facts: tuple[int, ...]


def ask_place(people: People, choose: random.Random) -> Asked | None:
    """Where is mary? One fact."""
    if not people.people:
        return None
    person, (place, facts) = choose.choice(list(people.people.items()))
    return Asked(f"where is {person}", place, facts)


def ask_whether(people: People, choose: random.Random) -> Asked | None:
    """Is mary in the garden? Yes or no, one as often as the other."""
    if not people.people:
        return None
    person, (place, facts) = choose.choice(list(people.people.items()))
    if choose.random() < 0.5:
        return Asked(f"is {person} in the {place}", "yes", facts)
    other = choose.choice([other for other in PLACES if other != place])
    return Asked(f"is {person} in the {other}", "no", facts)


def ask_thing(people: People, choose: random.Random) -> Asked | None:
    """Where is the apple? Two facts: who has it, and where they are."""
    if not people.things:
        return None
    thing, (place, facts) = choose.choice(list(people.things.items()))
    return Asked(f"where is the {thing}", place, facts)


def ask_before(people: People, choose: random.Random) -> Asked | None:
    """Where was the apple before the garden? Three facts, or four if it was dropped."""
    moved = [thing for thing, path in people.paths.items() if len(path) > 1]
    if not moved:
        return None
    thing = choose.choice(moved)
    path = people.paths[thing]
    # If it was twice in a place, the second time is meant.
    last = {found.place: index for index, found in enumerate(path)}
    index = choose.choice([index for index in last.values() if index])
    before, there = path[index - 1], path[index]
    facts = tuple(sorted({*before.facts, *there.facts}))
    return Asked(f"where was the {thing} before the {there.place}", before.place, facts)


def ask_gift(people: People, choose: random.Random) -> Asked | None:
    """Who gave what to whom? Two are told, the third is asked for; the last such gift
    is meant."""
    if not people.gifts:
        return None
    giver, thing, receiver, _ = choose.choice(people.gifts)
    missing = choose.randrange(3)
    question = (
        f"who gave the {thing} to {receiver}",
        f"what did {giver} give to {receiver}",
        f"who did {giver} give the {thing} to",
    )[missing]
    given = {0: (1, 2), 1: (0, 2), 2: (0, 1)}[missing]
    asked = (giver, thing, receiver)
    meant = next(
        gift
        for gift in reversed(people.gifts)
        if all(gift[part] == asked[part] for part in given)
    )
    return Asked(question, meant[:3][missing], (meant.fact,))


def ask_number(people: People, choose: random.Random) -> Asked | None:
    """How many objects is mary carrying? All that she took, dropped, gave or got."""
    active = [person for person, facts in people.handled.items() if facts]
    if not active:
        return None
    person = choose.choice(active)
    number = NUMBERS[len(people.carried_by(person))]
    facts = tuple(people.handled[person])
    return Asked(f"how many objects is {person} carrying", number, facts)


# For each kind: the question, numbers of people and things, fewest sentences, and what
# happens, by the first letters of the events. Chosen so that most stories allow the
# question.
KINDS = {
    "one-fact": (ask_place, 4, 1, 2, "m"),
    "two-facts": (ask_thing, 3, 2, 4, "mmtd"),
    "three-facts": (ask_before, 2, 1, 5, "mmtd"),
    "giving": (ask_gift, 3, 3, 4, "mttggg"),
    "yes-no": (ask_whether, 4, 2, 2, "mmmt"),
    "counting": (ask_number, 3, 3, 3, "mtttdg"),
}


def tell_people(kind: str, longest: int, choose: random.Random) -> Story:
    """A story of people, and a question of one of `KINDS` about it.

    Args:
        kind: The kind.
        longest: Sentences of the longest story.
        choose: A random generator.
    """
    ask, num_people, num_things, shortest, events = KINDS[kind]
    while True:
        people = People(choose, num_people, num_things)
        for _ in range(choose.randint(shortest, longest)):
            people.go_on(events)
        asked = ask(people, choose)
        if asked is not None:
            question, answer, facts = asked
            facts = tuple(sorted(facts))
            return Story(kind, tuple(people.sentences), question, answer, facts)
