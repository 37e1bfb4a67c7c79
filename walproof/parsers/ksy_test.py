"""Tests for a grammar of your own: a file, and the values that its fields must have.

A vector is a JSON file::

    {"title": "two records", "input": "two.bin",
     "expect": {"magic": {"hex": "cafe"}, "records": {"count": 2}, "records[0].len_data": 5,
                "records[-1].type": "full", "records[0].name": "alpha", "trailer": null}}

``title`` and ``doc`` are for people. ``input`` is beside it, or ``hex`` holds the bytes. A value
is a number (a string of digits for one above 2^53), a text, ``true``, ``false``, ``{"hex": "…"}``
for bytes, ``{"count": n}`` for an array, a name or number for an enum, ``null`` for a field that
is not there. Paths name fields and instances. Instead of ``expect`` there may be ``"error":
"ValidationNotEqualError"``, the exception of the Python runtime, and ``"at":
"/types/header/seq/0"``, the place in the grammar.

A grammar may be anybody's, so ``python -m walproof.parsers.ksy_test GRAMMAR`` runs its parser in a
sandbox. JSON lines on stdin and stdout: ``{"body": a vector, "data": bytes in hexadecimal}`` →
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
from walproof.parsers.boxed_grammar import BoxedGrammar

_STEP = re.compile(r"(\w+)((?:\[-?\d+\])*)")
_ABSENT: Any = object()
_KEYS = ("title", "doc", "input", "hex", "expect", "error", "at")


class BadVector(Exception):
    """A vector cannot be used; the text says which and why."""


@dataclass(frozen=True)
class Outcome:
    """What came of one vector: no failures, or a line for each."""

    vector: Path
    title: str
    failures: tuple[str, ...]


def find_vectors(places: list[Path]) -> Iterator[Path]:
    """The JSON files among files and in folders. Raises :class:`BadVector` for a folder without."""
    for place in places:
        found = sorted(place.rglob("*.json")) if place.is_dir() else [place]
        if not found:
            raise BadVector(f"{place}: no .json in this folder")
        yield from found


class GrammarUnderTest:
    """Runs vectors against a grammar, whose parser runs in a sandbox.

    Raises what :class:`~walproof.parsers.boxed_grammar.BoxedGrammar` raises.
    """

    def __init__(self, grammar: Path) -> None:
        self._grammar = BoxedGrammar(grammar, "walproof.parsers.ksy_test")
        self.sandbox = self._grammar.sandbox

    def run(self, vector: Path) -> Outcome:
        """Run one vector. Raises :class:`BadVector`."""
        body = _load(vector)
        title = str(body.get("title", vector.stem))
        request = {"body": body, "data": _input(vector, body).hex()}
        try:
            said = self._grammar.request(request).get("failures")
        except NoReply as why:
            return Outcome(vector, title, (f"the parser's process: {why}",))
        if not isinstance(said, list):
            return Outcome(vector, title, ("the parser's process: what it said is no answer",))
        return Outcome(vector, title, tuple(map(str, said)))

    def close(self) -> None:
        """End the parser's process."""
        self._grammar.close()


def failures_of(parser: Any, model: Model, body: Mapping[str, Any], data: bytes) -> list[str]:
    """What is not as a vector expects. It runs the parser: in a box, if the grammar is foreign."""
    try:
        log = parser.from_bytes(data)
    except Exception as error:
        return list(_judge_error(body, error))
    if "error" in body:
        return [f"expected {body['error']}, and it was read whole"]
    return [
        f"{path}: expected {_shown_json(wanted)}, found {found}"
        for path, wanted in body["expect"].items()
        if (found := _difference(log, path, wanted, model)) is not None
    ]


def parser_of(grammar: Path) -> tuple[Any, Model]:
    """The class of a grammar's parser, which is compiled, and the model of the grammar."""
    folder = grammar.parent
    module = compiled(grammar.stem, grammars=folder)
    return getattr(module, class_name(grammar.stem)), Model(grammar.stem, folder)


