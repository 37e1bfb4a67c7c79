"""An entry as ``journalctl --output=short-iso --utc`` prints it.

Upstream authority: systemd ``src/shared/logs-show.c``, ``output_short``; ``strip_tab_ansi`` and
``format_bytes_full`` of ``src/basic``. A test compares the lines with those of the real program.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from datetime import UTC, datetime

from reference_impl.systemd_journal.export_format import NONCHARACTERS

PRIORITIES = ("emerg", "alert", "crit", "err", "warning", "notice", "info", "debug")

_LONGEST_NAME = 300
"""Bytes from which on a host, identifier or process id is not printed (PRINT_CHAR_THRESHOLD)."""
_LATEST = 1 << 55
"""Microseconds from which on a wall clock is none (VALID_REALTIME)."""
_NUMBER = re.compile(rb"[1-9][0-9]{0,19}")
# CSI … letter; OSC … BEL or ESC \. What is not finished stays.
_ANSI = re.compile(rb"\x1b(?:\[[0-9;:?]*[A-Za-z]|\][^\x07\x1b]*(?:\x07|\x1b\\))")
_NOT_PRINTABLE = re.compile(f"[\x00-\x08\x0b-\x1f\x7f-\x9f{NONCHARACTERS}]")
_UNITS = "KMGTPE"
_MONTHS = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"]

Fields = Mapping[str, Sequence[bytes]]


def line(fields: Fields, realtime: int) -> str:
    """The line of an entry, ``realtime`` in microseconds since 1970. Further lines of a message
    follow without the spaces in front. Where there is no message, journalctl prints nothing; this
    ends with the colon.
    """
    value = _last(fields, "MESSAGE")
    start = _start(fields, realtime, iso_time)
    return start if value is None else f"{start} {message(value)}"


def lines(fields: Fields, realtime: int, time: Callable[[int], str]) -> str:
    """The same with the time in another form, and spaces in front of further lines."""
    start = _start(fields, realtime, time)
    value = _last(fields, "MESSAGE")
    first, *others = message(value or b"").split("\n")
    spaces = " " * (len(start.encode()) + 1)
    return "\n".join([f"{start} {first}", *(f"{spaces}{one}" for one in others)])


def _start(fields: Fields, realtime: int, time: Callable[[int], str]) -> str:
    """What stands before the message of an entry."""
    parts = [time(moment(fields, realtime))]
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


def moment(fields: Fields, realtime: int) -> int:
    """When the sender says that it was, else when it was received."""
    stored = _last(fields, "_SOURCE_REALTIME_TIMESTAMP") or b""
    if _NUMBER.fullmatch(stored) and int(stored) < _LATEST:
        return int(stored)
    return realtime


def iso_time(realtime: int) -> str:
    """``2023-11-14T22:13:20+00:00``."""
    try:
        return datetime.fromtimestamp(realtime // 10**6, UTC).isoformat(timespec="seconds")
    except (ValueError, OverflowError, OSError):
        return f"{realtime} µs"


def syslog_time(realtime: int) -> str:
    """``Nov 14 22:13:20``."""
    try:
        when = datetime.fromtimestamp(realtime // 10**6, UTC)
    except (ValueError, OverflowError, OSError):
        return f"{realtime} µs"
    return f"{_MONTHS[when.month - 1]} {when:%d %H:%M:%S}"


def message(value: bytes) -> str:
    """The text of a message, or how long one is that has control characters or is not UTF-8."""
    plain = _ANSI.sub(b"", value).replace(b"\t", b" " * 8).replace(b"\r\n", b"\n")
    text = printable(plain.removesuffix(b"\r"))
    return f"[{size(len(plain))} blob data]" if text is None else text


def printable(value: bytes) -> str | None:
    """The text, if journalctl takes it for one: UTF-8 without controls but newline and tab, and
    without noncharacters.
    """
    try:
        text = value.decode("utf-8")
    except UnicodeDecodeError:
        return None
    return None if _NOT_PRINTABLE.search(text) else text


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
