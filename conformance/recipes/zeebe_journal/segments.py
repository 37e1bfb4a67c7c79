"""Missing, repeated, empty and out-of-order segments in a journal."""

from conformance.recipes.zeebe_journal.layout import segments_of_45_bytes, three_segments
from conformance.recipes.zeebe_journal.log import (
    ALPHA,
    BRAVO,
    CHARLIE,
    DELTA,
    ECHO,
    NAMES,
    SEALED,
    SEGMENTS,
    ZeebeLog,
    flushed_below_and_at,
    segment,
)

FIRST, SECOND, THIRD, FOURTH = (f"journal-{number}.log" for number in (1, 2, 3, 4))
SILENT = "If no record after the gap was flushed, Zeebe deletes the later files without an error."


@flushed_below_and_at(three_segments, SEGMENTS, "ZBJ-037", "ZBJ-039", below=2, at=4)
def middle_segment_missing(log: ZeebeLog) -> None:
    """The second segment is missing. A reader continues with the third segment."""
    log.shows("lost-file")
    log.remove_file(SECOND)
    log.expect("damaged", "segment-gap", survivors=[0, 1, 4, 5], end=254)
    log.note(SILENT)


@flushed_below_and_at(three_segments, SEGMENTS, "ZBJ-037", "ZBJ-041", below=4, at=6)
def last_segment_missing(log: ZeebeLog) -> None:
    """The last segment with records is missing, and the sealed segment before it is complete."""
    log.remove_file(THIRD)
    if log.context["last_flushed_index"] == 6:
        log.expect("damaged", "missing-records", survivors=range(4), end=None)
    else:
        log.expect("intact", survivors=range(4), end=257)


@flushed_below_and_at(three_segments, SEGMENTS, "ZBJ-041", below=None, at=3)
def all_segments_missing(log: ZeebeLog) -> None:
    """All segments are missing, and the folder contains only a lock file."""
    log.add_file(".journal.lock", b"0")
    for name in (FIRST, SECOND, THIRD, FOURTH):
        log.remove_file(name)
    if log.context["last_flushed_index"] == 3:
        log.expect("damaged", "missing-records", survivors=[], end=None)
    else:
        log.expect("intact", survivors=[], end=0)
    log.note("Zeebe creates a new journal, for any flushed index.")


@flushed_below_and_at(three_segments, SEGMENTS, "ZBJ-039", below=4, at=5)
def overlapping_segment(log: ZeebeLog) -> None:
    """The third segment begins with index 4, although the second segment already contains record
    4."""
    log.files[THIRD] = bytearray(segment((CHARLIE, DELTA), 270, id=3, index=4))
    log.stops("segment-overlap", range(4), end=257)


@flushed_below_and_at(three_segments, SEGMENTS, "ZBJ-039", below=4, at=5)
def segment_twice(log: ZeebeLog) -> None:
    """The third segment is replaced by a copy of the second segment."""
    log.remove_file(THIRD)
    log.add_file(THIRD, bytes(log.files[SECOND]))
    log.stops("segment-overlap", range(4), end=257)


@SEGMENTS.damaged(three_segments, "ZBJ-039")
def segments_swapped(log: ZeebeLog) -> None:
    """The second and the third segment are swapped. The segment that begins with index 3 comes too
    late, but may contain the missing records."""
    log.shows("swapped")
    log.rename_file(SECOND, "journal-9.log")
    log.rename_file(THIRD, SECOND)
    log.rename_file("journal-9.log", THIRD)
    log.flushed(6)
    log.expect("damaged", "segment-gap", survivors=[0, 1, 4, 5], end=None)


@SEGMENTS.damaged(three_segments, "ZBJ-039")
def gap_between_segments(log: ZeebeLog) -> None:
    """The third segment begins with index 6 instead of 5."""
    log.files[THIRD] = bytearray(segment((ECHO,), 270, id=3, index=6))
    log.flushed(4)
    log.expect("damaged", "segment-gap", survivors=[0, 1, 2, 3, 5], end=155)


@flushed_below_and_at(three_segments, SEGMENTS, "ZBJ-014", "ZBJ-039", below=2, at=4)
def zeros_in_the_middle(log: ZeebeLog) -> None:
    """The second segment consists of zeros, and a segment with records follows."""
    log.shows("zeroed-sector")
    log.files[SECOND][:] = bytes(270)
    log.expect("damaged", "zero-segment", survivors=[0, 1, 4, 5], end=254)


