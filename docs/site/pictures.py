"""What the site adds to pictures: each is a link to itself in full size, so that a
phone can enlarge it."""

import re

PICTURE = re.compile(r'<img [^>]*?src="([^"]+)"[^>]*>')


def linked(html: str) -> str:
    """A page whose pictures are links.

    Args:
        html: The content of a page, as Markdown gives it.
    """
    return PICTURE.sub(r'<span class="picture"><a href="\1">\g<0></a></span>', html)
