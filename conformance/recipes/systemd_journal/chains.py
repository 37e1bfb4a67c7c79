"""The main chain of entry arrays."""

from conformance.recipes.systemd_journal.layouts import five_entries, thirty_entries
from conformance.recipes.systemd_journal.log import CHAIN, START, SystemdLog
from reference_impl.systemd_journal import layout

ALL = range(30)
FIVE = range(5)


@CHAIN.valid("SDJ-017", "SDJ-033")
def arrays_side_by_side(log: SystemdLog) -> None:
    """The next array of the main chain begins where the previous array ends."""
    log.begin()
    for number in ALL:
        log.entry_at(START + number, [f"PRIORITY={number % 3}"])
    out, header, third = log.made.out, log.made.header, log.made.chain
    out[third.array + 8] = 24 + 8 * 4
    at, slots = third.array + 56, third.slots - 4 - 3  # the next array's header takes three slots
    used = bytes(out[at : at + 8 * (third.used - 4)])
    out[third.array + 16 : third.array + 24] = at.to_bytes(8, "little")
    new = layout.OBJECT_HEADER.pack(layout.ENTRY_ARRAY, 0, 24 + 8 * slots) + bytes(8) + used
    out[at : at + len(new)] = new
    header.n_objects += 1
    header.n_entry_arrays += 1
    header.tail_entry_array_offset, header.tail_entry_array_n_entries = at, third.used - 4
    log.close()
    log.expect("intact", survivors=ALL)


@CHAIN.damaged(five_entries, "SDJ-011", "SDJ-034", "SDJ-049")
def slot_to_an_entry_between_two_places(log: SystemdLog) -> None:
    """A slot of the main chain points to a copy of an ENTRY. The offset of the copy is not a
    multiple of 8, so no object can begin there."""
    entry, end = log.all_of(layout.ENTRY)[4], len(log.data)
    log.extend(bytes(1) + log.control[entry : entry + 128])
    log.set(f"{log.array(-1)}.body.slots[1]", end + 1)
    log.expect("damaged", "bad-chain", survivors=FIVE)


@CHAIN.damaged(five_entries, "SDJ-034")
def first_array_not_full(log: SystemdLog) -> None:
    """The last slot of the first array of the main chain is empty, and the second array lists all
    later entries."""
    second = log.array(-1)
    fourth, fifth = (log.start(log.entry(number)) for number in (3, 4))
    log.zero(f"{log.array(0)}.body.slots[3]")
    log.set(f"{second}.body.slots[0]", fourth)
    log.set(f"{second}.body.slots[1]", fifth)
    log.set("header.tail_entry_array_n_entries", 2)
    log.expect("damaged", "bad-chain", survivors=FIVE)


@CHAIN.damaged(thirty_entries, "SDJ-033", "SDJ-057")
def chain_to_itself(log: SystemdLog) -> None:
    """The first array of the main chain links to itself. A reader does not loop."""
    log.set(f"{log.array(0)}.body.ofs_next_entry_array", log.start(log.array(0)))
    log.expect("damaged", "bad-chain", survivors=ALL)


@CHAIN.damaged(thirty_entries, "SDJ-033", "SDJ-057")
def chain_backwards(log: SystemdLog) -> None:
    """The last array of the main chain links back to the first array. A reader does not loop."""
    last = log.path(log.header.tail_entry_array_offset)
    log.set(f"{last}.body.ofs_next_entry_array", log.header.entry_array_offset)
    log.expect("damaged", "bad-chain", survivors=ALL)


@CHAIN.damaged(thirty_entries, "SDJ-033")
def chain_behind_the_file(log: SystemdLog) -> None:
    """The first array of the main chain links past the end of the file."""
    log.set(f"{log.array(0)}.body.ofs_next_entry_array", 1 << 40)
    log.expect("damaged", "bad-chain", survivors=ALL)


@CHAIN.damaged(five_entries, "SDJ-033")
def main_chain_begins_between_objects(log: SystemdLog) -> None:
    """`entry_array_offset` in the header points 8 bytes past the start of the first array."""
    log.set("header.entry_array_offset", log.header.entry_array_offset + 8)
    log.expect("damaged", "bad-chain", survivors=FIVE)


