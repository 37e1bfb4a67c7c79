"""Logs that end early: unfinished writes."""

from conformance.recipes.leveldb_log.fragments import fragments_within_one_block
from conformance.recipes.leveldb_log.layout import (
    empty_first_before_middle_and_last,
    empty_first_in_mid_block,
    first_and_middle_in_one_block,
    first_that_leaves_a_trailer,
    fragments_in_three_blocks,
    fragments_in_two_blocks,
    log_ends_seven_bytes_before_its_block,
    log_ends_with_its_block,
    one_record,
    seven_bytes_left_and_a_record,
    three_records,
    two_blocks,
)
from conformance.recipes.leveldb_log.log import BOOK, MIDDLE, LevelDBLog

BLOCK = 32768


@BOOK.damaged(three_records, "torn-tail", "LDB-021", "LDB-038", "LDB-039", kind="eof")
def cut_in_a_header(log: LevelDBLog) -> None:
    """The log ends three bytes into a header."""
    log.truncate_in("blocks[0].records[2].header", 3)
    log.expect("torn", "torn-header", survivors=[0, 1], end=24)


@BOOK.damaged(three_records, "torn-tail", "LDB-021", kind="eof")
def cut_after_one_byte_of_a_header(log: LevelDBLog) -> None:
    """The log ends one byte into a header."""
    log.truncate_in("blocks[0].records[2].header", 1)
    log.expect("torn", "torn-header", survivors=[0, 1], end=24)


@BOOK.damaged(three_records, "torn-tail", "LDB-021", kind="eof")
def cut_before_the_type(log: LevelDBLog) -> None:
    """The log ends with the type byte missing."""
    log.truncate_in("blocks[0].records[2].header", 6)
    log.expect("torn", "torn-header", survivors=[0, 1], end=24)


@BOOK.damaged(one_record, "torn-tail", "LDB-021", "LDB-025", kind="eof")
def one_byte_and_two_zeros(log: LevelDBLog) -> None:
    """Three bytes of a header, all but the first of them zero: torn, and no preallocated space."""
    log.extend(bytes([1, 0, 0]), "01 00 00")
    log.expect("torn", "torn-header", survivors=[0], end=12)


@BOOK.damaged(three_records, "torn-tail", "LDB-022", "LDB-036", kind="eof")
def cut_behind_a_header(log: LevelDBLog) -> None:
    """The log ends with a whole header and no payload."""
    log.truncate_in("blocks[0].records[2].data", 0)
    log.expect("torn", "torn-payload", survivors=[0, 1], end=24)
    log.bug("ccl_leveldb returns an empty record")


@BOOK.damaged(three_records, "torn-tail", "LDB-022", "LDB-036", "LDB-038", kind="eof")
def cut_in_a_payload(log: LevelDBLog) -> None:
    """The log ends one byte before the end of a payload."""
    log.shows("torn-last-record")
    log.truncate(37)
    log.expect("torn", "torn-payload", survivors=[0, 1], end=24)
    log.bug("ccl_leveldb returns a short record")


@BOOK.damaged(three_records, "torn-tail", "LDB-039", kind="eof")
def cut_between_two_records(log: LevelDBLog) -> None:
    """The log ends exactly between two records: nothing shows that there was another."""
    log.truncate(24)
    log.expect("intact", survivors=[0, 1], end=24)


@BOOK.damaged(three_records, "torn-tail", "LDB-021", kind="eof")
def cut_in_the_first_header(log: LevelDBLog) -> None:
    """The log ends inside its first header."""
    log.truncate(5)
    log.expect("torn", "torn-header", survivors=[], end=0)


@BOOK.damaged(three_records, "torn-tail", "LDB-001", kind="eof")
def cut_to_nothing(log: LevelDBLog) -> None:
    """The log is cut to no bytes."""
    log.truncate(0)
    log.expect("intact", survivors=[], end=0)


@BOOK.damaged(two_blocks, "torn-tail", "LDB-004", "LDB-005", kind="eof")
def cut_in_a_trailer(log: LevelDBLog) -> None:
    """The log ends inside a trailer: no record is unfinished."""
    log.truncate_in("blocks[0].trailer", 2)
    log.expect("intact", survivors=[0, 1], end=BLOCK - 4)
    log.bug("golang/leveldb and Pebble report an unexpected end")


