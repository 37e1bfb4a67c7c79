"""Check the links between objects: main chain, hash tables, field lists and entry lists.

Each object is visited at most once for each type of link, without recursion (SDJ-057).
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator
from functools import cached_property
from itertools import islice

from reference_impl.systemd_journal import layout
from reference_impl.systemd_journal.layout import HEADER_FIELDS
from reference_impl.systemd_journal.objects import Fault, View
from reference_impl.systemd_journal.walk import BAD, Walk

#: Matches an entry's field ``_BOOT_ID``.
BOOT_FIELD = re.compile(rb"_BOOT_ID=([0-9a-fA-F]{32})")

# CHAINED marks objects that were visited in a hash chain or array chain. LISTED marks DATA objects
# that were visited in a FIELD's list.
CHAINED, LISTED = 1, 2


def grown_from(view: View, walk: Walk) -> int:
    """Return the offset after which objects may lack links in an online file (SDJ-099)."""
    if view.header.state != layout.ONLINE:
        return view.size
    last = walk.kinds.rfind(layout.ENTRY) << 3
    return min(max(last, view.header.header_size), view.header.tail_object_offset)


class Links:
    """Checks one file's links after its walk. Most methods yield the faults they find."""

    def __init__(self, view: View, walk: Walk) -> None:
        self.view = view
        self.header = view.header
        self.walk = walk
        self.linked: set[int] = set()
        self.n_linked = 0
        # The offset of the last array in the main chain, and the number of its slots that are in
        # use.
        self.last_array: tuple[int, int]
        self.chain_broken = False
        self._seen = bytearray(len(walk.kinds))
        self._entries_of: defaultdict[int, list[int]] = defaultdict(list)
        self.grown_from = grown_from(view, walk)
        # For each entry that exceeds a limit, the number of its items to read (SDJ-092).
        self.given: dict[int, int] = {}
        self._to_give = 256 * walk.end + 4 * view.max_field

    def main_chain(self) -> Iterator[Fault]:
        """Check the main chain of arrays, which lists all entries in order (SDJ-033, SDJ-034)."""
        link, width = HEADER_FIELDS["entry_array_offset"]
        at, before, last_slot, ended = self.header.entry_array_offset, 0, 0, False
        # A crash may happen between the writes of the first entry and of its array (SDJ-033).
        begun = self.header.state == layout.ONLINE and not self.header.n_entries
        if at == 0 and not begun and any(self.walk.sound(layout.ENTRY)):
            self.chain_broken = True
            yield Fault(
                link,
                link + width,
                "bad-chain",
                "SDJ-033",
                "the file has entries and no main chain",
            )
        while at:
            if at <= before or self.walk.kind(at) != layout.ENTRY_ARRAY:
                self.chain_broken = True
                if at <= before or not self.walk.excused(at):
                    text = f"the main chain leads to {at}: not an array, or before this one"
                    yield Fault(link, link + width, "bad-chain", "SDJ-033", text, at)
                return
            self._mark(at, CHAINED)
            used = 0
            for number, slot in enumerate(self.view.slots(at)):
                if slot == 0:
                    ended = True
                    continue
                is_entry = self.walk.kind(slot) == layout.ENTRY
                if ended or slot <= last_slot or not is_entry:
                    if not self.walk.excused(slot):
                        self.chain_broken = True
                        start = at + 24 + number * self.header.slot_size
                        end = start + self.header.slot_size
                        text = (
                            f"slot {number} leads to {slot}: not an ENTRY, out of order, or after 0"
                        )
                        yield Fault(start, end, "bad-chain", "SDJ-034", text, slot)
                    ended = False
                if is_entry:
                    self.linked.add(slot)
                    self.n_linked += 1
                    last_slot = max(last_slot, slot)
                    used = number + 1
            self.last_array = (at, used)
            before, link, at = at, at + 16, self.view.number(at + 16)

    def unlinked(self) -> Iterator[Fault]:
        """Yield a fault for each entry that an otherwise valid main chain omits (SDJ-046)."""
        if self.chain_broken:
            return
        for at in self.walk.sound(layout.ENTRY):
            if at not in self.linked:
                end = at + layout.align(self.view.object_size(at))
                yield Fault(at, end, "bad-chain", "SDJ-046", f"no link to the ENTRY at {at}")

    def entry(self, at: int) -> Iterator[Fault]:
        """Check an entry's items. Call this method for entries in file order (SDJ-015, SDJ-043)."""
        width, to_repeat = self.header.item_size, self.walk.end
        seen = set()
        for number, item in enumerate(self.view.items(at)):
            start = at + 64 + number * width
            size = self._sizes.get(item)
            is_repeated = item in seen
            if size is not None and not is_repeated:
                seen.add(item)
                self._entries_of[item].append(at)
            if at in self.given:
                continue
            if size is not None:
                if size <= self._to_give and size * is_repeated <= to_repeat:
                    self._to_give -= size
                    to_repeat -= size * is_repeated
                    continue
                self.given[at] = number
                text = f"the fields from item {number} on exceed the limit of an entry"
                end = at + self.view.object_size(at)
                yield Fault(start, end, "too-large", "SDJ-092", text)
            elif not self.walk.excused(item):
                text = f"item {number} leads to {item}, which is not a DATA"
                yield Fault(start, start + width, "bad-item", "SDJ-043", text, item)

    def boot_id(self, at: int) -> Iterator[Fault]:
        """Compare an entry's boot id with its field ``_BOOT_ID`` (SDJ-107)."""
        header, boot_id = self.header, self.view.data[at + 40 : at + 56]
        items = islice(self.view.items(at), self.given.get(at))
        stated = {self._boot_ids[item] for item in items if item in self._boot_ids}
        if not stated or boot_id in stated:
            return
        if boot_id == header.tail_entry_boot_id and not (
            header.compatible_flags & layout.TAIL_ENTRY_BOOT_ID
        ):
            # Before systemd 240, systemd-journal-remote stored the boot id of its own machine.
            return
        text = f"the boot id of the ENTRY at {at} is not its _BOOT_ID"
        yield Fault(at + 40, at + 56, "bad-entry", "SDJ-107", text)

    @cached_property
    def _sizes(self) -> dict[int, int]:
        """Return the payload size of each valid DATA by offset."""
        return {at: self.view.payload_size(at) for at in self.walk.sound(layout.DATA)}

    @cached_property
    def _boot_ids(self) -> dict[int, bytes]:
        """Return the boot id that each DATA for ``_BOOT_ID`` states, by offset."""
        return {
            at: bytes.fromhex(match[1].decode())
            for at, size in self._sizes.items()
            if size == 41 and (match := BOOT_FIELD.fullmatch(self.view.payload(at)))
        }

    def tables(self) -> Iterator[Fault]:
        """Check the hash tables and their chains, and report objects missing from them."""
        yield from self._table(layout.DATA, layout.DATA_HASH_TABLE, "data_hash_table")
        yield from self._table(layout.FIELD, layout.FIELD_HASH_TABLE, "field_hash_table")

    def _table(self, object_type: int, table_kind: int, name: str) -> Iterator[Fault]:
        offset = getattr(self.header, f"{name}_offset")
        size = getattr(self.header, f"{name}_size")
        table = offset - 16
        tables = list(self.walk.sound(table_kind))
        link, _ = HEADER_FIELDS[f"{name}_offset"]
        if not tables and not offset and not size:
            return  # SDJ-016: tables may be missing
        if tables != [table] or self.view.object_size(table) - 16 != size:
            if not self.walk.excused(table):
                text = f"the header places the {name} at {offset}, {size} bytes"
                yield Fault(link, link + 16, "bad-header", "SDJ-016", text)
            return
        broken = False
        for bucket, ends in enumerate(self.view.buckets(offset, size)):
            if not any(ends):  # most buckets are empty
                continue
            for fault in self._bucket(object_type, offset + bucket * 16, bucket, size // 16, *ends):
                broken = True
                yield fault
        if broken or self.walk.lost_something:
            return
        for at in self.walk.sound(object_type):
            if not self._seen[at >> 3] & CHAINED:
                text = f"the {layout.TYPE_NAMES[object_type]} at {at} is not in its table"
                yield Fault(at + 24, at + 32, "bad-index", "SDJ-095", text)

    def _bucket(
        self, object_type: int, slot: int, bucket: int, buckets: int, at: int, tail: int
    ) -> Iterator[Fault]:
        """Check the hash chain in one bucket, from its first to its last object."""
        link, last = slot, 0
        while at:
            actual = self.walk.kind(at)
            if actual & ~BAD != object_type or at <= last or self._mark(at, CHAINED):
                if not self.walk.excused(at):
                    text = f"bucket {bucket}: invalid link to {at}"
                    yield Fault(link, link + 8, "bad-index", "SDJ-024", text, at)
                return
            # A link is valid even if the content of its target is damaged.
            is_compared = not actual & BAD and at not in self.walk.wrong_hashes
            if is_compared and self.view.number(at + 16) % buckets != bucket:
                text = f"the object at {at} does not belong in bucket {bucket}"
                yield Fault(link, link + 8, "bad-index", "SDJ-024", text, at)
            last, link, at = at, at + 24, self.view.number(at + 24)
        if tail != last and not self.walk.excused(tail):
            text = f"bucket {bucket}: expected tail {last}, found {tail}"
            newest = max(tail, last)
            yield Fault(slot + 8, slot + 16, "bad-index", "SDJ-024", text, newest=newest)

    def fields(self) -> Iterator[Fault]:
        """Check each FIELD's list of DATA objects (SDJ-025)."""
        broken, names = False, set()
        for field in self.walk.sound(layout.FIELD):
            name = self.view.data[field + 40 : field + self.view.object_size(field)] + b"="
            names.add(name)
            link, at, last = field + 32, self.view.number(field + 32), self.view.size
            while at:
                good = self.walk.kind(at) == layout.DATA and at < last
                if not good or self._mark(at, LISTED) or self._other_name(at, name):
                    broken = True
                    if not self.walk.excused(at):
                        text = f"the list of {name[:-1]!r} leads to {at}"
                        yield Fault(link, link + 8, "bad-index", "SDJ-025", text, at)
                    break
                last, link = at, at + 32
                at = self.view.number(at + 32)
        if broken or self.walk.lost_something:
            return
        for at in self.walk.sound(layout.DATA):
            if self._seen[at >> 3] & LISTED:
                continue
            name = self.view.payload(at).partition(b"=")[0]
            if name + b"=" in names:
                text = f"the DATA at {at} is not in the list of {name!r}"
                yield Fault(at + 32, at + 40, "bad-index", "SDJ-025", text)

    def _other_name(self, at: int, name: bytes) -> bool:
        return not self.view.payload(at).startswith(name)

    def data_arrays(self, progress: Callable[[int], None] = lambda at: None) -> Iterator[Fault]:
        """Compare the entries that each DATA lists with the entries that contain it (SDJ-036)."""
        for at in self.walk.sound(layout.DATA):
            progress(at)
            yield from self._data_array(at)

    def _data_array(self, data: int) -> Iterator[Fault]:
        fixed = self.view.data[data + 16 : data + 64]
        _, _, _, first, array, claimed = layout.DATA_FIXED.unpack(fixed)
        if bool(first) != bool(claimed):
            text = f"the DATA at {data} counts {claimed} entries, and its first entry is {first}"
            yield Fault(data + 56, data + 64, "bad-index", "SDJ-036", text, newest=first)
            return
        listed: list[int] = []
        if first:
            if self.walk.kind(first) != layout.ENTRY:
                if not self.walk.excused(first):
                    text = f"the first entry of the DATA at {data} is {first}"
                    yield Fault(data + 40, data + 48, "bad-index", "SDJ-036", text, first)
                return
            listed.append(first)
        link, before, last_array, used, left, ended = data + 48, 0, 0, 0, claimed - 1, False
        while array:
            known = array > before and self.walk.kind(array) == layout.ENTRY_ARRAY
            if left < 1 or not known or self._mark(array, CHAINED):
                if array <= before or not self.walk.excused(array):
                    text = f"the entry list of {data} leads to {array}, no array or before this one"
                    yield Fault(link, link + 8, "bad-index", "SDJ-036", text, array)
                return
            for number, slot in enumerate(self.view.slots(array)):
                if slot == 0:
                    ended = True
                    continue
                wrong = ended or left < 1 or slot < listed[-1]
                if wrong or self.walk.kind(slot) != layout.ENTRY:
                    if not self.walk.excused(slot):
                        start = array + 24 + number * self.header.slot_size
                        end = start + self.header.slot_size
                        text = f"slot {number} of the array at {array} leads to {slot}"
                        yield Fault(start, end, "bad-index", "SDJ-036", text, slot)
                    return
                # systemd up to 247 lists a repeated field twice (SDJ-019).
                if slot > listed[-1]:
                    listed.append(slot)
                last_array, used, left = array, number + 1, left - 1
            before, link, array = array, array + 16, self.view.number(array + 16)
        right = self._entries_of.get(data, [])
        if left > 0 or listed != right:
            if not self.walk.lost_something:
                text = f"the DATA at {data} lists {len(listed)} of {claimed}; {len(right)} have it"
                older = [
                    [at for at in entries if at < self.grown_from] for entries in (listed, right)
                ]
                newest = self.view.size if older[0] == older[1] else max([data, *listed])
                yield Fault(data + 56, data + 64, "bad-index", "SDJ-036", text, newest=newest)
        elif self.header.compact and last_array:
            stored = self.view.number(data + 64)
            if stored and stored != last_array | used << 32:
                text = f"the tail of the entries of the DATA at {data} is wrong"
                yield Fault(data + 64, data + 72, "bad-index", "SDJ-036", text, newest=last_array)

    def impostors(self, faults: Iterable[Fault]) -> Iterator[Fault]:
        """Yield a fault for each array or table to which only invalid links point (SDJ-096).

        Call this method after all others, with all faults found so far.
        """
        named = [self.view.named_table(object_type) for object_type in layout.TABLES]
        for at in dict.fromkeys(fault.target for fault in faults):
            object_type = self.walk.kind(at)
            array = object_type == layout.ENTRY_ARRAY and not self._seen[at >> 3] & CHAINED
            if array or (object_type in layout.TABLES and at not in named):
                text = f"no valid link leads to the {layout.TYPE_NAMES[object_type]} at {at}"
                end = at + layout.align(self.view.object_size(at))
                yield Fault(at, end, "bad-object", "SDJ-096", text)

    def _mark(self, at: int, bit: int) -> bool:
        """Mark an object as visited, and return whether it was already marked."""
        seen = bool(self._seen[at >> 3] & bit)
        self._seen[at >> 3] |= bit
        return seen
