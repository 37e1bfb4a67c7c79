"""Load the register of a format: the facts that its chapter, the code and the tools share.

The register is the file ``spec/<format>.toml`` next to the chapter. ``spec/README.md`` describes
its keys.
"""

from __future__ import annotations

import dataclasses
import functools
import tomllib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from reference_impl.paths import SPEC


@dataclass(frozen=True)
class Reason:
    """A reason code, with its meaning in ``words``.

    ``kinds`` are some of ``torn``, ``damage`` and ``refused``.
    """

    code: str
    words: str
    kinds: tuple[str, ...]
    requirements: tuple[str, ...]


@dataclass(frozen=True)
class Fault:
    """A possible fault of a log, in the words of the chapter.

    ``bytes`` describes the lost range, and ``then`` describes how a reader continues. Faults are
    listed in the order in which a reader checks for them.
    """

    fault: str
    reason: str
    requirements: tuple[str, ...]
    bytes: str
    then: str


@dataclass(frozen=True)
class RecordField:
    """A field of a record in an answer. Some records of the format lack an ``optional`` field."""

    name: str
    types: tuple[str, ...]
    meaning: str
    optional: bool


@dataclass(frozen=True)
class FieldToWrite:
    """A field that a record to write may have in addition to its payload.

    ``of`` describes the records that have the field. ``default`` describes a record without it.
    """

    name: str
    types: tuple[str, ...]
    of: str
    default: str


@dataclass(frozen=True)
class ContextKey:
    """A key of the context that a reader or writer accepts.

    ``values`` lists the allowed texts; if it is empty, any text is allowed. ``default`` is the
    value that applies without the key, or None if this depends on the log. ``read_by`` lists the
    operations that use the key. If the value is an integer, it must be in ``range``, which includes
    both ends.
    """

    name: str
    types: tuple[str, ...]
    values: tuple[str, ...]
    default: Any
    read_by: tuple[str, ...]
    meaning: str
    range: tuple[int, int] | None = None

    def kinds(self) -> list[str]:
        """Return descriptions of the types that a value may have, without the allowed texts."""
        types = [type for type in self.types if type != "text" or not self.values]
        return [
            f"{type} from {self.range[0]} to {self.range[1]}"
            if type == "integer" and self.range
            else type
            for type in types
        ]


@dataclass(frozen=True)
class Unseen:
    """A limit of the format: a bit flip that changes the records but that no check detects.

    ``fields`` contains generic field names, in which ``*`` matches any text. If the format has
    several file types, a name begins with the file type (``snapshot: log_index``). ``effects`` may
    contain ``gone``, ``changed``, ``invented``, ``order`` and ``fields``; an empty list means all
    effects.
    """

    fields: tuple[str, ...]
    effects: tuple[str, ...]
    why: str
    requirements: tuple[str, ...]


@dataclass(frozen=True)
class Grammar:
    """A grammar in ``ksy/`` and the files that it describes.

    The files have a name with one of the ``extensions`` (including the dot) and begin with
    ``token``. The ``default`` grammar describes all other files with records.
    """

    name: str
    extensions: tuple[str, ...]
    token: bytes
    default: bool


@dataclass(frozen=True)
class Register:
    """The register of one format. ``log`` lists the forms of a log: ``file``, ``folder``."""

    id: str
    title: str
    prefix: str
    order: int
    log: tuple[str, ...]
    file_names: tuple[str, ...]
    grammars: tuple[Grammar, ...]
    reasons: Mapping[str, Reason]
    faults: tuple[Fault, ...]
    fields: Mapping[str, RecordField]
    context: Mapping[str, ContextKey]
    fields_to_write: Mapping[str, FieldToWrite] = dataclasses.field(default_factory=dict)
    unseen: tuple[Unseen, ...] = ()
    # The promise that holds for a log in each scenario (``conformance/scenarios``).
    promises: Mapping[str, str] = dataclasses.field(default_factory=dict)

    @property
    def module(self) -> str:
        """Return the name of the format's directories and modules in every package."""
        return self.id.replace("-", "_")


def load(path: Path) -> Register:
    """Read a register from a file. Raises ``ValueError`` if the file is not a register."""
    body = tomllib.loads(path.read_text("utf-8"))
    if body.get("id") != path.stem:
        raise ValueError(f"{path}: id: expected {path.stem!r}, found {body.get('id')!r}")
    try:
        return _register(body)
    except KeyError as missing:
        raise ValueError(f"{path}: key {missing} is missing") from None


@functools.cache
def registers() -> Mapping[str, Register]:
    """Return the registers of all formats by id, in the order of the specification.

    Raises ``FileNotFoundError`` if the specification is not next to the packages.
    """
    loaded = sorted(map(load, SPEC.glob("*.toml")), key=lambda register: register.order)
    if not loaded:
        raise FileNotFoundError(f"{SPEC}: expected a file <format>.toml for each format")
    return {register.id: register for register in loaded}


def _register(body: Mapping[str, Any]) -> Register:
    return Register(
        body["id"],
        body["title"],
        body["prefix"],
        body["order"],
        tuple(body["log"]),
        tuple(body["file_names"]),
        tuple(_grammars(body["grammars"])),
        {code: _reason(code, table) for code, table in body["reasons"].items()},
        tuple(map(_fault, body.get("faults", ()))),
        {name: _field(name, table) for name, table in body["fields"].items()},
        {name: _key(name, table) for name, table in body.get("context", {}).items()},
        {name: _to_write(name, table) for name, table in body.get("fields_to_write", {}).items()},
        tuple(map(_unseen, body.get("unseen", ()))),
        body.get("promises", {}),
    )


def _grammars(tables: list[Mapping[str, Any]]) -> Iterator[Grammar]:
    for table in tables:
        token = str(table.get("token", "")).encode()
        yield Grammar(
            table["name"],
            tuple(table.get("extensions", ())),
            token,
            bool(table.get("default", False)),
        )


def _reason(code: str, table: Mapping[str, Any]) -> Reason:
    return Reason(code, table["words"], tuple(table["kinds"]), tuple(table["requirements"]))


def _fault(table: Mapping[str, Any]) -> Fault:
    return Fault(
        table["fault"], table["reason"], tuple(table["requirements"]), table["bytes"], table["then"]
    )


def _unseen(table: Mapping[str, Any]) -> Unseen:
    effects, ids = table.get("effects", ()), table.get("requirements", ())
    return Unseen(tuple(table["fields"]), tuple(effects), table["why"], tuple(ids))


def _field(name: str, table: Mapping[str, Any]) -> RecordField:
    return RecordField(name, _types(table), table["meaning"], bool(table.get("optional", False)))


def _to_write(name: str, table: Mapping[str, Any]) -> FieldToWrite:
    return FieldToWrite(name, _types(table), table["of"], table["default"])


def _key(name: str, table: Mapping[str, Any]) -> ContextKey:
    return ContextKey(
        name,
        _types(table),
        tuple(table.get("values", ())),
        table.get("default"),
        tuple(table["read_by"]),
        table["meaning"],
        _range(table["range"]) if "range" in table else None,
    )


def _range(limits: Sequence[int]) -> tuple[int, int]:
    least, most = limits
    return least, most


def _types(table: Mapping[str, Any]) -> tuple[str, ...]:
    types = table["type"]
    return (types,) if isinstance(types, str) else tuple(types)
