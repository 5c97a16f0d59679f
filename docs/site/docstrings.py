"""What mkdocstrings does not know of our docstrings and signatures."""

import re

import griffe

CALL_ARGUMENTS = re.compile(r"^Call arguments:\n((?:    .*\n?|\n)+)", re.MULTILINE)
ITEM = re.compile(r"^    (\w[\w, `*]*): ", re.MULTILINE)
# `low, high: Bounds.`, whose names may take more than a line.
SEVERAL_NAMES = re.compile(
    r"^    ((?:\w+,\s+)+\w+): (.*(?:\n        .*)*)", re.MULTILINE
)


class Docstrings(griffe.Extension):
    """Reads `Example:` as code, `Call arguments:` as a list, and arguments that share a
    description one by one; gives `NTM` and `DNC` the arguments that they pass to their
    cells."""

    def on_object(self, *, obj, **kwargs) -> None:
        if obj.docstring is None:
            return
        text = re.sub(r"^Example:$", "Examples:", obj.docstring.value, flags=re.M)
        text = CALL_ARGUMENTS.sub(_list, text)
        obj.docstring.value = SEVERAL_NAMES.sub(_one_by_one, text)

    def on_package(self, *, pkg, **kwargs) -> None:
        if pkg.name != "memnets":
            return
        for layer, cell in (
            ("ntm.NTM", "ntm_cell.NTMCell"),
            ("dnc.DNC", "dnc_cell.DNCCell"),
            ("fast_weights.FastWeights", "fast_weights_cell.FastWeightsCell"),
            ("stack.StackRNN", "stack_cell.StackCell"),
            ("lrua.LRUA", "lrua_cell.LRUACell"),
            ("sam.SAM", "sam_cell.SAMCell"),
        ):
            init = pkg[f"{layer}.__init__"]
            this, units, *others = init.parameters
            # As `memnets.recurrent.cell_layer` does at run time.
            passed_on = [
                parameter
                for parameter in pkg[f"{cell}.__init__"].parameters
                if parameter.kind is griffe.ParameterKind.keyword_only
            ]
            init.parameters = griffe.Parameters(this, units, *passed_on, *others)


def _list(match):
    return "Call arguments:\n\n" + ITEM.sub(r"    - `\1`: ", match[1])


def _one_by_one(match):
    names = match[1].replace(",", " ").split()
    return "\n".join(f"    {name}: {match[2]}" for name in names)
