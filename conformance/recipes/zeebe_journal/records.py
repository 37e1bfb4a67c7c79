"""Damage to the frame, the headers, the checksum and the lengths of a record."""

from crc32c import crc32c

from conformance.recipes.zeebe_journal.layout import one_segment
from conformance.recipes.zeebe_journal.log import (
    ALPHA,
    CHECKSUM_GROUP,
    FRAME,
    FUTURE,
    HEADER,
    INITIAL,
    LENGTH,
    ZeebeLog,
    flushed_below_and_at,
    wider_record,
)
from reference_impl.zeebe_journal.writer import pack_record

THROWS = "Zeebe fails to open the log with an IllegalArgumentException, for any flushed index."


@flushed_below_and_at(one_segment, FRAME, "ZBJ-016", "ZBJ-041", below=2, at=4)
def frame_zeroed(log: ZeebeLog) -> None:
    """The frame of the third record is zeroed. The segment ends there, unless the record was
    flushed."""
    log.zero("records[2].frame")
    if log.context["last_flushed_index"] == 4:
        log.expect("damaged", "unknown-frame", survivors=range(4), end=None)
    else:
        log.expect("intact", survivors=[0, 1], end=222)


@flushed_below_and_at(one_segment, FRAME, "ZBJ-016", below=3, at=4)
def last_frame_zeroed(log: ZeebeLog) -> None:
    """The frame of the last record is zeroed."""
    log.zero("records[3].frame")
    if log.context["last_flushed_index"] == 4:
        log.expect("damaged", "unknown-frame", survivors=range(4), end=None)
    else:
        log.expect("intact", survivors=[0, 1, 2], end=321)


@flushed_below_and_at(one_segment, FRAME, "ZBJ-016", "ZBJ-025", below=2, at=4)
def frame_of_an_unknown_version(log: ZeebeLog) -> None:
    """The frame of the third record is 2, which is invalid. The rest is as expected, so a reader
    returns the record."""
    log.set("records[2].frame", 2)
    log.expect("damaged", "unknown-frame", survivors=range(4), end=None)
    log.note("Zeebe reads every frame except 0 as 1.")


FRAME.table("""
frame_of_ff: one_segment ZBJ-016
    The frame of the last record is FF, the value of erased flash memory.
    damage: set records[3].frame to 255
    expect: damaged unknown-frame, survivors 0-3, end none
frame_and_payload_of_an_unflushed_record: one_segment ZBJ-016 ZBJ-063 corrupt
    The frame of the third record is 2, its payload is corrupt, and nothing was flushed.
    damage: flip bit 0 of records[2].data.entry.term
    damage: set records[2].frame to 2
    expect: torn unknown-frame, survivors 0 1, end 222
""")


@flushed_below_and_at(one_segment, HEADER, "ZBJ-025", below=2, at=4)
def metadata_schema_flipped(log: ZeebeLog) -> None:
    """One bit of the schema in the metadata of the third record is flipped."""
    log.flip("records[2].metadata.header.schema_id", 0)
    if log.context["last_flushed_index"] > 2:
        log.expect("damaged", "bad-header", survivors=[0, 1, 3], end=None)
    else:
        log.expect("torn", "bad-header", survivors=[0, 1], end=222)


@flushed_below_and_at(one_segment, HEADER, "ZBJ-025", below=2, at=3)
def metadata_template_flipped(log: ZeebeLog) -> None:
    """One bit of the template in the metadata of the third record is flipped."""
    log.flip("records[2].metadata.header.template_id", 1)
    if log.context["last_flushed_index"] > 2:
        log.expect("damaged", "bad-header", survivors=[0, 1, 3], end=None)
    else:
        log.expect("torn", "bad-header", survivors=[0, 1], end=222)


@HEADER.damaged(one_segment, "ZBJ-005", "ZBJ-025", kind="corrupt")
def metadata_block_too_short(log: ZeebeLog) -> None:
    """The metadata of the third record has a block of 11 bytes, too short for the checksum and the
    length."""
    log.set("records[2].metadata.header.len_block", 11)
    log.stops("bad-header", [0, 1], end=222)


@HEADER.damaged(one_segment, "ZBJ-005", "ZBJ-025", kind="corrupt")
def metadata_block_too_long(log: ZeebeLog) -> None:
    """The metadata of the third record has a block of 13 bytes. The data message begins one byte
    too late, so its checksum is invalid."""
    log.set("records[2].metadata.header.len_block", 13)
    log.stops("checksum-mismatch", [0, 1], end=222)


@flushed_below_and_at(one_segment, HEADER, "ZBJ-025", below=2, at=4)
def data_schema_changed(log: ZeebeLog) -> None:
    """The data message of the third record has another schema and a valid checksum. This is always
    damage."""
    log.set("records[2].data.header.schema_id", 8)
    log.reseal("records[2]")
    survivors = [0, 1] if log.context["last_flushed_index"] == 2 else [0, 1, 3]
    log.expect("damaged", "data-header", survivors, end=None)
    log.note("If no record from here on was flushed, Zeebe drops the record without an error.")


