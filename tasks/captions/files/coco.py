"""COCO's files of captions: `captions_train2014.json` and its like."""

from typing import Any

from ...checks import shorten
from .listed import Listed

# How the names of COCO's files of captions begin, by split.
STEMS = {"captions_train": "train", "captions_val": "validation"}


def is_coco(content: Any) -> bool:
    """Whether a JSON file has this form: `images`, and `annotations` with captions."""
    annotations = content.get("annotations") if isinstance(content, dict) else None
    return isinstance(annotations, list) and any(
        isinstance(entry, dict) and "caption" in entry for entry in annotations
    )


def coco_split(file_name: str) -> str:
    """The split that the name of a file says; "" if it says none."""
    return next((s for stem, s in STEMS.items() if file_name.startswith(stem)), "")


def coco_pictures(content: Any) -> list[Listed]:
    """The pictures of such a file.

    Args:
        content: What is in it.
    Raises:
        ValueError: If an entry lacks what it must have, or a caption is of no picture.
    Reference:
        Chen et al. (2015), Microsoft COCO Captions, arXiv:1504.00325.
    """
    names: dict[Any, str] = {}
    captions: dict[Any, list[str]] = {}
    try:
        for image in content["images"]:
            names[image["id"]] = str(image["file_name"])
        for entry in content["annotations"]:
            captions.setdefault(entry["image_id"], []).append(str(entry["caption"]))
    except (KeyError, TypeError) as error:
        raise ValueError(
            "must have images with id and file_name, and annotations with image_id "
            f"and caption. Received: one that has not ({error!r})"
        ) from None
    for image in captions:
        if image not in names:
            raise ValueError(
                "must have captions of the images that it lists. "
                f"Received: image_id={shorten(image)}"
            )
    return [Listed(names[one], captions.get(one, [])) for one in names]
