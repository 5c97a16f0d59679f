"""Runs every command with its output placed on what is somebody else's, for
`reliability.py`.

Commands and their options are read from the command line itself, so that a new command
is among them. Whatever was there before must be there afterwards, to the byte: all of
it, but for files that the listing of our own work of the same kind names.
"""

import contextlib
import itertools
import os
import pathlib
import random
import shutil
import sys
import traceback

import click
from click.testing import CliRunner
from foreign_places import MAKES, PLACES

TINY = "ntm-feedforward:memory-size=8,word-size=4,controller-size=8"
BITS = ("--num-bits", "2", "--max-length", "3")
NETWORK = ("--memory-size", "8", "--word-size", "4", "--controller-size", "8")
SHORT = ("--sequences", "16", "--no-jit-compile")
# What makes a command short. A command without an entry runs with its defaults.
EXTRA = {
    "train": [
        ("copy", "--model", "ntm-feedforward", *BITS, *NETWORK, *SHORT),
        ("language-model", "--data", "{book}", "--model", "lstm", "--num-layers", "1")
        + ("--layer-size", "4", "--window", "8", "--context", "1", *SHORT),
    ],
    "compare": [("copy", "--models", TINY, *BITS, *SHORT)],
    "search": [
        ("copy", "--model", "ntm-feedforward", "--vary", "learning-rate=1e-3,1e-2")
        + ("--trials", "1", "--finalists", "1", "--fresh-seeds", "2001", *BITS)
        + (*NETWORK, *SHORT, "--final-sequences", "16")
    ],
    "train-vectors": [
        ("{book}", "--size", "2", "--min-count", "1", "--iterations", "1")
        + ("--threads", "1")
    ],
    "vectors": [("{vectors}", "--words", "a,b")],
    "show": [("copy",)],
    "list": [()],
    "score": [("{book}", "{book}")],
    "translate": [("{place}", "--input", "{book}")],
    "caption": [("{place}", "{picture}")],
}
INPUTS = ("book", "vectors", "picture")


class World:
    """Our own work of every kind, and what commands read.

    Args:
        folder: Where it is made.
    """

    def __init__(self, folder):
        self.folder = folder
        folder.mkdir()
        (folder / "book").write_text("a b c d e f\n" * 60)
        (folder / "vectors").write_text("a 1 2\nb 3 4\nc 5 7\n")
        (folder / "picture").write_bytes(b"no picture")
        (folder / "own").mkdir()

    def own(self, kind):
        """Our own work of a kind; the command that makes it runs once."""
        place = self.folder / "own" / kind
        if not place.exists():
            command = commands()[MAKES[kind]]
            words = arguments_of(command, EXTRA[command.name][0], self, place)
            if (result := call(words)).exit_code:
                raise RuntimeError(f"{command.name}: {result.output}")
        return place


def commands():
    """The commands by name."""
    from tasks.cli.main import main

    return main.commands


def call(arguments):
    """The result of a command."""
    from tasks.cli.main import main

    return CliRunner().invoke(main, [str(one) for one in arguments])


def outputs_of(command):
    """The options of a command that name what it writes: paths that need not exist."""
    return [
        parameter
        for parameter in command.params
        if isinstance(parameter, click.Option)
        and isinstance(parameter.type, click.Path)
        and not parameter.type.exists
    ]


def arguments_of(command, extra, world, place, force=False):
    """The words of a command, with its output, or the run that it opens, at a place."""
    known = {name: world.folder / name for name in INPUTS} | {"place": place}
    words = [str(word).format(**known) for word in extra]
    if not extra:
        for parameter in command.params:
            if isinstance(parameter, click.Argument) and parameter.required:
                words.append("copy" if parameter.name == "task" else str(place))
    for option in outputs_of(command):
        words += [option.opts[0], str(place)]
    if force:
        words.append("--force")
    if "html" in {parameter.name for parameter in command.params}:
        words.append("--html")
    return [command.name, *words]


