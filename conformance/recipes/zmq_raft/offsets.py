"""Index files with invalid offsets or without the bytes of committed entries."""

from conformance.recipes.zmq_raft.index_files import three_entries
from conformance.recipes.zmq_raft.log import BOOK, ZmqRaftLog, entry


@BOOK.valid("offsets", "ZMR-011")
def five_entries(log: ZmqRaftLog) -> None:
    """An index file with five entries of 25 bytes and the capacity seven."""
    words = (b"alpha", b"bravo", b"candy", b"delta", b"eager")
    log.index_file(*map(entry, words), capacity=8)
    log.expect("intact", survivors=[0, 1, 2, 3, 4], end=245)


@BOOK.damaged(five_entries, "torn-tail", "ZMR-047", kind="eof")
def last_entry_cut_by_a_byte(log: ZmqRaftLog) -> None:
    """The last entry lacks its last byte, but its offset is in the table. The entry is torn."""
    log.shows("torn-last-record")
    log.truncate(244)
    log.expect("torn", "torn-entry", survivors=[0, 1, 2, 3], end=220)
    log.note("zmq-raft writes data and offset with one fdatasync, so a crash can leave this file.")


@BOOK.damaged(five_entries, "torn-tail", "ZMR-047", kind="eof")
def last_entry_cut_in_its_header(log: ZmqRaftLog) -> None:
    """The file ends after nine bytes of the last entry."""
    log.truncate_in("data.entries[4]", 9)
    log.expect("torn", "torn-entry", survivors=[0, 1, 2, 3], end=220)


@BOOK.damaged(five_entries, "torn-tail", "ZMR-047", kind="eof")
def last_entry_missing(log: ZmqRaftLog) -> None:
    """The file ends directly before the last entry, whose offset is in the table."""
    log.truncate_in("data.entries[4]", 0)
    log.expect("torn", "torn-entry", survivors=[0, 1, 2, 3], end=220)


@BOOK.damaged(five_entries, "torn-tail", "ZMR-047", kind="eof")
def three_entries_cut(log: ZmqRaftLog) -> None:
    """The file ends inside the third of five entries. The last three entries are torn."""
    log.truncate_in("data.entries[2]", 12)
    log.expect("torn", "torn-entry", survivors=[0, 1], end=170)


@BOOK.damaged(five_entries, "torn-tail", "ZMR-047", kind="eof")
def all_entries_missing(log: ZmqRaftLog) -> None:
    """The file ends directly after the marker, although the table commits five entries. All entries
    are torn.
    """
    log.shows("index-survives-data")
    log.truncate_in("data.entries[0]", 0)
    log.expect("torn", "torn-entry", end=120)


@BOOK.damaged(five_entries, "torn-tail", "ZMR-047", kind="eof")
def torn_at_a_sector(log: ZmqRaftLog) -> None:
    """The file ends at a multiple of 64 bytes, inside the third entry. The last three entries are
    torn.
    """
    log.torn(64)
    log.expect("torn", "torn-entry", survivors=[0, 1], end=170)


@BOOK.damaged(five_entries, "offsets", "ZMR-046", "ZMR-013")
def offset_above_the_limit(log: ZmqRaftLog) -> None:
    """The last offset is 0x40000000, above the limit of 0x3fffffff. The code is bad-offset, not
    torn-entry.
    """
    log.set("offsets[4]", 0x40000000)
    log.expect("damaged", "bad-offset", survivors=[0, 1, 2, 3], end=None)


@BOOK.damaged(five_entries, "offsets", "ZMR-046")
def offset_of_all_ones(log: ZmqRaftLog) -> None:
    """The last offset is 0xffffffff. The code is bad-offset, not torn-entry."""
    log.fill("offsets[4]", 0xFF)
    log.expect("damaged", "bad-offset", survivors=[0, 1, 2, 3], end=None)
    log.bug("zmq-raft tries to read an entry with a negative length")


@BOOK.damaged(five_entries, "offsets", "ZMR-046")
def offset_beyond_the_file(log: ZmqRaftLog) -> None:
    """Bit 24 of the second offset is flipped, so the offset points past the end of the file. Two
    entries are lost.
    """
    log.shows("bit-in-a-length")
    log.flip("offsets[1]", 24)
    log.expect("damaged", "bad-offset", survivors=[0, 3, 4], end=None)


@BOOK.damaged(five_entries, "offsets", "ZMR-046", "ZMR-102")
def offset_that_falls(log: ZmqRaftLog) -> None:
    """The third offset is 10, below the second offset. A reader trusts neither offset."""
    log.set("offsets[2]", 10)
    log.expect("damaged", "bad-offset", survivors=[0, 4], end=None)


@BOOK.damaged(five_entries, "offsets", "ZMR-046")
def equal_offsets(log: ZmqRaftLog) -> None:
    """The second and the third offset are equal. A reader trusts neither offset, because an entry
    cannot have 0 bytes.
    """
    log.set("offsets[2]", 50)
    log.expect("damaged", "bad-offset", survivors=[0, 4], end=None)


@BOOK.damaged(five_entries, "offsets", "ZMR-046")
def first_offset_too_high(log: ZmqRaftLog) -> None:
    """The first offset is 60, above the second offset. A reader trusts neither offset."""
    log.set("offsets[0]", 60)
    log.expect("damaged", "bad-offset", survivors=[3, 4], end=None)


