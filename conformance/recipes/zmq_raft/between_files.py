"""Log directories: what a file that is lost, empty or unfinished means for the files around it."""

from conformance.recipes.zmq_raft.directories import (
    ALL,
    ENTRIES,
    last_file_full,
    snapshot_alone,
    snapshot_in_front,
    three_files,
)
from conformance.recipes.zmq_raft.log import BOOK, EIGHT, FOUR, ONE, ZmqRaftLog, entry
from reference_impl.answer import NewRecord
from reference_impl.zmq_raft.index_file import path_of

UNFINISHED = b"RLOG\x20\0\0\0\x01\0\0\0\x04\0\0\0"
SIX, TWELVE = (f"log/{path_of(index)}" for index in (6, 12))
FIRST_SEVEN = ALL[:7]


def _add(log: ZmqRaftLog, first: int, *words: bytes, capacity: int = 4) -> str:
    """An index file with these entries; its name."""
    other = ZmqRaftLog(b"", [])
    other.index_file(*map(entry, words), first=first, capacity=capacity)
    name = f"log/{path_of(first)}"
    log.add_file(name, bytes(other.data), f"{len(words)} entries from {first} on")
    return name


# A file that is lost claims no entry of another one


@BOOK.damaged(three_files, "directory", "ZMR-091", "ZMR-096", "ZMR-041")
def a_lost_file_claims_no_entries(log: ZmqRaftLog) -> None:
    """A file named 6 has another token: 6 and 7 stand in the file before it, and are returned."""
    log.add_file(SIX, b"RLOX" + bytes(60), "no index file")
    log.expect("damaged", "bad-token", survivors=ALL, end=186)


@BOOK.damaged(three_files, "directory", "ZMR-091", "ZMR-096")
def a_misplaced_file_claims_no_entries(log: ZmqRaftLog) -> None:
    """A file named 6 lies in another folder: nothing in it counts, not even where it begins."""
    name = _add(log, 6, b"six", b"seven")
    log.rename_file(name, "log/00000/00/01/00000000000006.rlog")
    log.expect("damaged", "misplaced-file", survivors=ALL, end=186)


@BOOK.damaged(three_files, "directory", "ZMR-044", "ZMR-096", "ZMR-097")
def an_unfinished_file_claims_no_entries(log: ZmqRaftLog) -> None:
    """A file named 6 ends in its header, with files after it: it is damage, and holds nothing."""
    log.add_file(SIX, UNFINISHED, "the first 16 bytes of a file")
    log.expect("damaged", "missing-data", survivors=ALL, end=186)


@BOOK.damaged(three_files, "directory", "ZMR-095", "ZMR-096")
def an_empty_file_claims_no_entries(log: ZmqRaftLog) -> None:
    """A file without entries begins at 6, between files that have 4 to 10: nothing is missing."""
    _add(log, 6)
    log.expect("intact", survivors=ALL, end=186)


@BOOK.damaged(three_files, "directory", "ZMR-041", "ZMR-091")
def token_of_the_first_file(log: ZmqRaftLog) -> None:
    """The first file has another token: those after it are read."""
    log.set(f"{ONE}:header.token", b"RLOX")
    log.expect("damaged", "bad-token", survivors=ALL[3:], end=186)


@BOOK.damaged(three_files, "directory", "ZMR-045", "ZMR-094")
def no_gap_in_front_of_a_lost_file(log: ZmqRaftLog) -> None:
    """The second file is gone and the third has no marker: one range says that it is lost."""
    log.remove_file(FOUR)
    log.set(f"{EIGHT}:chunks[1].token", b"ITMX")
    log.expect("damaged", "missing-marker", survivors=[0, 1, 2], end=None)


@BOOK.damaged(three_files, "directory", "ZMR-045", "ZMR-094")
def no_gap_after_a_lost_file(log: ZmqRaftLog) -> None:
    """The first file has no marker and the second is gone: 8 may be what comes next."""
    log.set(f"{ONE}:chunks[1].token", b"ITMX")
    log.remove_file(FOUR)
    log.expect("damaged", "missing-marker", survivors=[7, 8, 9], end=186)


