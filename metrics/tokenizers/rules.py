"""Lists of regular expressions that are applied in order, as the mteval scripts do."""

import re
from collections.abc import Sequence

Rules = Sequence[tuple[re.Pattern[str], str]]


def apply_rules(rules: Rules, text: str) -> str:
    """Applies each substitution to the result of the one before.

    Args:
        rules: Pairs of a pattern and its replacement.
        text: The text to change.
    Example:
        >>> apply_rules([(re.compile("a"), "b"), (re.compile("bb"), "c")], "ab")
        'c'
    """
    for pattern, replacement in rules:
        text = pattern.sub(replacement, text)
    return text
