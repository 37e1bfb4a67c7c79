"""Writer vectors: the format determines every byte. And the meta file, and appending."""

from conformance.recipes.zeebe_journal.layout import GOLDEN, one_segment, three_segments
from conformance.recipes.zeebe_journal.log import (
    BOOK,
    FOUR,
    INITIAL,
    SIX,
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


@BOOK.writing("writing", "ZBJ-048", "ZBJ-050")
def write_one_segment(log: ZeebeLog) -> None:
    """Four records in one segment."""
    _write(log, *FOUR, size=512)


@BOOK.writing("writing", "ZBJ-048")
def write_three_records_of_the_real_writer(log: ZeebeLog) -> None:
    """The three records whose bytes were taken from the real writer."""
    _write(log, (b"aaaa", 1), (b"bbbb", -1), (b"cccc", 5), size=299)
    log.expect_bytes({"journal-1.log": GOLDEN.ljust(299, b"\0")})


@BOOK.writing("writing", "ZBJ-048")
def write_nothing(log: ZeebeLog) -> None:
    """No records: one segment with a descriptor."""
    _write(log)


@BOOK.writing("writing", "ZBJ-049", "ZBJ-013", "ZBJ-014")
def write_three_segments(log: ZeebeLog) -> None:
    """Six records roll over twice; a segment of zeros is prepared after the last one."""
    _write(log, *SIX)


@BOOK.writing("writing", "ZBJ-049", "ZBJ-021", "ZBJ-050")
def write_full_segments(log: ZeebeLog) -> None:
    """Records that fill their segments exactly: no EOF frame."""
    _write(log, *SIX, size=222)


@BOOK.writing("writing", "ZBJ-019", "ZBJ-048")
def write_an_empty_record(log: ZeebeLog) -> None:
    """A record without a payload."""
    _write(log, (b"", 1), (b"", -1), size=300)


@BOOK.writing("writing", "ZBJ-048")
def write_descriptors_of_version_1(log: ZeebeLog) -> None:
    """The segments of Zeebe 1.0."""
    _write(log, *FOUR, version="1")


@BOOK.writing("writing", "ZBJ-048", "ZBJ-013")
def write_descriptors_of_45_bytes(log: ZeebeLog) -> None:
    """The segments of Zeebe 1.1 to 8.2."""
    _write(log, *FOUR, version="2/1")


@BOOK.appending(three_segments, "appending", "ZBJ-051")
def append_to_three_segments(log: ZeebeLog) -> None:
    """A record that needs a new segment."""
    _append(log, FOXTROT, GOLF)
    log.flushed(6)
    log.expect("intact", survivors=[*range(6), FOXTROT[0], GOLF[0]])


@BOOK.appending(
    three_segments, "appending", "ZBJ-051", control=append_to_three_segments, kind="eof"
)
def append_behind_a_torn_record(log: ZeebeLog) -> None:
    """The last record is cut and was not flushed: what is appended takes its place."""
    log.shows("going-on-after-a-torn-record")
    log.truncate(240, "journal-3.log")
    _append(log, FOXTROT, GOLF)
    log.flushed(5)
    log.expect("intact", survivors=[*range(5), FOXTROT[0], GOLF[0]])


@BOOK.appending(
    three_segments, "appending", "ZBJ-051", control=append_to_three_segments, kind="corrupt"
)
def append_behind_a_bad_checksum(log: ZeebeLog) -> None:
    """The last record is bad and was not flushed: what is appended takes its place."""
    log.flip("journal-3.log:records[1].metadata.checksum", 0)
    _append(log, FOXTROT, GOLF)
    log.flushed(5)
    log.expect("intact", survivors=[*range(5), FOXTROT[0], GOLF[0]])


@BOOK.appending(
    three_segments,
    "appending",
    "ZBJ-052",
    control=append_to_three_segments,
    kind="corrupt",
)
def append_behind_lost_records(log: ZeebeLog) -> None:
    """The last record was flushed and is bad: a writer refuses."""
    log.flip("journal-3.log:records[1].metadata.checksum", 0)
    _append(log, FOXTROT)
    log.flushed(6)
    log.expect_refusal("damaged", "checksum-mismatch", survivors=range(5))


@BOOK.appending(three_segments, "appending", "ZBJ-053", "ZBJ-024")
def append_without_an_asqn(log: ZeebeLog) -> None:
    """A record without an asqn between two that have one: the others must still be in order."""
    _append(log, FOXTROT, (INITIAL[0], -1), GOLF)
    log.flushed(6)
    log.expect("intact", survivors=[*range(6), FOXTROT[0], INITIAL[0], GOLF[0]])


def _append(log: ZeebeLog, *entries: Entry) -> None:
    for payload, asqn in entries:
        log.append(payload, asqn=str(asqn))
    log.context["max_segment_size"] = 270


@BOOK.valid("meta", "ZBJ-059", "ZBJ-035")
def flushed_index_from_the_meta_file(log: ZeebeLog) -> None:
    """The flushed index comes from the meta file beside the segments."""
    log.journal(*SIX)
    log.files["journal.meta"] = bytearray(write_meta(Meta(1, 6, 6, b"0"), version=2))
    log.flushed("meta")
    log.expect("intact", survivors=range(6), end=254)


@BOOK.valid("meta", "ZBJ-059")
def meta_file_of_version_1(log: ZeebeLog) -> None:
    """A meta file of raft schema version 1 has no commit index."""
    log.journal(*FOUR)
    log.files["journal.meta"] = bytearray(write_meta(Meta(1, 4, None, b"0"), version=1))
    log.flushed("meta")
    log.expect("intact", survivors=range(4))


@BOOK.damaged(flushed_index_from_the_meta_file, "meta", "ZBJ-059", "ZBJ-041")
def meta_file_that_promises_more(log: ZeebeLog) -> None:
    """The meta file says 6, and the last record is bad: it was acknowledged."""
    log.flip("journal-3.log:records[1].metadata.checksum", 0)
    log.expect("damaged", "checksum-mismatch", survivors=range(5), end=None)


@BOOK.damaged(flushed_index_from_the_meta_file, "meta", "ZBJ-059")
def meta_file_with_null(log: ZeebeLog) -> None:
    """The meta file says null: a bad last record is an unfinished write."""
    log.files["journal.meta"] = bytearray(write_meta(Meta(1, None, None, b"0"), version=2))
    log.did("set last_flushed_index of journal.meta to null")
    log.flip("journal-3.log:records[1].metadata.checksum", 0)
    log.expect("torn", "checksum-mismatch", survivors=range(5), end=156)


@BOOK.damaged(flushed_index_from_the_meta_file, "meta", "ZBJ-059", kind="eof")
def meta_file_never_written(log: ZeebeLog) -> None:
    """A meta file of 32 zeros, as it is created, promises nothing."""
    log.files["journal.meta"] = bytearray(32)
    log.did("journal.meta is 32 zeros")
    log.expect("intact", survivors=range(6), end=254)


@BOOK.damaged(one_segment, "limits", "ZBJ-035", kind="limit")
def flushed_less_than_there_is(log: ZeebeLog) -> None:
    """The flushed index is lower than the last index: all records are kept."""
    log.flushed(2)
    log.expect("intact", survivors=range(4), end=422)


@BOOK.damaged(one_segment, "limits", "ZBJ-041", kind="limit")
def flushed_more_than_there_is(log: ZeebeLog) -> None:
    """The flushed index is higher than the last index: records are missing."""
    log.shows("index-survives-data")
    log.flushed(5)
    log.expect("damaged", "missing-records", survivors=range(4), end=None)


@BOOK.damaged(one_segment, "limits", "ZBJ-035", "ZBJ-041", kind="limit")
def flushed_up_to_the_largest_number(log: ZeebeLog) -> None:
    """A flushed index of 2^63 - 1, given as text."""
    log.flushed("9223372036854775807")
    log.expect("damaged", "missing-records", survivors=range(4), end=None)


@BOOK.damaged(one_segment, "limits", "ZBJ-035", "ZBJ-041", kind="limit")
def flushed_beyond_every_index(log: ZeebeLog) -> None:
    """A flushed index of 2^64 - 1, given as text: it has no upper bound, and is not negative."""
    log.flushed(str(2**64 - 1))
    log.expect("damaged", "missing-records", survivors=range(4), end=None)


@BOOK.damaged(one_segment, "limits", "ZBJ-047", kind="limit")
def log_that_readers_must_not_touch(log: ZeebeLog) -> None:
    """A cut segment with a bad record: tempting to repair, but a reader never writes."""
    log.flip("records[2].metadata.checksum", 0)
    log.truncate(400)
    log.flushed(2)
    log.stops("checksum-mismatch", [0, 1], end=222)


@BOOK.valid("limits", "ZBJ-046", kind="limit")
def two_thousand_records(log: ZeebeLog) -> None:
    """Two thousand records without a payload."""
    log.segment(INITIAL, *((b"", n) for n in range(1, 2000)), size=100_000)
    log.expect("intact", survivors=range(2000))


@BOOK.damaged(one_segment, "limits", "ZBJ-045")
def strict_reading_stops_at_an_asqn(log: ZeebeLog) -> None:
    """A record that is lost alone: strict reading stops there, recovery goes on."""
    log.zero("records[1].data.asqn")
    log.reseal("records[1]")
    log.set("records[2].data.asqn", 0)
    log.reseal("records[2]")
    log.expect("damaged", "asqn-order", survivors=[0, 1, 3], end=422)
