"""Writer vectors: the format determines every byte."""

import random
from typing import Any

from conformance.recipes.rocksdb_wal.log import (
    BOOK,
    LEGACY,
    RECYCLABLE,
    WAL_SYNC,
    RocksLog,
    numbered,
)
from conformance.recipes.variation import Kept
from reference_impl.answer import NewRecord

THREE = (b"alpha", b"bravo", b"charlie")


def refused(log: RocksLog, headers: str, *fields: dict[str, Any]) -> None:
    """Give a writer records with these fields, which it must refuse."""
    log.context |= {"headers": headers}
    log.new_records = [NewRecord(b"alpha", each) for each in fields]
    log.expect_refusal()


@BOOK.writing("writing", "RDB-020", "RDB-005")
def write_three_recyclable_records(log: RocksLog) -> None:
    """Three short records with log number 12."""
    log.written(*THREE, headers=RECYCLABLE, log_number=12)


@BOOK.writing("writing", "RDB-020", "RDB-014")
def write_without_a_number(log: RocksLog) -> None:
    """Without a number in context or name, a log has number 1."""
    log.written(*THREE)


@BOOK.writing("writing", "RDB-020", "RDB-014")
def write_under_a_name(log: RocksLog) -> None:
    """The name has the number."""
    log.written(b"alpha", log_number=20)
    log.is_called("000020.log")


@BOOK.writing("writing", "RDB-014", "RDB-020", kind="limit")
def write_with_a_number_above_32_bits(log: RocksLog) -> None:
    """Headers have the low half of the number."""
    log.written(b"alpha", log_number=(3 << 32) + 21)


@BOOK.writing("writing", "RDB-001")
def write_no_recyclable_records(log: RocksLog) -> None:
    """No records: a file of no bytes."""
    log.written(headers=RECYCLABLE)


@BOOK.writing("writing", "RDB-020")
def write_three_legacy_records(log: RocksLog) -> None:
    """Three short records with 7-byte headers."""
    log.written(*THREE, headers=LEGACY)


@BOOK.writing("writing", "RDB-020", "RDB-022")
def write_three_synced_records(log: RocksLog) -> None:
    """Three short records with 19-byte headers; each states that the ones before were synced."""
    log.written(*THREE, headers=WAL_SYNC, log_number=9)


@BOOK.writing("writing", "RDB-020", "RDB-022")
def write_synced_fragments(log: RocksLog) -> None:
    """A record across three blocks: all fragments have its sync offset."""
    log.written(b"alpha", numbered(70_000), headers=WAL_SYNC, log_number=9)


@BOOK.writing("writing", "RDB-020", "RDB-021")
def write_recyclable_fragments(log: RocksLog) -> None:
    """A record across three blocks, and an empty one."""
    log.written(b"alpha", numbered(70_000), b"", headers=RECYCLABLE, log_number=12)


@BOOK.writing("writing", "RDB-021")
def write_leaves_a_recyclable_trailer_for_later(log: RocksLog) -> None:
    """Ten bytes are left in the block: they are written with the next record."""
    log.written(numbered(32768 - 11 - 10), headers=RECYCLABLE, log_number=12)


@BOOK.writing("writing", "RDB-023")
def write_a_synced_trailer_at_once(log: RocksLog) -> None:
    """Eighteen bytes are left in the block: they are written with the record."""
    log.written(numbered(32768 - 19 - 18), headers=WAL_SYNC, log_number=9)


@BOOK.writing("writing", "RDB-010", "RDB-020")
def write_with_eleven_bytes_left(log: RocksLog) -> None:
    """Exactly a header fits: an empty FIRST."""
    log.written(numbered(32768 - 22), b"bravo", headers=RECYCLABLE, log_number=12)


@BOOK.writing("writing", "RDB-026")
def write_and_close(log: RocksLog) -> None:
    """A log that is closed as Pebble does."""
    log.written(*THREE, headers=WAL_SYNC, log_number=9, closed=True)


@BOOK.writing("writing", "RDB-026")
def write_and_close_where_no_header_fits(log: RocksLog) -> None:
    """Ten bytes are left in the block: the close goes into the next one."""
    log.written(numbered(32768 - 21), headers=RECYCLABLE, log_number=12, closed=True)


