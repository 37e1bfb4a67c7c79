"""Logs that end early because a write was unfinished."""

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
    """The log ends six bytes into a header, before the type."""
    log.truncate_in("blocks[0].records[2].header", 6)
    log.expect("torn", "torn-header", survivors=[0, 1], end=24)


@BOOK.damaged(one_record, "torn-tail", "LDB-021", "LDB-025", kind="eof")
def one_byte_and_two_zeros(log: LevelDBLog) -> None:
    """The log ends with a non-zero byte and two zero bytes. These bytes are a torn header, not
    preallocated space."""
    log.extend(bytes([1, 0, 0]), "01 00 00")
    log.expect("torn", "torn-header", survivors=[0], end=12)


@BOOK.damaged(three_records, "torn-tail", "LDB-022", "LDB-036", kind="eof")
def cut_behind_a_header(log: LevelDBLog) -> None:
    """The log ends after a complete header, before the payload."""
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
    """The log ends exactly between two records. The missing record is undetectable."""
    log.truncate(24)
    log.expect("intact", survivors=[0, 1], end=24)


@BOOK.damaged(three_records, "torn-tail", "LDB-021", kind="eof")
def cut_in_the_first_header(log: LevelDBLog) -> None:
    """The log ends inside its first header."""
    log.truncate(5)
    log.expect("torn", "torn-header", survivors=[], end=0)


@BOOK.damaged(three_records, "torn-tail", "LDB-001", kind="eof")
def cut_to_nothing(log: LevelDBLog) -> None:
    """The log is truncated to zero bytes."""
    log.truncate(0)
    log.expect("intact", survivors=[], end=0)


@BOOK.damaged(two_blocks, "torn-tail", "LDB-004", "LDB-005", kind="eof")
def cut_in_a_trailer(log: LevelDBLog) -> None:
    """The log ends inside a trailer. No record is unfinished."""
    log.truncate_in("blocks[0].trailer", 2)
    log.expect("intact", survivors=[0, 1], end=BLOCK - 4)
    log.bug("golang/leveldb and Pebble report an unexpected end")


@BOOK.damaged(two_blocks, "torn-tail", "LDB-001", kind="eof")
def cut_at_a_block_boundary(log: LevelDBLog) -> None:
    """The log ends exactly at a block boundary, after a trailer."""
    log.truncate(BLOCK)
    log.expect("intact", survivors=[0, 1], end=BLOCK)


@BOOK.damaged(two_blocks, "torn-tail", "LDB-021", kind="eof")
def one_byte_in_a_new_block(log: LevelDBLog) -> None:
    """The log ends one byte into the first header of a block."""
    log.truncate(BLOCK + 1)
    log.expect("torn", "torn-header", survivors=[0, 1], end=BLOCK)
    log.bug("iq80 leveldb throws IndexOutOfBoundsException")


@BOOK.damaged(fragments_in_two_blocks, "torn-tail", "LDB-035", "LDB-036", "LDB-039", kind="eof")
def cut_between_first_and_last(log: LevelDBLog) -> None:
    """The log ends at a block boundary, after a FIRST. The torn range begins at the FIRST."""
    log.truncate(BLOCK)
    log.expect("torn", "torn-record", survivors=[0], end=12)
    log.bug("golang/leveldb returns the fragment as a complete record, without an error")


@BOOK.damaged(fragments_in_three_blocks, "torn-tail", "LDB-035", "LDB-036", kind="eof")
def cut_between_middle_and_last(log: LevelDBLog) -> None:
    """The log ends at a block boundary, after a MIDDLE. The torn range begins at the FIRST."""
    log.truncate(2 * BLOCK)
    log.expect("torn", "torn-record", survivors=[0], end=12)


@BOOK.damaged(fragments_in_three_blocks, "torn-tail", "LDB-022", "LDB-035", kind="eof")
def cut_in_the_middle_fragment(log: LevelDBLog) -> None:
    """The log ends inside a MIDDLE. The torn range begins at the FIRST."""
    log.truncate(BLOCK + 5000)
    log.expect("torn", "torn-payload", survivors=[0], end=12)


@BOOK.damaged(fragments_in_two_blocks, "torn-tail", "LDB-021", "LDB-035", kind="eof")
def cut_in_the_header_of_last(log: LevelDBLog) -> None:
    """The log ends inside the header of a LAST. The torn range begins at the FIRST."""
    log.truncate(BLOCK + 4)
    log.expect("torn", "torn-header", survivors=[0], end=12)


@BOOK.damaged(seven_bytes_left_and_a_record, "torn-tail", "LDB-012", "LDB-035", kind="eof")
def cut_behind_an_empty_first(log: LevelDBLog) -> None:
    """The log ends after an empty FIRST. The open record is torn although it has no data."""
    log.truncate(BLOCK)
    log.expect("torn", "torn-record", survivors=[0, 1], end=BLOCK - 7)


