"""ENTRY objects and their items."""

from conformance.recipes.systemd_journal.layouts import five_entries, thirty_entries_compact
from conformance.recipes.systemd_journal.log import ENTRY, SystemdLog

ALL = range(5)


@ENTRY.damaged(five_entries, "SDJ-016", "SDJ-096")
def entry_and_table_of_one_type(log: SystemdLog) -> None:
    """The type of an ENTRY is changed to DATA_HASH_TABLE, and the offset of the real DATA table in
    the header is wrong."""
    log.set(f"{log.entry(2)}.type", 4)
    log.set("header.data_hash_table_offset", log.header.data_hash_table_offset + 8)
    log.expect("damaged", "bad-chain", survivors=[0, 1, 3, 4])
    log.note("Links to the ENTRY show which of the two objects is not a table.")


@ENTRY.damaged(five_entries, "SDJ-047")
def sequence_number_huge(log: SystemdLog) -> None:
    """The sequence number of an entry is far too high. The sequence number of the next entry is
    then a fault, because it does not rise."""
    log.set(f"{log.entry(2)}.body.seqnum", 1 << 40)
    log.expect("damaged", "bad-order", survivors=ALL)


@ENTRY.damaged(five_entries, "SDJ-015")
def realtime_too_large(log: SystemdLog) -> None:
    """The realtime of an entry is 2^55 microseconds, which is out of range."""
    log.set(f"{log.entry(2)}.body.realtime", 1 << 55)
    log.expect("damaged", "bad-entry", survivors=[0, 1, 3, 4])


@ENTRY.damaged(five_entries, "SDJ-015")
def monotonic_too_large(log: SystemdLog) -> None:
    """The monotonic time of an entry is 2^55 microseconds, which is out of range."""
    log.set(f"{log.entry(2)}.body.monotonic", 1 << 55)
    log.expect("damaged", "bad-entry", survivors=[0, 1, 3, 4])


@ENTRY.damaged(five_entries, "SDJ-015")
def boot_id_of_zeros(log: SystemdLog) -> None:
    """The boot id of an entry is null, which is invalid. The entry is lost."""
    log.zero(f"{log.entry(2)}.body.boot_id")
    log.expect("damaged", "bad-entry", survivors=[0, 1, 3, 4])
    whole = log.answer_to(log.control)
    record = whole["records"][2]
    record["cursor"] = record["cursor"].replace(record["boot_id"], "0" * 32)
    record["boot_id"] = "0" * 32
    log.also_accept(whole, "systemd took such an entry before 255")


@ENTRY.damaged(five_entries, "SDJ-043")
def item_beyond_the_file(log: SystemdLog) -> None:
    """An item points past the end of the file."""
    log.set(f"{log.entry(2)}.body.items[3].ofs_data", 1 << 33)
    log.expect("damaged", "bad-item", survivors=[0, 1, log.without(2, "MESSAGE"), 3, 4])


@ENTRY.damaged(five_entries, "SDJ-043")
def item_to_an_entry(log: SystemdLog) -> None:
    """An item points to an ENTRY."""
    log.set(f"{log.entry(2)}.body.items[3].ofs_data", log.start(log.entry(0)))
    log.expect("damaged", "bad-item", survivors=[0, 1, log.without(2, "MESSAGE"), 3, 4])


@ENTRY.damaged(five_entries, "SDJ-036")
def item_to_another_value(log: SystemdLog) -> None:
    """An item points to a DATA of another entry. The list of this DATA does not contain the
    entry."""
    log.set(f"{log.entry(2)}.body.items[3].ofs_data", log.offset_of("MESSAGE=alpha"))
    changed = log.payloads[2].replace(b"charlie", b"alpha")
    log.expect("damaged", "bad-index", survivors=[0, 1, changed, 3, 4])
    log.note("The returned entry was never written. Only the lists show this; no checksum does.")