@BOOK.damaged(three_files, "directory", "ZMR-096", "ZMR-094")
def an_overlap_that_ends_early(log: ZmqRaftLog) -> None:
    """A file with 6 alone, over 6 and 7 in the file before it: the 7 there is lost too."""
    _add(log, 6, b"six")
    log.expect("damaged", "overlapping-files", survivors=[0, 1, 2, 3, 4, b"six", 7, 8, 9], end=186)
    log.note("Entry 7 is in no file that counts: missing-entries in front of 8.")


@BOOK.damaged(three_files, "directory", "ZMR-096", "ZMR-049")
def an_overlap_keeps_other_reasons(log: ZmqRaftLog) -> None:
    """An entry that two files claim and that is lost for another reason keeps that reason."""
    log.set(f"{FOUR}:data.entries[3].header.term", 2**53)
    _add(log, 6, b"six", b"seven")
    survivors: list[int | bytes] = [0, 1, 2, 3, 4, b"six", b"seven", 7, 8, 9]
    log.expect("damaged", "overlapping-files", survivors=survivors, end=186)


@BOOK.damaged(three_files, "directory", "ZMR-097", "ZMR-091")
def cut_in_front_of_a_lost_file(log: ZmqRaftLog) -> None:
    """The second file lacks a byte, the third has another version: no write was unfinished."""
    del log.files[FOUR][-1:]
    log.did(f"truncate at 211 in {FOUR}")
    log.set(f"{EIGHT}:header.version", 0)
    log.expect("damaged", "missing-data", survivors=ALL[:6], end=None)


@BOOK.damaged(three_files, "directory", "ZMR-050", "ZMR-094")
def terms_on_both_sides_of_a_gap(log: ZmqRaftLog) -> None:
    """Terms are not compared across missing entries."""
    log.set(f"{ONE}:data.entries[2].header.term", 9)
    log.remove_file(FOUR)
    log.expect("damaged", "missing-entries", survivors=[0, 1, 2, 7, 8, 9], end=186)


@BOOK.damaged(three_files, "directory", "ZMR-050", "ZMR-095")
def terms_on_both_sides_of_an_empty_file(log: ZmqRaftLog) -> None:
    """A file without entries in between: the terms around it are compared all the same."""
    log.set(f"{FOUR}:data.entries[3].header.term", 9)
    _add(log, 7)
    log.expect("damaged", "decreasing-term", survivors=[*ALL[:6], 8, 9], end=186)


# Where index files may lie


def _misplaced(log: ZmqRaftLog, place: str) -> None:
    log.rename_file(FOUR, f"{place}/00000000000004.rlog")
    log.expect("damaged", "misplaced-file", survivors=[0, 1, 2, 7, 8, 9], end=186)


@BOOK.damaged(three_files, "directory", "ZMR-091")
def file_beside_the_folders(log: ZmqRaftLog) -> None:
    """The second file lies directly in the log folder: it is not passed over in silence."""
    _misplaced(log, "log")


@BOOK.damaged(three_files, "directory", "ZMR-091")
def file_two_folders_too_high(log: ZmqRaftLog) -> None:
    """The second file lies in the outermost of its three folders."""
    _misplaced(log, "log/00000")


@BOOK.damaged(three_files, "directory", "ZMR-091")
def file_one_folder_too_high(log: ZmqRaftLog) -> None:
    """The second file lies in the second of its three folders."""
    _misplaced(log, "log/00000/00")


@BOOK.damaged(three_files, "directory", "ZMR-091")
def a_misplaced_copy(log: ZmqRaftLog) -> None:
    """The second file is there twice: in its place, and in another folder, where it is lost."""
    log.add_file("log/00000/00/01/00000000000004.rlog", bytes(log.files[FOUR]), "a copy")
    log.expect("damaged", "misplaced-file", survivors=ALL, end=186)


