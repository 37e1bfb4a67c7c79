"""Count the records of a log, and describe the first and the last record."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

from reference_impl.answer import Record
from walproof import decode
from walproof.decode.decoder import Row
from walproof.summary.model import MOST_BYTES, Shown, Summary, plain_text, widen

#: Largest number of bytes of a payload, or of each value of an entry, that are decoded.
LONGEST = 1 << 16


class Counted:
    """A counter of records. It stores the last record, and describes this record at the end."""

    def __init__(self, format_id: str) -> None:
        self.format_id = format_id
        self._last: Callable[[], Shown] | None = None

    def take(self, summary: Summary, event: Any) -> int:
        """Count a record and return its end offset."""
        record: Record = event
        summary.records += 1
        summary.framed_bytes += record.size
        self.keep(summary, partial(self._shown_record, record))
        widen(summary, record.fields)
        return record.at + record.size

    def keep(self, summary: Summary, describe: Callable[[], Shown]) -> None:
        """Describe the first record at once, and store each record as the last one so far."""
        if summary.first is None:
            summary.first = describe()
        self._last = describe

    def finish(self, summary: Summary) -> None:
        """Describe the last record."""
        if self._last is not None:
            summary.last = self._last()

    def _shown_record(self, record: Record) -> Shown:
        row = decode.row_of(self.format_id, record, LONGEST)
        return self.shown(record.at, record.size, record.file, row)

    def shown(self, at: int, size: int, file: str | None, row: Row) -> Shown:
        """Describe a record."""
        text, fault = decode.phrase_of(self.format_id, row)
        if text is None:
            text = str(row.fields.get("update") or _start(row))
            text = f"{text}  ({fault})" if fault else text
        return Shown(at, size, file, text)


def _start(row: Row) -> str:
    """Return the text for an undecoded payload; for a truncated payload, without exact size."""
    if not row.is_cut:
        return plain_text(row.payload)
    return f"{plain_text(row.payload[:MOST_BYTES])}… (more than {len(row.payload):,} bytes)"


def meaning(format_id: str, record: Record) -> tuple[str | None, str | None]:
    """Return the description of a record, or the reason why there is none.

    Text in a description is not escaped. See :func:`walproof.decode.phrase_of`.
    """
    return decode.phrase_of(format_id, decode.row_of(format_id, record, LONGEST))
