"""Tables that lie, and entries that are not there."""

from conformance.recipes.zmq_raft.index_files import three_entries
from conformance.recipes.zmq_raft.log import BOOK, ZmqRaftLog, entry


@BOOK.valid("offsets", "ZMR-011")
def five_entries(log: ZmqRaftLog) -> None:
    """Five entries of 25 bytes in a file with room for seven."""
    words = (b"alpha", b"bravo", b"candy", b"delta", b"eager")
    log.index_file(*map(entry, words), capacity=8)
    log.expect("intact", survivors=[0, 1, 2, 3, 4], end=245)


@BOOK.damaged(five_entries, "torn-tail", "ZMR-047", kind="eof")
def last_entry_cut_by_a_byte(log: ZmqRaftLog) -> None:
    """The offset of the last entry arrived, its last byte did not."""
    log.shows("torn-last-record")
    log.truncate(244)
    log.expect("torn", "torn-entry", survivors=[0, 1, 2, 3], end=220)
    log.note("zmq-raft writes data and offset with one fdatasync: a crash may leave this.")


@BOOK.damaged(five_entries, "torn-tail", "ZMR-047", kind="eof")
def last_entry_cut_in_its_header(log: ZmqRaftLog) -> None:
    """Nine bytes of the last entry are there."""
    log.truncate_in("data.entries[4]", 9)
    log.expect("torn", "torn-entry", survivors=[0, 1, 2, 3], end=220)


@BOOK.damaged(five_entries, "torn-tail", "ZMR-047", kind="eof")
def last_entry_missing(log: ZmqRaftLog) -> None:
    """The offset of the last entry arrived, none of its bytes did."""
    log.truncate_in("data.entries[4]", 0)
    log.expect("torn", "torn-entry", survivors=[0, 1, 2, 3], end=220)


@BOOK.damaged(five_entries, "torn-tail", "ZMR-047", kind="eof")
def three_entries_cut(log: ZmqRaftLog) -> None:
    """Offsets of a batch of three arrived, half of the first one's bytes did."""
    log.truncate_in("data.entries[2]", 12)
    log.expect("torn", "torn-entry", survivors=[0, 1], end=170)


@BOOK.damaged(five_entries, "torn-tail", "ZMR-047", kind="eof")
def all_entries_missing(log: ZmqRaftLog) -> None:
    """The file ends with the marker, and the table commits five entries."""
    log.shows("index-survives-data")
    log.truncate_in("data.entries[0]", 0)
    log.expect("torn", "torn-entry", end=120)


@BOOK.damaged(five_entries, "torn-tail", "ZMR-047", kind="eof")
def torn_at_a_sector(log: ZmqRaftLog) -> None:
    """The file ends with a sector of 64 bytes; two entries and a part of the third are there."""
    log.torn(64)
    log.expect("torn", "torn-entry", survivors=[0, 1], end=170)


@BOOK.damaged(five_entries, "offsets", "ZMR-046", "ZMR-013")
def offset_above_the_limit(log: ZmqRaftLog) -> None:
    """The last offset is 0x40000000, more than an index file ever holds: no write leaves that."""
    log.set("offsets[4]", 0x40000000)
    log.expect("damaged", "bad-offset", survivors=[0, 1, 2, 3], end=None)


@BOOK.damaged(five_entries, "offsets", "ZMR-046")
def offset_of_all_ones(log: ZmqRaftLog) -> None:
    """The last offset is 0xffffffff."""
    log.fill("offsets[4]", 0xFF)
    log.expect("damaged", "bad-offset", survivors=[0, 1, 2, 3], end=None)
    log.bug("zmq-raft reads with a negative length")


@BOOK.damaged(five_entries, "offsets", "ZMR-046")
def offset_beyond_the_file(log: ZmqRaftLog) -> None:
    """An offset in the middle leads past the end, the next one does not: two entries are lost."""
    log.shows("bit-in-a-length")
    log.flip("offsets[1]", 24)
    log.expect("damaged", "bad-offset", survivors=[0, 3, 4], end=None)


@BOOK.damaged(five_entries, "offsets", "ZMR-046", "ZMR-102")
def offset_that_falls(log: ZmqRaftLog) -> None:
    """offsets[2] is 10, below the one before: one of the two is wrong, nobody knows which."""
    log.set("offsets[2]", 10)
    log.expect("damaged", "bad-offset", survivors=[0, 4], end=None)


@BOOK.damaged(five_entries, "offsets", "ZMR-046")
def equal_offsets(log: ZmqRaftLog) -> None:
    """An entry of no bytes is impossible: one of two equal offsets is wrong."""
    log.set("offsets[2]", 50)
    log.expect("damaged", "bad-offset", survivors=[0, 4], end=None)


@BOOK.damaged(five_entries, "offsets", "ZMR-046")
def first_offset_too_high(log: ZmqRaftLog) -> None:
    """The first offset is above the second: neither is believed."""
    log.set("offsets[0]", 60)
    log.expect("damaged", "bad-offset", survivors=[3, 4], end=None)


