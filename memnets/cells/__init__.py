"""Recurrent cells, one a file; their contract is in `memnets.cells.base`."""

from .base import Cell
from .clipped_lstm import ClippedLSTMCell
from .clockwork_rnn import ClockworkRNNCell
from .deep_transition_rnn import DeepTransitionRNNCell
from .delayed_rnn import DelayedRNNCell
from .elman import ElmanCell
from .feedforward import FeedforwardCell
from .first_step_rnn import FirstStepRNNCell
from .jordan import JordanCell
from .leaky_rnn import LeakyRNNCell
from .learned_start import LearnedStart
from .lstm_1997 import LSTM1997Cell
from .multiplicative_rnn import MultiplicativeRNNCell
from .peephole_lstm import PeepholeLSTMCell
from .tensor_rnn import TensorRNNCell

__all__ = [
    "Cell",
    "ClippedLSTMCell",
    "ClockworkRNNCell",
    "DeepTransitionRNNCell",
    "DelayedRNNCell",
    "ElmanCell",
    "FeedforwardCell",
    "FirstStepRNNCell",
    "JordanCell",
    "LSTM1997Cell",
    "LeakyRNNCell",
    "LearnedStart",
    "MultiplicativeRNNCell",
    "PeepholeLSTMCell",
    "TensorRNNCell",
]
