"""Zeros: space that was never written, and bytes that were lost."""

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
    """A file that was made longer ahead, and never written to."""
    log.data += bytes(5000)
    log.is_called("000019.log")
    log.expect("intact", survivors=[], end=0)


@BOOK.damaged(three_recyclable_records, "zeros", "RDB-019", kind="eof")
def recyclable_log_and_zeros(log: RocksLog) -> None:
    """Zeros to the end of the log are space that was never written."""
    log.extend(bytes(70_000), "70000 zeros")
    log.expect("intact", survivors=[0, 1, 2], end=50)


@BOOK.damaged(three_synced_records, "zeros", "RDB-019", kind="eof")
def synced_log_and_zeros(log: RocksLog) -> None:
    """The same with 19-byte headers."""
    log.extend(bytes(4096), "4096 zeros")
    log.expect("intact", survivors=[0, 1, 2], end=74)


@BOOK.damaged(three_legacy_records, "zeros", "RDB-019", kind="eof")
def legacy_log_and_three_zeros(log: RocksLog) -> None:
    """Three zeros are no header that was cut."""
    log.extend(bytes(3), "3 zeros")
    log.expect("intact", survivors=[0, 1, 2], end=38)


@BOOK.damaged(three_synced_records, "zeros", "RDB-019", kind="eof")
def synced_log_and_nine_zeros(log: RocksLog) -> None:
    """Nine zeros: more than a type, fewer than a header."""
    log.extend(bytes(9), "9 zeros")
    log.expect("intact", survivors=[0, 1, 2], end=74)


@BOOK.damaged(three_recyclable_records, "zeros", "RDB-019", "RDB-042", kind="eof")
def first_and_zeros(log: RocksLog) -> None:
    """A record is open where the zeros begin."""
    log.retype("blocks[0].records[2]", 6)
    log.extend(bytes(4096), "4096 zeros")
    log.expect("torn", "torn-record", survivors=[0, 1], end=32)


@BOOK.damaged(recyclable_fragments, "zeros", "RDB-045")
def recyclable_header_zeroed(log: RocksLog) -> None:
    """A header of zeros with data after it."""
    log.zero("blocks[1].records[0].header")
    log.expect("damaged", "zero-header", survivors=[0, 2])


@BOOK.damaged(recyclable_fragments, "zeros", "RDB-045")
def recyclable_block_zeroed(log: RocksLog) -> None:
    """A block of zeros with blocks of this log after it."""
    log.zero("blocks[1]")
    log.expect("damaged", "zero-gap", survivors=[0, 2])


@BOOK.damaged(recyclable_fragments, "zeros", "RDB-044")
def recyclable_sector_zeroed(log: RocksLog) -> None:
    """A sector of zeros inside a fragment."""
    log.shows("zeroed-sector")
    log.zero_sector(70)
    log.expect("damaged", "checksum-mismatch", survivors=[0, 2])


@BOOK.damaged(synced_blocks, "zeros", "RDB-017", "RDB-045")
def synced_block_zeroed(log: RocksLog) -> None:
    """A block of zeros before what was synced."""
    log.zero("blocks[1]")
    log.expect("damaged", "zero-gap", survivors=[0, 1, 2, 5])


@BOOK.damaged(blocks_without_a_sync, "zeros", "RDB-045", "RDB-050")
def block_zeroed_without_a_proof(log: RocksLog) -> None:
    """A block of zeros that was never promised: the log ends there."""
    log.zero("blocks[1]")
    log.expect("torn", "torn-tail", survivors=[0, 1, 2], end=BLOCK_SIZE)


@BOOK.damaged(recycled_log, "zeros", "RDB-045", "RDB-050")
def zeros_before_an_older_log(log: RocksLog) -> None:
    """Zeros after the last record, then the older log."""
    log.data[50:BLOCK_SIZE] = bytes(BLOCK_SIZE - 50)
    log.did("zero the rest of the block")
    log.expect("torn", "torn-tail", survivors=[0, 1, 2], end=50)


@BOOK.damaged(three_recyclable_records, "zeros", "RDB-044", kind="eof")
def recyclable_data_never_arrived(log: RocksLog) -> None:
    """The header is there and the data reads as zeros."""
    log.shows("size-before-data")
    log.zero("blocks[0].records[2].data")
    log.expect("damaged", "checksum-mismatch", survivors=[0, 1], end=None)


@BOOK.damaged(three_synced_records, "zeros", "RDB-050", kind="eof")
def synced_data_never_arrived(log: RocksLog) -> None:
    """The same after the last sync."""
    log.zero("blocks[0].records[2].data")
    log.expect("torn", "torn-tail", survivors=[0, 1], end=48)


@BOOK.damaged(three_recyclable_records, "zeros", "RDB-045")
def zero_header_with_a_checksum(log: RocksLog) -> None:
    """Type and length are 0, one byte of the checksum is not: somebody wrote there."""
    log.extend(b"\x01" + bytes(4095), "01 and 4095 zeros")
    log.expect("damaged", "zero-header", survivors=[0, 1, 2], end=None)


@BOOK.damaged(three_legacy_records, "zeros", "RDB-041", "RDB-045")
def zero_gap_before_a_block_that_begins_with_zeros(log: RocksLog) -> None:
    """The gap ends at the start of a block, and not at the first byte that is not zero."""
    log.fill_block()
    log.extend(bytes(4) + b"xyz123456" + legacy(FULL, b"ghost"), "4 zeros, text, a FULL")
    log.expect("damaged", "zero-gap", survivors=[0, 1, 2], end=BLOCK_SIZE)


@BOOK.damaged(three_synced_records, "zeros", "RDB-045", "RDB-050", kind="eof")
def zero_header_at_the_end_of_a_synced_log(log: RocksLog) -> None:
    """After the last sync, a header of zeros ends a WAL-sync log."""
    log.extend(bytes(7) + b"x", "7 zeros and one byte")
    log.expect("torn", "torn-tail", survivors=[0, 1, 2], end=74)
