"""Zeros where records should be: preallocated space, or a write that never arrived."""

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
    """Zeros after the last record are preallocated space; a writer resumes at their start."""
    log.extend(bytes(100), "100 zero bytes")
    log.expect("intact", survivors=[0, 1, 2], end=38)


@BOOK.damaged(three_records, "zeros", "LDB-021", "LDB-025", kind="eof")
def zero_tail_of_6_bytes(log: LevelDBLog) -> None:
    """Zeros too few for a header are preallocated space too, not a torn header."""
    log.extend(bytes(6), "6 zero bytes")
    log.expect("intact", survivors=[0, 1, 2], end=38)


@BOOK.damaged(three_records, "zeros", "LDB-025", kind="eof")
def zero_tail_of_one_byte(log: LevelDBLog) -> None:
    """A single zero byte at the end of the log is preallocated space."""
    log.extend(bytes(1), "1 zero byte")
    log.expect("intact", survivors=[0, 1, 2], end=38)


@BOOK.damaged(three_records, "zeros", "LDB-025", kind="eof")
def zero_tail_to_the_end_of_the_block(log: LevelDBLog) -> None:
    """Zeros fill the last block exactly."""
    log.extend(bytes(BLOCK - 38), "zeros to the end of the block")
    log.expect("intact", survivors=[0, 1, 2], end=38)


@BOOK.damaged(three_records, "zeros", "LDB-025", kind="eof")
def zero_tail_of_two_blocks(log: LevelDBLog) -> None:
    """Zeros for the rest of a block, a whole one and part of another."""
    log.extend(bytes(2 * BLOCK), "65536 zero bytes")
    log.expect("intact", survivors=[0, 1, 2], end=38)


@BOOK.valid("zeros", "LDB-025", kind="eof")
def nothing_but_zeros(log: LevelDBLog) -> None:
    """A preallocated log to which nothing was written yet."""
    log.data += bytes(4096)
    log.expect("intact", survivors=[], end=0)


@BOOK.damaged(fragments_in_two_blocks, "zeros", "LDB-025", "LDB-035", "LDB-039", kind="eof")
def zero_tail_behind_an_unfinished_record(log: LevelDBLog) -> None:
    """Zeros where LAST was due, to the end of the log: a torn write in preallocated space."""
    log.zero("blocks[1]")
    log.expect("torn", "torn-record", survivors=[0], end=12)


@BOOK.damaged(two_blocks, "zeros", "LDB-027", "LDB-039")
def records_at_the_end_of_a_block_zeroed(log: LevelDBLog) -> None:
    """Zeros to the end of a block, and the log goes on: what stood there is lost."""
    log.zero("blocks[0].records[1]")
    log.expect("damaged", "zero-gap", survivors=[0, 2, 3], end=BLOCK + 26)
    log.bug("LevelDB, goleveldb (default), RocksDB: the loss is silent")


@BOOK.damaged(fragments_in_three_blocks, "zeros", "LDB-027", "LDB-034", "LDB-036")
def middle_block_zeroed(log: LevelDBLog) -> None:
    """A block of zeros inside a record loses the record; its LAST is an orphan."""
    log.zero("blocks[1]")
    log.expect("damaged", "zero-gap", survivors=[0, 2])


@BOOK.valid("zeros", "LDB-001", "LDB-004")
def three_blocks_of_short_records(log: LevelDBLog) -> None:
    """Short records over three blocks, none of them in fragments."""
    for name in (b"alpha", b"delta", b"golf"):
        log.write(name)
        log.fill_block_but(5 if name != b"golf" else 20000)
    log.expect("intact", survivors=[0, 1, 2, 3, 4, 5])


@BOOK.damaged(three_blocks_of_short_records, "zeros", "LDB-027", "LDB-037")
def block_of_zeros_in_mid_log(log: LevelDBLog) -> None:
    """A block that was never written reads as zeros: two records are lost between the others."""
    log.zero("blocks[1]")
    log.expect("damaged", "zero-gap", survivors=[0, 1, 4, 5])
    log.bug("LevelDB, goleveldb (default), RocksDB: the loss is silent")


@BOOK.damaged(three_blocks_of_short_records, "zeros", "LDB-027")
def block_of_zeros_at_the_start(log: LevelDBLog) -> None:
    """The first block reads as zeros, the log goes on."""
    log.zero("blocks[0]")
    log.expect("damaged", "zero-gap", survivors=[2, 3, 4, 5])


@BOOK.damaged(three_blocks_of_short_records, "zeros", "LDB-026", "LDB-020")
def header_of_zeros_before_other_records(log: LevelDBLog) -> None:
    """Seven zero bytes before good records: the rest of the block is skipped, and it is damage."""
    log.zero("blocks[0].records[0].header")
    log.expect("damaged", "zero-header", survivors=[2, 3, 4, 5])
    log.bug("LevelDB: the loss is silent; Pebble stops; rusty-leveldb reads on in mid-payload")


