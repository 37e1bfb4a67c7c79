"""Rules that could plausibly be read in another way. Each vector has a fault for which the other
reading gives a different answer."""

import lzma
from typing import Any

from conformance.recipes.systemd_journal.budgets import (
    LIMIT,
    Packed,
    _expect_runs,
    _fields,
    _run,
)
from conformance.recipes.systemd_journal.combinations import (
    online_regular,
    regular_jenkins_lz4,
    sealed_regular_continuous,
)
from conformance.recipes.systemd_journal.layouts import (
    five_entries,
    thirty_entries,
    thirty_entries_compact,
)
from conformance.recipes.systemd_journal.log import (
    BOOT,
    CHAIN,
    COMPRESSION,
    CONSEQUENCES,
    ENTRY,
    HEADER,
    INDEX,
    INFERENCE,
    LAYOUT,
    QUERIES,
    SEALS,
    SMALL,
    START,
    TORN_TAIL,
    WRITING,
    SystemdLog,
    body,
    raw,
)
from conformance.recipes.systemd_journal.seals import (
    sealed_file,
    sealed_file_without_the_key,
)
from conformance.recipes.systemd_journal.shares import (
    ENTRIES,
    _share,
    entries_that_share_as_much_as_they_may,
)
from reference_impl.systemd_journal import layout
from reference_impl.systemd_journal.hashes import jenkins64

ALL = range(5)
FOUR = range(4)
OTHER_BOOT = "fedcba9876543210fedcba9876543210"

# Refusing.


@HEADER.damaged(five_entries, "SDJ-005", "SDJ-007")
def flag_and_state_unknown(log: SystemdLog) -> None:
    """Incompatible flag 32 and state 3 are both unknown. A reader checks the flag first."""
    log.set("header.incompatible_flags", 32)
    log.set("header.state", 3)
    log.expect("refused", "unsupported-flag", survivors=[])


@HEADER.damaged(five_entries, "SDJ-005", "SDJ-050")
def flag_unknown_and_a_cut_header(log: SystemdLog) -> None:
    """The file ends inside its header, and has an unknown incompatible flag. A reader checks the
    flag first.
    """
    log.set("header.incompatible_flags", 32)
    log.truncate(240)
    log.expect("refused", "unsupported-flag", survivors=[])


@HEADER.damaged(sealed_file, "SDJ-004")
def header_of_232_bytes_in_a_sealed_file(log: SystemdLog) -> None:
    """The header of a sealed file is 232 bytes long. It has `n_tags`, but not `n_entry_arrays`."""
    log.set("header.header_size", 232)
    log.expect("refused", "bad-header-size", survivors=[])


@HEADER.damaged(five_entries, "SDJ-004", "SDJ-016")
def header_size_past_the_tables_and_their_offsets_swapped(log: SystemdLog) -> None:
    """`header_size` covers both tables, and the header swaps the offsets of the two tables. Neither
    offset has an object of the expected type, so nothing shows where the header ends.
    """
    log.set("header.header_size", 488)
    log.set("header.data_hash_table_offset", log.header.field_hash_table_offset)
    log.set("header.field_hash_table_offset", log.header.data_hash_table_offset)
    log.expect("damaged", "bad-header", survivors=ALL)


# Sizes of objects.


@CONSEQUENCES.damaged(five_entries, "SDJ-011", "SDJ-041")
def field_without_a_name(log: SystemdLog) -> None:
    """The size of a FIELD leaves no room for a name, and its name is corrupt. The object is not
    framed."""
    log.flip(f"{log.of('MESSAGE')}.body.payload", 0)
    log.set(f"{log.of('MESSAGE')}.len_object", 40)
    log.expect("damaged", "bad-object", survivors=ALL)


@CONSEQUENCES.damaged(five_entries, "SDJ-011", "SDJ-041")
def array_without_a_slot(log: SystemdLog) -> None:
    """The size of the first array in the main chain leaves no room for a slot. The whole array is
    lost."""
    log.set(f"{log.array(0)}.len_object", 24)
    log.expect("damaged", "bad-object", survivors=ALL)


