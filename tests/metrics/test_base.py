"""What all metrics share: sums of statistics, and scores of them."""

import dataclasses
import importlib.metadata
import json
import math
import re

import numpy as np
import pytest

import metrics.base
from metrics import BLEU, TER, MeanScore, Metric, Score
from metrics.registry import settings_of
from metrics.signatures import version


class Overlap(Metric):
    """Words of the hypotheses that are in the first reference, as a share of all."""

    name = "overlap"

    def __init__(self, lowercase=False):
        self.lowercase = lowercase

    def _segment_statistics(self, references, hypothesis):
        words = hypothesis.split()
        return [sum(word in references[0].split() for word in words), len(words)]

    def _score(self, totals, segments):
        found, words = totals
        return MeanScore(value=found / words, segments=segments)

    def _settings(self):
        return {"lower": self.lowercase, "depth": 2}


class Unseen(Overlap):
    """The same, but words of all references of the corpus do not count."""

    def __init__(self, known=frozenset()):
        super().__init__()
        self.known = known

    def _fit(self, references):
        texts = [set(own[0].split()) for own in references]
        return Unseen(set.intersection(*texts))

    def _segment_statistics(self, references, hypothesis):
        words = " ".join(w for w in hypothesis.split() if w not in self.known)
        return super()._segment_statistics(references, words)


REFERENCES = [["a b c"], ["a b", "c d"], ["c d e"], ["f"]]
HYPOTHESES = ["a b", "a x y", "c d e f", "f"]


def exactly(message):
    return f"^{re.escape(message)}$"


def test_a_metric_needs_statistics_score_and_settings():
    with pytest.raises(TypeError, match="_score, _segment_statistics, _settings"):
        Metric()


def test_statistics_start_with_one_segment_and_its_references():
    rows = Overlap().corpus_statistics(REFERENCES, HYPOTHESES)
    assert rows.tolist() == [
        [1, 1, 1, 2, 2],
        [1, 2, 4, 1, 3],
        [1, 1, 1, 3, 4],
        [1, 1, 1, 1, 1],
    ]


def test_score_of_a_corpus_is_of_the_sums():
    score = Overlap().corpus_score(REFERENCES, HYPOTHESES)
    assert score.value == 7 / 10
    assert score.segments == 4
    assert score.interval is None


def test_scores_of_sentences_stand_alone():
    scores = Overlap().sentence_scores(REFERENCES, HYPOTHESES)
    assert [score.value for score in scores] == [1, 1 / 3, 3 / 4, 1]
    assert [score.segments for score in scores] == [1] * 4


def test_a_corpus_larger_than_a_block_is_scored_whole():
    size = 2 * metrics.base.BLOCK + 1
    hypotheses = ["a b"] * (size - 1) + ["x"]
    score = Overlap().corpus_score([["a b"]] * size, hypotheses)
    assert score.segments == size
    assert score.value == 2 * (size - 1) / (2 * size - 1)


def test_what_a_metric_learns_of_a_corpus_serves_that_corpus_only():
    metric = Unseen()
    references, hypotheses = [["the a"], ["the b"]], ["the a", "the x"]
    assert metric.corpus_score(references, hypotheses).value == 1 / 2
    assert metric.sentence_scores(references, hypotheses)[1].value == 0
    assert metric.fitted(references, hypotheses).known == {"the"}
    # "the" counts: nothing is known.
    assert metric.known == set()
    assert metric.sentence_score(["the b"], "the x").value == 1 / 2


def test_a_score_is_printed_with_its_name_and_interval():
    score = Overlap().corpus_score(REFERENCES, HYPOTHESES)
    assert str(score) == "overlap 0.7000"
    interval = metrics.Interval(0.25, 0.75, 0.95, 1000, 1)
    assert str(dataclasses.replace(score, interval=interval)) == (
        "overlap 0.7000 [0.2500, 0.7500]"
    )


def test_notebooks_show_a_score_with_its_signature():
    score = Score(value=0.5, signature="a<b|v:1")
    assert score._repr_html_() == "<b>a&lt;b 0.5000</b> <code>a&lt;b|v:1</code>"


def test_a_score_is_a_number_and_does_not_change():
    score = Score(value=0.7)
    assert float(score) == 0.7
    with pytest.raises(dataclasses.FrozenInstanceError):
        score.value = 1


@pytest.mark.parametrize(
    ("counts", "text"),
    [([1, 1], "1"), ([3, 3, 3], "3"), ([1, 2], "var"), ([1, 3, 2], "var"), ([5], "5")],
)
def test_signature_tells_the_number_of_references(counts, text):
    references = [["a"] * count for count in counts]
    score = Overlap().corpus_score(references, ["a"] * len(counts))
    assert score.signature == f"overlap|refs:{text}|lower:no|depth:2|v:{version()}"


