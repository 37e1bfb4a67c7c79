"""The damage algebra as families of numbered operations on one file.

Each operation exists as a fast edit and as a call of ``conformance.recipes.algebra``. Both must
produce the same bytes.
"""

from __future__ import annotations

import functools
import itertools
import random
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

from conformance.kaitai.field_map import Field
from walproof.formats import plugin_for
from walproof.sweep.controls import Control
from walproof.sweep.fields import FieldsOfFile, generic, leaf_name
from walproof.sweep.format_sweep import Call, Edit, Seal

#: ``hi`` of an edit that includes everything after ``lo``, even bytes that another change added.
TO_THE_END = 1 << 62

#: Sizes of sectors in bytes.
SECTORS = (512, 4096)

#: Operations that repeat, drop, reorder, replace or move whole units, which a format without
#: sequence numbers cannot detect (spec/conventions.md, "Invariants").
SHIFTING = frozenset({"swap-sectors", "stale", "duplicate", "drop", "insert", "splice"})

#: Maximum number of spliced pairs for each field name.
MAX_SPLICES = 40

#: Maximum number of offsets in a file where bytes are inserted or replaced by older bytes.
MAX_BOUNDARIES = 512

#: Change a field with ``flip`` or ``set``, then recompute the checksum that covers the field.
#: Without this operation, a failed checksum hides every damaged field from the code after the
#: check.
RESEAL = "reseal"


class Change(NamedTuple):
    """A change, as edits of one file and as calls of the algebra on ``field``."""

    edits: Sequence[Edit]
    field: str
    calls: Sequence[Call]
    #: New contents of each changed file, or None for a removed file. A change of whole files has
    #: ``files`` instead of ``edits``.
    files: Mapping[str, bytes | None] | None = None


class Computed(Sequence[Change]):
    """A sequence of changes that are computed from their numbers on access."""

    def __init__(self, count: int, change: Callable[[int], Change]) -> None:
        self._count = count
        self._change = change

    def __len__(self) -> int:
        return self._count

    def __getitem__(self, number: Any) -> Any:
        return self._change(number)


@dataclass(frozen=True, eq=False)
class Family:
    """The changes by one operation to one file, or to whole files, numbered from 0."""

    operation: str
    changes: Sequence[Change]
    file: str = ""
    #: Logs from which the changes copy bytes.
    imported: Sequence[Control] = ()
    #: True if the operation recomputes checksums, so that its changes are undetectable.
    forges: bool = False
    on_folder: bool = False

    @property
    def count(self) -> int:
        """Number of changes."""
        return len(self.changes)

    @functools.cached_property
    def shifts(self) -> bool:
        """True if the changes may repeat, drop, move or replace whole units; see ``SHIFTING``."""
        return self.operation in SHIFTING or bool(self.imported) or self.on_folder

    def apply(self, files: dict[str, bytes], number: int) -> None:
        """Apply the change with a number to the files of a log."""
        change = self.changes[number]
        if change.files is None:
            files[self.file] = applied(files[self.file], change.edits)
            return
        for name, data in change.files.items():
            if data is None:
                del files[name]
            else:
                files[name] = data

    def touches(self, number: int) -> frozenset[str]:
        """Return the names of the files that change, appear or disappear."""
        files = self.changes[number].files
        return frozenset({self.file} if files is None else files)


@dataclass(frozen=True)
class File:
    """A file of a control: its name in the log, its bytes and its field map."""

    name: str
    data: bytes
    fields: FieldsOfFile

    def named(self, path: str) -> str:
        """Return a field path in the form that the damage algebra expects."""
        return f"{self.name}:{path}" if self.name else path


def effective(data: bytes, changes: Iterable[Change]) -> Sequence[Change]:
    """Return the changes that affect a byte of a file. All changes of a ``Sequence`` do so."""
    if isinstance(changes, Sequence):
        return changes
    return [
        change
        for change in changes
        if not all(lo >= 0 and data[lo:hi] == new for lo, hi, new in change.edits)
    ]


def prefixes(file: File) -> Sequence[Change]:
    """Cut the file to each length."""

    def change(at: int) -> Change:
        call = Call("truncate", (at,), file.name)
        return Change(((at, TO_THE_END, b""),), file.fields.name_at(at), (call,))

    return Computed(len(file.data), change)


def flips(file: File) -> Sequence[Change]:
    """Flip each bit of the structure."""
    offsets = file.fields.structural
    return Computed(8 * len(offsets), lambda n: _flip(file, offsets[n >> 3], n & 7))


def one_bit_flips(file: File, offsets: Sequence[int]) -> Sequence[Change]:
    """Flip one bit of each byte at the given offsets."""
    return Computed(len(offsets), lambda n: _flip(file, offsets[n], offsets[n] & 7))


