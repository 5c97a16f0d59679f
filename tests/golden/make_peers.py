"""Scores drawn texts with programs of other people (PyPI; the last needs Java).

    pip install rouge-score==0.1.2 bleuscore==0.2.0 pycocoevalcap==1.2
    python tests/golden/make_peers.py

Writes `peers.json`: texts, and what these programs give for them. bleuscore prints the
numbers of Hugging Face's `bleu`. This library is not used.
"""

import json
import pathlib
import random

import bleuscore
from pycocoevalcap.bleu.bleu import Bleu
from pycocoevalcap.rouge.rouge import Rouge
from pycocoevalcap.tokenizer.ptbtokenizer import PTBTokenizer
from rouge_score.rouge_scorer import RougeScorer

HERE = pathlib.Path(__file__).parent
WORDS = (
    "the cat sat on a mat dogs bark loudly at night it rained running runs Cats 3 "
    "café x-ray don't"
).split()
# PTBTokenizer makes one token of some of these, with a no-break space inside.
PHRASES = (
    *("1 1/2", "2 1/2", "12\u00a03/4", "(555) 555-1234", "(555)\u00a0555-1234"),
    *("a cup of milk", "a dog", "No. 5", "in the U.S.", "B. Smith", "1 dog"),
)


def main():
    rng = random.Random(59)
    written = {
        "rougeLsum": [summary(rng, number % 2 == 0) for number in range(150)],
        "smooth": [smooth(rng) for _ in range(100)],
        "captions": captions(rng),
        "phrases": phrases(rng),
    }
    text = json.dumps(written, ensure_ascii=False, indent=0)
    (HERE / "peers.json").write_text(text + "\n", encoding="utf-8", newline="\n")


def sentence(rng, shortest, longest, words=WORDS):
    return " ".join(rng.choices(words, k=rng.randint(shortest, longest)))


def summary(rng, stem):
    words = WORDS if rng.random() < 0.6 else WORDS[:4]

    def text():
        return "\n".join(sentence(rng, 0, 9, words) for _ in range(rng.randint(0, 5)))

    references, hypothesis = [text() for _ in range(rng.randint(1, 3))], text()
    scorer = RougeScorer(["rougeLsum"], use_stemmer=stem)
    score = scorer.score_multi(references, hypothesis)["rougeLsum"]
    return {
        "stem": stem,
        "references": references,
        "hypothesis": hypothesis,
        "score": [score.precision, score.recall, score.fmeasure],
    }


def smooth(rng):
    size, order = rng.randint(1, 4), rng.randint(1, 5)
    references = [[sentence(rng, 1, 7, WORDS[:6])] for _ in range(size)]
    hypotheses = [sentence(rng, 1, 7, WORDS[:6]) for _ in range(size)]
    found = bleuscore.compute(references, hypotheses, max_order=order, smooth=True)
    return {
        "references": references,
        "hypotheses": hypotheses,
        "max_order": order,
        "score": found["bleu"],
    }


def captions(rng):
    """Short ones: for many, an order has no n-grams or no matches."""
    cases = []
    for _ in range(60):
        size = rng.randint(1, 4)
        references = [
            [sentence(rng, 0, 6, WORDS[:6]) for _ in range(rng.randint(1, 3))]
            for _ in range(size)
        ]
        hypotheses = [sentence(rng, 0, 6, WORDS[:6]) for _ in range(size)]
        corpus, segments = Bleu(4).compute_score(
            dict(enumerate(references)),
            {number: [text] for number, text in enumerate(hypotheses)},
            verbose=0,
        )
        cases.append(
            {
                "references": references,
                "hypotheses": hypotheses,
                "Bleu_1 to Bleu_4": corpus,
                "of segments": segments,
            }
        )
    return cases


def phrases(rng):
    references = {
        image: [
            {"caption": sentence(rng, 1, 4, PHRASES)} for _ in range(rng.randint(1, 3))
        ]
        for image in range(80)
    }
    hypotheses = {
        image: [{"caption": sentence(rng, 1, 4, PHRASES)}] for image in range(80)
    }
    tokenizer = PTBTokenizer()
    _, scores = Rouge().compute_score(
        tokenizer.tokenize(references), tokenizer.tokenize(hypotheses)
    )
    return [
        {
            "references": [one["caption"] for one in references[image]],
            "hypothesis": hypotheses[image][0]["caption"],
            "ROUGE_L": float(score),
        }
        for image, score in enumerate(scores)
    ]


if __name__ == "__main__":
    main()
