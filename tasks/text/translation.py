"""The task of translation: lines of one language in, their translations out."""

import dataclasses
import os
from typing import Any, ClassVar

import numpy as np

from ..checks import check_boolean, check_choice, check_integer, shorten
from ..contract.batch_checks import LONGEST, check_draw
from ..contract.neighbours import Beside
from ..contract.parts import Batch, Column
from ..contract.recipe import Settings
from ..contract.splits import Budget, SplitTask
from ..contract.stream import Stream
from ..contract.task import INPUT_PATH, NO_OPTION
from ..metrics_package import metrics_module, metrics_package
from ..models.base import ModelConfig
from .buckets import Passes, bucket_widths
from .pairs import PairTask, TextPairRecipe
from .parallel_corpus import ParallelCorpus, test_sets
from .presentation import TranslationPresentation
from .subwords import Subwords
from .translation_evaluation import TranslationEvaluation
from .words import Words
from .writing_task import check_decoding

UNITS = {"piece": Subwords, "word": Words}
# Tuned on Multi30k, and on 3,000 of its pairs, see docs/training.md.
BUDGET = Budget(size=29_000, passes=13, least_steps=400, most_epoch_steps=450)


class TranslationRecipe(TextPairRecipe):
    """The budget goes by the number of pairs."""

    validation_measure = "val_bleu"

    @property
    def training(self) -> Settings:
        size = self.task.pass_sequences
        return {ModelConfig: BUDGET.training(size, size, batch_size=64)}


class TranslationStream(Stream):
    """Passes over the pairs, in batches of pairs of about one length."""

    def batch(self, index: int, size: int, seed: int) -> Batch:
        task = self.task
        kept = task.__dict__.setdefault("_passes", {})
        if task.split not in kept:
            kept[task.split] = Passes(task._buckets())
        rows = kept[task.split].rows(index, size, seed)
        chosen = [task.pairs[row] for row in rows]
        longest = max(max(len(s), len(t)) for s, t in chosen) + 1
        return task.batch_of(chosen, next(w for w in task.widths if w >= longest))


