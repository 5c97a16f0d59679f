"""What mkdocstrings does not know of our docstrings and signatures."""

import inspect
import re

import griffe

import memnets

CALL_ARGUMENTS = re.compile(r"^Call arguments:\n((?:    .*\n?|\n)+)", re.MULTILINE)
ITEM = re.compile(r"^    (\w[\w, `*]*): ", re.MULTILINE)
# `low, high: Bounds.`, whose names may take more than a line.
SEVERAL_NAMES = re.compile(
    r"^    ((?:\w+,\s+)+\w+): (.*(?:\n        .*)*)", re.MULTILINE
)


# Layers and cells that take the arguments of their memory or of their cell.
LAYERS = (
    "ntm.NTM",
    "ntm.NTMCell",
    "dnc.DNC",
    "dnc.DNCCell",
    "lrua.LRUA",
    "lrua.LRUACell",
    "sam.SAM",
    "sam.SAMCell",
    "stacks.StackRNN",
    "stacks.StackCell",
    "fast_weights.FastWeights",
)


class Docstrings(griffe.Extension):
    """Reads `Example:` as code, `Call arguments:` as a list, and arguments that share a
    description one by one; gives layers the arguments that they pass to their cells
    and memories."""

    def on_object(self, *, obj, **kwargs) -> None:
        if obj.docstring is None:
            return
        text = re.sub(r"^Example:$", "Examples:", obj.docstring.value, flags=re.M)
        text = CALL_ARGUMENTS.sub(_list, text)
        obj.docstring.value = SEVERAL_NAMES.sub(_one_by_one, text)

    def on_package(self, *, pkg, **kwargs) -> None:
        if pkg.name != "memnets":
            return
        for path in LAYERS:
            room, name = path.split(".")
            init = pkg[f"{room}.{name}"].all_members["__init__"]
            own = griffe.Function("__init__", parameters=_parameters(name))
            own.docstring = init.docstring
            pkg[f"{room}.{name}"].set_member("__init__", own)


def _parameters(name):
    """The parameters that a class of memnets has at run time."""
    signature = inspect.signature(getattr(memnets, name))
    return griffe.Parameters(
        griffe.Parameter("self", kind=griffe.ParameterKind.positional_or_keyword),
        *(
            griffe.Parameter(
                one.name,
                annotation=inspect.formatannotation(one.annotation),
                kind=getattr(griffe.ParameterKind, one.kind.name.lower()),
                default=None if one.default is one.empty else repr(one.default),
            )
            for one in signature.parameters.values()
        ),
    )


def _list(match):
    return "Call arguments:\n\n" + ITEM.sub(r"    - `\1`: ", match[1])


def _one_by_one(match):
    names = match[1].replace(",", " ").split()
    return "\n".join(f"    {name}: {match[2]}" for name in names)
