"""The sections of docs/commands.md that say what each command and option does.

They are made from the commands themselves when the site is built.
"""

import inspect
import re

import click

from tasks.cli.main import COMMANDS, main

PLACE = "<!-- the commands -->"
# Click's names of kinds of values, and the shorter ones of the page.
KINDS = {" RANGE": "", "INTEGER": "N", "FLOAT": "X", " / ": ", "}
# Other commands that train have the options of training too: they are on the page once.
WITH_TRAINING = "train"


def page(markdown):
    """The page with the sections of all commands in their place."""
    return markdown.replace(PLACE, "\n\n".join(map(section, COMMANDS)))


def section(name):
    """What the help of a command says."""
    command = main.commands[name]
    context = command.make_context(name, [], resilient_parsing=True)
    context.info_name = f"memnets {name}"
    usage = " ".join([context.info_name, *command.collect_usage_pieces(context)])
    text = _text(inspect.cleandoc(command.help))
    parts = [f"## memnets {name}", text, _code([usage])]
    parts += _tables(command, context)
    return "\n\n".join([*parts, _code(command.examples)])


def _tables(command, context):
    """A table of options for each heading of the help."""
    rows = {}
    for option in command.get_params(context):
        record = option.get_help_record(context)
        is_option = isinstance(option, click.Option) and "--help" not in option.opts
        if record and is_option:
            heading = getattr(option, "heading", "Options")
            rows.setdefault(heading, []).append(_row(*record))
    for heading, own in rows.items():
        if heading == "Options":
            yield "\n".join(["| option | meaning |", "| --- | --- |", *own])
        elif command.name == WITH_TRAINING:
            head = [f"| {heading.lower()} | meaning |", "| --- | --- |"]
            yield "\n".join([*head, *own])
        else:
            link = f"[{WITH_TRAINING}](#memnets-{WITH_TRAINING})"
            yield f"Further options are those of {heading.lower()}, as of {link}."


def _row(names, meaning):
    for kind, short in KINDS.items():
        names = names.replace(kind, short)
    names = ", ".join(f"`{name}`" for name in _escaped(names, "|").split(", "))
    return f"| {names} | {_escaped(' '.join(_text(meaning).split()), '|')} |"


def _text(text):
    """Plain text, of which nothing is taken for Markdown but code between backticks."""
    return _escaped(text, "*[").replace("<", "&lt;")


def _escaped(text, signs):
    return re.sub(f"[{re.escape(signs)}]", r"\\\g<0>", text)


def _code(lines):
    return "\n".join(["```sh", *lines, "```"])
