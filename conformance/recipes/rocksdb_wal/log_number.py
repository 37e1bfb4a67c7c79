"""Log numbers, the end of a recycled log, and records of another log."""

from conformance.recipes.rocksdb_wal.layout import (
    recyclable_fragments,
    recyclable_log_ends_with_its_block,
    synced_log_ends_with_its_trailer,
    three_recyclable_records,
    three_synced_records,
)
from conformance.recipes.rocksdb_wal.log import (
    BLOCK_SIZE,
    FIRST,
    FULL,
    LAST,
    LOG_NUMBER,
    OLDER,
    OLDER_TEXT,
    RECYCLABLE,
    WAL_SYNC,
    RocksLog,
    flipped,
    legacy,
    numbered,
    recyclable,
    wal_sync,
)
from reference_impl.leveldb_log.dialects import RECYCLABLE_HEADER_SIZE
from reference_impl.rocksdb_wal.layout import clean_close, pack

THREE = [b"alpha", b"bravo", b"charlie"]


@LOG_NUMBER.valid("RDB-015", "RDB-025")
def recycled_log(log: RocksLog) -> None:
    """A recycled log. The first remaining record of the older log ends the recycled log."""
    log.write(*THREE)
    log.recycle(blocks=2)
    log.expect("intact", survivors=[0, 1, 2], end=50)


@LOG_NUMBER.valid("RDB-015", "RDB-025")
def older_records_of_the_same_size(log: RocksLog) -> None:
    """Twenty records over an older log of records of the same size. The first remaining older
    record ends the log."""
    log.write(*[b"%05d" % number for number in range(20)])
    log.data += recyclable(FULL, b"ghost", OLDER) * 100
    log.expect("intact", survivors=list(range(20)), end=320)


@LOG_NUMBER.damaged(recycled_log, "RDB-050")
def older_log_out_of_step(log: RocksLog) -> None:
    """A recycled log ends inside an older record. The rest of the older record looks like an
    unfinished write."""
    log.shows("stale-tail")
    log.out_of_step(50)
    log.expect("torn", "torn-tail", survivors=[0, 1, 2], end=50)


@LOG_NUMBER.damaged(three_recyclable_records, "RDB-050", "RDB-056", kind="limit")
def older_log_within_the_last_block(log: RocksLog) -> None:
    """A recycled log ends inside an older record in the last block. No record of this log follows,
    so this is a torn tail."""
    text = OLDER_TEXT[:4] + b"\x40\0" + OLDER_TEXT[6:]
    log.extend(text + bytes(range(256)))
    log.expect("torn", "torn-tail", survivors=[0, 1, 2], end=50)
    log.note("Nothing may be lost: undamaged recycled logs look the same.")


@LOG_NUMBER.damaged(three_recyclable_records, "RDB-050", kind="limit")
def older_record_within_the_last_block(log: RocksLog) -> None:
    """A valid older record follows a fault in the last block, as after a killed Pebble. No record
    of this log follows, so this is a torn tail."""
    text = OLDER_TEXT[:4] + b"\x40\0" + OLDER_TEXT[6:]
    log.extend(
        text + recyclable(FULL, b"ghost", OLDER) + bytes(range(100)),
    )
    log.expect("torn", "torn-tail", survivors=[0, 1, 2], end=50)


@LOG_NUMBER.valid("RDB-025")
def older_log_at_a_block_boundary(log: RocksLog) -> None:
    """The first block belongs to this log, and the second block belongs to an older log."""
    log.fill_block_but(0)
    log.recycle(blocks=2)
    log.expect("intact", survivors=[0], end=BLOCK_SIZE)


@LOG_NUMBER.valid("RDB-004", "RDB-025")
def older_log_after_a_trailer(log: RocksLog) -> None:
    """A reader skips a trailer with bytes of an older log. An older record in the next block ends
    the log."""
    log.fill_block_but(9)
    log.data += OLDER_TEXT[:9]
    log.recycle(blocks=2)
    log.expect("intact", survivors=[0], end=BLOCK_SIZE)


@LOG_NUMBER.valid("RDB-015", "RDB-025")
def newer_record_at_the_end(log: RocksLog) -> None:
    """A record with a higher log number ends the log."""
    log.write(*THREE)
    log.data += recyclable(FULL, b"ghost", 4000)
    log.expect("intact", survivors=[0, 1, 2], end=50)


