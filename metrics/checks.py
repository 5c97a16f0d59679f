"""Checks at the door of every metric: a bad argument is named, with its segment."""

import math
import numbers


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
            check_segment(own, hypothesis, index)


_STR = {str}


def check_segment(references, hypothesis, index: int | None = None) -> None:
    """Checks a hypothesis and its references: all text, or all lists of tokens.

    Args:
        index: Position in the corpus, for the message.
    Raises:
        TypeError, ValueError: As `check_corpus`.
    """
    where = "" if index is None else f" of segment {index}"
    kind = _kind(hypothesis, f"The hypothesis{where}")
    name = f"The references{where}"
    if isinstance(references, str):
        raise TypeError(
            f"{name} must be a list of references. Received a string: "
            f"{shorten(references)}. `references` is nested one level too few; were "
            "the arguments swapped?"
        )
    if not isinstance(references, list | tuple):
        raise TypeError(f"{name} must be a list. Received: {shorten(references)}")
    if not references:
        raise ValueError(f"{name} must be at least one. Received none.")
    for number, reference in enumerate(references):
        received = _kind(reference, f"Reference {number}{where}")
        if received != kind:
            hint = ""
            if kind == "a list of tokens":
                hint = " `references` may be nested one level too few."
            raise TypeError(
                f"Reference {number}{where} must be {kind}, as its hypothesis is. "
                f"Received {received}: {shorten(reference)}.{hint}"
            )


def _kind(value, name):
    if isinstance(value, str):
        return "text"
    if isinstance(value, list | tuple):
        for token in value:
            if not isinstance(token, str):
                raise TypeError(
                    f"{name} must be a string, or a list of tokens that are strings. "
                    f"Received a token of type {type(token).__name__}: {shorten(token)}"
                )
        return "a list of tokens"
    raise TypeError(
        f"{name} must be a string or a list of tokens. Received: {shorten(value)}"
    )


def shorten(value) -> str:
    """What was received, in at most 60 characters."""
    text = repr(value)
    return text if len(text) <= 60 else f"{text[:57]}..."


def check_real(
    name, value, *, minimum=-math.inf, maximum=math.inf, above=-math.inf, below=math.inf
) -> None:
    """Checks that an argument is a finite number within the bounds given.

    Raises:
        ValueError: If it is not.
    """
    real = isinstance(value, numbers.Real) and not isinstance(value, bool)
    if real and math.isfinite(value):
        if minimum <= value <= maximum and above < value < below:
            return
    bounds = [
        f"{word} {bound}"
        for word, bound in (
            ("at least", minimum),
            ("at most", maximum),
            ("above", above),
            ("below", below),
        )
        if math.isfinite(bound)
    ]
    what = " ".join(["a finite number", " and ".join(bounds)]).strip()
    raise ValueError(f"`{name}` must be {what}. Received: {name}={shorten(value)}")


def check_integer(name, value, minimum=1) -> None:
    """Checks that an argument is an integer of at least `minimum`.

    Raises:
        ValueError: If it is not.
    """
    integer = isinstance(value, numbers.Integral) and not isinstance(value, bool)
    if not integer or value < minimum:
        raise ValueError(
            f"`{name}` must be an integer of at least {minimum}. Received: "
            f"{name}={shorten(value)}"
        )


def check_choice(name, value, choices) -> None:
    """Checks that an argument is one of the choices.

    Raises:
        ValueError: If it is not.
    """
    if value not in list(choices):  # a list: the value may not be hashable
        names = ", ".join(repr(choice) for choice in choices)
        raise ValueError(
            f"`{name}` must be one of {names}. Received: {name}={shorten(value)}"
        )


def check_flag(name, value) -> None:
    """Checks that an argument is True or False.

    Raises:
        TypeError: If it is not.
    """
    if not isinstance(value, bool):
        raise TypeError(
            f"`{name}` must be True or False. Received: {name}={shorten(value)}"
        )
