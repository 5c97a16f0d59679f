"""The table of docs/metrics.md: each setting gives the number of the program it names.

The numbers of programs that are no Python packages here lie in tests/golden, with the
scripts that made them.
"""

import json
import pathlib
import re

import pytest
from nltk.translate import bleu_score, meteor_score

import metrics
from metrics.tokenizers.mecab import DICTIONARIES

ROOT = pathlib.Path(__file__).parents[2]
GOLDEN = ROOT / "tests" / "golden"
TABLE = GOLDEN / "paraphrases.txt"


def read(name):
    return json.loads((GOLDEN / name).read_text(encoding="utf-8"))


def read_lines(name):
    lines = (GOLDEN / name).read_text(encoding="utf-8").splitlines()
    return [json.loads(line) for line in lines]


def documented():
    """The rows of the table: what was published, and the call that gives it."""
    text = (ROOT / "docs" / "metrics.md").read_text(encoding="utf-8")
    table = text.split("| published number | setting |\n| --- | --- |\n")[1]
    rows = {}
    for line in table.split("\n\n")[0].splitlines():
        published, setting = line.strip("| ").split(" | ")
        rows[published] = re.match(r"`([^`]+)`", setting)[1]
    return rows


ROWS = documented()
PUBLISHED = read("published.json")
PEERS = read("peers.json")


def make(call, **other):
    """What a documented call makes; its table of paraphrases is a small one."""
    call = call.replace('"paraphrase-en.gz"', "TABLE")
    for name, value in other.items():
        call = re.sub(rf"{name}=[^,)]+", f"{name}={value!r}", call)
    return eval(f"metrics.{call}", {"metrics": metrics, "TABLE": str(TABLE)})


def scores_as(name, digits=1e-12):
    """Checks against a number of published.json."""

    def check(call):
        texts = PUBLISHED["references"], PUBLISHED["hypotheses"]
        found = make(call).corpus_score(*texts).value
        assert found == pytest.approx(PUBLISHED["scores"][name], rel=0, abs=digits)

    return check


def tokens():
    references = [[t.split() for t in texts] for texts in PUBLISHED["references"]]
    return references, [text.split() for text in PUBLISHED["hypotheses"]]


def nltk_corpus(call):
    references, hypotheses = tokens()
    # NLTK counts an n-gram for each text that is too short to have one.
    long = [n for n, words in enumerate(hypotheses) if len(words) >= 4]
    references = [references[n] for n in long]
    hypotheses = [hypotheses[n] for n in long]
    expected = bleu_score.corpus_bleu(references, hypotheses)
    found = make(call).corpus_score(references, hypotheses).value
    assert found == pytest.approx(expected, abs=1e-12)


def nltk_smoothing(call):
    reference = ["the", "quick", "brown", "fox", "ran", "over", "a", "small", "dog"]
    hypothesis = ["the", "quick", "red", "fox", "ran", "over", "a", "dog", "today"]
    methods = bleu_score.SmoothingFunction()
    for number in range(1, 8):
        metric = make(call, smoothing=f"method{number}")
        expected = bleu_score.sentence_bleu(
            [reference],
            hypothesis,
            smoothing_function=getattr(methods, f"method{number}"),
        )
        found = metric.sentence_score([reference], hypothesis).value
        assert found == pytest.approx(expected, abs=1e-12)


def nltk_meteor(call):
    """Of words and stems: the WordNet that NLTK would download is not here."""
    pairs = [("the child ran home", "home the kid runs"), ("a car", "small a car")]
    metric = make(call.replace(")", ', stages=["exact", "stem"])'))
    for reference, hypothesis in pairs:
        expected = meteor_score.single_meteor_score(
            reference.split(), hypothesis.split(), wordnet=_NoWordNet()
        )
        found = metric.sentence_score([reference.split()], hypothesis.split()).value
        assert found == pytest.approx(expected, abs=1e-12)


class _NoWordNet:
    """A WordNet without a synset."""

    def synsets(self, word):
        return []


def constants_of_2005(call):
    """Six equal words in two chunks: F is 1, the penalty 0.5 (2 / 6)^3."""
    found = make(call).sentence_score(["a b c d e f"], "d e f a b c").value
    assert found == pytest.approx(1 - 0.5 * (2 / 6) ** 3, abs=1e-12)
    other = make(call, alpha=0.5, beta=1, gamma=0.3)
    # P = 3 / 4, R = 3 / 5, F = 2 / (4 / 3 + 5 / 3), one chunk of three matches.
    found = other.sentence_score(["a b c d e"], "a b c x").value
    assert found == pytest.approx(2 / 3 * (1 - 0.3 / 3), abs=1e-12)


def coco(name):
    """Checks against a number of pycocoevalcap."""
    data = read("coco.json")

    def check(call):
        assert coco_value(data, make(call)) == pytest.approx(
            data["scores"]["15"][name], rel=0, abs=1e-9
        )

    return check


def coco_value(data, metric):
    hypotheses = [one["caption"] for one in data["results"]]
    references = [
        [a["caption"] for a in data["annotations"] if a["image_id"] == one["image_id"]]
        for one in data["results"]
    ]
    return metric.corpus_score(references, hypotheses).value


def coco_bleu(call):
    data = read("coco.json")
    for order in (1, 2, 3, 4):
        expected = data["scores"]["15"][f"Bleu_{order}"]
        found = coco_value(data, make(call, max_order=order))
        assert found == pytest.approx(expected, rel=0, abs=1e-9)


def coco_row(call):
    data = read("coco.json")
    found = {name: coco_value(data, metric) for name, metric in make(call).items()}
    assert found == pytest.approx(data["scores"]["15"], rel=0, abs=1e-9)