HEADER.table("""
metadata_version_99: one_segment ZBJ-005 limit
    The metadata of the third record has version 99. A reader does not check this version.
    damage: set records[2].metadata.header.version to 99
    expect: intact, survivors 0-3, end 422
data_block_too_short: one_segment ZBJ-025 ZBJ-035
    The data message of the third record has a block of 15 bytes, too short for an index and an
    asqn.
    damage: set records[2].data.header.len_block to 15
    damage: reseal records[2]
    expect: damaged data-header, survivors 0 1, end none
""")


@flushed_below_and_at(one_segment, CHECKSUM_GROUP, "ZBJ-017", "ZBJ-025", "ZBJ-022", below=1, at=4)
def checksum_flipped(log: ZeebeLog) -> None:
    """One bit of the checksum of the second record is flipped. The valid records after it are
    proven only if they were flushed."""
    log.shows("bit-in-a-checksum")
    log.flip("records[1].metadata.checksum", 3)
    if log.context["last_flushed_index"] > 1:
        log.expect("damaged", "checksum-mismatch", survivors=[0, 2, 3], end=None)
    else:
        log.expect("torn", "checksum-mismatch", survivors=[0], end=123)


@CHECKSUM_GROUP.damaged(one_segment, "ZBJ-017", "ZBJ-025", kind="corrupt")
def checksum_upper_half_set(log: ZeebeLog) -> None:
    """One bit in the upper half of the checksum of the third record is flipped. A reader compares
    all 64 bits."""
    log.flip("records[2].metadata.checksum", 40)
    log.stops("checksum-mismatch", [0, 1], end=222)


@CHECKSUM_GROUP.damaged(one_segment, "ZBJ-017", kind="corrupt")
def checksum_zeroed(log: ZeebeLog) -> None:
    """The checksum of the third record is zeroed. A reader compares this checksum like any other
    value."""
    log.zero("records[2].metadata.checksum")
    log.stops("checksum-mismatch", [0, 1], end=222)


@flushed_below_and_at(one_segment, CHECKSUM_GROUP, "ZBJ-025", below=3, at=4)
def payload_flipped(log: ZeebeLog) -> None:
    """One bit of the last payload is flipped."""
    log.shows("bit-in-a-payload")
    log.flip("records[3].data.entry.application_entry.application_data", 7)
    log.stops("checksum-mismatch", [0, 1, 2], end=321)


@CHECKSUM_GROUP.damaged(one_segment, "ZBJ-017", "ZBJ-025", kind="corrupt")
def data_version_flipped(log: ZeebeLog) -> None:
    """One bit of the version in the data message of the third record is flipped. The checksum
    covers the message header."""
    log.flip("records[2].data.header.version", 0)
    log.stops("checksum-mismatch", [0, 1], end=222)


@CHECKSUM_GROUP.damaged(one_segment, "ZBJ-017", "ZBJ-025", kind="corrupt")
def asqn_flipped(log: ZeebeLog) -> None:
    """One bit of the asqn of the second record is flipped. The checksum covers the asqn."""
    log.flip("records[1].data.asqn", 1)
    log.stops("checksum-mismatch", [0], end=123)


@CHECKSUM_GROUP.damaged(one_segment, "ZBJ-017", kind="corrupt")
def checksum_of_the_payload_alone(log: ZeebeLog) -> None:
    """The checksum of the last record covers only the payload, as the source document states. This
    checksum is invalid."""
    field = log.field("records[3].data.entry")
    log.set("records[3].metadata.checksum", crc32c(bytes(log.data[field.start : field.end])))
    log.stops("checksum-mismatch", [0, 1, 2], end=321)


@flushed_below_and_at(one_segment, LENGTH, "ZBJ-025", below=2, at=3)
def length_beyond_the_segment(log: ZeebeLog) -> None:
    """The length of the third record is 5000 bytes, which exceeds the segment."""
    log.set("records[2].metadata.len_data", 5000)
    if log.context["last_flushed_index"] > 2:
        log.expect("damaged", "bad-length", survivors=[0, 1, 3], end=None)
    else:
        log.expect("torn", "bad-length", survivors=[0, 1], end=222)


@flushed_below_and_at(one_segment, LENGTH, "ZBJ-025", below=2, at=3)
def length_negative(log: ZeebeLog) -> None:
    """The length of the third record is -1."""
    log.set("records[2].metadata.len_data", 0xFFFFFFFF)
    if log.context["last_flushed_index"] > 2:
        log.expect("damaged", "bad-length", survivors=[0, 1, 3], end=None)
    else:
        log.expect("torn", "bad-length", survivors=[0, 1], end=222)
    log.note(THROWS)


