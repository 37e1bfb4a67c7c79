"""Files with two faults. They show which checks apply after a loss, and which of two faults lists
shared bytes."""

from conformance.recipes.systemd_journal.layouts import (
    every_object_in_one_bucket,
    five_entries,
    thirty_entries,
    thirty_entries_compact,
)
from conformance.recipes.systemd_journal.log import CONSEQUENCES, SystemdLog
from reference_impl.systemd_journal import layout

ALL = range(5)


def _flip_alpha(log: SystemdLog) -> list[bytes]:
    """Flip a bit in the payload of the first message, and return the payloads that survive."""
    log.flip(f"{log.of('MESSAGE=alpha')}.body.payload", 70)
    return [log.without(0, "MESSAGE"), *log.payloads[1:]]


@CONSEQUENCES.damaged(five_entries, "SDJ-048", "SDJ-049")
def counts_wrong_and_a_payload_flipped(log: SystemdLog) -> None:
    """`n_data`, `n_entries` and `tail_entry_seqnum` are wrong, and a DATA is lost. After a loss, a
    reader does not compare these header fields."""
    left = _flip_alpha(log)
    log.set("header.n_data", 3)
    log.set("header.n_entries", 6)
    log.set("header.tail_entry_seqnum", 9)
    log.expect("damaged", "hash-mismatch", survivors=left)


@CONSEQUENCES.damaged(five_entries, "SDJ-097")
def tail_object_unaligned_and_a_payload_flipped(log: SystemdLog) -> None:
    """`tail_object_offset` is not a multiple of 8, and a DATA is lost. A reader checks the offset
    before the walk, so both are faults."""
    left = _flip_alpha(log)
    log.set("header.tail_object_offset", log.header.tail_object_offset + 4)
    log.expect("damaged", "bad-header", survivors=left)


@CONSEQUENCES.damaged(every_object_in_one_bucket, "SDJ-024", "SDJ-048")
def hash_chain_through_a_lost_payload(log: SystemdLog) -> None:
    """A DATA in a hash chain has a wrong hash. The chain continues through this DATA to the objects
    after it."""
    log.expect("damaged", "hash-mismatch", survivors=_flip_alpha(log))


@CONSEQUENCES.damaged(every_object_in_one_bucket, "SDJ-024", "SDJ-048")
def hash_chain_wrong_after_a_lost_payload(log: SystemdLog) -> None:
    """A DATA in a hash chain has a wrong hash. The chain continues through this DATA, so a later
    link to an ENTRY is a fault."""
    left = _flip_alpha(log)
    log.set(f"{log.of('MESSAGE=charlie')}.body.ofs_next_hash", log.start(log.entry(3)))
    log.expect("damaged", "hash-mismatch", survivors=left)


@CONSEQUENCES.damaged(every_object_in_one_bucket, "SDJ-048")
def hash_chain_ends_early_and_a_payload_flipped(log: SystemdLog) -> None:
    """A hash chain ends early, and a DATA is lost. A reader reports the second offset of the
    bucket, but not the missing objects."""
    left = _flip_alpha(log)
    log.zero(f"{log.of('MESSAGE=charlie')}.body.ofs_next_hash")
    log.expect("damaged", "hash-mismatch", survivors=left)


@CONSEQUENCES.damaged(five_entries, "SDJ-025", "SDJ-048")
def field_list_cut_and_a_payload_flipped(log: SystemdLog) -> None:
    """The list of a FIELD is empty, and a DATA of another field is lost. After a loss, a reader
    does not report missing DATA."""
    left = _flip_alpha(log)
    log.zero(f"{log.of('PRIORITY')}.body.ofs_head_data")
    log.expect("damaged", "hash-mismatch", survivors=left)


@CONSEQUENCES.damaged(five_entries, "SDJ-025")
def field_list_wrong_and_another_emptied(log: SystemdLog) -> None:
    """One field list points to an ENTRY, and another is empty. Because of the first fault, a reader
    does not report the DATA that are missing from the empty list."""
    log.set(f"{log.of('MESSAGE')}.body.ofs_head_data", log.start(log.entry(0)))
    log.zero(f"{log.of('PRIORITY')}.body.ofs_head_data")
    log.expect("damaged", "bad-index", survivors=ALL)


@CONSEQUENCES.damaged(five_entries, "SDJ-036", "SDJ-048")
def list_of_a_data_short_and_a_payload_flipped(log: SystemdLog) -> None:
    """A DATA counts too few entries, and another DATA is lost. A reader reports the slot after the
    last counted entry, but not the list."""
    left = _flip_alpha(log)
    log.set(f"{log.of('PRIORITY=6')}.body.num_entries", 2)
    log.expect("damaged", "hash-mismatch", survivors=left)


