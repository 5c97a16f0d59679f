"""Tasks whose data lies in files, which are read when they are first needed."""

import abc
import dataclasses
from collections.abc import Callable, Hashable
from typing import Any, ClassVar, Self, TypeVar

from ..checks import shorten
from .splits import SplitTask
from .task import NO_OPTION

T = TypeVar("T")


class Cache:
    """What was read from files, and what was made of it, each kept by a key."""

    def __init__(self) -> None:
        self._kept: dict[Hashable, Any] = {}

    def get(self, key: Hashable, make: Callable[[], T]) -> T:
        """What `make` returns, which is called once for each key."""
        if key not in self._kept:
            self._kept[key] = make()
        return self._kept[key]


@dataclasses.dataclass(frozen=True)
class CorpusTask(SplitTask, abc.ABC):
    """A task whose data lies in files that the user names.

    To make one reads no file. The files are read when they are first needed, or by
    `load`, once for the task, its views of other splits and its altered copies.
    """

    cache: Cache = dataclasses.field(
        default_factory=Cache,
        compare=False,
        repr=False,
        kw_only=True,
        metadata=NO_OPTION,
    )

    # The field that a run keeps of its data, and without which it needs the files.
    learned: ClassVar[str]

    @abc.abstractmethod
    def check_files(self) -> None:
        """Reads all files that a training will need.

        Raises:
            ValueError: If one is missing or damaged, or they do not fit the parameters.
        """

    def load(self) -> Self:
        """The task itself, after its files are read and checked, unless it is that of a
        run, which may do without them.

        Raises:
            ValueError: As `check_files`.
        """
        if not self.has(self.learned):
            self.check_files()
        return self

    def check_is_of_run(self, what: str, sha256: str) -> None:
        """Checks that data is that which a run was trained on, whose SHA-256 is kept in
        `digest`.

        Raises:
            ValueError: If it is other data.
        """
        task: Any = self  # whose fields are `data` and `digest`
        if task.digest not in ("", sha256):
            raise ValueError(
                f"`data` must be the {what} of the run, whose SHA-256 begins with "
                f"{task.digest[:12]}. Received: data={shorten(task.data)}, "
                f"with {sha256[:12]}"
            )

    def has(self, name: str) -> bool:
        """Whether a field was given a value, and need not be found in the data."""
        return bool(vars(self)[name])

    def once(self, name: str, make: Callable[[], T]) -> T:
        """What `make` returns, which is called once for a name, the parameters of the
        task and the split."""
        return self.cache.get((name, self.split, *self.given), make)

    @property
    def given(self) -> tuple:
        """The values of the parameters, without what was found in the data."""
        fields = (one.name for one in dataclasses.fields(self) if one.compare)
        return tuple(vars(self)[name] for name in fields)


class Found:
    """The default of a field of a `CorpusTask` that a run keeps: what is found in the
    data, when it is first needed.

    Args:
        empty: What the field is if it was not given.
        find: Finds it, given the task on the split to train on.
        beside: Another field. If that one was given, this one is not looked for: both
            are those of a run.
    """

    def __init__(
        self, empty: Any, find: Callable[[Any], Any], beside: str = ""
    ) -> None:
        self.empty, self._find, self._beside = empty, find, beside

    def __set_name__(self, owner: type, name: str) -> None:
        self._name = name

    def __get__(self, task: Any, owner: type | None = None) -> Any:
        if task is None:
            return self
        value = vars(task)[self._name]
        if value or (self._beside and task.has(self._beside)):
            return value
        key = (self._name, *task.given)
        return task.cache.get(key, lambda: self._find(task.on("train")))

    def __set__(self, task: Any, value: Any) -> None:
        # A dataclass gives the default itself. JSON has lists for tuples.
        empty = self.empty
        vars(task)[self._name] = empty if value is self else type(empty)(value)


def found(empty: Any, find: Callable[[Any], Any], beside: str = "") -> Any:
    """A field with a default `Found`, which is no option of the command line."""
    return dataclasses.field(
        default=Found(empty, find, beside),  # type: ignore[arg-type]
        repr=False,
        metadata=NO_OPTION,
    )
