"""The tasks and the models by name, those of the package and those registered."""

import functools
import inspect
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, TypeVar

from . import models
from .algorithmic.associative_recall import AssociativeRecall as AssociativeRecall
from .algorithmic.copy_task import Copy as Copy
from .algorithmic.dynamic_ngrams import DynamicNGrams as DynamicNGrams
from .algorithmic.key_value import KeyValue as KeyValue
from .algorithmic.paper import PUBLISHED as _ALGORITHMIC
from .algorithmic.priority_sort import PrioritySort as PrioritySort
from .algorithmic.recall_pairs import RecallPairs as RecallPairs
from .algorithmic.repeat_blocks import RepeatBlocks as RepeatBlocks
from .algorithmic.repeat_copy import RepeatCopy as RepeatCopy
from .captions.photo_captioning import PhotoCaptioning as PhotoCaptioning
from .captions.scene_captioning import SceneCaptioning as SceneCaptioning
from .checks import shorten
from .contract.corpus_task import CorpusTask
from .contract.lookup import lookup_registered
from .contract.parameters import made
from .contract.parts import Published
from .contract.task import Task
from .formal_languages.chomsky import LANGUAGES
from .formal_languages.counting import Counting as Counting
from .formal_languages.dyck import Dyck as Dyck
from .formal_languages.transduce_addition import TransduceAddition as TransduceAddition
from .formal_languages.transductions import BigramFlip as BigramFlip
from .formal_languages.transductions import LetterCopy as LetterCopy
from .formal_languages.transductions import Reversal as Reversal
from .long_lags.delayed_xor import DelayedXOR as DelayedXOR
from .long_lags.embedded_reber import EmbeddedReber as EmbeddedReber
from .long_lags.long_lag import LongLag as LongLag
from .long_lags.marked_pairs import Adding as Adding
from .long_lags.marked_pairs import Multiplication as Multiplication
from .long_lags.step_count import StepCount as StepCount
from .long_lags.temporal_order import TemporalOrder as TemporalOrder
from .long_lags.temporal_xor import TemporalXOR as TemporalXOR
from .long_lags.timed_spikes import TimedSpikes as TimedSpikes
from .long_lags.two_sequence import TwoSequence as TwoSequence
from .models.base import ModelConfig
from .models.keras_model import KerasModel
from .own_code import check_complete, is_own
from .relations.inference import Inference as Inference
from .relations.one_shot import OneShot as OneShot
from .relations.shortest_path import ShortestPath as ShortestPath
from .relations.stories.simulated import Stories as Stories
from .relations.traversal import Traversal as Traversal
from .text.characters.addition import Addition as Addition
from .text.characters.learning_to_execute import LearningToExecute as LearningToExecute
from .text.characters.memorization import Memorization as Memorization
from .text.language_model import LanguageModeling as LanguageModeling
from .text.toy_translation import ToyTranslation as ToyTranslation
from .text.translation import Translation as Translation

if TYPE_CHECKING:
    import keras

Entry = TypeVar("Entry")

# The tasks of the package, in the order in which they are listed.
INCLUDED: tuple[type[Task], ...] = (
    Copy,
    RepeatCopy,
    AssociativeRecall,
    DynamicNGrams,
    PrioritySort,
    RepeatBlocks,
    KeyValue,
    RecallPairs,
    EmbeddedReber,
    LongLag,
    TwoSequence,
    Adding,
    Multiplication,
    *(TemporalOrder, TemporalXOR, TimedSpikes, DelayedXOR, StepCount),
    LearningToExecute,
    Addition,
    Memorization,
    LanguageModeling,
    ToyTranslation,
    Translation,
    SceneCaptioning,
    PhotoCaptioning,
    Traversal,
    Inference,
    ShortestPath,
    Stories,
    OneShot,
    Counting,
    Dyck,
    LetterCopy,
    Reversal,
    BigramFlip,
    TransduceAddition,
    *LANGUAGES,
)

TASKS: dict[str, type[Task]] = {task.name: task for task in INCLUDED}
MODELS: dict[str, Any] = {model.name: model for model in models.INCLUDED}
# What papers report of tasks, by the signature of the task.
PUBLISHED: dict[str, Published] = dict(_ALGORITHMIC)


def register_task(task: type[Task]) -> type[Task]:
    """Makes a task of your own known by its `name`, as a decorator of its class.

    The command line finds it with `memnets --import FILE`. `open_run` reads its runs
    once the class is registered.

    Raises:
        TypeError: If it is no class derived from `Task`, has no name or lacks methods.
        ValueError: If its name is that of another task.
    """
    if not (isinstance(task, type) and issubclass(task, Task)):
        raise TypeError(
            f"`task` must be a class derived from Task. Received: {shorten(task)}"
        )
    return _register("task", task, getattr(task, "name", None), TASKS)


