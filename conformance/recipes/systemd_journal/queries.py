"""Matching and seeking, in which the context selects some of the entries."""

from conformance.recipes.systemd_journal.layouts import (
    five_entries,
    thirty_entries,
    thirty_entries_compact,
)
from conformance.recipes.systemd_journal.log import FIVE, QUERIES, START, SystemdLog
from reference_impl.systemd_journal import layout


@QUERIES.damaged(thirty_entries, "SDJ-060", kind="valid")
def match_of_a_shared_field(log: SystemdLog) -> None:
    """A match for `PRIORITY=1`, which every third entry has."""
    log.context["match"] = "PRIORITY=1"
    log.expect("intact", survivors=range(1, 30, 3))


@QUERIES.damaged(thirty_entries_compact, "SDJ-060", kind="valid")
def match_in_a_compact_file(log: SystemdLog) -> None:
    """A match for `PRIORITY=2`, which every third entry of a compact file has."""
    log.context["match"] = "PRIORITY=2"
    log.expect("intact", survivors=range(2, 30, 3))


@QUERIES.damaged(thirty_entries, "SDJ-060", kind="valid")
def match_of_one_entry(log: SystemdLog) -> None:
    """A match for a value that only one entry has."""
    log.context["match"] = "MESSAGE=hello 17"
    log.expect("intact", survivors=[17])


@QUERIES.damaged(thirty_entries, "SDJ-060", kind="valid")
def match_of_nothing(log: SystemdLog) -> None:
    """A match for a value that no entry has."""
    log.context["match"] = "MESSAGE=hello 99"
    log.expect("intact", survivors=[])


@QUERIES.valid("SDJ-060")
def match_with_one_bucket(log: SystemdLog) -> None:
    """All DATA are in one hash chain. A match finds the right DATA in this chain."""
    log.write(*FIVE, data_buckets=1, field_buckets=1)
    log.context["match"] = "PRIORITY=6"
    log.expect("intact", survivors=[0, 2, 3])


@QUERIES.damaged(five_entries, "SDJ-060", "SDJ-095")
def match_without_a_table(log: SystemdLog) -> None:
    """The DATA table is filled with zeros. A match still returns all matching entries."""
    log.zero(f"{log.path(log.all_of(4)[0])}.body")
    log.context["match"] = "PRIORITY=6"
    log.expect("damaged", "bad-index", survivors=[0, 2, 3])


@QUERIES.damaged(thirty_entries, "SDJ-061", kind="valid")
def seek_by_sequence_number(log: SystemdLog) -> None:
    """A seek to sequence number 13, the first entry in the third array of the main chain."""
    log.context["from_seqnum"] = "13"
    log.expect("intact", survivors=range(12, 30))


@QUERIES.damaged(thirty_entries_compact, "SDJ-061", kind="valid")
def seek_in_a_compact_file(log: SystemdLog) -> None:
    """A seek in a compact file to sequence number 4, the last entry in the first array of the main
    chain."""
    log.context["from_seqnum"] = "4"
    log.expect("intact", survivors=range(3, 30))


@QUERIES.damaged(thirty_entries, "SDJ-061", kind="valid")
def seek_behind_the_end(log: SystemdLog) -> None:
    """A seek to a sequence number after the last entry returns no entries."""
    log.context["from_seqnum"] = "31"
    log.expect("intact", survivors=[])


@QUERIES.damaged(thirty_entries, "SDJ-061", kind="valid")
def seek_by_time(log: SystemdLog) -> None:
    """A seek to a realtime returns the entries from this time on."""
    log.context["from_realtime"] = str(START + 20_000_000)
    log.expect("intact", survivors=range(20, 30))


@QUERIES.valid("SDJ-061")
def seek_by_time_that_goes_back(log: SystemdLog) -> None:
    """The times of the entries are not in order. A seek to a realtime returns every entry with this
    time or a later one."""
    log.begin()
    for number, second in enumerate((5, 9, 2, 7, 1)):
        log.entry_at(START + second * 1_000_000, [f"MESSAGE=number {number}"])
    log.close()
    log.context["from_realtime"] = str(START + 5_000_000)
    log.expect("intact", survivors=[0, 1, 3])


