"""Everything that is to be known of a file before its entries are given out."""

from __future__ import annotations

import mmap
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, cast

import numpy as np
from numpy.typing import NDArray

from reference_impl.answer import End, Lost, Verdict
from reference_impl.systemd_journal import layout
from reference_impl.systemd_journal.layout import HEADER_FIELDS, Header
from reference_impl.systemd_journal.objects import MAX_FIELD_SIZE, View
from reference_impl.systemd_journal.sealing import VerificationKey
from reference_impl.systemd_journal.seals import Seals
from reference_impl.systemd_journal.walk import Walk
from walproof.scan.stored import ready
from walproof.scan.systemd_journal import words
from walproof.scan.systemd_journal.faults import Kept, Numbers, rows_of
from walproof.scan.systemd_journal.header_faults import count_faults, shape_faults
from walproof.scan.systemd_journal.packed import Keys, Packed
from walproof.scan.systemd_journal.words import FAR, Found

_NAMES = 1 << 10
"""There is room for so many names of fields to begin with."""

kernels = ready("walproof.scan.systemd_journal.kernels")


_OF_LINKS = (words.BAD_INDEX, words.BAD_LAST, words.BAD_CHAIN, words.UNLINKED)


class Unusual(Exception):
    """A file that only the reference reader can read."""


@dataclass(frozen=True)
class Inspection:
    """What was found in a file that is not refused.

    ``faults`` has a row for each: start, end, code, target. ``entries`` are the numbers of the
    sound entries. ``packed_data`` are the numbers of the compressed DATA, ``lengths`` the bytes of
    their payloads. ``given`` has a place for each object: how many items of an entry are looked at,
    -1 for all. ``sealed_until`` is up to when seals vouch for entries, None without the key.
    ``view`` is for the few questions that the reference answers.
    """

    view: View
    header: Header
    found: Found
    packed: Packed
    faults: Numbers
    entries: Numbers
    packed_data: Numbers
    lengths: Numbers
    given: NDArray[np.int32]
    sealed_until: int | None

    @property
    def size(self) -> int:
        """Bytes of the file."""
        return len(self.found.data)

    def payload(self, number: int) -> bytes:
        """``FIELD=value`` of a sound DATA."""
        at = int(self.found.offsets[number])
        if self.found.kinds[number] & words.PACKED:
            return self.packed.plain(at)
        return bytes(self.view.payload(at))

    def released(self) -> Numbers:
        """The entries that are records: all but those that were never acknowledged (SDJ-052)."""
        never = self.faults[(self.faults[:, 2] == words.UNLINKED) & self._torn()][:, 0]
        if not len(never):
            return self.entries
        return self.entries[~np.isin(self.found.offsets[self.entries], never)]

    def end(self) -> End:
        """Verdict, reason and end (SDJ-054, SDJ-055)."""
        if not len(self.faults):
            return End("intact", None, int(self.found.state[words.END]))
        damage = next((gap for gap in self._met() if not gap.torn), None)
        verdict: Verdict = "damaged" if damage is not None else "torn"
        # A fault is damage, or makes a file that is online or cut a torn one.
        return End(verdict, damage.reason if damage else self._torn_reason(), None)

    def lost(self) -> list[Lost]:
        """The faults as ranges in file order; of two that overlap the first met keeps its bytes."""
        return sorted(self._met(), key=lambda gap: gap.start)

    def _met(self) -> list[Lost]:
        """The faults as ranges in the order met, each with the bytes that no earlier one has."""
        torn_reason = self._torn_reason()
        torn = self._torn()
        pieces, count = kernels.disjoint(self.faults, self.size)
        return [
            Lost(start, end, reason, torn=is_torn)
            for number, start, end in pieces[:count].tolist()
            for is_torn in (bool(torn[number]),)
            for reason in (torn_reason if is_torn else words.CODES[self.faults[number, 2]],)
        ]

    @property
    def _cut(self) -> int | None:
        cut = int(self.found.state[words.CUT])
        return cut if cut >= 0 else None

    @property
    def _short(self) -> bool:
        return self.header.header_size + self.header.arena_size > self.size

    def _torn_reason(self) -> str:
        return "torn-file" if self._short else "torn-append"

    def _torn_from(self) -> int | None:
        """From where on faults are those of a cut (SDJ-051) or a crash (SDJ-052)."""
        cut = self._cut
        if cut is not None and self._short:
            return cut
        if self.header.state == layout.ONLINE and len(self.faults):
            entries = self.entries
            return int(self.found.offsets[entries[-1]]) if len(entries) else self.header.header_size
        return None

    def _torn(self) -> NDArray[np.bool_]:
        """Which faults are those of a crash or a cut. Counts, head and tail are written last."""
        torn_from = self._torn_from()
        if torn_from is None:
            return np.zeros(len(self.faults), np.bool_)
        codes = self.faults[:, 2]
        # Pages are written, and copied, in any order: older links do not know what came since.
        links_from = min(torn_from, _grown_from(self.header, self.found, self.entries))
        of_links = np.isin(codes, _OF_LINKS)
        after = np.maximum(self.faults[:, 0], self.faults[:, 3]) >= np.where(
            of_links, links_from, torn_from
        )
        torn: NDArray[np.bool_] = after | (codes == words.OUTDATED)
        return torn


