"""Run the readers of one revision: a program that starts with that revision on PYTHONPATH.

It exchanges JSON lines on stdin and stdout. It imports no tools, because an older revision may lack
them: only the standard library, kaitaistruct, and ``reference_impl`` of that revision.

``{"do": "read", "format", "path", "profile", "context"}`` → ``{"answer"}`` or ``{"error"}``
``{"do": "write", "format", "path", "records", "context"}`` → ``{"done"}`` or ``{"error"}``
``{"do": "formats"}`` → ``{"formats"}``
``{"do": "grammars", "old", "new", "pairs", "path"}`` → ``{"keys", "differ", "why"}``, where
``old`` and ``new`` are ``{"folder", "grammar", "top", "names"}``

An ``error`` has its ``place``, the innermost line of ``reference_impl``, and ``hangs`` if the
request took longer than its ``seconds``.
"""

from __future__ import annotations

import importlib
import json
import signal
import sys
import traceback
from collections import defaultdict
from enum import Enum
from pathlib import Path
from types import ModuleType
from typing import Any

Rows = dict[str, list[Any]]
MAX_OBJECTS = 100_000


def read(request: dict[str, Any]) -> dict[str, Any]:
    """Return the answer of this revision's executable specification to a log."""
    from reference_impl import formats
    from reference_impl.answer import collect

    format = formats.named(request["format"])
    events = format.read(Path(request["path"]), request["profile"], request["context"])
    return {"answer": collect(events).to_json()}


def write(request: dict[str, Any]) -> dict[str, Any]:
    """Write a log with these records with the writer of this revision."""
    from reference_impl import formats
    from reference_impl.answer import NewRecord

    records = []
    for record in request["records"]:
        fields = {name: value for name, value in record.items() if name != "payload"}
        records.append(NewRecord(bytes.fromhex(record["payload"]), fields))
    formats.named(request["format"]).write(Path(request["path"]), records, request["context"])
    return {"done": True}


def known_formats(request: dict[str, Any]) -> dict[str, Any]:
    """Return the formats of this revision."""
    from reference_impl import formats

    return {"formats": list(formats.FORMATS)}


def grammars(request: dict[str, Any]) -> dict[str, Any]:
    """Run two grammars on one file; return the members that both have, and those that differ."""
    data = Path(request["path"]).read_bytes()
    (old, old_error), (new, new_error) = (rows(data, request[side]) for side in ("old", "new"))
    differ, why = [], None
    for key, twin in request["pairs"].items():
        old_rows, new_rows = old.get(key, []), new.get(twin, [])
        at = _first_difference(old_rows, new_rows)
        if at is not None:
            differ.append(twin)
            index, was, now = _shown(old_rows, new_rows, at)
            why = why or f"{twin.split('.', 1)[-1]}{index}: {was} → {now}"
    if (old_error is None) != (new_error is None):
        why = why or f"{old_error or 'no error'} → {new_error or 'no error'}"
    return {
        "keys": [request["pairs"][key] for key in old if request["pairs"].get(key) in new],
        "differ": differ,
        "why": why,
    }


def rows(data: bytes, side: dict[str, Any]) -> tuple[Rows, str | None]:
    """Run a parser in debug mode; return spans and values by member in order, and its error."""
    from kaitaistruct import BytesIO, KaitaiStream

    top = getattr(_parser(side["folder"], side["grammar"]), side["top"])(
        KaitaiStream(BytesIO(data))
    )
    error = None
    try:
        top._read()
    except Exception as stopped:
        error = f"{type(stopped).__name__}: {str(stopped)[:120]}"
    walk = _Walk(side["names"])
    walk.object(top, 0)
    return walk.rows, error


