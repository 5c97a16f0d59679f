"""Cases of everything but text scores: likelihoods, sums, significance tests ..."""

import math

import numpy as np
from fuzz.judge import Case
from fuzz.options import OPTIONS, no_tokenizers
from fuzz.text_cases import BAD_ARGUMENTS
from fuzz.texts import (
    Series,
    aliens,
    corpora,
    deep,
    flags,
    huge,
    no_choices,
    no_integers,
    no_lists,
    no_texts,
    numbers,
    spoilt_corpora,
    strings,
    token_lists,
)
from hypothesis import strategies as st

import metrics

# Log-probabilities; -745 is the logarithm of the smallest float.
logs = st.one_of(
    st.floats(-8, 0),
    st.floats(-8, 0),
    st.sampled_from((0, -0.0, 1e-4, -1, -5e-324, -745.5, -1e5, -1e308, -math.inf)),
)
kinds = st.sampled_from((list, tuple, np.array, np.float32, np.longdouble))
sequences = st.builds(
    lambda make, own: make([max(value, -3e38) for value in own]),
    kinds,
    st.lists(logs, min_size=1, max_size=6),
)
no_sequences = st.one_of(
    aliens.filter(lambda value: not isinstance(value, range)),
    numbers,
    st.sampled_from(("", "abc", [], (), ["-1"], [None], [[-1.0]], [[-1.0], [-1, -2]])),
    st.sampled_from(([0.5], [math.nan], [-1, 1], [math.inf], [True], [1j], [b"a"])),
    st.sampled_from((np.zeros((2, 2)), np.zeros(0), np.zeros(3, "S1"), {"a": -1.0})),
    st.builds(deep),
)
characters = st.text(min_size=1, max_size=5)
no_characters = no_texts.filter(lambda value: not isinstance(value, list | tuple))


def _is_finite(sequence):
    """Whether no token of a text has a probability of almost 0."""
    return min(map(float, sequence)) > -600


@st.composite
def likelihood_cases(draw, name):
    """Cases of `Perplexity` or `BitsPerCharacter`, and of the functions beside them."""
    texts = draw(st.lists(characters, min_size=1, max_size=3))
    values = [draw(sequences) for _ in texts]
    by_function = draw(flags)
    # The function takes texts instead of references, and has other argument names.
    own = (
        ("texts", "log_probabilities") if by_function else ("references", "hypotheses")
    )
    if name == "Perplexity" and by_function:
        own = (None, "log_probabilities")
    spoilt = draw(st.sampled_from((None, None, *filter(None, own))))
    references = texts if by_function else [[text] for text in texts]
    if spoilt == own[1]:
        values = draw(_spoilt_values(values))
    elif spoilt and draw(flags):
        references = references * 2
    elif spoilt:
        bad = no_characters
        if not by_function:  # the perplexity reads no reference, but wants a list
            bad = no_lists if name == "Perplexity" else bad.map(lambda text: [text])
        references[draw(st.integers(0, len(texts) - 1))] = draw(bad)

    def do():
        if by_function:
            return [_by_function(name, references, values)]
        metric = getattr(metrics, name)()
        score = metric.corpus_score(references, values)
        assert score == metric.corpus_score(references, values), "the same twice"
        return [score, *metric.sentence_scores(references, values)]

    def finite():
        """The scores, without the infinite ones of impossible tokens, as documented."""
        scores = do()
        if all(map(_is_finite, values)):
            return scores
        return [score for score in scores if float(score) != math.inf]

    case = _case(do if spoilt else finite, spoilt, (name, references, values))
    return case._replace(low=1 if name == "Perplexity" else 0, high=math.inf)


def _by_function(name, texts, values):
    if name == "Perplexity":
        return metrics.perplexity(values)
    return metrics.bits_per_character(values, texts)


@st.composite
def _spoilt_values(draw, values):
    if draw(st.integers(0, 3)) == 0:
        return draw(no_lists.filter(lambda own: not isinstance(own, np.ndarray)))
    index = draw(st.integers(0, len(values) - 1))
    return [*values[:index], draw(no_sequences), *values[index + 1 :]]


def _case(do, spoilt, shown):
    """A case in which one argument is invalid, or none if `None`."""
    names = (spoilt,) if spoilt else ()
    kind = f"bad {spoilt}" if spoilt else "good"
    return Case(kind, do, names, bool(spoilt), shown)


@st.composite
def mask_cases(draw):
    """Cases of the mask of `perplexity`."""
    row = st.lists(st.floats(-9, 0), min_size=1, max_size=4)
    rows = draw(st.lists(row, min_size=1, max_size=4))
    mask = [[True] * len(row) for row in rows]
    if draw(flags):
        return Case("good", lambda: [metrics.perplexity(rows, mask=mask)], high=1e4)
    index = draw(st.integers(0, len(rows) - 1))
    match draw(st.integers(0, 3)):
        case 0:
            mask = draw(no_lists.filter(lambda value: value is not None))
        case 1:
            mask[index] = draw(st.one_of(aliens, numbers, strings))
        case 2:
            mask[index] = mask[index] * 2
        case 3:
            mask = mask * 2
    return Case(
        "bad mask", lambda: [metrics.perplexity(rows, mask=mask)], ("mask",), True, mask
    )


BAD_STATISTICS = (
    *(None, 5, "abc", "1", [], [[]], {}, [1, 2], [math.nan] * 4, [1, 1, 1, math.inf]),
    *([1, 1, 1, "a"], [1, 1, 1, None], [1, 1, 1, -1], [1, 1, [1]], [0] * 9, [1] * 300),
    *(np.zeros((2, 2)), np.array(1), np.array(["a"] * 9), np.ones(4, complex), True),
    *(np.ones((2, 2, 2)), [1, 1, 1, 10**400], b"1111", Series(), [[1] * 4, [1]]),
)


