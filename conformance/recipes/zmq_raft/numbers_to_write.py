"""Writer vectors for default values, and for the limits of the values that a writer accepts."""

from conformance.recipes.zmq_raft.log import WRITING, ZmqRaftLog, at, entry
from conformance.recipes.zmq_raft.writing import (
    META,
    write_a_directory,
    write_a_full_index_file,
    write_a_snapshot,
    write_two_entries,
)
from reference_impl.answer import NewRecord

#: The start of an RLOG chunk whose table has one offset, up to the first index.
ONE_ROOM = "524c4f47140000000100000001000000"


# Capacities and first indexes


@WRITING.writing("ZMR-014", "ZMR-021")
def write_with_the_default_capacity(log: ZmqRaftLog) -> None:
    """A writer uses the default capacity of 16,384, so a file that begins with index 16,383 gets
    the capacity 1."""
    log.write(".rlog", [NewRecord(b"a")], {"first_index": "16383", "entries": "raw"})
    log.expect_bytes(
        bytes.fromhex(f"{ONE_ROOM} ff3f000000000000 01000000 {META} 49544d5a00000000 61")
    )


@WRITING.writing("ZMR-013", "ZMR-014", kind="limit")
def write_with_the_largest_capacity(log: ZmqRaftLog) -> None:
    """A writer accepts a configured capacity of 16,777,215. A file that begins with index
    16,777,214 gets the capacity 1."""
    log.raw_index_file(b"a", first=0xFFFFFE, capacity=0xFFFFFF)


@WRITING.writing("ZMR-013", control=write_with_the_largest_capacity, kind="limit")
def write_with_a_larger_capacity(log: ZmqRaftLog) -> None:
    """A writer refuses a configured capacity of 16,777,216."""
    raw = {"entries": "raw", "first_index": str(0xFFFFFF), "capacity": 0x1000000}
    log.refuse(".rlog", NewRecord(b"a"), **raw)


@WRITING.writing("ZMR-013", "ZMR-014", kind="limit")
def write_with_a_capacity_of_one(log: ZmqRaftLog) -> None:
    """A writer accepts a configured capacity of one."""
    log.raw_index_file(b"a", first=5, capacity=1)


@WRITING.writing("ZMR-013", control=write_with_a_capacity_of_one, kind="limit")
def write_with_a_capacity_of_nothing(log: ZmqRaftLog) -> None:
    """A writer refuses a configured capacity of zero, even without entries."""
    log.refuse(".rlog", first_index="5", capacity=0)


@WRITING.writing("ZMR-013", "ZMR-021", kind="limit")
def write_from_index_zero(log: ZmqRaftLog) -> None:
    """A writer accepts a first index of 0, the smallest first index."""
    log.raw_index_file(b"a", first=0)


@WRITING.writing("ZMR-013", control=write_from_index_zero, kind="limit")
def write_from_a_negative_index(log: ZmqRaftLog) -> None:
    """A writer refuses a first index of -1."""
    log.refuse(".rlog", NewRecord(b"a"), entries="raw", first_index="-1", capacity=4)


@WRITING.writing("ZMR-013", "ZMR-014", kind="limit")
def write_from_the_largest_first_index(log: ZmqRaftLog) -> None:
    """A writer accepts a first index of 2^53 - 5, the largest first index for a configured capacity
    of 4."""
    log.raw_index_file(b"a", first=2**53 - 5)


@WRITING.writing("ZMR-098", control=write_a_directory)
def write_a_directory_of_capacity_three(log: ZmqRaftLog) -> None:
    """A writer refuses a capacity of three for a directory, because three is not a power of two."""
    log.refuse("", entry(b"alpha"), capacity=3)


# First index of a new index file


@WRITING.writing("ZMR-015", "ZMR-020")
def write_from_the_index_of_the_first_record(log: ZmqRaftLog) -> None:
    """Neither the name nor the context gives a first index. A writer begins the file with the index
    of the first record."""
    log.write(".rlog", [at(6, b"a"), at(7, b"bb")], {"entries": "raw", "capacity": 4})


@WRITING.writing("ZMR-015", "ZMR-021")
def write_records_without_an_index(log: ZmqRaftLog) -> None:
    """The name, the context and the first record give no index. A writer begins the file with index
    1."""
    log.write(".rlog", [NewRecord(b"a")], {"entries": "raw", "capacity": 4})


