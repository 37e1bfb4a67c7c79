"""Show selected fields of a vector with their bytes, preferably damaged and lost ones."""

from __future__ import annotations

import contextlib
import itertools
from bisect import bisect_left
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field

from conformance.contents import by_name
from conformance.kaitai.field_map import Field, ParseStopped, iter_fields
from conformance.kaitai.field_text import value_text
from conformance.vectors import Vector

#: A page shows about this many fields.
MAX_FIELDS = 10
#: The maximum number of files to show. Files with a change or a loss come first.
MAX_FILES = 3
#: The maximum number of fields to read from a file. Later fields are not shown.
MAX_READ_FIELDS = 30_000
MAX_HEX_BYTES = 12


@dataclass(frozen=True)
class ByteRow:
    """A field. If the path is empty, it stands for the bytes omitted before the next field."""

    start: int
    size: int
    path: str = ""
    hex: str = ""
    value: str = ""
    is_changed: bool = False
    is_lost: bool = False

    @property
    def marks(self) -> str:
        """Return the CSS classes: ``x`` for changed bytes, ``l`` for lost ones."""
        return " ".join(["x"] * self.is_changed + ["l"] * self.is_lost)


@dataclass(frozen=True)
class FileView:
    """A file of the log, with the fields to list."""

    name: str
    size: int
    rows: Sequence[ByteRow] = field(repr=False)


def views(vector: Vector, control: Vector | None) -> tuple[list[FileView], int]:
    """Return the files to show, and the number of the other files."""
    files = by_name(vector.contents)
    old = by_name(control.contents) if control is not None else {}
    lost: dict[str, list[tuple[int, int]]] = {}
    if vector.operation == "read":
        for each in vector.body["expect"].get("lost", ()):
            if "from" in each:
                lost.setdefault(each.get("file", ""), []).append((each["from"], each["to"]))
    # If the control lacks a file, all bytes of the file are new.
    before = {name: old.get(name, b"" if old else data) for name, data in files.items()}
    order = sorted(files, key=lambda name: files[name] == before[name] and name not in lost)
    shown = order[:MAX_FILES]
    most = max(8, MAX_FIELDS // max(1, len(shown)))
    return (
        [_view(vector, name, before[name], lost.get(name, []), most) for name in shown],
        len(order) - len(shown),
    )


def changed_range(old: bytes, new: bytes) -> range:
    """Return the offsets in ``new`` between the common prefix and the common suffix."""
    start = _shared_bytes(old, new)
    return range(start, len(new) - _shared_bytes(old[start:][::-1], new[start:][::-1]))


def _shared_bytes(old: bytes, new: bytes) -> int:
    lengths = range(min(len(old), len(new)))
    return bisect_left(lengths, True, key=lambda length: old[: length + 1] != new[: length + 1])


def _view(
    vector: Vector, name: str, old: bytes, lost: Sequence[tuple[int, int]], most: int
) -> FileView:
    data = by_name(vector.contents)[name]
    change = changed_range(old, data)
    has_moved = len(old) != len(data)
    ends = list(itertools.accumulate((end for _, end in sorted(lost)), max))
    starts = sorted(start for start, _ in lost)

    def is_changed(each: Field) -> bool:
        return (
            each.start < change.stop
            and change.start < each.end
            and (has_moved or old[each.start : each.end] != data[each.start : each.end])
        )

    def is_lost(each: Field) -> bool:
        before = bisect_left(starts, each.end)  # ranges that start before the field ends
        return before > 0 and ends[before - 1] > each.start

    marked = [
        (not is_changed(each), not is_lost(each), each) for each in _fields(vector, name, data)
    ]
    chosen = sorted(marked, key=lambda each: each[:2])[:most]
    rows = [
        ByteRow(
            each.start,
            each.end - each.start,
            each.path,
            data[each.start : each.end][:MAX_HEX_BYTES].hex(" "),
            value_text(each, room=44),
            not unchanged,
            not intact,
        )
        for unchanged, intact, each in sorted(chosen, key=lambda each: each[2].start)
    ]
    return FileView(name, len(data), list(_with_gaps(rows, len(data))))


def _with_gaps(rows: Iterable[ByteRow], size: int) -> Iterator[ByteRow]:
    at = 0
    for row in rows:
        if row.start > at:
            yield ByteRow(at, row.start - at)
        yield row
        at = max(at, row.start + row.size)
    if at < size:
        yield ByteRow(at, size - at)


def _fields(vector: Vector, name: str, data: bytes) -> list[Field]:
    """Return the innermost fields with bytes, up to the point where parsing stops."""
    found = []
    every_field = iter_fields(data, str(vector.body["format"]), name or vector.input.name)
    with contextlib.suppress(ParseStopped):
        for each in itertools.islice(every_field, MAX_READ_FIELDS):
            if each.value is not None and each.start < each.end:
                found.append(each)
    return found
