"""Null baselines: readers that ignore the log. They show the score that guessing reaches."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

ALL_PARTS = ("records", "verdict", "lost", "signals")


@dataclass(frozen=True)
class Baseline:
    """A reader that gives the same answer to every log.

    Only a baseline that refuses every log also refuses writes.
    """

    name: str
    title: str
    answer: Mapping[str, Any]

    def hello(self) -> dict[str, Any]:
        """Return the baseline's reply to ``hello``."""
        return {
            "name": self.name,
            "version": "",
            "language": "",
            "formats": ["*"],
            "profiles": ["recover", "strict", "write", "append"],
            "reports": list(ALL_PARTS),
        }

    def reply(self, request: Mapping[str, Any]) -> dict[str, Any]:
        """Return the reply to any request."""
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
