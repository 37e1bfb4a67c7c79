"""Sizes, fields, hash keys and boot ids that other bytes prove or contradict (SDJ-104 to
SDJ-107)."""

import struct

from conformance.recipes.systemd_journal.combinations import (
    compact_jenkins_none,
    compact_jenkins_zstd,
    compact_keyed_none,
    compact_keyed_xz,
    regular_jenkins_lz4,
    regular_keyed_none,
)
from conformance.recipes.systemd_journal.compression import (
    with_payload,
    zstd_frame_with_bytes_behind_it,
)
from conformance.recipes.systemd_journal.layouts import (
    LONG,
    five_entries,
    thirty_entries_compact,
    two_boots_and_a_gap_in_the_numbers,
)
from conformance.recipes.systemd_journal.log import (
    BOOT,
    FIVE,
    INFERENCE,
    KEY,
    SEALED_START,
    START,
    SystemdLog,
    body,
)
from reference_impl.systemd_journal import layout
from reference_impl.systemd_journal.hashes import jenkins64, siphash24

ALL = range(5)
OTHER_BOOT = "fedcba9876543210fedcba9876543210"


def _table(log: SystemdLog, kind: int) -> str:
    return log.path(log.all_of(kind)[0])


def _wrong_hash(log: SystemdLog, field: str) -> None:
    """Flip two bits of a stored hash. One wrong bit alone would prove the payload."""
    for bit in (3, 40):
        log.flip(f"{log.of(field)}.body.hash", bit)


# Sizes (SDJ-041, SDJ-104).


@INFERENCE.damaged(five_entries, "SDJ-104")
def table_size_across_objects(log: SystemdLog) -> None:
    """The size of the DATA table is so large that it covers later objects. The header gives the
    right size."""
    log.set(f"{_table(log, layout.DATA_HASH_TABLE)}.len_object", 144 + 16 * 20)
    log.expect("damaged", "bad-object", survivors=ALL)


@INFERENCE.damaged(five_entries, "SDJ-104")
def field_table_size_past_the_file(log: SystemdLog) -> None:
    """The size of the FIELD table is 2^40. The header gives the right size."""
    log.set(f"{_table(log, layout.FIELD_HASH_TABLE)}.len_object", 1 << 40)
    log.expect("damaged", "bad-object", survivors=ALL)


@INFERENCE.damaged(five_entries, "SDJ-016", "SDJ-104")
def field_table_size_past_the_file_and_a_wrong_offset(log: SystemdLog) -> None:
    """The size of the FIELD table is 2^40, and the header does not name this table. Nothing gives
    the size, so the table is lost."""
    log.set(f"{_table(log, layout.FIELD_HASH_TABLE)}.len_object", 1 << 40)
    log.set("header.field_hash_table_offset", 1 << 30)
    log.expect("damaged", "bad-object", survivors=ALL)


@INFERENCE.damaged(five_entries, "SDJ-016", "SDJ-104")
def table_size_across_objects_and_a_wrong_header(log: SystemdLog) -> None:
    """The DATA table covers later objects, and the size in the header is not a whole number of
    buckets. The table is lost."""
    log.set(f"{_table(log, layout.DATA_HASH_TABLE)}.len_object", 144 + 16 * 20)
    log.set("header.data_hash_table_size", 120)
    log.expect("damaged", "bad-object", survivors=ALL)


@INFERENCE.damaged(five_entries, "SDJ-016", "SDJ-104")
def table_size_across_objects_and_a_header_without_buckets(log: SystemdLog) -> None:
    """The DATA table covers later objects, and the header states a table without buckets. The table
    is lost."""
    log.set(f"{_table(log, layout.DATA_HASH_TABLE)}.len_object", 144 + 16 * 20)
    log.set("header.data_hash_table_size", 0)
    log.expect("damaged", "bad-object", survivors=ALL)


@INFERENCE.damaged(five_entries, "SDJ-016", "SDJ-104")
def table_and_header_across_objects(log: SystemdLog) -> None:
    """The sizes of the DATA table in its object and in the header both cover the first DATA. The
    table is lost."""
    log.set(f"{_table(log, layout.DATA_HASH_TABLE)}.len_object", 144 + 16)
    log.set("header.data_hash_table_size", 128 + 16)
    log.expect("damaged", "bad-object", survivors=ALL)


@INFERENCE.damaged(five_entries, "SDJ-041")
def data_size_up_to_a_later_object(log: SystemdLog) -> None:
    """The size of a DATA is too large: the DATA ends where a later object begins. A reader finds
    the objects in between, and the first of them gives the right size."""
    at = log.offset_of("MESSAGE=bravo")
    log.set(f"{log.of('MESSAGE=bravo')}.len_object", log.all_of(layout.ENTRY)[2] - at)
    log.expect("damaged", "bad-object", survivors=ALL)


@INFERENCE.damaged(five_entries, "SDJ-104")
def data_size_before_a_lost_object(log: SystemdLog) -> None:
    """The size of a DATA covers a DATA of type 0. The next known object gives no size, so both are
    lost."""
    log.set(f"{log.of('MESSAGE=bravo')}.len_object", 300)
    log.zero(f"{log.of('PRIORITY=3')}.type")
    left = log.without(1, "MESSAGE", "PRIORITY")
    log.expect("damaged", "bad-object", survivors=[0, left, 2, 3, 4])


@INFERENCE.damaged(five_entries, "SDJ-104")
def data_size_within_its_padding(log: SystemdLog) -> None:
    """The size of one DATA is three bytes too small, and the size of another is one byte too large.
    After padding, both still end at the next object, and the padding gives the right sizes."""
    for field, shift in (("MESSAGE=bravo", -3), ("MESSAGE=charlie", 1)):
        size = log.view.object_size(log.offset_of(field))
        log.set(f"{log.of(field)}.len_object", size + shift)
    log.expect("damaged", "bad-object", survivors=ALL)


@INFERENCE.damaged(five_entries, "SDJ-104")
def data_size_within_its_padding_before_a_wrong_hash(log: SystemdLog) -> None:
    """The size of a DATA is three bytes too small, and the payload of the next DATA is wrong. The
    next DATA is not a known object, but it is framed, so the padding ends there."""
    size = log.view.object_size(log.offset_of("MESSAGE=bravo"))
    log.set(f"{log.of('MESSAGE=bravo')}.len_object", size - 3)
    log.flip(f"{log.of('PRIORITY=3')}.body.payload", 70)
    log.expect("damaged", "bad-object", survivors=[0, log.without(1, "PRIORITY"), 2, 3, 4])


