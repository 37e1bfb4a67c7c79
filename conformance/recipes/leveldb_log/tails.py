"""Logs that end early because a write was unfinished."""

from conformance.recipes.leveldb_log.fragments import fragments_within_one_block
from conformance.recipes.leveldb_log.layout import fragments_in_three_blocks, three_records
from conformance.recipes.leveldb_log.log import TORN_TAIL, LevelDBLog


@TORN_TAIL.damaged(three_records, "LDB-023", "LDB-038")
def garbage_behind_the_last_record(log: LevelDBLog) -> None:
    """Twenty bytes of garbage follow the last record. The length in their first seven bytes extends
    past the end of the block, so the fault is damage."""
    log.extend(bytes(range(0x9C, 0xB0)))
    log.expect("damaged", "bad-length", survivors=[0, 1, 2], end=None)
    log.note("LevelDB treats the bytes as a torn write and reports nothing.")


@TORN_TAIL.damaged(three_records, "LDB-023")
def tail_of_ff(log: LevelDBLog) -> None:
    """Bytes of ff, as in erased flash memory, follow the last record. They are damage, not
    preallocated space."""
    log.extend(b"\xff" * 64)
    log.expect("damaged", "bad-length", survivors=[0, 1, 2])


@TORN_TAIL.truncations(fragments_in_three_blocks, "LDB-021", "LDB-022", "LDB-035", "LDB-039")
def every_prefix_of_three_blocks(log: LevelDBLog) -> None:
    """Every prefix of a log of three blocks, with the records that survive."""


@TORN_TAIL.damaged(fragments_within_one_block, "LDB-022", "LDB-035")
def torn_full_in_an_open_record(log: LevelDBLog) -> None:
    """The log ends inside a FULL while a record is open. The torn range begins at the FIRST of the
    open record."""
    log.drop("blocks[0].records[2]")
    del log.data[-2:]
    log.expect("torn", "torn-payload", survivors=[], end=0)


