"""Types that the dialect of a log does not have, and telling the dialects apart."""

from conformance.recipes.rocksdb_wal.checksum import blocks_without_a_sync, synced_blocks
from conformance.recipes.rocksdb_wal.fragments import legacy_records_of_growing_size
from conformance.recipes.rocksdb_wal.layout import (
    empty_log,
    legacy_ignorable_type,
    recyclable_fragments,
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
    RECYCLABLE,
    WAL_SYNC,
    RocksLog,
    legacy,
    numbered,
    recyclable,
    wal_sync,
)
from conformance.recipes.variation import Kept
from reference_impl.rocksdb_wal.layout import pack


@BOOK.damaged(three_legacy_records, "types", "RDB-047", "RDB-040")
def legacy_type_103(log: RocksLog) -> None:
    """A type that no dialect has: the record is lost, and nothing else."""
    log.retype("blocks[0].records[1]", 103)
    log.expect("damaged", "unknown-type", survivors=[0, 2])


@BOOK.damaged(three_legacy_records, "types", "RDB-047")
def legacy_type_0_with_data(log: RocksLog) -> None:
    """Type 0 with data and a right checksum is an unknown type, and no zero header."""
    log.retype("blocks[0].records[1]", 0)
    log.expect("damaged", "unknown-type", survivors=[0, 2])


@BOOK.damaged(three_legacy_records, "types", "RDB-006", "RDB-047")
def legacy_type_12(log: RocksLog) -> None:
    """Type 12 has a 7-byte header outside WAL-sync logs, and is unknown there."""
    log.retype("blocks[0].records[1]", 12)
    log.expect("damaged", "unknown-type", survivors=[0, 2])


@BOOK.damaged(three_legacy_records, "types", "RDB-007", "RDB-047")
def recyclable_full_in_a_legacy_log(log: RocksLog) -> None:
    """A sound record with an 11-byte header after legacy ones."""
    log.hangs_upstream()
    log.splice("blocks[0].records[1]", recyclable(FULL, b"ghost"), "a recyclable FULL")
    log.expect("damaged", "unknown-type", survivors=[0, 2])
    log.bug("RocksDB 9.4 and later read the header for ever (Reader::ReadPhysicalRecord)")


@BOOK.damaged(three_legacy_records, "types", "RDB-041", "RDB-047", kind="eof")
def garbage_with_type_7_after_a_legacy_log(log: RocksLog) -> None:
    """Twenty bytes of garbage whose seventh is 7: a cut record with an 11-byte header."""
    log.hangs_upstream()
    log.extend(bytes(range(1, 21)), "the bytes 1 to 20")
    log.expect("torn", "torn-payload", survivors=[0, 1, 2])
    log.bug("RocksDB 9.4 and later read the header for ever")


@BOOK.damaged(three_legacy_records, "types", "RDB-006", "RDB-044")
def legacy_type_5_with_a_short_header(log: RocksLog) -> None:
    """A type 5 whose checksum is right for a 7-byte header is not sound with its own."""
    log.hangs_upstream()
    log.splice("blocks[0].records[1]", legacy(FULL, b"bravo"), "itself")
    log.data[18:19] = b"\x05"
    log.did("set its type to 5")
    log.expect("damaged", "checksum-mismatch", survivors=[0], end=None)


@BOOK.damaged(legacy_ignorable_type, "types", "RDB-011", "RDB-044")
def ignorable_type_flipped(log: RocksLog) -> None:
    """Only a sound record can be ignored."""
    log.flip("blocks[0].records[1].data", 1)
    log.expect("damaged", "checksum-mismatch", survivors=[0])


@BOOK.valid("types", "RDB-011", "RDB-049")
def ignorable_type_after_an_empty_first(log: RocksLog) -> None:
    """It ends an open record; one without data loses nothing."""
    log.write(b"alpha", headers=LEGACY)
    log.data += legacy(FIRST, b"") + legacy(200, b"of a later version")
    log.write(b"charlie", headers=LEGACY)
    log.expect("intact", survivors=[0, 1])


@BOOK.damaged(ignorable_type_after_an_empty_first, "types", "RDB-011", "RDB-049", "RDB-048")
def ignorable_type_in_the_middle_of_a_record(log: RocksLog) -> None:
    """FIRST, an ignorable record, LAST: nothing is joined across it."""
    log.splice("blocks[0].records[3]", legacy(LAST, b"vo"), "a LAST")
    log.splice("blocks[0].records[1]", legacy(FIRST, b"bra"), "a FIRST with data")
    log.expect("damaged", "incomplete-record", survivors=[0])


@BOOK.damaged(three_recyclable_records, "types", "RDB-011", "RDB-047")
def ignorable_type_in_a_recyclable_log(log: RocksLog) -> None:
    """It has no log number, so nothing shows that it belongs to this log."""
    log.splice("blocks[0].records[1]", legacy(200, b"ghost"), "a record of type 200")
    log.expect("damaged", "unknown-type", survivors=[0, 2])


