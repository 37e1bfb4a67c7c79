"""Appends to a directory at an index below the next index."""

from conformance.recipes.zmq_raft.appending import append_behind_a_full_file
from conformance.recipes.zmq_raft.covered import term_below_the_snapshots_after_a_gap
from conformance.recipes.zmq_raft.directories import (
    ALL,
    ENTRIES,
    last_file_full,
    snapshot_over_the_first_entries,
    three_files,
)
from conformance.recipes.zmq_raft.log import APPENDING, DIRECTORY, FOUR, ZmqRaftLog, entry
from conformance.recipes.zmq_raft.opening import files_of_one_entry
from conformance.recipes.zmq_raft.places import a_misplaced_copy
from reference_impl.answer import NewRecord


def _at(index: int, term: int = 2) -> list[NewRecord]:
    """Return two entries to write, the first of them at this index."""
    return [entry(b"delta", term, index=str(index)), entry(b"echo", term)]


@APPENDING.appending(three_files, "ZMR-020", "ZMR-098")
def append_over_the_last_file(log: ZmqRaftLog) -> None:
    """A writer rolls back to index 7, the last index of the second file. It deletes the third file
    and creates it again."""
    log.add(*_at(7))
    log.rewrites()
    log.expect("intact", survivors=[*ALL[:6], b"delta", b"echo"])


@APPENDING.appending(
    snapshot_over_the_first_entries,
    "ZMR-020",
    "ZMR-092",
    "ZMR-050",
    control=append_over_the_last_file,
)
def append_directly_after_the_snapshot(log: ZmqRaftLog) -> None:
    """A writer rolls back to index 6, directly after the snapshot. It compares the new term with
    the term of the snapshot, not of covered entry 5."""
    log.set(f"{FOUR}:data.entries[1].header.term", 9)
    log.add(*_at(6))
    log.rewrites()
    log.expect("intact", survivors=[b"state at 5", b"delta", b"echo"])


@APPENDING.appending(
    snapshot_over_the_first_entries, "ZMR-020", "ZMR-092", control=append_over_the_last_file
)
def append_over_a_covered_entry(log: ZmqRaftLog) -> None:
    """A writer refuses to roll back to entry 5, which is in an index file but covered by the
    snapshot."""
    log.add(*_at(5))
    log.expect_refusal(survivors=[b"state at 5", 5, 6, 7, 8, 9])


@APPENDING.appending(three_files, "ZMR-019", "ZMR-098", control=append_over_the_last_file)
def append_where_a_file_begins_after_the_snapshot(log: ZmqRaftLog) -> None:
    """A writer rolls back to index 4, directly after the snapshot. It empties the file that begins
    with index 4 and does not recreate it."""
    log.put_snapshot(b"state at 3", 3)
    log.add(*_at(4))
    log.rewrites()
    log.expect("intact", survivors=[b"state at 3", b"delta", b"echo"])


@DIRECTORY.valid("ZMR-050", "ZMR-098")
def terms_that_rise_from_file_to_file(log: ZmqRaftLog) -> None:
    """A directory with three index files, one for each of the terms 1, 2 and 3."""
    terms = [1] * 3 + [2] * 4 + [3] * 3
    log.directory(*(entry(one.payload, term) for one, term in zip(ENTRIES, terms, strict=True)))
    log.expect("intact", survivors=ALL)


@APPENDING.appending(terms_that_rise_from_file_to_file, "ZMR-020", "ZMR-050")
def append_a_lower_term_further_back(log: ZmqRaftLog) -> None:
    """A writer replaces entries 8 to 10, which have term 3, with entries that have term 2, like
    entry 7."""
    log.add(*_at(8))
    log.rewrites()
    log.expect("intact", survivors=[*ALL[:7], b"delta", b"echo"])


def _falls(log: ZmqRaftLog, index: int) -> None:
    log.add(*_at(index, term=1))
    log.expect_refusal(survivors=ALL)