def register_model(model: Entry) -> Entry:
    """Makes a model of your own known by its name, as a decorator: of a class derived
    from `ModelConfig`, or of a function from a task to a Keras model. The name of a
    function is its own, with hyphens for underscores.

    Raises:
        TypeError: If it is neither.
        ValueError: If its name is that of another model.
    """
    if isinstance(model, type) and issubclass(model, ModelConfig):
        return _register("model", model, getattr(model, "name", None), MODELS)
    if not inspect.isroutine(model):
        raise TypeError(
            "`model` must be a class derived from ModelConfig or a function from a "
            f"task to a Keras model. Received: {shorten(model)}"
        )
    config = KerasModel.of(model)

    @functools.wraps(model)
    def configuration() -> KerasModel:
        return config

    _register("model", configuration, config.label, MODELS)
    return model


def _register(kind: str, value: Any, name: Any, registry: dict[str, Any]) -> Any:
    if not isinstance(name, str) or not name:
        raise TypeError(f"`{kind}` must have a `name`. Received: {shorten(value)}")
    known = registry.get(name)
    # The same file may be imported twice.
    same = known is not None and known.__qualname__ == value.__qualname__
    if known is not None and not (is_own(known) and same):
        raise ValueError(f"`{kind}` must have a name of its own. Received: {name!r}")
    check_complete(kind, value)
    registry[name] = value
    return value


def task_class(name: str) -> type[Task]:
    """The class of the task of that name.

    Raises:
        ValueError: If there is no such task.
    """
    return lookup_registered("task", name, TASKS)


def model_class(name: str) -> Any:
    """The class of the model of that name, or the function that makes its config.

    Raises:
        ValueError: If there is no such model.
    """
    return lookup_registered("model", name, MODELS)


def get_task(name: str, **parameters: Any) -> Task:
    """The task of that name with the given parameters. Its files are read.

    Raises:
        ValueError: If there is no such task, a parameter is out of its range, or a file
            cannot be read.
    """
    return loaded(made(lookup_registered("task", name, TASKS), name, parameters))


def loaded(task: Task) -> Task:
    """A task whose files are read and checked, if it has some.

    Raises:
        ValueError: If a file cannot be read, or does not fit.
    """
    return task.load() if isinstance(task, CorpusTask) else task


def get_model(name: str, task: Task | None = None, **parameters: Any) -> ModelConfig:
    """The model of that name with the given parameters, and else those for the task.

    Raises:
        ValueError: If there is no such model, or a parameter does not suit it.
    """
    model = lookup_registered("model", name, MODELS)
    for_task = task.recipe.model_parameters(model) if task else {}
    return made(model, name, {**for_task, **parameters})


def compared_models(task: type[Task] | Task | None) -> list[str]:
    """The names of the models that a comparison trains unless told otherwise: those of
    the task, and those of the user's own."""
    own = [name for name, model in MODELS.items() if is_own(model)]
    return [*(Task if task is None else task).recipe.compared_models, *own]


def default_model(task: type[Task] | Task) -> str:
    """The name of the model that a task is trained with unless told otherwise: one that
    can do it."""
    return task.recipe.compared_models[0]


def as_task(task: Task | str) -> Task:
    """A task from itself or from its name.

    Raises:
        TypeError: If it is neither, or has no name.
        ValueError: If there is no task of that name.
    """
    if isinstance(task, str):
        return get_task(task)
    if not isinstance(task, Task):
        is_class = isinstance(task, type) and issubclass(task, Task)
        hint = f". Make an instance: {task.__name__}()" if is_class else ""
        raise TypeError(
            f"`task` must be a Task or its name. Received: task={shorten(task)}{hint}"
        )
    if not isinstance(getattr(task, "name", None), str):
        raise TypeError(
            "`task` must have a `name`, a string in its class. "
            f"Received: task={shorten(task)}"
        )
    return loaded(task)


def as_model(
    model: "ModelConfig | str | keras.Model | Callable[[Task], keras.Model] | None",
    task: Task,
) -> ModelConfig:
    """The configuration of a model from itself, its name, a Keras model, or a function
    from a task to a Keras model; of None, that of the task's default model.

    Raises:
        TypeError: If it is none of them.
        ValueError: If there is no model of that name.
    """
    if model is None:
        model = default_model(task)
    if isinstance(model, str):
        return get_model(model, task)
    if isinstance(model, ModelConfig):
        return model
    if isinstance(model, type) and issubclass(model, ModelConfig):
        raise TypeError(
            "`model` must be an instance, not a class. "
            f"Received: model={shorten(model)}"
        )
    return KerasModel.of(model)