@CONSEQUENCES.damaged(five_entries, "SDJ-011", "SDJ-104")
def entry_without_an_item(log: SystemdLog) -> None:
    """The size of an entry leaves no room for an item, and its `xor_hash` is wrong. The items give
    the right size."""
    log.flip(f"{log.entry(1)}.body.xor_hash", 0)
    log.set(f"{log.entry(1)}.len_object", 64)
    log.expect("damaged", "bad-object", survivors=ALL)


@CONSEQUENCES.damaged(sealed_file, "SDJ-011", "SDJ-041")
def tag_of_72_bytes(log: SystemdLog) -> None:
    """The size of the last TAG is 72 bytes. The object is not framed."""
    log.extend(bytes(64))
    log.set(f"{log.tag(2)}.len_object", 72)
    log.expect("damaged", "bad-object", survivors=ALL)


@CONSEQUENCES.damaged(five_entries, "SDJ-016")
def second_table_and_a_wrong_size_in_the_header(log: SystemdLog) -> None:
    """The FIELD table becomes a second DATA table, and the header gives a wrong size for the DATA
    table. The second table is lost, regardless of the size in the header.
    """
    log.set(f"{log.path(log.all_of(layout.FIELD_HASH_TABLE)[0])}.type", layout.DATA_HASH_TABLE)
    log.set("header.data_hash_table_size", 64)
    log.expect("damaged", "bad-object", survivors=ALL)


@INFERENCE.damaged(five_entries, "SDJ-043", "SDJ-048", "SDJ-104")
def entry_size_and_an_item_inside_a_lost_object(log: SystemdLog) -> None:
    """The size of an entry is 0, and its last item points into a lost DATA, to an offset that is
    not a multiple of 8. The items of the entry end before this item.
    """
    log.flip(f"{log.of('MESSAGE=bravo')}.body.payload", 70)
    log.set(f"{log.entry(1)}.body.items[3].ofs_data", log.offset_of("MESSAGE=bravo") + 1)
    log.set(f"{log.entry(1)}.len_object", 0)
    left = log.without(1, "MESSAGE", "PRIORITY")
    log.expect("damaged", "hash-mismatch", survivors=[0, left, 2, 3, 4])


@TORN_TAIL.damaged(five_entries, "SDJ-051", "SDJ-104")
def data_size_at_the_end_of_a_cut_file(log: SystemdLog) -> None:
    """The file ends with a DATA whose size is too large. No later object gives the right size, so
    the DATA is at the cut.
    """
    log.set(f"{log.of('MESSAGE=echo')}.len_object", 100)
    log.truncate(log.offset_of("MESSAGE=echo") + 80)
    log.expect("torn", "torn-file", survivors=FOUR)


# The walk.


@CONSEQUENCES.damaged(five_entries, "SDJ-041", "SDJ-098")
def count_and_an_invalid_object_after_the_tail(log: SystemdLog) -> None:
    """`n_objects` is one too high, and a DATA with a wrong hash follows the tail object. The walk
    ends at the tail object, because the DATA after it is not valid.
    """
    at = log.offset_of("MESSAGE=echo")
    copy = bytearray(log.control[at : at + 80])
    copy[70] ^= 1
    log.extend(bytes(copy))
    log.set("header.n_objects", log.header.n_objects + 1)
    log.expect("damaged", "bad-header", survivors=ALL)


@CONSEQUENCES.damaged(five_entries, "SDJ-034", "SDJ-041")
def slot_to_an_invalid_entry_after_the_tail(log: SystemdLog) -> None:
    """`tail_object_offset` points to the last DATA, and the entry after it has the sequence number
    0. The walk ends after this DATA, because the slot points to no valid entry.
    """
    log.set("header.tail_object_offset", log.offset_of("PRIORITY=4"))
    log.set("header.n_objects", log.header.n_objects - 2)
    log.zero(f"{log.entry(4)}.body.seqnum")
    log.expect("damaged", "bad-chain", survivors=FOUR)


