"""The budgets for hashing and decompression (SDJ-102, SDJ-103), used up exactly and exceeded."""

import lzma
import struct

from conformance.recipes.systemd_journal.log import (
    COMPRESSION,
    INDEX,
    LAYOUT,
    START,
    SystemdLog,
    body,
)
from reference_impl.systemd_journal import layout

NESTED = 110
#: Size of a DATA before its payload, in bytes.
OWN = 64
SHORTEST = OWN + 1
#: Size of the value with the nested DATA, in bytes. It suffices to use up the budget.
VALUE = 7000 + NESTED * OWN


def _value(start: int, sizes: list[int]) -> bytes:
    """Return the bytes of nested DATA objects of these sizes, chained in this order. The first
    begins at ``start``, and each of the others 64 bytes after the one before it."""
    made = b""
    for number, size in enumerate(sizes, 1):
        following = start + number * OWN if number < len(sizes) else 0
        made += layout.OBJECT_HEADER.pack(layout.DATA, 0, size)
        made += struct.pack("<6Q", 0, following, 0, 0, 0, 0)
    return made.ljust(VALUE, b"A")


def _write(log: SystemdLog, value: bytes) -> None:
    log.payloads.clear()
    log.write((b"BLOB=123" + value, "MESSAGE=alpha"), ("MESSAGE=bravo",))


@LAYOUT.valid("SDJ-013")
def value_with_nested_data(log: SystemdLog) -> None:
    """A value contains the bytes of 110 nested DATA objects. No link points to any of them."""
    _write(log, bytes(VALUE))
    view = log.view
    hashed = [at for at, kind in log.objects if kind in (layout.DATA, layout.FIELD)]
    blob = max(hashed, key=view.object_size)
    start = blob + OWN + len(b"BLOB=123")
    sizes = [VALUE - number * OWN for number in range(NESTED)]
    # The outer DATA is lost. The walk checks every other object once and the FIELD after the outer
    # DATA twice.
    spent = sum(map(view.object_size, hashed)) - view.object_size(blob)
    spent += view.object_size(log.offset_of("BLOB"))
    excess = spent + sum(sizes) - 4 * len(log.data) - (1 << 20)
    for number in reversed(range(NESTED)):
        less = min(excess, sizes[number] - SHORTEST)
        sizes[number] -= less
        excess -= less
    assert excess == 0, "the nested DATA do not use up the budget"
    del log.__dict__["objects"]
    _write(log, _value(start, sizes))
    log.expect("intact", survivors=[0, 1])


