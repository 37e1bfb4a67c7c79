"""State files with values at the limits of their MessagePack forms, for readers and writers."""

from conformance.recipes.zmq_raft.log import LIMITS, STATE_GROUP, WRITING, ZmqRaftLog
from conformance.recipes.zmq_raft.states import five_updates
from conformance.recipes.zmq_raft.writing import write_updates


def _values(log: ZmqRaftLog, *forms: str) -> None:
    """Create a state file with one update for each value."""
    log.state_bytes(*(bytes.fromhex(f"81a161{form}") for form in forms))
    log.expect("intact", survivors=list(range(len(forms))))


@LIMITS.valid("ZMR-072", kind="limit")
def integers_beside_two_to_the_53rd(log: ZmqRaftLog) -> None:
    """Integers around ±2^53. Integers up to ±(2^53 - 1) are JSON numbers, and larger integers are
    objects."""
    _values(
        log, "cf001fffffffffffff", "cf0020000000000000", "cf0020000000000001",
        "d3ffe0000000000001", "d3ffe0000000000000", "d3ffdfffffffffffff",
    )  # fmt: skip


@LIMITS.valid("ZMR-072", kind="limit")
def floats_beside_two_to_the_53rd(log: ZmqRaftLog) -> None:
    """Integral floats around ±2^53. Floats up to ±(2^53 - 1) are JSON numbers, and larger floats
    are objects."""
    _values(
        log, "cb433fffffffffffff", "cb4340000000000000", "cb4340000000000001",
        "cbc33fffffffffffff", "cbc340000000000000", "ca5a000000", "ca59800000",
        "cb7ff0000000000000",
    )  # fmt: skip


@STATE_GROUP.valid("ZMR-072")
def integers_with_the_highest_bit(log: ZmqRaftLog) -> None:
    """Integers with the highest bit set. This bit is a sign only in the signed forms."""
    _values(
        log, "cc80", "cd8000", "ce80000000", "cf8000000000000000", "d080", "d18000", "d280000000"
    )


@STATE_GROUP.valid("ZMR-072")
def arrays_and_maps_of_fifteen(log: ZmqRaftLog) -> None:
    """Arrays and maps with 15 and 16 elements. Only counts up to 15 fit into the first byte."""
    pairs = "".join(f"{0xA162 + n:04x}{n:02x}" for n in range(16))
    _values(log, "9f" + "01" * 15, "dc0010" + "01" * 16, "8f" + pairs[:-6], "de0010" + pairs)


@STATE_GROUP.valid("ZMR-072")
def extensions_of_negative_types(log: ZmqRaftLog) -> None:
    """Extensions with negative types, which MessagePack reserves. A reader returns their bytes
    without decoding them."""
    _values(log, "d6ff12345678", "d7ff0000000012345678", "c70180aa", "d4fe00")


@STATE_GROUP.valid("ZMR-072", "ZMR-078")
def keys_of_none_and_31_letters(log: ZmqRaftLog) -> None:
    """Keys of 0 and 31 letters, the shortest and the longest key with its length in the first
    byte."""
    log.state_bytes(b"\x81\xa0\x01", b"\x81\xbf" + b"k" * 31 + b"\x02")
    log.expect("intact", survivors=[0, 1])


@STATE_GROUP.valid("ZMR-072")
def keys_of_one_text(log: ZmqRaftLog) -> None:
    """An inner map has the number 1 and the string "1" as keys, in either order. The last of these
    keys counts."""
    _values(log, "82 01 a166 a131 a16c", "82 a131 a166 01 a16c")


@STATE_GROUP.valid("ZMR-072")
def keys_that_are_not_utf8(log: ZmqRaftLog) -> None:
    """The key of an inner map is a string that is not UTF-8. In the answer, the key is the JSON
    text of this string."""
    _values(log, "81 a2c328 01")


@STATE_GROUP.valid("ZMR-072")
def keys_with_letters_to_escape(log: ZmqRaftLog) -> None:
    """The key of an inner map is an array with a string that JSON must escape. A reader uses short
    escapes where they exist."""
    letters = "\"\\/\b\t\n\f\r\0\x1b\x7f<&>'é\u2028😀".encode()
    _values(log, f"81 91 d9{len(letters):02x}{letters.hex()} 01")


@STATE_GROUP.valid("ZMR-072", kind="limit")
def floats_that_signal(log: ZmqRaftLog) -> None:
    """Signalling NaNs of 32 bits become quiet. Signalling NaNs of 64 bits keep their bits."""
    # The last two values are not NaNs: a number that would be a NaN in the opposite byte order, and
    # infinity.
    _values(
        log,
        "ca7fa00000",
        "caffa00001",
        "ca7fe00000",
        "cb7ff4000000000000",
        "ca3f80c07f",
        "ca7f800000",
    )