@CONSEQUENCES.damaged(five_entries, "SDJ-041")
def array_before_a_data_that_only_a_field_list_names(log: SystemdLog) -> None:
    """An array and the entry after it are lost, and no hash chain leads to the DATA between them. A
    field list does, but field lists give no known offsets, so the DATA is lost too.
    """
    delta = log.offset_of("MESSAGE=delta")
    log.zero(f"{log.path(delta - 56)}.type")
    log.zero(f"{log.of('MESSAGE=charlie')}.body.ofs_next_hash")
    log.set(f"{log.bucket('MESSAGE=delta')}.ofs_tail", log.offset_of("MESSAGE=charlie"))
    log.zero(f"{log.entry(3)}.body.seqnum")
    log.expect("damaged", "bad-object", survivors=[0, 1, 2, 4])


# Hash chains.


@INDEX.damaged(five_entries, "SDJ-024", "SDJ-105")
def hash_of_the_last_data_and_its_bucket(log: SystemdLog) -> None:
    """One bit in the hash of the last DATA of a chain is flipped, and the second offset of its
    bucket is wrong. The DATA is proven, and both are faults.
    """
    log.flip(f"{log.of('PRIORITY=4')}.body.hash", 3)
    log.set(f"{log.bucket('PRIORITY=4')}.ofs_tail", log.offset_of("PRIORITY=3"))
    log.expect("damaged", "hash-mismatch", survivors=ALL)


@INDEX.damaged(five_entries, "SDJ-024", "SDJ-095")
def data_in_the_bucket_of_another(log: SystemdLog) -> None:
    """The bucket of a DATA points to a DATA of another bucket, and the other bucket is empty. The
    chain is broken, so a reader does not report the first DATA, which no chain reaches.
    """
    other = log.offset_of("_BOOT_ID=" + BOOT)
    for path in ("ofs_head", "ofs_tail"):
        log.set(f"{log.bucket('MESSAGE=echo')}.{path}", other)
    log.zero(log.bucket("_BOOT_ID=" + BOOT))
    log.expect("damaged", "bad-index", survivors=ALL)


# The main chain.


@CHAIN.damaged(five_entries, "SDJ-034")
def two_slots_below_an_earlier_one(log: SystemdLog) -> None:
    """The third slot of the main chain points to the first entry, and the fourth slot points to the
    second. Both offsets are at or below that of the second slot.
    """
    first, second = log.all_of(layout.ENTRY)[:2]
    log.set(f"{log.array(0)}.body.slots[2]", first)
    log.set(f"{log.array(0)}.body.slots[3]", second)
    log.expect("damaged", "bad-chain", survivors=ALL)


# Lists of entries.


@CONSEQUENCES.damaged(five_entries, "SDJ-036", "SDJ-048")
def first_entry_lost_and_a_wrong_slot(log: SystemdLog) -> None:
    """The first entry is lost, and a list that begins with it has a slot that points to no entry.
    The list is not checked.
    """
    array = log.path(log.view.number(log.offset_of("_HOSTNAME=host") + 48))
    log.set(f"{array}.body.slots[0]", log.offset_of("MESSAGE=alpha"))
    log.zero(f"{log.entry(0)}.type")
    log.expect("damaged", "bad-object", survivors=range(1, 5))


@CONSEQUENCES.damaged(thirty_entries, "SDJ-036", "SDJ-048")
def slot_to_a_lost_entry_before_a_wrong_link(log: SystemdLog) -> None:
    """An entry is lost, and a list with a slot to it has a wrong link after this slot. The list
    ends at the slot, so the link is not checked.
    """
    array = log.path(log.view.number(log.offset_of("PRIORITY=0") + 48))
    log.set(f"{array}.body.ofs_next_entry_array", log.offset_of("PRIORITY=0"))
    log.zero(f"{log.entry(6)}.type")
    log.expect("damaged", "bad-object", survivors=[*range(6), *range(7, 30)])


@INDEX.damaged(thirty_entries_compact, "SDJ-036")
def tail_of_a_list_without_its_array(log: SystemdLog) -> None:
    """In a compact file, the tail fields of a DATA give no array, but a number of slots. Both
    fields should be zero.
    """
    log.zero(f"{log.of('PRIORITY=0')}.body.ofs_tail_entry_array")
    log.expect("damaged", "bad-index", survivors=range(30))


