"""What a log is called: which kind it is then, and with which index it begins."""

from conformance.recipes.zmq_raft.index_files import three_entries
from conformance.recipes.zmq_raft.log import BOOK, ZmqRaftLog, entry
from conformance.recipes.zmq_raft.snapshots import snapshot_of_ten_bytes
from conformance.recipes.zmq_raft.states import five_updates


@BOOK.damaged(three_entries, "header", "ZMR-015", "ZMR-043")
def name_of_another_index(log: ZmqRaftLog) -> None:
    """The name says 3 and the header 1: every entry could be another one."""
    log.name = "00000000000003.rlog"
    del log.context["first_index"]
    log.did("rename to 00000000000003.rlog")
    log.expect("damaged", "index-mismatch", end=None)


@BOOK.valid("header", "ZMR-015", "ZMR-043")
def name_of_its_own_index(log: ZmqRaftLog) -> None:
    """The name says 26, in hexadecimal, and so does the header."""
    log.index_file(entry(b"alpha"), entry(b"bravo"), first=26)
    log.name = "0000000000001a.rlog"
    del log.context["first_index"]
    log.expect("intact", survivors=[0, 1])


@BOOK.damaged(three_entries, "header", "ZMR-015", "ZMR-043")
def name_that_goes_on(log: ZmqRaftLog) -> None:
    """A copy's name begins with index 3 and ends otherwise: it says nothing, the header counts."""
    log.name = "00000000000003.rlog-copy"
    del log.context["first_index"]
    log.did("rename to 00000000000003.rlog-copy")
    log.expect("intact", survivors=[0, 1, 2])


@BOOK.damaged(three_entries, "header", "ZMR-105")
def file_of_kind_directory(log: ZmqRaftLog) -> None:
    """The context says directory, which says nothing about a file."""
    log.context["kind"] = "directory"
    log.expect("intact", survivors=[0, 1, 2])


@BOOK.damaged(snapshot_of_ten_bytes, "snapshot", "ZMR-105")
def snapshot_under_another_name(log: ZmqRaftLog) -> None:
    """The token says snapshot, and the name nothing."""
    log.suffix = ".data"
    log.expect("intact", survivors=[0])


@BOOK.damaged(snapshot_of_ten_bytes, "snapshot", "ZMR-041", "ZMR-105")
def rotated_snapshot_of_another_token(log: ZmqRaftLog) -> None:
    """The token is wrong, and the name is that of a rotated snapshot."""
    log.suffix = ".snap-2018-09-26-145936-8170"
    log.set("header.token", b"SXAP")
    log.expect("refused", "bad-token", end=None)


@BOOK.damaged(five_updates, "state", "ZMR-105")
def state_under_a_name_with_snap_in_it(log: ZmqRaftLog) -> None:
    """A name in which more follows after .snap is not that of a snapshot."""
    log.suffix = ".snap.pers"
    log.expect("intact", survivors=[0, 1, 2, 3, 4])


@BOOK.writing("writing", "ZMR-015", "ZMR-021")
def write_under_the_name_of_an_index(log: ZmqRaftLog) -> None:
    """The name of a new index file says with which index it begins, before any record does."""
    log.index_file(entry(b"alpha"), entry(b"bravo"), first=29, capacity=16)
    log.name = "0000000000001d.rlog"
    del log.context["first_index"]


@BOOK.damaged(three_entries, "header", "ZMR-015", "ZMR-043")
def name_of_an_index_above_the_limit(log: ZmqRaftLog) -> None:
    """The name says 2^56 - 1, which no writer reaches, and the header 1: the name counts."""
    log.name = "ffffffffffffff.rlog"
    del log.context["first_index"]
    log.did("rename to ffffffffffffff.rlog")
    log.expect("damaged", "index-mismatch", end=None)


@BOOK.writing("writing", "ZMR-015", "ZMR-021")
def write_under_a_name_that_the_context_overrules(log: ZmqRaftLog) -> None:
    """The name says 31 and the context 30: the file begins with 30."""
    log.name = "0000000000001f.rlog"
    log.index_file(entry(b"alpha"), entry(b"bravo"), first=30, capacity=16)


@BOOK.writing("writing", "ZMR-015", "ZMR-020", control=write_under_the_name_of_an_index)
def write_another_index_than_that_of_the_name(log: ZmqRaftLog) -> None:
    """The name says 28, and the first record 29: the file begins with 28, and has no gap."""
    log.name = "0000000000001c.rlog"
    log.refuse(".rlog", entry(b"alpha", index="29"), capacity=16)
