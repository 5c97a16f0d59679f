"""METEOR: its presets, and what every preset does."""

import pathlib
import pickle

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from metrics import METEOR, corpus_meteor, sentence_meteor
from metrics.sums import NUM_SHARED

TABLE = pathlib.Path(__file__).parents[1] / "golden" / "paraphrases.txt"
PRESETS = ["corrected", "1.5", "2005", "nltk"]

CORRECTED, PROGRAM = METEOR(), METEOR("1.5")
METRICS = [CORRECTED, PROGRAM, METEOR("2005"), METEOR("nltk")]

REFERENCES = [
    ["the owl sat in the old tree", "an owl in a tree"],
    ["two boats left the harbour", "boats leave"],
    ["it rained all night", "rain fell in the night"],
]
HYPOTHESES = ["in the tree sat an old owl", "the two boats sailed", "it rained"]

sentences = st.lists(
    st.sampled_from("the of cat cats big large run ran ball".split()), max_size=7
)


def value(metric, reference, hypothesis):
    return metric.sentence_score([reference], hypothesis).value


# Every preset.


@pytest.mark.parametrize("metric", METRICS, ids=PRESETS)
@pytest.mark.parametrize(
    ("reference", "hypothesis"),
    [("an owl sat", "two boats"), ("an owl", ""), ("", "an owl"), ("", "")],
)
def test_nothing_in_common_scores_zero(metric, reference, hypothesis):
    assert value(metric, reference, hypothesis) == 0


@pytest.mark.parametrize("metric", METRICS, ids=PRESETS)
@given(references=st.lists(sentences, min_size=1, max_size=3), hypothesis=sentences)
@settings(max_examples=40, deadline=None)
def test_the_best_reference_counts_whatever_their_order(metric, references, hypothesis):
    own = [value(metric, reference, hypothesis) for reference in references]
    assert metric.sentence_score(references, hypothesis).value == max(own)
    assert metric.sentence_score(references[::-1], hypothesis).value == max(own)
    assert 0 <= max(own) <= 1


@pytest.mark.parametrize("metric", METRICS, ids=PRESETS)
def test_statistics_of_two_halves_add_up_to_those_of_the_corpus(metric):
    whole = metric.corpus_score(REFERENCES, HYPOTHESES)
    rows = [
        metric.statistics(references, hypothesis)
        for references, hypothesis in zip(REFERENCES, HYPOTHESES, strict=True)
    ]
    for score in (
        metric.score_from(sum(rows)),
        metric.merge([rows[0], rows[1] + rows[2]]),
    ):
        assert score.value == pytest.approx(whole.value, abs=1e-12)
        assert (score.chunks, score.matches) == (whole.chunks, whole.matches)


@pytest.mark.parametrize("metric", METRICS, ids=PRESETS)
def test_a_copy_through_pickle_gives_the_same_scores(metric):
    copy = pickle.loads(pickle.dumps(metric))
    assert copy.corpus_score(REFERENCES, HYPOTHESES) == metric.corpus_score(
        REFERENCES, HYPOTHESES
    )


@pytest.mark.parametrize("metric", METRICS, ids=PRESETS)
def test_an_interval_holds_the_score(metric):
    score = metric.corpus_score(
        REFERENCES * 4, HYPOTHESES * 4, confidence=0.9, resamples=100
    )
    assert score.interval.low < score.value < score.interval.high


@pytest.mark.parametrize("metric", METRICS[:3], ids=PRESETS[:3])
def test_corpus_score_is_that_of_summed_counts_and_not_the_mean(metric):
    # One match of one word, and none of four.
    references, hypotheses = [["owl"], ["grey boats left port"]], ["owl", "rain fell"]
    score = metric.corpus_score(references, hypotheses)
    assert (score.precision, score.recall) == (1 / 3, 1 / 5)
    own = metric.sentence_scores(references, hypotheses)
    assert score.value != pytest.approx(sum(one.value for one in own) / 2, abs=0.01)


@pytest.mark.parametrize("metric", METRICS, ids=PRESETS)
def test_tokens_and_text_are_scored_alike(metric):
    references = [["The", "owl", "sat"]]
    tokens = metric.sentence_score(references, ["the", "Owls", "sat"])
    assert tokens.value == value(metric, "The owl sat", "the Owls sat") > 0