# The key.


@INFERENCE.valid("SDJ-022", "SDJ-106")
def only_a_boot_id_keyed(log: SystemdLog) -> None:
    """A compact file with keyed hashes and one entry, which has only `_BOOT_ID`."""
    log.write((), compact=True, keyed=True)
    log.expect("intact", survivors=[0])


@INFERENCE.damaged(only_a_boot_id_keyed, "SDJ-106")
def keyed_flag_and_the_only_name(log: SystemdLog) -> None:
    """The keyed flag is cleared, and the name of the only FIELD is corrupt. The DATA proves that
    the flag is wrong.
    """
    log.set("header.incompatible_flags", layout.COMPACT)
    log.flip(f"{log.of('_BOOT_ID')}.body.payload", 0)
    log.expect("damaged", "bad-header", survivors=[0])


@INFERENCE.damaged(only_a_boot_id_keyed, "SDJ-106")
def file_id_and_the_only_xor_hash(log: SystemdLog) -> None:
    """The `file_id` is zeroed, and the `xor_hash` of the only entry is wrong. Nothing proves the
    DATA, so both hashes are faults.
    """
    log.zero("header.file_id")
    log.flip(f"{log.entry(0)}.body.xor_hash", 0)
    log.expect("damaged", "hash-mismatch", survivors=[b""])


# Fields that an entry proves.


@LAYOUT.valid("SDJ-019", "SDJ-020")
def item_twice_in_a_compact_entry(log: SystemdLog) -> None:
    """An item appears twice in an entry of a compact file, and `xor_hash` covers its hash twice. No
    entry contains the field C.
    """
    log.write(("A=1", "B=2", "C=3"), compact=True)
    entry, two, three = log.all_of(layout.ENTRY)[0], log.offset_of("B=2"), log.offset_of("C=3")
    items = list(log.view.items(entry))
    assert items[2:] == [two, three]
    log.data[entry + 64 + 12 : entry + 64 + 16] = two.to_bytes(4, "little")
    log.data[three + 40 : three + 48] = log.data[three + 56 : three + 64] = bytes(8)
    xor = jenkins64(b"_BOOT_ID=" + BOOT.encode()) ^ jenkins64(raw("A=1"))
    log.data[entry + 56 : entry + 64] = xor.to_bytes(8, "little")
    log.payloads = [body("A=1", "B=2")]
    log.expect("intact", survivors=[0])


@INFERENCE.damaged(item_twice_in_a_compact_entry, "SDJ-105")
def hash_in_an_entry_with_an_item_twice(log: SystemdLog) -> None:
    """Two bits in the hash of a DATA are wrong. `xor_hash` is the XOR of the hashes of all items,
    including the repeated item twice, so the DATA is proven.
    """
    for bit in (3, 40):
        log.flip(f"{log.of('A=1')}.body.hash", bit)
    log.expect("damaged", "hash-mismatch", survivors=[0])


# The budget for decompression.


def _xz_and_runs(log: SystemdLog, excess: int) -> list[Packed]:
    """Write an XZ field and several ZSTD fields that together exceed the budget by ``excess``.
    Return all of these fields."""
    log.context["max_field_size"] = LIMIT
    plain = b"XZ=".ljust(LIMIT, b"A")
    packed = lzma.compress(plain, lzma.FORMAT_XZ, lzma.CHECK_NONE)
    fields = [(plain, packed, layout.OBJECT_XZ), *(_run(f"RUN_{n}", LIMIT) for n in range(4))]
    last = _run("LAST", 1000)
    _fields(log, [*fields, last])
    left = 64 * log.made.data_at[last[0]] + 4 * LIMIT - 5 * LIMIT
    fields.append(_run("LAST", left + excess))
    _fields(log, fields)
    return fields


@COMPRESSION.valid("SDJ-103", kind="limit")
def fields_with_xz_that_use_up_the_budget(log: SystemdLog) -> None:
    """An XZ field and several ZSTD fields use up the budget for decompression exactly."""
    _expect_runs(log, _xz_and_runs(log, 0), None)


