"""ROUGE-L and ROUGE-N against their definitions."""

import json
import pathlib
import re

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import metrics
from metrics.rouge import ROUGEL, ROUGEN, ROUGELsum, longest_common_subsequence
from metrics.tokenizers.rouge import google_words

ALL = [ROUGEL("google"), ROUGEL("coco"), ROUGELsum(), ROUGEN(1), ROUGEN(2)]
IDS = ["google", "coco", "lsum", "rouge-1", "rouge-2"]
PEERS = json.loads(
    pathlib.Path(__file__).parents[1].joinpath("golden/peers.json").read_text("utf-8")
)

words = st.lists(st.sampled_from("abcd"), max_size=9)
some_words = st.lists(st.sampled_from("abcd"), min_size=1, max_size=9)
references_of_words = st.lists(words, min_size=1, max_size=3)


def lcs_table(first, second):
    """Length of the longest common subsequence, from the recurrence in a table."""
    table = [[0] * (len(second) + 1) for _ in range(len(first) + 1)]
    for i, a in enumerate(first):
        for j, b in enumerate(second):
            table[i + 1][j + 1] = (
                table[i][j] + 1 if a == b else max(table[i][j + 1], table[i + 1][j])
            )
    return table[-1][-1]


def shared_ngrams(first, second, order):
    rest = [second[i : i + order] for i in range(len(second) - order + 1)]
    shared = 0
    for i in range(len(first) - order + 1):
        if first[i : i + order] in rest:
            rest.remove(first[i : i + order])
            shared += 1
    return shared


def f_oracle(precision, recall, beta):
    """Lin's equation 4."""
    if precision == 0 or recall == 0:
        return 0.0
    return (1 + beta**2) * recall * precision / (recall + beta**2 * precision)


def share(part, whole):
    return part / whole if whole else 0.0


def parts(score):
    return score.precision, score.recall, score.value


@given(words, words)
@settings(max_examples=150, deadline=None)
def test_longest_common_subsequence_is_that_of_the_table(first, second):
    assert longest_common_subsequence(first, second) == lcs_table(first, second)


def test_longest_common_subsequence_beyond_a_machine_word():
    first = [str(i % 7) for i in range(300)]
    second = [str(i % 11) for i in range(200)]
    expected = lcs_table(first, second)
    assert longest_common_subsequence(first, second) == expected
    assert longest_common_subsequence(second, first) == expected


@given(references_of_words, words)
@settings(max_examples=100, deadline=None)
def test_google_takes_the_reference_with_the_best_f(references, hypothesis):
    best = 0.0
    for reference in references:
        length = lcs_table(hypothesis, reference)
        precision = share(length, len(hypothesis))
        recall = share(length, len(reference))
        best = max(best, f_oracle(precision, recall, 1))
    score = ROUGEL("google").sentence_score(references, hypothesis)
    assert score.value == pytest.approx(best, abs=1e-9)
    assert score.value == pytest.approx(
        f_oracle(score.precision, score.recall, 1), abs=1e-9
    )


@given(st.lists(some_words, min_size=1, max_size=3), some_words)
@settings(max_examples=100, deadline=None)
def test_coco_takes_the_best_precision_and_the_best_recall(references, hypothesis):
    lengths = [lcs_table(hypothesis, reference) for reference in references]
    precision = max(length / len(hypothesis) for length in lengths)
    recall = max(
        length / len(reference)
        for length, reference in zip(lengths, references, strict=True)
    )
    expected = precision, recall, f_oracle(precision, recall, 1.2)
    score = ROUGEL("coco").sentence_score(references, hypothesis)
    assert parts(score) == pytest.approx(expected, abs=1e-9)


@given(references_of_words, words, st.integers(1, 3))
@settings(max_examples=100, deadline=None)
def test_rouge_n_takes_the_reference_with_the_best_f(references, hypothesis, order):
    best = 0.0
    for reference in references:
        shared = shared_ngrams(hypothesis, reference, order)
        precision = share(shared, max(len(hypothesis) - order + 1, 0))
        recall = share(shared, max(len(reference) - order + 1, 0))
        best = max(best, f_oracle(precision, recall, 1))
    score = ROUGEN(order).sentence_score(references, hypothesis)
    assert score.value == pytest.approx(best, abs=1e-9)


