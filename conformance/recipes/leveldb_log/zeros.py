"""Zeros in place of records: preallocated space or lost writes."""

from conformance.recipes.leveldb_log.layout import (
    first_and_middle_in_one_block,
    fragments_in_three_blocks,
    fragments_in_two_blocks,
    log_ends_seven_bytes_before_its_block,
    log_ends_with_its_block,
    one_record,
    three_records,
    two_blocks,
)
from conformance.recipes.leveldb_log.log import BOOK, FULL, LevelDBLog, forge_checksum, physical

BLOCK = 32768


@BOOK.damaged(three_records, "zeros", "LDB-025", "LDB-039", kind="eof")
def zero_tail_of_100_bytes(log: LevelDBLog) -> None:
    """The log ends with 100 zero bytes. They are preallocated space, and a writer appends where
    they begin."""
    log.extend(bytes(100), "100 zero bytes")
    log.expect("intact", survivors=[0, 1, 2], end=38)


@BOOK.damaged(three_records, "zeros", "LDB-021", "LDB-025", kind="eof")
def zero_tail_of_6_bytes(log: LevelDBLog) -> None:
    """The log ends with six zero bytes, too few for a header. They are preallocated space, not a
    torn header."""
    log.extend(bytes(6), "6 zero bytes")
    log.expect("intact", survivors=[0, 1, 2], end=38)


@BOOK.damaged(three_records, "zeros", "LDB-025", kind="eof")
def zero_tail_of_one_byte(log: LevelDBLog) -> None:
    """The log ends with one zero byte, which is preallocated space."""
    log.extend(bytes(1), "1 zero byte")
    log.expect("intact", survivors=[0, 1, 2], end=38)


@BOOK.damaged(three_records, "zeros", "LDB-025", kind="eof")
def zero_tail_to_the_end_of_the_block(log: LevelDBLog) -> None:
    """The log ends with zeros that fill the last block. They are preallocated space."""
    log.extend(bytes(BLOCK - 38), "zeros to the end of the block")
    log.expect("intact", survivors=[0, 1, 2], end=38)


@BOOK.damaged(three_records, "zeros", "LDB-025", kind="eof")
def zero_tail_of_two_blocks(log: LevelDBLog) -> None:
    """The log ends with 65,536 zero bytes in three blocks. They are preallocated space."""
    log.extend(bytes(2 * BLOCK), "65536 zero bytes")
    log.expect("intact", survivors=[0, 1, 2], end=38)


@BOOK.valid("zeros", "LDB-025", kind="eof")
def nothing_but_zeros(log: LevelDBLog) -> None:
    """A preallocated log without records consists only of zeros."""
    log.data += bytes(4096)
    log.expect("intact", survivors=[], end=0)


@BOOK.damaged(fragments_in_two_blocks, "zeros", "LDB-025", "LDB-035", "LDB-039", kind="eof")
def zero_tail_behind_an_unfinished_record(log: LevelDBLog) -> None:
    """The log ends with zeros in place of a LAST. The open record is torn."""
    log.zero("blocks[1]")
    log.expect("torn", "torn-record", survivors=[0], end=12)


@BOOK.damaged(two_blocks, "zeros", "LDB-027", "LDB-039")
def records_at_the_end_of_a_block_zeroed(log: LevelDBLog) -> None:
    """The last record of a block is zeroed, and records follow in the next block. The zeros are a
    gap."""
    log.zero("blocks[0].records[1]")
    log.expect("damaged", "zero-gap", survivors=[0, 2, 3], end=BLOCK + 26)
    log.bug("LevelDB, goleveldb (default), RocksDB: the loss is silent")


@BOOK.damaged(fragments_in_three_blocks, "zeros", "LDB-027", "LDB-034", "LDB-036")
def middle_block_zeroed(log: LevelDBLog) -> None:
    """The block with the MIDDLE of a record is zeroed. The whole record is lost, and its LAST is an
    orphan."""
    log.zero("blocks[1]")
    log.expect("damaged", "zero-gap", survivors=[0, 2])


