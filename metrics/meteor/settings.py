"""The settings of METEOR. Defaults follow from preset, language and task."""

import dataclasses
import os
from collections.abc import Callable, Collection, Sequence
from typing import Any

from ..checks import check_boolean, check_choice, check_integer, check_number, shorten
from ..text_checks import check_weights, check_words
from ..tokenizers import Tokenizer, tokenizer_name
from ..tokenizers.meteor import LANGUAGES as NORMALIZED
from ..tokenizers.stemmers import Stemmer, StemTable
from .constants import (
    ALIASES,
    ENGLISH_TASKS,
    LANGUAGES,
    ORIGINAL,
    STAGES,
    Constants,
    Language,
    function_words,
)
from .score import Formula
from .synonyms import as_synonyms
from .text import TextReader

PRESETS = ("corrected", "1.5", "2005", "nltk")

BEAM = 40  # of the program
# Heuristic: 250 times the width of the program. Time and memory grow with the width.
MAX_BEAM = 10_000

# The stage that uses an argument.
USERS = {"stemmer": "stem", "synonyms": "synonym", "paraphrases": "paraphrase"}
_MISSING = {
    "stem": "a stemmer; this language has none",
    "synonym": "`synonyms` of the language; those of WordNet are English",
    "paraphrase": "a table: pass its path as `paraphrases`",
}