@INFERENCE.valid("SDJ-013")
def value_with_a_zero_before_seven_bytes_of_padding(log: SystemdLog) -> None:
    """A value ends in a zero byte, and seven bytes of padding follow."""
    log.write(("MESSAGE=alpha", b"AB=12345\0"), ("MESSAGE=bravo",))
    log.expect("intact", survivors=[0, 1])


@INFERENCE.damaged(value_with_a_zero_before_seven_bytes_of_padding, "SDJ-104")
def size_of_a_value_with_a_zero_before_seven_bytes_of_padding(log: SystemdLog) -> None:
    """The size of a DATA is wrong. Padding is at most seven bytes long, so the zero byte before it
    is part of the value."""
    log.set(f"{log.of(b'AB=12345' + bytes(1))}.len_object", 300)
    log.expect("damaged", "bad-object", survivors=[0, 1])


@INFERENCE.valid("SDJ-013")
def value_that_ends_in_a_zero(log: SystemdLog) -> None:
    """A value that ends in a zero byte."""
    log.write(("MESSAGE=alpha", b"A=1\0"), ("MESSAGE=bravo",))
    log.expect("intact", survivors=[0, 1])


@INFERENCE.damaged(value_that_ends_in_a_zero, "SDJ-104")
def size_of_a_value_that_ends_in_a_zero(log: SystemdLog) -> None:
    """The size of a DATA is wrong, and its value ends in a zero byte, which looks like padding. The
    DATA is lost."""
    log.set(f"{log.of(b'A=1' + bytes(1))}.len_object", 300)
    log.expect("damaged", "bad-object", survivors=[log.without(0, "A"), 1])


@INFERENCE.damaged(five_entries, "SDJ-012", "SDJ-104")
def data_size_and_padding(log: SystemdLog) -> None:
    """The size of a DATA is wrong, and its padding is not 0. Nothing gives the size."""
    at = log.offset_of("MESSAGE=bravo")
    end = at + log.view.object_size(at)
    log.data[end : end + 3] = b"\1\1\1"
    log.set(f"{log.of('MESSAGE=bravo')}.len_object", 300)
    log.expect("damaged", "bad-object", survivors=[0, log.without(1, "MESSAGE"), 2, 3, 4])


def _compressed_across_objects(log: SystemdLog) -> None:
    log.set(f"{log.of(LONG)}.len_object", log.all_of(layout.ENTRY)[-1] - log.offset_of(LONG))
    log.expect("damaged", "bad-object", survivors=range(4))


@INFERENCE.damaged(compact_jenkins_zstd, "SDJ-030", "SDJ-041", "SDJ-104")
def compressed_data_across_objects_with_zstd(log: SystemdLog) -> None:
    """The size of a DATA with a ZSTD frame covers later objects. The hash matches even with this
    size, but the next object gives the right size."""
    _compressed_across_objects(log)


@INFERENCE.damaged(compact_keyed_xz, "SDJ-028", "SDJ-041", "SDJ-104")
def compressed_data_across_objects_with_xz(log: SystemdLog) -> None:
    """The size of a DATA with an XZ stream covers later objects. The hash matches even with this
    size, but the next object gives the right size."""
    _compressed_across_objects(log)


@INFERENCE.damaged(regular_jenkins_lz4, "SDJ-029", "SDJ-041", "SDJ-104")
def compressed_data_across_objects_with_lz4(log: SystemdLog) -> None:
    """The size of a DATA with an LZ4 block covers later objects, so the block is invalid. The next
    object gives the right size."""
    _compressed_across_objects(log)


@INFERENCE.damaged(compact_jenkins_zstd, "SDJ-030", "SDJ-104")
def compressed_data_of_an_entry_too_short(log: SystemdLog) -> None:
    """The size of a DATA covers only half of its ZSTD frame. The next object gives the right
    size."""
    log.set(f"{log.of(LONG)}.len_object", 72 + 12)
    log.expect("damaged", "bad-object", survivors=range(4))


@INFERENCE.damaged(zstd_frame_with_bytes_behind_it, "SDJ-030", "SDJ-041", "SDJ-104")
def array_inside_a_compressed_payload(log: SystemdLog) -> None:
    """A link points to an array inside a ZSTD frame. The frame would be invalid if it ended at the
    array, so the DATA keeps its size."""
    array = bytes([layout.ENTRY_ARRAY]) + bytes(7) + (32).to_bytes(8, "little") + bytes(16)
    plain = b"BIG=" + b"." * 298 + array + b"." * 268
    stored = b"\x28\xb5\x2f\xfd\x60" + struct.pack("<H", len(plain) - 256)
    stored += struct.pack("<I", len(plain) << 3 | 1)[:3] + plain
    with_payload(log, plain, stored, layout.OBJECT_ZSTD, layout.ZSTD)
    place = bytes(log.data).index(array)
    assert place % 8 == 0
    log.data[176:184] = place.to_bytes(8, "little")
    log.expect("damaged", "bad-chain", survivors=[body(plain, "MESSAGE=bomb")])


@INFERENCE.damaged(five_entries, "SDJ-041", "SDJ-044")
def value_names_an_object_inside_it(log: SystemdLog) -> None:
    """A link points to an array inside a value. The hash of the DATA matches, so the DATA is
    found."""
    log.data = bytearray(log.control)
    array = bytes([layout.ENTRY_ARRAY]) + bytes(7) + (32).to_bytes(8, "little") + bytes(16)
    log.begin()
    log.entry_at(1700000000000000, [b"BLOB=" + b"." * 3 + array, "MESSAGE=alpha"])
    log.close()
    place = bytes(log.data).index(array)
    assert place % 8 == 0
    log.data[176:184] = place.to_bytes(8, "little")
    log.expect("damaged", "bad-chain", survivors=[log.payloads[-1]])


@INFERENCE.valid("SDJ-041")
def data_before_an_entry_without_it(log: SystemdLog) -> None:
    """One entry directly follows another, and a DATA precedes both. Only the second entry contains
    this DATA."""
    fields = ("_HOSTNAME=host",)
    log.begin()
    for second in range(2):
        log.entry_at(START + second, fields)
    log.made._data(b"MESSAGE=late")
    log.entry_at(START + 2, fields)
    log.entry_at(START + 3, (*fields, "MESSAGE=late"))
    log.close()
    log.expect("intact", survivors=range(4))


