"""Show the fields of a vector with their bytes, the damaged and the lost ones first."""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field

from conformance.contents import by_name
from conformance.kaitai.field_map import Field, ParseStopped, iter_fields
from conformance.vectors import Vector
from walproof.inspection.note import NOTHING
from walproof.inspection.show import value_text

#: Fields on a page.
MAX_FIELDS = 24
#: Files of a folder that are shown; the first are those with something at fault.
MAX_FILES = 3
#: Fields that are read of a file: those after them have no names here.
MAX_READ_FIELDS = 30_000
MAX_HEX_BYTES = 16
MAX_PATH_CHARACTERS = 64


@dataclass(frozen=True)
class Changes:
    """The bytes of a file that differ from the control are between ``start`` and ``stop``.

    At this place, ``gone`` bytes of the control are missing.
    """

    start: int = 0
    stop: int = 0
    gone: int = 0

    def __bool__(self) -> bool:
        return self.start < self.stop or self.gone > 0


def changes(old: bytes, new: bytes) -> Changes:
    """Return how ``new`` differs from ``old``."""
    if old == new:
        return Changes()
    start = _shared_bytes(old, new)
    end = _shared_bytes(old[start:][::-1], new[start:][::-1])
    return Changes(start, len(new) - end, max(0, len(old) - len(new)))


def _shared_bytes(old: bytes, new: bytes) -> int:
    """Return how many bytes at the start are the same."""
    pairs = enumerate(zip(old, new, strict=False))
    return next((at for at, (x, y) in pairs if x != y), min(len(old), len(new)))


@dataclass(frozen=True)
class Row:
    """A field, or bytes that are left out before the next field, without a path."""

    start: int
    size: int
    path: str = ""
    hex: str = ""
    value: str = ""
    is_changed: bool = False
    is_lost: bool = False


@dataclass(frozen=True)
class FileView:
    """A file of the log: the fields to list."""

    name: str
    size: int
    change: Changes
    rows: Sequence[Row] = field(repr=False)
    #: True if the grammar stopped before the end.
    stopped: bool


def views(vector: Vector, control: Vector | None) -> tuple[list[FileView], list[tuple[str, int]]]:
    """Return the files to show, and the names and sizes of the other files."""
    files = by_name(vector.contents)
    old = by_name(control.contents) if control is not None else {}
    lost: dict[str, list[tuple[int, int]]] = {}
    if vector.operation == "read":
        for each in vector.body["expect"].get("lost", ()):
            if "from" in each:
                lost.setdefault(each.get("file", ""), []).append((each["from"], each["to"]))
    # A file that the control has not is new as a whole.
    before = {name: old.get(name, b"" if old else data) for name, data in files.items()}
    order = sorted(files, key=lambda name: files[name] == before[name] and name not in lost)
    shown, others = order[:MAX_FILES], order[MAX_FILES:]
    most = max(8, MAX_FIELDS // max(1, len(shown)))
    return (
        [_view(vector, name, before[name], lost.get(name, []), most) for name in shown],
        [(name, len(files[name])) for name in others],
    )


def gone_files(vector: Vector, control: Vector | None) -> list[str]:
    """Files of the control that the log has not."""
    files = by_name(vector.contents)
    return sorted(by_name(control.contents).keys() - files) if control is not None else []


def _view(
    vector: Vector, name: str, old: bytes, lost: Sequence[tuple[int, int]], most: int
) -> FileView:
    data = by_name(vector.contents)[name]
    change = changes(old, data)
    has_moved = len(old) != len(data)
    fields, stopped = _fields(vector, name, data)
    rows = [
        Row(
            each.start,
            each.end - each.start,
            _short(each.path),
            data[each.start : each.end][:MAX_HEX_BYTES].hex(" "),
            value_text(each, NOTHING, room=44),
            each.start < change.stop
            and change.start < each.end
            and (has_moved or old[each.start : each.end] != data[each.start : each.end]),
            any(start < each.end and each.start < end for start, end in lost),
        )
        for each in fields
    ]
    chosen = sorted(rows, key=lambda row: (not row.is_changed, not row.is_lost))[:most]
    listed = _with_gaps(sorted(chosen, key=lambda row: row.start), len(data))
    return FileView(name, len(data), change, list(listed), stopped)


def _with_gaps(rows: Iterable[Row], size: int) -> Iterator[Row]:
    at = 0
    for row in rows:
        if row.start > at:
            yield Row(at, row.start - at)
        yield row
        at = max(at, row.start + row.size)
    if at < size:
        yield Row(at, size - at)


def _fields(vector: Vector, name: str, data: bytes) -> tuple[list[Field], bool]:
    """Return the innermost fields with bytes, and whether parsing stopped."""
    found = []
    every_field = iter_fields(data, str(vector.body["format"]), name or vector.input.name)
    try:
        for each in itertools.islice(every_field, MAX_READ_FIELDS):
            if each.value is not None and each.start < each.end:
                found.append(each)
    except ParseStopped:
        return found, True
    return found, False


def _short(path: str) -> str:
    """Return a path, a long one without its middle, because the end identifies the field."""
    if len(path) <= MAX_PATH_CHARACTERS:
        return path
    return f"{path[:20]}…{path[21 - MAX_PATH_CHARACTERS :]}"
