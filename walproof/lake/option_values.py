"""Parse option values. Each parser raises ``ValueError`` with a description of valid values."""

from __future__ import annotations

import re
from collections.abc import Callable
from datetime import UTC, datetime

_UNITS = {"": 1, "b": 1, "k": 1 << 10, "kb": 1 << 10, "m": 1 << 20, "mb": 1 << 20}
_UNITS |= {"g": 1 << 30, "gb": 1 << 30, "t": 1 << 40, "tb": 1 << 40}


def flag(text: str) -> bool:
    """Parse ``true`` or ``false``, in upper or lower case."""
    if text.lower() not in ("true", "false"):
        raise ValueError("true or false")
    return text.lower() == "true"


def byte_count(text: str) -> int:
    """Parse a number of bytes, optionally with a unit: ``32m``, ``128MiB``."""
    match = re.fullmatch(r"(\d{1,18})\s*([a-z]*)", text.strip().lower())
    unit = _UNITS.get(match[2].removesuffix("ib") if match else "?")
    if match is None or unit is None or not int(match[1]) * unit:
        raise ValueError("a number of bytes above 0, such as 33554432 or 32m")
    return int(match[1]) * unit


def count(text: str) -> int:
    """Parse an integer above 0."""
    if not re.fullmatch(r"\d{1,9}", text) or not int(text):
        raise ValueError("a whole number above 0")
    return int(text)


def seconds(text: str) -> float:
    """Parse a number of seconds, which may have a fraction."""
    if not re.fullmatch(r"\d{1,9}(\.\d+)?", text):
        raise ValueError("a number of seconds")
    return float(text)


def time(text: str) -> float:
    """Parse an ISO 8601 time to seconds since 1970. The default time zone is UTC."""
    try:
        when = datetime.fromisoformat(text)
    except ValueError:
        raise ValueError("a time such as 2026-11-20T13:00:00, in UTC") from None
    return (when if when.tzinfo else when.replace(tzinfo=UTC)).timestamp()


def text_value(text: str) -> str:
    """Return the text. Raises an error if it is empty."""
    if not text:
        raise ValueError("a text that is not empty")
    return text


def one_of(*values: str) -> Callable[[str], str]:
    """Return a parser that accepts one of these values, in upper or lower case."""
    by_name = {value.lower(): value for value in values}

    def parse(text: str) -> str:
        if text.lower() not in by_name:
            raise ValueError(f"one of {', '.join(values)}")
        return by_name[text.lower()]

    return parse
