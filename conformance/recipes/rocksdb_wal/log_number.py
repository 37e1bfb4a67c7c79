"""The end of a recycled log, and records of another log."""

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
    """A log in a file that held an older one: a sound record of that log ends this one."""
    log.write(*THREE)
    log.recycle(blocks=2)
    log.expect("intact", survivors=[0, 1, 2], end=50)


@BOOK.valid("log-number", "RDB-015", "RDB-025")
def older_records_of_the_same_size(log: RocksLog) -> None:
    """An older log of equal records: the first that was not written over ends the log."""
    log.write(*[b"%05d" % number for number in range(20)])
    log.data += recyclable(FULL, b"ghost", OLDER) * 100
    log.expect("intact", survivors=list(range(20)), end=320)


@BOOK.damaged(recycled_log, "log-number", "RDB-050", kind="eof")
def older_log_out_of_step(log: RocksLog) -> None:
    """The end is the middle of an older record: those bytes may also be an unfinished write."""
    log.shows("stale-tail")
    log.out_of_step(50)
    log.expect("torn", "torn-tail", survivors=[0, 1, 2], end=50)


@BOOK.damaged(three_recyclable_records, "log-number", "RDB-050", "RDB-056", kind="limit")
def older_log_within_the_last_block(log: RocksLog) -> None:
    """Nothing but a block boundary shows an older log: in the last block, its bytes are damage."""
    text = OLDER_TEXT[:4] + b"\x40\0" + OLDER_TEXT[6:]
    log.extend(text + bytes(range(256)), "text of an older record")
    log.expect("damaged", "checksum-mismatch", survivors=[0, 1, 2], end=None)
    log.note("A limit of the format: undamaged recycled logs look like this as well.")


@BOOK.damaged(three_recyclable_records, "log-number", "RDB-044", "RDB-050", kind="limit")
def older_record_within_the_last_block(log: RocksLog) -> None:
    """A sound older record after a fault proves nothing: a lost record may have had it as data."""
    text = OLDER_TEXT[:4] + b"\x40\0" + OLDER_TEXT[6:]
    log.extend(text + recyclable(FULL, b"ghost", OLDER) + bytes(range(100)), "an older log")
    log.expect("damaged", "checksum-mismatch", survivors=[0, 1, 2], end=None)


@BOOK.valid("log-number", "RDB-025")
def older_log_at_a_block_boundary(log: RocksLog) -> None:
    """The log fills its block, and the next block is the older log's."""
    log.fill_block_but(0)
    log.recycle(blocks=2)
    log.expect("intact", survivors=[0], end=BLOCK_SIZE)


@BOOK.valid("log-number", "RDB-004", "RDB-025")
def older_log_after_a_trailer(log: RocksLog) -> None:
    """Bytes of the older log are in the trailer, which is skipped; then its record ends the log."""
    log.fill_block_but(9)
    log.data += OLDER_TEXT[:9]
    log.recycle(blocks=2)
    log.expect("intact", survivors=[0], end=BLOCK_SIZE)


@BOOK.valid("log-number", "RDB-015", "RDB-025")
def newer_record_at_the_end(log: RocksLog) -> None:
    """A higher number is another log as well."""
    log.write(*THREE)
    log.data += recyclable(FULL, b"ghost", 4000)
    log.expect("intact", survivors=[0, 1, 2], end=50)


@BOOK.valid("log-number", "RDB-015", "RDB-025")
def next_number_at_the_end(log: RocksLog) -> None:
    """A whole record of the next log ends the log like any other."""
    log.write(*THREE)
    log.data += recyclable(FULL, b"ghost", 13)
    log.expect("intact", survivors=[0, 1, 2], end=50)


@BOOK.damaged(recycled_log, "log-number", "RDB-042", "RDB-025", kind="eof")
def first_then_older_record(log: RocksLog) -> None:
    """The writer died between two fragments, and the older log goes on."""
    log.retype("blocks[0].records[2]", R_FIRST)
    log.expect("torn", "torn-record", survivors=[0, 1], end=32)


