"""The damage algebra as families of numbered damages of one file.

Each family implements its damages twice: as fast edits, and as operations of
``conformance.recipes.algebra``, from which a vector can be written. When a damage is described,
both must produce the same bytes.
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
from walproof.sweep.controls import Control
from walproof.sweep.fields import FieldsOfFile, generic, leaf_name
from walproof.sweep.format_sweep import Edit, Seal

#: ``hi`` of an edit that includes everything after ``lo``, even bytes that another damage added.
TO_THE_END = 1 << 62

#: Operations that repeat, drop, reorder, replace or move whole units, which a format without
#: sequence numbers cannot detect (spec/conventions.md, "Invariants").
SHIFTING = frozenset({"swap-sectors", "stale", "duplicate", "drop", "insert", "splice"})

#: Maximum number of spliced pairs for each field name.
MAX_SPLICES = 40

#: Maximum number of offsets in a file where bytes are inserted and older bytes begin.
MAX_BOUNDARIES = 512

#: Change a field with ``flip`` or ``set``, then recompute the checksum that covers it. Without
#: this, a checksum hides every single fault from the code that runs after it.
RESEAL = "reseal"

#: One operation of the algebra; it changes the damage that it gets.
Operation = Callable[[Damage], None]

#: Operations that write a value to a field.
OVERWRITING = frozenset({"set", "zero", "fill", RESEAL})

_BYTES = [bytes([value]) for value in range(256)]


class Family(ABC):
    """The damages of one operation on one file of a control, numbered from 0.

    ``imported`` are logs from which the damages copy bytes. If ``forges`` is true, the operation
    recomputes checksums, so its changes cannot be detected.
    """

    operation: str
    imported: Sequence[Control] = ()
    forges = False

    def __init__(self, data: bytes, fields: FieldsOfFile, file: str, count: int) -> None:
        self.data = data
        self.fields = fields
        self.file = file
        self.count = count

    @functools.cached_property
    def shifts(self) -> bool:
        """True if the damages may repeat, drop, move or replace whole units; see ``SHIFTING``."""
        return self.operation in SHIFTING or bool(self.imported)

    @abstractmethod
    def edits(self, number: int) -> Sequence[Edit]:
        """Return the changes to the file."""

    def apply(self, files: dict[str, bytes], number: int) -> None:
        """Apply the edits to the files of a log."""
        files[self.file] = applied(files[self.file], self.edits(number))

    def touches(self, number: int) -> frozenset[str]:
        """Return the names of the files that change, appear or disappear."""
        return frozenset({self.file})

    @abstractmethod
    def perform(self, number: int, damage: Damage) -> None:
        """Apply the same change with the operations of the algebra."""

    @abstractmethod
    def field(self, number: int) -> str:
        """Return the generic name of the field that is hit."""

    def value(self, number: int) -> str:
        """Return the name of the value written to a field, if programs often give it a special
        meaning.
        """
        return edge_name(self.edits(number)[0][2]) if self.operation in OVERWRITING else ""

    def named(self, path: str) -> str:
        """Return a field path as the algebra expects it."""
        return f"{self.file}:{path}" if self.file else path

    def by_hand(self, number: int, damage: Damage, text: str) -> None:
        """Apply the edits directly, for bytes that the algebra has no name for."""
        data = damage.files[self.file]
        for lo, hi, new in self.edits(number):
            data[lo:hi] = new
        damage.did(text + (f" in {self.file}" if self.file else ""))


class Truncate(Family):
    """Every prefix of at least ``first`` bytes."""

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
    """Flips at some offsets: all 8 bits of each byte, or one if ``bits`` is 1."""

    operation = "flip"

    def __init__(
        self, data: bytes, fields: FieldsOfFile, file: str, offsets: Sequence[int], bits: int
    ) -> None:
        super().__init__(data, fields, file, len(offsets) * bits)
        self.offsets = offsets
        self.bits = bits

    def _position(self, number: int) -> tuple[int, int]:
        if self.bits == 8:
            return self.offsets[number >> 3], number & 7
        at = self.offsets[number]
        return at, at & 7

    def edits(self, number: int) -> Sequence[Edit]:
        """See :class:`Family`."""
        at, bit = self._position(number)
        return ((at, at + 1, _BYTES[self.data[at] ^ 1 << bit]),)

    def perform(self, number: int, damage: Damage) -> None:
        """See :class:`Family`."""
        at, bit = self._position(number)
        field = self.fields.at(at)
        if field is None:
            self.by_hand(number, damage, f"flip bit {bit} of byte {at}")
        else:
            damage.flip(self.named(field.path), 8 * (at - field.start) + bit)

    def field(self, number: int) -> str:
        """See :class:`Family`."""
        return self.fields.name_at(self._position(number)[0])


class Listed(Family):
    """Damages of one operation, in a list."""

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
    """The undamaged control."""

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
    """Return the data after some edits."""
    for lo, hi, new in edits:
        data = data[:lo] + new + data[hi:] if lo >= 0 else data + new
    return data


def set_values(family: Listed, every_value: bool) -> None:
    """Set structural fields to edge values; with ``every_value``, also each of their bytes to any
    value.
    """
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
    """Return zero, all ones, the extreme signed numbers, 1, and the old value ± 1, in both byte
    orders.
    """
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
    """Return a name for a value to which programs often give a special meaning, or ""."""
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
    """Fill whole fields, including composite fields, with zeros and with ff."""
    for field in zero.fields.all:
        path, length = zero.named(field.path), field.end - field.start
        name = generic(field.path)
        zero.add(((field.start, field.end, bytes(length)),), name, methodcaller("zero", path))
        ones = (field.start, field.end, b"\xff" * length)
        fill.add((ones,), name, methodcaller("fill", path, 0xFF))


def sectors(zero: Listed, swap: Listed, sizes: Sequence[int]) -> None:
    """Zero each sector, and swap each pair of sectors."""
    data, file = zero.data, zero.file
    for sector in sizes:
        for n in range(-(-len(data) // sector)):
            lo, hi = n * sector, min((n + 1) * sector, len(data))
            zero.add(
                ((lo, hi, bytes(hi - lo)),),
                f"a sector of {sector} bytes",
                methodcaller("zero_sector", n, sector, file),
            )
        full = len(data) // sector
        for a in range(full):
            for b in range(a + 1, full):
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
    """Duplicate or drop whole fields."""
    for field in duplicate.fields.all:
        path, name = duplicate.named(field.path), generic(field.path)
        copy = duplicate.data[field.start : field.end]
        duplicate.add(((field.end, field.end, copy),), name, methodcaller("duplicate", path))
        drop.add(((field.start, field.end, b""),), name, methodcaller("drop", path))


def splice(family: Listed) -> None:
    """Copy fields over others of the same name: neighbours, and the first and the last."""
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
            path, source_path = family.named(target.path), family.named(source.path)
            edit = (target.start, target.end, new)
            family.add((edit,), name, methodcaller("splice", path, new, source_path))


def insert(family: Listed, seed: str) -> None:
    """Insert bytes before fields; the following bytes move."""
    garbage = random.Random(seed).randbytes(13)
    news = [b"\0", b"\xff", bytes(7), garbage[:4], garbage]
    file = family.file
    for at in boundaries(family):
        for new in news:
            insertion = methodcaller("insert", at, new, None, file)
            family.add(((at, at, new),), family.fields.name_at(at), insertion)


def stale(family: Listed, older: Sequence[tuple[str, bytes]], sizes: Sequence[int]) -> None:
    """Replace sectors, or the rest of the file, with bytes of an older generation."""
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
    """Extend the log by preallocated space, or by the garbage of a torn write."""
    garbage = random.Random(seed).randbytes(64)
    news = [(bytes(n), f"{n} zeros") for n in (*range(1, 17), 512, 4096)]
    news += [(b"\xff" * n, f"{n} bytes of ff") for n in (*range(1, 9), 512)]
    news += [(garbage[:n], f"garbage of {n} bytes") for n in range(1, 65)]
    append(family, news)


def extend_by_logs(family: Listed, older: Sequence[tuple[str, bytes]]) -> None:
    """Append another log, or a copy of the log itself."""
    news = [(family.data, "a copy of itself")]
    append(family, news + [(data, f"the bytes of {name}") for name, data in older])


def append(family: Listed, news: Sequence[tuple[bytes, str]]) -> None:
    """Add an extension for each of these contents, with its description."""
    for new, description in news:
        extension = methodcaller("extend", new, description, family.file)
        family.add(((-1, -1, new),), "the end", extension)


def boundaries(family: Listed) -> list[int]:
    """Return the start offsets of fields; an even selection if there are very many."""
    starts = sorted({0, *(field.start for field in family.fields.all), family.fields.size})
    return starts[:: -(-len(starts) // MAX_BOUNDARIES)]


# -- under a checksum that holds -------------------------------------------------------------------


def reseal(family: Listed, format: str) -> None:
    """Change the structural fields under each checksum, then recompute the checksum.

    The operation flips each bit and writes each edge value. For single bytes, it writes each value.
    """
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
                if inside and leaf.start in structural and "checksum" not in leaf_name(leaf.path):
                    _leaf(family, seal, unit, leaf)


def _leaf(family: Listed, seal: Seal, unit: Field, leaf: Field) -> None:
    data, file = family.data, family.file
    path, unit_path = family.named(leaf.path), family.named(unit.path)
    for new, change in _changes(data[leaf.start : leaf.end], path):
        changed = data[: leaf.start] + new + data[leaf.end :]
        resealed = seal.edit(changed, unit, family.fields.all)
        if resealed[1] > len(data) or changed[resealed[0] : resealed[1]] == resealed[2]:
            continue  # the checksum does not cover the field

        reseal = functools.partial(_reseal, seal, unit_path, file)
        family.add(((leaf.start, leaf.end, new), resealed), generic(leaf.path), change, reseal)


def _reseal(seal: Seal, path: str, file: str, damage: Damage) -> None:
    seal.reseal(damage, path, file)


def _changes(old: bytes, path: str) -> Iterator[tuple[bytes, Operation]]:
    earlier = {old}
    for bit in range(8 * len(old)):
        new = bytearray(old)
        new[bit // 8] ^= 1 << bit % 8
        earlier.add(bytes(new))
        yield bytes(new), methodcaller("flip", path, bit)
    values = [bytes([value]) for value in range(256)] if len(old) == 1 else []
    if len(old) <= 8:
        values += edge_values(old)
    for value in dict.fromkeys(values):
        if value not in earlier:
            yield value, methodcaller("set", path, value)
