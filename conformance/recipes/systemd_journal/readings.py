"""Rules of the chapter that a clean-room implementer could read in two ways (docs/clean-room.md).

Each vector distinguishes the right reading from a wrong one. The wrong readings are rows of
``tests/wrong/near_right_systemd_journal.toml``.
"""

from conformance.recipes.systemd_journal.combinations import header_of_224_bytes, online_regular
from conformance.recipes.systemd_journal.layouts import (
    every_object_in_one_bucket,
    five_entries,
    thirty_entries,
)
from conformance.recipes.systemd_journal.log import (
    CONSEQUENCES,
    FIVE,
    HEADER,
    INDEX,
    LAYOUT,
    SEALS,
    START,
    TORN_TAIL,
    SystemdLog,
)
from conformance.recipes.systemd_journal.seals import sealed_file, sealed_file_without_the_key
from conformance.recipes.systemd_journal.tails import compact_file_that_ends_in_padding
from reference_impl.systemd_journal import layout

ALL = range(5)
FOUR = range(4)


def _flip(log: SystemdLog, field: str) -> None:
    log.flip(f"{log.of(field)}.body.payload", 70)


# The walk and its end.


@CONSEQUENCES.damaged(five_entries, "SDJ-041", "SDJ-098")
def wrong_size_and_an_entry_after_the_tail(log: SystemdLog) -> None:
    """A DATA with a wrong size and payload ends where no object begins. The DATA counts as found,
    so the walk ignores an entry after the tail object."""
    last = log.start(log.entry(4))
    log.set(f"{log.of('MESSAGE=bravo')}.len_object", 69)
    log.flip(f"{log.of('MESSAGE=bravo')}.body.payload", 20)
    log.extend(log.control[last : last + 128])
    log.expect("damaged", "hash-mismatch", survivors=[0, log.without(1, "MESSAGE"), 2, 3, 4])


@TORN_TAIL.damaged(compact_file_that_ends_in_padding, "SDJ-041", "SDJ-049", "SDJ-055")
def tail_object_past_missing_padding(log: SystemdLog) -> None:
    """The last padding is missing, and `tail_object_offset` is 8 bytes too high. The walk ends at
    the end of the file and loses nothing."""
    log.set("header.tail_object_offset", log.header.tail_object_offset + 8)
    log.set("header.arena_size", log.header.arena_size - 3)
    log.truncate(len(log.control) - 3)
    log.expect("damaged", "bad-header", survivors=range(3))


# Chains of a hash table.


@CONSEQUENCES.damaged(every_object_in_one_bucket, "SDJ-024")
def bucket_names_the_object_before_a_lost_one(log: SystemdLog) -> None:
    """The last object of a hash chain has a wrong hash, and the second offset of its bucket points
    to the object before it. This offset is a fault."""
    table = log.path(log.all_of(layout.DATA_HASH_TABLE)[0])
    _flip(log, "PRIORITY=4")
    log.set(f"{table}.body.buckets[0].ofs_tail", log.offset_of("MESSAGE=echo"))
    log.expect("damaged", "hash-mismatch", survivors=[*FOUR, log.without(4, "PRIORITY")])


@CONSEQUENCES.damaged(every_object_in_one_bucket, "SDJ-024")
def hash_chain_ends_at_a_zeroed_field(log: SystemdLog) -> None:
    """A hash chain ends at a FIELD whose body is filled with zeros. The second offset of its bucket
    is a fault, because it points to another object."""
    log.zero(f"{log.of('_BOOT_ID')}.body")
    log.expect("damaged", "hash-mismatch", survivors=ALL)


@CONSEQUENCES.damaged(every_object_in_one_bucket, "SDJ-024")
def hash_chain_back_to_a_lost_payload(log: SystemdLog) -> None:
    """A hash chain links back to a DATA with a wrong hash. The chain ends there, but the link is
    not a fault."""
    _flip(log, "MESSAGE=alpha")
    log.set(f"{log.of('MESSAGE=charlie')}.body.ofs_next_hash", log.offset_of("MESSAGE=alpha"))
    log.expect("damaged", "hash-mismatch", survivors=[log.without(0, "MESSAGE"), 1, 2, 3, 4])


@CONSEQUENCES.damaged(five_entries, "SDJ-024")
def two_hash_chains_to_a_lost_payload(log: SystemdLog) -> None:
    """Two hash chains link to the same DATA with a wrong hash. The second chain ends there, but its
    link is not a fault."""
    _flip(log, "MESSAGE=alpha")
    log.set(f"{log.path(488)}.body.ofs_next_hash", log.offset_of("MESSAGE=alpha"))
    log.expect("damaged", "hash-mismatch", survivors=[log.without(0, "MESSAGE"), 1, 2, 3, 4])


