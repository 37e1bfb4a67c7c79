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
    BOOK,
    FIRST,
    FULL,
    LAST,
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
from conformance.recipes.variation import Kept
from reference_impl.leveldb_log.dialects import RECYCLABLE_HEADER_SIZE
from reference_impl.rocksdb_wal.layout import clean_close, pack

R_FIRST = 6
THREE = [b"alpha", b"bravo", b"charlie"]


@BOOK.valid("log-number", "RDB-015", "RDB-025")
def recycled_log(log: RocksLog) -> None:
    """A recycled log. The first remaining record of the older log ends the recycled log."""
    log.write(*THREE)
    log.recycle(blocks=2)
    log.expect("intact", survivors=[0, 1, 2], end=50)


@BOOK.valid("log-number", "RDB-015", "RDB-025")
def older_records_of_the_same_size(log: RocksLog) -> None:
    """Twenty records over an older log of records of the same size. The first remaining older
    record ends the log.
    """
    log.write(*[b"%05d" % number for number in range(20)])
    log.data += recyclable(FULL, b"ghost", OLDER) * 100
    log.expect("intact", survivors=list(range(20)), end=320)


@BOOK.damaged(recycled_log, "log-number", "RDB-050", kind="eof")
def older_log_out_of_step(log: RocksLog) -> None:
    """A recycled log ends inside an older record. The rest of the older record looks like an
    unfinished write.
    """
    log.shows("stale-tail")
    log.out_of_step(50)
    log.expect("torn", "torn-tail", survivors=[0, 1, 2], end=50)


@BOOK.damaged(three_recyclable_records, "log-number", "RDB-050", "RDB-056", kind="limit")
def older_log_within_the_last_block(log: RocksLog) -> None:
    """A recycled log ends inside an older record in the last block. No later block shows an older
    log, so a reader reports damage.
    """
    text = OLDER_TEXT[:4] + b"\x40\0" + OLDER_TEXT[6:]
    log.extend(text + bytes(range(256)), "text of an older record")
    log.expect("damaged", "checksum-mismatch", survivors=[0, 1, 2], end=None)
    log.note("This is a limit of the format. Undamaged recycled logs may look the same.")


@BOOK.damaged(three_recyclable_records, "log-number", "RDB-044", "RDB-050", kind="limit")
def older_record_within_the_last_block(log: RocksLog) -> None:
    """A valid older record follows a fault in the last block. The fault is damage, because the
    older record may be data of a lost record.
    """
    text = OLDER_TEXT[:4] + b"\x40\0" + OLDER_TEXT[6:]
    log.extend(
        text + recyclable(FULL, b"ghost", OLDER) + bytes(range(100)),
        "text and a record of an older log",
    )
    log.expect("damaged", "checksum-mismatch", survivors=[0, 1, 2], end=None)


@BOOK.valid("log-number", "RDB-025")
def older_log_at_a_block_boundary(log: RocksLog) -> None:
    """The first block belongs to this log, and the second block belongs to an older log."""
    log.fill_block_but(0)
    log.recycle(blocks=2)
    log.expect("intact", survivors=[0], end=BLOCK_SIZE)


@BOOK.valid("log-number", "RDB-004", "RDB-025")
def older_log_after_a_trailer(log: RocksLog) -> None:
    """A reader skips a trailer with bytes of an older log. An older record in the next block ends
    the log.
    """
    log.fill_block_but(9)
    log.data += OLDER_TEXT[:9]
    log.recycle(blocks=2)
    log.expect("intact", survivors=[0], end=BLOCK_SIZE)


@BOOK.valid("log-number", "RDB-015", "RDB-025")
def newer_record_at_the_end(log: RocksLog) -> None:
    """A record with a higher log number ends the log."""
    log.write(*THREE)
    log.data += recyclable(FULL, b"ghost", 4000)
    log.expect("intact", survivors=[0, 1, 2], end=50)


@BOOK.valid("log-number", "RDB-015", "RDB-025")
def next_number_at_the_end(log: RocksLog) -> None:
    """A record of the next log, with number 13, ends log 12."""
    log.write(*THREE)
    log.data += recyclable(FULL, b"ghost", 13)
    log.expect("intact", survivors=[0, 1, 2], end=50)


