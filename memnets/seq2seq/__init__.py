"""Networks that read one sequence and then write another, also with attention."""

from .alignment import memory_alignment
from .application_cells import ApplicationCells
from .attention import AdditiveAttention, GeneralAttention
from .captioner import Captioner, PictureCells
from .decoding_models import Sampler, Writer
from .scheduled_sampling import ScheduledSampling
from .sequence_to_sequence import SequenceToSequence

__all__ = [
    "AdditiveAttention",
    "ApplicationCells",
    "Captioner",
    "GeneralAttention",
    "PictureCells",
    "Sampler",
    "ScheduledSampling",
    "SequenceToSequence",
    "Writer",
    "memory_alignment",
]
