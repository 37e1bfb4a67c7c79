"""Damage to descriptors, field by field."""

from crc32c import crc32c

from conformance.recipes.zeebe_journal.layout import (
    descriptor_of_45_bytes,
    descriptor_of_version_1,
    one_segment,
    three_segments,
    two_segments,
)
from conformance.recipes.zeebe_journal.log import (
    BOOK,
    FOUR,
    INITIAL,
    ZeebeLog,
    flushed_below_and_at,
    wider_descriptor,
)
from reference_impl.zeebe_journal.layout import DESCRIPTOR_BLOCK, SBE_HEADER, SEAL
from reference_impl.zeebe_journal.writer import pack_record

SECOND = "journal-2.log"


@flushed_below_and_at(three_segments, "descriptor", "ZBJ-009", "ZBJ-040", "ZBJ-039", below=2, at=3)
def second_descriptor_checksum_flipped(log: ZeebeLog) -> None:
    """One bit of the checksum of the second descriptor: the log ends before it."""
    log.flip(f"{SECOND}:descriptor.metadata.checksum", 0)
    log.stops("descriptor-checksum", [0, 1], end=222)


@BOOK.damaged(three_segments, "descriptor", "ZBJ-009")
def second_descriptor_checksum_upper_half(log: ZeebeLog) -> None:
    """The upper half of the checksum is compared too."""
    log.flip(f"{SECOND}:descriptor.metadata.checksum", 63)
    log.stops("descriptor-checksum", [0, 1], end=222)


@BOOK.damaged(three_segments, "descriptor", "ZBJ-009")
def second_descriptor_id_flipped(log: ZeebeLog) -> None:
    """The checksum covers the id."""
    log.flip(f"{SECOND}:descriptor.segment.id", 2)
    log.stops("descriptor-checksum", [0, 1], end=222)


@BOOK.damaged(three_segments, "descriptor", "ZBJ-009")
def second_descriptor_index_flipped(log: ZeebeLog) -> None:
    """The checksum covers the index."""
    log.flip(f"{SECOND}:descriptor.segment.index", 4)
    log.stops("descriptor-checksum", [0, 1], end=222)


@BOOK.damaged(three_segments, "descriptor", "ZBJ-009")
def second_descriptor_size_flipped(log: ZeebeLog) -> None:
    """The checksum covers the maximal segment size."""
    log.flip(f"{SECOND}:descriptor.segment.max_segment_size", 9)
    log.stops("descriptor-checksum", [0, 1], end=222)


@BOOK.damaged(three_segments, "descriptor", "ZBJ-009")
def second_descriptor_seal_flipped(log: ZeebeLog) -> None:
    """The checksum covers last index and last position."""
    log.flip(f"{SECOND}:descriptor.segment.last_position", 0)
    log.stops("descriptor-checksum", [0, 1], end=222)


@BOOK.damaged(three_segments, "descriptor", "ZBJ-009")
def second_descriptor_header_version_flipped(log: ZeebeLog) -> None:
    """The checksum covers the header of the message."""
    log.flip(f"{SECOND}:descriptor.segment.header.version", 0)
    log.stops("descriptor-checksum", [0, 1], end=222)


@flushed_below_and_at(three_segments, "descriptor", "ZBJ-011", "ZBJ-040", below=2, at=4)
def second_descriptor_version_3(log: ZeebeLog) -> None:
    """The second descriptor has version 3, which only an alpha release wrote."""
    log.set(f"{SECOND}:descriptor.version", 3)
    log.stops("unknown-version", [0, 1], end=222)


@BOOK.damaged(three_segments, "descriptor", "ZBJ-011")
def second_descriptor_version_0(log: ZeebeLog) -> None:
    """The second descriptor has version 0."""
    log.zero(f"{SECOND}:descriptor.version")
    log.stops("unknown-version", [0, 1], end=222)


@flushed_below_and_at(three_segments, "descriptor", "ZBJ-005", "ZBJ-040", below=2, at=3)
def second_descriptor_schema_flipped(log: ZeebeLog) -> None:
    """The metadata of the second descriptor has another schema."""
    log.fill(f"{SECOND}:descriptor.metadata.header.schema_id", 0xF8)
    log.stops("bad-descriptor", [0, 1], end=222)
    log.note("What Zeebe's own LogCorrupter does, without cutting the file.")