@WRITING.writing("ZMR-015", "ZMR-021")
def write_no_records_without_an_index(log: ZmqRaftLog) -> None:
    """The name and the context give no index, and there are no records. A writer begins the file
    with index 1."""
    log.write(".rlog", [], {"capacity": 4})


# Kinds and names


@WRITING.writing("ZMR-105", "ZMR-021")
def write_an_index_file_of_another_name(log: ZmqRaftLog) -> None:
    """The name of a new log gives no kind, and the context declares the log to be an index file. A
    writer writes an index file."""
    log.write(".entries", [NewRecord(b"a")], {"kind": "index", "entries": "raw", "capacity": 4})


@WRITING.writing("ZMR-105", "ZMR-090")
def write_a_directory_with_a_name_of_others(log: ZmqRaftLog) -> None:
    """The name of a new log is "snapped", which is not the name of a snapshot. A writer creates a
    directory."""
    log.name = "snapped"
    log.write("", [entry(b"alpha")], {"capacity": 4})


@WRITING.writing("ZMR-060", control=write_a_snapshot)
def write_two_snapshots(log: ZmqRaftLog) -> None:
    """A writer refuses two records for a snapshot file."""
    log.refuse(".snap", *[NewRecord(b"state", {"index": "5", "term": "1"})] * 2)


# Entries


@WRITING.writing("ZMR-030")
def write_an_entry_of_which_nothing_is_said(log: ZmqRaftLog) -> None:
    """A writer gives an entry without fields the term 1, the type 0 and a request id of zeros."""
    log.index_file(NewRecord(b"alpha"), first=7, capacity=8)
    log.expect_bytes(
        bytes.fromhex(
            f"{ONE_ROOM} 0700000000000000 19000000 {META} 49544d5a00000000"
            f"{'00' * 12} 00 01000000000000 616c706861"
        )
    )


@WRITING.writing("ZMR-030", "ZMR-031", kind="limit")
def write_terms_and_types_at_the_edges(log: ZmqRaftLog) -> None:
    """A writer accepts the terms 1, 2, 256 and 2^40, whose lowest bytes decrease, and the types 0
    and 255."""
    terms = {1: 0, 2: 255, 256: 1, 2**40: 2}
    log.index_file(*(entry(b"a", term, kind) for term, kind in terms.items()), first=4)


@WRITING.writing("ZMR-013", "ZMR-049", control=write_two_entries, kind="limit")
def write_a_term_of_zero(log: ZmqRaftLog) -> None:
    """A writer refuses an entry with term 0, because a reader would not return the entry."""
    _one_entry(log, term="0")


@WRITING.writing("ZMR-013", "ZMR-052", control=write_two_entries)
def write_an_entry_of_zeros(log: ZmqRaftLog) -> None:
    """A writer refuses a first entry whose header and payload consist of zeros."""
    log.refuse(".rlog", NewRecord(bytes(4), {"term": "0"}), first_index="1", capacity=4)


def _one_entry(log: ZmqRaftLog, **fields: object) -> None:
    log.refuse(".rlog", NewRecord(b"alpha", fields), first_index="1", capacity=4)


@WRITING.writing("ZMR-030", control=write_two_entries, kind="limit")
def write_a_negative_term(log: ZmqRaftLog) -> None:
    """A writer refuses an entry with term -1."""
    _one_entry(log, term="-1")


@WRITING.writing("ZMR-030", control=write_two_entries, kind="limit")
def write_a_type_of_two_bytes(log: ZmqRaftLog) -> None:
    """A writer refuses an entry with type 256."""
    _one_entry(log, entry_type=256)


@WRITING.writing("ZMR-030", control=write_two_entries, kind="limit")
def write_a_negative_type(log: ZmqRaftLog) -> None:
    """A writer refuses an entry with type -1."""
    _one_entry(log, entry_type=-1)


@WRITING.writing("ZMR-030", control=write_two_entries, kind="limit")
def write_a_request_of_eleven_bytes(log: ZmqRaftLog) -> None:
    """A writer refuses an entry with a request id of eleven bytes."""
    _one_entry(log, request_id="5bab9dc8aabbcc12340000")


def _terms(log: ZmqRaftLog, *terms: int) -> None:
    entries = [entry(b"%d" % number, term) for number, term in enumerate(terms)]
    log.refuse(".rlog", *entries, first_index="1", capacity=8)


@WRITING.writing("ZMR-013", "ZMR-050", control=write_two_entries)
def write_a_second_term_that_falls(log: ZmqRaftLog) -> None:
    """A writer refuses entries with the terms 2 and 1."""
    _terms(log, 2, 1)


