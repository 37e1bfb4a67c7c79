"""The bytes of a vector as rows of sixteen: coloured by field, with what is damaged and lost."""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from markupsafe import Markup, escape

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
COLOURS = 8
MAX_PATH_CHARACTERS = 64
#: What follows these is one range.
MAX_CHANGED_RANGES = 400
COMPARED_BYTES = 4096


@dataclass(frozen=True)
class Changes:
    """Half-open ``ranges`` of bytes that differ from the control.

    ``gone`` bytes of the control are missing before the offset ``gone_at``.
    """

    ranges: list[tuple[int, int]] = field(default_factory=list)
    gone: int = 0
    gone_at: int = 0

    def __bool__(self) -> bool:
        return bool(self.ranges or self.gone)


def changes(old: bytes, new: bytes) -> Changes:
    """Return how ``new`` differs from ``old``: byte by byte if both are as long."""
    if old == new:
        return Changes()
    if len(old) == len(new):
        return Changes(_differing(old, new))
    start = _shared_bytes(old, new)
    end = _shared_bytes(old[start:][::-1], new[start:][::-1])
    ranges = [(start, len(new) - end)] if start < len(new) - end else []
    gone = len(old) - end - start
    return Changes(ranges, gone, start) if gone else Changes(ranges)


def _differing(old: bytes, new: bytes) -> list[tuple[int, int]]:
    ranges: list[tuple[int, int]] = []
    for base in range(0, len(old), COMPARED_BYTES):
        each, other = old[base : base + COMPARED_BYTES], new[base : base + COMPARED_BYTES]
        if each == other:
            continue
        for at, (x, y) in enumerate(zip(each, other, strict=True), base):
            if x == y:
                continue
            if ranges and (ranges[-1][1] == at or len(ranges) == MAX_CHANGED_RANGES):
                ranges[-1] = (ranges[-1][0], at + 1)
            else:
                ranges.append((at, at + 1))
    return ranges


def _shared_bytes(old: bytes, new: bytes) -> int:
    """Return how many bytes at the start are the same."""
    pairs = enumerate(zip(old, new, strict=False))
    return next((at for at, (x, y) in pairs if x != y), min(len(old), len(new)))


@dataclass(frozen=True)
class ListedField:
    """A field with bytes in the rows; ``colour`` is that of its name."""

    number: int
    path: str
    start: int
    size: int
    value: str
    colour: int
    is_changed: bool
    is_lost: bool


@dataclass(frozen=True)
class FileView:
    """A file of the log: its rows as HTML, and the fields in them."""

    name: str
    size: int
    html: Markup
    fields: Sequence[ListedField]
    more_fields: int
    #: True if the grammar stopped before the end.
    stopped: bool
    change: Changes
    has_lost: bool


