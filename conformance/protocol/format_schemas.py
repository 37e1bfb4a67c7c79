"""Generate the JSON Schemas of a format's answers and contexts from its register.

To regenerate the schemas, run ``python -m conformance.traceability.write_tables``.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from reference_impl.register import Register

DIALECT = "https://json-schema.org/draft/2020-12/schema"
# The JSON Schema of each type that a register may name.
_TYPES: Mapping[str, Mapping[str, Any]] = {
    "integer": {"type": "integer"},
    "boolean": {"type": "boolean"},
    "object": {"type": "object"},
    "list": {"type": "array"},
    "null": {"type": "null"},
    "text": {"type": "string"},
    "hex": {"type": "string", "pattern": "^([0-9a-f]{2})*$"},
    "decimal": {"type": "string", "pattern": "^-?[0-9]+$"},
    "number": {"anyOf": [{"type": "integer"}, {"type": "string", "pattern": "^-?[0-9]{1,20}$"}]},
}


def schemas_of(register: Register) -> dict[str, dict[str, Any]]:
    """Return the schemas of a format by file name."""
    return {
        "answer.schema.json": answer_schema(register),
        "context.schema.json": context_schema(register),
    }


def text_of(schema: Mapping[str, Any]) -> str:
    """Return a schema in the form of its file."""
    return json.dumps(schema, indent=2, ensure_ascii=False) + "\n"


def answer_schema(register: Register) -> dict[str, Any]:
    """Return the schema of an answer for this format."""
    codes = list(register.reasons)
    fields = {
        name: {"description": _sentence(field.meaning), **_one_of(field.types, ())}
        for name, field in register.fields.items()
    }
    return {
        "$schema": DIALECT,
        "$id": f"{register.id}/answer.schema.json",
        "title": f"answer, {register.id}",
        "description": f"The answer of a reader for one log: {register.title}.",
        "allOf": [{"$ref": "../answer.schema.json"}],
        "properties": {
            "reason": {"enum": [*codes, None]},
            "records": {
                "items": {
                    "properties": {**fields, "payload_sha256": True},
                    "additionalProperties": False,
                }
            },
            "lost": {"items": {"properties": {"reason": {"enum": codes}}}},
        },
    }


def context_schema(register: Register) -> dict[str, Any]:
    """Return the schema of a context for this format."""
    return {
        "$schema": DIALECT,
        "$id": f"{register.id}/context.schema.json",
        "title": f"context, {register.id}",
        "description": "Information for a reader or writer that is not in the bytes.",
        "type": "object",
        "properties": {
            name: {
                "description": f"{_sentence(key.meaning)} Read by: {', '.join(key.read_by)}.",
                **_one_of(key.types, key.values, key.range),
                **({} if key.default is None else {"default": key.default}),
            }
            for name, key in register.context.items()
        },
        "additionalProperties": False,
    }


def _one_of(
    types: tuple[str, ...], values: tuple[str, ...], range: tuple[int, int] | None = None
) -> dict[str, Any]:
    allowed = [dict(_TYPES[type]) for type in types if not (type == "text" and values)]
    for type in allowed:
        if range and type == _TYPES["integer"]:
            type["minimum"], type["maximum"] = range
    if values:
        allowed.append({"enum": list(values)})
    return allowed[0] if len(allowed) == 1 else {"anyOf": allowed}


def _sentence(text: str) -> str:
    return f"{text[:1].upper()}{text[1:]}."
