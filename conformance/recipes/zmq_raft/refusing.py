"""What a writer must refuse, and where it must go on after damage."""

from conformance.recipes.zmq_raft.appending import (
    DELTA,
    ECHO,
    UPDATE,
    append_an_update,
    append_behind_a_full_file,
    append_to_a_directory,
    append_to_an_empty_file,
    append_to_three_entries,
)
from conformance.recipes.zmq_raft.bad_updates import tail_of_ff
from conformance.recipes.zmq_raft.directories import (
    ALL,
    last_file_full,
    snapshot_alone,
    snapshot_in_front,
    snapshot_over_everything,
    three_files,
)
from conformance.recipes.zmq_raft.empty_files import (
    empty_file_after_a_damaged_one,
    empty_file_with_no_room,
    only_file_unfinished,
    unfinished_and_empty_files,
    unfinished_file_after_a_gap,
    unfinished_file_too_far_on,
)
from conformance.recipes.zmq_raft.headers import cut_in_the_header
from conformance.recipes.zmq_raft.index_files import no_entries, three_entries
from conformance.recipes.zmq_raft.log import BOOK, FOUR, ZmqRaftLog, at, entry
from conformance.recipes.zmq_raft.lost_files import last_file_lost, token_of_the_first_file
from conformance.recipes.zmq_raft.offsets import offset_that_falls
from conformance.recipes.zmq_raft.places import (
    a_directory_of_raw_entries,
    first_index_of_two_digits,
)
from conformance.recipes.zmq_raft.snapshots import snapshot_of_ten_bytes
from conformance.recipes.zmq_raft.states import five_updates
from conformance.recipes.zmq_raft.writing import (
    write_a_full_index_file,
    write_a_snapshot,
    write_the_largest_term,
    write_updates,
)
from reference_impl.answer import NewRecord

# Logs that must not be appended to


@BOOK.appending(snapshot_of_ten_bytes, "appending", "ZMR-064")
def append_to_a_snapshot(log: ZmqRaftLog) -> None:
    """A snapshot is replaced as a whole."""
    log.add(DELTA)
    log.expect_refusal(survivors=[0])


@BOOK.appending(tail_of_ff, "appending", "ZMR-080", kind="corrupt", control=append_an_update)
def append_to_a_damaged_state_file(log: ZmqRaftLog) -> None:
    """Damage after five updates: it is not a torn update, and nothing of it may be cut off."""
    log.add(NewRecord(UPDATE))
    log.expect_refusal("damaged", "not-a-map", survivors=[0, 1, 2, 3, 4])


@BOOK.appending(
    offset_that_falls, "appending", "ZMR-101", "ZMR-046", kind="corrupt",
    control=append_to_three_entries,
)  # fmt: skip
def append_to_a_wrong_table(log: ZmqRaftLog) -> None:
    """Offsets that fall: what is appended would stand after entries that nobody can place."""
    log.add(DELTA)
    log.expect_refusal("damaged", "bad-offset", survivors=[0, 4])


@BOOK.appending(
    three_entries, "appending", "ZMR-043", "ZMR-101", kind="corrupt",
    control=append_to_three_entries,
)  # fmt: skip
def append_under_another_index(log: ZmqRaftLog) -> None:
    """The header says 3 and the name 1: what is appended would be lost with the rest."""
    log.set("header.first_index", 3)
    log.add(DELTA)
    log.expect_refusal("damaged", "index-mismatch")


@BOOK.appending(
    three_entries, "appending", "ZMR-041", "ZMR-101", kind="corrupt",
    control=append_to_three_entries,
)  # fmt: skip
def append_to_another_version(log: ZmqRaftLog) -> None:
    """A version that this chapter does not describe."""
    log.set("header.version", 2)
    log.add(DELTA)
    log.expect_refusal("refused", "unsupported-version")


@BOOK.appending(
    last_file_lost, "appending", "ZMR-098", "ZMR-101", kind="corrupt",
    control=append_to_a_directory,
)  # fmt: skip
def append_after_a_lost_file(log: ZmqRaftLog) -> None:
    """The last file is lost as a whole: nobody knows which index comes next."""
    log.add(DELTA)
    log.expect_refusal("damaged", "index-mismatch", survivors=ALL[:7])


