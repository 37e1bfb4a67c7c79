"""Parse timestamps as journalctl accepts them, in UTC.

Upstream authority: systemd ``src/basic/time-util.c`` (``parse_timestamp``, ``parse_time``),
``systemd.time(7)``.
"""

from __future__ import annotations

import re
from datetime import UTC, datetime, timedelta, timezone
from zoneinfo import ZoneInfo

EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
SECOND = 1_000_000
#: Microseconds of each unit, and its names. A month is a twelfth of a year of 365.25 days.
_UNITS = {
    1: ("us", "usec", "µs", "μs"),
    1000: ("ms", "msec"),
    SECOND: ("", "s", "sec", "second", "seconds"),
    60 * SECOND: ("m", "min", "minute", "minutes"),
    3600 * SECOND: ("h", "hr", "hour", "hours"),
    86400 * SECOND: ("d", "day", "days"),
    7 * 86400 * SECOND: ("w", "week", "weeks"),
    2629800 * SECOND: ("M", "month", "months"),
    31557600 * SECOND: ("y", "year", "years"),
}
_SIZES = {name: size for size, names in _UNITS.items() for name in names}
_SPAN = re.compile(r"\s*(\d+)(?:\.(\d+))?\s*([a-zA-Zµμ]*)\s*")
_WEEKDAYS = ("mon", "tue", "wed", "thu", "fri", "sat", "sun")
_LONG_WEEKDAYS = ("monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday")
_MOMENT = re.compile(
    r"(?:(?P<year>\d{4}|\d{2})-(?P<month>\d{1,2})-(?P<day>\d{1,2}))?"
    r"(?:(?:^|(?<=\d)[ T])(?P<hour>\d{1,2}):(?P<minute>\d{1,2})"
    r"(?::(?P<second>\d{1,2})(?:\.(?P<fraction>\d+))?)?)?"
)
_OFFSET = re.compile(r"(?P<sign>[+-])(?P<hours>\d{2}):?(?P<minutes>\d{2})")


class BadTime(ValueError):
    """An invalid timestamp; the message contains the expected forms."""


def parse_time(text: str, now: int) -> int:
    """Return microseconds since 1970; ``now`` is the current time in the same unit.

    A time without a zone is in UTC. Raises :class:`BadTime`.
    """
    plain = text.strip()
    time = _parse(plain, now)
    if time is None:
        raise BadTime(
            "expected a time such as 2023-11-14, '2023-11-14 22:13:20', yesterday, -1h or"
            f" @1700000000, found {text!r}"
        )
    return max(time, 0)


def _parse(text: str, now: int) -> int | None:
    if text.startswith("@"):
        return _span(text[1:], "s") if re.fullmatch(r"\d+(\.\d+)?", text[1:]) else _span(text[1:])
    for prefix, suffix, sign in (("+", "", 1), ("-", "", -1), ("", " ago", -1), ("", " left", 1)):
        if text.startswith(prefix) and text.endswith(suffix) and (prefix or suffix):
            span = _span(text[len(prefix) : len(text) - len(suffix)])
            return None if span is None else now + sign * span
    today = now // (86400 * SECOND) * 86400 * SECOND
    days = {"today": 0, "yesterday": -1, "tomorrow": 1}
    if text == "now":
        return now
    if text in days:
        return today + days[text] * 86400 * SECOND
    return _moment(text, today)


def _span(text: str, unit: str | None = None) -> int | None:
    """Parse a duration such as ``1h 30min`` to microseconds; the default unit is seconds."""
    at = total = 0
    while at < len(text):
        match = _SPAN.match(text, at)
        if match is None or (name := unit or match[3]) not in _SIZES:
            return None
        size = _SIZES[name]
        total += int(match[1]) * size
        total += int(f"{match[2] or '0':0<20}"[:20]) * size // 10**20
        at = match.end()
    return total if text.strip() else None


def _moment(text: str, today: int) -> int | None:
    """Parse a date, a time of day, or both. A weekday must match the date."""
    day, _, rest = text.partition(" ")
    weekday = None
    for names in (_WEEKDAYS, _LONG_WEEKDAYS):
        if day.lower().rstrip(",") in names:
            weekday, text = names.index(day.lower().rstrip(",")), rest.strip()
    text, zone = _zone(text)
    match = _MOMENT.fullmatch(text)
    if match is None or not text or zone is None:
        return None
    date = datetime.fromtimestamp(today // SECOND, UTC)
    year, month, of_month = date.year, date.month, date.day
    if match["year"]:
        year, month, of_month = int(match["year"]), int(match["month"]), int(match["day"])
        if len(match["year"]) == 2:
            year += 2000 if year < 69 else 1900
    try:
        moment = datetime(
            year, month, of_month,
            int(match["hour"] or 0), int(match["minute"] or 0), int(match["second"] or 0),
            int(f"{match['fraction'] or '0':0<6}"[:6]), zone,
        )  # fmt: skip
    except ValueError:
        return None
    if weekday is not None and moment.weekday() != weekday:
        return None
    return (moment - EPOCH) // timedelta(microseconds=1)


def _zone(text: str) -> tuple[str, timezone | ZoneInfo | None]:
    """Split the time zone from the end of a text; the default is UTC."""
    if text.endswith("Z") and "T" in text:
        return text[:-1], UTC
    head, _, tail = text.rpartition(" ")
    if re.search(r":\d\d(\.\d+)?[+-]\d\d:?\d\d$", text):
        length = 6 if text[-3] == ":" else 5
        head, tail = text[:-length], text[-length:]
    if (match := _OFFSET.fullmatch(tail)) is not None and head:
        offset = timedelta(hours=int(match["hours"]), minutes=int(match["minutes"]))
        if offset >= timedelta(days=1):
            return text, None
        return head.strip(), timezone(offset if match["sign"] == "+" else -offset)
    if head and re.fullmatch(r"[A-Za-z][A-Za-z0-9_+/-]*", tail):
        if tail in ("UTC", "Z"):
            return head.strip(), UTC
        try:
            return head.strip(), ZoneInfo(tail)
        except (KeyError, ValueError, OSError):  # unknown zone
            return text, None
    return text, UTC
