"""The sizes and the training of networks on strings: what was tuned for each task."""

from typing import Any, NamedTuple


class Recipe(NamedTuple):
    """Parameters by the name of the model."""

    models: dict[str, dict[str, Any]]
    training: dict[str, dict[str, Any]]


def _recipe(
    stack: dict[str, Any],
    lstm_size: int,
    own: dict[str, int] | None = None,
    **training: Any,
) -> Recipe:
    """A network with stacks, and an LSTM beside it. Both share `training`; `own` is for
    the network with stacks alone."""
    models = {"stack": stack, "lstm": {"num_layers": 1, "layer_size": lstm_size}}
    beside = {"learning_rate": 1e-2, "clip_norm": 1.0, **training}
    return Recipe(models, {"stack": {**training, **(own or {})}, "lstm": beside})


# Joulin and Mikolov (2015): 40 units, 10 stacks.
COUNTING = _recipe({}, 40)
DYCK = _recipe({}, 40)
# Pops are rare at first: otherwise a queue loses what is pushed before it is read.
_QUEUE = {"kind": "queue", "element_size": 8, "depth": 160, "pop_bias": -3.0}
LETTER_COPY = _recipe({**_QUEUE, "num_stacks": 1}, 64, curriculum=0.6)
# Noise of 2: with 1 some trial seeds did not leave chance, with 0.3 none of four did.
# Three starts: with one, a network in six did not learn it, which the loss tells after
# 4,800 sequences.
REVERSAL = _recipe(
    {"num_stacks": 1, "element_size": 8, "depth": 160, "noise": 2.0},
    64,
    {"sequences": 28_800, "starts": 3, "start_sequences": 4_800},
    curriculum=0.6,
)
# Three places in view: where pops begin one step late, the letters to write are in turn
# at the third place and at the front, and the network need not remember a letter.
# Three starts: some networks first learn one letter of each pair, and stay there.
BIGRAM_FLIP = _recipe(
    {**_QUEUE, "num_stacks": 2, "controller": "lstm", "read_depth": 3},
    64,
    {"sequences": 76_800, "starts": 3, "start_sequences": 12_800},
    curriculum=0.6,
)
BINARY_ADDITION = _recipe({"num_stacks": 4, "controller": "lstm"}, 64)
