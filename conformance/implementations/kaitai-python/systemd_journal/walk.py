"""Walk over all objects of a journal with the generated parser (SDJ-041, SDJ-098, SDJ-104).

The parser reads the fields of the header and of an object. This module determines where objects
begin, which objects are valid, and where the walk continues after a fault.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterator
from typing import Any

from kaitaistruct import BytesIO, KaitaiStream

from conformance.kaitai.compile import compiled

from .faults import OBJECTS, SKIPPED, Fault, Found
from .hashes import jenkins, siphash
from .payloads import ANNOUNCED, BadPayload, is_field, unpacked

SystemdJournal = compiled("systemd_journal").SystemdJournal

DATA, FIELD, ENTRY, DATA_TABLE, FIELD_TABLE, ARRAY, TAG = range(1, 8)
# Times in microseconds are valid only below this value (SDJ-015).
TOO_LATE = 2**55


class Journal:
    """A journal file with the objects and faults of the walk."""

    def __init__(
        self,
        data: bytes,
        limit: int,
        is_keyed: bool | None = None,
        file_id: bytes | None = None,
    ) -> None:
        self.data, self.size, self.limit = data, len(data), limit
        self.io = KaitaiStream(BytesIO(data))
        self.header_size = int.from_bytes(data[88:96], "little")
        self.root = SystemdJournal(KaitaiStream(BytesIO(data[: self.header_size])))
        self.header = self.root.header
        self.is_compact: bool = self.root.is_compact
        # If the keyed flag or the hash key in the header is wrong, the caller passes the correct
        # value (SDJ-106).
        self.is_keyed: bool = self.header.is_keyed_hash if is_keyed is None else is_keyed
        self.file_id: bytes = self.header.file_id if file_id is None else file_id
        # The size in bytes of an array slot.
        self.width = 4 if self.is_compact else 8
        self.fixed = {1: 72 if self.is_compact else 64, 2: 40, 3: 64, 4: 16, 5: 16, 6: 24, 7: 64}
        self.unit = {1: 1, 2: 1, 3: 4 if self.is_compact else 16, 4: 16, 5: 16, 6: self.width}
        self.is_cut = self.size < self.header_size + self.header.arena_size
        self.is_online = data[16] == 1
        self.faults: list[Fault] = []
        self.objects: dict[int, Found] = {}
        self.gaps: list[tuple[int, int]] = []
        self.ended_early: int | None = None
        self.to_hash = 4 * self.size + (1 << 20)
        self.unpacked = 0
        # During the walk, this is its current offset. Afterwards, it is the offset where the walk
        # ended.
        self.place = self.header_size
        self._parsed: dict[int, Any] = {}
        self._known: list[int] | None = None
        # The last search for a known object: the offset where it began, the index in ``_known`` to
        # try next, and the offset that it found.
        self._search: tuple[int, int, int | None] = (-1, 0, None)
        self._jenkins: dict[int, int] = {}
        self.chained = sorted(set(self.entries_of_chain()))

    def blame(self, fault: Fault) -> None:
        """Report a fault."""
        self.faults.append(fault)

    def limited_faults(self) -> tuple[dict[Fault, None], list[Fault]]:
        """Return the faults in order of detection up to the limit, and the others (SDJ-093)."""
        faults = sorted(self.faults, key=lambda fault: fault.step)
        most = 1024 + self.size // 64
        return dict.fromkeys(faults[:most]), faults[most:]

    # Objects

    def framed(self, at: int, first: int | None = None) -> tuple[int, int] | None:
        """Return the type and size of the object at an offset, or None (SDJ-011).

        ``first`` is the lowest offset at which an object may begin (default: ``header_size``).
        """
        if at % 8 or at < (first or self.header_size) or at + 16 > self.size:
            return None
        type, size = self.data[at], int.from_bytes(self.data[at + 8 : at + 16], "little")
        if type not in self.fixed or at + size > self.size or not self.allows(type, size):
            return None
        return type, size

    def allows(self, type: int, size: int) -> bool:
        """Return whether an object of a known type may have a size (SDJ-011)."""
        body = size - self.fixed[type]
        return not body if type == TAG else body >= 1 and body % self.unit[type] == 0

    def parsed(self, at: int, size: int | None = None) -> Any:
        """Return a parsed object, with the size in its header or with a corrected size."""
        if size is not None:
            data = (
                self.data[at : at + 8] + size.to_bytes(8, "little") + self.data[at + 16 : at + size]
            )
            io = KaitaiStream(BytesIO(data))
            return SystemdJournal.JournalObject(0, io, self.root, self.root)
        if at not in self._parsed:
            self.io.seek(at)
            self._parsed[at] = SystemdJournal.JournalObject(at, self.io, self.root, self.root)
        return self._parsed[at]

    def is_a(self, at: int, *types: int) -> bool:
        """Return whether an object of one of these types is framed at an offset."""
        frame = self.framed(at)
        return frame is not None and frame[0] in types

    def hash(self, data: bytes) -> int:
        """Return the hash of ``data`` by this file's hash function (SDJ-021, SDJ-022)."""
        return siphash(self.file_id, data) if self.is_keyed else jenkins(data)

    def inverse_hash(self, data: bytes) -> int:
        """Return the hash with the keyed flag inverted (SDJ-106)."""
        return jenkins(data) if self.is_keyed else siphash(self.file_id, data)

    def judged(self, at: int, parsed: Any) -> tuple[str | None, bytes]:
        """Return the reason code for the content of an object, and its payload.

        Each call reduces the budget (SDJ-102, SDJ-103).
        """
        body, type = parsed.body, parsed.type_code
        if type == ENTRY:  # SDJ-015
            times = 0 < body.realtime < TOO_LATE and body.monotonic < TOO_LATE
            return None if times and body.seqnum and any(body.boot_id) else "bad-entry", b""
        if type in (DATA_TABLE, FIELD_TABLE):  # SDJ-016
            named = self.named_table(type)
            return "bad-object" if named not in (None, at) else None, b""
        if type not in (DATA, FIELD):
            return None, b""
        self.to_hash -= parsed.len_object
        if self.to_hash < 0:  # SDJ-102
            return "bad-object", b""
        payload = body.payload
        if type == DATA and parsed.flags & 7:
            try:
                left = 64 * at + 4 * self.limit - self.unpacked
                payload = unpacked(parsed.flags, payload, min(self.limit, max(left, 0)))
            except BadPayload as bad:
                self.unpacked += bad.unpacked
                return bad.code, b""
            self.unpacked += len(payload)
        if self.hash(payload) != body.hash:  # SDJ-044
            return "hash-mismatch", payload
        if type == DATA and not is_field(payload):
            return "bad-field", b""
        return None, payload

    def is_sound(self, at: int) -> bool:
        """Return whether a valid object is at an offset."""
        return self.framed(at) is not None and self.judged(at, self.parsed(at))[0] is None

    def named_table(self, type: int) -> int | None:
        """Return the offset of a table that the header states, if a table is framed there."""
        at = self.place_of_table(type)[0] - 16
        found = self.objects.get(at)
        return at if self.is_a(at, type) or (found and found.type == type) else None

    def place_of_table(self, type: int) -> tuple[int, int]:
        """Return the offset of a table's first bucket, and the table's size in bytes."""
        header = self.header
        if type == DATA_TABLE:
            return header.data_hash_table_offset, header.data_hash_table_size
        return header.field_hash_table_offset, header.field_hash_table_size

    # The methods below follow links that are known without a walk (SDJ-041).

    def arrays_of_chain(self) -> Iterator[Any]:
        """Yield the arrays of the main chain, up to the last array or a link that leads back."""
        at, end = self.header.entry_array_offset, 0
        while at >= end and self.is_a(at, ARRAY):
            array = self.parsed(at)
            yield array
            at, end = array.body.ofs_next_entry_array, at + array.len_object

    def entries_of_chain(self) -> Iterator[int]:
        """Yield the valid entries in the main chain."""
        for array in self.arrays_of_chain():
            for slot in array.body.slots:
                at = slot.ofs_listed
                if at and self.is_a(at, ENTRY) and self.is_sound(at):
                    yield at

    def known(self) -> list[int]:
        """Return all offsets that links lead to, sorted."""
        if self._known is None:
            self._known = sorted(set(self._links()))
        return self._known

    def _links(self) -> Iterator[int]:
        yield self.header.entry_array_offset
        yield self.header.tail_object_offset
        for array in self.arrays_of_chain():
            yield array.ofs_object
        end = 0
        for at in self.chained:
            yield at
            if at >= end:
                entry = self.parsed(at)
                end = at + entry.len_object
                yield from (item.ofs_data for item in entry.body.items)
        visited: set[int] = set()
        for type in (DATA_TABLE, FIELD_TABLE):
            offset, size = self.place_of_table(type)
            yield offset - 16
            if offset + size > self.size:
                continue
            buckets = KaitaiStream(BytesIO(self.data[offset : offset + size]))
            for bucket in SystemdJournal.HashTableObject(buckets, None, self.root).buckets:
                yield bucket.ofs_tail
                yield from self._chain(bucket.ofs_head, visited)

    def _chain(self, at: int, visited: set[int]) -> Iterator[int]:
        before = 0
        while at > before and at not in visited and self.is_a(at, DATA, FIELD):
            visited.add(at)
            yield at
            body = self.parsed(at).body
            if self.is_a(at, DATA):
                yield body.ofs_entry
                yield body.ofs_entry_array
            before, at = at, body.ofs_next_hash

    def known_after(self, at: int, stop: int | None = None) -> int | None:
        """Return the offset of the first valid object after ``at`` that a link leads to.

        ``stop`` limits the search to lower offsets. Each offset is tried once for each ``at``.
        """
        known = self.known()
        place, index, result = self._search
        if place != at:
            index, result = bisect_right(known, at), None
        while result is None and index < len(known) and (stop is None or known[index] < stop):
            result = known[index] if self.is_sound(known[index]) else None
            index += 1
        self._search = at, index, result
        return None if result is None or (stop is not None and result >= stop) else result

    # Sizes (SDJ-041, SDJ-104)

    def usable(self, at: int) -> tuple[Any, str | None, bytes] | None:
        """Return the usable object at an offset, with its reason code and its payload."""
        if at + 16 > self.size:
            return None
        type, own, is_usable = self.data[at], None, False
        frame = self.framed(at)
        if frame is not None:
            parsed = self.parsed(at)
            own = parsed, *self.judged(at, parsed)
            is_valid_field = type in (DATA, FIELD) and own[1] is None
            if is_valid_field and not (type == DATA and parsed.flags & 7):
                return own
            is_usable = is_valid_field or self.known_after(at, at + frame[1]) is None
        other = self.other_size(at, own, is_usable)
        if other is not None and self.allows(type, other) and at + other <= self.size:
            parsed = self.parsed(at, other)
            judged = self.judged(at, parsed)
            if type not in (DATA, FIELD) or judged[0] is None:
                return parsed, *judged
        return own if is_usable else None

    def other_size(
        self, at: int, own: tuple[Any, str | None, bytes] | None, is_usable: bool
    ) -> int | None:
        """Return the size that other bytes of the file give an object, if any (SDJ-104).

        ``own`` is the object with the size in its header, if it is framed.
        """
        type = self.data[at]
        if type in (DATA, FIELD):
            return self.unpadded_size(at, own)
        if type == ENTRY and is_usable:
            return self.proven_size(at)
        size = None
        if type == ENTRY:
            size = self.size_of_items(at)
        elif type in (DATA_TABLE, FIELD_TABLE) and not is_usable:
            place, buckets = self.place_of_table(type)
            size = 16 + buckets if at == place - 16 else None
        if size is None:
            return None
        known = self.known_after(at)
        return size if at + size <= (self.size if known is None else known) else None

    def unpadded_size(self, at: int, own: tuple[Any, str | None, bytes] | None) -> int | None:
        """Return the size of a DATA or FIELD object without the zeros at its end."""
        size = int.from_bytes(self.data[at + 8 : at + 16], "little")
        is_past = self.known_after(at, at + size) is not None
        if own is not None and own[1] is None and not is_past:
            return None
        place = at + size + -size % 8
        end = place if not is_past and self.framed(place) is not None else self.known_after(at)
        if end is None:
            return None
        last = self.data[max(at, end - 7) : end]
        other = end - at - len(last) + len(last.rstrip(b"\0"))
        return None if other == size else other

    def items_after(self, start: int) -> Iterator[int]:
        """Yield the DATA offsets in the items from an offset on, up to the end of the file."""
        width = self.unit[ENTRY]
        for at in range(start, self.size - width + 1, width):
            self.io.seek(at)
            yield SystemdJournal.EntryItem(self.io, None, self.root).ofs_data

    def size_of_items(self, at: int) -> int | None:
        """Return the size of an unusable ENTRY whose items point to DATA objects or lost ranges."""
        width, size = self.unit[ENTRY], 64
        for link in self.items_after(at + 64):
            found = self.objects.get(link)
            is_present = found is not None and found.type == DATA and not found.is_wrong
            if not is_present and (link % 8 or not self.has_lost(link)):
                break
            size += width
        else:
            if self.is_cut:
                return None
        return size if size > 64 else None

    def proven_size(self, at: int) -> int | None:
        """Return the smallest larger size of an ENTRY for which ``xor_hash`` is correct."""
        entry = self.parsed(at)
        own, width, size, hashes = entry.len_object, self.unit[ENTRY], 64, 0
        next_link = next(self.items_after(at + own), 0)
        if not self.is_provable(self.objects.get(next_link)):
            return None
        for link in self.items_after(at + 64):
            data = self.objects.get(link)
            if not self.is_provable(data):
                return None
            hashes ^= self.jenkins_of(data)
            size += width
            if size > own and hashes == entry.body.xor_hash:
                return size
        return None

    def is_provable(self, found: Found | None) -> bool:
        """Return whether an object is a DATA that is valid or has only a wrong hash."""
        if found is None or found.type != DATA:
            return False
        return found.has_wrong_hash or not found.is_wrong

    def jenkins_of(self, data: Found) -> int:
        """Return the Jenkins hash of a DATA's payload."""
        if data.at not in self._jenkins:
            self._jenkins[data.at] = jenkins(data.payload)
        return self._jenkins[data.at]

    # The walk

    def walk(self) -> None:
        """Find all objects, and report all other bytes as lost."""
        passed_over = list(self.passed_over())
        if passed_over:
            self.lose(min(272, *passed_over), self.header_size, "bad-header", SKIPPED)
        while self.goes_on(at := self.place):
            if at >= self.size and not self.is_cut:
                return
            usable = self.usable(at)
            if usable is not None:
                self.place = self.take(at, *usable)
                continue
            known = self.known_after(at)
            self.lose(at, self.size if known is None else known, "bad-object")
            if known is None:
                self.ended_early = at
                return
            self.place = known

    def passed_over(self) -> Iterator[int]:
        """Yield tables and arrays that the header places before its own end (SDJ-004)."""
        tables = [(self.place_of_table(type)[0] - 16, type) for type in (DATA_TABLE, FIELD_TABLE)]
        for at, type in (*tables, (self.header.entry_array_offset, ARRAY)):
            if 208 <= at < self.header_size:
                frame = self.framed(at, first=208)
                if frame is not None and frame[0] == type:
                    yield at

    def goes_on(self, at: int) -> bool:
        """Return whether the walk continues at an offset (SDJ-098)."""
        last = next(reversed(self.objects), 0)
        if last < self.header.tail_object_offset or (self.chained and self.chained[-1] >= at):
            return True
        return len(self.objects) < self.header.n_objects and self.is_sound(at)

    def take(self, at: int, parsed: Any, code: str | None, payload: bytes) -> int:
        """Add one object and return the offset at which the walk continues."""
        type: int = parsed.type_code
        size: int = parsed.len_object
        end = at + size + -size % 8
        is_unhashed = code == "hash-mismatch"
        has_wrong_hash = is_unhashed and (type == FIELD or is_field(payload))
        self.objects[at] = Found(at, type, end, parsed, code is not None, payload, has_wrong_hash)
        if code is not None:
            is_doubtful = type != ENTRY and end < self.header.tail_object_offset
            if is_doubtful and self.framed(end) is None:
                known = self.known_after(at)
                end = end if known is None else known
            self.lose(at, end, code)
        elif type == DATA and ANNOUNCED.get(parsed.flags & 7, 0) & ~self.header.incompatible_flags:
            # SDJ-027
            self.blame(Fault(OBJECTS, "bad-header", 12, 16))
        # The content was checked first. If it is invalid, the lost range already contains these
        # bytes.
        if type != DATA and parsed.flags & 7:  # SDJ-026
            self.blame(Fault(OBJECTS, "bad-object", at + 1, at + 2))
        if size != int.from_bytes(self.data[at + 8 : at + 16], "little"):  # SDJ-104
            self.blame(Fault(OBJECTS, "bad-object", at + 8, at + 16))
        return end

    def lose(self, start: int, stop: int, code: str, step: int = OBJECTS) -> None:
        """Report a range that the walk lost. Links into it are not separate faults."""
        stop = min(stop, self.size)
        self.gaps.append((start, stop))
        self.blame(Fault(step, code, start, max(start, stop)))

    # Results of the walk.

    def has_lost(self, at: int) -> bool:
        """Return whether an offset is in a lost range, or after an early end (SDJ-048)."""
        if self.ended_early is not None and at >= self.ended_early:
            return True
        index = bisect_right(self.gaps, (at, self.size + 1)) - 1
        return index >= 0 and self.gaps[index][0] <= at < self.gaps[index][1]

    def is_whole(self) -> bool:
        """Return whether nothing was lost (SDJ-048)."""
        return not self.gaps

    def sound(self, type: int) -> list[Found]:
        """Return the valid objects of a type, in file order."""
        return [item for item in self.objects.values() if item.type == type and not item.is_wrong]