@LOG_NUMBER.valid("RDB-015", "RDB-025")
def next_number_at_the_end(log: RocksLog) -> None:
    """A record of the next log, with number 13, ends log 12."""
    log.write(*THREE)
    log.data += recyclable(FULL, b"ghost", 13)
    log.expect("intact", survivors=[0, 1, 2], end=50)


@LOG_NUMBER.damaged(recycled_log, "RDB-050")
def torn_record_over_an_older_log(log: RocksLog) -> None:
    """A recycled log ends inside its third record. The torn tail runs to the next block, which
    begins with an older record."""
    log.shows("torn-last-record")
    log.out_of_step(46)
    left = -len(log.data) % BLOCK_SIZE - RECYCLABLE_HEADER_SIZE
    log.extend(recyclable(FULL, numbered(left), OLDER))
    log.extend(recyclable(FULL, b"ghost", OLDER))
    log.expect("torn", "torn-tail", survivors=[0, 1], end=32)


@LOG_NUMBER.valid("RDB-016")
def recycled_blocks(log: RocksLog) -> None:
    """A recycled log of three blocks, over an older log of four blocks."""
    log.write(b"alpha", numbered(33_000), b"charlie", numbered(33_000), b"echo")
    log.recycle(blocks=4)
    log.expect("intact", survivors=[0, 1, 2, 3, 4])


def older_block() -> bytes:
    """Return a block with one record of the older log."""
    return recyclable(FULL, numbered(BLOCK_SIZE - 11), OLDER)


@LOG_NUMBER.damaged(recycled_blocks, "RDB-046", "RDB-048")
def first_block_never_written(log: RocksLog) -> None:
    """The first block belongs to an older log, and later blocks belong to this log. The first block
    is lost."""
    log.is_called("000012.log")
    log.splice("blocks[0]", older_block())
    log.expect("damaged", "other-log", survivors=[2, 3, 4])
    log.bug("RocksDB ends the log at offset 0 without a report")


@LOG_NUMBER.damaged(recycled_blocks, "RDB-046", "RDB-051")
def middle_block_never_written(log: RocksLog) -> None:
    """The second block was never written and still belongs to an older log. The second block is
    lost."""
    log.shows("lost-write")
    log.splice("blocks[1]", older_block())
    log.expect("damaged", "other-log", survivors=[0, 4])


@LOG_NUMBER.damaged(recycled_blocks, "RDB-042", "RDB-025", kind="corrupt")
def last_block_never_written(log: RocksLog) -> None:
    """The last block was never written and still belongs to an older log. The record that should
    continue in the last block is torn."""
    log.splice("blocks[2]", older_block())
    log.expect("torn", "torn-record", survivors=[0, 1, 2])


@LOG_NUMBER.valid("RDB-014", "RDB-025")
def file_renamed_and_not_written(log: RocksLog) -> None:
    """A recycled file has the name of a new log, but holds only records of an older log. The new
    log is empty."""
    log.recycle(blocks=2)
    log.is_called("000013.log")
    log.expect("intact", survivors=[], end=0)


@LOG_NUMBER.damaged(recycled_log, "RDB-014", "RDB-050", "RDB-015")
def torn_first_record_of_a_recycled_file(log: RocksLog) -> None:
    """The first record of a recycled log is torn. The log number comes from the file name."""
    log.data[:30] = recyclable(FULL, b"x" * 40, 14)[:30]
    log.is_called("000014.log")
    log.expect("torn", "torn-tail", survivors=[], end=0)


@LOG_NUMBER.valid("RDB-014")
def number_from_the_first_record(log: RocksLog) -> None:
    """Without a number in the context or the file name, the log number comes from the first
    record."""
    log.write(*THREE)
    log.data += recyclable(FULL, b"ghost", OLDER)
    log.number_is_unknown()
    log.expect("intact", survivors=[0, 1, 2], end=50)


