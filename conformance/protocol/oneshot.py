"""The one-shot form: ``PROGRAM read FORMAT PATH [strict]`` prints the answer and exits.

What else a request of the protocol holds is in the environment: ``WALPROOF_PROFILE``, and
``WALPROOF_CONTEXT`` as JSON.
"""

from __future__ import annotations

import asyncio
import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from conformance.isolation import Box
from conformance.protocol.child import CannotStart, Child, Limits
from conformance.protocol.messages import Owed, ProtocolError, validate

ANSWER_PARTS = ("verdict", "reason", "lost", "end", "signals")


class OneShot:
    """Runs a program once per request; looks like a :class:`~conformance.protocol.child.Child`.

    It cannot say which parts of the answer it reports: those it prints are compared. ``strict``
    says that it takes the profile as a last word.
    """

    def __init__(
        self,
        command: Sequence[str],
        cwd: Path,
        limits: Limits | None = None,
        strict: bool = False,
        box: Box | None = None,
    ) -> None:
        self.command = command if box is None else box.command(command)
        self.box = box
        self.strict = strict
        self.cwd = cwd
        self.limits = limits or Limits()
        self.asked = 0
        self.stderr_tail: str | None = None

    async def start(self) -> dict[str, Any]:
        """Nothing to start: what a one-shot program is, as far as that is known."""
        return {
            "name": file_name(self.command),
            "version": "",
            "language": "",
            "formats": ["*"],
            "profiles": ["recover", "strict"] if self.strict else ["recover"],
            "reports": ["records"],
        }

    async def ask(
        self, request: dict[str, Any], wall_ms: int, owed: Owed | None = None
    ) -> dict[str, Any]:
        """Run the program for one read request; its standard output is the answer."""
        command = [*self.command, "read", request["format"], request["path"]]
        if request.get("profile") == "strict":
            command.append("strict")
        process = _Run(command, self.cwd, self.limits, self.box)
        process.told = told_in_environment(request)
        try:
            reply = await process.answer(wall_ms, self.limits.of_reply(request))
        finally:
            self.stderr_tail = process.stderr_tail
            await process.kill()
        self.asked += 1
        if "skipped" in reply:
            return {"seq": request["seq"], **reply}
        return {"seq": request["seq"], "answer": reply}

    async def close(self) -> None:
        """Nothing is left running."""

    async def kill(self) -> None:
        """Nothing is left running."""


class _Run(Child):
    """One run: no hello, one reply that may span lines. The command is the box's already."""

    def __init__(
        self, command: Sequence[str], cwd: Path, limits: Limits, box: Box | None = None
    ) -> None:
        super().__init__(command, cwd, limits, box)
        self.command = command

    async def answer(self, wall_ms: int, most: int) -> dict[str, Any]:
        """The answer, or ``{"skipped": why}`` from a program that does not read this format."""
        await self._spawn()
        reply = await self._receive(None, wall_ms / 1000, most)
        try:
            if "skipped" in reply:
                validate("read-reply", {"seq": 0, **reply})
            else:
                validate("answer", reply)
        except ProtocolError as error:
            raise ProtocolError(f"one-shot {error}") from None
        return reply


def file_name(command: Sequence[str]) -> str:
    """A short name for a command: that of the program's own file, not of its interpreter."""
    named = next((word for word in reversed(command) if "/" in word or "." in word), command[0])
    return Path(named).name


def told_in_environment(request: dict[str, Any]) -> dict[str, str]:
    """The variables in which a one-shot program finds what its arguments do not say."""
    return {
        "WALPROOF_PROFILE": str(request.get("profile", "recover")),
        "WALPROOF_CONTEXT": json.dumps(request.get("context", {}), separators=(",", ":")),
    }


def reports_of(hello: dict[str, Any], reply: dict[str, Any], one_shot: bool) -> list[str]:
    """What of a reply is compared: what ``hello`` reports; of a one-shot answer, what it holds."""
    if one_shot and "answer" in reply:
        return reported_parts(reply["answer"])
    reports: list[str] = hello["reports"]
    return reports


def reported_parts(answer: dict[str, Any]) -> list[str]:
    """What a one-shot answer reports: the parts and record fields that it holds."""
    parts = ["records", *(part for part in ANSWER_PARTS if part in answer)]
    records = answer["records"]
    fields = set.intersection(*(set(record) for record in records)) if records else set()
    return [*parts, *sorted(fields - {"payload", "payload_sha256"})]


async def no_hello(command: Sequence[str], cwd: Path, box: Box | None = None) -> str | None:
    """Why a program must be one-shot: what came instead of a reply to hello. None: it replied.

    Raises :class:`CannotStart` for a program that is none.
    """
    child = Child(command, cwd, Limits(start_seconds=10), box)
    try:
        await child.start()
    except CannotStart:
        raise
    except Exception as error:  # whatever it is, it was no hello
        return str(error) or type(error).__name__
    finally:
        await child.kill()
        await asyncio.sleep(0)
    return None
