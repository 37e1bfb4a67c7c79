"""Undamaged logs with different blocks, records and trailers. Most of them serve as controls."""

from conformance.recipes.leveldb_log.log import (
    FIRST,
    FRAGMENTS,
    FULL,
    LAST,
    LAYOUT,
    MIDDLE,
    TRAILER,
    LevelDBLog,
    forge_checksum,
    numbered,
    physical,
)


@LAYOUT.valid("LDB-001")
def empty_log(log: LevelDBLog) -> None:
    """An empty file is a log without records."""
    log.expect("intact", survivors=[], end=0)


@LAYOUT.valid("LDB-002", "LDB-009")
def one_record(log: LevelDBLog) -> None:
    """A log with one short record."""
    log.write(b"alpha")
    log.expect("intact", survivors=[0], end=12)
    log.expect_bytes(bytes.fromhex("3af6d13e050001616c706861"))


@LAYOUT.valid("LDB-002", "LDB-009", "LDB-020")
def three_records(log: LevelDBLog) -> None:
    """A log with three short records in one short block."""
    log.write(b"alpha", b"bravo", b"charlie")
    log.expect("intact", survivors=[0, 1, 2], end=38)


@LAYOUT.valid("LDB-011")
def empty_record_between_two(log: LevelDBLog) -> None:
    """An empty record between two other records must be returned."""
    log.write(b"alpha", b"", b"bravo")
    log.expect("intact", survivors=[0, 1, 2])
    log.bug("dfindexeddb drops the rest of the block; rusty-leveldb ends the log there")


@LAYOUT.valid("LDB-006", "LDB-007", "LDB-011")
def leveldb_read_write_test(log: LevelDBLog) -> None:
    """The records foo, bar, an empty record and xxxx, as in LevelDB's test ReadWrite."""
    log.write(b"foo", b"bar", b"", b"xxxx")
    log.expect("intact", survivors=[0, 1, 2, 3])
    log.expect_bytes(
        bytes.fromhex(
            "dd5fb37a030001666f6fbaeaec44030001626172052b2843000001153d26e904000178787878"
        )
    )


@LAYOUT.valid("LDB-006", "LDB-007")
def write_batches_of_a_real_database(log: LevelDBLog) -> None:
    """Five write batches, with exactly the bytes that LevelDB 1.22 wrote."""
    log.write(
        *(
            (n + 1).to_bytes(8, "little")
            + (1).to_bytes(4, "little")
            + b"\x01\x02k%d\x02v%d" % (n, n)
            for n in range(4)
        ),
        bytes.fromhex("0500000000000000020000000106626174636831017800026b30"),
    )
    log.expect("intact", survivors=[0, 1, 2, 3, 4], end=137)
    log.expect_bytes(
        bytes.fromhex(
            "432c9d3513000101000000000000000100000001026b30027630"
            "4c6d602a13000102000000000000000100000001026b31027631"
            "befd0a8e13000103000000000000000100000001026b32027632"
            "6afa34e613000104000000000000000100000001026b33027633"
            "1f83d12b1a00010500000000000000020000000106626174636831017800026b30"
        )
    )


@LAYOUT.valid("LDB-008")
def stored_checksum_of_zero(log: LevelDBLog) -> None:
    """A record with a stored checksum of zero is valid."""
    log.write(b"alpha", forge_checksum(FULL, b"crc0", stored=0), b"bravo")
    assert log.data[12:16] == bytes(4)
    log.expect("intact", survivors=[0, 1, 2])
    log.bug("dfindexeddb drops the rest of the block")


@LAYOUT.valid("LDB-008")
def stored_checksum_of_all_ones(log: LevelDBLog) -> None:
    """A record with a stored checksum of ffffffff is valid."""
    log.write(b"alpha", forge_checksum(FULL, b"crc1", stored=0xFFFFFFFF), b"bravo")
    log.expect("intact", survivors=[0, 1, 2])


@LAYOUT.valid("LDB-037")
def payload_that_holds_a_log(log: LevelDBLog) -> None:
    """A payload contains records of another log. A reader treats these records as data."""
    inner = bytes.fromhex("dd5fb37a030001666f6f")
    log.write(b"alpha", inner * 3, b"bravo")
    log.expect("intact", survivors=[0, 1, 2])


