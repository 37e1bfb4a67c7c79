"""Append to recovered logs, and read all acknowledged records again."""

from conformance.recipes.rocksdb_wal.checksum import synced_blocks
from conformance.recipes.rocksdb_wal.clean_close import (
    empty_log_closed_and_no_number,
    recyclable_log_closed,
    synced_log_closed,
)
from conformance.recipes.rocksdb_wal.compression import (
    compression_of_five_bytes,
    nothing_but_compression_type_0,
    nothing_but_the_compression_type,
    three_compressed_records,
)
from conformance.recipes.rocksdb_wal.layout import (
    empty_log,
    recyclable_fragments,
    recyclable_log_ends_before_its_trailer,
    three_legacy_records,
    three_recyclable_records,
    three_synced_records,
)
from conformance.recipes.rocksdb_wal.log import (
    APPENDING,
    BLOCK_SIZE,
    FIRST,
    FULL,
    RocksLog,
    legacy,
    wal_sync,
)
from conformance.recipes.rocksdb_wal.log_number import (
    older_log_out_of_step,
    older_records_of_the_same_size,
)
from conformance.recipes.rocksdb_wal.metadata import timestamp_sizes_first
from conformance.recipes.zstd_frames import MAGIC, frame_of_one_byte

NEW = (b"delta", b"echo")
ALL: list[int | bytes] = [0, 1, 2, *NEW]


@APPENDING.appending(three_recyclable_records, "RDB-027", "RDB-028")
def append_to_three_recyclable_records(log: RocksLog) -> None:
    """A writer appends two records to a recyclable log, with the number of the log."""
    log.append(*NEW)
    log.expect("intact", survivors=ALL)


@APPENDING.appending(three_synced_records, "RDB-027", "RDB-028")
def append_to_three_synced_records(log: RocksLog) -> None:
    """A writer appends two records to a WAL-sync log, with 19-byte headers."""
    log.append(*NEW)
    log.expect("intact", survivors=ALL)


@APPENDING.appending(three_legacy_records, "RDB-027", "RDB-028")
def append_to_three_legacy_records(log: RocksLog) -> None:
    """A writer appends two records to a legacy log, with 7-byte headers."""
    log.append(*NEW)
    log.expect("intact", survivors=ALL)


@APPENDING.appending(empty_log, "RDB-028")
def append_to_nothing(log: RocksLog) -> None:
    """A writer appends two records to an empty log, with the configured dialect and log number."""
    log.context |= {"headers": "wal-sync", "log_number": 7}
    log.append(*NEW)
    log.expect("intact", survivors=NEW, end=47)
    log.leaves({"": 47})


@APPENDING.appending(empty_log_closed_and_no_number, "RDB-028", "RDB-029")
def append_to_a_closed_empty_log(log: RocksLog) -> None:
    """A writer appends to a closed log without records. The log number is the number in the clean
    close minus one."""
    log.append(*NEW)
    log.expect("intact", survivors=NEW)


@APPENDING.appending(three_compressed_records, "RDB-028", "RDB-035")
def append_to_compressed_records(log: RocksLog) -> None:
    """A writer appends an empty record, which has no frame, to a compressed log."""
    log.append(b"")
    log.expect("intact", survivors=[0, 1, 2, b""])


@APPENDING.appending(recyclable_log_ends_before_its_trailer, "RDB-021", "RDB-027")
def append_where_a_recyclable_trailer_is_due(log: RocksLog) -> None:
    """A writer appends to a log that ends ten bytes before the end of a block. The writer fills the
    trailer first."""
    log.append(*NEW)
    log.expect("intact", survivors=[0, *NEW])


@APPENDING.appending(recyclable_log_closed, "RDB-026", "RDB-029")
def append_to_a_closed_log(log: RocksLog) -> None:
    """A writer cuts off the clean close of a log before it appends."""
    log.append(*NEW)
    log.expect("intact", survivors=ALL)


@APPENDING.appending(synced_log_closed, "RDB-026", "RDB-029")
def append_to_a_closed_log_and_close_it(log: RocksLog) -> None:
    """A writer cuts off the clean close of a log before it appends, and then writes a new clean
    close."""
    log.context["closed"] = True
    log.append(*NEW)
    log.expect("intact", survivors=ALL, end=121)
    log.leaves({"": 132})


