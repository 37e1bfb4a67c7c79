"""Messages of the protocol and their schemas."""

from __future__ import annotations

import functools
import json
from pathlib import Path
from typing import Any

from jsonschema import Draft202012Validator
from jsonschema.exceptions import best_match
from referencing import Registry, Resource

SCHEMAS = Path(__file__).parent / "schemas"


class ProtocolError(Exception):
    """The implementation (or its adapter) broke the protocol."""


@functools.cache
def _validators() -> dict[str, Draft202012Validator]:
    schemas = {path.name: json.loads(path.read_text()) for path in SCHEMAS.glob("*.schema.json")}
    registry: Registry[Any] = Registry().with_resources(
        [(name, Resource.from_contents(schema)) for name, schema in schemas.items()]
    )
    return {
        name.removesuffix(".schema.json"): Draft202012Validator(schema, registry=registry)
        for name, schema in schemas.items()
    }


def validate(kind: str, message: Any) -> None:
    """Check a message against ``schemas/<kind>.schema.json``; raises :class:`ProtocolError`."""
    error = best_match(_validators()[kind].iter_errors(message))
    if error is not None:
        where = "/".join(map(str, error.absolute_path)) or "the message"
        raise ProtocolError(f"{kind}: {where}: {_short(error.message)}")


def decode(line: bytes) -> dict[str, Any]:
    """One line of output as a JSON object; raises :class:`ProtocolError`."""
    try:
        message = json.loads(line)
    except (ValueError, RecursionError):
        raise ProtocolError(f"expected a line of JSON, found {_short(repr(line))}") from None
    if not isinstance(message, dict):
        raise ProtocolError(f"expected a JSON object, found {_short(repr(line))}")
    return message


def encode(message: dict[str, Any]) -> bytes:
    """A message as one line."""
    return json.dumps(message, separators=(",", ":")).encode() + b"\n"


def _short(text: str, limit: int = 200) -> str:
    return text if len(text) <= limit else text[: limit - 1] + "…"
