"""Bytes changed under a checksum, and what the reader does next."""

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
    """One flipped bit in a checksum loses the rest of the block."""
    log.shows("bit-in-a-checksum")
    log.flip("blocks[0].records[1].header.checksum", 3)
    log.expect("damaged", "checksum-mismatch", survivors=[0], end=None)


@BOOK.damaged(three_recyclable_records, "checksum", "RDB-005", "RDB-044", "RDB-008")
def recyclable_payload_flipped(log: RocksLog) -> None:
    """One flipped bit of data in the last record is damage where no older log explains it."""
    log.shows("bit-in-a-payload")
    log.flip("blocks[0].records[2].data", 0)
    log.expect("damaged", "checksum-mismatch", survivors=[0, 1], end=None)


@BOOK.damaged(three_recyclable_records, "checksum", "RDB-005", "RDB-044")
def recyclable_type_flipped(log: RocksLog) -> None:
    """A FULL whose type reads MIDDLE: the checksum covers the type."""
    log.flip("blocks[0].records[1].header.type", 1)
    log.expect("damaged", "checksum-mismatch", survivors=[0])


@BOOK.damaged(three_recyclable_records, "checksum", "RDB-005", "RDB-044", "RDB-015")
def log_number_flipped(log: RocksLog) -> None:
    """One flipped bit in a log number: the checksum is wrong, so the number means nothing."""
    log.flip("blocks[0].records[1].header.log_number", 6)
    log.expect("damaged", "checksum-mismatch", survivors=[0])
    log.bug("RocksDB compares the number first, and ends the log without a report")


@BOOK.damaged(three_recyclable_records, "checksum", "RDB-015", "RDB-026", "RDB-044")
def log_number_one_higher_without_its_checksum(log: RocksLog) -> None:
    """The next log's number in a record that is longer than a clean close."""
    log.set("blocks[0].records[1].header.log_number", 13)
    log.expect("damaged", "checksum-mismatch", survivors=[0])
    log.bug("Pebble ends the log without an error")


@BOOK.damaged(three_recyclable_records, "checksum", "RDB-005", "RDB-044")
def checksum_without_the_log_number(log: RocksLog) -> None:
    """A checksum over type and data alone, as in a LevelDB log, is wrong here."""
    data = log.field("blocks[0].records[1].data")
    covered = b"\x05" + bytes(log.data[data.start : data.end])
    log.set("blocks[0].records[1].header.checksum", masked_crc(covered))
    log.expect("damaged", "checksum-mismatch", survivors=[0])


@BOOK.damaged(three_recyclable_records, "checksum", "RDB-005", "RDB-044")
def checksum_without_masking(log: RocksLog) -> None:
    """A plain CRC-32C is not what the header stores."""
    record = log.field("blocks[0].records[0]")
    plain = crc32c(bytes(log.data[record.start + 6 : record.end]))
    log.set("blocks[0].records[0].header.checksum", plain)
    log.expect("damaged", "checksum-mismatch", survivors=[])


@BOOK.damaged(three_recyclable_records, "checksum", "RDB-005", "RDB-044")
def checksum_zeroed(log: RocksLog) -> None:
    """A checksum of zero is compared like any other."""
    log.zero("blocks[0].records[1].header.checksum")
    log.expect("damaged", "checksum-mismatch", survivors=[0])


@BOOK.damaged(three_legacy_records, "checksum", "RDB-044", "RDB-050")
def legacy_payload_flipped(log: RocksLog) -> None:
    """A log without numbers never ends at a fault: this is damage."""
    log.flip("blocks[0].records[1].data", 5)
    log.expect("damaged", "checksum-mismatch", survivors=[0], end=None)


@BOOK.damaged(recyclable_fragments, "checksum", "RDB-016", "RDB-044", "RDB-048")
def recyclable_payload_flipped_before_another_block(log: RocksLog) -> None:
    """The next block begins with a record of this log: so the log was written here."""
    log.flip("blocks[0].records[0].data", 2)
    log.expect("damaged", "checksum-mismatch", survivors=[2])


@BOOK.damaged(recyclable_fragments, "checksum", "RDB-044", "RDB-048", "RDB-051")
def recyclable_middle_flipped(log: RocksLog) -> None:
    """A MIDDLE is damaged: its record is lost, and its LAST is an orphan."""
    log.flip("blocks[1].records[0].data", 9)
    log.expect("damaged", "checksum-mismatch", survivors=[0, 2])


@BOOK.damaged(recyclable_fragments, "checksum", "RDB-044", "RDB-051", "RDB-056")
def recyclable_last_flipped(log: RocksLog) -> None:
    """A LAST in the last block is damaged: so is the record after it."""
    log.flip("blocks[2].records[0].data", 9)
    log.expect("damaged", "checksum-mismatch", survivors=[0], end=None)


