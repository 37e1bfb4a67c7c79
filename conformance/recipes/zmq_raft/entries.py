"""Entries with an invalid length, term or content."""

from conformance.recipes.zmq_raft.log import BOOK, ZmqRaftLog, entry, with_bit_0_flipped
from conformance.recipes.zmq_raft.offsets import five_entries


@BOOK.valid("entries", "ZMR-050")
def terms_that_rise(log: ZmqRaftLog) -> None:
    """Five entries have the terms 1, 1, 3, 3 and 7. Terms never decrease, but they may skip
    numbers.
    """
    words = (b"alpha", b"bravo", b"candy", b"delta", b"eager")
    log.index_file(*map(entry, words, (1, 1, 3, 3, 7)), capacity=8)
    log.expect("intact", survivors=[0, 1, 2, 3, 4])


@BOOK.damaged(five_entries, "entries", "ZMR-048")
def entry_shorter_than_its_header(log: ZmqRaftLog) -> None:
    """An entry in the middle of the file has 19 bytes, one less than an entry header."""
    start = log.field("data.entries[2]").start
    del log.data[start + 19 : start + 25]
    for number, offset in ((2, 69), (3, 94), (4, 119)):
        log.data[24 + 4 * number] = offset
    log.did("drop the last 6 bytes of data.entries[2], and adjust the offsets")
    log.expect("damaged", "short-entry", survivors=[0, 1, 3, 4], end=239)


@BOOK.damaged(five_entries, "entries", "ZMR-048")
def last_entry_of_one_byte(log: ZmqRaftLog) -> None:
    """The last offset is too low, so the last entry has only one byte."""
    log.set("offsets[4]", 101)
    log.expect("damaged", "short-entry", survivors=[0, 1, 2, 3], end=221)


@BOOK.damaged(five_entries, "entries", "ZMR-048", "ZMR-049")
def two_entries_cut_differently(log: ZmqRaftLog) -> None:
    """The second offset is too low. The second entry is too short, and the third entry begins
    inside the second.
    """
    log.set("offsets[1]", 30)
    log.expect("damaged", "short-entry", survivors=[0, 3, 4])
    log.note("The third entry is also misread. In this file, its invalid term reveals the fault.")


@BOOK.damaged(five_entries, "entries", "ZMR-049")
def term_above_the_limit(log: ZmqRaftLog) -> None:
    """The term of an entry is 2^53, above the limit of 2^53 - 1."""
    log.set("data.entries[2].header.term", 2**53)
    log.expect("damaged", "bad-term", survivors=[0, 1, 3, 4])


@BOOK.damaged(terms_that_rise, "entries", "ZMR-049", "ZMR-050")
def last_term_of_zero(log: ZmqRaftLog) -> None:
    """The term of the last entry is 0. Only this entry is lost, because a reader does not compare
    an invalid term.
    """
    log.zero("data.entries[4].header.term")
    log.expect("damaged", "bad-term", survivors=[0, 1, 2, 3], end=245)
    log.note("One sync covers the entry and its offset (ZMR-018), so a crash can leave this entry.")


@BOOK.damaged(terms_that_rise, "entries", "ZMR-049", "ZMR-050")
def terms_on_both_sides_of_a_term_of_zero(log: ZmqRaftLog) -> None:
    """The first three terms are 6, 0 and 3. A reader does not compare the first and the third term,
    because the second entry is lost.
    """
    log.set("data.entries[0].header.term", 6)
    log.zero("data.entries[1].header.term")
    log.expect("damaged", "bad-term", survivors=[0, 2, 3, 4])


@BOOK.damaged(five_entries, "entries", "ZMR-049")
def first_term_of_zero(log: ZmqRaftLog) -> None:
    """The term of the first entry is 0. The entry is lost, although no entry precedes it."""
    log.zero("data.entries[0].header.term")
    log.expect("damaged", "bad-term", survivors=[1, 2, 3, 4])


@BOOK.damaged(five_entries, "entries", "ZMR-049")
def term_of_all_ones(log: ZmqRaftLog) -> None:
    """All seven bytes of the last term are ff."""
    log.fill("data.entries[4].header.term", 0xFF)
    log.expect("damaged", "bad-term", survivors=[0, 1, 2, 3])


@BOOK.damaged(five_entries, "entries", "ZMR-050")
def term_that_jumps_and_falls(log: ZmqRaftLog) -> None:
    """Bit 4 of the second term is flipped, so the third term is lower. Both entries are lost."""
    log.flip("data.entries[1].header.term", 4)
    log.expect("damaged", "decreasing-term", survivors=[0, 3, 4])


