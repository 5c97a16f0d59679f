"""The form of Karpathy's files of captions, which tasks and scores read."""

from typing import Any


def is_karpathy(content: Any) -> bool:
    """Whether a JSON file has this form: `images`, each with its `sentences`."""
    images = content.get("images") if isinstance(content, dict) else None
    return isinstance(images, list) and any(
        isinstance(image, dict) and "sentences" in image for image in images
    )


def caption_of(sentence: dict[str, Any]) -> str:
    """The text of one of its sentences: as it is, or else its tokens.

    Raises:
        KeyError: If it has neither.
    """
    return str(sentence["raw"]) if "raw" in sentence else " ".join(sentence["tokens"])
