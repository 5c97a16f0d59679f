"""The tasks and the models of the package."""

from .algorithmic.associative_recall import AssociativeRecall
from .algorithmic.copy_task import Copy
from .algorithmic.dynamic_ngrams import DynamicNGrams
from .algorithmic.key_value import KeyValue
from .algorithmic.priority_sort import PrioritySort
from .algorithmic.recall_pairs import RecallPairs
from .algorithmic.repeat_blocks import RepeatBlocks
from .algorithmic.repeat_copy import RepeatCopy
from .captions.photo_captioning import PhotoCaptioning
from .captions.scene_captioning import SceneCaptioning
from .formal_languages.binary_addition import BinaryAddition
from .formal_languages.counting import Counting
from .formal_languages.dyck import Dyck
from .formal_languages.transductions import BigramFlip, LetterCopy, Reversal
from .long_lags.embedded_reber import EmbeddedReber
from .long_lags.long_lag import LongLag
from .long_lags.marked_pairs import Adding, Multiplication
from .long_lags.temporal_order import TemporalOrder
from .long_lags.temporal_xor import TemporalXOR
from .long_lags.two_sequence import TwoSequence
from .models.captioner import (
    CNNGRU,
    CNNLSTM,
    CNNNTM,
    CNNGRUAttention,
    CNNLSTMAttention,
    CNNNTMAttention,
    CNNNTMMemory,
)
from .models.dnc import DNCLSTM, DNCFeedforward
from .models.fast_weights import FastWeightsModel
from .models.mann import MANN
from .models.memory_network import MemoryNetwork
from .models.ntm import NTMLSTM, NTMFeedforward
from .models.recurrent import (
    GRU,
    LSTM1997,
    LongMemoryLSTM,
    MultiplicativeRNN,
    SimpleRNN,
    StackedLSTM,
)
from .models.sam import SAMLSTM, SAMFeedforward
from .models.seq2seq import (
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
from .models.stack import StackModel
from .relations.inference import Inference
from .relations.one_shot import OneShot
from .relations.shortest_path import ShortestPath
from .relations.stories.simulated import Stories
from .relations.traversal import Traversal
from .text.characters.addition import Addition
from .text.characters.learning_to_execute import LearningToExecute
from .text.characters.memorization import Memorization
from .text.language_model import LanguageModeling
from .text.toy_translation import ToyTranslation
from .text.translation import Translation

TASKS = (
    *(Copy, RepeatCopy, AssociativeRecall, DynamicNGrams, PrioritySort),
    *(RepeatBlocks, KeyValue, RecallPairs),
    *(EmbeddedReber, LongLag, TwoSequence, Adding, Multiplication, TemporalOrder),
    *(TemporalXOR, LearningToExecute, Addition, Memorization, LanguageModeling),
    *(ToyTranslation, Translation, SceneCaptioning, PhotoCaptioning),
    *(Traversal, Inference, ShortestPath, Stories, OneShot),
    *(Counting, Dyck, LetterCopy, Reversal, BigramFlip, BinaryAddition),
)
MODELS = (
    *(NTMFeedforward, NTMLSTM, DNCFeedforward, DNCLSTM, MANN),
    *(SAMFeedforward, SAMLSTM, StackModel, FastWeightsModel),
    *(StackedLSTM, LongMemoryLSTM, LSTM1997, GRU, SimpleRNN, MultiplicativeRNN),
    *(GRUSeq2Seq, LSTMSeq2Seq, GRUAttention, LSTMAttention, Bahdanau, Cho, Sutskever),
    *(NTMAttention, NTMMemory, NTMSeq2Seq, MemoryNetwork),
    *(CNNGRU, CNNLSTM, CNNGRUAttention, CNNLSTMAttention),
    *(CNNNTM, CNNNTMMemory, CNNNTMAttention),
)
