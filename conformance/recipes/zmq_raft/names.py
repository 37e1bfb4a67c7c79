"""Names of logs, which can determine the kind and the first index of a log."""

from conformance.recipes.zmq_raft.index_files import three_entries
from conformance.recipes.zmq_raft.log import (
    HEADER_GROUP,
    SNAPSHOT,
    STATE_GROUP,
    WRITING,
    ZmqRaftLog,
    entry,
)
from conformance.recipes.zmq_raft.snapshots import snapshot_of_ten_bytes
from conformance.recipes.zmq_raft.states import five_updates


@HEADER_GROUP.damaged(three_entries, "ZMR-015", "ZMR-043")
def name_of_another_index(log: ZmqRaftLog) -> None:
    """The name of an index file gives the first index 3, and its header gives 1. The whole file is
    lost."""
    log.name = "00000000000003.rlog"
    del log.context["first_index"]
    log.expect("damaged", "index-mismatch", end=None)


@HEADER_GROUP.valid("ZMR-015", "ZMR-043")
def name_of_its_own_index(log: ZmqRaftLog) -> None:
    """The name of an index file, in hexadecimal, and its header both give the first index 26."""
    log.index_file(entry(b"alpha"), entry(b"bravo"), first=26)
    log.name = "0000000000001a.rlog"
    del log.context["first_index"]
    log.expect("intact", survivors=[0, 1])


@HEADER_GROUP.damaged(three_entries, "ZMR-015", "ZMR-043")
def name_that_goes_on(log: ZmqRaftLog) -> None:
    """The name of an index file continues after .rlog, so the name gives no first index. A reader
    uses the index in the header."""
    log.name = "00000000000003.rlog-copy"
    del log.context["first_index"]
    log.expect("intact", survivors=[0, 1, 2])


@HEADER_GROUP.damaged(three_entries, "ZMR-105")
def file_of_kind_directory(log: ZmqRaftLog) -> None:
    """The context declares an index file to be a directory. A reader ignores this declaration."""
    log.context["kind"] = "directory"
    log.expect("intact", survivors=[0, 1, 2])


@SNAPSHOT.damaged(snapshot_of_ten_bytes, "ZMR-105")
def snapshot_under_another_name(log: ZmqRaftLog) -> None:
    """The name of a snapshot ends in .data. A reader identifies the file by its token."""
    log.suffix = ".data"
    log.expect("intact", survivors=[0])


@SNAPSHOT.damaged(snapshot_of_ten_bytes, "ZMR-041", "ZMR-105")
def rotated_snapshot_of_another_token(log: ZmqRaftLog) -> None:
    """A file with the name of a rotated snapshot has an invalid token. A reader refuses the
    file."""
    log.suffix = ".snap-2018-09-26-145936-8170"
    log.set("header.token", b"SXAP")
    log.expect("refused", "bad-token", end=None)


@STATE_GROUP.damaged(five_updates, "ZMR-105")
def state_under_a_name_with_snap_in_it(log: ZmqRaftLog) -> None:
    """The name of a state file ends in .snap.pers, which is not the name of a snapshot."""
    log.suffix = ".snap.pers"
    log.expect("intact", survivors=[0, 1, 2, 3, 4])


@WRITING.writing("ZMR-015", "ZMR-021")
def write_under_the_name_of_an_index(log: ZmqRaftLog) -> None:
    """A writer begins a new index file with the index in its name."""
    log.index_file(entry(b"alpha"), entry(b"bravo"), first=29, capacity=16)
    log.name = "0000000000001d.rlog"
    del log.context["first_index"]


@HEADER_GROUP.damaged(three_entries, "ZMR-015", "ZMR-043")
def name_of_an_index_above_the_limit(log: ZmqRaftLog) -> None:
    """The name of an index file gives the first index 2^56 - 1, above the limit of writers, and its
    header gives 1. The file is lost."""
    log.name = "ffffffffffffff.rlog"
    del log.context["first_index"]
    log.expect("damaged", "index-mismatch", end=None)


@WRITING.writing("ZMR-015", "ZMR-021")
def write_under_a_name_that_the_context_overrules(log: ZmqRaftLog) -> None:
    """The name of a new index file gives the first index 31, and the context gives 30. A writer
    begins the file with index 30."""
    log.name = "0000000000001f.rlog"
    log.index_file(entry(b"alpha"), entry(b"bravo"), first=30, capacity=16)


@WRITING.writing("ZMR-015", "ZMR-020", control=write_under_the_name_of_an_index)
def write_another_index_than_that_of_the_name(log: ZmqRaftLog) -> None:
    """The name of a new index file gives the first index 28. A writer refuses to begin with a
    record of index 29."""
    log.name = "0000000000001c.rlog"
    log.refuse(".rlog", entry(b"alpha", index="29"), capacity=16)


@STATE_GROUP.valid("ZMR-105")
def state_file_under_the_name_of_a_temporary_index_file(log: ZmqRaftLog) -> None:
    """The name of a state file ends in .rlog.tmp-1-a, which is not the name of an index file."""
    log.state({"foo": 2}, {"baz": "alpha"}, kind="state")
    del log.context["kind"]
    log.name = "x.rlog.tmp-1-a"
    log.expect("intact", survivors=[0, 1])
