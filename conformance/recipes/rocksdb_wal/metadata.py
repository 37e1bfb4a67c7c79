"""Metadata in RocksDB logs: timestamp sizes and the preceding log."""

from conformance.recipes.rocksdb_wal.compression import (
    COMPRESSION_TYPE,
    ZSTD,
    framed,
    no_compression_announced,
    three_compressed_recyclable_records,
)
from conformance.recipes.rocksdb_wal.layout import (
    recyclable_fragments_within_one_block,
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
    METADATA,
    OLDER,
    RECYCLABLE,
    RocksLog,
    legacy,
    recyclable,
)
from conformance.recipes.zstd_frames import frame
from reference_impl.rocksdb_wal.layout import PREDECESSOR_INFO, TIMESTAMP_SIZE, pack

TIMESTAMPS = 10
PRECEDING = 130


def sizes(*pairs: tuple[int, int], headers: str = LEGACY, number: int = 12) -> bytes:
    """Return a timestamp size record."""
    data = b"".join(TIMESTAMP_SIZE.pack(*pair) for pair in pairs)
    return pack(headers, TIMESTAMPS + (headers == RECYCLABLE), data, number)


def preceding(*values: int, headers: str = LEGACY) -> bytes:
    """Return a preceding log record."""
    return pack(headers, PRECEDING + (headers == RECYCLABLE), PREDECESSOR_INFO.pack(*values), 12)


@METADATA.valid("RDB-009", "RDB-033")
def timestamp_sizes_first(log: RocksLog) -> None:
    """A timestamp size record before the first record of a legacy log."""
    log.data += sizes((0, 8))
    log.write(b"alpha", b"bravo", headers=LEGACY)
    log.expect("intact", survivors=[0, 1])


@METADATA.valid("RDB-009", "RDB-033")
def recyclable_timestamp_sizes_first(log: RocksLog) -> None:
    """A timestamp size record before the first record of a recyclable log."""
    log.data += sizes((0, 8), headers=RECYCLABLE)
    log.write(b"alpha", b"bravo")
    log.expect("intact", survivors=[0, 1])


@METADATA.valid("RDB-033")
def timestamp_sizes_of_three_families(log: RocksLog) -> None:
    """Two timestamp size records, the first for two column families and the second for a third
    column family."""
    log.data += sizes((0, 8), (7, 16))
    log.write(b"alpha", headers=LEGACY)
    log.data += sizes((1, 8))
    log.write(b"bravo", headers=LEGACY)
    log.expect("intact", survivors=[0, 1])


@METADATA.valid("RDB-009", "RDB-034")
def preceding_log_first(log: RocksLog) -> None:
    """A preceding log record before the first record of a legacy log."""
    log.data += preceding(4, 137, 6)
    log.write(b"alpha", b"bravo", headers=LEGACY)
    log.expect("intact", survivors=[0, 1])


@METADATA.valid("RDB-009", "RDB-034")
def recyclable_preceding_log_first(log: RocksLog) -> None:
    """A preceding log record before the first record of a recyclable log."""
    log.data += preceding(4, 137, 6, headers=RECYCLABLE)
    log.write(b"alpha", b"bravo")
    log.expect("intact", survivors=[0, 1])


@METADATA.valid("RDB-009", "RDB-030", "RDB-033", "RDB-034")
def everything_rocksdb_says(log: RocksLog) -> None:
    """A compression record, a preceding log record and a timestamp size record before two records.
    Only the two records are compressed."""
    log.data += ZSTD + preceding(4, 137, 6) + sizes((0, 8))
    framed(log, b"alpha", b"bravo")
    log.expect("intact", survivors=[0, 1])


@METADATA.valid("RDB-009")
def metadata_last(log: RocksLog) -> None:
    """A log that ends with a timestamp size record."""
    log.write(b"alpha", headers=LEGACY)
    log.data += sizes((0, 8))
    log.expect("intact", survivors=[0], end=25)


