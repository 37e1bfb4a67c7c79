"""Writer vectors: the format determines every byte."""

import random
from typing import Any

from conformance.recipes.rocksdb_wal.log import (
    LEGACY,
    RECYCLABLE,
    WAL_SYNC,
    WRITING,
    RocksLog,
    numbered,
)
from reference_impl.answer import NewRecord

THREE = (b"alpha", b"bravo", b"charlie")


def refused(log: RocksLog, headers: str, *fields: dict[str, Any]) -> None:
    """Expect a writer to refuse records with these fields."""
    log.context |= {"headers": headers}
    log.new_records = [NewRecord(b"alpha", each) for each in fields]
    log.expect_refusal()


@WRITING.writing("RDB-020", "RDB-005")
def write_three_recyclable_records(log: RocksLog) -> None:
    """A writer writes three records to a recyclable log with number 12."""
    log.written(*THREE, headers=RECYCLABLE, log_number=12)


@WRITING.writing("RDB-020", "RDB-014")
def write_without_a_number(log: RocksLog) -> None:
    """Without a number in the context or the file name, a writer uses log number 1."""
    log.written(*THREE)


@WRITING.writing("RDB-020", "RDB-014")
def write_under_a_name(log: RocksLog) -> None:
    """A writer takes the log number from the file name."""
    log.written(b"alpha", log_number=20)
    log.is_called("000020.log")


@WRITING.writing("RDB-014", "RDB-020", kind="limit")
def write_with_a_number_above_32_bits(log: RocksLog) -> None:
    """A writer stores the low 32 bits of the log number in the headers."""
    log.written(b"alpha", log_number=(3 << 32) + 21)


@WRITING.writing("RDB-001")
def write_no_recyclable_records(log: RocksLog) -> None:
    """A log without records is an empty file."""
    log.written(headers=RECYCLABLE)


@WRITING.writing("RDB-020")
def write_three_legacy_records(log: RocksLog) -> None:
    """A writer writes three records to a legacy log."""
    log.written(*THREE, headers=LEGACY)


@WRITING.writing("RDB-020", "RDB-022")
def write_three_synced_records(log: RocksLog) -> None:
    """A writer writes three records to a WAL-sync log. Each record states that the records before
    it were synced."""
    log.written(*THREE, headers=WAL_SYNC, log_number=9)


@WRITING.writing("RDB-020", "RDB-022")
def write_synced_fragments(log: RocksLog) -> None:
    """A writer splits a record across three blocks of a WAL-sync log. All fragments have the same
    sync offset."""
    log.written(b"alpha", numbered(70_000), headers=WAL_SYNC, log_number=9)


@WRITING.writing("RDB-020", "RDB-021")
def write_recyclable_fragments(log: RocksLog) -> None:
    """A writer splits a record across three blocks of a recyclable log, then writes an empty
    record."""
    log.written(b"alpha", numbered(70_000), b"", headers=RECYCLABLE, log_number=12)


@WRITING.writing("RDB-021")
def write_leaves_a_recyclable_trailer_for_later(log: RocksLog) -> None:
    """Ten bytes are left in a block of a recyclable log. A writer writes the trailer only together
    with the next record."""
    log.written(numbered(32768 - 11 - 10), headers=RECYCLABLE, log_number=12)


@WRITING.writing("RDB-023")
def write_a_synced_trailer_at_once(log: RocksLog) -> None:
    """Eighteen bytes are left in a block of a WAL-sync log. A writer writes the trailer together
    with the record before it."""
    log.written(numbered(32768 - 19 - 18), headers=WAL_SYNC, log_number=9)


@WRITING.writing("RDB-010", "RDB-020")
def write_with_eleven_bytes_left(log: RocksLog) -> None:
    """Eleven bytes are left in a block of a recyclable log. A writer fills them with an empty
    FIRST."""
    log.written(numbered(32768 - 22), b"bravo", headers=RECYCLABLE, log_number=12)


@WRITING.writing("RDB-026")
def write_and_close(log: RocksLog) -> None:
    """A writer ends a WAL-sync log with a clean close."""
    log.written(*THREE, headers=WAL_SYNC, log_number=9, closed=True)