@BOOK.damaged(recycled_log, "log-number", "RDB-042", "RDB-025", kind="eof")
def first_then_older_record(log: RocksLog) -> None:
    """An older record follows a FIRST. The record of the FIRST is torn."""
    log.retype("blocks[0].records[2]", R_FIRST)
    log.expect("torn", "torn-record", survivors=[0, 1], end=32)


@BOOK.damaged(recycled_log, "log-number", "RDB-050", kind="eof")
def first_then_older_log_out_of_step(log: RocksLog) -> None:
    """Part of an older record follows a FIRST. The torn tail begins at the FIRST."""
    log.retype("blocks[0].records[2]", R_FIRST)
    log.out_of_step(50)
    log.expect("torn", "torn-tail", survivors=[0, 1], end=32)


@BOOK.damaged(recycled_log, "log-number", "RDB-050", kind="limit")
def last_record_of_a_recycled_log_flipped(log: RocksLog) -> None:
    """One bit of the data of the last record of a recycled log is flipped. The damage looks like
    the end of the log.
    """
    log.flip("blocks[0].records[2].data", 4)
    log.expect("torn", "torn-tail", survivors=[0, 1], end=32)


@BOOK.damaged(recycled_log, "log-number", "RDB-050", kind="eof")
def torn_record_over_an_older_log(log: RocksLog) -> None:
    """A recycled log ends inside its third record. The torn tail runs to the next block, which
    begins with an older record.
    """
    log.shows("torn-last-record")
    log.out_of_step(46)
    left = -len(log.data) % BLOCK_SIZE - RECYCLABLE_HEADER_SIZE
    log.extend(recyclable(FULL, numbered(left), OLDER), "the rest of a block of the older log")
    log.extend(recyclable(FULL, b"ghost", OLDER), "a record in the next block")
    log.expect("torn", "torn-tail", survivors=[0, 1], end=32)


@BOOK.valid("log-number", "RDB-016")
def recycled_blocks(log: RocksLog) -> None:
    """A recycled log of three blocks, over an older log of four blocks."""
    log.write(b"alpha", numbered(33_000), b"charlie", numbered(33_000), b"echo")
    log.recycle(blocks=4)
    log.expect("intact", survivors=[0, 1, 2, 3, 4])


def older_block() -> bytes:
    """Return a block with one record of the older log."""
    return recyclable(FULL, numbered(BLOCK_SIZE - 11), OLDER)


@BOOK.damaged(recycled_blocks, "log-number", "RDB-016", "RDB-040", "RDB-044")
def first_record_of_a_recycled_log_flipped(log: RocksLog) -> None:
    """One bit of the data of the first record of a recycled log is flipped. Later blocks belong to
    this log, so this is damage.
    """
    log.flip("blocks[0].records[0].data", 1)
    log.expect("damaged", "checksum-mismatch", survivors=[2, 3, 4])


@BOOK.damaged(recycled_blocks, "log-number", "RDB-046", "RDB-048")
def first_block_never_written(log: RocksLog) -> None:
    """The first block belongs to an older log, and later blocks belong to this log. The first block
    is lost.
    """
    log.is_called("000012.log")
    log.splice("blocks[0]", older_block(), "a block of the older log")
    log.expect("damaged", "other-log", survivors=[2, 3, 4])
    log.bug("RocksDB ends the log at offset 0 without a report")


@BOOK.damaged(recycled_blocks, "log-number", "RDB-046", "RDB-051")
def middle_block_never_written(log: RocksLog) -> None:
    """The second block was never written and still belongs to an older log. The second block is
    lost.
    """
    log.shows("lost-write")
    log.splice("blocks[1]", older_block(), "a block of the older log")
    log.expect("damaged", "other-log", survivors=[0, 4])


@BOOK.damaged(recycled_blocks, "log-number", "RDB-042", "RDB-025")
def last_block_never_written(log: RocksLog) -> None:
    """The last block was never written and still belongs to an older log. The record that should
    continue in the last block is torn.
    """
    log.splice("blocks[2]", older_block(), "a block of the older log")
    log.expect("torn", "torn-record", survivors=[0, 1, 2])


@BOOK.valid("log-number", "RDB-014", "RDB-025")
def file_renamed_and_not_written(log: RocksLog) -> None:
    """A recycled file has the name of a new log, but holds only records of an older log. The new
    log is empty.
    """
    log.recycle(blocks=2)
    log.is_called("000013.log")
    log.expect("intact", survivors=[], end=0)


