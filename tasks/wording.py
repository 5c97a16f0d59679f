"""Numbers with what they count, in messages."""


def counted(number: int, one: str, several: str | None = None) -> str:
    """A number and a noun, which is in the plural unless the number is 1.

    Args:
        number: The number.
        one: The noun in the singular, such as "whole epoch".
        several: Its plural; the singular with an s if None.
    Example:
        >>> counted(1, "line"), counted(1200, "batch", "batches")
        ('1 line', '1,200 batches')
    """
    return f"{number:,} {one if number == 1 else several or f'{one}s'}"
