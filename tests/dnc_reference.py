"""The Differentiable Neural Computer in plain NumPy loops, written from the equations
of the papers. Nothing of the package is imported here.

One example at a time, no batch axis: memory `(N, W)`, weighting `(N,)`, usage `(N,)`,
links `(N, N)`. Several heads are a leading axis `(H, ...)`. All arithmetic is float64.

The package departs from the papers by two constants, which are arguments here: an
epsilon beside each squared norm of the cosine, and an epsilon beside each weighting
before it is sharpened.

Reference:
    Graves, Wayne, Reynolds et al. (2016), Hybrid Computing Using a Neural Network with
    Dynamic External Memory, Nature 538, Methods. Csordas, Schmidhuber (2019),
    arXiv:1904.10278.
"""

from typing import NamedTuple

import numpy as np
from reference import content_weighting, read, sharpen, sigmoid, softmax, softplus


class Epsilons(NamedTuple):
    norm: float
    sharpen: float


def oneplus(x):
    return 1.0 + softplus(x)


def retention(weightings, free_gates):
    kept = np.ones(len(weightings[0]))
    for weighting, gate in zip(weightings, free_gates, strict=True):
        for i in range(len(kept)):
            kept[i] *= 1.0 - gate * weighting[i]
    return kept


def update_usage(usage, weightings, kept):
    updated = np.zeros(len(usage))
    for i in range(len(usage)):
        untouched = 1.0
        for weighting in weightings:
            untouched *= 1.0 - weighting[i]
        written = 1.0 - untouched
        updated[i] = (usage[i] + written - usage[i] * written) * kept[i]
    return updated


def allocation_weighting(usage):
    allocation, product = np.zeros(len(usage)), 1.0
    for i in sorted(range(len(usage)), key=lambda i: (usage[i], i)):
        allocation[i] = (1.0 - usage[i]) * product
        product *= usage[i]
    return allocation


def allocate(usage, gates):
    """The allocation weighting of each head, in turn."""
    usage, weightings = np.array(usage, "float64"), []
    for gate in gates:
        weighting = allocation_weighting(usage)
        for i in range(len(usage)):
            usage[i] += (1.0 - usage[i]) * gate * weighting[i]
        weightings.append(weighting)
    return np.array(weightings)


def update_links(links, precedence, weighting):
    num_rows = len(weighting)
    updated = np.zeros((num_rows, num_rows))
    for i in range(num_rows):
        for j in range(num_rows):
            if i != j:
                kept = (1.0 - weighting[i] - weighting[j]) * links[i][j]
                updated[i, j] = kept + weighting[i] * precedence[j]
    return updated


def update_precedence(precedence, weighting):
    left = 1.0 - sum(weighting)
    return np.array([left * p + w for p, w in zip(precedence, weighting, strict=True)])


def follow_links(links, weighting):
    """`(backward, forward)`."""
    num_rows = len(weighting)
    backward, forward = np.zeros(num_rows), np.zeros(num_rows)
    for i in range(num_rows):
        for j in range(num_rows):
            backward[i] += links[j][i] * weighting[j]
            forward[i] += links[i][j] * weighting[j]
    return backward, forward


class Options(NamedTuple):
    """The sizes and options of a `DNCCell`."""

    num_read_heads: int
    num_write_heads: int
    word_size: int
    links: bool
    deallocate: bool
    mask_min: float | None
    sharpen_links: bool


def interface(raw, options):
    """Squashes one raw vector; a dictionary of lists over heads."""
    raw, width = list(np.asarray(raw, "float64")), options.word_size
    reads, writes = options.num_read_heads, options.num_write_heads

    def take(heads, size):
        return [np.array([raw.pop(0) for _ in range(size)]) for _ in range(heads)]

    def scalars(heads, squash):
        return [float(squash(x[0])) for x in take(heads, 1)]

    def masks(heads):
        low = options.mask_min
        return [low + (1.0 - low) * sigmoid(x) for x in take(heads, width)]

    parts = {
        "read_key": take(reads, width),
        "read_beta": scalars(reads, oneplus),
        "write_key": take(writes, width),
        "write_beta": scalars(writes, oneplus),
        "erase": [sigmoid(x) for x in take(writes, width)],
        "add": take(writes, width),
        "free_gate": scalars(reads, sigmoid),
        "allocation_gate": scalars(writes, sigmoid),
        "write_gate": scalars(writes, sigmoid),
    }
    if options.links:
        parts["mode"] = [softmax(x) for x in take(reads, 2 * writes + 1)]
    if options.mask_min is not None:
        parts["read_mask"], parts["write_mask"] = masks(reads), masks(writes)
    if options.sharpen_links:
        parts["gamma"] = [oneplus(x) for x in take(reads, 2 * writes)]
    if raw:
        raise ValueError(f"{len(raw)} raw values are left over")
    return parts