@dataclasses.dataclass(frozen=True, kw_only=True)
class Settings:
    """The arguments of `METEOR`, which documents them. The methods make its parts."""

    preset: str
    language: str
    task: str | None
    stages: Sequence[str] | None
    alpha: float | None
    beta: float | None
    gamma: float | None
    delta: float | None
    weights: Sequence[float] | None
    tokenizer: str | Tokenizer | None
    lowercase: bool
    punctuation: bool
    characters: bool
    beam: int | None
    synonyms: Any
    stemmer: str | Stemmer | None
    function_words: Collection[str] | None
    paraphrases: str | os.PathLike[str] | None

    def __post_init__(self) -> None:
        check_choice("preset", self.preset, PRESETS)
        check_choice("language", self.language, (*LANGUAGES, *ALIASES))
        known = ALIASES.get(self.language, self.language)
        object.__setattr__(self, "language", known)
        for name in ("lowercase", "punctuation", "characters"):
            checked = check_boolean(name, getattr(self, name))
            object.__setattr__(self, name, checked)
        if self.beam is not None:
            check_integer("beam", self.beam, maximum=MAX_BEAM)
            if self.preset != "1.5":
                raise ValueError(
                    "`beam` must be left out unless `preset` is '1.5'. Received: "
                    f"beam={self.beam}, preset={self.preset!r}"
                )

    @property
    def is_modern(self) -> bool:
        """Whether the preset is METEOR 1.5, corrected or as the program."""
        return self.preset in ("corrected", "1.5")

    @property
    def _language(self) -> Language:
        return LANGUAGES[self.language]

    @property
    def language_name(self) -> str:
        """The English name of the language, in lower case."""
        return self._language.name

    def constants(self) -> Constants:
        """The constants of preset, language and task.

        Raises:
            ValueError: If language or task does not go with the preset.
        """
        if not self.is_modern:
            if self.language != "en":
                raise ValueError(
                    f"`language` must be 'en' with METEOR's preset {self.preset!r}, "
                    "which is of English only. For other languages take the preset "
                    "'1.5' or 'corrected', or leave `language` out and pass `stemmer` "
                    f"and `synonyms`. Received: language={self.language!r}"
                )
            if self.task is not None:
                raise ValueError(
                    f"`task` must be None with preset {self.preset!r}, which has one "
                    f"set of constants. Received: task={shorten(self.task)}"
                )
            return ORIGINAL
        if self.task is None:
            return self._language.constants
        check_choice("task", self.task, ENGLISH_TASKS)
        if self.language != "en":
            raise ValueError(
                "`task` must be left out for other languages than English. Received: "
                f"task={self.task!r}, language={self.language!r}"
            )
        return ENGLISH_TASKS[self.task]

    def stage_names(self, constants: Constants) -> tuple[str, ...]:
        """The stages in their order.

        Args:
            constants: Result of `constants`.
        Raises:
            TypeError: If `stages` is not a list of strings.
            ValueError: If a stage is unknown, or what it needs is missing.
        """
        available = self._available_stages()
        stages = self.stages
        if self.language == "ar" and stages is None and "stem" not in available:
            raise ValueError(
                "`stemmer` must be given for Arabic. The program's table is in "
                "meteor-1.5.jar, stem/arabic-buckwalter-reduced.gz: "
                "stemmer=metrics.StemTable(path). Without stems: stages=['exact']."
            )
        if stages is None:
            stages = [name for name in available if name in constants.weights]
            self._check_weights(available, stages)
        check_words("stages", stages)
        stages = tuple(stages)
        in_order = tuple(name for name in STAGES if name in stages)
        if stages != in_order or not stages or stages[0] != "exact":
            raise ValueError(
                f"`stages` must be some of {', '.join(STAGES)}, in this order, exact "
                f"among them. Received: stages={shorten(stages)}"
            )
        for name in stages:
            if name not in available:
                raise ValueError(
                    f"The stage {name!r} of `stages` needs {_MISSING[name]}. Received: "
                    f"stages={stages!r}, language={self.language!r}, "
                    f"preset={self.preset!r}"
                )
        return stages

    def _check_weights(self, available: Sequence[str], stages: Sequence[str]) -> None:
        """Raises an error if a stage that was asked for by its source has no weight."""
        for argument, stage in USERS.items():
            is_asked_for = getattr(self, argument) is not None and stage in available
            if not is_asked_for or stage in stages:
                continue
            added = [name for name in STAGES if name in (*stages, stage)]
            weights = [1.0, *[0.8] * (len(added) - 1)]
            raise ValueError(
                f"`{argument}` is for the stage {stage!r}, for which METEOR has no "
                "weight here. Pass `stages` and a weight for each, such as "
                f"stages={added}, weights={weights}. Received: "
                f"language={self.language!r}, task={self.task!r}, "
                f"preset={self.preset!r}"
            )

    def _available_stages(self) -> list[str]:
        has_table = self.paraphrases is not None
        is_available = {
            "exact": True,
            "stem": self._language.stems or callable(self.stemmer),
            "synonym": self.language == "en" or self._has_own_synonyms(),
            "paraphrase": has_table and self.preset != "nltk",
        }
        return [name for name in STAGES if is_available[name]]

    def _has_own_synonyms(self) -> bool:
        return self.synonyms is not None and not isinstance(self.synonyms, str)

    def formula(self, stages: tuple[str, ...], constants: Constants) -> Formula:
        """The formula of the score.

        Args:
            stages: Result of `stage_names`.
            constants: Result of `constants`.
        Raises:
            TypeError: If `weights` is not a list, or `function_words` is not a list of
                strings.
            ValueError: If a constant is out of its range, or a weight is missing.
        """
        return Formula(
            alpha=_given("alpha", self.alpha, constants.alpha, above=0, below=1),
            beta=_given("beta", self.beta, constants.beta, above=0),
            gamma=_given("gamma", self.gamma, constants.gamma, minimum=0, maximum=1),
            delta=_given("delta", self.delta, constants.delta, above=0, below=1),
            weights=self._stage_weights(stages, constants),
            no_penalty_for_one_chunk=self.is_modern,
            size=self._word_size() if self.characters else None,
            function_words=self._function_words(),
        )

    def _stage_weights(
        self, stages: tuple[str, ...], constants: Constants
    ) -> tuple[float, ...]:
        if self.weights is not None:
            return check_weights("weights", self.weights, len(stages), "stage")
        if self.preset == "1.5":
            # By position, as in the program: with `-m "exact synonym"` the stage
            # synonym has the weight of stem.
            return tuple(constants.weights.values())[: len(stages)]
        missing = [name for name in stages if name not in constants.weights]
        if missing:
            raise ValueError(
                f"`weights` must be given, for there is none for {missing[0]!r}."
            )
        return tuple(constants.weights[name] for name in stages)

    def _word_size(self) -> Callable[[str], int]:
        # Java counts UTF-16 units: two for an emoji.
        return _utf16_units if self.preset == "1.5" else len

    def text_reader(self) -> TextReader:
        """What turns text into tokens.

        Raises:
            TypeError: If `tokenizer` is neither a name nor a function.
            ValueError: If there is no such tokenizer, or it does not go with language
                or `punctuation`.
        """
        tokenizer = self.tokenizer
        if tokenizer is None:
            is_known = self.is_modern and self.language_name in NORMALIZED
            tokenizer = "meteor" if is_known else "none"
        reader = TextReader(
            tokenizer=tokenizer,
            lowercase=self.lowercase,
            punctuation=self.punctuation,
            java_blanks=self.preset == "1.5",
            language=self.language_name,
        )
        if reader.normalizes and self.language_name not in NORMALIZED:
            raise ValueError(
                f"`tokenizer` {tokenizer!r} knows {', '.join(NORMALIZED)}. For another "
                f"language take '13a' or 'intl'. Received: language={self.language!r}"
            )
        return reader

    def _function_words(self) -> frozenset[str]:
        if self.function_words is not None:
            check_words("function_words", self.function_words)
            words = self.function_words
            return frozenset(map(str.lower, words) if self.lowercase else words)
        # The program takes the English ones for every language.
        is_corrected = self.preset == "corrected"
        return function_words(self.language_name if is_corrected else "english")

    def stemmer_name(self) -> str:
        """The name of the stemmer in a signature."""
        stemmer = self.resolved_stemmer()
        if isinstance(stemmer, StemTable):
            return stemmer.signature
        return tokenizer_name(stemmer)

    def resolved_stemmer(self) -> str | Stemmer:
        """The stemmer that was given, or that of the preset."""
        if self.stemmer is None:
            return "snowball" if self.is_modern else "porter"
        return self.stemmer

    def beam_width(self) -> int:
        """The width of the search of preset "1.5"."""
        return BEAM if self.beam is None else int(self.beam)

    def synonyms_name(self, stages: tuple[str, ...]) -> str:
        """The name of the synonyms in a signature."""
        return as_synonyms(self.synonyms).name if "synonym" in stages else "none"


def _given(name: str, value: float | None, default: float, **bounds: float) -> float:
    return check_number(name, default if value is None else value, **bounds)


def _utf16_units(word: str) -> int:
    return len(word.encode("utf-16-le", "surrogatepass")) // 2
