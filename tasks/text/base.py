"""The contract of a model of text: it gives each character a probability."""

import abc

import numpy as np

from ..checks import shorten
from ..metrics_package import metrics_package
from .vocabulary import Vocabulary

# Heuristic: a long text is read in pieces of so many characters.
PIECE = 1_000
# Arrays `(B, ...)`, whose rows can be chosen from and repeated.
States = list[np.ndarray]


class LanguageModel(abc.ABC):
    """A model that reads texts, a token a character, and predicts what follows.

    What it has read of B texts is in its states, so that texts with the same beginning
    share the work: keep the states, take rows of them, and read on from there.

    Args:
        vocabulary: The characters that it knows.
    """

    def __init__(self, vocabulary: Vocabulary) -> None:
        self.vocabulary = vocabulary

    @abc.abstractmethod
    def initial_states(self, batch_size: int) -> States:
        """The states before the first character of so many texts."""

    @abc.abstractmethod
    def read(self, tokens: np.ndarray, states: States) -> tuple[np.ndarray, States]:
        """Reads tokens.

        Args:
            tokens: The next tokens of each text, `(B, T)`.
            states: The states before them.
        Returns:
            The log-probability of each token after those before it, `(B, T)`, in nats,
            and the states after them.
        """

    @abc.abstractmethod
    def following(self, states: States) -> np.ndarray:
        """The log-probabilities of the next token of each text, `(B, tokens)`."""

    def log_probabilities(self, text: str) -> np.ndarray:
        """The log-probability of each character of a text after those before it, `(T,)`
        in nats.

        An unknown character has an equal share, with all others that are unknown, of
        the probability of the unknown token.

        Raises:
            TypeError: If the text is not a string.
            ValueError: If it is empty.
        """
        check_text("text", text)
        tokens = self.vocabulary.encode(text)
        [values], _ = self.read(tokens[None], self.initial_states(1))
        return self.vocabulary.with_unknown(values, tokens)

    def bits_per_character(self, text: str) -> float:
        """Bits per character of a text, see `metrics.bits_per_character`."""
        values = self.log_probabilities(text)
        return metrics_package().bits_per_character([values], [text])


def check_text(name: str, text: object) -> str:
    """Returns a text.

    Raises:
        TypeError: If it is not a string.
        ValueError: If it is empty.
    """
    if not isinstance(text, str):
        raise TypeError(f"`{name}` must be a string. Received: {name}={shorten(text)}")
    if not text:
        raise ValueError(f"`{name}` must have at least one character. Received none.")
    return text
