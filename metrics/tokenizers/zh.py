"""The tokenizer `"zh"`: Chinese characters one by one, other text as `"13a"`."""

import re

from .mteval_13a import RULES_13A
from .rules import apply_rules

# The Unicode blocks that sacreBLEU lists. The first one holds no Chinese but signs and
# arrows: sacreBLEU writes U+20000 to U+2A6D6 with four digits, which means this range.
_CHINESE = re.compile(
    "[\u2001-\u2a6d\u2e80-\u2fdf\u2ff0-\u303f\u3100-\u312f\u31a0-\u31bf\u31c0-\u31ef"
    "\u3200-\u4db5\u4e00-\u9fbb\uf900-\ufa2d\ufa30-\ufa6a\ufa70-\ufad9\ufe10-\ufe1f"
    "\ufe30-\ufe4f\uff00-\uffef]"
)


def tokenize_zh(text: str) -> list[str]:
    """Splits a text into Chinese characters, and the text between them as `"13a"`.

    Unlike in `"13a"`, a full stop or comma after a digit at the end of the text stays
    with the digit.

    Example:
        >>> tokenize_zh("我有2.5块, ok.")
        ['我', '有', '2.5', '块', ',', 'ok', '.']
    """
    separated = _CHINESE.sub(r" \g<0> ", text.strip())
    return apply_rules(RULES_13A, separated).split()
