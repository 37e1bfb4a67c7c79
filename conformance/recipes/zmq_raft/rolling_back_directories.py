"""Appending to a directory at an index below the next one: what goes, and what stays."""

from conformance.recipes.zmq_raft.appending import (
    append_behind_a_full_file,
)
from conformance.recipes.zmq_raft.covered import (
    term_below_the_snapshots_after_a_gap,
)
from conformance.recipes.zmq_raft.directories import (
    ALL,
    ENTRIES,
    last_file_full,
    snapshot_over_the_first_entries,
    three_files,
)
from conformance.recipes.zmq_raft.log import BOOK, FOUR, ZmqRaftLog, entry
from conformance.recipes.zmq_raft.opening import files_of_one_entry
from conformance.recipes.zmq_raft.places import a_misplaced_copy
from reference_impl.answer import NewRecord


def _at(index: int, term: int = 2) -> list[NewRecord]:
    """Two entries, the first of them at this index."""
    return [entry(b"delta", term, index=str(index)), entry(b"echo", term)]


@BOOK.appending(three_files, "appending", "ZMR-020", "ZMR-098")
def append_over_the_last_file(log: ZmqRaftLog) -> None:
    """Index 7 again, the last of the second file: the third file is deleted, and made again."""
    log.add(*_at(7))
    log.rewrites()
    log.expect("intact", survivors=[*ALL[:6], b"delta", b"echo"])


@BOOK.appending(
    snapshot_over_the_first_entries, "appending", "ZMR-020", "ZMR-092", "ZMR-050",
    control=append_over_the_last_file,
)  # fmt: skip
def append_directly_after_the_snapshot(log: ZmqRaftLog) -> None:
    """Index 6 again, and a snapshot at 5: its term counts, not that of entry 5, which it covers."""
    log.set(f"{FOUR}:data.entries[1].header.term", 9)
    log.add(*_at(6))
    log.rewrites()
    log.expect("intact", survivors=[b"state at 5", b"delta", b"echo"])


@BOOK.appending(
    snapshot_over_the_first_entries, "appending", "ZMR-020", "ZMR-092",
    control=append_over_the_last_file,
)  # fmt: skip
def append_over_a_covered_entry(log: ZmqRaftLog) -> None:
    """Index 5 is in a file, but the snapshot covers it."""
    log.add(*_at(5))
    log.expect_refusal(survivors=[b"state at 5", 5, 6, 7, 8, 9])


@BOOK.appending(three_files, "appending", "ZMR-019", "ZMR-098", control=append_over_the_last_file)
def append_where_a_file_begins_after_the_snapshot(log: ZmqRaftLog) -> None:
    """A snapshot at 3, and index 4 again: the file of that index is emptied, not made again."""
    log.put_snapshot(b"state at 3", 3)
    log.add(*_at(4))
    log.rewrites()
    log.expect("intact", survivors=[b"state at 3", b"delta", b"echo"])


@BOOK.valid("directory", "ZMR-050", "ZMR-098")
def terms_that_rise_from_file_to_file(log: ZmqRaftLog) -> None:
    """Entries 1 to 3 of term 1, 4 to 7 of term 2, 8 to 10 of term 3, a file for each term."""
    terms = [1] * 3 + [2] * 4 + [3] * 3
    log.directory(*(entry(one.payload, term) for one, term in zip(ENTRIES, terms, strict=True)))
    log.expect("intact", survivors=ALL)


@BOOK.appending(terms_that_rise_from_file_to_file, "appending", "ZMR-020", "ZMR-050")
def append_a_lower_term_further_back(log: ZmqRaftLog) -> None:
    """Term 2 at index 8: below that of what goes, and not below that of entry 7."""
    log.add(*_at(8))
    log.rewrites()
    log.expect("intact", survivors=[*ALL[:7], b"delta", b"echo"])


def _falls(log: ZmqRaftLog, index: int) -> None:
    log.add(*_at(index, term=1))
    log.expect_refusal(survivors=ALL)


