"""Test a grammar against files and the expected values of their fields.

A vector is a JSON file:

    {"title": "two records", "input": "two.bin",
     "expect": {"magic": {"hex": "cafe"}, "records": {"count": 2}, "records[0].len_data": 5,
                "records[-1].type": "full", "records[0].name": "alpha", "trailer": null}}

``title`` and ``doc`` are comments. ``input`` is a path relative to the vector, or ``hex`` holds the
bytes. A value is a number (a string of digits above 2^53), a text, ``true``, ``false``, ``{"hex":
"…"}`` for bytes, ``{"count": n}`` for an array, a name or number for an enum, or ``null`` for an
absent field. Paths name fields and instances. Instead of ``expect``, a vector may have ``"error":
"ValidationNotEqualError"``, an exception of the Python runtime, and ``"at":
"/types/header/seq/0"``, its location in the grammar.

Grammars are untrusted, so ``python -m walproof.parsers.ksy_test GRAMMAR`` runs the parser in a
sandbox. It exchanges JSON lines on stdin and stdout: ``{"body": vector, "data": hexadecimal}`` →
``{"failures": [text, …]}``
"""

from __future__ import annotations

import json
import re
import sys
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from enum import Enum
from pathlib import Path
from typing import Any

from kaitaistruct import KaitaiStruct

from conformance.kaitai.compile import compiled
from conformance.kaitai.model import Model
from conformance.kaitai.types import class_name
from conformance.process import NoReply
from walproof.parsers.sandboxed_grammar import SandboxedGrammar

_STEP = re.compile(r"(\w+)((?:\[-?\d+\])*)")
_ABSENT: Any = object()
_KEYS = ("title", "doc", "input", "hex", "expect", "error", "at")


class BadVector(Exception):
    """Raised for an invalid vector."""


@dataclass(frozen=True)
class Outcome:
    """The result of one vector: no failures, or a line for each."""

    vector: Path
    title: str
    failures: tuple[str, ...]


def find_vectors(paths: list[Path]) -> Iterator[Path]:
    """Yield the JSON files among paths and in folders.

    Raises :class:`BadVector` for a folder without any.
    """
    for path in paths:
        vectors = sorted(path.rglob("*.json")) if path.is_dir() else [path]
        if not vectors:
            raise BadVector(f"{path}: no .json file in this folder")
        yield from vectors


class GrammarUnderTest:
    """Run vectors against a grammar, whose parser runs in a sandbox.

    Raises the errors of :class:`~walproof.parsers.sandboxed_grammar.SandboxedGrammar`.
    """

    def __init__(self, grammar: Path) -> None:
        self._grammar = SandboxedGrammar(grammar, "walproof.parsers.ksy_test")
        self.sandbox = self._grammar.sandbox

    def run(self, vector: Path) -> Outcome:
        """Run one vector. Raises :class:`BadVector`."""
        body = _load(vector)
        title = str(body.get("title", vector.stem))
        request = {"body": body, "data": _input(vector, body).hex()}
        try:
            failures = self._grammar.request(request).get("failures")
        except NoReply as error:
            return Outcome(vector, title, (f"parser process: {error}",))
        if not isinstance(failures, list):
            return Outcome(vector, title, ("parser process: invalid reply",))
        return Outcome(vector, title, tuple(map(str, failures)))

    def close(self) -> None:
        """Stop the parser process."""
        self._grammar.close()


def failures_of(parser: Any, model: Model, body: Mapping[str, Any], data: bytes) -> list[str]:
    """Run the parser, and return a message for each unexpected value."""
    try:
        log = parser.from_bytes(data)
    except Exception as error:
        return list(_judge_error(body, error))
    if "error" in body:
        return [f"expected {body['error']}, found no error"]
    return [
        f"{path}: expected {_shown_json(expected)}, found {actual}"
        for path, expected in body["expect"].items()
        if (actual := _difference(log, path, expected, model)) is not None
    ]


def parser_of(grammar: Path) -> tuple[Any, Model]:
    """Compile a grammar; return the class of its parser, and its model."""
    folder = grammar.parent
    module = compiled(grammar.stem, grammars=folder)
    return getattr(module, class_name(grammar.stem)), Model(grammar.stem, folder)


def _load(vector: Path) -> dict[str, Any]:
    try:
        body = json.loads(vector.read_text(encoding="utf-8"))
    except OSError as error:
        raise BadVector(f"{vector}: {error.strerror}") from None
    except ValueError as error:
        raise BadVector(f"{vector}: not JSON: {error}") from None
    if not isinstance(body, dict) or ("expect" in body) == ("error" in body):
        raise BadVector(f"{vector}: expected a map with either `expect` or `error`")
    if unknown := [key for key in body if key not in _KEYS]:
        raise BadVector(f"{vector}: unknown key `{unknown[0]}`, expected {', '.join(_KEYS)}")
    if ("input" in body) == ("hex" in body):
        raise BadVector(f"{vector}: expected either `input` or `hex`")
    if "expect" in body and not isinstance(body["expect"], dict):
        raise BadVector(f"{vector}: expected `expect` to be a map of paths to values")
    return body


