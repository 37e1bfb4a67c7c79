"""Rules that could plausibly be read in another way. Each vector has a fault for which the other
reading gives a different answer."""

from __future__ import annotations

from conformance.recipes.zeebe_journal.layout import (
    one_segment,
    segments_of_45_bytes,
    three_segments,
)
from conformance.recipes.zeebe_journal.log import (
    ALPHA,
    BRAVO,
    CHARLIE,
    DELTA,
    FOUR,
    FUTURE,
    INDEX,
    INITIAL,
    LAYOUT,
    META_GROUP,
    PROOF,
    SIX,
    ZeebeLog,
    segment,
    wider_record,
)
from conformance.recipes.zeebe_journal.meta import LAST, META
from conformance.recipes.zeebe_journal.proofs import (
    ALL,
    FIRST,
    SECOND,
    SIZE,
    THIRD,
    Change,
    _frame,
    _headers,
    _in_turn,
    _length,
    _no_header,
    _no_lengths,
    _older,
    _payload,
    _payload_length,
    older_record_in_a_sealed_segment,
    older_record_in_a_segment_of_45_bytes,
    record_inside_the_last_payload,
    records_inside_a_payload,
    records_with_long_blocks,
    six_records,
    table,
)
from conformance.recipes.zeebe_journal.writing import flushed_index_from_the_meta_file
from reference_impl.zeebe_journal.meta import Meta, write_meta
from reference_impl.zeebe_journal.writer import pack_descriptor, pack_record


def _truncate(at: int) -> Change:
    return lambda log: log.truncate(at)


def _copy(number: int, at: int, count: int = 1, frame: int = 1, is_corrupt: bool = False) -> Change:
    """Insert copies of a record before the record at an offset."""

    def change(log: ZeebeLog) -> None:
        field = log.field(f"records[{number}]")
        record = bytearray(log.undamaged[""][field.start : field.end])
        record[0] = frame
        record[-1] ^= is_corrupt
        log.insert(at, bytes(record) * count)

    return change


def _asqn(number: int, asqn: int) -> Change:
    def change(log: ZeebeLog) -> None:
        log.set(f"records[{number}].data.asqn", asqn)
        log.reseal(f"records[{number}]")

    return change


def _sealed_payload_length(number: int, length: int) -> Change:
    return _in_turn(_payload_length(number, length), lambda log: log.reseal(f"records[{number}]"))


def _data_header(log: ZeebeLog) -> None:
    log.zero("records[1].data.header")
    _sealed_payload_length(1, 70)(log)


def _seal(index: int, position: int, size: int = SIZE) -> Change:
    def change(log: ZeebeLog) -> None:
        log.data[:57] = pack_descriptor(1, 1, size, (index, position))

    return change


