"""The form of Karpathy's files of captions, which tasks and scores read."""

from typing import Any


def is_karpathy(content: Any) -> bool:
    """Whether a JSON file has this form: `images`, each with its `sentences`."""
    images = content.get("images") if isinstance(content, dict) else None
    return isinstance(images, list) and any(
        isinstance(image, dict) and "sentences" in image for image in images
    )


def captions_of(image: dict[str, Any]) -> list[str]:
    """The texts of the sentences of one of its images: as they are, or else their
    tokens.

    Raises:
        KeyError, TypeError, AttributeError: If it does not have this form.
    """
    return [_text_of(sentence) for sentence in image["sentences"]]


def _text_of(sentence: Any) -> str:
    if isinstance(raw := sentence.get("raw"), str):
        return raw
    tokens = sentence["tokens"]
    if not isinstance(tokens, list):  # " ".join() would take a text for its letters
        raise TypeError
    return " ".join(tokens)
