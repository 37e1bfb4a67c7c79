"""Messages of the protocol and their schemas."""

from __future__ import annotations

import functools
import json
import math
import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from jsonschema import Draft202012Validator
from jsonschema.exceptions import best_match
from referencing import Registry, Resource

from conformance import quick_schema

MAX_DEPTH = 100
_HALF = re.compile(rb"\\u[dD]")
_SURROGATE = re.compile("[\ud800-\udfff]")
_ENCODER = json.JSONEncoder(separators=(",", ":"))
_CANONICAL = json.JSONEncoder(separators=(",", ":"), sort_keys=True)
_OWED_KEYS = {"seq", "answer"}
SCHEMAS = Path(__file__).parent / "schemas"


class ProtocolError(Exception):
    """The implementation (or its adapter) broke the protocol."""


@functools.cache
def _schemas() -> dict[str, Any]:
    return {path.name: json.loads(path.read_text()) for path in SCHEMAS.glob("*.schema.json")}


@functools.cache
def _quick(kind: str) -> quick_schema.Check:
    return quick_schema.compiled(_schemas()[f"{kind}.schema.json"], _schemas())


@functools.cache
def _validators() -> dict[str, Draft202012Validator]:
    schemas = _schemas()
    registry: Registry[Any] = Registry().with_resources(
        [(name, Resource.from_contents(schema)) for name, schema in schemas.items()]
    )
    return {
        name.removesuffix(".schema.json"): Draft202012Validator(schema, registry=registry)
        for name, schema in schemas.items()
    }


def validate(kind: str, message: Any) -> None:
    """Check a message against ``schemas/<kind>.schema.json``; raises :class:`ProtocolError`."""
    if quick_schema.certainly(_quick(kind), message):
        return
    error = best_match(_validators()[kind].iter_errors(message))
    if error is not None:
        where = "/".join(map(str, error.absolute_path)) or "the message"
        raise ProtocolError(f"{kind}: {where}: {_short(error.message)}")


class Owed:
    """An answer that is owed, to tell at once whether a reply is, to the letter, one that gives it.

    Such a reply needs no look at its schema: answers of vectors are checked where they are loaded.
    """

    def __init__(self, answer: Mapping[str, Any]) -> None:
        self.answer = answer

    @functools.cached_property
    def _end(self) -> bytes:
        return _ENCODER.encode(self.answer).encode() + b"}\n"

    @functools.cached_property
    def _canonical(self) -> str:
        return _canonical(self.answer)

    def is_line(self, line: bytes, seq: int) -> bool:
        """Whether a line is the reply as most programs write it: there is nothing to parse."""
        start, end = b'{"seq":%d,"answer":' % seq, self._end
        return len(line) == len(start) + len(end) and line.endswith(end) and line.startswith(start)

    def is_reply(self, reply: Any, seq: int) -> bool:
        """Whether what was parsed is the reply, whatever the order of its keys."""
        if type(reply) is not dict or reply.keys() != _OWED_KEYS:
            return False
        if type(reply["seq"]) is not int or reply["seq"] != seq:
            return False
        try:
            # Equal values are cheaper to compare; only texts tell 1 from 1.0 and true.
            found = reply["answer"]
            return bool(found == self.answer) and _canonical(found) == self._canonical
        except (ValueError, RecursionError):
            return False


def _canonical(answer: Any) -> str:
    """The one text of an answer, whatever the order of its keys: ``1``, ``1.0`` and true differ."""
    return _CANONICAL.encode(answer)


def parse(line: bytes) -> Any:
    """One line of output as JSON, however deep; raises :class:`ProtocolError`."""
    try:
        return _decoder().decode(line.decode())
    except (ValueError, RecursionError):
        raise ProtocolError(f"expected a line of JSON, found {_short(repr(line))}") from None


def decode(line: bytes) -> dict[str, Any]:
    """One line of output as a JSON object; raises :class:`ProtocolError`."""
    return proper(parse(line), line)


def proper(message: Any, line: bytes) -> dict[str, Any]:
    """What was parsed from a line, if it is an object that later steps can work with.

    Raises :class:`ProtocolError`.
    """
    if not isinstance(message, dict):
        raise ProtocolError(f"expected a JSON object, found {_short(repr(line))}")
    # Each level has an opening bracket, so most lines need no look at their levels.
    if line.count(b"[") + line.count(b"{") > MAX_DEPTH and too_deep(message):
        raise ProtocolError(f"expected at most {MAX_DEPTH} levels of JSON, found more")
    if _HALF.search(line) and (text := _lone_surrogate(message)) is not None:
        raise ProtocolError(
            f"expected Unicode text, found half of a surrogate pair: {_short(ascii(text))};"
            ' what is no UTF-8 is {"hex": "…"}'
        )
    return message


@functools.cache
def _decoder() -> json.JSONDecoder:
    return json.JSONDecoder(parse_constant=_refuse, parse_float=_number)


def _refuse(constant: str) -> float:
    raise ValueError(f"{constant} is no JSON")


def _number(text: str) -> int | float:
    """12.0 is the integer 12, as in JSON Schema: some writers know one kind of number only."""
    value = float(text)
    if math.isinf(value):
        raise ValueError(f"{text} is beyond every number")
    return int(value) if value.is_integer() else value


def too_deep(message: Any) -> bool:
    """Whether a value has more than ``MAX_DEPTH`` levels: later steps may recurse over it."""
    level = [message]
    for _ in range(MAX_DEPTH + 1):
        level = [inner for one in level for inner in _inner(one)]
        if not level:
            return False
    return True


def _inner(value: Any) -> list[Any]:
    """The lists and objects in a value; numbers and texts go no deeper."""
    if isinstance(value, dict):
        value = value.values()
    return [one for one in value if isinstance(one, (dict, list))]


def _lone_surrogate(message: Any) -> str | None:
    """The text, or the key, of a message that cannot be written as UTF-8."""
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


def encode(message: dict[str, Any]) -> bytes:
    """A message as one line."""
    return _ENCODER.encode(message).encode() + b"\n"


def _short(text: str, limit: int = 200) -> str:
    return text if len(text) <= limit else text[: limit - 1] + "…"
