"""One version of a grammar: its types and fields in a form that can be compared.

Documentation, the order of keys, number bases and default byte order make no difference. If a type
only groups fields, each field of this type is replaced by the grouped fields.
"""

from __future__ import annotations

import functools
import math
import re
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import yaml

from conformance.kaitai.types import Body, Type, Types, class_name

#: Keys that determine where raw bytes end.
EXTENT = ("size", "size-eos", "terminator", "include", "consume", "eos-error")
_DOCUMENTATION = {"doc", "doc-ref"}
_NUMBER = re.compile(r"([usf])([1248])(le|be)?")
_BITS = re.compile(r"b(\d+)(le|be)?")
_TOKEN = re.compile(r"\w+(?:::\w+)*|\S")

Attributes = dict[str, Any]


@dataclass(frozen=True)
class AcceptedValues:
    """The values that a field accepts: a set, a range, or a condition on the value."""

    values: frozenset[Any] | None = None
    low: float = -math.inf
    high: float = math.inf
    rule: str | None = None

    def is_within(self, other: AcceptedValues) -> bool:
        """Return whether ``other`` certainly accepts all values that this object accepts."""
        if other.rule not in (None, self.rule):
            return False
        if self.values is not None:
            return all(other._accepts(value) for value in self.values)
        return other.values is None and other.low <= self.low and self.high <= other.high

    def _accepts(self, value: Any) -> bool:
        if self.values is not None:
            return value in self.values
        return not isinstance(value, int) or self.low <= value <= self.high


@dataclass(frozen=True, eq=False)
class Member:
    """A field or an instance of a type."""

    owner: Type
    id: str
    body: Body
    #: Path in the YAML of the type.
    path: tuple[str, ...]
    #: Groups that contain a grouped field, outermost first: the field of each group and its type.
    groups: tuple[tuple[str, Type], ...] = ()

    @property
    def key(self) -> str:
        """Class and name in the generated Python parser: ``LeveldbLog.Record.data``."""
        return f"{self.owner.name}.{self.id}"

    @property
    def shown(self) -> str:
        """Qualified name; fields of the top-level type have no prefix."""
        return ".".join([*self.owner.ids[1:], self.id])

    def written(self) -> Body:
        """Return the YAML of the member without its documentation and its name."""
        dropped = {*_DOCUMENTATION, "id"}
        return {k: v for k, v in self.body.items() if k not in dropped and not k.startswith("-")}


