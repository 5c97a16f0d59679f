"""What models of text are used for: writing, debagging, probes."""

import itertools

import numpy as np
import pytest

import tasks
from tasks import NGramModel
from tasks.text import debagging
from tasks.text.debagging import draw_bags
from tasks.text.figures import draw_closings
from tasks.text.network import NetworkModel, as_language_model
from tasks.text.probes import closing_probabilities

# See tests/tasks/conftest.py.
IN_GRAPHS = True

RHYME = "one two three four five. " * 40


@pytest.fixture(params=["n-grams", "network"])
def model(request, book, network):
    if request.param == "n-grams":
        return NGramModel(RHYME, order=3)
    return NetworkModel(network, book.vocabulary)


def tokens_of(model, *texts):
    return np.stack([model.vocabulary.encode(text) for text in texts])


# --- reading ---


def test_rows_of_states_go_on_as_whole_texts(model):
    """Two texts with one beginning share what was read of it."""
    _, states = model.read(tokens_of(model, "one t"), model.initial_states(1))
    both = [np.repeat(state, 2, axis=0) for state in states]
    values, states = model.read(tokens_of(model, "wo", "hr"), both)
    for row, text in enumerate(("one two", "one thr")):
        whole = model.log_probabilities(text)
        np.testing.assert_allclose(values[row], whole[5:], atol=1e-5)
        following = np.exp(model.following(states)[row])
        assert following.sum() == pytest.approx(1)
        nexts = [model.log_probabilities(text + c)[-1] for c in "oe "]
        np.testing.assert_allclose(
            model.following(states)[row, model.vocabulary.encode("oe ")],
            nexts,
            atol=1e-5,
        )


def test_models_are_made_of_what_training_leaves(book, network):
    assert as_language_model(model := NGramModel(RHYME)) is model
    made = as_language_model(network, book)
    assert made.vocabulary == book.vocabulary
    for other, task in [(network, None), (network, tasks.Copy()), (None, None)]:
        with pytest.raises(TypeError, match="`model` must be a LanguageModel, a run"):
            as_language_model(other, task)
    with pytest.raises(TypeError, match=r"'runs/book'.*with `tasks.open_run\(path\)`"):
        as_language_model("runs/book")


@pytest.mark.parametrize("text", ["", None])
def test_texts_to_read_are_checked(model, text):
    with pytest.raises((TypeError, ValueError), match="`text` must"):
        model.bits_per_character(text)


# --- writing ---


def test_without_temperature_the_most_probable_character_is_written(model):
    text = "one"
    for _ in range(6):
        values = [model.log_probabilities(text + c)[-1] for c in sorted(set(RHYME))]
        text += sorted(set(RHYME))[int(np.argmax(values))]
    assert tasks.generate(model, "one", length=6, temperature=0) == text[3:]


def test_a_seed_gives_a_text(model):
    texts = [tasks.generate(model, "o", length=30, seed=seed) for seed in (1, 1, 2)]
    assert texts[0] == texts[1] != texts[2]
    assert len(texts[0]) == 30 and set(texts[0]) <= set(RHYME)
    assert tasks.generate(model, "o", length=30, seed=1)[:10] == texts[0][:10]
    assert tasks.generate(model, "o", length=0) == ""


@pytest.mark.parametrize("temperature", [1.0, 0.5])
def test_characters_are_drawn_by_their_probabilities(temperature):
    """One character known and one not: after a comes b, three times in five."""
    model = NGramModel("ab" * 3 + "ac" * 2, order=2)
    _, states = model.read(tokens_of(model, "a"), model.initial_states(1))
    shares = np.exp(model.following(states)[0] / temperature)[1:]
    drawn = "".join(
        tasks.generate(model, "a", length=1, temperature=temperature, seed=seed)
        for seed in range(600)
    )
    found = np.array([drawn.count(c) for c in "abc"]) / 600
    # Four standard deviations.
    np.testing.assert_allclose(found, shares / shares.sum(), atol=4 * 0.5 / 600**0.5)


def test_a_low_temperature_is_greedy(book, network):
    model = NetworkModel(network, book.vocabulary)
    greedy = tasks.generate(model, "two", length=12, temperature=0)
    assert tasks.generate(model, "two", length=12, temperature=1e-4) == greedy


@pytest.mark.parametrize(
    ("arguments", "error", "message"),
    [
        ({"prompt": ""}, ValueError, "`prompt` must have at least one character"),
        ({"prompt": 5}, TypeError, "`prompt` must be a string. Received: prompt=5"),
        ({"prompt": "Öne"}, ValueError, "`prompt` must have only .* Received: 'Ö'"),
        ({"length": -1}, ValueError, "`length` must be a non-negative integer"),
        (
            {"temperature": -1},
            ValueError,
            "`temperature` must be a finite number at least",
        ),
        ({"seed": -1}, ValueError, "`seed` must be a non-negative integer"),
    ],
)
def test_wrong_arguments_of_writing_are_named(arguments, error, message):
    with pytest.raises(error, match=message):
        tasks.generate(NGramModel(RHYME), **{"prompt": "o", **arguments})


# --- debagging ---

BAG = ("one", "three", "two", "five.", "four", "one")


def test_the_best_order_is_that_of_brute_force(model):
    """Four words in the middle: 24 texts, each read on its own."""
    first, *middle, last = BAG
    found = tasks.debag(model, BAG, fixed=1)
    values = {}
    for order in itertools.permutations(middle):
        text = " ".join([first, *order, last])
        # The beginning costs the same in all orders.
        values[order] = model.log_probabilities(text).sum()
    best = max(values, key=values.get)
    assert found.words == (first, *best, last)
    assert found.log_probability == pytest.approx(values[best], abs=1e-4)
    above = sum(value > values[tuple(middle)] + 1e-4 for value in values.values())
    assert found.rank == 1 + above
    assert found.orders == 24 and found.is_right == (found.rank == 1)


