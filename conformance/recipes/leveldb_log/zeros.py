"""Zeros in place of records: preallocated space or lost writes."""

from conformance.recipes.leveldb_log.layout import (
    log_ends_seven_bytes_before_its_block,
    one_record,
    three_records,
    two_blocks,
)
from conformance.recipes.leveldb_log.log import (
    FULL,
    TRAILER,
    ZEROS,
    LevelDBLog,
    forge_checksum,
    physical,
)

BLOCK = 32768


@ZEROS.valid("LDB-025", kind="eof")
def nothing_but_zeros(log: LevelDBLog) -> None:
    """A preallocated log without records consists only of zeros."""
    log.data += bytes(4096)
    log.expect("intact", survivors=[], end=0)


@ZEROS.valid("LDB-001", "LDB-004")
def three_blocks_of_short_records(log: LevelDBLog) -> None:
    """Three blocks with two FULL records each."""
    for name in (b"alpha", b"delta", b"golf"):
        log.write(name)
        log.fill_block_but(5 if name != b"golf" else 20000)
    log.expect("intact", survivors=[0, 1, 2, 3, 4, 5])


@ZEROS.damaged(one_record, "LDB-026", "LDB-025")
def one_byte_before_zeros(log: LevelDBLog) -> None:
    """A byte 01 and 40 zeros follow the last record. The checksum field is not zero, so the bytes
    are not preallocated space."""
    log.extend(b"\x01" + bytes(40))
    log.expect("damaged", "zero-header", survivors=[0], end=None)


@ZEROS.damaged(one_record, "LDB-026", "LDB-025")
def zeros_before_one_byte(log: LevelDBLog) -> None:
    """Forty zeros and a byte 01 follow the last record. The last byte is not zero, so the bytes are
    not preallocated space."""
    log.extend(bytes(40) + b"\x01")
    log.expect("damaged", "zero-header", survivors=[0], end=None)


@ZEROS.damaged(three_records, "LDB-026", "LDB-008")
def zero_record_with_its_own_checksum(log: LevelDBLog) -> None:
    """A record with type 0 and length 0 has a valid checksum. The header is a zero header, and the
    rest of the block is lost."""
    log.splice("blocks[0].records[1]", physical(0, b""))
    log.expect("damaged", "zero-header", survivors=[0])


@ZEROS.valid("LDB-001", kind="eof")
def log_ends_ten_bytes_before_its_block(log: LevelDBLog) -> None:
    """The log ends ten bytes before the end of its block, where another header would fit."""
    log.write(b"alpha")
    log.fill_block_but(10)
    log.expect("intact", survivors=[0, 1], end=BLOCK - 10)


@ZEROS.damaged(log_ends_ten_bytes_before_its_block, "LDB-027", kind="limit")
def writer_left_its_block_early(log: LevelDBLog) -> None:
    """A writer leaves ten zero bytes at the end of a block. A reader cannot distinguish these zeros
    from a lost write, and reports a gap."""
    log.extend(bytes(10))
    log.extend(physical(FULL, b"bravo"))
    log.expect("damaged", "zero-gap", survivors=[0, 1, b"bravo"])
    log.note(
        "LevelDB's writer never leaves so many bytes. A reader reports seven or more zeros at the"
        " end of a block as a gap if records follow. No record is lost."
    )


@ZEROS.damaged(three_records, "LDB-027", "LDB-016")
def appended_in_the_next_block_behind_zeros(log: LevelDBLog) -> None:
    """A writer appended after preallocated zeros, in the next block. The zeros are a gap."""
    log.extend(bytes(BLOCK - 38))
    later = LevelDBLog(b"", [])
    later.write(b"delta")
    log.extend(bytes(later.data))
    log.expect("damaged", "zero-gap", survivors=[0, 1, 2, b"delta"])


@TRAILER.damaged(two_blocks, "LDB-005")
def trailer_not_zero(log: LevelDBLog) -> None:
    """A trailer contains non-zero bytes. A reader skips these bytes."""
    log.fill("blocks[0].trailer", 0x5A)
    log.expect("intact", survivors=[0, 1, 2, 3])
    log.note(
        "LevelDB's documentation requires a trailer of zeros, but no reader checks the trailer."
    )