# The corrected METEOR 1.5, and the program.


def test_identical_sentences_score_one():
    for text in ("owl", "The owl sat, in the tree.", "a a a", "…"):
        assert value(CORRECTED, text, text) == 1
        assert value(PROGRAM, text, text) == 1


@pytest.mark.parametrize(
    ("reference", "hypothesis"),
    [
        ("cat", "cats"),
        ("create", "creates"),
        ("study study study", "studies studying studied"),
    ],
)
def test_an_ambiguous_inexact_match_counts_but_in_the_program(reference, hypothesis):
    assert value(CORRECTED, reference, hypothesis) >= 0.6
    assert value(PROGRAM, reference, hypothesis) == 0


@pytest.mark.parametrize(
    ("first", "second"),
    [("entity", "breathe"), ("noble", "acanthisittidae"), ("boil", "acellular")],
)
def test_meanings_of_other_parts_of_speech_are_none_but_in_the_program(first, second):
    assert value(CORRECTED, first, second) == 0
    assert value(PROGRAM, first, second) == pytest.approx(0.8)


def test_chunks_are_the_fewest_but_in_the_program():
    # The mouse, the owl, the tree of; the program has a chunk more.
    reference = "the mouse of the owl the tree of"
    hypothesis = "the owl and the mouse the tree of the mouse"
    corrected, program = (
        metric.align(reference, hypothesis) for metric in (CORRECTED, PROGRAM)
    )
    assert (corrected.chunks, program.chunks) == (3, 4)
    assert len(corrected.matches) == len(program.matches) == 7
    assert corrected.minimal and not program.minimal


def test_of_several_references_the_one_that_counts_is_aligned():
    references = ["A cat sat.", "The dog ran home.", "No match"]
    hypothesis = "A dog ran home."
    for metric in (CORRECTED, PROGRAM):
        scores = [value(metric, own, hypothesis) for own in references]
        best = references[scores.index(max(scores))]
        alone = metric.align(best, hypothesis)
        assert metric.align(references, hypothesis) == alone
        # Of lists of tokens too, where one reference is a list itself.
        tokens = [own.rstrip(".").split() for own in references]
        found = metric.align(tokens, hypothesis.rstrip(".").split())
        assert found == metric.align(tokens[1], hypothesis.rstrip(".").split())
    with pytest.raises(ValueError, match="must hold at least one reference"):
        CORRECTED.align([], hypothesis)
    with pytest.raises(ValueError, match="`reference.0.` must be .* with blanks"):
        CORRECTED.align(["A dog runs."], ["A", "dog"])
    with pytest.raises(ValueError, match="`hypothesis` must be .* with blanks"):
        CORRECTED.align("A dog runs.", ["A dog runs."])


def test_a_corrected_score_by_hand():
    # cats-cat by stem: P = (.75 (1 + .6) + .25) / (.75 2 + .25), R over .75 3 + .25.
    metric = METEOR(stages=["exact", "stem"])
    score = metric.sentence_score(["the cat sat down"], "the cats sat")
    precision, recall = 1.45 / 1.75, 1.45 / 2.5
    mean = 1 / (0.15 / precision + 0.85 / recall)
    assert score.value == pytest.approx(mean * (1 - 0.6 * (1 / 3) ** 0.2))
    assert (score.chunks, score.matches) == (1, 3)


def test_statistics_are_counts_of_words_then_the_score():
    statistics = METEOR(stages=["exact", "stem"]).statistics(
        ["the cat sat down", "up"], "the cats sat"
    )
    assert statistics[:-1].tolist() == [
        *(1, 2, 4),  # segments, references, their square
        *(3, 4, 1, 1),  # words and function words, hypothesis and reference
        *(1, 1, 1, 1),  # exact: sat, the
        *(1, 1, 0, 0),  # stem: cats
        *[0] * 8,
        *(1, 3, 3),  # chunks and words matched
    ]
    assert statistics[-1] == pytest.approx(0.3148, abs=5e-5)  # the score above


