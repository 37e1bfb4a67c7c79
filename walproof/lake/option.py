"""One option: its name, how its text is read, and what the documentation says of it."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

_UNITS = {"": 1, "b": 1, "k": 1 << 10, "kb": 1 << 10, "m": 1 << 20, "mb": 1 << 20}
_UNITS |= {"g": 1 << 30, "gb": 1 << 30, "t": 1 << 40, "tb": 1 << 40}


def flag(text: str) -> bool:
    """``true`` or ``false``, in any case."""
    if text.lower() not in ("true", "false"):
        raise ValueError("true or false")
    return text.lower() == "true"


def byte_count(text: str) -> int:
    """A number of bytes, also with a unit: ``32m``, ``128MiB``."""
    match = re.fullmatch(r"(\d{1,18})\s*([a-z]*)", text.strip().lower())
    unit = _UNITS.get(match[2].removesuffix("ib") if match else "?")
    if match is None or unit is None or not int(match[1]) * unit:
        raise ValueError("a number of bytes above 0, such as 33554432 or 32m")
    return int(match[1]) * unit


def count(text: str) -> int:
    """A whole number above 0."""
    if not re.fullmatch(r"\d{1,9}", text) or not int(text):
        raise ValueError("a whole number above 0")
    return int(text)


def seconds(text: str) -> float:
    """A number of seconds, also with a fraction."""
    if not re.fullmatch(r"\d{1,9}(\.\d+)?", text):
        raise ValueError("a number of seconds")
    return float(text)


def time(text: str) -> float:
    """A time in ISO 8601 as seconds since 1970; UTC unless it names a zone."""
    try:
        when = datetime.fromisoformat(text)
    except ValueError:
        raise ValueError("a time such as 2026-11-20T13:00:00, in UTC") from None
    return (when if when.tzinfo else when.replace(tzinfo=UTC)).timestamp()


def text_value(text: str) -> str:
    """A text that is not empty."""
    if not text:
        raise ValueError("a text that is not empty")
    return text


def one_of(*values: str) -> Callable[[str], str]:
    """What reads one of these values, written in any case."""
    by_name = {value.lower(): value for value in values}

    def parse(text: str) -> str:
        if text.lower() not in by_name:
            raise ValueError(f"one of {', '.join(values)}")
        return by_name[text.lower()]

    return parse


@dataclass(frozen=True)
class Option:
    """One option. ``parse`` raises ``ValueError`` with what was expected.

    ``attribute`` is the field of the options that has the value, or the key of the context where
    the option belongs to a format; ``shown`` shows the default.
    """

    name: str
    attribute: str
    parse: Callable[[str], Any]
    shown: str
    doc: str
