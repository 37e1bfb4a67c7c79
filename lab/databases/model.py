"""The data model: items, and damaged logs that a system opens."""

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

#: A name (a key, the id of a message, an index) and a value, as text.
Item = tuple[str, str]


@dataclass(frozen=True)
class Case:
    """A damaged log.

    ``id`` is the id of the scenario, followed by the vector if the scenario has several.
    ``control`` is the log before the damage, and ``operations`` describes the damage. ``name`` is
    the file name of the log, if the system requires a certain name. ``variant`` is the dialect of
    the log, if only some systems read it.
    """

    id: str
    scenario: str
    log: Contents
    control: Contents
    operations: Sequence[str]
    name: str = ""
    context: Context = field(default_factory=dict)
    variant: str = ""

    def undamaged(self) -> Case:
        """Return the case before the damage."""
        return replace(self, log=self.control, operations=())


@dataclass(frozen=True)
class Due:
    """The written items, and those that the executable specification still finds."""

    written: frozenset[Item]
    left: frozenset[Item]
    verdict: str

    @property
    def gone(self) -> frozenset[Item]:
        """Acknowledged items that are no longer readable; a system must report them."""
        return self.written - self.left if self.verdict in ("damaged", "refused") else frozenset()


class FormatDatabases(Protocol):
    """The interface of the part ``databases`` of a format in ``lab/formats``."""

    def cases(self) -> Sequence[Case]:
        """Return the damaged logs; the first one is undamaged, with the id ``none``."""

    def items(self, answer: Answer, context: Mapping[str, Any]) -> frozenset[Item]:
        """Return the items that a system finds in the records of an answer."""

    def place(self, case: Case, folder: Path) -> Path:
        """Put the log into a new folder as the system expects it. Return the path to pass to it."""


def vector_case(vector: Vector, vectors: Mapping[str, Vector], name: str) -> Case:
    """Return a vector and its control as a case; ``name`` is the file name of the log."""
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


#: Longer names and values are shown as their size and SHA-256.
MAX_SHOWN_BYTES = 48


def shortened(data: bytes) -> str:
    """Return bytes as text or hexadecimal; as their size and digest if they are long."""
    if len(data) > MAX_SHOWN_BYTES:
        return f"{len(data)} bytes, sha256 {hashlib.sha256(data).hexdigest()[:16]}"
    try:
        text = data.decode("ascii")
    except UnicodeDecodeError:
        text = ""
    return text if text.isprintable() and (text or not data) else f"0x{data.hex()}"
