"""Records after a fault, and their proofs: flushed index, seal, next segment, and lengths."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from crc32c import crc32c

from conformance.recipes.recipe import Recipe
from conformance.recipes.zeebe_journal.layout import (
    descriptor_of_45_bytes,
    empty_file_at_the_end,
    one_segment,
    segments_of_45_bytes,
    three_segments,
)
from conformance.recipes.zeebe_journal.log import (
    ALPHA,
    BRAVO,
    CHARLIE,
    DELTA,
    ECHO,
    FUTURE,
    INITIAL,
    LAYOUT,
    PROOF,
    SIX,
    ZeebeLog,
    application,
    flushed_below_and_at,
    segment,
    wider_descriptor,
    wider_record,
)
from conformance.recipes.zeebe_journal.numbers import indexes_below_one
from reference_impl.zeebe_journal.writer import pack_descriptor, pack_record

FIRST, SECOND, THIRD = (f"journal-{number}.log" for number in (1, 2, 3))
SIZE = 1024
ALL = range(6)

Change = Callable[[ZeebeLog], None]
Row = tuple[str, str, Change, int | None, str, Sequence[int]]


def table(
    control: Recipe[ZeebeLog], requirements: Sequence[str], rows: Sequence[Row], end: Any = None
) -> None:
    """Enter a vector for each row. A row has a name, a title, the damage, a flushed index, the
    reason, and the survivors."""
    for name, title, change, flushed, reason, survivors in rows:

        @PROOF.combination(name, title, control, *requirements, kind=None)
        def recipe(
            log: ZeebeLog,
            change: Change = change,
            flushed: int | None = flushed,
            reason: str = reason,
            survivors: Sequence[int] = survivors,
        ) -> None:
            log.flushed(flushed)
            change(log)
            log.expect("damaged", reason, survivors, end=end)


@LAYOUT.valid("ZBJ-020", "ZBJ-035")
def six_records(log: ZeebeLog) -> None:
    """One segment with six records, all flushed."""
    log.segment(*SIX, size=SIZE)
    log.flushed(6)
    log.expect("intact", survivors=ALL)


def _in_turn(*changes: Change) -> Change:
    def change(log: ZeebeLog) -> None:
        for each in changes:
            each(log)

    return change


def _payload(number: int) -> Change:
    return lambda log: log.flip(f"records[{number}].data.entry.term", 0)


def _no_header(number: int) -> Change:
    return lambda log: log.zero(f"records[{number}].metadata.header")


def _no_lengths(number: int, file: str = "") -> Change:
    """Zero both lengths of a record."""
    record = f"{file}:records[{number}]" if file else f"records[{number}]"

    def change(log: ZeebeLog) -> None:
        log.zero(f"{record}.metadata.len_data")
        log.zero(f"{record}.data.len_entry")

    return change


def _length(number: int, length: int) -> Change:
    return lambda log: log.set(f"records[{number}].metadata.len_data", length)


def _payload_length(number: int, length: int) -> Change:
    return lambda log: log.set(f"records[{number}].data.len_entry", length)


def _empty_record(number: int) -> Change:
    def change(log: ZeebeLog) -> None:
        log.splice(f"records[{number}]", pack_record(number + 1, -1, b""))
        log.flip(f"records[{number}].metadata.checksum", 0)

    return change


def _large_lengths(number: int) -> Change:
    def change(log: ZeebeLog) -> None:
        log.flip(f"records[{number}].metadata.len_data", 30)
        log.flip(f"records[{number}].data.len_entry", 30)

    return change


def _inserted_with_a_copy(log: ZeebeLog) -> None:
    log.duplicate("records[1]")
    log.insert(222, b"\x07\x07\x07")


table(
    six_records,
    ("ZBJ-022", "ZBJ-062", "ZBJ-064"),
    [
        ("one_payload_of_six", "One bit of the payload of record 2 is flipped. No other record is "
         "lost.", _payload(1), 6, "checksum-mismatch", [0, 2, 3, 4, 5]),
        ("last_flushed_payload", "Record 2 is corrupt, and only records 1 and 2 were flushed. The "
         "record after it was written later.", _payload(1), 2, "checksum-mismatch",
         [0, 2, 3, 4, 5]),
        ("data_length_of_one_of_six", "The length of record 2 is wrong. The payload length leads "
         "to record 3.", _length(1, 70), 6, "checksum-mismatch", [0, 2, 3, 4, 5]),
        ("payload_length_of_one_of_six", "The payload length of record 2 is wrong. The length of "
         "the record leads to record 3.", _payload_length(1, 40), 6,
         "checksum-mismatch", [0, 2, 3, 4, 5]),
        ("empty_record_of_six", "Record 5 has no payload, and its checksum is wrong. Its lengths "
         "lead to record 6.", _empty_record(4), 6, "checksum-mismatch", [0, 1, 2, 3, 5]),
        ("two_payloads_of_six", "The payloads of records 2 and 5 are corrupt. Records 3 and 4 "
         "are proven by the lengths of record 2.", _in_turn(_payload(4), _payload(1)), 6,
         "checksum-mismatch", [0, 2, 3, 5]),
        ("three_payloads_of_six", "The payloads of records 2, 3 and 5 are corrupt. The lengths of "
         "records 2 and 3 lead to record 4.", _in_turn(_payload(4), _payload(2), _payload(1)), 6,
         "checksum-mismatch", [0, 3, 5]),
        ("two_payloads_and_a_length_of_six", "The payloads of records 2 and 5 and the length of "
         "record 3 are corrupt. The payload length of record 3 leads to record 4, and its length "
         "leads to a byte that is not a frame.",
         _in_turn(_payload(4), _length(2, 75), _payload(1)), 6,
         "checksum-mismatch", [0, 3, 5]),
        ("payload_and_a_length_to_a_0", "The payload of record 2 and the length of record 3 are "
         "corrupt. The length leads to a zero byte, so it may be right, and record 4 is not "
         "proven.",
         _in_turn(_payload(4), _length(2, 70), _payload(1)), 6, "checksum-mismatch", [0]),
        ("two_payloads_and_two_lengths_of_six", "The payloads of records 2 and 5 and both lengths "
         "of record 3 are corrupt. Neither record 4 nor record 6 is proven.",
         _in_turn(_payload(4), _payload_length(2, 40), _length(2, 70), _payload(1)), 6,
         "checksum-mismatch", [0]),
        ("length_to_the_end_of_six", "The length of record 2 leads to the last byte of the file, "
         "and its payload length leads to record 3.", _length(1, SIZE - 1 - 144), 6,
         "checksum-mismatch", [0, 2, 3, 4, 5]),
        ("record_twice_of_six", "Record 2 appears twice. The copy is lost, and no index is "
         "missing.", lambda log: log.duplicate("records[1]"), 6, "index-mismatch", ALL),
        ("record_dropped_of_six", "Record 2 was removed. The lost range is empty.",
         lambda log: log.drop("records[1]"), 6, "index-mismatch", [0, 2, 3, 4, 5]),
        ("payload_of_six_and_a_torn_tail", "Record 2 is corrupt, and the file ends inside record "
         "6, which was not flushed. A writer must not continue.",
         _in_turn(_payload(1), lambda log: log.truncate(600)), 4, "checksum-mismatch",
         [0, 2, 3, 4]),
    ],
)  # fmt: skip

table(
    six_records,
    ("ZBJ-022", "ZBJ-062", "ZBJ-065"),
    [
        ("lengths_of_six", "Both lengths of record 2 are zeroed, so its end is unknown. Records 3 "
         "to 6 form a chain up to the flushed index.", _no_lengths(1), 6,
         "bad-length", [0, 2, 3, 4, 5]),
        ("length_of_27_in_six", "The length of record 2 is 27, one byte too short for a record. "
         "Records 3 to 6 form a chain.", _length(1, 27), 6, "bad-length", [0, 2, 3, 4, 5]),
        ("large_lengths_before_the_only_flushed_record", "Bit 30 of both lengths of record 5 is "
         "flipped, so both lead past the segment. Record 6 alone does not form a chain.",
         _large_lengths(4), 6, "bad-length", range(4)),
        ("record_repeated_after_inserted_bytes", "Three bytes and a copy of record 2 were inserted "
         "before record 3. The chain begins with record 2, below the expected index.",
         _inserted_with_a_copy, 6, "unknown-frame", [0, 1]),
        ("lengths_of_the_last_flushed_record", "Both lengths of record 3 are zeroed, and record 3 "
         "was the last to be flushed. No chain can contain record 3.", _no_lengths(2), 3,
         "bad-length", [0, 1]),
        ("lengths_before_the_last_flushed_record", "Both lengths of record 3 are zeroed, and "
         "record 4 was the last to be flushed. The chain that begins with record 4 also proves "
         "the records after it.", _no_lengths(2), 4, "bad-length", [0, 1, 3, 4, 5]),
        ("lengths_before_the_only_flushed_record", "Both lengths of record 5 are zeroed. Record 6 "
         "alone does not form a chain.", _no_lengths(4), 6, "bad-length", range(4)),
        ("lengths_and_a_payload_of_six", "Both lengths of record 2 are zeroed, and record 4 is "
         "corrupt. No chain with record 3 reaches the flushed index.",
         _in_turn(_payload(3), _no_lengths(1)), 6, "bad-length", [0, 4, 5]),
        ("lengths_and_the_last_payload_of_six", "Both lengths of record 2 are zeroed, and "
         "record 6 is corrupt. No chain reaches the flushed index.",
         _in_turn(_payload(5), _no_lengths(1)), 6, "bad-length", [0]),
        ("lengths_of_six_and_more_flushed", "Both lengths of record 2 are zeroed, and record "
         "7 was flushed but is missing. No chain reaches the flushed index.", _no_lengths(1), 7,
         "bad-length", [0]),
        ("bytes_inserted_in_six", "Three bytes were inserted before record 3. The chain that "
         "begins with record 3 is proven.", lambda log: log.insert(222, b"\x07\x07\x07"), 6,
         "unknown-frame", ALL),
        ("frame_and_lengths_of_six", "The frame and both lengths of record 2 are zeroed.",
         _in_turn(_no_lengths(1), lambda log: log.zero("records[1].frame")), 6,
         "missing-records", [0, 2, 3, 4, 5]),
    ],
)  # fmt: skip


def _frame(number: int, value: int) -> Change:
    return lambda log: log.set(f"records[{number}].frame", value)


def _old_asqn(log: ZeebeLog) -> None:
    log.set("records[2].data.asqn", 1)
    log.reseal("records[2]")
    log.set("records[2].frame", 2)


def _frame_of_a_repeated_record(log: ZeebeLog) -> None:
    log.duplicate("records[1]")
    log.data[222] = 2


def _frame_of_a_repeated_initial_entry(log: ZeebeLog) -> None:
    log.duplicate("records[0]")
    log.data[123] = 2


table(
    six_records,
    ("ZBJ-016", "ZBJ-062", "ZBJ-063"),
    [
        ("frame_of_a_repeated_initial_entry", "A copy of record 1, with the frame 2 and without "
         "an asqn, follows record 1. The copy is lost.", _frame_of_a_repeated_initial_entry, 6,
         "unknown-frame", ALL),
        ("frame_of_2_in_six", "The frame of record 3 is 2. Record 3 was the last to be flushed, "
         "so it is returned.", _frame(2, 2), 3, "unknown-frame", ALL),
        ("frame_of_ff_in_six", "The frame of record 3 is FF, and all records were flushed.",
         _frame(2, 255), 6, "unknown-frame", ALL),
        ("frame_of_0_in_six", "The frame of record 3 is zeroed. Record 3 was the last to be "
         "flushed, so it is returned.", _frame(2, 0), 3, "unknown-frame", ALL),
        ("two_frames_in_six", "The frames of records 3 and 4 are 2 and 0. Both are returned.",
         _in_turn(_frame(2, 2), _frame(3, 0)), 6, "unknown-frame", ALL),
        ("frame_and_payload_in_six", "The frame of record 3 is 2, and its payload is corrupt. "
         "The record is lost.", _in_turn(_payload(2), _frame(2, 2)), 6, "unknown-frame",
         [0, 1, 3, 4, 5]),
        ("frame_and_asqn_in_six", "The frame of record 3 is 2, and its asqn repeats an earlier "
         "one. The record is lost.", _old_asqn, 6, "unknown-frame", [0, 1, 3, 4, 5]),
        ("frame_of_a_repeated_record", "A copy of record 2 with the frame 2 follows record 2. "
         "The copy is lost.", _frame_of_a_repeated_record, 6, "unknown-frame", ALL),
    ],
)  # fmt: skip


@flushed_below_and_at(descriptor_of_45_bytes, PROOF, "ZBJ-062", "ZBJ-063", below=2, at=4)
def frame_zeroed_without_fields_for_a_seal(log: ZeebeLog) -> None:
    """The frame of record 3 is zeroed, and the descriptor has no fields for a seal. The segment may
    end before record 3, with the later records in a lost segment, so record 3 is not proven."""
    log.zero("records[2].frame")
    if log.context["last_flushed_index"] == 4:
        log.expect("damaged", "missing-records", survivors=[0, 1], end=None)
    else:
        log.expect("intact", survivors=[0, 1])


@flushed_below_and_at(descriptor_of_45_bytes, PROOF, "ZBJ-062", "ZBJ-063", below=2, at=3)
def frame_of_2_without_fields_for_a_seal(log: ZeebeLog) -> None:
    """The frame of record 3 is 2, and the descriptor has no fields for a seal."""
    log.set("records[2].frame", 2)
    log.expect("damaged", "unknown-frame", survivors=range(4), end=None)


#: Whole records 3 to 6 of another log, inside a payload.
INSIDE = b"".join(
    pack_record(number, -1, letter) for number, letter in enumerate((b"c", b"d", b"e", b"f"), 3)
)
OUTER = (INITIAL, (INSIDE, -1), BRAVO, CHARLIE, DELTA, ECHO)


@LAYOUT.valid("ZBJ-020", "ZBJ-058")
def records_inside_a_payload(log: ZeebeLog) -> None:
    """The payload of record 2 contains whole records 3 to 6 of another log."""
    log.segment(*OUTER, size=SIZE)
    log.flushed(6)
    log.expect("intact", survivors=ALL)


def _length_to_the_inner_record(log: ZeebeLog) -> None:
    log.set("records[1].metadata.len_data", 28)


table(
    records_inside_a_payload,
    ("ZBJ-064", "ZBJ-065"),
    [
        ("checksum_before_records_inside", "The checksum of record 2 is wrong, and its payload "
         "contains records. The lengths of record 2 lead past these records.",
         lambda log: log.flip("records[1].metadata.checksum", 0), 6, "checksum-mismatch",
         [0, 2, 3, 4, 5]),
        ("header_before_records_inside", "The metadata header of record 2 is zeroed, and its "
         "payload contains records. The lengths of record 2 lead past these records.",
         _no_header(1), 6, "bad-header",
         [0, 2, 3, 4, 5]),
        ("lengths_before_records_inside", "Both lengths of record 2 are zeroed, and its "
         "payload contains records. Two chains reach the flushed index, so neither is proven.",
         _no_lengths(1), 6, "bad-length", [0]),
        ("lengths_and_payload_before_records_inside", "Both lengths of record 2 are zeroed, and "
         "record 4 is corrupt. The inner records and records 5 and 6 form two chains.",
         _in_turn(_payload(3), _no_lengths(1)), 6, "bad-length", [0]),
        ("length_to_records_inside", "The length of record 2 leads to the first record in its "
         "payload, and the payload length leads to the true record 3. Neither record is proven.",
         _length_to_the_inner_record, 6, "checksum-mismatch", [0]),
    ],
)  # fmt: skip


@LAYOUT.valid("ZBJ-020", "ZBJ-058")
def short_chain_inside_a_payload(log: ZeebeLog) -> None:
    """The payload of record 2 contains whole records 3 and 4 of another log."""
    log.segment(INITIAL, (INSIDE[:100], -1), BRAVO, CHARLIE, DELTA, ECHO, size=SIZE)
    log.flushed(6)
    log.expect("intact", survivors=ALL)


table(
    short_chain_inside_a_payload,
    ("ZBJ-065",),
    [
        ("lengths_before_a_short_chain", "Both lengths of record 2 are zeroed. The records "
         "in its payload and records 3 to 6 have the same indexes.", _no_lengths(1), 6,
         "bad-length", [0]),
        ("length_before_a_short_chain", "The length of record 2 is zeroed, so its end is unknown. "
         "The records in its payload have the same indexes as records in the chain.",
         lambda log: log.zero("records[1].metadata.len_data"), 6, "bad-length", [0]),
        ("payload_before_a_short_chain", "The payload of record 2 is corrupt before the records "
         "that it contains. The lengths lead past these records.",
         lambda log: log.zero("records[1].data.asqn"), 6, "checksum-mismatch", [0, 2, 3, 4, 5]),
    ],
)  # fmt: skip


@LAYOUT.valid("ZBJ-013", "ZBJ-058")
def records_inside_a_payload_of_a_sealed_segment(log: ZeebeLog) -> None:
    """The payload of record 2 of a sealed segment contains whole records of another log."""
    log.journal(*OUTER, size=760)
    log.flushed(6)
    log.expect("intact", survivors=ALL)


@PROOF.damaged(records_inside_a_payload_of_a_sealed_segment, "ZBJ-013", "ZBJ-065")
def lengths_before_records_inside_a_sealed_segment(log: ZeebeLog) -> None:
    """Both lengths of record 2 are zeroed. The records in its payload and records 3 to 5 have the
    same indexes, so none is proven."""
    _no_lengths(1, FIRST)(log)
    log.expect("damaged", "bad-length", survivors=[0, 5])


@PROOF.damaged(three_segments, "ZBJ-013", "ZBJ-065")
def lengths_in_a_sealed_segment(log: ZeebeLog) -> None:
    """Both lengths of record 3 in a sealed segment are zeroed. Record 4 begins at the last position
    of the seal."""
    _no_lengths(0, SECOND)(log)
    log.expect("damaged", "bad-length", survivors=[0, 1, 3, 4, 5], end=254)


@PROOF.damaged(three_segments, "ZBJ-013", "ZBJ-065")
def lengths_and_another_last_position(log: ZeebeLog) -> None:
    """Both lengths of record 3 are zeroed, and no record begins at the last position of the seal.
    No chain is proven."""
    _no_lengths(0, SECOND)(log)
    at = log.field(f"{SECOND}:descriptor.segment.last_position").start
    log.files[SECOND][at] ^= 1
    log.reseal_descriptor(SECOND)
    log.expect("damaged", "bad-length", survivors=[0, 1, 4, 5], end=254)


@LAYOUT.valid("ZBJ-006", "ZBJ-058")
def records_inside_a_payload_of_an_unsealed_segment(log: ZeebeLog) -> None:
    """The payload of record 2 of an unsealed segment contains whole records of another log."""
    log.journal(*OUTER, size=740, version="2/1")
    log.flushed(6)
    log.expect("intact", survivors=ALL)


@PROOF.damaged(records_inside_a_payload_of_an_unsealed_segment, "ZBJ-062", "ZBJ-065")
def lengths_before_records_inside_an_unsealed_segment(log: ZeebeLog) -> None:
    """Both lengths of record 2 are zeroed. The records in its payload and records 3 to 5 have the
    same indexes, so none is proven."""
    _no_lengths(1, FIRST)(log)
    log.expect("damaged", "bad-length", survivors=[0, 5])


@PROOF.damaged(records_inside_a_payload_of_an_unsealed_segment, "ZBJ-064", "ZBJ-065", kind="eof")
def cut_after_records_inside_an_unsealed_segment(log: ZeebeLog) -> None:
    """The first segment ends inside the payload of record 2, after whole records of another log. A
    cut file may lack the true records, so none is proven."""
    log.truncate(310, FIRST)
    log.expect("damaged", "torn-record", survivors=[0, 5])


@PROOF.damaged(records_inside_a_payload_of_an_unsealed_segment, "ZBJ-064", "ZBJ-065", kind="eof")
def lengths_and_a_cut_after_records_inside(log: ZeebeLog) -> None:
    """Both lengths of record 2 are zeroed, and the first segment ends inside its payload, after
    whole records of another log."""
    _no_lengths(1, FIRST)(log)
    log.truncate(310, FIRST)
    log.expect("damaged", "bad-length", survivors=[0, 5])


@PROOF.damaged(segments_of_45_bytes, "ZBJ-065")
def lengths_before_the_last_record_of_a_segment(log: ZeebeLog) -> None:
    """Both lengths of record 1 are zeroed. The next segment begins with record 3, but record 2
    alone may be in a payload."""
    _no_lengths(0, FIRST)(log)
    log.expect("damaged", "bad-length", survivors=[2, 3, 4, 5])


def _headers(*lengths: int) -> bytes:
    """Return the starts of several records with index 4, these data lengths, and a wrong
    checksum."""
    head = b"\1" + bytes.fromhex("0c00010007000200") + b"\7" + bytes(7)
    return b"".join(head + length.to_bytes(4, "little") for length in lengths)


def _with_headers(log: ZeebeLog, *lengths: int, first: bytes = b"") -> None:
    log.segment(INITIAL, (first + _headers(*lengths), -1), BRAVO, CHARLIE, DELTA, ECHO, size=SIZE)
    log.flushed(6)
    log.expect("intact", survivors=ALL)


@LAYOUT.valid("ZBJ-020")
def headers_inside_a_payload(log: ZeebeLog) -> None:
    """The payload of record 2 contains the starts of four records. Their data messages would add up
    to 1024 bytes, exactly the size of the file."""
    _with_headers(log, 300, 300, 300, 124)


@LAYOUT.valid("ZBJ-020")
def headers_inside_a_payload_and_one_byte_more(log: ZeebeLog) -> None:
    """The payload of record 2 contains the starts of four records. Their data messages would add up
    to 1025 bytes, more than the size of the file."""
    _with_headers(log, 300, 300, 300, 125, first=pack_record(99, -1, b"out of range"))


table(
    headers_inside_a_payload,
    ("ZBJ-046", "ZBJ-065"),
    [
        ("lengths_before_wrong_checksums", "Both lengths of record 2 are zeroed. A reader "
         "compares wrong checksums over 1024 bytes and continues.", _no_lengths(1), 6,
         "bad-length", [0, 2, 3, 4, 5]),
    ],
)  # fmt: skip
table(
    headers_inside_a_payload_and_one_byte_more,
    ("ZBJ-046", "ZBJ-065"),
    [
        ("lengths_before_too_many_wrong_checksums", "Both lengths of record 2 are zeroed. A "
         "reader compares wrong checksums over 1025 bytes and gives up.", _no_lengths(1), 6,
         "bad-length", [0]),
    ],
)  # fmt: skip
table(
    headers_inside_a_payload_and_one_byte_more,
    ("ZBJ-065", "ZBJ-066"),
    [
        ("frame_before_too_many_wrong_checksums", "The frame of record 2 is zeroed. The chain "
         "begins at the fault, so a reader need not search for the chain.", lambda log: log.zero(
         "records[1].frame"), 6, "unknown-frame", ALL),
    ],
)  # fmt: skip


@LAYOUT.valid("ZBJ-020")
def long_record_in_a_flushed_segment(log: ZeebeLog) -> None:
    """One segment whose second record has 5,000 bytes of zeros in its payload."""
    log.segment(INITIAL, application(1, "\0" * 5000), BRAVO, CHARLIE, size=6000)
    log.flushed(4)
    log.expect("intact", survivors=range(4))


table(
    long_record_in_a_flushed_segment,
    ("ZBJ-065",),
    [
        ("lengths_before_many_zeros", "Both lengths of record 2 are zeroed. The chain begins after "
         "5,000 zeros.", _no_lengths(1), 4, "bad-length", [0, 2, 3]),
    ],
)  # fmt: skip


def _nested(count: int) -> bytes:
    """Return frames that all end at the same offset. Their checksums are valid, and each data
    message begins with the next frame."""
    data = bytes(28)
    for _ in range(count):
        head = b"\1" + bytes.fromhex("0c00010007000200") + crc32c(data).to_bytes(8, "little")
        data = head + len(data).to_bytes(4, "little") + data
    return data


@LAYOUT.valid("ZBJ-020")
def frames_in_frames_inside_a_payload(log: ZeebeLog) -> None:
    """The payload of record 2 contains seven nested frames, and the start of a record. Their data
    messages add up to 1024 bytes, exactly the size of the file."""
    _with_headers(log, 387, first=_nested(7))


@LAYOUT.valid("ZBJ-020")
def frames_in_frames_inside_a_payload_and_one_byte_more(log: ZeebeLog) -> None:
    """The same, with data messages of 1025 bytes, more than the size of the file."""
    _with_headers(log, 388, first=_nested(7))


table(
    frames_in_frames_inside_a_payload,
    ("ZBJ-046", "ZBJ-065"),
    [
        ("lengths_before_frames_in_frames", "Both lengths of record 2 are zeroed. Seven of the "
         "checksums that follow are valid, and their messages count, too.", _no_lengths(1), 6,
         "bad-length", [0, 2, 3, 4, 5]),
    ],
)  # fmt: skip
table(
    frames_in_frames_inside_a_payload_and_one_byte_more,
    ("ZBJ-046", "ZBJ-065"),
    [
        ("lengths_before_too_many_frames_in_frames", "The same with a message that is longer by a "
         "byte. A reader gives up.", _no_lengths(1), 6, "bad-length", [0]),
    ],
)  # fmt: skip


def _twenty_four(log: ZeebeLog, size: int) -> None:
    log.segment(INITIAL, *(application(n, "x") for n in range(1, 24)), size=size)
    log.flushed(24)
    log.expect("intact", survivors=range(24))


@LAYOUT.valid("ZBJ-020")
def twenty_four_records(log: ZeebeLog) -> None:
    """One segment with 24 records, all flushed."""
    _twenty_four(log, 2321)


@LAYOUT.valid("ZBJ-020")
def twenty_four_records_in_a_larger_segment(log: ZeebeLog) -> None:
    """The same records in a segment of 2430 bytes."""
    _twenty_four(log, 2430)


def _ends(end: int, *numbers: int) -> Change:
    """Let the data messages of records end at this offset, at which no record can begin."""

    def change(log: ZeebeLog) -> None:
        for number in numbers:
            _length(number, end - 21 - log.field(f"records[{number}]").start)(log)

    return change


#: Offsets of bytes that are no frame, in the last of the 24 records.
_INSIDE, _LAST_BYTE = 2258, 2307
table(
    twenty_four_records,
    ("ZBJ-046", "ZBJ-064"),
    [
        ("messages_that_overlap", "The data messages of eleven records end at one offset. "
         "Together, they have 18,568 bytes, eight times the size of the file.",
         _ends(_LAST_BYTE, *range(1, 12)), 24, "checksum-mismatch", [0, *range(12, 24)]),
        ("messages_that_overlap_in_three_places", "Five records, five more and again five have "
         "data messages that end at one offset. The messages of the first eleven have 17,903 "
         "bytes, and the next one has 928.",
         _ends(_LAST_BYTE, *range(1, 6), *range(7, 12), *range(13, 18)), 24,
         "checksum-mismatch", [0, 6, 12]),
    ],
)  # fmt: skip
table(
    twenty_four_records_in_a_larger_segment,
    ("ZBJ-046", "ZBJ-064"),
    [
        ("messages_that_overlap_by_a_byte_too_much", "The data messages of twelve records have "
         "19,441 bytes, one more than eight times the size of the file.",
         _in_turn(_ends(_INSIDE, *range(1, 6)), _ends(_LAST_BYTE, *range(6, 13))), 24,
         "checksum-mismatch", [0]),
    ],
)  # fmt: skip


def _older(log: ZeebeLog, index: int) -> None:
    """Put two records of a truncated log after the end, with 0 as the frame of the first."""
    end = len(bytes(log.data).rstrip(b"\0"))
    old = b"".join(pack_record(index + n, -1, b"older") for n in range(2))
    log.data[end : end + len(old)] = b"\0" + old[1:]


@LAYOUT.valid("ZBJ-022")
def older_records_after_the_end(log: ZeebeLog) -> None:
    """Records 5 and 6 were truncated. The frame of record 5 is now 0, and the other bytes of both
    records remain."""
    log.segment(INITIAL, ALPHA, BRAVO, CHARLIE, size=SIZE)
    _older(log, 5)
    log.flushed(4)
    log.expect("intact", survivors=range(4), end=422)


@PROOF.damaged(older_records_after_the_end, "ZBJ-022", kind="limit")
def older_record_revived(log: ZeebeLog) -> None:
    """The frame of 0 before the truncated records becomes 1. Nothing shows that the records were
    truncated."""
    log.data[422] = 1
    log.expect("intact", survivors=[*range(4), b"older", b"older"])


@PROOF.damaged(older_records_after_the_end, "ZBJ-022", "ZBJ-063", kind="limit")
def older_record_revived_by_another_frame(log: ZeebeLog) -> None:
    """The frame of 0 before the truncated records becomes 2. Nothing shows that it was not 1."""
    log.data[422] = 2
    log.expect("damaged", "unknown-frame", survivors=[*range(4), b"older", b"older"], end=None)


table(
    older_records_after_the_end,
    ("ZBJ-062", "ZBJ-065"),
    [
        ("lengths_before_older_records", "Both lengths of record 2 are zeroed. Records 3 and "
         "4 reach the flushed index, and the truncated records are above it.", _no_lengths(1), 4,
         "bad-length", [0, 2, 3]),
    ],
)  # fmt: skip


def _with_an_older_record(log: ZeebeLog, seal: tuple[int, int], version: str) -> None:
    """Build two segments. An older record 3 follows record 2 of the first segment."""
    schema = 2 if version == "2/2" else 1
    data = pack_descriptor(1, 1, 400, seal, version)
    for number, (payload, asqn) in enumerate((INITIAL, ALPHA), 1):
        data += pack_record(number, asqn, payload, schema)
    data += b"\0" + pack_record(3, -1, b"older", schema)[1:]
    log.files = {
        FIRST: bytearray(data.ljust(400, b"\0")),
        SECOND: bytearray(segment((BRAVO, CHARLIE), 400, version, id=2, index=3)),
    }
    log.payloads = [payload for payload, _ in (INITIAL, ALPHA, BRAVO, CHARLIE)]
    log.flushed(4)
    log.expect("intact", survivors=range(4))


@LAYOUT.valid("ZBJ-022", "ZBJ-031")
def older_record_in_a_sealed_segment(log: ZeebeLog) -> None:
    """A sealed segment contains records 1 and 2, and a truncated record 3 after its end. The next
    segment begins with the true record 3."""
    _with_an_older_record(log, (2, 123), "2/2")


@LAYOUT.valid("ZBJ-022", "ZBJ-031")
def older_record_in_a_segment_of_45_bytes(log: ZeebeLog) -> None:
    """An unsealed segment contains records 1 and 2, and a truncated record 3 after its end. The
    next segment begins with the true record 3."""
    _with_an_older_record(log, (0, 0), "2/1")


def _revive(at: int) -> Change:
    def change(log: ZeebeLog) -> None:
        log.files[FIRST][at] = 1

    return change


table(
    older_record_in_a_sealed_segment,
    ("ZBJ-023", "ZBJ-031", "ZBJ-035"),
    [
        ("older_record_revived_in_a_sealed_segment", "The frame of the truncated record 3 becomes "
         "1. The next segment begins with index 3, so this record is older.", _revive(222), 4,
         "index-mismatch", range(4)),
    ],
    end=257,
)  # fmt: skip
table(
    older_record_in_a_segment_of_45_bytes,
    ("ZBJ-023", "ZBJ-031", "ZBJ-035"),
    [
        ("older_record_revived_in_a_segment_of_45_bytes", "The frame of the truncated record 3 "
         "becomes 1. The next segment begins with index 3, so this record is older.", _revive(210),
         4, "index-mismatch", range(4)),
    ],
    end=245,
)  # fmt: skip


@PROOF.damaged(older_record_in_a_segment_of_45_bytes, "ZBJ-031", "ZBJ-062", "ZBJ-064")
def last_payload_before_an_older_record(log: ZeebeLog) -> None:
    """Record 2 is corrupt, and the frame of the truncated record 3 after it becomes 1. The next
    segment begins with index 3, so the record after record 2 has the wrong index."""
    log.flip(f"{FIRST}:records[1].data.entry.term", 0)
    _revive(210)(log)
    log.expect("damaged", "checksum-mismatch", survivors=[0, 2, 3], end=245)


@flushed_below_and_at(three_segments, PROOF, "ZBJ-009", "ZBJ-040", below=4, at=5)
def last_descriptor_checksum_flipped(log: ZeebeLog) -> None:
    """One bit of the checksum of the last descriptor is flipped. Only the flushed index can prove
    the records after it."""
    log.flip(f"{THIRD}:descriptor.metadata.checksum", 0)
    _last_descriptor(log, "descriptor-checksum")


def _last_descriptor(log: ZeebeLog, reason: str) -> None:
    if log.context["last_flushed_index"] == 4:
        log.expect("torn", reason, survivors=range(4), end=257)
    else:
        log.expect("damaged", reason, survivors=ALL, end=None)


@flushed_below_and_at(three_segments, PROOF, "ZBJ-011", "ZBJ-040", below=4, at=5)
def last_descriptor_version_3(log: ZeebeLog) -> None:
    """The last descriptor has version 3, which only an alpha release wrote."""
    log.set(f"{THIRD}:descriptor.version", 3)
    _last_descriptor(log, "unknown-version")


@flushed_below_and_at(three_segments, PROOF, "ZBJ-005", "ZBJ-040", below=4, at=6)
def last_descriptor_schema_flipped(log: ZeebeLog) -> None:
    """The DescriptorMetadata of the last segment has another schema."""
    log.fill(f"{THIRD}:descriptor.metadata.header.schema_id", 0xF8)
    _last_descriptor(log, "bad-descriptor")


@flushed_below_and_at(three_segments, PROOF, "ZBJ-034", "ZBJ-040", below=4, at=5, kind="eof")
def last_descriptor_cut(log: ZeebeLog) -> None:
    """The last segment ends inside its descriptor."""
    log.truncate(40, THIRD)
    if log.context["last_flushed_index"] == 4:
        log.expect("torn", "torn-descriptor", survivors=range(4), end=257)
    else:
        log.expect("damaged", "torn-descriptor", survivors=range(4), end=None)


@LAYOUT.valid("ZBJ-006")
def segments_of_29_bytes(log: ZeebeLog) -> None:
    """Three segments with descriptors of version 1."""
    log.journal(*SIX, version="1")
    log.expect("intact", survivors=ALL)


@PROOF.damaged(three_segments, "ZBJ-040", "ZBJ-060", kind="corrupt")
def two_descriptors_flipped(log: ZeebeLog) -> None:
    """The checksums of the second and third descriptor are wrong. Nothing proves a record after
    record 2."""
    for name in (SECOND, THIRD):
        log.flip(f"{name}:descriptor.metadata.checksum", 0)
    log.stops("descriptor-checksum", [0, 1], end=222)


@PROOF.damaged(segments_of_45_bytes, "ZBJ-039", "ZBJ-060")
def middle_segment_missing_after_stale_bytes_without_a_seal(log: ZeebeLog) -> None:
    """The second segment is missing, and stale bytes follow the records of the unsealed first
    segment. A reader lists these bytes and the gap."""
    log.files[FIRST][211:216] = b"stale"
    log.remove_file(SECOND)
    log.expect("damaged", "missing-records", survivors=[0, 1, 4, 5])


@LAYOUT.valid("ZBJ-035", "ZBJ-041")
def segment_without_records_from_index_10(log: ZeebeLog) -> None:
    """The only segment begins with index 10 and has no records. Record 5 was flushed, and a
    compaction removed it."""
    log.data = bytearray(pack_descriptor(1, 10, 512).ljust(512, b"\0"))
    log.payloads = []
    log.flushed(5)
    log.expect("intact", survivors=[], end=57)


@PROOF.damaged(one_segment, "ZBJ-035", "ZBJ-041", kind="limit")
def segment_without_its_first_record(log: ZeebeLog) -> None:
    """The only segment begins with index 10 and has no records, although record 10 was flushed."""
    log.data[:] = pack_descriptor(1, 10, 512).ljust(512, b"\0")
    log.flushed(10)
    log.expect("damaged", "missing-records", survivors=[], end=None)


@flushed_below_and_at(one_segment, PROOF, "ZBJ-062", below=1, at=2)
def last_flushed_record_damaged(log: ZeebeLog) -> None:
    """Record 2 is corrupt. If it was flushed, the record after it was written later, and is
    returned."""
    log.flip("records[1].data.entry.term", 0)
    if log.context["last_flushed_index"] == 2:
        log.expect("damaged", "checksum-mismatch", survivors=[0, 2, 3], end=None)
    else:
        log.expect("torn", "checksum-mismatch", survivors=[0], end=123)


def _index_of_record_5(log: ZeebeLog) -> None:
    log.set("records[4].data.index", 7)
    log.reseal("records[4]")
    _no_lengths(2)(log)


table(
    six_records,
    ("ZBJ-062", "ZBJ-064", "ZBJ-065"),
    [
        ("last_flushed_payload_and_the_next", "The payloads of records 2 and 3 are corrupt, and "
         "only records 1 and 2 were flushed. Record 4 is not proven.",
         _in_turn(_payload(2), _payload(1)), 2, "checksum-mismatch", [0]),
        ("payload_and_a_frame_of_six", "The payload of record 2 is corrupt, and the frame of "
         "record 3 is zeroed. The lengths of both lead to record 4.",
         _in_turn(_frame(2, 0), _payload(1)), 6, "checksum-mismatch", [0, 3, 4, 5]),
        ("lengths_and_a_frame_of_six", "Both lengths of record 2 and the frame of record 4 "
         "are zeroed. The frame breaks the chain that begins with record 3.",
         _in_turn(_frame(3, 0), _no_lengths(1)), 6, "bad-length", [0, 4, 5]),
        ("lengths_and_another_index_of_six", "Both lengths of record 3 are zeroed, record 4 was "
         "the last to be flushed, and a record with index 7 follows. Record 4 alone does not form "
         "a chain.", _index_of_record_5, 4, "bad-length", [0, 1]),
    ],
)  # fmt: skip


@FUTURE.valid("ZBJ-005", "ZBJ-010")
def records_with_long_blocks(log: ZeebeLog) -> None:
    """The blocks of the metadata and of the data message of record 2 have 300 bytes of newer fields
    each."""
    records = [pack_record(n, asqn, p) for n, (p, asqn) in enumerate(SIX[:4], 1)]
    records[1] = wider_record(records[1], metadata=bytes(300), data=bytes(300))
    log.data = bytearray((pack_descriptor(1, 1, SIZE) + b"".join(records)).ljust(2048, b"\0"))
    log.payloads = [payload for payload, _ in SIX[:4]]
    log.flushed(4)
    log.expect("intact", survivors=range(4))


def _corrupt_with_long_blocks(log: ZeebeLog) -> None:
    log.flip("records[1].data.index", 0)


table(
    records_with_long_blocks,
    ("ZBJ-010", "ZBJ-064", "ZBJ-065"),
    [
        ("payload_of_a_record_with_long_blocks", "Record 2 is corrupt, and its end is unknown "
         "because its blocks are long. Records 3 and 4 form a chain.", _corrupt_with_long_blocks, 4,
         "checksum-mismatch", [0, 2, 3]),
        ("last_flushed_record_with_long_blocks", "Record 2 is corrupt, has long blocks, and was "
         "the last to be flushed. No chain contains it.", _corrupt_with_long_blocks, 2,
         "checksum-mismatch", [0]),
    ],
)  # fmt: skip


def _only_segment(log: ZeebeLog, seal: tuple[int, int]) -> None:
    log.flip("records[1].data.entry.term", 0)
    log.data[:57] = pack_descriptor(1, 1, 512, seal)


@PROOF.damaged(one_segment, "ZBJ-013", "ZBJ-037", "ZBJ-062", kind="corrupt")
def last_position_of_0(log: ZeebeLog) -> None:
    """The last position of the only segment is 0, so it is not a seal. Record 2 is corrupt."""
    _only_segment(log, (4, 0))
    log.expect("torn", "checksum-mismatch", survivors=[0], end=123)


@PROOF.damaged(one_segment, "ZBJ-013", "ZBJ-037", "ZBJ-062", kind="corrupt")
def last_position_below_0(log: ZeebeLog) -> None:
    """The last position of the only segment is -1, so it is not a seal. Record 2 is corrupt."""
    _only_segment(log, (4, -1))
    log.expect("torn", "checksum-mismatch", survivors=[0], end=123)


@PROOF.damaged(one_segment, "ZBJ-013", "ZBJ-037", "ZBJ-062")
def last_position_of_1(log: ZeebeLog) -> None:
    """The last position of the only segment is 1, so it is a seal. Record 2 is corrupt, and its
    lengths lead to record 3."""
    _only_segment(log, (4, 1))
    log.expect("damaged", "checksum-mismatch", survivors=[0, 2, 3], end=None)


@PROOF.damaged(six_records, "ZBJ-016", "ZBJ-062", "ZBJ-063")
def sealed_frame_of_0_and_the_next_payload(log: ZeebeLog) -> None:
    """The only segment is sealed. The frame of record 2 is zeroed, and record 3 is corrupt. Record
    2 is returned, although no chain leads from it to the last record."""
    last = 57 + sum(49 + len(payload) for payload in log.payloads[:5])
    log.data[:57] = pack_descriptor(1, 1, SIZE, (6, last))
    log.zero("records[1].frame")
    log.flip("records[2].data.entry.term", 0)
    log.expect("damaged", "unknown-frame", survivors=[0, 1, 3, 4, 5], end=None)


@PROOF.damaged(three_segments, "ZBJ-040", "ZBJ-066")
def first_segment_cut_before_index_2(log: ZeebeLog) -> None:
    """The first segment ends inside its descriptor, and the second begins with index 2. Record 1 is
    missing, so `after_loss` is true for each later record."""
    log.truncate(40, FIRST)
    log.files[SECOND] = bytearray(segment((ALPHA, BRAVO, CHARLIE), 512, id=2, index=2))
    log.expect("damaged", "torn-descriptor", survivors=[1, 2, 3, 4, 5])


@PROOF.damaged(segments_of_45_bytes, "ZBJ-035", "ZBJ-038", "ZBJ-039")
def damage_before_a_segment_that_is_repeated(log: ZeebeLog) -> None:
    """Record 2 is corrupt, and the third segment is a copy of the first. The second segment
    continues after record 2, so record 2 was written. The third segment may contain it."""
    log.files[THIRD] = bytearray(log.files[FIRST])
    log.flip(f"{FIRST}:records[1].metadata.checksum", 0)
    log.expect("damaged", "checksum-mismatch", survivors=[0, 2, 3], end=None)


@PROOF.damaged(three_segments, "ZBJ-039", "ZBJ-044")
def overlap_after_missing_records(log: ZeebeLog) -> None:
    """The second segment is missing, and the fourth is a copy of the third. The copy cannot contain
    a missing record."""
    log.remove_file(SECOND)
    log.files["journal-4.log"] = bytearray(log.files[THIRD])
    log.expect("damaged", "segment-gap", survivors=[0, 1, 4, 5], end=254)


@PROOF.damaged(three_segments, "ZBJ-039", "ZBJ-044")
def overlap_that_may_hold_a_missing_record(log: ZeebeLog) -> None:
    """The second segment is missing, and the fourth begins with index 4. Record 4 is missing, so
    the fourth segment may contain it."""
    log.remove_file(SECOND)
    log.files["journal-4.log"] = bytearray(segment((CHARLIE, DELTA), 270, id=4, index=4))
    log.expect("damaged", "segment-gap", survivors=[0, 1, 4, 5], end=None)


@PROOF.damaged(three_segments, "ZBJ-040")
def second_descriptor_of_a_copy(log: ZeebeLog) -> None:
    """The second segment is a copy of the first with a wrong checksum in its descriptor. The
    indexes of its records differ from the expected ones."""
    log.files[SECOND] = bytearray(log.files[FIRST])
    log.files[SECOND][9] ^= 1
    log.expect("damaged", "descriptor-checksum", survivors=[0, 1, 4, 5], end=254)


@PROOF.damaged(indexes_below_one, "ZBJ-040", "ZBJ-066", kind="limit")
def descriptor_before_an_index_below_1(log: ZeebeLog) -> None:
    """The descriptor of a journal that begins with index -1 is corrupt. The records of the journal
    are proven, and none is lost."""
    log.flip("descriptor.metadata.checksum", 0)
    log.flushed(1)
    log.expect("damaged", "descriptor-checksum", survivors=range(len(log.payloads)), end=None)


@PROOF.damaged(indexes_below_one, "ZBJ-040", kind="limit")
def descriptor_before_a_flushed_index_of_0(log: ZeebeLog) -> None:
    """The descriptor of a journal that begins with index -1 is corrupt, and the flushed index is 0,
    below the expected index. No descriptor was read before it, so the records are proven."""
    log.flip("descriptor.segment.header.version", 11)
    log.flushed(0)
    log.expect("damaged", "descriptor-checksum", survivors=range(len(log.payloads)), end=None)


def _without_descriptor(frame: int) -> Change:
    def change(log: ZeebeLog) -> None:
        records = log.files[SECOND][57:]
        log.files[SECOND] = bytearray(bytes([frame]) + records[1:])

    return change


table(
    three_segments,
    ("ZBJ-040", "ZBJ-065", "ZBJ-066"),
    [
        ("no_descriptor_before_a_frame_of_0", "The second descriptor is missing, and the chain of "
         "records 3 and 4 begins at offset 0 with a frame of 0.",
         _without_descriptor(0), None, "unknown-version", ALL),
        ("no_descriptor_before_a_frame_of_7", "The second descriptor is missing, and the chain of "
         "records 3 and 4 begins at offset 0 with a frame of 7. The fault of the descriptor also "
         "covers the frame.", _without_descriptor(7), None, "unknown-version", ALL),
    ],
    end=254,
)  # fmt: skip


@PROOF.damaged(segments_of_45_bytes, "ZBJ-040", "ZBJ-060")
def stale_bytes_before_a_bad_descriptor(log: ZeebeLog) -> None:
    """Stale bytes follow record 2, and the second descriptor is corrupt. Record 3 follows, so no
    record is missing before it."""
    log.files[FIRST][211:216] = b"stale"
    log.flip(f"{SECOND}:descriptor.metadata.checksum", 0)
    log.expect("damaged", "descriptor-checksum", survivors=ALL)


@PROOF.damaged(segments_of_45_bytes, "ZBJ-040", "ZBJ-060", kind="corrupt")
def stale_bytes_before_two_bad_descriptors(log: ZeebeLog) -> None:
    """Stale bytes follow record 2, and the two descriptors after it are corrupt. The range of the
    stale bytes is listed once."""
    log.files[FIRST][211:216] = b"stale"
    for name in (SECOND, THIRD):
        log.flip(f"{name}:descriptor.metadata.checksum", 0)
    log.stops("missing-records", [0, 1], end=210)


@PROOF.damaged(segments_of_45_bytes, "ZBJ-039", "ZBJ-062")
def damage_before_a_copy_of_the_segment(log: ZeebeLog) -> None:
    """Record 1 is corrupt, and the next segment is a copy that begins with index 1 again. The
    flushed index proves record 2."""
    log.files[SECOND] = bytearray(log.files[FIRST])
    log.remove_file(THIRD)
    log.flip(f"{FIRST}:records[0].data.entry.term", 0)
    log.flushed(2)
    log.expect("damaged", "checksum-mismatch", survivors=[1], end=None)


@PROOF.damaged(older_record_in_a_sealed_segment, "ZBJ-037", "ZBJ-062", kind="limit")
def seal_too_high_before_an_older_record(log: ZeebeLog) -> None:
    """The last index of the seal is 9, and a truncated record 3 follows the end. The next segment
    begins with the true record 3."""
    log.files[FIRST][:57] = pack_descriptor(1, 1, 400, (9, 123))
    log.expect("intact", survivors=range(4))


@FUTURE.valid("ZBJ-010", "ZBJ-013")
def second_descriptor_of_65_bytes(log: ZeebeLog) -> None:
    """The second of three segments has a descriptor of 65 bytes."""
    records = [pack_record(n, asqn, p) for n, (p, asqn) in enumerate(SIX, 1)]
    last = len(records[1]) + len(records[2]) + 65
    wide = wider_descriptor(bytes(8), size=400, seal=(4, last))
    log.files = {
        FIRST: bytearray((pack_descriptor(1, 1, 400, (1, 57)) + records[0]).ljust(400, b"\0")),
        SECOND: bytearray((_at_index_2(wide) + b"".join(records[1:4])).ljust(400, b"\0")),
        THIRD: bytearray((pack_descriptor(3, 5, 400) + b"".join(records[4:])).ljust(400, b"\0")),
    }
    log.payloads = [payload for payload, _ in SIX]
    log.expect("intact", survivors=ALL)


def _at_index_2(descriptor: bytes) -> bytes:
    """Return a descriptor with the index 2 and a correct checksum."""
    message = descriptor[17:33] + (2).to_bytes(8, "little") + descriptor[41:]
    return descriptor[:9] + crc32c(message).to_bytes(8, "little") + message


@PROOF.damaged(three_segments, "ZBJ-039", "ZBJ-040", "ZBJ-044")
def bad_descriptor_after_missing_records(log: ZeebeLog) -> None:
    """The second segment is missing, and a fourth segment has a corrupt descriptor. A writer
    continues in the third segment."""
    log.remove_file(SECOND)
    log.files["journal-4.log"] = bytearray(segment((DELTA,), 270, id=4, index=7))
    log.files["journal-4.log"][9] ^= 1
    log.expect("damaged", "segment-gap", survivors=[0, 1, 4, 5], end=254)


@PROOF.damaged(three_segments, "ZBJ-040", "ZBJ-066", kind="limit")
def bad_first_descriptor_before_index_2(log: ZeebeLog) -> None:
    """The first of two segments has a corrupt descriptor, and its records begin with index 2.
    Record 1 may be lost."""
    records = b"".join(pack_record(n, -1, log.payloads[n - 1]) for n in (2, 3))
    log.files[FIRST] = bytearray((pack_descriptor(1, 2, 400) + records).ljust(400, b"\0"))
    log.files[FIRST][9] ^= 1
    log.files[SECOND] = log.files[THIRD]
    log.files[SECOND][:] = segment((CHARLIE, DELTA), 270, id=2, index=4)
    log.remove_file(THIRD)
    log.expect("damaged", "descriptor-checksum", survivors=[1, 2, 3, 4])


table(
    older_records_after_the_end,
    ("ZBJ-062", "ZBJ-065"),
    [
        ("older_records_below_the_flushed_index", "The flushed index is 7, and records 5 and 6 "
         "are older. After a frame of 0, only a chain up to record 7 could prove them.",
         lambda log: None, 7, "missing-records", range(4)),
        ("payload_and_older_records", "The payload of record 3 is corrupt, and the flushed index "
         "is 7. After a frame of 0, only a chain up to record 7 could prove a record.",
         _payload(2), 7,
         "checksum-mismatch", [0, 1, 3]),
    ],
)  # fmt: skip


@LAYOUT.valid("ZBJ-020", "ZBJ-058")
def record_inside_the_last_payload(log: ZeebeLog) -> None:
    """The payload of the last record, record 4, contains a whole record 5 of another log."""
    inner = b"\xff" * 3 + pack_record(5, -1, b"g") + b"\xff" * 3
    log.segment(INITIAL, ALPHA, BRAVO, (inner, -1), size=SIZE)
    log.flushed(4)
    log.expect("intact", survivors=range(4))


table(
    record_inside_the_last_payload,
    ("ZBJ-064", "ZBJ-065"),
    [
        ("length_to_a_record_inside_the_last_payload", "The length of record 4 leads to the "
         "record in its payload. The payload length leads to a zero byte, where the log may end.",
         _length(3, 31), 4, "checksum-mismatch", range(3)),
        ("length_to_a_record_inside_the_last_payload_of_five", "The length of record 4 leads to "
         "the record in its payload, and record 5 was flushed, but is missing.", _length(3, 31), 5,
         "checksum-mismatch", range(3)),
    ],
)  # fmt: skip


def _cut_to_the_last_payload(log: ZeebeLog) -> None:
    log.set("records[3].metadata.len_data", 31)
    log.truncate(400)


table(
    record_inside_the_last_payload,
    ("ZBJ-064", "ZBJ-065"),
    [
        ("length_and_a_cut_after_a_record_inside", "The length of record 4 leads to the record in "
         "its payload, and the payload length leads to bytes that were cut off.",
         _cut_to_the_last_payload, 5, "checksum-mismatch", range(3)),
    ],
)  # fmt: skip


@PROOF.damaged(empty_file_at_the_end, "ZBJ-039", "ZBJ-044")
def first_segment_after_an_empty_one(log: ZeebeLog) -> None:
    """The first segment and the empty segment at the end are swapped. If a writer continued in the
    second segment, it would remove records that may be in the third."""
    log.files[FIRST], log.files[THIRD] = log.files[THIRD], log.files[FIRST]
    log.expect("damaged", "zero-segment", survivors=[2, 3], end=None)


@PROOF.damaged(three_segments, "ZBJ-014", "ZBJ-066")
def zeros_before_index_1(log: ZeebeLog) -> None:
    """A segment of zeros precedes the first record of a journal. No index from 1 upwards is
    skipped, so `after_loss` is absent."""
    for number in (4, 3, 2, 1):
        log.rename_file(f"journal-{number}.log", f"journal-{number + 1}.log")
    log.add_file(FIRST, bytes(270))
    log.expect("damaged", "zero-segment", survivors=ALL, end=254)


@PROOF.damaged(three_segments, "ZBJ-011")
def no_descriptor_of_a_known_version(log: ZeebeLog) -> None:
    """The first descriptor has version 3, and the checksums of the others are wrong. Nothing shows
    that the log has a known version."""
    log.set(f"{FIRST}:descriptor.version", 3)
    for name in (SECOND, THIRD):
        log.flip(f"{name}:descriptor.metadata.checksum", 0)
    log.flushed(6)
    log.expect("refused", "unknown-version", survivors=[])


@PROOF.damaged(older_record_in_a_segment_of_45_bytes, "ZBJ-014", "ZBJ-031")
def older_record_revived_before_a_prepared_segment(log: ZeebeLog) -> None:
    """The frame of the truncated record 3 becomes 1, and a prepared segment precedes the next
    segment with records, which begins with index 3."""
    _revive(210)(log)
    log.rename_file(SECOND, THIRD)
    log.files[SECOND] = bytearray(400)
    log.expect("damaged", "index-mismatch", survivors=range(4))


@PROOF.damaged(three_segments, "ZBJ-014", "ZBJ-037")
def sealed_record_zeroed_before_a_segment_of_zeros(log: ZeebeLog) -> None:
    """Record 2 and the next segment are zeroed. The seal shows that record 2 is lost."""
    log.zero(f"{FIRST}:records[1]")
    log.files[SECOND] = bytearray(270)
    log.expect("damaged", "missing-records", survivors=[0, 4, 5], end=254)


def _of_sbe_version_3(log: ZeebeLog) -> None:
    """Build one segment whose descriptor has SBE version 3, newer fields, and a seal."""
    records = [pack_record(n, asqn, p) for n, (p, asqn) in enumerate(SIX[:4], 1)]
    last = 65 + sum(len(record) for record in records[:3])
    head = wider_descriptor(bytes(8), size=SIZE, seal=(4, last))
    log.data = bytearray((head + b"".join(records)).ljust(SIZE, b"\0"))
    log.payloads = [payload for payload, _ in SIX[:4]]


@FUTURE.valid("ZBJ-010", "ZBJ-013")
def sealed_segment_of_sbe_version_3(log: ZeebeLog) -> None:
    """The only segment is sealed, and its descriptor has SBE version 3 and 65 bytes."""
    _of_sbe_version_3(log)
    log.expect("intact", survivors=range(4))


PROOF.table("""
older_records_up_to_the_flushed_index: older_records_after_the_end ZBJ-062 ZBJ-063 limit
    Records 5 and 6 are older, and the flushed index is 6. Nothing shows that the true records are
    missing.
    flushed: 6
    expect: damaged unknown-frame, survivors 0-3 "older" "older", end none
