"""Words are worked out once, and the memory for them is bounded."""

import pickle

from metrics.tokenizers import word_cache
from metrics.tokenizers.word_cache import WordCache


def test_each_word_is_worked_out_once():
    asked = []
    cache = WordCache(lambda word: asked.append(word) or word.upper())
    assert [cache["a"], cache["b"], cache["a"]] == ["A", "B", "A"]
    assert asked == ["a", "b"]


def test_the_cache_never_grows_above_its_limit(monkeypatch):
    monkeypatch.setattr(word_cache, "LIMIT", 3)
    cache = WordCache(str.upper)
    for word in "abcdefg":
        assert cache[word] == word.upper()
        assert len(cache) <= 3


def test_a_pickled_cache_travels_empty_and_still_works():
    cache = WordCache(len)
    assert cache["word"] == 4
    copy = pickle.loads(pickle.dumps(cache))
    assert copy == {}
    assert copy["word"] == 4
