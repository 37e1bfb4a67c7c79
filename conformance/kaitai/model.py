"""The model of a grammar: its types and fields, resolved, as drivers and templates need them.

Drivers of languages with reflection read it as JSON (:meth:`Model.to_json`); for the others a
walker is generated from it.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

import yaml

from conformance.kaitai.compile import GRAMMARS, grammar_files
from conformance.kaitai.grammar_docs import class_name

Body = Mapping[str, Any]
_INTEGER = re.compile(r"[us]([1248])(le|be)?")
_BITS = re.compile(r"b(\d+)(le|be)?")
_FLOAT = re.compile(r"f([48])(le|be)?")


@dataclass(frozen=True)
class Field:
    """One field or instance of a type.

    ``kind`` is int, enum, float, bytes, str, struct, switch, or value for a computed instance.
    ``width`` is its number of bytes in the stream: of each element, None if that depends on the
    data. ``by_length`` says that the value is as long as its bytes in the stream, ``own`` that it
    has a stream of its own. ``type`` is the class of a struct such as ``LeveldbLog.Block``,
    ``cases`` are the fields that a switch chooses among and ``exhaustive`` says that one always
    fits, else there may be ``default_bytes``. ``enum`` names the enum's class.
    """

    id: str
    kind: str
    width: int | None = None
    by_length: bool = False
    array: bool = False
    optional: bool = False
    own: bool = False
    type: str | None = None
    enum: str | None = None
    cases: tuple[Field, ...] = ()
    default_bytes: bool = False
    exhaustive: bool = False
    instance: bool = False

    @property
    def scalars_only(self) -> bool:
        """A switch among numbers: languages merge it to one number type."""
        return self.kind == "switch" and all(case.kind == "int" for case in self.cases)

    def to_json(self) -> dict[str, Any]:
        """What a driver with reflection needs; keys that say nothing are left out."""
        said = {
            "id": self.id,
            "kind": "ints" if self.scalars_only else self.kind,
            "width": self.width,
            "by_length": self.by_length,
            "array": self.array,
            "optional": self.optional,
            "own": self.own,
            "instance": self.instance,
        }
        return {key: value for key, value in said.items() if value not in (None, False)}


@dataclass(frozen=True)
class Type:
    """One type: ``name`` is its class, such as ``LeveldbLog.Block``; ``body`` as in the file.

    ``ids`` are the id of its grammar and those of the types down to this one.
    """

    name: str
    ids: tuple[str, ...]
    body: Body
    file: Path


class Model:
    """A grammar with its imports. Raises what YAML and the file system raise."""

    def __init__(self, grammar: str, grammars: Path = GRAMMARS) -> None:
        self.grammar = grammar
        self.files = grammar_files(grammar, grammars)
        self.types: dict[str, Type] = {}
        self.enums: dict[str, dict[int, str]] = {}
        for file in self.files:
            body = yaml.safe_load(file.read_bytes())
            self._collect((body["meta"]["id"],), "", body, file)

    @cached_property
    def top(self) -> str:
        """The class of the grammar itself."""
        return next(iter(self.types))

    @cached_property
    def fields(self) -> dict[str, list[Field]]:
        """The fields of each type that a walk from the top meets, in order, instances last."""
        found: dict[str, list[Field]] = {}
        waiting = [self.top]
        while waiting:
            name = waiting.pop(0)
            if name in found:
                continue
            found[name] = [*self._seq(self.types[name]), *self._instances(self.types[name])]
            for field in found[name]:
                waiting += [one.type for one in (field, *field.cases) if one.type]
        return found

    @property
    def seq_fields(self) -> Iterator[tuple[str, Field]]:
        """Every type's class with each of its fields, instances left out."""
        for name, fields in self.fields.items():
            for field in fields:
                if not field.instance:
                    yield name, field

    def to_json(self) -> dict[str, Any]:
        """For drivers with reflection."""
        fields = {name: [one.to_json() for one in some] for name, some in self.fields.items()}
        return {"grammar": self.grammar, "top": self.top, "types": fields}

    def resolve(self, written: str, scope: Type) -> Type | None:
        """The type that a name stands for inside ``scope``; None for built-in types."""
        steps = written.split("(")[0].strip().split("::")
        outer = scope.name
        while outer:
            if (name := self._below(outer, steps)) is not None:
                return self.types[name]
            outer = outer.rpartition(".")[0]
        # A grammar's own name, then what it imports.
        return self.types.get(self._below_spec(steps) or "")

    def enum_of(self, written: str, scope: Type) -> str:
        """The class of an enum such as ``record_type`` or ``other::kind`` used inside ``scope``."""
        *path, last = written.split("::")
        name = class_name(last)
        if path:
            owner = self.resolve("::".join(path), scope)
            return f"{owner.name}.{name}" if owner else name
        outer = scope.name
        while outer:
            if f"{outer}.{name}" in self.enums:
                return f"{outer}.{name}"
            outer = outer.rpartition(".")[0]
        return name

    def _collect(self, ids: tuple[str, ...], outer: str, body: Body, file: Path) -> None:
        name = f"{outer}.{class_name(ids[-1])}" if outer else class_name(ids[-1])
        self.types[name] = Type(name, ids, body, file)
        for enum, members in (body.get("enums") or {}).items():
            self.enums[f"{name}.{class_name(enum)}"] = {
                int(key): str(value["id"] if isinstance(value, Mapping) else value)
                for key, value in members.items()
            }
        for inner, inner_body in (body.get("types") or {}).items():
            self._collect((*ids, inner), name, inner_body, file)

    def _below(self, outer: str, steps: list[str]) -> str | None:
        name = ".".join([outer, *map(class_name, steps)])
        return name if name in self.types else None

    def _below_spec(self, steps: list[str]) -> str | None:
        name = ".".join(map(class_name, steps))
        return name if name in self.types else None

    def _seq(self, owner: Type) -> Iterator[Field]:
        for number, body in enumerate(owner.body.get("seq") or ()):
            yield self._field(owner, body.get("id", f"_unnamed{number}"), body)

    def _instances(self, owner: Type) -> Iterator[Field]:
        from conformance.kaitai.guards import Guards

        guards = Guards(self)
        for name, body in (owner.body.get("instances") or {}).items():
            if not guards.instance_is_safe(owner, name) or "io" in body:
                continue
            if "value" in body:
                kind = "enum" if "enum" in body else "value"
                yield Field(name, kind, optional="if" in body, instance=True)
                continue
            field = self._field(owner, name, body, instance=True)
            if not any(self._leads_back(one, owner) for one in (field, *field.cases)):
                yield field

    def _leads_back(self, field: Field, owner: Type) -> bool:
        """Whether an instance links objects to objects: a walk would never end, or be quadratic."""
        seen: set[str] = set()
        waiting = [field.type] if field.type else []
        while waiting:
            name = waiting.pop()
            if name in seen:
                continue
            seen.add(name)
            body = self.types[name].body
            below = [*(body.get("seq") or ()), *(body.get("instances") or {}).values()]
            for one in below:
                waiting += [t.name for t in self._named_types(one, self.types[name])]
        return owner.name in seen

    def _named_types(self, body: Body, scope: Type) -> Iterator[Type]:
        written = body.get("type")
        names = written.get("cases", {}).values() if isinstance(written, Mapping) else [written]
        for name in names:
            if isinstance(name, str) and (found := self.resolve(name, scope)):
                yield found

    def _field(self, owner: Type, name: str, body: Body, instance: bool = False) -> Field:
        common: dict[str, Any] = {
            "array": "repeat" in body,
            "optional": "if" in body,
            "instance": instance,
        }
        sized = any(key in body for key in ("size", "size-eos", "terminator"))
        as_is = not any(key in body for key in ("terminator", "pad-right", "process"))
        written = body.get("type")
        if isinstance(written, Mapping):
            cases = tuple(
                self._one(owner, name, {**body, "type": case}, sized, as_is)
                for case in dict.fromkeys(written["cases"].values())
            )
            widths = {case.width for case in cases}
            width = widths.pop() if len(widths) == 1 else None
            return Field(
                name, "switch", width, own=sized, cases=cases, **common,
                default_bytes=sized and "_" not in written["cases"],
                exhaustive="_" in written["cases"],
            )  # fmt: skip
        one = self._one(owner, name, body, sized, as_is)
        return Field(
            name, one.kind, one.width, one.by_length, own=one.own, type=one.type, enum=one.enum,
            **common,
        )  # fmt: skip

    def _one(self, owner: Type, name: str, body: Body, sized: bool, as_is: bool) -> Field:
        written = body.get("type")
        if written is None:
            return Field(name, "bytes", by_length=as_is)
        if written in ("str", "strz"):
            # A text may be shorter than its bytes in the stream, whatever the encoding.
            return Field(name, "str", by_length=False)
        enum = self.enum_of(body["enum"], owner) if "enum" in body else None
        kind = "enum" if enum else "int"
        if match := _INTEGER.fullmatch(written):
            return Field(name, kind, int(match[1]), enum=enum)
        if match := _BITS.fullmatch(written):
            bits = int(match[1])
            return Field(name, kind, bits // 8 if bits % 8 == 0 else None, enum=enum)
        if match := _FLOAT.fullmatch(written):
            return Field(name, "float", int(match[1]))
        found = self.resolve(written, owner)
        if found is None:
            raise KeyError(f"{owner.file}: {'/'.join(owner.ids)}: no type {written}")
        return Field(name, "struct", own=sized, type=found.name)
