"""Inspect a whole file before its entries are read."""

from __future__ import annotations

import mmap
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, cast

import numpy as np
from numpy.typing import NDArray

from reference_impl.answer import End, Lost, Verdict
from reference_impl.systemd_journal import layout
from reference_impl.systemd_journal.layout import HEADER_FIELDS, Header
from reference_impl.systemd_journal.objects import KEPT_FAULTS, MAX_FIELD_SIZE, View
from reference_impl.systemd_journal.sealing import VerificationKey
from reference_impl.systemd_journal.seals import Seals
from reference_impl.systemd_journal.walk import Walk
from walproof.formats.systemd_journal.scanner import constants, links, walk
from walproof.formats.systemd_journal.scanner.compressed import Keys, Packed
from walproof.formats.systemd_journal.scanner.constants import FAR, ObjectTable
from walproof.formats.systemd_journal.scanner.objects import excused_at

#: Initial room for field names.
_NAMES = 1 << 10


_OF_LINKS = (constants.BAD_INDEX, constants.BAD_LAST, constants.BAD_CHAIN, constants.UNLINKED)


Numbers = NDArray[np.int64]


class Unusual(Exception):
    """A file that only the reference reader can read."""


@dataclass(frozen=True)
class Inspection:
    """The results of inspecting a file that is not refused.

    ``faults`` contains a row for each fault: start, end, code and target. ``entries`` lists the
    numbers of the valid entries. ``packed_data`` lists the numbers of the compressed DATA objects,
    and ``lengths`` their uncompressed sizes in bytes. ``given`` contains one element per object:
    the number of items to read from an entry, or -1 for all. ``sealed_until`` is the end of the
    time covered by seals, or None without the key. ``view`` is used for the cases that only the
    reference reader supports.
    """

    view: View
    header: Header
    objects: ObjectTable
    packed: Packed
    faults: Numbers
    entries: Numbers
    packed_data: Numbers
    lengths: Numbers
    given: NDArray[np.int32]
    sealed_until: int | None

    @property
    def size(self) -> int:
        """Return the size of the file in bytes."""
        return len(self.objects.data)

    def payload(self, number: int) -> bytes:
        """Return ``FIELD=value`` of a valid DATA."""
        at = int(self.objects.offsets[number])
        if self.objects.kinds[number] & constants.PACKED:
            return self.packed.plain(at)
        return bytes(self.view.payload(at))

    def released(self) -> Numbers:
        """Return the entries that are records: all except those never acknowledged (SDJ-101)."""
        never = self.faults[(self.faults[:, 2] == constants.UNLINKED) & self._torn()][:, 0]
        if not len(never):
            return self.entries
        return self.entries[~np.isin(self.objects.offsets[self.entries], never)]

    def end(self) -> End:
        """Return verdict, reason and end (SDJ-054, SDJ-055)."""
        if not len(self.faults):
            return End("intact", None, int(self.objects.state[constants.END]))
        damage = next((gap for gap in self._met() if not gap.torn), None)
        verdict: Verdict = "damaged" if damage is not None else "torn"
        # A fault is damage, except in a file that is online or truncated: there it is torn.
        return End(verdict, damage.reason if damage else self._torn_reason(), None)

    def lost(self) -> list[Lost]:
        """Return the faults as ranges in file order. The first fault met keeps shared bytes."""
        return sorted(self._met(), key=lambda gap: gap.start)

    def _met(self) -> list[Lost]:
        """Return the faults as ranges in the order met, each without the bytes of earlier ones."""
        torn_reason = self._torn_reason()
        torn = self._torn()
        pieces, count = links.disjoint(self.faults, self.size)
        return [
            Lost(start, end, reason, torn=is_torn)
            for number, start, end in pieces[:count].tolist()
            for is_torn in (bool(torn[number]),)
            for reason in (torn_reason if is_torn else constants.CODES[self.faults[number, 2]],)
        ]

    @property
    def _cut(self) -> int | None:
        cut = int(self.objects.state[constants.CUT])
        return cut if cut >= 0 else None

    @property
    def _short(self) -> bool:
        return self.header.header_size + self.header.arena_size > self.size

    def _torn_reason(self) -> str:
        return "torn-file" if self._short else "torn-append"

    def _torn_from(self) -> int | None:
        """Return the offset after which faults are due to a truncation (SDJ-051) or crash
        (SDJ-052).
        """
        cut = self._cut
        if cut is not None and self._short:
            return cut
        if self.header.state == layout.ONLINE and len(self.faults):
            entries = self.entries
            return (
                int(self.objects.offsets[entries[-1]]) if len(entries) else self.header.header_size
            )
        return None

    def _torn(self) -> NDArray[np.bool_]:
        """Mark the faults that result from a crash or a truncation.

        A writer updates counts, head and tail last.
        """
        torn_from = self._torn_from()
        if torn_from is None:
            return np.zeros(len(self.faults), np.bool_)
        codes = self.faults[:, 2]
        # Pages are written and copied in any order, so older links may lack newer objects.
        links_from = min(torn_from, _grown_from(self.header, self.objects, self.entries))
        of_links = np.isin(codes, _OF_LINKS)
        after = np.maximum(self.faults[:, 0], self.faults[:, 3]) >= np.where(
            of_links, links_from, torn_from
        )
        torn: NDArray[np.bool_] = after | (codes == constants.OUTDATED)
        return torn


