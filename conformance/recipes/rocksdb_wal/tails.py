"""Logs that end early, after unfinished writes."""

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
    """The log ends inside a header, before the type."""
    log.truncate_in("blocks[0].records[2].header", 6)
    log.expect("torn", "torn-header", survivors=[0, 1], end=32)


@BOOK.damaged(three_recyclable_records, "torn-tail", "RDB-041", kind="eof")
def recyclable_cut_in_the_log_number(log: RocksLog) -> None:
    """The log ends inside the log number of a header."""
    log.truncate_in("blocks[0].records[2].header", 9)
    log.expect("torn", "torn-header", survivors=[0, 1], end=32)


@BOOK.damaged(three_synced_records, "torn-tail", "RDB-041", kind="eof")
def synced_cut_in_the_sync_offset(log: RocksLog) -> None:
    """The log ends inside the sync offset of a header."""
    log.truncate_in("blocks[0].records[2].header", 18)
    log.expect("torn", "torn-header", survivors=[0, 1], end=48)


@BOOK.damaged(three_recyclable_records, "torn-tail", "RDB-041", kind="eof")
def recyclable_cut_behind_a_header(log: RocksLog) -> None:
    """The log ends between the header and the data of a record."""
    log.truncate_in("blocks[0].records[2].data", 0)
    log.expect("torn", "torn-payload", survivors=[0, 1], end=32)


@BOOK.damaged(three_recyclable_records, "torn-tail", "RDB-041", "RDB-054", kind="eof")
def recyclable_cut_in_a_payload(log: RocksLog) -> None:
    """The log ends one byte before the end of a record."""
    log.truncate(49)
    log.expect("torn", "torn-payload", survivors=[0, 1], end=32)


@BOOK.damaged(three_synced_records, "torn-tail", "RDB-041", kind="eof")
def synced_cut_in_a_payload(log: RocksLog) -> None:
    """A WAL-sync log ends one byte before the end of a record."""
    log.truncate(73)
    log.expect("torn", "torn-payload", survivors=[0, 1], end=48)


@BOOK.damaged(recyclable_fragments, "torn-tail", "RDB-042", kind="eof")
def recyclable_cut_between_fragments(log: RocksLog) -> None:
    """The log ends between two fragments of a record."""
    log.truncate(BLOCK_SIZE)
    log.expect("torn", "torn-record", survivors=[0], end=16)


@BOOK.damaged(synced_fragments, "torn-tail", "RDB-042", kind="eof")
def synced_cut_between_fragments(log: RocksLog) -> None:
    """A WAL-sync log ends between two fragments of a record."""
    log.truncate(2 * BLOCK_SIZE)
    log.expect("torn", "torn-record", survivors=[0], end=24)


@BOOK.damaged(recyclable_fragments, "torn-tail", "RDB-041", kind="eof")
def recyclable_cut_in_a_fragment(log: RocksLog) -> None:
    """The log ends inside a MIDDLE. The lost range begins at the FIRST."""
    log.truncate(BLOCK_SIZE + 100)
    log.expect("torn", "torn-payload", survivors=[0], end=16)


@BOOK.damaged(recyclable_fragments_within_one_block, "torn-tail", "RDB-042", kind="eof")
def recyclable_cut_after_a_middle(log: RocksLog) -> None:
    """The log ends after a FIRST and a MIDDLE in the same block."""
    log.truncate_in("blocks[0].records[2]", 0)
    log.expect("torn", "torn-record", survivors=[], end=0)


@BOOK.damaged(recyclable_trailer, "torn-tail", "RDB-004", kind="eof")
def recyclable_cut_in_a_trailer(log: RocksLog) -> None:
    """The log ends inside a trailer of ten bytes, and is intact."""
    log.truncate(BLOCK_SIZE - 2)
    log.expect("intact", survivors=[0], end=BLOCK_SIZE - 2)


@BOOK.damaged(synced_trailer, "torn-tail", "RDB-004", kind="eof")
def synced_cut_in_a_trailer(log: RocksLog) -> None:
    """A WAL-sync log ends inside a trailer of 18 bytes, and is intact."""
    log.truncate(BLOCK_SIZE - 3)
    log.expect("intact", survivors=[0], end=BLOCK_SIZE - 3)


@BOOK.truncations(recyclable_log_closed, "torn-tail", "RDB-041", "RDB-026")
def every_prefix_of_a_recyclable_log(log: RocksLog) -> None:
    """Every prefix of a closed recyclable log."""
    log.expect("intact", survivors=[0, 1, 2])


