"""Fragments out of order. A reader must not join fragments of different records."""

from conformance.recipes.leveldb_log.layout import four_records_across_blocks
from conformance.recipes.leveldb_log.log import FIRST, FRAGMENTS, LAST, MIDDLE, LevelDBLog, physical


@FRAGMENTS.valid("LDB-010")
def four_short_records(log: LevelDBLog) -> None:
    """Four short records in one block."""
    log.write(b"alpha", b"bravo", b"charlie", b"delta")
    log.expect("intact", survivors=[0, 1, 2, 3])


@FRAGMENTS.valid("LDB-010")
def fragments_within_one_block(log: LevelDBLog) -> None:
    """A FIRST, a MIDDLE and a LAST in the same block form a valid record."""
    log.data += physical(FIRST, b"al") + physical(MIDDLE, b"p") + physical(LAST, b"ha")
    log.payloads.append(b"alpha")
    log.write(b"bravo")
    log.expect("intact", survivors=[0, 1])
    log.note("LevelDB's writer never writes such fragments. All readers accept them.")


@FRAGMENTS.damaged(four_records_across_blocks, "LDB-036", kind="limit")
def middle_block_dropped_joins_two_records(log: LevelDBLog) -> None:
    """The block between the FIRST of one record and the LAST of another is missing. A reader joins
    the two fragments; the error is undetectable."""
    first = log.field("blocks[0].records[1].data")
    last = log.field("blocks[2].records[0].data")
    joined = bytes(log.data[first.start : first.end] + log.data[last.start : last.end])
    log.drop("blocks[1]")
    log.expect("intact", survivors=[0, joined, 3])
    log.note(
        "Each fragment has a checksum, but no field connects a FIRST to its LAST. This limit of the"
        " format applies to all readers."
    )


@FRAGMENTS.damaged(fragments_within_one_block, "LDB-032", "LDB-033", kind="limit")
def first_then_empty_first_then_full(log: LevelDBLog) -> None:
    """A FULL follows a FIRST with data and an empty FIRST. Only the FIRST with data is lost."""
    log.drop("blocks[0].records[2]")
    log.splice("blocks[0].records[1]", physical(FIRST, b""))
    log.expect("damaged", "incomplete-record", survivors=[1])


FRAGMENTS.table("""
first_then_first: four_short_records LDB-032 LDB-036
    A second FIRST follows a FIRST. The open record is lost, and the record of the second FIRST is
    returned.
    retype: blocks[0].records[0], FIRST
    retype: blocks[0].records[1], FIRST
    retype: blocks[0].records[2], LAST
    expect: damaged incomplete-record, survivors "bravocharlie" 3
    bug: goleveldb, golang/leveldb and Pebble return "alphabravocharlie"
last_twice: four_short_records LDB-031
    A second LAST follows a complete record. The record is returned, and the second LAST is an
    orphan.
    retype: blocks[0].records[0], FIRST
    retype: blocks[0].records[1], LAST
    retype: blocks[0].records[2], LAST
    expect: damaged orphan-fragment, survivors "alphabravo" 3
empty_first_then_first: seven_bytes_left_and_a_record LDB-033 limit
    A second FIRST follows an empty FIRST at the end of a block. Nothing is lost.
    retype: blocks[1].records[0], FIRST
    retype: blocks[1].records[1], LAST
    expect: intact, survivors 0 1 "bravocharlie"
middle_without_first: four_short_records LDB-031
    A MIDDLE while no record is open is an orphan. Only the MIDDLE is lost.
    retype: blocks[0].records[1], MIDDLE
    expect: damaged orphan-fragment, survivors 0 2 3
    bug: rusty-leveldb returns "bravocharlie"
last_without_first: four_short_records LDB-031 LDB-036
    A LAST while no record is open is an orphan and must not be returned.
    retype: blocks[0].records[1], LAST
    expect: damaged orphan-fragment, survivors 0 2 3
    bug: rusty-leveldb and dfindexeddb return the LAST
middle_and_last_without_first: four_short_records LDB-031 LDB-036
    A MIDDLE and a LAST while no record is open are two orphans.
    retype: blocks[0].records[1], MIDDLE
    retype: blocks[0].records[2], LAST
    expect: damaged orphan-fragment, survivors 0 3
first_then_full: four_short_records LDB-032 LDB-036
    A FULL follows a FIRST. The open record is lost, and the FULL is returned.
    retype: blocks[0].records[1], FIRST
    expect: damaged incomplete-record, survivors 0 2 3
    bug: goleveldb, golang/leveldb and Pebble return "bravocharlie"
first_middle_then_full: four_short_records LDB-032 LDB-036
    A FULL follows a FIRST and a MIDDLE. Both fragments are lost, and the FULL is returned.
    retype: blocks[0].records[0], FIRST
    retype: blocks[0].records[1], MIDDLE
    expect: damaged incomplete-record, survivors 2 3
empty_first_then_full: seven_bytes_left_and_a_record LDB-033 limit
    A FULL follows an empty FIRST at the end of a block, as in logs of old writers. Nothing is lost.
    retype: blocks[1].records[0], FULL
    expect: intact, survivors 0-3
first_block_of_a_record_dropped: fragments_in_three_blocks LDB-031 LDB-037
    The block with the FIRST of a record is missing. The MIDDLE and LAST are orphans.
    damage: drop blocks[0]
    expect: damaged orphan-fragment, survivors 2
first_block_twice: fragments_in_two_blocks LDB-032 LDB-037
    The first block occurs twice. The record that the first copy opens is lost, and the record that
    the second copy opens is returned.
    shows: unit-twice
    damage: duplicate blocks[0]
    expect: damaged incomplete-record, survivors 0 0-2
    note: A reader reports only the open record. The duplicated block itself is undetectable, so its
      complete records are returned twice.
empty_first_and_middle_then_full: empty_first_before_middle_and_last LDB-032 LDB-033 limit
    A FULL follows an empty FIRST and a MIDDLE with data. The lost range begins at the FIRST.
    damage: drop blocks[0].records[3]
    expect: damaged incomplete-record, survivors 0 2
first_then_trailer_then_full: first_that_leaves_a_trailer LDB-032 LDB-005
    A FULL follows a FIRST and a trailer. The lost range ends with the data of the FIRST and does
    not include the trailer.
    damage: drop blocks[1].records[0]
    expect: damaged incomplete-record, survivors 0 2
first_then_trailer_then_damage: first_that_leaves_a_trailer LDB-034 LDB-005
    A damaged LAST follows a FIRST and a trailer. Neither of the two lost ranges includes the
    trailer.
    damage: flip bit 0 of blocks[1].records[0].data
    expect: damaged checksum-mismatch, survivors 0, end none
empty_first_then_damage: empty_first_before_middle_and_last LDB-034 LDB-040 limit
    A record of an unknown type follows an empty FIRST. The open record is lost although it has no
    data, and its LAST is an orphan.
    retype: blocks[0].records[2], 103
    expect: damaged unknown-type, survivors 0 2
empty_first_and_middle_then_damage: empty_first_before_middle_and_last LDB-034 limit
    A record of an unknown type follows an empty FIRST and a MIDDLE with data. The lost range of the
    open record begins at the FIRST.
    retype: blocks[0].records[3], 103
    expect: damaged unknown-type, survivors 0 2
""")
