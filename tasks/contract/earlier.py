"""What earlier versions called tasks, their parameters and their errors."""

from collections.abc import Callable, Mapping
from typing import Any


def _of_copy(saved: dict[str, Any]) -> dict[str, Any]:
    # Earlier runs have no additional blank vectors.
    return {"blank_rate": 0.0, **saved}


def _of_repeat_copy(saved: dict[str, Any]) -> dict[str, Any]:
    # `go_on` until format 3; earlier runs have no such share.
    continue_rate = saved.pop("go_on", None) or 0.0
    return {"continue_rate": continue_rate, **saved}


def _of_associative_recall(saved: dict[str, Any]) -> dict[str, Any]:
    # `alike` until format 3; earlier runs have no similar items.
    similar_items = saved.pop("alike", None) or 0.0
    return {"similar_items": similar_items, **saved}


# By the name of a task: makes parameters of this version of a copy of saved ones.
PARAMETERS: dict[str, Callable[[dict[str, Any]], dict[str, Any]]] = {
    "copy": _of_copy,
    "repeat-copy": _of_repeat_copy,
    "associative-recall": _of_associative_recall,
}
# By a name of earlier versions that another task has now: the name of today, and a
# parameter that only the other task has.
NAMES: dict[str, tuple[str, str]] = {
    "binary-addition": ("transduce-addition", "computation_steps"),
}
# By the name of a task: names of errors by those in summaries.
ERRORS: dict[str, dict[str, str]] = {
    "repeat-copy": {"vectors": "vector_errors", "end marker": "marker_errors"},
}


def renamed(saved: dict[str, Any]) -> dict[str, Any]:
    """A saved task, its name and its parameters, under the name that it has in this
    version."""
    today, new_parameter = NAMES.get(saved["name"], ("", ""))
    if not today or new_parameter in saved:
        return saved
    return {**saved, "name": today}


def upgraded(kind: type, saved: dict[str, Any]) -> dict[str, Any]:
    """Saved parameters of a task as this version names them.

    Args:
        kind: The class of the task.
        saved: Its parameters, without its name.
    """
    upgrade = _of_class(kind, PARAMETERS)
    return upgrade(dict(saved)) if upgrade else saved


def error_names(kind: type) -> dict[str, str]:
    """Names of the errors of a class of tasks by those in summaries."""
    return _of_class(kind, ERRORS) or {}


def _of_class(kind: type, table: Mapping[str, Any]) -> Any:
    """The entry of a class of tasks, or that of the class it is derived from."""
    names = (vars(base).get("name", "") for base in kind.__mro__)
    return next((table[name] for name in names if name in table), None)
