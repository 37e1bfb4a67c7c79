"""Where the bytes of a log differ from those of its control."""

from __future__ import annotations

from dataclasses import dataclass, field

_PIECE = 4096
MOST = 400
"""Ranges that are told apart; what follows them is one."""


@dataclass(frozen=True)
class Changes:
    """``ranges`` are half-open and hold what is not as in the control.

    ``gone`` bytes of the control are missing before the offset ``gone_at``.
    """

    ranges: list[tuple[int, int]] = field(default_factory=list)
    gone: int = 0
    gone_at: int = 0

    def __bool__(self) -> bool:
        return bool(self.ranges or self.gone)


def changes(old: bytes, new: bytes) -> Changes:
    """How ``new`` differs from ``old``: byte by byte where both are as long, else as one place."""
    if old == new:
        return Changes()
    if len(old) == len(new):
        return Changes(_differing(old, new))
    start = _alike(old, new)
    most = min(len(old), len(new)) - start
    end = _alike(old[::-1], new[::-1], most)
    ranges = [(start, len(new) - end)] if start < len(new) - end else []
    gone = len(old) - end - start
    return Changes(ranges, gone, start) if gone else Changes(ranges)


def _differing(old: bytes, new: bytes) -> list[tuple[int, int]]:
    ranges: list[tuple[int, int]] = []
    for base in range(0, len(old), _PIECE):
        one, other = old[base : base + _PIECE], new[base : base + _PIECE]
        if one == other:
            continue
        for at, (x, y) in enumerate(zip(one, other, strict=True), base):
            if x == y:
                continue
            if ranges and (ranges[-1][1] == at or len(ranges) == MOST):
                ranges[-1] = (ranges[-1][0], at + 1)
            else:
                ranges.append((at, at + 1))
    return ranges


def _alike(old: bytes, new: bytes, most: int | None = None) -> int:
    """How many bytes at the start are the same, at most ``most``."""
    end = min(len(old), len(new)) if most is None else most
    at = 0
    while at < end and old[at : min(at + _PIECE, end)] == new[at : min(at + _PIECE, end)]:
        at = min(at + _PIECE, end)
    while at < end and old[at] == new[at]:
        at += 1
    return at
