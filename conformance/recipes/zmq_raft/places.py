"""Log directories: the folders and names of their files."""

from conformance.recipes.zmq_raft.directories import (
    ALL,
    ENTRIES,
    bare_log_folder,
    last_file_full,
    three_files,
)
from conformance.recipes.zmq_raft.log import DIRECTORY, EIGHT, FOUR, ONE, ZmqRaftLog
from reference_impl.answer import NewRecord
from reference_impl.zmq_raft.index_file import path_of


def _misplaced(log: ZmqRaftLog, place: str) -> None:
    log.rename_file(FOUR, f"{place}/00000000000004.rlog")
    log.expect("damaged", "misplaced-file", survivors=[0, 1, 2, 7, 8, 9], end=186)


@DIRECTORY.damaged(three_files, "ZMR-091")
def file_beside_the_folders(log: ZmqRaftLog) -> None:
    """The second index file lies three levels too high, directly in the log folder. The file is
    lost."""
    _misplaced(log, "log")


@DIRECTORY.damaged(three_files, "ZMR-091")
def file_two_folders_too_high(log: ZmqRaftLog) -> None:
    """The second index file lies two levels too high, in the outermost of its three folders."""
    _misplaced(log, "log/00000")


@DIRECTORY.damaged(three_files, "ZMR-091")
def file_one_folder_too_high(log: ZmqRaftLog) -> None:
    """The second index file lies one level too high, in the second of its three folders."""
    _misplaced(log, "log/00000/00")


@DIRECTORY.damaged(three_files, "ZMR-091")
def a_misplaced_copy(log: ZmqRaftLog) -> None:
    """A copy of the second index file lies in an incorrect folder. Only the copy is lost."""
    log.shows("unit-twice")
    log.add_file("log/00000/00/01/00000000000004.rlog", bytes(log.files[FOUR]))
    log.expect("damaged", "misplaced-file", survivors=ALL, end=186)


@DIRECTORY.damaged(three_files, "ZMR-090", "ZMR-105")
def folders_of_other_names(log: ZmqRaftLog) -> None:
    """The context gives the names of the log folder and the snapshot file."""
    log.files = {name.replace("log/", "entries/", 1): data for name, data in log.files.items()}
    log.files["first.snap"] = log.files.pop("snap")
    log.context |= {"log": "entries", "snapshot_file": "first.snap"}
    log.expect("intact", survivors=ALL, end=186)


@DIRECTORY.damaged(three_files, "ZMR-090", "ZMR-093")
def bare_folder_from_four(log: ZmqRaftLog) -> None:
    """A bare folder begins with index 4. A reader reports no gap, because there is no snapshot."""
    files = {name: data for name, data in log.files.items() if name not in ("snap", ONE)}
    log.files = {name.removeprefix("log/"): data for name, data in files.items()}
    log.expect("intact", survivors=ALL[3:], end=186)


@DIRECTORY.damaged(three_files, "ZMR-092", "ZMR-093")
def from_two_without_a_snapshot(log: ZmqRaftLog) -> None:
    """The snapshot file is missing, and the first index file begins with index 2. Entry 1 is
    missing."""
    for name in ("snap", ONE, FOUR, EIGHT):
        log.remove_file(name)
    log.add_index_file(2, b"two", b"three")
    log.expect("damaged", "snapshot-gap", survivors=[b"two", b"three"], end=None)


@DIRECTORY.valid("ZMR-015", "ZMR-098")
def first_index_of_two_digits(log: ZmqRaftLog) -> None:
    """A directory with files that begin with the indexes 13 and 16. Their names are hexadecimal."""
    log.directory(*ENTRIES[:5], snapshot=(b"state at 12", 12, 1))
    assert f"log/{path_of(16)}" in log.files
    log.expect("intact", survivors=[0, 1, 2, 3, 4, 5])


@DIRECTORY.damaged(three_files, "ZMR-091", "ZMR-015")
def names_that_begin_like_index_files(log: ZmqRaftLog) -> None:
    """A file name ends in .rlog.bak, and a folder name has six digits instead of five. A reader
    ignores both."""
    for name in (f"{FOUR}.bak", "log/000001/00/00/00000000000004.rlog"):
        log.add_file(name, b"not an index file")
    log.expect("intact", survivors=ALL, end=186)


@DIRECTORY.valid("ZMR-032", "ZMR-090")
def a_directory_of_raw_entries(log: ZmqRaftLog) -> None:
    """A directory with raw entries in two index files."""
    words = (b"a", b"bb", b"ccc", b"dddd")
    log.directory(*(NewRecord(word) for word in words), entries="raw")
    log.expect("intact", survivors=[0, 1, 2, 3])


@DIRECTORY.damaged(three_files, "ZMR-015", "ZMR-091", "ZMR-094")
def a_file_of_an_index_above_the_limit(log: ZmqRaftLog) -> None:
    """The last file begins with index 2^56 - 1, above the limit of writers. A reader accepts the
    file and reports missing entries before it."""
    first = 2**56 - 1
    name = log.add_index_file(12, b"last", capacity=1)
    file = log.files.pop(name)
    file[16:24] = first.to_bytes(8, "little")
    log.files[f"log/{path_of(first)}"] = file
    log.expect("damaged", "missing-entries", survivors=[*ALL, b"last"], end=None)


@DIRECTORY.damaged(last_file_full, "ZMR-091")
def a_folder_with_the_name_of_an_index_file(log: ZmqRaftLog) -> None:
    """A folder has the name of the next index file. A reader ignores the folder."""
    log.add_file(f"{EIGHT}/readme.txt", b"not an index file")
    log.expect("intact", survivors=ALL[:7], end=None)


@DIRECTORY.damaged(bare_log_folder, "ZMR-090", "ZMR-101")
def a_folder_without_index_files(log: ZmqRaftLog) -> None:
    """A folder has neither a snapshot nor an index file. The log is intact, without records, and
    its end is null."""
    log.files = {"readme.txt": bytearray(b"Entries come here.")}
    log.expect("intact", end=None)
