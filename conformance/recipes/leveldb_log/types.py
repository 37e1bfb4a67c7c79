"""Types other than 1 to 4, with valid checksums."""

from conformance.recipes.leveldb_log.fragments import (
    four_short_records,
    fragments_within_one_block,
)
from conformance.recipes.leveldb_log.layout import (
    fragments_in_two_blocks,
    three_records,
    two_blocks,
)
from conformance.recipes.leveldb_log.log import BOOK, LevelDBLog

SECOND = "blocks[0].records[1]"


@BOOK.damaged(three_records, "types", "LDB-020", "LDB-029", "LDB-039")
def unknown_type_103(log: LevelDBLog) -> None:
    """A record has an unknown type and a valid checksum. Only this record is lost, because its
    length can be trusted."""
    log.retype(SECOND, 103)
    log.expect("damaged", "unknown-type", survivors=[0, 2], end=38)


@BOOK.damaged(three_records, "types", "LDB-029")
def unknown_type_5(log: LevelDBLog) -> None:
    """A record of type 5 has an unknown type and must not end the log."""
    log.retype(SECOND, 5)
    log.expect("damaged", "unknown-type", survivors=[0, 2])
    log.bug("LevelDB: kEof is 5, so a type 5 in the file silently ends the log")
    log.bug("RocksDB loops forever, since 9.3.1")


@BOOK.damaged(three_records, "types", "LDB-029")
def unknown_type_6(log: LevelDBLog) -> None:
    """A record of type 6 has an unknown type and must be reported."""
    log.retype(SECOND, 6)
    log.expect("damaged", "unknown-type", survivors=[0, 2])
    log.bug("LevelDB: kBadRecord is 6, so a type 6 in the file is silently skipped")


@BOOK.damaged(three_records, "types", "LDB-029", "LDB-043")
def unknown_type_9(log: LevelDBLog) -> None:
    """A record of type 9 after a plain record has an unknown type. The log is not of another
    dialect."""
    log.retype(SECOND, 9)
    log.expect("damaged", "unknown-type", survivors=[0, 2])


@BOOK.damaged(three_records, "types", "LDB-029")
def unknown_type_132(log: LevelDBLog) -> None:
    """A record of type 132 has an unknown type. RocksDB's reader uses this value as an internal
    marker."""
    log.retype(SECOND, 132)
    log.expect("damaged", "unknown-type", survivors=[0, 2])


@BOOK.damaged(three_records, "types", "LDB-029", kind="limit")
def unknown_type_255(log: LevelDBLog) -> None:
    """A record of type 255 has an unknown type. The type byte is unsigned."""
    log.retype(SECOND, 255)
    log.expect("damaged", "unknown-type", survivors=[0, 2])


@BOOK.damaged(three_records, "types", "LDB-029", "LDB-043")
def unknown_type_in_the_first_record(log: LevelDBLog) -> None:
    """The first record has type 5 and a plain header. The type is unknown, and the log is not of
    another dialect."""
    log.retype("blocks[0].records[0]", 5)
    log.expect("damaged", "unknown-type", survivors=[1, 2])
    log.bug("LevelDB opens an empty database even with paranoid_checks")


@BOOK.damaged(three_records, "types", "LDB-029", "LDB-039")
def unknown_type_in_the_last_record(log: LevelDBLog) -> None:
    """The last record has an unknown type. A writer may append after this record."""
    log.retype("blocks[0].records[2]", 77)
    log.expect("damaged", "unknown-type", survivors=[0, 1], end=38)


@BOOK.damaged(three_records, "types", "LDB-030")
def type_zero_with_data(log: LevelDBLog) -> None:
    """A record of type 0 with data and a valid checksum has an unknown type. The record is not
    preallocated space."""
    log.retype(SECOND, 0)
    log.expect("damaged", "unknown-type", survivors=[0, 2])


@BOOK.damaged(two_blocks, "types", "LDB-029")
def unknown_type_across_most_of_a_block(log: LevelDBLog) -> None:
    """A record of an unknown type fills most of a block. Only this record is lost."""
    log.retype(SECOND, 99)
    log.expect("damaged", "unknown-type", survivors=[0, 2, 3])


@BOOK.damaged(fragments_in_two_blocks, "types", "LDB-029", "LDB-034", "LDB-036")
def unknown_type_instead_of_last(log: LevelDBLog) -> None:
    """A record of an unknown type replaces a LAST. The open record is also lost."""
    log.retype("blocks[1].records[0]", 103)
    log.expect("damaged", "unknown-type", survivors=[0, 2])
    log.bug("golang/leveldb, Pebble and rusty-leveldb join the unknown record to the open one")


@BOOK.damaged(fragments_within_one_block, "types", "LDB-029", "LDB-034", "LDB-036")
def unknown_type_between_first_and_last(log: LevelDBLog) -> None:
    """A record of an unknown type replaces a MIDDLE. The open record is also lost, and its LAST is
    an orphan."""
    log.retype("blocks[0].records[1]", 77)
    log.expect("damaged", "unknown-type", survivors=[1], end=38)


@BOOK.damaged(four_short_records, "types", "LDB-029")
def unknown_types_in_a_row(log: LevelDBLog) -> None:
    """Two consecutive records of an unknown type are two lost ranges."""
    log.retype("blocks[0].records[1]", 103)
    log.retype("blocks[0].records[2]", 103)
    log.expect("damaged", "unknown-type", survivors=[0, 3])
