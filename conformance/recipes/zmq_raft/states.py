"""State files: MessagePack maps one after the other."""

from conformance.recipes.zmq_raft.log import BOOK, ZmqRaftLog
from reference_impl.zmq_raft.message_pack import encode

PEERS = [["p1", "tcp://127.0.0.1:8047"]]


@BOOK.valid("state", "ZMR-070", "ZMR-071", "ZMR-072", "ZMR-073", "ZMR-074", "ZMR-105")
def five_updates(log: ZmqRaftLog) -> None:
    """What zmq-raft writes for five updates, the last one without a known key."""
    log.state({"foo": 2}, {"baz": [1, 2, 3]}, {"foo": 2**31}, {"foo": -1}, {})
    log.expect("intact", survivors=[0, 1, 2, 3, 4], end=36)


@BOOK.valid("state", "ZMR-070")
def no_updates(log: ZmqRaftLog) -> None:
    """A new state file has no bytes: the defaults are the application's."""
    log.state()
    log.expect("intact", end=0)


@BOOK.valid("state", "ZMR-071", "ZMR-072")
def terms_and_votes(log: ZmqRaftLog) -> None:
    """What a peer writes in two elections; the last value of each key counts."""
    log.state(
        {"currentTerm": 1, "votedFor": "p1"},
        {"currentTerm": 2, "votedFor": None},
        {"peers": PEERS, "peersIndex": 7, "peersUpdateRequest": "W6udyKq7zBI0AAAB"},
        {"currentTerm": 2**32},
    )
    log.expect("intact", survivors=[0, 1, 2, 3])


@BOOK.valid("state", "ZMR-071")
def peers_in_transition(log: ZmqRaftLog) -> None:
    """A map as a value replaces the value before: values are not merged."""
    log.state({"peers": PEERS}, {"peers": {"old": PEERS, "new": []}})
    log.expect("intact", survivors=[0, 1])


@BOOK.valid("state", "ZMR-071")
def a_key_twice_in_one_update(log: ZmqRaftLog) -> None:
    """The last of two equal keys counts."""
    log.state_bytes(bytes.fromhex("82a3666f6f01a3666f6f02"))
    log.expect("intact", survivors=[0])


@BOOK.valid("state", "ZMR-072")
def long_forms(log: ZmqRaftLog) -> None:
    """Maps, keys and numbers in longer forms than needed."""
    log.state_bytes(
        bytes.fromhex("de0001d903666f6f ce00000001"),
        bytes.fromhex("df00000001da0003626172 d2ffffffff"),
        bytes.fromhex("81db0000000362617a dd00000001c3"),
    )
    log.expect("intact", survivors=[0, 1, 2])


@BOOK.valid("state", "ZMR-072")
def numbers_of_every_form(log: ZmqRaftLog) -> None:
    """64-bit integers and floats: integral ones up to 2^53 - 1 are numbers, others spelled out."""
    log.state_bytes(
        bytes.fromhex("81a161 cf001fffffffffffff"),
        bytes.fromhex("81a162 cfffffffffffffffff"),
        bytes.fromhex("81a163 d38000000000000000"),
        bytes.fromhex("81a164 cb3fe0000000000000"),
        bytes.fromhex("81a165 cb41f0000000000000"),
        bytes.fromhex("81a166 ca3fc00000"),
        bytes.fromhex("81a167 cb7ff8000000000000"),
        bytes.fromhex("81a168 d080 "),
    )
    log.expect("intact", survivors=list(range(8)))


@BOOK.valid("state", "ZMR-072")
def values_that_json_does_not_have(log: ZmqRaftLog) -> None:
    """Bytes, an application's own type, and text that is not UTF-8."""
    log.state_bytes(
        bytes.fromhex("81a161 c403ff00ff"),
        bytes.fromhex("81a162 d60512345678"),
        bytes.fromhex("81a163 a2c328"),
        bytes.fromhex("81a164 c3"),
    )
    log.expect("intact", survivors=[0, 1, 2, 3])


@BOOK.valid("limits", "ZMR-079", kind="limit")
def values_64_levels_deep(log: ZmqRaftLog) -> None:
    """63 arrays inside each other in a map: 64 levels are the most."""
    log.state_bytes(bytes.fromhex("81a161") + b"\x91" * 62 + b"\x90", encode({"b": 1}))
    log.expect("intact", survivors=[0, 1])


