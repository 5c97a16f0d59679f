"""Tables of paraphrases, as users bring them."""

import gzip
import pickle

import pytest

from metrics.meteor.meteor import METEOR
from metrics.meteor.paraphrases import Paraphrases

PAIRS = [
    ("put off", "delayed"),
    ("put off", "moved back"),
    ("put", "set"),
    ("a lot of", "many"),
    ("put off", "postponed"),  # the same phrase again, farther down
    ("été", "l' été"),
]


@pytest.fixture
def write(tmp_path):
    def written(text, name="table"):
        path = tmp_path / name
        data = text.encode()
        path.write_bytes(gzip.compress(data) if name.endswith(".gz") else data)
        return path

    return written


def table_of(pairs, end="\n"):
    return "".join(f"0.25{end}{a}{end}{b}{end}" for a, b in pairs)


def found(table, sentence, start=0):
    return [
        (length, " ".join(words)) for length, words in table(sentence.split(), start)
    ]


@pytest.mark.parametrize("name", ["table", "table.gz"])
@pytest.mark.parametrize("end", ["\n", "\r\n"])
def test_a_table_may_be_compressed_or_not(write, name, end):
    table = Paraphrases(write(table_of(PAIRS, end), name))
    assert found(table, "été") == [(1, "l' été")]


def test_short_phrases_come_first_and_then_the_order_of_the_file(write):
    table = Paraphrases(write(table_of(PAIRS)))
    assert found(table, "they put off it", 1) == [
        (1, "set"),
        (2, "delayed"),
        (2, "moved back"),
        (2, "postponed"),
    ]


def test_only_phrases_that_start_at_the_word_are_found(write):
    table = Paraphrases(write(table_of(PAIRS)))
    assert found(table, "off put") == []
    assert found(table, "off put", 1) == [(1, "set")]
    assert found(table, "a lot of it") == [(3, "many")]
    assert found(table, "a lot") == []
    assert found(table, "many") == []  # the other way round is left to the matcher


def test_case_matters_in_a_table(write):
    assert found(Paraphrases(write(table_of(PAIRS))), "Put Off") == []


@pytest.mark.parametrize(
    ("text", "line", "received"),
    [
        ("0.5\nput off\n", 1, "'0.5'"),
        ("0.5\na\nb\n0.5\n\nc\n", 4, "'0.5'"),
        ("put off\tdelayed\n", 1, "'put off\\tdelayed'"),
        ("0.5\na\nb\n\n", 4, "''"),
        ("a\nb\nc\n", 1, "'a'"),
    ],
)
def test_a_file_of_another_format_is_refused(write, text, line, received):
    path = write(text)
    with pytest.raises(ValueError) as error:
        Paraphrases(path)
    assert str(error.value) == (
        "`paraphrases` must be a table with three lines a pair: probability, phrase, "
        f"paraphrase. Received at line {line} of {path}: {received}"
    )


def test_an_empty_table_is_refused(write):
    path = write("")
    with pytest.raises(ValueError) as error:
        Paraphrases(path)
    assert str(error.value) == f"`paraphrases` must not be empty. Received: {path}"


def test_a_missing_table_is_named(tmp_path):
    message = "^`paraphrases` cannot be read: No such file or directory. Received: .*no"
    with pytest.raises(ValueError, match=message):
        METEOR(paraphrases=tmp_path / "no.gz")


@pytest.mark.parametrize(
    ("name", "data", "message"),
    [
        ("table", b"0.5\na\nb\xff\n", "`paraphrases` must be UTF-8. Received: .*0xff"),
        ("table.gz", b"0.5\na\nb\n", "`paraphrases` cannot be read: Not a gzipped"),
        (
            "table.gz",
            gzip.compress(b"0.5", mtime=0)[:-4],
            "`paraphrases` cannot be read: Compre",
        ),
    ],
)
def test_a_table_that_cannot_be_read_is_named(tmp_path, name, data, message):
    (tmp_path / name).write_bytes(data)
    with pytest.raises(ValueError, match=f"^{message}"):
        Paraphrases(tmp_path / name)


def test_a_folder_is_no_table(tmp_path):
    with pytest.raises(ValueError, match="^`paraphrases` cannot be read: Is a direct"):
        Paraphrases(tmp_path)


def test_a_path_may_be_a_string(write):
    meteor = METEOR(paraphrases=str(write(table_of(PAIRS))))
    assert meteor.stages == ("exact", "stem", "synonym", "paraphrase")
    matches = meteor.align("it was put off", "it was delayed").matches
    assert matches[-1] == (2, 2, 2, 1, 3)


def test_a_process_gets_the_name_of_the_table_not_the_table(write):
    meteor = METEOR(paraphrases=write(table_of(PAIRS * 5000)))
    data = pickle.dumps(meteor)
    assert len(data) < 10_000
    texts = ["it was put off"], "it was delayed"
    assert pickle.loads(data).sentence_score(*texts) == meteor.sentence_score(*texts)