@BOOK.damaged(two_blocks, "torn-tail", "LDB-001", kind="eof")
def cut_at_a_block_boundary(log: LevelDBLog) -> None:
    """The log ends exactly at a block boundary."""
    log.truncate(BLOCK)
    log.expect("intact", survivors=[0, 1], end=BLOCK)


@BOOK.damaged(two_blocks, "torn-tail", "LDB-021", kind="eof")
def one_byte_in_a_new_block(log: LevelDBLog) -> None:
    """One byte of a header stands in a new block."""
    log.truncate(BLOCK + 1)
    log.expect("torn", "torn-header", survivors=[0, 1], end=BLOCK)
    log.bug("iq80: IndexOutOfBoundsException")


@BOOK.damaged(fragments_in_two_blocks, "torn-tail", "LDB-035", "LDB-036", "LDB-039", kind="eof")
def cut_between_first_and_last(log: LevelDBLog) -> None:
    """The log ends after FIRST, with its block: the write was torn, from FIRST on."""
    log.truncate(BLOCK)
    log.expect("torn", "torn-record", survivors=[0], end=12)
    log.bug("golang/leveldb returns the fragment as a complete record, without an error")


@BOOK.damaged(fragments_in_three_blocks, "torn-tail", "LDB-035", "LDB-036", kind="eof")
def cut_between_middle_and_last(log: LevelDBLog) -> None:
    """The log ends after MIDDLE: the write was torn, from FIRST on."""
    log.truncate(2 * BLOCK)
    log.expect("torn", "torn-record", survivors=[0], end=12)


@BOOK.damaged(fragments_in_three_blocks, "torn-tail", "LDB-022", "LDB-035", kind="eof")
def cut_in_the_middle_fragment(log: LevelDBLog) -> None:
    """The log ends inside MIDDLE: one unfinished write, from FIRST to the end."""
    log.truncate(BLOCK + 5000)
    log.expect("torn", "torn-payload", survivors=[0], end=12)


@BOOK.damaged(fragments_in_two_blocks, "torn-tail", "LDB-021", "LDB-035", kind="eof")
def cut_in_the_header_of_last(log: LevelDBLog) -> None:
    """The log ends inside the header of LAST: one unfinished write, from FIRST to the end."""
    log.truncate(BLOCK + 4)
    log.expect("torn", "torn-header", survivors=[0], end=12)


@BOOK.damaged(seven_bytes_left_and_a_record, "torn-tail", "LDB-012", "LDB-035", kind="eof")
def cut_behind_an_empty_first(log: LevelDBLog) -> None:
    """The log ends after an empty FIRST: an unfinished write, none of whose data arrived."""
    log.truncate(BLOCK)
    log.expect("torn", "torn-record", survivors=[0, 1], end=BLOCK - 7)


@BOOK.damaged(log_ends_with_its_block, "torn-tail", "LDB-022", "LDB-024", kind="eof")
def exactly_full_last_block_cut_by_one(log: LevelDBLog) -> None:
    """The last record of a full block lacks its last byte: the block is short, the write torn."""
    log.truncate(BLOCK - 1)
    log.expect("torn", "torn-payload", survivors=[0], end=12)


@BOOK.damaged(two_blocks, "torn-tail", "LDB-022", kind="eof")
def torn_at_a_sector(log: LevelDBLog) -> None:
    """The last sector of 4096 bytes never arrived: the second block is gone."""
    log.torn(4096)
    log.expect("intact", survivors=[0, 1], end=BLOCK)


@BOOK.damaged(fragments_in_two_blocks, "torn-tail", "LDB-022", "LDB-035", kind="eof")
def torn_at_a_sector_inside_a_record(log: LevelDBLog) -> None:
    """The last sector of 512 bytes never arrived: a fragment stops at a sector boundary."""
    log.truncate_in("blocks[0].records[1].data", 5000)
    log.torn(512)
    log.expect("torn", "torn-payload", survivors=[0], end=12)


