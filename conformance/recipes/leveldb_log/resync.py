"""Resynchronisation after damage, which is allowed only at block boundaries."""

from conformance.recipes.leveldb_log.layout import (
    example_of_the_source_document,
    four_records_across_blocks,
    fragments_in_three_blocks,
    log_ends_before_its_trailer,
    payload_that_holds_a_log,
    two_blocks,
)
from conformance.recipes.leveldb_log.log import BOOK, LevelDBLog
from conformance.recipes.leveldb_log.zeros import three_blocks_of_short_records

BLOCK = 32768


@BOOK.damaged(payload_that_holds_a_log, "resync", "LDB-028", "LDB-037", "LDB-036")
def no_scan_for_records_inside_a_block(log: LevelDBLog) -> None:
    """One bit of a checksum is flipped in a record that contains records of another log. The inner
    records must not be returned."""
    log.flip("blocks[0].records[1].header.checksum", 0)
    log.expect("damaged", "checksum-mismatch", survivors=[0])


@BOOK.damaged(three_blocks_of_short_records, "resync", "LDB-028", "LDB-037", "LDB-040")
def damage_in_two_blocks(log: LevelDBLog) -> None:
    """One payload bit is flipped in each of two blocks. The records before, between and after the
    two lost ranges survive."""
    log.flip("blocks[0].records[1].data", 5)
    log.flip("blocks[1].records[1].data", 5)
    log.expect("damaged", "checksum-mismatch", survivors=[0, 2, 4, 5])


@BOOK.damaged(three_blocks_of_short_records, "resync", "LDB-028", "LDB-038", "LDB-040")
def damage_then_torn_tail(log: LevelDBLog) -> None:
    """One payload bit in the first block is flipped, and the log ends inside a record. The verdict
    is damaged, not torn."""
    log.flip("blocks[0].records[1].data", 5)
    log.truncate_in("blocks[2].records[1].data", 100)
    log.expect("damaged", "checksum-mismatch", survivors=[0, 2, 3, 4], end=65547)


@BOOK.damaged(three_blocks_of_short_records, "resync", "LDB-028", "LDB-037")
def one_byte_inserted(log: LevelDBLog) -> None:
    """One byte is inserted into the second block. The second block and the blocks after it are
    lost."""
    log.insert(BLOCK + 5, b"\x00")
    log.expect("damaged", "checksum-mismatch", survivors=[0, 1])


@BOOK.damaged(three_blocks_of_short_records, "resync", "LDB-028", "LDB-037")
def one_byte_missing(log: LevelDBLog) -> None:
    """One byte of the first header is missing. All later headers are shifted, and no record
    survives."""
    log.drop("blocks[0].records[0].header.type")
    log.expect("damaged", "checksum-mismatch", survivors=[])


@BOOK.damaged(three_blocks_of_short_records, "resync", "LDB-037")
def block_dropped(log: LevelDBLog) -> None:
    """A block of FULL records is missing. The loss is undetectable."""
    log.shows("missing-in-the-middle")
    log.drop("blocks[1]")
    log.expect("intact", survivors=[0, 1, 4, 5])
    log.note("Records have no sequence number, so a reader cannot detect a missing block.")


@BOOK.damaged(three_blocks_of_short_records, "resync", "LDB-037")
def blocks_swapped(log: LevelDBLog) -> None:
    """Two blocks of FULL records are swapped. All records survive, in the order of the file."""
    log.shows("swapped")
    log.swap_sectors(0, 1, BLOCK)
    log.expect("intact", survivors=[2, 3, 0, 1, 4, 5])


@BOOK.damaged(three_blocks_of_short_records, "resync", "LDB-028", "LDB-037")
def sectors_swapped(log: LevelDBLog) -> None:
    """Two sectors in different blocks are swapped. The checksums of both damaged records do not
    match."""
    log.swap_sectors(8, 80, 512)
    log.expect("damaged", "checksum-mismatch", survivors=[0, 2, 4, 5])


@BOOK.damaged(fragments_in_three_blocks, "resync", "LDB-028", "LDB-034")
def sector_of_an_older_log(log: LevelDBLog) -> None:
    """A write to a sector inside a MIDDLE was lost, and the sector contains bytes of an older log.
    The whole record is lost."""
    log.shows("lost-write")
    older = LevelDBLog(b"", [])
    older.write(b"older", b"o" * 70000)
    log.stale(BLOCK + 512, BLOCK + 1024, bytes(older.data))
    log.expect("damaged", "checksum-mismatch", survivors=[0, 2])


@BOOK.damaged(two_blocks, "resync", "LDB-037", "LDB-021")
def tail_of_an_older_log(log: LevelDBLog) -> None:
    """A log was written over an older, longer log. A reader also returns the old record after the
    end of the new log."""
    log.shows("stale-tail")
    older = LevelDBLog(b"", [])
    older.write(b"alpha")
    older.fill_block_but(6)
    older.write(b"bravo", b"charlie", b"older")
    log.extend(bytes(older.data[len(log.data) :]), "the older log's last record")
    log.expect("intact", survivors=[0, 1, 2, 3, b"older"])
    log.note(
        "The header has no log number, so a reader cannot recognise records of an older log. Some"
        " other dialects have a log number."
    )


@BOOK.damaged(example_of_the_source_document, "resync", "LDB-028", "LDB-034", "LDB-037")
def source_example_with_second_block_wiped(log: LevelDBLog) -> None:
    """The second block, in the middle of record B, is overwritten. B is lost; A and C survive."""
    log.fill("blocks[1]", 0x78)
    log.expect("damaged", "checksum-mismatch", survivors=[0, 2])


@BOOK.damaged(four_records_across_blocks, "resync", "LDB-028", "LDB-032", "LDB-034", "LDB-036")
def wiped_block_must_not_join_records(log: LevelDBLog) -> None:
    """The block between the FIRST of one record and the LAST of another is overwritten, as in
    LevelDB's test ErrorJoinsRecords. The two fragments must not be joined."""
    log.fill("blocks[1]", 0x78)
    log.expect("damaged", "checksum-mismatch", survivors=[0, 3])


@BOOK.damaged(log_ends_before_its_trailer, "resync", "LDB-028", "LDB-039")
def damage_in_a_block_that_lacks_its_trailer(log: LevelDBLog) -> None:
    """A damaged last block lacks only its trailer. The block is short, so a writer must not append
    to the log."""
    log.flip("blocks[0].records[1].data", 0)
    log.expect("damaged", "checksum-mismatch", survivors=[0], end=None)
