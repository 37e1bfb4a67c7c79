"""Options of a writer for a new file, and their defaults."""

from __future__ import annotations

from typing import Any

from conformance.recipes.systemd_journal.log import (
    BOOT,
    FIVE,
    KEY,
    SEALED_START,
    SMALL,
    START,
    WRITING,
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


@WRITING.writing("SDJ-080", "SDJ-083")
def write_by_default(log: SystemdLog) -> None:
    """Without options, a writer creates a compact, keyed file with a header of 272 bytes and the
    default table sizes."""
    log.write(*FIVE[:2], **DEFAULTS)


@WRITING.writing("SDJ-001", "SDJ-006", "SDJ-080")
def write_with_ids_and_space(log: SystemdLog) -> None:
    """The options give a writer the three ids of the file, the online state, and 24 bytes to
    preallocate."""
    ids: dict[str, Any] = {"file_id": "f1" * 16, "machine_id": "3a" * 16, "seqnum_id": "5e" * 16}
    _new(log, *FIVE, keyed=True, state=layout.ONLINE, spare=24, **ids)


@WRITING.writing("SDJ-003", "SDJ-083")
def write_a_header_of_208_bytes(log: SystemdLog) -> None:
    """A header of 208 bytes, the smallest size. Its last field is `tail_entry_monotonic`."""
    _new(log, *FIVE, header_size=208)


@WRITING.writing("SDJ-003", "SDJ-083")
def write_a_header_of_256_bytes(log: SystemdLog) -> None:
    """A header of 256 bytes, which lacks the fields from `tail_entry_array_offset` on."""
    _new(log, *FIVE, header_size=256)


@WRITING.writing("SDJ-003", "SDJ-080", "SDJ-083")
def write_nothing_under_a_header_of_272_bytes(log: SystemdLog) -> None:
    """A new file without entries has a header of 272 bytes. The header fields of the last entry and
    the last array are 0."""
    _new(log, header_size=272)


@WRITING.writing("SDJ-007", "SDJ-080")
def write_an_archived_file(log: SystemdLog) -> None:
    """A writer creates a file with state 2 (archived)."""
    _new(log, *FIVE[:2], state=layout.ARCHIVED)


@WRITING.writing("SDJ-004", "SDJ-072", "SDJ-080")
def write_sealed_under_the_smallest_header_for_it(log: SystemdLog) -> None:
    """A sealed file has a header of 240 bytes, the smallest for sealed files."""
    log.context |= {**SMALL, "key": KEY, "header_size": 240}
    log.write(*FIVE[:2], first=SEALED_START, key=KEY, header_size=240)


@WRITING.writing("SDJ-003", "SDJ-006")
def write_a_header_of_280_bytes(log: SystemdLog) -> None:
    """A header of 280 bytes, in which the 8 bytes after the last known field are zeros."""
    _new(log, *FIVE, header_size=280)


@WRITING.writing("SDJ-027", "SDJ-032")
def write_a_file_that_may_compress_by_xz(log: SystemdLog) -> None:
    """The header announces XZ, although no field is large enough to be compressed."""
    _new(log, *FIVE[:1], compression="xz")


@WRITING.writing("SDJ-027", "SDJ-032")
def write_a_file_that_may_compress_by_lz4(log: SystemdLog) -> None:
    """The header announces LZ4, although no field is large enough to be compressed."""
    _new(log, *FIVE[:1], compression="lz4")


@WRITING.writing("SDJ-024", "SDJ-083")
def write_with_one_bucket(log: SystemdLog) -> None:
    """Each hash table has one bucket. The chain depths in the header count the links of the longest
    look-ups."""
    _new(log, *FIVE, FIVE[4], data_buckets=1, field_buckets=1)


@WRITING.writing("SDJ-024", "SDJ-083")
def write_one_entry_with_one_bucket(log: SystemdLog) -> None:
    """Each hash table has one bucket, and no field of the only entry is looked up again."""
    _new(log, FIVE[0], data_buckets=1, field_buckets=1)


@WRITING.writing("SDJ-026", "SDJ-032")
def write_a_long_field_uncompressed(log: SystemdLog) -> None:
    """A writer stores a field of 608 bytes uncompressed, because the file announces no
    compression."""
    _new(log, ("MESSAGE=" + "x" * 600,))


@WRITING.writing("SDJ-015", "SDJ-081")
def write_a_boot_id_with_zeros(log: SystemdLog) -> None:
    """A boot id may contain bytes that are zero."""
    log.context |= SMALL
    log.begin()
    log.entry_at(START, FIVE[0], boot="00" * 15 + "01")
    log.close()


@WRITING.writing("SDJ-073", "SDJ-074")
def write_sealed_much_later(log: SystemdLog) -> None:
    """The second entry is 70,000 epochs after the first. Without the option `continuous`, the
    epochs between them get no seals."""
    options: dict[str, Any] = {"key": KEY, "continuous": False}
    log.context |= {**SMALL, **options}
    log.write(*FIVE[:2], first=SEALED_START, step=700_000_000_000, **options)


@WRITING.writing("SDJ-024", "SDJ-083")
def write_with_two_buckets(log: SystemdLog) -> None:
    """Each hash table has two buckets, and the longest look-up is not in the last entry."""
    _new(log, *FIVE, FIVE[0], data_buckets=2, field_buckets=2)


@WRITING.writing("SDJ-035", "SDJ-036", "SDJ-083")
def write_fifty_compact_entries(log: SystemdLog) -> None:
    """A compact file has fifty entries. The tail fields of a DATA give the last array of its list
    and the number of used slots in this array."""
    _new(log, *[(f"MESSAGE=hello {n}", "PRIORITY=6") for n in range(50)], compact=True)


@WRITING.writing("SDJ-073")
def write_nothing_sealed(log: SystemdLog) -> None:
    """A new sealed file without entries has two tags: one directly after the tables, and one that
    closes the file."""
    options: dict[str, Any] = {"key": KEY, "continuous": False}
    _new(log, **options)


@WRITING.writing("SDJ-015", "SDJ-081")
def write_the_smallest_times(log: SystemdLog) -> None:
    """An entry has the smallest times: a realtime of 1 and a monotonic time of 0 microseconds."""
    _at(log, 1, 0)


@WRITING.writing("SDJ-015", "SDJ-081")
def write_the_largest_times(log: SystemdLog) -> None:
    """An entry has the largest times. Both are 2^55 - 1 microseconds."""
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


@WRITING.writing("SDJ-086", control=write_five_entries)
def write_an_entry_of_a_monotonic_time_too_late(log: SystemdLog) -> None:
    """A writer refuses a monotonic time of 2^55 microseconds."""
    log.context |= SMALL
    _refused(log, monotonic=str(layout.TIME_LIMIT))


@WRITING.writing("SDJ-074", control=write_sealed_with_a_gap)
def write_sealed_before_the_first_epoch(log: SystemdLog) -> None:
    """A writer refuses an entry whose time is one microsecond before the first epoch."""
    log.context |= {**SMALL, "header_size": 272, "key": KEY}
    _refused(log, realtime=str(SEALED_START - 1))


@WRITING.writing("SDJ-074", control=write_sealed_with_a_gap)
def write_sealed_after_too_many_epochs(log: SystemdLog) -> None:
    """A writer refuses an entry that needs seals for 65,537 epochs at once; the limit is 65,536."""
    log.context |= {**SMALL, "header_size": 272, "key": KEY}
    _refused(log, realtime=str(SEALED_START + 65_537 * 10_000_000))


def _no_key(log: SystemdLog, key: str) -> None:
    log.context |= {**SMALL, "header_size": 272, "key": key}
    _refused(log, realtime=str(SEALED_START))


SEED, TIMES = KEY.split("/")


@WRITING.writing("SDJ-070", control=write_sealed_with_a_gap)
def write_with_a_key_of_eleven_bytes(log: SystemdLog) -> None:
    """A writer refuses a key with a seed of 11 bytes instead of 12."""
    _no_key(log, f"{SEED[:-2]}/{TIMES}")


@WRITING.writing("SDJ-070", control=write_sealed_with_a_gap)
def write_with_a_key_of_thirteen_bytes(log: SystemdLog) -> None:
    """A writer refuses a key with a seed of 13 bytes instead of 12."""
    _no_key(log, f"{SEED}00/{TIMES}")


@WRITING.writing("SDJ-070", control=write_sealed_with_a_gap)
def write_with_a_key_whose_dash_splits_a_byte(log: SystemdLog) -> None:
    """A writer refuses a key with a dash between the two digits of a seed byte."""
    _no_key(log, f"6-0{SEED[2:]}/{TIMES}")


@WRITING.writing("SDJ-070", control=write_sealed_with_a_gap)
def write_with_a_key_without_times(log: SystemdLog) -> None:
    """A writer refuses a key without a start and an interval."""
    _no_key(log, SEED)


@WRITING.writing("SDJ-070", control=write_sealed_with_a_gap)
def write_with_a_key_without_its_interval(log: SystemdLog) -> None:
    """A writer refuses a key without an interval."""
    _no_key(log, f"{SEED}/{TIMES.partition('-')[0]}")


@WRITING.writing("SDJ-070", control=write_sealed_with_a_gap)
def write_with_a_key_whose_interval_is_zero(log: SystemdLog) -> None:
    """A writer refuses a key with an interval of 0."""
    _no_key(log, f"{SEED}/{TIMES.partition('-')[0]}-0")


@WRITING.writing("SDJ-070", control=write_sealed_with_a_gap)
def write_with_a_key_and_more_after_it(log: SystemdLog) -> None:
    """A writer refuses a key with an extra character after the interval."""
    _no_key(log, f"{KEY}x")


@WRITING.writing("SDJ-070", control=write_sealed_with_a_gap)
def write_with_a_key_and_a_space_before_it(log: SystemdLog) -> None:
    """A writer refuses a key with a space before its first byte."""
    _no_key(log, f" {KEY}")


@WRITING.writing("SDJ-070", control=write_sealed_with_a_gap)
def write_with_a_dash_before_the_slash(log: SystemdLog) -> None:
    """A writer refuses a key with a dash after the last byte of the seed."""
    _no_key(log, f"{SEED}-/{TIMES}")


@WRITING.writing("SDJ-070", control=write_sealed_with_a_gap)
def write_with_a_start_of_seventeen_digits(log: SystemdLog) -> None:
    """A writer refuses a key with a start of 17 digits; the limit is 16."""
    _no_key(log, f"{SEED}/{TIMES.partition('-')[0].zfill(17)}-989680")


@WRITING.writing("SDJ-070", "SDJ-073")
def write_with_a_key_of_many_dashes(log: SystemdLog) -> None:
    """A key may have several dashes before a byte of its seed, even before the first byte."""
    options: dict[str, Any] = {"key": f"--{SEED.replace('-', '---')}/{TIMES}", "continuous": False}
    log.context |= {**SMALL, **options}
    log.write(*FIVE[:1], first=SEALED_START, **options)


@WRITING.writing("SDJ-070", "SDJ-073")
def write_with_a_key_without_dashes(log: SystemdLog) -> None:
    """A key may have upper-case digits and no dashes in its seed."""
    options: dict[str, Any] = {
        "key": f"{SEED.replace('-', '').upper()}/{TIMES}",
        "continuous": False,
    }
    log.context |= {**SMALL, **options}
    log.write(*FIVE[:1], first=SEALED_START, **options)


@WRITING.writing("SDJ-071", "SDJ-073")
def write_with_a_prime_that_is_3_modulo_8(log: SystemdLog) -> None:
    """One of the two primes of the key is 7 modulo 8, and the other is 3 modulo 8."""
    options: dict[str, Any] = {"key": OTHER_KEY, "continuous": False}
    log.context |= {**SMALL, **options}
    log.write(*FIVE[:1], first=SEALED_START, **options)


@WRITING.writing("SDJ-070", "SDJ-073")
def write_with_epochs_of_a_microsecond(log: SystemdLog) -> None:
    """A key has an interval of 1 microsecond, and the first entry is in the third epoch."""
    options: dict[str, Any] = {
        "key": f"{SEED}/{START - 2:x}-1",
        "continuous": True,
        "header_size": 272,
    }
    log.context |= {**SMALL, **options}
    log.write(*FIVE[:2], first=START, step=1, **options)
