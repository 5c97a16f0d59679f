"""The features of training that are known, in the order in which they act."""

from .base import Feature
from .divergence import DivergenceAlarm
from .restarts import Restarts
from .rollback import Rollback
from .stateful import StateReset
from .stopping import StopWhenDone
from .weight_averaging import WeightAveraging

FEATURES: tuple[type[Feature], ...] = (
    DivergenceAlarm,
    StateReset,
    Rollback,
    WeightAveraging,
    StopWhenDone,
    Restarts,
)