@BOOK.damaged(recycled_log, "log-number", "RDB-050", kind="eof")
def first_then_older_log_out_of_step(log: RocksLog) -> None:
    """The same, but the older log is out of step: the range begins at the FIRST."""
    log.retype("blocks[0].records[2]", R_FIRST)
    log.out_of_step(50)
    log.expect("torn", "torn-tail", survivors=[0, 1], end=32)


@BOOK.damaged(recycled_log, "log-number", "RDB-050", kind="limit")
def last_record_of_a_recycled_log_flipped(log: RocksLog) -> None:
    """Damage to the last record of a recycled log looks like its end."""
    log.flip("blocks[0].records[2].data", 4)
    log.expect("torn", "torn-tail", survivors=[0, 1], end=32)


@BOOK.damaged(recycled_log, "log-number", "RDB-050", kind="eof")
def torn_record_over_an_older_log(log: RocksLog) -> None:
    """Half of a record was written over an older log, whose second block ends the lost range."""
    log.shows("torn-last-record")
    log.out_of_step(46)
    left = -len(log.data) % BLOCK_SIZE - RECYCLABLE_HEADER_SIZE
    log.extend(recyclable(FULL, numbered(left), OLDER), "the rest of a block of the older log")
    log.extend(recyclable(FULL, b"ghost", OLDER), "the start of another")
    log.expect("torn", "torn-tail", survivors=[0, 1], end=32)


@BOOK.valid("log-number", "RDB-016")
def recycled_blocks(log: RocksLog) -> None:
    """Three blocks of a log in a file that held an older one of four."""
    log.write(b"alpha", numbered(33_000), b"charlie", numbered(33_000), b"echo")
    log.recycle(blocks=4)
    log.expect("intact", survivors=[0, 1, 2, 3, 4])


def older_block() -> bytes:
    """Return a block of the older log: one record."""
    return recyclable(FULL, numbered(BLOCK_SIZE - 11), OLDER)


@BOOK.damaged(recycled_blocks, "log-number", "RDB-016", "RDB-040", "RDB-044")
def first_record_of_a_recycled_log_flipped(log: RocksLog) -> None:
    """Later blocks belong to this log, so a fault in the first is damage, not the end."""
    log.flip("blocks[0].records[0].data", 1)
    log.expect("damaged", "checksum-mismatch", survivors=[2, 3, 4])


@BOOK.damaged(recycled_blocks, "log-number", "RDB-046", "RDB-048")
def first_block_never_written(log: RocksLog) -> None:
    """The first block still is the older log's, and later ones are this log's."""
    log.is_called("000012.log")
    log.splice("blocks[0]", older_block(), "a block of the older log")
    log.expect("damaged", "other-log", survivors=[2, 3, 4])
    log.bug("RocksDB ends the log at once, without a report")


@BOOK.damaged(recycled_blocks, "log-number", "RDB-046", "RDB-051")
def middle_block_never_written(log: RocksLog) -> None:
    """A write of a block was lost, and the older log shows through."""
    log.shows("lost-write")
    log.splice("blocks[1]", older_block(), "a block of the older log")
    log.expect("damaged", "other-log", survivors=[0, 4])


@BOOK.damaged(recycled_blocks, "log-number", "RDB-042", "RDB-025")
def last_block_never_written(log: RocksLog) -> None:
    """The last block of the log is the older log's: the log ends before it."""
    log.splice("blocks[2]", older_block(), "a block of the older log")
    log.expect("torn", "torn-record", survivors=[0, 1, 2])


@BOOK.valid("log-number", "RDB-014", "RDB-025")
def file_renamed_and_not_written(log: RocksLog) -> None:
    """The name has a new number, and the file is all an older log's: the new log is empty."""
    log.recycle(blocks=2)
    log.is_called("000013.log")
    log.expect("intact", survivors=[], end=0)


