"""Intact logs in the three dialects: blocks, headers, trailers and fragments."""

from conformance.recipes.leveldb_log.log import forge_checksum
from conformance.recipes.rocksdb_wal.log import (
    BLOCK_SIZE,
    FIRST,
    FULL,
    LAST,
    LAYOUT,
    LEGACY,
    MIDDLE,
    NUMBER,
    WAL_SYNC,
    RocksLog,
    legacy,
    numbered,
    recyclable,
    wal_sync,
)


@LAYOUT.valid("RDB-001")
def empty_log(log: RocksLog) -> None:
    """An empty file is an intact log without records."""
    log.expect("intact", end=0)


@LAYOUT.valid("RDB-002", "RDB-005", "RDB-006", "RDB-014")
def three_recyclable_records(log: RocksLog) -> None:
    """Three records in a recyclable log, with 11-byte headers."""
    log.write(b"alpha", b"bravo", b"charlie")
    log.expect("intact", survivors=[0, 1, 2])


@LAYOUT.valid("RDB-002", "RDB-006", "RDB-017")
def three_synced_records(log: RocksLog) -> None:
    """Three records in a WAL-sync log, with 19-byte headers. Each record was written after the
    previous record was synced."""
    log.write(b"alpha", b"bravo", b"charlie", headers=WAL_SYNC)
    log.expect("intact", survivors=[0, 1, 2])


@LAYOUT.valid("RDB-002", "RDB-006", "RDB-012")
def three_legacy_records(log: RocksLog) -> None:
    """Three records in a legacy log, with 7-byte headers, as RocksDB writes them without
    recycling."""
    log.write(b"alpha", b"bravo", b"charlie", headers=LEGACY)
    log.expect("intact", survivors=[0, 1, 2])


@LAYOUT.valid("RDB-010")
def recyclable_empty_record(log: RocksLog) -> None:
    """An empty record in a recyclable log."""
    log.write(b"alpha", b"", b"charlie")
    log.expect("intact", survivors=[0, 1, 2])


@LAYOUT.valid("RDB-010", "RDB-017")
def synced_empty_record(log: RocksLog) -> None:
    """An empty record in a WAL-sync log."""
    log.write(b"alpha", b"", b"charlie", headers=WAL_SYNC)
    log.expect("intact", survivors=[0, 1, 2])


@LAYOUT.valid("RDB-003", "RDB-010")
def recyclable_fragments(log: RocksLog) -> None:
    """A record across three blocks of a recyclable log: FIRST, MIDDLE and LAST."""
    log.write(b"alpha", numbered(65_600), b"charlie")
    log.expect("intact", survivors=[0, 1, 2])


@LAYOUT.valid("RDB-003", "RDB-010", "RDB-022")
def synced_fragments(log: RocksLog) -> None:
    """A record across three blocks of a WAL-sync log. All fragments have the same sync offset."""
    log.write(b"alpha", numbered(65_600), b"charlie", headers=WAL_SYNC)
    log.expect("intact", survivors=[0, 1, 2])


@LAYOUT.valid("RDB-010", "RDB-022")
def synced_fragments_with_growing_offsets(log: RocksLog) -> None:
    """The fragments of a WAL-sync record have different sync offsets. The record has the sync
    offset of its FIRST."""
    log.data += wal_sync(FIRST, b"al", 0) + wal_sync(MIDDLE, b"p", 21) + wal_sync(LAST, b"ha", 21)
    log.payloads.append(b"alpha")
    log.expect("intact", survivors=[0])


@LAYOUT.valid("RDB-004", "RDB-021")
def recyclable_trailer(log: RocksLog) -> None:
    """A trailer of ten bytes in a recyclable log, one byte too short for a header."""
    log.fill_block_but(10)
    log.write(b"bravo", b"charlie")
    log.expect("intact", survivors=[0, 1, 2])


@LAYOUT.valid("RDB-004")
def recyclable_trailer_of_seven_bytes(log: RocksLog) -> None:
    """A trailer of seven bytes in a recyclable log, large enough only for a legacy header."""
    log.fill_block_but(7)
    log.write(b"bravo", b"charlie")
    log.expect("intact", survivors=[0, 1, 2])


@LAYOUT.valid("RDB-004", "RDB-023")
def synced_trailer(log: RocksLog) -> None:
    """A trailer of 18 bytes in a WAL-sync log, one byte too short for a header."""
    log.fill_block_but(18, WAL_SYNC)
    log.write(b"bravo", b"charlie", headers=WAL_SYNC)
    log.expect("intact", survivors=[0, 1, 2])


@LAYOUT.valid("RDB-004", "RDB-023")
def synced_log_ends_with_its_trailer(log: RocksLog) -> None:
    """A WAL-sync log ends with a trailer. Pebble writes the trailer before the next record
    exists."""
    log.fill_block_but(18, WAL_SYNC)
    log.expect("intact", survivors=[0], end=BLOCK_SIZE)


@LAYOUT.valid("RDB-004", "RDB-021")
def recyclable_log_ends_before_its_trailer(log: RocksLog) -> None:
    """A recyclable log ends before a trailer. RocksDB writes the trailer together with the next
    record."""
    log.fill_block_but(10)
    log.expect("intact", survivors=[0], end=BLOCK_SIZE - 10)


