"""Places where a reader continues after damage, and places where it must not search."""

from conformance.recipes.rocksdb_wal.log import (
    BLOCK_SIZE,
    FULL,
    RESYNC,
    WAL_SYNC,
    RocksLog,
    numbered,
    recyclable,
    wal_sync,
)


@RESYNC.valid("RDB-044")
def record_that_holds_a_log(log: RocksLog) -> None:
    """The data of a record consists of two valid physical records of the same log."""
    inner = recyclable(FULL, b"pay 1") + recyclable(FULL, b"pay 2")
    log.write(b"alpha", inner, b"charlie")
    log.expect("intact", survivors=[0, 1, 2])


@RESYNC.valid("RDB-044", "RDB-050")
def synced_record_that_holds_a_log(log: RocksLog) -> None:
    """The data of a record is a valid WAL-sync record with a sync offset of 1,000."""
    log.write(b"alpha", wal_sync(FULL, b"pay 1", 1000), b"charlie", headers=WAL_SYNC)
    log.expect("intact", survivors=[0, 1, 2])


@RESYNC.valid("RDB-016")
def four_full_blocks(log: RocksLog) -> None:
    """Four records, each of which fills a block."""
    for number in range(4):
        log.write(bytes([number]) + numbered(BLOCK_SIZE - 12))
    log.expect("intact", survivors=[0, 1, 2, 3])


@RESYNC.valid("RDB-044")
def two_full_legacy_blocks(log: RocksLog) -> None:
    """Two records of a legacy log, each of which fills a block."""
    for number in range(2):
        log.write(bytes([number]) + numbered(BLOCK_SIZE - 8), headers="legacy")
    log.expect("intact", survivors=[0, 1])


RESYNC.table("""
record_that_holds_a_log_flipped: record_that_holds_a_log RDB-044 RDB-052
    One bit of the checksum of a record is flipped. A reader must not return the two physical
    records in its data.
    damage: flip bit 0 of blocks[0].records[1].header.checksum
    expect: damaged checksum-mismatch, survivors 0, end none
sync_offset_inside_a_damaged_record: synced_record_that_holds_a_log RDB-017 RDB-050 corrupt
    One bit of the checksum of a WAL-sync record is flipped. A sync offset inside the data of this
    record does not count.
    damage: flip bit 0 of blocks[0].records[1].header.checksum
    expect: torn torn-tail, survivors 0, end 24
two_blocks_flipped: recycled_blocks RDB-044 RDB-051
    One bit in each of two blocks is flipped. Each block has a separate lost range.
    damage: flip bit 1 of blocks[0].records[0].data
    damage: flip bit 1 of blocks[1].records[0].data
    expect: damaged checksum-mismatch, survivors 4
last_of_four_blocks_flipped: four_full_blocks RDB-016 RDB-050 corrupt
    One bit of the last of four full blocks is flipped. This looks like an unfinished write.
    damage: flip bit 1 of blocks[3].records[0].data
    expect: torn torn-tail, survivors 0-2, end 98304
last_of_two_legacy_blocks_flipped: two_full_legacy_blocks RDB-044 RDB-056
    One bit of the last full block is flipped. A writer may append in the next block.
    damage: flip bit 1 of blocks[1].records[0].data
    expect: damaged checksum-mismatch, survivors 0, end 65536
blocks_swapped: four_full_blocks RDB-016
    Two blocks are swapped. The format cannot detect this.
    shows: swapped
    damage: swap sectors 0 and 1 of 32768 bytes
    expect: intact, survivors 1 0 2 3
first_of_four_blocks_flipped: four_full_blocks RDB-055 RDB-044
    One bit of the first of four full blocks is flipped. A strict reader stops there, and a default
    reader returns three records.
    damage: flip bit 1 of blocks[0].records[0].data
    expect: damaged checksum-mismatch, survivors 1-3
""")