table(
    six_records,
    ("ZBJ-025", "ZBJ-062", "ZBJ-064"),
    [
        ("frame_and_payload_before_the_last_record", "The frame of record 5 is 2, and its payload "
         "is corrupt. Its lengths lead to record 6.", _in_turn(_payload(4), _frame(4, 2)), 6,
         "unknown-frame", [0, 1, 2, 3, 5]),
        ("length_past_a_cut_file", "The file is cut after its records, and the length of record 2 "
         "leads past the cut, where a record may begin. The payload length leads to record 3, so "
         "two ends are possible.",
         _in_turn(_truncate(700), _length(1, 800)), 6, "torn-record", [0]),
        ("payload_length_to_a_letter", "The payload length of record 5 leads to a letter, where "
         "no record can begin, and the checksum is right. The length of the record leads to "
         "record 6.",
         _sealed_payload_length(4, 45), 6, "data-length", [0, 1, 2, 3, 5]),
        ("payload_length_beyond_31_bits", "The payload length of record 5 is 4294967146. As a "
         "signed number, it would lead back to record 4.", _payload_length(4, 2**32 - 150), 6,
         "checksum-mismatch", [0, 1, 2, 3, 5]),
        ("payload_before_a_frame_of_7", "The payload of record 4 is corrupt, and the frame of "
         "record 5 is 7. The lengths of both lead to record 6.",
         _in_turn(_frame(4, 7), _payload(3)), 6, "checksum-mismatch", [0, 1, 2, 5]),
        ("payload_before_a_frame_of_0", "The payload of record 4 is corrupt, and the frame of "
         "record 5 is 0. The lengths of both lead to record 6.",
         _in_turn(_frame(4, 0), _payload(3)), 6, "checksum-mismatch", [0, 1, 2, 5]),
        ("corrupt_record_twice", "Record 5 appears twice, and both copies are corrupt. The second "
         "copy takes the place of record 6, so the next index may be 6 or 7.",
         _in_turn(_payload(4), _copy(4, 422, is_corrupt=True)), 6, "checksum-mismatch",
         [0, 1, 2, 3, 5]),
        ("two_corrupt_copies_before_the_last_record", "Two corrupt copies of record 4 follow "
         "record 4, and record 6 is zeroed. The copies take the places of records 5 and 6, so "
         "record 5 after them has the wrong index.", _in_turn(
             lambda log: log.zero("records[5]"), _copy(3, 422, count=2, is_corrupt=True)), 6,
         "checksum-mismatch", range(4)),
        ("payload_before_an_earlier_record", "The payload of record 5 is corrupt, and a copy of "
         "record 3 follows it. The lengths of both lead to record 6.",
         _in_turn(_payload(4), _copy(2, 521)), 6, "checksum-mismatch", [0, 1, 2, 3, 5]),
        ("payload_before_a_repeated_asqn", "The payload of record 5 is corrupt, and record 6 "
         "repeats the asqn of record 4. Record 6 is returned.", _in_turn(_payload(4), _asqn(5, 3)),
         6, "checksum-mismatch", [0, 1, 2, 3, 5]),
    ],
)  # fmt: skip

table(
    six_records,
    ("ZBJ-025", "ZBJ-062", "ZBJ-065"),
    [
        ("data_header_and_payload_length", "The header of the data message of record 2 is zeroed, "
         "and the payload length leads to a zero byte. The checksum is right.", _data_header, 6,
         "data-header", [0, 2, 3, 4, 5]),
        ("payload_length_to_a_0", "The payload length of record 2 leads to a zero byte, and the "
         "checksum is right.", _sealed_payload_length(1, 70), 6, "data-length", [0, 2, 3, 4, 5]),
        ("header_and_lengths_of_six", "The metadata header and both lengths of record 2 are "
         "zeroed.", _in_turn(_no_lengths(1), _no_header(1)), 6, "bad-header", [0, 2, 3, 4, 5]),
        ("chain_from_a_repeated_asqn", "Both lengths of record 3 are zeroed, and record 4 repeats "
         "the asqn of record 2. A chain may begin with such a record.",
         _in_turn(_asqn(3, 1), _no_lengths(2)),
         6, "bad-length", [0, 1, 3, 4, 5]),
        ("chain_over_a_repeated_asqn", "Both lengths of record 3 are zeroed, and record 5 repeats "
         "the asqn of record 4. Record 5 is still part of the chain.",
         _in_turn(_asqn(4, 3), _no_lengths(2)), 6,
         "bad-length", [0, 1, 3, 4, 5]),
        ("seal_below_the_flushed_index", "Both lengths of record 2 are zeroed. The seal gives "
         "record 6, and the flushed index is 9. Record 6 is the known record.",
         _in_turn(_no_lengths(1), _seal(6, 521)), 9, "bad-length", [0, 2, 3, 4, 5]),
        ("seal_above_the_flushed_index", "The payload of record 3 is corrupt. The seal gives "
         "record 6, and the flushed index is 2. Record 6 is the known record.",
         _in_turn(_payload(2), _seal(6, 521)), 2, "checksum-mismatch", [0, 1, 3, 4, 5]),
    ],
)  # fmt: skip

