"""The damage algebra as families of numbered damages of one file.

A family makes its damages twice: as edits, which are quick, and by the operations of
``conformance.recipes.algebra``, which give the words of a vector. Describing a damage checks that
both make the same bytes.
"""

from __future__ import annotations

import functools
import random
from abc import ABC, abstractmethod
from collections import defaultdict
from collections.abc import Callable, Iterator, Sequence
from operator import methodcaller

from conformance.kaitai.field_map import Field
from conformance.recipes.algebra import Damage
from walproof.formats import plugin_for
from walproof.sweep.fields import FieldsOfFile, generic, leaf_name
from walproof.sweep.format_sweep import Edit, Seal

TO_THE_END = 1 << 62
"""``hi`` of an edit that takes whatever follows, also what another damage put there."""

SHIFTING = frozenset({"swap-sectors", "stale", "duplicate", "drop", "insert", "splice"})
"""Operations that repeat, drop, reorder or replace whole units, or move them: a format without
sequence numbers cannot tell (spec/conventions.md, "Invariants")."""

MAX_SPLICES = 40
"""Pairs of like fields that are spliced, at most, for each kind of field."""

MAX_BOUNDARIES = 512
"""Offsets of one file where bytes are inserted and older bytes begin, at most."""

RESEAL = "reseal"
"""Damage under a checksum that holds: a field is changed, and the checksum is made to match.

Single faults end at the checksum, so that a reader's work after it is never seen. These are
``flip`` or ``set``, then the ``reseal`` of the format's recipes.
"""

Operation = Callable[[Damage], None]
"""One operation of the algebra, on the damage that it is given."""

OVERWRITING = frozenset({"set", "zero", "fill", RESEAL})
"""Operations that write a value to a field."""

_BYTES = [bytes([value]) for value in range(256)]


class Family(ABC):
    """The damages of one operation on one file of a control, numbered from 0."""

    operation: str
    others: Sequence[bytes] = ()
    """Payloads of other logs whose bytes come in."""
    forges = False
    """Whether checksums are made to match: then nothing tells what was written."""

    def __init__(self, data: bytes, fields: FieldsOfFile, file: str, count: int) -> None:
        self.data = data
        self.fields = fields
        self.file = file
        self.count = count

    @functools.cached_property
    def shifts(self) -> bool:
        """Whether whole units may be repeated, dropped, moved or replaced: see ``SHIFTING``."""
        return self.operation in SHIFTING or bool(self.others)

    @abstractmethod
    def edits(self, number: int) -> Sequence[Edit]:
        """What changes in the file."""

    def apply(self, files: dict[str, bytes], number: int) -> None:
        """Do it to the files of a log."""
        files[self.file] = applied(files[self.file], self.edits(number))

    def touches(self, number: int) -> frozenset[str]:
        """The names of the files that change, appear or disappear."""
        return frozenset({self.file})

    @abstractmethod
    def perform(self, number: int, damage: Damage) -> None:
        """The same by the algebra."""

    @abstractmethod
    def field(self, number: int) -> str:
        """Generic name of the field that is hit."""

    def value(self, number: int) -> str:
        """Return the name of the value that a field gets, if programs often treat it apart."""
        return edge_name(self.edits(number)[0][2]) if self.operation in OVERWRITING else ""

    def named(self, path: str) -> str:
        """A field path as the algebra takes it."""
        return f"{self.file}:{path}" if self.file else path

    def by_hand(self, number: int, damage: Damage, text: str) -> None:
        """For bytes that the algebra has no name for."""
        data = damage.files[self.file]
        for lo, hi, new in self.edits(number):
            data[lo:hi] = new
        damage.did(text + (f" in {self.file}" if self.file else ""))


class Truncate(Family):
    """Every prefix, from ``first`` bytes on."""

    operation = "truncate"

    def __init__(self, data: bytes, fields: FieldsOfFile, file: str, first: int = 0) -> None:
        super().__init__(data, fields, file, len(data) - first)
        self.first = first

    def edits(self, number: int) -> Sequence[Edit]:
        """See :class:`Family`."""
        return ((self.first + number, TO_THE_END, b""),)

    def perform(self, number: int, damage: Damage) -> None:
        """See :class:`Family`."""
        damage.truncate(self.first + number, self.file)

    def field(self, number: int) -> str:
        """See :class:`Family`."""
        return self.fields.name_at(self.first + number)


