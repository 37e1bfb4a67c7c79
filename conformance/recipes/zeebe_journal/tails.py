"""Unfinished writes, cut files, and bytes after the end of the log."""

from conformance.recipes.zeebe_journal.layout import (
    exactly_full_segment,
    one_segment,
    three_segments,
)
from conformance.recipes.zeebe_journal.log import DELTA, TAIL, ZeebeLog, flushed_below_and_at
from conformance.recipes.zeebe_journal.raft import application_entry_missing
from reference_impl.zeebe_journal.writer import pack_record


@flushed_below_and_at(one_segment, TAIL, "ZBJ-025", below=3, at=4, kind="eof")
def cut_in_the_payload(log: ZeebeLog) -> None:
    """The file ends inside the payload of the last record."""
    log.shows("torn-last-record")
    log.truncate(400)
    log.stops("torn-record", [0, 1, 2], end=321)
    log.note("Zeebe extends the file with zeros to its full size before it reads the record.")


@flushed_below_and_at(one_segment, TAIL, "ZBJ-025", below=3, at=4, kind="eof")
def cut_in_the_metadata(log: ZeebeLog) -> None:
    """The file ends inside the metadata of the last record."""
    log.truncate(330)
    log.stops("torn-record", [0, 1, 2], end=321)


@flushed_below_and_at(
    application_entry_missing, TAIL, "ZBJ-012", "ZBJ-025", below=0, at=1, kind="eof"
)
def cut_in_the_zeros_of_a_payload(log: ZeebeLog) -> None:
    """The file ends in the zeros at the end of a payload. Zeebe returns the record, because it
    extends the file with zeros."""
    log.truncate(115)
    log.stops("torn-record", [], end=57)


@TAIL.damaged(one_segment, "ZBJ-025")
def cut_behind_a_frame(log: ZeebeLog) -> None:
    """The file ends after the frame of the last record."""
    log.truncate(322)
    log.stops("torn-record", [0, 1, 2], end=321)


@flushed_below_and_at(one_segment, TAIL, "ZBJ-012", "ZBJ-041", below=3, at=4, kind="eof")
def cut_between_two_records(log: ZeebeLog) -> None:
    """The file is cut exactly before the last record. Only the flushed index can show that this
    record is missing."""
    log.truncate(321)
    if log.context["last_flushed_index"] == 4:
        log.expect("damaged", "missing-records", survivors=[0, 1, 2], end=None)
    else:
        log.expect("intact", survivors=[0, 1, 2], end=321)


@flushed_below_and_at(one_segment, TAIL, "ZBJ-025", "ZBJ-034", below=4, at=5, kind="eof")
def frame_without_a_record(log: ZeebeLog) -> None:
    """A valid frame and zeros follow the last record, as if only the first byte of a record had
    been written."""
    log.shows("size-before-data")
    log.data[422] = 1
    log.stops("bad-header", range(4), end=422)


@TAIL.damaged(one_segment, "ZBJ-025", "ZBJ-034")
def metadata_without_data(log: ZeebeLog) -> None:
    """The data message of the last record consists of zeros, as after an unfinished write."""
    log.flushed(3)
    log.zero("records[3].data")
    log.stops("checksum-mismatch", [0, 1, 2], end=321)


@TAIL.damaged(one_segment, "ZBJ-022", kind="limit")
def stale_record_behind_the_end(log: ZeebeLog) -> None:
    """The first 80 bytes of an older record follow the frame of 0 that ends the segment. A reader
    ignores these bytes."""
    log.shows("stale-tail")
    record = pack_record(6, 9, DELTA[0])
    log.data[423 : 423 + 80] = record[:80]
    log.flushed(4)
    log.expect("intact", survivors=range(4), end=422)


@TAIL.damaged(one_segment, "ZBJ-022", kind="limit")
def garbage_behind_the_end(log: ZeebeLog) -> None:
    """Bytes with the value FF follow the frame of 0 that ends the segment. A reader ignores these
    bytes."""
    log.data[423:] = b"\xff" * (len(log.data) - 423)
    log.expect("intact", survivors=range(4), end=422)


@TAIL.damaged(exactly_full_segment, "ZBJ-020", "ZBJ-025")
def exactly_full_segment_cut_by_one(log: ZeebeLog) -> None:
    """The file of a full segment lacks its last byte, which is part of the last record."""
    log.truncate(421)
    log.stops("torn-record", [0, 1, 2], end=321)


@TAIL.damaged(exactly_full_segment, "ZBJ-012", "ZBJ-020")
def full_segment_extended(log: ZeebeLog) -> None:
    """Garbage that begins with a valid frame follows the records of a full segment. A reader uses
    the whole file, so the fault is `bad-header`."""
    log.flushed(4)
    log.extend(b"\x01" + b"\xff" * 40)
    log.stops("bad-header", range(4), end=422)


TAIL.table("""
cut_behind_the_last_record: one_segment ZBJ-012 eof
    The file ends after the last record, so only zeros are missing. No record is lost.
    damage: truncate at 422
    flushed: 4
    expect: intact, survivors 0-3, end 422
truncated_by_the_writer: one_segment ZBJ-022 limit
    A writer truncated the log after record 2. It zeroed two frames and left all other bytes
    unchanged.
    damage: zero records[2].frame
    damage: zero records[3].frame
    flushed: 2
    expect: intact, survivors 0 1, end 222
segment_extended_by_zeros: one_segment ZBJ-012 eof
    The file is extended with zeros beyond its maximum segment size. No record is lost.
    damage: extend by 512 zero bytes
    flushed: 4
    expect: intact, survivors 0-3, end 422
""")


@flushed_below_and_at(three_segments, TAIL, "ZBJ-025", "ZBJ-044", below=5, at=6, kind="eof")
def last_segment_cut(log: ZeebeLog) -> None:
    """The active segment ends inside its last record, and a prepared segment follows."""
    log.truncate(240, "journal-3.log")
    log.stops("torn-record", range(5), end=156)


@TAIL.truncations(exactly_full_segment, "ZBJ-025", "ZBJ-040", "ZBJ-044")
def every_prefix_of_a_segment(log: ZeebeLog) -> None:
    """Every prefix of a full segment. No flushed index is given."""
