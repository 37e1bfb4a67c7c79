"""Fragments out of order: nothing may be joined that was not written as one record."""

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
    """FIRST, MIDDLE and LAST in one block join as well: a reader need not know why they split."""
    log.data += physical(FIRST, b"al") + physical(MIDDLE, b"p") + physical(LAST, b"ha")
    log.payloads.append(b"alpha")
    log.write(b"bravo")
    log.expect("intact", survivors=[0, 1])
    log.note("LevelDB's writer never makes this; its reader and all others accept it.")


@BOOK.damaged(four_short_records, "fragments", "LDB-031")
def middle_without_first(log: LevelDBLog) -> None:
    """A MIDDLE with no record open is an orphan: it is lost, what follows is not."""
    log.retype("blocks[0].records[1]", MIDDLE)
    log.expect("damaged", "orphan-fragment", survivors=[0, 2, 3])
    log.bug('rusty-leveldb returns "bravocharlie"')


@BOOK.damaged(four_short_records, "fragments", "LDB-031", "LDB-036")
def last_without_first(log: LevelDBLog) -> None:
    """A LAST with no record open is an orphan, and must not be returned."""
    log.retype("blocks[0].records[1]", LAST)
    log.expect("damaged", "orphan-fragment", survivors=[0, 2, 3])
    log.bug("rusty-leveldb and dfindexeddb return it")


@BOOK.damaged(four_short_records, "fragments", "LDB-031", "LDB-036")
def middle_and_last_without_first(log: LevelDBLog) -> None:
    """A MIDDLE and a LAST with no record open are two orphans."""
    log.retype("blocks[0].records[1]", MIDDLE)
    log.retype("blocks[0].records[2]", LAST)
    log.expect("damaged", "orphan-fragment", survivors=[0, 3])


@BOOK.damaged(four_short_records, "fragments", "LDB-032", "LDB-036")
def first_then_full(log: LevelDBLog) -> None:
    """A FULL while a record is open: the open one is lost, the FULL one is not."""
    log.retype("blocks[0].records[1]", FIRST)
    log.expect("damaged", "incomplete-record", survivors=[0, 2, 3])
    log.bug('goleveldb, golang/leveldb and Pebble return "bravocharlie"')


@BOOK.damaged(four_short_records, "fragments", "LDB-032", "LDB-036")
def first_then_first(log: LevelDBLog) -> None:
    """A FIRST while a record is open: the open one is lost, the new one is completed."""
    log.retype("blocks[0].records[0]", FIRST)
    log.retype("blocks[0].records[1]", FIRST)
    log.retype("blocks[0].records[2]", LAST)
    log.expect("damaged", "incomplete-record", survivors=[b"bravocharlie", 3])
    log.bug('goleveldb, golang/leveldb and Pebble return "alphabravocharlie"')


@BOOK.damaged(four_short_records, "fragments", "LDB-032", "LDB-036")
def first_middle_then_full(log: LevelDBLog) -> None:
    """FIRST and MIDDLE, then a FULL: both fragments are lost."""
    log.retype("blocks[0].records[0]", FIRST)
    log.retype("blocks[0].records[1]", MIDDLE)
    log.expect("damaged", "incomplete-record", survivors=[2, 3])


@BOOK.damaged(four_short_records, "fragments", "LDB-031")
def last_twice(log: LevelDBLog) -> None:
    """FIRST and LAST, then another LAST: the record survives, the second LAST is an orphan."""
    log.retype("blocks[0].records[0]", FIRST)
    log.retype("blocks[0].records[1]", LAST)
    log.retype("blocks[0].records[2]", LAST)
    log.expect("damaged", "orphan-fragment", survivors=[b"alphabravo", 3])


@BOOK.damaged(seven_bytes_left_and_a_record, "fragments", "LDB-033", kind="limit")
def empty_first_then_full(log: LevelDBLog) -> None:
    """An empty FIRST before a FULL lost nothing: old writers left one at the end of a block."""
    log.retype("blocks[1].records[0]", FULL)
    log.expect("intact", survivors=[0, 1, 2, 3])