@BOOK.damaged(recycled_log, "log-number", "RDB-014", "RDB-050", "RDB-015", kind="eof")
def torn_first_record_of_a_recycled_file(log: RocksLog) -> None:
    """The first write of log 14 over log 12 did not finish: the name tells the number."""
    log.data[:30] = recyclable(FULL, b"x" * 40, 14)[:30]
    log.did("begin a record of log 14")
    log.is_called("000014.log")
    log.expect("torn", "torn-tail", survivors=[], end=0)


@BOOK.valid("log-number", "RDB-014")
def number_from_the_first_record(log: RocksLog) -> None:
    """Neither name nor context: the first record tells the number."""
    log.write(*THREE)
    log.data += recyclable(FULL, b"ghost", OLDER)
    log.number_is_unknown()
    log.expect("intact", survivors=[0, 1, 2], end=50)


@BOOK.valid("log-number", "RDB-014")
def number_from_the_first_synced_record(log: RocksLog) -> None:
    """The same with 19-byte headers."""
    log.write(*THREE, headers=WAL_SYNC)
    log.data += wal_sync(FULL, b"ghost", 0, OLDER)
    log.number_is_unknown()
    log.expect("intact", survivors=[0, 1, 2], end=74)


@BOOK.damaged(recycled_blocks, "log-number", "RDB-014", "RDB-016")
def number_from_the_next_block(log: RocksLog) -> None:
    """The first record is damaged: the next block tells the number."""
    log.flip("blocks[0].records[0].data", 1)
    log.number_is_unknown()
    log.expect("damaged", "checksum-mismatch", survivors=[2, 3, 4])


@BOOK.valid("log-number", "RDB-014")
def name_of_a_failover(log: RocksLog) -> None:
    """Pebble's second file of log 15 after a failover has the same number."""
    log.write(*THREE, number=15, headers=WAL_SYNC)
    log.is_called("000015-001.log")
    log.expect("intact", survivors=[0, 1, 2])


@BOOK.valid("log-number", "RDB-014", "RDB-025")
def number_from_the_context(log: RocksLog) -> None:
    """The context comes before the name."""
    log.write(*THREE, number=16)
    log.data += recyclable(FULL, b"ghost", 17)
    log.is_called("000017.log")
    log.context["log_number"] = 16
    log.expect("intact", survivors=[0, 1, 2], end=50)


@BOOK.valid("log-number", "RDB-014", kind="limit")
def number_above_32_bits(log: RocksLog) -> None:
    """Headers have the low half of the number."""
    log.write(*THREE)
    log.context["log_number"] = (7 << 32) + 12
    log.expect("intact", survivors=[0, 1, 2])


@BOOK.damaged(recycled_log, "log-number", "RDB-015", "RDB-050")
def first_record_of_a_short_recycled_log_flipped(log: RocksLog) -> None:
    """With its number known, the log may have ended before its first record."""
    log.flip("blocks[0].records[0].data", 1)
    log.expect("torn", "torn-tail", survivors=[], end=0)


@BOOK.damaged(recycled_log, "log-number", "RDB-014", kind="limit")
def first_record_flipped_and_no_number(log: RocksLog) -> None:
    """Nothing tells the number but the blocks of the older log: its records are returned."""
    log.number_is_unknown()
    log.flip("blocks[0].records[0].data", 1)
    log.expect("damaged", "checksum-mismatch", survivors=[Kept(OLDER_TEXT)])
    log.note("With the number 12 from name or context, the answer is torn-tail at 0.")


@BOOK.damaged(three_recyclable_records, "log-number", "RDB-007", "RDB-047")
def legacy_record_in_a_recyclable_log(log: RocksLog) -> None:
    """A sound record without a number cannot belong to a log whose records have one."""
    log.extend(legacy(FULL, b"ghost"), "a legacy FULL")
    log.expect("damaged", "unknown-type", survivors=[0, 1, 2], end=62)
    log.bug("RocksDB and Pebble return it")


