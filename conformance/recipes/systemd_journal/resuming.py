"""Going on with files that have space, seals, or several ways to compress."""

from __future__ import annotations

from hashlib import sha256
from typing import Any

from conformance.recipes.systemd_journal.layouts import MIXED
from conformance.recipes.systemd_journal.log import (
    BOOK,
    FIVE,
    KEY,
    SEALED_START,
    SystemdLog,
)
from conformance.recipes.systemd_journal.seals import OTHER_KEY
from conformance.recipes.systemd_journal.tails import cut_in_the_header, cut_in_the_newer_fields
from conformance.recipes.systemd_journal.writing import (
    LATER,
    ROOM,
    append_two_entries,
    closed_file,
)
from reference_impl.systemd_journal import layout

TODAY: dict[str, Any] = {**ROOM, "header_size": 272, "compact": True, "keyed": True}
RUN = "NOTE=" + "x" * 1000 + " and then, at last"
"""A payload of which every compressor makes as many bytes, up to the next multiple of eight.

It ends in bytes that none can shorten, since compressors of LZ4 stop at different distances from
the end. Tried: liblz4 in three modes and pierrec/lz4 in two, five levels of ZSTD and four of XZ.
"""
DATA_DEPTH, FIELD_DEPTH = 0xFEDCBA9876543210, 0x8796A5B4C3D2E1F0
DIGITS = "NOTE=" + "".join(sha256(bytes([number])).hexdigest() for number in range(10))
"""A payload that ZSTD halves, and that LZ4 cannot shorten at all."""


def _survives(log: SystemdLog, old: int) -> None:
    new = [record.payload for record in log.to_append]
    log.expect("intact", survivors=[*range(old), *new])


@BOOK.valid("appending", "SDJ-001", "SDJ-087")
def closed_file_with_space(log: SystemdLog) -> None:
    """A closed file with 16 KiB for more objects, as a real writer leaves it."""
    log.write(*FIVE, **TODAY, spare=16384)
    log.expect("intact", survivors=range(5), end=len(log.data) - 16384)


@BOOK.appending(closed_file_with_space, "appending", "SDJ-087", may_refuse=True)
def append_into_the_space(log: SystemdLog) -> None:
    """The new objects follow the last one, and the file does not grow: there is space for them."""
    log.record("MESSAGE=foxtrot", "PRIORITY=6", realtime=LATER)
    _survives(log, 5)
    log.leaves({"": len(log.data)})


@BOOK.appending(
    closed_file, "appending", "SDJ-051", "SDJ-087", control=append_two_entries, may_refuse=True
)
def append_where_the_arena_is_no_longer_there(log: SystemdLog) -> None:
    """The space that the header promises was cut off, and no object with it."""
    log.set("header.arena_size", 1 << 60)
    log.record("MESSAGE=foxtrot", realtime=LATER)
    _survives(log, 5)


@BOOK.valid("appending", "SDJ-049", "SDJ-087")
def no_entries_and_a_head(log: SystemdLog) -> None:
    """A file without entries whose head fields are not 0: there is nothing to compare them with."""
    log.begin(**ROOM)
    log.made.header.head_entry_seqnum = 7
    log.made.header.head_entry_realtime = LATER - 1
    log.close()
    log.expect("intact", survivors=[])


@BOOK.appending(no_entries_and_a_head, "appending", "SDJ-083", control=append_two_entries)
def append_where_the_head_is_of_no_entry(log: SystemdLog) -> None:
    """The first entry of a file is its head, whatever the head fields held before."""
    log.record("MESSAGE=alpha", realtime=LATER)
    log.record("MESSAGE=bravo", realtime=LATER + 1)
    _survives(log, 0)
    log.free_to("preallocation", "systemd lets a file grow in steps of 8 MiB")


@BOOK.valid("appending", "SDJ-003", "SDJ-083", "SDJ-087")
def closed_file_with_long_chains(log: SystemdLog) -> None:
    """The header ends after the chain depths, which are larger than any chain of the file."""
    log.begin(**ROOM, header_size=256)
    for number, fields in enumerate(FIVE):
        log.entry_at(LATER - 5 + number, fields)
    log.made.header.data_hash_chain_depth = DATA_DEPTH
    log.made.header.field_hash_chain_depth = FIELD_DEPTH
    log.close()
    log.expect("intact", survivors=range(5), end=len(log.data))


