"""Matching and seeking: the context asks for some of the entries."""

from conformance.recipes.systemd_journal.layouts import (
    five_entries,
    thirty_entries,
    thirty_entries_compact,
)
from conformance.recipes.systemd_journal.log import BOOK, FIVE, START, SystemdLog
from reference_impl.systemd_journal import layout


@BOOK.damaged(thirty_entries, "queries", "SDJ-060", kind="valid")
def match_of_a_shared_field(log: SystemdLog) -> None:
    """Every third entry has PRIORITY=1."""
    log.context["match"] = "PRIORITY=1"
    log.expect("intact", survivors=range(1, 30, 3))


@BOOK.damaged(thirty_entries_compact, "queries", "SDJ-060", kind="valid")
def match_in_a_compact_file(log: SystemdLog) -> None:
    """Every third entry of a compact file."""
    log.context["match"] = "PRIORITY=2"
    log.expect("intact", survivors=range(2, 30, 3))


@BOOK.damaged(thirty_entries, "queries", "SDJ-060", kind="valid")
def match_of_one_entry(log: SystemdLog) -> None:
    """A value that one entry has."""
    log.context["match"] = "MESSAGE=hello 17"
    log.expect("intact", survivors=[17])


@BOOK.damaged(thirty_entries, "queries", "SDJ-060", kind="valid")
def match_of_nothing(log: SystemdLog) -> None:
    """A value that no entry has."""
    log.context["match"] = "MESSAGE=hello 99"
    log.expect("intact", survivors=[])


@BOOK.valid("queries", "SDJ-060")
def match_with_one_bucket(log: SystemdLog) -> None:
    """All DATA in one chain: the one with the right value must be found."""
    log.write(*FIVE, data_buckets=1, field_buckets=1)
    log.context["match"] = "PRIORITY=6"
    log.expect("intact", survivors=[0, 2, 3])


@BOOK.damaged(five_entries, "queries", "SDJ-060", "SDJ-095")
def match_without_a_table(log: SystemdLog) -> None:
    """The table is damaged: a match must not miss entries for that."""
    log.zero(f"{log.path(log.all_of(4)[0])}.body")
    log.context["match"] = "PRIORITY=6"
    log.expect("damaged", "bad-index", survivors=[0, 2, 3])


@BOOK.damaged(thirty_entries, "queries", "SDJ-061", kind="valid")
def seek_by_sequence_number(log: SystemdLog) -> None:
    """From the entry with sequence number 13 on: it is in the third array."""
    log.context["from_seqnum"] = "13"
    log.expect("intact", survivors=range(12, 30))


@BOOK.damaged(thirty_entries_compact, "queries", "SDJ-061", kind="valid")
def seek_in_a_compact_file(log: SystemdLog) -> None:
    """From the entry with sequence number 4 on: the last one of the first array."""
    log.context["from_seqnum"] = "4"
    log.expect("intact", survivors=range(3, 30))


@BOOK.damaged(thirty_entries, "queries", "SDJ-061", kind="valid")
def seek_behind_the_end(log: SystemdLog) -> None:
    """From a sequence number that is not there yet."""
    log.context["from_seqnum"] = "31"
    log.expect("intact", survivors=[])


@BOOK.damaged(thirty_entries, "queries", "SDJ-061", kind="valid")
def seek_by_time(log: SystemdLog) -> None:
    """From a given time."""
    log.context["from_realtime"] = str(START + 20_000_000)
    log.expect("intact", survivors=range(20, 30))


@BOOK.valid("queries", "SDJ-061")
def seek_by_time_that_goes_back(log: SystemdLog) -> None:
    """Times are in no order: every entry that is not too early belongs to the answer."""
    log.begin()
    for number, second in enumerate((5, 9, 2, 7, 1)):
        log.entry_at(START + second * 1_000_000, [f"MESSAGE=number {number}"])
    log.close()
    log.context["from_realtime"] = str(START + 5_000_000)
    log.expect("intact", survivors=[0, 1, 3])