@st.composite
def sum_cases(draw):
    """Cases of `score_from`, `merge` and `score_rows` of any metric of texts."""
    name = draw(st.sampled_from(tuple(OPTIONS)))
    metric = OPTIONS[name].make()
    corpus = draw(corpora())
    method = draw(st.sampled_from(("score_from", "merge", "score_rows")))
    argument = "rows" if method == "score_rows" else "totals"
    if draw(flags):

        def do():
            fitted = metric.fitted(*corpus)
            rows = fitted.corpus_statistics(*corpus)
            given = rows.sum(axis=0) if method == "score_from" else rows
            score = getattr(fitted, method)(given)
            assert math.isclose(score.value, metric.corpus_score(*corpus).value)
            return [score]

        return Case("good", do, shown=(name, method, corpus), high=math.inf)
    bad = draw(st.one_of(st.sampled_from(BAD_STATISTICS), aliens, no_lists))
    if method == "merge" and draw(flags):
        bad = [bad]
    return Case(
        "bad statistics",
        lambda: [getattr(metric, method)(bad)],
        (argument,),
        True,
        (name, method, bad),
    )


NO_METRICS = (None, 5, "bleu", metrics.BLEU, [metrics.BLEU()], len, metrics)
NO_ARGUMENTS = {
    "metric": st.one_of(st.sampled_from(NO_METRICS), aliens),
    "trials": st.one_of(no_integers(1), huge),
    "seed": BAD_ARGUMENTS["seed"],
}


@st.composite
def comparison_cases(draw, function):
    """Cases of a significance test of two systems."""
    metric = OPTIONS[draw(st.sampled_from(tuple(OPTIONS)))].make()
    references, hypotheses = draw(corpora())
    baseline = draw(st.permutations(hypotheses))
    # Each hypothesis needs references of its own kind, text or tokens.
    if len({isinstance(own, str) for own in hypotheses}) > 1:
        baseline = hypotheses
    arguments = {
        "metric": metric,
        "references": references,
        "hypotheses": hypotheses,
        "baseline": baseline,
        "trials": draw(st.sampled_from((1, 5, np.int64(9)))),
        "seed": draw(st.sampled_from((0, 2**63, np.uint8(7)))),
    }
    spoilt = draw(st.sampled_from((None, None, "corpus", *NO_ARGUMENTS)))
    names = (spoilt,) if spoilt else ()
    if spoilt == "corpus":
        (references, hypotheses), where = draw(spoilt_corpora())
        arguments |= {"references": references, "hypotheses": hypotheses}
        arguments["baseline"] = hypotheses
        # The error may name either of the two.
        names = ("hypotheses", "baseline") if where == "hypotheses" else (where,)
    elif spoilt:
        arguments[spoilt] = draw(NO_ARGUMENTS[spoilt])

    def do():
        test = function(**arguments)
        assert 0 < test.p_value <= 1 and math.isfinite(test.difference), test
        return [test.score, test.baseline]

    return _case(do, spoilt, arguments)._replace(names=names, high=math.inf)


@st.composite
def document_cases(draw):
    """Cases of `count_documents`."""
    references, _ = draw(corpora())
    arguments = {"tokenizer": "none", "max_order": draw(st.integers(1, 4))}
    spoilt = draw(st.sampled_from(("", "references", "tokenizer", "max_order")))
    if spoilt == "references":
        index = draw(st.integers(0, len(references) - 1))
        references = list(references)
        references[index] = draw(no_lists)
        if draw(flags):
            references[index] = [draw(no_texts)]
    elif spoilt:
        bad = {"tokenizer": no_tokenizers, "max_order": st.one_of(no_integers(1), huge)}
        arguments[spoilt] = draw(bad[spoilt])

    def do():
        counts = metrics.count_documents(references, **arguments)
        assert all(1 <= count <= len(references) for count in counts.values())
        return []

    return _case(do, spoilt, (references, arguments))


@st.composite
def alignment_cases(draw):
    """Cases of `METEOR.align`, whose alignments must be consistent."""
    options = draw(OPTIONS["METEOR"].good)
    texts = {"reference": None, "hypothesis": None}
    kind = draw(st.sampled_from((strings, token_lists)))
    texts = {name: draw(kind) for name in texts}
    spoilt = draw(st.sampled_from((None, *texts)))
    if spoilt:
        texts[spoilt] = draw(no_texts)
        if spoilt == "reference" and draw(flags):
            # For a text, a list of texts is several references.
            texts[spoilt] = [["a"]] if kind is strings else "a"

    def do():
        alignment = metrics.METEOR(**options).align(**texts)
        assert 0 <= alignment.chunks <= len(alignment.matches)
        for side, start, length in (("reference", 0, 1), ("hypothesis", 2, 3)):
            words = getattr(alignment, side)
            taken = [
                place
                for match in alignment.matches
                for place in range(match[start], match[start] + match[length])
            ]
            assert len(set(taken)) == len(taken), "a word is matched once"
            assert all(0 <= place < len(words) for place in taken)
        assert alignment.render()
        return []

    return _case(do, spoilt, (options, texts))


@st.composite
def name_cases(draw):
    """Cases of `metrics.get`."""
    names = st.sampled_from(("bleu", "rouge-2", "chrf++", "wer", "exact-match"))
    spoilt = draw(st.sampled_from((None, "name")))
    name = draw(no_choices if spoilt else names)
    corpus = draw(corpora())

    def do():
        return [metrics.get(name).corpus_score(*corpus)]

    return _case(do, spoilt, (name, corpus))._replace(high=math.inf)
