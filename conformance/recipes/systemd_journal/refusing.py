"""Records and options that a writer must refuse, and files to which it must not append."""

from __future__ import annotations

from typing import Any

from conformance.recipes.systemd_journal.compression import two_compression_flags
from conformance.recipes.systemd_journal.data import payload_flipped
from conformance.recipes.systemd_journal.header import incompatible_flag_of_the_segmented_format
from conformance.recipes.systemd_journal.indexes import field_list_ends_early
from conformance.recipes.systemd_journal.layouts import unknown_compatible_flag
from conformance.recipes.systemd_journal.log import (
    APPENDING,
    BOOT,
    KEY,
    SEALED_START,
    SMALL,
    START,
    WRITING,
    SystemdLog,
)
from conformance.recipes.systemd_journal.online import one_entry_online
from conformance.recipes.systemd_journal.seals import sealed_file_without_the_key
from conformance.recipes.systemd_journal.writing import (
    LATER,
    append_two_entries,
    write_five_entries,
    write_sealed,
)
from reference_impl.answer import NewRecord


def _refused(log: SystemdLog, payload: bytes = b"MESSAGE=alpha\n", **fields: Any) -> None:
    times = {"realtime": str(START), "monotonic": "1", "boot_id": BOOT}
    log.context |= SMALL
    log.to_append.append(NewRecord(payload, times | fields))
    log.expect_refusal()


@WRITING.writing("SDJ-086", control=write_five_entries)
def write_a_name_in_lower_case(log: SystemdLog) -> None:
    """A writer refuses a field name with lower-case letters."""
    _refused(log, b"message=alpha\n")


@WRITING.writing("SDJ-086", control=write_five_entries)
def write_a_name_that_begins_with_a_digit(log: SystemdLog) -> None:
    """A writer refuses a field name that begins with a digit."""
    _refused(log, b"1ST=alpha\n")


@WRITING.writing("SDJ-086", control=write_five_entries)
def write_a_name_of_65_characters(log: SystemdLog) -> None:
    """A writer refuses a field name of 65 characters; the limit is 64."""
    _refused(log, b"A" * 65 + b"=alpha\n")


@WRITING.writing("SDJ-086", control=write_five_entries)
def write_an_entry_without_a_time(log: SystemdLog) -> None:
    """A writer refuses a realtime of 0."""
    _refused(log, realtime="0")


@WRITING.writing("SDJ-086", control=write_five_entries)
def write_an_entry_of_a_time_too_late(log: SystemdLog) -> None:
    """A writer refuses a realtime of 2^55 microseconds."""
    _refused(log, realtime=str(1 << 55))


@WRITING.writing("SDJ-086", control=write_five_entries)
def write_an_entry_with_a_null_boot_id(log: SystemdLog) -> None:
    """A writer refuses a boot id of zeros."""
    _refused(log, boot_id="0" * 32)


@WRITING.writing("SDJ-086", control=write_five_entries)
def write_a_boot_id_of_31_digits(log: SystemdLog) -> None:
    """A writer refuses a boot id of 31 hexadecimal digits instead of 32."""
    _refused(log, boot_id=BOOT[1:])


@WRITING.writing("SDJ-086", control=write_five_entries)
def write_a_boot_id_of_34_digits(log: SystemdLog) -> None:
    """A writer refuses a boot id of 34 hexadecimal digits instead of 32."""
    _refused(log, boot_id=BOOT + "ab")


@WRITING.writing("SDJ-086", control=write_five_entries)
def write_a_boot_id_with_dashes(log: SystemdLog) -> None:
    """A writer refuses a boot id with dashes between its digits."""
    _refused(log, boot_id="01234567-89ab-cdef-0123-456789abcdef")


@WRITING.writing("SDJ-086", "SDJ-091", control=write_five_entries)
def write_a_boot_id_among_the_fields(log: SystemdLog) -> None:
    """A writer refuses a `_BOOT_ID` in the payload, because a record gives its boot id
    separately."""
    _refused(log, b"MESSAGE=alpha\n_BOOT_ID=" + BOOT.encode() + b"\n")


