"""A row for every task of the package.

The tests of a family run over the rows of its base class, as those of
`tests/tasks/algorithmic/test_every_task.py` over each `BitTask`, and `test_recipe.py`
over all: a new task needs a row here, and tests of its own for what only it does.
"""

from collections.abc import Callable
from typing import Any, NamedTuple

from PIL import Image

import tasks
from tasks.captions.photo_captioning import PhotoCaptioning
from tasks.captions.scene_captioning import SceneCaptioning
from tasks.long_lags.embedded_reber import EmbeddedReber
from tasks.long_lags.long_lag import LongLag
from tasks.long_lags.marked_pairs import Adding, Multiplication
from tasks.long_lags.temporal_order import TemporalOrder
from tasks.long_lags.temporal_xor import TemporalXOR
from tasks.long_lags.timed_spikes import TimedSpikes
from tasks.long_lags.two_sequence import TwoSequence
from tasks.registry import LANGUAGES
from tasks.text.toy_translation import ToyTranslation
from tasks.text.translation import Translation


def _no_data(folder):
    return {}


def _sentences(folder):
    for part in ("train", "val"):
        for language in ("en", "de"):
            lines = [f"{part} {language} {number}" for number in range(9)]
            (folder / f"{part}.{language}").write_text("\n".join(lines) + "\n")
    return {"data": folder, "unit": "word"}


def _pictures(folder):
    rows = ["image,caption"]
    for number in range(4):
        picture = Image.new("RGB", (32, 32), (40 * number,) * 3)
        picture.save(folder / f"{number}.png")
        rows.append(f"{number}.png,a wall")
    (folder / "captions.csv").write_text("\n".join(rows) + "\n")
    return {"data": folder / "captions.csv", "images": folder, "picture_size": 32}


class TaskDescriptor(NamedTuple):
    """How to make one task.

    Attributes:
        task_class: Its class.
        small: Parameters of a task that is quick to test; those of the class if empty.
        data: Writes into a folder what the task reads, and returns the parameters that
            name it.
    """

    task_class: type
    small: dict[str, Any] = {}
    data: Callable = _no_data


DESCRIPTORS = [
    TaskDescriptor(tasks.Copy, {"num_bits": 3, "min_length": 2, "max_length": 5}),
    TaskDescriptor(
        tasks.RepeatCopy,
        {"num_bits": 3, "min_length": 2, "max_length": 5, "max_repeats": 3},
    ),
    TaskDescriptor(
        tasks.AssociativeRecall, {"num_bits": 3, "item_length": 2, "max_items": 4}
    ),
    TaskDescriptor(tasks.DynamicNGrams, {"context": 2, "num_steps": 7}),
    TaskDescriptor(
        tasks.PrioritySort, {"num_bits": 3, "num_vectors": 6, "num_outputs": 4}
    ),
    TaskDescriptor(
        tasks.RepeatBlocks,
        {"num_bits": 3, "min_length": 2, "max_length": 5, "max_blocks": 3},
    ),
    TaskDescriptor(tasks.KeyValue, {"num_bits": 3, "max_pairs": 4}),
    TaskDescriptor(tasks.RecallPairs, {"num_bits": 3, "max_pairs": 4}),
    TaskDescriptor(EmbeddedReber),
    TaskDescriptor(LongLag),
    TaskDescriptor(TwoSequence),
    TaskDescriptor(Adding),
    TaskDescriptor(Multiplication),
    TaskDescriptor(TemporalOrder),
    TaskDescriptor(TemporalXOR, {"segments": 3}),
    TaskDescriptor(TimedSpikes, {"interval": 3, "wait": 2, "spikes": 2}),
    TaskDescriptor(tasks.DelayedXOR, {"min_steps": 10}),
    TaskDescriptor(tasks.StepCount, {"min_steps": 10}),
    TaskDescriptor(tasks.LearningToExecute, {"length": 2, "nesting": 3}),
    TaskDescriptor(tasks.Addition, {"digits": 2, "reverse_input": True}),
    TaskDescriptor(
        tasks.Memorization,
        {"digits": 4, "reverse_input": True, "double_input": True},
    ),
    TaskDescriptor(tasks.LanguageModeling),
    TaskDescriptor(ToyTranslation),
    TaskDescriptor(Translation, data=_sentences),
    TaskDescriptor(SceneCaptioning),
    TaskDescriptor(PhotoCaptioning, data=_pictures),
    TaskDescriptor(tasks.Traversal),
    TaskDescriptor(tasks.Inference),
    TaskDescriptor(tasks.ShortestPath),
    TaskDescriptor(tasks.Stories),
    TaskDescriptor(tasks.OneShot),
    TaskDescriptor(
        tasks.Counting, {"min_length": 1, "max_length": 6, "pattern": "anbmcnm"}
    ),
    TaskDescriptor(
        tasks.Dyck, {"min_length": 2, "max_length": 12, "kinds": 3, "max_depth": 3}
    ),
    TaskDescriptor(
        tasks.LetterCopy, {"min_length": 2, "max_length": 6, "num_symbols": 3}
    ),
    TaskDescriptor(
        tasks.Reversal, {"min_length": 2, "max_length": 6, "num_symbols": 3}
    ),
    TaskDescriptor(
        tasks.BigramFlip, {"min_length": 2, "max_length": 6, "num_symbols": 3}
    ),
    TaskDescriptor(tasks.TransduceAddition, {"min_length": 1, "max_length": 5}),
    *[TaskDescriptor(language, {"max_length": 5}) for language in LANGUAGES],
]


def small_tasks(base):
    """The small task of each row whose class derives from a base class, by name."""
    return {
        row.task_class.name: row.task_class(**row.small)
        for row in DESCRIPTORS
        if issubclass(row.task_class, base)
    }
