"""Logs with zero bytes in their salts, and slots and pieces that are almost all zeros."""

from conformance.recipes.sqlite_wal.layout import one_transaction, salts_of_zeros
from conformance.recipes.sqlite_wal.log import BOOK, OLDER_SALTS, SqliteLog


@BOOK.damaged(salts_of_zeros, "uncommitted", "SQW-005", "SQW-030", "SQW-032", kind="eof")
def frame_after_an_older_one_under_salts_of_zeros(log: SqliteLog) -> None:
    """In a log with salts of zero, an older frame and an uncommitted frame follow the end. The
    uncommitted frame has the salts of the log.
    """
    for page, salts in ((3, OLDER_SALTS), (4, bytes(8))):
        head = page.to_bytes(4, "big") + bytes(4) + salts + b"\5" * 8
        log.extend(head + log.image(page, "golf."), f"a slot with the salts {salts.hex()}")
    log.expect("torn", "uncommitted", survivors=[0, 1], end=1104)


@BOOK.damaged(salts_of_zeros, "bad-tail", "SQW-005", "SQW-030", "SQW-034")
def size_alone_under_salts_of_zeros(log: SqliteLog) -> None:
    """In a log with salts of zero, a slot that is all zeros except for its database size is a
    commit frame.
    """
    log.extend(bytes(4) + b"\0\0\0\5" + bytes(528), "a slot with a database size")
    log.expect("torn", "bad-tail", survivors=[0, 1], end=1104)


@BOOK.valid("layout", "SQW-002", "SQW-005")
def salts_of_zero_and_one(log: SqliteLog) -> None:
    """The salts are 0 and 1, so seven of their eight bytes are zero."""
    log.begin(salts=bytes(7) + b"\1")
    log.commit((1, "alpha."), db_pages=1)
    log.expect("intact", survivors=[0], end=568)


@BOOK.damaged(salts_of_zero_and_one, "uncommitted", "SQW-030", "SQW-032", kind="eof")
def salts_alone(log: SqliteLog) -> None:
    """A slot that is all zeros except for the salts of the log is of this generation."""
    log.extend(bytes(15) + b"\1" + bytes(520), "a slot of zeros except for the salts")
    log.expect("torn", "uncommitted", survivors=[0], end=568)


@BOOK.damaged(salts_of_zero_and_one, "torn-tail", "SQW-033", kind="eof")
def piece_with_salts_alone(log: SqliteLog) -> None:
    """The file ends with 16 bytes of a frame, which are all zero except for the last byte of the
    salts.
    """
    log.extend(bytes(15) + b"\1", "16 bytes of zeros except for the salts")
    log.expect("torn", "torn-frame", survivors=[0], end=568)


@BOOK.damaged(salts_of_zeros, "stale", "SQW-033", kind="valid")
def piece_with_a_checksum_under_salts_of_zeros(log: SqliteLog) -> None:
    """In a log with salts of zero, a piece of 16 zeros and a checksum is framing."""
    log.extend(bytes(16) + b"\5" * 8, "16 zeros and a checksum")
    log.expect("intact", survivors=[0, 1], end=1104)


@BOOK.damaged(one_transaction, "stale", "SQW-033", kind="valid")
def piece_with_a_size_and_page_zero(log: SqliteLog) -> None:
    """A piece with zero salts, a database size and page number 0 is framing."""
    log.extend(bytes(4) + b"\5" + bytes(15), "20 bytes of zeros except for the database size")
    log.expect("intact", survivors=[0], end=568)
