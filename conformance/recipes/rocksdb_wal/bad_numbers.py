"""Headers whose log number is damaged, and records of this log after records of another log."""

from conformance.recipes.rocksdb_wal.checksum import synced_blocks
from conformance.recipes.rocksdb_wal.compression import three_compressed_recyclable_records
from conformance.recipes.rocksdb_wal.layout import (
    three_legacy_records,
    three_recyclable_records,
    three_synced_records,
)
from conformance.recipes.rocksdb_wal.log import (
    BLOCK_SIZE,
    COMPRESSION,
    FIRST,
    FULL,
    LAST,
    LOG_NUMBER,
    MIDDLE,
    NUMBER,
    OLDER,
    RECYCLABLE,
    TORN_TAIL,
    RocksLog,
    flipped,
    recyclable,
    wal_sync,
)
from conformance.recipes.rocksdb_wal.log_number import older_records_of_the_same_size
from reference_impl.rocksdb_wal.layout import pack

LARGE = 0xFEDCBA98
EQUAL = 0x05050505


def misnumbered(record: bytes) -> bytes:
    """Return a physical record with one bit of its log number flipped."""
    return record[:8] + bytes([record[8] ^ 1]) + record[9:]


@LOG_NUMBER.damaged(three_recyclable_records, "RDB-033", "RDB-062")
def number_of_metadata_flipped(log: RocksLog) -> None:
    """The log number of a timestamp size record is damaged. The timestamp sizes still apply."""
    sizes = pack(RECYCLABLE, 11, b"\1\0\0\0\x08\0", NUMBER)
    log.extend(misnumbered(sizes) + recyclable(FULL, b"delta"))
    log.expect("damaged", "bad-number", survivors=[0, 1, 2, b"delta"])


@LOG_NUMBER.damaged(three_recyclable_records, "RDB-033", "RDB-062")
def number_of_bad_metadata_flipped(log: RocksLog) -> None:
    """The log number of a timestamp size record with a size of 0 is damaged. Both faults share one
    lost range."""
    sizes = pack(RECYCLABLE, 11, b"\1\0\0\0\0\0", NUMBER)
    log.extend(misnumbered(sizes) + recyclable(FULL, b"delta"))
    log.expect("damaged", "bad-metadata", survivors=[0, 1, 2, b"delta"])


@LOG_NUMBER.damaged(three_recyclable_records, "RDB-014", "RDB-046", "RDB-062")
def flipped_number_before_a_record_of_another_log(log: RocksLog) -> None:
    """The first record gives the number, and the number of the second record is damaged. A record
    of another log comes before the last record, which a reader still surveys."""
    log.number_is_unknown()
    log.flip("blocks[0].records[1].header.log_number", 0)
    log.extend(recyclable(FULL, b"ghost", OLDER) + recyclable(FULL, b"delta"))
    log.expect("damaged", "bad-number", survivors=[0, 1, 2, b"delta"])


@LOG_NUMBER.damaged(three_legacy_records, "RDB-047", "RDB-062")
def flipped_number_in_a_legacy_log(log: RocksLog) -> None:
    """A recyclable FULL with a damaged log number in a legacy log has an unknown type. The record
    after it is returned."""
    legacy_full = pack("legacy", FULL, b"delta")
    log.extend(misnumbered(recyclable(FULL, b"ghost")) + legacy_full)
    log.expect("damaged", "unknown-type", survivors=[0, 1, 2, b"delta"])


@LOG_NUMBER.damaged(older_records_of_the_same_size, "RDB-016", "RDB-046")
def sectors_of_a_recycled_log_swapped(log: RocksLog) -> None:
    """The first two sectors of a recycled log are swapped. An unbroken chain of records leads from
    the older log to the twenty records of this log."""
    log.shows("swapped")
    log.swap_sectors(0, 1, 512)
    log.expect("damaged", "other-log", survivors=list(range(20)), end=832)
    log.bug("RocksDB and Pebble return no record and no report")


@LOG_NUMBER.damaged(three_recyclable_records, "RDB-016", "RDB-046")
def older_records_between_records(log: RocksLog) -> None:
    """Two older records are between records of this log, and form one lost range."""
    older = recyclable(FULL, b"ghost", OLDER) * 2
    log.extend(older + recyclable(FULL, b"delta") + older)
    log.expect("damaged", "other-log", survivors=[0, 1, 2, b"delta"], end=98)