@BOOK.damaged(recycled_log, "log-number", "RDB-007", "RDB-050")
def legacy_record_in_what_an_older_log_left(log: RocksLog) -> None:
    """What a client once stored lies at the end of the log, and looks like a legacy record."""
    ghost = legacy(FULL, b"ghost")
    log.data[50 : 50 + len(ghost)] = ghost
    log.did("put a legacy FULL into the older bytes at 50")
    log.expect("torn", "torn-tail", survivors=[0, 1, 2], end=50)
    log.bug("RocksDB and Pebble return it")


@BOOK.valid("log-number", "RDB-015", "RDB-025")
def older_recyclable_log_after_a_synced_one(log: RocksLog) -> None:
    """The file was written before the format was upgraded: 11-byte headers follow the end."""
    log.write(*THREE, headers=WAL_SYNC)
    log.data += recyclable(FULL, b"ghost", OLDER)
    log.expect("intact", survivors=[0, 1, 2], end=74)


@BOOK.damaged(three_synced_records, "log-number", "RDB-007", "RDB-047", "RDB-050")
def recyclable_record_in_a_synced_log(log: RocksLog) -> None:
    """A record of this number with an 11-byte header is not of this dialect."""
    log.extend(recyclable(FULL, b"ghost"), "a recyclable FULL")
    log.expect("torn", "torn-tail", survivors=[0, 1, 2], end=74)


@BOOK.damaged(three_recyclable_records, "log-number", "RDB-006", "RDB-007", "RDB-044")
def synced_record_in_a_recyclable_log(log: RocksLog) -> None:
    """Type 9 has a 7-byte header in this dialect: the checksum cannot be right."""
    log.extend(wal_sync(FULL, b"ghost", 0), "a WAL-sync FULL")
    log.expect("damaged", "checksum-mismatch", survivors=[0, 1, 2], end=None)


@BOOK.damaged(recyclable_fragments, "log-number", "RDB-015", "RDB-025", "RDB-042")
def last_of_another_log(log: RocksLog) -> None:
    """A LAST with another number does not complete the record."""
    log.set("blocks[2].records[0].header.log_number", OLDER)
    log.reseal("blocks[2].records[0]")
    log.expect("torn", "torn-record", survivors=[0])


@BOOK.damaged(three_synced_records, "log-number", "RDB-015", "RDB-025")
def synced_record_of_another_log(log: RocksLog) -> None:
    """A WAL-sync record with another number ends the log."""
    log.set("blocks[0].records[2].header.log_number", OLDER)
    log.reseal("blocks[0].records[2]", is_sync=True)
    log.expect("intact", survivors=[0, 1], end=48)


@BOOK.damaged(three_synced_records, "log-number", "RDB-017", "RDB-046")
def synced_record_of_another_log_before_a_proof(log: RocksLog) -> None:
    """The record after it says that this log was synced further."""
    log.set("blocks[0].records[1].header.log_number", OLDER)
    log.reseal("blocks[0].records[1]", is_sync=True)
    log.expect("damaged", "other-log", survivors=[0], end=None)


@BOOK.damaged(recyclable_fragments, "log-number", "RDB-046", "RDB-050", "RDB-056")
def older_block_before_the_last_fault(log: RocksLog) -> None:
    """An older log before a fault does not make it the end of this log."""
    log.splice("blocks[1]", older_block(), "a block of the older log")
    log.flip("blocks[2].records[1].data", 1)
    log.expect("damaged", "other-log", survivors=[0], end=None)


@BOOK.valid("log-number", "RDB-014")
def name_that_only_begins_like_a_logs(log: RocksLog) -> None:
    """A copy under another name: the first record tells the number."""
    log.write(*THREE)
    log.is_called("000011.log-copy")
    log.expect("intact", survivors=[0, 1, 2])


@BOOK.valid("log-number", "RDB-015", "RDB-030")
def compression_type_over_an_older_log(log: RocksLog) -> None:
    """Nothing but the compression type was written over an older log."""
    log.data += pack("legacy", 9, b"\x07\0\0\0") + recyclable(FULL, b"ghost", OLDER)
    log.expect("intact", survivors=[], end=11)


