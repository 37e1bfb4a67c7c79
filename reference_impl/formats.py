"""The formats that the executable specification covers, by id."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from importlib import import_module
from pathlib import Path
from typing import Any

from reference_impl.answer import Event, NewRecord
from reference_impl.register import Register, registers


class UnknownFormat(ValueError):
    """Raised if no format has the given id, or if a log does not match exactly one format."""

    def __init__(self, message: str, fitting: Sequence[str] = ()) -> None:
        super().__init__(message)
        #: The ids of the formats that match.
        self.fitting = fitting


# A reader or writer needs this information, such as a flushed index, but the log does not contain
# it.
Context = Mapping[str, Any]


def _as_it_is(path: Path, context: Context) -> Context:
    return context


@dataclass(frozen=True)
class Format:
    """A format, with the functions that recognise, read and write its logs.

    Each function raises ``OSError`` if the file system reports an error.
    """

    id: str
    title: str
    #: Returns whether a file or directory has the structure of the format.
    recognise: Callable[[Path], bool]
    #: Yields the events of a log, for a profile and a context.
    read: Callable[[Path, str, Context], Iterator[Event]]
    #: Creates a log at a path that does not exist yet.
    write: Callable[[Path, Sequence[NewRecord], Context], None]
    #: Recovers a log and appends to it. Raises ``ValueError`` if the log must not be appended to.
    append: Callable[[Path, Sequence[NewRecord], Context], None]
    #: Returns the context for copying a log's records to a new log, and for reading the copy.
    copied: Callable[[Path, Context], Context] = _as_it_is


def _format(register: Register) -> Format:
    """Return the format that a register describes.

    The format's package is imported on the first call of one of its functions.
    """

    def call(name: str, *arguments: Any) -> Any:
        package = import_module(f"reference_impl.{register.module}")
        if name == "copied" and not hasattr(package, name):
            return _as_it_is(*arguments)
        return getattr(package, name)(*arguments)

    return Format(
        register.id,
        register.title,
        *(partial(call, name) for name in ("recognise", "read", "write", "append", "copied")),
    )


FORMATS = {id: _format(register) for id, register in registers().items()}


def named(format_id: str) -> Format:
    """Return the format with this id. Raises :class:`UnknownFormat`."""
    if format_id not in FORMATS:
        raise UnknownFormat(f"unknown format {format_id!r}: expected one of {', '.join(FORMATS)}")
    return FORMATS[format_id]


def detect(path: Path) -> Format:
    """Return the only format that recognises the log.

    Raises :class:`UnknownFormat`, ``OSError``.
    """
    path.stat()
    fitting = [format for format in FORMATS.values() if format.recognise(path)]
    if len(fitting) == 1:
        return fitting[0]
    if fitting:
        ids = [format.id for format in fitting]
        message = f"{path}: matches {' and '.join(ids)}; choose one with --format"
        raise UnknownFormat(message, ids)
    if path.is_dir():
        found = "other files" if any(path.iterdir()) else "an empty folder"
        raise UnknownFormat(f"{path}: expected a log of {', '.join(FORMATS)}, found {found}")
    with path.open("rb") as log:
        head = log.read(8)
    raise UnknownFormat(
        f"{path}: at offset 0, expected a log of {', '.join(FORMATS)},"
        f" found {head.hex(' ') or 'an empty file'}; use --format to read it anyway"
    )
