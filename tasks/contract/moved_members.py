"""Members that tasks had in earlier versions, and where they stand now."""

import warnings
from typing import Any

# The object beside a task, see `Beside`, that a member has moved to under its name.
BESIDE = {
    "compared_models": "recipe",
    "curriculum": "recipe",
    "chance_loss": "recipe",
    "validation_measure": "recipe",
    "easier": "stream",
    "render": "presentation",
    "draw": "presentation",
    "sections": "presentation",
    "model_sections": "presentation",
    "headline": "presentation",
    "column": "presentation",
    "notes": "presentation",
    "eval_tasks": "evaluation",
    "at_length": "evaluation",
    "sizes": "evaluation",
    "eval_sequences": "evaluation",
    "num_eval_sequences": "evaluation",
    "eval_batches": "evaluation",
    "score": "evaluation",
    "validator": "evaluation",
    "is_right": "evaluation",
}
# What has taken the place of a member that is gone.
REPLACED = {
    "input_shape": "`inputs()`, which returns the Keras inputs of a model",
    "input_dtype": "`inputs()`, which returns the Keras inputs of a model",
    "output_shape": "`output_size` and `every_step`",
    "model_parameters": "`models` of the `recipe`, by the class of the model",
    "training_parameters": "`training` of the `recipe`, by the class of the model",
    "sample_for_training": "`sample` of the `stream`",
    "training_block": "`sample` or `batch` of the `stream`",
    "training_batch": "`batch` of the `stream`",
    "at_stage": "`staged` of the task, for blocks during a curriculum only",
    "upgrade": "`tasks.contract.earlier.PARAMETERS`, by the name of the task",
    "legacy_errors": "`tasks.contract.earlier.ERRORS`, by the name of the task",
    "altered": "`tasks.contract.altered.altered`, a function of the task",
    "is_own": "`tasks.own_code.is_own`, a function of the class",
    "published": "`tasks.registry.PUBLISHED`, a table by the task's signature",
    "floors": "`floors` of a `presentation` that has some",
    "evaluate_batch": "`measured` of the `evaluation`",
    "eval_weights": "`measured` of the `evaluation`",
    "carries_state": "`measured` and `score` of the `evaluation`",
}


def check_members(kind: type) -> None:
    """Checks that a class of tasks defines no member that has moved.

    Raises:
        TypeError: If it does.
    """
    for name in vars(kind):
        place = REPLACED.get(name)
        if name in BESIDE:
            place = f"the `{BESIDE[name]}` of the task, see docs/tutorials/own_task.md"
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
    if name not in BESIDE:
        return object.__getattribute__(task, name)  # which raises the usual error
    place = BESIDE[name]
    warnings.warn(
        f"`task.{name}` is `task.{place}.{name}` now. The earlier name ends with "
        "memnets 2.0.",
        DeprecationWarning,
        stacklevel=3,
    )
    return getattr(getattr(task, place), name)
