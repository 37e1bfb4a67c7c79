"""Log directories with a snapshot, and the entries that the snapshot covers."""

from conformance.recipes.zmq_raft.directories import (
    ALL,
    snapshot_alone,
    snapshot_in_front,
    three_files,
)
from conformance.recipes.zmq_raft.log import (
    DIRECTORY,
    EIGHT,
    FOUR,
    ONE,
    SIX,
    TORN_TAIL,
    ZmqRaftLog,
    entry,
)


@DIRECTORY.damaged(snapshot_in_front, "ZMR-063", "ZMR-092")
def a_lost_snapshot_covers_nothing(log: ZmqRaftLog) -> None:
    """The snapshot at index 5 has one byte too many and is lost, so it covers neither entry 4 nor
    entry 5."""
    log.extend(b"!", file="snap")
    log.remove_file(SIX)
    log.add_index_file(4, b"four", b"five", b"six", b"seven")
    survivors: list[int | bytes] = [b"four", b"five", b"six", b"seven", 3]
    log.expect("damaged", "size-mismatch", survivors=survivors)


@DIRECTORY.damaged(snapshot_alone, "ZMR-062", "ZMR-097")
def snapshot_cut_in_front_of_an_empty_file(log: ZmqRaftLog) -> None:
    """The snapshot lacks its last byte, and an empty index file follows. The code is missing-data,
    not torn-snapshot."""
    log.truncate_in("snap:data", 9)
    log.add_index_file(6)
    log.expect("damaged", "missing-data", end=100)


@DIRECTORY.damaged(three_files, "ZMR-092", "ZMR-046", "ZMR-048")
def damage_in_covered_entries(log: ZmqRaftLog) -> None:
    """Invalid offsets damage only entries that the snapshot covers. A reader reports no damage."""
    log.put_snapshot(b"state at 5", 5)
    log.set(f"{ONE}:offsets[1]", 10)
    log.set(f"{FOUR}:offsets[0]", 10)
    log.expect("intact", survivors=[b"state at 5", 5, 6, 7, 8, 9], end=186)


@DIRECTORY.damaged(three_files, "ZMR-092", "ZMR-046")
def damage_across_the_snapshot(log: ZmqRaftLog) -> None:
    """Entries 5 and 6 are lost in one range, and the snapshot covers only entry 5. A reader reports
    the whole range."""
    log.put_snapshot(b"state at 5", 5)
    log.flip(f"{FOUR}:offsets[1]", 24)
    log.expect("damaged", "bad-offset", survivors=[b"state at 5", 6, 7, 8, 9], end=186)


@DIRECTORY.damaged(three_files, "ZMR-092", "ZMR-041")
def a_lost_file_below_the_snapshot(log: ZmqRaftLog) -> None:
    """The first index file has an invalid token. A reader reports the file despite the snapshot at
    index 5, because the file's content is unknown."""
    log.put_snapshot(b"state at 5", 5)
    log.set(f"{ONE}:header.token", b"RLOX")
    log.expect("damaged", "bad-token", survivors=[b"state at 5", 5, 6, 7, 8, 9], end=186)


@DIRECTORY.damaged(snapshot_in_front, "ZMR-050", "ZMR-093")
def term_below_the_snapshots_after_a_gap(log: ZmqRaftLog) -> None:
    """Entries are missing after the snapshot. A reader does not compare the snapshot's term with
    the entry after the gap."""
    log.set("snap:header.term", 4)
    log.set("snap:header.index", 2)
    log.expect("damaged", "snapshot-gap", survivors=[0, 1, 2, 3])


@DIRECTORY.damaged(snapshot_in_front, "ZMR-090", "ZMR-092")
def snapshot_of_another_name(log: ZmqRaftLog) -> None:
    """The context gives the name of the snapshot file. Without this name, a reader would report a
    gap before the first index file."""
    log.rename_file("snap", "first.snap")
    log.context["snapshot_file"] = "first.snap"
    log.expect("intact", survivors=[0, 1, 2, 3])


def _from_zero(log: ZmqRaftLog) -> None:
    for name in ("snap", ONE, FOUR, EIGHT):
        log.remove_file(name)
    log.add_index_file(0, b"zero", b"one")


@DIRECTORY.damaged(three_files, "ZMR-090", "ZMR-092")
def entry_zero_in_a_bare_folder(log: ZmqRaftLog) -> None:
    """A bare folder has an entry with index 0. A reader returns this entry, because no snapshot
    covers it."""
    _from_zero(log)
    log.files = {name.removeprefix("log/"): data for name, data in log.files.items()}
    log.expect("intact", survivors=[b"zero", b"one"])


