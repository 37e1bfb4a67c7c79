"""The readers that run inside a worker: the executable specification and its fast twin."""

from __future__ import annotations

import shutil
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from conformance.contents import Contents, write_contents
from reference_impl.answer import Answer, End, Event, Lost, Record, collect
from reference_impl.formats import named
from walproof.formats import plugin_for
from walproof.scan import answers, scanner
from walproof.scan.log import Log, Source
from walproof.scan.model import Event as ScanEvent
from walproof.scan.model import Records, Wanted
from walproof.sweep.controls import Control


@dataclass(frozen=True, slots=True)
class Seen:
    """What the executable specification said of a case.

    ``events`` are all of it, in the order in which they came, which is that of the log's files.
    """

    records: list[Record]
    lost: list[Lost]
    end: End
    events: list[Event]

    def answer(self) -> Answer:
        """The same as an answer, ranges in log order."""
        return collect(self.events)


class MemorySource:
    """The bytes of a log that is in memory."""

    def __init__(self, data: bytes) -> None:
        self.data = data
        self.size = len(data)

    def read(self, offset: int, length: int) -> bytes:
        """See :class:`~walproof.scan.log.Source`."""
        return self.data[offset : offset + length]

    def close(self) -> None:
        """Nothing to let go of."""


@dataclass(frozen=True)
class MemoryLog(Log):
    """A log in memory; ``path`` is where it is put for a reader that wants a path."""

    contents: Contents = b""

    def open(self) -> Source:
        """See :class:`~walproof.scan.log.Log`."""
        if not isinstance(self.contents, bytes):
            raise IsADirectoryError(f"{self.path}: expected a log of one file, found a folder")
        return MemorySource(self.contents)

    def local(self) -> Path:
        """See :class:`~walproof.scan.log.Log`."""
        put(self.contents, self.path)
        return self.path


def put(contents: Contents, place: Path) -> None:
    """Make a place hold this log and nothing else."""
    if isinstance(contents, bytes):
        place.unlink(missing_ok=True)
    elif place.exists():
        shutil.rmtree(place)
    write_contents(contents, place)


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


def seen(events: Iterable[Event]) -> Seen:
    """The events of a reader, sorted by kind. Raises ``ValueError`` for one without an end."""
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


class Fast:
    """The fast twin of a format's reference reader, whatever it is here: see ``kernel``."""

    def __init__(self, format: str, folder: Path) -> None:
        self.format = format
        self.folder = folder
        self.scanner = scanner(format)
        self.columns = plugin_for(format).columns
        self._places: dict[str, Path] = {}

    def read(self, control: Control, contents: Contents) -> list[ScanEvent]:
        """The events of a scan. Raises what the scanner raises: that would be a finding."""
        place = self._places.get(control.name)
        if place is None:  # joining paths takes as long as scanning a small log
            place = self._places[control.name] = self.folder / control.name
        log = MemoryLog(place, control.context, contents)
        return list(self.scanner.scan(log, _ALL))

    def agrees(self, events: list[ScanEvent], right: Seen) -> bool:
        """Whether a scan gave the answer of the executable specification, every column of it."""
        n, records = 0, right.records
        lost: list[Lost] = []
        end: End | None = None
        for event in events:
            if type(event) is Records:
                run = records[n : n + len(event)]
                n += len(event)
                if not self._same(event, run):
                    return False
            elif type(event) is Lost:
                lost.append(event)
            elif type(event) is End:
                if end is not None:
                    return False
                end = event
        if n != len(records) or end != right.end:
            return False
        return lost == right.lost or sorted(lost, key=_place) == sorted(right.lost, key=_place)

    def answer(self, events: list[ScanEvent]) -> Answer:
        """A scan as an answer, to say what differs."""
        return answers.answer(self.format, events)

    def _same(self, scanned: Records, run: list[Record]) -> bool:
        if len(scanned) != len(run) or scanned.payload is None or scanned.truncated is not None:
            return False
        return (
            scanned.at.tolist() == [record.at for record in run]
            and scanned.size.tolist() == [record.size for record in run]
            and scanned.payload.to_pylist() == [record.payload for record in run]
            and all(record.file == scanned.file for record in run)
            and all(
                scanned.fields[column.name].to_pylist() == [column.of(record) for record in run]
                for column in self.columns
            )
        )


_ALL = Wanted()


def _place(lost: Lost) -> tuple[Any, ...]:
    return (lost.file or "", lost.start, lost.end, lost.reason)


def kernel(format: str) -> str:
    """Return how the scanner of a format reads on this machine."""
    module = type(scanner(format)).__module__
    if module == "walproof.scan.reference":
        return "the reference reader in columns (no kernel for this format here)"
    return "kernel"
