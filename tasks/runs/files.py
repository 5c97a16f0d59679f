"""Text files of a run: written atomically, with a checksum checked on reading."""

import csv
import io
import json
import math
import pathlib
from collections.abc import Mapping
from typing import Any

from .checksum import BLANK, is_intact, with_checksum
from .history import FIRST_COLUMNS, LAST_COLUMNS, Row, upgraded
from .output_folder import RunError


def write_text(path: pathlib.Path, text: str) -> None:
    """Writes a text whose only `BLANK` becomes its checksum.

    Raises:
        RunError: If it cannot be written; the old file stays as it is.
    """
    # Imported here: reading a run does not need it.
    from memnets.saving.atomic import atomic_write

    try:
        with atomic_write(path) as unfinished:
            unfinished.write_text(with_checksum(text), encoding="utf-8")
    except OSError as error:
        raise RunError(f"`{path}` cannot be written: {error.strerror}.") from None


def write_json(path: pathlib.Path, value: dict) -> None:
    """Writes a dictionary with a checksum.

    Raises:
        RunError: If it cannot be written; the old file stays as it is.
    """
    write_text(path, json.dumps(plain(value) | {"sha256": BLANK}, indent=2) + "\n")


def plain(value: Any) -> Any:
    """A value as JSON gives it back; NumPy numbers become Python's."""
    return json.loads(json.dumps(value, default=lambda number: number.item()))


def without_nan(value: Any) -> Any:
    """A value for JSON, which has no NaN and no infinity: None is in their place."""
    if isinstance(value, float):
        return value if math.isfinite(value) else None
    if isinstance(value, Mapping):
        return {name: without_nan(own) for name, own in value.items()}
    return [*map(without_nan, value)] if isinstance(value, list | tuple) else value


def with_nan(value: Any) -> Any:
    """A value from JSON whose numbers may be None: NaN is in their place."""
    if isinstance(value, dict):
        return {name: with_nan(own) for name, own in value.items()}
    if isinstance(value, list):
        return [*map(with_nan, value)]
    return math.nan if value is None else value


def read_json(path: pathlib.Path) -> Any:
    """Reads what `write_json` wrote.

    Raises:
        FileNotFoundError: If there is no such file.
        RunError: If it cannot be read, is truncated, or was changed.
    """
    try:
        text = path.read_text(encoding="utf-8")
        value = json.loads(text)
    except FileNotFoundError:
        raise
    except OSError as error:
        raise RunError(f"`{path}` cannot be read: {error.strerror}.") from None
    except (ValueError, RecursionError) as error:
        raise RunError(f"`{path}` is truncated or not JSON: {error}") from None
    if not is_intact(text):
        raise RunError(f"`{path}` is damaged: its SHA-256 does not match.")
    del value["sha256"]
    return value


def write_history(path: pathlib.Path, rows: list[Row]) -> None:
    """Writes a history as CSV, with its checksum in the last line.

    Raises:
        RunError: If it cannot be written; the old file stays as it is.
    """
    columns = list(rows[0]) if rows else [*FIRST_COLUMNS, *LAST_COLUMNS]
    text = io.StringIO(newline="")
    writer = csv.DictWriter(text, columns, lineterminator="\n")
    writer.writeheader()
    writer.writerows(rows)
    text.write(f"# sha256 {BLANK}\n")
    write_text(path, text.getvalue())


def read_history(path: pathlib.Path) -> list[Row]:
    """Reads what `write_history` wrote, also as earlier versions did.

    Raises:
        RunError: If the file is missing, truncated or of another kind.
    """
    try:
        text = path.read_text(encoding="utf-8")
        header, *lines, _ = csv.reader(text.splitlines())
        columns = list(upgraded(dict.fromkeys(header)))
        missing = {*FIRST_COLUMNS, *LAST_COLUMNS} - set(columns)
        if missing:
            raise ValueError(f"the columns {', '.join(sorted(missing))} are missing")
        if not is_intact(text):
            raise ValueError("it is damaged, its SHA-256 does not match")
        return [dict(zip(columns, map(float, line), strict=True)) for line in lines]
    except FileNotFoundError:
        raise RunError(f"`{path}` is missing.") from None
    except (ValueError, csv.Error) as error:
        raise RunError(f"`{path}` is not a history: {error}") from None
