"""Log directories: the snapshot, and the entries that it covers."""

from conformance.recipes.zmq_raft.directories import (
    ALL,
    snapshot_alone,
    snapshot_in_front,
    three_files,
)
from conformance.recipes.zmq_raft.log import BOOK, EIGHT, FOUR, ONE, SIX, ZmqRaftLog, entry


@BOOK.damaged(three_files, "directory", "ZMR-042", "ZMR-092")
def snapshot_index_that_hides_all(log: ZmqRaftLog) -> None:
    """One high bit of the snapshot's index: it would cover every entry there is."""
    log.flip("snap:header.index", 54)
    log.expect("damaged", "bad-header", survivors=ALL, end=186)


@BOOK.damaged(snapshot_in_front, "directory", "ZMR-063", "ZMR-092")
def a_lost_snapshot_covers_nothing(log: ZmqRaftLog) -> None:
    """The snapshot has a byte too many and is lost: the entries up to its index are returned."""
    log.extend(b"!", "one byte", "snap")
    log.remove_file(SIX)
    log.add_index_file(4, b"four", b"five", b"six", b"seven")
    survivors: list[int | bytes] = [b"four", b"five", b"six", b"seven", 3]
    log.expect("damaged", "size-mismatch", survivors=survivors)


@BOOK.damaged(snapshot_alone, "directory", "ZMR-062", "ZMR-097")
def snapshot_cut_in_front_of_an_empty_file(log: ZmqRaftLog) -> None:
    """The snapshot lacks a byte, and an index file was made after it: it had been whole."""
    log.truncate_in("snap:data", 9)
    log.add_index_file(6)
    log.expect("damaged", "missing-data", end=100)


@BOOK.damaged(three_files, "directory", "ZMR-092", "ZMR-046", "ZMR-048")
def damage_in_covered_entries(log: ZmqRaftLog) -> None:
    """A wrong table and a short entry, all in entries that the snapshot covers: framing."""
    log.put_snapshot(b"state at 5", 5)
    log.set(f"{ONE}:offsets[1]", 10)
    log.set(f"{FOUR}:offsets[0]", 10)
    log.expect("intact", survivors=[b"state at 5", 5, 6, 7, 8, 9], end=186)


@BOOK.damaged(three_files, "directory", "ZMR-092", "ZMR-046")
def damage_across_the_snapshot(log: ZmqRaftLog) -> None:
    """A run of entries 5 and 6 is lost, and 5 is covered: the run is reported as a whole."""
    log.put_snapshot(b"state at 5", 5)
    log.flip(f"{FOUR}:offsets[1]", 24)
    log.expect("damaged", "bad-offset", survivors=[b"state at 5", 6, 7, 8, 9], end=186)


@BOOK.damaged(three_files, "directory", "ZMR-092", "ZMR-041")
def a_lost_file_below_the_snapshot(log: ZmqRaftLog) -> None:
    """The first file has another token: it is reported, as nothing tells what it held."""
    log.put_snapshot(b"state at 5", 5)
    log.set(f"{ONE}:header.token", b"RLOX")
    log.expect("damaged", "bad-token", survivors=[b"state at 5", 5, 6, 7, 8, 9], end=186)


@BOOK.damaged(snapshot_in_front, "directory", "ZMR-050", "ZMR-093")
def term_below_the_snapshots_after_a_gap(log: ZmqRaftLog) -> None:
    """Entries are missing after the snapshot: its term is compared with nobody's."""
    log.set("snap:header.term", 4)
    log.set("snap:header.index", 2)
    log.expect("damaged", "snapshot-gap", survivors=[0, 1, 2, 3])


@BOOK.damaged(snapshot_in_front, "directory", "ZMR-090", "ZMR-092")
def snapshot_of_another_name(log: ZmqRaftLog) -> None:
    """The context names the snapshot; without it the log would begin with a gap."""
    log.rename_file("snap", "first.snap")
    log.context["snapshot_file"] = "first.snap"
    log.expect("intact", survivors=[0, 1, 2, 3])


def _from_zero(log: ZmqRaftLog) -> None:
    for name in ("snap", ONE, FOUR, EIGHT):
        log.remove_file(name)
    log.add_index_file(0, b"zero", b"one")


@BOOK.damaged(three_files, "directory", "ZMR-092")
def entry_zero_without_a_snapshot(log: ZmqRaftLog) -> None:
    """A log begins at 1: an entry of index 0 counts as covered, as with a snapshot of nothing."""
    _from_zero(log)
    log.expect("intact", survivors=[b"one"])


@BOOK.damaged(three_files, "directory", "ZMR-090", "ZMR-092")
def entry_zero_in_a_bare_folder(log: ZmqRaftLog) -> None:
    """A bare folder has no snapshot that would cover the entry of index 0."""
    _from_zero(log)
    log.files = {name.removeprefix("log/"): data for name, data in log.files.items()}
    log.did("keep the folder log alone")
    log.expect("intact", survivors=[b"zero", b"one"])


@BOOK.damaged(three_files, "directory", "ZMR-092")
def data_in_a_snapshot_at_zero(log: ZmqRaftLog) -> None:
    """A snapshot at index 0 with data is a record."""
    log.put_snapshot(b"state at 0", 0, 0)
    log.expect("intact", survivors=[b"state at 0", *ALL], end=186)


