"""A task of your own in one file: put the vectors out in reverse order.

python examples/own_task.py --sequences 16000
memnets --import examples/own_task.py train reverse --model ntm-feedforward
memnets --import examples/own_task.py report runs/reverse-ntm-feedforward-1
"""

import argparse
import dataclasses

import numpy as np

from memnets import tasks


@tasks.register_task
@dataclasses.dataclass(frozen=True)
class Reverse(tasks.Copy):
    """Binary vectors in; after a delimiter the same vectors in reverse order.

    The parameters, the inputs and the measures are those of `tasks.Copy`.
    """

    min_length: int = 1
    max_length: int = 10

    name = "reverse"

    @property
    def signature(self):
        return f"reverse|bits:{self.num_bits}|len:{self.min_length}-{self.max_length}"

    def solve(self, inputs):
        copied = super().solve(inputs)
        targets = np.zeros_like(copied)
        for sequence, answer, target in zip(inputs, copied, targets, strict=True):
            length = int(np.argmax(sequence[:, self.num_bits]))  # the delimiter's step
            answered = slice(length + 1, 2 * length + 1)
            target[answered] = answer[answered][::-1]
        return targets


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--sequences", type=int, default=16_000)
    parser.add_argument("--out", default="runs/reverse")
    arguments = parser.parse_args()
    task = Reverse()
    print(task.presentation.render(task.sample(1, rng=0)))
    result = tasks.train(
        task,
        "ntm-feedforward",
        sequences=arguments.sequences,
        out=arguments.out,
        force=True,
    )
    for at in tasks.evaluate(result.model, task, lengths=[5, 10, 20]):
        print(f"{at.length} vectors: {at.perfect:.0%} without a wrong bit")
    print(f"to draw it: memnets --import {__file__} report {arguments.out}")
