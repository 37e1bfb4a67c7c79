"""Missing, repeated, empty and out-of-order segments."""

from conformance.recipes.zeebe_journal.layout import segments_of_45_bytes, three_segments
from conformance.recipes.zeebe_journal.log import (
    ALPHA,
    BOOK,
    BRAVO,
    CHARLIE,
    DELTA,
    ECHO,
    ZeebeLog,
    flushed_below_and_at,
    segment,
)

FIRST, SECOND, THIRD, FOURTH = (f"journal-{number}.log" for number in (1, 2, 3, 4))
SILENT = "If no record after the gap was flushed, Zeebe deletes the later files without an error."


@flushed_below_and_at(three_segments, "segments", "ZBJ-037", "ZBJ-039", below=2, at=4)
def middle_segment_missing(log: ZeebeLog) -> None:
    """The second segment is missing, so the segment after the gap is not part of the log."""
    log.shows("lost-file")
    log.remove_file(SECOND)
    log.stops("segment-gap", [0, 1], end=222)
    log.note(SILENT)


@BOOK.damaged(three_segments, "segments", "ZBJ-023")
def first_segment_missing(log: ZeebeLog) -> None:
    """The first segment is missing, as after a compaction. The log is intact."""
    log.remove_file(FIRST)
    log.flushed(6)
    log.expect("intact", survivors=[2, 3, 4, 5], end=254)


@flushed_below_and_at(three_segments, "segments", "ZBJ-037", "ZBJ-041", below=4, at=6)
def last_segment_missing(log: ZeebeLog) -> None:
    """The last segment with records is missing, and the sealed segment before it is complete."""
    log.remove_file(THIRD)
    if log.context["last_flushed_index"] == 6:
        log.expect("damaged", "missing-records", survivors=range(4), end=None)
    else:
        log.expect("intact", survivors=range(4), end=257)


@flushed_below_and_at(three_segments, "segments", "ZBJ-042", below=None, at=3)
def all_segments_missing(log: ZeebeLog) -> None:
    """All segments are missing, and the folder contains only a lock file."""
    log.add_file(".journal.lock", b"0", "the lock file")
    for name in (FIRST, SECOND, THIRD, FOURTH):
        log.remove_file(name)
    if log.context["last_flushed_index"] == 3:
        log.expect("damaged", "missing-records", survivors=[], end=None)
    else:
        log.expect("intact", survivors=[], end=0)
    log.note("Zeebe creates a new journal, for any flushed index.")


@flushed_below_and_at(three_segments, "segments", "ZBJ-039", below=4, at=5)
def overlapping_segment(log: ZeebeLog) -> None:
    """The third segment begins with index 4, which the second segment also contains."""
    log.files[THIRD] = bytearray(segment((CHARLIE, DELTA), 270, id=3, index=4))
    log.did(f"{THIRD} begins with index 4")
    log.stops("segment-overlap", range(4), end=257)


@flushed_below_and_at(three_segments, "segments", "ZBJ-039", below=4, at=5)
def segment_twice(log: ZeebeLog) -> None:
    """The third segment is replaced by a copy of the second segment."""
    log.remove_file(THIRD)
    log.add_file(THIRD, bytes(log.files[SECOND]), f"a copy of {SECOND}")
    log.stops("segment-overlap", range(4), end=257)


@BOOK.damaged(three_segments, "segments", "ZBJ-039")
def segments_swapped(log: ZeebeLog) -> None:
    """The second and the third segment are swapped."""
    log.shows("swapped")
    log.rename_file(SECOND, "journal-9.log")
    log.rename_file(THIRD, SECOND)
    log.rename_file("journal-9.log", THIRD)
    log.flushed(6)
    log.expect("damaged", "segment-gap", survivors=[0, 1], end=None)


@BOOK.damaged(three_segments, "segments", "ZBJ-039")
def gap_between_segments(log: ZeebeLog) -> None:
    """The third segment begins with index 6 instead of 5."""
    log.files[THIRD] = bytearray(segment((ECHO,), 270, id=3, index=6))
    log.did(f"{THIRD} begins with index 6")
    log.flushed(4)
    log.stops("segment-gap", range(4), end=257)


@flushed_below_and_at(three_segments, "segments", "ZBJ-014", "ZBJ-039", below=2, at=4)
def zeros_in_the_middle(log: ZeebeLog) -> None:
    """The second segment consists of zeros, and a segment with records follows."""
    log.shows("zeroed-sector")
    log.files[SECOND][:] = bytes(270)
    log.did(f"zero all of {SECOND}")
    log.stops("zero-segment", [0, 1], end=222)


