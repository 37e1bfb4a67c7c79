"""Headers whose ``header_size`` is too large, so that it covers the first objects (SDJ-004)."""

from conformance.recipes.systemd_journal.combinations import header_of_208_bytes
from conformance.recipes.systemd_journal.layouts import five_entries
from conformance.recipes.systemd_journal.log import BOOK, SystemdLog
from conformance.recipes.systemd_journal.online import six_entries_online
from conformance.recipes.systemd_journal.tables import file_without_tables


def _lengthen(log: SystemdLog, bytes: int) -> None:
    log.set("header.header_size", log.header.header_size + bytes)


@BOOK.damaged(five_entries, "header", "SDJ-004", "SDJ-048")
def header_size_past_the_start_of_a_table(log: SystemdLog) -> None:
    """The header size is 16 bytes too large and ends inside the FIELD table."""
    _lengthen(log, 16)
    log.expect("damaged", "bad-header", survivors=range(5))


@BOOK.damaged(five_entries, "header", "SDJ-004", "SDJ-048")
def header_size_past_the_first_entry(log: SystemdLog) -> None:
    """The header size is 1,024 bytes too large and covers the tables, the first entry and the first
    array, which are lost.

    Two more entries are lost before the first known object.
    """
    _lengthen(log, 1024)
    left = [log.without(3, "PRIORITY", "_HOSTNAME"), log.without(4, "_HOSTNAME")]
    log.expect("damaged", "bad-header", survivors=left)


@BOOK.damaged(six_entries_online, "torn-tail", "SDJ-004", "SDJ-052")
def header_size_past_five_entries_online(log: SystemdLog) -> None:
    """In an online file, the header size is 2,048 bytes too large. This is damage, not a tear,
    because no append changes the header size.
    """
    _lengthen(log, 2048)
    log.expect("damaged", "bad-header", survivors=[])


@BOOK.damaged(header_of_208_bytes, "header", "SDJ-003", "SDJ-004", "SDJ-048")
def header_size_past_the_start_of_a_table_at_208(log: SystemdLog) -> None:
    """The header size of a header of 208 bytes is 16 bytes too large and ends inside the FIELD
    table.
    """
    _lengthen(log, 16)
    log.expect("damaged", "bad-header", survivors=range(4))


@BOOK.damaged(file_without_tables, "header", "SDJ-004", "SDJ-016")
def header_size_past_the_first_array_and_no_tables(log: SystemdLog) -> None:
    """In a file without hash tables, the header size is 1,024 bytes too large. Only
    `entry_array_offset` shows that objects are skipped.
    """
    _lengthen(log, 1024)
    log.expect("damaged", "bad-header", survivors=[])


@BOOK.damaged(five_entries, "header", "SDJ-003", "SDJ-004", "SDJ-016")
def table_in_the_last_bytes_of_the_header(log: SystemdLog) -> None:
    """`field_hash_table_offset` points into the header, where no table begins. Only the offset and
    the size of the table in the header are faults.
    """
    log.set("header.field_hash_table_offset", 224 + 16)
    log.expect("damaged", "bad-header", survivors=range(5))
