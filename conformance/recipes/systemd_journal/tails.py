"""Files that end early, and states that a crash can leave."""

from conformance.recipes.systemd_journal.combinations import online_regular
from conformance.recipes.systemd_journal.layouts import MIXED, five_entries
from conformance.recipes.systemd_journal.log import TORN_TAIL, SystemdLog
from reference_impl.systemd_journal import layout

FOUR = range(4)


@TORN_TAIL.damaged(five_entries, "SDJ-050")
def cut_in_the_header(log: SystemdLog) -> None:
    """The file is 207 bytes long, one byte less than the smallest header."""
    log.truncate(207)
    log.expect("torn", "torn-header", end=0)


@TORN_TAIL.damaged(five_entries, "SDJ-050")
def cut_in_the_newer_fields(log: SystemdLog) -> None:
    """The file ends inside the header, after the fields that all headers have."""
    log.truncate(250)
    log.expect("torn", "torn-header", end=0)


@TORN_TAIL.damaged(five_entries, "SDJ-051")
def cut_in_a_table(log: SystemdLog) -> None:
    """The file ends inside a hash table."""
    log.truncate_in(f"{log.path(log.all_of(4)[0])}.body", 20)
    log.expect("torn", "torn-file", survivors=[])


@TORN_TAIL.damaged(five_entries, "SDJ-051", "SDJ-055")
def cut_in_the_last_entry(log: SystemdLog) -> None:
    """The file ends inside its last entry. The entries before it are complete."""
    log.shows("torn-last-record")
    log.truncate_in(f"{log.entry(4)}.body", 30)
    log.expect("torn", "torn-file", survivors=FOUR, end=None)
    log.note("systemd up to 257 refuses a file that is shorter than its arena.")


@TORN_TAIL.damaged(five_entries, "SDJ-013", "SDJ-048", "SDJ-051")
def cut_and_links_far_beyond_the_cut(log: SystemdLog) -> None:
    """In a cut file, links to offset 2^63 point past the cut and are not faults. A reader must not
    treat this offset as negative."""
    log.set(f"{log.of('MESSAGE=alpha')}.body.ofs_entry", 1 << 63)
    log.set(f"{log.of('PRIORITY=6')}.body.ofs_entry_array", 1 << 63)
    log.truncate_in(f"{log.entry(4)}.body", 30)
    log.expect("torn", "torn-file", survivors=FOUR, end=None)


@TORN_TAIL.damaged(five_entries, "SDJ-051")
def cut_in_front_of_the_last_entry(log: SystemdLog) -> None:
    """The file ends exactly at the start of its last entry."""
    log.shows("index-survives-data")
    log.truncate(log.start(log.entry(4)))
    log.expect("torn", "torn-file", survivors=FOUR)


@TORN_TAIL.damaged(online_regular, "SDJ-052", "SDJ-099", "SDJ-100", "SDJ-053")
def copied_while_it_grew(log: SystemdLog) -> None:
    """An online file was copied while it grew. The header and tables were copied when it had two
    entries, and the rest when it had four."""
    log.shows("lost-write")
    earlier = SystemdLog(log.undamaged, [])
    earlier.write(*MIXED[:2], state=1, header_size=272)
    first_data = log.start(log.path(log.all_of(layout.DATA)[0]))
    log.stale(0, first_data, bytes(earlier.data))
    log.expect("torn", "torn-append", survivors=FOUR)


@TORN_TAIL.damaged(online_regular, "SDJ-052", "SDJ-099", "SDJ-100", "SDJ-101", "SDJ-053")
def lists_of_data_copied_while_it_grew(log: SystemdLog) -> None:
    """In a copy of an online file, the main chain and the fields of the first two entries are older
    than the later objects. Only these entries are returned."""
    earlier = SystemdLog(log.undamaged, [])
    earlier.write(*MIXED[:2], state=1, header_size=272)
    log.set("header.tail_object_offset", earlier.all_of(layout.ENTRY_ARRAY)[0])
    log.stale(log.all_of(layout.DATA)[0], log.all_of(layout.ENTRY)[1], bytes(earlier.data))
    log.expect("torn", "torn-append", survivors=[0, 1])


