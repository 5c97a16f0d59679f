"""The type of the tensors of all backends."""

from typing import Any, TypeAlias

# Keras has no type for them.
Tensor: TypeAlias = Any
