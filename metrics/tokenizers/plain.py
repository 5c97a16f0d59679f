"""The tokenizers without rules: `"none"`, words, and `"char"`, characters."""


def tokenize_none(text: str) -> list[str]:
    """Splits a text at white space.

    Example:
        >>> tokenize_none("It isn't.")
        ['It', "isn't."]
    """
    return text.split()


def tokenize_char(text: str) -> list[str]:
    """Splits a text into its characters, without white space.

    Example:
        >>> tokenize_char("to be")
        ['t', 'o', 'b', 'e']
    """
    return list("".join(text.split()))
