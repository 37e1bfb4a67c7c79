"""The end of one segment and the start of the next segment."""

from conformance.recipes.zeebe_journal.layout import segments_of_45_bytes, three_segments
from conformance.recipes.zeebe_journal.log import (
    BRAVO,
    CHARLIE,
    HANDOVER,
    ZeebeLog,
    flushed_below_and_at,
    segment,
)
from reference_impl.zeebe_journal.writer import NEWEST

FIRST, SECOND, THIRD, FOURTH = (f"journal-{number}.log" for number in (1, 2, 3, 4))
#: The ends of the records in the first two segments of `three_segments`.
FIRST_END, SECOND_END = 222, 257
FIRST_END_OF_45 = 210
SILENT = "Zeebe ends the segment there and reads the next segment without an error."


def _put(log: ZeebeLog, file: str, at: int, new: bytes) -> None:
    log.files[file][at : at + len(new)] = new


def _seal(log: ZeebeLog, last_index: int) -> None:
    log.set(f"{FIRST}:descriptor.segment.last_index", last_index)
    log.reseal_descriptor(FIRST)


@flushed_below_and_at(three_segments, HANDOVER, "ZBJ-037", "ZBJ-038", below=None, at=6)
def frame_after_the_last_sealed_record(log: ZeebeLog) -> None:
    """A frame of 2 follows the last record of a sealed segment. This frame is invalid, but no
    record is missing."""
    _put(log, FIRST, FIRST_END, b"\2")
    log.expect("damaged", "unknown-frame", survivors=range(6), end=254)
    log.note(SILENT)


@flushed_below_and_at(three_segments, HANDOVER, "ZBJ-037", "ZBJ-038", below=2, at=6)
def no_room_after_the_last_sealed_record(log: ZeebeLog) -> None:
    """A valid frame follows the last record of a sealed segment, which has no space for another
    record."""
    _put(log, SECOND, SECOND_END, b"\1")
    log.expect("damaged", "bad-length", survivors=range(6), end=254)
    log.note(SILENT)


@flushed_below_and_at(segments_of_45_bytes, HANDOVER, "ZBJ-037", "ZBJ-038", below=None, at=6)
def header_after_the_last_record_without_a_seal(log: ZeebeLog) -> None:
    """A valid frame and zeros follow the last record of an unsealed segment, but the next segment
    begins with the expected index."""
    _put(log, FIRST, FIRST_END_OF_45, b"\1")
    log.expect("damaged", "bad-header", survivors=range(6))
    log.note(SILENT)


@HANDOVER.damaged(three_segments, "ZBJ-037", "ZBJ-038")
def seal_too_low_and_a_frame_after_the_records(log: ZeebeLog) -> None:
    """The last index of the seal is 1, and an invalid frame follows record 2. A reader continues
    with the next segment."""
    _seal(log, 1)
    _put(log, FIRST, FIRST_END, b"\2")
    log.expect("damaged", "unknown-frame", survivors=range(6), end=254)


@HANDOVER.damaged(three_segments, "ZBJ-037", "ZBJ-038")
def seal_too_high_and_a_frame_after_the_records(log: ZeebeLog) -> None:
    """The last index of the seal is 9, and an invalid frame follows record 2. A reader continues
    with the next segment."""
    _seal(log, 9)
    _put(log, FIRST, FIRST_END, b"\2")
    log.expect("damaged", "unknown-frame", survivors=range(6), end=254)


@flushed_below_and_at(segments_of_45_bytes, HANDOVER, "ZBJ-060", below=None, at=4)
def first_frame_zeroed_without_a_seal(log: ZeebeLog) -> None:
    """The first frame of the unsealed first segment is zeroed. A reader lists the records of this
    segment as missing, and continues with the next segment."""
    log.zero(f"{FIRST}:records[0].frame")
    log.expect("damaged", "missing-records", survivors=[2, 3, 4, 5], end=242)


@flushed_below_and_at(segments_of_45_bytes, HANDOVER, "ZBJ-060", "ZBJ-040", below=1, at=4)
def frame_zeroed_before_a_bad_descriptor(log: ZeebeLog) -> None:
    """A frame in the unsealed first segment is zeroed, and the checksum of the next descriptor is
    invalid."""
    log.zero(f"{FIRST}:records[1].frame")
    log.flip(f"{SECOND}:descriptor.metadata.checksum", 0)
    log.expect("damaged", "missing-records", survivors=[0, 2, 3, 4, 5], end=242)


