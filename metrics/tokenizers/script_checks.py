"""Notices texts whose words a tokenizer does not find."""

import re
from collections.abc import Callable, Sequence
from typing import Any

# Chinese characters and Japanese kana.
_IDEOGRAPHS = re.compile(
    "[\u3005-\u3007\u3040-\u30ff\u31f0-\u31ff\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff"
    "\U00020000-\U0003134f]"
)
# Thai, Lao, Tibetan, Burmese, Khmer, Javanese.
_SYLLABLES = re.compile(
    "[\u0e01-\u0e5b\u0e80-\u0eff\u0f00-\u0fff\u1000-\u109f\u1780-\u17ff\ua980-\ua9df]"
)
_UNSPACED = re.compile(f"{_IDEOGRAPHS.pattern}|{_SYLLABLES.pattern}")
_LATIN = re.compile("[A-Za-z]")

# Heuristic: the mean word of Chinese or Japanese text that was split into words has 2
# characters, of the other scripts 4 to 7. Longer ones are phrases.
IDEOGRAPHS_OF_PHRASE, SYLLABLES_OF_PHRASE = 4, 12

# Heuristic: so many references, from all parts of a corpus, are looked at.
SAMPLE = 100

OTHER_TOKENIZER = (
    'Pass `tokenizer="zh"` for Chinese, "ja-mecab" for Japanese, or "char".'
)


def misreading(
    references: Sequence[Sequence[Any]],
    tokenize: Callable[[str], Sequence[str]],
    *,
    latin_only: bool = False,
    remedy: str = OTHER_TOKENIZER,
) -> str | None:
    """What a metric misreads in most references, None if it is nothing.

    Args:
        references: The references of each segment. Lists of tokens are not looked at.
        tokenize: Makes the words of a text.
        latin_only: Whether the words are made of a-z and digits only.
        remedy: What helps where a script has no blanks between words.
    Returns:
        A sentence without its subject, the metric, and what helps.
    Example:
        >>> misreading([["我们今天去北京看长城。"]], str.split).split(":")[0]
        'takes phrases for words in most references'
        >>> misreading([["我们 今天 去 北京 看 长城 。"]], str.split) is None
        True
    """
    step = len(references) // SAMPLE or 1
    texts = [own[0] for own in references[::step] if isinstance(own[0], str)]
    # Nothing else is done for the usual texts: every sentence comes here.
    suspects = [
        text
        for text in texts
        if not text.isascii()
        and (not _LATIN.search(text) if latin_only else _UNSPACED.search(text))
    ]
    if 2 * len(suspects) <= len(texts):
        return None
    if latin_only:
        if 2 * sum(any(map(str.isalpha, text)) for text in suspects) <= len(texts):
            return None
        unspaced = sum(_UNSPACED.search(text) is not None for text in suspects)
        return (
            "finds no letters in most references: its words are of a-z and 0-9, as "
            "rouge-score's. "
            + (remedy if 2 * unspaced > len(texts) else 'Pass `tokenizer="13a"`.')
        )
    if 2 * sum(_is_phrases(tokenize(text)) for text in suspects) <= len(texts):
        return None
    return (
        "takes phrases for words in most references: their script has no blanks "
        f"between words. {remedy}"
    )


def _is_phrases(tokens: Sequence[str]) -> bool:
    """Whether tokens are mostly phrases in scripts without blanks between words."""
    own = [token for token in tokens if _UNSPACED.search(token)]
    ideographs, syllables = (
        sum(len(script.findall(token)) for token in own)
        for script in (_IDEOGRAPHS, _SYLLABLES)
    )
    is_most = 2 * (ideographs + syllables) > sum(map(len, tokens))
    words = ideographs / IDEOGRAPHS_OF_PHRASE + syllables / SYLLABLES_OF_PHRASE
    return is_most and words > len(own)