def _flip(file: File, at: int, bit: int) -> Change:
    new = bytes([file.data[at] ^ 1 << bit])
    field = file.fields.at(at)
    call = Call("flip_byte", (at, bit), file.name)
    if field is not None:
        call = Call("flip", (file.named(field.path), 8 * (at - field.start) + bit))
    return Change(((at, at + 1, new),), file.fields.name_at(at), (call,))


def applied(data: bytes, edits: Sequence[Edit]) -> bytes:
    """Return the data after some edits."""
    for lo, hi, new in edits:
        data = data[:lo] + new + data[hi:] if lo >= 0 else data + new
    return data


def set_values(file: File) -> Iterator[Change]:
    """Set structural fields to edge values."""
    structural = set(file.fields.structural)
    for field in file.fields.leaves:
        if field.start not in structural:
            continue
        old = file.data[field.start : field.end]
        values = edge_values(old) if len(old) <= 8 else [bytes(len(old)), b"\xff" * len(old)]
        path = file.named(field.path)
        for new in dict.fromkeys(values):
            edit = (field.start, field.end, new)
            yield Change((edit,), generic(field.path), (_set(path, new),))


def _set(path: str, new: bytes) -> Call:
    # The damage algebra describes one byte as a number, and several bytes in hexadecimal.
    return Call("set", (path, new[0] if len(new) == 1 else new))


def edge_values(old: bytes) -> list[bytes]:
    """Return extreme numbers, 1, and the old value ± 1, in both byte orders."""
    width = len(old)
    top = 1 << 8 * width - 1
    values = [0, 2 * top - 1, top, top - 1, 1]
    edges = []
    for order in ("little", "big"):
        now = int.from_bytes(old, order)
        for value in (*values, now + 1, now - 1):
            edges.append((value % (2 * top)).to_bytes(width, order))
    return edges


#: Operation on a whole field → function that returns the new bytes of the field.
ON_FIELDS: Mapping[str, Callable[[bytes], bytes]] = {
    "zero": lambda old: bytes(len(old)),
    "fill": lambda old: b"\xff" * len(old),
    "duplicate": lambda old: old * 2,
    "drop": lambda old: b"",
}


def on_fields(file: File, operation: str) -> Iterator[Change]:
    """Apply an operation to whole fields, including composite fields."""
    arguments = (0xFF,) if operation == "fill" else ()
    for field in file.fields.all:
        new = ON_FIELDS[operation](file.data[field.start : field.end])
        call = Call(operation, (file.named(field.path), *arguments))
        yield Change(((field.start, field.end, new),), generic(field.path), (call,))


def zero_sectors(file: File) -> Iterator[Change]:
    """Zero each sector."""
    for sector in SECTORS:
        for n, (lo, hi) in enumerate(_sectors(file, sector)):
            zero = Call("zero_sector", (n, sector), file.name)
            yield Change(((lo, hi, bytes(hi - lo)),), f"a sector of {sector} bytes", (zero,))


