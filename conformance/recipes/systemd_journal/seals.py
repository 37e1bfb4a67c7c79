"""Sealed files: changes that a seal detects with the key, and changes that are undetectable."""

from typing import Any

from conformance.recipes.systemd_journal.layouts import five_entries
from conformance.recipes.systemd_journal.log import BOOK, FIVE, KEY, SEALED_START, SystemdLog
from reference_impl.systemd_journal import layout

ALL = range(5)
OTHER_KEY = "c262bd-85187f-0b1b04-877cc5/ab344fa-989680"


def _sealed(log: SystemdLog, step: int = 4_000_000, **more: Any) -> None:
    """Write five entries, one every four seconds, with epochs of ten seconds."""
    options = {"key": KEY, "continuous": False, **more}
    log.write(*FIVE, first=SEALED_START, step=step, **options)


@BOOK.valid("seals", "SDJ-073", "SDJ-075")
def sealed_file(log: SystemdLog) -> None:
    """A sealed file with two epochs and three tags. A reader with the key verifies all seals."""
    _sealed(log)
    log.context["key"] = KEY
    log.expect("intact", survivors=ALL)


@BOOK.valid("seals", "SDJ-075")
def sealed_file_without_the_key(log: SystemdLog) -> None:
    """A reader without the key reads a sealed file like any other file."""
    _sealed(log)
    log.expect("intact", survivors=ALL)


@BOOK.valid("seals", "SDJ-070", "SDJ-075")
def no_seals_and_a_key_that_is_none(log: SystemdLog) -> None:
    """A reader ignores an invalid key if the file is not sealed."""
    log.write(*FIVE)
    log.context["key"] = "no key"
    log.expect("intact", survivors=ALL)


@BOOK.valid("seals", "SDJ-073", "SDJ-074")
def sealed_file_with_a_gap(log: SystemdLog) -> None:
    """A sealed file in which epochs without entries have no seal, as before systemd 255."""
    _sealed(log, step=25_000_000)
    log.context["key"] = KEY
    log.expect("intact", survivors=ALL)


@BOOK.valid("seals", "SDJ-073", "SDJ-074")
def sealed_file_with_a_seal_for_each_epoch(log: SystemdLog) -> None:
    """A sealed file in which even epochs without entries have a seal, as since systemd 255."""
    _sealed(log, step=25_000_000, continuous=True, header_size=272)
    log.context["key"] = KEY
    log.expect("intact", survivors=ALL)


@BOOK.valid("seals", "SDJ-075")
def last_segment_without_a_seal(log: SystemdLog) -> None:
    """In an online file, entries after the last tag have no seal. This is not a fault."""
    log.context["key"] = KEY
    log.begin(key=KEY, continuous=False, state=1)
    for number, fields in enumerate(FIVE):
        log.entry_at(SEALED_START + number * 4_000_000, fields)
    log.close_without_a_seal()
    log.expect("intact", survivors=ALL)


@BOOK.damaged(sealed_file, "seals", "SDJ-075")
def seal_flipped(log: SystemdLog) -> None:
    """Bit 100 of the second seal is flipped."""
    log.flip(f"{log.tag(1)}.body.tag", 100)
    log.expect("damaged", "bad-seal", survivors=ALL)


@BOOK.damaged(sealed_file, "seals", "SDJ-072", "SDJ-075")
def sealed_time_changed(log: SystemdLog) -> None:
    """Bit 3 of the realtime of an entry is flipped. Only the seal detects this change."""
    log.flip(f"{log.entry(1)}.body.realtime", 3)
    log.expect("damaged", "bad-seal", survivors=ALL)


@BOOK.damaged(sealed_file_without_the_key, "seals", "SDJ-075")
def sealed_time_changed_and_no_key(log: SystemdLog) -> None:
    """Bit 3 of the realtime of an entry is flipped. Without the key, a reader cannot detect this
    change.
    """
    log.flip(f"{log.entry(1)}.body.realtime", 3)
    log.expect("intact", survivors=ALL)


@BOOK.damaged(sealed_file, "seals", "SDJ-072", "SDJ-075")
def sealed_value_rewritten(log: SystemdLog) -> None:
    """A value and its hash are changed together. The seal and the hash table detect this change."""
    log.set(f"{log.of('MESSAGE=bravo')}.body.payload", b"MESSAGE=BRAVO")
    log.rehash("MESSAGE=bravo")
    changed = log.payloads[1].replace(b"bravo", b"BRAVO")
    at = log.offset_of("MESSAGE=bravo")
    log.expect("damaged", "bad-index", survivors=[0, changed, 2, 3, 4])
    log.note(f"The DATA at {at} is in the bucket of its old hash, so the link to it is a fault.")


