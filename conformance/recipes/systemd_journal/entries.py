"""ENTRY objects and their items."""

from conformance.recipes.systemd_journal.layouts import (
    five_entries,
    thirty_entries,
    thirty_entries_compact,
)
from conformance.recipes.systemd_journal.log import BOOK, SystemdLog

ALL = range(5)


@BOOK.damaged(five_entries, "entry", "SDJ-011", "SDJ-041")
def entry_type_of_zero(log: SystemdLog) -> None:
    """An ENTRY becomes an unused object: one entry lost."""
    log.set(f"{log.entry(2)}.type", 0)
    log.expect("damaged", "bad-object", survivors=[0, 1, 3, 4])


@BOOK.damaged(five_entries, "entry", "SDJ-011", "SDJ-041")
def entry_type_of_nine(log: SystemdLog) -> None:
    """An ENTRY gets a type that does not exist."""
    log.set(f"{log.entry(2)}.type", 9)
    log.expect("damaged", "bad-object", survivors=[0, 1, 3, 4])


@BOOK.damaged(five_entries, "entry", "SDJ-016", "SDJ-048")
def entry_type_of_a_data_table(log: SystemdLog) -> None:
    """An ENTRY becomes a DATA table, which the header does not name: the entry is lost."""
    log.set(f"{log.entry(2)}.type", 4)
    log.expect("damaged", "bad-object", survivors=[0, 1, 3, 4])


@BOOK.damaged(five_entries, "entry", "SDJ-016", "SDJ-048")
def entry_type_of_a_field_table(log: SystemdLog) -> None:
    """An ENTRY becomes a FIELD table, which the header does not name: the entry is lost."""
    log.set(f"{log.entry(2)}.type", 5)
    log.expect("damaged", "bad-object", survivors=[0, 1, 3, 4])


@BOOK.damaged(five_entries, "entry", "SDJ-016", "SDJ-096")
def entry_and_table_of_one_type(log: SystemdLog) -> None:
    """An ENTRY becomes a DATA table, and the header's own link to the table is wrong."""
    log.set(f"{log.entry(2)}.type", 4)
    log.set("header.data_hash_table_offset", log.header.data_hash_table_offset + 8)
    log.expect("damaged", "bad-chain", survivors=[0, 1, 3, 4])
    log.note("Links to the entry tell which of the two is not a table.")


@BOOK.damaged(thirty_entries, "entry", "SDJ-011", "SDJ-041")
def last_entry_type_of_nine(log: SystemdLog) -> None:
    """The tail object, an ENTRY, gets a type that does not exist: all from there on is lost."""
    log.set(f"{log.entry(29)}.type", 9)
    log.expect("damaged", "bad-object", survivors=range(29))


@BOOK.damaged(five_entries, "entry", "SDJ-011", "SDJ-034", "SDJ-096")
def entry_type_of_an_array(log: SystemdLog) -> None:
    """An ENTRY becomes an entry array: the chain leads to no entry, and nothing to an array."""
    log.set(f"{log.entry(2)}.type", 6)
    log.expect("damaged", "bad-chain", survivors=[0, 1, 3, 4])


@BOOK.damaged(five_entries, "entry", "SDJ-015", "SDJ-011")
def entry_size_no_multiple_of_an_item(log: SystemdLog) -> None:
    """The size of an ENTRY is not a whole number of items."""
    log.set(f"{log.entry(1)}.len_object", 124)
    log.expect("damaged", "bad-object", survivors=[0, 2, 3, 4])


@BOOK.damaged(five_entries, "entry", "SDJ-015", "SDJ-011")
def entry_without_items(log: SystemdLog) -> None:
    """An ENTRY of 64 bytes has no items."""
    log.set(f"{log.entry(1)}.len_object", 64)
    log.expect("damaged", "bad-object", survivors=[0, 2, 3, 4])


@BOOK.damaged(five_entries, "entry", "SDJ-041")
def entry_size_across_the_next(log: SystemdLog) -> None:
    """The size of an ENTRY leads across the next one, which the main chain knows."""
    log.set(f"{log.entry(1)}.len_object", 64 + 16 * 30)
    log.expect("damaged", "bad-object", survivors=[0, 2, 3, 4])


@BOOK.damaged(five_entries, "entry", "SDJ-015")
def sequence_number_of_zero(log: SystemdLog) -> None:
    """Sequence numbers begin with 1."""
    log.zero(f"{log.entry(2)}.body.seqnum")
    log.expect("damaged", "bad-entry", survivors=[0, 1, 3, 4])