@TORN_TAIL.damaged(online_regular, "SDJ-043", "SDJ-052", "SDJ-100", "SDJ-056")
def strict_stops_at_a_torn_item_online(log: SystemdLog) -> None:
    """In an online file, an item of the first entry is torn, and a later payload is damaged. A
    strict reader stops at the first entry."""
    log.set(f"{log.entry(0)}.body.items[1].ofs_data", 8 * len(log.data))
    log.flip(f"{log.of('MESSAGE=bravo')}.body.payload", 70)
    first, second = log.without(0, "MESSAGE"), log.without(1, "MESSAGE")
    log.expect("damaged", "hash-mismatch", survivors=[first, second, 2, 3])


@TORN_TAIL.damaged(online_regular, "SDJ-046", "SDJ-052", "SDJ-099", "SDJ-101", "SDJ-056")
def strict_stops_at_an_entry_not_linked_online(log: SystemdLog) -> None:
    """In an online file, an entry was never acknowledged, and a later payload is damaged. A strict
    reader stops at this entry."""
    third, fourth = log.all_of(layout.ENTRY)[2:]
    log.set("header.tail_object_offset", third)
    log.set(f"{log.array(0)}.body.slots[2].ofs_listed", fourth)
    log.zero(f"{log.array(0)}.body.slots[3]")
    damaged = max(at for at in log.all_of(layout.DATA) if at < fourth)
    log.flip(f"{log.path(damaged)}.body.payload", 70)
    name = log.view.payload(damaged).partition(b"=")[0].decode()
    log.expect("damaged", "hash-mismatch", survivors=[0, 1, log.without(3, name)])


@TORN_TAIL.damaged(online_regular, "SDJ-016", "SDJ-052")
def table_misplaced_online(log: SystemdLog) -> None:
    """In an online file, the offset of the DATA table is 8 bytes too high. A crash cannot cause
    this, so the file is damaged."""
    log.set("header.data_hash_table_offset", log.header.data_hash_table_offset + 8)
    log.expect("damaged", "bad-header", survivors=FOUR)


@TORN_TAIL.damaged(five_entries, "SDJ-051", "SDJ-052")
def cut_and_the_tail_pointer_unaligned(log: SystemdLog) -> None:
    """In a cut file, `tail_object_offset` is not a multiple of 8. A crash can cause this, so the
    file is torn."""
    log.set("header.tail_object_offset", log.header.tail_object_offset + 4)
    log.truncate_in(f"{log.entry(4)}.body", 30)
    log.expect("torn", "torn-file", survivors=FOUR)


@TORN_TAIL.damaged(online_regular, "SDJ-046", "SDJ-051", "SDJ-052")
def cut_online_in_the_main_array(log: SystemdLog) -> None:
    """An online file ends inside the first array of the main chain. The chain is broken, so a
    reader returns the entry before the array."""
    log.truncate(log.start(log.array(0)) + 8)
    log.expect("torn", "torn-file", survivors=[0])


@TORN_TAIL.damaged(online_regular, "SDJ-034", "SDJ-052", "SDJ-100")
def chain_out_of_order_online(log: SystemdLog) -> None:
    """In an online file, the first two slots of the main chain are swapped. A crash cannot cause
    this, so the file is damaged."""
    one, other = (f"{log.array(0)}.body.slots[{n}]" for n in (0, 1))
    first, second = log.start(log.entry(0)), log.start(log.entry(1))
    log.set(one, second)
    log.set(other, first)
    log.expect("damaged", "bad-chain", survivors=FOUR)


@TORN_TAIL.damaged(online_regular, "SDJ-024", "SDJ-052", "SDJ-099", "SDJ-100")
def bucket_without_its_last_object_online(log: SystemdLog) -> None:
    """In an online file, a DATA of the last entry is in its hash chain, but the bucket does not yet
    name it as the last object."""
    log.zero(f"{log.bucket('MESSAGE=delta')}.ofs_tail")
    log.set("header.tail_object_offset", log.start(log.entry(2)))
    log.expect("torn", "torn-append", survivors=FOUR)


