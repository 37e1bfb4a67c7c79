"""Appends and writes that a writer must refuse, and appends after damage and crashes."""

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
from conformance.recipes.zmq_raft.log import APPENDING, FOUR, WRITING, ZmqRaftLog, at, entry
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


@APPENDING.appending(snapshot_of_ten_bytes, "ZMR-064")
def append_to_a_snapshot(log: ZmqRaftLog) -> None:
    """A writer refuses to append an entry to a snapshot."""
    log.add(DELTA)
    log.expect_refusal(survivors=[0])


@APPENDING.appending(tail_of_ff, "ZMR-080", kind="corrupt", control=append_an_update)
def append_to_a_damaged_state_file(log: ZmqRaftLog) -> None:
    """A writer refuses to append to a damaged state file, and does not truncate it."""
    log.add(NewRecord(UPDATE))
    log.expect_refusal("damaged", "not-a-map", survivors=[0, 1, 2, 3, 4])


@APPENDING.appending(
    offset_that_falls, "ZMR-101", "ZMR-046", kind="corrupt", control=append_to_three_entries
)
def append_to_a_wrong_table(log: ZmqRaftLog) -> None:
    """A writer refuses to append to an index file whose offsets decrease."""
    log.add(DELTA)
    log.expect_refusal("damaged", "bad-offset", survivors=[0, 4])


@APPENDING.appending(
    three_entries, "ZMR-042", "ZMR-101", kind="corrupt", control=append_to_three_entries
)
def append_under_a_wrong_length(log: ZmqRaftLog) -> None:
    """A writer refuses to append to an index file with an invalid length, although a reader returns
    its entries."""
    log.set("header.len_body", 48)
    log.add(DELTA)
    log.expect_refusal("damaged", "bad-header", survivors=[0, 1, 2])


@APPENDING.appending(
    three_entries, "ZMR-043", "ZMR-101", kind="corrupt", control=append_to_three_entries
)
def append_under_another_index(log: ZmqRaftLog) -> None:
    """A writer refuses to append to an index file whose first index is 3 in the header and 1 in the
    context."""
    log.set("header.first_index", 3)
    log.add(DELTA)
    log.expect_refusal("damaged", "index-mismatch")


@APPENDING.appending(
    three_entries, "ZMR-041", "ZMR-101", kind="corrupt", control=append_to_three_entries
)
def append_to_another_version(log: ZmqRaftLog) -> None:
    """A writer refuses to append to an index file of version 2."""
    log.set("header.version", 2)
    log.add(DELTA)
    log.expect_refusal("refused", "unsupported-version")


@APPENDING.appending(
    last_file_lost, "ZMR-098", "ZMR-101", kind="corrupt", control=append_to_a_directory
)
def append_after_a_lost_file(log: ZmqRaftLog) -> None:
    """The last file is lost, so the next index is unknown. A writer refuses to append."""
    log.add(DELTA)
    log.expect_refusal("damaged", "index-mismatch", survivors=ALL[:7])


@APPENDING.appending(snapshot_over_everything, "ZMR-098", "ZMR-101", control=append_to_a_directory)
def append_after_a_snapshot_over_everything(log: ZmqRaftLog) -> None:
    """The snapshot is at index 12, and the last entry is 10. A writer refuses to append entry 13 to
    the last file."""
    log.add(DELTA)
    log.expect_refusal(survivors=[b"state at 12"])


@APPENDING.appending(
    last_file_full, "ZMR-098", "ZMR-101", kind="corrupt", control=append_behind_a_full_file
)
def append_after_a_full_file_with_a_wrong_table(log: ZmqRaftLog) -> None:
    """The last file has no free slot, but its last offset is invalid. A writer refuses to append
    and does not create a new file."""
    log.set(f"{FOUR}:offsets[3]", 1)
    log.add(DELTA)
    log.expect_refusal("damaged", "bad-offset", survivors=[0, 1, 2, 3, 4])


