"""Types that the dialect of a log does not have, and detection of the dialect."""

from conformance.recipes.rocksdb_wal.checksum import blocks_without_a_sync, synced_blocks
from conformance.recipes.rocksdb_wal.fragments import legacy_records_of_growing_size
from conformance.recipes.rocksdb_wal.layout import (
    three_legacy_records,
    three_recyclable_records,
    three_synced_records,
)
from conformance.recipes.rocksdb_wal.log import (
    BLOCK_SIZE,
    FIRST,
    FULL,
    LAST,
    LEGACY,
    RECYCLABLE,
    TYPES,
    WAL_SYNC,
    RocksLog,
    legacy,
    numbered,
    recyclable,
    wal_sync,
)
from reference_impl.rocksdb_wal.layout import pack


@TYPES.damaged(three_legacy_records, "RDB-007", "RDB-047")
def recyclable_full_in_a_legacy_log(log: RocksLog) -> None:
    """A recyclable FULL in a legacy log has an unknown type."""
    log.hangs_upstream()
    log.splice("blocks[0].records[1]", recyclable(FULL, b"ghost"))
    log.expect("damaged", "unknown-type", survivors=[0, 2])
    log.bug("RocksDB 9.3.1 and later read the same header forever (Reader::ReadPhysicalRecord)")


@TYPES.damaged(three_legacy_records, "RDB-041", "RDB-047")
def garbage_with_type_7_after_a_legacy_log(log: RocksLog) -> None:
    """Twenty bytes of garbage follow a legacy log. The bytes look like a cut record of type 7 with
    an 11-byte header."""
    log.hangs_upstream()
    log.extend(bytes(range(1, 21)))
    log.expect("torn", "torn-payload", survivors=[0, 1, 2])
    log.bug("RocksDB 9.3.1 and later read the same header forever")


@TYPES.damaged(three_legacy_records, "RDB-006", "RDB-044")
def legacy_type_5_with_a_short_header(log: RocksLog) -> None:
    """The type of a legacy FULL is changed to 5. The checksum does not match with the 11-byte
    header of type 5."""
    log.hangs_upstream()
    log.splice("blocks[0].records[1]", legacy(FULL, b"bravo"))
    log.data[18:19] = b"\x05"
    log.expect("damaged", "checksum-mismatch", survivors=[0], end=None)


@TYPES.valid("RDB-011", "RDB-049")
def ignorable_type_after_an_empty_first(log: RocksLog) -> None:
    """An ignorable record follows an empty FIRST. No data is lost, so the log is intact."""
    log.write(b"alpha", headers=LEGACY)
    log.data += legacy(FIRST, b"") + legacy(200, b"of a later version")
    log.write(b"charlie", headers=LEGACY)
    log.expect("intact", survivors=[0, 1])


@TYPES.damaged(ignorable_type_after_an_empty_first, "RDB-011", "RDB-049", "RDB-048")
def ignorable_type_in_the_middle_of_a_record(log: RocksLog) -> None:
    """An ignorable record is between a FIRST and a LAST. A reader must not join the FIRST and the
    LAST."""
    log.splice("blocks[0].records[3]", legacy(LAST, b"vo"))
    log.splice("blocks[0].records[1]", legacy(FIRST, b"bra"))
    log.expect("damaged", "incomplete-record", survivors=[0])


@TYPES.damaged(three_recyclable_records, "RDB-011", "RDB-047")
def ignorable_type_in_a_recyclable_log(log: RocksLog) -> None:
    """A record of type 200 in a recyclable log is not ignorable, because it has no log number."""
    log.splice("blocks[0].records[1]", legacy(200, b"ghost"))
    log.expect("damaged", "unknown-type", survivors=[0, 2])


@TYPES.damaged(three_synced_records, "RDB-047", "RDB-050", kind="corrupt")
def type_103_in_a_synced_log(log: RocksLog) -> None:
    """A record of type 103 after the proven offset ends a WAL-sync log."""
    log.splice("blocks[0].records[2]", legacy(103, b"ghost"))
    log.expect("torn", "torn-tail", survivors=[0, 1], end=48)


@TYPES.damaged(synced_blocks, "RDB-017", "RDB-047")
def type_103_before_what_was_synced(log: RocksLog) -> None:
    """A record of type 103 is before the proven offset of a WAL-sync log. Only this record is
    lost."""
    record = legacy(103, b"ghost" + bytes(12))
    log.splice("blocks[0].records[1]", record)
    log.expect("damaged", "unknown-type", survivors=[0, 2, 3, 4, 5])


@TYPES.valid("RDB-012", "RDB-013")
def synced_record_of_four_bytes_first(log: RocksLog) -> None:
    """A log begins with type 9 and a length of 4. The checksum matches with a 19-byte header, so
    this is a WAL-sync FULL."""
    log.write(b"four", b"bravo", headers=WAL_SYNC)
    log.expect("intact", survivors=[0, 1])


