"""Damaged logs that database systems open, and the items that the logs contain."""

from __future__ import annotations

import hashlib
import tempfile
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

from conformance.contents import Contents, read_contents, write_contents
from conformance.damage.text import SHOWN_BYTES, render
from conformance.recipes.algebra import Damage
from conformance.vectors import load_all
from lab.formats import lab_part
from reference_impl.answer import Answer, NewRecord
from reference_impl.formats import FORMATS, Context, named

#: A name (a key, a message id or an index) with its value, both as text.
Item = tuple[str, str]


@dataclass(frozen=True)
class DatabaseCase:
    """A damaged log for database systems to open."""

    #: Id of the scenario, with a suffix if the scenario has several cases.
    id: str
    scenario: str
    log: Contents
    #: Log before the damage.
    control: Contents
    #: Descriptions of the damage.
    operations: Sequence[str]
    #: File name of the log.
    name: str
    context: Context = field(default_factory=dict)
    #: Dialect of the log, or an empty string if every system reads it.
    variant: str = ""

    def undamaged(self) -> DatabaseCase:
        """Return this case without the damage."""
        return replace(self, log=self.control, operations=())


@dataclass(frozen=True)
class ExpectedItems:
    """The written items, and the items that the executable specification can still read."""

    written: frozenset[Item]
    left: frozenset[Item]
    verdict: str

    @property
    def gone(self) -> frozenset[Item]:
        """Acknowledged items that are no longer readable. A system must report their loss."""
        return self.written - self.left if self.verdict in ("damaged", "refused") else frozenset()


def place_log(case: DatabaseCase, folder: Path) -> Path:
    """Write the log into a directory under its file name, and return its path."""
    path = folder / case.name
    write_contents(case.log, path)
    return path


@dataclass(frozen=True)
class FormatDatabases:
    """The damaged logs of a format: ``DATABASES`` in its part ``databases`` in ``lab/formats``."""

    #: Return the logs to open. The first log is undamaged and has the id ``none``; the others are
    #: damaged.
    cases: Callable[[], Sequence[DatabaseCase]]
    #: Return the items that a system should find in the records of an answer.
    items: Callable[[Answer], frozenset[Item]]
    #: Write the log into a new directory in the layout that the systems expect. Return the path to
    #: pass to the systems.
    place: Callable[[DatabaseCase, Path], Path] = place_log


def damaged_cases(
    format_id: str,
    control: Contents,
    damage: Mapping[str, Callable[[Damage], None]],
    name: str,
    context: Context | None = None,
    variant: str = "",
) -> list[DatabaseCase]:
    """Return a case for each entry of ``damage``, by case id. Each damages the same control."""
    cases = []
    for id, act in damage.items():
        log = Damage(control, format_id)
        act(log)
        operations = [render(each.operation, SHOWN_BYTES) for each in log.applied]
        contents = log.contents, control, operations
        cases.append(
            DatabaseCase(id, id.partition("/")[0], *contents, name, context or {}, variant)
        )
    return cases


def vector_cases(format_id: str, first: str, name: str = "") -> list[DatabaseCase]:
    """Return a case for each ``read`` vector of a format that shows a scenario and has a control.

    The undamaged log, which comes first, is the control of the vector ``first``. ``name`` is the
    file name of the logs.
    """
    vectors = load_all()
    cases = {}
    for vector in vectors.values():
        is_read = vector.body["format"] == format_id and vector.operation == "read"
        if is_read and "scenario" in vector.body and vector.control in vectors:
            scenario = vector.body["scenario"]
            log, control = (
                read_contents(each.input) for each in (vector, vectors[vector.control or ""])
            )
            # If a vector's log equals its control, the vector differs only in the acknowledged
            # records, and no log is damaged.
            if log != control:
                cases[vector.id] = DatabaseCase(
                    f"{scenario}/{vector.id.partition('/')[2]}", scenario, log, control,
                    vector.damage_texts, name or vector.input.name, vector.body.get("context", {}),
                )  # fmt: skip
    undamaged = replace(cases[first].undamaged(), id="none", scenario="none")
    return [undamaged, *cases.values()]


def written_log(
    format_id: str, name: str, records: Sequence[NewRecord], context: Context | None = None
) -> Contents:
    """Return the log of ``records`` that the executable specification writes."""
    with tempfile.TemporaryDirectory(prefix="walproof-databases-") as scratch:
        path = Path(scratch, name)
        named(format_id).write(path, records, context or {})
        return read_contents(path)


def databases_of(format_id: str) -> FormatDatabases | None:
    """Return the damaged logs of a format, or None if no system opens the format.

    Raises ``UnknownFormat``.
    """
    part = lab_part(format_id, "databases")
    databases: FormatDatabases | None = None if part is None else part.DATABASES
    return databases


def formats() -> list[str]:
    """Return the formats that a system opens, in the order of ``FORMATS``."""
    return [format_id for format_id in FORMATS if databases_of(format_id) is not None]


#: Longer names and values are shown as their size and SHA-256.
MAX_SHOWN_BYTES = 48


def shortened(data: bytes) -> str:
    """Return bytes as text or hexadecimal, or long bytes as their size and digest."""
    if len(data) > MAX_SHOWN_BYTES:
        return f"{len(data)} bytes, sha256 {hashlib.sha256(data).hexdigest()[:16]}"
    try:
        text = data.decode("ascii")
    except UnicodeDecodeError:
        text = ""
    return text if text.isprintable() and (text or not data) else f"0x{data.hex()}"
