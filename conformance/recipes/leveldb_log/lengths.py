"""Lengths that lie."""

from conformance.recipes.leveldb_log.layout import (
    first_and_middle_in_one_block,
    fragments_in_two_blocks,
    log_ends_with_its_block,
    three_records,
    two_blocks,
)
from conformance.recipes.leveldb_log.log import BOOK, LevelDBLog

SILENT = (
    "LevelDB's reader drops a short last block silently when a length overruns it, so an"
    " acknowledged record with one flipped length bit vanishes without a report."
)


@BOOK.damaged(three_records, "lengths", "LDB-003", "LDB-023")
def length_beyond_the_block_at_the_end(log: LevelDBLog) -> None:
    """A length that crosses the block's end cannot be a torn write: no writer makes it."""
    log.set("blocks[0].records[1].header.len_data", 0xFFFF)
    log.expect("damaged", "bad-length", survivors=[0], end=None)
    log.note(SILENT)


@BOOK.damaged(three_records, "lengths", "LDB-022", kind="limit")
def length_one_too_many_at_the_end(log: LevelDBLog) -> None:
    """A last record one byte short of its length looks like a torn write, and is taken for one."""
    log.set("blocks[0].records[2].header.len_data", 8)
    log.expect("torn", "torn-payload", survivors=[0, 1], end=24)
    log.note("Whether the length was damaged or the write torn cannot be told from the bytes.")


@BOOK.damaged(three_records, "lengths", "LDB-022", "LDB-016", kind="limit")
def length_that_hides_the_records_behind_it(log: LevelDBLog) -> None:
    """A first length beyond the end of the file, within the block, looks like one torn write."""
    log.set("blocks[0].records[0].header.len_data", 261)
    log.expect("torn", "torn-payload", survivors=[], end=0)
    log.note(
        "The format's weakest spot: three acknowledged records look like an unfinished write, and"
        " a writer that resumes at `end` destroys them. Keep a copy of the tail before cutting it."
    )


@BOOK.damaged(three_records, "lengths", "LDB-022", kind="limit")
def length_as_large_as_the_block_allows(log: LevelDBLog) -> None:
    """The largest length that the block allows, at the end of the log, is a torn write."""
    log.set("blocks[0].records[2].header.len_data", 32768 - 24 - 7)
    log.expect("torn", "torn-payload", survivors=[0, 1], end=24)


@BOOK.damaged(three_records, "lengths", "LDB-003", "LDB-023", kind="limit")
def length_one_larger_than_the_block_allows(log: LevelDBLog) -> None:
    """One byte more than the block allows, at the end of the log, is damage."""
    log.set("blocks[0].records[2].header.len_data", 32768 - 24 - 7 + 1)
    log.expect("damaged", "bad-length", survivors=[0, 1], end=None)
    log.note(SILENT)


@BOOK.damaged(three_records, "lengths", "LDB-006", "LDB-028")
def length_one_too_few(log: LevelDBLog) -> None:
    """A shorter length covers other bytes: the checksum fails."""
    log.set("blocks[0].records[1].header.len_data", 4)
    log.expect("damaged", "checksum-mismatch", survivors=[0])


@BOOK.damaged(three_records, "lengths", "LDB-006", "LDB-028")
def length_one_too_many(log: LevelDBLog) -> None:
    """A longer length reaches into the next header: the checksum fails."""
    log.set("blocks[0].records[0].header.len_data", 6)
    log.expect("damaged", "checksum-mismatch", survivors=[])


@BOOK.damaged(three_records, "lengths", "LDB-020", "LDB-028")
def length_zeroed(log: LevelDBLog) -> None:
    """A length of zero with a type that is not zero: a record whose checksum fails."""
    log.zero("blocks[0].records[1].header.len_data")
    log.expect("damaged", "checksum-mismatch", survivors=[0])


@BOOK.damaged(two_blocks, "lengths", "LDB-023", "LDB-037")
def length_beyond_the_block_in_mid_log(log: LevelDBLog) -> None:
    """A length that crosses the block's end loses the rest of the block; the next one is good."""
    log.shows("bit-in-a-length")
    log.flip("blocks[0].records[1].header.len_data", 15)
    log.expect("damaged", "bad-length", survivors=[0, 2, 3])


@BOOK.damaged(log_ends_with_its_block, "lengths", "LDB-023", "LDB-024", "LDB-039")
def length_beyond_an_exactly_full_last_block(log: LevelDBLog) -> None:
    """In an exactly full last block an overrun is damage, never a torn write."""
    length = log.field("blocks[0].records[1].header.len_data")
    log.set(length.path, int.from_bytes(log.data[length.start : length.end], "little") + 1)
    log.expect("damaged", "bad-length", survivors=[0], end=32768)
    log.bug("rusty-leveldb returns a zero-extended record; ccl_leveldb a short one")


@BOOK.damaged(fragments_in_two_blocks, "lengths", "LDB-023", "LDB-034")
def length_beyond_the_block_in_a_fragment(log: LevelDBLog) -> None:
    """A FIRST whose length crosses its block loses the record; its LAST is an orphan."""
    log.set("blocks[0].records[1].header.len_data", 32768)
    log.expect("damaged", "bad-length", survivors=[0, 2])


@BOOK.damaged(fragments_in_two_blocks, "lengths", "LDB-028", "LDB-034")
def length_of_a_fragment_too_few(log: LevelDBLog) -> None:
    """A LAST with a shorter length fails its checksum: record and rest of the block are lost."""
    log.set("blocks[1].records[0].header.len_data", 3)
    log.expect("damaged", "checksum-mismatch", survivors=[0])


@BOOK.damaged(first_and_middle_in_one_block, "lengths", "LDB-023", "LDB-034", "LDB-036")
def length_beyond_the_block_in_an_open_record(log: LevelDBLog) -> None:
    """A MIDDLE whose length crosses its block ends the open record: its LAST is an orphan."""
    log.set("blocks[0].records[2].header.len_data", 65535)
    log.expect("damaged", "bad-length", survivors=[0, 2])
