"""Names of Zeebe's protocol constants. ``protocol.toml`` is generated from Zeebe's classes."""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

Version = tuple[int, int]


@dataclass(frozen=True)
class Names:
    """The names of constants in a release line; a number without a name is shown in decimal."""

    line: str
    record_types: Mapping[int, str]
    rejection_types: Mapping[int, str]
    value_types: Mapping[int, tuple[str, tuple[str, ...]]]

    def record_type(self, number: int) -> str:
        """Return the name of a record type, for example ``COMMAND``."""
        return self.record_types.get(number, str(number))

    def rejection_type(self, number: int) -> str:
        """Return the name of a rejection type, for example ``NOT_FOUND``."""
        return self.rejection_types.get(number, str(number))

    def value_type(self, number: int) -> str:
        """Return the name of a value type, for example ``JOB``."""
        return self.value_types[number][0] if number in self.value_types else str(number)

    def intent(self, value_type: int, number: int) -> str:
        """Return the name of an intent of a value type, for example ``CREATED``."""
        known = self.value_types.get(value_type, ("", ()))[1]
        return (known[number] if number < len(known) else "") or str(number)


@cache
def names(broker: Version | None, schema: int) -> Names:
    """Return the names of the release line of a broker version, or of the line before it.

    Without a broker version, the newest release line with this ``schema`` determines the names.
    """
    lines = _table()["lines"]
    if broker is not None:
        before = [line for line in lines if _version(line) <= broker]
        line = before[-1] if before else next(iter(lines))
    else:
        same = [line for line, line_facts in lines.items() if line_facts["schema"] == schema]
        line = same[-1] if same else next(reversed(lines))
    return _names(line)


@cache
def _names(line: str) -> Names:
    table = _table()
    values: dict[int, tuple[str, tuple[str, ...]]] = {}
    for each in table["value_types"]:
        if _version(each["since"]) <= _version(line):
            values[each["number"]] = (each["name"], tuple(each["intents"]))
    return Names(
        line, _numbered(table["record_types"]), _numbered(table["rejection_types"]), values
    )


def _numbered(names: Mapping[str, str]) -> dict[int, str]:
    return {int(number): name for number, name in names.items()}


def _version(line: str) -> Version:
    major, minor = line.split(".")
    return int(major), int(minor)


@cache
def _table() -> dict[str, Any]:
    # Release lines and the entries of a value type are sorted, oldest first.
    with (Path(__file__).parent / "protocol.toml").open("rb") as file:
        return tomllib.load(file)
