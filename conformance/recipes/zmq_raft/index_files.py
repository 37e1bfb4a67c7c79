"""Intact index files: header, table, entries and limits."""

from conformance.recipes.zmq_raft.log import (
    CHECKPOINT,
    CONFIG,
    ENTRIES_GROUP,
    INDEX_FILE,
    LIMITS,
    ZmqRaftLog,
    at,
    checkpoint,
    entry,
    stored,
)


@INDEX_FILE.valid("ZMR-010", "ZMR-011", "ZMR-012", "ZMR-030", "ZMR-100", "ZMR-105")
def three_entries(log: ZmqRaftLog) -> None:
    """An index file with three entries and a capacity of seven."""
    log.index_file(entry(b"alpha"), entry(b"bravo"), entry(b"charlie", 2), capacity=8)
    log.expect("intact", survivors=[0, 1, 2], end=197)


@INDEX_FILE.valid("ZMR-010", "ZMR-011", "ZMR-101")
def no_entries(log: ZmqRaftLog) -> None:
    """A new index file without entries. Its table consists of eight zeros."""
    log.index_file(first=8, capacity=8)
    log.expect("intact", end=124)


@INDEX_FILE.valid("ZMR-011", "ZMR-101")
def full_to_its_capacity(log: ZmqRaftLog) -> None:
    """An index file is filled to its capacity. The end is null, because the next entry goes into a
    new file."""
    log.index_file(entry(b"alpha"), entry(b"bravo"), entry(b"charlie"))
    log.expect("intact", survivors=[0, 1, 2], end=None)


@INDEX_FILE.valid("ZMR-030", "ZMR-031")
def an_entry_of_each_type(log: ZmqRaftLog) -> None:
    """An index file with a checkpoint, a config entry and a state entry."""
    peers = bytes.fromhex("9192a27031b47463703a2f2f3132372e302e302e313a38303437")
    log.index_file(checkpoint(1), entry(peers, 1, CONFIG), entry(b"alpha"))
    log.expect("intact", survivors=[0, 1, 2])


@INDEX_FILE.valid("ZMR-031")
def an_entry_of_type_seven(log: ZmqRaftLog) -> None:
    """An entry has type 7, which zmq-raft does not write. A reader returns the entry."""
    log.index_file(entry(b"alpha"), entry(b"bravo", 1, 7), entry(b"charlie"))
    log.expect("intact", survivors=[0, 1, 2])


@INDEX_FILE.valid("ZMR-033")
def an_entry_without_data(log: ZmqRaftLog) -> None:
    """An entry of exactly 20 bytes has a header and an empty payload."""
    log.index_file(entry(b"alpha"), entry(b""), entry(b"charlie"))
    log.expect("intact", survivors=[0, 1, 2])


@INDEX_FILE.valid("ZMR-032")
def entries_without_a_header(log: ZmqRaftLog) -> None:
    """An index file with raw entries, as written without FileLog. One entry is only one byte
    long."""
    log.raw_index_file(b"a", b"bb", b"ccc")
    log.expect("intact", survivors=[0, 1, 2])


@INDEX_FILE.valid("ZMR-013", "ZMR-032")
def first_index_of_zero(log: ZmqRaftLog) -> None:
    """An index file begins with index 0, which is valid although FileLog begins with index 1."""
    log.raw_index_file(b"zero", b"one", first=0)
    log.expect("intact", survivors=[0, 1])


@INDEX_FILE.valid("ZMR-002", "ZMR-010", "ZMR-015")
def first_index_above_32_bits(log: ZmqRaftLog) -> None:
    """The first index is 2^32 + 5. A reader uses both 32-bit halves of the number."""
    log.index_file(entry(b"alpha"), entry(b"bravo"), first=2**32 + 5, capacity=8)
    log.expect("intact", survivors=[0, 1])


@LIMITS.valid("ZMR-013", kind="limit")
def largest_first_index(log: ZmqRaftLog) -> None:
    """The first index is 2^53 - 9, the largest value for a configured capacity of eight."""
    log.index_file(entry(b"alpha"), first=2**53 - 9, capacity=8)
    log.expect("intact", survivors=[0])


@INDEX_FILE.valid("ZMR-014")
def capacity_to_the_next_multiple(log: ZmqRaftLog) -> None:
    """A file that begins with index 21 has the capacity 11 if the configured capacity is 16. The
    next file begins with index 32."""
    log.index_file(entry(b"alpha"), first=21, capacity=16)
    log.expect("intact", survivors=[0])


@INDEX_FILE.valid("ZMR-014", kind="limit")
def capacity_of_one(log: ZmqRaftLog) -> None:
    """An index file with the smallest configured capacity, one, is full after one entry."""
    log.index_file(entry(b"alpha"), first=5, capacity=1)
    log.expect("intact", survivors=[0], end=None)