@BOOK.damaged(five_updates, "limits", "ZMR-079", kind="limit")
def values_ten_thousand_levels_deep(log: ZmqRaftLog) -> None:
    """Arrays inside arrays, ten thousand times: deeper than anyone needs."""
    log.extend(bytes.fromhex("81a161") + b"\x91" * 10000 + b"\xc0", "an update 10,000 levels deep")
    log.expect("damaged", "too-deep", survivors=[0, 1, 2, 3, 4], end=None)


@BOOK.damaged(five_updates, "torn-tail", "ZMR-076", kind="eof")
def update_cut_in_a_number(log: ZmqRaftLog) -> None:
    """The third update ends in the middle of its number."""
    log.truncate(24)
    log.expect("torn", "torn-update", survivors=[0, 1], end=15)


@BOOK.damaged(five_updates, "torn-tail", "ZMR-076", kind="eof")
def update_cut_behind_its_first_byte(log: ZmqRaftLog) -> None:
    """One byte of the second update is there."""
    log.truncate(7)
    log.expect("torn", "torn-update", survivors=[0], end=6)


@BOOK.damaged(five_updates, "torn-tail", "ZMR-076", "ZMR-101", kind="eof")
def update_cut_in_a_key(log: ZmqRaftLog) -> None:
    """The fourth update ends in the middle of its key."""
    log.truncate_in("updates[3].elements[0].data", 1)
    log.expect("torn", "torn-update", survivors=[0, 1, 2], end=29)


@BOOK.damaged(five_updates, "torn-tail", "ZMR-076", kind="eof")
def update_cut_in_an_array(log: ZmqRaftLog) -> None:
    """The second update lacks the last element of its array."""
    log.truncate(14)
    log.expect("torn", "torn-update", survivors=[0], end=6)


@BOOK.damaged(five_updates, "torn-tail", "ZMR-076", kind="eof")
def cut_between_two_updates(log: ZmqRaftLog) -> None:
    """The file ends exactly after an update: nothing shows that there were more."""
    log.truncate(29)
    log.expect("intact", survivors=[0, 1, 2], end=29)


@BOOK.damaged(five_updates, "torn-tail", "ZMR-076", kind="eof")
def zeros_behind_the_last_update(log: ZmqRaftLog) -> None:
    """The file grew and its bytes never arrived: they read as zeros."""
    log.extend(bytes(100), "100 zero bytes")
    log.expect("torn", "torn-update", survivors=[0, 1, 2, 3, 4], end=36)


@BOOK.damaged(five_updates, "torn-tail", "ZMR-076", "ZMR-101", kind="eof")
def zeros_and_nothing_else(log: ZmqRaftLog) -> None:
    """The file has its length, but none of its bytes arrived: there is no update in zeros."""
    log.zero_sector(0)
    log.expect("torn", "torn-update", end=0)


@BOOK.damaged(five_updates, "limits", "ZMR-076", "ZMR-103", kind="limit")
def update_of_four_billion_keys(log: ZmqRaftLog) -> None:
    """A map that claims 2^32 - 1 pairs: reading costs no memory."""
    log.extend(bytes.fromhex("dfffffffff"), "a map of 4294967295 pairs")
    log.expect("torn", "torn-update", survivors=[0, 1, 2, 3, 4], end=36)


@BOOK.damaged(five_updates, "limits", "ZMR-076", "ZMR-103", kind="limit")
def key_of_four_gigabytes(log: ZmqRaftLog) -> None:
    """A key that claims 4 GiB."""
    log.extend(bytes.fromhex("81dbffffffff61"), "a key of 4294967295 bytes")
    log.expect("torn", "torn-update", survivors=[0, 1, 2, 3, 4], end=36)


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


@BOOK.damaged(five_updates, "undetected", "ZMR-051", "ZMR-076")
def eight_pairs_too_many(log: ZmqRaftLog) -> None:
    """An update whose count leads past the end of the file looks unfinished."""
    log.set("updates[3].first", 0x89)
    log.expect("torn", "torn-update", survivors=[0, 1, 2], end=29)
    log.note("Its keys cannot be judged before it is whole.")
