"""A task that classifies: name the first symbol of a sequence after all the others.

python examples/first_symbol.py
memnets --import examples/first_symbol.py train first-symbol --model lstm
memnets --import examples/first_symbol.py compare first-symbol --seeds 1-3
"""

import dataclasses

import keras
import numpy as np

from memnets import tasks


class FirstSymbolEvaluation(tasks.Evaluation):
    @property
    def eval_tasks(self):  # also on sequences twice as long as those of training
        return (self.task, self.at_length(2 * self.task.length))

    def at_length(self, length):
        return dataclasses.replace(self.task, length=length)


@tasks.register_task
@dataclasses.dataclass(frozen=True)
class FirstSymbol(tasks.Task):
    """Symbols in; after the last one the class of the first out.

    Args:
        num_symbols: Number of symbols.
        length: Steps in a sequence.
    """

    num_symbols: int = 4
    length: int = 20

    name = "first-symbol"
    every_step = False  # one output for each sequence
    success = tasks.Success("accuracy", above=0.99)
    evaluation = tasks.Beside(FirstSymbolEvaluation)
    columns = {"accuracy": tasks.Column("accuracy", ".1%", higher_is_better=True)}

    @property
    def input_size(self):
        return self.num_symbols

    @property
    def output_size(self):
        return self.num_symbols

    @property
    def size(self):
        return (self.length,)

    def sample(self, batch_size, rng=None):
        rng = np.random.default_rng(rng)
        symbols = rng.integers(0, self.num_symbols, (batch_size, self.length))
        inputs = np.eye(self.num_symbols, dtype="float32")[symbols]
        return tasks.Batch(inputs, symbols[:, 0], np.ones(batch_size, "float32"))

    def loss(self):
        return keras.losses.SparseCategoricalCrossentropy(from_logits=True)

    def measures(self):
        return [keras.metrics.SparseCategoricalAccuracy(name="accuracy")]

    def predict(self, outputs):
        return outputs.argmax(axis=-1)

    def errors(self, batch, outputs):
        return {"accuracy": self.predict(outputs) == batch.targets}


if __name__ == "__main__":
    result = tasks.train(FirstSymbol(), "ntm-lstm", sequences=8_000)
    for at in tasks.evaluate(result.model, result.task):
        print(f"{at.length} steps: {at.accuracy:.1%}")
