"""The walk: where it ends, at which known object it continues, and which links give known
offsets.
"""

import struct

from conformance.recipes.systemd_journal.combinations import (
    regular_jenkins_zstd,
)
from conformance.recipes.systemd_journal.layouts import LONG, five_entries, thirty_entries
from conformance.recipes.systemd_journal.log import (
    CHAIN,
    COMPRESSION,
    DATA,
    ENTRY,
    FIVE,
    HEADER,
    INDEX,
    LAYOUT,
    SystemdLog,
)
from reference_impl.systemd_journal import layout
from reference_impl.systemd_journal.layout import parse_header

ALL = range(5)
#: The array of PRIORITY=6 in the file of five entries. Only its DATA points to it.
ARRAY = 1832


def _unlink(log: SystemdLog, array: int) -> None:
    """Remove the links of all DATA to an array."""
    for at in log.all_of(layout.DATA):
        if log.view.number(at + 48) == array:
            log.zero(f"{log.path(at)}.body.ofs_entry_array")


def _shorter(log: SystemdLog, size: int, **fields: int) -> None:
    """Keep only the start of the file, with a header that matches it."""
    header = parse_header(bytes(log.data[:272]))
    header.arena_size = size - header.header_size
    for name, value in fields.items():
        setattr(header, name, value)
    log.data = bytearray(header.to_bytes() + log.data[header.header_size : size])
    log.expect("intact", survivors=[], end=None)  # a table is missing (SDJ-087)


@LAYOUT.valid("SDJ-002", "SDJ-016", "SDJ-055")
def header_alone(log: SystemdLog) -> None:
    """A file with a header and no objects."""
    log.write()
    _shorter(
        log, 264, tail_object_offset=0, n_objects=0,
        data_hash_table_offset=0, data_hash_table_size=0,
        field_hash_table_offset=0, field_hash_table_size=0,
    )  # fmt: skip


@LAYOUT.valid("SDJ-002", "SDJ-016", "SDJ-049")
def one_object(log: SystemdLog) -> None:
    """A file whose only object is the FIELD table."""
    log.write()
    _shorter(
        log, 344, tail_object_offset=264, n_objects=1,
        data_hash_table_offset=0, data_hash_table_size=0,
    )  # fmt: skip


@HEADER.damaged(five_entries, "SDJ-049", "SDJ-059")
def one_object_too_many_and_garbage_after_the_tail(log: SystemdLog) -> None:
    """The header counts one object too many, and garbage follows the tail object. The walk ignores
    the garbage."""
    log.extend(b"\x03" * 40)
    log.set("header.n_objects", log.header.n_objects + 1)
    log.expect("damaged", "bad-header", survivors=ALL)


@DATA.damaged(regular_jenkins_zstd, "SDJ-027", "SDJ-041")
def known_object_whose_compression_is_hidden(log: SystemdLog) -> None:
    """An array before a compressed DATA is lost. The walk continues at the DATA, although the
    header does not announce its compression."""
    before = max(at for at, _ in log.objects if at < log.offset_of(LONG))
    log.set(f"{log.path(before)}.type", 0)
    log.set("header.incompatible_flags", 0)
    log.expect("damaged", "bad-object", survivors=range(4))


ENTRY.table("""
entry_without_a_boot_id_and_no_object_after_it: five_entries SDJ-015 SDJ-041
    An entry without a boot id is followed by an array of type 0. The entry and the array are two
    lost ranges.
    damage: zero entry(1).body.boot_id
    damage: set array(1).type to 0
    expect: damaged bad-entry, survivors 0 2-4
entry_size_across_an_entry_without_a_number: five_entries SDJ-015 SDJ-041 SDJ-104
    The size of an entry covers two DATA to which items point, and the next entry, which is invalid.
    `xor_hash` gives the size of the entry.
    damage: zero entry(2).body.seqnum
    damage: set entry(1).len_object to 448
    expect: damaged bad-object, survivors 0 1 3 4
""")


def _last_message_is_the_first(log: SystemdLog) -> bytes:
    """Give the last entry the first message, and return its payload."""
    log.set(f"{log.entry(4)}.body.items[2].ofs_data", log.offset_of("MESSAGE=alpha"))
    return log.payloads[4].replace(b"echo", b"alpha")