@CONSEQUENCES.damaged(five_entries, "SDJ-036", "SDJ-048")
def list_of_a_data_wrong_and_a_payload_flipped(log: SystemdLog) -> None:
    """`entry_array_offset` of a DATA points to an ENTRY, and another DATA is lost. The link is a
    fault even after a loss."""
    left = _flip_alpha(log)
    log.set(f"{log.of('PRIORITY=6')}.body.ofs_entry_array", log.start(log.entry(3)))
    log.expect("damaged", "hash-mismatch", survivors=left)


@CONSEQUENCES.damaged(five_entries, "SDJ-033", "SDJ-049")
def chain_broken_and_counts_wrong(log: SystemdLog) -> None:
    """The main chain is broken. A reader does not compare `n_entries` and
    `tail_entry_array_n_entries`, but compares the other header fields."""
    log.zero("header.entry_array_offset")
    log.set("header.n_entries", 9)
    log.set("header.tail_entry_array_n_entries", 5)
    log.set("header.n_fields", 9)
    log.set("header.tail_entry_seqnum", 9)
    log.expect("damaged", "bad-chain", survivors=ALL)


@CONSEQUENCES.damaged(five_entries, "SDJ-043", "SDJ-048")
def item_of_zero_and_a_payload_flipped(log: SystemdLog) -> None:
    """One item of an entry points to a lost DATA, and another item is 0. Only the item of 0 is a
    fault."""
    left = _flip_alpha(log)
    items = list(log.view.items(log.all_of(layout.ENTRY)[0]))
    number = items.index(log.offset_of("PRIORITY=6"))
    log.zero(f"{log.entry(0)}.body.items[{number}].ofs_data")
    left[0] = log.without(0, "MESSAGE", "PRIORITY")
    log.expect("damaged", "hash-mismatch", survivors=left)


@CONSEQUENCES.damaged(five_entries, "SDJ-056")
def strict_with_a_lower_fault_met_later(log: SystemdLog) -> None:
    """A wrong header field has a lower offset than a lost DATA, but is checked later. A strict
    reader reports the code of the DATA."""
    left = _flip_alpha(log)
    log.zero("header.entry_array_offset")
    log.expect("damaged", "hash-mismatch", survivors=left)


@CONSEQUENCES.damaged(five_entries, "SDJ-041", "SDJ-044")
def hash_wrong_and_nothing_after_it(log: SystemdLog) -> None:
    """A DATA has a wrong hash, and no valid object follows it. The DATA and the rest of the file
    are two lost ranges."""
    log.flip(f"{log.of('PRIORITY=4')}.body.payload", 70)
    for at in (log.start(log.entry(4)), log.header.tail_object_offset):
        log.zero(f"{log.path(at)}.type")
    log.expect("damaged", "hash-mismatch", survivors=range(4))


@CONSEQUENCES.damaged(five_entries, "SDJ-016", "SDJ-041")
def second_table_of_a_wrong_size(log: SystemdLog) -> None:
    """The FIELD table becomes a second DATA table of a smaller size, so no object begins at its
    end. The walk continues at a known object."""
    path = log.path(log.all_of(layout.FIELD_HASH_TABLE)[0])
    log.set(f"{path}.type", layout.DATA_HASH_TABLE)
    log.set(f"{path}.len_object", 64)
    log.expect("damaged", "bad-object", survivors=ALL)


@CONSEQUENCES.damaged(five_entries, "SDJ-041", "SDJ-045")
def no_field_and_no_object_after_it(log: SystemdLog) -> None:
    """The size of a DATA is too small, so its payload has no `=` and no object begins at its end.
    The walk continues at a known object."""
    path = log.of("MESSAGE=bravo")
    log.set(f"{path}.len_object", 64 + 7)
    log.rehash("MESSAGE=bravo")
    log.expect("damaged", "bad-field", survivors=[0, log.without(1, "MESSAGE"), 2, 3, 4])


@CONSEQUENCES.damaged(five_entries, "SDJ-033", "SDJ-049")
def chain_and_tail_behind_the_file(log: SystemdLog) -> None:
    """The main chain links past the end of the file, and `tail_object_offset` is wrong. The file is
    not cut, so both are faults."""
    log.set("header.tail_object_offset", len(log.control) - 16)
    second = log.path(log.view.number(log.header.entry_array_offset + 16))
    log.set(f"{second}.body.ofs_next_entry_array", len(log.control) + 64)
    log.expect("damaged", "bad-chain", survivors=ALL)


