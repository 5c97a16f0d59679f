"""Every public name of `metrics`, with the strategy of its cases."""

from fuzz import keras_cases, other_cases, part_cases
from fuzz.options import OPTIONS
from fuzz.text_cases import text_cases

import metrics

SUBJECTS = {
    **{name: text_cases(name) for name in OPTIONS},
    **{
        name: other_cases.likelihood_cases(name)
        for name in ("Perplexity", "BitsPerCharacter")
    },
    "mask": other_cases.mask_cases(),
    "score_from": other_cases.sum_cases(),
    "align": other_cases.alignment_cases(),
    "get": other_cases.name_cases(),
    "count_documents": other_cases.document_cases(),
    **{
        function.__name__: other_cases.comparison_cases(function)
        for function in (metrics.paired_bootstrap, metrics.approximate_randomization)
    },
    "sums": part_cases.part_cases(),
    "TokenBLEU": keras_cases.token_bleu_cases(),
    "GenerationMetrics": keras_cases.callback_cases(),
}

# Public functions that the cases of a metric cover.
COVERED = {
    "get": "BLEU",
    "corpus_bleu": "BLEU",
    "sentence_bleu": "BLEU",
    "corpus_meteor": "METEOR",
    "sentence_meteor": "METEOR",
    "merge_sums": "sums",
    "score_sums": "sums",
    "paired_bootstrap_of_sums": "sums",
    "approximate_randomization_of_sums": "sums",
    # Its one argument is that of METEOR.
    "coco_metrics": "METEOR",
    "perplexity": "Perplexity",
    "bits_per_character": "BitsPerCharacter",
}
