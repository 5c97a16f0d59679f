"""METEOR of 2005, against the paper, and that of NLTK, against NLTK."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from nltk.translate import meteor_score as nltk_meteor

from metrics.meteor.meteor import METEOR

REFERENCES = [
    ["the owl sat in the old tree", "an owl in a tree"],
    ["two boats left the harbour", "boats leave"],
    ["it rained all night", "rain fell in the night"],
    ["a big dog ran", "the large hounds run"],
]
HYPOTHESES = [
    "in the tree sat an old owl",
    "the two boats sailed",
    "it rained",
    "a large dog runs",
]

sentences = st.lists(
    st.sampled_from("the of cat cats big large run ran ball".split()), max_size=7
)


def test_the_example_of_2005():
    # Banerjee and Lavie (2005), section 2.2: two chunks, six matches of six and seven.
    score = METEOR("2005").sentence_score(
        ["the president then spoke to the audience"],
        "the president spoke to the audience",
    )
    precision, recall = 1, 6 / 7
    mean = 10 * precision * recall / (recall + 9 * precision)
    assert (score.chunks, score.matches) == (2, 6)
    assert score.f_mean == pytest.approx(mean)
    assert score.value == pytest.approx(mean * (1 - 0.5 * (2 / 6) ** 3))


def test_one_equal_word_is_halved_by_the_penalty_of_2005():
    for preset in ("2005", "nltk"):
        assert METEOR(preset).sentence_score(["owl"], "owl").value == 0.5


def test_nltk_finds_more_chunks_than_there_are():
    sides = "on the mat the cat sat", "the cat sat on the mat"
    assert METEOR("2005").align(*sides).chunks == 2
    assert METEOR("nltk").align(*sides).chunks == 5


class NoWordNet:
    def synsets(self, word):
        return []


@given(st.lists(sentences, min_size=1, max_size=3), sentences)
@settings(max_examples=60, deadline=None)
def test_without_synonyms_scores_are_those_of_nltk(references, hypothesis):
    expected = nltk_meteor.meteor_score(references, hypothesis, wordnet=NoWordNet())
    own = METEOR("nltk", stages=["exact", "stem"]).sentence_score(
        references, hypothesis
    )
    assert own.value == pytest.approx(expected, abs=1e-12)


def test_with_wordnet_scores_are_those_of_nltk_and_their_mean(wordnet_reader):
    expected = [
        nltk_meteor.meteor_score(
            [r.split() for r in own], text.split(), wordnet=wordnet_reader
        )
        for own, text in zip(REFERENCES, HYPOTHESES, strict=True)
    ]
    for synonyms in (None, wordnet_reader):
        metric = METEOR("nltk", synonyms=synonyms)
        own = [score.value for score in metric.sentence_scores(REFERENCES, HYPOTHESES)]
        assert own == pytest.approx(expected, abs=1e-12)
        corpus = metric.corpus_score(REFERENCES, HYPOTHESES).value
        assert corpus == pytest.approx(np.mean(expected), abs=1e-12)
