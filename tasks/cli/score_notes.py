"""What `memnets score` says on standard error beside the scores."""

import re
from collections.abc import Callable, Sequence
from typing import Any

import click

from ..metrics_package import metrics_module
from ..scoring.corpus import MetricResult
from ..scoring.corpus_of_texts import Corpus
from ..scoring.corpus_warnings import corpus_warnings
from .metric_options import BLEU, LOWERCASE, METEOR, TOKENIZE, as_options
from .score_languages import usual_tokenizer
from .score_options import ScoreOptions

# Tokenizers that do not fit languages without blanks between words.
RAW = ("13a", "intl", "none")

# Heuristic. Of two equally good systems the bootstrap of word error rates has p < 0.05
# for 10% of corpora of 10 segments, for 7% of 20, and for 6% of 30.
FEW_SEGMENTS = 30


def tell(corpus: Corpus, chosen: dict[str, Any], options: ScoreOptions) -> None:
    """Says what is left out, and what may not be meant."""
    files = list(corpus.files)
    for sentence in corpus.notes:
        _note(sentence)
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
    for sentence in corpus_warnings(corpus, files, raw_text=raw_text):
        _note(sentence)
    _tell_of_settings(chosen, corpus, options)
    _tell_of_language(chosen, options.language, options.settings["tokenize"])


def _tell_of_language(
    chosen: dict[str, Any], language: str | None, tokenize: str | None
) -> None:
    """Says where another tokenizer is usual, and where the language changes nothing."""
    if language is None:
        return
    usual = usual_tokenizer(language)
    if usual and tokenize in RAW and not {*BLEU}.isdisjoint(chosen):
        _note(f"BLEU of `--language {language}` is published with `{usual}`.")
    if usual is None and {*METEOR}.isdisjoint(chosen):
        _note(
            f"`--language {language}` changes nothing in {', '.join(chosen)}: METEOR "
            "has words of languages, and only Chinese, Japanese and Korean have "
            "tokenizers of their own."
        )


def _tell_of_settings(
    chosen: dict[str, Any], corpus: Corpus, options: ScoreOptions
) -> None:
    """Says which settings change nothing, and which were made for the user."""
    settings = options.settings
    for option, without in ((LOWERCASE, METEOR), (TOKENIZE, ())):
        if settings[option.parameter]:
            # METEOR has the setting `lowercase`, which is on.
            takers = set(option.metrics_of(list(chosen))) - set(without)
            if others := [name for name in chosen if name not in takers]:
                _note(f"`{option.flag}` changes nothing in {', '.join(others)}.")
    is_bleu = not {*BLEU}.isdisjoint(chosen)
    if options.segments and is_bleu and settings["effective_order"] is None:
        _note("BLEU of segments is with `--effective-order`, as sacreBLEU's is.")
    adds = settings["smooth_method"]
    if settings["effective_order"] and adds in ("add-k", "laplace"):
        _note(f"`--effective-order` changes nothing with `--smooth-method {adds}`.")
    if settings["ter_asian_support"] and not (
        settings["ter_normalized"] or settings["ter_no_punct"]
    ):
        _note(
            "`--ter-asian-support` changes nothing without `--ter-normalized` or "
            "`--ter-no-punct`, as in sacreBLEU."
        )
    separator = settings["rouge_separator"] or "\n"
    texts = (text for own in corpus.references for text in own)
    if "rouge-lsum" in chosen and not any(separator in text for text in texts):
        _note(
            "no reference has several sentences, between `--rouge-separator`: "
            "rouge-lsum is rouge-l."
        )


def in_words_of(options: ScoreOptions) -> Callable[[str], str]:
    """What turns a warning of a metric into one of the command."""
    if not options.coco:
        return as_options
    # There is no other language for the numbers of pycocoevalcap.
    return lambda message: as_options(
        re.sub(r"Pass `language=.+`\.$", "So does pycocoevalcap.", message)
    )


def tell_of_coco(options: ScoreOptions) -> None:
    """Says what the numbers of COCO do without, after the warnings of the metrics."""
    if options.coco and options.settings["paraphrases"] is None:
        _note(
            "without `--paraphrases` METEOR is lower than pycocoevalcap's. The table "
            "is meteor/data/paraphrase-en.gz in its package."
        )
    if options.coco:
        _note("SPICE, which needs Java, is not among the metrics.")


def tell_of_shards(shards: Sequence[str], columns: int) -> None:
    """Says that files are read as shards, where no option says it."""
    files = "`{}` is read as a shard" if len(shards) == 1 else "{} files are shards"
    references = "1 reference" if columns == 2 else f"{columns - 1} references"
    _note(
        f"{files.format(shards[0] if len(shards) == 1 else len(shards))}: each line "
        f"holds a hypothesis and {references}, between tabs."
    )


def tell_of_few_segments(results: Sequence[MetricResult]) -> None:
    """Says that of few segments intervals are too narrow, and that the bootstrap finds
    differences too often."""
    first = results[0]
    fewest = metrics_module("bootstrap").FEWEST_SEGMENTS
    if first.scores[0].interval and first.segments < fewest:
        _note(
            f"{_segments(first.segments)} few for an interval, which is then too "
            f"narrow: it says little about other texts below {fewest} segments."
        )
    is_bootstrap = any(test.method.endswith("bootstrap") for test in first.tests)
    if is_bootstrap and first.segments < FEW_SEGMENTS:
        _note(
            f"{_segments(first.segments)} few for the bootstrap, which then calls "
            "equally good systems different too often: use `--test randomization`."
        )


def _segments(count: int) -> str:
    return "1 segment is" if count == 1 else f"{count} segments are"


def _note(sentence: str) -> None:
    click.echo(f"Note: {sentence}", err=True)
