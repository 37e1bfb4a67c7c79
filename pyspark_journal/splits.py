"""How logs become partitions: large ones in parts, small ones packed together."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from pyspark_journal.options import Options
from walproof.lake.discovery import FoundLog
from walproof.lake.opening import in_parts
from walproof.scan.model import WHOLE, Part


@dataclass(frozen=True)
class Piece:
    """A log, or a part of one. ``size`` is an estimate in bytes."""

    log: FoundLog
    part: Part
    size: int


def split_size(sizes: Sequence[int], options: Options) -> int:
    """Bytes of a partition, by the rule that Spark has for files (``FilePartition.maxSplitBytes``).

    There are enough partitions for all slots. None is larger than ``maxPartitionBytes``, and none
    is so small that opening its files costs more than reading them.
    """
    share = sum(size + options.open_cost for size in sizes) // options.slots
    return min(options.max_partition, max(options.open_cost, share))


def plan(logs: Sequence[FoundLog], options: Options) -> list[list[Piece]]:
    """The partitions. A faulty log does not stop the plan: its reader reports the fault."""
    target = split_size([log.size for log in logs], options)
    pieces = [piece for log in logs for piece in _pieces(log, target, options)]
    return pack(pieces, target, options.open_cost)


def pack(pieces: Sequence[Piece], target: int, open_cost: int) -> list[list[Piece]]:
    """Partitions of about ``target`` bytes, the largest pieces first, as Spark packs files."""
    packed: list[list[Piece]] = []
    room = 0
    for piece in sorted(pieces, key=lambda one: -one.size):
        if not packed or room < piece.size:
            packed.append([])
            room = target
        packed[-1].append(piece)
        room -= piece.size + open_cost
    return packed


def _pieces(log: FoundLog, target: int, options: Options) -> list[Piece]:
    whole = [Piece(log, WHOLE, log.size)]
    if log.fault is not None or log.size <= target:
        return whole
    try:
        log, parts = in_parts(log, options, target)
    except (OSError, ValueError):
        return whole
    if len(parts) < 2:
        return whole
    return [Piece(log, part, _size(log, part, len(parts))) for part in parts]


def _size(log: FoundLog, part: Part, parts: int) -> int:
    return log.size // parts if part.end is None else part.end - part.start
