"""What RocksDB says about a log: timestamp sizes and the preceding log."""

from conformance.recipes.rocksdb_wal.compression import (
    ZSTD,
    framed,
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
    BOOK,
    FIRST,
    FULL,
    LAST,
    LEGACY,
    OLDER,
    RECYCLABLE,
    RocksLog,
    legacy,
    recyclable,
)
from conformance.recipes.rocksdb_wal.zstd_frames import frame
from conformance.recipes.variation import Kept
from reference_impl.rocksdb_wal.layout import PREDECESSOR_INFO, TIMESTAMP_SIZE, pack

TIMESTAMPS = 10
PRECEDING = 130


def sizes(*pairs: tuple[int, int], headers: str = LEGACY, number: int = 12) -> bytes:
    """Return a record of timestamp sizes."""
    data = b"".join(TIMESTAMP_SIZE.pack(*pair) for pair in pairs)
    return pack(headers, TIMESTAMPS + (headers == RECYCLABLE), data, number)


def preceding(*values: int, headers: str = LEGACY) -> bytes:
    """Return a record of the preceding log."""
    return pack(headers, PRECEDING + (headers == RECYCLABLE), PREDECESSOR_INFO.pack(*values), 12)


@BOOK.valid("metadata", "RDB-009", "RDB-033")
def timestamp_sizes_first(log: RocksLog) -> None:
    """Timestamp sizes before the first record: they are no record, and say something of it."""
    log.data += sizes((0, 8))
    log.write(b"alpha", b"bravo", headers=LEGACY)
    log.expect("intact", survivors=[0, 1])


@BOOK.valid("metadata", "RDB-009", "RDB-033")
def recyclable_timestamp_sizes_first(log: RocksLog) -> None:
    """The same with an 11-byte header."""
    log.data += sizes((0, 8), headers=RECYCLABLE)
    log.write(b"alpha", b"bravo")
    log.expect("intact", survivors=[0, 1])


@BOOK.valid("metadata", "RDB-033")
def timestamp_sizes_of_three_families(log: RocksLog) -> None:
    """Sizes of two column families, and later of a third."""
    log.data += sizes((0, 8), (7, 16))
    log.write(b"alpha", headers=LEGACY)
    log.data += sizes((1, 8))
    log.write(b"bravo", headers=LEGACY)
    log.expect("intact", survivors=[0, 1])


@BOOK.valid("metadata", "RDB-009", "RDB-034")
def preceding_log_first(log: RocksLog) -> None:
    """The preceding log before the first record."""
    log.data += preceding(4, 137, 6)
    log.write(b"alpha", b"bravo", headers=LEGACY)
    log.expect("intact", survivors=[0, 1])


@BOOK.valid("metadata", "RDB-009", "RDB-034")
def recyclable_preceding_log_first(log: RocksLog) -> None:
    """The same with an 11-byte header."""
    log.data += preceding(4, 137, 6, headers=RECYCLABLE)
    log.write(b"alpha", b"bravo")
    log.expect("intact", survivors=[0, 1])


@BOOK.valid("metadata", "RDB-009", "RDB-030", "RDB-033", "RDB-034")
def everything_rocksdb_says(log: RocksLog) -> None:
    """Compression type, preceding log and timestamp sizes; only records are compressed."""
    log.data += ZSTD + preceding(4, 137, 6) + sizes((0, 8))
    framed(log, b"alpha", b"bravo")
    log.expect("intact", survivors=[0, 1])


@BOOK.valid("metadata", "RDB-009")
def metadata_last(log: RocksLog) -> None:
    """A log that ends with timestamp sizes."""
    log.write(b"alpha", headers=LEGACY)
    log.data += sizes((0, 8))
    log.expect("intact", survivors=[0], end=25)


@BOOK.valid("metadata", "RDB-024")
def metadata_moved_to_the_next_block(log: RocksLog) -> None:
    """Twelve bytes are left, and timestamp sizes need thirteen: zeros, and no gap."""
    log.fill_block_but(12, LEGACY)
    log.write(b"bravo", headers=LEGACY, timestamp_sizes={"0": 8})
    log.expect("intact", survivors=[0, 1])


@BOOK.valid("metadata", "RDB-024")
def recyclable_metadata_moved_to_the_next_block(log: RocksLog) -> None:
    """Thirty bytes are left, and the preceding log needs 35."""
    log.fill_block_but(30)
    log.write(b"bravo", predecessor={"log_number": "4", "size": "137", "last_sequence": "6"})
    log.expect("intact", survivors=[0, 1])


