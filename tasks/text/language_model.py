"""The task of a language model: predict each character from those before it."""

import collections
import dataclasses
import math
import os
from typing import TYPE_CHECKING, ClassVar

import numpy as np

from ..checks import check_choice, check_integer, shorten
from ..contract.batch_checks import LONGEST, check_draw
from ..contract.corpus_task import CorpusTask, found
from ..contract.neighbours import Beside
from ..contract.parts import Batch, Column
from ..contract.recipe import Recipe, Settings
from ..contract.splits import SPLITS, WHOLE, Budget
from ..contract.task import INPUT_PATH
from ..losses.tensors import log_softmax, one_hot
from ..losses.token_loss import next_token_loss
from ..metrics_package import metrics_package
from ..models.base import ModelConfig
from ..models.recurrent import GRU, MultiplicativeRNN, SimpleRNN, StackedLSTM
from .corpus import SAMPLE, Corpus
from .language_evaluation import LanguageModelEvaluation
from .presentation import LanguageModelPresentation
from .vocabulary import UNKNOWN, Vocabulary
from .windows import windows_at

if TYPE_CHECKING:
    import keras

UNITS = ("character",)
# Tuned on plays, see docs/training.md.
BUDGET = Budget(size=420_000, passes=4.5, least_steps=300, most_epoch_steps=500)


class LanguageModelRecipe(Recipe):
    """Networks of about equal numbers of weights, 370,000 with 84 characters, and a
    budget by the length of the text."""

    compared_models = ("lstm", "gru", "mrnn", "simple-rnn")
    validation_measure = "val_bits_per_character"
    models = {
        StackedLSTM: {"num_layers": 1, "layer_size": 256},
        GRU: {"units": 304},
        MultiplicativeRNN: {"units": 350},
        SimpleRNN: {"units": 500},
    }
    # Tuned, see benchmarks/trials.md; but for GRU, which was not tried.
    tuned: ClassVar[dict[type, dict]] = {
        StackedLSTM: {"batch_size": 8, "learning_rate": 4e-3},
        GRU: {"batch_size": 8, "learning_rate": 2e-3},
        MultiplicativeRNN: {"batch_size": 16, "learning_rate": 2e-3},
        SimpleRNN: {"batch_size": 16, "learning_rate": 1e-3},
        ModelConfig: {"batch_size": 16},
    }

    @property
    def training(self) -> Settings:
        data = len(self.task.corpus.part("train")), self.task.pass_sequences
        return {
            model: {**own, **BUDGET.training(*data, batch_size=own["batch_size"])}
            for model, own in self.tuned.items()
        }

    @property
    def chance_loss(self) -> float | None:
        """The cross-entropy of the characters by their frequency."""
        counts = collections.Counter(self.task.corpus.part("train")).values()
        total = sum(counts)
        return -sum(count / total * math.log(count / total) for count in counts)