@INFERENCE.damaged(data_before_an_entry_without_it, "SDJ-041")
def data_known_only_from_the_second_of_two_entries(log: SystemdLog) -> None:
    """An array has type 0, and the bucket of the DATA after it is 0. An entry that directly follows
    another entry has an item for this DATA, so the walk continues there."""
    log.zero(f"{log.array(2)}.type")
    log.zero(log.bucket("MESSAGE=late"))
    log.expect("damaged", "bad-object", survivors=range(4))


@INFERENCE.damaged(data_before_an_entry_without_it, "SDJ-041", "SDJ-108")
def data_of_an_entry_that_begins_inside_another(log: SystemdLog) -> None:
    """An array has type 0, and the bucket of the DATA after it is 0. Only an entry that begins
    inside another entry contains the DATA. The DATA is therefore not a known object, and is
    lost."""
    log.zero(f"{log.array(2)}.type")
    log.zero(log.bucket("MESSAGE=late"))
    log.set(f"{log.entry(2)}.len_object", 64 + 16 * 3)
    log.expect("damaged", "bad-object", survivors=[0, 1, 2, log.without(3, "MESSAGE")])
    log.note("journalctl returns the field.")


@INFERENCE.damaged(five_entries, "SDJ-043", "SDJ-104")
def entry_too_short_with_a_wrong_xor_hash(log: SystemdLog) -> None:
    """The size of an ENTRY leaves out its last item, and its `xor_hash` is wrong. Nothing gives the
    size."""
    log.set(f"{log.entry(1)}.len_object", 64 + 16 * 3)
    log.flip(f"{log.entry(1)}.body.xor_hash", 5)
    items = list(log.view.items(log.all_of(layout.ENTRY)[1]))
    last = log.view.payload(items[-1]).partition(b"=")[0].decode()
    log.expect("damaged", "bad-object", survivors=[0, log.without(1, last), 2, 3, 4])


@INFERENCE.damaged(two_boots_and_a_gap_in_the_numbers, "SDJ-104")
def last_entry_size_past_the_file(log: SystemdLog) -> None:
    """The size of the last ENTRY extends past the end of the file. Its items end with the file."""
    last = log.all_of(layout.ENTRY)[-1]
    assert last + log.view.object_size(last) == len(log.control)
    log.set(f"{log.path(last)}.len_object", 64 + 16 * 30)
    log.expect("damaged", "bad-object", survivors=range(len(log.all_of(layout.ENTRY))))


@INFERENCE.damaged(five_entries, "SDJ-051", "SDJ-104", kind="corrupt")
def cut_between_two_items_of_the_last_entry(log: SystemdLog) -> None:
    """The file ends after two of four items of the last ENTRY. A cut explains the missing items, so
    the size is right and the entry is incomplete."""
    log.truncate(log.all_of(layout.ENTRY)[-1] + 64 + 16 * 2)
    log.expect("torn", "torn-file", survivors=range(4))


@INFERENCE.damaged(five_entries, "SDJ-051", "SDJ-104")
def entry_size_in_a_file_cut_short(log: SystemdLog) -> None:
    """The size of an ENTRY is wrong, and the file is cut inside the last ENTRY. The items of the
    first ENTRY end before the cut, so they give its size."""
    log.truncate(log.all_of(layout.ENTRY)[-1] + 64)
    log.set(f"{log.entry(1)}.len_object", 64 + 16 * 30)
    log.expect("damaged", "bad-object", survivors=range(4))


@INFERENCE.damaged(compact_jenkins_none, "SDJ-104")
def compact_entry_without_an_item_and_its_data_without_it(log: SystemdLog) -> None:
    """A compact ENTRY of four items has a size for only three, and the DATA of the fourth item
    lists no entry. `xor_hash` still proves the fourth item."""
    at = log.all_of(layout.ENTRY)[1]
    last = list(log.view.items(at))[-1]
    log.set(f"{log.entry(1)}.len_object", 64 + 4 * 3)
    for field in ("ofs_entry", "num_entries"):
        log.zero(f"{log.path(last)}.body.{field}")
    log.expect("damaged", "bad-object", survivors=range(4))


@INFERENCE.damaged(thirty_entries_compact, "SDJ-012", "SDJ-104", kind="valid")
def padding_that_reads_like_an_item(log: SystemdLog) -> None:
    """The padding of a compact ENTRY of three items holds the offset of a DATA. `xor_hash` does not
    prove that it is an item, so it is padding."""
    at = log.all_of(layout.ENTRY)[7]
    end = at + log.view.object_size(at)
    log.data[end : end + 4] = log.offset_of("MESSAGE=hello 3").to_bytes(4, "little")
    log.expect("intact", survivors=range(30))


@INFERENCE.damaged(five_entries, "SDJ-016", "SDJ-104")
def data_size_where_the_header_names_a_table(log: SystemdLog) -> None:
    """The size of a DATA is wrong, and the header gives the offset of this DATA for the FIELD
    table. The table size in the header applies only to a table, so the next object gives the size
    of the DATA."""
    log.set(f"{log.of('MESSAGE=bravo')}.len_object", 300)
    log.set("header.field_hash_table_offset", log.offset_of("MESSAGE=bravo") + 16)
    log.expect("damaged", "bad-object", survivors=ALL)


@INFERENCE.damaged(five_entries, "SDJ-041")
def array_across_eight_bytes_of_the_next_object(log: SystemdLog) -> None:
    """The size of an array is 8 bytes too large, and the second offset of a bucket is 8 bytes too
    small. No object begins at that offset, but one begins 8 bytes later, so the array is lost."""
    following = log.offset_of("MESSAGE=charlie")
    array = log.all_of(layout.ENTRY_ARRAY)[2]
    size = following - array
    assert size == log.view.object_size(array)
    log.set(f"{log.path(array)}.len_object", size + 8)
    log.set(f"{log.bucket('MESSAGE=charlie')}.ofs_tail", following - 8)
    log.expect("damaged", "bad-object", survivors=ALL)