@BOOK.damaged(sealed_file, "seals", "SDJ-072", "SDJ-075")
def sealed_machine_id_changed(log: SystemdLog) -> None:
    """The machine id, which the first seal covers, is changed."""
    log.fill("header.machine_id", 1)
    log.expect("damaged", "bad-seal", survivors=ALL)


@BOOK.damaged(sealed_file, "seals", "SDJ-072")
def sealed_object_flag_set(log: SystemdLog) -> None:
    """An unknown flag of a DATA is set. Readers ignore the flag, but the seal covers it."""
    log.set(f"{log.of('MESSAGE=bravo')}.flags", 0x40)
    log.expect("damaged", "bad-seal", survivors=ALL)


@BOOK.damaged(sealed_file, "seals", "SDJ-072", "SDJ-077")
def sealed_padding_changed(log: SystemdLog) -> None:
    """The padding of a DATA is changed. The seal does not cover padding."""
    log.fill(f"{log.of('MESSAGE=bravo')}.padding", 0xAA)
    log.expect("intact", survivors=ALL)


@BOOK.damaged(sealed_file, "seals", "SDJ-072", "SDJ-077")
def sealed_state_changed(log: SystemdLog) -> None:
    """The state of a sealed file is changed. The seal does not cover the state."""
    log.set("header.state", 2)
    log.expect("intact", survivors=ALL)


@BOOK.damaged(sealed_file, "seals", "SDJ-073")
def tag_number_changed(log: SystemdLog) -> None:
    """The second tag has the number 7 instead of 2."""
    log.set(f"{log.tag(1)}.body.seqnum", 7)
    log.expect("damaged", "bad-seal", survivors=ALL)


@BOOK.damaged(sealed_file, "seals", "SDJ-074")
def tag_epoch_changed(log: SystemdLog) -> None:
    """The second tag has epoch 9 instead of 0. Its seal fails verification, and the next epoch is
    lower.
    """
    log.set(f"{log.tag(1)}.body.epoch", 9)
    log.expect("damaged", "bad-seal", survivors=ALL)


@BOOK.damaged(sealed_file, "seals", "SDJ-074", "SDJ-057")
def tag_epoch_huge(log: SystemdLog) -> None:
    """The last tag has epoch 2^63. A reader must not compute the key of this epoch step by step."""
    log.set(f"{log.tag(2)}.body.epoch", 1 << 63)
    log.expect("damaged", "bad-seal", survivors=ALL)


@BOOK.damaged(sealed_file, "seals", "SDJ-074")
def tag_epoch_of_the_first_impossible_time(log: SystemdLog) -> None:
    """The last tag has epoch 2^55, the lowest epoch that is too large. A reader does not verify its
    seal.
    """
    log.set(f"{log.tag(2)}.body.epoch", 1 << 55)
    log.expect("damaged", "bad-seal", survivors=ALL)


@BOOK.damaged(sealed_file, "seals", "SDJ-070")
def key_of_another_file(log: SystemdLog) -> None:
    """The key belongs to another file, so all seals fail verification."""
    log.context["key"] = OTHER_KEY
    log.expect("damaged", "bad-seal", survivors=ALL)


@BOOK.damaged(sealed_file, "seals", "SDJ-018", "SDJ-011")
def tag_of_another_size(log: SystemdLog) -> None:
    """The second TAG has a size of 72 bytes instead of 64."""
    log.set(f"{log.tag(1)}.len_object", 72)
    log.expect("damaged", "bad-object", survivors=ALL)


@BOOK.damaged(sealed_file, "seals", "SDJ-006", "SDJ-073")
def sealed_flag_cleared(log: SystemdLog) -> None:
    """The sealed flag is cleared in a file with tags. Each tag is a fault."""
    log.set("header.compatible_flags", 0)
    log.expect("damaged", "bad-seal", survivors=ALL)


@BOOK.damaged(five_entries, "seals", "SDJ-006", "SDJ-073")
def sealed_flag_set(log: SystemdLog) -> None:
    """The sealed flag is set in a file without tags. Each entry is a fault."""
    log.set("header.compatible_flags", 1)
    log.expect("damaged", "bad-seal", survivors=ALL)


@BOOK.damaged(sealed_file, "seals", "SDJ-076")
def entry_older_than_its_seal(log: SystemdLog) -> None:
    """An entry is two epochs older than the seal that covers it. The seal itself passes
    verification.
    """
    log.payloads = []
    log.begin(key=KEY, continuous=False)
    log.entry_at(SEALED_START + 25_000_000, ["MESSAGE=on time"])
    log.entry_at(SEALED_START + 1_000_000, ["MESSAGE=the clock went back"])
    log.close()
    log.did("write an entry of an epoch that is sealed already")
    log.expect("damaged", "bad-seal", survivors=[0, 1])


