"""Index files with an invalid header, and index files that end before their entries."""

from conformance.recipes.zmq_raft.index_files import three_entries
from conformance.recipes.zmq_raft.log import (
    HEADER_GROUP,
    INDEX_FILE,
    LIMITS,
    TORN_TAIL,
    ZmqRaftLog,
    entry,
)
from reference_impl.zmq_raft.layout import chunk


def _forget(log: ZmqRaftLog) -> None:
    """Set all offsets to zero, as if no entry had been committed."""
    for number in range(3):
        log.zero(f"offsets[{number}]")


@HEADER_GROUP.damaged(three_entries, "ZMR-041")
def another_chunk_first(log: ZmqRaftLog) -> None:
    """META precedes RLOG. A reader refuses the file, because its first token is not RLOG."""
    meta = log.field("chunks[0]")
    moved = bytes(log.data[meta.start : meta.end])
    del log.data[meta.start : meta.end]
    log.data[:0] = moved
    log.expect("refused", "bad-token", end=None)


@HEADER_GROUP.damaged(three_entries, "ZMR-002", "ZMR-041")
def numbers_of_a_big_endian_machine(log: ZmqRaftLog) -> None:
    """The numbers of the header are big-endian, as Node.js would write them on a big-endian
    machine. A reader refuses the file."""
    for name in ("len_body", "version", "capacity", "first_index"):
        field = log.field(f"header.{name}")
        log.set(f"header.{name}", bytes(reversed(log.data[field.start : field.end])))
    log.expect("refused", "unsupported-version", end=None)


@TORN_TAIL.damaged(three_entries, "ZMR-044")
def cut_in_the_header(log: ZmqRaftLog) -> None:
    """An index file ends after ten bytes. The file is unfinished."""
    log.truncate(10)
    log.expect("torn", "torn-header", end=0)


@LIMITS.damaged(three_entries, "ZMR-044", "ZMR-103", kind="limit")
def table_of_the_largest_capacity(log: ZmqRaftLog) -> None:
    """The header claims a table of 64 MiB, which the file does not contain. A reader allocates no
    memory for the table."""
    _forget(log)
    log.set("header.capacity", 0x00FFFFFF)
    log.set("header.len_body", 16 + 4 * 0x00FFFFFF)
    log.expect("torn", "torn-header", end=0)
    log.note("The first offset is zero, so no entry was committed.")


@LIMITS.damaged(three_entries, "ZMR-045", "ZMR-103", kind="limit")
def table_of_four_gigabytes(log: ZmqRaftLog) -> None:
    """The header claims a table of nearly 4 GiB, which the file does not contain. A reader
    allocates no memory for the table."""
    log.set("header.capacity", 0x3FFFFFF0)
    log.set("header.len_body", 16 + 4 * 0x3FFFFFF0)
    log.expect("damaged", "missing-marker", end=None)


@INDEX_FILE.valid("ZMR-011", "ZMR-033")
def first_entry_of_256_bytes(log: ZmqRaftLog) -> None:
    """The first entry is 256 bytes long, so the lowest byte of the first offset is zero. A reader
    checks the whole offset."""
    log.index_file(entry(b"a" * 236), entry(b"bravo"), capacity=8)
    log.expect("intact", survivors=[0, 1])


@INDEX_FILE.damaged(three_entries, "ZMR-043")
def index_that_nothing_tells(log: ZmqRaftLog) -> None:
    """Neither the name nor the context gives the first index. A reader uses the index in the
    header."""
    log.set("header.first_index", 7)
    del log.context["first_index"]
    log.expect("intact", survivors=[0, 1, 2], end=197)


@INDEX_FILE.damaged(three_entries, "ZMR-105")
def token_under_another_name(log: ZmqRaftLog) -> None:
    """The name of an index file ends in .dat. A reader identifies the file by its token."""
    log.suffix = ".dat"
    log.expect("intact", survivors=[0, 1, 2], end=197)


@INDEX_FILE.damaged(three_entries, "ZMR-105")
def told_to_be_a_snapshot(log: ZmqRaftLog) -> None:
    """The context declares an index file to be a snapshot. A reader refuses the file, because its
    token is not SNAP."""
    log.context["kind"] = "snapshot"
    log.expect("refused", "bad-token", end=None)


@INDEX_FILE.damaged(three_entries, "ZMR-105")
def told_to_be_a_state_file(log: ZmqRaftLog) -> None:
    """The context declares an index file to be a state file. The reason is not-a-map, because the
    first byte does not begin a map."""
    log.context["kind"] = "state"
    log.expect("damaged", "not-a-map", end=None)