def test_lins_example():
    # Lin (2004), section 3.1: both have precision and recall 3/4, and 2/4.
    reference = ["police killed the gunman"]
    scores = ROUGEL().sentence_scores(
        [reference, reference], ["police kill the gunman", "the gunman kill police"]
    )
    assert [score.value for score in scores] == pytest.approx([0.75, 0.5])


def test_the_two_variants_differ_with_several_references():
    references = ["a", "x a b c y z w"]
    # P is 3/3 with the second, R 1/1 with the first; F of the two is 1.
    assert ROUGEL("coco").sentence_score(references, "a b c").value == 1
    # The second has P = 3/3, R = 3/7, the first P = 1/3, R = 1/1.
    score = ROUGEL("google").sentence_score(references, "a b c")
    assert parts(score) == pytest.approx((1, 3 / 7, 0.6))


def test_beta_weighs_recall_in_coco():
    score = ROUGEL("coco").sentence_score(["a b c d"], "a")
    assert score.value == pytest.approx(2.44 * 0.25 / (0.25 + 1.44))


def test_rouge_n_counts_repeated_words_as_often_as_both_have_them():
    score = ROUGEN(1).sentence_score(["the cat the dog"], "the the the")
    assert (score.precision, score.recall) == pytest.approx((2 / 3, 2 / 4))


@pytest.mark.parametrize("metric", ALL, ids=IDS)
def test_identical_texts_score_one(metric):
    score = metric.sentence_score(["a dog runs"], "a dog runs")
    assert parts(score) == (1, 1, 1)


@pytest.mark.parametrize("metric", ALL, ids=IDS)
@pytest.mark.parametrize(
    ("reference", "hypothesis"), [("a dog runs", "two cats"), ("a dog", ""), ("", "a")]
)
def test_nothing_in_common_scores_zero(metric, reference, hypothesis):
    assert parts(metric.sentence_score([reference], hypothesis)) == (0, 0, 0)


@pytest.mark.parametrize("empty", ["", []])
def test_two_empty_texts_score_one_in_coco_and_zero_in_google(empty):
    assert ROUGEL("coco").sentence_score([empty], empty).value == 1
    assert ROUGEL("google").sentence_score([empty], empty).value == 0
    assert ROUGELsum().sentence_score([empty], empty).value == 0
    assert ROUGEN(1).sentence_score([empty], empty).value == 0


def test_every_blank_separates_words_in_coco():
    # "a  b" is the three words a, "", b; "a b" has two of them.
    assert parts(ROUGEL("coco").sentence_score(["a  b"], "a b"))[:2] == (1, 2 / 3)


@pytest.mark.parametrize("metric", ALL, ids=IDS)
@given(references=references_of_words, hypothesis=words, random=st.randoms())
@settings(max_examples=30, deadline=None)
def test_order_of_references_does_not_matter(metric, references, hypothesis, random):
    mixed = random.sample(references, len(references))
    expected = metric.sentence_score(references, hypothesis).value
    assert metric.sentence_score(mixed, hypothesis).value == expected


@pytest.mark.parametrize("metric", ALL, ids=IDS)
def test_corpus_score_is_the_mean_of_sentence_scores(metric):
    references = [["a dog runs", "the dog ran"], ["two men ride"], ["no"]]
    hypotheses = ["a dog ran off", "two men", "yes"]
    own = metric.sentence_scores(references, hypotheses)
    score = metric.corpus_score(references, hypotheses)
    means = [sum(column) / 3 for column in zip(*map(parts, own), strict=True)]
    assert parts(score) == pytest.approx(means)
    assert score.segments == 3


def test_google_words_are_lower_case_ascii_letters_and_digits():
    assert google_words("It's café-like: ÉTÉ 3.5%!") == [
        *("it", "s", "caf", "like", "t", "3", "5")
    ]