@LAYOUT.valid("RDB-010")
def eleven_bytes_left_and_a_record(log: RocksLog) -> None:
    """Eleven bytes are left in a block of a recyclable log. An empty FIRST fills them."""
    log.fill_block_but(11)
    log.write(b"bravo", b"charlie")
    log.expect("intact", survivors=[0, 1, 2])


@LAYOUT.valid("RDB-010")
def eleven_bytes_left_and_an_empty_record(log: RocksLog) -> None:
    """Eleven bytes are left in a block of a recyclable log. The FULL of an empty record fills
    them."""
    log.fill_block_but(11)
    log.write(b"", b"charlie")
    log.expect("intact", survivors=[0, 1, 2])


@LAYOUT.valid("RDB-010")
def nineteen_bytes_left_and_a_record(log: RocksLog) -> None:
    """Nineteen bytes are left in a block of a WAL-sync log. An empty FIRST fills them."""
    log.fill_block_but(19, WAL_SYNC)
    log.write(b"bravo", b"charlie", headers=WAL_SYNC)
    log.expect("intact", survivors=[0, 1, 2])


@LAYOUT.valid("RDB-003")
def recyclable_log_ends_with_its_block(log: RocksLog) -> None:
    """The only record of a recyclable log ends exactly at the end of a block."""
    log.fill_block_but(0)
    log.expect("intact", survivors=[0], end=BLOCK_SIZE)


@LAYOUT.valid("RDB-010")
def recyclable_fragments_within_one_block(log: RocksLog) -> None:
    """A FIRST, a MIDDLE and a LAST in one block form a record."""
    log.data += recyclable(FIRST, b"al") + recyclable(MIDDLE, b"p") + recyclable(LAST, b"ha")
    log.payloads.append(b"alpha")
    log.write(b"bravo")
    log.expect("intact", survivors=[0, 1])
    log.note(
        "RocksDB writes such fragments in compressed logs only. Readers accept them in any log."
    )


@LAYOUT.valid("RDB-010")
def recyclable_empty_first_and_middle(log: RocksLog) -> None:
    """The FIRST and the MIDDLE of a record are empty. The LAST holds all the data."""
    log.write(b"alpha")
    log.data += recyclable(FIRST, b"") + recyclable(MIDDLE, b"") + recyclable(LAST, b"bravo")
    log.payloads.append(b"bravo")
    log.write(b"charlie")
    log.expect("intact", survivors=[0, 1, 2])


@LAYOUT.valid("RDB-002", "RDB-012")
def legacy_fragments(log: RocksLog) -> None:
    """A record across two blocks of a legacy log."""
    log.write(b"alpha", numbered(40_000), b"charlie", headers=LEGACY)
    log.expect("intact", survivors=[0, 1, 2])


@LAYOUT.valid("RDB-011")
def legacy_ignorable_type(log: RocksLog) -> None:
    """A reader silently skips a record of type 200 in a legacy log."""
    log.write(b"alpha", headers=LEGACY)
    log.data += legacy(200, b"of a later version")
    log.write(b"bravo", headers=LEGACY)
    log.expect("intact", survivors=[0, 1])


@LAYOUT.valid("RDB-011", "RDB-047")
def legacy_ignorable_type_132(log: RocksLog) -> None:
    """A reader silently skips a record of type 132 in a legacy log. RocksDB uses 132 internally as
    an end-of-file marker."""
    log.write(b"alpha", headers=LEGACY)
    log.data += legacy(132, b"of a later version")
    log.write(b"bravo", headers=LEGACY)
    log.expect("intact", survivors=[0, 1])
    log.bug("RocksDB ends the log there without a report, because kEof is 132 (db/log_reader.h)")


@LAYOUT.valid("RDB-005")
def stored_checksum_zero(log: RocksLog) -> None:
    """A record with a valid checksum of zero."""
    forged = forge_checksum(5, NUMBER.to_bytes(4, "little") + b"crc0", 0)
    log.write(b"alpha", forged[4:], b"charlie")
    log.expect("intact", survivors=[0, 1, 2])


@LAYOUT.valid("RDB-010")
def many_blocks(log: RocksLog) -> None:
    """Eighteen records of increasing size in three blocks."""
    log.write(*[numbered(size) for size in range(0, 9000, 500)])
    log.expect("intact", survivors=list(range(18)))


@LAYOUT.valid("RDB-002", "RDB-010")
def legacy_empty_record_last(log: RocksLog) -> None:
    """A legacy log that ends with an empty record, a header without data."""
    log.write(b"alpha", b"", headers=LEGACY)
    log.expect("intact", survivors=[0, 1])


@LAYOUT.valid("RDB-002", "RDB-017", kind="limit")
def sync_offset_at_its_largest(log: RocksLog) -> None:
    """A record with a sync offset of 2^64 - 1, the highest number."""
    log.data += wal_sync(FULL, b"alpha", 2**64 - 1)
    log.payloads.append(b"alpha")
    log.expect("intact", survivors=[0])
