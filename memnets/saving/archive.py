"""The zip archive in which Keras keeps a model: its seal, and nothing odd in it."""

import hashlib
import io
import os
import struct
import zipfile
import zlib

CONFIG, METADATA, WEIGHTS = "config.json", "metadata.json", "model.weights.h5"
# All that Keras puts into an archive, but for assets, which no layer of ours has.
MEMBERS = {METADATA, CONFIG, WEIGHTS}
# The seal is the comment of the archive: the SHA-256 of the file as it is with `BLANK`.
SEAL = b"memnets-sha256:"
BLANK = b"0" * 64
# Records of the zip format: APPNOTE.TXT 6.3.10, sections 4.3.7, 4.3.12 and 4.3.16.
LOCAL = struct.Struct("<4s5H3L2H")
CENTRAL = struct.Struct("<4s6H3L5H2L")
END = struct.Struct("<4s4H2LH")
# What Python writes as the system (Windows, Unix) and as the mode of a member. Keras
# copies weights that it has no memory for from a file, with the mode of that.
SYSTEMS = {0, 3}
MODES = {0o600 << 16}
MODES_OF_WEIGHTS = MODES | {0o100600 << 16, 0o100666 << 16}
CHUNK = 2**20
MAX_LIST = 1000  # chosen; that of Keras has 178 bytes


class Refusal(ValueError):
    """Why a file is not loaded: what follows its name in the message."""


def seal(path):
    """Adds the seal to an archive without a comment."""
    with open(path, "rb+") as stream:
        stream.seek(-2, os.SEEK_END)  # the length of the comment
        stream.write(struct.pack("<H", len(SEAL + BLANK)) + SEAL + BLANK)
        digest = _digest(stream)
        stream.seek(-len(BLANK), os.SEEK_END)
        stream.write(digest)


def unpack(path, folder):
    """Copies the members of an archive into a folder.

    Every byte must be one that Keras or the seal has put there: the members stored
    uncompressed, one behind the other, and records that follow from their names, sizes,
    times and checksums.

    Raises:
        Refusal: If a byte is not.
        OSError: If a file cannot be read or written.
    """
    with open(path, "rb") as stream:
        found, offset = _list_of_members(stream)
        position, expected = 0, b""
        for member in _members(found):
            local, central = _records(member, position)
            stream.seek(position)
            if stream.read(len(local)) != local:
                raise Refusal(
                    f"is damaged or hostile: {member.filename} has another header than "
                    "Keras writes."
                )
            _copy(stream, member, folder / member.filename)
            position = stream.tell()
            expected += central
        if position != offset or found != expected:
            raise Refusal(
                "is damaged or hostile: its list of members is not as Keras writes it."
            )


def _list_of_members(stream):
    """The list of members and where it begins; checks the record and the seal behind
    it."""
    start = stream.read(4)
    if start != b"PK\x03\x04":
        raise Refusal("is not a Keras model: no zip file." if start else "is empty.")
    size = stream.seek(0, os.SEEK_END)
    for comment_size in (0, len(SEAL + BLANK)):
        end = max(size - comment_size - END.size, 0)
        stream.seek(end)
        record = stream.read(END.size).ljust(END.size)
        signature, *disks, count, length, offset, comment = END.unpack(record)
        if signature == b"PK\x05\x06" and comment == comment_size:
            break
    else:
        raise Refusal("is damaged: cut short, or longer than it was.")
    if comment_size:
        _check_seal(stream)
    if disks != [0, 0, count] or offset + length != end:
        raise Refusal("is damaged or hostile: the record at its end is wrong.")
    if length > MAX_LIST:
        raise Refusal(f"is not a Keras model: a zip file of {count} members.")
    stream.seek(offset)
    return stream.read(length), offset


def _check_seal(stream):
    digest = _digest(stream)
    stream.seek(-len(SEAL + BLANK), os.SEEK_END)
    if stream.read() != SEAL + digest:
        raise Refusal("is damaged: its SHA-256 is not the one it was sealed with.")


def _digest(stream):
    """SHA-256 of a stream, in hexadecimal digits, as if it ended with `BLANK`."""
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
    """What zipfile makes of a list of members, if those are the ones of Keras."""
    end = END.pack(b"PK\x05\x06", 0, 0, 0, 0, len(found), 0, 0)
    try:
        members = zipfile.ZipFile(io.BytesIO(found + end)).infolist()
    except Exception:  # zipfile raises almost anything here
        raise Refusal("is damaged: its list of members cannot be read.") from None
    names = [member.filename for member in members]
    for name in names:
        if name not in MEMBERS or names.count(name) > 1:
            raise Refusal(f"is not a Keras model: a zip file with {name[:60]!r} in it.")
    for name in sorted(MEMBERS - set(names)):
        raise Refusal(f"is not a Keras model: a zip file without {name}.")
    return members


def _records(member, position):
    """The two records that Python writes for a member that begins at `position`."""
    name = member.filename
    modes = MODES_OF_WEIGHTS if name == WEIGHTS else MODES
    known = member.create_system in SYSTEMS and member.external_attr in modes
    if not known or member.compress_type != zipfile.ZIP_STORED or member.flag_bits:
        raise Refusal(
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
    left, checksum = member.file_size, 0
    with open(path, "wb") as copy:
        while left:
            chunk = stream.read(min(left, CHUNK))
            if not chunk:
                raise Refusal(f"is damaged: {member.filename} is cut short.")
            checksum = zlib.crc32(chunk, checksum)
            copy.write(chunk)
            left -= len(chunk)
    if checksum != member.CRC:
        raise Refusal(f"is damaged: {member.filename} has another checksum.")
