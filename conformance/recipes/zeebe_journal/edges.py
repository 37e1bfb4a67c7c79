"""Limit values in descriptors, seals, records and the flushed index."""

from crc32c import crc32c

from conformance.recipes.zeebe_journal.layout import (
    descriptor_of_45_bytes,
    one_segment,
    three_segments,
)
from conformance.recipes.zeebe_journal.log import (
    ALPHA,
    ASQN,
    BRAVO,
    DESCRIPTOR,
    FOUR,
    FUTURE,
    HANDOVER,
    HEADER,
    INDEX,
    INITIAL,
    LAYOUT,
    LENGTH,
    LIMITS,
    NAMES,
    SIX,
    ZeebeLog,
    segment,
    wider_descriptor,
)
from conformance.recipes.zeebe_journal.numbers import indexes_below_one
from reference_impl.zeebe_journal.layout import DESCRIPTOR_BLOCK, SBE_HEADER, SEAL
from reference_impl.zeebe_journal.writer import pack_descriptor, pack_record

FIRST, SECOND = "journal-1.log", "journal-2.log"


def _around(message: bytes) -> bytes:
    """Return a record with this data message and a valid checksum."""
    checked = crc32c(message).to_bytes(8, "little") + len(message).to_bytes(4, "little")
    return pack_record(1, -1, b"")[:9] + checked + message


def _with_bytes_after_the_payload(log: ZeebeLog, version: int) -> None:
    log.segment(INITIAL)
    record = _around(pack_record(2, 1, ALPHA[0], data_version=version)[21:] + b"later")
    log.data[123 : 123 + len(record)] = record
    log.payloads.append(ALPHA[0])
    log.expect("intact", survivors=range(2), end=123 + len(record))


@FUTURE.valid("ZBJ-018")
def data_of_version_3_with_bytes_after_the_payload(log: ZeebeLog) -> None:
    """A data message of version 3 has five bytes after its payload. A reader skips these bytes."""
    _with_bytes_after_the_payload(log, 3)


@FUTURE.valid("ZBJ-005", "ZBJ-018", kind="limit")
def data_of_the_largest_version_with_bytes_after_the_payload(log: ZeebeLog) -> None:
    """A data message of version 65535 has five bytes after its payload. Versions are unsigned, so a
    reader skips these bytes."""
    _with_bytes_after_the_payload(log, 65535)


@LENGTH.damaged(one_segment, "ZBJ-018", "ZBJ-025", "ZBJ-035", kind="limit")
def data_without_a_payload_length(log: ZeebeLog) -> None:
    """A data message of 24 bytes with a valid checksum ends before the payload length."""
    log.data[222:] = _around(pack_record(3, 2, b"")[21:45]).ljust(512 - 222, b"\0")
    log.stops("bad-length", [0, 1], end=222)


@LENGTH.damaged(one_segment, "ZBJ-018", "ZBJ-025", "ZBJ-035")
def payload_length_with_a_high_byte(log: ZeebeLog) -> None:
    """The payload length of the third record is 16 MiB too large, and the checksum is valid."""
    log.set("records[2].data.len_entry", len(BRAVO[0]) + (1 << 24))
    log.reseal("records[2]")
    log.expect("damaged", "data-length", survivors=[0, 1], end=None)


@ASQN.damaged(one_segment, "ZBJ-024", "ZBJ-032")
def asqn_repeated_after_none(log: ZeebeLog) -> None:
    """The asqns are 1, -1 and 1. The record without an asqn does not reset the order, so the second
    asqn 1 is invalid."""
    log.fill("records[2].data.asqn", 0xFF)
    log.reseal("records[2]")
    log.set("records[3].data.asqn", 1)
    log.reseal("records[3]")
    log.expect("damaged", "asqn-order", survivors=range(4), end=422)


@LENGTH.damaged(one_segment, "ZBJ-012", "ZBJ-025")
def negative_maximal_size_and_a_cut(log: ZeebeLog) -> None:
    """The maximum segment size is -5, and the file ends inside the last record. The file exceeds
    this size, so the fault is `bad-length`."""
    log.data[:57] = pack_descriptor(1, 1, -5)
    log.truncate(400)
    log.stops("bad-length", [0, 1, 2], end=321)