@INDEX_FILE.damaged(three_entries, "ZMR-105")
def another_token_told_to_be_an_index_file(log: ZmqRaftLog) -> None:
    """The context declares a file with the token RLOX to be an index file. A reader refuses the
    file."""
    log.suffix = ".dat"
    log.context["kind"] = "index"
    log.set("header.token", b"RLOX")
    log.expect("refused", "bad-token", end=None)


@HEADER_GROUP.damaged(three_entries, "ZMR-010", "ZMR-042")
def capacity_that_overflows(log: ZmqRaftLog) -> None:
    """The capacity is 2^32 - 4 and the length of the RLOG chunk is 0. The two numbers match only in
    32-bit arithmetic."""
    log.set("header.capacity", 2**32 - 4)
    log.set("header.len_body", 0)
    log.expect("damaged", "bad-header", end=None)


@LIMITS.damaged(three_entries, "ZMR-002", "ZMR-010", kind="limit")
def first_index_with_the_highest_bit(log: ZmqRaftLog) -> None:
    """The first index is 2^63. A reader accepts this unsigned number, because only writers have a
    limit."""
    log.set("header.first_index", 2**63)
    del log.context["first_index"]
    log.expect("intact", survivors=[0, 1, 2])


TORN_TAIL.table("""
cut_to_nothing: three_entries ZMR-044
    An index file has 0 bytes. The file is unfinished.
    damage: truncate at 0
    expect: torn torn-header, no survivors, end 0
    note: The lost range is empty and marks the place where bytes are missing.
cut_in_an_empty_table: three_entries ZMR-044
    An index file without entries ends inside its table. The file is unfinished.
    forget:
    damage: truncate 2 bytes into offsets[3]
    expect: torn torn-header, no survivors, end 0
cut_in_meta_of_a_new_file: three_entries ZMR-044
    An index file without entries ends inside META. The file is unfinished.
    forget:
    damage: truncate 20 bytes into chunks[0].data
    expect: torn torn-header, no survivors, end 0
cut_after_a_zero_of_the_first_offset: first_entry_of_256_bytes ZMR-040 ZMR-044
    An index file ends after the first byte of the first offset. This byte is zero, so the code is
    torn-header.
    damage: truncate at 25
    expect: torn torn-header, no survivors, end 0
cut_before_the_table: three_entries ZMR-040 ZMR-044
    An index file ends directly after its header, before the table. The file is unfinished.
    damage: truncate at 24
    expect: torn torn-header, no survivors, end 0
version_two_in_a_cut_header: three_entries ZMR-040 ZMR-044
    The header of an index file has version 2, but is only 23 of 24 bytes long. The code is
    torn-header, because a reader checks the file size first.
    damage: set header.version to 2
    damage: truncate at 23
    expect: torn torn-header, no survivors, end 0
cut_in_the_token: three_entries ZMR-040 ZMR-041 ZMR-044
    An index file ends after three bytes of the token RLOG. The file is unfinished.
    damage: truncate at 3
    expect: torn torn-header, no survivors, end 0
cut_in_the_table_after_a_first_offset_of_zero: three_entries ZMR-040 ZMR-044
    An index file ends inside the second offset, and the first offset is zero. The file is
    unfinished.
    damage: zero offsets[0]
    damage: truncate 2 bytes into offsets[1]
    expect: torn torn-header, no survivors, end 0
""")


@HEADER_GROUP.damaged(three_entries, "ZMR-040", "ZMR-045")
def cut_in_the_table_after_a_high_first_offset(log: ZmqRaftLog) -> None:
    """An index file ends after the first offset. Only the last byte of this offset is not zero. The
    code is missing-marker."""
    log.set("offsets[0]", 0x01000000)
    log.truncate_in("offsets[1]", 0)
    log.expect("damaged", "missing-marker", end=None)


@HEADER_GROUP.damaged(first_entry_of_256_bytes, "ZMR-042")
def length_up_to_chunks_in_an_entry(log: ZmqRaftLog) -> None:
    """The length of the RLOG chunk leads to a META chunk inside an entry, and the capacity leads to
    the true META chunk. Two capacities are possible, so the whole file is lost."""
    log.overwrite(140, chunk(b"META", b"") + chunk(b"ITMZ", b""))
    log.set("header.len_body", 132)
    log.expect("damaged", "bad-header", end=None)