table(
    six_records,
    ("ZBJ-025", "ZBJ-062", "ZBJ-065", "ZBJ-066"),
    [
        ("frame_of_0_and_a_repeated_asqn", "The frame of record 3 is zeroed, and its asqn repeats "
         "that of record 2. No chain begins with this record.",
         _in_turn(_asqn(2, 1), _frame(2, 0)), 6,
         "missing-records", [0, 1, 3, 4, 5]),
        ("copy_of_a_record_with_a_frame_of_0", "A copy of record 3 with a frame of 0 follows "
         "record 3. The index of the copy is below the expected index, so no chain begins there.",
         _copy(2, 321, frame=0), 6, "missing-records", ALL),
    ],
)  # fmt: skip

table(
    record_inside_the_last_payload,
    ("ZBJ-064",),
    [
        ("payload_length_to_the_end_of_the_file", "The length of record 4 leads to the record in "
         "its payload, and the payload length leads exactly to the end of the file, where a "
         "record may end.", _in_turn(_length(3, 31), _payload_length(3, SIZE - 321 - 49)), 4,
         "checksum-mismatch", range(3)),
    ],
)  # fmt: skip


def _with_payload(log: ZeebeLog, number: int, payload: bytes) -> None:
    """Build a segment in which the payload of one record contains whole records."""
    entries = [*SIX[: number - 1], (payload, -1), *SIX[number:]]
    log.segment(*entries, size=SIZE)
    log.expect("intact", survivors=ALL)


@LAYOUT.valid("ZBJ-020", "ZBJ-058")
def record_and_more_inside_the_last_payload(log: ZeebeLog) -> None:
    """The payload of the last record, record 6, contains a whole record 7 of another log, followed
    by more bytes."""
    _with_payload(log, 6, b"\xff" * 3 + pack_record(7, -1, b"g") + b"\xff" * 60)
    log.flushed(6)


table(
    record_and_more_inside_the_last_payload,
    ("ZBJ-064",),
    [
        ("payload_length_past_a_cut", "The file is cut in the last payload. The length of record "
         "6 leads to the record in this payload, and the payload length leads to the end of the "
         "full segment.",
         _in_turn(_truncate(650), _length(5, 31), _payload_length(5, SIZE - 521 - 49)), 7,
         "checksum-mismatch", range(5)),
    ],
)  # fmt: skip


@LAYOUT.valid("ZBJ-020", "ZBJ-058")
def record_of_the_same_index_inside_a_payload(log: ZeebeLog) -> None:
    """The payload of record 2 contains a whole record 2 of another log."""
    _with_payload(log, 2, b"\xff" * 3 + pack_record(2, -1, b"b") + b"\xff" * 3)
    log.flushed(6)


@LAYOUT.valid("ZBJ-020", "ZBJ-058")
def earlier_records_inside_a_payload(log: ZeebeLog) -> None:
    """The payload of record 2 contains whole records 1, 2 and 3 of another log."""
    inner = b"".join(pack_record(number, -1, b"x") for number in (1, 2, 3))
    _with_payload(log, 2, b"\xff" * 3 + inner + b"\xff" * 3)
    log.flushed(6)


for control, name, title, survivors in (
    (record_of_the_same_index_inside_a_payload, "lengths_before_a_record_of_the_same_index",
     "Both lengths of record 2 are zeroed. The record in its payload and records 3 to 6 have no "
     "index in common.", [0, 2, 3, 4, 5]),
    (earlier_records_inside_a_payload, "lengths_before_earlier_records_inside",
     "Both lengths of record 2 are zeroed. Index 3 occurs both among the records in its payload "
     "and among records 3 to 6.", [0]),
):  # fmt: skip
    table(control, ("ZBJ-065",), [(name, title, _no_lengths(1), 6, "bad-length", survivors)])