@BOOK.damaged(three_records, "zeros", "LDB-026", "LDB-020", "LDB-039")
def record_zeroed_in_last_block(log: LevelDBLog) -> None:
    """A zeroed record in a short last block: the record after it cannot be reached."""
    log.zero("blocks[0].records[1]")
    log.expect("damaged", "zero-header", survivors=[0], end=None)


@BOOK.damaged(three_records, "zeros", "LDB-026", "LDB-020")
def length_and_type_zeroed(log: LevelDBLog) -> None:
    """Type 0 and length 0 end the block even under a checksum that is not zero."""
    log.zero("blocks[0].records[1].header.len_data")
    log.zero("blocks[0].records[1].header.type")
    log.expect("damaged", "zero-header", survivors=[0])


@BOOK.damaged(one_record, "zeros", "LDB-026", "LDB-025")
def one_byte_before_zeros(log: LevelDBLog) -> None:
    """A byte that is not zero where preallocated zeros should begin: the checksum field counts."""
    log.extend(b"\x01" + bytes(40), "a byte 01 and 40 zeros")
    log.expect("damaged", "zero-header", survivors=[0], end=None)


@BOOK.damaged(one_record, "zeros", "LDB-026", "LDB-025")
def zeros_before_one_byte(log: LevelDBLog) -> None:
    """The last of the zeros at the end of the log is none: they are no preallocated space."""
    log.extend(bytes(40) + b"\x01", "40 zeros and a byte 01")
    log.expect("damaged", "zero-header", survivors=[0], end=None)


@BOOK.damaged(three_records, "zeros", "LDB-026", "LDB-008")
def zero_record_with_its_own_checksum(log: LevelDBLog) -> None:
    """Type 0 and length 0 end the block even when the checksum holds."""
    log.splice("blocks[0].records[1]", physical(0, b""), "an empty record of type 0")
    log.expect("damaged", "zero-header", survivors=[0])


@BOOK.damaged(log_ends_with_its_block, "zeros", "LDB-021", "LDB-025", kind="eof")
def zero_tail_shorter_than_a_header_in_a_new_block(log: LevelDBLog) -> None:
    """Four zero bytes in a new block are preallocated space."""
    log.extend(bytes(4), "4 zero bytes")
    log.expect("intact", survivors=[0, 1], end=BLOCK)


@BOOK.damaged(three_blocks_of_short_records, "zeros", "LDB-028")
def sector_of_zeros_inside_a_record(log: LevelDBLog) -> None:
    """A sector that was never written, inside a payload: the checksum fails."""
    log.shows("zeroed-sector")
    log.zero_sector(8, 512)
    log.expect("damaged", "checksum-mismatch", survivors=[0, 2, 3, 4, 5])


@BOOK.valid("zeros", "LDB-001", kind="eof")
def log_ends_ten_bytes_before_its_block(log: LevelDBLog) -> None:
    """The log ends ten bytes before the end of its block: one more header would fit."""
    log.write(b"alpha")
    log.fill_block_but(10)
    log.expect("intact", survivors=[0, 1], end=BLOCK - 10)


@BOOK.damaged(log_ends_ten_bytes_before_its_block, "zeros", "LDB-027", kind="limit")
def writer_left_its_block_early(log: LevelDBLog) -> None:
    """A writer that starts a new block with ten bytes left: the reader cannot tell why."""
    log.extend(bytes(10), "10 zero bytes")
    log.extend(physical(FULL, b"bravo"), 'the record "bravo"')
    log.expect("damaged", "zero-gap", survivors=[0, 1, b"bravo"])
    log.note(
        "LevelDB's writer never does this. Zeros of a header or more in mid-log are reported as a"
        " gap; no record is lost by it."
    )


@BOOK.damaged(three_records, "zeros", "LDB-027", "LDB-016")
def appended_in_the_next_block_behind_zeros(log: LevelDBLog) -> None:
    """Preallocated zeros, then a writer that went on at the next block: the gap is reported."""
    log.extend(bytes(BLOCK - 38), "zeros to the end of the block")
    later = LevelDBLog(b"", [])
    later.write(b"delta")
    log.extend(bytes(later.data), 'the record "delta"')
    log.expect("damaged", "zero-gap", survivors=[0, 1, 2, b"delta"])


@BOOK.damaged(two_blocks, "trailer", "LDB-005")
def trailer_not_zero(log: LevelDBLog) -> None:
    """A trailer that is not zero is skipped all the same."""
    log.fill("blocks[0].trailer", 0x5A)
    log.expect("intact", survivors=[0, 1, 2, 3])
    log.note("LevelDB's own text says the trailer must be zero; no reader checks it.")


