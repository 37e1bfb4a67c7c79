"""Who answers: a process that stays, a program started per request, or a baseline of our own."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import AsyncIterator, Coroutine
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Protocol, TypeVar

from conformance.baselines import BaselineChild
from conformance.isolation import Box
from conformance.protocol.child import Child, Limits
from conformance.protocol.messages import Owed
from conformance.protocol.oneshot import OneShot
from conformance.scratch import Scratch
from conformance.subject import Subject

Result = TypeVar("Result")


class Conversation(Protocol):
    """What the runner needs of whoever answers."""

    asked: int

    @property
    def stderr_tail(self) -> str | None:
        """The last of what it wrote to stderr."""

    async def start(self) -> dict[str, Any]:
        """Start it and return its hello."""

    async def ask(
        self, request: dict[str, Any], wall_ms: int, owed: Owed | None = None
    ) -> dict[str, Any]:
        """The reply to one request. One that gives the answer that is owed needs no validation."""

    async def close(self) -> None:
        """End it politely."""

    async def kill(self) -> None:
        """End it at once."""


def conversation(subject: Subject, limits: Limits, box: Box | None) -> Conversation:
    """A conversation with a subject, not yet begun."""
    if subject.baseline is not None:
        return BaselineChild(subject.baseline)
    if subject.one_shot:
        return OneShot(subject.command, Path.cwd(), limits, subject.strict, box)
    return Child(subject.command, Path.cwd(), limits, box)


@dataclass
class Workplace:
    """Where one program answers: its scratch copies, the box around it, and whoever answers now."""

    subject: Subject
    limits: Limits
    scratch: Scratch
    box: Box | None
    child: Conversation | None = None
    """It is ended with the place; None while nobody is there."""

    def another(self) -> Conversation:
        """A conversation that is not yet begun; its caller ends it."""
        return conversation(self.subject, self.limits, self.box)


@contextlib.asynccontextmanager
async def workplace(subject: Subject, limits: Limits) -> AsyncIterator[Workplace]:
    """A place for one program, of which nothing is left, however this ends."""
    scratch = Scratch()
    try:
        place = Workplace(subject, limits, scratch, subject.box(scratch.folder))
        try:
            yield place
        finally:
            if place.child is not None:
                await place.child.close()
            if place.box is not None:
                place.box.close()
    finally:
        scratch.close()


async def together(*coroutines: Coroutine[Any, Any, Result]) -> list[Result]:
    """What all of them return. When one raises, the others are ended first: nothing stays."""
    tasks = [asyncio.create_task(one) for one in coroutines]
    try:
        return await asyncio.gather(*tasks)
    finally:
        for task in tasks:
            task.cancel()
        with contextlib.suppress(asyncio.CancelledError):
            await asyncio.gather(*tasks, return_exceptions=True)
