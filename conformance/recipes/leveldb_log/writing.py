"""Writer vectors: the format determines every byte."""

from conformance.recipes.leveldb_log.log import BOOK, LevelDBLog, numbered


@BOOK.writing("writing", "LDB-013", "LDB-006", "LDB-007")
def write_three_records(log: LevelDBLog) -> None:
    """Three short records."""
    log.write(b"alpha", b"bravo", b"charlie")


@BOOK.writing("writing", "LDB-013", "LDB-011")
def write_leveldb_read_write_test(log: LevelDBLog) -> None:
    """The records of LevelDB's own test ReadWrite, an empty one among them."""
    log.write(b"foo", b"bar", b"", b"xxxx")
    log.expect_bytes(
        bytes.fromhex(
            "dd5fb37a030001666f6fbaeaec44030001626172052b2843000001153d26e904000178787878"
        )
    )


@BOOK.writing("writing", "LDB-001", "LDB-013")
def write_nothing(log: LevelDBLog) -> None:
    """No records: a file of no bytes."""
    log.expect_bytes(b"")


@BOOK.writing("writing", "LDB-013", "LDB-014")
def write_example_of_the_source_document(log: LevelDBLog) -> None:
    """Records of 1000, 97270 and 8000 bytes: three fragments and a trailer of six bytes."""
    log.write(b"A" * 1000, b"B" * 97270, b"C" * 8000)


@BOOK.writing("writing", "LDB-012", "LDB-013")
def write_with_seven_bytes_left(log: LevelDBLog) -> None:
    """Exactly a header fits: an empty FIRST fragment goes there."""
    log.write(b"a" * (32768 - 14), b"bravo")


@BOOK.writing("writing", "LDB-011", "LDB-012")
def write_empty_with_seven_bytes_left(log: LevelDBLog) -> None:
    """Exactly a header fits an empty record: it is FULL."""
    log.write(b"a" * (32768 - 14), b"", b"charlie")


@BOOK.writing("writing", "LDB-004", "LDB-014")
def write_leaves_the_trailer_for_later(log: LevelDBLog) -> None:
    """Three bytes are left in the block: they are written with the next record, not before."""
    log.write(b"a" * (32768 - 10))


@BOOK.writing("writing", "LDB-004", "LDB-014")
def write_fills_the_trailer(log: LevelDBLog) -> None:
    """Three bytes are left in the block: zeros, and the next record in a new block."""
    log.write(b"a" * (32768 - 10), b"bravo")


@BOOK.writing("writing", "LDB-003", "LDB-013")
def write_a_block_exactly(log: LevelDBLog) -> None:
    """A record that fills its block to the last byte, then another."""
    log.write(b"a" * (32768 - 7), b"bravo")


@BOOK.writing("writing", "LDB-013", kind="limit")
def write_one_byte_more_than_a_block(log: LevelDBLog) -> None:
    """A record one byte larger than a block holds."""
    log.write(numbered(32762))