@WRITING.writing("RDB-026")
def write_and_close_where_no_header_fits(log: RocksLog) -> None:
    """Ten bytes are left in a block. A writer writes the clean close into the next block."""
    log.written(numbered(32768 - 21), headers=RECYCLABLE, log_number=12, closed=True)


@WRITING.writing("RDB-024", "RDB-033", "RDB-034")
def write_metadata(log: RocksLog) -> None:
    """A writer writes the preceding log, then the timestamp sizes, then the record."""
    log.context |= {"headers": LEGACY, "log_number": 12}
    before = {"log_number": "4", "size": "137", "last_sequence": "6"}
    log.write(b"alpha", headers=LEGACY, predecessor=before, timestamp_sizes={"3": 16})


@WRITING.writing("RDB-024")
def write_metadata_in_the_next_block(log: RocksLog) -> None:
    """A preceding log record of 35 bytes does not fit into the last 30 bytes of a block. A writer
    fills the block with zeros."""
    log.context |= {"headers": RECYCLABLE, "log_number": 12}
    log.write(numbered(32768 - 11 - 30))
    log.write(b"alpha", predecessor={"log_number": "4", "size": "137", "last_sequence": "6"})


@WRITING.writing("RDB-022")
def write_a_given_sync_offset(log: RocksLog) -> None:
    """A writer stores a given sync offset in the header of a record."""
    log.context |= {"headers": WAL_SYNC, "log_number": 12}
    log.write(b"alpha", b"bravo", headers=WAL_SYNC, sync_offset="0")


@WRITING.writing("RDB-030", "RDB-035")
def write_compressed_empty_record(log: RocksLog) -> None:
    """A writer writes a compression record and an empty record without a frame."""
    log.written(b"", headers=RECYCLABLE, compression="zstd", log_number=12)


@WRITING.writing("RDB-030", "RDB-036")
def write_compressed_records(log: RocksLog) -> None:
    """A writer compresses two records, each into a frame with a content size and a checksum."""
    log.written(b"alpha", b"bravo", headers=LEGACY, compression="zstd", log_number=12)


@WRITING.writing("RDB-021", "RDB-036")
def write_compressed_fragments(log: RocksLog) -> None:
    """A writer splits a frame of incompressible data into pieces of 32,757 bytes."""
    random_bytes = random.Random(1).randbytes(70_000)
    log.written(b"alpha", random_bytes, headers=RECYCLABLE, compression="zstd", log_number=12)


@WRITING.writing("RDB-024", "RDB-033")
def write_recyclable_timestamp_sizes(log: RocksLog) -> None:
    """A writer writes timestamp sizes with an 11-byte header to a recyclable log."""
    log.context |= {"headers": RECYCLABLE, "log_number": 12}
    log.write(b"alpha", timestamp_sizes={"3": 16})


@WRITING.writing("RDB-057", control=write_three_synced_records)
def write_compressed_synced_records(log: RocksLog) -> None:
    """A writer must refuse to compress a WAL-sync log."""
    log.context |= {"headers": WAL_SYNC, "compression": "zstd"}
    log.new_records = [NewRecord(b"alpha")]
    log.expect_refusal()


@WRITING.writing("RDB-057", control=write_three_legacy_records)
def write_and_close_a_legacy_log(log: RocksLog) -> None:
    """A writer must refuse to close a legacy log."""
    log.context |= {"headers": LEGACY, "closed": True}
    log.new_records = [NewRecord(b"alpha")]
    log.expect_refusal()


@WRITING.writing("RDB-057", control=write_three_recyclable_records)
def write_a_sync_offset_without_a_place(log: RocksLog) -> None:
    """A writer must refuse a sync offset in a recyclable log."""
    refused(log, RECYCLABLE, {"sync_offset": "5"})


@WRITING.writing("RDB-057", control=write_three_synced_records)
def write_metadata_to_a_synced_log(log: RocksLog) -> None:
    """A writer must refuse timestamp sizes in a WAL-sync log."""
    refused(log, WAL_SYNC, {"timestamp_sizes": {"0": 8}})


@WRITING.writing("RDB-057", control=write_three_synced_records)
def write_a_preceding_log_to_a_synced_log(log: RocksLog) -> None:
    """A writer must refuse a preceding log in a WAL-sync log."""
    before = {"log_number": "4", "size": "137", "last_sequence": "6"}
    refused(log, WAL_SYNC, {"predecessor": before})


