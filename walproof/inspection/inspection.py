"""A log under inspection: its bytes, the outline of its records, and the notes of its format."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

from conformance.chapter import Chapter, chapter
from conformance.kaitai.field_map import Field
from conformance.text import one_line
from reference_impl.answer import Event, Record
from reference_impl.formats import Format
from walproof.formats import plugin_for
from walproof.inspection.log_bytes import LogBytes
from walproof.inspection.marked import SIGN, FieldRow, Mark, fate_of
from walproof.inspection.note import Note, Notes
from walproof.inspection.outline import Outline, outline
from walproof.inspection.show import counted, cut
from walproof.inspection.walk import fields_between
from walproof.summary.records import meaning

#: Maximum columns of a decoded record.
MAX_COLUMNS = 400


class Meanings:
    """Decoded records by number, which must be requested in ascending order."""

    def __init__(self, format_id: str, read: Callable[[], Iterable[Event]]) -> None:
        self._format, self._read = format_id, read
        self._records: Iterator[tuple[int, Record]] | None = None

    def of(self, number: int) -> str | None:
        """Return a decoded record in one line, or None if it cannot be decoded."""
        if self._records is None:
            records = (event for event in self._read() if isinstance(event, Record))
            self._records = enumerate(records)
        for at, record in self._records:
            if at == number:
                text, _ = meaning(self._format, record)
                return None if text is None else cut(one_line(text), MAX_COLUMNS)
        return None


@dataclass(frozen=True)
class Inspection:
    """The data that a byte map shows.

    ``path`` is only displayed. ``bytes`` must stay open while the inspection is used.
    """

    path: Path
    format: str
    bytes: LogBytes
    outline: Outline
    notes: Notes
    chapter: Chapter
    meanings: Meanings

    def fields(self, start: int, end: int, depth: int | None = None) -> Iterator[Field]:
        """Yield the fields with bytes in ``[start, end)``, at most ``depth`` levels deep."""
        for field in fields_between(self.bytes, self.format, start, end):
            if depth is None or field.path.count(".") < depth:
                yield field

    def note(self, field: Field) -> Note | None:
        """Return the note on a field; None for a field with subfields that is not a unit."""
        if field.value is None:
            return self.notes.unit(field, self.bytes)
        return self.notes.value(field, self.bytes)

    def fate(self, row: FieldRow) -> str:
        """Return the fate of a unit in words: ``record 3``, ``lost``, ``torn``, ``framing``."""
        if self.outline.verdict == "refused":
            return "refused"
        return f"record {row.record}" if row.fate == "record" else row.fate

    def mark_lines(self, mark: Mark, end: int) -> Iterator[tuple[str, str]]:
        """Yield the lines of a mark in a window up to ``end``, each with its type."""
        if mark.type == "end":
            yield f"= end {mark.at}: safe to truncate here and append", "end"
        elif mark.type == "stopped":
            yield f"! the grammar does not fit further: {mark.text}", "stopped"
        elif mark.lost is not None:
            gap, fate = mark.lost, fate_of(mark.lost)
            if mark.type == "lost-ends":
                yield f"{SIGN[fate]} └─ {fate} up to {mark.at}", fate
                return
            size = counted(gap.end - gap.start, "byte")
            ids = shared_prefix(self.chapter.reasons.get(gap.reason, ()))
            text = f"{SIGN[fate]} ┌─ {fate} [{gap.start}, {gap.end}) {gap.reason}, {size}  {ids}"
            yield text.rstrip(), fate
        else:
            rest = counted(end - mark.at, "byte")
            how = f"continue with --from {mark.at}, or show all with --limit 0"
            yield f"… {rest} not shown: {how}", "limit"
            if later := sum(
                gap.start >= mark.at for gap in self.outline.lost_between(mark.at, end)
            ):
                ranges = counted(later, "lost range")
                yield f"x not shown: {ranges} (see walproof read --lost-only)", "lost"

    def title(self) -> str:
        """Return a line with the format, size, verdict and counts of the log."""
        outline, name = self.outline, one_line(str(self.path))
        lost = f", {counted(outline.lost_bytes(), 'byte')} lost" if outline.lost else ""
        return (
            f"{name}: {self.format}, {counted(outline.size, 'byte')}, {outline.result},"
            f" {counted(len(outline.record_start), 'record')}{lost}"
        )

    def advice(self) -> str:
        """Return a line with the verdict and the offset where a writer may continue."""
        if self.outline.verdict == "refused":
            return f"{self.outline.result}. The fields are the grammar's view of the file."
        if self.outline.end is None:
            return f"{self.outline.result}. Not safe to append."
        return f"{self.outline.result}. Safe to append at offset {self.outline.end}."


def inspection(path: Path, format: Format, log: LogBytes) -> Inspection:
    """Read a log with the executable specification (profile ``recover``).

    Decoding the records shown reads the log a second time. Raises ``OSError``.
    """
    return Inspection(
        path,
        format.id,
        log,
        outline(format.read(path, "recover", {}), log.size),
        plugin_for(format.id).byte_notes,
        chapter(format.id),
        Meanings(format.id, lambda: format.read(path, "recover", {})),
    )


def shared_prefix(ids: tuple[str, ...]) -> str:
    """Join requirement ids, with their prefix only once: ``LDB-006 007 008``."""
    short = [id if n == 0 else re.sub(r"^[A-Z]+-", "", id) for n, id in enumerate(ids)]
    return " ".join(short)
