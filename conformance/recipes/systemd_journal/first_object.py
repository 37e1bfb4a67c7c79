"""A header that says that it is longer than it is: the first objects lie inside it (SDJ-004)."""

from conformance.recipes.systemd_journal.combinations import header_of_208_bytes
from conformance.recipes.systemd_journal.layouts import five_entries
from conformance.recipes.systemd_journal.log import BOOK, SystemdLog
from conformance.recipes.systemd_journal.online import six_entries_online
from conformance.recipes.systemd_journal.tables import file_without_tables


def _lengthen(log: SystemdLog, bytes: int) -> None:
    log.set("header.header_size", log.header.header_size + bytes)


@BOOK.damaged(five_entries, "header", "SDJ-004", "SDJ-048")
def header_size_past_the_start_of_a_table(log: SystemdLog) -> None:
    """A bit of the header size: the FIELD table begins 16 bytes before the first object."""
    _lengthen(log, 16)
    log.expect("damaged", "bad-header", survivors=range(5))


@BOOK.damaged(five_entries, "header", "SDJ-004", "SDJ-048")
def header_size_past_the_first_entry(log: SystemdLog) -> None:
    """A bit of the header size: an entry, the tables and the main chain lie inside, and are lost.

    Two more entries follow before the first object that a link from outside knows.
    """
    _lengthen(log, 1024)
    left = [log.without(3, "PRIORITY", "_HOSTNAME"), log.without(4, "_HOSTNAME")]
    log.expect("damaged", "bad-header", survivors=left)


@BOOK.damaged(six_entries_online, "torn-tail", "SDJ-004", "SDJ-052")
def header_size_past_five_entries_online(log: SystemdLog) -> None:
    """The same of a file that is online: no append changes the header size, so nothing is torn."""
    _lengthen(log, 2048)
    log.expect("damaged", "bad-header", survivors=[])


@BOOK.damaged(header_of_208_bytes, "header", "SDJ-003", "SDJ-004", "SDJ-048")
def header_size_past_the_start_of_a_table_at_208(log: SystemdLog) -> None:
    """The FIELD table begins where the shortest header ends, 16 bytes before the first object."""
    _lengthen(log, 16)
    log.expect("damaged", "bad-header", survivors=range(4))


@BOOK.damaged(file_without_tables, "header", "SDJ-004", "SDJ-016")
def header_size_past_the_first_array_and_no_tables(log: SystemdLog) -> None:
    """Only the main chain tells where objects are: the first entry is before its array."""
    _lengthen(log, 1024)
    log.expect("damaged", "bad-header", survivors=[])


@BOOK.damaged(five_entries, "header", "SDJ-003", "SDJ-004", "SDJ-016")
def table_in_the_last_bytes_of_the_header(log: SystemdLog) -> None:
    """The header places a table inside itself, and there is none: only the place is wrong."""
    log.set("header.field_hash_table_offset", 224 + 16)
    log.expect("damaged", "bad-header", survivors=range(5))