@BOOK.damaged(three_segments, "segments", "ZBJ-014", "ZBJ-039")
def empty_file_in_the_middle(log: ZeebeLog) -> None:
    """The second segment file is empty, and a segment with records follows."""
    log.truncate(0, SECOND)
    log.flushed(4)
    log.expect("damaged", "zero-segment", survivors=[0, 1], end=None)


@flushed_below_and_at(three_segments, "segments", "ZBJ-014", "ZBJ-041", below=4, at=5)
def last_segment_zeroed(log: ZeebeLog) -> None:
    """The last segment with records consists of zeros, like the prepared segment after it."""
    log.files[THIRD][:] = bytes(270)
    log.did(f"zero all of {THIRD}")
    if log.context["last_flushed_index"] == 5:
        log.expect("damaged", "missing-records", survivors=range(4), end=None)
    else:
        log.expect("intact", survivors=range(4), end=257)


@BOOK.damaged(three_segments, "segments", "ZBJ-014", "ZBJ-039")
def first_segment_zeroed(log: ZeebeLog) -> None:
    """The first segment consists of zeros, and segments with records follow."""
    log.files[FIRST][:] = bytes(270)
    log.did(f"zero all of {FIRST}")
    log.flushed(6)
    log.expect("damaged", "zero-segment", survivors=[], end=None)


@flushed_below_and_at(segments_of_45_bytes, "segments", "ZBJ-038", "ZBJ-039", below=1, at=4)
def damage_in_a_segment_without_a_seal(log: ZeebeLog) -> None:
    """A record in an unsealed segment is corrupt, so the log does not continue in the
    next segment.
    """
    log.flip(f"{FIRST}:records[1].data.entry.term", 0)
    log.stops("checksum-mismatch", [0], end=111)


@BOOK.damaged(three_segments, "sealed", "ZBJ-033", "ZBJ-037", "ZBJ-038", "ZBJ-044")
def sealed_record_damaged(log: ZeebeLog) -> None:
    """The first record of a sealed segment is corrupt. Only the records of this segment
    are lost.
    """
    log.flip(f"{SECOND}:records[0].data.entry.term", 0)
    log.flushed(6)
    log.expect("damaged", "checksum-mismatch", survivors=[0, 1, 4, 5], end=254)
    log.note(
        "Zeebe opens the journal without an error. Its reader throws an exception at the record."
    )


@BOOK.damaged(three_segments, "sealed", "ZBJ-037", "ZBJ-038")
def sealed_record_damaged_and_nothing_flushed(log: ZeebeLog) -> None:
    """A record in a sealed segment is corrupt, and no flushed index is given. The fault is damage,
    because the seal guarantees the record.
    """
    log.flip(f"{FIRST}:records[0].data.entry.term", 0)
    log.expect("damaged", "checksum-mismatch", survivors=[2, 3, 4, 5], end=254)


@flushed_below_and_at(three_segments, "sealed", "ZBJ-037", "ZBJ-038", below=1, at=6)
def last_sealed_record_damaged(log: ZeebeLog) -> None:
    """The last record of a sealed segment is corrupt, and a reader continues with the
    next segment.
    """
    log.flip(f"{FIRST}:records[1].data.entry.term", 0)
    log.expect("damaged", "checksum-mismatch", survivors=[0, 2, 3, 4, 5], end=254)
    log.note(
        "Zeebe reports the next segment as not aligned, and deletes the segment or fails to open."
    )


@flushed_below_and_at(three_segments, "sealed", "ZBJ-037", "ZBJ-038", below=2, at=6)
def sealed_frame_zeroed(log: ZeebeLog) -> None:
    """The first frame of a sealed segment is zeroed, so the records of this segment are missing."""
    log.zero(f"{SECOND}:records[0].frame")
    log.expect("damaged", "missing-records", survivors=[0, 1, 4, 5], end=254)
    log.note("Zeebe's reader ends there without an error.")


@BOOK.damaged(three_segments, "sealed", "ZBJ-037")
def last_sealed_segment_cut(log: ZeebeLog) -> None:
    """The second segment is sealed, but the file ends before its last record. All later segments
    are missing.
    """
    log.remove_file(THIRD)
    log.remove_file(FOURTH)
    log.truncate(156, SECOND)
    log.flushed(2)
    log.expect("damaged", "missing-records", survivors=[0, 1, 2], end=None)


