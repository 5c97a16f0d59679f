"""The sections of our docstrings that mkdocstrings does not know."""

import re

import griffe

ITEM = re.compile(r"^    (\w[\w, `*]*): ", re.MULTILINE)
CALL_ARGUMENTS = re.compile(r"^Call arguments:\n((?:    .*\n?|\n)+)", re.MULTILINE)


class Sections(griffe.Extension):
    """Reads `Example:` as code, and `Call arguments:` as a list."""

    def on_object(self, *, obj, **kwargs) -> None:
        if obj.docstring is None:
            return
        text = re.sub(r"^Example:$", "Examples:", obj.docstring.value, flags=re.M)
        obj.docstring.value = CALL_ARGUMENTS.sub(_list, text)


def _list(match):
    return "Call arguments:\n\n" + ITEM.sub(r"    - `\1`: ", match[1])
