"""Appends to files with preallocated space, with seals, or with several compressions."""

from __future__ import annotations

from hashlib import sha256
from typing import Any

from conformance.recipes.systemd_journal.layouts import MIXED
from conformance.recipes.systemd_journal.log import APPENDING, FIVE, KEY, SEALED_START, SystemdLog
from conformance.recipes.systemd_journal.seals import OTHER_KEY
from conformance.recipes.systemd_journal.tails import cut_in_the_header, cut_in_the_newer_fields
from conformance.recipes.systemd_journal.writing import LATER, ROOM, append_two_entries, closed_file
from reference_impl.systemd_journal import layout

TODAY: dict[str, Any] = {**ROOM, "header_size": 272, "compact": True, "keyed": True}
#: A payload that all compressors of a format shorten to the same padded size. The payload ends in
#: bytes that no compressor can shorten, because LZ4 compressors stop at different distances from
#: the end. Tested: three modes of liblz4, two modes of pierrec/lz4, five levels of ZSTD, and four
#: levels of XZ.
RUN = "NOTE=" + "x" * 1000 + " and then, at last"
DATA_DEPTH, FIELD_DEPTH = 0xFEDCBA9876543210, 0x8796A5B4C3D2E1F0
#: A payload that ZSTD shortens to half its size, and that LZ4 cannot shorten.
DIGITS = "NOTE=" + "".join(sha256(bytes([number])).hexdigest() for number in range(10))


def _survives(log: SystemdLog, old: int) -> None:
    new = [record.payload for record in log.to_append]
    log.expect("intact", survivors=[*range(old), *new])


@APPENDING.valid("SDJ-001", "SDJ-087")
def closed_file_with_space(log: SystemdLog) -> None:
    """A closed file with 16 KiB of preallocated space, as a real writer leaves it."""
    log.write(*FIVE, **TODAY, spare=16384)
    log.expect("intact", survivors=range(5), end=len(log.data) - 16384)


@APPENDING.appending(closed_file_with_space, "SDJ-087", may_refuse=True)
def append_into_the_space(log: SystemdLog) -> None:
    """A writer appends an entry after the last object, into preallocated space. The file does not
    grow."""
    log.record("MESSAGE=foxtrot", "PRIORITY=6", realtime=LATER)
    _survives(log, 5)
    log.leaves({"": len(log.data)})


@APPENDING.appending(closed_file, "SDJ-051", "SDJ-087", control=append_two_entries, may_refuse=True)
def append_where_the_arena_is_no_longer_there(log: SystemdLog) -> None:
    """A writer appends to a file that has all objects but is shorter than its arena."""
    log.set("header.arena_size", 1 << 60)
    log.record("MESSAGE=foxtrot", realtime=LATER)
    _survives(log, 5)


@APPENDING.valid("SDJ-049", "SDJ-087")
def no_entries_and_a_head(log: SystemdLog) -> None:
    """A file has no entries, but its head fields are not 0. Without entries, a reader does not
    compare these fields."""
    log.begin(**ROOM)
    log.made.header.head_entry_seqnum = 7
    log.made.header.head_entry_realtime = LATER - 1
    log.close()
    log.expect("intact", survivors=[])


@APPENDING.appending(no_entries_and_a_head, "SDJ-083", control=append_two_entries)
def append_where_the_head_is_of_no_entry(log: SystemdLog) -> None:
    """The first entry of a file sets the head fields of the header, even if they were not 0."""
    log.record("MESSAGE=alpha", realtime=LATER)
    log.record("MESSAGE=bravo", realtime=LATER + 1)
    _survives(log, 0)
    log.free_to("preallocation", "systemd lets a file grow in steps of 8 MiB")


@APPENDING.valid("SDJ-003", "SDJ-083", "SDJ-087")
def closed_file_with_long_chains(log: SystemdLog) -> None:
    """A 256-byte header ends with the chain depths. Both depths exceed the length of every hash
    chain in the file."""
    log.begin(**ROOM, header_size=256)
    for number, fields in enumerate(FIVE):
        log.entry_at(LATER - 5 + number, fields)
    log.made.header.data_hash_chain_depth = DATA_DEPTH
    log.made.header.field_hash_chain_depth = FIELD_DEPTH
    log.close()
    log.expect("intact", survivors=range(5), end=len(log.data))


