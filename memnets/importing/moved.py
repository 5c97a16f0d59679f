"""Earlier names of modules of this package, which work until memnets 2.0."""

import importlib
import importlib.machinery
import importlib.util
import sys
import types
import warnings
from collections.abc import Sequence
from typing import Any

# Names of today, by the earlier names.
MOVED = {
    "allocation": "dnc.allocation",
    "baselines": "recurrent.stacked_lstm",
    "controllers": "memory.controllers",
    "dnc.heads": "dnc.head_parameters",
    "dnc_cell": "dnc.cell",
    "dnc_heads": "dnc.head_parameters",
    "fast_weights_cell": "fast_weights.cell",
    "fast_weights_rules": "fast_weights.rules",
    "hash_index": "sam.hash_index",
    "heads": "ntm.head_parameters",
    "hop_layer": "memory_networks.base",
    "hops": "memory_networks.hops",
    "initial_state": "memory.initial_state",
    "key_value_memory": "memory_networks.key_value_memory",
    "least_used": "lrua.rules",
    "linkage": "dnc.linkage",
    "lrua.heads": "lrua.head_parameters",
    "lrua_cell": "lrua.cell",
    "lrua_heads": "lrua.head_parameters",
    "memory_network": "memory_networks.memory_network",
    "native.cores": "cores",
    "native.layout": "native.kernel_layout",
    "native.recurrent_layout": "native.recurrent_kernel_layout",
    "ntm.heads": "ntm.head_parameters",
    "ntm_cell": "ntm.cell",
    "precision": "numerics.precision",
    "rnn": "recurrent.rnn",
    "row_choice": "sam.row_choice",
    "sam.heads": "sam.head_parameters",
    "sam_cell": "sam.cell",
    "sam_heads": "sam.head_parameters",
    "seq2seq.writer": "seq2seq.decoding_models",
    "seq2seq.writing_network": "seq2seq.encoder_decoder",
    "sparse_access": "sam.rules",
    "stack": "stacks.layer",
    "stack_cell": "stacks.cell",
    "stack_heads": "stacks.head_parameters",
    "stack_rules": "stacks.rules",
    "stacks.heads": "stacks.head_parameters",
    "state": "memory.state_layout",
    "streaming": "recurrent.streaming",
    "tensor_checks": "numerics.tensor_checks",
    "tracing": "memory.tracing",
}
# Modules that are offered at the top under a name of their own.
OFFERED = {
    "access": "memory.access",
    "addressing": "memory.addressing",
    "readout": "recurrent.readout",
}
PREFIX = "memnets."
# The version in which the earlier names end.
END = "2.0"


def install() -> None:
    """Adds the finder of the earlier names to the import system, once."""
    if not any(isinstance(finder, MovedFinder) for finder in sys.meta_path):
        sys.meta_path.append(MovedFinder())


def moved_module(name: str) -> types.ModuleType:
    """The module that had this name in the package, with a warning."""
    if name in MOVED:
        warnings.warn(
            f"`{PREFIX}{name}` is `{PREFIX}{MOVED[name]}` now. The earlier name ends "
            f"with memnets {END}.",
            DeprecationWarning,
            stacklevel=3,
        )
    return importlib.import_module(PREFIX + (MOVED | OFFERED)[name])


class MovedFinder:
    """Finds modules under their earlier names."""

    def find_spec(
        self,
        fullname: str,
        path: Sequence[str] | None,
        target: types.ModuleType | None = None,
    ) -> importlib.machinery.ModuleSpec | None:
        package, name = fullname[: len(PREFIX)], fullname[len(PREFIX) :]
        if package != PREFIX or name not in MOVED | OFFERED:
            return None
        loader: Any = self
        return importlib.util.spec_from_loader(fullname, loader)

    def create_module(self, spec: importlib.machinery.ModuleSpec) -> types.ModuleType:
        module = moved_module(spec.name[len(PREFIX) :])
        self._own = module.__spec__, module.__loader__
        return module

    def exec_module(self, module: types.ModuleType) -> None:
        # The import system has replaced them.
        module.__spec__, module.__loader__ = self._own
