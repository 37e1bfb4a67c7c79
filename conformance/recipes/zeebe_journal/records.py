"""Damage to the frame, the headers, the checksum and the lengths of a record."""

from crc32c import crc32c

from conformance.recipes.zeebe_journal.layout import one_segment
from conformance.recipes.zeebe_journal.log import (
    ALPHA,
    BOOK,
    INITIAL,
    ZeebeLog,
    flushed_below_and_at,
    wider_record,
)
from reference_impl.zeebe_journal.writer import pack_record

THROWS = "Zeebe fails to open with an IllegalArgumentException, whatever is flushed."


@flushed_below_and_at(one_segment, "frame", "ZBJ-016", "ZBJ-041", below=2, at=4)
def frame_zeroed(log: ZeebeLog) -> None:
    """The frame byte of the third record is zero: the log ends there."""
    log.zero("records[2].frame")
    if log.context["last_flushed_index"] == 4:
        log.expect("damaged", "missing-records", survivors=[0, 1], end=None)
    else:
        log.expect("intact", survivors=[0, 1], end=222)


@flushed_below_and_at(one_segment, "frame", "ZBJ-016", below=3, at=4)
def last_frame_zeroed(log: ZeebeLog) -> None:
    """A whole last record with a frame byte of zero was never finished, unless it was flushed."""
    log.zero("records[3].frame")
    if log.context["last_flushed_index"] == 4:
        log.expect("damaged", "missing-records", survivors=[0, 1, 2], end=None)
    else:
        log.expect("intact", survivors=[0, 1, 2], end=321)


@flushed_below_and_at(one_segment, "frame", "ZBJ-016", "ZBJ-025", below=2, at=4)
def frame_of_an_unknown_version(log: ZeebeLog) -> None:
    """A frame byte of 2 announces a layout that nobody knows: the log ends there."""
    log.set("records[2].frame", 2)
    log.stops("unknown-frame", [0, 1], end=222)
    log.note("Zeebe takes every frame byte but 0 for 1.")


@BOOK.damaged(one_segment, "frame", "ZBJ-016")
def frame_of_ff(log: ZeebeLog) -> None:
    """A frame byte of ff, as erased flash reads."""
    log.set("records[3].frame", 255)
    log.stops("unknown-frame", [0, 1, 2], end=321)


@flushed_below_and_at(one_segment, "header", "ZBJ-026", below=2, at=4)
def metadata_schema_flipped(log: ZeebeLog) -> None:
    """The metadata has another schema."""
    log.flip("records[2].metadata.header.schema_id", 0)
    log.stops("bad-header", [0, 1], end=222)


@flushed_below_and_at(one_segment, "header", "ZBJ-026", below=2, at=3)
def metadata_template_flipped(log: ZeebeLog) -> None:
    """The metadata names the template of another message."""
    log.flip("records[2].metadata.header.template_id", 1)
    log.stops("bad-header", [0, 1], end=222)


@BOOK.damaged(one_segment, "header", "ZBJ-005", "ZBJ-026")
def metadata_block_too_short(log: ZeebeLog) -> None:
    """A block of 11 bytes cannot hold checksum and length."""
    log.set("records[2].metadata.header.len_block", 11)
    log.stops("bad-header", [0, 1], end=222)


@BOOK.damaged(one_segment, "header", "ZBJ-005", "ZBJ-028")
def metadata_block_too_long(log: ZeebeLog) -> None:
    """A block of 13 bytes moves the data message by one: its checksum fails."""
    log.set("records[2].metadata.header.len_block", 13)
    log.stops("checksum-mismatch", [0, 1], end=222)


@BOOK.damaged(one_segment, "header", "ZBJ-005", kind="limit")
def metadata_version_99(log: ZeebeLog) -> None:
    """The version of the metadata is not checked: nothing is lost."""
    log.set("records[2].metadata.header.version", 99)
    log.expect("intact", survivors=range(4), end=422)


@flushed_below_and_at(one_segment, "header", "ZBJ-029", "ZBJ-036", below=2, at=4)
def data_schema_changed(log: ZeebeLog) -> None:
    """The data message has another schema, and the checksum is right: not an unfinished write."""
    log.set("records[2].data.header.schema_id", 8)
    log.reseal("records[2]")
    log.expect("damaged", "data-header", survivors=[0, 1], end=None)
    log.note("With nothing flushed from here on Zeebe drops the record in silence.")