@BOOK.damaged(log_ends_with_its_block, "torn-tail", "LDB-022", "LDB-024", kind="eof")
def exactly_full_last_block_cut_by_one(log: LevelDBLog) -> None:
    """The last record of a full block lacks its last byte. The block is then short, and the record
    is torn."""
    log.truncate(BLOCK - 1)
    log.expect("torn", "torn-payload", survivors=[0], end=12)


@BOOK.damaged(two_blocks, "torn-tail", "LDB-022", kind="eof")
def torn_at_a_sector(log: LevelDBLog) -> None:
    """The last sector of 4096 bytes was not written. The second block is missing."""
    log.torn(4096)
    log.expect("intact", survivors=[0, 1], end=BLOCK)


@BOOK.damaged(fragments_in_two_blocks, "torn-tail", "LDB-022", "LDB-035", kind="eof")
def torn_at_a_sector_inside_a_record(log: LevelDBLog) -> None:
    """The last sector of 512 bytes was not written. The log ends inside a FIRST, at a sector
    boundary."""
    log.truncate_in("blocks[0].records[1].data", 5000)
    log.torn(512)
    log.expect("torn", "torn-payload", survivors=[0], end=12)


@BOOK.damaged(three_records, "torn-tail", "LDB-023", "LDB-038")
def garbage_behind_the_last_record(log: LevelDBLog) -> None:
    """Twenty bytes of garbage follow the last record. The length in their first seven bytes extends
    past the end of the block, so the fault is damage."""
    log.extend(bytes(range(0x9C, 0xB0)), "20 bytes of garbage")
    log.expect("damaged", "bad-length", survivors=[0, 1, 2], end=None)
    log.note("LevelDB treats the bytes as a torn write and reports nothing.")


@BOOK.damaged(three_records, "torn-tail", "LDB-023")
def tail_of_ff(log: LevelDBLog) -> None:
    """Bytes of ff, as in erased flash memory, follow the last record. They are damage, not
    preallocated space."""
    log.extend(b"\xff" * 64, "64 bytes of ff")
    log.expect("damaged", "bad-length", survivors=[0, 1, 2])


@BOOK.damaged(three_records, "torn-tail", "LDB-028", "LDB-038")
def payload_lost_but_its_length_is_there(log: LevelDBLog) -> None:
    """The file grew, but the last payload was not written and reads as zeros. The checksum does not
    match."""
    log.shows("size-before-data")
    log.zero("blocks[0].records[2].data")
    log.expect("damaged", "checksum-mismatch", survivors=[0, 1])
    log.note(
        "Delayed allocation can leave such a log. A reader cannot distinguish this case from"
        " damage, and reports damage."
    )


@BOOK.truncations(
    fragments_in_three_blocks, "torn-tail", "LDB-021", "LDB-022", "LDB-035", "LDB-039"
)
def every_prefix_of_three_blocks(log: LevelDBLog) -> None:
    """Every prefix of a log of three blocks, with the records that survive."""


@BOOK.damaged(one_record, "torn-tail", "LDB-021", kind="eof")
def two_zeros_and_one_byte(log: LevelDBLog) -> None:
    """The log ends with two zero bytes and a non-zero byte. These bytes are a torn header, not
    preallocated space."""
    log.extend(bytes([0, 0, 3]), "00 00 03")
    log.expect("torn", "torn-header", survivors=[0], end=12)


@BOOK.damaged(log_ends_seven_bytes_before_its_block, "torn-tail", "LDB-021", "LDB-004", kind="eof")
def torn_header_where_just_a_header_fits(log: LevelDBLog) -> None:
    """Seven bytes were left in the last block, and a writer wrote three of them. They are a torn
    header, not a trailer."""
    log.extend(bytes([1, 2, 3]), "01 02 03")
    log.expect("torn", "torn-header", survivors=[0, 1], end=BLOCK - 7)


@BOOK.damaged(three_records, "torn-tail", "LDB-022", "LDB-020", kind="eof")
def torn_payload_of_zeros(log: LevelDBLog) -> None:
    """The log ends inside a payload of zeros. A reader does not check the data of a torn record."""
    log.zero("blocks[0].records[2].data")
    log.truncate_in("blocks[0].records[2].data", 3)
    log.expect("torn", "torn-payload", survivors=[0, 1], end=24)


@BOOK.damaged(three_records, "torn-tail", "LDB-022", "LDB-020", kind="eof")
def torn_payload_of_an_unknown_type(log: LevelDBLog) -> None:
    """The log ends inside a record of an unknown type. A reader does not check the type of a torn
    record."""
    log.retype("blocks[0].records[2]", 103)
    log.truncate_in("blocks[0].records[2].data", 3)
    log.expect("torn", "torn-payload", survivors=[0, 1], end=24)


