"""Undamaged logs in every layout that a journal can have."""

from conformance.recipes.zeebe_journal.log import (
    ALPHA,
    BRAVO,
    CHARLIE,
    FOUR,
    INITIAL,
    LAYOUT,
    SIX,
    ZeebeLog,
    segment,
)
from reference_impl.zeebe_journal.writer import pack_descriptor, pack_record

GOLDEN = bytes.fromhex(
    "02080004000700020 02e75e56a00000000200003000700020001000000000000000100000000000000"
    "2b010000000000000000000000000000"
    "010c00010007000200f0e9d40500000000200000001000020007000200010000000000000001000000"
    "000000000400000061616161"
    "010c00010007000200fde84ffa000000002000000010000200070002000200000000000000ffffffff"
    "ffffffff0400000062626262"
    "010c0001000700020063 87d58400000000200000001000020007000200030000000000000005000000"
    "000000000400000063636363".replace(" ", "")
)


@LAYOUT.valid("ZBJ-001", "ZBJ-006", "ZBJ-015", "ZBJ-016", "ZBJ-017", "ZBJ-020")
def one_segment(log: ZeebeLog) -> None:
    """One segment with an initial entry and three application entries."""
    log.segment(*FOUR)
    log.expect("intact", survivors=[0, 1, 2, 3], end=422)


@LAYOUT.valid("ZBJ-006", "ZBJ-009", "ZBJ-015", "ZBJ-024", "ZBJ-058")
def three_records_of_the_real_writer(log: ZeebeLog) -> None:
    """Three records, byte for byte as Zeebe 8.3 writes them. Their payloads are not raft
    entries."""
    log.segment((b"aaaa", 1), (b"bbbb", -1), (b"cccc", 5), size=299)
    log.expect_bytes(GOLDEN.ljust(299, b"\0"))
    log.expect("intact", survivors=[0, 1, 2], end=216)


@LAYOUT.valid("ZBJ-001", "ZBJ-002", "ZBJ-013", "ZBJ-014", "ZBJ-023")
def three_segments(log: ZeebeLog) -> None:
    """Two sealed segments, an active segment, and a prepared segment of zeros."""
    log.journal(*SIX)
    log.expect("intact", survivors=range(6), end=254)


@LAYOUT.valid("ZBJ-035", "ZBJ-041")
def three_segments_flushed(log: ZeebeLog) -> None:
    """A journal of three segments, in which all records were flushed."""
    log.journal(*SIX)
    log.flushed(6)
    log.expect("intact", survivors=range(6), end=254)


@LAYOUT.valid("ZBJ-013", "ZBJ-041")
def two_segments(log: ZeebeLog) -> None:
    """A sealed segment, an active segment, and a prepared segment of zeros."""
    log.journal(*FOUR)
    log.flushed(4)
    log.expect("intact", survivors=range(4))


@LAYOUT.valid("ZBJ-006")
def descriptor_of_version_1(log: ZeebeLog) -> None:
    """A descriptor of version 1 with 29 bytes and no checksum, as Zeebe 1.0 wrote it."""
    log.segment(*FOUR, version="1")
    log.expect("intact", survivors=range(4), end=394)
    log.note("Zeebe 1.1 to 8.2 read this descriptor. Zeebe 8.3.0 removed the support.")


@LAYOUT.valid("ZBJ-006", "ZBJ-009")
def descriptor_of_45_bytes(log: ZeebeLog) -> None:
    """A descriptor of 45 bytes with SBE version 1, as Zeebe 1.1 to 8.2 wrote it."""
    log.segment(*FOUR, version="2/1")
    log.expect("intact", survivors=range(4), end=410)


@LAYOUT.valid("ZBJ-006", "ZBJ-013")
def segments_of_45_bytes(log: ZeebeLog) -> None:
    """Three segments with descriptors of 45 bytes, which have no fields for a seal."""
    log.journal(*SIX, version="2/1")
    log.expect("intact", survivors=range(6))


@LAYOUT.valid("ZBJ-005", "ZBJ-006")
def records_of_two_versions(log: ZeebeLog) -> None:
    """A segment that was continued after an upgrade has a 45-byte descriptor, records of version 1,
    and then a record of version 2."""
    log.segment(INITIAL, ALPHA, version="2/1")
    log.data[210:311] = pack_record(3, 2, BRAVO[0]).ljust(101, b"\0")
    log.payloads.append(BRAVO[0])
    log.expect("intact", survivors=range(3))


