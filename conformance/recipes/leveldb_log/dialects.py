"""Logs in the dialects of RocksDB and Pebble. A reader of the plain dialect refuses them."""

from conformance.recipes.leveldb_log.layout import (
    log_ends_with_its_block,
    one_record,
    three_records,
)
from conformance.recipes.leveldb_log.log import (
    DIALECTS,
    FULL,
    LevelDBLog,
    foreign,
    numbered,
    physical,
)

LOG_NUMBER = (7).to_bytes(4, "little")


@DIALECTS.valid("LDB-043", kind="limit")
def rocksdb_recyclable(log: LevelDBLog) -> None:
    """A log of RocksDB's recyclable records (type 5, header of 11 bytes) is refused."""
    for payload in (b"alpha", b"bravo"):
        log.data += foreign(5, LOG_NUMBER, payload)
    log.expect("refused", "foreign-dialect", end=None)


@DIALECTS.valid("LDB-043", kind="limit")
def rocksdb_recyclable_in_fragments(log: LevelDBLog) -> None:
    """A log that begins with a recyclable FIRST fragment (type 6) is refused."""
    log.data += foreign(6, LOG_NUMBER, bytes(32768 - 11)) + foreign(8, LOG_NUMBER, b"end")
    log.expect("refused", "foreign-dialect")


@DIALECTS.valid("LDB-043", kind="limit")
def rocksdb_recyclable_middle(log: LevelDBLog) -> None:
    """A log that begins with a recyclable MIDDLE fragment (type 7) is refused."""
    log.data += foreign(7, LOG_NUMBER, b"alpha")
    log.expect("refused", "foreign-dialect")


@DIALECTS.valid("LDB-043", kind="limit")
def rocksdb_recyclable_last(log: LevelDBLog) -> None:
    """A log that begins with a recyclable LAST fragment (type 8) is refused."""
    log.data += foreign(8, LOG_NUMBER, b"alpha")
    log.expect("refused", "foreign-dialect")


@DIALECTS.valid("LDB-043", kind="limit")
def rocksdb_timestamp_sizes_recyclable(log: LevelDBLog) -> None:
    """A log that begins with recyclable timestamp sizes (type 11, header of 11 bytes) is
    refused."""
    log.data += foreign(11, LOG_NUMBER, (3).to_bytes(4, "little") + (8).to_bytes(2, "little"))
    log.expect("refused", "foreign-dialect")


@DIALECTS.valid("LDB-043", kind="limit")
def recyclable_record_of_no_bytes(log: LevelDBLog) -> None:
    """A log that contains only one empty recyclable record (11 bytes) is refused."""
    log.data += foreign(5, LOG_NUMBER, b"")
    log.expect("refused", "foreign-dialect")


@DIALECTS.valid("LDB-043", kind="limit")
def recyclable_record_that_fills_its_block(log: LevelDBLog) -> None:
    """A log that contains only one recyclable record, which fills a block exactly, is refused."""
    log.data += foreign(5, LOG_NUMBER, numbered(32768 - 11))
    log.expect("refused", "foreign-dialect")


@DIALECTS.valid("LDB-043", kind="limit")
def rocksdb_compressed(log: LevelDBLog) -> None:
    """A log that begins with RocksDB's compression type (type 9, zstd) is refused."""
    log.data += foreign(9, b"", (7).to_bytes(4, "little"))
    log.write(b"alpha")
    log.expect("refused", "foreign-dialect")


@DIALECTS.valid("LDB-043", kind="limit")
def rocksdb_timestamp_sizes(log: LevelDBLog) -> None:
    """A log that begins with RocksDB's timestamp sizes (type 10) is refused."""
    log.data += foreign(10, b"", (3).to_bytes(4, "little") + (8).to_bytes(2, "little"))
    log.write(b"alpha")
    log.expect("refused", "foreign-dialect")


@DIALECTS.valid("LDB-043", kind="limit")
def rocksdb_timestamp_sizes_of_two_families(log: LevelDBLog) -> None:
    """A log that begins with the timestamp sizes of two column families (12 bytes, a multiple of 6)
    is refused."""
    sizes = ((family).to_bytes(4, "little") + (8).to_bytes(2, "little") for family in (3, 4))
    log.data += foreign(10, b"", b"".join(sizes))
    log.write(b"alpha")
    log.expect("refused", "foreign-dialect")


