"""The network of `gru-attention` and its beam search, written plainly in PyTorch.

`translation.py` measures memnets against it. It needs PyTorch, which memnets does not:
`pip install torch`.
"""

import numpy as np
import torch
from torch import nn
from torch.nn import functional

PAD = 0
# Of a hypothesis that does not exist, and of a token that is not allowed.
NONE = -1e9


class PlainTranslation(nn.Module):
    """A bidirectional GRU that reads and one that writes, with attention by products
    after its recurrence, and with one embedding for reading, writing and the logits.

    Args:
        tokens: Number of tokens.
        units: Size of each layer, in each direction.
        embedding_size: Numbers for each token.
        dropout: Share that training sets to 0.
    """

    def __init__(self, tokens, units, embedding_size, dropout):
        super().__init__()
        self.embedding = nn.Embedding(tokens, embedding_size)
        self.encoder = nn.GRU(
            embedding_size, units, batch_first=True, bidirectional=True
        )
        self.bridge = nn.Linear(units, units)
        self.decoder = nn.GRU(embedding_size, units, batch_first=True)
        self.attention = nn.Linear(2 * units, units, bias=False)
        self.hidden = nn.Linear(3 * units + embedding_size, embedding_size)
        self.bias = nn.Parameter(torch.zeros(tokens))
        self.dropout = nn.Dropout(dropout)

    def encode(self, sources):
        """Memory, keys and bias of the attention, and the decoder's first state."""
        mask = sources != PAD
        embedded = self.dropout(self.embedding(sources))
        packed = nn.utils.rnn.pack_padded_sequence(
            embedded, mask.sum(1), batch_first=True, enforce_sorted=False
        )
        outputs, last = self.encoder(packed)
        outputs, _ = nn.utils.rnn.pad_packed_sequence(
            outputs, batch_first=True, total_length=sources.shape[1]
        )
        memory = self.dropout(outputs)
        bias = torch.where(mask, 0.0, NONE)[:, None]
        # The backward direction has just read the beginning.
        state = torch.tanh(self.bridge(last[1]))[None]
        return (memory, self.attention(memory), bias), state

    def read_out(self, outputs, embedded, attended):
        """Logits after states `(B, T, units)` of the decoder."""
        memory, keys, bias = attended
        weights = torch.softmax(torch.bmm(outputs, keys.mT) + bias, dim=-1)
        context = torch.bmm(weights, memory)
        joined = torch.cat([outputs, context, embedded], dim=-1)
        hidden = self.dropout(torch.tanh(self.hidden(joined)))
        return functional.linear(hidden, self.embedding.weight, self.bias)

    def forward(self, inputs):
        """Logits of the target with teacher forcing, of the inputs of a batch."""
        attended, state = self.encode(inputs["source"])
        embedded = self.dropout(self.embedding(inputs["target"]))
        outputs, _ = self.decoder(embedded, state)
        return self.read_out(outputs, embedded, attended)

    def step(self, read, state, attended):
        """Log-probabilities after tokens `(B, K)`, `(B * K, tokens)`; the state."""
        embedded = self.embedding(read)
        rows = embedded.reshape(-1, 1, embedded.shape[-1])
        outputs, state = self.decoder(rows, state)
        outputs = outputs.reshape(*read.shape, -1)
        logits = self.read_out(outputs, embedded, attended)
        return torch.log_softmax(logits, dim=-1).flatten(0, 1), state


class Trainer:
    """Adam with clipped gradients and smoothed targets.

    Args:
        model: The network.
        learning_rate: Of Adam.
        clip_norm: Largest norm of all gradients together.
        smoothing: Share of the probability that all tokens have.
    """

    def __init__(self, model, learning_rate, clip_norm, smoothing):
        self.model = model
        self.clip_norm, self.smoothing = clip_norm, smoothing
        # Keras' epsilon. Fused is the fastest of PyTorch's Adams.
        self.optimizer = torch.optim.Adam(
            model.parameters(), learning_rate, eps=1e-7, fused=True
        )

    def step(self, inputs, targets):
        """One step with the inputs and targets of a batch; returns the loss."""
        self.model.train()
        tensors = {name: torch.from_numpy(x).long() for name, x in inputs.items()}
        logits = self.model(tensors)
        loss = functional.cross_entropy(
            logits.flatten(0, 1),
            torch.from_numpy(targets).long().flatten(),
            ignore_index=PAD,
            label_smoothing=self.smoothing,
        )
        self.optimizer.zero_grad()
        loss.backward()
        nn.utils.clip_grad_norm_(self.model.parameters(), self.clip_norm)
        self.optimizer.step()
        return float(loss.detach())