@APPENDING.appending(closed_file_with_long_chains, "SDJ-003", "SDJ-083", "SDJ-087", may_refuse=True)
def append_where_the_chains_were_long(log: SystemdLog) -> None:
    """An append never lowers the chain depths in the header, even if they exceed the length of
    every hash chain."""
    log.record("MESSAGE=foxtrot", realtime=LATER)
    _survives(log, 5)
    depths = DATA_DEPTH.to_bytes(8, "little") + FIELD_DEPTH.to_bytes(8, "little")
    log.leaves_bytes("", log.field("header.data_hash_chain_depth").start, depths)
    log.free_to("preallocation", "systemd lets a file grow in steps of 8 MiB")


@APPENDING.valid("SDJ-003", "SDJ-087")
def closed_file_with_the_smallest_header(log: SystemdLog) -> None:
    """In a 208-byte header, `tail_entry_monotonic` is not the time of the last entry. Compatible
    flag 2 is not set, so readers ignore this time."""
    log.begin(**ROOM, header_size=208)
    for number, fields in enumerate(FIVE):
        log.entry_at(LATER - 5 + number, fields)
    log.made.header.tail_entry_monotonic = 0xFEDCBA9876543210
    log.close()
    log.expect("intact", survivors=range(5), end=len(log.data))


@APPENDING.appending(closed_file_with_the_smallest_header, "SDJ-003", "SDJ-087", may_refuse=True)
def append_under_the_smallest_header(log: SystemdLog) -> None:
    """An append updates `tail_entry_monotonic`, the last field in a header of 208 bytes."""
    log.record("MESSAGE=foxtrot", realtime=LATER, monotonic=9_000_000)
    _survives(log, 5)
    time = (9_000_000).to_bytes(8, "little")
    log.leaves_bytes("", log.field("header.tail_entry_monotonic").start, time)
    log.free_to("preallocation", "systemd lets a file grow in steps of 8 MiB")


# Sealed files.


def _sealed(log: SystemdLog, **options: Any) -> None:
    """Write entries in the epochs 0, 0, 0, 1 and 1. The seals then have the epochs 0, 0 and 1."""
    log.context["key"] = KEY
    log.write(*FIVE, first=SEALED_START, step=4_000_000, key=KEY, **ROOM, **options)


def _record_in_epoch(log: SystemdLog, epoch: int, *fields: str) -> None:
    log.record(*fields, realtime=SEALED_START + 10_000_000 * epoch + 9_000_000)


@APPENDING.valid("SDJ-073", "SDJ-087")
def closed_sealed_file(log: SystemdLog) -> None:
    """A sealed file that was closed in its second epoch."""
    _sealed(log, continuous=False)
    log.expect("intact", survivors=range(5), end=len(log.data))


@APPENDING.valid("SDJ-074", "SDJ-087")
def closed_sealed_file_without_gaps(log: SystemdLog) -> None:
    """A file sealed without gaps that was closed in its second epoch."""
    _sealed(log, continuous=True, header_size=272, compact=True)
    log.expect("intact", survivors=range(5), end=len(log.data))


@APPENDING.appending(closed_sealed_file, "SDJ-073", "SDJ-087")
def append_to_a_sealed_file(log: SystemdLog) -> None:
    """A writer appends two entries to a sealed file: one in the epoch in which the file was closed,
    one three epochs later."""
    _record_in_epoch(log, 1, "MESSAGE=foxtrot")
    _record_in_epoch(log, 4, "MESSAGE=golf")
    _survives(log, 5)


@APPENDING.appending(closed_sealed_file_without_gaps, "SDJ-074", "SDJ-087")
def append_to_a_sealed_file_without_gaps(log: SystemdLog) -> None:
    """A file is sealed without gaps. A writer appends an entry three epochs after the last tag, and
    each of these epochs gets a seal."""
    _record_in_epoch(log, 4, "MESSAGE=foxtrot")
    _survives(log, 5)


@APPENDING.appending(closed_sealed_file, "SDJ-075", "SDJ-087", control=append_to_a_sealed_file)
def append_with_the_key_of_another_file(log: SystemdLog) -> None:
    """A writer with the key of another file refuses to append to a sealed file."""
    log.context["key"] = OTHER_KEY
    _record_in_epoch(log, 1, "MESSAGE=foxtrot")
    log.expect_refusal("damaged", "bad-seal", survivors=range(5))


@APPENDING.appending(closed_sealed_file, "SDJ-072", "SDJ-087", control=append_to_a_sealed_file)
def append_after_entries_without_a_seal(log: SystemdLog) -> None:
    """A writer refuses to append to a sealed file whose last entries have no seal."""
    log.payloads = []
    log.begin(key=KEY, continuous=False, **ROOM)
    for number, fields in enumerate(FIVE):
        log.entry_at(SEALED_START + number * 4_000_000, fields)
    log.close_without_a_seal()
    _record_in_epoch(log, 1, "MESSAGE=foxtrot")
    log.expect_refusal(survivors=range(5))


