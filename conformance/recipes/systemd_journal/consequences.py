"""Two faults in one file: what is still checked after the first, and whose bytes count."""

from conformance.recipes.systemd_journal.layouts import (
    data_that_no_entry_has,
    every_object_in_one_bucket,
    five_entries,
    thirty_entries,
    thirty_entries_compact,
)
from conformance.recipes.systemd_journal.log import BOOK, SystemdLog
from reference_impl.systemd_journal import layout

ALL = range(5)


def _flip_alpha(log: SystemdLog) -> list[bytes]:
    """The payload of the first message is damaged; what survives of the file."""
    log.flip(f"{log.of('MESSAGE=alpha')}.body.payload", 70)
    return [log.without(0, "MESSAGE"), *log.payloads[1:]]


@BOOK.damaged(five_entries, "consequences", "SDJ-048", "SDJ-049")
def counts_wrong_and_a_payload_flipped(log: SystemdLog) -> None:
    """Something was lost, so nobody can say that a count is wrong."""
    left = _flip_alpha(log)
    log.set("header.n_data", 3)
    log.set("header.n_entries", 6)
    log.set("header.tail_entry_seqnum", 9)
    log.expect("damaged", "hash-mismatch", survivors=left)


@BOOK.damaged(five_entries, "consequences", "SDJ-097")
def tail_object_unaligned_and_a_payload_flipped(log: SystemdLog) -> None:
    """That the tail pointer is no offset of an object shows before anything is read."""
    left = _flip_alpha(log)
    log.set("header.tail_object_offset", log.header.tail_object_offset + 4)
    log.expect("damaged", "bad-header", survivors=left)


@BOOK.damaged(every_object_in_one_bucket, "consequences", "SDJ-024", "SDJ-048")
def hash_chain_through_a_lost_payload(log: SystemdLog) -> None:
    """A chain goes on through a DATA with a wrong hash: the objects after it are in the table."""
    log.expect("damaged", "hash-mismatch", survivors=_flip_alpha(log))


@BOOK.damaged(every_object_in_one_bucket, "consequences", "SDJ-024", "SDJ-048")
def hash_chain_wrong_after_a_lost_payload(log: SystemdLog) -> None:
    """A chain goes on through a DATA with a wrong hash, and leads to an entry later on."""
    left = _flip_alpha(log)
    log.set(f"{log.of('MESSAGE=charlie')}.body.ofs_next_hash", log.start(log.entry(3)))
    log.expect("damaged", "hash-mismatch", survivors=left)


@BOOK.damaged(every_object_in_one_bucket, "consequences", "SDJ-048")
def hash_chain_ends_early_and_a_payload_flipped(log: SystemdLog) -> None:
    """Only the last object of the bucket shows it: something was lost, so nobody is missed."""
    left = _flip_alpha(log)
    log.zero(f"{log.of('MESSAGE=charlie')}.body.ofs_next_hash")
    log.expect("damaged", "hash-mismatch", survivors=left)


@BOOK.damaged(five_entries, "consequences", "SDJ-024", "SDJ-094")
def bucket_emptied(log: SystemdLog) -> None:
    """A bucket without a first object that still names a last one."""
    log.zero(f"{log.bucket('MESSAGE=alpha')}.ofs_head")
    log.expect("damaged", "bad-index", survivors=ALL)


@BOOK.damaged(five_entries, "consequences", "SDJ-024", "SDJ-095")
def bucket_zeroed(log: SystemdLog) -> None:
    """A bucket reads as empty: its objects are missed, each at its own link."""
    log.zero(log.bucket("MESSAGE=alpha"))
    log.expect("damaged", "bad-index", survivors=ALL)


@BOOK.damaged(five_entries, "consequences", "SDJ-025", "SDJ-048")
def field_list_cut_and_a_payload_flipped(log: SystemdLog) -> None:
    """A list of a field ends early, but something was lost: nobody is missed."""
    left = _flip_alpha(log)
    log.zero(f"{log.of('PRIORITY')}.body.ofs_head_data")
    log.expect("damaged", "hash-mismatch", survivors=left)


@BOOK.damaged(five_entries, "consequences", "SDJ-025")
def field_list_wrong_and_another_emptied(log: SystemdLog) -> None:
    """One list leads to an entry; so nobody is missed in the other, which is empty."""
    log.set(f"{log.of('MESSAGE')}.body.ofs_head_data", log.start(log.entry(0)))
    log.zero(f"{log.of('PRIORITY')}.body.ofs_head_data")
    log.expect("damaged", "bad-index", survivors=ALL)


