"""Files that a reader refuses, and valid headers that do not match the frames after them."""

from conformance.recipes.sqlite_wal.layout import five_transactions, one_transaction
from conformance.recipes.sqlite_wal.log import REFUSED, VALUES, SqliteLog


@REFUSED.damaged(five_transactions, "SQW-022", "SQW-020")
def rollback_journal(log: SqliteLog) -> None:
    """A rollback journal, which contains the old content of pages."""
    start = bytes.fromhex("d9d505f920a163d7 00000002 5a9ab8b4 00000002 00000200 00000200")
    log.data = bytearray(start.ljust(512, b"\0") + b"\0\0\0\1" + b"a" * 512 + bytes(4))
    log.expect("refused", "rollback-journal")


@REFUSED.damaged(one_transaction, "SQW-022", kind="limit")
def file_of_text(log: SqliteLog) -> None:
    """A text file that is longer than a header."""
    log.data = bytearray(b"This is not a log, and it is longer than a header.\n")
    log.expect("refused", "bad-magic")


@REFUSED.damaged(one_transaction, "SQW-022", kind="limit")
def short_text(log: SqliteLog) -> None:
    """A text file that is shorter than a header."""
    log.data = bytearray(b"no log\n")
    log.expect("refused", "bad-magic")


@REFUSED.damaged(one_transaction, "SQW-022")
def database_file(log: SqliteLog) -> None:
    """A file with the name of a log contains page 1 of a database."""
    log.data = bytearray(log.image(1, "alpha."))
    log.expect("refused", "bad-magic")


@REFUSED.damaged(five_transactions, "SQW-020", "SQW-024")
def other_version(log: SqliteLog) -> None:
    """Version 3007001 with a valid header checksum."""
    log.set("header.version", 3007001, "big")
    log.reseal_header()
    log.expect("refused", "bad-version")
    log.bug("Turso 0.8.3 reads the log, but SQLite cannot open the database")


VALUES.table("""
other_page_size_under_a_right_checksum: five_transactions SQW-004 SQW-034 corrupt
    A valid header with a page size of 1,024 bytes before frames of 512-byte pages. Slot 1 does not
    follow the header and is a torn tail.
    damage: set header.page_size to 1024
    reseal_header:
    expect: torn bad-tail, no survivors, end 32
    bug: Turso 0.8.3 aborts when it writes
other_sequence_under_a_right_checksum: five_transactions SQW-008 SQW-031
    A valid header with another sequence number. Frame 1 does not follow the header.
    damage: set header.sequence to 9
    reseal_header:
    expect: damaged frame-checksum, survivors 1-4, end none
""")


@VALUES.damaged(five_transactions, "SQW-005", "SQW-030")
def other_salts_under_a_right_checksum(log: SqliteLog) -> None:
    """A valid header with another salt-2. All frames then belong to an older generation."""
    log.set("header.salt_2", 0xABAD1DEA, "big")
    log.reseal_header()
    log.expect("intact", survivors=[], end=32)


@REFUSED.damaged(one_transaction, "SQW-020", "SQW-022", kind="limit")
def four_bytes_of_a_rollback_journal(log: SqliteLog) -> None:
    """A file of 4 bytes, the first half of the magic number of a rollback journal."""
    log.data = bytearray(bytes.fromhex("d9d505f9"))
    log.expect("refused", "bad-magic")


@REFUSED.damaged(one_transaction, "SQW-020", "SQW-022", kind="limit")
def almost_a_rollback_journal(log: SqliteLog) -> None:
    """A file whose first 8 bytes differ from the magic number of a rollback journal in one bit."""
    log.data = bytearray(bytes.fromhex("d9d505f920a163d6") + bytes(24))
    log.expect("refused", "bad-magic")


@REFUSED.damaged(one_transaction, "SQW-020", "SQW-022", kind="limit")
def magic_number_of_a_rollback_journal_alone(log: SqliteLog) -> None:
    """A file of 8 bytes, the magic number of a rollback journal."""
    log.data = bytearray(bytes.fromhex("d9d505f920a163d7"))
    log.expect("refused", "rollback-journal")


REFUSED.table("""
header_without_a_magic_number: one_transaction SQW-021 SQW-022
    A bit of the magic number flips in a header without frames.
    damage: flip bit 0 of header.magic
    damage: truncate at 32
    expect: refused bad-magic, no survivors
wal2_version: five_transactions SQW-024
    Version 3021000 of SQLite's wal2 branch, in which a log consists of two files.
    damage: set header.version to 3021000
    reseal_header:
    expect: refused bad-version, no survivors
page_size_of_one: five_transactions SQW-003 SQW-023
    A page size of 1 with a valid header checksum. The value 1 stands for 65,536 bytes only in a
    database header.
    damage: set header.page_size to 1
    reseal_header:
    expect: refused bad-page-size, no survivors
    bug: litestream 0.5.18 panics
page_size_of_zero: five_transactions SQW-003 SQW-023
    A page size of 0 with a valid header checksum.
    damage: set header.page_size to 0
    reseal_header:
    expect: refused bad-page-size, no survivors
page_size_of_256: five_transactions SQW-003 SQW-023
    A page size of 256 bytes, which is below the minimum.
    damage: set header.page_size to 256
    reseal_header:
    expect: refused bad-page-size, no survivors
page_size_of_1000: five_transactions SQW-003 SQW-023
    A page size of 1,000 bytes, which is not a power of two.
    damage: set header.page_size to 1000
    reseal_header:
    expect: refused bad-page-size, no survivors
page_size_of_131072: five_transactions SQW-003 SQW-023
    A page size of 131,072 bytes, which is above the maximum.
    damage: set header.page_size to 131072
    reseal_header:
    expect: refused bad-page-size, no survivors
page_size_and_version: five_transactions SQW-020 SQW-023
    An invalid page size and an unsupported version with a valid header checksum. A reader checks
    the page size first.
    damage: set header.version to 3007001
    damage: set header.page_size to 1
    reseal_header:
    expect: refused bad-page-size, no survivors
header_that_begins_with_zeros: one_transaction SQW-021 SQW-022
    The magic number is zeroed in a header without frames. The other bytes of the header are not all
    zero.
    damage: zero header.magic
    damage: truncate at 32
    expect: refused bad-magic, no survivors
""")