@BOOK.damaged(metadata_moved_to_the_next_block, "metadata", "RDB-024", "RDB-045")
def more_zeros_than_metadata_need(log: RocksLog) -> None:
    """Thirteen zeros before timestamp sizes of thirteen bytes: they would have fitted."""
    log.splice("blocks[0].records[0]", b"", "nothing")
    log.data[0:0] = legacy(FULL, b"a" * (BLOCK_SIZE - 7 - 13)) + b"\0"
    log.did("insert a record that is one byte shorter")
    log.expect("damaged", "zero-gap", survivors=[Kept(b"a" * (BLOCK_SIZE - 20)), 1])


@BOOK.damaged(metadata_moved_to_the_next_block, "metadata", "RDB-024", "RDB-045")
def zeros_before_a_record(log: RocksLog) -> None:
    """The same zeros before a record, which is never moved as a whole."""
    log.splice("blocks[1].records[0]", legacy(FULL, b"charlie"), "a record")
    log.expect("damaged", "zero-gap", survivors=[0, Kept(b"charlie"), 1])


@BOOK.damaged(timestamp_sizes_first, "metadata", "RDB-033")
def timestamp_sizes_of_five_bytes(log: RocksLog) -> None:
    """A length that is not a multiple of six."""
    log.splice("blocks[0].records[0]", legacy(TIMESTAMPS, b"\0\0\0\0\x08"), "five bytes")
    log.expect("damaged", "bad-metadata", survivors=[0, 1])


@BOOK.damaged(timestamp_sizes_first, "metadata", "RDB-033")
def timestamp_sizes_of_nothing(log: RocksLog) -> None:
    """No pairs at all."""
    log.splice("blocks[0].records[0]", legacy(TIMESTAMPS, b""), "no sizes")
    log.expect("damaged", "bad-metadata", survivors=[0, 1])


@BOOK.damaged(timestamp_sizes_first, "metadata", "RDB-033")
def timestamp_size_zero(log: RocksLog) -> None:
    """A size of 0 is never recorded. The other pair does not count either."""
    log.splice("blocks[0].records[0]", sizes((0, 8), (1, 0)), "a size of 0")
    log.expect("damaged", "bad-metadata", survivors=[0, 1])


@BOOK.damaged(timestamp_sizes_first, "metadata", "RDB-033")
def column_family_twice_in_a_record(log: RocksLog) -> None:
    """One column family with two sizes."""
    log.splice("blocks[0].records[0]", sizes((3, 8), (3, 16)), "a column family twice")
    log.expect("damaged", "bad-metadata", survivors=[0, 1])


@BOOK.damaged(timestamp_sizes_of_three_families, "metadata", "RDB-033")
def column_family_twice_in_a_log(log: RocksLog) -> None:
    """A column family whose size is known already: the first counts."""
    log.splice("blocks[0].records[2]", sizes((7, 24)), "a column family again")
    log.expect("damaged", "bad-metadata", survivors=[0, 1])


@BOOK.damaged(preceding_log_first, "metadata", "RDB-034")
def preceding_log_of_23_bytes(log: RocksLog) -> None:
    """A preceding log that lacks a byte."""
    log.splice("blocks[0].records[0]", legacy(PRECEDING, bytes(23)), "23 bytes")
    log.expect("damaged", "bad-metadata", survivors=[0, 1])


@BOOK.damaged(timestamp_sizes_of_three_families, "metadata", "RDB-044")
def timestamp_sizes_flipped(log: RocksLog) -> None:
    """Damaged metadata cost the rest of the block like any physical record."""
    log.flip("blocks[0].records[2].data", 1)
    log.expect("damaged", "checksum-mismatch", survivors=[0])


@BOOK.damaged(recyclable_timestamp_sizes_first, "metadata", "RDB-015", "RDB-025")
def timestamp_sizes_of_another_log(log: RocksLog) -> None:
    """Metadata of another log end the log."""
    log.extend(sizes((1, 8), headers=RECYCLABLE, number=OLDER), "sizes of log 8")
    log.expect("intact", survivors=[0, 1], end=49)


@BOOK.damaged(timestamp_sizes_of_three_families, "metadata", "RDB-009", "RDB-031")
def record_after_metadata_lost(log: RocksLog) -> None:
    """The record that the sizes came before is lost: the next one has them."""
    log.retype("blocks[0].records[1]", 103)
    log.expect("damaged", "unknown-type", survivors=[1])


@BOOK.damaged(recyclable_fragments_within_one_block, "metadata", "RDB-049", "RDB-052")
def metadata_in_the_middle_of_a_record(log: RocksLog) -> None:
    """FIRST, timestamp sizes, LAST: nothing is joined across them."""
    log.splice("blocks[0].records[1]", sizes((0, 8), headers=RECYCLABLE), "timestamp sizes")
    log.expect("damaged", "incomplete-record", survivors=[1])
    log.bug("RocksDB drops the FIRST, and returns the LAST's data as a record")