@LAYOUT.valid("SDJ-016", "SDJ-024")
def data_table_after_all_other_objects(log: SystemdLog) -> None:
    """The DATA table follows all other objects. The first offset of a bucket may point to a lower
    offset; only `next_hash_offset` must rise."""
    log.begin()
    for number, fields in enumerate(FIVE):
        log.entry_at(START + number, fields)
    header = log.made.header
    before = header.data_hash_table_offset
    buckets = bytes(log.made.out[before : before + header.data_hash_table_size])
    log.made.out[before - 16] = layout.ENTRY_ARRAY
    header.n_entry_arrays += 1
    header.data_hash_table_offset = log.made._object(layout.DATA_HASH_TABLE, buckets) + 16
    log.close()
    log.expect("intact", survivors=ALL)


@TORN_TAIL.damaged(five_entries, "SDJ-016", "SDJ-048", "SDJ-051")
def place_of_a_table_below_16_in_a_cut_file(log: SystemdLog) -> None:
    """In a cut file, `data_hash_table_offset` is 8. The table would begin before the start of the
    file, not past the cut, so the file is damaged."""
    log.set("header.data_hash_table_offset", 8)
    log.truncate_in(f"{log.entry(4)}.body", 30)
    log.expect("damaged", "bad-header", survivors=FOUR)


# The list of entries of a DATA.


def _array_of(log: SystemdLog, field: str) -> str:
    """Return the first array in the list of entries of a DATA."""
    return log.path(log.view.number(log.offset_of(field) + 48))


@INDEX.damaged(thirty_entries, "SDJ-036")
def empty_slot_at_the_end_of_an_array_of_a_data(log: SystemdLog) -> None:
    """In the list of entries of a DATA, the last slot of an array is empty. The used first slot of
    the next array is a fault."""
    log.zero(f"{_array_of(log, 'PRIORITY=0')}.body.slots[3]")
    log.expect("damaged", "bad-index", survivors=range(30))


def _lose_the_fourth_entry(log: SystemdLog) -> None:
    log.zero(f"{log.entry(3)}.type")
    log.expect("damaged", "bad-object", survivors=[0, 1, 2, 4])


@CONSEQUENCES.damaged(five_entries, "SDJ-036", "SDJ-048")
def slot_of_a_data_to_a_lost_entry_after_an_empty_one(log: SystemdLog) -> None:
    """In the list of entries of a DATA, a slot after an empty slot points to a lost entry. The list
    ends there without a fault."""
    log.zero(f"{_array_of(log, '_HOSTNAME=host')}.body.slots[1]")
    _lose_the_fourth_entry(log)


@CONSEQUENCES.damaged(five_entries, "SDJ-036", "SDJ-048")
def slot_to_a_lost_entry_after_the_last_of_a_data(log: SystemdLog) -> None:
    """In the list of entries of a DATA, a slot after `n_entries` entries points to a lost entry.
    The list ends there without a fault."""
    log.set(f"{log.of('_HOSTNAME=host')}.body.num_entries", 3)
    _lose_the_fourth_entry(log)


@CONSEQUENCES.damaged(five_entries, "SDJ-036", "SDJ-048")
def link_to_a_lost_entry_after_the_only_one_of_a_data(log: SystemdLog) -> None:
    """A DATA lists its only entry, but its `entry_array_offset` points to a lost entry. The list
    ends there without a fault."""
    log.set(f"{log.of('MESSAGE=bravo')}.body.ofs_entry_array", log.start(log.entry(3)))
    _lose_the_fourth_entry(log)


# The tear.


def _tail_at_the_first_entry(log: SystemdLog) -> None:
    """Let `tail_object_offset` point to the first entry. After this entry, only `bad-index` and
    `bad-chain` are then torn."""
    log.set("header.tail_object_offset", log.start(log.entry(0)))


@TORN_TAIL.damaged(online_regular, "SDJ-094", "SDJ-095", "SDJ-100")
def next_hash_of_an_unreached_data_online(log: SystemdLog) -> None:
    """In an online file, no hash chain reaches a DATA whose `next_hash_offset` points to the last
    entry. A reader ignores this link, so the file is damaged, not torn."""
    log.zero(log.bucket("MESSAGE=alpha"))
    log.set(f"{log.of('MESSAGE=alpha')}.body.ofs_next_hash", log.start(log.entry(3)))
    log.expect("damaged", "bad-index", survivors=FOUR)


@TORN_TAIL.damaged(online_regular, "SDJ-025", "SDJ-094", "SDJ-100")
def next_field_of_an_unreached_data_online(log: SystemdLog) -> None:
    """In an online file, no field list reaches a DATA whose `next_field_offset` points to the last
    entry. A reader ignores this link, so the file is damaged, not torn."""
    log.zero(f"{log.of('MESSAGE')}.body.ofs_head_data")
    log.set(f"{log.of('MESSAGE=alpha')}.body.ofs_next_field", log.start(log.entry(3)))
    log.expect("damaged", "bad-index", survivors=FOUR)


