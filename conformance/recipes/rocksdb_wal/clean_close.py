"""Pebble's clean close, the 11 bytes that end a closed log."""

from conformance.recipes.rocksdb_wal.checksum import synced_blocks
from conformance.recipes.rocksdb_wal.compression import three_compressed_recyclable_records
from conformance.recipes.rocksdb_wal.layout import recyclable_fragments, three_legacy_records
from conformance.recipes.rocksdb_wal.log import (
    BLOCK_SIZE,
    CLEAN_CLOSE,
    FULL,
    OLDER,
    WAL_SYNC,
    RocksLog,
    legacy,
    recyclable,
    wal_sync,
)
from reference_impl.rocksdb_wal.layout import clean_close


@CLEAN_CLOSE.valid("RDB-026")
def recyclable_log_closed(log: RocksLog) -> None:
    """A closed recyclable log. A writer appends at the offset of the clean close."""
    log.write(b"alpha", b"bravo", b"charlie")
    log.close()
    log.expect("intact", survivors=[0, 1, 2], end=50)


@CLEAN_CLOSE.valid("RDB-026")
def synced_log_closed(log: RocksLog) -> None:
    """A closed WAL-sync log. The clean close is 11 bytes long, as in a recyclable log."""
    log.write(b"alpha", b"bravo", b"charlie", headers=WAL_SYNC)
    log.close()
    log.expect("intact", survivors=[0, 1, 2], end=74)


@CLEAN_CLOSE.valid("RDB-014", "RDB-026")
def empty_log_closed(log: RocksLog) -> None:
    """A closed log without records consists of the 11 bytes of the clean close."""
    log.close()
    log.expect("intact", survivors=[], end=0)


@CLEAN_CLOSE.valid("RDB-014", "RDB-026")
def empty_log_closed_and_no_number(log: RocksLog) -> None:
    """The number of a closed log without records is the number in the clean close minus one."""
    log.close(31)
    log.number_is_unknown()
    log.expect("intact", survivors=[], end=0)


@CLEAN_CLOSE.valid("RDB-014", "RDB-026")
def empty_log_closed_under_its_name(log: RocksLog) -> None:
    """A closed log without records. The log number comes from the file name."""
    log.close(22)
    log.is_called("000022.log")
    log.expect("intact", survivors=[], end=0)


@CLEAN_CLOSE.valid("RDB-014", "RDB-026", kind="limit")
def number_at_its_largest(log: RocksLog) -> None:
    """A closed log with number 2^32 - 1. The number in the clean close is 0."""
    log.context["log_number"] = 0xFFFFFFFF
    log.write(b"alpha", number=0xFFFFFFFF)
    log.close(0xFFFFFFFF)
    log.expect("intact", survivors=[0], end=16)


@CLEAN_CLOSE.valid("RDB-004", "RDB-026")
def closed_where_no_header_fits(log: RocksLog) -> None:
    """A clean close at the start of the second block, after a trailer of 15 bytes in a WAL-sync
    log."""
    log.fill_block_but(15, WAL_SYNC)
    log.close()
    log.expect("intact", survivors=[0], end=BLOCK_SIZE)


@CLEAN_CLOSE.valid("RDB-004", "RDB-026")
def closed_inside_a_trailer(log: RocksLog) -> None:
    """A clean close at the start of a trailer of 15 bytes in a WAL-sync log."""
    log.fill_block_but(15, WAL_SYNC)
    log.data[BLOCK_SIZE - 15 :] = clean_close(12)
    log.expect("intact", survivors=[0], end=BLOCK_SIZE - 15)
    log.note(
        "Pebble's writer fills this trailer with zeros before it closes a log. Pebble's reader"
        " accepts zeros and a clean close here."
    )


@CLEAN_CLOSE.valid("RDB-025", "RDB-026")
def closed_over_an_older_log(log: RocksLog) -> None:
    """Records of an older log follow the clean close. The log ends at the clean close."""
    log.write(b"alpha", b"bravo", b"charlie")
    log.close()
    log.recycle(blocks=2)
    log.expect("intact", survivors=[0, 1, 2], end=50)


@CLEAN_CLOSE.valid("RDB-019", "RDB-026")
def closed_and_preallocated(log: RocksLog) -> None:
    """Zeros follow the clean close. The log ends at the clean close, not at the zeros."""
    log.write(b"alpha", b"bravo", b"charlie")
    log.close()
    log.data += bytes(4096)
    log.expect("intact", survivors=[0, 1, 2], end=50)


