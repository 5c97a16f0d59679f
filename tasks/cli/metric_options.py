"""Options of `memnets score` that are settings of metrics.

Options of BLEU, chrF and TER have the names that they have in sacreBLEU.
"""

import contextlib
import dataclasses
import re
from collections.abc import Callable, Iterator, Sequence
from typing import Any

import click

from ..metrics_package import metrics_module
from .command import BadInput

_REGISTRY = metrics_module("registry")
_TOKENIZERS = metrics_module("tokenizers.registry")
METRICS = _REGISTRY.METRICS
BLEU = tuple(name for name in METRICS if name.startswith("bleu"))
CHRF = ("chrf", "chrf++")
TER = ("ter",)
ROUGE = tuple(name for name in METRICS if name.startswith("rouge"))
CIDER = ("cider", "cider-d")
METEOR = tuple(name for name in METRICS if name.startswith("meteor"))


_OF_ALL = (*_TOKENIZERS.TOKENIZERS, *_TOKENIZERS.OPTIONAL_TOKENIZERS)
_OF_METEOR = metrics_module("meteor.text").NORMALIZING


class _TokenizerName(click.ParamType):
    """The name of a tokenizer, or the path of a SentencePiece model."""

    name = "tokenizer"

    def convert(
        self, value: str, param: click.Parameter | None, ctx: click.Context | None
    ) -> str:
        names = (*_OF_ALL, *_OF_METEOR)
        if value in names or value.endswith(".model"):
            return value
        self.fail(
            f"{value!r} is not one of {', '.join(map(repr, names))}, nor the path of a "
            "SentencePiece model (.model)."
        )


@dataclasses.dataclass(frozen=True)
class MetricOption:
    """An option that is a setting of metrics.

    Attributes:
        flag: The option.
        setting: The argument of the metrics.
        metrics: Names of the metrics that it is for; empty: all that have the setting.
        kind: Type of its value; `None` means a flag without a value.
        help: What it does.
        metavar: What the help calls its value.
    """

    flag: str
    setting: str
    metrics: tuple[str, ...]
    kind: Any
    help: str
    metavar: str | None = None

    @property
    def parameter(self) -> str:
        """The name of the click parameter."""
        return self.flag.removeprefix("--").replace("-", "_")

    def metrics_of(self, names: Sequence[str]) -> list[str]:
        """Those of the metrics that take the setting."""
        return [
            name
            for name in names
            if (not self.metrics or name in self.metrics)
            and self.setting in _REGISTRY.settings_of(name)
        ]

    def added_to(self, command: Callable[..., Any]) -> Callable[..., Any]:
        """Adds the option to a click command."""
        kind = {"type": self.kind, "metavar": self.metavar} if self.kind else {}
        option = click.option(
            self.flag,
            self.parameter,
            is_flag=self.kind is None,
            default=None,
            help=self.help,
            **kind,
        )
        return option(command)