@BOOK.appending(
    closed_file_with_long_chains, "appending", "SDJ-003", "SDJ-083", "SDJ-087", may_refuse=True
)
def append_where_the_chains_were_long(log: SystemdLog) -> None:
    """A chain depth is the largest number so far, and no shorter chain makes it smaller."""
    log.record("MESSAGE=foxtrot", realtime=LATER)
    _survives(log, 5)
    depths = DATA_DEPTH.to_bytes(8, "little") + FIELD_DEPTH.to_bytes(8, "little")
    log.leaves_bytes("", log.field("header.data_hash_chain_depth").start, depths)
    log.free_to("preallocation", "systemd lets a file grow in steps of 8 MiB")


@BOOK.valid("appending", "SDJ-003", "SDJ-087")
def closed_file_with_the_smallest_header(log: SystemdLog) -> None:
    """A header of 208 bytes ends in a time of no entry: no flag says that it is of the last one."""
    log.begin(**ROOM, header_size=208)
    for number, fields in enumerate(FIVE):
        log.entry_at(LATER - 5 + number, fields)
    log.made.header.tail_entry_monotonic = 0xFEDCBA9876543210
    log.close()
    log.expect("intact", survivors=range(5), end=len(log.data))


@BOOK.appending(
    closed_file_with_the_smallest_header, "appending", "SDJ-003", "SDJ-087", may_refuse=True
)
def append_under_the_smallest_header(log: SystemdLog) -> None:
    """The header ends in the time of the last entry."""
    log.record("MESSAGE=foxtrot", realtime=LATER, monotonic=9_000_000)
    _survives(log, 5)
    time = (9_000_000).to_bytes(8, "little")
    log.leaves_bytes("", log.field("header.tail_entry_monotonic").start, time)
    log.free_to("preallocation", "systemd lets a file grow in steps of 8 MiB")


# Sealed files.


def _sealed(log: SystemdLog, **options: Any) -> None:
    """Entries of the epochs 0, 0, 0, 1, 1, closed under seals of the epochs 0, 0 and 1."""
    log.context["key"] = KEY
    log.write(*FIVE, first=SEALED_START, step=4_000_000, key=KEY, **ROOM, **options)


def _record_in_epoch(log: SystemdLog, epoch: int, *fields: str) -> None:
    log.record(*fields, realtime=SEALED_START + 10_000_000 * epoch + 9_000_000)


@BOOK.valid("appending", "SDJ-073", "SDJ-087")
def closed_sealed_file(log: SystemdLog) -> None:
    """A sealed file, closed in its second epoch."""
    _sealed(log, continuous=False)
    log.expect("intact", survivors=range(5), end=len(log.data))


@BOOK.valid("appending", "SDJ-074", "SDJ-087")
def closed_sealed_file_without_gaps(log: SystemdLog) -> None:
    """A sealed file whose seals leave out no epoch, closed in its second one."""
    _sealed(log, continuous=True, header_size=272, compact=True)
    log.expect("intact", survivors=range(5), end=len(log.data))


@BOOK.appending(closed_sealed_file, "appending", "SDJ-073", "SDJ-087")
def append_to_a_sealed_file(log: SystemdLog) -> None:
    """Two entries: one of the epoch in which the file was closed, one three epochs later."""
    _record_in_epoch(log, 1, "MESSAGE=foxtrot")
    _record_in_epoch(log, 4, "MESSAGE=golf")
    _survives(log, 5)


@BOOK.appending(closed_sealed_file_without_gaps, "appending", "SDJ-074", "SDJ-087")
def append_to_a_sealed_file_without_gaps(log: SystemdLog) -> None:
    """The next entry is three epochs later: each of them gets its seal."""
    _record_in_epoch(log, 4, "MESSAGE=foxtrot")
    _survives(log, 5)


@BOOK.appending(
    closed_sealed_file, "appending", "SDJ-075", "SDJ-087", control=append_to_a_sealed_file
)
def append_with_the_key_of_another_file(log: SystemdLog) -> None:
    """No seal holds under this key: a writer begins a new file."""
    log.context["key"] = OTHER_KEY
    _record_in_epoch(log, 1, "MESSAGE=foxtrot")
    log.expect_refusal("damaged", "bad-seal", survivors=range(5))


