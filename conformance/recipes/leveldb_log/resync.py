"""Resynchronisation after damage, which is allowed only at block boundaries."""

from conformance.recipes.leveldb_log.layout import fragments_in_three_blocks, two_blocks
from conformance.recipes.leveldb_log.log import RESYNC, LevelDBLog

BLOCK = 32768


@RESYNC.damaged(fragments_in_three_blocks, "LDB-028", "LDB-034")
def sector_of_an_older_log(log: LevelDBLog) -> None:
    """A write to a sector inside a MIDDLE was lost, and the sector contains bytes of an older log.
    The whole record is lost."""
    log.shows("lost-write")
    older = LevelDBLog(b"", [])
    older.write(b"older", b"o" * 70000)
    log.stale(BLOCK + 512, BLOCK + 1024, bytes(older.data))
    log.expect("damaged", "checksum-mismatch", survivors=[0, 2])


@RESYNC.damaged(two_blocks, "LDB-037", "LDB-021")
def tail_of_an_older_log(log: LevelDBLog) -> None:
    """A log was written over an older, longer log. A reader also returns the old record after the
    end of the new log."""
    log.shows("stale-tail")
    older = LevelDBLog(b"", [])
    older.write(b"alpha")
    older.fill_block_but(6)
    older.write(b"bravo", b"charlie", b"older")
    log.extend(bytes(older.data[len(log.data) :]))
    log.expect("intact", survivors=[0, 1, 2, 3, b"older"])
    log.note(
        "The header has no log number, so a reader cannot recognise records of an older log. Some"
        " other dialects have a log number."
    )


RESYNC.table("""
no_scan_for_records_inside_a_block: payload_that_holds_a_log LDB-028 LDB-037 LDB-036
    One bit of a checksum is flipped in a record that contains records of another log. The inner
    records must not be returned.
    damage: flip bit 0 of blocks[0].records[1].header.checksum
    expect: damaged checksum-mismatch, survivors 0
damage_in_two_blocks: three_blocks_of_short_records LDB-028 LDB-037 LDB-040
    One payload bit is flipped in each of two blocks. The records before, between and after the two
    lost ranges survive.
    damage: flip bit 5 of blocks[0].records[1].data
    damage: flip bit 5 of blocks[1].records[1].data
    expect: damaged checksum-mismatch, survivors 0 2 4 5
damage_then_torn_tail: three_blocks_of_short_records LDB-028 LDB-038 LDB-040
    One payload bit in the first block is flipped, and the log ends inside a record. The verdict is
    damaged, not torn.
    damage: flip bit 5 of blocks[0].records[1].data
    damage: truncate 100 bytes into blocks[2].records[1].data
    expect: damaged checksum-mismatch, survivors 0 2-4, end 65547
one_byte_inserted: three_blocks_of_short_records LDB-028 LDB-037
    One byte is inserted into the second block. The second block and the blocks after it are lost.
    damage: insert 00 at 32773
    expect: damaged checksum-mismatch, survivors 0 1
one_byte_missing: three_blocks_of_short_records LDB-028 LDB-037
    One byte of the first header is missing. All later headers are shifted, and no record survives.
    damage: drop blocks[0].records[0].header.type
    expect: damaged checksum-mismatch, no survivors
block_dropped: three_blocks_of_short_records LDB-037
    A block of FULL records is missing. The loss is undetectable.
    shows: missing-in-the-middle
    damage: drop blocks[1]
    expect: intact, survivors 0 1 4 5
    note: Records have no sequence number, so a reader cannot detect a missing block.
blocks_swapped: three_blocks_of_short_records LDB-037
    Two blocks of FULL records are swapped. All records survive, in the order of the file.
    shows: swapped
    damage: swap sectors 0 and 1 of 32768 bytes
    expect: intact, survivors 2 3 0 1 4 5
sectors_swapped: three_blocks_of_short_records LDB-028 LDB-037
    Two sectors in different blocks are swapped. The checksums of both damaged records do not match.
    damage: swap sectors 8 and 80 of 512 bytes
    expect: damaged checksum-mismatch, survivors 0 2 4 5
source_example_with_second_block_wiped: example_of_the_source_document LDB-028 LDB-034 LDB-037
    The second block, in the middle of record B, is overwritten. B is lost; A and C survive.
    damage: fill blocks[1] with 78
    expect: damaged checksum-mismatch, survivors 0 2
wiped_block_must_not_join_records: four_records_across_blocks LDB-028 LDB-032 LDB-034 LDB-036
    The block between the FIRST of one record and the LAST of another is overwritten, as in
    LevelDB's test ErrorJoinsRecords. The two fragments must not be joined.
    damage: fill blocks[1] with 78
    expect: damaged checksum-mismatch, survivors 0 3
damage_in_a_block_that_lacks_its_trailer: log_ends_before_its_trailer LDB-028 LDB-039
    A damaged last block lacks only its trailer. The block is short, so a writer must not append to
    the log.
    damage: flip bit 0 of blocks[0].records[1].data
    expect: damaged checksum-mismatch, survivors 0, end none
""")
