"""METEOR: words aligned by form, stem and meaning, with a fragmentation penalty."""

import itertools
import math
import os
import warnings
from collections.abc import Collection, Sequence
from typing import Any, Self

import numpy as np

from ..base import Metric, Text
from ..signatures import file_digest, short_number, words_digest
from ..text_checks import check_segment
from ..tokenizers import Tokenizer
from ..tokenizers.script_checks import misreading
from ..tokenizers.stemmers import Stemmer
from .aligners import aligner_of
from .alignment import Alignment, Match
from .constants import LANGUAGES
from .language_guess import language_of_table, other_language
from .score import NUM_STATISTICS, METEORScore
from .settings import Settings


class METEOR(Metric[METEORScore]):
    """METEOR: corrected, as the program METEOR 1.5, as in 2005, or as in NLTK.

    Words of hypothesis and reference are matched if they are equal, have the same stem,
    share a meaning, or are paraphrases. The score is F (1 - penalty), with

        F = 1 / ((1 - alpha) / P + alpha / R),  penalty = gamma (chunks / matches)^beta

    P and R weigh matches by stage. Content words count delta, function words 1 - delta.
    The score of a corpus is the score of its summed counts. Of several references the
    one with the best score counts.

    Presets:
        corrected: METEOR 1.5 with the smallest possible number of chunks, inexact
            matches that always count, and separate meanings by part of speech.
        1.5: Equal to the program `meteor-1.5.jar`, including its errors.
        2005: The formula of the first paper, for any matches, with Porter stems. Texts
            are split at blanks only: pass tokens, or `tokenizer="13a"` for raw text.
        nltk: Equal to `nltk.translate.meteor_score`: greedy alignment from right to
            left, synonyms of stems. The score of a corpus is the mean of its sentences.
            Texts are split as with 2005.

    Args:
        preset: One of these. It sets the defaults of the arguments below.
        language: Two letters, or "other". It sets tokens (of "en", "cz", "de", "es",
            "fr", "ru"; the text of other languages must be tokenised already, or
            `tokenizer` given), stems, constants, and the function words of "corrected".
            Synonyms are English.
        task: "rank", "adq", "hter", "li", "util", "tune" or "universal": constants
            for English (`-t` of the program).
        stages: Some of "exact", "stem", "synonym", "paraphrase", in this order (`-m`).
        alpha: Weight of recall in F, in (0, 1).
        beta: Exponent of the fragmentation.
        gamma: Largest penalty, in [0, 1].
        delta: Weight of content words, in (0, 1). Function words have 1 - delta.
        weights: Weight of each of `stages` (`-w`), from 0 to 1.
        tokenizer: "meteor" (`-norm`), "ptb+meteor" (PTB first, as pycocoevalcap does),
            or what `metrics.tokenizers.get_tokenizer` takes.
        lowercase: Whether to ignore case (`-lower`).
        punctuation: Whether to count punctuation. `False` is `-noPunct` and needs the
            tokenizer "meteor".
        characters: Whether P and R count characters instead of words (`-ch`).
        beam: Width of the search of preset "1.5" (`-x`), at most 10,000; by default 40,
            as in the program.
        synonyms: A source of synonyms, see `metrics.meteor.synonyms.as_synonyms`.
            `None` means the WordNet 3.0 table of this package, for English. A source
            of your own takes its place, and in other languages adds the stage
            "synonym"; with "cz", "de", "es", "fr" and "ru", which have no weight for
            it, `stages` and `weights` must be given.
        stemmer: See `metrics.tokenizers.stemmers.get_stemmer`. A function adds the
            stage "stem".
        function_words: Words that count less; their case is ignored as that of the
            texts. `None` means the list of the language; with preset "1.5" the English
            one, which the program takes for all.
        paraphrases: Path of a paraphrase table in the format of METEOR 1.5. It adds the
            stage "paraphrase". Where the constants have no weight for a stage that is
            added, `stages` and `weights` must be given.
    Raises:
        TypeError: If a flag is not a boolean, or a source, a stemmer or a list of words
            is of the wrong type.
        ValueError: If an argument is out of its range or does not go with another, if
            no stage uses it, or if the paraphrase table cannot be read.
    Reference:
        Banerjee and Lavie (2005); Denkowski and Lavie (2011, 2014).
    Example:
        >>> meteor = METEOR()
        >>> meteor.sentence_score(["the cat sat"], "the cat sat").value
        1.0
        >>> print(meteor.align("the cat sat on the mat", "the cat on mats").render())
                   hypothesis  reference  found by
        chunk 1    the cat     the cat    2 exact
        chunk 2    on          on         exact
        chunk 3    mats        mat        stem
        unmatched              sat the
    """

    name = "meteor"
    num_statistics = NUM_STATISTICS + 1
    slow = True

    def __init__(
        self,
        preset: str = "corrected",
        *,
        language: str = "en",
        task: str | None = None,
        stages: Sequence[str] | None = None,
        alpha: float | None = None,
        beta: float | None = None,
        gamma: float | None = None,
        delta: float | None = None,
        weights: Sequence[float] | None = None,
        tokenizer: str | Tokenizer | None = None,
        lowercase: bool = True,
        punctuation: bool = True,
        characters: bool = False,
        beam: int | None = None,
        synonyms: Any = None,
        stemmer: str | Stemmer | None = None,
        function_words: Collection[str] | None = None,
        paraphrases: str | os.PathLike[str] | None = None,
    ) -> None:
        settings = Settings(
            preset=preset,
            language=language,
            task=task,
            stages=stages,
            alpha=alpha,
            beta=beta,
            gamma=gamma,
            delta=delta,
            weights=weights,
            tokenizer=tokenizer,
            lowercase=lowercase,
            punctuation=punctuation,
            characters=characters,
            beam=beam,
            synonyms=synonyms,
            stemmer=stemmer,
            function_words=function_words,
            paraphrases=paraphrases,
        )
        constants = settings.constants()
        _look_at_table(settings)
        self.preset = preset
        self._is_modern = settings.is_modern
        self.stages = settings.stage_names(constants)
        self.formula = settings.formula(self.stages, constants)
        self._reader = settings.text_reader()
        self.function_words = self.formula.function_words
        self._align = aligner_of(settings, self.stages, self.formula)
        self._signature = self._describe(settings)

    def _describe(self, settings: Settings) -> dict[str, object]:
        """What the signature says of the settings."""
        formula = self.formula
        described: dict[str, object] = {
            "preset": settings.preset,
            "lang": settings.language,
            "tok": self._reader.name,
            "case": "lower" if settings.lowercase else "mixed",
            "punct": settings.punctuation,
            "mod": ",".join(self.stages),
            "w": ",".join(map(short_number, formula.weights)),
            "a": formula.alpha,
            "b": formula.beta,
            "g": formula.gamma,
            "d": formula.delta,
            "stem": settings.stemmer_name() if "stem" in self.stages else "none",
            "syn": settings.synonyms_name(self.stages),
        }
        if settings.paraphrases is not None:
            described["para"] = file_digest(settings.paraphrases)
        if settings.function_words is not None:
            described["func"] = f"custom-{words_digest(self.function_words)}"
        if settings.characters:
            described["chars"] = True
        if settings.preset == "1.5":
            described["beam"] = settings.beam_width()
        return described

    def _settings(self) -> dict[str, object]:
        return dict(self._signature)

    def _fit(self, references: Sequence[Sequence[Text]]) -> Self:
        """Warns of references in another language."""
        assumed = str(self._signature["lang"])
        texts = itertools.chain.from_iterable(references)
        found = other_language(texts, assumed) if self._is_modern else None
        if found is not None:
            names = (LANGUAGES[code].name.title() for code in (found, assumed))
            warnings.warn(
                "The references look like {}, and are scored as {}. Pass "
                "`language={!r}`.".format(*names, found),
                stacklevel=4,
            )
        return self

    def _misread(self, references: Sequence[Sequence[Text]]) -> str | None:
        return misreading(references, self._tokens)

    def _tokens(self, text) -> list[str]:
        return self._reader.tokens(text)

    def align(self, reference: Text | Sequence[Text], hypothesis: Text) -> Alignment:
        """Shows which words were matched, and why a sentence has its score.

        Args:
            reference: A reference, or a list of them: the one with the highest score
                counts, as in `sentence_score`, and stands in the result.
            hypothesis: The text to score.
        Raises:
            TypeError: If something is neither a string nor a list of strings.
            ValueError: If there is no reference, or a list of texts is given where a
                list of tokens is meant.
        Example:
            >>> references = ["A cat sat.", "The dog ran home."]
            >>> METEOR().align(references, "A dog ran home.").reference
            ('the', 'dog', 'ran', 'home', '.')
        """
        references = _as_references(reference, hypothesis)
        check_segment(references, hypothesis, "reference")
        hypothesis_tokens = self._tokens(hypothesis)
        _, reference_tokens = self._best(references, hypothesis_tokens)
        aligned = self._align(reference_tokens, hypothesis_tokens)
        return Alignment(
            tuple(reference_tokens),
            tuple(hypothesis_tokens),
            tuple(map(Match._make, aligned.matches)),
            self.stages,
            aligned.minimal,
        )

    def _segment_statistics(
        self, references: Sequence[Text], hypothesis: Text
    ) -> list[float]:
        best, _ = self._best(references, self._tokens(hypothesis))
        return best

    def _best(
        self, references: Sequence[Text], hypothesis: list[str]
    ) -> tuple[list[float], list[str]]:
        """The counts and the score of the reference with the highest one, and its
        tokens."""
        best, tokens, highest = [], [], -math.inf
        for reference in references:
            reference_tokens = self._tokens(reference)
            counts = self._align.statistics(reference_tokens, hypothesis)
            value = self.formula.value(counts)
            if value > highest:
                best, tokens, highest = [*counts, value], reference_tokens, value
        return best, tokens

    def _score(self, totals: np.ndarray, segments: int) -> METEORScore:
        *counts, sum_of_values = totals.tolist()
        # NLTK has no corpus score. Its users take the mean of the sentences.
        mean = sum_of_values / segments if self.preset == "nltk" else None
        return self.formula.score(counts, mean)


def _as_references(reference: Any, hypothesis: Text) -> list[Any]:
    """The references of a segment, of which one may stand alone."""
    is_list = isinstance(reference, list | tuple)
    if is_list and (
        isinstance(hypothesis, str)
        or any(isinstance(part, list | tuple) for part in reference)
    ):
        return list(reference)
    return [reference]


def _look_at_table(settings: Settings) -> None:
    """Warns of paraphrases of another language, by the name of the table."""
    found, assumed = language_of_table(settings.paraphrases), settings.language
    if found not in (None, assumed):
        names = (LANGUAGES[code].name.title() for code in (found, assumed))
        warnings.warn(
            "`paraphrases` has the name of a table of {}, and the texts are scored as "
            "{}. Received: {}".format(*names, settings.paraphrases),
            stacklevel=4,
        )
