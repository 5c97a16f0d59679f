"""What Graves, Wayne, Danihelka (2014), arXiv:1410.5401, published on these tasks.

The curves are read off the figures, to a bit or two; the weights are of Tables 1 to 3.
"""

from ..contract.published import Published
from ..contract.task import Task

# By task and model: (training sequences, bits per sequence). Figures 3, 7, 10, 13, 18.
LEARNING: dict[str, dict[str, list[tuple[int, float]]]] = {
    "copy": {
        "ntm-feedforward": [(100_000, 0.1)],
        "ntm-lstm": [(100_000, 0.1)],
        "lstm": [(100_000, 4.8), (200_000, 2.1), (600_000, 0.5)],
    },
    "repeat-copy": {
        "ntm-feedforward": [(50_000, 45.0), (100_000, 5.0)],
        "ntm-lstm": [(50_000, 5.0)],
        "lstm": [(50_000, 105.0), (100_000, 20.0), (150_000, 5.0)],
    },
    "associative-recall": {
        "ntm-feedforward": [(30_000, 0.0)],
        "ntm-lstm": [(50_000, 11.0), (100_000, 0.5), (200_000, 0.0)],
        "lstm": [(100_000, 10.5), (1_000_000, 0.5)],
    },
    "dynamic-ngrams": {
        "ntm-feedforward": [(100_000, 134.0), (200_000, 134.0)],
        "ntm-lstm": [(200_000, 133.5)],
        "lstm": [(200_000, 136.0)],
    },
    "priority-sort": {
        "ntm-feedforward": [
            (200_000, 40.0),
            (400_000, 30.0),
            (600_000, 25.0),
            (1_000_000, 20.0),
        ],
        "ntm-lstm": [
            (200_000, 35.0),
            (400_000, 25.0),
            (600_000, 20.0),
            (1_000_000, 18.0),
        ],
        "lstm": [
            (200_000, 90.0),
            (400_000, 70.0),
            (600_000, 65.0),
            (1_000_000, 58.0),
        ],
    },
}

# By task, model and size of the sequences: bits per sequence. Figure 11.
SIZES: dict[str, dict[str, dict[str, float]]] = {
    "associative-recall": {
        "ntm-feedforward": {"6": 0.0, "10": 0.0, "15": 1.5, "20": 8.0},
        "ntm-lstm": {"6": 0.0, "10": 1.8, "15": 4.8, "20": 7.0},
        "lstm": {"6": 2.0, "10": 36.5, "15": 40.0, "20": 38.5},
    },
}

# By task and model: how many weights the network had.
WEIGHTS: dict[str, dict[str, int]] = {
    "copy": {"ntm-feedforward": 17_162, "ntm-lstm": 67_561, "lstm": 1_352_969},
    "repeat-copy": {
        "ntm-feedforward": 16_712,
        "ntm-lstm": 66_111,
        "lstm": 5_312_007,
    },
    "associative-recall": {
        "ntm-feedforward": 146_845,
        "ntm-lstm": 70_330,
        "lstm": 1_344_518,
    },
    "dynamic-ngrams": {
        "ntm-feedforward": 14_656,
        "ntm-lstm": 61_749,
        "lstm": 331_905,
    },
    "priority-sort": {
        "ntm-feedforward": 508_305,
        "ntm-lstm": 269_038,
        "lstm": 384_424,
    },
}


def published(task: Task) -> Published | None:
    """What the paper has for a task; None if the task or its size is not the paper's.

    Args:
        task: Any task.
    """
    if task.name not in LEARNING or task != type(task)():
        return None
    return Published(
        source="Graves et al. (2014)",
        measure="bits_per_sequence",
        learning=LEARNING[task.name],
        value="bits",
        sizes=SIZES.get(task.name, {}),
        weights=WEIGHTS[task.name],
    )
