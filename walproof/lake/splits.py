"""How logs become partitions: large ones in parts, small ones packed together."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TypeVar

from walproof.lake.discovery import FoundLog
from walproof.lake.opening import in_parts
from walproof.lake.options import Options
from walproof.scan.model import WHOLE, Part


@dataclass(frozen=True)
class Piece:
    """A log, or a part of one. ``size`` is an estimate in bytes."""

    log: FoundLog
    part: Part
    size: int


AnyPiece = TypeVar("AnyPiece", bound=Piece)


@dataclass(frozen=True)
class Packing:
    """How large partitions are.

    There are at least ``slots`` of them where there is enough to read. None is larger than
    ``max_bytes``, as far as the format can be split there. ``open_cost_bytes`` is what opening a
    log costs, in bytes that could be read instead.
    """

    slots: int
    max_bytes: int = 32 << 20
    open_cost_bytes: int = 64 << 10

    def target_bytes(self, sizes: Sequence[int]) -> int:
        """Return the size of a partition, by the rule that Spark has for files.

        It is ``FilePartition.maxSplitBytes``: no partition is so small that opening its files costs
        more than reading them.
        """
        share = sum(size + self.open_cost_bytes for size in sizes) // self.slots
        return min(self.max_bytes, max(self.open_cost_bytes, share))

    def pack(self, pieces: Sequence[AnyPiece], target_bytes: int) -> list[list[AnyPiece]]:
        """Return partitions of about ``target_bytes``, the largest pieces first, as Spark does."""
        packed: list[list[AnyPiece]] = []
        room = 0
        for piece in sorted(pieces, key=lambda piece: -piece.size):
            if not packed or room < piece.size:
                packed.append([])
                room = target_bytes
            packed[-1].append(piece)
            room -= piece.size + self.open_cost_bytes
        return packed


def plan(logs: Sequence[FoundLog], options: Options, packing: Packing) -> list[list[Piece]]:
    """Return the partitions. A faulty log does not stop the plan: its reader reports the fault."""
    target = packing.target_bytes([log.size for log in logs])
    return packing.pack([piece for log in logs for piece in cut(log, target, options)], target)


def cut(log: FoundLog, target_bytes: int, options: Options) -> list[Piece]:
    """Return a log as pieces in log order: a large one in parts, where its format can be split."""
    whole = [Piece(log, WHOLE, log.size)]
    if log.fault is not None or log.size <= target_bytes:
        return whole
    try:
        log, parts = in_parts(log, options, target_bytes)
    except Exception:
        return whole  # reading it reports what is wrong
    if len(parts) < 2:
        return whole
    return [Piece(log, part, _size(log, part, len(parts))) for part in parts]


def _size(log: FoundLog, part: Part, parts: int) -> int:
    return log.size // parts if part.end is None else part.end - part.start
