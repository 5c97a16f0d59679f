"""BLEU by the length of the source."""

import pytest

import metrics
from tasks.text.by_length import scores_by_length
from tasks.text.figures import draw_by_length


def lines(words, count):
    """Different lines of so many words."""
    return [" ".join(f"w{row}x{k}" for k in range(words)) for row in range(count)]


def test_each_group_has_the_lines_of_its_lengths():
    short, long = lines(4, 30), lines(12, 30)
    sources = [*short, *long]
    references = [[source] for source in sources]
    groups = scores_by_length(sources, references, [*short, *["wrong"] * 30])
    assert [(group.lengths, group.bleu) for group in groups] == [
        ("1-5", pytest.approx(1)),
        ("6-12", 0),
    ]
    assert groups[0].interval == pytest.approx((1, 1))


def test_groups_with_few_lines_join_others():
    sources = [*lines(4, 19), *lines(8, 20), *lines(14, 30), *lines(22, 3)]
    references = [[source] for source in sources]
    texts = [*sources[:19], *(f"{source} more" for source in sources[19:])]
    groups = scores_by_length(sources, references, texts)
    # The first lines are too few for a group of their own, and so are the last.
    assert [group.lengths for group in groups] == ["1-10", "11-22"]
    bleu = metrics.BLEU()
    for group, rows in zip(groups, (slice(39), slice(39, None)), strict=True):
        expected = bleu.corpus_score(references[rows], texts[rows]).value
        assert group.bleu == pytest.approx(expected)
        low, high = group.interval
        assert low <= group.bleu <= high


def test_few_lines_are_one_group():
    (group,) = scores_by_length(["a b c d e f"], [["a b c d e f"]], ["a b c d e f"])
    assert group.lengths == "1-6"
    # Resampling a single line gives the same line.
    assert group.interval is None
    assert len(draw_by_length({"one": [group]}).axes) == 1


def test_lines_without_words_are_in_no_group():
    sources = [*[""] * 20, *lines(7, 30)]
    references = [[source] for source in sources]
    (group,) = scores_by_length(sources, references, sources)
    assert (group.lengths, group.bleu) == ("1-7", pytest.approx(1))
    assert scores_by_length([""], [["a"]], ["b"]) == []


def test_networks_are_drawn_beside_one_another():
    groups = scores_by_length(
        lines(4, 30), [[line] for line in lines(4, 30)], ["w"] * 30
    )
    (axes,) = draw_by_length({"one": groups, "other": groups}).axes
    assert [text.get_text() for text in axes.get_legend().get_texts()] == [
        "one",
        "other",
    ]
    assert [tick.get_text() for tick in axes.get_xticklabels()] == ["1-4"]
    (axes,) = draw_by_length({"one": groups}).axes
    assert axes.get_legend() is None
