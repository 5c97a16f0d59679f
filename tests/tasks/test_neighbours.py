"""What stands beside a task: its presentation and its evaluation."""

import dataclasses

import pytest

import tasks
from tasks.contract.moved_members import BESIDE, REPLACED
from tasks.contract.neighbours import Beside
from tasks.registry import TASKS


def public(kind):
    return [name for name in dir(kind) if not name.startswith("_")]


@pytest.mark.parametrize(
    ("kind", "most"),
    [
        (tasks.Task, 20),
        (tasks.Recipe, 12),
        (tasks.Stream, 12),
        (tasks.Presentation, 12),
        (tasks.Evaluation, 12),
    ],
)
def test_members_are_few_and_none_is_overridden_by_a_single_class(kind, most):
    members = public(kind)
    assert 0 < len(members) <= most
    for name in members:
        overriding = [one for one in subclasses(kind) if name in vars(one)]
        assert len(overriding) != 1, name


def subclasses(kind):
    """The classes of the package that derive from one."""
    found = set(kind.__subclasses__()).union(*map(subclasses, kind.__subclasses__()))
    return {one for one in found if one.__module__.startswith("tasks.")}


def test_attributes_of_what_stands_beside_are_those_of_one_class_of_tasks():
    class Own(tasks.Copy):
        recipe = Beside(tasks.Recipe, solved_by=("lstm",))

    assert Own.recipe.solved_by == Own().recipe.solved_by == ("lstm",)
    assert issubclass(Own.recipe, tasks.Recipe) and tasks.Recipe.solved_by == ()
    assert Beside(tasks.Recipe).kind is tasks.Recipe


@pytest.mark.parametrize("name", [*BESIDE, *REPLACED])
def test_a_task_that_defines_a_member_that_has_moved_is_told_where_it_stands(name):
    with pytest.raises(TypeError, match=rf"`{name}` must not stand in a task class"):
        type("Old", (tasks.Copy,), {name: None})


@pytest.mark.parametrize("name", BESIDE)
def test_a_member_that_has_moved_is_still_found_on_a_task(name):
    task = tasks.Copy()
    with pytest.deprecated_call(match=rf"`task\.{BESIDE[name]}\.{name}` now"):
        getattr(task, name)


def test_a_member_that_there_never_was_is_the_usual_error():
    with pytest.raises(AttributeError, match="'Copy' object has no attribute 'colour'"):
        _ = tasks.Copy().colour


def test_no_task_defines_what_has_moved():
    for kind in TASKS.values():
        assert not {*BESIDE, *REPLACED} & set(public(kind))


def test_a_property_that_fails_keeps_its_error():
    @dataclasses.dataclass(frozen=True)
    class Broken(tasks.Copy):
        @property
        def success(self):
            return self.missing

    with pytest.raises(AttributeError, match="missing"):
        _ = Broken().success