@BOOK.damaged(legacy_fragments, "checksum", "RDB-044", "RDB-051")
def legacy_first_flipped(log: RocksLog) -> None:
    """A FIRST with a 7-byte header is damaged."""
    log.flip("blocks[0].records[1].data", 9)
    log.expect("damaged", "checksum-mismatch", survivors=[0, 2])


@BOOK.damaged(three_synced_records, "checksum", "RDB-005", "RDB-017", "RDB-050")
def sync_offset_flipped(log: RocksLog) -> None:
    """The checksum covers the sync offset. No sound record before it shows that it was synced."""
    log.flip("blocks[0].records[1].header.ofs_synced", 1)
    log.expect("torn", "torn-tail", survivors=[0], end=24)


@BOOK.damaged(three_synced_records, "checksum", "RDB-017", "RDB-050")
def synced_payload_flipped(log: RocksLog) -> None:
    """The last record may not have been synced: its damage looks like the end."""
    log.shows("bit-in-a-payload")
    log.flip("blocks[0].records[2].data", 0)
    log.expect("torn", "torn-tail", survivors=[0, 1], end=48)


@BOOK.damaged(three_synced_records, "checksum", "RDB-005", "RDB-050")
def checksum_without_the_sync_offset(log: RocksLog) -> None:
    """A checksum over type, log number and data is wrong here."""
    record = log.field("blocks[0].records[1]")
    header = bytes(log.data[record.start + 6 : record.start + 11])
    covered = header + bytes(log.data[record.start + 19 : record.end])
    log.set("blocks[0].records[1].header.checksum", masked_crc(covered))
    log.expect("torn", "torn-tail", survivors=[0])


@BOOK.valid("checksum", "RDB-017")
def synced_blocks(log: RocksLog) -> None:
    """Three blocks of a WAL-sync log; each record says that all before it was synced."""
    log.write(b"alpha", b"bravo", headers=WAL_SYNC)
    for name in (b"charlie", b"delta"):
        log.fill_block_but(0, WAL_SYNC)
        log.write(name, headers=WAL_SYNC)
    log.expect("intact", survivors=[0, 1, 2, 3, 4, 5])


@BOOK.damaged(synced_blocks, "checksum", "RDB-017", "RDB-044")
def synced_payload_flipped_before_a_proof(log: RocksLog) -> None:
    """A later record says that this was synced: it is damage, and the next block is read."""
    log.flip("blocks[0].records[1].data", 2)
    log.expect("damaged", "checksum-mismatch", survivors=[0, 3, 4, 5])


@BOOK.damaged(synced_blocks, "checksum", "RDB-017", "RDB-044", "RDB-056")
def synced_payload_flipped_twice(log: RocksLog) -> None:
    """Damage, and further on a fault after the last sync: no writer may go on here."""
    log.flip("blocks[0].records[1].data", 2)
    log.flip("blocks[2].records[0].data", 2)
    log.expect("damaged", "checksum-mismatch", survivors=[0, 3, 4], end=None)


@BOOK.valid("checksum", "RDB-017", "RDB-022")
def blocks_without_a_sync(log: RocksLog) -> None:
    """Three blocks of a WAL-sync log of which nothing was synced meanwhile."""
    log.write(b"alpha", b"bravo", headers=WAL_SYNC, sync_offset="0")
    for name in (b"charlie", b"delta"):
        used = len(log.data) % BLOCK_SIZE
        log.write(numbered(BLOCK_SIZE - used - 19), headers=WAL_SYNC, sync_offset="0")
        log.write(name, headers=WAL_SYNC, sync_offset="0")
    log.expect("intact", survivors=[0, 1, 2, 3, 4, 5])


@BOOK.damaged(blocks_without_a_sync, "checksum", "RDB-017", "RDB-050")
def payload_flipped_without_a_proof(log: RocksLog) -> None:
    """Blocks of this log follow, but none was promised: a disk may write them out of order."""
    log.flip("blocks[0].records[1].data", 2)
    log.expect("torn", "torn-tail", survivors=[0], end=24)


@BOOK.damaged(synced_fragments, "checksum", "RDB-017", "RDB-044", "RDB-048")
def synced_middle_flipped(log: RocksLog) -> None:
    """A MIDDLE is damaged, and the record after its LAST says that it was synced."""
    log.flip("blocks[1].records[0].data", 9)
    log.expect("damaged", "checksum-mismatch", survivors=[0, 2])


@BOOK.damaged(synced_fragments, "checksum", "RDB-017", "RDB-050")
def synced_last_flipped(log: RocksLog) -> None:
    """A LAST is damaged, and nothing behind it is sound: the log ends at the FIRST."""
    log.flip("blocks[2].records[0].data", 9)
    log.expect("torn", "torn-tail", survivors=[0], end=24)
