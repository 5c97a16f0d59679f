"""Stories in the text format of bAbI: miniatures written by hand."""

import gzip
import re

import pytest

from memnets import tasks

pytestmark = pytest.mark.once

TWO_STORIES = """\
1 Mary went to the Garden.
2 John took the milk.
3 Where is Mary? \tgarden\t1
4 After that, he travelled to the kitchen.
5 Where is the milk?\tkitchen\t2 4
1 Sandra's office is north of the hallway.
2 How do you go?\ts, w
"""


def write(tmp_path, text, name="qa1_single_train.txt"):
    path = tmp_path / name
    path.write_text(text, encoding="utf-8")
    return path


def test_each_question_is_a_story_with_all_sentences_before_it(tmp_path):
    first, second, third = tasks.stories_from(write(tmp_path, TWO_STORIES))
    assert first == (
        "qa1_single",
        ("mary went to the garden", "john took the milk"),
        "where is mary",
        "garden",
        (0,),
    )
    assert second.sentences[2:] == ("after that he travelled to the kitchen",)
    assert second.answer == "kitchen"
    # Numbers of lines also count questions, places of sentences do not.
    assert second.facts == (1, 2)
    assert third.sentences == ("sandra's office is north of the hallway",)
    assert (third.answer, third.facts) == ("s,w", ())


def test_a_folder_is_read_in_the_order_of_names_and_files_may_be_gzipped(tmp_path):
    write(tmp_path, TWO_STORIES, "qa2_b_test.txt")
    write(tmp_path, TWO_STORIES, "qa1_a_test.txt")
    kinds = [story.kind for story in tasks.stories_from(tmp_path)]
    assert kinds == ["qa1_a"] * 3 + ["qa2_b"] * 3
    zipped = tmp_path / "qa1_a_test.txt.gz"
    zipped.write_bytes(gzip.compress(TWO_STORIES.encode()))
    assert tasks.stories_from(zipped) == tasks.stories_from(tmp_path)[:3]
    assert len(tasks.stories_from(tmp_path)) == 6  # of two forms of a file one is read
    (tmp_path / "qa1_a_test.txt").unlink()
    assert [story.kind for story in tasks.stories_from(tmp_path)] == kinds


@pytest.mark.parametrize(
    ("text", "line", "must"),
    [
        (
            "Mary went home.",
            1,
            "be a number and a sentence, such as '1 Mary went to the garden.'. "
            "Received: 'Mary went home.'",
        ),
        ("1 Mary left.\n3 John left.", 2, "have the number 1 or 2. "),
        ("2 Mary left.", 1, "have the number 1 or 1. "),
        ("1 Mary left.\n\n2 John left.", 2, "be a number and a sentence, "),
        ("1 ...", 1, "have words after its number, "),
        (
            "1 Mary left.\n2 Who left?\tmary\t1\t2",
            2,
            "have a question, an answer and facts: "
            "'2 Where is Mary?<tab>garden<tab>1'. "
            r"Received: '2 Who left?\tmary\t1\t2'",
        ),
        ("1 Mary left.\n2 Who left?\t \t1", 2, "have an answer after the first tab: "),
        (
            "1 Mary left.\n2 Who left?\tmary\t1\n3 Who?\tmary\t2",
            3,
            "have numbers of sentences before it after the second tab. ",
        ),
        ("1 Mary left.\n2 Who left?\tmary\tone", 2, "have numbers of sentences "),
        ("1 Who left?\tmary\t", 1, "come after a sentence of its story. "),
    ],
)
def test_a_line_that_is_not_of_the_format_is_named(tmp_path, text, line, must):
    path = write(tmp_path, text)
    message = re.escape(f"{path}, line {line} must {must}")
    with pytest.raises(ValueError, match=f"^{message}"):
        tasks.stories_from(path)


def test_a_file_without_stories_is_named(tmp_path):
    with pytest.raises(ValueError, match="must have files .* Received: none$"):
        tasks.stories_from(tmp_path)
    missing = tmp_path / "none.txt"
    with pytest.raises(ValueError, match="none.txt cannot be read: No such file"):
        tasks.stories_from(missing)
    with pytest.raises(ValueError, match="must have a question, .* Received: none$"):
        tasks.stories_from(write(tmp_path, "1 Mary left.\n"))
    with pytest.raises(ValueError, match="is empty"):
        tasks.stories_from(write(tmp_path, ""))
