"""What stands beside a task: objects that know it, one for each purpose."""

from typing import Any, Generic, TypeVar, overload

T = TypeVar("T")


class Beside(Generic[T]):
    """An attribute of a task class that makes an object for each task.

    `recipe = Beside(CopyRecipe)` in a class makes `task.recipe` a `CopyRecipe(task)`.

    Args:
        kind: The class of the object; its only argument is the task.
    """

    def __init__(self, kind: type[T]) -> None:
        self.kind = kind

    @overload
    def __get__(self, task: None, owner: type) -> "Beside[T]": ...

    @overload
    def __get__(self, task: Any, owner: type) -> T: ...

    def __get__(self, task: Any, owner: type) -> Any:
        return self if task is None else self.kind(task)  # type: ignore[call-arg]
