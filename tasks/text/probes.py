"""Probes of what a model of text keeps in mind: does it close what was opened?"""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from ..checks import check_integer, shorten
from .base import LanguageModel, check_text
from .network import as_language_model

if TYPE_CHECKING:
    from ..contract.task import Task


def closing_probabilities(
    model: Any,
    texts: Sequence[str],
    *,
    task: "Task | None" = None,
    context: str | None = None,
    opening: str = "(",
    closing: str = ")",
    length: int = 30,
) -> tuple[np.ndarray, np.ndarray]:
    """The probability that a model gives to a closing sign, after each of the
    characters that follow the opening one, and where it was not opened.

    Args:
        model: As for `generate`.
        texts: What follows the opening sign: texts of at least `length` characters
            without either sign.
        task: The task of a Keras model.
        context: What the model reads first; as the prompt of `generate` if None.
        opening: The sign that opens.
        closing: The sign that closes.
        length: Number of characters.
    Returns:
        Two arrays `(length,)`, means over the texts: after `context`, `opening` and the
        first characters of the text; and after `context` and the same characters.
    Raises:
        TypeError: If the model is none of text, or a text is not a string.
        ValueError: If the model does not know a sign, or a text is too short or has one
            of the signs.
    Reference:
        Sutskever, Martens, Hinton (2011), Generating Text with Recurrent Neural
        Networks, section 6.2.
    """
    language_model = as_language_model(model, task)
    check_integer("length", length)
    if context is None:
        context = language_model.vocabulary.beginning
    for name, sign in (("opening", opening), ("closing", closing)):
        if len(check_text(name, sign)) != 1 or language_model.vocabulary.unknown(sign):
            raise ValueError(
                f"`{name}` must be one character that the model knows. "
                f"Received: {name}={shorten(sign)}"
            )
    if isinstance(texts, str) or not len(texts):
        raise TypeError(
            f"`texts` must be a list of at least one text. Received: {shorten(texts)}"
        )
    for text in texts:
        if len(check_text("texts", text)) < length or {opening, closing} & set(text):
            raise ValueError(
                f"`texts` must have at least {length} characters each, and neither "
                f"{opening} nor {closing}. Received: {shorten(text)}"
            )
    number = int(language_model.vocabulary.encode(closing)[0])
    opened, plain = (
        _following(language_model, check_text("context", beginning), texts, length)
        for beginning in (context + opening, context)
    )
    return opened[:, number], plain[:, number]


def _following(
    model: LanguageModel, beginning: str, texts: Sequence[str], length: int
) -> np.ndarray:
    """The probabilities of all tokens after each character, `(length, tokens)`, means
    over the texts."""
    encode = model.vocabulary.encode
    read = np.stack([encode(text[:length]) for text in texts])
    first = np.tile(encode(beginning), (len(texts), 1))
    _, states = model.read(first, model.initial_states(len(texts)))
    found = []
    for tokens in read.T:
        _, states = model.read(tokens[:, None], states)
        found.append(np.exp(model.following(states)).mean(axis=0))
    return np.stack(found)
