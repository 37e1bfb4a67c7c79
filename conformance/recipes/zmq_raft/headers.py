"""Index files with an invalid header, and index files that end before their entries."""

from conformance.recipes.zmq_raft.index_files import three_entries
from conformance.recipes.zmq_raft.log import BOOK, ZmqRaftLog, entry


def _forget(log: ZmqRaftLog) -> None:
    """Set all offsets to zero, as if no entry had been committed."""
    for number in range(3):
        log.zero(f"offsets[{number}]")


@BOOK.damaged(three_entries, "header", "ZMR-041", "ZMR-105")
def token_of_another_file(log: ZmqRaftLog) -> None:
    """The first token is RLOX. A reader refuses the file, although its name ends in .rlog."""
    log.set("header.token", b"RLOX")
    log.expect("refused", "bad-token", end=None)


@BOOK.damaged(three_entries, "header", "ZMR-041")
def token_in_lower_case(log: ZmqRaftLog) -> None:
    """The first token is rlog in lower case. A reader refuses the file."""
    log.set("header.token", b"rlog")
    log.expect("refused", "bad-token", end=None)


@BOOK.damaged(three_entries, "header", "ZMR-041")
def another_chunk_first(log: ZmqRaftLog) -> None:
    """META precedes RLOG. A reader refuses the file, because its first token is not RLOG."""
    meta = log.field("chunks[0]")
    moved = bytes(log.data[meta.start : meta.end])
    del log.data[meta.start : meta.end]
    log.data[:0] = moved
    log.did("move chunks[0] to offset 0")
    log.expect("refused", "bad-token", end=None)


@BOOK.damaged(three_entries, "header", "ZMR-041")
def version_two(log: ZmqRaftLog) -> None:
    """The version of an index file is 2. A reader refuses the file."""
    log.set("header.version", 2)
    log.expect("refused", "unsupported-version", end=None)


@BOOK.damaged(three_entries, "header", "ZMR-041")
def version_zero(log: ZmqRaftLog) -> None:
    """The version of an index file is 0. A reader refuses the file."""
    log.set("header.version", 0)
    log.expect("refused", "unsupported-version", end=None)


@BOOK.damaged(three_entries, "header", "ZMR-002", "ZMR-041")
def numbers_of_a_big_endian_machine(log: ZmqRaftLog) -> None:
    """The numbers of the header are big-endian, as Node.js would write them on a big-endian
    machine. A reader refuses the file.
    """
    for name in ("len_body", "version", "capacity", "first_index"):
        field = log.field(f"header.{name}")
        log.set(f"header.{name}", bytes(reversed(log.data[field.start : field.end])))
    log.expect("refused", "unsupported-version", end=None)


@BOOK.damaged(three_entries, "header", "ZMR-042", "ZMR-040")
def length_of_another_capacity(log: ZmqRaftLog) -> None:
    """The length of the RLOG chunk does not match the capacity, so a reader does not know where the
    table ends.
    """
    log.set("header.len_body", 48)
    log.expect("damaged", "bad-header", end=None)


@BOOK.damaged(three_entries, "header", "ZMR-042")
def capacity_of_another_length(log: ZmqRaftLog) -> None:
    """Bit 3 of the capacity is flipped, so the capacity contradicts the length of the RLOG
    chunk.
    """
    log.flip("header.capacity", 3)
    log.expect("damaged", "bad-header", end=None)


@BOOK.damaged(three_entries, "header", "ZMR-042", "ZMR-060")
def length_of_the_whole_header(log: ZmqRaftLog) -> None:
    """The length of the RLOG chunk also counts the eight bytes of the token and of the length
    itself.
    """
    log.set("header.len_body", 52)
    log.expect("damaged", "bad-header", end=None)


@BOOK.damaged(three_entries, "header", "ZMR-043")
def index_other_than_in_the_name(log: ZmqRaftLog) -> None:
    """The first index is 3 in the header and 1 in the context. The whole file is lost."""
    log.set("header.first_index", 3)
    log.expect("damaged", "index-mismatch", end=None)


