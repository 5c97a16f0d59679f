"""How gradients flow back through time: what vanishes, what explodes, and a penalty.

- `gradient_flow`: the norm of the gradient at each step of a recurrent layer.
- `information_flow`: a penalty on layers whose gradients change their norm in a step.
"""

from .information_flow import information_flow
from .measure import GradientFlow, gradient_flow

__all__ = ["GradientFlow", "gradient_flow", "information_flow"]
