"""The metrics by name; a metric's module is imported when it is asked for."""

import importlib
import inspect

# Module, class and arguments of each.
METRICS: dict[str, tuple[str, str, dict]] = {
    "bleu": (".bleu", "BLEU", {}),
    "meteor": (".meteor.meteor", "METEOR", {}),
    "meteor-1.5": (".meteor.meteor", "METEOR", {"preset": "1.5"}),
    "meteor-2005": (".meteor.meteor", "METEOR", {"preset": "2005"}),
    "meteor-nltk": (".meteor.meteor", "METEOR", {"preset": "nltk"}),
    "rouge-l": (".rouge", "ROUGEL", {"variant": "coco", "tokenizer": "ptb"}),
    "rouge-l-google": (".rouge", "ROUGEL", {"variant": "google"}),
    "cider": (".cider", "CIDEr", {}),
    "cider-d": (".cider", "CIDErD", {}),
    "chrf": (".chrf", "CHRF", {}),
    "chrf++": (".chrf", "CHRF", {"word_order": 2}),
    "ter": (".ter.ter", "TER", {}),
    "wer": (".error_rate", "WER", {}),
    "cer": (".error_rate", "CER", {}),
    "exact-match": (".exact_match", "ExactMatch", {}),
}


def get_metrics(names, **settings):
    """The metrics of these names, each with the settings that it has.

    Returns:
        A dictionary of `metrics.base.Metric` by name.
    Raises:
        ValueError: If none of them has a setting, or its value is out of range.
    """
    metrics, taken = {}, set()
    for name in names:
        module, attribute, arguments = METRICS[name]
        cls = getattr(importlib.import_module(module, __package__), attribute)
        own = settings.keys() & inspect.signature(cls).parameters.keys()
        metrics[name] = cls(**arguments | {key: settings[key] for key in own})
        taken |= own
    for setting in settings.keys() - taken:
        raise ValueError(f"`{setting}` is not a setting of {', '.join(metrics)}.")
    return metrics
