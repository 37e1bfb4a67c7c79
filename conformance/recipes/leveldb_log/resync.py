"""Getting back in step: at block boundaries, and nowhere else."""

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
    """Records of another log inside a damaged payload must not come to light."""
    log.flip("blocks[0].records[1].header.checksum", 0)
    log.expect("damaged", "checksum-mismatch", survivors=[0])


@BOOK.damaged(three_blocks_of_short_records, "resync", "LDB-028", "LDB-037", "LDB-040")
def damage_in_two_blocks(log: LevelDBLog) -> None:
    """Damage in two blocks: what is good before, between and after survives."""
    log.flip("blocks[0].records[1].data", 5)
    log.flip("blocks[1].records[1].data", 5)
    log.expect("damaged", "checksum-mismatch", survivors=[0, 2, 4, 5])


@BOOK.damaged(three_blocks_of_short_records, "resync", "LDB-028", "LDB-038", "LDB-040")
def damage_then_torn_tail(log: LevelDBLog) -> None:
    """Damage in the first block and a torn tail: damaged outweighs torn."""
    log.flip("blocks[0].records[1].data", 5)
    log.truncate_in("blocks[2].records[1].data", 100)
    log.expect("damaged", "checksum-mismatch", survivors=[0, 2, 3, 4], end=65547)


@BOOK.damaged(three_blocks_of_short_records, "resync", "LDB-028", "LDB-037")
def one_byte_inserted(log: LevelDBLog) -> None:
    """A byte inserted in the second block puts every later block out of step."""
    log.insert(BLOCK + 5, b"\x00")
    log.expect("damaged", "checksum-mismatch", survivors=[0, 1])


@BOOK.damaged(three_blocks_of_short_records, "resync", "LDB-028", "LDB-037")
def one_byte_missing(log: LevelDBLog) -> None:
    """A byte missing in the first block puts every later block out of step."""
    log.drop("blocks[0].records[0].header.type")
    log.expect("damaged", "checksum-mismatch", survivors=[])


@BOOK.damaged(three_blocks_of_short_records, "resync", "LDB-037")
def block_dropped(log: LevelDBLog) -> None:
    """A whole block of short records missing leaves no trace: its records are gone."""
    log.shows("missing-in-the-middle")
    log.drop("blocks[1]")
    log.expect("intact", survivors=[0, 1, 4, 5])
    log.note("Records have no number: the format cannot show that a block is missing.")


@BOOK.damaged(three_blocks_of_short_records, "resync", "LDB-037")
def blocks_swapped(log: LevelDBLog) -> None:
    """Two blocks written to each other's place: all records survive, in the order of the file."""
    log.shows("swapped")
    log.swap_sectors(0, 1, BLOCK)
    log.expect("intact", survivors=[2, 3, 0, 1, 4, 5])


@BOOK.damaged(three_blocks_of_short_records, "resync", "LDB-028", "LDB-037")
def sectors_swapped(log: LevelDBLog) -> None:
    """Two sectors of two blocks trade places: both payloads fail their checksums."""
    log.swap_sectors(8, 80, 512)
    log.expect("damaged", "checksum-mismatch", survivors=[0, 2, 4, 5])


@BOOK.damaged(fragments_in_three_blocks, "resync", "LDB-028", "LDB-034")
def sector_of_an_older_log(log: LevelDBLog) -> None:
    """A lost write: a sector of an older generation of the file shows through."""
    log.shows("lost-write")
    older = LevelDBLog(b"", [])
    older.write(b"older", b"o" * 70000)
    log.stale(BLOCK + 512, BLOCK + 1024, bytes(older.data))
    log.expect("damaged", "checksum-mismatch", survivors=[0, 2])


@BOOK.damaged(two_blocks, "resync", "LDB-037", "LDB-021")
def tail_of_an_older_log(log: LevelDBLog) -> None:
    """A log written over an older, longer one: the older records after its end are returned."""
    log.shows("stale-tail")
    older = LevelDBLog(b"", [])
    older.write(b"alpha")
    older.fill_block_but(6)
    older.write(b"bravo", b"charlie", b"older")
    log.extend(bytes(older.data[len(log.data) :]), "the older log's last record")
    log.expect("intact", survivors=[0, 1, 2, 3, b"older"])
    log.note("Without a log number in the header, reused files cannot be told; see other dialects.")


@BOOK.damaged(example_of_the_source_document, "resync", "LDB-028", "LDB-034", "LDB-037")
def source_example_with_second_block_wiped(log: LevelDBLog) -> None:
    """The block in the middle of record B is overwritten: B is lost, A and C survive."""
    log.fill("blocks[1]", 0x78)
    log.expect("damaged", "checksum-mismatch", survivors=[0, 2])


@BOOK.damaged(four_records_across_blocks, "resync", "LDB-028", "LDB-032", "LDB-034", "LDB-036")
def wiped_block_must_not_join_records(log: LevelDBLog) -> None:
    """As LevelDB's test ErrorJoinsRecords: FIRST of one record must not join LAST of another."""
    log.fill("blocks[1]", 0x78)
    log.expect("damaged", "checksum-mismatch", survivors=[0, 3])


@BOOK.damaged(log_ends_before_its_trailer, "resync", "LDB-028", "LDB-039")
def damage_in_a_block_that_lacks_its_trailer(log: LevelDBLog) -> None:
    """A last block that lacks only its trailer is short: no writer may go on in it."""
    log.flip("blocks[0].records[1].data", 0)
    log.expect("damaged", "checksum-mismatch", survivors=[0], end=None)
