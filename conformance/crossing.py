"""Real writers against real readers: is what one writes what another reads?

Every writer writes the records of each ``write`` vector that leaves a sound log, with sizes from
none to many blocks, rotation and compression among them. Every reader then reads what it wrote,
whether or not the bytes are those of the vector, and must return the records that the writer
acknowledged, without a word about damage.

    python -m conformance.crossing --format ID [--impl NAME …]

Ends with 3 if a reader returns something else.
"""

from __future__ import annotations

import argparse
import asyncio
import sys
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from conformance import registry
from conformance.cases import DEFAULT_WALL_MS, WriteStep, cases_of, found_at, read_request
from conformance.compare import differences, normalise
from conformance.contents import Contents, write_contents
from conformance.isolation import Box
from conformance.protocol.child import Child, Crash, Limits, OverLimit, Timeout
from conformance.protocol.messages import ProtocolError
from conformance.scratch import Scratch
from conformance.subject import Subject, subject_of
from conformance.text import one_line
from conformance.vectors import Vector, load_all

WALL_MS = max(DEFAULT_WALL_MS, 10_000)
"""For one request: nobody is timed here."""


@dataclass
class Pair:
    """What came of one writer and one reader."""

    writer: str
    reader: str
    same: int = 0
    differ: list[tuple[str, str]] = field(default_factory=list)
    """Vector and first difference, of each log that was read otherwise."""
    skipped: int = 0


@dataclass
class Crossing:
    """All pairs of one format, and what writers did not write."""

    format: str
    pairs: list[Pair] = field(default_factory=list)
    not_written: dict[str, dict[str, str]] = field(default_factory=dict)
    """By writer and vector: why there is no log."""


class Asked:
    """A program that is asked one thing after another, and started again when it has ended."""

    def __init__(self, subject: Subject) -> None:
        self.subject = subject
        self.scratch = Scratch()
        self.hello: dict[str, Any] = {}
        self._child: Child | None = None
        self._box: Box | None = None
        self._seq = 0

    async def ask(self, request: dict[str, Any]) -> dict[str, Any] | str:
        """The reply, or how it ended."""
        self._seq += 1
        try:
            if self._child is None:
                self._box = self._box or self.subject.box(self.scratch.folder)
                self._child = Child(self.subject.command, Path.cwd(), Limits(), box=self._box)
                self.hello = await self._child.start()
            if request["cmd"] not in ("read", *self.hello["profiles"]):
                return {"skipped": f"it does not {request['cmd']}"}
            return await self._child.ask(request | {"seq": self._seq}, WALL_MS)
        except (Crash, Timeout, OverLimit, ProtocolError) as error:
            child, self._child = self._child, None
            if child is not None:
                await child.kill()
            return str(error)

    async def close(self) -> None:
        """End it, and remove its scratch copies."""
        if self._child is not None:
            await self._child.close()
        if self._box is not None:
            self._box.close()
        self.scratch.close()


def to_write(vectors: Iterable[Vector], format: str) -> list[Vector]:
    """The vectors whose records are written: those that leave a sound log of just these records."""
    chosen = []
    for vector in vectors:
        body = vector.body
        if (body["format"], vector.operation) != (format, "write") or body.get("must_refuse"):
            continue
        told = normalise({"records": vector.records_to_write()})
        left = body["expect"]
        if left["verdict"] == "intact" and not differences(told, left, ["records"]):
            chosen.append(vector)
    return chosen


async def cross(format: str, subjects: Sequence[Subject], vectors: Iterable[Vector]) -> Crossing:
    """Let each subject that writes the format write, and each that reads it read all of that."""
    crossing, chosen = Crossing(format), to_write(vectors, format)
    written: dict[str, dict[str, Contents]] = {}
    for subject in subjects:
        logs, missing = await _written(subject, chosen)
        if logs:
            written[subject.name] = logs
            crossing.not_written[subject.name] = missing
    for subject in subjects:
        for writer, logs in written.items():
            pair = await _read(subject, writer, [one for one in chosen if one.id in logs], logs)
            crossing.pairs.append(pair)
    return crossing


