"""Snapshots: intact, damaged and torn."""

from conformance.recipes.zmq_raft.log import (
    LIMITS,
    SNAPSHOT,
    TORN_TAIL,
    UNDETECTED,
    ZmqRaftLog,
    with_bit_0_flipped,
)
from reference_impl.zmq_raft.layout import chunk


@SNAPSHOT.valid("ZMR-060", "ZMR-061", "ZMR-064", "ZMR-105")
def snapshot_of_ten_bytes(log: ZmqRaftLog) -> None:
    """A snapshot with ten bytes of data at index 42 and term 100, as zmq-raft writes it."""
    log.snapshot(b"0123456789", 42, 100)
    log.expect("intact", survivors=[0], end=None)


@SNAPSHOT.valid("ZMR-061")
def snapshot_of_nothing(log: ZmqRaftLog) -> None:
    """A snapshot with index 0, term 0 and no data, as FileLog creates it."""
    log.snapshot(b"", 0, 0)
    log.expect("intact", survivors=[0], end=None)


@LIMITS.valid("ZMR-002", "ZMR-061", kind="limit")
def largest_index_and_term(log: ZmqRaftLog) -> None:
    """A snapshot with an index and a term of 2^53 - 1, the largest safe integer of JavaScript."""
    log.snapshot(b"0123456789", 2**53 - 1, 2**53 - 1)
    log.expect("intact", survivors=[0])


@SNAPSHOT.damaged(snapshot_of_ten_bytes, "ZMR-042")
def snapshot_index_above_the_limit(log: ZmqRaftLog) -> None:
    """The index of a snapshot is 2^53, above the limit of 2^53 - 1."""
    log.set("header.index", 2**53)
    log.expect("damaged", "bad-header", end=None)


@SNAPSHOT.damaged(snapshot_of_ten_bytes, "ZMR-003")
def snapshot_with_an_unknown_chunk(log: ZmqRaftLog) -> None:
    """The data of an unknown chunk begins with DATA. A reader does not treat these bytes as the
    marker of the snapshot."""
    log.insert(log.field("chunks[1]").start, chunk(b"XTRA", b"DATA" + bytes(5)))
    log.expect("intact", survivors=[0])


TORN_TAIL.table("""
snapshot_version_two_in_a_cut_header: snapshot_of_ten_bytes ZMR-044 ZMR-041
    The header of a snapshot has version 2, but is only 35 of 36 bytes long. The code is
    torn-header, because a reader checks the file size first.
    damage: set header.version to 2
    damage: truncate at 35
    expect: torn torn-header, no survivors, end none
snapshot_cut_after_its_header: snapshot_of_ten_bytes ZMR-044
    A snapshot ends directly after its header.
    damage: truncate at 36
    expect: torn torn-header, no survivors, end none
snapshot_cut_in_its_token: snapshot_of_ten_bytes ZMR-041 ZMR-044 ZMR-105
    A snapshot ends after two bytes of the token SNAP.
    damage: truncate at 2
    expect: torn torn-header, no survivors, end none
snapshot_cut_in_its_header: snapshot_of_ten_bytes ZMR-044
    A snapshot ends after 20 bytes, inside its header.
    damage: truncate at 20
    expect: torn torn-header, no survivors, end none
snapshot_cut_before_its_marker: snapshot_of_ten_bytes ZMR-044
    A snapshot ends inside META, before the marker.
    damage: truncate 30 bytes into chunks[0].data
    expect: torn torn-header, no survivors, end none
snapshot_cut_in_its_data: snapshot_of_ten_bytes ZMR-062
    The data of a snapshot lacks its last byte. A reader returns none of the data.
    damage: truncate at 113
    expect: torn torn-snapshot, no survivors, end none
snapshot_declared_and_not_written: snapshot_of_ten_bytes ZMR-062
    A snapshot ends directly after its marker, although its size is ten bytes.
    damage: truncate 0 bytes into data
    expect: torn torn-snapshot, no survivors, end none
    note: zmq-raft creates a snapshot of known size in this way. The lost range is empty.
snapshot_stream_unfinished: snapshot_of_ten_bytes ZMR-062
    A snapshot has data but the size 0. A writer sets the size of a streamed snapshot only after the
    stream has ended.
    damage: zero header.len_data
    expect: torn torn-snapshot, no survivors, end none
""")


@LIMITS.damaged(snapshot_of_ten_bytes, "ZMR-062", "ZMR-103", kind="limit")
def snapshot_size_of_exabytes(log: ZmqRaftLog) -> None:
    """The size of a snapshot is 2^62 bytes. A reader allocates no memory for bytes that are not in
    the file."""
    log.set("header.len_data", 1 << 62)
    log.expect("torn", "torn-snapshot", end=None)


@UNDETECTED.damaged(snapshot_of_ten_bytes, "ZMR-051")
def bit_of_a_snapshot(log: ZmqRaftLog) -> None:
    """Bit 0 of a snapshot's data is flipped. No checksum covers the data, so a reader returns the
    changed byte."""
    log.flip("data", 0)
    log.expect("intact", survivors=[with_bit_0_flipped(log.payloads[0])])


