import gzip
import io
import json
import os
import re
import threading

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tasks.scoring.text_files import read_corpus, read_segments


@pytest.fixture(autouse=True)
def _in_an_empty_directory(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)


def write(name, content):
    if not isinstance(content, bytes | str):
        content = json.dumps(content)
    data = content if isinstance(content, bytes) else content.encode()
    with open(name, "wb") as stream:
        stream.write(gzip.compress(data) if name.endswith(".gz") else data)
    return name


def message_of(hypotheses, references, *others, **kwargs):
    with pytest.raises(ValueError) as caught:
        read_corpus([hypotheses, *others], references, **kwargs)
    return str(caught.value)


@pytest.mark.parametrize(
    ("content", "segments"),
    [
        ("a b\nc\n", ["a b", "c"]),
        ("a b\nc", ["a b", "c"]),
        ("a\n\n", ["a", ""]),
        ("\n", [""]),
        ("\n\na", ["", "", "a"]),
        ("a\r\nb\r\n", ["a", "b"]),
        ("a\rb\n", ["a\rb"]),
        (
            "a\u2028b\u2029c\x85d\x0ce\x1cf\x0bg\n",
            ["a\u2028b\u2029c\x85d\x0ce\x1cf\x0bg"],
        ),
        (b"\xef\xbb\xbfa\nb\n", ["a", "b"]),
        (b"\xef\xbb\xbf\n", [""]),
        ("  a \t\n", ["  a"]),
        ("Zürich 東京 😀\n", ["Zürich 東京 😀"]),
    ],
)
def test_only_newlines_end_a_segment(content, segments):
    assert read_segments(write("text.txt", content)) == segments


def test_gzip_is_read_whatever_the_name_says():
    write("text.gz", "a\nb\n")
    os.rename("text.gz", "text")
    assert read_segments("text") == ["a", "b"]
    parts = gzip.compress(b"a\n") + gzip.compress(b"b\n")
    write("plain", parts)
    os.rename("plain", "parts.gz")
    assert read_segments("parts.gz") == ["a", "b"]


def test_standard_input_is_read(monkeypatch):
    monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO("ä\nb\n".encode())))
    write("refs.txt", "a\nb\n")
    assert read_corpus(["-"], ["refs.txt"]).systems == [["ä", "b"]]


def test_pipes_are_read():
    os.mkfifo("pipe")
    writer = threading.Thread(target=write, args=("pipe", "a\nb\n"))
    writer.start()
    assert read_segments("pipe") == ["a", "b"]
    writer.join()


def test_references_are_collected_by_line():
    write("hyp.txt", "a\nb\n")
    write("ref-1.txt", "c\nd\n")
    write("ref-2.gz", "\nf")
    corpus = read_corpus(["hyp.txt", "ref-1.txt"], ["ref-1.txt", "ref-2.gz"])
    assert corpus.names == [1, 2]
    assert corpus.systems == [["a", "b"], ["c", "d"]]
    assert corpus.references == [["c"], ["d", "f"]]  # an empty reference is none


def test_a_file_may_be_given_twice():
    write("text.txt", "a\nb\n")
    corpus = read_corpus(["text.txt"], ["text.txt", "text.txt"])
    assert corpus.references == [["a", "a"], ["b", "b"]]
    assert corpus.systems == [["a", "b"]]


def test_tabs_separate_the_references_of_a_line():
    write("hyp.txt", "a\nb\n")
    write("refs.tsv", "c\td e\nf\t\n")
    corpus = read_corpus(["hyp.txt"], ["refs.tsv"], num_refs=2)
    assert corpus.references == [["c", "d e"], ["f"]]