class Flip(Family):
    """Every bit of some bytes, or one bit of each: ``bits`` is 8 or 1."""

    operation = "flip"

    def __init__(
        self, data: bytes, fields: FieldsOfFile, file: str, offsets: Sequence[int], bits: int
    ) -> None:
        super().__init__(data, fields, file, len(offsets) * bits)
        self.offsets = offsets
        self.bits = bits

    def _where(self, number: int) -> tuple[int, int]:
        if self.bits == 8:
            return self.offsets[number >> 3], number & 7
        at = self.offsets[number]
        return at, at & 7

    def edits(self, number: int) -> Sequence[Edit]:
        """See :class:`Family`."""
        at, bit = self._where(number)
        return ((at, at + 1, _BYTES[self.data[at] ^ 1 << bit]),)

    def perform(self, number: int, damage: Damage) -> None:
        """See :class:`Family`."""
        at, bit = self._where(number)
        field = self.fields.at(at)
        if field is None:
            self.by_hand(number, damage, f"flip bit {bit} of byte {at}")
        else:
            damage.flip(self.named(field.path), 8 * (at - field.start) + bit)

    def field(self, number: int) -> str:
        """See :class:`Family`."""
        return self.fields.name_at(self._where(number)[0])


class Listed(Family):
    """Damages of one operation that are listed one by one."""

    def __init__(self, operation: str, data: bytes, fields: FieldsOfFile, file: str) -> None:
        super().__init__(data, fields, file, 0)
        self.operation = operation
        self._edits: list[Sequence[Edit]] = []
        self._operations: list[Sequence[Operation]] = []
        self._fields: list[str] = []

    def add(self, edits: Sequence[Edit], field: str, *operations: Operation) -> None:
        """Add a damage, unless it changes nothing."""
        if all(lo >= 0 and self.data[lo:hi] == new for lo, hi, new in edits):
            return
        self._edits.append(edits)
        self._operations.append(operations)
        self._fields.append(field)
        self.count += 1

    def edits(self, number: int) -> Sequence[Edit]:
        """See :class:`Family`."""
        return self._edits[number]

    def perform(self, number: int, damage: Damage) -> None:
        """See :class:`Family`."""
        for operation in self._operations[number]:
            operation(damage)

    def field(self, number: int) -> str:
        """See :class:`Family`."""
        return self._fields[number]


class Intact(Family):
    """No damage at all: the control as it is."""

    operation = "none"

    def edits(self, number: int) -> Sequence[Edit]:
        """See :class:`Family`."""
        return ()

    def perform(self, number: int, damage: Damage) -> None:
        """See :class:`Family`."""

    def field(self, number: int) -> str:
        """See :class:`Family`."""
        return "nothing"


def applied(data: bytes, edits: Sequence[Edit]) -> bytes:
    """The bytes after some edits."""
    for lo, hi, new in edits:
        data = data[:lo] + new + data[hi:] if lo >= 0 else data + new
    return data


def set_values(family: Listed, every_value: bool) -> None:
    """Structural fields at the edges of what they can hold; or each of their bytes at any value."""
    structural = set(family.fields.structural)
    for field in family.fields.leaves:
        if field.start not in structural:
            continue
        old = family.data[field.start : field.end]
        values = edge_values(old) if len(old) <= 8 else [bytes(len(old)), b"\xff" * len(old)]
        if every_value:
            values += [
                old[:at] + _BYTES[value] + old[at + 1 :]
                for at in range(len(old))
                for value in range(256)
            ]
        path = family.named(field.path)
        for new in dict.fromkeys(values):
            edit = (field.start, field.end, new)
            family.add((edit,), generic(field.path), methodcaller("set", path, new))


