"""New journals that a writer must match byte for byte, appends to journals, and uses of the flushed
index."""

from conformance.recipes.zeebe_journal.layout import GOLDEN, one_segment, three_segments
from conformance.recipes.zeebe_journal.log import (
    APPENDING,
    FOUR,
    INITIAL,
    LIMITS,
    META_GROUP,
    SIX,
    WRITING,
    Entry,
    ZeebeLog,
    application,
)
from reference_impl.zeebe_journal.meta import Meta, write_meta

FOXTROT, GOLF = application(6, "foxtrot"), application(7, "golf")


def _write(log: ZeebeLog, *entries: Entry, size: int = 270, version: str = "2/2") -> None:
    log.journal(*entries, size=size, version=version)
    log.context["max_segment_size"] = size
    if version != "2/2":
        log.context["descriptor"] = version


@WRITING.writing("ZBJ-048", "ZBJ-050")
def write_one_segment(log: ZeebeLog) -> None:
    """A new journal with four records in one segment."""
    _write(log, *FOUR, size=512)


@WRITING.writing("ZBJ-048")
def write_three_records_of_the_real_writer(log: ZeebeLog) -> None:
    """A new journal with three records. The expected bytes come from the writer of Zeebe 8.3."""
    _write(log, (b"aaaa", 1), (b"bbbb", -1), (b"cccc", 5), size=299)
    log.expect_bytes({"journal-1.log": GOLDEN.ljust(299, b"\0")})


@WRITING.writing("ZBJ-048")
def write_nothing(log: ZeebeLog) -> None:
    """A new journal without records has one segment, which contains only a descriptor."""
    _write(log)


@WRITING.writing("ZBJ-049", "ZBJ-013", "ZBJ-014")
def write_three_segments(log: ZeebeLog) -> None:
    """A new journal with six records in three segments. A writer also prepares a fourth segment of
    zeros."""
    _write(log, *SIX)


@WRITING.writing("ZBJ-049", "ZBJ-020", "ZBJ-050")
def write_full_segments(log: ZeebeLog) -> None:
    """A new journal whose first segment is exactly full, so no frame of 0 follows its records."""
    _write(log, *SIX, size=222)


@WRITING.writing("ZBJ-018", "ZBJ-048")
def write_an_empty_record(log: ZeebeLog) -> None:
    """A new journal with two records without a payload."""
    _write(log, (b"", 1), (b"", -1), size=300)


@WRITING.writing("ZBJ-048")
def write_descriptors_of_version_1(log: ZeebeLog) -> None:
    """A new journal with descriptors of version 1, as Zeebe 1.0 wrote them."""
    _write(log, *FOUR, version="1")


@WRITING.writing("ZBJ-048", "ZBJ-013")
def write_descriptors_of_45_bytes(log: ZeebeLog) -> None:
    """A new journal with descriptors of 45 bytes, as Zeebe 1.1 to 8.2 wrote them."""
    _write(log, *FOUR, version="2/1")


@APPENDING.appending(three_segments, "ZBJ-051")
def append_to_three_segments(log: ZeebeLog) -> None:
    """A writer appends two records, which need a new segment."""
    _append(log, FOXTROT, GOLF)
    log.flushed(6)
    log.expect("intact", survivors=[*range(6), FOXTROT[0], GOLF[0]])


@APPENDING.appending(three_segments, "ZBJ-051", control=append_to_three_segments, kind="eof")
def append_behind_a_torn_record(log: ZeebeLog) -> None:
    """The last record is torn and was not flushed. A writer replaces this record with the appended
    records."""
    log.shows("going-on-after-a-torn-record")
    log.truncate(240, "journal-3.log")
    _append(log, FOXTROT, GOLF)
    log.flushed(5)
    log.expect("intact", survivors=[*range(5), FOXTROT[0], GOLF[0]])


@APPENDING.appending(three_segments, "ZBJ-051", control=append_to_three_segments, kind="corrupt")
def append_behind_a_bad_checksum(log: ZeebeLog) -> None:
    """The last record is corrupt and was not flushed. A writer replaces this record with the
    appended records."""
    log.flip("journal-3.log:records[1].metadata.checksum", 0)
    _append(log, FOXTROT, GOLF)
    log.flushed(5)
    log.expect("intact", survivors=[*range(5), FOXTROT[0], GOLF[0]])


@APPENDING.appending(three_segments, "ZBJ-051", control=append_to_three_segments, kind="corrupt")
def append_behind_lost_records(log: ZeebeLog) -> None:
    """The last record is corrupt and was flushed. A writer must refuse to append."""
    log.flip("journal-3.log:records[1].metadata.checksum", 0)
    _append(log, FOXTROT)
    log.flushed(6)
    log.expect_refusal("damaged", "checksum-mismatch", survivors=range(5))


@APPENDING.appending(three_segments, "ZBJ-053", "ZBJ-024")
def append_without_an_asqn(log: ZeebeLog) -> None:
    """A writer appends a record without an asqn between two records with increasing asqns."""
    _append(log, FOXTROT, (INITIAL[0], -1), GOLF)
    log.flushed(6)
    log.expect("intact", survivors=[*range(6), FOXTROT[0], INITIAL[0], GOLF[0]])