@COMPRESSION.damaged(fields_with_xz_that_use_up_the_budget, "SDJ-103", kind="limit")
def fields_with_xz_beyond_the_budget(log: SystemdLog) -> None:
    """An XZ field and several ZSTD fields exceed the budget for decompression by one byte."""
    _expect_runs(log, _xz_and_runs(log, 1)[:-1], "too-large")


# Boot ids.


@ENTRY.valid("SDJ-091", "SDJ-107")
def boot_id_in_upper_case(log: SystemdLog) -> None:
    """The `_BOOT_ID` of an entry has upper-case digits."""
    log.begin()
    log.entry_at(START, ("MESSAGE=alpha",), boot=OTHER_BOOT.upper())
    log.close()
    log.expect("intact", survivors=[0])


@ENTRY.damaged(boot_id_in_upper_case, "SDJ-107")
def boot_id_unlike_one_in_upper_case(log: SystemdLog) -> None:
    """The boot id of an entry differs from its `_BOOT_ID`, which has upper-case digits."""
    log.flip(f"{log.entry(0)}.body.boot_id", 0)
    log.expect("damaged", "bad-entry", survivors=[0])


@ENTRY.valid("SDJ-107")
def second_boot_id_is_that_of_the_entry(log: SystemdLog) -> None:
    """An entry has two `_BOOT_ID` fields. The second agrees with the boot id of the entry."""
    log.begin()
    log.entry_at(START, ("_BOOT_ID=" + OTHER_BOOT, "MESSAGE=alpha"))
    log.close()
    at = log.all_of(layout.ENTRY)[0]
    log.data[at + 40 : at + 56] = bytes.fromhex(OTHER_BOOT)
    log.expect("intact", survivors=[0])


# The tear.


@TORN_TAIL.damaged(five_entries, "SDJ-049", "SDJ-052")
def wrong_count_in_an_archived_file(log: SystemdLog) -> None:
    """The file is archived, and `n_data` is wrong. Only an online file has a tear, so the file is
    damaged.
    """
    log.set("header.state", layout.ARCHIVED)
    log.set("header.n_data", 3)
    log.expect("damaged", "bad-header", survivors=ALL)


@TORN_TAIL.damaged(five_entries, "SDJ-052", "SDJ-099")
def cut_and_a_wrong_link_in_an_archived_file(log: SystemdLog) -> None:
    """An archived file is cut in its last entry, and a DATA before it has a wrong link. Only in an
    online file could this link be older than later objects, so the file is damaged.
    """
    log.set("header.state", layout.ARCHIVED)
    log.set(f"{log.of('MESSAGE=echo')}.body.ofs_next_hash", 8)
    log.truncate_in(f"{log.entry(4)}.body", 30)
    log.expect("damaged", "bad-index", survivors=FOUR)


@TORN_TAIL.damaged(online_regular, "SDJ-052", "SDJ-101")
def payload_before_an_unlinked_entry_online(log: SystemdLog) -> None:
    """In an online file, no array contains the last entry, and one of its fields is corrupt. The
    tear is at this entry, and the field lies before it, so the file is damaged.
    """
    view, at = log.view, log.header.entry_array_offset
    slots = [slot for slot in view.slots(at) if slot]
    log.zero(f"{log.path(at)}.body.slots[{len(slots) - 1}]")
    log.flip(f"{log.of('MESSAGE=delta')}.body.payload", 70)
    log.expect("damaged", "hash-mismatch", survivors=range(3))


@TORN_TAIL.damaged(regular_jenkins_lz4, "SDJ-027", "SDJ-052", "SDJ-100")
def compression_that_an_online_file_does_not_announce(log: SystemdLog) -> None:
    """An online file uses LZ4, but its header does not announce this. A writer sets the flag when
    it begins the file, so the file is damaged.
    """
    log.set("header.state", layout.ONLINE)
    log.set("header.incompatible_flags", 0)
    log.expect("damaged", "bad-header", survivors=FOUR)