@dataclasses.dataclass(frozen=True)
class LanguageModeling(CorpusTask):
    """Characters of a text in; at each step, the probabilities of the next one out.

    Training draws windows from random places of the first 90% of the text. A network
    begins each with an empty state; the first predictions of a window, which have
    little to go by, do not count. An evaluation reads the next 5% (`"validation"`), the
    last 5% (`"test"`), or, of another text than that of the run, the whole (`"all"`),
    as one stream: the state is carried from piece to piece.

    The perplexity of a character is 2 to the power of the bits per character. Of any
    text, `tasks.text.network.NetworkModel` gives it, and the log-probabilities.

    Characters that the training part does not have are one token, which is never seen
    in training. In an evaluation they cost its bits and, as many characters share it,
    some 20 bits more.

    Deviation: windows of 100 with a context of 20; the paper has 250 and 50. In short
    trainings networks learn sooner with them, see benchmarks/trials.md.

    Args:
        data: Path of a text, UTF-8, also gzipped; `sample` for two plays by Shakespeare
            that come with the package.
        unit: What a token is; only `character` so far.
        window: Characters of a training sequence.
        context: How many of its first predictions do not count.
        digest: SHA-256 of the file; found in it if empty.
        characters: The vocabulary, in the order of Unicode; found if empty.
    Raises:
        ValueError: If a parameter is out of its range; from `load`, or when the file is
            first needed, if it cannot be read, is not UTF-8, is too short or is another
            one than `digest` says.
    Reference:
        Sutskever, Martens, Hinton (2011), Generating Text with Recurrent Neural
        Networks, sections 4 and 5.2.
    """

    data: str = dataclasses.field(default=SAMPLE, metadata=INPUT_PATH)
    unit: str = "character"
    window: int = 100
    context: int = 20
    # Kept by a run, which so knows another file, and can write without the file.
    digest: str = found("", lambda task: task._file.sha256)
    characters: str = found("", lambda task: task._find_characters())

    name = "language-model"
    learned = "digest"
    splits = (WHOLE, *SPLITS)
    # An evaluation reads pieces of one long sequence: a model begins each with the
    # state that it had at the end of the one before.
    presentation = Beside(LanguageModelPresentation)
    evaluation = Beside(LanguageModelEvaluation)
    recipe = Beside(LanguageModelRecipe)
    # Another file has another digest; the vocabulary stays, so that a network can be
    # evaluated on it.
    found_in: ClassVar[dict[str, str]] = {"data": "digest"}

    def __post_init__(self) -> None:
        if not isinstance(self.data, str | os.PathLike):
            raise ValueError(
                f"`data` must be a path. Received: data={shorten(self.data)}"
            )
        object.__setattr__(self, "data", str(self.data))
        check_choice("unit", self.unit, UNITS)
        check_integer("window", self.window, 2, LONGEST)
        check_integer("context", self.context, 0)
        if self.context >= self.window:
            raise ValueError(
                "`context` must be less than `window`. "
                f"Received: context={self.context}, window={self.window}"
            )

    def check_files(self) -> None:
        _ = self.corpus

    def _find_characters(self) -> str:
        return Vocabulary.of(self.corpus.part("train")).characters

    # --- the data ---

    @property
    def corpus(self) -> Corpus:
        """The text.

        Raises:
            ValueError: If the file cannot be read or is another one than that of the
                run, or the part to train on has no whole window.
        """
        return self.once("corpus", self._checked)

    @property
    def _file(self) -> Corpus:
        return self.cache.get(("text", self.data), lambda: Corpus.read(self.data))

    def _checked(self) -> Corpus:
        corpus = self._file
        self.check_is_of_run("file", corpus.sha256)
        size = len(corpus.part("train"))
        # A text with a vocabulary given is evaluated on, unless it is the training's.
        is_trained = self.split == "train" or not self.has("characters")
        if is_trained and size <= self.window:
            raise ValueError(
                f"`data` must have more than {self.window} characters to train on, "
                f"the `window`. Received: {size}"
            )
        return corpus

    @property
    def pass_sequences(self) -> int:
        """Windows whose predictions that count are as many as the characters to train
        on."""
        return -(-len(self.corpus.part("train")) // (self.window - self.context))

    @property
    def vocabulary(self) -> Vocabulary:
        """The characters of the training part, as tokens."""
        return Vocabulary(self.characters)

    @property
    def tokens(self) -> np.ndarray:
        """The tokens of the split, `(characters,)`."""
        return self.once(
            "tokens", lambda: self.vocabulary.encode(self.corpus.part(self.split))
        )

    @property
    def input_size(self) -> int:
        return self.vocabulary.size

    @property
    def output_size(self) -> int:
        return self.vocabulary.size

    def inputs(self) -> "keras.KerasTensor":
        import keras

        return keras.Input((None,), dtype="int32", name="inputs")

    def sample(
        self, batch_size: int, rng: int | np.random.Generator | None = None
    ) -> Batch:
        batch_size, generator = check_draw(batch_size, rng)
        tokens = self.tokens
        # A part that is shorter than a window is one sequence.
        steps = min(self.window, len(tokens) - 1)
        starts = generator.integers(len(tokens) - steps, size=batch_size)
        return windows_at(starts, tokens, steps, self.context)

    def features(self, inputs: "keras.KerasTensor") -> "keras.KerasTensor":
        """Each token as a row with a single number that is not 0.

        Deviation: it is the root of the number of tokens, so that inputs have a mean
        square of 1, for which weights are initialised; in the paper it is 1. Networks
        learn sooner, see benchmarks/trials.md.
        """
        return one_hot(inputs, self.input_size, math.sqrt(self.input_size))

    # --- what it is measured by ---

    def loss(self) -> "keras.Loss":
        return next_token_loss()

    def measures(self) -> "list[keras.Metric]":
        from .measures import BitsPerCharacter

        return [BitsPerCharacter()]

    @property
    def columns(self) -> dict[str, Column]:
        return {
            "bits_per_character": Column("bits per character"),
            "accuracy": Column("right characters", ".1%", higher_is_better=True),
            "unknown": Column("unknown characters", ".2%"),
            "val_bits_per_character": Column("validation bits per character"),
        }

    def predict(self, outputs: np.ndarray) -> np.ndarray:
        """The most probable token at each step."""
        return np.asarray(outputs).argmax(axis=-1)

    def errors(self, batch: Batch, outputs: np.ndarray) -> dict[str, np.ndarray]:
        """For each sequence, over the steps that count: `bits_per_character`;
        `accuracy`, the share of characters that were the most probable ones; `unknown`,
        the share of those that training did not have."""
        values = self.log_probabilities(batch, outputs)
        bits = []
        for row, targets, counts in zip(
            values, batch.targets, batch.mask > 0, strict=True
        ):
            text = self.vocabulary.decode(targets[counts])
            bits.append(metrics_package().bits_per_character([row[counts]], [text]))
        right = self.predict(outputs) == batch.targets
        right &= ~np.isnan(outputs).any(axis=-1)
        return {
            "bits_per_character": np.array(bits),
            "accuracy": np.average(right, axis=1, weights=batch.mask),
            "unknown": np.average(batch.targets == UNKNOWN, axis=1, weights=batch.mask),
        }

    def log_probabilities(self, batch: Batch, outputs: np.ndarray) -> np.ndarray:
        """Log-probabilities of the characters that come next, `(B, T)`."""
        values = np.take_along_axis(
            log_softmax(outputs), batch.targets[..., None], axis=2
        )
        return self.vocabulary.with_unknown(values[..., 0], batch.targets)

    # --- names ---

    @property
    def signature(self) -> str:
        name = os.path.basename(self.data)
        return (
            f"{self.name}|data:{name}|sha256:{self.digest[:12]}|unit:{self.unit}"
            f"|characters:{len(self.characters)}"
            f"|window:{self.window}|context:{self.context}"
        )
