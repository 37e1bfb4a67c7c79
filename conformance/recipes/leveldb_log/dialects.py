"""Logs of RocksDB and Pebble: refused, because their headers are longer than they look."""

from conformance.recipes.leveldb_log.layout import one_record, three_records
from conformance.recipes.leveldb_log.log import BOOK, LevelDBLog, foreign

LOG_NUMBER = (7).to_bytes(4, "little")


@BOOK.valid("dialects", "LDB-043", kind="limit")
def rocksdb_recyclable(log: LevelDBLog) -> None:
    """A log of RocksDB's recyclable records (type 5, header of 11 bytes) is refused."""
    for payload in (b"alpha", b"bravo"):
        log.data += foreign(5, LOG_NUMBER, payload)
    log.expect("refused", "foreign-dialect", end=None)


@BOOK.valid("dialects", "LDB-043", kind="limit")
def rocksdb_recyclable_in_fragments(log: LevelDBLog) -> None:
    """A log that begins with a recyclable FIRST fragment (type 6) is refused."""
    log.data += foreign(6, LOG_NUMBER, bytes(32768 - 11)) + foreign(8, LOG_NUMBER, b"end")
    log.expect("refused", "foreign-dialect")


@BOOK.valid("dialects", "LDB-043", kind="limit")
def rocksdb_compressed(log: LevelDBLog) -> None:
    """A log that begins with RocksDB's compression type (type 9, zstd) is refused."""
    log.data += foreign(9, b"", (7).to_bytes(4, "little"))
    log.write(b"alpha")
    log.expect("refused", "foreign-dialect")


@BOOK.valid("dialects", "LDB-043", kind="limit")
def rocksdb_timestamp_sizes(log: LevelDBLog) -> None:
    """A log that begins with RocksDB's timestamp sizes (type 10) is refused."""
    log.data += foreign(10, b"", (3).to_bytes(4, "little") + (8).to_bytes(2, "little"))
    log.write(b"alpha")
    log.expect("refused", "foreign-dialect")


@BOOK.valid("dialects", "LDB-043", kind="limit")
def rocksdb_predecessor_log(log: LevelDBLog) -> None:
    """A log that begins with RocksDB's predecessor information (type 130) is refused."""
    log.data += foreign(130, b"", bytes(24))
    log.write(b"alpha")
    log.expect("refused", "foreign-dialect")


@BOOK.valid("dialects", "LDB-043", kind="limit")
def rocksdb_predecessor_log_recyclable(log: LevelDBLog) -> None:
    """A log that begins with type 131, whose header has 11 bytes, is refused."""
    log.data += foreign(131, LOG_NUMBER, bytes(24))
    log.expect("refused", "foreign-dialect")


@BOOK.valid("dialects", "LDB-043", kind="limit")
def pebble_wal_sync(log: LevelDBLog) -> None:
    """A log of Pebble's WAL-sync records (type 9, header of 19 bytes) is refused."""
    for payload in (b"alpha", b"bravo"):
        log.data += foreign(9, LOG_NUMBER + bytes(8), payload)
    log.expect("refused", "foreign-dialect")


@BOOK.damaged(three_records, "dialects", "LDB-028", "LDB-043")
def recyclable_records_behind_a_plain_one(log: LevelDBLog) -> None:
    """A recyclable record after a plain one is damage: its plain checksum fails."""
    log.splice("blocks[0].records[1]", foreign(5, LOG_NUMBER, b"bravo"), "a recyclable record")
    log.expect("damaged", "checksum-mismatch", survivors=[0])
    log.bug("RocksDB from 9.4 hangs")


@BOOK.damaged(one_record, "dialects", "LDB-028", "LDB-043")
def recyclable_record_with_a_flipped_bit(log: LevelDBLog) -> None:
    """A foreign header counts only when its own checksum holds; otherwise it is damage."""
    record = bytearray(foreign(5, LOG_NUMBER, b"alpha"))
    record[-1] ^= 1
    log.splice("blocks[0].records[0]", bytes(record), "a recyclable record with a flipped bit")
    log.expect("damaged", "checksum-mismatch")