@TORN_TAIL.damaged(online_regular, "SDJ-052", "SDJ-100", "SDJ-106")
def keyed_flag_online(log: SystemdLog) -> None:
    """The keyed flag of an online file is wrong. A writer sets this flag when it begins the file,
    so the file is damaged.
    """
    log.set("header.incompatible_flags", layout.KEYED_HASH)
    log.expect("damaged", "bad-header", survivors=FOUR)


@COMPRESSION.damaged(regular_jenkins_lz4, "SDJ-027")
def lz4_under_the_flag_of_xz(log: SystemdLog) -> None:
    """A DATA is compressed with LZ4, but the header announces only XZ."""
    log.set("header.incompatible_flags", layout.XZ)
    log.expect("damaged", "bad-header", survivors=FOUR)


@QUERIES.damaged(five_entries, "SDJ-060", kind="valid")
def match_of_a_boot_id(log: SystemdLog) -> None:
    """A match for `_BOOT_ID`. Every entry has this field, although no record contains it in its
    payload."""
    log.context["match"] = "_BOOT_ID=" + BOOT
    log.expect("intact", survivors=ALL)


@QUERIES.damaged(five_entries, "SDJ-056", "SDJ-060")
def strict_match_before_a_lost_field(log: SystemdLog) -> None:
    """An item of the second entry points to a lost field later in the file. A strict reader stops
    at this entry, although the entry does not match.
    """
    log.context["match"] = "PRIORITY=6"
    number = list(log.view.items(log.all_of(layout.ENTRY)[1])).index(log.offset_of("PRIORITY=3"))
    log.set(f"{log.entry(1)}.body.items[{number}].ofs_data", log.offset_of("MESSAGE=echo"))
    log.flip(f"{log.of('MESSAGE=echo')}.body.payload", 70)
    log.expect("damaged", "hash-mismatch", survivors=[0, 2, 3])


@ENTRY.damaged(entries_that_share_as_much_as_they_may, "SDJ-092", kind="limit")
def entries_that_share_more_than_they_may_before_free_space(log: SystemdLog) -> None:
    """The last item of the last entry exceeds the limit for all entries. The 4,096 free bytes after
    the objects do not raise this limit.
    """
    _share(log, -8)
    log.extend(bytes(4096))
    log.expect("damaged", "too-large", survivors=range(ENTRIES))


# Seals.


@SEALS.damaged(sealed_file_without_the_key, "SDJ-074")
def epochs_after_an_early_one(log: SystemdLog) -> None:
    """The tags have the epochs 9, 3 and 4. Only the second epoch is lower than the epoch before it.
    The first epoch may have any value.
    """
    for number, epoch in enumerate((9, 3, 4)):
        log.set(f"{log.tag(number)}.body.epoch", epoch)
    log.expect("damaged", "bad-seal", survivors=ALL)


@SEALS.damaged(sealed_regular_continuous, "SDJ-074", kind="valid")
def first_epoch_of_7_without_gaps(log: SystemdLog) -> None:
    """All tags of a file sealed without gaps have epoch 7. The first epoch may have any value."""
    del log.context["key"]
    for number in range(len(log.all_of(layout.TAG))):
        log.set(f"{log.tag(number)}.body.epoch", 7)
    log.expect("intact", survivors=FOUR)


# Writing.


@WRITING.writing("SDJ-020", "SDJ-082")
def write_a_field_twice(log: SystemdLog) -> None:
    """A record has a field twice. The field is stored once, the entry has one item for it, and
    `xor_hash` covers its hash twice.
    """
    log.context |= SMALL
    log.write(("MULTI=a", "MULTI=a"))
    log.payloads[0] = b"MULTI=a\nMULTI=a\n"


@WRITING.writing("SDJ-032")
def write_a_payload_that_compression_keeps_as_long(log: SystemdLog) -> None:
    """A 20-byte payload would still be 20 bytes long with LZ4. A writer stores it uncompressed."""
    options: dict[str, Any] = {"compression": "lz4", "threshold": 9}
    log.context |= {**SMALL, **options}
    log.write(("M=xxxxxxxxxxxxxxxoef",), **options)
