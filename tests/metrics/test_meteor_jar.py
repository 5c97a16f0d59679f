"""METEOR with preset "1.5" against scores of the program METEOR 1.5 itself.

The numbers were printed by the program; tests/golden/README.md says how.
"""

import functools
import json
import pathlib
import shlex

import pytest

from metrics.meteor.meteor import METEOR

GOLDEN = pathlib.Path(__file__).parents[1] / "golden"
TABLE = GOLDEN / "paraphrases.txt"
ENTRIES = [
    json.loads(line)
    for line in (GOLDEN / "meteor_jar.jsonl").read_text(encoding="utf-8").splitlines()
]
SEGMENTS = [entry for entry in ENTRIES if "hypothesis" in entry]
RUNS = [entry for entry in ENTRIES if "options" in entry]
FLAGS = {
    "-norm": {"tokenizer": "meteor", "lowercase": True},
    "-lower": {"lowercase": True},
    "-noPunct": {"punctuation": False},
    "-ch": {"characters": True},
}
VALUES = {
    "-l": lambda value: {"language": value},
    "-t": lambda value: {"task": value},
    "-x": lambda value: {"beam": int(value)},
    "-m": lambda value: {"stages": value.split()},
    "-w": lambda value: {"weights": list(map(float, value.split()))},
    "-a": lambda value: {"paraphrases": TABLE},
    "-p": lambda value: dict(
        zip(("alpha", "beta", "gamma", "delta"), map(float, value.split()), strict=True)
    ),
}


@functools.cache
def metric_of(options):
    """The metric that a command line of the program asks for."""
    arguments = {"tokenizer": "none", "lowercase": False}
    words = iter(shlex.split(options))
    for word in words:
        arguments |= FLAGS[word] if word in FLAGS else VALUES[word](next(words))
    return METEOR("1.5", **arguments)


def segments_of(run):
    own = [one for one in SEGMENTS if len(one["references"]) == run["references"]]
    return [one["references"] for one in own], [one["hypothesis"] for one in own]


def name(run):
    return f"{run['references']} {run['options']}"


@pytest.mark.parametrize("run", RUNS, ids=name)
def test_segment_scores_and_corpus_score_are_those_of_the_program(run):
    metric = metric_of(run["options"])
    references, hypotheses = segments_of(run)
    rows = metric.corpus_statistics(references, hypotheses)
    differing = [
        (hypothesis, own, value, expected)
        for hypothesis, own, value, expected in zip(
            hypotheses, references, metric.values_from(rows), run["scores"], strict=True
        )
        if abs(value - expected) > 1e-9
    ]
    assert differing == []
    assert metric.score_rows(rows).value == pytest.approx(run["corpus"], abs=1e-9)


@pytest.mark.parametrize("run", [r for r in RUNS if "alignments" in r], ids=name)
def test_alignments_are_those_of_the_program(run):
    metric = metric_of(run["options"])
    references, hypotheses = segments_of(run)
    for own, hypothesis, expected in zip(
        references, hypotheses, run["alignments"], strict=True
    ):
        matches = metric.align(own[0], hypothesis).matches
        assert list(map(list, matches)) == expected, (own, hypothesis)