@torch.inference_mode()
def beam_search(model, sources, max_length, start, end, size, penalty, banned):
    """The best text of each source, as `memnets.decoders.beam_search` defines it.

    Args:
        model: The network.
        sources: Tokens `(B, S)`.
        max_length: Most tokens of a text.
        start: The token that is read first.
        end: The token that ends a text.
        size: Hypotheses that are kept, K.
        penalty: Exponent of the length penalty.
        banned: Tokens that are never written.
    Returns:
        Tokens `(B, max_length)` and lengths `(B,)`.
    """
    model.eval()
    sources = torch.from_numpy(sources).long()
    attended, state = model.encode(sources)
    count = len(sources)
    state = state.repeat_interleave(size, dim=1)
    first_rows = size * torch.arange(count)[:, None]
    tokens = torch.full((count, size, max_length), end)
    alive = torch.full((count, size), NONE)
    alive[:, 0] = 0.0
    best = [tokens, torch.full((count, size), 2 * NONE), torch.zeros(count, size)]
    read = torch.full((count, size), start)
    for position in range(max_length):
        log_probs, state = model.step(read, state, attended)
        log_probs[:, banned] = NONE
        width = log_probs.shape[-1]
        totals = (alive[..., None] + log_probs.view(count, size, width)).flatten(1)
        values, index = totals.topk(2 * size)
        parents, chosen = index // width, index % width
        ends = chosen == end
        counted = ends & (torch.arange(2 * size) < size)
        scores = values / length_penalty(position + 1, penalty)
        ended = torch.take_along_dim(tokens, parents[..., None], 1)
        scores = torch.where(counted, scores, 2 * NONE)
        best = merged(best, [ended, scores, torch.full_like(scores, position + 1)])
        alive, places = values.masked_fill(ends, 2 * NONE).topk(size)
        parents, read = parents.gather(1, places), chosen.gather(1, places)
        tokens = torch.take_along_dim(tokens, parents[..., None], 1)
        tokens[..., position] = read
        state = state[:, (first_rows + parents).flatten()]
        bound = alive[:, 0] / length_penalty(max_length, penalty)
        if not (bound > best[1][:, 0]).any():
            break
    cut = alive / length_penalty(max_length, penalty)
    best = merged(best, [tokens, cut, torch.full_like(cut, max_length)])
    return best[0][:, 0].numpy(), best[2][:, 0].int().numpy()


def length_penalty(length, exponent):
    return ((5 + length) / 6) ** exponent


def merged(first, second):
    """The best of two lists of `[tokens, scores, lengths]`, as many as in the first."""
    tokens, scores, lengths = (
        torch.cat(pair, 1) for pair in zip(first, second, strict=True)
    )
    scores, places = scores.topk(first[1].shape[1])
    chosen = torch.take_along_dim(tokens, places[..., None], 1)
    return [chosen, scores, lengths.gather(1, places)]


def with_weights(arrays, dropout=0.0):
    """A plain network with the weights of one of memnets.

    Args:
        arrays: NumPy arrays by names, see `translation.weights_of`.
        dropout: Share that training sets to 0.
    """
    table = arrays["target_embedding/embeddings"]
    units = arrays["attention/kernel"].shape[1]
    model = PlainTranslation(*table.shape[:1], units, table.shape[1], dropout)
    pairs = [
        *_gru(model.encoder, arrays, "forward", ""),
        *_gru(model.encoder, arrays, "backward", "_reverse"),
        *_gru(model.decoder, arrays, "decoder", ""),
        (model.embedding.weight, table),
        (model.attention.weight, arrays["attention/kernel"].T),
        (model.bridge.weight, arrays["bridge/kernel"].T),
        (model.bridge.bias, arrays["bridge/bias"]),
        (model.hidden.weight, arrays["hidden/kernel"].T),
        (model.hidden.bias, arrays["hidden/bias"]),
        (model.bias, arrays["readout/bias"]),
    ]
    with torch.no_grad():
        for own, array in pairs:
            own.copy_(torch.from_numpy(array.copy()))
    return model


def _gru(layer, arrays, name, suffix):
    """The weights of a GRU, and those of Keras, whose gates are z, r, h, in PyTorch's
    order r, z, h."""
    for own, array in (
        ("weight_ih_l0", arrays[f"{name}/kernel"].T),
        ("weight_hh_l0", arrays[f"{name}/recurrent_kernel"].T),
        ("bias_ih_l0", arrays[f"{name}/bias"][0]),
        ("bias_hh_l0", arrays[f"{name}/bias"][1]),
    ):
        z, r, h = np.split(array, 3)
        yield getattr(layer, own + suffix), np.concatenate([r, z, h])
