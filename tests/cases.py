"""Which cases of a test are run.

A property draws a few cases in the suite, always the same; MEMNETS_FUZZ_CASES=2000 in
the environment draws as many for each property, others each time.
"""

import os

import hypothesis
import pytest

_ASKED_FOR = os.environ.get("MEMNETS_FUZZ_CASES")


def cases(few):
    """Settings of hypothesis for a property that takes `few` cases in the suite."""
    return hypothesis.settings(
        max_examples=int(_ASKED_FOR or few),
        derandomize=_ASKED_FOR is None,
        deadline=None,
        database=None,
        # Not to explain: what fails is run again too often for that.
        phases=[hypothesis.Phase.generate, hypothesis.Phase.shrink],
        suppress_health_check=list(hypothesis.HealthCheck),
    )


def once(value):
    """A case that is run on one backend: on the others, another case of the test runs
    the same code."""
    return pytest.param(value, marks=pytest.mark.once)
