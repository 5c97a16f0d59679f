"""Score two systems and test whether the difference is more than chance.

    python examples/paired_test.py --resamples 1000
    python examples/paired_test.py references.txt system-a.txt system-b.txt

Files have one segment a line. Without files, a few sentences are scored. The same on
the command line:

    memnets score system-a.txt references.txt --metrics bleu --paired system-b.txt
"""

import argparse
import pathlib

from memnets import metrics

REFERENCES = ["A dog runs on the beach.", "Two kids play with a red ball."] * 20
SYSTEM_A = ["A dog is running on a beach.", "Two kids play with the red ball."] * 20
SYSTEM_B = ["The dog runs at the beach.", "Two children are playing ball."] * 20


def read(path):
    return pathlib.Path(path).read_text(encoding="utf-8").splitlines()


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("files", nargs="*", metavar="REFERENCES SYSTEM_A SYSTEM_B")
    parser.add_argument("--resamples", type=int, default=1000)
    arguments = parser.parse_args()
    texts = [read(path) for path in arguments.files] or [REFERENCES, SYSTEM_A, SYSTEM_B]
    lines, system_a, system_b = texts
    references = [[line] for line in lines]  # a list of references for each segment

    for metric in (metrics.BLEU(), metrics.METEOR(), metrics.CHRF()):
        for name, system in (("a", system_a), ("b", system_b)):
            score = metric.corpus_score(
                references=references, hypotheses=system, confidence=0.95
            )
            low, high = score.interval.low, score.interval.high
            print(f"{metric.name:8} {name}  {score.value:.4f}  {low:.4f} to {high:.4f}")
        test = metrics.paired_bootstrap(
            metric, references, system_a, system_b, trials=arguments.resamples
        )
        print(f"{'':8} a - b  {test.difference:+.4f}, p = {test.p_value:.4f}")
        print(f"{'':8} {test.score.signature}")
