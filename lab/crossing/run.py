"""Write logs with every writer, and read each of them with every reader."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import groupby
from typing import Any

from conformance.cases import DEFAULT_WALL_MS, contents_at
from conformance.compare import differences, normalise
from conformance.contents import Contents, write_contents
from conformance.session import PROGRAM_FAILURES
from conformance.subject import Subject
from lab.crossing.logs import Wanted
from lab.restarted_session import RestartedSession

#: The time limit for one request. It is long, because this command does not test speed.
WALL_MS = max(DEFAULT_WALL_MS, 30_000)


@dataclass
class Pair:
    """The result of one writer and one reader."""

    writer: str
    reader: str
    #: Ids of the logs that the reader returned as written.
    same: list[str] = field(default_factory=list)
    #: Id and first difference of each other log.
    differ: list[tuple[str, str]] = field(default_factory=list)


@dataclass
class Crossing:
    """All pairs of one format, and the reason for each log that a writer did not write."""

    format: str
    pairs: list[Pair] = field(default_factory=list)
    not_written: dict[str, dict[str, str]] = field(default_factory=dict)


def cross(
    format: str,
    writers: Sequence[Subject],
    readers: Sequence[Subject],
    logs: Sequence[Wanted],
    progress: Callable[[str], None] = lambda text: None,
) -> Crossing:
    """Write the logs with each writer, and read every written log with each reader."""
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
            crossing.pairs.append(_read(subject, writer, logs, logs_by_id))
    return crossing


def written_logs(
    subject: Subject, logs: Sequence[Wanted]
) -> tuple[dict[str, Contents], dict[str, str]]:
    """Return the logs that a writer wrote, and the reason for each log not written, by id."""
    session = RestartedSession(subject, WALL_MS)
    logs_by_id: dict[str, Contents] = {}
    missing: dict[str, str] = {}
    try:
        for each in logs:
            place = session.scratch.new_path(each.name)
            try:
                reply = session.request(each.message("write", place))
            except PROGRAM_FAILURES as error:
                reply = {"refused": str(error)}
            log = contents_at(place)
            if reply.get("done") and log is not None:
                logs_by_id[each.id] = log
            else:
                why = reply.get("refused") or reply.get("skipped")
                missing[each.id] = str(why or "it replied done, but there is no log")
    finally:
        session.close()
    return logs_by_id, missing


def _read(
    subject: Subject, writer: str, logs: Sequence[Wanted], logs_by_id: dict[str, Contents]
) -> Pair:
    session, pair = RestartedSession(subject, WALL_MS), Pair(writer, subject.name)
    try:
        for each in logs:
            if each.id not in logs_by_id:
                continue
            place = session.scratch.new_path(each.name)
            write_contents(logs_by_id[each.id], place)
            try:
                reply = session.request(each.message("read", place))
                if "skipped" in reply:
                    continue
                difference = _difference(each, session.hello, reply)
            except PROGRAM_FAILURES as error:
                difference = str(error)
            finally:
                session.scratch.clear(place)
            if difference:
                pair.differ.append((each.id, difference))
            else:
                pair.same.append(each.id)
    finally:
        session.close()
    return pair


def _difference(each: Wanted, hello: dict[str, Any], reply: dict[str, Any]) -> str | None:
    given = normalise({"records": list(each.records)}) | {"verdict": "intact"}
    parts = [part for part in ("records", "verdict", "signals") if part in hello["reports"]]
    result = differences(given, normalise(reply["answer"]), parts)
    return result[0] if result else None


def counts(crossing: Crossing) -> Iterator[tuple[str, str]]:
    """Yield each reader, with the number of logs per writer that it read without a difference."""
    for reader, pairs in groupby(crossing.pairs, key=lambda pair: pair.reader):
        writers: dict[str, list[str]] = {}
        for each in pairs:
            total = len(each.same) + len(each.differ)
            writers.setdefault(f"{len(each.same)}/{total}", []).append(each.writer)
        yield reader, "; ".join(f"{text} of {', '.join(names)}" for text, names in writers.items())
