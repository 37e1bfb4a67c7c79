"""Read a log with the executable specification, or a large log with the bulk scanner."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from pathlib import Path

from reference_impl.answer import Event, Record
from reference_impl.formats import Context, Format
from walproof.cli.record_table import Passed
from walproof.summary.meter import Meter
from walproof.systems.reading import read_log

#: Number of records between two progress reports.
EVERY = 1000


def events(format: Format, path: Path, context: Context) -> Iterator[Event]:
    """Yield the answer in the profile ``recover``; both readers give the same. ``OSError``."""
    return read_log(format.id, path, "recover", context)


def few(format_id: str, path: Path, context: Context, most: int) -> Iterator[Event | Passed]:
    """Yield the bulk scanner's answer; records after the first ``most`` are only counted."""
    from walproof.scan import scanner
    from walproof.scan.answers import in_full
    from walproof.scan.log import Log
    from walproof.scan.model import Records, Wanted

    for event in scanner(format_id).scan(Log(path, context), Wanted()):
        if not isinstance(event, Records):
            yield event
            continue
        first = min(most, len(event))
        most -= first
        yield from in_full(format_id, [event.slice(0, first)] if first else [])
        if first < len(event):
            (last,) = in_full(format_id, [event.slice(len(event) - 1, len(event))])
            assert isinstance(last, Record)
            yield Passed(len(event) - first, last)


def watched(
    events: Iterable[Event | Passed], log: Path, progress: Callable[[int], None]
) -> Iterator[Event | Passed]:
    """Yield the same events; pass the number of bytes read to ``progress``."""
    meter = Meter(log, progress)
    for number, event in enumerate(events):
        if isinstance(event, Passed):
            meter.at(event.last.file, event.last.at + event.last.size)
        elif isinstance(event, Record) and number % EVERY == 0:
            meter.at(event.file, event.at + event.size)
        yield event
