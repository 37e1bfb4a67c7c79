"""Run a writer under strace, one record at a time, and return the trace of its operations."""

from __future__ import annotations

import shutil
import time
from collections import deque
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from conformance.process import Limits
from conformance.protocol.messages import ProtocolError, validate
from conformance.scratch import Scratch
from conformance.session import ProtocolSession
from lab.crash.format_crash import FormatCrash
from lab.crash.strace import Parser, command
from lab.crash.sync_snapshots import Look, Snapshots, Stops
from lab.crash.trace import Trace, differing_files
from reference_impl.answer import NewRecord

#: For each record: a program that is traced is slow.
TIMEOUT_SECONDS = 60


class CannotRecord(Exception):
    """The writer could not be recorded; the message gives the reason."""


def _acknowledged(session: ProtocolSession, request: dict[str, Any]) -> Iterator[int]:
    """Send a write or append; yield the number of safe records after each acknowledgement."""
    message = request
    validate(request["cmd"], request)
    while True:
        reply = session.exchange(message, TIMEOUT_SECONDS)
        if "acknowledged" not in reply:
            break
        validate("acknowledged-reply", reply)
        yield reply["acknowledged"]
        message = {"cmd": "go-on", "seq": request["seq"]}
    validate("done-reply", reply)
    if "done" not in reply:
        if "skipped" in reply:
            raise CannotRecord(f"it is unavailable, because {reply['skipped']}")
        raise CannotRecord(f"it does not {request['cmd']}: {reply.get('refused')}")


@contextmanager
def _stopping(folder: Path, slow: float) -> Iterator[Stops]:
    """Pause the calls of a program that ends inside this block.

    Raises :class:`CannotRecord` if the calls could not be paused.
    """
    try:
        stops = Stops(Snapshots(folder).take, slow)
    except OSError as error:
        raise CannotRecord(f"its calls cannot be stopped: {error}") from None
    try:
        try:
            yield stops
        finally:
            stops.close()
    except Exception as error:
        if stops.why_not:
            raise CannotRecord(f"its calls were not stopped: {stops.why_not}") from error
        raise
    if stops.why_not:
        raise CannotRecord(f"its calls were not stopped: {stops.why_not}")


def record(
    words: Sequence[str],
    format: str,
    what: FormatCrash,
    records: Sequence[NewRecord],
    slow: float = 0.0,
) -> tuple[Trace, dict[str, Any]]:
    """Run a program under strace.

    The program writes the first half of the records, and then appends the second half. A program
    that cannot append writes all records. Each sync is delayed by at least ``slow`` seconds. The
    program runs without isolation. Return the trace and the hello message of the program.

    Raises :class:`CannotRecord`, ``NotUnderstood``, and the errors of a session.
    """
    if shutil.which("strace") is None:
        raise CannotRecord("there is no strace on PATH")
    scratch = Scratch()
    try:
        folder, output = scratch.new_path("root"), scratch.folder / "calls"
        folder.mkdir()
        with _stopping(folder, slow) as stops:
            command_line = [*command(output), *stops.command(words)]
            # libuv would hand its writes to the system without a call for each.
            variables = {"UV_USE_IO_URING": "0"}
            session = ProtocolSession(command_line, Limits(start_seconds=120), variables=variables)
            try:
                hello = session.start()
                if not hello.get("acknowledges"):
                    raise CannotRecord("its hello does not say that it acknowledges records")
                half = (len(records) + 1) // 2 if "append" in hello["profiles"] else len(records)
                parser = Parser(folder, Path.cwd(), {1: 0, 2: half})
                for seq, some in ((1, records[:half]), (2, records[half:])):
                    request = {
                        "cmd": "write" if seq == 1 else "append",
                        "seq": seq,
                        "format": format,
                        "path": str(folder / what.name),
                        "records": [
                            {"payload": each.payload.hex(), **each.fields} for each in some
                        ],
                        "context": dict(what.context),
                        "acknowledge": True,
                    }
                    for count in _acknowledged(session, request) if some else ():
                        files = Snapshots(folder).take()
                        parser.snapshots[(seq - 1) * half + count] = Look(time.time(), 0, files)
            finally:
                session.close()
        parser.mapped.looks = deque(stops.looks)
        with output.open("rb") as lines:
            for line in lines:
                parser.line(line)
        files = Snapshots(folder).take()
        parser.ended(files)
    finally:
        scratch.close()
    if different := differing_files(parser.live, files):
        raise ProtocolError(f"not explained by its system calls: {', '.join(different)}")
    if (found := parser.trace.acknowledged) != len(records):
        raise CannotRecord(f"{len(records)} records, {found} acknowledged one by one")
    return parser.trace, hello
