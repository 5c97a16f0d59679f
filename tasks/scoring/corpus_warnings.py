"""What looks like a mistake in texts that are to be scored."""

import re
from collections.abc import Iterator, Sequence

from .corpus_of_texts import Corpus

# As sacreBLEU: so many lines that end in a separate full stop are no accident. Of
# a short text, half of the lines.
TOKENIZED_LINES = 100

_TAG = re.compile(r"\s*</?[A-Za-z][\w:.-]*(?:\s[^<>]*)?/?>")


def corpus_warnings(
    corpus: Corpus, files: list[str], *, raw_text: bool
) -> Iterator[str]:
    """Sentences about what may not be meant.

    Args:
        corpus: The texts.
        files: The files of its systems.
        raw_text: Whether a metric expects text that is not split into tokens.
    Example:
        >>> odd = Corpus([1, 2], [["a"], ["b", ""]], [["a .", ""]])
        >>> print(*corpus_warnings(odd, ["hyp.txt"], raw_text=True), sep="\\n")
        1 of 2 lines of `hyp.txt` end in a separate full stop. It looks like tokenised \
text, and BLEU is not comparable: score the text before it was tokenised.
        `hyp.txt` has 1 empty segment of 2, the first is 2.
        The references have 1 empty text of 3, the first of segment 2.
        Segments have 1 to 2 references.
    """
    for path, texts in zip(files, corpus.systems, strict=True):
        tokenized = sum(text.rstrip().endswith(" .") for text in texts)
        if raw_text and tokenized >= min(TOKENIZED_LINES, len(texts) / 2):
            yield (
                f"{tokenized:,} of {len(texts):,} lines of `{path}` end in a separate "
                "full stop. It looks like tokenised text, and BLEU is not comparable: "
                "score the text before it was tokenised."
            )
        if empty := [n for n, t in zip(corpus.names, texts, strict=True) if _empty(t)]:
            segments = "segment" if len(empty) == 1 else "segments"
            yield (
                f"`{path}` has {len(empty):,} empty {segments} of {len(texts):,}, the "
                f"first is {empty[0]}."
            )
        if marked := _marked(texts):
            yield f"{marked} lines of `{path}` begin with a tag, which counts as words."
        if tabs := _tabs(texts):
            yield (
                f"Every line of `{path}` has {_count(tabs)}. Give each system its file."
            )
    yield from _about_references(corpus)


def _about_references(corpus: Corpus) -> Iterator[str]:
    counts = [len(texts) for texts in corpus.references]
    empty = [
        name
        for name, texts in zip(corpus.names, corpus.references, strict=True)
        for text in texts
        if _empty(text)
    ]
    if empty:
        texts = "text" if len(empty) == 1 else "texts"
        yield (
            f"The references have {len(empty):,} empty {texts} of {sum(counts):,}, the "
            f"first of segment {empty[0]}."
        )
    columns = list(zip(*corpus.references, strict=False))
    if marked := max(map(_marked, columns)):
        yield (
            f"{marked} lines of the references begin with a tag, which counts as words."
        )
    if tabs := next(filter(None, map(_tabs, columns)), 0):
        yield (
            f"Every line of the references has {_count(tabs)}: `--num-refs {tabs + 1}` "
            "reads it as several references."
        )
    elif len(columns) == 1 and (tabbed := sum("\t" in text for text in columns[0])):
        yield (
            f"{tabbed:,} of {sum(counts):,} references have a tab, which is read as "
            "white space. If tabs separate references: `--num-refs` needs the same "
            "number in each line."
        )
    if min(counts) != max(counts):
        yield f"Segments have {min(counts)} to {max(counts)} references."


def _marked(texts: Sequence[str]) -> int:
    """The number of texts that begin with a tag, if it is half of them or more."""
    count = sum(_TAG.match(text) is not None for text in texts)
    return count if 2 * count >= len(texts) else 0


def _tabs(texts: Sequence[str]) -> int:
    """The number of tabs in every text; 0 if it is not the same."""
    counts = {text.count("\t") for text in texts}
    return counts.pop() if len(counts) == 1 else 0


def _count(tabs: int) -> str:
    return "1 tab" if tabs == 1 else f"{tabs} tabs"


def _empty(text: str) -> bool:
    return not text.strip()
