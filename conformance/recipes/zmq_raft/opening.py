"""Appends to directories: the files that a writer creates or deletes, and the logs that it
refuses."""

from conformance.recipes.zmq_raft.appending import (
    DELTA,
    ECHO,
    append_behind_a_full_file,
    append_to_a_directory,
)
from conformance.recipes.zmq_raft.directories import (
    ALL,
    bare_log_folder,
    last_file_full,
    no_snapshot_file,
    snapshot_alone,
    three_files,
)
from conformance.recipes.zmq_raft.empty_files import (
    only_file_of_a_bare_folder_unfinished,
    only_file_unfinished,
    only_file_unfinished_and_too_far_on,
)
from conformance.recipes.zmq_raft.log import (
    APPENDING,
    DIRECTORY,
    EIGHT,
    FOUR,
    ONE,
    SIX,
    UNFINISHED,
    ZmqRaftLog,
    entry,
    without_room,
)
from conformance.recipes.zmq_raft.places import (
    a_directory_of_raw_entries,
    a_folder_with_the_name_of_an_index_file,
    folders_of_other_names,
)
from conformance.recipes.zmq_raft.refusing import append_after_a_snapshot_alone
from reference_impl.answer import NewRecord

FOXTROT = entry(b"foxtrot", 2)
# Logs without a file for the next index


@APPENDING.appending(three_files, "ZMR-098", "ZMR-101", control=append_to_a_directory)
def append_after_a_snapshot_as_far_as_there_is_room(log: ZmqRaftLog) -> None:
    """The snapshot is at index 11, and the last file has entries up to 10 and room for one more. A
    writer refuses to append entry 12."""
    log.put_snapshot(b"state at 11", 11)
    log.add(DELTA)
    log.expect_refusal(survivors=[b"state at 11"])


@APPENDING.appending(last_file_full, "ZMR-098", "ZMR-101", control=append_behind_a_full_file)
def append_after_a_snapshot_over_a_full_file(log: ZmqRaftLog) -> None:
    """The snapshot is at index 9, and the last file is full with entries up to 7. A writer refuses
    to append entry 10."""
    log.put_snapshot(b"state at 9", 9)
    log.add(DELTA)
    log.expect_refusal(survivors=[b"state at 9"])


@APPENDING.appending(
    only_file_unfinished_and_too_far_on,
    "ZMR-044",
    "ZMR-098",
    kind="eof",
    control=append_after_a_snapshot_alone,
)
def append_before_the_only_file(log: ZmqRaftLog) -> None:
    """The only index file is unfinished and begins with index 8, but the next index is 6. A writer
    refuses to append."""
    log.add(entry(b"delta", 3))
    log.expect_refusal("torn", "torn-header", survivors=[0])


def _first_has_no_room(log: ZmqRaftLog) -> None:
    log.files[ONE] = bytearray(without_room(1))


@APPENDING.appending(three_files, "ZMR-010", "ZMR-098", kind="limit", control=append_to_a_directory)
def append_to_a_file_of_no_room(log: ZmqRaftLog) -> None:
    """A writer refuses to append to a directory whose only index file has a capacity of 0."""
    _first_has_no_room(log)
    log.remove_file(FOUR)
    log.remove_file(EIGHT)
    log.add(DELTA)
    log.expect_refusal()


# Files that a writer creates


@APPENDING.appending(three_files, "ZMR-010", "ZMR-098", kind="limit", control=append_to_a_directory)
def append_with_a_first_file_of_no_room(log: ZmqRaftLog) -> None:
    """The first index file has the capacity 0. A writer rounds this capacity up to one for a new
    file."""
    _first_has_no_room(log)
    log.add(DELTA, ECHO)
    log.expect("damaged", "missing-entries", survivors=[*ALL[3:], b"delta", b"echo"])


@DIRECTORY.valid("ZMR-014", "ZMR-098", kind="limit")
def files_of_one_entry(log: ZmqRaftLog) -> None:
    """A directory with a configured capacity of one has an index file for each entry."""
    log.directory(entry(b"alpha"), entry(b"bravo"), capacity=1)
    log.expect("intact", survivors=[0, 1], end=None)