def inspect(raw: mmap.mmap | bytes, header: Header, context: Mapping[str, Any]) -> Inspection:
    """Walk and check a whole file. Raises :class:`Unusual`.

    ``ValueError``: the context has a verification key that cannot be read.
    """
    data = np.frombuffer(raw, np.uint8)
    data.flags.writeable = False  # kernels are compiled for bytes that nobody changes
    facts = words.facts(header, len(data))
    view = View(raw, header)
    max_field = int(context.get("max_field_size", MAX_FIELD_SIZE))
    key = int.from_bytes(header.file_id, "little")
    keys = (np.uint64(header.keyed), np.uint64(key & (1 << 64) - 1), np.uint64(key >> 64))
    # More rows than faults are kept, and one for the others. Most stay untouched.
    rows = np.empty((Kept(len(data)).room + 1, 4), np.int64)
    for sure in (False, True):
        packed = Packed(data, facts, keys, max_field)
        found, counts, walked = _walk(data, view, facts, keys, packed, sure)
        entries = found.of_kind(words.ENTRY)
        begun = header.state == layout.ONLINE and not header.n_entries  # SDJ-033
        count, broken, *chain = kernels.main_chain(found, 0 if begun else len(entries), rows)
        # Each link leads to an object that was found, so no size led across one.
        if not (count or broken or len(walked)):
            break
    faults = Kept(len(data))
    faults.add(rows_of(shape_faults(header, len(data))))
    faults.add(walked)

    def add(count: int) -> None:
        if count < 0:
            raise Unusual
        faults.add(rows[:count])

    add(count)
    if not broken:
        add(kernels.unlinked(found, entries, rows))
    lists_of = np.zeros(len(found.offsets), np.uint64), np.zeros(len(found.offsets), np.int32)
    stamps = np.full(len(found.offsets), -1, np.int32)
    grown_from = _grown_from(header, found, entries)
    online = header.state == layout.ONLINE
    older_of = tuple(np.zeros_like(one[: len(one) * online]) for one in lists_of)
    packed_data = np.flatnonzero(found.kinds & (words.PACKED | words.BAD) == words.PACKED)
    lengths = packed.lengths(found.offsets[packed_data])
    given = np.full(len(found.offsets), -1, np.int32)
    count, *ends = kernels.entries(
        found, entries, broken, *lists_of, stamps, grown_from, *older_of,
        packed_data, lengths, max_field, np.zeros((words.CACHED, 3), np.int64), given, rows,
    )  # fmt: skip
    add(count)
    for wanted, kind, name in (
        (words.DATA, words.DATA_TABLE, "data_hash_table"),
        (words.FIELD, words.FIELD_TABLE, "field_hash_table"),
    ):
        offset = getattr(header, f"{name}_offset")
        size = getattr(header, f"{name}_size")
        if (right := _table_is_there(found, kind, offset, size)) is False:
            place, _ = HEADER_FIELDS[f"{name}_offset"]
            faults.add(rows_of([(place, place + 16, words.BAD_HEADER, 0)]))
        elif right:
            marks = found.marks.copy()
            if not kernels.table_holds(found, wanted, offset, size):
                found.marks[:] = marks
                add(kernels.table(found, wanted, offset, size, rows))
    names = int(found.state[words.NAMES])
    if not kernels.field_lists_hold(found, *np.zeros((2, names), np.int64)):
        owned = np.zeros(names, np.uint8)
        add(kernels.field_lists(found, found.of_kind(words.FIELD), owned, rows))
    marks = found.marks.copy()
    if not kernels.lists_hold(found, header.compact, *lists_of):
        found.marks[:] = marks
        add(kernels.lists_of_data(found, header.compact, *lists_of, grown_from, *older_of, rows))
    add(kernels.impostors(found, faults.kept(), rows))
    sealed_until = None
    if header.sealed or counts[words.TAG]:
        if "key" in context:
            seals = Seals(
                view, cast(Walk, _Walked(found)), VerificationKey.parse(str(context["key"]))
            )
            # By the reference, whose work is nearly all hashing (SDJ-075).
            wrong = seals.check()
            faults.add(rows_of([(one.start, one.end, words.BAD_SEAL, one.target) for one in wrong]))
            sealed_until = seals.sealed_until
        else:
            continuous = bool(header.compatible_flags & layout.SEALED_CONTINUOUS)
            add(kernels.seals(found, header.sealed, continuous, rows))
    if not found.state[words.LOST]:
        chained = None if broken else (chain[0], chain[1], chain[2])
        faults.add(rows_of(count_faults(header, found, counts, chained, ends)))
    return Inspection(
        view,
        header,
        found,
        packed,
        faults.all(),
        entries,
        packed_data,
        lengths,
        given,
        sealed_until,
    )