def swap_sectors(file: File) -> Iterator[Change]:
    """Swap each pair of whole sectors."""
    data = file.data
    for sector in SECTORS:
        for a, b in itertools.combinations(range(len(data) // sector), 2):
            first, second = slice(a * sector, (a + 1) * sector), slice(b * sector, (b + 1) * sector)
            edits = (
                (first.start, first.stop, data[second]),
                (second.start, second.stop, data[first]),
            )
            swap = Call("swap_sectors", (a, b, sector), file.name)
            yield Change(edits, f"sectors of {sector} bytes", (swap,))


def _sectors(file: File, sector: int) -> list[tuple[int, int]]:
    size = len(file.data)
    return [(at, min(at + sector, size)) for at in range(0, size, sector)]


# -- moved, repeated or replaced -------------------------------------------------------------------


def splice(file: File) -> Iterator[Change]:
    """Copy a field over its neighbours of the same name, and the first and last over each other."""
    by_name: defaultdict[str, list[Field]] = defaultdict(list)
    for field in file.fields.all:
        by_name[generic(field.path)].append(field)
    for name, fields in by_name.items():
        pairs = [(0, len(fields) - 1), (len(fields) - 1, 0)]
        for n in range(len(fields) - 1):
            pairs += [(n, n + 1), (n + 1, n)]
        for over, under in dict.fromkeys(pairs[:MAX_SPLICES]):
            target, source = fields[over], fields[under]
            new = file.data[source.start : source.end]
            call = Call("splice", (file.named(target.path), new, file.named(source.path)))
            yield Change(((target.start, target.end, new),), name, (call,))


def insert(file: File, seed: str) -> Iterator[Change]:
    """Insert bytes before fields; the following bytes move."""
    garbage = random.Random(seed).randbytes(13)
    for at in _boundaries(file):
        for new in (b"\0", b"\xff", bytes(7), garbage[:4], garbage):
            call = Call("insert", (at, new), file.name)
            yield Change(((at, at, new),), file.fields.name_at(at), (call,))


def stale(file: File, older: Sequence[Control]) -> Iterator[Change]:
    """Replace sectors, or the rest of the file, with bytes of an older generation."""
    size = len(file.data)
    ranges = [span for sector in SECTORS for span in _sectors(file, sector)]
    ranges += [(at, size) for at in _boundaries(file)]
    for other in older:
        then = other.files[file.name]
        for lo, hi in dict.fromkeys(ranges):
            if len(then) > lo:
                call = Call("stale", (lo, hi, then), file.name)
                yield Change(((lo, hi, then[lo:hi]),), file.fields.name_at(lo), (call,))


def extend(file: File, seed: str) -> Iterator[Change]:
    """Extend the file by preallocated space, or by the garbage of a torn write."""
    garbage = random.Random(seed).randbytes(64)
    for n in (*range(1, 17), 512, 4096):
        yield _extended(file, bytes(n), f"{n} zeros")
    for n in (*range(1, 9), 512):
        yield _extended(file, b"\xff" * n, f"{n} bytes of ff")
    for n in range(1, 65):
        yield _extended(file, garbage[:n], f"garbage of {n} bytes")


def join(file: File, older: Sequence[Control]) -> Iterator[Change]:
    """Append another log, or a copy of the log itself."""
    yield _extended(file, file.data, "a copy of itself")
    for other in older:
        yield _extended(file, other.files[file.name], f"the bytes of {other.id}")


def _extended(file: File, new: bytes, description: str) -> Change:
    call = Call("extend", (new, description), file.name)
    return Change(((-1, -1, new),), "the end", (call,))


def _boundaries(file: File) -> list[int]:
    """Return the start offsets of fields; an even selection if there are very many."""
    starts = sorted({0, *(field.start for field in file.fields.all), file.fields.size})
    return starts[:: -(-len(starts) // MAX_BOUNDARIES)]


# -- under a valid checksum ------------------------------------------------------------------------


def reseal(file: File, format: str) -> Iterator[Change]:
    """Change the structural fields under each checksum, then recompute the checksum."""
    structural = set(file.fields.structural)
    for seal in plugin_for(format).sweep.seals:
        if file.name and not seal.in_folders:
            continue
        units = [field for field in file.fields.all if generic(field.path) == seal.unit]
        for unit in units:
            if not seal.is_there(file.data, unit):
                continue
            for leaf in file.fields.leaves:
                inside = unit.start <= leaf.start and leaf.end <= unit.end
                if inside and leaf.start in structural and "checksum" not in leaf_name(leaf.path):
                    yield from _resealed(file, seal, unit, leaf)


def _resealed(file: File, seal: Seal, unit: Field, leaf: Field) -> Iterator[Change]:
    data = file.data
    for new, call in _values(data[leaf.start : leaf.end], file.named(leaf.path)):
        changed = data[: leaf.start] + new + data[leaf.end :]
        lo, hi, checksum = seal.edit(changed, unit, file.fields.all)
        # If the checksum stays the same, it does not cover the field.
        if hi <= len(data) and changed[lo:hi] != checksum:
            edits = (leaf.start, leaf.end, new), (lo, hi, checksum)
            reseal_unit = seal.reseal(file.named(unit.path), file.name)
            yield Change(edits, generic(leaf.path), (call, reseal_unit))


def _values(old: bytes, path: str) -> Iterator[tuple[bytes, Call]]:
    earlier = {old}
    for bit in range(8 * len(old)):
        new = bytearray(old)
        new[bit // 8] ^= 1 << bit % 8
        earlier.add(bytes(new))
        yield bytes(new), Call("flip", (path, bit))
    values = [bytes([value]) for value in range(256)] if len(old) == 1 else []
    if len(old) <= 8:
        values += edge_values(old)
    for value in dict.fromkeys(values):
        if value not in earlier:
            yield value, _set(path, value)


#: Operation → function that returns its changes to a file, given older generations and a seed.
DAMAGES: Mapping[str, Callable[[File, Sequence[Control], str], Iterable[Change]]] = {
    "truncate": lambda file, older, seed: prefixes(file),
    "flip": lambda file, older, seed: flips(file),
    "set": lambda file, older, seed: set_values(file),
    "zero": lambda file, older, seed: on_fields(file, "zero"),
    "fill": lambda file, older, seed: on_fields(file, "fill"),
    "zero-sector": lambda file, older, seed: zero_sectors(file),
    "swap-sectors": lambda file, older, seed: swap_sectors(file),
    "duplicate": lambda file, older, seed: on_fields(file, "duplicate"),
    "drop": lambda file, older, seed: on_fields(file, "drop"),
    "splice": lambda file, older, seed: splice(file),
    "insert": lambda file, older, seed: insert(file, seed),
    "stale": lambda file, older, seed: stale(file, older),
    "extend": lambda file, older, seed: extend(file, seed),
    "join": lambda file, older, seed: join(file, older),
}