def _described(log: ZeebeLog, metadata: int) -> None:
    """Write records after a descriptor whose DescriptorMetadata has a block of ``metadata``
    bytes."""
    block = DESCRIPTOR_BLOCK.pack(1, 1, 512)
    message = SBE_HEADER.pack(len(block), 3, 7, 1) + block
    checksum = (crc32c(message).to_bytes(8, "little") + b"newfield")[:metadata]
    head = b"\2" + SBE_HEADER.pack(metadata, 4, 7, 1) + checksum + message
    records = b"".join(pack_record(n, asqn, p, 1) for n, (p, asqn) in enumerate(FOUR, 1))
    log.data[:] = (head + records).ljust(512, b"\0")


def _cut_in_the_seal(log: ZeebeLog, seal: bytes) -> None:
    """Write a descriptor whose DescriptorMetadata has a block of 46 bytes, and end the file with
    ``seal``."""
    head = b"\2" + SBE_HEADER.pack(46, 4, 7, 2) + bytes(8) + b"newfield" * 4 + b"fields"
    log.data[:] = head + SBE_HEADER.pack(32, 3, 7, 2) + DESCRIPTOR_BLOCK.pack(1, 1, 512) + seal
    log.stops("torn-descriptor", [], end=0)


@DESCRIPTOR.damaged(descriptor_of_45_bytes, "ZBJ-010", "ZBJ-013", "ZBJ-061")
def newer_metadata_and_no_room_for_the_seal(log: ZeebeLog) -> None:
    """The DescriptorMetadata has 38 bytes of newer fields, and the 83-byte file ends before the
    seal."""
    _cut_in_the_seal(log, b"")


@DESCRIPTOR.damaged(descriptor_of_45_bytes, "ZBJ-010", "ZBJ-013", "ZBJ-061")
def newer_metadata_and_half_a_seal(log: ZeebeLog) -> None:
    """The DescriptorMetadata has 38 bytes of newer fields, and the 91-byte file ends inside the
    seal, after the last index."""
    _cut_in_the_seal(log, SEAL.pack(9, 9)[:8])


@FUTURE.valid("ZBJ-009", "ZBJ-010", "ZBJ-061")
def descriptor_metadata_with_newer_fields(log: ZeebeLog) -> None:
    """The DescriptorMetadata has eight bytes of newer fields. The SegmentDescriptor begins after
    these fields."""
    log.segment(*FOUR)
    _described(log, 16)
    log.expect("intact", survivors=range(4))


@LAYOUT.valid("ZBJ-013", "ZBJ-023")
def segments_of_one_record(log: ZeebeLog) -> None:
    """Each segment has space for one record. The last index in the first segment's seal is 1."""
    log.journal(*FOUR[:3], size=160)
    log.flushed(3)
    log.expect("intact", survivors=range(3))


HANDOVER.table("""
seal_with_a_negative_index: three_segments ZBJ-013 ZBJ-037 limit
    The last index of the first descriptor is -1, so the first segment has no seal. The next segment
    shows that record 2 was written.
    damage: fill journal-1.log:descriptor.segment.last_index with ff
    reseal_descriptor: journal-1.log
    damage: flip bit 0 of journal-1.log:records[1].metadata.checksum
    expect: damaged checksum-mismatch, survivors 0 2-5, end 254
seal_with_a_negative_position: three_segments ZBJ-013 ZBJ-037 limit
    The last position of the first descriptor is -1, so the first segment has no seal. The next
    segment shows that record 2 was written.
    damage: fill journal-1.log:descriptor.segment.last_position with ff
    reseal_descriptor: journal-1.log
    damage: flip bit 0 of journal-1.log:records[1].metadata.checksum
    expect: damaged checksum-mismatch, survivors 0 2-5, end 254
seal_with_the_smallest_position: three_segments ZBJ-013 ZBJ-037 ZBJ-038 limit
    The last position of the seal is 1. A reader uses only the last index and continues after the
    corrupt record 2.
    damage: set journal-1.log:descriptor.segment.last_position to 1
    reseal_descriptor: journal-1.log
    damage: flip bit 0 of journal-1.log:records[1].metadata.checksum
    expect: damaged checksum-mismatch, survivors 0 2-5, end 254
seal_with_the_smallest_index: segments_of_one_record ZBJ-013 ZBJ-037 ZBJ-038 limit
    The only record of the first segment is corrupt. The last index of the seal is 1, so a reader
    continues with the next segment.
    damage: flip bit 0 of journal-1.log:records[0].metadata.checksum
    expect: damaged checksum-mismatch, survivors 1 2
""")


