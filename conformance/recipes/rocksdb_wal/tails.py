"""Logs that end early: unfinished writes."""

from conformance.recipes.rocksdb_wal.clean_close import recyclable_log_closed, synced_log_closed
from conformance.recipes.rocksdb_wal.layout import (
    recyclable_fragments,
    recyclable_fragments_within_one_block,
    recyclable_trailer,
    synced_fragments,
    synced_trailer,
    three_recyclable_records,
    three_synced_records,
)
from conformance.recipes.rocksdb_wal.log import BLOCK_SIZE, BOOK, RocksLog
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