@BOOK.valid("log-number", "RDB-013", "RDB-014", "RDB-025")
def synced_file_renamed_and_not_written(log: RocksLog) -> None:
    """The file has no record of this log, and an older one with 19-byte headers ends it at 0."""
    log.data += wal_sync(FULL, b"ghost", 0, OLDER)
    log.is_called("000023.log")
    log.expect("intact", survivors=[], end=0)


@BOOK.damaged(recyclable_log_ends_with_its_block, "log-number", "RDB-006", "RDB-050")
def older_synced_log_after_a_recyclable_one(log: RocksLog) -> None:
    """Type 9 has a 7-byte header in this log, and no later block begins with an older record."""
    log.extend(wal_sync(FULL, b"ghost", 0, OLDER), "a WAL-sync record of log 8")
    log.expect("damaged", "checksum-mismatch", survivors=[0], end=None)


@BOOK.damaged(three_recyclable_records, "log-number", "RDB-044", "RDB-050")
def older_record_that_is_not_first_in_its_block(log: RocksLog) -> None:
    """A later block has a record of an older log, but does not begin with it."""
    log.flip("blocks[0].records[2].data", 1)
    log.fill_block()
    log.extend(legacy(200, b"ghost") + recyclable(FULL, b"ghost", OLDER), "two physical records")
    log.expect("damaged", "checksum-mismatch", survivors=[0, 1], end=BLOCK_SIZE + 12)


@BOOK.damaged(synced_log_ends_with_its_trailer, "log-number", "RDB-046", "RDB-050", "RDB-056")
def torn_tail_after_a_block_never_written(log: RocksLog) -> None:
    """A torn tail does not end at a block of another log that comes before it."""
    log.set("blocks[0].records[0].header.log_number", OLDER)
    log.reseal("blocks[0].records[0]")
    log.extend(wal_sync(FULL, b"bravo", BLOCK_SIZE) + b"\xff" * 19, "a record, and 19 bytes ff")
    log.expect("damaged", "other-log", survivors=[Kept(b"bravo")], end=None)


def alpha_then_log(log: RocksLog, next_number: int, name: str) -> None:
    """Build a record of log 12 and one of another log, in a file of this name."""
    log.write(b"alpha")
    log.data += recyclable(FULL, b"ghost", next_number)
    log.is_called(name)


@BOOK.valid("log-number", "RDB-014", kind="limit")
def name_with_a_leading_zero(log: RocksLog) -> None:
    """Seven digits do not begin with 0: neither system writes or opens such a name."""
    alpha_then_log(log, 31, "0000031.log")
    log.expect("intact", survivors=[0], end=16)


@BOOK.valid("log-number", "RDB-014", kind="limit")
def name_of_two_digits(log: RocksLog) -> None:
    """Fewer than six digits are not a log's name."""
    alpha_then_log(log, 32, "32.log")
    log.expect("intact", survivors=[0], end=16)


@BOOK.valid("log-number", "RDB-014", kind="limit")
def name_with_a_letter_before_it(log: RocksLog) -> None:
    """The number must be the whole name."""
    alpha_then_log(log, 33, "x000033.log")
    log.expect("intact", survivors=[0], end=16)


@BOOK.valid("log-number", "RDB-014", kind="limit")
def name_of_a_part_with_one_digit(log: RocksLog) -> None:
    """The number of a part has at least three digits."""
    alpha_then_log(log, 34, "000034-1.log")
    log.expect("intact", survivors=[0], end=16)


@BOOK.valid("log-number", "RDB-014", kind="limit")
def name_of_a_part_with_a_leading_zero(log: RocksLog) -> None:
    """Four digits of a part do not begin with 0."""
    alpha_then_log(log, 35, "000035-0001.log")
    log.expect("intact", survivors=[0], end=16)


@BOOK.valid("log-number", "RDB-014", kind="limit")
def name_above_64_bits(log: RocksLog) -> None:
    """2^64 + 13 is not the number of a log."""
    alpha_then_log(log, 13, f"{2**64 + 13}.log")
    log.expect("intact", survivors=[0], end=16)