@BOOK.writing("writing", "RDB-024", "RDB-033", "RDB-034")
def write_metadata(log: RocksLog) -> None:
    """The preceding log, timestamp sizes, and a record."""
    log.context |= {"headers": LEGACY, "log_number": 12}
    before = {"log_number": "4", "size": "137", "last_sequence": "6"}
    log.write(b"alpha", headers=LEGACY, predecessor=before, timestamp_sizes={"3": 16})


@BOOK.writing("writing", "RDB-024")
def write_metadata_in_the_next_block(log: RocksLog) -> None:
    """Thirty bytes are left, and the preceding log needs 35: zeros, and the next block."""
    log.context |= {"headers": RECYCLABLE, "log_number": 12}
    log.write(numbered(32768 - 11 - 30))
    log.write(b"alpha", predecessor={"log_number": "4", "size": "137", "last_sequence": "6"})


@BOOK.writing("writing", "RDB-022")
def write_a_given_sync_offset(log: RocksLog) -> None:
    """The sync offset of a record may be given."""
    log.context |= {"headers": WAL_SYNC, "log_number": 12}
    log.write(b"alpha", b"bravo", headers=WAL_SYNC, sync_offset="0")


@BOOK.writing("writing", "RDB-030", "RDB-035")
def write_compressed_empty_record(log: RocksLog) -> None:
    """The compression type, and a record of no bytes, which has no frame."""
    log.written(b"", headers=RECYCLABLE, compression="zstd", log_number=12)


@BOOK.writing("writing", "RDB-030", "RDB-036")
def write_compressed_records(log: RocksLog) -> None:
    """Two short records, each in a frame with its size and checksum."""
    log.written(b"alpha", b"bravo", headers=LEGACY, compression="zstd", log_number=12)


@BOOK.writing("writing", "RDB-021", "RDB-036")
def write_compressed_fragments(log: RocksLog) -> None:
    """Random bytes do not get smaller: the frame is split into pieces of 32757 bytes."""
    random_bytes = Kept(random.Random(1).randbytes(70_000))
    log.written(b"alpha", random_bytes, headers=RECYCLABLE, compression="zstd", log_number=12)


@BOOK.writing("writing", "RDB-024", "RDB-033")
def write_recyclable_timestamp_sizes(log: RocksLog) -> None:
    """Timestamp sizes with an 11-byte header."""
    log.context |= {"headers": RECYCLABLE, "log_number": 12}
    log.write(b"alpha", timestamp_sizes={"3": 16})


@BOOK.writing("writing", "RDB-057", control=write_three_synced_records)
def write_compressed_synced_records(log: RocksLog) -> None:
    """Pebble does not compress its logs."""
    log.context |= {"headers": WAL_SYNC, "compression": "zstd"}
    log.new_records = [NewRecord(b"alpha")]
    log.expect_refusal()


@BOOK.writing("writing", "RDB-057", control=write_three_legacy_records)
def write_and_close_a_legacy_log(log: RocksLog) -> None:
    """A log without a number has no close."""
    log.context |= {"headers": LEGACY, "closed": True}
    log.new_records = [NewRecord(b"alpha")]
    log.expect_refusal()


@BOOK.writing("writing", "RDB-057", control=write_three_recyclable_records)
def write_a_sync_offset_without_a_place(log: RocksLog) -> None:
    """A recyclable header has no sync offset."""
    refused(log, RECYCLABLE, {"sync_offset": "5"})


@BOOK.writing("writing", "RDB-057", control=write_three_synced_records)
def write_metadata_to_a_synced_log(log: RocksLog) -> None:
    """Pebble has no metadata."""
    refused(log, WAL_SYNC, {"timestamp_sizes": {"0": 8}})


@BOOK.writing("writing", "RDB-057", control=write_three_synced_records)
def write_a_preceding_log_to_a_synced_log(log: RocksLog) -> None:
    """Pebble does not describe the preceding log."""
    before = {"log_number": "4", "size": "137", "last_sequence": "6"}
    refused(log, WAL_SYNC, {"predecessor": before})