class Faults:
    """The first faults of a file of ``size`` bytes; the others are merged (SDJ-093)."""

    def __init__(self, size: int) -> None:
        self.room = KEPT_FAULTS + size // 64
        self._rows: list[Numbers] = []
        self._rest: list[tuple[int, int]] = []

    def add(self, rows: Numbers) -> None:
        """Add faults while there is room. ``rows`` may be part of a larger array."""
        self._rows.append(rows[: self.room].copy())
        if len(rest := rows[self.room :]):
            self._rest.append((int(rest[:, 0].min()), int(rest[:, 1].max())))
        self.room -= len(self._rows[-1])

    def first(self) -> Numbers:
        """Return the faults that have a row of their own."""
        return np.concatenate(self._rows)

    def all(self) -> Numbers:
        """Return all faults, with the merged ones as one row."""
        if self._rest:
            starts, ends = zip(*self._rest, strict=True)
            rest = (min(starts), max(ends), constants.REST, 0)
            self._rows.append(np.array([rest], np.int64))
        return self.first()


def rows_of(faults: Any) -> Numbers:
    """Return faults as rows of numbers: start, end, reason and object."""
    return np.array([(*row[:3], min(row[3], FAR)) for row in faults], np.int64).reshape(-1, 4)


def inspect(raw: mmap.mmap | bytes, header: Header, context: Mapping[str, Any]) -> Inspection:
    """Walk and check a whole file. Raises :class:`Unusual`.

    Raises ``ValueError`` if the context has an invalid verification key.
    """
    data = np.frombuffer(raw, np.uint8)
    data.flags.writeable = False  # kernels are compiled for read-only arrays
    facts = constants.facts(header, len(data))
    view = View(raw, header)
    max_field = int(context.get("max_field_size", MAX_FIELD_SIZE))
    key = int.from_bytes(header.file_id, "little")
    keys = (np.uint64(header.keyed), np.uint64(key & (1 << 64) - 1), np.uint64(key >> 64))
    # One row more than the limit, for the merged faults. Most rows stay unused.
    rows = np.empty((Faults(len(data)).room + 1, 4), np.int64)
    for sure in (False, True):
        packed = Packed(data, facts, keys, max_field)
        objects, counts, walked = _walk(data, view, facts, keys, packed, sure)
        entries = objects.of_kind(constants.ENTRY)
        begun = header.state == layout.ONLINE and not header.n_entries  # SDJ-033
        count, broken, *chain = links.main_chain(objects, 0 if begun else len(entries), rows)
        # Each link leads to a known object, so no size skipped one.
        if not (count or broken or len(walked)):
            break
    faults = Faults(len(data))
    faults.add(rows_of(shape_faults(header, len(data))))
    faults.add(walked)

    def add(count: int) -> None:
        if count < 0:
            raise Unusual
        faults.add(rows[:count])

    add(count)
    if not broken:
        add(links.unlinked(objects, entries, rows))
    lists_of = np.zeros(len(objects.offsets), np.uint64), np.zeros(len(objects.offsets), np.int32)
    stamps = np.full(len(objects.offsets), -1, np.int32)
    grown_from = _grown_from(header, objects, entries)
    online = header.state == layout.ONLINE
    older_of = tuple(np.zeros_like(values[: len(values) * online]) for values in lists_of)
    packed_data = np.flatnonzero(
        objects.kinds & (constants.PACKED | constants.BAD) == constants.PACKED
    )
    lengths = packed.lengths(objects.offsets[packed_data])
    given = np.full(len(objects.offsets), -1, np.int32)
    count, *ends = links.entries(
        objects, entries, broken, *lists_of, stamps, grown_from, *older_of,
        packed_data, lengths, max_field, np.zeros((constants.CACHED, 3), np.int64), given, rows,
    )  # fmt: skip
    add(count)
    for wanted, kind, name in (
        (constants.DATA, constants.DATA_TABLE, "data_hash_table"),
        (constants.FIELD, constants.FIELD_TABLE, "field_hash_table"),
    ):
        offset = getattr(header, f"{name}_offset")
        size = getattr(header, f"{name}_size")
        if (right := _table_is_there(objects, kind, offset, size)) is False:
            place, _ = HEADER_FIELDS[f"{name}_offset"]
            faults.add(rows_of([(place, place + 16, constants.BAD_HEADER, 0)]))
        elif right:
            add(links.table(objects, wanted, offset, size, rows))
    owned = np.zeros(int(objects.state[constants.NAMES]), np.uint8)
    add(links.field_lists(objects, objects.of_kind(constants.FIELD), owned, rows))
    add(links.lists_of_data(objects, header.compact, *lists_of, grown_from, *older_of, rows))
    add(links.impostors(objects, faults.first(), rows))
    sealed_until = None
    if header.sealed or counts[constants.TAG]:
        if "key" in context:
            seals = Seals(
                view, cast(Walk, _Walked(objects)), VerificationKey.parse(str(context["key"]))
            )
            # The reference verifies them; nearly all of its time is hashing (SDJ-075).
            wrong = seals.check()
            faults.add(
                rows_of(
                    [(fault.start, fault.end, constants.BAD_SEAL, fault.target) for fault in wrong]
                )
            )
            sealed_until = seals.sealed_until
        else:
            continuous = bool(header.compatible_flags & layout.SEALED_CONTINUOUS)
            add(links.seals(objects, header.sealed, continuous, rows))
    if not objects.state[constants.LOST]:
        chained = None if broken else (chain[0], chain[1], chain[2])
        faults.add(rows_of(count_faults(header, objects, counts, chained, ends)))
    return Inspection(
        view,
        header,
        objects,
        packed,
        faults.all(),
        entries,
        packed_data,
        lengths,
        given,
        sealed_until,
    )


