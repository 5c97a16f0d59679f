"""The zip archive in which Keras stores a model: checksum and strict reading."""

import hashlib
import io
import json
import os
import pathlib
import re
import shutil
import struct
import zipfile
import zlib
from typing import BinaryIO

CONFIG, METADATA, WEIGHTS = "config.json", "metadata.json", "model.weights.h5"
# The files of an archive of Keras, without assets: no layer of memnets has any.
MEMBERS = {METADATA, CONFIG, WEIGHTS}
# The checksum is in the comment of the archive: the SHA-256 of the file, computed with
# `BLANK` in the place of the checksum itself.
PREFIX = b"memnets-sha256:"
BLANK = b"0" * 64
# Records of the zip format: APPNOTE.TXT 6.3.10, sections 4.3.7, 4.3.12 and 4.3.16.
LOCAL = struct.Struct("<4s5H3L2H")
CENTRAL = struct.Struct("<4s6H3L5H2L")
END = struct.Struct("<4s4H2LH")
# The systems (Windows, Unix) and modes that Python writes for a member. If Keras has
# too little memory for the weights it copies them from a file, with the mode of the
# file.
SYSTEMS = {0, 3}
MODES = {0o600 << 16}
MODES_OF_WEIGHTS = MODES | {0o100600 << 16, 0o100666 << 16}
CHUNK = 2**20
# In place of the time of saving, in the form of Keras.
DATE = "1980-01-01@00:00:00"
MAX_LIST = 1000  # heuristic: the list of Keras has 178 bytes


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


def _without_chance(value, ids):
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

    Every byte must be one that Keras or `add_checksum` writes: members that are not
    compressed, one after the other, and records that follow from their names, sizes,
    times and CRCs.

    Raises:
        InvalidModelFile: If any byte is different.
        OSError: If a file cannot be read or written.
    """
    with open(path, "rb") as stream:
        found, offset = _list_of_members(stream)
        position, expected = 0, b""
        for member in _members(found):
            local, central = _records(member, position)
            stream.seek(position)
            if stream.read(len(local)) != local:
                raise InvalidModelFile(
                    f"is damaged or hostile: {member.filename} has another header than "
                    "Keras writes."
                )
            _copy(stream, member, folder / member.filename)
            position = stream.tell()
            expected += central
        if position != offset or found != expected:
            raise InvalidModelFile(
                "is damaged or hostile: its list of members is not as Keras writes it."
            )


def _list_of_members(stream: BinaryIO) -> tuple[bytes, int]:
    """The list of members and its position; checks the record and the checksum behind
    it."""
    start = stream.read(4)
    if start != b"PK\x03\x04":
        raise InvalidModelFile(
            "is not a Keras model: no zip file." if start else "is empty."
        )
    size = stream.seek(0, os.SEEK_END)
    for comment_size in (0, len(PREFIX + BLANK)):
        end = max(size - comment_size - END.size, 0)
        stream.seek(end)
        record = stream.read(END.size).ljust(END.size)
        signature, *disks, count, length, offset, comment = END.unpack(record)
        if signature == b"PK\x05\x06" and comment == comment_size:
            break
    else:
        raise InvalidModelFile("is damaged: cut short, or longer than it was.")
    if comment_size and not is_intact(stream):
        raise InvalidModelFile("is damaged: its SHA-256 checksum is wrong.")
    if disks != [0, 0, count] or offset + length != end:
        raise InvalidModelFile("is damaged or hostile: the record at its end is wrong.")
    if length > MAX_LIST:
        raise InvalidModelFile(f"is not a Keras model: a zip file of {count} members.")
    stream.seek(offset)
    return stream.read(length), offset


def is_intact(stream: BinaryIO) -> bool:
    """Whether a stream with a checksum is unchanged."""
    digest = _digest(stream)
    stream.seek(-len(PREFIX + BLANK), os.SEEK_END)
    return stream.read() == PREFIX + digest


def _digest(stream):
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


def _members(found):
    """The entries of a list of members, which must be the files of Keras."""
    end = END.pack(b"PK\x05\x06", 0, 0, 0, 0, len(found), 0, 0)
    try:
        members = zipfile.ZipFile(io.BytesIO(found + end)).infolist()
    except Exception:  # zipfile raises errors of many types
        raise InvalidModelFile(
            "is damaged: its list of members cannot be read."
        ) from None
    names = [member.filename for member in members]
    for name in names:
        if name not in MEMBERS or names.count(name) > 1:
            raise InvalidModelFile(
                f"is not a Keras model: a zip file with {name[:60]!r} in it."
            )
    for name in sorted(MEMBERS - set(names)):
        raise InvalidModelFile(f"is not a Keras model: a zip file without {name}.")
    return members


def _records(member, position):
    """The two records that Python writes for a member at `position`."""
    name = member.filename
    modes = MODES_OF_WEIGHTS if name == WEIGHTS else MODES
    known = member.create_system in SYSTEMS and member.external_attr in modes
    if not known or member.compress_type != zipfile.ZIP_STORED or member.flag_bits:
        raise InvalidModelFile(
            f"is damaged or hostile: {name} is compressed, a link, or otherwise not "
            "stored as Keras stores it."
        )
    year, month, day, hour, minute, second = member.date_time
    fields = (
        20,  # the version of the format
        0,
        zipfile.ZIP_STORED,
        hour << 11 | minute << 5 | second // 2,
        (year - 1980) << 9 | month << 5 | day,
        member.CRC,
        member.file_size,
        member.file_size,
        len(name),
        0,
    )
    local = LOCAL.pack(b"PK\x03\x04", *fields)
    made_by = 20 | member.create_system << 8
    attributes = (0, 0, 0, member.external_attr, position)
    central = CENTRAL.pack(b"PK\x01\x02", made_by, *fields, *attributes)
    return local + name.encode(), central + name.encode()


def _copy(stream, member, path):
    left, crc = member.file_size, 0
    with open(path, "wb") as copy:
        while left:
            chunk = stream.read(min(left, CHUNK))
            if not chunk:
                raise InvalidModelFile(f"is damaged: {member.filename} is cut short.")
            crc = zlib.crc32(chunk, crc)
            copy.write(chunk)
            left -= len(chunk)
    if crc != member.CRC:
        raise InvalidModelFile(f"is damaged: {member.filename} has another CRC.")
