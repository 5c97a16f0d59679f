"""Stories, against a reader that knows their texts only."""

import keras
import numpy as np
import pytest
from click.testing import CliRunner

import memnets
import tasks
from memnets.memory.tracing import HeadTrace
from tasks.cli.main import main
from tasks.relations.stories.figures import draw_hops
from tasks.relations.stories.simulator import TELLERS

KINDS = tuple(TELLERS)
STEPS = {"north": (0, 1), "south": (0, -1), "east": (1, 0), "west": (-1, 0)}
PLURAL = {"mice": "mouse", "cats": "cat", "wolves": "wolf", "sheep": "sheep"}


class Reader:
    """Reads sentences word by word, and answers questions by what it has noted."""

    def __init__(self, sentences):
        self.where, self.holder, self.spots, self.gifts = {}, {}, {}, []
        self.fears, self.animal, self.sides = {}, {}, []
        for sentence in sentences:
            self.note(*sentence.split(" "))

    def note(self, *words):
        match words:
            case name, "moved" | "went", "to", "the", place:
                self.where[name] = place
                for thing, holder in self.holder.items():
                    if holder == name:
                        self.put(thing, name)
            case name, "took" | "got", "the", thing:
                self.holder[thing] = name
                self.put(thing, name)
            case name, "dropped" | "left", "the", thing:
                self.holder.pop(thing, None)
                self.put(thing, name)
            case giver, "gave", "the", thing, "to", name:
                self.gifts.append((giver, thing, name))
                self.holder[thing] = name
                self.put(thing, name)
            case kind, "are", "afraid", "of", other:
                self.fears[PLURAL[kind]] = PLURAL[other]
            case name, "is", "a", kind:
                self.animal[name] = kind
            case "the", room, "is", way, "of", "the", other:
                self.sides.append((room, way, other))
            case _:
                raise AssertionError(words)

    def put(self, thing, name):
        """The thing is where the person is, if that was told."""
        if name in self.where:
            spots = self.spots.setdefault(thing, [])
            if spots[-1:] != [self.where[name]]:
                spots.append(self.where[name])

    def answer(self, question):
        match question.split(" "):
            case "where", "is", "the", thing:
                return self.spots[thing][-1]
            case "where", "is", name:
                return self.where[name]
            case "where", "was", "the", thing, "before", "the", place:
                spots = self.spots[thing]
                return spots[len(spots) - spots[::-1].index(place) - 2]
            case "is", name, "in", "the", place:
                return "yes" if self.where[name] == place else "no"
            case "how", "many", "objects", "is", name, "carrying":
                held = list(self.holder.values()).count(name)
                return ("none", "one", "two", "three")[held]
            case "who", "gave", "the", thing, "to", name:
                return [g for g, t, n in self.gifts if (t, n) == (thing, name)][-1]
            case "what", "did", giver, "give", "to", name:
                return [t for g, t, n in self.gifts if (g, n) == (giver, name)][-1]
            case "who", "did", giver, "give", "the", thing, "to":
                return [n for g, t, n in self.gifts if (g, t) == (giver, thing)][-1]
            case "what", "is", name, "afraid", "of":
                return self.fears[self.animal[name]]
            case "which", "way", "from", "the" | _, *_:
                return self.way(*question.split(" ")[3::2])
        raise AssertionError(question)

    def way(self, start, end):
        """Two steps that lead from the one room to the other."""
        next_to = {}
        for room, way, other in self.sides:
            next_to[other, way] = room
            back = next(
                d for d, s in STEPS.items() if s == tuple(-x for x in STEPS[way])
            )
            next_to[room, back] = other
        ways = [
            f"{first},{second}"
            for first in STEPS
            for second in STEPS
            if next_to.get((next_to.get((start, first)), second)) == end
        ]
        assert len(ways) == 1  # there is no other way
        return ways[0]


@pytest.mark.once
@pytest.mark.parametrize("kind", KINDS)
def test_answers_are_those_of_a_reader_and_follow_from_the_facts_alone(kind):
    answers = set()
    for story in tasks.Stories(kind=kind).stories(300, 1):
        assert story.kind == kind
        assert 2 <= len(story.sentences) <= 10
        assert Reader(story.sentences).answer(story.question) == story.answer
        facts = [story.sentences[fact] for fact in story.facts]
        assert facts
        assert Reader(facts).answer(story.question) == story.answer
        answers.add(story.answer)
    assert len(answers) >= {"yes-no": 2, "counting": 4, "giving": 7}.get(kind, 4)


@pytest.mark.once
def test_batches_hold_the_stories():
    task = tasks.Stories()
    stories, batch = task.stories(20, 5), task.sample(20, 5)
    for story, inputs, target in zip(stories, batch.inputs, batch.targets, strict=True):
        sentences, question = task.told(inputs)
        assert tuple(filter(None, sentences)) == story.sentences
        assert question == f"{story.question} ?"
        assert task.words.text(target[:1]) == story.answer
        told = np.flatnonzero([bool(sentence) for sentence in sentences])
        assert told[np.flatnonzero(target[1:][told])].tolist() == [
            told[fact] for fact in story.facts
        ]
        assert target[1:].sum() == len(story.facts)
    assert {story.kind for story in task.stories(200, 1)} == set(KINDS)
    assert (batch.inputs == task.sample(20, 5).inputs).all()
    assert (batch.inputs != task.sample(20, 6).inputs).any()


