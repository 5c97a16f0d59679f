"""Names of metrics on the command line, and slips in them."""

import os
import re
from collections.abc import Iterable
from typing import Any

import click

from ..metrics_package import metrics_module
from .command import BadInput

_REGISTRY = metrics_module("registry")
METRICS = _REGISTRY.METRICS
# Without an ending as of a file: `meteor-1.5`, not `meteor.txt`.
_LIKE_A_NAME = re.compile(r"[\w+-]+(\.\d+)*")


class MetricName(click.Choice):
    """The name of a metric; of a list with commas, only the unknown names are told."""

    def __init__(self) -> None:
        super().__init__(list(METRICS), case_sensitive=False)

    def convert(
        self, value: Any, param: click.Parameter | None, ctx: click.Context | None
    ) -> str:
        for name in _unknown(value):
            self.fail(f"{name!r} is not {_one_of_all(name)}", param, ctx)
        return super().convert(value, param, ctx)


def check_files(words: Iterable[str]) -> None:
    """Checks words that are read as files beside names of metrics: a list of names ends
    at the first unknown one.

    Raises:
        BadInput: If a word is no file, and looks like the name of a metric.
    """
    for word in words:
        if word == "-" or os.path.exists(word):
            continue
        for name in filter(_LIKE_A_NAME.fullmatch, _unknown(word)):
            raise BadInput(f"`{name}` is no file, and not {_one_of_all(name)}")


def _unknown(words: str) -> list[str]:
    return [name for name in words.split(",") if name.lower() not in METRICS]


def _one_of_all(name: str) -> str:
    near = _REGISTRY.nearest_name(name)
    hint = f" Did you mean {near}?" if near else ""
    return f"one of {', '.join(METRICS)}.{hint}"
