"""Files of captions: every form in miniature, their splits, and what is wrong."""

import gzip
import json
import re

import pytest

from tasks.captions.files.caption_corpus import CaptionCorpus
from tasks.captions.files.split_lists import splits_by_name

KARPATHY = {
    "images": [
        {
            "filename": "a.jpg",
            "filepath": "train2014",
            "split": "train",
            "sentences": [{"raw": "A dog.", "tokens": ["a", "dog"]}, {"raw": " "}],
        },
        {
            "filename": "b.jpg",
            "split": "restval",
            "sentences": [{"tokens": ["b", "c"]}],
        },
        {"filename": "c.jpg", "split": "val", "sentences": [{"raw": "A\n cat"}]},
        {"filename": "d.jpg", "split": "test", "sentences": [{"raw": "A cow"}]},
    ]
}


def coco(*names):
    """COCO's form: two captions of each picture, the second of all after the first."""
    images = [{"id": number, "file_name": name} for number, name in enumerate(names)]
    annotations = [
        {"id": 9, "image_id": one["id"], "caption": f"{word} {one['file_name']}"}
        for word in ("one", "two")
        for one in images
    ]
    return {"images": images, "annotations": annotations}


FLICKR = "a.jpg#0\tA dog .\na.jpg#1\tA pup .\nb.jpg#0\tA cat\t.\n\n"
BARS = 'image_name| comment_number| comment\na.jpg| 0| A "dog" .\nb.jpg| 1   A cat\n'
COMMAS = (
    'image,caption\na.jpg,A dog\nb.jpg,"A ""cat"", sitting"\na.jpg,A dog, running\n'
)


def write(path, content):
    text = content if isinstance(content, str) else json.dumps(content)
    data = text.encode()
    path.write_bytes(gzip.compress(data) if path.suffix == ".gz" else data)
    return str(path)


def captions_of(path):
    return {one.name: one.captions for one in CaptionCorpus.read(path).pictures}


def splits_of(path):
    return {one.name: one.split for one in CaptionCorpus.read(path).pictures}


@pytest.mark.parametrize("name", ["dataset.json", "any", "other.gz"])
def test_karpathys_file(tmp_path, name):
    path = write(tmp_path / name, KARPATHY)
    corpus = CaptionCorpus.read(path)
    assert [(one.name, one.split, one.captions) for one in corpus.pictures] == [
        ("train2014/a.jpg", "train", ["A dog."]),
        ("b.jpg", "train", ["b c"]),
        ("c.jpg", "validation", ["A cat"]),
        ("d.jpg", "test", ["A cow"]),
    ]
    assert corpus.num_blank == 1


def test_cocos_file_and_folder(tmp_path):
    path = write(tmp_path / "captions_train2014.json", coco("a.jpg", "b.jpg", "c.jpg"))
    assert captions_of(path)["b.jpg"] == ["one b.jpg", "two b.jpg"]
    assert sorted(splits_of(path).values()) == ["test", "train", "validation"]
    write(tmp_path / "captions_val2014.json", coco("d.jpg"))
    write(tmp_path / "instances_val2014.json", {"annotations": []})
    found = splits_of(str(tmp_path))
    assert found == {
        **dict.fromkeys(["a.jpg", "b.jpg", "c.jpg"], "train"),
        "d.jpg": "validation",
    }


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (FLICKR, {"a.jpg": ["A dog .", "A pup ."], "b.jpg": ["A cat ."]}),
        (BARS, {"a.jpg": ['A "dog" .'], "b.jpg": []}),
        (COMMAS, {"a.jpg": ["A dog", "A dog, running"], "b.jpg": ['A "cat", sitting']}),
        (COMMAS.replace(",", ";"), {"a.jpg": ["A dog", "A dog; running"], "b.jpg": [
            'A "cat"; sitting'
        ]}),
        ("\ufeffImage,Caption\r\nx/a.jpg,A dog\r\n", {"x/a.jpg": ["A dog"]}),
    ],
)  # fmt: skip
def test_lines_and_tables(tmp_path, text, expected):
    assert captions_of(write(tmp_path / "any.txt", text)) == expected
    # It is found in its folder too, beside other texts.
    write(tmp_path / "readme.txt", "Pictures, captions")
    (tmp_path / "notes.txt").write_bytes(b"\xff")
    (tmp_path / "a.jpg").write_bytes(b"\xff")
    assert captions_of(str(tmp_path)) == expected


