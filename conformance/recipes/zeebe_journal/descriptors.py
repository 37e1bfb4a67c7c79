"""Damage to the fields of descriptors."""

from crc32c import crc32c

from conformance.recipes.zeebe_journal.layout import (
    descriptor_of_45_bytes,
    one_segment,
    three_segments,
)
from conformance.recipes.zeebe_journal.log import (
    DESCRIPTOR,
    FOUR,
    FUTURE,
    INITIAL,
    SEALED,
    ZeebeLog,
    flushed_below_and_at,
    wider_descriptor,
)
from reference_impl.zeebe_journal.layout import DESCRIPTOR_BLOCK, SBE_HEADER, SEAL
from reference_impl.zeebe_journal.writer import pack_record

SECOND = "journal-2.log"


@flushed_below_and_at(
    three_segments, DESCRIPTOR, "ZBJ-009", "ZBJ-039", "ZBJ-040", "ZBJ-061", below=2, at=3
)
def second_descriptor_checksum_flipped(log: ZeebeLog) -> None:
    """One bit of the checksum of the second descriptor is flipped. The next segment proves the
    records of the second segment."""
    log.flip(f"{SECOND}:descriptor.metadata.checksum", 0)
    log.expect("damaged", "descriptor-checksum", survivors=range(6), end=254)


@flushed_below_and_at(three_segments, DESCRIPTOR, "ZBJ-011", "ZBJ-040", below=2, at=4)
def second_descriptor_version_3(log: ZeebeLog) -> None:
    """The second descriptor has version 3, which only an alpha release wrote."""
    log.set(f"{SECOND}:descriptor.version", 3)
    log.expect("damaged", "unknown-version", survivors=range(6), end=254)


@flushed_below_and_at(three_segments, DESCRIPTOR, "ZBJ-005", "ZBJ-040", below=2, at=3)
def second_descriptor_schema_flipped(log: ZeebeLog) -> None:
    """The DescriptorMetadata of the second segment has another schema."""
    log.fill(f"{SECOND}:descriptor.metadata.header.schema_id", 0xF8)
    log.expect("damaged", "bad-descriptor", survivors=range(6), end=254)
    log.note("Zeebe's own LogCorrupter makes the same change, but also cuts the file.")


@flushed_below_and_at(three_segments, DESCRIPTOR, "ZBJ-040", below=2, at=3, kind="eof")
def second_descriptor_cut(log: ZeebeLog) -> None:
    """The second segment ends inside its descriptor. A reader continues with the third segment."""
    log.truncate(40, SECOND)
    log.expect("damaged", "torn-descriptor", survivors=[0, 1, 4, 5], end=254)


@flushed_below_and_at(one_segment, DESCRIPTOR, "ZBJ-009", "ZBJ-040", below=None, at=4)
def first_descriptor_checksum_flipped(log: ZeebeLog) -> None:
    """One bit of the checksum of the only descriptor is flipped. Only the flushed index proves the
    records after it."""
    log.flip("descriptor.metadata.checksum", 5)
    if log.context["last_flushed_index"] is None:
        log.expect("torn", "descriptor-checksum", survivors=[], end=0)
    else:
        log.expect("damaged", "descriptor-checksum", survivors=range(4), end=None)
    log.note("If nothing was flushed, Zeebe deletes the file and creates a new journal.")


@DESCRIPTOR.damaged(one_segment, "ZBJ-011")
def text_file(log: ZeebeLog) -> None:
    """A reader must refuse a text file."""
    log.data = bytearray(b"2026-11-21 10:00:00 INFO broker started\n" * 8)
    log.flushed(4)
    log.expect("refused", "unknown-version", survivors=[])


@DESCRIPTOR.damaged(one_segment, "ZBJ-040")
def first_descriptor_cut(log: ZeebeLog) -> None:
    """The only segment ends inside its descriptor."""
    log.truncate(30)
    log.stops("torn-descriptor", [], end=0)


