"""Index files whose header does not hold together, or that end before their entries."""

from conformance.recipes.zmq_raft.index_files import three_entries
from conformance.recipes.zmq_raft.log import BOOK, ZmqRaftLog, entry


def _forget(log: ZmqRaftLog) -> None:
    """As if nothing had been committed yet."""
    for number in range(3):
        log.zero(f"offsets[{number}]")


@BOOK.damaged(three_entries, "header", "ZMR-041", "ZMR-105")
def token_of_another_file(log: ZmqRaftLog) -> None:
    """The first token is RLOX: not an index file, whatever its name says."""
    log.set("header.token", b"RLOX")
    log.expect("refused", "bad-token", end=None)


@BOOK.damaged(three_entries, "header", "ZMR-041")
def token_in_lower_case(log: ZmqRaftLog) -> None:
    """The first token is rlog: case counts."""
    log.set("header.token", b"rlog")
    log.expect("refused", "bad-token", end=None)


@BOOK.damaged(three_entries, "header", "ZMR-041")
def another_chunk_first(log: ZmqRaftLog) -> None:
    """META stands before RLOG: the first token decides."""
    meta = log.field("chunks[0]")
    moved = bytes(log.data[meta.start : meta.end])
    del log.data[meta.start : meta.end]
    log.data[:0] = moved
    log.did("move chunks[0] to 0")
    log.expect("refused", "bad-token", end=None)


@BOOK.damaged(three_entries, "header", "ZMR-041")
def version_two(log: ZmqRaftLog) -> None:
    """A version that this chapter does not describe."""
    log.set("header.version", 2)
    log.expect("refused", "unsupported-version", end=None)


@BOOK.damaged(three_entries, "header", "ZMR-041")
def version_zero(log: ZmqRaftLog) -> None:
    """A version that never was."""
    log.set("header.version", 0)
    log.expect("refused", "unsupported-version", end=None)


@BOOK.damaged(three_entries, "header", "ZMR-002", "ZMR-041")
def numbers_of_a_big_endian_machine(log: ZmqRaftLog) -> None:
    """The header in big-endian, as Node.js would write it on such a machine."""
    for name in ("len_body", "version", "capacity", "first_index"):
        field = log.field(f"header.{name}")
        log.set(f"header.{name}", bytes(reversed(log.data[field.start : field.end])))
    log.expect("refused", "unsupported-version", end=None)


@BOOK.damaged(three_entries, "header", "ZMR-042", "ZMR-040")
def length_of_another_capacity(log: ZmqRaftLog) -> None:
    """The length of the first chunk and the capacity disagree: where the table ends is unknown."""
    log.set("header.len_body", 48)
    log.expect("damaged", "bad-header", end=None)


@BOOK.damaged(three_entries, "header", "ZMR-042")
def capacity_of_another_length(log: ZmqRaftLog) -> None:
    """One bit of the capacity: neither it nor the length can be believed."""
    log.flip("header.capacity", 3)
    log.expect("damaged", "bad-header", end=None)


@BOOK.damaged(three_entries, "header", "ZMR-042", "ZMR-060")
def length_of_the_whole_header(log: ZmqRaftLog) -> None:
    """The length counts its own eight bytes too."""
    log.set("header.len_body", 52)
    log.expect("damaged", "bad-header", end=None)


@BOOK.damaged(three_entries, "header", "ZMR-043")
def index_other_than_in_the_name(log: ZmqRaftLog) -> None:
    """The header says 3 and the name 1: the index of no entry is known."""
    log.set("header.first_index", 3)
    log.expect("damaged", "index-mismatch", end=None)


@BOOK.damaged(three_entries, "header", "ZMR-043")
def high_half_of_the_index(log: ZmqRaftLog) -> None:
    """One bit in the high half of the first index."""
    log.flip("header.first_index", 40)
    log.expect("damaged", "index-mismatch", end=None)


@BOOK.damaged(three_entries, "torn-tail", "ZMR-044", kind="eof")
def cut_in_the_header(log: ZmqRaftLog) -> None:
    """Ten bytes of a file: it was being made."""
    log.truncate(10)
    log.expect("torn", "torn-header", end=0)


@BOOK.damaged(three_entries, "torn-tail", "ZMR-044", kind="eof")
def cut_to_nothing(log: ZmqRaftLog) -> None:
    """No bytes at all: an index file was created, and that was all."""
    log.truncate(0)
    log.expect("torn", "torn-header", end=0)
    log.note("The lost range is empty: it says where something is missing.")


@BOOK.damaged(three_entries, "torn-tail", "ZMR-044", kind="eof")
def cut_in_an_empty_table(log: ZmqRaftLog) -> None:
    """A file without entries that ends in its table: it was being made."""
    _forget(log)
    log.truncate_in("offsets[3]", 2)
    log.expect("torn", "torn-header", end=0)