@BOOK.appending(
    terms_that_rise_from_file_to_file, "appending", "ZMR-013", "ZMR-050",
    control=append_a_lower_term_further_back,
)  # fmt: skip
def append_a_term_below_the_file_before(log: ZmqRaftLog) -> None:
    """Term 1 at index 8: entry 7, in the file before, has term 2."""
    _falls(log, 8)


@BOOK.appending(
    terms_that_rise_from_file_to_file, "appending", "ZMR-013", "ZMR-050",
    control=append_a_lower_term_further_back,
)  # fmt: skip
def append_a_term_below_the_second_in_a_file(log: ZmqRaftLog) -> None:
    """Term 1 at index 5: entry 4 has term 2, and entry 3 has term 1."""
    _falls(log, 5)


@BOOK.appending(
    last_file_full, "appending", "ZMR-098", "ZMR-101", kind="corrupt",
    control=append_behind_a_full_file,
)  # fmt: skip
def append_before_a_full_file_with_a_wrong_table(log: ZmqRaftLog) -> None:
    """The last file is full by its count, and its table is wrong: index 3 is refused as well."""
    log.set(f"{FOUR}:offsets[3]", 1)
    log.add(*_at(3))
    log.expect_refusal("damaged", "bad-offset", survivors=[0, 1, 2, 3, 4])


@BOOK.appending(
    three_files, "appending", "ZMR-018", "ZMR-046", kind="corrupt",
    control=append_over_the_last_file,
)  # fmt: skip
def append_into_a_file_with_a_wrong_table(log: ZmqRaftLog) -> None:
    """Index 7 again, in a file whose table is wrong: its end is null."""
    log.set(f"{FOUR}:offsets[1]", 10)
    log.add(*_at(7))
    log.expect_refusal("damaged", "bad-offset", survivors=[0, 1, 2, 6, 7, 8, 9])


@BOOK.appending(
    three_files, "appending", "ZMR-043", "ZMR-098", kind="corrupt",
    control=append_over_the_last_file,
)  # fmt: skip
def append_into_a_file_of_another_index(log: ZmqRaftLog) -> None:
    """Index 7 again, in a file whose header says 5: it is lost, and has no entry 7."""
    log.set(f"{FOUR}:header.first_index", 5)
    log.add(*_at(7))
    log.expect_refusal("damaged", "index-mismatch", survivors=[0, 1, 2, 7, 8, 9])


@BOOK.appending(
    a_misplaced_copy, "appending", "ZMR-091", "ZMR-098", kind="corrupt",
    control=append_over_the_last_file,
)  # fmt: skip
def append_below_a_misplaced_copy(log: ZmqRaftLog) -> None:
    """Index 3 again: every file that begins after it is deleted, in whatever folder it is."""
    log.add(*_at(3))
    log.rewrites()
    log.expect("intact", survivors=[0, 1, b"delta", b"echo"])


@BOOK.appending(
    three_files, "appending", "ZMR-020", "ZMR-094", kind="corrupt",
    control=append_over_the_last_file,
)  # fmt: skip
def append_into_missing_entries(log: ZmqRaftLog) -> None:
    """The second file is gone, and index 8 is wanted again: the first file has no entry 7."""
    log.remove_file(FOUR)
    log.add(*_at(8))
    log.expect_refusal("damaged", "missing-entries", survivors=[0, 1, 2, 7, 8, 9])


@BOOK.appending(
    term_below_the_snapshots_after_a_gap, "appending", "ZMR-020", "ZMR-093", kind="corrupt",
    control=append_over_the_last_file,
)  # fmt: skip
def append_into_a_gap_after_the_snapshot(log: ZmqRaftLog) -> None:
    """A snapshot at 2 and a file from 6 on: index 4 is in no file, and the file stays."""
    log.add(*_at(4))
    log.expect_refusal("damaged", "snapshot-gap", survivors=[0, 1, 2, 3])


@BOOK.appending(files_of_one_entry, "appending", "ZMR-019", "ZMR-098")
def append_over_the_first_of_two_files(log: ZmqRaftLog) -> None:
    """Index 1 again, and the file of index 2 is deleted."""
    log.add(*_at(1))
    log.rewrites()
    log.expect("intact", survivors=[b"delta", b"echo"])
