"""The chunks between the table and the entries: most of what they hold does not matter."""

from conformance.recipes.zmq_raft.index_files import three_entries
from conformance.recipes.zmq_raft.log import BOOK, ZmqRaftLog
from reference_impl.zmq_raft.layout import chunk

ALL = [0, 1, 2]


def _new_chunk(log: ZmqRaftLog, at: str, new: bytes, what: str) -> None:
    log.insert(log.field(at).start, new, what)


@BOOK.damaged(three_entries, "chunks", "ZMR-003", "ZMR-005")
def no_meta(log: ZmqRaftLog) -> None:
    """The marker follows the table at once: META is not needed."""
    log.drop("chunks[0]")
    log.expect("intact", survivors=ALL)


@BOOK.damaged(three_entries, "chunks", "ZMR-003")
def two_metas(log: ZmqRaftLog) -> None:
    """META stands there twice."""
    log.duplicate("chunks[0]")
    log.expect("intact", survivors=ALL)


@BOOK.damaged(three_entries, "chunks", "ZMR-005")
def meta_that_is_no_message_pack(log: ZmqRaftLog) -> None:
    """A reader of entries does not look into META."""
    log.fill("chunks[0].data", 0xC1)
    log.expect("intact", survivors=ALL)


@BOOK.damaged(three_entries, "chunks", "ZMR-003")
def unknown_chunk(log: ZmqRaftLog) -> None:
    """A chunk with an unknown token, and three bytes of padding."""
    _new_chunk(log, "chunks[1]", chunk(b"XTRA", b"alpha"), "a chunk XTRA of five bytes")
    log.expect("intact", survivors=ALL)


@BOOK.damaged(three_entries, "chunks", "ZMR-003")
def a_second_header_chunk(log: ZmqRaftLog) -> None:
    """Another RLOG chunk is a chunk like any other."""
    second = chunk(b"RLOG", bytes(log.data[8:52]))
    _new_chunk(log, "chunks[0]", second, "a copy of the header chunk")
    log.expect("intact", survivors=ALL)


@BOOK.damaged(three_entries, "chunks", "ZMR-003")
def chunk_of_zeros(log: ZmqRaftLog) -> None:
    """Eight zeros are a chunk: token zero, length zero."""
    _new_chunk(log, "chunks[1]", bytes(8), "8 zero bytes")
    log.expect("intact", survivors=ALL)


@BOOK.damaged(three_entries, "chunks", "ZMR-003")
def marker_inside_a_chunk(log: ZmqRaftLog) -> None:
    """ITMZ as data of a chunk is not the marker."""
    _new_chunk(log, "chunks[1]", chunk(b"XTRA", b"ITMZ" + bytes(8)), "a chunk that holds ITMZ")
    log.expect("intact", survivors=ALL)


@BOOK.damaged(three_entries, "chunks", "ZMR-004")
def padding_that_is_not_zero(log: ZmqRaftLog) -> None:
    """The two bytes after META are ff."""
    log.fill("chunks[0].padding", 0xFF)
    log.expect("intact", survivors=ALL)


@BOOK.damaged(three_entries, "chunks", "ZMR-004")
def marker_with_a_length(log: ZmqRaftLog) -> None:
    """The marker claims 1000 bytes of data: its length is not looked at."""
    log.set("chunks[1].len_data", 1000)
    log.expect("intact", survivors=ALL)


@BOOK.damaged(three_entries, "chunks", "ZMR-001", "ZMR-045")
def chunk_without_its_padding(log: ZmqRaftLog) -> None:
    """The padding of META is missing: from there on no chunk is found where it should be."""
    log.drop("chunks[0].padding")
    log.expect("damaged", "missing-marker", end=None)


@BOOK.damaged(three_entries, "chunks", "ZMR-045")
def chunk_longer_than_the_file(log: ZmqRaftLog) -> None:
    """META claims 4 GiB: the marker is not found."""
    log.set("chunks[0].len_data", 0xFFFFFFFF)
    log.expect("damaged", "missing-marker", end=None)


@BOOK.damaged(three_entries, "chunks", "ZMR-045")
def chunk_shorter_than_it_was(log: ZmqRaftLog) -> None:
    """META claims 34 bytes: the next chunk is sought in the middle of its data."""
    log.set("chunks[0].len_data", 34)
    log.expect("damaged", "missing-marker", end=None)


@BOOK.damaged(three_entries, "chunks", "ZMR-045")
def marker_of_another_name(log: ZmqRaftLog) -> None:
    """One letter of the marker is wrong: where the entries begin is unknown."""
    log.set("chunks[1].token", b"ITMX")
    log.expect("damaged", "missing-marker", end=None)


@BOOK.damaged(three_entries, "chunks", "ZMR-045")
def marker_dropped(log: ZmqRaftLog) -> None:
    """The marker is gone, and the entries with it."""
    log.drop("chunks[1]")
    log.expect("damaged", "missing-marker", end=None)