@METADATA.valid("RDB-063")
def metadata_moved_to_the_next_block(log: RocksLog) -> None:
    """A timestamp size record of 13 bytes does not fit into the last 12 bytes of a block. The 12
    zeros are framing."""
    log.fill_block_but(12, LEGACY)
    log.write(b"bravo", headers=LEGACY, timestamp_sizes={"0": 8})
    log.expect("intact", survivors=[0, 1])


@METADATA.valid("RDB-063")
def recyclable_metadata_moved_to_the_next_block(log: RocksLog) -> None:
    """A preceding log record of 35 bytes does not fit into the last 30 bytes of a block. The 30
    zeros are framing."""
    log.fill_block_but(30)
    log.write(b"bravo", predecessor={"log_number": "4", "size": "137", "last_sequence": "6"})
    log.expect("intact", survivors=[0, 1])


@METADATA.damaged(metadata_moved_to_the_next_block, "RDB-063", "RDB-045")
def more_zeros_than_metadata_need(log: RocksLog) -> None:
    """A block ends in 13 zeros before a timestamp size record of 13 bytes. The record would have
    fitted, so the zeros are a gap."""
    log.splice("blocks[0].records[0]", b"")
    log.data[0:0] = legacy(FULL, b"a" * (BLOCK_SIZE - 7 - 13)) + b"\0"
    log.expect("damaged", "zero-gap", survivors=[b"a" * (BLOCK_SIZE - 20), 1])


@METADATA.damaged(metadata_moved_to_the_next_block, "RDB-063", "RDB-045")
def zeros_before_a_record(log: RocksLog) -> None:
    """A block ends in 12 zeros before a FULL. Writers move only metadata to the next block, so the
    zeros are a gap."""
    log.splice("blocks[1].records[0]", legacy(FULL, b"charlie"))
    log.expect("damaged", "zero-gap", survivors=[0, b"charlie", 1])


@METADATA.damaged(timestamp_sizes_first, "RDB-033")
def timestamp_sizes_of_five_bytes(log: RocksLog) -> None:
    """A timestamp size record with five bytes of data, not a multiple of six, is invalid."""
    log.splice("blocks[0].records[0]", legacy(TIMESTAMPS, b"\0\0\0\0\x08"))
    log.expect("damaged", "bad-metadata", survivors=[0, 1])


@METADATA.damaged(timestamp_sizes_first, "RDB-033")
def timestamp_sizes_of_nothing(log: RocksLog) -> None:
    """A timestamp size record without data is invalid."""
    log.splice("blocks[0].records[0]", legacy(TIMESTAMPS, b""))
    log.expect("damaged", "bad-metadata", survivors=[0, 1])


@METADATA.damaged(timestamp_sizes_first, "RDB-033")
def timestamp_size_zero(log: RocksLog) -> None:
    """A timestamp size record with a size of 0 is invalid. The other size in the record does not
    count either."""
    log.splice("blocks[0].records[0]", sizes((0, 8), (1, 0)))
    log.expect("damaged", "bad-metadata", survivors=[0, 1])


@METADATA.damaged(timestamp_sizes_first, "RDB-033")
def column_family_twice_in_a_record(log: RocksLog) -> None:
    """A timestamp size record with two sizes for one column family is invalid."""
    log.splice("blocks[0].records[0]", sizes((3, 8), (3, 16)))
    log.expect("damaged", "bad-metadata", survivors=[0, 1])


@METADATA.damaged(timestamp_sizes_of_three_families, "RDB-033")
def column_family_twice_in_a_log(log: RocksLog) -> None:
    """A second timestamp size record for the same column family is invalid. The first size
    counts."""
    log.splice("blocks[0].records[2]", sizes((7, 24)))
    log.expect("damaged", "bad-metadata", survivors=[0, 1])


