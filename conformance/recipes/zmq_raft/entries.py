"""Entries with an invalid length, term or content."""

from conformance.recipes.zmq_raft.log import (
    ENTRIES_GROUP,
    UNDETECTED,
    ZmqRaftLog,
    entry,
    with_bit_0_flipped,
)
from conformance.recipes.zmq_raft.offsets import five_entries


@ENTRIES_GROUP.valid("ZMR-050")
def terms_that_rise(log: ZmqRaftLog) -> None:
    """Five entries have the terms 1, 1, 3, 3 and 7. Terms never decrease, but they may skip
    numbers."""
    words = (b"alpha", b"bravo", b"candy", b"delta", b"eager")
    log.index_file(*map(entry, words, (1, 1, 3, 3, 7)), capacity=8)
    log.expect("intact", survivors=[0, 1, 2, 3, 4])


@ENTRIES_GROUP.damaged(five_entries, "ZMR-048")
def entry_shorter_than_its_header(log: ZmqRaftLog) -> None:
    """An entry in the middle of the file is 19 bytes long, one byte less than an entry header."""
    start = log.field("data.entries[2]").start
    del log.data[start + 19 : start + 25]
    for number, offset in ((2, 69), (3, 94), (4, 119)):
        log.data[24 + 4 * number] = offset
    log.expect("damaged", "short-entry", survivors=[0, 1, 3, 4], end=239)


@ENTRIES_GROUP.damaged(five_entries, "ZMR-049")
def term_above_the_limit(log: ZmqRaftLog) -> None:
    """The term of an entry is 2^53, above the limit of 2^53 - 1."""
    log.set("data.entries[2].header.term", 2**53)
    log.expect("damaged", "bad-term", survivors=[0, 1, 3, 4])


@ENTRIES_GROUP.damaged(terms_that_rise, "ZMR-050", "ZMR-049")
def terms_on_both_sides_of_a_loss(log: ZmqRaftLog) -> None:
    """The first three terms are 6, 2^55 and 3. A reader does not compare the first term with the
    third, because the second entry is lost."""
    log.set("data.entries[1].header.term", 2**55)
    log.set("data.entries[0].header.term", 6)
    log.expect("damaged", "bad-term", survivors=[0, 2, 3, 4])


@UNDETECTED.damaged(five_entries, "ZMR-051")
def bit_of_a_payload(log: ZmqRaftLog) -> None:
    """Bit 0 of an entry's data is flipped. No checksum covers the data, so a reader returns the
    changed byte."""
    log.shows("bit-in-a-payload")
    log.flip("data.entries[2].data", 0)
    log.expect("intact", survivors=[0, 1, with_bit_0_flipped(log.payloads[2]), 3, 4])


UNDETECTED.table("""
bit_of_a_request_id: five_entries ZMR-051
    Bit 5 of a request id is flipped. Any twelve bytes are a valid request id.
    damage: flip bit 5 of data.entries[2].header.request_id
    expect: intact, survivors 0-4
term_that_is_wrong_and_in_order: terms_that_rise ZMR-051 ZMR-050
    The term of an entry is 2 instead of 3. The terms do not decrease, so the change is
    undetectable.
    damage: set data.entries[2].header.term to 2
    expect: intact, survivors 0-4
""")


ENTRIES_GROUP.table("""
last_entry_of_one_byte: five_entries ZMR-048
    The last offset is too low, so the last entry has only one byte.
    damage: set offsets[4] to 101
    expect: damaged short-entry, survivors 0-3, end 221
two_entries_cut_differently: five_entries ZMR-048 ZMR-049
    The second offset is too low. The second entry is too short, and the third entry begins inside
    the second.
    damage: set offsets[1] to 30
    expect: damaged short-entry, survivors 0 3 4
    note: The third entry is also misread. In this file, its invalid term reveals the fault.
last_term_of_zero: terms_that_rise ZMR-049 ZMR-050
    The term of the last entry is 0. Only this entry is lost, because a reader does not compare an
    invalid term.
    damage: zero data.entries[4].header.term
    expect: damaged bad-term, survivors 0-3, end 245
    note: One sync covers the entry and its offset (ZMR-018), so a crash can leave this entry.
terms_on_both_sides_of_a_term_of_zero: terms_that_rise ZMR-049 ZMR-050
    The first three terms are 6, 0 and 3. A reader does not compare the first term with the third,
    because the second entry is lost.
    damage: set data.entries[0].header.term to 6
    damage: zero data.entries[1].header.term
    expect: damaged bad-term, survivors 0 2-4
first_term_of_zero: five_entries ZMR-049
    The term of the first entry is 0. The entry is lost, although no entry precedes it.
    damage: zero data.entries[0].header.term
    expect: damaged bad-term, survivors 1-4
term_of_all_ones: five_entries ZMR-049
    All seven bytes of the last term are ff.
    damage: fill data.entries[4].header.term with ff
    expect: damaged bad-term, survivors 0-3
term_that_jumps_and_falls: five_entries ZMR-050
    Bit 4 of the second term is flipped, so the third term is lower. Only the second entry is lost,
    because the fourth term is lower as well.
    damage: flip bit 4 of data.entries[1].header.term
    expect: damaged decreasing-term, survivors 0 2-4
last_term_too_low: terms_that_rise ZMR-050
    The last term is 2, and the term before it is 3. Both entries are lost, because no entry after
    them shows which term is wrong.
    damage: set data.entries[4].header.term to 2
    expect: damaged decreasing-term, survivors 0-2
first_term_too_high: terms_that_rise ZMR-050
    The first term is 9, and the next terms are 1 and 3. Only the first entry is lost.
    damage: set data.entries[0].header.term to 9
    expect: damaged decreasing-term, survivors 1-4
terms_that_fall_twice: terms_that_rise ZMR-050
    The first four terms are 9, 5, 3 and 3. The first two entries are lost.
    damage: set data.entries[0].header.term to 9
    damage: set data.entries[1].header.term to 5
    expect: damaged decreasing-term, survivors 2-4
last_entry_reads_as_zeros: five_entries ZMR-052
    All bytes of the last entry are zero, because only its offset reached the disk.
    shows: size-before-data
    damage: zero data.entries[4]
    expect: damaged zero-entry, survivors 0-3
    note: No sync separates the data from the offset, so a crash can leave this entry.
entries_in_the_middle_read_as_zeros: five_entries ZMR-052 ZMR-050
    All bytes of two entries in the middle are zero. A reader does not compare the terms of these
    entries.
    shows: zeroed-sector
    damage: zero data.entries[1]
    damage: zero data.entries[2]
    expect: damaged zero-entry, survivors 0 3 4
data_that_is_not_zero_behind_zeros: five_entries ZMR-052 ZMR-049
    The header of an entry is all zeros, but its data is not. The code is bad-term, not zero-entry.
    damage: zero data.entries[2].header
    expect: damaged bad-term, survivors 0 1 3 4
type_of_200: five_entries ZMR-030 ZMR-031
    The type of an entry is 200. A reader returns the type as an unsigned number.
    damage: set data.entries[1].header.type to 200
    expect: intact, survivors 0-4
""")
