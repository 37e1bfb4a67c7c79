"""Fragments out of order. A reader must not join fragments of different records."""

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
    """A recyclable log with four records in one block."""
    log.write(b"alpha", b"bravo", b"charlie", b"delta")
    log.expect("intact", survivors=[0, 1, 2, 3])


@BOOK.valid("fragments", "RDB-010")
def four_synced_records(log: RocksLog) -> None:
    """A WAL-sync log with four records in one block."""
    log.write(b"alpha", b"bravo", b"charlie", b"delta", headers=WAL_SYNC)
    log.expect("intact", survivors=[0, 1, 2, 3])


@BOOK.damaged(four_recyclable_records, "fragments", "RDB-048")
def recyclable_middle_without_first(log: RocksLog) -> None:
    """A MIDDLE without a FIRST is lost. The records after the MIDDLE are returned."""
    log.retype("blocks[0].records[1]", R_MIDDLE)
    log.expect("damaged", "orphan-fragment", survivors=[0, 2, 3])


@BOOK.damaged(four_recyclable_records, "fragments", "RDB-048", "RDB-052")
def recyclable_last_without_first(log: RocksLog) -> None:
    """A LAST without a FIRST is lost. A reader must not return the LAST as a record."""
    log.retype("blocks[0].records[1]", R_LAST)
    log.expect("damaged", "orphan-fragment", survivors=[0, 2, 3])


@BOOK.damaged(four_synced_records, "fragments", "RDB-048")
def synced_last_without_first(log: RocksLog) -> None:
    """A LAST without a FIRST in a WAL-sync log is lost, but does not end the log."""
    log.retype("blocks[0].records[1]", S_LAST, is_sync=True)
    log.expect("damaged", "orphan-fragment", survivors=[0, 2, 3])


@BOOK.damaged(four_recyclable_records, "fragments", "RDB-049", "RDB-052")
def recyclable_first_then_full(log: RocksLog) -> None:
    """A FULL follows a FIRST. The open record is lost, and the FULL is returned."""
    log.retype("blocks[0].records[1]", R_FIRST)
    log.expect("damaged", "incomplete-record", survivors=[0, 2, 3])
    log.bug('Pebble returns "bravocharlie"')


@BOOK.damaged(four_synced_records, "fragments", "RDB-049", "RDB-052")
def synced_first_then_full(log: RocksLog) -> None:
    """A FULL follows a FIRST in a WAL-sync log. The open record is lost, and the FULL is
    returned.
    """
    log.retype("blocks[0].records[1]", S_FIRST, is_sync=True)
    log.expect("damaged", "incomplete-record", survivors=[0, 2, 3])
    log.bug('Pebble returns "bravocharlie"')


@BOOK.damaged(four_recyclable_records, "fragments", "RDB-049", "RDB-052")
def recyclable_first_then_first(log: RocksLog) -> None:
    """A FIRST follows another FIRST. The open record is lost, and the record of the second FIRST is
    returned.
    """
    log.retype("blocks[0].records[0]", R_FIRST)
    log.retype("blocks[0].records[1]", R_FIRST)
    log.retype("blocks[0].records[2]", R_LAST)
    log.expect("damaged", "incomplete-record", survivors=[b"bravocharlie", 3])


@BOOK.damaged(four_recyclable_records, "fragments", "RDB-048")
def recyclable_last_twice(log: RocksLog) -> None:
    """A LAST follows another LAST. The second LAST is an orphan."""
    log.retype("blocks[0].records[0]", R_FIRST)
    log.retype("blocks[0].records[1]", R_LAST)
    log.retype("blocks[0].records[2]", R_LAST)
    log.expect("damaged", "orphan-fragment", survivors=[b"alphabravo", 3])


@BOOK.damaged(eleven_bytes_left_and_a_record, "fragments", "RDB-049", kind="limit")
def recyclable_empty_first_then_full(log: RocksLog) -> None:
    """A FULL follows an empty FIRST. No data is lost, so the log is intact."""
    log.retype("blocks[1].records[0]", R_FULL)
    log.expect("intact", survivors=[0, 1, 2])


@BOOK.damaged(recyclable_empty_first_and_middle, "fragments", "RDB-051", kind="limit")
def recyclable_empty_first_then_damage(log: RocksLog) -> None:
    """A record of an unknown type follows an empty FIRST. The open record is lost, and its LAST is
    an orphan.
    """
    log.splice("blocks[0].records[2]", legacy(103, b"ghost"), "a record of type 103")
    log.expect("damaged", "unknown-type", survivors=[0, 2])


@BOOK.damaged(recyclable_fragments, "fragments", "RDB-048")
def recyclable_first_block_dropped(log: RocksLog) -> None:
    """The block with the FIRST of a record is missing. The MIDDLE and the LAST are orphans."""
    log.shows("missing-in-the-middle")
    log.drop("blocks[0]")
    log.expect("damaged", "orphan-fragment", survivors=[2])


@BOOK.damaged(recyclable_fragments, "fragments", "RDB-049")
def recyclable_first_block_twice(log: RocksLog) -> None:
    """The first block, which ends with a FIRST, occurs twice. The record that the first copy leaves
    open is lost.
    """
    log.shows("unit-twice")
    log.duplicate("blocks[0]")
    log.expect("damaged", "incomplete-record", survivors=[0, 0, 1, 2])


@BOOK.damaged(synced_fragments, "fragments", "RDB-048")
def synced_first_block_dropped(log: RocksLog) -> None:
    """The block with the FIRST of a WAL-sync record is missing. The MIDDLE and the LAST are orphans
    and do not end the log.
    """
    log.drop("blocks[0]")
    log.expect("damaged", "orphan-fragment", survivors=[2])


@BOOK.damaged(recyclable_fragments_within_one_block, "fragments", "RDB-049", "RDB-052")
def recyclable_last_dropped(log: RocksLog) -> None:
    """The LAST of a record is missing. A FULL follows the MIDDLE."""
    log.drop("blocks[0].records[2]")
    log.expect("damaged", "incomplete-record", survivors=[1])


@BOOK.valid("fragments", "RDB-052", kind="limit")
def fragments_of_two_records_joined(log: RocksLog) -> None:
    """The block between two long records is missing. A reader joins the FIRST of one record and the
    LAST of the other record.
    """
    log.write(b"alpha")
    log.data += recyclable(FIRST, b"bra") + recyclable(4, b"lie")
    log.payloads.append(b"bralie")
    log.expect("intact", survivors=[0, 1])
    log.note("The format cannot detect this, because no field links a FIRST to its LAST.")


@BOOK.valid("fragments", "RDB-007")
def legacy_records_of_growing_size(log: RocksLog) -> None:
    """A record across three blocks of a legacy log."""
    log.write(b"alpha", numbered(70_000), b"charlie", headers=LEGACY)
    log.expect("intact", survivors=[0, 1, 2])


@BOOK.damaged(four_recyclable_records, "fragments", "RDB-007", "RDB-047", "RDB-051")
def legacy_last_of_a_recyclable_record(log: RocksLog) -> None:
    """A legacy LAST does not complete a record of a recyclable log."""
    log.retype("blocks[0].records[0]", R_FIRST)
    log.splice("blocks[0].records[1]", legacy(4, b"bravo"), "a legacy LAST")
    log.expect("damaged", "unknown-type", survivors=[2, 3])
    log.bug("RocksDB and Pebble join the FIRST and the legacy LAST")