@pytest.mark.parametrize(
    ("references", "num_refs", "message"),
    [
        (
            ["refs.tsv"],
            3,
            "`num_refs` must be the number of references in each line of `refs.tsv`, "
            "between tabs. Received: num_refs=3, and 2 in line 1",
        ),
        (
            ["refs.tsv"],
            1,
            "`num_refs` must be the number of references in each line of `refs.tsv`, "
            "between tabs. Received: num_refs=1, and 2 in line 1",
        ),
        (
            ["refs.tsv", "hyp.txt"],
            2,
            "`num_refs` needs one file of references, with several in a line. "
            "Received: refs.tsv, hyp.txt",
        ),
        (
            ["refs.json"],
            2,
            "`num_refs` must be left out for captions, which say it themselves. "
            "Received: num_refs=2",
        ),
    ],
)
def test_wrong_numbers_of_references_in_a_line(references, num_refs, message):
    write("hyp.txt", "a\nb\n")
    write("refs.tsv", "c\td e\nf\tg\n")
    assert message_of("hyp.txt", references, num_refs=num_refs) == message


@pytest.mark.parametrize("other", ["references", "paired"])
def test_unequal_lengths_name_both_files_and_the_longer(other):
    write("hyp.txt", "a\nb\n")
    write("two.txt", "a\nb\n")
    write("three.txt", "a\nb\nc\n")
    args = (
        (["two.txt", "three.txt"],)
        if other == "references"
        else (["two.txt"], "three.txt")
    )
    assert message_of("hyp.txt", *args) == (
        "Files must have the same number of lines. Received: `hyp.txt` has 2 and "
        "`three.txt` has 3; `three.txt` is longer."
    )
    assert message_of("three.txt", ["hyp.txt"]).endswith(
        "`three.txt` has 3 and `hyp.txt` has 2; `three.txt` is longer."
    )


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("", "`bad` is empty."),
        (b"\xef\xbb\xbf", "`bad` is empty."),
        (
            b"a\nb \xff\n",
            "`bad` must be UTF-8. Received in line 2: byte 0xff at position 4.",
        ),
        (
            b"\xef\xbb\xbfa\nb\n\xc3",
            "`bad` must be UTF-8. Received in line 3: byte 0xc3 at position 7.",
        ),
        (
            "a\nb\n".encode("utf-16"),
            "`bad` must be UTF-8. Received in line 1: byte 0xff at position 0. "
            "It looks like UTF-16.",
        ),
        ("a\nb\0\n", "`bad` must be text. Received a NUL byte in line 2."),
        (
            "ab\n".encode("utf-16-le"),
            "`bad` must be text. Received a NUL byte in line 1.",
        ),
    ],
)
def test_bad_files_are_named_with_the_line(content, message):
    write("refs.txt", "a\nb\n")
    write("bad", content)
    assert message_of("bad", ["refs.txt"]) == message
    assert message_of("refs.txt", ["bad"]) == message


@pytest.mark.parametrize("kept", [2, 5, 12, -9, -1])
def test_truncated_gzip_is_named(kept):
    write("bad", gzip.compress(b"a\nb\n" * 100)[:kept])
    assert message_of("bad", ["bad"]).startswith("`bad` is truncated or not gzip: ")


def test_damaged_gzip_is_named():
    write("bad", gzip.compress(b"a\nb\n")[:-8] + b"\0" * 8)
    assert message_of("bad", ["bad"]).startswith("`bad` is truncated or not gzip: CRC")


def test_gzip_of_nothing_is_empty():
    write("bad.gz", "")
    assert message_of("bad.gz", ["bad.gz"]) == "`bad.gz` is empty."


def test_text_that_is_called_gzip_is_named():
    write("text", "a\n")
    os.rename("text", "text.gz")
    assert message_of("text.gz", ["text.gz"]).startswith(
        "`text.gz` is truncated or not gzip: Not a gzipped file"
    )


def test_missing_files_and_directories_are_named():
    os.mkdir("folder")
    assert message_of("gone", ["gone"]) == (
        "`gone` cannot be read: No such file or directory."
    )
    assert (
        message_of("folder", ["folder"]) == "`folder` cannot be read: Is a directory."
    )


def test_standard_input_is_refused_twice():
    assert message_of("-", ["-"]) == "Standard input (`-`) can be read only once."
    assert (
        message_of("-", ["refs"], "-") == "Standard input (`-`) can be read only once."
    )


def coco(*captions):
    return [{"image_id": image, "caption": caption} for image, caption in captions]