@APPENDING.appending(
    three_recyclable_records,
    "RDB-027",
    "RDB-029",
    control=append_to_three_recyclable_records,
    kind="eof",
    may_refuse=True,
)
def append_behind_a_torn_recyclable_record(log: RocksLog) -> None:
    """The last byte of the last record is missing. A writer cuts off the torn record before it
    appends."""
    log.shows("going-on-after-a-torn-record")
    log.truncate(49)
    log.append(*NEW)
    log.expect("intact", survivors=[0, 1, *NEW])


@APPENDING.appending(
    recyclable_fragments,
    "RDB-027",
    "RDB-029",
    control=append_to_three_recyclable_records,
    kind="eof",
    may_refuse=True,
)
def append_behind_an_unfinished_recyclable_record(log: RocksLog) -> None:
    """The log ends after a FIRST. A writer cuts off the FIRST before it appends."""
    log.truncate(BLOCK_SIZE)
    log.append(*NEW)
    log.expect("intact", survivors=[0, *NEW])


@APPENDING.appending(
    three_recyclable_records,
    "RDB-029",
    control=append_to_three_recyclable_records,
    kind="eof",
    may_refuse=True,
)
def append_behind_zeros_of_a_recyclable_log(log: RocksLog) -> None:
    """The log ends with zeros. A writer cuts off the zeros before it appends."""
    log.extend(bytes(5000))
    log.append(*NEW)
    log.expect("intact", survivors=ALL, end=81)
    log.leaves({"": 81})


@APPENDING.appending(older_records_of_the_same_size, "RDB-025", "RDB-029", may_refuse=True)
def append_over_an_older_log(log: RocksLog) -> None:
    """Records of an older log follow the end. A writer cuts off these records before it appends."""
    log.append(*NEW)
    log.expect("intact", survivors=[*range(20), *NEW], end=351)
    log.leaves({"": 351})


@APPENDING.appending(older_log_out_of_step, "RDB-029", "RDB-050", may_refuse=True)
def append_over_an_older_log_out_of_step(log: RocksLog) -> None:
    """Part of a record of an older log follows the end. A writer cuts off all older bytes before it
    appends."""
    log.append(*NEW)
    log.expect("intact", survivors=ALL, end=81)
    log.leaves({"": 81})


@APPENDING.appending(
    three_recyclable_records, "RDB-027", control=append_to_three_recyclable_records, kind="corrupt"
)
def append_to_a_damaged_recyclable_log(log: RocksLog) -> None:
    """The last block is damaged. A writer must refuse to append."""
    log.flip("blocks[0].records[1].data", 1)
    log.append(*NEW)
    log.expect_refusal("damaged", "checksum-mismatch", survivors=[0])


@APPENDING.appending(
    three_synced_records,
    "RDB-027",
    "RDB-056",
    control=append_to_three_synced_records,
    kind="corrupt",
)
def append_to_a_damaged_synced_log(log: RocksLog) -> None:
    """A WAL-sync log is damaged and ends inside a record. Only this record proves the damage, so a
    writer must refuse to append."""
    log.flip("blocks[0].records[1].data", 2)
    log.fill_block()
    log.extend(wal_sync(FULL, b"delta", 24) + wal_sync(FIRST, b"go", BLOCK_SIZE))
    log.append(*NEW)
    log.expect_refusal("damaged", "checksum-mismatch", survivors=[0, b"delta"])


@APPENDING.appending(
    synced_blocks, "RDB-027", "RDB-056", control=append_to_three_synced_records, kind="corrupt"
)
def append_to_a_proven_synced_log(log: RocksLog) -> None:
    """A WAL-sync log is damaged and ends in a torn tail. The records before the torn tail prove the
    damage, so a writer appends at the torn tail."""
    log.flip("blocks[0].records[1].data", 2)
    log.flip("blocks[2].records[0].data", 2)
    log.append(*NEW)
    log.expect("damaged", "checksum-mismatch", survivors=[0, 3, 4, *NEW])


@APPENDING.appending(
    recyclable_fragments,
    "RDB-027",
    "RDB-048",
    control=append_to_three_recyclable_records,
    kind="corrupt",
)
def append_behind_damage_in_an_earlier_block(log: RocksLog) -> None:
    """An earlier block is damaged, but a reader can read the last block to its end. A writer may
    append."""
    log.flip("blocks[0].records[0].data", 1)
    log.append(*NEW)
    log.expect("damaged", "checksum-mismatch", survivors=[2, *NEW])