def test_n_grams_that_know_the_rhyme_put_it_in_order():
    model = NGramModel(RHYME, order=8)
    right = ["five.", "one", "two", "three", "four", "five."]
    assert tasks.debag(model, right, fixed=1).is_right
    mixed = ["five.", "three", "four", "one", "two", "five."]
    found = tasks.debag(model, mixed, fixed=1)
    assert found.words == tuple(right) and found.rank > 1


def test_orders_that_swap_equal_words_are_one_text(model):
    found = tasks.debag(model, ["two", "two", "two"], fixed=0)
    assert found.is_right and found.words == ("two",) * 3
    assert found.orders == 6


def test_no_order_wins_by_its_place(book):
    """Where all texts of one length are equally probable, no order is above another."""

    class Even(NGramModel):
        def read(self, tokens, states):
            return np.full(np.shape(tokens), -1.0), states

    found = tasks.debag(Even(RHYME), BAG, fixed=1)
    assert found.rank == 1 and found.log_probability == -len(" ".join(BAG))


def test_bags_are_runs_of_words_of_one_paragraph():
    text = "a b c d\ne f g h i j k\n\n \nl m n\n\n1 2 3 4 5 6 7 8 9 10 11"
    bags = draw_bags(text, 200, seed=1)
    runs = {tuple("abcdefghijk"), tuple(str(n) for n in range(1, 12))}
    assert set(bags) == runs
    assert 70 < bags.count(tuple("abcdefghijk")) < 130
    assert bags == draw_bags(text, 200, seed=1) != draw_bags(text, 200, seed=2)
    with pytest.raises(ValueError, match="a paragraph of at least 11 words. Received"):
        draw_bags("too few words", 1)


@pytest.mark.parametrize(
    ("words", "error", "message"),
    [
        ("one two three", TypeError, "`words` must be a list of strings"),
        ([1, 2], TypeError, "`words` must be a list of strings"),
        (
            ["a", "b", "c", "d"],
            ValueError,
            "`words` must be from 5 to 13, .*Received: 4",
        ),
        (["a"] * 14, ValueError, "`words` must be from 5 to 13, .*Received: 14"),
        (["a", "", "c", "d", "e"], ValueError, "`words` must not be empty strings"),
    ],
)
def test_wrong_bags_are_named(words, error, message):
    with pytest.raises(error, match=message):
        tasks.debag(NGramModel("abc"), words)


def test_the_tree_of_a_bag_has_all_orders():
    """As many branches as there are beginnings of orders."""
    read = []

    class Counting(NGramModel):
        def read(self, tokens, states):
            read.append(tokens.shape)
            return super().read(tokens, states)

    words = ["v", "w", *"abcdefg", "x", "y"]
    found = tasks.debag(Counting("".join(words)), words)
    assert found.orders == 5040
    # The beginning; seven reads for each of seven words; the end.
    assert len(read) == 1 + 7 * 7 + 1 and read[-1][0] == 5040
    branches = sum(rows for rows, _ in read[1:-1])
    assert branches == 7 + 42 + 210 + 840 + 2520 + 5040 + 5040 == 13_699
    assert debagging.WORDS == len(words)


# --- probes ---


def test_a_model_that_counts_closes_what_was_opened():
    """Three characters in brackets, always: a 5-gram model knows when to close."""
    model = NGramModel("(abc) abc abc (cab) cab cab " * 30, order=5)
    opened, plain = closing_probabilities(
        model, ["abc ", "cab "], context=" ", length=3
    )
    assert opened.shape == plain.shape == (3,)
    assert (opened[:2] < 0.01).all() and opened[2] > 0.9
    assert plain[2] < 0.05
    # The mean over the two texts, each read on its own.
    for step in range(3):
        expected = np.mean(
            [
                np.exp(model.log_probabilities(f" ({text[: step + 1]})")[-1])
                for text in ("abc", "cab")
            ]
        )
        assert opened[step] == pytest.approx(expected)


def test_probes_are_drawn():
    curve = (np.array([0.1, 0.2]), np.array([0.01, 0.01]))
    figure = draw_closings({"one": curve, "other": curve}, "[", "]")
    assert [axes.get_title() for axes in figure.axes] == ["one", "other"]
    line, other = figure.axes[0].get_lines()
    np.testing.assert_array_equal(line.get_xdata(), [1, 2])
    np.testing.assert_array_equal(line.get_ydata(), curve[0])
    np.testing.assert_array_equal(other.get_ydata(), curve[1])


@pytest.mark.parametrize(
    ("arguments", "error", "message"),
    [
        ({"texts": "abc"}, TypeError, "`texts` must be a list of at least one text"),
        ({"texts": []}, TypeError, "`texts` must be a list of at least one text"),
        ({"texts": ["ab"]}, ValueError, "`texts` must have at least 3 characters each"),
        ({"texts": ["a(c"]}, ValueError, "neither \\( nor \\). Received: 'a\\(c'"),
        ({"closing": "]"}, ValueError, "`closing` must be one character that the mod"),
        ({"opening": "(("}, ValueError, "`opening` must be one character that the mod"),
        ({"length": 0}, ValueError, "`length` must be a positive integer"),
    ],
)
def test_wrong_probes_are_named(arguments, error, message):
    model = NGramModel("(abc) abc")
    arguments = {"texts": ["abc"], "length": 3, "context": "a", **arguments}
    with pytest.raises(error, match=message):
        closing_probabilities(model, **arguments)
