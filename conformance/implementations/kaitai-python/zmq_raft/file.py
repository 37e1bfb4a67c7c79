"""The result of reading one zmq-raft file."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any


@dataclass
class File:
    """The result for one file: entries, snapshot or updates, lost ranges, and the end."""

    size: int
    records: list[dict[str, Any]] = field(default_factory=list)
    lost: list[dict[str, Any]] = field(default_factory=list)
    end: int | None = None
    refused: str | None = None
    first: int = 0
    committed: int = 0
    # The number of entries before the last trusted end.
    whole: int = 0
    capacity: int = 0
    has_layout: bool = False

    def lose(self, start: int, end: int, reason: str, index: int | None = None) -> File:
        """Report ``[start, end)`` as lost. ``index`` is the index of the last lost entry."""
        known = {} if index is None else {"index": index}
        self.lost.append({"from": start, "to": end, "reason": reason, **known})
        return self


def in_order(file: File) -> list[dict[str, Any]]:
    """Return the records and losses of a file in the order of their offsets."""
    return sorted([*file.records, *file.lost], key=start_of)


def start_of(event: dict[str, Any]) -> int:
    """Return the start of a record or a loss."""
    return int(event["at"] if "at" in event else event["from"])