def _only_records_inside(log: ZeebeLog) -> None:
    for number in range(2, 6):
        log.zero(f"records[{number}]")
    log.set("records[1].data.index", 9)
    log.reseal("records[1]")


table(
    records_inside_a_payload,
    ("ZBJ-065",),
    [
        ("index_before_records_inside", "The index of record 2 is 9, and only its payload "
         "contains records 3 to 6. A reader does not search inside a chain.",
         _only_records_inside, 6,
         "index-mismatch", [0]),
    ],
)  # fmt: skip
table(
    records_with_long_blocks,
    ("ZBJ-005", "ZBJ-065"),
    [
        ("lengths_before_a_record_with_long_blocks", "Both lengths of record 1 are zeroed. The "
         "chain begins with record 2, which has long blocks.", _no_lengths(0), 4, "bad-length",
         [1, 2, 3]),
    ],
)  # fmt: skip


@FUTURE.valid("ZBJ-005", "ZBJ-010")
def record_with_a_long_metadata_block(log: ZeebeLog) -> None:
    """The metadata block of record 2 has 28 bytes of newer fields."""
    records = [pack_record(n, asqn, p) for n, (p, asqn) in enumerate(SIX[:4], 1)]
    records[1] = wider_record(records[1], metadata=b"\xff" * 28)
    log.data = bytearray((pack_descriptor(1, 1, SIZE) + b"".join(records)).ljust(SIZE, b"\0"))
    log.payloads = [payload for payload, _ in SIX[:4]]
    log.flushed(4)
    log.expect("intact", survivors=range(4))


table(
    record_with_a_long_metadata_block,
    ("ZBJ-010", "ZBJ-064"),
    [
        ("last_flushed_record_with_a_long_metadata_block", "Record 2 is corrupt, and was the last "
         "to be flushed. A reader takes its lengths from the bytes that they occupy without newer "
         "fields, and these lengths lead nowhere.",
         lambda log: log.flip("records[1].data.index", 0), 2, "checksum-mismatch", [0]),
    ],
)  # fmt: skip


@LAYOUT.valid("ZBJ-022")
def older_records_after_six(log: ZeebeLog) -> None:
    """Records 5 and 6 were truncated, and new records 5 and 6 were written. Bytes of the old
    records 5 and 6 remain after the end.
    """
    log.segment(*SIX, size=SIZE)
    _older(log, 5)
    log.flushed(4)
    log.expect("intact", survivors=ALL)


@LAYOUT.valid("ZBJ-022")
def older_records_4_and_5(log: ZeebeLog) -> None:
    """Records 4 and 5 were truncated. A shorter record 4 now follows record 3, and then a frame of
    0 and bytes of the older records.
    """
    log.segment(INITIAL, ALPHA, BRAVO, CHARLIE, size=SIZE)
    _older(log, 4)
    log.flushed(4)
    log.expect("intact", survivors=range(4))


for control, name, title, survivors in (
    (older_records_after_six, "lengths_before_an_older_last_record",
     "Both lengths of record 2 are zeroed. The chain of records 3 to 6 contains index 6, and so "
     "does an older record.", [0]),
    (older_records_4_and_5, "lengths_before_an_older_next_record",
     "Both lengths of record 2 are zeroed. Records 3 and 4 form a chain that ends below the index "
     "of the older record 5.", [0, 2, 3]),
):  # fmt: skip
    table(control, ("ZBJ-065",), [(name, title, _no_lengths(1), 4, "bad-length", survivors)])


@LAYOUT.valid("ZBJ-020", "ZBJ-022")
def headers_after_the_end(log: ZeebeLog) -> None:
    """The starts of four records follow the end. Their data messages would add up to 2052 bytes,
    more than the size of the file.
    """
    log.segment(*SIX, size=2 * SIZE)
    headers = _headers(513, 513, 513, 513)
    log.data[640 : 640 + len(headers)] = headers
    log.flushed(6)
    log.expect("intact", survivors=ALL)