@BOOK.writing("writing", "RDB-024", "RDB-033")
def write_more_timestamp_sizes_than_fit_into_a_block(log: RocksLog) -> None:
    """5460 column families have 32,760 bytes of sizes: 32,754 fit after a recyclable header."""
    log.context |= {"headers": RECYCLABLE, "log_number": 12}
    log.write(b"alpha", timestamp_sizes={str(family): 8 for family in range(5460)})


@BOOK.writing("writing", "RDB-033", "RDB-034", "RDB-057", kind="limit")
def write_metadata_at_its_largest(log: RocksLog) -> None:
    """Every number has its highest value."""
    log.context |= {"headers": LEGACY, "log_number": 12}
    largest = str(2**64 - 1)
    before = {"log_number": largest, "size": largest, "last_sequence": largest}
    log.write(
        b"alpha", headers=LEGACY, predecessor=before, timestamp_sizes={str(2**32 - 1): 2**16 - 1}
    )


@BOOK.writing("writing", "RDB-022", "RDB-057", kind="limit")
def write_a_sync_offset_at_its_largest(log: RocksLog) -> None:
    """A sync offset of 2^64 - 1."""
    log.context |= {"headers": WAL_SYNC, "log_number": 12}
    log.write(b"alpha", headers=WAL_SYNC, sync_offset=str(2**64 - 1))


@BOOK.writing("writing", "RDB-057", kind="limit", control=write_three_synced_records)
def write_a_sync_offset_of_65_bits(log: RocksLog) -> None:
    """A sync offset has 64 bits."""
    refused(log, WAL_SYNC, {"sync_offset": str(2**64)})


@BOOK.writing("writing", "RDB-057", kind="limit", control=write_metadata)
def write_a_preceding_log_of_65_bits(log: RocksLog) -> None:
    """The number of the preceding log has 64 bits."""
    before = {"log_number": str(2**64), "size": "137", "last_sequence": "6"}
    refused(log, LEGACY, {"predecessor": before})


@BOOK.writing("writing", "RDB-057", kind="limit", control=write_metadata)
def write_a_column_family_of_33_bits(log: RocksLog) -> None:
    """A column family has 32 bits."""
    refused(log, LEGACY, {"timestamp_sizes": {str(2**32): 8}})


@BOOK.writing("writing", "RDB-057", kind="limit", control=write_metadata)
def write_a_timestamp_size_of_17_bits(log: RocksLog) -> None:
    """The size of timestamps has 16 bits."""
    refused(log, LEGACY, {"timestamp_sizes": {"0": 2**16}})


@BOOK.writing("writing", "RDB-033", control=write_metadata)
def write_a_timestamp_size_of_zero(log: RocksLog) -> None:
    """A reader would call it bad metadata."""
    refused(log, LEGACY, {"timestamp_sizes": {"0": 0}})


@BOOK.writing("writing", "RDB-033", control=write_metadata)
def write_a_column_family_twice(log: RocksLog) -> None:
    """A reader would call the second one bad metadata."""
    refused(log, LEGACY, {"timestamp_sizes": {"3": 8}}, {"timestamp_sizes": {"3": 8}})


@BOOK.writing("writing", "RDB-026", kind="limit")
def write_and_close_the_highest_number(log: RocksLog) -> None:
    """After 2^32 - 1 comes 0."""
    log.written(b"alpha", log_number=2**32 - 1, closed=True)
    log.expect("intact", survivors=[0], end=16)


@BOOK.writing("writing", "RDB-037", "RDB-058", control=write_compressed_records)
def write_a_record_larger_than_the_limit(log: RocksLog) -> None:
    """A reader with the same limit would not return it."""
    log.context |= {"compression": "zstd", "max_record_size": 4}
    log.new_records = [NewRecord(b"alpha")]
    log.expect_refusal()


@BOOK.writing("writing", "RDB-037", "RDB-058", kind="limit")
def write_an_uncompressed_record_larger_than_the_limit(log: RocksLog) -> None:
    """The limit is for what a reader decompresses."""
    log.written(b"alpha", headers=LEGACY, log_number=12, max_record_size=4)
