"""Divide logs into partitions: split large logs, group small ones."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import TypeVar

from reference_impl.formats import UnknownFormat
from walproof.lake.discovery import FoundLog
from walproof.lake.opening import opened
from walproof.lake.options import Options
from walproof.lake.trees import is_local
from walproof.log import Log
from walproof.scanners import reads_ranges, scanner
from walproof.scanners.model import WHOLE, Event, Part, Wanted

#: Number of bytes that can be read in the time that it takes to open a log.
OPEN_COST_BYTES = 64 << 10


@dataclass(frozen=True)
class Piece:
    """A log, or a part of a log. ``size`` is an estimate in bytes."""

    log: FoundLog
    part: Part
    size: int

    @property
    def origin(self) -> tuple[str | None, int]:
        """The file and offset at which the piece begins."""
        return self.part.file, self.part.start

    @property
    def epoch(self) -> int:
        """The number of times that a stream has restarted from the beginning of the log."""
        return 0

    def scan(self, log: Log, wanted: Wanted) -> Iterator[Event]:
        """Yield the events of the piece. Raises ``OSError`` and the errors of the scanner."""
        return scanner(log.format).scan(log, wanted, self.part)


AnyPiece = TypeVar("AnyPiece", bound=Piece)


@dataclass(frozen=True)
class Packing:
    """Limits for partitions: there are at least ``slots``, each of at most ``max_bytes`` bytes.

    A log that cannot be split may exceed ``max_bytes``.
    """

    slots: int
    max_bytes: int = 32 << 20

    def target_bytes(self, sizes: Sequence[int]) -> int:
        """Return the size of a partition, computed like Spark's ``FilePartition.maxSplitBytes``."""
        share = sum(size + OPEN_COST_BYTES for size in sizes) // self.slots
        return min(self.max_bytes, max(OPEN_COST_BYTES, share))

    def pack(self, pieces: Sequence[AnyPiece], target_bytes: int) -> list[list[AnyPiece]]:
        """Return partitions of about ``target_bytes``, largest pieces first, as Spark does."""
        packed: list[list[AnyPiece]] = []
        room = 0
        for piece in sorted(pieces, key=lambda piece: -piece.size):
            if not packed or room < piece.size:
                packed.append([])
                room = target_bytes
            packed[-1].append(piece)
            room -= piece.size + OPEN_COST_BYTES
        return packed


def cut(log: FoundLog, target_bytes: int, options: Options) -> list[Piece]:
    """Return a log as pieces in log order. A large log is split if its format allows it."""
    parts: Sequence[Part] = [WHOLE]
    if log.fault is None and log.size > target_bytes:
        # Ignore errors here, because the reader reports the same errors later.
        with (
            contextlib.suppress(OSError, UnknownFormat),
            opened(log, options) as source,
        ):
            # Do not split other remote logs, because each part would need a local copy of the whole
            # log.
            if is_local(log.path) or reads_ranges(source.format):
                parts = scanner(source.format).plan(source, target_bytes)
            log = replace(log, format=source.format, context=source.context)
    return [
        Piece(log, part, log.size // len(parts) if part.end is None else part.end - part.start)
        for part in parts
    ]