@BOOK.damaged(three_files, "directory", "ZMR-090", "ZMR-105")
def folders_of_other_names(log: ZmqRaftLog) -> None:
    """The context names the folder of index files and the snapshot."""
    log.files = {name.replace("log/", "entries/", 1): data for name, data in log.files.items()}
    log.files["first.snap"] = log.files.pop("snap")
    log.did("rename log to entries, snap to first.snap")
    log.context |= {"log": "entries", "snapshot_file": "first.snap"}
    log.expect("intact", survivors=ALL, end=186)


@BOOK.damaged(three_files, "directory", "ZMR-090", "ZMR-093")
def bare_folder_from_four(log: ZmqRaftLog) -> None:
    """A folder of index files that begins with 4: with no snapshot nothing says what is missing."""
    files = {name: data for name, data in log.files.items() if name not in ("snap", ONE)}
    log.files = {name.removeprefix("log/"): data for name, data in files.items()}
    log.did(f"remove snap and {ONE}; keep the folder log alone")
    log.expect("intact", survivors=ALL[3:], end=186)


@BOOK.damaged(three_files, "directory", "ZMR-092", "ZMR-093")
def from_two_without_a_snapshot(log: ZmqRaftLog) -> None:
    """No snapshot file, and the first index file begins at 2: entry 1 is missing."""
    for name in ("snap", ONE, FOUR, EIGHT):
        log.remove_file(name)
    _add(log, 2, b"two", b"three")
    log.expect("damaged", "snapshot-gap", survivors=[b"two", b"three"], end=None)


# Files at the end that have no entries


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
    _add(log, 12)
    log.expect("torn", "torn-header", survivors=FIRST_SEVEN, end=0)


@BOOK.damaged(last_file_full, "torn-tail", "ZMR-044", "ZMR-095", "ZMR-101", kind="eof")
def empty_and_unfinished_files(log: ZmqRaftLog) -> None:
    """An empty file at 8, then an unfinished one at 12: the next entry goes into the first."""
    _add(log, 8)
    log.add_file(TWELVE, UNFINISHED, "the first 16 bytes of a file")
    log.expect("torn", "torn-header", survivors=FIRST_SEVEN, end=108)


@BOOK.damaged(last_file_full, "directory", "ZMR-095", "ZMR-101")
def empty_file_after_a_gap(log: ZmqRaftLog) -> None:
    """The empty file at the end begins at 12, and the next index is 8."""
    _add(log, 12)
    log.expect("intact", survivors=FIRST_SEVEN, end=None)


@BOOK.damaged(last_file_full, "directory", "ZMR-095", "ZMR-101", "ZMR-046")
def empty_file_after_a_damaged_one(log: ZmqRaftLog) -> None:
    """A table is wrong in the last file with entries; the next entry goes into the empty one."""
    log.set(f"{FOUR}:offsets[1]", 10)
    _add(log, 8)
    log.expect("damaged", "bad-offset", survivors=[0, 1, 2, 6], end=108)


@BOOK.damaged(last_file_full, "directory", "ZMR-010", "ZMR-095", "ZMR-101")
def empty_file_with_no_room(log: ZmqRaftLog) -> None:
    """The empty file at the end has a capacity of zero: nothing can go into it."""
    data = b"RLOG\x10\0\0\0\x01\0\0\0" + bytes(4) + (8).to_bytes(8, "little") + b"ITMZ" + bytes(4)
    log.add_file(EIGHT, data, "a file of capacity 0")
    log.expect("intact", survivors=FIRST_SEVEN, end=None)


@BOOK.damaged(three_files, "torn-tail", "ZMR-047", "ZMR-095", "ZMR-097", kind="eof")
def torn_entry_in_front_of_an_empty_file(log: ZmqRaftLog) -> None:
    """The last file with entries lacks a byte; the empty file after it does not make it damage."""
    log.truncate(185, EIGHT)
    _add(log, 12)
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


@BOOK.damaged(three_files, "directory", "ZMR-043", "ZMR-101")
def last_file_lost(log: ZmqRaftLog) -> None:
    """The header of the last file says 9: which index comes next is not known."""
    log.set(f"{EIGHT}:header.first_index", 9)
    log.expect("damaged", "index-mismatch", survivors=FIRST_SEVEN, end=None)


