"""The exchange of one case with one program, message by message, as it is sent and received."""

from __future__ import annotations

from collections.abc import AsyncIterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from conformance.cases import Case
from conformance.protocol.child import Child, Crash, Limits, OverLimit, Timeout
from conformance.protocol.messages import ProtocolError
from conformance.protocol.oneshot import OneShot, reports_of
from conformance.scratch import Scratch
from conformance.subject import Subject


@dataclass(frozen=True)
class Exchange:
    """One request, what came back, and what that is worth.

    ``reply`` is None and ``error`` says why if no reply came. ``difference`` is None if the reply
    is the one that is owed, or was skipped.
    """

    request: dict[str, Any]
    reply: dict[str, Any] | None
    error: str | None
    difference: str | None
    stderr: str | None


async def exchanges(subject: Subject, case: Case, place: Path) -> AsyncIterator[Exchange]:
    """Ask a program for each request of a case; ends after the first that has no reply.

    ``place`` is where the scratch copy is put, and left. Raises what ``hello`` raises:
    :class:`Crash`, :class:`Timeout` or :class:`ProtocolError`.
    """
    kind = OneShot if subject.one_shot else Child
    scratch = Scratch()
    box = subject.box(scratch.folder, place.parent)
    child: Child | OneShot = kind(subject.command, Path.cwd(), Limits(), box=box)
    try:
        hello = await child.start()
        for number, step in enumerate(case.steps(), 1):
            step.prepare(place)
            request = step.request(case, place, number)
            try:
                reply = await child.ask(request, case.wall_ms)
            except (Crash, Timeout, OverLimit, ProtocolError) as error:
                yield Exchange(request, None, str(error), str(error), child.stderr_tail)
                return
            difference = None
            if "skipped" not in reply:
                reports = reports_of(hello, reply, subject.one_shot)
                difference = step.judge(reply, place, reports).difference
            yield Exchange(request, reply, None, difference, child.stderr_tail)
    finally:
        await child.close()
        if box is not None:
            box.close()
        scratch.close()
