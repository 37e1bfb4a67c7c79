"""Snapshots: one record, or none."""

from conformance.recipes.zmq_raft.log import BOOK, ZmqRaftLog, with_bit_0_flipped
from reference_impl.zmq_raft.layout import chunk


@BOOK.valid("snapshot", "ZMR-060", "ZMR-061", "ZMR-064", "ZMR-105")
def snapshot_of_ten_bytes(log: ZmqRaftLog) -> None:
    """The snapshot that zmq-raft writes at index 42, term 100."""
    log.snapshot(b"0123456789", 42, 100)
    log.expect("intact", survivors=[0], end=None)


@BOOK.valid("snapshot", "ZMR-061")
def snapshot_of_nothing(log: ZmqRaftLog) -> None:
    """What FileLog creates by itself: index 0, term 0, no data."""
    log.snapshot(b"", 0, 0)
    log.expect("intact", survivors=[0], end=None)


@BOOK.valid("limits", "ZMR-002", "ZMR-061", kind="limit")
def largest_index_and_term(log: ZmqRaftLog) -> None:
    """Index and term of 2^53 - 1, the largest number that JavaScript counts to."""
    log.snapshot(b"0123456789", 2**53 - 1, 2**53 - 1)
    log.expect("intact", survivors=[0])


@BOOK.damaged(snapshot_of_ten_bytes, "snapshot", "ZMR-042")
def snapshot_index_above_the_limit(log: ZmqRaftLog) -> None:
    """An index of 2^53: no writer can count that far."""
    log.set("header.index", 2**53)
    log.expect("damaged", "bad-header", end=None)


@BOOK.damaged(snapshot_of_ten_bytes, "snapshot", "ZMR-042")
def snapshot_term_above_the_limit(log: ZmqRaftLog) -> None:
    """One high bit of the term: no writer can count that far."""
    log.flip("header.term", 63)
    log.expect("damaged", "bad-header", end=None)


@BOOK.damaged(snapshot_of_ten_bytes, "snapshot", "ZMR-042", "ZMR-044")
def snapshot_header_wrong_and_no_marker(log: ZmqRaftLog) -> None:
    """The length is wrong and the file ends before its marker: the header is judged first."""
    log.set("header.len_body", 24)
    log.truncate_in("chunks[0].data", 30)
    log.expect("damaged", "bad-header", end=None)


@BOOK.damaged(snapshot_of_ten_bytes, "torn-tail", "ZMR-044", "ZMR-041", kind="eof")
def snapshot_version_two_in_a_cut_header(log: ZmqRaftLog) -> None:
    """35 bytes of a header of version 2: it is judged when it is whole."""
    log.set("header.version", 2)
    log.truncate(35)
    log.expect("torn", "torn-header", end=None)


@BOOK.damaged(snapshot_of_ten_bytes, "torn-tail", "ZMR-044", kind="eof")
def snapshot_cut_after_its_header(log: ZmqRaftLog) -> None:
    """The header is whole, and nothing follows."""
    log.truncate(36)
    log.expect("torn", "torn-header", end=None)


@BOOK.damaged(snapshot_of_ten_bytes, "torn-tail", "ZMR-041", "ZMR-044", "ZMR-105", kind="eof")
def snapshot_cut_in_its_token(log: ZmqRaftLog) -> None:
    """Two bytes of the token: what is there of it fits."""
    log.truncate(2)
    log.expect("torn", "torn-header", end=None)


@BOOK.damaged(snapshot_of_ten_bytes, "snapshot", "ZMR-041")
def snapshot_of_another_token_cut(log: ZmqRaftLog) -> None:
    """Two bytes that do not begin the token."""
    log.set("header.token", b"SXAP")
    log.truncate(2)
    log.expect("refused", "bad-token", end=None)


@BOOK.damaged(snapshot_of_ten_bytes, "snapshot", "ZMR-041")
def snapshot_version_zero(log: ZmqRaftLog) -> None:
    """A version that never was."""
    log.set("header.version", 0)
    log.expect("refused", "unsupported-version", end=None)


@BOOK.damaged(snapshot_of_ten_bytes, "snapshot", "ZMR-003", "ZMR-005")
def snapshot_without_meta(log: ZmqRaftLog) -> None:
    """The marker follows the header at once."""
    log.drop("chunks[0]")
    log.expect("intact", survivors=[0])


@BOOK.damaged(snapshot_of_ten_bytes, "snapshot", "ZMR-003")
def snapshot_with_an_unknown_chunk(log: ZmqRaftLog) -> None:
    """A chunk whose data reads DATA stands before the marker."""
    log.insert(log.field("chunks[1]").start, chunk(b"XTRA", b"DATA" + bytes(5)), "a chunk XTRA")
    log.expect("intact", survivors=[0])


@BOOK.damaged(snapshot_of_ten_bytes, "snapshot", "ZMR-004")
def snapshot_marker_with_a_length(log: ZmqRaftLog) -> None:
    """The marker DATA claims ten bytes: its length is not looked at."""
    log.set("chunks[1].len_data", 10)
    log.expect("intact", survivors=[0])