def edge_values(old: bytes) -> list[bytes]:
    """Zero, all ones, the largest and smallest signed number, one more, one less; either order."""
    width = len(old)
    top = 1 << 8 * width - 1
    values = [0, 2 * top - 1, top, top - 1, 1]
    edges = []
    for order in ("little", "big"):
        now = int.from_bytes(old, order)
        for value in (*values, now + 1, now - 1):
            edges.append((value % (2 * top)).to_bytes(width, order))
    return edges


def edge_name(data: bytes) -> str:
    """Return a name for bytes that programs often treat apart; empty for any others."""
    if not data:
        return ""
    if not any(data):
        return "00"
    ends = {data, data[::-1]}
    if data == b"\xff" * len(data):
        return "ff"
    if b"\x7f" + b"\xff" * (len(data) - 1) in ends:
        return "7fff"
    return "8000" if b"\x80" + bytes(len(data) - 1) in ends else ""


def zero_and_fill(zero: Listed, fill: Listed) -> None:
    """Whole fields, those with parts too."""
    for field in zero.fields.all:
        path, length = zero.named(field.path), field.end - field.start
        name = generic(field.path)
        zero.add(((field.start, field.end, bytes(length)),), name, methodcaller("zero", path))
        ones = (field.start, field.end, b"\xff" * length)
        fill.add((ones,), name, methodcaller("fill", path, 0xFF))