@QUERIES.damaged(thirty_entries, "SDJ-060", "SDJ-061", kind="valid")
def match_from_a_time_on(log: SystemdLog) -> None:
    """A match is combined with a seek to a realtime. Entries must meet both conditions."""
    log.context["match"] = "PRIORITY=0"
    log.context["from_realtime"] = str(START + 10_000_000)
    log.expect("intact", survivors=range(12, 30, 3))


@QUERIES.damaged(five_entries, "SDJ-060")
def match_of_a_lost_field(log: SystemdLog) -> None:
    """A match for a field with a wrong hash returns no entries, but the damage is still
    reported."""
    log.flip(f"{log.of('MESSAGE=bravo')}.body.payload", 70)
    log.context["match"] = "MESSAGE=bravo"
    log.expect("damaged", "hash-mismatch", survivors=[])


@QUERIES.damaged(five_entries, "SDJ-060", kind="valid")
def match_of_an_empty_list(log: SystemdLog) -> None:
    """A match with an empty list returns all entries."""
    log.context["match"] = []
    log.expect("intact", survivors=range(5))


@QUERIES.damaged(five_entries, "SDJ-060", kind="valid")
def match_of_a_text_without_a_value_and_another(log: SystemdLog) -> None:
    """A match for `MESSAGE` or `MESSAGE=bravo` returns the entry with `MESSAGE=bravo`. No entry
    matches a text without `=`."""
    log.context["match"] = ["MESSAGE", "MESSAGE=bravo"]
    log.expect("intact", survivors=[1])


@QUERIES.damaged(five_entries, "SDJ-060", kind="valid")
def match_of_a_text_without_a_value_and_another_field(log: SystemdLog) -> None:
    """A match for `MESSAGE` and `PRIORITY=6` returns no entries, because no entry matches a text
    without `=`."""
    log.context["match"] = ["MESSAGE", "PRIORITY=6"]
    log.expect("intact", survivors=[])


@QUERIES.damaged(five_entries, "SDJ-060", "SDJ-061", kind="valid")
def match_of_several_fields_from_a_number_on(log: SystemdLog) -> None:
    """A match for either of two priorities and for a host name is combined with a seek to sequence
    number 2. Entries must meet all conditions."""
    log.context["match"] = ["PRIORITY=6", "_HOSTNAME=host", "PRIORITY=4"]
    log.context["from_seqnum"] = 2
    log.expect("intact", survivors=[2, 3, 4])


@QUERIES.damaged(five_entries, "SDJ-056", "SDJ-060")
def match_before_damage(log: SystemdLog) -> None:
    """A strict reader with a match returns the matching entries before the damage."""
    log.flip(f"{log.of('MESSAGE=echo')}.body.payload", 70)
    log.context["match"] = "PRIORITY=6"
    log.expect("damaged", "hash-mismatch", survivors=[0, 2, 3])


@QUERIES.damaged(five_entries, "SDJ-043", "SDJ-056")
def strict_before_a_lost_field(log: SystemdLog) -> None:
    """A strict reader stops at the second entry, because an item of this entry points to a lost
    field later in the file."""
    items = list(log.view.items(log.all_of(layout.ENTRY)[1]))
    number = items.index(log.offset_of("MESSAGE=bravo"))
    log.set(f"{log.entry(1)}.body.items[{number}].ofs_data", log.offset_of("MESSAGE=echo"))
    log.flip(f"{log.of('MESSAGE=echo')}.body.payload", 70)
    second, last = log.without(1, "MESSAGE"), log.without(4, "MESSAGE")
    log.expect("damaged", "hash-mismatch", survivors=[0, second, 2, 3, last])
    log.note("If a strict reader continued, no lost range would explain the missing field.")


@QUERIES.damaged(five_entries, "SDJ-060")
def match_of_a_changed_field(log: SystemdLog) -> None:
    """A flipped bit changes a value to `MESSAGE=cravo`. A match for this value returns no entries,
    because the hash is wrong."""
    log.flip(f"{log.of('MESSAGE=bravo')}.body.payload", 64)
    log.context["match"] = "MESSAGE=cravo"
    log.expect("damaged", "hash-mismatch", survivors=[])