ORDER = click.IntRange(0)
SMOOTH = click.Choice(["none", "floor", "add-k", "exp", "laplace", "coco"])
LOWERCASE = MetricOption(
    "--lowercase",
    "lowercase",
    (),
    None,
    "Ignore case: BLEU, chrF, WER, CER. METEOR and TER ignore it anyway, and so do "
    "CIDEr and ROUGE with their own tokenizers; exact-match never does.",
)
EFFECTIVE_ORDER = MetricOption(
    "--effective-order",
    "effective_order",
    BLEU,
    None,
    "BLEU: leave out orders that short texts do not have; segments of --segments are "
    "always scored so.",
)
TOKENIZE = MetricOption(
    "--tokenize",
    "tokenizer",
    (),
    _TokenizerName(),
    f"Tokenizer of BLEU, METEOR, ROUGE, CIDEr and WER: {', '.join(_OF_ALL)}, or a "
    f"SentencePiece model, FILE.model; of METEOR alone {' and '.join(_OF_METEOR)} "
    "[default: that of the metric].",
    "NAME",
)
METRIC_OPTIONS = (
    TOKENIZE,
    LOWERCASE,
    MetricOption(
        "--max-order",
        "max_order",
        BLEU,
        click.IntRange(1),
        "BLEU: longest n-grams [default: 4].",
    ),
    MetricOption(
        "--smooth-method",
        "smoothing",
        BLEU,
        SMOOTH,
        "BLEU: smoothing of zeros, as sacreBLEU; laplace is Hugging Face's "
        "smooth=True, coco is pycocoevalcap's [default: exp].",
    ),
    MetricOption(
        "--smooth-value",
        "smoothing_value",
        BLEU,
        float,
        "BLEU: the floor [default: 0.1], or k of add-k [default: 1].",
    ),
    EFFECTIVE_ORDER,
    MetricOption(
        "--reference-length",
        "reference_length",
        BLEU,
        click.Choice(["closest", "average", "shortest"]),
        "BLEU: which length of several references counts [default: closest].",
    ),
    MetricOption(
        "--chrf-char-order",
        "char_order",
        CHRF,
        ORDER,
        "chrF: longest character n-grams [default: 6].",
    ),
    MetricOption(
        "--chrf-word-order",
        "word_order",
        CHRF,
        ORDER,
        "chrF: longest word n-grams [default: 0].",
    ),
    MetricOption(
        "--chrf-beta", "beta", CHRF, float, "chrF: importance of recall [default: 2]."
    ),
    MetricOption(
        "--chrf-whitespace", "whitespace", CHRF, None, "chrF: keep white space."
    ),
    MetricOption("--chrf-lowercase", "lowercase", CHRF, None, "chrF: ignore case."),
    MetricOption(
        "--chrf-eps-smoothing",
        "eps_smoothing",
        CHRF,
        None,
        "chrF: smooth as chrF++.py, NLTK and Moses.",
    ),
    MetricOption(
        "--ter-case-sensitive", "case_sensitive", TER, None, "TER: distinguish case."
    ),
    MetricOption(
        "--ter-asian-support",
        "asian_support",
        TER,
        None,
        "TER: with --ter-normalized separate Asian characters, with --ter-no-punct "
        "leave out Asian punctuation, too.",
    ),
    MetricOption(
        "--ter-no-punct", "no_punct", TER, None, "TER: leave out punctuation."
    ),
    MetricOption(
        "--ter-normalized",
        "normalized",
        TER,
        None,
        "TER: separate punctuation from words.",
    ),
    MetricOption(
        "--rouge-stem", "stem", ROUGE, None, "ROUGE: compare Porter's stems of words."
    ),
    MetricOption(
        "--rouge-separator",
        "separator",
        ("rouge-lsum",),
        str,
        "ROUGE-Lsum: what separates sentences, such as '<n>' [default: a line break, "
        "which texts of JSON may have].",
        "TEXT",
    ),
    MetricOption(
        "--cider-documents",
        "document_frequency",
        CIDER,
        str,
        "CIDEr: references of a larger corpus, such as COCO's annotations, for the "
        "frequencies of n-grams [default: REFERENCES].",
        "FILE",
    ),
    MetricOption(
        "--paraphrases",
        "paraphrases",
        METEOR,
        str,
        "METEOR's table of paraphrases, paraphrase-en.gz of pycocoevalcap.",
        "FILE",
    ),
)


def metric_options(command: Callable[..., Any]) -> Callable[..., Any]:
    """Adds all of them to a click command."""
    for option in reversed(METRIC_OPTIONS):
        command = option.added_to(command)
    return command


@contextlib.contextmanager
def options_named() -> Iterator[None]:
    """Errors within name the options in place of the arguments."""
    try:
        yield
    except ValueError as error:
        raise BadInput(as_options(str(error))) from error


# The flag of each argument; of several options the first.
_FLAGS = {
    **{option.setting: option.flag for option in reversed(METRIC_OPTIONS)},
    "documents": "--cider-documents",
    **{
        name: f"--{name.replace('_', '-')}"
        for name in ("language", "split", "num_refs", "translators")
    },
}
_VALUE = re.compile(r"""`(\w+)=(?:"([^"`]*)"|'([^'`]*)'|([^`"']*))`""")


def as_options(message: str) -> str:
    """A message of the library with options in place of arguments.

    Example:
        >>> as_options('Pass `tokenizer="zh"` or `normalized=True`, not `language`.')
        'Pass `--tokenize zh` or `--ter-normalized`, not `--language`.'
    """

    def option(found: re.Match) -> str:
        value = "".join(filter(None, found.groups()[1:])).removesuffix("True")
        return f"`{_FLAGS.get(found[1], found[1])} {value}".rstrip() + "`"

    message = _VALUE.sub(option, message)
    message = re.sub(r"`(\w+)`", lambda f: f"`{_FLAGS.get(f[1], f[1])}`", message)
    message = message.replace(" must be None ", " must not be given ")
    return re.sub(rf"Received: (?:{'|'.join(_FLAGS)})=", "Received: ", message)
