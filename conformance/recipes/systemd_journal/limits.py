"""Limits that apply to a writer: field sizes, sequence numbers, headers, and the options of a new
file."""

from __future__ import annotations

from typing import Any

from conformance.recipes.systemd_journal.log import (
    APPENDING,
    BOOT,
    FIVE,
    SMALL,
    START,
    WRITING,
    SystemdLog,
)
from conformance.recipes.systemd_journal.resuming import RUN, TODAY
from conformance.recipes.systemd_journal.writing import (
    LATER,
    ROOM,
    closed_file_of_today,
    write_five_entries,
)
from reference_impl.answer import NewRecord

GROWS = "preallocation", "systemd lets a file grow in steps of 8 MiB"
#: The highest sequence number that a writer assigns.
LAST = (1 << 64) - 2


def _survives(log: SystemdLog, old: int) -> None:
    new = [record.payload for record in log.to_append]
    log.expect("intact", survivors=[*range(old), *new])
    log.free_to(*GROWS)


# Fields that a reader with the same limits would not return.


@APPENDING.valid("SDJ-030", "SDJ-087")
def closed_file_that_may_compress_by_zstd(log: SystemdLog) -> None:
    """A closed file announces ZSTD, but has no compressed payload."""
    log.write(*FIVE, **TODAY, compression="zstd")
    log.expect("intact", survivors=range(5), end=len(log.data))


@APPENDING.appending(closed_file_that_may_compress_by_zstd, "SDJ-031", "SDJ-032", may_refuse=True)
def append_around_the_limit_of_a_field(log: SystemdLog) -> None:
    """A writer compresses a field of exactly `max_field_size` bytes, and stores a larger field
    uncompressed."""
    log.context["max_field_size"] = len(RUN)
    log.record(RUN, realtime=LATER)
    log.record(f"A{RUN}", realtime=LATER + 1)
    log.record("MESSAGE=after them", realtime=LATER + 2)
    _survives(log, 5)


FULL = 40_000


@APPENDING.valid("SDJ-030", "SDJ-103", kind="limit")
def six_fields_at_the_limit(log: SystemdLog) -> None:
    """A file has six compressed fields of 40,000 bytes. The budget for decompression has room for
    only one more such field."""
    fields = [f"F{n}=".ljust(FULL, "x") for n in range(6)]
    log.context["max_field_size"] = FULL
    room = {"data_buckets": 16, "field_buckets": 16}  # no real writer considers these tables full
    log.write(fields, compression="zstd", header_size=272, max_field_size=FULL, **room)
    log.expect("intact", survivors=[0], end=len(log.data))


@APPENDING.appending(six_fields_at_the_limit, "SDJ-032", "SDJ-103", kind="limit", may_refuse=True)
def append_beyond_what_may_be_decompressed(log: SystemdLog) -> None:
    """A writer compresses the seventh field of 40,000 bytes, but stores the eighth uncompressed,
    because it would exceed the budget for decompression."""
    for number in range(6, 13):
        log.record(f"F{number}=".ljust(FULL, "x"), realtime=LATER + number)
    _survives(log, 1)
    log.free_to("placement", "no two compressors give the same bytes")


# Sequence numbers.


def _closed_at(log: SystemdLog, number: int) -> None:
    log.begin(**TODAY)
    log.entry_at(START, FIVE[0], seqnum=number)
    log.close()
    log.expect("intact", survivors=[0])


@APPENDING.valid("SDJ-015", "SDJ-088", kind="limit")
def closed_file_with_a_number_left(log: SystemdLog) -> None:
    """The last entry of a closed file has the sequence number 2^64 - 3."""
    _closed_at(log, LAST - 1)


@APPENDING.valid("SDJ-015", "SDJ-088", kind="limit")
def closed_file_with_no_number_left(log: SystemdLog) -> None:
    """The last entry of a closed file has the sequence number 2^64 - 2."""
    _closed_at(log, LAST)


@APPENDING.valid("SDJ-088", kind="limit")
def no_entries_and_the_largest_tail_number(log: SystemdLog) -> None:
    """`tail_entry_seqnum` of a file without entries is 2^64 - 1."""
    log.begin(**TODAY)
    log.made.header.tail_entry_seqnum = LAST + 1
    log.close()
    log.expect("intact", survivors=[])


@APPENDING.appending(closed_file_with_a_number_left, "SDJ-088", kind="limit", may_refuse=True)
def append_the_last_number(log: SystemdLog) -> None:
    """A writer appends an entry with the highest sequence number, 2^64 - 2."""
    log.record("MESSAGE=bravo", realtime=LATER)
    _survives(log, 1)