def _load(vector: Path) -> dict[str, Any]:
    try:
        body = json.loads(vector.read_text(encoding="utf-8"))
    except OSError as error:
        raise BadVector(f"{vector}: {error.strerror}") from None
    except ValueError as error:
        raise BadVector(f"{vector}: no JSON: {error}") from None
    if not isinstance(body, dict) or ("expect" in body) == ("error" in body):
        raise BadVector(f"{vector}: a map with either `expect` or `error` was expected")
    if unknown := [key for key in body if key not in _KEYS]:
        raise BadVector(f"{vector}: no key `{unknown[0]}`: there are {', '.join(_KEYS)}")
    if ("input" in body) == ("hex" in body):
        raise BadVector(f"{vector}: either `input` or `hex` was expected")
    if "expect" in body and not isinstance(body["expect"], dict):
        raise BadVector(f"{vector}: `expect` is a map of path to value")
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
    said = f"{name}: {error}"
    if "error" not in body:
        yield f"it was not read: {said}"
    elif body["error"] not in {kind.__name__ for kind in type(error).__mro__}:
        yield f"expected {body['error']}, found {said}"
    elif "at" in body and body["at"] != getattr(error, "src_path", None):
        place = getattr(error, "src_path", None) or "no place in the grammar"
        yield f"expected {body['error']} at {body['at']}, found it at {place}"


def _difference(log: Any, path: str, wanted: Any, model: Model) -> str | None:
    """What was found instead of the expected value; None if it was found."""
    try:
        found = _resolve(log, path, model)
    except _NotThere as problem:
        return str(problem)
    except Exception as error:  # an instance that cannot be computed
        return f"{type(error).__name__}: {error}"
    return None if _agree(found, wanted) else _shown(found)


class _NotThere(Exception):
    """A path leads nowhere."""


def _resolve(log: Any, path: str, model: Model) -> Any:
    place = log
    for step in path.split("."):
        match = _STEP.fullmatch(step)
        if match is None:
            raise _NotThere(f"nothing: `{step}` is not a field such as `records[0]`")
        if place is _ABSENT:
            raise _NotThere("nothing: a field on the way is not there")
        if not isinstance(place, KaitaiStruct):
            raise _NotThere(f"nothing: {_shown(place)} has no field `{match[1]}`")
        known = _fields(place, model)
        if match[1] not in known:
            near = ", ".join(known)
            raise _NotThere(f"no field `{match[1]}` in {type(place).__qualname__}: it has {near}")
        place = getattr(place, match[1], _ABSENT)
        place = _ABSENT if place is None else place
        for index in re.findall(r"-?\d+", match[2]):
            try:
                place = place[int(index)]
            except (IndexError, TypeError):
                size = len(place) if isinstance(place, list) else 0
                raise _NotThere(f"nothing: `{match[1]}` has {size} elements") from None
    return place


def _fields(place: KaitaiStruct, model: Model) -> list[str]:
    """The fields and instances that the grammar gives an object, in its order."""
    body = model.types[type(place).__qualname__].body
    named = (body.get("params") or [], body.get("seq") or [])
    ids = [str(one["id"]) for some in named for one in some if "id" in one]
    return [*ids, *(body.get("instances") or {})]


def _agree(found: Any, wanted: Any) -> bool:
    if wanted is None or found is _ABSENT:
        return wanted is None and found is _ABSENT
    if isinstance(found, Enum):
        return wanted in (found.name, found.value)
    if isinstance(wanted, Mapping):
        if "count" in wanted:
            return isinstance(found, list) and len(found) == wanted["count"]
        return isinstance(found, bytes) and found.hex() == str(wanted.get("hex", "")).lower()
    if isinstance(found, bytes):
        return isinstance(wanted, str) and found == wanted.encode()
    if isinstance(found, int) and not isinstance(found, bool) and isinstance(wanted, str):
        return wanted == str(found)
    return type(found) is type(wanted) and bool(found == wanted)


def _shown(found: Any) -> str:
    if found is _ABSENT:
        return "null: the field is not there"
    if isinstance(found, Enum):
        return f'"{found.name}" ({found.value})'
    if isinstance(found, bytes):
        return json.dumps({"hex": found[:64].hex()}) + (" …" if len(found) > 64 else "")
    if isinstance(found, list):
        return json.dumps({"count": len(found)})
    if isinstance(found, bool | int | float | str):
        return json.dumps(found, ensure_ascii=False)
    return f"a {type(found).__qualname__}"


def _shown_json(wanted: Any) -> str:
    return json.dumps(wanted, ensure_ascii=False)


def main() -> None:
    """Answer requests until stdin ends."""
    replies = sys.stdout
    sys.stdout = sys.stderr  # output of a parser is no reply
    parser, model = parser_of(Path(sys.argv[1]))
    for line in sys.stdin:
        request = json.loads(line)
        failures = failures_of(parser, model, request["body"], bytes.fromhex(request["data"]))
        print(json.dumps({"failures": failures}), file=replies, flush=True)


if __name__ == "__main__":
    main()