first_descriptor_of_three_flipped: three_segments ZBJ-040 ZBJ-066
    One bit of the checksum of the first descriptor is flipped. The next segment proves records 1
    and 2, and no record is lost.
    damage: flip bit 0 of journal-1.log:descriptor.metadata.checksum
    expect: damaged descriptor-checksum, survivors 0-5, end 254
second_descriptor_of_45_bytes_flipped: segments_of_45_bytes ZBJ-040
    One bit of the checksum of the second descriptor, of 45 bytes, is flipped. The next segment
    proves records 3 and 4.
    damage: flip bit 0 of journal-2.log:descriptor.metadata.checksum
    expect: damaged descriptor-checksum, survivors 0-5
second_descriptor_of_29_bytes_flipped: segments_of_29_bytes ZBJ-006 ZBJ-040
    The second descriptor, of version 1, has another template. The next segment proves records 3 and
    4.
    damage: flip bit 3 of journal-2.log:descriptor.segment.header.template_id
    expect: damaged bad-descriptor, survivors 0-5
second_descriptor_of_45_bytes_and_its_last_record: segments_of_45_bytes ZBJ-040 ZBJ-006
    The second descriptor, of 45 bytes, and record 4 are corrupt. Record 3 has the expected index,
    so its place alone proves it.
    damage: flip bit 0 of journal-2.log:records[1].data.entry.term
    damage: flip bit 0 of journal-2.log:descriptor.metadata.checksum
    expect: damaged descriptor-checksum, survivors 0-2 4 5