@APPENDING.appending(
    terms_that_rise_from_file_to_file,
    "ZMR-013",
    "ZMR-050",
    control=append_a_lower_term_further_back,
)
def append_a_term_below_the_file_before(log: ZmqRaftLog) -> None:
    """A writer refuses term 1 at index 8, because entry 7 in the previous file has term 2."""
    _falls(log, 8)


@APPENDING.appending(
    terms_that_rise_from_file_to_file,
    "ZMR-013",
    "ZMR-050",
    control=append_a_lower_term_further_back,
)
def append_a_term_below_the_second_in_a_file(log: ZmqRaftLog) -> None:
    """A writer refuses term 1 at index 5, because entry 4 in the same file has term 2."""
    _falls(log, 5)


@APPENDING.appending(
    last_file_full, "ZMR-098", "ZMR-101", kind="corrupt", control=append_behind_a_full_file
)
def append_before_a_full_file_with_a_wrong_table(log: ZmqRaftLog) -> None:
    """The last file has no free slot, but its last offset is invalid. A writer refuses to roll back
    to index 3 in an earlier file."""
    log.set(f"{FOUR}:offsets[3]", 1)
    log.add(*_at(3))
    log.expect_refusal("damaged", "bad-offset", survivors=[0, 1, 2, 3, 4])


@APPENDING.appending(
    three_files, "ZMR-018", "ZMR-046", kind="corrupt", control=append_over_the_last_file
)
def append_into_a_file_with_a_wrong_table(log: ZmqRaftLog) -> None:
    """A writer refuses to roll back to index 7, because the file with this index has an invalid
    offset."""
    log.set(f"{FOUR}:offsets[1]", 10)
    log.add(*_at(7))
    log.expect_refusal("damaged", "bad-offset", survivors=[0, 1, 2, 6, 7, 8, 9])


@APPENDING.appending(
    three_files, "ZMR-043", "ZMR-098", kind="corrupt", control=append_over_the_last_file
)
def append_into_a_file_of_another_index(log: ZmqRaftLog) -> None:
    """A writer refuses to roll back to index 7, because the header of the file with this index
    gives the first index 5 instead of 4."""
    log.set(f"{FOUR}:header.first_index", 5)
    log.add(*_at(7))
    log.expect_refusal("damaged", "index-mismatch", survivors=[0, 1, 2, 7, 8, 9])


@APPENDING.appending(
    a_misplaced_copy, "ZMR-091", "ZMR-098", kind="corrupt", control=append_over_the_last_file
)
def append_below_a_misplaced_copy(log: ZmqRaftLog) -> None:
    """A writer rolls back to index 3. It deletes every later file, including a copy in an incorrect
    folder."""
    log.add(*_at(3))
    log.rewrites()
    log.expect("intact", survivors=[0, 1, b"delta", b"echo"])


@APPENDING.appending(
    three_files, "ZMR-020", "ZMR-094", kind="corrupt", control=append_over_the_last_file
)
def append_into_missing_entries(log: ZmqRaftLog) -> None:
    """The second index file is missing. A writer refuses to roll back to index 8, because the first
    file has no entry 7."""
    log.remove_file(FOUR)
    log.add(*_at(8))
    log.expect_refusal("damaged", "missing-entries", survivors=[0, 1, 2, 7, 8, 9])


@APPENDING.appending(
    term_below_the_snapshots_after_a_gap,
    "ZMR-020",
    "ZMR-093",
    kind="corrupt",
    control=append_over_the_last_file,
)
def append_into_a_gap_after_the_snapshot(log: ZmqRaftLog) -> None:
    """The snapshot is at index 2, and the first file begins with index 6. A writer refuses an entry
    with index 4 and deletes no file."""
    log.add(*_at(4))
    log.expect_refusal("damaged", "snapshot-gap", survivors=[0, 1, 2, 3])


@APPENDING.appending(files_of_one_entry, "ZMR-019", "ZMR-098")
def append_over_the_first_of_two_files(log: ZmqRaftLog) -> None:
    """A writer rolls back to index 1, the first of two files with one entry each. It deletes the
    second file and creates it again."""
    log.add(*_at(1))
    log.rewrites()
    log.expect("intact", survivors=[b"delta", b"echo"])