@BOOK.damaged(seven_bytes_left_and_a_record, "fragments", "LDB-033", kind="limit")
def empty_first_then_first(log: LevelDBLog) -> None:
    """An empty FIRST before another FIRST lost nothing."""
    log.retype("blocks[1].records[0]", FIRST)
    log.retype("blocks[1].records[1]", LAST)
    log.expect("intact", survivors=[0, 1, b"bravocharlie"])


@BOOK.damaged(fragments_in_three_blocks, "fragments", "LDB-031", "LDB-037")
def first_block_of_a_record_dropped(log: LevelDBLog) -> None:
    """The block with FIRST is missing: MIDDLE and LAST are orphans."""
    log.drop("blocks[0]")
    log.expect("damaged", "orphan-fragment", survivors=[2])


@BOOK.damaged(fragments_in_two_blocks, "fragments", "LDB-032", "LDB-037")
def first_block_twice(log: LevelDBLog) -> None:
    """The first block is there twice: its FIRST is open when the block begins again."""
    log.shows("unit-twice")
    log.duplicate("blocks[0]")
    log.expect("damaged", "incomplete-record", survivors=[0, 0, 1, 2])
    log.note("A duplicated block is not recognised: its records are returned twice.")


@BOOK.damaged(four_records_across_blocks, "fragments", "LDB-036", kind="limit")
def middle_block_dropped_joins_two_records(log: LevelDBLog) -> None:
    """With the block between two long records missing, FIRST of one meets LAST of the other."""
    first = log.field("blocks[0].records[1].data")
    last = log.field("blocks[2].records[0].data")
    joined = bytes(log.data[first.start : first.end] + log.data[last.start : last.end])
    log.drop("blocks[1]")
    log.expect("intact", survivors=[0, joined, 3])
    log.note(
        "The format cannot tell: each fragment has a checksum, but nothing ties a FIRST to its"
        " LAST. This vector records the limit; no reader can do better."
    )


@BOOK.damaged(empty_first_before_middle_and_last, "fragments", "LDB-032", "LDB-033", kind="limit")
def empty_first_and_middle_then_full(log: LevelDBLog) -> None:
    """The data of an open record may stand in its MIDDLE alone: the range begins at the FIRST."""
    log.drop("blocks[0].records[3]")
    log.expect("damaged", "incomplete-record", survivors=[0, 2])


@BOOK.damaged(fragments_within_one_block, "fragments", "LDB-032", "LDB-033", kind="limit")
def first_then_empty_first_then_full(log: LevelDBLog) -> None:
    """A FIRST with data is lost to an empty FIRST, which then loses nothing to a FULL."""
    log.drop("blocks[0].records[2]")
    log.splice("blocks[0].records[1]", physical(FIRST, b""), "an empty FIRST")
    log.expect("damaged", "incomplete-record", survivors=[1])


@BOOK.damaged(first_that_leaves_a_trailer, "fragments", "LDB-032", "LDB-005")
def first_then_trailer_then_full(log: LevelDBLog) -> None:
    """The range of a FIRST without LAST ends with its data: the trailer after it is framing."""
    log.drop("blocks[1].records[0]")
    log.expect("damaged", "incomplete-record", survivors=[0, 2])


@BOOK.damaged(first_that_leaves_a_trailer, "fragments", "LDB-034", "LDB-005")
def first_then_trailer_then_damage(log: LevelDBLog) -> None:
    """The same if damage ends the open record: the trailer lies in neither range."""
    log.flip("blocks[1].records[0].data", 0)
    log.expect("damaged", "checksum-mismatch", survivors=[0], end=None)


@BOOK.damaged(empty_first_before_middle_and_last, "fragments", "LDB-034", "LDB-040", kind="limit")
def empty_first_then_damage(log: LevelDBLog) -> None:
    """Damage loses an open record without data as well: it has a range, and LAST is an orphan."""
    log.retype("blocks[0].records[2]", 103)
    log.expect("damaged", "unknown-type", survivors=[0, 2])


@BOOK.damaged(empty_first_before_middle_and_last, "fragments", "LDB-034", kind="limit")
def empty_first_and_middle_then_damage(log: LevelDBLog) -> None:
    """The range of the open record begins at its FIRST, not at its first fragment with data."""
    log.retype("blocks[0].records[3]", 103)
    log.expect("damaged", "unknown-type", survivors=[0, 2])
