"""Enumerate the operations that damage a control, alone and in pairs."""

from __future__ import annotations

import functools
import itertools
import random
from bisect import bisect_right
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

from conformance.contents import Contents
from conformance.damage.checksums import Unit, units_of
from conformance.damage.checksums import without_indices as generic
from conformance.damage.operations import BadOperation, DamagedLog, Edit, Operation
from conformance.kaitai.field_map import Field
from walproof.formats import plugin_for
from walproof.sweep.controls import Control
from walproof.sweep.fields import FieldsOfFile, leaf_name
from walproof.sweep.similar_file_names import is_blocked, similar_names

#: Sector sizes in bytes.
SECTORS = (512, 4096)

#: These operations repeat, drop, reorder, replace or move whole units or files. A format without
#: sequence numbers cannot detect such damage (spec/conventions.md, "Invariants").
SHIFTING = frozenset(
    {"swap-sectors", "stale", "duplicate", "drop", "insert", "splice", "remove-file", "add-file",
     "rename-file", "swap-files"}
)  # fmt: skip

#: A file gets at most MAX_SPLICES spliced pairs for each field name and CONTENT_FLIPS flipped
#: content bits. Bytes are inserted, or replaced by older bytes, at no more than MAX_BOUNDARIES
#: offsets.
MAX_SPLICES, CONTENT_FLIPS, MAX_BOUNDARIES = 40, 16384, 512

#: Maximum number of a control's files to rename. Half of them are at the start of the list of
#: files, and half at its end.
NAMES_OF = 12

#: Number of equal bytes that separate two changed ranges of one write.
MAX_EQUAL_BYTES = 8

#: Maximum number of draws for one pair number. Drawing ends when two changes can be combined.
ATTEMPTS = 16

#: SEALING is damage with recomputed checksums, PAIR combines two changes, and TORN_WRITE interrupts
#: a write.
SEALING, PAIR, TORN_WRITE = "reseal", "pair", "torn-write"
#: These families change whole files.
ON_FILES = ("remove-file", "empty-file", "rename-file", "add-file", "swap-files", "keep-file")


class LogDamage(NamedTuple):
    """One damage: its family, the generic name of the damaged field, and its operations."""

    family: str
    field: str
    operations: tuple[Operation, ...]
    #: If the damage is a pair, its two changes.
    halves: tuple[Any, ...] = ()

    @property
    def shifts(self) -> bool:
        """Return whether the damage may have moved, repeated, removed or replaced whole units."""
        return any(
            operation["op"] in SHIFTING
            or (operation["op"] == "extend" and "copy" in operation["bytes"][0])
            for operation in self.operations
        )

    @property
    def forges(self) -> bool:
        """Return whether the damage recomputed a checksum."""
        return any(operation["op"] == SEALING for operation in self.operations)


NO_DAMAGE = LogDamage("none", "nothing", ())


class Family(NamedTuple):
    """All changes of one kind to one file, or to the files of a log as a whole, numbered from 0."""

    name: str
    changes: Sequence[Any]


class Computed(Sequence[Any]):
    """A sequence whose elements are computed on access."""

    def __init__(self, count: int, element: Callable[[int], Any]) -> None:
        self._count = count
        self._element = element

    def __len__(self) -> int:
        return self._count

    def __getitem__(self, number: Any) -> Any:
        if not 0 <= number < self._count:
            raise IndexError(number)  # an IndexError ends iteration
        return self._element(number)


class DamagedControl(DamagedLog):
    """A control to be damaged, with field maps that were computed in advance."""

    def __init__(self, control: Control, older: Sequence[Control] = ()) -> None:
        logs = {log.id: log.contents for log in (control, *older)}
        super().__init__(control.contents, control.format, control.name, logs.__getitem__)
        self._maps = control.fields

    def fields_of(self, file: str) -> Iterator[Field]:
        """Yield the fields of a control file."""
        yield from self._maps[file].by_path.values()

    def field(self, path: str, file: str = "") -> Field:
        """Return a field of the control. Raises ``KeyError``."""
        return self._maps[file].by_path[path]