@pytest.mark.once
def test_answers_alone_count_as_errors():
    task = tasks.Stories(kind="yes-no")
    batch = task.sample(4, 1)
    outputs = np.eye(task.output_size)[batch.targets[:, 0]]
    assert not task.errors(batch, outputs)["wrong"].any()
    outputs[2] = 0
    assert task.errors(batch, outputs)["wrong"].tolist() == [0, 0, 1, 0]
    # NumPy's largest of several numbers is one that is none.
    outputs[3, batch.targets[3, 0]] = np.nan
    assert task.errors(batch, outputs)["wrong"].tolist() == [0, 0, 1, 1]
    assert (
        f"  output  {task.words.text(batch.targets[:1, 0])}"
        in task.presentation.render(batch, outputs)
    )


@pytest.mark.once
@pytest.mark.parametrize(
    "wrong",
    [{"kind": "riddle"}, {"longest": 5}, {"longest": 51}, {"read_by": "letter"}],
)
def test_parameters_are_checked(wrong):
    with pytest.raises(ValueError, match=rf"`{next(iter(wrong))}` must be .* Received"):
        tasks.Stories(**wrong)


@pytest.mark.once
def test_the_picture_marks_facts_and_leaves_padding_out():
    attention = np.array([[0.7, 0.3, 0.0], [0.1, 0.9, 0.0]])
    figure = draw_hops(
        ["one", "two", ""], "why ?", ("this", "that"), np.array([0, 1, 0]), attention
    )
    [axes] = figure.axes
    labels = axes.get_yticklabels()
    assert [label.get_text() for label in labels] == ["one", "two"]
    assert [label.get_fontweight() for label in labels] == ["normal", "bold"]
    assert "that  (right: this)" in figure.get_suptitle()


@pytest.mark.once
def test_a_run_is_trained_evaluated_and_reported(tmp_path, without_xla):
    out = str(tmp_path / "run")
    words = ["train", "stories", "--model", "memory-network", "--sequences", "64"]
    words += ["--longest", "6", "--embedding-size", "4", "--out", out]
    trained = CliRunner().invoke(main, words)
    assert trained.exit_code == 0, trained.output
    page = (tmp_path / "run" / "report.html").read_text(encoding="utf-8")
    assert "hop" in page
    evaluated = CliRunner().invoke(main, ["evaluate", out, "--sequences", "4"])
    rows = [line.split()[0] for line in evaluated.stdout.splitlines()]
    assert rows == ["kind", "all", *KINDS]


@pytest.mark.once
def test_a_sentence_is_read_at_a_step_and_three_steps_are_blank():
    task = tasks.Stories(longest=6, read_by="sentence")
    batch = task.sample(5, 2)
    rows = np.asarray(task.features(keras.ops.convert_to_tensor(batch.inputs)))
    known = task.input_size - 1  # without the token of no word
    words = rows.reshape(5, 7 + 3, task.width, known)
    assert (words[:, :7] == np.eye(1 + known)[batch.inputs][..., 1:]).all()
    assert not words[:, 7:].any()


@pytest.mark.once
def test_what_was_read_for_an_answer_is_told_by_step():
    task = tasks.Stories(longest=6, read_by="sentence")
    batch = task.sample(1, 2)
    sentences, question = task.told(batch.inputs[0])
    steps = len(sentences) + 1 + 3
    # Each step writes to a row of its own. The last four read the question, the last
    # two sentences, and what they have written themselves.
    write, read = np.eye(steps)[None], np.eye(steps)[None].copy()
    read[0, -4:] = np.eye(steps)[[6, 5, 4, 9]]
    heads = [
        HeadTrace(f"{kind} head", kind, np.zeros((1, steps, 3)), weighting)
        for kind, weighting in (("write", write), ("read", read))
    ]
    [section] = task.presentation.sections(batch, heads)
    assert section.table == [
        ["", "read head"],
        ["question", f"row 6: {question}"],
        ["blank step 1", f"row 5: {sentences[5]}"],
        ["blank step 2", f"row 4: {sentences[4]}"],
        ["blank step 3", "row 9: step 9, after all that was told"],
    ]
    assert tasks.Stories(longest=6).presentation.sections(batch, heads) == []
    assert task.presentation.sections(batch, []) == []


@pytest.mark.once
def test_the_report_says_which_sentences_a_memory_fetched(tmp_path, without_xla):
    words = ["train", "stories", "--model", "dnc-feedforward", "--sequences", "64"]
    words += ["--longest", "6", "--read-by", "sentence", "--memory-size", "8"]
    words += ["--word-size", "4", "--controller-size", "4"]
    trained = CliRunner().invoke(main, [*words, "--out", str(tmp_path / "run")])
    assert trained.exit_code == 0, trained.output
    page = (tmp_path / "run" / "report.html").read_text(encoding="utf-8")
    assert "What was read for the answer" in page
    assert "blank step 3" in page


@pytest.mark.once
def test_other_tasks_are_refused():
    model = tasks.get_model("memory-network")
    with pytest.raises(ValueError, match="must have a task of texts and a question"):
        model.build(tasks.Copy())


def test_attention_is_on_the_facts_where_it_must_be():
    # One sentence names the person: by hand, a query that looks for the name.
    task = tasks.Stories(kind="one-fact", longest=6)
    batch = task.sample(6, 3)
    layer = memnets.MemoryNetwork(
        task.input_size, task.input_size, hops=1, max_entries=6, position_encoding=False
    )
    inputs = (batch.inputs[:, :-1], batch.inputs[:, -1])
    layer(inputs)
    size = task.input_size
    ages = np.repeat(-np.arange(6.0)[:, None], size, 1) / size
    layer.words[0].assign(np.eye(size) * 30)
    layer.by_age[0].assign(ages)  # of two, the later one
    attention = np.asarray(layer.trace(inputs).attention)[:, 0]
    facts = batch.targets[:, 1:]
    assert (attention.argmax(axis=1) == facts.argmax(axis=1)).all()