@BOOK.damaged(three_synced_records, "types", "RDB-047", "RDB-050")
def type_103_in_a_synced_log(log: RocksLog) -> None:
    """After the last sync, an unknown type ends a WAL-sync log."""
    log.splice("blocks[0].records[2]", legacy(103, b"ghost"), "a record of type 103")
    log.expect("torn", "torn-tail", survivors=[0, 1], end=48)


@BOOK.damaged(synced_blocks, "types", "RDB-017", "RDB-047")
def type_103_before_what_was_synced(log: RocksLog) -> None:
    """Before the last sync, it costs no more than itself."""
    record = legacy(103, b"ghost" + bytes(12))
    log.splice("blocks[0].records[1]", record, "a record of type 103 and the same size")
    log.expect("damaged", "unknown-type", survivors=[0, 2, 3, 4, 5])


@BOOK.valid("types", "RDB-012", "RDB-013")
def synced_record_of_four_bytes_first(log: RocksLog) -> None:
    """Type 9 with a length of 4 at the start: its checksum is right with a 19-byte header."""
    log.write(b"four", b"bravo", headers=WAL_SYNC)
    log.expect("intact", survivors=[0, 1])


@BOOK.valid("types", "RDB-012", "RDB-013")
def synced_first_of_six_times_something(log: RocksLog) -> None:
    """Type 10 with a length that timestamp sizes may have."""
    log.write(numbered(40_000), b"bravo", headers=WAL_SYNC)
    log.expect("intact", survivors=[0, 1])


@BOOK.damaged(synced_blocks, "types", "RDB-012", "RDB-013")
def first_synced_record_flipped(log: RocksLog) -> None:
    """The first record is damaged: the next block shows the dialect."""
    log.flip("blocks[0].records[0].data", 1)
    log.expect("damaged", "checksum-mismatch", survivors=[3, 4, 5])


@BOOK.damaged(recyclable_fragments, "types", "RDB-012")
def first_recyclable_header_zeroed(log: RocksLog) -> None:
    """The first header is gone: the next block shows dialect and number."""
    log.zero("blocks[0].records[0].header")
    log.expect("damaged", "zero-header", survivors=[2])


@BOOK.damaged(legacy_records_of_growing_size, "types", "RDB-012", "RDB-016")
def first_legacy_record_flipped(log: RocksLog) -> None:
    """The same in a legacy log: every fault is damage."""
    log.flip("blocks[0].records[0].data", 1)
    log.expect("damaged", "checksum-mismatch", survivors=[2])


@BOOK.damaged(three_synced_records, "types", "RDB-012", "RDB-050", kind="limit")
def only_block_begins_with_damage(log: RocksLog) -> None:
    """One block, and its first record is damaged: nothing shows the dialect."""
    log.flip("blocks[0].records[0].data", 1)
    log.expect("damaged", "checksum-mismatch", survivors=[], end=None)


@BOOK.damaged(legacy_records_of_growing_size, "types", "RDB-015", "RDB-047", "RDB-050")
def record_of_another_log_in_a_legacy_log(log: RocksLog) -> None:
    """A legacy log has no number, so that no number ends it: damage, and an unknown type."""
    log.hangs_upstream()
    record = recyclable(FULL, numbered(32757), 8)
    log.splice("blocks[1]", record, "a block of log 8")
    log.flip("blocks[0].records[0].data", 1)
    log.expect("damaged", "checksum-mismatch", survivors=[2])


@BOOK.damaged(synced_blocks, "types", "RDB-013", "RDB-032", kind="limit")
def first_synced_record_flipped_before_a_frame(log: RocksLog) -> None:
    """Without a sound start, data that begins like a frame is still not compressed here."""
    like_a_frame = b"\x28\xb5\x2f\xfd and what follows"
    record = wal_sync(FULL, like_a_frame, 32768)
    log.splice("blocks[1].records[0]", record, "a record that begins like a frame")
    log.flip("blocks[0].records[0].data", 1)
    log.truncate(32768 + len(record))
    log.expect("damaged", "checksum-mismatch", survivors=[Kept(like_a_frame)])


@BOOK.damaged(blocks_without_a_sync, "types", "RDB-017", "RDB-050")
def recyclable_block_proves_nothing(log: RocksLog) -> None:
    """A block that begins with a recyclable record of this number is not of this dialect."""
    log.splice("blocks[1]", recyclable(FULL, numbered(32757)), "a recyclable block")
    log.flip("blocks[0].records[1].data", 2)
    log.expect("torn", "torn-tail", survivors=[0], end=24)


@BOOK.damaged(empty_log, "types", "RDB-011", "RDB-047")
def ignorable_type_in_a_log_without_a_dialect(log: RocksLog) -> None:
    """Only a legacy log has ignorable types, and nothing shows that this is one."""
    log.extend(legacy(140, b"ghost"), "a record of type 140")
    log.expect("damaged", "unknown-type", survivors=[], end=12)