def test_lists_beside_a_file_say_the_splits(tmp_path):
    lines = [f"{name}.jpg#0\tA {name} ." for name in "abcde"]
    path = write(tmp_path / "Flickr8k.token.txt", "\n".join(lines))
    write(tmp_path / "Flickr_8k.trainImages.txt", "a.jpg\nb.jpg\n")
    write(tmp_path / "Flickr_8k.devImages.txt", "c.jpg\n")
    write(tmp_path / "test.txt", "d\n")
    write(tmp_path / "latest.txt", "e.jpg\n")  # no list: another word
    write(tmp_path / "training_notes.txt", "what we did\n")
    expected = {"a": "train", "b": "train", "c": "validation", "d": "test", "e": ""}
    assert splits_of(path) == {f"{n}.jpg": split for n, split in expected.items()}


def test_a_list_is_known_by_most_of_its_lines(tmp_path):
    path = write(tmp_path / "captions.csv", COMMAS)
    write(tmp_path / "my-test.txt", "")
    write(tmp_path / "test-notes.txt", "what\nwe\ntested\na.jpg\n")
    without = splits_of(path)
    # An unknown picture is an error wherever it stands.
    for lines in ("x.jpg\na.jpg\nb.jpg\n", "a.jpg\nb.jpg\nx.jpg\n"):
        write(tmp_path / "train.txt", lines)
        with pytest.raises(ValueError, match="none of 'x.jpg'"):
            CaptionCorpus.read(path)
    write(tmp_path / "train.txt", "\na.jpg\n")
    assert splits_of(path) == {**dict.fromkeys(without, ""), "a.jpg": "train"}


def test_splits_by_name_depend_on_names_alone():
    names = [f"{number}.jpg" for number in range(105)]
    splits = splits_by_name(names)
    assert splits_by_name(names[::-1]) == splits
    counts = [list(splits.values()).count(s) for s in ("train", "validation", "test")]
    assert counts == [85, 10, 10]
    assert sorted(splits_by_name("abc").values()) == ["test", "train", "validation"]


def altered(**changes):
    return {"images": [{**KARPATHY["images"][0], **changes}, *KARPATHY["images"][1:]]}


BAD = {
    "no form": ("hello\n", "`data` must be a file of captions: a table image,caption,"),
    "other table": ("name,age\na,3\n", "`data` must be a file of captions"),
    "other JSON": ([1, 2], "`data` must be a file of captions"),
    "not JSON": ("{", "is not JSON"),
    "empty": ("", "is empty"),
    "no captions": ("image,caption\na.jpg,\n", "must have captions. Received: none"),
    "wrong line": ("a.jpg#0\tA\nb.jpg\n", "Received in line 2: 'b.jpg'"),
    "open quote": ('image,caption\na.jpg,"A\nb.jpg,B\n', "quotes around a whole"),
    "no file name": ({"images": [{"sentences": []}]}, "images[0]"),
    "other split": (altered(split="more"), "Received: images[0]={'filename': 'a.jpg'"),
    "no sentence": (altered(sentences=[{"words": []}]), "images[0]"),
    "two splits": (
        {"images": [*KARPATHY["images"], {**KARPATHY["images"][3], "split": "train"}]},
        "each picture in one split. Received: d.jpg in test and in train",
    ),
    "unknown picture": (
        {**coco("a.jpg"), "annotations": [{"image_id": 7, "caption": "A"}]},
        "Received: image_id=7",
    ),
    "no picture": ({**coco("a.jpg"), "images": [{"id": 0}]}, "KeyError('file_name')"),
}  # fmt: skip


@pytest.mark.parametrize(("content", "message"), BAD.values(), ids=BAD)
def test_what_is_wrong_is_said_in_one_line(tmp_path, content, message):
    path = write(tmp_path / "captions", content)
    with pytest.raises(ValueError, match=re.escape(message)) as error:
        CaptionCorpus.read(path)
    assert "\n" not in str(error.value) and "`data`" in str(error.value)


