"""The logs that the readers of both versions read."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from conformance.contents import Contents, digest, read_contents
from conformance.vectors import BrokenVector

#: Larger logs are read, but not damaged.
LARGE_BYTES = 256 * 1024


@dataclass
class LogUnderReview:
    """A log from one or both versions of the repository; the readers of both versions read it."""

    name: str
    format: str
    contents: Contents
    context: Mapping[str, Any]
    #: Versions of the repository that contain the log: ``old``, ``new`` or both.
    sides: set[str]
    damaged: bool
    #: Key or vector id of the undamaged original.
    control: str | None = None
    file_name: str = "log"
    aliases: set[str] = field(default_factory=set)
    #: Answers in the profile ``recover``, by side.
    answers: dict[str, Any] = field(default_factory=dict)
    #: Answers in the profile ``strict``, by side.
    strict: dict[str, Any] = field(default_factory=dict)

    @property
    def key(self) -> str:
        """Identity of the log: its contents and its context."""
        return digest(self.contents) + json.dumps(self.context, sort_keys=True)

    def rules(self, damaged_rule: str) -> list[str]:
        """Return the rules that the log violates if both versions read it differently."""
        if self.damaged:
            return [damaged_rule]
        rules = {"old": "READS_OLD_FILE", "new": "READS_NEW_FILE"}
        return [rule for side, rule in rules.items() if side in self.sides]


def logs_of(root: Path, format: str, side: str) -> Iterator[LogUnderReview]:
    """Yield the logs of the vectors of one side. Raises :class:`BrokenVector`."""
    for path in sorted((root / "vectors" / format).glob("*.json")):
        try:
            body = json.loads(path.read_text(encoding="utf-8"))
        except ValueError as error:
            raise BrokenVector(f"{path}: not JSON: {error}") from None
        input, control = path.parent / str(body["input"]), body.get("control")
        if not input.exists():
            continue
        damaged = control is not None or bool(body["made_by"].get("damage"))
        yield LogUnderReview(
            str(body["id"]), format, read_contents(input), body.get("context", {}), {side},
            damaged or body.get("kind") in ("corrupt", "eof"), control, input.name,
        )  # fmt: skip


def merged(*sides: Iterable[LogUnderReview]) -> dict[str, LogUnderReview]:
    """Return logs by key; equal logs of both sides are merged."""
    by_key: dict[str, LogUnderReview] = {}
    for logs in sides:
        for log in logs:
            first = by_key.setdefault(log.key, log)
            first.sides |= log.sides
            first.aliases.add(log.name)
    return by_key
