"""State files: what is no update, and what no update may hold."""

from conformance.recipes.zmq_raft.log import BOOK, ZmqRaftLog
from conformance.recipes.zmq_raft.states import five_updates
from reference_impl.zmq_raft.message_pack import encode


def _stray(log: ZmqRaftLog, hexadecimal: str) -> None:
    """A value that is no map between the second and the third update."""
    log.insert(15, bytes.fromhex(hexadecimal))
    log.expect("damaged", "not-a-map", survivors=[0, 1], end=None)


@BOOK.damaged(five_updates, "state", "ZMR-077")
def stray_integer(log: ZmqRaftLog) -> None:
    """An integer stands between two updates: nothing after it is believed."""
    _stray(log, "05")


@BOOK.damaged(five_updates, "state", "ZMR-077")
def stray_string(log: ZmqRaftLog) -> None:
    """A string stands between two updates."""
    _stray(log, "a3666f6f")


@BOOK.damaged(five_updates, "state", "ZMR-077")
def stray_nil(log: ZmqRaftLog) -> None:
    """Nil stands between two updates."""
    _stray(log, "c0")


@BOOK.damaged(five_updates, "state", "ZMR-077")
def stray_boolean(log: ZmqRaftLog) -> None:
    """A boolean stands between two updates."""
    _stray(log, "c2")


@BOOK.damaged(five_updates, "state", "ZMR-077")
def stray_array(log: ZmqRaftLog) -> None:
    """An array stands between two updates."""
    _stray(log, "920102")


@BOOK.damaged(five_updates, "state", "ZMR-077")
def stray_binary_value(log: ZmqRaftLog) -> None:
    """Bytes stand between two updates."""
    _stray(log, "c403010203")


@BOOK.damaged(five_updates, "state", "ZMR-077", "ZMR-076", "ZMR-102")
def zeros_between_updates(log: ZmqRaftLog) -> None:
    """Ten zeros with an update after them: not an unfinished write."""
    log.insert(15, bytes(10), "10 zero bytes")
    log.expect("damaged", "not-a-map", survivors=[0, 1], end=None)


@BOOK.damaged(five_updates, "state", "ZMR-077")
def first_byte_of_the_file(log: ZmqRaftLog) -> None:
    """One bit of the first byte: the file begins with an integer."""
    log.flip("updates[0].first", 7)
    log.expect("damaged", "not-a-map", end=None)


@BOOK.damaged(five_updates, "state", "ZMR-077")
def tail_of_ff(log: ZmqRaftLog) -> None:
    """Bytes ff after the last update: each is an integer."""
    log.extend(b"\xff" * 64, "64 bytes ff")
    log.expect("damaged", "not-a-map", survivors=[0, 1, 2, 3, 4], end=None)


@BOOK.damaged(five_updates, "state", "ZMR-077")
def map_inside_a_damaged_update(log: ZmqRaftLog) -> None:
    """A map as a value, in an update whose first byte is damaged, must not become an update."""
    log.extend(encode({"peers": {"old": [], "new": []}}), "an update with a map in it")
    log.data[36] = 0x01
    log.did("set byte 36 to 01")
    log.expect("damaged", "not-a-map", survivors=[0, 1, 2, 3, 4], end=None)


@BOOK.damaged(five_updates, "state", "ZMR-079")
def type_that_does_not_exist(log: ZmqRaftLog) -> None:
    """The byte c1 begins nothing in MessagePack."""
    log.set("updates[1].elements[1].first", 0xC1)
    log.expect("damaged", "bad-type", survivors=[0], end=None)


@BOOK.damaged(five_updates, "state", "ZMR-077", "ZMR-079")
def type_that_does_not_exist_for_an_update(log: ZmqRaftLog) -> None:
    """The byte c1 where a map should begin begins no map."""
    _stray(log, "c1")