@BOOK.appending(
    snapshot_over_everything, "appending", "ZMR-098", "ZMR-101", control=append_to_a_directory
)
def append_after_a_snapshot_over_everything(log: ZmqRaftLog) -> None:
    """The snapshot is at 12 and the last entry is 10: index 13 has no place in the last file."""
    log.add(DELTA)
    log.expect_refusal(survivors=[b"state at 12"])


@BOOK.appending(
    last_file_full, "appending", "ZMR-098", "ZMR-101", kind="corrupt",
    control=append_behind_a_full_file,
)  # fmt: skip
def append_after_a_full_file_with_a_wrong_table(log: ZmqRaftLog) -> None:
    """The last file is full by its count, and its table is wrong: no new file follows it."""
    log.set(f"{FOUR}:offsets[3]", 1)
    log.add(DELTA)
    log.expect_refusal("damaged", "bad-offset", survivors=[0, 1, 2, 3, 4])


@BOOK.appending(
    snapshot_alone, "appending", "ZMR-092", "ZMR-098", kind="eof",
    control=append_to_a_directory,
)  # fmt: skip
def append_after_a_cut_snapshot(log: ZmqRaftLog) -> None:
    """The snapshot lacks a byte and there is no index file: nobody knows which index comes next."""
    log.truncate_in("snap:data", 9)
    log.add(DELTA)
    log.expect_refusal("torn", "torn-snapshot")


# Where a writer goes on


@BOOK.appending(
    cut_in_the_header, "appending", "ZMR-044", "ZMR-101", kind="eof",
    control=append_to_three_entries,
)  # fmt: skip
def append_to_an_unfinished_index_file(log: ZmqRaftLog) -> None:
    """Ten bytes of an index file: it is made again, with the configured capacity."""
    log.add(DELTA, ECHO)
    log.expect("intact", survivors=[b"delta", b"echo"])


@BOOK.appending(
    unfinished_file_too_far_on, "appending", "ZMR-095", "ZMR-098", kind="eof",
    control=append_to_a_directory,
)  # fmt: skip
def append_before_an_unfinished_file(log: ZmqRaftLog) -> None:
    """The unfinished file begins at 12 and the next index is 11: first the room before it."""
    log.add(DELTA, ECHO, entry(b"foxtrot", 2))
    log.expect("intact", survivors=[*ALL, b"delta", b"echo", b"foxtrot"])


@BOOK.appending(
    unfinished_file_after_a_gap, "appending", "ZMR-095", "ZMR-098", kind="eof",
    control=append_behind_a_full_file,
)  # fmt: skip
def append_into_the_gap(log: ZmqRaftLog) -> None:
    """The last file is full and the unfinished one begins at 12: a new file begins at 8."""
    log.add(DELTA, ECHO)
    log.expect("intact", survivors=[*ALL[:7], b"delta", b"echo"])


@BOOK.appending(
    unfinished_and_empty_files, "appending", "ZMR-095", "ZMR-098", kind="eof",
    control=append_behind_a_full_file,
)  # fmt: skip
def append_with_two_spare_files(log: ZmqRaftLog) -> None:
    """A file of no bytes at 8 and an empty one at 12: one is made again, one is deleted."""
    log.add(DELTA, ECHO)
    log.expect("intact", survivors=[*ALL[:7], b"delta", b"echo"])


@BOOK.appending(
    empty_file_with_no_room, "appending", "ZMR-095", "ZMR-098", control=append_behind_a_full_file
)
def append_with_a_spare_file_of_no_room(log: ZmqRaftLog) -> None:
    """The spare file at 8 has a capacity of zero: it is made anew."""
    log.add(DELTA, ECHO)
    log.expect("intact", survivors=[*ALL[:7], b"delta", b"echo"])


@BOOK.appending(
    empty_file_after_a_damaged_one, "appending", "ZMR-095", "ZMR-098", kind="corrupt",
    control=append_behind_a_full_file,
)  # fmt: skip
def append_after_a_damaged_file(log: ZmqRaftLog) -> None:
    """The last file with entries has a wrong table: the next entry goes into the empty one."""
    log.add(DELTA, ECHO)
    log.expect("damaged", "bad-offset", survivors=[0, 1, 2, 6, b"delta", b"echo"])


