"""Show the bytes of a vector in rows of sixteen, coloured by field, with damage and losses."""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

import numpy as np
from markupsafe import Markup, escape

from conformance.contents import by_name
from conformance.kaitai.field_map import Field, ParseStopped, iter_fields
from conformance.vectors import Vector
from walproof.inspection.note import NOTHING
from walproof.inspection.show import value_text

ROW_BYTES = 16
#: Rows of a page; of a longer log only those around its edges and faults are shown.
MAX_ROWS = 24
#: Files of a folder that are shown; the first are those with something at fault.
MAX_FILES = 3
#: Fields of a file that are listed.
MAX_LISTED_FIELDS = 14
#: Fields that are read of a file: those after them have no names here.
MAX_READ_FIELDS = 30_000
#: What follows these is one range.
MAX_CHANGED_RANGES = 400
MAX_PATH_CHARACTERS = 64
COLOURS = 8

Ranges = Sequence[tuple[int, int]]


@dataclass(frozen=True)
class Changes:
    """Half-open ``ranges`` of bytes that differ from the control.

    ``gone`` bytes of the control are missing before the offset ``gone_at``.
    """

    ranges: Ranges = field(default_factory=list)
    gone: int = 0
    gone_at: int = 0

    def __bool__(self) -> bool:
        return bool(self.ranges or self.gone)


def changes(old: bytes, new: bytes) -> Changes:
    """Return how ``new`` differs from ``old``: byte by byte if both are as long."""
    if len(old) == len(new):
        return Changes(_differing(old, new))
    start = _shared_bytes(old, new)
    end = _shared_bytes(old[start:][::-1], new[start:][::-1])
    ranges = [(start, len(new) - end)] if start < len(new) - end else []
    gone = len(old) - end - start
    return Changes(ranges, gone, start) if gone else Changes(ranges)


def _shared_bytes(old: bytes, new: bytes) -> int:
    """Return how many bytes at the start are the same."""
    pairs = enumerate(zip(old, new, strict=False))
    return next((at for at, (x, y) in pairs if x != y), min(len(old), len(new)))


def _differing(old: bytes, new: bytes) -> Ranges:
    at = np.flatnonzero(np.frombuffer(old, np.uint8) != np.frombuffer(new, np.uint8))
    if not at.size:
        return []
    runs = np.split(at, np.flatnonzero(np.diff(at) > 1) + 1)
    ranges = [(int(run[0]), int(run[-1]) + 1) for run in runs]
    if len(ranges) > MAX_CHANGED_RANGES:
        ranges[MAX_CHANGED_RANGES - 1 :] = [(ranges[MAX_CHANGED_RANGES - 1][0], ranges[-1][1])]
    return ranges


@dataclass(frozen=True)
class ListedField:
    """A field with bytes in the rows. ``colour`` is the colour of its name."""

    number: int
    path: str
    start: int
    end: int
    value: str
    colour: int
    is_changed: bool
    is_lost: bool

    @property
    def size(self) -> int:
        """The number of its bytes."""
        return self.end - self.start


@dataclass(frozen=True)
class FileView:
    """A file of the log: its rows as HTML, and the fields in them."""

    name: str
    data: bytes = field(repr=False)
    change: Changes
    lost: Ranges
    rows: Sequence[int]
    all_fields: Sequence[ListedField]
    #: True if the grammar stopped before the end.
    stopped: bool

    @property
    def size(self) -> int:
        """The number of bytes in the file."""
        return len(self.data)

    @property
    def fields(self) -> Sequence[ListedField]:
        """The fields to list in the order of the file; changed ones first if there are too many."""
        first = sorted(self.all_fields, key=lambda each: not each.is_changed)[:MAX_LISTED_FIELDS]
        return sorted(first, key=lambda each: each.start)

    @property
    def html(self) -> Markup:
        """The rows: offset, bytes, text; between them how many bytes are folded."""
        digits = max(4, len(f"{self.size:x}"))
        owners = self._owners()
        missing = (
            f'{" " * digits} <i class="x">▲ at {self.change.gone_at}: {self.change.gone:,}'
            f" byte{'s' * (self.change.gone > 1)} of the control are not here</i>"
        )
        lines, at = [], 0
        for row in self.rows:
            start = row * ROW_BYTES
            if start > at:
                lines.append(f"<q>… {start - at:,} bytes …</q>")
            at = min(self.size, start + ROW_BYTES)
            pieces = [f"<b>{start:0{digits}x}</b>"]
            for key, group in itertools.groupby(range(start, at), lambda byte: owners[byte]):
                offsets = list(group)
                pieces.append(_segment(self.data[offsets[0] : offsets[-1] + 1].hex(" "), *key))
            text = "".join(chr(b) if 0x20 <= b < 0x7F else "·" for b in self.data[start:at])
            room = " " * 3 * (start + ROW_BYTES - at)
            lines.append(f"{' '.join(pieces)}{room}  <s>{escape(text)}</s>")
            if self.change.gone and start <= self.change.gone_at < start + ROW_BYTES:
                lines.append(missing)
        if at < self.size:
            lines.append(f"<q>… {self.size - at:,} bytes …</q>")
        if self.change.gone and (self.change.gone_at >= at or not lines):
            lines.append(missing)
        return Markup("\n".join(lines).replace("</q>\n", "</q>"))

    def _owners(self) -> dict[int, tuple[ListedField | None, bool, bool]]:
        """Return for each byte of the rows the smallest field that has it, and its marks."""
        shown = [at for row in self.rows for at in _bytes_of(row) if at < self.size]
        fields: dict[int, ListedField] = {}
        for each in sorted(self.all_fields, key=lambda each: -each.size):
            fields.update((at, each) for at in shown if each.start <= at < each.end)
        return {
            at: (fields.get(at), _meets(self.change.ranges, at), _meets(self.lost, at))
            for at in shown
        }