def views(vector: Vector, control: Vector | None) -> tuple[list[FileView], list[tuple[str, int]]]:
    """The files that are shown, and names and sizes of the others."""
    files = _files(vector)
    old = _files(control) if control is not None else {}
    lost = _lost(vector)
    results = {
        name: changes(old[name], data) if name in old else _new(data, bool(old))
        for name, data in files.items()
    }
    order = sorted(files, key=lambda name: not (results[name] or lost.get(name)))
    shown, others = order[:MAX_FILES], order[MAX_FILES:]
    rows = max(8, MAX_ROWS // max(1, len(shown)))
    return (
        [
            _view(vector, name, files[name], results[name], lost.get(name, []), rows)
            for name in shown
        ],
        [(name, len(files[name])) for name in others],
    )


def gone_files(vector: Vector, control: Vector | None) -> list[str]:
    """Files of the control that the log has not."""
    return sorted(_files(control).keys() - _files(vector).keys()) if control is not None else []


def _files(vector: Vector) -> dict[str, bytes]:
    """The files of a log by name; the only file of one has no name, as in answers."""
    contents = vector.contents
    return {"": contents} if isinstance(contents, bytes) else dict(contents)


def _new(data: bytes, is_added: bool) -> Changes:
    return Changes([(0, len(data))]) if is_added and data else Changes()


def _lost(vector: Vector) -> Mapping[str, list[tuple[int, int]]]:
    """The lost ranges by file, of a log that is read."""
    results: dict[str, list[tuple[int, int]]] = {}
    if vector.operation == "read":
        for each in vector.body["expect"].get("lost", ()):
            if "from" in each:
                results.setdefault(each.get("file", ""), []).append((each["from"], each["to"]))
    return results


def _view(
    vector: Vector,
    name: str,
    data: bytes,
    change: Changes,
    lost: Sequence[tuple[int, int]],
    rows: int,
) -> FileView:
    windows = list(_windows(len(data), list(_interest(vector, name, data, change, lost)), rows))
    fields, stopped = _fields_in(vector, name, data, windows)
    owner = _owners(fields, windows)
    changed, gone = _Within(change.ranges), _Within(lost)
    names = list(dict.fromkeys(_name(each) for each in fields))
    colours = {each: number % COLOURS for number, each in enumerate(names)}
    html = _rows(data, windows, fields, owner, colours, changed, gone, change)
    listed = [
        ListedField(
            number,
            _short(each.path),
            each.start,
            each.end - each.start,
            value_text(each, NOTHING, room=44),
            colours[_name(each)],
            changed.meets(each.start, each.end),
            gone.meets(each.start, each.end),
        )
        for number, each in enumerate(fields)
    ]
    first = sorted(listed, key=lambda each: not each.is_changed)[:MAX_LISTED_FIELDS]
    first.sort(key=lambda each: each.start)
    more = len(listed) - len(first)
    return FileView(name, len(data), html, first, more, stopped, change, bool(lost))


def _interest(
    vector: Vector,
    name: str,
    data: bytes,
    change: Changes,
    lost: Sequence[tuple[int, int]],
) -> Iterator[int]:
    """The offsets that somebody wants to see, the most wanted first."""
    if change.gone:
        yield change.gone_at
    for start, end in change.ranges[:6]:
        yield start
        yield end - 1
    for start, end in [*lost[:3], *lost[-1:]]:
        yield start
        yield max(start, end - 1)
        yield end
    yield 0
    end_of_log = vector.body["expect"].get("end")
    if isinstance(end_of_log, dict) and end_of_log["file"] == name:
        yield end_of_log["at"]
    elif isinstance(end_of_log, int) and not name:
        yield end_of_log
    yield len(data) - 1
    # What room is left shows how the log begins.
    yield from range(0, len(data), ROW_BYTES)


def _windows(size: int, offsets: Sequence[int], rows: int) -> Iterator[range]:
    """Runs of rows by their numbers: those of the offsets, with a row before and one after."""
    last = max(0, (size - 1) // ROW_BYTES)
    chosen: set[int] = set()
    for around in (0, 1):
        for offset in offsets:
            for row in range(offset // ROW_BYTES - around, offset // ROW_BYTES + around + 1):
                if 0 <= row <= last and len(chosen) < rows:
                    chosen.add(row)
            if around == 0 and len(chosen) >= rows // 2:
                break
    for _, run in itertools.groupby(enumerate(sorted(chosen)), lambda pair: pair[1] - pair[0]):
        numbers = [row for _, row in run]
        yield range(numbers[0], numbers[-1] + 1)


def _fields_in(
    vector: Vector, name: str, data: bytes, windows: Sequence[range]
) -> tuple[list[Field], bool]:
    """The fields without inner ones that have bytes in the windows, and whether parsing stopped."""
    format = str(vector.body["format"])
    spans = _Within([(run[0] * ROW_BYTES, (run[-1] + 1) * ROW_BYTES) for run in windows])
    fields = []
    try:
        for each in itertools.islice(
            iter_fields(data, format, name or vector.input.name), MAX_READ_FIELDS
        ):
            if (
                each.value is not None
                and each.start < each.end
                and spans.meets(each.start, each.end)
            ):
                fields.append(each)
    except ParseStopped:
        return fields, True
    return fields, False


def _owners(fields: Sequence[Field], windows: Sequence[range]) -> dict[int, int]:
    """For each byte of the windows the number of the smallest field that has it."""
    owner: dict[int, int] = {}
    for number, each in enumerate(fields):
        for run in windows:
            for at in range(
                max(each.start, run[0] * ROW_BYTES), min(each.end, (run[-1] + 1) * ROW_BYTES)
            ):
                known = owner.get(at)
                if known is None or each.end - each.start < fields[known].end - fields[known].start:
                    owner[at] = number
    return owner


def _rows(
    data: bytes,
    windows: Sequence[range],
    fields: Sequence[Field],
    owner: Mapping[int, int],
    colours: Mapping[str, int],
    changed: _Within,
    gone: _Within,
    change: Changes,
) -> Markup:
    """The rows: offset, bytes, text; between the windows how many bytes are folded."""
    digits = max(4, len(f"{len(data):x}"))
    lines = []
    at = 0
    for run in windows:
        if run[0] * ROW_BYTES > at:
            lines.append(f"<q>… {run[0] * ROW_BYTES - at:,} bytes …</q>")
        for row in run:
            start = row * ROW_BYTES
            piece = data[start : start + ROW_BYTES]
            pieces = [f"<b>{start:0{digits}x}</b>"]
            room = 3 * (ROW_BYTES - len(piece))
            for key, locations in itertools.groupby(
                range(start, start + len(piece)),
                lambda byte: (owner.get(byte), changed.has(byte), gone.has(byte)),
            ):
                inside = list(locations)
                text = data[inside[0] : inside[-1] + 1].hex(" ")
                pieces.append(_segment(text, key, fields, colours))
            shown = "".join(chr(byte) if 0x20 <= byte < 0x7F else "·" for byte in piece)
            lines.append(" ".join(pieces) + " " * room + f"  <s>{escape(shown)}</s>")
            if change.gone and start <= change.gone_at < start + ROW_BYTES:
                lines.append(_missing(change, digits))
        at = min(len(data), (run[-1] + 1) * ROW_BYTES)
    if at < len(data):
        lines.append(f"<q>… {len(data) - at:,} bytes …</q>")
    if change.gone and (change.gone_at >= at or not lines):
        lines.append(_missing(change, digits))
    return Markup("\n".join(lines).replace("</q>\n", "</q>"))


def _segment(
    text: str,
    key: tuple[int | None, bool, bool],
    fields: Sequence[Field],
    colours: Mapping[str, int],
) -> str:
    number, is_changed, is_lost = key
    kinds = [] if number is None else [f"f{colours[_name(fields[number])]}"]
    kinds += ["x"] * is_changed + ["l"] * is_lost
    if not kinds:
        return text
    which = "" if number is None else f" data-n={number}"
    classes = kinds[0] if len(kinds) == 1 else f'"{" ".join(kinds)}"'
    return f"<i class={classes}{which}>{text}</i>"


def _missing(change: Changes, digits: int) -> str:
    return (
        f'{" " * digits} <i class="x">▲ at {change.gone_at}: {change.gone:,}'
        f" byte{'s' * (change.gone > 1)} of the control are not here</i>"
    )


def _short(path: str) -> str:
    """Return a path, a long one without its middle, because the end identifies the field."""
    return (
        path
        if len(path) <= MAX_PATH_CHARACTERS
        else f"{path[:20]}…{path[21 - MAX_PATH_CHARACTERS :]}"
    )


def _name(field: Field) -> str:
    """Return the name of a field without its index: fields of one name have one colour."""
    return field.path.rpartition(".")[2].partition("[")[0]


class _Within:
    """Half-open ranges of bytes, in any order."""

    def __init__(self, ranges: Iterable[tuple[int, int]]) -> None:
        self._ranges = list(ranges)

    def has(self, at: int) -> bool:
        """Return whether a range contains a byte."""
        return any(start <= at < end for start, end in self._ranges)

    def meets(self, start: int, end: int) -> bool:
        """Return whether a range overlaps ``[start, end)``."""
        return any(start < b and a < end for a, b in self._ranges)
