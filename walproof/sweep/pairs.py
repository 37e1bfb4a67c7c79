"""Two damages to one log: sampled, as there are far too many to have them all."""

from __future__ import annotations

from collections.abc import Sequence

from walproof.sweep.controls import Control
from walproof.sweep.folders import OnFolder
from walproof.sweep.format_sweep import Edit
from walproof.sweep.operations import Family, Intact

PAIR = "pair"
ATTEMPTS = 16
"""Pairs that are drawn for one number until two damages mix."""


class Pairs:
    """Pairs of damages: first an operation each, then one of its damages each."""

    def __init__(self, control: Control, families: Sequence[Family], seed: int) -> None:
        self.control = control
        self.families = [f for f in families if not isinstance(f, Intact)]
        singles = sum(family.count for family in self.families)
        self.count = singles * (singles - 1) // 2
        self.seed = mixed(seed ^ int.from_bytes(control.id.encode()[-8:], "little"))

    def halves(self, number: int) -> list[tuple[Family, int]] | None:
        """The two damages in the order in which they are done; None where none were found."""
        for attempt in range(ATTEMPTS):
            if found := self._drawn(mixed(self.seed + number * ATTEMPTS + attempt)):
                return found
        return None

    def _drawn(self, chance: int) -> list[tuple[Family, int]] | None:
        """Two damages that mix, or None."""
        families = self.families
        one, other = families[chance % len(families)], families[(chance >> 16) % len(families)]
        chance = mixed(chance)
        first = (one, (chance & 0xFFFFFFFF) % one.count)
        second = (other, (chance >> 32) % other.count)
        if first == second:
            return None
        if isinstance(one, OnFolder) or isinstance(other, OnFolder):
            if one.touches(first[1]) & other.touches(second[1]):
                return None
            # What happens to bytes comes first: it needs the names of the control.
            return [first, second] if isinstance(other, OnFolder) else [second, first]
        if one.file != other.file:
            return [first, second]
        if one.forges and other.forges:
            return None  # each would seal what the other changed
        edits = one.edits(first[1]), other.edits(second[1])
        orders = [_order(family, edit) for family, edit in zip((one, other), edits, strict=True)]
        if orders[1] < orders[0]:
            first, second = second, first
            edits, orders = (edits[1], edits[0]), [orders[1], orders[0]]
        # What is aimed at the control must not be aimed at bytes that have changed.
        return None if _overlap(*edits) else [first, second]


_SEALING, _KEEPING, _RESIZING, _AT_THE_END = range(4)


def _order(family: Family, edits: Sequence[Edit]) -> tuple[int, int]:
    """What is sealed first, then what keeps the length, then from the back to the front, then
    what is appended."""
    if family.forges:
        return (_SEALING, 0)
    lo, hi, new = edits[0]
    if lo < 0:
        return (_AT_THE_END, 0)
    return (_KEEPING, 0) if len(edits) > 1 or hi - lo == len(new) else (_RESIZING, -lo)


def _overlap(one: Sequence[Edit], other: Sequence[Edit]) -> bool:
    return any(lo < b_hi and b_lo < hi for lo, hi, _ in one for b_lo, b_hi, _ in other)


def mixed(value: int) -> int:
    """A number that looks random, from a number (splitmix64): no state, the same everywhere."""
    value = (value + 0x9E3779B97F4A7C15) & 0xFFFFFFFFFFFFFFFF
    value = ((value ^ value >> 30) * 0xBF58476D1CE4E5B9) & 0xFFFFFFFFFFFFFFFF
    value = ((value ^ value >> 27) * 0x94D049BB133111EB) & 0xFFFFFFFFFFFFFFFF
    return value ^ value >> 31