def test_captions_are_matched_by_image():
    annotations = coco((1, "a"), ("x", "b"), (1, "c"))
    write(
        "refs.json", {"info": {}, "annotations": [{"id": 7, **a} for a in annotations]}
    )
    write("hyp.json.gz", coco(("x", "h\nx"), (1, "h 1")))
    write("other.json", coco((1, "o 1"), ("x", "o x")))
    corpus = read_corpus(["hyp.json.gz", "other.json"], ["refs.json"])
    assert corpus.names == ["x", 1]
    assert corpus.systems == [["h\nx", "h 1"], ["o x", "o 1"]]
    assert corpus.references == [["b"], ["a", "c"]]


def test_captions_are_read_from_standard_input(monkeypatch):
    data = json.dumps(coco((1, "h"))).encode()
    monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(data)))
    write("refs.json", {"annotations": coco((1, "a"))})
    assert read_corpus(["-"], ["refs.json"]).systems == [["h"]]


RESULTS = "(COCO results, as the references are annotations)"


@pytest.mark.parametrize(
    ("results", "message"),
    [
        (
            coco((1, "a"), (2, "b"), (1, "a")),
            "`hyp.json` must have one caption an image. Received two of image 1.",
        ),
        (
            coco((1, "a"), (2, "b"), (3, "c"), ("2", "d")),
            "`refs.json` lacks image 3 and 1 more, of which `hyp.json` has captions.",
        ),
        ([], "`hyp.json` must be a list of captions."),
        ({"annotations": coco((1, "a"))}, "`hyp.json` must be a list of captions."),
        (
            [{"image_id": 1, "caption": "a"}, {"image_id": 2}],
            "Entry 1 of `hyp.json` must have an `image_id` and a `caption` that is a "
            'string. Received: {"image_id": 2}',
        ),
        (
            coco((True, "a")),
            "Entry 0 of `hyp.json` must have an `image_id` and a `caption` that is a "
            'string. Received: {"image_id": true, "caption": "a"}',
        ),
        (
            "[1, ",
            f"`hyp.json` must be JSON {RESULTS}: Expecting value: line 1 column 5 "
            "(char 4).",
        ),
        (
            "[" * 100_000,
            f"`hyp.json` must be JSON {RESULTS}: nested too deeply.",
        ),
        (
            f'[{{"image_id": {"9" * 5000}, "caption": "a"}}]',
            f"`hyp.json` must be JSON {RESULTS}: Exceeds the limit (4300 digits) for "
            "integer string conversion: value has 5000 digits; use "
            "sys.set_int_max_str_digits() to increase the limit.",
        ),
        (
            '[{"image_id": 1, "caption": "a \\ud83d"}]',
            "Entry 0 of `hyp.json` must be Unicode. Received: U+D83D",
        ),
        (
            '[{"image_id": "\\udfff", "caption": "a"}]',
            "Entry 0 of `hyp.json` must be Unicode. Received: U+DFFF",
        ),
        ("", "`hyp.json` is empty."),
        (
            b"[\n\xff]",
            "`hyp.json` must be UTF-8. Received in line 2: byte 0xff at position 2.",
        ),
    ],
)
def test_bad_captions_are_named(results, message):
    write("refs.json", {"annotations": coco((1, "a"), (2, "b"))})
    write("good.json", coco((1, "a"), (2, "b")))
    write("hyp.json", results)
    assert message_of("hyp.json", ["refs.json"]) == message
    assert message_of("good.json", ["refs.json"], "hyp.json") == message


@pytest.mark.parametrize("annotations", [{}, {"annotations": []}])
def test_annotations_are_an_object_with_captions(annotations):
    write("refs.json", annotations)
    write("hyp.json", coco((1, "a")))
    assert message_of("hyp.json", ["refs.json"]) == (
        "`refs.json` must be an object with a list `annotations` of captions."
    )


def test_files_of_captions_in_the_other_order_are_named():
    write("refs.json", {"annotations": coco((1, "a"))})
    write("hyp.json", coco((1, "a")))
    assert message_of("refs.json", ["hyp.json"]) == (
        "`hyp.json` must be annotations, an object. It is a list, as results are: "
        "results are the first file, and annotations the second."
    )


