"""Logs that end early: unfinished writes."""

from conformance.recipes.rocksdb_wal.clean_close import recyclable_log_closed, synced_log_closed
from conformance.recipes.rocksdb_wal.layout import (
    recyclable_fragments,
    recyclable_fragments_within_one_block,
    recyclable_log_ends_before_its_trailer,
    recyclable_trailer,
    synced_fragments,
    synced_trailer,
    three_recyclable_records,
    three_synced_records,
)
from conformance.recipes.rocksdb_wal.log import (
    BLOCK_SIZE,
    BOOK,
    FIRST,
    FULL,
    LAST,
    OLDER,
    RocksLog,
    flipped,
    legacy,
    numbered,
    recyclable,
)
from conformance.recipes.rocksdb_wal.metadata import everything_rocksdb_says

S_MIDDLE = 11


@BOOK.damaged(three_recyclable_records, "torn-tail", "RDB-041", kind="eof")
def recyclable_cut_before_the_type(log: RocksLog) -> None:
    """The log ends six bytes into a header."""
    log.truncate_in("blocks[0].records[2].header", 6)
    log.expect("torn", "torn-header", survivors=[0, 1], end=32)


@BOOK.damaged(three_recyclable_records, "torn-tail", "RDB-041", kind="eof")
def recyclable_cut_in_the_log_number(log: RocksLog) -> None:
    """The log ends inside the log number: the header is not whole."""
    log.truncate_in("blocks[0].records[2].header", 9)
    log.expect("torn", "torn-header", survivors=[0, 1], end=32)


@BOOK.damaged(three_synced_records, "torn-tail", "RDB-041", kind="eof")
def synced_cut_in_the_sync_offset(log: RocksLog) -> None:
    """The log ends inside the sync offset: the header is not whole."""
    log.truncate_in("blocks[0].records[2].header", 18)
    log.expect("torn", "torn-header", survivors=[0, 1], end=48)


@BOOK.damaged(three_recyclable_records, "torn-tail", "RDB-041", kind="eof")
def recyclable_cut_behind_a_header(log: RocksLog) -> None:
    """The log ends with a whole header and no data."""
    log.truncate_in("blocks[0].records[2].data", 0)
    log.expect("torn", "torn-payload", survivors=[0, 1], end=32)


@BOOK.damaged(three_recyclable_records, "torn-tail", "RDB-041", "RDB-054", kind="eof")
def recyclable_cut_in_a_payload(log: RocksLog) -> None:
    """The log ends one byte before the end of a record."""
    log.truncate(49)
    log.expect("torn", "torn-payload", survivors=[0, 1], end=32)


@BOOK.damaged(three_synced_records, "torn-tail", "RDB-041", kind="eof")
def synced_cut_in_a_payload(log: RocksLog) -> None:
    """The same with 19-byte headers."""
    log.truncate(73)
    log.expect("torn", "torn-payload", survivors=[0, 1], end=48)


@BOOK.damaged(recyclable_fragments, "torn-tail", "RDB-042", kind="eof")
def recyclable_cut_between_fragments(log: RocksLog) -> None:
    """The log ends between two fragments of a record."""
    log.truncate(BLOCK_SIZE)
    log.expect("torn", "torn-record", survivors=[0], end=16)


@BOOK.damaged(synced_fragments, "torn-tail", "RDB-042", kind="eof")
def synced_cut_between_fragments(log: RocksLog) -> None:
    """The same with 19-byte headers."""
    log.truncate(2 * BLOCK_SIZE)
    log.expect("torn", "torn-record", survivors=[0], end=24)


@BOOK.damaged(recyclable_fragments, "torn-tail", "RDB-041", kind="eof")
def recyclable_cut_in_a_fragment(log: RocksLog) -> None:
    """The log ends inside a fragment: the unfinished write began at the FIRST."""
    log.truncate(BLOCK_SIZE + 100)
    log.expect("torn", "torn-payload", survivors=[0], end=16)


@BOOK.damaged(recyclable_fragments_within_one_block, "torn-tail", "RDB-042", kind="eof")
def recyclable_cut_after_a_middle(log: RocksLog) -> None:
    """FIRST and MIDDLE, and the log ends."""
    log.truncate_in("blocks[0].records[2]", 0)
    log.expect("torn", "torn-record", survivors=[], end=0)


@BOOK.damaged(recyclable_trailer, "torn-tail", "RDB-004", kind="eof")
def recyclable_cut_in_a_trailer(log: RocksLog) -> None:
    """The log ends inside a trailer of ten bytes: nothing is unfinished."""
    log.truncate(BLOCK_SIZE - 2)
    log.expect("intact", survivors=[0], end=BLOCK_SIZE - 2)


