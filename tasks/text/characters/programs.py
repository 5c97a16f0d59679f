"""Short programs in Python, drawn at random, with what they print."""

import random
from typing import NamedTuple

# Variables have these names; a loop counts with `x`.
NAMES = "abcdefghij"
# Factors and repeats of loops go up to so many times the length of the numbers, as in
# the program of the paper's authors (wojciechz/learning_to_execute, operations.lua).
SMALL = 4


class Term(NamedTuple):
    """An expression and its value."""

    text: str
    value: int


class Writer:
    """Writes one program: each round makes a new term of those that there are.

    Args:
        length: Digits of numbers: they are drawn from 1 to 10^length.
        rng: Where the choices come from.
    """

    def __init__(self, length: int, rng: random.Random) -> None:
        self.length = length
        self.rng = rng
        self.lines: list[str] = []
        self.names = rng.sample(NAMES, len(NAMES))
        # What the last round made. Every round takes it, so the stack of the paper
        # never holds more.
        self.made: Term | None = None

    def program(self, rounds: int) -> Term:
        """The text of a program of so many rounds, and what it prints."""
        for _ in range(rounds):
            self.made = self.rng.choice(ROUNDS)(self)
        last = self.made or self.number()
        return Term("\n".join([*self.lines, f"print({last.text})"]), last.value)

    def number(self) -> Term:
        """A new number."""
        value = self.rng.randint(1, 10**self.length)
        return Term(str(value), value)

    def terms(self, count: int) -> list[Term]:
        """So many terms in a random order: the one of the last round, and numbers."""
        made = [self.number() if self.made is None else self.made]
        found = made + [self.number() for _ in range(count - 1)]
        self.rng.shuffle(found)
        return found

    def small(self) -> int:
        """A factor, or the number of repeats of a loop."""
        return self.rng.randint(1, SMALL * self.length)

    def sign(self) -> tuple[str, int]:
        """Plus or minus, and the factor that it is."""
        return ("+", 1) if self.rng.random() < 0.5 else ("-", -1)

    # --- the rounds ---

    def add(self) -> Term:
        """(a+b) or (a-b)."""
        a, b = self.terms(2)
        sign, factor = self.sign()
        return Term(f"({a.text}{sign}{b.text})", a.value + factor * b.value)

    def multiply(self) -> Term:
        """(a*k) or (k*a) with a small k."""
        (a,) = self.terms(1)
        k = self.small()
        text = f"({a.text}*{k})" if self.rng.random() < 0.5 else f"({k}*{a.text})"
        return Term(text, k * a.value)

    def keep(self) -> Term:
        """A term as it is."""
        (a,) = self.terms(1)
        return a

    def assign(self) -> Term:
        """A variable v=a; then (v+b) or (v-b)."""
        a, b = self.terms(2)
        name = self.names.pop()
        self.lines.append(f"{name}={a.text};")
        sign, factor = self.sign()
        return Term(f"({name}{sign}{b.text})", a.value + factor * b.value)

    def loop(self) -> Term:
        """A variable v=a, to which b is added, or subtracted, k times."""
        a, b = self.terms(2)
        name, k = self.names.pop(), self.small()
        sign, factor = self.sign()
        self.lines += [f"{name}={a.text}", f"for x in range({k}):{name}{sign}={b.text}"]
        return Term(name, a.value + factor * k * b.value)

    def choose(self) -> Term:
        """(c if a>b else d), or with a<b."""
        a, b, c, d = self.terms(4)
        sign, factor = self.sign()
        relation = {"+": ">", "-": "<"}[sign]
        chosen = c if factor * (a.value - b.value) > 0 else d
        text = f"({c.text} if {a.text}{relation}{b.text} else {d.text})"
        return Term(text, chosen.value)


ROUNDS = (
    *(Writer.add, Writer.multiply, Writer.keep),
    *(Writer.assign, Writer.loop, Writer.choose),
)
