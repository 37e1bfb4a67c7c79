"""Entries that cannot be what a writer wrote."""

from conformance.recipes.zmq_raft.log import BOOK, ZmqRaftLog, entry, with_bit_0_flipped
from conformance.recipes.zmq_raft.offsets import five_entries


@BOOK.valid("entries", "ZMR-050")
def terms_that_rise(log: ZmqRaftLog) -> None:
    """Terms 1, 1, 3, 3 and 7: they never fall, and may skip."""
    words = (b"alpha", b"bravo", b"candy", b"delta", b"eager")
    log.index_file(*map(entry, words, (1, 1, 3, 3, 7)), capacity=8)
    log.expect("intact", survivors=[0, 1, 2, 3, 4])


@BOOK.damaged(five_entries, "entries", "ZMR-048")
def entry_shorter_than_its_header(log: ZmqRaftLog) -> None:
    """An entry of 19 bytes in the middle: its offset is wrong, or its header is gone."""
    start = log.field("data.entries[2]").start
    del log.data[start + 19 : start + 25]
    for number, offset in ((2, 69), (3, 94), (4, 119)):
        log.data[24 + 4 * number] = offset
    log.did("drop the last 6 bytes of data.entries[2], offsets to match")
    log.expect("damaged", "short-entry", survivors=[0, 1, 3, 4], end=239)


@BOOK.damaged(five_entries, "entries", "ZMR-048")
def last_entry_of_one_byte(log: ZmqRaftLog) -> None:
    """The last entry has one byte."""
    log.set("offsets[4]", 101)
    log.expect("damaged", "short-entry", survivors=[0, 1, 2, 3], end=221)


@BOOK.damaged(five_entries, "entries", "ZMR-048", "ZMR-049")
def two_entries_cut_differently(log: ZmqRaftLog) -> None:
    """offsets[1] moved: the entry before it is too short, the one after begins inside it."""
    log.set("offsets[1]", 30)
    log.expect("damaged", "short-entry", survivors=[0, 3, 4])
    log.note("The entry after it is misread as well; here its term gives it away.")


@BOOK.damaged(five_entries, "entries", "ZMR-049")
def term_above_the_limit(log: ZmqRaftLog) -> None:
    """A term of 2^53: no writer can count that far."""
    log.set("data.entries[2].header.term", 2**53)
    log.expect("damaged", "bad-term", survivors=[0, 1, 3, 4])


@BOOK.damaged(terms_that_rise, "entries", "ZMR-049", "ZMR-050")
def last_term_of_zero(log: ZmqRaftLog) -> None:
    """The sector that holds the last term never arrived: the sound entry before it stays."""
    log.zero("data.entries[4].header.term")
    log.expect("damaged", "bad-term", survivors=[0, 1, 2, 3], end=245)
    log.note("One sync covers the entry and its offset (ZMR-018), so a crash may leave this.")


@BOOK.damaged(terms_that_rise, "entries", "ZMR-049", "ZMR-050")
def terms_on_both_sides_of_a_term_of_zero(log: ZmqRaftLog) -> None:
    """Terms 6, 0, 3: with a term of 0 in between, 3 is compared with nobody's."""
    log.set("data.entries[0].header.term", 6)
    log.zero("data.entries[1].header.term")
    log.expect("damaged", "bad-term", survivors=[0, 2, 3, 4])


@BOOK.damaged(five_entries, "entries", "ZMR-049")
def first_term_of_zero(log: ZmqRaftLog) -> None:
    """The first entry has nothing before it that its term could fall from: 0 is wrong by itself."""
    log.zero("data.entries[0].header.term")
    log.expect("damaged", "bad-term", survivors=[1, 2, 3, 4])


@BOOK.damaged(five_entries, "entries", "ZMR-049")
def term_of_all_ones(log: ZmqRaftLog) -> None:
    """The term of the last entry is ff seven times."""
    log.fill("data.entries[4].header.term", 0xFF)
    log.expect("damaged", "bad-term", survivors=[0, 1, 2, 3])


@BOOK.damaged(five_entries, "entries", "ZMR-050")
def term_that_jumps_and_falls(log: ZmqRaftLog) -> None:
    """A bit of one term: the entry after it has a lower one, and either may be wrong."""
    log.flip("data.entries[1].header.term", 4)
    log.expect("damaged", "decreasing-term", survivors=[0, 3, 4])


