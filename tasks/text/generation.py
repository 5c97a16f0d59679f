"""Text that a model writes, character by character."""

from typing import TYPE_CHECKING, Any

import numpy as np

from ..checks import check_integer, check_number
from .base import LanguageModel, check_text
from .network import as_language_model
from .vocabulary import UNKNOWN

if TYPE_CHECKING:
    from ..contract.task import Task


def generate(
    model: Any,
    prompt: str | None = None,
    *,
    task: "Task | None" = None,
    length: int = 500,
    temperature: float = 1.0,
    seed: int = 0,
) -> str:
    """Lets a model of text write on from a prompt.

    Args:
        model: A run (`tasks.open_run`), what `tasks.train` returned, an `NGramModel`,
            or a Keras model with its `task`.
        prompt: What it reads first. If None, a new line; where the text of the model
            had none, a blank, or else its first character in the order of Unicode.
        task: The task of a Keras model.
        length: Number of characters to write.
        temperature: 1 draws from the probabilities of the model; below 1, probable
            characters more often; 0 takes the most probable one.
        seed: The same seed gives the same text.
    Returns:
        What it wrote, without the prompt.
    Raises:
        TypeError: If the model is none of text, or the prompt is not a string.
        ValueError: If the prompt is empty or has characters that the model does not
            know, or another argument is out of its range.
    Example:
        >>> generate(tasks.NGramModel("so so so so "), "s", length=7, temperature=0)
        'o so so'
    """
    language_model = as_language_model(model, task)
    if prompt is None:
        prompt = language_model.vocabulary.beginning
    check_prompt(language_model, prompt)
    check_integer("length", length, 0)
    check_number("temperature", temperature, minimum=0)
    rng = np.random.default_rng(check_integer("seed", seed, 0))
    tokens = language_model.vocabulary.encode(prompt)[None]
    states = language_model.initial_states(1)
    written: list[int] = []
    for _ in range(length):
        _, states = language_model.read(tokens, states)
        token = _choose(language_model.following(states)[0], temperature, rng)
        written.append(token)
        tokens = np.array([[token]])
    return language_model.vocabulary.decode(written)


def check_prompt(model: LanguageModel, prompt: str) -> None:
    """Checks a text that a model is to read.

    Raises:
        TypeError: If it is not a string.
        ValueError: If it is empty, or has characters that the model does not know.
    """
    unknown = model.vocabulary.unknown(check_text("prompt", prompt))
    if unknown:
        raise ValueError(
            "`prompt` must have only characters of the text that the model was trained "
            f"on. Received: {', '.join(map(repr, unknown))}"
        )


def _choose(
    log_probabilities: np.ndarray, temperature: float, rng: np.random.Generator
) -> int:
    values = np.array(log_probabilities, float)
    values[UNKNOWN] = -np.inf  # it stands for no single character
    best = values.max()
    if not temperature or not np.isfinite(best):
        return int(values.argmax())
    weights = np.exp((values - best) / temperature)
    # One number a character, so that the same seed gives nearly the same text where
    # probabilities differ by rounding.
    ends = np.cumsum(weights)
    return int(np.searchsorted(ends, rng.random() * ends[-1], side="right"))
