"""What `memnets score` says on standard error beside the scores."""

from collections.abc import Sequence
from typing import Any

import click

from ..scoring.corpus import MetricResult
from ..scoring.oddities import oddities
from ..scoring.text_files import Corpus
from .metric_options import BLEU, LOWERCASE, TER
from .score_languages import usual_tokenizer

# Tokenizers that do not fit languages without blanks between words.
RAW = ("13a", "intl", "none")

# Heuristic. Of two equally good systems the bootstrap of word error rates has p < 0.05
# for 10% of corpora of 10 segments, for 7% of 20, and for 6% of 30.
FEW_SEGMENTS = 30


def tell(
    corpus: Corpus,
    files: list[str],
    chosen: dict[str, Any],
    *,
    coco: bool,
    paraphrases: str | None,
    language: str | None,
    tokenize: str | None,
    lowercase: bool | None,
    **options: Any,
) -> None:
    """Says what is left out, and what may not be meant."""
    if corpus.left_out:
        annotated = len(corpus.names) + corpus.left_out
        _note(
            f"`{files[0]}` has captions of {len(corpus.names):,} of {annotated:,} "
            "images. The scores are of these."
        )
    raw_text = any(
        name in BLEU and "|tok:none|" not in metric.signature()
        for name, metric in chosen.items()
    )
    for sentence in oddities(corpus, files, raw_text=raw_text):
        _note(sentence)
    if lowercase:
        takers = {*LOWERCASE.metrics_of(list(chosen)), *TER}  # TER ignores case itself
        if others := [name for name in chosen if name not in takers]:
            _note(f"`--lowercase` changes nothing in {', '.join(others)}.")
    if coco and paraphrases is None:
        _note(
            "without `--paraphrases` METEOR is lower than pycocoevalcap's. The table "
            "is meteor/data/paraphrase-en.gz in its package."
        )
    if coco:
        _note("SPICE, which needs Java, is not among the metrics.")
    if language is None or tokenize not in RAW or not set(BLEU) & set(chosen):
        return
    if usual := usual_tokenizer(language):
        _note(f"BLEU of `--language {language}` is published with `{usual}`.")


def tell_of_few_segments(results: Sequence[MetricResult]) -> None:
    """Says that the bootstrap finds differences too often among few segments."""
    first = results[0]
    is_bootstrap = any(test.method.endswith("bootstrap") for test in first.tests)
    if is_bootstrap and first.segments < FEW_SEGMENTS:
        size = first.segments
        count = "1 segment is" if size == 1 else f"{size} segments are"
        _note(
            f"{count} few for the bootstrap, which then calls equally good systems "
            "different too often: use `--test randomization`."
        )


def _note(sentence):
    click.echo(f"Note: {sentence}", err=True)