@BOOK.damaged(synced_trailer, "torn-tail", "RDB-004", kind="eof")
def synced_cut_in_a_trailer(log: RocksLog) -> None:
    """The log ends inside a trailer of 18 bytes."""
    log.truncate(BLOCK_SIZE - 3)
    log.expect("intact", survivors=[0], end=BLOCK_SIZE - 3)


@BOOK.truncations(recyclable_log_closed, "torn-tail", "RDB-041", "RDB-026")
def every_prefix_of_a_recyclable_log(log: RocksLog) -> None:
    """Every prefix of a closed log with 11-byte headers."""
    log.expect("intact", survivors=[0, 1, 2])


@BOOK.truncations(everything_rocksdb_says, "torn-tail", "RDB-041")
def every_prefix_of_a_log_with_metadata(log: RocksLog) -> None:
    """Every prefix of a compressed log with metadata."""
    log.expect("intact", survivors=[0, 1])


@BOOK.truncations(synced_log_closed, "torn-tail", "RDB-013", "RDB-041", "RDB-026")
def every_prefix_of_a_synced_log(log: RocksLog) -> None:
    """Every prefix of a closed log with 19-byte headers."""
    log.expect("intact", survivors=[0, 1, 2])


@BOOK.damaged(three_synced_records, "torn-tail", "RDB-041", "RDB-048", "RDB-056")
def synced_cut_after_an_orphan(log: RocksLog) -> None:
    """A WAL-sync log that is damaged and cut: no writer may go on."""
    log.retype("blocks[0].records[0]", S_MIDDLE, is_sync=True)
    log.truncate_in("blocks[0].records[2].data", 2)
    log.expect("damaged", "orphan-fragment", survivors=[1], end=None)


@BOOK.damaged(three_recyclable_records, "torn-tail", "RDB-025", "RDB-041", kind="limit")
def record_of_another_log_cut(log: RocksLog) -> None:
    """The number of a record that is cut does not count: the log is torn."""
    log.extend(recyclable(FULL, b"ghost", OLDER)[:-1], "a record of log 8 without its last byte")
    log.expect("torn", "torn-payload", survivors=[0, 1, 2], end=50)


@BOOK.damaged(three_recyclable_records, "torn-tail", "RDB-006", "RDB-041", kind="eof")
def legacy_record_cut_in_a_recyclable_log(log: RocksLog) -> None:
    """The header of type 1 has 7 bytes also here, so that the end cuts the data."""
    log.extend(legacy(FULL, b"abcdef")[:9], "9 bytes of a legacy FULL")
    log.expect("torn", "torn-payload", survivors=[0, 1, 2], end=50)


@BOOK.damaged(recyclable_log_ends_before_its_trailer, "torn-tail", "RDB-004", "RDB-040", kind="eof")
def cut_in_a_trailer_that_is_not_zero(log: RocksLog) -> None:
    """Three bytes of a trailer are no header that was cut."""
    log.extend(b"abc", "3 bytes")
    log.expect("intact", survivors=[0], end=BLOCK_SIZE - 7)


@BOOK.damaged(three_recyclable_records, "torn-tail", "RDB-042", kind="eof")
def cut_after_an_empty_first(log: RocksLog) -> None:
    """An open record without data at the end of the log is torn."""
    log.extend(recyclable(FIRST, b""), "an empty FIRST")
    log.expect("torn", "torn-record", survivors=[0, 1, 2], end=50)


@BOOK.damaged(three_recyclable_records, "torn-tail", "RDB-041", kind="eof")
def last_cut_after_an_empty_first(log: RocksLog) -> None:
    """The range begins at the FIRST, also if it has no data."""
    log.extend(
        recyclable(FIRST, b"") + recyclable(LAST, b"last")[:-1], "an empty FIRST, a cut LAST"
    )
    log.expect("torn", "torn-payload", survivors=[0, 1, 2], end=50)


@BOOK.damaged(three_recyclable_records, "torn-tail", "RDB-004", "RDB-042", kind="eof")
def cut_in_a_trailer_after_a_first(log: RocksLog) -> None:
    """The range ends with the last fragment, before the trailer."""
    log.extend(recyclable(FIRST, numbered(BLOCK_SIZE - 50 - 11 - 8)), "a FIRST that leaves 8 bytes")
    log.extend(bytes(3), "3 zeros")
    log.expect("torn", "torn-record", survivors=[0, 1, 2], end=50)


@BOOK.damaged(three_recyclable_records, "torn-tail", "RDB-004", "RDB-051")
def last_flipped_after_a_trailer(log: RocksLog) -> None:
    """The range of the lost record ends with its last fragment, before the trailer."""
    log.extend(recyclable(FIRST, numbered(BLOCK_SIZE - 50 - 11 - 8)), "a FIRST that leaves 8 bytes")
    log.extend(
        bytes(8) + flipped(recyclable(LAST, b"last")), "a trailer, a LAST with a flipped bit"
    )
    log.expect("damaged", "checksum-mismatch", survivors=[0, 1, 2], end=None)
