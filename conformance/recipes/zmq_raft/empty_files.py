"""Log directories that end with empty or unfinished index files."""

from conformance.recipes.zmq_raft.directories import (
    ALL,
    last_file_full,
    snapshot_alone,
    three_files,
)
from conformance.recipes.zmq_raft.log import (
    DIRECTORY,
    EIGHT,
    FOUR,
    ONE,
    SIX,
    TORN_TAIL,
    TWELVE,
    UNFINISHED,
    ZmqRaftLog,
    without_room,
)

FIRST_SEVEN = ALL[:7]


@TORN_TAIL.damaged(three_files, "ZMR-044", "ZMR-095", "ZMR-101")
def unfinished_file_too_far_on(log: ZmqRaftLog) -> None:
    """An unfinished spare file begins with index 12, and the next index is 11. The next entry goes
    into the last file, which has room."""
    log.add_file(TWELVE, UNFINISHED)
    log.expect("torn", "torn-header", survivors=ALL, end=186)


@TORN_TAIL.damaged(last_file_full, "ZMR-044", "ZMR-095", "ZMR-101")
def unfinished_file_after_a_gap(log: ZmqRaftLog) -> None:
    """The last file is full, and an unfinished spare file begins with index 12. The end is null,
    because the next index is 8."""
    log.add_file(TWELVE, UNFINISHED)
    log.expect("torn", "torn-header", survivors=FIRST_SEVEN, end=None)


@TORN_TAIL.damaged(last_file_full, "ZMR-044", "ZMR-095", "ZMR-101")
def unfinished_and_empty_files(log: ZmqRaftLog) -> None:
    """A spare file of 0 bytes is named for the next index, and a spare file without entries
    follows. A writer can recreate the first spare file."""
    log.add_file(EIGHT, b"")
    log.add_index_file(12)
    log.expect("torn", "torn-header", survivors=FIRST_SEVEN, end=0)


@TORN_TAIL.damaged(last_file_full, "ZMR-044", "ZMR-095", "ZMR-101")
def empty_and_unfinished_files(log: ZmqRaftLog) -> None:
    """An empty spare file begins with the next index, and an unfinished spare file follows. The
    next entry goes into the empty file."""
    log.add_index_file(8)
    log.add_file(TWELVE, UNFINISHED)
    log.expect("torn", "torn-header", survivors=FIRST_SEVEN, end=108)


@DIRECTORY.damaged(last_file_full, "ZMR-095", "ZMR-101")
def empty_file_after_a_gap(log: ZmqRaftLog) -> None:
    """The last file is full, and an empty spare file begins with index 12. The end is null, because
    the next index is 8."""
    log.add_index_file(12)
    log.expect("intact", survivors=FIRST_SEVEN, end=None)


@DIRECTORY.damaged(last_file_full, "ZMR-095", "ZMR-101", "ZMR-046")
def empty_file_after_a_damaged_one(log: ZmqRaftLog) -> None:
    """The last file with entries has an invalid offset. The next entry goes into the empty spare
    file after it."""
    log.set(f"{FOUR}:offsets[1]", 10)
    log.add_index_file(8)
    log.expect("damaged", "bad-offset", survivors=[0, 1, 2, 6], end=108)


@DIRECTORY.damaged(last_file_full, "ZMR-010", "ZMR-095", "ZMR-101")
def empty_file_with_no_room(log: ZmqRaftLog) -> None:
    """An empty spare file with capacity 0 begins with the next index. The end is null, because no
    entry fits into this file."""
    log.add_file(EIGHT, without_room(8))
    log.expect("intact", survivors=FIRST_SEVEN, end=None)


@TORN_TAIL.damaged(three_files, "ZMR-047", "ZMR-095", "ZMR-097")
def torn_entry_in_front_of_an_empty_file(log: ZmqRaftLog) -> None:
    """The last file lacks its last byte, and an empty spare file follows. The code is torn-entry,
    not missing-data."""
    log.truncate(185, EIGHT)
    log.add_index_file(12)
    log.expect("torn", "torn-entry", survivors=ALL[:9], end=160)


@TORN_TAIL.damaged(three_files, "ZMR-047", "ZMR-095", "ZMR-100")
def torn_entry_in_front_of_an_unfinished_file(log: ZmqRaftLog) -> None:
    """The last file lacks its last byte, and an unfinished spare file follows. The reason is
    torn-entry, the code of the first fault."""
    log.truncate(185, EIGHT)
    log.add_file(TWELVE, UNFINISHED)
    log.expect("torn", "torn-entry", survivors=ALL[:9], end=160)


@TORN_TAIL.damaged(snapshot_alone, "ZMR-044", "ZMR-095", "ZMR-101")
def only_file_unfinished(log: ZmqRaftLog) -> None:
    """The only index file is unfinished. It begins with index 6, directly after the snapshot, so a
    writer can recreate it."""
    log.add_file(SIX, UNFINISHED)
    log.expect("torn", "torn-header", survivors=[0], end=0)


@TORN_TAIL.damaged(snapshot_alone, "ZMR-044", "ZMR-095", "ZMR-101")
def only_file_unfinished_and_too_far_on(log: ZmqRaftLog) -> None:
    """The only index file is unfinished and begins with index 8, but the next index is 6. The end
    is null."""
    log.add_file(EIGHT, UNFINISHED)
    log.expect("torn", "torn-header", survivors=[0], end=None)


@DIRECTORY.damaged(three_files, "ZMR-095", "ZMR-101")
def empty_file_after_the_first(log: ZmqRaftLog) -> None:
    """An index file with one entry is followed by an empty spare file. The next entry goes into the
    first file."""
    for name in (ONE, FOUR, EIGHT):
        log.remove_file(name)
    log.add_index_file(1, b"one")
    log.add_index_file(4)
    log.expect("intact", survivors=[b"one"], end=127)


@DIRECTORY.damaged(three_files, "ZMR-095", "ZMR-101")
def empty_file_at_the_next_index(log: ZmqRaftLog) -> None:
    """An empty spare file begins with the next index, but the last file has room. The next entry
    goes into the last file."""
    log.add_index_file(11)
    log.expect("intact", survivors=ALL, end=186)


@TORN_TAIL.damaged(three_files, "ZMR-044", "ZMR-090", "ZMR-101")
def only_file_of_a_bare_folder_unfinished(log: ZmqRaftLog) -> None:
    """The only index file of a bare folder is unfinished. Its name determines the next index."""
    log.files = {FOUR.removeprefix("log/"): bytearray(UNFINISHED)}
    log.expect("torn", "torn-header", end=0)


@DIRECTORY.damaged(three_files, "ZMR-090", "ZMR-094", "ZMR-101")
def bare_folder_from_zero_without_entries(log: ZmqRaftLog) -> None:
    """The only index file of a bare folder is empty and begins with index 0. The next index is
    0."""
    name = log.add_index_file(0)
    log.files = {name.removeprefix("log/"): log.files[name]}
    log.expect("intact", end=108)


@DIRECTORY.damaged(snapshot_alone, "ZMR-093", "ZMR-095", "ZMR-101")
def an_empty_first_file_after_a_gap(log: ZmqRaftLog) -> None:
    """The only index file is empty and begins with index 8, but the snapshot is at index 5. Entries
    6 and 7 are missing."""
    log.add_index_file(8)
    log.expect("damaged", "snapshot-gap", survivors=[0], end=108)