@LAYOUT.valid("LDB-009")
def payload_of_zeros(log: LevelDBLog) -> None:
    """A payload of zeros is data, not preallocated space."""
    log.write(b"alpha", bytes(64), b"bravo")
    log.expect("intact", survivors=[0, 1, 2])


@TRAILER.valid("LDB-001", "LDB-003", "LDB-004", "LDB-005", "LDB-014")
def two_blocks(log: LevelDBLog) -> None:
    """A block with a trailer of six zero bytes, followed by a short block."""
    log.write(b"alpha")
    log.fill_block_but(6)
    log.write(b"bravo", b"charlie")
    log.expect("intact", survivors=[0, 1, 2, 3], end=32768 + 26)


@TRAILER.valid("LDB-004", "LDB-014")
def trailer_of_one_byte(log: LevelDBLog) -> None:
    """A block with a trailer of one byte, followed by a short block."""
    log.fill_block_but(1)
    log.write(b"bravo")
    log.expect("intact", survivors=[0, 1])


@TRAILER.valid("LDB-003")
def block_filled_to_the_last_byte(log: LevelDBLog) -> None:
    """A record ends exactly at the end of its block, which has no trailer."""
    log.fill_block_but(0)
    log.write(b"bravo")
    log.expect("intact", survivors=[0, 1])


@TRAILER.valid("LDB-012")
def seven_bytes_left_and_a_record(log: LevelDBLog) -> None:
    """Seven bytes are left in a block. An empty FIRST fills these bytes, and the data follows in
    the next block."""
    log.write(b"alpha")
    log.fill_block_but(7)
    log.write(b"bravo", b"charlie")
    assert log.data[32761:32768].hex() == "6451d0e9000002"
    log.expect("intact", survivors=[0, 1, 2, 3])


@TRAILER.valid("LDB-011", "LDB-012")
def seven_bytes_left_and_an_empty_record(log: LevelDBLog) -> None:
    """Seven bytes are left in a block. An empty record fills these bytes as a FULL."""
    log.write(b"alpha")
    log.fill_block_but(7)
    log.write(b"", b"charlie")
    assert log.data[32761:32768].hex() == "052b2843000001"
    log.expect("intact", survivors=[0, 1, 2, 3])
    log.bug("dfindexeddb's loop condition ignores a record in the last seven bytes of a block")


@TRAILER.valid("LDB-004", kind="eof")
def log_ends_before_its_trailer(log: LevelDBLog) -> None:
    """The log ends three bytes before the end of its block, before the trailer is written."""
    log.write(b"alpha")
    log.fill_block_but(3)
    log.expect("intact", survivors=[0, 1], end=32765)
    log.bug("rusty-leveldb repeats an I/O error forever")


@TRAILER.valid("LDB-001", "LDB-039", kind="eof")
def log_ends_with_its_block(log: LevelDBLog) -> None:
    """The log ends exactly at a block boundary, after a complete record."""
    log.write(b"alpha")
    log.fill_block_but(0)
    log.expect("intact", survivors=[0, 1], end=32768)


@FRAGMENTS.valid("LDB-010", "LDB-003")
def fragments_in_two_blocks(log: LevelDBLog) -> None:
    """A record with a FIRST and a LAST, between two short records."""
    log.write(b"alpha", numbered(33000), b"charlie")
    log.expect("intact", survivors=[0, 1, 2])


@FRAGMENTS.valid("LDB-010", "LDB-013")
def fragments_in_three_blocks(log: LevelDBLog) -> None:
    """A record with a FIRST, a MIDDLE and a LAST, between two short records."""
    log.write(b"alpha", numbered(70000), b"charlie")
    log.expect("intact", survivors=[0, 1, 2])


@FRAGMENTS.valid("LDB-010", "LDB-013")
def example_of_the_source_document(log: LevelDBLog) -> None:
    """Records of 1000, 97,270 and 8000 bytes, as in LevelDB's log_format.md."""
    log.write(b"A" * 1000, b"B" * 97270, b"C" * 8000)
    assert log.data[98298:98304] == bytes(6)
    log.expect("intact", survivors=[0, 1, 2], end=106311)


@FRAGMENTS.valid("LDB-010")
def four_records_across_blocks(log: LevelDBLog) -> None:
    """A short record, two records that span blocks, and another short record."""
    log.write(b"alpha", numbered(40000), numbered(41000)[::-1], b"delta")
    log.expect("intact", survivors=[0, 1, 2, 3])


