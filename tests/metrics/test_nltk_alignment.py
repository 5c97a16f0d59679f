"""The alignment of NLTK's METEOR, against a plain reading of it and NLTK itself."""

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st
from nltk.translate import meteor_score as nltk_meteor

from metrics.meteor.nltk_alignment import nltk_alignment
from metrics.meteor.synonyms import as_lemmas
from metrics.tokenizers.stemmers import get_stemmer


def oracle(reference, hypothesis, stem, lemmas):
    """Pairs (reference, hypothesis, stage): loops over all pairs, from the right."""
    found = []
    stages = [
        lambda word, target: word == target,
        lambda word, target: stem(word) == stem(target),
        lambda word, target: stem(target) in lemmas(stem(word)),
    ]
    for stage, matches in enumerate(stages):
        for i in reversed(range(len(hypothesis))):
            for j in reversed(range(len(reference))):
                free = all(i != other[1] and j != other[0] for other in found)
                if free and matches(hypothesis[i], reference[j]):
                    found.append((j, i, stage))
    return sorted(found)


def chunks_oracle(pairs):
    """Matches less those that go on where another one is, a word earlier."""
    places = {(j, i) for j, i, _ in pairs}
    return sum((j - 1, i - 1) not in places for j, i in places)


def triples(matches):
    assert all(own[1] == own[3] == 1 for own in matches)
    return [(own[0], own[2], own[4]) for own in matches]


def score(references, hypothesis, stem, lemmas):
    """alpha .9, beta 3, gamma .5: the defaults of NLTK."""
    best = 0.0
    for reference in references:
        matches, chunks = nltk_alignment(
            reference, hypothesis, stem=stem, lemmas=lemmas
        )
        if matches:
            precision = len(matches) / len(hypothesis)
            recall = len(matches) / len(reference)
            mean = precision * recall / (0.9 * precision + 0.1 * recall)
            best = max(best, mean * (1 - 0.5 * (chunks / len(matches)) ** 3))
    return best


# The first letter is the stem; stems of one pair are synonyms, so are words of three.
def first_letter(word):
    return word[:1]


SYNONYMS = {"a": {"a", "b"}, "b": {"a", "b"}, "c": {"c", "d", "e"}, "d": {"d", "e"}}


def lemmas_of(word):
    return SYNONYMS.get(word, set())


words = st.lists(st.sampled_from(["a", "a1", "a2", "b", "b1", "c", "d1", "e", "f"]))


@given(words, words)
def test_matches_are_those_of_a_loop_over_all_pairs(reference, hypothesis):
    matches, chunks = nltk_alignment(
        reference, hypothesis, stem=first_letter, lemmas=lemmas_of
    )
    expected = oracle(reference, hypothesis, first_letter, lemmas_of)
    assert triples(matches) == expected
    assert chunks == chunks_oracle(expected)


@given(words)
def test_a_sentence_matches_itself_word_by_word_if_no_word_repeats(sentence):
    sentence = list(dict.fromkeys(sentence))
    matches, chunks = nltk_alignment(sentence, sentence, stem=None, lemmas=None)
    assert triples(matches) == [(i, i, 0) for i in range(len(sentence))]
    assert chunks == min(1, len(sentence))


@pytest.mark.parametrize("reference, hypothesis", [([], []), (["a"], []), ([], ["a"])])
def test_an_empty_side_has_no_matches(reference, hypothesis):
    found = nltk_alignment(
        reference, hypothesis, stem=first_letter, lemmas=lemmas_of
    )  # fmt: skip
    assert found == ([], 0)


@pytest.mark.parametrize(
    ("reference", "hypothesis", "chunks", "value"),
    [
        # The best alignments have two chunks each, and .9815.
        ("on the mat the cat sat", "the cat sat on the mat", 5, 0.7106),
        ("of the lord in the house", "in the house of the lord", 6, 0.5),
    ],
)
def test_the_alignment_is_not_the_best_one(reference, hypothesis, chunks, value):
    reference, hypothesis = reference.split(), hypothesis.split()
    _, found = nltk_alignment(reference, hypothesis, stem=None, lemmas=None)
    assert found == chunks
    assert score([reference], hypothesis, None, None) == pytest.approx(value, abs=5e-5)


