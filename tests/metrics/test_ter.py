"""TER against its definition; the search for edits has tests of its own."""

import tracemalloc

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from metrics.edits.ter.shifts import translation_edits
from metrics.edits.ter.ter import TER

texts = st.text(alphabet="ab .,'", max_size=12)


def test_the_example_of_the_paper():
    # Snover et al. 2006: a shift, two substitutions and an insertion; 4 of 13.
    reference = (
        "SAUDI ARABIA denied THIS WEEK information published in the AMERICAN "
        "new york times"
    )
    hypothesis = (
        "THIS WEEK THE SAUDIS denied information published in the new york times"
    )
    score = TER().sentence_score([reference], hypothesis)
    assert (score.edits, score.reference_length) == (4, 13)
    assert score.value == 4 / 13


@given(st.lists(texts, min_size=1, max_size=3), texts)
@settings(max_examples=60, deadline=None)
def test_fewest_edits_and_the_mean_length_count_in_any_order(references, hypothesis):
    score = TER().sentence_score(references, hypothesis)
    own, others = hypothesis.split(), [reference.split() for reference in references]
    assert score.edits == min(translation_edits(own, other) for other in others)
    mean = sum(map(len, others)) / len(others)
    assert score.reference_length == pytest.approx(mean)
    assert TER().sentence_score(references[::-1], hypothesis) == score


def test_a_corpus_is_the_sum_of_edits_over_the_sum_of_lengths():
    # 1 edit of 1 and 0 of 4; the mean of the sentences is 1 / 2.
    score = TER().corpus_score([["a"], ["a b c d"]], ["b", "a b c d"])
    assert (score.edits, score.reference_length, score.value) == (1, 5, 1 / 5)


def test_extremes():
    ter = TER()
    assert ter.sentence_score(["a b c"], "a b c").value == 0
    assert ter.sentence_score(["a b c"], "x y z").value == 1
    assert ter.sentence_score(["a b c"], "").value == 1
    assert ter.sentence_score(["a"], "x y z").value == 3
    assert not ter.higher_is_better


def test_no_reference_word_is_zero_or_one():
    ter = TER()
    assert ter.sentence_score([""], "").value == 0
    assert ter.sentence_score(["", " "], "a b").value == 1
    # In a corpus the edits count.
    assert ter.corpus_score([[""], ["a b"]], ["x y z", "a b"]).value == 3 / 2


def test_tokens_are_joined_by_one_blank():
    ter = TER(normalized=True)
    assert ter.sentence_score([["a", "b."]], ["a", "b", "."]).value == 0


def test_case_matters_only_if_asked_for():
    assert TER().sentence_score(["A b"], "a B").value == 0
    assert TER(case_sensitive=True).sentence_score(["A b"], "a B").value == 1


ALL = {"normalized": True, "no_punct": True, "asian_support": True}


@pytest.mark.parametrize(
    ("settings", "text", "same"),
    [
        ({}, "a.  b,\nc", "a. b, c"),
        ({"normalized": True}, "(a)&b [c]", "( a ) & b [ c ]"),
        ({"normalized": True}, "a-b 3-4 it's", "a-b 3 - 4 it 's"),
        ({"normalized": True}, "3.5, 1,000. x.y", "3.5 , 1,000 . x . y"),
        ({"normalized": True}, "&quot;a&quot; &lt;b&gt; &amp;", '" a " < b > &'),
        ({"normalized": True}, "&amp;lt;", "<"),
        ({"normalized": True}, "cut\n-off a\nb", "cutoff a b"),
        ({"normalized": True}, "中文。", "中文。"),
        ({"normalized": True, "asian_support": True}, "中文。ab", "中 文 。 ab"),
        ({"normalized": True, "asian_support": True}, "ひらカタ", "ひらカタ"),
        ({"no_punct": True}, '"a.b", (c)!?;:', "ab c"),
        ({"no_punct": True}, "中。", "中。"),
        ({"no_punct": True, "asian_support": True}, "中。文！", "中文"),
        (ALL, "中。文！a.", "中 文 a"),
    ],
)
def test_text_is_normalised_as_by_tercom(settings, text, same):
    ter = TER(**settings)
    assert ter.sentence_score([same], text).value == 0
    # As many words to take away or substitute as there are in the text.
    assert ter.sentence_score(["other"], text).edits == len(same.split())


def test_references_are_normalised_twice_as_by_sacrebleu():
    # "Bob's." becomes "bob's .", and only then "bob 's .".
    score = TER(normalized=True).sentence_score(["Bob's."], "Bob's.")
    assert (score.edits, score.reference_length) == (2, 3)


def test_the_signature_says_what_was_computed():
    score = TER().corpus_score([["a"], ["a"]], ["a", "b"])
    assert score.signature.startswith(
        "ter|refs:1|case:lc|tok:tercom|norm:no|punct:yes|asian:no|v:"
    )
    assert "case:mixed|tok:tercom|norm:yes|punct:no|asian:yes" in (
        TER(case_sensitive=True, **ALL).signature()
    )


@pytest.mark.parametrize("name", ["normalized", "no_punct", "asian_support"])
def test_arguments_are_checked(name):
    with pytest.raises(TypeError) as caught:
        TER(**{name: 1})
    assert str(caught.value) == f"`{name}` must be True or False. Received: {name}=1"


@pytest.mark.parametrize("settings", [{}, {"normalized": True}, ALL], ids=str)
def test_it_agrees_with_sacrebleu(settings):
    sacrebleu = pytest.importorskip("sacrebleu.metrics")
    references = [
        ["On the mat, the cat sat.", "The cat's on Bob's."],
        ["", "A b c"],
        ["3.5% (of it) isn't &quot;much&quot;", "中文。x"],
        [" ".join(map(str, range(70))), " ".join(map(str, range(7)))],
    ]
    hypotheses = [
        "the cat's sat, on the mat.",
        "",
        "isn't 3.5 % much 中 文",
        "9 8 7",
    ]
    peer = sacrebleu.TER(**settings)
    sets = list(zip(*references, strict=True))
    expected = peer.corpus_score(hypotheses, sets).score / 100
    score = TER(**settings).corpus_score(references, hypotheses)
    assert score.value == pytest.approx(expected, abs=1e-12)
    for own, hypothesis in zip(references, hypotheses, strict=True):
        expected = peer.sentence_score(hypothesis, own).score / 100
        score = TER(**settings).sentence_score(own, hypothesis)
        assert score.value == pytest.approx(expected, abs=1e-12)


def test_long_texts_leave_memory_free():
    # Hundreds of shifts, each with a matrix of 400 rows: their last rows will do.
    words = [f"{number % 37}" for number in range(400)]
    tracemalloc.start()
    TER().sentence_score([words], words[::-1])
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert peak < 50e6  # it was a gigabyte
