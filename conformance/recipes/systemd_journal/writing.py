"""New files, written byte for byte, and appends to existing files."""

from typing import Any

from conformance.recipes.systemd_journal.combinations import archived_regular, online_regular
from conformance.recipes.systemd_journal.layouts import (
    LONG,
    MIXED,
    no_entries_and_a_sequence_number,
)
from conformance.recipes.systemd_journal.log import (
    APPENDING,
    FIVE,
    KEY,
    SEALED_START,
    SMALL,
    START,
    WRITING,
    SystemdLog,
)
from conformance.recipes.systemd_journal.tails import (
    compact_file_that_ends_in_padding,
    cut_in_the_last_entry,
)

LATER = START + 100_000_000


def _new(log: SystemdLog, *entries: Any, first: int = START, **options: Any) -> None:
    log.context |= {**SMALL, **options}
    log.write(*entries, first=first, **options)


@WRITING.writing("SDJ-080", "SDJ-081", "SDJ-091")
def write_five_entries(log: SystemdLog) -> None:
    """A writer creates a regular file of five entries with Jenkins hashes."""
    _new(log, *FIVE)


@WRITING.writing("SDJ-080")
def write_nothing(log: SystemdLog) -> None:
    """A new file without entries has a header, a FIELD table and a DATA table."""
    _new(log)


@WRITING.writing("SDJ-081", "SDJ-083")
def write_compact_and_keyed(log: SystemdLog) -> None:
    """A compact file with keyed hashes and a header of 272 bytes, as systemd has written it since
    version 254."""
    _new(log, *FIVE, compact=True, keyed=True, header_size=272)


@WRITING.writing("SDJ-035", "SDJ-083")
def write_fifty_entries(log: SystemdLog) -> None:
    """Fifty entries need arrays of 4, 8, 26 and 78 slots, in the main chain and in the list of a
    DATA."""
    _new(log, *[(f"MESSAGE=hello {n}", "PRIORITY=6") for n in range(50)])


@WRITING.writing("SDJ-020", "SDJ-082")
def write_two_values_of_a_field(log: SystemdLog) -> None:
    """An entry has two values of one field. The fields of the second record are not in the order of
    their offsets."""
    _new(log, ("MULTI=a", "MULTI=b"), ("MESSAGE=alpha", "MULTI=b"))


@WRITING.writing("SDJ-086", "SDJ-091")
def write_an_entry_of_a_boot_id_alone(log: SystemdLog) -> None:
    """An entry with an empty payload has only the field `_BOOT_ID`."""
    _new(log, ("MESSAGE=alpha",), (), ("MESSAGE=bravo",))


@WRITING.writing("SDJ-072", "SDJ-073")
def write_sealed(log: SystemdLog) -> None:
    """A sealed file with entries of two epochs has three tags: at the start, between the epochs,
    and at the end."""
    log.context |= {"key": KEY, "continuous": False, **SMALL}
    log.write(*FIVE, first=SEALED_START, step=4_000_000, key=KEY, continuous=False)


@WRITING.writing("SDJ-074")
def write_sealed_with_a_gap(log: SystemdLog) -> None:
    """A writer also seals epochs without entries, as systemd has done since version 255."""
    options: dict[str, Any] = {"key": KEY, "header_size": 272, "compact": True}
    log.context |= {**SMALL, **options}
    log.write(*FIVE[:2], first=SEALED_START, step=35_000_000, **options)


@WRITING.writing("SDJ-032")
def write_below_the_threshold(log: SystemdLog) -> None:
    """A writer stores a field of 511 bytes uncompressed, although the file announces ZSTD."""
    _new(log, ("A=" + "x" * 509,), compression="zstd")


# These tables are large, because a real writer starts a new file once a table is three quarters
# full.
ROOM = {"data_buckets": 128, "field_buckets": 32}


@APPENDING.valid("SDJ-080", "SDJ-087")
def closed_file(log: SystemdLog) -> None:
    """A closed file with free space in its tables."""
    log.write(*FIVE, **ROOM)
    log.expect("intact", survivors=range(5), end=len(log.data))


@APPENDING.valid("SDJ-035", "SDJ-087")
def closed_file_with_thirty_entries(log: SystemdLog) -> None:
    """A closed file with thirty entries and free space in its tables."""
    log.write(*[(f"MESSAGE=hello {n}", f"PRIORITY={n % 3}") for n in range(30)], **ROOM)
    log.expect("intact", survivors=range(30), end=len(log.data))


@APPENDING.valid("SDJ-080", "SDJ-087")
def closed_compact_file(log: SystemdLog) -> None:
    """A compact, keyed, ZSTD-compressed file that was closed, with free space in its tables."""
    log.write(*MIXED, **ROOM, compact=True, keyed=True, compression="zstd")
    log.expect("intact", survivors=range(4), end=len(log.data))


@APPENDING.appending(closed_file, "SDJ-081", "SDJ-087")
def append_two_entries(log: SystemdLog) -> None:
    """A writer appends two entries to a closed file."""
    log.record("MESSAGE=foxtrot", "PRIORITY=6", realtime=LATER)
    log.record("MESSAGE=golf", "_HOSTNAME=host", realtime=LATER + 1)
    _survive(log, 5)


@APPENDING.appending(closed_file_with_thirty_entries, "SDJ-035", "SDJ-087")
def append_where_an_array_is_full(log: SystemdLog) -> None:
    """A writer appends ten entries. Eight entries fill the third array of the main chain, and then
    a fourth array begins."""
    for number in range(10):
        log.record(f"MESSAGE=more {number}", "PRIORITY=1", realtime=LATER + number)
    _survive(log, 30)


