"""Makes wordnet-3.0.txt.gz: the words of WordNet 3.0 and the synsets they are in.

    python metrics/data/make_synonyms.py /usr/share/wordnet

The folder is that of Debian's package wordnet-base, or Princeton's `dict`. README.md in
this folder describes the table.
"""

import gzip
import io
import pathlib
import sys
from collections import defaultdict
from collections.abc import Iterator

TABLE = pathlib.Path(__file__).with_name("wordnet-3.0.txt.gz")

HEADER = (
    "# WordNet 3.0, Copyright 2006 by Princeton University; see WORDNET-LICENSE.txt"
)

PARTS_OF_SPEECH = {"n": "noun", "v": "verb", "a": "adj", "r": "adv"}

# Debian rebuilds the database: a blank in the gloss of `laid`, and the pointer between
# `suppress` and `restrain`, moved the synsets after them. For each part of speech: the
# first moved offset, the first offset that is right again, and the distance.
MOVED = {"a": (1_681_478, 10**8, 1), "v": (613_036, 2_422_967, 18)}


def fields(path: pathlib.Path) -> Iterator[list[str]]:
    """The fields of each line, without the licence, whose lines start with a blank."""
    with open(path, encoding="ascii") as file:
        for line in file:
            if not line.startswith(" "):
                yield line.split()


def spellings(folder: pathlib.Path, part: str) -> dict[str, set[str]]:
    """The words of each synset by its offset, with their capitals."""
    synsets = {}
    for offset, _, _, count, *rest in fields(folder / f"data.{PARTS_OF_SPEECH[part]}"):
        words = rest[: 2 * int(count, 16) : 2]
        # Adjectives have a mark of their position, such as `galore(ip)`.
        synsets[offset] = {word.split("(")[0] for word in words}
    return synsets


def princeton(offset: str, part: str, synsets: dict[str, set[str]]) -> str:
    """The offset of a synset in Princeton's files."""
    start, end, distance = MOVED.get(part, (10**8, 10**8, 0))
    moved = f"{start:08}" in synsets and start <= int(offset) < end
    return f"{int(offset) - distance:08}" if moved else offset


def senses(folder: pathlib.Path) -> dict[str, list[str]]:
    """The synsets of each word, in the order of WordNet's index."""
    words = defaultdict(list)
    for part, name in PARTS_OF_SPEECH.items():
        synsets = spellings(folder, part)
        for word, _, count, *rest in fields(folder / f"index.{name}"):
            for offset in rest[-int(count) :]:
                mark = part if word in synsets[offset] else part.upper()
                words[word].append(mark + princeton(offset, part, synsets))
    return words


def bases(folder: pathlib.Path) -> dict[str, list[str]]:
    """The base forms of each irregular form, one entry for each line of the lists."""
    forms = defaultdict(list)
    for part, name in PARTS_OF_SPEECH.items():
        for form, *base in fields(folder / f"{name}.exc"):
            forms[form].append(f"{part}={','.join(base)}")
    return forms


def table(folder: pathlib.Path) -> str:
    """The text of the table, a line for each word, in the order of code points."""
    words, forms = senses(folder), bases(folder)
    lines = [
        " ".join([word, *words.get(word, []), *forms.get(word, [])])
        for word in sorted(words.keys() | forms.keys())
    ]
    return "\n".join([HEADER, *lines, ""])


def compress(text: str) -> bytes:
    """The text with gzip. Without time and name every build has the same bytes."""
    buffer = io.BytesIO()
    with gzip.GzipFile("", "wb", 9, buffer, mtime=0) as file:
        file.write(text.encode("ascii"))
    return buffer.getvalue()


if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    TABLE.write_bytes(compress(table(pathlib.Path(sys.argv[1]))))
