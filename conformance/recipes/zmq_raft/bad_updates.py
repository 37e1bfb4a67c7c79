"""State files with invalid updates, keys and values."""

from conformance.recipes.zmq_raft.log import BOOK, ZmqRaftLog
from conformance.recipes.zmq_raft.states import five_updates
from reference_impl.zmq_raft.message_pack import encode


def _stray(log: ZmqRaftLog, hexadecimal: str) -> None:
    """Insert a value that is not a map between the second and the third update."""
    log.insert(15, bytes.fromhex(hexadecimal))
    log.expect("damaged", "not-a-map", survivors=[0, 1], end=None)


@BOOK.damaged(five_updates, "state", "ZMR-077")
def stray_integer(log: ZmqRaftLog) -> None:
    """An integer lies between two updates. A reader returns no update after the integer."""
    _stray(log, "05")


@BOOK.damaged(five_updates, "state", "ZMR-077")
def stray_string(log: ZmqRaftLog) -> None:
    """A string lies between two updates."""
    _stray(log, "a3666f6f")


@BOOK.damaged(five_updates, "state", "ZMR-077")
def stray_nil(log: ZmqRaftLog) -> None:
    """Nil lies between two updates."""
    _stray(log, "c0")


@BOOK.damaged(five_updates, "state", "ZMR-077")
def stray_boolean(log: ZmqRaftLog) -> None:
    """A boolean lies between two updates."""
    _stray(log, "c2")


@BOOK.damaged(five_updates, "state", "ZMR-077")
def stray_array(log: ZmqRaftLog) -> None:
    """An array lies between two updates."""
    _stray(log, "920102")


@BOOK.damaged(five_updates, "state", "ZMR-077")
def stray_binary_value(log: ZmqRaftLog) -> None:
    """A binary value lies between two updates."""
    _stray(log, "c403010203")


@BOOK.damaged(five_updates, "state", "ZMR-077", "ZMR-076", "ZMR-102")
def zeros_between_updates(log: ZmqRaftLog) -> None:
    """Ten zero bytes lie between two updates. The reason is not-a-map, not torn-update."""
    log.insert(15, bytes(10), "10 zero bytes")
    log.expect("damaged", "not-a-map", survivors=[0, 1], end=None)


@BOOK.damaged(five_updates, "state", "ZMR-077")
def first_byte_of_the_file(log: ZmqRaftLog) -> None:
    """Bit 7 of the first byte is flipped, so the file begins with an integer."""
    log.flip("updates[0].first", 7)
    log.expect("damaged", "not-a-map", end=None)


@BOOK.damaged(five_updates, "state", "ZMR-077")
def tail_of_ff(log: ZmqRaftLog) -> None:
    """After the last update, the file contains 64 bytes ff, each of them an integer."""
    log.extend(b"\xff" * 64, "64 bytes ff")
    log.expect("damaged", "not-a-map", survivors=[0, 1, 2, 3, 4], end=None)


@BOOK.damaged(five_updates, "state", "ZMR-077")
def map_inside_a_damaged_update(log: ZmqRaftLog) -> None:
    """The first byte of an update is damaged. A reader does not return the map inside this update
    as an update.
    """
    log.extend(encode({"peers": {"old": [], "new": []}}), "an update with a map as its value")
    log.data[36] = 0x01
    log.did("set byte 36 to 01")
    log.expect("damaged", "not-a-map", survivors=[0, 1, 2, 3, 4], end=None)


@BOOK.damaged(five_updates, "state", "ZMR-079")
def type_that_does_not_exist(log: ZmqRaftLog) -> None:
    """A value of an update begins with the byte c1, which does not exist in MessagePack."""
    log.set("updates[1].elements[1].first", 0xC1)
    log.expect("damaged", "bad-type", survivors=[0], end=None)


@BOOK.damaged(five_updates, "state", "ZMR-077", "ZMR-079")
def type_that_does_not_exist_for_an_update(log: ZmqRaftLog) -> None:
    """The byte c1 lies between two updates. The reason is not-a-map, not bad-type."""
    _stray(log, "c1")