second_descriptor_of_29_bytes_and_its_last_record: segments_of_29_bytes ZBJ-040 ZBJ-006
    The second descriptor, of version 1, and record 4 are corrupt. Record 3 has the expected index.
    damage: flip bit 0 of journal-2.log:records[1].data.entry.term
    damage: flip bit 3 of journal-2.log:descriptor.segment.header.template_id
    expect: damaged bad-descriptor, survivors 0-2 4 5
older_segment_after_a_lost_record_of_the_seal: three_segments ZBJ-037 ZBJ-039 ZBJ-044
    The first segment has the highest number, and the third is missing. Record 4 of the second is
    lost, so the fault of the older segment is damage, too.
    damage: flip bit 0 of journal-2.log:records[1].data.entry.term
    damage: rename journal-1.log to journal-9.log
    damage: remove journal-3.log
    expect: damaged checksum-mismatch, survivors 2, end none
second_descriptor_and_its_first_record: three_segments ZBJ-040 ZBJ-065 ZBJ-066
    The second descriptor and record 3 are corrupt. A single record before the next segment is not
    proven.
    damage: flip bit 0 of journal-2.log:records[0].data.entry.term
    damage: flip bit 0 of journal-2.log:descriptor.metadata.checksum
    expect: damaged descriptor-checksum, survivors 0 1 4 5, end 254
