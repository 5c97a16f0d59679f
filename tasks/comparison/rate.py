"""How sure a rate of successes is."""

import statistics


def interval(successes: int, runs: int) -> tuple[float, float]:
    """The 95% interval of a rate.

    Args:
        successes: Runs that reached a bar.
        runs: All runs, at least one.
    Returns:
        `(lowest, highest)`, shares of 1.
    Reference:
        Wilson (1927), Probable inference, the law of succession, and statistical
        inference, Journal of the American Statistical Association 22.
    """
    z = statistics.NormalDist().inv_cdf(0.975)
    rate, correction = successes / runs, z * z / runs
    middle = (rate + correction / 2) / (1 + correction)
    width = z * (rate * (1 - rate) / runs + correction / (4 * runs)) ** 0.5
    width /= 1 + correction
    return max(0.0, middle - width), min(1.0, middle + width)
