"""The walk over all objects, and resynchronising after damage (SDJ-040, SDJ-041)."""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections import Counter
from collections.abc import Callable, Iterator
from functools import cached_property

from reference_impl.systemd_journal import layout
from reference_impl.systemd_journal.layout import align
from reference_impl.systemd_journal.objects import Fault, View

# Set in the object map for an object with a valid frame and invalid content.
BAD = 0x80


class Walk:
    """The map of valid objects: the type of the object at each offset."""

    def __init__(self, view: View) -> None:
        self.view = view
        #: One byte for eight bytes of the file: the type of the object that begins there, or 0. The
        #: array ends at the last object, because a long hole may follow.
        self.kinds = bytearray(1)
        self.counts: Counter[int] = Counter()
        #: The faults of single objects, in file order.
        self.faults: list[Fault] = []
        self.last = 0  # the last object found
        self.end = view.header.header_size  # the end of the last object
        #: The offset at which a truncation or a crash ends the objects early, or None.
        self.cut: int | None = None
        self._linked = self._main_chain()
        self._lost: list[tuple[int, int]] = []

    def kind(self, at: int) -> int:
        """Return the type of the object at an offset, with :data:`BAD` if it is unsound, or 0."""
        if at & 7 or at >> 3 >= len(self.kinds):
            return 0
        return self.kinds[at >> 3]

    def excused(self, at: int) -> bool:
        """Return whether a link to this offset leads to bytes that are already lost (SDJ-048)."""
        if self.cut is not None and at >= self.cut:
            return True
        index = bisect_right(self._lost, at, key=lambda lost: lost[0]) - 1
        return index >= 0 and self._lost[index][0] <= at < self._lost[index][1]

    @property
    def lost_something(self) -> bool:
        """Return whether an object is missing, so that counts need not match."""
        return bool(self._lost)

    def run(self, progress: Callable[[int], None] = lambda at: None) -> None:
        """Walk from the header to the tail object. ``progress`` receives each offset."""
        view, tail = self.view, self.view.header.tail_object_offset
        at = view.header.header_size
        if (hidden := view.in_the_header()) is not None:
            self._lose(Fault(hidden, at, "bad-header", "SDJ-004", "objects before header_size"))
        while True:
            progress(at)
            if self.last >= tail and not self._more_follows(at):
                break
            framed = self._framed(at)
            if isinstance(framed, str):
                if (following := self._resync(at)) is None:
                    self._end_early(at, framed)
                    break
                self._lose(Fault(at, following, "bad-object", "SDJ-011", framed))
                at = following
                continue
            object_type, flags, size = framed
            fault = view.content_fault(at, object_type, flags, size)
            following = at + align(size)
            if fault is not None and fault.end > at:
                if object_type != layout.ENTRY and following < tail:
                    # If the hash is wrong, the size may be wrong too. Check for the next object.
                    if isinstance(view.frame(following), str):
                        following = self._resync(at) or following
                    fault = Fault(at, following, fault.reason, fault.rule, fault.text)
                self._lose(fault)
                mark = object_type | BAD
            else:
                if fault is not None:
                    flags_at, _ = layout.HEADER_FIELDS["incompatible_flags"]
                    self.faults.append(
                        Fault(flags_at, flags_at + 4, fault.reason, fault.rule, fault.text)
                    )
                mark = object_type
            self.kinds.extend(bytes((at >> 3) + 1 - len(self.kinds)))
            self.kinds[at >> 3] = mark
            self.counts[object_type] += 1
            self.last, self.end = at, following
            at = following

    def sound(self, object_type: int) -> Iterator[int]:
        """Yield the offsets of the sound objects of one type, in file order."""
        for match in re.finditer(bytes((object_type,)), self.kinds):
            yield match.start() << 3

    def _lose(self, fault: Fault) -> None:
        self.faults.append(fault)
        self._lost.append((fault.start, fault.end))

    def _end_early(self, at: int, why: str) -> None:
        """Report that a crash or truncation ended the data at ``at``: no known object follows."""
        view = self.view
        if at >= view.size >= view.header.header_size + view.header.arena_size:
            return  # Nothing is missing from the file; the header claims too much (SDJ-097).
        self.cut = at
        # The length of the missing object is unknown.
        self._lose(Fault(at, max(view.size, at), "bad-object", "SDJ-041", why))

    def _more_follows(self, at: int) -> bool:
        """Return whether links or counts show more objects after the tail object (SDJ-098)."""
        index = bisect_left(self._linked, at)
        if index < len(self._linked):
            return True
        return self.counts.total() < self.view.header.n_objects and self._is_sound(at)

    def _is_sound(self, at: int) -> bool:
        framed = self.view.frame(at)
        if isinstance(framed, str):
            return False
        fault = self.view.content_fault(at, *framed)
        return fault is None or fault.end == fault.start

    def _framed(self, at: int) -> tuple[int, int, int] | str:
        """Return the frame of an object, or a text if it overlaps a linked ENTRY (SDJ-041)."""
        framed = self.view.frame(at)
        if isinstance(framed, str) or framed[0] in (layout.DATA, layout.FIELD):
            return framed  # the hash covers the length
        index = bisect_right(self._linked, at)
        if index < len(self._linked) and self._linked[index] < at + framed[2]:
            return "an object that overlaps an entry"
        return framed

    def _main_chain(self) -> list[int]:
        """Return the sound entries in the main chain, sorted. The chain is not yet checked."""
        view = self.view
        entries = {
            slot
            for array in view.chain(view.header.entry_array_offset)
            for slot in view.slots(array)
            if view.framed_type(slot) == layout.ENTRY
        }
        return sorted(filter(self._is_sound, entries))

    def _resync(self, at: int) -> int | None:
        """Return the offset of the next sound object after ``at`` with a link to it (SDJ-041)."""
        index = at >> 3
        while (index := self._known.find(1, index + 1)) >= 0:
            if self._is_sound(index << 3):
                return index << 3
        return None

    def _hash_chain(self, at: int, followed: set[int]) -> Iterator[int]:
        """Yield the objects of one hash chain, and the first entry of each DATA object.

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
                yield self.view.number(at + 40)
            last, at = at, self.view.number(at + 24)

    @cached_property
    def _known(self) -> bytearray:
        """Map all offsets that links lead to, with one byte per eight bytes of the file."""
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
            if entry >= read_up_to:  # overlapping entries are read once
                for item in view.items(entry):
                    knows(item)
                read_up_to = entry + view.object_size(entry)
        return known
