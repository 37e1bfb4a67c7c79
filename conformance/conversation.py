"""Who answers: a process that stays, a program started per request, or a baseline of our own."""

from __future__ import annotations

from pathlib import Path
from typing import Any, Protocol

from conformance.baselines import BaselineChild
from conformance.isolation import Box
from conformance.protocol.child import Child, Limits
from conformance.protocol.oneshot import OneShot
from conformance.subject import Subject


class Conversation(Protocol):
    """What the runner needs of whoever answers."""

    asked: int

    @property
    def stderr_tail(self) -> str | None:
        """The last of what it wrote to stderr."""

    async def start(self) -> dict[str, Any]:
        """Start it and return its hello."""

    async def ask(self, request: dict[str, Any], wall_ms: int) -> dict[str, Any]:
        """The reply to one request."""

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
