"""Imports a user's files and modules, whose tasks and models register themselves."""

import hashlib
import importlib
import importlib.util
import pathlib
import sys
import traceback
import types


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
            return _import_file(pathlib.Path(name).resolve())
        return importlib.import_module(name)
    except (Exception, SystemExit) as error:
        raise OwnCodeError(f"`{name}` cannot be imported: {_shown(error)}") from error


def _import_file(path):
    if not path.is_file():
        raise FileNotFoundError("there is no such file")
    name = _module_name(path)
    if name in sys.modules:
        return sys.modules[name]
    spec = importlib.util.spec_from_file_location(name, path)
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


def _module_name(path):
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


def _shown(error):
    """An exception in one line, with the place where it was raised."""
    text = " ".join(str(error).split())
    frames = traceback.extract_tb(error.__traceback__)
    own = [f for f in frames if "importlib" not in f.filename]
    place = own[-1] if own and own[-1].filename != __file__ else None
    where = f" ({place.filename}, line {place.lineno})" if place else ""
    return f"{type(error).__name__}: {text}{where}"
