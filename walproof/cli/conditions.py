"""Parse the conditions of ``walproof read --operations --where NAME=VALUE``."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Any

from conformance.text import json_text
from walproof.cli.context import key_and_value

_RANGE = re.compile(r"(-?\d*):(-?\d*)")


@dataclass(frozen=True)
class Condition:
    """A column name, and its required value or the bounds of an integer range (inclusive)."""

    name: str
    value: str
    low: int | None = None
    high: int | None = None

    def holds(self, row: Any) -> bool:
        """Return whether a row has a matching member at any depth."""
        if isinstance(row, list | tuple):
            return any(self.holds(member) for member in row)
        if not isinstance(row, dict):
            return False
        if self.name in row and self._is_wanted(row[self.name]):
            return True
        return any(self.holds(member) for member in row.values())

    def _is_wanted(self, value: Any) -> bool:
        if isinstance(value, dict | list | tuple) or value is None:
            return False
        text = json_text(value) if isinstance(value, bool) else str(value)
        if text == self.value or (self.low, self.high) == (None, None):
            return text == self.value
        if not re.fullmatch(r"-?\d+", text):
            return False
        number = int(text)
        return (self.low is None or number >= self.low) and (
            self.high is None or number <= self.high
        )


def parse_condition(text: str) -> Condition:
    """Parse ``position=17``, ``position=100:200`` or ``op=put``. Raises ``click.UsageError``."""
    name, value = key_and_value("--where", text, "NAME=VALUE")
    bounds = _RANGE.fullmatch(value)
    if bounds is None or value == ":":
        return Condition(name, value)
    low, high = (int(bound) if bound else None for bound in bounds.groups())
    return Condition(name, value, low, high)