CLEAN_CLOSE.table("""
closed_while_a_record_is_open: recyclable_log_closed RDB-026 RDB-042
    A clean close follows a FIRST. The record is torn.
    retype: blocks[0].records[2], R_FIRST
    expect: torn torn-record, survivors 0 1, end 32
closed_with_the_wrong_number: recyclable_log_closed RDB-026 RDB-050 corrupt
    The clean close has the number 9, not 13. It does not close log 12, and its checksum does not
    match.
    damage: set blocks[0].records[3].header.log_number to 9
    expect: torn torn-tail, survivors 0-2, end 50
closed_with_the_own_number: recyclable_log_closed RDB-026 RDB-050 corrupt
    The clean close has the number 12, not 13. It closes log 11, not log 12.
    damage: set blocks[0].records[3].header.log_number to 12
    expect: torn torn-tail, survivors 0-2, end 50
close_flipped_in_a_synced_log: synced_log_closed RDB-026 RDB-050 corrupt
    One bit of the checksum of the clean close of a WAL-sync log is flipped. The clean close becomes
    a torn tail.
    damage: flip bit 0 of blocks[0].records[3].header.checksum
    expect: torn torn-tail, survivors 0-2, end 74
close_cut: recyclable_log_closed RDB-026 RDB-041
    The log ends inside the clean close.
    damage: truncate 9 bytes into blocks[0].records[3].header
    expect: torn torn-header, survivors 0-2, end 50
""")


@CLEAN_CLOSE.damaged(three_legacy_records, "RDB-026", "RDB-044")
def legacy_log_closed(log: RocksLog) -> None:
    """A clean close in a legacy log is damage, because a legacy log has no number."""
    log.extend(clean_close(12))
    log.expect("damaged", "checksum-mismatch", survivors=[0, 1, 2], end=None)


@CLEAN_CLOSE.damaged(recyclable_fragments, "RDB-026", "RDB-046")
def close_before_blocks_of_this_log(log: RocksLog) -> None:
    """A clean close in the first block of a recyclable log is damage if later blocks belong to this
    log."""
    log.splice("blocks[0].records[0]", clean_close(12) + bytes(5))
    log.expect("damaged", "other-log", survivors=[2])


@CLEAN_CLOSE.damaged(synced_blocks, "RDB-026", "RDB-046")
def close_before_what_was_synced(log: RocksLog) -> None:
    """A clean close before the proven offset of a WAL-sync log is damage."""
    log.splice("blocks[0].records[1]", clean_close(12) + bytes(13))
    log.expect("damaged", "other-log", survivors=[0, 3, 4, 5])


@CLEAN_CLOSE.valid("RDB-014", "RDB-026")
def empty_log_closed_with_a_large_number(log: RocksLog) -> None:
    """The number in the clean close of a log without records is 0x12345679. All four bytes
    count."""
    log.close(0x12345678)
    log.number_is_unknown()
    log.expect("intact", survivors=[], end=0)


@CLEAN_CLOSE.damaged(recyclable_log_closed, "RDB-014", "RDB-026", "RDB-044")
def close_of_another_log_first(log: RocksLog) -> None:
    """A log begins with the clean close of log 31, but the given number is 12. The clean close is
    damage."""
    log.splice("blocks[0].records[0]", clean_close(31) + bytes(5))
    log.expect("damaged", "checksum-mismatch", survivors=[], end=None)


@CLEAN_CLOSE.damaged(three_compressed_recyclable_records, "RDB-014", "RDB-026", "RDB-044")
def close_after_the_compression_type_and_no_number(log: RocksLog) -> None:
    """A clean close follows a compression record, and no log number is known. The clean close is
    damage."""
    log.number_is_unknown()
    log.truncate_in("blocks[0].records[1]", 0)
    log.extend(clean_close(12))
    log.expect("damaged", "checksum-mismatch", survivors=[], end=None)


@CLEAN_CLOSE.valid("RDB-016", "RDB-026", kind="limit")
def ignorable_type_in_the_block_after_a_close(log: RocksLog) -> None:
    """A record of type 200 at the start of the block after a clean close does not prove that the
    log continues."""
    log.close()
    log.data += bytes(BLOCK_SIZE - 11) + legacy(200, b"ghost")
    log.expect("intact", survivors=[], end=0)


@CLEAN_CLOSE.valid("RDB-014", "RDB-026", kind="limit")
def empty_log_closed_with_number_zero(log: RocksLog) -> None:
    """The number in the clean close of a log without records is 0, so the log number is 2^32 -
    1."""
    log.close(0xFFFFFFFF)
    log.number_is_unknown()
    log.expect("intact", survivors=[], end=0)


@CLEAN_CLOSE.valid("RDB-014", "RDB-026")
def closed_over_older_blocks_and_no_number(log: RocksLog) -> None:
    """The log number comes from a clean close at offset 0, not from records in a later block."""
    log.close()
    log.data += bytes(BLOCK_SIZE - 11) + recyclable(FULL, b"ghost", OLDER)
    log.number_is_unknown()
    log.expect("intact", survivors=[], end=0)


@CLEAN_CLOSE.valid("RDB-004", "RDB-026", kind="limit")
def trailer_that_begins_like_a_close(log: RocksLog) -> None:
    """A trailer of ten bytes and the first byte of the next block look like a clean close. A clean
    close never crosses the end of a block."""
    log.fill_block_but(10, WAL_SYNC)
    log.data[-10:] = clean_close(12)[:10]
    tries = (b"bravo %d" % number for number in range(10_000))
    bravo = next(data for data in tries if not wal_sync(FULL, data, BLOCK_SIZE)[0])
    log.write(bravo, headers=WAL_SYNC)
    log.expect("intact", survivors=[0, 1])