@HEADER_GROUP.damaged(three_entries, "ZMR-042")
def length_up_to_a_chunk_that_leads_nowhere(log: ZmqRaftLog) -> None:
    """The length of the RLOG chunk leads to the token META inside the data of the true META chunk.
    The true chunk leads to the marker, and the other token does not, so only the length is lost."""
    log.overwrite(72, b"META")
    log.set("header.len_body", 64)
    log.expect("damaged", "bad-header", survivors=[0, 1, 2], end=None)


@HEADER_GROUP.damaged(three_entries, "ZMR-042", "ZMR-044")
def length_wrong_in_a_file_cut_in_the_first_offset(log: ZmqRaftLog) -> None:
    """The length is invalid, and the file ends inside the first offset. The whole file is lost."""
    log.set("header.len_body", 48)
    log.truncate_in("offsets[0]", 3)
    log.expect("damaged", "bad-header", end=None)


HEADER_GROUP.table("""
token_of_another_file: three_entries ZMR-041 ZMR-105
    The first token is RLOX. A reader refuses the file, although its name ends in .rlog.
    damage: set header.token to 52 4c 4f 58
    expect: refused bad-token, no survivors, end none
token_in_lower_case: three_entries ZMR-041
    The first token is rlog in lower case. A reader refuses the file.
    damage: set header.token to 72 6c 6f 67
    expect: refused bad-token, no survivors, end none
version_two: three_entries ZMR-041
    The version of an index file is 2. A reader refuses the file.
    damage: set header.version to 2
    expect: refused unsupported-version, no survivors, end none
version_zero: three_entries ZMR-041
    The version of an index file is 0. A reader refuses the file.
    damage: set header.version to 0
    expect: refused unsupported-version, no survivors, end none
length_of_another_capacity: three_entries ZMR-042 ZMR-040
    The length of the RLOG chunk does not match the capacity, but META shows where the table ends.
    Only the length is lost.
    damage: set header.len_body to 48
    expect: damaged bad-header, survivors 0-2, end none
capacity_of_another_length: three_entries ZMR-042
    Bit 3 of the capacity is flipped, so the capacity contradicts the length of the RLOG chunk. META
    shows that the length is right.
    damage: flip bit 3 of header.capacity
    expect: damaged bad-header, survivors 0-2, end none
length_of_the_whole_header: three_entries ZMR-042 ZMR-060
    The length of the RLOG chunk also counts its own eight-byte header, the token and the length.
    META shows that the capacity is right.
    damage: set header.len_body to 52
    expect: damaged bad-header, survivors 0-2, end none
index_other_than_in_the_name: three_entries ZMR-043
    The first index is 3 in the header and 1 in the context. The whole file is lost.
    damage: set header.first_index to 3
    expect: damaged index-mismatch, no survivors, end none
high_half_of_the_index: three_entries ZMR-043
    Bit 40 of the first index is flipped, so the header does not match the context.
    damage: flip bit 40 of header.first_index
    expect: damaged index-mismatch, no survivors, end none
cut_in_the_table: three_entries ZMR-045
    An index file with committed entries ends inside its table. The code is missing-marker, not
    torn-header.
    damage: truncate 2 bytes into offsets[1]
    expect: damaged missing-marker, no survivors, end none
cut_behind_the_table: three_entries ZMR-045
    An index file with committed entries ends directly after its table.
    damage: truncate 0 bytes into chunks[0]
    expect: damaged missing-marker, no survivors, end none
cut_in_meta: three_entries ZMR-045
    An index file with committed entries ends inside META.
    damage: truncate 20 bytes into chunks[0].data
    expect: damaged missing-marker, no survivors, end none
cut_in_the_marker: three_entries ZMR-045
    An index file with committed entries ends inside the marker.
    damage: truncate 4 bytes into chunks[1]
    expect: damaged missing-marker, no survivors, end none
cut_in_the_first_offset: three_entries ZMR-040 ZMR-044 ZMR-045
    An index file ends after the first byte of the first offset. This byte is not zero, so the code
    is missing-marker.
    damage: truncate at 25
    expect: damaged missing-marker, no survivors, end none
cut_after_two_bytes_of_the_first_offset: first_entry_of_256_bytes ZMR-040 ZMR-045
    An index file ends after two bytes of the first offset. One of these bytes is not zero, so the
    code is missing-marker.
    damage: truncate at 26
    expect: damaged missing-marker, no survivors, end none
another_token_cut: three_entries ZMR-040 ZMR-041
    An .rlog file contains only two bytes, which do not begin the token RLOG. A reader refuses the
    file.
    damage: set header.token to 52 58 4f 47
    damage: truncate at 2
    expect: refused bad-token, no survivors, end none
version_and_length_wrong: three_entries ZMR-040 ZMR-041 ZMR-042
    The version is 2, and the length of the RLOG chunk is invalid. A reader checks the version first
    and refuses the file.
    damage: set header.version to 2
    damage: set header.len_body to 0
    expect: refused unsupported-version, no survivors, end none
length_and_index_wrong: three_entries ZMR-040 ZMR-042 ZMR-043
    The length of the RLOG chunk is invalid, and the first index does not match the context. META
    proves the capacity, so a reader continues with the index, and the whole file is lost.
    damage: set header.len_body to 0
    damage: set header.first_index to 3
    expect: damaged index-mismatch, no survivors, end none
index_wrong_in_a_cut_file: three_entries ZMR-040 ZMR-043 ZMR-044
    The first index does not match the context, and the file ends before its table. A reader checks
    the index first.
    damage: set header.first_index to 3
    damage: truncate at 24
    expect: damaged index-mismatch, no survivors, end none
length_and_capacity_wrong: three_entries ZMR-042
    META follows neither a table of the given length nor a table of the given capacity. The whole
    file is lost.
    damage: set header.len_body to 48
    damage: set header.capacity to 9
    expect: damaged bad-header, no survivors, end none
length_between_two_capacities: three_entries ZMR-042
    The length is 45, which matches no capacity, and the capacity is 8 instead of 7. A reader does
    not round the length.
    damage: set header.len_body to 45
    damage: set header.capacity to 8
    expect: damaged bad-header, no survivors, end none
length_wrong_and_no_meta: three_entries ZMR-042 ZMR-005
    The length is invalid, and another chunk takes the place of META. Nothing shows where the table
    ends, so the whole file is lost.
    damage: set header.len_body to 48
    damage: set chunks[0].token to 41 54 45 4d
    expect: damaged bad-header, no survivors, end none
length_wrong_and_first_offset_zeroed: three_entries ZMR-042 ZMR-044
    The length is invalid, and the first offset is zero. No entry is then committed, even though the
    second offset is not zero, so nothing proves the capacity. The whole file is lost.
    damage: set header.len_body to 0
    damage: zero offsets[0]
    expect: damaged bad-header, no survivors, end none
length_wrong_and_high_first_offset: three_entries ZMR-042 ZMR-046
    The length is invalid, and only the highest byte of the first offset is not zero. The offset
    still commits an entry, so META proves the capacity. The offset is past the end of the file.
    damage: set header.len_body to 0
    damage: set offsets[0] to 16777216
    expect: damaged bad-header, survivors 2, end none
length_and_index_wrong_without_meta: three_entries ZMR-040 ZMR-042 ZMR-043
    The length and the first index are wrong, and another chunk takes the place of META. A reader
    checks the length first.
    damage: set header.len_body to 48
    damage: set header.first_index to 3
    damage: set chunks[0].token to 41 54 45 4d
    expect: damaged bad-header, no survivors, end none
length_wrong_and_no_marker: three_entries ZMR-042 ZMR-045
    The length is invalid, and META does not lead to the marker. The whole file is lost.
    damage: set header.len_body to 48
    damage: truncate 4 bytes into chunks[1]
    expect: damaged bad-header, no survivors, end none
length_wrong_without_entries: three_entries ZMR-042
    The length of an index file is invalid, and nothing is committed. The whole file is lost.
    forget:
    damage: set header.len_body to 48
    expect: damaged bad-header, no survivors, end none
length_of_no_capacity: capacity_of_one ZMR-042
    The length matches capacity 0, and META follows a table of capacity 1. Only the length is lost.
    damage: set header.len_body to 16
    expect: damaged bad-header, survivors 0, end none
""")


@HEADER_GROUP.damaged(three_entries, "ZMR-042", "ZMR-044")
def chunks_in_the_table_of_no_capacity(log: ZmqRaftLog) -> None:
    """The capacity is 0, and the first two offsets look like a META chunk that leads to the marker.
    Nothing is committed in a table without offsets, so only the length counts."""
    log.set("header.capacity", 0)
    log.set("offsets[0]", b"META")
    log.set("offsets[1]", 80)
    log.set("offsets[2]", 77)
    log.expect("damaged", "bad-header", end=None)