@BOOK.damaged(snapshot_of_ten_bytes, "snapshot", "ZMR-003")
def two_markers(log: ZmqRaftLog) -> None:
    """The first of two markers counts: the other one is data, and there is too much of it."""
    log.duplicate("chunks[1]")
    log.expect("damaged", "size-mismatch", end=None)


@BOOK.damaged(snapshot_of_ten_bytes, "snapshot", "ZMR-041")
def snapshot_token_of_another_file(log: ZmqRaftLog) -> None:
    """The first token is SNAQ."""
    log.set("header.token", b"SNAQ")
    log.expect("refused", "bad-token", end=None)


@BOOK.damaged(snapshot_of_ten_bytes, "snapshot", "ZMR-041")
def snapshot_version_two(log: ZmqRaftLog) -> None:
    """A version that this chapter does not describe."""
    log.set("header.version", 2)
    log.expect("refused", "unsupported-version", end=None)


@BOOK.damaged(snapshot_of_ten_bytes, "snapshot", "ZMR-042", "ZMR-060")
def snapshot_length_of_the_source_document(log: ZmqRaftLog) -> None:
    """The length is 36, as the source document has it; the real one is 28."""
    log.set("header.len_body", 36)
    log.expect("damaged", "bad-header", end=None)


@BOOK.damaged(snapshot_of_ten_bytes, "torn-tail", "ZMR-044", kind="eof")
def snapshot_cut_in_its_header(log: ZmqRaftLog) -> None:
    """Twenty bytes are there."""
    log.truncate(20)
    log.expect("torn", "torn-header", end=None)


@BOOK.damaged(snapshot_of_ten_bytes, "torn-tail", "ZMR-044", kind="eof")
def snapshot_cut_before_its_marker(log: ZmqRaftLog) -> None:
    """The file ends in META."""
    log.truncate_in("chunks[0].data", 30)
    log.expect("torn", "torn-header", end=None)


@BOOK.damaged(snapshot_of_ten_bytes, "torn-tail", "ZMR-062", kind="eof")
def snapshot_cut_in_its_data(log: ZmqRaftLog) -> None:
    """One byte of the data is missing: nothing of it is returned."""
    log.truncate(113)
    log.expect("torn", "torn-snapshot", end=None)


@BOOK.damaged(snapshot_of_ten_bytes, "torn-tail", "ZMR-062", kind="eof")
def snapshot_declared_and_not_written(log: ZmqRaftLog) -> None:
    """Header and marker are there, and none of the ten bytes that were promised."""
    log.truncate_in("data", 0)
    log.expect("torn", "torn-snapshot", end=None)
    log.note("zmq-raft makes a snapshot of known size so; the lost range is empty.")


@BOOK.damaged(snapshot_of_ten_bytes, "torn-tail", "ZMR-062", kind="eof")
def snapshot_stream_unfinished(log: ZmqRaftLog) -> None:
    """Data after a size of zero: the size of a stream is written when it has ended."""
    log.zero("header.len_data")
    log.expect("torn", "torn-snapshot", end=None)


@BOOK.damaged(snapshot_of_ten_bytes, "snapshot", "ZMR-063")
def byte_behind_a_snapshot(log: ZmqRaftLog) -> None:
    """One byte more than the size says: the size or the data is wrong."""
    log.extend(b"!", "one byte")
    log.expect("damaged", "size-mismatch", end=None)


@BOOK.damaged(snapshot_of_ten_bytes, "snapshot", "ZMR-063")
def snapshot_size_too_small(log: ZmqRaftLog) -> None:
    """One bit of the size: 2 instead of 10."""
    log.flip("header.len_data", 3)
    log.expect("damaged", "size-mismatch", end=None)


@BOOK.damaged(snapshot_of_ten_bytes, "limits", "ZMR-062", "ZMR-103", kind="limit")
def snapshot_size_of_exabytes(log: ZmqRaftLog) -> None:
    """The size claims 2^62 bytes: reading costs no memory."""
    log.set("header.len_data", 1 << 62)
    log.expect("torn", "torn-snapshot", end=None)


@BOOK.damaged(snapshot_of_ten_bytes, "undetected", "ZMR-051")
def bit_of_a_snapshot(log: ZmqRaftLog) -> None:
    """No checksum covers the data of a snapshot."""
    log.flip("data", 0)
    log.expect("intact", survivors=[with_bit_0_flipped(log.payloads[0])])


@BOOK.damaged(snapshot_of_ten_bytes, "snapshot", "ZMR-002", "ZMR-042")
def snapshot_index_with_the_highest_bit(log: ZmqRaftLog) -> None:
    """The highest bit of the index: it has no sign, and is far above the limit."""
    log.flip("header.index", 63)
    log.expect("damaged", "bad-header", end=None)


@BOOK.damaged(snapshot_of_ten_bytes, "limits", "ZMR-002", "ZMR-062", kind="limit")
def snapshot_size_with_the_highest_bit(log: ZmqRaftLog) -> None:
    """The highest bit of the size: it has no sign, and the data is far from whole."""
    log.flip("header.len_data", 63)
    log.expect("torn", "torn-snapshot", end=None)