@BOOK.damaged(five_entries, "consequences", "SDJ-036", "SDJ-048")
def list_of_a_data_short_and_a_payload_flipped(log: SystemdLog) -> None:
    """A DATA counts too few entries, but something was lost: its list is not compared."""
    left = _flip_alpha(log)
    log.set(f"{log.of('PRIORITY=6')}.body.num_entries", 2)
    log.expect("damaged", "hash-mismatch", survivors=left)


@BOOK.damaged(five_entries, "consequences", "SDJ-036", "SDJ-048")
def list_of_a_data_wrong_and_a_payload_flipped(log: SystemdLog) -> None:
    """A link that leads to the wrong type is wrong, whatever else was lost."""
    left = _flip_alpha(log)
    log.set(f"{log.of('PRIORITY=6')}.body.ofs_entry_array", log.start(log.entry(3)))
    log.expect("damaged", "hash-mismatch", survivors=left)


@BOOK.damaged(five_entries, "consequences", "SDJ-033", "SDJ-049")
def chain_broken_and_counts_wrong(log: SystemdLog) -> None:
    """Without its chain nobody counts the entries; all other counts are compared."""
    log.zero("header.entry_array_offset")
    log.set("header.n_entries", 9)
    log.set("header.tail_entry_array_n_entries", 5)
    log.set("header.n_fields", 9)
    log.set("header.tail_entry_seqnum", 9)
    log.expect("damaged", "bad-chain", survivors=ALL)


@BOOK.damaged(five_entries, "consequences", "SDJ-034", "SDJ-046")
def slot_of_zero_and_an_entry_left_out(log: SystemdLog) -> None:
    """The chain is broken: that it leaves an entry out is no fault of its own."""
    log.zero(f"{log.array(0)}.body.slots[0]")
    log.expect("damaged", "bad-chain", survivors=ALL)


@BOOK.damaged(thirty_entries, "consequences", "SDJ-034", "SDJ-048")
def slot_to_a_lost_entry_after_an_empty_one(log: SystemdLog) -> None:
    """A slot that leads to a lost entry is passed over; the next one follows no empty slot."""
    log.zero(f"{log.entry(1)}.type")
    log.zero(f"{log.array(0)}.body.slots[0]")
    log.expect("damaged", "bad-object", survivors=[0, *range(2, 30)])


@BOOK.damaged(five_entries, "consequences", "SDJ-043", "SDJ-048")
def item_of_zero_and_a_payload_flipped(log: SystemdLog) -> None:
    """One item leads to a lost field, another to nothing: only the second is reported."""
    left = _flip_alpha(log)
    items = list(log.view.items(log.all_of(layout.ENTRY)[0]))
    number = items.index(log.offset_of("PRIORITY=6"))
    log.zero(f"{log.entry(0)}.body.items[{number}].ofs_data")
    left[0] = log.without(0, "MESSAGE", "PRIORITY")
    log.expect("damaged", "hash-mismatch", survivors=left)


@BOOK.damaged(five_entries, "consequences", "SDJ-056")
def strict_with_a_lower_fault_met_later(log: SystemdLog) -> None:
    """The header lies at a lower offset than the payload, but is met later."""
    left = _flip_alpha(log)
    log.zero("header.entry_array_offset")
    log.expect("damaged", "hash-mismatch", survivors=left)


@BOOK.damaged(five_entries, "consequences", "SDJ-041", "SDJ-048")
def known_by_the_first_entry_of_a_data_only(log: SystemdLog) -> None:
    """No main chain and a lost DATA: only the entry list of another DATA knows what follows it."""
    log.zero("header.entry_array_offset")
    log.zero(f"{log.of('PRIORITY=3')}.type")
    log.expect("damaged", "bad-object", survivors=[0, log.without(1, "PRIORITY"), 2, 3, 4])


@BOOK.damaged(five_entries, "consequences", "SDJ-041", "SDJ-044")
def hash_wrong_and_nothing_after_it(log: SystemdLog) -> None:
    """A DATA with a wrong hash, no object after it, and no known one: two ranges."""
    log.flip(f"{log.of('PRIORITY=4')}.body.payload", 70)
    for at in (log.start(log.entry(4)), log.header.tail_object_offset):
        log.zero(f"{log.path(at)}.type")
    log.expect("damaged", "hash-mismatch", survivors=range(4))


