"""Sealed files, with changes that a seal reveals to a reader with the key, and undetectable
changes."""

from typing import Any

from conformance.recipes.systemd_journal.log import FIVE, KEY, SEALED_START, SEALS, SystemdLog
from reference_impl.systemd_journal import layout

ALL = range(5)
OTHER_KEY = "c262bd-85187f-0b1b04-877cc5/ab344fa-989680"


def _sealed(log: SystemdLog, step: int = 4_000_000, **more: Any) -> None:
    """Write five entries, one every four seconds, with epochs of ten seconds."""
    options = {"key": KEY, "continuous": False, **more}
    log.write(*FIVE, first=SEALED_START, step=step, **options)


@SEALS.valid("SDJ-073", "SDJ-075")
def sealed_file(log: SystemdLog) -> None:
    """A sealed file with two epochs and three tags. A reader with the key verifies all seals."""
    _sealed(log)
    log.context["key"] = KEY
    log.expect("intact", survivors=ALL)


@SEALS.valid("SDJ-075")
def sealed_file_without_the_key(log: SystemdLog) -> None:
    """A reader without the key reads a sealed file like any other file."""
    _sealed(log)
    log.expect("intact", survivors=ALL)


@SEALS.valid("SDJ-070", "SDJ-075")
def no_seals_and_a_key_that_is_none(log: SystemdLog) -> None:
    """A reader ignores an invalid key if the file is not sealed."""
    log.write(*FIVE)
    log.context["key"] = "no key"
    log.expect("intact", survivors=ALL)


@SEALS.valid("SDJ-073", "SDJ-074")
def sealed_file_with_a_gap(log: SystemdLog) -> None:
    """A sealed file in which epochs without entries have no seal, as systemd wrote it before
    version 255."""
    _sealed(log, step=25_000_000)
    log.context["key"] = KEY
    log.expect("intact", survivors=ALL)


@SEALS.valid("SDJ-073", "SDJ-074")
def sealed_file_with_a_seal_for_each_epoch(log: SystemdLog) -> None:
    """A sealed file in which even epochs without entries have a seal, as systemd has written it
    since version 255."""
    _sealed(log, step=25_000_000, continuous=True, header_size=272)
    log.context["key"] = KEY
    log.expect("intact", survivors=ALL)


@SEALS.valid("SDJ-075")
def last_segment_without_a_seal(log: SystemdLog) -> None:
    """In an online file, entries after the last tag have no seal. This is not a fault."""
    log.context["key"] = KEY
    log.begin(key=KEY, continuous=False, state=1)
    for number, fields in enumerate(FIVE):
        log.entry_at(SEALED_START + number * 4_000_000, fields)
    log.close_without_a_seal()
    log.expect("intact", survivors=ALL)


@SEALS.damaged(sealed_file, "SDJ-072", "SDJ-075")
def sealed_value_rewritten(log: SystemdLog) -> None:
    """A value and its hash are changed together. The seal and the hash table reveal this change."""
    log.set(f"{log.of('MESSAGE=bravo')}.body.payload", b"MESSAGE=BRAVO")
    log.rehash("MESSAGE=bravo")
    changed = log.payloads[1].replace(b"bravo", b"BRAVO")
    at = log.offset_of("MESSAGE=bravo")
    log.expect("damaged", "bad-index", survivors=[0, changed, 2, 3, 4])
    log.note(f"The DATA at {at} is in the bucket of its old hash, so the link to it is a fault.")


@SEALS.damaged(sealed_file, "SDJ-074", "SDJ-057")
def tag_epoch_huge(log: SystemdLog) -> None:
    """The last tag has epoch 2^63. A reader must not compute the key of this epoch step by step."""
    log.set(f"{log.tag(2)}.body.epoch", 1 << 63)
    log.expect("damaged", "bad-seal", survivors=ALL)


@SEALS.damaged(sealed_file, "SDJ-074")
def tag_epoch_of_the_first_impossible_time(log: SystemdLog) -> None:
    """The last tag has epoch 2^55, the lowest epoch that is too large. A reader does not verify its
    seal."""
    log.set(f"{log.tag(2)}.body.epoch", 1 << 55)
    log.expect("damaged", "bad-seal", survivors=ALL)