@BOOK.damaged(three_entries, "header", "ZMR-043")
def high_half_of_the_index(log: ZmqRaftLog) -> None:
    """Bit 40 of the first index is flipped, so the header does not match the context."""
    log.flip("header.first_index", 40)
    log.expect("damaged", "index-mismatch", end=None)


@BOOK.damaged(three_entries, "torn-tail", "ZMR-044", kind="eof")
def cut_in_the_header(log: ZmqRaftLog) -> None:
    """An index file ends after ten bytes. The file is unfinished."""
    log.truncate(10)
    log.expect("torn", "torn-header", end=0)


@BOOK.damaged(three_entries, "torn-tail", "ZMR-044", kind="eof")
def cut_to_nothing(log: ZmqRaftLog) -> None:
    """An index file has 0 bytes. The file is unfinished."""
    log.truncate(0)
    log.expect("torn", "torn-header", end=0)
    log.note("The lost range is empty and marks the place where bytes are missing.")


@BOOK.damaged(three_entries, "torn-tail", "ZMR-044", kind="eof")
def cut_in_an_empty_table(log: ZmqRaftLog) -> None:
    """An index file without entries ends inside its table. The file is unfinished."""
    _forget(log)
    log.truncate_in("offsets[3]", 2)
    log.expect("torn", "torn-header", end=0)


@BOOK.damaged(three_entries, "torn-tail", "ZMR-044", kind="eof")
def cut_in_meta_of_a_new_file(log: ZmqRaftLog) -> None:
    """An index file without entries ends inside META. The file is unfinished."""
    _forget(log)
    log.truncate_in("chunks[0].data", 20)
    log.expect("torn", "torn-header", end=0)


@BOOK.damaged(three_entries, "header", "ZMR-045")
def cut_in_the_table(log: ZmqRaftLog) -> None:
    """An index file with committed entries ends inside its table. The code is missing-marker, not
    torn-header.
    """
    log.truncate_in("offsets[1]", 2)
    log.expect("damaged", "missing-marker", end=None)


@BOOK.damaged(three_entries, "header", "ZMR-045")
def cut_behind_the_table(log: ZmqRaftLog) -> None:
    """An index file with committed entries ends directly after its table."""
    log.truncate_in("chunks[0]", 0)
    log.expect("damaged", "missing-marker", end=None)


@BOOK.damaged(three_entries, "header", "ZMR-045")
def cut_in_meta(log: ZmqRaftLog) -> None:
    """An index file with committed entries ends inside META."""
    log.truncate_in("chunks[0].data", 20)
    log.expect("damaged", "missing-marker", end=None)


@BOOK.damaged(three_entries, "header", "ZMR-045")
def cut_in_the_marker(log: ZmqRaftLog) -> None:
    """An index file with committed entries ends inside the marker."""
    log.truncate_in("chunks[1]", 4)
    log.expect("damaged", "missing-marker", end=None)


@BOOK.damaged(three_entries, "limits", "ZMR-044", "ZMR-103", kind="limit")
def table_of_the_largest_capacity(log: ZmqRaftLog) -> None:
    """The header claims a table of 64 MiB that the file does not contain. A reader allocates no
    memory for the table.
    """
    _forget(log)
    log.set("header.capacity", 0x00FFFFFF)
    log.set("header.len_body", 16 + 4 * 0x00FFFFFF)
    log.expect("torn", "torn-header", end=0)
    log.note("The first offset is zero, so no entry was committed.")


@BOOK.damaged(three_entries, "limits", "ZMR-045", "ZMR-103", kind="limit")
def table_of_four_gigabytes(log: ZmqRaftLog) -> None:
    """The header claims a table of nearly 4 GiB that the file does not contain. A reader allocates
    no memory for the table.
    """
    log.set("header.capacity", 0x3FFFFFF0)
    log.set("header.len_body", 16 + 4 * 0x3FFFFFF0)
    log.expect("damaged", "missing-marker", end=None)


