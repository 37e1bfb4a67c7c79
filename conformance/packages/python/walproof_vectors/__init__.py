"""The golden vectors of Walproof: logs, and the answers that readers owe.

``vectors/schema.json`` in :data:`FOLDER` describes each field.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

FOLDER = Path(__file__).resolve().parent / "vectors"
if not FOLDER.is_dir():  # an unpacked sdist
    FOLDER = FOLDER.parents[1] / "vectors"


@dataclass(frozen=True)
class Record:
    """A record; ``payload`` is None above 4096 bytes, where there is a hash. ``fields``: all."""

    at: int
    size: int
    file: str | None
    payload: bytes | None
    payload_sha256: str | None
    fields: Mapping[str, Any]

    def has(self, payload: bytes) -> bool:
        """Whether this is its payload."""
        if self.payload is not None:
            return self.payload == payload
        return hashlib.sha256(payload).hexdigest() == self.payload_sha256


@dataclass(frozen=True)
class Lost:
    """A range of bytes, ``start`` inclusive, ``stop`` exclusive."""

    start: int
    stop: int
    reason: str
    file: str | None


@dataclass(frozen=True)
class Answer:
    """What a reader says of a log. ``end``: an offset, ``{"file", "at"}``, or None."""

    verdict: str
    reason: str | None
    records: tuple[Record, ...]
    lost: tuple[Lost, ...]
    end: int | Mapping[str, Any] | None


@dataclass(frozen=True)
class Accepted:
    """Another right result, and why."""

    answer: Answer
    answer_strict: Answer | None
    after: Mapping[str, Any] | None
    because: str


@dataclass(frozen=True)
class Vector:
    """A log, what is asked of it, and what is owed. ``body`` is the whole description."""

    id: str
    title: str
    format: str
    kind: str
    operation: str
    requirements: tuple[str, ...]
    damage: tuple[str, ...]
    control: str | None
    context: Mapping[str, Any]
    expect: Answer
    expect_strict: Answer | None
    accept: tuple[Accepted, ...]
    must_refuse: bool
    may_refuse: bool
    path: Path
    body: Mapping[str, Any]

    def files(self) -> dict[str, bytes]:
        """The bytes of the log by name; one file, or those of a folder, with / between names."""
        if self.path.is_file():
            return {self.path.name: self.path.read_bytes()}
        found = sorted(one for one in self.path.rglob("*") if one.is_file())
        return {one.relative_to(self.path).as_posix(): one.read_bytes() for one in found}


def index() -> Mapping[str, Any]:
    """What ``index.json`` says of the set: version, counts, hashes, ids."""
    return dict(json.loads((FOLDER / "index.json").read_text("utf-8")))


def vectors(format: str | None = None) -> Iterator[Vector]:
    """The vectors of a format, or all, in order of id."""
    for row in index()["vectors"]:
        if format is None or row["id"].startswith(f"{format}/"):
            yield load(row["id"])


def load(id: str) -> Vector:
    """The vector of an id. Raises ``KeyError``."""
    try:
        body = json.loads((FOLDER / f"{id}.json").read_text("utf-8"))
    except OSError:
        raise KeyError(id) from None
    return Vector(
        **{name: body[name] for name in ("id", "title", "format", "kind", "operation", "control")},
        requirements=tuple(body["requirements"]),
        damage=tuple(body["made_by"].get("damage", ())),
        context=body["context"],
        expect=_answer(body["expect"]),
        expect_strict=_answer(body["expect_strict"]) if "expect_strict" in body else None,
        accept=tuple(map(_accepted, body.get("accept", ()))),
        must_refuse="must_refuse" in body,
        may_refuse="may_refuse" in body,
        path=FOLDER / body["format"] / body["input"],
        body=body,
    )


def _accepted(said: Mapping[str, Any]) -> Accepted:
    strict = said.get("answer_strict")
    return Accepted(
        _answer(said["answer"]), strict and _answer(strict), said.get("after"), said["because"]
    )


def _answer(said: Mapping[str, Any]) -> Answer:
    lost = (Lost(one["from"], one["to"], one["reason"], one.get("file")) for one in said["lost"])
    records = tuple(map(_record, said["records"]))
    return Answer(said["verdict"], said["reason"], records, tuple(lost), said["end"])


def _record(said: Mapping[str, Any]) -> Record:
    payload = bytes.fromhex(said["payload"]) if "payload" in said else None
    at, size, file = said["at"], said["size"], said.get("file")
    return Record(at, size, file, payload, said.get("payload_sha256"), said)
