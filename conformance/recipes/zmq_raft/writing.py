"""Writer vectors. With a fixed time and host name, the format determines every byte."""

from conformance.recipes.zmq_raft.log import CONFIG, WRITING, ZmqRaftLog, at, checkpoint, entry
from conformance.recipes.zmq_raft.states import PEERS
from reference_impl.answer import NewRecord
from reference_impl.zmq_raft.message_pack import encode

META = (
    "4d45544132000000 82a763726561746564b8323031382d30392d32365431343a35393a33362e3831375a"
    "a8686f73746e616d65a6676f6c64656e 0000"
)


@WRITING.writing("ZMR-021", "ZMR-005", "ZMR-014", "ZMR-030")
def write_two_entries(log: ZmqRaftLog) -> None:
    """A writer writes a state entry and a checkpoint, with the same bytes as zmq-raft 0.5.0."""
    log.index_file(entry(b"hello"), checkpoint(2))
    log.expect_bytes(
        bytes.fromhex(
            "524c4f471c00000001000000030000000100000000000000190000002e00000000000000"
            f"{META} 49544d5a00000000 5bab9dc8aabbcc1234000001 00 01000000000000 68656c6c6f"
            "000000000000000000000000 02 02000000000000 c0"
        )
    )


@WRITING.writing("ZMR-021", "ZMR-010")
def write_an_empty_index_file(log: ZmqRaftLog) -> None:
    """A writer writes an index file without entries, whose table consists of eight zeros."""
    log.index_file(first=8, capacity=8)
    log.expect_bytes(
        bytes.fromhex(
            f"524c4f473000000001000000080000000800000000000000 {'00' * 32} {META} 49544d5a00000000"
        )
    )


@WRITING.writing("ZMR-010", "ZMR-012", "ZMR-032")
def write_a_full_index_file(log: ZmqRaftLog) -> None:
    """A writer writes three raw entries from index 2^32 + 5 on, which fill the file."""
    log.raw_index_file(b"a", b"bb", b"ccc", first=2**32 + 5, capacity=8)
    log.expect_bytes(
        bytes.fromhex(
            "524c4f471c00000001000000030000000500000001000000010000000300000006000000"
            f"{META} 49544d5a00000000 616262636363"
        )
    )


@WRITING.writing("ZMR-019", "ZMR-020")
def write_and_roll_back(log: ZmqRaftLog) -> None:
    """A writer writes index 2 again after index 3. It rolls back to index 2 and writes over the old
    bytes."""
    log.raw_index_file(b"abc", b"def", b"ghi", at(2, b"XY"))


@WRITING.writing("ZMR-014")
def write_from_an_odd_index(log: ZmqRaftLog) -> None:
    """A writer with a configured capacity of 16 begins a file with index 21. The file gets the
    capacity 11."""
    log.index_file(entry(b"alpha"), entry(b"bravo", 2), first=21, capacity=16)


@WRITING.writing("ZMR-030", "ZMR-031", kind="limit")
def write_the_largest_term(log: ZmqRaftLog) -> None:
    """A writer writes a config entry with the largest term, 2^53 - 1."""
    log.index_file(entry(encode(PEERS), 2**53 - 1, CONFIG))


@WRITING.writing("ZMR-060", "ZMR-005")
def write_a_snapshot(log: ZmqRaftLog) -> None:
    """A writer writes a snapshot with ten bytes of data at index 42 and term 100, with the same
    bytes as zmq-raft 0.5.0."""
    log.snapshot(b"0123456789", 42, 100)
    log.expect_bytes(
        bytes.fromhex(
            "534e41501c000000010000002a0000000000000064000000000000000a00000000000000"
            f"{META} 4441544100000000 30313233343536373839"
        )
    )


@WRITING.writing("ZMR-042", "ZMR-060", kind="limit")
def write_the_largest_snapshot(log: ZmqRaftLog) -> None:
    """A writer writes a snapshot with the largest index and the largest term, 2^53 - 1."""
    log.snapshot(b"0123456789", 2**53 - 1, 2**53 - 1)


