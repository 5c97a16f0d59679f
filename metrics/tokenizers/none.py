"""The tokenizer `"none"`: the words between white space."""


def tokenize_none(text: str) -> list[str]:
    """Splits a text at white space.

    Example:
        >>> tokenize_none("It isn't.")
        ['It', "isn't."]
    """
    return text.split()
