"""Records as a writer gets them: lines, binary fields, and fields that it compresses or not."""

from __future__ import annotations

import hashlib

from conformance.recipes.systemd_journal.log import BOOK, BOOT, SMALL, START, SystemdLog
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

NOISE = b"".join(hashlib.sha256(bytes([number])).digest() for number in range(20))[:600]
"""Bytes that no compressor makes fewer."""


def _survives(log: SystemdLog, old: int) -> None:
    new = [record.payload for record in log.to_append]
    log.expect("intact", survivors=[*range(old), *new])
    log.free_to("preallocation", "systemd lets a file grow in steps of 8 MiB")


@BOOK.appending(closed_zstd_file, "appending", "SDJ-032")
def append_at_the_threshold(log: SystemdLog) -> None:
    """A field of 511 bytes is stored as it is, one of 512 bytes is compressed."""
    log.record("MORE=" + "y" * 506, realtime=LATER)
    log.record("NOTE=" + "x" * 507, realtime=LATER + 1)
    log.record("MESSAGE=after them", realtime=LATER + 2)
    _survives(log, 4)


@BOOK.appending(closed_zstd_file, "appending", "SDJ-032", "SDJ-090")
def append_what_does_not_shrink(log: SystemdLog) -> None:
    """A field of 606 random bytes is stored as it is: compressed, it would be larger."""
    log.record(b"NOISE=" + NOISE, "PRIORITY=6", realtime=LATER)
    log.record("MESSAGE=after it", realtime=LATER + 1)
    _survives(log, 4)


@BOOK.appending(closed_file_that_may_compress_by_xz, "appending", "SDJ-032")
def append_small_runs_to_an_xz_file(log: SystemdLog) -> None:
    """However low the threshold is, XZ compresses no field of 79 bytes, but one of 80."""
    log.context["threshold"] = 16
    log.record("MORE=" + "y" * 74, realtime=LATER)
    log.record("NOTE=" + "x" * 75, realtime=LATER + 1)
    log.record("MESSAGE=after them", realtime=LATER + 2)
    _survives(log, 5)


@BOOK.appending(closed_file_of_today, "appending", "SDJ-086", "SDJ-091", may_refuse=True)
def append_a_boot_id_in_upper_case(log: SystemdLog) -> None:
    """The digits of a boot id may be large: the field has them as they are given."""
    times = {"realtime": str(LATER), "monotonic": "9000000"}
    log.append(b"MESSAGE=foxtrot\n", boot_id=BOOT.upper(), **times)
    _survives(log, 5)


@BOOK.appending(closed_file, "appending", "SDJ-091")
def append_values_with_underscores(log: SystemdLog) -> None:
    """Two underscores mean something at the beginning of a line only."""
    log.record("MESSAGE=__foxtrot__", "_NOTE=one underscore", realtime=LATER)
    _survives(log, 5)


def _refused(log: SystemdLog, payload: bytes) -> None:
    log.context |= SMALL
    fields = {"realtime": str(START), "monotonic": "1", "boot_id": BOOT}
    log.to_append.append(NewRecord(payload, fields))
    log.expect_refusal()


@BOOK.writing("writing", "SDJ-090", control=write_five_entries)
def write_two_entries_in_one_record(log: SystemdLog) -> None:
    """An empty line ends an entry, and a record is one entry."""
    _refused(log, b"MESSAGE=alpha\n\nMESSAGE=bravo\n")


@BOOK.writing("writing", "SDJ-091", control=write_five_entries)
def write_a_line_about_the_entry(log: SystemdLog) -> None:
    """A line that begins with two underscores is no field, and would be lost."""
    _refused(log, b"MESSAGE=alpha\n__UNKNOWN=line\n")


@BOOK.writing("writing", "SDJ-090", control=write_five_entries)
def write_a_line_that_does_not_end(log: SystemdLog) -> None:
    """A field without its newline."""
    _refused(log, b"PRIORITY=6\nMESSAGE=alpha")


@BOOK.writing("writing", "SDJ-090", control=write_five_entries)
def write_a_binary_field_cut_short(log: SystemdLog) -> None:
    """A binary field of six bytes where nine are announced."""
    _refused(log, b"BLOB\n" + (9).to_bytes(8, "little") + b"short\n")


@BOOK.writing("writing", "SDJ-090", control=write_five_entries)
def write_a_binary_field_without_its_newline(log: SystemdLog) -> None:
    """A binary field of three bytes, and then another byte than a newline."""
    _refused(log, b"BLOB\n" + (3).to_bytes(8, "little") + b"abc+MESSAGE=alpha\n")


@BOOK.valid("layout", "SDJ-013", "SDJ-042")
def values_of_4096_and_4097_bytes(log: SystemdLog) -> None:
    """The longest value that an answer shows as it is, and one that is a byte longer."""
    log.write(("MESSAGE=" + "x" * 4096,), ("MESSAGE=" + "y" * 4097,))
    log.expect("intact", survivors=[0, 1])


@BOOK.valid("layout", "SDJ-090")
def values_at_the_ends_of_the_noncharacters(log: SystemdLog) -> None:
    """U+FDD0 to U+FDEF and the last two of each plane are no text, their neighbours are."""
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


@BOOK.valid("layout", "SDJ-042", "SDJ-090")
def fields_in_order_and_once(log: SystemdLog) -> None:
    """The payload has each field once, in the order of the bytes of ``NAME=value``.

    Neither the order of the names alone nor that of the lines would be the same: ``A1=`` comes
    before ``A=``, and a binary field is compared with its ``=``.
    """
    log.write(("A=2", "A1=x", b"A=1\n", "A=10", "_BOOT_ID_=y", "A=2", "A=1"))
    log.payloads = [
        b"A1=x\nA=1\nA\n\x02\0\0\0\0\0\0\0001\n\nA=10\nA=2\n_BOOT_ID_=y\n",
    ]
    log.expect("intact", survivors=[0])