@BOOK.valid("log-number", "RDB-014", kind="limit")
def name_of_64_bits(log: RocksLog) -> None:
    """2^64 - 100 has 64 bits and counts: all of this file is from another log."""
    alpha_then_log(log, 31, f"{2**64 - 100}.log")
    log.expect("intact", survivors=[], end=0)


@BOOK.valid("log-number", "RDB-014", kind="limit")
def name_of_seven_digits(log: RocksLog) -> None:
    """A name of seven digits counts: all of this file is from another log."""
    alpha_then_log(log, 31, "1000036.log")
    log.expect("intact", survivors=[], end=0)


@BOOK.valid("log-number", "RDB-014", kind="limit")
def name_of_a_part_with_four_digits(log: RocksLog) -> None:
    """Part 1000 of log 37 has nothing of its own yet."""
    alpha_then_log(log, 31, "000037-1000.log")
    log.expect("intact", survivors=[], end=0)


@BOOK.valid("log-number", "RDB-014", kind="limit")
def number_zero_given(log: RocksLog) -> None:
    """0 is a number like any other, and not that of these records."""
    log.write(b"alpha")
    log.context["log_number"] = 0
    log.expect("intact", survivors=[], end=0)


@BOOK.valid("log-number", "RDB-014", kind="limit")
def number_of_54_bits_given(log: RocksLog) -> None:
    """2^53 + 1: the low half is 1, also where numbers are floating-point."""
    log.write(b"alpha", number=1)
    log.context["log_number"] = 2**53 + 1
    log.expect("intact", survivors=[0])


@BOOK.valid("log-number", "RDB-014", kind="limit")
def number_of_33_bits_given(log: RocksLog) -> None:
    """The low half of 2^32 + 12 counts, and the record has 13."""
    log.write(b"alpha", number=13)
    log.context["log_number"] = 2**32 + 12
    log.expect("intact", survivors=[], end=0)


@BOOK.valid("log-number", "RDB-014", "RDB-015")
def number_from_the_preceding_log_record(log: RocksLog) -> None:
    """The first physical record with a number decides, also if it is metadata."""
    log.data += pack(RECYCLABLE, 131, bytes(24), OLDER) + recyclable(FULL, b"ghost")
    log.number_is_unknown()
    log.expect("intact", survivors=[], end=35)


@BOOK.damaged(three_recyclable_records, "log-number", "RDB-025", "RDB-048")
def last_of_another_log_alone(log: RocksLog) -> None:
    """A LAST of another log ends this log. It is no orphan of this one."""
    log.extend(recyclable(LAST, b"ghost", OLDER), "a LAST of log 8")
    log.expect("intact", survivors=[0, 1, 2], end=50)


@BOOK.damaged(three_synced_records, "log-number", "RDB-006", "RDB-025")
def preceding_log_record_of_another_log(log: RocksLog) -> None:
    """Type 131 has an 11-byte header also in a WAL-sync log, and there a number."""
    log.extend(pack(RECYCLABLE, 131, bytes(24), OLDER), "type 131 of log 8")
    log.expect("intact", survivors=[0, 1, 2], end=74)


def flip_before_a_block(log: RocksLog, block: bytes) -> None:
    """Damage the last record of the control, then add this block and one of an older log."""
    log.flip("blocks[0].records[2].data", 1)
    log.fill_block()
    log.extend(block, "a block")
    log.extend(recyclable(FULL, b"ghost", OLDER), "a record of log 8")


@BOOK.damaged(three_recyclable_records, "log-number", "RDB-016", "RDB-050")
def block_that_begins_with_metadata(log: RocksLog) -> None:
    """Metadata of this log at the start of a block prove that the log was written there."""
    metadata = pack(RECYCLABLE, 131, bytes(24), 12)
    rest = Kept(numbered(BLOCK_SIZE - len(metadata) - 11))
    flip_before_a_block(log, metadata + recyclable(FULL, rest))
    log.expect("damaged", "checksum-mismatch", survivors=[0, 1, rest], end=2 * BLOCK_SIZE)