@LIMITS.damaged(snapshot_of_ten_bytes, "ZMR-002", "ZMR-062", kind="limit")
def snapshot_size_with_the_highest_bit(log: ZmqRaftLog) -> None:
    """Bit 63 of a snapshot's size is flipped. The size is unsigned, so the snapshot has less data
    than its size claims."""
    log.flip("header.len_data", 63)
    log.expect("torn", "torn-snapshot", end=None)


SNAPSHOT.table("""
snapshot_term_above_the_limit: snapshot_of_ten_bytes ZMR-042
    Bit 63 of a snapshot's term is flipped, so the term exceeds the limit of 2^53 - 1.
    damage: flip bit 63 of header.term
    expect: damaged bad-header, no survivors, end none
snapshot_header_wrong_and_no_marker: snapshot_of_ten_bytes ZMR-042 ZMR-044
    The length of the SNAP chunk is invalid, and the file ends before the marker. A reader checks
    the length first.
    damage: set header.len_body to 24
    damage: truncate 30 bytes into chunks[0].data
    expect: damaged bad-header, no survivors, end none
snapshot_of_another_token_cut: snapshot_of_ten_bytes ZMR-041
    A .snap file contains only two bytes, which do not begin the token SNAP. A reader refuses the
    file.
    damage: set header.token to 53 58 41 50
    damage: truncate at 2
    expect: refused bad-token, no survivors, end none
snapshot_version_zero: snapshot_of_ten_bytes ZMR-041
    The version of a snapshot is 0. A reader refuses the file.
    damage: set header.version to 0
    expect: refused unsupported-version, no survivors, end none
snapshot_without_meta: snapshot_of_ten_bytes ZMR-003 ZMR-005
    A snapshot has no META chunk.
    damage: drop chunks[0]
    expect: intact, survivors 0
snapshot_marker_with_a_length: snapshot_of_ten_bytes ZMR-004
    The length of a snapshot's marker is ten. A reader ignores this length.
    damage: set chunks[1].len_data to 10
    expect: intact, survivors 0
two_markers: snapshot_of_ten_bytes ZMR-003
    A snapshot has two markers. The second marker is part of the data, which exceeds the size.
    damage: duplicate chunks[1]
    expect: damaged size-mismatch, no survivors, end none
snapshot_token_of_another_file: snapshot_of_ten_bytes ZMR-041
    The first token is SNAQ. A reader refuses the file, although its name ends in .snap.
    damage: set header.token to 53 4e 41 51
    expect: refused bad-token, no survivors, end none
snapshot_version_two: snapshot_of_ten_bytes ZMR-041
    The version of a snapshot is 2. A reader refuses the file.
    damage: set header.version to 2
    expect: refused unsupported-version, no survivors, end none
snapshot_length_of_the_source_document: snapshot_of_ten_bytes ZMR-042 ZMR-060
    The length of the SNAP chunk is 36, as in the source document, instead of 28. The size of the
    data is right, so only the length is lost.
    damage: set header.len_body to 36
    expect: damaged bad-header, survivors 0, end none
byte_behind_a_snapshot: snapshot_of_ten_bytes ZMR-063
    A snapshot has one more byte of data than its size claims. All its data is lost.
    damage: extend by 21
    expect: damaged size-mismatch, no survivors, end none
snapshot_size_too_small: snapshot_of_ten_bytes ZMR-063
    Bit 3 of a snapshot's size is flipped, so the size is 2 instead of 10.
    damage: flip bit 3 of header.len_data
    expect: damaged size-mismatch, no survivors, end none
snapshot_index_with_the_highest_bit: snapshot_of_ten_bytes ZMR-002 ZMR-042
    Bit 63 of a snapshot's index is flipped. The index is unsigned and exceeds the limit of 2^53 -
    1.
    damage: flip bit 63 of header.index
    expect: damaged bad-header, no survivors, end none
snapshot_length_wrong_and_data_cut: snapshot_of_ten_bytes ZMR-042 ZMR-062
    The length of the SNAP chunk is invalid, and the last byte of the data is missing. The whole
    file is lost.
    damage: set header.len_body to 29
    damage: truncate 9 bytes into data
    expect: damaged bad-header, no survivors, end none
snapshot_length_wrong_and_too_much_data: snapshot_of_ten_bytes ZMR-042 ZMR-063
    The length of the SNAP chunk is invalid, and a byte follows the data. The whole file is lost.
    damage: set header.len_body to 29
    damage: extend by 21
    expect: damaged bad-header, no survivors, end none
snapshot_length_wrong_and_no_meta: snapshot_of_ten_bytes ZMR-042 ZMR-005
    The length of the SNAP chunk is invalid, and another chunk takes the place of META. The whole
    file is lost.
    damage: set header.len_body to 29
    damage: set chunks[0].token to 41 54 45 4d
    expect: damaged bad-header, no survivors, end none
snapshot_length_and_term_wrong: snapshot_of_ten_bytes ZMR-042
    The length of the SNAP chunk is invalid, and the term exceeds the limit of 2^53 - 1. The whole
    file is lost.
    damage: set header.len_body to 29
    damage: flip bit 63 of header.term
    expect: damaged bad-header, no survivors, end none
""")