@BOOK.damaged(recycled_log, "log-number", "RDB-014", "RDB-050", "RDB-015", kind="eof")
def torn_first_record_of_a_recycled_file(log: RocksLog) -> None:
    """The first record of a recycled log is torn. The log number comes from the file name."""
    log.data[:30] = recyclable(FULL, b"x" * 40, 14)[:30]
    log.did("overwrite the first 30 bytes with the start of a record of log 14")
    log.is_called("000014.log")
    log.expect("torn", "torn-tail", survivors=[], end=0)


@BOOK.valid("log-number", "RDB-014")
def number_from_the_first_record(log: RocksLog) -> None:
    """Without a number in the context or the file name, the log number comes from the
    first record.
    """
    log.write(*THREE)
    log.data += recyclable(FULL, b"ghost", OLDER)
    log.number_is_unknown()
    log.expect("intact", survivors=[0, 1, 2], end=50)


@BOOK.valid("log-number", "RDB-014")
def number_from_the_first_synced_record(log: RocksLog) -> None:
    """Without a number in the context or the file name, the number of a WAL-sync log comes from the
    first record.
    """
    log.write(*THREE, headers=WAL_SYNC)
    log.data += wal_sync(FULL, b"ghost", 0, OLDER)
    log.number_is_unknown()
    log.expect("intact", survivors=[0, 1, 2], end=74)


@BOOK.damaged(recycled_blocks, "log-number", "RDB-014", "RDB-016")
def number_from_the_next_block(log: RocksLog) -> None:
    """The first record is damaged, and no number is given. The log number comes from the next
    block.
    """
    log.flip("blocks[0].records[0].data", 1)
    log.number_is_unknown()
    log.expect("damaged", "checksum-mismatch", survivors=[2, 3, 4])


@BOOK.valid("log-number", "RDB-014")
def name_of_a_failover(log: RocksLog) -> None:
    """Pebble's second file of log 15 after a failover, 000015-001.log, has log number 15."""
    log.write(*THREE, number=15, headers=WAL_SYNC)
    log.is_called("000015-001.log")
    log.expect("intact", survivors=[0, 1, 2])


@BOOK.valid("log-number", "RDB-014", "RDB-025")
def number_from_the_context(log: RocksLog) -> None:
    """The log number in the context takes precedence over the number in the file name."""
    log.write(*THREE, number=16)
    log.data += recyclable(FULL, b"ghost", 17)
    log.is_called("000017.log")
    log.context["log_number"] = 16
    log.expect("intact", survivors=[0, 1, 2], end=50)


@BOOK.valid("log-number", "RDB-014", kind="limit")
def number_above_32_bits(log: RocksLog) -> None:
    """The given log number has more than 32 bits. The headers hold the low 32 bits."""
    log.write(*THREE)
    log.context["log_number"] = (7 << 32) + 12
    log.expect("intact", survivors=[0, 1, 2])


@BOOK.damaged(recycled_log, "log-number", "RDB-015", "RDB-050")
def first_record_of_a_short_recycled_log_flipped(log: RocksLog) -> None:
    """One bit of the first record of a recycled log is flipped. The next block belongs to an older
    log, so the fault ends the log at offset 0.
    """
    log.flip("blocks[0].records[0].data", 1)
    log.expect("torn", "torn-tail", survivors=[], end=0)


@BOOK.damaged(recycled_log, "log-number", "RDB-014", kind="limit")
def first_record_flipped_and_no_number(log: RocksLog) -> None:
    """One bit of the data of the first record is flipped, and no number is given. A reader returns
    a record of the older log.
    """
    log.number_is_unknown()
    log.flip("blocks[0].records[0].data", 1)
    log.expect("damaged", "checksum-mismatch", survivors=[Kept(OLDER_TEXT)])
    log.note("With the number 12 in the name or the context, the answer would be a torn tail at 0.")


@BOOK.damaged(three_recyclable_records, "log-number", "RDB-007", "RDB-047")
def legacy_record_in_a_recyclable_log(log: RocksLog) -> None:
    """A legacy FULL in a recyclable log has an unknown type and is lost."""
    log.extend(legacy(FULL, b"ghost"), "a legacy FULL")
    log.expect("damaged", "unknown-type", survivors=[0, 1, 2], end=62)
    log.bug("RocksDB and Pebble return the legacy FULL")