@BOOK.damaged(five_entries, "offsets", "ZMR-046")
def last_offset_of_one(log: ZmqRaftLog) -> None:
    """The last offset is 1, below the offset before it. A reader trusts neither offset."""
    log.set("offsets[4]", 1)
    log.expect("damaged", "bad-offset", survivors=[0, 1, 2], end=None)


@BOOK.damaged(five_entries, "offsets", "ZMR-046")
def offsets_swapped(log: ZmqRaftLog) -> None:
    """The second and the third offset are swapped. A reader trusts neither offset."""
    log.shows("swapped")
    log.set("offsets[1]", 75)
    log.set("offsets[2]", 50)
    log.expect("damaged", "bad-offset", survivors=[0, 4], end=None)


@BOOK.damaged(five_entries, "offsets", "ZMR-046")
def offsets_beyond_the_file_that_fall(log: ZmqRaftLog) -> None:
    """The last two offsets point past the end of the file and decrease. The code is bad-offset, not
    torn-entry.
    """
    log.set("offsets[3]", 5000)
    log.set("offsets[4]", 4000)
    log.expect("damaged", "bad-offset", survivors=[0, 1, 2], end=None)


@BOOK.damaged(three_entries, "chunks", "ZMR-045", "ZMR-046")
def neither_marker_nor_order(log: ZmqRaftLog) -> None:
    """The marker is damaged, and the offsets decrease. A reader looks for the marker first."""
    log.set("chunks[1].token", b"ITMX")
    log.set("offsets[1]", 1)
    log.expect("damaged", "missing-marker", end=None)
    log.bug("zmq-raft does not handle a rejected promise, which ends the process")


@BOOK.damaged(five_entries, "chunks", "ZMR-045", "ZMR-046")
def first_offset_twice(log: ZmqRaftLog) -> None:
    """The first offset is duplicated, so all later bytes move by four. A reader does not find the
    marker.
    """
    log.duplicate("offsets[0]")
    log.expect("damaged", "missing-marker", end=None)


@BOOK.damaged(five_entries, "undetected", "ZMR-017", "ZMR-051")
def lost_offset(log: ZmqRaftLog) -> None:
    """The third offset is zero, so the log ends after the second entry. The loss is
    undetectable.
    """
    log.zero("offsets[2]")
    log.expect("intact", survivors=[0, 1], end=170)
    log.note("A reader does not return the last three entries.")


@BOOK.damaged(five_entries, "undetected", "ZMR-017", "ZMR-051")
def lost_first_offset(log: ZmqRaftLog) -> None:
    """The first offset is zero, so the file has no committed entries. The loss is undetectable."""
    log.zero("offsets[0]")
    log.expect("intact", end=120)


@BOOK.damaged(five_entries, "undetected", "ZMR-051", "ZMR-011")
def offset_one_too_high(log: ZmqRaftLog) -> None:
    """The last offset is one too high, and the file has one extra byte. A reader returns this byte
    as part of the last entry.
    """
    log.set("offsets[4]", 126)
    log.data += b"!"
    log.did("extend by the byte 0x21")
    log.expect("intact", survivors=[0, 1, 2, 3, b"eager!"])


@BOOK.damaged(five_entries, "torn-tail", "ZMR-013", "ZMR-047", kind="eof")
def last_offset_at_the_limit(log: ZmqRaftLog) -> None:
    """The last offset is 0x3fffffff, the limit, and points past the end of the file. The code is
    torn-entry, not bad-offset.
    """
    log.set("offsets[4]", 0x3FFFFFFF)
    log.expect("torn", "torn-entry", survivors=[0, 1, 2, 3], end=220)


@BOOK.damaged(five_entries, "offsets", "ZMR-046", "ZMR-047")
def offsets_beyond_the_file_up_to_the_limit(log: ZmqRaftLog) -> None:
    """The last two offsets point past the end of the file and increase, but the last exceeds the
    limit. The code is bad-offset, not torn-entry.
    """
    log.set("offsets[3]", 5000)
    log.set("offsets[4]", 0x40000000)
    log.expect("damaged", "bad-offset", survivors=[0, 1, 2], end=None)


@BOOK.damaged(five_entries, "offsets", "ZMR-046", "ZMR-047")
def equal_offsets_beyond_the_file(log: ZmqRaftLog) -> None:
    """The last two offsets point past the end of the file and are equal. The code is bad-offset,
    not torn-entry.
    """
    log.set("offsets[3]", 5000)
    log.set("offsets[4]", 5000)
    log.expect("damaged", "bad-offset", survivors=[0, 1, 2], end=None)


@BOOK.damaged(five_entries, "offsets", "ZMR-046", "ZMR-047")
def offset_that_falls_before_a_torn_entry(log: ZmqRaftLog) -> None:
    """The third offset is below the second, and the last entry lacks its last byte. A reader
    reports damage and a torn entry.
    """
    log.set("offsets[2]", 10)
    log.truncate(244)
    log.expect("damaged", "bad-offset", survivors=[0], end=None)


@BOOK.damaged(three_entries, "offsets", "ZMR-046", "ZMR-047")
def all_offsets_beyond_the_file_fall(log: ZmqRaftLog) -> None:
    """All offsets point past the end of the file and decrease. The code is bad-offset, not
    torn-entry.
    """
    for number, offset in enumerate((6000, 5000, 4000)):
        log.set(f"offsets[{number}]", offset)
    log.expect("damaged", "bad-offset", end=None)