@HANDOVER.damaged(segments_of_45_bytes, "ZBJ-060", "ZBJ-014")
def frame_zeroed_before_a_segment_of_zeros(log: ZeebeLog) -> None:
    """A frame in the unsealed first segment is zeroed, and the next segment consists of zeros. A
    reader also lists the rest of the first segment."""
    log.zero(f"{FIRST}:records[1].frame")
    log.files[SECOND][:] = bytes(270)
    log.flushed(4)
    log.expect("damaged", "missing-records", survivors=[0, 4, 5], end=242)


@HANDOVER.damaged(three_segments, "ZBJ-060", "ZBJ-039")
def middle_segment_missing_after_stale_bytes(log: ZeebeLog) -> None:
    """The second segment is missing, and stale bytes follow the records of the first segment. The
    seal shows that the first segment is complete."""
    _put(log, FIRST, FIRST_END + 1, b"stale")
    log.remove_file(SECOND)
    log.flushed(4)
    log.expect("damaged", "segment-gap", survivors=[0, 1, 4, 5], end=254)
    log.note("The last sealed record was read, so the stale bytes are not a record.")


@HANDOVER.damaged(three_segments, "ZBJ-041", "ZBJ-034")
def last_segment_missing_after_stale_bytes(log: ZeebeLog) -> None:
    """The last segment was flushed and is missing. Stale bytes follow the records of the segment
    before it."""
    _put(log, SECOND, SECOND_END + 1, b"stale")
    log.remove_file(THIRD)
    log.flushed(6)
    log.expect("damaged", "missing-records", survivors=range(4), end=None)


@HANDOVER.damaged(three_segments, "ZBJ-014")
def two_segments_of_zeros_in_the_middle(log: ZeebeLog) -> None:
    """Two segments of zeros precede a segment with records. The fault is in the second segment of
    zeros."""
    log.rename_file(THIRD, "journal-4.log")
    log.add_file(THIRD, bytes(270))
    log.files[SECOND][:] = bytes(270)
    log.flushed(6)
    log.expect("damaged", "zero-segment", survivors=[0, 1, 4, 5], end=254)


def _zero_file(log: ZeebeLog, file: str) -> None:
    log.files[file][:] = bytes(270)


def _first_is_seal_minus_1(log: ZeebeLog) -> None:
    """Remove the first segment, zero the first frame of the second segment, and set the last index
    of its seal to 2."""
    log.remove_file(FIRST)
    log.zero(f"{SECOND}:records[0].frame")
    log.set(f"{SECOND}:descriptor.segment.last_index", 2)
    log.reseal_descriptor(SECOND)


@HANDOVER.damaged(three_segments, "ZBJ-037", "ZBJ-060")
def seal_too_low_and_the_next_segment_missing(log: ZeebeLog) -> None:
    """The last index of the seal is 1, stale bytes follow record 2, and the next segment is
    missing. A reader lists the stale bytes."""
    _seal(log, 1)
    _put(log, FIRST, FIRST_END + 1, b"stale")
    log.remove_file(SECOND)
    log.expect("damaged", "missing-records", survivors=[0, 1, 4, 5], end=254)


@HANDOVER.damaged(three_segments, "ZBJ-013", "ZBJ-060", kind="limit")
def seal_below_the_index_of_its_segment(log: ZeebeLog) -> None:
    """The first segment begins with index 3, and its first frame is zeroed. Its seal has the last
    index 2, so no record of this segment is missing."""
    _first_is_seal_minus_1(log)
    log.expect("damaged", "segment-gap", survivors=[4, 5], end=254)


@HANDOVER.damaged(segments_of_45_bytes, "ZBJ-014", "ZBJ-060")
def frame_zeroed_before_two_segments_of_zeros(log: ZeebeLog) -> None:
    """A frame in the unsealed first segment is zeroed, and the next two segments consist of zeros.
    A reader also lists the rest of the first segment."""
    log.zero(f"{FIRST}:records[1].frame")
    log.files[FOURTH] = log.files[THIRD]
    log.files[THIRD] = bytearray(270)
    _zero_file(log, SECOND)
    log.expect("damaged", "missing-records", survivors=[0, 4, 5], end=242)


@HANDOVER.damaged(segments_of_45_bytes, "ZBJ-039", "ZBJ-060")
def frame_zeroed_before_an_overlap(log: ZeebeLog) -> None:
    """A frame in the unsealed first segment is zeroed, and the next segment begins with index 1. A
    reader also lists the rest of the first segment."""
    log.zero(f"{FIRST}:records[1].frame")
    log.files[SECOND] = bytearray(segment((BRAVO, CHARLIE), 270, "2/1", id=2, index=1))
    log.expect("damaged", "missing-records", survivors=[0, 4, 5], end=242)