table(
    headers_after_the_end,
    ("ZBJ-046", "ZBJ-065"),
    [
        ("lengths_before_wrong_checksums_after_the_end", "Both lengths of record 2 are zeroed. "
         "After the chain, a reader compares wrong checksums over 2052 bytes and gives up.",
         _no_lengths(1), 6, "bad-length", [0]),
    ],
)  # fmt: skip


@LAYOUT.valid("ZBJ-013", "ZBJ-014")
def four_records_and_two(log: ZeebeLog) -> None:
    """A sealed segment with four records, followed by a segment with two records."""
    log.journal(*SIX, size=430)
    log.expect("intact", survivors=ALL)


def _set_seal(index: int, position: int, size: int = 430) -> Change:
    def change(log: ZeebeLog) -> None:
        log.files[FIRST][:57] = pack_descriptor(1, 1, size, (index, position))

    return change


def _corrupt(number: int, frame: int = 1) -> Change:
    def change(log: ZeebeLog) -> None:
        log.flip(f"{FIRST}:records[{number}].data.entry.term", 0)
        log.set(f"{FIRST}:records[{number}].frame", frame)

    return change


table(
    four_records_and_two,
    ("ZBJ-013", "ZBJ-062", "ZBJ-065"),
    [
        ("lengths_before_a_seal_that_is_too_high", "Both lengths of record 1 are zeroed, and the "
         "seal gives record 9. The seal determines the known record, which no chain contains.",
         _in_turn(_no_lengths(0, FIRST), _set_seal(9, 321)), None, "bad-length", [4, 5]),
        ("lengths_before_a_wrong_last_position", "Both lengths of record 1 are zeroed, and the "
         "seal gives the offset of record 3. A chain of three records alone proves nothing in a "
         "sealed segment.",
         _in_turn(_no_lengths(0, FIRST), _set_seal(4, 222)), None, "bad-length", [4, 5]),
        ("record_dropped_from_a_sealed_segment", "Record 2 was removed from a sealed segment. The "
         "chain begins at the fault, so a reader does not compare the last position.",
         lambda log: log.drop(f"{FIRST}:records[1]"), None, "index-mismatch", [0, 2, 3, 4, 5]),
        ("frame_and_payload_before_the_last_of_an_unsealed_segment", "The segment is not sealed, "
         "the frame of record 3 is zeroed, and its payload is corrupt. Its lengths lead to record "
         "4.", _in_turn(_corrupt(2, frame=0), _set_seal(0, 0)), None, "missing-records",
         [0, 1, 3, 4, 5]),
        ("frame_in_a_segment_that_is_not_sealed", "The descriptor has fields for a seal, but the "
         "segment is not sealed, and the frame of record 3 is zeroed. The next segment proves the "
         "record.",
         _in_turn(lambda log: log.zero(f"{FIRST}:records[2].frame"), _set_seal(0, 0)), None,
         "unknown-frame", ALL),
    ],
    end="any",
)  # fmt: skip


def _older_frame(log: ZeebeLog, at: int, frame: int = 1) -> None:
    log.files[FIRST][at] = frame


@PROOF.damaged(older_record_in_a_sealed_segment, "ZBJ-013", "ZBJ-065")
def lengths_before_an_older_record_in_a_sealed_segment(log: ZeebeLog) -> None:
    """Both lengths of record 1 are zeroed, and the frame of the truncated record 3 becomes 1. The
    chain contains record 2 at the last position of the seal, and continues after it.
    """
    _no_lengths(0, FIRST)(log)
    _older_frame(log, 222)
    log.expect("damaged", "bad-length", survivors=[1, 2, 3])