@BOOK.damaged(three_entries, "torn-tail", "ZMR-044", kind="eof")
def cut_in_meta_of_a_new_file(log: ZmqRaftLog) -> None:
    """A file without entries that ends in META: it was being made."""
    _forget(log)
    log.truncate_in("chunks[0].data", 20)
    log.expect("torn", "torn-header", end=0)


@BOOK.damaged(three_entries, "header", "ZMR-045")
def cut_in_the_table(log: ZmqRaftLog) -> None:
    """The file ends in its table, and entries had been committed: this is no unfinished file."""
    log.truncate_in("offsets[1]", 2)
    log.expect("damaged", "missing-marker", end=None)


@BOOK.damaged(three_entries, "header", "ZMR-045")
def cut_behind_the_table(log: ZmqRaftLog) -> None:
    """The table is whole and commits three entries; all else is gone."""
    log.truncate_in("chunks[0]", 0)
    log.expect("damaged", "missing-marker", end=None)


@BOOK.damaged(three_entries, "header", "ZMR-045")
def cut_in_meta(log: ZmqRaftLog) -> None:
    """The file ends in META, and entries had been committed."""
    log.truncate_in("chunks[0].data", 20)
    log.expect("damaged", "missing-marker", end=None)


@BOOK.damaged(three_entries, "header", "ZMR-045")
def cut_in_the_marker(log: ZmqRaftLog) -> None:
    """Half of the marker's header is there."""
    log.truncate_in("chunks[1]", 4)
    log.expect("damaged", "missing-marker", end=None)


@BOOK.damaged(three_entries, "limits", "ZMR-044", "ZMR-103", kind="limit")
def table_of_the_largest_capacity(log: ZmqRaftLog) -> None:
    """A table of 64 MiB that the file does not have: reading costs no memory."""
    _forget(log)
    log.set("header.capacity", 0x00FFFFFF)
    log.set("header.len_body", 16 + 4 * 0x00FFFFFF)
    log.expect("torn", "torn-header", end=0)
    log.note("The table's first offset is zero, so nothing had been committed.")


@BOOK.damaged(three_entries, "limits", "ZMR-045", "ZMR-103", kind="limit")
def table_of_four_gigabytes(log: ZmqRaftLog) -> None:
    """Capacity and length agree on a table of nearly 4 GiB: reading costs no memory."""
    log.set("header.capacity", 0x3FFFFFF0)
    log.set("header.len_body", 16 + 4 * 0x3FFFFFF0)
    log.expect("damaged", "missing-marker", end=None)


@BOOK.damaged(three_entries, "header", "ZMR-040", "ZMR-044", "ZMR-045")
def cut_in_the_first_offset(log: ZmqRaftLog) -> None:
    """One byte of the first offset is there and is not zero: something was committed."""
    log.truncate(25)
    log.expect("damaged", "missing-marker", end=None)


@BOOK.valid("index-file", "ZMR-011", "ZMR-033")
def first_entry_of_256_bytes(log: ZmqRaftLog) -> None:
    """The lowest byte of the first offset is zero: the whole offset counts."""
    log.index_file(entry(b"a" * 236), entry(b"bravo"), capacity=8)
    log.expect("intact", survivors=[0, 1])


@BOOK.damaged(first_entry_of_256_bytes, "torn-tail", "ZMR-040", "ZMR-044", kind="eof")
def cut_after_a_zero_of_the_first_offset(log: ZmqRaftLog) -> None:
    """One byte of the first offset is there and is zero: nothing shows that anything was there."""
    log.truncate(25)
    log.expect("torn", "torn-header", end=0)


@BOOK.damaged(first_entry_of_256_bytes, "header", "ZMR-040", "ZMR-045")
def cut_after_two_bytes_of_the_first_offset(log: ZmqRaftLog) -> None:
    """Two bytes of the first offset are there, and one of them is not zero."""
    log.truncate(26)
    log.expect("damaged", "missing-marker", end=None)


@BOOK.damaged(three_entries, "torn-tail", "ZMR-040", "ZMR-044", kind="eof")
def cut_before_the_table(log: ZmqRaftLog) -> None:
    """The header is whole and the first offset is not there."""
    log.truncate(24)
    log.expect("torn", "torn-header", end=0)


@BOOK.damaged(three_entries, "torn-tail", "ZMR-040", "ZMR-044", kind="eof")
def version_two_in_a_cut_header(log: ZmqRaftLog) -> None:
    """23 bytes of a header of version 2: it is judged when it is whole."""
    log.set("header.version", 2)
    log.truncate(23)
    log.expect("torn", "torn-header", end=0)


@BOOK.damaged(three_entries, "torn-tail", "ZMR-040", "ZMR-041", "ZMR-044", kind="eof")
def cut_in_the_token(log: ZmqRaftLog) -> None:
    """Three bytes of the token: what is there of it fits."""
    log.truncate(3)
    log.expect("torn", "torn-header", end=0)


