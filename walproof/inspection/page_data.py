"""The data of the page as one JSON value: fields, bytes, records, lost ranges, requirements."""

from __future__ import annotations

import base64
from collections.abc import Iterable, Iterator
from typing import Any

from conformance.kaitai.field_map import Field, ParseStopped
from conformance.text import one_line
from walproof.inspection.inspection import Inspection
from walproof.inspection.marked import row_of
from walproof.inspection.note import NOTHING, Note
from walproof.inspection.outline import Outline
from walproof.inspection.show import value_text
from walproof.inspection.walk import Zeros

#: Bytes of long data that the page includes in full.
BYTES_OF_LONG_DATA = 1 << 20

#: Longer data is folded to this many bytes, half from each end.
FOLD = 512

_MAX_LOST = 2000
_MAX_RUNS = 300


def page_data(view: Inspection, start: int, end: int, limit: int | None) -> dict[str, Any]:
    """Return the data of the page for the window ``[start, end)``, with at most ``limit`` fields.

    The map, the lost ranges and the counts describe the whole log.
    """
    table = _FieldTable(view)
    end, stopped = _fill(table, start, end, limit)
    outline = view.outline
    records = outline.records_between(start, end)
    rules = {id for spec in table.specs for id in spec[2]}
    reasons = {
        gap.reason: view.chapter.reasons.get(gap.reason, ()) for gap in outline.lost[:_MAX_LOST]
    }
    rules.update(id for ids in reasons.values() for id in ids)
    return {
        "file": one_line(view.path.name),
        "format": view.format,
        "size": outline.size,
        "window": [start, end],
        "verdict": outline.verdict,
        "reason": outline.reason,
        "end": outline.end,
        "recordCount": len(outline.record_start),
        "firstRecord": records.start,
        "records": [[outline.record_start[i], outline.record_end[i]] for i in records],
        "meanings": [view.meanings.of(i) for i in records],
        "lostCount": len(outline.lost),
        "lostBytes": outline.lost_bytes(),
        "lost": [[g.start, g.end, g.reason, int(g.torn)] for g in outline.lost[:_MAX_LOST]],
        "reasons": reasons,
        "map": list(_runs(outline)),
        "fields": table.columns,
        "specs": table.specs,
        "notes": table.notes,
        "rules": {
            id: [rule.level, rule.text]
            for id in sorted(rules)
            if (rule := view.chapter.requirements.get(id))
        },
        "bytes": _chunks(view, table.long_data, start, end),
        "stopped": stopped,
    }


def _fill(table: _FieldTable, start: int, end: int, limit: int | None) -> tuple[int, str | None]:
    """Fill the table; return where its fields end, and why the grammar stopped, if it did."""
    try:
        for number, field in enumerate(table.view.fields(start, end)):
            if limit is not None and number >= limit and field.path.endswith("]"):
                return min(end, field.start), None  # keep units whole
            table.add(field)
    except ParseStopped as error:
        return end, one_line(str(error))
    return end, None


class _FieldTable:
    """The fields as columns; texts shared by many fields are in separate tables."""

    def __init__(self, view: Inspection) -> None:
        self.view = view
        self.columns: dict[str, list[Any]] = {
            name: [] for name in ("name", "parent", "start", "size", "spec", "value", "note")
        }
        self.specs: list[tuple[str, str, tuple[str, ...]]] = []
        self.notes: list[tuple[str, int]] = []
        self.long_data: list[tuple[int, int]] = []
        self._spec_numbers: dict[object, int] = {}
        self._note_numbers: dict[tuple[str, int], int] = {}
        self._containers: dict[str, int] = {}

    def add(self, field: Field) -> None:
        """Append a field; its container must have been added before."""
        outer, _, name = field.path.rpartition(".")
        columns = self.columns
        if field.value is None:
            self._containers[field.path] = len(columns["name"])
        note, text = self._note_and_value(field)
        columns["name"].append(name)
        columns["parent"].append(self._containers.get(outer, -1))
        columns["start"].append(field.start)
        columns["size"].append(field.end - field.start)
        columns["spec"].append(self._spec(field))
        columns["value"].append(text)
        columns["note"].append(self._note(note))

    def _note_and_value(self, field: Field) -> tuple[Note, str | int]:
        """Return note and value as text; 0 for bytes, which the page takes from the log."""
        view = self.view
        if field.value is not None:
            note = view.notes.value(field, view.bytes)
            is_bytes = isinstance(field.value, bytes) and note.value is None
            is_data = is_bytes or isinstance(field.value, Zeros)
            if is_data and field.end - field.start > FOLD:
                self.long_data.append((field.start, field.end))
            return note, 0 if is_bytes else value_text(field, note, room=200)
        unit = view.notes.unit(field, view.bytes)
        if unit is None:
            return NOTHING, ""
        return unit, view.fate(row_of(field, view.outline))

    def _spec(self, field: Field) -> int:
        key = (field.kind, field.doc, field.requirements)
        if key not in self._spec_numbers:
            self._spec_numbers[key] = len(self.specs)
            self.specs.append(key)
        return self._spec_numbers[key]

    def _note(self, note: Note) -> int:
        """Return the number of the note, -1 for none. Its second part is 1 (holds), 0 or -1 (no
        check)."""
        if not note.text:
            return -1
        key = (note.text, -1 if note.holds is None else int(note.holds))
        if key not in self._note_numbers:
            self._note_numbers[key] = len(self.notes)
            self.notes.append(key)
        return self._note_numbers[key]


def _chunks(
    view: Inspection, long_data: list[tuple[int, int]], start: int, end: int
) -> list[tuple[int, str]]:
    """Return ``(offset, base64)`` of the bytes on the page; bytes between chunks are left out."""
    budget = BYTES_OF_LONG_DATA
    chunks: list[tuple[int, int]] = []
    at = start
    for data_start, data_end in long_data:
        budget -= data_end - data_start
        if budget < 0:
            chunks.append((at, min(end, data_start + FOLD // 2)))
            at = max(at, data_end - FOLD // 2)
    chunks.append((at, end))
    return [(a, base64.b64encode(view.bytes[a:b]).decode("ascii")) for a, b in chunks if a < b]


def _runs(outline: Outline) -> Iterator[tuple[str, int, int]]:
    """Yield ``(type, start, end)`` for the map: r record, l lost, t torn, z zero-fill."""
    for start, end in _joined(zip(outline.record_start, outline.record_end, strict=True), outline):
        yield "r", start, end
    for type_, is_torn in (("l", False), ("t", True)):
        damage = ((gap.start, gap.end) for gap in outline.lost if gap.torn == is_torn)
        for start, end in _joined(damage, outline):
            yield type_, start, end
    if zeros := outline.zero_fill():
        yield "z", *zeros


def _joined(ranges: Iterable[tuple[int, int]], outline: Outline) -> Iterator[tuple[int, int]]:
    few = len(outline.record_start) + len(outline.lost) <= _MAX_RUNS
    near = 0 if few else outline.size // _MAX_RUNS
    run: tuple[int, int] | None = None
    for start, end in ranges:
        if run and near and start - run[1] <= near:
            run = (run[0], end)
            continue
        if run:
            yield run
        run = (start, end)
    if run:
        yield run
