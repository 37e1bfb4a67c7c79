"""Run the readers of one revision. The revision must be on PYTHONPATH.

This program exchanges JSON lines on stdin and stdout. It imports only the standard library,
kaitaistruct, and ``reference_impl``, because an older revision may lack everything else.

* ``{"do": "read", "format", "path", "profile", "context"}`` → ``{"answer"}``
* ``{"do": "knows", "format"}`` → ``{"known"}``
* ``{"do": "grammars", "path", "folders", "grammar", "top"}`` → ``{"new_reader", "old_reader",
  "paths"}``. ``folders`` contains the directories of the ``old`` and the ``new`` parser.
  ``new_reader`` and ``old_reader`` describe the first field that this reader misreads, if any.

If a request fails, the reply contains ``error`` and ``place``, the innermost line in
``reference_impl``.
"""

from __future__ import annotations

import functools
import importlib
import json
import re
import sys
import traceback
from bisect import bisect_left
from collections import Counter, deque
from dataclasses import dataclass, field
from enum import Enum
from pathlib import Path
from types import ModuleType
from typing import Any, NamedTuple

MAX_OBJECTS = 100_000


def read(request: dict[str, Any]) -> dict[str, Any]:
    """Return the answer of this revision's executable specification for a log."""
    from reference_impl import formats
    from reference_impl.answer import collect

    format = formats.named(request["format"])
    events = format.read(Path(request["path"]), request["profile"], request["context"])
    return {"answer": collect(events).to_json()}


def knows(request: dict[str, Any]) -> dict[str, Any]:
    """Import the package of a format. Return whether this revision has the format."""
    from reference_impl import formats

    known = request["format"] in formats.FORMATS
    if known:
        importlib.import_module(f"reference_impl.{request['format'].replace('-', '_')}")
    return {"known": known}


class Leaf(NamedTuple):
    """A field without subfields. It occupies the bytes ``[start, end)``."""

    start: int
    end: int
    value: Any
    path: str
    #: The Kaitai instance that contains the field, or an empty string.
    instance: str

    def __str__(self) -> str:
        return _shown(((self.start, self.end), self.value))


@dataclass
class FieldMap:
    """The fields that a parser finds in a file."""

    leaves: list[Leaf] = field(default_factory=list)
    #: For the path of each instance, its byte range (if it is parsed at an offset) and its value.
    instances: dict[str, tuple[tuple[int, int] | None, Any]] = field(default_factory=dict)
    error: str = ""

    @property
    def instance_names(self) -> set[str]:
        """Paths of the instances, without array indexes."""
        return set(map(generic, self.instances))


def grammars(request: dict[str, Any]) -> dict[str, Any]:
    """Compare the field maps of two grammars for one file."""
    data = Path(request["path"]).read_bytes()
    old, new = (
        field_map(data, request["folders"][side], request["grammar"], request["top"])
        for side in ("old", "new")
    )
    missing, extra = _unmatched(old, new)
    by_path = {leaf.path: leaf for leaf in new.leaves}
    lost = [f"{leaf.path}: {leaf} → {by_path.get(leaf.path, 'absent')}" for leaf in missing]
    both = [f"{leaf.path}: absent → {leaf}" for leaf in extra]
    values: list[str] = []
    for path, was in old.instances.items():
        now = new.instances.get(path, was)
        if was != now:
            # Only programs that use a computed value are affected. Bytes at an offset are part of
            # the log.
            (values if was[0] is None else both).append(f"{path}: {_shown(was)} → {_shown(now)}")
    paths = {generic(leaf.path) for leaf in old.leaves + new.leaves}
    one_sided = (old.error == "") != (new.error == "")
    return {
        "new_reader": next(iter([*lost, *both, *values]), "") or new.error * one_sided,
        "old_reader": next(iter(lost + both), "") if both else old.error * one_sided,
        "paths": sorted(paths | old.instance_names | new.instance_names),
    }


def generic(path: str) -> str:
    """Return a path without array indexes."""
    return re.sub(r"\[\d+\]", "[]", path)


def _unmatched(old: FieldMap, new: FieldMap) -> tuple[list[Leaf], list[Leaf]]:
    """Return the fields of each map that have no counterpart in the other map.

    A counterpart has the same bytes and value.

    If raw bytes were divided into fields, the two readers agree. If fields were replaced by raw
    bytes, the new reader lacks these fields.
    """
    missing, extra = _without(old, new), _without(new, old)
    for raw in [leaf for leaf in missing if isinstance(leaf.value, bytes)]:
        if parts := _parts(raw, extra):
            missing.remove(raw)
            extra = [leaf for leaf in extra if leaf not in parts]
    for raw in [leaf for leaf in extra if isinstance(leaf.value, bytes)]:
        if _parts(raw, missing):
            extra.remove(raw)
    return missing, extra


def _without(one: FieldMap, other: FieldMap) -> list[Leaf]:
    """Return the fields of one map that the other lacks, except in added or removed instances."""
    known = other.instance_names | {""}
    matches = Counter(leaf[:3] for leaf in other.leaves)
    matches.subtract(leaf[:3] for leaf in one.leaves)
    return [leaf for leaf in one.leaves if matches[leaf[:3]] < 0 and leaf.instance in known]


