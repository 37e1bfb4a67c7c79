"""Log directories: snapshots, index files, and faults between files."""

from conformance.recipes.zmq_raft.log import (
    DIRECTORY,
    EIGHT,
    FOUR,
    TORN_TAIL,
    ZmqRaftLog,
    checkpoint,
    entry,
)

WORDS = [b"entry%d" % n for n in range(10)]
ENTRIES = [entry(word) for word in WORDS]
ALL = list(range(10))


@DIRECTORY.valid("ZMR-090", "ZMR-091", "ZMR-098", "ZMR-105", "ZMR-101")
def three_files(log: ZmqRaftLog) -> None:
    """A directory with a snapshot at index 0 without data, and three index files with 3, 4 and 3
    entries."""
    log.directory(*ENTRIES)
    log.expect("intact", survivors=ALL, end=186)


@DIRECTORY.valid("ZMR-090", "ZMR-101")
def last_file_full(log: ZmqRaftLog) -> None:
    """Seven entries fill the two index files of a directory. The end is null, because the next
    entry goes into a new file."""
    log.directory(*ENTRIES[:6], checkpoint(2))
    log.expect("intact", survivors=[0, 1, 2, 3, 4, 5, 6], end=None)


@DIRECTORY.valid("ZMR-090")
def bare_log_folder(log: ZmqRaftLog) -> None:
    """A bare folder with three index files. A reader does not expect a snapshot."""
    three_files.function(log)
    log.files = {
        name.removeprefix("log/"): data for name, data in log.files.items() if name != "snap"
    }
    log.expect("intact", survivors=ALL)


@DIRECTORY.valid("ZMR-092")
def snapshot_in_front(log: ZmqRaftLog) -> None:
    """A directory with a snapshot at index 5 and a first index file that begins with index 6."""
    log.directory(*(entry(word, 3) for word in WORDS[:3]), snapshot=(b"state at 5", 5, 3))
    log.expect("intact", survivors=[0, 1, 2, 3])


@DIRECTORY.damaged(three_files, "ZMR-092")
def snapshot_over_the_first_entries(log: ZmqRaftLog) -> None:
    """The snapshot at index 5 covers entries 1 to 5. A reader does not return these entries."""
    log.put_snapshot(b"state at 5", 5)
    log.expect("intact", survivors=[b"state at 5", 5, 6, 7, 8, 9])


@DIRECTORY.damaged(three_files, "ZMR-092", "ZMR-101")
def snapshot_over_everything(log: ZmqRaftLog) -> None:
    """The snapshot is at index 12, and the last entry is 10. The end is null, because the next
    entry is 13, not 11."""
    log.put_snapshot(b"state at 12", 12)
    log.expect("intact", survivors=[b"state at 12"], end=None)
    log.note("A crash between installing a snapshot and discarding the log leaves this directory.")


@DIRECTORY.damaged(three_files, "ZMR-092")
def no_snapshot_file(log: ZmqRaftLog) -> None:
    """A directory has a log folder and no snapshot file. The log begins with index 1."""
    log.remove_file("snap")
    log.expect("intact", survivors=ALL)


@DIRECTORY.valid("ZMR-090", "ZMR-101")
def snapshot_alone(log: ZmqRaftLog) -> None:
    """A directory with a snapshot and no index files."""
    log.directory(snapshot=(b"state at 5", 5, 3))
    log.files = {"snap": log.files["snap"]}
    log.expect("intact", survivors=[0], end=None)


@DIRECTORY.damaged(three_files, "ZMR-095", "ZMR-101")
def empty_file_at_the_end(log: ZmqRaftLog) -> None:
    """An empty spare file begins with index 12, and the next index is 11. The next entry goes into
    the last file, which has room."""
    _add_empty(log, 12)
    log.expect("intact", survivors=ALL, end=186)


def _add_empty(log: ZmqRaftLog, first: int) -> None:
    other = ZmqRaftLog(b"", [])
    other.index_file(first=first)
    log.add_file(f"log/00000/00/00/{first:014x}.rlog", bytes(other.data))


