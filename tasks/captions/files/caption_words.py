"""Words of captions as tokens: those by which captions are scored."""

from collections.abc import Iterable
from typing import Self

from ...metrics_package import metrics_module
from ...text.words import Words


class CaptionWords(Words):
    """Words as COCO's scores know them: in lower case, without punctuation."""

    @classmethod
    def learn(cls, lines: Iterable[str], size: int) -> Self:
        return super().learn(map(_plain, lines), size)

    def encode(self, line: str) -> list[int]:
        return super().encode(_plain(line))


def _plain(line: str) -> str:
    tokenizers = metrics_module("tokenizers.ptb")
    return " ".join(tokenizers.tokenize_ptb(line))
