"""Progress of a training as lines of JSON, for another process to read."""

import json
import time
from typing import IO

from ..contract.task import Task
from ..training.progress import Silent
from ..training.training_progress import TrainingProgress
from ..training_options.training_config import TrainingConfig

# Heuristic: seconds between two lines of one epoch.
LINE_INTERVAL = 1.0


class JsonLines(TrainingProgress):
    """Writes an object a line: `{"sequences": 320, "total": 640, "measure": "..."}`.

    Args:
        task: The task.
        config: How it is trained.
        output: The stream for the lines.
    """

    def __init__(self, task: Task, config: TrainingConfig, output: IO[str]) -> None:
        super().__init__(task, config, Silent())
        self.output = output
        self._written = time.monotonic()

    def show(self) -> None:
        if time.monotonic() - self._written >= LINE_INTERVAL:
            self._write()

    def on_epoch_end(self, epoch: int, logs: dict[str, float]) -> None:
        super().on_epoch_end(epoch, logs)
        self._write()

    def _write(self) -> None:
        self._written = time.monotonic()
        line = {"sequences": self.sequences, "total": self.total}
        print(
            json.dumps(line | {"measure": self.measured}), file=self.output, flush=True
        )