@BOOK.valid("metadata", "RDB-049")
def metadata_after_an_empty_first(log: RocksLog) -> None:
    """An open record without data loses nothing to metadata."""
    log.write(b"alpha")
    log.data += recyclable(FIRST, b"") + sizes((0, 8), headers=RECYCLABLE)
    log.write(b"bravo")
    log.expect("intact", survivors=[0, 1])


@BOOK.damaged(three_legacy_records, "metadata", "RDB-006", "RDB-047")
def recyclable_timestamp_sizes_in_a_legacy_log(log: RocksLog) -> None:
    """Type 11 in a log of 7-byte headers."""
    log.hangs_upstream()
    log.splice("blocks[0].records[1]", sizes((0, 8), headers=RECYCLABLE), "type 11")
    log.expect("damaged", "unknown-type", survivors=[0, 2])
    log.bug("RocksDB 9.4 and later read the header for ever")


@BOOK.damaged(recyclable_timestamp_sizes_first, "metadata", "RDB-006", "RDB-047")
def legacy_timestamp_sizes_in_a_recyclable_log(log: RocksLog) -> None:
    """Type 10 in a log of 11-byte headers: it has no log number."""
    log.splice("blocks[0].records[1]", sizes((1, 8)), "type 10")
    log.expect("damaged", "unknown-type", survivors=[1])


@BOOK.damaged(three_synced_records, "metadata", "RDB-006", "RDB-047", "RDB-050")
def preceding_log_in_a_synced_log(log: RocksLog) -> None:
    """Pebble has no metadata."""
    log.extend(preceding(4, 137, 6), "a preceding log")
    log.expect("torn", "torn-tail", survivors=[0, 1, 2], end=74)


@BOOK.valid("metadata", "RDB-034")
def preceding_log_twice(log: RocksLog) -> None:
    """The later description counts."""
    log.data += preceding(4, 137, 6) + preceding(5, 140, 7)
    log.write(b"alpha", headers=LEGACY)
    log.expect("intact", survivors=[0])


@BOOK.damaged(recyclable_metadata_moved_to_the_next_block, "metadata", "RDB-024", "RDB-050")
def zeros_before_metadata_of_another_log(log: RocksLog) -> None:
    """Zeros before metadata of another log are not explained by it."""
    log.set("blocks[1].records[0].header.log_number", OLDER)
    log.reseal("blocks[1].records[0]")
    log.expect("torn", "torn-tail", survivors=[0], end=BLOCK_SIZE - 30)


@BOOK.valid("metadata", "RDB-033", kind="limit")
def timestamp_sizes_at_their_largest(log: RocksLog) -> None:
    """Column families have 32 bits and sizes 16, without a sign."""
    log.data += sizes((0xFFFFFFFF, 0xFFFF), (0x80000000, 0x8000))
    log.write(b"alpha", headers=LEGACY)
    log.expect("intact", survivors=[0])


@BOOK.valid("metadata", "RDB-034", kind="limit")
def preceding_log_at_its_largest(log: RocksLog) -> None:
    """Number, size and sequence number have 64 bits each, without a sign."""
    log.data += preceding(2**64 - 1, 2**64 - 2, 2**64 - 3)
    log.write(b"alpha", headers=LEGACY)
    log.expect("intact", survivors=[0])


@BOOK.damaged(preceding_log_first, "metadata", "RDB-034")
def preceding_log_of_30_bytes(log: RocksLog) -> None:
    """A preceding log with a length that timestamp sizes may have."""
    log.splice("blocks[0].records[0]", legacy(PRECEDING, bytes(30)), "30 bytes")
    log.expect("damaged", "bad-metadata", survivors=[0, 1])


@BOOK.damaged(three_legacy_records, "metadata", "RDB-006", "RDB-011", "RDB-047")
def recyclable_preceding_log_in_a_legacy_log(log: RocksLog) -> None:
    """Type 131 is metadata of another dialect, and not ignorable."""
    log.hangs_upstream()
    log.splice("blocks[0].records[1]", preceding(4, 137, 6, headers=RECYCLABLE), "type 131")
    log.expect("damaged", "unknown-type", survivors=[0, 2])
    log.bug("RocksDB 9.4 and later read the header for ever")


@BOOK.damaged(metadata_after_an_empty_first, "metadata", "RDB-048", "RDB-049", "RDB-052")
def last_after_an_empty_first_and_metadata(log: RocksLog) -> None:
    """Metadata end an open record, also one without data: the LAST is an orphan."""
    log.splice("blocks[0].records[3]", recyclable(LAST, b"bravo"), "a LAST")
    log.expect("damaged", "orphan-fragment", survivors=[0])


@BOOK.damaged(metadata_moved_to_the_next_block, "metadata", "RDB-024", "RDB-044", "RDB-045")
def zeros_before_damaged_metadata(log: RocksLog) -> None:
    """The record that would explain the zeros is damaged."""
    log.flip("blocks[1].records[0].data", 0)
    log.expect("damaged", "zero-gap", survivors=[0], end=None)


