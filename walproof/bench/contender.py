"""A contender: a program that reads a log a number of times and says how long it took."""

from __future__ import annotations

import importlib
import pkgutil
import sys
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

ReadOnce = Callable[[Path], tuple[int, int]]
"""Reads a log to its end: how many records, and how many bytes of payload."""


def never() -> str | None:
    """Why a contender cannot run here: it always can."""
    return None


@dataclass(frozen=True)
class Contender:
    """One reader.

    ``command(log, repeat)`` is a program that reads the log ``repeat`` times, opening it anew each
    time, and prints ``{"records": n, "payload_bytes": n, "all_seconds": [s, …]}``. ``peer`` marks
    the one that the others of its format are measured against. ``repeat`` is how often a round
    reads: more than once for readers that are done in a few milliseconds. ``share`` is above 1 for
    readers that would take minutes: they read a log with that part of the records, and the row
    says so.
    """

    name: str
    title: str
    format: str
    command: Callable[[Path, int], list[str]]
    peer: bool = False
    repeat: int = 1
    unavailable: Callable[[], str | None] = field(default=never)
    share: int = 1


def in_python(module: str) -> Callable[[Path, int], list[str]]:
    """The command of a reader whose module has ``read_once``: a process of its own.

    If the module has ``prepare`` too, it is called before the clock starts. ``module:argument``
    gives both functions an argument before their own.
    """

    def command(log: Path, repeat: int) -> list[str]:
        worker = [sys.executable, "-m", "walproof.bench.worker"]
        return [*worker, module, str(log), str(repeat)]

    return command


def contenders() -> list[Contender]:
    """All of ``readers/``, the peers first."""
    from walproof.bench import readers

    modules = (
        importlib.import_module(f"{readers.__name__}.{found.name}")
        for found in pkgutil.iter_modules(readers.__path__)
    )
    found = [
        one
        for module in modules
        for one in getattr(module, "CONTENDERS", None) or [module.CONTENDER]
    ]
    return sorted(found, key=lambda c: (c.format, not c.peer, c.name))