@APPENDING.appending(closed_compact_file, "SDJ-081", "SDJ-087")
def append_to_a_compact_file(log: SystemdLog) -> None:
    """A writer appends an entry to a compact file. The entry repeats a long compressed field."""
    log.record(LONG, "PRIORITY=2", realtime=LATER)
    _survive(log, len(MIXED))


@APPENDING.appending(closed_compact_file, "SDJ-081", "SDJ-087")
def append_a_value_that_is_there(log: SystemdLog) -> None:
    """A writer appends an entry whose fields the file already contains."""
    log.record("MESSAGE=alpha", "PRIORITY=3", realtime=LATER)
    _survive(log, len(MIXED))


@APPENDING.appending(
    compact_file_that_ends_in_padding,
    "SDJ-010",
    "SDJ-051",
    "SDJ-055",
    control=append_two_entries,
    may_refuse=True,
)
def append_where_the_last_padding_is_missing(log: SystemdLog) -> None:
    """The last 3 bytes of padding are missing. A writer appends after the full padding, at a
    multiple of 8."""
    log.truncate(len(log.control) - 3)
    log.record("MESSAGE=foxtrot", "PRIORITY=6", realtime=LATER)
    _survive(log, 3)


@APPENDING.valid("SDJ-003", "SDJ-087")
def closed_file_of_today(log: SystemdLog) -> None:
    """A closed file with the header of systemd 254 and later, and with free space in its tables."""
    log.write(*FIVE, **ROOM, header_size=272, compact=True, keyed=True)
    log.expect("intact", survivors=range(5), end=len(log.data))


@APPENDING.appending(closed_file_of_today, "SDJ-081", "SDJ-087", may_refuse=True)
def append_to_a_file_of_today(log: SystemdLog) -> None:
    """A writer appends to a file with compatible flag 2. Writers before systemd 254 do not know
    this flag and refuse the file."""
    log.record("MESSAGE=foxtrot", "PRIORITY=6", realtime=LATER)
    log.record("MESSAGE=golf", "_HOSTNAME=host", realtime=LATER + 1)
    _survive(log, 5)


@APPENDING.appending(online_regular, "SDJ-087", control=append_two_entries)
def append_to_an_online_file(log: SystemdLog) -> None:
    """A writer refuses to append to an online file."""
    log.record("MESSAGE=foxtrot", realtime=LATER)
    log.expect_refusal(survivors=range(len(MIXED)))


@APPENDING.appending(archived_regular, "SDJ-087", control=append_two_entries)
def append_to_an_archived_file(log: SystemdLog) -> None:
    """A writer refuses to append to an archived file."""
    log.record("MESSAGE=foxtrot", realtime=LATER)
    log.expect_refusal(survivors=range(len(MIXED)))


@APPENDING.appending(cut_in_the_last_entry, "SDJ-055", "SDJ-087", control=append_two_entries)
def append_to_a_torn_file(log: SystemdLog) -> None:
    """A writer refuses to append to a torn file."""
    log.shows("going-on-after-a-torn-record")
    log.record("MESSAGE=foxtrot", realtime=LATER)
    log.expect_refusal("torn", "torn-file", survivors=range(4))


@APPENDING.appending(no_entries_and_a_sequence_number, "SDJ-088", control=append_two_entries)
def append_to_a_file_without_entries(log: SystemdLog) -> None:
    """The first entry of a file continues the sequence numbers of the previous file."""
    log.record("MESSAGE=alpha", realtime=LATER)
    _survive(log, 0)


@APPENDING.valid("SDJ-028", "SDJ-087")
def closed_xz_file(log: SystemdLog) -> None:
    """A closed XZ file with free space in its tables."""
    _closed(log, "xz")


@APPENDING.valid("SDJ-029", "SDJ-087")
def closed_lz4_file(log: SystemdLog) -> None:
    """A closed LZ4 file with free space in its tables."""
    _closed(log, "lz4")


def _closed(log: SystemdLog, compression: str) -> None:
    log.write(*MIXED, **ROOM, header_size=272, compact=True, keyed=True, compression=compression)
    log.expect("intact", survivors=range(4), end=len(log.data))


@APPENDING.appending(closed_xz_file, "SDJ-028", "SDJ-032", may_refuse=True)
def append_a_long_field_to_an_xz_file(log: SystemdLog) -> None:
    """A writer appends an entry with two long fields to an XZ file. One field is new, and the other
    is in the file already."""
    _append_long(log)


@APPENDING.appending(closed_lz4_file, "SDJ-029", "SDJ-032", may_refuse=True)
def append_a_long_field_to_an_lz4_file(log: SystemdLog) -> None:
    """A writer appends an entry with two long fields to an LZ4 file. One field is new, and the
    other is in the file already."""
    _append_long(log)


def _append_long(log: SystemdLog) -> None:
    log.record(LONG, "NOTE=" + "another " * 90, realtime=LATER)
    log.record("MESSAGE=after it", realtime=LATER + 1)
    _survive(log, len(MIXED))
    log.free_to("placement", "no two compressors give the same bytes")


def _survive(log: SystemdLog, old: int) -> None:
    new = [record.payload for record in log.to_append]
    log.expect("intact", survivors=[*range(old), *new])
    log.free_to("preallocation", "systemd lets a file grow in steps of 8 MiB")
