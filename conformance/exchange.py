"""The exchange of one case with one program, message by message, as it is sent and received."""

from __future__ import annotations

from collections.abc import AsyncIterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from conformance.cases import Case, Step
from conformance.protocol.child import Child, Crash, Limits, OverLimit, Timeout
from conformance.protocol.messages import ProtocolError
from conformance.protocol.oneshot import OneShot, reported_parts
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


async def exchanges(
    subject: Subject, case: Case, place: Path, limits: Limits | None = None
) -> AsyncIterator[Exchange]:
    """Ask a program for each request of a case; ends after the first that has no reply.

    ``place`` is where the scratch copy is put, and left. Raises what ``hello`` raises:
    :class:`Crash`, :class:`Timeout` or :class:`ProtocolError`.
    """
    kind = OneShot if subject.one_shot else Child
    child: Child | OneShot = kind(subject.command, Path.cwd(), limits or Limits())
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
            difference = _difference(step, reply, place, hello, subject.one_shot)
            yield Exchange(request, reply, None, difference, child.stderr_tail)
    finally:
        await child.close()


def _difference(
    step: Step, reply: dict[str, Any], place: Path, hello: dict[str, Any], one_shot: bool
) -> str | None:
    if "skipped" in reply:
        return None
    one_shot = one_shot and "answer" in reply
    reports = reported_parts(reply["answer"]) if one_shot else hello["reports"]
    return step.judge(reply, place, reports).difference
