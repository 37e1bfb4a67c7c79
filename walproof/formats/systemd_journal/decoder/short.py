"""An entry as ``journalctl --output=short-iso --utc`` prints it.

Upstream authority: systemd ``src/shared/logs-show.c``, ``output_short``; ``strip_tab_ansi`` and
``format_bytes_full`` of ``src/basic``. A test compares the lines with those of the real program.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime

PRIORITIES = ("emerg", "alert", "crit", "err", "warning", "notice", "info", "debug")

_LONGEST_NAME = 300
"""Bytes from which on a host, identifier or process id is not printed (PRINT_CHAR_THRESHOLD)."""
_LATEST = 1 << 55
"""Microseconds from which on a wall clock is none (VALID_REALTIME)."""
_NUMBER = re.compile(rb"[1-9][0-9]{0,19}")
# CSI … letter; OSC … BEL or ESC \. What is not finished stays.
_ANSI = re.compile(rb"\x1b(?:\[[0-9;:?]*[A-Za-z]|\][^\x07\x1b]*(?:\x07|\x1b\\))")
_CONTROL = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f]")
_UNITS = "KMGTPE"

Fields = Mapping[str, Sequence[bytes]]


def line(fields: Fields, realtime: int) -> str:
    """The line of an entry, ``realtime`` in microseconds since 1970. Further lines of a message
    follow without the spaces in front. Where there is no message, journalctl prints nothing; this
    ends with the colon.
    """
    parts = [moment(fields, realtime)]
    host, name = _named(fields, "_HOSTNAME"), _named(fields, "SYSLOG_IDENTIFIER", "_COMM")
    if host is not None:
        parts.append(host)
    process = _named(fields, "_PID", "SYSLOG_PID")
    parts.append(
        ("unknown" if name is None else name)
        + (f"[{process}]" if process is not None else "")
        + ":"
    )
    value = _last(fields, "MESSAGE")
    return " ".join(parts if value is None else [*parts, message(value)])


def moment(fields: Fields, realtime: int) -> str:
    """When the sender says that it was, else when it was received; in UTC."""
    stored = _last(fields, "_SOURCE_REALTIME_TIMESTAMP") or b""
    if _NUMBER.fullmatch(stored) and int(stored) < _LATEST:
        realtime = int(stored)
    try:
        return datetime.fromtimestamp(realtime // 10**6, UTC).isoformat(timespec="seconds")
    except (ValueError, OverflowError, OSError):
        return f"{realtime} µs"


def message(value: bytes) -> str:
    """The text of a message, or how long one is that has control characters or is not UTF-8."""
    plain = _ANSI.sub(b"", value).replace(b"\t", b" " * 8).replace(b"\r\n", b"\n")
    text = printable(plain.removesuffix(b"\r"))
    return f"[{size(len(plain))} blob data]" if text is None else text


def printable(value: bytes) -> str | None:
    """The text, if journalctl takes it for one: UTF-8 without controls but newline and tab."""
    try:
        text = value.decode("utf-8")
    except UnicodeDecodeError:
        return None
    return None if _CONTROL.search(text) else text


def size(count: int) -> str:
    """``12B``, ``1.5K``: cut, not rounded, to a tenth."""
    power = min((count.bit_length() - 1) // 10, len(_UNITS)) if count else 0
    if power == 0:
        return f"{count}B"
    tenths = (count >> 10 * (power - 1)) * 10 // 1024
    return f"{tenths // 10}.{tenths % 10}{_UNITS[power - 1]}"


def priority(fields: Fields) -> str | None:
    """``err``, for example; None where there is none that syslog knows."""
    stored = _last(fields, "PRIORITY") or b""
    return PRIORITIES[stored[0] - ord("0")] if re.fullmatch(b"[0-7]", stored) else None


def _named(fields: Fields, *names: str) -> str | None:
    """The first of these fields that is fit to be printed."""
    for name in names:
        value = _last(fields, name)
        if value is not None and len(value) < _LONGEST_NAME:
            text = printable(value)
            if text is not None:
                return text
    return None


def _last(fields: Fields, name: str) -> bytes | None:
    """Of a field that comes more than once the last one counts."""
    return fields[name][-1] if name in fields else None
