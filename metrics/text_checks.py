"""Argument validation of texts, corpora and lists, for every metric.

The message of an error names the argument and the segment.
"""

import itertools
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from typing import Any

import numpy as np

from .checks import check_number, shorten


def check_corpus(
    references: Sequence[Any], hypotheses: Sequence[Any], name: str = "hypotheses"
) -> None:
    """Checks one list of references for each hypothesis.

    Args:
        references: The lists of references.
        hypotheses: The texts to score.
        name: Name of the argument that holds the hypotheses, for messages.
    Raises:
        TypeError: If something is neither text (a string) nor a list of tokens
            (strings).
        ValueError: If the lengths differ, there is nothing to score, or a list has one
            token, which is a text of several words.
    """
    check_list("references", references)
    check_list(name, hypotheses)
    if len(references) != len(hypotheses):
        raise ValueError(
            "`references` must hold one list of references for each hypothesis. "
            f"Received: {_described_lengths(references, hypotheses, name)}"
        )
    if not hypotheses:
        raise ValueError(f"`{name}` must hold at least one segment. Received none.")
    for index, (texts, hypothesis) in enumerate(
        zip(references, hypotheses, strict=True)
    ):
        # The common case first and in one condition: this loop sees every segment.
        if not (
            type(hypothesis) is str
            and type(texts) is list
            and set(map(type, texts)) == _STR
        ):
            check_segment(texts, hypothesis, f"references[{index}]", f"{name}[{index}]")


_STR, _LIST = {str}, {list}


def _described_lengths(
    references: Sequence[Any], hypotheses: Sequence[Any], name: str
) -> str:
    of = "" if name == "hypotheses" else f" in `{name}`"
    text = f"{len(references)} and {len(hypotheses)} hypotheses{of}."
    lengths = {len(texts) for texts in references if isinstance(texts, list | tuple)}
    if len(hypotheses) > 1 and lengths == {len(hypotheses)}:
        text += (
            " It looks transposed, with a list for each reference set: pass "
            "list(zip(*references))."
        )
    return text


def check_list(name: str, value: Any) -> None:
    """Checks that an argument is a list or tuple with an entry for each segment.

    Raises:
        TypeError: If it is not.
    """
    if isinstance(value, list | tuple):
        return
    received = f" a string: {shorten(value)}"
    if not isinstance(value, str):
        hint = ". Call its `tolist()`." if hasattr(value, "tolist") else ""
        received = f": {type(value).__name__}{hint}"
    raise TypeError(
        f"`{name}` must be a list, with an entry for each segment. Received{received}"
    )


def check_segment(
    references: Sequence[Any],
    hypothesis: Any,
    references_name: str = "references",
    name: str = "hypothesis",
) -> None:
    """Checks a hypothesis and its references: all text, or all lists of tokens.

    Args:
        references: The references of the segment.
        hypothesis: The text to score.
        references_name: Name of the references, for messages.
        name: Name of the hypothesis, for messages.
    Raises:
        TypeError, ValueError: As `check_corpus`.
    """
    if _are_all_text(references, hypothesis):
        return
    kind = check_text(hypothesis, name)
    if isinstance(references, str):
        raise TypeError(
            f"`{references_name}` must be a list of references. Received a string: "
            f"{shorten(references)}. `references` is nested one level too few; were "
            "the arguments swapped?"
        )
    if not isinstance(references, list | tuple):
        raise TypeError(
            f"`{references_name}` must be a list of references. Received: "
            f"{shorten(references)}"
        )
    if not references:
        raise ValueError(
            f"`{references_name}` must hold at least one reference. Received none."
        )
    _check_tokens(hypothesis, name)
    for number, reference in enumerate(references):
        check_text(reference, f"{references_name}[{number}]", kind)
        _check_tokens(reference, f"{references_name}[{number}]")


def _check_tokens(tokens: Any, name: str) -> None:
    """Checks that a list of tokens is not a list of texts, whose tokens are words with
    blanks between them."""
    if not isinstance(tokens, str) and tokens and all(map(_has_blanks, tokens)):
        count = "one token" if len(tokens) == 1 else "tokens"
        raise ValueError(
            f"`{name}` must be a text or a list of tokens. Received a list of {count} "
            f"with blanks: {shorten(tokens)}. Pass one text without the list, or all "
            "of its tokens."
        )


def _has_blanks(token: str) -> bool:
    return len(token.split()) > 1


def _are_all_text(references: Any, hypothesis: Any) -> bool:
    """Whether a segment is in order, by a quick look that most segments pass."""
    if type(references) is not list or not references:
        return False
    kinds = set(map(type, references))
    if type(hypothesis) is str:
        return kinds == _STR
    if type(hypothesis) is not list or kinds != _LIST:
        return False
    if not set(map(type, itertools.chain(hypothesis, *references))) <= _STR:
        return False
    # Perhaps texts, see `_check_tokens`.
    firsts = [tokens[0] for tokens in (hypothesis, *references) if tokens]
    return not any(map(_has_blanks, firsts))