class _Walk:
    """Collect rows ``(start, end, value)`` of fields and ``(start, value)`` of instances."""

    def __init__(self, names: dict[str, str]) -> None:
        self.names = names
        self.rows: Rows = defaultdict(list)
        self.visited: set[tuple[str, int, int]] = set()

    def object(self, top: Any, base: int) -> None:
        waiting = [(top, base, 0)]
        while waiting and len(self.visited) < MAX_OBJECTS:
            node, base, at = waiting.pop(0)
            type_name = type(node).__qualname__
            if type_name not in self.names or (type_name, id(node._io), at) in self.visited:
                continue
            self.visited.add((type_name, id(node._io), at))
            for name in node.SEQ_FIELDS:
                span = node._debug.get(name)
                if span is not None:
                    waiting += self._field(node, type_name, name, span, base)
            waiting += self._instances(node, type_name, base, at)

    def _field(
        self, node: Any, type_name: str, name: str, span: dict[str, Any], base: int
    ) -> list[tuple[Any, int, int]]:
        value = getattr(node, name, None)
        is_array = "arr" in span
        pairs: Any = zip(value or (), span["arr"], strict=False) if is_array else [(value, span)]
        inner = []
        for element, span_of_element in pairs:
            start = base + span_of_element["start"]
            end = base + span_of_element["end"] if "end" in span_of_element else None
            self.rows[f"{self.names[type_name]}.{name}"].append((start, end, _plain(element)))
            if hasattr(element, "SEQ_FIELDS"):
                has_substream = element._io is not node._io
                inner.append((element, start if has_substream else base, start))
        return inner

    def _instances(
        self, node: Any, type_name: str, base: int, at: int
    ) -> list[tuple[Any, int, int]]:
        inner = []
        for name, member in vars(type(node)).items():
            if not isinstance(member, property):
                continue
            try:
                value = getattr(node, name)
            except Exception as error:
                value = type(error).__name__
            self.rows[f"{self.names[type_name]}.{name}"].append((at, _plain(value)))
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
        # Raw bytes on one side and a type on the other: comparing the span is enough.
        if a[:-1] != b[:-1] or (a[-1] != b[-1] and a[-1] is not None and b[-1] is not None):
            return at
    return None if len(old) == len(new) else min(len(old), len(new))


def _shown(old: list[Any], new: list[Any], at: int) -> tuple[str, str, str]:
    def value(rows: list[Any]) -> str:
        if at >= len(rows):
            return "absent"
        last = rows[at][-1]
        text = last[:16].hex() if isinstance(last, bytes) else str(last)[:40]
        if len(rows[at]) == 2:
            return text
        return f"[{rows[at][0]}, {rows[at][1]}) {text if last is not None else ''}".strip()

    return (f"[{at}]" if len(old) > 1 or len(new) > 1 else ""), value(old), value(new)


def _parser(folder: str, grammar: str) -> ModuleType:
    package = f"review_{Path(folder).name}".replace("-", "_").replace(".", "_")
    if package not in sys.modules:
        module = ModuleType(package)
        module.__path__ = [folder]
        sys.modules[package] = module
    return importlib.import_module(f"{package}.{grammar}")


DO = {"read": read, "write": write, "formats": known_formats, "grammars": grammars}


class _TookTooLong(BaseException):
    """Raised when the time limit of a request is over; a reader cannot catch it as its own
    error."""


def _over(*_: Any) -> None:
    raise _TookTooLong


def place_of(error: BaseException) -> str:
    """Return the innermost line of ``reference_impl`` in an error, such as
    ``reference_impl/x/reader.py:12``.

    Empty if there is none.
    """
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
    """Return the reply to one request, also if the reader fails."""
    seconds = float(request.get("seconds", 0))
    try:
        signal.setitimer(signal.ITIMER_REAL, seconds)
        return DO[request["do"]](request)
    except _TookTooLong as timeout:
        text = f"no answer within {seconds:g} s"
        return {"error": text, "place": place_of(timeout), "hangs": True}
    except Exception as error:
        text = f"{type(error).__name__}: {str(error)[:200]}"
        return {"error": text, "place": place_of(error)}
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)


def main() -> None:
    """Answer requests until stdin ends."""
    replies = sys.stdout
    sys.stdout = sys.stderr  # output of a reader must not mix with replies
    signal.signal(signal.SIGALRM, _over)
    for line in sys.stdin:
        print(json.dumps(answered(json.loads(line))), file=replies, flush=True)


if __name__ == "__main__":
    main()
