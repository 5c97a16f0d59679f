"""Texts whose words a metric does not find: it says so, or reads characters."""

import warnings

import pytest

import metrics
from metrics.tokenizers.script_checks import SAMPLE, misreading

# Texts without blanks between words, and the same in words.
CHINESE = ["我们今天去北京看长城。", "他昨天买了三本书。"]
JAPANESE = ["私は昨日友達と映画を見ました。", "彼女は毎朝公園を走ります。"]
THAI = ["สวัสดีครับวันนี้อากาศดีมาก", "ฉันชอบกินข้าวผัดกับเพื่อนของฉัน"]
KHMER = ["ខ្ញុំចង់ទៅផ្សារថ្ងៃនេះជាមួយមិត្តភក្តិ"]
WORDS = {
    "Chinese": ["我们 今天 去 北京 看 长城 。", "他 昨天 买 了 三 本 书 。"],
    "Japanese": ["私 は 昨日 友達 と 映画 を 見 まし た 。"],
    "Thai": ["ฉัน ชอบ กิน ข้าวผัด กับ เพื่อน ของ ฉัน"],
}
# METEOR's own tokens are characters there.
READ_CHARACTERS = {"chrf", "cer", "exact-match", "meteor", "meteor-1.5"}
# PTBTokenizer's are pieces, where a script has vowel signs.
PTB = {"cider", "cider-d", "rouge-l-coco"}
FOUND_EVERYWHERE = sorted(metrics.METRICS.keys() - READ_CHARACTERS)


def warnings_of(call):
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        call()
    return [str(one.message) for one in caught]


@pytest.mark.parametrize(
    ("name", "texts"),
    [
        (name, texts)
        for name in FOUND_EVERYWHERE
        for texts in (CHINESE, JAPANESE, THAI, KHMER)
        if name not in PTB or texts in (CHINESE, JAPANESE)
    ],
)
def test_every_metric_of_words_warns_of_text_without_blanks(name, texts):
    metric = metrics.get(name)
    texts = texts * 2  # CIDEr has another warning for one segment
    [found] = warnings_of(
        lambda: metric.corpus_score([[text] for text in texts], texts)
    )
    assert found.startswith(f"{type(metric).__name__} ")
    assert " in most references: " in found
    [found] = warnings_of(lambda: metric.sentence_scores([texts, texts], texts[:2]))


@pytest.mark.parametrize("name", sorted(READ_CHARACTERS))
def test_metrics_of_characters_need_no_blanks(name):
    score = metrics.get(name).corpus_score([[t] for t in CHINESE], CHINESE)
    assert score.value == (0 if name == "cer" else 1)
    # A part of a sentence is worth something.
    half = metrics.get(name).sentence_score(CHINESE[:1], CHINESE[0][:6])
    assert 0 < half.value < 1 or name == "exact-match"


@pytest.mark.parametrize(
    "name", [name for name in FOUND_EVERYWHERE if not name.startswith("cider")]
)
def test_a_sentence_warns_as_a_corpus_does(name):
    metric = metrics.get(name)
    assert len(warnings_of(lambda: metric.sentence_score(CHINESE, CHINESE[0]))) == 1
    # Rouge-score's words are of Latin letters only, so a word is enough for it.
    found = warnings_of(lambda: metric.sentence_score(["สวัสดี"], "สวัสดี"))
    is_google = "google_words" in metric.signature()
    # Of BLEU, that it has no n-grams of a word.
    is_short = name.startswith("bleu") and name != "bleu-1"
    assert len(found) == (is_google or is_short)


@pytest.mark.parametrize(
    "metric",
    [
        metrics.BLEU(tokenizer="zh"),
        metrics.BLEU(tokenizer="char"),
        metrics.ROUGEL(tokenizer="char"),
        metrics.METEOR(tokenizer="zh"),
        metrics.TER(normalized=True, asian_support=True),
        metrics.WER(tokenizer=list),
    ],
    ids=repr,
)
def test_a_tokenizer_that_splits_the_script_does_not_warn(metric):
    assert not warnings_of(lambda: metric.corpus_score([[t] for t in CHINESE], CHINESE))


@pytest.mark.parametrize("texts", WORDS.values(), ids=WORDS)
def test_text_that_was_split_into_words_does_not_warn(texts):
    metric = metrics.BLEU(tokenizer="none")
    assert not warnings_of(lambda: metric.corpus_score([[t] for t in texts], texts))


@pytest.mark.parametrize(
    "texts",
    [
        ["Der Bär läuft über die Straße."],
        ["Кот спит на коврике."],
        ["고양이가 매트 위에 앉아 있다."],
        ["The premier of 中华人民共和国 came to our town."],
        ["a cat", "a dog", CHINESE[0]],
        [""],
        ["中国"],
    ],
)
def test_other_texts_do_not_warn(texts):
    metric = metrics.BLEU()
    assert not warnings_of(lambda: metric.corpus_score([[t] for t in texts], texts))


def test_lists_of_tokens_are_taken_as_they_are():
    assert misreading([[CHINESE]], list) is None


def test_a_long_corpus_is_looked_at_in_all_its_parts():
    calls = []

    def tokenize(text):
        calls.append(text)
        return text.split()

    references = [[CHINESE[0]]] * 1000 + [["a cat"]] * 3000
    assert misreading(references, tokenize) is None
    assert misreading(references[:1500], tokenize) is not None
    assert len(calls) <= 2 * SAMPLE


def test_what_helps_is_said_for_the_script():
    rouge = metrics.ROUGEN(1)
    [found] = warnings_of(lambda: rouge.sentence_score(["кот спит"], "кот"))
    assert found.endswith('Pass `tokenizer="13a"`.')
    [found] = warnings_of(lambda: rouge.sentence_score(THAI, "สวัสดี"))
    assert found.endswith('or "char".')
