"""Log directories in which a lost file affects the files around it."""

from conformance.recipes.zmq_raft.directories import ALL, last_file_full, three_files
from conformance.recipes.zmq_raft.log import (
    DIRECTORY,
    EIGHT,
    FOUR,
    ONE,
    SIX,
    UNFINISHED,
    ZmqRaftLog,
    entry,
)

FIRST_SEVEN = ALL[:7]


@DIRECTORY.damaged(three_files, "ZMR-091", "ZMR-096", "ZMR-041")
def a_lost_file_claims_no_entries(log: ZmqRaftLog) -> None:
    """A file named for index 6 has an invalid token. A reader returns entries 6 and 7 from the file
    before it."""
    log.add_file(SIX, b"RLOX" + bytes(60))
    log.expect("damaged", "bad-token", survivors=ALL, end=186)


@DIRECTORY.damaged(three_files, "ZMR-091", "ZMR-096")
def a_misplaced_file_claims_no_entries(log: ZmqRaftLog) -> None:
    """A file with entries 6 and 7 lies in an incorrect folder. A reader returns entries 6 and 7
    from the file before it."""
    name = log.add_index_file(6, b"six", b"seven")
    log.rename_file(name, "log/00000/00/01/00000000000006.rlog")
    log.expect("damaged", "misplaced-file", survivors=ALL, end=186)


@DIRECTORY.damaged(three_files, "ZMR-044", "ZMR-096", "ZMR-097")
def an_unfinished_file_claims_no_entries(log: ZmqRaftLog) -> None:
    """A file that begins with index 6 ends inside its header, and a later file follows. The code is
    missing-data, and the file claims no entries."""
    log.add_file(SIX, UNFINISHED)
    log.expect("damaged", "missing-data", survivors=ALL, end=186)


@DIRECTORY.damaged(three_files, "ZMR-095", "ZMR-096")
def an_empty_file_claims_no_entries(log: ZmqRaftLog) -> None:
    """An empty file that begins with index 6 lies between the files with entries 4 to 10. The empty
    file claims no entries."""
    log.add_index_file(6)
    log.expect("intact", survivors=ALL, end=186)


@DIRECTORY.damaged(three_files, "ZMR-041", "ZMR-091")
def token_of_the_first_file(log: ZmqRaftLog) -> None:
    """The first index file has an invalid token. A reader returns the entries of the later
    files."""
    log.set(f"{ONE}:header.token", b"RLOX")
    log.expect("damaged", "bad-token", survivors=ALL[3:], end=186)


@DIRECTORY.damaged(three_files, "ZMR-096", "ZMR-094")
def an_overlap_that_ends_early(log: ZmqRaftLog) -> None:
    """A file with only entry 6 follows a file with entries 4 to 7. Entries 6 and 7 of the earlier
    file are lost."""
    log.add_index_file(6, b"six")
    log.expect("damaged", "overlapping-files", survivors=[0, 1, 2, 3, 4, b"six", 7, 8, 9], end=186)
    log.note("A reader also reports missing-entries, because no other file has entry 7.")


@DIRECTORY.damaged(three_files, "ZMR-096", "ZMR-049")
def an_overlap_keeps_other_reasons(log: ZmqRaftLog) -> None:
    """An entry has an invalid term, and a later file claims its index. This entry has the code
    bad-term, not overlapping-files."""
    log.set(f"{FOUR}:data.entries[3].header.term", 2**53)
    log.add_index_file(6, b"six", b"seven")
    survivors: list[int | bytes] = [0, 1, 2, 3, 4, b"six", b"seven", 7, 8, 9]
    log.expect("damaged", "overlapping-files", survivors=survivors, end=186)


@DIRECTORY.damaged(three_files, "ZMR-097", "ZMR-091")
def cut_in_front_of_a_lost_file(log: ZmqRaftLog) -> None:
    """The second index file lacks its last byte, and the third has version 0. The code is
    missing-data, not torn-entry."""
    del log.files[FOUR][-1:]
    log.set(f"{EIGHT}:header.version", 0)
    log.expect("damaged", "missing-data", survivors=ALL[:6], end=None)


@DIRECTORY.damaged(three_files, "ZMR-050", "ZMR-095")
def terms_on_both_sides_of_an_empty_file(log: ZmqRaftLog) -> None:
    """The terms decrease across an empty file. A reader compares the entries on both sides of the
    file, and the entry before the file is lost."""
    log.set(f"{FOUR}:data.entries[3].header.term", 9)
    log.add_index_file(7)
    log.expect("damaged", "decreasing-term", survivors=[*ALL[:6], 7, 8, 9], end=186)