@BOOK.appending(
    closed_sealed_file, "appending", "SDJ-072", "SDJ-087", control=append_to_a_sealed_file
)
def append_after_entries_without_a_seal(log: SystemdLog) -> None:
    """Nobody sealed the last entries, and a later seal must not vouch for them: a new file."""
    log.payloads = []
    log.begin(key=KEY, continuous=False, **ROOM)
    for number, fields in enumerate(FIVE):
        log.entry_at(SEALED_START + number * 4_000_000, fields)
    log.close_without_a_seal()
    log.did("leave out the last seal")
    _record_in_epoch(log, 1, "MESSAGE=foxtrot")
    log.expect_refusal(survivors=range(5))


@BOOK.appending(closed_sealed_file, "appending", "SDJ-073", "SDJ-087")
def append_nothing_to_a_sealed_file(log: SystemdLog) -> None:
    """Without new entries there is nothing to seal: not a byte changes."""
    _survives(log, 5)
    log.leaves({"": len(log.data)})


@BOOK.appending(
    closed_sealed_file,
    "appending",
    "SDJ-073",
    "SDJ-076",
    control=append_to_a_sealed_file,
    may_refuse=True,
)
def append_an_entry_of_an_earlier_epoch(log: SystemdLog) -> None:
    """The file was closed in its second epoch, and the entry is of the first one."""
    _record_in_epoch(log, 0, "MESSAGE=foxtrot")
    _record_in_epoch(log, 1, "MESSAGE=golf")
    new = [record.payload for record in log.to_append]
    log.expect("damaged", "bad-seal", survivors=[*range(5), *new])
    log.note("systemd seals it with the entries around it, and its verifier then says: too early.")


@BOOK.valid("appending", "SDJ-073")
def sealed_file_without_a_tag(log: SystemdLog) -> None:
    """A sealed file without entries, whose first tag is missing."""
    log.write(**ROOM)
    header = log.header
    header.compatible_flags |= layout.SEALED
    log.data[: header.header_size] = header.to_bytes()
    log.context["key"] = KEY
    log.expect("intact", survivors=[])


@BOOK.appending(
    sealed_file_without_a_tag, "appending", "SDJ-073", "SDJ-087", control=append_to_a_sealed_file
)
def append_to_a_sealed_file_without_a_tag(log: SystemdLog) -> None:
    """The seal after the tables is missing: a writer begins a new file."""
    _record_in_epoch(log, 0, "MESSAGE=foxtrot")
    log.expect_refusal()


@BOOK.appending(closed_file, "appending", "SDJ-073", "SDJ-087")
def append_with_a_key_to_a_file_without_seals(log: SystemdLog) -> None:
    """A file that is not sealed stays so, whatever key the writer has."""
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


@BOOK.valid("appending", "SDJ-030", "SDJ-087")
def closed_zstd_file(log: SystemdLog) -> None:
    """A closed file of systemd 252 that compresses by ZSTD, with room in its tables."""
    log.write(*MIXED, **ROOM, keyed=True, compression="zstd")
    log.expect("intact", survivors=range(4), end=len(log.data))


@BOOK.appending(closed_zstd_file, "appending", "SDJ-030", "SDJ-032")
def append_a_run_to_a_zstd_file(log: SystemdLog) -> None:
    """A field of a thousand times the same letter, which ZSTD shortens."""
    _append_a_run(log, 4)


@BOOK.appending(closed_zstd_file, "appending", "SDJ-032")
def append_with_a_higher_threshold(log: SystemdLog) -> None:
    """The writer is told to compress larger fields only."""
    log.context["threshold"] = 1006
    _append_a_run(log, 4)


def _of_today(log: SystemdLog, *, flags: int = 0, compression: str) -> None:
    log.begin(**TODAY, compression=compression)
    log.made.header.incompatible_flags |= flags
    for number, fields in enumerate(FIVE):
        log.entry_at(LATER - 5 + number, fields)
    log.close()
    log.expect("intact", survivors=range(5), end=len(log.data))


@BOOK.valid("appending", "SDJ-028", "SDJ-087")
def closed_file_that_may_compress_by_xz(log: SystemdLog) -> None:
    """A closed file that announces XZ, and has nothing that is compressed."""
    _of_today(log, compression="xz")