@DIRECTORY.damaged(three_files, "ZMR-092")
def data_in_a_snapshot_at_zero(log: ZmqRaftLog) -> None:
    """A snapshot with index 0 and data is a record."""
    log.put_snapshot(b"state at 0", 0, 0)
    log.expect("intact", survivors=[b"state at 0", *ALL], end=186)


@DIRECTORY.valid("ZMR-092")
def no_data_in_a_snapshot_at_five(log: ZmqRaftLog) -> None:
    """A snapshot with index 5 and no data is a record."""
    log.directory(entry(b"six", 3), snapshot=(b"", 5, 3))
    log.expect("intact", survivors=[0, 1])


@DIRECTORY.damaged(three_files, "ZMR-092", "ZMR-094")
def next_index_after_a_covered_file(log: ZmqRaftLog) -> None:
    """Covered entries 4 to 7 follow a lost file. The next index is the snapshot's index plus one,
    so a reader reports no gap before entry 10."""
    log.put_snapshot(b"state at 9", 9)
    log.set(f"{ONE}:header.token", b"RLOX")
    log.remove_file(EIGHT)
    log.add_index_file(10, b"ten")
    log.expect("damaged", "bad-token", survivors=[b"state at 9", b"ten"])


def _two_lost_at_the_end(log: ZmqRaftLog) -> None:
    """Set the last offset to 1. Entries 9 and 10 are then lost in one range."""
    log.set(f"{EIGHT}:offsets[2]", 1)


@DIRECTORY.damaged(three_files, "ZMR-046", "ZMR-092")
def damage_at_the_end_half_covered(log: ZmqRaftLog) -> None:
    """The last two entries, 9 and 10, are lost in one range, and the snapshot covers only entry 9.
    A reader reports the range."""
    log.put_snapshot(b"state at 9", 9)
    _two_lost_at_the_end(log)
    log.expect("damaged", "bad-offset", survivors=[b"state at 9"], end=None)


@DIRECTORY.damaged(three_files, "ZMR-046", "ZMR-092")
def damage_at_the_end_covered(log: ZmqRaftLog) -> None:
    """The last two entries, 9 and 10, are lost in one range, and the snapshot covers both. A reader
    reports no damage."""
    log.put_snapshot(b"state at 10", 10)
    _two_lost_at_the_end(log)
    log.expect("intact", survivors=[b"state at 10"], end=None)


def _two_torn(log: ZmqRaftLog) -> None:
    """Cut the last file in the middle of entry 9. Entries 9 and 10 are then torn."""
    log.truncate(145, EIGHT)


@TORN_TAIL.damaged(three_files, "ZMR-047", "ZMR-092")
def torn_entries_half_covered(log: ZmqRaftLog) -> None:
    """Entries 9 and 10 are torn, and the snapshot covers only entry 9. A reader reports the torn
    range."""
    log.put_snapshot(b"state at 9", 9)
    _two_torn(log)
    log.expect("torn", "torn-entry", survivors=[b"state at 9"])


@TORN_TAIL.damaged(three_files, "ZMR-047", "ZMR-092", kind="eof")
def torn_entries_covered(log: ZmqRaftLog) -> None:
    """Entries 9 and 10 are torn, and the snapshot covers both. A reader reports no torn range."""
    log.put_snapshot(b"state at 10", 10)
    _two_torn(log)
    log.expect("intact", survivors=[b"state at 10"])


@DIRECTORY.damaged(three_files, "ZMR-092", "ZMR-101")
def snapshot_at_the_last_entry(log: ZmqRaftLog) -> None:
    """The snapshot covers all entries up to the last, entry 10. The next entry goes after the
    covered entries."""
    log.put_snapshot(b"state at 10", 10)
    log.expect("intact", survivors=[b"state at 10"], end=186)


@DIRECTORY.damaged(three_files, "ZMR-092", "ZMR-097")
def entry_zero_after_a_lost_snapshot(log: ZmqRaftLog) -> None:
    """The snapshot at index 0 has one byte of data, although its size is 0. The snapshot is lost,
    so entry 0 is not covered."""
    for name in (ONE, FOUR, EIGHT):
        log.remove_file(name)
    log.extend(b"!", file="snap")
    log.add_index_file(0, b"zero", b"one")
    log.expect("damaged", "missing-data", survivors=[b"zero", b"one"])


@DIRECTORY.damaged(three_files, "ZMR-050", "ZMR-092")
def term_below_the_snapshots_after_covered_entries(log: ZmqRaftLog) -> None:
    """The snapshot at index 2 has term 5, and entry 3 has term 1. Entry 3 is lost, although covered
    entries precede it in its file."""
    log.put_snapshot(b"state at 2", 2, 5)
    log.expect("damaged", "decreasing-term", survivors=[b"state at 2", *ALL[3:]], end=186)