@BOOK.damaged(three_entries, "header", "ZMR-040", "ZMR-044", "ZMR-045")
def cut_in_the_first_offset(log: ZmqRaftLog) -> None:
    """An index file ends after the first byte of the first offset. This byte is not zero, so the
    code is missing-marker.
    """
    log.truncate(25)
    log.expect("damaged", "missing-marker", end=None)


@BOOK.valid("index-file", "ZMR-011", "ZMR-033")
def first_entry_of_256_bytes(log: ZmqRaftLog) -> None:
    """The first entry has 256 bytes, so the lowest byte of the first offset is zero. A reader
    checks the whole offset.
    """
    log.index_file(entry(b"a" * 236), entry(b"bravo"), capacity=8)
    log.expect("intact", survivors=[0, 1])


@BOOK.damaged(first_entry_of_256_bytes, "torn-tail", "ZMR-040", "ZMR-044", kind="eof")
def cut_after_a_zero_of_the_first_offset(log: ZmqRaftLog) -> None:
    """An index file ends after the first byte of the first offset. This byte is zero, so the code
    is torn-header.
    """
    log.truncate(25)
    log.expect("torn", "torn-header", end=0)


@BOOK.damaged(first_entry_of_256_bytes, "header", "ZMR-040", "ZMR-045")
def cut_after_two_bytes_of_the_first_offset(log: ZmqRaftLog) -> None:
    """An index file ends after two bytes of the first offset. One of these bytes is not zero, so
    the code is missing-marker.
    """
    log.truncate(26)
    log.expect("damaged", "missing-marker", end=None)


@BOOK.damaged(three_entries, "torn-tail", "ZMR-040", "ZMR-044", kind="eof")
def cut_before_the_table(log: ZmqRaftLog) -> None:
    """An index file ends directly after its header, before the table. The file is unfinished."""
    log.truncate(24)
    log.expect("torn", "torn-header", end=0)


@BOOK.damaged(three_entries, "torn-tail", "ZMR-040", "ZMR-044", kind="eof")
def version_two_in_a_cut_header(log: ZmqRaftLog) -> None:
    """The header of an index file has version 2 but only 23 of 24 bytes. The code is torn-header,
    because a reader checks the file size first.
    """
    log.set("header.version", 2)
    log.truncate(23)
    log.expect("torn", "torn-header", end=0)


@BOOK.damaged(three_entries, "torn-tail", "ZMR-040", "ZMR-041", "ZMR-044", kind="eof")
def cut_in_the_token(log: ZmqRaftLog) -> None:
    """An index file ends after three bytes of the token RLOG. The file is unfinished."""
    log.truncate(3)
    log.expect("torn", "torn-header", end=0)


@BOOK.damaged(three_entries, "header", "ZMR-040", "ZMR-041")
def another_token_cut(log: ZmqRaftLog) -> None:
    """An .rlog file contains only two bytes, which do not begin the token RLOG. A reader refuses
    the file.
    """
    log.set("header.token", b"RXOG")
    log.truncate(2)
    log.expect("refused", "bad-token", end=None)


@BOOK.damaged(three_entries, "header", "ZMR-040", "ZMR-041", "ZMR-042")
def version_and_length_wrong(log: ZmqRaftLog) -> None:
    """The version is 2, and the length of the RLOG chunk is invalid. A reader checks the version
    first and refuses the file.
    """
    log.set("header.version", 2)
    log.set("header.len_body", 0)
    log.expect("refused", "unsupported-version", end=None)


@BOOK.damaged(three_entries, "header", "ZMR-040", "ZMR-042", "ZMR-043")
def length_and_index_wrong(log: ZmqRaftLog) -> None:
    """The length of the RLOG chunk is invalid, and the first index does not match the context. A
    reader checks the length first.
    """
    log.set("header.len_body", 0)
    log.set("header.first_index", 3)
    log.expect("damaged", "bad-header", end=None)


