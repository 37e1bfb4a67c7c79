"""Damage to hash tables, field lists and the lists of entries of DATA. No entry is lost."""

from conformance.recipes.systemd_journal.layouts import (
    every_object_in_one_bucket,
    five_entries,
    thirty_entries,
)
from conformance.recipes.systemd_journal.log import INDEX, SystemdLog
from reference_impl.systemd_journal import layout

FIVE = range(5)


@INDEX.damaged(five_entries, "SDJ-016", "SDJ-095")
def data_table_zeroed(log: SystemdLog) -> None:
    """All buckets of the DATA table are filled with zeros."""
    log.zero(f"{log.path(log.all_of(4)[0])}.body")
    log.expect("damaged", "bad-index", survivors=FIVE)
    log.note("A reader that looks up matches in the table finds nothing.")


@INDEX.damaged(five_entries, "SDJ-016", "SDJ-095")
def field_table_zeroed(log: SystemdLog) -> None:
    """All buckets of the FIELD table are filled with zeros. The verifier of systemd does not check
    this table."""
    log.zero(f"{log.path(log.all_of(5)[0])}.body")
    log.expect("damaged", "bad-index", survivors=FIVE)


@INDEX.damaged(five_entries, "SDJ-016", "SDJ-011")
def data_table_of_type_eight(log: SystemdLog) -> None:
    """The type of the DATA table is changed to 8, which does not exist."""
    log.set(f"{log.path(log.all_of(4)[0])}.type", 8)
    log.expect("damaged", "bad-object", survivors=FIVE)


@INDEX.damaged(five_entries, "SDJ-016")
def data_table_twice(log: SystemdLog) -> None:
    """The type of the FIELD table is changed to DATA_HASH_TABLE. The header does not name this
    second DATA table."""
    log.set(f"{log.path(log.all_of(5)[0])}.type", 4)
    log.expect("damaged", "bad-object", survivors=FIVE)


@INDEX.damaged(five_entries, "SDJ-024", "SDJ-094")
def bucket_head_to_an_entry(log: SystemdLog) -> None:
    """The first offset of a bucket points to an ENTRY."""
    log.set(f"{log.bucket('MESSAGE=alpha')}.ofs_head", log.start(log.entry(0)))
    log.expect("damaged", "bad-index", survivors=FIVE)


@INDEX.damaged(five_entries, "SDJ-024")
def bucket_tail_to_the_head(log: SystemdLog) -> None:
    """The second offset of a bucket does not point to the last object of the chain."""
    log.set(f"{log.bucket('MESSAGE=alpha')}.ofs_tail", log.start(log.path(log.all_of(1)[0])))
    log.expect("damaged", "bad-index", survivors=FIVE)


@INDEX.damaged(five_entries, "SDJ-024")
def bucket_without_a_head_and_with_a_tail_of_one(log: SystemdLog) -> None:
    """The first offset of an empty bucket is 0, and the second is 1."""
    header, buckets = log.header, log.view.buckets
    ends = list(buckets(header.data_hash_table_offset, header.data_hash_table_size))
    table = log.path(log.all_of(layout.DATA_HASH_TABLE)[0])
    log.set(f"{table}.body.buckets[{ends.index((0, 0))}].ofs_tail", 1)
    log.expect("damaged", "bad-index", survivors=FIVE)


@INDEX.damaged(five_entries, "SDJ-048", "SDJ-051", kind="corrupt")
def buckets_with_the_highest_bit_in_a_cut_file(log: SystemdLog) -> None:
    """The file is cut inside the last ENTRY. The first offset of one bucket is 2^63, and so is the
    second offset of another. The walk ended before both offsets, so the targets count as lost."""
    log.truncate(log.all_of(layout.ENTRY)[-1] + 64)
    head, tail = log.bucket("MESSAGE=alpha"), log.bucket("PRIORITY")
    assert head != tail
    log.set(f"{head}.ofs_head", 1 << 63)
    log.set(f"{tail}.ofs_tail", 1 << 63)
    log.expect("torn", "torn-file", survivors=range(4))


@INDEX.damaged(five_entries, "SDJ-024", "SDJ-094")
def bucket_tail_to_an_array(log: SystemdLog) -> None:
    """The second offset of a bucket points to an array that no chain or list uses. The array is not
    lost."""
    data = log.of("PRIORITY=6")
    array = log.view.number(log.offset_of("PRIORITY=6") + 48)
    log.zero(f"{data}.body.ofs_entry_array")
    log.set(f"{data}.body.num_entries", 1)
    log.set(f"{log.bucket('PRIORITY=6')}.ofs_tail", array)
    log.expect("damaged", "bad-index", survivors=FIVE)
    log.note("A reader compares the second offset but does not follow it (SDJ-094).")