@DIRECTORY.damaged(three_files, "ZMR-050", "ZMR-092", "ZMR-096")
def term_below_the_snapshots_after_a_covered_overlap(log: ZmqRaftLog) -> None:
    """Two index files claim entries 6 and 7, which the snapshot covers. A reader compares the term
    of entry 8 with the snapshot's term."""
    log.put_snapshot(b"state at 7", 7, 5)
    log.remove_file(EIGHT)
    log.add_index_file(6, b"six", b"seven", b"eight", b"nine", capacity=16)
    log.expect("damaged", "decreasing-term", survivors=[b"state at 7", b"nine"])


@DIRECTORY.damaged(three_files, "ZMR-046", "ZMR-092", "ZMR-101")
def wrong_offset_of_covered_entries(log: ZmqRaftLog) -> None:
    """An invalid offset damages only entries 8 and 9, which the snapshot covers. A reader reports
    no damage, but the end is null."""
    log.put_snapshot(b"state at 9", 9)
    log.flip(f"{EIGHT}:offsets[0]", 24)
    log.expect("intact", survivors=[b"state at 9", 9], end=None)


@DIRECTORY.damaged(snapshot_alone, "ZMR-062", "ZMR-091", "ZMR-097")
def snapshot_cut_beside_a_misplaced_file(log: ZmqRaftLog) -> None:
    """The snapshot lacks its last byte, and the only index file is misplaced. The directory has an
    index file, so the code for the snapshot is missing-data."""
    log.truncate_in("snap:data", 9)
    name = log.add_index_file(6, b"six")
    log.rename_file(name, "log/00000000000006.rlog")
    log.expect("damaged", "missing-data", end=None)


@DIRECTORY.damaged(three_files, "ZMR-042", "ZMR-092")
def length_of_a_covered_file_wrong(log: ZmqRaftLog) -> None:
    """The snapshot covers all entries in the first file. A reader still reports the invalid length
    of this file."""
    log.put_snapshot(b"state at 5", 5)
    log.set(f"{ONE}:header.len_body", 0)
    log.expect("damaged", "bad-header", survivors=[b"state at 5", 5, 6, 7, 8, 9], end=186)


DIRECTORY.table("""
snapshot_index_that_hides_all: three_files ZMR-042 ZMR-092
    Bit 54 of the snapshot's index is flipped. The snapshot is lost, so a reader returns all
    entries.
    damage: flip bit 54 of snap:header.index
    expect: damaged bad-header, survivors 0-9, end 186
entry_zero_without_a_snapshot: three_files ZMR-092
    A directory has a log folder, no snapshot file, and an entry with index 0. This entry counts as
    covered.
    from_zero:
    expect: intact, survivors "one"
capacity_of_the_middle_file_wrong: three_files ZMR-042 ZMR-094
    Bit 5 of the capacity of the middle file is flipped. META proves its length, so all entries are
    returned.
    damage: flip bit 5 of log/00000/00/00/00000000000004.rlog:header.capacity
    expect: damaged bad-header, survivors 0-9, end 186
term_that_falls_after_a_wrong_length: three_files ZMR-042 ZMR-050
    The first entry of the middle file has term 1, below the term 2 before it, and the length of
    this file is invalid. A reader compares no terms across the invalid length.
    damage: set log/00000/00/00/00000000000001.rlog:data.entries[2].header.term to 2
    damage: set log/00000/00/00/00000000000004.rlog:header.len_body to 0
    expect: damaged bad-header, survivors 0-9, end 186
length_of_the_middle_file_wrong_after_a_gap: three_files ZMR-042 ZMR-094
    The last entry of the first file was rolled back, and the length of the middle file is invalid.
    A reader reports the gap before the length.
    damage: zero log/00000/00/00/00000000000001.rlog:offsets[2]
    damage: set log/00000/00/00/00000000000004.rlog:header.len_body to 0
    expect: damaged missing-entries, survivors 0 1 3-9, end 186
length_of_the_snapshot_wrong: snapshot_in_front ZMR-042 ZMR-092
    The length of the snapshot's first chunk is invalid. The snapshot is returned and covers its
    entries.
    damage: set snap:header.len_body to 0
    expect: damaged bad-header, survivors 0-3
length_of_the_default_snapshot_wrong: three_files ZMR-042 ZMR-092
    A snapshot with index 0 and no data has an invalid length. The snapshot is only framing, but a
    reader still reports its length.
    damage: set snap:header.len_body to 0
    expect: damaged bad-header, survivors 0-9, end 186
""")