@TORN_TAIL.damaged(online_regular, "SDJ-025", "SDJ-052", "SDJ-099")
def field_list_without_the_last_value_online(log: SystemdLog) -> None:
    """In an online file, the field list of MESSAGE does not contain the newest value yet."""
    older = log.view.number(log.offset_of("MESSAGE=delta") + 32)
    log.set(f"{log.of('MESSAGE')}.body.ofs_head_data", older)
    log.set("header.tail_object_offset", log.start(log.entry(2)))
    log.expect("torn", "torn-append", survivors=FOUR)


@TORN_TAIL.valid("SDJ-012", "SDJ-055")
def compact_file_that_ends_in_padding(log: SystemdLog) -> None:
    """The last object of a compact file is an entry of 76 bytes, with 4 bytes of padding."""
    log.write(*[("MESSAGE=alpha", "PRIORITY=6")] * 3, compact=True)
    log.expect("intact", survivors=range(3), end=len(log.data))


@TORN_TAIL.damaged(compact_file_that_ends_in_padding, "SDJ-051", "SDJ-055", kind="eof")
def cut_in_the_padding_of_the_last_object(log: SystemdLog) -> None:
    """The file ends inside the padding of the last object. Nothing is lost, and the next object
    begins after the full padding."""
    log.truncate(len(log.control) - 3)
    log.expect("intact", survivors=range(3), end=len(log.control))


@TORN_TAIL.damaged(compact_file_that_ends_in_padding, "SDJ-046", "SDJ-048")
def cut_in_the_padding_of_a_wrong_last_object(log: SystemdLog) -> None:
    """The last entry is invalid, and its padding is missing. Links to the lost entry are not
    faults."""
    log.zero(f"{log.entry(2)}.body.seqnum")
    log.truncate(len(log.control) - 4)
    log.expect("damaged", "bad-entry", survivors=range(2))


@TORN_TAIL.damaged(compact_file_that_ends_in_padding, "SDJ-011", "SDJ-051")
def cut_in_the_last_object_before_its_padding(log: SystemdLog) -> None:
    """The file ends one byte before the end of its last entry."""
    log.truncate(len(log.control) - 5)
    log.expect("torn", "torn-file", survivors=range(2))


@TORN_TAIL.damaged(online_regular, "SDJ-051", "SDJ-052", "SDJ-101")
def last_entry_not_linked_in_a_larger_arena_online(log: SystemdLog) -> None:
    """An online file has all objects but is shorter than its arena. Its last entry is not linked,
    so it is not returned."""
    log.zero(f"{log.array(0)}.body.slots[3]")
    log.set("header.n_entries", 3)
    log.set("header.arena_size", log.header.arena_size + 4096)
    log.expect("torn", "torn-file", survivors=range(3))


@TORN_TAIL.damaged(online_regular, "SDJ-044", "SDJ-052", "SDJ-099")
def second_message_flipped_after_an_early_tail_online(log: SystemdLog) -> None:
    """In an online file, bit 70 of a payload after `tail_object_offset` is flipped. Only chains and
    indexes can be torn there, so the file is damaged."""
    log.set("header.tail_object_offset", log.start(log.entry(0)))
    log.flip(f"{log.of('MESSAGE=bravo')}.body.payload", 70)
    log.expect("damaged", "hash-mismatch", survivors=[0, log.without(1, "MESSAGE"), 2, 3])


@TORN_TAIL.damaged(online_regular, "SDJ-051", "SDJ-052")
def no_entry_yet_online(log: SystemdLog) -> None:
    """In an online file, everything after the tables is zeros. No entries are returned, and the
    file is torn."""
    first = log.all_of(layout.DATA)[0]
    log.truncate(first)
    log.extend(bytes(len(log.control) - first))
    log.expect("torn", "torn-append", survivors=[])