@SEALS.damaged(sealed_file, "SDJ-070")
def key_of_another_file(log: SystemdLog) -> None:
    """The key belongs to another file, so all seals fail verification."""
    log.context["key"] = OTHER_KEY
    log.expect("damaged", "bad-seal", survivors=ALL)


@SEALS.damaged(sealed_file, "SDJ-076")
def entry_older_than_its_seal(log: SystemdLog) -> None:
    """An entry is two epochs older than the seal that covers it. The seal itself passes
    verification."""
    log.payloads = []
    log.begin(key=KEY, continuous=False)
    log.entry_at(SEALED_START + 25_000_000, ["MESSAGE=on time"])
    log.entry_at(SEALED_START + 1_000_000, ["MESSAGE=the clock went back"])
    log.close()
    log.expect("damaged", "bad-seal", survivors=[0, 1])


@SEALS.damaged(sealed_file, "SDJ-077", kind="corrupt")
def cut_behind_a_seal(log: SystemdLog) -> None:
    """A sealed file ends directly after its second tag. The entries before the tag are returned."""
    log.truncate(log.start(log.tag(1)) + 64)
    log.expect("torn", "torn-file", survivors=[0, 1, 2])


def _one_segment(log: SystemdLog, *times: int, last_ticks: int | None = None) -> None:
    """Write entries at these times after the start, all under one seal of the first epoch.

    ``last_ticks`` replaces the monotonic time of the last entry.
    """
    log.payloads = []
    log.begin(key=KEY, continuous=False)
    log.made._evolve = lambda realtime: None  # type: ignore[method-assign]
    for number, time in enumerate(times):
        log.entry_at(SEALED_START + time, [f"MESSAGE=entry {number}"])
    if last_ticks is not None:
        log.made._set(log.made.header.tail_entry_offset + 32, last_ticks)
    log.close()


@SEALS.damaged(sealed_file, "SDJ-015", "SDJ-076")
def lost_entry_of_another_epoch_than_its_seal(log: SystemdLog) -> None:
    """An invalid entry is outside the epoch of its seal. The epoch of the seal is a fault even
    though the entry is lost."""
    _one_segment(log, 0, 10_000_000, last_ticks=layout.TIME_LIMIT)
    log.expect("damaged", "bad-entry", survivors=[0])


@SEALS.damaged(sealed_file, "SDJ-005", "SDJ-070")
def refused_file_and_a_key_that_is_none(log: SystemdLog) -> None:
    """A reader refuses a file with an unknown incompatible flag and ignores the invalid key."""
    log.set("header.incompatible_flags", 32)
    log.context["key"] = "no key"
    log.expect("refused", "unsupported-flag")


@SEALS.damaged(sealed_file, "SDJ-050", "SDJ-070", kind="corrupt")
def torn_header_and_a_key_that_is_none(log: SystemdLog) -> None:
    """A file ends inside its header. A reader reports it as torn and ignores the invalid key."""
    log.truncate(200)
    log.context["key"] = "no key"
    log.expect("torn", "torn-header", end=0)


@SEALS.valid("SDJ-071")
def seal_of_a_late_epoch(log: SystemdLog) -> None:
    """A tag of epoch 1,000 follows tags of epoch 0. All seals pass verification."""
    log.context["key"] = KEY
    log.write(*FIVE[:2], first=SEALED_START, step=10_000_000_000, key=KEY, continuous=False)
    log.expect("intact", survivors=range(2))