@APPENDING.appending(
    three_recyclable_records, "RDB-027", control=append_to_three_recyclable_records, kind="eof"
)
def append_nothing_to_a_torn_recyclable_log(log: RocksLog) -> None:
    """Appending no records does not remove the torn record."""
    log.truncate(49)
    log.expect("torn", "torn-payload", survivors=[0, 1], end=32)
    log.leaves({"": 49})


@APPENDING.appending(timestamp_sizes_first, "RDB-027", "RDB-033")
def append_new_timestamp_sizes(log: RocksLog) -> None:
    """A writer appends a record with a timestamp size for a new column family."""
    log.append(b"delta", timestamp_sizes={"4": 8})
    log.expect("intact", survivors=[0, 1, b"delta"])


@APPENDING.appending(three_compressed_records, "RDB-028", "RDB-036")
def append_a_compressed_record(log: RocksLog) -> None:
    """A writer compresses a record that it appends to a compressed log."""
    log.append(b"delta")
    log.expect("intact", survivors=[0, 1, 2, b"delta"])


@APPENDING.appending(empty_log, "RDB-028", "RDB-030")
def append_compressed_to_nothing(log: RocksLog) -> None:
    """A writer appends two records to an empty log, with the configured dialect and compression."""
    log.context |= {"headers": "legacy", "compression": "zstd", "log_number": 7}
    log.append(*NEW)
    log.expect("intact", survivors=NEW)


@APPENDING.appending(
    three_recyclable_records,
    "RDB-028",
    "RDB-057",
    control=append_to_three_recyclable_records,
    kind="corrupt",
)
def append_a_sync_offset_to_a_recyclable_log(log: RocksLog) -> None:
    """A writer must refuse to append a record with a sync offset to a recyclable log."""
    log.append(b"delta", sync_offset="5")
    log.expect_refusal(survivors=[0, 1, 2])


@APPENDING.appending(
    timestamp_sizes_first, "RDB-033", control=append_new_timestamp_sizes, kind="corrupt"
)
def append_a_column_family_that_the_log_has(log: RocksLog) -> None:
    """A writer must refuse to append a timestamp size for a column family that the log already
    has."""
    log.append(b"delta", timestamp_sizes={"0": 8})
    log.expect_refusal(survivors=[0, 1])


@APPENDING.appending(
    nothing_but_compression_type_0,
    "RDB-058",
    control=append_to_three_synced_records,
    kind="corrupt",
)
def append_synced_after_a_compression_type(log: RocksLog) -> None:
    """A writer must refuse to append WAL-sync records after a compression record, because a reader
    would report damage at offset 0."""
    log.context |= {"headers": "wal-sync"}
    log.append(*NEW)
    log.expect_refusal()


@APPENDING.appending(
    empty_log, "RDB-006", "RDB-030", "RDB-058", control=append_to_nothing, kind="corrupt"
)
def append_synced_after_a_bad_compression_type(log: RocksLog) -> None:
    """A writer must refuse to append WAL-sync records after a compression record with five bytes of
    data. A reader would report the whole block as lost."""
    log.extend(compression_of_five_bytes())
    log.context |= {"headers": "wal-sync"}
    log.append(*NEW)
    log.expect_refusal("damaged", "bad-metadata")


@APPENDING.appending(empty_log, "RDB-050", "RDB-058", control=append_to_nothing, kind="corrupt")
def append_synced_after_an_unknown_type(log: RocksLog) -> None:
    """A writer must refuse to append a WAL-sync record after a record of an unknown type, because a
    reader would end the log at offset 0."""
    log.extend(legacy(77, b"x"))
    log.context |= {"headers": "wal-sync"}
    log.append(b"delta", sync_offset="0")
    log.expect_refusal("damaged", "unknown-type")


@APPENDING.appending(nothing_but_the_compression_type, "RDB-028", "RDB-058")
def append_recyclable_after_a_compression_type(log: RocksLog) -> None:
    """A writer appends to a log with only a compression record. The log stays compressed and gets
    the configured dialect."""
    log.context |= {"headers": "recyclable", "compression": "none"}
    log.append(*NEW)
    log.expect("intact", survivors=NEW)