@DIRECTORY.damaged(three_files, "ZMR-091")
def files_of_others(log: ZmqRaftLog) -> None:
    """A directory contains other files. Their names, or the names of their folders, do not have the
    form for index files. A reader ignores these files."""
    here = "log/00000/00/00"
    for name in (
        "raft.pers",
        "snap.tmp-71-1",
        "log/notes.txt",
        f"{here}/1.rlog",
        f"{here}/00000000000ABC.rlog",
        "log/00000/00/0/00000000000009.rlog",
    ):
        log.add_file(name, b"not an index file")
    log.expect("intact", survivors=ALL)


@DIRECTORY.valid("ZMR-015", "ZMR-091")
def files_in_two_folders(log: ZmqRaftLog) -> None:
    """Two index files, one that ends before index 0x100000 and one that begins with it, lie in
    different folders."""
    log.directory(*ENTRIES[:4], snapshot=(b"s", 0xFFFFD, 1))
    assert "log/00000/00/01/00000000100000.rlog" in log.files
    log.expect("intact", survivors=[0, 1, 2, 3, 4])


@DIRECTORY.damaged(three_files, "ZMR-094")
def file_rolled_back_in_the_middle(log: ZmqRaftLog) -> None:
    """The second index file is rolled back to one entry, but the third file still exists. Entries 5
    to 7 are missing."""
    for number in (1, 2, 3):
        log.zero(f"{FOUR}:offsets[{number}]")
    log.expect("damaged", "missing-entries", survivors=[0, 1, 2, 3, 7, 8, 9])


@DIRECTORY.damaged(three_files, "ZMR-094", "ZMR-095")
def empty_file_in_the_middle(log: ZmqRaftLog) -> None:
    """The second index file is empty, but the third file has entries. Entries 4 to 7 are
    missing."""
    for number in range(4):
        log.zero(f"{FOUR}:offsets[{number}]")
    log.expect("damaged", "missing-entries", survivors=[0, 1, 2, 7, 8, 9])


@DIRECTORY.damaged(three_files, "ZMR-097")
def middle_file_cut(log: ZmqRaftLog) -> None:
    """The second of three index files lacks its last byte. The code is missing-data, not
    torn-entry."""
    del log.files[FOUR][-1:]
    log.expect("damaged", "missing-data", survivors=[0, 1, 2, 3, 4, 5, 7, 8, 9], end=186)


@TORN_TAIL.damaged(last_file_full, "ZMR-044", "ZMR-101")
def new_file_unfinished(log: ZmqRaftLog) -> None:
    """Only 20 bytes of the index file for the next entry exist. A writer can recreate this
    unfinished file."""
    log.add_file(EIGHT, b"RLOG\x20\0\0\0\x01\0\0\0\x04\0\0\0\x08\0\0\0")
    log.expect("torn", "torn-header", survivors=[0, 1, 2, 3, 4, 5, 6], end=0)


TORN_TAIL.table("""
last_file_cut: three_files ZMR-047
    The last index file lacks its last byte. The last entry is torn.
    damage: truncate at 185 in log/00000/00/00/00000000000008.rlog
    expect: torn torn-entry, survivors 0-8, end 160
    note: A crash can leave this file if no fsync separates the data from the offset.
first_snapshot_unfinished: snapshot_alone ZMR-097 ZMR-044
    A directory contains only a snapshot that ends inside its header. The snapshot is torn.
    damage: truncate at 20 in snap
    expect: torn torn-header, no survivors, end none
""")


@DIRECTORY.damaged(three_files, "ZMR-096")
def files_that_overlap(log: ZmqRaftLog) -> None:
    """Two index files claim entries 6 and 7. A reader returns these entries from the later file."""
    other = ZmqRaftLog(b"", [])
    other.index_file(entry(b"six"), entry(b"seven"), first=6)
    log.add_file("log/00000/00/00/00000000000006.rlog", bytes(other.data))
    survivors: list[int | bytes] = [0, 1, 2, 3, 4, b"six", b"seven", 7, 8, 9]
    log.expect("damaged", "overlapping-files", survivors=survivors)


