"""The walk over all objects, which resynchronises after damage (SDJ-040, SDJ-041)."""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import replace
from functools import cached_property

from reference_impl.systemd_journal import layout
from reference_impl.systemd_journal.hashes import jenkins64, siphash24
from reference_impl.systemd_journal.layout import Header, align
from reference_impl.systemd_journal.objects import (
    FIELD_NAME,
    Fault,
    View,
    hash_of,
    is_field_payload,
)

# If only the content of an object is invalid, the map shows its type plus this flag.
BAD = 0x80

_HASHED = (layout.DATA, layout.FIELD)
# The hash of such an object can prove that its size differs from the stored size.
_PROVABLE = (*_HASHED, layout.ENTRY)
# Maximum number of names for which other file ids are tried (SDJ-106).
_NAMES_TO_TRY = 16


def _is_valid(fault: Fault | None) -> bool:
    """Return whether an object has no content fault, or only the one of SDJ-027."""
    return fault is None or fault.end == fault.start


class Walk:
    """A walk over the objects, which maps their offsets to their types."""

    def __init__(self, view: View) -> None:
        self.view = view
        #: For every eight bytes of the file, one byte with the type of the object that begins
        #: there, or 0. The array ends at the last object, because a large hole may follow.
        self.kinds = bytearray(1)
        self.counts: Counter[int] = Counter()
        #: The faults in single objects, in file order.
        self.faults: list[Fault] = []
        self.last = 0  # This is the offset of the last object found.
        self.end = view.header.header_size  # This is the end of that object.
        #: The offset at which a truncation or crash removed the remaining objects, or None.
        self.cut: int | None = None
        self._linked = self._main_chain()
        self._lost: list[tuple[int, int]] = []
        # The last search for a known object: the offset where it began, and the index of the last
        # offset that it tried.
        self._search = -1, 0
        self._found: int | None = None
        # For each DATA or FIELD object with a wrong hash, its fault.
        self._suspects: dict[int, Fault] = {}
        #: DATA objects that are valid despite a wrong hash, because an entry proves them (SDJ-105).
        self.wrong_hashes: set[int] = set()
        self._has_right_hash = False
        self._jenkins: dict[int, int | None] = {}

    def kind(self, at: int) -> int:
        """Return the object type at an offset, with :data:`BAD` if it is invalid, or 0 if none."""
        if at & 7 or at >> 3 >= len(self.kinds):
            return 0
        return self.kinds[at >> 3]

    def excused(self, at: int) -> bool:
        """Return whether a link to this offset leads into bytes already reported lost (SDJ-048)."""
        if self.cut is not None and at >= self.cut:
            return True
        index = bisect_right(self._lost, at, key=lambda lost: lost[0]) - 1
        return index >= 0 and self._lost[index][0] <= at < self._lost[index][1]

    @property
    def lost_something(self) -> bool:
        """Return whether objects are missing, in which case counts need not match."""
        return bool(self._lost)

    def run(self, progress: Callable[[int], None] = lambda at: None) -> None:
        """Walk from the header to the tail object, and call ``progress`` with each offset."""
        view, tail = self.view, self.view.header.tail_object_offset
        at = view.header.header_size
        if (hidden := view.in_the_header()) is not None:
            self._lose(Fault(hidden, at, "bad-header", "SDJ-004", "objects before header_size"))
        while True:
            progress(at)
            if self.last >= tail and not self._more_follows(at):
                break
            used = self._usable(at)
            if isinstance(used, str):
                if (following := self._known_object(at)) is None:
                    self._end_early(at, used)
                    break
                self._lose(Fault(at, following, "bad-object", "SDJ-011", used))
                at = following
                continue
            object_type, flags, size, fault = used
            following = at + align(size)
            mark = object_type
            if fault is not None and not _is_valid(fault):
                if object_type != layout.ENTRY and following < tail:
                    # If the hash is wrong, the size may be wrong, too. Check that an object
                    # follows.
                    if isinstance(view.frame(following), str):
                        following = self._known_object(at) or following
                    fault = Fault(at, following, fault.reason, fault.rule, fault.text)
                self._lose(fault)
                if fault.reason == "hash-mismatch":
                    self._suspects[at] = fault
                mark |= BAD
            else:
                self._has_right_hash |= object_type in _HASHED
                if fault is not None:
                    flags_at, _ = layout.HEADER_FIELDS["incompatible_flags"]
                    self.faults.append(
                        Fault(flags_at, flags_at + 4, fault.reason, fault.rule, fault.text)
                    )
            if flags & layout.OBJECT_COMPRESSED and object_type != layout.DATA:
                text = f"a compressed {layout.TYPE_NAMES[object_type]}"
                self.faults.append(Fault(at + 1, at + 2, "bad-object", "SDJ-026", text))
            if size != view.number(at + 8):
                text = f"a {layout.TYPE_NAMES[object_type]} of {size} bytes with another size"
                self.faults.append(Fault(at + 8, at + 16, "bad-object", "SDJ-104", text))
            self.kinds.extend(bytes((at >> 3) + 1 - len(self.kinds)))
            self.kinds[at >> 3] = mark
            self.counts[object_type] += 1
            self.last, self.end = at, following
            at = following

    def prove(self) -> None:
        """Accept fields that have a wrong hash if an entry proves them (SDJ-105)."""
        proven = self._proven()
        # If all keyed hashes are wrong, the file's key must be wrong.
        is_wrong_key = bool(proven) and self.view.header.keyed and not self._has_right_hash
        if is_wrong_key:
            proven |= {at for at in self._suspects if self.kind(at) == layout.FIELD | BAD}
        else:
            self.wrong_hashes = proven
        changed: dict[Fault, list[Fault]] = {}
        rest: list[tuple[int, int]] = []
        for at in proven:
            fault, object_type = self._suspects[at], self.kind(at) & ~BAD
            end = at + align(self.view.object_size(at))
            self.kinds[at >> 3] = object_type
            changed[fault] = []
            if not is_wrong_key:
                changed[fault].append(Fault(at + 16, at + 24, fault.reason, "SDJ-105", fault.text))
            if fault.end > end:
                rest.append((end, fault.end))
                text = "no object after a field"
                changed[fault].append(Fault(end, fault.end, "bad-object", "SDJ-041", text))
        # Filter the list once, because each removal would search it.
        no_longer = {(fault.start, fault.end) for fault in changed}
        self._lost = sorted([*(lost for lost in self._lost if lost not in no_longer), *rest])
        self.faults = [new for fault in self.faults for new in changed.get(fault, [fault])]
        if is_wrong_key:
            at, size = layout.HEADER_FIELDS["file_id"]
            text = "no keyed hash is right"
            self.faults.insert(0, Fault(at, at + size, "bad-header", "SDJ-106", text))

    def _proven(self) -> set[int]:
        """Return the DATA objects that an entry proves although their hash is wrong (SDJ-105)."""
        view, proven = self.view, set[int]()
        if not self._suspects:
            return proven
        hashes: dict[int, int] = {}
        for at in self._suspects:
            if self.jenkins(at) is not None:
                hashes[at] = view.hash(view.payload(at))
                if (hashes[at] ^ view.number(at + 16)).bit_count() == 1:
                    proven.add(at)
                    self._has_right_hash = True
        for entry in self.sound(layout.ENTRY):
            suspects = self._suspects.keys() & view.items(entry)
            if not suspects:
                continue
            items = Counter(view.items(entry))
            if not view.header.compact:
                for at, stored in view.item_hashes(entry):
                    if hashes.get(at) == stored:
                        proven.add(at)
                        self._has_right_hash = True
            left = view.entry(entry).xor_hash
            for at, count in items.items():
                if (number := self.jenkins(at)) is None:
                    break
                left ^= number * (count & 1)
            else:
                if not left:
                    proven.update(at for at in suspects if items[at] == 1)
        return proven

    def right_key(self) -> tuple[str, Header] | None:
        """Return the header field that makes all hashes wrong, and the header with it corrected.

        Return None if any hash is right, or if neither the keyed flag nor one bit of the file id
        explains why all are wrong (SDJ-106).
        """
        header, view, names = self.view.header, self.view, dict[int, bytes]()
        if self._has_right_hash:
            return None
        for at in self._suspects:
            is_field = self.kind(at) == layout.FIELD | BAD
            name = bytes(view.data[at + 40 : at + view.object_size(at)])
            payload = name if is_field else view.payload(at)
            if view.number(at + 16) == hash_of(payload, header, not header.keyed):
                flags = header.incompatible_flags ^ layout.KEYED_HASH
                return "incompatible_flags", replace(header, incompatible_flags=flags)
            if is_field and FIELD_NAME.fullmatch(name) and len(names) < _NAMES_TO_TRY:
                names[at] = name
        for at, name in names.items() if header.keyed else ():
            for bit in range(128):
                file_id = (int.from_bytes(header.file_id) ^ 1 << bit).to_bytes(16)
                if siphash24(name, file_id) == view.number(at + 16):
                    return "file_id", replace(header, file_id=file_id)
        return None

    def sound(self, object_type: int) -> Iterator[int]:
        """Yield the offsets of all valid objects of one type, in file order."""
        for match in re.finditer(bytes((object_type,)), self.kinds):
            yield match.start() << 3

    def _lose(self, fault: Fault) -> None:
        self.faults.append(fault)
        self._lost.append((fault.start, fault.end))

    def _end_early(self, at: int, why: str) -> None:
        """Report the rest as lost, because the data was cut off and no known object follows."""
        view = self.view
        if at >= view.size >= view.header.header_size + view.header.arena_size:
            return  # Nothing is missing, but the header states too much (SDJ-097).
        self.cut = at
        # The range extends to the end of the file, because the length of the missing object is
        # unknown.
        self._lose(Fault(at, max(view.size, at), "bad-object", "SDJ-041", why))

    def _more_follows(self, at: int) -> bool:
        """Return whether links or counts show that objects follow the tail object (SDJ-098)."""
        index = bisect_left(self._linked, at)
        if index < len(self._linked):
            return True
        return self.counts.total() < self.view.header.n_objects and self._is_sound(at)

    def _is_sound(self, at: int) -> bool:
        framed = self.view.frame(at)
        if isinstance(framed, str):
            return False
        return _is_valid(self.view.content_fault(at, *framed))

    def _usable(self, at: int) -> tuple[int, int, int, Fault | None] | str:
        """Return the type, flags, size and content fault of the object to use at an offset.

        If there is none, return a text that says why (SDJ-041, SDJ-104).
        """
        view, framed = self.view, self.view.frame(at)
        own, text = None, str(framed)
        # If only the size of a DATA or FIELD may be wrong, this is its end with padding.
        end: int | None = None
        if not isinstance(framed, str):
            object_type, flags, size = framed
            fault = view.content_fault(at, object_type, flags, size)
            own = object_type, flags, size, fault
            is_proven = object_type in _HASHED and _is_valid(fault)
            if self._known_object(at, at + size) is None:
                if is_proven or object_type not in _PROVABLE:
                    return own
                following = at + align(size)
                end = following if isinstance(view.frame(following), tuple) else None
            elif not is_proven:
                own, text = None, "an object that overlaps a known object"
        corrected = self._with_right_size(at, own[2] if own else 0, end)
        return corrected or own or text

    def _with_right_size(
        self, at: int, own_size: int, end: int | None
    ) -> tuple[int, int, int, Fault | None] | None:
        """Return the object with its true size if its size field is wrong, else None (SDJ-104)."""
        view = self.view
        if at + layout.OBJECT_SIZE > view.size:
            return None
        object_type, flags, _ = layout.OBJECT_HEADER.unpack_from(view.data, at)
        size = None
        if object_type == layout.ENTRY:
            size = self._size_by_xor_hash(at, own_size) if own_size else self._size_by_items(at)
        elif object_type in layout.TABLES and at == view.named_table(object_type):
            size = 16 + view.named_table_size(object_type)
            if at + size > (self._known_object(at) or view.size):
                return None
        elif object_type in _HASHED and (end := end or self._known_object(at)) is not None:
            size = end - at - 7 + len(view.data[end - 7 : end].rstrip(b"\0"))
        if not size or size == own_size:
            return None
        view.true_sizes[at] = size
        if not isinstance(view.frame(at), str):
            fault = view.content_fault(at, object_type, flags, size)
            if object_type not in _HASHED or _is_valid(fault):
                return object_type, flags, size, fault
        del view.true_sizes[at]
        return None

    def _size_by_items(self, at: int) -> int | None:
        """Return the size of an ENTRY up to the first item that leads to no DATA, or None."""
        view, size = self.view, layout.FIXED_SIZE[layout.ENTRY]
        # No type is a multiple of 8, so an object header cannot look like a link to a DATA.
        while (item := self._item(at + size)) is not None:
            if item & 7 or not (self.kind(item) == layout.DATA or self.excused(item)):
                break
            size += view.header.item_size
        is_cut = item is None and view.header.header_size + view.header.arena_size > view.size
        is_free = at + size <= (self._known_object(at) or view.size)
        return size if is_free and not is_cut else None

    def _size_by_xor_hash(self, at: int, own_size: int) -> int | None:
        """Return the size above ``own_size`` at which an ENTRY's items match its hash, or None."""
        view, size = self.view, layout.FIXED_SIZE[layout.ENTRY]
        item = self._item(at + max(own_size, size))
        if item is None or self.jenkins(item) is None:
            return None  # No item follows, as after most entries.
        left = view.number(at + 56)
        while (item := self._item(at + size)) is not None:
            if (number := self.jenkins(item)) is None:
                return None
            left, size = left ^ number, size + view.header.item_size
            if not left and size > own_size:
                return size
        return None

    def _item(self, at: int) -> int | None:
        """Return the offset that the item at ``at`` stores, or None if no item fits there."""
        width = self.view.header.item_size
        if at + width > self.view.size:
            return None
        return int.from_bytes(self.view.data[at : at + min(8, width)], "little")

    def jenkins(self, at: int) -> int | None:
        """Return the Jenkins hash of a DATA object, or None if it has no payload (SDJ-020)."""
        if at in self._jenkins:
            return self._jenkins[at]
        kind = self.kind(at)
        if kind == layout.DATA or (kind == layout.DATA | BAD and at in self._suspects):
            payload = self.view.payload(at)
            # Remember failures, too. Otherwise, each entry would read this payload again.
            self._jenkins[at] = jenkins64(payload) if is_field_payload(payload) else None
        return self._jenkins.get(at)

    def _main_chain(self) -> list[int]:
        """Return the sorted offsets of valid entries that the unchecked main chain lists."""
        view = self.view
        entries = {
            slot
            for array in view.chain(view.header.entry_array_offset)
            for slot in view.slots(array)
            if view.framed_type(slot) == layout.ENTRY
        }
        return sorted(filter(self._is_sound, entries))

    def _known_object(self, at: int, limit: int | None = None) -> int | None:
        """Return the next valid object between ``at`` and ``limit`` to which a link leads, or None.

        No offset is tried twice for the same ``at`` (SDJ-041, SDJ-102).
        """
        end = len(self._known) if limit is None else -(-limit // 8)
        if self._search[0] != at:
            self._search, self._found = (at, at >> 3), None
        _, index = self._search
        while self._found is None and index + 1 < end:
            index = self._known.find(1, index + 1, end)
            if index < 0:
                index = end - 1
            elif self._is_sound(index << 3):
                self._found = index << 3
            elif self.view.framed_type(index << 3) not in _HASHED or self.view.hashed_too_much:
                # This place stays invalid and costs no budget, so do not try it again.
                self._known[index] = 0
        self._search = at, index
        return self._found if self._found is None or self._found >> 3 < end else None

    def _hash_chain(self, at: int, followed: set[int]) -> Iterator[int]:
        """Yield the objects in a hash chain, and each DATA's links to its first entry and array.

        The chain ends at an object that is already in ``followed`` (SDJ-057).
        """
        last = 0
        while at > last and at not in followed:
            object_type = self.view.framed_type(at)
            if object_type not in (layout.DATA, layout.FIELD):
                return
            followed.add(at)
            yield at
            if object_type == layout.DATA:
                yield from (self.view.number(at + 40), self.view.number(at + 48))
            last, at = at, self.view.number(at + 24)

    @cached_property
    def _known(self) -> bytearray:
        """Mark all offsets that links lead to, with one byte per eight bytes of the file."""
        view, header = self.view, self.view.header
        known = bytearray(view.size // 8 + 1)

        def knows(*offsets: int) -> None:
            for at in offsets:
                if 0 <= at < view.size and not at & 7:
                    known[at >> 3] = 1

        knows(header.tail_object_offset, header.entry_array_offset)
        knows(header.data_hash_table_offset - 16, header.field_hash_table_offset - 16)
        knows(*self._linked)
        knows(*view.chain(header.entry_array_offset))
        followed: set[int] = set()
        for start, size in (
            (header.data_hash_table_offset, header.data_hash_table_size),
            (header.field_hash_table_offset, header.field_hash_table_size),
        ):
            if start + size <= view.size:
                for head, tail in view.buckets(start, size):
                    knows(*self._hash_chain(head, followed), tail)
        read_up_to = 0
        for entry in self._linked:
            # If entries overlap, read their bytes only once.
            if entry >= read_up_to:
                for item in view.items(entry):
                    knows(item)
                read_up_to = entry + view.object_size(entry)
        return known
