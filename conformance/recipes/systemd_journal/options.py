"""What a writer may be told of a new file, and what it does if it is not told."""

from __future__ import annotations

from typing import Any

from conformance.recipes.systemd_journal.log import (
    BOOK,
    BOOT,
    FIVE,
    KEY,
    SEALED_START,
    SMALL,
    START,
    SystemdLog,
)
from conformance.recipes.systemd_journal.seals import OTHER_KEY
from conformance.recipes.systemd_journal.writing import write_five_entries, write_sealed_with_a_gap
from reference_impl.answer import NewRecord
from reference_impl.systemd_journal import layout

DEFAULTS: dict[str, Any] = {
    "header_size": 272,
    "compact": True,
    "keyed": True,
    "data_buckets": 2047,
    "field_buckets": 333,
}


def _new(log: SystemdLog, *entries: Any, first: int = START, **options: Any) -> None:
    log.context |= {**SMALL, **options}
    log.write(*entries, first=first, **options)


@BOOK.writing("writing", "SDJ-080", "SDJ-083")
def write_by_default(log: SystemdLog) -> None:
    """Nothing is said of the file: a header of 272 bytes, compact, keyed, tables as of systemd."""
    log.write(*FIVE[:2], **DEFAULTS)


@BOOK.writing("writing", "SDJ-001", "SDJ-006", "SDJ-080")
def write_with_ids_and_space(log: SystemdLog) -> None:
    """The three ids are given, the file stays online, and has space for more."""
    ids: dict[str, Any] = {"file_id": "f1" * 16, "machine_id": "3a" * 16, "seqnum_id": "5e" * 16}
    _new(log, *FIVE, keyed=True, state=layout.ONLINE, spare=24, **ids)


@BOOK.writing("writing", "SDJ-003", "SDJ-083")
def write_a_header_of_208_bytes(log: SystemdLog) -> None:
    """The smallest header ends after the time of the last entry."""
    _new(log, *FIVE, header_size=208)


@BOOK.writing("writing", "SDJ-003", "SDJ-083")
def write_a_header_of_256_bytes(log: SystemdLog) -> None:
    """A header that ends before the last array of the main chain."""
    _new(log, *FIVE, header_size=256)


@BOOK.writing("writing", "SDJ-003", "SDJ-080", "SDJ-083")
def write_nothing_under_a_header_of_272_bytes(log: SystemdLog) -> None:
    """A new file in the layout of today: no last entry, no last array."""
    _new(log, header_size=272)


@BOOK.writing("writing", "SDJ-007", "SDJ-080")
def write_an_archived_file(log: SystemdLog) -> None:
    """The state of a file may be that of one that nobody goes on with."""
    _new(log, *FIVE[:2], state=layout.ARCHIVED)


@BOOK.writing("writing", "SDJ-004", "SDJ-072", "SDJ-080")
def write_sealed_under_the_smallest_header_for_it(log: SystemdLog) -> None:
    """A header of 240 bytes counts tags, and ends there."""
    log.context |= {**SMALL, "key": KEY, "header_size": 240}
    log.write(*FIVE[:2], first=SEALED_START, key=KEY, header_size=240)


@BOOK.writing("writing", "SDJ-003", "SDJ-006")
def write_a_header_of_280_bytes(log: SystemdLog) -> None:
    """A header with eight bytes that nobody knows: zeros."""
    _new(log, *FIVE, header_size=280)


@BOOK.writing("writing", "SDJ-027", "SDJ-032")
def write_a_file_that_may_compress_by_xz(log: SystemdLog) -> None:
    """The header announces XZ, though no field is large enough."""
    _new(log, *FIVE[:1], compression="xz")


@BOOK.writing("writing", "SDJ-027", "SDJ-032")
def write_a_file_that_may_compress_by_lz4(log: SystemdLog) -> None:
    """The header announces LZ4, though no field is large enough."""
    _new(log, *FIVE[:1], compression="lz4")


@BOOK.writing("writing", "SDJ-024", "SDJ-083")
def write_with_one_bucket(log: SystemdLog) -> None:
    """All fields are in one chain: the header holds how far a look-up went."""
    _new(log, *FIVE, FIVE[4], data_buckets=1, field_buckets=1)


@BOOK.writing("writing", "SDJ-024", "SDJ-083")
def write_one_entry_with_one_bucket(log: SystemdLog) -> None:
    """All fields are in one chain, and none is looked up again."""
    _new(log, FIVE[0], data_buckets=1, field_buckets=1)


