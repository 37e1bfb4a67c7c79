"""State files with invalid updates, keys and values."""

from conformance.recipes.zmq_raft.log import STATE_GROUP, TORN_TAIL, UNDETECTED, ZmqRaftLog
from conformance.recipes.zmq_raft.states import five_updates
from reference_impl.zmq_raft.message_pack import encode


def _stray(log: ZmqRaftLog, hexadecimal: str) -> None:
    """Insert a value that is not a map between the second and the third update."""
    log.insert(15, bytes.fromhex(hexadecimal))
    log.expect("damaged", "not-a-map", survivors=[0, 1, 2, 3, 4], end=None)


@STATE_GROUP.damaged(five_updates, "ZMR-077")
def stray_integer(log: ZmqRaftLog) -> None:
    """An integer lies between two updates. Only the integer is lost."""
    _stray(log, "05")


@STATE_GROUP.damaged(five_updates, "ZMR-077")
def stray_string(log: ZmqRaftLog) -> None:
    """A string lies between two updates."""
    _stray(log, "a3666f6f")


@STATE_GROUP.damaged(five_updates, "ZMR-077")
def stray_nil(log: ZmqRaftLog) -> None:
    """Nil lies between two updates."""
    _stray(log, "c0")


@STATE_GROUP.damaged(five_updates, "ZMR-077")
def stray_boolean(log: ZmqRaftLog) -> None:
    """A boolean lies between two updates."""
    _stray(log, "c2")


@STATE_GROUP.damaged(five_updates, "ZMR-077")
def stray_array(log: ZmqRaftLog) -> None:
    """An array lies between two updates."""
    _stray(log, "920102")


@STATE_GROUP.damaged(five_updates, "ZMR-077")
def stray_binary_value(log: ZmqRaftLog) -> None:
    """A binary value lies between two updates."""
    _stray(log, "c403010203")


@STATE_GROUP.damaged(five_updates, "ZMR-077")
def tail_of_ff(log: ZmqRaftLog) -> None:
    """After the last update, the file contains 64 bytes with the value ff, each of which is an
    integer."""
    log.extend(b"\xff" * 64)
    log.expect("damaged", "not-a-map", survivors=[0, 1, 2, 3, 4], end=None)


@STATE_GROUP.damaged(five_updates, "ZMR-077")
def map_inside_a_damaged_update(log: ZmqRaftLog) -> None:
    """The first byte of an update is damaged. A reader does not mistake the map inside this update
    for an update."""
    log.extend(encode({"peers": {"old": [], "new": []}}))
    log.data[36] = 0x01
    log.expect("damaged", "not-a-map", survivors=[0, 1, 2, 3, 4], end=None)


@STATE_GROUP.damaged(five_updates, "ZMR-077", "ZMR-079")
def type_that_does_not_exist_for_an_update(log: ZmqRaftLog) -> None:
    """The byte c1 lies between two updates. The reason is not-a-map, not bad-type."""
    _stray(log, "c1")


@STATE_GROUP.damaged(five_updates, "ZMR-079", "ZMR-076")
def type_that_does_not_exist_in_a_cut_update(log: ZmqRaftLog) -> None:
    """A value of an update is the byte c1, and the file ends after this byte. The reason is
    bad-type, not torn-update."""
    log.extend(bytes.fromhex("81a16192c1"))
    log.expect("damaged", "bad-type", survivors=[0, 1, 2, 3, 4], end=None)


def _bad_key(log: ZmqRaftLog, hexadecimal: str) -> None:
    log.extend(bytes.fromhex(hexadecimal))
    log.expect("damaged", "bad-key", survivors=[0, 1, 2, 3, 4], end=None)


@STATE_GROUP.damaged(five_updates, "ZMR-078")
def key_that_is_not_utf8(log: ZmqRaftLog) -> None:
    """The key of an update is a string that is not UTF-8."""
    _bad_key(log, "81a2c32801")


@STATE_GROUP.damaged(five_updates, "ZMR-078")
def key_of_bytes(log: ZmqRaftLog) -> None:
    """The key of an update is a binary value that contains the letter a."""
    _bad_key(log, "81c4016101")


@STATE_GROUP.damaged(five_updates, "ZMR-078", "ZMR-079")
def key_of_a_type_that_does_not_exist(log: ZmqRaftLog) -> None:
    """The key of an update is the byte c1. The reason is bad-key, not bad-type."""
    _bad_key(log, "81c101")


@STATE_GROUP.damaged(five_updates, "ZMR-078", "ZMR-076")
def key_of_a_number_in_a_cut_update(log: ZmqRaftLog) -> None:
    """A key of an update is the number 1, and the file ends inside this update. The reason is
    bad-key, not torn-update."""
    _bad_key(log, "830102a161")


@STATE_GROUP.damaged(five_updates, "ZMR-078", "ZMR-076")
def key_of_a_cut_map(log: ZmqRaftLog) -> None:
    """A key of an update is a map, and the file ends inside this map. The reason is bad-key, not
    torn-update."""
    _bad_key(log, "82a1610185a162")


@STATE_GROUP.damaged(five_updates, "ZMR-078", "ZMR-076")
def zero_for_a_key(log: ZmqRaftLog) -> None:
    """A key of an update is the number 0, and non-zero bytes follow. The reason is bad-key, not
    torn-update."""
    _bad_key(log, "83a161010000a16201")