@APPENDING.valid("SDJ-015", "SDJ-088", kind="limit")
def closed_file_of_252_with_a_number_left(log: SystemdLog) -> None:
    """The last entry of a closed file with a 264-byte header has the sequence number 2^64 - 3."""
    log.begin(**ROOM)
    log.entry_at(START, FIVE[0], seqnum=LAST - 1)
    log.close()
    log.expect("intact", survivors=[0])


@APPENDING.appending(closed_file_of_252_with_a_number_left, "SDJ-088", kind="limit")
def append_the_last_number_and_go_on(log: SystemdLog) -> None:
    """A writer appends an entry with the highest sequence number, 2^64 - 2, to a file with a
    264-byte header, without starting a new file."""
    log.record("MESSAGE=bravo", realtime=LATER)
    _survives(log, 1)


@APPENDING.appending(
    closed_file_with_no_number_left, "SDJ-088", kind="limit", control=append_the_last_number
)
def append_after_the_last_number(log: SystemdLog) -> None:
    """A writer refuses to append an entry after the highest sequence number, 2^64 - 2."""
    log.record("MESSAGE=bravo", realtime=LATER)
    log.expect_refusal(survivors=[0])


@APPENDING.appending(
    closed_file_with_a_number_left, "SDJ-088", kind="limit", control=append_the_last_number
)
def append_one_more_than_there_are_numbers(log: SystemdLog) -> None:
    """A writer refuses to append two entries if only one sequence number is left. It writes neither
    entry."""
    log.record("MESSAGE=bravo", realtime=LATER)
    log.record("MESSAGE=charlie", realtime=LATER + 1)
    log.expect_refusal(survivors=[0])


@APPENDING.appending(
    no_entries_and_the_largest_tail_number, "SDJ-088", kind="limit", control=append_the_last_number
)
def append_after_a_number_that_nobody_has(log: SystemdLog) -> None:
    """A writer refuses to append an entry to a file without entries if `tail_entry_seqnum` is 2^64
    - 1."""
    log.record("MESSAGE=alpha", realtime=LATER)
    log.expect_refusal()


# Headers.


@APPENDING.valid("SDJ-003", "SDJ-087")
def closed_file_with_a_longer_header(log: SystemdLog) -> None:
    """The header of a closed file ends with 16 unknown bytes of a later release."""
    log.write(*FIVE, **ROOM, header_size=288)
    log.data[272:288] = b"of a later one.."
    log.expect("intact", survivors=range(5), end=len(log.data))


@APPENDING.appending(closed_file_with_a_longer_header, "SDJ-003", "SDJ-087", may_refuse=True)
def append_to_a_file_with_a_longer_header(log: SystemdLog) -> None:
    """A writer that continues a file leaves the unknown bytes of its header unchanged."""
    log.record("MESSAGE=foxtrot", realtime=LATER)
    _survives(log, 5)
    log.leaves_bytes("", 272, b"of a later one..")


# Options of a new file that a writer refuses.


def _refused(log: SystemdLog, **options: Any) -> None:
    log.context |= {**SMALL, **options}
    fields = {"realtime": str(START), "monotonic": "1", "boot_id": BOOT}
    log.to_append.append(NewRecord(b"MESSAGE=alpha\n", fields))
    log.expect_refusal()


@WRITING.writing("SDJ-011", "SDJ-080", control=write_five_entries)
def write_with_no_data_bucket(log: SystemdLog) -> None:
    """A writer refuses a DATA table without buckets."""
    _refused(log, data_buckets=0)


@WRITING.writing("SDJ-011", "SDJ-080", control=write_five_entries)
def write_with_no_field_bucket(log: SystemdLog) -> None:
    """A writer refuses a FIELD table without buckets."""
    _refused(log, field_buckets=0)


@WRITING.writing("SDJ-007", "SDJ-080", control=write_five_entries)
def write_with_a_state_that_nobody_reads(log: SystemdLog) -> None:
    """A writer refuses state 3, because every reader refuses such a file."""
    _refused(log, state=3)


@WRITING.writing("SDJ-008", "SDJ-080", control=write_five_entries)
def write_with_a_file_id_of_fifteen_bytes(log: SystemdLog) -> None:
    """A writer refuses a 15-byte file id. An id is 16 bytes long."""
    _refused(log, file_id="f1" * 15)


# Keys for files without seals.


@APPENDING.appending(closed_file_of_today, "SDJ-070", "SDJ-087", may_refuse=True)
def append_with_a_key_that_is_none(log: SystemdLog) -> None:
    """A writer ignores an invalid key in the context if the file is not sealed."""
    log.context["key"] = "no key"
    log.record("MESSAGE=foxtrot", realtime=LATER)
    _survives(log, 5)