@APPENDING.appending(closed_sealed_file, "SDJ-073", "SDJ-087")
def append_nothing_to_a_sealed_file(log: SystemdLog) -> None:
    """An append without records to a sealed file changes no bytes."""
    _survives(log, 5)
    log.leaves({"": len(log.data)})


@APPENDING.appending(
    closed_sealed_file, "SDJ-073", "SDJ-076", control=append_to_a_sealed_file, may_refuse=True
)
def append_an_entry_of_an_earlier_epoch(log: SystemdLog) -> None:
    """A writer appends an entry whose epoch is earlier than the epoch of the last tag. The writer
    may also refuse this entry."""
    _record_in_epoch(log, 0, "MESSAGE=foxtrot")
    _record_in_epoch(log, 1, "MESSAGE=golf")
    new = [record.payload for record in log.to_append]
    log.expect("damaged", "bad-seal", survivors=[*range(5), *new])
    log.note("systemd seals the entry, and its verifier then reports that the entry is too early.")


@APPENDING.valid("SDJ-073")
def sealed_file_without_a_tag(log: SystemdLog) -> None:
    """A sealed file has no entries and lacks its first tag."""
    log.write(**ROOM)
    header = log.header
    header.compatible_flags |= layout.SEALED
    log.data[: header.header_size] = header.to_bytes()
    log.context["key"] = KEY
    log.expect("intact", survivors=[], end=None)


@APPENDING.appending(
    sealed_file_without_a_tag, "SDJ-073", "SDJ-087", control=append_to_a_sealed_file
)
def append_to_a_sealed_file_without_a_tag(log: SystemdLog) -> None:
    """A writer refuses to append to a sealed file that lacks the tag after the tables."""
    _record_in_epoch(log, 0, "MESSAGE=foxtrot")
    log.expect_refusal()


@APPENDING.appending(closed_file, "SDJ-073", "SDJ-087")
def append_with_a_key_to_a_file_without_seals(log: SystemdLog) -> None:
    """A writer with a key appends to a file that is not sealed. The file stays unsealed."""
    log.context["key"] = KEY
    log.record("MESSAGE=foxtrot", realtime=LATER)
    _survives(log, 5)
    log.free_to("preallocation", "systemd lets a file grow in steps of 8 MiB")


# Compression.


def _append_a_run(log: SystemdLog, old: int, field: str = RUN) -> None:
    log.record(field, realtime=LATER)
    log.record("MESSAGE=after it", realtime=LATER + 1)
    _survives(log, old)
    log.free_to("preallocation", "systemd lets a file grow in steps of 8 MiB")


@APPENDING.valid("SDJ-030", "SDJ-087")
def closed_zstd_file(log: SystemdLog) -> None:
    """A closed ZSTD file in the layout of systemd 252, with free space in its tables."""
    log.write(*MIXED, **ROOM, keyed=True, compression="zstd")
    log.expect("intact", survivors=range(4), end=len(log.data))


@APPENDING.appending(closed_zstd_file, "SDJ-030", "SDJ-032")
def append_a_run_to_a_zstd_file(log: SystemdLog) -> None:
    """A writer appends a field with a run of 1,000 equal letters and compresses it with ZSTD."""
    _append_a_run(log, 4)


@APPENDING.appending(closed_zstd_file, "SDJ-032")
def append_with_a_higher_threshold(log: SystemdLog) -> None:
    """A writer stores a field of 1,023 bytes uncompressed if the threshold is 1,024 bytes."""
    log.context["threshold"] = 1024
    _append_a_run(log, 4)


def _of_today(log: SystemdLog, *, flags: int = 0, compression: str) -> None:
    log.begin(**TODAY, compression=compression)
    log.made.header.incompatible_flags |= flags
    for number, fields in enumerate(FIVE):
        log.entry_at(LATER - 5 + number, fields)
    log.close()
    log.expect("intact", survivors=range(5), end=len(log.data))


@APPENDING.valid("SDJ-028", "SDJ-087")
def closed_file_that_may_compress_by_xz(log: SystemdLog) -> None:
    """A closed file that announces XZ but has no compressed field."""
    _of_today(log, compression="xz")


@APPENDING.valid("SDJ-029", "SDJ-087")
def closed_file_that_may_compress_by_lz4(log: SystemdLog) -> None:
    """A closed file that announces LZ4 but has no compressed field."""
    _of_today(log, compression="lz4")