@LOG_NUMBER.valid("RDB-014")
def number_from_the_first_synced_record(log: RocksLog) -> None:
    """Without a number in the context or the file name, the number of a WAL-sync log comes from the
    first record."""
    log.write(*THREE, headers=WAL_SYNC)
    log.data += wal_sync(FULL, b"ghost", 0, OLDER)
    log.number_is_unknown()
    log.expect("intact", survivors=[0, 1, 2], end=74)


@LOG_NUMBER.valid("RDB-014")
def name_of_a_failover(log: RocksLog) -> None:
    """Pebble's second file of log 15 after a failover, 000015-001.log, has log number 15."""
    log.write(*THREE, number=15, headers=WAL_SYNC)
    log.is_called("000015-001.log")
    log.expect("intact", survivors=[0, 1, 2])


@LOG_NUMBER.valid("RDB-014", "RDB-025")
def number_from_the_context(log: RocksLog) -> None:
    """The log number in the context takes precedence over the number in the file name."""
    log.write(*THREE, number=16)
    log.data += recyclable(FULL, b"ghost", 17)
    log.is_called("000017.log")
    log.context["log_number"] = 16
    log.expect("intact", survivors=[0, 1, 2], end=50)


@LOG_NUMBER.valid("RDB-014", kind="limit")
def number_above_32_bits(log: RocksLog) -> None:
    """The given log number has more than 32 bits. The headers hold the low 32 bits."""
    log.write(*THREE)
    log.context["log_number"] = (7 << 32) + 12
    log.expect("intact", survivors=[0, 1, 2])


@LOG_NUMBER.damaged(recycled_log, "RDB-014", kind="limit")
def first_record_flipped_and_no_number(log: RocksLog) -> None:
    """One bit of the data of the first record is flipped, and no number is given. A reader returns
    a record of the older log."""
    log.number_is_unknown()
    log.flip("blocks[0].records[0].data", 1)
    log.expect("damaged", "checksum-mismatch", survivors=[OLDER_TEXT])
    log.note("With the number 12 in the name or the context, the answer would be a torn tail at 0.")


@LOG_NUMBER.damaged(three_recyclable_records, "RDB-007", "RDB-047", "RDB-050")
def legacy_record_in_a_recyclable_log(log: RocksLog) -> None:
    """A legacy FULL in a recyclable log has an unknown type and is lost. A record of this log
    follows, so this is damage."""
    log.extend(legacy(FULL, b"ghost") + recyclable(FULL, b"delta"))
    log.expect("damaged", "unknown-type", survivors=[0, 1, 2, b"delta"], end=78)
    log.bug("RocksDB and Pebble return the legacy FULL")


@LOG_NUMBER.damaged(recycled_log, "RDB-007", "RDB-050", kind="corrupt")
def legacy_record_in_what_an_older_log_left(log: RocksLog) -> None:
    """Old bytes after the end of a recycled log look like a legacy FULL. A reader must not return
    this FULL."""
    ghost = legacy(FULL, b"ghost")
    log.data[50 : 50 + len(ghost)] = ghost
    log.expect("torn", "torn-tail", survivors=[0, 1, 2], end=50)
    log.bug("RocksDB and Pebble return the legacy FULL")


@LOG_NUMBER.valid("RDB-015", "RDB-025")
def older_recyclable_log_after_a_synced_one(log: RocksLog) -> None:
    """A recyclable record of an older log ends a WAL-sync log. Such files exist after a format
    upgrade."""
    log.write(*THREE, headers=WAL_SYNC)
    log.data += recyclable(FULL, b"ghost", OLDER)
    log.expect("intact", survivors=[0, 1, 2], end=74)


@LOG_NUMBER.damaged(three_synced_records, "RDB-007", "RDB-047", "RDB-050", kind="corrupt")
def recyclable_record_in_a_synced_log(log: RocksLog) -> None:
    """A recyclable FULL in a WAL-sync log has an unknown type, although its log number matches, and
    ends the log."""
    log.extend(recyclable(FULL, b"ghost"))
    log.expect("torn", "torn-tail", survivors=[0, 1, 2], end=74)


@LOG_NUMBER.damaged(three_recyclable_records, "RDB-006", "RDB-007", "RDB-044")
def synced_record_in_a_recyclable_log(log: RocksLog) -> None:
    """A WAL-sync FULL in a recyclable log is damage. Type 9 has a 7-byte header there, so the
    checksum does not match."""
    log.extend(wal_sync(FULL, b"ghost", 0) + recyclable(FULL, b"delta"))
    log.expect("damaged", "checksum-mismatch", survivors=[0, 1, 2], end=None)


