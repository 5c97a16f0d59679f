"""A Neural Turing Machine in a module of PyTorch, trained by a loop of PyTorch.

Short sequences of bits come in, then a mark; the network repeats them.

    python examples/pytorch.py --steps 300
"""

import argparse
import os
import random

os.environ["KERAS_BACKEND"] = "torch"

import torch  # noqa: E402

import memnets  # noqa: E402
from memnets import tasks  # noqa: E402


class Copier(torch.nn.Module):
    def __init__(self, task):
        super().__init__()
        self.memory = memnets.NTM(
            32, memory_size=32, controller="feedforward", return_sequences=True
        )
        self.memory.build((None, None, task.input_size))
        self.readout = torch.nn.Linear(32, task.output_size)

    def forward(self, sequences):
        return self.readout(self.memory(sequences))


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--steps", type=int, default=300)
    steps = parser.parse_args().steps
    random.seed(1)  # Keras draws the seeds of its weights from it
    task = tasks.Copy(num_bits=4, min_length=1, max_length=5)
    network = Copier(task)
    optimizer = torch.optim.Adam(network.parameters(), lr=3e-3)
    for step in range(1, steps + 1):
        batch = task.sample(16, rng=step)
        inputs, targets, mask = map(torch.as_tensor, batch)
        losses = torch.nn.functional.binary_cross_entropy_with_logits(
            network(inputs), targets, reduction="none"
        )
        loss = (losses.mean(-1) * mask).sum() / mask.sum()
        optimizer.zero_grad()
        loss.backward()
        torch.nn.utils.clip_grad_norm_(network.parameters(), 1.0)
        optimizer.step()
        if step % 50 == 0 or step == steps:
            print(f"step {step}: loss {loss.item():.4f}")
    torch.save(network.state_dict(), "copier.pt")