@LOG_NUMBER.damaged(three_recyclable_records, "RDB-025", "RDB-016")
def older_record_and_a_broken_chain(log: RocksLog) -> None:
    """A damaged record follows an older record. The record of this log after it is not surveyed, so
    the older record ends the log."""
    parts = recyclable(FULL, b"ghost", OLDER) + flipped(recyclable(FULL, b"ghost"))
    log.extend(parts + recyclable(FULL, b"ghost"))
    log.expect("intact", survivors=[0, 1, 2], end=50)


@LOG_NUMBER.damaged(three_recyclable_records, "RDB-046", "RDB-051")
def older_record_within_a_record(log: RocksLog) -> None:
    """An older record is between a FIRST and a LAST. The LAST is an orphan."""
    parts = recyclable(FIRST, b"go") + recyclable(FULL, b"ghost", OLDER) + recyclable(LAST, b"al")
    log.extend(parts)
    log.expect("damaged", "other-log", survivors=[0, 1, 2], end=92)


@LOG_NUMBER.damaged(three_synced_records, "RDB-025", kind="corrupt")
def synced_records_after_an_older_record(log: RocksLog) -> None:
    """An older record ends a WAL-sync log. A record of this log follows in the block, so the log is
    torn."""
    parts = wal_sync(FULL, b"ghost", 0, OLDER) + wal_sync(FULL, b"ghost", 0)
    log.extend(parts)
    log.expect("torn", "torn-tail", survivors=[0, 1, 2], end=74)


@LOG_NUMBER.damaged(three_synced_records, "RDB-025", "RDB-042", kind="corrupt")
def older_record_within_a_synced_record(log: RocksLog) -> None:
    """An older record follows a FIRST, and a record of this log follows the older record. The torn
    tail begins at the FIRST."""
    parts = wal_sync(FIRST, b"go", 0) + wal_sync(FULL, b"ghost", 0, OLDER)
    log.extend(parts + wal_sync(FULL, b"ghost", 0))
    log.expect("torn", "torn-tail", survivors=[0, 1, 2], end=74)


@LOG_NUMBER.damaged(three_synced_records, "RDB-046")
def proven_offset_within_an_older_record(log: RocksLog) -> None:
    """An older record begins before the proven offset and ends after it. This is damage."""
    log.extend(wal_sync(FULL, b"ghost", 0, OLDER))
    log.fill_block()
    log.extend(wal_sync(FULL, b"delta", 80))
    log.expect("damaged", "other-log", survivors=[0, 1, 2, b"delta"])


@LOG_NUMBER.damaged(three_recyclable_records, "RDB-050")
def record_that_begins_inside_a_bad_header(log: RocksLog) -> None:
    """Seven bytes are inserted before the last record. The record begins inside the header that
    these bytes form, and shows that the log did not end there."""
    log.insert(32, b"\x55\x55\x55\x55\0\0\5")
    log.expect("damaged", "checksum-mismatch", survivors=[0, 1], end=None)


@LOG_NUMBER.damaged(three_recyclable_records, "RDB-050")
def fragment_after_a_fault(log: RocksLog) -> None:
    """A LAST of this log follows a fault. The log did not end at the fault."""
    parts = flipped(recyclable(FULL, b"ghost")) + recyclable(LAST, b"ghost")
    log.extend(parts)
    log.expect("damaged", "checksum-mismatch", survivors=[0, 1, 2], end=None)


@LOG_NUMBER.damaged(three_recyclable_records, "RDB-050", kind="corrupt")
def metadata_after_a_fault(log: RocksLog) -> None:
    """Metadata of this log follows a fault. Only fragments would show that the log did not end
    there."""
    sizes = pack(RECYCLABLE, 11, b"\1\0\0\0\x08\0", NUMBER)
    log.extend(flipped(recyclable(FULL, b"ghost")) + sizes)
    log.expect("torn", "torn-tail", survivors=[0, 1, 2], end=50)


