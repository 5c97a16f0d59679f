"""The signature of a score: all that is needed to compute the same number again."""

import inspect
import pathlib
import re
from typing import Any, NamedTuple

import pytest
from conformance.metric_descriptors import (
    METRICS,
    TEXT_METRICS,
    public_metric_classes,
    score_of_mixed,
)

import metrics.signatures
from metrics import BLEU, METEOR
from metrics.chrf.chrf import CHRF
from metrics.cider.cider import CIDEr, CIDErD
from metrics.edits.error_rate import CER, WER
from metrics.edits.exact_match import ExactMatch
from metrics.edits.ter.ter import TER
from metrics.rouge import ROUGEL, ROUGEN, ROUGELsum
from tasks.cli import score as score_command

pytestmark = pytest.mark.once

EACH = pytest.mark.parametrize(
    "descriptor", [pytest.param(row, id=row.name) for row in METRICS]
)
EACH_OF_TEXT = pytest.mark.parametrize(
    "descriptor", [pytest.param(row, id=row.name) for row in TEXT_METRICS]
)


class Change(NamedTuple):
    """A change of constructor arguments that changes what a metric computes."""

    metric_class: type
    changed: dict[str, Any]
    before: dict[str, Any] = {}


_FREQUENCY = {("a",): 1}

# At least one for each argument of each public class. METEOR's `paraphrases`, a file,
# has a test of its own.
CHANGES = [
    Change(BLEU, {"max_order": 3}),
    Change(BLEU, {"weights": (0.4, 0.3, 0.2, 0.1)}),
    Change(BLEU, {"weights": (1, 1, 1, 1)}),
    Change(BLEU, {"tokenizer": "none"}),
    Change(BLEU, {"tokenizer": str.split}),
    Change(BLEU, {"smoothing": "none"}),
    Change(BLEU, {"smoothing": "laplace"}),
    Change(BLEU, {"smoothing": "coco"}),
    Change(BLEU, {"smoothing_value": 0.2}, {"smoothing": "floor"}),
    Change(BLEU, {"smoothing_value": 2}, {"smoothing": "add-k"}),
    Change(BLEU, {"effective_order": True}),
    Change(BLEU, {"lowercase": True}),
    Change(BLEU, {"reference_length": "average"}),
    Change(BLEU, {"reference_length": "shortest"}),
    Change(METEOR, {"preset": "1.5"}),
    Change(METEOR, {"language": "de"}, {"preset": "1.5"}),
    Change(METEOR, {"task": "adq"}),
    Change(METEOR, {"stages": ["exact", "stem"]}),
    Change(METEOR, {"alpha": 0.5}),
    Change(METEOR, {"beta": 0.5}),
    Change(METEOR, {"gamma": 0.5}),
    Change(METEOR, {"delta": 0.5}),
    Change(METEOR, {"weights": (1, 0.5, 0.5)}),
    Change(METEOR, {"tokenizer": "13a"}),
    Change(METEOR, {"lowercase": False}),
    Change(METEOR, {"punctuation": False}),
    Change(METEOR, {"characters": True}),
    Change(METEOR, {"beam": 10}, {"preset": "1.5"}),
    Change(METEOR, {"synonyms": {"car": [1], "automobile": [1]}}),
    Change(METEOR, {"stemmer": str.lower}),
    Change(METEOR, {"function_words": ["the"]}),
    Change(CIDEr, {"tokenizer": "13a"}),
    Change(CIDEr, {"document_frequency": _FREQUENCY, "documents": 2}),
    Change(CIDErD, {"tokenizer": "13a"}),
    Change(CIDErD, {"sigma": 5}),
    Change(CIDErD, {"document_frequency": _FREQUENCY, "documents": 2}),
    Change(ROUGEL, {"variant": "coco"}),
    Change(ROUGEL, {"tokenizer": "13a"}),
    Change(ROUGEL, {"stem": True}),
    Change(ROUGELsum, {"separator": "<n>"}),
    Change(ROUGELsum, {"tokenizer": "13a"}),
    Change(ROUGELsum, {"stem": True}),
    Change(ROUGEN, {"order": 2}),
    Change(ROUGEN, {"tokenizer": "13a"}),
    Change(ROUGEN, {"stem": True}),
    Change(CHRF, {"char_order": 4}),
    Change(CHRF, {"word_order": 2}),
    Change(CHRF, {"beta": 1}),
    Change(CHRF, {"lowercase": True}),
    Change(CHRF, {"whitespace": True}),
    Change(CHRF, {"eps_smoothing": True}),
    Change(TER, {"normalized": True}),
    Change(TER, {"no_punct": True}),
    Change(TER, {"asian_support": True}, {"normalized": True}),
    Change(TER, {"case_sensitive": True}),
    Change(WER, {"tokenizer": "13a"}),
    Change(WER, {"lowercase": True}),
    Change(CER, {"lowercase": True}),
    Change(CER, {"whitespace": False}),
    Change(ExactMatch, {"normalize": "squad"}),
    Change(ExactMatch, {"normalize": str.lower}),
]


