"""The tokenizer `"13a"`: NIST's mteval-v13a, the standard of WMT."""

import re

from .rules import apply_rules
from .word_cache import WordCache

RULES_13A = (
    # ASCII punctuation, except ' , - and the full stop.
    (re.compile(r"([{-~\[-`!-&(-+:-@/])"), r" \1 "),
    (re.compile(r"([^0-9])([.,])"), r"\1 \2 "),
    (re.compile(r"([.,])([^0-9])"), r" \1 \2"),
    (re.compile(r"([0-9])(-)"), r"\1 \2 "),
)

_ENTITIES = (("&quot;", '"'), ("&amp;", "&"), ("&lt;", "<"), ("&gt;", ">"))


def tokenize_13a(text: str) -> list[str]:
    """Splits a text as NIST's mteval-v13a: ASCII punctuation becomes separate tokens.

    Each word is tokenised alone, because no rule but one looks across white space. The
    tokens of up to `metrics.tokenizers.word_cache.LIMIT` words are cached.

    Example:
        >>> tokenize_13a("It isn't 3,000.5 &quot;m.&quot;")
        ['It', "isn't", '3,000.5', '"', 'm', '.', '"']
    """
    # The only rule across white space: a hyphen at the end of a line joins two words.
    text = text.rstrip().replace("<skipped>", "").replace("-\n", "")
    tokens: list[str] = []
    for word in text.split():
        tokens += _TOKENS_OF_WORDS[word]
    return tokens


def without_entities(text: str) -> str:
    """Replaces the entities of SGML that mteval knows.

    Example:
        >>> without_entities("AT&amp;T &lt; &quot;5&quot; &nbsp;")
        'AT&T < "5" &nbsp;'
    """
    for entity, character in _ENTITIES:
        text = text.replace(entity, character)
    return text


def _split(word: str) -> tuple[str, ...]:
    # A quick path with the same result as the rules, for most words.
    if word.isalnum():
        return (word,)
    if word[:-1].isalnum() and word[-1] in ".,":
        return (word[:-1], word[-1])
    return tuple(apply_rules(RULES_13A, f" {without_entities(word)} ").split())


_TOKENS_OF_WORDS = WordCache(_split)
