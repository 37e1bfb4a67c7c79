"""Print parts of an entry like ``journalctl --output=short-iso --utc``.

Upstream authority: systemd ``src/shared/logs-show.c``, ``output_short``; ``strip_tab_ansi`` and
``format_bytes_full`` of ``src/basic``.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime

from reference_impl.systemd_journal.export_format import NONCHARACTERS

PRIORITIES = ("emerg", "alert", "crit", "err", "warning", "notice", "info", "debug")

#: Hosts, identifiers and process ids of at least this many bytes are not printed
#: (PRINT_CHAR_THRESHOLD).
_LONGEST_NAME = 300
#: The first invalid wall-clock time, in microseconds (VALID_REALTIME).
_LATEST = 1 << 55
_NUMBER = re.compile(rb"[1-9][0-9]{0,19}")
# A CSI sequence ends with a letter, and an OSC sequence ends with BEL or ESC \. Unfinished
# sequences are left unchanged.
_ANSI = re.compile(rb"\x1b(?:\[[0-9;:?]*[A-Za-z]|\][^\x07\x1b]*(?:\x07|\x1b\\))")
_NOT_PRINTABLE = re.compile(f"[\x00-\x08\x0b-\x1f\x7f-\x9f{NONCHARACTERS}]")
_UNITS = "KMGTPE"
#: Formats for the time of an entry.
ISO, SYSLOG = "%Y-%m-%dT%H:%M:%S+00:00", "%b %d %H:%M:%S"

Fields = Mapping[str, Sequence[bytes]]


def start(fields: Fields, realtime: int, form: str = ISO) -> str:
    """Return the text before the message of an entry.

    ``realtime`` is in microseconds since 1970. A valid ``_SOURCE_REALTIME_TIMESTAMP`` replaces
    ``realtime``.
    """
    stored = last(fields, "_SOURCE_REALTIME_TIMESTAMP") or b""
    is_valid = _NUMBER.fullmatch(stored) and int(stored) < _LATEST
    parts = [_shown(int(stored) if is_valid else realtime, form)]
    host, name = _named(fields, "_HOSTNAME"), _named(fields, "SYSLOG_IDENTIFIER", "_COMM")
    if host is not None:
        parts.append(host)
    process = _named(fields, "_PID", "SYSLOG_PID")
    parts.append(
        ("unknown" if name is None else name)
        + (f"[{process}]" if process is not None else "")
        + ":"
    )
    return " ".join(parts)


def _shown(time: int, form: str) -> str:
    try:
        return datetime.fromtimestamp(time // 10**6, UTC).strftime(form)
    except (ValueError, OverflowError, OSError):  # after the year 9999
        return f"{time} µs"


def message(value: bytes) -> str:
    """Return a message as text, or only its size if journalctl does not print the text."""
    plain = _ANSI.sub(b"", value).replace(b"\t", b" " * 8).replace(b"\r\n", b"\n")
    text = printable(plain.removesuffix(b"\r"))
    return f"[{size(len(plain))} blob data]" if text is None else text


def printable(value: bytes) -> str | None:
    """Return a value as text; None if it has control characters or is not UTF-8."""
    try:
        text = value.decode("utf-8")
    except UnicodeDecodeError:
        return None
    return None if _NOT_PRINTABLE.search(text) else text


def size(count: int) -> str:
    """Format a size as ``12B`` or ``1.5K``, truncated (not rounded) to a tenth."""
    if count < 1024:
        return f"{count}B"
    power = min((count.bit_length() - 1) // 10, len(_UNITS))
    tenths = (count >> 10 * (power - 1)) * 10 // 1024
    return f"{tenths // 10}.{tenths % 10}{_UNITS[power - 1]}"


def priority(fields: Fields) -> str | None:
    """Return the name of the priority, such as ``err``; None if syslog does not define it."""
    stored = last(fields, "PRIORITY") or b""
    return PRIORITIES[stored[0] - ord("0")] if re.fullmatch(b"[0-7]", stored) else None


def _named(fields: Fields, *names: str) -> str | None:
    values = (last(fields, name) for name in names)
    short = (value for value in values if value is not None and len(value) < _LONGEST_NAME)
    return next((text for value in short if (text := printable(value)) is not None), None)


def last(fields: Fields, name: str) -> bytes | None:
    """Return the last value of a field, which journalctl prints; None if there is no such field."""
    return fields[name][-1] if name in fields else None
