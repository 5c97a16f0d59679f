"""Test sets of WMT: SGML and XML are read as the texts of their segments."""

import gzip
import json
import pathlib

import pytest
from click.testing import CliRunner

from tasks.cli.main import main
from tasks.scoring.text_files import read_corpus, read_references

HYPOTHESES = {"d1": ["a dog ran home", '5 < 7 & <unk> "so"'], "d2": ["no"]}
REFERENCES = {"d1": ["the cat slept well", '7 > 5 & "so"'], "d2": ["no way"]}
ENTITIES = (("&", "&amp;"), ("<", "&lt;"), (">", "&gt;"), ('"', "&quot;"))


@pytest.fixture(autouse=True)
def _in_an_empty_directory(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)


def write(path, text):
    data = text.encode()
    pathlib.Path(path).write_bytes(gzip.compress(data) if path.endswith("gz") else data)
    return path


def escaped(text, but=()):
    for character, entity in ENTITIES:
        if character not in but:
            text = text.replace(character, entity)
    return text


def sgml(kind, systems, attribute="sysid"):
    """NIST's form: tags in any case, and texts that are no XML."""
    documents = [
        f'<DOC docid="{document}" {attribute}="{name}" genre=news>\n<hl>\n'
        + "".join(
            f"<seg id={n}>\n  {escaped(text, but='<>')}  </seg>\n"
            for n, text in enumerate(texts, 1)
        )
        + "</hl></DOC>\n"
        for name, own in systems.items()
        for document, texts in own.items()
    ]
    return (
        f'<!DOCTYPE mteval SYSTEM "x.dtd">\n<{kind} setid="t" srclang="any">\n'
        + "".join(documents)
        + f"</{kind}>\n"
    )


def xml(documents):
    """WMT's form since 2021: of each document, its parts by tag and name."""
    parts = []
    for document, own in documents.items():
        suite = " testsuite='x'" if document == "suite" else ""
        parts.append(f'<doc id="{document}" origlang="en"{suite}>')
        for (tag, name), texts in own.items():
            by = "system" if tag == "hyp" else "translator"
            parts.append(f'<{tag} {by}="{name}" lang="de"><p>')
            parts += [
                f'<seg id="{n}">{escaped(text)}</seg>'
                for n, text in enumerate(texts, 1)
            ]
            parts.append(f"</p></{tag}>")
        parts.append("</doc>")
    body = "".join(parts)
    return (
        '<?xml version="1.0" encoding="utf-8"?>\n<dataset id="t"><collection id="c">'
        f"{body}</collection></dataset>\n"
    )


XML = {
    "d1": {
        ("src", ""): ["Hund", "Satz"],
        ("ref", "A"): ["a dog", "so &amp; so"],
        ("ref", "B"): ["the dog", ""],
        ("hyp", "one"): ["a cat", "so"],
        ("hyp", "two"): ["dog", "yes"],
    },
    "d2": {("src", ""): ["Ende"], ("ref", "A"): ["end"], ("hyp", "one"): ["an end"]},
    "d3": {("src", ""): ["nichts"], ("hyp", "one"): ["nothing"]},
    "suite": {("src", ""): ["x"], ("ref", "A"): ["x"], ("hyp", "one"): ["x"]},
}
XML["d2"]["hyp", "two"] = ["finish"]


def run(*args):
    return CliRunner().invoke(main, ["score", *args])


def message_of(systems, references, **options):
    with pytest.raises(ValueError) as caught:
        read_corpus(systems, references, **options)
    return str(caught.value)


@pytest.mark.parametrize("suffix", ["sgm", "sgm.gz", "txt"])
@pytest.mark.parametrize("kind", ["refset", "tstset"])
def test_sgml_is_read_as_the_texts_of_its_segments(suffix, kind):
    hypotheses = write(f"hyp.{suffix}", sgml("tstset", {"s": HYPOTHESES}))
    references = write(f"ref.{suffix}", sgml(kind, {"r": REFERENCES}))
    corpus = read_corpus([hypotheses], [references])
    assert corpus.names == ["d1:1", "d1:2", "d2:1"]
    # Only the entities that mteval knows are replaced, and other tags are words.
    assert corpus.systems == [[*HYPOTHESES["d1"], *HYPOTHESES["d2"]]]
    assert corpus.references == [["the cat slept well"], ['7 > 5 & "so"'], ["no way"]]


