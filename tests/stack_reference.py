"""Stacks, queues, deques and lists in plain Python, written from the papers. Nothing of
the package is imported here.

A place is `(1 + E,)`, its first component how much it is filled.

Reference:
    Joulin, Mikolov (2015), Inferring Algorithmic Patterns with Stack-Augmented
    Recurrent Nets, arXiv:1503.01007, section 3.
"""

import collections
import itertools
from typing import NamedTuple

import numpy as np
from reference import sigmoid, softmax

ACTIONS = {
    "stack": ("push", "pop", "no-op"),
    "queue": ("push", "pop", "no-op"),
    "deque": ("push front", "push back", "pop front", "pop back", "no-op"),
    "list": ("insert", "left", "right", "no-op"),
}


def stack_update(places, actions, element):
    """s[0] = a_push v + a_pop s[1] + a_noop s[0], s[i] = a_push s[i-1] + a_pop s[i+1] +
    a_noop s[i]; places `(P, 1 + E)`."""
    push, pop, noop = actions
    above = [np.array([1.0, *element]), *places[:-1]]
    below = [*places[1:], np.zeros(len(places[0]))]
    return np.array(
        [
            push * a + pop * b + noop * s
            for a, b, s in zip(above, below, places, strict=True)
        ]
    )


class Discrete:
    """A stack, queue or deque that does one action at a time, the front first."""

    def __init__(self, kind, depth):
        self.kind, self.dropped = kind, 0
        self.elements = collections.deque(maxlen=depth)

    def act(self, action, element):
        elements = self.elements
        if action.startswith("push"):
            self.dropped += len(elements) == elements.maxlen
            at_front = action == "push front" or self.kind == "stack"
            (elements.appendleft if at_front else elements.append)(element)
        elif action.startswith("pop") and elements:
            (elements.pop if action == "pop back" else elements.popleft)()

    def places(self, size):
        """`(P, 1 + E)`, elements of so many components."""
        empty = self.elements.maxlen - len(self.elements)
        filled = [[1.0, *element] for element in self.elements]
        return np.array([*filled, *[[0.0] * (1 + size)] * empty])

    def back(self, size):
        if not self.elements:
            return np.zeros(1 + size)
        return np.array([1.0, *self.elements[-1]])


class Cursor:
    """The elements left of the head and right of it, the nearest first, and the head's
    own; None where there is none. It does one action at a time."""

    def __init__(self, depth):
        self.left, self.own = [None] * (depth // 2), None
        self.right = [None] * (depth - 1 - depth // 2)
        self.dropped = 0

    def act(self, action, element):
        if action == "insert":
            self._leave(self.left)
            self.own = element
        elif action == "right":
            self._leave(self.left)
            self.own = self._come(self.right)
        elif action == "left":
            self._leave(self.right)
            self.own = self._come(self.left)

    def _leave(self, side):
        side.insert(0, self.own)
        self.dropped += side.pop() is not None

    def _come(self, side):
        side.append(None)
        return side.pop(0)

    def places(self, size):
        """`(P, 1 + E)`, from left to right."""
        elements = [*self.left[::-1], self.own, *self.right]
        empty = [0.0] * (1 + size)
        return np.array([empty if e is None else [1.0, *e] for e in elements])


def discrete_of(kind, depth):
    return Cursor(depth) if kind == "list" else Discrete(kind, depth)


def expected(kind, depth, probabilities, elements):
    """The mean places `(P, 1 + E)` and dropped elements over all ways to draw an action
    at each step: probabilities `(T, A)`, elements `(T, E)`."""
    size = len(elements[0])
    places, dropped = np.zeros((depth, 1 + size)), 0.0
    for drawn in itertools.product(range(len(ACTIONS[kind])), repeat=len(elements)):
        discrete, weight = discrete_of(kind, depth), 1.0
        for step, action in enumerate(drawn):
            weight *= probabilities[step][action]
            discrete.act(ACTIONS[kind][action], elements[step])
        places += weight * discrete.places(size)
        dropped += weight * discrete.dropped
    return places, dropped


class StackWeights(NamedTuple):
    """What the controller's step takes, `(kernel, bias)` of heads and of outputs."""

    controller: tuple
    heads: tuple
    projection: tuple


def stack_rnn(sequence, controller_state, weights, control, sizes, read_depth):
    """Outputs `(T, units)` and places `(S, P, 1 + E)` after the last step, of stacks
    whose actions are not rounded. `sizes` is `(S, P, E)`."""
    num_stacks, depth, size = sizes
    places = np.zeros((num_stacks, depth, 1 + size))
    outputs = []
    for x in sequence:
        reads = places[:, :read_depth].ravel()
        hidden, controller_state = control(
            np.concatenate([x, reads]), controller_state, weights.controller
        )
        kernel, bias = weights.heads
        actions, elements = np.split(hidden @ kernel + bias, [3 * num_stacks])
        actions = actions.reshape(num_stacks, 3)
        elements = elements.reshape(num_stacks, size)
        places = np.array(
            [
                stack_update(before, softmax(action), sigmoid(element))
                for before, action, element in zip(
                    places, actions, elements, strict=True
                )
            ]
        )
        kernel, bias = weights.projection
        seen = np.concatenate([hidden, places[:, :read_depth].ravel()])
        outputs.append(seen @ kernel + bias)
    return np.array(outputs), places
