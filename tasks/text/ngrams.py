"""N-gram models of characters, interpolated as Witten and Bell did."""

import numpy as np

from ..checks import check_integer
from .base import LanguageModel, States, check_text
from .vocabulary import Vocabulary

# In a context: there is no character, as before the beginning of a text.
NONE = -1
# Heuristic: counts of longer contexts of characters hardly differ, and take memory.
MAX_ORDER = 20


class NGramModel(LanguageModel):
    """An n-gram model of characters with Witten-Bell interpolation.

        p(c | h) = (count(h c) + types(h) p(c | h')) / (count(h) + types(h))

    h are the n - 1 characters before c, h' all but the first of them, `count(h)` how
    often h is followed by a character, and `types(h)` by how many different ones.
    Below the empty context all tokens are equally probable. A context that was never
    seen has the probabilities of the next shorter one.

    Args:
        text: The text to count.
        order: n, the length of an n-gram.
        vocabulary: The characters that it knows; those of the text if None.
    Raises:
        TypeError: If the text is not a string.
        ValueError: If it is empty, or `order` is not an integer from 1 to 20.
    Reference:
        Witten, Bell (1991), The Zero-Frequency Problem; Chen, Goodman (1999), An
        Empirical Study of Smoothing Techniques for Language Modeling, section 2.3.
    Example:
        >>> model = NGramModel("abababab", order=2)
        >>> values = model.log_probabilities("ab")
        >>> [round(float(value), 3) for value in np.exp(values)]
        [0.467, 0.893]
    """

    def __init__(
        self, text: str, order: int = 6, vocabulary: Vocabulary | None = None
    ) -> None:
        check_text("text", text)
        super().__init__(vocabulary or Vocabulary.of(text))
        self.order = check_integer("order", order, 1, MAX_ORDER)
        tokens = self.vocabulary.encode(text)
        # A level for each length of contexts, from 0.
        self._levels: list[_Level] = []
        contexts = np.zeros(len(tokens), np.int64)
        for length in range(min(self.order, len(tokens))):
            known = np.zeros(1, np.int64)
            if length:
                # A context is the next shorter one, and the token before it.
                pairs = contexts[1:] * self.vocabulary.size + tokens[:-length]
                known, contexts = np.unique(pairs, return_inverse=True)
            self._levels.append(
                _Level(known, contexts, tokens[length:], self.vocabulary.size)
            )

    def initial_states(self, batch_size: int) -> States:
        """The last n - 1 tokens of each text: at first none."""
        check_integer("batch_size", batch_size)
        return [np.full((batch_size, self.order - 1), NONE)]

    def read(self, tokens: np.ndarray, states: States) -> tuple[np.ndarray, States]:
        tokens, width = np.asarray(tokens), self.order - 1
        read = np.concatenate([states[0], tokens], axis=1)
        places = np.arange(tokens.shape[1])[:, None] + np.arange(width)
        contexts = read[:, places].reshape(tokens.size, width)
        values = self._probabilities(contexts, tokens.reshape(-1, 1))
        return np.log(values).reshape(tokens.shape), [read[:, tokens.shape[1] :]]

    def following(self, states: States) -> np.ndarray:
        tokens = np.broadcast_to(
            np.arange(self.vocabulary.size), (len(states[0]), self.vocabulary.size)
        )
        return np.log(self._probabilities(states[0], tokens))

    def _probabilities(self, contexts: np.ndarray, tokens: np.ndarray) -> np.ndarray:
        """The probabilities of tokens `(M, K)` after contexts `(M, n - 1)`."""
        values = np.full(tokens.shape, 1 / self.vocabulary.size)
        numbers = np.zeros(len(contexts), np.int64)
        seen = np.ones(len(contexts), bool)
        for length, level in enumerate(self._levels):
            if length:
                before = contexts[:, -length]
                pairs = numbers * self.vocabulary.size + before
                numbers, is_known = _find(pairs, level.known)
                seen = seen & is_known & (before != NONE)
            counts, totals, types = level.look_up(numbers, tokens)
            longer = (counts + types * values) / (totals + types)
            values = np.where(seen[:, None], longer, values)
        return values


class _Level:
    """The counts of what follows contexts of one length.

    Args:
        known: The contexts, sorted: the number of the next shorter one times the number
            of tokens, plus the token before it. Their places are their numbers.
        contexts: The number of the context of each place in the text.
        after: The token that follows at each place.
        size: Number of tokens.
    """

    def __init__(
        self, known: np.ndarray, contexts: np.ndarray, after: np.ndarray, size: int
    ) -> None:
        self.known = known
        self.size = size
        self._ngrams, self._counts = np.unique(
            contexts * size + after, return_counts=True
        )
        self._totals = np.bincount(contexts)
        self._types = np.bincount(self._ngrams // size)

    def look_up(
        self, numbers: np.ndarray, tokens: np.ndarray
    ) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """How often tokens `(M, K)` follow the contexts of these numbers `(M,)`, how
        often anything does, and how many different tokens do."""
        column = numbers[:, None]
        places, is_known = _find(column * self.size + tokens, self._ngrams)
        counts = np.where(is_known, self._counts[places], 0)
        return counts, self._totals[column], self._types[column]


def _find(keys: np.ndarray, table: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """The places of keys in a sorted table, and whether they are there."""
    places = np.minimum(np.searchsorted(table, keys), len(table) - 1)
    return places, table[places] == keys