@DIRECTORY.damaged(three_files, "ZMR-043", "ZMR-101")
def last_file_lost(log: ZmqRaftLog) -> None:
    """The header of the last index file gives the first index 9 instead of 8. The end is null,
    because the next index is unknown."""
    log.set(f"{EIGHT}:header.first_index", 9)
    log.expect("damaged", "index-mismatch", survivors=FIRST_SEVEN, end=None)


@DIRECTORY.damaged(last_file_full, "ZMR-096")
def the_last_file_overlaps(log: ZmqRaftLog) -> None:
    """The last index file begins with index 6. Entries 6 and 7 of the file before it are lost."""
    log.add_index_file(6, b"six")
    log.expect("damaged", "overlapping-files", survivors=[0, 1, 2, 3, 4, b"six"], end=123)


DIRECTORY.table("""
no_gap_in_front_of_a_lost_file: three_files ZMR-045 ZMR-094
    The second index file is missing, and the third has no marker. A reader reports the lost file
    but no gap before it.
    damage: remove log/00000/00/00/00000000000004.rlog
    damage: set log/00000/00/00/00000000000008.rlog:chunks[1].token to 49 54 4d 58
    expect: damaged missing-marker, survivors 0-2, end none
no_gap_after_a_lost_file: three_files ZMR-045 ZMR-094
    The first index file has no marker, and the second is missing. A reader reports no gap, because
    the next index is unknown.
    damage: set log/00000/00/00/00000000000001.rlog:chunks[1].token to 49 54 4d 58
    damage: remove log/00000/00/00/00000000000004.rlog
    expect: damaged missing-marker, survivors 7-9, end 186
terms_on_both_sides_of_a_gap: three_files ZMR-050 ZMR-094
    The terms decrease across missing entries. A reader does not compare these terms.
    damage: set log/00000/00/00/00000000000001.rlog:data.entries[2].header.term to 9
    damage: remove log/00000/00/00/00000000000004.rlog
    expect: damaged missing-entries, survivors 0-2 7-9, end 186
middle_file_cut_in_its_header: three_files ZMR-044 ZMR-094 ZMR-097
    Only 16 bytes of the second index file exist. A reader reports the lost file but no gap after
    it.
    damage: truncate at 16 in log/00000/00/00/00000000000004.rlog
    expect: damaged missing-data, survivors 0-2 7-9, end 186
""")


@DIRECTORY.damaged(three_files, "ZMR-050", "ZMR-097")
def terms_on_both_sides_of_an_unfinished_file(log: ZmqRaftLog) -> None:
    """An unfinished file lies between entry 7 with term 5 and entry 8 with term 1. A reader does
    not compare these terms."""
    log.set(f"{FOUR}:data.entries[3].header.term", 5)
    log.add_file(SIX, UNFINISHED)
    log.expect("damaged", "missing-data", survivors=ALL, end=186)


@DIRECTORY.damaged(last_file_full, "ZMR-050", "ZMR-096")
def an_overlapping_entry_of_a_lower_term(log: ZmqRaftLog) -> None:
    """Entry 6 has a lower term than entry 5, but a later file claims entry 6. A reader does not
    compare the two terms."""
    log.set(f"{FOUR}:data.entries[1].header.term", 2)
    log.add_index_file(6, entry(b"six", 2))
    log.expect("damaged", "overlapping-files", survivors=[0, 1, 2, 3, 4, b"six"])


@DIRECTORY.damaged(three_files, "ZMR-091", "ZMR-095")
def empty_file_after_the_lost_first_file(log: ZmqRaftLog) -> None:
    """The first index file is lost, and the second is empty. The second file is a spare file, so
    the first file is the last file, and the end is null."""
    log.set(f"{ONE}:header.version", 0)
    log.remove_file(EIGHT)
    log.remove_file(FOUR)
    log.add_index_file(4)
    log.expect("damaged", "unsupported-version", end=None)


@DIRECTORY.damaged(three_files, "ZMR-096", "ZMR-097")
def torn_entry_that_the_next_file_claims(log: ZmqRaftLog) -> None:
    """Entry 7 is torn, and the next file claims its index. A reader still reports the torn range,
    as missing data."""
    log.truncate(211, FOUR)
    log.add_index_file(7, b"seven")
    log.expect("damaged", "missing-data", survivors=[*ALL[:6], b"seven", 7, 8, 9], end=186)


@DIRECTORY.damaged(three_files, "ZMR-092", "ZMR-101")
def empty_file_of_index_zero(log: ZmqRaftLog) -> None:
    """A log folder without a snapshot file has one empty index file, which begins with index 0. The
    next index is 1, so the next entry cannot go into this file."""
    for name in ("snap", ONE, FOUR, EIGHT):
        log.remove_file(name)
    log.add_index_file(0)
    log.expect("intact", end=None)