@BOOK.damaged(recycled_log, "log-number", "RDB-007", "RDB-050")
def legacy_record_in_what_an_older_log_left(log: RocksLog) -> None:
    """Old bytes after the end of a recycled log look like a legacy FULL. A reader must not return
    this FULL.
    """
    ghost = legacy(FULL, b"ghost")
    log.data[50 : 50 + len(ghost)] = ghost
    log.did("write a legacy FULL over the older bytes at 50")
    log.expect("torn", "torn-tail", survivors=[0, 1, 2], end=50)
    log.bug("RocksDB and Pebble return the legacy FULL")


@BOOK.valid("log-number", "RDB-015", "RDB-025")
def older_recyclable_log_after_a_synced_one(log: RocksLog) -> None:
    """A recyclable record of an older log ends a WAL-sync log. Such files exist after a format
    upgrade.
    """
    log.write(*THREE, headers=WAL_SYNC)
    log.data += recyclable(FULL, b"ghost", OLDER)
    log.expect("intact", survivors=[0, 1, 2], end=74)


@BOOK.damaged(three_synced_records, "log-number", "RDB-007", "RDB-047", "RDB-050")
def recyclable_record_in_a_synced_log(log: RocksLog) -> None:
    """A recyclable FULL in a WAL-sync log has an unknown type, although its log number matches, and
    ends the log.
    """
    log.extend(recyclable(FULL, b"ghost"), "a recyclable FULL")
    log.expect("torn", "torn-tail", survivors=[0, 1, 2], end=74)


@BOOK.damaged(three_recyclable_records, "log-number", "RDB-006", "RDB-007", "RDB-044")
def synced_record_in_a_recyclable_log(log: RocksLog) -> None:
    """A WAL-sync FULL in a recyclable log is damage. Type 9 has a 7-byte header there, so the
    checksum does not match.
    """
    log.extend(wal_sync(FULL, b"ghost", 0), "a WAL-sync FULL")
    log.expect("damaged", "checksum-mismatch", survivors=[0, 1, 2], end=None)


@BOOK.damaged(recyclable_fragments, "log-number", "RDB-015", "RDB-025", "RDB-042")
def last_of_another_log(log: RocksLog) -> None:
    """A LAST with the number of another log does not complete a record."""
    log.set("blocks[2].records[0].header.log_number", OLDER)
    log.reseal("blocks[2].records[0]")
    log.expect("torn", "torn-record", survivors=[0])


@BOOK.damaged(three_synced_records, "log-number", "RDB-015", "RDB-025")
def synced_record_of_another_log(log: RocksLog) -> None:
    """A WAL-sync record with the number of another log ends the log."""
    log.set("blocks[0].records[2].header.log_number", OLDER)
    log.reseal("blocks[0].records[2]", is_sync=True)
    log.expect("intact", survivors=[0, 1], end=48)


@BOOK.damaged(three_synced_records, "log-number", "RDB-017", "RDB-046")
def synced_record_of_another_log_before_a_proof(log: RocksLog) -> None:
    """A WAL-sync record with the number of another log is damage if it is before the
    proven offset.
    """
    log.set("blocks[0].records[1].header.log_number", OLDER)
    log.reseal("blocks[0].records[1]", is_sync=True)
    log.expect("damaged", "other-log", survivors=[0], end=None)


@BOOK.damaged(recyclable_fragments, "log-number", "RDB-046", "RDB-050", "RDB-056")
def older_block_before_the_last_fault(log: RocksLog) -> None:
    """A block of an older log comes before a fault. The fault is damage, because no block of an
    older log follows.
    """
    log.splice("blocks[1]", older_block(), "a block of the older log")
    log.flip("blocks[2].records[1].data", 1)
    log.expect("damaged", "other-log", survivors=[0], end=None)


@BOOK.valid("log-number", "RDB-014")
def name_that_only_begins_like_a_logs(log: RocksLog) -> None:
    """The file name 000011.log-copy is not a log name. The log number comes from the
    first record.
    """
    log.write(*THREE)
    log.is_called("000011.log-copy")
    log.expect("intact", survivors=[0, 1, 2])


@BOOK.valid("log-number", "RDB-015", "RDB-030")
def compression_type_over_an_older_log(log: RocksLog) -> None:
    """A recycled log with only a compression record. An older record ends the log."""
    log.data += pack("legacy", 9, b"\x07\0\0\0") + recyclable(FULL, b"ghost", OLDER)
    log.expect("intact", survivors=[], end=11)


