"""What one file of zmq-raft gave."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any


@dataclass
class File:
    """What one file gave: entries, snapshot or updates, what of it is lost, and where it ends."""

    size: int
    records: list[dict[str, Any]] = field(default_factory=list)
    lost: list[dict[str, Any]] = field(default_factory=list)
    end: int | None = None
    refused: str | None = None
    first: int = 0
    committed: int = 0
    whole: int = 0
    """Entries up to the last end that is relied on."""
    capacity: int = 0
    has_layout: bool = False

    def lose(self, start: int, end: int, reason: str, index: int | None = None) -> File:
        """Report ``[start, end)`` as lost, up to the entry of this index."""
        known = {} if index is None else {"index": index}
        self.lost.append({"from": start, "to": end, "reason": reason, **known})
        return self


def in_order(file: File) -> list[dict[str, Any]]:
    """Records and losses of a file by offset."""
    return sorted([*file.records, *file.lost], key=start_of)


def start_of(event: dict[str, Any]) -> int:
    """Where a record or a loss begins."""
    return int(event["at"] if "at" in event else event["from"])