@APPENDING.appending(files_of_one_entry, "ZMR-098", kind="limit")
def append_to_files_of_one_entry(log: ZmqRaftLog) -> None:
    """Each index file of a directory holds one entry. A writer creates two new files for two
    entries."""
    log.add(DELTA, ECHO)
    log.expect("intact", survivors=[0, 1, b"delta", b"echo"])


@APPENDING.appending(bare_log_folder, "ZMR-090", "ZMR-098", control=append_to_a_directory)
def append_to_a_folder_of_other_files(log: ZmqRaftLog) -> None:
    """A bare folder has no index files. A writer creates the first index file, which begins with
    index 1."""
    log.files = {"readme.txt": bytearray(b"Entries come here.")}
    log.payloads = []
    log.add(DELTA, ECHO)
    log.expect("intact", survivors=[b"delta", b"echo"])


@APPENDING.appending(
    last_file_full, "ZMR-041", "ZMR-098", kind="corrupt", control=append_behind_a_full_file
)
def append_behind_a_lost_and_a_full_file(log: ZmqRaftLog) -> None:
    """The first index file is lost, and the last file is intact and full. A writer appends to a new
    file."""
    log.set(f"{ONE}:header.token", b"RLOX")
    log.add(DELTA, ECHO)
    log.expect("damaged", "bad-token", survivors=[3, 4, 5, 6, b"delta", b"echo"])


@APPENDING.appending(folders_of_other_names, "ZMR-090", "ZMR-098")
def append_under_other_names(log: ZmqRaftLog) -> None:
    """The context gives the names of the log folder and the snapshot file. A writer appends to the
    log folder with this name."""
    log.add(DELTA, ECHO, FOXTROT)
    log.expect("intact", survivors=[*ALL, b"delta", b"echo", b"foxtrot"])


@APPENDING.appending(
    snapshot_alone,
    "ZMR-044",
    "ZMR-095",
    "ZMR-098",
    kind="eof",
    control=append_after_a_snapshot_alone,
)
def append_over_the_only_file_and_a_spare_one(log: ZmqRaftLog) -> None:
    """An unfinished file that begins with index 6 precedes an empty file that begins with index 12.
    A writer deletes both files and recreates the first."""
    log.add_file(SIX, UNFINISHED)
    log.add_index_file(12)
    log.add(entry(b"delta", 3), entry(b"echo", 3))
    log.expect("intact", survivors=[0, b"delta", b"echo"])


@APPENDING.appending(
    snapshot_alone,
    "ZMR-044",
    "ZMR-095",
    "ZMR-098",
    kind="eof",
    control=append_after_a_snapshot_alone,
)
def append_after_an_unfinished_file(log: ZmqRaftLog) -> None:
    """An unfinished file that begins with index 4, which the snapshot covers, precedes an empty
    file that begins with index 6. A writer deletes both files and recreates the second."""
    log.add_file(FOUR, UNFINISHED)
    log.add_index_file(6)
    log.add(entry(b"delta", 3), entry(b"echo", 3))
    log.expect("intact", survivors=[0, b"delta", b"echo"])


@APPENDING.appending(
    only_file_of_a_bare_folder_unfinished,
    "ZMR-044",
    "ZMR-090",
    "ZMR-098",
    kind="eof",
    control=append_to_a_directory,
)
def append_over_the_only_file_of_a_bare_folder(log: ZmqRaftLog) -> None:
    """The only index file of a bare folder is unfinished. A writer recreates the file with the
    index in its name."""
    log.add(DELTA, ECHO)
    log.expect("intact", survivors=[b"delta", b"echo"])


@APPENDING.appending(
    only_file_unfinished,
    "ZMR-044",
    "ZMR-092",
    "ZMR-098",
    kind="corrupt",
    control=append_after_a_snapshot_alone,
)
def append_over_the_only_file_after_a_lost_snapshot(log: ZmqRaftLog) -> None:
    """The snapshot is lost, and the only index file is unfinished. A writer recreates this file
    with the index in its name."""
    log.extend(b"!", file="snap")
    log.add(DELTA, ECHO)
    log.expect("damaged", "size-mismatch", survivors=[b"delta", b"echo"])