@INFERENCE.damaged(five_entries, "SDJ-019", "SDJ-104")
def entry_without_two_items_that_cancel_out(log: SystemdLog) -> None:
    """The last two of four items of an ENTRY point to the same DATA, so `xor_hash` also fits the
    first two items alone. The size of the ENTRY is set to these two items, although all four items
    fit as well."""
    at = log.all_of(layout.ENTRY)[1]
    items = list(log.view.items(at))
    message = log.offset_of("MESSAGE=bravo")
    assert items[2:] == [message, log.offset_of("PRIORITY=3")]
    log.set(f"{log.entry(1)}.body.items[3].ofs_data", message)
    xor_hash = jenkins64(log.view.payload(items[0])) ^ jenkins64(log.view.payload(items[1]))
    log.set(f"{log.entry(1)}.body.xor_hash", xor_hash)
    log.set(f"{log.entry(1)}.len_object", 64 + 16 * 2)
    log.expect("damaged", "bad-object", survivors=[0, log.without(1, "PRIORITY"), 2, 3, 4])


@INFERENCE.damaged(five_entries, "SDJ-104")
def entry_size_and_the_highest_byte_of_an_item(log: SystemdLog) -> None:
    """The size of an ENTRY covers later objects, and the offset in its last item is 2^60 too large.
    The entry ends before this item."""
    log.set(f"{log.entry(1)}.len_object", 544)
    log.flip(f"{log.entry(1)}.body.items[3].ofs_data", 60)
    log.expect("damaged", "bad-object", survivors=[0, log.without(1, "PRIORITY"), 2, 3, 4])


@INFERENCE.damaged(thirty_entries_compact, "SDJ-012", "SDJ-105")
def padding_that_reads_like_an_item_of_a_later_data(log: SystemdLog) -> None:
    """The padding of a compact ENTRY holds the offset of a later DATA with a wrong hash. The entry
    that contains this DATA proves the field."""
    at = log.all_of(layout.ENTRY)[7]
    end = at + log.view.object_size(at)
    log.data[end : end + 4] = log.offset_of("MESSAGE=hello 9").to_bytes(4, "little")
    _wrong_hash(log, "MESSAGE=hello 9")
    log.expect("damaged", "hash-mismatch", survivors=range(30))


INFERENCE.table("""
entry_size_and_the_hash_of_its_field: five_entries SDJ-104 SDJ-105
    The size of an ENTRY and the hash of one of its DATA are wrong. The items prove both.
    damage: set entry(1).len_object to 544
    wrong_hash: MESSAGE=bravo
    expect: damaged hash-mismatch, survivors 0-4
field_size_past_the_tail: five_entries SDJ-041
    The size of a FIELD reaches into the preallocated space, past all later objects.
    damage: extend by 512 zero bytes
    damage: set of(_BOOT_ID).len_object to 2176
    expect: damaged bad-object, survivors 0-4
data_size_and_payload: five_entries SDJ-041 SDJ-104
    The size and the payload of a DATA are wrong, so no size makes its hash match. The DATA is lost.
    damage: set of(MESSAGE=bravo).len_object to 300
    damage: flip bit 70 of of(MESSAGE=bravo).body.payload
    expect: damaged bad-object, survivors 0 without(1, MESSAGE) 2-4
data_size_and_its_hash: five_entries SDJ-104
    The size and one bit of the hash of a DATA are wrong. The DATA is lost.
    damage: set of(MESSAGE=bravo).len_object to 300
    damage: flip bit 3 of of(MESSAGE=bravo).body.hash
    expect: damaged bad-object, survivors 0 without(1, MESSAGE) 2-4
array_size_across_objects: thirty_entries SDJ-041 SDJ-046
    The size of an array of the main chain covers later objects. The array is lost.
    damage: set array(0).len_object to 824
    expect: damaged bad-object, survivors 0-29
array_of_a_data_behind_a_grown_one: five_entries SDJ-041
    The size of a DATA covers an ENTRY of type 0 and an array. Only `entry_array_offset` of another
    DATA points to the array, and the walk continues there.
    damage: set entry(2).type to 0
    damage: set of(MESSAGE=charlie).len_object to 400
    expect: damaged bad-object, survivors 0 1 3 4
entry_one_item_too_short: five_entries SDJ-104
    The size of an ENTRY leaves out its last item, and no object begins at its end. `xor_hash` gives
    the right size.
    damage: set entry(1).len_object to 112
    expect: damaged bad-object, survivors 0-4
last_entry_one_item_too_short: five_entries SDJ-104
    The size of the last ENTRY leaves out two items. `xor_hash` gives the right size.
    damage: set entry(4).len_object to 96
    expect: damaged bad-object, survivors 0-4
compact_entry_across_the_next: thirty_entries_compact SDJ-104
    The size of a compact ENTRY covers later objects. Its items give the size.
    damage: set entry(7).len_object to 1264
    expect: damaged bad-object, survivors 0-29
compact_entry_one_item_too_short: thirty_entries_compact SDJ-104
    The size of a compact ENTRY leaves out two of three items. `xor_hash` gives the right size.
    damage: set entry(7).len_object to 68
    expect: damaged bad-object, survivors 0-29
entry_size_wrong_and_a_field_given_twice: field_given_twice SDJ-104 SDJ-108
    The size of an ENTRY covers later objects. Its `xor_hash` covers a repeated field twice, but its
    items end where no item points to a DATA.
    damage: set entry(0).len_object to 384
    expect: damaged bad-object, survivors 0 1
entry_size_and_a_lost_field: five_entries SDJ-043 SDJ-048 SDJ-104
    The size of an ENTRY is wrong, and one of its DATA has type 0. The item that points to the lost
    DATA still counts as an item of the entry.
    damage: set entry(1).len_object to 544
    damage: zero of(MESSAGE=bravo).type
    expect: damaged bad-object, survivors 0 without(1, MESSAGE) 2-4
compact_entry_without_the_last_of_four_items: compact_jenkins_none SDJ-104
    A compact ENTRY of four items has a size for only three. With either size, the next object
    begins at its end, but `xor_hash` proves the fourth item.
    damage: set entry(0).len_object to 76
    expect: damaged bad-object, survivors 0-3
last_entry_with_an_array_zeroed_behind_it: field_given_twice SDJ-104
    No object begins at the end of an ENTRY with a repeated field. The ENTRY keeps its size, because
    no larger size fits its `xor_hash`.
    damage: zero array(0).type
    expect: damaged bad-object, survivors 0 1
entry_size_and_a_field_of_it: five_entries SDJ-104
    The size of an ENTRY and one of its payloads are wrong. Only the field is lost.
    damage: set entry(1).len_object to 544
    damage: flip bit 70 of of(MESSAGE=bravo).body.payload
    expect: damaged hash-mismatch, survivors 0 without(1, MESSAGE) 2-4
entry_size_and_its_number: five_entries SDJ-015 SDJ-104
    The size of an ENTRY is wrong, and its sequence number is 0. The entry is lost.
    damage: set entry(1).len_object to 544
    damage: zero entry(1).body.seqnum
    expect: damaged bad-entry, survivors 0 2-4
compressed_entry: five_entries SDJ-011 SDJ-026
    An ENTRY has a compression flag. The entry is returned.
    damage: flip bit 0 of entry(0).flags
    expect: damaged bad-object, survivors 0-4
compressed_entry_without_a_number: five_entries SDJ-015 SDJ-026
    An ENTRY has a compression flag and the sequence number 0. The entry is lost.
    damage: flip bit 2 of entry(0).flags
    damage: zero entry(0).body.seqnum
    expect: damaged bad-entry, survivors 1-4
""")