@BOOK.valid("zeros", "LDB-001", "LDB-004")
def three_blocks_of_short_records(log: LevelDBLog) -> None:
    """Three blocks with two FULL records each."""
    for name in (b"alpha", b"delta", b"golf"):
        log.write(name)
        log.fill_block_but(5 if name != b"golf" else 20000)
    log.expect("intact", survivors=[0, 1, 2, 3, 4, 5])


@BOOK.damaged(three_blocks_of_short_records, "zeros", "LDB-027", "LDB-037")
def block_of_zeros_in_mid_log(log: LevelDBLog) -> None:
    """A block in the middle of the log was not written and reads as zeros. Its two records are
    lost."""
    log.zero("blocks[1]")
    log.expect("damaged", "zero-gap", survivors=[0, 1, 4, 5])
    log.bug("LevelDB, goleveldb (default), RocksDB: the loss is silent")


@BOOK.damaged(three_blocks_of_short_records, "zeros", "LDB-027")
def block_of_zeros_at_the_start(log: LevelDBLog) -> None:
    """The first block reads as zeros, and records follow in the next block. The zeros are a gap."""
    log.zero("blocks[0]")
    log.expect("damaged", "zero-gap", survivors=[2, 3, 4, 5])


@BOOK.damaged(three_blocks_of_short_records, "zeros", "LDB-026", "LDB-020")
def header_of_zeros_before_other_records(log: LevelDBLog) -> None:
    """The first header of a block is zeroed. The whole block is lost, even its intact second
    record."""
    log.zero("blocks[0].records[0].header")
    log.expect("damaged", "zero-header", survivors=[2, 3, 4, 5])
    log.bug("LevelDB: the loss is silent; Pebble stops; rusty-leveldb continues inside the payload")


@BOOK.damaged(three_records, "zeros", "LDB-026", "LDB-020", "LDB-039")
def record_zeroed_in_last_block(log: LevelDBLog) -> None:
    """A record in the short last block is zeroed. The intact record after it is also lost."""
    log.zero("blocks[0].records[1]")
    log.expect("damaged", "zero-header", survivors=[0], end=None)


@BOOK.damaged(three_records, "zeros", "LDB-026", "LDB-020")
def length_and_type_zeroed(log: LevelDBLog) -> None:
    """The length and type of a record are zeroed, but not the checksum. The header is a zero
    header, and the rest of the block is lost."""
    log.zero("blocks[0].records[1].header.len_data")
    log.zero("blocks[0].records[1].header.type")
    log.expect("damaged", "zero-header", survivors=[0])


@BOOK.damaged(one_record, "zeros", "LDB-026", "LDB-025")
def one_byte_before_zeros(log: LevelDBLog) -> None:
    """A byte 01 and 40 zeros follow the last record. The checksum field is not zero, so the bytes
    are not preallocated space."""
    log.extend(b"\x01" + bytes(40), "a byte 01 and 40 zeros")
    log.expect("damaged", "zero-header", survivors=[0], end=None)


@BOOK.damaged(one_record, "zeros", "LDB-026", "LDB-025")
def zeros_before_one_byte(log: LevelDBLog) -> None:
    """Forty zeros and a byte 01 follow the last record. The last byte is not zero, so the bytes are
    not preallocated space."""
    log.extend(bytes(40) + b"\x01", "40 zeros and a byte 01")
    log.expect("damaged", "zero-header", survivors=[0], end=None)


@BOOK.damaged(three_records, "zeros", "LDB-026", "LDB-008")
def zero_record_with_its_own_checksum(log: LevelDBLog) -> None:
    """A record with type 0 and length 0 has a valid checksum. The header is a zero header, and the
    rest of the block is lost."""
    log.splice("blocks[0].records[1]", physical(0, b""), "an empty record of type 0")
    log.expect("damaged", "zero-header", survivors=[0])


