"""Appends at an index that the log has already, and appends of nothing."""

from conformance.recipes.zmq_raft.appending import (
    append_an_update,
    append_behind_a_full_file,
    append_to_a_directory,
    append_to_three_entries,
)
from conformance.recipes.zmq_raft.covered import entry_zero_in_a_bare_folder
from conformance.recipes.zmq_raft.directories import ALL, three_files
from conformance.recipes.zmq_raft.empty_files import unfinished_and_empty_files
from conformance.recipes.zmq_raft.index_files import full_to_its_capacity, three_entries
from conformance.recipes.zmq_raft.log import BOOK, EIGHT, FOUR, ONE, ZmqRaftLog, entry, without_room
from conformance.recipes.zmq_raft.offsets import five_entries
from conformance.recipes.zmq_raft.places import file_beside_the_folders
from conformance.recipes.zmq_raft.states import five_updates

AROUND = [0, 1, 2, 7, 8, 9]
"""What survives of ten entries if the second of three files is lost."""


@BOOK.appending(three_entries, "appending", "ZMR-019", "ZMR-020")
def append_at_the_second_index(log: ZmqRaftLog) -> None:
    """Index 2 of three: it and the third are rolled back first."""
    log.add(entry(b"delta", 1, index="2"))
    log.rewrites()
    log.expect("intact", survivors=[0, b"delta"])


@BOOK.appending(full_to_its_capacity, "appending", "ZMR-018", "ZMR-020")
def append_over_the_last_entries_of_a_full_file(log: ZmqRaftLog) -> None:
    """A full file, and index 2 again: there is room once two entries are rolled back."""
    log.add(entry(b"delta", 2, index="2"), entry(b"echo", 2))
    log.rewrites()
    log.expect("intact", survivors=[0, b"delta", b"echo"])


@BOOK.appending(
    five_entries, "appending", "ZMR-018", "ZMR-047", kind="eof", control=append_to_three_entries
)
def append_over_a_torn_entry(log: ZmqRaftLog) -> None:
    """The last entry lacks a byte, and the one before it is written again."""
    log.truncate(244)
    log.add(entry(b"delta", 2, index="4"), entry(b"echo", 2))
    log.rewrites()
    log.expect("intact", survivors=[0, 1, 2, b"delta", b"echo"])


@BOOK.appending(three_files, "appending", "ZMR-098", kind="corrupt", control=append_to_a_directory)
def append_past_a_lost_file(log: ZmqRaftLog) -> None:
    """Index 3, in front of a file that is lost as a whole: that file goes with all later ones."""
    log.set(f"{FOUR}:header.token", b"RLOX")
    log.add(entry(b"delta", 2, index="3"))
    log.rewrites()
    log.expect("intact", survivors=[0, 1, b"delta"])


@BOOK.appending(three_files, "appending", "ZMR-098", kind="corrupt", control=append_to_a_directory)
def append_in_a_lost_file(log: ZmqRaftLog) -> None:
    """Index 8, after a file that is lost as a whole: its last index is not known."""
    log.set(f"{FOUR}:header.token", b"RLOX")
    log.add(entry(b"delta", 2, index="8"))
    log.expect_refusal("damaged", "bad-token", survivors=AROUND)


@BOOK.appending(
    file_beside_the_folders, "appending", "ZMR-091", "ZMR-098", kind="corrupt",
    control=append_to_a_directory,
)  # fmt: skip
def append_past_a_misplaced_file(log: ZmqRaftLog) -> None:
    """Index 2, in front of a misplaced file: that is deleted where it lies."""
    log.add(entry(b"delta", 2, index="2"))
    log.rewrites()
    log.expect("intact", survivors=[0, b"delta"])


@BOOK.appending(
    file_beside_the_folders, "appending", "ZMR-091", "ZMR-098", kind="corrupt",
    control=append_to_a_directory,
)  # fmt: skip
def append_in_a_misplaced_file(log: ZmqRaftLog) -> None:
    """Index 8, after a misplaced file: nothing is written to that."""
    log.add(entry(b"delta", 2, index="8"))
    log.expect_refusal("damaged", "misplaced-file", survivors=AROUND)


@BOOK.appending(
    three_files, "appending", "ZMR-010", "ZMR-098", kind="corrupt", control=append_to_a_directory
)
def append_in_a_first_file_of_no_room(log: ZmqRaftLog) -> None:
    """The first file has a capacity of zero: an entry for its first index has no place."""
    log.remove_file(ONE)
    log.add_file(ONE, without_room(1), "a file of capacity 0")
    log.add(entry(b"delta", 2, index="1"))
    log.expect_refusal("damaged", "missing-entries", survivors=ALL[3:])


@BOOK.appending(entry_zero_in_a_bare_folder, "appending", "ZMR-090", "ZMR-098")
def append_at_zero_in_a_bare_folder(log: ZmqRaftLog) -> None:
    """Index 0 again, which a reader returns where no snapshot covers it: no writer goes below 1."""
    log.add(entry(b"delta", 2, index="0"))
    log.expect_refusal(survivors=[b"zero", b"one"])


@BOOK.appending(
    five_entries, "appending", "ZMR-018", "ZMR-047", kind="eof", control=append_to_three_entries
)
def append_nothing_behind_a_torn_entry(log: ZmqRaftLog) -> None:
    """No records: the torn entry is not rolled back."""
    log.truncate(244)
    log.expect("torn", "torn-entry", survivors=[0, 1, 2, 3])


@BOOK.appending(
    five_updates, "appending", "ZMR-018", "ZMR-080", kind="eof", control=append_an_update
)
def append_nothing_behind_a_torn_update(log: ZmqRaftLog) -> None:
    """No records: the torn update is not cut off."""
    log.truncate(33)
    log.expect("torn", "torn-update", survivors=[0, 1, 2])


@BOOK.appending(
    unfinished_and_empty_files, "appending", "ZMR-018", "ZMR-098", kind="eof",
    control=append_behind_a_full_file,
)  # fmt: skip
def append_nothing_with_two_spare_files(log: ZmqRaftLog) -> None:
    """No records: the spare files stay, the unfinished one too."""
    log.expect("torn", "torn-header", survivors=ALL[:7])


@BOOK.appending(
    three_files, "appending", "ZMR-047", "ZMR-050", "ZMR-098", kind="corrupt",
    control=append_to_a_directory,
)  # fmt: skip
def append_behind_a_torn_entry_after_a_lost_file(log: ZmqRaftLog) -> None:
    """Nothing is whole in the last file, and the one before it is lost: no term is compared."""
    log.set(f"{FOUR}:header.token", b"RLOX")
    log.set(f"{ONE}:data.entries[2].header.term", 5)
    log.truncate(120, EIGHT)
    log.add(entry(b"delta", 1))
    log.expect("damaged", "bad-token", survivors=[0, 1, 2, b"delta"])