@HANDOVER.damaged(three_segments, "ZBJ-038", "ZBJ-039")
def seal_too_low_and_an_overlap_after_a_fault(log: ZeebeLog) -> None:
    """The last index of the seal is 1, and the next segment begins with index 2. Record 2 of the
    first segment is older than the next segment, so a reader drops it."""
    log.set(f"{FIRST}:descriptor.segment.last_index", 1)
    log.reseal_descriptor(FIRST)
    log.files[FIRST][222] = 2
    log.files[SECOND][:] = segment((ALPHA, BRAVO), 270, id=2, index=2)
    log.expect("damaged", "index-mismatch", survivors=[0, ALPHA[0], BRAVO[0], 4, 5], end=254)


@HANDOVER.damaged(indexes_below_one, "ZBJ-013", "ZBJ-037", kind="limit")
def seal_of_index_0(log: ZeebeLog) -> None:
    """A last index of 0 is not a seal, even if the log begins with index -1. The log ends at the
    corrupt record 0."""
    log.data[:57] = pack_descriptor(1, -1, 512, seal=(0, 108))
    log.flip("records[1].metadata.checksum", 0)
    log.flushed(None)
    log.expect("torn", "checksum-mismatch", survivors=[0], end=108)


INDEX.table("""
flushed_index_below_zero: indexes_below_one ZBJ-035 limit
    A flushed index of -1 means that no record is known to be flushed, even if the log begins with
    index -1.
    damage: flip bit 0 of records[0].metadata.checksum
    flushed: -1
    expect: torn checksum-mismatch, no survivors, end 57
flushed_index_of_zero: indexes_below_one ZBJ-035 limit
    A flushed index of 0 means that the record with index 0 was flushed. This record is corrupt.
    damage: flip bit 0 of records[1].metadata.checksum
    flushed: 0
    expect: damaged checksum-mismatch, survivors 0 2 3, end none
""")


@LAYOUT.valid("ZBJ-014", "ZBJ-044")
def prepared_segments_alone(log: ZeebeLog) -> None:
    """A folder contains only two segments of zeros. The log ends at offset 0 of the first
    segment."""
    log.journal(*SIX)
    log.payloads = []
    log.files = {FIRST: bytearray(270), SECOND: bytearray(270)}
    log.expect("intact", survivors=[], end=0)


def _only_prepared(log: ZeebeLog) -> None:
    for number in (2, 3, 4):
        log.remove_file(f"journal-{number}.log")
    log.files[FIRST][:] = bytes(270)


LIMITS.table("""
flushed_index_before_the_first_record: three_segments ZBJ-035 ZBJ-041 limit
    The flushed index is 0, and the only segment is zeroed. No record is missing, because the first
    index would be 1.
    only_prepared:
    flushed: 0
    expect: intact, no survivors, end 0
flushed_index_of_the_first_record: three_segments ZBJ-035 ZBJ-041 limit
    The flushed index is 1, and the only segment is zeroed. Record 1 is missing.
    only_prepared:
    flushed: 1
    expect: damaged missing-records, no survivors, end none
""")


@NAMES.valid("ZBJ-001", "ZBJ-003")
def journal_of_a_broker(log: ZeebeLog) -> None:
    """A journal named `raft-partition-partition-1`. The last hyphen in a file name ends the journal
    name."""
    log.journal(*SIX)
    log.files = {
        name.replace("journal", "raft-partition-partition-1"): data
        for name, data in log.files.items()
    }
    log.flushed(6)
    log.expect("intact", survivors=range(6), end=254)


@ASQN.damaged(one_segment, "ZBJ-032", "ZBJ-041")
def last_asqn_repeated_and_one_more_flushed(log: ZeebeLog) -> None:
    """The last record repeats an asqn, and the record after it was flushed but is missing. A reader
    reports two lost ranges."""
    log.set("records[3].data.asqn", 2)
    log.reseal("records[3]")
    log.flushed(5)
    log.expect("damaged", "asqn-order", survivors=range(4), end=None)


