"""Where a reader goes on after damage, and where it must not look."""

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
    """A record whose data are two physical records of this very log."""
    inner = recyclable(FULL, b"pay 1") + recyclable(FULL, b"pay 2")
    log.write(b"alpha", Kept(inner), b"charlie")
    log.expect("intact", survivors=[0, 1, 2])


@BOOK.damaged(record_that_holds_a_log, "resync", "RDB-044", "RDB-052")
def record_that_holds_a_log_flipped(log: RocksLog) -> None:
    """Damage before them: they are data of a client, and no records."""
    log.flip("blocks[0].records[1].header.checksum", 0)
    log.expect("damaged", "checksum-mismatch", survivors=[0], end=None)


@BOOK.valid("resync", "RDB-044", "RDB-050")
def synced_record_that_holds_a_log(log: RocksLog) -> None:
    """A record whose data is a physical record that claims a sync of 1000 bytes."""
    log.write(b"alpha", Kept(wal_sync(FULL, b"pay 1", 1000)), b"charlie", headers=WAL_SYNC)
    log.expect("intact", survivors=[0, 1, 2])


@BOOK.damaged(synced_record_that_holds_a_log, "resync", "RDB-017", "RDB-050")
def sync_offset_inside_a_damaged_record(log: RocksLog) -> None:
    """A sync offset in data proves nothing: the survey stops at the first fault of a block."""
    log.flip("blocks[0].records[1].header.checksum", 0)
    log.expect("torn", "torn-tail", survivors=[0], end=24)


@BOOK.damaged(recycled_blocks, "resync", "RDB-044", "RDB-051")
def two_blocks_flipped(log: RocksLog) -> None:
    """Two damaged blocks, each with its range."""
    log.flip("blocks[0].records[0].data", 1)
    log.flip("blocks[1].records[0].data", 1)
    log.expect("damaged", "checksum-mismatch", survivors=[4])


@BOOK.valid("resync", "RDB-016")
def four_full_blocks(log: RocksLog) -> None:
    """Four different records that fill a block each."""
    for number in range(4):
        log.write(bytes([number]) + numbered(BLOCK_SIZE - 12))
    log.expect("intact", survivors=[0, 1, 2, 3])


@BOOK.damaged(four_full_blocks, "resync", "RDB-016", "RDB-044", "RDB-056")
def last_of_four_blocks_flipped(log: RocksLog) -> None:
    """The last block is damaged and full: a writer may go on in the next one."""
    log.flip("blocks[3].records[0].data", 1)
    log.expect("damaged", "checksum-mismatch", survivors=[0, 1, 2], end=4 * BLOCK_SIZE)


@BOOK.damaged(four_full_blocks, "resync", "RDB-016")
def blocks_swapped(log: RocksLog) -> None:
    """Two blocks in each other's place: nothing shows it."""
    log.shows("swapped")
    log.swap_sectors(0, 1, BLOCK_SIZE)
    log.expect("intact", survivors=[1, 0, 2, 3])


@BOOK.damaged(four_full_blocks, "resync", "RDB-055", "RDB-044")
def first_of_four_blocks_flipped(log: RocksLog) -> None:
    """A strict reader stops at once; the default one returns three records."""
    log.flip("blocks[0].records[0].data", 1)
    log.expect("damaged", "checksum-mismatch", survivors=[1, 2, 3])
