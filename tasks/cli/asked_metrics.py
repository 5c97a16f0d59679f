"""The metrics that the options of `memnets score` ask for."""

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import click

from ..metrics_package import metrics_module
from ..scoring.text_files import read_references
from .command import BadInput
from .metric_options import (
    EFFECTIVE_ORDER,
    METEOR,
    METRIC_OPTIONS,
    METRICS,
    MetricOption,
    options_named,
)
from .score_languages import meteor_language, usual_tokenizer
from .score_options import ScoreOptions

if TYPE_CHECKING:
    from metrics import Metric


_REGISTRY = metrics_module("registry")
# Presets of METEOR without other languages.
OF_ENGLISH = ("2005", "nltk")


def metrics_of(options: ScoreOptions) -> "dict[str, Metric]":
    """The metrics that the options of `memnets score` ask for, by name.

    Raises:
        BadInput: If options do not go together, or as `metrics_with`.
    """
    if not options.coco:
        return metrics_with(options.metrics, options.settings, options.language)
    context = click.get_current_context()
    source = context.get_parameter_source("metrics")
    given = {
        "--metrics": source != click.core.ParameterSource.DEFAULT,
        "--language": options.language is not None,
        **{
            option.flag: options.settings[option.parameter] is not None
            for option in METRIC_OPTIONS
            if option.parameter != "paraphrases"  # of COCO's METEOR too
        },
    }
    for option, is_given in given.items():
        if is_given:
            raise BadInput(f"`{option}` does not go with `--coco`, which sets it.")
    with options_named():
        return _REGISTRY.coco_metrics(options.settings["paraphrases"])


def metrics_of_segments(options: ScoreOptions) -> "dict[str, Metric]":
    """The metrics by name that score segments otherwise than corpora: BLEU, as
    sacreBLEU's `--sentence-level`."""
    names = [] if options.coco else EFFECTIVE_ORDER.metrics_of(options.metrics)
    if not names:
        return {}
    given = {
        option.parameter: options.settings[option.parameter]
        if option.metrics_of(names)
        else None
        for option in METRIC_OPTIONS
    }
    given[EFFECTIVE_ORDER.parameter] = True
    return metrics_with(names, given, options.language)


def metrics_with(
    names: Sequence[str], given: Mapping[str, Any], language: str | None
) -> "dict[str, Metric]":
    """The metrics of some names, with the settings that were given.

    Args:
        names: Names in `METRICS`.
        given: Values of all click parameters of `METRIC_OPTIONS`.
        language: Language of the texts, or a pair, of which the second counts.
    Raises:
        BadInput: If no metric takes an option, a name of a metric already says what an
            option sets, or a value is out of its range.
    """
    names = list(dict.fromkeys(names))
    settings = {name: _language_settings(name, language) for name in names}
    if language is not None and not any(map(_knows_language, names)):
        raise BadInput(f"`--language` is not an option of {', '.join(names)}.")
    for option in METRIC_OPTIONS:
        if (value := given[option.parameter]) is None:
            continue
        takers = option.metrics_of(names)
        if not takers:
            raise BadInput(f"`{option.flag}` is not an option of {', '.join(names)}.")
        for name in takers:
            _check_value(name, option, value)
            settings[name][option.setting] = value
    for own in settings.values():
        _count_documents(own)
    return {
        name: _metric(name, settings[name], language, given["tokenize"])
        for name in names
    }


def _check_value(name: str, option: MetricOption, value: Any) -> None:
    if option.metrics and option.setting in METRICS[name].settings:
        raise BadInput(f"`{option.flag}` does not go with {name}, which sets it.")
    of_meteor = metrics_module("meteor.text").NORMALIZING
    if option.setting == "tokenizer" and value in of_meteor and name not in METEOR:
        raise BadInput(f"`{option.flag} {value}` is not a tokenizer of {name}.")


def _count_documents(settings: dict[str, Any]) -> None:
    """Replaces a file of references by its document frequencies."""
    if path := settings.get("document_frequency"):
        with options_named():
            references = read_references(path)
            settings["documents"] = len(references)
            settings["document_frequency"] = metrics_module(
                "cider.document_frequency"
            ).count_documents(references, tokenizer=settings.get("tokenizer", "ptb"))


def _metric(
    name: str, settings: dict[str, Any], language: str | None, tokenize: str | None
) -> "Metric":
    try:
        with options_named():
            return _REGISTRY.get(name, **settings)
    except ImportError as error:
        chosen = "" if tokenize or language is None else f"`--language {language}`: "
        raise BadInput(
            f"{chosen}{error}. Or choose another, `--tokenize char`"
        ) from error


def _language_settings(name: str, language: str | None) -> dict[str, Any]:
    """What the language of the texts sets."""
    if language is None:
        return {}
    settings = {}
    tokenizer = usual_tokenizer(language)
    if tokenizer is not None and "tokenizer" in _REGISTRY.settings_of(name):
        settings["tokenizer"] = tokenizer
    if name in METEOR:
        settings["language"] = meteor_language(language)
        is_english = METRICS[name].settings.get("preset") in OF_ENGLISH
        if is_english and settings["language"] != "en":
            raise BadInput(
                f"`--language {language}` does not go with {name}, which is of English "
                "only. Take meteor or meteor-1.5 in its place."
            )
    return settings


def _knows_language(name: str) -> bool:
    return name in METEOR or "tokenizer" in _REGISTRY.settings_of(name)
