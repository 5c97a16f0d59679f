"""A task that regresses: the adding problem of Hochreiter and Schmidhuber (1997).

python examples/adding.py
memnets --import examples/adding.py train my-adding --model lstm --length 50
memnets --import examples/adding.py compare my-adding --seeds 1-3
"""

import dataclasses

import keras
import numpy as np

from memnets import tasks


class AddingRecipe(tasks.Recipe):
    chance_loss = 1 / 24  # the variance of the targets


class AddingEvaluation(tasks.Evaluation):
    def at_length(self, length):
        return dataclasses.replace(self.task, length=length)


@tasks.register_task
@dataclasses.dataclass(frozen=True)
class Adding(tasks.Task):
    """Numbers in, two of them marked; after the last one 0.5 + their sum / 4 out.

    Deviation: all sequences have `length` steps, where the paper draws the length.

    Args:
        length: Steps in a sequence, T.
    Reference:
        Hochreiter, Schmidhuber (1997), Long Short-Term Memory, section 5.4.
    """

    length: int = 30

    name = "my-adding"
    every_step = False  # one output for each sequence
    input_size = 2
    output_size = 1
    # A mean squared error of 0.04 squared: the paper accepts errors below 0.04.
    success = tasks.Success("mse", below=0.0016)
    recipe = tasks.Beside(AddingRecipe)
    evaluation = tasks.Beside(AddingEvaluation)
    columns = {"right": tasks.Column("below 0.04", ".1%", higher_is_better=True)}

    @property
    def size(self):
        return (self.length,)

    def sample(self, batch_size, rng=None):
        rng = np.random.default_rng(rng)
        numbers = rng.uniform(-1, 1, (batch_size, self.length))
        marks, half = np.zeros((batch_size, self.length)), self.length // 2
        marks[:, [0, -1]] = -1.0
        for row in marks:
            row[[rng.integers(1, min(10, half)), rng.integers(half, len(row) - 1)]] = 1
        sums = (numbers * (marks == 1)).sum(axis=1, keepdims=True)
        inputs, targets = np.stack([numbers, marks], axis=-1), 0.5 + sums / 4
        return tasks.Batch(*map(np.float32, (inputs, targets, np.ones(batch_size))))

    def loss(self):
        return keras.losses.MeanSquaredError()

    def measures(self):
        return [keras.metrics.MeanSquaredError(name="mse")]

    def errors(self, batch, outputs):
        error = abs(outputs - batch.targets)[:, 0]
        return {"absolute_error": error, "right": error < 0.04}


if __name__ == "__main__":
    result = tasks.train(Adding(), "ntm-lstm", sequences=16_000)
    for at in tasks.evaluate(result.model, result.task):
        print(f"mean error {at.absolute_error:.3f}, below 0.04: {at.right:.1%}")