@BOOK.damaged(three_recyclable_records, "log-number", "RDB-016", "RDB-050", kind="limit")
def block_that_begins_with_a_legacy_record(log: RocksLog) -> None:
    """A record without a number proves nothing: the log may have ended at the fault."""
    flip_before_a_block(log, legacy(FULL, numbered(BLOCK_SIZE - 7)))
    log.expect("torn", "torn-tail", survivors=[0, 1], end=32)


@BOOK.damaged(three_recyclable_records, "log-number", "RDB-016", "RDB-050", kind="limit")
def block_that_begins_with_a_synced_record(log: RocksLog) -> None:
    """A record of another dialect proves nothing, also with the number of this log."""
    flip_before_a_block(log, wal_sync(FULL, numbered(BLOCK_SIZE - 19), 0))
    log.expect("torn", "torn-tail", survivors=[0, 1], end=32)


def flip_the_last_synced_record(log: RocksLog, then: bytes) -> None:
    """Damage the third record, which begins at 48, and begin the next block with these bytes."""
    log.flip("blocks[0].records[2].data", 1)
    log.fill_block()
    log.extend(then, "the next block")


@BOOK.damaged(three_synced_records, "log-number", "RDB-015", "RDB-017", "RDB-050")
def sync_offset_of_an_older_log(log: RocksLog) -> None:
    """A recycled file: a sync offset of an older log does not count."""
    flip_the_last_synced_record(log, wal_sync(FULL, b"ghost", 60_000, OLDER))
    log.expect("torn", "torn-tail", survivors=[0, 1], end=48)


@BOOK.damaged(three_synced_records, "log-number", "RDB-050")
def recyclable_block_after_a_synced_log(log: RocksLog) -> None:
    """The older log has 11-byte headers, also in type 11: its first block ends the range."""
    flip_the_last_synced_record(log, pack(RECYCLABLE, 11, b"\1\0\0\0\x08\0", OLDER))
    log.expect("torn", "torn-tail", survivors=[0, 1], end=48)


@BOOK.damaged(three_synced_records, "log-number", "RDB-017", "RDB-044")
def sync_offset_in_a_last(log: RocksLog) -> None:
    """Every fragment counts: only the LAST says that more than the start was synced."""
    first = wal_sync(FIRST, numbered(BLOCK_SIZE - 74 - 19), 74)
    log.extend(flipped(first) + wal_sync(LAST, b"tail", 75), "a FIRST with a flipped bit, a LAST")
    log.expect("damaged", "checksum-mismatch", survivors=[0, 1, 2], end=BLOCK_SIZE + 23)


@BOOK.damaged(three_synced_records, "log-number", "RDB-017", "RDB-044")
def sync_offset_lower_than_the_one_before(log: RocksLog) -> None:
    """The highest sync offset counts, and not the last."""
    delta = wal_sync(FULL, b"delta", 49)
    flip_the_last_synced_record(log, delta + wal_sync(FULL, b"golf", 3))
    log.expect("damaged", "checksum-mismatch", survivors=[0, 1, Kept(b"delta"), Kept(b"golf")])


@BOOK.damaged(three_synced_records, "log-number", "RDB-017", "RDB-046", kind="limit")
def sync_offset_of_64_bits(log: RocksLog) -> None:
    """2^63 is unsigned, and may lie beyond the file: the older record is before it."""
    log.extend(wal_sync(FULL, b"delta", 1 << 63), "a FULL with the sync offset 2^63")
    log.extend(wal_sync(FULL, b"ghost", 0, OLDER), "a FULL of log 8")
    log.expect("damaged", "other-log", survivors=[0, 1, 2, Kept(b"delta")], end=None)


