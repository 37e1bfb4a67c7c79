"""Snapshots: intact, damaged and torn."""

from conformance.recipes.zmq_raft.log import BOOK, ZmqRaftLog, with_bit_0_flipped
from reference_impl.zmq_raft.layout import chunk


@BOOK.valid("snapshot", "ZMR-060", "ZMR-061", "ZMR-064", "ZMR-105")
def snapshot_of_ten_bytes(log: ZmqRaftLog) -> None:
    """A snapshot with ten bytes of data at index 42 and term 100, as zmq-raft writes it."""
    log.snapshot(b"0123456789", 42, 100)
    log.expect("intact", survivors=[0], end=None)


@BOOK.valid("snapshot", "ZMR-061")
def snapshot_of_nothing(log: ZmqRaftLog) -> None:
    """A snapshot with index 0, term 0 and no data, as FileLog creates it."""
    log.snapshot(b"", 0, 0)
    log.expect("intact", survivors=[0], end=None)


@BOOK.valid("limits", "ZMR-002", "ZMR-061", kind="limit")
def largest_index_and_term(log: ZmqRaftLog) -> None:
    """A snapshot with an index and a term of 2^53 - 1, the largest safe integer of JavaScript."""
    log.snapshot(b"0123456789", 2**53 - 1, 2**53 - 1)
    log.expect("intact", survivors=[0])


@BOOK.damaged(snapshot_of_ten_bytes, "snapshot", "ZMR-042")
def snapshot_index_above_the_limit(log: ZmqRaftLog) -> None:
    """The index of a snapshot is 2^53, above the limit of 2^53 - 1."""
    log.set("header.index", 2**53)
    log.expect("damaged", "bad-header", end=None)


@BOOK.damaged(snapshot_of_ten_bytes, "snapshot", "ZMR-042")
def snapshot_term_above_the_limit(log: ZmqRaftLog) -> None:
    """Bit 63 of a snapshot's term is flipped, so the term exceeds the limit of 2^53 - 1."""
    log.flip("header.term", 63)
    log.expect("damaged", "bad-header", end=None)


@BOOK.damaged(snapshot_of_ten_bytes, "snapshot", "ZMR-042", "ZMR-044")
def snapshot_header_wrong_and_no_marker(log: ZmqRaftLog) -> None:
    """The length of the SNAP chunk is invalid, and the file ends before the marker. A reader checks
    the length first.
    """
    log.set("header.len_body", 24)
    log.truncate_in("chunks[0].data", 30)
    log.expect("damaged", "bad-header", end=None)


@BOOK.damaged(snapshot_of_ten_bytes, "torn-tail", "ZMR-044", "ZMR-041", kind="eof")
def snapshot_version_two_in_a_cut_header(log: ZmqRaftLog) -> None:
    """The header of a snapshot has version 2 but only 35 of 36 bytes. The code is torn-header,
    because a reader checks the file size first.
    """
    log.set("header.version", 2)
    log.truncate(35)
    log.expect("torn", "torn-header", end=None)


@BOOK.damaged(snapshot_of_ten_bytes, "torn-tail", "ZMR-044", kind="eof")
def snapshot_cut_after_its_header(log: ZmqRaftLog) -> None:
    """A snapshot ends directly after its header."""
    log.truncate(36)
    log.expect("torn", "torn-header", end=None)


@BOOK.damaged(snapshot_of_ten_bytes, "torn-tail", "ZMR-041", "ZMR-044", "ZMR-105", kind="eof")
def snapshot_cut_in_its_token(log: ZmqRaftLog) -> None:
    """A snapshot ends after two bytes of the token SNAP."""
    log.truncate(2)
    log.expect("torn", "torn-header", end=None)


@BOOK.damaged(snapshot_of_ten_bytes, "snapshot", "ZMR-041")
def snapshot_of_another_token_cut(log: ZmqRaftLog) -> None:
    """A .snap file contains only two bytes, which do not begin the token SNAP. A reader refuses the
    file.
    """
    log.set("header.token", b"SXAP")
    log.truncate(2)
    log.expect("refused", "bad-token", end=None)


@BOOK.damaged(snapshot_of_ten_bytes, "snapshot", "ZMR-041")
def snapshot_version_zero(log: ZmqRaftLog) -> None:
    """The version of a snapshot is 0. A reader refuses the file."""
    log.set("header.version", 0)
    log.expect("refused", "unsupported-version", end=None)


@BOOK.damaged(snapshot_of_ten_bytes, "snapshot", "ZMR-003", "ZMR-005")
def snapshot_without_meta(log: ZmqRaftLog) -> None:
    """A snapshot has no META chunk."""
    log.drop("chunks[0]")
    log.expect("intact", survivors=[0])


@BOOK.damaged(snapshot_of_ten_bytes, "snapshot", "ZMR-003")
def snapshot_with_an_unknown_chunk(log: ZmqRaftLog) -> None:
    """The data of an unknown chunk begins with DATA. A reader does not treat these bytes as the
    marker of the snapshot.
    """
    log.insert(log.field("chunks[1]").start, chunk(b"XTRA", b"DATA" + bytes(5)), "a chunk XTRA")
    log.expect("intact", survivors=[0])


@BOOK.damaged(snapshot_of_ten_bytes, "snapshot", "ZMR-004")
def snapshot_marker_with_a_length(log: ZmqRaftLog) -> None:
    """The length of a snapshot's marker is ten. A reader ignores this length."""
    log.set("chunks[1].len_data", 10)
    log.expect("intact", survivors=[0])


