"""Appends to single files: after lost entries, before old offsets, and under unusual names."""

import struct

from conformance.recipes.zmq_raft.appending import (
    DELTA,
    ECHO,
    UPDATE,
    append_an_update,
    append_to_three_entries,
)
from conformance.recipes.zmq_raft.index_files import three_entries
from conformance.recipes.zmq_raft.log import APPENDING, INDEX_FILE, ZmqRaftLog, entry
from conformance.recipes.zmq_raft.offsets import five_entries
from conformance.recipes.zmq_raft.snapshots import snapshot_of_ten_bytes
from conformance.recipes.zmq_raft.states import five_updates
from reference_impl.answer import NewRecord
from reference_impl.zmq_raft.message_pack import encode

NEXT = encode({"foo": 8})


@APPENDING.appending(
    five_entries, "ZMR-018", "ZMR-048", "ZMR-050", kind="corrupt", control=append_to_three_entries
)
def append_after_a_short_entry(log: ZmqRaftLog) -> None:
    """The last entry is only one byte long, and the bytes of its term lie after its end. A writer
    appends an entry without comparing terms."""
    log.set("data.entries[4].header.term", 9)
    log.set("offsets[4]", 101)
    log.add(DELTA)
    log.expect("damaged", "short-entry", survivors=[0, 1, 2, 3, b"delta"])


@APPENDING.appending(
    five_entries, "ZMR-018", "ZMR-049", "ZMR-050", kind="corrupt", control=append_to_three_entries
)
def append_after_a_bad_term(log: ZmqRaftLog) -> None:
    """The term of the last entry of an index file exceeds the limit. A writer appends an entry
    without comparing terms."""
    log.set("data.entries[4].header.term", 2**53)
    log.add(DELTA)
    log.expect("damaged", "bad-term", survivors=[0, 1, 2, 3, b"delta"])


@INDEX_FILE.valid("ZMR-017", "ZMR-050")
def one_entry_before_old_offsets(log: ZmqRaftLog) -> None:
    """An unfinished rollback left an offset in the last slot of the table. A reader ignores this
    offset."""
    log.index_file(entry(bytes(20), 2), first=4)
    log.data[36:40] = (5).to_bytes(4, "little")
    log.expect("intact", survivors=[0])


@APPENDING.appending(
    one_entry_before_old_offsets, "ZMR-013", "ZMR-017", "ZMR-050", control=append_to_three_entries
)
def append_a_term_that_falls_before_old_offsets(log: ZmqRaftLog) -> None:
    """A writer refuses term 1 after term 2 in an index file with an old offset in the last slot."""
    log.add(entry(b"bravo", 1))
    log.expect_refusal(survivors=[0])


@INDEX_FILE.valid("ZMR-017")
def old_offsets_on_both_sides_of_a_zero(log: ZmqRaftLog) -> None:
    """A table contains 3, 0, 6, 9, 0 and 12. Only the first entry is committed."""
    log.raw_index_file(b"abc", first=0, capacity=6)
    log.data[24:48] = struct.pack("<6I", 3, 0, 6, 9, 0, 12)
    log.expect("intact", survivors=[0])


@APPENDING.appending(old_offsets_on_both_sides_of_a_zero, "ZMR-017", "ZMR-018")
def append_between_old_offsets(log: ZmqRaftLog) -> None:
    """A writer that appends an entry sets old offsets to zero only up to the next zero in the
    table, like zmq-raft 0.5.0."""
    log.add(NewRecord(b"d"))
    log.expect("intact", survivors=[0, b"d"])
    log.leaves_bytes("", 24, struct.pack("<6I", 3, 4, 0, 0, 0, 12))


@APPENDING.appending(
    three_entries, "ZMR-044", "ZMR-105", kind="eof", control=append_to_three_entries
)
def append_to_an_unfinished_file_of_another_name(log: ZmqRaftLog) -> None:
    """Only ten bytes of an index file exist, and its name ends in .entries. A writer identifies the
    file by its token and recreates it."""
    log.suffix = ".entries"
    log.truncate(10)
    log.add(DELTA, ECHO)
    log.expect("intact", survivors=[b"delta", b"echo"])


@APPENDING.appending(snapshot_of_ten_bytes, "ZMR-064", control=append_an_update)
def append_an_update_to_a_snapshot(log: ZmqRaftLog) -> None:
    """A writer refuses to append an update to a snapshot."""
    log.add(NewRecord(UPDATE))
    log.expect_refusal(survivors=[0])


@APPENDING.appending(five_updates, "ZMR-075", "ZMR-080", kind="eof", control=append_an_update)
def append_to_a_torn_state_file_by_rotating_it(log: ZmqRaftLog) -> None:
    """A state file ends inside an update. A writer rotates the file without truncating it, and
    appends a second update to the new file."""
    log.truncate(33)
    log.know({"foo": 0})
    log.context |= {"created": "2020-02-29T12:34:56.789Z"}
    log.add(NewRecord(UPDATE, {"rotate": True}), NewRecord(NEXT))
    log.rewrites()
    log.expect("intact", survivors=[UPDATE, NEXT])
    name = "append-to-a-torn-state-file-by-rotating-it.pers-2020-02-29-123456-789*"
    log.leaves({"": 12, f"../{name}": 33})