@TYPES.valid("RDB-012", "RDB-013")
def synced_first_of_six_times_something(log: RocksLog) -> None:
    """A log begins with type 10. The checksum matches with a 19-byte header, so this is a WAL-sync
    FIRST."""
    log.write(numbered(40_000), b"bravo", headers=WAL_SYNC)
    log.expect("intact", survivors=[0, 1])


TYPES.table("""
legacy_type_103: three_legacy_records RDB-047 RDB-040
    A record of type 103, which no dialect has. Only this record is lost.
    retype: blocks[0].records[1], 103
    expect: damaged unknown-type, survivors 0 2
legacy_type_0_with_data: three_legacy_records RDB-047
    A record of type 0 with data and a valid checksum has an unknown type. It is not a zero header.
    retype: blocks[0].records[1], 0
    expect: damaged unknown-type, survivors 0 2
legacy_type_12: three_legacy_records RDB-006 RDB-047
    A record of type 12 in a legacy log has a 7-byte header and an unknown type.
    retype: blocks[0].records[1], S_LAST
    expect: damaged unknown-type, survivors 0 2
ignorable_type_flipped: legacy_ignorable_type RDB-011 RDB-044
    One bit of an ignorable record is flipped. The rest of the block is lost.
    damage: flip bit 1 of blocks[0].records[1].data
    expect: damaged checksum-mismatch, survivors 0
first_synced_record_flipped: synced_blocks RDB-012 RDB-013
    One bit of the first record of a WAL-sync log is flipped. The next block determines the dialect.
    damage: flip bit 1 of blocks[0].records[0].data
    expect: damaged checksum-mismatch, survivors 3-5
first_recyclable_header_zeroed: recyclable_fragments RDB-012
    The first header of a recyclable log is zeroed. The next block determines the dialect.
    damage: zero blocks[0].records[0].header
    expect: damaged zero-header, survivors 2
first_legacy_record_flipped: legacy_records_of_growing_size RDB-012 RDB-016
    One bit of the first record of a legacy log is flipped. The next block determines the dialect.
    damage: flip bit 1 of blocks[0].records[0].data
    expect: damaged checksum-mismatch, survivors 2
only_block_begins_with_damage: three_synced_records RDB-012 RDB-050 limit
    One bit of the first record in the only block is flipped. The log has no dialect, so this is
    damage.
    damage: flip bit 1 of blocks[0].records[0].data
    expect: damaged checksum-mismatch, no survivors, end none
""")


@TYPES.damaged(legacy_records_of_growing_size, "RDB-015", "RDB-047", "RDB-050")
def record_of_another_log_in_a_legacy_log(log: RocksLog) -> None:
    """A recyclable record of log 8 in a legacy log has an unknown type. The record does not end the
    log, so a fault before it is damage."""
    log.hangs_upstream()
    record = recyclable(FULL, numbered(32757), 8)
    log.splice("blocks[1]", record)
    log.flip("blocks[0].records[0].data", 1)
    log.expect("damaged", "checksum-mismatch", survivors=[2])


@TYPES.damaged(synced_blocks, "RDB-013", "RDB-032", kind="limit")
def first_synced_record_flipped_before_a_frame(log: RocksLog) -> None:
    """The first record of a WAL-sync log is damaged. A later record begins with the zstd magic
    number, but is not compressed."""
    like_a_frame = b"\x28\xb5\x2f\xfd and what follows"
    record = wal_sync(FULL, like_a_frame, 32768)
    log.splice("blocks[1].records[0]", record)
    log.flip("blocks[0].records[0].data", 1)
    log.truncate(32768 + len(record))
    log.expect("damaged", "checksum-mismatch", survivors=[like_a_frame])


@TYPES.damaged(blocks_without_a_sync, "RDB-017", "RDB-050", kind="corrupt")
def recyclable_block_proves_nothing(log: RocksLog) -> None:
    """One bit of a WAL-sync record is flipped. A recyclable record at the start of the next block
    does not prove that the log continues."""
    log.splice("blocks[1]", recyclable(FULL, numbered(32757)))
    log.flip("blocks[0].records[1].data", 2)
    log.expect("torn", "torn-tail", survivors=[0], end=24)


@TYPES.damaged(three_legacy_records, "RDB-011", "RDB-047")
def ignorable_type_in_a_log_without_a_dialect(log: RocksLog) -> None:
    """A record of type 140 in a log without a dialect has an unknown type. Only legacy logs have
    ignorable types."""
    log.splice("blocks[0]", legacy(140, b"ghost"))
    log.expect("damaged", "unknown-type", survivors=[], end=12)


@TYPES.damaged(three_legacy_records, "RDB-013", "RDB-047")
def type_12_in_a_log_without_a_dialect(log: RocksLog) -> None:
    """A record of type 12 in a log without a dialect has an unknown type. Its checksum matches with
    a 7-byte header."""
    log.splice("blocks[0]", legacy(12, b"x"))
    log.expect("damaged", "unknown-type", survivors=[], end=8)


