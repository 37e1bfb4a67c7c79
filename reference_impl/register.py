"""Load a format's register from ``spec/<format>.toml`` (see spec/README.md)."""

from __future__ import annotations

import contextlib
import functools
import tomllib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

from reference_impl.answer import Answer, ReasonCode
from reference_impl.paths import SPEC


@dataclass(frozen=True)
class Reason:
    """A reason code, with its meaning in ``words``.

    ``kinds`` contains one or more of ``torn``, ``damage`` and ``refused``. Each use of the code is
    decided by one of the ``requirements``.
    """

    code: str
    words: str
    kinds: tuple[str, ...]
    requirements: tuple[str, ...]


class UndecidedReason(ValueError):
    """The executable specification does not state which requirement decided a reason code."""


@dataclass(frozen=True)
class Fault:
    """A fault that a log may have, as the format's chapter describes it."""

    fault: str
    reason: str
    requirements: tuple[str, ...]
    #: Describes the lost range.
    bytes: str
    #: Describes how a reader continues.
    then: str


@dataclass(frozen=True)
class RecordField:
    """A field of the records in an answer. Some records may lack an ``optional`` field."""

    name: str
    types: tuple[str, ...]
    meaning: str
    optional: bool
    #: The Arrow type of the field's column. None selects the default for the field's types. The
    #: text ``none`` excludes the field from tables.
    column: str | None = None
    #: True if the field counts as content, as the payload does.
    is_content: bool = False
    #: False if later records can change the field.
    is_settled: bool = True
    #: True if the number increases by one with each record.
    is_gapless: bool = False


@dataclass(frozen=True)
class FieldToWrite:
    """A field that a record to write may have in addition to its payload."""

    name: str
    types: tuple[str, ...]
    #: A description of the records that have the field.
    of: str
    #: A description of what it means if a record lacks the field.
    default: str


@dataclass(frozen=True)
class ContextKey:
    """A key of the context that a reader or writer accepts."""

    name: str
    types: tuple[str, ...]
    #: The allowed texts. If the tuple is empty, any text is allowed.
    values: tuple[str, ...]
    #: The value to use if the key is missing, or None if that value depends on the log.
    default: Any
    #: The operations (such as ``read``) that use the key.
    read_by: tuple[str, ...]
    meaning: str
    #: The smallest and the largest allowed integer.
    range: tuple[int, int] | None = None
    #: A regular expression that a user's text must match. ``form`` describes it in words.
    pattern: str | None = None
    form: str | None = None

    def kinds(self) -> list[str]:
        """Describe the types that a value may have, without listing the allowed texts."""
        types = [type for type in self.types if type != "text" or not self.values]
        return [
            f"{type} from {self.range[0]} to {self.range[1]}"
            if type == "integer" and self.range
            else type
            for type in types
        ]


@dataclass(frozen=True)
class Unseen:
    """A limit of the format: a bit flip that changes the records without failing any check."""

    #: Field names, in which ``*`` matches any text. If the format has several file types, each name
    #: begins with the file type (``snapshot: log_index``).
    fields: tuple[str, ...]
    #: Each effect is ``gone``, ``changed``, ``invented``, ``order`` or ``fields``. Empty means all
    #: effects.
    effects: tuple[str, ...]
    why: str
    requirements: tuple[str, ...]


@dataclass(frozen=True)
class Unproven:
    """An exception to dominance: unproven records that some readers return anyway."""

    #: Names of implementations in ``conformance/implementations``.
    readers: tuple[str, ...]
    #: The lost ranges or refused logs that contain these records have these reason codes. Empty
    #: means all codes.
    reasons: tuple[str, ...]
    #: The requirement allows readers to omit these records. The vector exercises it.
    requirement: str
    vector: str
    why: str
    #: The exception applies only to damage that matches this pattern, such as ``rename-file *``.
    damage: str


@dataclass(frozen=True)
class Grammar:
    """A grammar in ``ksy/`` and the files that it describes."""

    name: str
    #: File name extensions, including the dot.
    extensions: tuple[str, ...]
    #: The bytes at the start of each file.
    token: bytes
    #: True if the grammar applies to every file that no other grammar describes.
    default: bool


