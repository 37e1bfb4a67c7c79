"""Recover, append, read again: nothing acknowledged may be lost."""

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
from conformance.recipes.rocksdb_wal.log import BLOCK_SIZE, BOOK, FULL, RocksLog, legacy
from conformance.recipes.rocksdb_wal.log_number import (
    older_log_out_of_step,
    older_records_of_the_same_size,
)
from conformance.recipes.rocksdb_wal.metadata import timestamp_sizes_first
from conformance.recipes.rocksdb_wal.zstd_frames import MAGIC, frame_of_one_byte
from conformance.recipes.variation import Kept

NEW = (b"delta", b"echo")
ALL: list[int | bytes] = [0, 1, 2, *NEW]


@BOOK.appending(three_recyclable_records, "appending", "RDB-027", "RDB-028")
def append_to_three_recyclable_records(log: RocksLog) -> None:
    """Two records appended with the number of the log."""
    log.append(*NEW)
    log.expect("intact", survivors=ALL)


@BOOK.appending(three_synced_records, "appending", "RDB-027", "RDB-028")
def append_to_three_synced_records(log: RocksLog) -> None:
    """Two records appended with 19-byte headers, as the log has them."""
    log.append(*NEW)
    log.expect("intact", survivors=ALL)


@BOOK.appending(three_legacy_records, "appending", "RDB-027", "RDB-028")
def append_to_three_legacy_records(log: RocksLog) -> None:
    """Two records appended with 7-byte headers, as the log has them."""
    log.append(*NEW)
    log.expect("intact", survivors=ALL)


@BOOK.appending(empty_log, "appending", "RDB-028")
def append_to_nothing(log: RocksLog) -> None:
    """A log without a dialect takes what is given."""
    log.context |= {"headers": "wal-sync", "log_number": 7}
    log.append(*NEW)
    log.expect("intact", survivors=NEW, end=47)
    log.leaves({"": 47})


@BOOK.appending(empty_log_closed_and_no_number, "appending", "RDB-028", "RDB-029")
def append_to_a_closed_empty_log(log: RocksLog) -> None:
    """The close tells the number of a log that has nothing else."""
    log.append(*NEW)
    log.expect("intact", survivors=NEW)


@BOOK.appending(three_compressed_records, "appending", "RDB-028", "RDB-035")
def append_to_compressed_records(log: RocksLog) -> None:
    """The log stays compressed; an empty record has no frame."""
    log.append(b"")
    log.expect("intact", survivors=[0, 1, 2, b""])


@BOOK.appending(recyclable_log_ends_before_its_trailer, "appending", "RDB-021", "RDB-027")
def append_where_a_recyclable_trailer_is_due(log: RocksLog) -> None:
    """Ten bytes are left in the block: the appender writes the trailer first."""
    log.append(*NEW)
    log.expect("intact", survivors=[0, *NEW])


@BOOK.appending(recyclable_log_closed, "appending", "RDB-026", "RDB-029")
def append_to_a_closed_log(log: RocksLog) -> None:
    """The close is cut off first."""
    log.append(*NEW)
    log.expect("intact", survivors=ALL)


@BOOK.appending(synced_log_closed, "appending", "RDB-026", "RDB-029")
def append_to_a_closed_log_and_close_it(log: RocksLog) -> None:
    """The close is cut off, and written anew."""
    log.context["closed"] = True
    log.append(*NEW)
    log.expect("intact", survivors=ALL, end=121)
    log.leaves({"": 132})


@BOOK.appending(
    three_recyclable_records,
    "appending",
    "RDB-027",
    "RDB-029",
    control=append_to_three_recyclable_records,
    kind="eof",
    may_refuse=True,
)
def append_behind_a_torn_recyclable_record(log: RocksLog) -> None:
    """One byte of the last record is missing: it must not swallow what is appended."""
    log.shows("going-on-after-a-torn-record")
    log.truncate(49)
    log.append(*NEW)
    log.expect("intact", survivors=[0, 1, *NEW])