def _grown_from(header: Header, objects: ObjectTable, entries: Numbers) -> int:
    """Return the offset after which an online file may have grown without older links (SDJ-099)."""
    if header.state != layout.ONLINE:
        return len(objects.data)
    last = int(objects.offsets[entries[-1]]) if len(entries) else header.header_size
    return min(last, header.tail_object_offset)


def _walk(
    data: NDArray[np.uint8],
    view: View,
    facts: Numbers,
    keys: Keys,
    packed: Packed,
    sure: bool,
) -> tuple[ObjectTable, Numbers, Numbers]:
    """Return the objects, the number of objects of each type, and the faults of the walk.

    If ``sure`` is true, the walk uses the entry offsets of the main chain. Otherwise it stops at
    the first object that does not begin where the previous one ends.
    """
    header = view.header
    state = np.zeros(constants.STATES, np.int64)
    state[constants.AT] = state[constants.END] = header.header_size
    state[constants.CUT] = state[constants.ANSWER_AT] = -1
    state[constants.TO_HASH] = 4 * len(data) + (1 << 20)
    linked = np.empty(0, np.int64)
    if sure:
        linked, count, rising = walk.entries_of_main_chain(data, facts, keys, state)
        linked = linked[:count]
        if not rising:
            linked = np.unique(linked)
    # A wrong count costs at most the memory for the objects that fit into the file.
    room = min(header.n_objects, len(data) // 64) + 64
    offsets, kinds = np.empty(room, np.int64), np.empty(room, np.uint8)
    name_ids = np.empty(room, np.uint16)
    faults, lost = np.empty((64, 4), np.int64), np.empty((64, 2), np.int64)
    if (hidden := view.in_the_header()) is not None:
        lost[0] = hidden, header.header_size
        faults[0] = *lost[0], constants.BAD_HEADER, 0
        state[constants.LOST] = state[constants.FAULTS] = 1
    room = len(data) // 512 + 1
    known, bits = np.empty(0, np.uint64), np.zeros(room, np.uint64)
    counts = np.zeros(8, np.int64)
    slots = np.zeros(constants.NAME_SLOTS, np.int32)
    names, lengths = np.zeros(_NAMES * constants.NAME_WIDTH, np.uint8), np.zeros(_NAMES, np.uint8)
    while True:
        why = walk.walk(
            data, facts, keys, state, linked, known, counts, bits, offsets, kinds, name_ids,
            faults, lost, slots, names, lengths,
        )  # fmt: skip
        if why == constants.DONE:
            break
        if why == constants.DECOMPRESS:
            at = int(state[constants.SEEK])
            code, plain = packed.answer(at)
            state[constants.ANSWER_AT], state[constants.ANSWER] = at, code
            if plain:
                state[constants.IS_TEXT] = packed.is_text(plain)
                name = np.frombuffer(plain[: plain.index(b"=")], np.uint8)
                state[constants.NAME_ID] = walk.number_of_name(name, slots, names, lengths, state)
        elif why == constants.LINKS and not sure:
            faults[0], state[constants.FAULTS] = 0, 1  # any value: the walk is repeated
            break
        elif why == constants.LINKS:
            known = np.zeros(room, np.uint64)
            walk.know_links(data, facts, linked, known)
        elif state[constants.NAMES] == len(lengths) < constants.NO_NAME:
            more = min(4 * len(lengths), constants.NO_NAME) - len(lengths)
            names = np.append(names, np.zeros(more * constants.NAME_WIDTH, np.uint8))
            lengths = np.append(lengths, np.zeros(more, np.uint8))
        else:
            offsets, kinds, name_ids = _longer(offsets), _longer(kinds), _longer(name_ids)
            faults, lost = _longer(faults), _longer(lost)
    ranks = np.empty(room, np.int32)
    walk.rank(bits, ranks)
    n = int(state[constants.FOUND])
    objects = ObjectTable(
        data, facts, state, bits, ranks, offsets[:n], kinds[:n], np.zeros(n, np.uint8),
        name_ids[:n], lost[: state[constants.LOST]], slots, names, lengths,
    )  # fmt: skip
    return objects, counts, faults[: state[constants.FAULTS]]


def _longer(array: Any) -> Any:
    longer = np.empty((len(array) + len(array) // 2 + 64, *array.shape[1:]), array.dtype)
    longer[: len(array)] = array
    return longer


def _table_is_there(objects: ObjectTable, kind: int, offset: int, size: int) -> bool | None:
    """Return whether a hash table is where the header says (SDJ-016); None to skip the check."""
    tables = objects.of_kind(kind)
    if not len(tables) and not offset and not size:
        return None
    table = offset - 16
    if len(tables) == 1 and int(objects.offsets[tables[0]]) == table:
        stored = int.from_bytes(objects.data[table + 8 : table + 16].tobytes(), "little")
        if stored - 16 == size:
            return True
    return None if excused_at(objects, min(table, FAR)) else False


class _Walked:
    """The part of the reference's ``Walk`` that its seals use."""

    def __init__(self, objects: ObjectTable) -> None:
        kinds = np.zeros(len(objects.data) // 8 + 1, np.uint8)
        kinds[objects.offsets >> 3] = objects.kinds & (constants.TYPE | constants.BAD)
        self.kinds = bytearray(kinds)


def shape_faults(header: Header, size: int) -> Iterator[tuple[int, int, int, int]]:
    """Return the faults of the header and the file size (SDJ-008, SDJ-097)."""
    if any(header.reserved):
        at, width = HEADER_FIELDS["reserved"]
        yield at, at + width, constants.BAD_HEADER, 0
    tail = header.tail_object_offset
    last = max(size, header.header_size + header.arena_size) - layout.OBJECT_SIZE
    if tail & 7 or (tail and not header.header_size <= tail <= last):
        yield _field("tail_object_offset")


def count_faults(
    header: Header,
    objects: ObjectTable,
    counts: Numbers,
    chain: tuple[int, int, int] | None,
    ends: list[int],
) -> Iterator[tuple[int, int, int, int]]:
    """Check the counts, the head and the tail of a file without losses (SDJ-049).

    ``chain`` contains the number of slots that lead to an entry, the last array and its used slots.
    It is None if the chain is broken. ``ends`` contains the first and the last entry, or 0.
    """
    state = objects.state
    if state[constants.LAST] != header.tail_object_offset and state[constants.CUT] < 0:
        yield _field("tail_object_offset")
    expected = {
        "n_objects": len(objects.offsets),
        "n_entries": chain[0] if chain is not None else header.n_entries,
        "n_data": counts[constants.DATA],
        "n_fields": counts[constants.FIELD],
        "n_tags": counts[constants.TAG],
        "n_entry_arrays": counts[constants.ENTRY_ARRAY],
    }
    for name, number in expected.items():
        if header.has(name) and getattr(header, name) != number:
            yield _field(name)
    if not ends[0]:
        return
    first, last = (_entry(objects, at) for at in ends)
    for name, right in (
        ("head_entry_seqnum", first[0]),
        ("head_entry_realtime", first[1]),
        ("tail_entry_seqnum", last[0]),
        ("tail_entry_realtime", last[1]),
    ):
        if getattr(header, name) != right:
            yield _field(name)
    if header.compatible_flags & layout.TAIL_ENTRY_BOOT_ID:
        if header.tail_entry_boot_id != last[3]:
            yield _field("tail_entry_boot_id")
        elif header.tail_entry_monotonic != last[2]:
            yield _field("tail_entry_monotonic")
    if header.has("tail_entry_offset") and header.tail_entry_offset != ends[1]:
        yield _field("tail_entry_offset")
    tail = (header.tail_entry_array_offset, header.tail_entry_array_n_entries)
    if chain is None or not header.has("tail_entry_array_n_entries"):
        return
    if tail != (chain[1] & 0xFFFFFFFF, chain[2]):
        yield _field("tail_entry_array_offset")


def _field(name: str) -> tuple[int, int, int, int]:
    at, size = HEADER_FIELDS[name]
    return at, at + size, constants.OUTDATED, 0


def _entry(objects: ObjectTable, at: int) -> tuple[int, int, int, bytes, int]:
    fixed: tuple[int, int, int, bytes, int] = layout.ENTRY_FIXED.unpack(
        objects.data[at + 16 : at + 64].tobytes()
    )
    return fixed
