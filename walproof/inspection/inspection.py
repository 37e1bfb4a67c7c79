"""A log under inspection: its bytes, the outline of its records, and the notes of its format."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from conformance.chapter import Chapter, chapter
from conformance.kaitai.field_map import Field
from reference_impl.answer import Record
from reference_impl.formats import Format
from walproof.formats import plugin_for
from walproof.inspection.log_bytes import LogBytes
from walproof.inspection.note import Note, Notes
from walproof.inspection.outline import Outline, outline
from walproof.inspection.walk import fields_between


@dataclass(frozen=True)
class Inspection:
    """The data that a byte map shows.

    ``name`` is only displayed. ``bytes`` must stay open while the inspection is used.
    """

    path: Path
    name: str
    format: Format
    bytes: LogBytes
    outline: Outline
    notes: Notes
    chapter: Chapter

    def fields(self, start: int, end: int, depth: int | None = None) -> Iterator[Field]:
        """Yield the fields with bytes in ``[start, end)``, at most ``depth`` levels deep."""
        for field in fields_between(self.bytes, self.format.id, start, end):
            if depth is None or field.path.count(".") < depth:
                yield field

    def note(self, field: Field) -> Note | None:
        """Return the note on a field; None for a field with subfields that is not a unit."""
        if field.value is None:
            return self.notes.unit(field, self.bytes)
        return self.notes.value(field, self.bytes)

    def records(self) -> Iterator[Record]:
        """Read the log again, and yield its records. Raises ``OSError``."""
        events = self.format.read(self.path, "recover", {})
        return (event for event in events if isinstance(event, Record))


def inspection(path: Path, name: str, format: Format, log: LogBytes) -> Inspection:
    """Read a log with the executable specification (profile ``recover``). Raises ``OSError``."""
    return Inspection(
        path,
        name,
        format,
        log,
        outline(format.read(path, "recover", {}), log.size),
        plugin_for(format.id).byte_notes,
        chapter(format.id),
    )