@DESCRIPTOR.damaged(descriptor_of_45_bytes, "ZBJ-006", "ZBJ-009", kind="corrupt")
def short_descriptor_index_flipped(log: ZeebeLog) -> None:
    """One bit of the index in a 45-byte descriptor is flipped. The checksum covers the index."""
    log.flip("descriptor.segment.index", 0)
    log.stops("descriptor-checksum", [], end=0)


DESCRIPTOR.table("""
second_descriptor_checksum_upper_half: three_segments ZBJ-009
    One bit in the upper half of the checksum of the second descriptor is flipped. A reader compares
    all 64 bits.
    damage: flip bit 63 of journal-2.log:descriptor.metadata.checksum
    expect: damaged descriptor-checksum, survivors 0-5, end 254
second_descriptor_id_flipped: three_segments ZBJ-009
    One bit of the id in the second descriptor is flipped. The checksum covers the id.
    damage: flip bit 2 of journal-2.log:descriptor.segment.id
    expect: damaged descriptor-checksum, survivors 0-5, end 254
second_descriptor_index_flipped: three_segments ZBJ-009
    One bit of the index in the second descriptor is flipped. The checksum covers the index.
    damage: flip bit 4 of journal-2.log:descriptor.segment.index
    expect: damaged descriptor-checksum, survivors 0-5, end 254
second_descriptor_size_flipped: three_segments ZBJ-009
    One bit of the maximum segment size in the second descriptor is flipped. The checksum covers the
    size.
    damage: flip bit 9 of journal-2.log:descriptor.segment.max_segment_size
    expect: damaged descriptor-checksum, survivors 0-5, end 254
second_descriptor_seal_flipped: three_segments ZBJ-009
    One bit of the last position in the second descriptor is flipped. The checksum covers the seal.
    damage: flip bit 0 of journal-2.log:descriptor.segment.last_position
    expect: damaged descriptor-checksum, survivors 0-5, end 254
second_descriptor_header_version_flipped: three_segments ZBJ-009
    One bit of the SBE version in the second descriptor is flipped. The checksum covers the message
    header.
    damage: flip bit 0 of journal-2.log:descriptor.segment.header.version
    expect: damaged descriptor-checksum, survivors 0-5, end 254
second_descriptor_version_0: three_segments ZBJ-011
    The second descriptor has version 0.
    damage: zero journal-2.log:descriptor.version
    expect: damaged unknown-version, survivors 0-5, end 254
second_descriptor_template_flipped: three_segments ZBJ-005 ZBJ-040
    One bit of the template in the second SegmentDescriptor is flipped.
    damage: flip bit 2 of journal-2.log:descriptor.segment.header.template_id
    expect: damaged bad-descriptor, survivors 0-5, end 254
second_descriptor_metadata_block_changed: three_segments ZBJ-005 ZBJ-010 ZBJ-040
    The DescriptorMetadata of the second segment has a block of 9 bytes, so a reader looks for the
    SegmentDescriptor one byte too late.
    damage: set journal-2.log:descriptor.metadata.header.len_block to 9
    expect: damaged bad-descriptor, survivors 0-5, end 254
second_descriptor_block_too_long: three_segments ZBJ-010 ZBJ-040
    The second SegmentDescriptor has a block length of 60000 bytes, so the file ends inside the
    descriptor.
    damage: set journal-2.log:descriptor.segment.header.len_block to 60000
    expect: damaged torn-descriptor, survivors 0-5, end 254
second_descriptor_block_too_short: three_segments ZBJ-010 ZBJ-040
    The second SegmentDescriptor has a block of 8 bytes, too short for the id, the index and the
    size.
    damage: set journal-2.log:descriptor.segment.header.len_block to 8
    expect: damaged bad-descriptor, survivors 0-5, end 254
second_descriptor_cut_to_one_byte: three_segments ZBJ-040 eof
    The second segment is cut to one byte.
    damage: truncate at 1 in journal-2.log
    expect: damaged torn-descriptor, survivors 0 1 4 5, end 254
first_descriptor_version_3: one_segment ZBJ-011
    A reader must refuse a log whose descriptor has version 3, which only 8.3.0-alpha3 wrote.
    damage: set descriptor.version to 3
    flushed: 4
    expect: refused unknown-version, no survivors
first_descriptor_version_0: one_segment ZBJ-011
    A reader must refuse a log whose descriptor has version 0.
    damage: zero descriptor.version
    flushed: 4
    expect: refused unknown-version, no survivors
first_descriptor_schema_changed: one_segment ZBJ-005 ZBJ-011
    A reader must refuse a log whose DescriptorMetadata has another schema.
    damage: set descriptor.metadata.header.schema_id to 8
    flushed: 4
    expect: refused bad-descriptor, no survivors
first_descriptor_version_flipped: one_segment ZBJ-011
    One bit of the version of the first descriptor is flipped, which changes version 2 into version
    3. A reader must refuse the log.
    damage: flip bit 0 of descriptor.version
    expect: refused unknown-version, no survivors
first_descriptor_template_flipped: one_segment ZBJ-005 ZBJ-011
    One bit of the template in the first SegmentDescriptor is flipped. A reader must refuse the log.
    damage: flip bit 2 of descriptor.segment.header.template_id
    expect: refused bad-descriptor, no survivors
second_descriptor_of_one_foreign_byte: three_segments ZBJ-061 eof
    The second segment consists of one byte with the value 3. A reader checks the version before it
    reports a cut descriptor.
    damage: set journal-2.log:descriptor.version to 3
    damage: truncate at 1 in journal-2.log
    expect: damaged unknown-version, survivors 0 1 4 5, end 254
second_descriptor_cut_in_a_foreign_header: three_segments ZBJ-061 eof
    The second segment ends inside a DescriptorMetadata header with another schema. A reader checks
    the schema only if the header is complete.
    damage: set journal-2.log:descriptor.metadata.header.schema_id to 8
    damage: truncate at 8 in journal-2.log
    expect: damaged torn-descriptor, survivors 0 1 4 5, end 254
second_descriptor_cut_after_a_foreign_header: three_segments ZBJ-061 eof
    The second segment ends after a SegmentDescriptor header with another template. A reader checks
    the template before it reports a cut block.
    damage: set journal-2.log:descriptor.segment.header.template_id to 5
    damage: truncate at 25 in journal-2.log
    expect: damaged bad-descriptor, survivors 0 1 4 5, end 254
second_descriptor_with_a_bad_checksum_and_template: three_segments ZBJ-061
    The second descriptor has an invalid checksum and another template. A reader checks the template
    before the checksum.
    damage: flip bit 0 of journal-2.log:descriptor.metadata.checksum
    damage: set journal-2.log:descriptor.segment.header.template_id to 5
    expect: damaged bad-descriptor, survivors 0-5, end 254
first_descriptor_of_one_foreign_byte: one_segment ZBJ-011 ZBJ-061 eof
    The log consists of one byte with the value 3. A reader must refuse the log instead of reporting
    a cut descriptor.
    damage: set descriptor.version to 3
    damage: truncate at 1
    expect: refused unknown-version, no survivors
descriptor_of_version_1_index_flipped: descriptor_of_version_1 ZBJ-006 ZBJ-031
    One bit of the index in a version 1 descriptor is flipped. No checksum covers the index. The
    first record then has an unexpected index.
    damage: flip bit 1 of descriptor.segment.index
    expect: damaged index-mismatch, no survivors, end none
descriptor_of_version_1_with_a_longer_block: descriptor_of_version_1 ZBJ-006 ZBJ-010 ZBJ-061
    The block length of a version 1 descriptor is 400, so the block would end in the zeros after the
    records. A reader must use 20, the only length of this version.
    damage: set descriptor.segment.header.len_block to 400
    expect: intact, survivors 0-3, end 394
""")


