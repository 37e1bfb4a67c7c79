"""Changes to bytes that a checksum covers. The rest of the block is lost."""

from crc32c import crc32c

from conformance.recipes.leveldb_log.layout import three_records
from conformance.recipes.leveldb_log.log import CHECKSUM, LevelDBLog
from reference_impl.leveldb_log.layout import masked_crc


@CHECKSUM.damaged(three_records, "LDB-007", "LDB-028")
def checksum_stored_unmasked(log: LevelDBLog) -> None:
    """A checksum that is stored without the mask does not match."""
    record = log.field("blocks[0].records[1]")
    covered = bytes(log.data[record.start + 6 : record.end])
    log.set("blocks[0].records[1].header.checksum", crc32c(covered))
    log.expect("damaged", "checksum-mismatch", survivors=[0])


@CHECKSUM.damaged(three_records, "LDB-006", "LDB-028")
def checksum_of_the_data_alone(log: LevelDBLog) -> None:
    """A checksum of the data without the type byte does not match."""
    log.set("blocks[0].records[1].header.checksum", masked_crc(b"bravo"))
    log.expect("damaged", "checksum-mismatch", survivors=[0])


CHECKSUM.table("""
checksum_flipped_in_first_record: three_records LDB-006 LDB-028 LDB-039
    One bit of the first checksum is flipped. All bytes up to the end of the block are lost.
    shows: bit-in-a-checksum
    damage: flip bit 3 of blocks[0].records[0].header.checksum
    expect: damaged checksum-mismatch, no survivors, end none
payload_flipped_in_second_record: three_records LDB-006 LDB-028
    One payload bit of the second record is flipped. The second record and the rest of the block are
    lost; the first record survives.
    shows: bit-in-a-payload
    damage: flip bit 17 of blocks[0].records[1].data
    expect: damaged checksum-mismatch, survivors 0
payload_flipped_in_last_record: three_records LDB-006 LDB-028
    One payload bit of the last record is flipped. The record is complete, so the fault is damage,
    not a torn write.
    damage: flip bit 0 of blocks[0].records[2].data
    expect: damaged checksum-mismatch, survivors 0 1, end none
payload_flipped_in_only_record: one_record LDB-006 LDB-028
    One payload bit of the only record is flipped. No record survives.
    damage: flip bit 7 of blocks[0].records[0].data
    expect: damaged checksum-mismatch, no survivors
type_flipped_to_first: three_records LDB-006 LDB-020 LDB-028
    One bit of a type is flipped, which turns a FULL into a MIDDLE. The checksum covers the type and
    does not match.
    damage: flip bit 1 of blocks[0].records[1].header.type
    expect: damaged checksum-mismatch, survivors 0
type_flipped_to_unknown: three_records LDB-020 LDB-028 LDB-029
    One bit of a type is flipped, and the new type is unknown. A reader verifies the checksum before
    it checks the type.
    damage: flip bit 6 of blocks[0].records[1].header.type
    expect: damaged checksum-mismatch, survivors 0
checksum_zeroed: three_records LDB-008 LDB-028
    The checksum of a record is zeroed. A reader verifies a checksum of zero like any other.
    damage: zero blocks[0].records[1].header.checksum
    expect: damaged checksum-mismatch, survivors 0
payload_flipped_under_checksum_of_zero: stored_checksum_of_zero LDB-008 LDB-028
    One payload bit is flipped in a record whose correct checksum is zero. A reader verifies a
    checksum of zero like any other.
    damage: flip bit 2 of blocks[0].records[1].data
    expect: damaged checksum-mismatch, survivors 0
checksum_flipped_in_first_block: two_blocks LDB-028 LDB-037 LDB-039
    One payload bit in the first block is flipped. The rest of the first block is lost; the second
    block survives.
    damage: flip bit 8000 of blocks[0].records[1].data
    expect: damaged checksum-mismatch, survivors 0 2 3, end 32794
first_header_flipped_in_first_block: two_blocks LDB-028 LDB-037
    One bit of the first checksum in a block is flipped. The whole block is lost, even its intact
    second record.
    damage: flip bit 0 of blocks[0].records[0].header.checksum
    expect: damaged checksum-mismatch, survivors 2 3
payload_flipped_in_first_fragment: fragments_in_three_blocks LDB-028 LDB-034 LDB-036
    One payload bit of a FIRST is flipped. The MIDDLE and LAST are orphans, and the next record
    survives.
    damage: flip bit 99 of blocks[0].records[1].data
    expect: damaged checksum-mismatch, survivors 0 2
payload_flipped_in_middle_fragment: fragments_in_three_blocks LDB-028 LDB-034 LDB-036
    One payload bit of a MIDDLE is flipped. The whole record is lost, and its LAST is an orphan.
    damage: flip bit 99 of blocks[1].records[0].data
    expect: damaged checksum-mismatch, survivors 0 2
    note: rusty-leveldb and readers that verify no checksums return an incorrectly joined record.
payload_flipped_in_last_fragment: fragments_in_three_blocks LDB-028 LDB-034 LDB-036
    One payload bit of a LAST is flipped. The whole record and the rest of the block are lost.
    damage: flip bit 99 of blocks[2].records[0].data
    expect: damaged checksum-mismatch, survivors 0, end none
""")