LOG_NUMBER.table("""
first_then_older_record: recycled_log RDB-042 RDB-025
    An older record follows a FIRST. The record of the FIRST is torn.
    retype: blocks[0].records[2], R_FIRST
    expect: torn torn-record, survivors 0 1, end 32
first_then_older_log_out_of_step: recycled_log RDB-050
    Part of an older record follows a FIRST. The torn tail begins at the FIRST.
    retype: blocks[0].records[2], R_FIRST
    out_of_step: 50
    expect: torn torn-tail, survivors 0 1, end 32
last_record_of_a_recycled_log_flipped: recycled_log RDB-050 limit
    One bit of the data of the last record of a recycled log is flipped. The damage looks like the
    end of the log.
    damage: flip bit 4 of blocks[0].records[2].data
    expect: torn torn-tail, survivors 0 1, end 32
first_record_of_a_recycled_log_flipped: recycled_blocks RDB-016 RDB-040 RDB-044
    One bit of the data of the first record of a recycled log is flipped. Later blocks belong to
    this log, so this is damage.
    damage: flip bit 1 of blocks[0].records[0].data
    expect: damaged checksum-mismatch, survivors 2-4
number_from_the_next_block: recycled_blocks RDB-014 RDB-016
    The first record is damaged, and no number is given. The log number comes from the next block.
    damage: flip bit 1 of blocks[0].records[0].data
    number_is_unknown:
    expect: damaged checksum-mismatch, survivors 2-4
first_record_of_a_short_recycled_log_flipped: recycled_log RDB-015 RDB-050 corrupt
    One bit of the first record of a recycled log is flipped. The next block belongs to an older
    log, so the fault ends the log at offset 0.
    damage: flip bit 1 of blocks[0].records[0].data
    expect: torn torn-tail, no survivors, end 0
last_of_another_log: recyclable_fragments RDB-015 RDB-016 RDB-046 RDB-051
    A LAST with the number of another log does not complete a record. A record of this log follows
    in the block, so only the LAST and the open record are lost.
    damage: set blocks[2].records[0].header.log_number to 8
    damage: reseal blocks[2].records[0]
    expect: damaged other-log, survivors 0 2
synced_record_of_another_log: three_synced_records RDB-015 RDB-025
    A WAL-sync record with the number of another log ends the log.
    damage: set blocks[0].records[2].header.log_number to 8
    damage: reseal blocks[0].records[2]
    expect: intact, survivors 0 1, end 48
synced_record_of_another_log_before_a_proof: three_synced_records RDB-017 RDB-046
    A WAL-sync record with the number of another log is damage if it is before the proven offset.
    The next record of this log in the block is returned.
    damage: set blocks[0].records[1].header.log_number to 8
    damage: reseal blocks[0].records[1]
    expect: damaged other-log, survivors 0 2, end 74
""")


@LOG_NUMBER.damaged(recyclable_fragments, "RDB-046", "RDB-050", "RDB-056")
def older_block_before_the_last_fault(log: RocksLog) -> None:
    """A block of an older log before the proven offset is damage. The fault in the last record is a
    torn tail."""
    log.splice("blocks[1]", older_block())
    log.flip("blocks[2].records[1].data", 1)
    log.expect("damaged", "other-log", survivors=[0], end=2 * BLOCK_SIZE + 113)


@LOG_NUMBER.valid("RDB-014")
def name_that_only_begins_like_a_logs(log: RocksLog) -> None:
    """The file name 000011.log-copy is not a log name. The log number comes from the first
    record."""
    log.write(*THREE)
    log.is_called("000011.log-copy")
    log.expect("intact", survivors=[0, 1, 2])


@LOG_NUMBER.valid("RDB-015", "RDB-030")
def compression_type_over_an_older_log(log: RocksLog) -> None:
    """A recycled log with only a compression record. An older record ends the log."""
    log.data += pack("legacy", 9, b"\x07\0\0\0") + recyclable(FULL, b"ghost", OLDER)
    log.expect("intact", survivors=[], end=11)


