"""Log directories: files at the end that have no entries."""

from conformance.recipes.zmq_raft.directories import (
    ALL,
    last_file_full,
    snapshot_alone,
    three_files,
)
from conformance.recipes.zmq_raft.log import (
    BOOK,
    EIGHT,
    FOUR,
    ONE,
    SIX,
    TWELVE,
    UNFINISHED,
    ZmqRaftLog,
    without_room,
)

FIRST_SEVEN = ALL[:7]


@BOOK.damaged(three_files, "torn-tail", "ZMR-044", "ZMR-095", "ZMR-101", kind="eof")
def unfinished_file_too_far_on(log: ZmqRaftLog) -> None:
    """The last file was begun at 12, and the one before it has room for 11: that is the end."""
    log.add_file(TWELVE, UNFINISHED, "the first 16 bytes of a file")
    log.expect("torn", "torn-header", survivors=ALL, end=186)


@BOOK.damaged(last_file_full, "torn-tail", "ZMR-044", "ZMR-095", "ZMR-101", kind="eof")
def unfinished_file_after_a_gap(log: ZmqRaftLog) -> None:
    """The last file was begun at 12, and the next index is 8: no file is there to go on in."""
    log.add_file(TWELVE, UNFINISHED, "the first 16 bytes of a file")
    log.expect("torn", "torn-header", survivors=FIRST_SEVEN, end=None)


@BOOK.damaged(last_file_full, "torn-tail", "ZMR-044", "ZMR-095", "ZMR-101", kind="eof")
def unfinished_and_empty_files(log: ZmqRaftLog) -> None:
    """A file of no bytes at 8, then an empty one at 12: the first of them is made again."""
    log.add_file(EIGHT, b"", "nothing")
    log.add_index_file(12)
    log.expect("torn", "torn-header", survivors=FIRST_SEVEN, end=0)


@BOOK.damaged(last_file_full, "torn-tail", "ZMR-044", "ZMR-095", "ZMR-101", kind="eof")
def empty_and_unfinished_files(log: ZmqRaftLog) -> None:
    """An empty file at 8, then an unfinished one at 12: the next entry goes into the first."""
    log.add_index_file(8)
    log.add_file(TWELVE, UNFINISHED, "the first 16 bytes of a file")
    log.expect("torn", "torn-header", survivors=FIRST_SEVEN, end=108)


@BOOK.damaged(last_file_full, "directory", "ZMR-095", "ZMR-101")
def empty_file_after_a_gap(log: ZmqRaftLog) -> None:
    """The empty file at the end begins at 12, and the next index is 8."""
    log.add_index_file(12)
    log.expect("intact", survivors=FIRST_SEVEN, end=None)


@BOOK.damaged(last_file_full, "directory", "ZMR-095", "ZMR-101", "ZMR-046")
def empty_file_after_a_damaged_one(log: ZmqRaftLog) -> None:
    """A table is wrong in the last file with entries; the next entry goes into the empty one."""
    log.set(f"{FOUR}:offsets[1]", 10)
    log.add_index_file(8)
    log.expect("damaged", "bad-offset", survivors=[0, 1, 2, 6], end=108)


@BOOK.damaged(last_file_full, "directory", "ZMR-010", "ZMR-095", "ZMR-101")
def empty_file_with_no_room(log: ZmqRaftLog) -> None:
    """The empty file at the end has a capacity of zero: nothing can go into it."""
    log.add_file(EIGHT, without_room(8), "a file of capacity 0")
    log.expect("intact", survivors=FIRST_SEVEN, end=None)


@BOOK.damaged(three_files, "torn-tail", "ZMR-047", "ZMR-095", "ZMR-097", kind="eof")
def torn_entry_in_front_of_an_empty_file(log: ZmqRaftLog) -> None:
    """The last file with entries lacks a byte; the empty file after it does not make it damage."""
    log.truncate(185, EIGHT)
    log.add_index_file(12)
    log.expect("torn", "torn-entry", survivors=ALL[:9], end=160)


@BOOK.damaged(three_files, "torn-tail", "ZMR-047", "ZMR-095", "ZMR-100", kind="eof")
def torn_entry_in_front_of_an_unfinished_file(log: ZmqRaftLog) -> None:
    """The last file with entries lacks a byte, and a spare file is unfinished: the first counts."""
    log.truncate(185, EIGHT)
    log.add_file(TWELVE, UNFINISHED, "the first 16 bytes of a file")
    log.expect("torn", "torn-entry", survivors=ALL[:9], end=160)


@BOOK.damaged(snapshot_alone, "torn-tail", "ZMR-044", "ZMR-095", "ZMR-101", kind="eof")
def only_file_unfinished(log: ZmqRaftLog) -> None:
    """A snapshot at 5, and the first file, which begins at 6, was being made."""
    log.add_file(SIX, UNFINISHED, "the first 16 bytes of a file")
    log.expect("torn", "torn-header", survivors=[0], end=0)


@BOOK.damaged(snapshot_alone, "torn-tail", "ZMR-044", "ZMR-095", "ZMR-101", kind="eof")
def only_file_unfinished_and_too_far_on(log: ZmqRaftLog) -> None:
    """A snapshot at 5, and an unfinished file at 8: making it again would leave a gap."""
    log.add_file(EIGHT, UNFINISHED, "the first 16 bytes of a file")
    log.expect("torn", "torn-header", survivors=[0], end=None)


@BOOK.damaged(three_files, "directory", "ZMR-095", "ZMR-101")
def empty_file_after_the_first(log: ZmqRaftLog) -> None:
    """Two files: one entry, and an empty file at the end."""
    for name in (ONE, FOUR, EIGHT):
        log.remove_file(name)
    log.add_index_file(1, b"one")
    log.add_index_file(4)
    log.expect("intact", survivors=[b"one"], end=127)


@BOOK.damaged(three_files, "directory", "ZMR-095", "ZMR-101")
def empty_file_at_the_next_index(log: ZmqRaftLog) -> None:
    """The empty file begins with the next index, but the file before it has room for it."""
    log.add_index_file(11)
    log.expect("intact", survivors=ALL, end=186)


@BOOK.damaged(three_files, "torn-tail", "ZMR-044", "ZMR-090", "ZMR-101", kind="eof")
def only_file_of_a_bare_folder_unfinished(log: ZmqRaftLog) -> None:
    """A bare folder with one unfinished file: its name says what comes next."""
    log.files = {FOUR.removeprefix("log/"): bytearray(UNFINISHED)}
    log.did(f"keep 16 bytes of {FOUR} alone")
    log.expect("torn", "torn-header", end=0)


@BOOK.damaged(three_files, "directory", "ZMR-090", "ZMR-094", "ZMR-101")
def bare_folder_from_zero_without_entries(log: ZmqRaftLog) -> None:
    """A bare folder with an empty file that begins at 0: the next entry is 0."""
    name = log.add_index_file(0)
    log.files = {name.removeprefix("log/"): log.files[name]}
    log.did("keep it alone, without the folder log")
    log.expect("intact", end=108)


@BOOK.damaged(snapshot_alone, "directory", "ZMR-093", "ZMR-095", "ZMR-101")
def an_empty_first_file_after_a_gap(log: ZmqRaftLog) -> None:
    """A snapshot at 5, and the only file, which is empty, begins at 8: 6 and 7 are missing."""
    log.add_index_file(8)
    log.expect("damaged", "snapshot-gap", survivors=[0], end=108)
