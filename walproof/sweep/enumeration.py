"""Enumerate all changes that damage a control, alone and in pairs. Bytes are computed on demand."""

from __future__ import annotations

import itertools
from bisect import bisect_right
from collections.abc import Sequence
from random import Random
from typing import NamedTuple

from conformance.contents import Contents
from conformance.kaitai.field_map import Field
from conformance.recipes.algebra import Damage
from conformance.recipes.generate import sources
from walproof.formats import plugin_for
from walproof.sweep import folders, operations, shares
from walproof.sweep.controls import Control
from walproof.sweep.format_sweep import Edit
from walproof.sweep.operations import RESEAL, Change, Family, File

PAIR = "pair"
#: Operations that copy records from this log and from other logs.
IMPORTING = ("stale", "join")
#: Operation of the control without damage.
UNDAMAGED = "none"
#: Maximum number of pairs that are drawn for one number until two changes can be combined.
ATTEMPTS = 16
#: Maximum number of record lists to write, or to append to the undamaged log.
LISTS = 1 << 16

#: Maximum number of content bytes, evenly spaced, of which one bit is flipped.
CONTENT_FLIPS = 4096


class Recipe(NamedTuple):
    """A description of damage as operations of the damage algebra."""

    damage: tuple[str, ...]
    #: Source lines for a recipe in ``conformance/recipes``.
    calls: tuple[str, ...]


class DamagedLog(NamedTuple):
    """A damaged log, and the properties of its damage that the invariants depend on."""

    contents: Contents
    #: True if the damage may have moved, repeated, removed or replaced whole units.
    shifts: bool
    #: True if the damage recomputed a checksum or may have disabled a checksum.
    forges: bool


class Enumeration:
    """All ways to damage a control, each with a family and a number within the family.

    Equal arguments give the same numbers in every process. ``older`` contains logs that serve as
    older generations.
    """

    def __init__(
        self,
        control: Control,
        older: Sequence[Control],
        seed: int,
    ) -> None:
        self.control = control
        self._pairs_tell = plugin_for(control.format).sweep.pairs_tell
        first, *_ = control.files
        families = [Family(UNDAMAGED, [Change((), "nothing", ())], first)]
        for name, data in control.files.items():
            with_file = [other for other in older if other.files.get(name)]
            file = File(name, data, control.fields[name])
            families += _families(control, file, with_file)
        families += folders.families(control)
        self.families = [family for family in families if family.count]
        self.seed = seed
        self.pairs = Pairs(control, self.families, seed)
        self._ends = [0, *itertools.accumulate(family.count for family in self.families)]
        count = len(self.families)
        #: Numbers of three more families: pairs of changes, all single changes in one sequence, and
        #: the undamaged log with many lists of records to write.
        self.pair, self.any, self.lists = count, count + 1, count + 2

    def count(self, family: int) -> int:
        """Return the number of changes in a family."""
        if family < self.pair:
            return self.families[family].count
        return {self.pair: self.pairs.count, self.any: self._ends[-1]}.get(family, LISTS)

    def resolved(self, family: int, number: int) -> tuple[int, int]:
        """Return family and number of a change, with the real family in place of ``any``."""
        if family != self.any:
            return family, number
        index = bisect_right(self._ends, number) - 1
        return index, number - self._ends[index]

    def operation(self, family: int) -> str:
        """Return the name of the operation."""
        if family < self.pair:
            return self.families[family].operation
        return PAIR if family == self.pair else UNDAMAGED

    def group(self, family: int) -> str:
        """Return the group of the cases of a family in the control's own context."""
        if family == self.pair:
            return shares.PAIRS
        chosen = self.families[family]
        if chosen.on_folder:
            return shares.FOLDERS
        return shares.TRUNCATIONS if chosen.operation == "truncate" else shares.SINGLES

    def field(self, family: int, number: int) -> str:
        """Return the generic name of the damaged field; empty for a pair."""
        return "" if family >= self.pair else self.families[family].changes[number].field

    @property
    def imported(self) -> list[Control]:
        """Logs from which some changes copy bytes."""
        logs = {log.id: log for family in self.families for log in family.imported}
        return list(logs.values())

    def make(self, family: int, number: int) -> DamagedLog | None:
        """Return a damaged log; None if the two changes of a pair cannot be combined."""
        halves = self._halves(family, number)
        if halves is None:
            return None
        files = dict(self.control.files)
        for half, n in halves:
            half.apply(files, n)
        return DamagedLog(
            files[""] if isinstance(self.control.contents, bytes) else files,
            any(half.shifts for half, _ in halves),
            any(half.forges for half, _ in halves)
            or (family == self.pair and not self._pairs_tell),
        )

    def _halves(self, family: int, number: int) -> list[tuple[Family, int]] | None:
        if family == self.pair:
            return self.pairs.halves(number)
        if family == self.lists:
            return []
        return [(self.families[family], number)]

    def describe(self, family: int, number: int) -> Recipe:
        """Describe a change. Raises ``AssertionError`` if the description gives other bytes."""
        halves = self._halves(family, number)
        assert halves is not None, "the number has no valid pair"
        calls = [call for half, n in halves for call in half.changes[n].calls]
        damage = _aimed(self.control)
        for call in calls:
            call.apply(damage)
        log = self.make(family, number)
        assert log and damage.contents == log.contents, f"{damage.operations}: other bytes"
        return Recipe(tuple(damage.operations), tuple(map(str, calls)))


