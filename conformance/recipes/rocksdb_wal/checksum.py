"""Changed bytes under a checksum, and the point at which a reader continues."""

from crc32c import crc32c

from conformance.recipes.rocksdb_wal.layout import three_recyclable_records, three_synced_records
from conformance.recipes.rocksdb_wal.log import BLOCK_SIZE, CHECKSUM, WAL_SYNC, RocksLog, numbered
from reference_impl.leveldb_log.layout import masked_crc


@CHECKSUM.damaged(three_recyclable_records, "RDB-005", "RDB-044")
def checksum_without_the_log_number(log: RocksLog) -> None:
    """The checksum of the second record does not cover the log number, as in a LevelDB log."""
    data = log.field("blocks[0].records[1].data")
    covered = b"\x05" + bytes(log.data[data.start : data.end])
    log.set("blocks[0].records[1].header.checksum", masked_crc(covered))
    log.expect("damaged", "checksum-mismatch", survivors=[0])


@CHECKSUM.damaged(three_recyclable_records, "RDB-005", "RDB-044")
def checksum_without_masking(log: RocksLog) -> None:
    """The checksum of the first record is a CRC-32C without the mask."""
    record = log.field("blocks[0].records[0]")
    plain = crc32c(bytes(log.data[record.start + 6 : record.end]))
    log.set("blocks[0].records[0].header.checksum", plain)
    log.expect("damaged", "checksum-mismatch", survivors=[])


@CHECKSUM.damaged(three_synced_records, "RDB-005", "RDB-050", kind="corrupt")
def checksum_without_the_sync_offset(log: RocksLog) -> None:
    """The checksum of the second record of a WAL-sync log does not cover the sync offset."""
    record = log.field("blocks[0].records[1]")
    header = bytes(log.data[record.start + 6 : record.start + 11])
    covered = header + bytes(log.data[record.start + 19 : record.end])
    log.set("blocks[0].records[1].header.checksum", masked_crc(covered))
    log.expect("torn", "torn-tail", survivors=[0])


@CHECKSUM.valid("RDB-017")
def synced_blocks(log: RocksLog) -> None:
    """A WAL-sync log with records in three blocks. Each record states that all bytes before it were
    synced."""
    log.write(b"alpha", b"bravo", headers=WAL_SYNC)
    for name in (b"charlie", b"delta"):
        log.fill_block_but(0, WAL_SYNC)
        log.write(name, headers=WAL_SYNC)
    log.expect("intact", survivors=[0, 1, 2, 3, 4, 5])


@CHECKSUM.valid("RDB-017", "RDB-022")
def blocks_without_a_sync(log: RocksLog) -> None:
    """A WAL-sync log with records in three blocks. All sync offsets are 0."""
    log.write(b"alpha", b"bravo", headers=WAL_SYNC, sync_offset="0")
    for name in (b"charlie", b"delta"):
        used = len(log.data) % BLOCK_SIZE
        log.write(numbered(BLOCK_SIZE - used - 19), headers=WAL_SYNC, sync_offset="0")
        log.write(name, headers=WAL_SYNC, sync_offset="0")
    log.expect("intact", survivors=[0, 1, 2, 3, 4, 5])


