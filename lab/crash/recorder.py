"""Run a writer with its system calls paused, one record at a time, and return its operations."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any

from conformance.process import Limits
from conformance.program_session import ProtocolSession
from conformance.protocol.messages import validate
from conformance.scratch import Scratch
from lab.crash.call_listener import Listener
from lab.crash.format_crash import FormatCrash
from lab.crash.observer import CannotRecord, FileObserver
from lab.crash.trace import Trace
from reference_impl.answer import NewRecord

#: The time limit for each record. It is long, because pausing calls slows a program down.
TIMEOUT_SECONDS = 60


def _acknowledged(session: ProtocolSession, request: dict[str, Any]) -> Iterator[int]:
    """Send a write or append request; yield the number of safe records at each acknowledgement."""
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
def _listening(observer: FileObserver, slow: float) -> Iterator[Listener]:
    """Pause the calls of a program. The program must end inside the block.

    Raises :class:`CannotRecord` if the calls could not be paused.
    """
    try:
        listener = Listener(observer.begins, slow)
    except OSError as error:
        raise CannotRecord(f"its calls cannot be paused: {error}") from None
    try:
        try:
            yield listener
        finally:
            listener.close()
    except Exception as error:
        if listener.why_not:
            raise CannotRecord(f"its calls were not paused: {listener.why_not}") from error
        raise
    if listener.why_not:
        raise CannotRecord(f"its calls were not paused: {listener.why_not}")


def record(
    words: Sequence[str],
    format: str,
    what: FormatCrash,
    records: Sequence[NewRecord],
    slow: float = 0.0,
) -> tuple[Trace, dict[str, Any]]:
    """Let a program write records while its system calls are paused.

    The program writes the first half of the records, and then appends the second half. A program
    that cannot append writes all records. Each sync is delayed by at least ``slow`` seconds. The
    program runs without isolation. Return the trace and the hello message of the program.

    Raises :class:`CannotRecord` and the errors of a session.
    """
    scratch = Scratch()
    try:
        folder = scratch.new_path("root")
        folder.mkdir()
        observer = FileObserver(folder)
        with _listening(observer, slow) as listener:
            # With io_uring, libuv would not make a system call for each write.
            variables = {"UV_USE_IO_URING": "0"}
            command, limits = listener.command(words), Limits(start_seconds=120)
            session = ProtocolSession(command, limits, variables=variables)
            try:
                hello = session.start()
                if not hello.get("acknowledges"):
                    raise CannotRecord("its hello does not say that it acknowledges records")
                half = (len(records) + 1) // 2 if "append" in hello["profiles"] else len(records)
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
                        with listener.lock:
                            observer.acknowledges((seq - 1) * half + count)
            finally:
                session.close()
        observer.take_snapshot()
    finally:
        scratch.close()
    if (found := observer.trace.acknowledged) != len(records):
        raise CannotRecord(f"{len(records)} records, {found} acknowledged one by one")
    return observer.trace, hello