@INDEX.damaged(five_entries, "SDJ-024", "SDJ-041")
def object_known_by_a_link_that_leads_back(log: SystemdLog) -> None:
    """After a lost entry, a hash chain points backwards to the next object. Such a link gives no
    known offset, so the walk does not continue there."""
    log.set(f"{log.entry(3)}.type", 9)
    log.zero(log.bucket("MESSAGE=echo"))
    log.set(f"{log.of('PRIORITY=4')}.body.ofs_next_hash", log.offset_of("MESSAGE=echo"))
    last = _last_message_is_the_first(log)
    log.expect("damaged", "bad-object", survivors=[0, 1, 2, last])


@INDEX.damaged(five_entries, "SDJ-024", "SDJ-041")
def object_known_by_a_second_offset(log: SystemdLog) -> None:
    """After a lost entry, only the second offset of a bucket gives the next object as a known
    offset. The walk continues there."""
    log.set(f"{log.entry(3)}.type", 9)
    log.zero(f"{log.bucket('MESSAGE=echo')}.ofs_head")
    last = _last_message_is_the_first(log)
    log.expect("damaged", "bad-object", survivors=[0, 1, 2, last])


@INDEX.damaged(five_entries, "SDJ-011", "SDJ-041")
def array_known_by_the_header(log: SystemdLog) -> None:
    """A bucket points to ids in the header that resemble a DATA. These bytes are not an object, so
    they give no known offset."""
    log.set(f"{log.entry(2)}.type", 9)
    _unlink(log, ARRAY)
    log.set("header.file_id", struct.pack("<2Q", 1, 100))
    log.set("header.tail_entry_boot_id", struct.pack("<2Q", 0, ARRAY))
    log.set(f"{log.bucket('MESSAGE=echo')}.ofs_head", log.start("header.file_id"))
    log.expect("damaged", "bad-object", survivors=[0, 1, 3, 4])


@LAYOUT.valid("SDJ-014", "SDJ-025")
def field_whose_name_reads_like_an_offset(log: SystemdLog) -> None:
    """The name of a FIELD may consist of any bytes, even those of an array offset."""
    log.begin()
    for number, fields in enumerate(FIVE):
        log.entry_at(1700000000000000 + number * 1_000_000, fields)
    log.made._field(ARRAY.to_bytes(2, "little"))
    log.close()
    log.expect("intact", survivors=ALL)


INDEX.table("""
array_known_by_a_bucket: five_entries SDJ-024 SDJ-041
    After a lost entry, the first offset of a bucket points to an array. An array is not a DATA, so
    the walk does not continue there.
    damage: set entry(2).type to 9
    unlink: 1832
    damage: set bucket(MESSAGE=echo).ofs_head to 1832
    expect: damaged bad-object, survivors 0 1 3 4
array_known_by_the_name_of_a_field: field_whose_name_reads_like_an_offset SDJ-014 SDJ-041
    The name of a FIELD reads as the offset of an array, in the place where a DATA has
    `entry_offset`. The name gives no known offset.
    damage: set entry(2).type to 9
    unlink: 1832
    expect: damaged bad-object, survivors 0 1 3 4
""")


@CHAIN.damaged(thirty_entries, "SDJ-033", "SDJ-041")
def entry_lost_before_an_array_of_the_main_chain(log: SystemdLog) -> None:
    """After a lost entry, only the main chain points to the next array. The walk continues
    there."""
    log.set(f"{log.entry(4)}.type", 9)
    log.expect("damaged", "bad-object", survivors=[*range(4), *range(5, 30)])


@INDEX.damaged(five_entries, "SDJ-041", "SDJ-057")
def table_beyond_the_file_and_an_entry_lost(log: SystemdLog) -> None:
    """The header gives a size of 1 TiB for the DATA table. A reader must not read that far, and the
    table gives no known offsets."""
    log.set("header.data_hash_table_size", 1 << 40)
    log.set(f"{log.entry(2)}.type", 9)
    log.expect("damaged", "bad-object", survivors=[0, 1, 3, 4])


@INDEX.damaged(five_entries, "SDJ-041")
def table_at_the_end_of_the_file(log: SystemdLog) -> None:
    """The header places a table of one bucket at the end of the file. After a lost entry, the walk
    continues at the array that this bucket names."""
    log.extend(bytes(8) + ARRAY.to_bytes(8, "little"))
    log.set("header.data_hash_table_offset", len(log.control))
    log.set("header.data_hash_table_size", 16)
    log.set(f"{log.entry(2)}.type", 9)
    log.expect("damaged", "bad-object", survivors=[0, 1, 3, 4])


