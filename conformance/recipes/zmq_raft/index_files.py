"""Undamaged index files: header, table, entries, limits."""

from conformance.recipes.zmq_raft.log import (
    BOOK,
    CHECKPOINT,
    CONFIG,
    ZmqRaftLog,
    at,
    checkpoint,
    entry,
    stored,
)


@BOOK.valid("index-file", "ZMR-010", "ZMR-011", "ZMR-012", "ZMR-030", "ZMR-100", "ZMR-105")
def three_entries(log: ZmqRaftLog) -> None:
    """Three entries in an index file with room for seven."""
    log.index_file(entry(b"alpha"), entry(b"bravo"), entry(b"charlie", 2), capacity=8)
    log.expect("intact", survivors=[0, 1, 2], end=197)


@BOOK.valid("index-file", "ZMR-010", "ZMR-011", "ZMR-101")
def no_entries(log: ZmqRaftLog) -> None:
    """An index file that was just made: eight offsets of zero."""
    log.index_file(first=8, capacity=8)
    log.expect("intact", end=124)


@BOOK.valid("index-file", "ZMR-011", "ZMR-101")
def full_to_its_capacity(log: ZmqRaftLog) -> None:
    """As many entries as the table has offsets: the next one belongs in a new file."""
    log.index_file(entry(b"alpha"), entry(b"bravo"), entry(b"charlie"))
    log.expect("intact", survivors=[0, 1, 2], end=None)


@BOOK.valid("index-file", "ZMR-030", "ZMR-031")
def an_entry_of_each_type(log: ZmqRaftLog) -> None:
    """A checkpoint, a configuration and a state entry."""
    peers = bytes.fromhex("9192a27031b47463703a2f2f3132372e302e302e313a38303437")
    log.index_file(checkpoint(1), entry(peers, 1, CONFIG), entry(b"alpha"))
    log.expect("intact", survivors=[0, 1, 2])


@BOOK.valid("index-file", "ZMR-031")
def an_entry_of_type_seven(log: ZmqRaftLog) -> None:
    """A type that zmq-raft does not write is returned as it stands."""
    log.index_file(entry(b"alpha"), entry(b"bravo", 1, 7), entry(b"charlie"))
    log.expect("intact", survivors=[0, 1, 2])


@BOOK.valid("index-file", "ZMR-033")
def an_entry_without_data(log: ZmqRaftLog) -> None:
    """Exactly twenty bytes: a header, and a payload of nothing."""
    log.index_file(entry(b"alpha"), entry(b""), entry(b"charlie"))
    log.expect("intact", survivors=[0, 1, 2])


@BOOK.valid("index-file", "ZMR-032")
def entries_without_a_header(log: ZmqRaftLog) -> None:
    """An index file used without FileLog: entries are bytes, one of them a single byte."""
    log.raw_index_file(b"a", b"bb", b"ccc")
    log.expect("intact", survivors=[0, 1, 2])


@BOOK.valid("index-file", "ZMR-013", "ZMR-032")
def first_index_of_zero(log: ZmqRaftLog) -> None:
    """Index 0 is legal in an index file; FileLog begins with 1."""
    log.raw_index_file(b"zero", b"one", first=0)
    log.expect("intact", survivors=[0, 1])


@BOOK.valid("index-file", "ZMR-002", "ZMR-010", "ZMR-015")
def first_index_above_32_bits(log: ZmqRaftLog) -> None:
    """Both halves of the first index count: 2^32 + 5."""
    log.index_file(entry(b"alpha"), entry(b"bravo"), first=2**32 + 5, capacity=8)
    log.expect("intact", survivors=[0, 1])


@BOOK.valid("limits", "ZMR-013", kind="limit")
def largest_first_index(log: ZmqRaftLog) -> None:
    """The largest first index of a file with room for eight: 2^53 - 8 - 1."""
    log.index_file(entry(b"alpha"), first=2**53 - 9, capacity=8)
    log.expect("intact", survivors=[0])


@BOOK.valid("index-file", "ZMR-014")
def capacity_to_the_next_multiple(log: ZmqRaftLog) -> None:
    """Configured for 16, begun at index 21: room for eleven, so that the next file begins at 32."""
    log.index_file(entry(b"alpha"), first=21, capacity=16)
    log.expect("intact", survivors=[0])


@BOOK.valid("index-file", "ZMR-014", kind="limit")
def capacity_of_one(log: ZmqRaftLog) -> None:
    """The smallest capacity: one entry, and the file is full."""
    log.index_file(entry(b"alpha"), first=5, capacity=1)
    log.expect("intact", survivors=[0], end=None)