DIRECTORY.table("""
empty_file_behind_a_full_one: last_file_full ZMR-095 ZMR-101
    The last file is full, and an empty spare file begins with the next index. The next entry goes
    into the spare file.
    add_empty: 8
    expect: intact, survivors 0-6, end 108
middle_file_missing: three_files ZMR-094
    The file with entries 4 to 7 is missing. A reader returns the entries after the gap.
    shows: lost-file
    damage: remove log/00000/00/00/00000000000004.rlog
    expect: damaged missing-entries, survivors 0-2 7-9, end 186
first_file_missing: three_files ZMR-093
    The file with entries 1 to 3 is missing, and the snapshot does not cover these entries.
    damage: remove log/00000/00/00/00000000000001.rlog
    expect: damaged snapshot-gap, survivors 3-9
snapshot_too_old: snapshot_in_front ZMR-093
    The snapshot is at index 2, and the first index file begins with index 6. Entries 3 to 5 are
    missing.
    damage: set snap:header.index to 2
    expect: damaged snapshot-gap, survivors 0-3
snapshot_file_missing: snapshot_in_front ZMR-093
    The snapshot file is missing, and the first index file begins with index 6.
    damage: remove snap
    expect: damaged snapshot-gap, survivors 1-3
token_of_a_middle_file: three_files ZMR-041 ZMR-091
    The second index file has an invalid token. A reader returns the entries of the other files.
    damage: set log/00000/00/00/00000000000004.rlog:header.token to 52 4c 4f 58
    expect: damaged bad-token, survivors 0-2 7-9, end 186
version_of_the_last_file: three_files ZMR-041
    The last index file has version 2. The file is lost, and the end is null.
    damage: set log/00000/00/00/00000000000008.rlog:header.version to 2
    expect: damaged unsupported-version, survivors 0-6, end none
table_of_the_first_file: three_files ZMR-046
    The second offset of the first index file is below the first offset. All three entries of this
    file are lost.
    damage: set log/00000/00/00/00000000000001.rlog:offsets[1] to 10
    expect: damaged bad-offset, survivors 3-9, end 186
header_and_name_differ: three_files ZMR-043
    The header of the second index file gives the first index 5, and its name gives 4. The whole
    file is lost.
    damage: set log/00000/00/00/00000000000004.rlog:header.first_index to 5
    expect: damaged index-mismatch, survivors 0-2 7-9
file_in_another_folder: three_files ZMR-015 ZMR-091
    The second index file lies in a folder that does not match its name.
    damage: rename log/00000/00/00/00000000000004.rlog to log/00000/00/01/00000000000004.rlog
    expect: damaged misplaced-file, survivors 0-2 7-9
snapshot_cut: snapshot_in_front ZMR-097 ZMR-062
    The snapshot lacks its last byte, and an index file follows. The code is missing-data, not
    torn-snapshot.
    damage: truncate 9 bytes into snap:data
    expect: damaged missing-data, survivors 1-3
snapshot_that_is_none: snapshot_in_front ZMR-041
    The snapshot of a directory has an invalid token. A reader returns all entries.
    damage: set snap:header.token to 50 41 4e 53
    expect: damaged bad-token, survivors 1-3
term_falls_between_files: three_files ZMR-050
    The last entry of the first index file has a higher term than the first entries of the second
    file. The entry of the first file is lost.
    damage: set log/00000/00/00/00000000000001.rlog:data.entries[2].header.term to 9
    expect: damaged decreasing-term, survivors 0 1 3-9
term_below_the_snapshots: snapshot_in_front ZMR-050 ZMR-092
    The first entry after the snapshot has a lower term than the snapshot. Only the entry is lost.
    damage: set snap:header.term to 4
    expect: damaged decreasing-term, survivors 0 2 3
two_faults_in_two_files: three_files ZMR-102 ZMR-094
    The first index file has a short entry, and the header of the last file has an invalid length.
    The end is null.
    damage: set log/00000/00/00/00000000000001.rlog:offsets[0] to 10
    damage: set log/00000/00/00/00000000000008.rlog:header.len_body to 0
    expect: damaged short-entry, survivors 2-9, end none
directory_that_readers_must_not_touch: last_file_full ZMR-104 ZMR-095 ZMR-091 eof
    A directory has an unfinished temporary snapshot and an empty spare file. A reader does not
    change or delete these files.
    damage: add snap.tmp-71-1: 53 4e 41 50
    add_empty: 8
    expect: intact, survivors 0-6, end 108
""")