@LOG_NUMBER.valid("RDB-013", "RDB-014", "RDB-025")
def synced_file_renamed_and_not_written(log: RocksLog) -> None:
    """A recycled file has the name of a new log, but holds only a WAL-sync record of an older log.
    The new log is empty."""
    log.data += wal_sync(FULL, b"ghost", 0, OLDER)
    log.is_called("000023.log")
    log.expect("intact", survivors=[], end=0)


@LOG_NUMBER.damaged(recyclable_log_ends_with_its_block, "RDB-006", "RDB-050", kind="corrupt")
def older_synced_log_after_a_recyclable_one(log: RocksLog) -> None:
    """A WAL-sync record of an older log in a recyclable log is a torn tail, because type 9 has a
    7-byte header there."""
    log.extend(wal_sync(FULL, b"ghost", 0, OLDER))
    log.expect("torn", "torn-tail", survivors=[0], end=BLOCK_SIZE)


@LOG_NUMBER.damaged(three_recyclable_records, "RDB-050", kind="corrupt")
def older_record_that_is_not_first_in_its_block(log: RocksLog) -> None:
    """One bit of the last record in a block is flipped. The next block contains an older record but
    does not begin with it, so the torn tail runs to the end of the log."""
    log.flip("blocks[0].records[2].data", 1)
    log.fill_block()
    log.extend(legacy(200, b"ghost") + recyclable(FULL, b"ghost", OLDER))
    log.expect("torn", "torn-tail", survivors=[0, 1], end=32)


@LOG_NUMBER.damaged(synced_log_ends_with_its_trailer, "RDB-046", "RDB-050", "RDB-056")
def torn_tail_after_a_block_never_written(log: RocksLog) -> None:
    """A block of another log comes before a torn tail of a WAL-sync log. The torn tail runs to the
    end of the log."""
    log.set("blocks[0].records[0].header.log_number", OLDER)
    log.reseal("blocks[0].records[0]")
    log.extend(wal_sync(FULL, b"bravo", BLOCK_SIZE) + b"\xff" * 19)
    log.expect("damaged", "other-log", survivors=[b"bravo"], end=BLOCK_SIZE + 24)


def alpha_then_log(log: RocksLog, next_number: int, name: str) -> None:
    """Build a log with a record of log 12 and a record of another log, in a file with this name."""
    log.write(b"alpha")
    log.data += recyclable(FULL, b"ghost", next_number)
    log.is_called(name)


@LOG_NUMBER.valid("RDB-014", kind="limit")
def name_with_a_leading_zero(log: RocksLog) -> None:
    """A file name with seven digits that begin with 0 is not a log name."""
    alpha_then_log(log, 31, "0000031.log")
    log.expect("intact", survivors=[0], end=16)


@LOG_NUMBER.valid("RDB-014", kind="limit")
def name_of_two_digits(log: RocksLog) -> None:
    """A file name with fewer than six digits is not a log name."""
    alpha_then_log(log, 32, "32.log")
    log.expect("intact", survivors=[0], end=16)


@LOG_NUMBER.valid("RDB-014", kind="limit")
def name_with_a_letter_before_it(log: RocksLog) -> None:
    """A file name with a letter before the log number is not a log name."""
    alpha_then_log(log, 33, "x000033.log")
    log.expect("intact", survivors=[0], end=16)


@LOG_NUMBER.valid("RDB-014", kind="limit")
def name_of_a_part_with_one_digit(log: RocksLog) -> None:
    """A file name with a part number of fewer than three digits is not a log name."""
    alpha_then_log(log, 34, "000034-1.log")
    log.expect("intact", survivors=[0], end=16)


@LOG_NUMBER.valid("RDB-014", kind="limit")
def name_of_a_part_with_a_leading_zero(log: RocksLog) -> None:
    """A file name with a part number of four digits that begin with 0 is not a log name."""
    alpha_then_log(log, 35, "000035-0001.log")
    log.expect("intact", survivors=[0], end=16)


@LOG_NUMBER.valid("RDB-014", kind="limit")
def name_above_64_bits(log: RocksLog) -> None:
    """A file name with a log number above 64 bits is not a log name."""
    alpha_then_log(log, 13, f"{2**64 + 13}.log")
    log.expect("intact", survivors=[0], end=16)


