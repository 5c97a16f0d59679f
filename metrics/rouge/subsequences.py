"""Longest common subsequences of words, for ROUGE-L and ROUGE-Lsum."""

from collections.abc import Sequence


def longest_common_subsequence(first: Sequence[str], second: Sequence[str]) -> int:
    """Length of the longest common subsequence of two lists of words.

    Each step handles one word of the second list and all words of the first list, which
    are the bits of an integer.

    Reference:
        Hyyrö (2004), Bit-parallel LCS-length computation revisited, figure 3.
    Example:
        >>> longest_common_subsequence("the cat sat".split(), "the fat cat".split())
        2
    """
    return common_length(positions_of(first), len(first), second)


def positions_of(tokens: Sequence[str]) -> dict[str, int]:
    """The positions of each token, as the bits of an integer."""
    positions: dict[str, int] = {}
    bit = 1
    for token in tokens:
        positions[token] = positions.get(token, 0) | bit
        bit <<= 1
    return positions


def common_length(positions: dict[str, int], size: int, tokens: Sequence[str]) -> int:
    """Length of the longest common subsequence of two texts.

    Bit i of `row` is 0 if the subsequence gets longer at token i, so the number of
    zeros is its length. Carries above bit `size` have no effect.

    Args:
        positions: `positions_of` of the first text.
        size: Number of tokens of the first text.
        tokens: Tokens of the second text.
    """
    full = (1 << size) - 1
    row = full
    for token in tokens:
        if token in positions:
            matches = row & positions[token]
            row = (row + matches) | (row - matches)
    return size - (row & full).bit_count()


def common_positions(first: Sequence[str], second: Sequence[str]) -> int:
    """Where a longest common subsequence lies in the first text.

    There may be several. This one is rouge-score's: from the ends of both texts, equal
    words are taken; otherwise a word of the first text is left out if what remains has
    a subsequence of the same length, else a word of the second.

    Args:
        first: A text.
        second: Another one.
    Returns:
        The positions, as the bits of an integer.
    Example:
        >>> bin(common_positions("a b a".split(), "b a b".split()))
        '0b11'
    """
    positions = positions_of(second)
    full = (1 << len(second)) - 1
    rows = [full]  # of no words of the first text, of the first one, ...
    for token in first:
        row = rows[-1]
        matches = row & positions.get(token, 0)
        rows.append(((row + matches) | (row - matches)) & full)
    found, i, j = 0, len(first), len(second)
    while i and j:
        if first[i - 1] == second[j - 1]:
            i, j = i - 1, j - 1
            found |= 1 << i
        elif _zeros(rows[i - 1], j) == _zeros(rows[i], j):
            i -= 1
        else:
            j -= 1
    return found


def _zeros(row: int, size: int) -> int:
    """Zeros among the lowest bits: the length of a common subsequence."""
    return size - (row & ((1 << size) - 1)).bit_count()