@BOOK.damaged(three_entries, "header", "ZMR-040", "ZMR-043", "ZMR-044")
def index_wrong_in_a_cut_file(log: ZmqRaftLog) -> None:
    """The first index does not match the context, and the file ends before its table. A reader
    checks the index first.
    """
    log.set("header.first_index", 3)
    log.truncate(24)
    log.expect("damaged", "index-mismatch", end=None)


@BOOK.damaged(three_entries, "index-file", "ZMR-043")
def index_that_nothing_tells(log: ZmqRaftLog) -> None:
    """Neither the name nor the context gives the first index. A reader uses the index in the
    header.
    """
    log.set("header.first_index", 7)
    del log.context["first_index"]
    log.expect("intact", survivors=[0, 1, 2], end=197)


@BOOK.damaged(three_entries, "index-file", "ZMR-105")
def token_under_another_name(log: ZmqRaftLog) -> None:
    """The name of an index file ends in .dat. A reader identifies the file by its token."""
    log.suffix = ".dat"
    log.expect("intact", survivors=[0, 1, 2], end=197)


@BOOK.damaged(three_entries, "index-file", "ZMR-105")
def told_to_be_a_snapshot(log: ZmqRaftLog) -> None:
    """The context declares an index file to be a snapshot. A reader refuses the file, because its
    token is not SNAP.
    """
    log.context["kind"] = "snapshot"
    log.expect("refused", "bad-token", end=None)


@BOOK.damaged(three_entries, "index-file", "ZMR-105")
def told_to_be_a_state_file(log: ZmqRaftLog) -> None:
    """The context declares an index file to be a state file. The reason is not-a-map, because the
    first byte does not begin a map.
    """
    log.context["kind"] = "state"
    log.expect("damaged", "not-a-map", end=None)


@BOOK.damaged(three_entries, "index-file", "ZMR-105")
def another_token_told_to_be_an_index_file(log: ZmqRaftLog) -> None:
    """The context declares a file with the token RLOX to be an index file. A reader refuses the
    file.
    """
    log.suffix = ".dat"
    log.context["kind"] = "index"
    log.set("header.token", b"RLOX")
    log.expect("refused", "bad-token", end=None)


@BOOK.damaged(three_entries, "header", "ZMR-010", "ZMR-042")
def capacity_that_overflows(log: ZmqRaftLog) -> None:
    """The capacity is 2^32 - 4 and the length of the RLOG chunk is 0. The two numbers agree only in
    32-bit arithmetic.
    """
    log.set("header.capacity", 2**32 - 4)
    log.set("header.len_body", 0)
    log.expect("damaged", "bad-header", end=None)


@BOOK.damaged(three_entries, "limits", "ZMR-002", "ZMR-010", kind="limit")
def first_index_with_the_highest_bit(log: ZmqRaftLog) -> None:
    """The first index is 2^63. A reader accepts this unsigned number, because only writers have a
    limit.
    """
    log.set("header.first_index", 2**63)
    del log.context["first_index"]
    log.expect("intact", survivors=[0, 1, 2])


@BOOK.damaged(three_entries, "torn-tail", "ZMR-040", "ZMR-044", kind="eof")
def cut_in_the_table_after_a_first_offset_of_zero(log: ZmqRaftLog) -> None:
    """An index file ends inside the second offset, and the first offset is zero. The file is
    unfinished.
    """
    log.zero("offsets[0]")
    log.truncate_in("offsets[1]", 2)
    log.expect("torn", "torn-header", end=0)


@BOOK.damaged(three_entries, "header", "ZMR-040", "ZMR-045")
def cut_in_the_table_after_a_high_first_offset(log: ZmqRaftLog) -> None:
    """An index file ends after the first offset, of which only the last byte is not zero. The code
    is missing-marker.
    """
    log.set("offsets[0]", 0x01000000)
    log.truncate_in("offsets[1]", 0)
    log.expect("damaged", "missing-marker", end=None)
