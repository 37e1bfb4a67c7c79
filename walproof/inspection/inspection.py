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
from walproof.inspection.marked import FieldRow
from walproof.inspection.note import Notes
from walproof.inspection.outline import Outline, outline
from walproof.inspection.show import cut
from walproof.inspection.walk import fields_between
from walproof.summary.records import meaning

#: Maximum columns of a decoded record.
MAX_COLUMNS = 400


class Meanings:
    """Decoded records by number, which must be requested in ascending order.

    The first request calls ``read``, which reads the log from its start.
    """

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

    def fate(self, row: FieldRow) -> str:
        """Return the fate of a unit in words: ``record 3``, ``lost``, ``torn``, ``framing``."""
        if self.outline.verdict == "refused":
            return "refused"
        if row.lost is not None:
            return "torn" if row.lost.torn else "lost"
        return "framing" if row.record is None else f"record {row.record}"


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
    """Return requirement ids with a shared prefix: ``LDB-006 007 008``."""
    short = [id if n == 0 else re.sub(r"^[A-Z]+-", "", id) for n, id in enumerate(ids)]
    return " ".join(short)
