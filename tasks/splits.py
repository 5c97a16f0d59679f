"""Tasks whose data is in splits: for training, for validation, for testing."""

import abc
import copy
import dataclasses
from typing import Any, ClassVar, Self

from .base import Task
from .checks import check_choice

SPLITS = ("train", "validation", "test")


@dataclasses.dataclass(frozen=True)
class SplitTask(Task, abc.ABC):
    """A task that draws from one split of its data: from "train", unless `on` says
    another.

    Evaluation draws from the split that this object was put on, from "validation" if
    that is "train", unless a task has others in `eval_tasks`.
    """

    # Names of the splits.
    splits: ClassVar[tuple[str, ...]] = SPLITS
    # Not a field: which split this object draws from is no parameter of the task.
    _split = "train"

    def on(self, split: str) -> Self:
        """The same task, drawing from another split.

        Raises:
            ValueError: If there is no such split.
        """
        view = copy.copy(self)
        object.__setattr__(view, "_split", check_choice("split", split, self.splits))
        return view

    @property
    def split(self) -> str:
        """The split that this object draws from."""
        return self._split

    @property
    def eval_tasks(self) -> tuple[Self, ...]:
        return (self.on("validation") if self._split == "train" else self,)

    def altered(self, **parameters: Any) -> Self:
        return super().altered(**parameters).on(self._split)