@BOOK.damaged(sealed_file, "seals", "SDJ-077")
def cut_behind_a_seal(log: SystemdLog) -> None:
    """A sealed file ends directly after its second tag. The entries before the tag are returned."""
    log.truncate(log.start(log.tag(1)) + 64)
    log.expect("torn", "torn-file", survivors=[0, 1, 2])


@BOOK.damaged(sealed_file, "seals", "SDJ-076")
def second_entry_later_than_its_seal(log: SystemdLog) -> None:
    """The second of two entries under one seal is in the next epoch. The seal itself passes
    verification.
    """
    _one_segment(log, 1_000_000, 11_000_000)
    log.expect("damaged", "bad-seal", survivors=[0, 1])


@BOOK.damaged(sealed_file, "seals", "SDJ-076")
def first_entry_earlier_than_its_seal(log: SystemdLog) -> None:
    """The first of two entries under one seal is before the epoch of this seal. The seal itself
    passes verification.
    """
    _one_segment(log, -5_000_000, 1_000_000)
    log.expect("damaged", "bad-seal", survivors=[0, 1])


@BOOK.damaged(sealed_file, "seals", "SDJ-076")
def entry_at_the_end_of_its_epoch(log: SystemdLog) -> None:
    """The time of an entry is the first microsecond of the next epoch, outside the epoch of its
    seal. The seal itself passes verification.
    """
    _one_segment(log, 0, 10_000_000)
    log.expect("damaged", "bad-seal", survivors=[0, 1])


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
    log.did("write an entry of another epoch under a seal of the first epoch")


@BOOK.damaged(sealed_file, "seals", "SDJ-015", "SDJ-076")
def lost_entry_of_another_epoch_than_its_seal(log: SystemdLog) -> None:
    """An invalid entry is outside the epoch of its seal. The epoch of the seal is a fault even
    though the entry is lost.
    """
    _one_segment(log, 0, 10_000_000, last_ticks=layout.TIME_LIMIT)
    log.expect("damaged", "bad-entry", survivors=[0])


@BOOK.damaged(sealed_file, "seals", "SDJ-005", "SDJ-070")
def refused_file_and_a_key_that_is_none(log: SystemdLog) -> None:
    """A reader refuses a file with an unknown incompatible flag and ignores the invalid key."""
    log.set("header.incompatible_flags", 32)
    log.context["key"] = "no key"
    log.expect("refused", "unsupported-flag")


@BOOK.damaged(sealed_file, "seals", "SDJ-050", "SDJ-070")
def torn_header_and_a_key_that_is_none(log: SystemdLog) -> None:
    """A file ends inside its header. A reader reports it as torn and ignores the invalid key."""
    log.truncate(200)
    log.context["key"] = "no key"
    log.expect("torn", "torn-header", end=0)


@BOOK.valid("seals", "SDJ-071")
def seal_of_a_late_epoch(log: SystemdLog) -> None:
    """A tag of epoch 1,000 follows tags of epoch 0. All seals pass verification."""
    log.context["key"] = KEY
    log.write(*FIVE[:2], first=SEALED_START, step=10_000_000_000, key=KEY, continuous=False)
    log.expect("intact", survivors=range(2))


@BOOK.damaged(sealed_file, "seals", "SDJ-073")
def first_tag_number_changed(log: SystemdLog) -> None:
    """The first of three tags has the number 2 instead of 1. The other tags keep their numbers and
    are not faults.
    """
    log.set(f"{log.tag(0)}.body.seqnum", 2)
    log.expect("damaged", "bad-seal", survivors=ALL)


@BOOK.damaged(sealed_file, "seals", "SDJ-072", "SDJ-075")
def sealed_payload_flipped(log: SystemdLog) -> None:
    """Bit 70 of a payload is flipped. The field is lost, and the seal that covers it fails
    verification.
    """
    log.flip(f"{log.of('MESSAGE=alpha')}.body.payload", 70)
    log.expect("damaged", "hash-mismatch", survivors=[log.without(0, "MESSAGE"), 1, 2, 3, 4])


@BOOK.damaged(sealed_file_without_the_key, "seals", "SDJ-073")
def lost_entry_before_the_first_tag(log: SystemdLog) -> None:
    """The first tag is lost, and the first entry is invalid. The invalid entry still counts as an
    entry before all tags.
    """
    log.zero(f"{log.tag(0)}.type")
    log.zero(f"{log.entry(0)}.body.seqnum")
    log.expect("damaged", "bad-object", survivors=[1, 2, 3, 4])


@BOOK.damaged(sealed_file_with_a_gap, "seals", "SDJ-006", "SDJ-074")
def gap_in_seals_without_gaps(log: SystemdLog) -> None:
    """The header states that the file is sealed without gaps, but some epochs have no seal."""
    log.set("header.compatible_flags", 5)
    log.expect("damaged", "bad-seal", survivors=ALL)
