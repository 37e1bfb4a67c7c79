"""Recover a log, append to it and read it again. No acknowledged record may be lost."""

from conformance.recipes.leveldb_log.dialects import rocksdb_recyclable
from conformance.recipes.leveldb_log.layout import (
    fragments_in_two_blocks,
    log_ends_before_its_trailer,
    log_ends_in_a_trailer_of_other_bytes,
    one_record,
    three_records,
    two_blocks,
)
from conformance.recipes.leveldb_log.log import (
    APPENDING,
    FIRST,
    FULL,
    LevelDBLog,
    numbered,
    physical,
)

REUSE = "google/leveldb issues 1287 and 1336: reuse_logs appends after the torn tail"
ALL: list[int | bytes] = [0, 1, 2, b"delta", b"echo"]


@APPENDING.appending(three_records, "LDB-015")
def append_to_three_records(log: LevelDBLog) -> None:
    """A writer appends two records to an intact log of three records."""
    log.append(b"delta", b"echo")
    log.expect("intact", survivors=ALL)


@APPENDING.appending(log_ends_before_its_trailer, "LDB-015", "LDB-014")
def append_where_a_trailer_is_due(log: LevelDBLog) -> None:
    """A writer appends to a log that ends three bytes before the end of its block. The writer adds
    the trailer first."""
    log.append(b"delta", b"echo")
    log.expect("intact", survivors=[0, 1, b"delta", b"echo"])


@APPENDING.appending(two_blocks, "LDB-015")
def append_in_the_second_block(log: LevelDBLog) -> None:
    """A writer appends in the second block. The offset within the block is the size of the log
    modulo 32768."""
    log.append(b"d" * 33000, b"echo")
    log.expect("intact", survivors=[0, 1, 2, 3, b"d" * 33000, b"echo"])


@APPENDING.appending(
    three_records, "LDB-016", control=append_to_three_records, kind="eof", may_refuse=True
)
def append_behind_a_torn_payload(log: LevelDBLog) -> None:
    """A writer appends to a log whose last record lacks its last byte. The new records must be
    readable."""
    log.shows("going-on-after-a-torn-record")
    log.truncate(37)
    log.append(b"delta", b"echo")
    log.expect("intact", survivors=[0, 1, b"delta", b"echo"])
    log.bug(REUSE)


@APPENDING.appending(
    three_records, "LDB-016", control=append_to_three_records, kind="eof", may_refuse=True
)
def append_behind_a_torn_header(log: LevelDBLog) -> None:
    """A writer appends to a log that ends three bytes into a header. The new records must be
    readable."""
    log.truncate_in("blocks[0].records[2].header", 3)
    log.append(b"delta", b"echo")
    log.expect("intact", survivors=[0, 1, b"delta", b"echo"])
    log.bug(REUSE)


@APPENDING.appending(
    three_records, "LDB-016", control=append_to_three_records, kind="eof", may_refuse=True
)
def append_behind_a_torn_payload_that_holds_a_record(log: LevelDBLog) -> None:
    """A writer appends to a log with a torn record. A record inside the torn payload begins where
    the new records end, and must not be returned."""
    log.truncate(24)
    payload = numbered(16) + physical(FULL, b"ghost") + numbered(200)
    log.extend(
        physical(FULL, payload)[:-1],
    )
    log.append(b"delta", b"echo")
    log.expect("intact", survivors=[0, 1, b"delta", b"echo"], end=47)
    log.leaves({"": 47})


@APPENDING.appending(fragments_in_two_blocks, "LDB-015")
def append_to_fragments(log: LevelDBLog) -> None:
    """A writer appends two records to an intact log that contains a fragmented record."""
    log.append(b"delta", b"echo")
    log.expect("intact", survivors=ALL)


@APPENDING.appending(
    fragments_in_two_blocks, "LDB-016", control=append_to_fragments, kind="eof", may_refuse=True
)
def append_behind_an_unfinished_record(log: LevelDBLog) -> None:
    """A writer appends to a log that ends with a FIRST without a LAST. The FIRST must not be joined
    with the new records."""
    log.truncate(32768)
    log.append(b"delta", b"echo")
    log.expect("intact", survivors=[0, b"delta", b"echo"])
    log.note(
        "If the FIRST remains, a reader that joins a FIRST with the next FULL also loses the first"
        " new record."
    )


@APPENDING.appending(
    three_records, "LDB-017", control=append_to_three_records, kind="eof", may_refuse=True
)
def append_behind_preallocated_zeros(log: LevelDBLog) -> None:
    """A writer appends to a log that ends with preallocated zeros. New records after the zeros in
    the same block would never be read."""
    log.extend(bytes(100))
    log.append(b"delta", b"echo")
    log.expect("intact", survivors=ALL)


@APPENDING.appending(three_records, "LDB-018", control=append_to_three_records, kind="corrupt")
def append_behind_damage(log: LevelDBLog) -> None:
    """A writer refuses to append to a log with damage in the last block, because readers would not
    reach the new records."""
    log.flip("blocks[0].records[1].data", 0)
    log.append(b"delta", b"echo")
    log.expect_refusal("damaged", "checksum-mismatch", survivors=[0])


@APPENDING.appending(three_records, "LDB-016", control=append_to_three_records, kind="eof")
def append_nothing_behind_a_torn_payload(log: LevelDBLog) -> None:
    """A writer appends no records to a log with a torn record. The torn record remains."""
    log.truncate(37)
    log.expect("torn", "torn-payload", survivors=[0, 1], end=24)