SEALS.table("""
second_entry_later_than_its_seal: sealed_file SDJ-076
    The second of two entries under one seal is in the next epoch. The seal itself passes
    verification.
    one_segment: 1000000, 11000000
    expect: damaged bad-seal, survivors 0 1
first_entry_earlier_than_its_seal: sealed_file SDJ-076
    The first of two entries under one seal is before the epoch of this seal. The seal itself passes
    verification.
    one_segment: -5000000, 1000000
    expect: damaged bad-seal, survivors 0 1
entry_at_the_end_of_its_epoch: sealed_file SDJ-076
    The time of an entry is the first microsecond of the next epoch, outside the epoch of its seal.
    The seal itself passes verification.
    one_segment: 0, 10000000
    expect: damaged bad-seal, survivors 0 1
seal_flipped: sealed_file SDJ-075
    Bit 100 of the second seal is flipped.
    damage: flip bit 100 of tag(1).body.tag
    expect: damaged bad-seal, survivors 0-4
sealed_time_changed: sealed_file SDJ-072 SDJ-075
    Bit 3 of the realtime of an entry is flipped. Only the seal detects this change.
    damage: flip bit 3 of entry(1).body.realtime
    expect: damaged bad-seal, survivors 0-4
sealed_time_changed_and_no_key: sealed_file_without_the_key SDJ-075
    Bit 3 of the realtime of an entry is flipped. Without the key, a reader cannot detect this
    change.
    damage: flip bit 3 of entry(1).body.realtime
    expect: intact, survivors 0-4
sealed_machine_id_changed: sealed_file SDJ-072 SDJ-075
    The machine id, which the first seal covers, is changed.
    damage: fill header.machine_id with 01
    expect: damaged bad-seal, survivors 0-4
sealed_object_flag_set: sealed_file SDJ-072
    An unknown flag of a DATA is set. Readers ignore the flag, but the seal covers it.
    damage: set of(MESSAGE=bravo).flags to 64
    expect: damaged bad-seal, survivors 0-4
sealed_padding_changed: sealed_file SDJ-072 SDJ-077
    The padding of a DATA is changed. The seal does not cover padding.
    damage: fill of(MESSAGE=bravo).padding with aa
    expect: intact, survivors 0-4
sealed_state_changed: sealed_file SDJ-072 SDJ-077
    The state of a sealed file is changed. The seal does not cover the state.
    damage: set header.state to 2
    expect: intact, survivors 0-4
tag_number_changed: sealed_file SDJ-073
    The second tag has the number 7 instead of 2.
    damage: set tag(1).body.seqnum to 7
    expect: damaged bad-seal, survivors 0-4
tag_epoch_changed: sealed_file SDJ-074
    The second tag has epoch 9 instead of 0. Its seal fails verification, and the epoch of the next
    tag is lower.
    damage: set tag(1).body.epoch to 9
    expect: damaged bad-seal, survivors 0-4
tag_of_another_size: sealed_file SDJ-018 SDJ-011
    The second TAG has a size of 72 bytes instead of 64.
    damage: set tag(1).len_object to 72
    expect: damaged bad-object, survivors 0-4
sealed_flag_cleared: sealed_file SDJ-006 SDJ-073
    The sealed flag is cleared in a file with tags. Each tag is a fault.
    damage: set header.compatible_flags to 0
    expect: damaged bad-seal, survivors 0-4
sealed_flag_set: five_entries SDJ-006 SDJ-073
    The sealed flag is set in a file without tags. Each entry is a fault.
    damage: set header.compatible_flags to 1
    expect: damaged bad-seal, survivors 0-4
first_tag_number_changed: sealed_file SDJ-073
    The first of three tags has the number 2 instead of 1. The other tags keep their numbers and are
    not faults.
    damage: set tag(0).body.seqnum to 2
    expect: damaged bad-seal, survivors 0-4
sealed_payload_flipped: sealed_file SDJ-072 SDJ-075
    Bit 70 of a payload is flipped. The field is lost, and the seal that covers it fails
    verification.
    damage: flip bit 70 of of(MESSAGE=alpha).body.payload
    expect: damaged hash-mismatch, survivors without(0, MESSAGE) 1-4
lost_entry_before_the_first_tag: sealed_file_without_the_key SDJ-073
    The first tag is lost, and the first entry is invalid. The invalid entry still counts as an
    entry before all tags.
    damage: zero tag(0).type
    damage: zero entry(0).body.seqnum
    expect: damaged bad-object, survivors 1-4
gap_in_seals_without_gaps: sealed_file_with_a_gap SDJ-006 SDJ-074
    The header states that the file is sealed without gaps, but some epochs have no seal.
    damage: set header.compatible_flags to 5
    expect: damaged bad-seal, survivors 0-4
""")
