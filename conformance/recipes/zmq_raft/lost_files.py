"""Log directories: effects of a lost file on the files around it."""

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
    """A file with index 6 in its name has an invalid token. A reader returns entries 6 and 7 from
    the file before it.
    """
    log.add_file(SIX, b"RLOX" + bytes(60), "a file with the token RLOX")
    log.expect("damaged", "bad-token", survivors=ALL, end=186)


@BOOK.damaged(three_files, "directory", "ZMR-091", "ZMR-096")
def a_misplaced_file_claims_no_entries(log: ZmqRaftLog) -> None:
    """A file with entries 6 and 7 lies in an incorrect folder. A reader returns entries 6 and 7
    from the file before it.
    """
    name = log.add_index_file(6, b"six", b"seven")
    log.rename_file(name, "log/00000/00/01/00000000000006.rlog")
    log.expect("damaged", "misplaced-file", survivors=ALL, end=186)


@BOOK.damaged(three_files, "directory", "ZMR-044", "ZMR-096", "ZMR-097")
def an_unfinished_file_claims_no_entries(log: ZmqRaftLog) -> None:
    """A file of index 6 ends inside its header, before a later file. The code is missing-data, and
    the file claims no entries.
    """
    log.add_file(SIX, UNFINISHED, "the first 16 bytes of a file")
    log.expect("damaged", "missing-data", survivors=ALL, end=186)


@BOOK.damaged(three_files, "directory", "ZMR-095", "ZMR-096")
def an_empty_file_claims_no_entries(log: ZmqRaftLog) -> None:
    """An empty file of index 6 lies between files that hold entries 4 to 10. The empty file claims
    no entries.
    """
    log.add_index_file(6)
    log.expect("intact", survivors=ALL, end=186)


@BOOK.damaged(three_files, "directory", "ZMR-041", "ZMR-091")
def token_of_the_first_file(log: ZmqRaftLog) -> None:
    """The first index file has an invalid token. A reader returns the entries of the
    later files.
    """
    log.set(f"{ONE}:header.token", b"RLOX")
    log.expect("damaged", "bad-token", survivors=ALL[3:], end=186)


@BOOK.damaged(three_files, "directory", "ZMR-045", "ZMR-094")
def no_gap_in_front_of_a_lost_file(log: ZmqRaftLog) -> None:
    """The second index file is missing, and the third has no marker. A reader reports the lost file
    but no gap before it.
    """
    log.remove_file(FOUR)
    log.set(f"{EIGHT}:chunks[1].token", b"ITMX")
    log.expect("damaged", "missing-marker", survivors=[0, 1, 2], end=None)


@BOOK.damaged(three_files, "directory", "ZMR-045", "ZMR-094")
def no_gap_after_a_lost_file(log: ZmqRaftLog) -> None:
    """The first index file has no marker, and the second is missing. A reader reports no gap,
    because the next index is unknown.
    """
    log.set(f"{ONE}:chunks[1].token", b"ITMX")
    log.remove_file(FOUR)
    log.expect("damaged", "missing-marker", survivors=[7, 8, 9], end=186)


@BOOK.damaged(three_files, "directory", "ZMR-096", "ZMR-094")
def an_overlap_that_ends_early(log: ZmqRaftLog) -> None:
    """A file with only entry 6 follows a file with entries 4 to 7. Entries 6 and 7 of the earlier
    file are lost.
    """
    log.add_index_file(6, b"six")
    log.expect("damaged", "overlapping-files", survivors=[0, 1, 2, 3, 4, b"six", 7, 8, 9], end=186)
    log.note("A reader also reports missing-entries, because no other file has entry 7.")


@BOOK.damaged(three_files, "directory", "ZMR-096", "ZMR-049")
def an_overlap_keeps_other_reasons(log: ZmqRaftLog) -> None:
    """An entry has an invalid term, and a later file claims its index. This entry has the code
    bad-term, not overlapping-files.
    """
    log.set(f"{FOUR}:data.entries[3].header.term", 2**53)
    log.add_index_file(6, b"six", b"seven")
    survivors: list[int | bytes] = [0, 1, 2, 3, 4, b"six", b"seven", 7, 8, 9]
    log.expect("damaged", "overlapping-files", survivors=survivors, end=186)


