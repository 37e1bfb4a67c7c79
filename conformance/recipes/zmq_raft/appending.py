"""Recover, append, read again: nothing acknowledged may be lost."""

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
from conformance.recipes.zmq_raft.log import BOOK, EIGHT, ZmqRaftLog, entry
from conformance.recipes.zmq_raft.offsets import five_entries
from conformance.recipes.zmq_raft.states import five_updates
from reference_impl.answer import NewRecord
from reference_impl.zmq_raft.message_pack import encode

DELTA, ECHO = entry(b"delta", 2), entry(b"echo", 2)
UPDATE = encode({"foo": 7})


@BOOK.appending(three_entries, "appending", "ZMR-018")
def append_to_three_entries(log: ZmqRaftLog) -> None:
    """Two entries are appended to three."""
    log.add(DELTA, ECHO)
    log.expect("intact", survivors=[0, 1, 2, b"delta", b"echo"])


@BOOK.appending(no_entries, "appending", "ZMR-018")
def append_to_an_empty_file(log: ZmqRaftLog) -> None:
    """Two entries into a new file."""
    log.add(DELTA, ECHO)
    log.expect("intact", survivors=[b"delta", b"echo"])


@BOOK.appending(
    five_entries, "appending", "ZMR-018", "ZMR-047", kind="eof", control=append_to_three_entries,
    may_refuse=True,
)  # fmt: skip
def append_behind_a_torn_entry(log: ZmqRaftLog) -> None:
    """The last entry lacks a byte: what is appended must not be read as part of it."""
    log.shows("going-on-after-a-torn-record")
    log.truncate(244)
    log.add(DELTA, ECHO)
    log.expect("intact", survivors=[0, 1, 2, 3, b"delta", b"echo"])


@BOOK.appending(
    five_entries, "appending", "ZMR-018", "ZMR-047", kind="eof", control=append_to_three_entries,
    may_refuse=True,
)  # fmt: skip
def append_behind_three_torn_entries(log: ZmqRaftLog) -> None:
    """Three entries of a batch lack their data: their offsets are rolled back first."""
    log.truncate_in("data.entries[2]", 12)
    log.add(DELTA, ECHO)
    log.expect("intact", survivors=[0, 1, b"delta", b"echo"])


@BOOK.appending(
    old_offsets_behind_a_zero, "appending", "ZMR-018", "ZMR-017", control=append_to_three_entries
)
def append_in_front_of_old_offsets(log: ZmqRaftLog) -> None:
    """Old offsets after the first zero must not come to life with the entry before them."""
    log.add(NewRecord(b"XY"))
    log.expect("intact", survivors=[0, b"XY"])


@BOOK.appending(full_to_its_capacity, "appending", "ZMR-101", kind="limit")
def append_to_a_full_file(log: ZmqRaftLog) -> None:
    """The table has no offset left."""
    log.add(DELTA)
    log.context["capacity"] = 16
    log.expect_refusal(survivors=[0, 1, 2])


@BOOK.appending(five_updates, "appending", "ZMR-080")
def append_an_update(log: ZmqRaftLog) -> None:
    """An update is appended to five."""
    log.know({"foo": 0, "baz": None})
    log.add(NewRecord(UPDATE))
    log.expect("intact", survivors=[0, 1, 2, 3, 4, UPDATE])


@BOOK.appending(five_updates, "appending", "ZMR-080", kind="eof", control=append_an_update)
def append_behind_a_torn_update(log: ZmqRaftLog) -> None:
    """The last update is cut: what is appended must not become a part of it."""
    log.truncate(33)
    log.know({"foo": 0, "baz": None})
    log.add(NewRecord(UPDATE))
    log.expect("intact", survivors=[0, 1, 2, UPDATE])
    log.may_append_as(
        [NewRecord(UPDATE, {"rotate": True})],
        "a writer may rotate instead (ZMR-080), as zmq-raft does: one map with the whole state",
        {"": 14, "../append-behind-a-torn-update.pers-2018-09-26-145936-817*": 33},
    )


@BOOK.appending(three_files, "appending", "ZMR-098")
def append_to_a_directory(log: ZmqRaftLog) -> None:
    """Three entries into a file with room for one: two go into a new file."""
    log.add(DELTA, ECHO, entry(b"foxtrot", 2))
    log.expect("intact", survivors=[*range(10), b"delta", b"echo", b"foxtrot"])


@BOOK.appending(last_file_full, "appending", "ZMR-098")
def append_behind_a_full_file(log: ZmqRaftLog) -> None:
    """The last file is full: a new one begins at index 8."""
    log.add(DELTA, ECHO)
    log.expect("intact", survivors=[*range(7), b"delta", b"echo"])


@BOOK.appending(
    empty_file_at_the_end, "appending", "ZMR-095", "ZMR-098", control=append_to_a_directory
)
def append_with_an_empty_file_at_the_end(log: ZmqRaftLog) -> None:
    """The empty file begins two entries further on: the room before it is used first."""
    log.add(DELTA, ECHO)
    log.expect("intact", survivors=[*range(10), b"delta", b"echo"])


@BOOK.appending(
    three_files, "appending", "ZMR-047", "ZMR-098", kind="eof", control=append_to_a_directory,
    may_refuse=True,
)  # fmt: skip
def append_to_a_torn_directory(log: ZmqRaftLog) -> None:
    """The last file lacks its last byte."""
    log.truncate(185, EIGHT)
    log.add(DELTA, ECHO)
    log.expect("intact", survivors=[*range(9), b"delta", b"echo"])


@BOOK.appending(
    last_file_full, "appending", "ZMR-044", "ZMR-098", kind="eof",
    control=append_behind_a_full_file, may_refuse=True,
)  # fmt: skip
def append_over_an_unfinished_file(log: ZmqRaftLog) -> None:
    """The next file was being made when the machine died: it is made again."""
    log.add_file(EIGHT, b"RLOG\x20\0\0\0\x01\0\0\0\x04\0\0\0\x08\0\0\0", "the first 20 bytes")
    log.add(DELTA, ECHO)
    log.expect("intact", survivors=[*range(7), b"delta", b"echo"])