@WRITING.writing("ZMR-001", "ZMR-005")
def write_at_another_time_and_place(log: ZmqRaftLog) -> None:
    """A writer writes META with another time and a longer host name. The chunk needs one byte of
    padding."""
    log.index_file(entry(b"alpha"), created="2026-11-22T09:08:07.006Z", hostname="journal")


@WRITING.writing("ZMR-060", "ZMR-061")
def write_an_empty_snapshot(log: ZmqRaftLog) -> None:
    """A writer writes a snapshot with index 0, term 0 and no data, as FileLog creates it."""
    log.snapshot(b"", 0, 0)


@WRITING.writing("ZMR-070", "ZMR-073", "ZMR-074")
def write_updates(log: ZmqRaftLog) -> None:
    """A writer writes signed 32-bit integers in their shortest form and larger integers as floats,
    and drops an unknown key."""
    updates = ({"foo": 2}, {"baz": [1, 2, 3]}, {"foo": 2**31}, {"foo": -1}, {"other": 1})
    log.state(*updates, initial={"foo": 0, "baz": None})
    log.expect_bytes(
        bytes.fromhex(
            "81a3666f6f02 81a362617a93010203 81a3666f6fcb41e0000000000000 81a3666f6fff 80"
        )
    )


@WRITING.writing("ZMR-073")
def write_long_forms_short(log: ZmqRaftLog) -> None:
    """A writer gets updates in long forms and writes the forms that msgpack-lite uses."""
    one, two = "de0001d903666f6f ce00000001", "81a3666f6f cf0000000100000000"
    log.state(bytes.fromhex(one), bytes.fromhex(two), initial={"foo": 0})
    log.expect_bytes(bytes.fromhex("81a3666f6f01 81a3666f6fcb41f0000000000000"))


@WRITING.writing("ZMR-073", kind="limit")
def write_numbers_at_the_edges(log: ZmqRaftLog) -> None:
    """A writer writes the smallest and the largest number of every form."""
    edges = [0, 127, 128, 255, 256, 65535, 65536, 2**31 - 1, 2**31, -1, -32, -33, -128, -129]
    edges += [-(2**15), -(2**15) - 1, -(2**31), -(2**31) - 1, 2**53 - 1]
    log.state({"foo": edges}, {"foo": 0.5}, initial={"foo": 0})


@WRITING.writing("ZMR-073", kind="limit")
def write_bytes_at_the_edges(log: ZmqRaftLog) -> None:
    """A writer writes binary values of 254, 255 and 256 bytes. Like msgpack-lite, it uses a
    two-byte length for 255 bytes."""
    sizes = {254: "c4fe", 255: "c500ff", 256: "c50100"}
    log.state(*({"foo": bytes(size)} for size in sizes), initial={"foo": 0})
    made = (f"81a3666f6f {head} {'00' * size}" for size, head in sizes.items())
    log.expect_bytes(bytes.fromhex("".join(made)))


@WRITING.writing("ZMR-072", "ZMR-073")
def write_keys_of_inner_maps(log: ZmqRaftLog) -> None:
    """A writer replaces keys of inner maps that are not strings with their JSON text, because
    JavaScript objects have only string keys."""
    log.state(bytes.fromhex("81a3666f6f 83 01 02 c3 03 c0 04"), initial={"foo": 0})
    log.expect_bytes(bytes.fromhex("81a3666f6f 83 a131 02 a474727565 03 a46e756c6c 04"))


@WRITING.writing("ZMR-073", kind="limit")
def write_strings_at_the_edges(log: ZmqRaftLog) -> None:
    """A writer writes strings of 31, 32, 255 and 256 bytes, and strings with multi-byte
    characters."""
    texts = ["", "a" * 31, "a" * 32, "é" * 16, "a" * 255, "a" * 256, "日本"]
    log.state({"foo": texts}, {"foo": [None, True, False, {}, []]}, initial={"foo": 0})