@BOOK.damaged(three_segments, "descriptor", "ZBJ-005", "ZBJ-040")
def second_descriptor_template_flipped(log: ZeebeLog) -> None:
    """The second descriptor names the template of another message."""
    log.flip(f"{SECOND}:descriptor.segment.header.template_id", 2)
    log.stops("bad-descriptor", [0, 1], end=222)


@BOOK.damaged(three_segments, "descriptor", "ZBJ-005", "ZBJ-010", "ZBJ-040")
def second_descriptor_metadata_block_changed(log: ZeebeLog) -> None:
    """A longer metadata block moves the message after it."""
    log.set(f"{SECOND}:descriptor.metadata.header.len_block", 9)
    log.stops("bad-descriptor", [0, 1], end=222)


@BOOK.damaged(three_segments, "descriptor", "ZBJ-010", "ZBJ-040")
def second_descriptor_block_too_long(log: ZeebeLog) -> None:
    """A block longer than the file: the file ends inside the descriptor."""
    log.set(f"{SECOND}:descriptor.segment.header.len_block", 60000)
    log.stops("torn-descriptor", [0, 1], end=222)


@BOOK.damaged(three_segments, "descriptor", "ZBJ-010", "ZBJ-040")
def second_descriptor_block_too_short(log: ZeebeLog) -> None:
    """A block of 8 bytes cannot hold id, index and size."""
    log.set(f"{SECOND}:descriptor.segment.header.len_block", 8)
    log.stops("bad-descriptor", [0, 1], end=222)


@flushed_below_and_at(three_segments, "descriptor", "ZBJ-040", below=2, at=3, kind="eof")
def second_descriptor_cut(log: ZeebeLog) -> None:
    """The second segment ends inside its descriptor."""
    log.truncate(40, SECOND)
    log.stops("torn-descriptor", [0, 1], end=222)


@BOOK.damaged(three_segments, "descriptor", "ZBJ-040", kind="eof")
def second_descriptor_cut_to_one_byte(log: ZeebeLog) -> None:
    """The second segment is one byte long."""
    log.truncate(1, SECOND)
    log.stops("torn-descriptor", [0, 1], end=222)


@flushed_below_and_at(one_segment, "descriptor", "ZBJ-009", "ZBJ-040", below=None, at=4)
def first_descriptor_checksum_flipped(log: ZeebeLog) -> None:
    """The only descriptor fails its checksum: nothing can be read."""
    log.flip("descriptor.metadata.checksum", 5)
    log.stops("descriptor-checksum", [], end=0)
    log.note("With nothing flushed Zeebe deletes the file and begins anew.")


@BOOK.damaged(one_segment, "descriptor", "ZBJ-011")
def first_descriptor_version_3(log: ZeebeLog) -> None:
    """Version 3, which only 8.3.0-alpha3 wrote, must not be guessed at."""
    log.set("descriptor.version", 3)
    log.flushed(4)
    log.expect("refused", "unknown-version", survivors=[])


@BOOK.damaged(one_segment, "descriptor", "ZBJ-011")
def first_descriptor_version_0(log: ZeebeLog) -> None:
    """Version 0 must not be guessed at."""
    log.zero("descriptor.version")
    log.flushed(4)
    log.expect("refused", "unknown-version", survivors=[])


@BOOK.damaged(one_segment, "descriptor", "ZBJ-005", "ZBJ-011")
def first_descriptor_schema_changed(log: ZeebeLog) -> None:
    """A first segment with another schema is not of this format."""
    log.set("descriptor.metadata.header.schema_id", 8)
    log.flushed(4)
    log.expect("refused", "bad-descriptor", survivors=[])


@BOOK.damaged(one_segment, "descriptor", "ZBJ-011")
def first_descriptor_version_flipped(log: ZeebeLog) -> None:
    """One flipped bit turns version 2 into version 3."""
    log.flip("descriptor.version", 0)
    log.expect("refused", "unknown-version", survivors=[])


