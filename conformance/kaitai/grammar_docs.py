"""Read the type, requirements and documentation of fields, and checksums, from .ksy files."""

from __future__ import annotations

import functools
from collections.abc import Mapping
from dataclasses import dataclass

from conformance import GRAMMARS
from conformance.kaitai.checksums import ByteOrder, ChecksumRule
from conformance.kaitai.types import Body, Types, members

_BYTE_ORDER: Mapping[str, ByteOrder] = {"le": "little", "be": "big"}


@dataclass(frozen=True)
class FieldDoc:
    """The type, the requirements and the documentation of a field."""

    #: Type as written in the grammar (``u4``, ``record_header``). It is ``bytes`` if the grammar
    #: states no type, and empty if the type depends on the data (``switch-on``).
    kind: str
    requirements: tuple[str, ...]
    #: Documentation of the field. If there is none, the documentation of its type.
    doc: str


@dataclass(frozen=True)
class GrammarDocs:
    """A grammar and its imports, under the class names of the compiled parsers."""

    top: str
    #: Documentation of fields by class name and field id, as in ``("LeveldbLog.Record", "data")``.
    fields: Mapping[tuple[str, str], FieldDoc]
    #: Ids of types by class name.
    kinds: Mapping[str, str]
    #: Size of a top-level element in bytes, if the elements can be parsed separately (``-stride``).
    stride: int | None
    #: Declared checksums by class name (``-checksum``).
    checksums: Mapping[str, ChecksumRule]
    #: Paths of the fields and instances that summarise a type, by class name (``-labels``).
    labels: Mapping[str, tuple[str, ...]]


@functools.cache
def grammar_docs(grammar: str) -> GrammarDocs:
    """Read a grammar, such as ``leveldb_log``, and all its imports."""
    known = Types(grammar, GRAMMARS)
    type_docs = {type.ids[-1]: _text(type.body) for type in known.types.values()}
    fields = {
        (name, field["id"]): _field_doc(field, type_docs)
        for name, type in known.types.items()
        for field in members(type.body)
        if "id" in field
    }
    seq = known.types[known.top].body.get("seq", ())
    stride = seq[0].get("-stride") if len(seq) == 1 else None
    kinds = {name: type.ids[-1] for name, type in known.types.items()}
    types = {name: type.body for name, type in known.types.items()}
    checksums = {
        name: ChecksumRule.parse(body["-checksum"], _BYTE_ORDER[types[known.top]["meta"]["endian"]])
        for name, body in types.items()
        if "-checksum" in body
    }
    labels = {name: tuple(body["-labels"]) for name, body in types.items() if "-labels" in body}
    return GrammarDocs(known.top, fields, kinds, stride, checksums, labels)


def _field_doc(field: Body, type_docs: dict[str, str]) -> FieldDoc:
    written = field.get("type", "bytes")
    # A ``switch-on`` is a map and has no type name. The name excludes parameters and the scope of
    # an import.
    type_id = written.split("(")[0].split("::")[-1] if isinstance(written, str) else ""
    requirements = field.get("-requirement", ())
    if isinstance(requirements, str):
        requirements = (requirements,)
    return FieldDoc(type_id, tuple(requirements), _text(field) or type_docs.get(type_id, ""))


def _text(body: Body) -> str:
    return " ".join(str(body.get("doc", "")).split())
