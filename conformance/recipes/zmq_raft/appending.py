"""Appends to intact and torn logs, after which a reader returns every acknowledged record."""

from conformance.recipes.zmq_raft.directories import (
    empty_file_at_the_end,
    last_file_full,
    three_files,
)
from conformance.recipes.zmq_raft.index_files import (
    full_to_its_capacity,
    no_entries,
    old_offsets_behind_a_zero,
    three_entries,
)
from conformance.recipes.zmq_raft.log import APPENDING, EIGHT, ZmqRaftLog, entry
from conformance.recipes.zmq_raft.offsets import five_entries
from conformance.recipes.zmq_raft.states import five_updates
from reference_impl.answer import NewRecord
from reference_impl.zmq_raft.message_pack import encode

DELTA, ECHO = entry(b"delta", 2), entry(b"echo", 2)
UPDATE = encode({"foo": 7})


@APPENDING.appending(three_entries, "ZMR-018")
def append_to_three_entries(log: ZmqRaftLog) -> None:
    """A writer appends two entries to an index file with three entries."""
    log.add(DELTA, ECHO)
    log.expect("intact", survivors=[0, 1, 2, b"delta", b"echo"])


@APPENDING.appending(no_entries, "ZMR-018")
def append_to_an_empty_file(log: ZmqRaftLog) -> None:
    """A writer appends two entries to an index file without entries."""
    log.add(DELTA, ECHO)
    log.expect("intact", survivors=[b"delta", b"echo"])


@APPENDING.appending(
    five_entries, "ZMR-018", "ZMR-047", kind="eof", control=append_to_three_entries, may_refuse=True
)
def append_behind_a_torn_entry(log: ZmqRaftLog) -> None:
    """The last entry lacks its last byte. A writer rolls back the torn entry and then appends two
    entries."""
    log.shows("going-on-after-a-torn-record")
    log.truncate(244)
    log.add(DELTA, ECHO)
    log.expect("intact", survivors=[0, 1, 2, 3, b"delta", b"echo"])


@APPENDING.appending(
    five_entries, "ZMR-018", "ZMR-047", kind="eof", control=append_to_three_entries, may_refuse=True
)
def append_behind_three_torn_entries(log: ZmqRaftLog) -> None:
    """The last three entries are torn. A writer rolls back these entries and then appends two
    entries."""
    log.truncate_in("data.entries[2]", 12)
    log.add(DELTA, ECHO)
    log.expect("intact", survivors=[0, 1, b"delta", b"echo"])


@APPENDING.appending(
    old_offsets_behind_a_zero, "ZMR-018", "ZMR-017", control=append_to_three_entries
)
def append_in_front_of_old_offsets(log: ZmqRaftLog) -> None:
    """Old offsets follow the first zero in the table. A writer that appends an entry sets these
    offsets to zero."""
    log.add(NewRecord(b"XY"))
    log.expect("intact", survivors=[0, b"XY"])


@APPENDING.appending(full_to_its_capacity, "ZMR-101", kind="limit")
def append_to_a_full_file(log: ZmqRaftLog) -> None:
    """A writer refuses to append to an index file whose table has no free slot."""
    log.add(DELTA)
    log.context["capacity"] = 16
    log.expect_refusal(survivors=[0, 1, 2])


@APPENDING.appending(five_updates, "ZMR-080")
def append_an_update(log: ZmqRaftLog) -> None:
    """A writer appends one update to a state file with five updates."""
    log.know({"foo": 0, "baz": None})
    log.add(NewRecord(UPDATE))
    log.expect("intact", survivors=[0, 1, 2, 3, 4, UPDATE])


@APPENDING.appending(five_updates, "ZMR-080", kind="eof", control=append_an_update)
def append_behind_a_torn_update(log: ZmqRaftLog) -> None:
    """A state file ends inside an update. A writer truncates or rotates the file before it
    appends."""
    log.truncate(33)
    log.know({"foo": 0, "baz": None})
    log.add(NewRecord(UPDATE))
    log.expect("intact", survivors=[0, 1, 2, UPDATE])
    log.may_append_as(
        [NewRecord(UPDATE, {"rotate": True})],
        "a writer may rotate the file instead, like zmq-raft, and write the whole state (ZMR-080)",
        {"": 14, "../append-behind-a-torn-update.pers-2018-09-26-145936-817*": 33},
    )


@APPENDING.appending(three_files, "ZMR-098")
def append_to_a_directory(log: ZmqRaftLog) -> None:
    """A writer appends three entries to a directory. One entry fits into the last file, and the
    other two go into a new file."""
    log.add(DELTA, ECHO, entry(b"foxtrot", 2))
    log.expect("intact", survivors=[*range(10), b"delta", b"echo", b"foxtrot"])


@APPENDING.appending(last_file_full, "ZMR-098")
def append_behind_a_full_file(log: ZmqRaftLog) -> None:
    """The last index file of a directory is full. A writer appends two entries to a new file that
    begins with index 8."""
    log.add(DELTA, ECHO)
    log.expect("intact", survivors=[*range(7), b"delta", b"echo"])


@APPENDING.appending(empty_file_at_the_end, "ZMR-095", "ZMR-098", control=append_to_a_directory)
def append_with_an_empty_file_at_the_end(log: ZmqRaftLog) -> None:
    """An empty spare file begins with index 12, and the next index is 11. A writer first fills the
    last file."""
    log.add(DELTA, ECHO)
    log.expect("intact", survivors=[*range(10), b"delta", b"echo"])


@APPENDING.appending(
    three_files, "ZMR-047", "ZMR-098", kind="eof", control=append_to_a_directory, may_refuse=True
)
def append_to_a_torn_directory(log: ZmqRaftLog) -> None:
    """The last index file of a directory lacks its last byte. A writer rolls back the torn entry
    and then appends two entries."""
    log.truncate(185, EIGHT)
    log.add(DELTA, ECHO)
    log.expect("intact", survivors=[*range(9), b"delta", b"echo"])


@APPENDING.appending(
    last_file_full,
    "ZMR-044",
    "ZMR-098",
    kind="eof",
    control=append_behind_a_full_file,
    may_refuse=True,
)
def append_over_an_unfinished_file(log: ZmqRaftLog) -> None:
    """Only 20 bytes of the index file for the next entry exist. A writer recreates this unfinished
    file and appends two entries."""
    log.add_file(EIGHT, b"RLOG\x20\0\0\0\x01\0\0\0\x04\0\0\0\x08\0\0\0")
    log.add(DELTA, ECHO)
    log.expect("intact", survivors=[*range(7), b"delta", b"echo"])