@BOOK.damaged(five_entries, "offsets", "ZMR-046")
def last_offset_of_one(log: ZmqRaftLog) -> None:
    """The last offset is 1: it and the one before are not believed."""
    log.set("offsets[4]", 1)
    log.expect("damaged", "bad-offset", survivors=[0, 1, 2], end=None)


@BOOK.damaged(five_entries, "offsets", "ZMR-046")
def offsets_swapped(log: ZmqRaftLog) -> None:
    """Two offsets traded places."""
    log.shows("swapped")
    log.set("offsets[1]", 75)
    log.set("offsets[2]", 50)
    log.expect("damaged", "bad-offset", survivors=[0, 4], end=None)


@BOOK.damaged(five_entries, "offsets", "ZMR-046")
def offsets_beyond_the_file_that_fall(log: ZmqRaftLog) -> None:
    """The last two offsets lead past the end of the file and do not rise: no unfinished write."""
    log.set("offsets[3]", 5000)
    log.set("offsets[4]", 4000)
    log.expect("damaged", "bad-offset", survivors=[0, 1, 2], end=None)


@BOOK.damaged(three_entries, "chunks", "ZMR-045", "ZMR-046")
def neither_marker_nor_order(log: ZmqRaftLog) -> None:
    """The marker is damaged and the offsets fall: the marker is sought first."""
    log.set("chunks[1].token", b"ITMX")
    log.set("offsets[1]", 1)
    log.expect("damaged", "missing-marker", end=None)
    log.bug("zmq-raft leaves a rejected promise behind, which ends the process")


@BOOK.damaged(five_entries, "chunks", "ZMR-045", "ZMR-046")
def first_offset_twice(log: ZmqRaftLog) -> None:
    """The first offset is there twice, all after it four bytes late: there is no marker either."""
    log.duplicate("offsets[0]")
    log.expect("damaged", "missing-marker", end=None)


@BOOK.damaged(five_entries, "undetected", "ZMR-017", "ZMR-051")
def lost_offset(log: ZmqRaftLog) -> None:
    """An offset reads as zero: the log seems to end there, as after a rollback."""
    log.zero("offsets[2]")
    log.expect("intact", survivors=[0, 1], end=170)
    log.note("Three entries are gone and nothing shows it.")


@BOOK.damaged(five_entries, "undetected", "ZMR-017", "ZMR-051")
def lost_first_offset(log: ZmqRaftLog) -> None:
    """The first offset reads as zero: the file seems to be empty."""
    log.zero("offsets[0]")
    log.expect("intact", end=120)


@BOOK.damaged(five_entries, "undetected", "ZMR-051", "ZMR-011")
def offset_one_too_high(log: ZmqRaftLog) -> None:
    """An offset is one too high and still rises: one entry too long, the next one misread."""
    log.set("offsets[4]", 126)
    log.data += b"!"
    log.did("extend by 21")
    log.expect("intact", survivors=[0, 1, 2, 3, b"eager!"])


@BOOK.damaged(five_entries, "torn-tail", "ZMR-013", "ZMR-047", kind="eof")
def last_offset_at_the_limit(log: ZmqRaftLog) -> None:
    """The last offset is 0x3fffffff, as much as an index file may hold: a write leaves that."""
    log.set("offsets[4]", 0x3FFFFFFF)
    log.expect("torn", "torn-entry", survivors=[0, 1, 2, 3], end=220)


@BOOK.damaged(five_entries, "offsets", "ZMR-046", "ZMR-047")
def offsets_beyond_the_file_up_to_the_limit(log: ZmqRaftLog) -> None:
    """Two offsets lead past the end of the file and rise, the last one above the limit."""
    log.set("offsets[3]", 5000)
    log.set("offsets[4]", 0x40000000)
    log.expect("damaged", "bad-offset", survivors=[0, 1, 2], end=None)


@BOOK.damaged(five_entries, "offsets", "ZMR-046", "ZMR-047")
def equal_offsets_beyond_the_file(log: ZmqRaftLog) -> None:
    """The last two offsets are equal and lead past the end of the file: no entry has no bytes."""
    log.set("offsets[3]", 5000)
    log.set("offsets[4]", 5000)
    log.expect("damaged", "bad-offset", survivors=[0, 1, 2], end=None)


@BOOK.damaged(five_entries, "offsets", "ZMR-046", "ZMR-047")
def offset_that_falls_before_a_torn_entry(log: ZmqRaftLog) -> None:
    """An offset in the middle falls, and the last entry lacks a byte: damage, and a torn tail."""
    log.set("offsets[2]", 10)
    log.truncate(244)
    log.expect("damaged", "bad-offset", survivors=[0], end=None)


@BOOK.damaged(three_entries, "offsets", "ZMR-046", "ZMR-047")
def all_offsets_beyond_the_file_fall(log: ZmqRaftLog) -> None:
    """No offset is relied on, and none of them rises: no unfinished write."""
    for number, offset in enumerate((6000, 5000, 4000)):
        log.set(f"offsets[{number}]", offset)
    log.expect("damaged", "bad-offset", end=None)