@ENTRY.damaged(five_entries, "SDJ-020", "SDJ-036")
def items_of_two_entries_exchanged(log: SystemdLog) -> None:
    """The MESSAGE items of two entries are swapped. Only the lists of the two DATA reveal this,
    because a reader does not compare `xor_hash`."""
    log.set(f"{log.entry(1)}.body.items[2].ofs_data", log.offset_of("MESSAGE=charlie"))
    log.set(f"{log.entry(2)}.body.items[3].ofs_data", log.offset_of("MESSAGE=bravo"))
    second = log.payloads[1].replace(b"bravo", b"charlie")
    third = log.payloads[2].replace(b"charlie", b"bravo")
    log.expect("damaged", "bad-index", survivors=[0, second, third, 3, 4])


@ENTRY.damaged(five_entries, "SDJ-043")
def items_zeroed_from_the_second_on(log: SystemdLog) -> None:
    """All items of an entry except the first are filled with zeros, as after a torn page."""
    for number in range(1, 4):
        log.zero(f"{log.entry(2)}.body.items[{number}]")
    log.expect(
        "damaged",
        "bad-item",
        survivors=[0, 1, log.without(2, "MESSAGE", "PRIORITY", "_HOSTNAME"), 3, 4],
    )


@ENTRY.damaged(thirty_entries_compact, "SDJ-015", "SDJ-043")
def compact_item_flipped(log: SystemdLog) -> None:
    """One bit of a compact item is flipped, so the item points into an object."""
    log.flip(f"{log.entry(7)}.body.items[1].ofs_data", 3)
    expected: list[int | bytes] = list(range(30))
    expected[7] = log.without(7, "PRIORITY")
    log.expect("damaged", "bad-item", survivors=expected)


ENTRY.table("""
entry_type_of_zero: five_entries SDJ-011 SDJ-041
    The type of an ENTRY is changed to 0 (an unused object). One entry is lost.
    damage: set entry(2).type to 0
    expect: damaged bad-object, survivors 0 1 3 4
entry_type_of_nine: five_entries SDJ-011 SDJ-041
    The type of an ENTRY is changed to 9, which does not exist. One entry is lost.
    damage: set entry(2).type to 9
    expect: damaged bad-object, survivors 0 1 3 4
entry_type_of_a_data_table: five_entries SDJ-016 SDJ-048
    The type of an ENTRY is changed to DATA_HASH_TABLE. The header does not name this table, so the
    entry is lost.
    damage: set entry(2).type to 4
    expect: damaged bad-object, survivors 0 1 3 4
entry_type_of_a_field_table: five_entries SDJ-016 SDJ-048
    The type of an ENTRY is changed to FIELD_HASH_TABLE. The header does not name this table, so the
    entry is lost.
    damage: set entry(2).type to 5
    expect: damaged bad-object, survivors 0 1 3 4
last_entry_type_of_nine: thirty_entries SDJ-011 SDJ-041
    The type of the tail object, an ENTRY, is changed to 9, which does not exist. The file is lost
    from this object on.
    damage: set entry(29).type to 9
    expect: damaged bad-object, survivors 0-28
entry_type_of_an_array: five_entries SDJ-011 SDJ-034 SDJ-096
    The type of an ENTRY is changed to ENTRY_ARRAY. A slot still points to this object, and no chain
    uses the object as an array.
    damage: set entry(2).type to 6
    expect: damaged bad-chain, survivors 0 1 3 4
entry_size_no_multiple_of_an_item: five_entries SDJ-015 SDJ-011 SDJ-104
    The size of an ENTRY does not hold a whole number of items. `xor_hash` gives the size.
    damage: set entry(1).len_object to 124
    expect: damaged bad-object, survivors 0-4
entry_without_items: five_entries SDJ-015 SDJ-011 SDJ-104
    The size of an ENTRY is 64 bytes, which leaves no room for items. `xor_hash` gives the size.
    damage: set entry(1).len_object to 64
    expect: damaged bad-object, survivors 0-4
entry_size_across_the_next: five_entries SDJ-041 SDJ-104
    The size of an ENTRY extends past the next entry of the main chain. `xor_hash` gives the size.
    damage: set entry(1).len_object to 544
    expect: damaged bad-object, survivors 0-4
sequence_number_of_zero: five_entries SDJ-015
    The sequence number of an entry is 0, which is invalid. The entry is lost.
    damage: zero entry(2).body.seqnum
    expect: damaged bad-entry, survivors 0 1 3 4
sequence_number_repeated: five_entries SDJ-047
    Two entries have the same sequence number. A reader returns both.
    damage: set entry(2).body.seqnum to 2
    expect: damaged bad-order, survivors 0-4
realtime_of_zero: five_entries SDJ-015
    The realtime of an entry is 0, which is invalid. The entry is lost.
    damage: zero entry(2).body.realtime
    expect: damaged bad-entry, survivors 0 1 3 4
realtime_of_the_middle_changed: five_entries SDJ-015
    One bit of the realtime of an entry is flipped. The change is undetectable, because no other
    value contradicts the time.
    damage: flip bit 20 of entry(2).body.realtime
    expect: intact, survivors 0-4
item_of_zero: five_entries SDJ-043
    The offset in an item is 0. A reader returns the entry without this field.
    damage: zero entry(2).body.items[3].ofs_data
    expect: damaged bad-item, survivors 0 1 without(2, MESSAGE) 3 4
item_unaligned: five_entries SDJ-043
    The offset in an item is not a multiple of 8.
    damage: flip bit 1 of entry(2).body.items[3].ofs_data
    expect: damaged bad-item, survivors 0 1 without(2, MESSAGE) 3 4
entry_dropped: five_entries SDJ-046 SDJ-059
    An ENTRY is removed from the file, and the bytes after it move up. All links to the moved
    objects are wrong.
    shows: missing-in-the-middle
    damage: drop entry(2)
    expect: damaged bad-chain, survivors 0 1 without(3, MESSAGE) without(4, MESSAGE, PRIORITY)
""")