sealed_record_damaged_and_the_next_segment_missing: three_segments ZBJ-038 ZBJ-039 ZBJ-066
    Record 2 is corrupt, and the second segment is missing. The seal shows that record 2 is one
    loss, and the missing segment another.
    damage: flip bit 0 of journal-1.log:records[1].metadata.checksum
    damage: remove journal-2.log
    expect: damaged checksum-mismatch, survivors 0 4 5, end 254
unsealed_record_damaged_and_the_next_segment_missing: segments_of_45_bytes ZBJ-038 ZBJ-039 ZBJ-066
    Record 2 is corrupt, and the second segment is missing. The lost range of record 2 covers all
    missing records.
    damage: flip bit 0 of journal-1.log:records[1].metadata.checksum
    damage: remove journal-2.log
    expect: damaged checksum-mismatch, survivors 0 4 5
first_two_segments_swapped: three_segments ZBJ-039 ZBJ-044
    The first two segments are swapped. The segment that begins with index 1 comes too late, but no
    returned record precedes it.
    damage: rename journal-1.log to journal-9.log
    damage: rename journal-2.log to journal-1.log
    damage: rename journal-9.log to journal-2.log
    expect: damaged segment-overlap, survivors 2-5, end 254
second_descriptor_and_its_first_frame: three_segments ZBJ-040
    The second descriptor is corrupt, and the frame of record 3 is zeroed.
    damage: zero journal-2.log:records[0].frame
    damage: flip bit 0 of journal-2.log:descriptor.metadata.checksum
    expect: damaged descriptor-checksum, survivors 0 1 4 5, end 254
