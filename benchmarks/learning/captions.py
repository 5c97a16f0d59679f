"""Whether a captioner looks: trained with the pictures of its captions, or others.

    python benchmarks/learning/captions.py [--sequences 60000] [--seed 1]

Both trainings are of the same captions, in the same order, from the same weights; in
the second, each caption has the picture of another one of its batch. Pictures of
`test`, each with its own references, are then described by both. Below stand what
captions get that no network has written.
"""

import dataclasses

import click
import numpy as np

import tasks
from tasks.captions.report import floors
from tasks.captions.scene_captioning import SceneCaptioning

COLUMNS = {"true": "true", "bleu": "BLEU", "meteor": "METEOR", "cider-d": "CIDEr-D"}


class ShuffledStream(SceneCaptioning.stream):
    """Captions to train on have pictures of others."""

    def batch(self, index, size, seed):
        batch, width = super().batch(index, size, seed), self.task.width
        pictures = np.roll(batch.inputs[:, width:], 1, axis=0)
        read = batch.inputs[:, :width]
        return batch._replace(inputs=np.concatenate([read, pictures], axis=1))


@dataclasses.dataclass(frozen=True)
class Shuffled(SceneCaptioning):
    """Captions of scenes, without their pictures."""

    stream = tasks.Beside(ShuffledStream)


@click.command()
@click.option("--model", default="cnn-gru-attention", show_default=True)
@click.option("--sequences", type=click.IntRange(1), default=60_000, show_default=True)
@click.option("--pictures", type=click.IntRange(2), default=500, show_default=True)
@click.option("--seed", type=click.IntRange(0), default=1, show_default=True)
def main(model, sequences, pictures, seed):
    """Whether a captioner looks at its pictures."""
    task = tasks.get_task("captioning")
    rows = {}
    for name, trained_on in (
        ("trained with its pictures", task),
        ("trained with others", Shuffled()),
    ):
        result = tasks.train(trained_on, model, sequences=sequences, seed=seed)
        rng = np.random.default_rng(seed)
        rows[name] = (
            task.on("test").evaluation.score(result.model, pictures, rng).values
        )
    click.echo(" " * 32 + "  ".join(f"{label:>7}" for label in COLUMNS.values()))
    for name, values in (rows | floors(task)).items():
        scores = "  ".join(f"{values[key]:7.3f}" for key in COLUMNS)
        click.echo(f"{name:32}{scores}")


if __name__ == "__main__":
    main()