def test_captions_and_lines_do_not_mix():
    write("refs.json", {"annotations": coco((1, "a"))})
    write("hyp.json", coco((1, "a")))
    write("text.txt", "a\n")
    assert message_of("hyp.json", ["text.txt"]) == (
        "`hyp.json` needs references by image: one COCO annotations file (.json). "
        "Received: text.txt"
    )
    assert message_of("text.txt", ["refs.json"]) == (
        f"`text.txt` must be JSON {RESULTS}: Expecting value: line 1 column 1 (char 0)."
    )
    assert message_of("hyp.json", ["refs.json", "text.txt"]) == (
        "COCO annotations must be one file, with all captions of an image. Received: "
        "refs.json, text.txt"
    )


PIECES = (
    *(
        b"a",
        b"\n",
        b"\r\n",
        b"\r",
        b"\xef\xbb\xbf",
        b"\xff\xfe",
        b"\0",
        b"\x1f\x8b",
        b"\xe9",
    ),
    *(
        b"[",
        b"]",
        b"{",
        b"}",
        b",",
        b'"image_id": ',
        b'"caption": ',
        b'"\\ud800"',
        b'"a"',
    ),
    *(b'"annotations": ', b"1", b"true", b"NaN", b"\xed\xa0\x80", b"\xf0\x9f\x98\x80"),
)
contents = st.lists(st.sampled_from(PIECES), max_size=12).map(b"".join)


@given(st.sampled_from(["hyp", "hyp.json", "hyp.gz", "hyp.json.gz"]), contents)
@settings(max_examples=300, deadline=None, suppress_health_check=list(HealthCheck))
def test_any_file_is_read_or_refused_by_name_in_one_line(name, content):
    reference = "refs.json" if ".json" in name else "refs.txt"
    write("refs.json", {"annotations": coco((1, "a"))})
    write("refs.txt", "a\n")
    with open(name, "wb") as stream:
        stream.write(content)
    try:
        corpus = read_corpus([name], [reference])
    except ValueError as error:
        assert type(error) is ValueError
        assert f"`{name}`" in str(error) and "\n" not in str(error)
    else:
        assert len(corpus.systems[0]) == len(corpus.references) == len(corpus.names)


def test_results_for_some_images_are_scored_on_these():
    write("refs.json", {"annotations": coco((1, "a"), (2, "b"), (1, "c"), (3, "d"))})
    write("hyp.json", coco((3, "x"), (1, "y")))
    corpus = read_corpus(["hyp.json"], ["refs.json"])
    assert (corpus.names, corpus.left_out) == ([3, 1], 1)
    assert corpus.references == [["d"], ["a", "c"]]
    write("other.json", coco((1, "x")))
    assert message_of("hyp.json", ["refs.json"], "other.json") == (
        "`other.json` lacks image 3, of which `hyp.json` has captions."
    )
    assert message_of("other.json", ["refs.json"], "hyp.json") == (
        "`other.json` lacks image 3, of which `hyp.json` has captions."
    )
    write("strings.json", coco(("3", "x"), ("1", "y")))
    assert message_of("strings.json", ["refs.json"]) == (
        "`refs.json` lacks image '3' and 1 more, of which `strings.json` has captions. "
        'There the `image_id` is 3, not "3": both files must have numbers, or both '
        "strings."
    )


def karpathy(*images):
    return {
        "images": [
            {
                "split": split,
                "cocoid": image,
                "sentences": [{"raw": one} for one in own],
            }
            for split, image, own in images
        ]
    }


def test_sentences_of_karpathys_file_may_be_tokens():
    entries = karpathy(("test", 7, ["a b"]))
    entries["images"][0] |= {"cocoid": None, "imgid": 8}
    for raw in ({}, {"raw": None}):
        entries["images"][0]["sentences"] = [{**raw, "tokens": ["a", "b"]}]
        write("refs.json", entries)
        write("hyp.json", coco((8, "z")))
        assert read_corpus(["hyp.json"], ["refs.json"]).references == [["a b"]]


def test_a_split_of_karpathys_file():
    write(
        "refs.json",
        karpathy(("test", 7, ["a", "b"]), ("val", 8, ["c"]), ("test", 9, ["d"])),
    )
    write("hyp.json", coco((8, "x"), (9, "y"), (7, "z")))
    whole = read_corpus(["hyp.json"], ["refs.json"])
    assert whole.names == [8, 9, 7] and whole.left_out == 0
    test = read_corpus(["hyp.json"], ["refs.json"], split="test")
    assert test.names == [9, 7] and test.left_out == 0
    assert test.references == [["d"], ["a", "b"]]
    assert test.systems == [["y", "z"]]


