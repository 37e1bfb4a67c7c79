"""Records for a writer. The format determines every byte of the log."""

from conformance.recipes.leveldb_log.log import WRITING, LevelDBLog, numbered


@WRITING.writing("LDB-013", "LDB-006", "LDB-007")
def write_three_records(log: LevelDBLog) -> None:
    """A writer stores three short records."""
    log.write(b"alpha", b"bravo", b"charlie")


@WRITING.writing("LDB-013", "LDB-011")
def write_leveldb_read_write_test(log: LevelDBLog) -> None:
    """A writer stores the records of LevelDB's test ReadWrite, including an empty record."""
    log.write(b"foo", b"bar", b"", b"xxxx")
    log.expect_bytes(
        bytes.fromhex(
            "dd5fb37a030001666f6fbaeaec44030001626172052b2843000001153d26e904000178787878"
        )
    )


@WRITING.writing("LDB-001", "LDB-013")
def write_nothing(log: LevelDBLog) -> None:
    """A writer stores no records. The log is an empty file."""
    log.expect_bytes(b"")


@WRITING.writing("LDB-013", "LDB-014")
def write_example_of_the_source_document(log: LevelDBLog) -> None:
    """A writer stores records of 1000, 97,270 and 8000 bytes. The second record has three
    fragments, and a trailer of six bytes follows."""
    log.write(b"A" * 1000, b"B" * 97270, b"C" * 8000)


@WRITING.writing("LDB-012", "LDB-013")
def write_with_seven_bytes_left(log: LevelDBLog) -> None:
    """A writer stores a record where seven bytes are left in the block. An empty FIRST fills these
    bytes."""
    log.write(b"a" * (32768 - 14), b"bravo")


@WRITING.writing("LDB-011", "LDB-012")
def write_empty_with_seven_bytes_left(log: LevelDBLog) -> None:
    """A writer stores an empty record where seven bytes are left in the block. A FULL fills these
    bytes."""
    log.write(b"a" * (32768 - 14), b"", b"charlie")


@WRITING.writing("LDB-004", "LDB-014")
def write_leaves_the_trailer_for_later(log: LevelDBLog) -> None:
    """A writer stores a record that leaves three bytes of the block. The trailer is written only
    with the next record."""
    log.write(b"a" * (32768 - 10))


@WRITING.writing("LDB-004", "LDB-014")
def write_fills_the_trailer(log: LevelDBLog) -> None:
    """A writer stores a record where three bytes are left in the block. Zeros fill these bytes, and
    the record starts in the next block."""
    log.write(b"a" * (32768 - 10), b"bravo")


@WRITING.writing("LDB-003", "LDB-013")
def write_a_block_exactly(log: LevelDBLog) -> None:
    """A writer stores a record that fills a block exactly, and then another record."""
    log.write(b"a" * (32768 - 7), b"bravo")


@WRITING.writing("LDB-013", kind="limit")
def write_one_byte_more_than_a_block(log: LevelDBLog) -> None:
    """A writer stores a record that is one byte too large for one block."""
    log.write(numbered(32762))