@EACH
def test_signature_has_name_references_and_version(descriptor):
    signature = score_of_mixed(descriptor.name).signature
    count = 1 if descriptor not in TEXT_METRICS else "var"
    assert signature.startswith(f"{descriptor.metric_class.name}|refs:{count}")
    assert signature.endswith(f"|v:{metrics.signatures.version()}")


@EACH
def test_signature_is_one_line_of_pairs(descriptor):
    _, *pairs = descriptor.make().signature().split("|")
    names = [pair.split(":")[0] for pair in pairs]
    assert len(set(names)) == len(names)
    assert all(re.fullmatch(r"[a-z]+:\S+", pair) for pair in pairs)


@EACH_OF_TEXT
@pytest.mark.parametrize("count", [1, 3])
def test_signature_has_the_number_of_references_if_all_have_as_many(descriptor, count):
    references = [[text] * count for text in descriptor.identical.hypotheses]
    metric = descriptor.make()
    score = metric.corpus_score(references, descriptor.identical.hypotheses)
    assert score.signature == metric.signature(count)


@EACH
def test_signature_of_a_sentence_counts_its_references(descriptor):
    metric = descriptor.make()
    for own, score in zip(
        descriptor.mixed.references,
        metric.sentence_scores(*descriptor.mixed),
        strict=True,
    ):
        assert score.signature == metric.signature(len(own))


@pytest.mark.parametrize(
    "change",
    [pytest.param(c, id=f"{c.metric_class.__name__} {c.changed}") for c in CHANGES],
)
def test_signature_changes_with_every_argument(change):
    before = change.metric_class(**change.before)
    after = change.metric_class(**change.before, **change.changed)
    assert before.signature() != after.signature()


def test_signature_names_the_stage_of_paraphrases(tmp_path):
    path = tmp_path / "table"
    path.write_text("0.5\ncar\nautomobile\n", encoding="utf-8")
    assert ",paraphrase|" in METEOR(paraphrases=path).signature()


@pytest.mark.parametrize("metric_class", public_metric_classes())
def test_every_argument_has_a_change(metric_class):
    changed = [set(c.changed) for c in CHANGES if c.metric_class is metric_class]
    arguments = set(inspect.signature(metric_class).parameters) - {"paraphrases"}
    assert set().union(*changed) == arguments


PAGE = pathlib.Path(__file__).parents[2] / "docs" / "signatures.md"


def documented_keys(name):
    """The keys that the page has for a metric."""
    rows = re.findall(r"^\| (.+?) \| (`.+?`) \|", PAGE.read_text("utf-8"), re.M)
    own = [keys for names, keys in rows if {"all", name} & {*names.split(", ")}]
    return {key for keys in own for key in re.findall(r"`(\w+)`", keys)}


def test_every_key_is_on_the_page_of_signatures(tmp_path):
    table = tmp_path / "table"
    table.write_text("0.5\ncar\nautomobile\n", encoding="utf-8")
    made = [row.make() for row in METRICS]
    made += [each.metric_class(**each.before, **each.changed) for each in CHANGES]
    made.append(METEOR(paraphrases=table))
    printed = {}
    for metric in made:
        keys = (pair.split(":")[0] for pair in metric.signature().split("|")[1:])
        printed.setdefault(metric.name, set()).update(keys)
    for name, keys in printed.items():
        assert documented_keys(name) == keys | {"bs"}, name


def test_options_on_the_page_of_signatures_exist():
    page = PAGE.read_text("utf-8")
    options = {name for each in score_command.score.params for name in each.opts}
    assert set(re.findall(r"--[a-z][a-z-]+", page)) <= options | {"--version"}
