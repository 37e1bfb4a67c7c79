"""Intact logs. Other recipes damage copies of them."""

from conformance.recipes.sqlite_wal.log import (
    LAYOUT,
    PAGE_SIZE,
    SALTS,
    VALUES,
    SqliteLog,
    forge_checksum,
    image,
)
from reference_impl.sqlite_wal.layout import MAX_PAGE


@LAYOUT.valid("SQW-001")
def empty_file(log: SqliteLog) -> None:
    """An empty file, as after a checkpoint that truncates the log."""
    log.expect("intact", survivors=[], end=0)


@LAYOUT.valid("SQW-001", "SQW-002", "SQW-007", "SQW-020", "SQW-042")
def header_alone(log: SqliteLog) -> None:
    """A header without frames."""
    log.begin()
    log.expect("intact", survivors=[], end=32)


@LAYOUT.valid("SQW-002", "SQW-004", "SQW-006", "SQW-007", "SQW-008")
def one_page_of_zeros(log: SqliteLog) -> None:
    """One transaction of one page: the example log that the chapter shows byte by byte."""
    log.begin()
    log.add_frames((1, 1, bytes(512)))
    log.payloads = [bytes(512)]
    log.expect_bytes(
        bytes.fromhex(
            "377f0682 002de218 00000200 00000000 11111111 22222222 e5dc1424 bfd80deb"
            "00000001 00000001 11111111 22222222 162b2b15 0ae14a3f"
        )
        + bytes(512)
    )
    log.expect("intact", survivors=[0], end=568)


@LAYOUT.valid("SQW-004", "SQW-010", "SQW-011", "SQW-012")
def five_transactions(log: SqliteLog) -> None:
    """Five transactions in seven frames. The second transaction has three frames, and the others
    have one."""
    log.begin()
    log.commit((2, "alpha."), db_pages=3)
    log.commit((1, "bravo."), (2, "charlie."), (4, "delta."), db_pages=4)
    log.commit((3, "echo."), db_pages=4)
    log.commit((2, "foxtrot."), db_pages=4)
    log.commit((2, "golf."), db_pages=4)
    log.expect("intact", survivors=[0, 1, 2, 3, 4], end=3784)


@LAYOUT.valid("SQW-002", "SQW-006")
def big_endian_checksums(log: SqliteLog) -> None:
    """A log with an odd magic number, which selects checksums over big-endian words."""
    log.begin(order=">")
    log.commit((1, "alpha."), (2, "bravo."), db_pages=2)
    log.commit((2, "charlie."), db_pages=2)
    log.commit((3, "delta."), db_pages=3)
    log.expect("intact", survivors=[0, 1, 2], end=2176)


@LAYOUT.valid("SQW-004", "SQW-012")
def two_large_transactions(log: SqliteLog) -> None:
    """Two transactions of three frames each."""
    log.begin()
    log.commit((1, "alpha."), (2, "bravo."), (3, "charlie."), db_pages=3)
    log.commit((4, "delta."), (5, "echo."), (6, "foxtrot."), db_pages=6)
    log.expect("intact", survivors=[0, 1], end=3248)


@LAYOUT.valid("SQW-004")
def one_transaction(log: SqliteLog) -> None:
    """One transaction of one frame."""
    log.begin()
    log.commit((1, "alpha."), db_pages=1)
    log.expect("intact", survivors=[0], end=568)


@LAYOUT.valid("SQW-004", "SQW-012")
def one_transaction_of_two_frames(log: SqliteLog) -> None:
    """One transaction of two frames."""
    log.begin()
    log.commit((1, "alpha."), (2, "bravo."), db_pages=2)
    log.expect("intact", survivors=[0], end=1104)


@PAGE_SIZE.valid("SQW-003")
def pages_of_1024_bytes(log: SqliteLog) -> None:
    """A page size of 1,024 bytes."""
    log.begin(page_size=1024)
    log.commit((1, "alpha."), (2, "bravo."), db_pages=2)
    log.commit((2, "charlie."), db_pages=2)
    log.commit((2, "delta."), db_pages=2)
    log.expect("intact", survivors=[0, 1, 2], end=32 + 4 * 1048)


@PAGE_SIZE.valid("SQW-003")
def pages_of_2048_bytes(log: SqliteLog) -> None:
    """A page size of 2,048 bytes."""
    log.begin(page_size=2048)
    log.commit((1, "alpha."), db_pages=1)
    log.expect("intact", survivors=[0], end=32 + 2072)


@PAGE_SIZE.valid("SQW-003")
def pages_of_4096_bytes(log: SqliteLog) -> None:
    """A page size of 4,096 bytes, the default of SQLite."""
    log.begin(page_size=4096)
    log.commit((1, "alpha."), db_pages=1)
    log.expect("intact", survivors=[0], end=32 + 4120)


@PAGE_SIZE.valid("SQW-003")
def pages_of_8192_bytes(log: SqliteLog) -> None:
    """A page size of 8,192 bytes."""
    log.begin(page_size=8192)
    log.commit((1, "alpha."), db_pages=1)
    log.expect("intact", survivors=[0], end=32 + 8216)


@PAGE_SIZE.valid("SQW-003")
def pages_of_16384_bytes(log: SqliteLog) -> None:
    """A page size of 16,384 bytes."""
    log.begin(page_size=16384)
    log.commit((1, "alpha."), db_pages=1)
    log.expect("intact", survivors=[0], end=32 + 16408)


@PAGE_SIZE.valid("SQW-003")
def pages_of_32768_bytes(log: SqliteLog) -> None:
    """A page size of 32,768 bytes."""
    log.begin(page_size=32768)
    log.commit((1, "alpha."), db_pages=1)
    log.expect("intact", survivors=[0], end=32 + 32792)