@BOOK.damaged(three_entries, "header", "ZMR-040", "ZMR-041")
def another_token_cut(log: ZmqRaftLog) -> None:
    """Two bytes that do not begin the token."""
    log.set("header.token", b"RXOG")
    log.truncate(2)
    log.expect("refused", "bad-token", end=None)


@BOOK.damaged(three_entries, "header", "ZMR-040", "ZMR-041", "ZMR-042")
def version_and_length_wrong(log: ZmqRaftLog) -> None:
    """Version 2 and a length that contradicts the capacity: the version is judged first."""
    log.set("header.version", 2)
    log.set("header.len_body", 0)
    log.expect("refused", "unsupported-version", end=None)


@BOOK.damaged(three_entries, "header", "ZMR-040", "ZMR-042", "ZMR-043")
def length_and_index_wrong(log: ZmqRaftLog) -> None:
    """A length that contradicts the capacity, and another index: the length is judged first."""
    log.set("header.len_body", 0)
    log.set("header.first_index", 3)
    log.expect("damaged", "bad-header", end=None)


@BOOK.damaged(three_entries, "header", "ZMR-040", "ZMR-043", "ZMR-044")
def index_wrong_in_a_cut_file(log: ZmqRaftLog) -> None:
    """Another index than the name's, in a file cut before its table: the index is judged first."""
    log.set("header.first_index", 3)
    log.truncate(24)
    log.expect("damaged", "index-mismatch", end=None)


@BOOK.damaged(three_entries, "index-file", "ZMR-043")
def index_that_nothing_tells(log: ZmqRaftLog) -> None:
    """Neither name nor context gives the first index: the header is believed."""
    log.set("header.first_index", 7)
    del log.context["first_index"]
    log.expect("intact", survivors=[0, 1, 2], end=197)


@BOOK.damaged(three_entries, "index-file", "ZMR-105")
def token_under_another_name(log: ZmqRaftLog) -> None:
    """The name is no index file's: the token says what it is."""
    log.suffix = ".dat"
    log.expect("intact", survivors=[0, 1, 2], end=197)


@BOOK.damaged(three_entries, "index-file", "ZMR-105")
def told_to_be_a_snapshot(log: ZmqRaftLog) -> None:
    """The context says that this is a snapshot: it is read as one, whatever its token says."""
    log.context["kind"] = "snapshot"
    log.expect("refused", "bad-token", end=None)


@BOOK.damaged(three_entries, "index-file", "ZMR-105")
def told_to_be_a_state_file(log: ZmqRaftLog) -> None:
    """The context says that this is a state file: its first byte begins no map."""
    log.context["kind"] = "state"
    log.expect("damaged", "not-a-map", end=None)


@BOOK.damaged(three_entries, "index-file", "ZMR-105")
def another_token_told_to_be_an_index_file(log: ZmqRaftLog) -> None:
    """Name and token are not those of an index file, and the context says that it is one."""
    log.suffix = ".dat"
    log.context["kind"] = "index"
    log.set("header.token", b"RLOX")
    log.expect("refused", "bad-token", end=None)


@BOOK.damaged(three_entries, "header", "ZMR-010", "ZMR-042")
def capacity_that_overflows(log: ZmqRaftLog) -> None:
    """A capacity of 2^32 - 4 and a length of 0, which agree only in 32 bits."""
    log.set("header.capacity", 2**32 - 4)
    log.set("header.len_body", 0)
    log.expect("damaged", "bad-header", end=None)


@BOOK.damaged(three_entries, "limits", "ZMR-002", "ZMR-010", kind="limit")
def first_index_with_the_highest_bit(log: ZmqRaftLog) -> None:
    """A first index of 2^63: it has no sign, and only a writer has a limit."""
    log.set("header.first_index", 2**63)
    del log.context["first_index"]
    log.expect("intact", survivors=[0, 1, 2])


@BOOK.damaged(three_entries, "torn-tail", "ZMR-040", "ZMR-044", kind="eof")
def cut_in_the_table_after_a_first_offset_of_zero(log: ZmqRaftLog) -> None:
    """The file ends in the second offset, and the first one is zero: nothing was committed."""
    log.zero("offsets[0]")
    log.truncate_in("offsets[1]", 2)
    log.expect("torn", "torn-header", end=0)


@BOOK.damaged(three_entries, "header", "ZMR-040", "ZMR-045")
def cut_in_the_table_after_a_high_first_offset(log: ZmqRaftLog) -> None:
    """The file ends after a first offset whose last byte alone is not zero."""
    log.set("offsets[0]", 0x01000000)
    log.truncate_in("offsets[1]", 0)
    log.expect("damaged", "missing-marker", end=None)
