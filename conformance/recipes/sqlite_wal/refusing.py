"""Files that a reader refuses, and valid headers that do not match the frames after them."""

from conformance.recipes.sqlite_wal.layout import five_transactions, one_transaction
from conformance.recipes.sqlite_wal.log import BOOK, SqliteLog


@BOOK.damaged(five_transactions, "refused", "SQW-022", "SQW-020")
def rollback_journal(log: SqliteLog) -> None:
    """A rollback journal, which contains the old content of pages."""
    start = bytes.fromhex("d9d505f920a163d7 00000002 5a9ab8b4 00000002 00000200 00000200")
    log.data = bytearray(start.ljust(512, b"\0") + b"\0\0\0\1" + b"a" * 512 + bytes(4))
    log.did("replace the log with a rollback journal of one page")
    log.expect("refused", "rollback-journal")


@BOOK.damaged(one_transaction, "refused", "SQW-022", kind="limit")
def file_of_text(log: SqliteLog) -> None:
    """A text file that is longer than a header."""
    log.data = bytearray(b"This is not a log, and it is longer than a header.\n")
    log.did("replace the log with text")
    log.expect("refused", "bad-magic")


@BOOK.damaged(one_transaction, "refused", "SQW-022", kind="limit")
def short_text(log: SqliteLog) -> None:
    """A text file that is shorter than a header."""
    log.data = bytearray(b"no log\n")
    log.did("replace the log with short text")
    log.expect("refused", "bad-magic")


@BOOK.damaged(one_transaction, "refused", "SQW-022")
def database_file(log: SqliteLog) -> None:
    """Page 1 of a database in a file with the name of a log."""
    log.data = bytearray(log.image(1, "alpha."))
    log.did("replace the log with page 1 of a database")
    log.expect("refused", "bad-magic")


@BOOK.damaged(one_transaction, "refused", "SQW-021", "SQW-022")
def header_without_a_magic_number(log: SqliteLog) -> None:
    """A bit of the magic number flips in a header without frames."""
    log.flip("header.magic", 0)
    log.truncate(32)
    log.expect("refused", "bad-magic")


@BOOK.damaged(five_transactions, "refused", "SQW-024")
def other_version(log: SqliteLog) -> None:
    """Version 3007001 with a valid checksum of the header."""
    log.set("header.version", 3007001, "big")
    log.reseal_header()
    log.expect("refused", "bad-version")
    log.bug("Turso 0.8.3 reads the log, but SQLite cannot open the database")


@BOOK.damaged(five_transactions, "refused", "SQW-024")
def wal2_version(log: SqliteLog) -> None:
    """Version 3021000 of SQLite's wal2 branch, in which a log consists of two files."""
    log.set("header.version", 3021000, "big")
    log.reseal_header()
    log.expect("refused", "bad-version")


@BOOK.damaged(five_transactions, "refused", "SQW-003", "SQW-023")
def page_size_of_one(log: SqliteLog) -> None:
    """A page size of 1 with a valid checksum of the header. The value 1 stands for 65,536 bytes
    only in the header of a database.
    """
    log.set("header.page_size", 1, "big")
    log.reseal_header()
    log.expect("refused", "bad-page-size")
    log.bug("litestream 0.5.18 panics")


@BOOK.damaged(five_transactions, "refused", "SQW-003", "SQW-023")
def page_size_of_zero(log: SqliteLog) -> None:
    """A page size of 0 with a valid checksum of the header."""
    log.set("header.page_size", 0, "big")
    log.reseal_header()
    log.expect("refused", "bad-page-size")


@BOOK.damaged(five_transactions, "refused", "SQW-003", "SQW-023")
def page_size_of_256(log: SqliteLog) -> None:
    """A page size of 256 bytes, which is below the minimum."""
    log.set("header.page_size", 256, "big")
    log.reseal_header()
    log.expect("refused", "bad-page-size")


