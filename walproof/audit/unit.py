"""What a task is given: the pieces of logs to read, and the rows to carry over unread."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from conformance import __version__
from reference_impl.formats import FORMATS
from walproof.lake.discovery import FoundLog
from walproof.lake.options import Options as SourceOptions
from walproof.scan.model import WHOLE, Part


@dataclass(frozen=True, slots=True)
class Piece:
    """A log, or one of the ``count`` parts that it is read in.

    ``size`` is about how many bytes there are to read.
    """

    log: str
    source: FoundLog
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
    """How logs are read: ``source`` is what the data source is told, its paths among it.

    ``payload`` is whether the table has what the records hold, ``decode`` whether it has in words
    what they mean.
    """

    source: SourceOptions
    payload: bool = False
    decode: bool = False

    def to_json(self) -> dict[str, Any]:
        """What the rows depend on besides the logs: when it differs, nothing is carried over."""
        return {
            "version": __version__,
            "payload": self.payload,
            "decode": self.decode,
            "max_payload": self.source.max_payload if self.payload or self.decode else 0,
            "context": {name: self.source.context(name) for name in FORMATS},
        }


@dataclass(frozen=True, slots=True)
class Task:
    """A unit and what a worker needs to do it. ``folder`` is the result that is being built."""

    unit: Unit
    folder: str
    options: Options