@BOOK.damaged(three_segments, "sealed", "ZBJ-038", "ZBJ-043")
def two_sealed_segments_damaged(log: ZeebeLog) -> None:
    """One record in each of two sealed segments is corrupt. A reader still reads the active
    segment.
    """
    log.flip(f"{FIRST}:records[1].metadata.checksum", 0)
    log.flip(f"{SECOND}:records[1].frame", 1)
    log.expect("damaged", "checksum-mismatch", survivors=[0, 2, 4, 5], end=254)


@BOOK.damaged(three_segments, "sealed", "ZBJ-038", "ZBJ-043", "ZBJ-044")
def sealed_damage_and_a_torn_tail(log: ZeebeLog) -> None:
    """A record in a sealed segment is corrupt, and the last record is torn. The reason in the
    answer is `checksum-mismatch`, not `torn-record`.
    """
    log.flip(f"{FIRST}:records[1].metadata.checksum", 0)
    log.truncate(240, THIRD)
    log.flushed(5)
    log.expect("damaged", "checksum-mismatch", survivors=[0, 2, 3, 4], end=156)


@BOOK.damaged(three_segments, "names", "ZBJ-001")
def name_with_leading_zero(log: ZeebeLog) -> None:
    """The second segment is renamed to `journal-02.log`, which is not a segment name, so the
    second segment is missing.
    """
    log.rename_file(SECOND, "journal-02.log")
    log.flushed(6)
    log.expect("damaged", "segment-gap", survivors=[0, 1], end=None)
    log.note("Zeebe reads this file as segment 2.")


@BOOK.damaged(three_segments, "names", "ZBJ-001", kind="limit")
def copy_with_leading_zero(log: ZeebeLog) -> None:
    """A reader ignores `journal-02.log`, a copy of the second segment."""
    log.add_file("journal-02.log", bytes(log.files[SECOND]), f"a copy of {SECOND}")
    log.flushed(6)
    log.expect("intact", survivors=range(6), end=254)


@BOOK.damaged(three_segments, "names", "ZBJ-001", kind="limit")
def foreign_endings(log: ZeebeLog) -> None:
    """A reader of the journal `journal` ignores files with the extension `.xlog` or `.log.bak`, or
    with a sign before the number.
    """
    for name in ("journal-2.xlog", "journal-2.log.bak", "journal-+4.log", "journal--4.log"):
        log.add_file(name, bytes(log.files[SECOND]), f"a copy of {SECOND}")
    log.context["name"] = "journal"
    log.flushed(6)
    log.expect("intact", survivors=range(6), end=254)
    log.note("Zeebe reads three of the four files, and fails.")


@BOOK.damaged(three_segments, "names", "ZBJ-001", "ZBJ-003", kind="limit")
def another_journal_in_the_folder(log: ZeebeLog) -> None:
    """The context has the name `journal`. A reader ignores a segment of the journal
    `journalX-foo` in the same folder.
    """
    log.add_file("journalX-foo-2.log", bytes(log.files[SECOND]), f"a copy of {SECOND}")
    log.context["name"] = "journal"
    log.flushed(6)
    log.expect("intact", survivors=range(6), end=254)
    log.note("Zeebe accepts every name that begins with the name of the journal.")


@BOOK.damaged(three_segments, "names", "ZBJ-003")
def two_journals_and_no_name(log: ZeebeLog) -> None:
    """A folder contains two journals, and the context has no name. A reader must refuse the log."""
    log.add_file("other-1.log", segment((ALPHA, BRAVO), 270), "another journal")
    log.expect("refused", "ambiguous-journal", survivors=[])


@BOOK.damaged(three_segments, "names", "ZBJ-001", kind="limit")
def number_beyond_31_bits(log: ZeebeLog) -> None:
    """A reader ignores a file with a number above 2147483647."""
    log.add_file("journal-2147483648.log", bytes(log.files[SECOND]), f"a copy of {SECOND}")
    log.flushed(6)
    log.expect("intact", survivors=range(6), end=254)


@BOOK.damaged(three_segments, "names", "ZBJ-004", kind="limit")
def deleted_segment_left_over(log: ZeebeLog) -> None:
    """A reader ignores a segment file that was renamed for deletion."""
    log.add_file("journal-2.log_5-deleted", bytes(log.files[SECOND]), f"a copy of {SECOND}")
    log.flushed(6)
    log.expect("intact", survivors=range(6), end=254)


@BOOK.damaged(three_segments, "names", "ZBJ-004", kind="limit")
def file_that_ends_in_deleted(log: ZeebeLog) -> None:
    """A reader ignores a file named `deleted`."""
    log.add_file("deleted", b"x", "one byte")
    log.flushed(6)
    log.expect("intact", survivors=range(6), end=254)
    log.note("Zeebe fails to open with a StringIndexOutOfBoundsException.")
