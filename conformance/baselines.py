"""Null baselines: readers that look at nothing. A score means something only beside theirs."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from conformance.protocol.messages import Owed

TURN = 8
"""After so many replies of a baseline it is the turn of others."""
ALL_PARTS = ("records", "verdict", "lost", "signals")


@dataclass(frozen=True)
class Baseline:
    """A reader that gives the same answer to every log.

    What always refuses refuses every write too; the others claim success.
    """

    name: str
    title: str
    answer: Mapping[str, Any]

    def hello(self) -> dict[str, Any]:
        """What it would say of itself."""
        return {
            "name": self.name,
            "version": "",
            "language": "",
            "formats": ["*"],
            "profiles": ["recover", "strict", "write", "append"],
            "reports": list(ALL_PARTS),
        }

    def reply(self, request: Mapping[str, Any]) -> dict[str, Any]:
        """The reply to any request."""
        if request["cmd"] == "read":
            return {"seq": request["seq"], "answer": dict(self.answer)}
        if self.answer["verdict"] == "refused":
            return {"seq": request["seq"], "refused": "like everything"}
        return {"seq": request["seq"], "done": True}


def _nothing(verdict: str, signals: list[str]) -> dict[str, Any]:
    return {"verdict": verdict, "reason": None, "records": [], "lost": [], "signals": signals}


BASELINES = (
    Baseline("null: intact", "always intact, no records", _nothing("intact", [])),
    Baseline("null: damaged", "always damaged, no records", _nothing("damaged", ["damage"])),
    Baseline("null: refused", "always refused", _nothing("refused", ["refused"])),
)


class BaselineChild:
    """Stands in for the child of a baseline, which answers without a process."""

    def __init__(self, baseline: Baseline) -> None:
        self.baseline = baseline
        self.asked = 0
        self.stderr_tail: str | None = None
        self._replies = 0

    async def start(self) -> dict[str, Any]:
        """Its hello."""
        return self.baseline.hello()

    async def ask(
        self, request: dict[str, Any], wall_ms: int, owed: Owed | None = None
    ) -> dict[str, Any]:
        """Its reply to one request."""
        self._replies += 1
        if self._replies % TURN == 0:  # it never waits, and programs have replied meanwhile
            await asyncio.sleep(0)
        return self.baseline.reply(request)

    async def close(self) -> None:
        """There is nothing to end."""

    async def kill(self) -> None:
        """There is nothing to end."""
