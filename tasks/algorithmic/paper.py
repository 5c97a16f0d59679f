"""What Graves, Wayne, Danihelka (2014), arXiv:1410.5401, published on these tasks.

The curves are read off the figures, to a bit or two; the weights are of Tables 1 to 3.
"""

from ..contract.parts import Published

# The signatures of the tasks at the sizes of the paper.
COPY = "copy|bits:8|len:1-20|blank:0.05"
REPEAT = "repeat-copy|bits:8|len:1-10|repeats:1-10|scale:10|continue:0.25"
RECALL = "associative-recall|bits:6|item:3|items:2-6|similar:0.1"
NGRAMS = "dynamic-ngrams|context:5|bits:200"
SORT = "priority-sort|bits:8|vectors:20|outputs:16"

# By task and model: (training sequences, bits per sequence). Figures 3, 7, 10, 13, 18.
LEARNING: dict[str, dict[str, list[tuple[int, float]]]] = {
    COPY: {
        "ntm-feedforward": [(100_000, 0.1)],
        "ntm-lstm": [(100_000, 0.1)],
        "lstm": [(100_000, 4.8), (200_000, 2.1), (600_000, 0.5)],
    },
    REPEAT: {
        "ntm-feedforward": [(50_000, 45.0), (100_000, 5.0)],
        "ntm-lstm": [(50_000, 5.0)],
        "lstm": [(50_000, 105.0), (100_000, 20.0), (150_000, 5.0)],
    },
    RECALL: {
        "ntm-feedforward": [(30_000, 0.0)],
        "ntm-lstm": [(50_000, 11.0), (100_000, 0.5), (200_000, 0.0)],
        "lstm": [(100_000, 10.5), (1_000_000, 0.5)],
    },
    NGRAMS: {
        "ntm-feedforward": [(100_000, 134.0), (200_000, 134.0)],
        "ntm-lstm": [(200_000, 133.5)],
        "lstm": [(200_000, 136.0)],
    },
    SORT: {
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
    RECALL: {
        "ntm-feedforward": {"6": 0.0, "10": 0.0, "15": 1.5, "20": 8.0},
        "ntm-lstm": {"6": 0.0, "10": 1.8, "15": 4.8, "20": 7.0},
        "lstm": {"6": 2.0, "10": 36.5, "15": 40.0, "20": 38.5},
    },
}

# By task and model: how many weights the network had.
WEIGHTS: dict[str, dict[str, int]] = {
    COPY: {"ntm-feedforward": 17_162, "ntm-lstm": 67_561, "lstm": 1_352_969},
    REPEAT: {
        "ntm-feedforward": 16_712,
        "ntm-lstm": 66_111,
        "lstm": 5_312_007,
    },
    RECALL: {
        "ntm-feedforward": 146_845,
        "ntm-lstm": 70_330,
        "lstm": 1_344_518,
    },
    NGRAMS: {
        "ntm-feedforward": 14_656,
        "ntm-lstm": 61_749,
        "lstm": 331_905,
    },
    SORT: {
        "ntm-feedforward": 508_305,
        "ntm-lstm": 269_038,
        "lstm": 384_424,
    },
}


PUBLISHED = {
    signature: Published(
        source="Graves et al. (2014)",
        measure="bits_per_sequence",
        learning=learning,
        value="bits",
        sizes=SIZES.get(signature, {}),
        weights=WEIGHTS[signature],
    )
    for signature, learning in LEARNING.items()
}
