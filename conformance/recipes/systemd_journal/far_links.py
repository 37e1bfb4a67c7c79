"""Links to offsets where no object can begin. Some are so large that they would be negative as
signed numbers.
"""

from conformance.recipes.systemd_journal.combinations import compact_jenkins_none
from conformance.recipes.systemd_journal.layouts import five_entries
from conformance.recipes.systemd_journal.log import ENTRY, INDEX, TORN_TAIL, SystemdLog


@INDEX.damaged(five_entries, "SDJ-010", "SDJ-041")
def array_known_by_an_offset_between_two_places(log: SystemdLog) -> None:
    """After a lost ENTRY, the only link to the next array is one byte too high. The array is
    therefore not a known object, and is also lost."""
    log.set("header.entry_array_offset", log.header.entry_array_offset + 1)
    log.set(f"{log.entry(0)}.type", 9)
    log.expect("damaged", "bad-object", survivors=[1, 2, 3, 4])


@ENTRY.damaged(five_entries, "SDJ-010", "SDJ-043")
def item_leads_into_the_last_object(log: SystemdLog) -> None:
    """An item points 8 bytes past the start of the tail object, where no object begins."""
    log.set(f"{log.entry(4)}.body.items[3].ofs_data", log.header.tail_object_offset + 8)
    log.expect("damaged", "bad-item", survivors=[0, 1, 2, 3, log.without(4, "PRIORITY")])


@TORN_TAIL.damaged(five_entries, "SDJ-041", "SDJ-051")
def cut_four_bytes_into_a_linked_array(log: SystemdLog) -> None:
    """The file is cut four bytes after the start of an array of the main chain."""
    second = log.view.number(log.header.entry_array_offset + 16)
    log.truncate(second + 4)
    log.expect("torn", "torn-file", survivors=range(5), end=None)


@TORN_TAIL.damaged(five_entries, "SDJ-015", "SDJ-017", "SDJ-048", "SDJ-051")
def cut_and_items_and_slots_far_beyond_the_cut(log: SystemdLog) -> None:
    """In a cut file, an item and a slot hold the offset 2^63. This offset is past the cut, not
    negative, so neither is a fault."""
    log.set(f"{log.entry(1)}.body.items[3].ofs_data", 1 << 63)
    log.set(f"{log.path(log.header.entry_array_offset)}.body.slots[3]", 1 << 63)
    log.truncate_in(f"{log.entry(3)}.body", 30)
    log.expect("torn", "torn-file", survivors=[0, log.without(1, "PRIORITY"), 2], end=None)


@TORN_TAIL.damaged(compact_jenkins_none, "SDJ-015", "SDJ-017", "SDJ-048", "SDJ-051")
def compact_cut_and_items_and_slots_far_beyond_it(log: SystemdLog) -> None:
    """In a cut compact file, an item and a slot hold the offset 2^31. This offset is past the cut,
    not negative, so neither is a fault."""
    log.set(f"{log.entry(1)}.body.items[3].ofs_data", 1 << 31)
    log.set(f"{log.path(log.header.entry_array_offset)}.body.slots[3]", 1 << 31)
    log.truncate_in(f"{log.entry(3)}.body", 30)
    log.expect("torn", "torn-file", survivors=[0, log.without(1, "PRIORITY"), 2], end=None)