@BOOK.damaged(one_segment, "descriptor", "ZBJ-005", "ZBJ-011")
def first_descriptor_template_flipped(log: ZeebeLog) -> None:
    """One flipped bit turns the first descriptor into another message."""
    log.flip("descriptor.segment.header.template_id", 2)
    log.expect("refused", "bad-descriptor", survivors=[])


@BOOK.damaged(one_segment, "descriptor", "ZBJ-011")
def text_file(log: ZeebeLog) -> None:
    """A text file is not a journal."""
    log.data = bytearray(b"2026-11-21 10:00:00 INFO broker started\n" * 8)
    log.did("replace the log by lines of text")
    log.flushed(4)
    log.expect("refused", "unknown-version", survivors=[])


@BOOK.damaged(one_segment, "descriptor", "ZBJ-040", kind="eof")
def first_descriptor_cut(log: ZeebeLog) -> None:
    """The only segment ends inside its descriptor."""
    log.truncate(30)
    log.stops("torn-descriptor", [], end=0)


@BOOK.damaged(three_segments, "descriptor", "ZBJ-061", kind="eof")
def second_descriptor_of_one_foreign_byte(log: ZeebeLog) -> None:
    """The second segment is one byte long, and that is 3: the version is looked at first."""
    log.set(f"{SECOND}:descriptor.version", 3)
    log.truncate(1, SECOND)
    log.stops("unknown-version", [0, 1], end=222)


@BOOK.damaged(three_segments, "descriptor", "ZBJ-061", kind="eof")
def second_descriptor_cut_in_a_foreign_header(log: ZeebeLog) -> None:
    """The second segment ends inside a header of another schema: nobody knows the header."""
    log.set(f"{SECOND}:descriptor.metadata.header.schema_id", 8)
    log.truncate(8, SECOND)
    log.stops("torn-descriptor", [0, 1], end=222)


@BOOK.damaged(three_segments, "descriptor", "ZBJ-061", kind="eof")
def second_descriptor_cut_after_a_foreign_header(log: ZeebeLog) -> None:
    """The second segment ends after a header of another template, where its block would be."""
    log.set(f"{SECOND}:descriptor.segment.header.template_id", 5)
    log.truncate(25, SECOND)
    log.stops("bad-descriptor", [0, 1], end=222)


@BOOK.damaged(three_segments, "descriptor", "ZBJ-061")
def second_descriptor_with_a_bad_checksum_and_template(log: ZeebeLog) -> None:
    """A wrong checksum and a wrong template: the message is looked at before its checksum."""
    log.flip(f"{SECOND}:descriptor.metadata.checksum", 0)
    log.set(f"{SECOND}:descriptor.segment.header.template_id", 5)
    log.stops("bad-descriptor", [0, 1], end=222)


@BOOK.damaged(one_segment, "descriptor", "ZBJ-011", "ZBJ-061", kind="eof")
def first_descriptor_of_one_foreign_byte(log: ZeebeLog) -> None:
    """The log is one byte, and that is 3: refused, not torn."""
    log.set("descriptor.version", 3)
    log.truncate(1)
    log.expect("refused", "unknown-version", survivors=[])


@BOOK.damaged(descriptor_of_45_bytes, "descriptor", "ZBJ-007", "ZBJ-009")
def short_descriptor_index_flipped(log: ZeebeLog) -> None:
    """The checksum of a descriptor of 45 bytes covers 28 bytes."""
    log.flip("descriptor.segment.index", 0)
    log.stops("descriptor-checksum", [], end=0)


@BOOK.damaged(descriptor_of_version_1, "descriptor", "ZBJ-006", "ZBJ-031")
def descriptor_of_version_1_index_flipped(log: ZeebeLog) -> None:
    """Version 1 has no checksum: a wrong index shows at the first record only."""
    log.flip("descriptor.segment.index", 1)
    log.expect("damaged", "index-mismatch", survivors=[], end=None)