@BOOK.damaged(three_records, "torn-tail", "LDB-023", "LDB-038")
def garbage_behind_the_last_record(log: LevelDBLog) -> None:
    """Twenty bytes that are no record: their length crosses the block's end, so this is damage."""
    log.extend(bytes(range(0x9C, 0xB0)), "20 bytes of garbage")
    log.expect("damaged", "bad-length", survivors=[0, 1, 2], end=None)
    log.note("LevelDB takes the bytes for a torn write and says nothing.")


@BOOK.damaged(three_records, "torn-tail", "LDB-023")
def tail_of_ff(log: LevelDBLog) -> None:
    """Bytes of ff after the last record, as erased flash reads, are not preallocated space."""
    log.extend(b"\xff" * 64, "64 bytes ff")
    log.expect("damaged", "bad-length", survivors=[0, 1, 2])


@BOOK.damaged(three_records, "torn-tail", "LDB-028", "LDB-038")
def payload_lost_but_its_length_is_there(log: LevelDBLog) -> None:
    """The file grew but the last payload never arrived: it reads as zeros, its checksum fails."""
    log.shows("size-before-data")
    log.zero("blocks[0].records[2].data")
    log.expect("damaged", "checksum-mismatch", survivors=[0, 1])
    log.note(
        "A delayed allocation looks like this. It cannot be told from damage, so it is damage."
    )


@BOOK.truncations(
    fragments_in_three_blocks, "torn-tail", "LDB-021", "LDB-022", "LDB-035", "LDB-039"
)
def every_prefix_of_three_blocks(log: LevelDBLog) -> None:
    """Every prefix of a log of three blocks, and what survives it."""


@BOOK.damaged(one_record, "torn-tail", "LDB-021", kind="eof")
def two_zeros_and_one_byte(log: LevelDBLog) -> None:
    """Three bytes of a header, only the last of them not zero: torn, and no preallocated space."""
    log.extend(bytes([0, 0, 3]), "00 00 03")
    log.expect("torn", "torn-header", survivors=[0], end=12)


@BOOK.damaged(log_ends_seven_bytes_before_its_block, "torn-tail", "LDB-021", "LDB-004", kind="eof")
def torn_header_where_just_a_header_fits(log: LevelDBLog) -> None:
    """Seven bytes were left in the block: three bytes there are a torn header, not a trailer."""
    log.extend(bytes([1, 2, 3]), "01 02 03")
    log.expect("torn", "torn-header", survivors=[0, 1], end=BLOCK - 7)


@BOOK.damaged(three_records, "torn-tail", "LDB-022", "LDB-020", kind="eof")
def torn_payload_of_zeros(log: LevelDBLog) -> None:
    """What arrived of the data is zero: the checksum of a torn record is not looked at."""
    log.zero("blocks[0].records[2].data")
    log.truncate_in("blocks[0].records[2].data", 3)
    log.expect("torn", "torn-payload", survivors=[0, 1], end=24)


@BOOK.damaged(three_records, "torn-tail", "LDB-022", "LDB-020", kind="eof")
def torn_payload_of_an_unknown_type(log: LevelDBLog) -> None:
    """The type of a torn record is not looked at: its checksum cannot vouch for it."""
    log.retype("blocks[0].records[2]", 103)
    log.truncate_in("blocks[0].records[2].data", 3)
    log.expect("torn", "torn-payload", survivors=[0, 1], end=24)


@BOOK.damaged(three_records, "torn-tail", "LDB-022", "LDB-020", "LDB-030", kind="eof")
def torn_payload_of_type_zero(log: LevelDBLog) -> None:
    """Type 0 with a length, torn: a torn record, not zeros."""
    log.retype("blocks[0].records[2]", 0)
    log.truncate_in("blocks[0].records[2].data", 3)
    log.expect("torn", "torn-payload", survivors=[0, 1], end=24)


@BOOK.damaged(three_records, "torn-tail", "LDB-022", "LDB-020", kind="eof")
def torn_middle_without_first(log: LevelDBLog) -> None:
    """A torn MIDDLE while no record is open: torn, and no orphan."""
    log.retype("blocks[0].records[2]", MIDDLE)
    log.truncate_in("blocks[0].records[2].data", 3)
    log.expect("torn", "torn-payload", survivors=[0, 1], end=24)