@LOG_NUMBER.valid("RDB-014", kind="limit")
def name_of_64_bits(log: RocksLog) -> None:
    """The file name has the log number 2^64 - 100. All records belong to other logs, so the log is
    empty."""
    alpha_then_log(log, 31, f"{2**64 - 100}.log")
    log.expect("intact", survivors=[], end=0)


@LOG_NUMBER.valid("RDB-014", kind="limit")
def name_of_seven_digits(log: RocksLog) -> None:
    """The file name has a log number of seven digits. All records belong to other logs, so the log
    is empty."""
    alpha_then_log(log, 31, "1000036.log")
    log.expect("intact", survivors=[], end=0)


@LOG_NUMBER.valid("RDB-014", kind="limit")
def name_of_a_part_with_four_digits(log: RocksLog) -> None:
    """The file name has a part number of four digits. All records belong to other logs, so the log
    is empty."""
    alpha_then_log(log, 31, "000037-1000.log")
    log.expect("intact", survivors=[], end=0)


@LOG_NUMBER.valid("RDB-014", kind="limit")
def number_zero_given(log: RocksLog) -> None:
    """The given log number is 0. The record belongs to another log, so the log is empty."""
    log.write(b"alpha")
    log.context["log_number"] = 0
    log.expect("intact", survivors=[], end=0)


@LOG_NUMBER.valid("RDB-014", kind="limit")
def number_of_54_bits_given(log: RocksLog) -> None:
    """The given log number is 2^53 + 1, which a 64-bit floating-point number cannot represent. Its
    low 32 bits are 1."""
    log.write(b"alpha", number=1)
    log.context["log_number"] = 2**53 + 1
    log.expect("intact", survivors=[0])


@LOG_NUMBER.valid("RDB-014", kind="limit")
def number_of_33_bits_given(log: RocksLog) -> None:
    """The given log number is 2^32 + 12. The record has log number 13, so the log is empty."""
    log.write(b"alpha", number=13)
    log.context["log_number"] = 2**32 + 12
    log.expect("intact", survivors=[], end=0)


@LOG_NUMBER.valid("RDB-014", "RDB-015")
def number_from_the_preceding_log_record(log: RocksLog) -> None:
    """The log number comes from the first physical record with a number, even if this record is
    metadata."""
    log.data += pack(RECYCLABLE, 131, bytes(24), OLDER) + recyclable(FULL, b"ghost")
    log.number_is_unknown()
    log.expect("intact", survivors=[], end=35)


@LOG_NUMBER.damaged(three_recyclable_records, "RDB-025", "RDB-048")
def last_of_another_log_alone(log: RocksLog) -> None:
    """A LAST with the number of another log ends the log and is not an orphan."""
    log.extend(recyclable(LAST, b"ghost", OLDER))
    log.expect("intact", survivors=[0, 1, 2], end=50)


@LOG_NUMBER.damaged(three_synced_records, "RDB-006", "RDB-025")
def preceding_log_record_of_another_log(log: RocksLog) -> None:
    """A preceding log record with the number of another log ends a WAL-sync log. Type 131 has an
    11-byte header there too."""
    log.extend(pack(RECYCLABLE, 131, bytes(24), OLDER))
    log.expect("intact", survivors=[0, 1, 2], end=74)


def flip_before_a_block(log: RocksLog, block: bytes) -> None:
    """Flip a bit of the last record of the control, then add this block and a record of an older
    log."""
    log.flip("blocks[0].records[2].data", 1)
    log.fill_block()
    log.extend(block)
    log.extend(recyclable(FULL, b"ghost", OLDER))


@LOG_NUMBER.damaged(three_recyclable_records, "RDB-016", "RDB-050")
def block_that_begins_with_metadata(log: RocksLog) -> None:
    """One bit of the last record in a block is flipped. The next block begins with metadata of this
    log, so this is damage."""
    metadata = pack(RECYCLABLE, 131, bytes(24), 12)
    rest = numbered(BLOCK_SIZE - len(metadata) - 11)
    flip_before_a_block(log, metadata + recyclable(FULL, rest))
    log.expect("damaged", "checksum-mismatch", survivors=[0, 1, rest], end=2 * BLOCK_SIZE)