def test_the_last_free_words_are_taken():
    matches, _ = nltk_alignment(["a", "b", "a"], ["a"], stem=None, lemmas=None)
    assert triples(matches) == [(2, 0, 0)]


def test_the_synonym_stage_sees_stems():
    # The stem of `automobile` is `automobil`, which is no word.
    lemmas, stem = as_lemmas("wordnet"), get_stemmer("porter")
    assert nltk_alignment(["car"], ["automobile"], stem=stem, lemmas=lemmas) == ([], 0)
    matches, _ = nltk_alignment(["car"], ["automobile"], stem=None, lemmas=lemmas)
    assert triples(matches) == [(0, 0, 1)]


def test_a_stage_can_be_left_out_and_stages_are_numbered_in_order():
    sides = (["a", "b1", "c"], ["a", "b2", "d"])
    matches, _ = nltk_alignment(*sides, stem=first_letter, lemmas=None)
    assert triples(matches) == [(0, 0, 0), (1, 1, 1)]
    matches, _ = nltk_alignment(*sides, stem=None, lemmas=lambda word: {"c"})
    assert triples(matches) == [(0, 0, 0), (2, 2, 1)]


# NLTK itself, with a WordNet of four words; its own data are not needed.


class Lemma:
    def __init__(self, name):
        self._name = name

    def name(self):
        return self._name


class Synset:
    def __init__(self, word):
        self._lemmas = [Lemma(name) for name in lemmas_of(word)]

    def lemmas(self):
        return self._lemmas


class SmallWordNet:
    def synsets(self, word):
        return [Synset(word)]


class FirstLetter:
    def stem(self, word):
        return first_letter(word)


@given(st.lists(words, min_size=1, max_size=3), words)
def test_scores_and_chunks_are_those_of_nltk(references, hypothesis):
    peer = {"stemmer": FirstLetter(), "wordnet": SmallWordNet()}
    for reference in references:
        pairs, _, _ = nltk_meteor.align_words(hypothesis, reference, **peer)
        matches, chunks = nltk_alignment(
            reference, hypothesis, stem=first_letter, lemmas=lemmas_of
        )
        assert sorted((j, i) for i, j in pairs) == [own[:2] for own in triples(matches)]
        if pairs:
            assert chunks == nltk_meteor._count_chunks(pairs)
    expected = nltk_meteor.meteor_score(references, hypothesis, **peer)
    own = score(references, hypothesis, first_letter, lemmas_of)
    assert own == pytest.approx(expected, abs=1e-12)


# NLTK itself, with WordNet's own files where the machine has them.

SENTENCES = [
    ("The geese were flying to the lake", "a goose flies over the lake"),
    ("Two boys quickly ran home", "Two lads were running home rapidly"),
    ("He bought a big car", "he purchased a large automobile"),
    ("it is a guide to action", "It is a guidebook for actions"),
    ("the man is offering better wares", "men offer good goods"),
    ("a dog jumps", "the hound leaps"),
]


@pytest.mark.parametrize("pair", SENTENCES, ids=lambda pair: pair[0][:15])
def test_scores_with_the_table_are_those_of_nltk_with_wordnet(wordnet_reader, pair):
    first, second = (re.findall(r"\w+", text.lower()) for text in pair)
    stem, lemmas = get_stemmer("porter"), as_lemmas("wordnet")
    for reference, hypothesis in ((first, second), (second, first)):
        expected = nltk_meteor.meteor_score(
            [reference], hypothesis, wordnet=wordnet_reader
        )
        own = score([reference], hypothesis, stem, lemmas)
        assert own == pytest.approx(expected, abs=1e-12)
        same = score([reference], hypothesis, stem, as_lemmas(wordnet_reader))
        assert same == pytest.approx(expected, abs=1e-12)


@pytest.mark.parametrize("word", "geese better offer wolves aurar paris car is".split())
def test_lemmas_are_those_of_nltk_but_for_capitals(wordnet_reader, word):
    synsets = wordnet_reader.synsets(word)
    names = {lemma.name() for synset in synsets for lemma in synset.lemmas()}
    expected = {name for name in names if "_" not in name and name == name.lower()}
    assert as_lemmas("wordnet")(word) == expected