@BOOK.damaged(one_segment, "header", "ZBJ-029", "ZBJ-036")
def data_block_too_short(log: ZeebeLog) -> None:
    """A data block of 15 bytes cannot hold index and asqn."""
    log.set("records[2].data.header.len_block", 15)
    log.reseal("records[2]")
    log.expect("damaged", "data-header", survivors=[0, 1], end=None)


@flushed_below_and_at(one_segment, "checksum", "ZBJ-017", "ZBJ-028", "ZBJ-033", below=1, at=4)
def checksum_flipped(log: ZeebeLog) -> None:
    """One bit of a checksum: the log ends there, although whole records follow."""
    log.shows("bit-in-a-checksum")
    log.flip("records[1].metadata.checksum", 3)
    log.stops("checksum-mismatch", [0], end=123)


@BOOK.damaged(one_segment, "checksum", "ZBJ-017", "ZBJ-028")
def checksum_upper_half_set(log: ZeebeLog) -> None:
    """The upper half of the checksum is compared too."""
    log.flip("records[2].metadata.checksum", 40)
    log.stops("checksum-mismatch", [0, 1], end=222)


@BOOK.damaged(one_segment, "checksum", "ZBJ-017")
def checksum_zeroed(log: ZeebeLog) -> None:
    """A checksum of zero is no wildcard."""
    log.zero("records[2].metadata.checksum")
    log.stops("checksum-mismatch", [0, 1], end=222)


@flushed_below_and_at(one_segment, "checksum", "ZBJ-028", below=3, at=4)
def payload_flipped(log: ZeebeLog) -> None:
    """One bit of the last payload."""
    log.shows("bit-in-a-payload")
    log.flip("records[3].data.entry.application_entry.application_data", 7)
    log.stops("checksum-mismatch", [0, 1, 2], end=321)


@BOOK.damaged(one_segment, "checksum", "ZBJ-017", "ZBJ-028")
def data_version_flipped(log: ZeebeLog) -> None:
    """The checksum covers the header of the data message."""
    log.flip("records[2].data.header.version", 0)
    log.stops("checksum-mismatch", [0, 1], end=222)


@BOOK.damaged(one_segment, "checksum", "ZBJ-017", "ZBJ-028")
def asqn_flipped(log: ZeebeLog) -> None:
    """The checksum covers index and asqn."""
    log.flip("records[1].data.asqn", 1)
    log.stops("checksum-mismatch", [0], end=123)


@BOOK.damaged(one_segment, "checksum", "ZBJ-017")
def checksum_of_the_payload_alone(log: ZeebeLog) -> None:
    """A checksum over the payload, as the source document says, is wrong."""
    field = log.field("records[3].data.entry")
    log.set("records[3].metadata.checksum", crc32c(bytes(log.data[field.start : field.end])))
    log.stops("checksum-mismatch", [0, 1, 2], end=321)


@flushed_below_and_at(one_segment, "length", "ZBJ-027", below=2, at=3)
def length_beyond_the_segment(log: ZeebeLog) -> None:
    """A length that reaches past the end of the segment."""
    log.set("records[2].metadata.len_data", 5000)
    log.stops("bad-length", [0, 1], end=222)


@flushed_below_and_at(one_segment, "length", "ZBJ-027", below=2, at=3)
def length_negative(log: ZeebeLog) -> None:
    """A negative length."""
    log.set("records[2].metadata.len_data", 0xFFFFFFFF)
    log.stops("bad-length", [0, 1], end=222)
    log.note(THROWS)


@flushed_below_and_at(one_segment, "length", "ZBJ-027", "ZBJ-046", below=2, at=3)
def length_that_overflows(log: ZeebeLog) -> None:
    """A length of 2147483647: with the offset it overflows 32 bits, and nothing is reserved."""
    log.set("records[2].metadata.len_data", 0x7FFFFFFF)
    log.stops("bad-length", [0, 1], end=222)
    log.note(THROWS)


@BOOK.damaged(one_segment, "length", "ZBJ-028")
def length_one_too_few(log: ZeebeLog) -> None:
    """A shorter length covers other bytes: the checksum fails."""
    log.set("records[2].metadata.len_data", 77)
    log.stops("checksum-mismatch", [0, 1], end=222)