@CHAIN.damaged(five_entries, "SDJ-034", "SDJ-046")
def last_slot_of_zero(log: SystemdLog) -> None:
    """The last used slot of the main chain in a closed file is 0. A reader still returns the last
    entry."""
    path = f"{log.path(log.header.tail_entry_array_offset)}.body.slots[0]"
    log.zero(path)
    log.expect("damaged", "bad-chain", survivors=FIVE)


@CHAIN.damaged(five_entries, "SDJ-034")
def slots_swapped(log: SystemdLog) -> None:
    """Two slots of the main chain are swapped. A reader returns the entries in file order."""
    one, other = (f"{log.array(0)}.body.slots[{n}]" for n in (1, 2))
    first, second = log.start(log.entry(1)), log.start(log.entry(2))
    log.set(one, second)
    log.set(other, first)
    log.expect("damaged", "bad-chain", survivors=FIVE)


@CHAIN.damaged(five_entries, "SDJ-034")
def slot_into_an_entry(log: SystemdLog) -> None:
    """A slot of the main chain points 16 bytes past the start of an ENTRY."""
    log.set(f"{log.array(0)}.body.slots[1]", log.start(log.entry(1)) + 16)
    log.expect("damaged", "bad-chain", survivors=FIVE)


@CHAIN.damaged(five_entries, "SDJ-034")
def slot_repeated(log: SystemdLog) -> None:
    """Two slots of the main chain point to the same entry. A reader returns this entry once."""
    log.set(f"{log.array(0)}.body.slots[2]", log.start(log.entry(1)))
    log.expect("damaged", "bad-chain", survivors=FIVE)


@CHAIN.damaged(thirty_entries, "SDJ-017", "SDJ-041", "SDJ-046")
def second_array_zeroed(log: SystemdLog) -> None:
    """The second array of the main chain is filled with zeros."""
    first = log.header.entry_array_offset
    at = int.from_bytes(log.control[first + 16 : first + 24], "little")
    log.zero(log.path(at))
    log.expect("damaged", "bad-object", survivors=ALL)


CHAIN.table("""
chain_to_a_data: thirty_entries SDJ-033
    The first array of the main chain links to a DATA.
    damage: set array(0).body.ofs_next_entry_array to offset_of(MESSAGE=hello 20)
    expect: damaged bad-chain, survivors 0-29
main_chain_begins_at_a_data: five_entries SDJ-033
    `entry_array_offset` in the header points to a DATA.
    damage: set header.entry_array_offset to offset_of(MESSAGE=alpha)
    expect: damaged bad-chain, survivors 0-4
slot_to_a_data: five_entries SDJ-034
    A slot of the main chain points to a DATA.
    damage: set array(0).body.slots[1] to offset_of(MESSAGE=alpha)
    expect: damaged bad-chain, survivors 0-4
entry_zeroed_before_one_of_the_last_array: arrays_side_by_side SDJ-041
    An ENTRY is filled with zeros. The next entry is known only from the last array, and the walk
    continues there.
    damage: zero entry(19)
    expect: damaged bad-object, survivors 0-18 20-29
chain_ends_early: thirty_entries SDJ-033 SDJ-046
    The first array of the main chain has no link to the next array. A reader still returns all
    entries.
    damage: zero array(0).body.ofs_next_entry_array
    expect: damaged bad-chain, survivors 0-29
    note: journalctl returns four entries.
no_main_chain: five_entries SDJ-033 SDJ-049
    `entry_array_offset` in the header is 0, although the file has entries.
    damage: zero header.entry_array_offset
    expect: damaged bad-chain, survivors 0-4
no_main_chain_and_no_count: five_entries SDJ-033 SDJ-046 SDJ-049
    The header of a closed file names no main chain and counts no entries. A crash leaves this state
    only in an online file.
    damage: zero header.entry_array_offset
    damage: zero header.n_entries
    expect: damaged bad-chain, survivors 0-4
slot_of_zero: five_entries SDJ-034 SDJ-046
    A slot in the middle of the main chain is 0. A reader still returns all entries.
    damage: zero array(0).body.slots[1]
    expect: damaged bad-chain, survivors 0-4
    note: journalctl returns fewer entries.
array_size_too_large: thirty_entries SDJ-017 SDJ-041
    The size of an array of the main chain is too large and extends past entries that its own slots
    name.
    damage: set array(0).len_object to 1624
    expect: damaged bad-object, survivors 0-29
array_size_no_multiple_of_a_slot: thirty_entries SDJ-017
    The size of an array of the main chain does not hold a whole number of slots.
    damage: set array(0).len_object to 52
    expect: damaged bad-object, survivors 0-29
""")