def test_the_tags_of_sgml_are_no_words():
    write("hyp.sgm", sgml("tstset", {"s": {"d": ["a dog ran home"]}}))
    write("ref.sgm", sgml("tstset", {"r": {"d": ["the cat slept well"]}}))
    result = run("hyp.sgm", "ref.sgm", "--score-only")
    assert result.stdout == "0.0000\n"
    assert result.stderr == (
        "Note: `ref.sgm` is WMT's SGML. References: 1; segments: 1.\n"
    )


def test_documents_of_sgml_may_come_in_another_order():
    write("hyp.sgm", sgml("tstset", {"s": dict(reversed(HYPOTHESES.items()))}))
    write("ref.sgm", sgml("refset", {"r": REFERENCES}))
    assert read_corpus(["hyp.sgm"], ["ref.sgm"]).systems[0] == [
        *HYPOTHESES["d1"],
        *HYPOTHESES["d2"],
    ]


def test_sets_of_several_systems_and_references_are_as_many():
    other = {"d1": ["one", "two"], "d2": ["three"]}
    write("hyp.sgm", sgml("tstset", {"a": HYPOTHESES, "b": other}))
    write("ref.sgm", sgml("refset", {"x": REFERENCES, "y": other}, "refid"))
    corpus = read_corpus(["hyp.sgm"], ["ref.sgm"])
    assert corpus.files == ("hyp.sgm: a", "hyp.sgm: b")
    assert corpus.systems[1] == ["one", "two", "three"]
    assert corpus.references[0] == ["the cat slept well", "one"]
    [first, _, _] = read_corpus(["hyp.sgm"], ["ref.sgm"], translators=["y"]).references
    assert first == ["one"]
    printed = run("hyp.sgm", "ref.sgm", "--test", "randomization").stdout
    assert [line.split("\t")[1] for line in printed.splitlines()] == [
        *("hypotheses", "hyp.sgm: a", "hyp.sgm: b")
    ]


def test_lines_are_aligned_in_the_order_of_segments():
    write("hyp.txt", "a\nb\nc\n")
    write("ref.sgm", sgml("refset", {"r": REFERENCES}))
    corpus = read_corpus(["hyp.txt"], ["ref.sgm", "hyp.txt"])
    assert corpus.systems == [["a", "b", "c"]]
    assert corpus.references[2] == ["no way", "c"]
    write("more.txt", "a\nb\nc\nd\n")
    assert message_of(["more.txt"], ["ref.sgm"]) == (
        "`more.txt` must have a line for each segment of `ref.sgm`. Received: 4 lines "
        "and 3 segments"
    )


def test_xml_has_systems_and_references_in_one_file():
    write("all.xml", xml(XML))
    corpus = read_corpus(["all.xml"], ["all.xml"])
    # Test suites and segments without a reference are left out, as by sacreBLEU.
    assert corpus.names == ["d1:1", "d1:2", "d2:1"]
    assert corpus.files == ("all.xml: one", "all.xml: two")
    assert corpus.systems == [["a cat", "so", "an end"], ["dog", "yes", "finish"]]
    assert corpus.references == [["a dog", "the dog"], ["so &amp; so"], ["end"]]
    assert corpus.notes[0] == (
        "`all.xml` is WMT's XML. References: 2; segments: 3; left out without a "
        "reference: 1."
    )
    only = read_corpus(["all.xml"], ["all.xml"], translators=["B"])
    assert only.references == [["the dog"]]


@pytest.mark.parametrize("lines", ["a\nb\nc\n", "a\nb\nc\nof no reference\n"])
def test_a_system_with_a_text_a_line_fits_xml(lines):
    write("own.txt", lines)
    write("all.xml", xml(XML))
    assert read_corpus(["own.txt"], ["all.xml"]).systems == [["a", "b", "c"]]


def test_document_frequencies_may_come_from_a_test_set():
    write("all.xml", xml(XML))
    assert read_references("all.xml")[:2] == [["a dog", "the dog"], ["so &amp; so", ""]]


ONE = {"d": ["a"]}