@BOOK.appending(snapshot_alone, "appending", "ZMR-098", "ZMR-092")
def append_after_a_snapshot_alone(log: ZmqRaftLog) -> None:
    """No index file yet: the first one begins at 6, up to the next multiple of the capacity."""
    log.add(entry(b"delta", 3), entry(b"echo", 3), entry(b"foxtrot", 3))
    log.expect("intact", survivors=[0, b"delta", b"echo", b"foxtrot"])


@BOOK.appending(first_index_of_two_digits, "appending", "ZMR-015", "ZMR-098")
def append_past_sixteen(log: ZmqRaftLog) -> None:
    """Indexes 18 to 20: the third goes into a file of that name in hexadecimal."""
    log.add(DELTA, ECHO, entry(b"foxtrot", 2))
    log.expect("intact", survivors=[*range(6), b"delta", b"echo", b"foxtrot"])


@BOOK.appending(
    only_file_unfinished, "appending", "ZMR-044", "ZMR-098", kind="eof",
    control=append_after_a_snapshot_alone,
)  # fmt: skip
def append_over_the_only_file(log: ZmqRaftLog) -> None:
    """The only index file was never finished: it is made again, with the configured capacity."""
    log.add(entry(b"delta", 3), entry(b"echo", 3))
    log.expect("intact", survivors=[0, b"delta", b"echo"])


@BOOK.appending(a_directory_of_raw_entries, "appending", "ZMR-032", "ZMR-098")
def append_raw_entries_to_a_directory(log: ZmqRaftLog) -> None:
    """Entries without a header, into a directory of such entries."""
    log.add(NewRecord(b"e"), NewRecord(b"ff"))
    log.expect("intact", survivors=[0, 1, 2, 3, b"e", b"ff"])


@BOOK.appending(
    token_of_the_first_file, "appending", "ZMR-098", kind="corrupt", control=append_to_a_directory
)
def append_with_the_first_file_lost(log: ZmqRaftLog) -> None:
    """The first file is lost: the capacity of the second one counts for a new file."""
    log.add(DELTA, ECHO, entry(b"foxtrot", 2))
    log.expect("damaged", "bad-token", survivors=[*ALL[3:], b"delta", b"echo", b"foxtrot"])


# What must not be written


@BOOK.appending(three_files, "appending", "ZMR-020", "ZMR-098", control=append_to_a_directory)
def append_above_the_next_index(log: ZmqRaftLog) -> None:
    """Index 13 after 10: a log has no gaps."""
    log.add(entry(b"delta", 2, index="13"))
    log.expect_refusal(survivors=ALL)


@BOOK.appending(snapshot_in_front, "appending", "ZMR-020", "ZMR-092", control=append_to_a_directory)
def append_below_the_snapshot(log: ZmqRaftLog) -> None:
    """Index 5, which the snapshot covers: nobody rolls back behind a snapshot."""
    log.add(entry(b"delta", 3, index="5"))
    log.expect_refusal(survivors=[0, 1, 2, 3])


@BOOK.appending(three_entries, "appending", "ZMR-013", "ZMR-050", control=append_to_three_entries)
def append_a_term_that_falls(log: ZmqRaftLog) -> None:
    """Term 2, then 1: a reader would return neither, though both were acknowledged."""
    log.add(DELTA, entry(b"echo", 1))
    log.expect_refusal(survivors=[0, 1, 2])


@BOOK.appending(no_entries, "appending", "ZMR-013", "ZMR-052", control=append_to_an_empty_file)
def append_an_entry_of_zeros(log: ZmqRaftLog) -> None:
    """Term 0, no request and no data, after no other term: a reader takes it for a lost write."""
    log.add(NewRecord(b"", {"term": "0"}))
    log.expect_refusal()


@BOOK.appending(no_entries, "appending", "ZMR-013", "ZMR-049", control=append_to_an_empty_file)
def append_a_term_of_zero(log: ZmqRaftLog) -> None:
    """Term 0 after no other term, with a request and data."""
    log.add(entry(b"delta", 0))
    log.expect_refusal()


@BOOK.appending(three_entries, "appending", "ZMR-049", "ZMR-050", control=append_to_three_entries)
def append_after_a_term_of_zero(log: ZmqRaftLog) -> None:
    """The last term reads as 0, and the entry is not rolled back: no term is compared with it."""
    log.zero("data.entries[2].header.term")
    log.add(entry(b"delta", 1))
    log.expect("damaged", "bad-term", survivors=[0, 1, b"delta"])