@INDEX.damaged(every_object_in_one_bucket, "SDJ-024", "SDJ-094", "SDJ-057")
def hash_chain_to_itself(log: SystemdLog) -> None:
    """A DATA links to itself in a hash chain. A reader does not loop."""
    at = log.offset_of("MESSAGE=alpha")
    log.set(f"{log.path(at)}.body.ofs_next_hash", at)
    log.expect("damaged", "bad-index", survivors=FIVE)


@INDEX.damaged(every_object_in_one_bucket, "SDJ-024", "SDJ-094", "SDJ-057")
def hash_chain_backwards(log: SystemdLog) -> None:
    """A hash chain links back to its first object. A reader does not loop."""
    path = log.of("MESSAGE=charlie")
    log.set(f"{path}.body.ofs_next_hash", log.all_of(1)[0])
    log.expect("damaged", "bad-index", survivors=FIVE)


@INDEX.damaged(every_object_in_one_bucket, "SDJ-024", "SDJ-095")
def hash_chain_skips_a_data(log: SystemdLog) -> None:
    """A hash chain skips a DATA."""
    skipped = log.offset_of("MESSAGE=charlie")
    after = int.from_bytes(log.control[skipped + 24 : skipped + 32], "little")
    before = next(
        at
        for at in log.all_of(1)
        if int.from_bytes(log.control[at + 24 : at + 32], "little") == skipped
    )
    log.set(f"{log.path(before)}.body.ofs_next_hash", after)
    log.expect("damaged", "bad-index", survivors=FIVE)


@INDEX.damaged(five_entries, "SDJ-024")
def buckets_swapped(log: SystemdLog) -> None:
    """Two used buckets are swapped, so each contains the objects of the other."""
    used = [
        f"{log.path(log.all_of(4)[0])}.body.buckets[{n}]"
        for n in range(8)
        if any(log.control[(at := log.all_of(4)[0] + 16 + 16 * n) : at + 16])
    ]
    one, other = log.field(used[0]), log.field(used[1])
    first, second = log.control[one.start : one.end], log.control[other.start : other.end]
    log.set(used[0], second)
    log.set(used[1], first)
    log.expect("damaged", "bad-index", survivors=FIVE)


@INDEX.damaged(five_entries, "SDJ-025")
def field_without_values(log: SystemdLog) -> None:
    """`head_data_offset` of a FIELD points to an ENTRY. The verifier of systemd does not check
    field lists."""
    log.set(f"{log.of('MESSAGE')}.body.ofs_head_data", log.start(log.entry(0)))
    log.expect("damaged", "bad-index", survivors=FIVE)


@INDEX.damaged(five_entries, "SDJ-025")
def field_with_the_newest_value_of_a_later_field(log: SystemdLog) -> None:
    """`head_data_offset` of a FIELD points to the head of the list of a later FIELD. The DATA then
    counts as visited, so the link of the later FIELD is also a fault."""
    log.set("objects[3].body.ofs_head_data", log.view.number(log.start("objects[5]") + 32))
    log.expect("damaged", "bad-index", survivors=FIVE)


@INDEX.damaged(five_entries, "SDJ-025", "SDJ-057")
def field_list_to_itself(log: SystemdLog) -> None:
    """A DATA links to itself in a field list. A reader does not loop."""
    at = log.offset_of("MESSAGE=charlie")
    log.set(f"{log.path(at)}.body.ofs_next_field", at)
    log.expect("damaged", "bad-index", survivors=FIVE)


@INDEX.damaged(five_entries, "SDJ-025")
def field_list_with_another_field(log: SystemdLog) -> None:
    """The list of the FIELD MESSAGE links to a DATA of PRIORITY."""
    at = log.offset_of("MESSAGE=bravo")
    log.set(f"{log.path(at)}.body.ofs_next_field", log.offset_of("PRIORITY=6"))
    log.expect("damaged", "bad-index", survivors=FIVE)


@INDEX.damaged(five_entries, "SDJ-036")
def first_entry_of_a_data_is_another(log: SystemdLog) -> None:
    """`entry_offset` of a DATA points to an entry that does not contain this DATA."""
    log.set(f"{log.of('MESSAGE=bravo')}.body.ofs_entry", log.start(log.entry(4)))
    log.expect("damaged", "bad-index", survivors=FIVE)