@BOOK.valid("future", "ZBJ-010", "ZBJ-013")
def descriptor_with_newer_fields(log: ZeebeLog) -> None:
    """A descriptor of SBE version 3 with eight more bytes: the first record stands at 65."""
    descriptor = wider_descriptor(b"newfield")
    log.data = bytearray((descriptor + pack_record(1, -1, INITIAL[0])).ljust(512, b"\0"))
    log.payloads = [INITIAL[0]]
    log.expect("intact", survivors=[0], end=131)


def _bare(log: ZeebeLog, version_byte: int, version: int, block: bytes) -> None:
    message = SBE_HEADER.pack(len(block), 3, 7, version) + block
    head = b"\x01" + message
    if version_byte == 2:
        metadata = SBE_HEADER.pack(8, 4, 7, version) + crc32c(message).to_bytes(8, "little")
        head = b"\x02" + metadata + message
    records = b"".join(pack_record(n, asqn, p, 1) for n, (p, asqn) in enumerate(FOUR, 1))
    log.data = bytearray((head + records).ljust(512, b"\0"))
    log.payloads = [payload for payload, _ in FOUR]
    log.expect("intact", survivors=range(4), end=len(head + records))


KNOWN = DESCRIPTOR_BLOCK.pack(1, 1, 512)


@BOOK.valid("future", "ZBJ-013", "ZBJ-061", kind="limit")
def descriptor_of_version_2_with_a_block_of_20_bytes(log: ZeebeLog) -> None:
    """SBE version 2, and a block of 20 bytes: a descriptor without a seal, the records at 45."""
    _bare(log, 2, 2, KNOWN)


@BOOK.valid("future", "ZBJ-013", "ZBJ-061", kind="limit")
def descriptor_of_version_2_with_a_block_of_31_bytes(log: ZeebeLog) -> None:
    """SBE version 2, and a block of 31 bytes: no room for a seal, the records at 56."""
    _bare(log, 2, 2, KNOWN + SEAL.pack(9, 9)[:11])


@BOOK.valid("future", "ZBJ-013", "ZBJ-061", kind="limit")
def descriptor_of_version_1_with_a_block_of_32_bytes(log: ZeebeLog) -> None:
    """SBE version 1, and 12 bytes more that read like a seal of index 9: there is none."""
    _bare(log, 2, 1, KNOWN + SEAL.pack(9, 9))


@BOOK.valid("future", "ZBJ-006", "ZBJ-013", "ZBJ-061", kind="limit")
def version_byte_1_with_a_block_of_32_bytes(log: ZeebeLog) -> None:
    """Version byte 1, SBE version 2, and 12 bytes that read like a seal: there is none."""
    _bare(log, 1, 2, KNOWN + SEAL.pack(9, 9))


@BOOK.damaged(one_segment, "future", "ZBJ-010", kind="limit")
def descriptor_metadata_version_99(log: ZeebeLog) -> None:
    """The version of the metadata is not checked, and no checksum covers it."""
    log.set("descriptor.metadata.header.version", 99)
    log.expect("intact", survivors=range(len(FOUR)), end=422)


@BOOK.damaged(two_segments, "sealed", "ZBJ-013", kind="limit")
def seal_with_a_wrong_position(log: ZeebeLog) -> None:
    """The position of the last record is off by one: the segment is scanned instead."""
    log.set("journal-1.log:descriptor.segment.last_position", 124)
    log.reseal_descriptor("journal-1.log")
    log.expect("intact", survivors=range(4))


@BOOK.damaged(two_segments, "sealed", "ZBJ-013", kind="limit")
def seal_out_of_range(log: ZeebeLog) -> None:
    """A last index and position beyond the signed range mean that there is no seal."""
    log.fill("journal-1.log:descriptor.segment.last_index", 0xFF)
    log.fill("journal-1.log:descriptor.segment.last_position", 0xFF)
    log.reseal_descriptor("journal-1.log")
    log.expect("intact", survivors=range(4))


@BOOK.damaged(two_segments, "sealed", "ZBJ-013", "ZBJ-037", kind="limit")
def seal_that_promises_too_much(log: ZeebeLog) -> None:
    """The seal says index 9, but the next segment takes over at 3: nothing is missing."""
    log.set("journal-1.log:descriptor.segment.last_index", 9)
    log.reseal_descriptor("journal-1.log")
    log.expect("intact", survivors=range(4))