@ENTRY.damaged(five_entries, "SDJ-042", "SDJ-046")
def entry_that_no_array_knows(log: SystemdLog) -> None:
    """A complete ENTRY after the tail object is neither counted nor linked. A reader does not
    return it, because its append was never finished."""
    entry = log.field(log.entry(4))
    log.extend(log.control[entry.start : entry.end])
    log.expect("intact", survivors=ALL)


@ENTRY.damaged(five_entries, "SDJ-015")
def monotonic_time_with_its_highest_bit_set(log: SystemdLog) -> None:
    """The highest bit of the monotonic time of an entry is set. Times are unsigned, so this time is
    out of range."""
    log.set(f"{log.entry(2)}.body.monotonic", 1 << 63)
    log.expect("damaged", "bad-entry", survivors=[0, 1, 3, 4])


@ENTRY.damaged(five_entries, "SDJ-036")
def data_counts_entries_of_all_ones(log: SystemdLog) -> None:
    """A DATA in only one entry counts 2^64 - 1 entries."""
    log.set(f"{log.of('MESSAGE=bravo')}.body.num_entries", (1 << 64) - 1)
    log.expect("damaged", "bad-index", survivors=range(5))


@ENTRY.valid("SDJ-015")
def highest_sequence_number(log: SystemdLog) -> None:
    """The last entry has the sequence number 2^64 - 1, which no writer assigns and every reader
    accepts."""
    log.begin()
    log.entry_at(1700000000000000, ["MESSAGE=alpha"])
    log.entry_at(1700000001000000, ["MESSAGE=bravo"], seqnum=(1 << 64) - 2)
    header = log.made.header
    header.tail_entry_seqnum += 1  # a number that no writer assigns
    log.made.out[header.tail_entry_offset + 16] = 0xFF
    log.close()
    log.expect("intact", survivors=[0, 1])