@pytest.mark.parametrize(
    ("name", "text", "message"),
    [
        (
            "bad.sgm",
            "just a line\n",
            "`bad.sgm` must be a test set of WMT: <refset>, <tstset> or <dataset>. "
            "Lines of text need another name, such as .txt. Received: 'just a line'",
        ),
        (
            "bad.xml",
            "<html><p>a</p></html>",
            "`bad.xml` must be a test set of WMT: <refset>, <tstset> or <dataset>. "
            "Lines of text need another name, such as .txt. Received: "
            "'<html><p>a</p></html>'",
        ),
        (
            "bad.sgm",
            '<refset setid="t"><doc><seg id="1">a</seg></doc></refset>',
            "`bad.sgm` must have a docid for each <doc> and an id for each <seg>. "
            "Received none for 'a'",
        ),
        (
            "bad.sgm",
            '<refset setid="t"><doc docid="d"><seg>a</seg></doc></refset>',
            "`bad.sgm` must have a docid for each <doc> and an id for each <seg>. "
            "Received none for 'a'",
        ),
        (
            "bad.sgm",
            '<refset><doc docid="d"><seg id="1">a\n<seg id="2">b</seg></doc></refset>',
            "`bad.sgm` must have a </seg> for each <seg>. Received in line 2: "
            '<seg id="2">',
        ),
        (
            "bad.sgm",
            sgml("refset", {"r": ONE}).replace("</DOC>", "<seg id=1>b</seg></DOC>"),
            "`bad.sgm` must have each segment once. Received d:1 of the reference 'r' "
            "twice",
        ),
        (
            "bad.sgm",
            sgml("srcset", {"": ONE}),
            "`bad.sgm` must have a reference. Received: source",
        ),
        (
            "bad.sgm",
            "<refset></refset>",
            "`bad.sgm` must have a reference. Received: no <seg>",
        ),
        (
            "bad.xml",
            xml({"d": {("src", ""): ["a"]}}),
            "`bad.xml` must have a reference. Received: source",
        ),
        (
            "bad.xml",
            "<dataset><doc></dataset>",
            "`bad.xml` must be XML: mismatched tag: line 1, column 16.",
        ),
        (
            "bad.sgm",
            sgml("refset", {"r": {"d": [""]}}),
            "Each segment must have a reference that is not empty. Received none for "
            "segment d:1 in `bad.sgm`",
        ),
    ],
)
def test_damaged_test_sets_are_named(name, text, message):
    write("hyp.txt", "a\n")
    write(name, text)
    assert message_of(["hyp.txt"], [name]) == message


def test_files_that_do_not_fit_are_named():
    write("hyp.sgm", sgml("tstset", {"s": {"d1": ["a"]}}))
    write("ref.sgm", sgml("refset", {"r": REFERENCES}))
    write("lines.txt", "a\n")
    assert message_of(["hyp.sgm"], ["ref.sgm"]) == (
        "`hyp.sgm` lacks segment d1:2 and 1 more, which `ref.sgm` has."
    )
    write("other.sgm", sgml("refset", {"r": {"d1": ["a", "b"]}}))
    write("all.txt", "a\nb\nc\n")
    assert message_of(["all.txt"], ["ref.sgm", "other.sgm"]) == (
        "`other.sgm` lacks segment d2:1, which `ref.sgm` has."
    )
    assert message_of(["all.txt"], ["ref.sgm"], translators=["z"]) == (
        "`translators` must be of r, as `ref.sgm` has them. Received: z"
    )
    assert "`translators` needs a test set" in message_of(
        ["lines.txt"], ["lines.txt"], translators=["r"]
    )
    assert "`num_refs` must be left out for WMT" in message_of(
        ["all.txt"], ["ref.sgm"], num_refs=2
    )
    result = run("all.txt", "ref.sgm", "--translators", "z")
    assert result.stderr.startswith("Error: `--translators` must be of r, as `ref.sgm`")


def test_other_markup_is_noted():
    write("hyp.txt", '<seg id="1">a dog</seg>\n<seg id="2">a cat</seg>\n')
    write("ref.txt", "a dog\na cat\n")
    result = run("hyp.txt", "ref.txt")
    assert result.stderr.splitlines()[0] == (
        "Note: 2 lines of `hyp.txt` begin with a tag, which counts as words."
    )
    result = run("ref.txt", "hyp.txt")
    assert "Note: 2 lines of the references begin with a tag" in result.stderr


def test_captions_are_no_test_set():
    write("hyp.sgm", sgml("tstset", {"s": ONE}))
    write("refs.json", json.dumps({"annotations": [{"image_id": 1, "caption": "a"}]}))
    assert message_of(["hyp.sgm"], ["refs.json"]).startswith("`hyp.sgm` must be JSON")