def check_text(value: Any, name: str, kind: str | None = None) -> str:
    """Checks that an argument is text, or a list of tokens.

    Args:
        value: The argument.
        name: Its name, for messages.
        kind: The kind of its hypothesis, if the argument is a reference.
    Returns:
        The kind: "text" or "a list of tokens".
    Raises:
        TypeError: If the argument is of no kind, or not of the given kind.
    """
    found = _kind(value, name)
    if kind not in (None, found):
        hint = ""
        if kind == "a list of tokens" and name.startswith("references"):
            hint = " `references` may be nested one level too few."
        raise TypeError(
            f"`{name}` must be {kind}, as its hypothesis is. Received {found}: "
            f"{shorten(value)}.{hint}"
        )
    return found


def _kind(value: object, name: str) -> str:
    if isinstance(value, str):
        return "text"
    if isinstance(value, list | tuple):
        for token in value:
            if not isinstance(token, str):
                raise TypeError(
                    f"`{name}` must be a string, or a list of tokens that are strings. "
                    f"Received a token of type {type(token).__name__}: {shorten(token)}"
                )
        return "a list of tokens"
    raise TypeError(
        f"`{name}` must be a string or a list of tokens. Received: {shorten(value)}"
    )


def is_iterable(value: Any) -> bool:
    """Returns whether `iter` accepts a value.

    `isinstance(value, Iterable)` is true for a NumPy array without axes too, which has
    no entries.
    """
    try:
        iter(value)
    except TypeError:
        return False
    return True


def check_choice_or_function(
    name: str,
    value: str | Callable[..., Any],
    choices: Collection[str],
    function: str,
) -> None:
    """Checks that an argument is one of some names, or a function.

    Args:
        name: Name of the argument, for messages.
        value: The argument.
        choices: The names.
        function: What a function must do, for messages.
    Raises:
        ValueError: If it is another string.
        TypeError: If it is neither a string nor a function.
    """
    if callable(value) or (isinstance(value, str) and value in choices):
        return
    error = ValueError if isinstance(value, str) else TypeError
    names = ", ".join(map(repr, choices))
    raise error(
        f"`{name}` must be one of {names}, or {function}. Received: "
        f"{name}={shorten(value)}"
    )


def check_weights(
    name: str, weights: Sequence[float] | np.ndarray, size: int, each: str
) -> tuple[float, ...]:
    """Checks that an argument is a list of numbers from 0 to 1.

    Args:
        name: Name of the argument, for messages.
        weights: The argument: a list, a tuple or a 1-D array.
        size: Number of weights needed.
        each: What each weight is for, for messages.
    Returns:
        The weights.
    Raises:
        TypeError: If it is not a list.
        ValueError: If the length or a weight is out of range.
    """
    kind = f"a list of {size} numbers, one for each {each}"
    message = f"`{name}` must be {kind}. Received: {name}={shorten(weights)}"
    if not isinstance(weights, list | tuple) and getattr(weights, "ndim", 0) != 1:
        raise TypeError(message)
    if len(weights) != size:
        raise ValueError(message)
    return tuple(
        check_number(f"{name}[{index}]", weight, minimum=0, maximum=1)
        for index, weight in enumerate(weights)
    )


def check_words(name: str, words: Iterable[str]) -> None:
    """Checks that an argument is a list, or another collection, of strings.

    Raises:
        TypeError: If it is not, or is a single string.
    """
    is_list = isinstance(words, Collection) and getattr(words, "ndim", 1) == 1
    if is_list and not isinstance(words, str | Mapping):
        if all(isinstance(word, str) for word in words):
            return
    raise TypeError(
        f"`{name}` must be a list of strings. Received: {name}={shorten(words)}"
    )


def check_statistics(name: str, values: Sequence[float] | np.ndarray) -> np.ndarray:
    """Checks that an argument holds finite numbers only.

    Returns:
        The numbers as an array of float64.
    Raises:
        TypeError: If something is not a number.
        ValueError: If a number is not finite.
    """
    try:
        array = np.asarray(values)
    except (TypeError, ValueError):  # rows of different lengths, or nested too deeply
        array = np.asarray(None)
    if array.dtype.kind not in "biuf":
        raise TypeError(f"`{name}` must be numbers. Received: {shorten(values)}")
    array = array.astype(float)
    wrong = array[~np.isfinite(array)]
    if wrong.size:
        raise ValueError(f"`{name}` must be finite. Received: {wrong[0]}")
    return array