def _aimed(control: Control) -> Damage:
    """Return the format's damage algebra on a control, using its precomputed field maps."""
    (source,) = [each for each in sources() if each.book.format == control.format]
    damage = source.new_log(control.contents, [record.payload for record in control.records])
    by_path = {
        file: {field.path: field for field in (*of_file.all, *of_file.leaves)}
        for file, of_file in control.fields.items()
    }

    def field(path: str) -> Field:
        file, _, inner = path.rpartition(":")
        return by_path[file][inner]

    damage.field = field  # type: ignore[method-assign]
    return damage


def _families(control: Control, file: File, older: Sequence[Control]) -> list[Family]:
    """Return the families of one file; their order determines the numbers of cases."""
    content = file.fields.content
    content = content[:: max(1, -(-len(content) // CONTENT_FLIPS))]
    families = [Family("flip", operations.one_bit_flips(file, content), file.name)]
    for name, damages in operations.DAMAGES.items():
        changes = damages(file, older, f"{control.id}:{file.name}")
        imported = (control, *older) if name in IMPORTING else ()
        families.append(Family(name, operations.effective(file.data, changes), file.name, imported))
    resealed = operations.effective(file.data, operations.reseal(file, control.format))
    return [*families, Family(RESEAL, resealed, file.name, forges=True)]


# -- pairs -----------------------------------------------------------------------------------------


class Pairs:
    """Pairs of changes. Two families are drawn first, and then one change from each family."""

    def __init__(self, control: Control, families: Sequence[Family], seed: int) -> None:
        self.control = control
        self.families = [f for f in families if f.operation != UNDAMAGED]
        singles = sum(family.count for family in self.families)
        self.count = singles * (singles - 1) // 2
        self.seed = seed

    def halves(self, number: int) -> list[tuple[Family, int]] | None:
        """Return the changes of a pair in order of application; None if no drawn pair is valid."""
        chance = Random(f"{self.seed} {self.control.id} {number}")
        attempts = (self._drawn(chance) for _ in range(ATTEMPTS))
        return next((halves for halves in attempts if halves), None)

    def _drawn(self, chance: Random) -> list[tuple[Family, int]] | None:
        family, other = chance.choices(self.families, k=2)
        first = (family, chance.randrange(family.count))
        second = (other, chance.randrange(other.count))
        if first == second:
            return None
        if family.on_folder or other.on_folder:
            if family.touches(first[1]) & other.touches(second[1]):
                return None
            # Edits of bytes come first: they use the file names of the control.
            return [first, second] if other.on_folder else [second, first]
        if family.file != other.file:
            return [first, second]
        if family.forges and other.forges:
            return None  # each change would also reseal the other change
        edits = family.changes[first[1]].edits, other.changes[second[1]].edits
        orders = [_order(f, edit) for f, edit in zip((family, other), edits, strict=True)]
        if orders[1] < orders[0]:
            first, second = second, first
            edits, orders = (edits[1], edits[0]), [orders[1], orders[0]]
        # The second change was computed on the control, so the first must not affect its bytes.
        return None if _overlap(*edits) else [first, second]


_SEALING, _KEEPING, _RESIZING, _AT_THE_END = range(4)


def _order(family: Family, edits: Sequence[Edit]) -> tuple[int, int]:
    if family.forges:
        return (_SEALING, 0)
    lo, hi, new = edits[0]
    if lo < 0:
        return (_AT_THE_END, 0)
    return (_KEEPING, 0) if len(edits) > 1 or hi - lo == len(new) else (_RESIZING, -lo)


def _overlap(edits: Sequence[Edit], other_edits: Sequence[Edit]) -> bool:
    return any(lo < b_hi and b_lo < hi for lo, hi, _ in edits for b_lo, b_hi, _ in other_edits)