@BOOK.damaged(log_ends_with_its_block, "zeros", "LDB-021", "LDB-025", kind="eof")
def zero_tail_shorter_than_a_header_in_a_new_block(log: LevelDBLog) -> None:
    """The log ends with four zero bytes in a new block. They are preallocated space."""
    log.extend(bytes(4), "4 zero bytes")
    log.expect("intact", survivors=[0, 1], end=BLOCK)


@BOOK.damaged(three_blocks_of_short_records, "zeros", "LDB-028")
def sector_of_zeros_inside_a_record(log: LevelDBLog) -> None:
    """A sector inside a payload was not written and reads as zeros. The checksum does not match."""
    log.shows("zeroed-sector")
    log.zero_sector(8, 512)
    log.expect("damaged", "checksum-mismatch", survivors=[0, 2, 3, 4, 5])


@BOOK.valid("zeros", "LDB-001", kind="eof")
def log_ends_ten_bytes_before_its_block(log: LevelDBLog) -> None:
    """The log ends ten bytes before the end of its block, where another header would fit."""
    log.write(b"alpha")
    log.fill_block_but(10)
    log.expect("intact", survivors=[0, 1], end=BLOCK - 10)


@BOOK.damaged(log_ends_ten_bytes_before_its_block, "zeros", "LDB-027", kind="limit")
def writer_left_its_block_early(log: LevelDBLog) -> None:
    """A writer leaves ten zero bytes at the end of a block. A reader cannot distinguish these zeros
    from a lost write, and reports a gap."""
    log.extend(bytes(10), "10 zero bytes")
    log.extend(physical(FULL, b"bravo"), 'the record "bravo"')
    log.expect("damaged", "zero-gap", survivors=[0, 1, b"bravo"])
    log.note(
        "LevelDB's writer never leaves so many bytes. A reader reports seven or more zeros at the"
        " end of a block as a gap if records follow. No record is lost."
    )


@BOOK.damaged(three_records, "zeros", "LDB-027", "LDB-016")
def appended_in_the_next_block_behind_zeros(log: LevelDBLog) -> None:
    """A writer appended after preallocated zeros, in the next block. The zeros are a gap."""
    log.extend(bytes(BLOCK - 38), "zeros to the end of the block")
    later = LevelDBLog(b"", [])
    later.write(b"delta")
    log.extend(bytes(later.data), 'the record "delta"')
    log.expect("damaged", "zero-gap", survivors=[0, 1, 2, b"delta"])


@BOOK.damaged(two_blocks, "trailer", "LDB-005")
def trailer_not_zero(log: LevelDBLog) -> None:
    """A trailer has non-zero bytes. A reader skips these bytes."""
    log.fill("blocks[0].trailer", 0x5A)
    log.expect("intact", survivors=[0, 1, 2, 3])
    log.note(
        "LevelDB's documentation requires a trailer of zeros, but no reader checks the trailer."
    )


@BOOK.damaged(one_record, "zeros", "LDB-027", "LDB-021", "LDB-038")
def torn_header_in_the_block_after_zeros(log: LevelDBLog) -> None:
    """Zeros fill the end of a block, and only a torn header follows. The zeros are a gap."""
    log.extend(bytes(BLOCK - 12), "zeros to the end of the block")
    log.extend(bytes([1, 2, 3]), "01 02 03")
    log.expect("damaged", "zero-gap", survivors=[0], end=BLOCK)


@BOOK.damaged(one_record, "zeros", "LDB-027", "LDB-022", "LDB-038")
def torn_payload_in_the_block_after_zeros(log: LevelDBLog) -> None:
    """Zeros fill the end of a block, and only a torn record follows. The zeros are a gap."""
    log.extend(bytes(BLOCK - 12), "zeros to the end of the block")
    log.extend(physical(FULL, b"bravo")[:10], 'the first ten bytes of the record "bravo"')
    log.expect("damaged", "zero-gap", survivors=[0], end=BLOCK)