def sectors(zero: Listed, swap: Listed, sizes: Sequence[int]) -> None:
    """Sectors that were never written, and pairs of misdirected writes."""
    data, file = zero.data, zero.file
    for sector in sizes:
        for n in range(-(-len(data) // sector)):
            lo, hi = n * sector, min((n + 1) * sector, len(data))
            zero.add(
                ((lo, hi, bytes(hi - lo)),),
                f"a sector of {sector} bytes",
                methodcaller("zero_sector", n, sector, file),
            )
        whole = len(data) // sector
        for a in range(whole):
            for b in range(a + 1, whole):
                first, second = a * sector, b * sector
                swap.add(
                    (
                        (first, first + sector, data[second : second + sector]),
                        (second, second + sector, data[first : first + sector]),
                    ),
                    f"sectors of {sector} bytes",
                    methodcaller("swap_sectors", a, b, sector, file),
                )


# -- moved, repeated or replaced -------------------------------------------------------------------


def duplicate_and_drop(duplicate: Listed, drop: Listed) -> None:
    """Whole fields written twice, or missing."""
    for field in duplicate.fields.all:
        path, name = duplicate.named(field.path), generic(field.path)
        copy = duplicate.data[field.start : field.end]
        duplicate.add(((field.end, field.end, copy),), name, methodcaller("duplicate", path))
        drop.add(((field.start, field.end, b""),), name, methodcaller("drop", path))


def splice(family: Listed) -> None:
    """One field over another of its kind: neighbours, and the first and the last."""
    by_name: defaultdict[str, list[Field]] = defaultdict(list)
    for field in family.fields.all:
        by_name[generic(field.path)].append(field)
    for name, fields in by_name.items():
        pairs = [(0, len(fields) - 1), (len(fields) - 1, 0)]
        for n in range(len(fields) - 1):
            pairs += [(n, n + 1), (n + 1, n)]
        for over, under in dict.fromkeys(pairs[:MAX_SPLICES]):
            target, source = fields[over], fields[under]
            new = family.data[source.start : source.end]
            path, what = family.named(target.path), family.named(source.path)
            edit = (target.start, target.end, new)
            family.add((edit,), name, methodcaller("splice", path, new, what))


def insert(family: Listed, seed: str) -> None:
    """Bytes in front of fields; what follows moves up."""
    garbage = random.Random(seed).randbytes(13)
    news = [b"\0", b"\xff", bytes(7), garbage[:4], garbage]
    file = family.file
    for at in boundaries(family):
        for new in news:
            insertion = methodcaller("insert", at, new, None, file)
            family.add(((at, at, new),), family.fields.name_at(at), insertion)


def stale(family: Listed, older: Sequence[tuple[str, bytes]], sizes: Sequence[int]) -> None:
    """Sectors of an older generation of the file, and its bytes from some place on."""
    size, file = len(family.data), family.file
    for _, bytes_then in older:
        ranges = [
            (n * sector, min((n + 1) * sector, size))
            for sector in sizes
            for n in range(-(-size // sector))
        ]
        tails = [(at, size) for at in boundaries(family)]
        for lo, hi in dict.fromkeys(ranges + tails):
            if len(bytes_then) <= lo:
                continue
            family.add(
                ((lo, hi, bytes_then[lo:hi]),),
                family.fields.name_at(lo),
                methodcaller("stale", lo, hi, bytes_then, file),
            )


def extend(family: Listed, seed: str) -> None:
    """Preallocated space, a torn write of garbage."""
    garbage = random.Random(seed).randbytes(64)
    news = [(bytes(n), f"{n} zeros") for n in (*range(1, 17), 512, 4096)]
    news += [(b"\xff" * n, f"{n} times ff") for n in (*range(1, 9), 512)]
    news += [(garbage[:n], f"garbage of {n} bytes") for n in range(1, 65)]
    append(family, news)


def extend_by_logs(family: Listed, older: Sequence[tuple[str, bytes]]) -> None:
    """Another log after the end, or the same one once more."""
    news = [(family.data, "a copy of itself")]
    append(family, news + [(data, f"the bytes of {name}") for name, data in older])


def append(family: Listed, news: Sequence[tuple[bytes, str]]) -> None:
    """Add an extension for each of these bytes, with what they are."""
    for new, what in news:
        extension = methodcaller("extend", new, what, family.file)
        family.add(((-1, -1, new),), "the end", extension)


def boundaries(family: Listed) -> list[int]:
    """Where fields begin; of a file with very many, some evenly."""
    starts = sorted({0, *(field.start for field in family.fields.all), family.fields.size})
    return starts[:: -(-len(starts) // MAX_BOUNDARIES)]


# -- under a checksum that holds -------------------------------------------------------------------


def reseal(family: Listed, format: str) -> None:
    """Each bit, the edges and for single bytes each value of structural fields, then reseal."""
    structural = set(family.fields.structural)
    for seal in plugin_for(format).sweep.seals:
        if family.file and not seal.in_folders:
            continue
        units = [field for field in family.fields.all if generic(field.path) == seal.unit]
        for unit in units:
            if not seal.is_there(family.data, unit):
                continue
            for leaf in family.fields.leaves:
                inside = unit.start <= leaf.start and leaf.end <= unit.end
                if inside and leaf.start in structural and leaf_name(leaf.path) != "checksum":
                    _leaf(family, seal, unit, leaf)


def _leaf(family: Listed, seal: Seal, unit: Field, leaf: Field) -> None:
    data, file = family.data, family.file
    path, unit_path = family.named(leaf.path), family.named(unit.path)
    for new, change in _changes(data[leaf.start : leaf.end], path):
        changed = data[: leaf.start] + new + data[leaf.end :]
        right = seal.edit(changed, unit, family.fields.all)
        if right[1] > len(data) or changed[right[0] : right[1]] == right[2]:
            continue  # nothing that the checksum covers

        reseal = functools.partial(_reseal, seal, unit_path, file)
        family.add(((leaf.start, leaf.end, new), right), generic(leaf.path), change, reseal)


def _reseal(seal: Seal, path: str, file: str, damage: Damage) -> None:
    seal.reseal(damage, path, file)


def _changes(old: bytes, path: str) -> Iterator[tuple[bytes, Operation]]:
    seen = {old}
    for bit in range(8 * len(old)):
        new = bytearray(old)
        new[bit // 8] ^= 1 << bit % 8
        seen.add(bytes(new))
        yield bytes(new), methodcaller("flip", path, bit)
    values = [bytes([value]) for value in range(256)] if len(old) == 1 else []
    if len(old) <= 8:
        values += edge_values(old)
    for value in dict.fromkeys(values):
        if value not in seen:
            yield value, methodcaller("set", path, value)