def test_stems_of_long_words_are_compared():
    plain, stemmed = ROUGEL(), ROUGEL(stem=True)
    assert plain.sentence_score(["running dogs"], "run dog").value == 0
    assert stemmed.sentence_score(["running dogs"], "run dog").value == 1
    # Words of three characters keep their endings.
    assert stemmed.sentence_score(["its"], "it").value == 0
    assert ROUGEN(2, stem=True).sentence_score(["running dogs"], "run dog").value == 1
    assert stemmed.sentence_score([["running"]], ["run"]).value == 1


def test_another_tokenizer_replaces_the_words_of_the_variant():
    score = ROUGEL("google", tokenizer=list).sentence_score(["abc"], "abd")
    assert score.value == pytest.approx(2 / 3)
    assert ROUGEN(1, tokenizer="none").sentence_score(["A"], "a").value == 0


def test_unknown_variant_is_an_error():
    message = "`variant` must be one of 'google', 'coco'. Received: variant='nltk'"
    with pytest.raises(ValueError, match=f"^{re.escape(message)}$"):
        ROUGEL("nltk")


def test_arguments_out_of_range_are_errors():
    with pytest.raises(ValueError, match="`order` must be a positive integer"):
        ROUGEN(0)
    with pytest.raises(TypeError, match="`stem` must be True or False"):
        ROUGEL(stem="porter")


def test_signatures_say_what_was_compared():
    assert (
        ROUGEL()
        .signature(1)
        .startswith("rouge-l|refs:1|var:google|tok:google_words|stem:no|v:")
    )
    assert (
        ROUGEL("coco", tokenizer="ptb")
        .signature()
        .startswith("rouge-l|refs:any|var:coco|tok:ptb|stem:no|v:")
    )
    assert (
        ROUGEN(2, stem=True)
        .signature()
        .startswith("rouge-n|refs:any|n:2|tok:google_words|stem:yes|v:")
    )


REFERENCES = [
    ["The dog's running, quickly!", "A dog runs."],
    ["Two men ride horses", "two riders"],
    ["naïve 3.5 kg", ""],
]
HYPOTHESES = ["a dog ran quickly", "Two men are riding a horse", ""]


@pytest.mark.parametrize("stem", [False, True])
def test_scores_equal_those_of_rouge_score(stem):
    module = pytest.importorskip("rouge_score.rouge_scorer")
    names = ["rouge1", "rouge2", "rougeL"]
    peer = module.RougeScorer(names, use_stemmer=stem)
    own_metrics = [ROUGEN(1, stem=stem), ROUGEN(2, stem=stem), ROUGEL(stem=stem)]
    for own, hypothesis in zip(REFERENCES, HYPOTHESES, strict=True):
        expected = peer.score_multi(own, hypothesis)
        for name, metric in zip(names, own_metrics, strict=True):
            score = metric.sentence_score(own, hypothesis)
            assert parts(score) == pytest.approx(tuple(expected[name]), abs=1e-9)


def test_scores_equal_those_of_pycocoevalcap():
    module = pytest.importorskip("pycocoevalcap.rouge.rouge")
    _, expected = module.Rouge().compute_score(
        dict(enumerate(REFERENCES)), {i: [text] for i, text in enumerate(HYPOTHESES)}
    )
    scores = ROUGEL("coco").sentence_scores(REFERENCES, HYPOTHESES)
    assert [score.value for score in scores] == pytest.approx(list(expected), abs=1e-9)


RUSSIAN = ["\u043a\u043e\u0442 \u0441\u043f\u0438\u0442"]


@pytest.mark.parametrize("metric", [ROUGEL, ROUGEN])
def test_a_language_without_a_word_of_google_warns(metric):
    with pytest.warns(UserWarning, match="finds no letters in most references"):
        assert metric().corpus_score([RUSSIAN], RUSSIAN).value == 0
    # A digit is a word, but says nothing of the letters.
    with pytest.warns(UserWarning, match="finds no letters in most references"):
        references = [RUSSIAN, [f"{RUSSIAN[0]} 7"], ["a cat"]]
        metric().corpus_score(references, ["", "", "a cat"])
    # Warnings are errors in these tests: neither of these warns.
    assert metric(tokenizer="13a").corpus_score([RUSSIAN], RUSSIAN).value == 1
    assert metric().corpus_score([RUSSIAN, ["a cat"]], ["", "a cat"]).value == 0.5
    assert metric().corpus_score([["..."]], ["..."]).value == 0