@BOOK.appending(
    recyclable_fragments,
    "appending",
    "RDB-027",
    "RDB-029",
    control=append_to_three_recyclable_records,
    kind="eof",
    may_refuse=True,
)
def append_behind_an_unfinished_recyclable_record(log: RocksLog) -> None:
    """FIRST without LAST at the end: what is appended must not be joined to it."""
    log.truncate(BLOCK_SIZE)
    log.append(*NEW)
    log.expect("intact", survivors=[0, *NEW])


@BOOK.appending(
    three_recyclable_records,
    "appending",
    "RDB-029",
    control=append_to_three_recyclable_records,
    kind="eof",
    may_refuse=True,
)
def append_behind_zeros_of_a_recyclable_log(log: RocksLog) -> None:
    """Zeros at the end are cut off."""
    log.extend(bytes(5000), "5000 zeros")
    log.append(*NEW)
    log.expect("intact", survivors=ALL, end=81)
    log.leaves({"": 81})


@BOOK.appending(older_records_of_the_same_size, "appending", "RDB-025", "RDB-029", may_refuse=True)
def append_over_an_older_log(log: RocksLog) -> None:
    """What an older log left is cut off, and not written over."""
    log.append(*NEW)
    log.expect("intact", survivors=[*range(20), *NEW], end=351)
    log.leaves({"": 351})


@BOOK.appending(older_log_out_of_step, "appending", "RDB-029", "RDB-050", may_refuse=True)
def append_over_an_older_log_out_of_step(log: RocksLog) -> None:
    """The same where the older log is out of step."""
    log.append(*NEW)
    log.expect("intact", survivors=ALL, end=81)
    log.leaves({"": 81})


@BOOK.appending(
    three_recyclable_records,
    "appending",
    "RDB-027",
    control=append_to_three_recyclable_records,
    kind="corrupt",
)
def append_to_a_damaged_recyclable_log(log: RocksLog) -> None:
    """The last block was given up: a writer must begin a new file."""
    log.flip("blocks[0].records[2].data", 1)
    log.append(*NEW)
    log.expect_refusal("damaged", "checksum-mismatch", survivors=[0, 1])


@BOOK.appending(
    synced_blocks,
    "appending",
    "RDB-027",
    "RDB-056",
    control=append_to_three_synced_records,
    kind="corrupt",
)
def append_to_a_damaged_synced_log(log: RocksLog) -> None:
    """Damage that only a record after the end proves: the log must not be cut off there."""
    log.flip("blocks[0].records[1].data", 2)
    log.flip("blocks[2].records[0].data", 2)
    log.append(*NEW)
    log.expect_refusal("damaged", "checksum-mismatch", survivors=[0, 3, 4])


@BOOK.appending(
    recyclable_fragments,
    "appending",
    "RDB-027",
    "RDB-048",
    control=append_to_three_recyclable_records,
    kind="corrupt",
)
def append_behind_damage_in_an_earlier_block(log: RocksLog) -> None:
    """The reader is in step again at the end: a writer may go on."""
    log.flip("blocks[0].records[0].data", 1)
    log.append(*NEW)
    log.expect("damaged", "checksum-mismatch", survivors=[2, *NEW])


@BOOK.appending(
    three_recyclable_records,
    "appending",
    "RDB-027",
    control=append_to_three_recyclable_records,
    kind="eof",
)
def append_nothing_to_a_torn_recyclable_log(log: RocksLog) -> None:
    """An append of no records changes nothing."""
    log.truncate(49)
    log.expect("torn", "torn-payload", survivors=[0, 1], end=32)
    log.leaves({"": 49})


@BOOK.appending(timestamp_sizes_first, "appending", "RDB-027", "RDB-033")
def append_new_timestamp_sizes(log: RocksLog) -> None:
    """Another column family gets timestamps."""
    log.append(b"delta", timestamp_sizes={"4": 8})
    log.expect("intact", survivors=[0, 1, b"delta"])


