"""Lengths that extend past the end of a block or of the log."""

from conformance.recipes.rocksdb_wal.checksum import synced_blocks
from conformance.recipes.rocksdb_wal.layout import (
    recyclable_fragments,
    recyclable_log_ends_with_its_block,
    recyclable_trailer_of_seven_bytes,
    three_legacy_records,
    three_recyclable_records,
    three_synced_records,
)
from conformance.recipes.rocksdb_wal.log import BLOCK_SIZE, BOOK, LEGACY, RocksLog
from conformance.recipes.rocksdb_wal.log_number import recycled_log


@BOOK.damaged(three_recyclable_records, "lengths", "RDB-003", "RDB-043", "RDB-040")
def recyclable_length_out_of_its_block(log: RocksLog) -> None:
    """The length of the second record is 65,535, which exceeds any block. This is damage, not an
    unfinished write.
    """
    log.set("blocks[0].records[1].header.len_data", 65535)
    log.expect("damaged", "bad-length", survivors=[0], end=None)


@BOOK.damaged(recyclable_fragments, "lengths", "RDB-043", "RDB-048")
def length_out_of_a_block_in_the_middle(log: RocksLog) -> None:
    """One bit of the length of the first record is flipped, and the record extends past its block.
    The next block is readable.
    """
    log.shows("bit-in-a-length")
    log.flip("blocks[0].records[0].header.len_data", 15)
    log.expect("damaged", "bad-length", survivors=[2])


@BOOK.damaged(synced_blocks, "lengths", "RDB-017", "RDB-043")
def synced_length_out_of_its_block(log: RocksLog) -> None:
    """The length of the second record of a WAL-sync log is 65,535. The fault is before the proven
    offset, so this is damage.
    """
    log.set("blocks[0].records[1].header.len_data", 65535)
    log.expect("damaged", "bad-length", survivors=[0, 3, 4, 5])


@BOOK.damaged(three_synced_records, "lengths", "RDB-043", "RDB-050")
def synced_length_out_of_the_last_block(log: RocksLog) -> None:
    """The length of the last record of a WAL-sync log is 65,535. The fault is after the proven
    offset and ends the log.
    """
    log.set("blocks[0].records[2].header.len_data", 65535)
    log.expect("torn", "torn-tail", survivors=[0, 1], end=48)


@BOOK.damaged(recycled_log, "lengths", "RDB-043", "RDB-050")
def length_out_of_its_block_in_a_recycled_log(log: RocksLog) -> None:
    """The length of the last record of a recycled log is 65,535. The next block belongs to an older
    log, so the fault ends the log.
    """
    log.set("blocks[0].records[2].header.len_data", 65535)
    log.expect("torn", "torn-tail", survivors=[0, 1], end=32)


@BOOK.damaged(three_recyclable_records, "lengths", "RDB-041", kind="limit")
def length_beyond_the_log(log: RocksLog) -> None:
    """The length of the second record is 261. The record fits into its block but not into the log,
    like an unfinished write.
    """
    log.set("blocks[0].records[1].header.len_data", 261)
    log.expect("torn", "torn-payload", survivors=[0], end=16)


@BOOK.damaged(three_recyclable_records, "lengths", "RDB-044")
def recyclable_length_too_small(log: RocksLog) -> None:
    """The length of the second record is one byte too small. The checksum does not match."""
    log.set("blocks[0].records[1].header.len_data", 4)
    log.expect("damaged", "checksum-mismatch", survivors=[0])


@BOOK.damaged(recyclable_log_ends_with_its_block, "lengths", "RDB-043")
def length_one_more_than_the_block(log: RocksLog) -> None:
    """The length of a record that fills its block is one byte too large."""
    log.set("blocks[0].records[0].header.len_data", BLOCK_SIZE - 10)
    log.expect("damaged", "bad-length", survivors=[], end=BLOCK_SIZE)


@BOOK.valid("lengths", "RDB-004", "RDB-006")
def legacy_log_with_eight_bytes_left(log: RocksLog) -> None:
    """Eight bytes are left in a block of a legacy log. A FIRST with one byte of data fills them."""
    log.fill_block_but(8, LEGACY)
    log.write(b"bravo", b"charlie", headers=LEGACY)
    log.expect("intact", survivors=[0, 1, 2])


@BOOK.damaged(legacy_log_with_eight_bytes_left, "lengths", "RDB-006", "RDB-043")
def long_header_out_of_its_block(log: RocksLog) -> None:
    """The last eight bytes of a block begin with a header of type 6. This header has 11 bytes and
    extends past the block.
    """
    log.set("blocks[0].records[1].header.type", 6)
    log.expect("damaged", "bad-length", survivors=[0, 2])


@BOOK.damaged(recyclable_trailer_of_seven_bytes, "lengths", "RDB-004")
def trailer_of_other_bytes(log: RocksLog) -> None:
    """A reader skips a trailer that is not zero."""
    log.data[BLOCK_SIZE - 7 : BLOCK_SIZE] = b"\xff\xff\xff\xff\xff\xff\x05"
    log.did("write other bytes into the trailer")
    log.expect("intact", survivors=[0, 1, 2])
    log.bug(
        "RocksDB reports a bad record length, or ends silently with kTolerateCorruptedTailRecords"
    )


@BOOK.damaged(three_legacy_records, "lengths", "RDB-043")
def legacy_length_out_of_its_block(log: RocksLog) -> None:
    """The length of the second record of a legacy log is 65,535."""
    log.set("blocks[0].records[1].header.len_data", 65535)
    log.expect("damaged", "bad-length", survivors=[0], end=None)
