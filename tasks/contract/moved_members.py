"""Members that tasks had in earlier versions, and where they stand now."""

import warnings
from typing import Any

# The neighbour of a task, see `Beside`, that a member has moved to.
MOVED = {
    **dict.fromkeys(
        ("render", "draw", "sections", "model_sections", "headline", "column", "notes"),
        "presentation",
    ),
    **dict.fromkeys(
        (
            *("eval_tasks", "at_length", "sizes", "eval_sequences"),
            *("num_eval_sequences", "eval_batches", "score", "validator", "is_right"),
        ),
        "evaluation",
    ),
}
# What has taken the place of a member that is gone.
REPLACED = {
    "published": "`tasks.registry.PUBLISHED`, a table by the task's signature",
    "floors": "`floors` of a `presentation` that has some",
    "evaluate_batch": "`measured` of the `evaluation`",
    "eval_weights": "`measured` of the `evaluation`",
    "carries_state": "`measured` and `score` of the `evaluation`",
}


def check_members(kind: type) -> None:
    """Checks that a task class defines no member that has moved.

    Raises:
        TypeError: If it does.
    """
    for name in vars(kind):
        place = REPLACED.get(name)
        if name in MOVED:
            place = f"the `{MOVED[name]}` of the task, see docs/tutorials/own_task.md"
        if place is not None:
            raise TypeError(
                f"`{name}` must not stand in a task class. It stands now in {place}. "
                f"Received: {kind.__name__}.{name}"
            )


def moved_member(task: Any, name: str) -> Any:
    """A member that has moved, with a warning, for code that was written before.

    Raises:
        AttributeError: If the task never had such a member.
    """
    if name not in MOVED:
        return object.__getattribute__(task, name)  # which raises the usual error
    place = MOVED[name]
    warnings.warn(
        f"`task.{name}` is deprecated: use `task.{place}.{name}`.",
        DeprecationWarning,
        stacklevel=3,
    )
    return getattr(getattr(task, place), name)