@LOG_NUMBER.damaged(three_recyclable_records, "RDB-016", "RDB-050", kind="limit")
def block_that_begins_with_a_legacy_record(log: RocksLog) -> None:
    """One bit of the last record in a block is flipped. A legacy record at the start of the next
    block does not prove that the log continues."""
    flip_before_a_block(log, legacy(FULL, numbered(BLOCK_SIZE - 7)))
    log.expect("torn", "torn-tail", survivors=[0, 1], end=32)


@LOG_NUMBER.damaged(three_recyclable_records, "RDB-016", "RDB-050", kind="limit")
def block_that_begins_with_a_synced_record(log: RocksLog) -> None:
    """One bit of the last record in a block is flipped. A WAL-sync record at the start of the next
    block does not prove that the log continues."""
    flip_before_a_block(log, wal_sync(FULL, numbered(BLOCK_SIZE - 19), 0))
    log.expect("torn", "torn-tail", survivors=[0, 1], end=32)


def flip_the_last_synced_record(log: RocksLog, then: bytes) -> None:
    """Flip a bit of the third record, which begins at 48, and begin the next block with these
    bytes."""
    log.flip("blocks[0].records[2].data", 1)
    log.fill_block()
    log.extend(then)


@LOG_NUMBER.damaged(three_synced_records, "RDB-015", "RDB-017", "RDB-050", kind="corrupt")
def sync_offset_of_an_older_log(log: RocksLog) -> None:
    """One bit of a WAL-sync record is flipped. The sync offset of an older record in the next block
    does not count."""
    flip_the_last_synced_record(log, wal_sync(FULL, b"ghost", 60_000, OLDER))
    log.expect("torn", "torn-tail", survivors=[0, 1], end=48)


@LOG_NUMBER.damaged(three_synced_records, "RDB-050", kind="corrupt")
def recyclable_block_after_a_synced_log(log: RocksLog) -> None:
    """A torn tail of a WAL-sync log ends at the next block, which begins with a type 11 record of
    an older recyclable log."""
    flip_the_last_synced_record(log, pack(RECYCLABLE, 11, b"\1\0\0\0\x08\0", OLDER))
    log.expect("torn", "torn-tail", survivors=[0, 1], end=48)


@LOG_NUMBER.damaged(three_synced_records, "RDB-017", "RDB-044")
def sync_offset_in_a_last(log: RocksLog) -> None:
    """One bit of a WAL-sync FIRST is flipped. The sync offset of the LAST is after the start of the
    FIRST, so this is damage."""
    first = wal_sync(FIRST, numbered(BLOCK_SIZE - 74 - 19), 74)
    log.extend(flipped(first) + wal_sync(LAST, b"tail", 75))
    log.expect("damaged", "checksum-mismatch", survivors=[0, 1, 2], end=BLOCK_SIZE + 23)


@LOG_NUMBER.damaged(three_synced_records, "RDB-017", "RDB-044")
def sync_offset_lower_than_the_one_before(log: RocksLog) -> None:
    """One bit of a WAL-sync record before the highest sync offset is flipped. This is damage,
    although the last sync offset is lower."""
    delta = wal_sync(FULL, b"delta", 49)
    flip_the_last_synced_record(log, delta + wal_sync(FULL, b"golf", 3))
    log.expect("damaged", "checksum-mismatch", survivors=[0, 1, b"delta", b"golf"])


@LOG_NUMBER.damaged(three_synced_records, "RDB-017", "RDB-046", kind="limit")
def sync_offset_of_64_bits(log: RocksLog) -> None:
    """A sync offset of 2^63 is unsigned and beyond the end of the file. An older record before this
    offset is damage."""
    log.extend(wal_sync(FULL, b"delta", 1 << 63))
    log.extend(wal_sync(FULL, b"ghost", 0, OLDER))
    log.expect("damaged", "other-log", survivors=[0, 1, 2, b"delta"], end=None)


