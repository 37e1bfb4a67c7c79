"""Journals of sibling formats, which a reader must refuse."""

from conformance.recipes.kahadb_journal.log import SIBLING, KahaDBLog

JOURNAL_IO = bytes.fromhex(
    "4a2e494f00000082 000000000000001102 00000000062c0215 000000010000000e01 68656c6c6f"
)
JOURNAL_IO_1_0 = bytes.fromhex("00000000 00000015 02 0000000a 00000000067d0220 00000001 0000000e01")
HAWT = bytes.fromhex("0000001c 02 0000001d") + b"WRITE BATCH" + bytes.fromhex("00000000067d0220")
RECORD = bytes.fromhex("0000000a01") + b"hello"


@SIBLING.valid("KDB-055")
def journal_io(log: KahaDBLog) -> None:
    """A file of Journal.IO 1.3 has a file header, and its control records have no batch size."""
    log.data += JOURNAL_IO
    log.expect("refused", "foreign-journal", end=None)


@SIBLING.valid("KDB-055")
def journal_io_of_1_0(log: KahaDBLog) -> None:
    """A file of Journal.IO 1.0 has control records of 21 bytes without a magic."""
    log.data += JOURNAL_IO_1_0 + b"hello"
    log.expect("refused", "foreign-journal", end=None)


@SIBLING.valid("KDB-055")
def hawtjournal(log: KahaDBLog) -> None:
    """A file of HawtJournal has the same magic, but the size precedes the magic."""
    log.data += HAWT + RECORD
    log.expect("refused", "foreign-journal", end=None)


@SIBLING.valid("KDB-055")
def folder_of_journal_io(log: KahaDBLog) -> None:
    """A folder of two files of Journal.IO."""
    log.files = {"db-1.log": bytearray(JOURNAL_IO), "db-2.log": bytearray(JOURNAL_IO)}
    log.expect("refused", "foreign-journal", end=None)