def test_the_signature_of_a_sentence_follows_the_settings():
    # It is kept for the same settings; 1 and True are not the same.
    metric = Overlap()
    shown = []
    for setting in (False, True, 1, 1.0, [1], True):
        metric.lowercase = setting
        score = metric.sentence_score(["a b"], "a b")
        shown.append(score.signature.split("|")[2])
    assert shown == [
        "lower:no",
        "lower:yes",
        "lower:1",
        "lower:1.0",
        "lower:[1]",
        shown[1],
    ]


def test_a_score_that_makes_a_part_from_another_is_made_anew():
    @dataclasses.dataclass(frozen=True, kw_only=True)
    class Percent(Score):
        percent: str = ""

        def __post_init__(self):
            object.__setattr__(self, "percent", f"{100 * self.value:.0f} %")

    class Share(Overlap):
        def _score(self, totals, segments):
            return Percent(value=totals[0] / totals[1])

    score = Share().sentence_score(["a b"], "a c")
    assert (score.value, score.percent) == (0.5, "50 %")
    assert score.signature.startswith("overlap|refs:1")


@pytest.mark.parametrize("wrong", [math.nan, math.inf, -1.0])
def test_statistics_that_no_sentence_has_are_named(wrong):
    class Wrong(Overlap):
        num_statistics = 2

        def _segment_statistics(self, references, hypothesis):
            return [1.0, wrong]

    with pytest.raises(ValueError, match="`totals` must"):
        Wrong().sentence_score(["a"], "a")


def test_signature_of_merged_sums_sees_that_references_differ():
    metric = Overlap()
    one = metric.corpus_statistics([["a"]] * 4, ["a"] * 4).sum(axis=0)
    two = metric.corpus_statistics([["a", "b"]] * 2, ["a"] * 2).sum(axis=0)
    assert "|refs:1|" in metric.merge([one, one]).signature
    assert "|refs:2|" in metric.merge([two]).signature
    assert "|refs:var|" in metric.merge([one, two]).signature


def test_representation_has_the_signature():
    assert repr(Overlap(True)) == (
        f"<Overlap overlap|refs:any|lower:yes|depth:2|v:{version()}>"
    )


@pytest.fixture
def forget_version():
    version.cache_clear()
    yield
    version.cache_clear()


@pytest.mark.usefixtures("forget_version")
def test_version_is_that_of_the_installed_package(monkeypatch):
    monkeypatch.setattr(importlib.metadata, "version", {"memnets": "9.8"}.get)
    assert version() == "9.8"


@pytest.mark.usefixtures("forget_version")
def test_version_is_unknown_without_an_installed_package(monkeypatch):
    def version_of(name):
        raise importlib.metadata.PackageNotFoundError(name)

    monkeypatch.setattr(importlib.metadata, "version", version_of)
    assert version() == "unknown"


def test_sums_may_be_lists_and_merge_in_any_order():
    metric = Overlap()
    parts = metric.corpus_statistics(REFERENCES, HYPOTHESES).tolist()
    score = metric.corpus_score(REFERENCES, HYPOTHESES)
    assert metric.merge(parts) == metric.merge(reversed(parts)) == score


@pytest.mark.parametrize(
    ("totals", "shape"),
    [
        ([[1, 1, 1, 2, 2]], "(1, 5)"),
        (7, "()"),
        ([1, 1, 1], "(3,)"),  # without statistics of a metric
        ([0, 0, 0, 0, 0], "(5,)"),  # of no segment
        ([1, 1], "(2,)"),
    ],
)
def test_a_score_is_of_the_sum_of_one_segment_at_least(totals, shape):
    message = (
        "`totals` must be a 1-D array, the sum of statistics of at least one segment. "
        f"Received: shape {shape}"
    )
    with pytest.raises(ValueError, match=exactly(message)):
        Overlap().score_from(totals)


@pytest.mark.parametrize(
    ("totals", "shapes"),
    [([], "[]"), ([[1, 1, 1, 1], [1, 1, 1]], "[(4,), (3,)]")],
)
def test_merged_sums_have_one_shape(totals, shapes):
    message = (
        f"`totals` must be sums of statistics of one shape. Received shapes: {shapes}"
    )
    with pytest.raises(ValueError, match=exactly(message)):
        Overlap().merge(totals)


