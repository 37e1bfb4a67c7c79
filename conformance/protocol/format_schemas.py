"""JSON Schemas of one format, made from its register: what an answer and a context may hold.

``schemas/<format>/answer.schema.json`` narrows the answer that every format has to the reason codes
and record fields of one; ``context.schema.json`` has the keys of the context.
``python -m conformance.traceability.write_tables`` writes them anew.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from reference_impl.register import Register

DIALECT = "https://json-schema.org/draft/2020-12/schema"
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
"""What the types of a register are in JSON."""


def schemas_of(register: Register) -> dict[str, dict[str, Any]]:
    """The schemas of a format by file name."""
    return {
        "answer.schema.json": answer_schema(register),
        "context.schema.json": context_schema(register),
    }


def text_of(schema: Mapping[str, Any]) -> str:
    """A schema as it stands in its file."""
    return json.dumps(schema, indent=2, ensure_ascii=False) + "\n"


def answer_schema(register: Register) -> dict[str, Any]:
    """What a reader may say of a log of this format."""
    codes = list(register.reasons)
    fields = {
        name: {"description": _sentence(field.meaning), **_one_of(field.types, ())}
        for name, field in register.fields.items()
    }
    return {
        "$schema": DIALECT,
        "$id": f"{register.id}/answer.schema.json",
        "title": f"answer, {register.id}",
        "description": f"What a reader says of one log: {register.title}.",
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
    """What a reader or writer of this format may be told besides the bytes."""
    return {
        "$schema": DIALECT,
        "$id": f"{register.id}/context.schema.json",
        "title": f"context, {register.id}",
        "description": "What a reader or writer is told besides the bytes.",
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
    """Any of the types, where the only texts allowed are ``values`` if there are some.

    Both ends of the ``range`` of an integer are in it.
    """
    allowed = [dict(_TYPES[one]) for one in types if not (one == "text" and values)]
    for one in allowed:
        if range and one == _TYPES["integer"]:
            one["minimum"], one["maximum"] = range
    if values:
        allowed.append({"enum": list(values)})
    return allowed[0] if len(allowed) == 1 else {"anyOf": allowed}


def _sentence(text: str) -> str:
    return f"{text[:1].upper()}{text[1:]}."