@flushed_below_and_at(one_segment, LENGTH, "ZBJ-025", "ZBJ-046", below=2, at=3)
def length_that_overflows(log: ZeebeLog) -> None:
    """The length of the third record is 2147483647 bytes, so the end offset overflows a signed
    32-bit integer. A reader must not allocate this much memory."""
    log.set("records[2].metadata.len_data", 0x7FFFFFFF)
    if log.context["last_flushed_index"] > 2:
        log.expect("damaged", "bad-length", survivors=[0, 1, 3], end=None)
    else:
        log.expect("torn", "bad-length", survivors=[0, 1], end=222)
    log.note(THROWS)


@LENGTH.damaged(one_segment, "ZBJ-025", kind="corrupt")
def length_one_too_few(log: ZeebeLog) -> None:
    """The length of the third record is one byte too small, so the checksum is invalid."""
    log.set("records[2].metadata.len_data", 77)
    log.stops("checksum-mismatch", [0, 1], end=222)


@LENGTH.damaged(one_segment, "ZBJ-025", kind="corrupt")
def length_one_too_many(log: ZeebeLog) -> None:
    """The length of the third record is one byte too large, so the checksum is invalid."""
    log.set("records[2].metadata.len_data", 79)
    log.stops("checksum-mismatch", [0, 1], end=222)


@LENGTH.damaged(one_segment, "ZBJ-025", "ZBJ-035", kind="corrupt")
def length_zero_with_checksum_zero(log: ZeebeLog) -> None:
    """The checksum and the length of the third record are 0, as after an unfinished write. The
    checksum of zero bytes is 0, so it proves nothing."""
    log.zero("records[2].metadata.len_data")
    log.zero("records[2].metadata.checksum")
    log.stops("bad-length", [0, 1], end=222)
    log.note("Zeebe returns a record with the bytes that follow.")


@flushed_below_and_at(one_segment, LENGTH, "ZBJ-018", "ZBJ-025", below=2, at=4)
def payload_length_too_long(log: ZeebeLog) -> None:
    """The payload length of the third record is four bytes too large, and the checksum is valid."""
    log.set("records[2].data.len_entry", 54)
    log.reseal("records[2]")
    log.expect("damaged", "data-length", survivors=[0, 1], end=None)
    log.note("Zeebe returns a payload with bytes of the next record.")


LENGTH.table("""
payload_length_too_short: one_segment ZBJ-018 ZBJ-025 ZBJ-035
    The payload length of the third record is one byte too small, and the checksum is valid.
    damage: set records[2].data.len_entry to 49
    damage: reseal records[2]
    expect: damaged data-length, survivors 0 1, end none
    note: Zeebe returns the shorter payload.
payload_length_beyond_the_segment: one_segment ZBJ-018 ZBJ-025 ZBJ-035
    The payload length of the third record is 5000 bytes, which exceeds the segment, and the
    checksum is valid.
    damage: set records[2].data.len_entry to 5000
    damage: reseal records[2]
    expect: damaged data-length, survivors 0 1, end none
    note: Zeebe fails to open the log with an IllegalArgumentException, for any flushed index.
payload_length_of_ff: one_segment ZBJ-018 ZBJ-025
    The payload length of the third record is 4294967295 bytes, and the checksum is valid.
    damage: fill records[2].data.len_entry with ff
    damage: reseal records[2]
    expect: damaged data-length, survivors 0 1, end none
""")


def _put(log: ZeebeLog, record: bytes) -> None:
    log.segment(INITIAL)
    log.data[123 : 123 + len(record)] = record
    log.payloads.append(ALPHA[0])


@FUTURE.valid("ZBJ-005")
def metadata_with_a_newer_field(log: ZeebeLog) -> None:
    """The metadata of a record has four bytes of newer fields. A reader skips these bytes."""
    _put(log, wider_record(pack_record(2, 1, ALPHA[0]), metadata=b"newm"))
    log.expect("intact", survivors=range(2), end=226)


@FUTURE.valid("ZBJ-005", "ZBJ-018")
def data_with_a_newer_field(log: ZeebeLog) -> None:
    """The data message of a record has eight bytes of newer fields before the payload length. A
    reader skips these bytes."""
    _put(log, wider_record(pack_record(2, 1, ALPHA[0]), data=b"newdata."))
    log.expect("intact", survivors=range(2), end=230)


@FUTURE.valid("ZBJ-005", "ZBJ-018")
def both_messages_with_newer_fields(log: ZeebeLog) -> None:
    """The metadata and the data message of a record have newer fields. A reader skips these
    fields."""
    _put(log, wider_record(pack_record(2, 1, ALPHA[0]), b"newm", b"newdata."))
    log.expect("intact", survivors=range(2), end=234)


@FUTURE.damaged(one_segment, "ZBJ-005", kind="limit")
def metadata_version_0(log: ZeebeLog) -> None:
    """The metadata of the second record has version 0. A reader does not check this version."""
    log.zero("records[1].metadata.header.version")
    log.expect("intact", survivors=range(4), end=422)