@BOOK.appending(three_compressed_records, "appending", "RDB-028", "RDB-036")
def append_a_compressed_record(log: RocksLog) -> None:
    """A writer compresses what it appends to a compressed log."""
    log.append(b"delta")
    log.expect("intact", survivors=[0, 1, 2, b"delta"])


@BOOK.appending(empty_log, "appending", "RDB-028", "RDB-030")
def append_compressed_to_nothing(log: RocksLog) -> None:
    """A log without a dialect takes the compression that is given."""
    log.context |= {"headers": "legacy", "compression": "zstd", "log_number": 7}
    log.append(*NEW)
    log.expect("intact", survivors=NEW)


@BOOK.appending(
    three_recyclable_records,
    "appending",
    "RDB-028",
    "RDB-057",
    control=append_to_three_recyclable_records,
    kind="corrupt",
)
def append_a_sync_offset_to_a_recyclable_log(log: RocksLog) -> None:
    """A recyclable header has no sync offset, so that the append is refused."""
    log.append(b"delta", sync_offset="5")
    log.expect_refusal(survivors=[0, 1, 2])


@BOOK.appending(
    timestamp_sizes_first,
    "appending",
    "RDB-033",
    control=append_new_timestamp_sizes,
    kind="corrupt",
)
def append_a_column_family_that_the_log_has(log: RocksLog) -> None:
    """The log already has a timestamp size for column family 0."""
    log.append(b"delta", timestamp_sizes={"0": 8})
    log.expect_refusal(survivors=[0, 1])


@BOOK.appending(
    nothing_but_compression_type_0,
    "appending",
    "RDB-058",
    control=append_to_three_synced_records,
    kind="corrupt",
)
def append_synced_after_a_compression_type(log: RocksLog) -> None:
    """A WAL-sync log has no compression record: a reader would find damage at its start."""
    log.context |= {"headers": "wal-sync"}
    log.append(*NEW)
    log.expect_refusal()


@BOOK.appending(
    empty_log,
    "appending",
    "RDB-006",
    "RDB-030",
    "RDB-058",
    control=append_to_nothing,
    kind="corrupt",
)
def append_synced_after_a_bad_compression_type(log: RocksLog) -> None:
    """With 19-byte headers in the log, type 9 has one as well, and its block would be lost."""
    log.extend(compression_of_five_bytes(), "a compression type of five bytes")
    log.context |= {"headers": "wal-sync"}
    log.append(*NEW)
    log.expect_refusal("damaged", "bad-metadata")


@BOOK.appending(
    empty_log, "appending", "RDB-050", "RDB-058", control=append_to_nothing, kind="corrupt"
)
def append_synced_after_an_unknown_type(log: RocksLog) -> None:
    """The new record proves nothing: a reader would call what is before it a torn tail."""
    log.extend(legacy(77, b"x"), "a record of type 77")
    log.context |= {"headers": "wal-sync"}
    log.append(b"delta", sync_offset="0")
    log.expect_refusal("damaged", "unknown-type")


@BOOK.appending(nothing_but_the_compression_type, "appending", "RDB-028", "RDB-058")
def append_recyclable_after_a_compression_type(log: RocksLog) -> None:
    """The log keeps its compression, and takes the dialect that is given."""
    log.context |= {"headers": "recyclable", "compression": "none"}
    log.append(*NEW)
    log.expect("intact", survivors=NEW)


@BOOK.appending(
    empty_log,
    "appending",
    "RDB-058",
    control=append_compressed_to_nothing,
    kind="corrupt",
)
def append_compressed_where_it_is_too_late(log: RocksLog) -> None:
    """A compression record is valid at offset 0 only, and something else is there."""
    log.extend(legacy(77, b"x"), "a record of type 77")
    log.context |= {"headers": "legacy", "compression": "zstd"}
    log.append(*NEW)
    log.expect_refusal("damaged", "unknown-type")


