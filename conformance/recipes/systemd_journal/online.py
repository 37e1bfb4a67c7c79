"""Online files: states that a crash can leave, and damage that a crash cannot cause."""

from conformance.recipes.systemd_journal.combinations import online_regular
from conformance.recipes.systemd_journal.log import (
    BOOT,
    FIVE,
    KEY,
    SEALED_START,
    TORN_TAIL,
    SystemdLog,
)

FOUR = range(4)


@TORN_TAIL.valid("SDJ-007", "SDJ-036")
def six_entries_online(log: SystemdLog) -> None:
    """A compact online file with new entry arrays after its last entry."""
    sixth = ("MESSAGE=foxtrot", "PRIORITY=6", "_HOSTNAME=host")
    log.write(*FIVE, sixth, compact=True, state=1, header_size=272)
    log.expect("intact", survivors=range(6))


@TORN_TAIL.damaged(six_entries_online, "SDJ-036", "SDJ-052", "SDJ-100")
def tail_of_a_data_before_its_last_array_online(log: SystemdLog) -> None:
    """In an online file, the tail fields of a DATA do not yet name the new array for the last
    entry."""
    data = log.of("_HOSTNAME=host")
    log.set(
        f"{data}.body.ofs_tail_entry_array", log.view.number(log.offset_of("_HOSTNAME=host") + 48)
    )
    log.set(f"{data}.body.num_tail_entries", 4)
    log.expect("torn", "torn-append", survivors=range(6))


@TORN_TAIL.damaged(six_entries_online, "SDJ-034", "SDJ-051", "SDJ-052", "SDJ-099", "SDJ-100")
def hole_before_the_last_slot_online_and_cut(log: SystemdLog) -> None:
    """An online file is cut after its last entry, and the slot of the last entry follows an empty
    slot."""
    log.zero(f"{log.path(log.header.tail_entry_array_offset)}.body.slots[0]")
    log.truncate(log.start(log.path(log.header.tail_object_offset)) + 8)
    log.expect("torn", "torn-file", survivors=range(6))


@TORN_TAIL.damaged(online_regular, "SDJ-036", "SDJ-052", "SDJ-100")
def first_entry_of_a_data_is_another_online(log: SystemdLog) -> None:
    """In an online file, `entry_offset` of a DATA names an older entry, which does not contain this
    DATA. A crash cannot cause this, so the file is damaged."""
    log.set(f"{log.of('MESSAGE=delta')}.body.ofs_entry", log.start(log.entry(0)))
    log.expect("damaged", "bad-index", survivors=FOUR)


@TORN_TAIL.damaged(online_regular, "SDJ-036", "SDJ-052", "SDJ-100")
def first_entry_of_a_data_is_the_last_online(log: SystemdLog) -> None:
    """In an online file, `entry_offset` of a DATA names the last entry, which does not contain this
    DATA. The fault is at the tear, so the file is torn."""
    log.set(f"{log.of('MESSAGE=bravo')}.body.ofs_entry", log.start(log.entry(3)))
    log.expect("torn", "torn-append", survivors=FOUR)


@TORN_TAIL.damaged(online_regular, "SDJ-036", "SDJ-052", "SDJ-100")
def list_of_a_data_before_its_last_slot_online(log: SystemdLog) -> None:
    """In an online file, a DATA neither counts nor lists the last entry yet."""
    data = log.of("_BOOT_ID=0123456789abcdef0123456789abcdef")
    array = log.view.number(log.start(data) + 48)
    log.zero(f"{log.path(array)}.body.slots[2]")
    log.set(f"{data}.body.num_entries", 3)
    log.expect("torn", "torn-append", survivors=FOUR)


@TORN_TAIL.valid("SDJ-007", "SDJ-073")
def one_sealed_entry_online(log: SystemdLog) -> None:
    """A sealed online file with one entry."""
    log.write(FIVE[0], first=SEALED_START, key=KEY, state=1, header_size=272)
    log.expect("intact", survivors=[0])


@TORN_TAIL.damaged(online_regular, "SDJ-043", "SDJ-052", "SDJ-100")
def item_to_the_last_entry_online(log: SystemdLog) -> None:
    """In an online file, an item of the second entry points to the last entry instead of a DATA.
    The item is torn, but the list of this DATA is damaged."""
    log.set(f"{log.entry(1)}.body.items[3].ofs_data", log.start(log.entry(3)))
    log.expect("damaged", "bad-index", survivors=[0, log.without(1, "PRIORITY"), 2, 3])


@TORN_TAIL.valid("SDJ-007")
def one_entry_online(log: SystemdLog) -> None:
    """An online file with one entry."""
    log.write(FIVE[0], state=1)
    log.expect("intact", survivors=[0], end=None)


@TORN_TAIL.damaged(one_entry_online, "SDJ-033", "SDJ-046", "SDJ-052", "SDJ-100", "SDJ-101")
def first_entry_before_its_array_online(log: SystemdLog) -> None:
    """A crash occurred after the first entry was written, but before the array that links it. The
    entry was never acknowledged and is not returned."""
    entry = log.start(log.entry(0))
    log.set("header.tail_object_offset", entry)
    log.set("header.n_objects", log.header.n_objects - 1)
    for name in ("entry_array_offset", "n_entries", "n_entry_arrays"):
        log.zero(f"header.{name}")
    for field in (*FIVE[0], f"_BOOT_ID={BOOT}"):
        log.zero(f"{log.of(field)}.body.ofs_entry")
        log.zero(f"{log.of(field)}.body.num_entries")
    log.expect("torn", "torn-append", survivors=[])


TORN_TAIL.table("""
entry_before_the_first_tag_online: one_sealed_entry_online SDJ-052 SDJ-073
    In a sealed online file, the first tag is lost. The fault of the only entry is at the tear, and
    the entry is still returned.
    damage: set tag(0).type to 0
    expect: damaged bad-object, survivors 0
chain_in_the_header_and_no_entry_online: one_entry_online SDJ-033 SDJ-052 SDJ-100
    In an online file, the only entry is lost and the main chain begins inside the header. A crash
    cannot cause this, so the file is damaged.
    damage: set entry(0).type to 0
    damage: set header.entry_array_offset to 8
    expect: damaged bad-chain, no survivors
no_main_chain_online: one_entry_online SDJ-033 SDJ-052
    In an online file, the header counts an entry, but `entry_array_offset` is 0. A crash cannot
    cause this, so the entry is returned and the file is damaged.
    damage: zero header.entry_array_offset
    expect: damaged bad-chain, survivors 0
""")
