"""Fragments out of order. A reader must not join fragments of different records."""

from conformance.recipes.rocksdb_wal.layout import recyclable_empty_first_and_middle
from conformance.recipes.rocksdb_wal.log import (
    FIRST,
    FRAGMENTS,
    LEGACY,
    WAL_SYNC,
    RocksLog,
    legacy,
    numbered,
    recyclable,
)

R_FIRST = 6


@FRAGMENTS.valid("RDB-010")
def four_recyclable_records(log: RocksLog) -> None:
    """A recyclable log with four records in one block."""
    log.write(b"alpha", b"bravo", b"charlie", b"delta")
    log.expect("intact", survivors=[0, 1, 2, 3])


@FRAGMENTS.valid("RDB-010")
def four_synced_records(log: RocksLog) -> None:
    """A WAL-sync log with four records in one block."""
    log.write(b"alpha", b"bravo", b"charlie", b"delta", headers=WAL_SYNC)
    log.expect("intact", survivors=[0, 1, 2, 3])


@FRAGMENTS.damaged(recyclable_empty_first_and_middle, "RDB-051", kind="limit")
def recyclable_empty_first_then_damage(log: RocksLog) -> None:
    """A record of an unknown type follows an empty FIRST. The open record is lost, and its LAST is
    an orphan."""
    log.splice("blocks[0].records[2]", legacy(103, b"ghost"))
    log.expect("damaged", "unknown-type", survivors=[0, 2])


FRAGMENTS.table("""
recyclable_first_then_first: four_recyclable_records RDB-049 RDB-052
    A FIRST follows another FIRST. The open record is lost, and the record of the second FIRST is
    returned.
    retype: blocks[0].records[0], R_FIRST
    retype: blocks[0].records[1], R_FIRST
    retype: blocks[0].records[2], R_LAST
    expect: damaged incomplete-record, survivors "bravocharlie" 3
recyclable_last_twice: four_recyclable_records RDB-048
    A LAST follows another LAST. The second LAST is an orphan.
    retype: blocks[0].records[0], R_FIRST
    retype: blocks[0].records[1], R_LAST
    retype: blocks[0].records[2], R_LAST
    expect: damaged orphan-fragment, survivors "alphabravo" 3
recyclable_middle_without_first: four_recyclable_records RDB-048
    A MIDDLE without a FIRST is lost. The records after the MIDDLE are returned.
    retype: blocks[0].records[1], R_MIDDLE
    expect: damaged orphan-fragment, survivors 0 2 3
recyclable_last_without_first: four_recyclable_records RDB-048 RDB-052
    A LAST without a FIRST is lost. A reader must not return the LAST as a record.
    retype: blocks[0].records[1], R_LAST
    expect: damaged orphan-fragment, survivors 0 2 3
synced_last_without_first: four_synced_records RDB-048
    A LAST without a FIRST in a WAL-sync log is lost, but does not end the log.
    retype: blocks[0].records[1], S_LAST
    expect: damaged orphan-fragment, survivors 0 2 3
recyclable_first_then_full: four_recyclable_records RDB-049 RDB-052
    A FULL follows a FIRST. The open record is lost, and the FULL is returned.
    retype: blocks[0].records[1], R_FIRST
    expect: damaged incomplete-record, survivors 0 2 3
    bug: Pebble returns "bravocharlie"
synced_first_then_full: four_synced_records RDB-049 RDB-052
    A FULL follows a FIRST in a WAL-sync log. The open record is lost, and the FULL is returned.
    retype: blocks[0].records[1], S_FIRST
    expect: damaged incomplete-record, survivors 0 2 3
    bug: Pebble returns "bravocharlie"
recyclable_empty_first_then_full: eleven_bytes_left_and_a_record RDB-049 limit
    A FULL follows an empty FIRST. No data is lost, so the log is intact.
    retype: blocks[1].records[0], R_FULL
    expect: intact, survivors 0-2
recyclable_first_block_dropped: recyclable_fragments RDB-048
    The block with the FIRST of a record is missing. The MIDDLE and the LAST are orphans.
    shows: missing-in-the-middle
    damage: drop blocks[0]
    expect: damaged orphan-fragment, survivors 2
recyclable_first_block_twice: recyclable_fragments RDB-049
    The first block, which ends with a FIRST, occurs twice. The record that the first copy leaves
    open is lost.
    shows: unit-twice
    damage: duplicate blocks[0]
    expect: damaged incomplete-record, survivors 0 0-2
synced_first_block_dropped: synced_fragments RDB-048
    The block with the FIRST of a WAL-sync record is missing. The MIDDLE and the LAST are orphans
    and do not end the log.
    damage: drop blocks[0]
    expect: damaged orphan-fragment, survivors 2
recyclable_last_dropped: recyclable_fragments_within_one_block RDB-049 RDB-052
    The LAST of a record is missing. A FULL follows the MIDDLE.
    damage: drop blocks[0].records[2]
    expect: damaged incomplete-record, survivors 1
""")


@FRAGMENTS.valid("RDB-052", kind="limit")
def fragments_of_two_records_joined(log: RocksLog) -> None:
    """The block between two long records is missing. A reader joins the FIRST of one record and the
    LAST of the other record."""
    log.write(b"alpha")
    log.data += recyclable(FIRST, b"bra") + recyclable(4, b"lie")
    log.payloads.append(b"bralie")
    log.expect("intact", survivors=[0, 1])
    log.note("The format cannot detect this, because no field links a FIRST to its LAST.")


@FRAGMENTS.valid("RDB-007")
def legacy_records_of_growing_size(log: RocksLog) -> None:
    """A record across three blocks of a legacy log."""
    log.write(b"alpha", numbered(70_000), b"charlie", headers=LEGACY)
    log.expect("intact", survivors=[0, 1, 2])


@FRAGMENTS.damaged(four_recyclable_records, "RDB-007", "RDB-047", "RDB-051")
def legacy_last_of_a_recyclable_record(log: RocksLog) -> None:
    """A legacy LAST does not complete a record of a recyclable log."""
    log.retype("blocks[0].records[0]", R_FIRST)
    log.splice("blocks[0].records[1]", legacy(4, b"bravo"))
    log.expect("damaged", "unknown-type", survivors=[2, 3])
    log.bug("RocksDB and Pebble join the FIRST and the legacy LAST")