@BOOK.damaged(three_records, "torn-tail", "LDB-022", "LDB-020", "LDB-030", kind="eof")
def torn_payload_of_type_zero(log: LevelDBLog) -> None:
    """The log ends inside a record of type 0 with a length above 0. The bytes are a torn record,
    not zero-fill."""
    log.retype("blocks[0].records[2]", 0)
    log.truncate_in("blocks[0].records[2].data", 3)
    log.expect("torn", "torn-payload", survivors=[0, 1], end=24)


@BOOK.damaged(three_records, "torn-tail", "LDB-022", "LDB-020", kind="eof")
def torn_middle_without_first(log: LevelDBLog) -> None:
    """The log ends inside a MIDDLE while no record is open. The MIDDLE is torn, not an orphan."""
    log.retype("blocks[0].records[2]", MIDDLE)
    log.truncate_in("blocks[0].records[2].data", 3)
    log.expect("torn", "torn-payload", survivors=[0, 1], end=24)


@BOOK.damaged(fragments_within_one_block, "torn-tail", "LDB-022", "LDB-035", kind="eof")
def torn_full_in_an_open_record(log: LevelDBLog) -> None:
    """The log ends inside a FULL while a record is open. The torn range begins at the FIRST of the
    open record."""
    log.drop("blocks[0].records[2]")
    del log.data[-2:]
    log.did("cut 2 bytes off the end")
    log.expect("torn", "torn-payload", survivors=[], end=0)


@BOOK.damaged(empty_first_in_mid_block, "torn-tail", "LDB-021", "LDB-033", kind="eof")
def torn_header_after_an_empty_first(log: LevelDBLog) -> None:
    """The log ends inside a header after an empty FIRST. The torn range begins at the FIRST."""
    log.truncate_in("blocks[0].records[2].header", 3)
    log.expect("torn", "torn-header", survivors=[0], end=12)


@BOOK.damaged(empty_first_in_mid_block, "torn-tail", "LDB-022", "LDB-033", kind="eof")
def torn_full_after_an_empty_first(log: LevelDBLog) -> None:
    """The log ends inside a FULL after an empty FIRST. The torn range begins at the FIRST, because
    the FULL is not complete."""
    log.truncate_in("blocks[0].records[2].data", 3)
    log.expect("torn", "torn-payload", survivors=[0], end=12)


@BOOK.damaged(empty_first_before_middle_and_last, "torn-tail", "LDB-022", kind="eof")
def torn_last_after_an_empty_first(log: LevelDBLog) -> None:
    """The log ends inside a LAST after an empty FIRST and a MIDDLE with data. The torn range begins
    at the FIRST."""
    log.truncate_in("blocks[0].records[3].data", 1)
    log.expect("torn", "torn-payload", survivors=[0], end=12)


@BOOK.damaged(empty_first_before_middle_and_last, "torn-tail", "LDB-035", "LDB-025", kind="eof")
def zeros_after_an_empty_first(log: LevelDBLog) -> None:
    """The log ends with zeros after an empty FIRST. The open record is torn although it has no
    data."""
    log.truncate_in("blocks[0].records[2].header", 0)
    log.extend(bytes(100), "100 zero bytes")
    log.expect("torn", "torn-record", survivors=[0], end=12)


@BOOK.damaged(fragments_within_one_block, "torn-tail", "LDB-035", "LDB-025", kind="eof")
def three_zeros_after_first(log: LevelDBLog) -> None:
    """The log ends with three zero bytes after a FIRST. The fault is a torn record, not a torn
    header."""
    log.truncate_in("blocks[0].records[1].header", 0)
    log.extend(bytes(3), "3 zero bytes")
    log.expect("torn", "torn-record", survivors=[], end=0)


@BOOK.damaged(first_that_leaves_a_trailer, "torn-tail", "LDB-035", "LDB-004", kind="eof")
def cut_in_the_trailer_after_first(log: LevelDBLog) -> None:
    """The log ends inside the trailer after a FIRST. The torn range ends with the data of the
    FIRST."""
    log.truncate_in("blocks[0].trailer", 2)
    log.expect("torn", "torn-record", survivors=[0], end=12)


@BOOK.damaged(first_that_leaves_a_trailer, "torn-tail", "LDB-035", "LDB-025", kind="eof")
def zeros_after_first_and_its_trailer(log: LevelDBLog) -> None:
    """The log ends with zeros after a FIRST and a trailer. The torn range ends with the data of the
    FIRST."""
    log.truncate(BLOCK)
    log.extend(bytes(100), "100 zero bytes")
    log.expect("torn", "torn-record", survivors=[0], end=12)


@BOOK.damaged(first_and_middle_in_one_block, "torn-tail", "LDB-035", "LDB-025", kind="eof")
def zeros_over_two_blocks_after_first(log: LevelDBLog) -> None:
    """The log ends with zeros in two blocks after a FIRST. The open record is torn, and the zeros
    are not a gap."""
    log.truncate_in("blocks[0].records[2].header", 0)
    log.extend(bytes(BLOCK - 24 + 100), "zeros to the end of the block and 100 more zeros")
    log.expect("torn", "torn-record", survivors=[0], end=12)