@LOG_NUMBER.damaged(three_recyclable_records, "RDB-050", "RDB-062", kind="corrupt")
def flipped_number_after_a_fault(log: RocksLog) -> None:
    """A record with a damaged log number follows a fault. The record does not show that the log
    continued."""
    parts = flipped(recyclable(FULL, b"ghost")) + misnumbered(recyclable(FULL, b"ghost"))
    log.extend(parts)
    log.expect("torn", "torn-tail", survivors=[0, 1, 2], end=50)


@LOG_NUMBER.damaged(three_recyclable_records, "RDB-050", kind="corrupt")
def fault_and_a_record_in_the_next_block(log: RocksLog) -> None:
    """A record of this log follows a fault, but not in the same block and not at the start of the
    next block. The fault ends the log."""
    log.extend(flipped(recyclable(FULL, b"ghost")))
    log.fill_block()
    log.extend(b"\x55" * 20 + recyclable(FULL, b"ghost"))
    log.expect("torn", "torn-tail", survivors=[0, 1, 2], end=50)


@TORN_TAIL.damaged(synced_blocks, "RDB-056", "RDB-017")
def proof_in_the_last_record_only(log: RocksLog) -> None:
    """The sync offsets before a torn record prove only the bytes before the damage. `end` is null,
    because a cut at the torn record would make the damage the end of the log."""
    log.truncate_in("blocks[0].records[2]", 0)
    log.flip("blocks[0].records[1].data", 2)
    log.fill_block()
    parts = wal_sync(FULL, b"delta", 24) + wal_sync(FIRST, b"go", BLOCK_SIZE + 26)
    log.extend(parts)
    log.expect("damaged", "checksum-mismatch", survivors=[0, b"delta"], end=None)


@TORN_TAIL.damaged(synced_blocks, "RDB-056", "RDB-017")
def proof_one_byte_past_the_damage(log: RocksLog) -> None:
    """The sync offsets before a torn record prove one byte of the damage. A writer may append where
    the torn record begins."""
    log.truncate_in("blocks[0].records[2]", 0)
    log.flip("blocks[0].records[1].data", 2)
    log.fill_block()
    parts = wal_sync(FULL, b"delta", 25) + wal_sync(FIRST, b"go", BLOCK_SIZE + 26)
    log.extend(parts)
    survivors: list[int | bytes] = [0, b"delta"]
    log.expect("damaged", "checksum-mismatch", survivors=survivors, end=BLOCK_SIZE + 24)


@TORN_TAIL.damaged(synced_blocks, "RDB-056", "RDB-050")
def proof_in_a_torn_tail(log: RocksLog) -> None:
    """Only a FIRST in a torn tail proves the damage. `end` is null."""
    log.truncate_in("blocks[0].records[2]", 0)
    log.flip("blocks[0].records[1].data", 2)
    log.fill_block()
    parts = wal_sync(FULL, b"delta", 24) + wal_sync(FIRST, b"go", BLOCK_SIZE)
    log.extend(parts + flipped(wal_sync(LAST, b"al", 0)))
    log.expect("damaged", "checksum-mismatch", survivors=[0, b"delta"], end=None)


@TORN_TAIL.damaged(synced_blocks, "RDB-056", "RDB-046")
def proof_of_an_older_record_in_the_last_record(log: RocksLog) -> None:
    """Only a torn record proves that an older record is damage. `end` is null."""
    log.truncate_in("blocks[0].records[2]", 0)
    log.extend(wal_sync(FULL, b"ghost", 0, OLDER))
    log.fill_block()
    parts = wal_sync(FULL, b"delta", 24) + wal_sync(FIRST, b"go", BLOCK_SIZE)
    log.extend(parts)
    log.expect("damaged", "other-log", survivors=[0, 1, b"delta"], end=None)


@TORN_TAIL.damaged(synced_blocks, "RDB-056", "RDB-045")
def proof_of_a_gap_in_the_last_record(log: RocksLog) -> None:
    """Only a torn record proves that zeros are a gap. `end` is null."""
    log.truncate_in("blocks[0].records[2]", 0)
    log.fill_block()
    parts = wal_sync(FULL, b"delta", 48) + wal_sync(FIRST, b"go", BLOCK_SIZE)
    log.extend(parts)
    log.expect("damaged", "zero-gap", survivors=[0, 1, b"delta"], end=None)