@BOOK.damaged(five_transactions, "refused", "SQW-003", "SQW-023")
def page_size_of_1000(log: SqliteLog) -> None:
    """A page size of 1,000 bytes, which is not a power of two."""
    log.set("header.page_size", 1000, "big")
    log.reseal_header()
    log.expect("refused", "bad-page-size")


@BOOK.damaged(five_transactions, "refused", "SQW-003", "SQW-023")
def page_size_of_131072(log: SqliteLog) -> None:
    """A page size of 131,072 bytes, which is above the maximum."""
    log.set("header.page_size", 131072, "big")
    log.reseal_header()
    log.expect("refused", "bad-page-size")


@BOOK.damaged(five_transactions, "refused", "SQW-020", "SQW-023")
def page_size_and_version(log: SqliteLog) -> None:
    """An invalid page size and an unsupported version with a valid checksum of the header. A reader
    checks the page size first.
    """
    log.set("header.version", 3007001, "big")
    log.set("header.page_size", 1, "big")
    log.reseal_header()
    log.expect("refused", "bad-page-size")


@BOOK.damaged(five_transactions, "values", "SQW-004", "SQW-034")
def other_page_size_under_a_right_checksum(log: SqliteLog) -> None:
    """A valid header with a page size of 1,024 bytes before frames of 512-byte pages. Slot 1 does
    not follow the header and is a torn tail.
    """
    log.set("header.page_size", 1024, "big")
    log.reseal_header()
    log.expect("torn", "bad-tail", survivors=[], end=32)
    log.bug("Turso 0.8.3 aborts when it writes")


@BOOK.damaged(five_transactions, "values", "SQW-008", "SQW-031")
def other_sequence_under_a_right_checksum(log: SqliteLog) -> None:
    """A valid header with another sequence number. Frame 1 does not follow the header."""
    log.set("header.sequence", 9, "big")
    log.reseal_header()
    log.expect("damaged", "frame-checksum", survivors=[1, 2, 3, 4], end=None)


@BOOK.damaged(five_transactions, "values", "SQW-005", "SQW-030")
def other_salts_under_a_right_checksum(log: SqliteLog) -> None:
    """A valid header with another salt-2. All frames then belong to an older generation."""
    log.set("header.salt_2", 0xABAD1DEA, "big")
    log.reseal_header()
    log.expect("intact", survivors=[], end=32)


@BOOK.damaged(one_transaction, "refused", "SQW-020", "SQW-022", kind="limit")
def four_bytes_of_a_rollback_journal(log: SqliteLog) -> None:
    """A file of 4 bytes, the first half of the magic number of a rollback journal."""
    log.data = bytearray(bytes.fromhex("d9d505f9"))
    log.did("replace the log with the first 4 bytes of a rollback journal")
    log.expect("refused", "bad-magic")


@BOOK.damaged(one_transaction, "refused", "SQW-020", "SQW-022", kind="limit")
def almost_a_rollback_journal(log: SqliteLog) -> None:
    """A file whose first 8 bytes differ from the magic number of a rollback journal in one bit."""
    log.data = bytearray(bytes.fromhex("d9d505f920a163d6") + bytes(24))
    log.did("replace the log with a damaged magic number of a rollback journal and 24 zeros")
    log.expect("refused", "bad-magic")


@BOOK.damaged(one_transaction, "refused", "SQW-020", "SQW-022", kind="limit")
def magic_number_of_a_rollback_journal_alone(log: SqliteLog) -> None:
    """A file of 8 bytes, the magic number of a rollback journal."""
    log.data = bytearray(bytes.fromhex("d9d505f920a163d7"))
    log.did("replace the log with the magic number of a rollback journal")
    log.expect("refused", "rollback-journal")


@BOOK.damaged(one_transaction, "refused", "SQW-021", "SQW-022")
def header_that_begins_with_zeros(log: SqliteLog) -> None:
    """The magic number is zeroed in a header without frames. The other bytes of the header are not
    all zero.
    """
    log.zero("header.magic")
    log.truncate(32)
    log.expect("refused", "bad-magic")
