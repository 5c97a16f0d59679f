"""Where a network that translates has looked."""

import dataclasses
import html
from typing import TYPE_CHECKING, Any

import numpy as np

from .hypotheses import Hypothesis

if TYPE_CHECKING:
    from memnets.seq2seq import SequenceToSequence

# How a table shows the token after the last word.
LAST = "end"


@dataclasses.dataclass(frozen=True, eq=False)
class AttentionMap:
    """How much each token that was written attends to each token of its source.

    Attributes:
        source: Tokens of the source, words or pieces of words, the last one "end".
        written: Tokens that were written, with "end" at last if the text ended.
        weights: `(written, source)`, numbers from 0 to 1; a row sums to 1.
        text: What was written.
    """

    source: tuple[str, ...]
    written: tuple[str, ...]
    weights: np.ndarray
    text: str

    def render(self) -> str:
        """The weights as text: a row for each token that was written."""
        rows = [("", *self.source)]
        for token, weights in zip(self.written, self.weights, strict=True):
            rows.append((token, *(f"{weight:.2f}" for weight in weights)))
        first, *others = (max(map(len, cells)) for cells in zip(*rows, strict=True))
        return "\n".join(
            "  ".join(
                [
                    row[0].ljust(first),
                    *(c.rjust(w) for c, w in zip(row[1:], others, strict=True)),
                ]
            ).rstrip()
            for row in rows
        )

    def _repr_html_(self) -> str:
        """The text of `render`, which notebooks show."""
        return f"<pre>{html.escape(self.render())}</pre>"


def check_attends(network: "SequenceToSequence") -> None:
    """Raises ValueError if a network has no attention."""
    if network.attention_kind == "none":
        raise ValueError(
            "`model` must have attention, as gru-attention, lstm-attention, bahdanau "
            "and ntm-attention have. Received: a network without attention"
        )


def attention_weights(
    task: Any, network: "SequenceToSequence", source: list[int], written: list[int]
) -> np.ndarray:
    """The weights of a text and its end on a source and its end.

    Args:
        task: A `PairTask`.
        network: A network with attention.
        source: Tokens of the source, S of them.
        written: Tokens of the text, T of them.
    Returns:
        `(T + 1, S + 1)`.
    """
    width = max(len(source), len(written)) + 1
    pair = task.batch_of([(source, written)], width)
    weights = np.asarray(network.attention_weights(pair.inputs))[0]
    return weights[: len(written) + 1, : len(source) + 1]


def attention_map(
    task: Any, network: "SequenceToSequence", source: list[int], written: Hypothesis
) -> AttentionMap:
    """Where a network has looked when it wrote a text.

    Args:
        task: A `PairTask`.
        network: A network with attention.
        source: Tokens of the source.
        written: The text.
    """
    weights = attention_weights(task, network, source, written.tokens)
    tokens = task.target_vocabulary.shown(written.tokens)
    if written.ended:
        tokens = [*tokens, LAST]
    return AttentionMap(
        (*task.source_vocabulary.shown(source), LAST),
        tuple(tokens),
        weights[: len(tokens)],
        written.text,
    )
