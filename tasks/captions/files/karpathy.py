"""Karpathy's files of captions: `dataset_coco.json`, `dataset_flickr8k.json`,
`dataset_flickr30k.json`."""

from typing import Any

from ...checks import shorten
from .listed import SPLITS, Listed


def is_karpathy(content: Any) -> bool:
    """Whether a JSON file has this form: `images`, each with its `sentences`."""
    images = content.get("images") if isinstance(content, dict) else None
    return isinstance(images, list) and any(
        isinstance(image, dict) and "sentences" in image for image in images
    )


def captions_of(image: dict[str, Any]) -> list[str]:
    """The texts of the sentences of an image: as they are, or else their tokens.

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


def karpathy_pictures(content: Any) -> list[Listed]:
    """The pictures of such a file.

    Raises:
        ValueError: If one lacks what it must have.
    Reference:
        Karpathy, Fei-Fei (2015), Deep Visual-Semantic Alignments for Generating Image
        Descriptions, whose splits most papers use.
    """
    return [_picture(image, place) for place, image in enumerate(content["images"])]


def _picture(image: Any, place: int) -> Listed:
    try:
        # COCO's pictures lie in two folders, which `filepath` names.
        folder = image.get("filepath")
        name = f"{folder}/{image['filename']}" if folder else str(image["filename"])
        return Listed(name, captions_of(image), SPLITS[image["split"]])
    except (KeyError, TypeError, AttributeError):
        raise ValueError(
            "must have images with a filename, a split (train, restval, val or test) "
            "and sentences, each with raw or tokens. "
            f"Received: images[{place}]={shorten(image)}"
        ) from None
