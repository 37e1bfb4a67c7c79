"""The eleven bytes with which Pebble closes a log."""

from conformance.recipes.rocksdb_wal.checksum import synced_blocks
from conformance.recipes.rocksdb_wal.compression import three_compressed_recyclable_records
from conformance.recipes.rocksdb_wal.layout import (
    recyclable_fragments,
    three_legacy_records,
)
from conformance.recipes.rocksdb_wal.log import (
    BLOCK_SIZE,
    BOOK,
    FULL,
    OLDER,
    WAL_SYNC,
    RocksLog,
    legacy,
    recyclable,
    wal_sync,
)
from conformance.recipes.variation import Kept
from reference_impl.rocksdb_wal.layout import clean_close


@BOOK.valid("clean-close", "RDB-026")
def recyclable_log_closed(log: RocksLog) -> None:
    """A log with 11-byte headers that was closed: a writer goes on before the trailer."""
    log.write(b"alpha", b"bravo", b"charlie")
    log.close()
    log.expect("intact", survivors=[0, 1, 2], end=50)


@BOOK.valid("clean-close", "RDB-026")
def synced_log_closed(log: RocksLog) -> None:
    """A log with 19-byte headers that was closed: the trailer still has 11 bytes."""
    log.write(b"alpha", b"bravo", b"charlie", headers=WAL_SYNC)
    log.close()
    log.expect("intact", survivors=[0, 1, 2], end=74)


@BOOK.valid("clean-close", "RDB-014", "RDB-026")
def empty_log_closed(log: RocksLog) -> None:
    """A log that was opened and closed: eleven bytes, and no record."""
    log.close()
    log.expect("intact", survivors=[], end=0)


@BOOK.valid("clean-close", "RDB-014", "RDB-026")
def empty_log_closed_and_no_number(log: RocksLog) -> None:
    """The close itself tells the number: the next log's, less one."""
    log.close(31)
    log.number_is_unknown()
    log.expect("intact", survivors=[], end=0)


@BOOK.valid("clean-close", "RDB-014", "RDB-026")
def empty_log_closed_under_its_name(log: RocksLog) -> None:
    """The same under the log's name."""
    log.close(22)
    log.is_called("000022.log")
    log.expect("intact", survivors=[], end=0)


@BOOK.valid("clean-close", "RDB-014", "RDB-026", kind="limit")
def number_at_its_largest(log: RocksLog) -> None:
    """After the number 2^32 - 1 comes 0."""
    log.context["log_number"] = 0xFFFFFFFF
    log.write(b"alpha", number=0xFFFFFFFF)
    log.close(0xFFFFFFFF)
    log.expect("intact", survivors=[0], end=16)


@BOOK.valid("clean-close", "RDB-004", "RDB-026")
def closed_where_no_header_fits(log: RocksLog) -> None:
    """Twenty bytes are left and a record takes none of them: the close stands in a new block."""
    log.fill_block_but(15, WAL_SYNC)
    log.close()
    log.expect("intact", survivors=[0], end=BLOCK_SIZE)


@BOOK.valid("clean-close", "RDB-004", "RDB-026")
def closed_inside_a_trailer(log: RocksLog) -> None:
    """A close in the last fifteen bytes of a block, where no 19-byte header fits."""
    log.fill_block_but(15, WAL_SYNC)
    log.data[BLOCK_SIZE - 15 :] = clean_close(12)
    log.expect("intact", survivors=[0], end=BLOCK_SIZE - 15)
    log.note("Pebble's writer has filled this trailer with zeros by then; its reader accepts both.")


@BOOK.valid("clean-close", "RDB-025", "RDB-026")
def closed_over_an_older_log(log: RocksLog) -> None:
    """The bytes of an older log go on after the close."""
    log.write(b"alpha", b"bravo", b"charlie")
    log.close()
    log.recycle(blocks=2)
    log.expect("intact", survivors=[0, 1, 2], end=50)


@BOOK.valid("clean-close", "RDB-019", "RDB-026")
def closed_and_preallocated(log: RocksLog) -> None:
    """Zeros follow the close: the log ends at the close, not at the zeros."""
    log.write(b"alpha", b"bravo", b"charlie")
    log.close()
    log.data += bytes(4096)
    log.expect("intact", survivors=[0, 1, 2], end=50)


@BOOK.damaged(recyclable_log_closed, "clean-close", "RDB-026", "RDB-042", kind="eof")
def closed_while_a_record_is_open(log: RocksLog) -> None:
    """A FIRST before the close: the record was never finished."""
    log.retype("blocks[0].records[2]", 6)
    log.expect("torn", "torn-record", survivors=[0, 1], end=32)


@BOOK.damaged(recyclable_log_closed, "clean-close", "RDB-026", "RDB-044")
def closed_with_the_wrong_number(log: RocksLog) -> None:
    """The close of another log is not a close, and has no right checksum either."""
    log.set("blocks[0].records[3].header.log_number", 9)
    log.expect("damaged", "checksum-mismatch", survivors=[0, 1, 2], end=None)