@pytest.mark.parametrize(
    ("totals", "error", "message"),
    [
        (None, TypeError, "`totals` must be numbers. Received: None"),
        ("1111", TypeError, "`totals` must be numbers. Received: '1111'"),
        (
            [1, 1, 1, [1]],
            TypeError,
            "`totals` must be numbers. Received: [1, 1, 1, [1]]",
        ),
        ([1, 1, 1, math.nan], ValueError, "`totals` must be finite. Received: nan"),
        ([1, 1, 1, math.inf], ValueError, "`totals` must be finite. Received: inf"),
        (
            [1, 1, 1, 2, 3, 4],
            ValueError,
            "`totals` must have the 5 statistics of ter, none below 0. Received: 6 "
            "numbers, the smallest 1.0",
        ),
        (
            [1, 1, 1, -2, 3],
            ValueError,
            "`totals` must have the 5 statistics of ter, none below 0. Received: 5 "
            "numbers, the smallest -2.0",
        ),
    ],
)
def test_sums_that_no_corpus_has_are_named(totals, error, message):
    with pytest.raises(error, match=exactly(message)):
        TER().score_from(totals)


@pytest.mark.parametrize("rows", [None, [], [1, 1, 1, 2, 3], [[1, 1, 1]], [[0] * 5]])
def test_rows_that_no_corpus_has_are_named(rows):
    with pytest.raises((TypeError, ValueError), match="^`rows` must be "):
        TER().score_rows(rows)


def test_sums_to_merge_are_a_list():
    with pytest.raises(
        TypeError, match="^`totals` must be a list of sums. Received: 5"
    ):
        TER().merge(5)


def test_sums_beyond_the_largest_number_are_refused():
    with (
        np.errstate(over="ignore"),
        pytest.raises(ValueError, match="^`totals` must be finite. Received: inf"),
    ):
        TER().merge([[1, 1, 1, 1e308, 1]] * 2)


def test_numbers_of_numpy_are_written_as_those_of_python():
    score = Overlap().corpus_score(
        REFERENCES,
        HYPOTHESES,
        confidence=np.float32(0.5),
        resamples=np.int64(5),
        seed=np.uint8(255),
    )
    assert json.loads(json.dumps(dataclasses.asdict(score)))["interval"]["seed"] == 255


def test_a_score_next_to_nothing_is_zero():
    # exp(1 - 600) = 1e-260: nothing tells it from a mistake.
    bleu = BLEU(1)
    score = bleu.sentence_score(["a " * 600], "a")
    assert score.value == 0 and 0 < score.brevity_penalty < 1e-250
    rows = bleu.corpus_statistics([["a " * 600]], ["a"])
    assert bleu.values_from(rows).tolist() == [0]
    assert 0 < bleu.sentence_score(["a " * 200], "a").value < 1e-80


def test_values_of_many_sums_are_those_of_their_scores():
    metric = Overlap()
    rows = metric.corpus_statistics(REFERENCES, HYPOTHESES)
    assert metric.values_from(rows).tolist() == [
        metric.score_from(row).value for row in rows
    ]


@pytest.mark.parametrize("jobs", [0, -1, 1.5, True, None])
def test_jobs_are_at_least_one(jobs):
    message = f"`jobs` must be a positive integer. Received: jobs={jobs!r}"
    for method in (Overlap().corpus_score, Overlap().corpus_statistics):
        with pytest.raises(ValueError, match=exactly(message)):
            method(REFERENCES, HYPOTHESES, jobs=jobs)


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: BLEU(tokenize="intl"), "BLEU has no .*`tokenize`.*mean `tokenizer`?"),
        (lambda: metrics.METEOR(lang="de"), "METEOR has no .*`lang`.*mean `language`?"),
        (
            lambda: metrics.CER(lower_case=True),
            "Its arguments: lowercase, whitespace. ",
        ),
        (lambda: metrics.ROUGELsum(colour=1), "ROUGELsum has no .*`colour`.*[.]$"),
        (
            lambda: metrics.sentence_bleu(["a b"], "a b", tokenize="intl"),
            "BLEU has no argument `tokenize`",
        ),
        (lambda: Overlap(lower=True), "Overlap has no .*mean `lowercase`?"),
    ],
)
def test_an_unknown_argument_names_the_nearest_and_all_that_there_are(call, message):
    with pytest.raises(TypeError, match=message):
        call()


def test_every_metric_names_its_arguments_and_keeps_its_signature():
    for name in metrics.METRICS:
        known = settings_of(name)
        with pytest.raises(TypeError, match=rf"no argument `unheard_of`.*{min(known)}"):
            type(metrics.get(name))(unheard_of=1)
