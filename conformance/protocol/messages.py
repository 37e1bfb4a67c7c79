"""Messages of the protocol and their schemas."""

from __future__ import annotations

import functools
import json
import math
import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from conformance.json_schema import first_problem

MAX_DEPTH = 100
NULL_LIST = 'null is not of type "array"'
_HALF = re.compile(rb"\\u[dD]")
_SURROGATE = re.compile("[\ud800-\udfff]")
_ENCODER = json.JSONEncoder(separators=(",", ":"))
SCHEMAS = Path(__file__).parent / "schemas"


class ProtocolError(Exception):
    """The implementation or its adapter broke the protocol."""


def validate(schema: str, message: Any) -> None:
    """Check a message against ``schemas/<schema>.schema.json``. Raises :class:`ProtocolError`."""
    if (problem := first_problem(SCHEMAS / f"{schema}.schema.json", message)) is not None:
        where, text = problem
        if text == NULL_LIST:  # Go encodes a nil slice as null
            text += "; an empty list is []"
        raise ProtocolError(f"{schema}: {where or 'the message'}: {_short(text)}")


def decode(line: bytes) -> dict[str, Any]:
    """Return one line of output as a JSON object. Raises :class:`ProtocolError`."""
    try:
        message = _decoder().decode(line.decode())
    except (ValueError, RecursionError):
        raise ProtocolError(f"expected a line of JSON, found {_short(repr(line))}") from None
    if not isinstance(message, dict):
        raise ProtocolError(f"expected a JSON object, found {_short(repr(line))}")
    # Each level needs an opening bracket. Most lines have few brackets, so they need no exact
    # count.
    if line.count(b"[") + line.count(b"{") > MAX_DEPTH and too_deep(message):
        raise ProtocolError(f"expected at most {MAX_DEPTH} levels of JSON, found more")
    if _HALF.search(line) and (text := _lone_surrogate(message)) is not None:
        raise ProtocolError(
            f"expected Unicode text, found half of a surrogate pair: {_short(ascii(text))};"
            ' bytes that are not UTF-8 are {"hex": "…"}'
        )
    return message


@functools.cache
def _decoder() -> json.JSONDecoder:
    return json.JSONDecoder(parse_constant=_refuse, parse_float=_number)


def _refuse(constant: str) -> float:
    raise ValueError(f"{constant} is not JSON")


def _number(text: str) -> int | float:
    """Return 12.0 as the integer 12, as JSON Schema does. Some languages have only floats."""
    value = float(text)
    if math.isinf(value):
        raise ValueError(f"{text} is too large for a number")
    return int(value) if value.is_integer() else value


def too_deep(message: Any) -> bool:
    """Return whether a value has more than ``MAX_DEPTH`` levels. Later steps may recurse."""
    level = [message]
    for _ in range(MAX_DEPTH + 1):
        level = [inner for value in level for inner in _inner(value)]
        if not level:
            return False
    return True


def _inner(value: Any) -> list[Any]:
    if isinstance(value, dict):
        value = value.values()
    return [item for item in value if isinstance(item, (dict, list))]


def _lone_surrogate(message: Any) -> str | None:
    """Return a string or key in a message that cannot be encoded as UTF-8, or None."""
    todo = [message]
    while todo:
        value = todo.pop()
        if isinstance(value, dict):
            todo += [*value, *value.values()]
        elif isinstance(value, list):
            todo += value
        elif isinstance(value, str) and _SURROGATE.search(value):
            return value
    return None


def encode(message: Mapping[str, Any]) -> bytes:
    """Return a message as one line."""
    return _ENCODER.encode(message).encode() + b"\n"


def _short(text: str, limit: int = 200) -> str:
    return text if len(text) <= limit else text[: limit - 1] + "…"
