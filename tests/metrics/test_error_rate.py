"""WER and CER against their definition."""

import itertools
import tracemalloc

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from metrics.edits.error_rate import CER, WER

words = st.lists(st.sampled_from("abcd"), max_size=7)
some_references = st.lists(words, min_size=1, max_size=3)


def fewest_edits(hypothesis, reference):
    """The definition by recursion: edit the first word, or keep it, and go on."""
    if not hypothesis or not reference:
        return len(hypothesis) + len(reference)
    if hypothesis[0] == reference[0]:
        return fewest_edits(hypothesis[1:], reference[1:])
    return 1 + min(
        fewest_edits(hypothesis[1:], reference[1:]),
        fewest_edits(hypothesis[1:], reference),
        fewest_edits(hypothesis, reference[1:]),
    )


@given(words, words)
@settings(max_examples=100, deadline=None)
def test_edits_are_the_fewest(reference, hypothesis):
    score = WER().sentence_score([reference], hypothesis)
    assert score.edits == fewest_edits(hypothesis, reference)
    assert score.edits == score.substitutions + score.insertions + score.deletions
    assert score.insertions - score.deletions == len(hypothesis) - len(reference)
    assert score.reference_length == len(reference)


@given(some_references, words)
@settings(max_examples=100, deadline=None)
def test_of_several_references_the_nearest_counts_in_any_order(references, hypothesis):
    score = WER().sentence_score(references, hypothesis)
    fewest = min(fewest_edits(hypothesis, own) for own in references)
    assert score.edits == fewest
    assert score.reference_length == max(
        len(own) for own in references if fewest_edits(hypothesis, own) == fewest
    )
    for order in itertools.permutations(references):
        assert WER().sentence_score(order, hypothesis) == score


@given(st.lists(st.tuples(words, words), min_size=1, max_size=5))
@settings(max_examples=50, deadline=None)
def test_a_corpus_is_the_sum_of_edits_over_the_sum_of_lengths(corpus):
    references = [[reference] for reference, _ in corpus]
    score = WER().corpus_score(references, [hypothesis for _, hypothesis in corpus])
    edits = sum(fewest_edits(hypothesis, reference) for reference, hypothesis in corpus)
    length = sum(len(reference) for reference, _ in corpus)
    assert score.edits == edits and score.reference_length == length
    assert score.value == (edits / length if length else float(edits > 0))


def test_a_corpus_is_not_the_mean_of_its_sentences():
    # 1 of 1 and 0 of 4 words.
    score = WER().corpus_score([["a"], ["a b c d"]], ["b", "a b c d"])
    assert score.value == 1 / 5


def test_substitutions_insertions_and_deletions_by_hand():
    # z inserted, x in place of c, g deleted.
    score = WER().sentence_score(["a b c d e f g"], "z a b x d e f")
    assert (score.substitutions, score.insertions, score.deletions) == (1, 1, 1)
    assert score.value == 3 / 7


def test_substitutions_go_before_an_insertion_and_a_deletion():
    score = WER().sentence_score(["a b"], "b a")
    assert (score.substitutions, score.insertions, score.deletions) == (2, 0, 0)


def test_characters_by_hand():
    # k -> s, e -> i, and g added: 3 of 7.
    score = CER().sentence_score(["sitting"], "kitten")
    assert (score.substitutions, score.insertions, score.deletions) == (2, 0, 1)
    assert score.value == 3 / 7


@pytest.mark.parametrize("metric", [WER(), CER()], ids=repr)
def test_extremes(metric):
    assert metric.sentence_score(["a b"], "a b").value == 0
    assert metric.sentence_score(["a b"], "").value == 1
    assert metric.sentence_score(["a"], "x y z").value > 1
    assert not metric.higher_is_better


@pytest.mark.parametrize("metric", [WER(), CER()], ids=repr)
def test_no_reference_word_is_zero_or_one(metric):
    assert metric.sentence_score([""], "").value == 0
    score = metric.sentence_score([""], "a b")
    assert score.value == 1
    assert score.edits == score.insertions > 1
    # In a corpus the insertions count.
    score = metric.corpus_score([[""], ["abcd"]], ["x", "abcd"])
    assert score.value == (1 if isinstance(metric, WER) else 1 / 4)


def test_blanks_are_characters_unless_left_out():
    assert CER().sentence_score(["a b"], "ab").value == 1 / 3
    assert CER(whitespace=False).sentence_score(["a b"], "ab").value == 0
    assert CER().sentence_score([" a\n b "], "a b").value == 0


def test_case_matters_unless_told_otherwise():
    for kind in (WER, CER):
        assert kind().sentence_score(["AB"], "ab").value == 1
        assert kind(lowercase=True).sentence_score(["AB"], "ab").value == 0
        assert kind(lowercase=True).sentence_score([["AB"]], ["ab"]).value == 0


def test_text_is_tokenised_and_tokens_are_not():
    assert WER().sentence_score(["a."], "a .").value == 2
    assert WER(tokenizer="13a").sentence_score(["a."], "a .").value == 0
    assert WER(tokenizer="13a").sentence_score([["a."]], ["a", "."]).value == 2
    assert WER(tokenizer=list).sentence_score(["abc"], "abd").value == 1 / 3
    assert CER().sentence_score([["a", "b"]], ["a", "b"]).reference_length == 3


def test_the_signature_says_what_was_computed():
    score = WER(tokenizer="13a").sentence_score(["a", "b"], "a")
    assert score.signature.startswith("wer|refs:2|case:mixed|tok:13a|v:")
    signature = CER(lowercase=True, whitespace=False).signature()
    assert signature.startswith("cer|refs:any|case:lc|space:no|v:")


@pytest.mark.parametrize(
    ("make", "error", "message"),
    [
        (
            lambda: WER(lowercase=1),
            TypeError,
            "`lowercase` must be True or False. Received: lowercase=1",
        ),
        (
            lambda: CER(whitespace=None),
            TypeError,
            "`whitespace` must be True or False. Received: whitespace=None",
        ),
        (
            lambda: WER(tokenizer=7),
            TypeError,
            "`tokenizer` must be one of 'none', '13a', 'intl', 'char', 'zh', 'ptb', "
            "'google_words', 'blank_separated', "
            "'ja-mecab', 'ko-mecab', 'spm', 'flores101', 'flores200', 'spBLEU-1K', or "
            "the path of a SentencePiece model (.model), or a function from a text to "
            "a list of tokens. Received: tokenizer=7",
        ),
    ],
)
def test_arguments_are_checked(make, error, message):
    with pytest.raises(error) as caught:
        make()
    assert str(caught.value) == message


def test_long_texts_leave_memory_free():
    tracemalloc.start()
    score = CER().sentence_score(["ab" * 5_000], "ba" * 5_000)
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert score.edits == 2
    assert peak < 15e6  # all rows at once are more
