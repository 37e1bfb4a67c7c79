"""Appending to a single file: after what is lost in it, and with what its name does not say."""

import struct

from conformance.recipes.zmq_raft.appending import (
    DELTA,
    ECHO,
    UPDATE,
    append_an_update,
    append_to_three_entries,
)
from conformance.recipes.zmq_raft.index_files import three_entries
from conformance.recipes.zmq_raft.log import BOOK, ZmqRaftLog, entry
from conformance.recipes.zmq_raft.offsets import five_entries
from conformance.recipes.zmq_raft.snapshots import snapshot_of_ten_bytes
from conformance.recipes.zmq_raft.states import five_updates
from reference_impl.answer import NewRecord
from reference_impl.zmq_raft.message_pack import encode

NEXT = encode({"foo": 8})


@BOOK.appending(
    five_entries, "appending", "ZMR-018", "ZMR-048", "ZMR-050", kind="corrupt",
    control=append_to_three_entries,
)  # fmt: skip
def append_after_a_short_entry(log: ZmqRaftLog) -> None:
    """The last entry has one byte: its term, which no offset covers, is compared with nothing."""
    log.set("data.entries[4].header.term", 9)
    log.set("offsets[4]", 101)
    log.add(DELTA)
    log.expect("damaged", "short-entry", survivors=[0, 1, 2, 3, b"delta"])


@BOOK.appending(
    five_entries, "appending", "ZMR-018", "ZMR-049", "ZMR-050", kind="corrupt",
    control=append_to_three_entries,
)  # fmt: skip
def append_after_a_bad_term(log: ZmqRaftLog) -> None:
    """The term of the last entry exceeds the limit: it is lost, and compared with nothing."""
    log.set("data.entries[4].header.term", 2**53)
    log.add(DELTA)
    log.expect("damaged", "bad-term", survivors=[0, 1, 2, 3, b"delta"])


@BOOK.valid("index-file", "ZMR-017", "ZMR-050")
def one_entry_before_old_offsets(log: ZmqRaftLog) -> None:
    """A rollback that did not finish left the last offset of the table, five bytes."""
    log.index_file(entry(bytes(20), 2), first=4)
    log.data[36:40] = (5).to_bytes(4, "little")
    log.expect("intact", survivors=[0])


@BOOK.appending(
    one_entry_before_old_offsets, "appending", "ZMR-013", "ZMR-017", "ZMR-050",
    control=append_to_three_entries,
)  # fmt: skip
def append_a_term_that_falls_before_old_offsets(log: ZmqRaftLog) -> None:
    """Term 2, then 1, in a table whose last offset is an old one."""
    log.add(entry(b"bravo", 1))
    log.expect_refusal(survivors=[0])


@BOOK.valid("index-file", "ZMR-017")
def old_offsets_on_both_sides_of_a_zero(log: ZmqRaftLog) -> None:
    """A table of 3, 0, 6, 9, 0 and 12: only the first entry is committed."""
    log.raw_index_file(b"abc", first=0, capacity=6)
    log.data[24:48] = struct.pack("<6I", 3, 0, 6, 9, 0, 12)
    log.expect("intact", survivors=[0])


@BOOK.appending(old_offsets_on_both_sides_of_a_zero, "appending", "ZMR-017", "ZMR-018")
def append_between_old_offsets(log: ZmqRaftLog) -> None:
    """The old offsets up to the next zero are cleared, as zmq-raft 0.5.0 does, and no others."""
    log.add(NewRecord(b"d"))
    log.expect("intact", survivors=[0, b"d"])
    log.leaves_bytes("", 24, struct.pack("<6I", 3, 4, 0, 0, 0, 12))


@BOOK.appending(
    three_entries, "appending", "ZMR-044", "ZMR-105", kind="eof", control=append_to_three_entries
)
def append_to_an_unfinished_file_of_another_name(log: ZmqRaftLog) -> None:
    """Ten bytes of an index file, of which only the token tells what they are."""
    log.suffix = ".entries"
    log.truncate(10)
    log.add(DELTA, ECHO)
    log.expect("intact", survivors=[b"delta", b"echo"])


@BOOK.appending(snapshot_of_ten_bytes, "appending", "ZMR-064", control=append_an_update)
def append_an_update_to_a_snapshot(log: ZmqRaftLog) -> None:
    """A record that a state file would take."""
    log.add(NewRecord(UPDATE))
    log.expect_refusal(survivors=[0])


@BOOK.appending(
    five_updates, "appending", "ZMR-075", "ZMR-080", kind="eof",
    control=append_an_update,
)  # fmt: skip
def append_to_a_torn_state_file_by_rotating_it(log: ZmqRaftLog) -> None:
    """The last update is cut and the next one rotates: the old file stays as it is, torn."""
    log.truncate(33)
    log.know({"foo": 0})
    log.context |= {"created": "2020-02-29T12:34:56.789Z"}
    log.add(NewRecord(UPDATE, {"rotate": True}), NewRecord(NEXT))
    log.rewrites()
    log.expect("intact", survivors=[UPDATE, NEXT])
    name = "append-to-a-torn-state-file-by-rotating-it.pers-2020-02-29-123456-789*"
    log.leaves({"": 12, f"../{name}": 33})