@TORN_TAIL.damaged(synced_blocks, "RDB-056", "RDB-019")
def damaged_synced_log_and_zeros(log: RocksLog) -> None:
    """Zeros follow the last record of a damaged WAL-sync log. A writer may append where the zeros
    begin."""
    log.flip("blocks[0].records[1].data", 2)
    size = len(log.data)
    log.extend(bytes(512))
    log.expect("damaged", "checksum-mismatch", survivors=[0, 3, 4, 5], end=size)


@TORN_TAIL.damaged(three_recyclable_records, "RDB-056", "RDB-016")
def torn_record_after_damage_of_a_recyclable_log(log: RocksLog) -> None:
    """A torn record follows a damaged block of a recyclable log. A writer may append where the torn
    record begins, because every appended record proves the bytes before it."""
    log.flip("blocks[0].records[1].data", 2)
    log.fill_block()
    log.extend(recyclable(FIRST, b"go"))
    log.expect("damaged", "checksum-mismatch", survivors=[0], end=BLOCK_SIZE)


@COMPRESSION.damaged(three_compressed_recyclable_records, "RDB-036", "RDB-062")
def flipped_number_and_bad_frame(log: RocksLog) -> None:
    """The log number of a record is damaged, and its data is not a valid frame. Both faults share
    one lost range."""
    log.extend(misnumbered(recyclable(FULL, b"no frame")))
    log.expect("damaged", "bad-compression", survivors=[0, 1, 2])


@LOG_NUMBER.damaged(three_legacy_records, "RDB-044", "RDB-062")
def data_that_begins_with_the_number(log: RocksLog) -> None:
    """The data of a legacy record begins with the log number, and one bit of this number is
    flipped. The header has no log number, so the record is lost."""
    log.extend(misnumbered(pack("legacy", FULL, bytes([NUMBER, 0, 0, 0]) + b"ghost")))
    log.expect("damaged", "checksum-mismatch", survivors=[0, 1, 2], end=None)


@LOG_NUMBER.damaged(three_recyclable_records, "RDB-050")
def record_one_byte_after_a_fault(log: RocksLog) -> None:
    """A record of this log begins one byte after the header of the fault begins."""
    log.extend(b"\0" + recyclable(FULL, b"ghost") + b"\x55" * 2000)
    log.expect("damaged", "checksum-mismatch", survivors=[0, 1, 2], end=None)


@LOG_NUMBER.damaged(three_recyclable_records, "RDB-050")
def record_between_damaged_ones(log: RocksLog) -> None:
    """A valid record of this log is between damaged records. The log did not end at the first of
    them."""
    bad = flipped(recyclable(FULL, b"ghost"))
    parts = bad + bad + recyclable(FULL, b"ghost") + bad
    log.extend(parts)
    log.expect("damaged", "checksum-mismatch", survivors=[0, 1, 2], end=None)


@LOG_NUMBER.damaged(three_recyclable_records, "RDB-050", kind="corrupt")
def two_damaged_records_at_the_end(log: RocksLog) -> None:
    """Two damaged records end a recyclable log. Neither of them shows that the log continued."""
    log.extend(flipped(recyclable(FULL, b"ghost")) * 2)
    log.expect("torn", "torn-tail", survivors=[0, 1, 2], end=50)


@LOG_NUMBER.damaged(three_recyclable_records, "RDB-050", kind="corrupt")
def legacy_last_with_the_number_after_a_fault(log: RocksLog) -> None:
    """A legacy LAST follows a fault. Its data begins with the log number, but its header has none,
    so the LAST does not show that the log continued."""
    last = pack("legacy", LAST, bytes([NUMBER, 0, 0, 0]))
    log.extend(flipped(recyclable(FULL, b"ghost")) + last)
    log.expect("torn", "torn-tail", survivors=[0, 1, 2], end=50)


@LOG_NUMBER.damaged(three_recyclable_records, "RDB-050", kind="corrupt")
def compression_record_with_the_number_after_a_fault(log: RocksLog) -> None:
    """A compression record follows a fault, and its data is the log number. The compression record
    does not show that the log continued."""
    record = pack("legacy", 9, bytes([NUMBER, 0, 0, 0]))
    log.extend(flipped(recyclable(FULL, b"ghost")) + record)
    log.expect("torn", "torn-tail", survivors=[0, 1, 2], end=50)