@LAYOUT.valid("SDJ-015", "SDJ-019")
def four_entries_of_seven_fields(log: SystemdLog) -> None:
    """Four entries with the same seven fields. Arrays follow the second entry, and only entries
    follow these arrays."""
    log.write(*[tuple(f"FIELD_{n}=same" for n in range(7))] * 4)
    log.expect("intact", survivors=range(4))


@ENTRY.damaged(four_entries_of_seven_fields, "SDJ-041", "SDJ-057")
def entry_inside_an_entry(log: SystemdLog) -> None:
    """The main chain points to an entry inside another entry. The outer entry overlaps the inner
    entry, so a reader returns both, and the outer entry has only the single item before the inner
    entry."""
    outer, array = log.entry(0), log.array(2)
    items = ((3, 80), (1, 5), (6, 7), (8, 9), (log.start(array), 0))
    for number, (offset, hash) in enumerate(items, 1):
        log.set(f"{outer}.body.items[{number}].ofs_data", offset)
        log.set(f"{outer}.body.items[{number}].hash", hash)
    log.set(f"{log.array(0)}.body.slots[1]", log.start(outer) + 64 + 16)
    log.set(f"{log.entry(1)}.type", 9)
    log.expect("damaged", "bad-object", survivors=[b"", b"", 2, 3])
    log.note("Of two entries that overlap, a reader uses the items of only one as known offsets.")


@ENTRY.damaged(four_entries_of_seven_fields, "SDJ-041")
def array_known_by_an_entry_inside_an_entry(log: SystemdLog) -> None:
    """The main chain points to an entry among the item hashes of another entry. The items of the
    inner entry give no known offsets."""
    outer, array = log.entry(0), log.start(log.array(2))
    inner = struct.pack("<10Q", 3, 80, 1, 5, 6, 7, 8, 9, array, 0)
    at = log.start(outer) + 64 + 8
    log.data[at : at + len(inner)] = inner
    log.set(f"{log.array(0)}.body.slots[1]", at)
    log.set(f"{log.entry(1)}.type", 9)
    _unlink(log, array)
    log.expect("damaged", "bad-object", survivors=[b"", 2, 3])


@ENTRY.damaged(four_entries_of_seven_fields, "SDJ-041", "SDJ-043")
def array_known_by_the_item_of_an_entry(log: SystemdLog) -> None:
    """After a lost entry, only an item of the last entry gives a later array as a known offset. The
    walk continues there, although an array is not a DATA."""
    log.set(f"{log.entry(3)}.body.items[1].ofs_data", log.start(log.array(2)))
    log.set(f"{log.entry(1)}.type", 9)
    _unlink(log, log.start(log.array(2)))
    log.expect("damaged", "bad-object", survivors=[0, 2, log.without(3, "FIELD_0")])


@LAYOUT.valid("SDJ-013")
def value_with_a_copy_of_an_array(log: SystemdLog) -> None:
    """A value contains a copy of an array, at an offset that is not a multiple of 8."""
    copy = bytes([6]) + bytes(7) + (32).to_bytes(8, "little") + bytes(16)
    log.write((b"BLOB=1234" + copy, "MESSAGE=alpha"))
    log.expect("intact", survivors=[0])


@DATA.damaged(value_with_a_copy_of_an_array, "SDJ-011", "SDJ-041")
def copy_of_an_array_known_by_an_item(log: SystemdLog) -> None:
    """An item points to a copy of an array inside a lost value. The walk does not continue there,
    because the offset is not a multiple of 8."""
    at = next(at for at, kind in log.objects if kind == 1 and b"BLOB" in log.view.payload(at))
    items = list(log.view.items(log.start(log.entry(0))))
    other = items.index(log.offset_of("MESSAGE=alpha"))
    log.set(f"{log.entry(0)}.body.items[{other}].ofs_data", at + 64 + 9)
    log.set(f"{log.path(at)}.type", 0)
    log.expect("damaged", "bad-object", survivors=[b""])