damage_before_a_cut_descriptor: segments_of_45_bytes ZBJ-038 ZBJ-062
    Record 1 is corrupt, and the next descriptor is cut. The records after record 1 may belong to
    the cut segment, so none is proven.
    damage: flip bit 0 of journal-1.log:records[0].data.entry.term
    damage: truncate at 40 in journal-2.log
    flushed: 6
    expect: damaged checksum-mismatch, survivors 4 5
sealed_record_damaged_before_a_cut_descriptor: three_segments ZBJ-038 ZBJ-039
    Record 2 is corrupt, and the next descriptor is cut. The lost range of the cut segment covers
    records 3 and 4, so a reader lists no gap.
    damage: flip bit 0 of journal-1.log:records[1].metadata.checksum
    damage: truncate at 40 in journal-2.log
    expect: damaged checksum-mismatch, survivors 0 4 5, end 254
second_descriptor_of_65_bytes_flipped: second_descriptor_of_65_bytes ZBJ-040 ZBJ-065
    The checksum of a descriptor of 65 bytes is wrong. Record 2 begins at an unknown offset, and
    records 2 to 4 form a chain up to the next segment.
    damage: flip bit 0 of journal-2.log:descriptor.metadata.checksum
    expect: damaged descriptor-checksum, survivors 0-5
