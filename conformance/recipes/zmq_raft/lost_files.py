"""Log directories: what a file that is lost means for the files around it."""

from conformance.recipes.zmq_raft.directories import ALL, last_file_full, three_files
from conformance.recipes.zmq_raft.log import (
    BOOK,
    EIGHT,
    FOUR,
    ONE,
    SIX,
    UNFINISHED,
    ZmqRaftLog,
    entry,
)

FIRST_SEVEN = ALL[:7]


@BOOK.damaged(three_files, "directory", "ZMR-091", "ZMR-096", "ZMR-041")
def a_lost_file_claims_no_entries(log: ZmqRaftLog) -> None:
    """A file named 6 has another token: 6 and 7 stand in the file before it, and are returned."""
    log.add_file(SIX, b"RLOX" + bytes(60), "no index file")
    log.expect("damaged", "bad-token", survivors=ALL, end=186)


@BOOK.damaged(three_files, "directory", "ZMR-091", "ZMR-096")
def a_misplaced_file_claims_no_entries(log: ZmqRaftLog) -> None:
    """A file named 6 lies in another folder: nothing in it counts, not even where it begins."""
    name = log.add_index_file(6, b"six", b"seven")
    log.rename_file(name, "log/00000/00/01/00000000000006.rlog")
    log.expect("damaged", "misplaced-file", survivors=ALL, end=186)


@BOOK.damaged(three_files, "directory", "ZMR-044", "ZMR-096", "ZMR-097")
def an_unfinished_file_claims_no_entries(log: ZmqRaftLog) -> None:
    """A file named 6 ends in its header, with files after it: it is damage, and holds nothing."""
    log.add_file(SIX, UNFINISHED, "the first 16 bytes of a file")
    log.expect("damaged", "missing-data", survivors=ALL, end=186)


@BOOK.damaged(three_files, "directory", "ZMR-095", "ZMR-096")
def an_empty_file_claims_no_entries(log: ZmqRaftLog) -> None:
    """A file without entries begins at 6, between files that have 4 to 10: nothing is missing."""
    log.add_index_file(6)
    log.expect("intact", survivors=ALL, end=186)


@BOOK.damaged(three_files, "directory", "ZMR-041", "ZMR-091")
def token_of_the_first_file(log: ZmqRaftLog) -> None:
    """The first file has another token: those after it are read."""
    log.set(f"{ONE}:header.token", b"RLOX")
    log.expect("damaged", "bad-token", survivors=ALL[3:], end=186)


@BOOK.damaged(three_files, "directory", "ZMR-045", "ZMR-094")
def no_gap_in_front_of_a_lost_file(log: ZmqRaftLog) -> None:
    """The second file is gone and the third has no marker: one range says that it is lost."""
    log.remove_file(FOUR)
    log.set(f"{EIGHT}:chunks[1].token", b"ITMX")
    log.expect("damaged", "missing-marker", survivors=[0, 1, 2], end=None)


@BOOK.damaged(three_files, "directory", "ZMR-045", "ZMR-094")
def no_gap_after_a_lost_file(log: ZmqRaftLog) -> None:
    """The first file has no marker and the second is gone: 8 may be what comes next."""
    log.set(f"{ONE}:chunks[1].token", b"ITMX")
    log.remove_file(FOUR)
    log.expect("damaged", "missing-marker", survivors=[7, 8, 9], end=186)


@BOOK.damaged(three_files, "directory", "ZMR-096", "ZMR-094")
def an_overlap_that_ends_early(log: ZmqRaftLog) -> None:
    """A file with 6 alone, over 6 and 7 in the file before it: the 7 there is lost too."""
    log.add_index_file(6, b"six")
    log.expect("damaged", "overlapping-files", survivors=[0, 1, 2, 3, 4, b"six", 7, 8, 9], end=186)
    log.note("Entry 7 is in no file that counts: missing-entries in front of 8.")


