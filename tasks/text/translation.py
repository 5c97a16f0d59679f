"""The task of translation: lines of one language in, their translations out."""

import dataclasses
import os
from typing import Any, ClassVar

import numpy as np

from ..checks import check_boolean, check_choice, check_integer, shorten
from ..contract.batch_checks import LONGEST, check_draw
from ..contract.corpus_task import CorpusTask, found
from ..contract.neighbours import Beside
from ..contract.parts import Batch, Column
from ..contract.task import INPUT_PATH
from .buckets import bucket_widths
from .pairs import PairTask
from .parallel_corpus import ParallelCorpus, test_sets
from .presentation import TranslationPresentation
from .subwords import Subwords
from .tokens import SavedVocabularies, TokenPair, TokenVocabulary
from .translation_evaluation import TranslationEvaluation, metrics_of
from .translation_training import TranslationRecipe, TranslationStream
from .words import Words
from .writing_task import check_decoding

UNITS: dict[str, type[TokenVocabulary]] = {"piece": Subwords, "word": Words}


@dataclasses.dataclass(frozen=True)
class Translation(PairTask, CorpusTask):
    """Translation of lines of text, learned from pairs of files.

    Training goes over all pairs in passes. Each batch has pairs of about one length.
    Pairs that are blank or too long are left out of the training; in an evaluation and
    in `memnets translate` no line is left out, and sources that are too long are cut.

    Scores are of the text as it is in the files, upper and lower case, see
    `memnets score`.

    Args:
        data: Folder with the files `train.LANGUAGE`, `val.LANGUAGE` and
            `test*.LANGUAGE`, UTF-8, also gzipped (`.gz`), a line for each pair.
        source: Language to translate from, the ending of its files.
        target: Language to translate into.
        unit: What a token is: piece (of words, learned from the text) or word (cut at
            blanks only: punctuation belongs to the word before it).
        vocabulary_size: Most tokens.
        shared: Whether both languages have one vocabulary and one embedding.
        max_length: Most tokens of a source or a target in training.
        buckets: Number of lengths that batches are filled up to.
        label_smoothing: Share of the probability of a target that all tokens have.
        beam_size: Hypotheses that are kept when texts are written.
        length_penalty: See `memnets.decoders.beam_search`.
        test_set: How the names of the test's files begin, if there are several.
    Raises:
        ValueError: If a parameter is out of its range; from `load`, or when the files
            are first needed, if one is missing or damaged, two have different numbers
            of lines, or a vocabulary cannot be learned.
    """

    data: str = dataclasses.field(default="", metadata=INPUT_PATH)
    source: str = "en"
    target: str = "de"
    unit: str = "piece"
    vocabulary_size: int = 4000
    shared: bool = True
    max_length: int = 60
    buckets: int = 4
    label_smoothing: float = 0.1
    beam_size: int = 5
    length_penalty: float = 1.2
    test_set: str = ""
    # Kept by a run, which so knows other files, and can translate without the files.
    digest: str = found("", lambda task: task._lines().sha256, "vocabularies")
    vocabularies: tuple[str, ...] = found(
        SavedVocabularies(), lambda task: task._find_vocabularies()
    )
    lengths: tuple[int, ...] = found(
        (), lambda task: task._find_lengths(), "vocabularies"
    )

    name = "translation"
    recipe = Beside(TranslationRecipe)
    stream = Beside(TranslationStream)
    presentation = Beside(TranslationPresentation)
    evaluation = Beside(TranslationEvaluation)
    learned = "vocabularies"
    learned_with = ("source", "target", "unit", "vocabulary_size", "shared")
    metrics: ClassVar[tuple[str, ...]] = (
        "bleu",
        "bleu_lowercase",
        "meteor",
        "chrf",
        "ter",
    )

    def __post_init__(self) -> None:
        if not isinstance(self.data, str | os.PathLike) or not str(self.data):
            raise ValueError(
                "`data` must be a folder with the files train.LANGUAGE and "
                f"val.LANGUAGE. Received: data={shorten(self.data)}"
            )
        object.__setattr__(self, "data", str(self.data))
        check_choice("unit", self.unit, UNITS)
        check_integer("vocabulary_size", self.vocabulary_size, 5)
        check_boolean("shared", self.shared)
        check_integer("max_length", self.max_length, 1, LONGEST)
        check_integer("buckets", self.buckets, 1, 100)
        check_decoding(self)

    def check_files(self) -> None:
        if self.source == self.target:
            raise ValueError(
                "`target` must be another language than `source`. "
                f"Received: source={self.source!r}, target={self.target!r}"
            )
        # What is wrong with other splits is known at once, not after the training.
        for split in ("train", "validation"):
            _ = self.on(split).corpus
        _ = self.lengths
        check_integer("beam_size", self.beam_size, 1, self.output_size)
        tests = test_sets(self.data, self.source, self.target)
        for name in [self.test_set] if self.test_set else tests:
            self._corpus("test", name)

    def _find_vocabularies(self) -> SavedVocabularies:
        targets = [references[0] for references in self.corpus.references]
        sources = self.corpus.sources
        texts = [[*sources, *targets]] if self.shared else [sources, targets]
        learn = UNITS[self.unit].learn
        learned = (learn(text, self.vocabulary_size) for text in texts)
        return SavedVocabularies(vocabulary.saved for vocabulary in learned)

    def _find_lengths(self) -> tuple[int, ...]:
        lengths = [max(len(s), len(t)) + 1 for s, t in self._used(self.max_length)[0]]
        if not lengths:
            raise ValueError(
                "`max_length` must be such that pairs are left to train on. "
                f"Received: max_length={self.max_length}"
            )
        return bucket_widths(lengths, self.buckets)

    # --- the data ---

    @property
    def pass_sequences(self) -> int:
        return len(self.on("train").pairs)

    @property
    def corpus(self) -> ParallelCorpus:
        """The lines of the split.

        Raises:
            ValueError: If a file is missing or damaged, two have different numbers of
                lines, or the lines to train on are not those of the run.
        """
        return self._corpus(self.split, self.test_set)

    def _lines(self, split: str = "train", test_set: str = "") -> ParallelCorpus:
        """The lines of a split as they are in the files."""
        languages = self.source, self.target
        place = self.data, split, *languages, test_set

        def read() -> ParallelCorpus:
            is_any = split == "test" and not test_set
            tests = test_sets(self.data, *languages) if is_any else []
            if len(tests) == 1:  # read under its name, if it was checked before
                return self._lines(split, tests[0])
            return ParallelCorpus.read(*place)

        return self.cache.get(("lines", *place), read)

    def _corpus(self, split: str, test_set: str) -> ParallelCorpus:
        corpus = self._lines(split, test_set if split == "test" else "")
        if split == "train":
            self.check_is_of_run("files", corpus.sha256)
        elif corpus.sha256 == self.digest:
            raise ValueError(
                "`data` must have other lines to validate and test with than those "
                "that are trained on. Received: "
                f"{(split == 'test' and test_set) or split} is the same as train"
            )
        return corpus

    @property
    def source_vocabulary(self) -> TokenVocabulary:
        return self._vocabulary(0)

    @property
    def target_vocabulary(self) -> TokenVocabulary:
        return self._vocabulary(-1)

    def _vocabulary(self, place: int) -> TokenVocabulary:
        kind, saved = UNITS[self.unit], self.vocabularies[place]
        return self.cache.get((kind, saved), lambda: kind.of(saved))

    @property
    def shared_vocabulary(self) -> bool:
        return self.shared

    @property
    def widths(self) -> tuple[int, ...]:
        return self.lengths

    @property
    def pairs(self) -> list[TokenPair]:
        """Tokens of the pairs of the split that are neither blank nor too long. If all
        of another split than that of the training are too long, they are cut."""
        # A pair of another split may be longer than all pairs of the training.
        return self._used(self.lengths[-1] - 1)[0]

    def _used(self, most: int) -> tuple[list[TokenPair], int, int]:
        """The pairs of at most so many tokens, how many others are blank and how many
        too long."""

        def find() -> tuple[list[TokenPair], int, int]:
            written = [(s, t) for s, t in self._tokens if s and t]
            fit = [(s, t) for s, t in written if max(len(s), len(t)) <= most]
            blank, too_long = len(self._tokens) - len(written), len(written) - len(fit)
            if self.split != "train" and not fit:
                fit = [(s[:most], t[:most]) for s, t in written]
            return fit, blank, too_long

        return self.once(f"pairs {most}", find)

    @property
    def _tokens(self) -> list[TokenPair]:
        """The tokens of all pairs of the split."""
        source, target = self.source_vocabulary, self.target_vocabulary

        def encode() -> list[TokenPair]:
            targets = (references[0] for references in self.corpus.references)
            pairs = zip(self.corpus.sources, targets, strict=True)
            return [(source.encode(s), target.encode(t)) for s, t in pairs]

        return self.once("tokens", encode)

    @property
    def source_widths(self) -> tuple[int, ...]:
        # No pair of the training may have been as long as `max_length`.
        longest = self.max_length + 1
        return tuple(w for w in self.widths if w < longest) + (longest,)

    def sample(
        self, batch_size: int, rng: int | np.random.Generator | None = None
    ) -> Batch:
        batch_size, generator = check_draw(batch_size, rng)
        rows = generator.integers(len(self.pairs), size=batch_size)
        pairs = self.pairs
        return self.batch_of([pairs[row] for row in rows], self.widths[-1])

    def _buckets(self) -> list[np.ndarray]:
        """The numbers of the pairs of each width."""
        lengths = [max(len(s), len(t)) + 1 for s, t in self.pairs]
        places = np.searchsorted(self.widths, lengths)
        rows = [np.flatnonzero(places == place) for place in range(len(self.widths))]
        return [of_width for of_width in rows if len(of_width)]

    # --- evaluation ---

    @property
    def columns(self) -> dict[str, Column]:
        own = super().columns
        return own | {
            f"val_{name}": own[name]._replace(label=f"validation {own[name].label}")
            for name in ("bleu", "meteor")
        }

    @property
    def smoothing(self) -> float:
        return self.label_smoothing

    def eval_pairs(
        self, count: int, rng: np.random.Generator
    ) -> tuple[list[str], list[list[str]]]:
        """The first `count` lines of the split."""
        return self.corpus.sources[:count], self.corpus.references[:count]

    def _metrics(self) -> dict[str, Any]:
        metrics = metrics_of(self.target)
        return {name: metrics[name] for name in self.metrics}

    @property
    def signature(self) -> str:
        unit = "shared" if self.shared else "apart"
        return (
            f"{self.name}|{self.source}-{self.target}|sha256:{self.digest[:12]}"
            f"|{self.unit}:{self.source_vocabulary.size},{unit}"
            f"|max:{self.max_length}|smoothing:{self.label_smoothing:g}"
            f"|beam:{self.beam_size}|penalty:{self.length_penalty:g}"
        )