@PAGE_SIZE.valid("SQW-003")
def pages_of_65536_bytes(log: SqliteLog) -> None:
    """The largest page size, 65,536 bytes, which the header stores as 65536 and not as 1."""
    log.begin(page_size=65536)
    log.commit((1, "alpha."), db_pages=1)
    log.expect("intact", survivors=[0], end=32 + 65560)
    log.bug("dissect.database 1.1 cannot open a log of this page size")


@LAYOUT.valid("SQW-002", "SQW-005")
def salts_of_zeros(log: SqliteLog) -> None:
    """Both salts are zero, which is a legal pair."""
    log.begin(salts=bytes(8))
    log.commit((1, "alpha."), db_pages=1)
    log.commit((2, "bravo."), db_pages=2)
    log.expect("intact", survivors=[0, 1], end=1104)


@LAYOUT.valid("SQW-002", "SQW-005")
def highest_salts_and_sequence(log: SqliteLog) -> None:
    """Both salts and the sequence number have the highest value, 4294967295."""
    log.begin(salts=b"\xff" * 8, sequence=0xFFFFFFFF)
    log.commit((1, "alpha."), db_pages=1)
    log.expect("intact", survivors=[0], end=568)


@LAYOUT.valid("SQW-002")
def third_generation(log: SqliteLog) -> None:
    """A sequence number of 2, because the writer restarted the log twice."""
    log.begin(sequence=2)
    log.commit((1, "alpha."), (2, "bravo."), db_pages=2)
    log.commit((2, "charlie."), db_pages=2)
    log.expect("intact", survivors=[0, 1], end=1640)


@LAYOUT.valid("SQW-008")
def checksum_of_zeros(log: SqliteLog) -> None:
    """A frame between two other frames has the checksum 0, which is a valid value."""
    log.begin()
    log.commit((1, "alpha."), db_pages=1)
    assert log.header is not None
    forged = forge_checksum(log.state, 2, 2, image(2, "bravo."), log.header.order)
    log.add_frames((2, 2, forged))
    log.payloads.append(forged)
    log.commit((3, "charlie."), db_pages=3)
    log.expect("intact", survivors=[0, 1, 2], end=1640)


@LAYOUT.valid("SQW-012", "SQW-013")
def one_page_twice_in_a_transaction(log: SqliteLog) -> None:
    """A transaction contains two images of one page. Both are returned, in order."""
    log.begin()
    log.commit((2, "alpha."), (2, "bravo."), (1, "charlie."), db_pages=2)
    log.expect("intact", survivors=[0], end=1640)


@VALUES.valid("SQW-013")
def page_beyond_the_database(log: SqliteLog) -> None:
    """A page number above the database size of its transaction."""
    log.begin()
    log.commit((9, "alpha."), (1, "bravo."), db_pages=2)
    log.expect("intact", survivors=[0], end=1104)


@VALUES.valid("SQW-013")
def database_larger_than_its_pages(log: SqliteLog) -> None:
    """A database size of 1,000,000,000 pages, which a reader returns as stored."""
    log.begin()
    log.commit((1, "alpha."), db_pages=1_000_000_000)
    log.expect("intact", survivors=[0], end=568)
    log.note(
        "At a checkpoint, SQLite 3.39.4 and later report a corrupt database."
        " SQLite 3.17 extends the database."
    )


@VALUES.valid("SQW-013")
def database_that_shrinks(log: SqliteLog) -> None:
    """The second transaction makes the database smaller."""
    log.begin()
    log.commit((1, "alpha."), (5, "bravo."), db_pages=5)
    log.commit((1, "charlie."), db_pages=2)
    log.expect("intact", survivors=[0, 1], end=1640)


@VALUES.valid("SQW-011", "SQW-013")
def highest_numbers(log: SqliteLog) -> None:
    """The two highest page numbers and the highest database size of SQLite."""
    log.begin()
    log.commit((MAX_PAGE, "alpha."), (MAX_PAGE - 1, "bravo."), db_pages=MAX_PAGE)
    log.expect("intact", survivors=[0], end=1104)


@VALUES.valid("SQW-013")
def page_number_of_32_ones(log: SqliteLog) -> None:
    """A page number and a database size of 4294967295, which a reader returns without checking
    them."""
    log.begin()
    log.commit((0xFFFFFFFF, "alpha."), db_pages=0xFFFFFFFF)
    log.expect("intact", survivors=[0], end=568)


@LAYOUT.valid("SQW-004")
def log_in_an_image(log: SqliteLog) -> None:
    """An image contains a header and the start of a frame with the same salts as the log."""
    log.begin()
    inner = bytes(log.data) + bytes.fromhex("00000001 00000001") + SALTS + bytes(8)
    page = (inner * 20)[:512]
    log.add_frames((2, 2, page))
    log.payloads.append(page)
    log.commit((3, "alpha."), db_pages=3)
    log.expect("intact", survivors=[0, 1], end=1104)


@LAYOUT.valid("SQW-012", "SQW-044", kind="limit")
def transaction_of_forty_frames(log: SqliteLog) -> None:
    """One transaction of forty frames."""
    log.begin()
    log.commit(*((page, f"page {page}, ") for page in range(1, 41)), db_pages=40)
    log.expect("intact", survivors=[0], end=32 + 40 * 536)


@LAYOUT.valid("SQW-012", "SQW-044", kind="limit")
def twelve_transactions(log: SqliteLog) -> None:
    """Twelve transactions of one frame each, which write the same page."""
    log.begin()
    for number in range(12):
        log.commit((2, f"change {number}, "), db_pages=2)
    log.expect("intact", survivors=list(range(12)), end=32 + 12 * 536)