def _grown_from(header: Header, found: Found, entries: Numbers) -> int:
    """From where on an online file may have grown, unknown to older links (SDJ-052)."""
    if header.state != layout.ONLINE:
        return len(found.data)
    last = int(found.offsets[entries[-1]]) if len(entries) else header.header_size
    return min(last, header.tail_object_offset)


def _walk(
    data: NDArray[np.uint8],
    view: View,
    facts: Numbers,
    keys: Keys,
    packed: Packed,
    sure: bool,
) -> tuple[Found, Numbers, Numbers]:
    """The objects, how many there are of each type, and what was wrong on the way.

    The main chain is asked where entries are only if the walk is to be ``sure``. Else it stops at
    the first object that is not where the one before it ends.
    """
    header = view.header
    state = np.zeros(words.STATES, np.int64)
    state[words.AT] = state[words.END] = header.header_size
    state[words.CUT] = state[words.ANSWER_AT] = -1
    state[words.TO_HASH] = 4 * len(data) + (1 << 20)
    linked = np.empty(0, np.int64)
    if sure:
        linked, count, rising = kernels.entries_of_main_chain(data, facts, keys, state)
        linked = linked[:count]
        if not rising:
            linked = np.unique(linked)
    # A count that lies costs room for as many objects as the file may have.
    room = min(header.n_objects, len(data) // 64) + 64
    offsets, kinds = np.empty(room, np.int64), np.empty(room, np.uint8)
    name_ids = np.empty(room, np.uint16)
    faults, lost = np.empty((64, 4), np.int64), np.empty((64, 2), np.int64)
    if (hidden := view.in_the_header()) is not None:
        lost[0] = hidden, header.header_size
        faults[0] = *lost[0], words.BAD_HEADER, 0
        state[words.LOST] = state[words.FAULTS] = 1
    room = len(data) // 512 + 1
    known, bits = np.empty(0, np.uint64), np.zeros(room, np.uint64)
    counts = np.zeros(8, np.int64)
    slots = np.zeros(words.NAME_SLOTS, np.int32)
    names, lengths = np.zeros(_NAMES * words.NAME_WIDTH, np.uint8), np.zeros(_NAMES, np.uint8)
    while True:
        why = kernels.walk(
            data, facts, keys, state, linked, known, counts, bits, offsets, kinds, name_ids,
            faults, lost, slots, names, lengths,
        )  # fmt: skip
        if why == words.DONE:
            break
        if why == words.DECOMPRESS:
            at = int(state[words.SEEK])
            code, plain = packed.answer(at)
            state[words.ANSWER_AT], state[words.ANSWER] = at, code
            if plain:
                state[words.IS_TEXT] = packed.is_text(plain)
                name = np.frombuffer(plain[: plain.index(b"=")], np.uint8)
                state[words.NAME_ID] = kernels.number_of_name(name, slots, names, lengths, state)
        elif why == words.LINKS and not sure:
            faults[0], state[words.FAULTS] = 0, 1  # anything: all of it is done again
            break
        elif why == words.LINKS:
            known = np.zeros(room, np.uint64)
            kernels.know_links(data, facts, linked, known)
        elif state[words.NAMES] == len(lengths) < words.NO_NAME:
            more = min(4 * len(lengths), words.NO_NAME) - len(lengths)
            names = np.append(names, np.zeros(more * words.NAME_WIDTH, np.uint8))
            lengths = np.append(lengths, np.zeros(more, np.uint8))
        else:
            offsets, kinds, name_ids = _longer(offsets), _longer(kinds), _longer(name_ids)
            faults, lost = _longer(faults), _longer(lost)
    ranks = np.empty(room, np.int32)
    kernels.rank(bits, ranks)
    n = int(state[words.FOUND])
    found = Found(
        data, facts, state, bits, ranks, offsets[:n], kinds[:n], np.zeros(n, np.uint8),
        name_ids[:n], lost[: state[words.LOST]], slots, names, lengths,
    )  # fmt: skip
    return found, counts, faults[: state[words.FAULTS]]


def _longer(array: Any) -> Any:
    longer = np.empty((len(array) + len(array) // 2 + 64, *array.shape[1:]), array.dtype)
    longer[: len(array)] = array
    return longer


def _table_is_there(found: Found, kind: int, offset: int, size: int) -> bool | None:
    """Whether a hash table is where the header says (SDJ-016); None: no reason to look at it."""
    tables = found.of_kind(kind)
    if not len(tables) and not offset and not size:
        return None
    table = offset - 16
    if len(tables) == 1 and int(found.offsets[tables[0]]) == table:
        stored = int.from_bytes(found.data[table + 8 : table + 16].tobytes(), "little")
        if stored - 16 == size:
            return True
    return None if kernels.excused_at(found, min(table, FAR)) else False


class _Walked:
    """As much of the reference's ``Walk`` as its seals look at."""

    def __init__(self, found: Found) -> None:
        kinds = np.zeros(len(found.data) // 8 + 1, np.uint8)
        kinds[found.offsets >> 3] = found.kinds & (words.TYPE | words.BAD)
        self.kinds = bytearray(kinds)