@BOOK.damaged(terms_that_rise, "entries", "ZMR-050")
def last_term_too_low(log: ZmqRaftLog) -> None:
    """The last term is 2, and the term before it is 3. Both entries are lost."""
    log.set("data.entries[4].header.term", 2)
    log.expect("damaged", "decreasing-term", survivors=[0, 1, 2])


@BOOK.damaged(terms_that_rise, "entries", "ZMR-050")
def first_term_too_high(log: ZmqRaftLog) -> None:
    """The first term is 9, and the second term is 1. Both entries are lost."""
    log.set("data.entries[0].header.term", 9)
    log.expect("damaged", "decreasing-term", survivors=[2, 3, 4])


@BOOK.damaged(terms_that_rise, "entries", "ZMR-050")
def terms_that_fall_twice(log: ZmqRaftLog) -> None:
    """The first three terms are 9, 5 and 3. All three entries are lost, and a reader reports each
    of them once.
    """
    log.set("data.entries[0].header.term", 9)
    log.set("data.entries[1].header.term", 5)
    log.expect("damaged", "decreasing-term", survivors=[3, 4])


@BOOK.damaged(terms_that_rise, "entries", "ZMR-050", "ZMR-049")
def terms_on_both_sides_of_a_loss(log: ZmqRaftLog) -> None:
    """The first three terms are 6, 2^55 and 3. A reader does not compare the first and the third
    term, because the second entry is lost.
    """
    log.set("data.entries[1].header.term", 2**55)
    log.set("data.entries[0].header.term", 6)
    log.expect("damaged", "bad-term", survivors=[0, 2, 3, 4])


@BOOK.damaged(five_entries, "undetected", "ZMR-051")
def bit_of_a_payload(log: ZmqRaftLog) -> None:
    """Bit 0 of an entry's data is flipped. No checksum covers the data, so a reader returns the
    changed byte.
    """
    log.shows("bit-in-a-payload")
    log.flip("data.entries[2].data", 0)
    log.expect("intact", survivors=[0, 1, with_bit_0_flipped(log.payloads[2]), 3, 4])


@BOOK.damaged(five_entries, "undetected", "ZMR-051")
def bit_of_a_request_id(log: ZmqRaftLog) -> None:
    """Bit 5 of a request id is flipped. Any twelve bytes are a valid request id."""
    log.flip("data.entries[2].header.request_id", 5)
    log.expect("intact", survivors=[0, 1, 2, 3, 4])


@BOOK.damaged(terms_that_rise, "undetected", "ZMR-051", "ZMR-050")
def term_that_is_wrong_and_in_order(log: ZmqRaftLog) -> None:
    """The term of an entry is 2 instead of 3. The terms do not decrease, so the change is
    undetectable.
    """
    log.set("data.entries[2].header.term", 2)
    log.expect("intact", survivors=[0, 1, 2, 3, 4])


@BOOK.damaged(five_entries, "entries", "ZMR-052")
def last_entry_reads_as_zeros(log: ZmqRaftLog) -> None:
    """All bytes of the last entry are zero, because only its offset reached the disk."""
    log.shows("size-before-data")
    log.zero("data.entries[4]")
    log.expect("damaged", "zero-entry", survivors=[0, 1, 2, 3])
    log.note("No sync separates the data from the offset, so a crash can leave this entry.")


@BOOK.damaged(five_entries, "entries", "ZMR-052", "ZMR-050")
def entries_in_the_middle_read_as_zeros(log: ZmqRaftLog) -> None:
    """All bytes of two entries in the middle are zero. A reader does not compare the terms of these
    entries.
    """
    log.shows("zeroed-sector")
    log.zero("data.entries[1]")
    log.zero("data.entries[2]")
    log.expect("damaged", "zero-entry", survivors=[0, 3, 4])


@BOOK.damaged(five_entries, "entries", "ZMR-052", "ZMR-049")
def data_that_is_not_zero_behind_zeros(log: ZmqRaftLog) -> None:
    """The header of an entry is all zeros, but its data is not. The code is bad-term, not
    zero-entry.
    """
    log.zero("data.entries[2].header")
    log.expect("damaged", "bad-term", survivors=[0, 1, 3, 4])


@BOOK.damaged(five_entries, "entries", "ZMR-030", "ZMR-031")
def type_of_200(log: ZmqRaftLog) -> None:
    """The type of an entry is 200. A reader returns the type as an unsigned number."""
    log.set("data.entries[1].header.type", 200)
    log.expect("intact", survivors=[0, 1, 2, 3, 4])
