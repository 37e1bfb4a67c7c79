"""The model of a grammar: its types and fields, resolved for drivers and templates."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from conformance.kaitai.types import Body, Type, Types, members

_INTEGER = re.compile(r"[us]([1248])(le|be)?")
_BITS = re.compile(r"b(\d+)(le|be)?")
_FLOAT = re.compile(r"f([48])(le|be)?")


@dataclass(frozen=True)
class Field:
    """One field or instance of a type."""

    id: str
    #: ``int``, ``enum``, ``float``, ``bytes``, ``str``, ``struct`` or ``switch``, or ``value`` for
    #: a computed instance.
    kind: str
    #: The size of the field, or of each array element, in bytes of the stream. None if it depends
    #: on the data.
    width: int | None = None
    #: True if the length of the value is the number of its bytes in the stream.
    by_length: bool = False
    array: bool = False
    optional: bool = False
    #: True if the field has its own substream.
    own: bool = False
    #: Class of a struct, such as ``LeveldbLog.Block``.
    type: str | None = None
    #: Class of an enum.
    enum: str | None = None
    #: The possible fields of a switch.
    cases: tuple[Field, ...] = ()
    default_bytes: bool = False
    #: True if the switch has a case for every value.
    exhaustive: bool = False
    instance: bool = False

    @property
    def scalars_only(self) -> bool:
        """Return whether all cases are integers. Some languages use one type for such a switch."""
        return self.kind == "switch" and all(case.kind == "int" for case in self.cases)

    def to_json(self) -> dict[str, Any]:
        """Return the data for a driver with reflection, without empty keys."""
        parts = {
            "id": self.id,
            "kind": "ints" if self.scalars_only else self.kind,
            "width": self.width,
            "by_length": self.by_length,
            "array": self.array,
            "optional": self.optional,
            "own": self.own,
            "instance": self.instance,
        }
        return {key: value for key, value in parts.items() if value not in (None, False)}


class Model(Types):
    """The types of a grammar, with resolved fields."""

    @cached_property
    def fields(self) -> dict[str, list[Field]]:
        """Return the fields of each type reachable from the top, in order, instances last."""
        fields: dict[str, list[Field]] = {}
        waiting = [self.top]
        while waiting:
            name = waiting.pop(0)
            if name in fields:
                continue
            fields[name] = [*self._seq(self.types[name]), *self._instances(self.types[name])]
            for field in fields[name]:
                waiting += [part.type for part in (field, *field.cases) if part.type]
        return fields

    def to_json(self) -> dict[str, Any]:
        """Return the grammar, its class, and each class's fields, for drivers with reflection."""
        fields = {
            name: [field.to_json() for field in type_fields]
            for name, type_fields in self.fields.items()
        }
        return {"grammar": self.grammar, "top": self.top, "types": fields}

    def _seq(self, owner: Type) -> Iterator[Field]:
        for number, body in enumerate(owner.body.get("seq") or ()):
            yield self._field(owner, body.get("id", f"_unnamed{number}"), body)

    def _instances(self, owner: Type) -> Iterator[Field]:
        for name, body in (owner.body.get("instances") or {}).items():
            if "io" in body:
                continue
            if "value" in body:
                field_kind = "enum" if "enum" in body else "value"
                yield Field(name, field_kind, optional="if" in body, instance=True)
                continue
            field = self._field(owner, name, body, instance=True)
            if not any(self._leads_back(part, owner) for part in (field, *field.cases)):
                yield field

    def _leads_back(self, field: Field, owner: Type) -> bool:
        """Return whether an instance can lead back to its type, so that a walk may never end."""
        seen: set[str] = set()
        waiting = [field.type] if field.type else []
        while waiting:
            name = waiting.pop()
            if name in seen:
                continue
            seen.add(name)
            type = self.types[name]
            for part in members(type.body):
                waiting += [each.name for each in self.types_of(part, type)]
        return owner.name in seen

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
                self._single_field(owner, name, {**body, "type": case}, sized, as_is)
                for case in dict.fromkeys(written["cases"].values())
            )
            widths = {case.width for case in cases}
            width = widths.pop() if len(widths) == 1 else None
            return Field(
                name, "switch", width, own=sized, cases=cases, **common,
                default_bytes=sized and "_" not in written["cases"],
                exhaustive="_" in written["cases"],
            )  # fmt: skip
        single = self._single_field(owner, name, body, sized, as_is)
        return Field(
            name, single.kind, single.width, single.by_length,
            own=single.own, type=single.type, enum=single.enum, **common,
        )  # fmt: skip

    def _single_field(self, owner: Type, name: str, body: Body, sized: bool, as_is: bool) -> Field:
        written = body.get("type")
        if written is None:
            return Field(name, "bytes", by_length=as_is)
        if written in ("str", "strz"):
            # A text may be shorter than its bytes in the stream, whatever the encoding.
            return Field(name, "str", by_length=False)
        enum = self.enum_of(body["enum"], owner) if "enum" in body else None
        field_kind = "enum" if enum else "int"
        if match := _INTEGER.fullmatch(written):
            return Field(name, field_kind, int(match[1]), enum=enum)
        if match := _BITS.fullmatch(written):
            bits = int(match[1])
            return Field(name, field_kind, bits // 8 if bits % 8 == 0 else None, enum=enum)
        if match := _FLOAT.fullmatch(written):
            return Field(name, "float", int(match[1]))
        type = self.resolve(written, owner)
        if type is None:
            raise KeyError(f"{owner.file}: {'/'.join(owner.ids)}: no type {written}")
        return Field(name, "struct", own=sized, type=type.name)