@APPENDING.valid("SDJ-005", "SDJ-087")
def closed_file_that_announces_two_compressions(log: SystemdLog) -> None:
    """A closed file that announces LZ4 and ZSTD but has no compressed field."""
    _of_today(log, compression="lz4", flags=layout.ZSTD)


@APPENDING.appending(closed_file_that_may_compress_by_xz, "SDJ-028", "SDJ-032", may_refuse=True)
def append_a_run_to_an_xz_file(log: SystemdLog) -> None:
    """A writer appends a field with a run of 1,000 equal letters and compresses it with XZ."""
    _append_a_run(log, 5)


@APPENDING.appending(closed_file_that_may_compress_by_lz4, "SDJ-029", "SDJ-032", may_refuse=True)
def append_a_run_to_an_lz4_file(log: SystemdLog) -> None:
    """A writer appends a field with a run of 1,000 equal letters and compresses it with LZ4."""
    _append_a_run(log, 5)


@APPENDING.appending(
    closed_file_that_announces_two_compressions, "SDJ-032", "SDJ-087", may_refuse=True
)
def append_a_run_where_two_compressions_are_announced(log: SystemdLog) -> None:
    """The header announces LZ4 and ZSTD. A writer uses only LZ4, which does not shorten the new
    field, so the field is stored uncompressed."""
    _append_a_run(log, 5, DIGITS)
    log.note("ZSTD would shorten the field to half its size.")


@APPENDING.appending(
    closed_file_that_announces_two_compressions, "SDJ-032", "SDJ-087", may_refuse=True
)
def append_a_run_that_the_first_of_two_compressions_shortens(log: SystemdLog) -> None:
    """The header announces LZ4 and ZSTD. A writer compresses the new field with LZ4, the first of
    the two."""
    _append_a_run(log, 5)


# Files without a table, and files with a torn header.


def _one_table(log: SystemdLog, kept: int) -> None:
    """Write a file without entries and with only one table."""
    log.write(**ROOM)
    header = log.header
    at = next(at for at, kind in log.objects if kind == kept)
    table = log.data[at : at + log.view.object_size(at)]
    gone = "field" if kept == layout.DATA_HASH_TABLE else "data"
    left = "data" if gone == "field" else "field"
    setattr(header, f"{gone}_hash_table_offset", 0)
    setattr(header, f"{gone}_hash_table_size", 0)
    setattr(header, f"{left}_hash_table_offset", header.header_size + layout.OBJECT_SIZE)
    header.tail_object_offset = header.header_size
    header.n_objects, header.arena_size = 1, len(table)
    log.data = bytearray(header.to_bytes()) + table
    log.expect("intact", survivors=[])


@APPENDING.valid("SDJ-016")
def no_entries_and_no_data_table(log: SystemdLog) -> None:
    """A file has neither entries nor a DATA table."""
    _one_table(log, layout.FIELD_HASH_TABLE)


@APPENDING.valid("SDJ-016")
def no_entries_and_no_field_table(log: SystemdLog) -> None:
    """A file has neither entries nor a FIELD table."""
    _one_table(log, layout.DATA_HASH_TABLE)


@APPENDING.appending(no_entries_and_no_data_table, "SDJ-087", control=append_two_entries)
def append_where_there_is_no_data_table(log: SystemdLog) -> None:
    """A writer refuses to append to a file without a DATA table."""
    log.record("MESSAGE=foxtrot", realtime=LATER)
    log.expect_refusal()


@APPENDING.appending(no_entries_and_no_field_table, "SDJ-087", control=append_two_entries)
def append_where_there_is_no_field_table(log: SystemdLog) -> None:
    """A writer refuses to append to a file without a FIELD table."""
    log.record("MESSAGE=foxtrot", realtime=LATER)
    log.expect_refusal()


@APPENDING.appending(cut_in_the_header, "SDJ-050", "SDJ-087", control=append_two_entries)
def append_where_the_header_is_cut_short(log: SystemdLog) -> None:
    """A writer refuses to append to a file of 207 bytes, which is shorter than the smallest
    header."""
    log.record("MESSAGE=foxtrot", realtime=LATER)
    log.expect_refusal("torn", "torn-header")


@APPENDING.appending(cut_in_the_newer_fields, "SDJ-050", "SDJ-087", control=append_two_entries)
def append_where_the_newer_fields_are_cut_off(log: SystemdLog) -> None:
    """A writer refuses to append to a file that ends inside the newer fields of its header."""
    log.record("MESSAGE=foxtrot", realtime=LATER)
    log.expect_refusal("torn", "torn-header")
