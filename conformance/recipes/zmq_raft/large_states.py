"""State files of more than 64 KiB: limits on their values, and rotation."""

import struct

from conformance.recipes.zmq_raft.appending import UPDATE, append_an_update
from conformance.recipes.zmq_raft.log import APPENDING, LIMITS, TORN_TAIL, WRITING, ZmqRaftLog
from conformance.recipes.zmq_raft.states import five_updates
from conformance.recipes.zmq_raft.writing import write_a_rotated_state, write_updates
from reference_impl.answer import NewRecord
from reference_impl.zmq_raft.message_pack import encode

LIMIT = 512 * 1024
KNOWN = {"foo": 0, "baz": None}


def _long_update(size: int) -> bytes:
    """Return an update of ``size`` bytes whose decoded form in the answer is short.

    Its only key occurs twice, and the last value of the key is 1.
    """
    text = bytes.fromhex("82a1 61 db") + struct.pack(">I", size - 11)
    return text + b"x" * (size - 11) + bytes.fromhex("a1 61 01")


def _rotated(moment: str) -> str:
    """Return the time as it appears in the name of a rotated file, given ``created`` from a
    context."""
    return moment.replace("T", "-").replace(":", "").replace(".", "-").removesuffix("Z")


@LIMITS.valid("ZMR-071", "ZMR-103", kind="limit")
def update_across_64_kib(log: ZmqRaftLog) -> None:
    """A state file with an update of 70,000 bytes between two short updates."""
    log.state_bytes(encode({"b": 2}), _long_update(70_000), encode({"c": 3}))
    log.expect("intact", survivors=[0, 1, 2], end=70_008)


@LIMITS.valid("ZMR-071", "ZMR-103", kind="limit")
def update_that_ends_at_64_kib(log: ZmqRaftLog) -> None:
    """A state file with an update of 65,536 bytes and a short update after it."""
    log.state_bytes(_long_update(65_536), encode({"c": 3}))
    log.expect("intact", survivors=[0, 1], end=65_540)


MOST_VALUES = 16_384


def _many_values(key: bytes, count: int) -> bytes:
    """Return an update with one key. It has ``count`` values in total, including its map and the
    key.

    The value of the key is a map that repeats one key, so that its JSON is short. If ``count`` is
    even, this map is inside an array.
    """
    rest = count - 2  # The outer map and its key are values, too.
    value = b"\x91" if rest % 2 == 0 else b""
    repeats = (rest - len(value) - 1) // 2
    return b"\x81" + key + value + b"\xdf" + struct.pack(">I", repeats) + b"\xa1k\x00" * repeats


@LIMITS.valid("ZMR-106", kind="limit")
def update_of_as_many_values_as_are_shown(log: ZmqRaftLog) -> None:
    """An update has 16,384 values, including the map and its key. The record has `update` and
    `state`."""
    log.state_bytes(_many_values(b"\xa1a", MOST_VALUES))
    log.expect("intact", survivors=[0])


@LIMITS.valid("ZMR-106", kind="limit")
def update_of_a_value_too_many(log: ZmqRaftLog) -> None:
    """An update has 16,385 values. Its record has no `update`, and the last record has no `state`,
    but no update is lost."""
    log.state_bytes(encode({"b": 1}), _many_values(b"\xa1a", MOST_VALUES + 1), encode({"a": 2}))
    log.expect("intact", survivors=[0, 1, 2])


@LIMITS.valid("ZMR-106", kind="limit")
def update_of_empty_maps(log: ZmqRaftLog) -> None:
    """An update has 24,576 empty maps in one array. Each empty map counts as a value, so the record
    has no `update`."""
    log.state_bytes(bytes.fromhex("81a161 dc6000") + b"\x80" * 24_576)
    log.expect("intact", survivors=[0])


@LIMITS.valid("ZMR-106", "ZMR-071", kind="limit")
def state_of_as_many_values_as_are_shown(log: ZmqRaftLog) -> None:
    """The state has 16,384 values in two keys, one of which is set twice. The last record has
    `state`."""
    log.state_bytes(
        _many_values(b"\xa1a", 11_001),
        _many_values(b"\xa1b", 5384),
        _many_values(b"\xa1a", 11_001),
    )
    log.expect("intact", survivors=[0, 1, 2])