@HANDOVER.damaged(three_segments, "ZBJ-034", "ZBJ-039")
def cut_descriptor_after_the_end(log: ZeebeLog) -> None:
    """The log ends at the corrupt second descriptor, and the third descriptor is cut. The lost
    range of the third segment excludes the zeros at its end."""
    log.flip(f"{SECOND}:descriptor.metadata.checksum", 0)
    log.truncate(40, THIRD)
    log.stops("descriptor-checksum", [0, 1], end=FIRST_END)


@HANDOVER.damaged(three_segments, "ZBJ-014", "ZBJ-037", "ZBJ-038")
def sealed_frame_zeroed_before_a_segment_of_zeros(log: ZeebeLog) -> None:
    """The frame of the last sealed record is zeroed, and a segment of zeros precedes the next
    records. The seal proves the record."""
    log.zero(f"{SECOND}:records[1].frame")
    log.files[FOURTH] = log.files[THIRD]
    log.files[THIRD] = bytearray(270)
    log.expect("damaged", "unknown-frame", survivors=range(6), end=254)


@HANDOVER.damaged(three_segments, "ZBJ-014", "ZBJ-038")
def sealed_record_damaged_before_a_segment_of_zeros(log: ZeebeLog) -> None:
    """The last sealed record is corrupt, and the next segment consists of zeros. A reader continues
    with the segment after it."""
    log.flip(f"{SECOND}:records[1].metadata.checksum", 0)
    log.files[FOURTH] = log.files[THIRD]
    log.files[THIRD] = bytearray(270)
    log.expect("damaged", "checksum-mismatch", survivors=[0, 1, 2, 4, 5], end=254)


