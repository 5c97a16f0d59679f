"""The signature of a score: all that is needed to compute the same number again."""

import inspect
import re

import pytest
from conformance.metric_descriptors import (
    CHANGES,
    METRICS,
    TEXT_METRICS,
    public_metric_classes,
    score_of_mixed,
)

import metrics.base
from metrics import METEOR

EACH = pytest.mark.parametrize(
    "descriptor", [pytest.param(row, id=row.name) for row in METRICS]
)
EACH_OF_TEXT = pytest.mark.parametrize(
    "descriptor", [pytest.param(row, id=row.name) for row in TEXT_METRICS]
)


@EACH
def test_signature_has_name_references_and_version(descriptor):
    signature = score_of_mixed(descriptor.name).signature
    count = 1 if descriptor not in TEXT_METRICS else "var"
    assert signature.startswith(f"{descriptor.metric_class.name}|refs:{count}")
    assert signature.endswith(f"|v:{metrics.base.version()}")


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