@LOG_NUMBER.damaged(three_synced_records, "RDB-050", kind="corrupt")
def recyclable_record_after_a_synced_fault(log: RocksLog) -> None:
    """A recyclable record with the number of this log follows a fault in a WAL-sync log. The fault
    ends the log."""
    parts = flipped(wal_sync(FULL, b"ghost", 0)) + recyclable(FULL, b"ghost")
    log.extend(parts)
    log.expect("torn", "torn-tail", survivors=[0, 1, 2], end=74)


@LOG_NUMBER.damaged(three_recyclable_records, "RDB-045", "RDB-050", kind="corrupt")
def gap_and_a_record_in_the_next_block(log: RocksLog) -> None:
    """Zeros follow the last record, and a record of this log is inside the next block. The zeros
    end the log."""
    log.fill_block()
    log.extend(b"\x55" * 20 + recyclable(FULL, b"ghost"))
    log.expect("torn", "torn-tail", survivors=[0, 1, 2], end=50)


@LOG_NUMBER.damaged(three_synced_records, "RDB-046")
def record_of_another_dialect_after_an_older_record(log: RocksLog) -> None:
    """A recyclable record with the number of this log follows an older record in a WAL-sync log.
    The record does not belong to this log, so the lost range includes it."""
    parts = wal_sync(FULL, b"ghost", 0, OLDER) + recyclable(FULL, b"ghost")
    log.extend(parts + wal_sync(FULL, b"delta", 80))
    log.expect("damaged", "other-log", survivors=[0, 1, 2, b"delta"])


@LOG_NUMBER.valid("RDB-050")
def log_with_a_large_number(log: RocksLog) -> None:
    """Three records of a recyclable log whose number has 32 bits."""
    log.context["log_number"] = LARGE
    log.write(b"alpha", b"bravo", b"charlie", number=LARGE)
    log.expect("intact", survivors=[0, 1, 2])


@LOG_NUMBER.valid("RDB-050")
def log_with_a_number_of_equal_bytes(log: RocksLog) -> None:
    """Three records of a recyclable log. Each byte of its number equals the type of a FULL."""
    log.context["log_number"] = EQUAL
    log.write(b"alpha", b"bravo", b"charlie", number=EQUAL)
    log.expect("intact", survivors=[0, 1, 2])