@WRITING.writing("ZMR-075")
def write_a_rotated_state(log: ZmqRaftLog) -> None:
    """A writer that rotates a state file writes every known key with its current value, in the
    order of the defaults."""
    initial = {
        "currentTerm": 0, "votedFor": None, "peers": PEERS,
        "peersUpdateRequest": None, "peersIndex": None,
    }  # fmt: skip
    log.state(
        {"currentTerm": 1, "votedFor": "p1"},
        {"currentTerm": 2, "votedFor": None},
        {"currentTerm": 2**32},
        initial=initial,
    )
    log.rotate({"peersIndex": 1})
    log.expect_bytes(
        bytes.fromhex(
            "85ab63757272656e745465726dcb41f0000000000000a8766f746564466f72c0a570656572739192a2"
            "7031b47463703a2f2f3132372e302e302e313a38303437b27065657273557064617465526571756573"
            "74c0aa7065657273496e64657801"
        )
    )
    # A rotated name ends in a counter that the whole process shares, so other rotations may have
    # raised it.
    log.leaves({"": 96, "../write-a-rotated-state.pers-2018-09-26-145936-817*": 72})


@WRITING.writing("ZMR-098", "ZMR-015", "ZMR-090")
def write_a_directory(log: ZmqRaftLog) -> None:
    """Like zmq-raft 0.5.0, a writer writes seven entries into two index files, and a snapshot at
    index 0 without data."""
    log.directory(*(entry(b"entry%d" % n) for n in range(6)), checkpoint(2))


@WRITING.writing("ZMR-098", "ZMR-092")
def write_a_directory_behind_a_snapshot(log: ZmqRaftLog) -> None:
    """A writer creates a directory with a snapshot. The first index file begins directly after the
    snapshot and ends before a multiple of the capacity."""
    log.directory(*(entry(b"entry%d" % n) for n in range(4)), snapshot=(b"state at 5", 5, 1))


@WRITING.writing("ZMR-098")
def write_an_empty_directory(log: ZmqRaftLog) -> None:
    """A writer creates a directory without entries. It has a snapshot at index 0 without data, and
    an index file that begins with index 1."""
    log.directory()


def _ten_entries_and(log: ZmqRaftLog, *others: NewRecord) -> None:
    log.directory(*(entry(b"entry %d" % number) for number in range(1, 11)), *others)


@WRITING.writing("ZMR-019", "ZMR-098")
def write_where_a_file_begins(log: ZmqRaftLog) -> None:
    """A writer rolls back to index 8, the first index of the last file. It deletes this file and
    creates it again."""
    _ten_entries_and(log, entry(b"delta", index="8"))


@WRITING.writing("ZMR-019", "ZMR-098")
def write_two_files_back(log: ZmqRaftLog) -> None:
    """A writer rolls back to index 3, the last index of the first file. It deletes two files and
    creates one of them again."""
    _ten_entries_and(log, entry(b"delta", index="3"), entry(b"echo"))


@WRITING.writing("ZMR-019", "ZMR-098")
def write_where_the_log_begins(log: ZmqRaftLog) -> None:
    """A writer rolls back to index 1, where the log begins. It sets the offsets of the first file
    to zero and does not shorten the file."""
    _ten_entries_and(log, entry(b"delta", index="1"))


@WRITING.writing("ZMR-032", "ZMR-092")
def write_raw_entries_after_a_record_that_is_a_snapshot(log: ZmqRaftLog) -> None:
    """Entries are raw, and the first record has an index and no type. A writer uses this record as
    the snapshot, instead of the snapshot in the context."""
    context = {"index": "5", "term": "3", "payload": b"state at 5".hex()}
    snapshot = NewRecord(b"state at 7", {"index": "7", "term": "4"})
    log.write(
        "",
        [snapshot, NewRecord(b"a"), NewRecord(b"bb")],
        {"capacity": 4, "entries": "raw", "snapshot": context},
    )
