"""Index files whose header does not hold together, or that end before their entries."""

from conformance.recipes.zmq_raft.index_files import three_entries
from conformance.recipes.zmq_raft.log import BOOK, ZmqRaftLog


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
