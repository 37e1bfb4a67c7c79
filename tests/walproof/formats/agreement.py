"""Compare scanners that read a log in parts with the executable specification."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from reference_impl.answer import Answer, Lost
from reference_impl.answer import Event as ReferenceEvent
from walproof.log import Log
from walproof.scanners import scanner
from walproof.scanners.answers import records
from walproof.scanners.model import WHOLE, Event, Records, Wanted


def one_by_one(format_id: str, events: Iterable[Event]) -> Iterator[ReferenceEvent]:
    """Yield the records of a scanner one by one, as the executable specification does."""
    for event in events:
        if isinstance(event, Records):
            yield from records(format_id, event)
        else:
            yield event


def assert_parts_agree(format_id: str, log: Log, expected: Answer) -> None:
    """Read a log in the smallest parts that its scanner plans; compare the records and ranges."""
    parts = scanner(format_id).plan(log, 1)
    if parts == [WHOLE]:
        return
    events = [event for part in parts for event in scanner(format_id).scan(log, Wanted(), part)]
    runs = [event for event in events if isinstance(event, Records)]
    assert tuple(row for run in runs for row in records(format_id, run)) == expected.records
    lost = [event for event in events if isinstance(event, Lost)]
    assert sorted(lost, key=repr) == sorted(expected.lost, key=repr)