@TYPES.damaged(three_legacy_records, "RDB-013", "RDB-043")
def type_9_that_only_a_short_header_fits(log: RocksLog) -> None:
    """The checksum of a record of type 9 matches with neither header. The header counts as 19
    bytes, so the record extends past its block."""
    header = b"\0\x11\x22\x33\xf4\x7f\x09ghost"
    log.splice("blocks[0]", header)
    log.expect("damaged", "bad-length", survivors=[], end=None)


@TYPES.damaged(three_legacy_records, "RDB-004", "RDB-012")
def eight_bytes_left_in_a_log_without_a_dialect(log: RocksLog) -> None:
    """Eight bytes are left in a block of a log without a dialect. A record fills them, because a
    trailer has fewer than seven bytes there."""
    records = legacy(77, numbered(BLOCK_SIZE - 15)) + legacy(78, b"y") + legacy(79, b"")
    log.splice("blocks[0]", records)
    log.expect("damaged", "unknown-type", survivors=[], end=BLOCK_SIZE + 7)


@TYPES.valid("RDB-011")
def ignorable_types_from_128_to_255(log: RocksLog) -> None:
    """Records of types 128, 129, 132 and 255 in a legacy log are ignorable."""
    log.write(b"alpha", headers=LEGACY)
    for kind in (128, 129, 132, 255):
        log.data += legacy(kind, b"of a later version")
    log.write(b"bravo", headers=LEGACY)
    log.expect("intact", survivors=[0, 1])


@TYPES.damaged(three_legacy_records, "RDB-045")
def legacy_type_0_without_data(log: RocksLog) -> None:
    """A header with type 0 and length 0 is a zero header, even if its checksum is valid."""
    log.extend(legacy(0, b"") + legacy(FULL, b"ghost"))
    log.expect("damaged", "zero-header", survivors=[0, 1, 2], end=None)


@TYPES.damaged(three_recyclable_records, "RDB-006", "RDB-047")
def type_130_in_a_recyclable_log(log: RocksLog) -> None:
    """A record of type 130 in a recyclable log has a 7-byte header and an unknown type."""
    log.extend(legacy(130, bytes(24)) + recyclable(FULL, b"delta"))
    log.expect("damaged", "unknown-type", survivors=[0, 1, 2, b"delta"])


@TYPES.damaged(three_recyclable_records, "RDB-006", "RDB-047")
def type_12_in_a_recyclable_log(log: RocksLog) -> None:
    """A record of type 12 in a recyclable log has a 7-byte header and an unknown type."""
    log.extend(legacy(12, bytes(20)) + recyclable(FULL, b"delta"))
    log.expect("damaged", "unknown-type", survivors=[0, 1, 2, b"delta"])


@TYPES.damaged(three_synced_records, "RDB-006", "RDB-017", "RDB-047")
def legacy_full_before_what_was_synced(log: RocksLog) -> None:
    """A legacy FULL before the proven offset of a WAL-sync log has a 7-byte header and an unknown
    type."""
    log.extend(legacy(FULL, bytes(30)) + wal_sync(FULL, b"delta", 200))
    log.expect("damaged", "unknown-type", survivors=[0, 1, 2, b"delta"])


@TYPES.damaged(three_synced_records, "RDB-006", "RDB-011", "RDB-047")
def ignorable_type_before_what_was_synced(log: RocksLog) -> None:
    """A record of type 140 before the proven offset of a WAL-sync log has an unknown type."""
    log.extend(legacy(140, b"x") + wal_sync(FULL, b"delta", 200))
    log.expect("damaged", "unknown-type", survivors=[0, 1, 2, b"delta"])


@TYPES.damaged(three_synced_records, "RDB-006", "RDB-019", "RDB-047", "RDB-056")
def preceding_log_before_what_was_synced(log: RocksLog) -> None:
    """A preceding log record before the proven offset of a WAL-sync log has an unknown type. `end`
    is where the final zeros begin."""
    log.extend(pack(RECYCLABLE, 131, bytes(24), 12))
    log.extend(wal_sync(FULL, b"delta", 200) + bytes(100))
    log.expect("damaged", "unknown-type", survivors=[0, 1, 2, b"delta"], end=133)


@TYPES.damaged(three_synced_records, "RDB-012", "RDB-017")
def sound_header_of_zeros_first_in_a_block(log: RocksLog) -> None:
    """One bit of a WAL-sync record is flipped. The next block begins with a valid record of type 0,
    and the sync offset after it counts."""
    log.flip("blocks[0].records[2].data", 1)
    log.fill_block()
    log.extend(legacy(0, b"") + wal_sync(FULL, b"ghost", 49))
    log.expect("damaged", "checksum-mismatch", survivors=[0, 1], end=None)
