"""Logs with zero bytes in their salts, and slots and pieces that are almost all zeros."""

from conformance.recipes.sqlite_wal.layout import one_transaction, salts_of_zeros
from conformance.recipes.sqlite_wal.log import (
    BAD_TAIL,
    LAYOUT,
    OLDER_SALTS,
    STALE,
    TORN_TAIL,
    UNCOMMITTED,
    SqliteLog,
)


@UNCOMMITTED.damaged(salts_of_zeros, "SQW-005", "SQW-030", "SQW-032")
def frame_after_an_older_one_under_salts_of_zeros(log: SqliteLog) -> None:
    """In a log with salts of zero, an older frame and an uncommitted frame follow the end. The
    uncommitted frame has the salts of the log."""
    for page, salts in ((3, OLDER_SALTS), (4, bytes(8))):
        head = page.to_bytes(4, "big") + bytes(4) + salts + b"\5" * 8
        log.extend(head + log.image(page, "golf."))
    log.expect("torn", "uncommitted", survivors=[0, 1], end=1104)


@BAD_TAIL.damaged(salts_of_zeros, "SQW-005", "SQW-030", "SQW-034", kind="corrupt")
def size_alone_under_salts_of_zeros(log: SqliteLog) -> None:
    """In a log with salts of zero, a slot that is all zeros except for its database size is a
    commit frame."""
    log.extend(bytes(4) + b"\0\0\0\5" + bytes(528))
    log.expect("torn", "bad-tail", survivors=[0, 1], end=1104)


@LAYOUT.valid("SQW-002", "SQW-005")
def salts_of_zero_and_one(log: SqliteLog) -> None:
    """The salts are 0 and 1, so seven of their eight bytes are zero."""
    log.begin(salts=bytes(7) + b"\1")
    log.commit((1, "alpha."), db_pages=1)
    log.expect("intact", survivors=[0], end=568)


@UNCOMMITTED.damaged(salts_of_zero_and_one, "SQW-030", "SQW-032")
def salts_alone(log: SqliteLog) -> None:
    """A slot that is all zeros except for the salts of the log is of this generation."""
    log.extend(bytes(15) + b"\1" + bytes(520))
    log.expect("torn", "uncommitted", survivors=[0], end=568)


@TORN_TAIL.damaged(salts_of_zero_and_one, "SQW-033")
def piece_with_salts_alone(log: SqliteLog) -> None:
    """The file ends with 16 bytes of a frame, which are all zero except for the last byte of the
    salts."""
    log.extend(bytes(15) + b"\1")
    log.expect("torn", "torn-frame", survivors=[0], end=568)


@TORN_TAIL.damaged(salts_of_zeros, "SQW-032")
def piece_with_a_checksum_under_salts_of_zeros(log: SqliteLog) -> None:
    """In a log with salts of zero, the file ends with a piece of 16 zeros and a checksum."""
    log.extend(bytes(16) + b"\5" * 8)
    log.expect("torn", "uncommitted", survivors=[0, 1], end=1104)


@STALE.damaged(one_transaction, "SQW-033", kind="valid")
def piece_with_a_size_and_page_zero(log: SqliteLog) -> None:
    """A piece with zero salts, a database size and page number 0 is framing."""
    log.extend(bytes(4) + b"\5" + bytes(15))
    log.expect("intact", survivors=[0], end=568)
