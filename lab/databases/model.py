"""Words of this room: items, and damaged logs that a system is asked to open."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, Protocol

from conformance.contents import Contents, read_contents
from conformance.vectors import Vector
from lab.formats import lab_part
from reference_impl.answer import Answer
from reference_impl.formats import FORMATS, Context

Item = tuple[str, str]
"""What a system returns: a name (a key, the id of a message, an index) and a value, as text."""


@dataclass(frozen=True)
class Case:
    """One damaged log. ``id`` is that of a scenario, with a word of its own if there are several.

    ``control`` is the log before the damage, ``operations`` says what was done to it.
    """

    id: str
    scenario: str
    log: Contents
    control: Contents
    operations: Sequence[str]
    name: str = ""
    """How the log is called where that matters."""
    context: Context = field(default_factory=dict)

    def undamaged(self) -> Case:
        """The same before the damage."""
        return replace(self, log=self.control, operations=())


@dataclass(frozen=True)
class Due:
    """What there was, and what the executable specification says is left."""

    written: frozenset[Item]
    left: frozenset[Item]
    verdict: str

    @property
    def gone(self) -> frozenset[Item]:
        """What was acknowledged and cannot be read any more: whoever opens the log must say so."""
        return self.written - self.left if self.verdict in ("damaged", "refused") else frozenset()


class FormatDatabases(Protocol):
    """What the part ``databases`` of a format in ``lab/formats`` offers."""

    def cases(self) -> Sequence[Case]:
        """The damaged logs; the first one has no damage, and its id is ``none``."""

    def items(self, answer: Answer, context: Mapping[str, Any]) -> frozenset[Item]:
        """What the records of an answer mean to a system that opened the log."""

    def place(self, case: Case, folder: Path) -> Path:
        """Put the log into a new folder as a system's program expects it; the path it is told."""


def vector_case(vector: Vector, vectors: Mapping[str, Vector], name: str) -> Case:
    """Return a vector and its control as a case; ``name`` is how the log is called."""
    scenario = vector.body.get("scenario", "")
    return Case(
        f"{scenario}/{vector.id.partition('/')[2]}",
        scenario,
        read_contents(vector.input),
        read_contents(vectors[vector.control or ""].input),
        vector.damage,
        name,
        vector.body.get("context", {}),
    )


def scenario_vectors(format_id: str, vectors: Mapping[str, Vector]) -> Iterator[Vector]:
    """Yield the vectors of a format that are read, show a scenario and have a control."""
    for vector in vectors.values():
        is_read = vector.body["format"] == format_id and vector.operation == "read"
        if is_read and "scenario" in vector.body and vector.control in vectors:
            yield vector


def databases_of(format_id: str) -> FormatDatabases | None:
    """Return the damaged logs of a format; None where no system opens any.

    Raises ``UnknownFormat``.
    """
    part: FormatDatabases | None = lab_part(format_id, "databases")
    return part


def formats() -> list[str]:
    """Return the formats that have systems here, in their order."""
    return [format_id for format_id in FORMATS if databases_of(format_id) is not None]


MOST_SHOWN = 48
"""Bytes of a name or value that stand as they are; longer ones by their SHA-256."""


def shortened(data: bytes) -> str:
    """Bytes as an item has them: text, hexadecimal, or a digest of what is long."""
    if len(data) > MOST_SHOWN:
        return f"{len(data)} bytes, sha256 {hashlib.sha256(data).hexdigest()[:16]}"
    try:
        text = data.decode("ascii")
    except UnicodeDecodeError:
        text = ""
    return text if text.isprintable() and (text or not data) else f"0x{data.hex()}"
