"""Recover, append, read again: nothing acknowledged may be lost."""

from conformance.recipes.leveldb_log.dialects import rocksdb_recyclable
from conformance.recipes.leveldb_log.layout import (
    fragments_in_two_blocks,
    log_ends_before_its_trailer,
    log_ends_in_a_trailer_of_other_bytes,
    one_record,
    three_records,
    two_blocks,
)
from conformance.recipes.leveldb_log.log import BOOK, FULL, LevelDBLog, numbered, physical

REUSE = "google/leveldb issues 1287 and 1336: reuse_logs appends after the torn tail"
ALL: list[int | bytes] = [0, 1, 2, b"delta", b"echo"]


@BOOK.appending(three_records, "appending", "LDB-015")
def append_to_three_records(log: LevelDBLog) -> None:
    """Two records appended to an undamaged log."""
    log.append(b"delta", b"echo")
    log.expect("intact", survivors=ALL)


@BOOK.appending(log_ends_before_its_trailer, "appending", "LDB-015", "LDB-014")
def append_where_a_trailer_is_due(log: LevelDBLog) -> None:
    """Three bytes are left in the block: the appender writes the trailer first."""
    log.append(b"delta", b"echo")
    log.expect("intact", survivors=[0, 1, b"delta", b"echo"])


@BOOK.appending(two_blocks, "appending", "LDB-015")
def append_in_the_second_block(log: LevelDBLog) -> None:
    """The place in the block is the length of the log modulo 32768."""
    log.append(b"d" * 33000, b"echo")
    log.expect("intact", survivors=[0, 1, 2, 3, b"d" * 33000, b"echo"])


@BOOK.appending(
    three_records,
    "appending",
    "LDB-016",
    control=append_to_three_records,
    kind="eof",
    may_refuse=True,
)
def append_behind_a_torn_payload(log: LevelDBLog) -> None:
    """One byte of the last record is missing: it must not swallow what is appended."""
    log.shows("going-on-after-a-torn-record")
    log.truncate(37)
    log.append(b"delta", b"echo")
    log.expect("intact", survivors=[0, 1, b"delta", b"echo"])
    log.bug(REUSE)


@BOOK.appending(
    three_records,
    "appending",
    "LDB-016",
    control=append_to_three_records,
    kind="eof",
    may_refuse=True,
)
def append_behind_a_torn_header(log: LevelDBLog) -> None:
    """Three bytes of a header stand at the end: they must not swallow what is appended."""
    log.truncate_in("blocks[0].records[2].header", 3)
    log.append(b"delta", b"echo")
    log.expect("intact", survivors=[0, 1, b"delta", b"echo"])
    log.bug(REUSE)


@BOOK.appending(
    three_records,
    "appending",
    "LDB-016",
    control=append_to_three_records,
    kind="eof",
    may_refuse=True,
)
def append_behind_a_torn_payload_that_holds_a_record(log: LevelDBLog) -> None:
    """A torn payload holds a record just where the new ones end: it must not come to life."""
    log.truncate(24)
    payload = numbered(16) + physical(FULL, b"ghost") + numbered(200)
    log.extend(physical(FULL, payload)[:-1], "a record that holds another, but its last byte")
    log.append(b"delta", b"echo")
    log.expect("intact", survivors=[0, 1, b"delta", b"echo"], end=47)
    log.leaves({"": 47})


@BOOK.appending(fragments_in_two_blocks, "appending", "LDB-015")
def append_to_fragments(log: LevelDBLog) -> None:
    """Two records appended to a log with a record in fragments."""
    log.append(b"delta", b"echo")
    log.expect("intact", survivors=ALL)


@BOOK.appending(
    fragments_in_two_blocks,
    "appending",
    "LDB-016",
    control=append_to_fragments,
    kind="eof",
    may_refuse=True,
)
def append_behind_an_unfinished_record(log: LevelDBLog) -> None:
    """FIRST without LAST at the end: what is appended must not be joined to it."""
    log.truncate(32768)
    log.append(b"delta", b"echo")
    log.expect("intact", survivors=[0, b"delta", b"echo"])
    log.note("Readers that join FIRST with FULL lose the appended record too.")


@BOOK.appending(
    three_records,
    "appending",
    "LDB-017",
    control=append_to_three_records,
    kind="eof",
    may_refuse=True,
)
def append_behind_preallocated_zeros(log: LevelDBLog) -> None:
    """Zeros at the end: a record after them in the same block would never be read."""
    log.extend(bytes(100), "100 zero bytes")
    log.append(b"delta", b"echo")
    log.expect("intact", survivors=ALL)


@BOOK.appending(
    three_records,
    "appending",
    "LDB-018",
    control=append_to_three_records,
    kind="corrupt",
)
def append_behind_damage(log: LevelDBLog) -> None:
    """A damaged last block: a record appended in it would never be read, so refuse."""
    log.flip("blocks[0].records[1].data", 0)
    log.append(b"delta", b"echo")
    log.expect_refusal("damaged", "checksum-mismatch", survivors=[0])