@LOG_NUMBER.damaged(three_synced_records, "RDB-017", "RDB-050", kind="limit")
def sync_offset_at_a_fault(log: RocksLog) -> None:
    """The highest sync offset is the offset of a fault. The fault is not before the proven offset
    and ends the log."""
    flip_the_last_synced_record(log, wal_sync(FULL, b"ghost", 48))
    log.expect("torn", "torn-tail", survivors=[0, 1], end=48)


@LOG_NUMBER.damaged(three_synced_records, "RDB-017", "RDB-025", kind="limit")
def sync_offset_at_an_older_record(log: RocksLog) -> None:
    """The highest sync offset is the offset of an older record. The older record ends the log. A
    record of this log follows, so the log is torn."""
    log.extend(wal_sync(FULL, b"ghost", 0, OLDER))
    log.fill_block()
    log.extend(wal_sync(FULL, b"ghost", 74))
    log.expect("torn", "torn-tail", survivors=[0, 1, 2], end=74)


@LOG_NUMBER.damaged(three_synced_records, "RDB-017", "RDB-050", kind="limit")
def sync_offset_between_a_first_and_a_fault(log: RocksLog) -> None:
    """The proven offset is inside a FIRST, before its damaged LAST. The fault is after the proven
    offset, so the log ends at the FIRST."""
    log.extend(wal_sync(FIRST, numbered(BLOCK_SIZE - 74 - 19), 30_000))
    log.extend(flipped(wal_sync(LAST, b"tail", 0)))
    log.expect("torn", "torn-tail", survivors=[0, 1, 2], end=74)


@LOG_NUMBER.damaged(three_synced_records, "RDB-017", "RDB-041")
def synced_cut_before_what_was_synced(log: RocksLog) -> None:
    """A WAL-sync log ends inside a record before the proven offset. The record is torn, not
    damaged."""
    record = wal_sync(FULL, b"delta", 1000)
    log.extend(record + record[:-2])
    log.expect("torn", "torn-payload", survivors=[0, 1, 2, b"delta"], end=98)


@LOG_NUMBER.damaged(three_synced_records, "RDB-017", "RDB-042")
def synced_first_and_zeros_before_what_was_synced(log: RocksLog) -> None:
    """Zeros follow a FIRST before the proven offset of a WAL-sync log. The record is torn, not
    damaged."""
    log.extend(wal_sync(FIRST, b"de", 1000) + bytes(100))
    log.expect("torn", "torn-record", survivors=[0, 1, 2], end=74)


@LOG_NUMBER.damaged(three_synced_records, "RDB-017", "RDB-026", "RDB-042", "RDB-056")
def damaged_synced_log_closed_within_a_record(log: RocksLog) -> None:
    """A damaged WAL-sync log ends at a clean close while a record is open. The records before the
    open record prove the damage, so a writer may append there."""
    delta = wal_sync(FULL, b"delta", 49)
    flip_the_last_synced_record(log, delta + wal_sync(FIRST, b"go", 3) + clean_close(12))
    survivors: list[int | bytes] = [0, 1, b"delta"]
    log.expect("damaged", "checksum-mismatch", survivors=survivors, end=BLOCK_SIZE + 24)


@LOG_NUMBER.damaged(three_synced_records, "RDB-017", "RDB-041", "RDB-056")
def damaged_synced_log_cut(log: RocksLog) -> None:
    """A WAL-sync log with a flipped bit ends inside a record. The records before the cut record
    prove the damage, so a writer may append there."""
    delta = wal_sync(FULL, b"delta", 49)
    flip_the_last_synced_record(log, delta + delta[:-1])
    survivors: list[int | bytes] = [0, 1, b"delta"]
    log.expect("damaged", "checksum-mismatch", survivors=survivors, end=BLOCK_SIZE + 24)


@LOG_NUMBER.damaged(three_recyclable_records, "RDB-033", "RDB-050")
def bad_metadata_at_the_end_of_a_recycled_log(log: RocksLog) -> None:
    """A timestamp size record with a size of 0 has the number of this log, so it is damage. A torn
    tail follows."""
    log.extend(pack(RECYCLABLE, 11, b"\1\0\0\0\0\0", 12))
    log.fill_block()
    log.extend(recyclable(FULL, b"ghost", OLDER))
    log.expect("damaged", "bad-metadata", survivors=[0, 1, 2], end=67)
