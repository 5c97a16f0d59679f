"""Tasks, training on them, evaluation, reports, comparisons and searches.

    >>> result = tasks.train("copy", "ntm-feedforward", sequences=64, progress=False)
    >>> results = tasks.evaluate(result.model, "copy", [20], num_sequences=8)

A task of your own derives from `Task`, or from `FiniteTask` if its data is finite, and
is made known with `register_task`; a model with `register_model`.
"""

import importlib
from typing import TYPE_CHECKING, Any

from . import series
from .algorithmic.associative_recall import AssociativeRecall
from .algorithmic.base import BitTask
from .algorithmic.copy_task import Copy
from .algorithmic.dynamic_ngrams import DynamicNGrams
from .algorithmic.key_value import KeyValue
from .algorithmic.priority_sort import PrioritySort
from .algorithmic.recall_pairs import RecallPairs
from .algorithmic.repeat_blocks import RepeatBlocks
from .algorithmic.repeat_copy import RepeatCopy
from .contract.evaluation import Evaluation
from .contract.finite import FiniteTask
from .contract.neighbours import Beside
from .contract.parts import Batch, Column, Section
from .contract.presentation import Presentation
from .contract.recipe import Recipe
from .contract.sized_task import RangedTask, SizedTask
from .contract.splits import SplitTask
from .contract.stream import Stream
from .contract.success import Success
from .contract.symbol_task import SymbolTask
from .contract.task import Task
from .evaluation import EvaluationResult, evaluate
from .formal_languages.binary_addition import BinaryAddition
from .formal_languages.counting import Counting
from .formal_languages.dyck import Dyck
from .formal_languages.transductions import BigramFlip, LetterCopy, Reversal
from .models.base import ModelConfig
from .pretrained import load_pretrained
from .registry import (
    MODELS,
    TASKS,
    get_model,
    get_task,
    register_model,
    register_task,
)
from .relations.inference import Inference
from .relations.one_shot import OneShot
from .relations.shortest_path import ShortestPath
from .relations.stories.base import StoryTask
from .relations.stories.reader import stories_from
from .relations.stories.simulated import Stories
from .relations.stories.story import Story
from .relations.traversal import Traversal
from .runs import History, Run, RunError, TrainingConfig, open_run
from .text.characters.addition import Addition
from .text.characters.base import CharacterTask
from .text.characters.curriculum import CurriculumTask
from .text.characters.learning_to_execute import LearningToExecute
from .text.characters.memorization import Memorization
from .text.debagging import Debagged, debag
from .text.generation import generate
from .text.hypotheses import Hypothesis
from .text.language_model import LanguageModeling
from .text.mbr import mbr
from .text.ngrams import NGramModel
from .text.translator import Translator
from .training.guessing import Guessed, guess_weights

if TYPE_CHECKING:
    from .comparison.comparison import Comparison, compare
    from .figures.flow_figures import draw_gradient_flow
    from .report.report import write_report
    from .runs.jax_processes import ProcessLost, join_processes
    from .scoring.shards import score_shards
    from .searching.result import Search
    from .searching.search import search
    from .searching.space import Range
    from .training.divergence import TrainingDiverged
    from .training.training import TrainingResult, train
    from .training.word_vectors import train_word_vectors
    from .vectors.word_vectors import WordVectors

# Imported at their first use, because they need Keras or Matplotlib: listing the tasks
# is quick.
_LAZY = {
    "Comparison": ".comparison.comparison",
    "Range": ".searching.space",
    "Search": ".searching.result",
    "TrainingDiverged": ".training.divergence",
    "TrainingResult": ".training.training",
    "WordVectors": ".vectors.word_vectors",
    "ProcessLost": ".runs.jax_processes",
    "join_processes": ".runs.jax_processes",
    "compare": ".comparison.comparison",
    "draw_gradient_flow": ".figures.flow_figures",
    "score_shards": ".scoring.shards",
    "search": ".searching.search",
    "train": ".training.training",
    "train_word_vectors": ".training.word_vectors",
    "write_report": ".report.report",
}

__all__ = [
    "MODELS",
    "TASKS",
    "Addition",
    "AssociativeRecall",
    "Batch",
    "Beside",
    "BigramFlip",
    "BinaryAddition",
    "BitTask",
    "CharacterTask",
    "Column",
    "Comparison",
    "Copy",
    "Counting",
    "CurriculumTask",
    "Debagged",
    "Dyck",
    "DynamicNGrams",
    "Evaluation",
    "EvaluationResult",
    "FiniteTask",
    "Guessed",
    "History",
    "Hypothesis",
    "Inference",
    "KeyValue",
    "LearningToExecute",
    "LetterCopy",
    "Memorization",
    "LanguageModeling",
    "ModelConfig",
    "NGramModel",
    "OneShot",
    "Presentation",
    "PrioritySort",
    "ProcessLost",
    "RecallPairs",
    "Recipe",
    "RepeatBlocks",
    "Range",
    "RangedTask",
    "RepeatCopy",
    "Reversal",
    "Run",
    "RunError",
    "Search",
    "Section",
    "ShortestPath",
    "SizedTask",
    "SplitTask",
    "Stories",
    "Stream",
    "Story",
    "StoryTask",
    "Success",
    "SymbolTask",
    "Task",
    "TrainingConfig",
    "TrainingDiverged",
    "TrainingResult",
    "Translator",
    "Traversal",
    "WordVectors",
    "compare",
    "draw_gradient_flow",
    "debag",
    "evaluate",
    "generate",
    "get_model",
    "get_task",
    "guess_weights",
    "join_processes",
    "load_pretrained",
    "mbr",
    "open_run",
    "register_model",
    "register_task",
    "score_shards",
    "search",
    "series",
    "stories_from",
    "train",
    "train_word_vectors",
    "write_report",
]


def __getattr__(name: str) -> Any:
    if name in _LAZY:
        return getattr(importlib.import_module(_LAZY[name], __name__), name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def __dir__() -> list[str]:
    return __all__
