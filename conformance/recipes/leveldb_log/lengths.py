"""Invalid lengths in headers."""

from conformance.recipes.leveldb_log.layout import log_ends_with_its_block, three_records
from conformance.recipes.leveldb_log.log import LENGTHS, LevelDBLog

SILENT = (
    "LevelDB treats a length past the end of a short last block as a torn write. An acknowledged"
    " record with one flipped length bit can therefore be lost without a report."
)


@LENGTHS.damaged(three_records, "LDB-003", "LDB-023")
def length_beyond_the_block_at_the_end(log: LevelDBLog) -> None:
    """A length in a short last block extends past the end of the block. The fault is damage,
    because no writer writes such a length."""
    log.set("blocks[0].records[1].header.len_data", 0xFFFF)
    log.expect("damaged", "bad-length", survivors=[0], end=None)
    log.note(SILENT)


@LENGTHS.damaged(three_records, "LDB-022", kind="limit")
def length_as_large_as_the_block_allows(log: LevelDBLog) -> None:
    """The length of the last record is the largest that fits into the block. The record looks like
    a torn write and is reported as torn."""
    log.set("blocks[0].records[2].header.len_data", 32768 - 24 - 7)
    log.expect("torn", "torn-payload", survivors=[0, 1], end=24)


@LENGTHS.damaged(three_records, "LDB-003", "LDB-023", kind="limit")
def length_one_larger_than_the_block_allows(log: LevelDBLog) -> None:
    """The length of the last record is one more than fits into the block. The fault is damage, not
    a torn write."""
    log.set("blocks[0].records[2].header.len_data", 32768 - 24 - 7 + 1)
    log.expect("damaged", "bad-length", survivors=[0, 1], end=None)
    log.note(SILENT)


@LENGTHS.damaged(log_ends_with_its_block, "LDB-023", "LDB-024", "LDB-039")
def length_beyond_an_exactly_full_last_block(log: LevelDBLog) -> None:
    """A length extends past the end of a full last block. The fault is damage, not a torn write."""
    length = log.field("blocks[0].records[1].header.len_data")
    log.set(length.path, int.from_bytes(log.data[length.start : length.end], "little") + 1)
    log.expect("damaged", "bad-length", survivors=[0], end=32768)
    log.bug("rusty-leveldb returns a zero-extended record; ccl_leveldb returns a short record")


LENGTHS.table("""
length_one_too_many_at_the_end: three_records LDB-022 limit
    The length of the last record is one too large. The record looks like a torn write and is
    reported as torn.
    damage: set blocks[0].records[2].header.len_data to 8
    expect: torn torn-payload, survivors 0 1, end 24
    note: A reader cannot distinguish a damaged length from a torn write.
length_that_hides_the_records_behind_it: three_records LDB-022 LDB-016 limit
    The first length extends past the end of the log, but not past the end of the block. The whole
    log looks like one torn record.
    damage: set blocks[0].records[0].header.len_data to 261
    expect: torn torn-payload, no survivors, end 0
    note: Three acknowledged records look like an unfinished write, and a writer that appends at
      `end` destroys them. Keep a copy of the tail before you truncate the log.
length_one_too_few: three_records LDB-006 LDB-028
    The length of a record is one too small. The checksum does not match.
    damage: set blocks[0].records[1].header.len_data to 4
    expect: damaged checksum-mismatch, survivors 0
length_one_too_many: three_records LDB-006 LDB-028
    The length of a record is one too large and extends into the next header. The checksum does not
    match.
    damage: set blocks[0].records[0].header.len_data to 6
    expect: damaged checksum-mismatch, no survivors
length_zeroed: three_records LDB-020 LDB-028
    The length of a FULL is zeroed. The header is not a zero header, because the type is not 0. The
    checksum does not match.
    damage: zero blocks[0].records[1].header.len_data
    expect: damaged checksum-mismatch, survivors 0
length_beyond_the_block_in_mid_log: two_blocks LDB-023 LDB-037
    One bit of a length is flipped, and the length then extends past the end of the block. Only the
    rest of the block is lost.
    shows: bit-in-a-length
    damage: flip bit 15 of blocks[0].records[1].header.len_data
    expect: damaged bad-length, survivors 0 2 3
length_beyond_the_block_in_a_fragment: fragments_in_two_blocks LDB-023 LDB-034
    The length of a FIRST extends past the end of the block. The record is lost, and its LAST is an
    orphan.
    damage: set blocks[0].records[1].header.len_data to 32768
    expect: damaged bad-length, survivors 0 2
length_of_a_fragment_too_few: fragments_in_two_blocks LDB-028 LDB-034
    The length of a LAST is too small. The checksum does not match, and the record and the rest of
    the block are lost.
    damage: set blocks[1].records[0].header.len_data to 3
    expect: damaged checksum-mismatch, survivors 0
length_beyond_the_block_in_an_open_record: first_and_middle_in_one_block LDB-023 LDB-034 LDB-036
    The length of a MIDDLE extends past the end of the block. The open record is lost, and its LAST
    is an orphan.
    damage: set blocks[0].records[2].header.len_data to 65535
    expect: damaged bad-length, survivors 0 2
""")
