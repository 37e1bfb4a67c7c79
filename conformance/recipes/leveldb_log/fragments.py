"""Fragments out of order. A reader must not join fragments of different records."""

from conformance.recipes.leveldb_log.layout import (
    empty_first_before_middle_and_last,
    first_that_leaves_a_trailer,
    four_records_across_blocks,
    fragments_in_three_blocks,
    fragments_in_two_blocks,
    seven_bytes_left_and_a_record,
)
from conformance.recipes.leveldb_log.log import (
    BOOK,
    FIRST,
    FULL,
    LAST,
    MIDDLE,
    LevelDBLog,
    physical,
)


@BOOK.valid("fragments", "LDB-010")
def four_short_records(log: LevelDBLog) -> None:
    """Four short records in one block."""
    log.write(b"alpha", b"bravo", b"charlie", b"delta")
    log.expect("intact", survivors=[0, 1, 2, 3])


@BOOK.valid("fragments", "LDB-010")
def fragments_within_one_block(log: LevelDBLog) -> None:
    """A FIRST, a MIDDLE and a LAST in the same block form a valid record."""
    log.data += physical(FIRST, b"al") + physical(MIDDLE, b"p") + physical(LAST, b"ha")
    log.payloads.append(b"alpha")
    log.write(b"bravo")
    log.expect("intact", survivors=[0, 1])
    log.note("LevelDB's writer never writes such fragments. All readers accept them.")


@BOOK.damaged(four_short_records, "fragments", "LDB-031")
def middle_without_first(log: LevelDBLog) -> None:
    """A MIDDLE while no record is open is an orphan. Only the MIDDLE is lost."""
    log.retype("blocks[0].records[1]", MIDDLE)
    log.expect("damaged", "orphan-fragment", survivors=[0, 2, 3])
    log.bug('rusty-leveldb returns "bravocharlie"')


@BOOK.damaged(four_short_records, "fragments", "LDB-031", "LDB-036")
def last_without_first(log: LevelDBLog) -> None:
    """A LAST while no record is open is an orphan and must not be returned."""
    log.retype("blocks[0].records[1]", LAST)
    log.expect("damaged", "orphan-fragment", survivors=[0, 2, 3])
    log.bug("rusty-leveldb and dfindexeddb return the LAST")


@BOOK.damaged(four_short_records, "fragments", "LDB-031", "LDB-036")
def middle_and_last_without_first(log: LevelDBLog) -> None:
    """A MIDDLE and a LAST while no record is open are two orphans."""
    log.retype("blocks[0].records[1]", MIDDLE)
    log.retype("blocks[0].records[2]", LAST)
    log.expect("damaged", "orphan-fragment", survivors=[0, 3])


@BOOK.damaged(four_short_records, "fragments", "LDB-032", "LDB-036")
def first_then_full(log: LevelDBLog) -> None:
    """A FULL follows a FIRST. The open record is lost, and the FULL is returned."""
    log.retype("blocks[0].records[1]", FIRST)
    log.expect("damaged", "incomplete-record", survivors=[0, 2, 3])
    log.bug('goleveldb, golang/leveldb and Pebble return "bravocharlie"')


@BOOK.damaged(four_short_records, "fragments", "LDB-032", "LDB-036")
def first_then_first(log: LevelDBLog) -> None:
    """A second FIRST follows a FIRST. The open record is lost, and the record of the second FIRST
    is returned."""
    log.retype("blocks[0].records[0]", FIRST)
    log.retype("blocks[0].records[1]", FIRST)
    log.retype("blocks[0].records[2]", LAST)
    log.expect("damaged", "incomplete-record", survivors=[b"bravocharlie", 3])
    log.bug('goleveldb, golang/leveldb and Pebble return "alphabravocharlie"')


@BOOK.damaged(four_short_records, "fragments", "LDB-032", "LDB-036")
def first_middle_then_full(log: LevelDBLog) -> None:
    """A FULL follows a FIRST and a MIDDLE. Both fragments are lost, and the FULL is returned."""
    log.retype("blocks[0].records[0]", FIRST)
    log.retype("blocks[0].records[1]", MIDDLE)
    log.expect("damaged", "incomplete-record", survivors=[2, 3])


@BOOK.damaged(four_short_records, "fragments", "LDB-031")
def last_twice(log: LevelDBLog) -> None:
    """A second LAST follows a complete record. The record is returned, and the second LAST is an
    orphan."""
    log.retype("blocks[0].records[0]", FIRST)
    log.retype("blocks[0].records[1]", LAST)
    log.retype("blocks[0].records[2]", LAST)
    log.expect("damaged", "orphan-fragment", survivors=[b"alphabravo", 3])