@BOOK.damaged(three_files, "directory", "ZMR-096", "ZMR-049")
def an_overlap_keeps_other_reasons(log: ZmqRaftLog) -> None:
    """An entry that two files claim and that is lost for another reason keeps that reason."""
    log.set(f"{FOUR}:data.entries[3].header.term", 2**53)
    log.add_index_file(6, b"six", b"seven")
    survivors: list[int | bytes] = [0, 1, 2, 3, 4, b"six", b"seven", 7, 8, 9]
    log.expect("damaged", "overlapping-files", survivors=survivors, end=186)


@BOOK.damaged(three_files, "directory", "ZMR-097", "ZMR-091")
def cut_in_front_of_a_lost_file(log: ZmqRaftLog) -> None:
    """The second file lacks a byte, the third has another version: no write was unfinished."""
    del log.files[FOUR][-1:]
    log.did(f"truncate at 211 in {FOUR}")
    log.set(f"{EIGHT}:header.version", 0)
    log.expect("damaged", "missing-data", survivors=ALL[:6], end=None)


@BOOK.damaged(three_files, "directory", "ZMR-050", "ZMR-094")
def terms_on_both_sides_of_a_gap(log: ZmqRaftLog) -> None:
    """Terms are not compared across missing entries."""
    log.set(f"{ONE}:data.entries[2].header.term", 9)
    log.remove_file(FOUR)
    log.expect("damaged", "missing-entries", survivors=[0, 1, 2, 7, 8, 9], end=186)


@BOOK.damaged(three_files, "directory", "ZMR-050", "ZMR-095")
def terms_on_both_sides_of_an_empty_file(log: ZmqRaftLog) -> None:
    """A file without entries in between: the terms around it are compared all the same."""
    log.set(f"{FOUR}:data.entries[3].header.term", 9)
    log.add_index_file(7)
    log.expect("damaged", "decreasing-term", survivors=[*ALL[:6], 8, 9], end=186)


@BOOK.damaged(three_files, "directory", "ZMR-043", "ZMR-101")
def last_file_lost(log: ZmqRaftLog) -> None:
    """The header of the last file says 9: which index comes next is not known."""
    log.set(f"{EIGHT}:header.first_index", 9)
    log.expect("damaged", "index-mismatch", survivors=FIRST_SEVEN, end=None)


@BOOK.damaged(last_file_full, "directory", "ZMR-096")
def the_last_file_overlaps(log: ZmqRaftLog) -> None:
    """The last file begins at 6, and the one before it goes up to 7."""
    log.add_index_file(6, b"six")
    log.expect("damaged", "overlapping-files", survivors=[0, 1, 2, 3, 4, b"six"], end=123)


@BOOK.damaged(three_files, "directory", "ZMR-044", "ZMR-094", "ZMR-097")
def middle_file_cut_in_its_header(log: ZmqRaftLog) -> None:
    """16 bytes of the second file are left: it is lost, and so no gap is reported after it."""
    log.truncate(16, FOUR)
    log.expect("damaged", "missing-data", survivors=[0, 1, 2, 7, 8, 9], end=186)


@BOOK.damaged(three_files, "directory", "ZMR-050", "ZMR-097")
def terms_on_both_sides_of_an_unfinished_file(log: ZmqRaftLog) -> None:
    """An unfinished file between 7, of term 5, and 8, of term 1: the two are not compared."""
    log.set(f"{FOUR}:data.entries[3].header.term", 5)
    log.add_file(SIX, UNFINISHED, "the first 16 bytes of a file")
    log.expect("damaged", "missing-data", survivors=ALL, end=186)


@BOOK.damaged(last_file_full, "directory", "ZMR-050", "ZMR-096")
def an_overlapping_entry_of_a_lower_term(log: ZmqRaftLog) -> None:
    """A later file claims 6, whose term falls: the 5 before it is not lost with it."""
    log.set(f"{FOUR}:data.entries[1].header.term", 2)
    log.add_index_file(6, entry(b"six", 2))
    log.expect("damaged", "overlapping-files", survivors=[0, 1, 2, 3, 4, b"six"])
