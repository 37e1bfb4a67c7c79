"""Headers whose ``header_size`` is so large that the header covers the first objects (SDJ-004)."""

from conformance.recipes.systemd_journal.layouts import five_entries
from conformance.recipes.systemd_journal.log import HEADER, TORN_TAIL, SystemdLog
from conformance.recipes.systemd_journal.online import six_entries_online


def _lengthen(log: SystemdLog, bytes: int) -> None:
    log.set("header.header_size", log.header.header_size + bytes)


@HEADER.damaged(five_entries, "SDJ-004", "SDJ-048")
def header_size_past_the_first_entry(log: SystemdLog) -> None:
    """The header size is 1,024 bytes too large, so the header covers the tables, the first entry
    and the first array. All of these are lost.

    Two more entries are lost before the first known object.
    """
    _lengthen(log, 1024)
    left = [log.without(3, "PRIORITY", "_HOSTNAME"), log.without(4, "_HOSTNAME")]
    log.expect("damaged", "bad-header", survivors=left)


@TORN_TAIL.damaged(six_entries_online, "SDJ-004", "SDJ-052")
def header_size_past_five_entries_online(log: SystemdLog) -> None:
    """In an online file, the header size is 2,048 bytes too large. This is damage, not a tear,
    because no append changes the header size."""
    _lengthen(log, 2048)
    log.expect("damaged", "bad-header", survivors=[])


HEADER.table("""
header_size_past_the_start_of_a_table: five_entries SDJ-004 SDJ-048
    The header size is 16 bytes too large, so the header ends inside the FIELD table.
    lengthen: 16
    expect: damaged bad-header, survivors 0-4
header_size_past_the_start_of_a_table_at_208: header_of_208_bytes SDJ-003 SDJ-004 SDJ-048
    The header size of a 208-byte header is 16 bytes too large, so the header ends inside the FIELD
    table.
    lengthen: 16
    expect: damaged bad-header, survivors 0-3
header_size_past_the_first_array_and_no_tables: file_without_tables SDJ-004 SDJ-016
    In a file without hash tables, the header size is 1,024 bytes too large. Only
    `entry_array_offset` shows that objects are skipped.
    lengthen: 1024
    expect: damaged bad-header, no survivors
table_in_the_last_bytes_of_the_header: five_entries SDJ-003 SDJ-004 SDJ-016
    `field_hash_table_offset` points into the header, where no table begins. The only faults are the
    offset and the size that the header gives for this table.
    damage: set header.field_hash_table_offset to 240
    expect: damaged bad-header, survivors 0-4
""")