def views(vector: Vector, control: Vector | None) -> tuple[list[FileView], list[tuple[str, int]]]:
    """Return the files to show, and the names and sizes of the other files."""
    files = by_name(vector.contents)
    old = by_name(control.contents) if control is not None else {}
    lost: dict[str, list[tuple[int, int]]] = {}
    if vector.operation == "read":
        for each in vector.body["expect"].get("lost", ()):
            if "from" in each:
                lost.setdefault(each.get("file", ""), []).append((each["from"], each["to"]))
    changed = {
        # A file that the control has not is new as a whole.
        name: changes(old[name], data) if name in old else Changes([(0, len(data))] if old else [])
        for name, data in files.items()
    }
    order = sorted(files, key=lambda name: not (changed[name] or lost.get(name)))
    shown, others = order[:MAX_FILES], order[MAX_FILES:]
    rows = max(8, MAX_ROWS // max(1, len(shown)))
    return (
        [
            _view(vector, name, files[name], changed[name], lost.get(name, []), rows)
            for name in shown
        ],
        [(name, len(files[name])) for name in others],
    )


def gone_files(vector: Vector, control: Vector | None) -> list[str]:
    """Files of the control that the log has not."""
    files = by_name(vector.contents)
    return sorted(by_name(control.contents).keys() - files) if control is not None else []


def _view(
    vector: Vector, name: str, data: bytes, change: Changes, lost: Ranges, most: int
) -> FileView:
    end = vector.body["expect"].get("end")
    if isinstance(end, dict):
        end = end["at"] if end["file"] == name else None
    rows: set[int] = set()
    for offset in _interesting(len(data), change, lost, end if isinstance(end, int) else 0):
        row = offset // ROW_BYTES
        for near in (row, row - 1, row + 1):
            if len(rows) < most and 0 <= near * ROW_BYTES < len(data):
                rows.add(near)
    fields, stopped = _fields(vector, name, data, rows)
    names = list(dict.fromkeys(_field_name(each) for each in fields))
    listed = [
        ListedField(
            number, _short(each.path), each.start, each.end, value_text(each, NOTHING, room=44),
            names.index(_field_name(each)) % COLOURS,
            _meets(change.ranges, each.start, each.end), _meets(lost, each.start, each.end),
        )
        for number, each in enumerate(fields)
    ]  # fmt: skip
    return FileView(name, data, change, lost, sorted(rows), listed, stopped)


def _interesting(size: int, change: Changes, lost: Ranges, end: int) -> Iterator[int]:
    """Yield the offsets to show, the most wanted first."""
    if change.gone:
        yield change.gone_at
    for start, stop in (*change.ranges[:6], *lost[:3], *lost[-1:]):
        yield from (start, stop - 1)
    yield from (0, end, size - 1)
    yield from range(0, size, ROW_BYTES)  # room that is left shows how the log begins


def _fields(vector: Vector, name: str, data: bytes, rows: set[int]) -> tuple[list[Field], bool]:
    """Return the innermost fields with bytes in the rows, and whether parsing stopped."""
    spans = [(row * ROW_BYTES, (row + 1) * ROW_BYTES) for row in rows]
    found = []
    every_field = iter_fields(data, str(vector.body["format"]), name or vector.input.name)
    try:
        for each in itertools.islice(every_field, MAX_READ_FIELDS):
            has_bytes = each.value is not None and each.start < each.end
            if has_bytes and _meets(spans, each.start, each.end):
                found.append(each)
    except ParseStopped:
        return found, True
    return found, False


def _segment(text: str, field: ListedField | None, is_changed: bool, is_lost: bool) -> str:
    classes = [] if field is None else [f"f{field.colour}"]
    classes += ["x"] * is_changed + ["l"] * is_lost
    if not classes:
        return text
    quoted = classes[0] if len(classes) == 1 else f'"{" ".join(classes)}"'
    number = "" if field is None else f" data-n={field.number}"
    return f"<i class={quoted}{number}>{text}</i>"


def _short(path: str) -> str:
    """Return a path, a long one without its middle, because the end identifies the field."""
    if len(path) <= MAX_PATH_CHARACTERS:
        return path
    return f"{path[:20]}…{path[21 - MAX_PATH_CHARACTERS :]}"


def _field_name(field: Field) -> str:
    """Return the name of a field without its index: fields of one name have one colour."""
    return field.path.rpartition(".")[2].partition("[")[0]


def _bytes_of(row: int) -> range:
    return range(row * ROW_BYTES, (row + 1) * ROW_BYTES)


def _meets(ranges: Ranges, start: int, end: int | None = None) -> bool:
    """Return whether a range overlaps ``[start, end)``, or contains the byte at ``start``."""
    stop = start + 1 if end is None else end
    return any(a < stop and start < b for a, b in ranges)