class Enumeration:
    """All changes to a control. A change is identified by its family's number and its own number.

    The same arguments give the same numbers in every process. ``older`` contains logs that serve as
    older generations.
    """

    def __init__(self, control: Control, older: Sequence[Control], seed: int) -> None:
        self.control, self.older, self.seed = control, older, seed
        families = [Family(NO_DAMAGE.family, [NO_DAMAGE])]
        for name, data in control.files.items():
            with_file = [other for other in older if other.files.get(name)]
            file = ControlFile(name, data, control.fields[name], control.id)
            families += families_of_file(file, with_file, control.format)
        families += families_of_files(control)
        families.append(Family(TORN_WRITE, list(_torn_writes(control))))
        self.families = [family for family in families if len(family.changes)]
        ends = [0, *itertools.accumulate(len(family.changes) for family in self.families)]

        def single(number: int) -> LogDamage:
            index = bisect_right(ends, number) - 1
            change: LogDamage = self.families[index].changes[number - ends[index]]
            return change

        #: The numbers of two more families: pairs of changes, and all single changes in one
        #: sequence.
        self.pair, self.any = len(self.families), len(self.families) + 1
        self._damaging = self.families[1:]
        singles = ends[-1] - 1
        self.families += [
            Family(PAIR, Computed(singles * (singles - 1) // 2, self._pair)),
            Family("any", Computed(ends[-1], single)),
        ]

    def contents(self, change: LogDamage) -> Contents:
        """Return the damaged log. Raises ``BadOperation``."""
        return self.damaged(change)[0]

    def damaged(self, change: LogDamage) -> tuple[Contents, list[Edit]]:
        """Return the damaged log, and the edits. Raises ``BadOperation``."""
        log = DamagedControl(self.control, self.older)
        edits = [edit for operation in change.operations for edit in log.apply(operation)]
        return log.contents, edits

    def _pair(self, number: int) -> LogDamage | None:
        """Return two changes to different bytes, or None if no drawn pair can be combined."""
        chance = random.Random(f"{self.seed} {self.control.id} {number}")
        for _ in range(ATTEMPTS):
            drawn = [
                family.changes[chance.randrange(len(family.changes))]
                for family in chance.choices(self._damaging, k=2)
            ]
            if both := self._combined(*drawn):
                return both
        return None

    def _combined(self, first: LogDamage, second: LogDamage) -> LogDamage | None:
        if first == second or (first.forges and second.forges):
            # Each of the two checksums would have to cover the other change, too.
            return None
        try:
            edits = [self.damaged(change)[1] for change in (first, second)]
        except BadOperation:
            return None
        orders = [_order(change, e) for change, e in zip((first, second), edits, strict=True)]
        if orders[1] < orders[0]:
            first, second = second, first
        # Both changes were computed for the undamaged control, so the first must not affect bytes
        # or files that the second one changes.
        if any(_overlap(a, b) for a in edits[0] for b in edits[1]):
            return None
        return LogDamage(PAIR, "", (*first.operations, *second.operations), (first, second))


_SEALING, _KEEPING, _RESIZING, _AT_THE_END, _WHOLE_FILES = range(5)


def _order(change: LogDamage, edits: Sequence[Edit]) -> tuple[int, int]:
    if change.forges:
        return (_SEALING, 0)
    if change.family in ON_FILES:
        return (_WHOLE_FILES, 0)
    if change.operations[0]["op"] == "extend":
        return (_AT_THE_END, 0)
    keeps = all(edit.remove == len(edit.insert) for edit in edits)
    return (_KEEPING, 0) if keeps else (_RESIZING, -edits[0].at)


def _overlap(one: Edit, other: Edit) -> bool:
    if one.file != other.file:
        return False
    if one.delete or other.delete:
        return True
    return one.at < other.at + other.remove and other.at < one.at + one.remove


# -- one file --------------------------------------------------------------------------------------


@dataclass(frozen=True)
class ControlFile:
    """A file of a control, with its name in the log, its bytes and its field map."""

    name: str
    data: bytes
    fields: FieldsOfFile
    control: str

    def operation(self, op: str, **arguments: Any) -> Operation:
        """Return an operation on this file."""
        return {"op": op, **arguments, **({"file": self.name} if self.name else {})}

    def change(self, field: str, op: str, **arguments: Any) -> LogDamage:
        """Return a change that consists of one operation."""
        return LogDamage(op, field, (self.operation(op, **arguments),))

    def copy(self, start: int, end: int, control: str = "") -> list[Operation]:
        """Return an argument that refers to bytes of this file, in this or another control."""
        part = {"copy": control or self.control, "at": start, "size": end - start}
        return [{**part, "file": self.name} if self.name else part]

    def random(self) -> random.Random:
        """Return a source of random bytes that is the same in every process."""
        return random.Random(f"{self.control}:{self.name}")


def families_of_file(file: ControlFile, older: Sequence[Control], format: str) -> Iterator[Family]:
    """Yield the families of changes to one file. Their order determines the numbers of cases."""
    content = file.fields.content
    # An odd step makes sure that a sample contains every bit position of a byte.
    bits = range(0, 8 * len(content), -(-8 * len(content) // CONTENT_FLIPS) | 1)
    flips = Computed(len(bits), lambda n: _flip(file, content[bits[n] >> 3], bits[n] & 7))
    yield Family("flip", flips)
    for name, damages in DAMAGES.items():
        changes = damages(file, older)
        yield Family(name, changes if isinstance(changes, Computed) else list(changes))
    # Do not forge checksums in generated logs. Every record can then still be verified.
    if not any(other.id.startswith(f"{file.control}@") for other in older):
        yield Family(SEALING, list(_resealed(file, format)))


def _truncations(file: ControlFile) -> Sequence[LogDamage]:
    return Computed(
        len(file.data), lambda at: file.change(file.fields.name_at(at), "truncate", at=at)
    )


def _flips(file: ControlFile) -> Sequence[LogDamage]:
    offsets = file.fields.structural
    return Computed(8 * len(offsets), lambda n: _flip(file, offsets[n >> 3], n & 7))


def _flip(file: ControlFile, at: int, bit: int) -> LogDamage:
    field, name = file.fields.at(at), file.fields.name_at(at)
    if field is None:
        return file.change(name, "flip", at=at, bit=bit)
    return file.change(name, "flip", path=field.path, bit=8 * (at - field.start) + bit)


def _set_values(file: ControlFile) -> Iterator[LogDamage]:
    """Set structural fields to edge values."""
    structural = set(file.fields.structural)
    for field in file.fields.leaves:
        if field.start in structural:
            old = file.data[field.start : field.end]
            values = edge_values(old) if len(old) <= 8 else [bytes(len(old)), b"\xff" * len(old)]
            for new in dict.fromkeys(values):
                if new != old:
                    yield LogDamage("set", generic(field.path), (_set(file, field, new),))


def _set(file: ControlFile, field: Field, new: bytes) -> Operation:
    # In its text form, the operation has a number for a single byte and hexadecimal text for
    # several.
    value = new[0] if len(new) == 1 else new.hex()
    return file.operation("set", path=field.path, value=value)


def edge_values(old: bytes) -> list[bytes]:
    """Return extreme values, 1, and the old value plus or minus 1, in both byte orders."""
    width = len(old)
    top = 1 << 8 * width - 1
    edges = []
    for order in ("little", "big"):
        now = int.from_bytes(old, order)
        for value in (0, 2 * top - 1, top, top - 1, 1, now + 1, now - 1):
            edges.append((value % (2 * top)).to_bytes(width, order))
    return edges


def _on_fields(file: ControlFile, op: str, **arguments: Any) -> Iterator[LogDamage]:
    """Yield changes that apply an operation to whole fields, including composite fields."""
    for field in file.fields.all:
        yield file.change(generic(field.path), op, path=field.path, **arguments)


def _zero_sectors(file: ControlFile) -> Iterator[LogDamage]:
    for sector in SECTORS:
        for number in range(-(-len(file.data) // sector)):
            name = f"a sector of {sector} bytes"
            yield file.change(name, "zero-sector", number=number, sector=sector)


def _swap_sectors(file: ControlFile) -> Iterator[LogDamage]:
    for sector in SECTORS:
        for first, second in itertools.combinations(range(len(file.data) // sector), 2):
            sectors = {"first": first, "second": second, "sector": sector}
            yield file.change(f"sectors of {sector} bytes", "swap-sectors", **sectors)


def _splice(file: ControlFile) -> Iterator[LogDamage]:
    """Copy fields over neighbours of the same name, and the first and last over each other."""
    by_name: defaultdict[str, list[Field]] = defaultdict(list)
    for field in file.fields.all:
        by_name[generic(field.path)].append(field)
    for name, fields in by_name.items():
        pairs = [(0, len(fields) - 1), (len(fields) - 1, 0)]
        for n in range(len(fields) - 1):
            pairs += [(n, n + 1), (n + 1, n)]
        for over, under in dict.fromkeys(pairs[:MAX_SPLICES]):
            target, source = fields[over], fields[under]
            copy = file.copy(source.start, source.end)
            yield file.change(name, "splice", path=target.path, bytes=copy)


def _insert(file: ControlFile) -> Iterator[LogDamage]:
    """Insert bytes before fields, which moves all following bytes."""
    garbage = file.random().randbytes(13)
    for at in _boundaries(file):
        for new in (b"\0", b"\xff", bytes(7), garbage[:4], garbage):
            yield file.change(file.fields.name_at(at), "insert", at=at, bytes=new.hex())


def _stale(file: ControlFile, older: Sequence[Control]) -> Iterator[LogDamage]:
    """Replace sectors, or the rest of the file, with bytes from an older generation."""
    size = len(file.data)
    ranges = [(at, min(at + sector, size)) for sector in SECTORS for at in range(0, size, sector)]
    ranges += [(at, size) for at in _boundaries(file)]
    for other in older:
        for at, end in dict.fromkeys(ranges):
            if len(other.files[file.name]) > at:
                copy = file.copy(at, end, other.id)
                yield file.change(file.fields.name_at(at), "stale", at=at, end=end, bytes=copy)


def _extend(file: ControlFile) -> Iterator[LogDamage]:
    """Extend the file by preallocated space, or by garbage as from a torn write."""
    garbage = file.random().randbytes(64)
    fills = [("00", n) for n in (*range(1, 17), 512, 4096)]
    fills += [("ff", n) for n in (*range(1, 9), 512)]
    for fill, size in fills:
        yield file.change("the end", "extend", bytes=[{"fill": fill, "size": size}])
    for size in range(1, 65):
        yield file.change("the end", "extend", bytes=[garbage[:size].hex()])


def _join(file: ControlFile, older: Sequence[Control]) -> Iterator[LogDamage]:
    """Append another log, or a copy of the log itself."""
    sizes = {file.control: len(file.data)} | {o.id: len(o.files[file.name]) for o in older}
    for control, size in sizes.items():
        operation = file.operation("extend", bytes=file.copy(0, size, control))
        yield LogDamage("join", "the end", (operation,))


def _boundaries(file: ControlFile) -> list[int]:
    """Return the start offsets of fields, or an evenly spaced selection if there are very many."""
    starts = sorted({0, *(field.start for field in file.fields.all), file.fields.size})
    return starts[:: -(-len(starts) // MAX_BOUNDARIES)]


def _resealed(file: ControlFile, format: str) -> Iterator[LogDamage]:
    """For each checksum, change the structural fields that it covers, and recompute it.

    In all other damage, the failed checksum keeps readers from using the damaged field.
    """
    structural = set(file.fields.structural)
    for unit in units_of(format):
        for field in file.fields.all:
            if generic(field.path) != unit.path or not unit.is_present(file.data, field):
                continue
            for leaf in file.fields.leaves:
                inside = field.start <= leaf.start and leaf.end <= field.end
                if inside and leaf.start in structural and "checksum" not in leaf_name(leaf.path):
                    yield from _resealed_field(file, unit, field, leaf)


def _resealed_field(
    file: ControlFile, unit: Unit, field: Field, leaf: Field
) -> Iterator[LogDamage]:
    old = file.data[leaf.start : leaf.end]
    reseal = file.operation("reseal", path=field.path)
    for new, operation in _values(file, leaf, old):
        changed = file.data[: leaf.start] + new + file.data[leaf.end :]
        try:
            at, checksum = unit.checksum(changed, field, file.fields.all)
        except ValueError:
            continue
        # If the checksum stays the same, it does not cover the field.
        if at + len(checksum) <= len(changed) and changed[at : at + len(checksum)] != checksum:
            yield LogDamage(SEALING, generic(leaf.path), (operation, reseal))


def _values(file: ControlFile, leaf: Field, old: bytes) -> Iterator[tuple[bytes, Operation]]:
    earlier = {old}
    for bit in range(8 * len(old)):
        new = bytearray(old)
        new[bit // 8] ^= 1 << bit % 8
        earlier.add(bytes(new))
        yield bytes(new), file.operation("flip", path=leaf.path, bit=bit)
    values = [bytes([value]) for value in range(256)] if len(old) == 1 else []
    if len(old) <= 8:
        values += edge_values(old)
    for value in dict.fromkeys(values):
        if value not in earlier:
            yield value, _set(file, leaf, value)


def _alone(changes: Callable[..., Iterable[LogDamage]], *arguments: Any, **more: Any) -> _Damages:
    return lambda file, older: changes(file, *arguments, **more)


_Damages = Callable[[ControlFile, Sequence[Control]], Iterable[LogDamage]]
#: Each family has a function that returns its changes to a file, given older generations.
DAMAGES: Mapping[str, _Damages] = {
    "truncate": _alone(_truncations),
    "flip": _alone(_flips),
    "set": _alone(_set_values),
    "zero": _alone(_on_fields, "zero"),
    "fill": _alone(_on_fields, "fill", byte="ff"),
    "zero-sector": _alone(_zero_sectors),
    "swap-sectors": _alone(_swap_sectors),
    "duplicate": _alone(_on_fields, "duplicate"),
    "drop": _alone(_on_fields, "drop"),
    "splice": _alone(_splice),
    "insert": _alone(_insert),
    "stale": _stale,
    "extend": _alone(_extend),
    "join": _join,
}


# -- whole files -----------------------------------------------------------------------------------


def families_of_files(control: Control) -> list[Family]:
    """Return the families of changes to whole files, or nothing if the log is a single file."""
    if isinstance(control.contents, bytes):
        return []
    changes: dict[str, list[LogDamage]] = {name: [] for name in ON_FILES}

    def add(family: str, field: str, *operations: Operation) -> None:
        changes[family].append(LogDamage(family, field, operations))

    names = list(control.files)
    for number, name in enumerate(names):
        # Cases with equal texts are counted together, so the text must not depend on the control.
        position = {0: "the first file", len(names) - 1: "the last file"}.get(
            number, "a file between"
        )
        add("remove-file", position, {"op": "remove-file", "file": name})
        if control.files[name]:
            add("empty-file", position, {"op": "truncate", "at": 0, "file": name})
        others = [other for other in names if other != name]
        if len(others) > 1:
            add("keep-file", position, *({"op": "remove-file", "file": o} for o in others))
        if min(number, len(names) - 1 - number) >= NAMES_OF // 2:
            continue
        for new, change in similar_names(name):
            if new in names or is_blocked(new, others):
                continue
            rename = {"op": "rename-file", "file": name, "name": new}
            add("rename-file", f"{position}, {change}", rename)
            if not is_blocked(new, [name]):
                for source in _similar_contents(control, name):
                    field = f"a name like {position}, {change}"
                    add("add-file", field, {"op": "add-file", "file": new, "bytes": source})
    for first, second in itertools.combinations(names, 2):
        if control.files[first] != control.files[second]:
            add("swap-files", "two files", {"op": "swap-files", "file": first, "other": second})
    return [Family(name, of) for name, of in changes.items()]


def _torn_writes(control: Control) -> Iterator[LogDamage]:
    """Stop the last write of a generated log inside one of the ranges that it overwrites.

    Later ranges keep their old bytes. If the write extended the file, the file either ends where
    the write stopped or has its new size, filled with zeros.
    """
    for before in control.earlier[:1]:
        sweep = plugin_for(control.format).sweep
        ranges = list(written_ranges(before.files, control.files, sweep.atom))
        if sweep.writes_header_last:
            # Omit new files, because they are written in a different order.
            ranges = [each for each in reversed(ranges) if each[0] in before.files]
        for number, (name, start, end) in enumerate(ranges):
            undone = [op for each in ranges[number + 1 :] for op in _undone(control, before, *each)]
            for cut in _cuts(start, end):
                if cut % sweep.atom or 0 < cut < sweep.head_bytes:
                    continue
                size = len(before.files.get(name, b""))
                for is_long in (False, True)[: 1 + (end > size)]:
                    torn = _undone(control, before, name, cut, end, is_long)
                    yield LogDamage(TORN_WRITE, f"range {number}", (*torn, *undone))


def _cuts(start: int, end: int) -> list[int]:
    """Return offsets inside a range: the first ones, evenly spaced ones, and sector boundaries."""
    step = max(1, (end - start) // 40)
    sectors = range(start - start % -512, end, 512)
    return sorted({*range(start, min(end, start + 40)), *range(start, end, step), *sectors})


def _undone(
    control: Control, before: Control, name: str, start: int, end: int, is_long: bool = False
) -> list[Operation]:
    """Return operations that restore a range's old bytes; with ``is_long``, keep the new size."""
    size = len(before.files.get(name, b""))
    file = {"file": name} if name else {}
    bytes: list[Any] = []
    if start < size:
        bytes.append({"copy": before.id, "at": start, "size": min(end, size) - start, **file})
    if end > size and is_long:
        bytes.append({"fill": "00", "size": end - max(start, size)})
    return [{"op": "stale", "at": start, "end": end, "bytes": bytes, **file}]


def written_ranges(
    before: Mapping[str, bytes], after: Mapping[str, bytes], atom: int
) -> Iterator[tuple[str, int, int]]:
    """Yield the ranges that a write changed, file by file, in order.

    If ``atom`` is larger than :data:`MAX_EQUAL_BYTES`, each range is one atom. Otherwise, ranges
    are separated by equal bytes.
    """
    for name, new in after.items():
        old = before.get(name, b"")
        if atom > MAX_EQUAL_BYTES:
            for at in range(0, len(new), atom):
                if old[at : at + atom] != new[at : at + atom]:
                    yield name, at, min(at + atom, len(new))
            continue
        shared = min(len(old), len(new))
        start = None
        same = 0
        for at in range(shared):
            if old[at] != new[at]:
                start, same = (at if start is None else start), 0
            elif start is not None:
                same += 1
                if same == MAX_EQUAL_BYTES:
                    yield name, start, at + 1 - same
                    start = None
        if len(new) > shared:
            yield name, (shared if start is None else start), len(new)
        elif start is not None:
            yield name, start, shared - same


@functools.lru_cache
def _garbage(seed: str) -> str:
    return random.Random(seed).randbytes(64).hex()


def _similar_contents(control: Control, name: str) -> list[Any]:
    """Return contents for a new file, as arguments.

    They are a copy of the file, its first half, no bytes, and random bytes.
    """
    copy = {"copy": control.id, "file": name, "at": 0}
    size = len(control.files[name])
    halves = [[{**copy, "size": part}] for part in (size, size // 2)]
    return [*halves, [], _garbage(f"{control.id}:{name}")]