@FUTURE.damaged(three_segments, "ZBJ-010", "ZBJ-013", "ZBJ-037")
def seal_of_sbe_version_3(log: ZeebeLog) -> None:
    """A sealed descriptor of SBE version 3 has eight bytes of newer fields. Record 2 is corrupt,
    and a reader continues with the next segment."""
    descriptor = wider_descriptor(bytes(8), size=270, seal=(2, 131))
    log.files[FIRST][:] = (descriptor + log.files[FIRST][57:222]).ljust(270, b"\0")
    log.files[FIRST][131 + 9] ^= 1
    log.expect("damaged", "checksum-mismatch", survivors=[0, 2, 3, 4, 5], end=254)


@HANDOVER.damaged(indexes_below_one, "ZBJ-013", kind="limit")
def seal_of_an_index_below_zero(log: ZeebeLog) -> None:
    """A last index of -4 is not a seal, even if the segment begins with index -5. The zeroed frame
    of record -4 ends the log."""
    record = pack_record(-4, -1, log.payloads[1])
    log.data[:] = (
        pack_descriptor(1, -5, 512, seal=(-4, 108))
        + pack_record(-5, -1, log.payloads[0])
        + record.replace(b"\1", b"\0", 1)
    ).ljust(512, b"\0")
    log.flushed(None)
    log.expect("intact", survivors=[0], end=108)


@FUTURE.valid("ZBJ-005", kind="limit")
def messages_of_sbe_version_0(log: ZeebeLog) -> None:
    """All messages in the descriptor and the records have SBE version 0. A reader does not check
    this version."""
    log.segment(*FOUR)
    message = bytearray(pack_descriptor(1, 1, 512)[17:])
    message[6] = 0
    checksum = crc32c(bytes(message)).to_bytes(8, "little")
    log.data[:57] = b"\2" + SBE_HEADER.pack(8, 4, 7, 0) + checksum + bytes(message)
    records = b"".join(pack_record(n, asqn, p, 0, 0) for n, (p, asqn) in enumerate(FOUR, 1))
    log.data[57 : 57 + len(records)] = records
    log.expect("intact", survivors=range(4), end=57 + len(records))


@DESCRIPTOR.damaged(one_segment, "ZBJ-014", "ZBJ-061", kind="limit")
def byte_after_5000_zeros(log: ZeebeLog) -> None:
    """A file of 5000 zero bytes followed by a non-zero byte is not a prepared segment. A reader
    must refuse the log."""
    log.data[:] = bytes(5000) + b"\1" + bytes(10)
    log.expect("refused", "unknown-version", survivors=[])


DESCRIPTOR.table("""
descriptor_metadata_with_a_short_block: one_segment ZBJ-005 ZBJ-011 ZBJ-061
    The DescriptorMetadata has a block of 7 bytes, too short for the checksum. A reader must refuse
    the log.
    described: 7
    expect: refused bad-descriptor, no survivors
descriptor_of_version_1_with_another_template: descriptor_of_version_1 ZBJ-006 ZBJ-011 ZBJ-061
    A version 1 descriptor has the template of a DescriptorMetadata. A reader must refuse the log.
    damage: set descriptor.segment.header.template_id to 4
    expect: refused bad-descriptor, no survivors
descriptor_of_version_1_with_a_short_block: descriptor_of_version_1 ZBJ-006 ZBJ-010 ZBJ-061
    The block length of a version 1 descriptor is 19, too short for the id, the index and the size.
    A reader must use 20, the only length of this version.
    damage: set descriptor.segment.header.len_block to 19
    expect: intact, survivors 0-3, end 394
short_block_of_a_descriptor_that_is_the_file: descriptor_of_45_bytes ZBJ-006 ZBJ-011 ZBJ-061 eof
    The SegmentDescriptor has a block length of 8 bytes, and the file ends after its fields. A
    reader must refuse the log.
    damage: set descriptor.segment.header.len_block to 8
    damage: truncate at 45
    expect: refused bad-descriptor, no survivors
first_of_three_descriptors_cut: three_segments ZBJ-040 ZBJ-044 eof
    The first of three segments ends inside its descriptor. A reader continues with the second
    segment.
    damage: truncate at 40 in journal-1.log
    expect: damaged torn-descriptor, survivors 2-5, end 254
descriptor_checksum_and_a_flushed_index_of_zero: one_segment ZBJ-035 ZBJ-040 limit
    The only descriptor is corrupt, and the flushed index is 0. The expected index is 1, above the
    flushed index, so the fault is not damage.
    damage: flip bit 0 of descriptor.metadata.checksum
    flushed: 0
    expect: torn descriptor-checksum, no survivors, end 0
metadata_of_another_schema_and_a_cut: one_segment ZBJ-061 eof
    The DescriptorMetadata has another schema, and the file ends inside the next header. A reader
    checks the DescriptorMetadata first and must refuse the log.
    damage: set descriptor.metadata.header.schema_id to 9
    damage: truncate at 19
    expect: refused bad-descriptor, no survivors
""")


