"""Read logs with the executable specification."""

from __future__ import annotations

import shutil
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from conformance.contents import Contents, write_contents
from reference_impl.answer import Answer, End, Event, Lost, Record, collect
from reference_impl.formats import named
from walproof.sweep.controls import Control


@dataclass(frozen=True, slots=True)
class ReaderOutput:
    """The answer of the executable specification to a log."""

    records: list[Record]
    lost: list[Lost]
    end: End
    #: All events in the order in which the reader returns them.
    events: list[Event]

    def answer(self) -> Answer:
        """Return the answer with its ranges in log order."""
        return collect(self.events)


def collect_output(events: Iterable[Event]) -> ReaderOutput:
    """Collect the events of a reader. Raises ``ValueError`` if they do not have exactly one end."""
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
            raise ValueError("the reader returned two ends")
        elif type(event) is End:
            end = event
    if end is None:
        raise ValueError("the reader returned no end")
    return ReaderOutput(records, lost, end, all_events)


class Reference:
    """The executable specification. ``folder`` is a scratch folder, best in memory."""

    def __init__(self, format: str, folder: Path) -> None:
        self.format = named(format)
        self.folder = folder

    def read(self, control: Control, contents: Contents, profile: str = "recover") -> ReaderOutput:
        """Read a case. Errors of the reader are raised; they are findings."""
        path = self.folder / control.name
        put(contents, path)
        return collect_output(self.format.read(path, profile, control.context))


def put(contents: Contents, path: Path) -> None:
    """Replace a log at a path with these contents."""
    if isinstance(contents, bytes):
        path.unlink(missing_ok=True)
    elif path.exists():
        shutil.rmtree(path)
    write_contents(contents, path)