@BOOK.damaged(thirty_entries, "queries", "SDJ-060", "SDJ-061", kind="valid")
def match_from_a_time_on(log: SystemdLog) -> None:
    """A match, from a given time."""
    log.context["match"] = "PRIORITY=0"
    log.context["from_realtime"] = str(START + 10_000_000)
    log.expect("intact", survivors=range(12, 30, 3))


@BOOK.damaged(five_entries, "queries", "SDJ-060")
def match_of_a_lost_field(log: SystemdLog) -> None:
    """A field with a wrong hash matches nothing, and all damage is reported all the same."""
    log.flip(f"{log.of('MESSAGE=bravo')}.body.payload", 70)
    log.context["match"] = "MESSAGE=bravo"
    log.expect("damaged", "hash-mismatch", survivors=[])


@BOOK.damaged(five_entries, "queries", "SDJ-060", kind="valid")
def match_of_an_empty_list(log: SystemdLog) -> None:
    """A list without fields asks for nothing: all entries are returned."""
    log.context["match"] = []
    log.expect("intact", survivors=range(5))


@BOOK.damaged(five_entries, "queries", "SDJ-060", kind="valid")
def match_of_a_text_without_a_value_and_another(log: SystemdLog) -> None:
    """A text without ``=`` is a value of its field that no entry has: the other one is enough."""
    log.context["match"] = ["MESSAGE", "MESSAGE=bravo"]
    log.expect("intact", survivors=[1])


@BOOK.damaged(five_entries, "queries", "SDJ-060", kind="valid")
def match_of_a_text_without_a_value_and_another_field(log: SystemdLog) -> None:
    """A text without ``=`` asks for its field, and no entry has such a value."""
    log.context["match"] = ["MESSAGE", "PRIORITY=6"]
    log.expect("intact", survivors=[])


@BOOK.damaged(five_entries, "queries", "SDJ-060", "SDJ-061", kind="valid")
def match_of_several_fields_from_a_number_on(log: SystemdLog) -> None:
    """One of two priorities, the name of the host, and a number: all must hold."""
    log.context["match"] = ["PRIORITY=6", "_HOSTNAME=host", "PRIORITY=4"]
    log.context["from_seqnum"] = 2
    log.expect("intact", survivors=[2, 3, 4])


@BOOK.damaged(five_entries, "queries", "SDJ-056", "SDJ-060")
def match_before_damage(log: SystemdLog) -> None:
    """Strict and a match: of the entries before the damage, those that match."""
    log.flip(f"{log.of('MESSAGE=echo')}.body.payload", 70)
    log.context["match"] = "PRIORITY=6"
    log.expect("damaged", "hash-mismatch", survivors=[0, 2, 3])


@BOOK.damaged(five_entries, "queries", "SDJ-043", "SDJ-056")
def strict_before_a_lost_field(log: SystemdLog) -> None:
    """Strict: an item of the second entry leads to a field that is lost later in the file."""
    items = list(log.view.items(log.all_of(layout.ENTRY)[1]))
    number = items.index(log.offset_of("MESSAGE=bravo"))
    log.set(f"{log.entry(1)}.body.items[{number}].ofs_data", log.offset_of("MESSAGE=echo"))
    log.flip(f"{log.of('MESSAGE=echo')}.body.payload", 70)
    second, last = log.without(1, "MESSAGE"), log.without(4, "MESSAGE")
    log.expect("damaged", "hash-mismatch", survivors=[0, second, 2, 3, last])
    log.note("Strict stops before that entry. If it went on, no lost range would tell of it.")


@BOOK.damaged(five_entries, "queries", "SDJ-060")
def match_of_a_changed_field(log: SystemdLog) -> None:
    """What a field became by damage matches nothing either: only sound fields count."""
    log.flip(f"{log.of('MESSAGE=bravo')}.body.payload", 64)
    log.context["match"] = "MESSAGE=cravo"
    log.expect("damaged", "hash-mismatch", survivors=[])
