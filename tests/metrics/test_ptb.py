"""Tokens of captions, against what PTBTokenizer made of the same texts."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from metrics.tokenizers.ptb import tokenize_ptb

WORDS = """
    dog dog's dogs' Don't CAN'T cannot gonna 'tis o'clock 'em '90s '93 rock'n'roll
    Mr. St. U.S. p.m. J. A. No. no. 5 5. .5 3,000 3:30pm 1 1/2-inch $5 -5 #1 50%
    t-shirt 3.5-inch and/or A&M a&b AT&amp;T (555) 555-1234 (a) [b] "c" 'd' `e' ...
    .. -- - :) :( !!! ?! x.y www.a.com http://a.b/c a@b.c @a #a <a b> The This the ,
    . ; : * ** _ é 中 ½ € … — “f”
    """.split()


@pytest.mark.parametrize(
    "text, tokens",
    [
        ("A man, a plan; a canal: Panama!", "a man a plan a canal panama"),
        ("He said \"hi\" 'there' ``you''.", "he said hi there you"),
        ("It's John's dogs' bone.", "it 's john 's dogs bone"),
        ("I'm we're they'll he'd I've", "i 'm we 're they 'll he 'd i 've"),
        ("don't WON'T can't ain't", "do n't wo n't ca n't ai n't"),
        ("don’t it’s o’clock", "do n't it 's o’clock"),
        ("cannot gonna wanna gotta", "can not gon na wan na got ta"),
        ("lemme gimme 'tis 'twas y'all", "lem me gim me 't is 't was y' all"),
        ("o'clock O'Brien d'oeuvres Hawai'i", "o'clock o'brien d'oeuvres hawai'i"),
        ("rock 'n' roll 'em '90s 1990's", "rock 'n' roll 'em '90s 1990 's"),
        ("Mr. and Mrs. X of St. Louis etc.", "mr. and mrs. x of st. louis etc."),
        ("the U.S. at 5 p.m. Monday", "the u.s. at 5 p.m. monday"),
        ("J. R. R. Tolkien", "j. r. r. tolkien"),
        ("It is plan B. The end.", "it is plan b the end"),
        ("No. 5 is a no. Fig. 3", "no. 5 is a no fig. 3"),
        ("a T-shirt, a 3-year-old, t-", "a t-shirt a 3-year-old t"),
        ("one -- two - three — four", "one two three four"),
        ("well... so.. ok . . .", "well so ok"),
        ("what?! no!!! so? ok!", "what ?! no !!! so ok"),
        ("3,000.50 3.5 .5 -5 2:10 5.", "3,000.50 3.5 .5 -5 2:10 5"),
        ("4:06pm 5ft 5.5ft 1st 2x4", "4:06 pm 5ft 5.5 ft 1st 2x4"),
        ("1/2 and/or 1 1/2-inch ½", "1/2 and/or 1 1/2 inch 1/2"),
        ("$5 $3.50 US$5 £5 €5 5¢ 50%", "$ 5 $ 3.50 us$ 5 # 5 $ 5 5 cents 50 %"),
        ("#1 (a) [b] {c}", "# 1 -lrb- a -rrb- -lsb- b -rsb- -lcb- c -rcb-"),
        ("AT&T A&M a&b R&amp;B &lt;", "at&t a&m a & b r&b <"),
        (
            "www.a.com a.b.co.uk me@a.com @me #tag",
            "www.a.com a.b.co.uk me@a.com @me #tag",
        ),
        ('<br> <a href="b c"> x < y', '<br> <a href="b c"> x < y'),
        ("(555) 555-1234 555-1234", "-lrb-555-rrb- 555-1234 555-1234"),
        (":) :-( ;)", ":-rrb- :--lrb- ;-rrb-"),
        ("smile 😀 a\u200bb", "smile a b"),
        ("café naïve 北京", "café naïve 北京"),
        ("「猫」と『犬』は、【動物】です。", "猫 と 犬 は 、 動物 です 。"),
        ("《红楼梦》 第Ⅳ章, 二〇 ¤5", "红楼梦 第 章 二 $ 5"),
        ("Part Ⅳ of ⅩⅡ, vol.Ⅲ", "part of vol"),
        ("road.An a,b a;b", "road.an a b a b"),
        (" \t", ""),
    ],
)
def test_tokens_are_those_of_the_stanford_tokenizer(text, tokens):
    # The right side is what PTBTokenizer 3.4.1 and pycocoevalcap 1.2 made of the left.
    assert tokenize_ptb(text) == tokens.split()


@settings(max_examples=200, deadline=None)
@given(st.lists(st.sampled_from(WORDS), max_size=6))
def test_words_one_by_one_have_the_tokens_of_the_line(words):
    text = " ".join(words)
    # "<" makes it read the line as a whole.
    assert [*tokenize_ptb(text), "<"] == tokenize_ptb(f"{text} <")


@settings(max_examples=200, deadline=None)
@given(st.text(max_size=20))
def test_any_text_has_tokens_without_blanks_or_capitals(text):
    tokens = tokenize_ptb(text)
    assert tokens == [token.lower() for token in tokens if token.split() == [token]]