def _append(log: ZeebeLog, *entries: Entry) -> None:
    for payload, asqn in entries:
        log.append(payload, asqn=str(asqn))
    log.context["max_segment_size"] = 270


@META_GROUP.valid("ZBJ-059", "ZBJ-035")
def flushed_index_from_the_meta_file(log: ZeebeLog) -> None:
    """A reader takes the flushed index from the `.meta` file in the folder."""
    log.journal(*SIX)
    log.files["journal.meta"] = bytearray(write_meta(Meta(1, 6, 6, b"0"), version=2))
    log.flushed("meta")
    log.expect("intact", survivors=range(6), end=254)


@META_GROUP.valid("ZBJ-059")
def meta_file_of_version_1(log: ZeebeLog) -> None:
    """A `.meta` file of raft schema version 1 has no commit index."""
    log.journal(*FOUR)
    log.files["journal.meta"] = bytearray(write_meta(Meta(1, 4, None, b"0"), version=1))
    log.flushed("meta")
    log.expect("intact", survivors=range(4))


@META_GROUP.damaged(flushed_index_from_the_meta_file, "ZBJ-059", "ZBJ-041")
def meta_file_that_promises_more(log: ZeebeLog) -> None:
    """The last record is corrupt, and the flushed index in the `.meta` file is 6. The record was
    acknowledged."""
    log.flip("journal-3.log:records[1].metadata.checksum", 0)
    log.expect("damaged", "checksum-mismatch", survivors=range(5), end=None)


@META_GROUP.damaged(flushed_index_from_the_meta_file, "ZBJ-059", kind="corrupt")
def meta_file_with_null(log: ZeebeLog) -> None:
    """The last record is corrupt, and the flushed index in the `.meta` file is null. The record is
    an unfinished write."""
    log.files["journal.meta"] = bytearray(write_meta(Meta(1, None, None, b"0"), version=2))
    log.flip("journal-3.log:records[1].metadata.checksum", 0)
    log.expect("torn", "checksum-mismatch", survivors=range(5), end=156)


@META_GROUP.damaged(flushed_index_from_the_meta_file, "ZBJ-059", kind="eof")
def meta_file_never_written(log: ZeebeLog) -> None:
    """A new `.meta` file consists of 32 zeros, so no flushed index is known."""
    log.files["journal.meta"] = bytearray(32)
    log.expect("intact", survivors=range(6), end=254)


LIMITS.table("""
flushed_less_than_there_is: one_segment ZBJ-035 limit
    The flushed index is lower than the last index. A reader returns all records.
    flushed: 2
    expect: intact, survivors 0-3, end 422
flushed_more_than_there_is: one_segment ZBJ-041 limit
    The flushed index is higher than the last index. Records are missing.
    shows: index-survives-data
    flushed: 5
    expect: damaged missing-records, survivors 0-3, end none
""")


@LIMITS.damaged(one_segment, "ZBJ-035", "ZBJ-041", kind="limit")
def flushed_up_to_the_largest_number(log: ZeebeLog) -> None:
    """The flushed index is 2^63 - 1, given as text. Records are missing."""
    log.flushed("9223372036854775807")
    log.expect("damaged", "missing-records", survivors=range(4), end=None)


@LIMITS.damaged(one_segment, "ZBJ-035", "ZBJ-041", kind="limit")
def flushed_beyond_every_index(log: ZeebeLog) -> None:
    """The flushed index is 2^64 - 1, given as text. A flushed index has no upper bound, so a reader
    must not read this number as negative."""
    log.flushed(str(2**64 - 1))
    log.expect("damaged", "missing-records", survivors=range(4), end=None)


@LIMITS.damaged(one_segment, "ZBJ-047", kind="limit")
def log_that_readers_must_not_touch(log: ZeebeLog) -> None:
    """The third record is corrupt, and the file is cut. A reader must not write to the log or
    repair it."""
    log.flip("records[2].metadata.checksum", 0)
    log.truncate(400)
    log.flushed(2)
    log.stops("checksum-mismatch", [0, 1], end=222)


@LIMITS.valid("ZBJ-046", kind="limit")
def two_thousand_records(log: ZeebeLog) -> None:
    """A log of 2000 records. All records except the first have an empty payload."""
    log.segment(INITIAL, *((b"", n) for n in range(1, 2000)), size=100_000)
    log.expect("intact", survivors=range(2000))


@LIMITS.damaged(one_segment, "ZBJ-045")
def strict_reading_stops_at_an_asqn(log: ZeebeLog) -> None:
    """The asqn of the third record is not above the asqn before it. A strict reader stops there,
    but a recovering reader continues."""
    log.zero("records[1].data.asqn")
    log.reseal("records[1]")
    log.set("records[2].data.asqn", 0)
    log.reseal("records[2]")
    log.expect("damaged", "asqn-order", survivors=range(4), end=422)