# Fields with a wrong hash (SDJ-105).


@INFERENCE.damaged(compact_jenkins_none, "SDJ-105")
def hash_of_a_compact_data_and_a_payload(log: SystemdLog) -> None:
    """The hash of one DATA of an entry and the payload of another DATA are wrong. Nothing proves
    the first field, so both fields are lost."""
    _wrong_hash(log, "MESSAGE=bravo")
    log.flip(f"{log.of('PRIORITY=3')}.body.payload", 70)
    left = log.without(1, "MESSAGE", "PRIORITY")
    log.expect("damaged", "hash-mismatch", survivors=[0, left, 2, 3])


@INFERENCE.damaged(five_entries, "SDJ-105")
def hash_of_a_data_and_of_its_item(log: SystemdLog) -> None:
    """The hash of a DATA and the copy of this hash in the item are wrong. `xor_hash` proves the
    field."""
    _wrong_hash(log, "MESSAGE=bravo")
    items = list(log.view.items(log.all_of(layout.ENTRY)[1]))
    number = items.index(log.offset_of("MESSAGE=bravo"))
    log.flip(f"{log.entry(1)}.body.items[{number}].hash", 3)
    log.expect("damaged", "hash-mismatch", survivors=ALL)


@INFERENCE.valid("SDJ-019", "SDJ-020")
def compact_field_given_twice(log: SystemdLog) -> None:
    """A compact file with a field that was given twice."""
    log.write(("MULTI=a", "MULTI=a", "MESSAGE=alpha"), ("MESSAGE=bravo",), compact=True)
    log.expect("intact", survivors=[0, 1])


@INFERENCE.damaged(compact_keyed_xz, "SDJ-105")
def one_bit_of_the_hash_of_a_compressed_data_and_a_payload(log: SystemdLog) -> None:
    """One bit of the hash of a compressed DATA and the payload of another DATA of its entry are
    wrong. The other 63 bits prove the first field."""
    log.flip(f"{log.of(LONG)}.body.hash", 0)
    log.flip(f"{log.of('_BOOT_ID=' + BOOT)}.body.payload", 80)
    log.expect("damaged", "hash-mismatch", survivors=range(4))


@INFERENCE.damaged(compact_jenkins_none, "SDJ-019", "SDJ-105")
def hash_of_a_data_to_which_two_items_point(log: SystemdLog) -> None:
    """Two items of an entry point to a DATA with a wrong hash, so its hash cancels out of
    `xor_hash`. The field is lost."""
    at = log.all_of(layout.ENTRY)[1]
    items = list(log.view.items(at))
    message = log.offset_of("MESSAGE=bravo")
    other = next(n for n, item in enumerate(items) if item == log.offset_of("PRIORITY=3"))
    log.set(f"{log.entry(1)}.body.items[{other}]", message.to_bytes(4, "little"))
    rest = [log.view.payload(item) for item in items if item not in (message, items[other])]
    xor_hash = 0
    for payload in rest:
        xor_hash ^= jenkins64(payload)
    log.set(f"{log.entry(1)}.body.xor_hash", xor_hash)
    _wrong_hash(log, "MESSAGE=bravo")
    left = log.without(1, "MESSAGE", "PRIORITY")
    log.expect("damaged", "hash-mismatch", survivors=[0, left, 2, 3])


@INFERENCE.damaged(five_entries, "SDJ-045", "SDJ-105")
def hash_wrong_and_no_field(log: SystemdLog) -> None:
    """A payload without `=` has a wrong hash, although the item has the right one. The DATA is
    lost."""
    log.set(f"{log.of('MESSAGE=bravo')}.body.payload", b"MESSAGE bravo")
    items = list(log.view.items(log.all_of(layout.ENTRY)[1]))
    number = items.index(log.offset_of("MESSAGE=bravo"))
    changed = log.view.hash(bytes(log.data[log.offset_of("MESSAGE=bravo") + 64 :][:13]))
    log.set(f"{log.entry(1)}.body.items[{number}].hash", changed)
    log.expect("damaged", "hash-mismatch", survivors=[0, log.without(1, "MESSAGE"), 2, 3, 4])


@INFERENCE.damaged(five_entries, "SDJ-045", "SDJ-105")
def one_bit_of_the_hash_of_no_field(log: SystemdLog) -> None:
    """A payload without `=` has a hash with one wrong bit. The payload is not a field, so the DATA
    is lost."""
    log.set(f"{log.of('MESSAGE=bravo')}.body.payload", b"MESSAGE bravo")
    log.rehash("MESSAGE=bravo")
    log.flip(f"{log.of('MESSAGE=bravo')}.body.hash", 3)
    log.expect("damaged", "hash-mismatch", survivors=[0, log.without(1, "MESSAGE"), 2, 3, 4])


@INFERENCE.valid("SDJ-105")
def entry_directly_before_one_with_fewer_fields(log: SystemdLog) -> None:
    """The last entry begins at the end of the entry before it. The last item of that entry has a
    DATA that no other item names."""
    fields = ("_HOSTNAME=host",)
    log.write(fields, fields, (*fields, "MESSAGE=late"), fields)
    log.expect("intact", survivors=range(4))


@INFERENCE.damaged(entry_directly_before_one_with_fewer_fields, "SDJ-015", "SDJ-105")
def hash_of_a_data_of_a_lost_entry(log: SystemdLog) -> None:
    """An entry has the sequence number 0, and the hashes of two of its DATA are wrong. Other
    entries prove one of the two fields. Only the lost entry contains the other field, which is
    lost, too."""
    log.zero(f"{log.entry(2)}.body.seqnum")
    _wrong_hash(log, "_HOSTNAME=host")
    _wrong_hash(log, "MESSAGE=late")
    log.expect("damaged", "hash-mismatch", survivors=[0, 1, 3])