@BOOK.damaged(snapshot_of_ten_bytes, "snapshot", "ZMR-003")
def two_markers(log: ZmqRaftLog) -> None:
    """A snapshot has two markers. The second marker is part of the data, which exceeds the size."""
    log.duplicate("chunks[1]")
    log.expect("damaged", "size-mismatch", end=None)


@BOOK.damaged(snapshot_of_ten_bytes, "snapshot", "ZMR-041")
def snapshot_token_of_another_file(log: ZmqRaftLog) -> None:
    """The first token is SNAQ. A reader refuses the file, although its name ends in .snap."""
    log.set("header.token", b"SNAQ")
    log.expect("refused", "bad-token", end=None)


@BOOK.damaged(snapshot_of_ten_bytes, "snapshot", "ZMR-041")
def snapshot_version_two(log: ZmqRaftLog) -> None:
    """The version of a snapshot is 2. A reader refuses the file."""
    log.set("header.version", 2)
    log.expect("refused", "unsupported-version", end=None)


@BOOK.damaged(snapshot_of_ten_bytes, "snapshot", "ZMR-042", "ZMR-060")
def snapshot_length_of_the_source_document(log: ZmqRaftLog) -> None:
    """The length of the SNAP chunk is 36, as in the source document, instead of 28."""
    log.set("header.len_body", 36)
    log.expect("damaged", "bad-header", end=None)


@BOOK.damaged(snapshot_of_ten_bytes, "torn-tail", "ZMR-044", kind="eof")
def snapshot_cut_in_its_header(log: ZmqRaftLog) -> None:
    """A snapshot ends after 20 bytes, inside its header."""
    log.truncate(20)
    log.expect("torn", "torn-header", end=None)


@BOOK.damaged(snapshot_of_ten_bytes, "torn-tail", "ZMR-044", kind="eof")
def snapshot_cut_before_its_marker(log: ZmqRaftLog) -> None:
    """A snapshot ends inside META, before the marker."""
    log.truncate_in("chunks[0].data", 30)
    log.expect("torn", "torn-header", end=None)


@BOOK.damaged(snapshot_of_ten_bytes, "torn-tail", "ZMR-062", kind="eof")
def snapshot_cut_in_its_data(log: ZmqRaftLog) -> None:
    """The data of a snapshot lacks its last byte. A reader returns none of the data."""
    log.truncate(113)
    log.expect("torn", "torn-snapshot", end=None)


@BOOK.damaged(snapshot_of_ten_bytes, "torn-tail", "ZMR-062", kind="eof")
def snapshot_declared_and_not_written(log: ZmqRaftLog) -> None:
    """A snapshot ends directly after its marker, although its size is ten bytes."""
    log.truncate_in("data", 0)
    log.expect("torn", "torn-snapshot", end=None)
    log.note("zmq-raft creates a snapshot of known size in this way. The lost range is empty.")


@BOOK.damaged(snapshot_of_ten_bytes, "torn-tail", "ZMR-062", kind="eof")
def snapshot_stream_unfinished(log: ZmqRaftLog) -> None:
    """A snapshot has data but the size 0. A writer sets the size of a streamed snapshot only after
    the stream has ended.
    """
    log.zero("header.len_data")
    log.expect("torn", "torn-snapshot", end=None)


@BOOK.damaged(snapshot_of_ten_bytes, "snapshot", "ZMR-063")
def byte_behind_a_snapshot(log: ZmqRaftLog) -> None:
    """A snapshot has one byte of data more than its size. All its data is lost."""
    log.extend(b"!", "one byte")
    log.expect("damaged", "size-mismatch", end=None)


@BOOK.damaged(snapshot_of_ten_bytes, "snapshot", "ZMR-063")
def snapshot_size_too_small(log: ZmqRaftLog) -> None:
    """Bit 3 of a snapshot's size is flipped, so the size is 2 instead of 10."""
    log.flip("header.len_data", 3)
    log.expect("damaged", "size-mismatch", end=None)


@BOOK.damaged(snapshot_of_ten_bytes, "limits", "ZMR-062", "ZMR-103", kind="limit")
def snapshot_size_of_exabytes(log: ZmqRaftLog) -> None:
    """The size of a snapshot is 2^62 bytes. A reader allocates no memory for bytes that are not in
    the file.
    """
    log.set("header.len_data", 1 << 62)
    log.expect("torn", "torn-snapshot", end=None)


@BOOK.damaged(snapshot_of_ten_bytes, "undetected", "ZMR-051")
def bit_of_a_snapshot(log: ZmqRaftLog) -> None:
    """Bit 0 of a snapshot's data is flipped. No checksum covers the data, so a reader returns the
    changed byte.
    """
    log.flip("data", 0)
    log.expect("intact", survivors=[with_bit_0_flipped(log.payloads[0])])


@BOOK.damaged(snapshot_of_ten_bytes, "snapshot", "ZMR-002", "ZMR-042")
def snapshot_index_with_the_highest_bit(log: ZmqRaftLog) -> None:
    """Bit 63 of a snapshot's index is flipped. The index is unsigned and exceeds the limit of 2^53
    - 1.
    """
    log.flip("header.index", 63)
    log.expect("damaged", "bad-header", end=None)


@BOOK.damaged(snapshot_of_ten_bytes, "limits", "ZMR-002", "ZMR-062", kind="limit")
def snapshot_size_with_the_highest_bit(log: ZmqRaftLog) -> None:
    """Bit 63 of a snapshot's size is flipped. The size is unsigned, so the snapshot has less data
    than its size.
    """
    log.flip("header.len_data", 63)
    log.expect("torn", "torn-snapshot", end=None)
