"""Makes the packages `tasks` and `metrics` importable as `memnets.tasks` and
`memnets.metrics`, whatever modules of these names the user has.

Both packages lie beside `memnets`. There are two cases:

- The top-level name, say `metrics`, leads to our package: `memnets.metrics` is another
  name of the same module, and `memnets.metrics.bleu` of `metrics.bleu`. No module is
  loaded twice, whichever name is imported first.
- The top-level name leads to another module, such as the user's own `metrics.py`: our
  package is loaded under the name `memnets.metrics`, and the user's module keeps its
  name. All imports inside our packages are relative, so that this works.
"""

import importlib
import importlib.machinery
import importlib.util
import os
import sys
import types
from collections.abc import Sequence
from typing import Any

NAMES = ("metrics", "tasks")
# A name that each of them defines at once, by which it is known.
OWN_NAMES = {"metrics": "BLEU", "tasks": "_MODULES"}
# Where `memnets` lies. Without pathlib, whose import takes milliseconds.
FOLDER = os.path.realpath(os.path.join(os.path.dirname(__file__), "..", ".."))


def install() -> None:
    """Adds the finder of the companions to the import system, once."""
    if not any(isinstance(finder, CompanionFinder) for finder in sys.meta_path):
        # First: the other finders would load a second copy of a submodule.
        sys.meta_path.insert(0, CompanionFinder())


class CompanionFinder:
    """Finds `memnets.tasks`, `memnets.metrics` and the modules below them."""

    def find_spec(
        self,
        fullname: str,
        path: Sequence[str] | None,
        target: types.ModuleType | None = None,
    ) -> importlib.machinery.ModuleSpec | None:
        package, _, name = fullname.partition(".")
        if package != "memnets" or name.partition(".")[0] not in NAMES:
            return None
        if name in NAMES:
            if not _leads_to_companion(name):
                return importlib.machinery.PathFinder.find_spec(fullname, [FOLDER])
        elif sys.modules[fullname.rpartition(".")[0]].__name__.startswith("memnets."):
            return None  # loaded under this name: the other finders know its folder
        if importlib.util.find_spec(name) is None:
            return None
        loader: Any = AliasLoader(name)
        return importlib.util.spec_from_loader(fullname, loader)


class AliasLoader:
    """Gives the import system a module that is loaded under its own name.

    It derives from no class of `importlib.abc`, whose import takes as long as all else
    that `import memnets` does.
    """

    def __init__(self, name: str) -> None:
        self.name = name

    def create_module(self, spec: importlib.machinery.ModuleSpec) -> types.ModuleType:
        module = importlib.import_module(self.name)
        if self.name in NAMES and not _is_ours(self.name, module):
            raise ImportError(
                f"`{module.__file__}` is of another package that was installed into "
                "the same folder and has replaced a file of memnets. Install one of "
                "the two into an environment of its own."
            )
        self.own_spec = module.__spec__
        return module

    def exec_module(self, module: types.ModuleType) -> None:
        module.__spec__ = self.own_spec  # the import system has replaced it


def _is_ours(name: str, module: types.ModuleType) -> bool:
    return OWN_NAMES[name] in vars(module)


def _leads_to_companion(name: str) -> bool:
    """Whether `import name` gives the package beside `memnets`."""
    if name in sys.modules:
        origin = getattr(sys.modules[name], "__file__", None)
    else:
        spec = importlib.util.find_spec(name)
        origin = None if spec is None else spec.origin
    if origin is None:
        return False
    return os.path.realpath(origin) == os.path.join(FOLDER, name, "__init__.py")
