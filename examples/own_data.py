"""Your own finite data: arrays in files, one file for each split.

python examples/own_data.py --sequences 16000
"""

import argparse
import dataclasses

import keras
import numpy as np

from memnets import tasks


def write_waves(path, count, seed):
    """Stands for your data: noisy waves of three shapes, 40 steps each."""
    rng = np.random.default_rng(seed)
    phase = np.linspace(0, 6 * np.pi, 40) + rng.uniform(0, 2 * np.pi, (count, 1))
    shapes = np.stack([np.sin(phase), np.sign(np.sin(phase)), (phase / np.pi) % 2 - 1])
    labels = rng.integers(0, 3, count)
    waves = shapes[labels, np.arange(count)] + rng.normal(0, 0.3, (count, 40))
    np.savez(path, x=waves[..., None].astype("float32"), y=labels)


@tasks.register_task
@dataclasses.dataclass(frozen=True)
class Waves(tasks.FiniteTask):
    """Which of three shapes a wave has."""

    path: str = "waves"  # the file of a split is waves-train.npz, and so on

    name = "waves"
    every_step = False  # one answer, after the last step
    input_size = 1
    output_size = 3
    success = tasks.Success("accuracy", above=0.95)

    def examples(self, split):
        data = np.load(f"{self.path}-{split}.npz")
        return tasks.Batch(data["x"], data["y"], np.ones(len(data["y"]), "float32"))

    def loss(self):
        return keras.losses.SparseCategoricalCrossentropy(from_logits=True)

    def measures(self):
        return [keras.metrics.SparseCategoricalAccuracy(name="accuracy")]

    def errors(self, batch, outputs):
        return {"accuracy": outputs.argmax(axis=-1) == batch.targets}


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--sequences", type=int, default=16_000)
    for seed, split in enumerate(["train", "validation", "test"]):
        write_waves(f"waves-{split}.npz", 500, seed)
    result = tasks.train(Waves(), sequences=parser.parse_args().sequences)
    (test,) = tasks.evaluate(result.model, Waves(), split="test")
    print(f"right: {test.accuracy:.1%} of {test.sequences} waves of the test split")
