"""Places where a reader continues after damage, and places where it must not search."""

from conformance.recipes.rocksdb_wal.log import (
    BLOCK_SIZE,
    BOOK,
    FULL,
    WAL_SYNC,
    RocksLog,
    numbered,
    recyclable,
    wal_sync,
)
from conformance.recipes.rocksdb_wal.log_number import recycled_blocks
from conformance.recipes.variation import Kept


@BOOK.valid("resync", "RDB-044")
def record_that_holds_a_log(log: RocksLog) -> None:
    """The data of a record consists of two valid physical records of the same log."""
    inner = recyclable(FULL, b"pay 1") + recyclable(FULL, b"pay 2")
    log.write(b"alpha", Kept(inner), b"charlie")
    log.expect("intact", survivors=[0, 1, 2])


@BOOK.damaged(record_that_holds_a_log, "resync", "RDB-044", "RDB-052")
def record_that_holds_a_log_flipped(log: RocksLog) -> None:
    """One bit of the checksum of a record is flipped. A reader must not return the two physical
    records in its data.
    """
    log.flip("blocks[0].records[1].header.checksum", 0)
    log.expect("damaged", "checksum-mismatch", survivors=[0], end=None)


@BOOK.valid("resync", "RDB-044", "RDB-050")
def synced_record_that_holds_a_log(log: RocksLog) -> None:
    """The data of a record is a valid WAL-sync record with a sync offset of 1,000."""
    log.write(b"alpha", Kept(wal_sync(FULL, b"pay 1", 1000)), b"charlie", headers=WAL_SYNC)
    log.expect("intact", survivors=[0, 1, 2])


@BOOK.damaged(synced_record_that_holds_a_log, "resync", "RDB-017", "RDB-050")
def sync_offset_inside_a_damaged_record(log: RocksLog) -> None:
    """One bit of the checksum of a WAL-sync record is flipped. A sync offset inside the data of
    this record does not count.
    """
    log.flip("blocks[0].records[1].header.checksum", 0)
    log.expect("torn", "torn-tail", survivors=[0], end=24)


@BOOK.damaged(recycled_blocks, "resync", "RDB-044", "RDB-051")
def two_blocks_flipped(log: RocksLog) -> None:
    """One bit in each of two blocks is flipped. Each block has its own lost range."""
    log.flip("blocks[0].records[0].data", 1)
    log.flip("blocks[1].records[0].data", 1)
    log.expect("damaged", "checksum-mismatch", survivors=[4])


@BOOK.valid("resync", "RDB-016")
def four_full_blocks(log: RocksLog) -> None:
    """Four records, each of which fills a block."""
    for number in range(4):
        log.write(bytes([number]) + numbered(BLOCK_SIZE - 12))
    log.expect("intact", survivors=[0, 1, 2, 3])


@BOOK.damaged(four_full_blocks, "resync", "RDB-016", "RDB-044", "RDB-056")
def last_of_four_blocks_flipped(log: RocksLog) -> None:
    """One bit of the last of four full blocks is flipped. A writer may append in the next block."""
    log.flip("blocks[3].records[0].data", 1)
    log.expect("damaged", "checksum-mismatch", survivors=[0, 1, 2], end=4 * BLOCK_SIZE)


@BOOK.damaged(four_full_blocks, "resync", "RDB-016")
def blocks_swapped(log: RocksLog) -> None:
    """Two blocks are swapped. The format cannot detect this."""
    log.shows("swapped")
    log.swap_sectors(0, 1, BLOCK_SIZE)
    log.expect("intact", survivors=[1, 0, 2, 3])


@BOOK.damaged(four_full_blocks, "resync", "RDB-055", "RDB-044")
def first_of_four_blocks_flipped(log: RocksLog) -> None:
    """One bit of the first of four full blocks is flipped. A strict reader stops there, and a
    default reader returns three records.
    """
    log.flip("blocks[0].records[0].data", 1)
    log.expect("damaged", "checksum-mismatch", survivors=[1, 2, 3])