class Grammar:
    """The types of one grammar in the folder ``ksy`` of a tree."""

    def __init__(self, name: str, root: Path) -> None:
        self.name, self.root = name, root
        self.types = Types(name, root / "ksy")
        self.top = self.types.types[self.types.top]
        #: Name in the old version → name in the new version, for comparing expressions.
        self.renames: dict[str, str] = {}
        self._groups: set[str] = set()
        texts = {file: file.read_text(encoding="utf-8") for file in self.types.files}
        self._documents = {file: yaml.compose(text) for file, text in texts.items()}

    def flat(self, type: Type, groups: tuple[tuple[str, Type], ...] = ()) -> list[Member]:
        """Return the fields of a type, with grouped fields in place of their groups."""
        fields: list[Member] = []
        for member in self.fields(type):
            inner = self._grouped(member)
            if inner and all(inner is not outer for outer in (type, *(t for _, t in groups))):
                self._groups.add(member.id)
                fields += self.flat(inner, (*groups, (member.id, inner)))
            else:
                fields.append(replace(member, groups=groups))
        return fields

    def fields(self, type: Type) -> list[Member]:
        """Return the fields of a type in order."""
        return [
            Member(type, str(body.get("id", f"_unnamed{number}")), body, ("seq", str(number)))
            for number, body in enumerate(type.body.get("seq") or ())
        ]

    def instances(self, type: Type) -> dict[str, Member]:
        """Return the instances of a type by name."""
        bodies = type.body.get("instances") or {}
        return {id: Member(type, id, body, ("instances", id)) for id, body in bodies.items()}

    def _grouped(self, member: Member) -> Type | None:
        """Return the type of a field that only groups the fields of this type."""
        type = member.body.get("type")
        if member.written().keys() != {"type"} or not isinstance(type, str) or "(" in type:
            return None
        return self.types.resolve(type, member.owner)

    def targets(self, member: Member) -> dict[str, Type]:
        """Return the types that a field may have, by case; the case of a single type is ""."""
        written = member.body.get("type")
        cases = written["cases"] if isinstance(written, dict) else {"": written}
        types = {
            self.expression(case, member.owner) or "": self.types.resolve(name, member.owner)
            for case, name in cases.items()
            if isinstance(name, str)
        }
        return {case: type for case, type in types.items() if type}

    def uses(self, member: Member) -> bool:
        """Return whether the YAML of any member contains the name of this member."""
        name = re.compile(rf"\b{re.escape(member.id)}\b")
        return any(
            name.search(str(other.written()))
            for type in self.types.types.values()
            for other in (*self.fields(type), *self.instances(type).values())
        )

    def is_bounded(self, type: Type, visited: frozenset[str] = frozenset()) -> bool:
        """Return whether readers ignore bytes after the last known field of a type."""
        if type.name in visited or type is self.top:
            return True
        for owner in self.types.types.values():
            fields = self.fields(owner)
            for member in (*fields, *self.instances(owner).values()):
                body = member.body
                if "size" in body or all(t is not type for t in self.targets(member).values()):
                    continue
                once = "repeat" not in body
                if once and (member not in fields or "size-eos" in body):
                    continue
                outer = once and member is fields[-1]
                if not (outer and self.is_bounded(owner, visited | {type.name})):
                    return False
        return True

    # -- attributes --------------------------------------------------------------------------------

    def attributes(self, member: Member) -> Attributes:
        """Return the attributes that determine the bytes and the value of a field or instance."""
        body = member.body
        read = functools.partial(self.expression, owner=member.owner)
        common = {key: read(body.get(key)) for key in ("value", "if", "pos", "io")}
        if "value" in body:
            return {"kind": "value", **common}
        type = self._data_type(body, body.get("type"), member.owner)
        repeat = tuple(read(body.get(key)) for key in ("repeat", "repeat-expr", "repeat-until"))
        accepts = self._accepted(body, member.owner)
        return {**common, **type, "repeat": repeat, "accepts": accepts}

    def _data_type(self, body: Body, written: Any, owner: Type) -> Attributes:
        read = functools.partial(self.expression, owner=owner)
        extent = {key: read(body[key]) for key in EXTENT if key in body}
        attributes: Attributes = {
            "extent": extent,
            "process": read(body.get("process")),
            "pad-right": read(body.get("pad-right")),
        }
        if isinstance(written, dict):
            cases = {
                read(key): self._data_type(body, case, owner)
                for key, case in written["cases"].items()
            }
            return {
                "kind": "switch",
                **attributes,
                "on": read(written["switch-on"]),
                "cases": cases,
            }
        if enum := body.get("enum"):
            attributes["enum"] = self.types.enum_of(enum, owner)
        meta = self._meta(owner)
        if written is None:
            if "contents" in body:
                extent["size"] = str(len(_contents(body["contents"])))
            return {"kind": "bytes", **attributes, "bits": _fixed_bits(extent)}
        if match := _NUMBER.fullmatch(written):
            width = int(match[2])
            endian = (match[3] or meta.get("endian")) if width > 1 else None
            kind = "float" if match[1] == "f" else "integer"
            return {**attributes, "kind": kind, "bits": 8 * width, "signed": match[1] == "s",
                    "endian": read(endian)}  # fmt: skip
        if match := _BITS.fullmatch(written):
            endian = match[2] or meta.get("bit-endian", "be")
            return {**attributes, "kind": "integer", "bits": int(match[1]), "packed": True,
                    "signed": False, "endian": endian}  # fmt: skip
        if written in ("str", "strz"):
            if written == "strz":
                extent.setdefault("terminator", "0")
            encoding = body.get("encoding") or meta.get("encoding")
            return {"kind": "text", **attributes, "encoding": encoding, "bits": _fixed_bits(extent)}
        name, _, arguments = written.partition("(")
        type = self.types.resolve(name, owner)
        return {"kind": "type", **attributes, "type": type, "arguments": read(arguments),
                "bits": _fixed_bits(extent)}  # fmt: skip

    def bits(self, member: Member, outer: tuple[str, ...] = ()) -> int | None:
        """Return the size of a field in bits; None if the size depends on the log."""
        attributes = self.attributes(member)
        repeat, count, _ = attributes["repeat"]
        if repeat and not (count and count.isdigit()):
            return None
        bits: int | None = attributes.get("bits")
        if bits is None and attributes["kind"] == "type" and not attributes["extent"]:
            type = attributes["type"]
            if type.name in outer:
                return None
            inner = [self.bits(field, (*outer, type.name)) for field in self.flat(type)]
            bits = None if None in inner else sum(filter(None, inner))
        return bits if bits is None or not repeat else bits * int(count)

    def _accepted(self, body: Body, owner: Type) -> AcceptedValues:
        if "contents" in body:
            return AcceptedValues(frozenset({_contents(body["contents"])}))
        valid = body.get("valid")
        if valid is None:
            return AcceptedValues()
        if not isinstance(valid, dict):
            valid = {"eq": valid}

        def constant(value: Any) -> Any:
            if isinstance(value, list):
                return _contents(value)
            text = self.expression(value, owner) or ""
            return int(text) if text.isdigit() else text

        if "eq" in valid or "any-of" in valid:
            values = valid.get("any-of", [valid.get("eq")])
            return AcceptedValues(frozenset(map(constant, values)))
        if valid.get("in-enum"):
            return AcceptedValues(
                frozenset(self.types.enums[self.types.enum_of(body["enum"], owner)])
            )
        bounds = {key: constant(valid[key]) for key in ("min", "max") if key in valid}
        rules = [f"{key} {value}" for key, value in bounds.items() if not isinstance(value, int)]
        rules += [self.expression(valid["expr"], owner) or ""] if "expr" in valid else []
        if rules:
            return AcceptedValues(rule=", ".join(rules))
        return AcceptedValues(low=bounds.get("min", -math.inf), high=bounds.get("max", math.inf))

    def expression(self, value: Any, owner: Type) -> str | None:
        """Return an expression in a normal form, without groups and with numbers for enums."""
        if value is None:
            return None
        text = str(value).lower() if isinstance(value, bool) else str(value)
        if self._groups:
            text = re.sub(rf"\b(?:{'|'.join(map(re.escape, self._groups))})\s*\.\s*", "", text)
        return " ".join(self._token(token, owner) for token in _TOKEN.findall(text))

    def _token(self, token: str, owner: Type) -> str:
        enum, _, label = token.rpartition("::")
        if enum:
            members = self.types.enums.get(self.types.enum_of(enum, owner), {})
            return next((str(value) for value, name in members.items() if name == label), token)
        try:
            return str(int(token, 0))
        except ValueError:
            return self.renames.get(token, token)

    # -- places ------------------------------------------------------------------------------------

    def _meta(self, type: Type) -> Body:
        """Return the ``meta`` section of the file of a type."""
        top = next(t for t in self.types.types.values() if t.file == type.file)
        meta: Body = top.body.get("meta") or {}
        return meta

    def location(self, type: Type, *path: str) -> str:
        """Return ``ksy/x.ksy:12`` for a path in the YAML of a type."""
        line, node = 1, self._documents[type.file]
        outer = [part for id in type.ids[1:] for part in ("types", id)]
        for key in (*outer, *path):
            if isinstance(node, yaml.MappingNode):
                found = next((pair for pair in node.value if str(pair[0].value) == key), None)
                if found is None:
                    break
                line, node = found[0].start_mark.line + 1, found[1]
            elif isinstance(node, yaml.SequenceNode) and key.isdigit():
                node = node.value[int(key)]
                line = node.start_mark.line + 1
        return f"{type.file.relative_to(self.root).as_posix()}:{line}"

    def enum_location(self, enum: str, value: int | None = None) -> str:
        """Return the location of the enum with this class name, or of one of its values."""
        owner, _, name = enum.rpartition(".")
        type = self.types.types[owner]
        id = next(id for id in type.body["enums"] if class_name(id) == name)
        return self.location(type, "enums", id, *([] if value is None else [str(value)]))


def _contents(value: Any) -> bytes:
    parts = value if isinstance(value, list) else [value]
    return b"".join(bytes([p]) if isinstance(p, int) else str(p).encode() for p in parts)


def _fixed_bits(extent: Attributes) -> int | None:
    size = extent.get("size")
    return 8 * int(size) if size and size.isdigit() else None
