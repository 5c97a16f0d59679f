"""Smoothed precisions, by the formulas of Chen and Cherry (2014)."""

import math

import pytest

from metrics.bleu.smoothing import SMOOTHINGS, checked_value

# A sentence of six words: five match, two of five pairs, and no more.
MATCHES, TOTALS = [5, 2, 0, 0], [6, 5, 4, 3]
UNSMOOTHED = [5 / 6, 2 / 5]


@pytest.mark.parametrize(
    "name, last",
    [
        ("none", [0, 0]),
        ("floor", [0.1 / 4, 0.1 / 3]),
        ("exp", [1 / (2 * 4), 1 / (4 * 3)]),
        ("method1", [0.1 / 4, 0.1 / 3]),
        ("method3", [1 / (2 * 4), 1 / (4 * 3)]),
        # 1 / (2^t K / ln 6) matches with K = 5.
        ("method4", [math.log(6) / 10 / 4, math.log(6) / 20 / 3]),
    ],
)
def test_smoothing_touches_only_orders_without_a_match(name, last):
    smoothed = SMOOTHINGS[name](MATCHES, TOTALS)
    assert smoothed == pytest.approx(UNSMOOTHED + last)


@pytest.mark.parametrize("name", ["add-k", "method2"])
def test_one_is_added_to_all_orders_but_the_first(name):
    smoothed = SMOOTHINGS[name](MATCHES, TOTALS)
    assert smoothed == pytest.approx([5 / 6, 3 / 6, 1 / 5, 1 / 4])


def test_laplace_adds_one_to_all_orders():
    smoothed = SMOOTHINGS["laplace"](MATCHES, TOTALS)
    assert smoothed == pytest.approx([6 / 7, 3 / 6, 1 / 5, 1 / 4])


def test_method5_is_the_mean_of_three_orders():
    p1, p2 = UNSMOOTHED
    m1 = (p1 + 1 + p1 + p2) / 3
    m2 = (m1 + p2 + 0) / 3
    m3 = (m2 + 0 + 0) / 3
    m4 = (m3 + 0 + 1 / 2) / 3  # the fifth order, of which 1 of 2 matches here
    smoothed = SMOOTHINGS["method5"]([*MATCHES, 1], [*TOTALS, 2])
    assert smoothed == pytest.approx([m1, m2, m3, m4])


def test_method6_has_a_prior_from_the_two_orders_before():
    p1, p2 = UNSMOOTHED
    p3 = (0 + 5 * p2**2 / p1) / (4 + 5)
    p4 = (0 + 5 * p3**2 / p2) / (3 + 5)
    smoothed = SMOOTHINGS["method6"](MATCHES, TOTALS)
    assert smoothed == pytest.approx([p1, p2, p3, p4])


def test_method6_without_a_pair_has_no_prior():
    assert SMOOTHINGS["method6"]([5, 0, 0, 0], TOTALS) == [5 / 6, 0, 0, 0]


def test_method7_is_method5_of_method4():
    p = SMOOTHINGS["method4"](MATCHES, TOTALS)
    m1 = (p[0] + 1 + p[0] + p[1]) / 3
    m2 = (m1 + p[1] + p[2]) / 3
    m3 = (m2 + p[2] + p[3]) / 3
    m4 = (m3 + p[3] + 0) / 3
    smoothed = SMOOTHINGS["method7"]([*MATCHES, 0], [*TOTALS, 2])
    assert smoothed == pytest.approx([m1, m2, m3, m4])


@pytest.mark.parametrize("name", ["none", "floor", "exp"])
def test_orders_without_ngrams_have_precision_zero(name):
    assert SMOOTHINGS[name]([2, 1, 0, 0], [2, 1, 0, 0])[2:] == [0, 0]


@pytest.mark.parametrize(
    "name, last", [("method1", 0.1), ("method2", 1 / 2), ("method3", 1 / 2)]
)
def test_methods_take_an_order_without_ngrams_to_have_one(name, last):
    assert SMOOTHINGS[name]([2, 1, 0], [2, 1, 0])[2] == last


def test_method4_leaves_the_missing_orders_of_one_word_out():
    # A precision of 1 changes no geometric mean.
    assert SMOOTHINGS["method4"]([1, 0, 0, 0], [1, 0, 0, 0]) == [1, 1, 1, 1]


@pytest.mark.parametrize("name, value", [("floor", 0.1), ("add-k", 1), ("exp", None)])
def test_value_has_a_default(name, value):
    assert checked_value(name, None) == value


@pytest.mark.parametrize("value", [0, -1, math.nan, math.inf, True, "1"])
def test_value_that_is_no_number_above_zero_is_refused(value):
    with pytest.raises(ValueError) as error:
        checked_value("add-k", value)
    assert str(error.value) == (
        "`smoothing_value` must be a finite number above 0. "
        f"Received: smoothing_value={value!r}"
    )


def test_value_of_a_smoothing_that_takes_none_is_refused():
    with pytest.raises(ValueError) as error:
        checked_value("exp", 0.1)
    assert str(error.value) == (
        "`smoothing_value` must be None unless `smoothing` is 'floor' or 'add-k'. "
        "Received: smoothing_value=0.1"
    )