@CONSEQUENCES.damaged(thirty_entries_compact, "SDJ-036")
def tail_of_a_compact_data_of_zero(log: SystemdLog) -> None:
    """Both tail fields of a compact DATA are set to 0, which is valid."""
    path = log.of("PRIORITY=0")
    log.zero(f"{path}.body.ofs_tail_entry_array")
    log.zero(f"{path}.body.num_tail_entries")
    log.expect("intact", survivors=range(30))


@CONSEQUENCES.damaged(thirty_entries_compact, "SDJ-036")
def tail_of_a_compact_data_and_a_link_after_it(log: SystemdLog) -> None:
    """The last array of a compact DATA has a next link, and a tail field of the DATA is wrong. Only
    the link is a fault."""
    path = log.of("PRIORITY=0")
    array = log.view.number(log.offset_of("PRIORITY=0") + 64) & 0xFFFFFFFF
    log.set(f"{log.path(array)}.body.ofs_next_entry_array", log.start(log.entry(0)))
    log.set(f"{path}.body.num_tail_entries", 2)
    log.expect("damaged", "bad-index", survivors=range(30))


@CONSEQUENCES.damaged(thirty_entries_compact, "SDJ-036", "SDJ-048")
def tail_of_a_list_that_is_short_where_something_was_lost(log: SystemdLog) -> None:
    """A DATA counts one entry more than its list has. After a loss, a reader reports neither this
    count nor the wrong tail fields."""
    path = log.of("PRIORITY=0")
    log.set(f"{path}.body.num_entries", log.view.number(log.offset_of("PRIORITY=0") + 56) + 1)
    log.set(f"{path}.body.num_tail_entries", 1)
    log.flip(f"{log.of('PRIORITY=1')}.body.payload", 70)
    lossy = [log.without(n, "PRIORITY") if n % 3 == 1 else log.payloads[n] for n in range(30)]
    log.expect("damaged", "hash-mismatch", survivors=lossy)


@CONSEQUENCES.damaged(five_entries, "SDJ-036")
def link_after_the_only_entry_of_a_data(log: SystemdLog) -> None:
    """A DATA has only one entry, but its `entry_array_offset` is not 0."""
    log.set(f"{log.of('MESSAGE=bravo')}.body.ofs_entry_array", log.start(log.entry(0)))
    log.expect("damaged", "bad-index", survivors=ALL)


@CONSEQUENCES.damaged(five_entries, "SDJ-036")
def slot_after_the_last_entry_of_a_data(log: SystemdLog) -> None:
    """A slot after the last entry that a DATA counts is not 0."""
    array = log.view.number(log.offset_of("PRIORITY=6") + 48)
    log.set(f"{log.path(array)}.body.slots[2]", 12345)
    log.expect("damaged", "bad-index", survivors=ALL)


@CONSEQUENCES.damaged(five_entries, "SDJ-036")
def link_back_after_the_last_entry_of_a_data(log: SystemdLog) -> None:
    """After the last entry that a DATA counts, the array of the DATA links to itself."""
    array = log.view.number(log.offset_of("PRIORITY=6") + 48)
    log.set(f"{log.path(array)}.body.ofs_next_entry_array", array)
    log.expect("damaged", "bad-index", survivors=ALL)


@CONSEQUENCES.damaged(five_entries, "SDJ-036")
def counted_entry_that_is_not_named(log: SystemdLog) -> None:
    """A DATA counts entries, but its `entry_offset` is 0. A reader reports the count and does not
    check the arrays."""
    log.zero(f"{log.of('PRIORITY=6')}.body.ofs_entry")
    array = log.view.number(log.offset_of("PRIORITY=6") + 48)
    log.set(f"{log.path(array)}.body.slots[0]", 12345)
    log.expect("damaged", "bad-index", survivors=ALL)


@CONSEQUENCES.damaged(five_entries, "SDJ-036")
def empty_slot_in_the_list_of_a_data(log: SystemdLog) -> None:
    """An array of a DATA has an empty slot before a used slot. The used slot is a fault and ends
    the list."""
    array = log.view.number(log.offset_of("_HOSTNAME=host") + 48)
    log.zero(f"{log.path(array)}.body.slots[1]")
    log.expect("damaged", "bad-index", survivors=ALL)