@pytest.mark.parametrize(
    ("references", "split", "message"),
    [
        (
            "refs.json",
            "dev",
            "`split` must be one of test, as `refs.json` has them. Received: "
            "split='dev'",
        ),
        (
            "plain.json",
            "test",
            "`split` needs a file with the splits of its images, as Karpathy's is; "
            "`plain.json` has none. Received: split='test'",
        ),
        (
            "lines.txt",
            "test",
            "`split` needs Karpathy's file (.json) as references. Received: lines.txt",
        ),
    ],
)
def test_a_split_that_is_not_there(references, split, message):
    write("refs.json", karpathy(("test", 7, ["a"])))
    write("plain.json", {"annotations": coco((7, "a"))})
    write("lines.txt", "a\n")
    write("hyp.json", coco((7, "z")))
    with pytest.raises(ValueError, match=f"^{re.escape(message)}$"):
        read_corpus(["hyp.json"], [references], split=split)


@pytest.mark.parametrize(
    "image",
    [
        1,
        {},
        {"sentences": 1},
        {"sentences": ["a"]},
        {"sentences": [None]},
        {"sentences": [{}]},
        {"sentences": [{"raw": 1}]},
        {"sentences": [{"tokens": "a b"}]},
        {"sentences": [{"tokens": None}]},
        {"sentences": [{"tokens": [1]}]},
    ],
)
def test_images_of_karpathys_file_have_sentences(image):
    entries = karpathy(("test", 7, ["a"]))
    entries["images"].append(image)
    write("refs.json", entries)
    write("hyp.json", coco((7, "z")))
    assert message_of("hyp.json", ["refs.json"]) == (
        "Each image of `refs.json` must have `sentences`, which are objects with "
        "`raw`, a string, or `tokens`, a list of strings."
    )


def test_a_split_of_karpathys_file_has_sentences_of_images_with_a_number():
    write("refs.json", karpathy(("test", 7, ["a"]), ("val", 8, [])))
    write("hyp.json", coco((7, "z")))
    with pytest.raises(ValueError, match="`refs.json` has no sentences in the split"):
        read_corpus(["hyp.json"], ["refs.json"], split="val")
    for number in (None, True, 1.5):
        write("refs.json", karpathy(("test", number, ["a"])))
        assert message_of("hyp.json", ["refs.json"]).startswith(
            "Each image of `refs.json` must have a `cocoid` or an `imgid`, an integer"
        )


def test_a_line_without_any_reference_is_named():
    write("hyp.txt", "a\nb\nc\n")
    write("one.txt", "a\n  \nc\n")
    write("two.txt", "\n\nc\n")
    message = "Each line must have a reference that is not empty. Received none for "
    message += "line 2 in "
    assert message_of("hyp.txt", ["one.txt"]) == f"{message}`one.txt`"
    assert message_of("hyp.txt", ["one.txt", "two.txt"]) == (
        f"{message}`one.txt` and `two.txt`"
    )
    write("refs.tsv", "a\tb\n\t\nc\t\n")
    with pytest.raises(ValueError, match="none for line 2 in `refs.tsv`$"):
        read_corpus(["hyp.txt"], ["refs.tsv"], num_refs=2)
    corpus = read_corpus(["hyp.txt"], ["one.txt", "hyp.txt"])
    assert corpus.references == [["a", "a"], ["b"], ["c", "c"]]
    assert corpus.notes == (
        "1 reference of 6 in `one.txt` and `hyp.txt` is empty, and counts as none; the "
        "first is of line 2.",
    )


def test_empty_captions_are_taken_as_they_are():
    captions = [{"image_id": 1, "caption": text} for text in ("a", "")]
    write("refs.json", json.dumps({"annotations": captions}))
    write("hyp.json", json.dumps(captions[:1]))
    assert read_corpus(["hyp.json"], ["refs.json"]).references == [["a", ""]]
