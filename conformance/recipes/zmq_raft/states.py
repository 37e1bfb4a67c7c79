"""State files: sequences of MessagePack maps."""

from conformance.recipes.zmq_raft.log import LIMITS, STATE_GROUP, TORN_TAIL, ZmqRaftLog
from reference_impl.zmq_raft.message_pack import encode

PEERS = [["p1", "tcp://127.0.0.1:8047"]]


@STATE_GROUP.valid("ZMR-070", "ZMR-071", "ZMR-072", "ZMR-073", "ZMR-074", "ZMR-105")
def five_updates(log: ZmqRaftLog) -> None:
    """A state file with five updates, as zmq-raft writes it. The last update has no known key."""
    log.state({"foo": 2}, {"baz": [1, 2, 3]}, {"foo": 2**31}, {"foo": -1}, {})
    log.expect("intact", survivors=[0, 1, 2, 3, 4], end=36)


@STATE_GROUP.valid("ZMR-070")
def no_updates(log: ZmqRaftLog) -> None:
    """A new state file has 0 bytes. The application provides the default values."""
    log.state()
    log.expect("intact", end=0)


@STATE_GROUP.valid("ZMR-071", "ZMR-072")
def terms_and_votes(log: ZmqRaftLog) -> None:
    """A state file with the updates of a peer in two elections. The last value of each key
    counts."""
    log.state(
        {"currentTerm": 1, "votedFor": "p1"},
        {"currentTerm": 2, "votedFor": None},
        {"peers": PEERS, "peersIndex": 7, "peersUpdateRequest": "W6udyKq7zBI0AAAB"},
        {"currentTerm": 2**32},
    )
    log.expect("intact", survivors=[0, 1, 2, 3])


@STATE_GROUP.valid("ZMR-071")
def peers_in_transition(log: ZmqRaftLog) -> None:
    """A map replaces the earlier value of its key. A reader does not merge values."""
    log.state({"peers": PEERS}, {"peers": {"old": PEERS, "new": []}})
    log.expect("intact", survivors=[0, 1])


@STATE_GROUP.valid("ZMR-071")
def a_key_twice_in_one_update(log: ZmqRaftLog) -> None:
    """An update has the same key twice. The last value counts."""
    log.state_bytes(bytes.fromhex("82a3666f6f01a3666f6f02"))
    log.expect("intact", survivors=[0])


@STATE_GROUP.valid("ZMR-072")
def long_forms(log: ZmqRaftLog) -> None:
    """A state file with maps, keys and numbers in longer forms than necessary."""
    log.state_bytes(
        bytes.fromhex("de0001d903666f6f ce00000001"),
        bytes.fromhex("df00000001da0003626172 d2ffffffff"),
        bytes.fromhex("81db0000000362617a dd00000001c3"),
    )
    log.expect("intact", survivors=[0, 1, 2])


@STATE_GROUP.valid("ZMR-072")
def numbers_of_every_form(log: ZmqRaftLog) -> None:
    """Integers and floats in many forms. In the answer, integral values up to 2^53 - 1 are JSON
    numbers, and other values are objects."""
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


@STATE_GROUP.valid("ZMR-072")
def values_that_json_does_not_have(log: ZmqRaftLog) -> None:
    """Values that JSON cannot express: bytes, an extension, and a string that is not UTF-8."""
    log.state_bytes(
        bytes.fromhex("81a161 c403ff00ff"),
        bytes.fromhex("81a162 d60512345678"),
        bytes.fromhex("81a163 a2c328"),
        bytes.fromhex("81a164 c3"),
    )
    log.expect("intact", survivors=[0, 1, 2, 3])


@LIMITS.valid("ZMR-079", kind="limit")
def values_64_levels_deep(log: ZmqRaftLog) -> None:
    """An update with 64 levels of nesting, the maximum: a map and 63 arrays."""
    log.state_bytes(bytes.fromhex("81a161") + b"\x91" * 62 + b"\x90", encode({"b": 1}))
    log.expect("intact", survivors=[0, 1])


def _too_deep(log: ZmqRaftLog, innermost: str) -> None:
    """Add an update with 64 levels of nesting and the value ``innermost`` inside the last level."""
    update = bytes.fromhex("81a161") + b"\x91" * 63 + bytes.fromhex(innermost)
    log.extend(update)


@LIMITS.damaged(five_updates, "ZMR-079", kind="limit")
def number_below_64_levels(log: ZmqRaftLog) -> None:
    """A number inside 64 levels of nesting is not a level, so a reader returns the update."""
    _too_deep(log, "05")
    survivors: list[int | bytes] = [0, 1, 2, 3, 4, b"\x81\xa1a" + b"\x91" * 63 + b"\x05"]
    log.expect("intact", survivors=survivors, end=103)


@LIMITS.damaged(five_updates, "ZMR-079", kind="limit")
def empty_array_at_65_levels(log: ZmqRaftLog) -> None:
    """An empty array at the 65th level of nesting is too deep."""
    _too_deep(log, "90")
    log.expect("damaged", "too-deep", survivors=[0, 1, 2, 3, 4], end=None)


LIMITS.table("""
map_at_65_levels: five_updates ZMR-079 limit
    A map at the 65th level of nesting is too deep. A reader ignores its content, which begins with
    the byte c1.
    too_deep: 81c105
    expect: damaged too-deep, survivors 0-4, end none
array_at_65_levels_without_its_length: five_updates ZMR-076 ZMR-079 limit
    The file ends inside the length of an array at the 65th level of nesting. The reason is
    torn-update, not too-deep.
    too_deep: dd0000
    expect: torn torn-update, survivors 0-4, end 36
""")