@dataclass(frozen=True)
class Register:
    """The register of one format.

    Each table is parsed on first use, which raises ``ValueError`` if a key is missing.
    """

    id: str
    title: str
    prefix: str
    order: int
    #: The forms that a log can have: ``file``, ``folder`` or both.
    log: tuple[str, ...]
    file_names: tuple[str, ...]
    path: Path

    @property
    def module(self) -> str:
        """Return the name that every package uses for the format's modules and directories."""
        return self.id.replace("-", "_")

    @cached_property
    def _body(self) -> dict[str, Any]:
        return tomllib.loads(self.path.read_text("utf-8"))

    @cached_property
    def grammars(self) -> tuple[Grammar, ...]:
        """Return the grammars and the files that they describe."""
        with _named(self.path):
            return tuple(_grammars(self._body["grammars"]))

    @cached_property
    def reasons(self) -> Mapping[str, Reason]:
        """Return the reason codes, in the order of the chapter."""
        with _named(self.path):
            return {code: _reason(code, table) for code, table in self._body["reasons"].items()}

    @cached_property
    def decides(self) -> Mapping[str, str]:
        """Return the requirements that decide ``verdict``, ``end``, and answers in ``strict``."""
        return dict(self._body.get("decides", {}))

    def requirement_of(self, reason: str) -> str:
        """Return the requirement that led the executable specification to a reason code.

        Raises :class:`UndecidedReason` if the register does not list the code, or if it lists
        several requirements and the code (:class:`~reference_impl.answer.ReasonCode`) names none of
        them.
        """
        known = self.reasons[reason].requirements if reason in self.reasons else ()
        stated = reason.requirement if isinstance(reason, ReasonCode) else None
        if stated is None and len(known) == 1:
            return known[0]
        if stated is None or stated not in known:
            expected = ", ".join(known) or "a code of the register"
            raise UndecidedReason(f"{reason}: expected {expected}, found {stated or 'nothing'}")
        return stated

    def requirements_of(self, answer: Answer) -> dict[str, Any]:
        """Return the requirements that decide each part of the executable specification's answer.

        The keys are those of the answer, except ``records``. Raises :class:`UndecidedReason`.
        """
        return {
            "verdict": self.decides["verdict"],
            "reason": None if answer.reason is None else self.requirement_of(answer.reason),
            "lost": [self.requirement_of(lost.reason) for lost in answer.lost],
            "end": self.decides["end"],
        }

    @cached_property
    def faults(self) -> tuple[Fault, ...]:
        """Return the faults that a log may have, in the order in which a reader checks for them."""
        with _named(self.path):
            return tuple(map(_fault, self._body.get("faults", ())))

    @cached_property
    def fields(self) -> Mapping[str, RecordField]:
        """Return the fields that records have in an answer."""
        with _named(self.path):
            return {name: _field(name, table) for name, table in self._body["fields"].items()}

    @cached_property
    def context(self) -> Mapping[str, ContextKey]:
        """Return the context keys that readers and writers accept."""
        with _named(self.path):
            return {
                name: _key(name, table) for name, table in self._body.get("context", {}).items()
            }

    @cached_property
    def fields_to_write(self) -> Mapping[str, FieldToWrite]:
        """Return the fields that a record to write may have in addition to its payload."""
        with _named(self.path):
            tables = self._body.get("fields_to_write", {})
            return {name: _to_write(name, table) for name, table in tables.items()}

    @cached_property
    def unseen(self) -> tuple[Unseen, ...]:
        """Return the bit flips that no check of the format detects."""
        with _named(self.path):
            return tuple(map(_unseen, self._body.get("unseen", ())))

    @cached_property
    def unproven(self) -> tuple[Unproven, ...]:
        """Return the exceptions for true records that some readers return without proof."""
        with _named(self.path):
            return tuple(map(_unproven, self._body.get("unproven", ())))


@contextlib.contextmanager
def _named(path: Path) -> Iterator[None]:
    """Turn the ``KeyError`` for a missing key into a ``ValueError`` that names the file."""
    try:
        yield
    except KeyError as missing:
        raise ValueError(f"{path}: key {missing} is missing") from None


def load(path: Path) -> Register:
    """Load a register, parsing only the keys before its first table. Raises ``ValueError``."""
    head = tomllib.loads(path.read_text("utf-8").partition("\n[")[0])
    if head.get("id") != path.stem:
        raise ValueError(f"{path}: id: expected {path.stem!r}, found {head.get('id')!r}")
    with _named(path):
        return Register(
            head["id"],
            head["title"],
            head["prefix"],
            head["order"],
            tuple(head["log"]),
            tuple(head["file_names"]),
            path,
        )


@functools.cache
def registers() -> Mapping[str, Register]:
    """Return the registers of all formats by id, in the order of the specification.

    Raises ``FileNotFoundError`` if the specification is missing.
    """
    loaded = sorted(map(load, SPEC.glob("*.toml")), key=lambda register: register.order)
    if not loaded:
        raise FileNotFoundError(f"{SPEC}: expected a file <format>.toml for each format")
    return {register.id: register for register in loaded}


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


def _unproven(table: Mapping[str, Any]) -> Unproven:
    readers, reasons = tuple(table["readers"]), tuple(table.get("reasons", ()))
    damage = table.get("damage", "*")
    return Unproven(readers, reasons, table["requirement"], table["vector"], table["why"], damage)


def _field(name: str, table: Mapping[str, Any]) -> RecordField:
    return RecordField(
        name,
        _types(table),
        table["meaning"],
        bool(table.get("optional", False)),
        table.get("column"),
        bool(table.get("content", False)),
        bool(table.get("settled", True)),
        bool(table.get("gapless", False)),
    )


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
        table.get("pattern"),
        table.get("form"),
    )


def _range(limits: Sequence[int]) -> tuple[int, int]:
    least, most = limits
    return least, most


def _types(table: Mapping[str, Any]) -> tuple[str, ...]:
    types = table["type"]
    return (types,) if isinstance(types, str) else tuple(types)
