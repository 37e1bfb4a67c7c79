"""Damage to the fields of descriptors."""

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
    """One bit of the checksum of the second descriptor is flipped."""
    log.flip(f"{SECOND}:descriptor.metadata.checksum", 0)
    log.stops("descriptor-checksum", [0, 1], end=222)


@BOOK.damaged(three_segments, "descriptor", "ZBJ-009")
def second_descriptor_checksum_upper_half(log: ZeebeLog) -> None:
    """One bit in the upper half of the checksum of the second descriptor is flipped. A reader
    compares all 64 bits.
    """
    log.flip(f"{SECOND}:descriptor.metadata.checksum", 63)
    log.stops("descriptor-checksum", [0, 1], end=222)


@BOOK.damaged(three_segments, "descriptor", "ZBJ-009")
def second_descriptor_id_flipped(log: ZeebeLog) -> None:
    """One bit of the id in the second descriptor is flipped. The checksum covers the id."""
    log.flip(f"{SECOND}:descriptor.segment.id", 2)
    log.stops("descriptor-checksum", [0, 1], end=222)


@BOOK.damaged(three_segments, "descriptor", "ZBJ-009")
def second_descriptor_index_flipped(log: ZeebeLog) -> None:
    """One bit of the index in the second descriptor is flipped. The checksum covers the index."""
    log.flip(f"{SECOND}:descriptor.segment.index", 4)
    log.stops("descriptor-checksum", [0, 1], end=222)


@BOOK.damaged(three_segments, "descriptor", "ZBJ-009")
def second_descriptor_size_flipped(log: ZeebeLog) -> None:
    """One bit of the maximum segment size in the second descriptor is flipped. The checksum covers
    the size.
    """
    log.flip(f"{SECOND}:descriptor.segment.max_segment_size", 9)
    log.stops("descriptor-checksum", [0, 1], end=222)


@BOOK.damaged(three_segments, "descriptor", "ZBJ-009")
def second_descriptor_seal_flipped(log: ZeebeLog) -> None:
    """One bit of the last position in the second descriptor is flipped. The checksum covers the
    seal.
    """
    log.flip(f"{SECOND}:descriptor.segment.last_position", 0)
    log.stops("descriptor-checksum", [0, 1], end=222)


@BOOK.damaged(three_segments, "descriptor", "ZBJ-009")
def second_descriptor_header_version_flipped(log: ZeebeLog) -> None:
    """One bit of the SBE version in the second descriptor is flipped. The checksum covers the
    message header.
    """
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
    """The DescriptorMetadata of the second segment has another schema."""
    log.fill(f"{SECOND}:descriptor.metadata.header.schema_id", 0xF8)
    log.stops("bad-descriptor", [0, 1], end=222)
    log.note("Zeebe's own LogCorrupter makes the same change, but also cuts the file.")


@BOOK.damaged(three_segments, "descriptor", "ZBJ-005", "ZBJ-040")
def second_descriptor_template_flipped(log: ZeebeLog) -> None:
    """One bit of the template in the second SegmentDescriptor is flipped."""
    log.flip(f"{SECOND}:descriptor.segment.header.template_id", 2)
    log.stops("bad-descriptor", [0, 1], end=222)


@BOOK.damaged(three_segments, "descriptor", "ZBJ-005", "ZBJ-010", "ZBJ-040")
def second_descriptor_metadata_block_changed(log: ZeebeLog) -> None:
    """The DescriptorMetadata of the second segment has a block of 9 bytes, so a reader looks for
    the SegmentDescriptor one byte too late.
    """
    log.set(f"{SECOND}:descriptor.metadata.header.len_block", 9)
    log.stops("bad-descriptor", [0, 1], end=222)


@BOOK.damaged(three_segments, "descriptor", "ZBJ-010", "ZBJ-040")
def second_descriptor_block_too_long(log: ZeebeLog) -> None:
    """The second SegmentDescriptor has a block length of 60000 bytes, so the file ends inside the
    descriptor.
    """
    log.set(f"{SECOND}:descriptor.segment.header.len_block", 60000)
    log.stops("torn-descriptor", [0, 1], end=222)


@BOOK.damaged(three_segments, "descriptor", "ZBJ-010", "ZBJ-040")
def second_descriptor_block_too_short(log: ZeebeLog) -> None:
    """The second SegmentDescriptor has a block of 8 bytes, too short for id, index and size."""
    log.set(f"{SECOND}:descriptor.segment.header.len_block", 8)
    log.stops("bad-descriptor", [0, 1], end=222)


@flushed_below_and_at(three_segments, "descriptor", "ZBJ-040", below=2, at=3, kind="eof")
def second_descriptor_cut(log: ZeebeLog) -> None:
    """The second segment ends inside its descriptor."""
    log.truncate(40, SECOND)
    log.stops("torn-descriptor", [0, 1], end=222)


