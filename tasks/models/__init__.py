"""Models by name: what `--model` names, one file a family."""

from .base import ModelConfig
from .captioner import (
    CNNGRU,
    CNNLSTM,
    CNNNTM,
    CNNGRUAttention,
    CNNLSTMAttention,
    CNNNTMAttention,
    CNNNTMMemory,
)
from .dnc import DNCLSTM, DNCFeedforward
from .fast_weights import FastWeightsModel
from .keras_model import KerasModel
from .mann import MANN
from .memory_network import MemoryNetwork
from .ntm import NTMLSTM, NTMConfig, NTMFeedforward
from .recurrent import (
    GRU,
    LSTM1997,
    LongMemoryLSTM,
    MultiplicativeRNN,
    SimpleRNN,
    StackedLSTM,
)
from .recurrent_cells import (
    BidirectionalGRU,
    BidirectionalLSTM,
    ClockworkRNN,
    DeepTransitionRNN,
    DelayedRNN,
    Elman,
    Jordan,
    LeakyRNN,
    PeepholeLSTM,
)
from .sam import SAMLSTM, SAMFeedforward
from .seq2seq import (
    Bahdanau,
    Cho,
    GRUAttention,
    GRUSeq2Seq,
    LSTMAttention,
    LSTMSeq2Seq,
    NTMAttention,
    NTMMemory,
    NTMSeq2Seq,
    Sutskever,
)
from .stack import StackModel
from .tape import TapeModel
from .transformer import Transformer

# The models of the package, in the order in which they are listed.
INCLUDED = (
    *(NTMFeedforward, NTMLSTM, DNCFeedforward, DNCLSTM, MANN),
    *(SAMFeedforward, SAMLSTM, StackModel, TapeModel, FastWeightsModel),
    *(StackedLSTM, LongMemoryLSTM, LSTM1997, GRU, SimpleRNN, MultiplicativeRNN),
    *(PeepholeLSTM, Elman, Jordan, LeakyRNN, ClockworkRNN, DelayedRNN),
    *(DeepTransitionRNN, BidirectionalLSTM, BidirectionalGRU),
    Transformer,
    *(GRUSeq2Seq, LSTMSeq2Seq, GRUAttention, LSTMAttention, Bahdanau, Cho, Sutskever),
    *(NTMAttention, NTMMemory, NTMSeq2Seq, MemoryNetwork),
    *(CNNGRU, CNNLSTM, CNNGRUAttention, CNNLSTMAttention),
    *(CNNNTM, CNNNTMMemory, CNNNTMAttention),
)

__all__ = [
    "CNNGRU",
    "CNNLSTM",
    "CNNNTM",
    "DNCLSTM",
    "GRU",
    "LSTM1997",
    "MANN",
    "NTMLSTM",
    "SAMLSTM",
    "Bahdanau",
    "CNNGRUAttention",
    "CNNLSTMAttention",
    "CNNNTMAttention",
    "CNNNTMMemory",
    "Cho",
    "DNCFeedforward",
    "FastWeightsModel",
    "GRUAttention",
    "GRUSeq2Seq",
    "KerasModel",
    "LSTMAttention",
    "LSTMSeq2Seq",
    "LongMemoryLSTM",
    "MemoryNetwork",
    "ModelConfig",
    "MultiplicativeRNN",
    "NTMAttention",
    "NTMConfig",
    "NTMFeedforward",
    "NTMMemory",
    "NTMSeq2Seq",
    "SAMFeedforward",
    "SimpleRNN",
    "StackModel",
    "StackedLSTM",
    "Sutskever",
    "Transformer",
    "BidirectionalGRU",
    "BidirectionalLSTM",
    "ClockworkRNN",
    "DeepTransitionRNN",
    "DelayedRNN",
    "Elman",
    "Jordan",
    "LeakyRNN",
    "PeepholeLSTM",
    "TapeModel",
]