@BOOK.damaged(three_synced_records, "log-number", "RDB-017", "RDB-050", kind="limit")
def sync_offset_at_a_fault(log: RocksLog) -> None:
    """All before the fault was synced, so that the log may end at it."""
    flip_the_last_synced_record(log, wal_sync(FULL, b"ghost", 48))
    log.expect("torn", "torn-tail", survivors=[0, 1], end=48)


@BOOK.damaged(three_synced_records, "log-number", "RDB-017", "RDB-025", kind="limit")
def sync_offset_at_an_older_record(log: RocksLog) -> None:
    """All before the older record was synced: it ends the log."""
    log.extend(wal_sync(FULL, b"ghost", 0, OLDER), "a FULL of log 8")
    log.fill_block()
    log.extend(wal_sync(FULL, b"ghost", 74), "a FULL with the sync offset 74")
    log.expect("intact", survivors=[0, 1, 2], end=74)


@BOOK.damaged(three_synced_records, "log-number", "RDB-017", "RDB-050", kind="limit")
def sync_offset_between_a_first_and_a_fault(log: RocksLog) -> None:
    """The place of the fault counts, and not that of the FIRST before it."""
    log.extend(wal_sync(FIRST, numbered(BLOCK_SIZE - 74 - 19), 30_000), "a FIRST to the next block")
    log.extend(flipped(wal_sync(LAST, b"tail", 0)), "a LAST with a flipped bit")
    log.expect("torn", "torn-tail", survivors=[0, 1, 2], end=74)


@BOOK.damaged(three_synced_records, "log-number", "RDB-017", "RDB-041", kind="eof")
def synced_cut_before_what_was_synced(log: RocksLog) -> None:
    """A cut record is a torn tail, also before the proven offset."""
    record = wal_sync(FULL, b"delta", 1000)
    log.extend(record + record[:-2], "a FULL, and another without 2 bytes")
    log.expect("torn", "torn-payload", survivors=[0, 1, 2, Kept(b"delta")], end=98)


@BOOK.damaged(three_synced_records, "log-number", "RDB-017", "RDB-042", kind="eof")
def synced_first_and_zeros_before_what_was_synced(log: RocksLog) -> None:
    """An open record before zeros is a torn tail, also before the proven offset."""
    log.extend(wal_sync(FIRST, b"de", 1000) + bytes(100), "a FIRST, 100 zeros")
    log.expect("torn", "torn-record", survivors=[0, 1, 2], end=74)


@BOOK.damaged(three_synced_records, "log-number", "RDB-017", "RDB-026", "RDB-042", "RDB-056")
def damaged_synced_log_closed_within_a_record(log: RocksLog) -> None:
    """A damaged WAL-sync log that a close ended, with a record open: no writer may go on."""
    delta = wal_sync(FULL, b"delta", 49)
    flip_the_last_synced_record(log, delta + wal_sync(FIRST, b"go", 3) + clean_close(12))
    log.expect("damaged", "checksum-mismatch", survivors=[0, 1, Kept(b"delta")], end=None)


@BOOK.damaged(three_synced_records, "log-number", "RDB-017", "RDB-041", "RDB-056")
def damaged_synced_log_cut(log: RocksLog) -> None:
    """A damaged WAL-sync log that is cut: no writer may go on."""
    delta = wal_sync(FULL, b"delta", 49)
    flip_the_last_synced_record(log, delta + delta[:-1])
    log.expect("damaged", "checksum-mismatch", survivors=[0, 1, Kept(b"delta")], end=None)


@BOOK.damaged(three_recyclable_records, "log-number", "RDB-033", "RDB-050")
def bad_metadata_at_the_end_of_a_recycled_log(log: RocksLog) -> None:
    """Metadata with a size of 0 may also be the bytes of an older log."""
    log.extend(pack(RECYCLABLE, 11, b"\1\0\0\0\0\0", 12), "timestamp sizes: 0")
    log.fill_block()
    log.extend(recyclable(FULL, b"ghost", OLDER), "a record of log 8")
    log.expect("torn", "torn-tail", survivors=[0, 1, 2], end=50)