@PROOF.damaged(older_record_in_a_segment_of_45_bytes, "ZBJ-031", "ZBJ-063")
def older_record_revived_by_a_frame_of_2(log: ZeebeLog) -> None:
    """The frame of the truncated record 3 becomes 2. The next segment begins with index 3, so this
    record is older.
    """
    _older_frame(log, 210, frame=2)
    log.expect("damaged", "unknown-frame", survivors=range(4), end=245)


@LAYOUT.valid("ZBJ-022", "ZBJ-031")
def older_record_after_three(log: ZeebeLog) -> None:
    """An unsealed segment contains records 1 to 3, and a truncated record 4 after its end. The next
    segment begins with the true record 4.
    """
    data = pack_descriptor(1, 1, 400, version="2/1")
    for number, (payload, asqn) in enumerate(SIX[:3], 1):
        data += pack_record(number, asqn, payload, 1)
    data += b"\0" + pack_record(4, -1, b"older", 1)[1:]
    log.files = {
        FIRST: bytearray(data.ljust(400, b"\0")),
        SECOND: bytearray(segment((CHARLIE, DELTA), 400, "2/1", id=2, index=4)),
    }
    log.payloads = [payload for payload, _ in SIX[:5]]
    log.expect("intact", survivors=range(5))


@PROOF.damaged(older_record_after_three, "ZBJ-065")
def lengths_before_a_chain_into_an_older_record(log: ZeebeLog) -> None:
    """Both lengths of record 1 are zeroed, and the frame of the truncated record 4 becomes 1. The
    chain continues after record 3, the last record before the next segment, so it is not proven.
    """
    _no_lengths(0, FIRST)(log)
    _older_frame(log, 309)
    log.expect("damaged", "bad-length", survivors=[3, 4])


@PROOF.damaged(older_record_after_three, "ZBJ-031", "ZBJ-065")
def record_dropped_before_an_older_record(log: ZeebeLog) -> None:
    """Record 2 was removed, and the frame of the truncated record 4 becomes 1. The chain begins at
    the fault, so it may continue after record 3.
    """
    _older_frame(log, 309)
    log.drop(f"{FIRST}:records[1]")
    log.expect("damaged", "index-mismatch", survivors=[0, 2, 3, 4])


@PROOF.damaged(segments_of_45_bytes, "ZBJ-062")
def damage_before_a_cut_last_segment(log: ZeebeLog) -> None:
    """Record 1 is corrupt, and the last segment ends inside its descriptor. The flushed index
    proves record 2, because no later segment can be read.
    """
    log.flip(f"{FIRST}:records[0].data.entry.term", 0)
    log.truncate(40, SECOND)
    log.remove_file(THIRD)
    log.flushed(6)
    log.expect("damaged", "checksum-mismatch", survivors=[1], end=None)


@PROOF.damaged(segments_of_45_bytes, "ZBJ-062", kind="limit")
def damage_before_a_cut_segment_and_the_same_index(log: ZeebeLog) -> None:
    """Record 2 is corrupt, the second segment ends inside its descriptor, and the third segment
    begins with index 2. This index is above that of the first segment, so the flushed index proves
    nothing.
    """
    log.files[FIRST] = bytearray(segment(FOUR, 430, "2/1"))
    log.flip(f"{FIRST}:records[1].metadata.checksum", 0)
    log.truncate(40, SECOND)
    log.files[THIRD] = bytearray(segment((ALPHA, BRAVO), 270, "2/1", id=3, index=2))
    log.flushed(6)
    log.expect("damaged", "checksum-mismatch", survivors=[0, 1, 2], end=None)


@PROOF.damaged(segments_of_45_bytes, "ZBJ-035", "ZBJ-038", "ZBJ-039")
def damage_before_a_copy_and_a_later_segment(log: ZeebeLog) -> None:
    """Record 2 is corrupt, the second segment is a copy of the first, and the third begins with
    index 5. The third segment shows that record 2 was written, and a reader lists the second
    segment.
    """
    log.files[SECOND] = bytearray(log.files[FIRST])
    log.flip(f"{FIRST}:records[1].metadata.checksum", 0)
    log.expect("damaged", "checksum-mismatch", survivors=[0, 4, 5])