def lose_the_compression_type(log: RocksLog) -> None:
    """Make the compression record too long, so that nothing shows how the log is compressed."""
    log.splice(
        "blocks[0].records[0]", compression_of_five_bytes(), "a compression type of five bytes"
    )


@BOOK.appending(
    nothing_but_the_compression_type,
    "appending",
    "RDB-030",
    "RDB-032",
    "RDB-058",
    control=append_recyclable_after_a_compression_type,
    kind="corrupt",
)
def append_what_looks_compressed(log: RocksLog) -> None:
    """The start of the log is lost: a reader would take the record for a frame."""
    lose_the_compression_type(log)
    log.append(Kept(MAGIC + b"rest"))
    log.expect_refusal("damaged", "bad-metadata")


@BOOK.appending(
    nothing_but_the_compression_type,
    "appending",
    "RDB-030",
    "RDB-032",
    "RDB-058",
    control=append_recyclable_after_a_compression_type,
    kind="corrupt",
)
def append_what_looks_compressed_second(log: RocksLog) -> None:
    """The first new record shows that the log is not compressed, whatever the second looks like."""
    lose_the_compression_type(log)
    log.append(b"delta", Kept(MAGIC + b"rest"))
    log.expect("damaged", "bad-metadata", survivors=[b"delta", Kept(MAGIC + b"rest")])


@BOOK.appending(three_recyclable_records, "appending", "RDB-032", "RDB-058", kind="limit")
def append_what_looks_compressed_to_a_plain_log(log: RocksLog) -> None:
    """The start of the log is sound, so that no reader takes the record for a frame."""
    log.append(Kept(MAGIC + b"rest"))
    log.expect("intact", survivors=[0, 1, 2, Kept(MAGIC + b"rest")])


@BOOK.appending(three_recyclable_records, "appending", "RDB-028", "RDB-058")
def append_to_a_plain_log_with_a_compression(log: RocksLog) -> None:
    """The log stays uncompressed, whatever is given."""
    log.context["compression"] = "zstd"
    log.append(*NEW)
    log.expect("intact", survivors=ALL)


@BOOK.appending(
    three_compressed_records,
    "appending",
    "RDB-037",
    "RDB-058",
    control=append_a_compressed_record,
    kind="corrupt",
)
def append_a_record_larger_than_the_limit(log: RocksLog) -> None:
    """A reader with the same limit would not return it."""
    log.context["max_record_size"] = 10
    log.append(b"eleven byte")
    log.expect_refusal(survivors=[0, 1, 2])


@BOOK.appending(
    three_compressed_records,
    "appending",
    "RDB-038",
    "RDB-058",
    control=append_a_compressed_record,
    kind="corrupt",
)
def append_beyond_the_budget(log: RocksLog) -> None:
    """The records of the log have used up what a reader decompresses."""
    log.context["max_record_size"] = 1 << 20
    mebibyte = Kept(bytes(1 << 20))
    log.extend(legacy(FULL, frame_of_one_byte(0, 1 << 20)) * 4, "four frames of 1 MiB")
    log.append(mebibyte)
    log.expect_refusal(survivors=[0, 1, 2, *[mebibyte] * 4])


@BOOK.appending(three_recyclable_records, "appending", "RDB-026", "RDB-027")
def append_nothing_and_close(log: RocksLog) -> None:
    """An append of no records changes nothing: the log is not closed either."""
    log.context["closed"] = True
    log.expect("intact", survivors=[0, 1, 2], end=50)
    log.leaves({"": 50})


@BOOK.appending(
    three_recyclable_records,
    "appending",
    "RDB-027",
    control=append_to_three_recyclable_records,
    kind="corrupt",
)
def append_nothing_to_a_damaged_recyclable_log(log: RocksLog) -> None:
    """Without an end, also an append of no records is refused."""
    log.flip("blocks[0].records[2].data", 1)
    log.expect_refusal("damaged", "checksum-mismatch", survivors=[0, 1])