INFERENCE.table("""
hash_of_a_compact_data: compact_jenkins_none SDJ-105
    The hash of a DATA in a compact file is wrong. `xor_hash` of its entry proves the field.
    wrong_hash: MESSAGE=bravo
    expect: damaged hash-mismatch, survivors 0-3
two_hashes_of_a_compact_entry: compact_jenkins_none SDJ-105
    The hashes of two DATA of an entry are wrong. `xor_hash` proves both fields.
    wrong_hash: MESSAGE=bravo
    wrong_hash: PRIORITY=3
    expect: damaged hash-mismatch, survivors 0-3
hash_of_a_shared_compact_data_and_a_payload: compact_jenkins_none SDJ-105
    Two entries share a DATA with a wrong hash, and one of them has a flipped payload. The other
    entry proves the shared field.
    wrong_hash: _HOSTNAME=host
    damage: flip bit 70 of of(MESSAGE=bravo).body.payload
    expect: damaged hash-mismatch, survivors 0 without(1, MESSAGE) 2 3
hash_of_a_data_and_a_lost_one: five_entries SDJ-105
    The hash of a DATA is wrong, and another DATA of its entry has type 0. The item proves the
    field.
    wrong_hash: MESSAGE=bravo
    damage: zero of(PRIORITY=3).type
    expect: damaged hash-mismatch, survivors 0 without(1, PRIORITY) 2-4
hash_of_a_data_in_an_entry_with_a_repeated_field: field_given_twice SDJ-105
    The hash of a DATA is wrong. `xor_hash` covers a repeated field twice, but the item proves the
    field.
    wrong_hash: MULTI=a
    expect: damaged hash-mismatch, survivors 0 1
hash_of_a_compact_data_in_an_entry_with_a_repeated_field: compact_field_given_twice SDJ-105 SDJ-108
    The hash of a DATA is wrong, and `xor_hash` covers a repeated field twice. Nothing proves the
    field.
    wrong_hash: MULTI=a
    expect: damaged hash-mismatch, survivors without(0, MULTI) 1
    note: journalctl returns the field.
hash_wrong_and_no_object_behind: five_entries SDJ-041 SDJ-105
    The hash of a DATA is wrong, and the DATA after it has type 0. The first is proven, and the
    second is lost.
    wrong_hash: MESSAGE=bravo
    damage: zero of(PRIORITY=3).type
    wrong_hash: MESSAGE=alpha
    expect: damaged hash-mismatch, survivors 0 without(1, PRIORITY) 2-4
hash_wrong_before_two_lost_objects: five_entries SDJ-041 SDJ-048 SDJ-105
    The hash of a DATA is wrong, and the DATA after it and a later DATA have type 0. The first is
    proven. The items that point to the other two are not faults.
    wrong_hash: MESSAGE=bravo
    damage: zero of(PRIORITY=3).type
    damage: zero of(MESSAGE=delta).type
    expect: damaged hash-mismatch, survivors 0 without(1, PRIORITY) 2 without(3, MESSAGE) 4
compact_entry_size_wrong_and_a_field_given_twice: compact_field_given_twice SDJ-104
    The size of a compact ENTRY with a repeated field covers later objects. Its items give the size.
    damage: set entry(0).len_object to 264
    expect: damaged bad-object, survivors 0 1
one_bit_of_a_hash_in_an_entry_with_a_repeated_field: compact_field_given_twice SDJ-105
    One bit of the hash of a DATA is wrong, and `xor_hash` covers a repeated field twice. The other
    63 bits prove the field.
    damage: flip bit 63 of of(MULTI=a).body.hash
    expect: damaged hash-mismatch, survivors 0 1
one_bit_of_a_hash_and_a_count: five_entries SDJ-049 SDJ-105
    One bit of the hash of a DATA and the number of DATA objects in the header are wrong. The field
    is proven, so no object is lost, and a reader still compares the number.
    damage: flip bit 3 of of(MESSAGE=bravo).body.hash
    damage: set header.n_data to 99
    expect: damaged hash-mismatch, survivors 0-4
one_bit_of_the_hash_of_a_name: five_entries SDJ-044 SDJ-105
    One bit of the hash of a FIELD is wrong. Only a DATA can be proven, so the FIELD is lost.
    damage: flip bit 5 of of(PRIORITY).body.hash
    expect: damaged hash-mismatch, survivors 0-4
hash_of_another_bucket: thirty_entries SDJ-024 SDJ-105
    The wrong hash of a DATA belongs to another bucket. The DATA is proven, and a reader does not
    compare its hash with the bucket.
    damage: flip bit 0 of of(MESSAGE=hello 3).body.hash
    expect: damaged hash-mismatch, survivors 0-29
type_of_a_data_is_field: five_entries SDJ-044 SDJ-105
    A DATA has the type of a FIELD, so its hash is wrong. Only a DATA can be proven.
    damage: set of(MESSAGE=bravo).type to 2
    expect: damaged hash-mismatch, survivors 0 without(1, MESSAGE) 2-4
""")


@INFERENCE.damaged(five_entries, "SDJ-041", "SDJ-105", "SDJ-108")
def hash_wrong_behind_a_lost_object(log: SystemdLog) -> None:
    """The hash of a DATA is wrong, and the DATA before it has type 0. Only a valid object is a
    known object, so both are lost."""
    _wrong_hash(log, "PRIORITY=3")
    log.zero(f"{log.of('MESSAGE=bravo')}.type")
    left = log.without(1, "MESSAGE", "PRIORITY")
    log.expect("damaged", "bad-object", survivors=[0, left, 2, 3, 4])
    log.note("journalctl returns the second field.")


# The key (SDJ-106).


def _flip_two_bits_of_the_file_id(log: SystemdLog) -> None:
    for bit in (0, 64):
        log.flip("header.file_id", bit)


@INFERENCE.damaged(compact_keyed_none, "SDJ-106")
def file_id_changed_and_the_hash_of_every_name(log: SystemdLog) -> None:
    """A bit of the file id and the hashes of all FIELD objects are wrong. `xor_hash` proves the
    fields."""
    log.flip("header.file_id", 9)
    for at in log.all_of(layout.FIELD):
        log.zero(f"{log.path(at)}.body.hash")
    log.expect("damaged", "bad-header", survivors=range(4))


