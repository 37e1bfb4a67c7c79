"""Where the log ends: unfinished writes, cut files, and what lies after the end."""

from conformance.recipes.zeebe_journal.layout import (
    exactly_full_segment,
    one_segment,
    three_segments,
)
from conformance.recipes.zeebe_journal.log import BOOK, DELTA, ZeebeLog, flushed_below_and_at
from reference_impl.zeebe_journal.writer import pack_record


@flushed_below_and_at(one_segment, "tail", "ZBJ-027", below=3, at=4, kind="eof")
def cut_in_the_payload(log: ZeebeLog) -> None:
    """The file ends inside the last record."""
    log.shows("torn-last-record")
    log.truncate(400)
    log.stops("torn-record", [0, 1, 2], end=321)
    log.note("Zeebe extends the file with zeros to its full size before it looks at the record.")


@flushed_below_and_at(one_segment, "tail", "ZBJ-027", below=3, at=4, kind="eof")
def cut_in_the_metadata(log: ZeebeLog) -> None:
    """The file ends inside the metadata of the last record."""
    log.truncate(330)
    log.stops("torn-record", [0, 1, 2], end=321)


@BOOK.damaged(one_segment, "tail", "ZBJ-027", kind="eof")
def cut_behind_a_frame(log: ZeebeLog) -> None:
    """The file ends with a frame byte."""
    log.truncate(322)
    log.stops("torn-record", [0, 1, 2], end=321)


@flushed_below_and_at(one_segment, "tail", "ZBJ-012", "ZBJ-041", below=3, at=4, kind="eof")
def cut_between_two_records(log: ZeebeLog) -> None:
    """The file ends where the last record began: only the flushed index can tell."""
    log.truncate(321)
    if log.context["last_flushed_index"] == 4:
        log.expect("damaged", "missing-records", survivors=[0, 1, 2], end=None)
    else:
        log.expect("intact", survivors=[0, 1, 2], end=321)


@BOOK.damaged(one_segment, "tail", "ZBJ-012", kind="eof")
def cut_behind_the_last_record(log: ZeebeLog) -> None:
    """The file ends where its records end, and lacks only its zeros: nothing is lost."""
    log.truncate(422)
    log.flushed(4)
    log.expect("intact", survivors=range(4), end=422)


@flushed_below_and_at(one_segment, "tail", "ZBJ-026", "ZBJ-034", below=4, at=5, kind="eof")
def frame_without_a_record(log: ZeebeLog) -> None:
    """A frame byte of 1, then zeros: only the first byte of a write arrived."""
    log.shows("size-before-data")
    log.data[422] = 1
    log.did("set the byte at 422 to 1")
    log.stops("bad-header", range(4), end=422)


@BOOK.damaged(one_segment, "tail", "ZBJ-028", "ZBJ-034", kind="eof")
def metadata_without_data(log: ZeebeLog) -> None:
    """The data of the last record never arrived and reads as zeros."""
    log.flushed(3)
    log.zero("records[3].data")
    log.stops("checksum-mismatch", [0, 1, 2], end=321)


@BOOK.damaged(one_segment, "tail", "ZBJ-022", kind="limit")
def stale_record_behind_the_end(log: ZeebeLog) -> None:
    """A whole record after the EOF frame is left over from a longer log: it is ignored."""
    log.shows("stale-tail")
    record = pack_record(6, 9, DELTA[0])
    log.data[423 : 423 + 80] = record[:80]
    log.did("put 80 bytes of an older record at 423")
    log.flushed(4)
    log.expect("intact", survivors=range(4), end=422)


@BOOK.damaged(one_segment, "tail", "ZBJ-022", kind="limit")
def garbage_behind_the_end(log: ZeebeLog) -> None:
    """Bytes of ff after the EOF frame are ignored."""
    log.data[423:] = b"\xff" * (len(log.data) - 423)
    log.did("fill [423, 512) with ff")
    log.expect("intact", survivors=range(4), end=422)


@BOOK.damaged(one_segment, "tail", "ZBJ-022", "ZBJ-033", kind="limit")
def truncated_by_the_writer(log: ZeebeLog) -> None:
    """The writer cut the log after record 2: two frames are zero, the rest stays as it was."""
    log.zero("records[2].frame")
    log.zero("records[3].frame")
    log.flushed(2)
    log.expect("intact", survivors=[0, 1], end=222)


@BOOK.damaged(exactly_full_segment, "tail", "ZBJ-021", "ZBJ-027", kind="eof")
def exactly_full_segment_cut_by_one(log: ZeebeLog) -> None:
    """The last record of a full segment lacks its last byte."""
    log.truncate(421)
    log.stops("torn-record", [0, 1, 2], end=321)


@BOOK.damaged(exactly_full_segment, "tail", "ZBJ-012", "ZBJ-021", kind="eof")
def full_segment_extended(log: ZeebeLog) -> None:
    """Garbage after a full segment is read as a record, since all of the file is used."""
    log.flushed(4)
    log.extend(b"\x01" + b"\xff" * 40, "a frame byte and 40 bytes ff")
    log.stops("bad-header", range(4), end=422)


@BOOK.damaged(one_segment, "tail", "ZBJ-012", kind="eof")
def segment_extended_by_zeros(log: ZeebeLog) -> None:
    """A file longer than its maximal size."""
    log.extend(bytes(512), "512 zero bytes")
    log.flushed(4)
    log.expect("intact", survivors=range(4), end=422)


@flushed_below_and_at(three_segments, "tail", "ZBJ-027", "ZBJ-044", below=5, at=6, kind="eof")
def last_segment_cut(log: ZeebeLog) -> None:
    """The active segment is cut inside its last record; a prepared segment of zeros follows."""
    log.truncate(240, "journal-3.log")
    log.stops("torn-record", range(5), end=156)


@BOOK.truncations(exactly_full_segment, "tail", "ZBJ-027", "ZBJ-040", "ZBJ-044")
def every_prefix_of_a_segment(log: ZeebeLog) -> None:
    """Every prefix of a full segment, and what survives it, with nothing flushed."""