async def _written(
    subject: Subject, vectors: Sequence[Vector]
) -> tuple[dict[str, Contents], dict[str, str]]:
    asked = Asked(subject)
    logs: dict[str, Contents] = {}
    missing: dict[str, str] = {}
    try:
        for vector in vectors:
            (case,) = cases_of([vector], ["write"])
            place = asked.scratch.place(vector.neutral_name)
            reply = await asked.ask(WriteStep(vector).request(case, place, 0))
            log = found_at(place)
            if isinstance(reply, dict) and reply.get("done") and log is not None:
                logs[vector.id] = log
            else:
                missing[vector.id] = _why(reply)
    finally:
        await asked.close()
    return logs, missing


async def _read(
    subject: Subject, writer: str, vectors: Sequence[Vector], logs: dict[str, Contents]
) -> Pair:
    asked, pair = Asked(subject), Pair(writer, subject.name)
    try:
        for vector in vectors:
            (case,) = cases_of([vector], ["write"])
            place = asked.scratch.place(vector.neutral_name)
            write_contents(logs[vector.id], place)
            context = vector.body.get("context", {})
            request = read_request(case, place, 0, context) | {"profile": "recover"}
            reply = await asked.ask(request)
            if isinstance(reply, dict) and "skipped" in reply:
                pair.skipped += 1
            elif difference := _difference(vector, asked.hello, reply):
                pair.differ.append((vector.id, difference))
            else:
                pair.same += 1
    finally:
        await asked.close()
    return pair


def _difference(vector: Vector, hello: dict[str, Any], reply: dict[str, Any] | str) -> str | None:
    """What is wrong with the answer to a log that was written with these records."""
    if isinstance(reply, str):
        return reply
    told = normalise({"records": vector.records_to_write()}) | {"verdict": "intact"}
    parts = [part for part in ("records", "signals") if part in hello["reports"]]
    found = differences(told, normalise(reply["answer"]), parts)
    return found[0] if found else None


def _why(reply: dict[str, Any] | str) -> str:
    if isinstance(reply, str):
        return reply
    return str(reply.get("refused") or reply.get("skipped") or "it says done, and no log is there")


def table(crossing: Crossing) -> list[str]:
    """The matrix, a row for each reader, and below it the first difference of each pair."""
    writers = list(crossing.not_written)
    if not writers:
        return [f"{crossing.format}: nobody here writes a log of given records"]
    cells = {(one.writer, one.reader): one for one in crossing.pairs}
    readers = list(dict.fromkeys(one.reader for one in crossing.pairs))
    width = max([len(one) for one in readers] + [6])
    lines = [f"{crossing.format}: logs of a writer (across) that a reader (down) reads as written"]
    lines.append("  ".join([" " * width, *writers]))
    for reader in readers:
        row = [f"{reader:{width}}"]
        for writer in writers:
            one = cells[writer, reader]
            total = one.same + len(one.differ)
            text = f"{one.same}/{total}" if total else "–"
            row.append(f"{text:{len(writer)}}")
        lines.append("  ".join(row).rstrip())
    lines += [
        f"✗ {one.writer} → {one.reader}: {vector}: {one_line(difference)}"
        + (f" (and {len(one.differ) - 1} more)" if len(one.differ) > 1 else "")
        for one in crossing.pairs
        for vector, difference in one.differ[:1]
    ]
    lines += [
        f"- {writer} did not write {len(missing)}: {one_line(next(iter(missing.values())))}"
        for writer, missing in crossing.not_written.items()
        if missing
    ]
    return lines


def main(arguments: list[str] | None = None) -> int:
    """Cross the implementations of a format that are built here; 3 if any pair disagrees."""
    parser = argparse.ArgumentParser(prog="python -m conformance.crossing")
    parser.add_argument("--format", required=True)
    parser.add_argument("--impl", action="append", default=[])
    asked = parser.parse_args(arguments)
    subjects = [
        subject_of(one, "walproof")
        for one in registry.all_implementations()
        if asked.format in one.formats or "*" in one.formats
        if not asked.impl or one.name in asked.impl
    ]
    there = [one for one in subjects if one.unavailable is None and not one.structure]
    crossing = asyncio.run(cross(asked.format, there, load_all().values()))
    print("\n".join(table(crossing)))
    return 3 if any(one.differ for one in crossing.pairs) else 0


if __name__ == "__main__":
    sys.exit(main())