@BOOK.damaged(five_entries, "entry", "SDJ-047")
def sequence_number_repeated(log: SystemdLog) -> None:
    """Two entries with one sequence number."""
    log.set(f"{log.entry(2)}.body.seqnum", 2)
    log.expect("damaged", "bad-order", survivors=ALL)


@BOOK.damaged(five_entries, "entry", "SDJ-047")
def sequence_number_huge(log: SystemdLog) -> None:
    """A sequence number far ahead: those after it seem to go back."""
    log.set(f"{log.entry(2)}.body.seqnum", 1 << 40)
    log.expect("damaged", "bad-order", survivors=ALL)


@BOOK.damaged(five_entries, "entry", "SDJ-015")
def realtime_of_zero(log: SystemdLog) -> None:
    """An entry whose time is zero is not valid."""
    log.zero(f"{log.entry(2)}.body.realtime")
    log.expect("damaged", "bad-entry", survivors=[0, 1, 3, 4])


@BOOK.damaged(five_entries, "entry", "SDJ-015")
def realtime_too_large(log: SystemdLog) -> None:
    """A time of 2^55 microseconds is out of range."""
    log.set(f"{log.entry(2)}.body.realtime", 1 << 55)
    log.expect("damaged", "bad-entry", survivors=[0, 1, 3, 4])


@BOOK.damaged(five_entries, "entry", "SDJ-015")
def monotonic_too_large(log: SystemdLog) -> None:
    """A monotonic time of 2^55 microseconds is out of range."""
    log.set(f"{log.entry(2)}.body.monotonic", 1 << 55)
    log.expect("damaged", "bad-entry", survivors=[0, 1, 3, 4])


@BOOK.damaged(five_entries, "entry", "SDJ-015")
def boot_id_of_zeros(log: SystemdLog) -> None:
    """An entry whose boot id is zero is not valid."""
    log.zero(f"{log.entry(2)}.body.boot_id")
    log.expect("damaged", "bad-entry", survivors=[0, 1, 3, 4])
    whole = log.answer_to(log.control)
    record = whole["records"][2]
    record["cursor"] = record["cursor"].replace(record["boot_id"], "0" * 32)
    record["boot_id"] = "0" * 32
    log.also_accept(whole, "systemd took such an entry before 255")


@BOOK.damaged(five_entries, "entry", "SDJ-015")
def realtime_of_the_middle_changed(log: SystemdLog) -> None:
    """Another time for an entry in the middle: nothing in the file contradicts it."""
    log.flip(f"{log.entry(2)}.body.realtime", 20)
    log.expect("intact", survivors=ALL)


@BOOK.damaged(five_entries, "entry", "SDJ-043")
def item_of_zero(log: SystemdLog) -> None:
    """An item leads nowhere: the entry survives without that field."""
    log.zero(f"{log.entry(2)}.body.items[3].ofs_data")
    log.expect("damaged", "bad-item", survivors=[0, 1, log.without(2, "MESSAGE"), 3, 4])


@BOOK.damaged(five_entries, "entry", "SDJ-043")
def item_unaligned(log: SystemdLog) -> None:
    """An item is not the offset of an object."""
    log.flip(f"{log.entry(2)}.body.items[3].ofs_data", 1)
    log.expect("damaged", "bad-item", survivors=[0, 1, log.without(2, "MESSAGE"), 3, 4])


@BOOK.damaged(five_entries, "entry", "SDJ-043")
def item_beyond_the_file(log: SystemdLog) -> None:
    """An item leads past the end of the file."""
    log.set(f"{log.entry(2)}.body.items[3].ofs_data", 1 << 33)
    log.expect("damaged", "bad-item", survivors=[0, 1, log.without(2, "MESSAGE"), 3, 4])


@BOOK.damaged(five_entries, "entry", "SDJ-043")
def item_to_an_entry(log: SystemdLog) -> None:
    """An item leads to an entry: it is not a field."""
    log.set(f"{log.entry(2)}.body.items[3].ofs_data", log.start(log.entry(0)))
    log.expect("damaged", "bad-item", survivors=[0, 1, log.without(2, "MESSAGE"), 3, 4])


