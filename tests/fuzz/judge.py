"""Runs drawn cases and checks their results.

A score is finite, within its range, and never next to nothing. An error is a
`ValueError` or a `TypeError` of one line that names an argument. Nothing else ever
happens: no other error, no warning of NumPy, no case that takes long.
"""

import dataclasses
import json
import math
import re
import time
import warnings
from collections import Counter
from collections.abc import Callable, Iterable
from typing import Any, NamedTuple

import hypothesis
from hypothesis import strategies as st

from metrics import Score

# Smaller scores are 0/0 in disguise, such as NLTK's 1e-231. BLEU of one word against a
# reference of 200 is 1e-87, and right.
LEAST = 1e-100
# Rounding of sums and products: a score may exceed 1 by this.
ROUNDING = 1e-9
# Heuristic: processor time of one case, many times that of the slowest.
SECONDS = 20
# Characters of a message: about three lines of a terminal, without a traceback.
LONGEST = 400


class Case(NamedTuple):
    """A call of a metric, and what must result.

    Attributes:
        kind: Of the case, in a word or two.
        do: What is done; returns the scores.
        names: Arguments that an error may name; none if it must not be one.
        must_fail: Whether there must be an error.
        shown: What was drawn, for the report of a case that fails.
    """

    kind: str
    do: Callable[[], Iterable[Score | float]]
    names: tuple[str, ...] = ()
    must_fail: bool = False
    shown: Any = None
    low: float = 0.0
    high: float = 1.0

    def __repr__(self):
        try:
            return f"{self.kind}: {self.shown!r}"
        except Exception:  # some drawn values have a broken __repr__, on purpose
            return f"{self.kind}: unprintable"


def outcome(case: Case) -> str:
    """Runs a case. Returns "score", or the name of the error."""
    start = time.process_time()
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        # Expected: a right 0, of which CIDEr and BLEU warn; Keras with NumPy 2.
        warnings.filterwarnings("ignore", "CIDEr.* of a corpus of one segment is alwa")
        warnings.filterwarnings("ignore", "BLEU of a text of fewer than")
        warnings.filterwarnings("ignore", "__array__ implementation doesn't accept")
        try:
            scores = list(case.do())
        except (TypeError, ValueError) as error:
            if not case.names:
                raise
            check_error(error, case.names)
            return type(error).__name__
        finally:
            seconds = time.process_time() - start
            assert seconds < SECONDS, f"{seconds:.0f} s for {case}"
    assert not case.must_fail, f"not refused: {case}"
    for score in scores:
        check_score(score, case.low, case.high)
    return "score"


def check_error(error: Exception, names: Iterable[str]) -> None:
    """Checks that an error is one line that names one of the arguments."""
    assert type(error) in (TypeError, ValueError), repr(error)  # not UnicodeError
    message = str(error)
    assert "\n" not in message and len(message) <= LONGEST, message
    found = set(re.findall(r"`(\w+)", message))
    found |= set(re.findall("unexpected keyword argument '([^']+)'", message))
    assert found & set(names), f"names none of {', '.join(names)}: {message}"


def check_score(score: Score | float, low: float, high: float) -> None:
    """Checks that a score is within bounds, and can be shown and written."""
    value = float(score)
    assert math.isfinite(value), value
    assert value == 0 or value >= LEAST, value
    assert low - ROUNDING <= value <= high + ROUNDING, value
    if not isinstance(score, Score):
        return
    assert type(score.value) is float, score
    parts = dataclasses.asdict(score)
    text = json.dumps(parts, allow_nan=False)
    assert json.loads(text)["value"] == value
    assert "\n" not in f"{score} {score.signature}", score.signature
    if interval := score.interval:
        assert low - ROUNDING <= interval.low <= interval.high <= high + ROUNDING


def count(
    cases: st.SearchStrategy[Case], number: int, seed: int | None = 0
) -> Counter[str]:
    """Draws, runs and checks cases, and counts them by kind and outcome.

    Args:
        cases: What draws them.
        number: How many.
        seed: Of the drawing; if `None`, others are drawn each time.
    Raises:
        AssertionError: With the smallest case found that is not as it should be.
    """
    counted: Counter[str] = Counter()

    @hypothesis.settings(
        max_examples=number,
        deadline=None,  # instead there is `SECONDS`
        database=None,
        suppress_health_check=list(hypothesis.HealthCheck),
    )
    @hypothesis.given(cases)
    def judge(case):
        counted[f"{case.kind}: {outcome(case)}"] += 1

    if seed is not None:
        judge = hypothesis.seed(seed)(judge)
    judge()
    return counted