@LIMITS.valid("ZMR-106", kind="limit")
def state_of_a_value_too_many(log: ZmqRaftLog) -> None:
    """The state has 16,385 values after the second update and 5 values after the third. The last
    record has no `state`."""
    log.state_bytes(
        _many_values(b"\xa1a", 11_001),
        _many_values(b"\xa1b", 5385),
        encode({"a": 1, "b": 2}),
    )
    log.expect("intact", survivors=[0, 1, 2])


@LIMITS.valid("ZMR-106", kind="limit")
def state_of_a_value_too_many_in_arrays(log: ZmqRaftLog) -> None:
    """The state has 16,385 values after the second update. Arrays count as values, and so do their
    elements."""
    log.state_bytes(_many_values(b"\xa1a", 11_002), _many_values(b"\xa1b", 5384))
    log.expect("intact", survivors=[0, 1])


@LIMITS.damaged(update_of_a_value_too_many, "ZMR-079", "ZMR-106", kind="limit")
def type_that_is_none_after_many_values(log: ZmqRaftLog) -> None:
    """An update has more than 16,384 values, and its last value is the byte c1. A reader checks the
    update to its end."""
    log.fill("updates[1].elements[1].elements[16381]", 0xC1)
    log.expect("damaged", "bad-type", survivors=[0, 2], end=None)


@LIMITS.damaged(update_of_a_value_too_many, "ZMR-106", "ZMR-107", kind="limit")
def value_too_many_after_a_fault(log: ZmqRaftLog) -> None:
    """An array replaces the second update. A later update has more than 16,384 values, but the
    first record still has the `state` before the fault."""
    log.insert(4, b"\x90")
    log.expect("damaged", "not-a-map", survivors=[0, 1, 2], end=None)


@TORN_TAIL.damaged(update_across_64_kib, "ZMR-076")
def update_cut_after_64_kib(log: ZmqRaftLog) -> None:
    """A state file ends one byte before the end of an update of 70,000 bytes."""
    log.truncate(70_003)
    log.expect("torn", "torn-update", survivors=[0], end=4)


@LIMITS.damaged(five_updates, "ZMR-076", "ZMR-077", kind="limit")
def byte_after_100_kib_of_zeros(log: ZmqRaftLog) -> None:
    """100 KiB of zeros and a byte 01 follow the last update. The reason is not-a-map, not
    torn-update."""
    log.extend(bytes(100 * 1024) + b"\x01")
    log.expect("damaged", "not-a-map", survivors=[0, 1, 2, 3, 4], end=None)


ALL_KNOWN = {"b": 0, "a": 0, **KNOWN}


def _grow_to(log: ZmqRaftLog, size: int) -> None:
    """Add an update that makes the file ``size`` bytes long."""
    log.extend(_long_update(size - len(log.data)))


@APPENDING.appending(five_updates, "ZMR-075", kind="limit", control=append_an_update)
def append_to_a_state_of_512_kib(log: ZmqRaftLog) -> None:
    """A state file is 524,288 bytes long, which is the rotation limit. A writer writes the whole
    state, with the new update, into a new file."""
    _grow_to(log, LIMIT)
    log.know(ALL_KNOWN)
    log.context |= {"created": "2018-09-26T14:59:36.100Z"}
    log.add(NewRecord(UPDATE))
    log.rewrites()
    whole = encode({"b": 0, "a": 1, "foo": 7, "baz": [1, 2, 3]})
    log.expect("intact", survivors=[whole], end=len(whole))
    rotated = f"../append-to-a-state-of-512-kib.pers-{_rotated('2018-09-26T14:59:36.100Z')}0"
    log.leaves({"": len(whole), rotated: LIMIT})


@APPENDING.appending(five_updates, "ZMR-075", kind="limit", control=append_an_update)
def append_to_a_state_of_a_byte_less(log: ZmqRaftLog) -> None:
    """A state file is 524,287 bytes long, one byte less than the rotation limit. A writer appends
    the update to this file."""
    _grow_to(log, LIMIT - 1)
    log.know(ALL_KNOWN)
    log.add(NewRecord(UPDATE))
    survivors: list[int | bytes] = [0, 1, 2, 3, 4, bytes(log.data[36:]), UPDATE]
    log.expect("intact", survivors=survivors, end=LIMIT + 5)


@APPENDING.appending(five_updates, "ZMR-075")
def append_and_rotate(log: ZmqRaftLog) -> None:
    """After a restart, a writer rotates a state file. The new file holds the state after the five
    old updates and the new update."""
    log.know(KNOWN)
    log.context |= {"created": "2018-09-26T14:59:36.101Z"}
    log.add(NewRecord(UPDATE, {"rotate": True}))
    log.rewrites()
    log.expect("intact", survivors=[encode({"foo": 7, "baz": [1, 2, 3]})], end=14)
    rotated = f"../append-and-rotate.pers-{_rotated('2018-09-26T14:59:36.101Z')}0"
    log.leaves({"": 14, rotated: 36})


