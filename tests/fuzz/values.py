"""Valid and invalid values of single arguments: flags, choices, numbers."""

import math

import numpy as np
from fuzz.texts import aliens, giants
from hypothesis import strategies as st

flags = st.one_of(st.booleans(), st.booleans().map(np.bool_))
no_flags = st.one_of(aliens, st.sampled_from((0, 1, "yes", "", 0.0, [], np.int8(1))))
no_choices = st.one_of(
    aliens.filter(lambda value: not callable(value)),
    st.sampled_from(("", "none ", "BLEU", "\ud800", b"exp", 1, math.nan, True)),
    st.sampled_from(([], ["none"], ("none",), {"none"}, np.array(["none", "exp"]))),
)
no_numbers = st.one_of(
    aliens,
    st.sampled_from((math.nan, math.inf, -math.inf, True, False, "1", "", 1j, [1])),
    st.sampled_from((np.float32("nan"), np.array([0.5]), np.array(1), np.bool_(True))),
)
# Far larger than anything that fits into memory.
huge = st.one_of(st.sampled_from((10**9, 10**400, 2**63, np.uint64(2**64 - 1))), giants)
no_reals = st.one_of(no_numbers, st.sampled_from((10**400, -(10**400))))


def integers(minimum, maximum):
    """Integers of Python or NumPy."""
    own = st.integers(minimum, maximum)
    kinds = st.sampled_from((int, int, np.int64, np.uint8, np.int16))
    return st.builds(lambda value, kind: kind(value), own, kinds)


def no_integers(minimum):
    """Values that are not integers of at least the minimum."""
    return st.one_of(
        no_numbers,
        st.sampled_from((0.5, 1.0, 2.0, np.float64(3), -(10**400))),
        st.integers(max_value=minimum - 1),
    )


def reals(minimum, maximum, **bounds):
    """Numbers of Python or NumPy, the smallest and the largest among them."""
    own = st.floats(minimum, maximum, **bounds)
    return st.one_of(own, own, own.map(np.float64))


def outside(minimum, maximum, *, open_ends=False):
    """Values that are not numbers between two others."""
    found = [st.floats(max_value=minimum, exclude_max=not open_ends)]
    if maximum < math.inf:
        found.append(st.floats(min_value=maximum, exclude_min=not open_ends))
    return st.one_of(no_reals, *found)


unit = {"exclude_min": True, "exclude_max": True}