SEGMENTS.table("""
first_segment_missing: three_segments ZBJ-023
    The first segment is missing, as after a compaction. The log is intact.
    damage: remove journal-1.log
    flushed: 6
    expect: intact, survivors 2-5, end 254
empty_file_in_the_middle: three_segments ZBJ-014 ZBJ-039
    The second segment file is empty, and a segment with records follows.
    damage: truncate at 0 in journal-2.log
    flushed: 4
    expect: damaged zero-segment, survivors 0 1 4 5, end 254
""")


@flushed_below_and_at(three_segments, SEGMENTS, "ZBJ-014", "ZBJ-041", below=4, at=5)
def last_segment_zeroed(log: ZeebeLog) -> None:
    """The last segment with records consists of zeros, like the prepared segment after it."""
    log.files[THIRD][:] = bytes(270)
    if log.context["last_flushed_index"] == 5:
        log.expect("damaged", "missing-records", survivors=range(4), end=None)
    else:
        log.expect("intact", survivors=range(4), end=257)


@SEGMENTS.damaged(three_segments, "ZBJ-014", "ZBJ-039")
def first_segment_zeroed(log: ZeebeLog) -> None:
    """The first segment consists of zeros, and segments with records follow."""
    log.files[FIRST][:] = bytes(270)
    log.flushed(6)
    log.expect("damaged", "zero-segment", survivors=[2, 3, 4, 5], end=254)


@flushed_below_and_at(segments_of_45_bytes, SEGMENTS, "ZBJ-038", "ZBJ-039", below=1, at=4)
def damage_in_a_segment_without_a_seal(log: ZeebeLog) -> None:
    """A record in an unsealed segment is corrupt. The next segment shows that the record was
    written."""
    log.flip(f"{FIRST}:records[1].data.entry.term", 0)
    log.expect("damaged", "checksum-mismatch", survivors=[0, 2, 3, 4, 5], end=242)


@flushed_below_and_at(three_segments, SEALED, "ZBJ-037", "ZBJ-038", below=1, at=6)
def last_sealed_record_damaged(log: ZeebeLog) -> None:
    """The last record of a sealed segment is corrupt, and a reader continues with the next
    segment."""
    log.flip(f"{FIRST}:records[1].data.entry.term", 0)
    log.expect("damaged", "checksum-mismatch", survivors=[0, 2, 3, 4, 5], end=254)
    log.note(
        "Zeebe reports the next segment as not aligned, and deletes the segment or fails to open."
    )


@flushed_below_and_at(three_segments, SEALED, "ZBJ-037", "ZBJ-038", below=2, at=6)
def sealed_frame_zeroed(log: ZeebeLog) -> None:
    """The first frame of a sealed segment is zeroed. The seal proves the record."""
    log.zero(f"{SECOND}:records[0].frame")
    log.expect("damaged", "unknown-frame", survivors=range(6), end=254)
    log.note("Zeebe's reader ends there without an error.")


@SEALED.damaged(three_segments, "ZBJ-037")
def last_sealed_segment_cut(log: ZeebeLog) -> None:
    """The second segment is sealed, but the file ends before its last record. All later segments
    are missing."""
    log.remove_file(THIRD)
    log.remove_file(FOURTH)
    log.truncate(156, SECOND)
    log.flushed(2)
    log.expect("damaged", "missing-records", survivors=[0, 1, 2], end=None)


