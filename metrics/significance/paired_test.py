"""What a test of two systems finds."""

import dataclasses

from ..scores import Score


@dataclasses.dataclass(frozen=True)
class PairedTest:
    """Two systems compared on the same segments.

    Attributes:
        score: Score of the system.
        baseline: Score of the system it is compared with.
        p_value: Probability of a difference at least this large, in either direction,
            if the systems were equally good.
        method: `"bootstrap"`, `"poisson-bootstrap"` or `"approximate-randomization"`.
        trials: Number of drawn corpora.
        seed: Seed of the random generator.
        difference: The score of the system minus the score of the baseline.
    """

    score: Score
    baseline: Score
    p_value: float
    method: str
    trials: int
    seed: int
    difference: float = dataclasses.field(init=False)

    def __post_init__(self) -> None:
        difference = self.score.value - self.baseline.value
        object.__setattr__(self, "difference", difference)

    def __str__(self) -> str:
        return (
            f"difference {self.difference:+.4f}, p = {self.p_value:.4f} "
            f"({self.method}, {self.trials} trials, seed {self.seed})"
        )