@APPENDING.appending(empty_log, "RDB-058", control=append_compressed_to_nothing, kind="corrupt")
def append_compressed_where_it_is_too_late(log: RocksLog) -> None:
    """A writer must refuse to append compressed records to a log that begins with a record of an
    unknown type."""
    log.extend(legacy(77, b"x"))
    log.context |= {"headers": "legacy", "compression": "zstd"}
    log.append(*NEW)
    log.expect_refusal("damaged", "unknown-type")


def lose_the_compression_type(log: RocksLog) -> None:
    """Replace the compression record by an invalid one of five bytes. No record then shows the
    compression."""
    log.splice(
        "blocks[0].records[0]",
        compression_of_five_bytes(),
    )


@APPENDING.appending(
    nothing_but_the_compression_type,
    "RDB-030",
    "RDB-032",
    "RDB-058",
    control=append_recyclable_after_a_compression_type,
    kind="corrupt",
)
def append_what_looks_compressed(log: RocksLog) -> None:
    """The compression record is invalid. A writer must refuse to append a first record that begins
    with the zstd magic number."""
    lose_the_compression_type(log)
    log.append(MAGIC + b"rest")
    log.expect_refusal("damaged", "bad-metadata")


@APPENDING.appending(
    nothing_but_the_compression_type,
    "RDB-030",
    "RDB-032",
    "RDB-058",
    control=append_recyclable_after_a_compression_type,
    kind="corrupt",
)
def append_what_looks_compressed_second(log: RocksLog) -> None:
    """The compression record is invalid. A writer appends an ordinary record, then a record that
    begins with the zstd magic number."""
    lose_the_compression_type(log)
    log.append(b"delta", MAGIC + b"rest")
    log.expect("damaged", "bad-metadata", survivors=[b"delta", MAGIC + b"rest"])


@APPENDING.appending(three_recyclable_records, "RDB-032", "RDB-058", kind="limit")
def append_what_looks_compressed_to_a_plain_log(log: RocksLog) -> None:
    """A writer appends a record that begins with the zstd magic number to an intact, uncompressed
    log."""
    log.append(MAGIC + b"rest")
    log.expect("intact", survivors=[0, 1, 2, MAGIC + b"rest"])


@APPENDING.appending(three_recyclable_records, "RDB-028", "RDB-058")
def append_to_a_plain_log_with_a_compression(log: RocksLog) -> None:
    """A writer appends to an uncompressed log. The log stays uncompressed although zstd is
    configured."""
    log.context["compression"] = "zstd"
    log.append(*NEW)
    log.expect("intact", survivors=ALL)


@APPENDING.appending(
    three_compressed_records,
    "RDB-037",
    "RDB-058",
    control=append_a_compressed_record,
    kind="corrupt",
)
def append_a_record_larger_than_the_limit(log: RocksLog) -> None:
    """A writer must refuse to append a record of 11 bytes to a compressed log if the limit is 10
    bytes."""
    log.context["max_record_size"] = 10
    log.append(b"eleven byte")
    log.expect_refusal(survivors=[0, 1, 2])


@APPENDING.appending(
    three_compressed_records,
    "RDB-038",
    "RDB-058",
    control=append_a_compressed_record,
    kind="corrupt",
)
def append_beyond_the_budget(log: RocksLog) -> None:
    """A writer must refuse to append a record to a compressed log if the record exceeds the
    remaining decompression budget."""
    log.context["max_record_size"] = 1 << 20
    mebibyte = bytes(1 << 20)
    log.extend(legacy(FULL, frame_of_one_byte(0, 1 << 20)) * 4)
    log.append(mebibyte)
    log.expect_refusal(survivors=[0, 1, 2, *[mebibyte] * 4])


@APPENDING.appending(three_recyclable_records, "RDB-026", "RDB-027")
def append_nothing_and_close(log: RocksLog) -> None:
    """Appending no records does not close the log."""
    log.context["closed"] = True
    log.expect("intact", survivors=[0, 1, 2], end=50)
    log.leaves({"": 50})


@APPENDING.appending(
    three_recyclable_records, "RDB-027", control=append_to_three_recyclable_records, kind="corrupt"
)
def append_nothing_to_a_damaged_recyclable_log(log: RocksLog) -> None:
    """The last block is damaged. A writer must refuse even an append of no records."""
    log.flip("blocks[0].records[1].data", 1)
    log.expect_refusal("damaged", "checksum-mismatch", survivors=[0])