@APPENDING.appending(
    last_file_full, "ZMR-098", "ZMR-101", kind="corrupt", control=append_behind_a_full_file
)
def append_after_a_full_file_with_a_wrong_length(log: ZmqRaftLog) -> None:
    """The last file has no free slot, but its length is invalid. A writer refuses to append and
    does not create a new file."""
    log.set(f"{FOUR}:header.len_body", 0)
    log.add(DELTA)
    log.expect_refusal("damaged", "bad-header", survivors=[0, 1, 2, 3, 4, 5, 6])


@APPENDING.appending(
    snapshot_alone, "ZMR-092", "ZMR-098", kind="eof", control=append_to_a_directory
)
def append_after_a_cut_snapshot(log: ZmqRaftLog) -> None:
    """The snapshot lacks its last byte, and there is no index file. A writer refuses to append,
    because the next index is unknown."""
    log.truncate_in("snap:data", 9)
    log.add(DELTA)
    log.expect_refusal("torn", "torn-snapshot")


# Appends after damage and crashes


@APPENDING.appending(
    cut_in_the_header, "ZMR-044", "ZMR-101", kind="eof", control=append_to_three_entries
)
def append_to_an_unfinished_index_file(log: ZmqRaftLog) -> None:
    """Only ten bytes of an index file exist. A writer recreates the file with the configured
    capacity."""
    log.add(DELTA, ECHO)
    log.expect("intact", survivors=[b"delta", b"echo"])


@APPENDING.appending(
    unfinished_file_too_far_on, "ZMR-095", "ZMR-098", kind="eof", control=append_to_a_directory
)
def append_before_an_unfinished_file(log: ZmqRaftLog) -> None:
    """An unfinished spare file begins with index 12, and the next index is 11. A writer first fills
    the last file."""
    log.add(DELTA, ECHO, entry(b"foxtrot", 2))
    log.expect("intact", survivors=[*ALL, b"delta", b"echo", b"foxtrot"])


@APPENDING.appending(
    unfinished_file_after_a_gap, "ZMR-095", "ZMR-098", kind="eof", control=append_behind_a_full_file
)
def append_into_the_gap(log: ZmqRaftLog) -> None:
    """The last file is full, and an unfinished spare file begins with index 12. A writer creates a
    file that begins with index 8."""
    log.add(DELTA, ECHO)
    log.expect("intact", survivors=[*ALL[:7], b"delta", b"echo"])


@APPENDING.appending(
    unfinished_and_empty_files, "ZMR-095", "ZMR-098", kind="eof", control=append_behind_a_full_file
)
def append_with_two_spare_files(log: ZmqRaftLog) -> None:
    """The spare file for index 8 has 0 bytes, and the spare file for index 12 has no entries. A
    writer recreates the first file and deletes the second."""
    log.add(DELTA, ECHO)
    log.expect("intact", survivors=[*ALL[:7], b"delta", b"echo"])


@APPENDING.appending(
    empty_file_with_no_room, "ZMR-095", "ZMR-098", control=append_behind_a_full_file
)
def append_with_a_spare_file_of_no_room(log: ZmqRaftLog) -> None:
    """The spare file for the next index has a capacity of 0. A writer recreates this file."""
    log.add(DELTA, ECHO)
    log.expect("intact", survivors=[*ALL[:7], b"delta", b"echo"])


@APPENDING.appending(
    empty_file_after_a_damaged_one,
    "ZMR-095",
    "ZMR-098",
    kind="corrupt",
    control=append_behind_a_full_file,
)
def append_after_a_damaged_file(log: ZmqRaftLog) -> None:
    """The last file with entries has an invalid offset. A writer appends to the empty spare file
    after it."""
    log.add(DELTA, ECHO)
    log.expect("damaged", "bad-offset", survivors=[0, 1, 2, 6, b"delta", b"echo"])


@APPENDING.appending(snapshot_alone, "ZMR-098", "ZMR-092")
def append_after_a_snapshot_alone(log: ZmqRaftLog) -> None:
    """A directory has a snapshot at index 5 and no index files. A writer creates files that begin
    with the indexes 6 and 8."""
    log.add(entry(b"delta", 3), entry(b"echo", 3), entry(b"foxtrot", 3))
    log.expect("intact", survivors=[0, b"delta", b"echo", b"foxtrot"])