@BOOK.appending(three_files, "appending", "ZMR-013", "ZMR-050", control=append_to_a_directory)
def append_a_term_that_falls_to_a_directory(log: ZmqRaftLog) -> None:
    """The last entry of the directory has a later term than the one to append."""
    log.add(DELTA, ECHO, entry(b"foxtrot", 1))
    log.expect_refusal(survivors=ALL)


@BOOK.appending(three_files, "appending", "ZMR-020", "ZMR-098", control=append_to_a_directory)
def append_one_entry_and_not_the_next(log: ZmqRaftLog) -> None:
    """The first of two entries could be written, the second not: neither is."""
    log.add(DELTA, entry(b"echo", 2, index="13"))
    log.expect_refusal(survivors=ALL)


@BOOK.appending(five_updates, "appending", "ZMR-072", control=append_an_update)
def append_one_update_and_not_the_next(log: ZmqRaftLog) -> None:
    """The first of two updates could be written, the second is no map: neither is."""
    log.add(NewRecord(UPDATE), NewRecord(b"\x05"))
    log.expect_refusal(survivors=[0, 1, 2, 3, 4])


@BOOK.writing("writing", "ZMR-013", control=write_a_full_index_file)
def write_an_entry_of_no_bytes(log: ZmqRaftLog) -> None:
    """An entry of no bytes has the offset of the one before it."""
    raw = {"entries": "raw", "first_index": "1", "capacity": 4}
    log.refuse(".rlog", NewRecord(b"abc"), NewRecord(b""), **raw)


@BOOK.writing("writing", "ZMR-020", control=write_a_full_index_file)
def write_above_the_next_index(log: ZmqRaftLog) -> None:
    """Index 4 after 1: an index file has no gaps."""
    raw = {"entries": "raw", "first_index": "1", "capacity": 8}
    log.refuse(".rlog", at(1, b"abc"), at(4, b"def"), **raw)


@BOOK.writing("writing", "ZMR-049", control=write_the_largest_term, kind="limit")
def write_a_term_above_the_limit(log: ZmqRaftLog) -> None:
    """A term of 2^53: no reader returns such an entry."""
    log.refuse(".rlog", entry(b"alpha", 2**53), first_index="1", capacity=4)


@BOOK.writing("writing", "ZMR-013", control=write_a_full_index_file, kind="limit")
def write_a_first_index_above_the_limit(log: ZmqRaftLog) -> None:
    """A first index of 2^53 - 4 with a capacity of 4: one more than there is room for."""
    log.refuse(".rlog", entry(b"alpha"), first_index=str(2**53 - 4), capacity=4)


@BOOK.writing("writing", "ZMR-042", control=write_a_snapshot, kind="limit")
def write_a_snapshot_above_the_limit(log: ZmqRaftLog) -> None:
    """A snapshot of index 2^53: no reader returns it."""
    log.refuse(".snap", NewRecord(b"state", {"index": str(2**53), "term": "1"}))


@BOOK.writing("writing", "ZMR-042", control=write_a_snapshot)
def write_a_snapshot_below_zero(log: ZmqRaftLog) -> None:
    """A snapshot of index -1."""
    log.refuse(".snap", NewRecord(b"state", {"index": "-1", "term": "1"}))


@BOOK.writing("writing", "ZMR-061", control=write_a_snapshot)
def write_a_snapshot_of_no_record(log: ZmqRaftLog) -> None:
    """A snapshot is one record: there is no snapshot of none."""
    log.refuse(".snap")


@BOOK.writing("writing", "ZMR-073", control=write_updates, kind="limit")
def write_an_integer_above_the_limit(log: ZmqRaftLog) -> None:
    """2^53 + 1 has no float of its own: another number would be read back."""
    log.refuse(".pers", NewRecord(bytes.fromhex("81a3666f6f cf0020000000000001")))


@BOOK.writing("writing", "ZMR-073", control=write_updates)
def write_an_extension(log: ZmqRaftLog) -> None:
    """An extension, after an update that could be written."""
    log.refuse(".pers", NewRecord(UPDATE), NewRecord(bytes.fromhex("81a3666f6f d40561")))
