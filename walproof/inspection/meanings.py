"""What the records of a log mean, decoded as they come into view."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterable, Iterator, Sequence

from conformance.text import one_line
from reference_impl.answer import Event, Record
from walproof.inspection.show import cut

AT_ONCE = 64
"""Records that are decoded together, if they are small."""
HELD = 1 << 20
"""Bytes of payload from which on a batch is complete."""
LONGEST = 400
"""Columns that are kept of what a record says."""


class Meanings:
    """The records by their numbers, asked for in ascending order.

    ``read`` reads the log from its start. It is called when the first record is asked for, and no
    more of the log is read than up to the batch of the last one: one batch is held.
    """

    def __init__(self, format_id: str, read: Callable[[], Iterable[Event]]) -> None:
        self._format = format_id
        self._records = (event for event in _late(read) if isinstance(event, Record))
        self._next = 0
        self._first = 0
        self._texts: list[str | None] = []

    def of(self, number: int) -> str | None:
        """What a record says, in one line; None where nothing is decoded.

        So it is with a number below one that was asked for in an earlier batch.
        """
        if number >= self._next:
            batch = self._batch(number)
            self._first, self._next = number, number + len(batch)
            self._texts = [
                None if text is None else _short(text) for text in self._meanings_of(batch)
            ]
        place = number - self._first
        return self._texts[place] if 0 <= place < len(self._texts) else None

    def _batch(self, number: int) -> list[Record]:
        """The record with this number, and those after it for which there is room."""
        batch: list[Record] = []
        held = 0
        for record in itertools.islice(self._records, number - self._next, None):
            batch.append(record)
            held += record.size
            if len(batch) == AT_ONCE or held >= HELD:
                break
        return batch

    def _meanings_of(self, batch: Sequence[Record]) -> Sequence[str | None]:
        try:
            from walproof.summary.meaning import meanings
        except ModuleNotFoundError:  # no numpy or pyarrow: the bytes are all there is to show
            return [None] * len(batch)
        return [text for text, _ in meanings(self._format, batch)]


def _late(read: Callable[[], Iterable[Event]]) -> Iterator[Event]:
    yield from read()


def _short(text: str) -> str:
    return cut(one_line(text[: 4 * LONGEST]), LONGEST)