@BOOK.valid("log-number", "RDB-013", "RDB-014", "RDB-025")
def synced_file_renamed_and_not_written(log: RocksLog) -> None:
    """A recycled file has the name of a new log, but holds only a WAL-sync record of an older log.
    The new log is empty.
    """
    log.data += wal_sync(FULL, b"ghost", 0, OLDER)
    log.is_called("000023.log")
    log.expect("intact", survivors=[], end=0)


@BOOK.damaged(recyclable_log_ends_with_its_block, "log-number", "RDB-006", "RDB-050")
def older_synced_log_after_a_recyclable_one(log: RocksLog) -> None:
    """A WAL-sync record of an older log in a recyclable log is damage, because type 9 has a 7-byte
    header there.
    """
    log.extend(wal_sync(FULL, b"ghost", 0, OLDER), "a WAL-sync record of log 8")
    log.expect("damaged", "checksum-mismatch", survivors=[0], end=None)


@BOOK.damaged(three_recyclable_records, "log-number", "RDB-044", "RDB-050")
def older_record_that_is_not_first_in_its_block(log: RocksLog) -> None:
    """One bit of the last record in a block is flipped. The next block contains an older record but
    does not begin with it, so this is damage.
    """
    log.flip("blocks[0].records[2].data", 1)
    log.fill_block()
    log.extend(legacy(200, b"ghost") + recyclable(FULL, b"ghost", OLDER), "two physical records")
    log.expect("damaged", "checksum-mismatch", survivors=[0, 1], end=BLOCK_SIZE + 12)


@BOOK.damaged(synced_log_ends_with_its_trailer, "log-number", "RDB-046", "RDB-050", "RDB-056")
def torn_tail_after_a_block_never_written(log: RocksLog) -> None:
    """A block of another log comes before a torn tail of a WAL-sync log. The torn tail runs to the
    end of the log.
    """
    log.set("blocks[0].records[0].header.log_number", OLDER)
    log.reseal("blocks[0].records[0]")
    log.extend(wal_sync(FULL, b"bravo", BLOCK_SIZE) + b"\xff" * 19, "a record and 19 bytes ff")
    log.expect("damaged", "other-log", survivors=[Kept(b"bravo")], end=None)


def alpha_then_log(log: RocksLog, next_number: int, name: str) -> None:
    """Build a log with a record of log 12 and a record of another log, in a file with this name."""
    log.write(b"alpha")
    log.data += recyclable(FULL, b"ghost", next_number)
    log.is_called(name)


@BOOK.valid("log-number", "RDB-014", kind="limit")
def name_with_a_leading_zero(log: RocksLog) -> None:
    """A file name with seven digits that begin with 0 is not a log name."""
    alpha_then_log(log, 31, "0000031.log")
    log.expect("intact", survivors=[0], end=16)


@BOOK.valid("log-number", "RDB-014", kind="limit")
def name_of_two_digits(log: RocksLog) -> None:
    """A file name with fewer than six digits is not a log name."""
    alpha_then_log(log, 32, "32.log")
    log.expect("intact", survivors=[0], end=16)


@BOOK.valid("log-number", "RDB-014", kind="limit")
def name_with_a_letter_before_it(log: RocksLog) -> None:
    """A file name with a letter before the log number is not a log name."""
    alpha_then_log(log, 33, "x000033.log")
    log.expect("intact", survivors=[0], end=16)


@BOOK.valid("log-number", "RDB-014", kind="limit")
def name_of_a_part_with_one_digit(log: RocksLog) -> None:
    """A file name with a part number of fewer than three digits is not a log name."""
    alpha_then_log(log, 34, "000034-1.log")
    log.expect("intact", survivors=[0], end=16)


@BOOK.valid("log-number", "RDB-014", kind="limit")
def name_of_a_part_with_a_leading_zero(log: RocksLog) -> None:
    """A file name with a part number of four digits that begin with 0 is not a log name."""
    alpha_then_log(log, 35, "000035-0001.log")
    log.expect("intact", survivors=[0], end=16)


@BOOK.valid("log-number", "RDB-014", kind="limit")
def name_above_64_bits(log: RocksLog) -> None:
    """A file name with a log number above 64 bits is not a log name."""
    alpha_then_log(log, 13, f"{2**64 + 13}.log")
    log.expect("intact", survivors=[0], end=16)


