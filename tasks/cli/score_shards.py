"""`memnets score` of shards: files that are read in a stream, here or on a cluster."""

from collections.abc import Sequence
from typing import Any

from ..scoring.corpus import MetricResult
from ..scoring.progress import progress_of
from ..scoring.shards import score_shards
from .command import BadInput
from .many_runs import executor_at
from .metric_options import options_named


def check_options(given: dict[str, Any]) -> None:
    """Raises `BadInput` if an option is given that shards do not have."""
    for option, value in given.items():
        if value:
            raise BadInput(f"`{option}` is not an option of shards.")


def scored(
    chosen: dict[str, Any],
    shards: Sequence[str],
    *,
    systems: int,
    scheduler: str | None,
    **arguments: Any,
) -> list[MetricResult]:
    """The scores of shards.

    Args:
        chosen: The metrics by name.
        shards: The files.
        systems: Number of columns of texts to score.
        scheduler: Address of a Dask scheduler, if it counts them.
        **arguments: Others of `tasks.scoring.shards.score_shards`.
    """
    many = len(shards) > 1
    with (
        options_named(),
        executor_at(scheduler) as executor,
        progress_of(len(shards), "shards", is_long=many) as start,
    ):
        advance = start("all metrics")
        return score_shards(
            chosen,
            shards,
            systems=systems,
            executor=executor,
            on_shard=lambda: advance(1),
            **arguments,
        )