def _sized(log: ZeebeLog, size: int) -> None:
    log.data[:57] = pack_descriptor(1, 1, size)


@LENGTH.damaged(one_segment, "ZBJ-025")
def cut_where_no_header_would_fit(log: ZeebeLog) -> None:
    """Only 17 of the last 20 bytes of the segment are in the file. The fault is `torn-record`,
    although no record fits into 20 bytes."""
    _sized(log, 341)
    log.data[322:] = bytes(16)
    log.stops("torn-record", [0, 1, 2], end=321)


@LENGTH.damaged(one_segment, "ZBJ-025")
def data_of_no_bytes_at_the_end(log: ZeebeLog) -> None:
    """The last 21 bytes of the file are a frame and metadata with length 0. The checksum of zero
    bytes is 0, so the stored checksum proves nothing, and the write may be unfinished."""
    _sized(log, 342)
    log.data[330:] = bytes(12)
    log.stops("bad-length", [0, 1, 2], end=321)


@HEADER.damaged(one_segment, "ZBJ-025")
def bad_header_in_the_last_21_bytes(log: ZeebeLog) -> None:
    """The last 21 bytes of the file are a frame and metadata with a wrong template. The fault is
    `bad-header`, not `bad-length`, because the metadata is complete."""
    log.set("records[3].metadata.header.template_id", 2)
    _sized(log, 342)
    log.truncate(342)
    log.stops("bad-header", [0, 1, 2], end=321)


@LENGTH.damaged(one_segment, "ZBJ-025")
def length_past_everything_and_a_cut(log: ZeebeLog) -> None:
    """The file ends inside the last record. The length of this record is 500 bytes, which reaches
    past the maximum segment size. The fault is `bad-length`, not `torn-record`."""
    log.set("records[3].metadata.len_data", 500)
    log.truncate(400)
    log.stops("bad-length", [0, 1, 2], end=321)


@LENGTH.damaged(one_segment, "ZBJ-025", kind="limit")
def data_of_16_bytes(log: ZeebeLog) -> None:
    """A data message of 16 bytes has a valid header and checksum, but no space for the asqn."""
    log.data[222:] = _around(pack_record(3, 2, b"")[21:37]).ljust(512 - 222, b"\0")
    log.stops("bad-length", [0, 1], end=222)


@LENGTH.damaged(one_segment, "ZBJ-025", kind="limit")
def data_block_past_its_message(log: ZeebeLog) -> None:
    """The block length of a data message is 200 bytes, longer than the message, and the checksum is
    valid. The fault is `data-length`, not `data-header`."""
    log.set("records[2].data.header.len_block", 200)
    log.reseal("records[2]")
    log.expect("damaged", "data-length", survivors=[0, 1], end=None)


@LENGTH.damaged(data_of_version_3_with_bytes_after_the_payload, "ZBJ-018", "ZBJ-025")
def bytes_after_the_payload_under_newer_metadata(log: ZeebeLog) -> None:
    """A data message of version 2 has bytes after its payload. Metadata of version 3 does not make
    these bytes valid."""
    record = _around(pack_record(2, 1, ALPHA[0])[21:] + b"later")
    log.data[123 : 123 + len(record)] = record
    log.data[130:132] = b"\3\0"
    log.expect("damaged", "data-length", survivors=[0], end=None)