DATA.table("""
payload_flipped_before_a_tail_that_is_no_object: five_entries SDJ-041 SDJ-044
    A DATA with a wrong hash ends at `tail_object_offset`, where no object is framed. The DATA is a
    separate lost range.
    damage: flip bit 70 of of(MESSAGE=alpha).body.payload
    damage: set of(MESSAGE).type to 0
    damage: set header.tail_object_offset to offset_of(MESSAGE)
    expect: damaged hash-mismatch, survivors without(0, MESSAGE) 1-4
compact_data_without_a_payload: compact_jenkins_none SDJ-011 SDJ-013
    A compact DATA of 72 bytes is too small, because it has no payload. The bytes after it are wrong
    too, so no size makes its hash match.
    damage: set of(PRIORITY=3).len_object to 72
    damage: flip bit 70 of of(PRIORITY=3).body.payload
    expect: damaged bad-object, survivors 0 without(1, PRIORITY) 2 3
""")


@INDEX.damaged(five_entries, "SDJ-011", "SDJ-016")
def table_size_no_multiple_of_a_bucket(log: SystemdLog) -> None:
    """The size of the FIELD table is 72 bytes, which is not a whole number of buckets."""
    log.set(f"{log.path(log.all_of(5)[0])}.len_object", 72)
    log.expect("damaged", "bad-object", survivors=ALL)


@LAYOUT.valid("SDJ-015")
def earliest_time_and_a_boot_id_with_zeros(log: SystemdLog) -> None:
    """An entry has a realtime of 1, a monotonic time of 0, and a boot id with zero bytes."""
    log.begin()
    log.entry_at(1, ["MESSAGE=alpha"], boot="00" * 15 + "01", monotonic=0)
    log.close()
    log.expect("intact", survivors=[0])


@DATA.damaged(five_entries, "SDJ-045", "SDJ-086")
def field_name_with_a_letter_in_lower_case(log: SystemdLog) -> None:
    """The field name `MESSaGE` is invalid, although the hash of the field is correct."""
    log.set(f"{log.of('MESSAGE=bravo')}.body.payload", b"MESSaGE=bravo")
    log.rehash("MESSAGE=bravo")
    log.expect("damaged", "bad-field", survivors=[0, log.without(1, "MESSAGE"), 2, 3, 4])


@HEADER.damaged(five_entries, "SDJ-044", "SDJ-097")
def tail_object_at_the_end_and_a_payload_flipped(log: SystemdLog) -> None:
    """`tail_object_offset` leaves only 8 bytes for the tail object. This is a fault although the
    walk lost a DATA."""
    log.set("header.tail_object_offset", len(log.control) - 8)
    log.flip(f"{log.of('MESSAGE=bravo')}.body.payload", 70)
    log.expect("damaged", "bad-header", survivors=[0, log.without(1, "MESSAGE"), 2, 3, 4])


@HEADER.damaged(five_entries, "SDJ-044", "SDJ-097")
def tail_object_one_byte_off_and_a_payload_flipped(log: SystemdLog) -> None:
    """`tail_object_offset` is one byte too high. This is a fault although the walk lost a DATA."""
    log.set("header.tail_object_offset", log.header.tail_object_offset + 1)
    log.flip(f"{log.of('MESSAGE=bravo')}.body.payload", 70)
    log.expect("damaged", "bad-header", survivors=[0, log.without(1, "MESSAGE"), 2, 3, 4])


def _states(log: SystemdLog, size: int) -> None:
    """Replace the payload of the long field with a ZSTD frame that states a size and has an invalid
    block."""
    path = f"{log.of(LONG)}.body.payload"
    frame = bytes.fromhex("28b52ffda0") + size.to_bytes(4, "little") + b"\x07\x00\x00"
    place = log.field(path)
    log.set(path, frame + log.control[place.start + len(frame) : place.end])


COMPRESSION.table("""
zstd_size_of_the_limit: regular_jenkins_zstd SDJ-030 SDJ-031
    An invalid ZSTD frame states 64 MiB, exactly the limit of a field: the fault is
    `bad-compression`.
    states: 67108864
    expect: damaged bad-compression, survivors 0 1 without(2, MESSAGE) 3
zstd_size_above_the_limit: regular_jenkins_zstd SDJ-030 SDJ-031
    An invalid ZSTD frame states one byte more than 64 MiB, the limit of a field: the fault is
    `too-large`.
    states: 67108865
    expect: damaged too-large, survivors 0 1 without(2, MESSAGE) 3
""")