@APPENDING.appending(first_index_of_two_digits, "ZMR-015", "ZMR-098")
def append_past_sixteen(log: ZmqRaftLog) -> None:
    """A writer appends entries 18 to 20. Entry 20 goes into a new file, whose name gives the index
    in hexadecimal, as 14."""
    log.add(DELTA, ECHO, entry(b"foxtrot", 2))
    log.expect("intact", survivors=[*range(6), b"delta", b"echo", b"foxtrot"])


@APPENDING.appending(
    only_file_unfinished, "ZMR-044", "ZMR-098", kind="eof", control=append_after_a_snapshot_alone
)
def append_over_the_only_file(log: ZmqRaftLog) -> None:
    """The only index file of a directory is unfinished. A writer recreates the file with the
    configured capacity."""
    log.add(entry(b"delta", 3), entry(b"echo", 3))
    log.expect("intact", survivors=[0, b"delta", b"echo"])


@APPENDING.appending(a_directory_of_raw_entries, "ZMR-032", "ZMR-098")
def append_raw_entries_to_a_directory(log: ZmqRaftLog) -> None:
    """A writer appends raw entries to a directory with raw entries."""
    log.add(NewRecord(b"e"), NewRecord(b"ff"))
    log.expect("intact", survivors=[0, 1, 2, 3, b"e", b"ff"])


@APPENDING.appending(
    token_of_the_first_file, "ZMR-098", kind="corrupt", control=append_to_a_directory
)
def append_with_the_first_file_lost(log: ZmqRaftLog) -> None:
    """The first index file is lost. A writer uses the capacity of the second file for a new
    file."""
    log.add(DELTA, ECHO, entry(b"foxtrot", 2))
    log.expect("damaged", "bad-token", survivors=[*ALL[3:], b"delta", b"echo", b"foxtrot"])


# Records that a writer must refuse


@APPENDING.appending(three_files, "ZMR-020", "ZMR-098", control=append_to_a_directory)
def append_above_the_next_index(log: ZmqRaftLog) -> None:
    """A writer refuses an entry with index 13 after entry 10, because a log has no gaps."""
    log.add(entry(b"delta", 2, index="13"))
    log.expect_refusal(survivors=ALL)


@APPENDING.appending(snapshot_in_front, "ZMR-020", "ZMR-092", control=append_to_a_directory)
def append_below_the_snapshot(log: ZmqRaftLog) -> None:
    """A writer refuses an entry with index 5, because the snapshot at index 5 covers this index."""
    log.add(entry(b"delta", 3, index="5"))
    log.expect_refusal(survivors=[0, 1, 2, 3])


@APPENDING.appending(three_entries, "ZMR-013", "ZMR-050", control=append_to_three_entries)
def append_a_term_that_falls(log: ZmqRaftLog) -> None:
    """A writer refuses to append entries with the terms 2 and 1, because a reader would return
    neither entry."""
    log.add(DELTA, entry(b"echo", 1))
    log.expect_refusal(survivors=[0, 1, 2])


@APPENDING.appending(no_entries, "ZMR-013", "ZMR-052", control=append_to_an_empty_file)
def append_an_entry_of_zeros(log: ZmqRaftLog) -> None:
    """A writer refuses to append a first entry that consists of zeros, because a reader would not
    return the entry."""
    log.add(NewRecord(b"", {"term": "0"}))
    log.expect_refusal()


@APPENDING.appending(no_entries, "ZMR-013", "ZMR-049", control=append_to_an_empty_file)
def append_a_term_of_zero(log: ZmqRaftLog) -> None:
    """A writer refuses to append a first entry with term 0, a request id and data."""
    log.add(entry(b"delta", 0))
    log.expect_refusal()


@APPENDING.appending(three_entries, "ZMR-049", "ZMR-050", control=append_to_three_entries)
def append_after_a_term_of_zero(log: ZmqRaftLog) -> None:
    """The last entry of an index file has term 0. A writer keeps this entry and appends another
    entry without comparing terms."""
    log.zero("data.entries[2].header.term")
    log.add(entry(b"delta", 1))
    log.expect("damaged", "bad-term", survivors=[0, 1, b"delta"])