@BOOK.damaged(five_entries, "consequences", "SDJ-016", "SDJ-041")
def second_table_of_a_wrong_size(log: SystemdLog) -> None:
    """A second table ends where no object is: the walk goes on at a known one."""
    path = log.path(log.all_of(layout.FIELD_HASH_TABLE)[0])
    log.set(f"{path}.type", layout.DATA_HASH_TABLE)
    log.set(f"{path}.len_object", 64)
    log.expect("damaged", "bad-object", survivors=ALL)


@BOOK.damaged(five_entries, "consequences", "SDJ-041", "SDJ-045")
def no_field_and_no_object_after_it(log: SystemdLog) -> None:
    """A payload without `=`, and no object after it: the walk goes on at a known one."""
    path = log.of("MESSAGE=bravo")
    log.set(f"{path}.len_object", 64 + 7)
    log.rehash("MESSAGE=bravo")
    log.expect("damaged", "bad-field", survivors=[0, log.without(1, "MESSAGE"), 2, 3, 4])


@BOOK.damaged(five_entries, "consequences", "SDJ-009", "SDJ-049")
def arena_of_zero(log: SystemdLog) -> None:
    """An arena of no bytes: the file goes on all the same."""
    log.zero("header.arena_size")
    log.expect("intact", survivors=ALL)
    log.note("systemd 257 and 262 refuse a tail object outside the arena.")


@BOOK.damaged(five_entries, "consequences", "SDJ-033", "SDJ-049")
def chain_and_tail_behind_the_file(log: SystemdLog) -> None:
    """Nothing was cut off: a link past the end of the file is wrong, like the tail pointer."""
    log.set("header.tail_object_offset", len(log.control) - 16)
    second = log.path(log.view.number(log.header.entry_array_offset + 16))
    log.set(f"{second}.body.ofs_next_entry_array", len(log.control) + 64)
    log.expect("damaged", "bad-chain", survivors=ALL)


@BOOK.damaged(thirty_entries_compact, "consequences", "SDJ-036")
def tail_of_a_compact_data_of_zero(log: SystemdLog) -> None:
    """A compact DATA need not name its last array."""
    path = log.of("PRIORITY=0")
    log.zero(f"{path}.body.ofs_tail_entry_array")
    log.zero(f"{path}.body.num_tail_entries")
    log.expect("intact", survivors=range(30))


@BOOK.damaged(thirty_entries_compact, "consequences", "SDJ-036")
def tail_of_a_compact_data_and_a_link_after_it(log: SystemdLog) -> None:
    """The last array of a DATA leads on after its last entry: that link is blamed, not the tail."""
    path = log.of("PRIORITY=0")
    array = log.view.number(log.offset_of("PRIORITY=0") + 64) & 0xFFFFFFFF
    log.set(f"{log.path(array)}.body.ofs_next_entry_array", log.start(log.entry(0)))
    log.set(f"{path}.body.num_tail_entries", 2)
    log.expect("damaged", "bad-index", survivors=range(30))


@BOOK.damaged(thirty_entries_compact, "consequences", "SDJ-036", "SDJ-048")
def tail_of_a_list_that_is_short_where_something_was_lost(log: SystemdLog) -> None:
    """A list with too few entries is no fault where something was lost, and it is not right."""
    path = log.of("PRIORITY=0")
    log.set(f"{path}.body.num_entries", log.view.number(log.offset_of("PRIORITY=0") + 56) + 1)
    log.set(f"{path}.body.num_tail_entries", 1)
    log.flip(f"{log.of('PRIORITY=1')}.body.payload", 70)
    lossy = [log.without(n, "PRIORITY") if n % 3 == 1 else log.payloads[n] for n in range(30)]
    log.expect("damaged", "hash-mismatch", survivors=lossy)


@BOOK.damaged(five_entries, "consequences", "SDJ-036")
def link_after_the_only_entry_of_a_data(log: SystemdLog) -> None:
    """A DATA of one entry has no array: a link to one is wrong."""
    log.set(f"{log.of('MESSAGE=bravo')}.body.ofs_entry_array", log.start(log.entry(0)))
    log.expect("damaged", "bad-index", survivors=ALL)


@BOOK.damaged(five_entries, "consequences", "SDJ-036")
def slot_after_the_last_entry_of_a_data(log: SystemdLog) -> None:
    """A slot after the last entry that a DATA counts is wrong."""
    array = log.view.number(log.offset_of("PRIORITY=6") + 48)
    log.set(f"{log.path(array)}.body.slots[2]", 12345)
    log.expect("damaged", "bad-index", survivors=ALL)


