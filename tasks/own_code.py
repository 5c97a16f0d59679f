"""Imports a user's files and modules, whose tasks and models register themselves."""

import hashlib
import importlib
import importlib.util
import os
import pathlib
import sys
import traceback
import types
from collections.abc import Callable, Iterable
from typing import Any

# The name under which this package was loaded: `tasks` or `memnets.tasks`.
PACKAGE = __package__
# The files that were imported, and the folders of what is no user's own.
_FILES: set[str] = set()
_LIBRARY = tuple(
    os.path.join(os.path.dirname(os.path.dirname(__file__)), name, "")
    for name in ("memnets", "metrics", "tasks")
)


def is_own(kind: Callable[..., Any]) -> bool:
    """Whether a class or a function is the user's own, not one of this package."""
    return not kind.__module__.startswith(f"{PACKAGE}.")


def check_complete(name: str, kind: Callable[..., Any]) -> None:
    """Checks that a class has every method that it must have; a function does.

    Raises:
        TypeError: If it lacks some; the message names them.
    """
    missing = sorted(getattr(kind, "__abstractmethods__", ()))
    if missing:
        raise TypeError(
            f"`{name}` must be a class with all methods that its bases ask for. "
            f"Received: {kind.__name__}, which lacks {', '.join(missing)}"
        )


class OwnCodeError(ValueError):
    """A user's file or module cannot be imported."""


def import_code(name: str) -> types.ModuleType:
    """Imports a Python file or a module; one that was imported before is not run again.

    While a file is imported, its folder comes first on the path of Python, so that it
    can import what lies beside it.

    Args:
        name: Path of a file that ends in `.py`, or name of a module.
    Raises:
        OwnCodeError: If there is no such file or module, or importing it fails.
    """
    try:
        if name.endswith(".py"):
            module = _import_file(pathlib.Path(name).resolve())
        else:
            module = importlib.import_module(name)
        _FILES.add(str(module.__file__))
        return module
    except (Exception, SystemExit) as error:
        raise OwnCodeError(f"`{name}` cannot be imported: {_shown(error)}") from error


def place_of(error: BaseException) -> str:
    """Where code of the user's own raised an error, as the end of a message; empty if
    it was raised elsewhere.

    What a library says of its arguments, as NumPy does, is not clear without the place;
    what this package says is.
    """
    for frame in reversed(traceback.extract_tb(error.__traceback__)):
        if frame.filename in _FILES:
            place = f"{frame.filename}, line {frame.lineno}"
            return f", in `{frame.name}` ({place})"
        if frame.filename.startswith(_LIBRARY):
            return ""
    return ""


def whole_name(name: str) -> str:
    """Imports a file or module, and returns the name by which another process imports
    it: of a file its whole path, of a module the name itself.

    Raises:
        OwnCodeError: As `import_code`.
    """
    module = import_code(name)
    return str(module.__file__) if name.endswith(".py") else name


def folders_of(names: Iterable[str]) -> list[str]:
    """The folders that must be on the path of Python for the modules among some names,
    which were imported; another process may not have them there."""
    folders: list[str] = []
    for name in names:
        module = sys.modules.get(name.partition(".")[0])
        if name.endswith(".py") or module is None:
            continue
        file = getattr(module, "__file__", None)  # some that are built in have none
        places = getattr(module, "__path__", [file] if file else [])
        folders += [os.path.dirname(os.path.abspath(place)) for place in places]
    return list(dict.fromkeys(folders))


def _import_file(path: pathlib.Path) -> types.ModuleType:
    if not path.is_file():
        raise FileNotFoundError("there is no such file")
    name = _module_name(path)
    if name in sys.modules:
        return sys.modules[name]
    spec = importlib.util.spec_from_file_location(name, path)
    if spec is None or spec.loader is None:
        raise ImportError("the name of a file of Python must end in .py")
    module = importlib.util.module_from_spec(spec)
    # `dataclass` needs the module in `sys.modules`.
    sys.modules[name] = module
    sys.path.insert(0, str(path.parent))
    try:
        spec.loader.exec_module(module)
    except BaseException:
        del sys.modules[name]
        raise
    finally:
        sys.path.remove(str(path.parent))
    return module


def _module_name(path: pathlib.Path) -> str:
    """The name of a file's module: its stem, unless another module has that name."""
    name = path.stem
    if name in sys.modules:
        origin = getattr(sys.modules[name], "__file__", None)
    else:
        spec = importlib.util.find_spec(name) if name.isidentifier() else None
        origin = spec.origin if spec else str(path)
    if origin and pathlib.Path(origin).resolve() == path:
        return name
    return f"{name}_{hashlib.sha256(str(path).encode()).hexdigest()[:8]}"


def _shown(error: BaseException) -> str:
    """An exception in one line, with the place where it was raised."""
    text = " ".join(str(error).split())
    frames = traceback.extract_tb(error.__traceback__)
    own = [f for f in frames if "importlib" not in f.filename]
    place = own[-1] if own and own[-1].filename != __file__ else None
    where = f" ({place.filename}, line {place.lineno})" if place else ""
    return f"{type(error).__name__}: {text}{where}"
