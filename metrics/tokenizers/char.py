"""The tokenizer `"char"`: single characters."""


def tokenize_char(text: str) -> list[str]:
    """Splits a text into its characters, without white space.

    Example:
        >>> tokenize_char("to be")
        ['t', 'o', 'b', 'e']
    """
    return list("".join(text.split()))