@STATE_GROUP.damaged(five_updates, "ZMR-077")
def stray_empty_array(log: ZmqRaftLog) -> None:
    """An empty array, the byte 90, lies between two updates. Short maps begin with the bytes 80 to
    8f."""
    log.insert(15, b"\x90")
    log.expect("damaged", "not-a-map", survivors=[0, 1, 2, 3, 4], end=None)


def _bad_key(log: ZmqRaftLog, key: str) -> None:
    log.extend(bytes.fromhex(f"81{key}01"))
    log.expect("damaged", "bad-key", survivors=[0, 1, 2, 3, 4], end=None)


@STATE_GROUP.damaged(five_updates, "ZMR-078")
def key_of_an_array(log: ZmqRaftLog) -> None:
    """The key of an update is an array that begins with the byte 9f. Short strings begin with a0 to
    bf."""
    _bad_key(log, "9f" + "01" * 15)


@STATE_GROUP.damaged(five_updates, "ZMR-078")
def key_of_nil(log: ZmqRaftLog) -> None:
    """The key of an update is nil, the byte c0. Short strings begin with a0 to bf."""
    _bad_key(log, "c0")


@STATE_GROUP.damaged(five_updates, "ZMR-078")
def key_of_an_extension(log: ZmqRaftLog) -> None:
    """The key of an update is an extension that begins with the byte d8. Long strings begin with d9
    to db."""
    _bad_key(log, "d805" + "61" * 16)


@STATE_GROUP.damaged(five_updates, "ZMR-078")
def key_of_a_long_array(log: ZmqRaftLog) -> None:
    """The key of an update is an array that begins with the byte dc. Long strings begin with d9 to
    db."""
    _bad_key(log, "dc000101")


@WRITING.writing("ZMR-073", kind="limit")
def write_arrays_and_maps_at_the_edges(log: ZmqRaftLog) -> None:
    """A writer writes arrays and maps with 15 and 16 elements."""
    maps = [{chr(97 + n): n for n in range(size)} for size in (15, 16)]
    log.state({"foo": [[0] * 15, [0] * 16, *maps]}, initial={"foo": 0})


@WRITING.writing("ZMR-073", kind="limit")
def write_floats_that_are_none(log: ZmqRaftLog) -> None:
    """A writer writes integral floats from -2^31 to 2^31 - 1 as integers. It writes all other
    numbers, including infinities, as floats."""
    forms = ("cb3ff0000000000000", "cb7ff0000000000000", "cbfff0000000000000", "ca3fc00000",
             "cb41dfffffffc00000", "cb41e0000000000000", "cbc1e0000000000000", "cbc1e0000000200000",
             "cb4340000000000000", "cf001fffffffffffff", "d3ffe0000000000001")  # fmt: skip
    log.state(*(bytes.fromhex(f"81a3666f6f{form}") for form in forms), initial={"foo": 0})


@WRITING.writing("ZMR-074")
def write_without_defaults(log: ZmqRaftLog) -> None:
    """The context does not list the known keys. A writer writes every key."""
    log.state({"foo": 1}, {"other": 2, "bar": None})


@WRITING.writing("ZMR-077", control=write_updates)
def write_an_update_that_is_no_map(log: ZmqRaftLog) -> None:
    """A writer refuses an update that is an array."""
    log.refuse(".pers", bytes.fromhex("920102"), initial={"foo": 0})


@WRITING.writing("ZMR-078", control=write_updates)
def write_a_key_that_is_no_string(log: ZmqRaftLog) -> None:
    """A writer refuses an update with a number as a key."""
    log.refuse(".pers", bytes.fromhex("82a3666f6f010102"), initial={"foo": 0})


@WRITING.writing("ZMR-074")
def write_the_value_that_a_key_has(log: ZmqRaftLog) -> None:
    """An update sets a key to the value that the key already has. A writer still writes the
    update."""
    log.state({"foo": 2}, {"foo": 2}, {"baz": 0}, initial={"foo": 0, "baz": 0})
    log.expect_bytes(bytes.fromhex("81a3666f6f02 81a3666f6f02 81a362617a00"))


@WRITING.writing("ZMR-073", "ZMR-074")
def write_an_unknown_key_of_an_extension(log: ZmqRaftLog) -> None:
    """An unknown key has an extension as its value. A writer drops the key and does not refuse the
    update."""
    log.state(bytes.fromhex("82a3666f6f01a3626172d40561"), initial={"foo": 0})
    log.expect_bytes(bytes.fromhex("81a3666f6f01"))