def test_summaries_have_the_scores_of_rouge_score():
    for case in PEERS["rougeLsum"]:
        score = ROUGELsum(stem=case["stem"]).sentence_score(
            case["references"], case["hypothesis"]
        )
        assert parts(score) == pytest.approx(case["score"], rel=0, abs=1e-12)
    assert sum(case["score"][2] > 0 for case in PEERS["rougeLsum"]) > 100


def test_sentences_may_change_places():
    # 10 words and 9: all but "loudly" are covered. rouge-score prints 0.9474, 0.7368.
    target = "The cat sat.\nDogs bark loudly at night.\nIt rained."
    text = "It rained.\nThe cat sat.\nDogs bark at night."
    score = ROUGELsum().sentence_score([target], text)
    assert parts(score) == pytest.approx((9 / 9, 9 / 10, 18 / 19))
    # In a row it is the longest of: "it rained", and the rest.
    assert parts(ROUGEL().sentence_score([target], text))[:2] == (7 / 9, 7 / 10)


@given(references_of_words, words)
@settings(max_examples=50, deadline=None)
def test_texts_of_one_sentence_have_rouge_l(references, hypothesis):
    found = ROUGELsum().sentence_score(references, hypothesis)
    expected = ROUGEL().sentence_score(references, hypothesis)
    assert parts(found) == pytest.approx(parts(expected))


@pytest.mark.parametrize("separator", ["<n>", " | ", "\n\n"])
def test_another_separator_takes_the_place_of_the_line_break(separator):
    [target, text] = (
        separator.join(sentences) for sentences in (["a b", "c d"], ["c d", "a b", "e"])
    )
    metric = ROUGELsum(separator=separator)
    assert parts(metric.sentence_score([target], text))[:2] == (4 / 5, 1)
    tokens = [["a", "b", separator, "c", "d"]], ["c", "d", separator, "a", "b"]
    assert metric.sentence_score(*tokens).value == 1
    with pytest.raises(ValueError, match="`separator` must be a string of at least"):
        ROUGELsum(separator="")
    with pytest.raises(TypeError, match="`separator` must be a string .*=5$"):
        ROUGELsum(separator=5)


def test_the_name_rouge_l_means_the_program_of_rouge_1():
    assert metrics.get("rouge-l").signature() == ROUGEL().signature()
    assert metrics.get("rouge-l-google").signature() == ROUGEL().signature()
    coco = ROUGEL("coco", tokenizer="ptb")
    assert metrics.get("rouge-l-coco").signature() == coco.signature()
    assert metrics.coco_metrics()["ROUGE_L"].signature() == coco.signature()
    # 4 of 6 and of 5 words; rouge-score prints 0.7273. ROUGE-L never exceeds ROUGE-1.
    pair = ["police kill the gunman, Paris"], "Police killed the gunman in Paris."
    found = [metrics.get(n).sentence_score(*pair).value for n in ("rouge-l", "rouge-1")]
    assert found == pytest.approx([8 / 11, 8 / 11])


def test_words_with_a_blank_inside_are_one_in_coco():
    metric = metrics.get("rouge-l-coco")
    for case in PEERS["phrases"]:
        found = metric.sentence_score(case["references"], case["hypothesis"]).value
        assert found == pytest.approx(case["ROUGE_L"], rel=0, abs=1e-12)
    references = [["a jar with 2 1/2 cups of milk"], ["a dog runs in the park"]]
    hypotheses = ["a jar with 1 1/2 cups of milk", "a dog runs in a park"]
    # pycocoevalcap 1.2 with Java.
    found = metric.corpus_score(references, hypotheses).value
    assert found == pytest.approx(0.845238, abs=1e-6)