@UNDETECTED.damaged(five_updates, "ZMR-051")
def bit_of_a_value(log: ZmqRaftLog) -> None:
    """Bit 0 of a value in an update is flipped. No checksum covers the value, so a reader returns 3
    instead of 2."""
    log.flip("updates[0].elements[1].first", 0)
    log.expect("intact", survivors=[bytes.fromhex("81a3666f6f03"), 1, 2, 3, 4])


@UNDETECTED.damaged(five_updates, "ZMR-051", "ZMR-076", kind="corrupt")
def a_pair_too_many_in_the_last_update(log: ZmqRaftLog) -> None:
    """The count of the last update is one too high. A reader cannot distinguish this update from a
    torn update."""
    log.set("updates[4].first", 0x81)
    log.expect("torn", "torn-update", survivors=[0, 1, 2, 3], end=35)


STATE_GROUP.table("""
zeros_between_updates: five_updates ZMR-077 ZMR-076 ZMR-102
    Ten zero bytes lie between two updates. The reason is not-a-map, not torn-update.
    damage: insert 10 zero bytes at 15
    expect: damaged not-a-map, survivors 0 1, end none
first_byte_of_the_file: five_updates ZMR-077
    Bit 7 of the first byte is flipped, so the file begins with an integer.
    damage: flip bit 7 of updates[0].first
    expect: damaged not-a-map, no survivors, end none
type_that_does_not_exist: five_updates ZMR-079
    A value of an update begins with the byte c1, which does not exist in MessagePack.
    damage: set updates[1].elements[1].first to 193
    expect: damaged bad-type, survivors 0, end none
key_that_is_a_number: five_updates ZMR-078
    The key of an update is replaced by the number 1. Only this update is lost.
    damage: splice 01 over updates[3].elements[0]
    expect: damaged bad-key, survivors 0-2 4, end none
one_pair_too_many: five_updates ZMR-078
    The count of the first update is one too high, so a reader takes the second update for a key and
    the third for its value. It returns the updates after these.
    damage: set updates[0].first to 130
    expect: damaged bad-key, survivors 3 4, end none
eight_pairs_too_many: five_updates ZMR-078 ZMR-076
    The count of the fourth update is eight too high, so a reader takes the fifth update for a key.
    damage: set updates[3].first to 137
    expect: damaged bad-key, survivors 0-2, end none
    note: A writer that treats this update as torn also removes the updates after it.
key_that_is_not_utf8_between_updates: five_updates ZMR-107 ZMR-072
    The key of the second update is not UTF-8. Only this update is lost, and no state after that of
    the first update is known.
    damage: set updates[1].elements[0].data to ff 61 7a
    expect: damaged bad-key, survivors 0 2-4, end none
type_that_does_not_exist_between_updates: five_updates ZMR-107 ZMR-079
    The value of the fourth update is the byte c1, which counts as a one-byte value.
    damage: set updates[3].elements[1].first to 193
    expect: damaged bad-type, survivors 0-2 4, end none
two_bad_keys: five_updates ZMR-107
    The keys of the second and the fourth update are damaged. A reader returns no update after the
    first fault, because a second fault follows.
    damage: set updates[1].elements[0].data to ff 61 7a
    damage: set updates[3].elements[0].data to ff 6f 6f
    expect: damaged bad-key, survivors 0, end none
bad_key_before_a_cut_update: five_updates ZMR-107 ZMR-076
    The key of the second update is damaged, and the file ends inside the third update. A reader
    returns no update after the fault.
    damage: set updates[1].elements[0].data to ff 61 7a
    damage: truncate at 28
    expect: damaged bad-key, survivors 0, end none
bad_key_before_zeros: five_updates ZMR-107 ZMR-076
    The key of the second update is damaged, and zeros follow the last update.
    damage: set updates[1].elements[0].data to ff 61 7a
    damage: extend by 00 00 00
    expect: damaged bad-key, survivors 0, end none
""")


@STATE_GROUP.damaged(five_updates, "ZMR-107", "ZMR-079")
def deep_value_between_updates(log: ZmqRaftLog) -> None:
    """A value with 65 levels lies between two updates. A reader returns no update after it."""
    log.insert(15, b"\x91" * 64 + b"\x90")
    log.expect("damaged", "not-a-map", survivors=[0, 1], end=None)


@STATE_GROUP.damaged(five_updates, "ZMR-107", "ZMR-079")
def value_of_64_levels_between_updates(log: ZmqRaftLog) -> None:
    """A value with 64 levels lies between two updates. Only this value is lost."""
    log.insert(15, b"\x91" * 63 + b"\x90")
    log.expect("damaged", "not-a-map", survivors=[0, 1, 2, 3, 4], end=None)


@STATE_GROUP.damaged(five_updates, "ZMR-107", "ZMR-079")
def update_that_is_too_deep(log: ZmqRaftLog) -> None:
    """An update of 65 levels lies between two updates. A reader returns no update after it."""
    log.insert(15, b"\x81\xa1a" + b"\x91" * 63 + b"\x90")
    log.expect("damaged", "too-deep", survivors=[0, 1], end=None)


@TORN_TAIL.damaged(five_updates, "ZMR-076", "ZMR-107")
def zero_after_the_last_update(log: ZmqRaftLog) -> None:
    """One zero byte follows the last update. A reader treats this byte as an unfinished update."""
    log.extend(bytes(1))
    log.expect("torn", "torn-update", survivors=[0, 1, 2, 3, 4], end=36)
