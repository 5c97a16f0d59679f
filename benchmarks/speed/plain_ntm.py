"""An NTM written plainly in PyTorch, after Graves et al. (2014), section 3.

`one_layer.py` measures memnets against it. One read and one write head, three shifts.
"""

import torch
from torch import nn
from torch.nn import functional


class PlainNTM(nn.Module):
    """An NTM whose loop over the steps is in Python, as one writes it at first.

    Args:
        features: Numbers of an input.
        units: Numbers of an output.
        rows: Rows of the memory.
        width: Numbers of a row.
        controller: "lstm" or "feedforward".
        size: Size of the controller.
    """

    def __init__(self, features, units, rows, width, controller, size):
        super().__init__()
        self.rows, self.width, self.size = rows, width, size
        self.is_lstm = controller == "lstm"
        layer = nn.LSTMCell if self.is_lstm else nn.Linear
        self.controller = layer(features + width, size)
        # Of each head: a key, its strength, a gate, three shifts and a sharpness. The
        # write head also has an erase and an add vector.
        self.address = nn.Linear(size, 2 * (width + 6))
        self.change = nn.Linear(size, 2 * width)
        self.output = nn.Linear(size + width, units)

    def forward(self, sequences):
        """Outputs `(B, T, units)` of sequences `(B, T, features)`."""
        batch = len(sequences)
        memory = sequences.new_full((batch, self.rows, self.width), 1e-6)
        read = sequences.new_zeros(batch, self.width)
        weightings = sequences.new_zeros(batch, 2, self.rows)
        weightings[..., 0] = 1
        state, outputs = None, []
        for step in sequences.unbind(1):
            inputs = torch.cat([step, read], -1)
            if self.is_lstm:
                state = self.controller(inputs, state)
                hidden = state[0]
            else:
                hidden = torch.tanh(self.controller(inputs))
            weightings = self.addressed(hidden, memory, weightings)
            read_weighting, write_weighting = weightings.unbind(1)
            read = (read_weighting[:, None] @ memory)[:, 0]
            erase, add = self.change(hidden).chunk(2, -1)
            kept = 1 - write_weighting[..., None] * torch.sigmoid(erase)[:, None]
            memory = memory * kept + write_weighting[..., None] * add[:, None]
            outputs.append(self.output(torch.cat([hidden, read], -1)))
        return torch.stack(outputs, 1)

    def addressed(self, hidden, memory, before):
        """The weightings `(B, 2, rows)` of both heads, by content and location."""
        numbers = self.address(hidden).view(len(hidden), 2, -1)
        key, strength, gate, shifts, sharpness = numbers.split(
            [self.width, 1, 1, 3, 1], -1
        )
        similar = functional.normalize(key, dim=-1) @ functional.normalize(
            memory, dim=-1
        ).transpose(1, 2)
        content = torch.softmax(functional.softplus(strength) * similar, -1)
        gate = torch.sigmoid(gate)
        mixed = gate * content + (1 - gate) * before
        moved = torch.stack([mixed.roll(shift, -1) for shift in (-1, 0, 1)], -2)
        shifted = (torch.softmax(shifts, -1)[..., None] * moved).sum(-2)
        sharp = (shifted + 1e-12) ** (1 + functional.softplus(sharpness))
        return sharp / sharp.sum(-1, keepdim=True)