@BOOK.damaged(three_files, "directory", "ZMR-097", "ZMR-091")
def cut_in_front_of_a_lost_file(log: ZmqRaftLog) -> None:
    """The second index file lacks its last byte, and the third has version 0. The code is
    missing-data, not torn-entry.
    """
    del log.files[FOUR][-1:]
    log.did(f"truncate at 211 in {FOUR}")
    log.set(f"{EIGHT}:header.version", 0)
    log.expect("damaged", "missing-data", survivors=ALL[:6], end=None)


@BOOK.damaged(three_files, "directory", "ZMR-050", "ZMR-094")
def terms_on_both_sides_of_a_gap(log: ZmqRaftLog) -> None:
    """The terms decrease across missing entries. A reader does not compare these terms."""
    log.set(f"{ONE}:data.entries[2].header.term", 9)
    log.remove_file(FOUR)
    log.expect("damaged", "missing-entries", survivors=[0, 1, 2, 7, 8, 9], end=186)


@BOOK.damaged(three_files, "directory", "ZMR-050", "ZMR-095")
def terms_on_both_sides_of_an_empty_file(log: ZmqRaftLog) -> None:
    """The terms decrease across an empty file. The entries on both sides of the file are lost."""
    log.set(f"{FOUR}:data.entries[3].header.term", 9)
    log.add_index_file(7)
    log.expect("damaged", "decreasing-term", survivors=[*ALL[:6], 8, 9], end=186)


@BOOK.damaged(three_files, "directory", "ZMR-043", "ZMR-101")
def last_file_lost(log: ZmqRaftLog) -> None:
    """The header of the last index file gives the first index 9 instead of 8. The end is null,
    because the next index is unknown.
    """
    log.set(f"{EIGHT}:header.first_index", 9)
    log.expect("damaged", "index-mismatch", survivors=FIRST_SEVEN, end=None)


@BOOK.damaged(last_file_full, "directory", "ZMR-096")
def the_last_file_overlaps(log: ZmqRaftLog) -> None:
    """The last index file begins with index 6. Entries 6 and 7 of the file before it are lost."""
    log.add_index_file(6, b"six")
    log.expect("damaged", "overlapping-files", survivors=[0, 1, 2, 3, 4, b"six"], end=123)


@BOOK.damaged(three_files, "directory", "ZMR-044", "ZMR-094", "ZMR-097")
def middle_file_cut_in_its_header(log: ZmqRaftLog) -> None:
    """Only 16 bytes of the second index file exist. A reader reports the lost file but no gap after
    it.
    """
    log.truncate(16, FOUR)
    log.expect("damaged", "missing-data", survivors=[0, 1, 2, 7, 8, 9], end=186)


@BOOK.damaged(three_files, "directory", "ZMR-050", "ZMR-097")
def terms_on_both_sides_of_an_unfinished_file(log: ZmqRaftLog) -> None:
    """An unfinished file lies between entry 7 of term 5 and entry 8 of term 1. A reader does not
    compare these terms.
    """
    log.set(f"{FOUR}:data.entries[3].header.term", 5)
    log.add_file(SIX, UNFINISHED, "the first 16 bytes of a file")
    log.expect("damaged", "missing-data", survivors=ALL, end=186)


@BOOK.damaged(last_file_full, "directory", "ZMR-050", "ZMR-096")
def an_overlapping_entry_of_a_lower_term(log: ZmqRaftLog) -> None:
    """Entry 6 has a lower term than entry 5, but a later file claims entry 6. A reader does not
    compare the two terms.
    """
    log.set(f"{FOUR}:data.entries[1].header.term", 2)
    log.add_index_file(6, entry(b"six", 2))
    log.expect("damaged", "overlapping-files", survivors=[0, 1, 2, 3, 4, b"six"])