@BOOK.damaged(five_entries, "consequences", "SDJ-036")
def link_back_after_the_last_entry_of_a_data(log: SystemdLog) -> None:
    """An array that leads back to itself after the last entry that its DATA counts."""
    array = log.view.number(log.offset_of("PRIORITY=6") + 48)
    log.set(f"{log.path(array)}.body.ofs_next_entry_array", array)
    log.expect("damaged", "bad-index", survivors=ALL)


@BOOK.damaged(five_entries, "consequences", "SDJ-036")
def counted_entry_that_is_not_named(log: SystemdLog) -> None:
    """A DATA counts entries and names no first one: its count is blamed, its arrays not read."""
    log.zero(f"{log.of('PRIORITY=6')}.body.ofs_entry")
    array = log.view.number(log.offset_of("PRIORITY=6") + 48)
    log.set(f"{log.path(array)}.body.slots[0]", 12345)
    log.expect("damaged", "bad-index", survivors=ALL)


@BOOK.damaged(five_entries, "consequences", "SDJ-036")
def empty_slot_in_the_list_of_a_data(log: SystemdLog) -> None:
    """An empty slot before a used one: the used one is wrong, and the list ends."""
    array = log.view.number(log.offset_of("_HOSTNAME=host") + 48)
    log.zero(f"{log.path(array)}.body.slots[1]")
    log.expect("damaged", "bad-index", survivors=ALL)


@BOOK.damaged(thirty_entries, "consequences", "SDJ-033", "SDJ-048")
def link_of_an_array_back_to_a_lost_payload(log: SystemdLog) -> None:
    """No loss makes a chain of arrays turn back: the link is wrong although it leads to a loss."""
    log.flip(f"{log.of('MESSAGE=hello 0')}.body.payload", 70)
    log.set(f"{log.array(0)}.body.ofs_next_entry_array", log.offset_of("MESSAGE=hello 0"))
    left = [log.without(0, "MESSAGE"), *log.payloads[1:]]
    log.expect("damaged", "hash-mismatch", survivors=left)


@BOOK.damaged(five_entries, "consequences", "SDJ-025")
def field_list_to_a_later_field(log: SystemdLog) -> None:
    """A link up to the DATA of another field: that field's own list still has it."""
    log.set(f"{log.path(488)}.body.ofs_next_field", log.offset_of("MESSAGE=alpha"))
    log.expect("damaged", "bad-index", survivors=ALL)


@BOOK.damaged(five_entries, "consequences", "SDJ-019", "SDJ-036")
def item_of_another_field_of_the_entry(log: SystemdLog) -> None:
    """An item leads to a DATA that the entry has already: only the DATA that it left is at odds."""
    width = log.header.item_size
    at = log.all_of(layout.ENTRY)[0] + 64
    log.set(f"{log.entry(0)}.body.items[1]", log.control[at : at + width])
    log.expect("damaged", "bad-index", survivors=[log.without(0, "MESSAGE"), *log.payloads[1:]])


@BOOK.damaged(thirty_entries_compact, "consequences", "SDJ-036", "SDJ-048")
def tail_of_a_compact_data_and_a_payload_flipped(log: SystemdLog) -> None:
    """Something was lost, but the list of this DATA is right: its tail is looked at."""
    log.flip(f"{log.of('MESSAGE=hello 0')}.body.payload", 70)
    log.set(f"{log.of('PRIORITY=1')}.body.num_tail_entries", 1)
    left = [log.without(0, "MESSAGE"), *log.payloads[1:]]
    log.expect("damaged", "hash-mismatch", survivors=left)


@BOOK.damaged(five_entries, "consequences", "SDJ-016", "SDJ-094")
def table_becomes_an_array(log: SystemdLog) -> None:
    """Where the header says is an array: the header is wrong, and nothing more is lost."""
    log.set(f"{log.path(log.header.header_size)}.type", layout.ENTRY_ARRAY)
    log.expect("damaged", "bad-header", survivors=ALL)


@BOOK.damaged(data_that_no_entry_has, "consequences", "SDJ-016", "SDJ-048")
def place_of_a_table_in_a_lost_one(log: SystemdLog) -> None:
    """The FIELD table stands there twice, and where the DATA table was is the lost copy."""
    log.duplicate("objects[0]")
    log.expect("damaged", "bad-object", survivors=[b""])