@LAYOUT.valid("ZBJ-005")
def metadata_and_data_of_two_versions(log: ZeebeLog) -> None:
    """A record from an older leader has metadata of version 2 and a data message of version 1."""
    log.segment(INITIAL)
    record = pack_record(2, 1, ALPHA[0], version=2, data_version=1)
    log.data[123 : 123 + len(record)] = record
    log.payloads.append(ALPHA[0])
    log.expect("intact", survivors=range(2))


@LAYOUT.valid("ZBJ-018", "ZBJ-058")
def empty_payload(log: ZeebeLog) -> None:
    """Two of three records have an empty payload. A reader returns all three records."""
    log.segment((b"", 1), (b"", -1), (b"bbb", 2))
    log.expect("intact", survivors=range(3))


@LAYOUT.valid("ZBJ-020")
def exactly_full_segment(log: ZeebeLog) -> None:
    """The last record fills the segment, so no frame of 0 follows."""
    log.segment(*FOUR, size=422)
    log.expect("intact", survivors=range(4), end=422)


@LAYOUT.valid("ZBJ-020", "ZBJ-023")
def exactly_full_segments(log: ZeebeLog) -> None:
    """The records fill the first segment exactly, so no frame of 0 follows them. A reader continues
    with the next segment."""
    log.journal(*SIX, size=222)
    log.expect("intact", survivors=range(6))


@LAYOUT.valid("ZBJ-014", "ZBJ-016")
def segment_without_records(log: ZeebeLog) -> None:
    """A segment with only a descriptor and zeros, as a node that has just started leaves it."""
    log.segment()
    log.expect("intact", survivors=[], end=57)


@LAYOUT.valid("ZBJ-014")
def empty_last_segment(log: ZeebeLog) -> None:
    """The last segment has a descriptor but no records yet."""
    log.journal(*FOUR)
    log.files["journal-3.log"] = bytearray(segment((), 270, id=3, index=5))
    log.flushed(4)
    log.expect("intact", survivors=range(4), end=57)


@LAYOUT.valid("ZBJ-014", "ZBJ-041")
def prepared_segment_alone(log: ZeebeLog) -> None:
    """A one-file log that contains only zeros. The log is intact and has no records."""
    log.data = bytearray(300)
    log.expect("intact", survivors=[], end=0)


@LAYOUT.valid("ZBJ-014")
def empty_file_at_the_end(log: ZeebeLog) -> None:
    """The last segment file is empty, because it was created but not yet extended."""
    log.journal(*FOUR)
    log.files["journal-3.log"] = bytearray()
    log.flushed(4)
    log.expect("intact", survivors=range(4))


@LAYOUT.valid("ZBJ-023")
def compacted_journal(log: ZeebeLog) -> None:
    """The first segments were removed after a snapshot, so the log begins with index 5."""
    log.journal(*SIX)
    del log.files["journal-1.log"], log.files["journal-2.log"]
    log.flushed(6)
    log.expect("intact", survivors=[4, 5])


@LAYOUT.valid("ZBJ-002")
def descriptor_ids_unlike_the_names(log: ZeebeLog) -> None:
    """The ids in the descriptors are 7 and 3. Only the file names determine the order of the
    segments."""
    log.files = {
        "journal-1.log": bytearray(segment((INITIAL, ALPHA), 270, id=7)),
        "journal-2.log": bytearray(segment((BRAVO, CHARLIE), 270, id=3, index=3)),
    }
    log.payloads = [payload for payload, _ in FOUR]
    log.expect("intact", survivors=range(4))


@LAYOUT.valid("ZBJ-002")
def ten_segments(log: ZeebeLog) -> None:
    """A journal of ten segments. Segment 10 follows segment 9, not segment 1."""
    log.journal(*((b"%d" % n, n) for n in range(1, 11)), size=57 + 51)
    log.flushed(10)
    log.expect("intact", survivors=range(10))


@LAYOUT.valid("ZBJ-012")
def file_longer_than_its_descriptor_says(log: ZeebeLog) -> None:
    """The maximum segment size is smaller than the file. A reader uses the whole file."""
    log.segment(*FOUR)
    log.data[:57] = pack_descriptor(1, 1, 100)
    log.expect("intact", survivors=range(4), end=422)


@LAYOUT.valid("ZBJ-012")
def negative_maximal_size(log: ZeebeLog) -> None:
    """The maximum segment size is -5. A reader does not use this size as a limit."""
    log.segment(*FOUR)
    log.data[:57] = pack_descriptor(1, 1, -5)
    log.expect("intact", survivors=range(4), end=422)
