"""A contender: a program that reads a log a number of times and says how long it took."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

Command = Callable[[Path, int], list[str]]


def never() -> str | None:
    """Why a contender cannot run here: it always can."""
    return None


@dataclass(frozen=True)
class Contender:
    """One reader of one format.

    ``command(log, repeat)`` is a program that reads the log ``repeat`` times, opening it anew each
    time, and prints ``{"records": n, "payload_bytes": n, "all_seconds": [s, …]}``. ``peer`` marks
    the one that the others of its format are measured against. ``repeat`` is how often a round
    reads: more than once for readers that take only milliseconds. ``unavailable()`` says why it
    cannot run here, or None. ``share`` is above 1 for readers that would take minutes: they read a
    log with one record for every ``share`` of the workload's, and the row says so. In its box it
    may change the folder of the log that it reads, and the places ``writes``. ``limit`` names the
    contender whose speed is its limit, if that is not the workload's. Without ``has_payloads`` it
    does not give out payloads, and counts no bytes of them.
    """

    name: str
    title: str
    format: str
    command: Command
    peer: bool = False
    repeat: int = 1
    unavailable: Callable[[], str | None] = field(default=never)
    share: int = 1
    writes: tuple[Path, ...] = ()
    limit: str | None = None
    has_payloads: bool = True
