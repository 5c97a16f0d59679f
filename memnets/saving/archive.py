"""The zip archive in which Keras stores a model: checksum and strict reading."""

import hashlib
import json
import os
import pathlib
import re
import shutil
import stat
import struct
import zipfile
from typing import Any, BinaryIO

CONFIG, METADATA, WEIGHTS = "config.json", "metadata.json", "model.weights.h5"
# The files of an archive of Keras, without assets: no layer of memnets has any.
MEMBERS = {METADATA, CONFIG, WEIGHTS}
# The checksum is in the comment of the archive: the SHA-256 of the file, computed with
# `BLANK` in the place of the checksum itself.
PREFIX = b"memnets-sha256:"
BLANK = b"0" * 64
# The last record, with the length of the comment: APPNOTE.TXT 6.3.10, section 4.3.16.
END = struct.Struct("<4s16xH")
CHUNK = 2**20
# In place of the time of saving, in the form of Keras.
DATE = "1980-01-01@00:00:00"
MAX_MEMBERS = 10  # of a list to be named one by one


class InvalidModelFile(ValueError):
    """The reason why a file is not loaded, to be read after the name of the file."""


def one_line(error: BaseException) -> str:
    """The message of an error in one line, without the introductions of Keras."""
    text = getattr(error, "strerror", None) or str(error) or type(error).__name__
    for introduction in ("Example error message for ", "Exception encountered: "):
        text = text.partition(introduction)[2] or text
    text = re.sub(r"\x1b\[\d*m", "", text.partition("List of objects that")[0])
    printable = "".join(char if char.isprintable() else " " for char in text)
    return " ".join(printable.split())[:240]


def make_reproducible(path: str | pathlib.Path) -> None:
    """Takes out of an archive of Keras what differs between two equal models: the time
    of saving, and addresses in memory as the ids of shared objects."""
    path = pathlib.Path(path)
    rewritten = path.with_name(f"{path.name}.rewritten")
    try:
        with zipfile.ZipFile(path) as old, zipfile.ZipFile(rewritten, "w") as new:
            for member in old.infolist():
                member.date_time = (1980, 1, 1, 0, 0, 0)  # the first that there is
                if member.filename in (CONFIG, METADATA):
                    value = json.loads(old.read(member))
                    new.writestr(member, json.dumps(_without_chance(value, {})))
                else:
                    with old.open(member) as source, new.open(member, "w") as copy:
                        shutil.copyfileobj(source, copy, CHUNK)
        os.replace(rewritten, path)
    finally:
        rewritten.unlink(missing_ok=True)


def _without_chance(value: Any, ids: dict[int, int]) -> Any:
    """A part of a configuration, with ids in the order in which they come up."""
    if isinstance(value, list):
        return [_without_chance(part, ids) for part in value]
    if not isinstance(value, dict):
        return value
    fixed = {key: _without_chance(part, ids) for key, part in value.items()}
    if "shared_object_id" in value:
        number = ids.setdefault(value["shared_object_id"], len(ids))
        fixed["shared_object_id"] = number
    if "date_saved" in value:
        fixed["date_saved"] = DATE
    return fixed


def add_checksum(path: str | pathlib.Path) -> None:
    """Adds the checksum to an archive without a comment."""
    with open(path, "rb+") as stream:
        stream.seek(-2, os.SEEK_END)  # the length of the comment
        stream.write(struct.pack("<H", len(PREFIX + BLANK)) + PREFIX + BLANK)
        digest = _digest(stream)
        stream.seek(-len(BLANK), os.SEEK_END)
        stream.write(digest)


def unpack(path: str | pathlib.Path, folder: pathlib.Path) -> None:
    """Copies the members of an archive into a folder.

    The members must be the files of Keras, not compressed and not longer than the
    archive, with right CRCs. The comment must be empty or a right checksum.

    Raises:
        InvalidModelFile: If anything is different.
        OSError: If a file cannot be read or written.
    """
    with open(path, "rb") as stream:
        start = stream.read(4)
        if start != b"PK\x03\x04":
            raise InvalidModelFile(
                "is not a file of the format .keras: no zip file. Of older formats, "
                "keras.saving.load_model(path, compile=False) reads .h5, and "
                "model.load_weights reads weights."
                if start
                else "is empty."
            )
        try:
            with zipfile.ZipFile(stream) as archived:
                _check_end(stream, archived.comment)
                for member in _members(archived, stream.seek(0, os.SEEK_END)):
                    target = folder / member.filename
                    with archived.open(member) as source, open(target, "wb") as copy:
                        shutil.copyfileobj(source, copy, CHUNK)
        except (InvalidModelFile, OSError):
            raise
        except Exception as error:  # zipfile raises errors of many types
            raise InvalidModelFile(
                f"is damaged, perhaps cut short: {one_line(error)}."
            ) from None


def _check_end(stream: BinaryIO, comment: bytes) -> None:
    """Checks that nothing follows the archive, and the checksum in its comment."""
    stream.seek(-END.size - len(comment), os.SEEK_END)
    signature, length = END.unpack(stream.read(END.size))
    is_last = signature == b"PK\x05\x06" and length == len(comment)
    if not is_last or not _is_known(comment):
        raise InvalidModelFile("is damaged: cut short, or longer than it was.")
    if comment and not is_intact(stream):
        raise InvalidModelFile("is damaged: its SHA-256 checksum is wrong.")


def _is_known(comment: bytes) -> bool:
    """Whether a comment is empty or has the form of a checksum."""
    return not comment or (
        comment.startswith(PREFIX) and len(comment) == len(PREFIX + BLANK)
    )


def is_intact(stream: BinaryIO) -> bool:
    """Whether a stream with a checksum is unchanged."""
    digest = _digest(stream)
    stream.seek(-len(PREFIX + BLANK), os.SEEK_END)
    return stream.read() == PREFIX + digest


def _digest(stream: BinaryIO) -> bytes:
    """SHA-256 of a stream in hexadecimal digits, with `BLANK` as its last bytes."""
    left = stream.seek(0, os.SEEK_END) - len(BLANK)
    stream.seek(0)
    digest = hashlib.sha256()
    while left:
        chunk = stream.read(min(left, CHUNK))
        digest.update(chunk)
        left -= len(chunk)
    digest.update(BLANK)
    return digest.hexdigest().encode()


def _members(archived: zipfile.ZipFile, size: int) -> list[zipfile.ZipInfo]:
    """The entries of an archive of that size, which must be the files of Keras."""
    members = archived.infolist()
    if len(members) > MAX_MEMBERS:
        raise InvalidModelFile(
            f"is not a Keras model: a zip file of {len(members)} members."
        )
    names = [member.filename for member in members]
    for name in names:
        if name not in MEMBERS or names.count(name) > 1:
            raise InvalidModelFile(
                f"is not a Keras model: a zip file with {name[:60]!r} in it."
            )
    for name in sorted(MEMBERS - set(names)):
        raise InvalidModelFile(f"is not a Keras model: a zip file without {name}.")
    for member in members:
        kind = stat.S_IFMT(member.external_attr >> 16)
        is_stored = member.compress_type == zipfile.ZIP_STORED
        if not is_stored or member.flag_bits or kind not in (0, stat.S_IFREG):
            raise InvalidModelFile(
                f"is damaged or hostile: {member.filename} is compressed, a link, or "
                "otherwise not stored as Keras stores it."
            )
    if sum(member.file_size for member in members) > size:
        raise InvalidModelFile("is damaged or hostile: its members overlap.")
    return members
