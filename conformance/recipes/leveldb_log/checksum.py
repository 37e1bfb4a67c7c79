"""Bytes changed under a checksum: the rest of the block is lost."""

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
    """One flipped bit in the first checksum loses everything to the end of the block."""
    log.shows("bit-in-a-checksum")
    log.flip("blocks[0].records[0].header.checksum", 3)
    log.expect("damaged", "checksum-mismatch", survivors=[], end=None)


@BOOK.damaged(three_records, "checksum", "LDB-006", "LDB-028")
def payload_flipped_in_second_record(log: LevelDBLog) -> None:
    """One flipped payload bit loses its record and the rest of the block, but nothing before it."""
    log.shows("bit-in-a-payload")
    log.flip("blocks[0].records[1].data", 17)
    log.expect("damaged", "checksum-mismatch", survivors=[0])


@BOOK.damaged(three_records, "checksum", "LDB-006", "LDB-028")
def payload_flipped_in_last_record(log: LevelDBLog) -> None:
    """One flipped payload bit in the last, whole record is damage, not a torn write."""
    log.flip("blocks[0].records[2].data", 0)
    log.expect("damaged", "checksum-mismatch", survivors=[0, 1], end=None)


@BOOK.damaged(one_record, "checksum", "LDB-006", "LDB-028")
def payload_flipped_in_only_record(log: LevelDBLog) -> None:
    """The only record of the log is damaged: no record survives."""
    log.flip("blocks[0].records[0].data", 7)
    log.expect("damaged", "checksum-mismatch", survivors=[])


@BOOK.damaged(three_records, "checksum", "LDB-006", "LDB-020", "LDB-028")
def type_flipped_to_first(log: LevelDBLog) -> None:
    """A FULL whose type reads MIDDLE: the checksum covers the type, so it does not match."""
    log.flip("blocks[0].records[1].header.type", 1)
    log.expect("damaged", "checksum-mismatch", survivors=[0])


@BOOK.damaged(three_records, "checksum", "LDB-020", "LDB-028", "LDB-029")
def type_flipped_to_unknown(log: LevelDBLog) -> None:
    """A flipped type bit gives an unknown type, but the checksum is looked at first."""
    log.flip("blocks[0].records[1].header.type", 6)
    log.expect("damaged", "checksum-mismatch", survivors=[0])


@BOOK.damaged(three_records, "checksum", "LDB-007", "LDB-028")
def checksum_stored_unmasked(log: LevelDBLog) -> None:
    """A checksum stored without its mask does not count."""
    record = log.field("blocks[0].records[1]")
    covered = bytes(log.data[record.start + 6 : record.end])
    log.set("blocks[0].records[1].header.checksum", crc32c(covered))
    log.expect("damaged", "checksum-mismatch", survivors=[0])


@BOOK.damaged(three_records, "checksum", "LDB-006", "LDB-028")
def checksum_of_the_data_alone(log: LevelDBLog) -> None:
    """A checksum that leaves out the type byte does not count."""
    log.set("blocks[0].records[1].header.checksum", masked_crc(b"bravo"))
    log.expect("damaged", "checksum-mismatch", survivors=[0])


@BOOK.damaged(three_records, "checksum", "LDB-008", "LDB-028")
def checksum_zeroed(log: LevelDBLog) -> None:
    """A checksum of zero is compared like any other."""
    log.zero("blocks[0].records[1].header.checksum")
    log.expect("damaged", "checksum-mismatch", survivors=[0])


@BOOK.damaged(stored_checksum_of_zero, "checksum", "LDB-008", "LDB-028")
def payload_flipped_under_checksum_of_zero(log: LevelDBLog) -> None:
    """A stored checksum of zero is still checked."""
    log.flip("blocks[0].records[1].data", 2)
    log.expect("damaged", "checksum-mismatch", survivors=[0])


@BOOK.damaged(two_blocks, "checksum", "LDB-028", "LDB-037", "LDB-039")
def checksum_flipped_in_first_block(log: LevelDBLog) -> None:
    """Damage in one block leaves the next block alone."""
    log.flip("blocks[0].records[1].data", 8 * 1000)
    log.expect("damaged", "checksum-mismatch", survivors=[0, 2, 3], end=32768 + 26)


@BOOK.damaged(two_blocks, "checksum", "LDB-028", "LDB-037")
def first_header_flipped_in_first_block(log: LevelDBLog) -> None:
    """Damage in the first record of a block loses the block, however good the rest is."""
    log.flip("blocks[0].records[0].header.checksum", 0)
    log.expect("damaged", "checksum-mismatch", survivors=[2, 3])


@BOOK.damaged(fragments_in_three_blocks, "checksum", "LDB-028", "LDB-034", "LDB-036")
def payload_flipped_in_first_fragment(log: LevelDBLog) -> None:
    """A damaged FIRST: its MIDDLE and LAST are orphans, the record after them survives."""
    log.flip("blocks[0].records[1].data", 99)
    log.expect("damaged", "checksum-mismatch", survivors=[0, 2])


@BOOK.damaged(fragments_in_three_blocks, "checksum", "LDB-028", "LDB-034", "LDB-036")
def payload_flipped_in_middle_fragment(log: LevelDBLog) -> None:
    """A damaged MIDDLE loses the whole record; its LAST is an orphan."""
    log.flip("blocks[1].records[0].data", 99)
    log.expect("damaged", "checksum-mismatch", survivors=[0, 2])
    log.note("rusty-leveldb and readers without checksums return a wrongly joined record here.")


@BOOK.damaged(fragments_in_three_blocks, "checksum", "LDB-028", "LDB-034", "LDB-036")
def payload_flipped_in_last_fragment(log: LevelDBLog) -> None:
    """A damaged LAST loses the whole record and the rest of its block."""
    log.flip("blocks[2].records[0].data", 99)
    log.expect("damaged", "checksum-mismatch", survivors=[0], end=None)
