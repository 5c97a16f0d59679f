"""Members that a task had once, and where each stands now."""

MOVED = {
    "compared_models": "Recipe.compared_models",
    "model_parameters": "Recipe.models, by the class of the model",
    "training_parameters": "Recipe.training, by the class of the model",
    "curriculum": "Recipe.curriculum",
    "chance_loss": "Recipe.chance_loss",
    "validation_measure": "Recipe.validation_measure",
    "sample_for_training": "Stream.sample",
    "training_block": "Stream.sample, or Stream.batch",
    "training_batch": "Stream.batch",
    "easier": "Stream.easier",
    "at_stage": "Task.staged, for blocks during a curriculum only",
    "upgrade": "tasks.contract.earlier.PARAMETERS, by the name of the task",
    "legacy_errors": "tasks.contract.earlier.ERRORS, by the name of the task",
    "altered": "tasks.contract.altered.altered, a function of the task",
    "is_own": "tasks.own_code.is_own, a function of the class",
}


def check_members(kind: type) -> None:
    """Checks that a class of tasks defines no member that has moved.

    Raises:
        TypeError: If it does.
    """
    for name in MOVED.keys() & vars(kind).keys():
        raise TypeError(
            f"`{name}` must not be a member of the task {kind.__name__}: it has moved "
            f"to {MOVED[name]}."
        )