# The snapshot and the files after it


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
    _add(log, 4, b"four", b"five", b"six", b"seven")
    survivors: list[int | bytes] = [b"four", b"five", b"six", b"seven", 3]
    log.expect("damaged", "size-mismatch", survivors=survivors)


@BOOK.damaged(snapshot_alone, "directory", "ZMR-062", "ZMR-097")
def snapshot_cut_in_front_of_an_empty_file(log: ZmqRaftLog) -> None:
    """The snapshot lacks a byte, and an index file was made after it: it had been whole."""
    log.truncate_in("snap:data", 9)
    _add(log, 6)
    log.expect("damaged", "missing-data", end=100)


def _snapshot_at_five(log: ZmqRaftLog) -> None:
    other = ZmqRaftLog(b"", [])
    other.snapshot(b"state at 5", 5, 1)
    log.files["snap"] = other.data
    log.did("replace snap by one at index 5")


@BOOK.damaged(three_files, "directory", "ZMR-092", "ZMR-046", "ZMR-048")
def damage_in_covered_entries(log: ZmqRaftLog) -> None:
    """A wrong table and a short entry, all in entries that the snapshot covers: framing."""
    _snapshot_at_five(log)
    log.set(f"{ONE}:offsets[1]", 10)
    log.set(f"{FOUR}:offsets[0]", 10)
    log.expect("intact", survivors=[b"state at 5", 5, 6, 7, 8, 9], end=186)


@BOOK.damaged(three_files, "directory", "ZMR-092", "ZMR-046")
def damage_across_the_snapshot(log: ZmqRaftLog) -> None:
    """A run of entries 5 and 6 is lost, and 5 is covered: the run is reported as a whole."""
    _snapshot_at_five(log)
    log.flip(f"{FOUR}:offsets[1]", 24)
    log.expect("damaged", "bad-offset", survivors=[b"state at 5", 6, 7, 8, 9], end=186)


@BOOK.damaged(three_files, "directory", "ZMR-092", "ZMR-041")
def a_lost_file_below_the_snapshot(log: ZmqRaftLog) -> None:
    """The first file has another token: it is reported, as nothing tells what it held."""
    _snapshot_at_five(log)
    log.set(f"{ONE}:header.token", b"RLOX")
    log.expect("damaged", "bad-token", survivors=[b"state at 5", 5, 6, 7, 8, 9], end=186)


@BOOK.damaged(snapshot_in_front, "directory", "ZMR-050", "ZMR-093")
def term_below_the_snapshots_after_a_gap(log: ZmqRaftLog) -> None:
    """Entries are missing after the snapshot: its term is compared with nobody's."""
    log.set("snap:header.term", 4)
    log.set("snap:header.index", 2)
    log.expect("damaged", "snapshot-gap", survivors=[0, 1, 2, 3])


@BOOK.valid("directory", "ZMR-015", "ZMR-098")
def first_index_of_two_digits(log: ZmqRaftLog) -> None:
    """Files that begin at 13 and 16: names are hexadecimal."""
    log.directory(*ENTRIES[:5], snapshot=(b"state at 12", 12, 1))
    assert f"log/{path_of(16)}" in log.files
    log.expect("intact", survivors=[0, 1, 2, 3, 4, 5])


# Borders of the rules above


@BOOK.damaged(three_files, "directory", "ZMR-091", "ZMR-015")
def names_that_begin_like_index_files(log: ZmqRaftLog) -> None:
    """Files and folders whose names go on after those of index files and their folders."""
    for name in (f"{FOUR}.bak", "log/000001/00/00/00000000000004.rlog"):
        log.add_file(name, b"not an index file", "text")
    log.expect("intact", survivors=ALL, end=186)


@BOOK.damaged(snapshot_in_front, "directory", "ZMR-090", "ZMR-092")
def snapshot_of_another_name(log: ZmqRaftLog) -> None:
    """The context names the snapshot; without it the log would begin with a gap."""
    log.rename_file("snap", "first.snap")
    log.context["snapshot_file"] = "first.snap"
    log.expect("intact", survivors=[0, 1, 2, 3])


