"""What a task is told: which pieces of which logs to read, and what to carry over unread."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from pyspark_journal.scan.model import WHOLE, Part


@dataclass(frozen=True, slots=True)
class Piece:
    """A log, or one of the ``count`` parts that it is read in.

    ``format`` is None where the task shall find out. ``size`` is about how many bytes there are
    to read.
    """

    log: str
    path: str
    format: str | None
    context: Mapping[str, Any]
    fingerprint: str | None
    size: int
    part: Part = WHOLE
    number: int = 0
    count: int = 1

    @property
    def key(self) -> str:
        """What an earlier run called the same piece of the same bytes."""
        part = self.part
        place = f"{self.number}/{self.count} {part.start}-{part.end} {part.file or ''}"
        return f"{self.fingerprint} {place} {self.log}"


@dataclass(frozen=True, slots=True)
class Kept:
    """Rows of a shard of an earlier result that still hold: those of ``logs``."""

    result: str
    shard: str
    logs: tuple[str, ...]
    keys: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Unit:
    """The work of one task. Its rows make one shard: a Parquet file in each table.

    ``size`` is how many bytes of logs are read.
    """

    number: int
    pieces: tuple[Piece, ...]
    kept: tuple[Kept, ...] = ()
    size: int = 0


@dataclass(frozen=True, slots=True)
class Options:
    """What the rows depend on besides the logs: with other options nothing is carried over."""

    payload: bool = False
    max_payload: int = 64 << 20
    version: str = ""

    def to_json(self) -> dict[str, Any]:
        """As JSON."""
        return {
            "payload": self.payload,
            "max_payload": self.max_payload if self.payload else 0,
            "version": self.version,
        }


@dataclass(frozen=True, slots=True)
class Task:
    """A unit on its way to a worker. ``folder`` is the result that is being built."""

    unit: Unit
    folder: str
    options: Options = field(default_factory=Options)