def test_bad_lists_and_folders_are_named(tmp_path):
    path = write(tmp_path / "captions.csv", COMMAS)
    write(tmp_path / "train.txt", "a.jpg\nx.jpg\n")
    with pytest.raises(
        ValueError, match="captions of the pictures in .*none of 'x.jpg'"
    ):
        CaptionCorpus.read(path)
    write(tmp_path / "train.txt", "a.jpg\n")
    write(tmp_path / "test.txt", "a.jpg\n")
    with pytest.raises(ValueError, match="one split. Received: a.jpg in test and in t"):
        CaptionCorpus.read(path)
    write(tmp_path / "more.csv", COMMAS)
    with pytest.raises(ValueError, match="there are captions.csv, more.csv"):
        CaptionCorpus.read(str(tmp_path))
    (tmp_path / "empty").mkdir()
    (tmp_path / "one").mkdir()
    (tmp_path / "one" / "captions.txt").write_bytes(b"image,caption\na.jpg,\xff\n")
    with pytest.raises(ValueError, match="must be UTF-8. Received in line 2"):
        CaptionCorpus.read(str(tmp_path / "one"))
    with pytest.raises(ValueError, match="there are none"):
        CaptionCorpus.read(str(tmp_path / "empty"))
    with pytest.raises(ValueError, match="No such file"):
        CaptionCorpus.read(str(tmp_path / "gone"))


# --- tables as programs write them ---

PLAIN = {"a.jpg": ["A dog, asleep"], "b.jpg": ['The "cat"'], "c.jpg": ["A cow"]}
WRITTEN = {
    "R's write.csv": '"","image","caption"\n"1","a.jpg","A dog, asleep"\n'
    '"2","b.jpg","The ""cat"""\n"3","c.jpg","A cow"\n',
    "R's write.csv without numbers": '"image","caption"\n"a.jpg","A dog, asleep"\n'
    '"b.jpg","The ""cat"""\n"c.jpg","A cow"\n',
    # R has no heading above its numbers of rows here.
    "R's write.table": '"image"\t"caption"\n"1"\t"a.jpg"\t"A dog, asleep"\n'
    '"2"\t"b.jpg"\t"The ""cat"""\n"3"\t"c.jpg"\t"A cow"\n',
    "pandas": ',file_name,text\n0,a.jpg,"A dog, asleep"\n1,b.jpg,"The ""cat"""\n'
    "2,c.jpg,A cow\n",
    "pandas, read and written again": "Unnamed: 0,filename,sentence\n"
    '0,a.jpg,"A dog, asleep"\n1,b.jpg,"The ""cat"""\n2,c.jpg,A cow\n',
    "pandas with bars": 'image|caption\na.jpg|A dog, asleep\nb.jpg|"The ""cat"""\n'
    "c.jpg|A cow\n",
    "Excel": "\ufeffsep=;\r\nImage Name;Caption;;\r\na.jpg;A dog, asleep;;\r\n"
    'b.jpg;"The ""cat""";;\r\nc.jpg;A cow;;\r\n;;;\r\n',
    "LibreOffice": '\ufeff"Image","Caption"\r\n"a.jpg","A dog, asleep"\r\n'
    '"b.jpg","The ""cat"""\r\n"c.jpg","A cow"\r\n',
    "line breaks in a cell": '"image","caption"\n"a.jpg","A dog,\nasleep"\n'
    '"b.jpg","The\r\n\r\n""cat"""\n"c.jpg","A cow"\n',
    "line ends of old": '"image","caption"\r"a.jpg","A dog, asleep"\r'
    '"b.jpg","The ""cat"""\r"c.jpg","A cow"\r',
    "by hand": 'image, caption\na.jpg, "A dog, asleep"\nb.jpg, The "cat"\n'
    "c.jpg, A cow\n",
    "captions first": 'text,image\n"A dog, asleep",a.jpg\n"The ""cat""",b.jpg\n'
    "A cow,c.jpg\n",
    "a number for a name": "img_id,raw\na.jpg,A dog, asleep\n"
    'b.jpg,"The ""cat"""\nc.jpg,A cow\n',
}


@pytest.mark.parametrize("text", WRITTEN.values(), ids=WRITTEN)
def test_a_table_is_read_as_its_program_writes_it(tmp_path, text):
    assert captions_of(write(tmp_path / "table.csv", text)) == PLAIN


@pytest.mark.parametrize("coding", ["utf-16", "utf-16-be", "gzip"])
def test_a_table_may_be_excels_unicode_text(tmp_path, coding):
    text = "Image\tCaption\r\na.jpg\tЁж 🦔\r\n"
    data = text.encode("utf-16")
    if coding == "utf-16-be":
        data = b"\xfe\xff" + text.encode(coding)
    elif coding == "gzip":
        data = gzip.compress(data)
    (tmp_path / "table.txt").write_bytes(data)
    assert captions_of(str(tmp_path)) == {"a.jpg": ["Ёж 🦔"]}


