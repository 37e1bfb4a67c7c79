"""What the .ksy files say about each field besides its bytes: type, requirements, documentation."""

from __future__ import annotations

import functools
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import yaml

from conformance.kaitai.compile import GRAMMARS, grammar_files


@dataclass(frozen=True)
class FieldDoc:
    """One field of one type.

    ``kind`` is the type as written in the grammar (``u4``, ``record_header``), ``bytes`` if there
    is none, and empty if it depends on the data (``switch-on``). ``doc`` falls back to that of the
    field's type.
    """

    kind: str
    requirements: tuple[str, ...]
    doc: str


@dataclass(frozen=True)
class GrammarDocs:
    """A grammar and its imports, under the names that the compiled parsers use.

    ``fields`` is keyed by the qualified name of the class and the field's id, as in
    ``("LeveldbLog.Record", "data")``; ``kinds`` maps a qualified class name to the type's id.
    ``stride`` is the ``-stride`` of the one field of the top level: its elements are so many bytes
    each and can be parsed apart. None where that is not said.
    """

    top: str
    fields: Mapping[tuple[str, str], FieldDoc]
    kinds: Mapping[str, str]
    stride: int | None


@functools.cache
def grammar_docs(grammar: str, grammars: Path = GRAMMARS) -> GrammarDocs:
    """Read a grammar, such as ``leveldb_log``, and all that it imports."""
    documents = [yaml.safe_load(f.read_bytes()) for f in grammar_files(grammar, grammars)]
    types: dict[str, tuple[str, dict[str, Any]]] = {}
    for document in documents:
        _collect(document["meta"]["id"], document, "", types)
    type_docs = {type_id: _text(body) for type_id, body in types.values()}
    fields = {
        (name, field["id"]): _field_doc(field, type_docs)
        for name, (_, body) in types.items()
        for field in _fields_of(body)
        if "id" in field
    }
    main = documents[0]
    only = main["seq"][0] if len(main.get("seq", ())) == 1 else {}
    kinds = {name: type_id for name, (type_id, _) in types.items()}
    return GrammarDocs(class_name(main["meta"]["id"]), fields, kinds, only.get("-stride"))


def class_name(type_id: str) -> str:
    """The name that the compiler gives the class of a type: ``record_header`` → RecordHeader."""
    return "".join(part.capitalize() for part in type_id.split("_"))


def _collect(type_id: str, body: dict[str, Any], outer: str, into: dict[str, Any]) -> None:
    name = f"{outer}.{class_name(type_id)}" if outer else class_name(type_id)
    into[name] = (type_id, body)
    for inner, inner_body in body.get("types", {}).items():
        _collect(inner, inner_body, name, into)


def _fields_of(body: dict[str, Any]) -> list[dict[str, Any]]:
    instances = [{"id": name, **spec} for name, spec in body.get("instances", {}).items()]
    return [*body.get("seq", ()), *instances]


def _field_doc(field: dict[str, Any], type_docs: dict[str, str]) -> FieldDoc:
    written = field.get("type", "bytes")
    # A switch-on is a map; parameters and the scope of an import do not belong to the name.
    kind = written.split("(")[0].split("::")[-1] if isinstance(written, str) else ""
    requirements = field.get("-requirement", ())
    if isinstance(requirements, str):
        requirements = (requirements,)
    return FieldDoc(kind, tuple(requirements), _text(field) or type_docs.get(kind, ""))


def _text(body: dict[str, Any]) -> str:
    return " ".join(str(body.get("doc", "")).split())