def _parts(raw: Leaf, leaves: list[Leaf]) -> set[Leaf]:
    """Return the fields that divide raw bytes, or none if they do not cover all the bytes."""
    parts, at = set(), raw.start
    for leaf in leaves[bisect_left(leaves, (raw.start,)) :]:
        if leaf.start != at or leaf.end > raw.end or at == raw.end:
            break
        parts.add(leaf)
        at = leaf.end
    return parts if at == raw.end else set()


def _shown(instance: tuple[tuple[int, int] | None, Any]) -> str:
    span, value = instance
    text = value[:16].hex() if isinstance(value, bytes) else str(value)[:40]
    return f"[{span[0]}, {span[1]}) {text}" if span else text


def field_map(data: bytes, folder: str, grammar: str, top: str) -> FieldMap:
    """Run a parser in debug mode until its first error, and return the fields."""
    from kaitaistruct import BytesIO, KaitaiStream

    result = FieldMap()
    root = getattr(_parser(folder, grammar), top)(KaitaiStream(BytesIO(data)))
    try:
        root._read()
    except Exception as error:
        result.error = f"{type(error).__name__}: {str(error)[:120]}"
    waiting = deque([(root, 0, 0, "", "")])
    visited: set[tuple[str, int, int]] = set()
    while waiting and len(visited) < MAX_OBJECTS:
        node, base, at, path, instance = waiting.popleft()
        identity = type(node).__qualname__, id(node._io), at
        if identity not in visited:
            visited.add(identity)
            for name in node.SEQ_FIELDS:
                _add(result, waiting, node, base, f"{path}{name}", instance, name)
            for name, member in vars(type(node)).items():
                if isinstance(member, property):
                    _add_instance(result, waiting, node, base, f"{path}{name}", name)
    result.leaves.sort(key=lambda leaf: leaf[:2])
    return result


def _add(
    result: FieldMap, waiting: deque[Any], node: Any, base: int, path: str, instance: str, name: str
) -> None:
    """Add a field to a map or, if it has subfields, to the objects to visit."""
    span = node._debug.get(name)
    value = getattr(node, name, None)
    if span is None:
        return
    if "arr" in span:
        elements = zip(value or (), span["arr"], strict=False)
        rows = [(f"{path}[{number}]", *pair) for number, pair in enumerate(elements)]
    else:
        rows = [(path, value, span)]
    for place, element, bytes_ in rows:
        start = base + bytes_["start"]
        if hasattr(element, "SEQ_FIELDS"):
            inner = base if element._io is node._io else start
            waiting.append((element, inner, start, f"{place}.", instance))
        elif "end" in bytes_ and bytes_["end"] > bytes_["start"]:
            end = base + bytes_["end"]
            result.leaves.append(Leaf(start, end, _plain(element), place, instance))


def _add_instance(
    result: FieldMap, waiting: deque[Any], node: Any, base: int, path: str, name: str
) -> None:
    try:
        value = getattr(node, name)
    except Exception as error:
        value = type(error).__name__
    span = node._debug.get(f"_m_{name}")
    is_local = span is not None and "end" in span
    bytes_ = (base + span["start"], base + span["end"]) if is_local else None
    result.instances[path] = bytes_, _plain(value)
    if span and getattr(value, "_io", None) is node._io:
        waiting.append((value, base, base + span["start"], f"{path}.", generic(path)))


def _plain(value: Any) -> Any:
    if hasattr(value, "SEQ_FIELDS"):
        return None
    if isinstance(value, Enum):
        return value.value
    if isinstance(value, list):
        return tuple(_plain(element) for element in value)
    return value


@functools.cache
def _parser(folder: str, grammar: str) -> ModuleType:
    package = f"review_{Path(folder).name}".replace("-", "_").replace(".", "_")
    module = ModuleType(package)
    module.__path__ = [folder]
    sys.modules[package] = module
    return importlib.import_module(f"{package}.{grammar}")


DO = {"read": read, "knows": knows, "grammars": grammars}


def place_of(error: BaseException) -> str:
    """Return an error's innermost line in ``reference_impl``: its file and line, or ""."""
    if isinstance(error, SyntaxError) and error.filename:
        lines = [(error.filename, error.lineno)]
    else:
        lines = [(at.filename, at.lineno) for at in traceback.extract_tb(error.__traceback__)]
    for file, line in reversed(lines):
        _, package, name = file.rpartition("reference_impl/")
        if package:
            return f"{package}{name}:{line}"
    return ""


def answered(request: dict[str, Any]) -> dict[str, Any]:
    """Return the reply to one request, even if the reader fails."""
    try:
        return DO[request["do"]](request)
    except Exception as error:
        text = f"{type(error).__name__}: {str(error)[:200]}"
        return {"error": text, "place": place_of(error)}


def main() -> None:
    """Answer requests until stdin ends."""
    replies = sys.stdout
    sys.stdout = sys.stderr  # Output of a reader must not mix with the replies.
    for line in sys.stdin:
        print(json.dumps(answered(json.loads(line))), file=replies, flush=True)


if __name__ == "__main__":
    main()
