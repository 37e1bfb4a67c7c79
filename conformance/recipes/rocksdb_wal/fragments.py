"""Fragments out of order: nothing may be joined that was not written as one record."""

from conformance.recipes.rocksdb_wal.layout import (
    eleven_bytes_left_and_a_record,
    recyclable_empty_first_and_middle,
    recyclable_fragments,
    recyclable_fragments_within_one_block,
    synced_fragments,
)
from conformance.recipes.rocksdb_wal.log import (
    BOOK,
    FIRST,
    LEGACY,
    WAL_SYNC,
    RocksLog,
    legacy,
    numbered,
    recyclable,
)

R_FULL, R_FIRST, R_MIDDLE, R_LAST = 5, 6, 7, 8
S_FIRST, S_LAST = 10, 12


@BOOK.valid("fragments", "RDB-010")
def four_recyclable_records(log: RocksLog) -> None:
    """Four short records in one block."""
    log.write(b"alpha", b"bravo", b"charlie", b"delta")
    log.expect("intact", survivors=[0, 1, 2, 3])


@BOOK.valid("fragments", "RDB-010")
def four_synced_records(log: RocksLog) -> None:
    """Four short records with 19-byte headers in one block."""
    log.write(b"alpha", b"bravo", b"charlie", b"delta", headers=WAL_SYNC)
    log.expect("intact", survivors=[0, 1, 2, 3])


@BOOK.damaged(four_recyclable_records, "fragments", "RDB-048")
def recyclable_middle_without_first(log: RocksLog) -> None:
    """A MIDDLE with no record open is lost; what follows is not."""
    log.retype("blocks[0].records[1]", R_MIDDLE)
    log.expect("damaged", "orphan-fragment", survivors=[0, 2, 3])


@BOOK.damaged(four_recyclable_records, "fragments", "RDB-048", "RDB-052")
def recyclable_last_without_first(log: RocksLog) -> None:
    """A LAST with no record open is lost, and must not be returned."""
    log.retype("blocks[0].records[1]", R_LAST)
    log.expect("damaged", "orphan-fragment", survivors=[0, 2, 3])


@BOOK.damaged(four_synced_records, "fragments", "RDB-048")
def synced_last_without_first(log: RocksLog) -> None:
    """A WAL-sync LAST with no record open: a sound fragment, so the log does not end there."""
    log.retype("blocks[0].records[1]", S_LAST, is_sync=True)
    log.expect("damaged", "orphan-fragment", survivors=[0, 2, 3])


@BOOK.damaged(four_recyclable_records, "fragments", "RDB-049", "RDB-052")
def recyclable_first_then_full(log: RocksLog) -> None:
    """A FULL while a record is open: the open one is lost."""
    log.retype("blocks[0].records[1]", R_FIRST)
    log.expect("damaged", "incomplete-record", survivors=[0, 2, 3])
    log.bug('Pebble returns "bravocharlie"')


@BOOK.damaged(four_synced_records, "fragments", "RDB-049", "RDB-052")
def synced_first_then_full(log: RocksLog) -> None:
    """The same with 19-byte headers."""
    log.retype("blocks[0].records[1]", S_FIRST, is_sync=True)
    log.expect("damaged", "incomplete-record", survivors=[0, 2, 3])
    log.bug('Pebble returns "bravocharlie"')


@BOOK.damaged(four_recyclable_records, "fragments", "RDB-049", "RDB-052")
def recyclable_first_then_first(log: RocksLog) -> None:
    """A FIRST while a record is open: the new one is completed."""
    log.retype("blocks[0].records[0]", R_FIRST)
    log.retype("blocks[0].records[1]", R_FIRST)
    log.retype("blocks[0].records[2]", R_LAST)
    log.expect("damaged", "incomplete-record", survivors=[b"bravocharlie", 3])