CHECKSUM.table("""
recyclable_checksum_flipped: three_recyclable_records RDB-005 RDB-044 RDB-056 RDB-040
    One bit of the checksum of the second record is flipped. The rest of the block is lost.
    shows: bit-in-a-checksum
    damage: flip bit 3 of blocks[0].records[1].header.checksum
    expect: damaged checksum-mismatch, survivors 0, end none
recyclable_payload_flipped: three_recyclable_records RDB-005 RDB-044 RDB-008
    One bit of the data of the second record is flipped. A record of this log follows in the rest of
    the block, so this is damage.
    shows: bit-in-a-payload
    damage: flip bit 0 of blocks[0].records[1].data
    expect: damaged checksum-mismatch, survivors 0, end none
recyclable_type_flipped: three_recyclable_records RDB-005 RDB-044
    One bit of the type of the second record is flipped, from FULL to MIDDLE. The checksum does not
    match.
    damage: flip bit 1 of blocks[0].records[1].header.type
    expect: damaged checksum-mismatch, survivors 0
log_number_flipped: three_recyclable_records RDB-005 RDB-062 RDB-015
    One bit of the log number of the second record is flipped. The checksum matches with the number
    of the log, so the record is returned.
    damage: flip bit 6 of blocks[0].records[1].header.log_number
    expect: damaged bad-number, survivors 0-2, end 50
    bug: RocksDB compares the log number before the checksum, and ends the log without a report
log_number_one_higher_without_its_checksum: three_recyclable_records RDB-015 RDB-026 RDB-062
    The log number of the second record is one too high, and the checksum is that of the log's own
    number. The record is not a clean close.
    damage: set blocks[0].records[1].header.log_number to 13
    expect: damaged bad-number, survivors 0-2, end 50
    bug: Pebble ends the log without an error
checksum_zeroed: three_recyclable_records RDB-005 RDB-044
    The checksum of the second record is zeroed. A reader verifies a checksum of zero like any
    other.
    damage: zero blocks[0].records[1].header.checksum
    expect: damaged checksum-mismatch, survivors 0
legacy_payload_flipped: three_legacy_records RDB-044 RDB-050
    One bit of the data of the second record of a legacy log is flipped. In a legacy log, this is
    always damage.
    damage: flip bit 5 of blocks[0].records[1].data
    expect: damaged checksum-mismatch, survivors 0, end none
recyclable_payload_flipped_before_another_block: recyclable_fragments RDB-016 RDB-044 RDB-048
    One bit of the data of the first record is flipped. The next block begins with a MIDDLE of this
    log, so this is damage.
    damage: flip bit 2 of blocks[0].records[0].data
    expect: damaged checksum-mismatch, survivors 2
recyclable_middle_flipped: recyclable_fragments RDB-044 RDB-048 RDB-051
    One bit of the data of a MIDDLE is flipped. The record is lost, and its LAST is an orphan.
    damage: flip bit 9 of blocks[1].records[0].data
    expect: damaged checksum-mismatch, survivors 0 2
recyclable_last_flipped: recyclable_fragments RDB-044 RDB-051 RDB-056
    One bit of the data of a LAST in the last block is flipped. The record after the LAST is also
    lost.
    damage: flip bit 9 of blocks[2].records[0].data
    expect: damaged checksum-mismatch, survivors 0, end none
legacy_first_flipped: legacy_fragments RDB-044 RDB-051
    One bit of the data of a FIRST in a legacy log is flipped.
    damage: flip bit 9 of blocks[0].records[1].data
    expect: damaged checksum-mismatch, survivors 0 2
sync_offset_flipped: three_synced_records RDB-005 RDB-017 RDB-050 corrupt
    One bit of the sync offset of the second record is flipped. No surveyed record proves that the
    record was synced, so the fault ends the log.
    damage: flip bit 1 of blocks[0].records[1].header.ofs_synced
    expect: torn torn-tail, survivors 0, end 24
synced_payload_flipped: three_synced_records RDB-017 RDB-050 corrupt
    One bit of the data of the last record of a WAL-sync log is flipped. The fault is after the
    proven offset and ends the log.
    shows: bit-in-a-payload
    damage: flip bit 0 of blocks[0].records[2].data
    expect: torn torn-tail, survivors 0 1, end 48
synced_payload_flipped_before_a_proof: synced_blocks RDB-017 RDB-044
    One bit of the data of the second record of a WAL-sync log is flipped. Later blocks prove that
    the record was synced, so this is damage.
    damage: flip bit 2 of blocks[0].records[1].data
    expect: damaged checksum-mismatch, survivors 0 3-5
synced_payload_flipped_twice: synced_blocks RDB-017 RDB-044 RDB-056
    A WAL-sync log has a flipped bit before the proven offset and another after it. The records
    before the second bit prove the damage, so a writer may append there.
    damage: flip bit 2 of blocks[0].records[1].data
    damage: flip bit 2 of blocks[2].records[0].data
    expect: damaged checksum-mismatch, survivors 0 3 4, end 65536
payload_flipped_without_a_proof: blocks_without_a_sync RDB-017 RDB-050 corrupt
    One bit of the data of the second record of a WAL-sync log is flipped. All sync offsets are 0,
    so the fault ends the log.
    damage: flip bit 2 of blocks[0].records[1].data
    expect: torn torn-tail, survivors 0, end 24
synced_middle_flipped: synced_fragments RDB-017 RDB-044 RDB-048
    One bit of the data of a MIDDLE in a WAL-sync log is flipped. The record after the LAST proves
    that the MIDDLE was synced.
    damage: flip bit 9 of blocks[1].records[0].data
    expect: damaged checksum-mismatch, survivors 0 2
synced_last_flipped: synced_fragments RDB-017 RDB-050 corrupt
    One bit of the data of a LAST in a WAL-sync log is flipped. No later record proves a sync, so
    the log ends at the FIRST.
    damage: flip bit 9 of blocks[2].records[0].data
    expect: torn torn-tail, survivors 0, end 24
""")