def can_force(command):
    """Whether a command has the option that replaces."""
    flags = (one for one in command.params if isinstance(one, click.Option))
    # `score` takes it for those who are used to sacreBLEU.
    return any("--force" in one.opts and "Overwrite" in one.help for one in flags)


# What a command may continue or replace: work of its own kind.
KIND_OF = {name: kind for kind, name in MAKES.items()}
KIND_OF |= {"report": "run", "watch": "run"}


def ours(place, command):
    """The files that a command may replace at a place, read from the listings."""
    found = set()
    for mark in place.rglob(".memnets") if place.is_dir() else ():
        kind = mark.read_text().split("\n")[0]
        if mark.parent == place and kind != f"memnets {KIND_OF.get(command.name)}":
            return set()
        found.add(mark)
        for line in mark.read_text().split("\n")[1:]:
            if line.startswith("+ "):
                found.add(mark.parent / line[2:])
    record = place.with_name(f"{place.name}.memnets")
    kind = {"file of vectors": "word vectors", "picture": "picture of word vectors"}
    if record.is_file() and not place.is_dir():
        if f'"kind": "{kind.get(KIND_OF.get(command.name))}"' in record.read_text():
            found |= {record, place}
    # Whoever changes or links a file of ours makes it theirs.
    return {path for path in found if not (path.is_symlink() or is_theirs(path))}


def is_theirs(path):
    return path.is_file() and path.read_bytes() == b"theirs"


def wrongs_of(folder, place, command, run):
    """What a command changed that was not its own, in words.

    Args:
        folder: All that could be changed.
        place: Where its output goes.
        command: The command.
        run: Runs it; returns its result.
    """
    from foreign_files import contents_of

    before, own = contents_of(folder), ours(place, command)
    result = run()
    after = contents_of(folder)
    wrongs = [
        f"changed or removed: {name}"
        for name, content in before.items()
        if after.get(name) != content and folder / name not in own
    ]
    allowed = (place, place.with_name(f"{place.name}.memnets"))
    for name in after.keys() - before.keys():
        path = folder / name
        inside = any(one == path or one in path.parents for one in allowed)
        # Links are followed.
        inside |= pathlib.Path(os.path.realpath(place)) in path.parents
        if not inside or "unfinished" in name:
            wrongs.append(f"left behind: {name}")
    if result.exception and not isinstance(result.exception, SystemExit):
        wrongs.append("".join(traceback.format_exception(result.exception))[-400:])
    return wrongs


def cases():
    """Every command with each of its examples on each place, forced or not."""
    for command in commands().values():
        flags = (False, True) if can_force(command) else (False,)
        examples = EXTRA.get(command.name, [()])
        yield from itertools.product([command], examples, PLACES, flags)


def check(count, folder):
    """Runs so many of the cases, or all if there are fewer."""
    world = World(folder / "world")
    chosen = list(cases())
    random.Random(count).shuffle(chosen)
    wrong = []
    for number, (command, extra, make, force) in enumerate(chosen[:count]):
        case = folder / f"case-{number}"
        case.mkdir()
        place = make(case, world)
        words = arguments_of(command, extra, world, place, force)
        with contextlib.chdir(case):
            found = wrongs_of(folder, place, command, lambda words=words: call(words))
        name = f"{' '.join(words[:2])}{' --force' * force} on {make.__name__}"
        for one in found:
            print(f"{name}: {one}", file=sys.stderr, flush=True)
        wrong += [name] * bool(found)
        for path in case.rglob("*"):  # also what was made read-only
            if not path.is_symlink():
                path.chmod(0o755)
        shutil.rmtree(case)
    tried = {command.name for command, *_ in chosen[:count]}
    return {
        "tried": f"{min(count, len(chosen))} of {len(chosen)} cases: {len(tried)} "
        f"commands, {len(PLACES)} kinds of places",
        "wrong": len(wrong),
        "found": f"{len(wrong)} changed, removed or left something that is not ours",
    }