@CONSEQUENCES.damaged(thirty_entries, "SDJ-033", "SDJ-048")
def link_of_an_array_back_to_a_lost_payload(log: SystemdLog) -> None:
    """An array of the main chain links back to a lost DATA. The link is a fault because it points
    backwards."""
    log.flip(f"{log.of('MESSAGE=hello 0')}.body.payload", 70)
    log.set(f"{log.array(0)}.body.ofs_next_entry_array", log.offset_of("MESSAGE=hello 0"))
    left = [log.without(0, "MESSAGE"), *log.payloads[1:]]
    log.expect("damaged", "hash-mismatch", survivors=left)


@CONSEQUENCES.damaged(five_entries, "SDJ-019", "SDJ-036")
def item_of_another_field_of_the_entry(log: SystemdLog) -> None:
    """An item is replaced by a copy of another item of its entry. A reader reports a fault only in
    the DATA to which the item originally pointed."""
    width = log.header.item_size
    at = log.all_of(layout.ENTRY)[0] + 64
    log.set(f"{log.entry(0)}.body.items[1]", log.control[at : at + width])
    log.expect("damaged", "bad-index", survivors=[log.without(0, "MESSAGE"), *log.payloads[1:]])


@CONSEQUENCES.damaged(thirty_entries_compact, "SDJ-036", "SDJ-048")
def tail_of_a_compact_data_and_a_payload_flipped(log: SystemdLog) -> None:
    """A tail field of a compact DATA is wrong, and another DATA is lost. The list of the first DATA
    is right, so a reader still checks its tail fields."""
    log.flip(f"{log.of('MESSAGE=hello 0')}.body.payload", 70)
    log.set(f"{log.of('PRIORITY=1')}.body.num_tail_entries", 1)
    left = [log.without(0, "MESSAGE"), *log.payloads[1:]]
    log.expect("damaged", "hash-mismatch", survivors=left)


@CONSEQUENCES.damaged(five_entries, "SDJ-016", "SDJ-094")
def table_becomes_an_array(log: SystemdLog) -> None:
    """The type of the FIELD table is changed to ENTRY_ARRAY. Only header fields are faults, and no
    object is lost."""
    log.set(f"{log.path(log.header.header_size)}.type", layout.ENTRY_ARRAY)
    log.expect("damaged", "bad-header", survivors=ALL)


CONSEQUENCES.table("""
field_list_to_a_later_field: five_entries SDJ-025
    A field list links forward to a DATA of another field. Only this link is a fault, because the
    DATA is also in its own list.
    damage: set path(488).body.ofs_next_field to offset_of(MESSAGE=alpha)
    expect: damaged bad-index, survivors 0-4
bucket_emptied: five_entries SDJ-024 SDJ-094
    The first offset of a used bucket is 0, but its second offset is not.
    damage: zero bucket(MESSAGE=alpha).ofs_head
    expect: damaged bad-index, survivors 0-4
bucket_zeroed: five_entries SDJ-024 SDJ-095
    A used bucket is filled with zeros. A reader reports each of its objects as missing from the
    table.
    damage: zero bucket(MESSAGE=alpha)
    expect: damaged bad-index, survivors 0-4
slot_of_zero_and_an_entry_left_out: five_entries SDJ-034 SDJ-046
    The first slot of the main chain is 0, so the next slot breaks the chain. The entry that the
    chain leaves out is not another fault.
    damage: zero array(0).body.slots[0]
    expect: damaged bad-chain, survivors 0-4
slot_to_a_lost_entry_after_an_empty_one: thirty_entries SDJ-034 SDJ-048
    The slot after an empty slot points to a lost entry. The slot with the lost entry counts as
    used, so neither it nor the next slot is a fault.
    damage: zero entry(1).type
    damage: zero array(0).body.slots[0]
    expect: damaged bad-object, survivors 0 2-29
known_by_the_first_entry_of_a_data_only: five_entries SDJ-041 SDJ-048
    The header names no main chain, and a DATA is lost. Only `entry_offset` of another DATA gives
    the offset of the object after the lost DATA.
    damage: zero header.entry_array_offset
    damage: zero of(PRIORITY=3).type
    expect: damaged bad-object, survivors 0 without(1, PRIORITY) 2-4
arena_of_zero: five_entries SDJ-009 SDJ-049
    The arena size is 0. A reader still reads all objects.
    damage: zero header.arena_size
    expect: intact, survivors 0-4
    note: systemd 257 and 262 refuse a file whose tail object is outside the arena.
place_of_a_table_in_a_lost_one: data_that_no_entry_has SDJ-016 SDJ-048
    A copy of the FIELD table is inserted where the header places the DATA table. The copy is lost,
    so `data_hash_table_offset` is not a fault.
    damage: duplicate objects[0]
    expect: damaged bad-object, survivors ""
""")
