"""Changed bytes under a checksum, and the point at which a reader continues."""

from crc32c import crc32c

from conformance.recipes.rocksdb_wal.layout import (
    legacy_fragments,
    recyclable_fragments,
    synced_fragments,
    three_legacy_records,
    three_recyclable_records,
    three_synced_records,
)
from conformance.recipes.rocksdb_wal.log import (
    BLOCK_SIZE,
    BOOK,
    WAL_SYNC,
    RocksLog,
    numbered,
)
from reference_impl.leveldb_log.layout import masked_crc


@BOOK.damaged(three_recyclable_records, "checksum", "RDB-005", "RDB-044", "RDB-056", "RDB-040")
def recyclable_checksum_flipped(log: RocksLog) -> None:
    """One bit of the checksum of the second record is flipped. The rest of the block is lost."""
    log.shows("bit-in-a-checksum")
    log.flip("blocks[0].records[1].header.checksum", 3)
    log.expect("damaged", "checksum-mismatch", survivors=[0], end=None)


@BOOK.damaged(three_recyclable_records, "checksum", "RDB-005", "RDB-044", "RDB-008")
def recyclable_payload_flipped(log: RocksLog) -> None:
    """One bit of the data of the last record is flipped. No older log follows, so this is
    damage.
    """
    log.shows("bit-in-a-payload")
    log.flip("blocks[0].records[2].data", 0)
    log.expect("damaged", "checksum-mismatch", survivors=[0, 1], end=None)


@BOOK.damaged(three_recyclable_records, "checksum", "RDB-005", "RDB-044")
def recyclable_type_flipped(log: RocksLog) -> None:
    """One bit of the type of the second record is flipped, from FULL to MIDDLE. The checksum does
    not match.
    """
    log.flip("blocks[0].records[1].header.type", 1)
    log.expect("damaged", "checksum-mismatch", survivors=[0])


@BOOK.damaged(three_recyclable_records, "checksum", "RDB-005", "RDB-044", "RDB-015")
def log_number_flipped(log: RocksLog) -> None:
    """One bit of the log number of the second record is flipped. The checksum does not match, so a
    reader does not use the number.
    """
    log.flip("blocks[0].records[1].header.log_number", 6)
    log.expect("damaged", "checksum-mismatch", survivors=[0])
    log.bug(
        "RocksDB compares the log number before the checksum, and ends the log without a report"
    )


@BOOK.damaged(three_recyclable_records, "checksum", "RDB-015", "RDB-026", "RDB-044")
def log_number_one_higher_without_its_checksum(log: RocksLog) -> None:
    """The log number of the second record is one too high, and the checksum does not match. The
    record is not a clean close.
    """
    log.set("blocks[0].records[1].header.log_number", 13)
    log.expect("damaged", "checksum-mismatch", survivors=[0])
    log.bug("Pebble ends the log without an error")


@BOOK.damaged(three_recyclable_records, "checksum", "RDB-005", "RDB-044")
def checksum_without_the_log_number(log: RocksLog) -> None:
    """The checksum of the second record does not cover the log number, as in a LevelDB log."""
    data = log.field("blocks[0].records[1].data")
    covered = b"\x05" + bytes(log.data[data.start : data.end])
    log.set("blocks[0].records[1].header.checksum", masked_crc(covered))
    log.expect("damaged", "checksum-mismatch", survivors=[0])


@BOOK.damaged(three_recyclable_records, "checksum", "RDB-005", "RDB-044")
def checksum_without_masking(log: RocksLog) -> None:
    """The checksum of the first record is a CRC-32C without the mask."""
    record = log.field("blocks[0].records[0]")
    plain = crc32c(bytes(log.data[record.start + 6 : record.end]))
    log.set("blocks[0].records[0].header.checksum", plain)
    log.expect("damaged", "checksum-mismatch", survivors=[])


@BOOK.damaged(three_recyclable_records, "checksum", "RDB-005", "RDB-044")
def checksum_zeroed(log: RocksLog) -> None:
    """The checksum of the second record is zeroed. A reader compares a checksum of zero like any
    other.
    """
    log.zero("blocks[0].records[1].header.checksum")
    log.expect("damaged", "checksum-mismatch", survivors=[0])


@BOOK.damaged(three_legacy_records, "checksum", "RDB-044", "RDB-050")
def legacy_payload_flipped(log: RocksLog) -> None:
    """One bit of the data of the second record of a legacy log is flipped. In a legacy log, this is
    always damage.
    """
    log.flip("blocks[0].records[1].data", 5)
    log.expect("damaged", "checksum-mismatch", survivors=[0], end=None)


@BOOK.damaged(recyclable_fragments, "checksum", "RDB-016", "RDB-044", "RDB-048")
def recyclable_payload_flipped_before_another_block(log: RocksLog) -> None:
    """One bit of the data of the first record is flipped. The next block begins with a MIDDLE of
    this log, so this is damage.
    """
    log.flip("blocks[0].records[0].data", 2)
    log.expect("damaged", "checksum-mismatch", survivors=[2])


@BOOK.damaged(recyclable_fragments, "checksum", "RDB-044", "RDB-048", "RDB-051")
def recyclable_middle_flipped(log: RocksLog) -> None:
    """One bit of the data of a MIDDLE is flipped. The record is lost, and its LAST is an orphan."""
    log.flip("blocks[1].records[0].data", 9)
    log.expect("damaged", "checksum-mismatch", survivors=[0, 2])