@ZEROS.damaged(one_record, "LDB-027", "LDB-022", "LDB-038")
def torn_payload_in_the_block_after_zeros(log: LevelDBLog) -> None:
    """Zeros fill the end of a block, and only a torn record follows. The zeros are a gap."""
    log.extend(bytes(BLOCK - 12))
    log.extend(physical(FULL, b"bravo")[:10])
    log.expect("damaged", "zero-gap", survivors=[0], end=BLOCK)


@ZEROS.damaged(one_record, "LDB-027", "LDB-008", "LDB-037")
def gap_over_three_blocks(log: LevelDBLog) -> None:
    """Zeros in three blocks are one gap, which ends at the start of the next block that is not all
    zeros."""
    log.extend(bytes(3 * BLOCK - 12))
    later = LevelDBLog(b"", [])
    later.write(forge_checksum(FULL, b"crc0", stored=0), b"bravo")
    log.extend(bytes(later.data))
    log.expect("damaged", "zero-gap", survivors=[0, later.payloads[0], b"bravo"])


@ZEROS.damaged(one_record, "LDB-026", "LDB-027")
def zeros_before_the_last_byte_of_the_block(log: LevelDBLog) -> None:
    """The rest of a block is zero except for the last byte. The fault is a zero header, not a
    gap."""
    log.extend(bytes(BLOCK - 13) + b"\x01")
    log.extend(physical(FULL, b"bravo"))
    log.expect("damaged", "zero-header", survivors=[0, b"bravo"])


@ZEROS.damaged(one_record, "LDB-026", "LDB-027", "LDB-039")
def last_byte_of_a_zero_block_not_zero(log: LevelDBLog) -> None:
    """Zeros fill the end of a block, and the next block is zero except for the last byte. The gap
    ends at the start of the next block."""
    log.extend(bytes(BLOCK - 12))
    log.extend(bytes(BLOCK - 1) + b"\x01")
    log.expect("damaged", "zero-gap", survivors=[0], end=2 * BLOCK)


@ZEROS.damaged(log_ends_seven_bytes_before_its_block, "LDB-027", "LDB-004", kind="limit")
def seven_zeros_at_the_end_of_a_block(log: LevelDBLog) -> None:
    """Seven zero bytes at the end of a block are a gap, not a trailer, because a header would
    fit."""
    log.extend(bytes(7))
    log.extend(physical(FULL, b"bravo"))
    log.expect("damaged", "zero-gap", survivors=[0, 1, b"bravo"])