TORN_TAIL.table("""
cut_to_nothing: five_entries SDJ-050
    The file is empty, as after a crash before the header was written.
    damage: truncate at 0
    expect: torn torn-header, no survivors, end 0
cut_in_the_signature: five_entries SDJ-050
    The file ends inside its signature.
    damage: truncate at 5
    expect: torn torn-header, no survivors, end 0
cut_in_a_header_with_an_unknown_flag: five_entries SDJ-005 SDJ-050
    The file is 207 bytes long and has an unknown incompatible flag. A reader reports a torn header
    instead of the flag.
    damage: set header.incompatible_flags to 32
    damage: truncate at 207
    expect: torn torn-header, no survivors, end 0
cut_behind_the_header: five_entries SDJ-051
    The file ends directly after its header.
    damage: truncate at 264
    expect: torn torn-file, no survivors
cut_in_the_third_message: five_entries SDJ-051
    The file ends inside a DATA. The entry that contains this DATA is missing.
    damage: truncate 50 bytes into of(MESSAGE=charlie).body
    expect: torn torn-file, survivors 0 1
torn_at_a_page: thirty_entries SDJ-051
    The file ends at offset 4,096, a page boundary.
    damage: torn at the last boundary of 4096 bytes
    expect: torn torn-file, survivors 0-12
cut_and_a_payload_flipped: five_entries SDJ-051
    Bit 70 of a payload is flipped in a cut file. Damage takes precedence over the cut.
    damage: flip bit 70 of of(MESSAGE=bravo).body.payload
    damage: truncate 30 bytes into entry(4).body
    expect: damaged hash-mismatch, survivors 0 without(1, MESSAGE) 2 3
last_entry_zeroed_online: online_regular SDJ-052
    In an online file, the header counts the last entry, but its bytes are zeros, as after a crash.
    shows: size-before-data
    damage: zero entry(3)
    expect: torn torn-append, survivors 0-2, end none
last_entry_zeroed_online_compact: online_compact SDJ-052
    In a compact online file, the header counts the last entry, but its bytes are zeros, as after a
    crash.
    damage: zero entry(3)
    expect: torn torn-append, survivors 0-2
items_of_the_last_entry_zeroed_online: online_regular SDJ-043 SDJ-052 SDJ-100
    In an online file, the last item of the last entry is filled with zeros. The entry is returned
    without this field, and the file is torn.
    damage: zero entry(3).body.items[2]
    expect: torn torn-append, survivors 0-2 without(3, BLOB)
    note: journalctl returns the entry with its other fields.
last_entry_not_linked_online: online_regular SDJ-052 SDJ-101
    A crash occurred between writing the last entry and linking it. The entry was never acknowledged
    and is not returned.
    damage: zero array(0).body.slots[3]
    damage: set header.n_entries to 3
    expect: torn torn-append, survivors 0-2
counts_behind_online: online_regular SDJ-052 SDJ-053
    In a snapshot of an online file, the header does not count the last entry yet.
    damage: set header.n_entries to 3
    damage: set header.tail_entry_seqnum to 3
    expect: torn torn-append, survivors 0-3
first_message_flipped_online: online_regular SDJ-052
    In an online file, bit 70 of the first message is flipped. A crash cannot cause this, so the
    file is damaged.
    damage: flip bit 70 of of(MESSAGE=alpha).body.payload
    expect: damaged hash-mismatch, survivors without(0, MESSAGE) 1-3
last_entry_zeroed_offline: five_entries SDJ-041 SDJ-052
    In an offline file, the header counts the last entry, but its bytes are zeros. A crash cannot
    cause this, so the file is damaged.
    damage: zero entry(4)
    expect: damaged bad-object, survivors 0-3
strict_stops_at_the_lowest_damage: five_entries SDJ-056
    A strict reader returns the entries before the first damaged byte.
    damage: flip bit 70 of of(MESSAGE=delta).body.payload
    expect: damaged hash-mismatch, survivors 0-2 without(3, MESSAGE) 4
reserved_not_zero_online: online_regular SDJ-008 SDJ-052
    In an online file, reserved header bytes are not 0. A crash cannot cause this, so the file is
    damaged.
    damage: fill header.reserved with 01
    expect: damaged bad-header, survivors 0-3
table_misplaced_far_behind_online: online_compact SDJ-016 SDJ-052
    In an online file, the offset of the DATA table is past the last entry. A crash cannot cause
    this, so the file is damaged.
    damage: flip bit 21 of header.data_hash_table_offset
    expect: damaged bad-header, survivors 0-3
cut_and_reserved_not_zero: five_entries SDJ-008 SDJ-051 SDJ-052
    In a cut file, reserved header bytes are not 0. A cut cannot cause this, so the file is damaged.
    damage: fill header.reserved with 01
    damage: truncate 30 bytes into entry(4).body
    expect: damaged bad-header, survivors 0-3
cut_and_a_table_misplaced: five_entries SDJ-016 SDJ-051 SDJ-052
    In a cut file, the header gives a wrong size for the FIELD table. A cut cannot cause this, so
    the file is damaged.
    damage: set header.field_hash_table_size to 32
    damage: truncate 30 bytes into entry(4).body
    expect: damaged bad-header, survivors 0-3
last_entry_not_linked_and_no_chain_online: online_regular SDJ-033 SDJ-046 SDJ-052
    In an online file, `entry_array_offset` is 0. The main chain is broken, so even the last entry,
    which is not linked, is returned.
    damage: zero array(0).body.slots[3]
    damage: zero header.entry_array_offset
    damage: set header.n_entries to 3
    expect: damaged bad-chain, survivors 0-3
strict_and_an_entry_not_linked_online: online_regular SDJ-046 SDJ-052 SDJ-101 SDJ-056
    In an online file, damage precedes an entry that was never acknowledged. No reader returns this
    entry.
    damage: flip bit 70 of of(MESSAGE=bravo).body.payload
    damage: zero array(0).body.slots[3]
    expect: damaged hash-mismatch, survivors 0 without(1, MESSAGE) 2
sequence_number_of_the_last_entry_online: online_regular SDJ-047 SDJ-052
    In an online file, the sequence number of the last entry does not rise. The fault is at the
    tear, so the file is torn.
    damage: set entry(3).body.seqnum to 2
    expect: torn torn-append, survivors 0-3
list_of_a_data_too_short_online: online_regular SDJ-036 SDJ-052 SDJ-100
    In an online file, a DATA counts only one of its four entries. A crash cannot cause this, so the
    file is damaged.
    damage: set of(_BOOT_ID=0123456789abcdef0123456789abcdef).body.num_entries to 1
    expect: damaged bad-index, survivors 0-3
list_of_a_data_without_the_last_online: online_regular SDJ-036 SDJ-052 SDJ-100
    In an online file, a DATA lists the last entry but does not count it yet.
    damage: set of(_BOOT_ID=0123456789abcdef0123456789abcdef).body.num_entries to 3
    expect: torn torn-append, survivors 0-3
cut_after_a_flipped_payload: five_entries SDJ-044 SDJ-051
    The last DATA before a cut has a wrong hash. The DATA and the cut entry are two lost ranges.
    damage: flip bit 70 of of(PRIORITY=4).body.payload
    damage: truncate 30 bytes into entry(4).body
    expect: damaged hash-mismatch, survivors 0-3
last_message_flipped_online: online_regular SDJ-044 SDJ-052
    In an online file, bit 70 of the last message is flipped. A writer completes a DATA before its
    entry, so the file is damaged.
    damage: flip bit 70 of of(MESSAGE=delta).body.payload
    expect: damaged hash-mismatch, survivors 0-2 without(3, MESSAGE)
cut_behind_a_header_of_208_bytes: header_of_208_bytes SDJ-050 SDJ-051
    The file has a complete header of 208 bytes and no objects.
    damage: truncate at 208
    expect: torn torn-file, no survivors
""")