@BOOK.damaged(three_segments, "descriptor", "ZBJ-040", kind="eof")
def second_descriptor_cut_to_one_byte(log: ZeebeLog) -> None:
    """The second segment is cut to one byte."""
    log.truncate(1, SECOND)
    log.stops("torn-descriptor", [0, 1], end=222)


@flushed_below_and_at(one_segment, "descriptor", "ZBJ-009", "ZBJ-040", below=None, at=4)
def first_descriptor_checksum_flipped(log: ZeebeLog) -> None:
    """One bit of the checksum of the only descriptor is flipped, so no record can be read."""
    log.flip("descriptor.metadata.checksum", 5)
    log.stops("descriptor-checksum", [], end=0)
    log.note("If nothing was flushed, Zeebe deletes the file and creates a new journal.")


@BOOK.damaged(one_segment, "descriptor", "ZBJ-011")
def first_descriptor_version_3(log: ZeebeLog) -> None:
    """A reader must refuse a log whose descriptor has version 3, which only 8.3.0-alpha3 wrote."""
    log.set("descriptor.version", 3)
    log.flushed(4)
    log.expect("refused", "unknown-version", survivors=[])


@BOOK.damaged(one_segment, "descriptor", "ZBJ-011")
def first_descriptor_version_0(log: ZeebeLog) -> None:
    """A reader must refuse a log whose descriptor has version 0."""
    log.zero("descriptor.version")
    log.flushed(4)
    log.expect("refused", "unknown-version", survivors=[])


@BOOK.damaged(one_segment, "descriptor", "ZBJ-005", "ZBJ-011")
def first_descriptor_schema_changed(log: ZeebeLog) -> None:
    """A reader must refuse a log whose DescriptorMetadata has another schema."""
    log.set("descriptor.metadata.header.schema_id", 8)
    log.flushed(4)
    log.expect("refused", "bad-descriptor", survivors=[])


@BOOK.damaged(one_segment, "descriptor", "ZBJ-011")
def first_descriptor_version_flipped(log: ZeebeLog) -> None:
    """One bit of the version of the first descriptor is flipped, which changes version 2 into
    version 3. A reader must refuse the log.
    """
    log.flip("descriptor.version", 0)
    log.expect("refused", "unknown-version", survivors=[])


@BOOK.damaged(one_segment, "descriptor", "ZBJ-005", "ZBJ-011")
def first_descriptor_template_flipped(log: ZeebeLog) -> None:
    """One bit of the template in the first SegmentDescriptor is flipped. A reader must refuse the
    log.
    """
    log.flip("descriptor.segment.header.template_id", 2)
    log.expect("refused", "bad-descriptor", survivors=[])


@BOOK.damaged(one_segment, "descriptor", "ZBJ-011")
def text_file(log: ZeebeLog) -> None:
    """A reader must refuse a text file."""
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
    """The second segment consists of one byte with the value 3. A reader checks the version before
    it reports a cut descriptor.
    """
    log.set(f"{SECOND}:descriptor.version", 3)
    log.truncate(1, SECOND)
    log.stops("unknown-version", [0, 1], end=222)


@BOOK.damaged(three_segments, "descriptor", "ZBJ-061", kind="eof")
def second_descriptor_cut_in_a_foreign_header(log: ZeebeLog) -> None:
    """The second segment ends inside a DescriptorMetadata header with another schema. A reader
    checks the schema only if the header is complete.
    """
    log.set(f"{SECOND}:descriptor.metadata.header.schema_id", 8)
    log.truncate(8, SECOND)
    log.stops("torn-descriptor", [0, 1], end=222)


@BOOK.damaged(three_segments, "descriptor", "ZBJ-061", kind="eof")
def second_descriptor_cut_after_a_foreign_header(log: ZeebeLog) -> None:
    """The second segment ends after a SegmentDescriptor header with another template. A reader
    checks the template before it reports a cut block.
    """
    log.set(f"{SECOND}:descriptor.segment.header.template_id", 5)
    log.truncate(25, SECOND)
    log.stops("bad-descriptor", [0, 1], end=222)


@BOOK.damaged(three_segments, "descriptor", "ZBJ-061")
def second_descriptor_with_a_bad_checksum_and_template(log: ZeebeLog) -> None:
    """The second descriptor has an invalid checksum and another template. A reader checks the
    template before the checksum.
    """
    log.flip(f"{SECOND}:descriptor.metadata.checksum", 0)
    log.set(f"{SECOND}:descriptor.segment.header.template_id", 5)
    log.stops("bad-descriptor", [0, 1], end=222)