@BOOK.damaged(one_record, "zeros", "LDB-027", "LDB-021", "LDB-038")
def torn_header_in_the_block_after_zeros(log: LevelDBLog) -> None:
    """Zeros to the end of a block are a gap also if only a torn header follows them."""
    log.extend(bytes(BLOCK - 12), "zeros to the end of the block")
    log.extend(bytes([1, 2, 3]), "01 02 03")
    log.expect("damaged", "zero-gap", survivors=[0], end=BLOCK)


@BOOK.damaged(one_record, "zeros", "LDB-027", "LDB-022", "LDB-038")
def torn_payload_in_the_block_after_zeros(log: LevelDBLog) -> None:
    """Zeros to the end of a block are a gap also if only a torn record follows them."""
    log.extend(bytes(BLOCK - 12), "zeros to the end of the block")
    log.extend(physical(FULL, b"bravo")[:10], 'the first ten bytes of the record "bravo"')
    log.expect("damaged", "zero-gap", survivors=[0], end=BLOCK)


@BOOK.damaged(one_record, "zeros", "LDB-027", "LDB-008", "LDB-037")
def gap_over_three_blocks(log: LevelDBLog) -> None:
    """Zeros through several blocks are one gap, up to the start of the block that is not zero."""
    log.extend(bytes(3 * BLOCK - 12), "zeros to the end of the third block")
    later = LevelDBLog(b"", [])
    later.write(forge_checksum(FULL, b"crc0", stored=0), b"bravo")
    log.extend(bytes(later.data), "two records, the first with a stored checksum of zero")
    log.expect("damaged", "zero-gap", survivors=[0, later.payloads[0], b"bravo"])


@BOOK.damaged(one_record, "zeros", "LDB-026", "LDB-027")
def zeros_before_the_last_byte_of_the_block(log: LevelDBLog) -> None:
    """The rest of the block is zero but for its very last byte: a zero header, and no gap."""
    log.extend(bytes(BLOCK - 13) + b"\x01", "zeros and a byte 01 to the end of the block")
    log.extend(physical(FULL, b"bravo"), 'the record "bravo"')
    log.expect("damaged", "zero-header", survivors=[0, b"bravo"])


@BOOK.damaged(one_record, "zeros", "LDB-026", "LDB-027", "LDB-039")
def last_byte_of_a_zero_block_not_zero(log: LevelDBLog) -> None:
    """A byte where a trailer could be ends a gap like any other: its block is not all zero."""
    log.extend(bytes(BLOCK - 12), "zeros to the end of the block")
    log.extend(bytes(BLOCK - 1) + b"\x01", "a block of zeros but for its last byte")
    log.expect("damaged", "zero-gap", survivors=[0], end=2 * BLOCK)


@BOOK.damaged(log_ends_seven_bytes_before_its_block, "zeros", "LDB-027", "LDB-004", kind="limit")
def seven_zeros_at_the_end_of_a_block(log: LevelDBLog) -> None:
    """Seven zeros before a block boundary are no trailer: a header would fit there."""
    log.extend(bytes(7), "7 zero bytes")
    log.extend(physical(FULL, b"bravo"), 'the record "bravo"')
    log.expect("damaged", "zero-gap", survivors=[0, 1, b"bravo"])


@BOOK.damaged(first_and_middle_in_one_block, "zeros", "LDB-026", "LDB-034", "LDB-036")
def header_of_zeros_in_an_open_record(log: LevelDBLog) -> None:
    """A zero header ends the open record: the LAST in the next block must not complete it."""
    log.zero("blocks[0].records[2].header")
    log.expect("damaged", "zero-header", survivors=[0, 2])


@BOOK.damaged(two_blocks, "zeros", "LDB-025", "LDB-039")
def damage_then_zero_tail(log: LevelDBLog) -> None:
    """Damage in the first block, and zeros at the end: a writer resumes where they begin."""
    log.flip("blocks[0].records[0].data", 0)
    log.extend(bytes(100), "100 zero bytes")
    log.expect("damaged", "checksum-mismatch", survivors=[2, 3], end=BLOCK + 26)


@BOOK.damaged(two_blocks, "zeros", "LDB-025", "LDB-039", kind="eof")
def zero_tail_after_a_trailer(log: LevelDBLog) -> None:
    """Zeros after a trailer of zeros: they begin with the block, not with the trailer."""
    log.truncate(BLOCK)
    log.extend(bytes(100), "100 zero bytes")
    log.expect("intact", survivors=[0, 1], end=BLOCK)


@BOOK.damaged(three_blocks_of_short_records, "zeros", "LDB-027", "LDB-028")
def damaged_block_before_a_block_of_zeros(log: LevelDBLog) -> None:
    """A block that was given up and the block of zeros after it are two ranges."""
    log.flip("blocks[0].records[0].data", 0)
    log.zero("blocks[1]")
    log.expect("damaged", "checksum-mismatch", survivors=[4, 5])
