"""How networks are trained on long lags: in batches as today, or online as in 1997."""

from typing import Any

from ..contract.recipe import Recipe, Settings
from ..models.ntm import NTMLSTM, NTMFeedforward
from ..models.recurrent import GRU, LSTM1997, LongMemoryLSTM, SimpleRNN
from ..models.recurrent_cells import BothWays, CellModel

# The networks that the experiments are about.
NETWORKS = (LongMemoryLSTM, LSTM1997, GRU, SimpleRNN)
# Their names.
NAMES = tuple(network.name for network in NETWORKS)


class AnswerRecipe(Recipe):
    """The recipe of a task with one answer at the end of a long sequence."""

    compared_models = NAMES

    @property
    def models(self) -> Settings:
        """The LSTM begins with a memory as long as the sequences."""
        return {LongMemoryLSTM: {"memory_steps": float(self.task.steps[1])}}


class LimitRecipe(AnswerRecipe):
    """What the paper names as a limit. Not tuned; the LSTM of 1997 has the settings of
    experiment 6a."""

    @property
    def models(self) -> Settings:
        return {**super().models, **block_for_each(2)}

    @property
    def training(self) -> Settings:
        return {**in_batches(sequences=96_000), LSTM1997: online(0.5, 100_000)}


def block_for_each(inputs: int) -> Settings:
    """The LSTM of 1997 as experiment 6 has it: a block for each of two or three inputs
    that matter."""
    biases = (-2.0, -4.0, -6.0)[:inputs]
    settings = {"blocks": inputs, "units": 2 * inputs, "input_gate_bias": biases}
    return {LSTM1997: settings}


def in_batches(batch_size: int = 32, **further: Any) -> Settings:
    """Training parameters of each network, of other recurrent ones and of Neural Turing
    Machines, which are trained like them: batches of that size, 3,200 sequences an
    epoch, and what is given. Tuned for the LSTM, see docs/recipes.md."""
    # An epoch must have more than 2,000 sequences, if so many in a row must be right.
    further = {"batch_size": batch_size, "epoch_steps": 3_200 // batch_size, **further}
    others = (CellModel, BothWays, NTMLSTM, NTMFeedforward)
    return dict.fromkeys((*NETWORKS, *others), further)


def online(
    learning_rate: float, sequences: int, *, epoch_steps: int = 2_500
) -> dict[str, Any]:
    """Training parameters of gradient descent, one sequence a step, with no bound of
    the gradient and a constant learning rate.

    Args:
        learning_rate: As in the paper, table 10.
        sequences: The budget.
        epoch_steps: Sequences in an epoch; at least 2,000 where so many in a row must
            be right.
    """
    return {
        "optimizer": "sgd",
        "schedule": "constant",
        "batch_size": 1,
        "clip_norm": 0.0,
        "learning_rate": learning_rate,
        "sequences": sequences,
        "epoch_steps": epoch_steps,
    }
