"""Limits for the fields that entries share, and for the faults that a reader keeps (SDJ-092,
SDJ-093).
"""

import hashlib
from collections.abc import Callable
from typing import Any

from conformance.recipes.systemd_journal.log import (
    APPENDING,
    CHAIN,
    ENTRY,
    LAYOUT,
    START,
    SystemdLog,
)
from conformance.recipes.systemd_journal.writing import LATER, ROOM
from reference_impl.systemd_journal import layout

#: Sizes of an item and of a slot in a compact file, in bytes.
ITEM = SLOT = 4


def _changing(
    log: SystemdLog, changed: int, change: Callable[[bytes], bytes], **options: Any
) -> None:
    """Begin a compact file in which ``change`` alters every object of one type before it is
    written."""
    log.begin(compact=True, header_size=272, **options)
    log.payloads.clear()
    put = log.made._object

    def put_changed(object_type: int, body: bytes, flags: int = 0) -> int:
        return put(object_type, change(body) if object_type == changed else body, flags)

    log.made._object = put_changed  # type: ignore[method-assign]


def _last_item(times: int) -> Callable[[bytes], bytes]:
    return lambda body: body + body[-ITEM:] * (times - 1)


def _close_at(log: SystemdLog, end: int) -> None:
    """Close the file with a DATA of incompressible bytes that ends at this offset.

    No entry contains this DATA, so readers do not return it.
    """
    size = end - len(log.made.out) - FILL - layout.FIXED_SIZE[layout.FIELD] - 8
    noise = b"".join(hashlib.sha256(bytes([n])).digest() for n in range(256))
    log.made._data((b"FILL=" + noise * (size // len(noise) + 1))[:size])
    log.close()
    assert len(log.data) == end, f"the objects end at {len(log.data)}, not {end}"


#: Size of a DATA in a compact file before its payload, in bytes.
FILL = 72
#: Size of the repeated field, in bytes.
REPEATED = 200


def _repeated(log: SystemdLog, end: int) -> None:
    """Write an entry with one field 31 times, in a file whose objects end at this offset."""
    log.payloads.clear()
    _changing(log, layout.ENTRY, _last_item(31))
    log.entry_at(START, ["MESSAGE=alpha", b"REPEATED=".ljust(REPEATED, b"A")])
    log.entry_at(START + 1, ["MESSAGE=bravo"])
    _close_at(log, end)


@LAYOUT.valid("SDJ-019", "SDJ-092", kind="limit")
def field_repeated_as_often_as_the_file_is_long(log: SystemdLog) -> None:
    """An entry has one field 31 times. The 30 repetitions add up to 6,000 bytes, exactly the
    limit."""
    _repeated(log, 30 * REPEATED)
    log.expect("intact", survivors=[0, 1])


@ENTRY.damaged(field_repeated_as_often_as_the_file_is_long, "SDJ-055", "SDJ-092", kind="limit")
def field_repeated_once_too_often_before_much_space(log: SystemdLog) -> None:
    """The last repetition of a field exceeds the limit. Preallocated space after the last object
    does not raise this limit."""
    _repeated(log, 30 * REPEATED - 8)
    log.extend(bytes(4096))
    log.expect("damaged", "too-large", survivors=[0, 1])


def _repeated_before_the_last(log: SystemdLog, end: int) -> None:
    """Write an entry with one field 31 times, and then a field that no other entry has."""
    log.payloads.clear()
    _changing(log, layout.ENTRY, _first_of_two_repeated)
    log.entry_at(START, [b"REPEATED=".ljust(REPEATED, b"A"), "MESSAGE=alpha"])
    _close_at(log, end)


def _first_of_two_repeated(body: bytes) -> bytes:
    """Repeat the second of three items. The items are a boot id, the field to repeat, and another
    field."""
    return body[: -2 * ITEM] + body[-2 * ITEM : -ITEM] * 31 + body[-ITEM:]


@LAYOUT.valid("SDJ-019", "SDJ-092", kind="limit")
def field_repeated_as_often_as_may_be_before_another(log: SystemdLog) -> None:
    """An entry has one field 31 times, exactly up to the limit, and then a second field."""
    _repeated_before_the_last(log, 30 * REPEATED)
    log.expect("intact", survivors=[0])


@ENTRY.damaged(field_repeated_as_often_as_may_be_before_another, "SDJ-036", "SDJ-092", kind="limit")
def field_repeated_once_too_often_before_another(log: SystemdLog) -> None:
    """The last repetition of a field exceeds the limit. A later item gives no field either, but its
    DATA must still list the entry."""
    _repeated_before_the_last(log, 30 * REPEATED - 8)
    log.expect("damaged", "too-large", survivors=[log.without(0, "MESSAGE")])


ENTRIES = 170
#: Size of the shared field, in bytes. If it were short, the entries themselves would raise the
#: limit too much.
SHARED = 60_000


@LAYOUT.valid("SDJ-092", kind="limit")
def entries_that_share_as_much_as_they_may(log: SystemdLog) -> None:
    """Each of 170 entries has the same long field twice. The sizes of all fields add up to exactly
    the limit."""
    _share(log, 0)
    log.expect("intact", survivors=range(ENTRIES))


def _share(log: SystemdLog, more: int) -> None:
    """Write entries with a long field. The objects end ``more`` bytes after the offset at which the
    limit allows all fields."""
    log.payloads.clear()
    _changing(log, layout.ENTRY, _last_item(2))
    log.context["max_field_size"] = 232  # limits only compressed fields
    field = b"SHARED=".ljust(SHARED, b"A")
    given = 0
    for number in range(ENTRIES):
        log.entry_at(START + number, [field] if number else ["PAD=".ljust(PAD, "A"), field])
        given += len(b"_BOOT_ID=") + 32 + 2 * len(field)
    given += PAD
    end, rest = divmod(given - 4 * log.context["max_field_size"], 256)
    assert rest == 0, f"{rest} bytes are not used up"
    _close_at(log, end + more)


PAD = 230


ENTRY.table("""
field_repeated_once_too_often: field_repeated_as_often_as_the_file_is_long SDJ-043 SDJ-092 limit
    An entry has one field 31 times. The last repetition exceeds the limit.
    repeated: 5992
    expect: damaged too-large, survivors 0 1
field_repeated_twice_too_often: field_repeated_as_often_as_the_file_is_long SDJ-043 SDJ-092 limit
    An entry has one field 31 times. The last two repetitions exceed the limit.
    repeated: 5792
    expect: damaged too-large, survivors 0 1
entries_that_share_more_than_they_may: entries_that_share_as_much_as_they_may SDJ-043 SDJ-092 limit
    Each of 170 entries has the same long field twice. The last item of the last entry exceeds the
    limit for all entries.
    share: -8
    expect: damaged too-large, survivors 0-169
""")


SLOTS = 1200


def _padded(bytes: int) -> Callable[[bytes], bytes]:
    return lambda body: body.ljust(8 + bytes, b"\0")


@LAYOUT.valid("SDJ-034", "SDJ-035")
def array_with_room_for_1200(log: SystemdLog) -> None:
    """The only array in the main chain has 1,200 slots, two of which are used."""
    _changing(log, layout.ENTRY_ARRAY, _padded(SLOT * SLOTS))
    log.entry_at(START, ["MESSAGE=alpha"])
    log.entry_at(START + 1, ["MESSAGE=bravo"])
    log.close()
    log.expect("intact", survivors=[0, 1])


@APPENDING.valid("SDJ-034", "SDJ-035", "SDJ-036")
def arrays_of_one_slot(log: SystemdLog) -> None:
    """Another writer's file has arrays of one slot in the main chain and in the list of a DATA."""
    _changing(log, layout.ENTRY_ARRAY, lambda body: body[: 8 + SLOT], **ROOM)
    log.entry_at(START, ["MESSAGE=alpha", "PRIORITY=6"])
    log.made.chain.slots = 1
    log.entry_at(START + 1, ["MESSAGE=bravo", "PRIORITY=6"])
    log.close()
    log.expect("intact", survivors=[0, 1])


@APPENDING.appending(arrays_of_one_slot, "SDJ-035", "SDJ-087", may_refuse=True)
def append_after_arrays_of_one_slot(log: SystemdLog) -> None:
    """A writer appends after arrays of one slot. The next array of the main chain has 6 slots, and
    the next array of the DATA has 4."""
    log.record("MESSAGE=charlie", "PRIORITY=6", realtime=LATER)
    log.expect("intact", survivors=[0, 1, *(record.payload for record in log.to_append)])
    log.free_to("preallocation", "systemd lets a file grow in steps of 8 MiB")


def _fill(log: SystemdLog, more: int) -> None:
    """Let slots point to no entry. The number of these slots is the number of faults that a reader
    keeps, plus ``more``."""
    at = log.array(0)
    count = 1024 + len(log.data) // 64 + more
    start = log.start(f"{at}.body.slots[2]")
    log.data[start : start + SLOT * count] = (4).to_bytes(SLOT, "little") * count


@CHAIN.damaged(array_with_room_for_1200, "SDJ-034", "SDJ-093", kind="limit")
def as_many_faults_as_are_kept(log: SystemdLog) -> None:
    """Slots that point to no entry cause exactly as many faults as a reader keeps."""
    _fill(log, 0)
    log.expect("damaged", "bad-chain", survivors=[0, 1])


@CHAIN.damaged(array_with_room_for_1200, "SDJ-034", "SDJ-093", kind="limit")
def more_faults_than_are_kept(log: SystemdLog) -> None:
    """Slots that point to no entry cause three faults more than a reader keeps. A reader merges
    these three faults into one range."""
    _fill(log, 3)
    log.expect("damaged", "bad-chain", survivors=[0, 1])


@CHAIN.damaged(array_with_room_for_1200, "SDJ-034", "SDJ-051", "SDJ-093", kind="limit")
def cut_between_objects_and_as_many_faults_as_are_kept(log: SystemdLog) -> None:
    """A cut between two objects counts as a fault without bytes. Together with invalid slots, there
    is one fault more than a reader keeps."""
    array = log.all_of(layout.ENTRY_ARRAY)[0]
    log.truncate(layout.align(array + log.view.object_size(array)))
    _fill(log, 0)
    log.expect("damaged", "bad-chain", survivors=[0])


SQUEEZED = "MESSAGE=".ljust(600, "A"), "MESSAGE=".ljust(600, "B")


@LAYOUT.valid("SDJ-026", "SDJ-034")
def compressed_fields_and_room_for_1200(log: SystemdLog) -> None:
    """A file has two compressed fields, and an array of 1,200 slots, two of which are used."""
    padded = _padded(SLOT * SLOTS)
    _changing(log, layout.ENTRY_ARRAY, padded, keyed=True, compression="zstd")
    for number, field in enumerate(SQUEEZED):
        log.entry_at(START + number, [field])
    log.close()
    log.expect("intact", survivors=[0, 1])


@CHAIN.damaged(compressed_fields_and_room_for_1200, "SDJ-027", "SDJ-034", "SDJ-093", kind="limit")
def unannounced_compression_twice_and_as_many_faults_as_are_kept(log: SystemdLog) -> None:
    """Two DATA with unannounced compression count as two faults. Together with invalid slots, there
    is one fault more than a reader keeps."""
    log.set("header.incompatible_flags", log.header.incompatible_flags & ~layout.ZSTD)
    _fill(log, -1)
    log.expect("damaged", "bad-header", survivors=[0, 1])


#: Size of a decompressed field, which is also the limit of a field, in bytes.
WIDE = 65536


@LAYOUT.valid("SDJ-030", "SDJ-092", kind="limit")
def entries_that_share_compressed_fields(log: SystemdLog) -> None:
    """Ten entries have the same four compressed fields. Their decompressed sizes add up to slightly
    less than the limit."""
    _share_compressed(log, 0)
    log.expect("intact", survivors=range(10))


def _share_compressed(log: SystemdLog, more: int) -> None:
    """Write ten entries with four compressed fields. The objects end ``more`` bytes after the
    offset at which the limit allows all fields."""
    log.context["max_field_size"] = WIDE
    fields = [f"F{number}=".ljust(WIDE, "A") for number in range(4)]
    log.payloads.clear()
    options: dict[str, Any] = {
        "max_field_size": WIDE,
        "compression": "zstd",
        "threshold": WIDE,
        "compact": True,
        "header_size": 272,
    }
    log.begin(**options)
    for number in range(10):
        log.entry_at(START + number * 1_000_000, fields)
    given = 10 * (len(b"_BOOT_ID=") + 32 + 4 * WIDE)
    _close_at(log, layout.align(-(-(given - 4 * WIDE) // 256)) + more)


@ENTRY.damaged(entries_that_share_compressed_fields, "SDJ-043", "SDJ-092", kind="limit")
def entries_that_share_too_much_that_is_compressed(log: SystemdLog) -> None:
    """Ten entries have the same four compressed fields. Their decompressed sizes exceed the limit
    at the last field of the last entry."""
    _share_compressed(log, -8)
    log.expect("damaged", "too-large", survivors=[*range(9), log.without(9, "F3")])