@APPENDING.appending(three_files, "ZMR-013", "ZMR-050", control=append_to_a_directory)
def append_a_term_that_falls_to_a_directory(log: ZmqRaftLog) -> None:
    """A writer refuses to append entries with the terms 2, 2 and 1 to a directory."""
    log.add(DELTA, ECHO, entry(b"foxtrot", 1))
    log.expect_refusal(survivors=ALL)


@APPENDING.appending(three_files, "ZMR-020", "ZMR-098", control=append_to_a_directory)
def append_one_entry_and_not_the_next(log: ZmqRaftLog) -> None:
    """The second of two new entries would leave a gap. A writer refuses both entries."""
    log.add(DELTA, entry(b"echo", 2, index="13"))
    log.expect_refusal(survivors=ALL)


@APPENDING.appending(five_updates, "ZMR-072", control=append_an_update)
def append_one_update_and_not_the_next(log: ZmqRaftLog) -> None:
    """The second of two new updates is not a map. A writer refuses both updates."""
    log.add(NewRecord(UPDATE), NewRecord(b"\x05"))
    log.expect_refusal(survivors=[0, 1, 2, 3, 4])


@WRITING.writing("ZMR-013", control=write_a_full_index_file)
def write_an_entry_of_no_bytes(log: ZmqRaftLog) -> None:
    """A writer refuses a raw entry of 0 bytes, because its offset would equal the offset before
    it."""
    raw = {"entries": "raw", "first_index": "1", "capacity": 4}
    log.refuse(".rlog", NewRecord(b"abc"), NewRecord(b""), **raw)


@WRITING.writing("ZMR-020", control=write_a_full_index_file)
def write_above_the_next_index(log: ZmqRaftLog) -> None:
    """A writer refuses an entry with index 4 after entry 1, because an index file has no gaps."""
    raw = {"entries": "raw", "first_index": "1", "capacity": 8}
    log.refuse(".rlog", at(1, b"abc"), at(4, b"def"), **raw)


@WRITING.writing("ZMR-049", control=write_the_largest_term, kind="limit")
def write_a_term_above_the_limit(log: ZmqRaftLog) -> None:
    """A writer refuses an entry with term 2^53, because a reader would not return the entry."""
    log.refuse(".rlog", entry(b"alpha", 2**53), first_index="1", capacity=4)


@WRITING.writing("ZMR-013", control=write_a_full_index_file, kind="limit")
def write_a_first_index_above_the_limit(log: ZmqRaftLog) -> None:
    """A writer refuses a first index of 2^53 - 4 with a configured capacity of 4, because the
    largest first index is 2^53 - 5."""
    log.refuse(".rlog", entry(b"alpha"), first_index=str(2**53 - 4), capacity=4)


@WRITING.writing("ZMR-042", control=write_a_snapshot, kind="limit")
def write_a_snapshot_above_the_limit(log: ZmqRaftLog) -> None:
    """A writer refuses a snapshot with index 2^53, because a reader would not return the
    snapshot."""
    log.refuse(".snap", NewRecord(b"state", {"index": str(2**53), "term": "1"}))


@WRITING.writing("ZMR-042", control=write_a_snapshot)
def write_a_snapshot_below_zero(log: ZmqRaftLog) -> None:
    """A writer refuses a snapshot with index -1."""
    log.refuse(".snap", NewRecord(b"state", {"index": "-1", "term": "1"}))


@WRITING.writing("ZMR-061", control=write_a_snapshot)
def write_a_snapshot_of_no_record(log: ZmqRaftLog) -> None:
    """A writer refuses to write a snapshot file without a record."""
    log.refuse(".snap")


@WRITING.writing("ZMR-073", control=write_updates, kind="limit")
def write_an_integer_above_the_limit(log: ZmqRaftLog) -> None:
    """A writer refuses the integer 2^53 + 1, which a 64-bit float cannot represent exactly."""
    log.refuse(".pers", NewRecord(bytes.fromhex("81a3666f6f cf0020000000000001")))


@WRITING.writing("ZMR-073", control=write_updates)
def write_an_extension(log: ZmqRaftLog) -> None:
    """The second of two updates to write has an extension. A writer refuses both updates."""
    log.refuse(".pers", NewRecord(UPDATE), NewRecord(bytes.fromhex("81a3666f6f d40561")))