@WRITING.writing("ZMR-013", "ZMR-050", control=write_two_entries)
def write_a_third_term_that_falls(log: ZmqRaftLog) -> None:
    """A writer refuses entries with the terms 1, 2 and 1."""
    _terms(log, 1, 2, 1)


@WRITING.writing("ZMR-013", "ZMR-050", control=write_two_entries, kind="limit")
def write_a_term_below_the_largest(log: ZmqRaftLog) -> None:
    """A writer refuses an entry with term 1 after an entry with the largest term, 2^53 - 1."""
    _terms(log, 2**53 - 1, 1)


@WRITING.writing("ZMR-032", "ZMR-052")
def write_raw_zeros(log: ZmqRaftLog) -> None:
    """A writer accepts a raw entry whose bytes look like a header with term 2, and then a raw entry
    of zeros, because raw entries have no term."""
    log.raw_index_file(b"\xff" * 13 + b"\x02" + bytes(6), bytes(24), first=5, capacity=8)


# Rollbacks


@WRITING.writing("ZMR-019", "ZMR-020", kind="limit")
def write_and_fill_again(log: ZmqRaftLog) -> None:
    """A writer rolls back a full index file to its second entry and fills the file again."""
    words = (b"abc", b"def", b"ghi", b"jkl", at(5, b"XY"), b"Z", b"W")
    log.raw_index_file(*words, first=4)
    log.expect_bytes(
        bytes.fromhex(
            "524c4f472000000001000000040000000400000000000000 03000000 05000000 06000000 07000000"
            f"{META} 49544d5a00000000 6162635859 5a 57 6869 6a6b6c"
        )
    )


@WRITING.writing("ZMR-013", "ZMR-019", control=write_and_fill_again, kind="limit")
def write_more_than_there_is_room_for(log: ZmqRaftLog) -> None:
    """A writer refuses to replace the last two entries of a full index file with three entries."""
    words = (b"abc", b"def", b"ghi", b"jkl")
    records = [*map(NewRecord, words), at(6, b"XY"), NewRecord(b"Z"), NewRecord(b"W")]
    log.refuse(".rlog", *records, entries="raw", first_index="4", capacity=4)


@WRITING.writing("ZMR-020", control=write_a_full_index_file)
def write_below_the_first_index(log: ZmqRaftLog) -> None:
    """A writer refuses an entry with index 4 in a file that begins with index 5."""
    raw = {"entries": "raw", "first_index": "5", "capacity": 8}
    log.refuse(".rlog", NewRecord(b"abc"), at(4, b"def"), **raw)


# Directories


@WRITING.writing("ZMR-092", "ZMR-098")
def write_what_a_reader_returned(log: ZmqRaftLog) -> None:
    """The first record has an index and no type. A writer that creates a directory writes this
    record as the snapshot."""
    state = NewRecord(b"state at 5", {"index": "5", "term": "3"})
    log.write("", [state, entry(b"six", 3, index="6")], {"capacity": 4})


@WRITING.writing("ZMR-092", "ZMR-098")
def write_a_snapshot_alone_as_a_record(log: ZmqRaftLog) -> None:
    """The only record has an index and no type. A writer creates a directory with this record as
    the snapshot and no entries."""
    log.write("", [NewRecord(b"state at 5", {"index": "5", "term": "3"})], {"capacity": 4})


@WRITING.writing("ZMR-030", "ZMR-098")
def write_an_entry_that_says_its_index(log: ZmqRaftLog) -> None:
    """The first record has an index and a type. A writer that creates a directory writes this
    record as an entry."""
    log.write("", [entry(b"alpha", index="1"), entry(b"bravo", index="2")], {"capacity": 4})


@WRITING.writing("ZMR-030", "ZMR-098")
def write_a_directory_of_which_nothing_is_said(log: ZmqRaftLog) -> None:
    """The first record has neither an index nor a type. A writer that creates a directory writes
    this record as an entry of term 1 and type 0."""
    log.write("", [NewRecord(b"alpha"), at(2, b"bravo")], {"capacity": 4})


@WRITING.writing("ZMR-014", "ZMR-098")
def write_a_directory_of_the_default_capacity(log: ZmqRaftLog) -> None:
    """A writer uses the default capacity of 16,384, so the first file after a snapshot at index
    16,382 gets the capacity 1."""
    snapshot = {"index": "16382", "term": "1", "payload": b"state".hex()}
    log.write("", [entry(b"alpha")], {"snapshot": snapshot})