@TRAILER.valid("LDB-004", "LDB-005", "LDB-039", kind="eof")
def log_ends_in_a_trailer_of_other_bytes(log: LevelDBLog) -> None:
    """The log ends inside a trailer of non-zero bytes. A reader skips these bytes."""
    log.write(b"alpha")
    log.fill_block_but(4)
    log.data += b"\xaa\xbb"
    log.expect("intact", survivors=[0, 1], end=32766)


@TRAILER.valid("LDB-004", kind="eof")
def log_ends_seven_bytes_before_its_block(log: LevelDBLog) -> None:
    """The log ends seven bytes before the end of its block, where exactly one header would fit."""
    log.write(b"alpha")
    log.fill_block_but(7)
    log.expect("intact", survivors=[0, 1], end=32761)


@FRAGMENTS.valid("LDB-010", "LDB-005")
def first_that_leaves_a_trailer(log: LevelDBLog) -> None:
    """A FIRST leaves a trailer of four bytes in its block. The LAST in the next block completes the
    record."""
    log.write(b"alpha")
    first = numbered(32768 - 12 - 7 - 4)
    log.data += physical(FIRST, first) + bytes(4) + physical(LAST, b"bravo")
    log.payloads.append(first + b"bravo")
    log.write(b"charlie")
    log.expect("intact", survivors=[0, 1, 2])


@FRAGMENTS.valid("LDB-010")
def first_and_middle_in_one_block(log: LevelDBLog) -> None:
    """The FIRST and MIDDLE of a record are in the first block, and the LAST is in the second
    block."""
    log.write(b"alpha")
    middle = numbered(32768 - 12 - 12 - 7)
    log.data += physical(FIRST, b"bravo") + physical(MIDDLE, middle) + physical(LAST, b"delta")
    log.payloads.append(b"bravo" + middle + b"delta")
    log.write(b"charlie")
    log.expect("intact", survivors=[0, 1, 2])


@FRAGMENTS.valid("LDB-010", "LDB-012", kind="limit")
def empty_first_before_middle_and_last(log: LevelDBLog) -> None:
    """An empty FIRST in the middle of a block opens a record. The MIDDLE and LAST contain all data
    of the record."""
    log.write(b"alpha")
    log.data += physical(FIRST, b"") + physical(MIDDLE, b"bra") + physical(LAST, b"vo")
    log.payloads.append(b"bravo")
    log.write(b"charlie")
    log.expect("intact", survivors=[0, 1, 2])


@FRAGMENTS.valid("LDB-010", kind="limit")
def empty_middle_and_empty_last(log: LevelDBLog) -> None:
    """The MIDDLE and LAST of a record are empty. The payload is the data of the FIRST."""
    log.write(b"alpha")
    log.data += physical(FIRST, b"bravo") + physical(MIDDLE, b"") + physical(LAST, b"")
    log.payloads.append(b"bravo")
    log.write(b"charlie")
    log.expect("intact", survivors=[0, 1, 2])


@FRAGMENTS.valid("LDB-010", "LDB-011", kind="limit")
def empty_record_in_two_fragments(log: LevelDBLog) -> None:
    """An empty FIRST and an empty LAST form an empty record."""
    log.write(b"alpha")
    log.data += physical(FIRST, b"") + physical(LAST, b"")
    log.payloads.append(b"")
    log.write(b"bravo")
    log.expect("intact", survivors=[0, 1, 2])


@FRAGMENTS.valid("LDB-033", kind="limit")
def empty_first_in_mid_block(log: LevelDBLog) -> None:
    """A FULL follows an empty FIRST in the middle of a block. Nothing is lost."""
    log.write(b"alpha")
    log.data += physical(FIRST, b"")
    log.write(b"bravo")
    log.expect("intact", survivors=[0, 1], end=31)


@FRAGMENTS.valid("LDB-033", kind="limit")
def empty_first_and_empty_middle_then_full(log: LevelDBLog) -> None:
    """A FULL follows an empty FIRST and an empty MIDDLE. Nothing is lost, because the open record
    has no data."""
    log.write(b"alpha")
    log.data += physical(FIRST, b"") + physical(MIDDLE, b"")
    log.write(b"bravo")
    log.expect("intact", survivors=[0, 1], end=38)
