"""The notes on the fields of a log, for the tests of each format."""

from __future__ import annotations

from pathlib import Path

from reference_impl.formats import named
from walproof.inspection.inspection import inspection
from walproof.inspection.log_bytes import LogBytes
from walproof.inspection.note import Note


def notes_of(log: Path, format_id: str, end: int | None = None) -> dict[str, Note]:
    """Return the note on each field by its path, only of fields that end before ``end``."""
    view = inspection(log, log.name, named(format_id), LogBytes(log))
    return {
        field.path: view.notes.value(field, view.bytes)
        if field.value is not None
        else view.notes.unit(field, view.bytes) or Note()
        for field in view.fields(0, view.outline.size)
        if end is None or field.end <= end
    }