@BOOK.valid("log-number", "RDB-014", kind="limit")
def name_of_64_bits(log: RocksLog) -> None:
    """The file name has the log number 2^64 - 100. All records belong to other logs, so the log is
    empty.
    """
    alpha_then_log(log, 31, f"{2**64 - 100}.log")
    log.expect("intact", survivors=[], end=0)


@BOOK.valid("log-number", "RDB-014", kind="limit")
def name_of_seven_digits(log: RocksLog) -> None:
    """The file name has a log number of seven digits. All records belong to other logs, so the log
    is empty.
    """
    alpha_then_log(log, 31, "1000036.log")
    log.expect("intact", survivors=[], end=0)


@BOOK.valid("log-number", "RDB-014", kind="limit")
def name_of_a_part_with_four_digits(log: RocksLog) -> None:
    """The file name has a part number of four digits. All records belong to other logs, so the log
    is empty.
    """
    alpha_then_log(log, 31, "000037-1000.log")
    log.expect("intact", survivors=[], end=0)


@BOOK.valid("log-number", "RDB-014", kind="limit")
def number_zero_given(log: RocksLog) -> None:
    """The given log number is 0. The record belongs to another log, so the log is empty."""
    log.write(b"alpha")
    log.context["log_number"] = 0
    log.expect("intact", survivors=[], end=0)


@BOOK.valid("log-number", "RDB-014", kind="limit")
def number_of_54_bits_given(log: RocksLog) -> None:
    """The given log number is 2^53 + 1, which a 64-bit floating-point number cannot represent. Its
    low 32 bits are 1.
    """
    log.write(b"alpha", number=1)
    log.context["log_number"] = 2**53 + 1
    log.expect("intact", survivors=[0])


@BOOK.valid("log-number", "RDB-014", kind="limit")
def number_of_33_bits_given(log: RocksLog) -> None:
    """The given log number is 2^32 + 12. The record has log number 13, so the log is empty."""
    log.write(b"alpha", number=13)
    log.context["log_number"] = 2**32 + 12
    log.expect("intact", survivors=[], end=0)


@BOOK.valid("log-number", "RDB-014", "RDB-015")
def number_from_the_preceding_log_record(log: RocksLog) -> None:
    """The log number comes from the first physical record with a number, even if this record is
    metadata.
    """
    log.data += pack(RECYCLABLE, 131, bytes(24), OLDER) + recyclable(FULL, b"ghost")
    log.number_is_unknown()
    log.expect("intact", survivors=[], end=35)


@BOOK.damaged(three_recyclable_records, "log-number", "RDB-025", "RDB-048")
def last_of_another_log_alone(log: RocksLog) -> None:
    """A LAST with the number of another log ends the log and is not an orphan."""
    log.extend(recyclable(LAST, b"ghost", OLDER), "a LAST of log 8")
    log.expect("intact", survivors=[0, 1, 2], end=50)


@BOOK.damaged(three_synced_records, "log-number", "RDB-006", "RDB-025")
def preceding_log_record_of_another_log(log: RocksLog) -> None:
    """A preceding log record with the number of another log ends a WAL-sync log. Type 131 has an
    11-byte header there too.
    """
    log.extend(pack(RECYCLABLE, 131, bytes(24), OLDER), "a record of type 131 of log 8")
    log.expect("intact", survivors=[0, 1, 2], end=74)


def flip_before_a_block(log: RocksLog, block: bytes) -> None:
    """Flip a bit of the last record of the control, then add this block and a record of an older
    log.
    """
    log.flip("blocks[0].records[2].data", 1)
    log.fill_block()
    log.extend(block, "the next block")
    log.extend(recyclable(FULL, b"ghost", OLDER), "a record of log 8")


@BOOK.damaged(three_recyclable_records, "log-number", "RDB-016", "RDB-050")
def block_that_begins_with_metadata(log: RocksLog) -> None:
    """One bit of the last record in a block is flipped. The next block begins with metadata of this
    log, so this is damage.
    """
    metadata = pack(RECYCLABLE, 131, bytes(24), 12)
    rest = Kept(numbered(BLOCK_SIZE - len(metadata) - 11))
    flip_before_a_block(log, metadata + recyclable(FULL, rest))
    log.expect("damaged", "checksum-mismatch", survivors=[0, 1, rest], end=2 * BLOCK_SIZE)


