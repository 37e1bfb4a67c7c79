"""Run the readers of one revision. The revision must be on PYTHONPATH.

This program exchanges JSON lines on stdin and stdout. It imports only the standard library,
kaitaistruct, and ``reference_impl``, because an older revision may lack everything else.

* ``{"do": "read", "format", "path", "profile", "context"}`` → ``{"answer"}``
* ``{"do": "knows", "format"}`` → ``{"known"}``
* ``{"do": "grammars", "path", "folders", "grammar", "top", "pairs"}`` → ``{"held", "differ",
  "moved", "why"}``. ``folders`` has the folders of the ``old`` and the ``new`` parser.

The reply to a failed request has ``error`` and ``place``, the innermost line of ``reference_impl``.
"""

from __future__ import annotations

import importlib
import json
import sys
import traceback
from collections import defaultdict, deque
from enum import Enum
from pathlib import Path
from types import ModuleType
from typing import Any

#: Field or instance → its values as ``(start, end, value)``; ``end`` is None for an instance.
Rows = dict[str, list[tuple[int, int | None, Any]]]
MAX_OBJECTS = 100_000


def read(request: dict[str, Any]) -> dict[str, Any]:
    """Return the answer of this revision's executable specification for a log."""
    from reference_impl import formats
    from reference_impl.answer import collect

    format = formats.named(request["format"])
    events = format.read(Path(request["path"]), request["profile"], request["context"])
    return {"answer": collect(events).to_json()}


def knows(request: dict[str, Any]) -> dict[str, Any]:
    """Return whether this revision has a format, after importing its package."""
    from reference_impl import formats

    known = request["format"] in formats.FORMATS
    if known:
        importlib.import_module(f"reference_impl.{request['format'].replace('-', '_')}")
    return {"known": known}


def grammars(request: dict[str, Any]) -> dict[str, Any]:
    """Compare the field maps of two grammars for one file."""
    data = Path(request["path"]).read_bytes()
    (old, old_error), (new, new_error) = (
        field_map(data, request["folders"][side], request["grammar"], request["top"])
        for side in ("old", "new")
    )
    differ, why, moved = [], "", False
    for key, (new_key, name) in request["pairs"].items():
        old_rows, new_rows = old.get(key, []), new.get(new_key, [])
        at = _first_difference(old_rows, new_rows)
        if at is None:
            continue
        differ.append(new_key)
        moved = moved or [row[:2] for row in old_rows] != [row[:2] for row in new_rows]
        index = f"[{at}]" if len(old_rows) > 1 or len(new_rows) > 1 else ""
        why = why or f"{name}{index}: {_shown(old_rows, at)} → {_shown(new_rows, at)}"
    if (old_error is None) != (new_error is None):
        why = why or f"{old_error or 'no error'} → {new_error or 'no error'}"
    held = [new_key for key, (new_key, _) in request["pairs"].items() if old[key] and new[new_key]]
    return {"held": held, "differ": differ, "moved": moved, "why": why}


def field_map(data: bytes, folder: str, grammar: str, top: str) -> tuple[Rows, str | None]:
    """Run a parser in debug mode; return the rows of all fields and instances, and the error."""
    from kaitaistruct import BytesIO, KaitaiStream

    root = getattr(_parser(folder, grammar), top)(KaitaiStream(BytesIO(data)))
    error = None
    try:
        root._read()
    except Exception as stopped:
        error = f"{type(stopped).__name__}: {str(stopped)[:120]}"
    rows: Rows = defaultdict(list)
    waiting = deque([(root, 0, 0)])
    visited: set[tuple[str, int, int]] = set()
    while waiting and len(visited) < MAX_OBJECTS:
        node, base, at = waiting.popleft()
        identity = type(node).__qualname__, id(node._io), at
        if identity not in visited:
            visited.add(identity)
            waiting += _fields(node, base, rows)
            waiting += _instances(node, base, at, rows)
    return rows, error


def _fields(node: Any, base: int, rows: Rows) -> list[tuple[Any, int, int]]:
    """Add the fields of an object to ``rows``; return the inner objects, with base and offset."""
    inner = []
    for name in node.SEQ_FIELDS:
        span = node._debug.get(name)
        if span is None:
            continue
        value = getattr(node, name, None)
        pairs: Any = (
            zip(value or (), span["arr"], strict=False) if "arr" in span else [(value, span)]
        )
        for element, place in pairs:
            start = base + place["start"]
            end = base + place["end"] if "end" in place else None
            rows[f"{type(node).__qualname__}.{name}"].append((start, end, _plain(element)))
            if hasattr(element, "SEQ_FIELDS"):
                inner.append((element, base if element._io is node._io else start, start))
    return inner


def _instances(node: Any, base: int, at: int, rows: Rows) -> list[tuple[Any, int, int]]:
    inner = []
    for name, member in vars(type(node)).items():
        if not isinstance(member, property):
            continue
        try:
            value = getattr(node, name)
        except Exception as error:
            value = type(error).__name__
        rows[f"{type(node).__qualname__}.{name}"].append((at, None, _plain(value)))
        span = node._debug.get(f"_m_{name}")
        if span and getattr(value, "_io", None) is node._io:
            inner.append((value, base, base + span["start"]))
    return inner


def _plain(value: Any) -> Any:
    if hasattr(value, "SEQ_FIELDS"):
        return None
    if isinstance(value, Enum):
        return value.value
    if isinstance(value, list):
        return [_plain(element) for element in value]
    return value


def _first_difference(old: list[Any], new: list[Any]) -> int | None:
    for at, (a, b) in enumerate(zip(old, new, strict=False)):
        # If one side has raw bytes and the other side a type, equal spans are enough.
        if a[:2] != b[:2] or (a[2] != b[2] and a[2] is not None and b[2] is not None):
            return at
    return None if len(old) == len(new) else min(len(old), len(new))


def _shown(rows: list[Any], at: int) -> str:
    if at >= len(rows):
        return "absent"
    start, end, value = rows[at]
    text = value[:16].hex() if isinstance(value, bytes) else str(value)[:40]
    if end is None:
        return text
    return f"[{start}, {end}) {text if value is not None else ''}".strip()


def _parser(folder: str, grammar: str) -> ModuleType:
    package = f"review_{Path(folder).name}".replace("-", "_").replace(".", "_")
    if package not in sys.modules:
        module = ModuleType(package)
        module.__path__ = [folder]
        sys.modules[package] = module
    return importlib.import_module(f"{package}.{grammar}")


DO = {"read": read, "knows": knows, "grammars": grammars}


def place_of(error: BaseException) -> str:
    """Return the innermost line of an error: ``reference_impl/x/reader.py:12``, or ""."""
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
    sys.stdout = sys.stderr  # output of a reader must not mix with replies
    for line in sys.stdin:
        print(json.dumps(answered(json.loads(line))), file=replies, flush=True)


if __name__ == "__main__":
    main()