@dataclasses.dataclass(frozen=True)
class Translation(PairTask, SplitTask):
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
        unit: What a token is: piece (of words, learned from the text) or word.
        vocabulary_size: Most tokens.
        shared: Whether both languages have one vocabulary and one embedding.
        max_length: Most tokens of a source or a target in training.
        buckets: Number of lengths that batches are filled up to.
        label_smoothing: Share of the probability of a target that all tokens have.
        beam_size: Hypotheses that are kept when texts are written.
        length_penalty: See `memnets.decoders.beam_search`.
        test_set: How the names of the test's files begin, if there are several.
    Raises:
        ValueError: If a parameter is out of its range, a file is missing or damaged,
            two files have different numbers of lines, or a vocabulary cannot be
            learned.
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
    digest: str = dataclasses.field(default="", metadata=NO_OPTION)
    vocabularies: tuple[str, ...] = dataclasses.field(default=(), metadata=NO_OPTION)
    lengths: tuple[int, ...] = dataclasses.field(default=(), metadata=NO_OPTION)

    name = "translation"
    recipe = Beside(TranslationRecipe)
    stream = Beside(TranslationStream)
    presentation = Beside(TranslationPresentation)
    evaluation = Beside(TranslationEvaluation)
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
        for name in ("vocabularies", "lengths"):  # as JSON has them
            object.__setattr__(self, name, tuple(getattr(self, name)))
        if not self.vocabularies:
            self._learn()

    def _learn(self):
        """Finds what a run keeps of its data."""
        corpus = self.on("train").corpus
        object.__setattr__(self, "digest", corpus.sha256)
        # What is wrong with other splits is known at once, not after the training.
        _ = self.on("validation").corpus
        targets = [references[0] for references in corpus.references]
        learn = UNITS[self.unit].learn
        if self.shared:
            texts = [[*corpus.sources, *targets]]
        else:
            texts = [corpus.sources, targets]
        saved = tuple(learn(text, self.vocabulary_size).saved for text in texts)
        object.__setattr__(self, "vocabularies", saved)
        lengths = [max(len(s), len(t)) + 1 for s, t in self.pairs]
        if not lengths:
            raise ValueError(
                "`max_length` must be such that pairs are left to train on. "
                f"Received: max_length={self.max_length}"
            )
        object.__setattr__(self, "lengths", bucket_widths(lengths, self.buckets))
        check_integer("beam_size", self.beam_size, 1, self.output_size)
        tests = test_sets(self.data, self.source, self.target)
        for name in [self.test_set] if self.test_set else tests:
            self._read("test", name)

    # --- the data ---

    @property
    def pass_sequences(self) -> int:
        return len(self.on("train").pairs)

    @property
    def corpus(self) -> ParallelCorpus:
        """The lines of the split, read when they are first needed.

        Raises:
            ValueError: As the task, or if the lines to train on are not those of the
                run.
        """
        kept = self.__dict__.setdefault("_corpora", {})
        if self.split not in kept:
            kept[self.split] = self._read(self.split, self.test_set)
        return kept[self.split]

    def _read(self, split, test_set):
        place = self.data, split, self.source, self.target, test_set
        corpus = ParallelCorpus.read(*place)
        if split == "train" and self.digest not in ("", corpus.sha256):
            raise ValueError(
                "`data` must be the files of the run, whose SHA-256 begins with "
                f"{self.digest[:12]}. Received: data={shorten(self.data)}, "
                f"with {corpus.sha256[:12]}"
            )
        if split != "train" and corpus.sha256 == self.digest:
            raise ValueError(
                "`data` must have other lines to validate and test with than those "
                "that are trained on. Received: "
                f"{(split == 'test' and test_set) or split} is the same as train"
            )
        return corpus

    @property
    def source_vocabulary(self) -> Any:
        return self._vocabulary(0)

    @property
    def target_vocabulary(self) -> Any:
        return self._vocabulary(-1)

    def _vocabulary(self, place):
        kept = self.__dict__.setdefault("_vocabularies", [])
        if not kept:
            kept.extend(UNITS[self.unit].of(saved) for saved in self.vocabularies)
        return kept[place]

    @property
    def shared_vocabulary(self) -> bool:
        return self.shared

    @property
    def widths(self) -> tuple[int, ...]:
        return self.lengths

    @property
    def pairs(self) -> list[tuple[list[int], list[int]]]:
        """Tokens of the pairs of the split that are neither blank nor too long. If all
        of another split than that of the training are too long, they are cut."""
        return self._used[0]

    @property
    def _used(self):
        """The pairs, how many others are blank and how many too long."""
        kept = self.__dict__.setdefault("_pairs", {})
        if self.split not in kept:
            corpus = self.corpus
            targets = (references[0] for references in corpus.references)
            tokens = [
                (self.source_vocabulary.encode(s), self.target_vocabulary.encode(t))
                for s, t in zip(corpus.sources, targets, strict=True)
            ]
            written = [(s, t) for s, t in tokens if s and t]
            # Of another split than that of the training, a pair may be longer than all.
            most = self.lengths[-1] - 1 if self.lengths else self.max_length
            fit = [(s, t) for s, t in written if max(len(s), len(t)) <= most]
            num_blank, too_long = len(tokens) - len(written), len(written) - len(fit)
            if self.split != "train" and not fit:
                fit = [(s[:most], t[:most]) for s, t in written]
            kept[self.split] = fit, num_blank, too_long
        return kept[self.split]

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
        return self.batch_of([self.pairs[row] for row in rows], self.widths[-1])

    def _buckets(self):
        """The numbers of the pairs of each width."""
        kept = self.__dict__.setdefault("_bucketed", {})
        if self.split not in kept:
            lengths = [max(len(s), len(t)) + 1 for s, t in self.pairs]
            places = np.searchsorted(self.widths, lengths)
            kept[self.split] = [
                found
                for place in range(len(self.widths))
                if len(found := np.flatnonzero(places == place))
            ]
        return kept[self.split]

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

    def _metrics(self):
        package = metrics_package()
        metrics = {
            "bleu": package.get("bleu"),
            "bleu_lowercase": package.get("bleu", lowercase=True),
            "meteor": package.get("meteor-1.5", language=_meteor_language(self.target)),
            "chrf": package.get("chrf"),
            "ter": package.get("ter"),
        }
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


def _meteor_language(ending):
    """What METEOR calls the language of files with this ending."""
    constants = metrics_module("meteor.constants")
    name = constants.ALIASES.get(ending, ending)
    # The stems of Arabic are a table that METEOR would have to be given.
    return name if name in constants.LANGUAGES and name != "ar" else "other"