@BOOK.damaged(four_recyclable_records, "fragments", "RDB-048")
def recyclable_last_twice(log: RocksLog) -> None:
    """The second LAST is an orphan."""
    log.retype("blocks[0].records[0]", R_FIRST)
    log.retype("blocks[0].records[1]", R_LAST)
    log.retype("blocks[0].records[2]", R_LAST)
    log.expect("damaged", "orphan-fragment", survivors=[b"alphabravo", 3])


@BOOK.damaged(eleven_bytes_left_and_a_record, "fragments", "RDB-049", kind="limit")
def recyclable_empty_first_then_full(log: RocksLog) -> None:
    """An empty FIRST before a FULL lost nothing."""
    log.retype("blocks[1].records[0]", R_FULL)
    log.expect("intact", survivors=[0, 1, 2])


@BOOK.damaged(recyclable_empty_first_and_middle, "fragments", "RDB-051", kind="limit")
def recyclable_empty_first_then_damage(log: RocksLog) -> None:
    """Damage loses an open record without data as well, and makes its LAST an orphan."""
    log.splice("blocks[0].records[2]", legacy(103, b"ghost"), "a record of type 103")
    log.expect("damaged", "unknown-type", survivors=[0, 2])


@BOOK.damaged(recyclable_fragments, "fragments", "RDB-048")
def recyclable_first_block_dropped(log: RocksLog) -> None:
    """The block with FIRST is missing: MIDDLE and LAST are orphans."""
    log.shows("missing-in-the-middle")
    log.drop("blocks[0]")
    log.expect("damaged", "orphan-fragment", survivors=[2])


@BOOK.damaged(recyclable_fragments, "fragments", "RDB-049")
def recyclable_first_block_twice(log: RocksLog) -> None:
    """The first block is there twice: its FIRST is open when the block begins again."""
    log.shows("unit-twice")
    log.duplicate("blocks[0]")
    log.expect("damaged", "incomplete-record", survivors=[0, 0, 1, 2])


@BOOK.damaged(synced_fragments, "fragments", "RDB-048")
def synced_first_block_dropped(log: RocksLog) -> None:
    """The block with FIRST is missing: the orphans are sound, and no end of the log."""
    log.drop("blocks[0]")
    log.expect("damaged", "orphan-fragment", survivors=[2])


@BOOK.damaged(recyclable_fragments_within_one_block, "fragments", "RDB-049", "RDB-052")
def recyclable_last_dropped(log: RocksLog) -> None:
    """FIRST and MIDDLE, then a FULL."""
    log.drop("blocks[0].records[2]")
    log.expect("damaged", "incomplete-record", survivors=[1])


@BOOK.valid("fragments", "RDB-052", kind="limit")
def fragments_of_two_records_joined(log: RocksLog) -> None:
    """With the block between two long records missing, FIRST of one meets LAST of the other."""
    log.write(b"alpha")
    log.data += recyclable(FIRST, b"bra") + recyclable(4, b"lie")
    log.payloads.append(b"bralie")
    log.expect("intact", survivors=[0, 1])
    log.note("The format cannot tell: nothing ties a FIRST to its LAST.")


@BOOK.valid("fragments", "RDB-007")
def legacy_records_of_growing_size(log: RocksLog) -> None:
    """Legacy headers in three blocks."""
    log.write(b"alpha", numbered(70_000), b"charlie", headers=LEGACY)
    log.expect("intact", survivors=[0, 1, 2])


@BOOK.damaged(four_recyclable_records, "fragments", "RDB-007", "RDB-047", "RDB-051")
def legacy_last_of_a_recyclable_record(log: RocksLog) -> None:
    """A LAST of another dialect does not complete a record."""
    log.retype("blocks[0].records[0]", R_FIRST)
    log.splice("blocks[0].records[1]", legacy(4, b"bravo"), "a legacy LAST")
    log.expect("damaged", "unknown-type", survivors=[2, 3])
    log.bug("RocksDB and Pebble join the two")
