"""Test sets of WMT: the SGML until 2020, which NIST's mteval reads, and the XML since.

SGML has a file for each set: `<refset>`, `<tstset>` or `<srcset>`, of documents
(`<doc docid= sysid=>`) of segments (`<seg id=>`). XML has all in one `<dataset>`: each
`<doc id=>` has a `<src>`, `<ref translator=>` and `<hyp system=>`.
"""

import dataclasses
import re
import xml.etree.ElementTree
from collections.abc import Iterator, Mapping, Sequence

from ..metrics_package import metrics_module
from ..plain_text import has_suffix, name_of

# The ids of a document and of one of its segments.
Segment = tuple[str, str]
Texts = dict[Segment, str]

SUFFIXES = (".sgm", ".sgml", ".xml")
_START = re.compile(
    r"\s*(?:<[?!][^>]*>\s*)*<(srcset|refset|tstset|mteval|dataset)\b", re.IGNORECASE
)
# Only these are tags, as for mteval: an HTML parser would drop the word "<unk>".
_TAG = re.compile(r"<(/?)(srcset|refset|tstset|doc|seg)\b([^<>]*)>", re.IGNORECASE)
_ATTRIBUTE = re.compile(r"""([\w:-]+)\s*=\s*(?:"([^"]*)"|'([^']*)'|([^\s"'>]+))""")
_KINDS = {"srcset": "source", "refset": "reference", "tstset": "system"}
# What names a source, a reference and a system in XML.
_NAMES = {
    "src": ("source", "lang"),
    "ref": ("reference", "translator"),
    "hyp": ("system", "system"),
}


@dataclasses.dataclass
class WMTFile:
    """The texts of a file.

    Attributes:
        path: The file.
        is_xml: Whether it is XML, where segments may have no reference.
        segments: All segments, in the order of the file.
        sets: The texts of each "source", "reference" and "system", by its name.
    """

    path: str
    is_xml: bool
    segments: dict[Segment, None] = dataclasses.field(default_factory=dict)
    sets: dict[str, dict[str, Texts]] = dataclasses.field(
        default_factory=lambda: {kind: {} for kind in _KINDS.values()}
    )

    def add(self, kind: str, name: str, segment: Segment, text: str) -> None:
        """Adds a text; runs of white space in it are a blank.

        Raises:
            ValueError: If a segment is there twice, or has no ids.
        """
        if not all(segment):
            raise ValueError(
                f"{name_of(self.path)} must have a docid for each <doc> and an id for "
                f"each <seg>. Received none for {text.strip()[:40]!r}"
            )
        texts = self.sets[kind].setdefault(name, {})
        if segment in texts:
            raise ValueError(
                f"{name_of(self.path)} must have each segment once. Received "
                f"{named(segment)} of the {kind} {name!r} twice"
            )
        texts[segment] = " ".join(text.split())
        self.segments[segment] = None

    def texts(self, kind: str, names: Sequence[str] = ()) -> dict[str, Texts]:
        """The texts of a kind, by name.

        An SGML file that is given as references counts as such, whatever its set is
        called, unless it has only sources; likewise for systems.

        Args:
            kind: "reference" or "system".
            names: Some of the names; by default all.
        Raises:
            ValueError: If there are none, or none of a name.
        """
        found = self.sets[kind]
        if not found and not self.is_xml:
            found = self.sets["system"] or self.sets["reference"]
        if not found:
            others = [other for other, texts in self.sets.items() if texts]
            raise ValueError(
                f"{name_of(self.path)} must have a {kind}. Received: "
                f"{' and '.join(others) or 'no <seg>'}"
            )
        for name in names:
            if name not in found:
                raise ValueError(
                    f"`translators` must be of {', '.join(found)}, as "
                    f"{name_of(self.path)} has them. Received: {name}"
                )
        return {name: found[name] for name in names or found}


def named(segment: Segment) -> str:
    """How a segment is written: DOCUMENT:SEGMENT."""
    return ":".join(segment)


def is_marked(text: str) -> bool:
    """Whether a text is a test set of WMT, by its first tag."""
    return _START.match(text) is not None


def check_names(texts: Mapping[str, str]) -> None:
    """Checks that files that are called SGML or XML are test sets of WMT.

    Args:
        texts: The text of each file.
    Raises:
        ValueError: If one is not.
    """
    for path, text in texts.items():
        if has_suffix(path, *SUFFIXES) and not is_marked(text):
            raise ValueError(
                f"{name_of(path)} must be a test set of WMT: <refset>, <tstset> or "
                "<dataset>. Lines of text need another name, such as .txt. Received: "
                f"{text.strip()[:40]!r}"
            )


def wmt_file_of(text: str, path: str) -> WMTFile:
    """Reads a test set.

    Args:
        text: The text of a file, for which `is_marked` is true.
        path: The file.
    Raises:
        ValueError: If it is damaged.
    """
    start = _START.match(text)
    found = WMTFile(path, is_xml=start is not None and start[1].lower() == "dataset")
    for entry in (_of_xml if found.is_xml else _of_sgml)(text, path):
        found.add(*entry)
    return found


def _of_xml(text: str, path: str) -> Iterator[tuple[str, str, Segment, str]]:
    """Kind, name, segment and text of all but test suites, as sacreBLEU."""
    try:
        root = xml.etree.ElementTree.fromstring(text)
    except xml.etree.ElementTree.ParseError as error:
        raise ValueError(f"{name_of(path)} must be XML: {error}.") from error
    for document in root.iter("doc"):
        if "testsuite" in document.attrib:
            continue
        for tag, (kind, attribute) in _NAMES.items():
            for part in document.iter(tag):
                name = part.get(attribute, "")
                for segment in part.iter("seg"):
                    ids = document.get("id", ""), segment.get("id", "")
                    yield kind, name, ids, "".join(segment.itertext())


def _of_sgml(text: str, path: str) -> Iterator[tuple[str, str, Segment, str]]:
    """Kind, name, segment and text, with entities as mteval replaces them."""
    decoded = metrics_module("tokenizers.mteval_13a").without_entities
    kind, of_set, of_document, opened = "system", {}, {}, None
    for tag in _TAG.finditer(text):
        is_end, name, attributes = tag[1], tag[2].lower(), _attributes(tag[3])
        if name == "seg" and (is_end == "") == (opened is not None):
            line = text[: tag.start()].count("\n") + 1
            raise ValueError(
                f"{name_of(path)} must have a </seg> for each <seg>. Received in line "
                f"{line}: {tag[0]}"
            )
        if opened is not None:
            if name == "seg":
                start, identifier = opened
                own = of_set | of_document
                segment = own.get("docid", ""), identifier
                by = own.get("sysid") or own.get("refid") or ""
                yield kind, by, segment, decoded(text[start : tag.start()])
                opened = None
        elif not is_end and name == "seg":
            opened = tag.end(), attributes.get("id", "")
        elif not is_end and name == "doc":
            of_document = attributes
        elif not is_end:
            kind, of_set, of_document = _KINDS[name], attributes, {}


def _attributes(text: str) -> dict[str, str]:
    return {name.lower(): "".join(value) for name, *value in _ATTRIBUTE.findall(text)}