TORN_TAIL.table("""
item_of_zero_after_an_early_tail_online: online_regular SDJ-043 SDJ-052 SDJ-099
    In an online file, an item between `tail_object_offset` and the last entry is 0. Only chains and
    indexes can be torn there, so the file is damaged.
    tail_at_the_first_entry:
    damage: zero entry(1).body.items[3].ofs_data
    expect: damaged bad-item, survivors 0 without(1, PRIORITY) 2 3
sequence_number_after_an_early_tail_online: online_regular SDJ-047 SDJ-052 SDJ-099
    In an online file, a sequence number between `tail_object_offset` and the last entry does not
    rise. Only chains and indexes can be torn there, so the file is damaged.
    tail_at_the_first_entry:
    damage: set entry(1).body.seqnum to 1
    expect: damaged bad-order, survivors 0-3
entry_becomes_an_array_after_an_early_tail_online: online_regular SDJ-096 SDJ-099 SDJ-100
    In an online file, the type of an entry is changed to ENTRY_ARRAY. The links to this object are
    torn, but the object itself is damaged.
    tail_at_the_first_entry:
    damage: set entry(1).type to 6
    expect: damaged bad-object, survivors 0 2 3
counted_entry_that_is_not_named_online: one_entry_online SDJ-036 SDJ-100
    In an online file, a DATA counts an entry, but its `entry_offset` is 0. No offset of this fault
    is at the tear, so the file is damaged.
    damage: zero of(MESSAGE=alpha).body.ofs_entry
    expect: damaged bad-index, survivors 0
chain_of_all_ones_online: one_entry_online SDJ-033 SDJ-048 SDJ-100
    In an online file, `entry_array_offset` is 2^64 - 1. This offset is past the tear, so the file
    is torn.
    damage: fill header.entry_array_offset with ff
    expect: torn torn-append, survivors 0
""")


# Arrays to which wrong links point.


@CONSEQUENCES.valid("SDJ-096")
def array_that_no_link_leads_to(log: SystemdLog) -> None:
    """An array to which no link points is not a fault."""
    log.begin()
    log.made._object(layout.ENTRY_ARRAY, bytes(8 + 4 * 8))
    for number, fields in enumerate(FIVE):
        log.entry_at(START + number, fields)
    log.close()
    log.expect("intact", survivors=ALL)


@CONSEQUENCES.damaged(array_that_no_link_leads_to, "SDJ-094", "SDJ-095", "SDJ-096")
def next_hash_of_an_unreached_data_to_an_array(log: SystemdLog) -> None:
    """No hash chain reaches a DATA whose `next_hash_offset` points to an unused array. The array is
    not lost."""
    log.zero(log.bucket("MESSAGE=alpha"))
    log.set(f"{log.of('MESSAGE=alpha')}.body.ofs_next_hash", log.all_of(layout.ENTRY_ARRAY)[0])
    log.expect("damaged", "bad-index", survivors=ALL)


@CONSEQUENCES.damaged(array_that_no_link_leads_to, "SDJ-025", "SDJ-094", "SDJ-096")
def next_field_of_an_unreached_data_to_an_array(log: SystemdLog) -> None:
    """No field list reaches a DATA whose `next_field_offset` points to an unused array. The array
    is not lost."""
    log.zero(f"{log.of('MESSAGE')}.body.ofs_head_data")
    log.set(f"{log.of('MESSAGE=alpha')}.body.ofs_next_field", log.all_of(layout.ENTRY_ARRAY)[0])
    log.expect("damaged", "bad-index", survivors=ALL)


# Seals.


@SEALS.damaged(sealed_file_without_the_key, "SDJ-074", "SDJ-075")
def tag_epoch_of_all_ones_and_no_key(log: SystemdLog) -> None:
    """The epoch of the last tag is 2^64 - 1. Without the key, a reader accepts this epoch, because
    it does not decrease."""
    log.fill(f"{log.tag(2)}.body.epoch", 0xFF)
    log.expect("intact", survivors=ALL)


@SEALS.damaged(sealed_file, "SDJ-074", "SDJ-075")
def tag_epoch_of_a_time_that_does_not_exist(log: SystemdLog) -> None:
    """The epoch of the last tag is 2^55 - 1, whose times are out of range. A reader still verifies
    the seal, which fails."""
    log.set(f"{log.tag(2)}.body.epoch", (1 << 55) - 1)
    log.expect("damaged", "bad-seal", survivors=ALL)


@HEADER.damaged(header_of_224_bytes, "SDJ-004", "SDJ-006", "SDJ-073", kind="valid")
def seals_without_gaps_in_a_file_without_seals(log: SystemdLog) -> None:
    """Compatible flag 4 is set without flag 1. The file is not sealed, so its header of 224 bytes
    is large enough."""
    log.set("header.compatible_flags", layout.SEALED_CONTINUOUS)
    log.expect("intact", survivors=FOUR)
