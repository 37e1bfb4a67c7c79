"""Appends at an index that the log already has, and appends of no records."""

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
from conformance.recipes.zmq_raft.log import (
    APPENDING,
    EIGHT,
    FOUR,
    ONE,
    ZmqRaftLog,
    entry,
    without_room,
)
from conformance.recipes.zmq_raft.offsets import five_entries
from conformance.recipes.zmq_raft.places import file_beside_the_folders
from conformance.recipes.zmq_raft.states import five_updates

#: With ten entries in three files, the records that a reader returns if the second file is lost.
AROUND = [0, 1, 2, 7, 8, 9]


@APPENDING.appending(three_entries, "ZMR-019", "ZMR-020")
def append_at_the_second_index(log: ZmqRaftLog) -> None:
    """A writer appends an entry with index 2 to a file with three entries. It first rolls back
    entries 2 and 3."""
    log.add(entry(b"delta", 1, index="2"))
    log.rewrites()
    log.expect("intact", survivors=[0, b"delta"])


@APPENDING.appending(full_to_its_capacity, "ZMR-018", "ZMR-020")
def append_over_the_last_entries_of_a_full_file(log: ZmqRaftLog) -> None:
    """A writer appends two entries from index 2 on to a full file with three entries. It first
    rolls back entries 2 and 3."""
    log.add(entry(b"delta", 2, index="2"), entry(b"echo", 2))
    log.rewrites()
    log.expect("intact", survivors=[0, b"delta", b"echo"])


@APPENDING.appending(
    five_entries, "ZMR-018", "ZMR-047", kind="eof", control=append_to_three_entries
)
def append_over_a_torn_entry(log: ZmqRaftLog) -> None:
    """The last entry, entry 5, is torn. A writer rolls back to index 4 and appends two entries."""
    log.truncate(244)
    log.add(entry(b"delta", 2, index="4"), entry(b"echo", 2))
    log.rewrites()
    log.expect("intact", survivors=[0, 1, 2, b"delta", b"echo"])


@APPENDING.appending(three_files, "ZMR-098", kind="corrupt", control=append_to_a_directory)
def append_past_a_lost_file(log: ZmqRaftLog) -> None:
    """A writer rolls back to index 3, which lies before a lost file. It deletes the lost file and
    all later files."""
    log.set(f"{FOUR}:header.token", b"RLOX")
    log.add(entry(b"delta", 2, index="3"))
    log.rewrites()
    log.expect("intact", survivors=[0, 1, b"delta"])


@APPENDING.appending(three_files, "ZMR-098", kind="corrupt", control=append_to_a_directory)
def append_in_a_lost_file(log: ZmqRaftLog) -> None:
    """A writer refuses to roll back to index 8, because the file before index 8 is lost."""
    log.set(f"{FOUR}:header.token", b"RLOX")
    log.add(entry(b"delta", 2, index="8"))
    log.expect_refusal("damaged", "bad-token", survivors=AROUND)


@APPENDING.appending(
    file_beside_the_folders, "ZMR-091", "ZMR-098", kind="corrupt", control=append_to_a_directory
)
def append_past_a_misplaced_file(log: ZmqRaftLog) -> None:
    """A writer rolls back to index 2, which lies before a misplaced file. It deletes the misplaced
    file and all later files."""
    log.add(entry(b"delta", 2, index="2"))
    log.rewrites()
    log.expect("intact", survivors=[0, b"delta"])


@APPENDING.appending(
    file_beside_the_folders, "ZMR-091", "ZMR-098", kind="corrupt", control=append_to_a_directory
)
def append_in_a_misplaced_file(log: ZmqRaftLog) -> None:
    """A writer refuses to roll back to index 8, because the file before index 8 is misplaced."""
    log.add(entry(b"delta", 2, index="8"))
    log.expect_refusal("damaged", "misplaced-file", survivors=AROUND)


@APPENDING.appending(
    three_files, "ZMR-010", "ZMR-098", kind="corrupt", control=append_to_a_directory
)
def append_in_a_first_file_of_no_room(log: ZmqRaftLog) -> None:
    """A writer refuses an entry with index 1, because the first file begins with this index and has
    a capacity of 0."""
    log.remove_file(ONE)
    log.add_file(ONE, without_room(1))
    log.add(entry(b"delta", 2, index="1"))
    log.expect_refusal("damaged", "missing-entries", survivors=ALL[3:])


@APPENDING.appending(entry_zero_in_a_bare_folder, "ZMR-090", "ZMR-098")
def append_at_zero_in_a_bare_folder(log: ZmqRaftLog) -> None:
    """A writer refuses an entry with index 0, even in a bare folder that already has an entry with
    index 0."""
    log.add(entry(b"delta", 2, index="0"))
    log.expect_refusal(survivors=[b"zero", b"one"])


@APPENDING.appending(
    five_entries, "ZMR-018", "ZMR-047", kind="eof", control=append_to_three_entries
)
def append_nothing_behind_a_torn_entry(log: ZmqRaftLog) -> None:
    """Appending no records does not roll back a torn entry."""
    log.truncate(244)
    log.expect("torn", "torn-entry", survivors=[0, 1, 2, 3])


@APPENDING.appending(five_updates, "ZMR-018", "ZMR-080", kind="eof", control=append_an_update)
def append_nothing_behind_a_torn_update(log: ZmqRaftLog) -> None:
    """Appending no records does not remove a torn update."""
    log.truncate(33)
    log.expect("torn", "torn-update", survivors=[0, 1, 2])


@APPENDING.appending(
    unfinished_and_empty_files, "ZMR-018", "ZMR-098", kind="eof", control=append_behind_a_full_file
)
def append_nothing_with_two_spare_files(log: ZmqRaftLog) -> None:
    """Appending no records keeps all spare files, including an unfinished spare file."""
    log.expect("torn", "torn-header", survivors=ALL[:7])


@APPENDING.appending(
    three_files, "ZMR-047", "ZMR-050", "ZMR-098", kind="corrupt", control=append_to_a_directory
)
def append_behind_a_torn_entry_after_a_lost_file(log: ZmqRaftLog) -> None:
    """All entries of the last file are torn, and the file before it is lost. A writer appends an
    entry without comparing terms."""
    log.set(f"{FOUR}:header.token", b"RLOX")
    log.set(f"{ONE}:data.entries[2].header.term", 5)
    log.truncate(120, EIGHT)
    log.add(entry(b"delta", 1))
    log.expect("damaged", "bad-token", survivors=[0, 1, 2, b"delta"])
