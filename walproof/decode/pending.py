"""The interface of a format for ``walproof read --pending``: messages that wait when a log ends."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, Protocol

from reference_impl.answer import Record


@dataclass
class Waiting:
    """The items that wait in one place, such as the pending messages of a queue.

    ``first`` and ``last`` are the oldest and the newest time, in milliseconds since 1970, or None
    if no time is known. ``files`` counts the waiting items in each file; a file cannot be deleted
    while it contains waiting items.
    """

    place: str
    subscription: str | None = None
    count: int = 0
    first: int | None = None
    last: int | None = None
    files: Counter[str] = field(default_factory=Counter)

    def add(self, file: str, time: int | None) -> None:
        """Count one more waiting item, in this file and with this time."""
        self.count += 1
        self.files[file] += 1
        if time is not None:
            self.first = time if self.first is None else min(self.first, time)
            self.last = time if self.last is None else max(self.last, time)

    def to_json(self) -> dict[str, Any]:
        """Return the object that ``--pending --jsonl`` prints."""
        members = {"place": self.place, "subscription": self.subscription, "count": self.count,
                 "first": self.first, "last": self.last, "files": dict(self.files)}  # fmt: skip
        return {name: value for name, value in members.items() if value is not None}


class Pending(Protocol):
    """The state of a broker or engine, computed from the records of its log in log order."""

    def take(self, record: Record, value: Mapping[str, Any]) -> None:
        """Apply a record. ``value`` is its decoded struct, in which null members may be missing."""

    def waiting(self) -> Iterator[Waiting]:
        """Yield the waiting items of each place."""