@BOOK.appending(three_records, "appending", "LDB-016", control=append_to_three_records, kind="eof")
def append_nothing_behind_a_torn_payload(log: LevelDBLog) -> None:
    """No records after a torn tail: there is nothing to write, so nothing is cut off."""
    log.truncate(37)
    log.expect("torn", "torn-payload", survivors=[0, 1], end=24)


@BOOK.appending(three_records, "appending", "LDB-017", control=append_to_three_records, kind="eof")
def append_nothing_behind_preallocated_zeros(log: LevelDBLog) -> None:
    """No records after zeros: there is nothing to write, and the zeros stay."""
    log.extend(bytes(100), "100 zero bytes")
    log.expect("intact", survivors=[0, 1, 2], end=38)


@BOOK.appending(log_ends_in_a_trailer_of_other_bytes, "appending", "LDB-015", "LDB-014")
def append_in_a_trailer_of_other_bytes(log: LevelDBLog) -> None:
    """Two bytes of the trailer are there already: they stay, and zeros fill the other two."""
    log.append(b"delta", b"echo")
    log.expect("intact", survivors=[0, 1, b"delta", b"echo"], end=32768 + 23)
    log.leaves_bytes("", 32764, b"\xaa\xbb\x00\x00")


@BOOK.appending(one_record, "appending", "LDB-011", "LDB-016", kind="limit")
def append_an_empty_record(log: LevelDBLog) -> None:
    """An empty record is a record: to append one is not to append none."""
    log.append(b"")
    log.expect("intact", survivors=[0, b""], end=19)


@BOOK.appending(
    fragments_in_two_blocks,
    "appending",
    "LDB-015",
    "LDB-016",
    control=append_to_fragments,
    kind="eof",
    may_refuse=True,
)
def append_fragments_behind_a_torn_fragment(log: LevelDBLog) -> None:
    """A record is cut off in its second block: the new one is fragmented from `end` on."""
    log.truncate_in("blocks[1].records[0].data", 100)
    log.append(b"d" * 40000)
    log.expect("intact", survivors=[0, b"d" * 40000])


@BOOK.appending(
    three_records,
    "appending",
    "LDB-018",
    "LDB-029",
    control=append_to_three_records,
    kind="corrupt",
)
def append_behind_a_record_of_an_unknown_type(log: LevelDBLog) -> None:
    """Damage that left the reader in step: `end` is a number, so a writer goes on there."""
    log.retype("blocks[0].records[1]", 103)
    log.append(b"delta", b"echo")
    log.expect("damaged", "unknown-type", survivors=[0, 2, b"delta", b"echo"])


@BOOK.appending(
    three_records,
    "appending",
    "LDB-016",
    "LDB-018",
    control=append_to_three_records,
    kind="corrupt",
    may_refuse=True,
)
def append_behind_damage_and_a_torn_payload(log: LevelDBLog) -> None:
    """Damage in step, then a torn record: a writer cuts it off and goes on, as without damage."""
    log.retype("blocks[0].records[1]", 103)
    log.truncate_in("blocks[0].records[2].data", 2)
    log.append(b"delta", b"echo")
    log.expect("damaged", "unknown-type", survivors=[0, b"delta", b"echo"])


@BOOK.appending(
    three_records, "appending", "LDB-016", control=append_to_three_records, kind="corrupt"
)
def append_nothing_behind_damage_and_a_torn_payload(log: LevelDBLog) -> None:
    """No records after damage in step and a torn record: nothing is cut off here either."""
    log.retype("blocks[0].records[1]", 103)
    log.truncate_in("blocks[0].records[2].data", 2)
    log.expect("damaged", "unknown-type", survivors=[0], end=24)


@BOOK.appending(
    three_records, "appending", "LDB-018", control=append_to_three_records, kind="corrupt"
)
def append_nothing_behind_damage(log: LevelDBLog) -> None:
    """A damaged last block: an append of no records is refused like any other."""
    log.flip("blocks[0].records[1].data", 0)
    log.expect_refusal("damaged", "checksum-mismatch", survivors=[0])


@BOOK.appending(rocksdb_recyclable, "appending", "LDB-018", "LDB-043", kind="limit")
def append_to_another_dialect(log: LevelDBLog) -> None:
    """A log of another dialect is refused by a writer, too."""
    log.append(b"delta", b"echo")
    log.expect_refusal("refused", "foreign-dialect")


@BOOK.appending(rocksdb_recyclable, "appending", "LDB-018", "LDB-043", kind="limit")
def append_nothing_to_another_dialect(log: LevelDBLog) -> None:
    """A log of another dialect is refused also if there is nothing to append."""
    log.expect_refusal("refused", "foreign-dialect")
