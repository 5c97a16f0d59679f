"""Self-attention: every step of a sequence looks at all steps."""

from .relative_attention import RelativeAttention

__all__ = ["RelativeAttention"]
