"""Lengths that extend past the end of a block or of the log."""

from conformance.recipes.rocksdb_wal.layout import (
    recyclable_log_ends_with_its_block,
    recyclable_trailer_of_seven_bytes,
)
from conformance.recipes.rocksdb_wal.log import BLOCK_SIZE, LEGACY, LENGTHS, RocksLog


@LENGTHS.damaged(recyclable_log_ends_with_its_block, "RDB-043")
def length_one_more_than_the_block(log: RocksLog) -> None:
    """The length of a record that fills its block is one byte too large."""
    log.set("blocks[0].records[0].header.len_data", BLOCK_SIZE - 10)
    log.expect("damaged", "bad-length", survivors=[], end=BLOCK_SIZE)


@LENGTHS.valid("RDB-004", "RDB-006")
def legacy_log_with_eight_bytes_left(log: RocksLog) -> None:
    """Eight bytes are left in a block of a legacy log. A FIRST with one byte of data fills them."""
    log.fill_block_but(8, LEGACY)
    log.write(b"bravo", b"charlie", headers=LEGACY)
    log.expect("intact", survivors=[0, 1, 2])


@LENGTHS.damaged(recyclable_trailer_of_seven_bytes, "RDB-004")
def trailer_of_other_bytes(log: RocksLog) -> None:
    """A reader skips a trailer that is not zero."""
    log.data[BLOCK_SIZE - 7 : BLOCK_SIZE] = b"\xff\xff\xff\xff\xff\xff\x05"
    log.expect("intact", survivors=[0, 1, 2])
    log.bug(
        "RocksDB reports a bad record length, or ends silently with kTolerateCorruptedTailRecords"
    )


LENGTHS.table("""
recyclable_length_out_of_its_block: three_recyclable_records RDB-003 RDB-043 RDB-040
    The length of the second record is 65,535, which exceeds any block. This is damage, not an
    unfinished write.
    damage: set blocks[0].records[1].header.len_data to 65535
    expect: damaged bad-length, survivors 0, end none
length_out_of_a_block_in_the_middle: recyclable_fragments RDB-043 RDB-048
    One bit of the length of the first record is flipped, and the record extends past its block. The
    next block is readable.
    shows: bit-in-a-length
    damage: flip bit 15 of blocks[0].records[0].header.len_data
    expect: damaged bad-length, survivors 2
synced_length_out_of_its_block: synced_blocks RDB-017 RDB-043
    The length of the second record of a WAL-sync log is 65,535. The fault is before the proven
    offset, so this is damage.
    damage: set blocks[0].records[1].header.len_data to 65535
    expect: damaged bad-length, survivors 0 3-5
synced_length_out_of_the_last_block: three_synced_records RDB-043 RDB-050 corrupt
    The length of the last record of a WAL-sync log is 65,535. The fault is after the proven offset
    and ends the log.
    damage: set blocks[0].records[2].header.len_data to 65535
    expect: torn torn-tail, survivors 0 1, end 48
length_out_of_its_block_in_a_recycled_log: recycled_log RDB-043 RDB-050 corrupt
    The length of the last record of a recycled log is 65,535. The next block belongs to an older
    log, so the fault ends the log.
    damage: set blocks[0].records[2].header.len_data to 65535
    expect: torn torn-tail, survivors 0 1, end 32
length_beyond_the_log: three_recyclable_records RDB-041 limit
    The length of the second record is 261. The record fits into its block but not into the log,
    like an unfinished write.
    damage: set blocks[0].records[1].header.len_data to 261
    expect: torn torn-payload, survivors 0, end 16
recyclable_length_too_small: three_recyclable_records RDB-044
    The length of the second record is one byte too small. The checksum does not match.
    damage: set blocks[0].records[1].header.len_data to 4
    expect: damaged checksum-mismatch, survivors 0
long_header_out_of_its_block: legacy_log_with_eight_bytes_left RDB-006 RDB-043
    The last eight bytes of a block begin with a header of type 6. This header is 11 bytes long and
    extends past the block.
    damage: set blocks[0].records[1].header.type to 6
    expect: damaged bad-length, survivors 0 2
legacy_length_out_of_its_block: three_legacy_records RDB-043
    The length of the second record of a legacy log is 65,535.
    damage: set blocks[0].records[1].header.len_data to 65535
    expect: damaged bad-length, survivors 0, end none
""")