@PROOF.damaged(three_segments, "ZBJ-062", "ZBJ-063")
def frame_before_a_segment_below_the_expected_index(log: ZeebeLog) -> None:
    """The frame of record 2 is zeroed, and the next segment begins with index 1. The seal proves
    record 2.
    """
    log.zero(f"{FIRST}:records[1].frame")
    log.files[SECOND] = bytearray(segment((INITIAL, ALPHA), 270, id=2, index=1))
    log.expect("damaged", "unknown-frame", survivors=[0, 1, 4, 5])


@PROOF.damaged(three_segments, "ZBJ-037", "ZBJ-039")
def missing_record_before_a_segment_below_the_expected_index(log: ZeebeLog) -> None:
    """Record 2 is zeroed, and the next segment begins with index 1. The seal shows that record 2 is
    missing.
    """
    log.zero(f"{FIRST}:records[1]")
    log.files[SECOND] = bytearray(segment((INITIAL, ALPHA), 270, id=2, index=1))
    log.expect("damaged", "missing-records", survivors=[0, 4, 5])


@PROOF.damaged(three_segments, "ZBJ-037", kind="limit")
def seal_too_high_before_a_segment_of_zeros(log: ZeebeLog) -> None:
    """The last index of the seal is 9, and a segment of zeros precedes the segment that begins
    with index 3. Only the file directly after the sealed segment could show that no record is
    missing.
    """
    log.files[FIRST][:57] = pack_descriptor(1, 1, 270, (9, 123))
    log.rename_file(THIRD, "journal-5.log")
    log.rename_file("journal-4.log", "journal-6.log")
    log.rename_file(SECOND, THIRD)
    log.add_file(SECOND, bytes(270))
    log.expect("damaged", "missing-records", survivors=ALL, end=254)


@PROOF.damaged(three_segments, "ZBJ-062", "ZBJ-063")
def frame_before_a_cut_segment_and_the_same_index(log: ZeebeLog) -> None:
    """The frame of record 2 is zeroed, the second segment ends inside its descriptor, and the third
    begins with index 2. The file directly after record 2 does not begin with index 2, so the seal
    proves record 2.
    """
    log.zero(f"{FIRST}:records[1].frame")
    log.truncate(40, SECOND)
    log.files[THIRD] = bytearray(segment((ALPHA, BRAVO), 270, id=3, index=2))
    log.expect("damaged", "unknown-frame", survivors=[0, 1], end=None)


@PROOF.damaged(one_segment, "ZBJ-035", "ZBJ-037")
def byte_after_the_last_record_of_a_seal(log: ZeebeLog) -> None:
    """A byte with the value 2 follows the last record of a sealed segment. No record is missing, so
    this is a torn tail.
    """
    log.data[:57] = pack_descriptor(1, 1, 512, (4, 321))
    log.data[422] = 2
    log.expect("torn", "unknown-frame", survivors=range(4), end=422)


@INDEX.valid("ZBJ-023")
def two_segments_below_index_1(log: ZeebeLog) -> None:
    """Two segments contain the records −3 to 0."""
    log.files = {
        FIRST: bytearray(segment((INITIAL, ALPHA), 270, id=1, index=-3)),
        SECOND: bytearray(segment((BRAVO, CHARLIE), 270, id=2, index=-1)),
    }
    log.payloads = [payload for payload, _ in SIX[:4]]
    log.expect("intact", survivors=range(4))


@PROOF.damaged(two_segments_below_index_1, "ZBJ-035", "ZBJ-066", kind="limit")
def first_descriptor_cut_before_an_index_below_1(log: ZeebeLog) -> None:
    """The first descriptor is cut, and the second segment begins with index −1. No segment was
    scanned before the second, so any index of a later segment shows the loss.
    """
    log.truncate(40, FIRST)
    log.expect("damaged", "torn-descriptor", survivors=[2, 3], end=257)


