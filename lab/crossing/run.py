"""Write logs with every writer, and read each of them with every reader.

The bytes may differ from those of a vector. In any case, a reader must return the acknowledged
records and report no damage.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

from conformance.cases import DEFAULT_WALL_MS, contents_at
from conformance.compare import differences, normalise
from conformance.contents import Contents, write_contents
from conformance.scratch import Scratch
from conformance.session import PROGRAM_FAILURES, ProtocolSession
from conformance.subject import Subject
from lab.crossing.logs import Wanted

WALL_MS = max(DEFAULT_WALL_MS, 30_000)
"""For one request: nobody is timed here."""

Progress = Callable[[str], None]
"""Called with what happens now."""


@dataclass
class Pair:
    """The result of one writer and one reader."""

    writer: str
    reader: str
    same: list[str] = field(default_factory=list)
    """Logs that came back as they were written, by id."""
    differ: list[tuple[str, str]] = field(default_factory=list)
    """Log and first difference, of each that was read otherwise."""
    skipped: int = 0


@dataclass
class Crossing:
    """All pairs of one format, and what writers did not write."""

    format: str
    pairs: list[Pair] = field(default_factory=list)
    not_written: dict[str, dict[str, str]] = field(default_factory=dict)
    """By writer and log: why there is no log."""


class RestartedSession:
    """A session with a program that is started again when it has ended."""

    def __init__(self, subject: Subject) -> None:
        self.subject = subject
        self.scratch = Scratch()
        self.hello: dict[str, Any] = {}
        self._session: ProtocolSession | None = None
        self._seq = 0

    def send(self, request: dict[str, Any]) -> dict[str, Any] | str:
        """Return the reply, or how the program ended."""
        self._seq += 1
        try:
            if self._session is None:
                sandbox = self.subject.sandbox(self.scratch.folder)
                self._session = ProtocolSession(self.subject.command, sandbox=sandbox)
                self.hello = self._session.start()
            if request["cmd"] == "write" and not self._writes():
                return {"skipped": "it does not write"}
            return self._session.request(request | {"seq": self._seq}, WALL_MS)
        except PROGRAM_FAILURES as error:
            self._session = None
            return str(error)

    def _writes(self) -> bool:
        return "write" in self.hello["profiles"] or bool(self.hello.get("also_writes"))

    def close(self) -> None:
        """End it, and remove its scratch copies."""
        if self._session is not None:
            self._session.close()
        self.scratch.close()


def cross(
    format: str,
    writers: Sequence[Subject],
    readers: Sequence[Subject],
    logs: Sequence[Wanted],
    progress: Progress = lambda text: None,
) -> Crossing:
    """Let each writer write the logs, and each reader read all that was written."""
    crossing = Crossing(format)
    written: dict[str, dict[str, Contents]] = {}
    for subject in writers:
        progress(f"{subject.name} writes")
        logs_by_id, missing = written_logs(subject, logs)
        if logs_by_id:
            written[subject.name] = logs_by_id
            crossing.not_written[subject.name] = missing
    for subject in readers:
        for writer, logs_by_id in written.items():
            progress(f"{subject.name} reads {writer}")
            there = [each for each in logs if each.id in logs_by_id]
            crossing.pairs.append(_read(subject, writer, there, logs_by_id))
    return crossing


def written_logs(
    subject: Subject, logs: Sequence[Wanted]
) -> tuple[dict[str, Contents], dict[str, str]]:
    """Return what a writer wrote, and why it did not write the other logs, by id."""
    session = RestartedSession(subject)
    logs_by_id: dict[str, Contents] = {}
    missing: dict[str, str] = {}
    try:
        for each in logs:
            place = session.scratch.new_path(each.name)
            reply = session.send(each.message("write", place))
            log = contents_at(place)
            if isinstance(reply, dict) and reply.get("done") and log is not None:
                logs_by_id[each.id] = log
            else:
                missing[each.id] = _why(reply)
    finally:
        session.close()
    return logs_by_id, missing


def _read(
    subject: Subject, writer: str, logs: Sequence[Wanted], logs_by_id: dict[str, Contents]
) -> Pair:
    session, pair = RestartedSession(subject), Pair(writer, subject.name)
    try:
        for each in logs:
            place = session.scratch.new_path(each.name)
            write_contents(logs_by_id[each.id], place)
            reply = session.send(each.message("read", place))
            session.scratch.clear(place)
            if isinstance(reply, dict) and "skipped" in reply:
                pair.skipped += 1
            elif difference := _difference(each, session.hello, reply):
                pair.differ.append((each.id, difference))
            else:
                pair.same.append(each.id)
    finally:
        session.close()
    return pair


def _difference(each: Wanted, hello: dict[str, Any], reply: dict[str, Any] | str) -> str | None:
    """Return the fault in the answer to a log that was written with these records."""
    if isinstance(reply, str):
        return reply
    given = normalise({"records": list(each.records)}) | {"verdict": "intact"}
    answer = normalise(reply["answer"])
    parts = [part for part in ("records", "verdict", "signals") if part in hello["reports"]]
    result = differences(given, answer, parts)
    return result[0] if result else None


def _why(reply: dict[str, Any] | str) -> str:
    if isinstance(reply, str):
        return reply
    return str(reply.get("refused") or reply.get("skipped") or "it says done, and no log is there")


def matrix(crossing: Crossing, width: int) -> Iterator[str]:
    """The table, a row for each reader, in as many parts as fit into ``width`` columns."""
    writers = list(crossing.not_written)
    cells = {(each.writer, each.reader): each for each in crossing.pairs}
    readers = list(dict.fromkeys(each.reader for each in crossing.pairs))
    first = max([len(each) for each in readers], default=0)
    while writers:
        row = [" " * first, writers.pop(0)]
        while writers and len("  ".join([*row, writers[0]])) <= width:
            row.append(writers.pop(0))
        yield "  ".join(row)
        for reader in readers:
            given = [f"{reader:{first}}"]
            for writer in row[1:]:
                each = cells[writer, reader]
                total = len(each.same) + len(each.differ)
                given.append(f"{f'{len(each.same)}/{total}' if total else '–':{len(writer)}}")
            yield "  ".join(given).rstrip()
        if writers:
            yield ""
