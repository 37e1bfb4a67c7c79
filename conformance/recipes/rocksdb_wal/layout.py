"""Sound logs: blocks, headers, trailers, fragments, in the three dialects."""

from conformance.recipes.leveldb_log.log import forge_checksum
from conformance.recipes.rocksdb_wal.log import (
    BLOCK_SIZE,
    BOOK,
    FIRST,
    FULL,
    LAST,
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
from conformance.recipes.variation import Kept


@BOOK.valid("layout", "RDB-001")
def empty_log(log: RocksLog) -> None:
    """A log of no bytes has no records, and nothing is wrong with it."""
    log.expect("intact", end=0)


@BOOK.valid("layout", "RDB-002", "RDB-005", "RDB-006", "RDB-014")
def three_recyclable_records(log: RocksLog) -> None:
    """Three records with 11-byte headers."""
    log.write(b"alpha", b"bravo", b"charlie")
    log.expect("intact", survivors=[0, 1, 2])


@BOOK.valid("layout", "RDB-002", "RDB-006", "RDB-017")
def three_synced_records(log: RocksLog) -> None:
    """Three records with 19-byte headers, each written after the one before was synced."""
    log.write(b"alpha", b"bravo", b"charlie", headers=WAL_SYNC)
    log.expect("intact", survivors=[0, 1, 2])


@BOOK.valid("layout", "RDB-002", "RDB-006", "RDB-012")
def three_legacy_records(log: RocksLog) -> None:
    """Three records with 7-byte headers: what RocksDB writes without recycling."""
    log.write(b"alpha", b"bravo", b"charlie", headers=LEGACY)
    log.expect("intact", survivors=[0, 1, 2])


@BOOK.valid("layout", "RDB-010")
def recyclable_empty_record(log: RocksLog) -> None:
    """An empty record is a record."""
    log.write(b"alpha", b"", b"charlie")
    log.expect("intact", survivors=[0, 1, 2])


@BOOK.valid("layout", "RDB-010", "RDB-017")
def synced_empty_record(log: RocksLog) -> None:
    """An empty record with a 19-byte header is a record."""
    log.write(b"alpha", b"", b"charlie", headers=WAL_SYNC)
    log.expect("intact", survivors=[0, 1, 2])


@BOOK.valid("layout", "RDB-003", "RDB-010")
def recyclable_fragments(log: RocksLog) -> None:
    """A record across three blocks: FIRST, MIDDLE and LAST, each with the log number."""
    log.write(b"alpha", numbered(65_600), b"charlie")
    log.expect("intact", survivors=[0, 1, 2])


@BOOK.valid("layout", "RDB-003", "RDB-010", "RDB-022")
def synced_fragments(log: RocksLog) -> None:
    """A record across three blocks with 19-byte headers: all have its sync offset."""
    log.write(b"alpha", numbered(65_600), b"charlie", headers=WAL_SYNC)
    log.expect("intact", survivors=[0, 1, 2])


@BOOK.valid("layout", "RDB-010", "RDB-022")
def synced_fragments_with_growing_offsets(log: RocksLog) -> None:
    """A sync between two fragments: the record has the sync offset of its FIRST."""
    log.data += wal_sync(FIRST, b"al", 0) + wal_sync(MIDDLE, b"p", 21) + wal_sync(LAST, b"ha", 21)
    log.payloads.append(b"alpha")
    log.expect("intact", survivors=[0])


@BOOK.valid("layout", "RDB-004", "RDB-021")
def recyclable_trailer(log: RocksLog) -> None:
    """Ten bytes are left in the block: too few for an 11-byte header, so they are a trailer."""
    log.fill_block_but(10)
    log.write(b"bravo", b"charlie")
    log.expect("intact", survivors=[0, 1, 2])


@BOOK.valid("layout", "RDB-004")
def recyclable_trailer_of_seven_bytes(log: RocksLog) -> None:
    """Seven bytes are left in the block: room for a 7-byte header, but this log has none."""
    log.fill_block_but(7)
    log.write(b"bravo", b"charlie")
    log.expect("intact", survivors=[0, 1, 2])


@BOOK.valid("layout", "RDB-004", "RDB-023")
def synced_trailer(log: RocksLog) -> None:
    """Eighteen bytes are left in the block: a trailer, written at once."""
    log.fill_block_but(18, WAL_SYNC)
    log.write(b"bravo", b"charlie", headers=WAL_SYNC)
    log.expect("intact", survivors=[0, 1, 2])


@BOOK.valid("layout", "RDB-004", "RDB-023")
def synced_log_ends_with_its_trailer(log: RocksLog) -> None:
    """Pebble writes the trailer before there is a next record."""
    log.fill_block_but(18, WAL_SYNC)
    log.expect("intact", survivors=[0], end=BLOCK_SIZE)


@BOOK.valid("layout", "RDB-004", "RDB-021")
def recyclable_log_ends_before_its_trailer(log: RocksLog) -> None:
    """RocksDB leaves the trailer for the next record."""
    log.fill_block_but(10)
    log.expect("intact", survivors=[0], end=BLOCK_SIZE - 10)


@BOOK.valid("layout", "RDB-010")
def eleven_bytes_left_and_a_record(log: RocksLog) -> None:
    """Exactly a header fits: an empty FIRST stands there."""
    log.fill_block_but(11)
    log.write(b"bravo", b"charlie")
    log.expect("intact", survivors=[0, 1, 2])


@BOOK.valid("layout", "RDB-010")
def eleven_bytes_left_and_an_empty_record(log: RocksLog) -> None:
    """Exactly a header fits: an empty record is a FULL there."""
    log.fill_block_but(11)
    log.write(b"", b"charlie")
    log.expect("intact", survivors=[0, 1, 2])


@BOOK.valid("layout", "RDB-010")
def nineteen_bytes_left_and_a_record(log: RocksLog) -> None:
    """Exactly a 19-byte header fits: an empty FIRST stands there."""
    log.fill_block_but(19, WAL_SYNC)
    log.write(b"bravo", b"charlie", headers=WAL_SYNC)
    log.expect("intact", survivors=[0, 1, 2])


@BOOK.valid("layout", "RDB-003")
def recyclable_log_ends_with_its_block(log: RocksLog) -> None:
    """A record fills its block to the last byte."""
    log.fill_block_but(0)
    log.expect("intact", survivors=[0], end=BLOCK_SIZE)


@BOOK.valid("layout", "RDB-010")
def recyclable_fragments_within_one_block(log: RocksLog) -> None:
    """FIRST, MIDDLE and LAST in one block join as well."""
    log.data += recyclable(FIRST, b"al") + recyclable(MIDDLE, b"p") + recyclable(LAST, b"ha")
    log.payloads.append(b"alpha")
    log.write(b"bravo")
    log.expect("intact", survivors=[0, 1])
    log.note("RocksDB writes such fragments where it compresses; readers accept them anywhere.")


@BOOK.valid("layout", "RDB-010")
def recyclable_empty_first_and_middle(log: RocksLog) -> None:
    """The data of a record may stand in its LAST alone."""
    log.write(b"alpha")
    log.data += recyclable(FIRST, b"") + recyclable(MIDDLE, b"") + recyclable(LAST, b"bravo")
    log.payloads.append(b"bravo")
    log.write(b"charlie")
    log.expect("intact", survivors=[0, 1, 2])


@BOOK.valid("layout", "RDB-002", "RDB-012")
def legacy_fragments(log: RocksLog) -> None:
    """A record across two blocks with 7-byte headers."""
    log.write(b"alpha", numbered(40_000), b"charlie", headers=LEGACY)
    log.expect("intact", survivors=[0, 1, 2])


@BOOK.valid("layout", "RDB-011")
def legacy_ignorable_type(log: RocksLog) -> None:
    """A sound record of type 200 in a legacy log is skipped without a report."""
    log.write(b"alpha", headers=LEGACY)
    log.data += legacy(200, b"of a later version")
    log.write(b"bravo", headers=LEGACY)
    log.expect("intact", survivors=[0, 1])


@BOOK.valid("layout", "RDB-011", "RDB-047")
def legacy_ignorable_type_132(log: RocksLog) -> None:
    """Type 132 is the number of RocksDB's internal mark for the end of a file."""
    log.write(b"alpha", headers=LEGACY)
    log.data += legacy(132, b"of a later version")
    log.write(b"bravo", headers=LEGACY)
    log.expect("intact", survivors=[0, 1])
    log.bug("RocksDB ends the log there without a report: 132 is kEof (db/log_reader.h)")


@BOOK.valid("layout", "RDB-005")
def stored_checksum_zero(log: RocksLog) -> None:
    """A checksum that is stored as zero is a checksum like any other."""
    forged = forge_checksum(5, NUMBER.to_bytes(4, "little") + b"crc0", 0)
    log.write(b"alpha", Kept(forged[4:]), b"charlie")
    log.expect("intact", survivors=[0, 1, 2])


@BOOK.valid("layout", "RDB-010")
def many_blocks(log: RocksLog) -> None:
    """Records of growing sizes over three blocks."""
    log.write(*[numbered(size) for size in range(0, 9000, 500)])
    log.expect("intact", survivors=list(range(18)))


@BOOK.valid("layout", "RDB-002", "RDB-010")
def legacy_empty_record_last(log: RocksLog) -> None:
    """A log that ends with an empty record: a header of seven bytes and nothing after it."""
    log.write(b"alpha", b"", headers=LEGACY)
    log.expect("intact", survivors=[0, 1])


@BOOK.valid("layout", "RDB-002", "RDB-017", kind="limit")
def sync_offset_at_its_largest(log: RocksLog) -> None:
    """All eight bytes of the sync offset count."""
    log.data += wal_sync(FULL, b"alpha", 2**64 - 1)
    log.payloads.append(Kept(b"alpha"))
    log.expect("intact", survivors=[0])