@BOOK.damaged(three_recyclable_records, "log-number", "RDB-016", "RDB-050", kind="limit")
def block_that_begins_with_a_legacy_record(log: RocksLog) -> None:
    """One bit of the last record in a block is flipped. A legacy record at the start of the next
    block does not prove that the log continues.
    """
    flip_before_a_block(log, legacy(FULL, numbered(BLOCK_SIZE - 7)))
    log.expect("torn", "torn-tail", survivors=[0, 1], end=32)


@BOOK.damaged(three_recyclable_records, "log-number", "RDB-016", "RDB-050", kind="limit")
def block_that_begins_with_a_synced_record(log: RocksLog) -> None:
    """One bit of the last record in a block is flipped. A WAL-sync record at the start of the next
    block does not prove that the log continues.
    """
    flip_before_a_block(log, wal_sync(FULL, numbered(BLOCK_SIZE - 19), 0))
    log.expect("torn", "torn-tail", survivors=[0, 1], end=32)


def flip_the_last_synced_record(log: RocksLog, then: bytes) -> None:
    """Flip a bit of the third record, which begins at 48, and begin the next block with these
    bytes.
    """
    log.flip("blocks[0].records[2].data", 1)
    log.fill_block()
    log.extend(then, "the next block")


@BOOK.damaged(three_synced_records, "log-number", "RDB-015", "RDB-017", "RDB-050")
def sync_offset_of_an_older_log(log: RocksLog) -> None:
    """One bit of a WAL-sync record is flipped. The sync offset of an older record in the next block
    does not count.
    """
    flip_the_last_synced_record(log, wal_sync(FULL, b"ghost", 60_000, OLDER))
    log.expect("torn", "torn-tail", survivors=[0, 1], end=48)


@BOOK.damaged(three_synced_records, "log-number", "RDB-050")
def recyclable_block_after_a_synced_log(log: RocksLog) -> None:
    """A torn tail of a WAL-sync log ends at the next block, which begins with a type 11 record of
    an older recyclable log.
    """
    flip_the_last_synced_record(log, pack(RECYCLABLE, 11, b"\1\0\0\0\x08\0", OLDER))
    log.expect("torn", "torn-tail", survivors=[0, 1], end=48)


@BOOK.damaged(three_synced_records, "log-number", "RDB-017", "RDB-044")
def sync_offset_in_a_last(log: RocksLog) -> None:
    """One bit of a WAL-sync FIRST is flipped. The sync offset of the LAST is after the start of the
    FIRST, so this is damage.
    """
    first = wal_sync(FIRST, numbered(BLOCK_SIZE - 74 - 19), 74)
    log.extend(
        flipped(first) + wal_sync(LAST, b"tail", 75), "a FIRST with a flipped bit and a LAST"
    )
    log.expect("damaged", "checksum-mismatch", survivors=[0, 1, 2], end=BLOCK_SIZE + 23)


@BOOK.damaged(three_synced_records, "log-number", "RDB-017", "RDB-044")
def sync_offset_lower_than_the_one_before(log: RocksLog) -> None:
    """One bit of a WAL-sync record before the highest sync offset is flipped. This is damage,
    although the last sync offset is lower.
    """
    delta = wal_sync(FULL, b"delta", 49)
    flip_the_last_synced_record(log, delta + wal_sync(FULL, b"golf", 3))
    log.expect("damaged", "checksum-mismatch", survivors=[0, 1, Kept(b"delta"), Kept(b"golf")])


@BOOK.damaged(three_synced_records, "log-number", "RDB-017", "RDB-046", kind="limit")
def sync_offset_of_64_bits(log: RocksLog) -> None:
    """A sync offset of 2^63 is unsigned and beyond the end of the file. An older record before this
    offset is damage.
    """
    log.extend(wal_sync(FULL, b"delta", 1 << 63), "a FULL with the sync offset 2^63")
    log.extend(wal_sync(FULL, b"ghost", 0, OLDER), "a FULL of log 8")
    log.expect("damaged", "other-log", survivors=[0, 1, 2, Kept(b"delta")], end=None)


