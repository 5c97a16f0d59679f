"""Decoders: how a model that gives each next token a probability writes a text.

All of them take a step `(tokens, states) -> (log_probs, states)`, see `Step`, and
return `Decoded`. They are made of tensor operations only, and so can be part of a
compiled function, on every backend.
"""

from .base import Decoded, Step
from .beam_search import beam_search
from .ensemble import ensemble
from .greedy import greedy
from .sampling import sample, uniforms
from .scoring import score

__all__ = [
    "Decoded",
    "Step",
    "beam_search",
    "ensemble",
    "greedy",
    "sample",
    "score",
    "uniforms",
]