ZEROS.table("""
zero_tail_of_100_bytes: three_records LDB-025 LDB-039 eof
    The log ends with 100 zero bytes. They are preallocated space, and a writer appends where they
    begin.
    damage: extend by 100 zero bytes
    expect: intact, survivors 0-2, end 38
zero_tail_of_6_bytes: three_records LDB-021 LDB-025 eof
    The log ends with six zero bytes, too few for a header. They are preallocated space, not a torn
    header.
    damage: extend by 00 00 00 00 00 00
    expect: intact, survivors 0-2, end 38
zero_tail_of_one_byte: three_records LDB-025 eof
    The log ends with one zero byte, which is preallocated space.
    damage: extend by 00
    expect: intact, survivors 0-2, end 38
zero_tail_to_the_end_of_the_block: three_records LDB-025 eof
    The log ends with zeros that fill the last block. They are preallocated space.
    damage: extend by 32730 zero bytes
    expect: intact, survivors 0-2, end 38
zero_tail_of_two_blocks: three_records LDB-025 eof
    The log ends with 65,536 zero bytes in three blocks. They are preallocated space.
    damage: extend by 65536 zero bytes
    expect: intact, survivors 0-2, end 38
zero_tail_behind_an_unfinished_record: fragments_in_two_blocks LDB-025 LDB-035 LDB-039
    The log ends with zeros in place of a LAST. The open record is torn.
    damage: zero blocks[1]
    expect: torn torn-record, survivors 0, end 12
records_at_the_end_of_a_block_zeroed: two_blocks LDB-027 LDB-039
    The last record of a block is zeroed, and records follow in the next block. The zeros are a gap.
    damage: zero blocks[0].records[1]
    expect: damaged zero-gap, survivors 0 2 3, end 32794
    bug: LevelDB, goleveldb (default), RocksDB: the loss is silent
middle_block_zeroed: fragments_in_three_blocks LDB-027 LDB-034 LDB-036
    The block with the MIDDLE of a record is zeroed. The whole record is lost, and its LAST is an
    orphan.
    damage: zero blocks[1]
    expect: damaged zero-gap, survivors 0 2
block_of_zeros_in_mid_log: three_blocks_of_short_records LDB-027 LDB-037
    A block in the middle of the log was not written and reads as zeros. Its two records are lost.
    damage: zero blocks[1]
    expect: damaged zero-gap, survivors 0 1 4 5
    bug: LevelDB, goleveldb (default), RocksDB: the loss is silent
block_of_zeros_at_the_start: three_blocks_of_short_records LDB-027
    The first block reads as zeros, and records follow in the next block. The zeros are a gap.
    damage: zero blocks[0]
    expect: damaged zero-gap, survivors 2-5
header_of_zeros_before_other_records: three_blocks_of_short_records LDB-026 LDB-020
    The first header of a block is zeroed. The whole block is lost, even its intact second record.
    damage: zero blocks[0].records[0].header
    expect: damaged zero-header, survivors 2-5
    bug: LevelDB: the loss is silent; Pebble stops; rusty-leveldb continues inside the payload
record_zeroed_in_last_block: three_records LDB-026 LDB-020 LDB-039
    A record in the short last block is zeroed. The intact record after it is also lost.
    damage: zero blocks[0].records[1]
    expect: damaged zero-header, survivors 0, end none
length_and_type_zeroed: three_records LDB-026 LDB-020
    The length and type of a record are zeroed, but not the checksum. The header is a zero header,
    and the rest of the block is lost.
    damage: zero blocks[0].records[1].header.len_data
    damage: zero blocks[0].records[1].header.type
    expect: damaged zero-header, survivors 0
zero_tail_shorter_than_a_header_in_a_new_block: log_ends_with_its_block LDB-021 LDB-025 eof
    The log ends with four zero bytes in a new block. They are preallocated space.
    damage: extend by 00 00 00 00
    expect: intact, survivors 0 1, end 32768
sector_of_zeros_inside_a_record: three_blocks_of_short_records LDB-028
    A sector inside a payload was not written and reads as zeros. The checksum does not match.
    shows: zeroed-sector
    damage: zero sector 8 of 512 bytes
    expect: damaged checksum-mismatch, survivors 0 2-5
torn_header_in_the_block_after_zeros: one_record LDB-027 LDB-021 LDB-038
    Zeros fill the end of a block, and only a torn header follows. The zeros are a gap.
    damage: extend by 32756 zero bytes
    damage: extend by 01 02 03
    expect: damaged zero-gap, survivors 0, end 32768
header_of_zeros_in_an_open_record: first_and_middle_in_one_block LDB-026 LDB-034 LDB-036
    The header of a MIDDLE is zeroed. The open record is lost, and its LAST is an orphan.
    damage: zero blocks[0].records[2].header
    expect: damaged zero-header, survivors 0 2
damage_then_zero_tail: two_blocks LDB-025 LDB-039
    One payload bit in the first block is flipped, and the log ends with zeros. A writer appends
    where the zeros begin.
    damage: flip bit 0 of blocks[0].records[0].data
    damage: extend by 100 zero bytes
    expect: damaged checksum-mismatch, survivors 2 3, end 32794
zero_tail_after_a_trailer: two_blocks LDB-025 LDB-039 eof
    The log ends with zeros after a trailer of zeros. The preallocated space begins after the
    trailer.
    damage: truncate at 32768
    damage: extend by 100 zero bytes
    expect: intact, survivors 0 1, end 32768
damaged_block_before_a_block_of_zeros: three_blocks_of_short_records LDB-027 LDB-028
    A damaged block and the block of zeros after it are two lost ranges.
    damage: flip bit 0 of blocks[0].records[0].data
    damage: zero blocks[1]
    expect: damaged checksum-mismatch, survivors 4 5
""")