@APPENDING.appending(
    update_of_a_value_too_many, "ZMR-080", "ZMR-106", kind="limit", control=append_an_update
)
def append_after_a_value_too_many(log: ZmqRaftLog) -> None:
    """A state file contains an update with more than 16,384 values. A writer appends another update
    to this file."""
    size = len(log.data)
    log.know(KNOWN)
    log.add(NewRecord(UPDATE))
    log.expect("intact", survivors=[0, 1, 2, UPDATE], end=size + len(UPDATE))


@APPENDING.appending(five_updates, "ZMR-075", "ZMR-080", kind="eof", control=append_an_update)
def append_and_rotate_behind_a_torn_update(log: ZmqRaftLog) -> None:
    """A state file ends inside an update. A writer rotates the file without truncating it, and the
    torn update does not change the new state."""
    log.truncate(33)
    log.know(KNOWN)
    log.context |= {"created": "2018-09-26T14:59:36.102Z"}
    log.add(NewRecord(UPDATE, {"rotate": True}))
    log.rewrites()
    log.expect("intact", survivors=[encode({"foo": 7, "baz": [1, 2, 3]})], end=14)
    rotated = (
        f"../append-and-rotate-behind-a-torn-update.pers-{_rotated('2018-09-26T14:59:36.102Z')}0"
    )
    log.leaves({"": 14, rotated: 33})


@WRITING.writing("ZMR-075", kind="limit", control=write_a_rotated_state)
def write_38_rotations(log: ZmqRaftLog) -> None:
    """A writer rotates a state file 38 times within one millisecond. The counter in the rotated
    names is in base 36."""
    moment = "2018-09-26T14:59:36.103Z"
    log.state(created=moment, initial={"foo": 0})
    for number in range(38):
        log.rotate({"foo": number})
    counters = [*"0123456789abcdefghijklmnopqrstuvwxyz", "10", "11"]
    old = f"../write-38-rotations.pers-{_rotated(moment)}"
    log.leaves({"": 6} | {f"{old}{one}": 6 if one != "0" else 0 for one in counters})


@WRITING.writing("ZMR-073", kind="limit")
def write_a_string_of_64_kib(log: ZmqRaftLog) -> None:
    """A writer writes a string of 65,536 bytes with a four-byte length, and then an update with a
    short string."""
    log.state({"foo": "a" * 65_536}, {"foo": "b"}, initial={"foo": ""})
    log.expect_bytes(bytes.fromhex("81a3666f6f db00010000") + b"a" * 65_536 + b"\x81\xa3foo\xa1b")


@WRITING.writing("ZMR-077", control=write_updates)
def write_an_update_cut_off(log: ZmqRaftLog) -> None:
    """A writer refuses an update that ends inside its map."""
    log.refuse(".pers", bytes.fromhex("82a3666f6f01"), initial={"foo": 0})


@WRITING.writing("ZMR-077", control=write_updates)
def write_two_updates_in_one(log: ZmqRaftLog) -> None:
    """A writer refuses a payload of two maps, because each update is a separate record."""
    two = bytes.fromhex("81a3666f6f01 81a3666f6f02")
    log.refuse(".pers", two, initial={"foo": 0})


@APPENDING.appending(five_updates, "ZMR-075", "ZMR-080", kind="limit", control=append_an_update)
def append_behind_a_torn_update_at_512_kib(log: ZmqRaftLog) -> None:
    """The first byte of a torn update brings a state file to the rotation limit. A writer rotates
    the file, and the old file keeps this byte."""
    _grow_to(log, LIMIT - 1)
    log.extend(b"\x81")
    log.know(ALL_KNOWN)
    log.context |= {"created": "2018-09-26T14:59:36.104Z"}
    log.add(NewRecord(UPDATE))
    log.rewrites()
    whole = encode({"b": 0, "a": 1, "foo": 7, "baz": [1, 2, 3]})
    log.expect("intact", survivors=[whole], end=len(whole))
    rotated = (
        f"../append-behind-a-torn-update-at-512-kib.pers-{_rotated('2018-09-26T14:59:36.104Z')}0"
    )
    log.leaves({"": len(whole), rotated: LIMIT})