@BOOK.writing("writing", "SDJ-026", "SDJ-032")
def write_a_long_field_uncompressed(log: SystemdLog) -> None:
    """A file that announces no compression compresses nothing."""
    _new(log, ("MESSAGE=" + "x" * 600,))


@BOOK.writing("writing", "SDJ-015", "SDJ-081")
def write_a_boot_id_with_zeros(log: SystemdLog) -> None:
    """A boot id may have bytes that are zero."""
    log.context |= SMALL
    log.begin()
    log.entry_at(START, FIVE[0], boot="00" * 15 + "01")
    log.close()


@BOOK.writing("writing", "SDJ-073", "SDJ-074")
def write_sealed_much_later(log: SystemdLog) -> None:
    """70000 epochs without entries need no seal in a file whose seals may have gaps."""
    options: dict[str, Any] = {"key": KEY, "continuous": False}
    log.context |= {**SMALL, **options}
    log.write(*FIVE[:2], first=SEALED_START, step=700_000_000_000, **options)


@BOOK.writing("writing", "SDJ-024", "SDJ-083")
def write_with_two_buckets(log: SystemdLog) -> None:
    """Two chains of each kind, the entry that looks furthest not the last one."""
    _new(log, *FIVE, FIVE[0], data_buckets=2, field_buckets=2)


@BOOK.writing("writing", "SDJ-035", "SDJ-036", "SDJ-083")
def write_fifty_compact_entries(log: SystemdLog) -> None:
    """Fifty entries of a compact file: a DATA knows the last array of its list, and its slots."""
    _new(log, *[(f"MESSAGE=hello {n}", "PRIORITY=6") for n in range(50)], compact=True)


@BOOK.writing("writing", "SDJ-073")
def write_nothing_sealed(log: SystemdLog) -> None:
    """A sealed file without entries has one tag: nothing came after it that the next could seal."""
    options: dict[str, Any] = {"key": KEY, "continuous": False}
    _new(log, **options)


@BOOK.writing("writing", "SDJ-015", "SDJ-081")
def write_the_smallest_times(log: SystemdLog) -> None:
    """A realtime of 1, and a monotonic time of 0."""
    _at(log, 1, 0)


@BOOK.writing("writing", "SDJ-015", "SDJ-081")
def write_the_largest_times(log: SystemdLog) -> None:
    """Both times are one microsecond below the limit."""
    _at(log, layout.TIME_LIMIT - 1, layout.TIME_LIMIT - 1)


def _at(log: SystemdLog, realtime: int, monotonic: int) -> None:
    log.context |= SMALL
    log.begin()
    log.entry_at(realtime, FIVE[0], monotonic=monotonic)
    log.close()


def _refused(log: SystemdLog, **fields: str) -> None:
    times = {"realtime": str(START), "monotonic": "1", "boot_id": BOOT}
    log.to_append.append(NewRecord(b"MESSAGE=alpha\n", times | fields))
    log.expect_refusal()


@BOOK.writing("writing", "SDJ-086", control=write_five_entries)
def write_an_entry_of_a_monotonic_time_too_late(log: SystemdLog) -> None:
    """A monotonic time of 2^55 is out of range."""
    log.context |= SMALL
    _refused(log, monotonic=str(layout.TIME_LIMIT))


@BOOK.writing("writing", "SDJ-074", control=write_sealed_with_a_gap)
def write_sealed_before_the_first_epoch(log: SystemdLog) -> None:
    """No epoch has the time of the entry: its key begins a microsecond later."""
    log.context |= {**SMALL, "header_size": 272, "key": KEY}
    _refused(log, realtime=str(SEALED_START - 1))


@BOOK.writing("writing", "SDJ-074", control=write_sealed_with_a_gap)
def write_sealed_after_too_many_epochs(log: SystemdLog) -> None:
    """65537 epochs would need a seal each."""
    log.context |= {**SMALL, "header_size": 272, "key": KEY}
    _refused(log, realtime=str(SEALED_START + 65_537 * 10_000_000))


def _no_key(log: SystemdLog, key: str) -> None:
    log.context |= {**SMALL, "header_size": 272, "key": key}
    _refused(log, realtime=str(SEALED_START))


SEED, TIMES = KEY.split("/")


@BOOK.writing("writing", "SDJ-070", control=write_sealed_with_a_gap)
def write_with_a_key_of_eleven_bytes(log: SystemdLog) -> None:
    """The seed of a key has twelve bytes."""
    _no_key(log, f"{SEED[:-2]}/{TIMES}")