@BOOK.damaged(five_updates, "state", "ZMR-079", "ZMR-076")
def type_that_does_not_exist_in_a_cut_update(log: ZmqRaftLog) -> None:
    """A value of an update is the byte c1, and the file ends after this byte. The reason is
    bad-type, not torn-update.
    """
    log.extend(bytes.fromhex("81a16192c1"), "an incomplete update with the byte c1")
    log.expect("damaged", "bad-type", survivors=[0, 1, 2, 3, 4], end=None)


def _bad_key(log: ZmqRaftLog, hexadecimal: str) -> None:
    log.extend(bytes.fromhex(hexadecimal), f"the update {hexadecimal}")
    log.expect("damaged", "bad-key", survivors=[0, 1, 2, 3, 4], end=None)


@BOOK.damaged(five_updates, "state", "ZMR-078")
def key_that_is_not_utf8(log: ZmqRaftLog) -> None:
    """The key of an update is a string that is not UTF-8."""
    _bad_key(log, "81a2c32801")


@BOOK.damaged(five_updates, "state", "ZMR-078")
def key_of_bytes(log: ZmqRaftLog) -> None:
    """The key of an update is a binary value that holds the letter a."""
    _bad_key(log, "81c4016101")


@BOOK.damaged(five_updates, "state", "ZMR-078", "ZMR-079")
def key_of_a_type_that_does_not_exist(log: ZmqRaftLog) -> None:
    """The key of an update is the byte c1. The reason is bad-key, not bad-type."""
    _bad_key(log, "81c101")


@BOOK.damaged(five_updates, "state", "ZMR-078", "ZMR-076")
def key_of_a_number_in_a_cut_update(log: ZmqRaftLog) -> None:
    """A key of an update is the number 1, and the file ends inside this update. The reason is
    bad-key, not torn-update.
    """
    _bad_key(log, "830102a161")


@BOOK.damaged(five_updates, "state", "ZMR-078", "ZMR-076")
def key_of_a_cut_map(log: ZmqRaftLog) -> None:
    """A key of an update is a map, and the file ends inside this map. The reason is bad-key, not
    torn-update.
    """
    _bad_key(log, "82a1610185a162")


@BOOK.damaged(five_updates, "state", "ZMR-078", "ZMR-076")
def zero_for_a_key(log: ZmqRaftLog) -> None:
    """A key of an update is the number 0, and non-zero bytes follow. The reason is bad-key, not
    torn-update.
    """
    _bad_key(log, "83a161010000a16201")


@BOOK.damaged(five_updates, "state", "ZMR-078")
def key_that_is_a_number(log: ZmqRaftLog) -> None:
    """The key of an update is replaced by the number 1."""
    log.splice("updates[3].elements[0]", b"\x01", "the number 1")
    log.expect("damaged", "bad-key", survivors=[0, 1, 2], end=None)


@BOOK.damaged(five_updates, "state", "ZMR-078")
def one_pair_too_many(log: ZmqRaftLog) -> None:
    """The count of the first update is one too high, so the second update is in place of a key."""
    log.set("updates[0].first", 0x82)
    log.expect("damaged", "bad-key", end=None)


@BOOK.damaged(five_updates, "undetected", "ZMR-051")
def bit_of_a_value(log: ZmqRaftLog) -> None:
    """Bit 0 of a value in an update is flipped. No checksum covers the value, so a reader returns 3
    instead of 2.
    """
    log.flip("updates[0].elements[1].first", 0)
    log.expect("intact", survivors=[bytes.fromhex("81a3666f6f03"), 1, 2, 3, 4])


@BOOK.damaged(five_updates, "state", "ZMR-078", "ZMR-076")
def eight_pairs_too_many(log: ZmqRaftLog) -> None:
    """The count of the fourth update is eight too high, so the fifth update is in place
    of a key.
    """
    log.set("updates[3].first", 0x89)
    log.expect("damaged", "bad-key", survivors=[0, 1, 2], end=None)
    log.note("A writer that treats this update as torn also removes the updates after it.")


@BOOK.damaged(five_updates, "undetected", "ZMR-051", "ZMR-076")
def a_pair_too_many_in_the_last_update(log: ZmqRaftLog) -> None:
    """The count of the last update is one too high. A reader cannot distinguish this update from a
    torn update.
    """
    log.set("updates[4].first", 0x81)
    log.expect("torn", "torn-update", survivors=[0, 1, 2, 3], end=35)
