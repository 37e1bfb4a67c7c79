"""Files that a reader must not guess at."""

from conformance.recipes.sqlite_wal.layout import five_transactions, one_transaction
from conformance.recipes.sqlite_wal.log import BOOK, SqliteLog


@BOOK.damaged(five_transactions, "refused", "SQW-022", "SQW-020")
def rollback_journal(log: SqliteLog) -> None:
    """A rollback journal: it holds the old content of pages."""
    start = bytes.fromhex("d9d505f920a163d7 00000002 5a9ab8b4 00000002 00000200 00000200")
    log.data = bytearray(start.ljust(512, b"\0") + b"\0\0\0\1" + b"a" * 512 + bytes(4))
    log.did("a rollback journal of one page")
    log.expect("refused", "rollback-journal")


@BOOK.damaged(one_transaction, "refused", "SQW-022", kind="limit")
def file_of_text(log: SqliteLog) -> None:
    """A file of text."""
    log.data = bytearray(b"This is not a log, and it is longer than a header.\n")
    log.did("a text")
    log.expect("refused", "bad-magic")


@BOOK.damaged(one_transaction, "refused", "SQW-022", kind="limit")
def short_text(log: SqliteLog) -> None:
    """A file of text that is shorter than a header."""
    log.data = bytearray(b"no log\n")
    log.did("a short text")
    log.expect("refused", "bad-magic")


@BOOK.damaged(one_transaction, "refused", "SQW-022")
def database_file(log: SqliteLog) -> None:
    """A page of a database under the name of a log."""
    log.data = bytearray(log.image(1, "alpha."))
    log.did("page 1 of a database")
    log.expect("refused", "bad-magic")


@BOOK.damaged(one_transaction, "refused", "SQW-021", "SQW-022")
def header_without_a_magic_number(log: SqliteLog) -> None:
    """A header with a wrong magic number, and no frame."""
    log.flip("header.magic", 0)
    log.truncate(32)
    log.expect("refused", "bad-magic")


@BOOK.damaged(five_transactions, "refused", "SQW-024")
def other_version(log: SqliteLog) -> None:
    """Version 3007001 under a right checksum."""
    log.set("header.version", 3007001, "big")
    log.reseal_header()
    log.expect("refused", "bad-version")
    log.bug("Turso 0.8.3 reads it; SQLite cannot open the database")


@BOOK.damaged(five_transactions, "refused", "SQW-024")
def wal2_version(log: SqliteLog) -> None:
    """The version of SQLite's wal2 branch, 3021000, where a log is two files."""
    log.set("header.version", 3021000, "big")
    log.reseal_header()
    log.expect("refused", "bad-version")


@BOOK.damaged(five_transactions, "refused", "SQW-003", "SQW-023")
def page_size_of_one(log: SqliteLog) -> None:
    """A page size of 1 under a right checksum: not 65536, as in the header of a database."""
    log.set("header.page_size", 1, "big")
    log.reseal_header()
    log.expect("refused", "bad-page-size")
    log.bug("litestream 0.5.18 panics")


@BOOK.damaged(five_transactions, "refused", "SQW-003", "SQW-023")
def page_size_of_zero(log: SqliteLog) -> None:
    """A page size of 0 under a right checksum."""
    log.set("header.page_size", 0, "big")
    log.reseal_header()
    log.expect("refused", "bad-page-size")


@BOOK.damaged(five_transactions, "refused", "SQW-003", "SQW-023")
def page_size_of_256(log: SqliteLog) -> None:
    """A page size of 256, below the smallest."""
    log.set("header.page_size", 256, "big")
    log.reseal_header()
    log.expect("refused", "bad-page-size")


@BOOK.damaged(five_transactions, "refused", "SQW-003", "SQW-023")
def page_size_of_1000(log: SqliteLog) -> None:
    """A page size of 1000, not a power of two."""
    log.set("header.page_size", 1000, "big")
    log.reseal_header()
    log.expect("refused", "bad-page-size")


@BOOK.damaged(five_transactions, "refused", "SQW-003", "SQW-023")
def page_size_of_131072(log: SqliteLog) -> None:
    """A page size of 131072, above the largest."""
    log.set("header.page_size", 131072, "big")
    log.reseal_header()
    log.expect("refused", "bad-page-size")


@BOOK.damaged(five_transactions, "refused", "SQW-020", "SQW-023")
def page_size_and_version(log: SqliteLog) -> None:
    """Page size and version are not valid, under a right checksum: the size comes first."""
    log.set("header.version", 3007001, "big")
    log.set("header.page_size", 1, "big")
    log.reseal_header()
    log.expect("refused", "bad-page-size")


@BOOK.damaged(five_transactions, "values", "SQW-004", "SQW-034")
def other_page_size_under_a_right_checksum(log: SqliteLog) -> None:
    """A page size of 1024 under a right checksum: slot 1 does not follow, nothing else is there."""
    log.set("header.page_size", 1024, "big")
    log.reseal_header()
    log.expect("torn", "bad-tail", survivors=[], end=32)
    log.bug("Turso 0.8.3 aborts when it writes")


@BOOK.damaged(five_transactions, "values", "SQW-008", "SQW-031")
def other_sequence_under_a_right_checksum(log: SqliteLog) -> None:
    """Another sequence number under a right checksum: frame 1 does not follow the header."""
    log.set("header.sequence", 9, "big")
    log.reseal_header()
    log.expect("damaged", "frame-checksum", survivors=[1, 2, 3, 4], end=None)


@BOOK.damaged(five_transactions, "values", "SQW-005", "SQW-030")
def other_salts_under_a_right_checksum(log: SqliteLog) -> None:
    """A new header with other salts: all frames are of an older generation."""
    log.set("header.salt_2", 0xABAD1DEA, "big")
    log.reseal_header()
    log.expect("intact", survivors=[], end=32)


@BOOK.damaged(one_transaction, "refused", "SQW-020", "SQW-022", kind="limit")
def four_bytes_of_a_rollback_journal(log: SqliteLog) -> None:
    """A file that ends inside the magic number of a rollback journal."""
    log.data = bytearray(bytes.fromhex("d9d505f9"))
    log.did("the first half of the magic number of a rollback journal")
    log.expect("refused", "bad-magic")


@BOOK.damaged(one_transaction, "refused", "SQW-020", "SQW-022", kind="limit")
def almost_a_rollback_journal(log: SqliteLog) -> None:
    """The last byte of the magic number of a rollback journal is another one."""
    log.data = bytearray(bytes.fromhex("d9d505f920a163d6") + bytes(24))
    log.did("a rollback journal with a bit of its magic number flipped")
    log.expect("refused", "bad-magic")


@BOOK.damaged(one_transaction, "refused", "SQW-020", "SQW-022", kind="limit")
def magic_number_of_a_rollback_journal_alone(log: SqliteLog) -> None:
    """A file of 8 bytes: the magic number of a rollback journal."""
    log.data = bytearray(bytes.fromhex("d9d505f920a163d7"))
    log.did("the magic number of a rollback journal")
    log.expect("refused", "rollback-journal")


@BOOK.damaged(one_transaction, "refused", "SQW-021", "SQW-022")
def header_that_begins_with_zeros(log: SqliteLog) -> None:
    """The magic number of a header alone is zero, and the rest is not."""
    log.zero("header.magic")
    log.truncate(32)
    log.expect("refused", "bad-magic")
