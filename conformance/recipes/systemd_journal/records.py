"""Records given to a writer, with text lines, binary fields, and fields at the compression
limits."""

from __future__ import annotations

import hashlib

from conformance.recipes.systemd_journal.log import (
    APPENDING,
    BOOT,
    LAYOUT,
    SMALL,
    START,
    WRITING,
    SystemdLog,
)
from conformance.recipes.systemd_journal.resuming import (
    closed_file_that_may_compress_by_xz,
    closed_zstd_file,
)
from conformance.recipes.systemd_journal.writing import (
    LATER,
    closed_file,
    closed_file_of_today,
    write_five_entries,
)
from reference_impl.answer import NewRecord

#: Bytes that no compressor can shorten.
NOISE = b"".join(hashlib.sha256(bytes([number])).digest() for number in range(20))[:600]


def _survives(log: SystemdLog, old: int) -> None:
    new = [record.payload for record in log.to_append]
    log.expect("intact", survivors=[*range(old), *new])
    log.free_to("preallocation", "systemd lets a file grow in steps of 8 MiB")


@APPENDING.appending(closed_zstd_file, "SDJ-032")
def append_at_the_threshold(log: SystemdLog) -> None:
    """A writer stores a field of 511 bytes uncompressed and compresses a field of 512 bytes."""
    log.record("MORE=" + "y" * 506, realtime=LATER)
    log.record("NOTE=" + "x" * 507, realtime=LATER + 1)
    log.record("MESSAGE=after them", realtime=LATER + 2)
    _survives(log, 4)


@APPENDING.appending(closed_zstd_file, "SDJ-032", "SDJ-090")
def append_what_does_not_shrink(log: SystemdLog) -> None:
    """A writer stores a random field of 606 bytes uncompressed, because compression would make it
    larger."""
    log.record(b"NOISE=" + NOISE, "PRIORITY=6", realtime=LATER)
    log.record("MESSAGE=after it", realtime=LATER + 1)
    _survives(log, 4)


@APPENDING.appending(closed_file_that_may_compress_by_xz, "SDJ-032")
def append_small_runs_to_an_xz_file(log: SystemdLog) -> None:
    """The threshold is 16 bytes. With XZ, a writer still stores a field of 79 bytes uncompressed
    and compresses a field of 80 bytes."""
    log.context["threshold"] = 16
    log.record("MORE=" + "y" * 74, realtime=LATER)
    log.record("NOTE=" + "x" * 75, realtime=LATER + 1)
    log.record("MESSAGE=after them", realtime=LATER + 2)
    _survives(log, 5)


@APPENDING.appending(closed_file_of_today, "SDJ-086", "SDJ-091", may_refuse=True)
def append_a_boot_id_in_upper_case(log: SystemdLog) -> None:
    """The boot id of a record has upper-case digits. The field `_BOOT_ID` keeps these digits."""
    times = {"realtime": str(LATER), "monotonic": "9000000"}
    log.append(b"MESSAGE=foxtrot\n", boot_id=BOOT.upper(), **times)
    _survives(log, 5)


@APPENDING.appending(closed_file, "SDJ-091")
def append_values_with_underscores(log: SystemdLog) -> None:
    """Two underscores have a special meaning only at the beginning of a line."""
    log.record("MESSAGE=__foxtrot__", "_NOTE=one underscore", realtime=LATER)
    _survives(log, 5)


def _refused(log: SystemdLog, payload: bytes) -> None:
    log.context |= SMALL
    fields = {"realtime": str(START), "monotonic": "1", "boot_id": BOOT}
    log.to_append.append(NewRecord(payload, fields))
    log.expect_refusal()


@WRITING.writing("SDJ-090", control=write_five_entries)
def write_two_entries_in_one_record(log: SystemdLog) -> None:
    """A writer refuses a record with an empty line, because an empty line ends an entry."""
    _refused(log, b"MESSAGE=alpha\n\nMESSAGE=bravo\n")


@WRITING.writing("SDJ-091", control=write_five_entries)
def write_a_line_about_the_entry(log: SystemdLog) -> None:
    """A writer refuses a line that begins with two underscores, because such a line is not a
    field."""
    _refused(log, b"MESSAGE=alpha\n__UNKNOWN=line\n")


@WRITING.writing("SDJ-090", control=write_five_entries)
def write_a_line_that_does_not_end(log: SystemdLog) -> None:
    """A writer refuses a field that does not end with a newline."""
    _refused(log, b"PRIORITY=6\nMESSAGE=alpha")


@WRITING.writing("SDJ-090", control=write_five_entries)
def write_a_binary_field_cut_short(log: SystemdLog) -> None:
    """A writer refuses a binary field that announces nine bytes but has six bytes."""
    _refused(log, b"BLOB\n" + (9).to_bytes(8, "little") + b"short\n")


@WRITING.writing("SDJ-090", control=write_five_entries)
def write_a_binary_field_without_its_newline(log: SystemdLog) -> None:
    """A writer refuses a binary field whose value is not followed by a newline."""
    _refused(log, b"BLOB\n" + (3).to_bytes(8, "little") + b"abc+MESSAGE=alpha\n")


@LAYOUT.valid("SDJ-013", "SDJ-042")
def values_of_4096_and_4097_bytes(log: SystemdLog) -> None:
    """A value of 4,096 bytes, the longest that an answer contains in full, and a value of 4,097
    bytes."""
    log.write(("MESSAGE=" + "x" * 4096,), ("MESSAGE=" + "y" * 4097,))
    log.expect("intact", survivors=[0, 1])


@LAYOUT.valid("SDJ-090")
def values_at_the_ends_of_the_noncharacters(log: SystemdLog) -> None:
    """In export format, values with noncharacters are binary, and values with the code points next
    to noncharacters are text."""
    codes = (
        0xFDCF,
        0xFDD0,
        0xFDEF,
        0xFDF0,
        0xFFFD,
        0xFFFE,
        0x1FFFD,
        0x1FFFF,
        0x20000,
        0x10FFFE,
        0x10FFFF,
    )
    log.write([f"C{code:X}={chr(code)}" for code in codes])
    log.expect("intact", survivors=[0])


@LAYOUT.valid("SDJ-042", "SDJ-090")
def fields_in_order_and_once(log: SystemdLog) -> None:
    """The payload contains each field once, sorted by the bytes of `NAME=value`.

    Sorting by name, or by the line of the export format, would give a different order: ``A1=``
    comes before ``A=``, and the comparison of a binary field includes its ``=``.
    """
    log.write(("A=2", "A1=x", b"A=1\n", "A=10", "_BOOT_ID_=y", "A=2", "A=1"))
    log.payloads = [
        b"A1=x\nA=1\nA\n\x02\0\0\0\0\0\0\0001\n\nA=10\nA=2\n_BOOT_ID_=y\n",
    ]
    log.expect("intact", survivors=[0])