@CHAIN.damaged(five_entries, "SDJ-034")
def slot_beyond_the_file(log: SystemdLog) -> None:
    """A slot of the main chain points past the end of the file. Later slots are not faults."""
    log.set(f"{log.array(0)}.body.slots[1]", 1 << 33)
    log.expect("damaged", "bad-chain", survivors=FIVE)


@CHAIN.damaged(five_entries, "SDJ-034")
def slots_swapped_after_a_hole(log: SystemdLog) -> None:
    """Two slots after an empty slot are swapped. Both slots are faults: the first because it
    follows the empty slot, and the second because its offset is below that of the first."""
    slots = [f"{log.array(0)}.body.slots[{n}]" for n in (1, 2, 3)]
    third, fourth = log.start(log.entry(2)), log.start(log.entry(3))
    log.zero(slots[0])
    log.set(slots[1], fourth)
    log.set(slots[2], third)
    log.expect("damaged", "bad-chain", survivors=FIVE)


@CHAIN.damaged(five_entries, "SDJ-046", "SDJ-049")
def last_array_emptied(log: SystemdLog) -> None:
    """The only used slot of the last array is set to 0, and so is `tail_entry_array_n_entries`. The
    main chain therefore leaves out the last entry."""
    log.zero(f"{log.path(log.header.tail_entry_array_offset)}.body.slots[0]")
    log.zero("header.tail_entry_array_n_entries")
    log.expect("damaged", "bad-chain", survivors=FIVE)


@CHAIN.damaged(thirty_entries, "SDJ-033", "SDJ-036", "SDJ-048")
def arrays_lead_back_to_a_lost_data(log: SystemdLog) -> None:
    """An array of the main chain and an array of a DATA both link back to a lost DATA. Both links
    are faults because they point backwards."""
    lost = log.offset_of("MESSAGE=hello 1")
    log.set(f"{log.path(lost)}.type", 0)
    main = log.path(log.header.tail_entry_array_offset)
    listed = log.view.number(log.offset_of("PRIORITY=0") + 48)
    log.set(f"{main}.body.ofs_next_entry_array", lost)
    log.set(f"{log.path(listed)}.body.ofs_next_entry_array", lost)
    survivors = [0, log.without(1, "MESSAGE"), *range(2, 30)]
    log.expect("damaged", "bad-object", survivors=survivors)


@CHAIN.damaged(five_entries, "SDJ-033", "SDJ-096")
def chain_back_to_an_array_of_nobody(log: SystemdLog) -> None:
    """The main chain links back to an array that belongs to no list of entries. This array is
    lost."""
    array = log.view.number(log.offset_of("PRIORITY=6") + 48)
    log.zero(f"{log.of('PRIORITY=6')}.body.ofs_entry_array")
    last = log.path(log.header.tail_entry_array_offset)
    log.set(f"{last}.body.ofs_next_entry_array", array)
    log.expect("damaged", "bad-chain", survivors=FIVE)


@CHAIN.damaged(five_entries, "SDJ-011", "SDJ-034")
def slot_one_byte_off(log: SystemdLog) -> None:
    """A slot of the main chain points one byte past the start of an ENTRY."""
    log.set(f"{log.array(0)}.body.slots[1]", log.start(log.entry(1)) + 1)
    log.expect("damaged", "bad-chain", survivors=FIVE)


@CHAIN.damaged(five_entries, "SDJ-011", "SDJ-034")
def slot_into_the_last_bytes(log: SystemdLog) -> None:
    """A slot of the main chain points to the last five bytes of the file, which are too few for an
    object."""
    log.extend(b"\x03" * 5)
    log.set(f"{log.array(0)}.body.slots[1]", len(log.control))
    log.expect("damaged", "bad-chain", survivors=FIVE)
