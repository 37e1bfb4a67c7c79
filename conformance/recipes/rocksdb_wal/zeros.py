"""Zeros: preallocated space, and bytes that were lost."""

from conformance.recipes.rocksdb_wal.layout import three_legacy_records, three_synced_records
from conformance.recipes.rocksdb_wal.log import BLOCK_SIZE, FULL, ZEROS, RocksLog, legacy
from conformance.recipes.rocksdb_wal.log_number import recycled_log


@ZEROS.valid("RDB-019", kind="limit")
def file_of_zeros_under_a_name(log: RocksLog) -> None:
    """A preallocated file of zeros without records."""
    log.data += bytes(5000)
    log.is_called("000019.log")
    log.expect("intact", survivors=[], end=0)


@ZEROS.damaged(recycled_log, "RDB-045", "RDB-050", kind="corrupt")
def zeros_before_an_older_log(log: RocksLog) -> None:
    """Zeros follow the last record, and the next block belongs to an older log. The zeros are a
    torn tail."""
    log.data[50:BLOCK_SIZE] = bytes(BLOCK_SIZE - 50)
    log.expect("torn", "torn-tail", survivors=[0, 1, 2], end=50)


ZEROS.table("""
recyclable_log_and_zeros: three_recyclable_records RDB-019 eof
    A recyclable log with 70,000 zeros of preallocated space at the end.
    damage: extend by 70000 zero bytes
    expect: intact, survivors 0-2, end 50
synced_log_and_zeros: three_synced_records RDB-019 eof
    A WAL-sync log with 4,096 zeros of preallocated space at the end.
    damage: extend by 4096 zero bytes
    expect: intact, survivors 0-2, end 74
legacy_log_and_three_zeros: three_legacy_records RDB-019 eof
    A legacy log with three zeros at the end. The zeros are not a cut header.
    damage: extend by 00 00 00
    expect: intact, survivors 0-2, end 38
synced_log_and_nine_zeros: three_synced_records RDB-019 eof
    A WAL-sync log with nine zeros at the end. The zeros are not a cut header.
    damage: extend by 9 zero bytes
    expect: intact, survivors 0-2, end 74
first_and_zeros: three_recyclable_records RDB-019 RDB-042
    Zeros follow a FIRST. The record is torn.
    retype: blocks[0].records[2], R_FIRST
    damage: extend by 4096 zero bytes
    expect: torn torn-record, survivors 0 1, end 32
recyclable_header_zeroed: recyclable_fragments RDB-045
    The header of a MIDDLE is zeroed. The rest of the block is lost.
    damage: zero blocks[1].records[0].header
    expect: damaged zero-header, survivors 0 2
recyclable_block_zeroed: recyclable_fragments RDB-045
    The second of three blocks of a recyclable log is zeroed.
    damage: zero blocks[1]
    expect: damaged zero-gap, survivors 0 2
recyclable_sector_zeroed: recyclable_fragments RDB-044
    A sector inside a MIDDLE is zeroed. The checksum does not match.
    shows: zeroed-sector
    damage: zero sector 70 of 512 bytes
    expect: damaged checksum-mismatch, survivors 0 2
synced_block_zeroed: synced_blocks RDB-017 RDB-045
    A block before the proven offset of a WAL-sync log is zeroed. This is damage.
    damage: zero blocks[1]
    expect: damaged zero-gap, survivors 0-2 5
block_zeroed_without_a_proof: blocks_without_a_sync RDB-045 RDB-050 corrupt
    A block after the proven offset of a WAL-sync log is zeroed. The fault ends the log.
    damage: zero blocks[1]
    expect: torn torn-tail, survivors 0-2, end 32768
recyclable_data_never_arrived: three_recyclable_records RDB-050
    The data of the last record is zeroed, but the header is intact. No record of this log follows,
    so this is an unfinished write.
    shows: size-before-data
    damage: zero blocks[0].records[2].data
    expect: torn torn-tail, survivors 0 1, end 32
synced_data_never_arrived: three_synced_records RDB-050
    The data of the last record of a WAL-sync log is zeroed. The fault is after the proven offset
    and ends the log.
    damage: zero blocks[0].records[2].data
    expect: torn torn-tail, survivors 0 1, end 48
""")


@ZEROS.damaged(three_legacy_records, "RDB-045")
def zero_header_with_a_checksum(log: RocksLog) -> None:
    """A header with type 0 and length 0 has a checksum that is not zero. The bytes are not
    preallocated space."""
    log.extend(b"\x01" + bytes(4095))
    log.expect("damaged", "zero-header", survivors=[0, 1, 2], end=None)


@ZEROS.damaged(three_legacy_records, "RDB-041", "RDB-045")
def zero_gap_before_a_block_that_begins_with_zeros(log: RocksLog) -> None:
    """A gap of zeros ends at the start of a block, even if this block also begins with zeros."""
    log.fill_block()
    log.extend(bytes(4) + b"xyz123456" + legacy(FULL, b"ghost"))
    log.expect("damaged", "zero-gap", survivors=[0, 1, 2], end=BLOCK_SIZE)


@ZEROS.damaged(three_synced_records, "RDB-045", "RDB-050")
def zero_header_at_the_end_of_a_synced_log(log: RocksLog) -> None:
    """A zero header after the proven offset ends a WAL-sync log."""
    log.extend(bytes(7) + b"x")
    log.expect("torn", "torn-tail", survivors=[0, 1, 2], end=74)