@METADATA.damaged(preceding_log_first, "RDB-034")
def preceding_log_of_23_bytes(log: RocksLog) -> None:
    """A preceding log record with 23 bytes of data is invalid, because one byte is missing."""
    log.splice("blocks[0].records[0]", legacy(PRECEDING, bytes(23)))
    log.expect("damaged", "bad-metadata", survivors=[0, 1])


@METADATA.damaged(recyclable_timestamp_sizes_first, "RDB-015", "RDB-025")
def timestamp_sizes_of_another_log(log: RocksLog) -> None:
    """A timestamp size record with the number of another log ends the log."""
    log.extend(sizes((1, 8), headers=RECYCLABLE, number=OLDER))
    log.expect("intact", survivors=[0, 1], end=49)


@METADATA.damaged(recyclable_fragments_within_one_block, "RDB-049", "RDB-052")
def metadata_in_the_middle_of_a_record(log: RocksLog) -> None:
    """A timestamp size record is between a FIRST and a LAST. A reader must not join the FIRST and
    the LAST."""
    log.splice("blocks[0].records[1]", sizes((0, 8), headers=RECYCLABLE))
    log.expect("damaged", "incomplete-record", survivors=[1])
    log.bug("RocksDB drops the FIRST, and returns the LAST's data as a record")


@METADATA.valid("RDB-049")
def metadata_after_an_empty_first(log: RocksLog) -> None:
    """A timestamp size record follows an empty FIRST. No data is lost, so the log is intact."""
    log.write(b"alpha")
    log.data += recyclable(FIRST, b"") + sizes((0, 8), headers=RECYCLABLE)
    log.write(b"bravo")
    log.expect("intact", survivors=[0, 1])


@METADATA.damaged(three_legacy_records, "RDB-006", "RDB-047")
def recyclable_timestamp_sizes_in_a_legacy_log(log: RocksLog) -> None:
    """A recyclable timestamp size record (type 11) in a legacy log has an unknown type."""
    log.hangs_upstream()
    log.splice("blocks[0].records[1]", sizes((0, 8), headers=RECYCLABLE))
    log.expect("damaged", "unknown-type", survivors=[0, 2])
    log.bug("RocksDB 9.3.1 and later read the same header forever")


@METADATA.damaged(recyclable_timestamp_sizes_first, "RDB-006", "RDB-047")
def legacy_timestamp_sizes_in_a_recyclable_log(log: RocksLog) -> None:
    """A legacy timestamp size record (type 10) in a recyclable log has an unknown type."""
    log.splice("blocks[0].records[1]", sizes((1, 8)))
    log.expect("damaged", "unknown-type", survivors=[1])


@METADATA.damaged(three_synced_records, "RDB-006", "RDB-047", "RDB-050", kind="corrupt")
def preceding_log_in_a_synced_log(log: RocksLog) -> None:
    """A preceding log record in a WAL-sync log has an unknown type and ends the log."""
    log.extend(preceding(4, 137, 6))
    log.expect("torn", "torn-tail", survivors=[0, 1, 2], end=74)


@METADATA.valid("RDB-034")
def preceding_log_twice(log: RocksLog) -> None:
    """Two preceding log records come before a record. The second preceding log record counts."""
    log.data += preceding(4, 137, 6) + preceding(5, 140, 7)
    log.write(b"alpha", headers=LEGACY)
    log.expect("intact", survivors=[0])


@METADATA.valid("RDB-033", kind="limit")
def timestamp_sizes_at_their_largest(log: RocksLog) -> None:
    """A timestamp size record with column families of 32 bits and sizes of 16 bits. The numbers are
    unsigned."""
    log.data += sizes((0xFFFFFFFF, 0xFFFF), (0x80000000, 0x8000))
    log.write(b"alpha", headers=LEGACY)
    log.expect("intact", survivors=[0])


