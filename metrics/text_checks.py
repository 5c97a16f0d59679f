"""Checks at the door of every metric: a bad argument is named, with its segment."""

from collections.abc import Collection, Mapping

import numpy as np

from .checks import check_number, shorten


def check_corpus(references, hypotheses, name="hypotheses") -> None:
    """Checks one list of references for each hypothesis.

    Args:
        name: Name of the argument that holds the hypotheses, for messages.

    Raises:
        TypeError: If something is not text (a string) nor a list of tokens (strings).
        ValueError: If a length does not fit, or there is nothing to score.
    """
    for own_name, value in (("references", references), (name, hypotheses)):
        if isinstance(value, str):
            raise TypeError(
                f"`{own_name}` must be a list, with an entry for each segment. "
                f"Received a string: {shorten(value)}"
            )
        if not isinstance(value, list | tuple):
            hint = ". Call its `tolist()`." if hasattr(value, "tolist") else ""
            raise TypeError(
                f"`{own_name}` must be a list, with an entry for each segment. "
                f"Received: {type(value).__name__}{hint}"
            )
    if len(references) != len(hypotheses):
        hint = ""
        of = "" if name == "hypotheses" else f" in `{name}`"
        lengths = {len(r) for r in references if isinstance(r, list | tuple)}
        if len(hypotheses) > 1 and lengths == {len(hypotheses)}:
            hint = (
                " It looks transposed, with a list for each reference set: pass "
                "list(zip(*references))."
            )
        raise ValueError(
            "`references` must hold one list of references for each hypothesis. "
            f"Received: {len(references)} and {len(hypotheses)} hypotheses{of}.{hint}"
        )
    if not len(hypotheses):
        raise ValueError(f"`{name}` must hold at least one segment. Received none.")
    for index, (own, hypothesis) in enumerate(zip(references, hypotheses, strict=True)):
        # The common case in one comparison: this loop sees every segment of a corpus.
        if not (
            type(hypothesis) is str
            and type(own) is list
            and set(map(type, own)) == _STR
        ):
            check_segment(own, hypothesis, f"references[{index}]", f"{name}[{index}]")


_STR = {str}


def check_segment(
    references, hypothesis, references_name="references", name="hypothesis"
) -> None:
    """Checks a hypothesis and its references: all text, or all lists of tokens.

    Args:
        references_name, name: What messages call the references and the hypothesis.
    Raises:
        TypeError, ValueError: As `check_corpus`.
    """
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
    for number, reference in enumerate(references):
        check_text(reference, f"{references_name}[{number}]", kind)


def check_text(value, name: str, kind: str | None = None) -> str:
    """Checks that something is text, or a list of tokens.

    Args:
        name: What messages call it.
        kind: Which of the two its hypothesis is, if it is a reference.
    Returns:
        Which of the two it is, in words.
    Raises:
        TypeError: If it is none of them, or not of the kind.
    """
    own = _kind(value, name)
    if kind not in (None, own):
        hint = ""
        if kind == "a list of tokens":
            hint = " `references` may be nested one level too few."
        raise TypeError(
            f"`{name}` must be {kind}, as its hypothesis is. Received {own}: "
            f"{shorten(value)}.{hint}"
        )
    return own


def _kind(value, name):
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


def is_iterable(value) -> bool:
    """Whether a value can be gone through. An array without axes is an `Iterable`, and
    cannot."""
    try:
        iter(value)
    except TypeError:
        return False
    return True


def check_weights(name, weights, size: int, each: str) -> tuple[float, ...]:
    """Checks that an argument is a list of numbers from 0 to 1.

    Args:
        size: How many there must be.
        each: What there must be one for, in messages.
    Returns:
        The weights.
    Raises:
        ValueError: If it is not.
    """
    is_list = isinstance(weights, list | tuple) or getattr(weights, "ndim", 0) == 1
    if not is_list or len(weights) != size:
        raise ValueError(
            f"`{name}` must be a list of {size} numbers, one for each {each}. "
            f"Received: {name}={shorten(weights)}"
        )
    return tuple(
        check_number(f"{name}[{index}]", weight, minimum=0, maximum=1)
        for index, weight in enumerate(weights)
    )


def check_words(name, words) -> None:
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


def check_statistics(name, values) -> np.ndarray:
    """Checks that an argument is of finite numbers.

    Returns:
        The numbers as an array.
    Raises:
        TypeError: If it is not of numbers.
        ValueError: If one of them is not finite.
    """
    try:
        array = np.asarray(values)
    except (TypeError, ValueError):  # rows of several lengths, or what NumPy calls deep
        array = np.asarray(None)
    if array.dtype.kind not in "biuf":
        raise TypeError(f"`{name}` must be numbers. Received: {shorten(values)}")
    array = array.astype(float)
    wrong = array[~np.isfinite(array)]
    if wrong.size:
        raise ValueError(f"`{name}` must be finite. Received: {wrong[0]}")
    return array