def _lead_inside(log: SystemdLog) -> int:
    """Set the type of the outer DATA to 0 and point its bucket to the first nested DATA.

    Return the offset of the first nested DATA.
    """
    blob = max(log.all_of(layout.DATA), key=log.view.object_size)
    nested = blob + OWN + len(b"BLOB=123")
    bucket = log.view.number(blob + 16) % (log.header.data_hash_table_size // 16)
    table = log.path(log.all_of(layout.DATA_HASH_TABLE)[0])
    log.set(f"{table}.body.buckets[{bucket}].ofs_head", nested)
    log.set(f"{log.path(blob)}.type", 0)
    return nested


@INDEX.damaged(value_with_nested_data, "SDJ-041", "SDJ-102", kind="limit")
def nested_data_that_use_up_the_budget(log: SystemdLog) -> None:
    """A bucket points to the first of 110 DATA nested inside a lost DATA. Hashing the nested DATA
    uses up the budget for hashing exactly."""
    _lead_inside(log)
    log.expect("damaged", "bad-object", survivors=[log.without(0, "BLOB"), 1])


@INDEX.damaged(value_with_nested_data, "SDJ-041", "SDJ-102", kind="limit")
def nested_data_beyond_the_budget(log: SystemdLog) -> None:
    """A bucket points to the first of 110 DATA nested inside a lost DATA. With them, the last DATA
    of the file exceeds the budget for hashing by one byte."""
    nested = _lead_inside(log)
    size = log.view.number(nested + 64 + 8)
    log.data[nested + 72 : nested + 80] = (size + 1).to_bytes(8, "little")
    left = [log.without(0, "BLOB"), log.without(1, "MESSAGE")]
    log.expect("damaged", "bad-object", survivors=left)


@INDEX.damaged(value_with_nested_data, "SDJ-102", kind="limit")
def last_nested_data_far_beyond_the_budget(log: SystemdLog) -> None:
    """The last nested DATA exceeds the budget for hashing. Its size still counts, so every later
    DATA and FIELD is lost."""
    last = _lead_inside(log) + (NESTED - 1) * OWN
    log.data[last + 8 : last + 16] = (2000).to_bytes(8, "little")
    left = [log.without(0, "BLOB", "MESSAGE"), log.without(1, "MESSAGE")]
    log.expect("damaged", "bad-object", survivors=left)


@INDEX.damaged(value_with_nested_data, "SDJ-041", "SDJ-102", kind="limit")
def nested_data_tried_for_two_reasons(log: SystemdLog) -> None:
    """A DATA with a wrong payload contains 80 nested DATA in a hash chain, and the FIELD after the
    outer DATA has type 0. A reader looks for a known object twice: to test the size of the outer
    DATA, and to find the next object. It tries each nested DATA only once, so the budget for
    hashing suffices."""
    blob = max(log.all_of(layout.DATA), key=log.view.object_size)
    nested = blob + OWN + len(b"BLOB=123") + 30 * OWN
    bucket = log.view.number(blob + 16) % (log.header.data_hash_table_size // 16)
    table = log.path(log.all_of(layout.DATA_HASH_TABLE)[0])
    log.set(f"{table}.body.buckets[{bucket}].ofs_head", nested)
    log.flip(f"{log.path(blob)}.body.payload", 8 * 6)
    log.zero(f"{log.of('BLOB')}.type")
    log.expect("damaged", "hash-mismatch", survivors=[log.without(0, "BLOB"), 1])


#: ``max_field_size`` in the context, in bytes.
LIMIT = 65536

#: A field as given, its stored payload, and the compression flag of its DATA.
Packed = tuple[bytes, bytes, int]


#: The window descriptor of a ZSTD frame that requires a window of 2^32 bytes.
WINDOW_OF_4_GIB = 22 << 3


def _frame(name: bytes, length: int, states: int | None = None, last: int = 1) -> bytes:
    """Return a ZSTD frame that decompresses to ``length`` bytes: ``name=`` and a run of the letter
    A."""
    made = b"\x28\xb5\x2f\xfd\xa0" + struct.pack("<I", length if states is None else states)
    made += struct.pack("<I", (len(name) + 1) << 3)[:3] + name + b"="
    return made + struct.pack("<I", (length - len(name) - 1) << 3 | 1 << 1 | last)[:3] + b"A"


def _run(name: str, length: int) -> Packed:
    """Return a field whose value is a run of the letter A, compressed with ZSTD. ``length``
    includes the name."""
    plain = (name.encode() + b"=").ljust(length, b"A")
    return plain, _frame(name.encode(), length), layout.OBJECT_ZSTD


def _xz(length: int, check: int = lzma.CHECK_NONE) -> bytes:
    return lzma.compress(b"XZ=".ljust(length, b"A"), lzma.FORMAT_XZ, check)


def _xz_of_a_wrong_check(length: int) -> bytes:
    stored = bytearray(_xz(length, lzma.CHECK_CRC32))
    check = len(stored) - 12 - int.from_bytes(stored[-8:-4], "little") * 4 - 4 - 4
    stored[check] ^= 1
    return bytes(stored)


def _lz4(states: int, literals: bytes) -> bytes:
    """Return an LZ4 payload that states a size of ``states`` bytes and has at most 14 literals."""
    return struct.pack("<Q", states) + bytes([len(literals) << 4]) + literals


def failing() -> list[tuple[int, Packed]]:
    """Return fields that fail to decompress, each with the number of bytes that it counts against
    the budget."""
    xz, lz4, zstd = layout.OBJECT_XZ, layout.OBJECT_LZ4, layout.OBJECT_ZSTD
    stored: list[tuple[int, bytes, int]] = [
        (3 * 4096, _xz_of_a_wrong_check(10_000), xz),
        (2 * 4096, _xz(5000)[:-8], xz),
        (2 * 2 * 4096, _xz(4096)[:-4], xz),  # tried twice: it ends in zeros (SDJ-104)
        (4096, b"no stream", xz),
        (LIMIT, _xz(70_000), xz),
        (2000, _lz4(2000, b"LZ=walproof"), lz4),
        (300, _lz4(300, b"LZ=")[:-1], lz4),
        (0, _lz4(LIMIT + 1, bytes(14)) + bytes(300), lz4),
        (0, _lz4(1 << 20, b"LZ="), lz4),
        (3000, _frame(b"ZSTD", 2000, states=3000), zstd),
        (2600, _frame(b"ZSTD", 2000, states=2600, last=0), zstd),
        (3500, _frame(b"ZSTD", 3500, last=5), zstd),
        (0, _frame(b"ZSTD", 100, states=LIMIT + 1), zstd),
        (0, b"\x28\xb5\x2f\xfd\x20\x00" + struct.pack("<I", 1)[:3], zstd),
        (0, b"\x28\xb5\x2f\xfd\x00\x58" + struct.pack("<I", 1)[:3], zstd),
        (0, b"\x28\xb5\x2f\xfd\x80" + struct.pack("<BII", WINDOW_OF_4_GIB, 3000, 1)[:8], zstd),
        (0, b"no frame", zstd),
        (0, _frame(b"TWO", 100), zstd | xz),
        (2500, _frame(b"OTHER", 2500), zstd),
    ]
    return [
        (counts, (b"BAD_%02d=" % number, payload, flag))
        for number, (counts, payload, flag) in enumerate(stored)
    ]


def _fields(log: SystemdLog, fields: list[Packed]) -> None:
    """Write a file with one entry: a message, followed by these fields with their given stored
    payloads."""
    log.begin()
    made = log.made
    made.header.incompatible_flags |= layout.XZ | layout.LZ4 | layout.ZSTD
    put, stored = made._object, {plain: (body, flag) for plain, body, flag in fields}

    def put_packed(object_type: int, body: bytes, flags: int = 0) -> int:
        if object_type == layout.DATA and body[48:] in stored:
            payload, flags = stored[body[48:]]
            body = body[:48] + payload
        return put(object_type, body, flags)

    made._object = put_packed  # type: ignore[method-assign]
    log.payloads.clear()
    log.entry_at(START, [b"MESSAGE=bomb", *(plain for plain, _, _ in fields)])
    log.close()


def _use_up(log: SystemdLog, bad: list[tuple[int, Packed]], excess: int) -> list[Packed]:
    """Write fields that fail, and then valid fields that exceed the remaining budget by ``excess``.

    Return the valid fields.
    """
    log.context["max_field_size"] = LIMIT
    wrong = [packed for _, packed in bad]
    whole = 6 if bad else 5
    sound = [_run(f"RUN_{number}", LIMIT) for number in range(whole)]
    last = _run("LAST", 1000)
    _fields(log, [*wrong, *sound, last])
    left = (
        64 * log.made.data_at[last[0]]
        + 4 * LIMIT
        - whole * LIMIT
        - sum(counts for counts, _ in bad)
    )
    assert 1000 < left < LIMIT, f"{left} bytes are left for the last field"
    sound.append(_run("LAST", left + excess))
    _fields(log, [*wrong, *sound])
    return sound


def _expect_runs(log: SystemdLog, sound: list[Packed], reason: str | None) -> None:
    left = [body("MESSAGE=bomb", *(plain for plain, _, _ in sound))]
    log.expect("damaged" if reason else "intact", reason, survivors=left)


@COMPRESSION.valid("SDJ-031", "SDJ-103", kind="limit")
def fields_that_use_up_the_budget(log: SystemdLog) -> None:
    """Compressed fields use up the budget for decompression exactly."""
    _expect_runs(log, _use_up(log, [], 0), None)


@COMPRESSION.damaged(fields_that_use_up_the_budget, "SDJ-031", "SDJ-103", kind="limit")
def fields_beyond_the_budget(log: SystemdLog) -> None:
    """The last compressed field exceeds the budget for decompression by one byte."""
    _expect_runs(log, _use_up(log, [], 1)[:-1], "too-large")


@COMPRESSION.damaged(fields_that_use_up_the_budget, "SDJ-103", kind="limit")
def broken_fields_and_others_that_use_up_the_budget(log: SystemdLog) -> None:
    """Fields that fail to decompress count against the budget for decompression. The valid fields
    use up the remaining budget exactly."""
    _expect_runs(log, _use_up(log, failing(), 0), "bad-compression")


@COMPRESSION.damaged(fields_that_use_up_the_budget, "SDJ-103", kind="limit")
def broken_fields_and_others_beyond_the_budget(log: SystemdLog) -> None:
    """Fields that fail to decompress count against the budget for decompression. The last valid
    field exceeds the remaining budget by one byte."""
    _expect_runs(log, _use_up(log, failing(), 1)[:-1], "bad-compression")