def test_chunks_of_segments_in_one_piece_are_left_out_of_the_sum():
    score = CORRECTED.corpus_score([["a b c"], ["x y z"]], ["a b c", "x y q"])
    assert score.chunks == 1
    assert score.penalty == pytest.approx(0.6 * (1 / 5) ** 0.2)


def test_words_are_normalised_unless_another_tokenizer_is_given():
    assert CORRECTED.align("Don't go, Dr. No!", "").reference == tuple(
        "don 't go , dr. no !".split()
    )
    plain = METEOR(tokenizer="none", lowercase=False)
    assert plain.align("Don't go!", "").reference == ("Don't", "go!")
    assert METEOR(tokenizer=list).align("ab", "").reference == ("a", "b")
    without = METEOR(punctuation=False)
    assert without.align("Go, Dr. No!", "").reference == ("go", "dr", "no")


def test_blanks_that_are_no_ascii_are_letters_to_the_program_unless_normalised():
    text = "deux\u00a0mots"
    assert METEOR("1.5", tokenizer="none").align(text, "").reference == (text,)
    assert METEOR(tokenizer="none").align(text, "").reference == ("deux", "mots")
    assert PROGRAM.align(text, "").reference == ("deux", "mots")


def test_case_matters_only_if_asked():
    metric = METEOR(lowercase=False, stages=["exact"])
    assert value(metric, "Owl", "owl") == 0
    assert value(METEOR(stages=["exact"]), "Owl", "owl") == 1


def test_characters_may_count_instead_of_words():
    score = METEOR(characters=True).sentence_score(["owl"], "owl boats")
    assert (score.precision, score.recall) == (3 / 8, 1)
    # Java counts an emoji twice.
    for preset, length in (("corrected", 4), ("1.5", 5)):
        metric = METEOR(preset, characters=True)
        assert metric.statistics(["owl"], "owl🦉")[NUM_SHARED] == length


def test_weights_of_the_program_go_by_place():
    stages = ["exact", "synonym"]
    assert METEOR("1.5", stages=stages).formula.weights == (1, 0.6)
    assert METEOR(stages=stages).formula.weights == (1, 0.8)


def test_other_languages_have_their_stemmers_and_constants():
    german = METEOR(language="de", function_words=["der", "die"])
    assert german.stages == ("exact", "stem")
    assert german.formula.weights == (1, 0.8)
    # haus-häuser are no stems of one another, kind-kinder are.
    assert value(german, "die Kinder", "die kind") > value(german, "die", "die kind")
    program = METEOR("1.5", language="de")
    assert program.statistics(["the der"], "")[NUM_SHARED + 3] == 1  # the English list


def test_own_synonyms_stems_and_function_words_are_used():
    metric = METEOR(
        synonyms={"owl": [1], "bird": [1]},
        stemmer=lambda word: word[:2],
        function_words=["bo"],
    )
    stages = [
        match.stage for match in metric.align("owl boats bo", "bird bo boa").matches
    ]
    assert sorted(stages) == [0, 1, 2]
    assert metric.statistics(["bo"], "the")[
        NUM_SHARED + 2 : NUM_SHARED + 4
    ].tolist() == [*(0, 1)]


def test_a_paraphrase_table_adds_its_stage():
    # many - a lot of: all is matched in one piece, at .6 of its words' weight.
    sides = "many owls", "a lot of owls"
    assert METEOR(paraphrases=TABLE).align(*sides).matches == (
        *((0, 1, 0, 3, 3), (1, 1, 3, 1, 0)),
    )
    precision = (0.75 * (0.6 + 1) + 0.25 * (0.6 + 0.6)) / (0.75 * 2 + 0.25 * 2)
    recall = (0.6 + 1) / 2
    expected = 1 / (0.15 / precision + 0.85 / recall)
    assert value(METEOR(paraphrases=TABLE), *sides) == pytest.approx(expected)


def test_functions_take_the_options_of_the_class():
    options = {"preset": "2005", "alpha": 0.5}
    metric = METEOR(**options)
    assert corpus_meteor(REFERENCES, HYPOTHESES, **options) == metric.corpus_score(
        REFERENCES, HYPOTHESES
    )
    assert sentence_meteor(REFERENCES[0], HYPOTHESES[0], **options) == (
        metric.sentence_score(REFERENCES[0], HYPOTHESES[0])
    )