class DNCState(NamedTuple):
    """State of one DNC. `precedence` and `links` are empty without links."""

    controller: tuple
    reads: np.ndarray
    weightings: np.ndarray
    usage: np.ndarray
    memory: np.ndarray
    precedence: np.ndarray
    links: np.ndarray


def find(memory, parts, kind, head, epsilons):
    """The content weighting of a head."""
    key, beta = parts[f"{kind}_key"][head], parts[f"{kind}_beta"][head]
    if f"{kind}_mask" in parts:
        mask = parts[f"{kind}_mask"][head]
        key, memory = key * mask, np.array([row * mask for row in memory])
    return content_weighting(memory, key, beta, epsilons.norm)


def dnc_step(x, state, weights, control, options, epsilons):
    """One step for one example: `(output, state)`."""
    hidden, controller_state = control(
        np.concatenate([x, state.reads.ravel()]), state.controller, weights.controller
    )
    kernel, bias = weights.heads
    parts = interface(hidden @ kernel + bias, options)
    prev_reads = state.weightings[: options.num_read_heads]
    prev_writes = state.weightings[options.num_read_heads :]
    kept = retention(prev_reads, parts["free_gate"])
    usage = update_usage(state.usage, prev_writes, kept)
    gates = np.multiply(parts["write_gate"], parts["allocation_gate"])
    writes = []
    for h, free in enumerate(allocate(usage, gates)):
        share = parts["allocation_gate"][h]
        content = find(state.memory, parts, "write", h, epsilons)
        mixed = share * free + (1.0 - share) * content
        writes.append(parts["write_gate"][h] * mixed)
    memory = np.array(state.memory)
    if options.deallocate:
        memory = kept[:, None] * memory
    for weighting, erase in zip(writes, parts["erase"], strict=True):
        memory = memory * (1.0 - np.outer(weighting, erase))
    for weighting, add in zip(writes, parts["add"], strict=True):
        memory = memory + np.outer(weighting, add)
    precedence, links = state.precedence, state.links
    if options.links:
        before = list(zip(links, precedence, writes, strict=True))
        links = [update_links(*each) for each in before]
        precedence = [update_precedence(*each) for _, *each in before]
    readings = [
        read_weighting(r, memory, links, prev_reads[r], parts, options, epsilons)
        for r in range(options.num_read_heads)
    ]
    reads = np.array([read(memory, weighting) for weighting in readings])
    kernel, bias = weights.projection
    output = np.concatenate([hidden, reads.ravel()]) @ kernel + bias
    return output, DNCState(
        controller_state,
        reads,
        np.array([*readings, *writes]),
        usage,
        memory,
        np.array(precedence),
        np.array(links),
    )


def read_weighting(head, memory, links, prev_weighting, parts, options, epsilons):
    content = find(memory, parts, "read", head, epsilons)
    if not options.links:
        return content
    moved = [follow_links(each, prev_weighting) for each in links]
    ways = [backward for backward, _ in moved] + [forward for _, forward in moved]
    if options.sharpen_links:
        ways = [
            sharpen(way, gamma, epsilons.sharpen)
            for way, gamma in zip(ways, parts["gamma"][head], strict=True)
        ]
    ways.insert(len(links), content)
    shares = zip(parts["mode"][head], ways, strict=True)
    return sum(share * way for share, way in shares)


def dnc_run(sequence, state, *arguments):
    """Runs `dnc_step` over a sequence `(T, features)`: outputs `(T, units)` and the
    list of states."""
    outputs, states = [], []
    for x in sequence:
        output, state = dnc_step(x, state, *arguments)
        outputs.append(output)
        states.append(state)
    return np.array(outputs), states