@BOOK.damaged(one_segment, "descriptor", "ZBJ-011", "ZBJ-061", kind="eof")
def first_descriptor_of_one_foreign_byte(log: ZeebeLog) -> None:
    """The log consists of one byte with the value 3. A reader must refuse the log instead of
    reporting a cut descriptor.
    """
    log.set("descriptor.version", 3)
    log.truncate(1)
    log.expect("refused", "unknown-version", survivors=[])


@BOOK.damaged(descriptor_of_45_bytes, "descriptor", "ZBJ-007", "ZBJ-009")
def short_descriptor_index_flipped(log: ZeebeLog) -> None:
    """One bit of the index in a descriptor of 45 bytes is flipped. The checksum covers
    the index.
    """
    log.flip("descriptor.segment.index", 0)
    log.stops("descriptor-checksum", [], end=0)


@BOOK.damaged(descriptor_of_version_1, "descriptor", "ZBJ-006", "ZBJ-031")
def descriptor_of_version_1_index_flipped(log: ZeebeLog) -> None:
    """One bit of the index in a descriptor of version 1, which has no checksum, is flipped. The
    first record then has an unexpected index.
    """
    log.flip("descriptor.segment.index", 1)
    log.expect("damaged", "index-mismatch", survivors=[], end=None)


@BOOK.valid("future", "ZBJ-010", "ZBJ-013")
def descriptor_with_newer_fields(log: ZeebeLog) -> None:
    """A descriptor of SBE version 3 has eight bytes of newer fields, so the first record begins
    at offset 65.
    """
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
    """A SegmentDescriptor of SBE version 2 with a block of 20 bytes has no seal. The first record
    begins at offset 45.
    """
    _bare(log, 2, 2, KNOWN)


@BOOK.valid("future", "ZBJ-013", "ZBJ-061", kind="limit")
def descriptor_of_version_2_with_a_block_of_31_bytes(log: ZeebeLog) -> None:
    """A SegmentDescriptor of SBE version 2 with a block of 31 bytes has no seal. The first record
    begins at offset 56.
    """
    _bare(log, 2, 2, KNOWN + SEAL.pack(9, 9)[:11])


@BOOK.valid("future", "ZBJ-013", "ZBJ-061", kind="limit")
def descriptor_of_version_1_with_a_block_of_32_bytes(log: ZeebeLog) -> None:
    """A SegmentDescriptor of SBE version 1 with a block of 32 bytes has no seal, even if the last
    12 bytes look like a seal.
    """
    _bare(log, 2, 1, KNOWN + SEAL.pack(9, 9))


@BOOK.valid("future", "ZBJ-006", "ZBJ-013", "ZBJ-061", kind="limit")
def version_byte_1_with_a_block_of_32_bytes(log: ZeebeLog) -> None:
    """A descriptor with version byte 1 has no seal, even if it has SBE version 2 and 12 bytes that
    look like a seal.
    """
    _bare(log, 1, 2, KNOWN + SEAL.pack(9, 9))


@BOOK.damaged(one_segment, "future", "ZBJ-010", kind="limit")
def descriptor_metadata_version_99(log: ZeebeLog) -> None:
    """The DescriptorMetadata has SBE version 99. A reader does not check this version, and no
    checksum covers the version.
    """
    log.set("descriptor.metadata.header.version", 99)
    log.expect("intact", survivors=range(len(FOUR)), end=422)


@BOOK.damaged(two_segments, "sealed", "ZBJ-013", kind="limit")
def seal_with_a_wrong_position(log: ZeebeLog) -> None:
    """The last position of the seal is one byte too high. A reader finds the records by
    scanning.
    """
    log.set("journal-1.log:descriptor.segment.last_position", 124)
    log.reseal_descriptor("journal-1.log")
    log.expect("intact", survivors=range(4))


@BOOK.damaged(two_segments, "sealed", "ZBJ-013", kind="limit")
def seal_out_of_range(log: ZeebeLog) -> None:
    """All bytes of the last index and the last position are FF. Both numbers are negative, so the
    segment has no seal.
    """
    log.fill("journal-1.log:descriptor.segment.last_index", 0xFF)
    log.fill("journal-1.log:descriptor.segment.last_position", 0xFF)
    log.reseal_descriptor("journal-1.log")
    log.expect("intact", survivors=range(4))


@BOOK.damaged(two_segments, "sealed", "ZBJ-013", "ZBJ-037", kind="limit")
def seal_that_promises_too_much(log: ZeebeLog) -> None:
    """The last index of the seal is 9, but the next segment begins with index 3. No record is
    missing.
    """
    log.set("journal-1.log:descriptor.segment.last_index", 9)
    log.reseal_descriptor("journal-1.log")
    log.expect("intact", survivors=range(4))