first_of_three_versions_flipped: three_segments ZBJ-011 ZBJ-040
    One bit of the version of the first descriptor is flipped. The later segments have a known
    version and prove records 1 and 2.
    damage: flip bit 0 of journal-1.log:descriptor.version
    expect: damaged unknown-version, survivors 0-5, end 254
first_of_three_schemas_flipped: three_segments ZBJ-011 ZBJ-040
    One bit of the schema in the first DescriptorMetadata is flipped.
    damage: flip bit 0 of journal-1.log:descriptor.metadata.header.schema_id
    expect: damaged bad-descriptor, survivors 0-5, end 254
sealed_record_zeroed_before_a_cut_descriptor: three_segments ZBJ-037 ZBJ-060
    Record 2 is zeroed, and the next descriptor is cut. The seal shows that record 2 is lost.
    damage: zero journal-1.log:records[1]
    damage: truncate at 40 in journal-2.log
    expect: damaged missing-records, survivors 0 4 5, end 254
frame_of_a_seal_of_sbe_version_3: sealed_segment_of_sbe_version_3 ZBJ-013 ZBJ-062
    The frame of the last record is zeroed. The seal of SBE version 3 proves the record.
    damage: zero records[3].frame
    expect: damaged unknown-frame, survivors 0-3, end none
""")