@BOOK.truncations(everything_rocksdb_says, "torn-tail", "RDB-041")
def every_prefix_of_a_log_with_metadata(log: RocksLog) -> None:
    """Every prefix of a compressed log with metadata."""
    log.expect("intact", survivors=[0, 1])


@BOOK.truncations(synced_log_closed, "torn-tail", "RDB-013", "RDB-041", "RDB-026")
def every_prefix_of_a_synced_log(log: RocksLog) -> None:
    """Every prefix of a closed WAL-sync log."""
    log.expect("intact", survivors=[0, 1, 2])


@BOOK.damaged(three_synced_records, "torn-tail", "RDB-041", "RDB-048", "RDB-056")
def synced_cut_after_an_orphan(log: RocksLog) -> None:
    """A WAL-sync log with an orphan ends inside a record. `end` is null, so no writer may
    append.
    """
    log.retype("blocks[0].records[0]", S_MIDDLE, is_sync=True)
    log.truncate_in("blocks[0].records[2].data", 2)
    log.expect("damaged", "orphan-fragment", survivors=[1], end=None)


@BOOK.damaged(three_recyclable_records, "torn-tail", "RDB-025", "RDB-041", kind="limit")
def record_of_another_log_cut(log: RocksLog) -> None:
    """The log ends inside a record of another log. A reader does not use the number of a cut
    record, so the log is torn.
    """
    log.extend(recyclable(FULL, b"ghost", OLDER)[:-1], "a record of log 8 without its last byte")
    log.expect("torn", "torn-payload", survivors=[0, 1, 2], end=50)


@BOOK.damaged(three_recyclable_records, "torn-tail", "RDB-006", "RDB-041", kind="eof")
def legacy_record_cut_in_a_recyclable_log(log: RocksLog) -> None:
    """A recyclable log ends inside a legacy record. Type 1 has a 7-byte header in every dialect, so
    the cut is in the data.
    """
    log.extend(legacy(FULL, b"abcdef")[:9], "9 bytes of a legacy FULL")
    log.expect("torn", "torn-payload", survivors=[0, 1, 2], end=50)


@BOOK.damaged(recyclable_log_ends_before_its_trailer, "torn-tail", "RDB-004", "RDB-040", kind="eof")
def cut_in_a_trailer_that_is_not_zero(log: RocksLog) -> None:
    """The log ends inside a trailer that is not zero, and is intact."""
    log.extend(b"abc", "3 bytes")
    log.expect("intact", survivors=[0], end=BLOCK_SIZE - 7)


@BOOK.damaged(three_recyclable_records, "torn-tail", "RDB-042", kind="eof")
def cut_after_an_empty_first(log: RocksLog) -> None:
    """The log ends after an empty FIRST. The record is torn although it has no data."""
    log.extend(recyclable(FIRST, b""), "an empty FIRST")
    log.expect("torn", "torn-record", survivors=[0, 1, 2], end=50)


@BOOK.damaged(three_recyclable_records, "torn-tail", "RDB-041", kind="eof")
def last_cut_after_an_empty_first(log: RocksLog) -> None:
    """The log ends inside a LAST after an empty FIRST. The lost range begins at the FIRST."""
    log.extend(
        recyclable(FIRST, b"") + recyclable(LAST, b"last")[:-1], "an empty FIRST, a cut LAST"
    )
    log.expect("torn", "torn-payload", survivors=[0, 1, 2], end=50)


@BOOK.damaged(three_recyclable_records, "torn-tail", "RDB-004", "RDB-042", kind="eof")
def cut_in_a_trailer_after_a_first(log: RocksLog) -> None:
    """The log ends inside a trailer after a FIRST. The lost range ends before the trailer."""
    log.extend(recyclable(FIRST, numbered(BLOCK_SIZE - 50 - 11 - 8)), "a FIRST that leaves 8 bytes")
    log.extend(bytes(3), "3 zeros")
    log.expect("torn", "torn-record", survivors=[0, 1, 2], end=50)


@BOOK.damaged(three_recyclable_records, "torn-tail", "RDB-004", "RDB-051")
def last_flipped_after_a_trailer(log: RocksLog) -> None:
    """One bit of a LAST is flipped. The lost range of the open record ends before the trailer
    between FIRST and LAST.
    """
    log.extend(recyclable(FIRST, numbered(BLOCK_SIZE - 50 - 11 - 8)), "a FIRST that leaves 8 bytes")
    log.extend(
        bytes(8) + flipped(recyclable(LAST, b"last")), "a trailer, a LAST with a flipped bit"
    )
    log.expect("damaged", "checksum-mismatch", survivors=[0, 1, 2], end=None)