@BOOK.valid("limits", "ZMR-010", kind="limit")
def capacity_of_nothing(log: ZmqRaftLog) -> None:
    """A table without offsets: no writer makes it, and nothing is wrong with it."""
    log.index_file(capacity=1)
    log.data[12:16] = bytes(4)
    log.data[4:8] = (16).to_bytes(4, "little")
    del log.data[24:28]
    log.context.pop("capacity")
    log.expect("intact", end=None)


@BOOK.valid("limits", "ZMR-030", "ZMR-049", kind="limit")
def largest_term(log: ZmqRaftLog) -> None:
    """A term of 2^53 - 1, the largest number that JavaScript counts to."""
    log.index_file(entry(b"alpha"), entry(b"bravo", 2**53 - 1))
    log.expect("intact", survivors=[0, 1])


@BOOK.valid("limits", "ZMR-103", kind="limit")
def a_thousand_entries(log: ZmqRaftLog) -> None:
    """A thousand entries of one byte of data."""
    log.index_file(*(entry(bytes([n % 256])) for n in range(1000)), capacity=1024)
    log.expect("intact", survivors=list(range(1000)))


@BOOK.valid("index-file", "ZMR-016", "ZMR-019")
def rolled_back(log: ZmqRaftLog) -> None:
    """Two entries were rolled back: their offsets are zero, their bytes are still there."""
    log.raw_index_file(b"a", b"bb", b"ccc", first=0)
    log.data[28:36] = bytes(8)
    log.expect("intact", survivors=[0], end=109)
    log.note("Byte for byte what zmq-raft leaves behind.")


@BOOK.valid("index-file", "ZMR-020")
def written_again_at_a_lower_index(log: ZmqRaftLog) -> None:
    """Index 2 was written again: rolled back first, then over the old bytes."""
    log.raw_index_file(b"abc", b"def", b"ghi")
    log.go_on(at(2, b"XY"))
    log.expect("intact", survivors=[b"abc", b"XY"])


@BOOK.valid("index-file", "ZMR-016")
def bytes_that_were_never_committed(log: ZmqRaftLog) -> None:
    """An entry was written and its offset was not: the log ends before it."""
    log.index_file(entry(b"alpha"), entry(b"bravo"), capacity=8)
    log.data += stored(entry(b"charlie"))
    log.expect("intact", survivors=[0, 1], end=170)


@BOOK.valid("index-file", "ZMR-017")
def old_offsets_behind_a_zero(log: ZmqRaftLog) -> None:
    """An unfinished rollback left offsets after the first zero: they mean nothing."""
    log.raw_index_file(b"abc", b"def", b"ghi", b"jkl", capacity=8)
    log.data[28:32] = bytes(4)
    log.expect("intact", survivors=[0])
    log.note("A lost offset looks the same: the table cannot tell the two apart.")


@BOOK.valid("index-file", "ZMR-017")
def falling_offsets_behind_a_zero(log: ZmqRaftLog) -> None:
    """What stands after the first zero need not even rise."""
    log.raw_index_file(b"abc", b"def", capacity=8)
    for number, offset in ((3, 12), (4, 9), (6, 0xFFFFFFFF)):
        log.data[24 + 4 * number : 28 + 4 * number] = offset.to_bytes(4, "little")
    log.expect("intact", survivors=[0, 1])


@BOOK.valid("index-file", "ZMR-018", "ZMR-017")
def an_append_clears_the_next_offsets(log: ZmqRaftLog) -> None:
    """Offsets up to the next zero are cleared with an append; one far beyond stays."""
    log.raw_index_file(b"abc", capacity=8)
    for number, offset in enumerate((3, 0, 6, 9, 0, 12)):
        log.data[24 + 4 * number : 28 + 4 * number] = offset.to_bytes(4, "little")
    log.go_on(at(2, b"d"))
    assert [log.data[24 + 4 * n] for n in range(6)] == [3, 4, 0, 0, 0, 12]
    log.expect("intact", survivors=[0, 1])


@BOOK.valid("entries", "ZMR-030")
def checkpoint_without_a_request(log: ZmqRaftLog) -> None:
    """Twelve zeros for a request id: nobody asked for this entry."""
    log.index_file(checkpoint(3), entry(b"alpha", 3, CHECKPOINT))
    log.expect("intact", survivors=[0, 1])