@BOOK.writing("writing", "SDJ-070", control=write_sealed_with_a_gap)
def write_with_a_key_of_thirteen_bytes(log: SystemdLog) -> None:
    """The seed of a key has twelve bytes."""
    _no_key(log, f"{SEED}00/{TIMES}")


@BOOK.writing("writing", "SDJ-070", control=write_sealed_with_a_gap)
def write_with_a_key_whose_dash_splits_a_byte(log: SystemdLog) -> None:
    """Dashes stand between bytes, not within one."""
    _no_key(log, f"6-0{SEED[2:]}/{TIMES}")


@BOOK.writing("writing", "SDJ-070", control=write_sealed_with_a_gap)
def write_with_a_key_without_times(log: SystemdLog) -> None:
    """A seed is no key without its start and its interval."""
    _no_key(log, SEED)


@BOOK.writing("writing", "SDJ-070", control=write_sealed_with_a_gap)
def write_with_a_key_without_its_interval(log: SystemdLog) -> None:
    """A start alone does not say how long an epoch is."""
    _no_key(log, f"{SEED}/{TIMES.partition('-')[0]}")


@BOOK.writing("writing", "SDJ-070", control=write_sealed_with_a_gap)
def write_with_a_key_whose_interval_is_zero(log: SystemdLog) -> None:
    """An epoch is not empty."""
    _no_key(log, f"{SEED}/{TIMES.partition('-')[0]}-0")


@BOOK.writing("writing", "SDJ-070", control=write_sealed_with_a_gap)
def write_with_a_key_and_more_after_it(log: SystemdLog) -> None:
    """An interval ends the key."""
    _no_key(log, f"{KEY}x")


@BOOK.writing("writing", "SDJ-070", control=write_sealed_with_a_gap)
def write_with_a_key_and_a_space_before_it(log: SystemdLog) -> None:
    """No white space is part of a key."""
    _no_key(log, f" {KEY}")


@BOOK.writing("writing", "SDJ-070", control=write_sealed_with_a_gap)
def write_with_a_dash_before_the_slash(log: SystemdLog) -> None:
    """Dashes stand before a byte, and none follows the last one."""
    _no_key(log, f"{SEED}-/{TIMES}")


@BOOK.writing("writing", "SDJ-070", control=write_sealed_with_a_gap)
def write_with_a_start_of_seventeen_digits(log: SystemdLog) -> None:
    """Start and interval have 16 digits at most."""
    _no_key(log, f"{SEED}/{TIMES.partition('-')[0].zfill(17)}-989680")


@BOOK.writing("writing", "SDJ-070", "SDJ-073")
def write_with_a_key_of_many_dashes(log: SystemdLog) -> None:
    """Any number of dashes may stand before a byte, also before the first one."""
    options: dict[str, Any] = {"key": f"--{SEED.replace('-', '---')}/{TIMES}", "continuous": False}
    log.context |= {**SMALL, **options}
    log.write(*FIVE[:1], first=SEALED_START, **options)


@BOOK.writing("writing", "SDJ-070", "SDJ-073")
def write_with_a_key_without_dashes(log: SystemdLog) -> None:
    """The dashes between the bytes of a seed may be missing, and its digits may be large."""
    options: dict[str, Any] = {
        "key": f"{SEED.replace('-', '').upper()}/{TIMES}",
        "continuous": False,
    }
    log.context |= {**SMALL, **options}
    log.write(*FIVE[:1], first=SEALED_START, **options)


@BOOK.writing("writing", "SDJ-071", "SDJ-073")
def write_with_a_prime_that_is_3_modulo_8(log: SystemdLog) -> None:
    """Of the primes of this key one is 7 modulo 8, one is 3."""
    options: dict[str, Any] = {"key": OTHER_KEY, "continuous": False}
    log.context |= {**SMALL, **options}
    log.write(*FIVE[:1], first=SEALED_START, **options)


@BOOK.writing("writing", "SDJ-070", "SDJ-073")
def write_with_epochs_of_a_microsecond(log: SystemdLog) -> None:
    """An interval of 1, and times that begin with the third epoch."""
    options: dict[str, Any] = {
        "key": f"{SEED}/{START - 2:x}-1",
        "continuous": True,
        "header_size": 272,
    }
    log.context |= {**SMALL, **options}
    log.write(*FIVE[:2], first=START, step=1, **options)