HANDOVER.table("""
seal_that_promises_too_little: three_segments ZBJ-013 ZBJ-037 limit
    The last index of the seal is 1, but record 2 follows. A reader finds records by scanning and
    returns all records.
    seal: 1
    expect: intact, survivors 0-5, end 254
seal_too_low_and_a_bad_record: three_segments ZBJ-037 ZBJ-038
    The last index of the seal is 1, and record 2 is corrupt. The seal does not cover record 2, but
    the next segment begins after it.
    seal: 1
    damage: flip bit 0 of journal-1.log:records[1].metadata.checksum
    expect: damaged checksum-mismatch, survivors 0 2-5, end 254
seal_too_high_and_a_bad_record: three_segments ZBJ-037 ZBJ-038
    The last index of the seal is 9, and record 2 is corrupt. The next segment begins with index 3,
    and a reader continues there.
    seal: 9
    damage: flip bit 0 of journal-1.log:records[1].metadata.checksum
    expect: damaged checksum-mismatch, survivors 0 2-5, end 254
seal_without_an_index: three_segments ZBJ-013 ZBJ-037
    The last index of the first descriptor is 0, so the first segment has no seal. The next segment
    shows that record 2 was written.
    seal: 0
    damage: flip bit 0 of journal-1.log:records[1].metadata.checksum
    expect: damaged checksum-mismatch, survivors 0 2-5, end 254
sealed_frame_zeroed_before_prepared_segments: three_segments ZBJ-014 ZBJ-037 ZBJ-038
    The frame of the last sealed record is zeroed, and only prepared segments follow. The seal
    proves the record.
    damage: zero journal-2.log:records[1].frame
    zero_file: journal-3.log
    expect: damaged unknown-frame, survivors 0-3, end none
zeros_before_an_unknown_version: three_segments ZBJ-014 ZBJ-040
    The first segment consists of zeros, and the second descriptor has version 3. A reader must not
    refuse the log because of a later segment.
    zero_file: journal-1.log
    damage: set journal-2.log:descriptor.version to 3
    expect: damaged zero-segment, survivors 2-5, end 254
last_sealed_record_twice: three_segments ZBJ-031 ZBJ-035 ZBJ-038
    The last record of a sealed segment appears twice. A reader lists the copy as lost and returns
    all records.
    damage: duplicate journal-2.log:records[1]
    expect: damaged index-mismatch, survivors 0-5, end 254
    note: Zeebe fails to open the log with JournalException.InvalidIndex.
seal_without_a_position: three_segments ZBJ-013 ZBJ-037
    The last position of the first descriptor is 0, so the first segment has no seal. The next
    segment shows that record 2 was written.
    damage: zero journal-1.log:descriptor.segment.last_position
    reseal_descriptor: journal-1.log
    damage: flip bit 0 of journal-1.log:records[1].metadata.checksum
    expect: damaged checksum-mismatch, survivors 0 2-5, end 254
middle_segment_missing_without_a_seal: segments_of_45_bytes ZBJ-060 ZBJ-039
    The second segment is missing, and only zeros follow the records of the unsealed first segment.
    A reader lists only the gap.
    damage: remove journal-2.log
    flushed: 4
    expect: damaged segment-gap, survivors 0 1 4 5, end 242
nothing_left_of_a_segment: one_segment ZBJ-014 ZBJ-041 ZBJ-045 eof
    A one-file log is empty, although record 1 was flushed. A reader lists one empty range, even
    under the strict profile.
    damage: truncate at 0
    flushed: 1
    expect: damaged missing-records, no survivors, end none
damage_before_an_empty_file: empty_file_at_the_end ZBJ-045
    A record in the first segment is corrupt, and the last segment file is empty. A strict reader
    lists every later file, including the empty file.
    damage: flip bit 0 of journal-1.log:records[1].metadata.checksum
    expect: damaged checksum-mismatch, survivors 0 2 3
frame_zeroed_after_an_asqn_out_of_order: segments_of_45_bytes ZBJ-032 ZBJ-060
    A record has the fault `asqn-order`, and the frame after it is zeroed. A reader also lists the
    bytes from the zeroed frame on.
    damage: set journal-2.log:records[0].data.asqn to 1
    damage: reseal journal-2.log:records[0]
    damage: zero journal-2.log:records[1].frame
    expect: damaged asqn-order, survivors 0-2 4 5, end 242
frame_zeroed_before_a_cut_descriptor: segments_of_45_bytes ZBJ-040 ZBJ-060 eof
    A frame in the unsealed first segment is zeroed, and the next descriptor is cut. A reader also
    lists the rest of the first segment.
    damage: zero journal-1.log:records[1].frame
    damage: truncate at 30 in journal-2.log
    expect: damaged missing-records, survivors 0 4 5, end 242
frame_zeroed_before_an_unknown_version: segments_of_45_bytes ZBJ-011 ZBJ-060
    A frame in the unsealed first segment is zeroed, and the next descriptor has version 3. A reader
    also lists the rest of the first segment.
    damage: zero journal-1.log:records[1].frame
    damage: set journal-2.log:descriptor.version to 3
    expect: damaged missing-records, survivors 0 2-5, end 242
frame_zeroed_before_another_template: segments_of_45_bytes ZBJ-011 ZBJ-060
    A frame in the unsealed first segment is zeroed, and the next descriptor has another template. A
    reader also lists the rest of the first segment.
    damage: zero journal-1.log:records[1].frame
    damage: set journal-2.log:descriptor.segment.header.template_id to 9
    expect: damaged missing-records, survivors 0 2-5, end 242
sealed_frame_zeroed_before_a_bad_descriptor: three_segments ZBJ-037 ZBJ-038 ZBJ-040
    The frame of the last sealed record is zeroed, and the next descriptor is corrupt. The seal
    proves the record.
    damage: zero journal-2.log:records[1].frame
    damage: flip bit 0 of journal-3.log:descriptor.metadata.checksum
    expect: damaged unknown-frame, survivors 0-3, end none
asqn_of_before_the_seal_took_over: three_segments ZBJ-024 ZBJ-038
    Records 3 and 5 have the same asqn, and record 4 in a sealed segment is corrupt. The seal does
    not reset the order of asqns.
    damage: set journal-2.log:records[0].data.asqn to 4
    damage: reseal journal-2.log:records[0]
    damage: flip bit 0 of journal-2.log:records[1].metadata.checksum
    expect: damaged checksum-mismatch, survivors 0-2 4 5, end 254
""")


@HANDOVER.damaged(three_segments, "ZBJ-023", "ZBJ-039", kind="limit")
def segment_of_a_negative_index(log: ZeebeLog) -> None:
    """The second segment begins with index -3. Indexes are signed, so the fault is
    `segment-overlap`."""
    log.files[SECOND] = bytearray(segment((BRAVO, CHARLIE), 270, NEWEST, id=2, index=-3))
    log.expect("damaged", "segment-overlap", survivors=[0, 1, 4, 5], end=254)
