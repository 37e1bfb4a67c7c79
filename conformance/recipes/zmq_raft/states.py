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


def _too_deep(log: ZmqRaftLog, innermost: str) -> None:
    """63 arrays in an update, 64 levels in all, and this inside them."""
    update = bytes.fromhex("81a161") + b"\x91" * 63 + bytes.fromhex(innermost)
    log.extend(update, f"an update with {innermost} below 64 levels")


@BOOK.damaged(five_updates, "limits", "ZMR-079", kind="limit")
def number_below_64_levels(log: ZmqRaftLog) -> None:
    """A number inside 64 levels is no level of its own."""
    _too_deep(log, "05")
    survivors: list[int | bytes] = [0, 1, 2, 3, 4, b"\x81\xa1a" + b"\x91" * 63 + b"\x05"]
    log.expect("intact", survivors=survivors, end=103)


@BOOK.damaged(five_updates, "limits", "ZMR-079", kind="limit")
def empty_array_at_65_levels(log: ZmqRaftLog) -> None:
    """A 65th level is too deep, also without anything in it."""
    _too_deep(log, "90")
    log.expect("damaged", "too-deep", survivors=[0, 1, 2, 3, 4], end=None)


@BOOK.damaged(five_updates, "limits", "ZMR-079", kind="limit")
def map_at_65_levels(log: ZmqRaftLog) -> None:
    """A 65th level is too deep before anything in it is looked at, here the byte c1."""
    _too_deep(log, "81c105")
    log.expect("damaged", "too-deep", survivors=[0, 1, 2, 3, 4], end=None)


@BOOK.damaged(five_updates, "limits", "ZMR-076", "ZMR-079", kind="limit")
def array_at_65_levels_without_its_length(log: ZmqRaftLog) -> None:
    """The head of the 65th level is cut in its length: the file ends there, before all else."""
    _too_deep(log, "dd0000")
    log.expect("torn", "torn-update", survivors=[0, 1, 2, 3, 4], end=36)


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


@BOOK.damaged(five_updates, "torn-tail", "ZMR-076", "ZMR-078", kind="eof")
def zeros_for_the_rest_of_an_update(log: ZmqRaftLog) -> None:
    """The first pair of an update arrived, zeros stand for the others up to the end."""
    log.extend(bytes.fromhex("83a16101") + bytes(10), "an update whose rest reads as zeros")
    log.expect("torn", "torn-update", survivors=[0, 1, 2, 3, 4], end=36)


@BOOK.valid("state", "ZMR-072", "ZMR-078")
def keys_of_inner_maps(log: ZmqRaftLog) -> None:
    """Only the keys of an update must be strings: in a map that is a value, any value is a key."""
    log.state_bytes(bytes.fromhex("81a1618401 02c003c40161 0490 05"))
    log.expect("intact", survivors=[0])


@BOOK.valid("limits", "ZMR-072", "ZMR-079", kind="limit")
def keys_of_keys_at_64_levels(log: ZmqRaftLog) -> None:
    """A map whose key is a map whose key is a map, and so on: the answer stays short."""
    log.state_bytes(b"\x81\xa1a" + b"\x81" * 63 + b"\xa1b" + b"\xc3" * 63)
    log.expect("intact", survivors=[0])


@BOOK.valid("state", "ZMR-072")
def arrays_and_maps_as_keys(log: ZmqRaftLog) -> None:
    """Arrays and maps as keys of inner maps, with a key twice and texts that need quoting."""
    keys = ("9201a3c3a92f", "9181a12205", "80", "8301c001c2a2c328c3", "ca80000000")
    log.state_bytes(
        bytes.fromhex("81a16185" + "".join(f"{key}{n:02x}" for n, key in enumerate(keys)))
    )
    log.expect("intact", survivors=[0])


@BOOK.valid("state", "ZMR-072")
def bytes_and_extensions_of_every_form(log: ZmqRaftLog) -> None:
    """Bytes and extensions with lengths of one, two and four bytes, and of fixed lengths."""
    forms = ("c5000161", "c60000000161", "c7012061", "c800012061", "c9000000012061")
    fixed = (f"{0xD4 + n:02x}20{'61' * 2**n}" for n in range(5))
    log.state_bytes(*(bytes.fromhex(f"81a161{form}") for form in (*forms, *fixed)))
    log.expect("intact", survivors=list(range(10)))