@BOOK.damaged(terms_that_rise, "entries", "ZMR-050")
def last_term_too_low(log: ZmqRaftLog) -> None:
    """The last term is 2, after 3."""
    log.set("data.entries[4].header.term", 2)
    log.expect("damaged", "decreasing-term", survivors=[0, 1, 2])


@BOOK.damaged(terms_that_rise, "entries", "ZMR-050")
def first_term_too_high(log: ZmqRaftLog) -> None:
    """The first term is above the second."""
    log.set("data.entries[0].header.term", 9)
    log.expect("damaged", "decreasing-term", survivors=[2, 3, 4])


@BOOK.damaged(terms_that_rise, "entries", "ZMR-050")
def terms_that_fall_twice(log: ZmqRaftLog) -> None:
    """Terms 9, 5, 3 in a row: three entries are in doubt, each of them lost once."""
    log.set("data.entries[0].header.term", 9)
    log.set("data.entries[1].header.term", 5)
    log.expect("damaged", "decreasing-term", survivors=[3, 4])


@BOOK.damaged(terms_that_rise, "entries", "ZMR-050", "ZMR-049")
def terms_on_both_sides_of_a_loss(log: ZmqRaftLog) -> None:
    """After a lost entry there is nothing to compare a term with."""
    log.set("data.entries[1].header.term", 2**55)
    log.set("data.entries[0].header.term", 6)
    log.expect("damaged", "bad-term", survivors=[0, 2, 3, 4])


@BOOK.damaged(five_entries, "undetected", "ZMR-051")
def bit_of_a_payload(log: ZmqRaftLog) -> None:
    """No checksum covers an entry: a changed byte of its data is returned as it stands."""
    log.shows("bit-in-a-payload")
    log.flip("data.entries[2].data", 0)
    log.expect("intact", survivors=[0, 1, with_bit_0_flipped(log.payloads[2]), 3, 4])


@BOOK.damaged(five_entries, "undetected", "ZMR-051")
def bit_of_a_request_id(log: ZmqRaftLog) -> None:
    """Any twelve bytes are a request id."""
    log.flip("data.entries[2].header.request_id", 5)
    log.expect("intact", survivors=[0, 1, 2, 3, 4])


@BOOK.damaged(terms_that_rise, "undetected", "ZMR-051", "ZMR-050")
def term_that_is_wrong_and_in_order(log: ZmqRaftLog) -> None:
    """A term of 2 where 3 was: in order, so nothing shows it."""
    log.set("data.entries[2].header.term", 2)
    log.expect("intact", survivors=[0, 1, 2, 3, 4])


@BOOK.damaged(five_entries, "entries", "ZMR-052")
def last_entry_reads_as_zeros(log: ZmqRaftLog) -> None:
    """The offset of the last entry arrived, its data reads as zeros: it was never written."""
    log.shows("size-before-data")
    log.zero("data.entries[4]")
    log.expect("damaged", "zero-entry", survivors=[0, 1, 2, 3])
    log.note("Nothing orders the data before its offset, so a crash may leave this.")


@BOOK.damaged(five_entries, "entries", "ZMR-052", "ZMR-050")
def entries_in_the_middle_read_as_zeros(log: ZmqRaftLog) -> None:
    """Two entries read as zeros; their term of zero is compared with nobody's."""
    log.shows("zeroed-sector")
    log.zero("data.entries[1]")
    log.zero("data.entries[2]")
    log.expect("damaged", "zero-entry", survivors=[0, 3, 4])


@BOOK.damaged(five_entries, "entries", "ZMR-052", "ZMR-049")
def data_that_is_not_zero_behind_zeros(log: ZmqRaftLog) -> None:
    """Only the header of an entry reads as zeros: no leader has term 0, and it is not compared."""
    log.zero("data.entries[2].header")
    log.expect("damaged", "bad-term", survivors=[0, 1, 3, 4])


@BOOK.damaged(five_entries, "entries", "ZMR-030", "ZMR-031")
def type_of_200(log: ZmqRaftLog) -> None:
    """A type with the highest bit: it has no sign."""
    log.set("data.entries[1].header.type", 200)
    log.expect("intact", survivors=[0, 1, 2, 3, 4])
