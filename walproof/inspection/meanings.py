"""Decode the records of a log as they are displayed."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterable, Iterator, Sequence

from conformance.text import one_line
from reference_impl.answer import Event, Record
from walproof.inspection.show import cut
from walproof.summary.records import meanings

#: Maximum number of records decoded together.
BATCH_RECORDS = 64
#: Payload bytes after which a batch is complete.
BATCH_BYTES = 1 << 20
#: Maximum columns of a decoded record.
MAX_COLUMNS = 400


class Meanings:
    """Decoded records by number, which must be requested in ascending order.

    The first request calls ``read``, which reads the log from its start. Only one batch of records
    is read and kept in memory at a time.
    """

    def __init__(self, format_id: str, read: Callable[[], Iterable[Event]]) -> None:
        self._format = format_id
        self._records = (event for event in _late(read) if isinstance(event, Record))
        self._next = 0
        self._first = 0
        self._texts: list[str | None] = []

    def of(self, number: int) -> str | None:
        """Return a decoded record in one line, or None if it cannot be decoded.

        The result is also None if the number is before the current batch.
        """
        if number >= self._next:
            batch = self._batch(number)
            self._first, self._next = number, number + len(batch)
            self._texts = [
                None if text is None else _short(text) for text in self._meanings_of(batch)
            ]
        index = number - self._first
        return self._texts[index] if 0 <= index < len(self._texts) else None

    def _batch(self, number: int) -> list[Record]:
        """Return the record with this number and the following ones that fit into a batch."""
        batch: list[Record] = []
        batch_bytes = 0
        for record in itertools.islice(self._records, number - self._next, None):
            batch.append(record)
            batch_bytes += record.size
            if len(batch) == BATCH_RECORDS or batch_bytes >= BATCH_BYTES:
                break
        return batch

    def _meanings_of(self, batch: Sequence[Record]) -> Sequence[str | None]:
        return [text for text, _ in meanings(self._format, batch)]


def _late(read: Callable[[], Iterable[Event]]) -> Iterator[Event]:
    yield from read()


def _short(text: str) -> str:
    return cut(one_line(text[: 4 * MAX_COLUMNS]), MAX_COLUMNS)