@BOOK.damaged(five_updates, "state", "ZMR-079", "ZMR-076")
def type_that_does_not_exist_in_a_cut_update(log: ZmqRaftLog) -> None:
    """The byte c1 in an update that the file cuts off: c1 comes first."""
    log.extend(bytes.fromhex("81a16192c1"), "an update with c1 in it, cut off")
    log.expect("damaged", "bad-type", survivors=[0, 1, 2, 3, 4], end=None)


def _bad_key(log: ZmqRaftLog, hexadecimal: str) -> None:
    log.extend(bytes.fromhex(hexadecimal), f"the update {hexadecimal}")
    log.expect("damaged", "bad-key", survivors=[0, 1, 2, 3, 4], end=None)


@BOOK.damaged(five_updates, "state", "ZMR-078")
def key_that_is_not_utf8(log: ZmqRaftLog) -> None:
    """A string for a key, whose bytes are not UTF-8."""
    _bad_key(log, "81a2c32801")


@BOOK.damaged(five_updates, "state", "ZMR-078")
def key_of_bytes(log: ZmqRaftLog) -> None:
    """Bytes for a key, even if they are letters."""
    _bad_key(log, "81c4016101")


@BOOK.damaged(five_updates, "state", "ZMR-078", "ZMR-079")
def key_of_a_type_that_does_not_exist(log: ZmqRaftLog) -> None:
    """The byte c1 where a key should begin begins no string."""
    _bad_key(log, "81c101")


@BOOK.damaged(five_updates, "state", "ZMR-078", "ZMR-076")
def key_of_a_number_in_a_cut_update(log: ZmqRaftLog) -> None:
    """A key of 1 in an update that the file cuts off: no unfinished write has such a key."""
    _bad_key(log, "830102a161")


@BOOK.damaged(five_updates, "state", "ZMR-078", "ZMR-076")
def key_of_a_cut_map(log: ZmqRaftLog) -> None:
    """A map for a key, cut off by the end: its first byte says that it is no key."""
    _bad_key(log, "82a1610185a162")


@BOOK.damaged(five_updates, "state", "ZMR-078", "ZMR-076")
def zero_for_a_key(log: ZmqRaftLog) -> None:
    """A key of zero with text after it: not what an unfinished write leaves."""
    _bad_key(log, "83a161010000a16201")


@BOOK.damaged(five_updates, "state", "ZMR-078")
def key_that_is_a_number(log: ZmqRaftLog) -> None:
    """A key of 1 instead of text."""
    log.splice("updates[3].elements[0]", b"\x01", "the number 1")
    log.expect("damaged", "bad-key", survivors=[0, 1, 2], end=None)


@BOOK.damaged(five_updates, "state", "ZMR-078")
def one_pair_too_many(log: ZmqRaftLog) -> None:
    """An update that claims one pair more takes the next update for a key."""
    log.set("updates[0].first", 0x82)
    log.expect("damaged", "bad-key", end=None)


@BOOK.damaged(five_updates, "undetected", "ZMR-051")
def bit_of_a_value(log: ZmqRaftLog) -> None:
    """No checksum covers an update: foo is 3 instead of 2."""
    log.flip("updates[0].elements[1].first", 0)
    log.expect("intact", survivors=[bytes.fromhex("81a3666f6f03"), 1, 2, 3, 4])


@BOOK.damaged(five_updates, "state", "ZMR-078", "ZMR-076")
def eight_pairs_too_many(log: ZmqRaftLog) -> None:
    """An update whose count leads past the end of the file has the next update for a key."""
    log.set("updates[3].first", 0x89)
    log.expect("damaged", "bad-key", survivors=[0, 1, 2], end=None)
    log.note("Whoever calls it unfinished cuts off the updates after it.")


@BOOK.damaged(five_updates, "undetected", "ZMR-051", "ZMR-076")
def a_pair_too_many_in_the_last_update(log: ZmqRaftLog) -> None:
    """The last update claims a pair that is not there: it looks unfinished."""
    log.set("updates[4].first", 0x81)
    log.expect("torn", "torn-update", survivors=[0, 1, 2, 3], end=35)