@DIALECTS.valid("LDB-043", kind="limit")
def rocksdb_predecessor_log(log: LevelDBLog) -> None:
    """A log that begins with RocksDB's predecessor information (type 130) is refused."""
    log.data += foreign(130, b"", bytes(24))
    log.write(b"alpha")
    log.expect("refused", "foreign-dialect")


@DIALECTS.valid("LDB-043", kind="limit")
def rocksdb_predecessor_log_recyclable(log: LevelDBLog) -> None:
    """A log that begins with recyclable predecessor information (type 131, header of 11 bytes) is
    refused."""
    log.data += foreign(131, LOG_NUMBER, bytes(24))
    log.expect("refused", "foreign-dialect")


@DIALECTS.valid("LDB-043", kind="limit")
def pebble_wal_sync(log: LevelDBLog) -> None:
    """A log of Pebble's WAL-sync records (type 9, header of 19 bytes) is refused."""
    for payload in (b"alpha", b"bravo"):
        log.data += foreign(9, LOG_NUMBER + bytes(8), payload)
    log.expect("refused", "foreign-dialect")


@DIALECTS.valid("LDB-043", kind="limit")
def pebble_wal_sync_first(log: LevelDBLog) -> None:
    """A log that begins with a WAL-sync FIRST fragment (type 10) is refused."""
    log.data += foreign(10, LOG_NUMBER + bytes(8), b"alpha")
    log.expect("refused", "foreign-dialect")


@DIALECTS.valid("LDB-043", kind="limit")
def pebble_wal_sync_middle(log: LevelDBLog) -> None:
    """A log that begins with a WAL-sync MIDDLE fragment (type 11) is refused."""
    log.data += foreign(11, LOG_NUMBER + bytes(8), b"alpha")
    log.expect("refused", "foreign-dialect")


@DIALECTS.valid("LDB-043", kind="limit")
def pebble_wal_sync_last(log: LevelDBLog) -> None:
    """A log that begins with a WAL-sync LAST fragment (type 12) is refused."""
    log.data += foreign(12, LOG_NUMBER + bytes(8), b"alpha")
    log.expect("refused", "foreign-dialect")


@DIALECTS.damaged(one_record, "LDB-029", "LDB-043")
def compression_type_of_five_bytes(log: LevelDBLog) -> None:
    """A record of type 9 with a plain header and five bytes of data belongs to no known dialect,
    because RocksDB writes four bytes."""
    log.splice("blocks[0].records[0]", foreign(9, b"", b"alpha"))
    log.expect("damaged", "unknown-type", end=12)


@DIALECTS.damaged(one_record, "LDB-029", "LDB-043")
def timestamp_sizes_of_five_bytes(log: LevelDBLog) -> None:
    """A record of type 10 with a plain header and five bytes of data belongs to no known dialect,
    because RocksDB writes a multiple of six bytes."""
    log.splice("blocks[0].records[0]", foreign(10, b"", b"alpha"))
    log.expect("damaged", "unknown-type", end=12)


@DIALECTS.damaged(one_record, "LDB-029", "LDB-043")
def timestamp_sizes_of_nothing(log: LevelDBLog) -> None:
    """A record of type 10 with a plain header and no data belongs to no known dialect."""
    log.splice("blocks[0].records[0]", foreign(10, b"", b""))
    log.expect("damaged", "unknown-type", end=7)


@DIALECTS.damaged(one_record, "LDB-029", "LDB-043")
def predecessor_log_of_five_bytes(log: LevelDBLog) -> None:
    """A record of type 130 with a plain header and five bytes of data belongs to no known dialect,
    because RocksDB writes 24 bytes."""
    log.splice("blocks[0].records[0]", foreign(130, b"", b"alpha"))
    log.expect("damaged", "unknown-type", end=12)


@DIALECTS.damaged(log_ends_with_its_block, "LDB-028", "LDB-043")
def recyclable_record_in_the_second_block(log: LevelDBLog) -> None:
    """A recyclable record at the start of the second block is damage, because only the first block
    determines the dialect."""
    log.extend(foreign(5, LOG_NUMBER, b"bravo"))
    log.expect("damaged", "checksum-mismatch", survivors=[0, 1], end=None)


@DIALECTS.damaged(one_record, "LDB-028", "LDB-043")
def recyclable_record_cut_by_one_byte(log: LevelDBLog) -> None:
    """A log consists of one recyclable record that lacks its last byte. A reader cannot detect the
    dialect, and reports damage."""
    record = foreign(5, LOG_NUMBER, b"alpha")[:-1]
    log.splice("blocks[0].records[0]", record)
    log.expect("damaged", "checksum-mismatch", end=None)


