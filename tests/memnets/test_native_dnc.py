"""The compiled kernel of the DNC against the portable path."""

import pytest
from both_paths import assert_both_paths_agree

import memnets
from memnets import native

needs_kernel = pytest.mark.skipif(
    not native.is_available(), reason=f"no kernel: {native.status()}"
)

pytestmark = needs_kernel


@pytest.fixture(autouse=True)
def switch_on_again():
    yield
    native.set_enabled(True)


CONFIGURATIONS = {
    "as it comes": {},
    "one step": {"steps": 1},
    "mask": {"has_mask": True, "batch": 9, "steps": 12},
    "odd sizes": {"memory_size": 37, "word_size": 5},
    "all": dict(
        has_mask=True,
        num_read_heads=3,
        num_write_heads=2,
        deallocate=True,
        masks=True,
        sharpen_links=True,
        usage_gradient=True,
    ),
    "dealloc": dict(deallocate=True),
    "masks": dict(masks=True),
    "sharpen": dict(sharpen_links=True),
    "usage": dict(usage_gradient=True),
    "no links": dict(links=False),
    "reads": dict(num_read_heads=3),
    "writes": dict(num_write_heads=3),
}


@pytest.mark.parametrize("controller", ["lstm", "feedforward"])
@pytest.mark.parametrize("changes", CONFIGURATIONS.values(), ids=CONFIGURATIONS)
def test_values_and_gradients_are_those_of_the_portable_path(changes, controller):
    assert_both_paths_agree(memnets.DNC, controller=controller, **changes)