@METADATA.valid("RDB-034", kind="limit")
def preceding_log_at_its_largest(log: RocksLog) -> None:
    """A preceding log record with three numbers of 64 bits. The numbers are unsigned."""
    log.data += preceding(2**64 - 1, 2**64 - 2, 2**64 - 3)
    log.write(b"alpha", headers=LEGACY)
    log.expect("intact", survivors=[0])


@METADATA.damaged(preceding_log_first, "RDB-034")
def preceding_log_of_30_bytes(log: RocksLog) -> None:
    """A preceding log record with 30 bytes of data is invalid, although timestamp sizes may have
    this length."""
    log.splice("blocks[0].records[0]", legacy(PRECEDING, bytes(30)))
    log.expect("damaged", "bad-metadata", survivors=[0, 1])


@METADATA.damaged(three_legacy_records, "RDB-006", "RDB-011", "RDB-047")
def recyclable_preceding_log_in_a_legacy_log(log: RocksLog) -> None:
    """A recyclable preceding log record (type 131) in a legacy log has an unknown type and is not
    ignorable."""
    log.hangs_upstream()
    log.splice("blocks[0].records[1]", preceding(4, 137, 6, headers=RECYCLABLE))
    log.expect("damaged", "unknown-type", survivors=[0, 2])
    log.bug("RocksDB 9.3.1 and later read the same header forever")


@METADATA.damaged(metadata_after_an_empty_first, "RDB-048", "RDB-049", "RDB-052")
def last_after_an_empty_first_and_metadata(log: RocksLog) -> None:
    """Metadata between an empty FIRST and a LAST ends the open record. The LAST is an orphan."""
    log.splice("blocks[0].records[3]", recyclable(LAST, b"bravo"))
    log.expect("damaged", "orphan-fragment", survivors=[0])


METADATA.table("""
timestamp_sizes_flipped: timestamp_sizes_of_three_families RDB-044
    One bit of a timestamp size record is flipped. The rest of the block is lost.
    damage: flip bit 1 of blocks[0].records[2].data
    expect: damaged checksum-mismatch, survivors 0
record_after_metadata_lost: timestamp_sizes_of_three_families RDB-009 RDB-031
    The record after a timestamp size record is lost. The timestamp sizes apply to the next record.
    retype: blocks[0].records[1], 103
    expect: damaged unknown-type, survivors 1
zeros_before_metadata_of_another_log: recyclable_metadata_moved_to_the_next_block RDB-063 RDB-046
    A block ends in 30 zeros before metadata of another log. The zeros are a gap, not framing. The
    record of this log after the metadata is returned.
    damage: set blocks[1].records[0].header.log_number to 8
    damage: reseal blocks[1].records[0]
    expect: damaged zero-gap, survivors 0 1
zeros_before_damaged_metadata: metadata_moved_to_the_next_block RDB-063 RDB-044 RDB-045
    A block ends in 12 zeros before damaged metadata. The zeros are a gap.
    damage: flip bit 0 of blocks[1].records[0].data
    expect: damaged zero-gap, survivors 0, end none
""")


@METADATA.damaged(recyclable_timestamp_sizes_first, "RDB-033")
def column_family_twice_and_again(log: RocksLog) -> None:
    """A timestamp size record that contains one column family twice is invalid. A later record for
    this column family is valid."""
    log.extend(
        sizes((1, 8), (1, 8), headers=RECYCLABLE) + recyclable(FULL, b"charlie"),
    )
    log.extend(
        sizes((1, 8), headers=RECYCLABLE) + recyclable(FULL, b"delta"),
    )
    log.expect("damaged", "bad-metadata", survivors=[0, 1, b"charlie", b"delta"])


@METADATA.damaged(three_recyclable_records, "RDB-033", "RDB-048", "RDB-051")
def bad_timestamp_sizes_in_the_middle_of_a_record(log: RocksLog) -> None:
    """An invalid timestamp size record ends the open record. Valid timestamp sizes before the open
    record apply to the next record."""
    again = sizes((1, 8), headers=RECYCLABLE)
    log.extend(again + recyclable(FIRST, b"de"))
    log.extend(again + recyclable(LAST, b"lta"))
    log.extend(recyclable(FULL, b"echo"))
    log.expect("damaged", "bad-metadata", survivors=[0, 1, 2, b"echo"])