@WRITING.writing("SDJ-004", "SDJ-080", control=write_five_entries)
def write_with_a_header_that_nobody_reads(log: SystemdLog) -> None:
    """A writer refuses a header size of 260 bytes, which is not a multiple of 8."""
    _refused(log)
    log.context["header_size"] = 260


@WRITING.writing("SDJ-004", "SDJ-080", control=write_five_entries)
def write_with_a_header_of_200_bytes(log: SystemdLog) -> None:
    """A writer refuses a header size of 200 bytes; the minimum is 208."""
    _refused(log)
    log.context["header_size"] = 200


@WRITING.writing("SDJ-004", "SDJ-080", control=write_sealed)
def write_sealed_with_a_header_of_224_bytes(log: SystemdLog) -> None:
    """A writer refuses a header size of 224 bytes for a sealed file; the minimum is 240."""
    _refused(log, realtime=str(SEALED_START))
    log.context |= {"key": KEY, "header_size": 224}


def _no_append(log: SystemdLog, verdict: str, reason: str | None, *survivors: int | bytes) -> None:
    log.record("MESSAGE=foxtrot", realtime=LATER)
    log.expect_refusal(verdict, reason, survivors=survivors)


@APPENDING.appending(payload_flipped, "SDJ-087", control=append_two_entries)
def append_to_a_damaged_file(log: SystemdLog) -> None:
    """A writer refuses to append to a file with a damaged field."""
    _no_append(log, "damaged", "hash-mismatch", 0, log.without(1, "MESSAGE"), 2, 3, 4)


@APPENDING.appending(payload_flipped, "SDJ-087", control=append_two_entries)
def append_nothing_to_a_damaged_file(log: SystemdLog) -> None:
    """A writer refuses even an append without records to a file with a damaged field."""
    log.expect_refusal("damaged", "hash-mismatch", [0, log.without(1, "MESSAGE"), 2, 3, 4])


@APPENDING.appending(one_entry_online, "SDJ-087", control=append_two_entries)
def append_nothing_to_a_file_that_is_online(log: SystemdLog) -> None:
    """A writer refuses even an append without records to an online file."""
    log.expect_refusal(survivors=[0])


@APPENDING.appending(two_compression_flags, "SDJ-087", control=append_two_entries)
def append_to_a_file_with_a_broken_stream(log: SystemdLog) -> None:
    """A writer refuses to append to a file with a field that cannot be decompressed."""
    long = log.without(2, "MESSAGE")
    _no_append(log, "damaged", "bad-compression", 0, 1, long, 3)


@APPENDING.appending(field_list_ends_early, "SDJ-087", control=append_two_entries)
def append_to_a_file_with_a_short_list(log: SystemdLog) -> None:
    """A writer refuses to append to a file with a damaged field list, even though no entry is
    damaged."""
    _no_append(log, "damaged", "bad-index", 0, 1, 2, 3, 4)


@APPENDING.appending(unknown_compatible_flag, "SDJ-006", "SDJ-087", control=append_two_entries)
def append_to_a_file_with_an_unknown_flag(log: SystemdLog) -> None:
    """A writer refuses to append to a file with an unknown compatible flag, although readers ignore
    the flag."""
    _no_append(log, "intact", None, 0, 1, 2, 3, 4)


@APPENDING.appending(sealed_file_without_the_key, "SDJ-087", control=append_two_entries)
def append_to_a_sealed_file_without_its_key(log: SystemdLog) -> None:
    """A writer without the key refuses to append to a sealed file."""
    _no_append(log, "intact", None, 0, 1, 2, 3, 4)


@APPENDING.appending(
    incompatible_flag_of_the_segmented_format, "SDJ-087", control=append_two_entries
)
def append_to_a_file_that_nobody_can_read(log: SystemdLog) -> None:
    """A writer refuses to append to a file with an unknown incompatible flag."""
    _no_append(log, "refused", "unsupported-flag")
