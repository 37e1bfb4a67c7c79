"""Changes to bytes that a checksum covers. The rest of the block is lost."""

from crc32c import crc32c

from conformance.recipes.leveldb_log.layout import (
    fragments_in_three_blocks,
    one_record,
    stored_checksum_of_zero,
    three_records,
    two_blocks,
)
from conformance.recipes.leveldb_log.log import BOOK, LevelDBLog
from reference_impl.leveldb_log.layout import (
    masked_crc,
)


@BOOK.damaged(three_records, "checksum", "LDB-006", "LDB-028", "LDB-039")
def checksum_flipped_in_first_record(log: LevelDBLog) -> None:
    """One bit of the first checksum is flipped. All bytes up to the end of the block are lost."""
    log.shows("bit-in-a-checksum")
    log.flip("blocks[0].records[0].header.checksum", 3)
    log.expect("damaged", "checksum-mismatch", survivors=[], end=None)


@BOOK.damaged(three_records, "checksum", "LDB-006", "LDB-028")
def payload_flipped_in_second_record(log: LevelDBLog) -> None:
    """One payload bit of the second record is flipped. The second record and the rest of the block
    are lost; the first record survives."""
    log.shows("bit-in-a-payload")
    log.flip("blocks[0].records[1].data", 17)
    log.expect("damaged", "checksum-mismatch", survivors=[0])


@BOOK.damaged(three_records, "checksum", "LDB-006", "LDB-028")
def payload_flipped_in_last_record(log: LevelDBLog) -> None:
    """One payload bit of the last record is flipped. The record is complete, so the fault is
    damage, not a torn write."""
    log.flip("blocks[0].records[2].data", 0)
    log.expect("damaged", "checksum-mismatch", survivors=[0, 1], end=None)


@BOOK.damaged(one_record, "checksum", "LDB-006", "LDB-028")
def payload_flipped_in_only_record(log: LevelDBLog) -> None:
    """One payload bit of the only record is flipped. No record survives."""
    log.flip("blocks[0].records[0].data", 7)
    log.expect("damaged", "checksum-mismatch", survivors=[])


@BOOK.damaged(three_records, "checksum", "LDB-006", "LDB-020", "LDB-028")
def type_flipped_to_first(log: LevelDBLog) -> None:
    """One bit of a type is flipped, so that FULL becomes MIDDLE. The checksum covers the type and
    does not match."""
    log.flip("blocks[0].records[1].header.type", 1)
    log.expect("damaged", "checksum-mismatch", survivors=[0])


@BOOK.damaged(three_records, "checksum", "LDB-020", "LDB-028", "LDB-029")
def type_flipped_to_unknown(log: LevelDBLog) -> None:
    """One bit of a type is flipped, so that the type is unknown. A reader verifies the checksum
    before it checks the type."""
    log.flip("blocks[0].records[1].header.type", 6)
    log.expect("damaged", "checksum-mismatch", survivors=[0])


@BOOK.damaged(three_records, "checksum", "LDB-007", "LDB-028")
def checksum_stored_unmasked(log: LevelDBLog) -> None:
    """A checksum that is stored without the mask does not match."""
    record = log.field("blocks[0].records[1]")
    covered = bytes(log.data[record.start + 6 : record.end])
    log.set("blocks[0].records[1].header.checksum", crc32c(covered))
    log.expect("damaged", "checksum-mismatch", survivors=[0])


@BOOK.damaged(three_records, "checksum", "LDB-006", "LDB-028")
def checksum_of_the_data_alone(log: LevelDBLog) -> None:
    """A checksum of the data without the type byte does not match."""
    log.set("blocks[0].records[1].header.checksum", masked_crc(b"bravo"))
    log.expect("damaged", "checksum-mismatch", survivors=[0])


@BOOK.damaged(three_records, "checksum", "LDB-008", "LDB-028")
def checksum_zeroed(log: LevelDBLog) -> None:
    """The checksum of a record is zeroed. A reader verifies a checksum of zero like any other."""
    log.zero("blocks[0].records[1].header.checksum")
    log.expect("damaged", "checksum-mismatch", survivors=[0])


@BOOK.damaged(stored_checksum_of_zero, "checksum", "LDB-008", "LDB-028")
def payload_flipped_under_checksum_of_zero(log: LevelDBLog) -> None:
    """One payload bit is flipped in a record whose correct checksum is zero. A reader verifies a
    checksum of zero like any other."""
    log.flip("blocks[0].records[1].data", 2)
    log.expect("damaged", "checksum-mismatch", survivors=[0])


@BOOK.damaged(two_blocks, "checksum", "LDB-028", "LDB-037", "LDB-039")
def checksum_flipped_in_first_block(log: LevelDBLog) -> None:
    """One payload bit in the first block is flipped. The rest of the first block is lost; the
    second block survives."""
    log.flip("blocks[0].records[1].data", 8 * 1000)
    log.expect("damaged", "checksum-mismatch", survivors=[0, 2, 3], end=32768 + 26)


@BOOK.damaged(two_blocks, "checksum", "LDB-028", "LDB-037")
def first_header_flipped_in_first_block(log: LevelDBLog) -> None:
    """One bit of the first checksum in a block is flipped. The whole block is lost, even its intact
    second record."""
    log.flip("blocks[0].records[0].header.checksum", 0)
    log.expect("damaged", "checksum-mismatch", survivors=[2, 3])


@BOOK.damaged(fragments_in_three_blocks, "checksum", "LDB-028", "LDB-034", "LDB-036")
def payload_flipped_in_first_fragment(log: LevelDBLog) -> None:
    """One payload bit of a FIRST is flipped. The MIDDLE and LAST are orphans, and the next record
    survives."""
    log.flip("blocks[0].records[1].data", 99)
    log.expect("damaged", "checksum-mismatch", survivors=[0, 2])


@BOOK.damaged(fragments_in_three_blocks, "checksum", "LDB-028", "LDB-034", "LDB-036")
def payload_flipped_in_middle_fragment(log: LevelDBLog) -> None:
    """One payload bit of a MIDDLE is flipped. The whole record is lost, and its LAST is an
    orphan."""
    log.flip("blocks[1].records[0].data", 99)
    log.expect("damaged", "checksum-mismatch", survivors=[0, 2])
    log.note(
        "rusty-leveldb and readers that verify no checksums return an incorrectly joined record."
    )


@BOOK.damaged(fragments_in_three_blocks, "checksum", "LDB-028", "LDB-034", "LDB-036")
def payload_flipped_in_last_fragment(log: LevelDBLog) -> None:
    """One payload bit of a LAST is flipped. The whole record and the rest of the block are lost."""
    log.flip("blocks[2].records[0].data", 99)
    log.expect("damaged", "checksum-mismatch", survivors=[0], end=None)
