"""Chunks between the table and the entries, which a reader skips until it finds the marker."""

from conformance.recipes.zmq_raft.index_files import three_entries
from conformance.recipes.zmq_raft.log import BOOK, ZmqRaftLog
from reference_impl.zmq_raft.layout import chunk

ALL = [0, 1, 2]


def _new_chunk(log: ZmqRaftLog, at: str, new: bytes, what: str) -> None:
    log.insert(log.field(at).start, new, what)


@BOOK.damaged(three_entries, "chunks", "ZMR-003", "ZMR-005")
def no_meta(log: ZmqRaftLog) -> None:
    """An index file has no META chunk. A reader does not need this chunk."""
    log.drop("chunks[0]")
    log.expect("intact", survivors=ALL)


@BOOK.damaged(three_entries, "chunks", "ZMR-003")
def two_metas(log: ZmqRaftLog) -> None:
    """An index file has two META chunks."""
    log.duplicate("chunks[0]")
    log.expect("intact", survivors=ALL)


@BOOK.damaged(three_entries, "chunks", "ZMR-005")
def meta_that_is_no_message_pack(log: ZmqRaftLog) -> None:
    """The data of the META chunk is not MessagePack. A reader ignores this data."""
    log.fill("chunks[0].data", 0xC1)
    log.expect("intact", survivors=ALL)


@BOOK.damaged(three_entries, "chunks", "ZMR-003")
def unknown_chunk(log: ZmqRaftLog) -> None:
    """A chunk with an unknown token and three bytes of padding lies before the marker."""
    _new_chunk(log, "chunks[1]", chunk(b"XTRA", b"alpha"), "a chunk XTRA of five bytes")
    log.expect("intact", survivors=ALL)


@BOOK.damaged(three_entries, "chunks", "ZMR-003")
def a_second_header_chunk(log: ZmqRaftLog) -> None:
    """A second RLOG chunk follows the first. A reader skips the second chunk."""
    second = chunk(b"RLOG", bytes(log.data[8:52]))
    _new_chunk(log, "chunks[0]", second, "a copy of the header chunk")
    log.expect("intact", survivors=ALL)


@BOOK.damaged(three_entries, "chunks", "ZMR-003")
def chunk_of_zeros(log: ZmqRaftLog) -> None:
    """Eight zero bytes before the marker are a chunk with a token of zeros and the length 0."""
    _new_chunk(log, "chunks[1]", bytes(8), "8 zero bytes")
    log.expect("intact", survivors=ALL)


@BOOK.damaged(three_entries, "chunks", "ZMR-003")
def marker_inside_a_chunk(log: ZmqRaftLog) -> None:
    """The data of a chunk begins with ITMZ. A reader does not treat these bytes as the marker."""
    _new_chunk(log, "chunks[1]", chunk(b"XTRA", b"ITMZ" + bytes(8)), "a chunk that holds ITMZ")
    log.expect("intact", survivors=ALL)


@BOOK.damaged(three_entries, "chunks", "ZMR-004")
def padding_that_is_not_zero(log: ZmqRaftLog) -> None:
    """The two padding bytes of the META chunk are ff instead of zero."""
    log.fill("chunks[0].padding", 0xFF)
    log.expect("intact", survivors=ALL)


@BOOK.damaged(three_entries, "chunks", "ZMR-004")
def marker_with_a_length(log: ZmqRaftLog) -> None:
    """The length of the marker is 1,000. A reader ignores this length."""
    log.set("chunks[1].len_data", 1000)
    log.expect("intact", survivors=ALL)


@BOOK.damaged(three_entries, "chunks", "ZMR-001", "ZMR-045")
def chunk_without_its_padding(log: ZmqRaftLog) -> None:
    """The META chunk lacks its padding, so a reader does not find the marker."""
    log.drop("chunks[0].padding")
    log.expect("damaged", "missing-marker", end=None)


@BOOK.damaged(three_entries, "chunks", "ZMR-045")
def chunk_longer_than_the_file(log: ZmqRaftLog) -> None:
    """The length of the META chunk is 2^32 - 1 bytes, so a reader does not find the marker."""
    log.set("chunks[0].len_data", 0xFFFFFFFF)
    log.expect("damaged", "missing-marker", end=None)


@BOOK.damaged(three_entries, "chunks", "ZMR-045")
def chunk_shorter_than_it_was(log: ZmqRaftLog) -> None:
    """The length of the META chunk is 34 bytes instead of 50, so a reader does not find
    the marker.
    """
    log.set("chunks[0].len_data", 34)
    log.expect("damaged", "missing-marker", end=None)


@BOOK.damaged(three_entries, "chunks", "ZMR-045")
def marker_of_another_name(log: ZmqRaftLog) -> None:
    """The token of the marker is ITMX, so a reader does not know where the entries begin."""
    log.set("chunks[1].token", b"ITMX")
    log.expect("damaged", "missing-marker", end=None)


@BOOK.damaged(three_entries, "chunks", "ZMR-045")
def marker_dropped(log: ZmqRaftLog) -> None:
    """An index file has no marker. All its entries are lost."""
    log.drop("chunks[1]")
    log.expect("damaged", "missing-marker", end=None)