@APPENDING.appending(
    a_folder_with_the_name_of_an_index_file, "ZMR-091", "ZMR-098", control=append_behind_a_full_file
)
def append_where_a_folder_has_the_name(log: ZmqRaftLog) -> None:
    """A folder has the name of the next index file. A writer refuses to append."""
    log.add(DELTA)
    log.expect_refusal(survivors=ALL[:7])


@APPENDING.appending(no_snapshot_file, "ZMR-098", "ZMR-104", control=append_to_a_directory)
def append_without_a_snapshot_file(log: ZmqRaftLog) -> None:
    """The snapshot file is missing. A writer creates a snapshot with index 0 and no data, like
    zmq-raft 0.5.0."""
    log.add(DELTA)
    log.expect("intact", survivors=[*ALL, b"delta"])
    log.leaves({"snap": 104, ONE: 182, FOUR: 212, EIGHT: 211})


# Terms


@APPENDING.appending(three_files, "ZMR-047", "ZMR-050", kind="eof", control=append_to_a_directory)
def append_a_term_below_the_one_before_torn_entries(log: ZmqRaftLog) -> None:
    """All entries of the last file are torn. A writer refuses term 1, because the last intact entry
    has term 2."""
    log.set(f"{FOUR}:data.entries[3].header.term", 2)
    log.truncate(108, EIGHT)
    log.add(entry(b"delta", 1))
    log.expect_refusal("torn", "torn-entry", survivors=ALL[:7])


@APPENDING.appending(three_files, "ZMR-047", "ZMR-050", kind="eof", control=append_to_a_directory)
def append_after_torn_entries(log: ZmqRaftLog) -> None:
    """All entries of the last file are torn. A writer keeps this file and writes new entries in
    place of the torn entries."""
    log.truncate(108, EIGHT)
    log.add(DELTA, ECHO)
    log.expect("intact", survivors=[*ALL[:7], b"delta", b"echo"])


def _snapshot_at_twelve(log: ZmqRaftLog, term: int) -> None:
    log.put_snapshot(b"state at 12", 12, 5)
    log.add_index_file(13)
    log.add(entry(b"delta", term))


@APPENDING.appending(three_files, "ZMR-050", "ZMR-092", "ZMR-095", control=append_to_a_directory)
def append_with_the_term_of_the_snapshot(log: ZmqRaftLog) -> None:
    """The snapshot at index 12 has term 5. A writer appends entry 13 with term 5 to the empty file
    that begins with index 13."""
    _snapshot_at_twelve(log, 5)
    log.expect("intact", survivors=[b"state at 12", b"delta"])


@APPENDING.appending(three_files, "ZMR-013", "ZMR-050", "ZMR-092", control=append_to_a_directory)
def append_a_term_below_the_snapshots(log: ZmqRaftLog) -> None:
    """The snapshot at index 12 has term 5. A writer refuses entry 13 with term 4, because a reader
    would not return the entry."""
    _snapshot_at_twelve(log, 4)
    log.expect_refusal(survivors=[b"state at 12"])


@APPENDING.appending(
    three_files, "ZMR-049", "ZMR-050", kind="corrupt", control=append_to_a_directory
)
def append_after_a_lost_entry(log: ZmqRaftLog) -> None:
    """The term of the last entry of a directory exceeds the limit. A writer appends an entry
    without comparing terms."""
    log.set(f"{EIGHT}:data.entries[2].header.term", 2**53)
    log.add(entry(b"delta", 1))
    log.expect("damaged", "bad-term", survivors=[*ALL[:9], b"delta"])


@APPENDING.appending(a_directory_of_raw_entries, "ZMR-032", "ZMR-052")
def append_raw_zeros(log: ZmqRaftLog) -> None:
    """A writer appends a raw entry whose bytes look like a header with term 2, and then a raw entry
    of zeros. Raw entries have no term."""
    log.add(NewRecord(b"\xff" * 13 + b"\x02" + bytes(6)), NewRecord(bytes(24)))
    log.payloads += [record.payload for record in log.to_append]
    log.expect("intact", survivors=range(6))