@APPENDING.appending(three_records, "LDB-017", control=append_to_three_records, kind="eof")
def append_nothing_behind_preallocated_zeros(log: LevelDBLog) -> None:
    """A writer appends no records to a log that ends with preallocated zeros. The zeros remain."""
    log.extend(bytes(100))
    log.expect("intact", survivors=[0, 1, 2], end=38)


@APPENDING.appending(log_ends_in_a_trailer_of_other_bytes, "LDB-015", "LDB-014")
def append_in_a_trailer_of_other_bytes(log: LevelDBLog) -> None:
    """A writer appends to a log that ends after two non-zero bytes of a trailer. The two bytes
    stay, and two zeros complete the trailer."""
    log.append(b"delta", b"echo")
    log.expect("intact", survivors=[0, 1, b"delta", b"echo"], end=32768 + 23)
    log.leaves_bytes("", 32764, b"\xaa\xbb\x00\x00")


@APPENDING.appending(one_record, "LDB-011", "LDB-016", kind="limit")
def append_an_empty_record(log: LevelDBLog) -> None:
    """A writer appends an empty record, which must then be returned."""
    log.append(b"")
    log.expect("intact", survivors=[0, b""], end=19)


@APPENDING.appending(
    fragments_in_two_blocks,
    "LDB-015",
    "LDB-016",
    control=append_to_fragments,
    kind="eof",
    may_refuse=True,
)
def append_fragments_behind_a_torn_fragment(log: LevelDBLog) -> None:
    """A writer appends a long record to a log that ends inside a LAST. The new record begins at
    `end` and consists of fragments in two blocks."""
    log.truncate_in("blocks[1].records[0].data", 100)
    log.append(b"d" * 40000)
    log.expect("intact", survivors=[0, b"d" * 40000])


@APPENDING.appending(
    three_records, "LDB-018", "LDB-029", control=append_to_three_records, kind="corrupt"
)
def append_behind_a_record_of_an_unknown_type(log: LevelDBLog) -> None:
    """A writer appends to a log with a record of an unknown type. `end` is the size of the log, so
    the writer appends there."""
    log.retype("blocks[0].records[1]", 103)
    log.append(b"delta", b"echo")
    log.expect("damaged", "unknown-type", survivors=[0, 2, b"delta", b"echo"])


@APPENDING.appending(
    three_records,
    "LDB-016",
    "LDB-018",
    control=append_to_three_records,
    kind="corrupt",
    may_refuse=True,
)
def append_behind_damage_and_a_torn_payload(log: LevelDBLog) -> None:
    """A writer appends to a log with a record of an unknown type and then a torn record. The writer
    cuts off only the torn record."""
    log.retype("blocks[0].records[1]", 103)
    log.truncate_in("blocks[0].records[2].data", 2)
    log.append(b"delta", b"echo")
    log.expect("damaged", "unknown-type", survivors=[0, b"delta", b"echo"])


@APPENDING.appending(three_records, "LDB-016", control=append_to_three_records, kind="corrupt")
def append_nothing_behind_damage_and_a_torn_payload(log: LevelDBLog) -> None:
    """A writer appends no records to a log with a record of an unknown type and then a torn record.
    The torn record remains."""
    log.retype("blocks[0].records[1]", 103)
    log.truncate_in("blocks[0].records[2].data", 2)
    log.expect("damaged", "unknown-type", survivors=[0], end=24)


@APPENDING.appending(three_records, "LDB-018", control=append_to_three_records, kind="corrupt")
def append_nothing_behind_damage(log: LevelDBLog) -> None:
    """A writer refuses to append to a log with damage in the last block, even if there are no
    records to append."""
    log.flip("blocks[0].records[1].data", 0)
    log.expect_refusal("damaged", "checksum-mismatch", survivors=[0])


@APPENDING.appending(rocksdb_recyclable, "LDB-018", "LDB-043", kind="limit")
def append_to_another_dialect(log: LevelDBLog) -> None:
    """A writer refuses to append to a log of another dialect."""
    log.append(b"delta", b"echo")
    log.expect_refusal("refused", "foreign-dialect")


@APPENDING.appending(rocksdb_recyclable, "LDB-018", "LDB-043", kind="limit")
def append_nothing_to_another_dialect(log: LevelDBLog) -> None:
    """A writer refuses to append to a log of another dialect, even if there are no records to
    append."""
    log.expect_refusal("refused", "foreign-dialect")


@APPENDING.appending(three_records, "LDB-018", "LDB-033", control=append_to_three_records)
def append_behind_an_empty_first_and_a_torn_record(log: LevelDBLog) -> None:
    """A torn record follows an empty FIRST. A writer appends at the torn record, although the log
    without this record would be torn at the empty FIRST."""
    log.extend(physical(FIRST, b"") + physical(FIRST, b"x"))
    log.append(b"delta")
    log.expect("intact", survivors=[0, 1, 2, b"delta"], end=57)


@APPENDING.appending(three_records, "LDB-018", "LDB-027", control=append_to_three_records)
def append_behind_a_gap_and_a_torn_header(log: LevelDBLog) -> None:
    """A torn header follows a gap of zeros. A writer appends at the torn header, although the log
    without this header would end in zeros."""
    log.extend(bytes(32768 - 38) + b"\1")
    log.append(b"delta")
    log.expect("damaged", "zero-gap", survivors=[0, 1, 2, b"delta"], end=32780)