SEALED.table("""
sealed_record_damaged: three_segments ZBJ-022 ZBJ-037 ZBJ-038 ZBJ-044
    The first record of a sealed segment is corrupt. Only the records of this segment are lost.
    damage: flip bit 0 of journal-2.log:records[0].data.entry.term
    flushed: 6
    expect: damaged checksum-mismatch, survivors 0 1 3-5, end 254
    note: Zeebe opens the journal without an error. Its reader throws an exception at the record.
sealed_record_damaged_and_nothing_flushed: three_segments ZBJ-037 ZBJ-038
    A record in a sealed segment is corrupt, and no flushed index is given. The fault is damage,
    because the seal guarantees the record.
    damage: flip bit 0 of journal-1.log:records[0].data.entry.term
    expect: damaged checksum-mismatch, survivors 1-5, end 254
two_sealed_segments_damaged: three_segments ZBJ-038 ZBJ-043
    A record and a frame in two sealed segments are corrupt. A reader still reads all other records.
    damage: flip bit 0 of journal-1.log:records[1].metadata.checksum
    damage: flip bit 1 of journal-2.log:records[1].frame
    expect: damaged checksum-mismatch, survivors 0 2-5, end 254
sealed_damage_and_a_torn_tail: three_segments ZBJ-038 ZBJ-043 ZBJ-044
    A record in a sealed segment is corrupt, and the last record is torn. The reason in the answer
    is `checksum-mismatch`, not `torn-record`.
    damage: flip bit 0 of journal-1.log:records[1].metadata.checksum
    damage: truncate at 240 in journal-3.log
    flushed: 5
    expect: damaged checksum-mismatch, survivors 0 2-4, end 156
""")


@NAMES.damaged(three_segments, "ZBJ-001", kind="limit")
def copy_with_leading_zero(log: ZeebeLog) -> None:
    """A reader ignores `journal-02.log`, a copy of the second segment."""
    log.add_file("journal-02.log", bytes(log.files[SECOND]))
    log.flushed(6)
    log.expect("intact", survivors=range(6), end=254)


@NAMES.damaged(three_segments, "ZBJ-001", kind="limit")
def foreign_endings(log: ZeebeLog) -> None:
    """A reader of the journal `journal` ignores files with the extension `.xlog` or `.log.bak`, or
    with a sign before the number."""
    for name in ("journal-2.xlog", "journal-2.log.bak", "journal-+4.log", "journal--4.log"):
        log.add_file(name, bytes(log.files[SECOND]))
    log.context["name"] = "journal"
    log.flushed(6)
    log.expect("intact", survivors=range(6), end=254)
    log.note("Zeebe reads three of the four files, and fails.")


@NAMES.damaged(three_segments, "ZBJ-001", "ZBJ-003", kind="limit")
def another_journal_in_the_folder(log: ZeebeLog) -> None:
    """The context has the name `journal`. A reader ignores a segment of the journal `journalX-foo`
    in the same folder."""
    log.add_file("journalX-foo-2.log", bytes(log.files[SECOND]))
    log.context["name"] = "journal"
    log.flushed(6)
    log.expect("intact", survivors=range(6), end=254)
    log.note("Zeebe accepts every name that begins with the name of the journal.")


@NAMES.damaged(three_segments, "ZBJ-003")
def two_journals_and_no_name(log: ZeebeLog) -> None:
    """A folder contains two journals, and the context has no name. A reader must refuse the log."""
    log.add_file("other-1.log", segment((ALPHA, BRAVO), 270))
    log.expect("refused", "ambiguous-journal", survivors=[])


@NAMES.damaged(three_segments, "ZBJ-001", kind="limit")
def number_beyond_31_bits(log: ZeebeLog) -> None:
    """A reader ignores a file with a number above 2147483647."""
    log.add_file("journal-2147483648.log", bytes(log.files[SECOND]))
    log.flushed(6)
    log.expect("intact", survivors=range(6), end=254)


@NAMES.damaged(three_segments, "ZBJ-004", kind="limit")
def deleted_segment_left_over(log: ZeebeLog) -> None:
    """A reader ignores a segment file that was renamed for deletion."""
    log.add_file("journal-2.log_5-deleted", bytes(log.files[SECOND]))
    log.flushed(6)
    log.expect("intact", survivors=range(6), end=254)


NAMES.table("""
name_with_leading_zero: three_segments ZBJ-001
    The second segment is renamed to `journal-02.log`, which is not a segment name, so the second
    segment is missing.
    damage: rename journal-2.log to journal-02.log
    flushed: 6
    expect: damaged segment-gap, survivors 0 1 4 5, end 254
    note: Zeebe reads this file as segment 2.
file_that_ends_in_deleted: three_segments ZBJ-004 limit
    A reader ignores a file named `deleted`.
    damage: add deleted: 78
    flushed: 6
    expect: intact, survivors 0-5, end 254
    note: Zeebe fails to open with a StringIndexOutOfBoundsException.
""")
