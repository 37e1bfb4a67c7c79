"""The formats that the executable specification reads, under their ids."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path
from typing import Any

from reference_impl.answer import Event, NewRecord
from reference_impl.register import Register, registers


class UnknownFormat(ValueError):
    """No format fits the log, or no format has the given name."""


Context = Mapping[str, Any]
"""What a reader or writer is told besides the bytes (the index known to be flushed, …)."""


def _as_it_is(path: Path, context: Context) -> Context:
    return context


@dataclass(frozen=True)
class Format:
    """One format: how to recognise, read and write its logs.

    A log is a file or a folder. ``recognise(path)`` looks at structure; ``read(path, profile,
    context)`` yields events; ``write(path, records, context)`` makes a new log at a path that does
    not exist yet; ``append(path, records, context)`` recovers an existing log and goes on with it.
    All raise ``OSError`` for errors of the file system, and ``append`` raises ``ValueError`` if a
    writer must refuse. ``copied(path, context)`` is the context for a writer that copies the
    records of a log into a new one, and for the reader of that copy.
    """

    id: str
    title: str
    recognise: Callable[[Path], bool]
    read: Callable[[Path, str, Context], Iterator[Event]]
    write: Callable[[Path, Sequence[NewRecord], Context], None]
    append: Callable[[Path, Sequence[NewRecord], Context], None]
    copied: Callable[[Path, Context], Context] = _as_it_is


def _format(register: Register) -> Format:
    """The format of a register; the package of the same name is its reader and writer."""
    package = import_module(f"reference_impl.{register.module}")
    return Format(
        register.id,
        register.title,
        package.recognise,
        package.read,
        package.write,
        package.append,
        getattr(package, "copied", _as_it_is),
    )


FORMATS = {id: _format(register) for id, register in registers().items()}


def named(format_id: str) -> Format:
    """The format with this id. Raises :class:`UnknownFormat`."""
    if format_id not in FORMATS:
        raise UnknownFormat(f"unknown format {format_id!r}: expected one of {', '.join(FORMATS)}")
    return FORMATS[format_id]


def detect(path: Path) -> Format:
    """The one format whose structure the log shows. Raises :class:`UnknownFormat`, ``OSError``."""
    path.stat()
    fitting = [format for format in FORMATS.values() if format.recognise(path)]
    if len(fitting) == 1:
        return fitting[0]
    if fitting:
        raise UnknownFormat(f"{path}: fits {' and '.join(f.id for f in fitting)}; say --format")
    if path.is_dir():
        raise UnknownFormat(f"{path}: expected a log of {', '.join(FORMATS)}, found other files")
    with path.open("rb") as log:
        head = log.read(8)
    raise UnknownFormat(
        f"{path}: at offset 0, expected a log of {', '.join(FORMATS)},"
        f" found {head.hex(' ') or 'an empty file'}; say --format to read it all the same"
    )