@INDEX.damaged(thirty_entries, "SDJ-036", "SDJ-057")
def entries_of_a_data_in_a_loop(log: SystemdLog) -> None:
    """An array of a DATA links to itself. A reader does not loop."""
    data = log.offset_of("PRIORITY=0")
    first = int.from_bytes(log.control[data + 48 : data + 56], "little")
    log.set(f"{log.path(first)}.body.ofs_next_entry_array", first)
    log.expect("damaged", "bad-index", survivors=range(30))


@INDEX.damaged(thirty_entries, "SDJ-036", "SDJ-057")
def array_of_two_data(log: SystemdLog) -> None:
    """Two DATA objects share one chain of arrays. A reader reads each array once."""
    one, other = (log.offset_of(f"PRIORITY={n}") for n in (0, 1))
    first = int.from_bytes(log.control[one + 48 : one + 56], "little")
    log.set(f"{log.path(other)}.body.ofs_entry_array", first)
    log.expect("damaged", "bad-index", survivors=range(30))


@INDEX.damaged(thirty_entries, "SDJ-036")
def entries_of_a_data_out_of_order(log: SystemdLog) -> None:
    """Two slots in an array of a DATA are swapped."""
    data = log.offset_of("PRIORITY=0")
    array = int.from_bytes(log.control[data + 48 : data + 56], "little")
    one, other = log.control[array + 24 : array + 32], log.control[array + 32 : array + 40]
    log.set(f"{log.path(array)}.body.slots[0]", other)
    log.set(f"{log.path(array)}.body.slots[1]", one)
    log.expect("damaged", "bad-index", survivors=range(30))


@INDEX.damaged(five_entries, "SDJ-025")
def field_list_ends_early(log: SystemdLog) -> None:
    """The list of the FIELD MESSAGE ends early. A reader reports each older DATA that is missing
    from the list."""
    log.zero(f"{log.of('MESSAGE=charlie')}.body.ofs_next_field")
    log.expect("damaged", "bad-index", survivors=FIVE)


@INDEX.damaged(thirty_entries, "SDJ-036")
def array_of_a_data_leads_to_its_first_entry(log: SystemdLog) -> None:
    """A slot in an array of a DATA points to the first entry of the DATA, below the previous slot.
    Only this slot is a fault."""
    array = log.view.number(log.offset_of("PRIORITY=0") + 48)
    log.set(f"{log.path(array)}.body.slots[2]", log.start(log.entry(0)))
    log.expect("damaged", "bad-index", survivors=range(30))


@INDEX.valid("SDJ-025")
def data_without_a_field(log: SystemdLog) -> None:
    """A DATA was written without a FIELD for its name, so no field list contains the DATA."""
    log.begin()
    log.entry_at(1700000000000000, ["MESSAGE=alpha"])
    payload = b"NEVER=sent"
    number = log.made._hash(payload)
    at = log.made._object(layout.DATA, layout.DATA_FIXED.pack(number, 0, 0, 0, 0, 0) + payload)
    log.made._insert(layout.DATA, number, at)
    log.close()
    log.expect("intact", survivors=[0])


@INDEX.damaged(five_entries, "SDJ-019", "SDJ-036", kind="valid")
def entry_listed_twice(log: SystemdLog) -> None:
    """A DATA lists an entry twice in a row, as systemd up to 247 wrote it for a repeated field."""
    array = log.path(log.view.number(log.offset_of("PRIORITY=6") + 48))
    log.set(f"{array}.body.slots[2]", log.start(log.entry(3)))
    log.set(f"{log.of('PRIORITY=6')}.body.num_entries", 4)
    log.expect("intact", survivors=FIVE)
    log.note("The verifier of systemd reports this file as corrupt, even if systemd 247 wrote it.")


@INDEX.damaged(five_entries, "SDJ-036")
def array_of_a_data_leads_back_to_another(log: SystemdLog) -> None:
    """An array of a DATA has an empty slot and links back to an array of another DATA. The link is
    a fault and ends the list."""
    array = log.path(log.view.number(log.offset_of("PRIORITY=6") + 48))
    log.zero(f"{array}.body.slots[1]")
    other = log.view.number(log.offset_of("_HOSTNAME=host") + 48)
    log.set(f"{array}.body.ofs_next_entry_array", other)
    log.expect("damaged", "bad-index", survivors=FIVE)


