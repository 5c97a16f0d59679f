"""Files found by names that other systems write differently."""

import unicodedata

import pytest

from tasks.captions.files.file_names import FileNames

NFC, NFD = (unicodedata.normalize(form, "café.jpg") for form in ("NFC", "NFD"))


def names_in(folder, *names):
    for name in names:
        (folder / name).parent.mkdir(exist_ok=True)
        (folder / name).write_bytes(b"")
    return FileNames([folder, *sorted(p for p in folder.iterdir() if p.is_dir())])


@pytest.mark.parametrize(
    ("wanted", "there"),
    [
        (NFC, NFD),
        (NFD, NFC),
        ("a.jpg", "a.JPG"),
        ("Dog.JPEG", "dog.jpeg"),
        (NFC.upper(), NFD),
        ("1000", "1000.jpg"),
        ("beach/a.jpg", "Beach/A.jpg"),
        ("beach\\a.jpg", "beach/a.jpg"),
        ("a.jpg", "inner/A.jpg"),
    ],
)
def test_a_name_is_found_as_another_system_writes_it(tmp_path, wanted, there):
    names = names_in(tmp_path, there, "other.jpg", "b.png")
    assert names.find(wanted) == tmp_path / there


def test_the_exact_name_comes_first(tmp_path):
    names = names_in(tmp_path, "a.JPG", "a.jpg", NFC, NFD)
    assert [names.find(name).name for name in ("a.jpg", "a.JPG", NFD, NFC)] == [
        *("a.jpg", "a.JPG", NFD, NFC)
    ]


@pytest.mark.parametrize(
    ("wanted", "there"), [("A.jpg", ("a.jpg", "a.JPG")), ("1", ("1.jpg", "1.png"))]
)
def test_a_name_that_fits_several_files_finds_none(tmp_path, wanted, there):
    names = names_in(tmp_path, *there)
    with pytest.raises(ValueError, match="several files of this name, .* and "):
        names.find(wanted)


def test_another_form_of_unicode_comes_before_another_case(tmp_path):
    names = names_in(tmp_path, NFD, NFC.upper())
    assert names.find(NFC).name == NFD


def test_a_missing_file_is_where_it_should_be(tmp_path):
    names = names_in(tmp_path, "b.jpg")
    assert names.find("in/a.jpg") == tmp_path / "in" / "a.jpg"
