"""Extreme logs that could cost a reader much time or memory."""

from conformance.recipes.rocksdb_wal.layout import (
    recyclable_log_ends_with_its_block,
    three_recyclable_records,
)
from conformance.recipes.rocksdb_wal.log import (
    BLOCK_SIZE,
    LIMITS,
    MIDDLE,
    OLDER,
    RocksLog,
    numbered,
    recyclable,
)


@LIMITS.valid("RDB-060", kind="limit")
def a_thousand_empty_recyclable_records(log: RocksLog) -> None:
    """A log with 1,000 empty records."""
    log.write(*[b""] * 1000)
    log.expect("intact", survivors=list(range(1000)))


@LIMITS.valid("RDB-003", "RDB-060", kind="limit")
def largest_recyclable_record_of_a_block(log: RocksLog) -> None:
    """A record of 32,757 bytes fills its block as one FULL."""
    log.write(numbered(32757), b"bravo")
    log.expect("intact", survivors=[0, 1])


@LIMITS.damaged(three_recyclable_records, "RDB-048", "RDB-060", kind="limit")
def thousands_of_recyclable_orphans(log: RocksLog) -> None:
    """A log with 2,000 empty orphans. Each orphan is a separate lost range."""
    log.extend(recyclable(MIDDLE, b"") * 2000)
    log.expect("damaged", "orphan-fragment", survivors=[0, 1, 2])


@LIMITS.damaged(recyclable_log_ends_with_its_block, "RDB-043", "RDB-060", kind="limit")
def large_recyclable_lengths_in_every_block(log: RocksLog) -> None:
    """Four blocks begin with a header whose length is 65,535. The lengths must not cost a reader
    memory or time."""
    log.extend((b"\xff" * 6 + b"\x05" + bytes(32761)) * 4)
    log.expect("torn", "torn-tail", survivors=[0], end=BLOCK_SIZE)


@LIMITS.damaged(three_recyclable_records, "RDB-015", "RDB-060", kind="limit")
def thousands_of_older_records(log: RocksLog) -> None:
    """After the end of the log, 3,000 records of an older log follow. A reader does not return
    these records."""
    log.extend(recyclable(1, b"", OLDER) * 3000)
    log.expect("intact", survivors=[0, 1, 2], end=50)


@LIMITS.damaged(three_recyclable_records, "RDB-061")
def recyclable_log_that_readers_must_not_touch(log: RocksLog) -> None:
    """A reader must not repair or change a torn log."""
    log.truncate_in("blocks[0].records[2].data", 2)
    log.expect("torn", "torn-payload", survivors=[0, 1], end=32)