@BOOK.damaged(recyclable_fragments, "checksum", "RDB-044", "RDB-051", "RDB-056")
def recyclable_last_flipped(log: RocksLog) -> None:
    """One bit of the data of a LAST in the last block is flipped. The record after the LAST is lost
    too.
    """
    log.flip("blocks[2].records[0].data", 9)
    log.expect("damaged", "checksum-mismatch", survivors=[0], end=None)


@BOOK.damaged(legacy_fragments, "checksum", "RDB-044", "RDB-051")
def legacy_first_flipped(log: RocksLog) -> None:
    """One bit of the data of a FIRST in a legacy log is flipped."""
    log.flip("blocks[0].records[1].data", 9)
    log.expect("damaged", "checksum-mismatch", survivors=[0, 2])


@BOOK.damaged(three_synced_records, "checksum", "RDB-005", "RDB-017", "RDB-050")
def sync_offset_flipped(log: RocksLog) -> None:
    """One bit of the sync offset of the second record is flipped. No surveyed record proves that
    the record was synced, so the fault ends the log.
    """
    log.flip("blocks[0].records[1].header.ofs_synced", 1)
    log.expect("torn", "torn-tail", survivors=[0], end=24)


@BOOK.damaged(three_synced_records, "checksum", "RDB-017", "RDB-050")
def synced_payload_flipped(log: RocksLog) -> None:
    """One bit of the data of the last record of a WAL-sync log is flipped. The fault is after the
    proven offset and ends the log.
    """
    log.shows("bit-in-a-payload")
    log.flip("blocks[0].records[2].data", 0)
    log.expect("torn", "torn-tail", survivors=[0, 1], end=48)


@BOOK.damaged(three_synced_records, "checksum", "RDB-005", "RDB-050")
def checksum_without_the_sync_offset(log: RocksLog) -> None:
    """The checksum of the second record of a WAL-sync log does not cover the sync offset."""
    record = log.field("blocks[0].records[1]")
    header = bytes(log.data[record.start + 6 : record.start + 11])
    covered = header + bytes(log.data[record.start + 19 : record.end])
    log.set("blocks[0].records[1].header.checksum", masked_crc(covered))
    log.expect("torn", "torn-tail", survivors=[0])


@BOOK.valid("checksum", "RDB-017")
def synced_blocks(log: RocksLog) -> None:
    """A WAL-sync log with records in three blocks. Each record states that all bytes before it were
    synced.
    """
    log.write(b"alpha", b"bravo", headers=WAL_SYNC)
    for name in (b"charlie", b"delta"):
        log.fill_block_but(0, WAL_SYNC)
        log.write(name, headers=WAL_SYNC)
    log.expect("intact", survivors=[0, 1, 2, 3, 4, 5])


@BOOK.damaged(synced_blocks, "checksum", "RDB-017", "RDB-044")
def synced_payload_flipped_before_a_proof(log: RocksLog) -> None:
    """One bit of the data of the second record of a WAL-sync log is flipped. Later blocks prove
    that the record was synced, so this is damage.
    """
    log.flip("blocks[0].records[1].data", 2)
    log.expect("damaged", "checksum-mismatch", survivors=[0, 3, 4, 5])


@BOOK.damaged(synced_blocks, "checksum", "RDB-017", "RDB-044", "RDB-056")
def synced_payload_flipped_twice(log: RocksLog) -> None:
    """A WAL-sync log has a flipped bit before the proven offset and another after it. `end` is
    null, so no writer may append.
    """
    log.flip("blocks[0].records[1].data", 2)
    log.flip("blocks[2].records[0].data", 2)
    log.expect("damaged", "checksum-mismatch", survivors=[0, 3, 4], end=None)


@BOOK.valid("checksum", "RDB-017", "RDB-022")
def blocks_without_a_sync(log: RocksLog) -> None:
    """A WAL-sync log with records in three blocks. All sync offsets are 0."""
    log.write(b"alpha", b"bravo", headers=WAL_SYNC, sync_offset="0")
    for name in (b"charlie", b"delta"):
        used = len(log.data) % BLOCK_SIZE
        log.write(numbered(BLOCK_SIZE - used - 19), headers=WAL_SYNC, sync_offset="0")
        log.write(name, headers=WAL_SYNC, sync_offset="0")
    log.expect("intact", survivors=[0, 1, 2, 3, 4, 5])


@BOOK.damaged(blocks_without_a_sync, "checksum", "RDB-017", "RDB-050")
def payload_flipped_without_a_proof(log: RocksLog) -> None:
    """One bit of the data of the second record of a WAL-sync log is flipped. All sync offsets are
    0, so the fault ends the log.
    """
    log.flip("blocks[0].records[1].data", 2)
    log.expect("torn", "torn-tail", survivors=[0], end=24)


@BOOK.damaged(synced_fragments, "checksum", "RDB-017", "RDB-044", "RDB-048")
def synced_middle_flipped(log: RocksLog) -> None:
    """One bit of the data of a MIDDLE in a WAL-sync log is flipped. The record after the LAST
    proves that the MIDDLE was synced.
    """
    log.flip("blocks[1].records[0].data", 9)
    log.expect("damaged", "checksum-mismatch", survivors=[0, 2])


@BOOK.damaged(synced_fragments, "checksum", "RDB-017", "RDB-050")
def synced_last_flipped(log: RocksLog) -> None:
    """One bit of the data of a LAST in a WAL-sync log is flipped. No later record proves a sync, so
    the log ends at the FIRST.
    """
    log.flip("blocks[2].records[0].data", 9)
    log.expect("torn", "torn-tail", survivors=[0], end=24)
