"""The metrics by name. The module of a metric is imported when the metric is made."""

import dataclasses
import importlib
import inspect
import itertools
from collections.abc import Iterable, Mapping
from typing import Any

from .base import Metric
from .checks import shorten, unknown_argument
from .text_checks import check_words


@dataclasses.dataclass(frozen=True)
class Entry:
    """A class of metrics and the settings that make the metric of a name.

    Attributes:
        module: Module of the class, relative to this package.
        class_name: Name of the class.
        settings: Arguments of the class. Other settings override them.
    """

    module: str
    class_name: str
    settings: Mapping[str, Any] = dataclasses.field(default_factory=dict)

    def load(self) -> type[Metric]:
        """Imports and returns the class."""
        module = importlib.import_module(self.module, __package__)
        return getattr(module, self.class_name)


METRICS: dict[str, Entry] = {
    "bleu": Entry(".bleu", "BLEU"),
    **{f"bleu-{n}": Entry(".bleu", "BLEU", {"max_order": n}) for n in (1, 2, 3)},
    "meteor": Entry(".meteor.meteor", "METEOR"),
    "meteor-1.5": Entry(".meteor.meteor", "METEOR", {"preset": "1.5"}),
    "meteor-2005": Entry(".meteor.meteor", "METEOR", {"preset": "2005"}),
    "meteor-nltk": Entry(".meteor.meteor", "METEOR", {"preset": "nltk"}),
    "rouge-1": Entry(".rouge", "ROUGEN", {"order": 1}),
    "rouge-2": Entry(".rouge", "ROUGEN", {"order": 2}),
    "rouge-l": Entry(".rouge", "ROUGEL"),
    "rouge-lsum": Entry(".rouge", "ROUGELsum"),
    "rouge-l-google": Entry(".rouge", "ROUGEL"),  # the earlier name of rouge-l
    "rouge-l-coco": Entry(".rouge", "ROUGEL", {"variant": "coco", "tokenizer": "ptb"}),
    "cider": Entry(".cider", "CIDEr"),
    "cider-d": Entry(".cider", "CIDErD"),
    "chrf": Entry(".chrf", "CHRF"),
    "chrf++": Entry(".chrf", "CHRF", {"word_order": 2}),
    "ter": Entry(".edits.ter.ter", "TER"),
    "wer": Entry(".edits.error_rate", "WER"),
    "cer": Entry(".edits.error_rate", "CER"),
    "exact-match": Entry(".edits.exact_match", "ExactMatch"),
}

# The row of numbers of image captions, under the names of pycocoevalcap. What it calls
# CIDEr is CIDEr-D.
_COCO = {
    **{
        f"Bleu_{order}": Entry(
            ".bleu",
            "BLEU",
            {"max_order": order, "tokenizer": "ptb", "smoothing": "coco"},
        )
        for order in range(1, 5)
    },
    "METEOR": Entry(
        ".meteor.meteor", "METEOR", {"preset": "1.5", "tokenizer": "ptb+meteor"}
    ),
    "ROUGE_L": METRICS["rouge-l-coco"],
    "CIDEr": METRICS["cider-d"],
}


def coco_metrics(paraphrases: str | None = None) -> dict[str, Metric]:
    """The metrics of COCO's captions, equal to those of pycocoevalcap but SPICE.

    Args:
        paraphrases: Path of METEOR's table, `meteor/data/paraphrase-en.gz` in the
            package pycocoevalcap. Without it METEOR is lower than pycocoevalcap's.
    Returns:
        Bleu_1 to Bleu_4, METEOR, ROUGE_L and CIDEr, in this order.
    Raises:
        ValueError: If the table cannot be read.
    Example:
        >>> list(coco_metrics())[:2]
        ['Bleu_1', 'Bleu_2']
    """
    table = {"METEOR": {"paraphrases": paraphrases}}
    return {
        name: entry.load()(**{**entry.settings, **table.get(name, {})})
        for name, entry in _COCO.items()
    }


def known_name(name: Any) -> str:
    """The name of a metric as `METRICS` has it; capitals do not matter.

    Raises:
        ValueError: If no metric has this name.
    Example:
        >>> known_name("BLEU")
        'bleu'
    """
    if isinstance(name, str) and name.lower() in METRICS:
        return name.lower()
    near = nearest_name(str(name))
    hint = f" Did you mean {near!r}?" if near else ""
    raise ValueError(
        f"`name` must be one of {', '.join(map(repr, METRICS))}.{hint} Received: "
        f"name={shorten(name)}"
    )


def nearest_name(name: str) -> str | None:
    """The name of a metric that may have been meant; None if none is near."""
    import difflib  # rarely needed

    near = difflib.get_close_matches(name.lower(), METRICS, n=1)
    return near[0] if near else None


def settings_of(name: str) -> list[str]:
    """The names of the settings that the metric of a name has, in their order.

    Raises:
        ValueError: If no metric has this name.
    Example:
        >>> settings_of("cer")
        ['lowercase', 'whitespace']
    """
    entry = METRICS[known_name(name)]
    return list(inspect.signature(entry.load()).parameters)


def get(name: str, **settings: Any) -> Metric:
    """Makes the metric of a name.

    Args:
        name: A name in `METRICS`. Capitals do not matter.
        **settings: Arguments of its class.
    Raises:
        ValueError: If no metric has this name, or the metric does not have a setting,
            or as its class.
        TypeError: As its class.
    Example:
        >>> get("rouge-2", stem=True).signature().split("|")[2:5]
        ['n:2', 'tok:google_words', 'stem:yes']
    """
    [metric] = get_metrics([known_name(name)], **settings).values()
    return metric


def get_metrics(names: Iterable[str], **settings: Any) -> dict[str, Metric]:
    """Makes several metrics. Each gets the settings that it has.

    Args:
        names: Names in `METRICS`. Capitals do not matter.
        **settings: Arguments of the classes.
    Returns:
        The metrics by name, as `METRICS` has it.
    Raises:
        TypeError: If `names` is not a list of strings, or as the classes.
        ValueError: If no metric has a name or a setting, or as the classes.
    Example:
        >>> both = get_metrics(["bleu", "cer"], lowercase=True)
        >>> both["cer"].signature().split("|")[2]
        'case:lc'
    """
    check_words("names", names)
    metrics: dict[str, Metric] = {}
    unused = set(settings)
    for name in map(known_name, names):
        accepted = settings.keys() & set(settings_of(name))
        given = {key: settings[key] for key in accepted}
        entry = METRICS[name]
        metrics[name] = entry.load()(**{**entry.settings, **given})
        unused -= accepted
    for setting in sorted(unused):
        known = dict.fromkeys(itertools.chain.from_iterable(map(settings_of, metrics)))
        raise ValueError(unknown_argument(", ".join(metrics), setting, list(known)))
    return metrics
