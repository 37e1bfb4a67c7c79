"""Recover entries from a damaged stream in the Journal Export Format."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field

from reference_impl.systemd_journal.export_format import ABOUT
from reference_impl.systemd_journal.objects import FIELD_NAME
from walproof.formats.systemd_journal.boot_ids import BOOT_FIELD

#: Size of the largest field that systemd imports.
MAX_FIELD_BYTES = 768 << 20
_NEXT_ENTRY = re.compile(rb"\n\n|\n(?=__CURSOR=)")
_NUMBER = re.compile(rb"[0-9]{1,20}")


@dataclass
class WholeEntry:
    """A complete entry. Times are in microseconds.

    ``start`` and ``end`` are the range of the entry in the stream. Each payload is ``FIELD=value``.
    """

    start: int
    end: int
    boot_id: bytes
    realtime: int
    monotonic: int
    payloads: list[bytes]


@dataclass(frozen=True)
class Skipped:
    """A range of the stream that is not a complete entry, and the reason."""

    start: int
    end: int
    why: str


@dataclass
class _Lines:
    start: int
    about: dict[bytes, bytes] = field(default_factory=dict)
    payloads: list[bytes] = field(default_factory=list)

    def entry(self, end: int) -> WholeEntry | Skipped:
        times = []
        for name in (b"__REALTIME_TIMESTAMP", b"__MONOTONIC_TIMESTAMP"):
            if (value := self.about.get(name)) is None:
                return Skipped(self.start, end, f"entry without {name.decode()}")
            if not _NUMBER.fullmatch(value):
                shown = value[:32].decode("ascii", "backslashreplace")
                text = f"{name.decode()}: expected a number, found {shown!r}"
                return Skipped(self.start, end, text)
            times.append(int(value))
        boots = [match[1] for match in map(BOOT_FIELD.fullmatch, self.payloads) if match]
        if not boots:
            return Skipped(self.start, end, "entry without _BOOT_ID of 32 hexadecimal digits")
        # Omit fields with invalid names, as systemd does.
        payloads = [each for each in self.payloads if FIELD_NAME.fullmatch(each.partition(b"=")[0])]
        boot_id = bytes.fromhex(boots[0].decode())
        return WholeEntry(self.start, end, boot_id, times[0], times[1], payloads)


def read_entries(stream: bytes) -> Iterator[WholeEntry | Skipped]:
    """Yield the entries of a stream and the skipped ranges between entries, in stream order."""
    at, lines = 0, _Lines(0)
    while at < len(stream):
        end = stream.find(b"\n", at)
        line = stream[at : end if end >= 0 else len(stream)]
        if not line or (line.startswith(b"__CURSOR=") and (lines.about or lines.payloads)):
            if lines.about or lines.payloads:
                yield lines.entry(at)
            at += not line
            lines = _Lines(at)
            continue
        if end < 0:
            yield Skipped(lines.start, len(stream), "the stream ends inside a line")
            return
        name, equals, value = line.partition(b"=")
        following = end + 1
        if not equals:
            if not FIELD_NAME.fullmatch(name):
                shown = name[:40].decode("utf-8", "backslashreplace")
                yield Skipped(at, following, f"expected FIELD=VALUE, found {shown!r}")
                if lines.start == at:
                    lines.start = following
                at = following
                continue
            size = int.from_bytes(stream[following : following + 8], "little")
            value_end = following + 8 + size
            if size <= MAX_FIELD_BYTES and value_end >= len(stream):
                text = f"the stream ends inside {name.decode()} of {size:,} bytes"
                yield Skipped(lines.start, len(stream), text)
                return
            if size > MAX_FIELD_BYTES or stream[value_end] != ord("\n"):
                match = _NEXT_ENTRY.search(stream, following)
                following = match.end() if match else len(stream)
                text = f"{name.decode()} of {size:,} bytes has no newline after it"
                yield Skipped(lines.start, following, text)
                at, lines = following, _Lines(following)
                continue
            value, following = stream[following + 8 : value_end], value_end + 1
        if name.startswith(ABOUT):
            lines.about[name] = value
        else:
            lines.payloads.append(name + b"=" + value)
        at = following
    if lines.about or lines.payloads:
        yield lines.entry(len(stream))