@BOOK.damaged(seven_bytes_left_and_a_record, "fragments", "LDB-033", kind="limit")
def empty_first_then_full(log: LevelDBLog) -> None:
    """A FULL follows an empty FIRST at the end of a block, as in logs of old writers. Nothing is
    lost."""
    log.retype("blocks[1].records[0]", FULL)
    log.expect("intact", survivors=[0, 1, 2, 3])


@BOOK.damaged(seven_bytes_left_and_a_record, "fragments", "LDB-033", kind="limit")
def empty_first_then_first(log: LevelDBLog) -> None:
    """A second FIRST follows an empty FIRST at the end of a block. Nothing is lost."""
    log.retype("blocks[1].records[0]", FIRST)
    log.retype("blocks[1].records[1]", LAST)
    log.expect("intact", survivors=[0, 1, b"bravocharlie"])


@BOOK.damaged(fragments_in_three_blocks, "fragments", "LDB-031", "LDB-037")
def first_block_of_a_record_dropped(log: LevelDBLog) -> None:
    """The block with the FIRST of a record is missing. The MIDDLE and LAST are orphans."""
    log.drop("blocks[0]")
    log.expect("damaged", "orphan-fragment", survivors=[2])


@BOOK.damaged(fragments_in_two_blocks, "fragments", "LDB-032", "LDB-037")
def first_block_twice(log: LevelDBLog) -> None:
    """The first block occurs twice. The record that the first copy opens is lost, and the record
    that the second copy opens is returned."""
    log.shows("unit-twice")
    log.duplicate("blocks[0]")
    log.expect("damaged", "incomplete-record", survivors=[0, 0, 1, 2])
    log.note(
        "A reader reports only the open record. The duplicated block itself is undetectable, so its"
        " complete records are returned twice."
    )


@BOOK.damaged(four_records_across_blocks, "fragments", "LDB-036", kind="limit")
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


@BOOK.damaged(empty_first_before_middle_and_last, "fragments", "LDB-032", "LDB-033", kind="limit")
def empty_first_and_middle_then_full(log: LevelDBLog) -> None:
    """A FULL follows an empty FIRST and a MIDDLE with data. The lost range begins at the FIRST."""
    log.drop("blocks[0].records[3]")
    log.expect("damaged", "incomplete-record", survivors=[0, 2])


@BOOK.damaged(fragments_within_one_block, "fragments", "LDB-032", "LDB-033", kind="limit")
def first_then_empty_first_then_full(log: LevelDBLog) -> None:
    """A FULL follows a FIRST with data and an empty FIRST. Only the FIRST with data is lost."""
    log.drop("blocks[0].records[2]")
    log.splice("blocks[0].records[1]", physical(FIRST, b""), "an empty FIRST")
    log.expect("damaged", "incomplete-record", survivors=[1])


@BOOK.damaged(first_that_leaves_a_trailer, "fragments", "LDB-032", "LDB-005")
def first_then_trailer_then_full(log: LevelDBLog) -> None:
    """A FULL follows a FIRST and a trailer. The lost range ends with the data of the FIRST and does
    not include the trailer."""
    log.drop("blocks[1].records[0]")
    log.expect("damaged", "incomplete-record", survivors=[0, 2])


@BOOK.damaged(first_that_leaves_a_trailer, "fragments", "LDB-034", "LDB-005")
def first_then_trailer_then_damage(log: LevelDBLog) -> None:
    """A damaged LAST follows a FIRST and a trailer. Neither of the two lost ranges includes the
    trailer."""
    log.flip("blocks[1].records[0].data", 0)
    log.expect("damaged", "checksum-mismatch", survivors=[0], end=None)


@BOOK.damaged(empty_first_before_middle_and_last, "fragments", "LDB-034", "LDB-040", kind="limit")
def empty_first_then_damage(log: LevelDBLog) -> None:
    """A record of an unknown type follows an empty FIRST. The open record is lost although it has
    no data, and its LAST is an orphan."""
    log.retype("blocks[0].records[2]", 103)
    log.expect("damaged", "unknown-type", survivors=[0, 2])


@BOOK.damaged(empty_first_before_middle_and_last, "fragments", "LDB-034", kind="limit")
def empty_first_and_middle_then_damage(log: LevelDBLog) -> None:
    """A record of an unknown type follows an empty FIRST and a MIDDLE with data. The lost range of
    the open record begins at the FIRST."""
    log.retype("blocks[0].records[3]", 103)
    log.expect("damaged", "unknown-type", survivors=[0, 2])
