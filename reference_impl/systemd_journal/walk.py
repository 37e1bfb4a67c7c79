"""The walk over all objects, and getting back in step after damage (SDJ-040, SDJ-041)."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Iterator

from reference_impl.systemd_journal import layout
from reference_impl.systemd_journal.layout import align
from reference_impl.systemd_journal.objects import Fault, View

BAD = 0x80
"""Set in the map of objects for a DATA or FIELD with a good frame but wrong content."""


class Walk:
    """Which offsets hold a sound object of which type.

    ``kinds`` has one byte for eight bytes of the file (objects are aligned): the type, 0 for none.
    ``faults`` are those of single objects, in file order. ``cut`` is where the objects end early,
    because the file was truncated or a crash left nothing more; None if they do not end early.
    """

    def __init__(self, view: View) -> None:
        self.view = view
        self.kinds = bytearray(view.size // 8 + 1)
        self.counts = [0] * 8
        self.faults: list[Fault] = []
        self.last = 0  # the last object found
        self.end = view.header.header_size  # where the next object would go
        self.cut: int | None = None
        self._linked = self._main_chain()
        self._known: list[int] | None = None
        self._lost: list[tuple[int, int]] = []

    def kind(self, at: int) -> int:
        """The type of the sound object at an offset; 0 if there is none."""
        if at & 7 or not 0 < at < self.view.size:
            return 0
        return self.kinds[at >> 3]

    def excused(self, at: int) -> bool:
        """Whether a link to this offset leads to something already reported as lost (SDJ-048)."""
        if self.kind(at) & BAD or (self.cut is not None and at >= self.cut):
            return True
        place = bisect_right(self._lost, (at, self.view.size)) - 1
        return place >= 0 and self._lost[place][0] <= at < self._lost[place][1]

    @property
    def lost_something(self) -> bool:
        """Whether an object went missing, so that counts cannot be expected to hold."""
        return bool(self._lost)

    def run(self) -> None:
        """Walk from the header to the tail object."""
        view, tail = self.view, self.view.header.tail_object_offset
        at = view.header.header_size
        while True:
            if self.last >= tail and not self._more_follows(at):
                break
            framed = view.frame(at)
            if isinstance(framed, str) or self._swallows_an_entry(at, framed):
                why = framed if isinstance(framed, str) else "an object that covers an entry"
                if (following := self._resync(at)) is None:
                    self._end_early(at, why)
                    break
                self._lose(Fault(at, following, "bad-object", "SDJ-011", why))
                at = following
                continue
            kind, flags, size = framed
            fault = view.content_fault(at, kind, flags, size)
            following = at + align(size)
            if fault is not None and fault.end > at:
                if kind != layout.ENTRY and following < tail:
                    # If the hash is wrong, the size may be wrong too: does an object follow?
                    if isinstance(view.frame(following), str):
                        following = self._resync(at) or following
                    fault = Fault(at, following, fault.reason, fault.rule, fault.text)
                self._lose(fault)
                self.kinds[at >> 3] = kind | BAD
            else:
                if fault is not None:
                    place, _ = layout.HEADER_FIELDS["incompatible_flags"]
                    self.faults.append(
                        Fault(place, place + 4, fault.reason, fault.rule, fault.text)
                    )
                self.kinds[at >> 3] = kind
            self.counts[kind] += 1
            self.last, self.end = at, following
            at = following

    def sound(self, kind: int) -> Iterator[int]:
        """Offsets of the sound objects of one type, in file order."""
        at = self.kinds.find(kind)
        while at >= 0:
            yield at << 3
            at = self.kinds.find(kind, at + 1)

    def _lose(self, fault: Fault) -> None:
        self.faults.append(fault)
        self._lost.append((fault.start, fault.end))

    def _end_early(self, at: int, why: str) -> None:
        """No object at ``at`` and none known after it: the end of what a crash left."""
        view = self.view
        self.end = at
        if at >= view.size >= view.header.header_size + view.header.arena_size:
            return  # Nothing is missing from the file; it is the header that claims more (SDJ-049).
        self.cut = at
        # Nothing tells how long the object was that should be here.
        self._lose(Fault(at, max(view.size, at), "bad-object", "SDJ-041", why))

    def _more_follows(self, at: int) -> bool:
        """The walk has passed the tail object; do links or counts know of more (SDJ-049)?"""
        place = bisect_left(self._linked, at)
        if place < len(self._linked):
            return True
        return sum(self.counts) < self.view.header.n_objects and self._is_sound(at)

    def _is_sound(self, at: int) -> bool:
        framed = self.view.frame(at)
        if isinstance(framed, str):
            return False
        fault = self.view.content_fault(at, *framed)
        return fault is None or fault.end == fault.start

    def _is_entry(self, at: int) -> bool:
        framed = self.view.frame(at)
        return (
            not isinstance(framed, str)
            and framed[0] == layout.ENTRY
            and self.view.content_fault(at, *framed) is None
        )

    def _swallows_an_entry(self, at: int, framed: tuple[int, int, int]) -> bool:
        """Whether the size leads across an ENTRY that the main chain knows (SDJ-041)."""
        kind, _, size = framed
        if kind in (layout.DATA, layout.FIELD):
            return False  # the hash covers the length
        place = bisect_right(self._linked, at)
        return place < len(self._linked) and self._linked[place] < at + size

    def _main_chain(self) -> list[int]:
        """The entries that the main chain links, sorted: hints, not yet trusted."""
        slots: list[int] = []
        for array in self.view.chain(self.view.header.entry_array_offset):
            slots += self.view.slots(array)
        return sorted({slot for slot in slots if slot and self._is_entry(slot)})

    def _resync(self, at: int) -> int | None:
        """The next offset after ``at`` that a link knows and where a sound object is (SDJ-041)."""
        if self._known is None:
            self._known = self._links()
        for place in range(bisect_right(self._known, at), len(self._known)):
            if self._is_sound(known := self._known[place]):
                return known
        return None

    def _hash_chain(self, at: int, followed: set[int]) -> Iterator[int]:
        """The objects of one chain, and the first entry of each DATA in it: only hints, again.

        A chain ends where another one was ``followed`` (SDJ-057).
        """
        last = 0
        while at > last and at not in followed:
            framed = self.view.frame(at)
            if isinstance(framed, str) or framed[0] not in (layout.DATA, layout.FIELD):
                return
            followed.add(at)
            yield at
            if framed[0] == layout.DATA:
                yield self.view.number(at + 40)
            last, at = at, self.view.number(at + 24)

    def _links(self) -> list[int]:
        view, header = self.view, self.view.header
        known = {header.tail_object_offset, header.entry_array_offset}
        known |= {header.data_hash_table_offset - 16, header.field_hash_table_offset - 16}
        known.update(self._linked)
        known.update(view.chain(header.entry_array_offset))
        followed: set[int] = set()
        for start, size in (
            (header.data_hash_table_offset, header.data_hash_table_size),
            (header.field_hash_table_offset, header.field_hash_table_size),
        ):
            if start + size <= view.size:
                for bucket in range(start, start + size - 15, 16):
                    known.update(self._hash_chain(view.number(bucket), followed))
                    known.add(view.number(bucket + 8))
        read_up_to = 0
        for entry in self._linked:
            if entry >= read_up_to:  # those that overlap are read once
                known.update(view.items(entry))
                read_up_to = entry + view.object_size(entry)
        return sorted(offset for offset in known if offset >= header.header_size)
