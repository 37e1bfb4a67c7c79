"""The formats that the executable specification reads, under their ids."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from reference_impl import leveldb_log
from reference_impl.answer import Event

HEAD_SIZE = 4 * leveldb_log.BLOCK_SIZE
"""Bytes of a file that detection looks at."""


class UnknownFormat(ValueError):
    """No format fits the log, or the name given is none of ours."""


@dataclass(frozen=True)
class Format:
    """One format: how to recognise, read and write its logs.

    ``read(path, profile, context)`` yields events; ``write(path, payloads)`` makes a new log;
    ``append(path, payloads)`` recovers an existing one and goes on. All raise ``OSError`` for
    what the file system does, and ``append`` raises ``ValueError`` where a writer must refuse.
    """

    id: str
    title: str
    recognise: Callable[[bytes, str], bool]
    read: Callable[[Path, str, Mapping[str, Any]], Iterator[Event]]
    write: Callable[[Path, Sequence[bytes]], None]
    append: Callable[[Path, Sequence[bytes]], None]


def _read_leveldb(path: Path, profile: str, context: Mapping[str, Any]) -> Iterator[Event]:
    with path.open("rb") as log:
        yield from leveldb_log.read(log, profile)


def _write_leveldb(path: Path, payloads: Sequence[bytes]) -> None:
    with path.open("xb") as log:
        writer = leveldb_log.Writer(log)
        for payload in payloads:
            writer.append(payload)


def _append_leveldb(path: Path, payloads: Sequence[bytes]) -> None:
    with path.open("r+b") as log:
        leveldb_log.append(log, payloads)


FORMATS = {
    format.id: format
    for format in (
        Format(
            "leveldb-log",
            "LevelDB log (write-ahead log, MANIFEST)",
            leveldb_log.recognise,
            _read_leveldb,
            _write_leveldb,
            _append_leveldb,
        ),
    )
}


def named(format_id: str) -> Format:
    """The format with this id. Raises :class:`UnknownFormat`."""
    if format_id not in FORMATS:
        raise UnknownFormat(f"unknown format {format_id!r}: expected one of {', '.join(FORMATS)}")
    return FORMATS[format_id]


def detect(path: Path) -> Format:
    """The one format whose structure the log shows. Raises :class:`UnknownFormat`, ``OSError``."""
    with path.open("rb") as log:
        head = log.read(HEAD_SIZE)
    fitting = [format for format in FORMATS.values() if format.recognise(head, path.name)]
    if len(fitting) == 1:
        return fitting[0]
    if fitting:
        raise UnknownFormat(f"{path}: fits {' and '.join(f.id for f in fitting)}; say --format")
    raise UnknownFormat(
        f"{path}: at offset 0, expected a record of {', '.join(FORMATS)},"
        f" found {head[:8].hex(' ') or 'an empty file'}; say --format to read it all the same"
    )