@BOOK.damaged(recyclable_log_closed, "clean-close", "RDB-026", "RDB-044")
def closed_with_the_own_number(log: RocksLog) -> None:
    """What log 11 left when it was closed has the number 12, and is no close of log 12."""
    log.set("blocks[0].records[3].header.log_number", 12)
    log.expect("damaged", "checksum-mismatch", survivors=[0, 1, 2], end=None)


@BOOK.damaged(synced_log_closed, "clean-close", "RDB-026", "RDB-050")
def close_flipped_in_a_synced_log(log: RocksLog) -> None:
    """One flipped bit in the close: the log ends there, but not cleanly."""
    log.flip("blocks[0].records[3].header.checksum", 0)
    log.expect("torn", "torn-tail", survivors=[0, 1, 2], end=74)


@BOOK.damaged(recyclable_log_closed, "clean-close", "RDB-026", "RDB-041", kind="eof")
def close_cut(log: RocksLog) -> None:
    """The log ends inside the close."""
    log.truncate_in("blocks[0].records[3].header", 9)
    log.expect("torn", "torn-header", survivors=[0, 1, 2], end=50)


@BOOK.damaged(three_legacy_records, "clean-close", "RDB-026", "RDB-044")
def legacy_log_closed(log: RocksLog) -> None:
    """A legacy log has no number, and so no close."""
    log.extend(clean_close(12), "a clean close")
    log.expect("damaged", "checksum-mismatch", survivors=[0, 1, 2], end=None)


@BOOK.damaged(recyclable_fragments, "clean-close", "RDB-026", "RDB-046")
def close_before_blocks_of_this_log(log: RocksLog) -> None:
    """A close where the log goes on is damage."""
    log.splice("blocks[0].records[0]", clean_close(12) + bytes(5), "a clean close")
    log.expect("damaged", "other-log", survivors=[2])


@BOOK.damaged(synced_blocks, "clean-close", "RDB-026", "RDB-046")
def close_before_what_was_synced(log: RocksLog) -> None:
    """A close before the proven offset of a WAL-sync log is damage."""
    log.splice("blocks[0].records[1]", clean_close(12) + bytes(13), "a clean close")
    log.expect("damaged", "other-log", survivors=[0, 3, 4, 5])


@BOOK.valid("clean-close", "RDB-014", "RDB-026")
def empty_log_closed_with_a_large_number(log: RocksLog) -> None:
    """All four bytes of the number count."""
    log.close(0x12345678)
    log.number_is_unknown()
    log.expect("intact", survivors=[], end=0)


@BOOK.damaged(recyclable_log_closed, "clean-close", "RDB-014", "RDB-026", "RDB-044")
def close_of_another_log_first(log: RocksLog) -> None:
    """The number is known, so that a close of another log at the start does not tell it."""
    log.splice("blocks[0].records[0]", clean_close(31) + bytes(5), "a close of log 31")
    log.expect("damaged", "checksum-mismatch", survivors=[], end=None)


@BOOK.damaged(three_compressed_recyclable_records, "clean-close", "RDB-014", "RDB-026", "RDB-044")
def close_after_the_compression_type_and_no_number(log: RocksLog) -> None:
    """Nothing tells the number, and a close that is not at the start does not either."""
    log.number_is_unknown()
    log.truncate_in("blocks[0].records[1]", 0)
    log.extend(clean_close(12), "a clean close")
    log.expect("damaged", "checksum-mismatch", survivors=[], end=None)


@BOOK.valid("clean-close", "RDB-016", "RDB-026", kind="limit")
def ignorable_type_in_the_block_after_a_close(log: RocksLog) -> None:
    """A block that begins with a record of no dialect does not prove that the log goes on."""
    log.close()
    log.data += bytes(BLOCK_SIZE - 11) + legacy(200, b"ghost")
    log.expect("intact", survivors=[], end=0)


@BOOK.valid("clean-close", "RDB-014", "RDB-026", kind="limit")
def empty_log_closed_with_number_zero(log: RocksLog) -> None:
    """The number in the close is 0, so that this log has 2^32 - 1."""
    log.close(0xFFFFFFFF)
    log.number_is_unknown()
    log.expect("intact", survivors=[], end=0)


@BOOK.valid("clean-close", "RDB-014", "RDB-026")
def closed_over_older_blocks_and_no_number(log: RocksLog) -> None:
    """The close tells the number, before any record does."""
    log.close()
    log.data += bytes(BLOCK_SIZE - 11) + recyclable(FULL, b"ghost", OLDER)
    log.data += recyclable(FULL, b"ghost")
    log.number_is_unknown()
    log.expect("intact", survivors=[], end=0)


@BOOK.valid("clean-close", "RDB-004", "RDB-026", kind="limit")
def trailer_that_begins_like_a_close(log: RocksLog) -> None:
    """The last byte of the close would be in the next block: a trailer, and a record."""
    log.fill_block_but(10, WAL_SYNC)
    log.data[-10:] = clean_close(12)[:10]
    tries = (b"bravo %d" % number for number in range(10_000))
    bravo = next(data for data in tries if not wal_sync(FULL, data, BLOCK_SIZE)[0])
    log.write(Kept(bravo), headers=WAL_SYNC)
    log.expect("intact", survivors=[0, 1])
