"""METEOR: words aligned by form, stem and meaning, and how broken up they are."""

import dataclasses
import functools
import math
import re

from ..base import Metric, Score, Text
from ..checks import check_boolean, check_choice, check_integer, check_number, shorten
from ..text_checks import check_text, check_weights, check_words
from ..tokenizers.tokenizers import get_tokenizer, tokenizer_name
from .alignment import Alignment, Match
from .compiled_search import BeamSearch
from .constants import ENGLISH_TASKS, LANGUAGES, ORIGINAL, STAGES
from .matching import Matcher
from .minimal_alignment import minimal_alignment
from .nltk_alignment import nltk_alignment
from .normalizer import DATA, normalize
from .paraphrases import Paraphrases, check_path
from .score import NUM_STATISTICS, Formula
from .stemmers import check_stemmer, get_stemmer
from .synonyms import as_lemmas, as_synonyms

PRESETS = ("corrected", "1.5", "2005", "nltk")

# Chosen, 250 times the program's own: its time and memory grow with the width.
MAX_BEAM = 10_000


class METEOR(Metric):
    """METEOR, corrected, as the program METEOR 1.5 has it, of 2005, or as NLTK has it.

    Words of hypothesis and reference are matched if they are equal, have the same stem,
    share a meaning, or are paraphrases. The score is F (1 - penalty), with

        F = 1 / ((1 - alpha) / P + alpha / R),  penalty = gamma (chunks / matches)^beta

    where P and R weigh the matches by stage, and content words with delta, function
    words with 1 - delta. A corpus has the score of its summed counts. Of several
    references the one with the best score counts.

    Presets:
        corrected: METEOR 1.5 with the fewest chunks that there are, inexact matches
            that always count, and meanings apart by part of speech.
        1.5: Equal to the program `meteor-1.5.jar`, its errors included; with
            `paraphrases` and the default text the numbers of COCO's captions.
        2005: The formula of the first paper, for any matches; Porter stems.
        nltk: Equal to `nltk.translate.meteor_score`: aligned greedily from right to
            left, synonyms of stems. A corpus has the mean of its sentence scores.

    Args:
        preset: One of these; it sets the defaults of what follows.
        language: Two letters as in the program, or "other"; synonyms are English.
        task: "rank", "adq", "hter", "li", "util", "tune" or "universal": sets constants
            for English (`-t`).
        stages: Of "exact", "stem", "synonym", "paraphrase", in this order (`-m`).
        alpha: Weight of recall in F, in (0, 1).
        beta: Exponent of fragmentation.
        gamma: Largest penalty, in [0, 1].
        delta: Weight of content words, in (0, 1); function words have 1 - delta.
        weights: Weight of each of `stages` (`-w`), from 0 to 1.
        tokenizer: "meteor" (`-norm`), a name of `metrics.tokenizers` or a function.
        lowercase: Whether case is ignored (`-lower`).
        punctuation: Whether punctuation counts; `False` is `-noPunct`, with "meteor".
        characters: Whether P and R count characters (`-ch`).
        beam: Width of the search of preset "1.5" (`-x`), at most 10,000.
        synonyms: See `metrics.synonyms.as_synonyms`; our WordNet 3.0 if `None`.
        stemmer: See `metrics.stemmers.get_stemmer`.
        function_words: Words that weigh less; the program's English list if `None`.
        paraphrases: Path of a paraphrase table as that of METEOR 1.5; adds the stage.
    Raises:
        TypeError: If an argument is of the wrong type.
        ValueError: If an argument is out of its range or does not go with another, or
            the paraphrase table cannot be read.
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
        preset="corrected",
        *,
        language="en",
        task=None,
        stages=None,
        alpha=None,
        beta=None,
        gamma=None,
        delta=None,
        weights=None,
        tokenizer=None,
        lowercase=True,
        punctuation=True,
        characters=False,
        beam=40,
        synonyms=None,
        stemmer=None,
        function_words=None,
        paraphrases=None,
    ):
        check_choice("preset", preset, PRESETS)
        check_choice("language", language, LANGUAGES)
        check_boolean("lowercase", lowercase)
        check_boolean("punctuation", punctuation)
        check_boolean("characters", characters)
        self.preset, self.language = preset, language
        self.beam = check_integer("beam", beam, maximum=MAX_BEAM)
        self.lowercase, self.punctuation = lowercase, punctuation
        constants = self._constants(task)
        self.stages = self._stages(stages, paraphrases is not None, constants)
        self.formula = Formula(
            alpha=_given("alpha", alpha, constants.alpha, above=0, below=1),
            beta=_given("beta", beta, constants.beta, above=0),
            gamma=_given("gamma", gamma, constants.gamma, minimum=0, maximum=1),
            delta=_given("delta", delta, constants.delta, above=0, below=1),
            weights=self._weights(weights, constants),
            forgives_one_piece=self._is_modern,
            size=self._size() if characters else None,
        )
        self._read_text(tokenizer)
        self._weigh_words(function_words)
        self._match_words(synonyms, stemmer, paraphrases)

    @property
    def _is_modern(self):
        """Whether it is METEOR 1.5, as it was meant or as it is."""
        return self.preset in ("corrected", "1.5")

    def _size(self):
        # Java counts the units of UTF-16: two for an emoji.
        return _utf16_units if self.preset == "1.5" else len

    def _constants(self, task):
        if not self._is_modern:
            if task is not None or self.language != "en":
                raise ValueError(
                    f"`task` and `language` must not be given with preset "
                    f"{self.preset!r}. Received: task={shorten(task)}, "
                    f"language={self.language!r}"
                )
            return ORIGINAL
        if task is None:
            return LANGUAGES[self.language].constants
        check_choice("task", task, ENGLISH_TASKS)
        if self.language != "en":
            raise ValueError(
                "`task` must be left out for other languages than English. Received: "
                f"task={task!r}, language={self.language!r}"
            )
        return ENGLISH_TASKS[task]

    def _stages(self, stages, has_table, constants):
        language = LANGUAGES[self.language]
        known = {
            "exact": True,
            "stem": language.stemmer is not None,
            "synonym": self.language == "en",
            "paraphrase": has_table and self.preset != "nltk",
        }
        if stages is None:
            stages = [
                name for name in STAGES if known[name] and name in constants.weights
            ]
            if has_table and "paraphrase" not in stages:
                raise ValueError(
                    "`paraphrases` must be left out where the constants have no weight "
                    "for them; pass `stages` and `weights` to use them."
                )
        check_words("stages", stages)
        stages = tuple(stages)
        in_order = tuple(name for name in STAGES if name in stages)
        if stages != in_order or not stages or stages[0] != "exact":
            raise ValueError(
                f"`stages` must be some of {', '.join(STAGES)}, in this order, exact "
                f"among them. Received: stages={shorten(stages)}"
            )
        for name in stages:
            if not known[name]:
                raise ValueError(
                    f"The stage {name!r} of `stages` needs "
                    + {
                        "stem": "a stemmer, which there is not",
                        "synonym": "WordNet, which is English",
                        "paraphrase": "a table: pass its path as `paraphrases`",
                    }[name]
                    + f". Received: stages={stages!r}, language={self.language!r}, "
                    f"preset={self.preset!r}"
                )
        return stages

    def _weights(self, weights, constants):
        if weights is None:
            if self.preset == "1.5":
                # By place, as the program does: synonym has the weight of stem in
                # `-m "exact synonym"`.
                return tuple(constants.weights.values())[: len(self.stages)]
            missing = [name for name in self.stages if name not in constants.weights]
            if missing:
                raise ValueError(
                    f"`weights` must be given, for there is none for {missing[0]!r}."
                )
            return tuple(constants.weights[name] for name in self.stages)
        return check_weights("weights", weights, len(self.stages), "stage")

    def _read_text(self, tokenizer):
        """Sets how text becomes tokens."""
        if tokenizer is None:
            english = self._is_modern and self.language == "en"
            tokenizer = "meteor" if english else "none"
        is_meteor = isinstance(tokenizer, str) and tokenizer == "meteor"
        if not is_meteor:
            self._split = get_tokenizer(tokenizer)
        self.tokenizer = tokenizer_name(tokenizer)
        if not is_meteor:
            if not self.punctuation:
                raise ValueError(
                    "`punctuation` must be True unless `tokenizer` is 'meteor'. "
                    f"Received: tokenizer={self.tokenizer!r}"
                )
            if self.tokenizer == "none" and self.preset == "1.5":
                self._split = _split_at_blanks
            return
        if self.language != "en":
            raise ValueError(
                "`tokenizer` 'meteor' is for English only, whose abbreviations it "
                f"knows. Received: language={self.language!r}"
            )
        self._split = _split_normalized

    def _weigh_words(self, function_words):
        self._own_function_words = function_words is not None
        if function_words is None:
            if self.preset == "corrected" and self.language != "en":
                raise ValueError(
                    "`function_words` must be given for other languages than English "
                    "(the program takes the English ones: preset '1.5'). Received: "
                    f"language={self.language!r}"
                )
            self.function_words = english_function_words()
        else:
            check_words("function_words", function_words)
            self.function_words = frozenset(function_words)

    def _match_words(self, synonyms, stemmer, paraphrases):
        """Sets what the stages find matches with."""
        if stemmer is None:
            stemmer = "snowball" if self._is_modern else "porter"
        check_stemmer(stemmer)
        self.stemmer = tokenizer_name(stemmer)
        stem = None
        if "stem" in self.stages:
            stem = get_stemmer(stemmer, LANGUAGES[self.language].stemmer)
        # Refused by name even where no stage takes them.
        as_synonyms(synonyms)
        if paraphrases is not None:
            check_path("paraphrases", paraphrases)
        self.synonyms = "none"
        if self.preset == "nltk":
            lemmas = None
            if "synonym" in self.stages:
                lemmas, self.synonyms = as_lemmas(synonyms), as_synonyms(synonyms).name
            self._align_greedily = functools.partial(
                nltk_alignment, stem=stem, lemmas=lemmas
            )
            return
        synsets = None
        if "synonym" in self.stages:
            source = as_synonyms(synonyms, merge_parts_of_speech=self.preset == "1.5")
            self.synonyms, synsets = source.name, source.synsets
        table = None
        if "paraphrase" in self.stages:
            table = Paraphrases(paraphrases)
        self._matcher = Matcher(
            self.stages, stem=stem, synsets=synsets, paraphrases=table
        )
        self._search = BeamSearch(self._matcher, self.beam)

    def _tokens(self, text) -> list[str]:
        if not isinstance(text, str):
            return [token.lower() for token in text] if self.lowercase else list(text)
        if self.tokenizer == "meteor":
            # Before the case is changed: it tells abbreviations from words.
            text = normalize(text, punctuation=self.punctuation)
        if self.lowercase:
            text = text.lower()
        return self._split(text)

    def _matches(self, reference, hypothesis):
        """Matches of tokens, chunks if they are counted in a way of their own, and
        whether the matches are proven to have the fewest chunks."""
        if self.preset == "nltk":
            return *self._align_greedily(reference, hypothesis), False
        if reference == hypothesis:
            matches = [(j, 1, j, 1, 0) for j in range(len(reference))]
            return matches, None, True
        if self.preset == "1.5":
            return self._search(reference, hypothesis), None, False
        candidates = self._matcher.candidates(reference, hypothesis)
        matches, minimal = minimal_alignment(candidates)
        return matches, None, minimal

    def align(self, reference: Text, hypothesis: Text) -> Alignment:
        """Shows which words were matched, and why a sentence has its score.

        Args:
            reference: One reference.
            hypothesis: The text to score.
        Raises:
            TypeError: If something is neither a string nor a list of strings.
        """
        check_text(reference, "reference", check_text(hypothesis, "hypothesis"))
        theirs, ours = self._tokens(reference), self._tokens(hypothesis)
        matches, _, minimal = self._matches(theirs, ours)
        return Alignment(
            tuple(theirs),
            tuple(ours),
            tuple(map(Match._make, matches)),
            self.stages,
            minimal,
        )

    def _segment_statistics(self, references, hypothesis):
        ours = self._tokens(hypothesis)
        best, highest = None, -math.inf
        for reference in references:
            theirs = self._tokens(reference)
            matches, chunks, _ = self._matches(theirs, ours)
            counts = self.formula.statistics(
                matches, theirs, ours, self.function_words, chunks
            )
            value = self.formula.value(counts)
            if value > highest:
                best, highest = counts, value
        return [*best, highest]

    def _score(self, totals, segments):
        score = self.formula.score(totals[:-1].tolist())
        if self.preset == "nltk":
            # NLTK has no corpus score; its users take the mean.
            return dataclasses.replace(score, value=totals[-1] / segments)
        return score

    def _settings(self):
        formula = self.formula
        settings = {
            "preset": self.preset,
            "lang": self.language,
            "tok": self.tokenizer,
            "case": "lower" if self.lowercase else "mixed",
            "punct": self.punctuation,
            "mod": ",".join(self.stages),
            "w": ",".join(f"{weight:g}" for weight in formula.weights),
            "a": formula.alpha,
            "b": formula.beta,
            "g": formula.gamma,
            "d": formula.delta,
            "stem": self.stemmer if "stem" in self.stages else "none",
            "syn": self.synonyms,
        }
        if self._own_function_words:
            settings["func"] = "custom"
        if formula.size is not None:
            settings["chars"] = True
        if self.preset == "1.5":
            settings["beam"] = self.beam
        return settings


def corpus_meteor(
    references, hypotheses, *, confidence=None, resamples=1000, seed=12345, **options
) -> Score:
    """METEOR of a corpus; see `METEOR.corpus_score` and, for the options, `METEOR`.

    Example:
        >>> corpus_meteor([["a cat sat"], ["a dog ran"]], ["a cat sat", "a dog"]).chunks
        1
    """
    return METEOR(**options).corpus_score(
        references, hypotheses, confidence=confidence, resamples=resamples, seed=seed
    )


def sentence_meteor(references, hypothesis, **options) -> Score:
    """METEOR of one sentence; see `METEOR.sentence_score` and `METEOR`.

    Example:
        >>> sentence_meteor(["the cat sat"], "the cats sat").matches
        3.0
    """
    return METEOR(**options).sentence_score(references, hypothesis)


def _given(name, value, default, **bounds):
    return check_number(name, default if value is None else value, **bounds)


def _split_normalized(text):
    return text.split(" ") if text else []


def _split_at_blanks(text):
    """Words between the blanks that Java's StringTokenizer knows."""
    return [word for word in _BLANKS.split(text) if word]


_BLANKS = re.compile("[ \t\n\r\f]+")


def _utf16_units(word):
    return len(word.encode("utf-16-le", "surrogatepass")) // 2


@functools.cache
def english_function_words() -> frozenset[str]:
    """The 93 words of METEOR 1.5 that weigh less; they were the most frequent ones."""
    text = (DATA / "function_words_english.txt").read_text(encoding="utf-8")
    return frozenset(text.split())
