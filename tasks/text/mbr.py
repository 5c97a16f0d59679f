"""Minimum Bayes risk: the text that is most like the others that a network writes."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from ..checks import shorten
from ..metrics_package import metrics_module

if TYPE_CHECKING:
    from metrics import Metric


def mbr(samples: Sequence[str], metric: "str | Metric" = "chrf") -> str:
    """The sample with the best mean score against all the others.

    The samples stand for what a network may write. The text that is on the mean most
    like them has the least expected loss, where the loss is what the metric says.

    Args:
        samples: Texts that were drawn from a network; the same text may come again,
            which then counts more. Of equally good ones, the first is taken.
        metric: A metric of `metrics`, or its name. A name of BLEU means that with an
            effective order, which scores short texts too.
    Raises:
        ValueError: If there is no sample, or no such metric.
        TypeError: If a sample is not a string.
    Reference:
        Kumar, Byrne (2004), Minimum Bayes-Risk Decoding for Statistical Machine
        Translation; Eikema, Aziz (2020), Is MAP Decoding All You Need?, section 5.
    Example:
        >>> mbr(["a red house", "red house", "a red house", "no"])
        'a red house'
    """
    if isinstance(samples, str) or not len(samples):
        raise ValueError(
            "`samples` must be a list of one text or more. "
            f"Received: samples={shorten(samples)}"
        )
    for sample in samples:
        if not isinstance(sample, str):
            raise TypeError(
                f"`samples` must be texts. Received: {shorten(sample)} among them"
            )
    chosen = _metric_of(metric) if isinstance(metric, str) else metric
    # Each different pair of texts once.
    texts, counts = np.unique(samples, return_counts=True)
    references = [[str(other)] for _ in texts for other in texts]
    hypotheses = [str(text) for text in texts for _ in texts]
    scores = [float(s) for s in chosen.sentence_scores(references, hypotheses)]
    table = np.reshape(scores, (len(texts), len(texts)))
    # A sample is not compared with itself, but with those that are equal to it.
    sums = table @ counts - np.diag(table)
    best = sums if chosen.higher_is_better else -sums
    values = dict(zip(texts.tolist(), best.tolist(), strict=True))
    return max(samples, key=lambda text: values[text])


def _metric_of(name: str) -> "Metric":
    """The metric of a name, as it is for sentences."""
    registry = metrics_module("registry")
    setting = "effective_order"
    settings = {setting: True} if setting in registry.settings_of(name) else {}
    return registry.get(name, **settings)
