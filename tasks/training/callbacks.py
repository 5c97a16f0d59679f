"""The callbacks of every training that are features, in the order in which they act."""

from .backend_randomness import BackendRandomness
from .base import Feature
from .restarts import Restarts
from .rollback import Rollback
from .stateful import StateReset
from .stopping import DivergenceAlarm, StopWhenDone
from .weight_averaging import WeightAveraging

FEATURES: tuple[type[Feature], ...] = (
    DivergenceAlarm,
    StateReset,
    Rollback,
    WeightAveraging,
    StopWhenDone,
    Restarts,
    BackendRandomness,
)
