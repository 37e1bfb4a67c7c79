"""Format numbers, sizes and times for users."""

from __future__ import annotations

from datetime import UTC, datetime

_UNITS = ("B", "KiB", "MiB", "GiB", "TiB", "PiB")


def in_bytes(size: float) -> str:
    """Return a number of bytes with a unit: ``1.5 MiB``."""
    value, unit = float(size), 0
    while value >= 999.5 and unit < len(_UNITS) - 1:
        value, unit = value / 1024, unit + 1
    if unit == 0:
        return f"{int(value)} B"
    return f"{value:.0f} {_UNITS[unit]}" if value >= 99.5 else f"{value:.1f} {_UNITS[unit]}"


def number(count: int) -> str:
    """Return a count with thousands separators."""
    return f"{count:,}"


def counted(count: int, noun: str) -> str:
    """Return a count and its noun: ``1 copy``, ``2 copies``, ``3 days``."""
    if count == 1:
        return f"{number(count)} {noun}"
    if noun.endswith("y") and noun[-2] not in "aeiou":
        return f"{number(count)} {noun[:-1]}ies"
    return f"{number(count)} {noun}s"


def exact(size: int) -> str:
    """Return a size in bytes as text. A large size has the form ``1.5 MiB (1,572,864 bytes)``."""
    if size < 10_000:
        return counted(size, "byte")
    return f"{in_bytes(size)} ({counted(size, 'byte')})"


def moment(microseconds: int, zone: str = "") -> str:
    """Return a time in microseconds since 1970 as a date in UTC, followed by ``zone``."""
    try:
        return f"{datetime.fromtimestamp(microseconds / 1e6, UTC):%Y-%m-%d %H:%M:%S}{zone}"
    except (ValueError, OverflowError, OSError):
        return f"{microseconds} µs"