@LIMITS.damaged(five_updates, "ZMR-079", kind="limit")
def values_ten_thousand_levels_deep(log: ZmqRaftLog) -> None:
    """An update with 10,000 nested arrays is too deep."""
    log.extend(bytes.fromhex("81a161") + b"\x91" * 10000 + b"\xc0")
    log.expect("damaged", "too-deep", survivors=[0, 1, 2, 3, 4], end=None)


TORN_TAIL.table("""
update_cut_in_a_number: five_updates ZMR-076
    A state file ends inside the number of the third update.
    damage: truncate at 24
    expect: torn torn-update, survivors 0 1, end 15
update_cut_behind_its_first_byte: five_updates ZMR-076
    A state file ends after the first byte of the second update.
    damage: truncate at 7
    expect: torn torn-update, survivors 0, end 6
update_cut_in_a_key: five_updates ZMR-076 ZMR-101
    A state file ends inside the key of the fourth update.
    damage: truncate 1 bytes into updates[3].elements[0].data
    expect: torn torn-update, survivors 0-2, end 29
update_cut_in_an_array: five_updates ZMR-076
    A state file ends before the last array element of the second update.
    damage: truncate at 14
    expect: torn torn-update, survivors 0, end 6
cut_between_two_updates: five_updates ZMR-076 eof
    A state file ends directly after the third update. The loss of the later updates is
    undetectable.
    damage: truncate at 29
    expect: intact, survivors 0-2, end 29
zeros_behind_the_last_update: five_updates ZMR-076
    100 zero bytes follow the last update, because the file grew, but the new bytes did not reach
    the disk.
    damage: extend by 100 zero bytes
    expect: torn torn-update, survivors 0-4, end 36
zeros_and_nothing_else: five_updates ZMR-076 ZMR-101
    All bytes of a state file are zero, because none of its bytes reached the disk.
    damage: zero sector 0 of 512 bytes
    expect: torn torn-update, no survivors, end 0
""")


@LIMITS.damaged(five_updates, "ZMR-076", "ZMR-103", kind="limit")
def update_of_four_billion_keys(log: ZmqRaftLog) -> None:
    """A map claims 2^32 - 1 pairs. A reader allocates no memory for pairs that are not in the
    file."""
    log.extend(bytes.fromhex("dfffffffff"))
    log.expect("torn", "torn-update", survivors=[0, 1, 2, 3, 4], end=36)


@LIMITS.damaged(five_updates, "ZMR-076", "ZMR-103", kind="limit")
def key_of_four_gigabytes(log: ZmqRaftLog) -> None:
    """A key claims 2^32 - 1 bytes. A reader allocates no memory for bytes that are not in the
    file."""
    log.extend(bytes.fromhex("81dbffffffff61"))
    log.expect("torn", "torn-update", survivors=[0, 1, 2, 3, 4], end=36)


@TORN_TAIL.damaged(five_updates, "ZMR-076", "ZMR-078")
def zeros_for_the_rest_of_an_update(log: ZmqRaftLog) -> None:
    """Zeros follow the first pair of an update up to the end of the file. The reason is
    torn-update, not bad-key."""
    log.extend(bytes.fromhex("83a16101") + bytes(10))
    log.expect("torn", "torn-update", survivors=[0, 1, 2, 3, 4], end=36)


@STATE_GROUP.valid("ZMR-072", "ZMR-078")
def keys_of_inner_maps(log: ZmqRaftLog) -> None:
    """An inner map has keys that are not strings. Only the keys of an update must be strings."""
    log.state_bytes(bytes.fromhex("81a1618401 02c003c40161 0490 05"))
    log.expect("intact", survivors=[0])


@LIMITS.valid("ZMR-072", "ZMR-079", kind="limit")
def keys_of_keys_at_64_levels(log: ZmqRaftLog) -> None:
    """Maps are nested as keys of other maps, down to the 64th level. Despite the nesting, the
    answer stays short."""
    log.state_bytes(b"\x81\xa1a" + b"\x81" * 63 + b"\xa1b" + b"\xc3" * 63)
    log.expect("intact", survivors=[0])


@STATE_GROUP.valid("ZMR-072")
def arrays_and_maps_as_keys(log: ZmqRaftLog) -> None:
    """An inner map has arrays and maps as keys. One of these maps has a key twice, and one array
    contains a quotation mark."""
    keys = ("9201a3c3a92f", "9181a12205", "80", "8301c001c2a2c328c3", "ca80000000")
    log.state_bytes(
        bytes.fromhex("81a16185" + "".join(f"{key}{n:02x}" for n, key in enumerate(keys)))
    )
    log.expect("intact", survivors=[0])


@STATE_GROUP.valid("ZMR-072")
def bytes_and_extensions_of_every_form(log: ZmqRaftLog) -> None:
    """Bytes and extensions with lengths of one, two and four bytes, and extensions of fixed
    length."""
    forms = ("c5000161", "c60000000161", "c7012061", "c800012061", "c9000000012061")
    fixed = (f"{0xD4 + n:02x}20{'61' * 2**n}" for n in range(5))
    log.state_bytes(*(bytes.fromhex(f"81a161{form}") for form in (*forms, *fixed)))
    log.expect("intact", survivors=list(range(10)))