@WRITING.writing("RDB-024", "RDB-033")
def write_more_timestamp_sizes_than_fit_into_a_block(log: RocksLog) -> None:
    """A writer splits the timestamp sizes of 5,460 column families into two records, because 5,459
    fit into a block."""
    log.context |= {"headers": RECYCLABLE, "log_number": 12}
    log.write(b"alpha", timestamp_sizes={str(family): 8 for family in range(5460)})


@WRITING.writing("RDB-033", "RDB-034", "RDB-057", kind="limit")
def write_metadata_at_its_largest(log: RocksLog) -> None:
    """A writer writes metadata in which every number has its highest value."""
    log.context |= {"headers": LEGACY, "log_number": 12}
    largest = str(2**64 - 1)
    before = {"log_number": largest, "size": largest, "last_sequence": largest}
    log.write(
        b"alpha", headers=LEGACY, predecessor=before, timestamp_sizes={str(2**32 - 1): 2**16 - 1}
    )


@WRITING.writing("RDB-022", "RDB-057", kind="limit")
def write_a_sync_offset_at_its_largest(log: RocksLog) -> None:
    """A writer writes a record with a sync offset of 2^64 - 1, the highest number."""
    log.context |= {"headers": WAL_SYNC, "log_number": 12}
    log.write(b"alpha", headers=WAL_SYNC, sync_offset=str(2**64 - 1))


@WRITING.writing("RDB-057", kind="limit", control=write_three_synced_records)
def write_a_sync_offset_of_65_bits(log: RocksLog) -> None:
    """A writer must refuse a sync offset of 65 bits."""
    refused(log, WAL_SYNC, {"sync_offset": str(2**64)})


@WRITING.writing("RDB-057", kind="limit", control=write_metadata)
def write_a_preceding_log_of_65_bits(log: RocksLog) -> None:
    """A writer must refuse a preceding log with a number of 65 bits."""
    before = {"log_number": str(2**64), "size": "137", "last_sequence": "6"}
    refused(log, LEGACY, {"predecessor": before})


@WRITING.writing("RDB-057", kind="limit", control=write_metadata)
def write_a_column_family_of_33_bits(log: RocksLog) -> None:
    """A writer must refuse a column family of 33 bits."""
    refused(log, LEGACY, {"timestamp_sizes": {str(2**32): 8}})


@WRITING.writing("RDB-057", kind="limit", control=write_metadata)
def write_a_timestamp_size_of_17_bits(log: RocksLog) -> None:
    """A writer must refuse a timestamp size of 17 bits."""
    refused(log, LEGACY, {"timestamp_sizes": {"0": 2**16}})


@WRITING.writing("RDB-033", control=write_metadata)
def write_a_timestamp_size_of_zero(log: RocksLog) -> None:
    """A writer must refuse a timestamp size of 0."""
    refused(log, LEGACY, {"timestamp_sizes": {"0": 0}})


@WRITING.writing("RDB-033", control=write_metadata)
def write_a_column_family_twice(log: RocksLog) -> None:
    """A writer must refuse a second timestamp size for the same column family."""
    refused(log, LEGACY, {"timestamp_sizes": {"3": 8}}, {"timestamp_sizes": {"3": 8}})


@WRITING.writing("RDB-026", kind="limit")
def write_and_close_the_highest_number(log: RocksLog) -> None:
    """A writer closes a log with number 2^32 - 1. The number in the clean close is 0."""
    log.written(b"alpha", log_number=2**32 - 1, closed=True)
    log.expect("intact", survivors=[0], end=16)


@WRITING.writing("RDB-037", "RDB-058", control=write_compressed_records)
def write_a_record_larger_than_the_limit(log: RocksLog) -> None:
    """In a compressed log, a writer must refuse a record that is larger than the limit."""
    log.context |= {"compression": "zstd", "max_record_size": 4}
    log.new_records = [NewRecord(b"alpha")]
    log.expect_refusal()


@WRITING.writing("RDB-037", "RDB-058", kind="limit")
def write_an_uncompressed_record_larger_than_the_limit(log: RocksLog) -> None:
    """A writer accepts an uncompressed record that is larger than the limit."""
    log.written(b"alpha", headers=LEGACY, log_number=12, max_record_size=4)