@BOOK.valid("directory", "ZMR-092")
def no_data_in_a_snapshot_at_five(log: ZmqRaftLog) -> None:
    """A snapshot at another index is a record even without data."""
    log.directory(entry(b"six", 3), snapshot=(b"", 5, 3))
    log.expect("intact", survivors=[0, 1])


@BOOK.damaged(three_files, "directory", "ZMR-092", "ZMR-094")
def next_index_after_a_covered_file(log: ZmqRaftLog) -> None:
    """A lost file, then a file that the snapshot covers: the next index is the snapshot's + 1."""
    log.put_snapshot(b"state at 9", 9)
    log.set(f"{ONE}:header.token", b"RLOX")
    log.remove_file(EIGHT)
    log.add_index_file(10, b"ten")
    log.expect("damaged", "bad-token", survivors=[b"state at 9", b"ten"])


def _two_lost_at_the_end(log: ZmqRaftLog) -> None:
    """Entries 9 and 10 are a range without a place: the last offset falls."""
    log.set(f"{EIGHT}:offsets[2]", 1)


@BOOK.damaged(three_files, "directory", "ZMR-046", "ZMR-092")
def damage_at_the_end_half_covered(log: ZmqRaftLog) -> None:
    """A range of entries 9 and 10, and a snapshot at 9: the last one is not covered."""
    log.put_snapshot(b"state at 9", 9)
    _two_lost_at_the_end(log)
    log.expect("damaged", "bad-offset", survivors=[b"state at 9"], end=None)


@BOOK.damaged(three_files, "directory", "ZMR-046", "ZMR-092")
def damage_at_the_end_covered(log: ZmqRaftLog) -> None:
    """The same range, and a snapshot at 10, which covers both."""
    log.put_snapshot(b"state at 10", 10)
    _two_lost_at_the_end(log)
    log.expect("intact", survivors=[b"state at 10"], end=None)


def _two_torn(log: ZmqRaftLog) -> None:
    """Half of entry 9 is there, and nothing of entry 10."""
    log.truncate(145, EIGHT)


@BOOK.damaged(three_files, "torn-tail", "ZMR-047", "ZMR-092", kind="eof")
def torn_entries_half_covered(log: ZmqRaftLog) -> None:
    """Entries 9 and 10 are torn, and a snapshot at 9: the last one is not covered."""
    log.put_snapshot(b"state at 9", 9)
    _two_torn(log)
    log.expect("torn", "torn-entry", survivors=[b"state at 9"])


@BOOK.damaged(three_files, "torn-tail", "ZMR-047", "ZMR-092", kind="eof")
def torn_entries_covered(log: ZmqRaftLog) -> None:
    """Entries 9 and 10 are torn, and a snapshot at 10 covers both."""
    log.put_snapshot(b"state at 10", 10)
    _two_torn(log)
    log.expect("intact", survivors=[b"state at 10"])


@BOOK.damaged(three_files, "directory", "ZMR-092", "ZMR-101")
def snapshot_at_the_last_entry(log: ZmqRaftLog) -> None:
    """A snapshot at 10 over a log up to 10: the next entry goes after them."""
    log.put_snapshot(b"state at 10", 10)
    log.expect("intact", survivors=[b"state at 10"], end=186)


@BOOK.damaged(three_files, "directory", "ZMR-092", "ZMR-097")
def entry_zero_after_a_lost_snapshot(log: ZmqRaftLog) -> None:
    """The snapshot of nothing has a byte too many: it covers nothing, not even index 0."""
    for name in (ONE, FOUR, EIGHT):
        log.remove_file(name)
    log.extend(b"!", "one byte", "snap")
    log.add_index_file(0, b"zero", b"one")
    log.expect("damaged", "missing-data", survivors=[b"zero", b"one"])


@BOOK.damaged(three_files, "directory", "ZMR-050", "ZMR-092")
def term_below_the_snapshots_after_covered_entries(log: ZmqRaftLog) -> None:
    """A snapshot of term 5 at 2: entry 3 has term 1, whatever its file has before it."""
    log.put_snapshot(b"state at 2", 2, 5)
    log.expect("damaged", "decreasing-term", survivors=[b"state at 2", *ALL[3:]], end=186)


@BOOK.damaged(three_files, "directory", "ZMR-050", "ZMR-092", "ZMR-096")
def term_below_the_snapshots_after_a_covered_overlap(log: ZmqRaftLog) -> None:
    """Two files claim 6 and 7, which are covered: entry 8 is compared with the snapshot."""
    log.put_snapshot(b"state at 7", 7, 5)
    log.remove_file(EIGHT)
    log.add_index_file(6, b"six", b"seven", b"eight", b"nine", capacity=16)
    log.expect("damaged", "decreasing-term", survivors=[b"state at 7", b"nine"])


@BOOK.damaged(three_files, "directory", "ZMR-046", "ZMR-092", "ZMR-101")
def wrong_offset_of_covered_entries(log: ZmqRaftLog) -> None:
    """A run of 8 and 9 in the last file is covered: it is framing, and the end is null."""
    log.put_snapshot(b"state at 9", 9)
    log.flip(f"{EIGHT}:offsets[0]", 24)
    log.expect("intact", survivors=[b"state at 9", 9], end=None)