@METADATA.damaged(three_compressed_recyclable_records, "RDB-033", "RDB-034", "RDB-036")
def record_after_metadata_without_a_frame(log: RocksLog) -> None:
    """The record after metadata cannot be decompressed. The metadata applies to the next record."""
    log.extend(sizes((1, 8), headers=RECYCLABLE))
    log.extend(preceding(1, 2, 3, headers=RECYCLABLE))
    log.extend(recyclable(FULL, b"no frame") + recyclable(FULL, frame(b"delta")))
    log.expect("damaged", "bad-compression", survivors=[0, 1, 2, b"delta"])


def zeros_but(log: RocksLog, left: int) -> None:
    """Fill the block of a legacy log with a record and ``left`` zeros."""
    size = BLOCK_SIZE - len(log.data) - 7 - left
    log.extend(legacy(FULL, bytes(size)) + bytes(left))


@METADATA.damaged(three_legacy_records, "RDB-011", "RDB-063", "RDB-045")
def zeros_before_an_ignorable_type(log: RocksLog) -> None:
    """A block ends in 20 zeros before an ignorable record. Writers move only metadata to the next
    block, so the zeros are a gap."""
    zeros_but(log, 20)
    log.extend(legacy(140, bytes(22)))
    filler = bytes(BLOCK_SIZE - 38 - 7 - 20)
    log.expect("damaged", "zero-gap", survivors=[0, 1, 2, filler])


@METADATA.damaged(three_legacy_records, "RDB-063", "RDB-030")
def zeros_before_a_late_compression_type(log: RocksLog) -> None:
    """A block ends in eight zeros before a compression record. The zeros are a gap, because no
    writer moves a compression record to the next block."""
    zeros_but(log, 8)
    log.extend(ZSTD)
    filler = bytes(BLOCK_SIZE - 38 - 7 - 8)
    log.expect("damaged", "zero-gap", survivors=[0, 1, 2, filler])


@METADATA.damaged(no_compression_announced, "RDB-063", "RDB-030", "RDB-045")
def zeros_between_compression_records(log: RocksLog) -> None:
    """The only record is zeroed, so the log has no dialect. The zeros reach to a compression record
    that fills the next block, and are a gap."""
    log.zero("blocks[0].records[1]")
    log.fill_block()
    log.extend(pack(LEGACY, COMPRESSION_TYPE, bytes(BLOCK_SIZE - 7)))
    log.expect("damaged", "zero-gap", survivors=[])


@METADATA.damaged(three_legacy_records, "RDB-063", "RDB-049")
def zeros_in_a_record_before_metadata(log: RocksLog) -> None:
    """A block ends with eight zeros between a FIRST and metadata. The metadata ends the open
    record, and the zeros are framing."""
    size = BLOCK_SIZE - len(log.data) - 7 - 8
    log.extend(legacy(FIRST, bytes(size)) + bytes(8))
    log.extend(sizes((1, 8)) + legacy(FULL, b"delta"))
    log.expect("damaged", "incomplete-record", survivors=[0, 1, 2, b"delta"])


@METADATA.damaged(three_legacy_records, "RDB-063", "RDB-045")
def block_of_zeros_before_metadata(log: RocksLog) -> None:
    """A whole block of zeros comes before metadata. Writers move metadata by less than a block, so
    the zeros are a gap."""
    zeros_but(log, 8)
    log.extend(bytes(BLOCK_SIZE))
    log.extend(sizes((1, 8)) + legacy(FULL, b"delta"))
    filler = bytes(BLOCK_SIZE - 38 - 7 - 8)
    log.expect("damaged", "zero-gap", survivors=[0, 1, 2, filler, b"delta"])