def test_a_row_may_have_several_captions(tmp_path):
    wide = "file_name,caption_1,caption_2\na.jpg,One,Two\nb.jpg,Three,\n"
    expected = {"a.jpg": ["One", "Two"], "b.jpg": ["Three"]}
    assert captions_of(write(tmp_path / "a.csv", wide)) == expected
    lists = (
        'raw,sentids,split,filename,img_id\n"[""One"", ""Two""]","[0, 1]",train,a.jpg,0'
        "\n['Three'],[2],val,b.jpg,1\n"
    )
    assert captions_of(write(tmp_path / "b.csv", lists)) == expected


@pytest.mark.parametrize("head", ["image,split,caption", "image,Subset,caption"])
def test_a_column_says_the_splits(tmp_path, head):
    given = ("train", "Val", "test", "restval", "dev", "validation")
    rows = [f"{n}.jpg,{split},A dog, asleep" for n, split in enumerate(given)]
    path = write(tmp_path / "captions.csv", "\n".join([head, *rows]))
    write(tmp_path / "train.txt", "1.jpg\n")  # no list is needed
    found = splits_of(path)
    assert list(found.values()) == [
        *("train", "validation", "test", "train", "validation", "validation")
    ]
    assert captions_of(path)["0.jpg"] == ["A dog, asleep"]


BAD_TABLES = {
    "unknown column": (
        "image,mood,caption\na.jpg,glad,A\n",
        "Received the column 'mood' in line 1: 'image,mood,caption'",
    ),
    "no heading": (
        "sep=;\nimage;caption;\na.jpg;A;glad\n",
        "must have a heading of column 3: image or file_name, caption or text, and "
        "perhaps split. Received in line 3: 'glad'",
    ),
    "two kinds of captions": (
        "image,caption,text\na.jpg,A,B\n",
        "one of captions (or caption_1, caption_2 and so on), and one of splits at "
        "most. Received in line 1: 'image,caption,text'",
    ),
    "two names": ("image,file,caption\na,b,A\n", "must have one column of pictures"),
    "unknown split": (
        'image,split,caption\na.jpg,train,"A\nB"\nb.jpg,more,B\n',
        "testing as split. Received in line 4: 'more'",
    ),
    "no split": ("image,split,caption\na.jpg,,A\n", "Received in line 2: ''"),
    "cells": (
        "image,caption,split\na.jpg,A, B,train\n",
        "quotes around a cell with ',' in it. Received in line 2: 4",
    ),
    "no name": (
        "image,caption\n,A dog\n",
        "the name of a picture in each row. Received in line 2: ['', 'A dog']",
    ),
    "two splits": (
        "image,split,caption\na.jpg,train,A\na.jpg,test,B\n",
        "each picture in one split. Received: a.jpg in train and in test",
    ),
    "other headings": (
        "Bild;Text des Bildes\na.jpg;A\n",
        "which begins with 'Bild;Text des Bildes'",
    ),
}


@pytest.mark.parametrize(("text", "message"), BAD_TABLES.values(), ids=BAD_TABLES)
def test_no_column_and_no_row_is_dropped_in_silence(tmp_path, text, message):
    path = write(tmp_path / "captions.csv", text)
    with pytest.raises(ValueError, match=re.escape(message)) as error:
        CaptionCorpus.read(path)
    assert "\n" not in str(error.value)


def test_a_file_in_another_coding_is_no_list(tmp_path):
    path = write(tmp_path / "captions.csv", WRITTEN["LibreOffice"])
    without = splits_of(path)
    (tmp_path / "training.txt").write_bytes("was wir übten\n".encode("latin-1"))
    assert splits_of(path) == without
    # A list of pictures is one whatever its coding is.
    (tmp_path / "training.txt").write_bytes(b"a.jpg\nb.jpg\n\xfc.jpg\n")
    with pytest.raises(ValueError, match="training.txt must be UTF-8"):
        CaptionCorpus.read(path)
    (tmp_path / "training.txt").write_bytes(b"\xef\xbb\xbfa.jpg\n")
    assert splits_of(path)["a.jpg"] == "train"