@BOOK.damaged(one_record, "zeros", "LDB-027", "LDB-008", "LDB-037")
def gap_over_three_blocks(log: LevelDBLog) -> None:
    """Zeros in three blocks are one gap, which ends at the start of the next block that is not all
    zeros."""
    log.extend(bytes(3 * BLOCK - 12), "zeros to the end of the third block")
    later = LevelDBLog(b"", [])
    later.write(forge_checksum(FULL, b"crc0", stored=0), b"bravo")
    log.extend(bytes(later.data), "two records, the first with a stored checksum of zero")
    log.expect("damaged", "zero-gap", survivors=[0, later.payloads[0], b"bravo"])


@BOOK.damaged(one_record, "zeros", "LDB-026", "LDB-027")
def zeros_before_the_last_byte_of_the_block(log: LevelDBLog) -> None:
    """The rest of a block is zero except for the last byte. The fault is a zero header, not a
    gap."""
    log.extend(bytes(BLOCK - 13) + b"\x01", "zeros and, as the last byte of the block, 01")
    log.extend(physical(FULL, b"bravo"), 'the record "bravo"')
    log.expect("damaged", "zero-header", survivors=[0, b"bravo"])


@BOOK.damaged(one_record, "zeros", "LDB-026", "LDB-027", "LDB-039")
def last_byte_of_a_zero_block_not_zero(log: LevelDBLog) -> None:
    """Zeros fill the end of a block, and the next block is zero except for the last byte. The gap
    ends at the start of the next block."""
    log.extend(bytes(BLOCK - 12), "zeros to the end of the block")
    log.extend(bytes(BLOCK - 1) + b"\x01", "a block of zeros except for its last byte 01")
    log.expect("damaged", "zero-gap", survivors=[0], end=2 * BLOCK)


@BOOK.damaged(log_ends_seven_bytes_before_its_block, "zeros", "LDB-027", "LDB-004", kind="limit")
def seven_zeros_at_the_end_of_a_block(log: LevelDBLog) -> None:
    """Seven zero bytes at the end of a block are a gap, not a trailer, because a header would
    fit."""
    log.extend(bytes(7), "7 zero bytes")
    log.extend(physical(FULL, b"bravo"), 'the record "bravo"')
    log.expect("damaged", "zero-gap", survivors=[0, 1, b"bravo"])


@BOOK.damaged(first_and_middle_in_one_block, "zeros", "LDB-026", "LDB-034", "LDB-036")
def header_of_zeros_in_an_open_record(log: LevelDBLog) -> None:
    """The header of a MIDDLE is zeroed. The open record is lost, and its LAST is an orphan."""
    log.zero("blocks[0].records[2].header")
    log.expect("damaged", "zero-header", survivors=[0, 2])


@BOOK.damaged(two_blocks, "zeros", "LDB-025", "LDB-039")
def damage_then_zero_tail(log: LevelDBLog) -> None:
    """One payload bit in the first block is flipped, and the log ends with zeros. A writer appends
    where the zeros begin."""
    log.flip("blocks[0].records[0].data", 0)
    log.extend(bytes(100), "100 zero bytes")
    log.expect("damaged", "checksum-mismatch", survivors=[2, 3], end=BLOCK + 26)


@BOOK.damaged(two_blocks, "zeros", "LDB-025", "LDB-039", kind="eof")
def zero_tail_after_a_trailer(log: LevelDBLog) -> None:
    """The log ends with zeros after a trailer of zeros. The preallocated space begins after the
    trailer."""
    log.truncate(BLOCK)
    log.extend(bytes(100), "100 zero bytes")
    log.expect("intact", survivors=[0, 1], end=BLOCK)


@BOOK.damaged(three_blocks_of_short_records, "zeros", "LDB-027", "LDB-028")
def damaged_block_before_a_block_of_zeros(log: LevelDBLog) -> None:
    """A damaged block and the block of zeros after it are two lost ranges."""
    log.flip("blocks[0].records[0].data", 0)
    log.zero("blocks[1]")
    log.expect("damaged", "checksum-mismatch", survivors=[4, 5])
