"""Scores the captions of `coco.json` with the programs of published numbers.

    python tests/golden/make_published.py multi-bleu.perl cider_scorer.py

The first is Moses's `scripts/generic/multi-bleu.perl`, the second is
`pyciderevalcap/cider/cider_scorer.py` of the authors of CIDEr, for Python 3. sacreBLEU
2.6 and rouge-score 0.1.2 are from PyPI. Writes `published.json`: the texts, and a
number for each program and its settings. This library is not used.
"""

import importlib.util
import json
import pathlib
import re
import subprocess
import sys
import tempfile

import sacrebleu
from rouge_score.rouge_scorer import RougeScorer

HERE = pathlib.Path(__file__).parent
TOKENIZERS = ("13a", "intl", "char", "zh", "none")


def main(multi_bleu, cider_scorer):
    coco = json.loads((HERE / "coco.json").read_text(encoding="utf-8"))
    hypotheses = [one["caption"] for one in coco["results"]]
    references = [
        [a["caption"] for a in coco["annotations"] if a["image_id"] == one["image_id"]]
        for one in coco["results"]
    ]
    count = min(map(len, references))
    references = [texts[:count] for texts in references]
    written = {
        "hypotheses": hypotheses,
        "references": references,
        "scores": {
            **sacrebleu_scores(hypotheses, references),
            "multi-bleu": perl_bleu([multi_bleu], hypotheses, references),
            "multi-bleu -lc": perl_bleu([multi_bleu, "-lc"], hypotheses, references),
            "CIDEr": cider(cider_scorer, hypotheses, references),
            "rougeL": rouge("rougeL", hypotheses, references),
            "rouge1": rouge("rouge1", hypotheses, references),
            "rouge2": rouge("rouge2", hypotheses, references),
        },
    }
    text = json.dumps(written, ensure_ascii=False, indent=0)
    (HERE / "published.json").write_text(text + "\n", encoding="utf-8", newline="\n")


def sacrebleu_scores(hypotheses, references):
    columns = list(map(list, zip(*references, strict=True)))
    peers = {f"BLEU {name}": sacrebleu.BLEU(tokenize=name) for name in TOKENIZERS}
    peers["chrF"] = sacrebleu.CHRF()
    peers["chrF++"] = sacrebleu.CHRF(word_order=2)
    peers["TER"] = sacrebleu.TER()
    return {
        name: peer.corpus_score(hypotheses, columns).score / 100
        for name, peer in peers.items()
    }


def perl_bleu(command, hypotheses, references):
    with tempfile.TemporaryDirectory() as folder:
        for number, texts in enumerate(zip(*references, strict=True)):
            path = pathlib.Path(folder, f"ref{number}")
            path.write_text("\n".join(texts) + "\n", encoding="utf-8")
        printed = subprocess.run(
            ["perl", *command, f"{folder}/ref"],
            input="\n".join(hypotheses) + "\n",
            capture_output=True,
            check=True,
            text=True,
        ).stdout
    return float(re.match(r"BLEU = ([\d.]+),", printed)[1]) / 100


def cider(path, hypotheses, references):
    spec = importlib.util.spec_from_file_location("cider_scorer", path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    scorer = module.CiderScorer()
    for hypothesis, texts in zip(hypotheses, references, strict=True):
        scorer += (hypothesis, texts)
    return float(scorer.compute_score("corpus")[0])


def rouge(kind, hypotheses, references):
    scorer = RougeScorer([kind])
    scores = [
        scorer.score_multi(texts, hypothesis)[kind].fmeasure
        for hypothesis, texts in zip(hypotheses, references, strict=True)
    ]
    return sum(scores) / len(scores)


if __name__ == "__main__":
    main(*sys.argv[1:])
