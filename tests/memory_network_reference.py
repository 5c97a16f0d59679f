"""Memory networks in plain NumPy loops, written from the papers. Nothing of the package
is imported here.

One story at a time, in float64. A text is a list of tokens, and there is no padding.

Reference:
    Sukhbaatar, Szlam, Weston, Fergus (2015), End-To-End Memory Networks,
    arXiv:1503.08895. Miller et al. (2016), arXiv:1606.03126, section 3.1.
"""

import numpy as np
from reference import softmax


def vector(text, table, with_positions):
    """sum_j l_j * A x_j; l_kj = (1 - j/J) - (k/d) (1 - 2j/J), counted from 1."""
    size, count = table.shape[1], len(text)
    total = np.zeros(size)
    for j, token in enumerate(text, 1):
        for k in range(1, size + 1):
            weight = (1 - j / count) - (k / size) * (1 - 2 * j / count)
            weight = weight if with_positions else 1.0
            total[k - 1] += weight * table[token, k - 1]
    return total


def memories(texts, table, ages, with_positions):
    """m_i = sum_j A x_ij + T_A(i), where i counts from the last sentence back."""
    rows = []
    for index, text in enumerate(texts):
        row = vector(text, table, with_positions)
        if ages is not None:
            age = min(len(texts) - 1 - index, len(ages) - 1)
            row = row + ages[age]
        rows.append(row)
    return rows


def hop(query, keys, values, linear):
    scores = np.array([query @ key for key in keys])
    weighting = scores if linear else softmax(scores)
    reading = sum(p * value for p, value in zip(weighting, values, strict=True))
    return weighting, reading


def memory_network(
    texts, question, tables, ages, mapping=None, with_positions=True, linear=False
):
    """Attention of each hop, and logits.

    `tables` are `(B, [(A, C) of each hop], W)`, and `ages` `[(T_A, T_C) of each hop]`.
    """
    question_table, hops, answers = tables
    query = vector(question, question_table, with_positions)
    attention = []
    for (a, c), (age_a, age_c) in zip(hops, ages, strict=True):
        keys = memories(texts, a, age_a, with_positions)
        values = memories(texts, c, age_c, with_positions)
        weighting, reading = hop(query, keys, values, linear)
        attention.append(weighting)
        query = reading + (query if mapping is None else query @ mapping)
    return np.array(attention), answers @ query


def key_value_memory(keys, values, question, table, mappings, answers):
    """The same of a key-value memory, without positions and ages."""
    query = vector(question, table, False)
    key_rows = memories(keys, table, None, False)
    value_rows = memories(values, table, None, False)
    attention = []
    for mapping in mappings:
        weighting, reading = hop(query, key_rows, value_rows, False)
        attention.append(weighting)
        query = (query + reading) @ mapping
    return np.array(attention), answers @ query