@INFERENCE.valid("SDJ-019", "SDJ-022")
def compact_keyed_field_given_twice(log: SystemdLog) -> None:
    """A compact file with keyed hashes and a field that was given twice."""
    fields = ("MULTI=a", "MULTI=a", "MESSAGE=alpha")
    log.write(fields, ("MESSAGE=bravo",), compact=True, keyed=True)
    log.expect("intact", survivors=[0, 1])


@INFERENCE.valid("SDJ-022")
def seventeen_names(log: SystemdLog) -> None:
    """A compact file with keyed hashes and seventeen names."""
    fields = [f"FIELD_{number}=value" for number in range(16)]
    log.write(fields, ("FIELD_0=other",), compact=True, keyed=True, field_buckets=32)
    log.expect("intact", survivors=[0, 1])


def _names_wrong(log: SystemdLog, number: int) -> None:
    """Zero the hashes of the first names, and flip a bit of the file id and a bit of a payload."""
    for at in log.all_of(layout.FIELD)[:number]:
        log.zero(f"{log.path(at)}.body.hash")
    log.flip(f"{log.of('FIELD_7=value')}.body.payload", 70)
    log.flip("header.file_id", 33)


@INFERENCE.damaged(compact_jenkins_none, "SDJ-106")
def keyed_flag_set_and_the_hash_of_every_data(log: SystemdLog) -> None:
    """The keyed flag of a file with Jenkins hashes is set, and the hashes of all DATA are 0.
    Without the flag, the hashes of the FIELD objects are right, and `xor_hash` proves the
    fields."""
    log.set("header.incompatible_flags", 20)
    for at in log.all_of(layout.DATA):
        log.zero(f"{log.path(at)}.body.hash")
    log.expect("damaged", "bad-header", survivors=range(4))


@INFERENCE.damaged(compact_keyed_none, "SDJ-086", "SDJ-106")
def file_id_proven_only_by_a_forbidden_name(log: SystemdLog) -> None:
    """A bit of the file id and a bit of a payload are flipped. The hash of one FIELD is right, but
    its name ends in a lower-case letter, so a reader does not try it. The hashes of all other FIELD
    objects are 0. The fields that no entry proves are lost."""
    for at in log.all_of(layout.FIELD):
        log.zero(f"{log.path(at)}.body.hash")
    log.set(f"{log.of('PRIORITY')}.body.payload", b"PRIORITy")
    log.set(f"{log.of('PRIORITY')}.body.hash", log.view.hash(b"PRIORITy"))
    log.flip("header.file_id", 9)
    log.flip(f"{log.of('MESSAGE=bravo')}.body.payload", 70)
    left = log.without(1, "MESSAGE", "PRIORITY")
    log.expect("damaged", "bad-header", survivors=[0, left, 2, 3])


@INFERENCE.damaged(compact_keyed_field_given_twice, "SDJ-106")
def data_that_reads_like_a_name(log: SystemdLog) -> None:
    """Two bits of the file id are flipped. From byte 40 on, a DATA consists of letters, and its
    hash is the hash of these letters with a third file id as the key. Only a FIELD can prove a file
    id, so no further field is proven."""
    _flip_two_bits_of_the_file_id(log)
    at = log.offset_of("MESSAGE=bravo")
    end = at + log.view.object_size(at)
    log.data[at + 40 : end] = b"A" * (end - at - 40)
    file_id = bytes([log.data[24] ^ 2, *log.data[25:40]])
    log.data[at + 16 : at + 24] = siphash24(b"A" * (end - at - 40), file_id).to_bytes(8, "little")
    log.expect("damaged", "hash-mismatch", survivors=[body(), body()])


INFERENCE.table("""
file_id_proven_by_no_name: seventeen_names SDJ-106
    The hashes of the first 16 FIELD objects, a bit of the file id and a payload are wrong. A reader
    tries no further FIELD.
    names_wrong: 16
    expect: damaged bad-header, survivors "" 1
file_id_of_two_wrong_bits_and_a_payload_flipped: compact_keyed_none SDJ-106
    Two bits of the file id and a bit of a payload are flipped. The fields that no entry proves are
    lost.
    flip_two_bits_of_the_file_id:
    damage: flip bit 70 of of(MESSAGE=bravo).body.payload
    expect: damaged bad-header, survivors 0 without(1, MESSAGE, PRIORITY) 2 3
file_id_of_two_wrong_bits_and_a_field_given_twice: compact_keyed_field_given_twice SDJ-106 SDJ-108
    Two bits of the file id are flipped, and `xor_hash` of one entry covers a repeated field twice.
    Nothing proves the fields that only this entry contains.
    flip_two_bits_of_the_file_id:
    expect: damaged bad-header, survivors without(0, MULTI, MESSAGE) 1
    note: journalctl returns the fields.
file_id_proven_by_the_sixteenth_name: seventeen_names SDJ-106
    The hashes of the first 15 FIELD objects, a bit of the file id and a payload are wrong. The 16th
    FIELD proves the right id.
    names_wrong: 15
    expect: damaged bad-header, survivors without(0, FIELD_7) 1
file_id_of_zeros: compact_keyed_none SDJ-106
    The file id is 0. `xor_hash` proves every field.
    damage: zero header.file_id
    expect: damaged bad-header, survivors 0-3
file_id_changed_and_a_payload_flipped: compact_keyed_none SDJ-106
    A bit of the file id and a bit of a payload are flipped. A FIELD proves the right id, so only
    one field is lost.
    damage: flip bit 127 of header.file_id
    damage: flip bit 70 of of(MESSAGE=bravo).body.payload
    expect: damaged bad-header, survivors 0 without(1, MESSAGE) 2 3
file_id_changed_and_a_field_given_twice: compact_keyed_field_given_twice SDJ-106
    A bit of the file id is flipped. A FIELD proves the right id, regardless of `xor_hash`.
    damage: flip bit 7 of header.file_id
    expect: damaged bad-header, survivors 0 1
keyed_flag_cleared: compact_keyed_none SDJ-106
    The keyed flag of a file with keyed hashes is cleared. With the flag, every hash is right.
    damage: set header.incompatible_flags to 16
    expect: damaged bad-header, survivors 0-3
keyed_flag_cleared_and_file_id_changed: compact_keyed_none SDJ-105 SDJ-106
    The keyed flag is cleared, and a bit of the file id is flipped. Without the flag, a reader tries
    no other file id, so each hash is a fault. `xor_hash` proves the fields.
    damage: set header.incompatible_flags to 16
    damage: flip bit 9 of header.file_id
    expect: damaged hash-mismatch, survivors 0-3
keyed_flag_set_and_a_field_given_twice: compact_field_given_twice SDJ-106
    The keyed flag is set in a file with Jenkins hashes. Without the flag, every hash is right,
    regardless of `xor_hash`.
    damage: set header.incompatible_flags to 20
    expect: damaged bad-header, survivors 0 1
""")


