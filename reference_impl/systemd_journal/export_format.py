"""Journal fields in the Journal Export Format (SDJ-090, SDJ-091) and in answers."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from typing import Any, BinaryIO

from reference_impl.answer import INLINE_PAYLOAD_LIMIT

NONCHARACTERS = "\ufdd0-\ufdef" + "".join(
    chr(plane << 16 | 0xFFFE) + chr(plane << 16 | 0xFFFF) for plane in range(17)
)
"""Code points that systemd does not accept in text, as a part of a character class."""
_CONTROLS = r"\x00-\x08\x0a-\x1f\x7f-\x9f"
_NO_TEXT = re.compile(f"[{_CONTROLS}{NONCHARACTERS}]")
# This pattern suffices for ASCII, which has no noncharacters, and is ten times as fast.
_NO_ASCII_TEXT = re.compile(f"[{_CONTROLS}]")
BOOT_ID = b"_BOOT_ID="
# Fields with this prefix describe the entry itself (SDJ-091).
ABOUT = b"__"


def is_text(payload: bytes) -> bool:
    """Return whether ``FIELD=value`` is text without control characters except tab (SDJ-090)."""
    try:
        text = payload.decode("utf-8")
    except UnicodeDecodeError:
        return False
    pattern = _NO_ASCII_TEXT if text.isascii() else _NO_TEXT
    return not pattern.search(text)


def export_field(payload: bytes) -> bytes:
    """Return a field as a line or, if it is not text, with its value's length as an le64."""
    if is_text(payload):
        return payload + b"\n"
    name, _, value = payload.partition(b"=")
    return name + b"\n" + len(value).to_bytes(8, "little") + value + b"\n"


def entry_body(payloads: Iterable[bytes]) -> bytes:
    """Return a record's payload: fields in export format, without ``_BOOT_ID`` (SDJ-042).

    The fields are sorted, and each appears once (SDJ-019, SDJ-082).
    """
    return b"".join(export_field(p) for p in sorted(set(payloads)) if not p.startswith(BOOT_ID))


def field_to_json(payload: bytes) -> list[Any]:
    """Return a field as it appears in an answer, ``[name, value]``."""
    name, _, value = payload.partition(b"=")
    return [name.decode("ascii", errors="replace"), value_to_json(value)]


def value_to_json(value: bytes) -> str | dict[str, str]:
    """Return a field value for an answer, as text, hexadecimal digits or a digest."""
    if len(value) > INLINE_PAYLOAD_LIMIT:
        return {"sha256": hashlib.sha256(value).hexdigest()}
    try:
        return value.decode("utf-8")
    except UnicodeDecodeError:
        return {"hex": value.hex()}


class BadExport(ValueError):
    """Raised if a stream is not in export format. The message contains the offset."""


@dataclass
class ExportedEntry:
    """An entry of an export stream, with its address fields and other fields (``FIELD=value``)."""

    address: dict[str, str] = field(default_factory=dict)
    payloads: list[bytes] = field(default_factory=list)


MAX_LINE = 1 << 20


def parse_export(stream: BinaryIO) -> Iterator[ExportedEntry]:
    """Parse the entries of an export stream. Raises :class:`BadExport`."""
    entry = ExportedEntry()
    for payload in parse_fields(stream):
        if payload is None:
            if entry.address or entry.payloads:
                yield entry
            entry = ExportedEntry()
        elif payload.startswith(ABOUT):
            name, _, value = payload.partition(b"=")
            entry.address[name.decode("ascii", errors="replace")] = value.decode("utf-8", "replace")
        else:
            entry.payloads.append(payload)
    if entry.address or entry.payloads:
        yield entry


def parse_fields(stream: BinaryIO, limit: int = 768 << 20) -> Iterator[bytes | None]:
    """Yield ``NAME=value`` for each field of an export stream, and None for each empty line.

    Raises :class:`BadExport`, for example if a field exceeds ``limit`` bytes.
    """
    at = 0
    while line := stream.readline(limit + 1):
        at += len(line)
        if not line.endswith(b"\n"):
            raise BadExport(f"at offset {at - len(line)}: the line has no end or is too long")
        line = line[:-1]
        if line and b"=" not in line:
            size = int.from_bytes(_exactly(stream, 8, at), "little")
            if size > limit:
                raise BadExport(f"at offset {at}: a field of {size} bytes exceeds {limit}")
            line += b"=" + _exactly(stream, size, at)
            if _exactly(stream, 1, at) != b"\n":
                raise BadExport(f"at offset {at}: no newline after a binary field of {size} bytes")
            at += 9 + size
        yield line or None


def _exactly(stream: BinaryIO, size: int, at: int) -> bytes:
    parts, left = [], size
    # Read in pieces, so that a wrong length cannot exhaust the memory.
    while left:
        piece = stream.read(min(left, MAX_LINE))
        if not piece:
            raise BadExport(f"at offset {at}: the stream ends inside a binary field")
        parts.append(piece)
        left -= len(piece)
    return b"".join(parts)
