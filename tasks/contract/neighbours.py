"""What stands beside a task: objects that know it, one for each purpose."""

from typing import Any, Generic, TypeVar, overload

T_co = TypeVar("T_co", covariant=True)


class Beside(Generic[T_co]):
    """An attribute of a task class that makes an object for each task.

    `recipe = Beside(CopyRecipe)` in a class makes `task.recipe` a `CopyRecipe(task)`,
    and `Copy.recipe` is the class `CopyRecipe`.

    Args:
        kind: The class of the object; its only argument is the task.
        **attributes: Attributes of that class that differ for these tasks.
    """

    def __init__(self, kind: type[T_co], **attributes: Any) -> None:
        if attributes:
            known = {"__module__": kind.__module__, "__doc__": kind.__doc__}
            kind = type(kind.__name__, (kind,), known | attributes)
        self.kind = kind

    @overload
    def __get__(self, task: None, owner: type) -> type[T_co]: ...

    @overload
    def __get__(self, task: Any, owner: type) -> T_co: ...

    def __get__(self, task: Any, owner: type) -> Any:
        return self.kind if task is None else self.kind(task)  # type: ignore[call-arg]
