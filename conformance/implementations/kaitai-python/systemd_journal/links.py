"""Links between objects: the main chain, items, hash tables, lists of fields and of entries."""

from __future__ import annotations

import re
from typing import Any

from .faults import CHAIN, ENTRIES, FIELDS, HEADER, LISTS, MISLED, TABLES, Fault, Found
from .walk import ARRAY, DATA, DATA_TABLE, ENTRY, FIELD, FIELD_TABLE, Journal

_BOOT_ID = re.compile(rb"_BOOT_ID=([0-9a-fA-F]{32})")


class Links:
    """The link checks of a walked journal."""

    def __init__(self, journal: Journal) -> None:
        self.journal = journal
        self.entries = journal.sound(ENTRY)
        # The offset of the last valid entry, or of the first object if no entry is valid.
        self.last_entry = self.entries[-1].at if self.entries else journal.header_size
        self.linked: set[int] = set()
        self.used_slots = 0
        # The offset of the last array in the main chain, and the number of its slots up to the last
        # used one.
        self.last_array = (0, 0)
        self.is_chain_broken = False
        self.users: dict[int, list[int]] = {}
        # Offsets of the arrays that a chain or list has reached.
        self.arrays: set[int] = set()
        # Maps the target of each invalid link to the first fault of such a link.
        self.misled: dict[int, Fault] = {}
        # Maps the offset of each entry that is too large to the number of its items that count
        # (SDJ-092).
        self.given: dict[int, int] = {}

    def sound(self, link: int, *types: int) -> Found | None:
        """Return the valid object of one of these types that a link leads to."""
        target = self.journal.objects.get(link)
        return target if target and target.type in types and not target.is_wrong else None

    def wrong(self, step: int, code: str, start: int, size: int, link: int) -> None:
        """Report an invalid link."""
        fault = Fault(step, code, start, start + size, (link,))
        self.journal.blame(fault)
        self.misled.setdefault(link, fault)

    def check_header(self) -> None:
        """Check the reserved bytes (SDJ-008) and the range of ``tail_object_offset`` (SDJ-097)."""
        journal, tail = self.journal, self.journal.header.tail_object_offset
        if any(journal.header.reserved):
            journal.blame(Fault(HEADER, "bad-header", 17, 24))
        end = max(journal.size, journal.header_size + journal.header.arena_size)
        if tail % 8 or (tail and not journal.header_size <= tail <= end - 16):
            journal.blame(Fault(HEADER, "bad-header", 136, 144, is_late=True))

    # The methods below check the main chain (SDJ-033, SDJ-034, SDJ-046).

    def check_chain(self) -> None:
        """Check the arrays that list all entries."""
        journal, link, link_at, before = (
            self.journal,
            self.journal.header.entry_array_offset,
            176,
            0,
        )
        highest, is_after_hole = 0, False
        is_begun = journal.is_online and not journal.header.n_entries
        if not link and self.entries and not is_begun:
            self.is_chain_broken = True
            self.wrong(CHAIN, "bad-chain", 176, 8, link)
        while link:
            array = self.sound(link, ARRAY)
            if array is None or link <= before:
                self.is_chain_broken = True
                if link <= before or not journal.has_lost(link):
                    self.wrong(CHAIN, "bad-chain", link_at, 8, link)
                return
            self.arrays.add(link)
            used = 0
            for number, slot in enumerate(array.body.slots):
                listed = slot.ofs_listed
                if not listed:
                    is_after_hole = True
                    continue
                used = number + 1
                self.used_slots += 1
                is_first, is_after_hole = is_after_hole, False
                entry = self.sound(listed, ENTRY)
                if entry is None and journal.has_lost(listed):
                    continue
                is_above = listed > highest
                if entry is not None:
                    self.linked.add(listed)
                    highest = max(highest, listed)
                if entry is None or is_first or not is_above:
                    self.is_chain_broken = True
                    at = link + 24 + number * journal.width
                    self.wrong(CHAIN, "bad-chain", at, journal.width, listed)
            self.last_array = link, used
            before, link_at, link = link, link + 16, array.body.ofs_next_entry_array
        for entry in [] if self.is_chain_broken else self.left_out():
            journal.blame(Fault(CHAIN, "bad-chain", entry.at, entry.end))

    def left_out(self) -> list[Found]:
        """Return the entries that the main chain omits."""
        return [entry for entry in self.entries if entry.at not in self.linked]

    # Entries (SDJ-043, SDJ-047, SDJ-107)

    def check_entries(self) -> None:
        """Check each entry, and collect the entries that contain each DATA object."""
        width, number = 4 if self.journal.is_compact else 16, 0
        to_give = 256 * self.journal.place + 4 * self.journal.limit
        for entry in self.entries:
            if entry.body.seqnum <= number:
                self.journal.blame(Fault(ENTRIES, "bad-order", entry.at + 16, entry.at + 24))
            number = entry.body.seqnum
            had, repeated = set(), 0
            for index, item in enumerate(entry.body.items):
                link, start = item.ofs_data, entry.at + 64 + index * width
                if data := self.sound(link, DATA):
                    self.users.setdefault(link, []).append(entry.at)
                if entry.at in self.given:
                    continue
                if data is None:
                    if not self.journal.has_lost(link):
                        self.wrong(ENTRIES, "bad-item", start, width, link)
                    continue
                size = len(data.payload)
                repeated += size if link in had else 0
                had.add(link)
                if size <= to_give and repeated <= self.journal.place:
                    to_give -= size
                    continue
                self.given[entry.at] = index
                stop = entry.at + entry.parsed.len_object
                self.journal.blame(Fault(ENTRIES, "too-large", start, stop))
            self.check_boot_id(entry)

    def check_boot_id(self, entry: Found) -> None:
        """Compare the boot id of an entry with its fields (SDJ-107)."""
        matches = [_BOOT_ID.fullmatch(payload) for payload in self.payloads(entry)]
        boot_ids = {bytes.fromhex(match[1].decode()) for match in matches if match}
        header, boot_id = self.journal.header, entry.body.boot_id
        if boot_id == header.tail_entry_boot_id and not header.compatible_flags & 2:
            return
        if boot_ids and boot_id not in boot_ids:
            self.journal.blame(Fault(ENTRIES, "bad-entry", entry.at + 40, entry.at + 56))

    def payloads(self, entry: Found) -> list[bytes]:
        """Return the valid fields of an entry, in stored order."""
        given = entry.body.items[: self.given.get(entry.at)]
        objects = (self.sound(item.ofs_data, DATA) for item in given)
        return [data.payload for data in objects if data]

    # Hash tables (SDJ-016, SDJ-024, SDJ-095)

    def check_tables(self) -> None:
        """Check both tables and their chains."""
        for type, member_type, field_at in ((DATA_TABLE, DATA, 104), (FIELD_TABLE, FIELD, 120)):
            offset, size = self.journal.place_of_table(type)
            tables, at = self.journal.sound(type), offset - 16
            if not offset and not size and not tables:
                continue
            is_right = [table.at for table in tables] == [at]
            if is_right and size == 16 * len(tables[0].body.buckets):
                self.check_table(tables[0], member_type)
            elif is_right or not self.journal.has_lost(at):
                self.journal.blame(Fault(TABLES, "bad-header", field_at, field_at + 16))

    def check_table(self, table: Found, member_type: int) -> None:
        """Check the chains of one table, and check that they contain all objects of a type."""
        reached: set[int] = set()
        buckets = table.body.buckets
        unbroken = [
            self.check_bucket(
                bucket, table.at + 16 + 16 * number, member_type, (number, len(buckets)), reached
            )
            for number, bucket in enumerate(buckets)
        ]
        if all(unbroken) and self.journal.is_whole():
            for member in self.journal.sound(member_type):
                if member.at not in reached:
                    self.journal.blame(Fault(TABLES, "bad-index", member.at + 24, member.at + 32))

    def check_bucket(
        self,
        bucket: Any,
        link_at: int,
        member_type: int,
        number: tuple[int, int],
        reached: set[int],
    ) -> bool:
        """Check one chain and return whether it is unbroken."""
        tail_place, before, is_unbroken = link_at + 8, 0, True
        link, tail = bucket.ofs_head, bucket.ofs_tail
        while link:
            member = self.journal.objects.get(link)
            is_kind = member is not None and member.type == member_type
            is_new = link > before and link not in reached
            is_doubtful = member and (
                member.is_wrong or (member.type == DATA and member.has_wrong_hash)
            )
            if member is not None and is_kind and is_doubtful and is_new:
                pass  # the links of this object are still valid
            elif self.journal.has_lost(link):
                return False
            elif member is None or not is_kind or not is_new:
                self.wrong(TABLES, "bad-index", link_at, 8, link)
                return False
            elif member.body.hash % number[1] != number[0]:
                is_unbroken = False
                self.wrong(TABLES, "bad-index", link_at, 8, link)
            reached.add(link)
            before, link_at, link = link, link + 24, member.body.ofs_next_hash
        if tail == before:
            return is_unbroken
        if not self.journal.has_lost(tail):
            last = Fault(TABLES, "bad-index", tail_place, tail_place + 8, (tail, before))
            self.journal.blame(last)
        return False

    # Lists of fields (SDJ-025)

    def check_fields(self) -> None:
        """Check the lists of all FIELD objects, and check that they contain all DATA objects."""
        had: set[int] = set()
        fields = self.journal.sound(FIELD)
        unbroken = [self.check_field(field, had) for field in fields]
        if all(unbroken) and self.journal.is_whole():
            names = {field.payload for field in fields}
            for data in self.journal.sound(DATA):
                if data.at not in had and name_of(data) in names:
                    self.journal.blame(Fault(FIELDS, "bad-index", data.at + 32, data.at + 40))

    def check_field(self, field: Found, had: set[int]) -> bool:
        """Check one list, newest first, and return whether it is unbroken."""
        link, link_at, before = field.body.ofs_head_data, field.at + 32, self.journal.size
        while link:
            if self.journal.has_lost(link):
                return False
            data = self.sound(link, DATA)
            is_next = data is not None and link < before and link not in had
            if is_next:
                had.add(link)
            if not data or not is_next or name_of(data) != field.payload:
                self.wrong(FIELDS, "bad-index", link_at, 8, link)
                return False
            before, link_at, link = link, link + 32, data.body.ofs_next_field
        return True

    # Lists of entries (SDJ-036)

    def check_lists(self) -> None:
        """Check the entry list of each DATA object."""
        for data in self.journal.sound(DATA):
            self.check_list(data)

    def check_list(self, data: Found) -> None:
        """Compare the list of a DATA object with the entries that contain this object."""
        journal, body = self.journal, data.body
        users = list(dict.fromkeys(self.users.get(data.at, [])))  # SDJ-019
        if bool(body.ofs_entry) != bool(body.num_entries):
            journal.blame(Fault(LISTS, "bad-index", data.at + 56, data.at + 64, (body.ofs_entry,)))
            return
        listed: list[int] = []
        link, link_at, last, used = body.ofs_entry_array, data.at + 48, 0, 0
        if body.ofs_entry and not self.take(body.ofs_entry, data.at + 40, 8, listed):
            return
        has_hole = False
        while link:
            array = self.sound(link, ARRAY)
            is_due = len(listed) < body.num_entries
            if array is None or not is_due or link in self.arrays or link <= last:
                if link <= last or not journal.has_lost(link):
                    self.wrong(LISTS, "bad-index", link_at, 8, link)
                return
            self.arrays.add(link)
            last, used = link, 0
            for number, slot in enumerate(array.body.slots):
                if not slot.ofs_listed:
                    has_hole = True
                    continue
                at = link + 24 + number * journal.width
                is_extra = has_hole or len(listed) == body.num_entries
                if not self.take(slot.ofs_listed, at, journal.width, listed, is_extra):
                    return
                used = number + 1
            link_at, link = link + 16, array.body.ofs_next_entry_array
        is_full = len(listed) == body.num_entries
        is_right = is_full and list(dict.fromkeys(listed)) == users
        if journal.is_whole() and not is_right:
            border = min(self.last_entry, journal.header.tail_object_offset)
            early = [[at for at in entries if at < border] for entries in (listed, users)]
            is_late, there = early[0] == early[1], tuple(listed[-1:])
            journal.blame(Fault(LISTS, "bad-index", data.at + 56, data.at + 64, there, is_late))
        elif journal.is_compact and last and is_full:
            tails = body.ofs_tail_entry_array, body.num_tail_entries
            if tails not in ((0, 0), (last, used)):
                journal.blame(Fault(LISTS, "bad-index", data.at + 64, data.at + 72, (last,)))

    def take(
        self, link: int, link_at: int, size: int, listed: list[int], is_extra: bool = False
    ) -> bool:
        """Follow a link from a list to an entry, and return whether the list continues."""
        is_next = not is_extra and not (listed and link < listed[-1])
        if is_next and self.sound(link, ENTRY):
            listed.append(link)
            return True
        if not self.journal.has_lost(link):
            self.wrong(LISTS, "bad-index", link_at, size, link)
        return False

    def check_misled(self) -> None:
        """Report arrays and tables that only invalid links lead to (SDJ-096)."""
        named = {self.journal.place_of_table(type)[0] - 16 for type in (DATA_TABLE, FIELD_TABLE)}
        faults, _ = self.journal.limited_faults()
        for at, fault in self.misled.items():
            if at in self.arrays or fault not in faults:
                continue
            target = self.sound(at, ARRAY, DATA_TABLE, FIELD_TABLE)
            if target and not (target.type != ARRAY and at in named):
                self.journal.blame(Fault(MISLED, "bad-object", at, target.end))


def name_of(data: Found) -> bytes:
    """Return the name of the field in a valid DATA object."""
    return data.payload.partition(b"=")[0]


def check(journal: Journal) -> Links:
    """Check all links, in the order of SDJ-040."""
    links = Links(journal)
    links.check_header()
    links.check_chain()
    links.check_entries()
    links.check_tables()
    links.check_fields()
    links.check_lists()
    links.check_misled()
    return links
