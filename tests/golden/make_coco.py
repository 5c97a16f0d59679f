"""Scores captions with pycocoevalcap (PyPI, version 1.2; needs Java).

    python tests/golden/make_coco.py

Writes `coco.json`: the segments of `meteor_jar.jsonl` with several references as images
with captions, and the numbers of pycocoevalcap for all and for the first half of them.
METEOR reads `paraphrases.txt` in place of its own large table. This library is not
used.
"""

import gzip
import json
import pathlib
import shutil
import tempfile

import pycocoevalcap.meteor.meteor as coco_meteor
from pycocoevalcap.bleu.bleu import Bleu
from pycocoevalcap.cider.cider import Cider
from pycocoevalcap.rouge.rouge import Rouge
from pycocoevalcap.tokenizer.ptbtokenizer import PTBTokenizer

HERE = pathlib.Path(__file__).parent


def main():
    lines = (HERE / "meteor_jar.jsonl").read_text(encoding="utf-8").splitlines()
    entries = [json.loads(line) for line in lines]
    chosen = [e for e in entries if "hypothesis" in e and len(e["references"]) > 1]
    annotations = [
        {"image_id": image, "caption": caption}
        for image, entry in enumerate(chosen)
        for caption in entry["references"]
    ]
    results = [
        {"image_id": image, "caption": entry["hypothesis"]}
        for image, entry in enumerate(chosen)
    ]
    half = len(results) // 2
    written = {
        "annotations": annotations,
        "results": results,
        "scores": {
            str(n): score(annotations, results[:n]) for n in (len(results), half)
        },
    }
    text = json.dumps(written, ensure_ascii=False, indent=0)
    (HERE / "coco.json").write_text(text + "\n", encoding="utf-8", newline="\n")


def score(annotations, results):
    """The seven numbers, from the images of the results."""
    images = [one["image_id"] for one in results]
    captions = {
        image: [one for one in annotations if one["image_id"] == image]
        for image in images
    }
    tokenizer = PTBTokenizer()
    references = tokenizer.tokenize(captions)
    hypotheses = tokenizer.tokenize({one["image_id"]: [one] for one in results})
    bleu, _ = Bleu(4).compute_score(references, hypotheses, verbose=0)
    found = {f"Bleu_{n}": value for n, value in enumerate(bleu, start=1)}
    found["METEOR"] = meteor(references, hypotheses)
    found["ROUGE_L"] = float(Rouge().compute_score(references, hypotheses)[0])
    found["CIDEr"] = float(Cider().compute_score(references, hypotheses)[0])
    return found


def meteor(references, hypotheses):
    """METEOR with the small table, in a copy of the folder of the program."""
    original = pathlib.Path(coco_meteor.__file__).parent
    with tempfile.TemporaryDirectory() as folder:
        place = pathlib.Path(folder)
        shutil.copyfile(
            original / coco_meteor.METEOR_JAR, place / coco_meteor.METEOR_JAR
        )
        (place / "data").mkdir()
        table = (HERE / "paraphrases.txt").read_bytes()
        (place / "data" / "paraphrase-en.gz").write_bytes(gzip.compress(table))
        coco_meteor.__file__ = str(place / "meteor.py")
        try:
            return coco_meteor.Meteor().compute_score(references, hypotheses)[0]
        finally:
            coco_meteor.__file__ = str(original / "meteor.py")


if __name__ == "__main__":
    main()