@BOOK.valid("appending", "SDJ-029", "SDJ-087")
def closed_file_that_may_compress_by_lz4(log: SystemdLog) -> None:
    """A closed file that announces LZ4, and has nothing that is compressed."""
    _of_today(log, compression="lz4")


@BOOK.valid("appending", "SDJ-005", "SDJ-087")
def closed_file_that_announces_two_compressions(log: SystemdLog) -> None:
    """A closed file that announces LZ4 and ZSTD."""
    _of_today(log, compression="lz4", flags=layout.ZSTD)


@BOOK.appending(
    closed_file_that_may_compress_by_xz, "appending", "SDJ-028", "SDJ-032", may_refuse=True
)
def append_a_run_to_an_xz_file(log: SystemdLog) -> None:
    """A field of a thousand times the same letter, which XZ shortens."""
    _append_a_run(log, 5)


@BOOK.appending(
    closed_file_that_may_compress_by_lz4, "appending", "SDJ-029", "SDJ-032", may_refuse=True
)
def append_a_run_to_an_lz4_file(log: SystemdLog) -> None:
    """A field of a thousand times the same letter, which LZ4 shortens."""
    _append_a_run(log, 5)


@BOOK.appending(
    closed_file_that_announces_two_compressions,
    "appending",
    "SDJ-032",
    "SDJ-087",
    may_refuse=True,
)
def append_a_run_where_two_compressions_are_announced(log: SystemdLog) -> None:
    """Of several compressions that a file announces, the first is used: XZ, LZ4, ZSTD."""
    _append_a_run(log, 5, DIGITS)
    log.note("LZ4 does not shorten the field, so it is stored as it is. ZSTD would halve it.")


@BOOK.appending(
    closed_file_that_announces_two_compressions,
    "appending",
    "SDJ-032",
    "SDJ-087",
    may_refuse=True,
)
def append_a_run_that_the_first_of_two_compressions_shortens(log: SystemdLog) -> None:
    """LZ4 and ZSTD are announced, and LZ4 shortens the field: it is not stored as it is."""
    _append_a_run(log, 5)


# Files that lack something.


def _one_table(log: SystemdLog, kept: int) -> None:
    """A file without entries, of which one table is left."""
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


@BOOK.valid("appending", "SDJ-016")
def no_entries_and_no_data_table(log: SystemdLog) -> None:
    """A file without entries, and without a DATA table."""
    _one_table(log, layout.FIELD_HASH_TABLE)


@BOOK.valid("appending", "SDJ-016")
def no_entries_and_no_field_table(log: SystemdLog) -> None:
    """A file without entries, and without a FIELD table."""
    _one_table(log, layout.DATA_HASH_TABLE)


@BOOK.appending(no_entries_and_no_data_table, "appending", "SDJ-087", control=append_two_entries)
def append_where_there_is_no_data_table(log: SystemdLog) -> None:
    """Without a DATA table no value can be found: a writer begins a new file."""
    log.record("MESSAGE=foxtrot", realtime=LATER)
    log.expect_refusal()


@BOOK.appending(no_entries_and_no_field_table, "appending", "SDJ-087", control=append_two_entries)
def append_where_there_is_no_field_table(log: SystemdLog) -> None:
    """Without a FIELD table no field can be found: a writer begins a new file."""
    log.record("MESSAGE=foxtrot", realtime=LATER)
    log.expect_refusal()


@BOOK.appending(cut_in_the_header, "appending", "SDJ-050", "SDJ-087", control=append_two_entries)
def append_where_the_header_is_cut_short(log: SystemdLog) -> None:
    """The file ends inside its header: a writer begins a new one."""
    log.record("MESSAGE=foxtrot", realtime=LATER)
    log.expect_refusal("torn", "torn-header")


@BOOK.appending(
    cut_in_the_newer_fields, "appending", "SDJ-050", "SDJ-087", control=append_two_entries
)
def append_where_the_newer_fields_are_cut_off(log: SystemdLog) -> None:
    """The file ends inside the newer fields of its header: a writer begins a new one."""
    log.record("MESSAGE=foxtrot", realtime=LATER)
    log.expect_refusal("torn", "torn-header")
