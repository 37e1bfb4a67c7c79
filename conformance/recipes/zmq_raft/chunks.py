"""Chunks between the table and the entries. A reader skips these chunks until it finds the
marker."""

from conformance.recipes.zmq_raft.index_files import three_entries
from conformance.recipes.zmq_raft.log import CHUNKS, ZmqRaftLog
from reference_impl.zmq_raft.layout import chunk

ALL = [0, 1, 2]


def _new_chunk(log: ZmqRaftLog, at: str, new: bytes) -> None:
    log.insert(log.field(at).start, new)


@CHUNKS.damaged(three_entries, "ZMR-003")
def unknown_chunk(log: ZmqRaftLog) -> None:
    """A chunk with an unknown token and three bytes of padding lies before the marker."""
    _new_chunk(log, "chunks[1]", chunk(b"XTRA", b"alpha"))
    log.expect("intact", survivors=ALL)


@CHUNKS.damaged(three_entries, "ZMR-003")
def a_second_header_chunk(log: ZmqRaftLog) -> None:
    """A second RLOG chunk follows the first. A reader skips the second chunk."""
    second = chunk(b"RLOG", bytes(log.data[8:52]))
    _new_chunk(log, "chunks[0]", second)
    log.expect("intact", survivors=ALL)


@CHUNKS.damaged(three_entries, "ZMR-003")
def chunk_of_zeros(log: ZmqRaftLog) -> None:
    """Eight zero bytes before the marker form a chunk with a token of zeros and the length 0."""
    _new_chunk(log, "chunks[1]", bytes(8))
    log.expect("intact", survivors=ALL)


@CHUNKS.damaged(three_entries, "ZMR-003")
def marker_inside_a_chunk(log: ZmqRaftLog) -> None:
    """The data of a chunk begins with ITMZ. A reader does not treat these bytes as the marker."""
    _new_chunk(log, "chunks[1]", chunk(b"XTRA", b"ITMZ" + bytes(8)))
    log.expect("intact", survivors=ALL)


@CHUNKS.damaged(three_entries, "ZMR-045")
def chunk_longer_than_the_file(log: ZmqRaftLog) -> None:
    """The length of the META chunk is 2^32 - 1 bytes, so a reader does not find the marker."""
    log.set("chunks[0].len_data", 0xFFFFFFFF)
    log.expect("damaged", "missing-marker", end=None)


CHUNKS.table("""
no_meta: three_entries ZMR-003 ZMR-005
    An index file has no META chunk. A reader does not need this chunk.
    damage: drop chunks[0]
    expect: intact, survivors 0-2
two_metas: three_entries ZMR-003
    An index file has two META chunks.
    damage: duplicate chunks[0]
    expect: intact, survivors 0-2
meta_that_is_no_message_pack: three_entries ZMR-005
    The data of the META chunk is not MessagePack. A reader ignores this data.
    damage: fill chunks[0].data with c1
    expect: intact, survivors 0-2
padding_that_is_not_zero: three_entries ZMR-004
    The two padding bytes of the META chunk are ff instead of zero.
    damage: fill chunks[0].padding with ff
    expect: intact, survivors 0-2
marker_with_a_length: three_entries ZMR-004
    The length of the marker is 1,000. A reader ignores this length.
    damage: set chunks[1].len_data to 1000
    expect: intact, survivors 0-2
chunk_without_its_padding: three_entries ZMR-001 ZMR-045
    The META chunk lacks its padding, so a reader does not find the marker.
    damage: drop chunks[0].padding
    expect: damaged missing-marker, no survivors, end none
chunk_shorter_than_it_was: three_entries ZMR-045
    The length of the META chunk is 34 bytes instead of 50, so a reader does not find the marker.
    damage: set chunks[0].len_data to 34
    expect: damaged missing-marker, no survivors, end none
marker_of_another_name: three_entries ZMR-045
    The token of the marker is ITMX, so a reader does not know where the entries begin.
    damage: set chunks[1].token to 49 54 4d 58
    expect: damaged missing-marker, no survivors, end none
marker_dropped: three_entries ZMR-045
    An index file has no marker. All its entries are lost.
    damage: drop chunks[1]
    expect: damaged missing-marker, no survivors, end none
""")