@INDEX.damaged(five_entries, "SDJ-036", "SDJ-094")
def array_of_a_data_is_the_main_array(log: SystemdLog) -> None:
    """`entry_array_offset` of a DATA points to the first array of the main chain. An array belongs
    to only one chain."""
    log.set(f"{log.of('PRIORITY=6')}.body.ofs_entry_array", log.header.entry_array_offset)
    log.expect("damaged", "bad-index", survivors=FIVE)


INDEX.table("""
first_entry_of_a_data_is_a_data: five_entries SDJ-036
    `entry_offset` of a DATA points to a DATA.
    damage: set of(MESSAGE=bravo).body.ofs_entry to offset_of(MESSAGE=alpha)
    expect: damaged bad-index, survivors 0-4
hash_chain_back_to_another_bucket: five_entries SDJ-024
    A hash chain links back to an object that no chain has visited yet. The link is a fault, and the
    chain ends.
    damage: set of(PRIORITY=4).body.ofs_next_hash to offset_of(PRIORITY=6)
    expect: damaged bad-index, survivors 0-4
bucket_head_unaligned: five_entries SDJ-024 SDJ-094
    The first offset of a bucket is not a multiple of 8.
    damage: flip bit 2 of bucket(MESSAGE=alpha).ofs_head
    expect: damaged bad-index, survivors 0-4
bucket_with_a_head_and_no_tail: five_entries SDJ-024
    The second offset of a used bucket is 0, but its first offset is not.
    damage: zero bucket(MESSAGE=alpha).ofs_tail
    expect: damaged bad-index, survivors 0-4
hash_chain_ends_early: every_object_in_one_bucket SDJ-024 SDJ-094
    A hash chain ends early, so a look-up by hash does not find the later objects.
    damage: zero of(MESSAGE=charlie).body.ofs_next_hash
    expect: damaged bad-index, survivors 0-4
data_without_entries_that_has_one: five_entries SDJ-036
    A DATA counts no entries, but its `entry_offset` points to an entry.
    damage: zero of(MESSAGE=bravo).body.num_entries
    expect: damaged bad-index, survivors 0-4
data_without_entries_that_has_a_lost_one: five_entries SDJ-036 SDJ-048
    A DATA counts no entries, but its `entry_offset` points to a lost entry. This is a fault even
    though the entry is lost.
    damage: zero of(MESSAGE=bravo).body.num_entries
    damage: set entry(1).type to 0
    expect: damaged bad-object, survivors 0 2-4
data_counts_too_many_entries: five_entries SDJ-036
    A DATA counts 40 entries but lists three.
    damage: set of(PRIORITY=6).body.num_entries to 40
    expect: damaged bad-index, survivors 0-4
data_counts_too_few_entries: five_entries SDJ-036
    A DATA counts two entries, but three entries contain it. The verifier of systemd does not check
    this count.
    damage: set of(PRIORITY=6).body.num_entries to 2
    expect: damaged bad-index, survivors 0-4
field_list_emptied: five_entries SDJ-025
    The list of a FIELD is empty, although DATA objects have its name. A reader reports each of
    these DATA objects.
    damage: zero of(MESSAGE).body.ofs_head_data
    expect: damaged bad-index, survivors 0-4
indexes_emptied_and_an_entry_lost: five_entries SDJ-025 SDJ-048
    A bucket and a field list are empty, and an entry is lost. After a loss, a reader does not
    report missing objects.
    damage: zero bucket(MESSAGE=alpha)
    damage: zero of(MESSAGE).body.ofs_head_data
    damage: set entry(1).type to 9
    expect: damaged bad-object, survivors 0 2-4
bucket_tail_to_a_lost_data: five_entries SDJ-024 SDJ-048
    A hash chain ends before its last object, which is lost. The second offset of the bucket points
    to the lost object and is not a fault.
    damage: zero of(PRIORITY=3).body.ofs_next_hash
    damage: set of(PRIORITY=4).type to 0
    expect: damaged bad-object, survivors 0-3 without(4, PRIORITY)
tail_of_a_compact_data_without_an_array: thirty_entries_compact SDJ-036 valid
    A compact DATA with one entry has no array. A reader ignores its tail fields, which are not 0.
    damage: set of(MESSAGE=hello 7).body.ofs_tail_entry_array to 4096
    damage: set of(MESSAGE=hello 7).body.num_tail_entries to 3
    expect: intact, survivors 0-29
data_counts_one_entry_too_many: five_entries SDJ-036
    A DATA lists all three entries that contain it, but counts four.
    damage: set of(PRIORITY=6).body.num_entries to 4
    expect: damaged bad-index, survivors 0-4
""")