@LIMITS.valid("ZMR-010", kind="limit")
def capacity_of_nothing(log: ZmqRaftLog) -> None:
    """An index file has the capacity 0 and no table. A reader accepts the file, although no writer
    creates such a file."""
    log.index_file(capacity=1)
    log.data[12:16] = bytes(4)
    log.data[4:8] = (16).to_bytes(4, "little")
    del log.data[24:28]
    log.context.pop("capacity")
    log.expect("intact", end=None)


@LIMITS.valid("ZMR-030", "ZMR-049", kind="limit")
def largest_term(log: ZmqRaftLog) -> None:
    """An entry has the term 2^53 - 1, the largest safe integer of JavaScript."""
    log.index_file(entry(b"alpha"), entry(b"bravo", 2**53 - 1))
    log.expect("intact", survivors=[0, 1])


@LIMITS.valid("ZMR-103", kind="limit")
def a_thousand_entries(log: ZmqRaftLog) -> None:
    """An index file with a thousand entries, each with one byte of data."""
    log.index_file(*(entry(bytes([n % 256])) for n in range(1000)), capacity=1024)
    log.expect("intact", survivors=list(range(1000)))


@INDEX_FILE.valid("ZMR-016", "ZMR-019")
def rolled_back(log: ZmqRaftLog) -> None:
    """Two entries are rolled back. Their offsets are zero, but their bytes are still in the
    file."""
    log.raw_index_file(b"a", b"bb", b"ccc", first=0)
    log.data[28:36] = bytes(8)
    log.expect("intact", survivors=[0], end=109)
    log.note("zmq-raft leaves exactly these bytes.")


@INDEX_FILE.valid("ZMR-020")
def written_again_at_a_lower_index(log: ZmqRaftLog) -> None:
    """A writer rolled back to index 2 and wrote a new entry over the old bytes."""
    log.raw_index_file(b"abc", b"def", b"ghi")
    log.go_on(at(2, b"XY"))
    log.expect("intact", survivors=[b"abc", b"XY"])


@INDEX_FILE.valid("ZMR-016")
def bytes_that_were_never_committed(log: ZmqRaftLog) -> None:
    """The bytes of an entry are in the file, but its offset is not in the table. A reader does not
    return the entry."""
    log.index_file(entry(b"alpha"), entry(b"bravo"), capacity=8)
    log.data += stored(entry(b"charlie"))
    log.expect("intact", survivors=[0, 1], end=170)


@INDEX_FILE.valid("ZMR-017")
def old_offsets_behind_a_zero(log: ZmqRaftLog) -> None:
    """An unfinished rollback left offsets after the first zero in the table. A reader ignores these
    offsets."""
    log.raw_index_file(b"abc", b"def", b"ghi", b"jkl", capacity=8)
    log.data[28:32] = bytes(4)
    log.expect("intact", survivors=[0])
    log.note(
        "A lost offset would leave the same table, so a reader cannot distinguish the two cases."
    )


@INDEX_FILE.valid("ZMR-017")
def falling_offsets_behind_a_zero(log: ZmqRaftLog) -> None:
    """Offsets after the first zero in the table decrease, or exceed the size of the file. A reader
    ignores these offsets."""
    log.raw_index_file(b"abc", b"def", capacity=8)
    for number, offset in ((3, 12), (4, 9), (6, 0xFFFFFFFF)):
        log.data[24 + 4 * number : 28 + 4 * number] = offset.to_bytes(4, "little")
    log.expect("intact", survivors=[0, 1])


@INDEX_FILE.valid("ZMR-018", "ZMR-017")
def an_append_clears_the_next_offsets(log: ZmqRaftLog) -> None:
    """A writer has appended an entry and zeroed the old offsets up to the next zero. The old offset
    after that zero remains."""
    log.raw_index_file(b"abc", capacity=8)
    for number, offset in enumerate((3, 0, 6, 9, 0, 12)):
        log.data[24 + 4 * number : 28 + 4 * number] = offset.to_bytes(4, "little")
    log.go_on(at(2, b"d"))
    assert [log.data[24 + 4 * n] for n in range(6)] == [3, 4, 0, 0, 0, 12]
    log.expect("intact", survivors=[0, 1])


@ENTRIES_GROUP.valid("ZMR-030")
def checkpoint_without_a_request(log: ZmqRaftLog) -> None:
    """Two checkpoints have a request id of twelve zeros, because no client sent them."""
    log.index_file(checkpoint(3), entry(b"alpha", 3, CHECKPOINT))
    log.expect("intact", survivors=[0, 1])