@BOOK.valid("directory", "ZMR-032", "ZMR-090")
def a_directory_of_raw_entries(log: ZmqRaftLog) -> None:
    """Entries without a header, in two files of a directory."""
    words = (b"a", b"bb", b"ccc", b"dddd")
    log.directory(*(NewRecord(word) for word in words), entries="raw")
    log.expect("intact", survivors=[0, 1, 2, 3])


def _from_zero(log: ZmqRaftLog) -> None:
    for name in ("snap", ONE, FOUR, EIGHT):
        log.remove_file(name)
    _add(log, 0, b"zero", b"one")


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
    other = ZmqRaftLog(b"", [])
    other.snapshot(b"state at 0", 0, 0)
    log.files["snap"] = other.data
    log.did("replace snap by one at index 0 with data")
    log.expect("intact", survivors=[b"state at 0", *ALL], end=186)


@BOOK.valid("directory", "ZMR-092")
def no_data_in_a_snapshot_at_five(log: ZmqRaftLog) -> None:
    """A snapshot at another index is a record even without data."""
    log.directory(entry(b"six", 3), snapshot=(b"", 5, 3))
    log.expect("intact", survivors=[0, 1])


@BOOK.damaged(three_files, "directory", "ZMR-095", "ZMR-101")
def empty_file_after_the_first(log: ZmqRaftLog) -> None:
    """Two files: one entry, and an empty file at the end."""
    for name in (ONE, FOUR, EIGHT):
        log.remove_file(name)
    _add(log, 1, b"one")
    _add(log, 4)
    log.expect("intact", survivors=[b"one"], end=127)


@BOOK.damaged(three_files, "directory", "ZMR-095", "ZMR-101")
def empty_file_at_the_next_index(log: ZmqRaftLog) -> None:
    """The empty file begins with the next index, but the file before it has room for it."""
    _add(log, 11)
    log.expect("intact", survivors=ALL, end=186)


@BOOK.damaged(last_file_full, "directory", "ZMR-096")
def the_last_file_overlaps(log: ZmqRaftLog) -> None:
    """The last file begins at 6, and the one before it goes up to 7."""
    _add(log, 6, b"six")
    log.expect("damaged", "overlapping-files", survivors=[0, 1, 2, 3, 4, b"six"], end=123)


@BOOK.damaged(three_files, "directory", "ZMR-044", "ZMR-094", "ZMR-097")
def middle_file_cut_in_its_header(log: ZmqRaftLog) -> None:
    """16 bytes of the second file are left: it is lost, and so no gap is reported after it."""
    log.truncate(16, FOUR)
    log.expect("damaged", "missing-data", survivors=[0, 1, 2, 7, 8, 9], end=186)


@BOOK.damaged(three_files, "directory", "ZMR-092", "ZMR-094")
def next_index_after_a_covered_file(log: ZmqRaftLog) -> None:
    """A lost file, then a file that the snapshot covers: the next index is the snapshot's + 1."""
    other = ZmqRaftLog(b"", [])
    other.snapshot(b"state at 9", 9, 1)
    log.files["snap"] = other.data
    log.did("replace snap by one at index 9")
    log.set(f"{ONE}:header.token", b"RLOX")
    log.remove_file(EIGHT)
    _add(log, 10, b"ten")
    log.expect("damaged", "bad-token", survivors=[b"state at 9", b"ten"])


@BOOK.damaged(three_files, "torn-tail", "ZMR-044", "ZMR-090", "ZMR-101", kind="eof")
def only_file_of_a_bare_folder_unfinished(log: ZmqRaftLog) -> None:
    """A bare folder with one unfinished file: its name says what comes next."""
    log.files = {FOUR.removeprefix("log/"): bytearray(UNFINISHED)}
    log.did(f"keep 16 bytes of {FOUR} alone")
    log.expect("torn", "torn-header", end=0)
