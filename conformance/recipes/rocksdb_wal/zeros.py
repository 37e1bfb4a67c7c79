"""Zeros: preallocated space, and bytes that were lost."""

from conformance.recipes.rocksdb_wal.checksum import blocks_without_a_sync, synced_blocks
from conformance.recipes.rocksdb_wal.layout import (
    recyclable_fragments,
    three_legacy_records,
    three_recyclable_records,
    three_synced_records,
)
from conformance.recipes.rocksdb_wal.log import BLOCK_SIZE, BOOK, FULL, RocksLog, legacy
from conformance.recipes.rocksdb_wal.log_number import recycled_log


@BOOK.valid("zeros", "RDB-019", kind="limit")
def file_of_zeros_under_a_name(log: RocksLog) -> None:
    """A preallocated file of zeros without records."""
    log.data += bytes(5000)
    log.is_called("000019.log")
    log.expect("intact", survivors=[], end=0)


@BOOK.damaged(three_recyclable_records, "zeros", "RDB-019", kind="eof")
def recyclable_log_and_zeros(log: RocksLog) -> None:
    """A recyclable log with 70,000 zeros of preallocated space at the end."""
    log.extend(bytes(70_000), "70000 zeros")
    log.expect("intact", survivors=[0, 1, 2], end=50)


@BOOK.damaged(three_synced_records, "zeros", "RDB-019", kind="eof")
def synced_log_and_zeros(log: RocksLog) -> None:
    """A WAL-sync log with 4,096 zeros of preallocated space at the end."""
    log.extend(bytes(4096), "4096 zeros")
    log.expect("intact", survivors=[0, 1, 2], end=74)


@BOOK.damaged(three_legacy_records, "zeros", "RDB-019", kind="eof")
def legacy_log_and_three_zeros(log: RocksLog) -> None:
    """A legacy log with three zeros at the end. The zeros are not a cut header."""
    log.extend(bytes(3), "3 zeros")
    log.expect("intact", survivors=[0, 1, 2], end=38)


@BOOK.damaged(three_synced_records, "zeros", "RDB-019", kind="eof")
def synced_log_and_nine_zeros(log: RocksLog) -> None:
    """A WAL-sync log with nine zeros at the end. The zeros are not a cut header."""
    log.extend(bytes(9), "9 zeros")
    log.expect("intact", survivors=[0, 1, 2], end=74)


@BOOK.damaged(three_recyclable_records, "zeros", "RDB-019", "RDB-042", kind="eof")
def first_and_zeros(log: RocksLog) -> None:
    """Zeros follow a FIRST. The record is torn."""
    log.retype("blocks[0].records[2]", 6)
    log.extend(bytes(4096), "4096 zeros")
    log.expect("torn", "torn-record", survivors=[0, 1], end=32)


@BOOK.damaged(recyclable_fragments, "zeros", "RDB-045")
def recyclable_header_zeroed(log: RocksLog) -> None:
    """The header of a MIDDLE is zeroed. The rest of the block is lost."""
    log.zero("blocks[1].records[0].header")
    log.expect("damaged", "zero-header", survivors=[0, 2])


@BOOK.damaged(recyclable_fragments, "zeros", "RDB-045")
def recyclable_block_zeroed(log: RocksLog) -> None:
    """The second of three blocks of a recyclable log is zeroed."""
    log.zero("blocks[1]")
    log.expect("damaged", "zero-gap", survivors=[0, 2])


@BOOK.damaged(recyclable_fragments, "zeros", "RDB-044")
def recyclable_sector_zeroed(log: RocksLog) -> None:
    """A sector inside a MIDDLE is zeroed. The checksum does not match."""
    log.shows("zeroed-sector")
    log.zero_sector(70)
    log.expect("damaged", "checksum-mismatch", survivors=[0, 2])


@BOOK.damaged(synced_blocks, "zeros", "RDB-017", "RDB-045")
def synced_block_zeroed(log: RocksLog) -> None:
    """A block before the proven offset of a WAL-sync log is zeroed. This is damage."""
    log.zero("blocks[1]")
    log.expect("damaged", "zero-gap", survivors=[0, 1, 2, 5])


@BOOK.damaged(blocks_without_a_sync, "zeros", "RDB-045", "RDB-050")
def block_zeroed_without_a_proof(log: RocksLog) -> None:
    """A block after the proven offset of a WAL-sync log is zeroed. The fault ends the log."""
    log.zero("blocks[1]")
    log.expect("torn", "torn-tail", survivors=[0, 1, 2], end=BLOCK_SIZE)


@BOOK.damaged(recycled_log, "zeros", "RDB-045", "RDB-050")
def zeros_before_an_older_log(log: RocksLog) -> None:
    """Zeros follow the last record, and the next block belongs to an older log. The zeros are a
    torn tail.
    """
    log.data[50:BLOCK_SIZE] = bytes(BLOCK_SIZE - 50)
    log.did("zero the rest of the block")
    log.expect("torn", "torn-tail", survivors=[0, 1, 2], end=50)


@BOOK.damaged(three_recyclable_records, "zeros", "RDB-044", kind="eof")
def recyclable_data_never_arrived(log: RocksLog) -> None:
    """The data of the last record is zeroed, but the header is intact. No older log follows, so
    this is damage.
    """
    log.shows("size-before-data")
    log.zero("blocks[0].records[2].data")
    log.expect("damaged", "checksum-mismatch", survivors=[0, 1], end=None)


@BOOK.damaged(three_synced_records, "zeros", "RDB-050", kind="eof")
def synced_data_never_arrived(log: RocksLog) -> None:
    """The data of the last record of a WAL-sync log is zeroed. The fault is after the proven offset
    and ends the log.
    """
    log.zero("blocks[0].records[2].data")
    log.expect("torn", "torn-tail", survivors=[0, 1], end=48)


@BOOK.damaged(three_recyclable_records, "zeros", "RDB-045")
def zero_header_with_a_checksum(log: RocksLog) -> None:
    """A header with type 0 and length 0 has a checksum that is not zero. The bytes are not
    preallocated space.
    """
    log.extend(b"\x01" + bytes(4095), "a byte 01 and 4095 zeros")
    log.expect("damaged", "zero-header", survivors=[0, 1, 2], end=None)


@BOOK.damaged(three_legacy_records, "zeros", "RDB-041", "RDB-045")
def zero_gap_before_a_block_that_begins_with_zeros(log: RocksLog) -> None:
    """A gap of zeros ends at the start of a block, even if this block also begins with zeros."""
    log.fill_block()
    log.extend(bytes(4) + b"xyz123456" + legacy(FULL, b"ghost"), "4 zeros, text, a FULL")
    log.expect("damaged", "zero-gap", survivors=[0, 1, 2], end=BLOCK_SIZE)


@BOOK.damaged(three_synced_records, "zeros", "RDB-045", "RDB-050", kind="eof")
def zero_header_at_the_end_of_a_synced_log(log: RocksLog) -> None:
    """A zero header after the proven offset ends a WAL-sync log."""
    log.extend(bytes(7) + b"x", "7 zeros and one byte")
    log.expect("torn", "torn-tail", survivors=[0, 1, 2], end=74)
