"""Test readers on a log while it is being written.

A reader that reads repeatedly must return the written records in order, each record once, and never
fewer records than before.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from conformance.scratch import Scratch
from lab.crash.disk_models import FileState
from lab.crash.format_crash import crash_of
from lab.crash.judge import (
    DIED,
    CrashJudgement,
    after_a_crash,
    build,
    payload_text,
    written_payloads,
)
from lab.crash.trace import Acknowledged, Live, Trace, Write
from reference_impl.answer import NewRecord, collect
from reference_impl.formats import named
from walproof.log import Log
from walproof.scanners import answers

#: Every boundary of a 4096-byte sector is also a boundary of these smaller sectors, so both sizes
#: are covered.
SECTOR_BYTES = 512
SHRINKS = "no longer returns a record that it returned"
DIFFERS = "returns other records than the specification"

#: Function that returns the payloads of a log in the form of :func:`~lab.crash.judge.payload_text`.
Read = Callable[[Path], list[str]]


@dataclass(frozen=True)
class Moment:
    """A state of the files that a reader may see.

    In a ``late`` moment, the file has the end of a write but not its start. The reader's records
    are then compared with those from before the write, not with those from an earlier moment inside
    it.
    """

    state: FileState
    late: bool = False


def moments(trace: Trace, sector: int = SECTOR_BYTES) -> Iterator[Moment]:
    """Yield the successive states of the files while a writer works, without duplicates in a row.

    A write has two states for each sector boundary inside it. In the first state, only the bytes
    before the boundary are written. In the second, only the bytes after the boundary are written;
    this state exists only where the write overwrites bytes after the boundary. A reader that reads
    page by page can see the second state.
    """
    live, acknowledged = Live(), 0
    last: dict[str, bytes | None] | None = None
    for after, each in enumerate(trace.operations, 1):
        if isinstance(each, Acknowledged):
            acknowledged = max(acknowledged, each.count)
        for part, missing, late in _parts(each, live, sector) if isinstance(each, Write) else ():
            before = bytes(live.content.get(part.file, b""))
            live.apply(part)
            files = live.files(trace.folders)
            live.content[part.file] = bytearray(before)
            if files != last:
                last = files
                yield Moment(FileState(files, acknowledged, after, (missing,)), late)
        live.apply(each)
        files = live.files(trace.folders)
        if files != last or isinstance(each, Acknowledged):
            last = files
            yield Moment(FileState(files, acknowledged, after))


def _parts(each: Write, live: Live, sector: int) -> list[tuple[Write, str, bool]]:
    size, end = len(live.content.get(each.file, b"")), each.at + len(each.data)
    cuts = range(each.at // sector * sector + sector, end, sector)
    early = [
        (Write(each.file, each.at, each.data[: cut - each.at]), f"a write up to {cut}", False)
        for cut in cuts
    ]
    late = [
        (
            Write(each.file, cut, each.data[cut - each.at : size - each.at]),
            f"a write from {cut} on, nothing before it",
            True,
        )
        for cut in cuts
        if cut < size
    ]
    return early + late


def watch(
    trace: Trace,
    format: str,
    records: Sequence[NewRecord],
    sector: int = SECTOR_BYTES,
) -> CrashJudgement:
    """Read every moment of a trace with the executable specification and the scanner."""
    what, judgement, scratch = crash_of(format), CrashJudgement(), Scratch()
    written = [payload_text(each.payload) for each in records]
    all_readers = _readers(format)
    previous: dict[str, list[str]] = {who: [] for who in all_readers}
    whole = dict(previous)
    try:
        for moment in moments(trace, sector):
            state, place = moment.state, scratch.new_path("live")
            build(state, place)
            judgement.states += 1
            judgement.torn += bool(state.missing)
            first: list[str] | None = None
            for who, read in all_readers.items():
                try:
                    found = read(place / what.name) if what.name in state.files else []
                except Exception as error:
                    judgement.note(DIED, who, state, [], f"{type(error).__name__}: {error}")
                    continue
                for wrong in after_a_crash(written, state.acknowledged, found):
                    judgement.note(wrong, who, state, found)
                before = (whole if moment.late else previous)[who]
                if found[: len(before)] != before:
                    judgement.note(SHRINKS, who, state, found)
                if not moment.late:
                    previous[who] = found
                if not state.missing:
                    whole[who] = found
                first = found if first is None else first
                if found != first:
                    judgement.note(DIFFERS, who, state, found)
            scratch.clear(place)
    finally:
        scratch.close()
    return judgement


def _readers(format: str) -> Mapping[str, Read]:
    what, reference = crash_of(format), named(format)
    return {
        "the specification": lambda path: written_payloads(
            what, collect(reference.read(path, "recover", what.context)).records
        ),
        "the scanner": lambda path: written_payloads(
            what, collect(answers.read(Log(format, path, context=what.context))).records
        ),
    }
