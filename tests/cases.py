"""How many cases a property test draws.

A few in the suite, always the same; MEMNETS_FUZZ_CASES=2000 in the environment draws
as many for each property, others each time.
"""

import os

import hypothesis

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