@PROOF.damaged(two_segments_below_index_1, "ZBJ-040", "ZBJ-065", kind="limit")
def no_descriptor_before_indexes_below_1(log: ZeebeLog) -> None:
    """The first descriptor is missing. The chain of records −3 and −2 is below the expected index,
    1, so it is not proven.
    """
    log.files[FIRST][:] = b"\7" + log.files[FIRST][58:]
    log.expect("damaged", "unknown-version", survivors=[2, 3], end=257)


@PROOF.damaged(three_segments, "ZBJ-040")
def bad_descriptor_before_a_single_record(log: ZeebeLog) -> None:
    """Both descriptors of two segments are corrupt. The second segment begins with record 4, and
    record 3 is missing. The first segment was scanned before, so only record 3 may begin there.
    """
    log.files[SECOND] = bytearray(segment((CHARLIE,), 270, id=2, index=4))
    log.remove_file(THIRD)
    log.remove_file("journal-4.log")
    for name in (FIRST, SECOND):
        log.files[name][9] ^= 1
    log.flushed(4)
    log.expect("damaged", "descriptor-checksum", survivors=[0, 1], end=None)


@PROOF.damaged(three_segments, "ZBJ-032", "ZBJ-040")
def bad_descriptor_before_a_repeated_asqn(log: ZeebeLog) -> None:
    """The second descriptor is corrupt, and the only record after it repeats the asqn of record 2.
    A reader returns this record.
    """
    log.files[SECOND] = bytearray(segment(((BRAVO[0], 1),), 270, id=2, index=3))
    log.files[SECOND][9] ^= 1
    log.files[THIRD] = bytearray(segment((CHARLIE, DELTA), 270, id=3, index=4))
    log.expect("damaged", "descriptor-checksum", survivors=range(5), end=257)


@PROOF.damaged(three_segments, "ZBJ-040", "ZBJ-065")
def no_descriptor_before_a_repeated_asqn(log: ZeebeLog) -> None:
    """The second descriptor is missing. Record 3 begins at offset 0 with a frame of 7, and repeats
    the asqn of record 2, so no chain begins there.
    """
    record = pack_record(3, 1, log.payloads[2])
    log.files[SECOND] = bytearray(b"\7" + record[1:] + log.files[SECOND][156:])
    log.expect("damaged", "unknown-version", survivors=[0, 1, 4, 5], end=254)


@META_GROUP.damaged(flushed_index_from_the_meta_file, "ZBJ-059", kind="limit")
def meta_file_with_a_vote_beyond_31_bits(log: ZeebeLog) -> None:
    """The length of the vote is 2^32 − 1. The vote does not fit, so no flushed index is known."""
    log.files[META][25:29] = b"\xff" * 4
    log.flip(LAST, 0)
    log.expect("torn", "checksum-mismatch", survivors=range(5), end=156)


@META_GROUP.damaged(flushed_index_from_the_meta_file, "ZBJ-059", kind="limit")
def meta_file_with_a_commit_index_above_the_flushed_index(log: ZeebeLog) -> None:
    """The `.meta` file has the flushed index 5 and the commit index 6. A reader uses the flushed
    index.
    """
    log.files[META] = bytearray(write_meta(Meta(1, 5, 6, b"0"), version=4))
    log.flip(LAST, 0)
    log.expect("torn", "checksum-mismatch", survivors=range(5), end=156)


@META_GROUP.damaged(flushed_index_from_the_meta_file, "ZBJ-059", kind="limit")
def meta_file_with_bytes_after_the_vote(log: ZeebeLog) -> None:
    """Bytes of an older, longer vote follow the vote. A reader does not check these bytes."""
    log.files[META][40:44] = b"node"
    log.flip(LAST, 0)
    log.expect("damaged", "checksum-mismatch", survivors=range(5), end=None)
