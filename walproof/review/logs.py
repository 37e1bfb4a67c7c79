"""The logs that both readers are given."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from conformance.contents import Contents, digest, read_contents
from conformance.vectors import BrokenVector

LARGE_BYTES = 256 * 1024
"""Bytes of a log above which the sweep damages, and grammars read, a sample only."""


@dataclass
class LogUnderReview:
    """One log. ``sides`` says whose it is: ``old``, ``new`` or both.

    ``control`` is the key of the log it was made from, None for an undamaged one. ``answers`` are
    those of both sides with profile recover, ``strict`` those with strict if there is one.
    """

    name: str
    format: str
    contents: Contents
    context: Mapping[str, Any]
    sides: set[str]
    damaged: bool
    origin: str
    control: str | None = None
    file_name: str = "log"
    aliases: set[str] = field(default_factory=set)
    answers: dict[str, Any] = field(default_factory=dict)
    strict: dict[str, Any] = field(default_factory=dict)

    @property
    def key(self) -> str:
        """What tells one log from another: its bytes and what the reader is told besides."""
        return digest(self.contents) + json.dumps(self.context, sort_keys=True)


def vector_bodies(root: Path, formats: Iterable[str] = ()) -> dict[str, dict[str, Any]]:
    """The vectors of a tree by id, each with the folder that it lies in under ``folder``."""
    wanted = set(formats)
    bodies = {}
    for path in sorted((root / "vectors").glob("*/*.json")):
        if wanted and path.parent.name not in wanted:
            continue
        try:
            body = json.loads(path.read_text(encoding="utf-8"))
        except ValueError as error:
            raise BrokenVector(f"{path}: not JSON: {error}") from None
        bodies[str(body["id"])] = {**body, "folder": path.parent}
    return bodies


def logs_of(bodies: Mapping[str, Mapping[str, Any]], side: str) -> Iterator[LogUnderReview]:
    """The logs of the vectors of one side."""
    for id, body in bodies.items():
        input = Path(body["folder"]) / str(body["input"])
        if not input.exists():
            continue
        damaged = body.get("control") is not None or bool(body["made_by"].get("damage"))
        yield LogUnderReview(
            id, str(body["format"]), read_contents(input), body.get("context", {}), {side},
            damaged or body.get("kind") in ("corrupt", "eof"), "vector", body.get("control"),
            input.name,
        )  # fmt: skip


def merged(*sides: Iterable[LogUnderReview]) -> dict[str, LogUnderReview]:
    """Logs by key; a log that both sides have is there once."""
    by_key: dict[str, LogUnderReview] = {}
    for logs in sides:
        for log in logs:
            known = by_key.setdefault(log.key, log)
            known.sides |= log.sides
            known.aliases.add(log.name)
    return by_key