@BOOK.damaged(one_segment, "length", "ZBJ-028")
def length_one_too_many(log: ZeebeLog) -> None:
    """A longer length covers other bytes: the checksum fails."""
    log.set("records[2].metadata.len_data", 79)
    log.stops("checksum-mismatch", [0, 1], end=222)


@BOOK.damaged(one_segment, "length", "ZBJ-029", "ZBJ-036")
def length_zero_with_checksum_zero(log: ZeebeLog) -> None:
    """A data message of no bytes, whose checksum is 0, holds no record."""
    log.zero("records[2].metadata.len_data")
    log.zero("records[2].metadata.checksum")
    log.expect("damaged", "data-header", survivors=[0, 1], end=None)
    log.note("Zeebe accepts the record with the bytes that happen to follow.")


@BOOK.damaged(one_segment, "length", "ZBJ-018", "ZBJ-030", "ZBJ-036")
def payload_length_too_short(log: ZeebeLog) -> None:
    """The payload is one byte shorter than its message says, under a right checksum."""
    log.set("records[2].data.len_entry", 49)
    log.reseal("records[2]")
    log.expect("damaged", "data-length", survivors=[0, 1], end=None)
    log.note("Zeebe returns the shorter payload.")


@flushed_below_and_at(one_segment, "length", "ZBJ-018", "ZBJ-030", "ZBJ-036", below=2, at=4)
def payload_length_too_long(log: ZeebeLog) -> None:
    """The payload is four bytes longer than its message, under a right checksum."""
    log.set("records[2].data.len_entry", 54)
    log.reseal("records[2]")
    log.expect("damaged", "data-length", survivors=[0, 1], end=None)
    log.note("Zeebe returns a payload that overruns into the next record.")


@BOOK.damaged(one_segment, "length", "ZBJ-018", "ZBJ-030", "ZBJ-036")
def payload_length_beyond_the_segment(log: ZeebeLog) -> None:
    """The payload would reach past the end of the segment, under a right checksum."""
    log.set("records[2].data.len_entry", 5000)
    log.reseal("records[2]")
    log.expect("damaged", "data-length", survivors=[0, 1], end=None)
    log.note(THROWS)


@BOOK.damaged(one_segment, "length", "ZBJ-018", "ZBJ-030")
def payload_length_of_ff(log: ZeebeLog) -> None:
    """A payload of 4294967295 bytes, under a right checksum."""
    log.fill("records[2].data.len_entry", 0xFF)
    log.reseal("records[2]")
    log.expect("damaged", "data-length", survivors=[0, 1], end=None)


def _put(log: ZeebeLog, record: bytes) -> None:
    log.segment(INITIAL)
    log.data[123 : 123 + len(record)] = record
    log.payloads.append(ALPHA[0])


@BOOK.valid("future", "ZBJ-005")
def metadata_with_a_newer_field(log: ZeebeLog) -> None:
    """Metadata of a newer schema has four more bytes: they are skipped."""
    _put(log, wider_record(pack_record(2, 1, ALPHA[0]), metadata=b"newm"))
    log.expect("intact", survivors=range(2), end=226)


@BOOK.valid("future", "ZBJ-005", "ZBJ-018")
def data_with_a_newer_field(log: ZeebeLog) -> None:
    """A data message of a newer schema has eight more bytes before the payload."""
    _put(log, wider_record(pack_record(2, 1, ALPHA[0]), data=b"newdata."))
    log.expect("intact", survivors=range(2), end=230)


@BOOK.valid("future", "ZBJ-005", "ZBJ-018")
def both_messages_with_newer_fields(log: ZeebeLog) -> None:
    """Both messages of a record are longer than in any known version."""
    _put(log, wider_record(pack_record(2, 1, ALPHA[0]), b"newm", b"newdata."))
    log.expect("intact", survivors=range(2), end=234)


@BOOK.damaged(one_segment, "future", "ZBJ-005", kind="limit")
def metadata_version_0(log: ZeebeLog) -> None:
    """A version of 0 is not checked either."""
    log.zero("records[1].metadata.header.version")
    log.expect("intact", survivors=range(4), end=422)