def _input(vector: Path, body: Mapping[str, Any]) -> bytes:
    try:
        if "hex" in body:
            return bytes.fromhex(str(body["hex"]))
        return (vector.parent / str(body["input"])).read_bytes()
    except ValueError:
        raise BadVector(f"{vector}: `hex` is not hexadecimal") from None
    except OSError as error:
        raise BadVector(f"{vector}: {body['input']}: {error.strerror}") from None


def _judge_error(body: Mapping[str, Any], error: Exception) -> Iterator[str]:
    name = type(error).__name__
    text = f"{name}: {error}"
    if "error" not in body:
        yield f"unexpected error: {text}"
    elif body["error"] not in {error_class.__name__ for error_class in type(error).__mro__}:
        yield f"expected {body['error']}, found {text}"
    elif "at" in body and body["at"] != getattr(error, "src_path", None):
        location = getattr(error, "src_path", None) or "an unknown location"
        yield f"expected {body['error']} at {body['at']}, found at {location}"


def _difference(log: Any, path: str, expected: Any, model: Model) -> str | None:
    """Return the actual value if it differs from the expected one, else None."""
    try:
        actual = _resolve(log, path, model)
    except _NoSuchField as problem:
        return str(problem)
    except Exception as error:  # an instance that cannot be computed
        return f"{type(error).__name__}: {error}"
    return None if _agree(actual, expected) else _shown(actual)


class _NoSuchField(Exception):
    """Raised if a path does not exist."""


def _resolve(log: Any, path: str, model: Model) -> Any:
    value = log
    for step in path.split("."):
        match = _STEP.fullmatch(step)
        if match is None:
            raise _NoSuchField(f"nothing: `{step}` is not a path step such as `records[0]`")
        if value is _ABSENT:
            raise _NoSuchField("nothing: a field in the path is absent")
        if not isinstance(value, KaitaiStruct):
            raise _NoSuchField(f"nothing: {_shown(value)} has no field `{match[1]}`")
        names = _fields(value, model)
        if match[1] not in names:
            alternatives = ", ".join(names)
            raise _NoSuchField(
                f"no field `{match[1]}` in {type(value).__qualname__}: it has {alternatives}"
            )
        value = getattr(value, match[1], _ABSENT)
        value = _ABSENT if value is None else value
        for index in re.findall(r"-?\d+", match[2]):
            try:
                value = value[int(index)]
            except (IndexError, TypeError):
                size = len(value) if isinstance(value, list) else 0
                raise _NoSuchField(f"nothing: `{match[1]}` has {size} elements") from None
    return value


def _fields(node: KaitaiStruct, model: Model) -> list[str]:
    """Return the fields and instances of an object, in the order of the grammar."""
    body = model.types[type(node).__qualname__].body
    lists = (body.get("params") or [], body.get("seq") or [])
    ids = [str(entry["id"]) for entries in lists for entry in entries if "id" in entry]
    return [*ids, *(body.get("instances") or {})]


def _agree(actual: Any, expected: Any) -> bool:
    if expected is None or actual is _ABSENT:
        return expected is None and actual is _ABSENT
    if isinstance(actual, Enum):
        return expected in (actual.name, actual.value)
    if isinstance(expected, Mapping):
        if "count" in expected:
            return isinstance(actual, list) and len(actual) == expected["count"]
        return isinstance(actual, bytes) and actual.hex() == str(expected.get("hex", "")).lower()
    if isinstance(actual, bytes):
        return isinstance(expected, str) and actual == expected.encode()
    if isinstance(actual, int) and not isinstance(actual, bool) and isinstance(expected, str):
        return expected == str(actual)
    return type(actual) is type(expected) and bool(actual == expected)


def _shown(value: Any) -> str:
    if value is _ABSENT:
        return "null: the field is absent"
    if isinstance(value, Enum):
        return f'"{value.name}" ({value.value})'
    if isinstance(value, bytes):
        return json.dumps({"hex": value[:64].hex()}) + (" …" if len(value) > 64 else "")
    if isinstance(value, list):
        return json.dumps({"count": len(value)})
    if isinstance(value, bool | int | float | str):
        return json.dumps(value, ensure_ascii=False)
    return f"a {type(value).__qualname__}"


def _shown_json(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False)


def main() -> None:
    """Answer requests until stdin ends."""
    replies = sys.stdout
    sys.stdout = sys.stderr  # output of a parser must not mix with replies
    parser, model = parser_of(Path(sys.argv[1]))
    for line in sys.stdin:
        request = json.loads(line)
        failures = failures_of(parser, model, request["body"], bytes.fromhex(request["data"]))
        print(json.dumps({"failures": failures}), file=replies, flush=True)


if __name__ == "__main__":
    main()
