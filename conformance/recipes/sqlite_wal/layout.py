"""Logs without a fault: the controls of the damaged ones."""

from conformance.recipes.sqlite_wal.log import BOOK, SqliteLog


@BOOK.valid("layout", "SQW-001")
def empty_file(log: SqliteLog) -> None:
    """A file of zero bytes, as after a checkpoint that truncates the log."""
    log.expect("intact", survivors=[], end=0)


@BOOK.valid("layout", "SQW-001", "SQW-002", "SQW-042")
def header_alone(log: SqliteLog) -> None:
    """A header and no frame."""
    log.begin()
    log.expect("intact", survivors=[], end=32)


@BOOK.valid("layout", "SQW-002", "SQW-004", "SQW-008")
def one_page_of_zeros(log: SqliteLog) -> None:
    """One transaction of one page: the log of the chapter, byte by byte."""
    log.begin()
    log.add_frames((1, 1, bytes(512)))
    log.payloads = [bytes(512)]
    log.expect_bytes(
        bytes.fromhex(
            "377f0682002de218000002000000000011111111 22222222 e5dc1424 bfd80deb"
            "00000001 00000001 11111111 22222222 162b2b15 0ae14a3f"
        )
        + bytes(512)
    )
    log.expect("intact", survivors=[0], end=568)


@BOOK.valid("layout", "SQW-004", "SQW-010", "SQW-011", "SQW-012")
def five_transactions(log: SqliteLog) -> None:
    """Five transactions in seven frames: frame 1, frames 2 to 4, and three of one frame."""
    log.begin()
    log.commit((2, "alpha."), db_pages=3)
    log.commit((1, "bravo."), (2, "charlie."), (4, "delta."), db_pages=4)
    log.commit((3, "echo."), db_pages=4)
    log.commit((2, "foxtrot."), db_pages=4)
    log.commit((2, "golf."), db_pages=4)
    log.expect("intact", survivors=[0, 1, 2, 3, 4], end=3784)