LOG_NUMBER.table("""
number_of_the_first_record_flipped: three_recyclable_records RDB-062 RDB-055
    One bit of the log number of the first record is flipped. The number from the context proves the
    record, and a strict reader returns nothing.
    damage: flip bit 0 of blocks[0].records[0].header.log_number
    expect: damaged bad-number, survivors 0-2, end 50
    bug: RocksDB's skip mode loses the first record without a report
number_of_the_first_record_flipped_and_no_number: three_recyclable_records RDB-014 RDB-062
    One bit of the log number of the first record is flipped, and nothing gives the number. The only
    block is lost.
    number_is_unknown:
    damage: flip bit 0 of blocks[0].records[0].header.log_number
    expect: damaged checksum-mismatch, no survivors, end none
number_known_from_a_later_block: recyclable_fragments RDB-014 RDB-062
    One bit of the log number of the first record is flipped. A number from a later block does not
    prove earlier records.
    number_is_unknown:
    damage: flip bit 0 of blocks[0].records[0].header.log_number
    expect: damaged checksum-mismatch, survivors 2
numbers_of_first_and_middle_flipped: recyclable_fragments RDB-051 RDB-062
    The log numbers of a FIRST and a MIDDLE are damaged. The record is returned, and both headers
    are lost ranges.
    damage: flip bit 0 of blocks[0].records[1].header.log_number
    damage: flip bit 9 of blocks[1].records[0].header.log_number
    expect: damaged bad-number, survivors 0-2
number_of_a_torn_fragment_flipped: recyclable_fragments RDB-062 RDB-042 corrupt
    The log number of a FIRST is damaged, and the log ends before the LAST. The record is torn, and
    its header is not a separate lost range.
    damage: flip bit 0 of blocks[0].records[1].header.log_number
    damage: truncate at 65536
    expect: torn torn-record, survivors 0, end 16
number_of_an_orphan_flipped: recyclable_fragments_within_one_block RDB-048 RDB-062
    The log number of an orphan is damaged. Only the orphan has a lost range.
    damage: drop blocks[0].records[0]
    damage: flip bit 0 of blocks[0].records[0].header.log_number
    expect: damaged orphan-fragment, survivors 1
number_of_the_last_record_flipped: recycled_log RDB-050 RDB-062
    The log number of the last record of a recycled log is damaged. The checksum proves that the
    record belongs to this log, so it does not end the log.
    damage: flip bit 0 of blocks[0].records[2].header.log_number
    expect: damaged bad-number, survivors 0-2, end 50
number_and_data_flipped: three_recyclable_records RDB-062 RDB-044
    The log number and the data of the second record are damaged. No log number matches the
    checksum.
    damage: flip bit 0 of blocks[0].records[1].header.log_number
    damage: flip bit 0 of blocks[0].records[1].data
    expect: damaged checksum-mismatch, survivors 0, end none
number_of_a_synced_middle_flipped: synced_fragments RDB-062
    The log number of a MIDDLE in a WAL-sync log is damaged. The record is returned.
    damage: flip bit 3 of blocks[1].records[0].header.log_number
    expect: damaged bad-number, survivors 0-2
sync_offset_beside_a_flipped_number: synced_blocks RDB-017 RDB-062
    The log numbers of the records that begin two blocks are damaged. Their sync offsets still
    count, so a fault in the first block is damage.
    damage: flip bit 0 of blocks[0].records[1].data
    damage: flip bit 0 of blocks[1].records[0].header.log_number
    damage: flip bit 0 of blocks[2].records[0].header.log_number
    expect: damaged checksum-mismatch, survivors 0 3-5
record_of_a_recycled_log_flipped: recycled_log RDB-025 RDB-050 RDB-056
    One bit of the second record of a recycled log is flipped. The third record shows that the log
    did not end there. The older log in the next block ends the log.
    damage: flip bit 4 of blocks[0].records[1].data
    expect: damaged checksum-mismatch, survivors 0, end 32768
record_of_a_log_with_a_large_number_flipped: log_with_a_large_number RDB-050
    One bit of the second record is flipped. The third record has all 32 bits of the number.
    damage: flip bit 0 of blocks[0].records[1].data
    expect: damaged checksum-mismatch, survivors 0, end none
record_of_a_log_with_a_number_of_equal_bytes_flipped: log_with_a_number_of_equal_bytes RDB-050
    One bit of the second record is flipped. The bytes of the number also occur one byte before the
    number of the third record.
    damage: flip bit 0 of blocks[0].records[1].data
    expect: damaged checksum-mismatch, survivors 0, end none
""")


@LOG_NUMBER.damaged(three_synced_records, "RDB-025", "RDB-042", kind="corrupt")
def older_record_within_a_synced_record_before_a_block(log: RocksLog) -> None:
    """An older record follows a FIRST, and the next block begins with a record of this log. The
    torn tail begins at the FIRST."""
    log.extend(wal_sync(FIRST, b"go", 0) + wal_sync(FULL, b"ghost", 0, OLDER))
    log.fill_block()
    log.extend(wal_sync(FULL, b"ghost", 0))
    log.expect("torn", "torn-tail", survivors=[0, 1, 2], end=74)


@TORN_TAIL.damaged(synced_blocks, "RDB-056", "RDB-017")
def proof_in_the_block_after_the_end(log: RocksLog) -> None:
    """A torn record begins in the second block. Only its MIDDLE in the third block proves the
    damage. `end` is null."""
    log.truncate_in("blocks[0].records[2]", 0)
    log.flip("blocks[0].records[1].data", 2)
    log.fill_block()
    first = wal_sync(FIRST, bytes(BLOCK_SIZE - 24 - 19), 24)
    middle = wal_sync(MIDDLE, b"al", BLOCK_SIZE)
    log.extend(wal_sync(FULL, b"delta", 24) + first + middle)
    log.extend(bytes(BLOCK_SIZE - 21))
    log.expect("damaged", "checksum-mismatch", survivors=[0, b"delta"], end=None)
