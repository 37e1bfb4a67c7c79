"""Logs of write batches. Unlike a log reader, a database opens only such logs."""

from conformance.recipes.rocksdb_wal.log import (
    BLOCK_SIZE,
    BOOK,
    FULL,
    OLDER,
    WAL_SYNC,
    RocksLog,
    recyclable,
)
from conformance.recipes.rocksdb_wal.real_logs import put
from reference_impl.rocksdb_wal.layout import HEADER_SIZES

GROUP = "write-batches"
THREE = [
    put(101 + n, b"key%d" % n, value) for n, value in enumerate((b"alpha", b"bravo", b"charlie"))
]
#: A put that fills a block takes its value from these bytes.
LONGEST = bytes(range(256)) * 128


def fill_block_with_a_put(log: RocksLog, sequence: int, headers: str) -> None:
    """Write a put that ends at the end of its block."""
    room = BLOCK_SIZE - len(log.data) - HEADER_SIZES[headers]
    batch = put(sequence, b"filler", b"")[:-1]
    size = room - len(batch) - 3
    length = bytes([size & 0x7F | 0x80, size >> 7 & 0x7F | 0x80, size >> 14])
    log.write(batch + length + LONGEST[:size], headers=headers)


@BOOK.group(GROUP).valid("RDB-010")
def three_batches(log: RocksLog) -> None:
    """Three puts in a recyclable log."""
    log.write(*THREE)
    log.expect("intact", survivors=[0, 1, 2])


@BOOK.group(GROUP).valid("RDB-010")
def three_synced_batches(log: RocksLog) -> None:
    """Three puts in a WAL-sync log, each synced before the next."""
    log.write(*THREE, headers=WAL_SYNC)
    log.expect("intact", survivors=[0, 1, 2])


@BOOK.group(GROUP).valid("RDB-026")
def three_synced_batches_and_a_close(log: RocksLog) -> None:
    """Three puts in a closed WAL-sync log."""
    log.write(*THREE, headers=WAL_SYNC)
    end = len(log.data)
    log.close()
    log.expect("intact", survivors=[0, 1, 2], end=end)


@BOOK.group(GROUP).valid("RDB-015", "RDB-025")
def batches_over_an_older_log(log: RocksLog) -> None:
    """Three puts of this log, then a put of an older log in the same file."""
    log.write(*THREE)
    end = len(log.data)
    log.data += recyclable(FULL, put(31, b"key3", b"older"), OLDER)
    log.expect("intact", survivors=[0, 1, 2], end=end)


@BOOK.group(GROUP).valid("RDB-010")
def batch_without_operations(log: RocksLog) -> None:
    """A batch without operations, as Pebble's LogData writes it, is a record."""
    empty = put(102, b"", b"")[:8] + bytes(4)
    log.write(THREE[0], empty, put(102, b"key1", b"bravo"))
    log.expect("intact", survivors=[0, 1, 2])
    log.note("Such a batch has the same sequence number as the next batch.")


@BOOK.group(GROUP).valid("RDB-003")
def two_blocks_of_batches(log: RocksLog) -> None:
    """Puts in two blocks of a recyclable log."""
    log.write(*THREE[:2])
    fill_block_with_a_put(log, 103, "recyclable")
    log.write(put(104, b"key3", b"delta"))
    log.expect("intact", survivors=[0, 1, 2, 3])


@BOOK.group(GROUP).valid("RDB-003")
def two_synced_blocks_of_batches(log: RocksLog) -> None:
    """Puts in two blocks of a WAL-sync log."""
    log.write(*THREE[:2], headers=WAL_SYNC)
    fill_block_with_a_put(log, 103, WAL_SYNC)
    log.write(put(104, b"key3", b"delta"), headers=WAL_SYNC)
    log.expect("intact", survivors=[0, 1, 2, 3])


@BOOK.group(GROUP).damaged(three_batches, "RDB-041", kind="corrupt")
def last_batch_torn(log: RocksLog) -> None:
    """The log ends inside its last put."""
    log.shows("torn-last-record")
    log.truncate_in("blocks[0].records[2].data", 10)
    log.expect("torn", "torn-payload", survivors=[0, 1])


@BOOK.group(GROUP).damaged(three_batches, "RDB-044")
def first_batch_flipped(log: RocksLog) -> None:
    """One bit of the first put is flipped. The rest of the only block is lost."""
    log.flip("blocks[0].records[0].data", 8 * 18)
    log.expect("damaged", "checksum-mismatch", survivors=[])


@BOOK.group(GROUP).damaged(three_batches, "RDB-044")
def batch_flipped(log: RocksLog) -> None:
    """One bit of the second put is flipped in the only block of a recyclable log."""
    log.flip("blocks[0].records[1].data", 8 * 18)
    log.expect("damaged", "checksum-mismatch", survivors=[0])


@BOOK.group(GROUP).damaged(three_synced_batches, "RDB-017", "RDB-044", kind="corrupt")
def synced_batch_flipped(log: RocksLog) -> None:
    """One bit of the second put is flipped in the only block of a WAL-sync log. No surveyed record
    proves that the put was synced."""
    log.flip("blocks[0].records[1].data", 8 * 18)
    log.expect("torn", "torn-tail", survivors=[0])


@BOOK.group(GROUP).damaged(three_batches, "RDB-026", "RDB-062")
def batch_with_the_next_log_number(log: RocksLog) -> None:
    """One bit of the log number of the second put is flipped, which gives the number of the next
    log. The checksum matches with the number of this log."""
    log.flip("blocks[0].records[1].header.log_number", 0)
    log.expect("damaged", "bad-number", survivors=[0, 1, 2])


@BOOK.group(GROUP).damaged(three_batches, "RDB-010")
def batch_twice(log: RocksLog) -> None:
    """The last put occurs twice. The format cannot detect this."""
    log.shows("unit-twice")
    log.duplicate("blocks[0].records[2]")
    log.expect("intact", survivors=[0, 1, 2, 2])


@BOOK.group(GROUP).damaged(two_blocks_of_batches, "RDB-016", "RDB-044")
def batch_flipped_in_the_first_of_two_blocks(log: RocksLog) -> None:
    """One bit of the second put is flipped. The next block belongs to this log, so this is
    damage."""
    log.shows("bit-in-a-payload")
    log.flip("blocks[0].records[1].data", 8 * 18)
    log.expect("damaged", "checksum-mismatch", survivors=[0, 3])


@BOOK.group(GROUP).damaged(two_synced_blocks_of_batches, "RDB-017", "RDB-044")
def synced_batch_flipped_in_the_first_of_two_blocks(log: RocksLog) -> None:
    """One bit of the second put in a WAL-sync log is flipped. The next block proves that the put
    was synced, so this is damage."""
    log.shows("bit-in-a-payload")
    log.flip("blocks[0].records[1].data", 8 * 18)
    log.expect("damaged", "checksum-mismatch", survivors=[0, 3])