@FUTURE.valid("ZBJ-010", "ZBJ-013")
def descriptor_with_newer_fields(log: ZeebeLog) -> None:
    """A descriptor of SBE version 3 has eight bytes of newer fields, so the first record begins at
    offset 65."""
    descriptor = wider_descriptor(b"newfield")
    log.data = bytearray((descriptor + pack_record(1, -1, INITIAL[0])).ljust(512, b"\0"))
    log.payloads = [INITIAL[0]]
    log.expect("intact", survivors=[0], end=131)


def _bare(
    log: ZeebeLog, version_byte: int, version: int, block: bytes, length: int | None = None
) -> None:
    message = SBE_HEADER.pack(len(block) if length is None else length, 3, 7, version) + block
    head = b"\x01" + message
    if version_byte == 2:
        metadata = SBE_HEADER.pack(8, 4, 7, version) + crc32c(message).to_bytes(8, "little")
        head = b"\x02" + metadata + message
    records = b"".join(pack_record(n, asqn, p, 1) for n, (p, asqn) in enumerate(FOUR, 1))
    log.data = bytearray((head + records).ljust(512, b"\0"))
    log.payloads = [payload for payload, _ in FOUR]
    log.expect("intact", survivors=range(4), end=len(head + records))


KNOWN = DESCRIPTOR_BLOCK.pack(1, 1, 512)


