"""Undamaged logs: the shapes that a journal can have."""

from conformance.recipes.zeebe_journal.log import (
    ALPHA,
    BOOK,
    BRAVO,
    CHARLIE,
    FOUR,
    INITIAL,
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


@BOOK.valid("layout", "ZBJ-001", "ZBJ-008", "ZBJ-015", "ZBJ-016", "ZBJ-017", "ZBJ-020")
def one_segment(log: ZeebeLog) -> None:
    """One segment with an initial entry and three application entries."""
    log.segment(*FOUR)
    log.expect("intact", survivors=[0, 1, 2, 3], end=422)


@BOOK.valid("layout", "ZBJ-008", "ZBJ-009", "ZBJ-015", "ZBJ-024", "ZBJ-058")
def three_records_of_the_real_writer(log: ZeebeLog) -> None:
    """Three records as the real writer of 8.3 wrote them; their payloads are no raft entries."""
    log.segment((b"aaaa", 1), (b"bbbb", -1), (b"cccc", 5), size=299)
    log.expect_bytes(GOLDEN.ljust(299, b"\0"))
    log.expect("intact", survivors=[0, 1, 2], end=216)


@BOOK.valid("layout", "ZBJ-001", "ZBJ-002", "ZBJ-013", "ZBJ-014", "ZBJ-023")
def three_segments(log: ZeebeLog) -> None:
    """Two sealed segments, an active one, and one of zeros that was prepared."""
    log.journal(*SIX)
    log.expect("intact", survivors=range(6), end=254)


@BOOK.valid("layout", "ZBJ-035", "ZBJ-041")
def three_segments_flushed(log: ZeebeLog) -> None:
    """Three segments, with all of their records flushed."""
    log.journal(*SIX)
    log.flushed(6)
    log.expect("intact", survivors=range(6), end=254)


@BOOK.valid("layout", "ZBJ-013", "ZBJ-041")
def two_segments(log: ZeebeLog) -> None:
    """A sealed segment, an active one, and one of zeros that was prepared."""
    log.journal(*FOUR)
    log.flushed(4)
    log.expect("intact", survivors=range(4))


@BOOK.valid("layout", "ZBJ-006")
def descriptor_of_version_1(log: ZeebeLog) -> None:
    """A descriptor of 29 bytes without a checksum, as Zeebe 1.0 wrote it."""
    log.segment(*FOUR, version="1")
    log.expect("intact", survivors=range(4), end=394)
    log.note("Zeebe 1.1 to 8.2 read it; support was removed in 8.3.0.")


@BOOK.valid("layout", "ZBJ-007", "ZBJ-009")
def descriptor_of_45_bytes(log: ZeebeLog) -> None:
    """A descriptor of 45 bytes with SBE version 1, as Zeebe 1.1 to 8.2 wrote it."""
    log.segment(*FOUR, version="2/1")
    log.expect("intact", survivors=range(4), end=410)


@BOOK.valid("layout", "ZBJ-007", "ZBJ-013")
def segments_of_45_bytes(log: ZeebeLog) -> None:
    """Three segments with descriptors of 45 bytes, which have no room for a seal."""
    log.journal(*SIX, version="2/1")
    log.expect("intact", survivors=range(6))


@BOOK.valid("layout", "ZBJ-005", "ZBJ-007")
def records_of_two_versions(log: ZeebeLog) -> None:
    """An upgraded segment: a descriptor of 45 bytes, records of version 1, then of version 2."""
    log.segment(INITIAL, ALPHA, version="2/1")
    log.data[210:311] = pack_record(3, 2, BRAVO[0]).ljust(101, b"\0")
    log.payloads.append(BRAVO[0])
    log.expect("intact", survivors=range(3))


@BOOK.valid("layout", "ZBJ-005")
def metadata_and_data_of_two_versions(log: ZeebeLog) -> None:
    """A record of an old leader: data of version 1 under metadata of version 2."""
    log.segment(INITIAL)
    record = pack_record(2, 1, ALPHA[0], version=2, data_version=1)
    log.data[123 : 123 + len(record)] = record
    log.payloads.append(ALPHA[0])
    log.expect("intact", survivors=range(2))


@BOOK.valid("layout", "ZBJ-019", "ZBJ-058")
def empty_payload(log: ZeebeLog) -> None:
    """A record without a payload is a record."""
    log.segment((b"", 1), (b"", -1), (b"bbb", 2))
    log.expect("intact", survivors=range(3))


@BOOK.valid("layout", "ZBJ-021")
def exactly_full_segment(log: ZeebeLog) -> None:
    """The last record fills the segment: no EOF frame follows."""
    log.segment(*FOUR, size=422)
    log.expect("intact", survivors=range(4), end=422)


@BOOK.valid("layout", "ZBJ-021", "ZBJ-023")
def exactly_full_segments(log: ZeebeLog) -> None:
    """Segments without an EOF frame: the reader goes on in the next one."""
    log.journal(*SIX, size=222)
    log.expect("intact", survivors=range(6))


@BOOK.valid("layout", "ZBJ-014", "ZBJ-016")
def segment_without_records(log: ZeebeLog) -> None:
    """A descriptor and zeros: the journal of a node that has just started."""
    log.segment()
    log.expect("intact", survivors=[], end=57)


@BOOK.valid("layout", "ZBJ-014")
def empty_last_segment(log: ZeebeLog) -> None:
    """The last segment has a descriptor and no records yet."""
    log.journal(*FOUR)
    log.files["journal-3.log"] = bytearray(segment((), 270, id=3, index=5))
    log.flushed(4)
    log.expect("intact", survivors=range(4), end=57)


@BOOK.valid("layout", "ZBJ-014", "ZBJ-042")
def prepared_segment_alone(log: ZeebeLog) -> None:
    """A file of zeros and nothing else: no records, and nothing lost."""
    log.data = bytearray(300)
    log.expect("intact", survivors=[], end=0)


@BOOK.valid("layout", "ZBJ-014")
def empty_file_at_the_end(log: ZeebeLog) -> None:
    """A last segment of no bytes: it was created, and nothing more."""
    log.journal(*FOUR)
    log.files["journal-3.log"] = bytearray()
    log.flushed(4)
    log.expect("intact", survivors=range(4))


@BOOK.valid("layout", "ZBJ-023")
def compacted_journal(log: ZeebeLog) -> None:
    """The first segments were removed after a snapshot: the log begins at index 5."""
    log.journal(*SIX)
    del log.files["journal-1.log"], log.files["journal-2.log"]
    log.flushed(6)
    log.expect("intact", survivors=[4, 5])


@BOOK.valid("layout", "ZBJ-002")
def descriptor_ids_unlike_the_names(log: ZeebeLog) -> None:
    """The ids in the descriptors are 7 and 3: order comes from the file names alone."""
    log.files = {
        "journal-1.log": bytearray(segment((INITIAL, ALPHA), 270, id=7)),
        "journal-2.log": bytearray(segment((BRAVO, CHARLIE), 270, id=3, index=3)),
    }
    log.payloads = [payload for payload, _ in FOUR]
    log.expect("intact", survivors=range(4))


@BOOK.valid("layout", "ZBJ-002")
def ten_segments(log: ZeebeLog) -> None:
    """Segment 10 follows segment 9, not segment 1."""
    log.journal(*((b"%d" % n, n) for n in range(1, 11)), size=57 + 51)
    log.flushed(10)
    log.expect("intact", survivors=range(10))


@BOOK.valid("layout", "ZBJ-012")
def file_longer_than_its_descriptor_says(log: ZeebeLog) -> None:
    """The maximal segment size is smaller than the file: all of the file is used."""
    log.segment(*FOUR)
    log.data[:57] = pack_descriptor(1, 1, 100)
    log.expect("intact", survivors=range(4), end=422)


@BOOK.valid("layout", "ZBJ-012")
def negative_maximal_size(log: ZeebeLog) -> None:
    """A maximal segment size of -5 does not matter to a reader."""
    log.segment(*FOUR)
    log.data[:57] = pack_descriptor(1, 1, -5)
    log.expect("intact", survivors=range(4), end=422)