@BOOK.damaged(three_synced_records, "log-number", "RDB-017", "RDB-050", kind="limit")
def sync_offset_at_a_fault(log: RocksLog) -> None:
    """The highest sync offset is the offset of a fault. The fault is not before the proven offset
    and ends the log.
    """
    flip_the_last_synced_record(log, wal_sync(FULL, b"ghost", 48))
    log.expect("torn", "torn-tail", survivors=[0, 1], end=48)


@BOOK.damaged(three_synced_records, "log-number", "RDB-017", "RDB-025", kind="limit")
def sync_offset_at_an_older_record(log: RocksLog) -> None:
    """The highest sync offset is the offset of an older record. The older record ends the log."""
    log.extend(wal_sync(FULL, b"ghost", 0, OLDER), "a FULL of log 8")
    log.fill_block()
    log.extend(wal_sync(FULL, b"ghost", 74), "a FULL with the sync offset 74")
    log.expect("intact", survivors=[0, 1, 2], end=74)


@BOOK.damaged(three_synced_records, "log-number", "RDB-017", "RDB-050", kind="limit")
def sync_offset_between_a_first_and_a_fault(log: RocksLog) -> None:
    """The proven offset is inside a FIRST, before its damaged LAST. The fault is after the proven
    offset, so the log ends at the FIRST.
    """
    log.extend(
        wal_sync(FIRST, numbered(BLOCK_SIZE - 74 - 19), 30_000), "a FIRST that fills the block"
    )
    log.extend(flipped(wal_sync(LAST, b"tail", 0)), "a LAST with a flipped bit")
    log.expect("torn", "torn-tail", survivors=[0, 1, 2], end=74)


@BOOK.damaged(three_synced_records, "log-number", "RDB-017", "RDB-041", kind="eof")
def synced_cut_before_what_was_synced(log: RocksLog) -> None:
    """A WAL-sync log ends inside a record before the proven offset. The record is torn, not
    damaged.
    """
    record = wal_sync(FULL, b"delta", 1000)
    log.extend(record + record[:-2], "a FULL and a FULL without its last 2 bytes")
    log.expect("torn", "torn-payload", survivors=[0, 1, 2, Kept(b"delta")], end=98)


@BOOK.damaged(three_synced_records, "log-number", "RDB-017", "RDB-042", kind="eof")
def synced_first_and_zeros_before_what_was_synced(log: RocksLog) -> None:
    """Zeros follow a FIRST before the proven offset of a WAL-sync log. The record is torn, not
    damaged.
    """
    log.extend(wal_sync(FIRST, b"de", 1000) + bytes(100), "a FIRST and 100 zeros")
    log.expect("torn", "torn-record", survivors=[0, 1, 2], end=74)


@BOOK.damaged(three_synced_records, "log-number", "RDB-017", "RDB-026", "RDB-042", "RDB-056")
def damaged_synced_log_closed_within_a_record(log: RocksLog) -> None:
    """A damaged WAL-sync log ends at a clean close while a record is open. `end` is null, so no
    writer may append.
    """
    delta = wal_sync(FULL, b"delta", 49)
    flip_the_last_synced_record(log, delta + wal_sync(FIRST, b"go", 3) + clean_close(12))
    log.expect("damaged", "checksum-mismatch", survivors=[0, 1, Kept(b"delta")], end=None)


@BOOK.damaged(three_synced_records, "log-number", "RDB-017", "RDB-041", "RDB-056")
def damaged_synced_log_cut(log: RocksLog) -> None:
    """A WAL-sync log with a flipped bit ends inside a record. `end` is null, so no writer may
    append.
    """
    delta = wal_sync(FULL, b"delta", 49)
    flip_the_last_synced_record(log, delta + delta[:-1])
    log.expect("damaged", "checksum-mismatch", survivors=[0, 1, Kept(b"delta")], end=None)


@BOOK.damaged(three_recyclable_records, "log-number", "RDB-033", "RDB-050")
def bad_metadata_at_the_end_of_a_recycled_log(log: RocksLog) -> None:
    """A timestamp size record with a size of 0 ends a recycled log, because the bytes may belong to
    an older log.
    """
    log.extend(pack(RECYCLABLE, 11, b"\1\0\0\0\0\0", 12), "timestamp sizes with a size of 0")
    log.fill_block()
    log.extend(recyclable(FULL, b"ghost", OLDER), "a record of log 8")
    log.expect("torn", "torn-tail", survivors=[0, 1, 2], end=50)