@FUTURE.valid("ZBJ-013", "ZBJ-061", kind="limit")
def descriptor_of_version_2_with_a_block_of_20_bytes(log: ZeebeLog) -> None:
    """A SegmentDescriptor of SBE version 2 with a block of 20 bytes has no seal. The first record
    begins at offset 45."""
    _bare(log, 2, 2, KNOWN)


@FUTURE.valid("ZBJ-013", "ZBJ-061", kind="limit")
def descriptor_of_version_2_with_a_block_of_31_bytes(log: ZeebeLog) -> None:
    """A SegmentDescriptor of SBE version 2 with a block of 31 bytes has no seal. The first record
    begins at offset 56."""
    _bare(log, 2, 2, KNOWN + SEAL.pack(9, 9)[:11])


@FUTURE.valid("ZBJ-013", "ZBJ-061", kind="limit")
def descriptor_of_version_1_with_a_block_of_32_bytes(log: ZeebeLog) -> None:
    """A SegmentDescriptor of SBE version 1 with a block of 32 bytes has no seal, even if the last
    12 bytes look like a seal."""
    _bare(log, 2, 1, KNOWN + SEAL.pack(9, 9))


@FUTURE.valid("ZBJ-006", "ZBJ-013", "ZBJ-061", kind="limit")
def version_byte_1_with_a_block_length_of_32(log: ZeebeLog) -> None:
    """A descriptor with version byte 1 has 29 bytes and no seal, even if it has SBE version 2 and a
    block length of 32."""
    _bare(log, 1, 2, KNOWN, 32)


@FUTURE.damaged(one_segment, "ZBJ-010", kind="limit")
def descriptor_metadata_version_99(log: ZeebeLog) -> None:
    """The DescriptorMetadata has SBE version 99. A reader does not check this version, and no
    checksum covers it."""
    log.set("descriptor.metadata.header.version", 99)
    log.expect("intact", survivors=range(len(FOUR)), end=422)


SEALED.table("""
seal_with_a_wrong_position: two_segments ZBJ-013 limit
    The last position of the seal is one byte too high. A reader finds the records by scanning.
    damage: set journal-1.log:descriptor.segment.last_position to 124
    reseal_descriptor: journal-1.log
    expect: intact, survivors 0-3
seal_out_of_range: two_segments ZBJ-013 limit
    All bytes of the last index and the last position are FF. Both numbers are negative, so the
    segment has no seal.
    damage: fill journal-1.log:descriptor.segment.last_index with ff
    damage: fill journal-1.log:descriptor.segment.last_position with ff
    reseal_descriptor: journal-1.log
    expect: intact, survivors 0-3
seal_that_promises_too_much: two_segments ZBJ-013 ZBJ-037 limit
    The last index of the seal is 9, but the next segment begins with index 3. No record is missing.
    damage: set journal-1.log:descriptor.segment.last_index to 9
    reseal_descriptor: journal-1.log
    expect: intact, survivors 0-3
""")