@BOOK.damaged(empty_log, "types", "RDB-013", "RDB-047")
def type_12_in_a_log_without_a_dialect(log: RocksLog) -> None:
    """The checksum is right with a 7-byte header: a type that no dialect has."""
    log.extend(legacy(12, b"x"), "a record of type 12")
    log.expect("damaged", "unknown-type", survivors=[], end=8)


@BOOK.damaged(empty_log, "types", "RDB-013", "RDB-043")
def type_9_that_only_a_short_header_fits(log: RocksLog) -> None:
    """With neither header sound, type 9 has 19 bytes, and then the length leaves the block."""
    log.extend(b"\0\x11\x22\x33\xf4\x7f\x09ghost", "a length of 32756, type 9")
    log.expect("damaged", "bad-length", survivors=[], end=None)


@BOOK.damaged(empty_log, "types", "RDB-004", "RDB-012")
def eight_bytes_left_in_a_log_without_a_dialect(log: RocksLog) -> None:
    """Without a dialect a trailer is shorter than 7 bytes: a record fits into 8."""
    log.extend(legacy(77, numbered(BLOCK_SIZE - 15)), "a record of type 77")
    log.extend(legacy(78, b"y") + legacy(79, b""), "records of types 78 and 79")
    log.expect("damaged", "unknown-type", survivors=[], end=BLOCK_SIZE + 7)


@BOOK.valid("types", "RDB-011")
def ignorable_types_from_128_to_255(log: RocksLog) -> None:
    """The lowest and the highest ignorable types, and those around RocksDB's metadata."""
    log.write(b"alpha", headers=LEGACY)
    for kind in (128, 129, 132, 255):
        log.data += legacy(kind, b"of a later version")
    log.write(b"bravo", headers=LEGACY)
    log.expect("intact", survivors=[0, 1])


@BOOK.damaged(three_legacy_records, "types", "RDB-045")
def legacy_type_0_without_data(log: RocksLog) -> None:
    """Type and length are 0, and the checksum is right: still a header of zeros."""
    log.extend(legacy(0, b"") + legacy(FULL, b"ghost"), "a record of type 0, and a FULL")
    log.expect("damaged", "zero-header", survivors=[0, 1, 2], end=None)


@BOOK.damaged(three_recyclable_records, "types", "RDB-006", "RDB-047")
def type_130_in_a_recyclable_log(log: RocksLog) -> None:
    """Its header has 7 bytes in every dialect."""
    log.extend(legacy(130, bytes(24)) + recyclable(FULL, b"delta"), "type 130, and a FULL")
    log.expect("damaged", "unknown-type", survivors=[0, 1, 2, Kept(b"delta")])


@BOOK.damaged(three_recyclable_records, "types", "RDB-006", "RDB-047")
def type_12_in_a_recyclable_log(log: RocksLog) -> None:
    """Its header has 7 bytes outside WAL-sync logs."""
    log.extend(legacy(12, bytes(20)) + recyclable(FULL, b"delta"), "type 12, and a FULL")
    log.expect("damaged", "unknown-type", survivors=[0, 1, 2, Kept(b"delta")])


@BOOK.damaged(three_synced_records, "types", "RDB-006", "RDB-017", "RDB-047")
def legacy_full_before_what_was_synced(log: RocksLog) -> None:
    """A legacy FULL has its 7-byte header also in a WAL-sync log, and is lost alone."""
    log.extend(legacy(FULL, bytes(30)) + wal_sync(FULL, b"delta", 200), "two FULL")
    log.expect("damaged", "unknown-type", survivors=[0, 1, 2, Kept(b"delta")])


@BOOK.damaged(three_synced_records, "types", "RDB-006", "RDB-011", "RDB-047")
def ignorable_type_before_what_was_synced(log: RocksLog) -> None:
    """A WAL-sync log has no ignorable types."""
    log.extend(legacy(140, b"x") + wal_sync(FULL, b"delta", 200), "type 140, and a FULL")
    log.expect("damaged", "unknown-type", survivors=[0, 1, 2, Kept(b"delta")])


@BOOK.damaged(three_synced_records, "types", "RDB-006", "RDB-019", "RDB-047", "RDB-056")
def preceding_log_before_what_was_synced(log: RocksLog) -> None:
    """Type 131 has 11 bytes also in a WAL-sync log. Zeros at the end do not make `end` null."""
    log.extend(pack(RECYCLABLE, 131, bytes(24), 12), "type 131")
    log.extend(wal_sync(FULL, b"delta", 200) + bytes(100), "a FULL and 100 zeros")
    log.expect("damaged", "unknown-type", survivors=[0, 1, 2, Kept(b"delta")], end=133)


@BOOK.damaged(three_synced_records, "types", "RDB-012", "RDB-017")
def sound_header_of_zeros_first_in_a_block(log: RocksLog) -> None:
    """A sound record of type 0 is surveyed, and so is the sync offset behind it."""
    log.flip("blocks[0].records[2].data", 1)
    log.fill_block()
    log.extend(legacy(0, b"") + wal_sync(FULL, b"ghost", 49), "type 0, and a FULL")
    log.expect("damaged", "checksum-mismatch", survivors=[0, 1], end=None)
