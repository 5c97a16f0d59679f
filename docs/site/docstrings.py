"""What mkdocstrings does not know of our docstrings and signatures."""

import importlib
import inspect
import re
import textwrap

import griffe

# Sections that are lists, and that griffe does not know.
LISTS = re.compile(r"^(Call arguments|Presets):\n((?:    .*\n?|\n)+)", re.MULTILINE)
ITEM = re.compile(r"^(\w[\w, `*.]*): ", re.MULTILINE)
# A heading of a section, which griffe knows after a blank line only.
HEADING = re.compile(
    r"(?<=\n)(?=(?:Args|Attributes|Returns|Raises|Examples|Reference):\n)"
)
# `low, high: Bounds.`, whose names may take more than a line.
SEVERAL_NAMES = re.compile(
    r"^    ((?:\w+,\s+)+\w+): (.*(?:\n        .*)*)", re.MULTILINE
)


# Layers and cells that take the arguments of their memory or of their cell.
LAYERS = (
    *("ntm.layer.NTM", "ntm.cell.NTMCell", "dnc.layer.DNC", "dnc.cell.DNCCell"),
    *("lrua.layer.LRUA", "lrua.cell.LRUACell", "sam.layer.SAM", "sam.cell.SAMCell"),
    *("stacks.layer.StackRNN", "stacks.cell.StackCell"),
    *("tapes.layer.TapeRNN", "tapes.cell.TapeCell"),
    "fast_weights.layer.FastWeights",
)


class Docstrings(griffe.Extension):
    """Reads `Example:` as code, `LISTS` as lists, and arguments that share a
    description one by one; gives layers the arguments that they pass to their cells
    and memories."""

    def on_object(self, *, obj, **kwargs) -> None:
        if obj.docstring is None:
            return
        text = re.sub(r"^Example:$", "Examples:", obj.docstring.value, flags=re.M)
        text = HEADING.sub("\n", LISTS.sub(_list, text))
        obj.docstring.value = SEVERAL_NAMES.sub(_one_by_one, text)

    def on_package(self, *, pkg, **kwargs) -> None:
        if pkg.name != "memnets":
            return
        for path in LAYERS:
            own = griffe.Function("__init__", parameters=_parameters(path))
            pkg[path].set_member("__init__", own)


def _parameters(path):
    """The parameters that a class of memnets has at run time."""
    module, _, name = path.rpartition(".")
    kind = getattr(importlib.import_module(f"memnets.{module}"), name)
    signature = inspect.signature(kind)
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
    items = ITEM.sub(r"- `\1`: ", textwrap.dedent(match[2]))
    return f"\n**{match[1]}:**\n\n{items}"


def _one_by_one(match):
    names = match[1].replace(",", " ").split()
    return "\n".join(f"    {name}: {match[2]}" for name in names)
