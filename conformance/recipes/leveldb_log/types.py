"""Types other than 1 to 4, with valid checksums."""

from conformance.recipes.leveldb_log.log import TYPES

TYPES.table("""
unknown_type_103: three_records LDB-020 LDB-029 LDB-039
    A record has an unknown type and a valid checksum. Only this record is lost, because its length
    can be trusted.
    retype: blocks[0].records[1], 103
    expect: damaged unknown-type, survivors 0 2, end 38
unknown_type_5: three_records LDB-029
    A record of type 5 has an unknown type and must not end the log.
    retype: blocks[0].records[1], 5
    expect: damaged unknown-type, survivors 0 2
    bug: LevelDB: kEof is 5, so a type 5 in the file silently ends the log
    bug: RocksDB loops forever, since 9.3.1
unknown_type_6: three_records LDB-029
    A record of type 6 has an unknown type and must be reported.
    retype: blocks[0].records[1], 6
    expect: damaged unknown-type, survivors 0 2
    bug: LevelDB: kBadRecord is 6, so a type 6 in the file is silently skipped
unknown_type_9: three_records LDB-029 LDB-043
    A record of type 9 after a plain record has an unknown type. The log is not of another dialect.
    retype: blocks[0].records[1], 9
    expect: damaged unknown-type, survivors 0 2
unknown_type_132: three_records LDB-029
    A record of type 132 has an unknown type. RocksDB's reader uses this value as an internal
    marker.
    retype: blocks[0].records[1], 132
    expect: damaged unknown-type, survivors 0 2
unknown_type_255: three_records LDB-029 limit
    A record of type 255 has an unknown type. The type byte is unsigned.
    retype: blocks[0].records[1], 255
    expect: damaged unknown-type, survivors 0 2
unknown_type_in_the_first_record: three_records LDB-029 LDB-043
    The first record has type 5 and a plain header. The type is unknown, and the log is not of
    another dialect.
    retype: blocks[0].records[0], 5
    expect: damaged unknown-type, survivors 1 2
    bug: LevelDB opens an empty database even with paranoid_checks
unknown_type_in_the_last_record: three_records LDB-029 LDB-039
    The last record has an unknown type. A writer may append after this record.
    retype: blocks[0].records[2], 77
    expect: damaged unknown-type, survivors 0 1, end 38
type_zero_with_data: three_records LDB-030
    A record of type 0 with data and a valid checksum has an unknown type. The record is not
    preallocated space.
    retype: blocks[0].records[1], 0
    expect: damaged unknown-type, survivors 0 2
unknown_type_across_most_of_a_block: two_blocks LDB-029
    A record of an unknown type fills most of a block. Only this record is lost.
    retype: blocks[0].records[1], 99
    expect: damaged unknown-type, survivors 0 2 3
unknown_type_instead_of_last: fragments_in_two_blocks LDB-029 LDB-034 LDB-036
    A record of an unknown type replaces a LAST. The open record is also lost.
    retype: blocks[1].records[0], 103
    expect: damaged unknown-type, survivors 0 2
    bug: golang/leveldb, Pebble and rusty-leveldb join the unknown record to the open one
unknown_type_between_first_and_last: fragments_within_one_block LDB-029 LDB-034 LDB-036
    A record of an unknown type replaces a MIDDLE. The open record is also lost, and its LAST is an
    orphan.
    retype: blocks[0].records[1], 77
    expect: damaged unknown-type, survivors 1, end 38
unknown_types_in_a_row: four_short_records LDB-029
    Two consecutive records of an unknown type are two lost ranges.
    retype: blocks[0].records[1], 103
    retype: blocks[0].records[2], 103
    expect: damaged unknown-type, survivors 0 3
""")