@BOOK.damaged(five_entries, "entry", "SDJ-036")
def item_to_another_value(log: SystemdLog) -> None:
    """An item leads to the value of another entry: that DATA does not list this entry."""
    log.set(f"{log.entry(2)}.body.items[3].ofs_data", log.offset_of("MESSAGE=alpha"))
    changed = log.payloads[2].replace(b"charlie", b"alpha")
    log.expect("damaged", "bad-index", survivors=[0, 1, changed, 3, 4])
    log.note("The entry is not what was written, and no checksum says so: only the lists do.")


@BOOK.damaged(five_entries, "entry", "SDJ-020", "SDJ-036")
def items_of_two_entries_exchanged(log: SystemdLog) -> None:
    """Two entries traded their messages: `xor_hash` would tell, but only the lists may."""
    log.set(f"{log.entry(1)}.body.items[2].ofs_data", log.offset_of("MESSAGE=charlie"))
    log.set(f"{log.entry(2)}.body.items[3].ofs_data", log.offset_of("MESSAGE=bravo"))
    second = log.payloads[1].replace(b"bravo", b"charlie")
    third = log.payloads[2].replace(b"charlie", b"bravo")
    log.expect("damaged", "bad-index", survivors=[0, second, third, 3, 4])


@BOOK.damaged(five_entries, "entry", "SDJ-043")
def items_zeroed_from_the_second_on(log: SystemdLog) -> None:
    """The end of an entry never arrived: a torn page in the middle of a file."""
    for number in range(1, 4):
        log.zero(f"{log.entry(2)}.body.items[{number}]")
    log.expect(
        "damaged",
        "bad-item",
        survivors=[0, 1, log.without(2, "MESSAGE", "PRIORITY", "_HOSTNAME"), 3, 4],
    )


@BOOK.damaged(thirty_entries_compact, "entry", "SDJ-015", "SDJ-043")
def compact_item_flipped(log: SystemdLog) -> None:
    """One bit of a compact item: it leads into an object."""
    log.flip(f"{log.entry(7)}.body.items[1].ofs_data", 3)
    expected: list[int | bytes] = list(range(30))
    expected[7] = log.without(7, "PRIORITY")
    log.expect("damaged", "bad-item", survivors=expected)


@BOOK.damaged(five_entries, "entry", "SDJ-046", "SDJ-059")
def entry_dropped(log: SystemdLog) -> None:
    """An ENTRY is cut out and what follows moves up: no link past it holds."""
    log.shows("missing-in-the-middle")
    log.drop(log.entry(2))
    log.expect(
        "damaged",
        "bad-chain",
        survivors=[0, 1, log.without(3, "MESSAGE"), log.without(4, "MESSAGE", "PRIORITY")],
    )


@BOOK.damaged(five_entries, "entry", "SDJ-042", "SDJ-046")
def entry_that_no_array_knows(log: SystemdLog) -> None:
    """A whole entry after the tail, neither counted nor linked: its append was never finished."""
    entry = log.field(log.entry(4))
    log.extend(log.control[entry.start : entry.end], "a copy of the last entry")
    log.expect("intact", survivors=ALL)


@BOOK.damaged(five_entries, "entry", "SDJ-015")
def monotonic_time_with_its_highest_bit_set(log: SystemdLog) -> None:
    """Times are not negative: this one is too late."""
    log.set(f"{log.entry(2)}.body.monotonic", 1 << 63)
    log.expect("damaged", "bad-entry", survivors=[0, 1, 3, 4])


@BOOK.damaged(five_entries, "entry", "SDJ-036")
def data_counts_entries_of_all_ones(log: SystemdLog) -> None:
    """A DATA of one entry counts 2^64 - 1."""
    log.set(f"{log.of('MESSAGE=bravo')}.body.num_entries", (1 << 64) - 1)
    log.expect("damaged", "bad-index", survivors=range(5))


@BOOK.valid("entry", "SDJ-015")
def highest_sequence_number(log: SystemdLog) -> None:
    """The last entry has the number 2^64 - 1, which no writer gives and every reader takes."""
    log.begin()
    log.entry_at(1700000000000000, ["MESSAGE=alpha"])
    log.entry_at(1700000001000000, ["MESSAGE=bravo"], seqnum=(1 << 64) - 2)
    header = log.made.header
    header.tail_entry_seqnum += 1  # which no writer gives
    log.made.out[header.tail_entry_offset + 16] = 0xFF
    log.close()
    log.expect("intact", survivors=[0, 1])
