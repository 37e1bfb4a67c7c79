"""Runs the readers of one revision: started as a program, with that revision on PYTHONPATH.

JSON lines on stdin and stdout. The file imports none of the tools, because the older revision may
not have them: only the standard library, kaitaistruct, and ``reference_impl`` in whatever version
it finds.

``{"do": "read", "format", "path", "profile", "context"}`` → ``{"answer"}`` or ``{"error"}``
``{"do": "write", "format", "path", "records", "context"}`` → ``{"done"}`` or ``{"error"}``
``{"do": "formats"}`` → ``{"formats"}``
``{"do": "grammars", "old", "new", "pairs", "path"}`` → ``{"keys", "differ", "why"}``, where
``old`` and ``new`` are ``{"folder", "grammar", "top", "names"}``

An ``error`` comes with its ``place``, the last line of ``reference_impl`` that it passed, and with
``hangs`` if the ``seconds`` of a request were over.
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
MOST_OBJECTS = 100_000


def read(request: dict[str, Any]) -> dict[str, Any]:
    """What the executable specification of this revision says of a log."""
    from reference_impl import formats
    from reference_impl.answer import collect

    format = formats.named(request["format"])
    events = format.read(Path(request["path"]), request["profile"], request["context"])
    return {"answer": collect(events).to_json()}


def write(request: dict[str, Any]) -> dict[str, Any]:
    """A log with these records, by the writer of this revision."""
    from reference_impl import formats
    from reference_impl.answer import NewRecord

    records = []
    for record in request["records"]:
        fields = {name: value for name, value in record.items() if name != "payload"}
        records.append(NewRecord(bytes.fromhex(record["payload"]), fields))
    formats.named(request["format"]).write(Path(request["path"]), records, request["context"])
    return {"done": True}


def known_formats(request: dict[str, Any]) -> dict[str, Any]:
    """The formats of this revision."""
    from reference_impl import formats

    return {"formats": list(formats.FORMATS)}


def grammars(request: dict[str, Any]) -> dict[str, Any]:
    """Two grammars on one file: the members that both have, and those that they read otherwise."""
    data = Path(request["path"]).read_bytes()
    (old, old_error), (new, new_error) = (rows(data, request[side]) for side in ("old", "new"))
    differ, why = [], None
    for key, twin in request["pairs"].items():
        one, other = old.get(key, []), new.get(twin, [])
        at = _first_difference(one, other)
        if at is not None:
            differ.append(twin)
            where, was, now = _shown(one, other, at)
            why = why or f"{twin.split('.', 1)[-1]}{where}: {was} → {now}"
    if (old_error is None) != (new_error is None):
        why = why or f"{old_error or 'reads it all'} → {new_error or 'reads it all'}"
    return {
        "keys": [request["pairs"][key] for key in old if request["pairs"].get(key) in new],
        "differ": differ,
        "why": why,
    }


def rows(data: bytes, side: dict[str, Any]) -> tuple[Rows, str | None]:
    """What a parser in debug mode reads: member → spans and values in order; and its error."""
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
    """Collects rows ``(start, end, value)`` of fields and ``(start, value)`` of instances."""

    def __init__(self, names: dict[str, str]) -> None:
        self.names = names
        self.rows: Rows = defaultdict(list)
        self.seen: set[tuple[str, int, int]] = set()

    def object(self, top: Any, base: int) -> None:
        waiting = [(top, base, 0)]
        while waiting and len(self.seen) < MOST_OBJECTS:
            found, base, at = waiting.pop(0)
            kind = type(found).__qualname__
            if kind not in self.names or (kind, id(found._io), at) in self.seen:
                continue
            self.seen.add((kind, id(found._io), at))
            for name in found.SEQ_FIELDS:
                span = found._debug.get(name)
                if span is not None:
                    waiting += self._field(found, kind, name, span, base)
            waiting += self._instances(found, kind, base, at)

    def _field(
        self, found: Any, kind: str, name: str, span: dict[str, Any], base: int
    ) -> list[tuple[Any, int, int]]:
        value = getattr(found, name, None)
        many = "arr" in span
        pairs: Any = zip(value or (), span["arr"], strict=False) if many else [(value, span)]
        inner = []
        for element, place in pairs:
            start = base + place["start"]
            end = base + place["end"] if "end" in place else None
            self.rows[f"{self.names[kind]}.{name}"].append((start, end, _plain(element)))
            if hasattr(element, "SEQ_FIELDS"):
                own = element._io is not found._io
                inner.append((element, start if own else base, start))
        return inner

    def _instances(self, found: Any, kind: str, base: int, at: int) -> list[tuple[Any, int, int]]:
        inner = []
        for name, member in vars(type(found)).items():
            if not isinstance(member, property):
                continue
            try:
                value = getattr(found, name)
            except Exception as error:
                value = type(error).__name__
            self.rows[f"{self.names[kind]}.{name}"].append((at, _plain(value)))
            place = found._debug.get(f"_m_{name}")
            if place and getattr(value, "_io", None) is found._io:
                inner.append((value, base, base + place["start"]))
        return inner


def _plain(value: Any) -> Any:
    if hasattr(value, "SEQ_FIELDS"):
        return None
    if isinstance(value, Enum):
        return value.value
    if isinstance(value, list):
        return [_plain(element) for element in value]
    return value


def _first_difference(one: list[Any], other: list[Any]) -> int | None:
    for at, (a, b) in enumerate(zip(one, other, strict=False)):
        # Raw bytes here and fields of a type there: the same place is enough.
        if a[:-1] != b[:-1] or (a[-1] != b[-1] and a[-1] is not None and b[-1] is not None):
            return at
    return None if len(one) == len(other) else min(len(one), len(other))


def _shown(one: list[Any], other: list[Any], at: int) -> tuple[str, str, str]:
    def value(found: list[Any]) -> str:
        if at >= len(found):
            return "not there"
        last = found[at][-1]
        text = last[:16].hex() if isinstance(last, bytes) else str(last)[:40]
        if len(found[at]) == 2:
            return text
        return f"[{found[at][0]}, {found[at][1]}) {text if last is not None else ''}".strip()

    return (f"[{at}]" if len(one) > 1 or len(other) > 1 else ""), value(one), value(other)


def _parser(folder: str, grammar: str) -> ModuleType:
    package = f"review_{Path(folder).name}".replace("-", "_").replace(".", "_")
    if package not in sys.modules:
        module = ModuleType(package)
        module.__path__ = [folder]
        sys.modules[package] = module
    return importlib.import_module(f"{package}.{grammar}")


DO = {"read": read, "write": write, "formats": known_formats, "grammars": grammars}


class _TookTooLong(BaseException):
    """The seconds of a request are over. No reader catches it by catching its own errors."""


def _over(*_: Any) -> None:
    raise _TookTooLong


def place_of(error: BaseException) -> str:
    """``reference_impl/my_log/reader.py:12``, the innermost such line; empty if there is none."""
    if isinstance(error, SyntaxError) and error.filename:
        lines = [(error.filename, error.lineno)]
    else:
        lines = [(at.filename, at.lineno) for at in traceback.extract_tb(error.__traceback__)]
    for file, line in reversed(lines):
        _, found, name = file.rpartition("reference_impl/")
        if found:
            return f"{found}{name}:{line}"
    return ""


def answered(request: dict[str, Any]) -> dict[str, Any]:
    """The reply to one request, whatever the reader does with it."""
    seconds = float(request.get("seconds", 0))
    try:
        signal.setitimer(signal.ITIMER_REAL, seconds)
        return DO[request["do"]](request)
    except _TookTooLong as over:
        said = f"no answer within {seconds:g} s"
        return {"error": said, "place": place_of(over), "hangs": True}
    except Exception as error:
        said = f"{type(error).__name__}: {str(error)[:200]}"
        return {"error": said, "place": place_of(error)}
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)


def main() -> None:
    """Answer requests until stdin ends."""
    replies = sys.stdout
    sys.stdout = sys.stderr  # what a reader prints is not a reply
    signal.signal(signal.SIGALRM, _over)
    for line in sys.stdin:
        print(json.dumps(answered(json.loads(line))), file=replies, flush=True)


if __name__ == "__main__":
    main()