TORN_TAIL.table("""
cut_in_a_header: three_records LDB-021 LDB-038 LDB-039
    The log ends three bytes into a header.
    damage: truncate 3 bytes into blocks[0].records[2].header
    expect: torn torn-header, survivors 0 1, end 24
cut_after_one_byte_of_a_header: three_records LDB-021
    The log ends one byte into a header.
    damage: truncate 1 bytes into blocks[0].records[2].header
    expect: torn torn-header, survivors 0 1, end 24
cut_before_the_type: three_records LDB-021
    The log ends six bytes into a header, before the type.
    damage: truncate 6 bytes into blocks[0].records[2].header
    expect: torn torn-header, survivors 0 1, end 24
one_byte_and_two_zeros: one_record LDB-021 LDB-025
    The log ends with a non-zero byte and two zero bytes. These bytes are a torn header, not
    preallocated space.
    damage: extend by 01 00 00
    expect: torn torn-header, survivors 0, end 12
cut_behind_a_header: three_records LDB-022 LDB-036
    The log ends after a complete header, before the payload.
    damage: truncate 0 bytes into blocks[0].records[2].data
    expect: torn torn-payload, survivors 0 1, end 24
    bug: ccl_leveldb returns an empty record
cut_in_a_payload: three_records LDB-022 LDB-036 LDB-038
    The log ends one byte before the end of a payload.
    shows: torn-last-record
    damage: truncate at 37
    expect: torn torn-payload, survivors 0 1, end 24
    bug: ccl_leveldb returns a short record
cut_between_two_records: three_records LDB-039 eof
    The log ends exactly between two records. The missing record is undetectable.
    damage: truncate at 24
    expect: intact, survivors 0 1, end 24
cut_in_the_first_header: three_records LDB-021
    The log ends inside its first header.
    damage: truncate at 5
    expect: torn torn-header, no survivors, end 0
cut_to_nothing: three_records LDB-001 eof
    The log is truncated to an empty file.
    damage: truncate at 0
    expect: intact, no survivors, end 0
cut_in_a_trailer: two_blocks LDB-004 LDB-005 eof
    The log ends inside a trailer. No record is unfinished.
    damage: truncate 2 bytes into blocks[0].trailer
    expect: intact, survivors 0 1, end 32764
    bug: golang/leveldb and Pebble report an unexpected end
cut_at_a_block_boundary: two_blocks LDB-001 eof
    The log ends exactly at a block boundary, after a trailer.
    damage: truncate at 32768
    expect: intact, survivors 0 1, end 32768
one_byte_in_a_new_block: two_blocks LDB-021
    The log ends one byte into the first header of a block.
    damage: truncate at 32769
    expect: torn torn-header, survivors 0 1, end 32768
    bug: iq80 leveldb throws IndexOutOfBoundsException
cut_between_first_and_last: fragments_in_two_blocks LDB-035 LDB-036 LDB-039
    The log ends at a block boundary, after a FIRST. The torn range begins at the FIRST.
    damage: truncate at 32768
    expect: torn torn-record, survivors 0, end 12
    bug: golang/leveldb returns the fragment as a complete record, without an error
cut_between_middle_and_last: fragments_in_three_blocks LDB-035 LDB-036
    The log ends at a block boundary, after a MIDDLE. The torn range begins at the FIRST.
    damage: truncate at 65536
    expect: torn torn-record, survivors 0, end 12
cut_in_the_middle_fragment: fragments_in_three_blocks LDB-022 LDB-035
    The log ends inside a MIDDLE. The torn range begins at the FIRST.
    damage: truncate at 37768
    expect: torn torn-payload, survivors 0, end 12
cut_in_the_header_of_last: fragments_in_two_blocks LDB-021 LDB-035
    The log ends inside the header of a LAST. The torn range begins at the FIRST.
    damage: truncate at 32772
    expect: torn torn-header, survivors 0, end 12
cut_behind_an_empty_first: seven_bytes_left_and_a_record LDB-012 LDB-035
    The log ends after an empty FIRST. The open record is torn although it has no data.
    damage: truncate at 32768
    expect: torn torn-record, survivors 0 1, end 32761
exactly_full_last_block_cut_by_one: log_ends_with_its_block LDB-022 LDB-024
    The last record of a full block lacks its last byte. The block is then short, and the record is
    torn.
    damage: truncate at 32767
    expect: torn torn-payload, survivors 0, end 12
torn_at_a_sector: two_blocks LDB-022 eof
    The last sector of 4096 bytes was not written. The second block is missing.
    damage: torn at the last boundary of 4096 bytes
    expect: intact, survivors 0 1, end 32768
torn_at_a_sector_inside_a_record: fragments_in_two_blocks LDB-022 LDB-035
    The last sector of 512 bytes was not written. The log ends inside a FIRST, at a sector boundary.
    damage: truncate 5000 bytes into blocks[0].records[1].data
    damage: torn at the last boundary of 512 bytes
    expect: torn torn-payload, survivors 0, end 12
payload_lost_but_its_length_is_there: three_records LDB-028 LDB-038
    The file grew, but the last payload was not written and reads as zeros. The checksum does not
    match.
    shows: size-before-data
    damage: zero blocks[0].records[2].data
    expect: damaged checksum-mismatch, survivors 0 1
    note: Delayed allocation can leave such a log. A reader cannot distinguish this case from
      damage, and reports damage.
two_zeros_and_one_byte: one_record LDB-021
    The log ends with two zero bytes and a non-zero byte. These bytes are a torn header, not
    preallocated space.
    damage: extend by 00 00 03
    expect: torn torn-header, survivors 0, end 12
torn_header_where_just_a_header_fits: log_ends_seven_bytes_before_its_block LDB-021 LDB-004
    Seven bytes were left in the last block, and a writer wrote three of them. They are a torn
    header, not a trailer.
    damage: extend by 01 02 03
    expect: torn torn-header, survivors 0 1, end 32761
torn_payload_of_zeros: three_records LDB-022 LDB-020
    The log ends inside a payload of zeros. A reader does not check the data of a torn record.
    damage: zero blocks[0].records[2].data
    damage: truncate 3 bytes into blocks[0].records[2].data
    expect: torn torn-payload, survivors 0 1, end 24
torn_payload_of_an_unknown_type: three_records LDB-022 LDB-020
    The log ends inside a record of an unknown type. A reader does not check the type of a torn
    record.
    retype: blocks[0].records[2], 103
    damage: truncate 3 bytes into blocks[0].records[2].data
    expect: torn torn-payload, survivors 0 1, end 24
torn_payload_of_type_zero: three_records LDB-022 LDB-020 LDB-030
    The log ends inside a record of type 0 with a length above 0. The bytes are a torn record, not
    zero-fill.
    retype: blocks[0].records[2], 0
    damage: truncate 3 bytes into blocks[0].records[2].data
    expect: torn torn-payload, survivors 0 1, end 24
torn_middle_without_first: three_records LDB-022 LDB-020
    The log ends inside a MIDDLE while no record is open. The MIDDLE is torn, not an orphan.
    retype: blocks[0].records[2], MIDDLE
    damage: truncate 3 bytes into blocks[0].records[2].data
    expect: torn torn-payload, survivors 0 1, end 24
torn_header_after_an_empty_first: empty_first_in_mid_block LDB-021 LDB-033
    The log ends inside a header after an empty FIRST. The torn range begins at the FIRST.
    damage: truncate 3 bytes into blocks[0].records[2].header
    expect: torn torn-header, survivors 0, end 12
torn_full_after_an_empty_first: empty_first_in_mid_block LDB-022 LDB-033
    The log ends inside a FULL after an empty FIRST. The torn range begins at the FIRST, because the
    FULL is not complete.
    damage: truncate 3 bytes into blocks[0].records[2].data
    expect: torn torn-payload, survivors 0, end 12
torn_last_after_an_empty_first: empty_first_before_middle_and_last LDB-022
    The log ends inside a LAST after an empty FIRST and a MIDDLE with data. The torn range begins at
    the FIRST.
    damage: truncate 1 bytes into blocks[0].records[3].data
    expect: torn torn-payload, survivors 0, end 12
zeros_after_an_empty_first: empty_first_before_middle_and_last LDB-035 LDB-025
    The log ends with zeros after an empty FIRST. The open record is torn although it has no data.
    damage: truncate 0 bytes into blocks[0].records[2].header
    damage: extend by 100 zero bytes
    expect: torn torn-record, survivors 0, end 12
three_zeros_after_first: fragments_within_one_block LDB-035 LDB-025
    The log ends with three zero bytes after a FIRST. The fault is a torn record, not a torn header.
    damage: truncate 0 bytes into blocks[0].records[1].header
    damage: extend by 00 00 00
    expect: torn torn-record, no survivors, end 0
cut_in_the_trailer_after_first: first_that_leaves_a_trailer LDB-035 LDB-004
    The log ends inside the trailer after a FIRST. The torn range ends with the data of the FIRST.
    damage: truncate 2 bytes into blocks[0].trailer
    expect: torn torn-record, survivors 0, end 12
zeros_after_first_and_its_trailer: first_that_leaves_a_trailer LDB-035 LDB-025
    The log ends with zeros after a FIRST and a trailer. The torn range ends with the data of the
    FIRST.
    damage: truncate at 32768
    damage: extend by 100 zero bytes
    expect: torn torn-record, survivors 0, end 12
zeros_over_two_blocks_after_first: first_and_middle_in_one_block LDB-035 LDB-025
    The log ends with zeros in two blocks after a FIRST. The open record is torn, and the zeros are
    not a gap.
    damage: truncate 0 bytes into blocks[0].records[2].header
    damage: extend by 32844 zero bytes
    expect: torn torn-record, survivors 0, end 12
""")