@INFERENCE.damaged(compact_keyed_none, "SDJ-105", "SDJ-106")
def one_right_hash_under_a_wrong_file_id(log: SystemdLog) -> None:
    """All hashes except that of one FIELD are wrong. A reader reports each proven DATA as a fault,
    but not the file id."""
    name = log.of("PRIORITY")
    log.flip("header.file_id", 0)
    key = bytes(log.data[24:40])
    changed = log.view.header
    changed.file_id = key
    log.set(f"{name}.body.hash", log.view.__class__(bytes(log.data), changed).hash(b"PRIORITY"))
    log.expect("damaged", "hash-mismatch", survivors=range(4))


@INFERENCE.damaged(five_entries, "SDJ-106")
def all_hashes_of_a_file_wrong(log: SystemdLog) -> None:
    """All hashes of a file without the keyed flag are wrong, and items prove the fields. Neither
    setting of the keyed flag explains this, so each hash is a fault."""
    for at in (*log.all_of(layout.DATA), *log.all_of(layout.FIELD)):
        for bit in (3, 40):
            log.flip(f"{log.path(at)}.body.hash", bit)
    log.expect("damaged", "hash-mismatch", survivors=ALL)


@INFERENCE.damaged(compact_jenkins_none, "SDJ-105", "SDJ-106")
def all_hashes_of_a_compact_file_wrong(log: SystemdLog) -> None:
    """All hashes of a compact file without the keyed flag are wrong, and `xor_hash` proves the
    fields. The file id is not a key in this file, so each hash is a fault."""
    for at in (*log.all_of(layout.DATA), *log.all_of(layout.FIELD)):
        for bit in (3, 40):
            log.flip(f"{log.path(at)}.body.hash", bit)
    log.expect("damaged", "hash-mismatch", survivors=range(4))


@INFERENCE.damaged(regular_keyed_none, "SDJ-105", "SDJ-106")
def all_hashes_of_a_keyed_file_wrong(log: SystemdLog) -> None:
    """All hashes of a file with keyed hashes are 0, but its items hold the right hashes. The file
    id is therefore right, and each hash is a fault."""
    for at in (*log.all_of(layout.DATA), *log.all_of(layout.FIELD)):
        log.zero(f"{log.path(at)}.body.hash")
    log.expect("damaged", "hash-mismatch", survivors=range(4))


@INFERENCE.damaged(compact_keyed_none, "SDJ-105", "SDJ-106")
def all_hashes_of_a_keyed_file_wrong_and_one_nearly_right(log: SystemdLog) -> None:
    """All hashes of a compact file with keyed hashes are 0, except one with a single wrong bit. The
    file id is therefore right, and each hash is a fault."""
    for at in (*log.all_of(layout.DATA), *log.all_of(layout.FIELD)):
        if at != log.offset_of("MESSAGE=bravo"):
            log.zero(f"{log.path(at)}.body.hash")
    log.flip(f"{log.of('MESSAGE=bravo')}.body.hash", 3)
    log.expect("damaged", "hash-mismatch", survivors=range(4))


# Boot ids (SDJ-107).


def _of_another_boot(log: SystemdLog) -> None:
    """Set the boot ids of all entries and of the header to an id that differs from the fields."""
    for number in range(len(log.all_of(layout.ENTRY))):
        log.set(f"{log.entry(number)}.body.boot_id", bytes.fromhex(OTHER_BOOT))
    log.set("header.tail_entry_boot_id", bytes.fromhex(OTHER_BOOT))


INFERENCE.table("""
boot_id_flipped: five_entries SDJ-107
    One bit of the boot id of an entry is flipped, so it contradicts the field `_BOOT_ID`.
    damage: flip bit 9 of entry(2).body.boot_id
    expect: damaged bad-entry, survivors 0-4
boot_id_flipped_and_its_field_lost: five_entries SDJ-043 SDJ-107
    A bit of an entry's boot id is flipped, and the field `_BOOT_ID` is lost. Nothing contradicts
    the boot id.
    damage: flip bit 9 of entry(2).body.boot_id
    damage: flip bit 80 of path(488).body.payload
    expect: damaged hash-mismatch, survivors 0-4
boot_id_of_the_writer: five_entries SDJ-107
    All entries have the boot id of the header, as an old systemd-journal-remote wrote them. This is
    not a fault.
    of_another_boot:
    expect: intact, survivors 0-4
boot_id_of_the_writer_since_254: header_of_272_bytes SDJ-006 SDJ-107
    All entries have the boot id of the header, and compatible flag 2 is set. The fields contradict
    this boot id.
    of_another_boot:
    expect: damaged bad-entry, survivors 0-3
""")


@INFERENCE.valid("SDJ-091", "SDJ-107")
def boot_ids_that_agree(log: SystemdLog) -> None:
    """One `_BOOT_ID` has upper-case digits, another is too long, and one entry has two `_BOOT_ID`
    fields, one of which agrees with the entry."""
    boot = "0123456789abcdef0123456789abcdef"
    log.begin()
    for number, ids in enumerate(([boot.upper()], [boot + "0"], [OTHER_BOOT, boot])):
        fields = [b"_BOOT_ID=" + id.encode() for id in ids]
        log.made.append(
            [*fields, b"MESSAGE=%d" % number], SEALED_START + number, number, bytes.fromhex(boot)
        )
        log.payloads.append(b"MESSAGE=%d\n" % number)
    log.close()
    log.expect("intact", survivors=range(3))


# Seals (SDJ-074).


@INFERENCE.valid("SDJ-073", "SDJ-074")
def several_seals_in_one_epoch(log: SystemdLog) -> None:
    """A file sealed without gaps was closed three times within one epoch, so it has four tags of
    epoch 0."""
    log.context["key"] = KEY
    log.begin(key=KEY, continuous=True, header_size=272)
    for number, fields in enumerate(FIVE[:3]):
        log.entry_at(SEALED_START + number, fields)
        log.close()
        log.made = log.go_on()
    log.expect("intact", survivors=range(3))
