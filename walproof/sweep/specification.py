"""The executable specification as a reader of logs in memory: its events, sorted."""

from __future__ import annotations

import shutil
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from conformance.contents import Contents, write_contents
from reference_impl.answer import Answer, End, Event, Lost, Record, collect
from reference_impl.formats import named
from walproof.formats import plugin_for
from walproof.sweep.controls import Control


@dataclass(frozen=True, slots=True)
class Seen:
    """What the executable specification says of a log.

    ``events`` are all of it, in the order in which they came, which is that of the log's files.
    """

    records: list[Record]
    lost: list[Lost]
    end: End
    events: list[Event]

    def answer(self) -> Answer:
        """Return the same as an answer, ranges in log order."""
        return collect(self.events)


def seen(events: Iterable[Event]) -> Seen:
    """Sort the events of a reader. Raises ``ValueError`` if they do not have one end."""
    records: list[Record] = []
    lost: list[Lost] = []
    end: End | None = None
    all_events: list[Event] = []
    for event in events:
        all_events.append(event)
        if type(event) is Record:
            records.append(event)
        elif type(event) is Lost:
            lost.append(event)
        elif end is not None:
            raise ValueError("two ends")
        elif type(event) is End:
            end = event
    if end is None:
        raise ValueError("the reader stopped without a verdict")
    return Seen(records, lost, end, all_events)


class Reference:
    """The executable specification. ``folder`` is a scratch folder, for formats that need paths."""

    def __init__(self, format: str, folder: Path) -> None:
        self.format = named(format)
        self.folder = folder
        self.read_in_memory = plugin_for(format).sweep.read_in_memory

    def read(self, control: Control, contents: Contents, profile: str = "recover") -> Seen:
        """Read a case. Raises what the reader raises: that would be a finding."""
        if self.read_in_memory is not None:
            assert isinstance(contents, bytes)
            return seen(self.read_in_memory(contents, profile))
        place = self.folder / control.name
        put(contents, place)
        return seen(self.format.read(place, profile, control.context))


def put(contents: Contents, place: Path) -> None:
    """Make a place hold this log and nothing else."""
    if isinstance(contents, bytes):
        place.unlink(missing_ok=True)
    elif place.exists():
        shutil.rmtree(place)
    write_contents(contents, place)