@DIALECTS.damaged(three_records, "LDB-028", "LDB-043")
def recyclable_records_behind_a_plain_one(log: LevelDBLog) -> None:
    """A recyclable record after a plain record is read as a plain record. The checksum does not
    match."""
    log.splice("blocks[0].records[1]", foreign(5, LOG_NUMBER, b"bravo"))
    log.expect("damaged", "checksum-mismatch", survivors=[0])
    log.bug("RocksDB loops forever, since 9.3.1")


@DIALECTS.damaged(one_record, "LDB-028", "LDB-043")
def recyclable_record_with_a_flipped_bit(log: LevelDBLog) -> None:
    """One bit of a recyclable record is flipped. A reader detects a dialect only by a valid
    checksum, so it reports damage."""
    record = bytearray(foreign(5, LOG_NUMBER, b"alpha"))
    record[-1] ^= 1
    log.splice("blocks[0].records[0]", bytes(record))
    log.expect("damaged", "checksum-mismatch")


@DIALECTS.valid("LDB-043", kind="limit")
def timestamp_sizes_recyclable_of_seven_bytes(log: LevelDBLog) -> None:
    """A log that begins with seven bytes of recyclable timestamp sizes (type 11) is refused,
    because a record of type 11 may have any length."""
    log.data += foreign(11, LOG_NUMBER, b"\x01\x02\x03\x04\x05\x06\x07")
    log.expect("refused", "foreign-dialect")


@DIALECTS.valid("LDB-043", kind="limit")
def predecessor_log_recyclable_of_eight_bytes(log: LevelDBLog) -> None:
    """A log that begins with eight bytes of recyclable predecessor information (type 131) is
    refused, because a record of type 131 may have any length."""
    log.data += foreign(131, LOG_NUMBER, b"\x01\x02\x03\x04\x05\x06\x07\x08")
    log.expect("refused", "foreign-dialect")


@DIALECTS.valid("LDB-043", kind="limit")
def pebble_wal_sync_of_no_bytes(log: LevelDBLog) -> None:
    """A log that contains only one empty WAL-sync record (19 bytes) is refused."""
    log.data += foreign(9, LOG_NUMBER + bytes(8), b"")
    log.expect("refused", "foreign-dialect")


@DIALECTS.damaged(one_record, "LDB-028", "LDB-043")
def compression_type_with_a_log_number(log: LevelDBLog) -> None:
    """A record of type 9 with a header of 11 bytes belongs to no known dialect."""
    record = foreign(9, LOG_NUMBER, (7).to_bytes(4, "little"))
    log.splice("blocks[0].records[0]", record)
    log.expect("damaged", "checksum-mismatch", end=None)


@DIALECTS.damaged(one_record, "LDB-028", "LDB-043")
def timestamp_sizes_with_a_log_number(log: LevelDBLog) -> None:
    """A record of type 10 with a header of 11 bytes belongs to no known dialect, because RocksDB
    uses type 11 for recyclable timestamp sizes."""
    record = foreign(10, LOG_NUMBER, (3).to_bytes(4, "little") + (8).to_bytes(2, "little"))
    log.splice("blocks[0].records[0]", record)
    log.expect("damaged", "checksum-mismatch", end=None)


@DIALECTS.damaged(log_ends_with_its_block, "LDB-028", "LDB-043")
def recyclable_record_after_a_lost_block(log: LevelDBLog) -> None:
    """The first block is lost, and the second block begins with a recyclable record. Only a record
    at offset 0 determines the dialect."""
    log.flip("blocks[0].records[0].data", 0)
    log.extend(foreign(5, LOG_NUMBER, b"bravo"))
    log.expect("damaged", "checksum-mismatch", survivors=[], end=None)


@DIALECTS.damaged(one_record, "LDB-028", "LDB-043", kind="limit")
def pebble_wal_sync_across_its_block(log: LevelDBLog) -> None:
    """A WAL-sync record fits into the log, but not into the first block. A reader cannot detect the
    dialect, and reports damage."""
    bravo = physical(FULL, b"bravo")
    record = foreign(9, LOG_NUMBER + bytes(8), numbered(32761 - len(bravo)) + bravo)
    assert len(record) == 32768 + len(bravo)
    log.splice("blocks[0].records[0]", record)
    log.expect("damaged", "checksum-mismatch", survivors=[b"bravo"], end=len(record))
