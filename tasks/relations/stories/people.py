"""People who move about, and carry things: what happened, told sentence by sentence."""

import random
from typing import NamedTuple

PEOPLE = ("mary", "john", "sandra", "daniel")
PLACES = ("kitchen", "garden", "office", "bedroom", "bathroom", "hallway")
THINGS = ("apple", "football", "milk")
MOVED, TOOK, DROPPED = ("moved", "went"), ("took", "got"), ("dropped", "left")


class Found(NamedTuple):
    """Where someone or something is, and the sentences that tell it."""

    place: str
    facts: tuple[int, ...]


class Gift(NamedTuple):
    """Who gave what to whom, and the sentence that tells it."""

    giver: str
    thing: str
    receiver: str
    fact: int


class People:
    """A simulation of people, whose events are told.

    Nobody is anywhere before they moved, and things have a place when someone whose
    place is known has carried them. Only what was told can be asked for.

    Args:
        choose: A random generator.
        num_people: How many of `PEOPLE` there are.
        num_things: How many of `THINGS` there are.

    Attributes:
        sentences: What was told.
        people: Who was told of: where each of them is.
        things: Where each thing is, if that is known.
        paths: Where each thing was, one place after the other.
        holders: Who carries each thing that someone carries.
        handled: The sentences that tell what each person took, dropped, gave, or got.
        gifts: All gifts.
    """

    def __init__(self, choose: random.Random, num_people: int, num_things: int) -> None:
        self._choose = choose
        self._people = choose.sample(PEOPLE, num_people)
        self._things = choose.sample(THINGS, num_things)
        self.sentences: list[str] = []
        self.people: dict[str, Found] = {}
        self.things: dict[str, Found] = {}
        self.paths: dict[str, list[Found]] = {thing: [] for thing in self._things}
        self.holders: dict[str, str] = {}
        self.handled: dict[str, list[int]] = {person: [] for person in self._people}
        self.gifts: list[Gift] = []
        self._received: dict[str, int] = {}

    def go_on(self, events: str) -> None:
        """Lets something happen: one of the events by their first letters, move, take,
        drop or give; a move if that one is not possible now."""
        person = self._choose.choice(self._people)
        event = self._choose.choice(events)
        if event == "t" and (thing := self._pick(self._free_for(person))):
            self.take(person, thing)
        elif event == "d" and (thing := self._pick(self.carried_by(person))):
            self.drop(person, thing)
        elif event == "g" and (thing := self._pick(self.carried_by(person))):
            receiver = self._pick(self._beside(person))
            self.give(person, thing, receiver) if receiver else self.walk(person)
        else:
            self.walk(person)

    def walk(self, person: str) -> None:
        """The person moves to another place."""
        here = self._place_of(person)
        place = self._choose.choice([place for place in PLACES if place != here])
        self.move(person, place)

    def move(self, person: str, place: str) -> None:
        """The person moves to a place, with all that they carry."""
        verb = self._choose.choice(MOVED)
        fact = self._tell(f"{person} {verb} to the {place}")
        self.people[person] = Found(place, (fact,))
        for thing in self.carried_by(person):
            self._place(thing, person, self._received[thing])

    def take(self, person: str, thing: str) -> None:
        """The person takes a thing."""
        fact = self._tell(f"{person} {self._choose.choice(TOOK)} the {thing}")
        self.handled[person].append(fact)
        self._hold(thing, person, fact)

    def drop(self, person: str, thing: str) -> None:
        """The person drops a thing."""
        fact = self._tell(f"{person} {self._choose.choice(DROPPED)} the {thing}")
        self.handled[person].append(fact)
        del self.holders[thing]
        self._place(thing, person, fact)

    def give(self, person: str, thing: str, receiver: str) -> None:
        """The person gives a thing to someone."""
        fact = self._tell(f"{person} gave the {thing} to {receiver}")
        self.gifts.append(Gift(person, thing, receiver, fact))
        self.handled[person].append(fact)
        self.handled[receiver].append(fact)
        self._hold(thing, receiver, fact)

    def carried_by(self, person: str) -> list[str]:
        """What the person carries."""
        return [thing for thing, holder in self.holders.items() if holder == person]

    def _tell(self, sentence: str) -> int:
        self.sentences.append(sentence)
        return len(self.sentences) - 1

    def _hold(self, thing: str, person: str, fact: int) -> None:
        self.holders[thing] = person
        self._received[thing] = fact
        self._place(thing, person, fact)

    def _place(self, thing: str, person: str, fact: int) -> None:
        """The thing is where the person is, because of a sentence about both."""
        if person not in self.people:
            return
        place, walked = self.people[person]
        found = Found(place, (fact, *walked))
        self.things[thing] = found
        path = self.paths[thing]
        if not path or path[-1].place != place:
            path.append(found)

    def _free_for(self, person: str) -> list[str]:
        """What lies about where the person may be."""
        return [
            thing
            for thing in self._things
            if thing not in self.holders
            and (
                thing not in self.things
                or self._place_of(person) == self.things[thing].place
            )
        ]

    def _beside(self, person: str) -> list[str]:
        """The others who are where the person is."""
        here = self._place_of(person)
        return [
            other
            for other in self._people
            if other != person and self._place_of(other) == here
        ]

    def _place_of(self, person: str) -> str | None:
        return self.people[person].place if person in self.people else None

    def _pick(self, choices: list[str]) -> str | None:
        return self._choose.choice(choices) if choices else None