@BOOK.damaged(recyclable_timestamp_sizes_first, "metadata", "RDB-033")
def column_family_twice_and_again(log: RocksLog) -> None:
    """Bad timestamp sizes do not count: the column family may still come."""
    log.extend(sizes((1, 8), (1, 8), headers=RECYCLABLE) + recyclable(FULL, b"charlie"), "twice")
    log.extend(sizes((1, 8), headers=RECYCLABLE) + recyclable(FULL, b"delta"), "once")
    log.expect("damaged", "bad-metadata", survivors=[0, 1, Kept(b"charlie"), Kept(b"delta")])


@BOOK.damaged(three_recyclable_records, "metadata", "RDB-033", "RDB-048", "RDB-051")
def bad_timestamp_sizes_in_the_middle_of_a_record(log: RocksLog) -> None:
    """They end the open record. The sizes before it belong to the next record."""
    again = sizes((1, 8), headers=RECYCLABLE)
    log.extend(again + recyclable(FIRST, b"de"), "timestamp sizes, a FIRST")
    log.extend(again + recyclable(LAST, b"lta"), "the same timestamp sizes, a LAST")
    log.extend(recyclable(FULL, b"echo"), "a FULL")
    log.expect("damaged", "bad-metadata", survivors=[0, 1, 2, Kept(b"echo")])


@BOOK.damaged(three_compressed_recyclable_records, "metadata", "RDB-033", "RDB-034", "RDB-036")
def record_after_metadata_without_a_frame(log: RocksLog) -> None:
    """Metadata before a record that cannot be decompressed belong to the next one."""
    log.extend(sizes((1, 8), headers=RECYCLABLE), "timestamp sizes")
    log.extend(preceding(1, 2, 3, headers=RECYCLABLE), "a preceding log")
    log.extend(recyclable(FULL, b"no frame") + recyclable(FULL, frame(b"delta")), "two FULL")
    log.expect("damaged", "bad-compression", survivors=[0, 1, 2, Kept(b"delta")])


def zeros_but(log: RocksLog, left: int) -> None:
    """Fill the block of a legacy log with a record and so many zeros."""
    size = BLOCK_SIZE - len(log.data) - 7 - left
    log.extend(legacy(FULL, Kept(bytes(size))) + bytes(left), f"a FULL and {left} zeros")


@BOOK.damaged(three_legacy_records, "metadata", "RDB-011", "RDB-024", "RDB-045")
def zeros_before_an_ignorable_type(log: RocksLog) -> None:
    """An ignorable record is split like any other, so that the zeros are a gap."""
    zeros_but(log, 20)
    log.extend(legacy(140, bytes(22)), "a record of type 140 and 29 bytes")
    filler = Kept(bytes(BLOCK_SIZE - 38 - 7 - 20))
    log.expect("damaged", "zero-gap", survivors=[0, 1, 2, filler])


@BOOK.damaged(three_legacy_records, "metadata", "RDB-024", "RDB-030")
def zeros_before_a_late_compression_type(log: RocksLog) -> None:
    """A compression record that is not valid here still explains zeros before it."""
    zeros_but(log, 8)
    log.extend(ZSTD, "a compression record")
    filler = Kept(bytes(BLOCK_SIZE - 38 - 7 - 8))
    log.expect("damaged", "bad-metadata", survivors=[0, 1, 2, filler])


@BOOK.damaged(three_legacy_records, "metadata", "RDB-024", "RDB-049")
def zeros_in_a_record_before_metadata(log: RocksLog) -> None:
    """A record is open at the zeros: the metadata end it, and the zeros are no gap."""
    size = BLOCK_SIZE - len(log.data) - 7 - 8
    log.extend(legacy(FIRST, bytes(size)) + bytes(8), "a FIRST and 8 zeros")
    log.extend(sizes((1, 8)) + legacy(FULL, b"delta"), "timestamp sizes, a FULL")
    log.expect("damaged", "incomplete-record", survivors=[0, 1, 2, Kept(b"delta")])


@BOOK.damaged(three_legacy_records, "metadata", "RDB-024", "RDB-045")
def block_of_zeros_before_metadata(log: RocksLog) -> None:
    """Metadata go to the next block, so that a whole block of zeros is a gap."""
    zeros_but(log, 8)
    log.extend(bytes(BLOCK_SIZE), "a block of zeros")
    log.extend(sizes((1, 8)) + legacy(FULL, b"delta"), "timestamp sizes, a FULL")
    filler = Kept(bytes(BLOCK_SIZE - 38 - 7 - 8))
    log.expect("damaged", "zero-gap", survivors=[0, 1, 2, filler, Kept(b"delta")])
