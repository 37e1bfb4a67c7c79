"""Parse timestamps as journalctl accepts them, in UTC.

Upstream authority: systemd ``src/basic/time-util.c`` (``parse_timestamp``, ``parse_time``),
``systemd.time(7)``.
"""

from __future__ import annotations

import re
from datetime import UTC, datetime, timedelta
from zoneinfo import ZoneInfo

from walproof.formats.systemd_journal.query.filters import BadFilter

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
_MOMENT = re.compile(
    r"(?:(?P<weekday>[A-Za-z]+),? )?(?P<date>\d{4}-\d\d-\d\d)?"
    r"(?:(?:^|(?<=\d)[ T])(?P<time>\d\d:\d\d(?::\d\d(?:\.\d+)?)?))?"
    r"(?: (?P<zone>[A-Za-z][\w+/-]*)| ?(?P<offset>[+-]\d\d:?\d\d|Z))?"
)


def parse_time(text: str, now: int) -> int:
    """Parse a time to microseconds since 1970. ``now`` is the current time in the same unit.

    A time without a zone is in UTC. Raises :class:`BadFilter`.
    """
    time = _parse(text.strip(), now)
    if time is None:
        raise BadFilter(
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
    match = _MOMENT.fullmatch(text)
    if match is None or not (match["date"] or match["time"]):
        return None
    date = match["date"] or f"{datetime.fromtimestamp(today // SECOND, UTC):%Y-%m-%d}"
    try:
        moment = datetime.fromisoformat(f"{date} {match['time'] or '00:00'}{match['offset'] or ''}")
        if moment.tzinfo is None:
            is_named = match["zone"] not in (None, "UTC")
            moment = moment.replace(tzinfo=ZoneInfo(match["zone"]) if is_named else UTC)
    except (KeyError, ValueError, OSError):  # no such date, time or zone
        return None
    weekday = f"{moment:%A}".lower()
    if (match["weekday"] or weekday).lower() not in (weekday, weekday[:3]):
        return None
    return (moment - EPOCH) // timedelta(microseconds=1)
