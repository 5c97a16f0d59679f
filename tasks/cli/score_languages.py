"""What the option `--language` of `memnets score` says: the language of the texts."""

import re

from ..metrics_package import metrics_module
from .command import BadInput

_TOKENIZERS = metrics_module("tokenizers.registry")

CHINESE, JAPANESE, KOREAN = ("cn", "hk", "mo", "sg", "tw"), ("jp",), ("kp", "kr")
# Regions in lower case, which would look like the second language of a pair. They are
# regions after these languages only: en-br is a translation into Breton.
REGIONS = {
    **dict.fromkeys(("zh", "zho", "chi", "cmn"), CHINESE),
    **dict.fromkeys(("ja", "jpn"), JAPANESE),
    **dict.fromkeys(("ko", "kor"), KOREAN),
    "pt": ("br",),
    "en": ("au", "gb", "us"),
    "de": ("at", "ch"),
    "fr": ("ch",),
    "es": ("mx",),
}
# Regions that are no code of a language, but are written for one.
SLIPS = {"cn": "zh", "jp": "ja"}


def target_language(language: str) -> str:
    """The code of the language of the texts: of a pair, as of translations, the second.

    Scripts and regions are left out: of en-zh-CN, zh_CN, zh-tw and zh-Hans it is zh. A
    code that is unknown is not an error: most languages have no tokenizer of their own.

    Raises:
        BadInput: If it is no code of a language.
    Example:
        >>> target_language("en-zh-cn"), target_language("eng_Latn-zho_Hans")
        ('zh', 'zho')
        >>> target_language("other")
        'other'
    """
    if language == "ar-bw-red":  # METEOR's name, in Buckwalter's transliteration
        return "ar"
    parts = re.split("[-_]", language)
    if parts[-1] == "other":
        return "other"  # as METEOR's program
    codes = [part for part in parts if re.fullmatch("[a-z]{2,3}", part)]
    if not codes or not re.fullmatch("[a-z]{2,3}", parts[0]):
        raise BadInput(
            "`--language` must be a code such as de, a pair such as en-de, or other. "
            f"Received: {language}"
        )
    languages = codes[:1] + [
        code
        for before, code in zip(codes, codes[1:], strict=False)
        if code not in REGIONS.get(before, ())
    ]
    target = languages[min(1, len(languages) - 1)]
    if target in SLIPS:
        raise BadInput(
            f"`--language` must be a code of a language: {target} is a region, its "
            f"language is {SLIPS[target]}. Received: {language}"
        )
    return target


_APART = ("ar", "other")  # which have sentences of their own
_ANY_LANGUAGE = (
    "`--language other` scores any language by its equal words, with `--tokenize 13a` "
    "if the text is not tokenised."
)


def usual_tokenizer(language: str) -> str | None:
    """The tokenizer that scores in a language, or a pair, are published with, if it is
    not "13a"."""
    return _TOKENIZERS.BY_LANGUAGE.get(target_language(language))


def meteor_language(language: str) -> str:
    """The name that METEOR has for a language, or for the second of a pair.

    Raises:
        BadInput: If METEOR does not know the language.
    """
    constants = metrics_module("meteor.constants")
    target = target_language(language)
    target = constants.ALIASES.get(target, target)
    if target in _TOKENIZERS.BY_LANGUAGE:
        return "other"
    if target == "ar":
        raise BadInput(
            f"METEOR of Arabic needs a table of stems, which it takes in Python only: "
            'metrics.METEOR(language="ar", stemmer=metrics.StemTable(path)). '
            f"{_ANY_LANGUAGE} Received: {language}"
        )
    if target not in constants.LANGUAGES:
        known = ", ".join(name for name in constants.LANGUAGES if name not in _APART)
        raise BadInput(
            f"`--language` must be one that METEOR knows ({known}), or a pair such as "
            f"en-de. {_ANY_LANGUAGE} Received: {language}"
        )
    return target