def meteor_program(options):
    """Checks against the scores of meteor-1.5.jar of segments with one reference."""
    entries = read_lines("meteor_jar.jsonl")
    [run] = [e for e in entries if e.get("options") == options and e["references"] == 1]
    segments = [e for e in entries if "hypothesis" in e and len(e["references"]) == 1]

    def check(call):
        scores = make(call).sentence_scores(
            [segment["references"] for segment in segments],
            [segment["hypothesis"] for segment in segments],
        )
        found = [score.value for score in scores]
        assert found == pytest.approx(run["scores"], rel=0, abs=1e-9)

    return check


def meteor_languages(call):
    runs = [e for e in read_lines("meteor_languages.jsonl") if "segments" in e]
    languages = [run["options"].split()[1] for run in runs]
    assert sorted(languages) == ["cz", "de", "es", "fr", "ru"]
    for run in runs:
        language = run["options"].split()[1]
        score = make(call, language=language).corpus_score(
            [segment["references"] for segment in run["segments"]],
            [segment["hypothesis"] for segment in run["segments"]],
        )
        assert score.value == pytest.approx(run["corpus"], rel=0, abs=1e-9)


def mecab(name):
    """Checks that only the tokens differ from BLEU of tokens; what they are is tested
    with the tokenizer."""

    def check(call):
        pytest.importorskip(DICTIONARIES[name].library)
        pytest.importorskip(DICTIONARIES[name].package)
        assert f"|tok:{name}-" in make(call).signature()

    return check


def flores(call, tmp_path, monkeypatch):
    """The model is not here: the tokenizer says so, and is tested with another."""
    with pytest.raises(ValueError, match="'flores101' needs its model as"):
        monkeypatch.setenv("SACREBLEU", str(tmp_path))
        make(call)


def google_rouge(call):
    scores_as("rouge1")(call)
    scores_as("rouge2")(call.replace("1", "2"))


def google_summaries(call):
    stemmed = call.replace(")", "stem=True)")
    for case in PEERS["rougeLsum"]:
        metric = make(stemmed if case["stem"] else call)
        found = metric.sentence_score(case["references"], case["hypothesis"]).value
        assert found == pytest.approx(case["score"][2], rel=0, abs=1e-12)


def smooth(call):
    for case in PEERS["smooth"]:
        metric = make(call.replace("(", f"(max_order={case['max_order']}, "))
        found = metric.corpus_score(case["references"], case["hypotheses"]).value
        assert found == pytest.approx(case["score"], rel=0, abs=1e-12)


def multi_bleu(call):
    # It prints two digits, of percent.
    scores_as("multi-bleu", 0.5e-4)(call)
    lower = call.replace(")", ", lowercase=True)")
    scores_as("multi-bleu -lc", 0.5e-4)(lower)


CHECKS = {
    "sacreBLEU, mteval-v13a (WMT)": scores_as("BLEU 13a"),
    "sacreBLEU `-tok intl`": scores_as("BLEU intl"),
    "sacreBLEU `-tok char`": scores_as("BLEU char"),
    "sacreBLEU into Chinese (`-l en-zh`)": scores_as("BLEU zh"),
    "sacreBLEU into Japanese (`-l en-ja`)": mecab("ja-mecab"),
    "sacreBLEU into Korean (`-l en-ko`)": mecab("ko-mecab"),
    "spBLEU of FLORES-101": flores,
    "sacreBLEU of tokenised text (`-tok none`)": scores_as("BLEU none"),
    "multi-bleu.perl": multi_bleu,
    "sacreBLEU chrF": scores_as("chrF"),
    "sacreBLEU chrF++ (`--chrf-word-order 2`)": scores_as("chrF++"),
    "sacreBLEU TER": scores_as("TER"),
    "NLTK `corpus_bleu` of texts of four words or more": nltk_corpus,
    "NLTK `sentence_bleu`, smoothing method 1 (likewise 2 to 7)": nltk_smoothing,
    "Hugging Face `bleu` and tensorflow/nmt with `smooth=True`, one reference": smooth,
    "COCO captions BLEU-1 (likewise 2 to 4)": coco_bleu,
    "COCO captions METEOR (pycocoevalcap)": coco("METEOR"),
    "COCO captions ROUGE-L": coco("ROUGE_L"),
    "COCO captions CIDEr": coco("CIDEr"),
    "COCO captions, the whole row": coco_row,
    "CIDEr of its authors' code (no stems, times 10)": scores_as("CIDEr"),
    'METEOR 1.5 (`meteor-1.5.jar -l en -norm -m "exact stem synonym"`)': (
        meteor_program("-l en -norm -m 'exact stem synonym'")
    ),
    "METEOR 1.5 with paraphrases (`-l en -norm`)": meteor_program(
        "-l en -norm -a paraphrases"
    ),
    'METEOR 1.5 in German (`-l de -norm -m "exact stem"`), likewise cz, es, fr, ru': (
        meteor_languages
    ),
    "NLTK `meteor_score`, HF evaluate's `meteor` (before its tokenizer)": nltk_meteor,
    "METEOR of papers that print alpha, beta and gamma": constants_of_2005,
    "ROUGE-L of Google's rouge-score": scores_as("rougeL"),
    "ROUGE-Lsum of Google's rouge-score": google_summaries,
    "ROUGE-1 of Google's rouge-score, likewise 2": google_rouge,
}


def test_every_row_of_the_table_is_checked():
    assert list(ROWS) == list(CHECKS)


@pytest.mark.parametrize("published", CHECKS)
def test_the_setting_gives_the_number_of_the_program(published, request):
    check = CHECKS[published]
    names = check.__code__.co_varnames[1 : check.__code__.co_argcount]
    check(ROWS[published], *map(request.getfixturevalue, names))
