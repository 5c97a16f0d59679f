"""Tasks, training on them, evaluation, reports, comparisons and searches.

    >>> result = tasks.train("copy", "ntm-feedforward", sequences=64, progress=False)
    >>> results = tasks.evaluate(result.model, "copy", [20], num_sequences=8)

A task of your own derives from `Task`, or from `FiniteTask` if its data is finite, and
is made known with `register_task`; a model with `register_model`.
"""

import importlib
import sys
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from . import series as series
    from .algorithmic.base import BitTask as BitTask
    from .captions.describer import Describer as Describer
    from .comparison.comparison import Comparison as Comparison
    from .comparison.comparison import compare as compare
    from .comparison.several_tasks import TasksComparison as TasksComparison
    from .comparison.several_tasks import compare_tasks as compare_tasks
    from .contract.altered import altered as altered
    from .contract.evaluation import Evaluation as Evaluation
    from .contract.finite import FiniteTask as FiniteTask
    from .contract.neighbours import Beside as Beside
    from .contract.parts import Batch as Batch
    from .contract.parts import Column as Column
    from .contract.parts import Section as Section
    from .contract.presentation import Presentation as Presentation
    from .contract.recipe import Recipe as Recipe
    from .contract.sized_task import RangedTask as RangedTask
    from .contract.sized_task import SizedTask as SizedTask
    from .contract.splits import SplitTask as SplitTask
    from .contract.stream import Stream as Stream
    from .contract.success import Success as Success
    from .contract.symbol_task import SymbolTask as SymbolTask
    from .contract.task import Task as Task
    from .evaluation import EvaluationResult as EvaluationResult
    from .evaluation import evaluate as evaluate
    from .figures.flow_figures import draw_gradient_flow as draw_gradient_flow
    from .figures.memory_figures import draw_trace as draw_trace
    from .formal_languages.chomsky import *  # noqa: F403  # fifteen tasks
    from .length_generalization import LengthTest as LengthTest
    from .length_generalization import length_test as length_test
    from .models.base import ModelConfig as ModelConfig
    from .pretrained import load_pretrained as load_pretrained
    from .registry import *  # noqa: F403  # the tasks, and how to add to them
    from .relations.stories.base import StoryTask as StoryTask
    from .relations.stories.reader import stories_from as stories_from
    from .relations.stories.story import Story as Story
    from .report.report import write_report as write_report
    from .runs import History as History
    from .runs import Run as Run
    from .runs import RunError as RunError
    from .runs import TrainingConfig as TrainingConfig
    from .runs import open_run as open_run
    from .runs.jax_processes import ProcessLost as ProcessLost
    from .runs.jax_processes import join_processes as join_processes
    from .scoring.shards import score_shards as score_shards
    from .searching.axes import Range as Range
    from .searching.result import Search as Search
    from .searching.search import search as search
    from .text.attention import AttentionMap as AttentionMap
    from .text.characters.base import CharacterTask as CharacterTask
    from .text.characters.curriculum import CurriculumTask as CurriculumTask
    from .text.debagging import Debagged as Debagged
    from .text.debagging import debag as debag
    from .text.generation import generate as generate
    from .text.hypotheses import Hypothesis as Hypothesis
    from .text.mbr import mbr as mbr
    from .text.ngrams import NGramModel as NGramModel
    from .text.translator import Translator as Translator
    from .training.guessing import Guessed as Guessed
    from .training.guessing import guess_weights as guess_weights
    from .training.stopping import TrainingDiverged as TrainingDiverged
    from .training.training import TrainingResult as TrainingResult
    from .training.training import train as train
    from .training.word_vectors import train_word_vectors as train_word_vectors
    from .vectors.word_vectors import WordVectors as WordVectors

# The modules of the names, each imported when a name in it is first used: `memnets
# --help` and `memnets score` need none of them.
_MODULES = {
    "AttentionMap": ".text.attention",
    "Batch": ".contract.parts",
    "Beside": ".contract.neighbours",
    "BitTask": ".algorithmic.base",
    "CharacterTask": ".text.characters.base",
    "Column": ".contract.parts",
    "Comparison": ".comparison.comparison",
    "CurriculumTask": ".text.characters.curriculum",
    "Debagged": ".text.debagging",
    "Describer": ".captions.describer",
    "Evaluation": ".contract.evaluation",
    "EvaluationResult": ".evaluation",
    "FiniteTask": ".contract.finite",
    "Guessed": ".training.guessing",
    "History": ".runs",
    "Hypothesis": ".text.hypotheses",
    "MODELS": ".registry",
    "LengthTest": ".length_generalization",
    "ModelConfig": ".models.base",
    "NGramModel": ".text.ngrams",
    "Presentation": ".contract.presentation",
    "ProcessLost": ".runs.jax_processes",
    "Range": ".searching.axes",
    "RangedTask": ".contract.sized_task",
    "Recipe": ".contract.recipe",
    "Run": ".runs",
    "RunError": ".runs",
    "Search": ".searching.result",
    "Section": ".contract.parts",
    "SizedTask": ".contract.sized_task",
    "SplitTask": ".contract.splits",
    "Story": ".relations.stories.story",
    "StoryTask": ".relations.stories.base",
    "Stream": ".contract.stream",
    "Success": ".contract.success",
    "SymbolTask": ".contract.symbol_task",
    "TASKS": ".registry",
    "Task": ".contract.task",
    "TasksComparison": ".comparison.several_tasks",
    "TrainingConfig": ".runs",
    "TrainingDiverged": ".training.stopping",
    "TrainingResult": ".training.training",
    "Translator": ".text.translator",
    "WordVectors": ".vectors.word_vectors",
    "altered": ".contract.altered",
    "compare": ".comparison.comparison",
    "compare_tasks": ".comparison.several_tasks",
    "debag": ".text.debagging",
    "draw_gradient_flow": ".figures.flow_figures",
    "draw_trace": ".figures.memory_figures",
    "evaluate": ".evaluation",
    "generate": ".text.generation",
    "get_model": ".registry",
    "get_task": ".registry",
    "guess_weights": ".training.guessing",
    "join_processes": ".runs.jax_processes",
    "length_test": ".length_generalization",
    "load_pretrained": ".pretrained",
    "mbr": ".text.mbr",
    "open_run": ".runs",
    "register_model": ".registry",
    "register_task": ".registry",
    "score_shards": ".scoring.shards",
    "search": ".searching.search",
    "stories_from": ".relations.stories.reader",
    "train": ".training.training",
    "train_word_vectors": ".training.word_vectors",
    "write_report": ".report.report",
}


def __getattr__(name: str) -> Any:
    if name == "__all__":
        return __dir__()
    if name == "series":
        return importlib.import_module(f"{__name__}.series")
    if name.startswith("_"):  # what notebooks and others probe for
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    if name in _MODULES:
        value = getattr(importlib.import_module(_MODULES[name], __name__), name)
    elif name in (found := _task_classes()):
        value = found[name]
    else:
        # With the module, Python names the nearest of its attributes.
        message = f"module {__name__!r} has no attribute {name!r}"
        raise AttributeError(message, name=name, obj=sys.modules[__name__])
    globals()[name] = value
    return value


def _task_classes() -> dict[str, type]:
    """The tasks of the package by the names of their classes."""
    registry = importlib.import_module(".registry", __name__)
    return {task.__name__: task for task in registry.INCLUDED}


def __dir__() -> list[str]:
    return sorted([*_MODULES, *_task_classes(), "series"])
