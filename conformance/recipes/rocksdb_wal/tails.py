"""Logs that end early, after unfinished writes."""

from conformance.recipes.rocksdb_wal.clean_close import recyclable_log_closed, synced_log_closed
from conformance.recipes.rocksdb_wal.layout import three_recyclable_records
from conformance.recipes.rocksdb_wal.log import (
    BLOCK_SIZE,
    FIRST,
    FULL,
    LAST,
    OLDER,
    TORN_TAIL,
    RocksLog,
    flipped,
    legacy,
    numbered,
    recyclable,
)
from conformance.recipes.rocksdb_wal.metadata import everything_rocksdb_says


@TORN_TAIL.truncations(recyclable_log_closed, "RDB-041", "RDB-026")
def every_prefix_of_a_recyclable_log(log: RocksLog) -> None:
    """Every prefix of a closed recyclable log."""
    log.expect("intact", survivors=[0, 1, 2])


@TORN_TAIL.truncations(everything_rocksdb_says, "RDB-041")
def every_prefix_of_a_log_with_metadata(log: RocksLog) -> None:
    """Every prefix of a compressed log with metadata."""
    log.expect("intact", survivors=[0, 1])


@TORN_TAIL.truncations(synced_log_closed, "RDB-013", "RDB-041", "RDB-026")
def every_prefix_of_a_synced_log(log: RocksLog) -> None:
    """Every prefix of a closed WAL-sync log."""
    log.expect("intact", survivors=[0, 1, 2])


@TORN_TAIL.damaged(three_recyclable_records, "RDB-025", "RDB-041", kind="limit")
def record_of_another_log_cut(log: RocksLog) -> None:
    """The log ends inside a record of another log. A reader does not use the number of a cut
    record, so the log is torn."""
    log.extend(recyclable(FULL, b"ghost", OLDER)[:-1])
    log.expect("torn", "torn-payload", survivors=[0, 1, 2], end=50)


@TORN_TAIL.damaged(three_recyclable_records, "RDB-006", "RDB-041")
def legacy_record_cut_in_a_recyclable_log(log: RocksLog) -> None:
    """A recyclable log ends inside a legacy record. Type 1 has a 7-byte header in every dialect, so
    the cut is in the data."""
    log.extend(legacy(FULL, b"abcdef")[:9])
    log.expect("torn", "torn-payload", survivors=[0, 1, 2], end=50)


TORN_TAIL.table("""
recyclable_cut_before_the_type: three_recyclable_records RDB-041
    The log ends inside a header, before the type.
    damage: truncate 6 bytes into blocks[0].records[2].header
    expect: torn torn-header, survivors 0 1, end 32
recyclable_cut_in_the_log_number: three_recyclable_records RDB-041
    The log ends inside the log number of a header.
    damage: truncate 9 bytes into blocks[0].records[2].header
    expect: torn torn-header, survivors 0 1, end 32
synced_cut_in_the_sync_offset: three_synced_records RDB-041
    The log ends inside the sync offset of a header.
    damage: truncate 18 bytes into blocks[0].records[2].header
    expect: torn torn-header, survivors 0 1, end 48
recyclable_cut_behind_a_header: three_recyclable_records RDB-041
    The log ends between the header and the data of a record.
    damage: truncate 0 bytes into blocks[0].records[2].data
    expect: torn torn-payload, survivors 0 1, end 32
recyclable_cut_in_a_payload: three_recyclable_records RDB-041 RDB-054
    The log ends one byte before the end of a record.
    damage: truncate at 49
    expect: torn torn-payload, survivors 0 1, end 32
synced_cut_in_a_payload: three_synced_records RDB-041
    A WAL-sync log ends one byte before the end of a record.
    damage: truncate at 73
    expect: torn torn-payload, survivors 0 1, end 48
recyclable_cut_between_fragments: recyclable_fragments RDB-042
    The log ends between two fragments of a record.
    damage: truncate at 32768
    expect: torn torn-record, survivors 0, end 16
synced_cut_between_fragments: synced_fragments RDB-042
    A WAL-sync log ends between two fragments of a record.
    damage: truncate at 65536
    expect: torn torn-record, survivors 0, end 24
recyclable_cut_in_a_fragment: recyclable_fragments RDB-041
    The log ends inside a MIDDLE. The lost range begins at the FIRST.
    damage: truncate at 32868
    expect: torn torn-payload, survivors 0, end 16
recyclable_cut_after_a_middle: recyclable_fragments_within_one_block RDB-042
    The log ends after a FIRST and a MIDDLE in the same block.
    damage: truncate 0 bytes into blocks[0].records[2]
    expect: torn torn-record, no survivors, end 0
recyclable_cut_in_a_trailer: recyclable_trailer RDB-004 eof
    The log ends inside a trailer of ten bytes, and is intact.
    damage: truncate at 32766
    expect: intact, survivors 0, end 32766
synced_cut_in_a_trailer: synced_trailer RDB-004 eof
    A WAL-sync log ends inside a trailer of 18 bytes, and is intact.
    damage: truncate at 32765
    expect: intact, survivors 0, end 32765
synced_cut_after_an_orphan: three_synced_records RDB-041 RDB-048 RDB-056
    A WAL-sync log with an orphan ends inside a record. An orphan is damage in any place, so a
    writer may append where the record begins.
    retype: blocks[0].records[0], S_MIDDLE
    damage: truncate 2 bytes into blocks[0].records[2].data
    expect: damaged orphan-fragment, survivors 1, end 48
cut_in_a_trailer_that_is_not_zero: recyclable_log_ends_before_its_trailer RDB-004 RDB-040 eof
    The log ends inside a trailer that is not zero, and is intact.
    damage: extend by 61 62 63
    expect: intact, survivors 0, end 32761
""")


@TORN_TAIL.damaged(three_recyclable_records, "RDB-042")
def cut_after_an_empty_first(log: RocksLog) -> None:
    """The log ends after an empty FIRST. The record is torn although it has no data."""
    log.extend(recyclable(FIRST, b""))
    log.expect("torn", "torn-record", survivors=[0, 1, 2], end=50)


@TORN_TAIL.damaged(three_recyclable_records, "RDB-041")
def last_cut_after_an_empty_first(log: RocksLog) -> None:
    """The log ends inside a LAST after an empty FIRST. The lost range begins at the FIRST."""
    log.extend(recyclable(FIRST, b"") + recyclable(LAST, b"last")[:-1])
    log.expect("torn", "torn-payload", survivors=[0, 1, 2], end=50)


@TORN_TAIL.damaged(three_recyclable_records, "RDB-004", "RDB-042")
def cut_in_a_trailer_after_a_first(log: RocksLog) -> None:
    """The log ends inside a trailer after a FIRST. The lost range ends before the trailer."""
    log.extend(recyclable(FIRST, numbered(BLOCK_SIZE - 50 - 11 - 8)))
    log.extend(bytes(3))
    log.expect("torn", "torn-record", survivors=[0, 1, 2], end=50)


@TORN_TAIL.damaged(three_recyclable_records, "RDB-004", "RDB-050", "RDB-051")
def last_flipped_after_a_trailer(log: RocksLog) -> None:
    """One bit of a LAST is flipped. The lost range of the open record ends before the trailer
    between FIRST and LAST. A record of this log follows, so this is damage."""
    log.extend(recyclable(FIRST, numbered(BLOCK_SIZE - 50 - 11 - 8)))
    last = flipped(recyclable(LAST, b"last")) + recyclable(FULL, b"delta")
    log.extend(bytes(8) + last)
    log.expect("damaged", "checksum-mismatch", survivors=[0, 1, 2], end=None)