@BOOK.damaged(fragments_within_one_block, "torn-tail", "LDB-022", "LDB-035", kind="eof")
def torn_full_in_an_open_record(log: LevelDBLog) -> None:
    """A torn FULL while a record is open: one range from the FIRST, whatever the type says."""
    log.drop("blocks[0].records[2]")
    del log.data[-2:]
    log.did("cut 2 bytes off the end")
    log.expect("torn", "torn-payload", survivors=[], end=0)


@BOOK.damaged(empty_first_in_mid_block, "torn-tail", "LDB-021", "LDB-033", kind="eof")
def torn_header_after_an_empty_first(log: LevelDBLog) -> None:
    """A record that is open without data is torn with the header that follows it."""
    log.truncate_in("blocks[0].records[2].header", 3)
    log.expect("torn", "torn-header", survivors=[0], end=12)


@BOOK.damaged(empty_first_in_mid_block, "torn-tail", "LDB-022", "LDB-033", kind="eof")
def torn_full_after_an_empty_first(log: LevelDBLog) -> None:
    """The same with a torn FULL: nothing says yet that the empty FIRST was framing."""
    log.truncate_in("blocks[0].records[2].data", 3)
    log.expect("torn", "torn-payload", survivors=[0], end=12)


@BOOK.damaged(empty_first_before_middle_and_last, "torn-tail", "LDB-022", kind="eof")
def torn_last_after_an_empty_first(log: LevelDBLog) -> None:
    """The torn range begins at the FIRST, not at the first fragment with data."""
    log.truncate_in("blocks[0].records[3].data", 1)
    log.expect("torn", "torn-payload", survivors=[0], end=12)


@BOOK.damaged(empty_first_before_middle_and_last, "torn-tail", "LDB-035", "LDB-025", kind="eof")
def zeros_after_an_empty_first(log: LevelDBLog) -> None:
    """Zeros to the end of the log while a record without data is open: a torn record."""
    log.truncate_in("blocks[0].records[2].header", 0)
    log.extend(bytes(100), "100 zero bytes")
    log.expect("torn", "torn-record", survivors=[0], end=12)


@BOOK.damaged(fragments_within_one_block, "torn-tail", "LDB-035", "LDB-025", kind="eof")
def three_zeros_after_first(log: LevelDBLog) -> None:
    """Zeros too few for a header while a record is open: a torn record, and no torn header."""
    log.truncate_in("blocks[0].records[1].header", 0)
    log.extend(bytes(3), "3 zero bytes")
    log.expect("torn", "torn-record", survivors=[], end=0)


@BOOK.damaged(first_that_leaves_a_trailer, "torn-tail", "LDB-035", "LDB-004", kind="eof")
def cut_in_the_trailer_after_first(log: LevelDBLog) -> None:
    """The log ends inside the trailer after a FIRST: the torn range ends with its data."""
    log.truncate_in("blocks[0].trailer", 2)
    log.expect("torn", "torn-record", survivors=[0], end=12)


@BOOK.damaged(first_that_leaves_a_trailer, "torn-tail", "LDB-035", "LDB-025", kind="eof")
def zeros_after_first_and_its_trailer(log: LevelDBLog) -> None:
    """Zeros in the block after the trailer: the torn range ends with the data of FIRST, too."""
    log.truncate(BLOCK)
    log.extend(bytes(100), "100 zero bytes")
    log.expect("torn", "torn-record", survivors=[0], end=12)


@BOOK.damaged(first_and_middle_in_one_block, "torn-tail", "LDB-035", "LDB-025", kind="eof")
def zeros_over_two_blocks_after_first(log: LevelDBLog) -> None:
    """Zeros to the end of the log are no gap, whether a record is open and a block ends or not."""
    log.truncate_in("blocks[0].records[2].header", 0)
    log.extend(bytes(BLOCK - 24 + 100), "zeros to the end of the block and 100 more")
    log.expect("torn", "torn-record", survivors=[0], end=12)
