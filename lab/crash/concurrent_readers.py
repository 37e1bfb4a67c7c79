"""Test readers on a log while it is being written.

The recorded calls of a writer define a sequence of file states, and a reader may see any of them.
There is a state after every operation. There are also states inside each write, because a reader
can see some pages of a write before the others. A reader that reads repeatedly must return the
written records in order, each record once, and never fewer records than before.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from conformance.scratch import Scratch
from conformance.subject import Subject
from lab.crash.format_crash import FormatCrash, crash_of
from lab.crash.judge import DIED, Judgement, after_a_crash, build, payload_text, written_payloads
from lab.crash.model import State
from lab.crash.recorder import record
from lab.crash.trace import Acknowledged, Live, Trace, Write
from reference_impl.answer import NewRecord, Record, collect
from reference_impl.formats import named

SECTORS = (512, 4096)
SPECIFICATION, SCANNER = "the specification", "the scanner"
SHRINKS = "no longer returns a record that it returned"
DIFFERS = "returns other records than the specification"

Read = Callable[[Path], list[str]]
"""The payloads of a log at a path, as :func:`~lab.crash.judge.payload_text` tells them."""


@dataclass(frozen=True)
class Moment:
    """A state of the files that a reader may see.

    A ``late`` moment replaces the torn moments around it.
    """

    state: State
    late: bool = False


def moments(trace: Trace, sectors: Sequence[int] = SECTORS) -> Iterator[Moment]:
    """Yield the states of the files while a writer works, in order, without consecutive duplicates.

    Inside a write, there are two states for each sector boundary. In the first state, only the
    bytes before the boundary are written. In the second state, only the bytes after the boundary
    are written, provided that the file already had these bytes. A reader that reads page by page
    can see the second state.
    """
    live, acknowledged = Live(), 0
    last: dict[str, bytes | None] | None = None
    for after, each in enumerate(trace.operations, 1):
        if isinstance(each, Acknowledged):
            acknowledged = max(acknowledged, each.count)
        torn = [*_parts(each, live, sectors)] if isinstance(each, Write) else []
        for part, words, late in torn:
            files = _with(trace, live, part)
            if files != last:
                last = files
                yield Moment(State(files, acknowledged, after, (words,)), late)
        live.apply(each)
        files = live.files(trace.folders)
        if files != last or isinstance(each, Acknowledged):
            last = files
            yield Moment(State(files, acknowledged, after))


def _parts(each: Write, live: Live, sectors: Sequence[int]) -> Iterator[tuple[Write, str, bool]]:
    size, end = len(live.content.get(each.file, b"")), each.at + len(each.data)
    cuts = {at for sector in sectors for at in range(each.at // sector * sector, end, sector)}
    for cut in sorted(cut for cut in cuts if each.at < cut < end):
        yield Write(each.file, each.at, each.data[: cut - each.at]), f"a write up to {cut}", False
    for cut in sorted(cut for cut in cuts if each.at < cut < min(end, size)):
        late = each.data[cut - each.at : size - each.at]
        yield Write(each.file, cut, late), f"a write from {cut} on, nothing before it", True


def _with(trace: Trace, live: Live, part: Write) -> dict[str, bytes | None]:
    before = bytes(live.content.get(part.file, b""))
    live.apply(part)
    files = live.files(trace.folders)
    live.content[part.file] = bytearray(before)
    return files


@dataclass
class Watched:
    """The result for a writer's moments; ``judgement`` counts them as states."""

    hello: dict[str, Any]
    trace: Trace
    torn: int = 0
    judgement: Judgement = field(default_factory=Judgement)


class Watch:
    """Looks at one moment after the other with each reader. ``written`` are all payloads."""

    def __init__(self, readers: dict[str, Read], name: str, written: Sequence[str]) -> None:
        self.readers, self.name, self.written = readers, name, written
        self.before: dict[str, list[str]] = {who: [] for who in readers}
        self.whole = dict(self.before)

    def look(self, moment: Moment, folder: Path, watched: Watched) -> None:
        """Read a moment, whose files are in the folder, and note what is wrong."""
        state = moment.state
        watched.judgement.states += 1
        watched.torn += bool(state.missing)
        path, first = folder / self.name, None
        for who, read in self.readers.items():
            results: list[str] = []
            if path.exists():
                try:
                    results = read(path)
                except Exception as error:
                    detail = f"{type(error).__name__}: {error}"
                    watched.judgement.note(DIED, who, state, [], detail)
                    continue
            for what in after_a_crash(self.written, state.acknowledged, results):
                watched.judgement.note(what, who, state, results)
            before = (self.whole if moment.late else self.before)[who]
            if results[: len(before)] != before:
                watched.judgement.note(SHRINKS, who, state, results)
            if not moment.late:
                self.before[who] = results
            if not state.missing:
                self.whole[who] = results
            if first is None:
                first = results
            elif results != first:
                watched.judgement.note(DIFFERS, who, state, results)


def readers(format: str, what: FormatCrash) -> dict[str, Read]:
    """The executable specification, and the scanner where its packages are."""
    reference = named(format)

    def payloads(records: Sequence[Record]) -> list[str]:
        return written_payloads(what, [each.payload for each in records if not what.is_part(each)])

    def specification(path: Path) -> list[str]:
        return payloads(collect(reference.read(path, "recover", what.context)).records)

    def scanner(path: Path) -> list[str]:
        from walproof.scan import answers

        return payloads(collect(answers.read(format, path, what.context)).records)

    try:
        import pyarrow  # noqa: F401
    except ModuleNotFoundError:
        return {SPECIFICATION: specification}
    return {SPECIFICATION: specification, SCANNER: scanner}


def watch(
    trace: Trace, hello: dict[str, Any], format: str, records: Sequence[NewRecord],
    sectors: Sequence[int] = SECTORS, more: dict[str, Read] | None = None,
) -> Watched:  # fmt: skip
    """Look at every moment of a trace. ``more`` are further readers of the same log."""
    what, watched = crash_of(format), Watched(hello, trace)
    all_readers = {**readers(format, what), **(more or {})}
    eyes = Watch(all_readers, what.name, [payload_text(each.payload) for each in records])
    scratch = Scratch()
    try:
        for moment in moments(trace, sectors):
            place = scratch.new_path("live")
            build(moment.state, place)
            eyes.look(moment, place, watched)
            scratch.clear(place)
    finally:
        scratch.close()
    return watched


def run_live(
    subject: Subject, format: str, count: int, sectors: Sequence[int] = SECTORS
) -> Watched:
    """Record a writer of ``count`` records, look at every moment. Raises as the recorder does."""
    what = crash_of(format)
    records = what.records(count)
    trace, hello = record(subject.command, format, what, records)
    return watch(trace, hello, format, records, sectors)
